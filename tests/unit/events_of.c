#include "config.h"

#include "events_of.h"

#include <check.h>
#include <string.h>

#include "read/read.h"

struct mpl_model *model_of_text(const char *text, struct mpl_arena *arena)
{
    struct mpl_lint *lint = mpl_lint_create(arena);
    struct mpl_model *model = NULL;
    struct mpl_err err = { 0 };

    ck_assert_ptr_nonnull(lint);
    ck_assert_msg(
        mpl_read_text("t.trace", text, strlen(text), arena, lint, &model, &err) == MPL_OK,
        "%s\n%s",
        mpl_lint_count(lint) > 0 ? mpl_lint_get(lint, 0)->text : err.cause[0].text, text);
    return model;
}

const struct mpl_events *events_of_model(struct mpl_model *model, struct mpl_arena *arena)
{
    const struct mpl_match *match = NULL;
    const struct mpl_clock *clock = NULL;
    const struct mpl_events *events = NULL;

    ck_assert_int_eq(mpl_match_create(model, arena, &match, NULL), MPL_OK);
    ck_assert_int_eq(mpl_clock_correct(model, match, NULL, NULL, arena, &clock, NULL),
                     MPL_OK);
    ck_assert_int_eq(mpl_events_create(model, match, clock, arena, &events, NULL), MPL_OK);
    return events;
}

const struct mpl_events *events_of_text(const char *text, struct mpl_arena *arena)
{
    return events_of_model(model_of_text(text, arena), arena);
}

const struct mpl_events *find_events_of_path(const char *path, struct mpl_arena *arena)
{
    struct mpl_model *model = NULL;

    return mpl_read(path, arena, NULL, &model, NULL) == MPL_OK
               ? events_of_model(model, arena)
               : NULL;
}

const struct mpl_events *events_of_path(const char *path, struct mpl_arena *arena)
{
    const struct mpl_events *events = find_events_of_path(path, arena);

    ck_assert_msg(events != NULL, "%s", path);
    return events;
}
