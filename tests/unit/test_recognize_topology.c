/*
 * Variables of role formulas, on traces whose graphs are drawn beside them: every number can be
 * counted in the drawing. Times do not matter, only the order on each rank.
 */
#include "config.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/arena.h"
#include "../lib/suite.h"
#include "recognize_fixture.h"

/* A trace under construction: each message takes a slot of two microseconds of the run. */
struct story {
    const char *ranks[16];
    uint32_t n;
    int now_us;
};

static struct story story_of(uint32_t n)
{
    struct story story = { .n = n };

    for (uint32_t i = 0; i < n; i++) {
        story.ranks[i] = "";
    }
    return story;
}

static void say(struct story *story, uint32_t rank, const char *what, uint32_t peer)
{
    story->ranks[rank] = mpl_arena_printf(
        arena, "%srank %u: %s %d..%d %s %u\n", story->ranks[rank], rank, what,
        story->now_us, story->now_us + 1, what[0] == 's' ? "to" : "from", peer);
    ck_assert_ptr_nonnull(story->ranks[rank]);
    story->now_us++;
}

static void message(struct story *story, uint32_t from, uint32_t to, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        say(story, from, "send", to);
        say(story, to, "recv", from);
    }
}

static const struct mpl_events *events_of(const struct story *story)
{
    const char *text = "# us\n";

    for (uint32_t i = 0; i < story->n; i++) {
        text = mpl_arena_printf(arena, "%s%s", text, story->ranks[i]);
        ck_assert_ptr_nonnull(text);
    }
    return events_of_text(text, arena);
}

/* One value per rank, separated by blanks; "-" is undefined. All of them must hold. */
static void expect(const struct mpl_events *events, const char *variable,
                   const char *values)
{
    const char *at = values;
    uint32_t rank = 0;

    for (; *at != '\0'; rank++) {
        const int n = (int) strcspn(at, " ");
        const bool is_undefined = n == 1 && *at == '-';
        const char *condition =
            is_undefined ? mpl_arena_printf(arena, "not defined(%s)", variable)
                         : mpl_arena_printf(arena, "%s == %.*s", variable, n, at);
        const struct mpl_pattern *pattern = pattern_of_text(
            mpl_arena_printf(arena,
                             "pattern: p\nsays: S.\nroles:\n"
                             "  a: {count: 1, where: \"rank == %u and %s\"}\n",
                             rank, condition),
            arena);
        struct mpl_recognition *r;
        const char *reason = "";
        struct mpl_err err = { 0 };

        ck_assert_msg(mpl_recognize(pattern, events, NULL, 0, arena, &r, &reason, &err) ==
                          MPL_OK,
                      "%s", reason);
        at += n;
        at += strspn(at, " ");
    }
    ck_assert_uint_eq(rank, mpl_events_model(events)->n_processes);
}

/* 0 -> 1 -> 2 -> 3 -> 0 */
START_TEST(ring)
{
    struct story story = story_of(4);

    for (uint32_t i = 0; i < 4; i++) {
        message(&story, i, (i + 1) % 4, 3);
    }

    const struct mpl_events *events = events_of(&story);

    expect(events, "senders", "1 1 1 1");
    expect(events, "receivers", "1 1 1 1");
    expect(events, "degree", "2 2 2 2");
    expect(events, "mutual_share", "0 0 0 0");
    expect(events, "level", "0 1 2 3");
    expect(events, "children", "1 1 1 0");
    expect(events, "height", "3 2 1 0");
    expect(events, "stage", "- - - -");
    expect(events, "eccentricity", "2 2 2 2");
    expect(events, "edges", "4 4 4 4");
    expect(events, "components", "1 1 1 1");
}
END_TEST

/* 1 asks ten times, 2 and 3 once; 0 answers everybody twice. */
START_TEST(star)
{
    struct story story = story_of(4);

    message(&story, 1, 0, 10);
    message(&story, 2, 0, 1);
    message(&story, 3, 0, 1);
    for (uint32_t i = 1; i < 4; i++) {
        message(&story, 0, i, 2);
    }

    const struct mpl_events *events = events_of(&story);

    expect(events, "senders", "3 1 1 1");
    expect(events, "receivers", "3 1 1 1");
    expect(events, "degree", "3 1 1 1");
    /* 0: 2 * (2 + 1 + 1) of 18 messages; 1: 4 of 12; 2 and 3: 2 of 3. */
    expect(events, "(abs(mutual_share * 18 - 8) < 0.001)", "1 0 0 0");
    expect(events, "(abs(mutual_share * 12 - 4) < 0.001)", "0 1 0 0");
    expect(events, "(abs(mutual_share * 3 - 2) < 0.001)", "0 0 1 1");
    /* 0 received from 1 before it sent anything; 2 and 3 began by themselves. */
    expect(events, "level", "1 0 0 0");
    expect(events, "children", "0 1 0 0");
    expect(events, "height", "0 1 0 0");
    expect(events, "stage", "- - - -");
    expect(events, "eccentricity", "1 2 2 2");
    expect(events, "edges", "3 3 3 3");
}
END_TEST

/* 0 -> 1 -> 2 -> 3 twenty times, with a first message 0 -> 3 and a last one 3 -> 0. */
START_TEST(chain_with_strays)
{
    struct story story = story_of(4);

    message(&story, 0, 3, 1);
    for (uint32_t i = 0; i < 3; i++) {
        message(&story, i, i + 1, 20);
    }
    message(&story, 3, 0, 1);

    const struct mpl_events *events = events_of(&story);

    expect(events, "peers", "2 2 2 2");
    expect(events, "senders", "0 1 1 1");
    expect(events, "receivers", "1 1 1 0");
    expect(events, "degree", "1 2 2 1");
    expect(events, "stage", "0 1 2 3");
    /* The first message that 3 received came from 0. */
    expect(events, "level", "0 1 2 1");
    expect(events, "children", "2 1 0 0");
    expect(events, "height", "2 1 0 0");
    expect(events, "eccentricity", "3 2 2 3");
    expect(events, "edges", "3 3 3 3");
}
END_TEST

/*
 *   0 -> 1 -> 2      a wavefront: stage = row + column
 *   |    |    |
 *   3 -> 4 -> 5
 */
START_TEST(grid)
{
    struct story story = story_of(6);
    static const uint32_t arcs[][2] = { { 0, 1 }, { 1, 2 }, { 0, 3 }, { 1, 4 },
                                        { 2, 5 }, { 3, 4 }, { 4, 5 } };

    for (size_t i = 0; i < sizeof arcs / sizeof *arcs; i++) {
        message(&story, arcs[i][0], arcs[i][1], 2);
    }

    const struct mpl_events *events = events_of(&story);

    expect(events, "senders", "0 1 1 1 2 2");
    expect(events, "receivers", "2 2 1 1 1 0");
    expect(events, "degree", "2 3 2 2 3 2");
    expect(events, "stage", "0 1 2 1 2 3");
    expect(events, "eccentricity", "3 2 3 3 2 3");
    expect(events, "edges", "7 7 7 7 7 7");
}
END_TEST

/* The same grid with halo exchanges: nobody is first. */
START_TEST(exchanges_have_no_stages_and_are_mutual)
{
    struct story story = story_of(3);

    for (uint32_t i = 0; i < 3; i++) {
        message(&story, 0, 1, 1);
        message(&story, 1, 0, 1);
        message(&story, 1, 2, 1);
        message(&story, 2, 1, 1);
    }

    const struct mpl_events *events = events_of(&story);

    expect(events, "mutual_share", "1 1 1");
    expect(events, "stage", "- - -");
    expect(events, "degree", "1 2 1");
    expect(events, "edges", "2 2 2");
}
END_TEST

/*
 *         0          tasks go down, results come back
 *      1     2
 *     3 4   5 6
 */
START_TEST(binary_tree)
{
    struct story story = story_of(7);

    for (uint32_t i = 0; i < 3; i++) {
        message(&story, i, 2 * i + 1, 1);
        message(&story, i, 2 * i + 2, 1);
    }
    for (uint32_t i = 3; i-- > 0;) {
        message(&story, 2 * i + 1, i, 1);
        message(&story, 2 * i + 2, i, 1);
    }

    const struct mpl_events *events = events_of(&story);

    expect(events, "level", "0 1 1 2 2 2 2");
    expect(events, "children", "2 2 2 0 0 0 0");
    expect(events, "height", "2 1 1 0 0 0 0");
    expect(events, "degree", "2 3 3 1 1 1 1");
    expect(events, "mutual_share", "1 1 1 1 1 1 1");
    expect(events, "eccentricity", "2 3 3 4 4 4 4");
    expect(events, "edges", "6 6 6 6 6 6 6");
    expect(events, "components", "1 1 1 1 1 1 1");
}
END_TEST

/* 0 -> 1, 2 -> 3, and 4 synchronises with nobody. */
START_TEST(parts_that_do_not_talk_are_components)
{
    struct story story = story_of(5);

    message(&story, 0, 1, 2);
    message(&story, 2, 3, 2);
    say(&story, 4, "send", 4);
    say(&story, 4, "recv", 4);

    const struct mpl_events *events = events_of(&story);

    expect(events, "components", "3 3 3 3 3");
    expect(events, "eccentricity", "- - - - -");
    expect(events, "edges", "2 2 2 2 2");
    expect(events, "degree", "1 1 1 1 0");
    expect(events, "mutual_share", "0 0 0 0 -");
    expect(events, "stage", "0 1 0 1 0");
    expect(events, "level", "0 1 0 1 0");
}
END_TEST

/* 3 has only ever sent one message to 0, which has a hundred: it still belongs to it. */
START_TEST(stray_of_one_end_may_be_all_of_the_other)
{
    struct story story = story_of(4);

    message(&story, 1, 0, 25);
    message(&story, 2, 0, 25);
    message(&story, 3, 0, 1);

    const struct mpl_events *events = events_of(&story);

    expect(events, "senders", "2 0 0 0");
    expect(events, "receivers", "0 1 1 1");
    expect(events, "edges", "3 3 3 3");
    expect(events, "components", "1 1 1 1");
    expect(events, "stage", "1 0 0 0");
}
END_TEST

/*
 *            2
 *   0 -> 1 =   -> 4 = 5      Items go away from 0; 2 and 3 ask 1 for them, and 5 asks 4.
 *            3
 */
START_TEST(requests_are_no_flow)
{
    struct story story = story_of(6);

    message(&story, 0, 1, 8);
    for (uint32_t worker = 2; worker < 4; worker++) {
        message(&story, worker, 1, 5);
        message(&story, 1, worker, 4);
        message(&story, worker, 4, 4);
    }
    message(&story, 5, 4, 9);
    message(&story, 4, 5, 8);

    const struct mpl_events *events = events_of(&story);

    expect(events, "stage", "0 1 2 2 3 4");
    expect(events, "asks", "0 0 5 5 0 9");
    expect(events, "asked", "0 10 0 0 9 0");
}
END_TEST

/* 0 -> 1 = 2, 3 and 1 -> 4: what 2 and 3 send back to 1 goes on to 4. */
START_TEST(results_are_no_requests)
{
    struct story story = story_of(5);

    message(&story, 0, 1, 8);
    for (uint32_t worker = 2; worker < 4; worker++) {
        message(&story, 1, worker, 4);
        message(&story, worker, 1, 4);
    }
    message(&story, 1, 4, 8);

    const struct mpl_events *events = events_of(&story);

    expect(events, "stage", "0 - - - -");
    expect(events, "asks", "0 0 0 0 0");
    expect(events, "asked", "0 0 0 0 0");
}
END_TEST

/*
 * 0 -> 1 = 2 <- 3: 1 must give to 2, and 2 to 1, so nothing is known.
 * 0 -> 1 = 2: what 1 gets must go to 2, but 2 sends more than it could ask for.
 */
START_TEST(contradictions_and_many_questions_are_no_requests)
{
    struct story story = story_of(4);

    message(&story, 0, 1, 8);
    message(&story, 3, 2, 8);
    message(&story, 1, 2, 8);
    message(&story, 2, 1, 8);
    expect(events_of(&story), "asks", "0 0 0 0");

    story = story_of(3);
    message(&story, 0, 1, 8);
    message(&story, 1, 2, 4);
    message(&story, 2, 1, 20);
    expect(events_of(&story), "asks", "0 0 0");
    expect(events_of(&story), "stage", "0 - -");
}
END_TEST

/* A tracer that does not record what completes in MPI_Waitall: what both send must do. */
START_TEST(answers_are_known_from_sends_alone)
{
    static const char trace[] = "# us\n"
                                "rank 0: isend 0..1 to 1 as a  waitall 1..2 for a  isend "
                                "2..3 to 1 as a  waitall 3..4 for a\n"
                                "rank 1: isend 0..1 to 0 as a  waitall 1..2 for a  isend "
                                "2..3 to 2 as a  waitall 3..4 for a\n"
                                "rank 2: compute 0..4  barrier 4..5\n";

    /* 0 sends two to 1 and gets one; 1 gives another one to 2. */
    expect(events_of_text(trace, arena), "(abs(mutual_share * 12 - 8) < 0.001)", "1 0 0");
    expect(events_of_text(trace, arena), "(abs(mutual_share * 4 - 2) < 0.001)", "0 1 0");
}
END_TEST

/* ---- coverage ------------------------------------------------------------------------------ */

/*
 * Two messages and two barriers: of eight ends the messages' are half. What lies before or behind a
 * member is context and explains nothing, nor does what is reached from there.
 */
START_TEST(coverage_counts_collectives_like_message_ends)
{
    static const char trace[] = "# us\n"
                                "rank 0: compute 0..10  send 10..11 to 1  barrier 11..20\n"
                                "rank 0: compute 20..30  send 30..31 to 1  barrier 31..40\n"
                                "rank 1: recv 0..11 from 0  barrier 11..20\n"
                                "rank 1: recv 20..31 from 0  barrier 31..40\n";
    static const char roles[] = "pattern: p\nsays: S.\nroles:\n  a: {count: many}\n"
                                "events:\n  E:\n    on: a\n";
    static const struct {
        const char *event;
        double coverage;
    } cases[] = {
        { "    expression: m\n    members:\n      m: {event: p2p}\n", 0.5 },
        { "    expression: m\n    members:\n      m: {event: barrier}\n", 0.5 },
        { "    expression: m\n    members:\n      m: {event: call}\n", 1 },
        { "    expression: m b\n    members:\n      m: {event: send}\n"
          "      b: {event: collective}\n",
          0.5 },
        { "    expression: m\n    members:\n      m: {event: send}\n"
          "    associated:\n      b: {next: m, event: barrier}\n",
          0.25 },
        { "    expression: m\n    members:\n      m: {event: send}\n"
          "    associated:\n      r: {match: m}\n      l: {next: m, event: send}\n"
          "      k: {match: l}\n",
          0.5 },
        { "    expression: m\n    members:\n      m: {event: reduce}\n", 0 },
    };
    const struct mpl_events *events = events_of_text(trace, arena);

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mpl_recognition *r = recognize(
            pattern_of_text(mpl_arena_printf(arena, "%s%s", roles, cases[i].event), arena),
            events, arena);

        ck_assert_double_eq_tol(mpl_recognition_message_coverage(r), cases[i].coverage,
                                1e-12);
    }
}
END_TEST

/* Every allocation fails once. */
START_TEST(topology_without_memory_fails_and_leaks_nothing)
{
    struct story story = story_of(4);
    const char *const text =
        "pattern: p\nsays: S.\nroles:\n"
        "  a: {count: 1, where: \"eccentricity >= 0 and level >= 0\"}\n";
    enum mpl_status st = MPL_E_NOMEM;

    for (uint32_t i = 0; i < 4; i++) {
        message(&story, i, (i + 1) % 4, 3);
    }

    const struct mpl_events *events = events_of(&story);
    const struct mpl_pattern *pattern = pattern_of_text(text, arena);

    for (long n = 0; fails_without_memory(n, st); n++) {
        struct mpl_arena *own = mpl_arena_create();
        struct mpl_recognition *r = NULL;
        const char *reason;
        struct mpl_err err = { 0 };

        ck_assert_ptr_nonnull(own);
        mpl_alloc_fail_after(n);
        st = mpl_recognize(pattern, events, NULL, 0, own, &r, &reason, &err);
        mpl_alloc_fail_after(-1);
        ck_assert_int_eq(r != NULL, st == MPL_OK);
        mpl_arena_destroy(own);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("recognize topology");
    TCase *tcase = add_case(suite, "variables", create_arena, destroy_arena);

    tcase_add_test(tcase, ring);
    tcase_add_test(tcase, star);
    tcase_add_test(tcase, chain_with_strays);
    tcase_add_test(tcase, grid);
    tcase_add_test(tcase, exchanges_have_no_stages_and_are_mutual);
    tcase_add_test(tcase, binary_tree);
    tcase_add_test(tcase, parts_that_do_not_talk_are_components);
    tcase_add_test(tcase, stray_of_one_end_may_be_all_of_the_other);
    tcase_add_test(tcase, requests_are_no_flow);
    tcase_add_test(tcase, results_are_no_requests);
    tcase_add_test(tcase, contradictions_and_many_questions_are_no_requests);
    tcase_add_test(tcase, answers_are_known_from_sends_alone);
    tcase_add_test(tcase, coverage_counts_collectives_like_message_ends);
    tcase_add_test(tcase, topology_without_memory_fails_and_leaks_nothing);
    return run_suite(suite);
}
