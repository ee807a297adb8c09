#include "config.h"

#include "cli/cli_priv.h"

#include <math.h>
#include <string.h>

#include "cli/severity_priv.h"
#include "cli/traces_priv.h"
#include "draw/draw.h"

/* What the words ask for. */
struct diagnose_opts {
    struct mpl_traces_work traces;
    struct mpl_role_binding *roles; /* room for as many as there are words */
    size_t n_roles;
    struct mpl_words what_if;
    const char *pattern;
    const char *why;     /* Id or name of a finding; NULL: the diagnosis is printed. */
    const char *why_not; /* Name of a finding. */
    const char *output;
    enum mpl_format format;
    double fail_on; /* Severity; NaN: never. */
    long top;
    long size; /* of a page, MB; 0: the default */
    long width;
    bool is_verbose;
    bool is_full;
    bool is_brief;
};

/* "worker=1,2,5" becomes the role "worker" with three labels. */
static enum mpl_status take_role(struct mpl_args *args, void *target, struct mpl_err *err)
{
    struct diagnose_opts *opts = (struct diagnose_opts *) target;
    struct mpl_arena *arena = args->arena;
    const char *value = args->value;
    const char *equals = strchr(value, '=');

    if (equals == NULL || equals == value || equals[1] == '\0') {
        return mpl_fail(err, MPL_E_USAGE,
                        "option \"--role\" takes NAME=LABEL[,LABEL...], not \"%s\"", value);
    }
    size_t n = 1;
    for (const char *p = equals; *p != '\0'; p++) {
        n += *p == ',';
    }
    char *role = mpl_arena_strndup(arena, value, (size_t) (equals - value));
    char *rest = mpl_arena_strdup(arena, equals + 1);
    const char **labels = MPL_NEW_ARRAY(arena, n, const char *);
    if (opts->roles == NULL) {
        opts->roles = MPL_NEW_ARRAY(arena, (size_t) args->n + 1, struct mpl_role_binding);
    }
    if (role == NULL || rest == NULL || labels == NULL || opts->roles == NULL) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < n; i++) {
        labels[i] = strsep(&rest, ",");
        if (labels[i][0] == '\0') {
            return mpl_fail(err, MPL_E_USAGE, "empty label in \"--role %s\"", value);
        }
    }
    opts->roles[opts->n_roles++] =
        (struct mpl_role_binding){ .role = role, .labels = labels, .n = n };
    return MPL_OK;
}

#define INTO(take, field) MPL_INTO(take, struct diagnose_opts, field)

static const struct mpl_option options[] = {
    { 0, "role", "NAME=LABEL[,LABEL...]", "bind a role of a pattern by hand",
      .take = take_role },
    { 0, "pattern", "NAME", "try only this pattern", INTO(mpl_take_word, pattern) },
    { 0, "manifest", "FILE", "diagnose the runs that a manifest names, too",
      INTO(mpl_take_words, traces.asked.manifests) },
    MPL_PAGE_FORMAT_OPTION(struct diagnose_opts, format),
    { 0, "full", NULL, "show everything, not only what fits on a screen",
      INTO(mpl_take_flag, is_full) },
    { 0, "brief", NULL, "show two lines: what is wrong, what to do",
      INTO(mpl_take_flag, is_brief) },
    MPL_TOP_OPTION(struct diagnose_opts, top),
    MPL_SEVERITY_OPTION(struct diagnose_opts, fail_on),
    MPL_OUTPUT_OPTION(struct diagnose_opts, output),
    MPL_PAGE_SIZE_OPTION(struct diagnose_opts, size),
    { 'v', "verbose", NULL, "show everything, rules that fired and every metric, too",
      INTO(mpl_take_flag, is_verbose) },
    MPL_WIDTH_OPTION(struct diagnose_opts, width),
    { 0, "what-if", "CHANGE", "run time if it were so: \"compute(3)*0.5\", \"network*0\"",
      INTO(mpl_take_words, what_if) },
    { 0, "why", "FINDING", "show what a finding rests on", INTO(mpl_take_word, why) },
    { 0, "why-not", "CAUSE", "show what is missing for a finding",
      INTO(mpl_take_word, why_not) },
    MPL_KNOWLEDGE_OPTIONS(struct diagnose_opts, traces.knowledge),
    MPL_READING_OPTIONS(struct diagnose_opts, traces.clock),
    { 0 },
};

/* Who asks for more than a screen has, by whichever option, gets everything. */
static const char *option_for_more(const struct diagnose_opts *opts)
{
    return opts->is_full      ? "--full"
           : opts->top > 0    ? "--top"
           : opts->is_verbose ? "--verbose"
                              : NULL;
}

/* One question at a time; its answer is a tree for people. */
static enum mpl_status check(const struct diagnose_opts *opts, struct mpl_err *err)
{
    const char *asked = opts->why != NULL ? "--why" : "--why-not";

    if (opts->traces.asked.words.n + opts->traces.asked.manifests.n == 0) {
        return mpl_fail(err, MPL_E_USAGE, "diagnose needs a trace");
    }
    if (opts->is_brief && option_for_more(opts) != NULL) {
        return mpl_fail(err, MPL_E_USAGE, "--brief and %s cannot be asked together",
                        option_for_more(opts));
    }
    if (opts->why != NULL && opts->why_not != NULL) {
        return mpl_fail(err, MPL_E_USAGE, "--why and --why-not cannot be asked together");
    }
    if ((opts->why != NULL || opts->why_not != NULL) && opts->format != MPL_FORMAT_TEXT) {
        return mpl_fail(err, MPL_E_USAGE,
                        "%s prints text; \"--format %s\" has the findings with what they "
                        "rest on in any case",
                        asked, opts->format == MPL_FORMAT_JSON ? "json" : "html");
    }
    return mpl_check_page_size(opts->format, opts->size, err);
}

/*
 * A diagnosis without one of the traces is not the answer to what was asked, so it is printed, but
 * the status shows it. The reason is printed on standard error only where the report is none that a person
 * reads there anyway: a document may go unread into a file.
 */
static enum mpl_status judge(const struct mpl_diagnosis *diagnosis,
                             const struct diagnose_opts *opts, struct mpl_err *err)
{
    const bool is_read = opts->format == MPL_FORMAT_TEXT && opts->output == NULL;
    const struct mpl_run *failed = NULL; /* the first one */
    size_t n = 0;

    for (size_t i = diagnosis->n_runs; i-- > 0;) {
        if (diagnosis->runs[i].failure != NULL) {
            failed = &diagnosis->runs[i];
            n++;
        }
    }
    if (failed == NULL) {
        return mpl_severity_is_reached(diagnosis, opts->fail_on) ? MPL_END : MPL_OK;
    }
    if (!is_read) {
        (void) mpl_fail(err, MPL_E_MEANING, "%s", failed->failure);
    }
    return diagnosis->verdict == MPL_VERDICT_UNUSABLE
               ? mpl_wrap(err, MPL_E_MEANING, "nothing can be diagnosed")
               : mpl_wrap(
                     err, MPL_E_MEANING,
                     "%zu of %zu traces cannot be used; the diagnosis is of the others", n,
                     diagnosis->n_runs);
}

static enum mpl_status answer(struct mpl_analysis *analysis,
                              const struct diagnose_opts *opts,
                              const struct mpl_report_options *looks,
                              struct mpl_arena *arena, FILE *out, struct mpl_err *err)
{
    const struct mpl_why *why = NULL;
    const enum mpl_status st =
        opts->why != NULL ? mpl_analysis_why(analysis, opts->why, arena, &why, err)
                          : mpl_analysis_why_not(analysis, opts->why_not, arena, &why, err);

    return st == MPL_OK ? mpl_report_why(why, looks, out, err) : st;
}

static enum mpl_status show(struct mpl_analysis *analysis, const struct diagnose_opts *opts,
                            struct mpl_report_options *looks, FILE *out,
                            struct mpl_err *err)
{
    const struct mpl_diagnosis *diagnosis = mpl_analysis_diagnosis(analysis);

    if (opts->format == MPL_FORMAT_HTML) {
        const struct mpl_draw_options page = {
            .plan = looks->plan,
            .most_bytes = (size_t) opts->size * 1000000,
        };

        return mpl_draw_page(analysis, &page, out, err);
    }
    if (opts->format == MPL_FORMAT_JSON) {
        return mpl_report_json(diagnosis, looks->plan, out, err);
    }
    if (option_for_more(opts) != NULL) {
        return mpl_report_text(diagnosis, looks, out, err);
    }
    if (opts->is_brief) {
        looks->width = (int) opts->width;
        return mpl_report_brief(diagnosis, looks, out, err);
    }
    /* Not wider on a wide terminal: whoever passes it on shows the same. */
    looks->width = opts->width == 0 && looks->width > 80 ? 80 : looks->width;
    return mpl_report_screen(diagnosis, looks, out, err);
}

static enum mpl_status print(struct mpl_analysis *analysis,
                             const struct diagnose_opts *opts, struct mpl_arena *arena,
                             FILE *out, struct mpl_err *err)
{
    const struct mpl_diagnosis *diagnosis = mpl_analysis_diagnosis(analysis);
    struct mpl_report_options looks = {
        .top = (size_t) opts->top,
        .is_verbose = opts->is_verbose,
        .width = opts->width != 0 ? (int) opts->width : mpl_output_width(out),
    };
    const bool is_asked = opts->why != NULL || opts->why_not != NULL;

    looks.failed = opts->traces.found.failed;
    looks.n_failed = opts->traces.found.n_failed;
    if (is_asked && diagnosis->verdict != MPL_VERDICT_UNUSABLE) {
        return answer(analysis, opts, &looks, arena, out, err);
    }
    const enum mpl_status st =
        mpl_plan_from(&opts->traces.directories, NULL, analysis, arena, &looks.plan, err);

    if (st == MPL_E_NOMEM || st == MPL_E_BUG) {
        return st;
    }
    if (st != MPL_OK) {
        /* A fault in the file of a tracer must not cost the diagnosis. */
        mpl_err_print(err, stderr);
        looks.plan = NULL;
    }
    return show(analysis, opts, &looks, out, err);
}

static enum mpl_status diagnose(const struct diagnose_opts *opts, struct mpl_arena *arena,
                                FILE *out, struct mpl_err *err)
{
    struct mpl_analysis_options asked = {
        .roles = opts->roles,
        .n_roles = opts->n_roles,
        .pattern = opts->pattern,
        .what_if = opts->what_if.items,
        .n_what_if = opts->what_if.n,
        .is_without_path = opts->format == MPL_FORMAT_TEXT && option_for_more(opts) == NULL,
    };
    struct mpl_analysis *analysis = NULL;
    struct mpl_output output;
    enum mpl_status st = mpl_output_open(opts->output, out, &output, err);

    if (st != MPL_OK) {
        return st;
    }
    st = mpl_traces_analyse(&opts->traces, &asked, &analysis, err);
    if (st == MPL_OK) {
        mpl_named_pattern_tell(mpl_analysis_diagnosis(analysis), opts->pattern);
    }
    st = st == MPL_OK ? print(analysis, opts, arena, output.stream, err) : st;
    st = mpl_output_close(&output, st, err);
    st = st == MPL_OK ? judge(mpl_analysis_diagnosis(analysis), opts, err) : st;
    mpl_analysis_destroy(analysis);
    return st;
}

static enum mpl_status run(struct mpl_args *args, FILE *out, struct mpl_err *err)
{
    struct diagnose_opts opts = { .fail_on = NAN, .traces.clock = mpl_clock_defaults() };
    enum mpl_status st =
        mpl_args_parse(args, &opts, mpl_take_words, &opts.traces.asked.words, err);

    st = st == MPL_OK ? check(&opts, err) : st;
    st = st == MPL_OK ? mpl_traces_prepare(&opts.traces, args->arena, err) : st;
    return st == MPL_OK ? diagnose(&opts, args->arena, out, err) : st;
}

const struct mpl_cmd mpl_cmd_diagnose = {
    .name = "diagnose",
    .operands = "TRACE...",
    .summary = "say why the traced program is slow",
    .options = options,
    .run = run,
};
