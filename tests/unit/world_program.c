/*
 * The program of a world in true time. Every operation is appended to the processes that it
 * concerns, in an order in which no operation precedes one that it waits for; what a process
 * waits for is then known when its operation is appended, and no queue of future moments is
 * needed. Only the master of a farm has a choice, and it sees all answers that are under way.
 */
#include "config.h"

#include "world_priv.h"

/* A message on its way. */
struct parcel {
    int64_t arrival_ns;
    uint64_t bytes;
};

/* What one process sends to another, in the order of departure. */
struct channel {
    struct mpl_buf parcel; /* struct parcel */
    size_t n_received;
    double latency_ns;
};

struct program {
    const struct world_options *options;
    struct world_dice dice;
    struct trace *trace;
    uint32_t n;
    int64_t *now_ns;         /* Per process: true time up to which it is recorded. */
    int64_t *enter_ns;       /* Scratch per process. */
    struct channel *channel; /* From p to q: p * n + q. */
    uint32_t *everybody;     /* 0, 1, … */
    uint32_t n_parts;
    uint32_t *part_n; /* Per sub-communicator: its members … */
    uint32_t **part;  /* … by rank. Communicator 2 is the first of them. */
};

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Whole nanoseconds, at least one: nothing takes no time. */
static int64_t some_ns(double ns)
{
    return ns < 1 ? 1 : (int64_t) ns;
}

static uint32_t location_of(const struct program *p, uint32_t process)
{
    return process * p->options->n_threads;
}

/* What a process needs between two calls. */
static int64_t pause_ns(struct program *p)
{
    return 20 + world_roll_below(&p->dice, 100);
}

static int64_t delay_ns(struct program *p, uint32_t from, uint32_t to, uint64_t bytes)
{
    const struct world_options *o = p->options;
    double ns = p->channel[from * p->n + to].latency_ns + (double) bytes / o->bytes_per_ns +
                world_roll_exponential(&p->dice, o->jitter_ns);

    if (world_roll_share(&p->dice) < o->tail_share) {
        ns += o->tail_ns / (0.01 + 0.99 * world_roll_share(&p->dice));
    }
    return some_ns(ns);
}

static void compute(struct program *p, uint32_t process)
{
    const uint32_t l = location_of(p, process);
    const int64_t from = p->now_ns[process] + pause_ns(p);
    const int64_t to =
        from + some_ns(world_roll_exponential(&p->dice, p->options->compute_ns));

    trace_enter(p->trace, l, from, "work");
    trace_leave(p->trace, l, to, "work");
    p->now_ns[process] = to;
}

static void compute_all(struct program *p)
{
    for (uint32_t q = 0; q < p->n; q++) {
        compute(p, q);
    }
}

/* ---- messages ---------------------------------------------------------------------------- */

static uint64_t draw_bytes(struct program *p)
{
    return UINT64_C(8) << world_roll_below(&p->dice, 12);
}

static struct address at(uint32_t process)
{
    return (struct address){ 0, process, 1 };
}

static void send_bytes(struct program *p, uint32_t from, uint32_t to, const char *region)
{
    struct mpl_buf *all = &p->channel[from * p->n + to].parcel;
    const int64_t sent = p->now_ns[from] + pause_ns(p);
    struct parcel parcel = { .bytes = draw_bytes(p) };

    parcel.arrival_ns = sent + delay_ns(p, from, to, parcel.bytes);
    if (all->n > 0) {
        const struct parcel *before = mpl_buf_get(all, all->n - 1);

        parcel.arrival_ns = later(parcel.arrival_ns, before->arrival_ns);
    }
    *(struct parcel *) world_must(mpl_buf_add(all)) = parcel;
    p->now_ns[from] = sent + 50 + world_roll_below(&p->dice, 400);
    (void) trace_send(p->trace, location_of(p, from), sent, p->now_ns[from], region, at(to),
                      parcel.bytes);
}

/* The next message on the channel. */
static struct parcel next_parcel(const struct program *p, uint32_t from, uint32_t to)
{
    const struct channel *channel = &p->channel[from * p->n + to];
    const struct parcel *parcel = mpl_buf_get(&channel->parcel, channel->n_received);

    mpl_assert(channel->n_received < channel->parcel.n);
    return *parcel;
}

/* Ends a call entered at \p enter in which the next message from \p from is received. */
static struct parcel take_parcel(struct program *p, uint32_t to, uint32_t from,
                                 int64_t enter)
{
    const struct parcel parcel = next_parcel(p, from, to);

    p->channel[from * p->n + to].n_received++;
    p->now_ns[to] = later(enter + 50, parcel.arrival_ns) + world_roll_below(&p->dice, 100);
    return parcel;
}

static void recv_bytes(struct program *p, uint32_t to, uint32_t from)
{
    const int64_t enter = p->now_ns[to] + pause_ns(p);
    const struct parcel parcel = take_parcel(p, to, from, enter);

    (void) trace_recv(p->trace, location_of(p, to), enter, p->now_ns[to], at(from),
                      parcel.bytes);
}

/* Returns only when the receive has begun and word of it has come back. */
static void send_synchronous(struct program *p, uint32_t from, uint32_t to)
{
    const uint64_t bytes = draw_bytes(p);
    const int64_t sent = p->now_ns[from] + pause_ns(p);
    const int64_t enter = p->now_ns[to] + pause_ns(p);
    const int64_t received = later(sent + delay_ns(p, from, to, bytes), enter + 50);
    const int64_t returned = later(sent, enter) + delay_ns(p, to, from, 0);

    (void) trace_send(p->trace, location_of(p, from), sent, returned, "MPI_Ssend", at(to),
                      bytes);
    (void) trace_recv(p->trace, location_of(p, to), enter, received, at(from), bytes);
    p->now_ns[from] = returned;
    p->now_ns[to] = received;
}

/* ---- kinds of steps -------------------------------------------------------------------------- */

static void post_and_send(struct program *p, uint32_t process, const uint32_t neighbour[2],
                          uint32_t message[2])
{
    for (int side = 0; side < 2; side++) {
        p->now_ns[process] += pause_ns(p);
        message[side] = trace_post(p->trace, location_of(p, process), p->now_ns[process]);
    }
    for (int side = 0; side < 2; side++) {
        send_bytes(p, process, neighbour[side], "MPI_Isend");
    }
}

static void wait_for(struct program *p, uint32_t process, uint32_t from, uint32_t message)
{
    const int64_t enter = p->now_ns[process] + pause_ns(p);
    const struct parcel parcel = take_parcel(p, process, from, enter);

    trace_complete(p->trace, location_of(p, process), enter, p->now_ns[process], message,
                   at(from), parcel.bytes);
}

static void step_halo(struct program *p)
{
    uint32_t message[WORLD_MOST_PROCESSES][2];

    compute_all(p);
    for (uint32_t q = 0; q < p->n; q++) {
        const uint32_t neighbour[2] = { (q + p->n - 1) % p->n, (q + 1) % p->n };

        post_and_send(p, q, neighbour, message[q]);
    }
    for (uint32_t q = 0; q < p->n; q++) {
        wait_for(p, q, (q + p->n - 1) % p->n, message[q][0]);
        wait_for(p, q, (q + 1) % p->n, message[q][1]);
    }
}

static void work_on_task(struct program *p, uint32_t worker)
{
    recv_bytes(p, worker, 0);
    compute(p, worker);
    send_bytes(p, worker, 0, "MPI_Send");
}

/* One task for everybody, and three times as many for whoever comes first. */
static void step_master_worker(struct program *p)
{
    uint32_t n_tasks = 3 * (p->n - 1);
    uint32_t n_open = p->n - 1;
    bool is_open[WORLD_MOST_PROCESSES] = { false };

    for (uint32_t q = 1; q < p->n; q++) {
        send_bytes(p, 0, q, "MPI_Send");
        work_on_task(p, q);
        is_open[q] = true;
    }
    while (n_open > 0) {
        uint32_t first = 0;

        for (uint32_t q = 1; q < p->n; q++) {
            if (is_open[q] && (first == 0 || next_parcel(p, q, 0).arrival_ns <
                                                 next_parcel(p, first, 0).arrival_ns)) {
                first = q;
            }
        }
        recv_bytes(p, 0, first);
        if (n_tasks > 0) {
            n_tasks--;
            send_bytes(p, 0, first, "MPI_Send");
            work_on_task(p, first);
        } else {
            is_open[first] = false;
            n_open--;
        }
    }
}

static void step_pipeline(struct program *p)
{
    for (uint32_t q = 0; q < p->n; q++) {
        if (q > 0) {
            recv_bytes(p, q, q - 1);
        }
        compute(p, q);
        if (q + 1 < p->n) {
            send_bytes(p, q, q + 1, "MPI_Send");
        }
    }
}

static void step_tree(struct program *p)
{
    compute_all(p);
    for (uint32_t q = p->n - 1; q > 0; q--) {
        send_bytes(p, q, (q - 1) / 2, "MPI_Send");
        recv_bytes(p, (q - 1) / 2, q);
    }
    for (uint32_t q = 1; q < p->n; q++) {
        send_bytes(p, (q - 1) / 2, q, "MPI_Send");
        recv_bytes(p, q, (q - 1) / 2);
    }
}

static void step_pairs(struct program *p)
{
    for (uint32_t i = 0; i < p->n; i++) {
        const uint32_t a = world_roll_below(&p->dice, p->n);
        const uint32_t b = (a + 1 + world_roll_below(&p->dice, p->n - 1)) % p->n;

        compute(p, a);
        compute(p, b);
        if (world_roll_below(&p->dice, 4) == 0) {
            send_synchronous(p, a, b);
        } else {
            send_bytes(p, a, b, "MPI_Send");
            recv_bytes(p, b, a);
        }
    }
}

/* ---- collectives ------------------------------------------------------------------------------ */

/* One collective call: who calls, and who has something to give or to take. */
struct gathering {
    uint32_t comm;
    uint32_t n;
    const uint32_t *member; /* By rank. */
    enum mpl_coll_op op;
    uint32_t root; /* Rank; MPL_NONE. */
    uint64_t sent_bytes[WORLD_MOST_PROCESSES];
    uint64_t received_bytes[WORLD_MOST_PROCESSES];
};

static bool needs(const struct gathering *g, uint32_t to, uint32_t from)
{
    const enum mpl_coll_class class = mpl_coll_class_of(g->op);

    if (to == from) {
        return false;
    }
    if (class == MPL_CLASS_BARRIER) {
        return true;
    }
    if (g->received_bytes[to] == 0 || g->sent_bytes[from] == 0) {
        return false;
    }
    switch (class) {
    case MPL_CLASS_1_TO_N:
        return from == g->root;
    case MPL_CLASS_N_TO_1:
        return to == g->root;
    case MPL_CLASS_SCAN:
    case MPL_CLASS_EXSCAN:
        return from < to;
    default:
        /* Sums over all peers do not say that some of them exchange nothing. */
        return (g->op != MPL_COLL_ALLTOALLV && g->op != MPL_COLL_ALLTOALLW) ||
               (to + from) % 3 != 0;
    }
}

/* Some collectives move nothing at all, and some nothing from or to some members. */
static void draw_sizes(struct program *p, struct gathering *g)
{
    const enum mpl_coll_class class = mpl_coll_class_of(g->op);
    const bool is_empty = class == MPL_CLASS_BARRIER || world_roll_below(&p->dice, 10) == 0;
    const bool may_not_send = g->op == MPL_COLL_GATHERV || g->op == MPL_COLL_ALLGATHERV;
    const bool may_not_receive =
        g->op == MPL_COLL_SCATTERV || g->op == MPL_COLL_REDUCE_SCATTER;

    for (uint32_t i = 0; i < g->n; i++) {
        const bool is_left_out = world_roll_below(&p->dice, 4) == 0;
        const bool sends = class != MPL_CLASS_1_TO_N || i == g->root;
        const bool receives = class != MPL_CLASS_N_TO_1 || i == g->root;

        g->sent_bytes[i] = sends && !is_empty && !(is_left_out && may_not_send) ? 64 : 0;
        g->received_bytes[i] =
            receives && !is_empty && !(is_left_out && may_not_receive) ? 64 : 0;
    }
}

static int64_t leave_ns(struct program *p, const struct gathering *g, uint32_t to)
{
    int64_t leave = p->enter_ns[to] + 100 + world_roll_below(&p->dice, 400);

    for (uint32_t from = 0; from < g->n; from++) {
        if (needs(g, to, from)) {
            leave = later(leave, p->enter_ns[from] +
                                     delay_ns(p, g->member[from], g->member[to], 64));
        }
    }
    return leave;
}

static void meet(struct program *p, const struct gathering *g)
{
    const char *region = mpl_coll_op_name(g->op);

    for (uint32_t i = 0; i < g->n; i++) {
        p->enter_ns[i] = p->now_ns[g->member[i]] + pause_ns(p);
    }
    for (uint32_t i = 0; i < g->n; i++) {
        const uint32_t l = location_of(p, g->member[i]);
        const int64_t leave = leave_ns(p, g, i);
        uint32_t part;

        trace_enter(p->trace, l, p->enter_ns[i], region);
        part = trace_coll(p->trace, l, p->enter_ns[i], leave, g->comm, g->op,
                          g->root == MPL_NONE ? MPL_NONE : g->member[g->root]);
        trace_set_coll_bytes(p->trace, l, part, g->sent_bytes[i], g->received_bytes[i]);
        trace_leave(p->trace, l, leave, region);
        p->now_ns[g->member[i]] = leave;
    }
}

static void choose_members(struct program *p, struct gathering *g)
{
    const uint32_t choice = world_roll_below(&p->dice, p->n_parts + 2);

    if (choice < p->n_parts) {
        g->comm = choice + 2;
        g->n = p->part_n[choice];
        g->member = p->part[choice];
    } else {
        g->comm = 0;
        g->n = p->n;
        g->member = p->everybody;
    }
}

static void step_collective(struct program *p)
{
    struct gathering g = { .root = MPL_NONE };
    enum mpl_coll_class class;

    g.op = (enum mpl_coll_op) world_roll_below(&p->dice, MPL_COLL_CREATE);
    class = mpl_coll_class_of(g.op);
    choose_members(p, &g);
    if (class == MPL_CLASS_1_TO_N || class == MPL_CLASS_N_TO_1) {
        g.root = world_roll_below(&p->dice, g.n);
    }
    draw_sizes(p, &g);
    meet(p, &g);
}

/* ---- the whole run ----------------------------------------------------------------------------- */

/* The workers of a process begin after the fork and end before the join. */
static void parallel_region(struct program *p, uint32_t process)
{
    const uint32_t master = location_of(p, process);
    const int64_t fork = p->now_ns[process] + pause_ns(p);
    int64_t join = fork;

    trace_record(p->trace, master, fork, MPL_EV_FORK);
    for (uint32_t t = 0; t < p->options->n_threads; t++) {
        const int64_t begin = fork + pause_ns(p);
        const int64_t end =
            begin + some_ns(world_roll_exponential(&p->dice, p->options->compute_ns));

        trace_record(p->trace, master + t, begin, MPL_EV_TEAM_BEGIN);
        trace_enter(p->trace, master + t, begin, "loop");
        trace_leave(p->trace, master + t, end, "loop");
        trace_record(p->trace, master + t, end, MPL_EV_TEAM_END);
        join = later(join, end);
    }
    p->now_ns[process] = join + pause_ns(p);
    trace_record(p->trace, master, p->now_ns[process], MPL_EV_JOIN);
}

static void step(struct program *p, enum world_kind kind)
{
    switch (kind) {
    case WORLD_HALO:
        step_halo(p);
        break;
    case WORLD_MASTER_WORKER:
        step_master_worker(p);
        break;
    case WORLD_PIPELINE:
        step_pipeline(p);
        break;
    case WORLD_TREE:
        step_tree(p);
        break;
    case WORLD_PAIRS:
        step_pairs(p);
        break;
    case WORLD_COLLECTIVES:
        compute_all(p);
        step_collective(p);
        break;
    default:
        step(p, (enum world_kind) world_roll_below(&p->dice, WORLD_MIXED));
    }
}

/* MPI_Init and MPI_Finalize: nobody leaves before all have entered. */
static void synchronize_all(struct program *p, const char *region)
{
    int64_t last = 0;

    for (uint32_t q = 0; q < p->n; q++) {
        p->enter_ns[q] = p->now_ns[q] + pause_ns(p);
        last = later(last, p->enter_ns[q]);
    }
    for (uint32_t q = 0; q < p->n; q++) {
        p->now_ns[q] =
            last + some_ns(p->options->latency_ns + world_roll_exponential(&p->dice, 1000));
        trace_enter(p->trace, location_of(p, q), p->enter_ns[q], region);
        trace_leave(p->trace, location_of(p, q), p->now_ns[q], region);
    }
}

/* Halves that share a process, ranks running backwards in the upper one, and every other one. */
static void make_parts(struct program *p, struct mpl_arena *arena)
{
    const uint32_t middle = p->n / 2;

    p->n_parts = 3;
    p->part_n = world_must(MPL_NEW_ARRAY(arena, p->n_parts, uint32_t));
    p->part = world_must(MPL_NEW_ARRAY(arena, p->n_parts, uint32_t *));
    for (uint32_t i = 0; i < p->n_parts; i++) {
        p->part[i] = world_must(MPL_NEW_ARRAY(arena, p->n, uint32_t));
    }
    for (uint32_t q = 0; q <= middle; q++) {
        p->part[0][p->part_n[0]++] = q;
    }
    for (uint32_t q = p->n; q-- > middle;) {
        p->part[1][p->part_n[1]++] = q;
    }
    for (uint32_t q = 0; q < p->n; q += 2) {
        p->part[2][p->part_n[2]++] = q;
    }
    for (uint32_t i = 0; i < p->n_parts; i++) {
        mpl_assert(trace_comm(p->trace, p->part[i], p->part_n[i]) == i + 2);
    }
}

static void set_up_network(struct program *p, struct mpl_arena *arena)
{
    p->channel = world_must(MPL_NEW_ARRAY(arena, (size_t) p->n * p->n, struct channel));
    for (uint32_t i = 0; i < p->n * p->n; i++) {
        p->channel[i].parcel = mpl_buf_make(sizeof(struct parcel));
        p->channel[i].latency_ns = p->options->latency_ns *
                                   (1 + p->options->asymmetry * world_roll_share(&p->dice));
    }
}

static void run_steps(struct program *p)
{
    const struct world_options *o = p->options;

    for (uint32_t i = 1; i <= o->n_steps; i++) {
        step(p, o->kind);
        if (o->coll_every > 0 && i % o->coll_every == 0) {
            step_collective(p);
        }
        for (uint32_t q = 0; q < p->n && o->n_threads > 1; q++) {
            parallel_region(p, q);
        }
    }
}

struct mpl_model *world_run(const struct world_options *options, struct mpl_arena *arena,
                            int64_t *duration_ns)
{
    struct program p = { .options = options,
                         .dice = { options->seed ^ UINT64_C(0x70726f6772616d) },
                         .n = options->n_processes };
    struct mpl_model *model;

    p.trace = trace_create(arena, p.n, options->n_threads);
    p.now_ns = world_must(MPL_NEW_ARRAY(arena, p.n, int64_t));
    p.enter_ns = world_must(MPL_NEW_ARRAY(arena, p.n, int64_t));
    make_parts(&p, arena);
    set_up_network(&p, arena);
    p.everybody = world_must(MPL_NEW_ARRAY(arena, p.n, uint32_t));
    for (uint32_t q = 0; q < p.n; q++) {
        p.everybody[q] = q;
        p.now_ns[q] = world_roll_below(&p.dice, 20000000);
    }
    synchronize_all(&p, "MPI_Init");
    run_steps(&p);
    synchronize_all(&p, "MPI_Finalize");
    *duration_ns = 0;
    for (uint32_t q = 0; q < p.n; q++) {
        *duration_ns = later(*duration_ns, p.now_ns[q]);
    }
    for (uint32_t i = 0; i < p.n * p.n; i++) {
        mpl_buf_free(&p.channel[i].parcel);
    }
    model = trace_model(p.trace);
    trace_destroy(p.trace);
    return model;
}
