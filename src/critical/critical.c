/*
 * The walk. At each moment it is on one location and looks for the last wait that was over by then,
 * which brings it to whoever was waited for. A wait that is still going on belongs to the location:
 * only clocks that disagree with the messages bring the walk into one. For the same reason a
 * location's calls are looked at only once, from the last to the first, so that two locations that
 * wait for each other at one moment do not keep the walk for ever.
 */
#include "config.h"

#include "critical/critical_priv.h"

struct walk {
    const struct mpl_events *events;
    const struct mpl_model *model;
    struct mpl_thread_sinks sinks;
    uint32_t *left;     /* per location: calls that have not been looked at */
    size_t *sinks_left; /* likewise moments of threads: those before this one */
    struct mpl_coll_need *needs;
    struct mpl_buf segments; /* struct mpl_critical_segment, the last one first */
    int64_t begin_ticks;
    int64_t end_ticks;
    int64_t unknown_ticks;
    uint64_t n_ties;
    bool does_trust; /* the clocks, where they say who ends last */
};

/* Where the path comes from: \p location was busy until \p ticks, and somebody waited for that. */
struct turn {
    uint32_t location; /* MPL_NONE: the path begins here */
    uint32_t awaited_in;
    int64_t ticks;
    bool is_tied;
};

/* ---- waits of a location ------------------------------------------------------------------- */

/* Calls of the location that are left and entered before \p ticks. */
static uint32_t calls_before(const struct walk *w, uint32_t location, int64_t ticks)
{
    uint32_t low = 0;
    uint32_t high = w->left[location];

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (mpl_events_enter_ticks(w->events, location, 2 * middle + 1) < ticks) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool is_reachable(const struct walk *w, uint32_t location)
{
    return location != MPL_NONE && w->model->locations[location].n_events > 0 &&
           mpl_events_has_process(w->events, w->model->locations[location].process);
}

/* The last moment of a thread at or behind record \p first that has not been looked at; NULL. */
static const struct mpl_thread_sink *take_sink(struct walk *w, uint32_t location,
                                               uint32_t first)
{
    const size_t begin = w->sinks.first == NULL ? 0 : w->sinks.first[location];

    if (w->sinks.first == NULL || w->sinks_left[location] == begin ||
        w->sinks.all[w->sinks_left[location] - 1].event < first) {
        return NULL;
    }
    return &w->sinks.all[--w->sinks_left[location]];
}

/* Whether a thread waited among its records from \p first on for another one of its process; in a
 * call since it was entered. */
static bool turns_to_thread(struct walk *w, uint32_t location, uint32_t first,
                            int64_t enter_ticks, int64_t ticks, struct turn *turn)
{
    const struct mpl_location *loc = &w->model->locations[location];
    const struct mpl_thread_sink *sink;

    while ((sink = take_sink(w, location, first)) != NULL) {
        const int64_t since_ticks =
            enter_ticks > sink->since_ticks ? sink->since_ticks : enter_ticks;

        if (mpl_ticks_of(loc, sink->event) <= ticks && sink->source_ticks <= ticks &&
            sink->source_ticks > since_ticks && is_reachable(w, sink->source)) {
            *turn = (struct turn){ .location = sink->source,
                                   .awaited_in = MPL_NONE,
                                   .ticks = sink->source_ticks };
            return true;
        }
    }
    return false;
}

/* Between two calls, the second of which is \p call. */
static bool turns_in_gap(struct walk *w, uint32_t location, uint32_t call, int64_t ticks,
                         struct turn *turn)
{
    struct mpl_call_view before = { .last_event = 0 };

    if (w->sinks.first == NULL) {
        return false;
    }
    if (call > 0) {
        mpl_events_call(w->events, location, call - 1, &before);
    }
    return turns_to_thread(w, location, call > 0 ? before.last_event + 1 : 0, INT64_MAX,
                           ticks, turn);
}

/* What a call has of the path if that stays in it. */
static int64_t ticks_in(const struct walk *w, uint32_t location,
                        const struct mpl_call_view *view, int64_t enter_ticks,
                        int64_t ticks)
{
    const int64_t leave_ticks =
        mpl_ticks_of(&w->model->locations[location], view->last_event);

    return (leave_ticks < ticks ? leave_ticks : ticks) - enter_ticks;
}

static bool turns_in_thread_call(struct walk *w, uint32_t location,
                                 const struct mpl_call_view *view, int64_t enter_ticks,
                                 int64_t ticks, struct turn *turn)
{
    const size_t left = w->sinks_left[location];

    if (turns_to_thread(w, location, view->first_event, enter_ticks, ticks, turn)) {
        return true;
    }
    if (left == w->sinks_left[location] && view->region != MPL_NONE &&
        w->model->regions[view->region].kind == MPL_REGION_THREAD_SYNC) {
        w->unknown_ticks += ticks_in(w, location, view, enter_ticks, ticks);
    }
    return false;
}

static bool turns_in_call(struct walk *w, uint32_t location, uint32_t call, int64_t ticks,
                          struct turn *turn)
{
    const int64_t enter_ticks = mpl_events_enter_ticks(w->events, location, 2 * call + 1);
    struct mpl_call_view view;

    mpl_events_call(w->events, location, call, &view);
    if (view.class == MPL_SPAN_OTHER && !view.is_mpi) {
        return turns_in_thread_call(w, location, &view, enter_ticks, ticks, turn);
    }
    if (view.class != MPL_SPAN_P2P && view.class != MPL_SPAN_COLLECTIVE) {
        return false;
    }
    if (!view.is_wait_known) {
        w->unknown_ticks += ticks_in(w, location, &view, enter_ticks, ticks);
        return false;
    }

    const int64_t until_ticks = enter_ticks + view.wait_ticks;
    const bool is_turn =
        view.wait_ticks > 0 && until_ticks <= ticks && is_reachable(w, view.culprit);
    const struct mpl_decision decision = { .location = location,
                                           .call = call,
                                           .holder = is_turn ? view.culprit : location,
                                           .at_ticks =
                                               is_turn ? until_ticks : enter_ticks };
    const bool is_tied = (is_turn || view.wait_ticks == 0) &&
                         mpl_decision_is_tied(w->events, &decision, w->needs);

    w->n_ties += is_tied;
    if (is_turn) {
        *turn = (struct turn){ view.culprit, call, until_ticks, is_tied };
    }
    return is_turn;
}

/* Where the path begins if it comes to the beginning of a location. During start-up everybody begins
 * when it is launched; later than that a process is late, and the path waits for it. */
static int64_t begin_of(const struct walk *w, uint32_t location)
{
    const int64_t own_ticks = mpl_events_enter_ticks(w->events, location, 0);

    return own_ticks < w->begin_ticks ? own_ticks : w->begin_ticks;
}

/* Goes back through a location until it waited for somebody, or began. */
static struct turn find_turn(struct walk *w, uint32_t location, int64_t ticks)
{
    const struct mpl_location *loc = &w->model->locations[location];
    struct turn turn = { .location = MPL_NONE,
                         .awaited_in = MPL_NONE,
                         .ticks = begin_of(w, location) };
    uint32_t call = calls_before(w, location, ticks);
    bool is_turn = turns_in_gap(w, location, call, ticks, &turn);

    while (!is_turn && call > 0) {
        call--;
        is_turn = turns_in_call(w, location, call, ticks, &turn) ||
                  turns_in_gap(w, location, call, ticks, &turn);
    }
    w->left[location] = call;
    if (!is_turn && loc->thread > 0) {
        const uint32_t master = w->model->processes[loc->process].locations[0];

        if (master != location && is_reachable(w, master)) {
            turn.location = master;
            turn.ticks = mpl_ticks_of(loc, 0) < ticks ? mpl_ticks_of(loc, 0) : ticks;
        }
    }
    return turn;
}

/* ---- the end of the run --------------------------------------------------------------------- */

/* The last call of a location that is no shut-down; MPL_NONE. */
static uint32_t last_call(const struct walk *w, uint32_t location,
                          struct mpl_call_view *view)
{
    uint32_t call = mpl_events_call_count(w->events, location);

    while (call > 0) {
        mpl_events_call(w->events, location, --call, view);
        if (view->class != MPL_SPAN_SHUTDOWN) {
            return call;
        }
    }
    return MPL_NONE;
}

/*
 * What the last call of a location takes while nobody needs it any more: a send whose message has
 * been received. Its sender has handed over to the receiver, and the end of the run is there.
 * (In dcsort-slowleaf-np7 the send of rank 2 returns 10 ms after rank 0 has received it.)
 */
static int64_t idle_end_of(const struct walk *w, uint32_t location)
{
    struct mpl_call_view view;
    const uint32_t call = last_call(w, location, &view);
    const struct mpl_location *loc = &w->model->locations[location];
    uint32_t message;

    if (call == MPL_NONE || view.class != MPL_SPAN_P2P ||
        !mpl_events_only_message(w->events, location, 2 * call + 1, &message) ||
        message == MPL_NONE ||
        mpl_kind_of(loc, mpl_message_get(loc, message).event) != MPL_EV_SEND) {
        return 0;
    }

    const struct mpl_end other =
        mpl_match_partner(mpl_events_match(w->events), location, message);
    const uint32_t span =
        other.message == MPL_NONE
            ? MPL_NONE
            : mpl_events_span_of_message(w->events, other.location, other.message);

    if (span == MPL_NONE) {
        return 0;
    }

    const int64_t idle_ticks = mpl_events_leave_ticks(w->events, location, 2 * call + 1) -
                               mpl_events_leave_ticks(w->events, other.location, span);

    return idle_ticks > 0 ? idle_ticks : 0;
}

static int64_t end_of(const struct walk *w, uint32_t location)
{
    const uint32_t n = mpl_events_span_count(w->events, location);
    const int64_t last_ticks = mpl_events_leave_ticks(w->events, location, n - 1);

    return last_ticks < w->end_ticks ? last_ticks : w->end_ticks;
}

static int64_t needed_end_of(const struct walk *w, uint32_t location)
{
    return end_of(w, location) - idle_end_of(w, location);
}

/* When a process begins to shut down; INT64_MIN where that is not recorded. */
static int64_t shutdown_of(const struct walk *w, uint32_t location)
{
    const uint32_t n = mpl_events_call_count(w->events, location);
    struct mpl_call_view view;

    if (n == 0) {
        return INT64_MIN;
    }
    mpl_events_call(w->events, location, n - 1, &view);
    return view.class == MPL_SPAN_SHUTDOWN
               ? mpl_events_enter_ticks(w->events, location, 2 * (n - 1) + 1)
               : INT64_MIN;
}

static int64_t needed_shutdown_of(const struct walk *w, uint32_t location)
{
    const int64_t ticks = shutdown_of(w, location);

    return ticks == INT64_MIN ? ticks : ticks - idle_end_of(w, location);
}

/*
 * The location whose \p time is largest for certain, of several the first; MPL_NONE. The clock of a
 * leaf that exchanges one message in each direction may be wrong by half a second
 * (dcsort-slowleaf-np7 again), and by it the leaf would end last.
 */
static uint32_t latest(const struct walk *w, int64_t (*time)(const struct walk *, uint32_t),
                       bool *is_tied)
{
    uint32_t best = MPL_NONE;
    int64_t best_ticks = INT64_MIN;

    for (uint32_t l = 0; l < w->model->n_locations; l++) {
        const int64_t ticks = is_reachable(w, l) ? time(w, l) : INT64_MIN;

        if (ticks == INT64_MIN) {
            continue;
        }

        const int64_t certain_ticks =
            w->does_trust ? ticks
                          : mpl_ticks_minus(ticks, mpl_clock_error_ticks(w->events, l));

        if (best == MPL_NONE || certain_ticks > best_ticks) {
            best_ticks = certain_ticks;
            best = l;
        }
    }
    *is_tied = false;
    for (uint32_t l = 0; l < w->model->n_locations && best != MPL_NONE; l++) {
        const bool is_other = is_reachable(w, l) && w->model->locations[l].process !=
                                                        w->model->locations[best].process;
        const int64_t ticks = is_other ? time(w, l) : INT64_MIN;

        *is_tied =
            *is_tied || (ticks != INT64_MIN &&
                         mpl_times_are_tied(w->events, best, time(w, best), l, ticks));
    }
    return best;
}

static bool add_segment(struct walk *w, uint32_t location, int64_t ticks,
                        const struct turn *turn, uint32_t awaited_in, bool is_tied)
{
    struct mpl_critical_segment *last =
        w->segments.n == 0 ? NULL : mpl_buf_get(&w->segments, w->segments.n - 1);

    if (last != NULL && last->location == location) {
        last->begin_ticks = turn->ticks;
        return true;
    }
    if (turn->ticks == ticks && last != NULL) {
        return true;
    }

    const struct mpl_critical_segment segment = { .location = location,
                                                  .awaited_in = awaited_in,
                                                  .begin_ticks = turn->ticks,
                                                  .end_ticks = ticks,
                                                  .is_tied = is_tied };

    return mpl_buf_put(&w->segments, &segment);
}

/* In MPI_Finalize all wait for the last to come; who leaves it last says nothing. */
static struct turn turn_to_shutdown(struct walk *w, uint32_t location, int64_t ticks)
{
    struct turn turn = { .location = MPL_NONE };
    bool is_tied;

    if (shutdown_of(w, location) == INT64_MIN) {
        return turn;
    }

    const uint32_t last = latest(w, needed_shutdown_of, &is_tied);

    if (last != location && shutdown_of(w, last) <= ticks) {
        turn = (struct turn){ last, MPL_NONE, shutdown_of(w, last), is_tied };
    }
    return turn;
}

static bool walk_back(struct walk *w, uint32_t location, int64_t ticks, bool is_tied)
{
    struct turn turn = turn_to_shutdown(w, location, ticks);
    struct turn before = { .awaited_in = MPL_NONE, .is_tied = is_tied };

    if (turn.location == MPL_NONE) {
        w->n_ties += is_tied;
        turn = find_turn(w, location, ticks);
    } else {
        w->n_ties += turn.is_tied;
        before.is_tied = false;
    }
    for (;;) {
        if (turn.ticks <= begin_of(w, location)) {
            turn = (struct turn){ .location = MPL_NONE, .ticks = begin_of(w, location) };
        }
        if (!add_segment(w, location, ticks, &turn, before.awaited_in, before.is_tied)) {
            return false;
        }
        if (turn.location == MPL_NONE) {
            return true;
        }
        location = turn.location;
        ticks = turn.ticks;
        before = turn;
        turn = find_turn(w, location, ticks);
    }
}

/* ---- the whole ------------------------------------------------------------------------------ */

static bool prepare(struct walk *w, struct mpl_arena *scratch)
{
    const struct mpl_match *match = mpl_events_match(w->events);
    uint32_t most = 0;

    for (uint32_t i = 0; i < match->n_instances; i++) {
        most = match->instances[i].n_parts > most ? match->instances[i].n_parts : most;
    }
    w->needs = MPL_NEW_ARRAY(scratch, most, struct mpl_coll_need);
    w->left = MPL_NEW_ARRAY(scratch, w->model->n_locations, uint32_t);
    w->sinks_left = MPL_NEW_ARRAY(scratch, w->model->n_locations, size_t);
    if (w->needs == NULL || w->left == NULL || w->sinks_left == NULL ||
        !mpl_thread_sinks_find(w->events, scratch, &w->sinks)) {
        return false;
    }
    mpl_events_window(w->events, &w->begin_ticks, &w->end_ticks);
    if (!mpl_events_is_part(w->events)) {
        w->end_ticks = INT64_MAX;
    }
    for (uint32_t l = 0; l < w->model->n_locations; l++) {
        w->left[l] = mpl_events_call_count(w->events, l);
        w->sinks_left[l] = w->sinks.first == NULL ? 0 : w->sinks.first[l + 1];
    }
    return true;
}

static bool walk_all(struct walk *w)
{
    bool is_tied;
    const uint32_t last = latest(w, needed_end_of, &is_tied);

    return last == MPL_NONE || walk_back(w, last, end_of(w, last), is_tied);
}

/*
 * No path is shorter than what one location computes. One that is shorter has a wrong end: the last
 * stage of a pipeline, to which messages come and from which none go, has a clock that nothing bounds
 * from one side, and yet it ends last if it computed until then.
 */
static bool is_too_short(const struct walk *w)
{
    const struct mpl_critical_segment *last = mpl_buf_get(&w->segments, 0);
    const struct mpl_critical_segment *first = mpl_buf_get(&w->segments, w->segments.n - 1);
    const double length_s =
        mpl_model_seconds(w->model, last->end_ticks - first->begin_ticks);

    for (uint32_t l = 0; l < w->model->n_locations; l++) {
        if (mpl_events_totals(w->events, l)->class_s[MPL_SPAN_COMPUTE] > length_s) {
            return true;
        }
    }
    return false;
}

static bool walk_again(struct walk *w, struct mpl_arena *scratch)
{
    w->does_trust = true;
    w->segments.n = 0;
    w->n_ties = 0;
    w->unknown_ticks = 0;
    return prepare(w, scratch) && walk_all(w);
}

/* In order of time. */
static const struct mpl_critical_segment *turn_round(struct walk *w,
                                                     struct mpl_arena *arena)
{
    struct mpl_critical_segment *all =
        MPL_NEW_ARRAY(arena, w->segments.n, struct mpl_critical_segment);

    for (size_t i = 0; i < w->segments.n && all != NULL; i++) {
        all[i] = *(const struct mpl_critical_segment *) mpl_buf_get(&w->segments,
                                                                    w->segments.n - 1 - i);
    }
    return all;
}

enum mpl_status mpl_critical_create(const struct mpl_events *events,
                                    struct mpl_arena *arena,
                                    const struct mpl_critical **out, struct mpl_err *err)
{
    struct mpl_critical *path = MPL_NEW(arena, struct mpl_critical);
    struct mpl_arena *scratch = mpl_arena_create();
    struct walk w = { .events = events,
                      .model = mpl_events_model(events),
                      .segments = mpl_buf_make(sizeof(struct mpl_critical_segment)) };
    bool is_enough =
        path != NULL && scratch != NULL && prepare(&w, scratch) && walk_all(&w);

    if (is_enough && w.segments.n > 0 && is_too_short(&w)) {
        is_enough = walk_again(&w, scratch);
    }
    if (is_enough) {
        *path = (struct mpl_critical){ .events = events };
        path->segments = turn_round(&w, arena);
        path->n = (uint32_t) w.segments.n;
        path->unknown_ticks = w.unknown_ticks;
        path->n_ties = w.n_ties;
        is_enough = is_enough && path->segments != NULL;
    }
    if (is_enough && path->n > 0) {
        path->begin_ticks = path->segments[0].begin_ticks;
        path->end_ticks = path->segments[path->n - 1].end_ticks;
    }
    if (is_enough) {
        *out = path;
    }
    mpl_buf_free(&w.segments);
    mpl_arena_destroy(scratch);
    return is_enough ? MPL_OK : mpl_nomem(err);
}

const char *mpl_critical_doubt(const struct mpl_critical *path)
{
    return mpl_events_model(path->events)->can.has_receive_completions
               ? NULL
               : "the trace does not record when receives are completed";
}
