#include "config.h"

#include "metrics/variables_priv.h"

#include <math.h>
#include <string.h>

/* ---- where a location is inside the window ------------------------------------------- */

/* The first span that is no start-up, or behind the last span. */
static uint32_t first_inside(const struct mpl_events *events, uint32_t location, uint32_t n)
{
    uint32_t i = 0;

    while (i < n && mpl_events_span(events, location, i).class == MPL_SPAN_STARTUP) {
        i++;
    }
    return i;
}

/* Behind the last span that is no shut-down; at least \p first. */
static uint32_t last_inside(const struct mpl_events *events, uint32_t location,
                            uint32_t first, uint32_t n)
{
    while (n > first &&
           mpl_events_span(events, location, n - 1).class == MPL_SPAN_SHUTDOWN) {
        n--;
    }
    return n;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t greatest(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/*
 * A thread that starts before its process has left MPI_Init has spans before the window, and
 * one that goes on during MPI_Finalize has some behind it. What lies there is start-up and
 * shut-down, else the parts would add up to more than the window.
 */
static void cut_off(const struct mpl_events *events, uint32_t location, uint32_t first,
                    uint32_t last, struct mpl_window window, struct extent *extent)
{
    for (uint32_t i = first; i < last; i++) {
        const struct mpl_span span = mpl_events_span(events, location, i);

        if (span.enter_ticks >= window.begin_ticks) {
            break;
        }
        extent->before_ticks[span.class] +=
            least(span.leave_ticks, window.begin_ticks) - span.enter_ticks;
    }
    for (uint32_t i = last; i > first; i--) {
        const struct mpl_span span = mpl_events_span(events, location, i - 1);

        if (span.leave_ticks <= window.end_ticks) {
            break;
        }
        extent->behind_ticks[span.class] +=
            span.leave_ticks - greatest(span.enter_ticks, window.end_ticks);
    }
}

static struct extent extent_of(const struct mpl_events *events, uint32_t location,
                               struct mpl_window window)
{
    const uint32_t n = mpl_events_span_count(events, location);
    const uint32_t first = first_inside(events, location, n);
    const uint32_t last = last_inside(events, location, first, n);
    struct extent extent = { .begin_ticks = window.end_ticks,
                             .end_ticks = window.end_ticks };

    if (first == last) {
        return extent;
    }

    const int64_t begin = mpl_events_span(events, location, first).enter_ticks;
    const int64_t end = mpl_events_span(events, location, last - 1).leave_ticks;

    cut_off(events, location, first, last, window, &extent);
    extent.begin_ticks = least(greatest(begin, window.begin_ticks), window.end_ticks);
    extent.end_ticks = greatest(least(end, window.end_ticks), extent.begin_ticks);
    return extent;
}

struct mpl_variables *mpl_variables_create(const struct mpl_events *events,
                                           struct mpl_arena *arena)
{
    const uint32_t n = mpl_events_model(events)->n_locations;
    struct mpl_variables *variables = MPL_NEW(arena, struct mpl_variables);
    struct extent *extents = MPL_NEW_ARRAY(arena, n, struct extent);
    struct mpl_replay *replay = mpl_replay_create(events, arena);

    if (variables == NULL || extents == NULL || replay == NULL) {
        return NULL;
    }
    variables->events = events;
    variables->window = mpl_window_of(events);
    variables->extents = extents;
    variables->replay = replay;
    variables->arena = arena;
    variables->ideal_s = NAN;
    for (uint32_t location = 0; location < n; location++) {
        extents[location] = extent_of(events, location, variables->window);
    }
    return variables;
}

/* ---- variables of a location ----------------------------------------------------------- */

/* A question for a variable. */
struct query {
    const struct mpl_events *events;
    const struct mpl_model *model;
    struct mpl_window window;
    uint32_t location; /* these three: of no use to variables of the run */
    const struct extent *extent;
    const struct mpl_totals *totals;
    const struct extent *extents; /* of all locations */
    const struct mpl_delay *delay;
    const struct mpl_steps *steps;
    const struct mpl_serial *serial; /* of the location */
    double held_s;                   /* likewise */
    double ideal_s;
    const struct mpl_crowd *crowd; /* NULL: not known */
    int which;                     /* a span class or wait kind, see variables.def */
};

static double seconds(const struct query *q, int64_t ticks)
{
    return mpl_model_seconds(q->model, ticks);
}

static double time_in(const struct query *q, int class)
{
    int64_t cut_ticks = 0;

    for (int c = 0; c < MPL_SPAN_CLASSES; c++) {
        cut_ticks += class == MPL_SPAN_STARTUP ? q->extent->before_ticks[c] : 0;
        cut_ticks += class == MPL_SPAN_SHUTDOWN ? q->extent->behind_ticks[c] : 0;
    }
    if (class != MPL_SPAN_STARTUP && class != MPL_SPAN_SHUTDOWN) {
        cut_ticks -= q->extent->before_ticks[class] + q->extent->behind_ticks[class];
    }
    return q->totals->class_s[class] + seconds(q, cut_ticks);
}

static double class_time(const struct query *q)
{
    return time_in(q, q->which);
}

static double late_start(const struct query *q)
{
    return seconds(q, q->extent->begin_ticks - q->window.begin_ticks);
}

static double early_end(const struct query *q)
{
    return seconds(q, q->window.end_ticks - q->extent->end_ticks);
}

static double active(const struct query *q)
{
    return seconds(q, q->extent->end_ticks - q->extent->begin_ticks);
}

static double wait_p2p(const struct query *q)
{
    return q->totals->wait_s[MPL_WAIT_LATE_SENDER] +
           q->totals->wait_s[MPL_WAIT_LATE_RECEIVER];
}

static double wait_collective(const struct query *q)
{
    double sum = 0.0;

    for (int kind = MPL_WAIT_NONE + 1; kind < MPL_WAIT_KINDS; kind++) {
        if (kind != MPL_WAIT_LATE_SENDER && kind != MPL_WAIT_LATE_RECEIVER) {
            sum += q->totals->wait_s[kind];
        }
    }
    return sum;
}

/* MPL_WAIT_NONE, which no wait is of, asks for all kinds together. */
static double wait(const struct query *q)
{
    return q->which == MPL_WAIT_NONE ? wait_p2p(q) + wait_collective(q)
                                     : q->totals->wait_s[q->which];
}

static double caused(const struct query *q)
{
    double sum = 0.0;

    for (int kind = MPL_WAIT_NONE + 1; kind < MPL_WAIT_KINDS; kind++) {
        sum += q->totals->caused_s[kind];
    }
    return q->which == MPL_WAIT_NONE ? sum : q->totals->caused_s[q->which];
}

enum {
    DELAY_ALL,
    DELAY_DIRECT,
    DELAY_INDIRECT,
    DELAY_PASSED,
    DELAY_COMPUTED,
    DELAY_IN_TURN
};

static double delay(const struct query *q)
{
    double sum = q->which == DELAY_COMPUTED  ? q->delay->computed_s
                 : q->which == DELAY_IN_TURN ? q->delay->in_turn_s
                                             : 0.0;

    for (int kind = MPL_WAIT_NONE + 1; kind < MPL_WAIT_KINDS; kind++) {
        if (q->which == DELAY_PASSED) {
            sum += q->delay->passed_s[kind];
        }
        if (q->which == DELAY_ALL || q->which == DELAY_DIRECT) {
            sum += q->delay->direct_s[kind];
        }
        if (q->which == DELAY_ALL || q->which == DELAY_INDIRECT) {
            sum += q->delay->indirect_s[kind];
        }
    }
    return sum;
}

static double turn_after(const struct query *q)
{
    const uint32_t l = q->delay->turn_after;

    return l == MPL_NONE ? -1.0 : q->model->processes[q->model->locations[l].process].rank;
}

/* ---- steps --------------------------------------------------------------------------------- */

enum {
    STEPS,
    STEP_IMBALANCE,
    STEP_COST,
    STEP_PEERS_COST,
    STEP_KEPT,
    STEP_PERSISTENCE,
    STEP_SAME,
    STEP_TURNS,
    STEP_TREND,
    STEP_SLOPE,
    STEP_SYNCHRONOUS
};

static double run_steps(const struct query *q)
{
    const struct mpl_steps *steps = q->steps;
    const double values[] = {
        [STEPS] = steps->n,
        [STEP_IMBALANCE] = steps->imbalance,
        [STEP_COST] = steps->cost_s,
        [STEP_PEERS_COST] = steps->peers_cost_s,
        [STEP_KEPT] = steps->kept_s,
        [STEP_PERSISTENCE] = steps->persistence,
        [STEP_SAME] = steps->heaviest_kept,
        [STEP_TURNS] = steps->heaviest_order,
        [STEP_TREND] = steps->trend,
        [STEP_SLOPE] = steps->slope_s,
        [STEP_SYNCHRONOUS] = steps->is_collective,
    };

    return steps->n == 0 ? NAN : values[q->which];
}

/* Undefined for threads whose computation the steps leave out. */
static const struct mpl_step_load *load_of(const struct query *q)
{
    const uint32_t process = q->model->locations[q->location].process;

    return q->steps->n == 0 || q->steps->loads[process].location != q->location
               ? NULL
               : &q->steps->loads[process];
}

static double step_excess(const struct query *q)
{
    const struct mpl_step_load *load = load_of(q);

    return load == NULL ? NAN : load->excess_s;
}

static double heaviest_steps(const struct query *q)
{
    const struct mpl_step_load *load = load_of(q);

    return load == NULL ? NAN : load->heaviest_steps;
}

static double held_sends(const struct query *q)
{
    return q->held_s;
}

/* ---- what a process does alone -------------------------------------------------------------- */

enum { SERIAL_ALL, SERIAL_BEGIN, SERIAL_END, SERIAL_LONGEST, SERIAL_SECTIONS };

static double serial(const struct query *q)
{
    const double values[] = {
        [SERIAL_ALL] = q->serial->all_s,           [SERIAL_BEGIN] = q->serial->begin_s,
        [SERIAL_END] = q->serial->end_s,           [SERIAL_LONGEST] = q->serial->longest_s,
        [SERIAL_SECTIONS] = q->serial->n_sections,
    };

    return values[q->which];
}

/* ---- counts and sizes ---------------------------------------------------------------------- */

static double n_waits(const struct query *q)
{
    uint64_t sum = 0;

    for (int kind = MPL_WAIT_NONE + 1; kind < MPL_WAIT_KINDS; kind++) {
        sum += q->totals->n_waits[kind];
    }
    return (double) (q->which == MPL_WAIT_NONE ? sum : q->totals->n_waits[q->which]);
}

/* Those that are fields as they are. */
#define TOTAL(field) \
    static double field(const struct query *q) \
    { \
        return (double) q->totals->field; \
    }
TOTAL(total_s)
TOTAL(ready_s)
TOTAL(device_wait_s)
TOTAL(asking_s)
TOTAL(n_asks)
TOTAL(stalled_s)
TOTAL(n_stalled)
TOTAL(unknown_s)
TOTAL(wrong_order_s)
TOTAL(n_wrong_order)
TOTAL(n_calls)
TOTAL(n_collectives)
TOTAL(n_sends)
TOTAL(n_receives)
TOTAL(sent_bytes)
TOTAL(received_bytes)
#undef TOTAL

/* Threads whose CPU time is not known have no part in it. */
#define CPU_TIME(field) \
    static double field(const struct query *q) \
    { \
        const struct mpl_cpu *cpu = &q->model->locations[q->location].cpu; \
\
        return cpu->n_samples > 1 ? cpu->field : NAN; \
    }
CPU_TIME(own_s)
CPU_TIME(on_core_s)
CPU_TIME(descheduled_s)
#undef CPU_TIME

/* A difference of rounded seconds: nothing may come out as -1e-17. */
static double transfer(const struct query *q)
{
    const double calls_s = time_in(q, MPL_SPAN_P2P) + time_in(q, MPL_SPAN_COLLECTIVE);

    return fmax(0.0, calls_s - wait_p2p(q) - wait_collective(q) - q->totals->unknown_s);
}

static double rank(const struct query *q)
{
    return q->model->processes[q->model->locations[q->location].process].rank;
}

/* ---- variables of the run ----------------------------------------------------------------- */

static double run_duration(const struct query *q)
{
    return seconds(q, q->window.end_ticks - q->window.begin_ticks);
}

static double run_processes(const struct query *q)
{
    uint32_t n = 0;

    for (uint32_t process = 0; process < q->model->n_processes; process++) {
        n += mpl_events_has_process(q->events, process);
    }
    return n;
}

static double run_locations(const struct query *q)
{
    uint32_t n = 0;

    for (uint32_t location = 0; location < q->model->n_locations; location++) {
        n += mpl_events_has_process(q->events, q->model->locations[location].process);
    }
    return n;
}

static double run_ideal_duration(const struct query *q)
{
    return q->ideal_s;
}

static double run_measured_duration(const struct query *q)
{
    return mpl_events_measured_s(q->events);
}

static double run_messages(const struct query *q)
{
    uint64_t sum = 0;

    for (uint32_t location = 0; location < q->model->n_locations; location++) {
        sum += mpl_events_totals(q->events, location)->n_sends;
    }
    return (double) sum;
}

/* Of a part of the run as many as somebody takes part in. */
static double run_collectives(const struct query *q)
{
    uint64_t most = 0;

    if (!mpl_events_is_part(q->events)) {
        return mpl_events_match(q->events)->n_instances;
    }
    for (uint32_t location = 0; location < q->model->n_locations; location++) {
        const uint64_t n = mpl_events_totals(q->events, location)->n_collectives;

        most = n > most ? n : most;
    }
    return (double) most;
}

/* How long recording was off at a location within the window. */
static int64_t off_ticks(const struct query *q, const struct mpl_location *loc)
{
    uint32_t on;
    int64_t sum = 0;

    for (uint32_t off = mpl_location_find(loc, MPL_EV_OFF, 0); off < loc->n_events;
         off = mpl_location_find(loc, MPL_EV_OFF, on)) {
        on = mpl_location_find(loc, MPL_EV_ON, off);

        const int64_t begin_ticks = mpl_ticks_of(loc, off);
        const int64_t end_ticks =
            on < loc->n_events ? mpl_ticks_of(loc, on) : q->window.end_ticks;
        const int64_t ticks =
            (end_ticks < q->window.end_ticks ? end_ticks : q->window.end_ticks) -
            (begin_ticks > q->window.begin_ticks ? begin_ticks : q->window.begin_ticks);

        sum += ticks > 0 ? ticks : 0;
    }
    return sum;
}

/* Processes that make no MPI calls at all are no threads: a run without MPI has none. */
static double run_thread_lost(const struct query *q)
{
    const double window_s = seconds(q, q->window.end_ticks - q->window.begin_ticks);
    double sum_s = 0;

    for (uint32_t location = 0; location < q->model->n_locations; location++) {
        struct query own = *q;

        own.location = location;
        own.extent = &q->extents[location];
        own.totals = mpl_events_totals(q->events, location);
        if (own.totals->n_calls == 0 && q->model->locations[location].thread > 0 &&
            mpl_events_has_process(q->events, q->model->locations[location].process)) {
            sum_s += window_s - time_in(&own, MPL_SPAN_COMPUTE) -
                     seconds(q, off_ticks(q, &q->model->locations[location]));
        }
    }
    return sum_s;
}

static double run_thread_wait(const struct query *q)
{
    double sum_s = 0;

    for (uint32_t location = 0; location < q->model->n_locations; location++) {
        sum_s += mpl_events_totals(q->events, location)->thread_wait_s;
    }
    return sum_s;
}

enum { CROWD_MOST, CROWD_SHARE, CROWD_ALONE, CROWD_PAIRS };

static double run_crowd(const struct query *q)
{
    if (q->crowd == NULL) {
        return NAN;
    }
    return q->which == CROWD_MOST    ? q->crowd->most
           : q->which == CROWD_SHARE ? q->crowd->share
           : q->which == CROWD_ALONE ? q->crowd->alone
                                     : q->crowd->pairs;
}

static double run_clock_bound(const struct query *q)
{
    const struct mpl_clock *clock = mpl_events_clock(q->events);
    int64_t bound = -1;

    for (uint32_t location = 0; location < q->model->n_locations; location++) {
        if (clock->bound_ticks[location] != INT64_MAX) {
            bound = greatest(bound, clock->bound_ticks[location]);
        }
    }
    return bound < 0 ? NAN : seconds(q, bound);
}

/* ---- the table ------------------------------------------------------------------------------ */

enum { OF_RUN = false, OF_LOCATION = true };

static const struct mpl_metric_variable table[] = {
#define X(name, of, seconds, bytes, get, which, says) \
    { #name, OF_##of, { seconds, bytes }, says },
#include "metrics/variables.def"
#undef X
};

static const struct {
    double (*get)(const struct query *q);
    int which;
} getters[] = {
#define X(name, of, seconds, bytes, get, which, says) { get, which },
#include "metrics/variables.def"
#undef X
};

enum { N_VARIABLES = sizeof table / sizeof *table };

const struct mpl_metric_variable *mpl_metric_variables(size_t *n)
{
    *n = N_VARIABLES;
    return table;
}

uint32_t mpl_variable_find(const char *name, bool is_per_location)
{
    for (uint32_t i = 0; i < N_VARIABLES; i++) {
        if (table[i].per_location == is_per_location && strcmp(table[i].name, name) == 0) {
            return i;
        }
    }
    return MPL_NONE;
}

/* ---- passes over the events, whose results variables are ------------------------------------ */

/* N_PASSES: none, it is always known. */
static enum pass pass_of(uint32_t variable)
{
    double (*get)(const struct query *q) = getters[variable].get;

    return get == delay || get == turn_after                                 ? DELAYS
           : get == run_ideal_duration                                       ? IDEAL
           : get == serial                                                   ? SERIAL
           : get == run_steps || get == step_excess || get == heaviest_steps ? STEPS_OF_RUN
           : get == held_sends                                               ? HELD
           : get == run_crowd                                                ? CROWD
                                                                             : N_PASSES;
}

/* What is wanted and not made yet. */
struct making {
    struct mpl_variables *variables;
    enum pass passes[N_PASSES];
    struct mpl_arena *arenas[N_PASSES]; /* parallel */
    size_t n;
};

/* The replay alone allocates in the arena of the variables. */
static enum mpl_status make(void *context, size_t task, unsigned worker,
                            struct mpl_err *err)
{
    struct making *making = context;
    struct mpl_variables *v = making->variables;
    struct mpl_arena *arena = making->arenas[task] = mpl_arena_create();
    enum mpl_status st = MPL_OK;

    (void) worker;
    if (arena == NULL) {
        return mpl_nomem(err);
    }
    switch (making->passes[task]) {
    case DELAYS:
        st = mpl_events_delays(v->events, arena, &v->delays, err);
        break;
    case IDEAL:
        st = mpl_replay_ideal(v->replay, &v->ideal_s, err);
        break;
    case SERIAL:
        st = mpl_events_serial(v->events, arena, &v->serial, err);
        break;
    case STEPS_OF_RUN:
        st = mpl_events_steps(v->events, arena, &v->steps, err);
        break;
    case HELD:
        st = mpl_events_held(v->events, arena, &v->held_s, err);
        break;
    default:
        st = mpl_events_crowd(v->events, &v->has_crowd, &v->crowd, err);
        break;
    }
    v->is_made[making->passes[task]] = st == MPL_OK;
    return st;
}

/* Makes a pass, and beside it all that are expected: they read the same events, and each writes what is its own. */
static enum mpl_status make_pass(struct mpl_variables *variables, enum pass pass,
                                 struct mpl_err *err)
{
    struct making making = { .variables = variables };
    enum mpl_status st;

    variables->is_expected[pass] = true;
    for (enum pass p = 0; p < N_PASSES && !variables->is_made[pass]; p++) {
        if (variables->is_expected[p] && !variables->is_made[p]) {
            making.passes[making.n++] = p;
        }
    }

    const struct mpl_parallel job = {
        .n_tasks = making.n, .max_threads = mpl_threads(), .run = make, .context = &making
    };

    st = making.n == 0 ? MPL_OK : mpl_parallel_run(&job, err);
    for (size_t i = 0; i < making.n; i++) {
        mpl_arena_absorb(variables->arena, making.arenas[i]);
    }
    return st;
}

void mpl_variable_expect(struct mpl_variables *variables, uint32_t variable)
{
    const enum pass pass = pass_of(variable);

    if (pass != N_PASSES) {
        variables->is_expected[pass] = true;
    }
}

bool mpl_variable_prepare(struct mpl_variables *variables, uint32_t variable)
{
    const enum pass pass = pass_of(variable);

    return pass == N_PASSES || make_pass(variables, pass, NULL) == MPL_OK;
}

void mpl_variables_make_usual(struct mpl_variables *variables)
{
    static const enum pass usual[] = { DELAYS, IDEAL, STEPS_OF_RUN };
    const bool is_serial_asked = variables->is_expected[SERIAL];

    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        variables->is_expected[usual[i]] = true;
    }
    /* Half of all runs are asked for this later, in a round of its own; a second thread has time for it now. */
    variables->is_expected[SERIAL] = is_serial_asked || mpl_threads() > 1;
    (void) make_pass(variables, usual[0], NULL);
    variables->is_expected[SERIAL] = is_serial_asked || variables->is_made[SERIAL];
}

enum mpl_status mpl_variables_steps(struct mpl_variables *variables,
                                    const struct mpl_steps **out, struct mpl_err *err)
{
    const enum mpl_status st = make_pass(variables, STEPS_OF_RUN, err);

    *out = variables->steps;
    return st;
}

struct mpl_replay *mpl_variables_replay(struct mpl_variables *variables)
{
    return variables->replay;
}

double mpl_variable_get(const struct mpl_variables *variables, uint32_t variable,
                        uint32_t location)
{
    struct query q = { .events = variables->events,
                       .model = mpl_events_model(variables->events),
                       .window = variables->window,
                       .extents = variables->extents,
                       .steps = variables->steps,
                       .ideal_s = variables->ideal_s,
                       .crowd = variables->has_crowd ? &variables->crowd : NULL,
                       .which = getters[variable].which };

    if (table[variable].per_location) {
        q.location = location;
        q.extent = &variables->extents[location];
        q.totals = mpl_events_totals(variables->events, location);
        q.delay = variables->delays == NULL ? NULL : &variables->delays[location];
        q.serial = variables->serial == NULL ? NULL : &variables->serial[location];
        q.held_s = variables->held_s == NULL ? NAN : variables->held_s[location];
    }
    return getters[variable].get(&q);
}
