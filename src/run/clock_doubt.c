/*
 * How far the clocks of a run may still be off, and what that can change at most.
 *
 * A wait is the time between two moments of two locations, cut off at the ends of a call. If each
 * of these two clocks may be off by so much, the wait changes by no more than the two together, gets
 * no shorter than nothing and no longer than its call. The sum of that over all calls bounds what any
 * sum of waits can change. Example: 2 us between each of two clocks and the reference, 1,000 calls
 * of 10 us that wait 1 us each: 1 ms less at most, or 4 ms more.
 *
 * That holds for waits that grow and shrink with the clocks; clock_contested.c looks at those that jump.
 */
#include "config.h"

#include "run/run_priv.h"

/* Beyond this a shift would come near the ends of what times can hold. */
#define MOST_TICKS (MPL_TICKS_FAR / 2)

/* Per location: to have begun and to have ended is compared with others, too. */
enum { ENDS = 2 };

static bool is_limited(const struct mpl_location *loc, int64_t low, int64_t high)
{
    return low > -MOST_TICKS && high < MOST_TICKS && mpl_ticks_of(loc, 0) > -MOST_TICKS &&
           mpl_ticks_of(loc, loc->n_events - 1) < MOST_TICKS;
}

/* The threads of a process share its clock, so that what limits one of them limits all. */
static void take_limits(const struct mpl_run *run, uint32_t process,
                        struct mpl_clock_doubt *doubt)
{
    const struct mpl_process *p = &run->model->processes[process];
    int64_t low = -MOST_TICKS;
    int64_t high = MOST_TICKS;
    bool has_events = false;

    for (uint32_t t = 0; t < p->n_locations; t++) {
        const uint32_t l = p->locations[t];
        const struct mpl_location *loc = &run->model->locations[l];

        if (loc->n_events == 0) {
            continue;
        }
        has_events = true;
        if (is_limited(loc, run->clock->low_ticks[l], run->clock->high_ticks[l])) {
            low = run->clock->low_ticks[l] > low ? run->clock->low_ticks[l] : low;
            high = run->clock->high_ticks[l] < high ? run->clock->high_ticks[l] : high;
        }
    }
    doubt->is_unlimited[process] = has_events && high == MOST_TICKS;
    if (high < MOST_TICKS) {
        doubt->low_ticks[process] = low;
        doubt->high_ticks[process] = high;
    }
    if (doubt->is_unlimited[process]) {
        doubt->unlimited = doubt->n_unlimited == 0 ? p->locations[0] : doubt->unlimited;
        doubt->n_unlimited++;
    }
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* How wrong clocks can be at most, beside one that is looked at. */
struct others {
    int64_t least_ticks; /* no clock of the run less */
    int64_t most_ticks;  /* no other one more */
};

/*
 * How wrong the clock at the other end of a call can be; as any other one where that may be anybody's: only a call
 * with nothing but one message between its begin and its end completes no send that was posted before, too.
 */
static int64_t other_error(const struct mpl_run *run, const struct mpl_clock_doubt *doubt,
                           uint32_t location, uint32_t call, const struct others *others)
{
    const uint32_t message = mpl_events_sole_message(run->events, location, call);

    if (message == MPL_NONE) {
        return others->most_ticks;
    }
    const struct mpl_end end = mpl_match_partner(run->match, location, message);

    return end.message == MPL_NONE ? others->most_ticks : doubt->error_ticks[end.location];
}

/* All locations, each on its own. */
struct measure {
    const struct mpl_run *run;
    const struct mpl_clock_doubt *doubt;
    int64_t least_ticks;        /* no clock of the run is more wrong than this … */
    int64_t second_ticks;       /* … and none but the worst one than that */
    struct change *change;      /* per location */
    struct mpl_contests *races; /* per thread */
};

/* What clocks change at most on a location. */
struct change {
    int64_t less_ticks;
    int64_t more_ticks;
    double ends_s;
    double jumps_s;
};

/* One walk over the calls, which are many. */
static void measure_calls(const struct measure *m, uint32_t location,
                          struct mpl_contests *races, struct change *change)
{
    const struct mpl_run *run = m->run;
    const int64_t own = m->doubt->error_ticks[location];
    const struct others others = { .least_ticks = m->least_ticks,
                                   .most_ticks = own == m->doubt->most_ticks
                                                     ? m->second_ticks
                                                     : m->doubt->most_ticks };
    const int64_t at_least = own + least(others.least_ticks, others.most_ticks);
    const uint32_t n = mpl_events_span_count(run->events, location);
    int64_t less = 0;
    int64_t more = 0;
    int64_t jumps = 0;

    for (uint32_t k = 1; k < n; k += 2) {
        const int64_t wait = mpl_events_wait_ticks(run->events, location, k);
        const int64_t ticks = mpl_events_duration_ticks(run->events, location, k);
        const int64_t rest = ticks - wait;

        if (wait > 0) {
            mpl_contests_add_call(races, location, k / 2, wait);
        }
        /* A shorter one cannot jump farther than is counted for it anyway. */
        if (ticks > own + m->doubt->most_ticks) {
            jumps += mpl_doubt_late_receivers(run, m->doubt, location, k / 2);
        }
        /* Of a call that is shorter than any error it does not matter who is at its other end. */
        if (wait <= at_least && rest <= at_least) {
            less += wait;
            more += rest;
            continue;
        }
        const int64_t error = own + other_error(run, m->doubt, location, k / 2, &others);

        less += least(wait, error);
        more += least(rest, error);
    }
    change->less_ticks = less;
    change->more_ticks = more;
    change->ends_s = ENDS * mpl_model_seconds(run->model, own + others.most_ticks);
    change->jumps_s = mpl_model_seconds(run->model, jumps);
}

static enum mpl_status measure_location(void *context, size_t l, unsigned worker,
                                        struct mpl_err *err)
{
    const struct measure *m = context;

    (void) err;
    measure_calls(m, (uint32_t) l, &m->races[worker], &m->change[l]);
    return MPL_OK;
}

static bool make_room(struct measure *m, unsigned n_threads, struct mpl_arena *scratch)
{
    const uint32_t n = m->run->model->n_locations;

    m->change = MPL_NEW_ARRAY(scratch, n, struct change);
    m->races = MPL_NEW_ARRAY(scratch, n_threads, struct mpl_contests);
    for (unsigned t = 0; t < n_threads && m->races != NULL; t++) {
        m->races[t] =
            mpl_contests_make(m->run, m->doubt, MPL_NEW_ARRAY(scratch, n, int64_t));
    }
    return !mpl_arena_is_short(scratch);
}

/* False when out of memory. Sums of ticks are the same whichever thread has which location. */
static bool end_races(struct measure *m, unsigned n_threads, double *blame_s)
{
    const uint32_t n = m->run->model->n_locations;
    bool has_no_memory = false;

    for (unsigned t = 0; t < n_threads; t++) {
        mpl_contests_run(&m->races[t]);
        has_no_memory |= m->races[t].has_no_memory;
        mpl_contests_free(&m->races[t]);
    }
    for (uint32_t l = 0; l < n; l++) {
        int64_t ticks = 0;

        for (unsigned t = 0; t < n_threads; t++) {
            ticks = mpl_ticks_plus(ticks, m->races[t].blame_ticks[l]);
        }
        blame_s[l] += mpl_model_seconds(m->run->model, ticks);
    }
    return !has_no_memory;
}

static void add_changes(const struct measure *m, struct mpl_clock_doubt *doubt)
{
    const struct mpl_model *model = m->run->model;
    double jumps_s = mpl_doubt_idle_givers_s(m->run);

    for (uint32_t l = 0; l < model->n_locations; l++) {
        const struct change *change = &m->change[l];

        doubt->less_s += mpl_model_seconds(model, change->less_ticks) + change->ends_s;
        doubt->more_s += mpl_model_seconds(model, change->more_ticks) + change->ends_s;
        jumps_s += change->jumps_s;
    }
    doubt->less_s += jumps_s;
    doubt->more_s += jumps_s;
}

static enum mpl_status measure_locations(struct measure *m, struct mpl_arena *scratch,
                                         struct mpl_clock_doubt *doubt, struct mpl_err *err)
{
    const struct mpl_parallel job = { .n_tasks = m->run->model->n_locations,
                                      .max_threads = mpl_threads(),
                                      .run = measure_location,
                                      .context = m };

    if (scratch == NULL || !make_room(m, job.max_threads, scratch) ||
        !mpl_doubt_contest_collectives(m->run, doubt)) {
        return mpl_nomem(err);
    }
    enum mpl_status st = mpl_parallel_run(&job, err);

    if (!end_races(m, job.max_threads, doubt->blame_s) && st == MPL_OK) {
        st = mpl_nomem(err);
    }
    if (st == MPL_OK) {
        add_changes(m, doubt);
    }
    return st;
}

static enum mpl_status measure_all(const struct mpl_run *run, struct mpl_clock_doubt *doubt,
                                   struct mpl_err *err)
{
    struct measure m = { .run = run, .doubt = doubt, .least_ticks = INT64_MAX };
    int64_t most = 0;

    for (uint32_t l = 0; l < run->model->n_locations; l++) {
        const uint32_t p = run->model->locations[l].process;
        const int64_t error = doubt->high_ticks[p] > -doubt->low_ticks[p]
                                  ? doubt->high_ticks[p]
                                  : -doubt->low_ticks[p];

        doubt->error_ticks[l] = error;
        m.least_ticks = least(error, m.least_ticks);
        if (error >= most) {
            m.second_ticks = most;
            most = error;
        } else if (error > m.second_ticks) {
            m.second_ticks = error;
        }
    }
    doubt->most_ticks = most;
    doubt->is_none = most == 0 && doubt->n_unlimited == 0;
    if (most == 0) {
        return MPL_OK;
    }
    struct mpl_arena *scratch = mpl_arena_create();
    const enum mpl_status st = measure_locations(&m, scratch, doubt, err);

    mpl_arena_destroy(scratch);
    return st;
}

enum mpl_status mpl_doubt_create(const struct mpl_run *run, struct mpl_arena *arena,
                                 struct mpl_clock_doubt *out, struct mpl_err *err)
{
    const uint32_t n = run->model->n_processes;
    struct mpl_clock_doubt doubt = {
        .unlimited = MPL_NONE,
        .low_ticks = MPL_NEW_ARRAY(arena, n, int64_t),
        .high_ticks = MPL_NEW_ARRAY(arena, n, int64_t),
        .is_unlimited = MPL_NEW_ARRAY(arena, n, bool),
        .error_ticks = MPL_NEW_ARRAY(arena, run->model->n_locations, int64_t),
        .blame_s = MPL_NEW_ARRAY(arena, run->model->n_locations, double),
    };

    if (doubt.low_ticks == NULL || doubt.high_ticks == NULL || doubt.is_unlimited == NULL ||
        doubt.error_ticks == NULL || doubt.blame_s == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t p = 0; p < n && run->clock->source != MPL_CLOCK_SINGLE; p++) {
        take_limits(run, p, &doubt);
    }
    const enum mpl_status st = measure_all(run, &doubt, err);
    if (st == MPL_OK) {
        *out = doubt;
    }
    return st;
}
