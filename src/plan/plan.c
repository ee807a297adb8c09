#include "config.h"

#include "plan/plan_priv.h"

#include <math.h>
#include <string.h>

static int compare(double x, double y)
{
    return x < y ? -1 : x > y;
}

static int compare_texts(const char *x, const char *y)
{
    return strcmp(x != NULL ? x : "", y != NULL ? y : "");
}

/* The most informative for its cost first. Ties are broken, so that every sort gives the same order: by
 * level, by cost, and then by what it is for. */
static int by_information(const void *a, const void *b)
{
    const struct want *w[2] = { a, b };
    const struct mpl_planned *x = &w[0]->planned;
    const struct mpl_planned *y = &w[1]->planned;
    const char *const tracers[2] = {
        w[0]->tracer != NULL ? mpl_tracer_file_name(w[0]->tracer) : NULL,
        w[1]->tracer != NULL ? mpl_tracer_file_name(w[1]->tracer) : NULL,
    };
    const int keys[] = {
        compare(y->information, x->information),
        x->level - y->level,
        compare(x->run_s, y->run_s),
        compare_texts(x->purpose, y->purpose),
        compare_texts(tracers[0], tracers[1]),
        compare_texts(x->knob, y->knob),
        compare(x->n_processes, y->n_processes),
        x->n_processes > 0 && y->n_processes > 0 ? compare(x->processes[0], y->processes[0])
                                                 : 0,
        compare(x->run, y->run),
    };

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (keys[i] != 0) {
            return keys[i];
        }
    }
    return 0;
}

static enum mpl_status publish(struct planner *p, const struct mpl_plan **out,
                               struct mpl_err *err)
{
    struct mpl_plan *plan = MPL_NEW(p->arena, struct mpl_plan);
    struct mpl_planned *all = MPL_NEW_ARRAY(p->arena, p->wants.n, struct mpl_planned);

    if (plan == NULL || all == NULL) {
        return mpl_nomem(err);
    }
    mpl_sort(p->wants.data, p->wants.n, sizeof(struct want), by_information);
    for (size_t i = 0; i < p->wants.n; i++) {
        all[i] = ((const struct want *) mpl_buf_get(&p->wants, i))->planned;
        all[i].id = mpl_arena_printf(p->arena, "e%zu", i + 1);
        if (all[i].id == NULL) {
            return mpl_nomem(err);
        }
    }
    *plan = (struct mpl_plan){ .diagnosis = p->diagnosis,
                               .n = p->wants.n,
                               .experiments = all,
                               .n_unanswerable = p->unanswerable.n,
                               .unanswerable = p->unanswerable.items };
    *out = plan;
    return MPL_OK;
}

static enum mpl_status check_tracer(const struct mpl_plan_options *options,
                                    struct mpl_arena *arena, struct mpl_err *err)
{
    return options->tracer == NULL ||
                   mpl_tracers_find(options->tracers, options->tracer) != NULL
               ? MPL_OK
               : mpl_tracers_fail(options->tracers, options->tracer, arena, err);
}

enum mpl_status mpl_plan_make(const struct mpl_analysis *analysis,
                              const struct mpl_plan_options *options,
                              struct mpl_arena *arena, const struct mpl_plan **out,
                              struct mpl_err *err)
{
    struct planner p = { .analysis = analysis,
                         .diagnosis = mpl_analysis_diagnosis(analysis),
                         .options = options,
                         .arena = arena,
                         .wants = mpl_buf_make(sizeof(struct want)) };
    enum mpl_status st = check_tracer(options, arena, err);

    st = st == MPL_OK ? mpl_wants_collect(&p, err) : st;
    for (size_t i = 0; i < p.wants.n && st == MPL_OK; i++) {
        st = mpl_want_choose(&p, mpl_buf_get(&p.wants, i), err);
    }
    st = st == MPL_OK ? mpl_wants_merge(&p, err) : st;
    for (size_t i = 0; i < p.wants.n && st == MPL_OK; i++) {
        st = mpl_want_estimate(&p, mpl_buf_get(&p.wants, i), err);
    }
    st = st == MPL_OK ? publish(&p, out, err) : st;
    mpl_buf_free(&p.wants);
    return st == MPL_OK ? st : mpl_wrap(err, st, "cannot plan what to measure");
}

enum mpl_status mpl_plan_first(const struct mpl_plan_options *options, uint32_t processes,
                               struct mpl_arena *arena, const struct mpl_planned **out,
                               struct mpl_err *err)
{
    static const char *const reasons[] = {
        "nothing is known of the program; messages and collectives show who works with whom"
    };
    static const char *const purposes[] = { "see which pattern the program follows" };
    static const char *const least[] = { "messages", "collectives" };
    struct mpl_planned *e = MPL_NEW(arena, struct mpl_planned);
    struct mpl_settings *settings = MPL_NEW(arena, struct mpl_settings);
    uint32_t *n = MPL_NEW(arena, uint32_t);
    enum mpl_status st = check_tracer(options, arena, err);

    if (st != MPL_OK || e == NULL || settings == NULL || n == NULL) {
        return st != MPL_OK ? st : mpl_nomem(err);
    }
    const struct mpl_tracer_file *tracer = mpl_plan_choose_first(options);

    *n = processes;
    *e = (struct mpl_planned){ .id = "e1",
                               .pattern = "",
                               .level = 1,
                               .n_purposes = 1,
                               .purposes = purposes,
                               .purpose = purposes[0],
                               .n_reasons = 1,
                               .reasons = reasons,
                               .recording = { .capabilities = least, .n_capabilities = 2 },
                               .n_processes = 1,
                               .processes = n,
                               .repetitions = 1,
                               .bytes = NAN,
                               .run_s = NAN,
                               .overhead_s = NAN,
                               .information = NAN,
                               .problem = "no tracer is described in the directories of "
                                          "knowledge" };
    if (tracer != NULL) {
        st = mpl_tracer_settle(tracer, &e->recording, 0, arena, settings, err);
        e->settings = settings;
        e->problem = NULL;
        e->is_executable =
            mpl_tracer_is_installed(tracer) && !mpl_tracer_needs_build(tracer);
    }
    if (st == MPL_OK) {
        *out = e;
    }
    return st == MPL_OK ? st : mpl_wrap(err, st, "cannot plan the first run");
}
