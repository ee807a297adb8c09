/*
 * Precedence on random text traces against what their author meant: whoever writes a message down
 * knows which receive takes it, so nothing but reading the text is shared with the product. Messages of all
 * flavours, on communicators with ranks in any order, collectives, prefix operations, threads.
 */
#include "config.h"

#include "../lib/arena.h"
#include "../lib/effort.h"
#include "../lib/suite.h"
#include "closure.h"
#include "events_of.h"
#include "read/read.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    N_SEEDS = 10000,
    SEEDS_AT_ONCE = 100,
    MOST_RANKS = 6,
    MOST_PLACES = 8, /* Threads included. */
    MOST_COMMS = 4,
    N_TAGS = 2,
    MOST_OPEN = 64, /* Requests. */
    MOST_TEXT = 40000,
    N_CHAINS = 10,
    TIME_LIMIT_S = 240
};

/* ---- what is written ------------------------------------------------------------------------------ */

/* The n-th record of a kind, from 0, or the record before or behind it. */
enum what { SENT, RECEIVED, POSTED, BEGUN, ENDED, N_WHATS };
struct spot {
    uint32_t place;
    enum what what;
    uint32_t n;
    int shift;
};

struct place {
    uint32_t process;
    bool is_thread;
    char text[MOST_TEXT];
    size_t length;
    uint32_t n[N_WHATS];
};

/* A call that begins something, until the wait for it. */
struct request {
    uint32_t place;
    uint32_t number; /* Its name. */
    int stream;      /* Of a receive; -1: it is no receive. */
    uint32_t message;
    int gathering; /* Of a collective; -1 */
    uint32_t rank;
    bool is_send;
};

/* Messages of one sender, receiver, communicator and tag. */
struct stream {
    uint32_t from;
    uint32_t to;
    uint32_t comm;
    uint32_t tag;
    uint32_t n_sent;
    uint32_t n_posted;
    struct spot sent[MOST_OPEN];
    struct spot
        received[MOST_OPEN]; /* Of shift 0 once it is complete; before that the post. */
    bool is_complete[MOST_OPEN];
};

struct comm {
    uint32_t n;
    uint32_t member[MOST_RANKS];
};

/* How those who take part need each other. */
enum need { ALL, FROM_ROOT, TO_ROOT, PREFIX, NOBODY };
struct operation {
    const char *name;
    enum need need;
    bool has_root;
    bool has_counts;
};
static const struct operation operations[] = {
    { "barrier", ALL, false, false },      { "allreduce", ALL, false, false },
    { "allgather", ALL, false, false },    { "alltoall", ALL, false, false },
    { "bcast", FROM_ROOT, true, false },   { "scatter", FROM_ROOT, true, false },
    { "scatterv", FROM_ROOT, true, true }, { "reduce", TO_ROOT, true, false },
    { "gather", TO_ROOT, true, false },    { "gatherv", TO_ROOT, true, true },
    { "allgatherv", ALL, false, true },    { "scan", PREFIX, false, false },
    { "exscan", PREFIX, false, false },    { "alltoallv", NOBODY, false, true },
    { "ibarrier", ALL, false, false },     { "iallreduce", ALL, false, false },
    { "ibcast", FROM_ROOT, true, false },
};
enum { N_OPERATIONS = sizeof operations / sizeof operations[0], FIRST_IMMEDIATE = 14 };

/* One that has been entered by all. */
struct gathering {
    const struct operation *operation;
    uint32_t n;
    uint32_t root;
    struct spot begun[MOST_RANKS];
    struct spot ended[MOST_RANKS];
    bool has_ended[MOST_RANKS];
    bool gives[MOST_RANKS];
    bool takes[MOST_RANKS];
};

struct edge {
    struct spot from;
    struct spot to;
};

struct draft {
    uint64_t dice;
    uint64_t now;
    uint32_t n_ranks;
    uint32_t n_places;
    struct place place[MOST_PLACES];
    uint32_t n_comms;
    struct comm comm[MOST_COMMS];
    struct mpl_buf stream;    /* struct stream */
    struct mpl_buf gathering; /* struct gathering */
    struct mpl_buf edge;      /* struct edge */
    uint32_t n_open;
    struct request open[MOST_OPEN];
    uint32_t n_requests;
};

static uint32_t roll(struct draft *d, uint32_t below)
{
    uint64_t z = d->dice += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t) ((z ^ (z >> 31)) % below);
}

static void MPL_PRINTF(3, 4) put(struct draft *d, uint32_t place, const char *fmt, ...)
{
    struct place *p = &d->place[place];
    va_list args;

    va_start(args, fmt);
    p->length += (size_t) vsnprintf(p->text + p->length, MOST_TEXT - p->length, fmt, args);
    va_end(args);
    if (p->length >= MOST_TEXT) {
        ck_abort_msg("no room for a text");
    }
}

static struct spot record(struct draft *d, uint32_t place, enum what what, int shift)
{
    return (struct spot){ place, what, d->place[place].n[what]++, shift };
}

static struct spot beside(struct spot spot, int shift)
{
    spot.shift += shift;
    return spot;
}

static void order(struct draft *d, struct spot from, struct spot to)
{
    struct edge *edge = mpl_buf_add(&d->edge);

    if (edge == NULL) {
        ck_abort_msg("out of memory");
    }
    *edge = (struct edge){ from, to };
}

static uint32_t rank_in(const struct draft *d, uint32_t comm, uint32_t process)
{
    uint32_t rank = 0;

    while (d->comm[comm].member[rank] != process) {
        rank++;
    }
    return rank;
}

static const char *comm_name(const struct draft *d, uint32_t comm)
{
    static char name[16];

    snprintf(name, sizeof name, comm == 0 ? "world" : "part%u", comm);
    (void) d;
    return name;
}

/* ---- messages ---------------------------------------------------------------------------------------- */

/* Two places that may talk, by the dice. */
static int draw_stream(struct draft *d)
{
    const uint32_t comm = roll(d, d->n_comms);
    const uint32_t n = d->comm[comm].n;
    uint32_t from = d->comm[comm].member[roll(d, n)];
    uint32_t to = d->comm[comm].member[roll(d, n)];
    uint32_t tag = roll(d, N_TAGS);
    struct stream *s;

    /* Threads share the process's queue of messages, so each has tags of its own. */
    if (comm == 0 && d->n_places > d->n_ranks && roll(d, 3) == 0) {
        from = roll(d, d->n_places);
        to = roll(d, d->n_places);
        tag = 100 + from * MOST_PLACES + to;
    }
    if (d->place[from].process == d->place[to].process) {
        return -1;
    }
    for (size_t i = 0; i < d->stream.n; i++) {
        s = mpl_buf_get(&d->stream, i);
        if (s->from == from && s->to == to && s->comm == comm && s->tag == tag) {
            return s->n_sent < MOST_OPEN && s->n_posted < MOST_OPEN ? (int) i : -1;
        }
    }
    s = mpl_buf_add(&d->stream);
    ck_assert_ptr_nonnull(s);
    s->from = from;
    s->to = to;
    s->comm = comm;
    s->tag = tag;
    return (int) d->stream.n - 1;
}

static void say_receiver(struct draft *d, const struct stream *s)
{
    put(d, s->from, "to %u tag %u comm %s", rank_in(d, s->comm, d->place[s->to].process),
        s->tag, comm_name(d, s->comm));
}

static void say_sender(struct draft *d, const struct stream *s)
{
    put(d, s->to, "from %u tag %u comm %s", rank_in(d, s->comm, d->place[s->from].process),
        s->tag, comm_name(d, s->comm));
}

static void send(struct draft *d, struct stream *s)
{
    static const char *const verbs[] = { "send", "bsend", "rsend", "isend" };
    const uint32_t verb = roll(d, 4);

    put(d, s->from, " %s %" PRIu64 "..%" PRIu64 " ", verbs[verb], d->now, d->now + 3);
    say_receiver(d, s);
    if (verb == 3) {
        put(d, s->from, " as r%u", d->n_requests);
        if (d->n_open < MOST_OPEN) {
            d->open[d->n_open++] =
                (struct request){ s->from, d->n_requests, -1, 0, -1, 0, true };
        }
        d->n_requests++;
    }
    s->sent[s->n_sent++] = record(d, s->from, SENT, 0);
}

static void receive(struct draft *d, struct stream *s)
{
    put(d, s->to, " recv %" PRIu64 "..%" PRIu64 " ", d->now, d->now + 3);
    say_sender(d, s);
    s->received[s->n_posted] = record(d, s->to, RECEIVED, 0);
    order(d, s->sent[s->n_posted], s->received[s->n_posted]);
    s->n_posted++;
}

static void post(struct draft *d, struct stream *s, int number)
{
    if (d->n_open == MOST_OPEN) {
        return;
    }
    put(d, s->to, " irecv %" PRIu64 "..%" PRIu64 " ", d->now, d->now + 3);
    say_sender(d, s);
    put(d, s->to, " as r%u", d->n_requests);
    d->open[d->n_open++] =
        (struct request){ s->to, d->n_requests++, number, s->n_posted, -1, 0, false };
    s->received[s->n_posted++] = record(d, s->to, POSTED, 0);
}

/* The receive has begun, or does now, before the send returns. */
static void send_synchronously(struct draft *d, struct stream *s)
{
    put(d, s->from, " ssend %" PRIu64 "..%" PRIu64 " ", d->now, d->now + 6);
    say_receiver(d, s);
    s->sent[s->n_sent++] = record(d, s->from, SENT, 0);
    d->now++;
    if (s->n_posted < s->n_sent) {
        receive(d, s);
    }

    const struct spot posted = s->received[s->n_sent - 1];
    const struct spot sent = s->sent[s->n_sent - 1];

    order(d, beside(posted, -1), beside(sent, 1));
}

static void exchange(struct draft *d)
{
    const int number = draw_stream(d);
    struct stream *s = number < 0 ? NULL : mpl_buf_get(&d->stream, (size_t) number);

    if (s == NULL) {
        return;
    }
    switch (roll(d, 4)) {
    case 0:
        post(d, s, number);
        break;
    case 1:
        if (s->n_posted >= s->n_sent) {
            send_synchronously(d, s);
        }
        break;
    default:
        send(d, s);
    }
}

static void take(struct draft *d)
{
    if (d->stream.n > 0) {
        struct stream *s = mpl_buf_get(&d->stream, roll(d, (uint32_t) d->stream.n));

        if (s->n_posted < s->n_sent) {
            receive(d, s);
        }
    }
}

/* ---- collectives -------------------------------------------------------------------------------------- */

static void needs(struct draft *d, const struct gathering *g, uint32_t rank)
{
    for (uint32_t from = 0; from < g->n; from++) {
        const bool is_root = rank == g->root;
        const bool is_needed = g->operation->need == ALL ||
                               (g->operation->need == FROM_ROOT && from == g->root) ||
                               (g->operation->need == TO_ROOT && is_root) ||
                               (g->operation->need == PREFIX && from < rank);

        if (from != rank && is_needed && g->gives[from] && g->takes[rank]) {
            order(d, g->begun[from], g->ended[rank]);
        }
    }
}

static void say_counts(struct draft *d, struct gathering *g, uint32_t rank, uint32_t place)
{
    const uint32_t sent = 8 * roll(d, 2);
    const uint32_t received = 8 * roll(d, 2);

    put(d, place, " sent %u received %u", sent, received);
    g->gives[rank] = sent > 0 || g->operation->need == FROM_ROOT;
    g->takes[rank] = received > 0 || g->operation->need == TO_ROOT;
}

static void gather(struct draft *d)
{
    const uint32_t number = roll(d, d->n_comms);
    const struct comm *comm = &d->comm[number];
    const uint32_t which = roll(d, N_OPERATIONS);
    const bool is_immediate = which >= FIRST_IMMEDIATE;
    struct gathering *g;

    if (comm->n < 2 || (is_immediate && d->n_open + comm->n > MOST_OPEN)) {
        return;
    }
    g = mpl_buf_add(&d->gathering);
    ck_assert_ptr_nonnull(g);
    g->operation = &operations[which];
    g->n = comm->n;
    g->root = roll(d, comm->n);
    for (uint32_t rank = 0; rank < comm->n; rank++) {
        const uint32_t place = comm->member[rank];

        put(d, place, " %s %" PRIu64 "..%" PRIu64 " comm %s", g->operation->name,
            d->now + roll(d, 2), d->now + 5 + roll(d, 2), comm_name(d, number));
        if (g->operation->has_root) {
            put(d, place, " root %u", g->root);
        }
        g->gives[rank] = true;
        g->takes[rank] = true;
        if (g->operation->has_counts) {
            say_counts(d, g, rank, place);
        }
        g->begun[rank] = record(d, place, BEGUN, 0);
        if (is_immediate) {
            put(d, place, " as r%u", d->n_requests);
            d->open[d->n_open++] = (struct request){ place, d->n_requests++,          -1,
                                                     0,     (int) d->gathering.n - 1, rank,
                                                     false };
        } else {
            g->ended[rank] = record(d, place, ENDED, 0);
        }
    }
    for (uint32_t rank = 0; rank < comm->n && !is_immediate; rank++) {
        needs(d, g, rank);
    }
}

/* ---- waits ------------------------------------------------------------------------------------------- */

static bool can_end(const struct draft *d, const struct request *r)
{
    const struct stream *s =
        r->stream < 0 ? NULL : mpl_buf_get(&d->stream, (size_t) r->stream);

    return s == NULL || s->n_sent > r->message;
}

static void end(struct draft *d, const struct request *r)
{
    if (r->stream >= 0) {
        struct stream *s = mpl_buf_get(&d->stream, (size_t) r->stream);

        order(d, s->sent[r->message], record(d, r->place, RECEIVED, 0));
    } else if (r->gathering >= 0) {
        struct gathering *g = mpl_buf_get(&d->gathering, (size_t) r->gathering);

        g->ended[r->rank] = record(d, r->place, ENDED, 0);
        needs(d, g, r->rank);
    }
}

/* For one request, or all of its place that can end; false: it cannot. */
static bool wait_for(struct draft *d, uint32_t first, bool takes_all)
{
    uint32_t n = 0;

    if (!can_end(d, &d->open[first])) {
        return false;
    }

    const uint32_t place = d->open[first].place;

    put(d, place, " %s %" PRIu64 "..%" PRIu64 " for", takes_all ? "waitall" : "wait",
        d->now, d->now + 3);
    for (uint32_t i = 0; i < d->n_open; i++) {
        const struct request r = d->open[i];

        if (r.place == place && can_end(d, &r) && (takes_all || i == first)) {
            put(d, place, " r%u", r.number);
            end(d, &r);
        } else {
            d->open[n++] = r;
        }
    }
    d->n_open = n;
    return true;
}

static void wait(struct draft *d)
{
    if (d->n_open > 0) {
        (void) wait_for(d, roll(d, d->n_open), roll(d, 2) == 0);
    }
}

/* Which message a receive took that nobody waits for is not recorded. */
static void wait_for_all(struct draft *d)
{
    for (uint32_t i = 0; i < d->n_open;) {
        i = wait_for(d, i, true) ? 0 : i + 1;
        d->now += 10;
    }
}

/* ---- the text ------------------------------------------------------------------------------------------ */

static void compute(struct draft *d)
{
    put(d, roll(d, d->n_places), " compute %" PRIu64 "..%" PRIu64 " in f%u", d->now,
        d->now + 2, roll(d, 3));
}

static void found(struct draft *d)
{
    d->n_ranks = 2 + roll(d, MOST_RANKS - 1);
    d->n_places = d->n_ranks + roll(d, 3);
    for (uint32_t i = 0; i < d->n_places; i++) {
        d->place[i].is_thread = i >= d->n_ranks;
        d->place[i].process = i < d->n_ranks ? i : i - d->n_ranks;
    }
    d->n_comms = 1 + roll(d, MOST_COMMS);
    for (uint32_t c = 0; c < d->n_comms; c++) {
        struct comm *comm = &d->comm[c];

        for (uint32_t r = 0; r < d->n_ranks; r++) {
            const uint32_t other = c == 0 ? r : roll(d, r + 1);

            comm->member[r] = comm->member[other];
            comm->member[other] = r;
        }
        comm->n = c == 0 ? d->n_ranks : 1 + roll(d, d->n_ranks);
    }
}

static void write_program(struct draft *d, uint32_t n_steps)
{
    d->now = 10;
    for (uint32_t i = 0; i < n_steps; i++, d->now += 10) {
        switch (roll(d, 8)) {
        case 0:
            compute(d);
            break;
        case 1:
        case 2:
            take(d);
            break;
        case 3:
            gather(d);
            break;
        case 4:
            wait(d);
            break;
        default:
            exchange(d);
        }
    }
    wait_for_all(d);
}

static char *assemble(const struct draft *d)
{
    struct mpl_buf text = mpl_buf_make(1);
    char line[64];
    char *all;

    for (uint32_t c = 1; c < d->n_comms; c++) {
        snprintf(line, sizeof line, "comm part%u:", c);
        for (const char *at = line; *at != '\0'; at++) {
            *(char *) mpl_buf_add(&text) = *at;
        }
        for (uint32_t r = 0; r < d->comm[c].n; r++) {
            *(char *) mpl_buf_add(&text) = ' ';
            *(char *) mpl_buf_add(&text) = (char) ('0' + d->comm[c].member[r]);
        }
        *(char *) mpl_buf_add(&text) = '\n';
    }
    for (uint32_t p = 0; p < d->n_places; p++) {
        snprintf(line, sizeof line,
                 d->place[p].is_thread ? "rank %u.1: compute 0..1"
                                       : "rank %u: compute 0..1",
                 d->place[p].process);
        for (const char *at = line; *at != '\0'; at++) {
            *(char *) mpl_buf_add(&text) = *at;
        }
        for (size_t i = 0; i < d->place[p].length; i++) {
            *(char *) mpl_buf_add(&text) = d->place[p].text[i];
        }
        for (const char *at = " finalize 9000..9001"; *at != '\0' && !d->place[p].is_thread;
             at++) {
            *(char *) mpl_buf_add(&text) = *at;
        }
        *(char *) mpl_buf_add(&text) = '\n';
    }
    *(char *) mpl_buf_add(&text) = '\0';
    all = mpl_buf_take(&text, arena);
    ck_assert_ptr_nonnull(all);
    return all;
}

/* ---- the same in the model -------------------------------------------------------------------------------- */

static bool is_what(uint8_t kind, enum what what)
{
    switch (what) {
    case SENT:
        return kind == MPL_EV_SEND || kind == MPL_EV_ISEND;
    case RECEIVED:
        return kind == MPL_EV_RECV || kind == MPL_EV_IRECV;
    case POSTED:
        return kind == MPL_EV_IRECV_POST;
    case BEGUN:
        return kind == MPL_EV_COLL_BEGIN;
    default:
        return kind == MPL_EV_COLL_END;
    }
}

static struct mpl_moment find(const struct draft *d, const struct mpl_model *model,
                              struct spot spot)
{
    const struct place *place = &d->place[spot.place];
    const struct mpl_process *process = &model->processes[place->process];
    const uint32_t l = process->locations[place->is_thread ? 1 : 0];
    const struct mpl_location *loc = &model->locations[l];
    uint32_t n = 0;

    for (uint32_t e = 0; e < loc->n_events; e++) {
        if (is_what(mpl_kind_of(loc, e), spot.what) && n++ == spot.n) {
            return (struct mpl_moment){ l, (uint32_t) ((int) e + spot.shift) };
        }
    }
    ck_abort_msg("record %u of kind %d of place %u is missing", spot.n, spot.what,
                 spot.place);
    return (struct mpl_moment){ 0, 0 };
}

static void check_text(const struct draft *d, const char *text)
{
    struct mpl_model *model = model_of_text(text, arena);
    const struct mpl_match *match = NULL;
    struct mpl_order_view *view = NULL;
    struct mpl_net *net = NULL;
    struct closure *closure;

    ck_assert_int_eq(mpl_match_create(model, arena, &match, NULL), MPL_OK);
    ck_assert_int_eq(mpl_order_view_create(model, match, arena, &view, NULL), MPL_OK);
    ck_assert_int_eq(mpl_net_create(view, NULL, arena, &net, NULL), MPL_OK);
    closure = closure_create(model, arena);
    for (size_t i = 0; i < d->edge.n; i++) {
        const struct edge *edge = mpl_buf_get(&d->edge, i);

        closure_add(closure, find(d, model, edge->from), find(d, model, edge->to));
    }
    closure_check_all(closure, net, CLOSURE_ALL_KINDS, N_CHAINS, text);
    closure_free(closure);
}

static void check_seed(int seed)
{
    static struct draft d;

    d = (struct draft){ .dice = (uint64_t) seed };
    d.stream = mpl_buf_make(sizeof(struct stream));
    d.gathering = mpl_buf_make(sizeof(struct gathering));
    d.edge = mpl_buf_make(sizeof(struct edge));
    found(&d);
    write_program(&d, 10 + roll(&d, 50));
    check_text(&d, assemble(&d));
    mpl_buf_free(&d.stream);
    mpl_buf_free(&d.gathering);
    mpl_buf_free(&d.edge);
}

START_TEST(precedence_is_what_the_author_of_a_text_meant)
{
    for (int i = 0; i < SEEDS_AT_ONCE; i++) {
        check_seed(_i * SEEDS_AT_ONCE + i);
        destroy_arena();
        create_arena();
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("causality of texts");
    TCase *c = add_case(suite, "texts", create_arena, destroy_arena);

    tcase_set_timeout(c, TIME_LIMIT_S);
    tcase_add_loop_test(c, precedence_is_what_the_author_of_a_text_meant, 0,
                        seeds_of(N_SEEDS) / SEEDS_AT_ONCE);
    return run_suite(suite);
}
