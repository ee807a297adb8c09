/*
 * Who waits for whom: "which threads are waiting for which other threads" (section 4.5), summed up
 * over the selection, and the search of section 5.3 for the thread that a thread waits for most: its
 * first row. Each wait counts once, for the last one that was waited for.
 */
#include "config.h"

#include "view/view_priv.h"

static const struct mpl_column columns[] = {
    { "location", NULL, "who waits" },
    { "waits_for", NULL, "for whom" },
    { "wait", "s", "how long, together" },
    { "share", "1", "of the waiting of this location" },
    { "p2p", "s", "of wait: for messages" },
    { "collective", "s", "of wait: in collective operations" },
    { "waits", "1", "calls with such a wait that end in the selection" },
    { "longest", "s", "the longest one" },
    { "record", NULL, "where the call with the longest one begins" },
};
enum { N_COLUMNS = sizeof columns / sizeof *columns };

struct pair {
    uint32_t culprit;
    int64_t p2p_ticks;
    int64_t collective_ticks;
    uint64_t n;
    int64_t longest_ticks;
    uint32_t longest_span;
};

static int64_t ticks_of(const struct pair *pair)
{
    return pair->p2p_ticks + pair->collective_ticks;
}

/* The longest first; of equals the first location. */
static int by_ticks(const void *x, const void *y)
{
    const struct pair *a = x;
    const struct pair *b = y;

    if (ticks_of(a) != ticks_of(b)) {
        return ticks_of(a) > ticks_of(b) ? -1 : 1;
    }
    return (a->culprit > b->culprit) - (a->culprit < b->culprit);
}

static void add_piece(const struct mpl_piece *p, struct pair *pair)
{
    if (p->span.class == MPL_SPAN_COLLECTIVE) {
        pair->collective_ticks += p->wait_ticks;
    } else {
        pair->p2p_ticks += p->wait_ticks;
    }
    pair->n += p->ends_inside;
    if (p->wait_ticks > pair->longest_ticks) {
        pair->longest_ticks = p->wait_ticks;
        pair->longest_span = p->number;
    }
}

/* The pairs of a location: number_of has per culprit its place in them plus 1, and is zeros again. */
static bool find_pairs(const struct mpl_selection *s, uint32_t location,
                       uint32_t *number_of, struct mpl_buf *pairs)
{
    bool is_enough = true;

    pairs->n = 0;
    for (struct mpl_piece p = mpl_pieces_of(s, location);
         is_enough && mpl_piece_next(s, &p);) {
        if (p.wait_ticks == 0 || p.span.culprit == MPL_NONE) {
            continue;
        }
        uint32_t *number = &number_of[p.span.culprit];

        if (*number == 0) {
            is_enough = mpl_buf_put(pairs, &(struct pair){ .culprit = p.span.culprit });
            *number = (uint32_t) pairs->n;
        }
        if (is_enough) {
            add_piece(&p, mpl_buf_get(pairs, *number - 1));
        }
    }
    for (size_t i = 0; i < pairs->n; i++) {
        number_of[((struct pair *) mpl_buf_get(pairs, i))->culprit] = 0;
    }
    return is_enough;
}

static enum mpl_status emit(const struct mpl_selection *s, uint32_t location,
                            struct mpl_buf *pairs, struct mpl_view_rows *rows,
                            struct mpl_err *err)
{
    int64_t all = 0;
    enum mpl_status st = MPL_OK;

    mpl_sort(pairs->data, pairs->n, sizeof(struct pair), by_ticks);
    for (size_t i = 0; i < pairs->n; i++) {
        all += ticks_of(mpl_buf_get(pairs, i));
    }
    for (size_t i = 0; i < pairs->n && st == MPL_OK; i++) {
        const struct pair *pair = mpl_buf_get(pairs, i);
        struct mpl_cell cells[N_COLUMNS] = {
            mpl_cell_location(s, location),
            mpl_cell_location(s, pair->culprit),
            mpl_cell_seconds(s, ticks_of(pair)),
            mpl_cell_number((double) ticks_of(pair) / (double) all),
            mpl_cell_seconds(s, pair->p2p_ticks),
            mpl_cell_seconds(s, pair->collective_ticks),
            mpl_cell_whole(pair->n),
            mpl_cell_seconds(s, pair->longest_ticks),
        };

        st = mpl_view_put_call(rows, location, pair->longest_span, cells, err);
    }
    return st;
}

static enum mpl_status make(struct mpl_selection *s, struct mpl_view_rows *rows,
                            struct mpl_err *err)
{
    const uint32_t n = s->run->model->n_locations;
    uint32_t *number_of = MPL_NEW_ARRAY(rows->arena, n, uint32_t);
    struct mpl_buf pairs = mpl_buf_make(sizeof(struct pair));
    enum mpl_status st = number_of == NULL ? mpl_nomem(err) : MPL_OK;

    for (uint32_t l = 0; l < n && st == MPL_OK; l++) {
        st = find_pairs(s, l, number_of, &pairs) ? emit(s, l, &pairs, rows, err)
                                                 : mpl_nomem(err);
    }
    mpl_buf_free(&pairs);
    return st;
}

const struct mpl_view mpl_view_waits = {
    .name = "waits",
    .says = "who waits for whom, and how long",
    .mark = MPL_MARK_MATRIX,
    .axes = { .of = { 0, 1 }, .n_of = 2 },
    MPL_COLUMNS(columns),
    .by = 2,
    .make = make,
};
