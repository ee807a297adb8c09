#include "config.h"

#include "clock/clock_priv.h"

/*
 * The tightest statement about each ordered pair of processes is all that an estimate needs, so
 * a trace of any length shrinks to one number per pair that talks.
 */

enum mpl_status mpl_links_open(struct mpl_links *links, const struct mpl_order_view *view,
                               struct mpl_err *err)
{
    links->n_processes = view->model->n_processes;
    links->link = mpl_buf_make(sizeof(struct mpl_link));
    links->is_short = false;
    links->at = mpl_map_create();
    return links->at == NULL ? mpl_nomem(err) : MPL_OK;
}

void mpl_links_close(struct mpl_links *links)
{
    mpl_map_destroy(links->at);
    links->at = NULL;
    mpl_buf_free(&links->link);
}

static uint64_t key_of(const struct mpl_links *links, uint32_t from, uint32_t to)
{
    return (uint64_t) from * links->n_processes + to;
}

const struct mpl_link *mpl_links_find(const struct mpl_links *links, uint32_t from,
                                      uint32_t to)
{
    const uint32_t at = mpl_map_find(links->at, key_of(links, from, to));

    return at == MPL_NONE ? NULL : mpl_links_get(links, at);
}

static uint32_t add_link(struct mpl_links *links, uint32_t from, uint32_t to)
{
    const uint32_t at = (uint32_t) links->link.n;
    struct mpl_link *link;

    if (links->link.n >= MPL_NONE || !mpl_map_put(links->at, key_of(links, from, to), at)) {
        return MPL_NONE;
    }
    link = mpl_buf_add(&links->link);
    if (link == NULL) {
        return MPL_NONE;
    }
    *link = (struct mpl_link){ .from = from,
                               .to = to,
                               .back = mpl_map_find(links->at, key_of(links, to, from)) };
    if (link->back != MPL_NONE) {
        mpl_links_get(links, link->back)->back = at;
    }
    return at;
}

void mpl_links_add(struct mpl_links *links, uint32_t from, uint32_t to, int64_t least_ticks)
{
    uint32_t at;
    bool is_known;

    if (from == to) {
        return;
    }
    at = mpl_map_find(links->at, key_of(links, from, to));
    is_known = at != MPL_NONE;
    at = is_known ? at : add_link(links, from, to);
    if (at == MPL_NONE) {
        links->is_short = true;
        return;
    }

    struct mpl_link *link = mpl_links_get(links, at);

    if (!is_known || least_ticks < link->least_ticks) {
        link->least_ticks = least_ticks;
        link->limit_ticks = least_ticks;
    }
}

struct mpl_link *mpl_links_get(const struct mpl_links *links, size_t i)
{
    return mpl_buf_get(&links->link, i);
}

const struct mpl_link *mpl_links_back(const struct mpl_links *links,
                                      const struct mpl_link *link)
{
    return link->back == MPL_NONE ? NULL : mpl_links_get(links, link->back);
}

/* ---- messages --------------------------------------------------------------------------- */

/* The least differences to one receiving process; flushed when the next one begins. */
struct row {
    struct mpl_links *links;
    uint32_t to;       /* MPL_NONE before the first message. */
    int64_t *least;    /* Per sender; INT64_MAX: not met. */
    uint32_t *touched; /* Senders met. */
    uint32_t n_touched;
};

static void flush_row(struct row *row)
{
    for (uint32_t i = 0; i < row->n_touched; i++) {
        const uint32_t from = row->touched[i];

        mpl_links_add(row->links, from, row->to, row->least[from]);
        row->least[from] = INT64_MAX;
    }
    row->n_touched = 0;
}

static void see_pair(struct row *row, const struct mpl_order_pair *pair)
{
    const int64_t ticks = mpl_ticks_minus(pair->received_ticks, pair->sent_ticks);

    if (pair->to != row->to) {
        flush_row(row);
        row->to = pair->to;
    }
    if (row->least[pair->from] == INT64_MAX) {
        row->touched[row->n_touched++] = pair->from;
    }
    if (ticks < row->least[pair->from]) {
        row->least[pair->from] = ticks;
    }
}

/* ---- collectives ---------------------------------------------------------------------------- */

/*
 * All n (n - 1) pairs of a collective would cost the square of its size. Looked at are, as in
 * dissemination algorithms, ranks that differ in one bit, and the root with everybody: enough
 * to connect all members in both directions along paths of at most log2 n steps. What the
 * other pairs say beyond that is added where an estimate contradicts it (mpl_links_refine).
 * Minima are kept per communicator and bit, so that a collective costs no hash lookups.
 */
enum { MPL_CUBE_BITS = 32 };

struct cube {
    struct mpl_links *links;
    uint32_t comm; /* MPL_NONE before the first instance. */
    uint32_t n;
    uint32_t n_bits;
    const uint32_t *process;
    int64_t *least; /* Of rank r against rank r ^ 1 << bit: least[r * n_bits + bit]. */
    int64_t *star;  /* Per rank: to or from the root. */
    uint32_t root;
    bool is_to_all;
};

static void flush_star(struct cube *cube)
{
    for (uint32_t rank = 0; rank < cube->n && cube->root != MPL_NONE; rank++) {
        const uint32_t root = cube->process[cube->root];
        const uint32_t other = cube->process[rank];

        if (cube->star[rank] != INT64_MAX) {
            mpl_links_add(cube->links, cube->is_to_all ? root : other,
                          cube->is_to_all ? other : root, cube->star[rank]);
            cube->star[rank] = INT64_MAX;
        }
    }
    cube->root = MPL_NONE;
}

static void flush_cube(struct cube *cube)
{
    flush_star(cube);
    for (uint32_t to = 0; to < cube->n; to++) {
        for (uint32_t bit = 0; bit < cube->n_bits; bit++) {
            int64_t *least = &cube->least[(size_t) to * cube->n_bits + bit];

            if (*least != INT64_MAX) {
                mpl_links_add(cube->links, cube->process[to ^ (uint32_t) 1 << bit],
                              cube->process[to], *least);
                *least = INT64_MAX;
            }
        }
    }
}

static void enter_comm(struct cube *cube, const struct mpl_order_instance *in)
{
    flush_cube(cube);
    cube->comm = in->comm;
    cube->n = in->n;
    cube->process = in->process;
    cube->n_bits = 0;
    while (cube->n_bits < MPL_CUBE_BITS - 1 && (uint32_t) 1 << cube->n_bits < in->n) {
        cube->n_bits++;
    }
}

static void see_least(int64_t *least, int64_t enter, int64_t leave)
{
    if (enter != MPL_ORDER_NEVER && leave != MPL_ORDER_NEVER) {
        const int64_t ticks = mpl_ticks_minus(leave, enter);

        *least = ticks < *least ? ticks : *least;
    }
}

static void see_star(struct cube *cube, const struct mpl_order_instance *in)
{
    if (in->root != cube->root || in->is_to_all != cube->is_to_all) {
        flush_star(cube);
        cube->root = in->root;
        cube->is_to_all = in->is_to_all;
    }
    for (uint32_t rank = 0; rank < in->n; rank++) {
        if (rank != in->root) {
            see_least(&cube->star[rank], in->enter_ticks[in->is_to_all ? in->root : rank],
                      in->leave_ticks[in->is_to_all ? rank : in->root]);
        }
    }
}

static void see_instance(struct cube *cube, const struct mpl_order_instance *in)
{
    if (in->comm != cube->comm) {
        enter_comm(cube, in);
    }
    if (in->root != MPL_NONE) {
        see_star(cube, in);
        return;
    }
    for (uint32_t to = 0; to < in->n; to++) {
        int64_t *least = &cube->least[(size_t) to * cube->n_bits];

        for (uint32_t bit = 0; bit < cube->n_bits; bit++) {
            const uint32_t from = to ^ (uint32_t) 1 << bit;

            if (from < in->n && !(in->is_prefix && from > to)) {
                see_least(&least[bit], in->enter_ticks[from], in->leave_ticks[to]);
            }
        }
    }
}

/* ---- both ------------------------------------------------------------------------------- */

struct mpl_gather {
    struct row row;
    struct cube cube;
};

static bool make_row(struct row *row, struct mpl_links *links, struct mpl_arena *scratch)
{
    *row = (struct row){ .links = links, .to = MPL_NONE };
    row->least = MPL_NEW_ARRAY(scratch, links->n_processes, int64_t);
    row->touched = MPL_NEW_ARRAY(scratch, links->n_processes, uint32_t);
    if (row->least == NULL || row->touched == NULL) {
        return false;
    }
    for (uint32_t p = 0; p < links->n_processes; p++) {
        row->least[p] = INT64_MAX;
    }
    return true;
}

static bool make_cube(struct cube *cube, struct mpl_links *links,
                      const struct mpl_model *model, struct mpl_arena *scratch)
{
    uint32_t most = 0;
    uint32_t bits = 0;

    *cube = (struct cube){ .links = links, .comm = MPL_NONE, .root = MPL_NONE };
    for (uint32_t c = 0; c < model->n_comms; c++) {
        most = model->comms[c].n_members > most ? model->comms[c].n_members : most;
    }
    while (bits < MPL_CUBE_BITS - 1 && (uint32_t) 1 << bits < most) {
        bits++;
    }
    cube->least = MPL_NEW_ARRAY(scratch, (size_t) most * bits, int64_t);
    cube->star = MPL_NEW_ARRAY(scratch, most, int64_t);
    if (cube->least == NULL || cube->star == NULL) {
        return false;
    }
    for (size_t i = 0; i < (size_t) most * bits; i++) {
        cube->least[i] = INT64_MAX;
    }
    for (uint32_t i = 0; i < most; i++) {
        cube->star[i] = INT64_MAX;
    }
    return true;
}

struct mpl_gather *mpl_gather_create(struct mpl_links *links,
                                     const struct mpl_order_view *view,
                                     struct mpl_arena *scratch)
{
    struct mpl_gather *gather = MPL_NEW(scratch, struct mpl_gather);

    return gather != NULL && make_row(&gather->row, links, scratch) &&
                   make_cube(&gather->cube, links, view->model, scratch)
               ? gather
               : NULL;
}

void mpl_gather_pair(struct mpl_gather *gather, const struct mpl_order_pair *pair)
{
    see_pair(&gather->row, pair);
}

void mpl_gather_instance(struct mpl_gather *gather, const struct mpl_order_instance *in)
{
    see_instance(&gather->cube, in);
}

void mpl_gather_finish(struct mpl_gather *gather)
{
    flush_row(&gather->row);
    flush_cube(&gather->cube);
}

/* ---- refinement ---------------------------------------------------------------------------- */

struct refine {
    struct mpl_links *links;
    const int64_t *add_ticks;
    uint64_t n;
};

static void refine_pair(void *context, const struct mpl_order_instance *in, uint32_t from,
                        uint32_t to, int64_t reversed_ticks)
{
    struct refine *r = context;

    (void) reversed_ticks;
    mpl_links_add(r->links, in->process[from], in->process[to],
                  mpl_ticks_minus(in->leave_ticks[to], in->enter_ticks[from]));
    r->n++;
}

/*
 * Against whoever leaves first, all that enter later: besides the last one against all that
 * leave before it, which is what find_reversed tells. One of the two alone would bring the
 * members of a large communicator into line one by one.
 */
static void refine_first(struct refine *r, const struct mpl_order_instance *in)
{
    uint32_t first = MPL_NONE;
    int64_t first_ticks = 0;

    for (uint32_t rank = 0; rank < in->n; rank++) {
        if (in->leave_ticks[rank] != MPL_ORDER_NEVER) {
            const int64_t ticks =
                mpl_ticks_plus(in->leave_ticks[rank], r->add_ticks[in->process[rank]]);

            if (first == MPL_NONE || ticks < first_ticks) {
                first = rank;
                first_ticks = ticks;
            }
        }
    }
    for (uint32_t rank = 0; rank < in->n && first != MPL_NONE; rank++) {
        if (rank != first && in->enter_ticks[rank] != MPL_ORDER_NEVER &&
            mpl_ticks_plus(in->enter_ticks[rank], r->add_ticks[in->process[rank]]) >
                first_ticks) {
            refine_pair(r, in, rank, first, 0);
        }
    }
}

static void refine_instance(void *context, const struct mpl_order_instance *in)
{
    struct refine *r = context;

    mpl_order_find_reversed(in, r->add_ticks, refine_pair, r);
    if (!in->is_prefix) {
        refine_first(r, in);
    }
}

enum mpl_status mpl_links_refine(struct mpl_links *links, const struct mpl_order_view *view,
                                 const int64_t *add_ticks, uint64_t *n, struct mpl_err *err)
{
    struct refine refine = { .links = links, .add_ticks = add_ticks };
    const enum mpl_status st =
        mpl_order_walk_instances(view, refine_instance, &refine, err);

    *n = refine.n;
    return st == MPL_OK && links->is_short ? mpl_nomem(err) : st;
}
