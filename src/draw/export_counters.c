/*
 * Counters over all locations: how many wait, how many bytes are between send and receive. Changes of a location come
 * in order of time, and those of all are merged by a heap with one entry per location, so none is kept. Changes at one
 * moment make one value.
 */
#include "config.h"

#include "draw/export_priv.h"

/* Where a location's changes stand. */
struct cursor {
    uint32_t location;
    uint32_t call;
    uint32_t next;  /* of the call: which change comes next */
    int64_t ticks;  /* of the change … */
    int64_t change; /* … and by how much */
};

struct counting {
    struct mpl_exporting *x;
    bool (*step)(const struct counting *c, struct cursor *at); /* false: no more changes */
    struct cursor *cursors;                                    /* per location */
    uint32_t *heap;                                            /* locations */
    uint32_t n;
};

static bool step_wait(const struct counting *c, struct cursor *at)
{
    const struct mpl_events *events = c->x->run->events;
    const uint32_t n = mpl_events_call_count(events, at->location);

    for (; at->call < n; at->call++, at->next = 0) {
        const uint32_t span = 2 * at->call + 1;
        const int64_t wait = mpl_events_wait_ticks(events, at->location, span);

        if (wait > 0 && at->next < 2 &&
            (at->next > 0 || mpl_export_has_span(c->x, at->location, span))) {
            const bool is_begin = at->next++ == 0;

            at->change = is_begin ? 1 : -1;
            at->ticks =
                mpl_events_enter_ticks(events, at->location, span) + (is_begin ? 0 : wait);
            return true;
        }
    }
    return false;
}

/* The next message of the call that flows, which is as large as its sender says, at both ends. */
static bool step_in_call(const struct counting *c, struct cursor *at)
{
    const struct mpl_exporting *x = c->x;
    const struct mpl_model *model = x->run->model;
    const struct mpl_location *l = &model->locations[at->location];
    const uint32_t number = 2 * at->call + 1;
    struct mpl_call_about about;

    mpl_events_call_about(x->run->events, at->location, at->call, &about);
    if (at->next >= about.n_messages || !mpl_export_has_span(x, at->location, number)) {
        return false;
    }
    const struct mpl_span span = {
        .enter_ticks = mpl_events_enter_ticks(x->run->events, at->location, number),
        .leave_ticks = mpl_events_leave_ticks(x->run->events, at->location, number),
        .first_message = about.first_message,
        .n_messages = about.n_messages,
    };

    while (at->next < span.n_messages) {
        const uint32_t message =
            mpl_events_message(x->run->events, at->location, &span, at->next++);
        const uint32_t envelope = mpl_message_get(l, message).envelope;
        const bool is_send = envelope != MPL_NONE && l->envelopes[envelope].is_send;
        const struct mpl_end end = mpl_match_partner(x->run->match, at->location, message);

        if (mpl_export_flow(x, at->location, message, is_send, end) != 0) {
            const int64_t ticks = mpl_export_message_ticks(x, at->location, &span, message);

            /* Messages of one call may be recorded in any order: none is earlier than the one before it. */
            at->ticks = ticks > at->ticks ? ticks : at->ticks;
            at->change = is_send ? (int64_t) mpl_message_get(l, message).bytes
                                 : -(int64_t) mpl_message_get(
                                        &model->locations[end.location], end.message)
                                        .bytes;
            return true;
        }
    }
    return false;
}

static bool step_message(const struct counting *c, struct cursor *at)
{
    const uint32_t n = mpl_events_call_count(c->x->run->events, at->location);

    for (; at->call < n; at->call++, at->next = 0) {
        if (step_in_call(c, at)) {
            return true;
        }
    }
    return false;
}

static bool is_before(const struct counting *c, uint32_t a, uint32_t b)
{
    const int64_t first = c->cursors[c->heap[a]].ticks;
    const int64_t second = c->cursors[c->heap[b]].ticks;

    return first < second || (first == second && c->heap[a] < c->heap[b]);
}

static void sink(struct counting *c, uint32_t at)
{
    for (;;) {
        uint32_t least = at;

        for (uint32_t child = 2 * at + 1; child < c->n && child <= 2 * at + 2; child++) {
            least = is_before(c, child, least) ? child : least;
        }
        if (least == at) {
            return;
        }
        const uint32_t moved = c->heap[at];

        c->heap[at] = c->heap[least];
        c->heap[least] = moved;
        at = least;
    }
}

static void count(struct counting *c, const char *name, enum mpl_export_unit unit)
{
    const struct mpl_export_track track = mpl_export_open_track(c->x, name, unit);
    struct mpl_export_writer *w = c->x->writer;
    int64_t value = 0;

    c->n = 0;
    for (uint32_t l = 0; l < c->x->run->model->n_locations; l++) {
        struct cursor *at = &c->cursors[l];

        *at = (struct cursor){ .location = l };
        if (c->x->s->has_location[l] && c->step(c, at)) {
            c->heap[c->n++] = l;
        }
    }
    for (uint32_t i = c->n / 2; i-- > 0;) {
        sink(c, i);
    }
    if (c->n > 0 && c->cursors[c->heap[0]].ticks > c->x->s->begin_ticks) {
        w->count(w, &track, mpl_export_ns(c->x, c->x->s->begin_ticks), 0);
    }
    while (c->n > 0) {
        struct cursor *first = &c->cursors[c->heap[0]];
        const int64_t ticks = first->ticks;

        value += first->change;
        if (!c->step(c, first)) {
            c->heap[0] = c->heap[--c->n];
        }
        sink(c, 0);
        if (c->n == 0 || c->cursors[c->heap[0]].ticks > ticks) {
            w->count(w, &track, mpl_export_ns(c->x, ticks), value);
        }
    }
}

enum mpl_status mpl_export_counters(struct mpl_exporting *x, struct mpl_err *err)
{
    const uint32_t n = x->run->model->n_locations;
    struct counting c = { .x = x,
                          .cursors = MPL_NEW_ARRAY(x->arena, n, struct cursor),
                          .heap = MPL_NEW_ARRAY(x->arena, n, uint32_t) };

    if (c.cursors == NULL || c.heap == NULL) {
        return mpl_nomem(err);
    }
    c.step = step_wait;
    count(&c, "waiting locations", MPL_EXPORT_COUNT);
    c.step = step_message;
    count(&c, "bytes in flight", MPL_EXPORT_BYTES);
    return MPL_OK;
}
