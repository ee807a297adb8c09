#include "config.h"

#include "clock/clock_priv.h"

/*
 * When no constants fit all messages, clocks drift. An offset that moves from a to b in the
 * course of the run makes the smallest difference in one direction come from its beginning
 * and that in the other from its end: round trips seem to be shorter than nothing. The middle
 * of the two is still near the middle of a and b. Such constants along the spanning tree
 * bring all clocks onto a time line on which it makes sense to speak of the same moment;
 * drift.c starts from there.
 */

struct rough {
    const struct mpl_order_view *view;
    const struct mpl_links *links;
    const uint32_t *parent; /* In the tree; MPL_NONE for the reference and others. */
    struct mpl_estimate *estimate;
    bool *is_fixed;
    /* Links by process, at both ends, and those of which an end has become fixed. */
    uint32_t *first;
    uint32_t *link;
    struct mpl_lowest touched;
};

/* ---- along the tree ------------------------------------------------------------------ */

static __int128 middle_of(const struct rough *r, uint32_t parent, uint32_t child)
{
    const struct mpl_clock_link *down = mpl_links_find(r->links, parent, child);
    const struct mpl_clock_link *up = mpl_links_find(r->links, child, parent);

    return ((__int128) up->least_ticks - down->least_ticks) / 2;
}

/* Adds up middles from the reference to everybody in the tree. */
static void add_up(struct rough *r, uint32_t *path)
{
    struct mpl_estimate *e = r->estimate;
    const uint32_t n = r->view->model->n_processes;

    for (uint32_t p = 0; p < n; p++) {
        r->is_fixed[p] = p == e->reference;
    }
    e->add_ticks[e->reference] = 0;
    for (uint32_t p = 0; p < n; p++) {
        uint32_t length = 0;

        for (uint32_t q = p; !r->is_fixed[q] && r->parent[q] != MPL_NONE;
             q = r->parent[q]) {
            path[length++] = q;
        }
        while (length > 0) {
            const uint32_t q = path[--length];
            const uint32_t parent = r->parent[q];

            e->add_ticks[q] =
                mpl_ticks_narrow(e->add_ticks[parent] + middle_of(r, parent, q));
            r->is_fixed[q] = true;
        }
    }
}

/* ---- outside of the tree ------------------------------------------------------------------- */

static enum mpl_status sort_links(struct rough *r, struct mpl_arena *scratch,
                                  struct mpl_err *err)
{
    const uint32_t n = r->links->n_processes;
    const size_t n_ends = 2 * r->links->link.n;

    r->first = MPL_NEW_ARRAY(scratch, (size_t) n + 2, uint32_t);
    r->link = MPL_NEW_ARRAY(scratch, n_ends, uint32_t);
    r->touched.number = MPL_NEW_ARRAY(scratch, n_ends, uint32_t);
    if (r->first == NULL || r->link == NULL || r->touched.number == NULL) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < r->links->link.n; i++) {
        r->first[mpl_links_get(r->links, i)->from + 2]++;
        r->first[mpl_links_get(r->links, i)->to + 2]++;
    }
    for (uint32_t p = 0; p < n; p++) {
        r->first[p + 2] += r->first[p + 1];
    }
    for (size_t i = 0; i < r->links->link.n; i++) {
        r->link[r->first[mpl_links_get(r->links, i)->from + 1]++] = (uint32_t) i;
        r->link[r->first[mpl_links_get(r->links, i)->to + 1]++] = (uint32_t) i;
    }
    return MPL_OK;
}

static void touch_links(struct rough *r, uint32_t process)
{
    for (uint32_t i = r->first[process]; i < r->first[process + 1]; i++) {
        mpl_lowest_add(&r->touched, r->link[i]);
    }
}

static void fix(struct rough *r, uint32_t process)
{
    r->is_fixed[process] = true;
    touch_links(r, process);
}

/* Processes without an answered message follow their neighbours, without any bound. */
static void attach(struct rough *r, uint32_t process)
{
    __int128 low = -MPL_PATH_NONE;
    __int128 high = MPL_PATH_NONE;
    struct mpl_estimate *e = r->estimate;

    for (uint32_t i = r->first[process]; i < r->first[process + 1]; i++) {
        const struct mpl_clock_link *link = mpl_links_get(r->links, r->link[i]);

        if (link->from == process && r->is_fixed[link->to]) {
            const __int128 limit = (__int128) e->add_ticks[link->to] + link->least_ticks;

            high = limit < high ? limit : high;
        } else if (link->to == process && r->is_fixed[link->from]) {
            const __int128 limit = (__int128) e->add_ticks[link->from] - link->least_ticks;

            low = limit > low ? limit : low;
        }
    }
    if (low == -MPL_PATH_NONE) {
        e->add_ticks[process] = mpl_ticks_narrow(high);
    } else if (high == MPL_PATH_NONE) {
        e->add_ticks[process] = mpl_ticks_narrow(low);
    } else {
        e->add_ticks[process] = mpl_ticks_narrow((low + high) / 2);
    }
    e->is_one_sided[process] = true;
    fix(r, process);
}

/* A process without a place that talks to one with a place; MPL_NONE: there is none. */
static uint32_t find_neighbour(struct rough *r)
{
    uint32_t i;

    while ((i = mpl_lowest_take(&r->touched)) != MPL_NONE) {
        const struct mpl_clock_link *link = mpl_links_get(r->links, i);

        if (r->is_fixed[link->from] != r->is_fixed[link->to]) {
            return r->is_fixed[link->from] ? link->to : link->from;
        }
    }
    return MPL_NONE;
}

static void attach_rest(struct rough *r, const int64_t *raw_ticks)
{
    struct mpl_estimate *e = r->estimate;

    for (uint32_t p = 0; p < r->view->model->n_processes; p++) {
        if (r->is_fixed[p]) {
            touch_links(r, p);
        } else {
            e->bound_ticks[p] = INT64_MAX;
        }
    }
    for (uint32_t p = 0; p < r->view->model->n_processes;) {
        const uint32_t neighbour = find_neighbour(r);

        if (neighbour != MPL_NONE) {
            attach(r, neighbour);
        } else if (r->is_fixed[p]) {
            p++;
        } else {
            e->add_ticks[p] = mpl_ticks_minus(raw_ticks[p], raw_ticks[e->reference]);
            e->is_alone[p] = true;
            fix(r, p);
        }
    }
}

/* ---- the whole ----------------------------------------------------------------------------- */

enum mpl_status mpl_rough_estimate(const struct mpl_order_view *view,
                                   const struct mpl_links *links, const int64_t *raw_ticks,
                                   const struct mpl_paths *tree, struct mpl_arena *scratch,
                                   struct mpl_estimate *estimate, struct mpl_err *err)
{
    const uint32_t n = view->model->n_processes;
    struct rough r = {
        .view = view, .links = links, .parent = tree->parent, .estimate = estimate
    };
    uint32_t *path = MPL_NEW_ARRAY(scratch, n, uint32_t);

    r.is_fixed = MPL_NEW_ARRAY(scratch, n, bool);
    if (path == NULL || r.is_fixed == NULL) {
        return mpl_nomem(err);
    }
    const enum mpl_status st = sort_links(&r, scratch, err);
    if (st != MPL_OK) {
        return st;
    }
    for (uint32_t p = 0; p < n; p++) {
        estimate->is_alone[p] = false;
        estimate->is_one_sided[p] = false;
        estimate->bound_ticks[p] = p == estimate->reference ? 0 : INT64_MAX;
        estimate->low_ticks[p] = p == estimate->reference ? 0 : INT64_MIN;
        estimate->high_ticks[p] = estimate->bound_ticks[p];
    }
    add_up(&r, path);
    attach_rest(&r, raw_ticks);
    return MPL_OK;
}
