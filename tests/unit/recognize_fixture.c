#include "config.h"

#include "recognize_fixture.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *traces_folder(void)
{
    const char *folder = getenv("MARPLE_TRACES");
    struct stat there;

    return folder != NULL && stat(folder, &there) == 0 ? folder : NULL;
}

static const struct mpl_events *events_of_model(struct mpl_model *model,
                                                struct mpl_arena *arena)
{
    const struct mpl_match *match;
    const struct mpl_clock *clock;
    const struct mpl_events *events;
    struct mpl_err err = { 0 };

    ck_assert_int_eq(mpl_match_create(model, arena, &match, &err), MPL_OK);
    ck_assert_int_eq(mpl_clock_correct(model, match, arena, &clock, &err), MPL_OK);
    ck_assert_int_eq(mpl_events_create(model, match, clock, arena, &events, &err), MPL_OK);
    return events;
}

const struct mpl_events *events_of_path(const char *path, struct mpl_arena *arena)
{
    struct mpl_model *model;
    struct mpl_err err = { 0 };

    ck_assert_msg(mpl_read(path, arena, NULL, &model, &err) == MPL_OK, "%s", path);
    return events_of_model(model, arena);
}

const struct mpl_events *events_of_text(const char *text, struct mpl_arena *arena)
{
    struct mpl_lint *lint = mpl_lint_create(arena);
    struct mpl_model *model;
    struct mpl_err err = { 0 };
    const enum mpl_status st =
        mpl_read_text("trace", text, strlen(text), arena, lint, &model, &err);

    ck_assert_msg(st == MPL_OK, "%s", messages_of(lint, arena));
    return events_of_model(model, arena);
}

const struct mpl_pattern *pattern_of_text(const char *text, struct mpl_arena *arena)
{
    struct mpl_lint *lint = mpl_lint_create(arena);
    const struct mpl_patterns *patterns = NULL;
    struct mpl_err err = { 0 };
    const enum mpl_status st = mpl_patterns_parse("p.yaml", text, strlen(text), NULL, arena,
                                                  lint, &patterns, &err);

    ck_assert_msg(st == MPL_OK, "%s", messages_of(lint, arena));
    return mpl_patterns_get(patterns, 0);
}

struct mpl_recognition *recognize(const struct mpl_pattern *pattern,
                                  const struct mpl_events *events, struct mpl_arena *arena)
{
    struct mpl_recognition *r = NULL;
    const char *reason = NULL;
    struct mpl_err err = { 0 };
    const enum mpl_status st =
        mpl_recognize(pattern, events, NULL, 0, arena, &r, &reason, &err);

    ck_assert_msg(st == MPL_OK, "%s", reason != NULL ? reason : err.cause[0].text);
    return r;
}

const char *messages_of(const struct mpl_lint *lint, struct mpl_arena *arena)
{
    const char *text = "";

    for (size_t i = 0; i < mpl_lint_count(lint); i++) {
        const struct mpl_lint_message *message = mpl_lint_get(lint, i);

        text = mpl_arena_printf(
            arena, "%s%u:%u: %s: %s\n", text, message->place.line, message->place.column,
            message->severity == MPL_LINT_ERROR ? "error" : "warning", message->text);
        ck_assert_ptr_nonnull(text);
    }
    return text;
}

size_t count_of(struct mpl_recognition *r, const char *event)
{
    const uint32_t number = mpl_pattern_find_event(mpl_recognition_pattern(r), event);

    ck_assert_msg(number != MPL_NONE, "no event %s", event);
    return mpl_recognition_count(r, number);
}

double value_of(struct mpl_recognition *r, const char *name, size_t i)
{
    const struct mpl_pattern *pattern = mpl_recognition_pattern(r);
    char event[64];
    const size_t n = strcspn(name, ".");

    ck_assert_uint_lt(n, sizeof event);
    memcpy(event, name, n);
    event[n] = '\0';

    const uint32_t number = mpl_pattern_find_event(pattern, event);

    ck_assert_msg(number != MPL_NONE, "no event %s", event);

    const uint32_t attribute = mpl_pattern_find_attribute(pattern, number, name + n + 1);

    ck_assert_msg(attribute != MPL_NONE, "no attribute %s", name);
    ck_assert_uint_lt(i, mpl_recognition_count(r, number));

    const double *column = mpl_recognition_column(r, number, attribute);

    ck_assert_ptr_nonnull(column);
    return column[i];
}
