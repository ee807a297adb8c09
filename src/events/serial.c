/*
 * What a process does alone: input that one reads, a checkpoint that one writes, results that one collects.
 *
 * Compared is what processes compute in the same section of the program, from one collective of all to the
 * next, or in the same step between messages: at the same time it may be something else, as who leaves a
 * reduction early is ahead of its root. A process is alone in a section where the others have next to
 * nothing to compute. A checkpoint may also lie in a section with work for all; then a few sections are much
 * longer for one process, and all others are not.
 *
 * Example: in 3 sections processes compute 1, 1, 1 and 1, 1, 4 and 0, 0, 2. The third is alone for 3 in the
 * second section (if that is one of few) and for 2 in the last one.
 */
#include "config.h"

#include "events/events_priv.h"

#include <math.h>

/* Computation of the others, as a share of what they compute in a section on average, that is next to
 * nothing. Not a share of the process's own: beside one that is ten times as slow the others do all their work. */
static const double next_to_nothing = 0.1;

/* What is more than that of the others by this share of it is no scatter of equal work. */
static const double much_longer = 0.5;

/* Share of the work of the others up to which it lies in few sections; what recurs more often is uneven work. */
static const double now_and_then = 0.25;

/* Standard deviations of what a process computes in all other sections, beyond which a few sections are no
 * chance: pieces of any length are now and then the longest. */
static const double beyond_chance = 3;

struct spread {
    double sum;
    double squares;
};

/* Sections of a process with work for all. */
struct usual {
    uint32_t n_rare; /* where it computes much longer */
    uint32_t n;      /* the others, and of them: */
    struct spread own_s;
    struct spread
        more_s; /* than the other processes; they may all have more to do now and then */
};

struct walk {
    const struct mpl_events *events;
    const struct mpl_sections *sections;
    double **compute_s; /* per location and section; NULL: it is not compared */
    double *usual_s;  /* per location: what the others compute in a section, mean of all */
    double *others_s; /* likewise: what the others compute, mean, in all sections */
    double *meanwhile_s;     /* likewise, where it is much longer */
    struct mpl_serial *rare; /* per location, of those sections */
    struct usual *usual;     /* likewise */
    double work_s;           /* of all processes that are compared */
    uint32_t n_compared;
};

/* 0 of somebody who is not compared. */
static double own_in(const struct walk *w, uint32_t location, uint32_t section)
{
    return w->compute_s[location] != NULL ? w->compute_s[location][section] : 0;
}

static double computed(const struct walk *w, uint32_t location)
{
    return mpl_events_totals(w->events, location)->class_s[MPL_SPAN_COMPUTE];
}

/* What lies before call \p k, or behind the last one, if it is computation. */
static int64_t computed_before(const struct walk *w, uint32_t location, uint32_t k)
{
    return mpl_gap_class(&w->events->lanes[location], k) == MPL_SPAN_COMPUTE
               ? mpl_events_duration_ticks(w->events, location, 2 * k)
               : 0;
}

/* Behind the call that bounds the section before, up to the next one. Only before the first and behind the last
 * call there is something else than computation. */
static double computed_in(const struct walk *w, uint32_t location, uint32_t section)
{
    const uint32_t *bounds = w->sections->calls[location];
    const uint32_t n_calls = w->events->lanes[location].n_calls;
    const bool is_first = section == 0;
    const bool is_last = section == w->sections->n - 1;
    const int64_t ticks =
        mpl_ticks_between_calls(w->events, location, is_first ? 0 : bounds[section - 1],
                                is_last ? n_calls - 1 : bounds[section]);

    return mpl_model_seconds(w->events->model,
                             ticks + (is_first ? computed_before(w, location, 0) : 0) +
                                 (is_last ? computed_before(w, location, n_calls) : 0));
}

/* Location by location: section by section their calls lie far from each other, and each would be waited for. */
static enum mpl_status fill_location(void *context, size_t task, unsigned worker,
                                     struct mpl_err *err)
{
    const struct walk *w = context;
    double *compute_s = w->compute_s[task];

    (void) worker;
    (void) err;
    for (uint32_t k = 0; compute_s != NULL && k < w->sections->n; k++) {
        compute_s[k] = computed_in(w, (uint32_t) task, k);
    }
    return MPL_OK;
}

static enum mpl_status fill(struct walk *w, struct mpl_arena *scratch, struct mpl_err *err)
{
    const struct mpl_sections *sections = w->sections;
    const uint32_t n = w->events->model->n_locations;
    const struct mpl_parallel job = {
        .n_tasks = n, .max_threads = mpl_threads(), .run = fill_location, .context = w
    };

    for (uint32_t l = 0; l < n; l++) {
        if (sections->n > 1 && sections->calls[l] != NULL) {
            w->compute_s[l] = MPL_NEW_ARRAY(scratch, sections->n, double);
            if (w->compute_s[l] == NULL) {
                return mpl_nomem(err);
            }
            w->n_compared++;
            w->work_s += computed(w, l);
        }
    }
    return mpl_parallel_run(&job, err);
}

static void add(struct mpl_serial *s, const struct walk *w, uint32_t section, double more_s)
{
    s->all_s += more_s;
    s->begin_s += section == 0 ? more_s : 0;
    s->end_s += section == w->sections->n - 1 ? more_s : 0;
    s->squares += more_s * more_s;
}

static void add_to_spread(struct spread *s, double value)
{
    s->sum += value;
    s->squares += value * value;
}

static double deviation(const struct spread *s, uint32_t n)
{
    const double mean = s->sum / fmax(n, 1);

    return sqrt(fmax(0, s->squares / fmax(n, 1) - mean * mean));
}

static void add_section(struct walk *w, uint32_t section, struct mpl_serial *serial)
{
    const uint32_t n_locations = w->events->model->n_locations;
    uint32_t longest = 0;
    double sum_s = 0;

    for (uint32_t l = 0; l < n_locations; l++) {
        const double own_s = own_in(w, l, section);

        sum_s += own_s;
        longest = own_s > own_in(w, longest, section) ? l : longest;
    }
    serial[longest].longest_s += own_in(w, longest, section);
    for (uint32_t l = 0; l < n_locations; l++) {
        const double own_s = own_in(w, l, section);
        const double others_s = (sum_s - own_s) / (w->n_compared - 1);

        if (own_s <= 0 || own_s < (1 + much_longer) * others_s) {
            w->usual[l].n++;
            add_to_spread(&w->usual[l].own_s, own_s);
            add_to_spread(&w->usual[l].more_s, own_s - others_s);
        } else if (others_s <= next_to_nothing * w->usual_s[l]) {
            add(&serial[l], w, section, own_s - others_s);
        } else {
            add(&w->rare[l], w, section, own_s - others_s);
            w->usual[l].n_rare++;
            w->meanwhile_s[l] += others_s;
        }
        w->others_s[l] += others_s;
    }
}

static bool is_chance(const struct walk *w, uint32_t location)
{
    const struct usual *u = &w->usual[location];

    return w->rare[location].all_s / fmax(u->n_rare, 1) <
           beyond_chance * fmin(deviation(&u->own_s, u->n), deviation(&u->more_s, u->n));
}

static void add_all(struct walk *w, struct mpl_serial *serial)
{
    for (uint32_t l = 0; l < w->events->model->n_locations; l++) {
        w->usual_s[l] = (w->work_s - computed(w, l)) / (w->n_compared - 1) / w->sections->n;
    }
    for (uint32_t k = 0; k < w->sections->n; k++) {
        add_section(w, k, serial);
    }
    for (uint32_t l = 0; l < w->events->model->n_locations; l++) {
        if (w->meanwhile_s[l] <= now_and_then * w->others_s[l] && !is_chance(w, l)) {
            serial[l].all_s += w->rare[l].all_s;
            serial[l].begin_s += w->rare[l].begin_s;
            serial[l].end_s += w->rare[l].end_s;
            serial[l].squares += w->rare[l].squares;
        }
        if (serial[l].squares > 0) {
            serial[l].n_sections = serial[l].all_s * serial[l].all_s / serial[l].squares;
        }
    }
}

enum mpl_status mpl_events_serial(const struct mpl_events *events, struct mpl_arena *arena,
                                  const struct mpl_serial **out, struct mpl_err *err)
{
    const uint32_t n = events->model->n_locations;
    struct mpl_arena *scratch = mpl_arena_create();
    struct mpl_serial *serial = MPL_NEW_ARRAY(arena, n, struct mpl_serial);
    struct walk w = { .events = events };
    enum mpl_status st = MPL_E_NOMEM;

    if (scratch == NULL || serial == NULL) {
        goto done;
    }
    w.compute_s = MPL_NEW_ARRAY(scratch, n, double *);
    w.usual_s = MPL_NEW_ARRAY(scratch, n, double);
    w.others_s = MPL_NEW_ARRAY(scratch, n, double);
    w.meanwhile_s = MPL_NEW_ARRAY(scratch, n, double);
    w.rare = MPL_NEW_ARRAY(scratch, n, struct mpl_serial);
    w.usual = MPL_NEW_ARRAY(scratch, n, struct usual);
    if (w.compute_s == NULL || w.usual_s == NULL || w.others_s == NULL ||
        w.meanwhile_s == NULL || w.rare == NULL || w.usual == NULL) {
        goto done;
    }
    st = mpl_events_sections(events, scratch, &w.sections, err);
    st = st == MPL_OK ? fill(&w, scratch, err) : st;
    if (st != MPL_OK) {
        goto done;
    }
    if (w.n_compared > 1) {
        add_all(&w, serial);
    }
    *out = serial;
done:
    mpl_arena_destroy(scratch);
    return st == MPL_E_NOMEM ? mpl_nomem(err) : st;
}
