#include "config.h"

#include "api/objects_priv.h"

static enum mpl_status make(const struct mpl_analysis *analysis,
                            const struct mpl_options *options, const char *tracer,
                            struct mpl_arena *arena, const struct mpl_plan **out,
                            struct mpl_err *err)
{
    const struct mpl_diagnosis *diagnosis = mpl_analysis_diagnosis(analysis);
    struct mpl_plan_options asked = { .tracer = tracer };
    struct mpl_lint *lint = mpl_lint_create(arena);
    size_t n = 0;
    const char *const *directories = mpl_options_directories(options, arena, &n);

    if (diagnosis->verdict == MPL_VERDICT_UNUSABLE) {
        (void) mpl_fail(err, MPL_E_MEANING, "%s",
                        diagnosis->n_runs > 0 ? diagnosis->runs[0].failure
                                              : "there is no trace");
        return mpl_wrap(err, MPL_E_MEANING, "nothing can be planned");
    }
    if (lint == NULL || directories == NULL) {
        return mpl_nomem(err);
    }
    const enum mpl_status st =
        mpl_tracers_load(directories, n, arena, lint, &asked.tracers, err);

    return st == MPL_OK ? mpl_plan_make(analysis, &asked, arena, out, err) : st;
}

enum mpl_status mpl_plan_print(const struct mpl_analysis *analysis,
                               const struct mpl_options *options, const char *tracer,
                               enum mpl_print format, const struct mpl_looks *looks,
                               FILE *out, struct mpl_err *err)
{
    static const struct mpl_report_options usual = { 0 };
    struct mpl_arena *arena = mpl_arena_create();
    const struct mpl_plan *plan = NULL;

    enum mpl_status st = format == MPL_PRINT_HTML
                             ? mpl_fail(err, MPL_E_USAGE, "a plan is text or JSON, no page")
                             : make(analysis, options, tracer, arena, &plan, err);

    if (st == MPL_OK && format == MPL_PRINT_JSON) {
        st = mpl_report_plan_json(plan, out, err);
    } else if (st == MPL_OK) {
        st = mpl_report_plan_text(plan, looks != NULL ? &looks->report : &usual, out, err);
    }
    mpl_arena_destroy(arena);
    return st;
}
