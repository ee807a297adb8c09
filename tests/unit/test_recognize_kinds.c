/*
 * Kinds of calls, against what is seen of each call by itself: two calls are of one kind where region, collective and the
 * envelopes of their messages are the same, and else not, however many blocks of calls repeat others.
 */
#include "config.h"

#include <check.h>
#include <stdio.h>

#include "recognize/recognition_priv.h"

#include "../lib/arena.h"
#include "../lib/draw.h"
#include "../lib/suite.h"
#include "events_of.h"

/* ---- traces ---------------------------------------------------------------------------- */

enum { N_ROUNDS = 120, ROUND_MAX = 1200 };

/* In each round rank 0 sends some messages and waits for the answers of all. */
struct program {
    uint32_t n_others;
    bool takes_turns; /* whom it sends to first */
    uint32_t n_tags;  /* of which it takes the next one each time */
    uint32_t meets;   /* in one of so many rounds; 0: never */
    uint32_t odd;     /* in so many of a hundred rounds it sends to one only, */
    uint32_t strange; /* and so many of a thousand messages have a tag of their own */
};

static size_t write_round(char *text, const struct program *p, uint32_t round, uint32_t *us)
{
    const uint32_t first = p->takes_turns ? round % p->n_others : 0;
    const uint32_t n = draw(100) < p->odd ? 1 : p->n_others;
    const uint32_t tag = round % p->n_tags;
    const uint32_t t = *us;
    size_t at = 0;

    for (uint32_t i = 0; i < n; i++) {
        const uint32_t other = 1 + (first + i) % p->n_others;
        const uint32_t from = t + 10 * i;
        const uint32_t asks = draw(1000) < p->strange ? 999 : tag;
        const uint32_t gets = draw(1000) < p->strange ? 999 : tag;

        at += (size_t) sprintf(text + at,
                               "rank 0: irecv %u..%u from %u tag %u as r%u  isend %u..%u "
                               "to %u tag %u bytes 8 as s%u\n",
                               from, from + 1, other, gets, i, from + 2, from + 3, other,
                               asks, i);
        at += (size_t) sprintf(text + at,
                               "rank %u: recv %u..%u from 0 tag %u  send %u..%u to 0 tag "
                               "%u bytes 8\n",
                               other, from, from + 4, asks, from + 5, from + 6, gets);
    }
    at += (size_t) sprintf(text + at, "rank 0: waitall %u..%u for", t + 10 * n,
                           t + 10 * n + 5);
    for (uint32_t i = 0; i < n; i++) {
        at += (size_t) sprintf(text + at, " r%u s%u", i, i);
    }
    at += (size_t) sprintf(text + at, "\n");
    if (p->meets > 0 && round % p->meets == 0) {
        for (uint32_t rank = 0; rank <= p->n_others; rank++) {
            at += (size_t) sprintf(text + at, "rank %u: barrier %u..%u\n", rank,
                                   t + 10 * n + 6, t + 10 * n + 8);
        }
    }
    *us = t + 10 * n + 10;
    return at;
}

static const struct mpl_events *events_of_program(const struct program *p)
{
    char *text = MPL_NEW_ARRAY(arena, (size_t) N_ROUNDS * ROUND_MAX, char);
    uint32_t us = 1;
    size_t at = 0;

    ck_assert_ptr_nonnull(text);
    for (uint32_t round = 0; round < N_ROUNDS; round++) {
        at += write_round(text + at, p, round, &us);
        ck_assert_uint_lt(at, (size_t) N_ROUNDS * ROUND_MAX);
    }
    return events_of_text(text, arena);
}

/* ---- the same, call by call -------------------------------------------------------------- */

/* Which envelopes the messages of a call name, each once, as text: what they say is the same exactly if the texts are. */
static const char *look_of(const struct mpl_events *events, uint32_t location,
                           uint32_t call)
{
    const struct mpl_location *loc = &mpl_events_model(events)->locations[location];
    const struct mpl_span span = mpl_events_span(events, location, 2 * call + 1);
    const char *look = mpl_arena_printf(
        arena, "%u %u", span.region,
        span.collective == MPL_NONE ? MPL_NONE
                                    : (uint32_t) loc->collectives[span.collective].op);

    for (uint32_t e = 0; e < loc->n_envelopes; e++) {
        for (uint32_t i = 0; i < span.n_messages; i++) {
            const uint32_t m = mpl_events_message(events, location, &span, i);

            if (mpl_message_get(loc, m).envelope == e) {
                look = mpl_arena_printf(arena, "%s %u", look, e);
                break;
            }
        }
    }
    return look;
}

static uint32_t end_of(const struct mpl_events *events, uint32_t location, uint32_t call)
{
    const struct mpl_location *loc = &mpl_events_model(events)->locations[location];
    const struct mpl_span span = mpl_events_span(events, location, 2 * call + 1);

    if (span.n_messages + (span.collective != MPL_NONE) > 1) {
        return MPL_MANY_ENDS;
    }
    if (span.collective != MPL_NONE) {
        return loc->n_messages + span.collective;
    }
    return span.n_messages == 0 ? MPL_NONE : span.first_message;
}

static void check_location(const struct mpl_events *events, const struct mpl_kinds *kinds,
                           uint32_t location)
{
    const struct mpl_range range = mpl_range_of(events, location);
    const char **looks = MPL_NEW_ARRAY(arena, kinds->n, const char *);

    for (uint32_t call = range.first / 2; 2 * call + 1 < range.end; call++) {
        const char *look = look_of(events, location, call);
        const uint32_t kind = kinds->of_call[call];

        ck_assert_uint_lt(kind, kinds->n);
        ck_assert_uint_eq(kinds->ends[call], end_of(events, location, call));
        for (uint32_t k = 0; k < kinds->n; k++) {
            ck_assert_msg(looks[k] == NULL || (strcmp(looks[k], look) == 0) == (k == kind),
                          "location %u, call %u: \"%s\" is of kind %u, and kind %u is "
                          "\"%s\"",
                          location, call, look, kind, k, looks[k]);
        }
        looks[kind] = look;
    }
}

static const struct program programs[] = {
    { 2, false, 1, 0, 0, 0 },        /* the same again and again */
    { 3, true, 1, 0, 0, 0 },         /* the same calls, to others in turn */
    { 3, false, 4, 0, 0, 0 },        /* with a few tags in turn */
    { 2, false, N_ROUNDS, 0, 0, 0 }, /* with a new tag each time */
    { 2, false, 1, 7, 0, 0 },        /* with collectives in between */
    { 3, true, 2, 5, 20, 0 },        /* and all of that, with rounds of another length */
    { 1, false, 1, 0, 0, 10 },       /* now and then one message is another one */
    { 3, false, 1, 0, 0, 10 },
};
enum { N_PROGRAMS = sizeof programs / sizeof programs[0] };

static const struct mpl_topology *kinds_of(const struct mpl_events *events,
                                           struct mpl_arena *own, enum mpl_status *st)
{
    const uint32_t n = mpl_events_model(events)->n_locations;
    uint32_t *locations = MPL_NEW_ARRAY(own, n, uint32_t);
    struct mpl_topology *t = NULL;

    if (locations == NULL) {
        *st = MPL_E_NOMEM;
        return NULL;
    }
    for (uint32_t l = 0; l < n; l++) {
        locations[l] = l;
    }
    *st = mpl_topology_create(events, own, &t, NULL);
    if (*st == MPL_OK) {
        *st = mpl_kinds_prepare(t, locations, n, NULL);
    }
    return t;
}

START_TEST(calls_are_of_one_kind_where_they_look_the_same)
{
    draw_from(_i);
    const struct mpl_events *events = events_of_program(&programs[_i % N_PROGRAMS]);
    enum mpl_status st;
    const struct mpl_topology *t = kinds_of(events, arena, &st);

    ck_assert_int_eq(st, MPL_OK);
    for (uint32_t l = 0; l < mpl_events_model(events)->n_locations; l++) {
        check_location(events, mpl_kinds_get(t, l), l);
    }
}
END_TEST

START_TEST(without_memory_it_fails_and_leaks_nothing)
{
    draw_from(0);
    const struct mpl_events *events = events_of_program(&programs[_i]);
    enum mpl_status st = MPL_E_NOMEM;

    for (long n = 0; fails_without_memory(n, st); n++) {
        struct mpl_arena *own = mpl_arena_create();
        const struct mpl_topology *t;

        mpl_alloc_fail_after(n);
        t = kinds_of(events, own, &st);
        mpl_alloc_fail_after(-1);
        if (st == MPL_OK) {
            check_location(events, mpl_kinds_get(t, 0), 0);
        }
        mpl_arena_destroy(own);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("recognize_kinds");
    TCase *tcase = add_case(suite, "all", create_arena, destroy_arena);

    tcase_add_loop_test(tcase, calls_are_of_one_kind_where_they_look_the_same, 0,
                        4 * N_PROGRAMS);
    tcase_add_loop_test(tcase, without_memory_it_fails_and_leaks_nothing, 0, N_PROGRAMS);
    return run_suite(suite);
}
