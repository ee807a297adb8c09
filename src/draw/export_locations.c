/*
 * A track per location. A call is a slice, its waiting a slice inside from its beginning on, and a message end a mark
 * at the time of its record. Flows join marks, not calls: a receive begins before the send that it waits for, and a flow
 * from the later one to the earlier one would point the wrong way.
 */
#include "config.h"

#include "draw/call_priv.h"
#include "draw/export_priv.h"

static struct mpl_export_text location_text(const struct mpl_exporting *x,
                                            uint32_t location)
{
    return (struct mpl_export_text){ x->run->model->n_comms + 1 + location,
                                     x->rank_of[location] };
}

/* Numbers of texts: communicators, locations, kinds of waiting, classes of calls. */
static struct mpl_export_text kind_text(const struct mpl_exporting *x, uint32_t kind,
                                        const char *name)
{
    return (struct mpl_export_text){
        x->run->model->n_comms + x->run->model->n_locations + 1 + kind, name
    };
}

static struct mpl_export_text word(const struct mpl_exporting *x, enum mpl_export_word w,
                                   const char *text)
{
    return (struct mpl_export_text){ x->run->model->n_regions + w, text };
}

static void say(struct mpl_export_slice *slice, enum mpl_export_key key,
                struct mpl_export_text text)
{
    slice->arguments[slice->n_arguments++] =
        (struct mpl_export_argument){ .key = key, .text = text };
}

static void say_number(struct mpl_export_slice *slice, enum mpl_export_key key,
                       uint64_t number)
{
    slice->arguments[slice->n_arguments++] =
        (struct mpl_export_argument){ .key = key, .number = number };
}

static void say_comm(const struct mpl_exporting *x, struct mpl_export_slice *slice,
                     uint32_t comm)
{
    if (comm != MPL_NONE) {
        say(slice, MPL_EXPORT_COMM, (struct mpl_export_text){ comm + 1, x->comms[comm] });
    }
}

/* ---- messages ------------------------------------------------------------------------------------ */

int64_t mpl_export_message_ticks(const struct mpl_exporting *x, uint32_t location,
                                 const struct mpl_span *span, uint32_t message)
{
    const struct mpl_location *l = &x->run->model->locations[location];
    const uint32_t event = mpl_message_get(l, message).event;
    const int64_t ticks = event == MPL_NONE ? span->leave_ticks : mpl_ticks_of(l, event);

    return ticks < span->enter_ticks   ? span->enter_ticks
           : ticks > span->leave_ticks ? span->leave_ticks
                                       : ticks;
}

uint64_t mpl_export_flow(const struct mpl_exporting *x, uint32_t location, uint32_t message,
                         bool is_send, struct mpl_end partner)
{
    const struct mpl_match *match = x->run->match;

    if (partner.message == MPL_NONE) {
        return 0;
    }
    const uint32_t span =
        mpl_events_span_of_message(x->run->events, partner.location, partner.message);

    if (span == MPL_NONE || !mpl_export_has_span(x, partner.location, span)) {
        return 0;
    }
    return (is_send ? (uint64_t) match->first_number[location] + message
                    : (uint64_t) match->first_number[partner.location] + partner.message) +
           1;
}

static void mark_message(struct mpl_exporting *x, const struct mpl_piece *p,
                         uint32_t message, int64_t ticks)
{
    const struct mpl_model *model = x->run->model;
    const struct mpl_location *l = &model->locations[p->location];
    const struct mpl_envelope *e = mpl_envelope_of(l, message);

    if (e == NULL || e->is_null || e->is_garbage) {
        return;
    }
    const int64_t ns = mpl_export_ns(x, ticks);
    const struct mpl_end end = mpl_match_partner(x->run->match, p->location, message);
    struct mpl_export_argument arguments[MPL_EXPORT_ARGUMENTS];
    struct mpl_export_slice mark = {
        .track = x->track_of[p->location],
        .category = MPL_EXPORT_MESSAGE,
        .begin_ns = ns,
        .end_ns = ns,
        .name = e->is_send ? word(x, MPL_EXPORT_WORD_SEND, "send")
                           : word(x, MPL_EXPORT_WORD_RECEIVE, "receive"),
        .flow = mpl_export_flow(x, p->location, message, e->is_send, end),
        .is_flow_begin = e->is_send,
        .arguments = arguments,
    };

    if (end.message != MPL_NONE || e->peer != MPL_NONE) {
        say(&mark, MPL_EXPORT_PEER,
            location_text(x, end.message != MPL_NONE
                                 ? end.location
                                 : model->processes[e->peer].locations[0]));
    }
    say_comm(x, &mark, e->comm_unsure ? MPL_NONE : e->comm);
    say_number(&mark, MPL_EXPORT_TAG, e->tag);
    say_number(&mark, MPL_EXPORT_SIZE, mpl_message_get(l, message).bytes);
    x->writer->mark(x->writer, &mark);
    x->counted.sends += e->is_send;
    x->counted.receives += !e->is_send;
}

/* Those that are recorded from \p from on, and before \p to. */
static void mark_messages(struct mpl_exporting *x, const struct mpl_piece *p, int64_t from,
                          int64_t to)
{
    for (uint32_t i = 0; i < p->span.n_messages; i++) {
        const uint32_t message =
            mpl_events_message(x->run->events, p->location, &p->span, i);
        const int64_t ticks = mpl_export_message_ticks(x, p->location, &p->span, message);

        if (ticks >= from && ticks < to) {
            mark_message(x, p, message, ticks);
        }
    }
}

static void write_wait(struct mpl_exporting *x, const struct mpl_piece *p)
{
    const struct mpl_span *span = &p->span;
    const int64_t end = span->enter_ticks + span->wait_ticks;
    struct mpl_export_argument arguments[MPL_EXPORT_ARGUMENTS];
    struct mpl_export_slice wait = {
        .arguments = arguments,
        .track = x->track_of[p->location],
        .category = MPL_EXPORT_WAIT,
        .begin_ns = mpl_export_ns(x, span->enter_ticks),
        .end_ns = mpl_export_ns(x, end),
        .name = word(x, MPL_EXPORT_WORD_WAIT, "wait"),
    };

    if (span->culprit != MPL_NONE) {
        say(&wait, MPL_EXPORT_WAITS_FOR, location_text(x, span->culprit));
    }
    say(&wait, MPL_EXPORT_KIND,
        kind_text(x, span->wait_kind, mpl_wait_kind_name(span->wait_kind)));
    x->writer->begin(x->writer, &wait);
    mark_messages(x, p, span->enter_ticks, end);
    x->writer->end(x->writer, &wait);
    x->counted.waits++;
}

static struct mpl_export_slice slice_of(const struct mpl_exporting *x,
                                        const struct mpl_piece *p,
                                        struct mpl_export_argument *arguments)
{
    const struct mpl_span *span = &p->span;
    const bool is_call = p->number % 2 == 1;
    struct mpl_export_slice slice = {
        .arguments = arguments,
        .track = x->track_of[p->location],
        .category = is_call ? MPL_EXPORT_CALL : MPL_EXPORT_COMPUTE,
        .begin_ns = mpl_export_ns(x, span->enter_ticks),
        .end_ns = mpl_export_ns(x, span->leave_ticks),
        .name =
            span->region == MPL_NONE
                ? (struct mpl_export_text){ 0, mpl_span_class_name(span->class) }
                : (struct mpl_export_text){ span->region + 1, x->regions[span->region] },
    };

    if (is_call && span->class != MPL_SPAN_P2P) {
        say(&slice, MPL_EXPORT_CLASS,
            kind_text(x, MPL_WAIT_KINDS + span->class, mpl_span_class_name(span->class)));
    }
    if (is_call && !span->is_wait_known) {
        say(&slice, MPL_EXPORT_WAITING, (struct mpl_export_text){ 0, "not recorded" });
    }
    return slice;
}

/* "5#123" in \p text; false where it is not known. */
static bool record_of(const struct mpl_exporting *x, const struct mpl_piece *p,
                      char text[48])
{
    char digits[12];
    size_t n = 0;
    size_t at = 0;

    if (x->records == NULL) {
        return false;
    }
    uint32_t number = mpl_records_number(
        x->records,
        mpl_events_stretch(x->run->events, p->location, p->number, p->number).begin);

    for (const char *c = x->run->model->locations[p->location].label; *c != '\0' && at < 30;
         c++) {
        text[at++] = *c;
    }
    text[at++] = '#';
    do {
        digits[n++] = (char) ('0' + number % 10);
        number /= 10;
    } while (number > 0);
    while (n > 0) {
        text[at++] = digits[--n];
    }
    text[at] = '\0';
    return true;
}

static void write_call(struct mpl_exporting *x, const struct mpl_piece *p)
{
    const struct mpl_span *span = &p->span;
    struct mpl_export_argument arguments[MPL_EXPORT_ARGUMENTS];
    struct mpl_export_slice call = slice_of(x, p, arguments);
    char record[48];

    if (record_of(x, p, record)) {
        say(&call, MPL_EXPORT_RECORD, (struct mpl_export_text){ 0, record });
    }
    if (span->collective != MPL_NONE) {
        const struct mpl_model *model = x->run->model;
        const struct mpl_collective *c =
            &model->locations[p->location].collectives[span->collective];

        say_comm(x, &call, c->comm);
        if (c->root != MPL_NONE) {
            say(&call, MPL_EXPORT_ROOT,
                location_text(x, model->processes[c->root].locations[0]));
        }
    }
    x->writer->begin(x->writer, &call);
    if (span->wait_ticks > 0) {
        write_wait(x, p);
    }
    mark_messages(x, p, span->enter_ticks + span->wait_ticks, INT64_MAX);
    x->writer->end(x->writer, &call);
    x->counted.calls++;
}

/* ---- tracks ---------------------------------------------------------------------------------------- */

static void open_track(struct mpl_exporting *x, uint32_t location)
{
    const struct mpl_model *model = x->run->model;
    const char *host = model->processes[model->locations[location].process].host;
    const char *name =
        host == NULL
            ? x->rank_of[location]
            : mpl_export_clean(x->arena, mpl_arena_printf(x->arena, "%s on %.100s",
                                                          x->rank_of[location], host));

    x->track_of[location] = mpl_export_open_track(x, name, MPL_EXPORT_SLICES).number;
}

void mpl_export_locations(struct mpl_exporting *x, const struct mpl_progress *progress)
{
    const uint32_t n = x->run->model->n_locations;

    for (uint32_t l = 0; l < n; l++) {
        if (x->s->has_location[l]) {
            open_track(x, l);
        }
    }
    for (uint32_t l = 0; l < n && x->writer->failed == 0; l++) {
        struct mpl_records records;
        x->records =
            x->s->has_location[l] ? mpl_call_records(x->run, l, x->arena, &records) : NULL;
        mpl_progress_tell(progress, "writing locations", l, n);
        for (struct mpl_piece p = mpl_pieces_of(x->s, l); mpl_piece_next(x->s, &p);) {
            if (p.number % 2 == 1) {
                write_call(x, &p);
            } else if (p.span.region != MPL_NONE &&
                       p.span.leave_ticks > p.span.enter_ticks) {
                /* Where no function is known, the track shows nothing between calls. */
                const struct mpl_export_slice slice = slice_of(x, &p, NULL);

                x->writer->begin(x->writer, &slice);
                x->writer->end(x->writer, &slice);
            }
        }
    }
}
