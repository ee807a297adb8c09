/*
 * How many processes compute at the same time. Where processes share a few cores and give them away as soon
 * as they wait, no call takes long for want of a core, but never more of them compute than there are cores:
 * of 8 processes on two cores, 2 compute for 73 % of the time and 3 never do (lulesh-np8). Dependences
 * limit that, too, but then it is always the same processes that compute together, such as stages side by side
 * or every other subdomain; a scheduler brings together any two.
 */
#include "config.h"

#include "events/events_priv.h"

#include <string.h>

/* More would take too long for what it shows. */
enum { MOST_CALLS = 2000000, MOST_PROCESSES = 256 };
/* Share of the time that may be beyond the limit: clocks are off by a little. */
static const double beyond = 0.02;
/* Two processes compute together if they do so for this share of what any two do on average. */
static const double together = 0.25;

/* A process while its calls are passed: the stretch of computation at hand. */
struct computing {
    uint32_t location;
    uint32_t n_calls;
    uint32_t call;         /* the first behind the stretch; above n_calls: none follows */
    uint32_t place;        /* among those that compute; valid if is_on */
    bool is_on;            /* computes: the stretch has begun */
    int64_t since_ticks;   /* from here on it may compute next */
    int64_t end_ticks;     /* of the stretch */
    int64_t counted_ticks; /* what counted for pairs when it began */
};

/* When a process begins to compute or, if it does, ends. */
struct turn {
    int64_t ticks;
    uint32_t process;
};

struct crowd_walk {
    const struct mpl_events *events;
    struct computing *processes;
    struct turn *order; /* heap of those that have a turn left: the next one first */
    uint32_t n_order;
    uint32_t *on; /* processes that compute */
    uint32_t n_on;
    uint32_t n_processes;
    double *times;  /* by the number that compute */
    int64_t *pairs; /* [process * n_processes + other]; see join_pairs() */
    double all_ticks;
    uint32_t most;         /* that may compute, for pairs */
    int64_t counted_ticks; /* for pairs: while two compute, and no more than may */
};

/* ---- turns in the order of time ---------------------------------------------------------------- */

/* Up to the next call, or behind the last one to the end. */
static void reach_next(const struct crowd_walk *w, struct computing *c)
{
    const uint32_t l = c->location;

    if (c->call == c->n_calls) {
        const struct mpl_location *loc = &w->events->model->locations[l];

        c->end_ticks = mpl_ticks_of(loc, loc->n_events - 1);
    } else {
        const int64_t enter = mpl_call_enter_ticks(w->events, l, c->call);

        /* Start-up may begin before its record. */
        c->end_ticks = c->call == 0 ? mpl_events_enter_ticks(w->events, l, 1) : enter;
        c->since_ticks = enter + mpl_call_duration_ticks(&w->events->lanes[l], c->call);
    }
    c->call++;
}

/* Computation between two calls that touch is nothing. False behind the last stretch. */
static bool find_stretch(const struct crowd_walk *w, struct computing *c, int64_t *begin)
{
    while (c->call <= c->n_calls) {
        *begin = c->since_ticks;
        reach_next(w, c);
        if (*begin < c->end_ticks) {
            return true;
        }
    }
    return false;
}

/* Of turns at the same time any may be first: nothing lasts between them. */
static void sift_down(struct crowd_walk *w, uint32_t at)
{
    const struct turn turn = w->order[at];

    for (uint32_t child = 2 * at + 1; child < w->n_order; child = 2 * at + 1) {
        child +=
            child + 1 < w->n_order && w->order[child + 1].ticks < w->order[child].ticks;
        if (turn.ticks <= w->order[child].ticks) {
            break;
        }
        w->order[at] = w->order[child];
        at = child;
    }
    w->order[at] = turn;
}

static void start(struct crowd_walk *w)
{
    w->n_order = 0;
    w->n_on = 0;
    for (uint32_t p = 0; p < w->n_processes; p++) {
        struct computing *c = &w->processes[p];
        struct turn *turn = &w->order[w->n_order];
        const uint32_t l = w->events->model->processes[p].locations[0];
        const struct mpl_location *loc = &w->events->model->locations[l];

        *c = (struct computing){ .location = l, .n_calls = w->events->lanes[l].n_calls };
        if (loc->n_events > 0) {
            c->since_ticks = mpl_ticks_of(loc, 0);
        } else {
            c->call = c->n_calls + 1;
        }
        turn->process = p;
        w->n_order += find_stretch(w, c, &turn->ticks);
    }
    for (uint32_t i = w->n_order / 2; i-- > 0;) {
        sift_down(w, i);
    }
}

/* ---- what passes between them ------------------------------------------------------------------ */

static void begin(struct crowd_walk *w, struct turn *turn)
{
    struct computing *c = &w->processes[turn->process];

    c->is_on = true;
    c->counted_ticks = w->counted_ticks;
    c->place = w->n_on;
    w->on[w->n_on++] = turn->process;
    turn->ticks = c->end_ticks;
}

/* The time that it computed together with another began when the later of the two did. */
static void add_pairs(struct crowd_walk *w, uint32_t process)
{
    const struct computing *processes = w->processes;
    const int64_t own_ticks = processes[process].counted_ticks;
    const int64_t now_ticks = w->counted_ticks;
    int64_t *pairs = &w->pairs[(size_t) process * w->n_processes];

    for (uint32_t i = 0; i < w->n_on; i++) {
        const uint32_t other = w->on[i];
        const int64_t ticks = processes[other].counted_ticks;

        pairs[other] += now_ticks - (ticks > own_ticks ? ticks : own_ticks);
    }
}

/* A pair has had its time at the process that ended first: now at the higher one. */
static void join_pairs(struct crowd_walk *w)
{
    const size_t n = w->n_processes;

    for (size_t high = 1; high < n; high++) {
        for (size_t low = 0; low < high; low++) {
            w->pairs[high * n + low] += w->pairs[low * n + high];
            w->pairs[low * n + high] = 0;
        }
    }
}

/* False where it has no further stretch. */
static bool end(struct crowd_walk *w, struct turn *turn)
{
    struct computing *c = &w->processes[turn->process];
    const uint32_t last = w->on[--w->n_on];

    w->on[c->place] = last;
    w->processes[last].place = c->place;
    if (w->most > 0) {
        add_pairs(w, turn->process);
    }
    c->is_on = false;
    return find_stretch(w, c, &turn->ticks);
}

static void pass(struct crowd_walk *w, int64_t from_ticks, int64_t to_ticks)
{
    if (from_ticks < w->events->window_begin_ticks ||
        to_ticks > w->events->window_end_ticks) {
        return;
    }
    if (w->most == 0) {
        w->times[w->n_on] += (double) (to_ticks - from_ticks);
        w->all_ticks += (double) (to_ticks - from_ticks);
    } else if (w->n_on > 1 && w->n_on <= w->most) {
        w->counted_ticks += to_ticks - from_ticks;
    }
}

/*
 * Adds up for how long how many compute or, where that is known, which two do. Turns are merged from the
 * processes, which have them in order: to sort them all took 16 bytes each and most of the time.
 */
static void walk(struct crowd_walk *w)
{
    start(w);
    while (w->n_order > 0) {
        struct turn *turn = &w->order[0];
        const int64_t ticks = turn->ticks;

        if (!w->processes[turn->process].is_on) {
            begin(w, turn);
        } else if (!end(w, turn)) {
            *turn = w->order[--w->n_order];
        }
        if (w->n_order > 0) {
            sift_down(w, 0);
            pass(w, ticks, w->order[0].ticks);
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
        sum += (double) w->pairs[i];
    }
    for (size_t i = 0; i < (size_t) w->n_processes * w->n_processes; i++) {
        n_together += (double) w->pairs[i] > together * sum / (double) n;
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

static bool prepare(struct crowd_walk *w, struct mpl_arena *scratch)
{
    const uint32_t n = w->n_processes;

    w->processes = MPL_NEW_ARRAY(scratch, n, struct computing);
    w->order = MPL_NEW_ARRAY(scratch, n, struct turn);
    w->on = MPL_NEW_ARRAY(scratch, n, uint32_t);
    w->times = MPL_NEW_ARRAY(scratch, n + 1, double);
    w->pairs = MPL_NEW_ARRAY(scratch, (size_t) n * n, int64_t);
    return w->processes != NULL && w->order != NULL && w->on != NULL && w->times != NULL &&
           w->pairs != NULL;
}

bool mpl_events_crowd(const struct mpl_events *events, struct mpl_crowd *out)
{
    struct mpl_arena *scratch = mpl_arena_create();
    struct crowd_walk w = { .events = events, .n_processes = events->model->n_processes };
    bool is_known = scratch != NULL && can_tell(events) && prepare(&w, scratch);

    if (is_known) {
        walk(&w);
        w.most = limit_of(&w);
        is_known = w.most > 0 && w.all_ticks > 0;
    }
    if (is_known) {
        walk(&w);
        join_pairs(&w);
        *out = (struct mpl_crowd){ .most = w.most,
                                   .share = w.times[w.most] / w.all_ticks,
                                   .alone = w.times[1] / w.all_ticks,
                                   .pairs = share_of_pairs(&w) };
    }
    mpl_arena_destroy(scratch);
    return is_known;
}
