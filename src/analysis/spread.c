/*
 * Findings of repeated runs: the same one is reported once, with how many runs have it and between which
 * values its loss lies.
 *
 * What is a fact after two to five runs? A mean with an error says nothing then: two runs that
 * agree by chance give an error of nothing. What holds for any distribution is this: the median of
 * what happens lies between the smallest and the largest of n measured values, except by a chance
 * of 2^(1 - n), one half for two runs and 6 % for five. So
 *
 *   - a finding must be there in more than half of the runs, as otherwise not even the median run
 *     has it;
 *   - the smallest loss must be at least half the median. What else happens on a machine makes a
 *     run longer, never shorter, so one run with a large loss says nothing against the others; but
 *     a loss that is sometimes far below its median may as well be none. Of two runs this asks that
 *     they differ by less than their mean.
 *
 * How much the durations of the runs vary is not asked. Each run measures its losses by itself, so a
 * loss that is the same in all of them is known even if something else makes some runs longer; and
 * where the loss itself is what makes runs longer, it varies as they do.
 */
#include "config.h"

#include "analysis/analysis_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of all locations that two findings name, those that both must name: who is above a threshold
 * changes a little from run to run. */
static const double agreeing_share = 0.5;

static const uint32_t nobody = MPL_NONE;

/* Findings of a group's runs that are the same. */
struct same {
    uint32_t first; /* the finding that stands for them: of the speaker where it has it */
    uint32_t last;
    uint32_t n;
    uint32_t last_run; /* a run has each but once */
    uint32_t next;     /* of the same name */
};

/* Whom a finding names, ascending. */
struct party {
    bool is_blaming;
    const char **labels;
    size_t n;
};

struct fold {
    struct mpl_analysis *a;
    struct mpl_diagnosed *all;
    size_t n;
    struct mpl_arena *scratch;
    uint32_t *in_run;      /* numbers of findings, run by run */
    uint32_t *first_of;    /* per run, and one more: where they begin in in_run */
    uint32_t *same_of;     /* per finding; nobody: its run is in no group */
    struct party *parties; /* per finding */
    uint32_t *successor;   /* per finding: the next one that is the same */
    struct same *sames;
    uint32_t n_sames;
    struct mpl_names *names; /* group, kind, name and pattern */
    uint32_t *heads;         /* per name: its first same */
    double *losses;
};

/* ---- which are the same -------------------------------------------------------------------- */

static int by_label(const void *x, const void *y)
{
    return strcmp(*(const char *const *) x, *(const char *const *) y);
}

/*
 * Who is to blame, or where somebody is not, where it is seen. Observations that blame nobody speak
 * of examples, such as the least utilised worker, which is another one in each run.
 */
static enum mpl_status find_party(struct fold *f, uint32_t finding, struct mpl_err *err)
{
    const struct mpl_finding *x = f->all[finding].finding;
    const bool is_blaming = x->n_culprits > 0;
    const bool is_named = is_blaming || mpl_diagnosed_is_cause(&f->all[finding]);
    const char *const *labels = is_blaming ? x->culprits : x->locations;
    const size_t n = is_blaming ? x->n_culprits : is_named ? x->n_locations : 0;
    const char **sorted = MPL_NEW_ARRAY(f->scratch, n, const char *);

    if (sorted == NULL) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < n; i++) {
        sorted[i] = labels[i];
    }
    qsort(sorted, n, sizeof *sorted, by_label);
    f->parties[finding] =
        (struct party){ .is_blaming = is_blaming, .labels = sorted, .n = n };
    return MPL_OK;
}

static bool do_agree(const struct party *x, const struct party *y)
{
    size_t common = 0;

    for (size_t i = 0, k = 0; i < x->n && k < y->n;) {
        const int order = strcmp(x->labels[i], y->labels[k]);

        common += order == 0;
        i += order <= 0;
        k += order >= 0;
    }
    return x->is_blaming == y->is_blaming &&
           (double) common >= agreeing_share * (double) (x->n + y->n - common);
}

static void join(struct fold *f, uint32_t name, uint32_t finding, uint32_t run)
{
    for (uint32_t i = f->heads[name]; i != nobody; i = f->sames[i].next) {
        struct same *s = &f->sames[i];

        if (s->last_run != run && do_agree(&f->parties[s->first], &f->parties[finding])) {
            f->successor[s->last] = finding;
            f->same_of[finding] = i;
            s->last = finding;
            s->last_run = run;
            s->n++;
            return;
        }
    }
    f->sames[f->n_sames] = (struct same){
        .first = finding, .last = finding, .n = 1, .last_run = run, .next = f->heads[name]
    };
    f->heads[name] = f->n_sames;
    f->same_of[finding] = f->n_sames++;
}

static enum mpl_status take_finding(struct fold *f, const struct mpl_group *group,
                                    uint32_t finding, uint32_t run, struct mpl_err *err)
{
    const struct mpl_finding *x = f->all[finding].finding;
    /* A communicator may have another number in each run. */
    const int pattern = (int) strcspn(x->pattern, "@");
    const char *key = mpl_arena_printf(f->scratch, "%s %s %s %.*s", group->id, x->kind,
                                       x->name, pattern, x->pattern);
    const size_t known = mpl_names_count(f->names);
    const uint32_t name = key == NULL ? MPL_NONE : mpl_names_put(f->names, key);

    if (name == MPL_NONE) {
        return mpl_nomem(err);
    }
    if (name == known) {
        f->heads[name] = nobody;
    }
    f->successor[finding] = nobody;

    const enum mpl_status st = find_party(f, finding, err);

    if (st == MPL_OK) {
        join(f, name, finding, run);
    }
    return st;
}

static enum mpl_status take_run(struct fold *f, const struct mpl_group *group, uint32_t run,
                                struct mpl_err *err)
{
    enum mpl_status st = MPL_OK;

    for (uint32_t i = f->first_of[run]; i < f->first_of[run + 1] && st == MPL_OK; i++) {
        st = take_finding(f, group, f->in_run[i], run, err);
    }
    return st;
}

/* The speaker first, as its findings stand for those of the others. */
static enum mpl_status take_group(struct fold *f, const struct mpl_group *group,
                                  struct mpl_err *err)
{
    enum mpl_status st = take_run(f, group, group->speaker, err);

    for (size_t i = 0; i < group->n_runs && st == MPL_OK; i++) {
        if (group->runs[i] != group->speaker) {
            st = take_run(f, group, group->runs[i], err);
        }
    }
    return st;
}

/* ---- what they say together ---------------------------------------------------------------- */

/* What compares runs speaks of the group as a whole already. */
static bool is_of_set(const struct mpl_finding *f)
{
    for (size_t i = 0; i < f->n_because; i++) {
        const char *template = f->because[i].template;

        if (template != NULL &&
            (strcmp(template, "scaling") == 0 || strcmp(template, "expectation") == 0)) {
            return true;
        }
    }
    return false;
}

static void add_up(struct fold *f, const struct same *s)
{
    struct mpl_diagnosed *d = &f->all[s->first];
    const double before_s = d->lost_s;
    size_t n = 0;

    for (uint32_t i = s->first; i != nobody; i = f->successor[i]) {
        if (!isnan(f->all[i].lost_s)) {
            f->losses[n++] = f->all[i].lost_s;
        }
    }
    d->n_seen = d->is_of_set ? d->n_alike : s->n;
    d->is_within_spread = 2 * d->n_seen <= d->n_alike;
    if (isnan(before_s) || n == 0) {
        return;
    }
    d->lost_s = mpl_median(f->losses, n);
    d->lost_low_s = f->losses[0];
    d->lost_high_s = f->losses[n - 1];
    d->severity = before_s > 0 ? d->severity * d->lost_s / before_s : d->severity;
    d->is_within_spread = d->is_within_spread || d->lost_low_s < d->lost_s / 2;
}

/* What compares runs by a cause that may be noise may be noise. */
static bool rests_on_noise(const struct fold *f, const struct mpl_finding *finding)
{
    for (size_t i = 0; i < finding->n_because; i++) {
        const struct mpl_reason *r = &finding->because[i];

        if (r->kind == MPL_REASON_FINDING && f->same_of[r->finding] != nobody &&
            f->all[f->sames[f->same_of[r->finding]].first].is_within_spread &&
            mpl_diagnosed_is_cause(&f->all[r->finding])) {
            return true;
        }
    }
    return false;
}

static void conclude(struct fold *f, uint32_t *stands_for)
{
    for (uint32_t i = 0; i < f->n_sames; i++) {
        add_up(f, &f->sames[i]);
    }
    for (uint32_t i = 0; i < f->n; i++) {
        struct mpl_diagnosed *d = &f->all[i];

        if (f->same_of[i] == nobody) {
            continue;
        }
        stands_for[i] = f->sames[f->same_of[i]].first;
        d->n_seen = stands_for[i] == i ? d->n_seen : 0;
        if (d->is_of_set && rests_on_noise(f, d->finding)) {
            d->is_within_spread = true;
        }
    }
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void sort_by_run(struct fold *f)
{
    const size_t n_runs = f->a->n_runs;

    for (size_t i = 0; i < f->n; i++) {
        f->first_of[f->all[i].run + 1]++;
    }
    for (size_t r = 0; r < n_runs; r++) {
        f->first_of[r + 1] += f->first_of[r];
    }
    for (size_t i = f->n; i-- > 0;) {
        f->in_run[--f->first_of[f->all[i].run + 1]] = (uint32_t) i;
    }
    /* Each entry behind the first has come back to where its run begins. */
    for (size_t r = 0; r < n_runs; r++) {
        f->first_of[r] = f->first_of[r + 1];
    }
    f->first_of[n_runs] = (uint32_t) f->n;
}

static enum mpl_status open_fold(struct fold *f, struct mpl_err *err)
{
    f->scratch = mpl_arena_create();
    f->names = mpl_names_create();
    if (f->scratch == NULL || f->names == NULL) {
        return mpl_nomem(err);
    }
    f->in_run = MPL_NEW_ARRAY(f->scratch, f->n, uint32_t);
    f->first_of = MPL_NEW_ARRAY(f->scratch, f->a->n_runs + 1, uint32_t);
    f->same_of = MPL_NEW_ARRAY(f->scratch, f->n, uint32_t);
    f->parties = MPL_NEW_ARRAY(f->scratch, f->n, struct party);
    f->successor = MPL_NEW_ARRAY(f->scratch, f->n, uint32_t);
    f->sames = MPL_NEW_ARRAY(f->scratch, f->n, struct same);
    f->heads = MPL_NEW_ARRAY(f->scratch, f->n, uint32_t);
    f->losses = MPL_NEW_ARRAY(f->scratch, f->n, double);
    for (size_t i = 0; f->same_of != NULL && i < f->n; i++) {
        f->same_of[i] = nobody;
    }
    return f->in_run == NULL || f->first_of == NULL || f->same_of == NULL ||
                   f->parties == NULL || f->successor == NULL || f->sames == NULL ||
                   f->heads == NULL || f->losses == NULL
               ? mpl_nomem(err)
               : MPL_OK;
}

static bool has_repetitions(const struct mpl_analysis *a)
{
    for (size_t i = 0; i < a->diagnosis.sets.n_groups; i++) {
        if (a->diagnosis.sets.groups[i].n_runs > 1) {
            return true;
        }
    }
    return false;
}

enum mpl_status mpl_spread_fold(struct mpl_analysis *a, struct mpl_diagnosed *all, size_t n,
                                uint32_t *stands_for, struct mpl_err *err)
{
    struct fold f = { .a = a, .all = all, .n = n };
    enum mpl_status st = MPL_OK;

    for (size_t i = 0; i < n; i++) {
        const struct mpl_group *group = mpl_group_of(&a->diagnosis.sets, all[i].run);

        stands_for[i] = (uint32_t) i;
        all[i].n_seen = 1;
        all[i].n_alike = group != NULL ? (uint32_t) group->n_runs : 1;
        all[i].lost_low_s = all[i].lost_s;
        all[i].lost_high_s = all[i].lost_s;
        all[i].is_of_set = is_of_set(all[i].finding);
    }
    if (!has_repetitions(a)) {
        return MPL_OK;
    }
    st = open_fold(&f, err);
    if (st == MPL_OK) {
        sort_by_run(&f);
    }
    for (size_t g = 0; g < a->diagnosis.sets.n_groups && st == MPL_OK; g++) {
        st = take_group(&f, &a->diagnosis.sets.groups[g], err);
    }
    if (st == MPL_OK) {
        conclude(&f, stands_for);
    }
    mpl_names_destroy(f.names);
    mpl_arena_destroy(f.scratch);
    return st;
}
