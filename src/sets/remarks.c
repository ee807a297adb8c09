/* Why runs that one might take for repetitions, or for runs of one program, are none. */
#include "config.h"

#include "sets/sets_priv.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct remarks {
    const struct mpl_sets_input *in;
    struct mpl_arena *arena;
    struct mpl_sets *sets;
    const struct work *works;
    const char **texts; /* room for five per run */
    size_t n;
    bool is_short; /* of memory */
};

static void add(struct remarks *r, const char *text)
{
    r->is_short = r->is_short || text == NULL;
    r->texts[r->n++] = text;
}

static const char *keep(struct remarks *r, const char *text)
{
    r->is_short = r->is_short || text == NULL;
    return text != NULL ? text : "?";
}

/* "r1", or "r1, r4 and r5". */
static const char *names(struct remarks *r, const struct mpl_group *group)
{
    struct mpl_arena *arena = r->arena;
    const char *text = "";

    for (size_t i = 0; i < group->n_runs && text != NULL; i++) {
        text = mpl_arena_printf(arena, "%s%s%s", text,
                                i == 0                   ? ""
                                : i + 1 == group->n_runs ? " and "
                                                         : ", ",
                                r->in->runs[group->runs[i]].id);
    }
    return keep(r, text);
}

static double ratio(double x, double y)
{
    const double low = x < y ? x : y;

    return low > 0 ? (x < y ? y : x) / low : 0;
}

static const char *times(struct remarks *r, double x, double y)
{
    const double factor = ratio(x, y);

    return factor > 0 ? keep(r, mpl_arena_printf(r->arena, "%.3g times as", factor))
                      : "infinitely";
}

/* Two groups of the same number of processes, next to each other. */
static void remark_difference(struct remarks *r, const struct mpl_group *x,
                              const struct mpl_group *y)
{
    struct mpl_arena *arena = r->arena;
    const struct work *v = &r->works[x->speaker];
    const struct work *w = &r->works[y->speaker];
    const char *head = mpl_arena_printf(
        arena, "%s and %s have %u processes each, but they are no repetitions of one run: ",
        names(r, x), names(r, y), (unsigned) x->processes);
    const struct mpl_group *more = v->compute_s < w->compute_s ? y : x;
    const struct mpl_group *busier = v->n_calls < w->n_calls ? y : x;
    const char *why = NULL;

    if (strcmp(v->settings != NULL ? v->settings : "",
               w->settings != NULL ? w->settings : "") != 0) {
        why = mpl_arena_printf(arena, "their settings differ (%s; %s).",
                               v->settings != NULL ? v->settings : "not said",
                               w->settings != NULL ? w->settings : "not said");
    } else if (r->in->runs[x->speaker].model->n_locations !=
               r->in->runs[y->speaker].model->n_locations) {
        why = mpl_arena_printf(arena, "their numbers of threads differ.");
    } else if (!mpl_works_are_same((double) v->n_calls, (double) w->n_calls)) {
        why = mpl_arena_printf(arena, "%s exchange%s %s many messages.", names(r, busier),
                               busier->n_runs > 1 ? "" : "s",
                               times(r, (double) v->n_calls, (double) w->n_calls));
    } else {
        why = mpl_arena_printf(
            arena, "%s compute%s %s long (%s against %s in all processes).", names(r, more),
            more->n_runs > 1 ? "" : "s", times(r, v->compute_s, w->compute_s),
            keep(r, mpl_text_seconds(arena, fmax(v->compute_s, w->compute_s))),
            keep(r, mpl_text_seconds(arena, fmin(v->compute_s, w->compute_s))));
    }
    add(r, head == NULL || why == NULL ? NULL : mpl_arena_printf(arena, "%s%s", head, why));
}

static void remark_groups(struct remarks *r)
{
    const struct mpl_sets *sets = r->sets;

    for (size_t i = 1; i < sets->n_groups; i++) {
        if (sets->groups[i - 1].processes == sets->groups[i].processes &&
            sets->groups[i - 1].program == sets->groups[i].program) {
            remark_difference(r, &sets->groups[i - 1], &sets->groups[i]);
        }
    }
}

/* The first run of each program beside the first, against the first run. */
static void remark_programs(struct remarks *r)
{
    uint32_t n_known = 1;
    size_t first = 0;

    while (first < r->in->n_runs && !mpl_run_is_usable(&r->in->runs[first])) {
        first++;
    }
    for (size_t i = first; i < r->in->n_runs; i++) {
        if (mpl_run_is_usable(&r->in->runs[i]) && r->works[i].program >= n_known) {
            n_known = r->works[i].program + 1;
            add(r, mpl_arena_printf(
                       r->arena,
                       "%s and %s do not look like runs of one program: they call "
                       "other functions, or communicate in another pattern.",
                       r->in->runs[first].id, r->in->runs[i].id));
        }
    }
}

static void remark_manifest(struct remarks *r)
{
    for (size_t i = 0; i < r->in->n_runs; i++) {
        const struct work *w = &r->works[i];

        if (mpl_run_is_usable(&r->in->runs[i]) && w->expected > 0 &&
            w->expected != r->in->runs[i].model->n_processes) {
            add(r, mpl_arena_printf(r->arena,
                                    "The manifest says that %s has %u processes; its trace "
                                    "has %u.",
                                    r->in->runs[i].id, (unsigned) w->expected,
                                    (unsigned) r->in->runs[i].model->n_processes));
        }
    }
}

/* Cores that others may use more in one run than in another, before their times do not compare. */
static const double foreign_alike = 0.25;
/* Factor between the ranks that share a core, likewise. */
static const double sharing_alike = 1.1;

/* What of the machine differed between two runs; "": nothing that is known. NULL without memory. */
static const char *machine_difference(struct remarks *r, const struct mpl_run *x,
                                      const struct mpl_run *y)
{
    struct mpl_arena *arena = r->arena;
    const struct mpl_machine *m = &x->machine;
    const struct mpl_machine *n = &y->machine;
    const double most = fmax(m->ranks_per_core, n->ranks_per_core);

    if (m->host != NULL && n->host != NULL && strcmp(m->host, n->host) != 0) {
        return mpl_arena_printf(arena, "%s ran on %s, %s on %s: times may differ for that.",
                                y->id, n->host, x->id, m->host);
    }
    /* Up to one on each, none waits for a core. */
    if (most > 1 && m->ranks_per_core > 0 && n->ranks_per_core > 0 &&
        ratio(fmax(1, m->ranks_per_core), fmax(1, n->ranks_per_core)) >= sharing_alike) {
        return mpl_arena_printf(
            arena, "%.3g ranks share a core in %s, %.3g in %s: times may differ for that.",
            n->ranks_per_core, y->id, m->ranks_per_core, x->id);
    }
    if (m->cores > 0 && n->cores > 0 &&
        fabs(m->foreign_cores - n->foreign_cores) >= foreign_alike) {
        return mpl_arena_printf(
            arena,
            "Other programs kept %.2f cores busy during %s, and %.2f during %s: times may "
            "differ for that.",
            n->foreign_cores, y->id, m->foreign_cores, x->id);
    }
    return "";
}

/* Each run beside the first one of its program. */
static void remark_machines(struct remarks *r)
{
    for (size_t i = 1; i < r->in->n_runs; i++) {
        size_t first = 0;

        while (first < i && (!mpl_run_is_usable(&r->in->runs[first]) ||
                             r->works[first].program != r->works[i].program)) {
            first++;
        }
        if (first == i || !mpl_run_is_usable(&r->in->runs[i])) {
            continue;
        }
        const char *text = machine_difference(r, &r->in->runs[first], &r->in->runs[i]);
        if (text == NULL || text[0] != '\0') {
            add(r, text);
            r->sets->machine_remark =
                r->sets->machine_remark != NULL ? r->sets->machine_remark : text;
        }
    }
}

/* One who names a trace twice gets repetitions that agree in everything. */
static void remark_same(struct remarks *r)
{
    struct mpl_names *seen = mpl_names_create();
    size_t *first = MPL_NEW_ARRAY(r->arena, r->in->n_runs, size_t);
    char real[PATH_MAX];

    r->is_short = r->is_short || seen == NULL || first == NULL;
    for (size_t i = 0; i < r->in->n_runs && !r->is_short; i++) {
        const size_t known = mpl_names_count(seen);
        const char *path = realpath(r->in->runs[i].path, real);
        const uint32_t number = path == NULL ? MPL_NONE : mpl_names_put(seen, path);

        if (path == NULL) {
            continue;
        }
        if (number == MPL_NONE) {
            r->is_short = true;
        } else if (number == known) {
            first[number] = i;
        } else {
            add(r,
                mpl_arena_printf(
                    r->arena, "%s and %s are the same trace: that they agree says nothing.",
                    r->in->runs[first[number]].id, r->in->runs[i].id));
        }
    }
    mpl_names_destroy(seen);
}

enum mpl_status mpl_sets_remark(const struct mpl_sets_input *in, const struct work *works,
                                struct mpl_arena *arena, struct mpl_sets *sets,
                                struct mpl_err *err)
{
    struct remarks r = { .in = in,
                         .arena = arena,
                         .sets = sets,
                         .works = works,
                         .texts = MPL_NEW_ARRAY(arena, 5 * in->n_runs, const char *) };

    if (r.texts == NULL) {
        return mpl_nomem(err);
    }
    remark_same(&r);
    remark_programs(&r);
    remark_groups(&r);
    remark_manifest(&r);
    remark_machines(&r);
    sets->remarks = r.texts;
    sets->n_remarks = r.n;
    return r.is_short ? mpl_nomem(err) : MPL_OK;
}
