#include "config.h"

#include "clock/clock_priv.h"

#include <string.h>

/*
 * The tightest statement about each ordered pair of processes is all that an estimate needs, so
 * a trace of any length shrinks to one number per pair that talks.
 */

enum mpl_status mpl_links_open(struct mpl_links *links, const struct mpl_order_view *view,
                               struct mpl_err *err)
{
    links->n_processes = view->model->n_processes;
    links->link = mpl_buf_make(sizeof(struct mpl_clock_link));
    links->point = mpl_buf_make(sizeof(struct mpl_point));
    memset(links->recent, 0, sizeof links->recent);
    links->n_per_point = 0;
    links->is_short = false;
    links->at = mpl_map_create();
    return links->at == NULL ? mpl_nomem(err) : MPL_OK;
}

void mpl_links_close(struct mpl_links *links)
{
    mpl_map_destroy(links->at);
    links->at = NULL;
    mpl_buf_free(&links->link);
    mpl_buf_free(&links->point);
}

static uint64_t key_of(const struct mpl_links *links, uint32_t from, uint32_t to)
{
    return (uint64_t) from * links->n_processes + to;
}

/*
 * The index of a link; MPL_NONE. Messages are looked at receiver by receiver, so that of their links the one that
 * was found last for their sender is mostly meant again: to compare it costs less than to look into the map.
 */
static uint32_t find_link(struct mpl_links *links, uint32_t from, uint32_t to)
{
    uint32_t *recent = &links->recent[from % MPL_LINKS_RECENT];
    const struct mpl_clock_link *all = links->link.data;

    if (*recent >= links->link.n || all[*recent].from != from || all[*recent].to != to) {
        const uint32_t at = mpl_map_find(links->at, key_of(links, from, to));

        if (at == MPL_NONE) {
            return MPL_NONE;
        }
        *recent = at;
    }
    return *recent;
}

const struct mpl_clock_link *mpl_links_find(const struct mpl_links *links, uint32_t from,
                                            uint32_t to)
{
    const uint32_t at = mpl_map_find(links->at, key_of(links, from, to));

    return at == MPL_NONE ? NULL : mpl_links_get(links, at);
}

static uint32_t add_link(struct mpl_links *links, uint32_t from, uint32_t to)
{
    const uint32_t at = (uint32_t) links->link.n;

    if (links->link.n >= MPL_NONE || !mpl_map_put(links->at, key_of(links, from, to), at)) {
        return MPL_NONE;
    }
    const struct mpl_clock_link link = {
        .from = from, .to = to, .back = mpl_map_find(links->at, key_of(links, to, from))
    };

    if (!mpl_buf_put(&links->link, &link)) {
        return MPL_NONE;
    }
    if (link.back != MPL_NONE) {
        mpl_links_get(links, link.back)->back = at;
    }
    return at;
}

uint32_t mpl_links_add(struct mpl_links *links, uint32_t from, uint32_t to,
                       int64_t least_ticks)
{
    /* What failed once may be half done. */
    if (from == to || links->is_short) {
        return MPL_NONE;
    }
    uint32_t at = find_link(links, from, to);
    const bool is_known = at != MPL_NONE;
    at = is_known ? at : add_link(links, from, to);
    if (at == MPL_NONE) {
        links->is_short = true;
        return MPL_NONE;
    }

    struct mpl_clock_link *link = mpl_links_get(links, at);

    if (!is_known || least_ticks < link->least_ticks) {
        link->least_ticks = least_ticks;
        link->limit_ticks = least_ticks;
    }
    return at;
}

void mpl_links_add_point(struct mpl_links *links, uint32_t from, uint32_t to,
                         int64_t begin_ticks, int64_t end_ticks)
{
    const uint32_t at =
        mpl_links_add(links, from, to, mpl_ticks_minus(end_ticks, begin_ticks));

    if (at == MPL_NONE || links->n_per_point == 0) {
        return;
    }
    const size_t n = links->point.n;

    if (!mpl_buf_grow_to(&links->point, n + 1)) {
        links->is_short = true;
        return;
    }
    ((struct mpl_point *) links->point.data)[n] = (struct mpl_point){
        .link = at, .begin_ticks = begin_ticks, .end_ticks = end_ticks
    };
}

struct mpl_clock_link *mpl_links_get(const struct mpl_links *links, size_t i)
{
    return mpl_buf_get(&links->link, i);
}

const struct mpl_clock_link *mpl_links_back(const struct mpl_links *links,
                                            const struct mpl_clock_link *link)
{
    return link->back == MPL_NONE ? NULL : mpl_links_get(links, link->back);
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
    (void) mpl_links_add(r->links, in->process[from], in->process[to],
                         mpl_ticks_minus(in->leave_ticks[to], in->enter_ticks[from]));
    r->n++;
}

/*
 * Against whoever leaves first, all that enter later: besides the last one against all that
 * leave before it, which is what find_reversed finds. One of the two alone would bring the
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
