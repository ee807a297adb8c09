/* Repetitions: which run represents its side, and what the runs of a side differ in among themselves. */
#include "config.h"

#include "diff/chance_priv.h"
#include "diff/diff_priv.h"

#include <stdlib.h>
#include <string.h>

enum { BASE, NEW, SIDES };

/* What counts of single runs, as one cannot know how much they differ by themselves; and where that is known. */
static const double least_single = 0.1;
static const double least_repeated = 0.02;

/* More seldom than that something is no chance. */
static const double least_p = 0.05;
/* Run times of few repetitions scatter too much to tell; whoever computes for so much of the difference does tell. */
static const double least_somebodys = 0.5;

bool mpl_diff_has_repetitions(const struct mpl_diff *diff)
{
    return diff->sides[BASE].n + diff->sides[NEW].n > SIDES;
}

/* Whether what somebody computes longer or shorter, which is more than chance, is half of what the run does. */
static bool is_somebodys(const struct mpl_diff *diff)
{
    const double more_s = diff->sides[NEW].median_s - diff->sides[BASE].median_s;

    for (uint32_t i = 0; i < diff->n_named; i++) {
        if (diff->loads[i].beyond_s / more_s >= least_somebodys) {
            return true;
        }
    }
    return false;
}

bool mpl_diff_may_be_chance(const struct mpl_diff *diff)
{
    return mpl_diff_has_repetitions(diff) && !(diff->p <= least_p) && !is_somebodys(diff);
}

static bool is_usable(const struct mpl_run *run)
{
    return run->events != NULL && run->model->n_events > 0;
}

static double duration_of(const struct mpl_run *run)
{
    return is_usable(run) ? mpl_events_measured_s(run->events) : 0;
}

static int by_duration(const void *x, const void *y)
{
    const struct mpl_run *a = *(const struct mpl_run *const *) x;
    const struct mpl_run *b = *(const struct mpl_run *const *) y;
    const double first = duration_of(a);
    const double second = duration_of(b);

    return first != second ? (first > second) - (first < second) : strcmp(a->path, b->path);
}

/* Who has other locations than the speaker cannot be put beside it. */
static bool is_alike(const struct mpl_run *run, const struct mpl_run *speaker)
{
    if (run == speaker) {
        return true;
    }
    if (run->model->n_locations != speaker->model->n_locations) {
        return false;
    }
    for (uint32_t l = 0; l < run->model->n_locations; l++) {
        if (strcmp(run->model->locations[l].label, speaker->model->locations[l].label) !=
            0) {
            return false;
        }
    }
    return true;
}

static enum mpl_status leave_out(struct mpl_comparison *c, const struct mpl_run **runs,
                                 size_t *n, const struct mpl_run *speaker,
                                 struct mpl_err *err)
{
    enum mpl_status st = MPL_OK;
    size_t n_kept = 0;

    for (size_t i = 0; i < *n && st == MPL_OK; i++) {
        if (is_alike(runs[i], speaker)) {
            runs[n_kept++] = runs[i];
        } else {
            st = mpl_comparison_note(
                c,
                mpl_arena_printf(c->arena,
                                 "%s is left out: it has other processes than %s.",
                                 runs[i]->path, speaker->path),
                err);
        }
    }
    *n = n_kept;
    return st;
}

/* Without any that can be used the first one says why. */
static enum mpl_status take_side(struct mpl_comparison *c, const struct mpl_diff_runs *runs,
                                 struct mpl_diff_side *side, const struct mpl_run **speaker,
                                 struct mpl_err *err)
{
    const struct mpl_run **usable =
        MPL_NEW_ARRAY(c->arena, runs->n, const struct mpl_run *);
    enum mpl_status st = usable == NULL ? mpl_nomem(err) : MPL_OK;
    size_t n = 0;

    for (size_t i = 0; i < runs->n && st == MPL_OK; i++) {
        if (is_usable(runs->runs[i])) {
            usable[n++] = runs->runs[i];
        } else if (runs->n > 1) {
            const char *why = runs->runs[i]->failure;

            st = mpl_comparison_note(
                c,
                mpl_arena_printf(c->arena, "%s is left out: %s.", runs->runs[i]->path,
                                 why == NULL ? "it has no events" : why),
                err);
        }
    }
    if (st == MPL_OK && n == 0) {
        usable[n++] = runs->runs[0];
    }
    if (st != MPL_OK) {
        return st;
    }
    qsort(usable, n, sizeof *usable, by_duration);
    *speaker = usable[(n - 1) / 2];
    st = leave_out(c, usable, &n, *speaker, err);
    *side = (struct mpl_diff_side){
        .n = n,
        .runs = usable,
        .median_s = (duration_of(usable[(n - 1) / 2]) + duration_of(usable[n / 2])) / 2,
        .low_s = duration_of(usable[0]),
        .high_s = duration_of(usable[n - 1]),
    };
    return st;
}

static enum mpl_status weigh_durations(struct mpl_comparison *c, struct mpl_err *err)
{
    struct mpl_chance_sample samples[SIDES];
    struct mpl_chance chance;

    for (int s = 0; s < SIDES; s++) {
        const struct mpl_diff_side *side = &c->diff.sides[s];
        double *values = MPL_NEW_ARRAY(c->arena, side->n, double);

        if (values == NULL) {
            return mpl_nomem(err);
        }
        for (size_t r = 0; r < side->n; r++) {
            values[r] = duration_of(side->runs[r]);
        }
        samples[s] = (struct mpl_chance_sample){ side->n, values };
    }
    mpl_chance_of_runs(samples[NEW], samples[BASE], &chance);
    c->diff.p = chance.p;
    return MPL_OK;
}

enum mpl_status mpl_sides_take(struct mpl_comparison *c, const struct mpl_diff_runs *base,
                               const struct mpl_diff_runs *new,
                               const struct mpl_diff_options *options, struct mpl_err *err)
{
    enum mpl_status st = take_side(c, base, &c->diff.sides[BASE], &c->diff.base, err);

    st = st == MPL_OK ? take_side(c, new, &c->diff.sides[NEW], &c->diff.new, err) : st;
    c->diff.least_share = options->least_share > 0             ? options->least_share
                          : mpl_diff_has_repetitions(&c->diff) ? least_repeated
                                                               : least_single;
    return st == MPL_OK ? weigh_durations(c, err) : st;
}
