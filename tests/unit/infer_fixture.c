#include "config.h"

#include "infer_fixture.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static struct lab the_lab;

struct lab *lab_get(void)
{
    return &the_lab;
}

char *lab_path(const char *relative)
{
    const char *top = getenv("top_srcdir");

    return mpl_arena_printf(the_lab.arena, "%s/%s", top == NULL ? "." : top, relative);
}

/** What CLIPS finds in rules that were read with \p st. */
static enum mpl_status see(enum mpl_status st, const struct mpl_rules **rules,
                           struct mpl_err *err)
{
    /* Some milliseconds are usual; what takes longer is an expression without end. */
    const struct mpl_infer_limits limits = { .seconds = 2.0 };
    struct mpl_infer *infer = NULL;

    st = st == MPL_OK ? mpl_infer_create(*rules, &limits, &infer, err) : st;
    mpl_infer_destroy(infer);
    *rules = st == MPL_OK ? *rules : NULL;
    return st;
}

enum mpl_status lab_parse_on(const struct mpl_rules *base, const char *file,
                             const char *text, size_t bytes, struct mpl_arena *arena,
                             struct mpl_lint *lint, const struct mpl_rules **out,
                             struct mpl_err *err)
{
    return see(mpl_rules_parse(file, text, bytes, base, arena, lint, out, err), out, err);
}

enum mpl_status lab_load(const char *const *directories, size_t n)
{
    const struct mpl_rule_places places = { .directories = directories,
                                            .n_directories = n };

    the_lab.err = (struct mpl_err){ 0 };
    return see(
        mpl_rules_read(&places, the_lab.arena, the_lab.lint, &the_lab.rules, &the_lab.err),
        &the_lab.rules, &the_lab.err);
}

void lab_create(void)
{
    char *text = NULL;
    size_t bytes = 0;

    mpl_alloc_fail_after(-1);
    the_lab = (struct lab){ .arena = mpl_arena_create() };
    ck_assert_ptr_nonnull(the_lab.arena);
    the_lab.lint = mpl_lint_create(the_lab.arena);
    ck_assert_int_eq(mpl_file_read(lab_path("rules/vocabulary.clp"), 1 << 20, the_lab.arena,
                                   &text, &bytes, &the_lab.err),
                     MPL_OK);
    ck_assert_int_eq(lab_parse_on(NULL, "vocabulary.clp", text, bytes, the_lab.arena,
                                  the_lab.lint, &the_lab.vocabulary, &the_lab.err),
                     MPL_OK);
}

void lab_destroy(void)
{
    mpl_alloc_fail_after(-1);
    mpl_infer_destroy(the_lab.infer);
    mpl_arena_destroy(the_lab.arena);
    the_lab = (struct lab){ 0 };
}

enum mpl_status lab_parse(const char *text)
{
    the_lab.err = (struct mpl_err){ 0 };
    return lab_parse_on(the_lab.vocabulary, "t.clp", text, strlen(text), the_lab.arena,
                        the_lab.lint, &the_lab.rules, &the_lab.err);
}

void lab_open(const char *text, const struct mpl_infer_limits *limits)
{
    ck_assert_msg(lab_parse(text) == MPL_OK, "%s", the_lab.err.cause[0].text);
    ck_assert_int_eq(mpl_infer_create(the_lab.rules, limits, &the_lab.infer, &the_lab.err),
                     MPL_OK);
}

const char *lab_message(size_t i)
{
    if (i >= mpl_lint_count(the_lab.lint)) {
        return "";
    }

    const struct mpl_lint_message *m = mpl_lint_get(the_lab.lint, i);

    return mpl_arena_printf(the_lab.arena, "%s:%u: %s", m->place.file, m->place.line,
                            m->text);
}

void lab_expect_message(const char *text)
{
    for (size_t i = 0; i < mpl_lint_count(the_lab.lint); i++) {
        if (strcmp(lab_message(i), text) == 0) {
            return;
        }
    }
    ck_abort_msg("no message \"%s\"; the first of %zu is \"%s\"", text,
                 mpl_lint_count(the_lab.lint), lab_message(0));
}

static struct mpl_slot string_slot(const char *name, const char *text)
{
    return (struct mpl_slot){ .name = name, .kind = MPL_SLOT_STRING, .text = text };
}

void lab_give_pattern(const char *name)
{
    const struct mpl_slot slots[] = { string_slot("run", "r1"), string_slot("name", name) };

    ck_assert_int_eq(mpl_infer_assert(the_lab.infer, "pattern", slots, 2, &the_lab.err),
                     MPL_OK);
}

void lab_give_metric(const char *name, const char *location, double value)
{
    const struct mpl_slot slots[] = {
        string_slot("run", "r1"),
        string_slot("pattern", "p"),
        string_slot("name", name),
        string_slot("location", location),
        { .name = "value", .kind = MPL_SLOT_FLOAT, .number = value },
        string_slot("unit", "s"),
    };

    ck_assert_int_eq(mpl_infer_assert(the_lab.infer, "metric", slots, 6, &the_lab.err),
                     MPL_OK);
}
