/*
 * A search that stops where a pattern cannot explain enough any more, against the one to the end, on rings of ranks in which
 * chance decides which messages fit.
 */
#include "config.h"

#include "../lib/arena.h"
#include "../lib/suite.h"
#include "recognize/recognition_priv.h"
#include "recognize_fixture.h"

#include <stdlib.h>
#include <string.h>

/* Of so many rounds that threads share the ranks. */
enum { RANKS = 8, ROUNDS = 5000, STAR_ROUNDS = 15000, LINE_BYTES = 256 };

static unsigned draw(unsigned *state, unsigned n)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 16) % n;
}

/* In each round every rank sends to the next one, of 100 messages \p fitting ones 200 bytes and else 50. */
static const struct mpl_events *events_of_ring(unsigned fitting)
{
    char *text = MPL_NEW_ARRAY(arena, (size_t) RANKS * ROUNDS * LINE_BYTES, char);
    unsigned state = fitting + 1;
    size_t n = 0;

    ck_assert_ptr_nonnull(text);
    n += (size_t) sprintf(text, "# us\n");
    for (int rank = 0; rank < RANKS; rank++) {
        for (int round = 0; round < ROUNDS; round++) {
            const int at = 10 * round;

            n += (size_t) sprintf(text + n,
                                  "rank %d: compute %d..%d  send %d..%d to %d bytes %d  "
                                  "recv %d..%d from %d\n",
                                  rank, at, at + 2, at + 2, at + 3, (rank + 1) % RANKS,
                                  draw(&state, 100) < fitting ? 200 : 50, at + 6, at + 8,
                                  (rank + RANKS - 1) % RANKS);
        }
    }
    return events_of_text(text, arena);
}

/* In each round rank 0 sends to all others, to each one in turn bytes as above. */
static const struct mpl_events *events_of_star(unsigned fitting)
{
    const size_t n_most = (size_t) 2 * RANKS * STAR_ROUNDS * LINE_BYTES;
    char *text = MPL_NEW_ARRAY(arena, n_most, char);
    unsigned state = fitting + 1;
    size_t n = 0;

    ck_assert_ptr_nonnull(text);
    n += (size_t) sprintf(text, "# us\n");
    for (int i = 0; i < (RANKS - 1) * STAR_ROUNDS; i++) {
        const int rank = 1 + i % (RANKS - 1);

        n += (size_t) sprintf(text + n,
                              "rank 0: compute %d..%d  send %d..%d to %d bytes %d\n"
                              "rank %d: recv %d..%d from 0\n",
                              4 * i, 4 * i + 2, 4 * i + 2, 4 * i + 3, rank,
                              draw(&state, 100) < fitting ? 200 : 50, rank, 4 * i + 1,
                              4 * i + 4);
    }
    ck_assert_uint_lt(n, n_most);
    return events_of_text(text, arena);
}

static const char ring[] = "pattern: ring\n"
                           "says: All send to the next one.\n"
                           "roles:\n"
                           "  member: {count: many, where: \"sends >= 1\"}\n"
                           "events:\n"
                           "  Hop:\n"
                           "    on: member\n"
                           "    expression: take\n"
                           "    members: {take: {event: recv, from: member}}\n"
                           "    associated: {give: {match: take}}\n"
                           "    where: give.bytes > 100 B\n";
/* The same, but who sends explains both ends. */
static const char pushes[] = "pattern: pushes\n"
                             "says: All send to the next one.\n"
                             "roles:\n"
                             "  member: {count: many, where: \"sends >= 1\"}\n"
                             "events:\n"
                             "  Push:\n"
                             "    on: member\n"
                             "    expression: give\n"
                             "    members: {give: {event: send, to: member}}\n"
                             "    associated: {take: {match: give}}\n"
                             "    where: give.bytes > 100 B\n";
/* Messages at both ends of which chance decides, with an event that has another one as member. */
static const char runs[] = "pattern: runs\n"
                           "says: All send to the next one.\n"
                           "roles:\n"
                           "  member: {count: many, where: \"sends >= 1\"}\n"
                           "events:\n"
                           "  Give:\n"
                           "    on: member\n"
                           "    expression: give\n"
                           "    members: {give: {event: send, where: bytes > 100 B}}\n"
                           "  Pair:\n"
                           "    on: member\n"
                           "    expression: work one other\n"
                           "    members:\n"
                           "      work: {event: compute}\n"
                           "      one: {event: Give}\n"
                           "      other: {event: recv}\n"
                           "    associated: {given: {match: other}}\n"
                           "    where: given.bytes > 100 B\n";

/* Only leaves explain the other ends of messages: what they leave, the hub's event may not bring back. */
static const char star[] = "pattern: star\n"
                           "says: One sends to all others.\n"
                           "roles:\n"
                           "  hub: {count: 1, where: \"sends >= 1\"}\n"
                           "  leaf: {count: many, where: \"sends == 0\"}\n"
                           "events:\n"
                           "  Take:\n"
                           "    on: leaf\n"
                           "    expression: take\n"
                           "    members: {take: {event: recv, from: hub}}\n"
                           "    associated: {give: {match: take}}\n"
                           "    where: give.bytes > 100 B\n"
                           "  Large:\n"
                           "    on: hub\n"
                           "    expression: give\n"
                           "    members: {give: {event: send, to: leaf}}\n"
                           "    where: give.bytes > 100 B\n";

static struct mpl_recognition *recognize_needed(const struct mpl_pattern *pattern,
                                                const struct mpl_events *events,
                                                double needed)
{
    struct mpl_topology *topology;
    struct mpl_recognition *r = NULL;
    const char *reason;
    struct mpl_err err = { 0 };

    ck_assert_int_eq(mpl_topology_create(events, arena, &topology, &err), MPL_OK);
    ck_assert_int_eq(
        mpl_recognize_in(pattern, topology, NULL, 0, needed, arena, &r, &reason, &err),
        MPL_OK);
    return r;
}

/* With \p threads each has some locations; what comes out must be that of one. */
static void check_threads(const struct mpl_pattern *pattern,
                          const struct mpl_events *events, double needed,
                          const char *threads)
{
    ck_assert_int_eq(setenv("MARPLE_THREADS", "1", 1), 0);
    const struct mpl_recognition *one = recognize_needed(pattern, events, needed);
    ck_assert_int_eq(setenv("MARPLE_THREADS", threads, 1), 0);
    const struct mpl_recognition *many = recognize_needed(pattern, events, needed);

    ck_assert_int_eq(mpl_recognition_has_stopped(many), mpl_recognition_has_stopped(one));
    ck_assert_double_eq(mpl_recognition_message_coverage(many),
                        mpl_recognition_message_coverage(one));
    ck_assert_uint_eq(many->n_fitting, one->n_fitting);
    ck_assert_uint_eq(many->n_failing, one->n_failing);
    for (uint32_t event = 0; event < mpl_pattern_event_count(pattern); event++) {
        const size_t n = mpl_recognition_count(one, event);

        ck_assert_uint_eq(mpl_recognition_count(many, event), n);
        ck_assert_mem_eq(mpl_recognition_locations(many, event),
                         mpl_recognition_locations(one, event), n * sizeof(uint32_t));
    }
}

/* \p open: what of all may be left when a search is seen to be in vain. */
static void check_bounds(const char *text, const struct mpl_events *events, double open)
{
    const struct mpl_pattern *pattern = pattern_of_text(text, arena);
    const double all = mpl_recognition_message_coverage(recognize(pattern, events, arena));

    for (int tenths = 1; tenths <= 10; tenths++) {
        const double needed = tenths / 10.0;
        const struct mpl_recognition *r = recognize_needed(pattern, events, needed);
        const double coverage = mpl_recognition_message_coverage(r);

        if (tenths % 3 == 0) {
            check_threads(pattern, events, needed, tenths == 3 ? "8" : "3");
        }
        if (!mpl_recognition_has_stopped(r)) {
            ck_assert_double_eq(coverage, all);
            ck_assert_msg(needed <= all + open, "%g %% needed of %g %%", 100 * needed,
                          100 * all);
            continue;
        }
        ck_assert_double_ge(coverage, all);
        ck_assert_double_lt(coverage, needed);
        ck_assert_double_eq(mpl_recognition_fit(r), 1);
    }
}

START_TEST(search_that_stops_tells_a_true_upper_bound)
{
    const struct mpl_events *events = events_of_ring(20 * (unsigned) _i);

    check_bounds(ring, events, 0.2);
    check_bounds(pushes, events, 0.2);
}
END_TEST

START_TEST(instances_in_instances_are_found_before_a_search_stops)
{
    check_bounds(runs, events_of_ring(20 * (unsigned) _i), 0.2);
}
END_TEST

START_TEST(search_stops_before_the_location_that_has_most)
{
    const struct mpl_events *events = events_of_star(20 * (unsigned) _i);

    check_bounds(star, events, 0.5);
    const struct mpl_recognition *r =
        recognize_needed(pattern_of_text(star, arena), events, 0.85);

    ck_assert_int_eq(mpl_recognition_has_stopped(r), _i < 4);
    ck_assert_int_eq(r->is_searched[0], _i >= 4);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("recognize_stop");
    TCase *tcase = add_case(suite, "all", create_arena, destroy_arena);

    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, search_that_stops_tells_a_true_upper_bound, 0, 6);
    tcase_add_loop_test(tcase, instances_in_instances_are_found_before_a_search_stops, 0,
                        6);
    tcase_add_loop_test(tcase, search_stops_before_the_location_that_has_most, 0, 6);
    return run_suite(suite);
}
