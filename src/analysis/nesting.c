/*
 * Nesting: what is computation for an outer pattern is a pattern of its own inside. Where rules
 * conclude that a cause inside accounts for a finding outside (rules/composition.clp), the seconds
 * of both go to the cause inside: the innermost wins, and no second is counted twice.
 */
#include "config.h"

#include "analysis/analysis_priv.h"

#include <math.h>
#include <string.h>

static const char *const link_name = "explained-inside";

static bool is_link(const struct mpl_diagnosed *d)
{
    return strcmp(d->finding->name, link_name) == 0;
}

/* A reason that is a finding of the link's own pattern: what is explained. */
static bool is_outer(const struct mpl_diagnosed *link, const struct mpl_finding *f)
{
    return strcmp(link->finding->pattern, f->pattern) == 0;
}

static bool is_inner(const struct mpl_diagnosed *link, const struct mpl_finding *f)
{
    return !is_outer(link, f) && strcmp(f->kind, "cause") == 0;
}

/* The next reason behind \p *at that is a finding; false when there is none. */
static bool next_finding(const struct mpl_diagnosed *d, size_t *at, size_t *number)
{
    for (; *at < d->finding->n_because; (*at)++) {
        const struct mpl_reason *reason = &d->finding->because[*at];

        if (reason->kind == MPL_REASON_FINDING) {
            *number = reason->finding;
            (*at)++;
            return true;
        }
    }
    return false;
}

/* Whether two findings say the same of the same: an observation and the cause made of it. */
static bool is_same(const struct mpl_finding *x, const struct mpl_finding *y)
{
    bool is_alike = strcmp(x->pattern, y->pattern) == 0 && strcmp(x->run, y->run) == 0 &&
                    strcmp(x->name, y->name) == 0 && x->n_culprits == y->n_culprits;

    for (size_t i = 0; is_alike && i < x->n_culprits; i++) {
        is_alike = strcmp(x->culprits[i], y->culprits[i]) == 0;
    }
    return is_alike;
}

/* Whether \p link is about \p outer. */
static bool is_about(const struct mpl_diagnosed *link, const struct mpl_finding *outer,
                     const struct mpl_finding *const *by_number)
{
    size_t number;

    for (size_t at = 0; next_finding(link, &at, &number);) {
        if (is_outer(link, by_number[number]) && is_same(outer, by_number[number])) {
            return true;
        }
    }
    return false;
}

static bool is_of_world(const struct mpl_diagnosed *d)
{
    return strchr(d->finding->pattern, '@') == NULL;
}

static void mark(struct mpl_diagnosed *all, const struct mpl_diagnosed *link,
                 struct mpl_diagnosed *outer)
{
    size_t number;

    for (size_t at = 0; next_finding(link, &at, &number);) {
        if (!is_inner(link, all[number].finding)) {
            continue;
        }
        struct mpl_diagnosed *inner = &all[number];

        if (outer->n_explained_by++ > 0 || isnan(outer->lost_s) ||
            strcmp(outer->finding->kind, "cause") != 0) {
            continue;
        }
        /* What the world says holds the seconds inside, too; what remains without them not. */
        inner->outer_s = !is_of_world(outer)
                             ? inner->outer_s + outer->lost_s
                             : fmax(inner->outer_s, outer->lost_s - inner->lost_s);
    }
}

enum mpl_status mpl_nesting_mark(struct mpl_analysis *a, struct mpl_diagnosed *all,
                                 size_t n, struct mpl_err *err)
{
    const struct mpl_finding **by_number =
        MPL_NEW_ARRAY(a->arena, n, const struct mpl_finding *);

    if (by_number == NULL) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < n; i++) {
        by_number[i] = all[i].finding;
    }
    /* Parts first: the world's seconds are compared with what they add up to. */
    for (int world = 0; world <= 1; world++) {
        for (size_t i = 0; i < n; i++) {
            for (size_t k = 0; is_link(&all[i]) && k < n; k++) {
                if (is_of_world(&all[k]) == (world == 1) &&
                    is_about(&all[i], all[k].finding, by_number)) {
                    mark(all, &all[i], &all[k]);
                }
            }
        }
    }
    return MPL_OK;
}

/* Adds the ids of the causes in \p link. */
static void add_ids(const struct mpl_diagnosed *link,
                    const struct mpl_finding *const *by_number, const char *const *id_of,
                    const char **ids, size_t *n)
{
    size_t number;

    for (size_t at = 0; next_finding(link, &at, &number);) {
        bool is_new = is_inner(link, by_number[number]);

        for (size_t i = 0; i < *n; i++) {
            is_new = is_new && strcmp(ids[i], id_of[number]) != 0;
        }
        if (is_new) {
            ids[(*n)++] = id_of[number];
        }
    }
}

enum mpl_status mpl_nesting_link(struct mpl_analysis *a, struct mpl_diagnosed *all,
                                 size_t n, const char *const *id_of, struct mpl_err *err)
{
    const struct mpl_finding **by_number =
        MPL_NEW_ARRAY(a->arena, n, const struct mpl_finding *);

    if (by_number == NULL) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < n; i++) {
        by_number[all[i].number] = all[i].finding;
    }
    for (size_t i = 0; i < n; i++) {
        const char **ids = MPL_NEW_ARRAY(a->arena, all[i].n_explained_by, const char *);
        size_t n_ids = 0;

        if (ids == NULL) {
            return mpl_nomem(err);
        }
        for (size_t k = 0; k < n && all[i].n_explained_by > 0; k++) {
            if (is_link(&all[k]) && is_about(&all[k], all[i].finding, by_number)) {
                add_ids(&all[k], by_number, id_of, ids, &n_ids);
            }
        }
        all[i].explained_by = ids;
        all[i].n_explained_by = n_ids;
    }
    return MPL_OK;
}

double mpl_nesting_severity(const struct mpl_diagnosed *d)
{
    return d->lost_s > 0 ? d->severity * (d->lost_s + d->outer_s) / d->lost_s : d->severity;
}
