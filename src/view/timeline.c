/*
 * The timeline of Figs. 4, 5 and 8: what each location does when, call by call. Each row is a virtual
 * event of the paper: its identifier is the address of its first record, its operation the call, its
 * parameters peer, communicator, tag and bytes, and it has a start and an end.
 */
#include "config.h"

#include "view/view_priv.h"

static const struct mpl_column columns[] = {
    { "location", NULL, "who" },
    { "begin", "s", "from when" },
    { "end", "s", "until when" },
    { "class", NULL, "compute, p2p, collective, other, startup or shutdown" },
    { "region", NULL, "the call, or the function with most of the computation" },
    { "wait", "s", "of it, from its begin on" },
    { "waits_for", NULL, "for whom" },
    { "kind", NULL, "of waiting: late-sender, wait-at-barrier, ..." },
    { "messages", "1", "message ends in it" },
    { "peer", NULL, "the other end of the first one" },
    { "communicator", NULL, "of the first message, or the collective operation" },
    { "tag", "1", "of the first message" },
    { "bytes", "bytes", "of all messages in it" },
    { "record", NULL, "where it begins" },
};
enum { N_COLUMNS = sizeof columns / sizeof *columns };

static const char *const classes[MPL_SPAN_CLASSES] = {
    [MPL_SPAN_COMPUTE] = "compute",       [MPL_SPAN_P2P] = "p2p",
    [MPL_SPAN_COLLECTIVE] = "collective", [MPL_SPAN_OTHER] = "other",
    [MPL_SPAN_STARTUP] = "startup",       [MPL_SPAN_SHUTDOWN] = "shutdown",
};

const char *mpl_span_class_name(enum mpl_span_class class)
{
    return classes[class];
}

/* Peer, communicator, tag and bytes: columns 9 to 12. */
static void describe_messages(const struct mpl_selection *s, const struct mpl_piece *p,
                              struct mpl_cell *cells)
{
    const struct mpl_location *loc = &s->run->model->locations[p->location];
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < p->span.n_messages; i++) {
        const uint32_t message =
            mpl_events_message(s->run->events, p->location, &p->span, i);
        const struct mpl_envelope *e = mpl_envelope_of(loc, message);

        if (e == NULL || e->is_null || e->is_garbage) {
            continue;
        }
        bytes += mpl_message_get(loc, message).bytes;
        if (i == 0) {
            cells[9] = mpl_cell_location(s, mpl_other_end(s, p->location, message));
            cells[10] = mpl_cell_comm(s, e->comm_unsure ? MPL_NONE : e->comm);
            cells[11] = mpl_cell_whole(e->tag);
        }
    }
    cells[12] = mpl_cell_whole(bytes);
}

static enum mpl_status emit(const struct mpl_selection *s, const struct mpl_piece *p,
                            struct mpl_view_rows *rows, struct mpl_err *err)
{
    const struct mpl_span *span = &p->span;
    const bool waits = span->wait_ticks > 0;
    struct mpl_cell cells[N_COLUMNS] = {
        mpl_cell_location(s, p->location),
        mpl_cell_seconds(s, span->enter_ticks),
        mpl_cell_seconds(s, span->leave_ticks),
        mpl_cell_text(classes[span->class]),
        mpl_cell_region(s, span->region),
        p->number % 2 == 1 && !span->is_wait_known ? mpl_cell_none()
                                                   : mpl_cell_seconds(s, span->wait_ticks),
        mpl_cell_location(s, waits ? span->culprit : MPL_NONE),
        mpl_cell_text(waits ? mpl_wait_kind_name(span->wait_kind) : NULL),
        mpl_cell_whole(span->n_messages),
    };

    if (span->n_messages > 0) {
        describe_messages(s, p, cells);
    } else if (span->collective != MPL_NONE) {
        cells[10] = mpl_cell_comm(
            s, s->run->model->locations[p->location].collectives[span->collective].comm);
    }
    return mpl_view_put_call(rows, p->location, p->number, cells, err);
}

static enum mpl_status make(struct mpl_selection *s, struct mpl_view_rows *rows,
                            struct mpl_err *err)
{
    enum mpl_status st = MPL_OK;

    for (uint32_t l = 0; l < s->run->model->n_locations && st == MPL_OK; l++) {
        for (struct mpl_piece p = mpl_pieces_of(s, l);
             st == MPL_OK && mpl_piece_next(s, &p);) {
            if (p.number % 2 == 1 || p.span.leave_ticks > p.span.enter_ticks) {
                st = emit(s, &p, rows, err);
            }
        }
    }
    return st;
}

const struct mpl_view mpl_view_timeline = {
    .name = "timeline",
    .says = "what each location does when, call by call",
    .mark = MPL_MARK_STRETCHES,
    .axes = { .of = { 0 }, .n_of = 1, .x = 1, .x_end = 2, .class = 3, .wait = 5 },
    MPL_COLUMNS(columns),
    .by = 5,
    .make = make,
};
