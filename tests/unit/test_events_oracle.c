/*
 * Random traces against an oracle that is written from the definitions only: it asks the public
 * functions of model and match, looks through all calls for every question, and knows nothing of
 * how events stores them. The programs are possible ones (each step of the generator appends to
 * the locations it concerns), but times are random, so that clock errors of any size occur.
 */
#include "config.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/arena.h"
#include "../lib/suite.h"
#include "events_fixture.h"
#include "replay_ideal.h"

enum { RANKS = 5, PENDING = 40, CALLS = 4000, SEEDS = 60 };

/* Many seeds in one test: a process for each would take longer than all of them. */
static void for_seeds(int block, void (*try_seed)(int seed))
{
    for (int seed = SEEDS * block; seed < SEEDS * (block + 1); seed++) {
        try_seed(seed);
        mpl_arena_destroy(arena);
        create_arena();
    }
}

/* ---- generator ---------------------------------------------------------------------- */

struct pending {
    uint32_t receiver, sender, tag;
};

struct program {
    struct fixture *f;
    uint32_t n_ranks;
    int64_t now[RANKS];
    struct pending pending[PENDING];
    uint32_t n_pending;
    uint32_t posted[RANKS][PENDING]; /* non-blocking receives: message … */
    struct pending awaited[RANKS][PENDING];
    uint32_t n_posted[RANKS];
    uint32_t sent[RANKS][PENDING]; /* non-blocking sends */
    uint32_t n_sent[RANKS];
    bool loses; /* some records are missing */
    int64_t
        scale; /* of all times: with a large one calls take longer than 32 bits can say */
};

static uint32_t below(uint32_t n)
{
    return (uint32_t) rand() % n;
}

static int64_t later(struct program *p, uint32_t rank, uint32_t most)
{
    p->now[rank] += below(most + 1) * p->scale;
    return p->now[rank];
}

static const char *const functions[] = { "solve", "pack", "update" };

/* Computation, now and then in a function that may stay open. */
static void compute(struct program *p, uint32_t rank)
{
    const char *function = functions[below(3)];

    if (below(3) == 0) {
        fixture_enter(p->f, rank, later(p, rank, 9), function);
        if (below(3) > 0) {
            fixture_leave(p->f, rank, later(p, rank, 9), function);
        }
    } else if (below(4) == 0) {
        fixture_leave(p->f, rank, later(p, rank, 9), function);
    }
    (void) later(p, rank, 20);
}

static void enter(struct program *p, uint32_t rank, const char *region)
{
    compute(p, rank);
    fixture_enter(p->f, rank, p->now[rank], region);
}

static void leave(struct program *p, uint32_t rank, const char *region)
{
    fixture_leave(p->f, rank, later(p, rank, 9), region);
}

static void make_send(struct program *p, uint32_t rank, uint32_t peer, uint32_t tag)
{
    static const char *const regions[] = { "MPI_Send", "MPI_Bsend", "MPI_Isend" };
    const uint32_t which = p->n_sent[rank] < PENDING ? below(3) : below(2);

    enter(p, rank, regions[which]);
    if (which == 2) {
        p->sent[rank][p->n_sent[rank]++] =
            fixture_isend(p->f, rank, later(p, rank, 3), peer, tag);
    } else {
        (void) fixture_send(p->f, rank, later(p, rank, 3), peer, tag);
    }
    (void) later(p, rank, 30);
    leave(p, rank, regions[which]);
}

static void make_receive(struct program *p, const struct pending *m)
{
    if (below(2) == 0 || p->n_posted[m->receiver] == PENDING) {
        enter(p, m->receiver, "MPI_Recv");
        (void) fixture_recv(p->f, m->receiver, later(p, m->receiver, 40), m->sender,
                            m->tag);
        leave(p, m->receiver, "MPI_Recv");
        return;
    }
    enter(p, m->receiver, "MPI_Irecv");
    p->awaited[m->receiver][p->n_posted[m->receiver]] = *m;
    p->posted[m->receiver][p->n_posted[m->receiver]++] =
        fixture_post(p->f, m->receiver, later(p, m->receiver, 3));
    leave(p, m->receiver, "MPI_Irecv");
}

/* Completes everything that is open on a rank. */
static void make_wait(struct program *p, uint32_t rank)
{
    const char *region = below(4) == 0 ? "MPI_Testall" : "MPI_Waitall";

    enter(p, rank, region);
    (void) later(p, rank, 40);
    for (uint32_t i = 0; i < p->n_posted[rank]; i++) {
        fixture_irecv(p->f, rank, p->now[rank], p->posted[rank][i],
                      p->awaited[rank][i].sender, p->awaited[rank][i].tag);
    }
    for (uint32_t i = 0; i < p->n_sent[rank]; i++) {
        fixture_isend_done(p->f, rank, p->now[rank], p->sent[rank][i]);
    }
    p->n_posted[rank] = p->n_sent[rank] = 0;
    leave(p, rank, region);
}

static void make_sync_pair(struct program *p, uint32_t from, uint32_t to, uint32_t tag)
{
    enter(p, from, "MPI_Ssend");
    (void) fixture_send(p->f, from, later(p, from, 3), to, tag);
    (void) later(p, from, 30);
    leave(p, from, "MPI_Ssend");
    enter(p, to, "MPI_Recv");
    (void) fixture_recv(p->f, to, later(p, to, 40), from, tag);
    leave(p, to, "MPI_Recv");
}

static void make_collective(struct program *p)
{
    static const enum mpl_coll_op ops[] = { MPL_COLL_BARRIER, MPL_COLL_ALLREDUCE,
                                            MPL_COLL_BCAST,   MPL_COLL_REDUCE,
                                            MPL_COLL_SCAN,    MPL_COLL_EXSCAN };
    const enum mpl_coll_op op = ops[below(6)];
    const bool has_root = op == MPL_COLL_BCAST || op == MPL_COLL_REDUCE;
    const uint32_t root = has_root ? below(p->n_ranks) : MPL_NONE;

    for (uint32_t l = 0; l < p->n_ranks; l++) {
        const int64_t from = (compute(p, l), p->now[l]);

        fixture_call_coll(p->f, l, from, later(p, l, 40), op, root);
    }
}

static void make_step(struct program *p)
{
    const uint32_t from = below(p->n_ranks);
    const uint32_t to = (from + 1 + below(p->n_ranks - 1)) % p->n_ranks;
    const uint32_t what = below(20);

    if (what < 8 && p->n_pending < PENDING) {
        const uint32_t tag = p->n_pending; /* no other one of that tag is on its way */

        if (p->loses && below(20) == 0) {
            return;
        }
        make_send(p, from, to, tag);
        p->pending[p->n_pending++] = (struct pending){ to, from, tag };
    } else if (what < 15 && p->n_pending > 0) {
        /* Only the last or all, so that tags stay unique. */
        make_receive(p, &p->pending[--p->n_pending]);
        if (p->loses && below(20) == 0) {
            make_receive(p, &p->pending[p->n_pending]);
        }
    } else if (what < 17) {
        make_wait(p, from);
    } else if (what == 17) {
        make_sync_pair(p, from, to, 1000);
    } else if (what == 18) {
        make_collective(p);
    } else {
        fixture_record(p->f, from, later(p, from, 5), MPL_EV_FLUSH_BEGIN);
        fixture_record(p->f, from, later(p, from, 5), MPL_EV_FLUSH_END);
    }
}

static const struct mpl_events *make_trace(int seed)
{
    struct program p = { 0 };

    srand((unsigned) seed);
    p.n_ranks = 2 + below(RANKS - 1);
    p.loses = seed % 3 == 0;
    p.scale = seed % 5 == 0 ? INT64_C(1) << 28 : 1;
    p.f = fixture_create(arena, p.n_ranks, 1);
    if (seed % 2 == 0) {
        fixture_set_tracer(p.f, MPL_TRACER_EZTRACE);
    }
    for (uint32_t l = 0; l < p.n_ranks; l++) {
        p.now[l] = below(50) * p.scale;
        fixture_enter(p.f, l, p.now[l], "main");
    }
    for (uint32_t i = 0, n = below(300); i < n; i++) {
        make_step(&p);
    }
    while (p.n_pending > 0) {
        make_receive(&p, &p.pending[--p.n_pending]);
    }
    for (uint32_t l = 0; l < p.n_ranks; l++) {
        make_wait(&p, l);
        fixture_record(p.f, l, later(&p, l, 30), MPL_EV_MARK);
    }
    return fixture_events(p.f);
}

/* ---- oracle: calls --------------------------------------------------------------------- */

struct known_call {
    uint32_t enter, leave; /* records */
    const char *region;    /* NULL: flush */
};

struct known {
    const struct mpl_events *events;
    const struct mpl_model *model;
    struct known_call *calls[RANKS];
    uint32_t n[RANKS];
};

static bool is_mpi(const char *name)
{
    return strncmp(name, "MPI_", 4) == 0;
}

/* The traces made here nest no calls, and leave all of them. */
static void find_calls(struct known *o, uint32_t location)
{
    const struct mpl_location *loc = &o->model->locations[location];
    struct known_call *calls = MPL_NEW_ARRAY(arena, CALLS, struct known_call);
    uint32_t n = 0;

    ck_assert_ptr_nonnull(calls);
    for (uint32_t e = 0; e < loc->n_events; e++) {
        const bool is_region =
            mpl_kind_of(loc, e) == MPL_EV_ENTER || mpl_kind_of(loc, e) == MPL_EV_LEAVE;
        const char *name = is_region ? o->model->regions[mpl_ref_of(loc, e)].name : NULL;

        ck_assert_uint_lt(n, CALLS);
        if (mpl_kind_of(loc, e) == MPL_EV_FLUSH_BEGIN ||
            (mpl_kind_of(loc, e) == MPL_EV_ENTER && is_mpi(name))) {
            calls[n].enter = e;
            calls[n].region = name;
        } else if (mpl_kind_of(loc, e) == MPL_EV_FLUSH_END ||
                   (mpl_kind_of(loc, e) == MPL_EV_LEAVE && is_mpi(name))) {
            calls[n++].leave = e;
        }
    }
    o->calls[location] = calls;
    o->n[location] = n;
}

static struct known learn(const struct mpl_events *events)
{
    struct known o = { .events = events, .model = mpl_events_model(events) };

    for (uint32_t l = 0; l < o.model->n_locations; l++) {
        find_calls(&o, l);
    }
    return o;
}

/* No earlier than the moment at which all have begun, where the trace may start before. */
static int64_t time_of(const struct known *o, uint32_t location, uint32_t event)
{
    int64_t ticks = mpl_ticks_of(&o->model->locations[location], event);
    int64_t first_end = INT64_MAX;
    int64_t last_begin = INT64_MIN;

    for (uint32_t l = 0; l < o->model->n_locations; l++) {
        const struct mpl_location *loc = &o->model->locations[l];
        const int64_t end = mpl_ticks_of(loc, loc->n_events - 1);

        last_begin = mpl_ticks_of(loc, 0) > last_begin ? mpl_ticks_of(loc, 0) : last_begin;
        first_end = end < first_end ? end : first_end;
    }
    if (o->model->tracer == MPL_TRACER_TEXT || last_begin > first_end) {
        return ticks;
    }
    return ticks > last_begin ? ticks : last_begin;
}

/* Calls of start-up that come before those the trace has. */
static uint32_t n_startup(const struct known *o, uint32_t location)
{
    return mpl_ticks_of(&o->model->locations[location], 0) < time_of(o, location, 0);
}

static uint32_t call_of(const struct known *o, uint32_t location, uint32_t event)
{
    for (uint32_t k = 0; k < o->n[location]; k++) {
        if (event >= o->calls[location][k].enter && event <= o->calls[location][k].leave) {
            return k;
        }
    }
    ck_abort_msg("record outside of all calls");
    return 0;
}

/* When the call that holds record \p event was entered. */
static int64_t enter_time(const struct known *o, uint32_t location, uint32_t event)
{
    return time_of(o, location, o->calls[location][call_of(o, location, event)].enter);
}

/* ---- oracle: waits ------------------------------------------------------------------------ */

struct expected {
    int64_t ticks;
    enum mpl_wait_kind kind;
    bool is_known;
    int64_t send_ticks; /* of a late sender */
    uint32_t culprit;
};

static int64_t clip(int64_t ticks, int64_t duration)
{
    return ticks < 0 ? 0 : ticks > duration ? duration : ticks;
}

static void at_least(struct expected *x, int64_t ticks, enum mpl_wait_kind kind,
                     uint32_t culprit)
{
    if (ticks > x->ticks) {
        x->ticks = ticks;
        x->kind = kind;
        x->culprit = culprit;
    }
}

static int64_t send_time(const struct known *o, struct mpl_end end)
{
    return enter_time(
        o, end.location,
        mpl_message_get(&o->model->locations[end.location], end.message).event);
}

static void expect_message(const struct known *o, uint32_t location, uint32_t event,
                           const struct known_call *call, struct expected *x)
{
    const struct mpl_location *loc = &o->model->locations[location];
    const int64_t enter = time_of(o, location, call->enter);
    const int64_t duration = time_of(o, location, call->leave) - enter;
    const bool is_receive =
        mpl_kind_of(loc, event) == MPL_EV_RECV || mpl_kind_of(loc, event) == MPL_EV_IRECV;
    const struct mpl_end end =
        mpl_match_partner(mpl_events_match(o->events), location, mpl_ref_of(loc, event));
    struct mpl_message other;

    if (end.message == MPL_NONE) {
        x->is_known = false;
        return;
    }
    other = mpl_message_get(&o->model->locations[end.location], end.message);
    if (is_receive) {
        const int64_t send = send_time(o, end);

        if (clip(send - enter, duration) > x->ticks) {
            x->send_ticks = send;
        }
        at_least(x, clip(send - enter, duration), MPL_WAIT_LATE_SENDER, end.location);
    } else {
        const uint32_t post = other.post != MPL_NONE ? other.post : other.event;
        const int64_t receive = enter_time(o, end.location, post);

        if (receive <= enter + duration) {
            at_least(x, clip(receive - enter, duration), MPL_WAIT_LATE_RECEIVER,
                     end.location);
        }
    }
}

static bool depends(enum mpl_coll_class class, const struct mpl_coll_part *on,
                    const struct mpl_coll_part *self, uint32_t root)
{
    switch (class) {
    case MPL_CLASS_1_TO_N:
        return on->rank == root && self->rank != root;
    case MPL_CLASS_N_TO_1:
        return self->rank == root && on->rank != root;
    case MPL_CLASS_SCAN:
    case MPL_CLASS_EXSCAN:
        return on->rank < self->rank;
    default:
        return true;
    }
}

static void expect_collective(const struct known *o, uint32_t location, uint32_t collective,
                              const struct known_call *call, struct expected *x)
{
    static const enum mpl_wait_kind kinds[] = {
        [MPL_CLASS_BARRIER] = MPL_WAIT_BARRIER,
        [MPL_CLASS_N_TO_N] = MPL_WAIT_N_TO_N,
        [MPL_CLASS_1_TO_N] = MPL_WAIT_LATE_BROADCAST,
        [MPL_CLASS_N_TO_1] = MPL_WAIT_EARLY_REDUCE,
        [MPL_CLASS_SCAN] = MPL_WAIT_EARLY_SCAN,
        [MPL_CLASS_EXSCAN] = MPL_WAIT_EARLY_SCAN,
    };
    const struct mpl_match *match = mpl_events_match(o->events);
    const struct mpl_coll_instance *in =
        &match->instances[match->instance[location][collective]];
    const enum mpl_coll_class class = mpl_coll_class_of(in->op);
    const int64_t enter = time_of(o, location, call->enter);
    const int64_t duration = time_of(o, location, call->leave) - enter;
    const struct mpl_coll_part *self = NULL;

    ck_assert(in->is_complete);
    for (uint32_t i = 0; i < in->n_parts; i++) {
        if (match->parts[in->first_part + i].location == location) {
            self = &match->parts[in->first_part + i];
        }
    }
    ck_assert_ptr_nonnull(self);
    for (uint32_t i = 0; i < in->n_parts; i++) {
        const struct mpl_coll_part *on = &match->parts[in->first_part + i];
        const uint32_t event =
            o->model->locations[on->location].collectives[on->collective].begin;

        if (depends(class, on, self, in->root)) {
            at_least(x, clip(enter_time(o, on->location, event) - enter, duration),
                     kinds[class], on->location);
        }
    }
}

static bool can_wait(const char *region)
{
    return region != NULL && strcmp(region, "MPI_Testall") != 0 &&
           strcmp(region, "MPI_Isend") != 0 && strcmp(region, "MPI_Irecv") != 0 &&
           strcmp(region, "MPI_Bsend") != 0;
}

static struct expected expect(const struct known *o, uint32_t location, uint32_t k)
{
    const struct mpl_location *loc = &o->model->locations[location];
    const struct known_call *call = &o->calls[location][k];
    struct expected x = { 0, MPL_WAIT_NONE, true, 0, MPL_NONE };

    if (!can_wait(call->region)) {
        return x;
    }
    for (uint32_t e = call->enter; e <= call->leave; e++) {
        switch ((enum mpl_event_kind) mpl_kind_of(loc, e)) {
        case MPL_EV_SEND:
        case MPL_EV_RECV:
        case MPL_EV_IRECV:
        case MPL_EV_ISEND_DONE:
            expect_message(o, location, e, call, &x);
            break;
        case MPL_EV_COLL_END:
            expect_collective(o, location, mpl_ref_of(loc, e), call, &x);
            break;
        default:
            break;
        }
    }
    if (!x.is_known) {
        x = (struct expected){ 0, MPL_WAIT_NONE, false, 0, MPL_NONE };
    }
    return x;
}

/* Whether a message received in a later call was sent before \p send_ticks. */
static bool is_wrong_order(const struct known *o, uint32_t location, uint32_t k,
                           int64_t send_ticks)
{
    const struct mpl_location *loc = &o->model->locations[location];

    for (uint32_t e = o->calls[location][k].leave; e < loc->n_events; e++) {
        struct mpl_end end;

        if (mpl_kind_of(loc, e) != MPL_EV_RECV && mpl_kind_of(loc, e) != MPL_EV_IRECV) {
            continue;
        }
        end = mpl_match_partner(mpl_events_match(o->events), location, mpl_ref_of(loc, e));
        if (end.message != MPL_NONE && send_time(o, end) < send_ticks) {
            return true;
        }
    }
    return false;
}

/* ---- comparison ----------------------------------------------------------------------------- */

#define ASSERT_TICKS(seed, seconds, ticks) \
    ck_assert_msg(llround((seconds) *1e6) == (ticks), "seed %d: %s is %lld, not %lld", \
                  (seed), #seconds, llround((seconds) *1e6), (long long) (ticks))

static void compare_waits(const struct known *o, uint32_t location, int seed)
{
    const struct mpl_totals *totals = mpl_events_totals(o->events, location);
    int64_t wait[MPL_WAIT_KINDS] = { 0 };
    int64_t unknown = 0;
    int64_t wrong = 0;

    ck_assert_uint_eq(mpl_events_span_count(o->events, location),
                      2 * (o->n[location] + n_startup(o, location)) + 1);
    for (uint32_t k = 0; k < o->n[location]; k++) {
        const struct known_call *call = &o->calls[location][k];
        const struct mpl_span span =
            mpl_events_span(o->events, location, 2 * (k + n_startup(o, location)) + 1);
        const struct expected x = expect(o, location, k);

        ck_assert_int_eq(span.enter_ticks, time_of(o, location, call->enter));
        ck_assert_int_eq(span.leave_ticks, time_of(o, location, call->leave));
        ck_assert_msg(span.is_wait_known == x.is_known && span.wait_ticks == x.ticks,
                      "seed %d, location %u, call %u (%s): waits %lld, not %lld", seed,
                      location, k, call->region, (long long) span.wait_ticks,
                      (long long) x.ticks);
        ck_assert_int_eq(span.wait_kind, x.kind);
        wait[x.kind] += x.ticks;
        unknown += x.is_known ? 0 : span.leave_ticks - span.enter_ticks;
        if (x.kind == MPL_WAIT_LATE_SENDER &&
            is_wrong_order(o, location, k, x.send_ticks)) {
            wrong += x.ticks;
        }
    }
    for (int i = 0; i < MPL_WAIT_KINDS; i++) {
        ASSERT_TICKS(seed, totals->wait_s[i], wait[i]);
    }
    ASSERT_TICKS(seed, totals->unknown_s, unknown);
    ASSERT_TICKS(seed, totals->wrong_order_s, wrong);
}

static void try_waits(int seed)
{
    const struct mpl_events *events = make_trace(seed);
    const struct known o = learn(events);
    double caused[MPL_WAIT_KINDS] = { 0 };
    double suffered[MPL_WAIT_KINDS] = { 0 };

    for (uint32_t l = 0; l < o.model->n_locations; l++) {
        compare_waits(&o, l, seed);
        for (int i = 0; i < MPL_WAIT_KINDS; i++) {
            caused[i] += mpl_events_totals(events, l)->caused_s[i];
            suffered[i] += mpl_events_totals(events, l)->wait_s[i];
        }
    }
    for (int i = 0; i < MPL_WAIT_KINDS; i++) {
        ASSERT_TICKS(seed, caused[i], llround(suffered[i] * 1e6));
    }
}

START_TEST(waits_are_what_the_definitions_say)
{
    for_seeds(_i, try_waits);
}
END_TEST

/* ---- regions -------------------------------------------------------------------------------- */

/* The innermost open function before record \p event; MPL_NONE inside calls. A leave closes all
 * that was entered after its enter. */
static uint32_t innermost(const struct known *o, uint32_t location, uint32_t event)
{
    const struct mpl_location *loc = &o->model->locations[location];
    uint32_t stack[CALLS];
    uint32_t depth = 0;
    bool is_flushing = false;

    for (uint32_t e = 0; e < event; e++) {
        if (mpl_kind_of(loc, e) == MPL_EV_FLUSH_BEGIN ||
            mpl_kind_of(loc, e) == MPL_EV_FLUSH_END) {
            is_flushing = mpl_kind_of(loc, e) == MPL_EV_FLUSH_BEGIN;
        } else if (mpl_kind_of(loc, e) == MPL_EV_ENTER) {
            ck_assert_uint_lt(depth, CALLS);
            stack[depth++] = mpl_ref_of(loc, e);
        } else if (mpl_kind_of(loc, e) == MPL_EV_LEAVE) {
            uint32_t d = depth;

            while (d > 0 && stack[d - 1] != mpl_ref_of(loc, e)) {
                d--;
            }
            depth = d > 0 ? d - 1 : depth;
        }
    }
    if (is_flushing || depth == 0 || is_mpi(o->model->regions[stack[depth - 1]].name)) {
        return MPL_NONE;
    }
    return stack[depth - 1];
}

static void compare_regions(const struct known *o, uint32_t location, int seed)
{
    const struct mpl_location *loc = &o->model->locations[location];
    const struct mpl_region_time *times;
    int64_t expected[64] = { 0 };
    uint32_t n;

    for (uint32_t e = 1; e < loc->n_events; e++) {
        const uint32_t region = innermost(o, location, e);

        if (region != MPL_NONE) {
            expected[region] += time_of(o, location, e) - time_of(o, location, e - 1);
        }
    }
    times = mpl_events_regions(o->events, location, &n);
    for (uint32_t i = 0; i < n; i++) {
        ASSERT_TICKS(seed, times[i].exclusive_s, expected[times[i].region]);
        expected[times[i].region] = 0;
        if (i > 0) {
            ck_assert_double_le(times[i].exclusive_s, times[i - 1].exclusive_s);
        }
    }
    for (uint32_t r = 0; r < 64; r++) {
        ck_assert_msg(expected[r] == 0, "seed %d: region %u is missing", seed, r);
    }
}

static void try_regions(int seed)
{
    const struct mpl_events *events = make_trace(seed);
    const struct known o = learn(events);

    for (uint32_t l = 0; l < o.model->n_locations; l++) {
        compare_regions(&o, l, seed);
    }
}

START_TEST(exclusive_times_are_what_the_stack_says)
{
    for_seeds(_i, try_regions);
}
END_TEST

/* ---- invariants --------------------------------------------------------------------------------- */

static void check_span(const struct mpl_events *events, uint32_t l, uint32_t s)
{
    const struct mpl_span span = mpl_events_span(events, l, s);

    ck_assert_int_ge(span.leave_ticks, span.enter_ticks);
    ck_assert_int_ge(span.wait_ticks, 0);
    ck_assert_int_le(span.wait_ticks, span.leave_ticks - span.enter_ticks);
    ck_assert_int_eq((span.wait_ticks > 0), (span.wait_kind != MPL_WAIT_NONE));
    ck_assert_int_eq((span.wait_ticks > 0), (span.culprit != MPL_NONE));
    for (uint32_t i = 0; i < span.n_messages; i++) {
        const uint32_t m = mpl_events_message(events, l, &span, i);

        ck_assert_uint_eq(mpl_events_span_of_message(events, l, m), s);
    }
}

static void check_location(const struct mpl_events *events, uint32_t l, int seed)
{
    const struct mpl_location *loc = &mpl_events_model(events)->locations[l];
    const uint32_t n = mpl_events_span_count(events, l);
    int64_t sums[MPL_SPAN_CLASSES] = { 0 };
    int64_t at = loc->n_events > 0 ? mpl_ticks_of(loc, 0) : 0;

    for (uint32_t s = 0; s < n; s++) {
        const struct mpl_span span = mpl_events_span(events, l, s);

        check_span(events, l, s);
        ck_assert_msg(span.enter_ticks == at, "seed %d: hole before span %u", seed, s);
        sums[span.class] += span.leave_ticks - span.enter_ticks;
        at = span.leave_ticks;
    }
    if (n > 0) {
        ck_assert_int_eq(at, mpl_ticks_of(loc, loc->n_events - 1));
    }
    for (int i = 0; i < MPL_SPAN_CLASSES; i++) {
        ASSERT_TICKS(seed, mpl_events_totals(events, l)->class_s[i], sums[i]);
    }
}

static void try_spans(int seed)
{
    const struct mpl_events *events = make_trace(seed);

    for (uint32_t l = 0; l < mpl_events_model(events)->n_locations; l++) {
        check_location(events, l, seed);
    }
}

START_TEST(spans_tile_the_time_of_a_location)
{
    for_seeds(_i, try_spans);
}
END_TEST

/* A record that no rule of any tracer allows at this place. */
static void make_nonsense(struct program *p, uint32_t l)
{
    static const char *const regions[] = {
        "MPI_Init",    "MPI_Finalize",  "MPI_Recv",  "MPI_Send",
        "MPI_Waitall", "MPI_Barrier",   "MPI_Probe", "solve",
        "main",        "!$omp barrier", "Working",   "MPI_Comm_rank"
    };
    static const enum mpl_event_kind kinds[] = { MPL_EV_FLUSH_BEGIN, MPL_EV_FLUSH_END,
                                                 MPL_EV_OFF,         MPL_EV_ON,
                                                 MPL_EV_TEAM_BEGIN,  MPL_EV_TEAM_END,
                                                 MPL_EV_FORK,        MPL_EV_MARK };
    const int64_t now = later(p, l, 5);
    const uint32_t peer = below(p->n_ranks);

    switch (below(10)) {
    case 0:
        fixture_record(p->f, l, now, kinds[below(8)]);
        break;
    case 1:
        (void) fixture_send(p->f, l, now, peer, below(2));
        break;
    case 2:
        (void) fixture_recv(p->f, l, now, peer, below(2));
        break;
    case 3:
        fixture_irecv(p->f, l, now, fixture_post(p->f, l, now), peer, below(2));
        break;
    case 4:
        fixture_coll_end(p->f, l, now, fixture_coll_begin(p->f, l, now), MPL_COLL_BARRIER,
                         MPL_NONE, 0, 0);
        break;
    case 5:
        (void) fixture_coll_begin(p->f, l, now);
        break;
    case 6:
    case 7:
        fixture_leave(p->f, l, now, regions[below(12)]);
        break;
    default:
        fixture_enter(p->f, l, now, regions[below(12)]);
        break;
    }
}

static void try_nonsense(int seed)
{
    struct program p = { 0 };
    const struct mpl_events *events;

    srand((unsigned) seed);
    p.n_ranks = 1 + below(RANKS);
    p.f = fixture_create(arena, p.n_ranks, 1 + below(2));
    for (uint32_t i = 0, n = below(120); i < n; i++) {
        make_nonsense(&p, below(p.n_ranks));
    }
    events = fixture_events(p.f);
    for (uint32_t l = 0; l < mpl_events_model(events)->n_locations; l++) {
        check_location(events, l, seed);
    }
    ck_assert(!(replay_ideal_s(events) < 0));
}

START_TEST(no_sequence_of_records_breaks_the_rules)
{
    for_seeds(_i, try_nonsense);
}
END_TEST

/* ---- replay ---------------------------------------------------------------------------------------- */

struct clockwork {
    const struct known *o;
    int64_t reached[RANKS][CALLS]; /* -1: not yet */
    int64_t now[RANKS];
    uint32_t at[RANKS];
    int64_t unknown;        /* in calls without partners */
    int64_t compute[RANKS]; /* how many times as long computation takes */
    int64_t transfer;       /* and calls beyond waiting; 0: the ideal network */
};

static bool need(const struct clockwork *c, uint32_t location, uint32_t event, int64_t *now)
{
    const int64_t reached = c->reached[location][call_of(c->o, location, event)];

    if (reached > *now) {
        *now = reached;
    }
    return reached >= 0;
}

/* Whether the send of record \p e returns only when the message is taken: as it must, or as it did. */
static bool is_held(const struct clockwork *c, uint32_t location, uint32_t e,
                    const char *region, uint32_t receiver)
{
    const enum mpl_event_kind kind =
        (enum mpl_event_kind) mpl_kind_of(&c->o->model->locations[location], e);
    struct expected x;

    if (kind == MPL_EV_SEND && strcmp(region, "MPI_Ssend") == 0) {
        return true;
    }
    if ((kind != MPL_EV_SEND && kind != MPL_EV_ISEND_DONE) || c->transfer == 0) {
        return false;
    }
    x = expect(c->o, location, c->at[location]);
    return x.is_known && x.ticks > 0 && x.kind == MPL_WAIT_LATE_RECEIVER &&
           (kind == MPL_EV_SEND || x.culprit == receiver);
}

/* Whether the send of record \p e lasted until its receiver came to a call, its number \p first, that may not
 * be the one that posts the receive; and how long that took. */
static bool is_looked_for(const struct clockwork *c, uint32_t location, uint32_t e,
                          const char *region, struct mpl_end end, uint32_t *first,
                          int64_t *held)
{
    const struct known *o = c->o;
    const struct known_call *call = &o->calls[location][c->at[location]];
    const int64_t begin = time_of(o, location, call->enter);
    const int64_t ticks = time_of(o, location, call->leave) - begin;
    struct mpl_message message;
    uint32_t posting;

    if (mpl_kind_of(&o->model->locations[location], e) != MPL_EV_SEND ||
        end.message == MPL_NONE || c->transfer == 0 ||
        is_held(c, location, e, region, end.location)) {
        return false;
    }
    message = mpl_message_get(&o->model->locations[end.location], end.message);
    posting =
        call_of(o, end.location, message.post != MPL_NONE ? message.post : message.event);
    *first = 0;
    while (*first < posting &&
           time_of(o, end.location, o->calls[end.location][*first].enter) <= begin) {
        ++*first;
    }
    *held = time_of(o, end.location, o->calls[end.location][*first].enter) - begin;
    return *held > 0 && *held < ticks && 2 * *held >= ticks && posting - *first <= 16 &&
           (*first == 0 ||
            time_of(o, end.location, o->calls[end.location][*first - 1].leave) <= begin);
}

/* True if record \p e holds nobody up any more; raises *now to what it waited for. */
static bool passes(const struct clockwork *c, uint32_t location, uint32_t e,
                   const char *region, int64_t *now)
{
    const struct mpl_model *model = c->o->model;
    const struct mpl_match *match = mpl_events_match(c->o->events);
    const struct mpl_location *loc = &model->locations[location];
    const bool is_receive =
        mpl_kind_of(loc, e) == MPL_EV_RECV || mpl_kind_of(loc, e) == MPL_EV_IRECV;

    if (is_receive || mpl_kind_of(loc, e) == MPL_EV_SEND ||
        (mpl_kind_of(loc, e) == MPL_EV_ISEND_DONE && mpl_ref_of(loc, e) != MPL_NONE)) {
        const struct mpl_end end = mpl_match_partner(match, location, mpl_ref_of(loc, e));
        struct mpl_message other;
        uint32_t first;
        int64_t held;

        if (is_looked_for(c, location, e, region, end, &first, &held)) {
            const int64_t reached = c->reached[end.location][first];

            *now = reached > *now ? reached : *now;
            return reached >= 0;
        }
        if (end.message == MPL_NONE ||
            (!is_receive && !is_held(c, location, e, region, end.location))) {
            return true;
        }
        other = mpl_message_get(&model->locations[end.location], end.message);
        return need(c, end.location,
                    !is_receive && other.post != MPL_NONE ? other.post : other.event, now);
    }
    if (mpl_kind_of(loc, e) == MPL_EV_COLL_END) {
        const struct mpl_coll_instance *in =
            &match->instances[match->instance[location][mpl_ref_of(loc, e)]];
        const struct mpl_coll_part self = { location, mpl_ref_of(loc, e), location };
        bool is_free = true;

        for (uint32_t i = 0; i < in->n_parts; i++) {
            const struct mpl_coll_part *on = &match->parts[in->first_part + i];

            if (depends(mpl_coll_class_of(in->op), on, &self, in->root)) {
                is_free =
                    need(c, on->location,
                         model->locations[on->location].collectives[on->collective].begin,
                         now) &&
                    is_free;
            }
        }
        return is_free;
    }
    return true;
}

/* For how long the current call, a send, lasted only because its receiver did not look. */
static int64_t held_in(const struct clockwork *c, uint32_t l)
{
    const struct known_call *call = &c->o->calls[l][c->at[l]];
    int64_t sum = 0;

    for (uint32_t e = call->enter; e <= call->leave; e++) {
        const struct mpl_location *loc = &c->o->model->locations[l];
        uint32_t first;
        int64_t held;

        if (mpl_kind_of(loc, e) == MPL_EV_SEND &&
            is_looked_for(
                c, l, e, call->region,
                mpl_match_partner(mpl_events_match(c->o->events), l, mpl_ref_of(loc, e)),
                &first, &held)) {
            sum = held;
        }
    }
    return sum;
}

/* One call of one location; false if it is stuck or through. */
static bool advance(struct clockwork *c, uint32_t l)
{
    const struct known_call *call = &c->o->calls[l][c->at[l]];
    const uint32_t before = c->at[l] == 0 ? 0 : call[-1].leave;
    int64_t now = c->now[l];

    if (c->at[l] == c->o->n[l]) {
        return false;
    }
    if (c->reached[l][c->at[l]] < 0) {
        c->reached[l][c->at[l]] = now + c->compute[l] * (time_of(c->o, l, call->enter) -
                                                         time_of(c->o, l, before));
        return true;
    }
    now = c->reached[l][c->at[l]];
    for (uint32_t e = call->enter; e <= call->leave; e++) {
        if (!passes(c, l, e, call->region, &now)) {
            return false;
        }
    }
    const struct expected x = expect(c->o, l, c->at[l]);

    if (call->region != NULL && x.is_known) {
        now += c->transfer * (time_of(c->o, l, call->leave) -
                              time_of(c->o, l, call->enter) - x.ticks - held_in(c, l));
    } else {
        /* As long as measured, not longer for what is known of it. */
        const int64_t ticks = time_of(c->o, l, call->leave) - time_of(c->o, l, call->enter);
        const int64_t measured = c->reached[l][c->at[l]] + ticks;

        now = now > measured ? now : measured;
        c->unknown += call->region == NULL ? 0 : ticks;
    }
    c->now[l] = now;
    c->at[l]++;
    return true;
}

/* Until nobody gets on any more, everybody tries again. Negative if somebody hangs: a record too
 * many can pair later ones such that no program could have done so. */
static int64_t replay(struct clockwork *c)
{
    const uint32_t n = c->o->model->n_locations;
    int64_t longest = 0;
    bool is_moving = true;

    while (is_moving) {
        is_moving = false;
        for (uint32_t l = 0; l < n; l++) {
            is_moving = advance(c, l) || is_moving;
        }
    }
    for (uint32_t l = 0; l < n; l++) {
        const struct mpl_location *loc = &c->o->model->locations[l];
        const uint32_t k = c->o->n[l];
        const uint32_t before = k == 0 ? 0 : c->o->calls[l][k - 1].leave;

        if (c->at[l] < k) {
            return -1;
        }
        c->now[l] += c->compute[l] *
                     (time_of(c->o, l, loc->n_events - 1) - time_of(c->o, l, before));
        longest = c->now[l] > longest ? c->now[l] : longest;
    }
    return longest;
}

/* With the times of the clockwork; negative where the answer must be a guess. */
static int64_t replay_trace(struct clockwork *c, const struct known *o)
{
    const struct mpl_match_counts *counts = &mpl_events_match(o->events)->counts;
    const uint64_t missing = counts->unmatched_sends + counts->unmatched_receives;
    int64_t begin, end, ticks;

    mpl_events_window(o->events, &begin, &end);
    c->o = o;
    c->unknown = 0;
    memset(c->reached, 0xff, sizeof c->reached);
    for (uint32_t l = 0; l < o->model->n_locations; l++) {
        c->now[l] = time_of(o, l, 0) - begin;
        c->at[l] = 0;
    }
    ticks = replay(c);
    return 100 * missing > 2 * counts->pairs + missing ||
                   100 * c->unknown > o->model->n_locations * (end - begin)
               ? -1
               : ticks;
}

static void assert_replayed(int seed, const char *what, double seconds, int64_t ticks)
{
    if (ticks < 0) {
        ck_assert_msg(isnan(seconds), "seed %d, %s: a guess", seed, what);
        return;
    }
    ASSERT_TICKS(seed, seconds, ticks);
}

static void try_replay(int seed)
{
    const struct mpl_events *events = make_trace(seed);
    const struct known o = learn(events);
    struct clockwork *c = MPL_NEW(arena, struct clockwork);
    struct mpl_replayed answer = { 0 };
    const struct mpl_what_if *what = NULL;
    const char *text = "";

    ck_assert_ptr_nonnull(c);
    for (uint32_t l = 0; l < o.model->n_locations; l++) {
        c->compute[l] = 1;
    }
    assert_replayed(seed, "ideal", replay_ideal_s(events), replay_trace(c, &o));
    c->transfer = 1;
    const int64_t baseline = replay_trace(c, &o);

    for (uint32_t l = 0; l < o.model->n_locations; l++) {
        c->compute[l] = below(4);
        text = mpl_arena_printf(arena, "%scompute(%s)*%d,", text,
                                o.model->locations[l].label, (int) c->compute[l]);
    }
    c->transfer = below(3);
    text = mpl_arena_printf(arena, "%stransfer*%d", text, (int) c->transfer);
    ck_assert_int_eq(mpl_what_if_parse(text, arena, &what, NULL), MPL_OK);
    ck_assert_int_eq(mpl_replay_run(events, what, NULL, 0, arena, &answer, NULL), MPL_OK);
    assert_replayed(seed, "nothing changed", answer.baseline_s, baseline);
    assert_replayed(seed, text, answer.changed_s, baseline < 0 ? -1 : replay_trace(c, &o));
}

START_TEST(replayed_times_are_those_of_a_patient_replay)
{
    for_seeds(_i, try_replay);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("events_oracle");
    TCase *t = add_case(suite, "oracle", create_arena, destroy_arena);

    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, waits_are_what_the_definitions_say, 0, 5);
    tcase_add_loop_test(t, exclusive_times_are_what_the_stack_says, 0, 1);
    tcase_add_loop_test(t, spans_tile_the_time_of_a_location, 0, 2);
    tcase_add_loop_test(t, no_sequence_of_records_breaks_the_rules, 0, 12);
    tcase_add_loop_test(t, replayed_times_are_those_of_a_patient_replay, 0, 5);
    return run_suite(suite);
}
