/*
 * How many processes compute at the same time. Where processes share a few cores and give them away as soon
 * as they wait, no call takes long for want of a core, but never more of them compute than there are cores:
 * of 8 processes on two cores, 2 compute for 73 % of the time and 3 never do (lulesh-np8). Dependences
 * limit that, too, but then it is always the same processes that compute together, such as stages side by side
 * or every other subdomain; a scheduler brings together any two.
 */
#include "config.h"

#include "events/events_priv.h"

#include <stdlib.h>
#include <string.h>

/* More would take too much memory for what it tells. */
enum { MOST_CALLS = 2000000, MOST_PROCESSES = 256 };
/* Share of the time that may be beyond the limit: clocks are off by a little. */
static const double beyond = 0.02;
/* Two processes compute together if they do so for this share of what any two do on average. */
static const double together = 0.25;

struct turn {
    int64_t ticks;
    uint32_t process;
    bool begins; /* to compute */
};

struct crowd_walk {
    const struct mpl_events *events;
    struct turn *turns;
    size_t n;
    uint32_t n_processes;
    bool *is_computing;
    double *times; /* by the number that compute */
    double *pairs; /* [process * n_processes + other], other below process */
    double all_ticks;
    uint32_t most; /* that may compute, for pairs */
};

static int by_time(const void *x, const void *y)
{
    const struct turn *a = x;
    const struct turn *b = y;

    return a->ticks != b->ticks ? (a->ticks < b->ticks ? -1 : 1)
                                : (int) a->begins - (int) b->begins;
}

/* Computation between two calls that touch is nothing. */
static void add_stretch(struct crowd_walk *w, uint32_t process, int64_t from, int64_t to)
{
    if (from < to) {
        w->turns[w->n++] = (struct turn){ from, process, true };
        w->turns[w->n++] = (struct turn){ to, process, false };
    }
}

static void gather(struct crowd_walk *w)
{
    for (uint32_t p = 0; p < w->n_processes; p++) {
        const uint32_t l = w->events->model->processes[p].locations[0];
        const struct mpl_location *loc = &w->events->model->locations[l];
        int64_t since = loc->n_events > 0 ? loc->time_ticks[0] : 0;

        for (uint32_t k = 0; k < w->events->lanes[l].n_calls; k++) {
            add_stretch(w, p, since, mpl_events_enter_ticks(w->events, l, 2 * k + 1));
            since = mpl_events_leave_ticks(w->events, l, 2 * k + 1);
        }
        if (loc->n_events > 0) {
            add_stretch(w, p, since, loc->time_ticks[loc->n_events - 1]);
        }
    }
    qsort(w->turns, w->n, sizeof *w->turns, by_time);
}

static void add_pairs(struct crowd_walk *w, double ticks)
{
    for (uint32_t p = 0; p < w->n_processes; p++) {
        for (uint32_t q = 0; q < p && w->is_computing[p]; q++) {
            w->pairs[(size_t) p * w->n_processes + q] += w->is_computing[q] ? ticks : 0;
        }
    }
}

/* Adds up for how long how many compute or, where that is known, which two do. */
static void walk(struct crowd_walk *w)
{
    uint32_t n = 0;

    memset(w->is_computing, 0, w->n_processes * sizeof *w->is_computing);
    for (size_t i = 0; i + 1 < w->n; i++) {
        const struct turn *t = &w->turns[i];
        const double ticks = (double) (w->turns[i + 1].ticks - t->ticks);

        n = t->begins ? n + 1 : n - 1;
        w->is_computing[t->process] = t->begins;
        if (t->ticks < w->events->window_begin_ticks ||
            w->turns[i + 1].ticks > w->events->window_end_ticks) {
            continue;
        }
        if (w->most == 0) {
            w->times[n] += ticks;
            w->all_ticks += ticks;
        } else if (n > 1 && n <= w->most) {
            add_pairs(w, ticks);
        }
    }
}

/* The number beyond which there is next to nothing. */
static uint32_t limit_of(const struct crowd_walk *w)
{
    double rest = 0;
    uint32_t n = w->n_processes;

    while (n > 0 && rest + w->times[n] <= beyond * w->all_ticks) {
        rest += w->times[n--];
    }
    return n;
}

static double share_of_pairs(const struct crowd_walk *w)
{
    const size_t n = (size_t) w->n_processes * (w->n_processes - 1) / 2;
    double sum = 0;
    size_t n_together = 0;

    for (size_t i = 0; i < (size_t) w->n_processes * w->n_processes; i++) {
        sum += w->pairs[i];
    }
    for (size_t i = 0; i < (size_t) w->n_processes * w->n_processes; i++) {
        n_together += w->pairs[i] > together * sum / (double) n;
    }
    return (double) n_together / (double) n;
}

static bool can_tell(const struct mpl_events *events)
{
    const struct mpl_model *model = events->model;
    uint64_t n_calls = 0;

    for (uint32_t p = 0; p < model->n_processes; p++) {
        if (model->processes[p].n_locations != 1) {
            return false;
        }
        n_calls += events->lanes[model->processes[p].locations[0]].n_calls;
    }
    return model->n_processes > 1 && model->n_processes <= MOST_PROCESSES && n_calls > 0 &&
           n_calls <= MOST_CALLS;
}

bool mpl_events_crowd(const struct mpl_events *events, struct mpl_crowd *out)
{
    struct mpl_arena *scratch = mpl_arena_create();
    const uint32_t n = events->model->n_processes;
    struct crowd_walk w = { .events = events, .n_processes = n };
    size_t n_calls = 0;
    bool is_known = scratch != NULL && can_tell(events);

    if (is_known) {
        for (uint32_t l = 0; l < events->model->n_locations; l++) {
            n_calls += events->lanes[l].n_calls;
        }
        w.turns = MPL_NEW_ARRAY(scratch, 2 * (n_calls + n), struct turn);
        w.is_computing = MPL_NEW_ARRAY(scratch, n, bool);
        w.times = MPL_NEW_ARRAY(scratch, n + 1, double);
        w.pairs = MPL_NEW_ARRAY(scratch, (size_t) n * n, double);
        is_known =
            w.turns != NULL && w.is_computing != NULL && w.times != NULL && w.pairs != NULL;
    }
    if (is_known) {
        gather(&w);
        walk(&w);
        w.most = limit_of(&w);
        is_known = w.most > 0 && w.all_ticks > 0;
    }
    if (is_known) {
        walk(&w);
        *out = (struct mpl_crowd){ .most = w.most,
                                   .share = w.times[w.most] / w.all_ticks,
                                   .alone = w.times[1] / w.all_ticks,
                                   .pairs = share_of_pairs(&w) };
    }
    mpl_arena_destroy(scratch);
    return is_known;
}
