#include "config.h"

#include "recognize_fixture.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

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

static const char roles[] =
    "pattern: farm\n"
    "says: A boss and his hands.\n"
    "roles:\n"
    "  boss: {count: 1, where: peers >= 2, score: messages}\n"
    "  hand: {count: many, at_least: 2, where: share_with.boss > 0.5}\n"
    "events:\n";

const struct mpl_pattern *farm(const char *events, struct mpl_arena *arena)
{
    return pattern_of_text(mpl_arena_printf(arena, "%s%s", roles, events), arena);
}

/*
 * Rank 0 takes a request, thinks, gives a task; ranks 1 and 2 ask, wait, work and deliver.
 *
 *   0  ....|take1|think|give1|take2|think|give2|..|take 1||take 2|
 *        0 10    12    20   22    23    31    33  40     41  45  46
 *   1  ..|ask|wait       |get|=====work====|done|
 *        5   6            22               39  40
 *   2  .....|ask|wait             |get|=work=|done|
 *           8   9                  33      44  45
 */
const char drawing[] = "# us\n"
                       "rank 0: compute 0..10  recv 10..12 from 1 tag 1 bytes 8\n"
                       "rank 0: compute 12..20 in think  send 20..22 to 1 tag 2 bytes 100\n"
                       "rank 0: recv 22..23 from 2 tag 1 bytes 8  compute 23..31 in think\n"
                       "rank 0: send 31..33 to 2 tag 2 bytes 200  compute 33..40\n"
                       "rank 0: recv 40..41 from 1 tag 3 bytes 50  compute 41..45\n"
                       "rank 0: recv 45..46 from 2 tag 3 bytes 60\n"
                       "rank 1: compute 0..5  send 5..6 to 0 tag 1 bytes 8\n"
                       "rank 1: recv 6..22 from 0 tag 2 bytes 100  compute 22..39 in work\n"
                       "rank 1: send 39..40 to 0 tag 3 bytes 50\n"
                       "rank 2: compute 0..8  send 8..9 to 0 tag 1 bytes 8\n"
                       "rank 2: recv 9..33 from 0 tag 2 bytes 200  compute 33..44 in work\n"
                       "rank 2: send 44..45 to 0 tag 3 bytes 60  compute 45..46\n";
