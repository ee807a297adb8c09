/* From what the rules asserted to what is shown: seconds to severities, facts to evidence, ranks. */
#include "config.h"

#include "analysis/analysis_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SOURCES_SHOWN = 3 };

/* A function below this share of the time in question would only distract. */
static const double source_share = 0.1;

/* Rules bind the runs of findings to facts; one that invents a run speaks of the first. */
static uint32_t run_of(const struct mpl_analysis *a, const char *id)
{
    uint32_t run = mpl_runs_find(a, id);

    if (run == MPL_NONE || !mpl_run_is_usable(&a->runs[run])) {
        run = 0;
        while (run + 1 < a->n_runs && !mpl_run_is_usable(&a->runs[run])) {
            run++;
        }
    }
    return run;
}

static enum mpl_status keep_sources(struct mpl_analysis *a, struct mpl_diagnosed *d,
                                    const struct mpl_region_time *times, uint32_t n,
                                    struct mpl_err *err)
{
    const struct mpl_model *model = a->runs[d->run].model;
    struct mpl_where *all =
        MPL_NEW_ARRAY(a->arena, d->n_where + SOURCES_SHOWN, struct mpl_where);
    double sum_s = 0;

    if (all == NULL) {
        return mpl_nomem(err);
    }
    if (d->n_where > 0) {
        memcpy(all, d->where, d->n_where * sizeof *all);
    }
    for (uint32_t i = 0; i < n; i++) {
        sum_s += times[i].exclusive_s;
    }
    for (uint32_t i = 0; i < n && i < SOURCES_SHOWN; i++) {
        const struct mpl_region *region = &model->regions[times[i].region];

        if (times[i].exclusive_s < source_share * sum_s) {
            break;
        }
        all[d->n_where++] = (struct mpl_where){ .region = region->name,
                                                .file = region->file,
                                                .line = region->line,
                                                .seconds = times[i].exclusive_s };
    }
    d->where = all;
    return MPL_OK;
}

/* Places that the engine finds by itself, by their names; false for other texts. */
static bool find_place(const char *where, enum mpl_place_kind *kind)
{
    static const char *const names[] = { [MPL_PLACE_DEVICE] = "device-wait",
                                         [MPL_PLACE_THREADS] = "thread-wait",
                                         [MPL_PLACE_ALONE] = "one-thread" };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(where, names[i]) == 0) {
            *kind = (enum mpl_place_kind) i;
            return true;
        }
    }
    return false;
}

/* "device-wait", or "TaskLifeCycle.setup": an event's member or associated span. */
static enum mpl_status find_sources(struct mpl_analysis *a, struct mpl_diagnosed *d,
                                    const char *where, struct mpl_err *err)
{
    const struct mpl_run *run = &a->runs[d->run];
    struct trial *t = mpl_trials_find(a, d->finding->run, d->finding->pattern);
    const char *dot = strchr(where, '.');
    const struct mpl_region_time *times = NULL;
    enum mpl_place_kind kind;
    uint32_t n = 0;

    if (find_place(where, &kind)) {
        struct mpl_where *found = MPL_NEW_ARRAY(a->arena, SOURCES_SHOWN, struct mpl_where);

        d->where = found;
        d->n_where = SOURCES_SHOWN;
        return found == NULL
                   ? mpl_nomem(err)
                   : mpl_places_find(run, kind, a->arena, found, &d->n_where, err);
    }
    if (t != NULL && dot != NULL) {
        char *event = mpl_arena_strndup(a->arena, where, (size_t) (dot - where));

        if (event == NULL) {
            return mpl_nomem(err);
        }
        const uint32_t index = mpl_pattern_find_event(t->shown.pattern, event);

        if (index != MPL_NONE) {
            times = mpl_recognition_regions(t->recognition, index, dot + 1, &n);
        }
    }
    return times == NULL ? MPL_OK : keep_sources(a, d, times, n, err);
}

static enum mpl_status find_functions(struct mpl_analysis *a, struct mpl_diagnosed *d,
                                      const char *label, struct mpl_err *err)
{
    const struct mpl_run *run = &a->runs[d->run];
    const uint32_t location = mpl_model_find_location(run->model, label);
    uint32_t n = 0;
    const struct mpl_region_time *times =
        location == MPL_NONE ? NULL : mpl_events_regions(run->events, location, &n);

    return times == NULL ? MPL_OK : keep_sources(a, d, times, n, err);
}

static const char *first_sentence(struct mpl_analysis *a, const char *text)
{
    const char *copy = mpl_arena_strndup(a->arena, text, (size_t) mpl_text_sentence(text));

    return copy != NULL ? copy : text;
}

static enum mpl_status fill(struct mpl_analysis *a, struct mpl_diagnosed *d,
                            const struct mpl_finding *f, struct mpl_err *err)
{
    const struct mpl_run *run = &a->runs[run_of(a, f->run)];
    enum mpl_status st = MPL_OK;

    d->finding = f;
    d->headline = f->headline != NULL ? f->headline : first_sentence(a, f->text);
    d->fix = f->fix != NULL      ? f->fix
             : f->remedy != NULL ? first_sentence(a, f->remedy)
                                 : NULL;
    d->run = run_of(a, f->run);
    d->lost_s = f->lost_s;
    /* Of a run that hangs also what lies behind the window. */
    d->severity = f->lost_s / ((run->window_s + run->halted_s) * run->model->n_locations);
    d->share_of_lost = f->share_of_lost;
    /* A formula that promises more than the run lasts does not fit it. */
    d->gain_model_s = f->gain_s <= run->window_s ? f->gain_s : NAN;
    d->gain_s = d->gain_model_s;
    d->gain_low_s = d->gain_model_s;
    d->gain_high_s = d->gain_model_s;
    d->gain_replay_s = NAN;
    d->clock_low_s = NAN;
    d->clock_high_s = NAN;
    for (size_t i = 0; i < f->n_where && st == MPL_OK; i++) {
        st = find_sources(a, d, f->where[i], err);
    }
    for (size_t i = 0; i < f->n_functions_of && st == MPL_OK; i++) {
        st = find_functions(a, d, f->functions_of[i], err);
    }
    return st;
}

/* Findings of repeated runs that are the same have one id. */
static void add_id(const char **ids, size_t *n, const char *id)
{
    for (size_t i = 0; i < *n; i++) {
        if (strcmp(ids[i], id) == 0) {
            return;
        }
    }
    ids[(*n)++] = id;
}

static enum mpl_status fill_reasons(struct mpl_analysis *a, struct mpl_diagnosed *d,
                                    const char *const *id_of, struct mpl_err *err)
{
    const struct mpl_finding *f = d->finding;
    const char **because = MPL_NEW_ARRAY(a->arena, f->n_because, const char *);
    const char **reasons = MPL_NEW_ARRAY(a->arena, f->n_because, const char *);
    struct mpl_evidence *evidence =
        MPL_NEW_ARRAY(a->arena, f->n_because, struct mpl_evidence);

    if (because == NULL || reasons == NULL || evidence == NULL) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < f->n_because; i++) {
        const struct mpl_reason *r = &f->because[i];

        if (r->kind == MPL_REASON_FINDING) {
            add_id(because, &d->n_because, id_of[r->finding]);
        } else if (r->kind == MPL_REASON_METRIC) {
            evidence[d->n_evidence++] =
                (struct mpl_evidence){ r->metric, r->location, r->value, r->unit };
        } else {
            reasons[d->n_reasons++] = r->text;
        }
    }
    d->because = because;
    d->reasons = reasons;
    d->evidence = evidence;
    return MPL_OK;
}

/*
 * Causes by what they are worth, behind those because of which the run does not end; those that another one
 * explains or makes doubtful and those that may be noise at the end; then
 * symptoms and observations in the order of the search; then those that another run's stand for.
 */
static int by_rank(const void *x, const void *y)
{
    const struct mpl_diagnosed *a = x;
    const struct mpl_diagnosed *b = y;

    if ((a->n_seen == 0) != (b->n_seen == 0)) {
        return a->n_seen == 0 ? 1 : -1;
    }
    if (mpl_diagnosed_is_cause(a) != mpl_diagnosed_is_cause(b)) {
        return mpl_diagnosed_is_cause(a) ? -1 : 1;
    }
    if (mpl_diagnosed_is_cause(a) && a->is_within_spread != b->is_within_spread) {
        return a->is_within_spread ? 1 : -1;
    }
    if (mpl_diagnosed_is_cause(a) && a->finding->is_fatal != b->finding->is_fatal) {
        return a->finding->is_fatal ? -1 : 1;
    }
    if (mpl_diagnosed_is_cause(a) && (a->n_explained_by > 0) != (b->n_explained_by > 0)) {
        return a->n_explained_by > 0 ? 1 : -1;
    }
    if (mpl_diagnosed_is_cause(a) && (a->doubt == NULL) != (b->doubt == NULL)) {
        return a->doubt == NULL ? -1 : 1;
    }
    if (mpl_diagnosed_is_cause(a) && a->worth_s != b->worth_s) {
        return a->worth_s < b->worth_s ? 1 : -1;
    }
    if (!mpl_diagnosed_is_cause(a) && a->finding->level != b->finding->level) {
        return a->finding->level < b->finding->level ? -1 : 1;
    }
    return a->number < b->number ? -1 : a->number > b->number;
}

/* Gives ids to those that are reported, which stand first, and to the others those of their places. */
static enum mpl_status name_all(struct mpl_analysis *a, struct mpl_diagnosed *all, size_t n,
                                const uint32_t *stands_for, const char **id_of,
                                size_t *n_shown, struct mpl_err *err)
{
    for (*n_shown = 0; *n_shown < n && all[*n_shown].n_seen > 0; (*n_shown)++) {
        struct mpl_diagnosed *d = &all[*n_shown];

        d->id = mpl_arena_printf(a->arena, "f%zu", *n_shown + 1);
        if (d->id == NULL) {
            return mpl_nomem(err);
        }
        id_of[d->number] = d->id;
    }
    for (size_t i = *n_shown; i < n; i++) {
        all[i].id = id_of[stands_for[all[i].number]];
        id_of[all[i].number] = all[i].id;
    }
    return MPL_OK;
}

/*
 * By the pattern's model, which the time lines of other clocks have, too; the replay is only made of what
 * leads. Where no rule says a gain, half of what it costs a process: some of that is usually left.
 */
static double worth_of(const struct mpl_analysis *a, const struct mpl_diagnosed *d)
{
    const struct mpl_run *run = &a->runs[d->run];
    const double cost_s = d->severity * (run->window_s + run->halted_s);
    const double gain_s = isnan(d->gain_model_s) ? cost_s / 2 : d->gain_model_s;
    const double nested = d->lost_s > 0 ? (d->lost_s + d->outer_s) / d->lost_s : 1;

    return isnan(gain_s) ? -1 : d->finding->confidence * gain_s * nested;
}

static enum mpl_status take_all(struct mpl_analysis *a, struct mpl_diagnosed *all, size_t n,
                                uint32_t *stands_for, struct mpl_err *err)
{
    enum mpl_status st = MPL_OK;

    for (size_t i = 0; i < n && st == MPL_OK; i++) {
        all[i].number = i;
        st = fill(a, &all[i], mpl_infer_finding(a->infer, i), err);
    }
    st = st == MPL_OK ? mpl_nesting_mark(a, all, n, err) : st;
    st = st == MPL_OK ? mpl_spread_fold(a, all, n, stands_for, err) : st;
    for (size_t i = 0; i < n && st == MPL_OK; i++) {
        all[i].worth_s = worth_of(a, &all[i]);
    }
    mpl_certainty_spread_doubt(a, all, n);
    return st;
}

enum mpl_status mpl_findings_rank(struct mpl_analysis *a, struct mpl_err *err)
{
    const size_t n = mpl_infer_finding_count(a->infer);
    struct mpl_diagnosed *all = MPL_NEW_ARRAY(a->arena, n, struct mpl_diagnosed);
    const char **id_of = MPL_NEW_ARRAY(a->arena, n, const char *);
    uint32_t *stands_for = MPL_NEW_ARRAY(a->arena, n, uint32_t);
    size_t n_shown = 0;
    enum mpl_status st =
        all == NULL || id_of == NULL || stands_for == NULL ? mpl_nomem(err) : MPL_OK;

    st = st == MPL_OK ? take_all(a, all, n, stands_for, err) : st;
    if (st != MPL_OK) {
        return st;
    }
    qsort(all, n, sizeof *all, by_rank);
    st = name_all(a, all, n, stands_for, id_of, &n_shown, err);
    for (size_t i = 0; i < n_shown && st == MPL_OK; i++) {
        st = fill_reasons(a, &all[i], id_of, err);
    }
    st = st == MPL_OK ? mpl_nesting_link(a, all, n, id_of, err) : st;
    a->findings = all;
    a->diagnosis.findings = all;
    a->diagnosis.n_findings = n_shown;
    return st;
}
