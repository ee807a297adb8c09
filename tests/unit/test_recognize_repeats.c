/*
 * Matches that repeat others, against the same pattern where the condition is an attribute: of that each value is found
 * alone.
 */
#include "config.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "recognize/recognition_priv.h"

#include "../lib/arena.h"
#include "../lib/draw.h"
#include "../lib/suite.h"
#include "recognize_fixture.h"

enum { N_STEPS = 2000, STEP_MAX = 500, N_CASES = 10 };

/* ---- traces ---------------------------------------------------------------------------- */

struct step {
    uint32_t n_gives;
    uint32_t to[3];
    uint32_t bytes[3];
    uint32_t tags[3];
    bool takes;
    uint32_t tag;
    bool meets;
};

static struct step draw_step(void)
{
    struct step step = { .n_gives = 1 + draw(3), .takes = draw(2), .meets = draw(2) };

    for (uint32_t i = 0; i < step.n_gives; i++) {
        step.to[i] = 1 + draw(2);
        step.bytes[i] = draw(5) == 0 ? 500 : 8;
    }
    return step;
}

/* What rank 0 does in a step, and the others with it. */
static size_t write_step(char *text, const struct step *step, uint32_t *us)
{
    size_t at = 0;

    *us += 5 + draw(4);
    for (uint32_t i = 0; i < step->n_gives; i++) {
        at += (size_t) sprintf(text + at,
                               "rank 0: send %u..%u to %u tag %u bytes %u\nrank %u: recv "
                               "%u..%u from 0 tag %u\n",
                               *us, *us + 1, step->to[i], step->tags[i], step->bytes[i],
                               step->to[i], *us, *us + 2, step->tags[i]);
        *us += 4;
    }
    if (step->takes) {
        at += (size_t) sprintf(text + at,
                               "rank 1: send %u..%u to 0 tag %u\n"
                               "rank 0: recv %u..%u from 1 tag %u\n",
                               *us, *us + 1, step->tag, *us, *us + 2, step->tag);
        *us += 3;
    }
    if (step->meets) {
        for (uint32_t rank = 0; rank < 3; rank++) {
            at += (size_t) sprintf(text + at, "rank %u: barrier %u..%u\n", rank, *us,
                                   *us + 1);
        }
        *us += 3;
    }
    return at;
}

/* A few kinds of steps one after the other, as in a program; of \p odd in a hundred, any. In the first half nobody meets. */
static const struct mpl_events *events_of_steps(uint32_t n_steps, uint32_t odd)
{
    char *text = MPL_NEW_ARRAY(arena, (size_t) n_steps * STEP_MAX, char);
    struct step kinds[3];
    uint32_t us = 0;
    size_t at = 0;

    ck_assert_ptr_nonnull(text);
    for (int k = 0; k < 3; k++) {
        kinds[k] = draw_step();
    }
    kinds[0].takes = true; /* or rank 0 only gives, and plays no role */
    for (uint32_t i = 0; i < n_steps; i++) {
        struct step step = draw(100) < odd ? draw_step() : kinds[i % 7 % 3];

        for (uint32_t k = 0; k < step.n_gives; k++) {
            step.tags[k] = draw(2);
        }
        step.tag = draw(2) == 0 ? 500 : 8;
        step.meets = step.meets && i > n_steps / 2;
        at += write_step(text + at, &step, &us);
    }
    return events_of_text(text, arena);
}

/* ---- patterns -------------------------------------------------------------------------- */

static const char *pattern_text(const char *more, const char *condition)
{
    const char *text = mpl_arena_printf(
        arena,
        "pattern: p\n"
        "says: S.\n"
        "roles:\n"
        "  a: {count: 1, where: degree == 2}\n"
        "  b: {count: many}\n"
        "events:\n"
        "  Give:\n"
        "    on: a\n"
        "    expression: \"give (gap give)? (gap take)?\"\n"
        "    members:\n"
        "      give: {event: send}\n"
        "      gap:  {event: compute}\n"
        "      take: {event: recv}\n"
        "    associated:\n"
        "      got:  {match: give}\n"
        "      last: {previous: give, event: send}\n"
        "      next: {next: give, event: send}\n"
        "      far:  {next: next, event: send}\n"
        "      meet: {next: give, event: collective, until: far}\n"
        "      heard: {previous: give, event: recv, where: \"tag == last.bytes / 1 B\"}\n"
        "      met:   {previous: give, event: collective}\n"
        "    %s\"%s\"%s\n",
        more, condition, more[0] == 'w' ? "" : ", unit: 1}");

    ck_assert_ptr_nonnull(text);
    return text;
}

/* What a condition may ask for: lengths, sizes, partners, order, presence, times, what has a condition itself. */
static const char *const conditions[N_CASES] = {
    "count(give.enter) == 2",
    "max(give.bytes) < default(last.bytes, 0 B) + default(far.bytes, 0 B)",
    "sum(give.peer) == next.peer + last.peer",
    "last.place < take.place or far.place > next.place and defined(take.enter)",
    "defined(meet.enter) or not defined(take.enter) and count(gap.enter) > 0",
    "next.enter - last.leave > 18 us",
    "heard.peer == 1 and heard.place > last.place",
    "not defined(met.enter)",
    "sum(got.tag) == 1",
    "take.place == default(next.place, 3) or max(give.bytes) > next.bytes",
};

START_TEST(what_repeats_has_the_answer_of_each_alone)
{
    size_t n_all = 0;

    draw_from(_i);
    for (uint32_t odd = 0; odd <= 40; odd += 20) {
        const struct mpl_events *events = events_of_steps(N_STEPS, odd);

        for (int c = 0; c < N_CASES; c++) {
            const char *where = pattern_text("where: ", conditions[c]);
            const char *value =
                pattern_text("attributes:\n      holds: {value: ", conditions[c]);
            struct mpl_recognition *some =
                recognize(pattern_of_text(where, arena), events, arena);
            struct mpl_recognition *all =
                recognize(pattern_of_text(value, arena), events, arena);
            const size_t n = count_of(all, "Give");
            size_t n_holds = 0;

            for (size_t i = 0; i < n; i++) {
                if (value_of(all, "Give.holds", i) == 1) {
                    ck_assert_msg(n_holds < count_of(some, "Give") &&
                                      value_of(some, "Give.enter", n_holds) ==
                                          value_of(all, "Give.enter", i),
                                  "odd %u, \"%s\", %zu", odd, conditions[c], i);
                    n_holds++;
                }
            }
            ck_assert_uint_eq(count_of(some, "Give"), n_holds);
            n_all += n_holds > 0 && n_holds < n;
        }
    }
    /* Most conditions hold for some and not for others. */
    ck_assert_uint_ge(n_all, N_CASES);
}
END_TEST

/* Whether span \p k of rank 0 sends. */
static bool is_give(const struct mpl_events *events, uint32_t k)
{
    const struct mpl_span span = mpl_events_span(events, 0, k);

    return span.n_messages == 1 &&
           mpl_envelope_of(&mpl_events_model(events)->locations[0], span.first_message)
               ->is_send;
}

/* Each message is in the next instance: one alone, or with the one behind it. */
START_TEST(members_of_repeats_are_what_comes_next)
{
    draw_from(_i);
    const struct mpl_events *events = events_of_steps(N_STEPS, 10 * (uint32_t) _i);
    const char *text = pattern_text(
        "attributes:\n      n: {value: count(give.enter), unit: 1}\n"
        "      first: {value: first(give.place), unit: 1}\n      last: {value: ",
        "last(give.place)");
    struct mpl_recognition *r = recognize(pattern_of_text(text, arena), events, arena);
    const uint32_t n_spans = mpl_events_span_count(events, 0);
    size_t n_pairs = 0;
    uint32_t k = 0;

    for (size_t i = 0; i < count_of(r, "Give"); i++) {
        while (k < n_spans && !is_give(events, k)) {
            k++;
        }
        ck_assert_double_eq(value_of(r, "Give.first", i), k++);
        if (value_of(r, "Give.n", i) == 2) {
            while (k < n_spans && !is_give(events, k)) {
                k++;
            }
            ck_assert_double_eq(value_of(r, "Give.last", i), k++);
            n_pairs++;
        }
    }
    while (k < n_spans && !is_give(events, k)) {
        k++;
    }
    ck_assert_uint_eq(k, n_spans);
    ck_assert_uint_gt(n_pairs, N_STEPS / 4);
}
END_TEST

static double coverage_of(const struct mpl_events *events, const char *expression)
{
    const char *text = mpl_arena_printf(arena,
                                        "pattern: p\n"
                                        "says: S.\n"
                                        "roles:\n"
                                        "  a: {count: 1, where: degree == 2}\n"
                                        "  b: {count: many}\n"
                                        "events:\n"
                                        "  Give:\n"
                                        "    on: a\n"
                                        "    expression: \"%s\"\n"
                                        "    members:\n"
                                        "      give: {event: send}\n"
                                        "      gap:  {event: compute}\n",
                                        expression);

    ck_assert_ptr_nonnull(text);
    return mpl_recognition_message_coverage(
        recognize(pattern_of_text(text, arena), events, arena));
}

/* Messages are explained one by one as they are together. */
START_TEST(ends_of_repeated_members_are_explained)
{
    draw_from(_i);
    const struct mpl_events *events = events_of_steps(N_STEPS, 0);
    const double alone = coverage_of(events, "give");

    ck_assert_double_gt(alone, 0.1);
    ck_assert_double_eq(coverage_of(events, "give (gap+ give)*"), alone);
}
END_TEST

START_TEST(without_memory_it_fails_and_leaks_nothing)
{
    draw_from(0);
    const struct mpl_events *events = events_of_steps(40, 0);
    const struct mpl_pattern *p =
        pattern_of_text(pattern_text("where: ", conditions[_i]), arena);
    const size_t n_good = count_of(recognize(p, events, arena), "Give");
    enum mpl_status st = MPL_E_NOMEM;

    for (long n = 0; fails_without_memory(n, st); n++) {
        struct mpl_arena *own = mpl_arena_create();
        struct mpl_recognition *r = NULL;
        const char *reason = NULL;

        mpl_alloc_fail_after(n);
        st = mpl_recognize(p, events, NULL, 0, own, &r, &reason, NULL);
        mpl_alloc_fail_after(-1);
        if (st == MPL_OK) {
            ck_assert_uint_eq(count_of(r, "Give"), n_good);
        }
        mpl_arena_destroy(own);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("recognize_repeats");
    TCase *tcase = add_case(suite, "all", create_arena, destroy_arena);

    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, what_repeats_has_the_answer_of_each_alone, 0, 6);
    tcase_add_loop_test(tcase, members_of_repeats_are_what_comes_next, 0, 4);
    tcase_add_loop_test(tcase, ends_of_repeated_members_are_explained, 0, 2);
    tcase_add_loop_test(tcase, without_memory_it_fails_and_leaks_nothing, 0, N_CASES);
    return run_suite(suite);
}
