/*
 * Attributes that several threads find, each for some of the instances, against those that one finds: on rings of ranks whose
 * messages have sizes by chance.
 */
#include "config.h"

#include "../lib/arena.h"
#include "../lib/draw.h"
#include "../lib/suite.h"
#include "recognize/recognition_priv.h"
#include "recognize_fixture.h"

#include <stdlib.h>
#include <string.h>

/* Of so many rounds that threads share the hops of all ranks. */
enum { RANKS = 4, ROUNDS = 8000, LINE_BYTES = 256, REFUSED_MOST = 400 };

static const struct mpl_events *events_of_ring(void)
{
    char *text = MPL_NEW_ARRAY(arena, (size_t) RANKS * ROUNDS * LINE_BYTES, char);
    size_t n = 0;

    ck_assert_ptr_nonnull(text);
    draw_from(7);
    n += (size_t) sprintf(text, "# us\n");
    for (int rank = 0; rank < RANKS; rank++) {
        for (int round = 0; round < ROUNDS; round++) {
            const int at = 20 * round;
            const int late = (int) draw(6);

            n += (size_t) sprintf(text + n,
                                  "rank %d: compute %d..%d  send %d..%d to %d bytes %d  "
                                  "recv %d..%d from %d\n",
                                  rank, at, at + 2 + late, at + 2 + late, at + 3 + late,
                                  (rank + 1) % RANKS, (int) draw(200), at + 4 + late,
                                  at + 13, (rank + RANKS - 1) % RANKS);
        }
    }
    return events_of_text(text, arena);
}

/* Values of spans and lists, of links along locations and to other ones, and of other instances, some of them needed only at the end. */
static const char ring[] =
    "pattern: ring\n"
    "says: All send to the next one.\n"
    "roles:\n"
    "  member: {count: many, where: \"sends >= 1\"}\n"
    "events:\n"
    "  Give:\n"
    "    on: member\n"
    "    expression: \"work+ give\"\n"
    "    members: {work: {event: compute}, give: {event: send, to: member}}\n"
    "    associated: {next: {next: give, event: send, where: bytes > give.bytes}}\n"
    "    attributes:\n"
    "      work: {value: sum(work.duration), unit: s, says: Computing.}\n"
    "      more: {value: \"default(next.place, 0) - give.place\", unit: 1, says: Until a "
    "larger one.}\n"
    "      size: {value: give.bytes, unit: B, says: Sent.}\n"
    "  Hop:\n"
    "    on: member\n"
    "    expression: take\n"
    "    members: {take: {event: recv, from: member}}\n"
    "    associated:\n"
    "      give: {match: take}\n"
    "      given: {containing: give, instance: Give}\n"
    "      large: {previous: give, event: send, where: bytes > 100 B}\n"
    "      last: {previous: large, event: recv}\n"
    "      hop: {containing: last, instance: Hop}\n"
    "    where: \"default(large.place, 0) >= 0 and default(last.place, 0) >= 0\"\n"
    "    attributes:\n"
    "      wait: {value: take.wait, unit: s, says: For the message.}\n"
    "      work: {value: given.work, unit: s, says: Of the sender.}\n"
    "      before: {value: \"default(hop.wait, 0 s)\", unit: s, says: Of the sender.}\n"
    "      late: {value: \"take.enter > 0.15 s ? given.more : 0\", unit: 1, says: At the "
    "end.}\n";

/* An attribute of a new recognition, with so many threads. */
static const double *column(const struct mpl_pattern *pattern,
                            const struct mpl_events *events, const char *threads,
                            uint32_t event, uint32_t attribute, size_t *n)
{
    ck_assert_int_eq(setenv("MARPLE_THREADS", threads, 1), 0);

    struct mpl_recognition *r = recognize(pattern, events, arena);

    *n = mpl_recognition_count(r, event);
    for (uint32_t a = 0; a < attribute; a++) {
        mpl_recognition_want(r, event, a);
    }
    return mpl_recognition_column(r, event, attribute);
}

static bool varies(const double *values, size_t n)
{
    size_t i = 1;

    while (i < n && values[i] == values[0]) {
        i++;
    }
    return i < n;
}

START_TEST(columns_are_the_same_however_many_threads_make_them)
{
    const struct mpl_pattern *pattern = pattern_of_text(ring, arena);
    const struct mpl_events *events = events_of_ring();

    for (uint32_t event = 0; event < 2; event++) {
        for (uint32_t a = 0; a < pattern->events[event].n_attributes; a++) {
            size_t n_one;
            size_t n_many;
            const double *one = column(pattern, events, "1", event, a, &n_one);
            const double *many =
                column(pattern, events, _i == 0 ? "2" : "5", event, a, &n_many);

            ck_assert_uint_eq(n_one, (size_t) RANKS * ROUNDS);
            ck_assert_uint_eq(n_many, n_one);
            ck_assert_mem_eq(many, one, n_one * sizeof *one);
            ck_assert_msg(varies(one, n_one), "attribute %u of event %u", a, event);
        }
    }
}
END_TEST

/* How many gives there are is the same for all that look alike; when the last one was, is not, unless there is none. */
static const char answers[] =
    "pattern: answers\n"
    "says: Some messages are answered.\n"
    "roles:\n"
    "  member: {count: many, where: \"receives >= 4\"}\n"
    "events:\n"
    "  Answer:\n"
    "    on: member\n"
    "    expression: \"take (gap+ give)*\"\n"
    "    members: {take: {event: recv}, gap: {event: compute}, give: {event: send}}\n"
    "    attributes:\n"
    "      gives: {value: count(give.enter), unit: 1, says: Messages given.}\n"
    "      twice: {value: 2 * gives, unit: 1, says: Likewise.}\n"
    "      last: {value: \"default(max(give.leave), -1 s)\", unit: s, says: Until when.}\n"
    "      until: {value: \"default(max(give.leave), leave)\", unit: s, says: The same.}\n";

START_TEST(only_what_follows_from_a_shape_is_the_same_for_all_of_it)
{
    const struct mpl_pattern *pattern = pattern_of_text(answers, arena);
    const struct mpl_events *events = events_of_text(
        "# s\n"
        "rank 0: send 0..1 to 1  send 1..2 to 1  send 2..3 to 1  send 3..4 to 1\n"
        "rank 0: send 4..5 to 1  recv 10..20 from 1  recv 20..30 from 1  recv 30..40 from "
        "1\n"
        "rank 0: recv 40..50 from 1\n"
        "rank 1: recv 0..6 from 0  compute 6..7  send 7..8 to 0  recv 8..9 from 0\n"
        "rank 1: compute 9..11  send 11..13 to 0  recv 13..14 from 0  recv 14..16 from 0\n"
        "rank 1: recv 16..17 from 0  compute 17..18  send 18..19 to 0  compute 19..20  "
        "send "
        "20..21 to 0\n",
        arena);
    static const double expected[][5] = {
        { 1, 1, 0, 0, 2 },
        { 2, 2, 0, 0, 4 },
        { 8, 13, -1, -1, 21 },
        { 8, 13, 14, 16, 21 },
    };

    for (uint32_t a = 0; a < 4; a++) {
        size_t n;
        const double *values = column(pattern, events, "1", 0, MPL_OWN_ATTRIBUTES + a, &n);

        ck_assert_uint_eq(n, 9);
        ck_assert_mem_eq(values + 4, expected[a], sizeof expected[a]);
    }
}
END_TEST

/* Between its send and its receive everybody computes: without the instance nobody would know where to stop. */
static const char since[] =
    "pattern: since\n"
    "says: All send to the next one.\n"
    "roles:\n"
    "  member: {count: many, where: \"sends >= 1\"}\n"
    "events:\n"
    "  Give:\n"
    "    on: member\n"
    "    expression: give\n"
    "    members: {give: {event: send, to: member}}\n"
    "  Hop:\n"
    "    on: member\n"
    "    expression: take\n"
    "    members: {take: {event: recv, from: member}}\n"
    "    associated:\n"
    "      before: {previous: take, event: send}\n"
    "      given: {containing: before, instance: Give}\n"
    "      between: {previous: take, event: compute, since: given}\n"
    "    where: between.duration > 0 s\n";

START_TEST(links_end_at_instances_that_are_found_before)
{
    const struct mpl_pattern *pattern = pattern_of_text(since, arena);
    const struct mpl_events *events = events_of_ring();

    ck_assert_int_eq(setenv("MARPLE_THREADS", _i == 0 ? "1" : "3", 1), 0);
    ck_assert_uint_eq(count_of(recognize(pattern, events, arena), "Hop"),
                      (size_t) RANKS * ROUNDS);
}
END_TEST

/* Which thread gets no memory is chance: then there is no column, and else it is the right one. */
START_TEST(without_memory_there_is_no_column)
{
    const struct mpl_pattern *pattern = pattern_of_text(ring, arena);
    const struct mpl_events *events = events_of_ring();
    const uint32_t last = pattern->events[1].n_attributes - 1;
    size_t n;
    const double *right = column(pattern, events, "1", 1, last, &n);
    int refused = 0;
    const double *made = NULL;

    ck_assert_int_eq(setenv("MARPLE_THREADS", "3", 1), 0);
    for (; made == NULL && refused < REFUSED_MOST; refused++) {
        struct mpl_arena *own = mpl_arena_create();

        ck_assert_ptr_nonnull(own);
        struct mpl_recognition *r = recognize(pattern, events, own);

        mpl_alloc_fail_after(refused);
        made = mpl_recognition_column(r, 1, last);
        mpl_alloc_fail_after(-1);
        mpl_arena_absorb(arena, own);
    }
    ck_assert_int_gt(refused, 5);
    ck_assert_ptr_nonnull(made);
    ck_assert_mem_eq(made, right, n * sizeof *made);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("recognize_columns");
    TCase *tcase = add_case(suite, "all", create_arena, destroy_arena);

    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, columns_are_the_same_however_many_threads_make_them, 0, 2);
    tcase_add_test(tcase, only_what_follows_from_a_shape_is_the_same_for_all_of_it);
    tcase_add_loop_test(tcase, links_end_at_instances_that_are_found_before, 0, 2);
    tcase_add_test(tcase, without_memory_there_is_no_column);
    return run_suite(suite);
}
