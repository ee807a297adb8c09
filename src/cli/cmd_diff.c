#include "config.h"

#include "cli/cli_priv.h"
#include "cli/traces_priv.h"

#include "diff/diff.h"
#include "report/report.h"

#include <string.h>

enum {
    OPT_FORMAT,
    OPT_OUTPUT,
    OPT_TOP,
    OPT_FAIL_ON,
    OPT_SHOW,
    OPT_FILTER,
    OPT_ATTRIBUTES,
    OPT_NO_LOOPS
};
enum { TOP_DEFAULT = 3 };

static const struct mpl_option options[] = {
    [OPT_FORMAT] = { 0, "format", "text|json", "what to print; text is the default" },
    [OPT_OUTPUT] = { 'o', "output", "FILE", "write to FILE, completely or not at all" },
    [OPT_TOP] = { 0, "top", "N", "at most N locations in full; 3 by default" },
    [OPT_FAIL_ON] = { 0, "fail-on", "structure|slower",
                      "exit with status 1 if so; may be said twice" },
    [OPT_SHOW] = { 0, "show", "nlr|jsm",
                   "what one configuration sees: loops, or similarities" },
    [OPT_FILTER] = { 0, "filter", "CODE", "its filter; 11.mpi.cust.0K10 by default" },
    [OPT_ATTRIBUTES] = { 0, "attributes", "KIND",
                         "its attributes: sing. or doub., and orig, log10, actual or "
                         "weighted; sing.orig by default" },
    [OPT_NO_LOOPS] = { 0, "no-loops", NULL, "without looking for loops" },
    MPL_CLOCK_OPTIONS,
    { 0 },
};

struct diff_opts {
    const char *base;
    const char *new;
    const char *output;
    enum mpl_format format;
    long top;
    bool fails_on_structure;
    bool fails_on_slower;
    bool shows;
    enum mpl_show show;
    const char *filter;
    struct mpl_context_kind kind;
    bool without_loops;
    struct mpl_clock_options clock;
};

static enum mpl_status take_kind(const struct mpl_option *option, const char *value,
                                 struct diff_opts *opts, struct mpl_err *err)
{
    const char *words[2 * MPL_CONTEXT_WAYS];
    size_t choice = 0;

    for (int i = 0; i < 2 * MPL_CONTEXT_WAYS; i++) {
        const struct mpl_context_kind kind = { (enum mpl_context_of)(i / MPL_CONTEXT_WAYS),
                                               (enum mpl_context_by)(i %
                                                                     MPL_CONTEXT_WAYS) };

        words[i] = mpl_context_name(kind);
    }

    const enum mpl_status st =
        mpl_args_choice(option, value, words, 2 * MPL_CONTEXT_WAYS, &choice, err);

    opts->kind.of = (enum mpl_context_of)(choice / MPL_CONTEXT_WAYS);
    opts->kind.by = (enum mpl_context_by)(choice % MPL_CONTEXT_WAYS);
    return st;
}

static enum mpl_status take_show(const struct mpl_option *option, const char *value,
                                 struct diff_opts *opts, struct mpl_err *err)
{
    static const char *const words[] = { "nlr", "jsm" };
    size_t choice = 0;
    const enum mpl_status st = mpl_args_choice(option, value, words, 2, &choice, err);

    opts->shows = true;
    opts->show = (enum mpl_show) choice;
    return st;
}

static enum mpl_status take_gate(const struct mpl_option *option, const char *value,
                                 struct diff_opts *opts, struct mpl_err *err)
{
    static const char *const gates[] = { "structure", "slower" };
    size_t gate = 0;
    const enum mpl_status st = mpl_args_choice(option, value, gates, 2, &gate, err);

    opts->fails_on_structure = opts->fails_on_structure || gate == 0;
    opts->fails_on_slower = opts->fails_on_slower || gate == 1;
    return st;
}

static enum mpl_status take_option(const struct mpl_option *option, const char *value,
                                   struct diff_opts *opts, struct mpl_err *err)
{
    switch (option - options) {
    case OPT_FORMAT:
        return mpl_args_format(option, value, &opts->format, err);
    case OPT_OUTPUT:
        opts->output = value;
        return MPL_OK;
    case OPT_TOP:
        return mpl_args_integer(option, value, 1, 1000000, &opts->top, err);
    case OPT_FAIL_ON:
        return take_gate(option, value, opts, err);
    case OPT_SHOW:
        return take_show(option, value, opts, err);
    case OPT_FILTER:
        opts->filter = value;
        return MPL_OK;
    case OPT_ATTRIBUTES:
        return take_kind(option, value, opts, err);
    case OPT_NO_LOOPS:
        opts->without_loops = true;
        return MPL_OK;
    default:
        return mpl_args_clock(option, value, &opts->clock, err);
    }
}

static enum mpl_status parse(struct mpl_args *args, struct diff_opts *opts,
                             struct mpl_err *err)
{
    const struct mpl_option *option = NULL;
    const char *value = NULL;
    enum mpl_status st = MPL_OK;

    while (st == MPL_OK && (st = mpl_args_next(args, &option, &value, err)) == MPL_OK) {
        if (option != NULL) {
            st = take_option(option, value, opts, err);
        } else if (opts->base == NULL) {
            opts->base = value;
        } else if (opts->new == NULL) {
            opts->new = value;
        } else {
            return mpl_args_unexpected(args, value, err);
        }
    }
    if (st == MPL_END && opts->new == NULL) {
        return mpl_fail(err, MPL_E_USAGE,
                        "diff needs two traces: what to compare with, and what is new");
    }
    return st == MPL_END ? MPL_OK : st;
}

/* ---- the work ------------------------------------------------------------------------------------- */

static enum mpl_status open_run(const struct diff_opts *opts, const char *path,
                                struct mpl_analysis **out, struct mpl_err *err)
{
    struct mpl_progress_line line;

    mpl_trace_tell(path);
    mpl_progress_line_open(&line, stderr);

    const enum mpl_status st =
        mpl_analysis_check(path, &opts->clock, &line.progress, out, err);

    mpl_progress_line_close(&line);
    return st;
}

static enum mpl_status show(const struct diff_opts *opts,
                            const struct mpl_comparison *comparison, FILE *out,
                            struct mpl_err *err)
{
    const struct mpl_report_options looks = { .width = mpl_output_width(out) };
    struct mpl_arena *scratch = mpl_arena_create();
    struct mpl_filter *filter = NULL;
    struct mpl_filtered filtered = { 0 };
    enum mpl_status st = scratch == NULL
                             ? mpl_nomem(err)
                             : mpl_filter_open(opts->filter, scratch, &filter, err);

    if (st == MPL_OK) {
        const struct mpl_filtering how = { .filter = filter,
                                           .without_loops = opts->without_loops };

        st = mpl_filtered_create(comparison, &how, &filtered, err);
        st = st == MPL_OK ? mpl_report_filtered(mpl_diff_get(comparison)->base, &filtered,
                                                opts->show, opts->kind, &looks, out, err)
                          : st;
        mpl_filtered_destroy(&filtered);
    }
    mpl_filter_close(filter);
    mpl_arena_destroy(scratch);
    return st;
}

/* MPL_END: a gate is not passed. */
static enum mpl_status answer(const struct diff_opts *opts, const struct mpl_diff *diff,
                              FILE *out, struct mpl_err *err)
{
    const struct mpl_report_options looks = { .width = mpl_output_width(out) };
    const enum mpl_status st =
        opts->format == MPL_FORMAT_JSON
            ? mpl_report_diff_json(diff, out, err)
            : mpl_report_diff_text(diff, (size_t) opts->top, &looks, out, err);

    if (st == MPL_OK && diff->verdict == MPL_DIFF_NOT_COMPARABLE) {
        return mpl_fail(err, MPL_E_MEANING, "the runs cannot be compared");
    }
    const bool fails = (opts->fails_on_structure && diff->n_changes > 0) ||
                       (opts->fails_on_slower && diff->is_slower);

    return st == MPL_OK && fails ? MPL_END : st;
}

static enum mpl_status compare(const struct diff_opts *opts, struct mpl_analysis **runs,
                               struct mpl_comparison **comparison, struct mpl_err *err)
{
    enum mpl_status st = open_run(opts, opts->base, &runs[0], err);

    st = st == MPL_OK ? open_run(opts, opts->new, &runs[1], err) : st;
    return st == MPL_OK ? mpl_diff_create(mpl_analysis_diagnosis(runs[0]),
                                          mpl_analysis_diagnosis(runs[1]), comparison, err)
                        : st;
}

static enum mpl_status run(struct mpl_args *args, FILE *out, struct mpl_err *err)
{
    struct diff_opts opts = { .top = TOP_DEFAULT,
                              .filter = "11.mpi.cust.0K10",
                              .clock = mpl_clock_defaults() };
    struct mpl_analysis *runs[2] = { NULL, NULL };
    struct mpl_comparison *comparison = NULL;
    struct mpl_output output;
    enum mpl_status st = parse(args, &opts, err);

    st = st == MPL_OK ? mpl_output_open(opts.output, out, &output, err) : st;
    if (st != MPL_OK) {
        return st;
    }
    st = compare(&opts, runs, &comparison, err);
    if (st == MPL_OK) {
        const struct mpl_diff *diff = mpl_diff_get(comparison);
        const bool shows = opts.shows && diff->verdict != MPL_DIFF_NOT_COMPARABLE;

        st = shows ? show(&opts, comparison, output.stream, err)
                   : answer(&opts, diff, output.stream, err);
    }
    st = mpl_output_close(&output, st, err);
    mpl_diff_destroy(comparison);
    mpl_analysis_destroy(runs[0]);
    mpl_analysis_destroy(runs[1]);
    return st;
}

const struct mpl_cmd mpl_cmd_diff = {
    .name = "diff",
    .operands = "BASE NEW",
    .summary = "say what is different between two runs, and which of it matters",
    .options = options,
    .run = run,
};
