/*
 * The path map of sections 3 and 4.1 as far as a trace holds it: which locations, on which hosts, write
 * to and read from which elements. An element is a channel, or the collective operations of a
 * communicator. Beside it, what its calls cost beyond waiting: the overhead of a remote operation of
 * section 4.5, where the paper subtracts what the other side took.
 */
#include "config.h"

#include "view/view_priv.h"

static const struct mpl_column columns[] = {
    { "from", NULL, "who sends; nobody of collective operations" },
    { "to", NULL, "who receives" },
    { "operation", NULL, "message, or the collective operation" },
    { "communicator", NULL, "of the channel" },
    { "tag", "1", "of its messages" },
    { "from_host", NULL, "machine of the sender" },
    { "to_host", NULL, "machine of the receiver" },
    { "sent", "1", "messages whose sends end in the selection; of collectives parts" },
    { "received", "1", "messages whose receives end in it; of collectives parts" },
    { "bytes", "bytes", "sent, or received where sends are not recorded" },
    { "wait", "s", "of the receiver for the sender; of collectives of all parts" },
    { "held", "s", "of the sender for the receiver" },
    { "send_time", "s", "in calls that send, without waiting" },
    { "receive_time", "s", "in calls that receive, or of collectives, without waiting" },
};
enum { N_COLUMNS = sizeof columns / sizeof *columns };

struct coll {
    uint64_t n_parts;
    int64_t wait_ticks;
    int64_t busy_ticks;
};

struct mapping {
    struct mpl_selection *s;
    struct mpl_channels channels;
    struct coll *colls; /* [comm * MPL_COLL_OPS + op] */
    bool is_enough;
};

static void add_message(struct mapping *m, const struct mpl_piece *p, uint32_t i)
{
    const struct mpl_selection *s = m->s;
    const struct mpl_location *loc = &s->run->model->locations[p->location];
    const uint32_t number = mpl_events_message(s->run->events, p->location, &p->span, i);
    const struct mpl_message message = mpl_message_get(loc, number);
    const uint32_t n_before = (uint32_t) m->channels.all.n;
    struct mpl_channel *channel = mpl_channels_find(&m->channels, s, p->location, number);
    int64_t busy;
    int64_t wait;

    if (channel == NULL) {
        m->is_enough = m->is_enough && n_before == m->channels.all.n;
        return;
    }
    const bool is_send = loc->envelopes[message.envelope].is_send;

    mpl_piece_share(s, p, i, &busy, &wait);
    *(is_send ? &channel->send_ticks : &channel->receive_ticks) += busy;
    *(is_send ? &channel->held_ticks : &channel->wait_ticks) += wait;
    if (p->ends_inside) {
        const bool is_alone =
            mpl_match_partner(s->run->match, p->location, number).message == MPL_NONE;

        *(is_send ? &channel->n_sent : &channel->n_received) += 1;
        channel->bytes += is_send || is_alone ? message.bytes : 0;
    }
}

static void add_collective(struct mapping *m, const struct mpl_piece *p)
{
    const struct mpl_collective *part =
        &m->s->run->model->locations[p->location].collectives[p->span.collective];

    if (part->comm != MPL_NONE) {
        struct coll *coll = &m->colls[(size_t) part->comm * MPL_COLL_OPS + part->op];

        coll->n_parts += p->ends_inside;
        coll->wait_ticks += p->wait_ticks;
        coll->busy_ticks += p->end_ticks - p->begin_ticks - p->wait_ticks;
    }
}

static int by_ends(const void *x, const void *y)
{
    const struct mpl_channel *a = x;
    const struct mpl_channel *b = y;
    const uint32_t of_a[] = { a->from, a->to, a->comm, a->tag };
    const uint32_t of_b[] = { b->from, b->to, b->comm, b->tag };

    for (int i = 0; i < 4; i++) {
        if (of_a[i] != of_b[i]) {
            return of_a[i] < of_b[i] ? -1 : 1;
        }
    }
    return 0;
}

static enum mpl_status emit_channel(const struct mpl_selection *s,
                                    const struct mpl_channel *c, struct mpl_view_rows *rows,
                                    struct mpl_err *err)
{
    const struct mpl_cell cells[N_COLUMNS] = {
        mpl_cell_location(s, c->from),
        mpl_cell_location(s, c->to),
        mpl_cell_text("message"),
        mpl_cell_comm(s, c->comm),
        mpl_cell_whole(c->tag),
        mpl_cell_host(s, c->from),
        mpl_cell_host(s, c->to),
        mpl_cell_whole(c->n_sent),
        mpl_cell_whole(c->n_received),
        mpl_cell_whole(c->bytes),
        c->n_received == 0 && c->receive_ticks == 0 ? mpl_cell_none()
                                                    : mpl_cell_seconds(s, c->wait_ticks),
        mpl_cell_seconds(s, c->held_ticks),
        mpl_cell_seconds(s, c->send_ticks),
        mpl_cell_seconds(s, c->receive_ticks),
    };

    return mpl_view_put(rows, cells, err);
}

static enum mpl_status emit_coll(const struct mpl_selection *s, uint32_t comm,
                                 enum mpl_coll_op op, const struct coll *coll,
                                 struct mpl_view_rows *rows, struct mpl_err *err)
{
    const struct mpl_cell cells[N_COLUMNS] = {
        [2] = mpl_cell_text(mpl_coll_op_name(op)),
        [3] = mpl_cell_text(s->comm_names[comm]),
        [7] = mpl_cell_whole(coll->n_parts),
        [8] = mpl_cell_whole(coll->n_parts),
        [10] = mpl_cell_seconds(s, coll->wait_ticks),
        [13] = mpl_cell_seconds(s, coll->busy_ticks),
    };

    return coll->n_parts == 0 && coll->wait_ticks == 0 && coll->busy_ticks == 0
               ? MPL_OK
               : mpl_view_put(rows, cells, err);
}

static enum mpl_status emit(struct mapping *m, struct mpl_view_rows *rows,
                            struct mpl_err *err)
{
    struct mpl_buf *all = &m->channels.all;
    enum mpl_status st = MPL_OK;

    mpl_sort(all->data, all->n, sizeof(struct mpl_channel), by_ends);
    for (size_t i = 0; i < all->n && st == MPL_OK; i++) {
        st = emit_channel(m->s, mpl_buf_get(all, i), rows, err);
    }
    for (uint32_t c = 0; c < m->s->run->model->n_comms; c++) {
        for (int op = 0; op < MPL_COLL_OPS && st == MPL_OK; op++) {
            st = emit_coll(m->s, c, (enum mpl_coll_op) op,
                           &m->colls[(size_t) c * MPL_COLL_OPS + (size_t) op], rows, err);
        }
    }
    return st;
}

static enum mpl_status make(struct mpl_selection *s, struct mpl_view_rows *rows,
                            struct mpl_err *err)
{
    const struct mpl_model *model = s->run->model;
    struct mapping m = { .s = s,
                         .colls = MPL_NEW_ARRAY(rows->arena,
                                                (size_t) model->n_comms * MPL_COLL_OPS,
                                                struct coll) };

    m.is_enough = mpl_channels_open(&m.channels) && m.colls != NULL;
    for (uint32_t l = 0; l < model->n_locations && m.is_enough; l++) {
        for (struct mpl_piece p = mpl_pieces_of(m.s, l); mpl_piece_next(m.s, &p);) {
            for (uint32_t i = 0; i < p.span.n_messages; i++) {
                add_message(&m, &p, i);
            }
            if (p.span.collective != MPL_NONE) {
                add_collective(&m, &p);
            }
        }
    }
    const enum mpl_status st = m.is_enough ? emit(&m, rows, err) : mpl_nomem(err);

    mpl_channels_close(&m.channels);
    return st;
}

const struct mpl_view mpl_view_paths = {
    .name = "paths",
    .says = "who sends how much to whom, what that costs, and who waits for it",
    .mark = MPL_MARK_ARROWS,
    .axes = { .of = { 0, 1 }, .n_of = 2 },
    MPL_COLUMNS(columns),
    .by = 10,
    .make = make,
};
