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
    const struct mpl_model *model = s->run->model;
    const struct mpl_location *loc = &model->locations[p->location];
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < p->span.n_messages; i++) {
        const struct mpl_message *message =
            &loc->messages[mpl_events_message(s->run->events, p->location, &p->span, i)];
        const struct mpl_envelope *e =
            message->envelope == MPL_NONE ? NULL : &loc->envelopes[message->envelope];
        const struct mpl_end end = mpl_match_partner(model, s->run->match, p->location,
                                                     (uint32_t) (message - loc->messages));

        if (e == NULL || e->is_null || e->is_garbage) {
            continue;
        }
        bytes += message->bytes;
        if (i == 0) {
            cells[9] = end.message != MPL_NONE ? mpl_cell_location(s, end.location)
                       : e->peer != MPL_NONE
                           ? mpl_cell_location(s, model->processes[e->peer].locations[0])
                           : mpl_cell_none();
            cells[10] = mpl_cell_text(
                e->comm == MPL_NONE || e->comm_unsure ? NULL : s->comm_names[e->comm]);
            cells[11] = mpl_cell_whole(e->tag);
        }
    }
    cells[12] = mpl_cell_whole(bytes);
}

static void describe_collective(const struct mpl_selection *s, const struct mpl_piece *p,
                                struct mpl_cell *cells)
{
    const struct mpl_collective *part =
        &s->run->model->locations[p->location].collectives[p->span.collective];

    cells[10] = mpl_cell_text(part->comm == MPL_NONE ? NULL : s->comm_names[part->comm]);
}

static enum mpl_status emit(const struct mpl_selection *s, const struct mpl_piece *p,
                            struct mpl_addresses *addresses,
                            const struct mpl_row_sink *sink, struct mpl_err *err)
{
    const struct mpl_span *span = &p->span;
    const bool waits = span->wait_ticks > 0;
    struct mpl_cell cells[N_COLUMNS] = {
        mpl_cell_location(s, p->location),
        mpl_cell_seconds(s, span->enter_ticks),
        mpl_cell_seconds(s, span->leave_ticks),
        mpl_cell_text(classes[span->class]),
        mpl_cell_text(span->region == MPL_NONE ? NULL
                                               : s->run->model->regions[span->region].name),
        p->number % 2 == 1 && !span->is_wait_known ? mpl_cell_none()
                                                   : mpl_cell_seconds(s, span->wait_ticks),
        mpl_cell_location(s, waits ? span->culprit : MPL_NONE),
        mpl_cell_text(waits ? mpl_wait_kind_name(span->wait_kind) : NULL),
        mpl_cell_whole(span->n_messages),
    };

    if (span->n_messages > 0) {
        describe_messages(s, p, cells);
    } else if (span->collective != MPL_NONE) {
        describe_collective(s, p, cells);
    }
    const enum mpl_status st =
        mpl_addresses_call(addresses, p->location, p->number, &cells[N_COLUMNS - 1], err);

    return st == MPL_OK ? sink->take(sink->context, cells, err) : st;
}

static enum mpl_status make(struct mpl_selection *s, struct mpl_arena *arena,
                            const struct mpl_row_sink *sink, struct mpl_err *err)
{
    struct mpl_addresses addresses;
    struct mpl_piece p;
    enum mpl_status st = mpl_addresses_open(s, arena, &addresses, err);

    for (uint32_t l = 0; l < s->run->model->n_locations && st == MPL_OK; l++) {
        for (bool more = mpl_piece_first(s, l, &p); more && st == MPL_OK;
             more = mpl_piece_next(s, &p)) {
            if (p.number % 2 == 1 || p.span.leave_ticks > p.span.enter_ticks) {
                st = emit(s, &p, &addresses, sink, err);
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
