/*
 * How evenly the steps of a run are loaded, and whether the same processes are heavy in each.
 *
 * Three illnesses look alike in the sum of all waiting and need different remedies: one process
 * that computes longer in every step, work that moves or grows, and interruptions that strike
 * anybody. They are distinguished by what is left when the steps of each process are added up (all, little,
 * nothing), and by the correlation of neighbouring steps.
 *
 * Who computes next to nothing in the steps, such as a server that the others ask, is not compared: beside
 * it all the others would be heavy.
 *
 * Example: with two processes that compute 3 and 1 in one step, 1 and 3 in the next, each step costs
 * 2 * (3 - 2) = 2, together 4; both computed 4 in all, so nothing of it is kept.
 */
#include "config.h"

#include "events/steps_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A compared process in the order of its computation in a step. */
struct place {
    int64_t ticks;
    uint32_t number; /* among those that are compared */
};

/* One step, in ticks. */
struct step {
    double mean;
    double most;
    uint32_t heaviest; /* process; MPL_NONE where all compute equally long */
};

struct summary {
    struct mpl_steps *steps;
    double seconds;      /* per tick */
    const uint32_t *who; /* processes that are compared */
    uint32_t n;
    struct step *all;
    struct place *places;
    /* Twice the rank of each of them in the last step and in this one: ties have half ranks. */
    int64_t *ranks[2];
};

/* ---- what was computed in each step ---------------------------------------------------------- */

/* Everything between two calls of a location that communicates is computation. */
static void fill_process(const struct mpl_events *events, const struct mpl_marks *marks,
                         uint32_t process, int64_t *ticks)
{
    const struct mpl_step_marks *m = &marks->processes[process];

    for (uint32_t k = 0; k < marks->n; k++) {
        ticks[(size_t) k * events->model->n_processes + process] =
            mpl_ticks_between_calls(events, m->location, m->calls[k], m->calls[k + 1]);
    }
}

/* ---- one step ------------------------------------------------------------------------------------ */

/* \p ticks: per process. */
static struct step step_of(const struct summary *s, const int64_t *ticks)
{
    struct step step = { .heaviest = s->who[0] };
    int64_t least = ticks[s->who[0]];
    double sum = 0;

    for (uint32_t i = 0; i < s->n; i++) {
        const uint32_t p = s->who[i];

        sum += (double) ticks[p];
        least = ticks[p] < least ? ticks[p] : least;
        step.heaviest = ticks[p] > ticks[step.heaviest] ? p : step.heaviest;
    }
    step.mean = sum / s->n;
    step.most = (double) ticks[step.heaviest];
    if (ticks[step.heaviest] == least) {
        step.heaviest = MPL_NONE;
    }
    return step;
}

static int by_ticks(const void *x, const void *y)
{
    const struct place *a = x;
    const struct place *b = y;

    if (a->ticks != b->ticks) {
        return a->ticks < b->ticks ? -1 : 1;
    }
    return (a->number > b->number) - (a->number < b->number);
}

/* Share of what the longest is above the mean; what differs by less is equal. Processes that compute as
 * long have an order all the same, by microseconds, and often the same one in each step. */
static const double negligible = 1 / 20.0;

/* Equals share the mean of their ranks: first + last of them is twice that. */
static void rank_processes(const struct summary *s, const int64_t *ticks, double tolerance,
                           int64_t *ranks)
{
    struct place *places = s->places;
    const uint32_t n = s->n;

    for (uint32_t i = 0; i < n; i++) {
        places[i] = (struct place){ ticks[s->who[i]], i };
    }
    mpl_sort_few(places, n, sizeof *places, by_ticks);
    for (uint32_t first = 0, last; first < n; first = last + 1) {
        last = first;
        while (last + 1 < n &&
               (double) (places[last + 1].ticks - places[first].ticks) <= tolerance) {
            last++;
        }
        for (uint32_t i = first; i <= last; i++) {
            ranks[places[i].number] = (int64_t) first + last;
        }
    }
}

/* NaN where all are equal in one of the steps. */
static double correlation(const int64_t *x, const int64_t *y, uint32_t n)
{
    const double mean = (double) n - 1; /* twice the mean rank, from 0 */
    double xx = 0;
    double yy = 0;
    double xy = 0;

    for (uint32_t p = 0; p < n; p++) {
        const double dx = (double) x[p] - mean;
        const double dy = (double) y[p] - mean;

        xx += dx * dx;
        yy += dy * dy;
        xy += dx * dy;
    }
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : NAN;
}

/* ---- all steps ------------------------------------------------------------------------------------ */

/* Mean imbalance of steps; NaN where nobody computes in any. */
static double imbalance(const struct step *steps, uint32_t n)
{
    double sum = 0;
    uint32_t n_computing = 0;

    for (uint32_t k = 0; k < n; k++) {
        if (steps[k].mean > 0) {
            sum += steps[k].most / steps[k].mean - 1;
            n_computing++;
        }
    }
    return n_computing == 0 ? NAN : sum / n_computing;
}

static double mean_excess(const struct step *steps, uint32_t n)
{
    double sum = 0;

    for (uint32_t k = 0; k < n; k++) {
        sum += steps[k].most - steps[k].mean;
    }
    return sum / n;
}

static void find_trend(struct summary *s)
{
    const uint32_t n = s->steps->n;
    const uint32_t quarter = n / 4;
    const struct step *last = s->all + n - quarter;

    s->steps->trend = imbalance(last, quarter) - imbalance(s->all, quarter);
    s->steps->slope_s = (mean_excess(last, quarter) - mean_excess(s->all, quarter)) /
                        (n - quarter) * s->seconds;
}

/* What a process computes at least that is compared, of what the median computes; and a step, of what the mean
 * step takes. */
static const double next_to_nothing = 0.1;

/* Between two operations that follow one another nobody computes: who is longest there says nothing. */
static bool is_empty(const struct summary *s, uint32_t k, double mean_most)
{
    return s->all[k].most < next_to_nothing * mean_most;
}

static void compare_neighbours(struct summary *s, double mean_most)
{
    const uint32_t n_processes = s->steps->n_processes;
    uint32_t before = MPL_NONE; /* the last step that is not empty */
    double sum = 0;
    uint32_t n = 0;
    uint32_t n_same = 0;
    uint32_t n_pairs = 0;

    for (uint32_t k = 0, turn = 0; k < s->steps->n; k++) {
        if (is_empty(s, k, mean_most)) {
            continue;
        }
        rank_processes(s, s->steps->compute_ticks + (size_t) k * n_processes,
                       negligible * (s->all[k].most - s->all[k].mean), s->ranks[turn]);
        turn = 1 - turn;
        if (before != MPL_NONE) {
            const bool both =
                s->all[k].heaviest != MPL_NONE && s->all[before].heaviest != MPL_NONE;
            const double r = correlation(s->ranks[0], s->ranks[1], s->n);

            n_pairs += both;
            n_same += both && s->all[k].heaviest == s->all[before].heaviest;
            sum += isnan(r) ? 0 : r;
            n += isnan(r) ? 0 : 1;
        }
        before = k;
    }
    s->steps->persistence = n == 0 ? NAN : sum / n;
    s->steps->heaviest_kept = n_pairs == 0 ? NAN : (double) n_same / n_pairs;
}

/*
 * Who was heaviest behind the heaviest process of this step the last time it was that, says who is next:
 * Cohen's kappa of this and what comes (Cohen 1960), 0 by chance and 1 where processes take strict turns or
 * work stays where it is. Where there has been no last time, it counts as wrong.
 */
static void compare_turns(struct summary *s, double mean_most, uint32_t *next)
{
    const double chance = 1.0 / s->n;
    uint32_t last = MPL_NONE;
    uint32_t n = 0;
    uint32_t n_right = 0;

    for (uint32_t k = 0; k < s->steps->n; k++) {
        const uint32_t now = s->all[k].heaviest;

        if (is_empty(s, k, mean_most)) {
            continue;
        }
        if (now != MPL_NONE && last != MPL_NONE) {
            n++;
            n_right += next[last] == now + 1;
            next[last] = now + 1;
        }
        last = now;
    }
    s->steps->heaviest_order =
        n == 0 || s->n < 2 ? NAN : fmax(0, ((double) n_right / n - chance) / (1 - chance));
}

static void add_costs(struct summary *s, struct mpl_step_load *loads)
{
    const uint32_t n_processes = s->steps->n_processes;
    double most = 0;
    double all = 0;

    for (uint32_t k = 0; k < s->steps->n; k++) {
        s->steps->cost_s += (s->all[k].most - s->all[k].mean) * s->n * s->seconds;
        if (s->all[k].heaviest != MPL_NONE) {
            loads[s->all[k].heaviest].heaviest_steps++;
        }
    }
    for (uint32_t i = 0; i < s->n; i++) {
        const uint32_t p = s->who[i];
        int64_t sum = 0;

        for (uint32_t k = 0; k < s->steps->n; k++) {
            const int64_t ticks = s->steps->compute_ticks[(size_t) k * n_processes + p];

            sum += ticks;
            loads[p].excess_s += fmax(0, (double) ticks - s->all[k].mean) * s->seconds;
        }
        most = fmax(most, (double) sum);
        all += (double) sum;
    }
    s->steps->kept_s = fmax(0, most * s->n - all) * s->seconds;
}

/* Where half of them are idle the median is, too, and all are compared. */
static bool find_compared(struct summary *s, struct mpl_arena *scratch)
{
    const uint32_t n = s->steps->n_processes;
    int64_t *sums = MPL_NEW_ARRAY(scratch, n, int64_t);
    int64_t *sorted = MPL_NEW_ARRAY(scratch, n, int64_t);
    uint32_t *who = MPL_NEW_ARRAY(scratch, n, uint32_t);

    if (sums == NULL || sorted == NULL || who == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < s->steps->n; k++) {
        for (uint32_t p = 0; p < n; p++) {
            sums[p] += s->steps->compute_ticks[(size_t) k * n + p];
        }
    }
    memcpy(sorted, sums, n * sizeof *sums);
    qsort(sorted, n, sizeof *sorted, mpl_compare_i64);
    for (uint32_t p = 0; p < n; p++) {
        if ((double) sums[p] >= next_to_nothing * (double) sorted[(n - 1) / 2]) {
            who[s->n++] = p;
        }
    }
    s->who = who;
    return true;
}

static bool summarise(struct summary *s, struct mpl_step_load *loads,
                      struct mpl_arena *scratch)
{
    const uint32_t n_processes = s->steps->n_processes;
    uint32_t *next = MPL_NEW_ARRAY(scratch, n_processes, uint32_t);
    double mean_most = 0;

    s->all = MPL_NEW_ARRAY(scratch, s->steps->n, struct step);
    s->places = MPL_NEW_ARRAY(scratch, n_processes, struct place);
    s->ranks[0] = MPL_NEW_ARRAY(scratch, n_processes, int64_t);
    s->ranks[1] = MPL_NEW_ARRAY(scratch, n_processes, int64_t);
    if (next == NULL || s->all == NULL || s->places == NULL || s->ranks[0] == NULL ||
        s->ranks[1] == NULL || !find_compared(s, scratch)) {
        return false;
    }
    for (uint32_t k = 0; k < s->steps->n; k++) {
        s->all[k] = step_of(s, s->steps->compute_ticks + (size_t) k * n_processes);
        mean_most += s->all[k].most / s->steps->n;
    }
    s->steps->imbalance = imbalance(s->all, s->steps->n);
    compare_neighbours(s, mean_most);
    compare_turns(s, mean_most, next);
    find_trend(s);
    add_costs(s, loads);
    return true;
}

/* ---- what lies around them ---------------------------------------------------------------------- */

static void add_to_phase(struct mpl_phase *phase, double duration_s, double compute_s)
{
    phase->duration_s += duration_s;
    phase->compute_s += compute_s;
    phase->longest_s = fmax(phase->longest_s, compute_s);
}

static double computed_until(const struct mpl_events *events, uint32_t location,
                             uint32_t call)
{
    int64_t ticks = 0;

    for (uint32_t c = 0; c <= call; c++) {
        const struct mpl_span span = mpl_events_span(events, location, 2 * c);

        ticks += span.class == MPL_SPAN_COMPUTE ? span.leave_ticks - span.enter_ticks : 0;
    }
    return mpl_model_seconds(events->model, ticks);
}

/* Of one process; what is neither before nor in the steps is behind them. */
static void add_process(const struct mpl_events *events, const struct mpl_step_marks *m,
                        uint32_t n_steps, double in_steps_s, struct mpl_phase *phases)
{
    const int64_t first = mpl_call_enter_ticks(events, m->location, m->calls[0]);
    const int64_t last = mpl_call_enter_ticks(events, m->location, m->calls[n_steps]);
    const double before_s = computed_until(events, m->location, m->calls[0]);
    const double all_s = mpl_events_totals(events, m->location)->class_s[MPL_SPAN_COMPUTE];

    add_to_phase(&phases[MPL_PHASE_BEFORE],
                 mpl_model_seconds(events->model, first - events->window_begin_ticks),
                 before_s);
    add_to_phase(&phases[MPL_PHASE_STEPS], mpl_model_seconds(events->model, last - first),
                 in_steps_s);
    add_to_phase(&phases[MPL_PHASE_AFTER],
                 mpl_model_seconds(events->model, events->window_end_ticks - last),
                 fmax(0, all_s - before_s - in_steps_s));
}

static void find_phases(const struct mpl_events *events, const struct mpl_marks *marks,
                        struct mpl_steps *steps)
{
    const uint32_t n_processes = events->model->n_processes;

    for (uint32_t p = 0; p < n_processes; p++) {
        int64_t ticks = 0;

        for (uint32_t k = 0; k < steps->n; k++) {
            ticks += steps->compute_ticks[(size_t) k * n_processes + p];
        }
        add_process(events, &marks->processes[p], steps->n,
                    mpl_model_seconds(events->model, ticks), steps->phases);
    }
    for (size_t i = 0; i < MPL_PHASES; i++) {
        steps->phases[i].duration_s /= n_processes;
        steps->phases[i].compute_s /= n_processes;
    }
}

/* ---- the whole ------------------------------------------------------------------------------------- */

static bool make_steps(const struct mpl_events *events, struct mpl_arena *arena,
                       struct mpl_arena *scratch, struct mpl_steps *steps)
{
    const uint32_t n_processes = events->model->n_processes;
    struct summary s = { .steps = steps,
                         .seconds = 1 / (double) events->model->ticks_per_s };
    struct mpl_marks marks;
    struct mpl_step_load *loads = MPL_NEW_ARRAY(arena, n_processes, struct mpl_step_load);
    uint32_t **calls = MPL_NEW_ARRAY(arena, n_processes, uint32_t *);
    int64_t *ticks;

    if (loads == NULL || calls == NULL || !mpl_marks_find(events, scratch, &marks)) {
        return false;
    }
    if (marks.n == 0) {
        return true;
    }
    ticks = MPL_NEW_ARRAY(arena, (size_t) marks.n * n_processes, int64_t);
    if (ticks == NULL) {
        return false;
    }
    for (uint32_t p = 0; p < n_processes; p++) {
        loads[p].location = marks.processes[p].location;
        fill_process(events, &marks, p, ticks);
        /* There is much else in the scratch. */
        calls[p] = MPL_NEW_UNSET(arena, (size_t) marks.n + 1, uint32_t);
        if (calls[p] == NULL) {
            return false;
        }
        memcpy(calls[p], marks.processes[p].calls,
               ((size_t) marks.n + 1) * sizeof *calls[p]);
    }
    steps->calls = (const uint32_t *const *) calls;
    steps->n = marks.n;
    steps->is_collective = marks.is_collective;
    steps->n_processes = n_processes;
    steps->compute_ticks = ticks;
    steps->loads = loads;
    find_phases(events, &marks, steps);
    return summarise(&s, loads, scratch) &&
           mpl_step_waits_find(events, s.who, s.n, steps, scratch);
}

enum mpl_status mpl_events_steps(const struct mpl_events *events, struct mpl_arena *arena,
                                 const struct mpl_steps **out, struct mpl_err *err)
{
    struct mpl_arena *scratch = mpl_arena_create();
    struct mpl_steps *steps = MPL_NEW(arena, struct mpl_steps);
    const bool is_enough =
        scratch != NULL && steps != NULL && make_steps(events, arena, scratch, steps);

    mpl_arena_destroy(scratch);
    if (!is_enough) {
        return mpl_nomem(err);
    }
    *out = steps;
    return MPL_OK;
}
