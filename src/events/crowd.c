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

/* More would take too long for what it shows. Each part of the window has counts of its own. */
enum { MOST_CALLS = 2000000, MOST_PROCESSES = 256, MOST_PARTS = 8 };
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
    int64_t end_ticks;     /* of the stretch, or of the part of the window */
    int64_t counted_ticks; /* what counted for pairs when it began */
};

/* When a process begins to compute or, if it does, ends. */
struct turn {
    int64_t ticks;
    uint32_t process;
};

/* The walk through a part of the window. */
struct crowd_walk {
    const struct mpl_events *events;
    struct mpl_arena *
        arena; /* its own: lines of the cache that threads share would take most of the time */
    int64_t begin_ticks;
    int64_t end_ticks;
    struct computing *processes;
    struct turn *order; /* heap of those that have a turn left: the next one first */
    uint32_t n_order;
    uint32_t *on; /* processes that compute */
    uint32_t n_on;
    uint32_t n_processes;
    int64_t *times;        /* by the number that compute */
    int64_t *pairs;        /* [process * n_processes + other]; see join_pairs() */
    uint32_t most;         /* that may compute, for pairs */
    int64_t counted_ticks; /* for pairs: while two compute, and no more than may */
};

struct crowd {
    const struct mpl_events *events;
    struct crowd_walk parts[MOST_PARTS]; /* the first one has the sums of all */
    unsigned n_parts;
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

/* The next stretch, as far as it lies in the part. Computation between two calls that touch is nothing. False behind the last stretch. */
static bool find_stretch(const struct crowd_walk *w, struct computing *c, int64_t *begin)
{
    while (c->call <= c->n_calls && c->since_ticks < w->end_ticks) {
        *begin = c->since_ticks > w->begin_ticks ? c->since_ticks : w->begin_ticks;
        reach_next(w, c);
        if (c->end_ticks > w->end_ticks) {
            c->end_ticks = w->end_ticks;
        }
        if (*begin < c->end_ticks) {
            return true;
        }
    }
    return false;
}

/* The first call behind the begin of the part. */
static uint32_t find_call(const struct crowd_walk *w, const struct computing *c)
{
    uint32_t low = 0;
    uint32_t high = c->n_calls;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (mpl_call_enter_ticks(w->events, c->location, middle) > w->begin_ticks) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

static void start_process(const struct crowd_walk *w, struct computing *c,
                          uint32_t location)
{
    const struct mpl_location *loc = &w->events->model->locations[location];
    const struct mpl_lane *lane = &w->events->lanes[location];

    *c = (struct computing){ .location = location, .n_calls = lane->n_calls };
    if (loc->n_events == 0) {
        c->call = c->n_calls + 1;
        return;
    }
    c->call = find_call(w, c);
    c->since_ticks = c->call == 0 ? mpl_ticks_of(loc, 0)
                                  : mpl_call_enter_ticks(w->events, location, c->call - 1) +
                                        mpl_call_duration_ticks(lane, c->call - 1);
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
        struct turn *turn = &w->order[w->n_order];

        start_process(w, &w->processes[p], w->events->model->processes[p].locations[0]);
        turn->process = p;
        w->n_order += find_stretch(w, &w->processes[p], &turn->ticks);
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

static void pass(struct crowd_walk *w, int64_t ticks)
{
    if (w->most == 0) {
        w->times[w->n_on] += ticks;
    } else if (w->n_on > 1 && w->n_on <= w->most) {
        w->counted_ticks += ticks;
    }
}

/*
 * Adds up for how long how many compute or, where that is known, which two do. Turns are merged from the
 * processes, which have them in order: to sort them all took 16 bytes each and most of the time.
 */
static void walk(struct crowd_walk *w)
{
    int64_t ticks = w->begin_ticks;

    start(w);
    while (w->n_order > 0) {
        struct turn *turn = &w->order[0];

        pass(w, turn->ticks - ticks);
        ticks = turn->ticks;
        if (!w->processes[turn->process].is_on) {
            begin(w, turn);
        } else if (!end(w, turn)) {
            *turn = w->order[--w->n_order];
        }
        if (w->n_order > 0) {
            sift_down(w, 0);
        }
    }
    pass(w, w->end_ticks - ticks);
}

/* On the thread's own stack: side by side, two parts would share lines of the cache, and wait for each other. */
static enum mpl_status walk_part(void *context, size_t part, unsigned worker,
                                 struct mpl_err *err)
{
    struct crowd *c = context;
    struct crowd_walk w = c->parts[part];

    (void) worker;
    (void) err;
    walk(&w);
    c->parts[part] = w;
    return MPL_OK;
}

static void walk_all(struct crowd *c)
{
    const struct mpl_parallel job = {
        .n_tasks = c->n_parts, .max_threads = c->n_parts, .run = walk_part, .context = c
    };

    (void) mpl_parallel_run(&job, NULL);
}

/* Whole ticks: the sum does not depend on where parts end. */
static void add_to(int64_t *sum, const int64_t *ticks, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        sum[i] += ticks[i];
    }
}

static double sum_of(const int64_t *ticks, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++) {
        sum += (double) ticks[i];
    }
    return sum;
}

/* The number beyond which there is next to nothing. */
static uint32_t limit_of(const struct crowd_walk *w)
{
    const double most = beyond * sum_of(w->times, (size_t) w->n_processes + 1);
    uint32_t n = w->n_processes;

    for (int64_t rest = 0; n > 0 && (double) (rest + w->times[n]) <= most; n--) {
        rest += w->times[n];
    }
    return n;
}

static double share_of_pairs(const struct crowd_walk *w)
{
    const size_t n = (size_t) w->n_processes * (w->n_processes - 1) / 2;
    const size_t n_all = (size_t) w->n_processes * w->n_processes;
    const double mean = sum_of(w->pairs, n_all) / (double) n;
    size_t n_together = 0;

    for (size_t i = 0; i < n_all; i++) {
        n_together += (double) w->pairs[i] > together * mean;
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

static bool prepare_part(const struct crowd *c, unsigned part, struct crowd_walk *w)
{
    const struct mpl_events *e = c->events;
    const uint32_t n = e->model->n_processes;
    const int64_t step = (e->window_end_ticks - e->window_begin_ticks) / c->n_parts;
    const int64_t begin_ticks = e->window_begin_ticks + part * step;
    struct mpl_arena *arena = mpl_arena_create();

    *w = (struct crowd_walk){
        .events = e,
        .arena = arena,
        .begin_ticks = begin_ticks,
        .end_ticks = part + 1 == c->n_parts ? e->window_end_ticks : begin_ticks + step,
        .n_processes = n,
    };
    if (arena == NULL) {
        return false;
    }
    w->processes = MPL_NEW_ARRAY(arena, n, struct computing);
    w->order = MPL_NEW_ARRAY(arena, n, struct turn);
    w->on = MPL_NEW_ARRAY(arena, n, uint32_t);
    w->times = MPL_NEW_ARRAY(arena, n + 1, int64_t);
    w->pairs = MPL_NEW_ARRAY(arena, (size_t) n * n, int64_t);
    return w->processes != NULL && w->order != NULL && w->on != NULL && w->times != NULL &&
           w->pairs != NULL;
}

static bool prepare(struct crowd *c)
{
    bool is_enough = true;

    c->n_parts = mpl_threads() < MOST_PARTS ? mpl_threads() : MOST_PARTS;
    for (unsigned i = 0; i < c->n_parts && is_enough; i++) {
        is_enough = prepare_part(c, i, &c->parts[i]);
    }
    return is_enough;
}

static bool measure(struct crowd *c, struct mpl_crowd *out)
{
    struct crowd_walk *w = &c->parts[0];
    const size_t n = w->n_processes;

    walk_all(c);
    for (unsigned i = 1; i < c->n_parts; i++) {
        add_to(w->times, c->parts[i].times, n + 1);
    }

    const uint32_t most = limit_of(w);
    const double all_ticks = sum_of(w->times, n + 1);

    if (most == 0 || all_ticks <= 0) {
        return false;
    }
    for (unsigned i = 0; i < c->n_parts; i++) {
        c->parts[i].most = most;
    }
    walk_all(c);
    for (unsigned i = 1; i < c->n_parts; i++) {
        add_to(w->pairs, c->parts[i].pairs, n * n);
    }
    join_pairs(w);
    *out = (struct mpl_crowd){ .most = most,
                               .share = (double) w->times[most] / all_ticks,
                               .alone = (double) w->times[1] / all_ticks,
                               .pairs = share_of_pairs(w) };
    return true;
}

enum mpl_status mpl_events_crowd(const struct mpl_events *events, bool *is_known,
                                 struct mpl_crowd *out, struct mpl_err *err)
{
    struct crowd c = { .events = events };
    enum mpl_status st = MPL_OK;

    *is_known = can_tell(events);
    if (*is_known) {
        st = prepare(&c) ? MPL_OK : mpl_nomem(err);
        *is_known = st == MPL_OK && measure(&c, out);
    }
    for (unsigned i = 0; i < c.n_parts; i++) {
        mpl_arena_destroy(c.parts[i].arena);
    }
    return st;
}
