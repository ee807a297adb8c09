/*
 * Element use (section 4.5): each message of each channel, in the order in which it was sent, with when
 * it was written and read. A read that begins before its write is a blocked one: it waits.
 */
#include "config.h"

#include "view/view_priv.h"

static const struct mpl_column columns[] = {
    { "from", NULL, "who sends" },
    { "to", NULL, "who receives" },
    { "communicator", NULL, "of the channel" },
    { "tag", "1", "of the channel" },
    { "number", "1", "of the message in the channel, as far as it is shown" },
    { "bytes", "bytes", "sent" },
    { "send_begin", "s", "when the call that sends begins" },
    { "send_end", "s", "and when it returns" },
    { "receive_begin", "s", "when the call begins that gets it; none: not recorded" },
    { "receive_end", "s", "and when it returns" },
    { "wait", "s", "of this, of the receiver for the sender" },
    { "held", "s", "of the call that sends, for the receiver" },
    { "clock_error", "s", "by how much times of sender and receiver may be apart" },
    { "send_record", NULL, "where the call that sends begins" },
    { "receive_record", NULL, "where the call that gets it begins" },
};
enum { N_COLUMNS = sizeof columns / sizeof *columns };

struct listing {
    struct mpl_selection *s;
    struct mpl_channels channels;
    struct mpl_view_rows *rows;
};

/* The other end's call, whole: it may lie outside of the selection. */
static bool other_piece(const struct mpl_selection *s, struct mpl_end end,
                        struct mpl_piece *out)
{
    const uint32_t span =
        end.message == MPL_NONE
            ? MPL_NONE
            : mpl_events_span_of_message(s->run->events, end.location, end.message);

    if (span == MPL_NONE) {
        return false;
    }
    *out = (struct mpl_piece){ .span = mpl_events_span(s->run->events, end.location, span),
                               .location = end.location,
                               .number = span };
    out->begin_ticks = out->span.enter_ticks;
    out->end_ticks = out->span.leave_ticks;
    out->wait_ticks = out->span.wait_ticks;
    return true;
}

static uint32_t index_in(const struct mpl_selection *s, const struct mpl_piece *p,
                         uint32_t message)
{
    uint32_t i = 0;

    while (i + 1 < p->span.n_messages &&
           mpl_events_message(s->run->events, p->location, &p->span, i) != message) {
        i++;
    }
    return i;
}

static enum mpl_status emit(struct listing *x, const struct mpl_piece *p, uint32_t i,
                            struct mpl_err *err)
{
    const struct mpl_selection *s = x->s;
    const int64_t *bounds = s->run->clock->bound_ticks;
    const uint32_t message = mpl_events_message(s->run->events, p->location, &p->span, i);
    const struct mpl_end end = mpl_match_partner(s->run->match, p->location, message);
    const size_t n_before = x->channels.all.n;
    struct mpl_channel *c = mpl_channels_find(&x->channels, s, p->location, message);
    struct mpl_piece other;
    int64_t busy;
    int64_t held;
    int64_t wait = 0;

    if (c == NULL) {
        return n_before == x->channels.all.n ? MPL_OK : mpl_nomem(err);
    }
    const bool is_read = other_piece(s, end, &other);
    struct mpl_piece whole;

    (void) other_piece(s, (struct mpl_end){ p->location, message }, &whole);
    mpl_piece_share(s, &whole, i, &busy, &held);
    if (is_read) {
        mpl_piece_share(s, &other, index_in(s, &other, end.message), &busy, &wait);
    }
    struct mpl_cell cells[N_COLUMNS] = {
        mpl_cell_location(s, c->from),
        mpl_cell_location(s, c->to),
        mpl_cell_comm(s, c->comm),
        mpl_cell_whole(c->tag),
        mpl_cell_whole(++c->n_sent),
        mpl_cell_whole(
            mpl_message_get(&s->run->model->locations[p->location], message).bytes),
        mpl_cell_seconds(s, whole.begin_ticks),
        mpl_cell_seconds(s, whole.end_ticks),
        is_read ? mpl_cell_seconds(s, other.begin_ticks) : mpl_cell_none(),
        is_read ? mpl_cell_seconds(s, other.end_ticks) : mpl_cell_none(),
        is_read ? mpl_cell_seconds(s, wait) : mpl_cell_none(),
        mpl_cell_seconds(s, held),
        c->from == c->to ? mpl_cell_number(0)
                         : mpl_cell_error(s, bounds[c->from], bounds[c->to]),
    };
    const enum mpl_status st =
        mpl_view_record(x->rows, p->location, p->number, &cells[N_COLUMNS - 2], err);

    /* What lies between two calls, as span 0 does, has no record. */
    return st != MPL_OK ? st
                        : mpl_view_put_call(x->rows, is_read ? other.location : 0,
                                            is_read ? other.number : 0, cells, err);
}

static bool is_send(const struct mpl_selection *s, const struct mpl_piece *p, uint32_t i)
{
    const struct mpl_envelope *envelope =
        mpl_envelope_of(&s->run->model->locations[p->location],
                        mpl_events_message(s->run->events, p->location, &p->span, i));

    return envelope != NULL && envelope->is_send;
}

static enum mpl_status make(struct mpl_selection *s, struct mpl_view_rows *rows,
                            struct mpl_err *err)
{
    struct listing x = { .s = s, .rows = rows };
    enum mpl_status st = mpl_channels_open(&x.channels) ? MPL_OK : mpl_nomem(err);

    for (uint32_t l = 0; l < s->run->model->n_locations && st == MPL_OK; l++) {
        for (struct mpl_piece p = mpl_pieces_of(s, l);
             st == MPL_OK && mpl_piece_next(s, &p);) {
            for (uint32_t i = 0; i < p.span.n_messages && p.ends_inside && st == MPL_OK;
                 i++) {
                st = is_send(s, &p, i) ? emit(&x, &p, i, err) : MPL_OK;
            }
        }
    }
    mpl_channels_close(&x.channels);
    return st;
}

const struct mpl_view mpl_view_messages = {
    .name = "messages",
    .says = "when each message is sent and received",
    .mark = MPL_MARK_ARROWS,
    .axes = { .of = { 0, 1 }, .n_of = 2 },
    MPL_COLUMNS(columns),
    .by = 10,
    .make = make,
};
