#include "config.h"

#include "clock/clock_priv.h"

/*
 * Where clocks do not drift, the tightest statement about each ordered pair of processes is all
 * that an estimate needs, so a trace of any length shrinks to one number per pair that talks.
 * Where they do, it is the tightest statement of each stretch of time: of n_per_point
 * comparisons that follow each other only the tightest is kept, as a point. Averages would mix
 * in queues and late receivers; whatever delays a message only ever makes the difference larger.
 */

/* The tightest of some comparisons that follow each other. */
struct chain {
    int64_t begin_ticks;
    int64_t end_ticks;
    int64_t least_ticks;
    uint32_t n;
    bool is_touched; /* Messages: the sender is among those met. */
};

/* Whether it is one of as many as make a point. */
static bool extend_chain(struct chain *chain, uint32_t n_per_point, int64_t begin_ticks,
                         int64_t end_ticks)
{
    const int64_t ticks = mpl_ticks_minus(end_ticks, begin_ticks);

    if (chain->n == 0 || ticks < chain->least_ticks) {
        chain->begin_ticks = begin_ticks;
        chain->end_ticks = end_ticks;
        chain->least_ticks = ticks;
    }
    return ++chain->n == n_per_point;
}

/* ---- messages --------------------------------------------------------------------------- */

/* What comes to one receiving process; ended when the next one begins. */
struct mpl_gather_pairs {
    uint32_t n_per_point; /* As of the links. */
    struct mpl_buf *tight;
    bool is_short;
    uint32_t to;         /* MPL_NONE before the first message. */
    struct chain *chain; /* Per sender. */
    uint32_t *touched;   /* Senders met. */
    uint32_t n_touched;
};

struct mpl_gather_pairs *mpl_gather_pairs_create(const struct mpl_links *links,
                                                 struct mpl_arena *scratch)
{
    struct mpl_gather_pairs *g = MPL_NEW(scratch, struct mpl_gather_pairs);

    if (g == NULL) {
        return NULL;
    }
    g->n_per_point = links->n_per_point;
    g->chain = MPL_NEW_ARRAY(scratch, links->n_processes, struct chain);
    g->touched = MPL_NEW_ARRAY(scratch, links->n_processes, uint32_t);
    return g->chain == NULL || g->touched == NULL ? NULL : g;
}

static void put_tight(struct mpl_gather_pairs *g, uint32_t from)
{
    struct chain *chain = &g->chain[from];
    const size_t n = g->tight->n;

    if (chain->n == 0) {
        return;
    }
    if (mpl_buf_grow_to(g->tight, n + 1)) {
        ((struct mpl_tight *) g->tight->data)[n] =
            (struct mpl_tight){ from, g->to, chain->begin_ticks, chain->end_ticks };
    } else {
        g->is_short = true;
    }
    chain->n = 0;
}

static void end_row(struct mpl_gather_pairs *g)
{
    for (uint32_t i = 0; i < g->n_touched; i++) {
        put_tight(g, g->touched[i]);
        g->chain[g->touched[i]].is_touched = false;
    }
    g->n_touched = 0;
}

void mpl_gather_pairs_begin(struct mpl_gather_pairs *g, struct mpl_buf *tight)
{
    g->tight = tight;
    g->to = MPL_NONE;
    g->is_short = false;
}

static void see_pair(struct mpl_gather_pairs *g, const struct mpl_order_pair *pair)
{
    if (pair->to != g->to) {
        end_row(g);
        g->to = pair->to;
    }
    struct chain *chain = &g->chain[pair->from];

    if (!chain->is_touched) {
        chain->is_touched = true;
        g->touched[g->n_touched++] = pair->from;
    }
    if (extend_chain(chain, g->n_per_point, pair->sent_ticks, pair->received_ticks)) {
        put_tight(g, pair->from);
    }
}

void mpl_gather_pairs(struct mpl_gather_pairs *g, const struct mpl_order_pair *pairs,
                      uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        see_pair(g, &pairs[i]);
    }
}

bool mpl_gather_pairs_end(struct mpl_gather_pairs *g)
{
    end_row(g);
    return !g->is_short;
}

void mpl_gather_add(struct mpl_links *links, const struct mpl_buf *tight)
{
    const struct mpl_tight *all = tight->data;

    for (size_t i = 0; i < tight->n; i++) {
        const struct mpl_tight *t = &all[i];

        mpl_links_add_point(links, t->from, t->to, t->begin_ticks, t->end_ticks);
    }
}

/* ---- collectives ---------------------------------------------------------------------------- */

/*
 * All n (n - 1) pairs of a collective would cost the square of its size. Looked at are, as in
 * dissemination algorithms, ranks that differ in one bit, and the root with everybody: enough
 * to connect all members in both directions along paths of at most log2 n steps. What the
 * other pairs say beyond that is added where an estimate contradicts it (mpl_links_refine).
 * Chains are kept per communicator and bit, so that a collective costs no hash lookups.
 */
enum { MPL_CUBE_BITS = 32 };

struct mpl_gather_colls {
    struct mpl_links *links;
    uint32_t comm; /* MPL_NONE before the first instance. */
    uint32_t n;
    uint32_t n_bits;
    const uint32_t *process;
    struct chain *chain; /* From rank r ^ 1 << bit to rank r: chain[r * n_bits + bit]. */
    struct chain *star;  /* Per rank: to or from the root. */
    uint32_t root;
    bool is_to_all;
};

static void end_chain(struct mpl_links *links, struct chain *chain, uint32_t from,
                      uint32_t to)
{
    if (chain->n > 0) {
        mpl_links_add_point(links, from, to, chain->begin_ticks, chain->end_ticks);
        chain->n = 0;
    }
}

static void end_star(struct mpl_gather_colls *cube)
{
    for (uint32_t rank = 0; rank < cube->n && cube->root != MPL_NONE; rank++) {
        const uint32_t root = cube->process[cube->root];
        const uint32_t other = cube->process[rank];

        end_chain(cube->links, &cube->star[rank], cube->is_to_all ? root : other,
                  cube->is_to_all ? other : root);
    }
    cube->root = MPL_NONE;
}

void mpl_gather_colls_end(struct mpl_gather_colls *cube)
{
    end_star(cube);
    for (uint32_t to = 0; to < cube->n; to++) {
        for (uint32_t bit = 0; bit < cube->n_bits; bit++) {
            struct chain *chain = &cube->chain[(size_t) to * cube->n_bits + bit];

            if (chain->n > 0) {
                end_chain(cube->links, chain, cube->process[to ^ (uint32_t) 1 << bit],
                          cube->process[to]);
            }
        }
    }
}

static void enter_comm(struct mpl_gather_colls *cube, const struct mpl_order_instance *in)
{
    mpl_gather_colls_end(cube);
    cube->comm = in->comm;
    cube->n = in->n;
    cube->process = in->process;
    cube->n_bits = 0;
    while (cube->n_bits < MPL_CUBE_BITS - 1 && (uint32_t) 1 << cube->n_bits < in->n) {
        cube->n_bits++;
    }
}

static void see_ranks(struct mpl_gather_colls *cube, const struct mpl_order_instance *in,
                      struct chain *chain, uint32_t from, uint32_t to)
{
    const int64_t enter_ticks = in->enter_ticks[from];
    const int64_t leave_ticks = in->leave_ticks[to];

    if (enter_ticks != MPL_ORDER_NEVER && leave_ticks != MPL_ORDER_NEVER &&
        extend_chain(chain, cube->links->n_per_point, enter_ticks, leave_ticks)) {
        end_chain(cube->links, chain, in->process[from], in->process[to]);
    }
}

static void see_star(struct mpl_gather_colls *cube, const struct mpl_order_instance *in)
{
    if (in->root != cube->root || in->is_to_all != cube->is_to_all) {
        end_star(cube);
        cube->root = in->root;
        cube->is_to_all = in->is_to_all;
    }
    for (uint32_t rank = 0; rank < in->n; rank++) {
        if (rank != in->root) {
            see_ranks(cube, in, &cube->star[rank], in->is_to_all ? in->root : rank,
                      in->is_to_all ? rank : in->root);
        }
    }
}

struct mpl_gather_colls *mpl_gather_colls_create(struct mpl_links *links,
                                                 const struct mpl_model *model,
                                                 struct mpl_arena *scratch)
{
    struct mpl_gather_colls *cube = MPL_NEW(scratch, struct mpl_gather_colls);
    uint32_t most = 0;
    uint32_t bits = 0;

    if (cube == NULL) {
        return NULL;
    }
    *cube = (struct mpl_gather_colls){ .links = links, .comm = MPL_NONE, .root = MPL_NONE };
    for (uint32_t c = 0; c < model->n_comms; c++) {
        most = model->comms[c].n_members > most ? model->comms[c].n_members : most;
    }
    while (bits < MPL_CUBE_BITS - 1 && (uint32_t) 1 << bits < most) {
        bits++;
    }
    cube->chain = MPL_NEW_ARRAY(scratch, (size_t) most * bits, struct chain);
    cube->star = MPL_NEW_ARRAY(scratch, most, struct chain);
    return cube->chain != NULL && cube->star != NULL ? cube : NULL;
}

void mpl_gather_instance(struct mpl_gather_colls *cube, const struct mpl_order_instance *in)
{
    if (in->comm != cube->comm) {
        enter_comm(cube, in);
    }
    if (in->root != MPL_NONE) {
        see_star(cube, in);
        return;
    }
    for (uint32_t to = 0; to < in->n; to++) {
        struct chain *chain = &cube->chain[(size_t) to * cube->n_bits];

        for (uint32_t bit = 0; bit < cube->n_bits; bit++) {
            const uint32_t from = to ^ (uint32_t) 1 << bit;

            if (from < in->n && !(in->is_prefix && from > to)) {
                see_ranks(cube, in, &chain[bit], from, to);
            }
        }
    }
}
