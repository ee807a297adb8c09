#include "config.h"

#include "tracer_fixture.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct mpl_arena *arena;
struct mpl_lint *lint;
struct mpl_err err;
static char folder[200];

void set_up(void)
{
    mpl_alloc_fail_after(-1);
    arena = mpl_arena_create();
    lint = mpl_lint_create(arena);
    err = (struct mpl_err){ 0 };
    (void) snprintf(folder, sizeof folder, "%s/test_tracer.XXXXXX",
                    getenv("TMPDIR") != NULL ? getenv("TMPDIR") : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

void tear_down(void)
{
    mpl_alloc_fail_after(-1);
    const char *file = mpl_arena_printf(arena, "%s/tracers/t.yaml", folder);
    const char *tracers = mpl_arena_printf(arena, "%s/tracers", folder);

    (void) unlink(file);
    (void) rmdir(tracers);
    (void) rmdir(folder);
    mpl_arena_destroy(arena);
}

const char *stock(void)
{
    const char *top = getenv("top_srcdir");

    return top == NULL ? "." : top;
}

/* Writes a description into the folder. */
void describe(const char *text)
{
    const char *tracers = mpl_arena_printf(arena, "%s/tracers", folder);
    const char *path = mpl_arena_printf(arena, "%s/t.yaml", tracers);
    FILE *file = NULL;

    (void) mkdir(tracers, 0700);
    file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    ck_assert_int_eq(fclose(file), 0);
}

enum mpl_status load(bool with_stock, const struct mpl_tracers **out)
{
    const char *directories[] = { stock(), folder };

    return mpl_tracers_load(with_stock ? directories : directories + 1, with_stock ? 2 : 1,
                            arena, lint, out, &err);
}

const struct mpl_tracer_file *tracer_of_stock(const char *name)
{
    const struct mpl_tracers *all = NULL;

    ck_assert_msg(load(true, &all) == MPL_OK, "%s", err.cause[0].text);
    ck_assert_ptr_nonnull(mpl_tracers_find(all, name));
    return mpl_tracers_find(all, name);
}

struct mpl_settings settle(const struct mpl_tracer_file *tracer,
                           const struct mpl_recording *recording, uint64_t bytes)
{
    struct mpl_settings out = { 0 };

    ck_assert_int_eq(mpl_tracer_settle(tracer, recording, bytes, arena, &out, &err),
                     MPL_OK);
    return out;
}

const char *variable(const struct mpl_settings *s, const char *name)
{
    for (size_t i = 0; i < s->n_environment; i++) {
        if (strcmp(s->environment[i].name, name) == 0) {
            return s->environment[i].value;
        }
    }
    return NULL;
}

void refused(const char *text, const char *message, unsigned line, unsigned column)
{
    const struct mpl_tracers *all = NULL;

    describe(text);
    ck_assert_int_eq(load(false, &all), MPL_E_SYNTAX);
    ck_assert_uint_ge(mpl_lint_count(lint), 1);
    ck_assert_str_eq(mpl_lint_get(lint, 0)->text, message);
    ck_assert_uint_eq(mpl_lint_get(lint, 0)->place.line, line);
    ck_assert_uint_eq(mpl_lint_get(lint, 0)->place.column, column);
}

int run_cases(const char *name, TCase *const *cases, size_t n)
{
    Suite *suite = suite_create(name);

    for (size_t i = 0; i < n; i++) {
        suite_add_tcase(suite, cases[i]);
    }
    SRunner *runner = srunner_create(suite);

    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
