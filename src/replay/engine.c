/*
 * The run again, with other durations. Each location runs through its calls until it needs something
 * that has not happened; it then hangs on that event and is woken when it happens. So each call is
 * visited once, whatever the order in which locations are taken.
 *
 * What a call waited for is forgotten and follows from who is late now; what it took beyond that is
 * kept. With nothing changed that gives the recorded run; with calls that cost nothing the run on an
 * ideal network, as Dimemas defines it.
 */
#include "config.h"

#include "replay/replay_priv.h"

/* ---- hanging and waking --------------------------------------------------------- */

void mpl_engine_wake(struct engine *r, uint32_t first)
{
    while (first != 0) {
        const uint32_t location = first - 1;

        first = r->runners[location].next;
        r->runners[location].next = 0;
        r->ready[r->n_ready++] = location;
    }
}

enum progress mpl_engine_need_call(struct engine *r, uint32_t location, uint32_t other,
                                   uint32_t call)
{
    int64_t *slot = &r->slots[other][call];
    struct runner *runner = &r->runners[location];

    if (*slot > 0) {
        const int64_t reached = (*slot & ~RESOLVED_BIT) - 1;

        runner->ticks = reached > runner->ticks ? reached : runner->ticks;
        return GOES_ON;
    }
    runner->next = (uint32_t) - *slot;
    *slot = -(int64_t) location - 1;
    return HANGS;
}

/* A message needs the call that posts its other end. */
static enum progress need_other_end(struct engine *r, uint32_t location, uint32_t message)
{
    enum progress progress;
    uint32_t other;
    uint32_t call;

    if (r->farms != NULL && mpl_farms_choose(r, location, message, &progress)) {
        return progress;
    }
    if (!mpl_events_posting_call(r->events, r->runners[location].lane, message, &other,
                                 &call) ||
        !r->runners[other].is_part) {
        return GOES_ON;
    }
    return mpl_engine_need_call(r, location, other, call);
}

/* ---- calls ------------------------------------------------------------------------- */

/* A probe waits for the message that the next blocking receive takes. */
static enum progress need_probed(struct engine *r, uint32_t location)
{
    struct runner *runner = &r->runners[location];
    const struct mpl_location *loc = &r->model->locations[runner->lane];
    uint32_t e = runner->next_receive;

    e = e > runner->view.last_event ? e : runner->view.last_event + 1;
    while (e < loc->n_events && loc->kind[e] != MPL_EV_RECV) {
        e++;
    }
    runner->next_receive = e;
    return e < loc->n_events ? need_other_end(r, location, loc->ref[e]) : GOES_ON;
}

/* A send that returns only when the message is taken: always, or as recorded. Which sends are too
 * long to be buffered is not recorded, so those that did not have to wait do not wait here. */
static enum progress pass_send(struct engine *r, uint32_t location, uint32_t message)
{
    struct runner *runner = &r->runners[location];
    uint32_t other;
    uint32_t call;

    if (r->farms != NULL && mpl_farms_take(r, runner->lane, message)) {
        return GOES_ON;
    }
    if (runner->view.mode == MPL_CALL_SYNC_SEND ||
        (runner->view.wait_kind == MPL_WAIT_LATE_RECEIVER && !runner->is_ideal)) {
        return need_other_end(r, location, message);
    }
    if (!runner->is_ideal && mpl_engine_find_progress(r, location, message, &other, &call,
                                                      &runner->held_ticks)) {
        return mpl_engine_need_call(r, location, other, call);
    }
    runner->held_ticks = 0;
    return GOES_ON;
}

/* Likewise the wait for a non-blocking one. It may complete several; one was waited for. */
static enum progress pass_send_done(struct engine *r, uint32_t location, uint32_t message)
{
    const struct runner *runner = &r->runners[location];
    uint32_t other;
    uint32_t call;

    if (message == MPL_NONE || runner->view.wait_kind != MPL_WAIT_LATE_RECEIVER ||
        runner->is_ideal ||
        (r->farms != NULL && mpl_farms_take(r, runner->lane, message)) ||
        !mpl_events_posting_call(r->events, runner->lane, message, &other, &call) ||
        other != runner->view.culprit || !r->runners[other].is_part) {
        return GOES_ON;
    }
    return mpl_engine_need_call(r, location, other, call);
}

static enum progress take_record(struct engine *r, uint32_t location,
                                 const struct mpl_location *loc, uint32_t event)
{
    const uint32_t ref = loc->ref[event];

    switch ((enum mpl_event_kind) loc->kind[event]) {
    case MPL_EV_RECV:
    case MPL_EV_IRECV:
        return need_other_end(r, location, ref);
    case MPL_EV_SEND:
        return pass_send(r, location, ref);
    case MPL_EV_ISEND_DONE:
        return pass_send_done(r, location, ref);
    case MPL_EV_COLL_BEGIN:
        if (ref != MPL_NONE) {
            mpl_engine_arrive(r, location, ref);
        }
        return GOES_ON;
    case MPL_EV_COLL_END:
        if (ref != MPL_NONE && loc->collectives[ref].begin == MPL_NONE) {
            /* The others must not hang on a beginning that is not recorded. */
            mpl_engine_arrive(r, location, ref);
            return GOES_ON;
        }
        return mpl_engine_complete(r, location, ref);
    default:
        return GOES_ON;
    }
}

static void enter_call(struct engine *r, uint32_t location)
{
    struct runner *runner = &r->runners[location];
    int64_t *slot = &r->slots[runner->lane][runner->call];
    const uint32_t before = runner->call == 0 ? 0 : runner->view.last_event;
    const uint32_t hanging = (uint32_t) - *slot;

    mpl_events_call(r->events, runner->lane, runner->call, &runner->view);
    runner->ticks += mpl_engine_compute(r, location, before, runner->view.first_event);
    *slot = runner->ticks + 1;
    mpl_engine_wake(r, hanging);
    runner->is_in_call = true;
    runner->begin_ticks = runner->ticks;
    runner->held_ticks = 0;
    runner->event = runner->view.first_event;
}

/* Adds what the call takes beside waiting. */
static void leave_call(struct engine *r, uint32_t location)
{
    struct runner *runner = &r->runners[location];
    const struct mpl_location *loc = &r->model->locations[runner->lane];
    const struct mpl_call_view *view = &runner->view;
    int64_t ticks;

    runner->is_in_call = false;
    if (view->class == MPL_SPAN_SHUTDOWN && view->is_wait_known) {
        /* Who is early waits in there for the others, which is no cost. */
        return;
    }
    if (view->is_wait_known && view->is_mpi) {
        runner->ticks += mpl_engine_cost(r, location);
        return;
    }
    ticks = mpl_engine_inside(r, loc->time_ticks[view->first_event],
                              loc->time_ticks[view->last_event]);
    if (!view->is_wait_known) {
        /* Nobody knows what it waited for: as measured, but not too much of that. */
        r->unknown_ticks += ticks;
    }
    /* Waiting for threads and for the tracer is no business of the network. */
    if (runner->begin_ticks + ticks > runner->ticks) {
        runner->ticks = runner->begin_ticks + ticks;
    }
}

/* Goes on with a location until it hangs, is through, or has to ask its farm. */
static enum progress run_calls(struct engine *r, uint32_t location)
{
    struct runner *runner = &r->runners[location];
    const struct mpl_location *loc = &r->model->locations[runner->lane];
    const uint32_t n_calls = mpl_events_call_count(r->events, runner->lane);

    for (; runner->call < n_calls; runner->call++) {
        if (!runner->is_in_call) {
            enter_call(r, location);
        }
        if (runner->view.is_probe && need_probed(r, location) == HANGS) {
            return HANGS;
        }
        for (; runner->event <= runner->view.last_event; runner->event++) {
            if (take_record(r, location, loc, runner->event) == HANGS) {
                return HANGS;
            }
        }
        leave_call(r, location);
        if (runner->call == runner->stop_call) {
            return mpl_farms_stop(r, location);
        }
    }
    if (loc->n_events > 0) {
        const uint32_t before = n_calls == 0 ? 0 : runner->view.last_event;

        runner->ticks += mpl_engine_compute(r, location, before, loc->n_events - 1);
    }
    runner->is_done = true;
    return HANGS;
}

static void run_location(struct engine *r, uint32_t location)
{
    while (run_calls(r, location) == GOES_ON) {
        /* On another lane. */
    }
}

/* ---- all ------------------------------------------------------------------------------ */

/* Worker threads that never call MPI are part of their master's computation. */
static bool takes_part(const struct mpl_location *loc)
{
    return loc->n_events > 0 &&
           (loc->thread == 0 || loc->n_messages > 0 || loc->n_collectives > 0);
}

static bool prepare(struct engine *r, struct mpl_arena *scratch)
{
    const uint32_t n = r->model->n_locations;

    r->runners = MPL_NEW_ARRAY(scratch, n, struct runner);
    r->ready = MPL_NEW_ARRAY(scratch, n, uint32_t);
    r->slots = MPL_NEW_ARRAY(scratch, n, int64_t *);
    r->open = MPL_NEW_ARRAY(scratch, n, uint32_t *);
    if (r->runners == NULL || r->ready == NULL || r->slots == NULL || r->open == NULL) {
        return false;
    }
    for (uint32_t l = 0; l < n; l++) {
        struct runner *runner = &r->runners[l];

        r->slots[l] = MPL_NEW_ARRAY(scratch, mpl_events_call_count(r->events, l), int64_t);
        r->open[l] = MPL_NEW_ARRAY(scratch, r->scale->n_regions, uint32_t);
        if (r->slots[l] == NULL || r->open[l] == NULL) {
            return false;
        }
        runner->lane = l;
        runner->stop_call = MPL_NONE;
        runner->slot = MPL_NONE;
        runner->speed = 1;
        runner->scan_instance = MPL_NONE;
        runner->is_part = takes_part(&r->model->locations[l]);
        runner->is_ideal = r->scale->transfer != NULL && r->scale->transfer[l] == 0;
    }
    return mpl_engine_prepare_colls(r, scratch);
}

static void start(struct engine *r)
{
    for (uint32_t l = 0; l < r->model->n_locations; l++) {
        if (r->runners[l].is_part) {
            /* A process that appears late cannot have run before. */
            r->runners[l].ticks = mpl_engine_inside(r, r->window_begin_ticks,
                                                    r->model->locations[l].time_ticks[0]);
            r->ready[r->n_ready++] = l;
        }
    }
    do {
        while (r->n_ready > 0) {
            run_location(r, r->ready[--r->n_ready]);
        }
    } while (r->farms != NULL && mpl_farms_deal(r));
}

static void sum_up(const struct engine *r, struct course *out)
{
    int64_t longest = 0;
    uint32_t n_parts = 0;

    out->is_finished = true;
    for (uint32_t l = 0; l < r->model->n_locations; l++) {
        const struct runner *runner = &r->runners[l];

        if (out->end_s != NULL) {
            out->end_s[l] = mpl_model_seconds(r->model, runner->ticks);
        }
        if (!runner->is_part) {
            continue;
        }
        out->is_finished = out->is_finished && runner->is_done;
        longest = runner->ticks > longest ? runner->ticks : longest;
        n_parts++;
    }
    out->duration_s = mpl_model_seconds(r->model, longest);
    out->unknown_s =
        n_parts == 0 ? 0 : mpl_model_seconds(r->model, r->unknown_ticks) / n_parts;
}

enum mpl_status mpl_engine_run(const struct mpl_events *events, const struct scale *scale,
                               struct farms *farms, struct course *out, struct mpl_err *err)
{
    struct engine r = { .events = events,
                        .model = mpl_events_model(events),
                        .match = mpl_events_match(events),
                        .scale = scale,
                        .farms = farms,
                        .spent = out->spent };
    struct mpl_arena *scratch = mpl_arena_create();
    bool is_ok = true;

    if (scratch == NULL || !prepare(&r, scratch)) {
        mpl_arena_destroy(scratch);
        return mpl_nomem(err);
    }
    mpl_events_window(events, &r.window_begin_ticks, &r.window_end_ticks);
    if (farms != NULL) {
        mpl_farms_begin(&r);
    }
    start(&r);
    sum_up(&r, out);
    if (out->order_s != NULL && out->is_finished) {
        is_ok = mpl_engine_look_at_order(&r, scratch, out);
    }
    mpl_arena_destroy(scratch);
    return is_ok ? MPL_OK : mpl_nomem(err);
}
