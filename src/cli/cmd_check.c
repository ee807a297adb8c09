#include "config.h"

#include "cli/cli_priv.h"
#include "cli/traces_priv.h"

#include "draw/draw.h"
#include "report/report.h"

struct check_opts {
    const char *trace;
    const char *output;
    enum mpl_format format;
    long size; /* of a page, MB; 0: not given */
    struct mpl_clock_options clock;
};

static const struct mpl_option options[] = {
    MPL_PAGE_FORMAT_OPTION(struct check_opts, format),
    MPL_OUTPUT_OPTION(struct check_opts, output),
    MPL_PAGE_SIZE_OPTION(struct check_opts, size),
    MPL_READING_OPTIONS(struct check_opts, clock),
    { 0 },
};

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
    enum mpl_status st = mpl_args_parse(args, &opts, mpl_take_once, &opts.trace, err);

    if (st == MPL_OK && opts.trace == NULL) {
        return mpl_fail(err, MPL_E_USAGE, "check needs a trace");
    }
    st = st == MPL_OK ? mpl_check_page_size(opts.format, opts.size, err) : st;
    return st == MPL_OK ? check(&opts, out, err) : st;
}

const struct mpl_cmd mpl_cmd_check = {
    .name = "check",
    .operands = "TRACE",
    .summary = "say whether a trace can be trusted",
    .options = options,
    .run = run,
};
