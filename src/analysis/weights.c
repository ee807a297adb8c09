/* What changes on other time lines, and how that is said. */
#include "config.h"

#include "analysis/sensitivity_priv.h"

#include <math.h>
#include <string.h>

struct mpl_diagnosis *mpl_weighed_diagnosis(const struct weighing *w)
{
    return &w->a->diagnosis;
}

const struct mpl_diagnosed *mpl_weighed_finding(const struct weighing *w, size_t i)
{
    return &mpl_weighed_diagnosis(w)->findings[i];
}

static bool are_same_labels(const char *const *a, size_t n, const char *const *b, size_t m)
{
    for (size_t i = 0; i < n && n == m; i++) {
        if (strcmp(a[i], b[i]) != 0) {
            return false;
        }
    }
    return n == m;
}

static bool is_same_claim(const struct mpl_diagnosed *x, const struct mpl_diagnosed *y)
{
    return x->run == y->run && strcmp(x->finding->kind, y->finding->kind) == 0 &&
           strcmp(x->finding->name, y->finding->name) == 0 &&
           strcmp(x->finding->pattern, y->finding->pattern) == 0;
}

static bool is_same(const struct mpl_diagnosed *x, const struct mpl_diagnosed *y)
{
    const struct mpl_finding *f = x->finding;
    const struct mpl_finding *g = y->finding;

    return is_same_claim(x, y) &&
           are_same_labels(f->locations, f->n_locations, g->locations, g->n_locations) &&
           are_same_labels(f->culprits, f->n_culprits, g->culprits, g->n_culprits);
}

static const struct mpl_diagnosed *find_same(const struct mpl_diagnosis *in,
                                             const struct mpl_diagnosed *d)
{
    for (size_t i = 0; i < in->n_findings; i++) {
        if (is_same(d, &in->findings[i])) {
            return &in->findings[i];
        }
    }
    return NULL;
}

/* The same said of others, who are not named in the diagnosis itself. */
static const struct mpl_diagnosed *find_instead(const struct weighing *w,
                                                const struct mpl_diagnosis *in,
                                                const struct mpl_diagnosed *d)
{
    for (size_t i = 0; i < in->n_findings; i++) {
        if (is_same_claim(d, &in->findings[i]) &&
            find_same(mpl_weighed_diagnosis(w), &in->findings[i]) == NULL) {
            return &in->findings[i];
        }
    }
    return NULL;
}

/* "2, 3"; texts of a scenario do not outlive it. NULL when out of memory. */
static const char *keep_labels(struct weighing *w, const struct mpl_finding *f)
{
    const char *const *labels = f->n_culprits > 0 ? f->culprits : f->locations;
    const size_t n = f->n_culprits > 0 ? f->n_culprits : f->n_locations;
    const char *text = "";

    for (size_t i = 0; i < n && text != NULL; i++) {
        text = mpl_arena_printf(w->scratch, "%s%s%s", text, i > 0 ? ", " : "", labels[i]);
    }
    return text;
}

static enum mpl_status compare_finding(struct weighing *w, size_t i,
                                       const struct mpl_diagnosis *in, struct mpl_err *err)
{
    const struct mpl_diagnosed *d = mpl_weighed_finding(w, i);
    const struct mpl_diagnosed *same = find_same(in, d);
    struct weight *weight = &w->weights[i];

    if (same == NULL) {
        const struct mpl_diagnosed *other = find_instead(w, in, d);

        weight->is_gone = true;
        if (other != NULL && weight->instead == NULL) {
            weight->instead = keep_labels(w, other->finding);
            return weight->instead == NULL ? mpl_nomem(err) : MPL_OK;
        }
        return MPL_OK;
    }
    /* fmin and fmax pass over NaN. */
    weight->low_s = fmin(weight->low_s, same->lost_s);
    weight->high_s = fmax(weight->high_s, same->lost_s);
    weight->gain_low_s = fmin(weight->gain_low_s, same->gain_model_s);
    weight->gain_high_s = fmax(weight->gain_high_s, same->gain_model_s);
    return MPL_OK;
}

static enum mpl_status compare_leaders(struct weighing *w, const struct mpl_diagnosis *in,
                                       struct mpl_err *err)
{
    const struct mpl_diagnosed *here = mpl_leading_cause(mpl_weighed_diagnosis(w));
    const struct mpl_diagnosed *there = mpl_leading_cause(in);
    const struct mpl_diagnosed *same;

    if (here == NULL || there == NULL || is_same(here, there)) {
        return MPL_OK;
    }
    same = find_same(mpl_weighed_diagnosis(w), there);
    if (same != NULL) {
        w->weights[same - mpl_weighed_diagnosis(w)->findings].is_leader = true;
    }
    w->weights[0].leader = mpl_arena_strdup(w->scratch, there->finding->name);
    return w->weights[0].leader == NULL ? mpl_nomem(err) : MPL_OK;
}

static enum mpl_status compare_verdicts(struct weighing *w, const struct mpl_diagnosis *in,
                                        struct mpl_err *err)
{
    struct mpl_diagnosis *d = mpl_weighed_diagnosis(w);

    if (in->verdict == d->verdict || d->is_verdict_clock_sensitive) {
        return MPL_OK;
    }
    d->is_verdict_clock_sensitive = true;
    d->verdict_clock_reason =
        mpl_arena_printf(w->a->arena, "at the clocks' bounds the verdict is \"%s\"",
                         mpl_verdict_name(in->verdict));
    return d->verdict_clock_reason == NULL ? mpl_nomem(err) : MPL_OK;
}

enum mpl_status mpl_weights_compare(struct weighing *w, const int64_t *const *ticks,
                                    const struct mpl_diagnosis *in, struct mpl_err *err)
{
    enum mpl_status st = compare_leaders(w, in, err);

    for (size_t i = 0; i < mpl_weighed_diagnosis(w)->n_findings && st == MPL_OK; i++) {
        if (ticks[mpl_weighed_finding(w, i)->run] != NULL) {
            st = compare_finding(w, i, in, err);
        }
    }
    return st == MPL_OK ? compare_verdicts(w, in, err) : st;
}

/* ---- saying so -------------------------------------------------------------------------------- */

static bool is_far_apart(double low_s, double high_s, double chosen_s)
{
    return high_s - chosen_s > SENSITIVE_SHARE * chosen_s ||
           chosen_s - low_s > SENSITIVE_SHARE * chosen_s;
}

bool mpl_weights_is_sensitive(const struct weighing *w, size_t i)
{
    const struct mpl_diagnosed *d = mpl_weighed_finding(w, i);
    const struct weight *weight = &w->weights[i];

    return weight->is_unlimited || weight->is_gone || weight->leader != NULL ||
           weight->is_leader || is_far_apart(weight->low_s, weight->high_s, d->lost_s) ||
           is_far_apart(weight->gain_low_s, weight->gain_high_s, d->gain_model_s);
}

static const char *range_text(struct mpl_arena *arena, const char *what, double low_s,
                              double high_s)
{
    const char *low = mpl_text_seconds(arena, low_s);
    const char *high = mpl_text_seconds(arena, high_s);

    return low == NULL || high == NULL
               ? NULL
               : mpl_arena_printf(arena,
                                  "at the clocks' bounds the %s is between %s and %s", what,
                                  low, high);
}

static const char *untried_text(struct mpl_arena *arena, double reach_s)
{
    const char *reach = mpl_text_seconds(arena, reach_s);

    return reach == NULL ? NULL
                         : mpl_arena_printf(arena,
                                            "clock errors could change waits by %s in sum; "
                                            "which of it they do is not tried on so long a "
                                            "trace unless asked for (--thorough)",
                                            reach);
}

const char *mpl_weights_unlimited(const struct weighing *w, uint32_t run)
{
    const struct clock_doubt *doubt = &w->doubts[run];
    const char *label = w->a->runs[run].shown.model->locations[doubt->unlimited].label;

    return doubt->n_unlimited == 1
               ? mpl_arena_printf(w->a->arena,
                                  "no message limits the clock error of process %s", label)
               : mpl_arena_printf(
                     w->a->arena,
                     "no message limits the clock errors of process %s and %u more", label,
                     (unsigned) doubt->n_unlimited - 1);
}

const char *mpl_weights_reason(const struct weighing *w, size_t i)
{
    const struct mpl_diagnosed *d = mpl_weighed_finding(w, i);
    const struct weight *weight = &w->weights[i];
    struct mpl_arena *arena = w->a->arena;

    if (weight->is_unlimited) {
        return mpl_weights_unlimited(w, d->run);
    }
    if (weight->is_untried) {
        return untried_text(arena, weight->reach_s);
    }
    if (weight->instead != NULL) {
        return mpl_arena_printf(arena, "at the clocks' bounds this is said of process %s",
                                weight->instead);
    }
    if (weight->is_gone) {
        return "at the clocks' bounds this is not found";
    }
    if (weight->leader != NULL) {
        return mpl_arena_printf(arena, "at the clocks' bounds %s leads", weight->leader);
    }
    if (weight->is_leader) {
        return "at the clocks' bounds this one leads";
    }
    /* A replay on each time line would cost too much, so that its gain has no range. */
    return is_far_apart(weight->low_s, weight->high_s, d->lost_s)
               ? range_text(arena, "loss", weight->low_s, weight->high_s)
               : range_text(arena, "gain by the model", weight->gain_low_s,
                            weight->gain_high_s);
}
