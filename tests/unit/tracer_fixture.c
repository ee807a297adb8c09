#include "config.h"

#include "tracer_fixture.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct mpl_lint *lint;
struct mpl_err err;

void create_tracers(void)
{
    create_folder();
    lint = mpl_lint_create(arena);
    err = (struct mpl_err){ 0 };
}

/* Writes a description into the folder. */
void describe(const char *text)
{
    (void) put_file("tracers/t.yaml", text);
}

enum mpl_status load(bool with_stock, const struct mpl_tracers **out)
{
    const char *directories[] = { in_tree(""), folder };

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
