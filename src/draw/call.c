/* What a call is, in one line: all that is known of it. */
#include "config.h"

#include "draw/call_priv.h"

const char *mpl_call_comm(const struct sheet *s, const struct mpl_run *run, uint32_t comm)
{
    const char *name = run->model->comms[comm].name;

    return name != NULL && *name != '\0' ? mpl_draw_words(s, "%.60s", name)
                                         : mpl_draw_words(s, "comm%u", comm);
}

static const char *comm_words(const struct sheet *s, const struct mpl_run *run,
                              uint32_t comm)
{
    return comm != MPL_NONE ? mpl_draw_words(s, ", on %s", mpl_call_comm(s, run, comm))
                            : "";
}

static const char *messages_words(const struct sheet *s, const struct mpl_run *run,
                                  uint32_t location, const struct mpl_span *span)
{
    const struct mpl_location *l = &run->model->locations[location];

    if (span->n_messages == 0) {
        return "";
    }
    const uint32_t message = mpl_events_message(run->events, location, span, 0);
    const struct mpl_envelope *e = mpl_envelope_of(l, message);

    if (e == NULL || e->peer == MPL_NONE) {
        return "";
    }
    const char *more =
        span->n_messages > 1 ? mpl_draw_words(s, " and %u more", span->n_messages - 1) : "";

    return mpl_draw_words(s, ", %s %u, tag %u, %llu B%s%s", e->is_send ? "to" : "from",
                          run->model->processes[e->peer].rank, e->tag,
                          (unsigned long long) mpl_message_get(l, message).bytes, more,
                          comm_words(s, run, e->comm_unsure ? MPL_NONE : e->comm));
}

static const char *collective_words(const struct sheet *s, const struct mpl_run *run,
                                    uint32_t location, const struct mpl_span *span)
{
    if (span->collective == MPL_NONE) {
        return "";
    }
    const struct mpl_collective *c =
        &run->model->locations[location].collectives[span->collective];
    const char *root =
        c->root == MPL_NONE
            ? ""
            : mpl_draw_words(s, ", root %u", run->model->processes[c->root].rank);

    return mpl_draw_words(s, "%s, %s B%s", root,
                          mpl_draw_short(s, mpl_coll_bytes(run->model, c)),
                          comm_words(s, run, c->comm));
}

static const char *wait_words(const struct sheet *s, const struct mpl_run *run,
                              const struct mpl_span *span)
{
    if (!span->is_wait_known && span->class != MPL_SPAN_COMPUTE) {
        return "; how long it waits is not known";
    }
    if (span->wait_ticks == 0) {
        return "";
    }
    return mpl_draw_words(
        s, "; waits %s%s%s (%s)", mpl_draw_ticks(s, run, span->wait_ticks),
        span->culprit != MPL_NONE ? " for " : "",
        span->culprit != MPL_NONE ? run->model->locations[span->culprit].label : "",
        mpl_wait_kind_name(span->wait_kind));
}

const struct mpl_records *mpl_call_records(const struct mpl_run *run, uint32_t location,
                                           struct mpl_arena *arena,
                                           struct mpl_records *room)
{
    const enum mpl_status st = mpl_records_read(run->model, location, arena, room, NULL);

    if (st == MPL_E_NOMEM) {
        mpl_arena_set_short(arena);
    }
    return st == MPL_OK ? room : NULL;
}

const char *mpl_call_words(const struct sheet *s, const struct mpl_run *run,
                           uint32_t location, uint32_t index,
                           const struct mpl_records *records)
{
    const struct mpl_span span = mpl_events_span(run->events, location, index);
    const char *label = run->model->locations[location].label;
    const char *record = "";

    if (index % 2 == 1 && records != NULL) {
        struct mpl_call_view call;

        mpl_events_call(run->events, location, index / 2, &call);
        record = mpl_draw_words(s, "; record %s#%u", label,
                                mpl_records_number(records, call.first_event));
    }
    return mpl_draw_words(
        s, "%s: %.200s%s%s; %s, from %s s to %s s%s%s", label,
        span.region != MPL_NONE ? run->model->regions[span.region].name
                                : mpl_looks[mpl_look_of_span(span.class)].says,
        messages_words(s, run, location, &span), collective_words(s, run, location, &span),
        mpl_draw_ticks(s, run, span.leave_ticks - span.enter_ticks),
        mpl_draw_number(s, mpl_model_seconds(run->model, span.enter_ticks)),
        mpl_draw_number(s, mpl_model_seconds(run->model, span.leave_ticks)),
        wait_words(s, run, &span), record);
}
