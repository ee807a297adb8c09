/* What must have come before what, in formulas and beside &. */
#include "config.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/arena.h"
#include "../lib/suite.h"
#include "../lib/traces.h"
#include "recognize/recognition_priv.h"
#include "recognize_fixture.h"

/* Two processes give each other something; 2 hears of it from 1 when all is over. */
static const char exchange[] =
    "# us\n"
    "rank 0: compute 0..10  send 10..11 to 1  compute 11..20  recv 20..22 from 1\n"
    "rank 0: compute 22..30  barrier 30..41\n"
    "rank 1: compute 0..10  send 10..11 to 0  compute 11..20  recv 20..22 from 0\n"
    "rank 1: compute 22..30  barrier 30..41  send 41..42 to 2\n"
    "rank 2: compute 0..40  barrier 40..41  recv 41..43 from 1\n";

static const char head[] = "pattern: p\n"
                           "says: s\n"
                           "minimum_coverage: 0\n"
                           "roles:\n"
                           "  member: {count: many, where: peers >= 1}\n"
                           "  last: {count: 1, where: rank == 2}\n"
                           "events:\n";

static const struct mpl_pattern *pattern(const char *events)
{
    return pattern_of_text(mpl_arena_printf(arena, "%s%s", head, events), arena);
}

/* ---- formulas ------------------------------------------------------------------------------ */

#define GIVE \
    "  Give:\n" \
    "    on: member\n" \
    "    expression: before give after get rest\n" \
    "    members:\n" \
    "      before: {event: compute}\n" \
    "      give: {event: send}\n" \
    "      after: {event: compute}\n" \
    "      get: {event: recv}\n" \
    "      rest: {event: compute}\n" \
    "    associated:\n" \
    "      got: {match: give}\n" \
    "      used: {next: got, event: compute}\n" \
    "      meet: {next: rest, event: barrier}\n" \
    "      met: {next: got, event: barrier}\n" \
    "      none: {previous: before, event: send}\n"

START_TEST(formulas_say_what_must_have_come_first)
{
    static const char attributes[] =
        "    attributes:\n"
        "      a: {value: 'precedes(before, used)', unit: 1}\n"
        "      b: {value: 'precedes(used, before)', unit: 1}\n"
        "      c: {value: 'concurrent(before, used)', unit: 1}\n"
        "      d: {value: 'concurrent(rest, used)', unit: 1}\n"
        "      e: {value: 'precedes(give, got)', unit: 1}\n"
        "      f: {value: 'concurrent(meet, met)', unit: 1}\n"
        "      g: {value: 'precedes(before, rest)', unit: 1}\n"
        "      h: {value: 'concurrent(none, rest)', unit: 1}\n"
        "      i: {value: 'concurrent(rest, rest)', unit: 1}\n"
        "      j: {value: 'precedes(before, met) and not concurrent(after, get)', unit: "
        "1}\n";
    static const double expected[] = { 1, 0, 0, 1, 1, 1, 1, NAN, 1, 1 };
    const struct mpl_events *events = events_of_text(exchange, arena);
    struct mpl_recognition *r = recognize(
        pattern(mpl_arena_printf(arena, "%s%s", GIVE, attributes)), events, arena);
    char name[] = "Give.a";

    ck_assert_uint_eq(count_of(r, "Give"), 2);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        name[5] = (char) ('a' + i);
        for (size_t k = 0; k < 2; k++) {
            const double value = value_of(r, name, k);

            ck_assert_msg(isnan(expected[i]) ? isnan(value) : value == expected[i],
                          "%s is %g", name, value);
        }
    }
}
END_TEST

START_TEST(conditions_may_ask)
{
    const struct mpl_events *events = events_of_text(exchange, arena);

    ck_assert_uint_eq(count_of(recognize(pattern(GIVE "    where: precedes(give, used)\n"),
                                         events, arena),
                               "Give"),
                      2);
    ck_assert_uint_eq(count_of(recognize(pattern(GIVE "    where: precedes(used, give)\n"),
                                         events, arena),
                               "Give"),
                      0);
}
END_TEST

START_TEST(nothing_is_made_unless_somebody_asks)
{
    const struct mpl_events *events = events_of_text(exchange, arena);
    const struct mpl_precedences *made = mpl_events_precedences(events);

    (void) recognize(pattern(GIVE), events, arena);
    ck_assert(!mpl_precedences_are_made(made));
    (void) recognize(pattern(GIVE "    where: precedes(give, used)\n"), events, arena);
    ck_assert(mpl_precedences_are_made(made));
}
END_TEST

/* ---- members elsewhere ------------------------------------------------------------------------ */

#define WORK \
    "  Work:\n" \
    "    on: member\n" \
    "    expression: work\n" \
    "    members:\n" \
    "      work: {event: compute, where: duration > 0}\n" \
    "    attributes:\n" \
    "      place: {value: work.place, unit: 1}\n"
#define BOTH(expression, members) \
    "  Both:\n" \
    "    on: member\n" \
    "    expression: \"" expression "\"\n" \
    "    members:\n" \
    "      mine: {event: Work}\n" members "    attributes:\n" \
    "      rank: {value: theirs.location, unit: 1}\n" \
    "      theirs: {value: theirs.index, unit: 1}\n" \
    "      mine: {value: mine.index, unit: 1}\n"
#define THEIRS "      theirs: {event: Work, on: member}\n"

START_TEST(a_member_elsewhere_is_the_first_that_is_concurrent)
{
    const struct mpl_events *events = events_of_text(exchange, arena);
    struct mpl_recognition *r =
        recognize(pattern(WORK BOTH("mine & theirs", THEIRS)), events, arena);

    /* Three computations of 0 and of 1, and one of 2. */
    ck_assert_uint_eq(count_of(r, "Work"), 7);
    ck_assert_uint_eq(count_of(r, "Both"), 7);
    /* Each of 0 comes after another one of 1 than the one before. */
    ck_assert_double_eq(value_of(r, "Both.rank", 0), 1);
    ck_assert_double_eq(value_of(r, "Both.theirs", 0), 0);
    ck_assert_double_eq(value_of(r, "Both.theirs", 1), 0);
    ck_assert_double_eq(value_of(r, "Both.theirs", 2), 1);
    /* What follows 1 is 2, and 0 what follows 2. */
    ck_assert_double_eq(value_of(r, "Both.rank", 3), 2);
    ck_assert_double_eq(value_of(r, "Both.rank", 6), 0);
}
END_TEST

START_TEST(calls_of_one_barrier_are_concurrent)
{
    const struct mpl_events *events = events_of_text(exchange, arena);
    static const char meetings[] = "  Meet:\n"
                                   "    on: last\n"
                                   "    expression: meet\n"
                                   "    members:\n"
                                   "      meet: {event: barrier}\n"
                                   "  Both:\n"
                                   "    on: member\n"
                                   "    expression: \"rest (mine & theirs) tail?\"\n"
                                   "    members:\n"
                                   "      rest: {event: compute, where: duration > 0}\n"
                                   "      mine: {event: barrier}\n"
                                   "      tail: {event: compute}\n"
                                   "      theirs: {event: Meet}\n"
                                   "    associated:\n"
                                   "      heard: {next: theirs, event: recv}\n"
                                   "    attributes:\n"
                                   "      heard: {value: heard.peer, unit: 1}\n"
                                   "      rank: {value: theirs.location, unit: 1}\n";
    struct mpl_recognition *r = recognize(pattern(meetings), events, arena);

    /* 2 is alone in its role: it has no partner. */
    ck_assert_uint_eq(count_of(r, "Both"), 2);
    for (size_t i = 0; i < 2; i++) {
        ck_assert_double_eq(value_of(r, "Both.rank", i), 2);
        ck_assert_double_eq(value_of(r, "Both.heard", i), 1);
    }
}
END_TEST

static const char token[] =
    "# us\n"
    "rank 0: compute 0..20  send 20..21 to 1  recv 21..64 from 2  compute 64..84\n"
    "rank 1: recv 0..22 from 0  compute 22..42  send 42..43 to 2\n"
    "rank 2: recv 0..44 from 1  compute 44..62  send 62..63 to 0\n";

START_TEST(where_nothing_is_concurrent_there_is_no_match_unless_it_is_optional)
{
    const struct mpl_events *events = events_of_text(token, arena);
    struct mpl_recognition *r =
        recognize(pattern(WORK BOTH("mine & theirs", THEIRS)), events, arena);

    ck_assert_uint_eq(count_of(r, "Both"), 0);
    /* Nothing was wrong with them, either. */
    ck_assert_uint_eq(r->n_failing, 0);
    r = recognize(pattern(WORK BOTH("theirs? & mine", THEIRS)), events, arena);
    ck_assert_uint_eq(count_of(r, "Both"), 4);
    ck_assert_double_nan(value_of(r, "Both.rank", 0));
}
END_TEST

START_TEST(what_is_not_known_is_no_answer)
{
    static const char asked[] = WORK BOTH("mine & theirs", THEIRS) GIVE
        "    attributes:\n"
        "      before: {value: 'precedes(before, used)', unit: 1}\n"
        "      after: {value: 'precedes(used, before)', unit: 1}\n"
        "      same: {value: 'concurrent(before, used)', unit: 1}\n"
        "      rest: {value: 'concurrent(rest, used)', unit: 1}\n"
        "      not: {value: 'precedes(rest, used)', unit: 1}\n"
        "      plain: {value: give.peer, unit: 1}\n";
    const struct mpl_events *events = events_of_text(exchange, arena);

    ((struct mpl_model *) mpl_events_model(events))->can.has_receive_completions = false;

    struct mpl_recognition *r = recognize(pattern(asked), events, arena);
    const struct mpl_pattern *p = mpl_recognition_pattern(r);
    const uint32_t give = mpl_pattern_find_event(p, "Give");
    const uint32_t both = mpl_pattern_find_event(p, "Both");

    /* A chain is a proof; that there is none is not. */
    ck_assert_double_eq(value_of(r, "Give.before", 0), 1);
    ck_assert_double_eq(value_of(r, "Give.after", 0), 0);
    ck_assert_double_eq(value_of(r, "Give.same", 0), 0);
    ck_assert_double_nan(value_of(r, "Give.rest", 0));
    ck_assert_double_nan(value_of(r, "Give.not", 0));
    ck_assert_ptr_nonnull(
        mpl_recognition_doubt(r, give, mpl_pattern_find_attribute(p, give, "rest")));
    ck_assert_ptr_null(
        mpl_recognition_doubt(r, give, mpl_pattern_find_attribute(p, give, "plain")));
    ck_assert_uint_eq(count_of(r, "Both"), 0);
    ck_assert_ptr_nonnull(mpl_recognition_doubt(r, both, MPL_NONE));
    ck_assert_ptr_nonnull(
        strstr(mpl_recognition_doubt(r, both, MPL_NONE), "does not record"));
}
END_TEST

/* ---- real programs ----------------------------------------------------------------------------- */

/* Who gets something from one process, works, and gives something back. */
static const char farm_or_lock[] =
    "pattern: p\n"
    "says: s\n"
    "minimum_coverage: 0\n"
    "roles:\n"
    "  master: {count: 1, where: \"peers >= 2 and peers >= 0.5 * (size - 1)\", score: "
    "messages}\n"
    "  worker: {count: many, at_least: 2, where: \"share_with.master >= 0.8\"}\n"
    "events:\n"
    "  Task:\n"
    "    on: worker\n"
    "    expression: get work+ back\n"
    "    members:\n"
    "      get: {event: recv, from: master}\n"
    "      work: {event: compute}\n"
    "      back: {event: send, to: master}\n"
    "  Together:\n"
    "    on: worker\n"
    "    expression: \"mine & theirs\"\n"
    "    members:\n"
    "      mine: {event: Task}\n"
    "      theirs: {event: Task, on: worker}\n";

static void check_farm(const char *path, size_t n_tasks)
{
    struct mpl_recognition *r =
        recognize(pattern_of_text(farm_or_lock, arena), events_of_path(path, arena), arena);

    ck_assert_uint_eq(count_of(r, "Task"), n_tasks);
    ck_assert_uint_eq(count_of(r, "Together"), n_tasks);
}

START_TEST(tasks_of_a_farm_are_concurrent)
{
    check_farm(in_tree("examples/traces/mw-healthy"), 120);
    if (traces_folder() != NULL) {
        check_farm(mpl_arena_printf(arena, "%s/mandel-mw-np4", traces_folder()), 401);
    }
}
END_TEST

/* As patterns/lock-server.yaml has it: all look alike but for the order in which they have it. */
START_TEST(sections_under_a_lock_are_not)
{
    static const char lock[] =
        "# us\n"
        "rank 0: recv 0..12 from 1  send 12..13 to 1  recv 13..16 from 2  recv 16..20 from "
        "3\n"
        "rank 0: recv 20..34 from 1  send 34..35 to 2  recv 35..56 from 2  send 56..57 to "
        "3\n"
        "rank 0: recv 57..78 from 3\n"
        "rank 1: compute 0..10  send 10..11 to 0  recv 11..14 from 0  compute 14..32\n"
        "rank 1: send 32..33 to 0\n"
        "rank 2: compute 0..14  send 14..15 to 0  recv 15..36 from 0  compute 36..54\n"
        "rank 2: send 54..55 to 0\n"
        "rank 3: compute 0..18  send 18..19 to 0  recv 19..58 from 0  compute 58..76\n"
        "rank 3: send 76..77 to 0\n";
    struct mpl_recognition *r =
        recognize(pattern_of_text(farm_or_lock, arena), events_of_text(lock, arena), arena);

    ck_assert_uint_eq(count_of(r, "Task"), 3);
    ck_assert_uint_eq(count_of(r, "Together"), 0);
}
END_TEST

/* ---- against all pairs -------------------------------------------------------------------------- */

enum { RANKS = 5, ROUNDS = 40 };

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525U + 1013904223U;
    return *seed >> 16;
}

/* Messages between any two, with computation in between. */
static const char *random_trace(uint32_t seed)
{
    const char *lines[RANKS];
    uint32_t now[RANKS] = { 0 };
    const char *text = "# us\n";

    for (int i = 0; i < RANKS; i++) {
        lines[i] = mpl_arena_printf(arena, "rank %d:", i);
    }
    for (int i = 0; i < ROUNDS; i++) {
        const uint32_t from = next_random(&seed) % RANKS;
        const uint32_t to = (from + 1 + next_random(&seed) % (RANKS - 1)) % RANKS;
        const uint32_t sent = now[from] + next_random(&seed) % 3;
        const uint32_t asked = now[to] + next_random(&seed) % 3;

        now[from] = sent + 1;
        now[to] = (asked > sent ? asked : sent) + 1;
        lines[from] = mpl_arena_printf(arena, "%s send %u..%u to %u", lines[from], sent,
                                       sent + 1, to);
        lines[to] = mpl_arena_printf(arena, "%s recv %u..%u from %u", lines[to], asked,
                                     now[to], from);
    }
    for (int i = 0; i < RANKS; i++) {
        text = mpl_arena_printf(arena, "%s%s\n", text, lines[i]);
    }
    return text;
}

static struct mpl_stretch stretch_of(struct mpl_recognition *r, size_t i)
{
    const uint32_t work = mpl_pattern_find_event(mpl_recognition_pattern(r), "Work");
    const uint32_t span = (uint32_t) value_of(r, "Work.place", i);

    return mpl_events_stretch(mpl_recognition_events(r),
                              mpl_recognition_locations(r, work)[i], span, span);
}

/* The first instance of that location that is concurrent; MPL_NONE. */
static size_t first_concurrent(struct mpl_recognition *r, struct mpl_causality *c,
                               struct mpl_stretch own, uint32_t location)
{
    const uint32_t work = mpl_pattern_find_event(mpl_recognition_pattern(r), "Work");
    size_t first;
    const size_t n = mpl_recognition_range(r, work, location, &first);

    for (size_t i = 0; i < n; i++) {
        if (mpl_causality_relate(c, own, stretch_of(r, first + i)).is ==
            MPL_PRECEDENCE_CONCURRENT) {
            return i;
        }
    }
    return MPL_NONE;
}

START_TEST(a_few_questions_find_what_all_pairs_find)
{
    const struct mpl_events *events = events_of_text(random_trace((uint32_t) _i), arena);
    struct mpl_recognition *r =
        recognize(pattern(WORK BOTH("mine & theirs", THEIRS)), events, arena);
    struct mpl_causality *c = NULL;
    size_t at = 0;

    ck_assert_int_eq(mpl_precedences_get(mpl_events_precedences(events), &c, NULL), MPL_OK);
    for (size_t i = 0; i < count_of(r, "Work"); i++) {
        const struct mpl_stretch own = stretch_of(r, i);
        size_t found = MPL_NONE;
        uint32_t location = own.location;

        while (found == MPL_NONE && (location = (location + 1) % RANKS) != own.location) {
            found = first_concurrent(r, c, own, location);
        }
        if (found != MPL_NONE) {
            ck_assert_double_eq(value_of(r, "Both.theirs", at), (double) found);
            ck_assert_double_eq(value_of(r, "Both.rank", at), location);
            at++;
        }
    }
    ck_assert_uint_eq(at, count_of(r, "Both"));
}
END_TEST

START_TEST(without_memory_it_fails_and_leaks_nothing)
{
    const struct mpl_pattern *p = pattern(WORK BOTH("mine & theirs", THEIRS));
    enum mpl_status st = MPL_E_NOMEM;

    for (long n = 0; fails_without_memory(n, st); n++) {
        struct mpl_arena *own = mpl_arena_create();
        const struct mpl_events *events = events_of_text(exchange, own);
        struct mpl_recognition *r = NULL;
        const char *reason = NULL;

        mpl_alloc_fail_after(n);
        st = mpl_recognize(p, events, NULL, 0, own, &r, &reason, NULL);
        mpl_alloc_fail_after(-1);
        if (st == MPL_OK) {
            ck_assert_uint_eq(count_of(r, "Both"), 7);
        }
        mpl_arena_destroy(own);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("recognize_precede");
    TCase *tcase = add_case(suite, "all", create_arena, destroy_arena);

    tcase_add_test(tcase, formulas_say_what_must_have_come_first);
    tcase_add_test(tcase, conditions_may_ask);
    tcase_add_test(tcase, nothing_is_made_unless_somebody_asks);
    tcase_add_test(tcase, a_member_elsewhere_is_the_first_that_is_concurrent);
    tcase_add_test(tcase, calls_of_one_barrier_are_concurrent);
    tcase_add_test(tcase,
                   where_nothing_is_concurrent_there_is_no_match_unless_it_is_optional);
    tcase_add_test(tcase, what_is_not_known_is_no_answer);
    tcase_add_test(tcase, tasks_of_a_farm_are_concurrent);
    tcase_add_test(tcase, sections_under_a_lock_are_not);
    tcase_add_loop_test(tcase, a_few_questions_find_what_all_pairs_find, 0, 50);
    tcase_add_test(tcase, without_memory_it_fails_and_leaks_nothing);
    return run_suite(suite);
}
