/*
 * Matching against an oracle that is written from MPI's rules alone: every receive, in the
 * order of posting, takes the earliest send that nobody has taken and that has the same
 * communicator, sender, receiver and tag. It costs the square of the messages and shares no
 * code with match. Compared on random traces and on all shared ones that are small enough.
 */
#include "config.h"

#include "../lib/suite.h"
#include "all_traces.h"
#include "match_fixture.h"

#include "read/read.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_SEEDS = 400, MOST_MESSAGES = 12000, MOST_COMMS = 6, MOST_PENDING = 4 };

/* ---- the oracle ------------------------------------------------------------------------ */

struct end {
    uint32_t comm, sender, receiver, tag;
    bool is_send;
    uint64_t time; /* Absolute: of posting. */
    uint32_t location, message;
    uint32_t partner; /* Index of the other end, or MPL_NONE. */
};

static uint64_t absolute(const struct mpl_location *loc, uint32_t event)
{
    return loc->base_ticks + (uint64_t) mpl_ticks_of(loc, event);
}

/* A blocking receive is posted when its call is entered. */
static uint64_t posted(const struct mpl_location *loc, const struct mpl_message *msg)
{
    uint32_t event = msg->event;

    if (mpl_kind_of(loc, event) == MPL_EV_IRECV && msg->post != MPL_NONE) {
        return absolute(loc, msg->post);
    }
    if (mpl_kind_of(loc, event) == MPL_EV_RECV) {
        while (event > 0 && mpl_kind_of(loc, event) != MPL_EV_ENTER) {
            event--;
        }
    }
    return absolute(loc, event);
}

/* Ends that name a partner; sorted by time, then as they stand in the trace. */
static int by_time(const void *a, const void *b)
{
    const struct end *one = a;
    const struct end *other = b;

    if (one->time != other->time) {
        return one->time < other->time ? -1 : 1;
    }
    if (one->location != other->location) {
        return one->location < other->location ? -1 : 1;
    }
    return (one->message > other->message) - (one->message < other->message);
}

static uint32_t list_ends(const struct mpl_model *model, struct end *ends)
{
    uint32_t n = 0;

    for (uint32_t l = 0; l < model->n_locations; l++) {
        const struct mpl_location *loc = &model->locations[l];

        for (uint32_t i = 0; i < loc->n_messages; i++) {
            const struct mpl_message msg = mpl_message_get(loc, i);
            const struct mpl_envelope *e =
                msg.envelope == MPL_NONE ? NULL : &loc->envelopes[msg.envelope];

            if (e == NULL || e->peer == MPL_NONE || e->comm == MPL_NONE) {
                continue;
            }
            ends[n++] = (struct end){ e->comm,
                                      e->is_send ? loc->process : e->peer,
                                      e->is_send ? e->peer : loc->process,
                                      e->tag,
                                      e->is_send,
                                      posted(loc, &msg),
                                      l,
                                      i,
                                      MPL_NONE };
        }
    }
    qsort(ends, n, sizeof *ends, by_time);
    return n;
}

static void match_by_rules(struct end *ends, uint32_t n)
{
    for (uint32_t r = 0; r < n; r++) {
        for (uint32_t s = 0; s < n && !ends[r].is_send; s++) {
            if (ends[s].is_send && ends[s].partner == MPL_NONE &&
                ends[s].comm == ends[r].comm && ends[s].sender == ends[r].sender &&
                ends[s].receiver == ends[r].receiver && ends[s].tag == ends[r].tag) {
                ends[s].partner = r;
                ends[r].partner = s;
                break;
            }
        }
    }
}

static uint32_t count_messages(const struct mpl_model *model)
{
    uint32_t n = 0;

    for (uint32_t l = 0; l < model->n_locations; l++) {
        n += model->locations[l].n_messages;
    }
    return n;
}

static void compare_messages(const struct mpl_model *model, const struct mpl_match *match,
                             const char *what)
{
    struct end *ends = MPL_NEW_ARRAY(arena, count_messages(model), struct end);
    uint32_t n;

    ck_assert_ptr_nonnull(ends);
    n = list_ends(model, ends);
    match_by_rules(ends, n);
    for (uint32_t i = 0; i < n; i++) {
        const struct mpl_end end =
            mpl_match_partner(match, ends[i].location, ends[i].message);
        const struct end *other =
            ends[i].partner == MPL_NONE ? NULL : &ends[ends[i].partner];

        if (end.location != (other == NULL ? MPL_NONE : other->location) ||
            end.message != (other == NULL ? MPL_NONE : other->message)) {
            ck_abort_msg("%s: message %u of %u has another partner", what, ends[i].message,
                         ends[i].location);
        }
    }
}

/* ---- collectives by the rules: the k-th of every member belong together ------------------- */

/* The part of \p process that is number \p k on \p comm in order of time. */
static struct mpl_coll_part find_kth(const struct mpl_model *model, uint32_t process,
                                     uint32_t comm, uint32_t k)
{
    struct mpl_coll_part best = { MPL_NONE, MPL_NONE, MPL_NONE };
    uint64_t after = 0;

    for (uint32_t step = 0; step <= k; step++) {
        uint64_t earliest = UINT64_MAX;

        for (uint32_t t = 0; t < model->processes[process].n_locations; t++) {
            const uint32_t l = model->processes[process].locations[t];
            const struct mpl_location *loc = &model->locations[l];

            for (uint32_t c = 0; c < loc->n_collectives; c++) {
                const struct mpl_collective *part = &loc->collectives[c];

                if (part->comm == comm && absolute(loc, part->begin) >= after &&
                    absolute(loc, part->begin) < earliest) {
                    earliest = absolute(loc, part->begin);
                    best = (struct mpl_coll_part){ l, c, 0 };
                }
            }
        }
        if (earliest == UINT64_MAX) {
            return (struct mpl_coll_part){ MPL_NONE, MPL_NONE, MPL_NONE };
        }
        after = earliest + 1;
    }
    return best;
}

static void compare_collectives(const struct mpl_model *model,
                                const struct mpl_match *match, const char *what)
{
    uint32_t k = 0;

    for (uint32_t i = 0; i < match->n_instances; i++) {
        const struct mpl_coll_instance *in = &match->instances[i];
        const struct mpl_comm *comm = &model->comms[in->comm];
        uint32_t n = 0;

        k = i > 0 && in[-1].comm == in->comm ? k + 1 : 0;
        for (uint32_t rank = 0; rank < comm->n_members && !comm->is_self; rank++) {
            const struct mpl_coll_part part =
                find_kth(model, comm->members[rank], in->comm, k);

            if (part.location == MPL_NONE) {
                continue;
            }

            const struct mpl_coll_part *seen = &match->parts[in->first_part + n++];

            ck_assert_msg(seen->location == part.location &&
                              seen->collective == part.collective && seen->rank == rank,
                          "%s: wrong part of rank %u in instance %u", what, rank, i);
        }
        ck_assert_msg(comm->is_self || n == in->n_parts, "%s: parts of instance %u", what,
                      i);
    }
}

/* ---- random traces -------------------------------------------------------------------------- */

/* A generator of our own, so that a seed means the same everywhere. */
static uint64_t state;

static uint32_t draw(uint32_t n)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t) ((state >> 33) % n);
}

struct generator {
    struct trace *trace;
    uint32_t n_locations;
    uint32_t n_processes;
    uint32_t n_comms;
    uint32_t comm_size[MOST_COMMS];
    uint32_t member[MOST_COMMS][8];
};

static void make_comms(struct generator *g)
{
    g->n_comms = 2 + draw(MOST_COMMS - 2);
    for (uint32_t p = 0; p < g->n_processes; p++) {
        g->member[0][p] = p;
    }
    g->comm_size[0] = g->n_processes;
    g->comm_size[1] = 1;
    for (uint32_t c = 2; c < g->n_comms; c++) {
        const uint32_t first = draw(g->n_processes);

        g->comm_size[c] = 1 + draw(g->n_processes);
        for (uint32_t i = 0; i < g->comm_size[c]; i++) {
            const uint32_t p = (first + g->n_processes - i) % g->n_processes;

            g->member[c][i] = p;
        }
        (void) trace_comm(g->trace, g->member[c], g->comm_size[c]);
    }
}

/* Any address, also one that nobody answers; now and then PROC_NULL. */
static struct address draw_address(const struct generator *g)
{
    const uint32_t comm = draw(g->n_comms);
    const uint32_t rank = draw(12) == 0 ? MPL_NONE : draw(g->comm_size[comm]);

    return (struct address){ comm, rank, draw(2) };
}

static uint32_t rank_of(const struct generator *g, uint32_t comm, uint32_t process)
{
    for (uint32_t i = 0; i < g->comm_size[comm]; i++) {
        if (g->member[comm][i] == process) {
            return i;
        }
    }
    return MPL_NONE;
}

static void draw_coll(struct generator *g, uint32_t location, uint32_t process,
                      int64_t from, int64_t to)
{
    const uint32_t comm = draw(g->n_comms);

    if (comm == 1 || rank_of(g, comm, process) != MPL_NONE) {
        (void) trace_coll(g->trace, location, from, to, comm, MPL_COLL_BARRIER, MPL_NONE);
    }
}

/* One location's records, at times that no other thread of its process has. */
static void make_location(struct generator *g, uint32_t location, uint32_t process)
{
    uint32_t pending[MOST_PENDING];
    uint32_t n_pending = 0;
    int64_t now = 0;

    for (uint32_t n = draw(25); n > 0; n--) {
        const int64_t from = (now + 1 + draw(5)) * g->n_locations + location;
        const int64_t to = from + (int64_t) (1 + draw(3)) * g->n_locations;
        const struct address address = draw_address(g);
        uint32_t i;

        now = to / g->n_locations;
        switch (draw(7)) {
        case 0:
        case 1:
            (void) trace_send(g->trace, location, from, to,
                              draw(2) == 0 ? "MPI_Send" : "MPI_Isend", address, 1);
            break;
        case 2:
            (void) trace_recv(g->trace, location, from, to, address, 1);
            break;
        case 3:
        case 4:
            if (n_pending < MOST_PENDING) {
                pending[n_pending++] = trace_post(g->trace, location, from);
            }
            break;
        case 5:
            if (n_pending > 0) {
                i = draw(n_pending);
                trace_complete(g->trace, location, from, to, pending[i], address, 1);
                pending[i] = pending[--n_pending];
            }
            break;
        default:
            draw_coll(g, location, process, from, to);
        }
    }
}

static struct trace *make_trace(void)
{
    struct generator g = { .n_processes = 1 + draw(5) };
    const uint32_t n_threads = 1 + draw(3);

    g.n_locations = g.n_processes * n_threads;
    g.trace = trace_create(arena, g.n_processes, n_threads);
    make_comms(&g);
    for (uint32_t p = 0; p < g.n_processes; p++) {
        const uint64_t base = (uint64_t) draw(1000) << 50;

        for (uint32_t i = 0; i < n_threads; i++) {
            trace_set_base(g.trace, p * n_threads + i, base);
            make_location(&g, p * n_threads + i, p);
        }
    }
    return g.trace;
}

/* _i is the seed. */
START_TEST(random_traces_match_as_the_rules_say)
{
    char what[32];
    struct trace *trace;
    const struct mpl_model *model;
    const struct mpl_match *match;

    state = (uint64_t) _i;
    trace = make_trace();
    model = trace_model(trace);
    match = trace_match(model, arena);
    (void) snprintf(what, sizeof what, "seed %d", _i);
    compare_messages(model, match, what);
    compare_collectives(model, match, what);
    trace_destroy(trace);
}
END_TEST

/* ---- communicators that are not recorded ------------------------------------------------------ */

enum { N_LOST = 40 };

struct sent {
    struct address address; /* As the receiver sees it: the rank is the sender's. */
    uint32_t sender;
    uint32_t send;
    uint32_t receive;
    bool is_received;
};

/* A message to process 0 in a communicator that both are in. */
static struct sent draw_send(struct generator *g, int64_t now, uint64_t bytes)
{
    uint32_t comm = draw(g->n_comms);
    const uint32_t sender = 1 + draw(g->n_processes - 1);

    if (comm == 1 || rank_of(g, comm, 0) == MPL_NONE ||
        rank_of(g, comm, sender) == MPL_NONE) {
        comm = 0;
    }

    const uint32_t tag = draw(2);
    const struct address to = { comm, rank_of(g, comm, 0), tag };

    return (struct sent){ .address = { comm, rank_of(g, comm, sender), tag },
                          .sender = sender,
                          .send = trace_send(g->trace, sender, now, now, "MPI_Send", to,
                                             bytes) };
}

/* The oldest message of a stream that is drawn: MPI does not let messages overtake. */
static uint32_t draw_receive(const struct sent *sent)
{
    uint32_t i = draw(N_LOST);

    while (sent[i].is_received) {
        i = (i + 1) % N_LOST;
    }
    for (uint32_t older = 0; older < i; older++) {
        if (!sent[older].is_received && sent[older].address.comm == sent[i].address.comm &&
            sent[older].address.tag == sent[i].address.tag &&
            sent[older].sender == sent[i].sender) {
            return older;
        }
    }
    return i;
}

/*
 * A run as MPI would carry it out, to one receiving process, each message of its own size; then
 * the communicators of non-blocking receives are lost. All pairs must be found again.
 */
START_TEST(lost_communicators_are_found_again)
{
    struct generator g = { .n_processes = 2 + (uint32_t) _i % 5 };
    struct sent sent[N_LOST];
    const struct mpl_model *model;
    const struct mpl_match *match;

    state = (uint64_t) _i;
    g.trace = trace_create(arena, g.n_processes, 1);
    make_comms(&g);
    for (uint32_t n = 0; n < N_LOST; n++) {
        sent[n] = draw_send(&g, n, 1000 + n);
    }
    for (uint32_t n = 0; n < N_LOST; n++) {
        const uint32_t i = draw_receive(sent);
        const int64_t now = 100 + 10 * (int64_t) n;

        sent[i].is_received = true;
        if (draw(3) == 0) {
            sent[i].receive =
                trace_recv(g.trace, 0, now, now + 1, sent[i].address, 1000 + i);
        } else {
            sent[i].receive = trace_post(g.trace, 0, now);
            trace_complete_unsure(g.trace, 0, now + 1, now + 2, sent[i].receive,
                                  sent[i].address, 1000 + i);
        }
    }
    model = trace_model(g.trace);
    match = trace_match(model, arena);
    for (uint32_t i = 0; i < N_LOST; i++) {
        const struct mpl_end end = mpl_match_partner(match, 0, sent[i].receive);

        ck_assert_msg(end.location == sent[i].sender && end.message == sent[i].send,
                      "seed %d: message %u", _i, i);
    }
    trace_destroy(g.trace);
}
END_TEST

/* ---- shared traces ------------------------------------------------------------------------------ */

/* Where one communicator carries all sends, the one that EZTrace writes for MPI_IRECV is right
 * if it is the same. */
static bool is_sure(const struct mpl_model *model)
{
    for (uint32_t l = 0; l < model->n_locations; l++) {
        const struct mpl_location *loc = &model->locations[l];

        for (uint32_t i = 0; i < loc->n_envelopes; i++) {
            const struct mpl_envelope *e = &loc->envelopes[i];

            if (e->peer != MPL_NONE && e->comm != model->world) {
                return false;
            }
        }
    }
    return true;
}

static bool compare_trace(const char *name, const char *path)
{
    struct mpl_model *model = NULL;
    const struct mpl_match *match;

    if (mpl_read(path, arena, NULL, &model, NULL) != MPL_OK) {
        return false;
    }
    match = trace_match(model, arena);
    if (count_messages(model) > MOST_MESSAGES || !is_sure(model)) {
        return false;
    }
    compare_messages(model, match, name);
    return true;
}

START_TEST(shared_traces_match_as_the_rules_say)
{
    look_at_all_traces(compare_trace, 20);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("match_oracle");
    TCase *c = add_case(suite, "match_oracle", create_arena, destroy_arena);

    tcase_set_timeout(c, 60);
    tcase_add_loop_test(c, random_traces_match_as_the_rules_say, 0, N_SEEDS);
    tcase_add_loop_test(c, lost_communicators_are_found_again, 0, N_SEEDS);
    if (traces_are_there("matching of real traces")) {
        tcase_add_test(c, shared_traces_match_as_the_rules_say);
    }
    return run_suite(suite);
}
