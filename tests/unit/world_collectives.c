#include "config.h"

#include "world_priv.h"

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
static void draw_sizes(struct world_program *p, struct gathering *g)
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

static int64_t leave_ns(struct world_program *p, const struct gathering *g, uint32_t to)
{
    int64_t leave = p->enter_ns[to] + 100 + world_roll_below(&p->dice, 400);

    for (uint32_t from = 0; from < g->n; from++) {
        if (needs(g, to, from)) {
            leave =
                world_later(leave, p->enter_ns[from] + world_delay_ns(p, g->member[from],
                                                                      g->member[to], 64));
        }
    }
    return leave;
}

static void record_part(struct world_program *p, const struct gathering *g, uint32_t rank,
                        uint32_t part, int64_t end)
{
    const uint32_t l = world_location_of(p, g->member[rank]);

    trace_coll_end(p->trace, l, end, part, g->comm, g->op,
                   g->root == MPL_NONE ? MPL_NONE : g->member[g->root]);
    trace_set_coll_bytes(p->trace, l, part, g->sent_bytes[rank], g->received_bytes[rank]);
    p->now_ns[g->member[rank]] = end;
}

/* A call that begins and ends it. */
static void meet(struct world_program *p, const struct gathering *g)
{
    const char *region = mpl_coll_op_name(g->op);

    for (uint32_t i = 0; i < g->n; i++) {
        p->enter_ns[i] = p->now_ns[g->member[i]] + world_pause_ns(p);
    }
    for (uint32_t i = 0; i < g->n; i++) {
        const uint32_t l = world_location_of(p, g->member[i]);
        const int64_t leave = leave_ns(p, g, i);

        trace_enter(p->trace, l, p->enter_ns[i], region);
        record_part(p, g, i, trace_coll_begin(p->trace, l, p->enter_ns[i]), leave);
        trace_leave(p->trace, l, leave, region);
    }
}

static const char *const immediate_name[] = {
    [MPL_COLL_BARRIER] = "MPI_Ibarrier",
    [MPL_COLL_BCAST] = "MPI_Ibcast",
    [MPL_COLL_GATHER] = "MPI_Igather",
    [MPL_COLL_GATHERV] = "MPI_Igatherv",
    [MPL_COLL_SCATTER] = "MPI_Iscatter",
    [MPL_COLL_SCATTERV] = "MPI_Iscatterv",
    [MPL_COLL_ALLGATHER] = "MPI_Iallgather",
    [MPL_COLL_ALLGATHERV] = "MPI_Iallgatherv",
    [MPL_COLL_ALLTOALL] = "MPI_Ialltoall",
    [MPL_COLL_ALLTOALLV] = "MPI_Ialltoallv",
    [MPL_COLL_ALLTOALLW] = "MPI_Ialltoallw",
    [MPL_COLL_ALLREDUCE] = "MPI_Iallreduce",
    [MPL_COLL_REDUCE] = "MPI_Ireduce",
    [MPL_COLL_REDUCE_SCATTER] = "MPI_Ireduce_scatter",
    [MPL_COLL_SCAN] = "MPI_Iscan",
    [MPL_COLL_EXSCAN] = "MPI_Iexscan",
    [MPL_COLL_REDUCE_SCATTER_BLOCK] = "MPI_Ireduce_scatter_block",
};

/* A call that begins it, some computation, and a wait: what it needs may have come by then. */
static void meet_later(struct world_program *p, const struct gathering *g)
{
    const char *region = immediate_name[g->op];
    uint32_t part[WORLD_MOST_PROCESSES];

    for (uint32_t i = 0; i < g->n; i++) {
        const uint32_t l = world_location_of(p, g->member[i]);
        const int64_t enter = p->now_ns[g->member[i]] + world_pause_ns(p);

        p->enter_ns[i] = enter;
        p->now_ns[g->member[i]] = enter + 300;
        trace_enter(p->trace, l, enter, region);
        part[i] = trace_coll_begin(p->trace, l, enter);
        trace_set_coll_immediate(p->trace, l, part[i]);
        trace_leave(p->trace, l, enter + 300, region);
        world_compute(p, g->member[i]);
    }
    for (uint32_t i = 0; i < g->n; i++) {
        const uint32_t l = world_location_of(p, g->member[i]);
        const int64_t enter = p->now_ns[g->member[i]] + world_pause_ns(p);
        const int64_t leave = world_later(enter + 50, leave_ns(p, g, i));

        trace_enter(p->trace, l, enter, "MPI_Wait");
        record_part(p, g, i, part[i], leave);
        trace_leave(p->trace, l, leave, "MPI_Wait");
    }
}

static void choose_members(struct world_program *p, struct gathering *g)
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

void world_step_collective(struct world_program *p)
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
    if (world_roll_below(&p->dice, 4) == 0) {
        meet_later(p, &g);
    } else {
        meet(p, &g);
    }
}
