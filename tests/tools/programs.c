#include "config.h"

#include "programs.h"

#include <string.h>

enum {
    N_SERVERS = 12,
    N_CLIENTS = 88,
    N_REQUESTS = 10000,
    ROAMING = 20, /* One request in so many goes anywhere. */
    HALO_SIDE = 16,
    HALO_STEPS = 30,
    HALO_LOCAL = 6,
    RING_SIZE = 300,
    RING_STEPS = 40,
    RING_LOCAL = 4,
    SCATTER_SIZE = 64,
    SCATTER_STEPS = 60,
    SCATTER_LOCAL = 6,
};

const char *program_name(enum program program)
{
    static const char *const names[N_PROGRAMS] = {
        [PROGRAM_WEB] = "web, 12 servers, 88 clients",
        [PROGRAM_HALO] = "halo, 16 by 16",
        [PROGRAM_HALO_SHUFFLED] = "halo, 16 by 16, shuffled",
        [PROGRAM_RING] = "ring of 300",
        [PROGRAM_SCATTER] = "scatter and gather, 64",
    };

    return names[program];
}

/* A program that is being written down. */
struct draft {
    uint32_t n;
    uint32_t *number;       /* Of a process, as it is seen. */
    struct mpl_buf *points; /* Per number: struct mpl_net_point */
    uint32_t *n_events;
    uint32_t n_pairs;
    uint64_t dice;
    bool is_short;
};

/* Steele, Lea, Flood (2014): SplitMix64. */
static uint32_t roll(struct draft *d, uint32_t below)
{
    uint64_t z = d->dice += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t) ((z ^ (z >> 31)) % below);
}

static void work(struct draft *d, uint32_t process, uint32_t n_events)
{
    d->n_events[d->number[process]] += n_events;
}

static void put(struct draft *d, uint32_t process, uint32_t pair, uint8_t flags)
{
    const uint32_t number = d->number[process];
    struct mpl_net_point *point = mpl_buf_add(&d->points[number]);

    if (point == NULL) {
        d->is_short = true;
    } else {
        *point = (struct mpl_net_point){ d->n_events[number]++, pair, flags };
    }
}

/* Returns the message, for receive(). */
static uint32_t send(struct draft *d, uint32_t process)
{
    put(d, process, d->n_pairs, MPL_POINT_SOURCE);
    return d->n_pairs++;
}

static void receive(struct draft *d, uint32_t process, uint32_t message)
{
    put(d, process, message, 0);
}

/* ---- programs -------------------------------------------------------------------------------- */

static void write_web(struct draft *d)
{
    for (uint32_t i = 0; i < N_REQUESTS; i++) {
        const uint32_t client = roll(d, N_CLIENTS);
        const uint32_t server =
            roll(d, ROAMING) == 0 ? roll(d, N_SERVERS) : client % N_SERVERS;

        work(d, N_SERVERS + client, 2);
        receive(d, server, send(d, N_SERVERS + client));
        work(d, server, 1);
        receive(d, N_SERVERS + client, send(d, server));
    }
}

/* The neighbour in direction 0 to 3; MPL_NONE at the edge. Direction k comes back as 3 - k. */
static uint32_t neighbour(uint32_t cell, uint32_t direction)
{
    const uint32_t x = cell % HALO_SIDE;
    const uint32_t y = cell / HALO_SIDE;

    switch (direction) {
    case 0:
        return x == 0 ? MPL_NONE : cell - 1;
    case 1:
        return y == 0 ? MPL_NONE : cell - HALO_SIDE;
    case 2:
        return y == HALO_SIDE - 1 ? MPL_NONE : cell + HALO_SIDE;
    default:
        return x == HALO_SIDE - 1 ? MPL_NONE : cell + 1;
    }
}

static void write_halo(struct draft *d)
{
    uint32_t sent[HALO_SIDE * HALO_SIDE][4];

    for (uint32_t step = 0; step < HALO_STEPS; step++) {
        for (uint32_t cell = 0; cell < d->n; cell++) {
            work(d, cell, HALO_LOCAL);
            for (uint32_t k = 0; k < 4; k++) {
                if (neighbour(cell, k) != MPL_NONE) {
                    sent[cell][k] = send(d, cell);
                }
            }
        }
        for (uint32_t cell = 0; cell < d->n; cell++) {
            for (uint32_t k = 0; k < 4; k++) {
                if (neighbour(cell, k) != MPL_NONE) {
                    receive(d, cell, sent[neighbour(cell, k)][3 - k]);
                }
            }
        }
    }
}

static void write_ring(struct draft *d, uint32_t n_steps)
{
    for (uint32_t step = 0; step < n_steps; step++) {
        const uint32_t first = d->n_pairs;

        for (uint32_t p = 0; p < d->n; p++) {
            work(d, p, RING_LOCAL);
            (void) send(d, p);
        }
        for (uint32_t p = 0; p < d->n; p++) {
            receive(d, p, first + (p + d->n - 1) % d->n);
        }
    }
}

static void write_scatter(struct draft *d)
{
    uint32_t sent[SCATTER_SIZE];

    for (uint32_t step = 0; step < SCATTER_STEPS; step++) {
        for (uint32_t p = 1; p < d->n; p++) {
            sent[p] = send(d, 0);
        }
        for (uint32_t p = 1; p < d->n; p++) {
            receive(d, p, sent[p]);
            work(d, p, SCATTER_LOCAL);
            sent[p] = send(d, p);
        }
        for (uint32_t p = 1; p < d->n; p++) {
            receive(d, 0, sent[p]);
        }
    }
}

/* For some time few events of its own at most, then more and more, and again. */
static void write_leaps(struct draft *d, uint32_t n_messages)
{
    enum { STRETCH = 40, LEAST_BITS = 3, MOST_BITS = 20 };

    for (uint32_t i = 0; i < n_messages; i++) {
        const uint32_t bits = LEAST_BITS + i / STRETCH % (MOST_BITS - LEAST_BITS + 1);
        const uint32_t from = roll(d, d->n);
        const uint32_t to = (from + 1 + roll(d, d->n - 1)) % d->n;

        work(d, from, roll(d, UINT32_C(1) << bits));
        receive(d, to, send(d, from));
    }
}

static void write_program(struct draft *d, enum program program)
{
    switch (program) {
    case PROGRAM_WEB:
        write_web(d);
        break;
    case PROGRAM_HALO:
    case PROGRAM_HALO_SHUFFLED:
        write_halo(d);
        break;
    case PROGRAM_RING:
        write_ring(d, RING_STEPS);
        break;
    default:
        write_scatter(d);
    }
}

/* ---- the net ---------------------------------------------------------------------------------- */

static struct mpl_net *make_net(const struct draft *d, struct mpl_arena *arena)
{
    struct mpl_model *model = MPL_NEW(arena, struct mpl_model);
    struct mpl_net *net = MPL_NEW(arena, struct mpl_net);

    if (model == NULL || net == NULL) {
        return NULL;
    }
    model->n_locations = d->n;
    model->locations = MPL_NEW_ARRAY(arena, d->n, struct mpl_location);
    model->can.has_receive_completions = true;
    model->can.has_immediate_collectives_complete = true;
    net->model = model;
    net->n_tracks = d->n;
    net->n_pairs = d->n_pairs;
    net->track = MPL_NEW_ARRAY(arena, d->n, struct mpl_net_track);
    for (uint32_t p = 0; p < d->n; p++) {
        const size_t n = d->points[p].n;
        struct mpl_net_point *points = MPL_NEW_ARRAY(arena, n, struct mpl_net_point);

        if (model->locations == NULL || net->track == NULL || points == NULL) {
            return NULL;
        }
        memcpy(points, d->points[p].data, n * sizeof *points);
        net->track[p] = (struct mpl_net_track){ (uint32_t) n, points };
        net->n_points += n;
        model->locations[p].n_events = d->n_events[p];
    }
    return net;
}

static bool open_draft(struct draft *d, uint32_t n, struct mpl_arena *arena)
{
    *d = (struct draft){ .n = n,
                         .number = MPL_NEW_ARRAY(arena, n, uint32_t),
                         .points = MPL_NEW_ARRAY(arena, n, struct mpl_buf),
                         .n_events = MPL_NEW_ARRAY(arena, n, uint32_t),
                         .dice = 2001 };
    for (uint32_t p = 0; p < n && d->points != NULL; p++) {
        d->points[p] = mpl_buf_make(sizeof(struct mpl_net_point));
    }
    for (uint32_t p = 0; p < n && d->number != NULL; p++) {
        d->number[p] = p;
    }
    return d->number != NULL && d->points != NULL && d->n_events != NULL;
}

static void shuffle(struct draft *d)
{
    for (uint32_t i = 0; i < d->n; i++) {
        const uint32_t other = roll(d, i + 1);

        d->number[i] = d->number[other];
        d->number[other] = i;
    }
}

static struct mpl_net *close_draft(struct draft *d, struct mpl_arena *arena)
{
    struct mpl_net *net = d->is_short ? NULL : make_net(d, arena);

    for (uint32_t p = 0; p < d->n; p++) {
        mpl_buf_free(&d->points[p]);
    }
    return net;
}

static struct mpl_net *make(enum program program, bool is_shuffled, struct mpl_arena *arena)
{
    static const uint32_t sizes[N_PROGRAMS] = {
        [PROGRAM_WEB] = N_SERVERS + N_CLIENTS,
        [PROGRAM_HALO] = HALO_SIDE * HALO_SIDE,
        [PROGRAM_HALO_SHUFFLED] = HALO_SIDE * HALO_SIDE,
        [PROGRAM_RING] = RING_SIZE,
        [PROGRAM_SCATTER] = SCATTER_SIZE,
    };
    struct draft d;

    if (!open_draft(&d, sizes[program], arena)) {
        return NULL;
    }
    if (is_shuffled) {
        shuffle(&d);
    }
    write_program(&d, program);
    return close_draft(&d, arena);
}

struct mpl_net *program_make(enum program program, struct mpl_arena *arena)
{
    return make(program, program == PROGRAM_HALO_SHUFFLED, arena);
}

struct mpl_net *program_make_shuffled(enum program program, struct mpl_arena *arena)
{
    return make(program, true, arena);
}

struct mpl_net *program_ring(uint32_t n, uint32_t n_steps, struct mpl_arena *arena)
{
    struct draft d;

    if (!open_draft(&d, n, arena)) {
        return NULL;
    }
    write_ring(&d, n_steps);
    return close_draft(&d, arena);
}

struct mpl_net *program_leaps(uint32_t n, uint32_t n_messages, struct mpl_arena *arena)
{
    struct draft d;

    if (!open_draft(&d, n, arena)) {
        return NULL;
    }
    write_leaps(&d, n_messages);
    return close_draft(&d, arena);
}

struct mpl_net *program_phases(struct mpl_arena *arena)
{
    struct draft d;

    if (!open_draft(&d, HALO_SIDE * HALO_SIDE, arena)) {
        return NULL;
    }
    write_halo(&d);
    shuffle(&d);
    write_halo(&d);
    return close_draft(&d, arena);
}
