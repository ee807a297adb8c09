#include "config.h"

#include "cli/cli_priv.h"
#include "cli/traces_priv.h"

#include "draw/draw.h"
#include "report/report.h"

enum { OPT_FORMAT, OPT_OUTPUT, OPT_SIZE };

static const struct mpl_option options[] = {
    [OPT_FORMAT] = MPL_PAGE_FORMAT_OPTION,
    [OPT_OUTPUT] = MPL_OUTPUT_OPTION,
    [OPT_SIZE] = MPL_PAGE_SIZE_OPTION,
    MPL_READING_OPTIONS,
    { 0 },
};

struct check_opts {
    const char *trace;
    const char *output;
    enum mpl_format format;
    long size; /* of a page, MB; 0: not given */
    struct mpl_clock_options clock;
};

static enum mpl_status parse(struct mpl_args *args, struct check_opts *opts,
                             struct mpl_err *err)
{
    const struct mpl_option *option = NULL;
    const char *value = NULL;
    enum mpl_status st = MPL_OK;

    while (st == MPL_OK && (st = mpl_args_next(args, &option, &value, err)) == MPL_OK) {
        if (option == &options[OPT_FORMAT]) {
            st = mpl_args_page_format(option, value, &opts->format, err);
        } else if (option == &options[OPT_SIZE]) {
            st = mpl_args_integer(option, value, 1, 1000, &opts->size, err);
        } else if (option == &options[OPT_OUTPUT]) {
            opts->output = value;
        } else if (option != NULL) {
            st = mpl_args_reading(option, value, &opts->clock, err);
        } else if (opts->trace == NULL) {
            opts->trace = value;
        } else {
            st = mpl_args_unexpected(args, value, err);
        }
    }
    if (st == MPL_END && opts->trace == NULL) {
        return mpl_fail(err, MPL_E_USAGE, "check needs a trace");
    }
    return st == MPL_END ? mpl_args_page_size(opts->format, opts->size, err) : st;
}

static enum mpl_status print(const struct mpl_analysis *analysis,
                             const struct check_opts *opts, FILE *out, struct mpl_err *err)
{
    const struct mpl_diagnosis *diagnosis = mpl_analysis_diagnosis(analysis);
    const struct mpl_report_options looks = { .width = mpl_output_width(out) };

    if (opts->format == MPL_FORMAT_HTML) {
        const struct mpl_draw_options page = { .most_bytes =
                                                   (size_t) opts->size * 1000000 };

        return mpl_draw_check_page(diagnosis, &page, out, err);
    }
    return opts->format == MPL_FORMAT_JSON
               ? mpl_report_check_json(diagnosis, out, err)
               : mpl_report_check_text(diagnosis, &looks, out, err);
}

static enum mpl_status check(const struct check_opts *opts, FILE *out, struct mpl_err *err)
{
    struct mpl_progress_line line;
    struct mpl_analysis *analysis = NULL;
    struct mpl_output output;
    enum mpl_status st = mpl_output_open(opts->output, out, &output, err);

    if (st != MPL_OK) {
        return st;
    }
    mpl_trace_tell(opts->trace);
    mpl_progress_line_open(&line, stderr);

    const struct mpl_analysis_options asked = { .clock = &opts->clock,
                                                .progress = &line.progress };

    st = mpl_analysis_check(opts->trace, &asked, &analysis, err);
    mpl_progress_line_close(&line);
    st = st == MPL_OK ? print(analysis, opts, output.stream, err) : st;
    st = mpl_output_close(&output, st, err);
    if (st == MPL_OK && mpl_analysis_diagnosis(analysis)->runs[0].failure != NULL) {
        (void) mpl_fail(err, MPL_E_MEANING, "%s",
                        mpl_analysis_diagnosis(analysis)->runs[0].failure);
        st = mpl_wrap(err, MPL_E_MEANING, "the trace cannot be used");
    }
    mpl_analysis_destroy(analysis);
    return st;
}

static enum mpl_status run(struct mpl_args *args, FILE *out, struct mpl_err *err)
{
    struct check_opts opts = { .clock = mpl_clock_defaults() };
    const enum mpl_status st = parse(args, &opts, err);

    return st == MPL_OK ? check(&opts, out, err) : st;
}

const struct mpl_cmd mpl_cmd_check = {
    .name = "check",
    .operands = "TRACE",
    .summary = "say whether a trace can be trusted",
    .options = options,
    .run = run,
};
