#include "config.h"

#include "cli/cli_priv.h"
#include "cli/traces_priv.h"

#include <string.h>

#include "report/report.h"

struct plan_opts {
    struct mpl_traces_work traces;
    const char *output;
    const char *tracer; /* NULL: auto */
    const char *format; /* NULL: yaml */
    bool is_list;       /* of tracers */
    bool is_explained;
};

static enum mpl_status take_format(struct mpl_args *args, void *target, struct mpl_err *err)
{
    if (strcmp(args->value, "json") != 0 && strcmp(args->value, "yaml") != 0) {
        return mpl_fail(err, MPL_E_USAGE, "option \"--format\" takes yaml|json, not \"%s\"",
                        args->value);
    }
    return mpl_take_word(args, target, err);
}

#define INTO(take, field) MPL_INTO(take, struct plan_opts, field)

static const struct mpl_option options[] = {
    MPL_OUTPUT_OPTION(struct plan_opts, output),
    { 0, "tracer", "NAME|auto",
      "settings for this tracer: marple, eztrace, scorep, or your own",
      INTO(mpl_take_tracer, tracer) },
    { 0, "list-tracers", NULL, "say which tracers are known, and stop",
      INTO(mpl_take_flag, is_list) },
    { 0, "explain", NULL, "say why each experiment is asked for",
      INTO(mpl_take_flag, is_explained) },
    { 0, "format", "yaml|json", "what to print; yaml is the default",
      INTO(take_format, format) },
    { 0, "manifest", "FILE", "plan for the runs that a manifest names, too",
      INTO(mpl_take_words, traces.asked.manifests) },
    MPL_KNOWLEDGE_OPTIONS(struct plan_opts, traces.knowledge),
    MPL_READING_OPTIONS(struct plan_opts, traces.clock),
    { 0 },
};

static enum mpl_status check(const struct plan_opts *opts, struct mpl_err *err)
{
    if (opts->is_list) {
        return MPL_OK;
    }
    if (opts->traces.asked.words.n + opts->traces.asked.manifests.n == 0) {
        return mpl_fail(err, MPL_E_USAGE, "plan needs a trace");
    }
    if (opts->is_explained && opts->format != NULL) {
        return mpl_fail(
            err, MPL_E_USAGE,
            "--explain prints text; \"--format %s\" has the reasons in any case",
            opts->format);
    }
    return MPL_OK;
}

static enum mpl_status print(const struct plan_opts *opts, const struct mpl_plan *plan,
                             FILE *out, struct mpl_err *err)
{
    const struct mpl_report_options looks = { .width = mpl_output_width(out) };

    if (opts->is_explained) {
        return mpl_report_plan_text(plan, &looks, out, err);
    }
    return opts->format != NULL && strcmp(opts->format, "json") == 0
               ? mpl_report_plan_json(plan, out, err)
               : mpl_report_plan_yaml(plan, out, err);
}

static enum mpl_status make_plan(const struct plan_opts *opts, struct mpl_arena *arena,
                                 FILE *out, struct mpl_err *err)
{
    struct mpl_analysis_options asked = { .is_without_path = true };
    struct mpl_analysis *analysis = NULL;
    const struct mpl_plan *made = NULL;
    struct mpl_output output;
    enum mpl_status st = mpl_output_open(opts->output, out, &output, err);

    if (st != MPL_OK) {
        return st;
    }
    st = mpl_traces_analyse(&opts->traces, &asked, &analysis, err);
    if (st == MPL_OK && mpl_analysis_diagnosis(analysis)->verdict == MPL_VERDICT_UNUSABLE) {
        /* There is nothing that another run should add to. */
        (void) mpl_fail(err, MPL_E_MEANING, "%s",
                        mpl_analysis_diagnosis(analysis)->runs[0].failure);
        st = mpl_wrap(err, MPL_E_MEANING, "nothing can be planned");
    }
    st = st == MPL_OK ? mpl_plan_from(&opts->traces.directories, opts->tracer, analysis,
                                      arena, &made, err)
                      : st;
    st = st == MPL_OK ? print(opts, made, output.stream, err) : st;
    st = mpl_output_close(&output, st, err);
    mpl_analysis_destroy(analysis);
    return st;
}

/* Names begin a line, so that shells can complete them. */
static enum mpl_status list_tracers(const struct plan_opts *opts, struct mpl_arena *arena,
                                    FILE *out, struct mpl_err *err)
{
    const struct mpl_tracers *tracers = NULL;
    struct mpl_directories directories;
    enum mpl_status st =
        mpl_directories_find(&opts->traces.knowledge, arena, &directories, err);

    st = st == MPL_OK ? mpl_tracers_of(&directories, arena, &tracers, err) : st;
    for (size_t i = 0; st == MPL_OK && i < mpl_tracers_count(tracers); i++) {
        const struct mpl_tracer_file *tracer = mpl_tracers_get(tracers, i);

        mpl_text_print(out, "%s: %s\n", mpl_tracer_file_name(tracer),
                       mpl_tracer_is_installed(tracer) ? "installed here"
                                                       : "not installed here");
        mpl_text_wrap(out, mpl_tracer_file_says(tracer), 4, mpl_output_width(out));
    }
    return st;
}

static enum mpl_status run(struct mpl_args *args, FILE *out, struct mpl_err *err)
{
    struct plan_opts opts = { .traces.clock = mpl_clock_defaults() };
    struct mpl_arena *arena = args->arena;
    enum mpl_status st =
        mpl_args_parse(args, &opts, mpl_take_words, &opts.traces.asked.words, err);

    st = st == MPL_OK ? check(&opts, err) : st;
    if (st == MPL_OK && opts.is_list) {
        return list_tracers(&opts, arena, out, err);
    }
    st = st == MPL_OK ? mpl_traces_prepare(&opts.traces, arena, err) : st;
    return st == MPL_OK ? make_plan(&opts, arena, out, err) : st;
}

const struct mpl_cmd mpl_cmd_plan = {
    .name = "plan",
    .operands = "TRACE...",
    .summary = "say what to measure next, with settings for a tracer",
    .options = options,
    .run = run,
};
