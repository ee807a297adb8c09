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
    ck_assert_int_eq(mpl_rules_parse("vocabulary.clp", text, bytes, NULL, the_lab.arena,
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
    return mpl_rules_parse("t.clp", text, strlen(text), the_lab.vocabulary, the_lab.arena,
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
