/* Which facts there may be of the runs and what was recognised in them, so that rules can be left out. */
#include "config.h"

#include "analysis/analysis_priv.h"

static bool give(struct mpl_buf *given, const char *template, const char *name)
{
    return mpl_buf_put(given, &(struct mpl_given){ template, name });
}

static bool give_run(const struct mpl_run *run, struct mpl_buf *given)
{
    size_t n = 0;
    const struct mpl_capability *table = mpl_capability_table(&n);
    bool is_whole = true;

    for (size_t i = 0; i < n; i++) {
        if (mpl_capability_get(&run->model->can, &table[i])) {
            is_whole = is_whole && give(given, "capability", table[i].name);
        }
    }
    for (size_t i = 0; i < mpl_quality_count(run->model->quality); i++) {
        is_whole = is_whole &&
                   give(given, "quality", mpl_quality_get(run->model->quality, i)->note);
    }
    return is_whole && (run->halt == NULL ||
                        (give(given, "halt", NULL) && give(given, "halted", NULL) &&
                         (run->halt->n_leftovers == 0 || give(given, "unreceived", NULL))));
}

/* Its own name, and those of the patterns that it extends. */
static bool give_patterns(const struct mpl_analysis *a, struct mpl_buf *given)
{
    bool is_whole = true;

    for (size_t i = 0; i < mpl_patterns_count(a->patterns); i++) {
        const struct mpl_pattern *pattern = mpl_patterns_get(a->patterns, i);
        bool is_there = false;

        for (size_t j = 0; j < a->n_trials && !is_there; j++) {
            const struct trial *t = &a->trials[j];

            is_there =
                t->shown.is_chosen && (t->shown.pattern == pattern ||
                                       mpl_pattern_extends(t->shown.pattern, pattern));
        }
        is_whole =
            is_whole && (!is_there || give(given, "pattern", mpl_pattern_name(pattern)));
    }
    return is_whole;
}

/* Where a pattern has no such metric, no condition on it is met. */
static bool give_metrics(const struct mpl_analysis *a, struct mpl_buf *given)
{
    bool is_whole = true;

    for (size_t i = 0; i < a->n_trials; i++) {
        const struct mpl_trial *t = &a->trials[i].shown;
        const size_t n = t->is_chosen ? mpl_metric_set_count(t->metrics) : 0;

        for (size_t j = 0; j < n; j++) {
            const char *name = mpl_metric_set_get(t->metrics, j).name;

            is_whole =
                is_whole && give(given, "metric", name) && give(given, "unknown", name);
        }
    }
    return is_whole;
}

static bool has_parts(const struct mpl_analysis *a)
{
    for (size_t i = 0; i < a->n_trials; i++) {
        if (a->trials[i].shown.is_chosen && a->trials[i].part != NULL) {
            return true;
        }
    }
    return false;
}

enum mpl_status mpl_facts_given(struct mpl_analysis *a, struct mpl_err *err)
{
    static const char *const always[] = { "run", "location", "role", "repeats",
                                          "last-call" };
    struct mpl_buf given = mpl_buf_make(sizeof(struct mpl_given));
    bool is_whole = give_patterns(a, &given) && give_metrics(a, &given) &&
                    (a->n_runs < 2 || give(&given, "scaling", NULL)) &&
                    (!has_parts(a) || give(&given, "nested", NULL));

    for (size_t i = 0; i < sizeof always / sizeof always[0]; i++) {
        is_whole = is_whole && give(&given, always[i], NULL);
    }
    for (size_t i = 0; i < a->n_runs; i++) {
        if (mpl_run_is_usable(&a->runs[i])) {
            is_whole = is_whole && give_run(&a->runs[i], &given);
        }
    }
    a->limits.n_given = given.n;
    a->limits.given = mpl_buf_take(&given, a->arena);
    mpl_buf_free(&given);
    return is_whole && a->limits.given != NULL ? MPL_OK : mpl_nomem(err);
}
