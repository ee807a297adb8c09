/*
 * How long each location reads from and writes to each other one, step by step: the line charts of Figs.
 * 6 and 7, where a thread that waits for the one above and later for the one below has two lines that
 * cross. A call that ends several messages belongs to them in equal parts, but for its wait, which
 * belongs to the one from whom it was for. Without steps there is one row for each pair.
 */
#include "config.h"

#include "view/view_priv.h"

static const struct mpl_column columns[] = {
    { "step", "1", "from 1; none: the run has no steps" },
    { "location", NULL, "who" },
    { "peer", NULL, "the other end of its messages" },
    { "reads", "1", "messages received from it" },
    { "read", "s", "in calls that receive them, waiting included" },
    { "wait", "s", "of that, for the peer" },
    { "writes", "1", "messages sent to it" },
    { "write", "s", "in calls that send them, waiting included" },
};
enum { N_COLUMNS = sizeof columns / sizeof *columns };

struct line {
    uint64_t n[2]; /* reads, writes */
    int64_t ticks[2];
    int64_t wait_ticks;
};

struct drawing {
    struct mpl_selection *s;
    struct mpl_view_rows *rows;
    struct line *lines;   /* per location, the peer; zeros between two locations */
    bool *is_touched;     /* likewise */
    struct mpl_buf peers; /* uint32_t, those touched */
};

static bool add_piece(struct drawing *d, const struct mpl_piece *p)
{
    for (uint32_t i = 0; i < p->span.n_messages; i++) {
        const uint32_t message =
            mpl_events_message(d->s->run->events, p->location, &p->span, i);
        const uint32_t peer = mpl_other_end(d->s, p->location, message);
        int64_t busy;
        int64_t wait;

        if (peer == MPL_NONE) {
            continue;
        }
        const bool is_send =
            mpl_envelope_of(&d->s->run->model->locations[p->location], message)->is_send;

        if (!d->is_touched[peer] && !mpl_buf_put(&d->peers, &peer)) {
            return false;
        }
        d->is_touched[peer] = true;
        mpl_piece_share(d->s, p, i, &busy, &wait);
        d->lines[peer].n[is_send] += p->ends_inside;
        d->lines[peer].ticks[is_send] += busy + wait;
        d->lines[peer].wait_ticks += is_send ? 0 : wait;
    }
    return true;
}

static enum mpl_status emit(struct drawing *d, uint32_t step, uint32_t location,
                            struct mpl_err *err)
{
    enum mpl_status st = MPL_OK;

    mpl_sort(d->peers.data, d->peers.n, sizeof(uint32_t), mpl_compare_u32);
    for (size_t i = 0; i < d->peers.n; i++) {
        const uint32_t peer = *(const uint32_t *) mpl_buf_get(&d->peers, i);
        const struct line *line = &d->lines[peer];
        const struct mpl_cell cells[N_COLUMNS] = {
            step == 0 ? mpl_cell_none() : mpl_cell_whole(step),
            mpl_cell_location(d->s, location),
            mpl_cell_location(d->s, peer),
            mpl_cell_whole(line->n[false]),
            mpl_cell_seconds(d->s, line->ticks[false]),
            mpl_cell_seconds(d->s, line->wait_ticks),
            mpl_cell_whole(line->n[true]),
            mpl_cell_seconds(d->s, line->ticks[true]),
        };

        st = st == MPL_OK ? mpl_view_put(d->rows, cells, err) : st;
        d->lines[peer] = (struct line){ .wait_ticks = 0 };
        d->is_touched[peer] = false;
    }
    d->peers.n = 0;
    return st;
}

static enum mpl_status draw_all(struct drawing *d, const struct mpl_selection *part,
                                uint32_t step, struct mpl_err *err)
{
    enum mpl_status st = MPL_OK;

    for (uint32_t l = 0; l < d->s->run->model->n_locations && st == MPL_OK; l++) {
        for (struct mpl_piece p = mpl_pieces_of(part, l);
             st == MPL_OK && mpl_piece_next(part, &p);) {
            st = add_piece(d, &p) ? MPL_OK : mpl_nomem(err);
        }
        st = st == MPL_OK ? emit(d, step, l, err) : st;
    }
    return st;
}

static enum mpl_status make(struct mpl_selection *s, struct mpl_view_rows *rows,
                            struct mpl_err *err)
{
    const uint32_t n = s->run->model->n_locations;
    struct drawing d = { .s = s,
                         .rows = rows,
                         .lines = MPL_NEW_ARRAY(rows->arena, n, struct line),
                         .is_touched = MPL_NEW_ARRAY(rows->arena, n, bool),
                         .peers = mpl_buf_make(sizeof(uint32_t)) };
    struct mpl_step_walk walk;
    enum mpl_status st = mpl_selection_steps(s, rows->arena, err);

    st = d.lines == NULL || d.is_touched == NULL ? mpl_nomem(err) : st;
    st = st == MPL_OK ? mpl_step_walk_open(s, rows->arena, &walk, err) : st;
    if (st == MPL_OK && s->steps->n == 0) {
        st = draw_all(&d, s, 0, err);
    }
    for (uint32_t k = 1; st == MPL_OK && k <= s->steps->n; k++) {
        mpl_step_walk_go(&walk, k);
        st = draw_all(&d, &walk.of_step, k, err);
    }
    mpl_buf_free(&d.peers);
    return st;
}

const struct mpl_view mpl_view_lines = {
    .name = "lines",
    .says = "how long each location reads from and writes to each other one, step by step",
    .mark = MPL_MARK_LINES,
    .axes = { .of = { 1, 2 }, .n_of = 2, .x = 0, .y = { 4, 7 }, .n_y = 2 },
    MPL_COLUMNS(columns),
    .by = 5,
    .make = make,
};
