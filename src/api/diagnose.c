#include "config.h"

#include "api/objects_priv.h"

#include "draw/draw.h"

#include <stdlib.h>

static const char *stock_directory(const struct mpl_options *options)
{
    if (options != NULL && options->stock != NULL) {
        return options->stock;
    }
    const char *asked = getenv("MARPLE_DATA");
    return asked != NULL && asked[0] != '\0' ? asked : MPL_PKGDATADIR;
}

const char *const *mpl_options_directories(const struct mpl_options *options,
                                           struct mpl_arena *arena, size_t *n)
{
    const size_t more = options == NULL ? 0 : options->knowledge.n;
    const char **knowledge = MPL_NEW_ARRAY(arena, 1 + more, const char *);

    if (knowledge == NULL) {
        return NULL;
    }
    knowledge[0] = stock_directory(options);
    for (size_t i = 0; i < more; i++) {
        knowledge[1 + i] = *(const char **) mpl_buf_get(&options->knowledge, i);
    }
    *n = 1 + more;
    return knowledge;
}

static enum mpl_status fill(const struct mpl_options *options, struct mpl_arena *arena,
                            struct mpl_analysis_options *asked, struct mpl_err *err)
{
    asked->knowledge = mpl_options_directories(options, arena, &asked->n_knowledge);
    if (asked->knowledge == NULL) {
        return mpl_nomem(err);
    }
    if (options != NULL) {
        asked->roles = options->roles.data;
        asked->n_roles = options->roles.n;
        asked->pattern = options->pattern;
        asked->clock = &options->clock;
        asked->progress = &options->progress;
    }
    return MPL_OK;
}

/* Faults of patterns and rules are messages with places; the first of them becomes the error. */
static enum mpl_status tell_faults(const struct mpl_analysis *analysis,
                                   enum mpl_status status, struct mpl_err *err)
{
    if (analysis != NULL && mpl_lint_errors(mpl_analysis_lint(analysis)) > 0) {
        const enum mpl_status st = mpl_lint_fail(mpl_analysis_lint(analysis), err);
        return mpl_wrap(err, st, "cannot load the knowledge");
    }
    return status;
}

enum mpl_status mpl_diagnose(const struct mpl_traces *traces,
                             const struct mpl_options *options, struct mpl_analysis **out,
                             struct mpl_err *err)
{
    struct mpl_analysis_options asked = { 0 };
    struct mpl_analysis *analysis = NULL;

    if (traces == NULL) {
        return mpl_nomem(err);
    }
    struct mpl_arena *arena = mpl_arena_create();
    if (arena == NULL) {
        return mpl_nomem(err);
    }
    enum mpl_status st = fill(options, arena, &asked, err);
    if (st == MPL_OK) {
        st = mpl_analysis_run(traces->paths.data, traces->paths.n, &asked, &analysis, err);
    }
    if (st == MPL_OK) {
        *out = analysis;
    } else {
        st = tell_faults(analysis, st, err);
        mpl_analysis_destroy(analysis);
    }
    mpl_arena_destroy(arena);
    return st;
}

enum mpl_status mpl_analysis_print(struct mpl_analysis *analysis, enum mpl_print format,
                                   const struct mpl_looks *looks, FILE *out,
                                   struct mpl_err *err)
{
    static const struct mpl_report_options usual = { 0 };
    const struct mpl_diagnosis *diagnosis = mpl_analysis_diagnosis(analysis);

    if (format == MPL_PRINT_HTML) {
        static const struct mpl_draw_options page = { 0 };

        return mpl_draw_page(analysis, &page, out, err);
    }
    if (format == MPL_PRINT_JSON) {
        return mpl_report_json(diagnosis, NULL, out, err);
    }
    return mpl_report_text(diagnosis, looks != NULL ? &looks->report : &usual, out, err);
}
