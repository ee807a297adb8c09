#include "config.h"

#include "clock/clock_priv.h"

/*
 * When no constants fit all messages, clocks drift. An offset that moves from a to b in the
 * course of the run makes the smallest difference in one direction come from its beginning
 * and that in the other from its end: round trips seem to be shorter than nothing, and the
 * smallest ones of the whole run tell neither the offset nor its error.
 *
 * So the run is cut into windows, and each edge of the spanning tree gets an interval in each
 * of them: there the offset is nearly constant, and a round trip encloses it. The constant
 * taken is the middle of all intervals, and its bound reaches to the farthest end, plus what
 * the offset may have moved inside a window. Here is where a mapping that follows the windows
 * will be made from the same intervals.
 */

enum { MPL_DRIFT_WINDOWS = 32 };

struct interval {
    __int128 minus_low; /* Smallest difference to the child, MPL_PATH_NONE: none. */
    __int128 high;      /* From the child. */
};

struct drift {
    const struct mpl_order_view *view;
    const struct mpl_links *links;
    const uint32_t *parent; /* In the tree; MPL_NONE for the reference and others. */
    struct mpl_estimate *estimate;
    struct interval *window; /* Per process and window: of its offset against its parent. */
    __int128 *shift;         /* Per process: added to the parent's offset. */
    __int128 *reach;         /* Per process: bound of the shift. */
    bool *is_fixed;
    __int128 begin;
    __int128 end;
    uint32_t comm; /* That rank_of holds; MPL_NONE at first. */
    uint32_t *rank_of;
};

/* ---- along the tree ------------------------------------------------------------------ */

/* Adds up shifts and reaches from the reference to everybody in the tree. */
static void add_up(struct drift *d, uint32_t *path)
{
    struct mpl_estimate *e = d->estimate;
    const uint32_t n = d->view->model->n_processes;

    for (uint32_t p = 0; p < n; p++) {
        d->is_fixed[p] = p == e->reference;
    }
    e->add_ticks[e->reference] = 0;
    e->bound_ticks[e->reference] = 0;
    for (uint32_t p = 0; p < n; p++) {
        uint32_t length = 0;

        for (uint32_t q = p; !d->is_fixed[q] && d->parent[q] != MPL_NONE;
             q = d->parent[q]) {
            path[length++] = q;
        }
        while (length > 0) {
            const uint32_t q = path[--length];

            e->add_ticks[q] = mpl_ticks_narrow(e->add_ticks[d->parent[q]] + d->shift[q]);
            e->bound_ticks[q] =
                mpl_ticks_narrow(e->bound_ticks[d->parent[q]] + d->reach[q]);
            d->is_fixed[q] = true;
        }
    }
}

/* The middle of what the whole run says: good enough to tell which window an event is in. */
static void shift_roughly(struct drift *d)
{
    for (uint32_t p = 0; p < d->view->model->n_processes; p++) {
        if (d->parent[p] == MPL_NONE) {
            continue;
        }

        const struct mpl_link *down = mpl_links_find(d->links, d->parent[p], p);
        const struct mpl_link *up = mpl_links_find(d->links, p, d->parent[p]);

        d->shift[p] = ((__int128) up->least_ticks - down->least_ticks) / 2;
    }
}

/* ---- windows ---------------------------------------------------------------------------- */

static void find_run(struct drift *d)
{
    const struct mpl_model *model = d->view->model;

    d->begin = MPL_PATH_NONE;
    d->end = -MPL_PATH_NONE;
    for (uint32_t l = 0; l < model->n_locations; l++) {
        const struct mpl_location *loc = &model->locations[l];
        const int64_t add = d->estimate->add_ticks[loc->process];

        if (loc->n_events > 0 && d->is_fixed[loc->process]) {
            const __int128 first = (__int128) mpl_order_view_time(d->view, l, 0) + add;
            const __int128 last =
                (__int128) mpl_order_view_time(d->view, l, loc->n_events - 1) + add;

            d->begin = first < d->begin ? first : d->begin;
            d->end = last > d->end ? last : d->end;
        }
    }
}

static struct interval *find_window(const struct drift *d, uint32_t process, __int128 time)
{
    const __int128 span = d->end - d->begin + 1;
    const __int128 index = (time - d->begin) * MPL_DRIFT_WINDOWS / span;
    const __int128 last = MPL_DRIFT_WINDOWS - 1;
    const size_t at = (size_t) (index < 0 ? 0 : index > last ? last : index);

    return &d->window[(size_t) process * MPL_DRIFT_WINDOWS + at];
}

/* Something of `from` precedes something of `to`; only edges of the tree are of interest. */
static void see_order(struct drift *d, uint32_t from, uint32_t to, int64_t begin,
                      int64_t end)
{
    const __int128 ticks = (__int128) end - begin;
    const __int128 time = (__int128) end + d->estimate->add_ticks[to];

    if (d->parent[to] == from) {
        struct interval *window = find_window(d, to, time);

        window->minus_low = ticks < window->minus_low ? ticks : window->minus_low;
    } else if (d->parent[from] == to) {
        struct interval *window = find_window(d, from, time);

        window->high = ticks < window->high ? ticks : window->high;
    }
}

static void see_pair(void *context, const struct mpl_order_pair *pair)
{
    see_order(context, pair->from, pair->to, pair->sent_ticks, pair->received_ticks);
}

static void see_ranks(struct drift *d, const struct mpl_order_instance *in, uint32_t from,
                      uint32_t to)
{
    if (in->enter_ticks[from] != MPL_ORDER_NEVER &&
        in->leave_ticks[to] != MPL_ORDER_NEVER && !(in->is_prefix && from > to)) {
        see_order(d, in->process[from], in->process[to], in->enter_ticks[from],
                  in->leave_ticks[to]);
    }
}

static void enter_comm(struct drift *d, const struct mpl_order_instance *in)
{
    if (d->comm != MPL_NONE) {
        const struct mpl_comm *comm = &d->view->model->comms[d->comm];

        for (uint32_t rank = 0; rank < comm->n_members; rank++) {
            d->rank_of[comm->members[rank]] = MPL_NONE;
        }
    }
    for (uint32_t rank = 0; rank < in->n; rank++) {
        d->rank_of[in->process[rank]] = rank;
    }
    d->comm = in->comm;
}

static void see_instance(void *context, const struct mpl_order_instance *in)
{
    struct drift *d = context;

    if (d->comm != in->comm) {
        enter_comm(d, in);
    }
    for (uint32_t rank = 0; rank < in->n; rank++) {
        const uint32_t parent = d->parent[in->process[rank]];

        if (parent != MPL_NONE && d->rank_of[parent] != MPL_NONE) {
            see_ranks(d, in, d->rank_of[parent], rank);
            see_ranks(d, in, rank, d->rank_of[parent]);
        }
    }
}

/* ---- intervals ------------------------------------------------------------------------------ */

struct range {
    __int128 low;
    __int128 high;
};

static void widen(struct range *range, __int128 value)
{
    range->low = value < range->low ? value : range->low;
    range->high = value > range->high ? value : range->high;
}

/*
 * The union of the windows' intervals. An end of an interval that lies the wrong way round
 * still tells where the offset was at some moment. A window with messages in one direction
 * limits the offset from one side; that counts where the others leave it outside.
 */
static struct range unite(const struct interval *window)
{
    struct range range = { MPL_PATH_NONE, -MPL_PATH_NONE };

    for (int w = 0; w < MPL_DRIFT_WINDOWS; w++) {
        if (window[w].high != MPL_PATH_NONE && window[w].minus_low != MPL_PATH_NONE) {
            widen(&range, window[w].high);
            widen(&range, -window[w].minus_low);
        }
    }
    for (int w = 0; w < MPL_DRIFT_WINDOWS; w++) {
        const bool is_empty = range.low == MPL_PATH_NONE;

        if (window[w].high != MPL_PATH_NONE && (is_empty || window[w].high < range.low)) {
            widen(&range, window[w].high);
        }
        if (window[w].minus_low != MPL_PATH_NONE &&
            (is_empty || -window[w].minus_low > range.high)) {
            widen(&range, -window[w].minus_low);
        }
    }
    return range;
}

static void shift_by_windows(struct drift *d)
{
    for (uint32_t p = 0; p < d->view->model->n_processes; p++) {
        if (d->parent[p] == MPL_NONE) {
            continue;
        }

        const struct range range = unite(&d->window[(size_t) p * MPL_DRIFT_WINDOWS]);
        const __int128 width = range.high - range.low;

        d->shift[p] = range.low + width / 2;
        d->reach[p] = width / 2 + width / MPL_DRIFT_WINDOWS + 1;
    }
}

/* ---- outside of the tree ------------------------------------------------------------------- */

/* Processes without an answered message follow their neighbours, without any bound. */
static void attach(struct drift *d, uint32_t process)
{
    struct range range = { -MPL_PATH_NONE, MPL_PATH_NONE };
    struct mpl_estimate *e = d->estimate;

    for (size_t i = 0; i < d->links->link.n; i++) {
        const struct mpl_link *link = mpl_links_get(d->links, i);

        if (link->from == process && d->is_fixed[link->to]) {
            const __int128 high = (__int128) e->add_ticks[link->to] + link->least_ticks;

            range.high = high < range.high ? high : range.high;
        } else if (link->to == process && d->is_fixed[link->from]) {
            const __int128 low = (__int128) e->add_ticks[link->from] - link->least_ticks;

            range.low = low > range.low ? low : range.low;
        }
    }
    if (range.low == -MPL_PATH_NONE) {
        e->add_ticks[process] = mpl_ticks_narrow(range.high);
    } else if (range.high == MPL_PATH_NONE) {
        e->add_ticks[process] = mpl_ticks_narrow(range.low);
    } else {
        e->add_ticks[process] = mpl_ticks_narrow((range.low + range.high) / 2);
    }
    e->is_one_sided[process] = true;
    d->is_fixed[process] = true;
}

/* A process without a place that talks to one with a place; MPL_NONE: there is none. */
static uint32_t find_neighbour(const struct drift *d)
{
    for (size_t i = 0; i < d->links->link.n; i++) {
        const struct mpl_link *link = mpl_links_get(d->links, i);

        if (d->is_fixed[link->from] != d->is_fixed[link->to]) {
            return d->is_fixed[link->from] ? link->to : link->from;
        }
    }
    return MPL_NONE;
}

static void attach_rest(struct drift *d, const int64_t *raw_ticks)
{
    struct mpl_estimate *e = d->estimate;

    for (uint32_t p = 0; p < d->view->model->n_processes; p++) {
        if (!d->is_fixed[p]) {
            e->bound_ticks[p] = INT64_MAX;
        }
    }
    for (uint32_t p = 0; p < d->view->model->n_processes;) {
        const uint32_t neighbour = find_neighbour(d);

        if (neighbour != MPL_NONE) {
            attach(d, neighbour);
        } else if (d->is_fixed[p]) {
            p++;
        } else {
            e->add_ticks[p] = mpl_ticks_minus(raw_ticks[p], raw_ticks[e->reference]);
            e->is_alone[p] = true;
            d->is_fixed[p] = true;
        }
    }
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void keep_limits(struct drift *d)
{
    struct mpl_estimate *e = d->estimate;

    for (uint32_t p = 0; p < d->view->model->n_processes; p++) {
        const bool is_bound = e->bound_ticks[p] != INT64_MAX;

        e->tree_ticks[p] = e->bound_ticks[p];
        e->low_ticks[p] =
            is_bound ? mpl_ticks_minus(e->add_ticks[p], e->bound_ticks[p]) : INT64_MIN;
        e->high_ticks[p] =
            is_bound ? mpl_ticks_plus(e->add_ticks[p], e->bound_ticks[p]) : INT64_MAX;
    }
}

static enum mpl_status make_tables(struct drift *d, struct mpl_arena *scratch,
                                   uint32_t **path, struct mpl_err *err)
{
    const uint32_t n = d->view->model->n_processes;
    const size_t n_windows = (size_t) n * MPL_DRIFT_WINDOWS;

    d->window = MPL_NEW_ARRAY(scratch, n_windows, struct interval);
    d->shift = MPL_NEW_ARRAY(scratch, n, __int128);
    d->reach = MPL_NEW_ARRAY(scratch, n, __int128);
    d->is_fixed = MPL_NEW_ARRAY(scratch, n, bool);
    d->rank_of = MPL_NEW_ARRAY(scratch, n, uint32_t);
    *path = MPL_NEW_ARRAY(scratch, n, uint32_t);
    if (d->window == NULL || d->shift == NULL || d->reach == NULL || d->is_fixed == NULL ||
        d->rank_of == NULL || *path == NULL) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < n_windows; i++) {
        d->window[i] = (struct interval){ MPL_PATH_NONE, MPL_PATH_NONE };
    }
    for (uint32_t p = 0; p < n; p++) {
        d->rank_of[p] = MPL_NONE;
        d->estimate->is_alone[p] = false;
        d->estimate->is_one_sided[p] = false;
    }
    return MPL_OK;
}

enum mpl_status mpl_drift_estimate(const struct mpl_order_view *view,
                                   const struct mpl_links *links, const int64_t *raw_ticks,
                                   const struct mpl_paths *tree, struct mpl_arena *scratch,
                                   struct mpl_estimate *estimate, struct mpl_err *err)
{
    struct drift d = { .view = view,
                       .links = links,
                       .parent = tree->parent,
                       .estimate = estimate,
                       .comm = MPL_NONE };
    uint32_t *path = NULL;
    enum mpl_status st = make_tables(&d, scratch, &path, err);

    if (st != MPL_OK) {
        return st;
    }
    shift_roughly(&d);
    add_up(&d, path);
    find_run(&d);
    mpl_order_walk_pairs(view, see_pair, &d);
    st = mpl_order_walk_instances(view, see_instance, &d, err);
    if (st != MPL_OK) {
        return st;
    }
    shift_by_windows(&d);
    add_up(&d, path);
    attach_rest(&d, raw_ticks);
    keep_limits(&d);
    return MPL_OK;
}
