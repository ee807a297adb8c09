#include "config.h"

#include "events/events_priv.h"

/* ---- create ------------------------------------------------------------------------ */

/* From the end of the first start-up to the beginning of the last shut-down; where these are not
 * recorded, from the first to the last event of the run. Nobody computes outside. */
static void find_window(struct mpl_events *events)
{
    const struct mpl_model *model = events->model;
    int64_t first = INT64_MAX;
    int64_t last = INT64_MIN;
    int64_t begin = INT64_MAX;
    int64_t end = INT64_MIN;

    for (uint32_t l = 0; l < model->n_locations; l++) {
        const struct mpl_location *loc = &model->locations[l];
        const struct mpl_lane *lane = &events->lanes[l];

        if (loc->n_events == 0) {
            continue;
        }
        first = mpl_ticks_of(loc, 0) < first ? mpl_ticks_of(loc, 0) : first;
        last = mpl_ticks_of(loc, loc->n_events - 1) > last
                   ? mpl_ticks_of(loc, loc->n_events - 1)
                   : last;
        if (lane->n_calls == 0) {
            continue;
        }
        if (mpl_call_class(lane, 0) == MPL_SPAN_STARTUP) {
            const int64_t leave = mpl_call_leave_ticks(events, l, 0);

            begin = leave < begin ? leave : begin;
        }
        if (mpl_call_class(lane, lane->n_calls - 1) == MPL_SPAN_SHUTDOWN) {
            const int64_t enter =
                mpl_ticks_of(loc, mpl_call_enter(lane, lane->n_calls - 1));

            end = enter > end ? enter : end;
        }
    }
    if (first > last) {
        first = last = 0;
    }
    events->window_begin_ticks = begin != INT64_MAX ? begin : first;
    events->window_end_ticks = end != INT64_MIN ? end : last;
    if (events->window_end_ticks < events->window_begin_ticks) {
        events->window_end_ticks = events->window_begin_ticks;
    }
}

static enum mpl_status make_calls(struct mpl_events *events, struct mpl_model *model,
                                  bool with_gaps, struct mpl_err *err)
{
    enum mpl_status st = mpl_regions_classify(events, err);

    st = st == MPL_OK ? mpl_calls_create(events, model, with_gaps, err) : st;
    if (st == MPL_OK) {
        find_window(events);
    }
    return st;
}

static enum mpl_status add_waits(struct mpl_events *events, struct mpl_err *err)
{
    const uint32_t n_locations = events->model->n_locations;
    struct mpl_arena *scratch = mpl_arena_create();
    struct mpl_wrong_order *wrong =
        scratch == NULL ? NULL
                        : MPL_NEW_ARRAY(scratch, n_locations, struct mpl_wrong_order);
    const int64_t *posted = scratch == NULL ? NULL : mpl_posts_find(events, scratch);
    enum mpl_status st = MPL_E_NOMEM;

    events->coll_waits =
        MPL_NEW_ARRAY(events->arena, events->match->n_instances, struct mpl_coll_wait);
    events->totals = MPL_NEW_ARRAY(events->arena, n_locations, struct mpl_totals);
    if (wrong == NULL || posted == NULL || events->coll_waits == NULL ||
        events->totals == NULL) {
        (void) mpl_nomem(err);
    } else {
        mpl_waits_p2p(events, posted, wrong);
        mpl_waits_coll(events);
        st = mpl_totals_create(events, wrong, posted, err);
    }
    events->totals = st == MPL_OK ? events->totals : NULL;
    mpl_arena_destroy(scratch);
    return st;
}

static enum mpl_status create(struct mpl_model *model, const struct mpl_match *match,
                              const struct mpl_clock *clock, bool with_gaps,
                              struct mpl_arena *arena, struct mpl_events **out,
                              struct mpl_err *err)
{
    struct mpl_events *events = MPL_NEW(arena, struct mpl_events);

    if (events == NULL) {
        return mpl_nomem(err);
    }
    *events = (struct mpl_events){
        .self = events,
        .model = model,
        .match = match,
        .clock = clock,
        .arena = arena,
        .precedences = mpl_precedences_create(model, match, arena),
        .sections = mpl_kept_sections_create(arena),
    };
    *out = events;
    return events->precedences == NULL || events->sections == NULL
               ? mpl_nomem(err)
               : make_calls(events, model, with_gaps, err);
}

static const char *const cannot = "cannot build the spans of the trace";

enum mpl_status mpl_events_create(struct mpl_model *model, const struct mpl_match *match,
                                  const struct mpl_clock *clock, struct mpl_arena *arena,
                                  const struct mpl_events **out, struct mpl_err *err)
{
    struct mpl_events *events = NULL;
    enum mpl_status st = create(model, match, clock, true, arena, &events, err);

    st = st == MPL_OK ? add_waits(events, err) : st;
    if (st != MPL_OK) {
        return mpl_wrap(err, st, cannot);
    }
    *out = events;
    return MPL_OK;
}

enum mpl_status mpl_events_create_calls(struct mpl_model *model,
                                        const struct mpl_match *match,
                                        const struct mpl_clock *clock,
                                        struct mpl_arena *arena,
                                        const struct mpl_events **out, struct mpl_err *err)
{
    struct mpl_events *events = NULL;
    const enum mpl_status st = create(model, match, clock, false, arena, &events, err);

    if (st != MPL_OK) {
        return mpl_wrap(err, st, cannot);
    }
    *out = events;
    return MPL_OK;
}

enum mpl_status mpl_events_complete(const struct mpl_events *events, struct mpl_err *err)
{
    enum mpl_status st = MPL_OK;

    if (events->totals == NULL) {
        st = mpl_calls_create(events->self, NULL, true, err);
        st = st == MPL_OK ? add_waits(events->self, err) : st;
    }
    return st == MPL_OK ? st : mpl_wrap(err, st, cannot);
}

/* ---- questions --------------------------------------------------------------------- */

const char *mpl_wait_kind_name(enum mpl_wait_kind kind)
{
    switch (kind) {
    case MPL_WAIT_LATE_SENDER:
        return "late-sender";
    case MPL_WAIT_LATE_RECEIVER:
        return "late-receiver";
    case MPL_WAIT_BARRIER:
        return "wait-at-barrier";
    case MPL_WAIT_N_TO_N:
        return "wait-at-nxn";
    case MPL_WAIT_LATE_BROADCAST:
        return "late-broadcast";
    case MPL_WAIT_EARLY_REDUCE:
        return "early-reduce";
    case MPL_WAIT_EARLY_SCAN:
        return "early-scan";
    default:
        return "none";
    }
}

const struct mpl_model *mpl_events_model(const struct mpl_events *events)
{
    return events->model;
}

const struct mpl_match *mpl_events_match(const struct mpl_events *events)
{
    return events->match;
}

struct mpl_precedences *mpl_events_precedences(const struct mpl_events *events)
{
    return events->precedences;
}

/* Its first record; of a computation the one behind the call before it. */
static uint32_t first_record(const struct mpl_location *loc, const struct mpl_lane *lane,
                             uint32_t span)
{
    const uint32_t call = span / 2;

    if (span % 2 != 0) {
        return mpl_call_enter(lane, call);
    }
    if (call == 0) {
        return 0;
    }

    const uint32_t behind = mpl_call_leave(lane, call - 1) + 1;

    return behind < loc->n_events ? behind : loc->n_events - 1;
}

/* Its last record; of a computation the one before the call behind it. */
static uint32_t last_record(const struct mpl_location *loc, const struct mpl_lane *lane,
                            uint32_t span)
{
    const uint32_t call = span / 2;

    if (span % 2 != 0) {
        return mpl_call_leave(lane, call);
    }
    return call == lane->n_calls            ? loc->n_events - 1
           : mpl_call_enter(lane, call) > 0 ? mpl_call_enter(lane, call) - 1
                                            : 0;
}

struct mpl_stretch mpl_events_stretch(const struct mpl_events *events, uint32_t location,
                                      uint32_t first, uint32_t last)
{
    const struct mpl_location *loc = &events->model->locations[location];
    const struct mpl_lane *lane = &events->lanes[location];

    return (struct mpl_stretch){ location, first_record(loc, lane, first),
                                 last_record(loc, lane, last) };
}

const struct mpl_clock *mpl_events_clock(const struct mpl_events *events)
{
    return events->clock;
}

uint32_t mpl_events_span_count(const struct mpl_events *events, uint32_t location)
{
    if (events->model->locations[location].n_events == 0) {
        return 0;
    }
    return 2 * events->lanes[location].n_calls + 1;
}

static struct mpl_span gap_span(const struct mpl_events *events, uint32_t location,
                                uint32_t k)
{
    return (struct mpl_span){
        .class = mpl_gap_class(&events->lanes[location], k),
        .wait_kind = MPL_WAIT_NONE,
        .is_wait_known = true,
        .enter_ticks = mpl_events_enter_ticks(events, location, 2 * k),
        .leave_ticks = mpl_events_leave_ticks(events, location, 2 * k),
        .culprit = MPL_NONE,
        .region = mpl_events_gap_region(events, location, k),
        .first_message = MPL_NONE,
        .collective = MPL_NONE,
    };
}

struct mpl_span mpl_events_span(const struct mpl_events *events, uint32_t location,
                                uint32_t span)
{
    const struct mpl_lane *lane = &events->lanes[location];
    struct mpl_call call;
    struct mpl_messages messages;
    struct mpl_span made = { 0 };

    mpl_assert(span < mpl_events_span_count(events, location));
    if (span % 2 == 0) {
        return gap_span(events, location, span / 2);
    }
    call = mpl_call_get(lane, span / 2);
    messages = mpl_call_messages(lane, &call);
    made.class = (enum mpl_span_class) call.class;
    made.wait_kind = (enum mpl_wait_kind) call.wait_kind;
    made.is_wait_known = call.is_wait_known;
    made.enter_ticks = mpl_events_enter_ticks(events, location, span);
    made.leave_ticks = mpl_call_leave_ticks(events, location, span / 2);
    made.wait_ticks = mpl_call_wait_ticks(lane, span / 2);
    made.culprit = call.culprit;
    made.region = mpl_call_region(events, location, &call);
    made.first_message = messages.n > 0 ? messages.first : MPL_NONE;
    made.n_messages = messages.n;
    made.collective = mpl_call_collective(lane, &call);
    return made;
}

uint32_t mpl_events_message(const struct mpl_events *events, uint32_t location,
                            const struct mpl_span *span, uint32_t i)
{
    const struct mpl_lane *lane = &events->lanes[location];
    struct mpl_messages messages;

    mpl_assert(i < span->n_messages);
    if (i == 0) {
        return span->first_message;
    }
    messages =
        mpl_events_messages(events, location, lane->call_of_message[span->first_message]);
    return mpl_messages_get(&messages, i);
}

uint32_t mpl_events_span_of_message(const struct mpl_events *events, uint32_t location,
                                    uint32_t message)
{
    const uint32_t call = events->lanes[location].call_of_message[message];

    return call == MPL_NONE ? MPL_NONE : 2 * call + 1;
}

uint32_t mpl_events_span_of_collective(const struct mpl_events *events, uint32_t location,
                                       uint32_t collective)
{
    const uint32_t call = events->lanes[location].call_of_collective[collective];

    return call == MPL_NONE ? MPL_NONE : 2 * call + 1;
}

const struct mpl_totals *mpl_events_totals(const struct mpl_events *events,
                                           uint32_t location)
{
    mpl_assert(events->totals != NULL);
    return &events->totals[location];
}

const struct mpl_region_time *mpl_events_regions(const struct mpl_events *events,
                                                 uint32_t location, uint32_t *n)
{
    mpl_assert(events->totals != NULL);
    *n = events->lanes[location].n_regions;
    return events->lanes[location].regions;
}

const struct mpl_edge *mpl_events_edges(const struct mpl_events *events, uint32_t *n)
{
    mpl_assert(events->totals != NULL);
    *n = events->n_edges;
    return events->edges;
}

const struct mpl_coll_wait *mpl_events_coll_waits(const struct mpl_events *events)
{
    mpl_assert(events->totals != NULL);
    return events->coll_waits;
}

void mpl_events_window(const struct mpl_events *events, int64_t *begin_ticks,
                       int64_t *end_ticks)
{
    *begin_ticks = events->window_begin_ticks;
    *end_ticks = events->window_end_ticks;
}

double mpl_events_measured_s(const struct mpl_events *events)
{
    return mpl_model_seconds(events->model,
                             events->window_end_ticks - events->window_begin_ticks);
}
