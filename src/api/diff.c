#include "config.h"

#include "api/objects_priv.h"

#include "diff/diff.h"
#include "draw/draw.h"

struct side {
    struct mpl_analysis **analyses;
    const struct mpl_run **runs;
    size_t n;
};

enum { BASE, NEW, SIDES };

struct mpl_differences {
    struct mpl_arena *arena; /* holds this, too */
    struct side sides[SIDES];
    struct mpl_comparison *comparison;
};

void mpl_differences_destroy(struct mpl_differences *differences)
{
    if (differences == NULL) {
        return;
    }
    mpl_diff_destroy(differences->comparison);
    for (int s = 0; s < SIDES; s++) {
        for (size_t i = 0; i < differences->sides[s].n; i++) {
            mpl_analysis_destroy(differences->sides[s].analyses[i]);
        }
    }
    mpl_arena_destroy(differences->arena);
}

static enum mpl_status read_side(const struct mpl_traces *traces,
                                 const struct mpl_options *options, struct mpl_arena *arena,
                                 struct side *out, struct mpl_err *err)
{
    const struct mpl_clock_options *clock = options == NULL ? NULL : &options->clock;
    const struct mpl_progress *progress = options == NULL ? NULL : &options->progress;
    const size_t n = traces->paths.n;
    enum mpl_status st = MPL_OK;

    out->analyses = MPL_NEW_ARRAY(arena, n, struct mpl_analysis *);
    out->runs = MPL_NEW_ARRAY(arena, n, const struct mpl_run *);
    if (out->analyses == NULL || out->runs == NULL) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < n && st == MPL_OK; i++) {
        const char *path = *(const char **) mpl_buf_get(&traces->paths, i);

        out->n = i + 1;
        st = mpl_analysis_calls(path, NULL, 0, clock, progress, &out->analyses[i], err);
        out->runs[i] =
            st == MPL_OK ? &mpl_analysis_diagnosis(out->analyses[i])->runs[0] : NULL;
    }
    return st;
}

static enum mpl_status compare(struct mpl_differences *d, const struct mpl_traces *base,
                               const struct mpl_traces *new,
                               const struct mpl_options *options, struct mpl_err *err)
{
    static const struct mpl_diff_options usual = { 0 };
    enum mpl_status st = read_side(base, options, d->arena, &d->sides[BASE], err);

    st = st == MPL_OK ? read_side(new, options, d->arena, &d->sides[NEW], err) : st;
    if (st != MPL_OK) {
        return st;
    }

    const struct mpl_diff_runs runs[SIDES] = { { d->sides[BASE].n, d->sides[BASE].runs },
                                               { d->sides[NEW].n, d->sides[NEW].runs } };

    return mpl_diff_create(&runs[BASE], &runs[NEW], &usual, &d->comparison, err);
}

enum mpl_status mpl_diff(const struct mpl_traces *base, const struct mpl_traces *new_runs,
                         const struct mpl_options *options, struct mpl_differences **out,
                         struct mpl_err *err)
{
    if (base == NULL || new_runs == NULL) {
        return mpl_nomem(err);
    }
    if (base->paths.n == 0 || new_runs->paths.n == 0) {
        return mpl_fail(err, MPL_E_USAGE, "%s has no trace",
                        base->paths.n == 0 ? "the base" : "the new run");
    }
    struct mpl_arena *arena = mpl_arena_create();
    struct mpl_differences *d =
        arena == NULL ? NULL : MPL_NEW(arena, struct mpl_differences);
    if (d == NULL) {
        mpl_arena_destroy(arena);
        return mpl_nomem(err);
    }
    d->arena = arena;
    const enum mpl_status st = compare(d, base, new_runs, options, err);
    if (st == MPL_OK) {
        *out = d;
    } else {
        mpl_differences_destroy(d);
    }
    return st;
}

/* ---- the answer ----------------------------------------------------------------------------- */

const char *mpl_differences_verdict(const struct mpl_differences *differences)
{
    return mpl_diff_verdict_name(mpl_diff_get(differences->comparison)->verdict);
}

const char *mpl_differences_reason(const struct mpl_differences *differences)
{
    return mpl_diff_get(differences->comparison)->reason;
}

size_t mpl_suspect_count(const struct mpl_differences *differences)
{
    return mpl_diff_get(differences->comparison)->n_changes;
}

const char *mpl_suspect_location(const struct mpl_differences *differences, size_t i)
{
    const struct mpl_diff *diff = mpl_diff_get(differences->comparison);

    mpl_assert(i < diff->n_changes);
    return diff->new->model->locations[diff->changes[i].location].label;
}

bool mpl_suspect_iteration(const struct mpl_differences *differences, size_t i,
                           uint32_t *iteration)
{
    const struct mpl_diff *diff = mpl_diff_get(differences->comparison);

    mpl_assert(i < diff->n_changes);
    *iteration = diff->changes[i].iteration;
    return diff->changes[i].n_iterations > 0;
}

enum mpl_status mpl_differences_print(const struct mpl_differences *differences,
                                      enum mpl_print format, const struct mpl_looks *looks,
                                      FILE *out, struct mpl_err *err)
{
    static const struct mpl_report_options usual = { 0 };
    enum { TOP = 3 };
    const struct mpl_report_options *options = looks != NULL ? &looks->report : &usual;
    const struct mpl_diff *diff = mpl_diff_get(differences->comparison);

    if (format == MPL_PRINT_HTML) {
        static const struct mpl_draw_options page = { 0 };

        return mpl_draw_diff_page(diff, NULL, &page, out, err);
    }
    return format == MPL_PRINT_JSON
               ? mpl_report_diff_json(diff, NULL, out, err)
               : mpl_report_diff_text(diff, NULL, options->top > 0 ? options->top : TOP,
                                      options, out, err);
}

/* ---- baselines ------------------------------------------------------------------------------ */

enum mpl_status mpl_baseline_write(const char *path, const struct mpl_options *options,
                                   FILE *out, struct mpl_err *err)
{
    struct mpl_analysis *analysis = NULL;
    enum mpl_status st =
        mpl_analysis_calls(path, NULL, 0, options == NULL ? NULL : &options->clock,
                           options == NULL ? NULL : &options->progress, &analysis, err);

    st = st == MPL_OK ? mpl_diff_save(&mpl_analysis_diagnosis(analysis)->runs[0], out, err)
                      : st;
    mpl_analysis_destroy(analysis);
    return st;
}
