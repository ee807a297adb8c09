/*
 * Loops drawn by chance, in which something is different now and then: calls that are taken as repeating others are those that
 * their records make one by one.
 */
#include "config.h"

#include <check.h>
#include <stdlib.h>

#include "../lib/arena.h"
#include "../lib/suite.h"
#include "events/walk_priv.h"
#include "events_fixture.h"
#include "one_by_one.h"

enum { MOST_ACTS = 6, N_LOCATIONS = 2, MOST_POSTED = 30 };

/* What both do in an iteration. */
enum act {
    SEND,
    SEND_BACK,
    SENDRECV,
    EXCHANGE,
    EXCHANGE_LATE, /* a Waitall of the iteration before */
    MANY,          /* 30 messages in one call */
    REDUCE,
    OTHER,
    TEST,
    RECEIVE, /* without a record of what */
    TO_NOBODY,
    IBARRIER,
    PROBE,
    FUNCTION,
    ACTS
};

struct loop {
    struct fixture *f;
    int64_t us; /* the next record */
    uint32_t posted[N_LOCATIONS][MOST_POSTED];
    uint32_t sent[N_LOCATIONS][MOST_POSTED];
    uint32_t n_open;  /* of an exchange that is not waited for yet */
    bool is_reversed; /* what is posted last ends first */
};

static int64_t now(struct loop *p)
{
    return p->us += 1 + rand() % 3;
}

static void call(struct loop *p, uint32_t location, const char *region)
{
    const int64_t from = now(p);

    fixture_call(p->f, location, from, now(p), region);
}

/* Once in a while something is not recorded. */
static bool is_lost(void)
{
    return rand() % 60 == 0;
}

static void send(struct loop *p, uint32_t from)
{
    const bool is_received = !is_lost();
    int64_t us = now(p);

    fixture_call_send(p->f, from, us, now(p), "MPI_Send", 1 - from, is_received ? 1 : 9);
    if (is_received) {
        us = now(p);
        fixture_call_recv(p->f, 1 - from, us, now(p), from, 1);
    }
}

static void sendrecv(struct loop *p)
{
    for (uint32_t l = 0; l < N_LOCATIONS; l++) {
        fixture_enter(p->f, l, now(p), "MPI_Sendrecv");
        (void) fixture_send(p->f, l, now(p), 1 - l, 2);
    }
    for (uint32_t l = 0; l < N_LOCATIONS; l++) {
        (void) fixture_recv(p->f, l, now(p), 1 - l, 2);
        fixture_leave(p->f, l, now(p), "MPI_Sendrecv");
    }
}

static void post(struct loop *p, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t l = 0; l < N_LOCATIONS; l++) {
            fixture_enter(p->f, l, now(p), "MPI_Irecv");
            p->posted[l][i] = fixture_post(p->f, l, now(p));
            fixture_leave(p->f, l, now(p), "MPI_Irecv");
            fixture_enter(p->f, l, now(p), "MPI_Isend");
            p->sent[l][i] = fixture_isend(p->f, l, now(p), 1 - l, 3);
            fixture_leave(p->f, l, now(p), "MPI_Isend");
        }
    }
    p->n_open = n;
}

static void complete(struct loop *p)
{
    for (uint32_t l = 0; l < N_LOCATIONS && p->n_open > 0; l++) {
        fixture_enter(p->f, l, now(p), "MPI_Waitall");
        for (uint32_t i = 0; i < p->n_open; i++) {
            const uint32_t k = p->is_reversed ? p->n_open - 1 - i : i;

            if (!is_lost()) {
                fixture_irecv(p->f, l, now(p), p->posted[l][k], 1 - l, 3);
            }
            fixture_isend_done(p->f, l, now(p), p->sent[l][k]);
        }
        fixture_leave(p->f, l, now(p), "MPI_Waitall");
    }
    p->n_open = 0;
}

static void ibarrier(struct loop *p)
{
    for (uint32_t l = 0; l < N_LOCATIONS; l++) {
        uint32_t part;

        fixture_enter(p->f, l, now(p), "MPI_Ibarrier");
        part = fixture_coll_begin(p->f, l, now(p));
        fixture_set_immediate(p->f, l, part);
        fixture_leave(p->f, l, now(p), "MPI_Ibarrier");
        fixture_enter(p->f, l, now(p), "MPI_Wait");
        fixture_coll_end(p->f, l, now(p), part, MPL_COLL_BARRIER, MPL_NONE, 0, 0);
        fixture_leave(p->f, l, now(p), "MPI_Wait");
    }
}

static void reduce(struct loop *p)
{
    const int64_t from = now(p);
    const int64_t to = now(p) + 5;

    for (uint32_t l = 0; l < N_LOCATIONS; l++) {
        fixture_call_coll(p->f, l, from, to, MPL_COLL_ALLREDUCE, MPL_NONE);
    }
    p->us = to;
}

static void both(struct loop *p, const char *region)
{
    for (uint32_t l = 0; l < N_LOCATIONS; l++) {
        call(p, l, region);
    }
}

/* With a record that names neither a message nor a collective. */
static void other(struct loop *p)
{
    for (uint32_t l = 0; l < N_LOCATIONS; l++) {
        fixture_enter(p->f, l, now(p), "MPI_Comm_rank");
        fixture_record(p->f, l, now(p), MPL_EV_MARK);
        fixture_leave(p->f, l, now(p), "MPI_Comm_rank");
    }
}

static void to_nobody(struct loop *p)
{
    const int64_t from = now(p);

    fixture_call_send(p->f, 0, from, now(p), "MPI_Send", MPL_NONE, 4);
}

static void act(struct loop *p, enum act what)
{
    switch (what) {
    case SEND:
    case SEND_BACK:
        send(p, what == SEND ? 0 : 1);
        break;
    case SENDRECV:
        sendrecv(p);
        break;
    case EXCHANGE:
    case MANY:
        complete(p);
        post(p, what == MANY ? MOST_POSTED : 2);
        complete(p);
        break;
    case EXCHANGE_LATE:
        complete(p);
        post(p, 1);
        break;
    case REDUCE:
        reduce(p);
        break;
    case OTHER:
        other(p);
        break;
    case TO_NOBODY:
        to_nobody(p);
        break;
    case IBARRIER:
        ibarrier(p);
        break;
    case PROBE:
        call(p, 1, "MPI_Probe");
        send(p, 0);
        break;
    default:
        both(p, what == TEST ? "MPI_Test" : what == RECEIVE ? "MPI_Recv" : "work");
        break;
    }
}

/* Something is not as it was. */
static void disturb(struct loop *p)
{
    const uint32_t location = (uint32_t) rand() % N_LOCATIONS;

    switch (rand() % 10) {
    case 0:
        p->us += INT64_C(1) << 33;
        break;
    case 1:
        call(p, location, "work");
        break;
    case 2:
        fixture_record(p->f, location, now(p), MPL_EV_MARK);
        break;
    case 3: /* Its end is not recorded. */
        fixture_enter(p->f, location, now(p), "MPI_Irecv");
        (void) fixture_post(p->f, location, now(p));
        fixture_leave(p->f, location, now(p), "MPI_Irecv");
        break;
    case 4: /* It is over after what comes next. */
        fixture_enter(p->f, location, now(p), "work");
        call(p, location, "MPI_Comm_rank");
        fixture_leave(p->f, location, now(p), "work");
        break;
    default:
        act(p, (enum act)(rand() % ACTS));
        break;
    }
}

static void draw_acts(enum act acts[], int n)
{
    /* Where functions are called in between nothing is taken at once. */
    const int n_kinds = rand() % 4 > 0 ? FUNCTION : ACTS;

    for (int i = 0; i < n; i++) {
        acts[i] = (enum act)(rand() % n_kinds);
    }
}

static void go_round(struct loop *p, const enum act acts[], int n, int odd)
{
    for (int i = 0; i < 300; i++) {
        for (int k = 0; k < n; k++) {
            act(p, acts[k]);
            if (rand() % odd == 0) {
                disturb(p);
            }
        }
    }
}

/* Where MPI_Init is not recorded, what one does before the other begins is start-up. */
static void begin(struct loop *p, bool has_init)
{
    for (int i = 0; i < 300 && !has_init; i++) {
        call(p, 0, "MPI_Comm_rank");
    }
    for (uint32_t l = 0; l < N_LOCATIONS && has_init; l++) {
        call(p, l, "MPI_Init");
    }
}

START_TEST(calls_that_repeat_are_those_of_their_records)
{
    struct loop p = { .f = fixture_create(arena, N_LOCATIONS, 1),
                      .is_reversed = _i % 9 == 0 };
    const bool is_eztrace = _i % 2 == 0;
    enum act acts[MOST_ACTS];
    const int n = 1 + _i % MOST_ACTS;
    const struct mpl_events *events;
    const struct mpl_events *again = NULL;

    srand((unsigned) _i);
    fixture_set_tracer(p.f, is_eztrace ? MPL_TRACER_EZTRACE : MPL_TRACER_SCOREP);
    fixture_set_receive_completions(p.f, _i % 4 != 0);
    begin(&p, !is_eztrace);
    draw_acts(acts, n);
    for (int i = 0; i < 2; i++) {
        go_round(&p, acts, n, _i % 3 == 0 ? 200 : 40);
        for (uint32_t l = 0; l < N_LOCATIONS && _i % 3 == 0; l++) {
            fixture_enter(p.f, l, now(&p), "work");
        }
    }
    events = fixture_events(p.f);
    hide_repeats(fixture_model(p.f), arena);
    ck_assert_int_eq(mpl_events_create(fixture_model(p.f), mpl_events_match(events), NULL,
                                       arena, &again, NULL),
                     MPL_OK);
    assert_same_calls(again, events, true);
}
END_TEST

/* How many blocks of the calls of rank 0, walked once more, are taken as repeating others. */
static uint32_t count_taken(const struct mpl_events *events)
{
    const struct mpl_model *model = events->model;
    struct mpl_walk_scratch scratch = {
        .arena = arena,
        .sums = MPL_NEW_ARRAY(arena, model->n_regions, struct mpl_region_sum),
        .is_called = MPL_NEW_ARRAY(arena, model->n_regions, bool),
        .stack = mpl_buf_make(sizeof(uint32_t)),
        .touched = mpl_buf_make(sizeof(uint32_t)),
        .list = mpl_buf_make(sizeof(uint32_t)),
        .probes = mpl_buf_make(sizeof(uint32_t)),
        .maker = mpl_call_maker_make(),
        .repeats = mpl_block_repeats_make(),
    };
    struct mpl_walk w = { .events = events,
                          .loc = model->locations,
                          .use = events->use,
                          .partner = events->match->partner[0],
                          .lane = events->lanes,
                          .scratch = &scratch,
                          .has_gaps = true,
                          .gap_region = MPL_NONE,
                          .n_asked = MPL_NONE };

    ck_assert(scratch.sums != NULL && scratch.is_called != NULL);
    mpl_calls_begin(&scratch.maker, w.loc->n_events);
    mpl_block_repeats_begin(&scratch.repeats);
    ck_assert(mpl_records_walk(&w));
    ck_assert_uint_eq(w.n_calls, events->lanes[0].n_calls);

    const uint32_t n_taken = scratch.repeats.n_taken;

    mpl_block_repeats_free(&scratch.repeats);
    mpl_call_maker_free(&scratch.maker);
    mpl_buf_free(&scratch.probes);
    mpl_buf_free(&scratch.list);
    mpl_buf_free(&scratch.touched);
    mpl_buf_free(&scratch.stack);
    return n_taken;
}

/* All but the first blocks, from which that is learned, and the last one, which is not whole. */
START_TEST(a_plain_loop_is_taken_at_once)
{
    struct loop p = { .f = fixture_create(arena, N_LOCATIONS, 1) };
    const struct mpl_events *events;
    const uint32_t per_block = MPL_CALLS_PER_BLOCK;

    begin(&p, true);
    for (int i = 0; i < 1000; i++) {
        act(&p, REDUCE);
        act(&p, OTHER);
    }
    events = fixture_events(p.f);
    ck_assert_uint_gt(count_taken(events), 9 * (events->lanes[0].n_calls / per_block) / 10);
    hide_repeats(fixture_model(p.f), arena);
    ck_assert_uint_eq(count_taken(events), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("events_repeats");
    TCase *c = add_case(suite, "repeats", create_arena, destroy_arena);

    tcase_add_test(c, a_plain_loop_is_taken_at_once);
    tcase_add_loop_test(c, calls_that_repeat_are_those_of_their_records, 0, 60);
    return run_suite(suite);
}
