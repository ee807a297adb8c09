/* Which tracer records what is wanted. */
#include "config.h"

#include "plan/plan_priv.h"

#include <string.h>

/* How well a tracer serves a want; lower is better. */
struct rating {
    size_t n_lacks; /* of what is wanted, it does not record, or only under a condition */
    bool is_other;  /* it never records something that the run at hand has */
    bool is_absent; /* not installed here */
    bool is_build;  /* the program has to be built for it */
    size_t breadth; /* what it records in all: here, more is better */
};

static bool is_better(const struct rating *a, const struct rating *b)
{
    if (a->n_lacks != b->n_lacks) {
        return a->n_lacks < b->n_lacks;
    }
    if (a->is_other != b->is_other) {
        return b->is_other;
    }
    if (a->is_absent != b->is_absent) {
        return b->is_absent;
    }
    if (a->is_build != b->is_build) {
        return b->is_build;
    }
    return a->breadth > b->breadth;
}

/*
 * Runs are compared with each other, so another one should record what this one does. Completions
 * are left out: a program that posts no such operations has all of them.
 */
static bool is_lesser(const struct mpl_tracer_file *tracer, const struct mpl_run *run)
{
    static const char *const names[] = { "user-regions", "source-lines",  "init-finalize",
                                         "threads",      "clock-offsets", "counters" };

    for (size_t i = 0; run->model != NULL && i < sizeof names / sizeof *names; i++) {
        const struct mpl_capability *c = mpl_capability_find(names[i]);
        const char *why = NULL;
        /* Who records CPU time counts what the operating system does, which no tracer is asked for. */
        const bool is_of_system =
            strcmp(names[i], "counters") == 0 && run->model->can.has_cpu_time;

        if (c != NULL && !is_of_system && mpl_capability_get(&run->model->can, c) &&
            !mpl_tracer_records(tracer, names[i], &why)) {
            return true;
        }
    }
    return false;
}

static size_t count_lacks(const struct mpl_tracer_file *tracer, const struct want *want)
{
    size_t n = 0;

    for (size_t i = 0; i < want->capabilities.n; i++) {
        const char *why = NULL;

        /* The run at hand lacks it, so a condition that would bring it is not met either. */
        n += !mpl_tracer_records(tracer, want->capabilities.items[i], &why) || why != NULL;
    }
    return n;
}

/* For a want of the run at hand; NULL: of a program of which there is no run. */
static const struct mpl_tracer_file *best_of(const struct mpl_plan_options *options,
                                             const struct want *want,
                                             const struct mpl_run *run)
{
    const struct mpl_tracers *all = options->tracers;
    const struct mpl_tracer_file *best = NULL;
    struct rating least = { 0 };

    if (options->tracer != NULL) {
        return mpl_tracers_find(all, options->tracer);
    }
    for (size_t i = 0; i < mpl_tracers_count(all); i++) {
        const struct mpl_tracer_file *tracer = mpl_tracers_get(all, i);
        const struct rating r = { .n_lacks = want == NULL ? 0 : count_lacks(tracer, want),
                                  .is_other = run != NULL && is_lesser(tracer, run),
                                  .is_absent = !mpl_tracer_is_installed(tracer),
                                  .is_build = mpl_tracer_needs_build(tracer),
                                  .breadth = mpl_tracer_breadth(tracer) };

        if (best == NULL || is_better(&r, &least)) {
            best = tracer;
            least = r;
        }
    }
    return best;
}

/* Whether any tracer known here records it without a condition. */
static bool is_recordable(const struct planner *p, const char *capability)
{
    for (size_t i = 0; i < mpl_tracers_count(p->options->tracers); i++) {
        const char *why = NULL;

        if (mpl_tracer_records(mpl_tracers_get(p->options->tracers, i), capability, &why) &&
            why == NULL) {
            return true;
        }
    }
    return false;
}

static bool tell_lacks(struct planner *p, struct want *want)
{
    for (size_t i = 0; i < want->capabilities.n; i++) {
        const char *name = want->capabilities.items[i];
        const char *why = NULL;
        const bool can = mpl_tracer_records(want->tracer, name, &why);

        if (can && why == NULL) {
            continue;
        }
        want->problem = mpl_arena_printf(p->arena, "%s does not record %s: %s%s",
                                         mpl_tracer_file_name(want->tracer), name,
                                         can ? "only " : "", why);
        if (want->problem == NULL) {
            return false;
        }
        if (!is_recordable(p, name) &&
            !mpl_texts_add(
                p, &p->unanswerable,
                mpl_arena_printf(p->arena, "%s: no tracer known here records it", name))) {
            return false;
        }
    }
    return true;
}

enum mpl_status mpl_want_choose(struct planner *p, struct want *want, struct mpl_err *err)
{
    want->tracer = best_of(p->options, want, &p->diagnosis->runs[want->run]);
    if (want->tracer == NULL) {
        want->problem = "no tracer is described in the directories of knowledge";
        return MPL_OK;
    }
    return tell_lacks(p, want) ? MPL_OK : mpl_nomem(err);
}

const struct mpl_tracer_file *mpl_plan_choose_first(const struct mpl_plan_options *options)
{
    return best_of(options, NULL, NULL);
}
