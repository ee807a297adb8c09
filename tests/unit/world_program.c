/*
 * The program of a world in true time. Every operation is appended to the processes that it
 * concerns, in an order in which no operation precedes one that it waits for; what a process
 * waits for is then known when its operation is appended, and no queue of future moments is
 * needed. Only the master of a farm has a choice, and it sees all answers that are under way.
 */
#include "config.h"

#include "world_priv.h"

int64_t world_later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Whole nanoseconds, at least one: nothing takes no time. */
static int64_t some_ns(double ns)
{
    return ns < 1 ? 1 : (int64_t) ns;
}

uint32_t world_location_of(const struct world_program *p, uint32_t process)
{
    return process * p->options->n_threads;
}

int64_t world_pause_ns(struct world_program *p)
{
    return 20 + world_roll_below(&p->dice, 100);
}

int64_t world_delay_ns(struct world_program *p, uint32_t from, uint32_t to, uint64_t bytes)
{
    const struct world_options *o = p->options;
    double ns = p->channel[from * p->n + to].latency_ns + (double) bytes / o->bytes_per_ns +
                world_roll_exponential(&p->dice, o->jitter_ns);

    if (world_roll_share(&p->dice) < o->tail_share) {
        ns += o->tail_ns / (0.01 + 0.99 * world_roll_share(&p->dice));
    }
    return some_ns(ns);
}

void world_compute(struct world_program *p, uint32_t process)
{
    const uint32_t l = world_location_of(p, process);
    const int64_t from = p->now_ns[process] + world_pause_ns(p);
    const int64_t to =
        from + some_ns(world_roll_exponential(&p->dice, p->options->compute_ns));

    trace_enter(p->trace, l, from, "work");
    trace_leave(p->trace, l, to, "work");
    p->now_ns[process] = to;
}

static void compute_all(struct world_program *p)
{
    for (uint32_t q = 0; q < p->n; q++) {
        world_compute(p, q);
    }
}

/* ---- messages ---------------------------------------------------------------------------- */

static uint64_t draw_bytes(struct world_program *p)
{
    return UINT64_C(8) << world_roll_below(&p->dice, 12);
}

static struct address at(uint32_t process)
{
    return (struct address){ 0, process, 1 };
}

static void send_bytes(struct world_program *p, uint32_t from, uint32_t to,
                       const char *region)
{
    struct mpl_buf *all = &p->channel[from * p->n + to].parcel;
    const int64_t sent = p->now_ns[from] + world_pause_ns(p);
    struct world_parcel parcel = { .bytes = draw_bytes(p) };

    parcel.arrival_ns = sent + world_delay_ns(p, from, to, parcel.bytes);
    if (all->n > 0) {
        const struct world_parcel *before = mpl_buf_get(all, all->n - 1);

        parcel.arrival_ns = world_later(parcel.arrival_ns, before->arrival_ns);
    }
    *(struct world_parcel *) world_must(mpl_buf_add(all)) = parcel;
    p->now_ns[from] = sent + 50 + world_roll_below(&p->dice, 400);
    (void) trace_send(p->trace, world_location_of(p, from), sent, p->now_ns[from], region,
                      at(to), parcel.bytes);
}

/* The next message on the channel. */
static struct world_parcel next_parcel(const struct world_program *p, uint32_t from,
                                       uint32_t to)
{
    const struct world_channel *channel = &p->channel[from * p->n + to];
    const struct world_parcel *parcel = mpl_buf_get(&channel->parcel, channel->n_received);

    mpl_assert(channel->n_received < channel->parcel.n);
    return *parcel;
}

/* Ends a call entered at \p enter in which the next message from \p from is received. */
static struct world_parcel take_parcel(struct world_program *p, uint32_t to, uint32_t from,
                                       int64_t enter)
{
    const struct world_parcel parcel = next_parcel(p, from, to);

    p->channel[from * p->n + to].n_received++;
    p->now_ns[to] =
        world_later(enter + 50, parcel.arrival_ns) + world_roll_below(&p->dice, 100);
    return parcel;
}

static void recv_bytes(struct world_program *p, uint32_t to, uint32_t from)
{
    const int64_t enter = p->now_ns[to] + world_pause_ns(p);
    const struct world_parcel parcel = take_parcel(p, to, from, enter);

    (void) trace_recv(p->trace, world_location_of(p, to), enter, p->now_ns[to], at(from),
                      parcel.bytes);
}

/* Returns only when the receive has begun and word of it has come back. */
static void send_synchronous(struct world_program *p, uint32_t from, uint32_t to)
{
    const uint64_t bytes = draw_bytes(p);
    const int64_t sent = p->now_ns[from] + world_pause_ns(p);
    const int64_t enter = p->now_ns[to] + world_pause_ns(p);
    const int64_t received =
        world_later(sent + world_delay_ns(p, from, to, bytes), enter + 50);
    const int64_t returned = world_later(sent, enter) + world_delay_ns(p, to, from, 0);

    (void) trace_send(p->trace, world_location_of(p, from), sent, returned, "MPI_Ssend",
                      at(to), bytes);
    (void) trace_recv(p->trace, world_location_of(p, to), enter, received, at(from), bytes);
    p->now_ns[from] = returned;
    p->now_ns[to] = received;
}

/* ---- kinds of steps -------------------------------------------------------------------------- */

static void post_and_send(struct world_program *p, uint32_t process,
                          const uint32_t neighbour[2], uint32_t message[2])
{
    for (int side = 0; side < 2; side++) {
        p->now_ns[process] += world_pause_ns(p);
        message[side] =
            trace_post(p->trace, world_location_of(p, process), p->now_ns[process]);
    }
    for (int side = 0; side < 2; side++) {
        send_bytes(p, process, neighbour[side], "MPI_Isend");
    }
}

static void wait_for(struct world_program *p, uint32_t process, uint32_t from,
                     uint32_t message)
{
    const int64_t enter = p->now_ns[process] + world_pause_ns(p);
    const struct world_parcel parcel = take_parcel(p, process, from, enter);

    trace_complete(p->trace, world_location_of(p, process), enter, p->now_ns[process],
                   message, at(from), parcel.bytes);
}

static void step_halo(struct world_program *p)
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

static void work_on_task(struct world_program *p, uint32_t worker)
{
    recv_bytes(p, worker, 0);
    world_compute(p, worker);
    send_bytes(p, worker, 0, "MPI_Send");
}

/* One task for everybody, and three times as many for whoever comes first. */
static void step_master_worker(struct world_program *p)
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

static void step_pipeline(struct world_program *p)
{
    for (uint32_t q = 0; q < p->n; q++) {
        if (q > 0) {
            recv_bytes(p, q, q - 1);
        }
        world_compute(p, q);
        if (q + 1 < p->n) {
            send_bytes(p, q, q + 1, "MPI_Send");
        }
    }
}

static void step_tree(struct world_program *p)
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

static void step_pairs(struct world_program *p)
{
    for (uint32_t i = 0; i < p->n; i++) {
        const uint32_t a = world_roll_below(&p->dice, p->n);
        const uint32_t b = (a + 1 + world_roll_below(&p->dice, p->n - 1)) % p->n;

        world_compute(p, a);
        world_compute(p, b);
        if (world_roll_below(&p->dice, 4) == 0) {
            send_synchronous(p, a, b);
        } else {
            send_bytes(p, a, b, "MPI_Send");
            recv_bytes(p, b, a);
        }
    }
}

/* ---- the whole run ----------------------------------------------------------------------------- */

/* The workers of a process begin after the fork and end before the join. */
static void parallel_region(struct world_program *p, uint32_t process)
{
    const uint32_t master = world_location_of(p, process);
    const int64_t fork = p->now_ns[process] + world_pause_ns(p);
    int64_t join = fork;

    trace_record(p->trace, master, fork, MPL_EV_FORK);
    for (uint32_t t = 0; t < p->options->n_threads; t++) {
        const int64_t begin = fork + world_pause_ns(p);
        const int64_t end =
            begin + some_ns(world_roll_exponential(&p->dice, p->options->compute_ns));

        trace_record(p->trace, master + t, begin, MPL_EV_TEAM_BEGIN);
        trace_enter(p->trace, master + t, begin, "loop");
        trace_leave(p->trace, master + t, end, "loop");
        trace_record(p->trace, master + t, end, MPL_EV_TEAM_END);
        join = world_later(join, end);
    }
    p->now_ns[process] = join + world_pause_ns(p);
    trace_record(p->trace, master, p->now_ns[process], MPL_EV_JOIN);
}

static void step(struct world_program *p, enum world_kind kind)
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
        world_step_collective(p);
        break;
    default:
        step(p, (enum world_kind) world_roll_below(&p->dice, WORLD_MIXED));
    }
}

/* MPI_Init and MPI_Finalize: nobody leaves before all have entered. */
static void synchronize_all(struct world_program *p, const char *region)
{
    int64_t last = 0;

    for (uint32_t q = 0; q < p->n; q++) {
        p->enter_ns[q] = p->now_ns[q] + world_pause_ns(p);
        last = world_later(last, p->enter_ns[q]);
    }
    for (uint32_t q = 0; q < p->n; q++) {
        p->now_ns[q] =
            last + some_ns(p->options->latency_ns + world_roll_exponential(&p->dice, 1000));
        trace_enter(p->trace, world_location_of(p, q), p->enter_ns[q], region);
        trace_leave(p->trace, world_location_of(p, q), p->now_ns[q], region);
    }
}

/* Halves that share a process, ranks running backwards in the upper one, and every other one. */
static void make_parts(struct world_program *p, struct mpl_arena *arena)
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

static void set_up_network(struct world_program *p, struct mpl_arena *arena)
{
    p->channel =
        world_must(MPL_NEW_ARRAY(arena, (size_t) p->n * p->n, struct world_channel));
    for (uint32_t i = 0; i < p->n * p->n; i++) {
        p->channel[i].parcel = mpl_buf_make(sizeof(struct world_parcel));
        p->channel[i].latency_ns = p->options->latency_ns *
                                   (1 + p->options->asymmetry * world_roll_share(&p->dice));
    }
}

static void run_steps(struct world_program *p)
{
    const struct world_options *o = p->options;

    for (uint32_t i = 1; i <= o->n_steps; i++) {
        step(p, o->kind);
        if (o->coll_every > 0 && i % o->coll_every == 0) {
            world_step_collective(p);
        }
        for (uint32_t q = 0; q < p->n && o->n_threads > 1; q++) {
            parallel_region(p, q);
        }
    }
}

struct mpl_model *world_run(const struct world_options *options, struct mpl_arena *arena,
                            int64_t *duration_ns)
{
    struct world_program p = { .options = options,
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
        *duration_ns = world_later(*duration_ns, p.now_ns[q]);
    }
    for (uint32_t i = 0; i < p.n * p.n; i++) {
        mpl_buf_free(&p.channel[i].parcel);
    }
    model = trace_model(p.trace);
    trace_destroy(p.trace);
    return model;
}
