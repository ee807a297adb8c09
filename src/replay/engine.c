/*
 * The run again, with other durations. Each location runs through its calls until it needs something
 * that has not happened; it then waits for that event and is woken when it happens. So each call is
 * visited once, whatever the order in which locations are taken.
 *
 * What a call waited for is forgotten and follows from who is late now; what it took beyond that is
 * kept. With nothing changed that gives the recorded run; with calls that cost nothing the run on an
 * ideal network, as Dimemas defines it.
 */
#include "config.h"

#include "replay/replay_priv.h"

#include <string.h>

static enum progress need_call(struct engine *r, uint32_t location, uint32_t other,
                               uint32_t call)
{
    return mpl_engine_need(r, location, mpl_engine_slot(r, other, call),
                           &r->runners[location].ticks);
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
    return mpl_activities_find_post(r->activities, r->runners[location].lane, message,
                                    &other, &call)
               ? need_call(r, location, other, call)
               : GOES_ON;
}

/* ---- calls by their records ---------------------------------------------------------- */

/* A probe waits for the message that the next blocking receive takes. */
static enum progress need_probed(struct engine *r, uint32_t location)
{
    struct runner *runner = &r->runners[location];
    const struct mpl_location *loc = &r->model->locations[runner->lane];
    const uint32_t e =
        mpl_activities_find_receive(loc, &runner->view, runner->next_receive);

    runner->next_receive = e;
    return e < loc->n_events ? need_other_end(r, location, mpl_ref_of(loc, e)) : GOES_ON;
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
    if (!runner->is_ideal &&
        mpl_activities_find_progress(r->activities, runner->lane, &runner->view, message,
                                     &other, &call, &runner->held_ticks)) {
        return need_call(r, location, other, call);
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
        !mpl_activities_find_post(r->activities, runner->lane, message, &other, &call) ||
        other != runner->view.culprit) {
        return GOES_ON;
    }
    return need_call(r, location, other, call);
}

static enum progress take_record(struct engine *r, uint32_t location,
                                 const struct mpl_location *loc, uint32_t event)
{
    const uint32_t ref = mpl_ref_of(loc, event);

    switch ((enum mpl_event_kind) mpl_kind_of(loc, event)) {
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
            /* The others must not wait for a beginning that is not recorded. */
            mpl_engine_arrive(r, location, ref);
            return GOES_ON;
        }
        return mpl_engine_complete(r, location, ref);
    default:
        return GOES_ON;
    }
}

/* Adds what the call takes beside waiting. */
static void leave_by_records(struct engine *r, uint32_t location)
{
    struct runner *runner = &r->runners[location];
    const struct mpl_location *loc = &r->model->locations[runner->lane];
    const struct mpl_call_view *view = &runner->view;
    const int64_t ticks =
        mpl_activities_inside(r->activities, mpl_ticks_of(loc, view->first_event),
                              mpl_ticks_of(loc, view->last_event));

    if (view->class == MPL_SPAN_SHUTDOWN && view->is_wait_known) {
        /* Who is early waits in there for the others, which is no cost. */
        return;
    }
    if (view->is_wait_known && view->is_mpi) {
        const int64_t waited_ticks = view->wait_ticks + runner->held_ticks;

        runner->ticks += mpl_engine_cost(
            r, location, ticks > waited_ticks ? ticks - waited_ticks : 0, view->region);
        return;
    }
    if (!view->is_wait_known) {
        /* Nobody knows what it waited for: as measured, but not too much of that. */
        r->unknown_ticks += ticks;
    }
    /* Waiting for threads and for the tracer does not depend on the network. */
    if (runner->begin_ticks + ticks > runner->ticks) {
        runner->ticks = runner->begin_ticks + ticks;
    }
}

static enum progress run_records(struct engine *r, uint32_t location)
{
    struct runner *runner = &r->runners[location];
    const struct mpl_location *loc = &r->model->locations[runner->lane];

    if (runner->view.is_probe && need_probed(r, location) == HANGS) {
        return HANGS;
    }
    for (; runner->event <= runner->view.last_event; runner->event++) {
        if (take_record(r, location, loc, runner->event) == HANGS) {
            return HANGS;
        }
    }
    leave_by_records(r, location);
    return GOES_ON;
}

/* ---- one location ---------------------------------------------------------------------- */

/* The call of that slot begins, and who waits for it goes on. */
static inline void reach(struct engine *r, uint32_t slot, int64_t ticks)
{
    struct slot_block *block = &r->blocks[slot / SLOTS_PER_BLOCK];

    if (block->slots == r->unreached && !mpl_engine_open_block(r, block)) {
        return;
    }

    int64_t *at = &block->slots[slot % SLOTS_PER_BLOCK];
    const uint32_t hanging = (uint32_t) - *at;

    *at = ticks + 1;
    if (hanging != 0) {
        mpl_engine_wake(r, hanging);
    }
}

static uint32_t slot_at(const uint8_t *at)
{
    uint32_t slot;

    memcpy(&slot, at, sizeof slot);
    return slot;
}

static void enter_by_records(struct engine *r, uint32_t location)
{
    struct runner *runner = &r->runners[location];
    const uint32_t number = r->activities->first_call[runner->lane] + runner->call;
    int64_t ticks;
    int64_t cost_ticks;

    if (r->is_by_record) {
        ticks = mpl_engine_computed(r, runner);
    } else {
        runner->at =
            mpl_activity_take_ticks(runner->at + 1, *runner->at, &ticks, &cost_ticks);
    }
    runner->ticks += mpl_engine_compute(r, location, ticks);
    if (mpl_activities_is_needed(r->activities, number)) {
        runner->next_slot = mpl_activities_slot(r->activities, number);
        reach(r, runner->next_slot++, runner->ticks);
    }
    mpl_events_call(r->events, runner->lane, runner->call, &runner->view);
    runner->begin_ticks = runner->ticks;
    runner->held_ticks = 0;
    runner->event = runner->view.first_event;
}

/* What a run changes of what activities take. */
enum { SCALES_COMPUTING = 1, SCALES_TRANSFER = 2, IS_GIVEN = 4 };

/*
 * Goes on with calls as they are laid out, up to one that goes by its records or to \p end_call, which the section
 * holds or ends before. Nearly all calls pass here, so what each of them changes stands in variables: fields of
 * the runner would be stored and loaded for each, since for all that the compiler knows a slot may be one of them.
 * \p changes is known to the compiler: what is not changed costs nothing.
 */
static inline __attribute__((always_inline)) enum progress
run_changed(struct engine *r, uint32_t location, uint32_t end_call, unsigned changes)
{
    struct runner *runner = &r->runners[location];
    const double factor = (changes & SCALES_COMPUTING) != 0 ? runner->factor : 1;
    const double transfer = (changes & SCALES_TRANSFER) != 0 ? runner->transfer : 1;
    const uint8_t *at = runner->at;
    uint32_t call = runner->call;
    uint32_t n_left = runner->n_left;
    uint32_t next_slot = runner->next_slot;
    int64_t ticks = runner->ticks;
    int64_t compute_ticks;
    int64_t cost_ticks = runner->cost_ticks;

    while (call < end_call) {
        if (n_left == 0) {
            const uint8_t head = *at;

            if ((head & ACTIVITY_BY_RECORD) != 0) {
                break;
            }
            at = mpl_activity_take_ticks(at + 1, head, &compute_ticks, &cost_ticks);
            if ((changes & IS_GIVEN) != 0) {
                compute_ticks = r->scale->given[location][call];
            }
            if (mpl_activity_has_needs(head)) {
                n_left = mpl_activity_take_n(head, &at);
                if ((head & ACTIVITY_UNLESS_IDEAL) != 0 && runner->is_ideal) {
                    for (; n_left > 0; n_left--, at += ACTIVITY_NEED_BYTES) {
                        mpl_engine_let_go(r, slot_at(at));
                    }
                }
            }
            ticks += mpl_engine_scaled(compute_ticks, factor);
            if ((head & ACTIVITY_IS_NEEDED) != 0) {
                reach(r, next_slot++, ticks);
            }
        }
        for (; n_left > 0; n_left--) {
            const uint32_t slot = slot_at(at);

            if (mpl_engine_need(r, location, slot, &ticks) == HANGS) {
                break;
            }
            mpl_engine_let_go(r, slot);
            at += ACTIVITY_NEED_BYTES;
        }
        if (n_left > 0) {
            break;
        }
        ticks += mpl_engine_scaled(cost_ticks, transfer);
        call++;
    }
    runner->at = at;
    runner->call = call;
    runner->n_left = n_left;
    runner->next_slot = next_slot;
    runner->ticks = ticks;
    runner->cost_ticks = cost_ticks;
    return n_left > 0 ? HANGS : GOES_ON;
}

static enum progress run_in_section(struct engine *r, uint32_t location, uint32_t end_call)
{
    const struct runner *runner = &r->runners[location];
    const bool is_given = r->scale->given != NULL && r->scale->given[location] != NULL;

    if (is_given) {
        return run_changed(r, location, end_call,
                           IS_GIVEN | SCALES_COMPUTING | SCALES_TRANSFER);
    }
    if (runner->factor != 1) {
        return runner->transfer != 1
                   ? run_changed(r, location, end_call, SCALES_COMPUTING | SCALES_TRANSFER)
                   : run_changed(r, location, end_call, SCALES_COMPUTING);
    }
    return runner->transfer != 1 ? run_changed(r, location, end_call, SCALES_TRANSFER)
                                 : run_changed(r, location, end_call, 0);
}

/* The same, section by section. */
static enum progress run_laid_out(struct engine *r, uint32_t location, uint32_t n_calls)
{
    struct runner *runner = &r->runners[location];
    uint32_t end_call;

    do {
        if (runner->call >= runner->section_end) {
            runner->ticks += mpl_engine_enter_section(r, location);
        }
        end_call = runner->section_end < n_calls ? runner->section_end : n_calls;
        if (run_in_section(r, location, end_call) == HANGS) {
            return HANGS;
        }
    } while (runner->call == end_call && end_call < n_calls);
    return GOES_ON;
}

/* Goes on with a location until it hangs, is through, or has to ask its farm. */
static enum progress run_calls(struct engine *r, uint32_t location)
{
    struct runner *runner = &r->runners[location];
    const uint32_t n_calls = mpl_events_call_count(r->events, runner->lane);

    for (;; runner->call++) {
        if (!r->is_by_record && !runner->is_in_call &&
            run_laid_out(r, location, n_calls) == HANGS) {
            return HANGS;
        }
        if (runner->call >= n_calls) {
            break;
        }
        if (!runner->is_in_call) {
            enter_by_records(r, location);
        }
        runner->is_in_call = run_records(r, location) == HANGS;
        if (runner->is_in_call) {
            return HANGS;
        }
        if (runner->call == runner->stop_call) {
            return mpl_farms_stop(r, location);
        }
    }
    runner->ticks += mpl_engine_compute(r, location, mpl_engine_computed(r, runner));
    runner->is_done = true;
    return HANGS;
}

/* ---- all ------------------------------------------------------------------------------ */

/* \p is_keeping: more asks for slots than activities do. */
static bool prepare_slots(struct engine *r, bool is_keeping)
{
    const struct activities *a = r->activities;
    const uint32_t n = a->n_slots / SLOTS_PER_BLOCK + 1;

    r->blocks = MPL_NEW_ARRAY(r->scratch, n, struct slot_block);
    r->unreached = MPL_NEW_ARRAY(r->scratch, SLOTS_PER_BLOCK, int64_t);
    if (r->blocks == NULL || r->unreached == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        r->blocks[i].slots = r->unreached;
        r->blocks[i].n_left =
            is_keeping || a->n_needs[i] == MPL_NONE ? SLOTS_KEPT : a->n_needs[i];
    }
    return true;
}

static bool prepare(struct engine *r, bool is_keeping)
{
    const uint32_t n = r->model->n_locations;
    struct mpl_arena *scratch = r->scratch;

    r->runners = MPL_NEW_ARRAY(scratch, n, struct runner);
    r->ready = MPL_NEW_ARRAY(scratch, n, uint32_t);
    r->open = MPL_NEW_ARRAY(scratch, n * r->scale->n_regions, uint32_t);
    if (r->runners == NULL || r->ready == NULL || r->open == NULL ||
        !prepare_slots(r, is_keeping)) {
        return false;
    }
    for (uint32_t l = 0; l < n; l++) {
        struct runner *runner = &r->runners[l];

        runner->lane = l;
        runner->stop_call = MPL_NONE;
        runner->slot = MPL_NONE;
        runner->scan_instance = MPL_NONE;
        runner->compute = r->scale->compute == NULL ? 1 : r->scale->compute[l];
        runner->factor = runner->compute;
        runner->section_end = r->scale->sections == NULL ? MPL_NONE : 0;
        runner->transfer = r->scale->transfer == NULL ? 1 : r->scale->transfer[l];
        runner->is_ideal = runner->transfer == 0;
        runner->at = r->activities->code[l];
        runner->next_slot =
            mpl_activities_slot(r->activities, r->activities->first_call[l]);
    }
    return mpl_engine_prepare_colls(r, scratch);
}

static void start(struct engine *r)
{
    for (uint32_t l = 0; l < r->model->n_locations; l++) {
        if (r->activities->is_part[l]) {
            /* A process that appears late cannot have run before. */
            r->runners[l].ticks =
                mpl_activities_inside(r->activities, r->activities->window_begin_ticks,
                                      mpl_ticks_of(&r->model->locations[l], 0));
            r->ready[r->n_ready++] = l;
        }
    }
    do {
        while (r->n_ready > 0) {
            const uint32_t location = r->ready[--r->n_ready];

            while (run_calls(r, location) == GOES_ON) {
                /* On another lane. */
            }
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
        if (!r->activities->is_part[l]) {
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

enum mpl_status mpl_engine_run(const struct activities *activities,
                               const struct scale *scale, struct farms *farms,
                               struct course *out, struct mpl_err *err)
{
    struct engine r = { .events = activities->events,
                        .model = activities->model,
                        .match = activities->match,
                        .activities = activities,
                        .scale = scale,
                        .is_by_record = farms != NULL || scale->n_regions > 0,
                        .farms = farms,
                        .scratch = mpl_arena_create() };
    bool is_ok = true;

    if (r.scratch == NULL ||
        !prepare(&r,
                 r.is_by_record || (out->order_s != NULL && activities->n_answering > 0))) {
        mpl_arena_destroy(r.scratch);
        return mpl_nomem(err);
    }
    if (farms != NULL) {
        mpl_farms_begin(&r);
    }
    start(&r);
    sum_up(&r, out);
    if (out->order_s != NULL && out->is_finished) {
        is_ok = mpl_engine_look_at_order(&r, r.scratch, out);
    }
    is_ok = is_ok && !mpl_arena_is_short(r.scratch);
    mpl_arena_destroy(r.scratch);
    return is_ok ? MPL_OK : mpl_nomem(err);
}
