#include "config.h"

#include "cli/cli_priv.h"
#include "cli/traces_priv.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "draw/draw.h"
#include "report/report.h"

enum { TOP_DEFAULT = 30 };

enum view_format {
    FORMAT_TEXT,
    FORMAT_JSON,
    FORMAT_CSV,
    FORMAT_SVG,
    FORMAT_HTML,
    FORMAT_DOT,
    FORMAT_PERFETTO,
    FORMAT_CHROME
};

struct view_opts {
    const struct mpl_view *view; /* NULL: not said, or export */
    bool is_export;
    const char *trace;
    struct mpl_selection_asked asked;
    struct mpl_words comms;
    size_t format;
    long top;
    bool by_host;
    const char *output;
    struct mpl_knowledge_asked knowledge;
    struct mpl_clock_options clock;
};

static enum mpl_status take_format(struct mpl_args *args, void *target, struct mpl_err *err)
{
    return mpl_args_alternative(args, (size_t *) target, err);
}

static enum mpl_status take_operand(struct mpl_args *args, void *target,
                                    struct mpl_err *err)
{
    struct view_opts *opts = (struct view_opts *) target;

    if (opts->view == NULL && !opts->is_export) {
        opts->is_export = strcmp(args->value, "export") == 0;
        return opts->is_export ? MPL_OK : mpl_view_find(args->value, &opts->view, err);
    }
    return mpl_take_once(args, &opts->trace, err);
}

#define INTO(take, field) MPL_INTO(take, struct view_opts, field)

static const struct mpl_option options[] = {
    { 0, "from", "TIME", "only what happens from TIME on: 0.2s, 15ms",
      INTO(mpl_take_seconds, asked.from_s) },
    { 0, "to", "TIME", "only what happens until TIME", INTO(mpl_take_seconds, asked.to_s) },
    { 0, "step", "N", "only step N of the run, counted from 1",
      INTO(mpl_take_number, asked.step), MPL_WITHIN(1, INT32_MAX) },
    { 0, "finding", "ID", "only when and where a finding of diagnose is about: f1",
      INTO(mpl_take_word, asked.finding) },
    { 0, "locations", "LIST", "only these ranks or threads: 0-7,9,12.1",
      INTO(mpl_take_word, asked.locations) },
    { 0, "comm", "NAME", "only calls of this communicator; may be repeated",
      INTO(mpl_take_words, comms) },
    { 0, "top", "N", "text: at most N rows; 30 by default", INTO(mpl_take_number, top),
      MPL_WITHIN(1, 1000000) },
    { 0, "by-host", NULL, "paths as svg, html or dot: a node per host",
      INTO(mpl_take_flag, by_host) },
    /* In the order of enum view_format. */
    { 0, "format", "text|json|csv|svg|html|dot|perfetto|chrome",
      "what to print; text is the default, dot for paths and messages; of "
      "export perfetto",
      INTO(take_format, format) },
    MPL_OUTPUT_OPTION(struct view_opts, output),
    MPL_KNOWLEDGE_OPTIONS(struct view_opts, knowledge),
    MPL_READING_OPTIONS(struct view_opts, clock),
    { 0 },
};

/* What only together is right or wrong. */
static enum mpl_status check(struct view_opts *opts, struct mpl_err *err)
{
    const bool is_for_viewers =
        opts->format == FORMAT_PERFETTO || opts->format == FORMAT_CHROME;

    if (opts->view == NULL && !opts->is_export) {
        return mpl_fail(err, MPL_E_USAGE,
                        "view needs to know what to show, and a TRACE; "
                        "marple vocab views lists the views");
    }
    const char *name = opts->is_export ? "export" : opts->view->name;

    if (opts->is_export && opts->format == FORMAT_TEXT) {
        opts->format = FORMAT_PERFETTO;
    } else if (opts->is_export != is_for_viewers) {
        return opts->is_export
                   ? mpl_fail(err, MPL_E_USAGE,
                              "view export writes --format perfetto or --format chrome")
                   : mpl_fail(err, MPL_E_USAGE,
                              "view %s is a table; --format perfetto and chrome are for "
                              "view export",
                              name);
    }
    if (opts->format == FORMAT_DOT && !mpl_draw_has_graph(opts->view)) {
        return mpl_fail(err, MPL_E_USAGE,
                        "view %s is no graph; --format dot is for paths and messages",
                        name);
    }
    if (opts->by_host && (strcmp(name, "paths") != 0 ||
                          (opts->format != FORMAT_SVG && opts->format != FORMAT_HTML &&
                           opts->format != FORMAT_DOT))) {
        return mpl_fail(err, MPL_E_USAGE,
                        "--by-host is for view paths with --format svg, html or dot");
    }
    return opts->trace != NULL ? MPL_OK
                               : mpl_fail(err, MPL_E_USAGE, "view %s needs a TRACE", name);
}

static enum mpl_status print(const struct view_opts *opts,
                             const struct mpl_view_report *report, FILE *out,
                             struct mpl_err *err)
{
    const struct mpl_report_options looks = { .width = mpl_output_width(out) };

    if (opts->format == FORMAT_JSON) {
        return mpl_report_view_json(report, out, err);
    }
    if (opts->format == FORMAT_TEXT) {
        return mpl_report_view_text(report, (size_t) opts->top, &looks, out, err);
    }
    if (opts->format == FORMAT_SVG) {
        return mpl_draw_view_svg(report, out, err);
    }
    if (opts->format == FORMAT_HTML) {
        return mpl_draw_view_page(report, out, err);
    }
    for (size_t i = 0; i < report->n_notes; i++) {
        mpl_text_print(stderr, "marple: note: %s\n", report->notes[i]);
    }
    if (opts->format == FORMAT_CSV) {
        return mpl_report_view_csv(report, out, err);
    }
    const struct mpl_table *table = NULL;
    const enum mpl_status st =
        mpl_table_create(report->view, report->selection, report->arena, &table, err);

    return st == MPL_OK ? mpl_draw_dot(table, report->by_host, out, err) : st;
}

/* Viewers read JSON into one string, and give up. */
enum { MOST_JSON_BYTES = 200000000 };

static enum mpl_status tell_notes(struct mpl_selection *selection, struct mpl_arena *arena,
                                  struct mpl_err *err)
{
    const struct mpl_view *timeline = NULL;
    const char *const *notes = NULL;
    size_t n = 0;
    enum mpl_status st = mpl_view_find("timeline", &timeline, err);

    st = st == MPL_OK ? mpl_view_notes(timeline, selection, arena, &notes, &n, err) : st;
    for (size_t i = 0; i < n && st == MPL_OK; i++) {
        mpl_text_print(stderr, "marple: note: %s\n", notes[i]);
    }
    return st;
}

/* Writes what is selected for another viewer; what it cannot show goes to standard error. */
static enum mpl_status export(struct mpl_selection *selection,
                              enum mpl_export_format format, struct mpl_arena *arena,
                              FILE *out, struct mpl_err *err) {
    struct mpl_export_counts counts = { 0 }; struct mpl_progress_line line;

    if (format == MPL_EXPORT_PERFETTO && isatty(fileno(out))){
        return mpl_fail(err, MPL_E_USAGE,
                        "a file for Perfetto is no text; -o FILE says where to write it"); }
enum mpl_status st = tell_notes(selection, arena, err);

if (st != MPL_OK) {
    return st;
}
mpl_progress_line_open(&line, stderr);
const struct mpl_export_options how = { format, &line.progress };

st = mpl_draw_export(selection, &how, arena, out, &counts, err);
mpl_progress_line_close(&line);
if (st == MPL_OK && format == MPL_EXPORT_CHROME && counts.bytes > MOST_JSON_BYTES) {
    mpl_text_print(stderr,
                   "marple: note: the file has %llu MB, and viewers fail on JSON of more "
                   "than %d MB: --format perfetto needs a fraction of it, and --from, "
                   "--to, --step or --locations leave something out\n",
                   (unsigned long long) counts.bytes / 1000000, MOST_JSON_BYTES / 1000000);
}
return st;
}

static enum mpl_status show(const struct view_opts *opts, struct mpl_arena *arena,
                            const struct mpl_diagnosis *diagnosis, FILE *out,
                            struct mpl_err *err)
{
    struct mpl_view_report report = { .view = opts->view,
                                      .arena = arena,
                                      .by_host = opts->by_host };

    enum mpl_status st =
        mpl_selection_create(diagnosis, &opts->asked, arena, &report.selection, err);

    if (st == MPL_OK && opts->is_export) {
        return export(report.selection,
                      opts->format == FORMAT_CHROME ? MPL_EXPORT_CHROME
                                                    : MPL_EXPORT_PERFETTO,
                      arena, out, err);
    }
    st = st == MPL_OK ? mpl_view_notes(report.view, report.selection, arena, &report.notes,
                                       &report.n_notes, err)
                      : st;
    return st == MPL_OK ? print(opts, &report, out, err) : st;
}

static enum mpl_status run(struct mpl_args *args, FILE *out, struct mpl_err *err)
{
    struct view_opts opts = { .asked = { .from_s = NAN, .to_s = NAN },
                              .top = TOP_DEFAULT,
                              .clock = mpl_clock_defaults() };
    struct mpl_arena *arena = args->arena;
    struct mpl_analysis *analysis = NULL;
    struct mpl_output output;
    enum mpl_status st = mpl_args_parse(args, &opts, take_operand, &opts, err);

    opts.asked.comms = opts.comms.items;
    opts.asked.n_comms = opts.comms.n;
    st = st == MPL_OK ? check(&opts, err) : st;
    st = st == MPL_OK ? mpl_output_open(opts.output, out, &output, err) : st;
    if (st == MPL_OK) {
        /* A finding has to be found first, and other viewers show findings; else nothing is diagnosed. */
        st = mpl_trace_analyse(opts.trace, opts.asked.finding != NULL || opts.is_export,
                               &opts.knowledge, &opts.clock, arena, &analysis, err);
        st = st == MPL_OK
                 ? show(&opts, arena, mpl_analysis_diagnosis(analysis), output.stream, err)
                 : st;
        st = mpl_output_close(&output, st, err);
    }
    mpl_analysis_destroy(analysis);
    return st;
}

const struct mpl_cmd mpl_cmd_view = {
    .name = "view",
    .operands = "waits|waiting|changes|collectives|arrivals|last|threads|hosts|statistics|"
                "steps|neighbours|"
                "lines|paths|messages|timeline|clock|export TRACE",
    .summary = "show who communicates, waits and computes, in tables and pictures",
    .options = options,
    .run = run,
};
