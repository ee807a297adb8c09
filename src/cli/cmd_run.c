#include "config.h"

#include "cli/cli_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/run_priv.h"
#include "cli/severity_priv.h"
#include "draw/draw.h"

enum { MAX_EXPERIMENTS = 10 };

struct run_opts {
    struct mpl_words words;
    struct mpl_command command; /* with these words */
    const char *directory;      /* NULL: named after the program. */
    struct mpl_budget budget;
    uint32_t processes;
    const char *tracer; /* NULL: whichever fits. */
    const char *pattern;
    enum mpl_format format;
    const char *output;
    long size; /* of a page, MB; 0: the default */
    long top;
    long width;
    double fail_on; /* Severity; NaN: never. */
    bool is_verbose;
    bool is_full;
    bool is_dry;
    struct mpl_knowledge_asked knowledge;
    struct mpl_directories directories;
    const struct mpl_tracers *tracers;
};

/* A number with one of the letters behind it; \p factors stand in their order. */
static enum mpl_status parse_scaled(const struct mpl_args *args, const char *letters,
                                    const double *factors, const char *example, double *out,
                                    struct mpl_err *err)
{
    char *end = NULL;
    double number = strtod(args->value, &end);
    const char *letter = end != args->value && *end != '\0' ? strchr(letters, *end) : NULL;

    if (letter != NULL) {
        number *= factors[letter - letters];
        end++;
    }
    if (end == args->value || *end != '\0' || !(number > 0 && number < 1e18)) {
        return mpl_fail(err, MPL_E_USAGE, "option \"--%s\" takes %s, not \"%s\"",
                        args->option->name, example, args->value);
    }
    *out = number;
    return MPL_OK;
}

static enum mpl_status take_time(struct mpl_args *args, void *target, struct mpl_err *err)
{
    static const double factors[] = { 1, 60, 3600 };

    return parse_scaled(args, "smh", factors, "a time such as 90s, 10m or 2h",
                        (double *) target, err);
}

static enum mpl_status take_size(struct mpl_args *args, void *target, struct mpl_err *err)
{
    static const double factors[] = { 1e3, 1e3, 1e6, 1e9, 1e12 };
    double bytes = 0;
    const enum mpl_status st = parse_scaled(args, "kKMGT", factors,
                                            "a size such as 800k, 500M or 2G", &bytes, err);

    *(uint64_t *) target = (uint64_t) bytes;
    return st;
}

#define INTO(take, field) MPL_INTO(take, struct run_opts, field)

static const struct mpl_option options[] = {
    { 'o', "case", "DIR", "keep runs in DIR, or go on with the case there; marple-PROGRAM",
      INTO(mpl_take_word, directory) },
    { 0, "max-experiments", "N", "run the program at most N times; 10, 0 is no limit",
      INTO(mpl_take_count, budget.max_experiments), MPL_WITHIN(0, 1000000) },
    { 0, "max-time", "TIME", "spend at most TIME in runs: 90s, 10m, 2h",
      INTO(take_time, budget.max_s) },
    { 0, "max-size", "SIZE", "keep at most SIZE of traces: 500M, 2G",
      INTO(take_size, budget.max_bytes) },
    { 0, "timeout", "TIME", "stop a run that takes longer than TIME",
      INTO(take_time, budget.timeout_s) },
    { 0, "processes", "N", "what {processes} is in the first run",
      INTO(mpl_take_count, processes), MPL_WITHIN(1, 100000000) },
    { 0, "args", "WORDS", "what {args} stands for, separated by blanks",
      INTO(mpl_take_word, command.args) },
    { 0, "tracer", "NAME", "measure with this tracer; auto is the default",
      INTO(mpl_take_tracer, tracer) },
    { 0, "dry-run", NULL, "show the next command and execute nothing",
      INTO(mpl_take_flag, is_dry) },
    { 0, "pattern", "NAME", "try only this pattern", INTO(mpl_take_word, pattern) },
    MPL_PAGE_FORMAT_OPTION(struct run_opts, format),
    { 0, "output", "FILE", "write the diagnosis to FILE, completely or not at all",
      INTO(mpl_take_word, output) },
    MPL_PAGE_SIZE_OPTION(struct run_opts, size),
    { 0, "full", NULL, "show everything, not only what fits on a screen",
      INTO(mpl_take_flag, is_full) },
    MPL_TOP_OPTION(struct run_opts, top),
    MPL_SEVERITY_OPTION(struct run_opts, fail_on),
    { 'v', "verbose", NULL, "pass on what the program prints; show everything",
      INTO(mpl_take_flag, is_verbose) },
    MPL_WIDTH_OPTION(struct run_opts, width),
    MPL_KNOWLEDGE_OPTIONS(struct run_opts, knowledge),
    { 0 },
};

static enum mpl_status check(struct run_opts *opts, struct mpl_err *err)
{
    struct mpl_command *command = &opts->command;

    command->words = opts->words.items;
    command->n = opts->words.n;
    if (command->n == 0) {
        return mpl_fail(err, MPL_E_USAGE,
                        "run needs a command: -- mpirun -np {processes} ./app");
    }
    const enum mpl_status st = mpl_command_check_placeholders(command, err);
    if (st != MPL_OK) {
        return st;
    }
    if (opts->processes > 0 && !mpl_command_has(command, "{processes}")) {
        return mpl_fail(err, MPL_E_USAGE,
                        "--processes says what {processes} is, and the command has none");
    }
    if ((command->args != NULL) != mpl_command_has(command, "{args}")) {
        return mpl_fail(err, MPL_E_USAGE,
                        command->args != NULL
                            ? "--args says what {args} stands for, and the command has none"
                            : "the command has {args}; --args says what that stands for");
    }
    return mpl_check_page_size(opts->format, opts->size, err);
}

/* marple-mw, or with a number the first that is free or belongs to the command. */
static const char *default_directory(const struct mpl_command *command,
                                     struct mpl_arena *arena)
{
    const char *name = mpl_command_name(command, arena);
    const char *path = name != NULL ? mpl_arena_printf(arena, "marple-%s", name) : NULL;
    const char *first = path;

    for (unsigned n = 2; path != NULL && !mpl_case_fits(path, command); n++) {
        if (n > 1000) {
            return first;
        }
        path = mpl_arena_printf(arena, "%s-%u", first, n);
    }
    return path;
}

static enum mpl_status load_tracers(struct run_opts *opts, struct mpl_arena *arena,
                                    struct mpl_err *err)
{
    const enum mpl_status st =
        mpl_tracers_of(&opts->directories, arena, &opts->tracers, err);

    if (st != MPL_OK) {
        return mpl_wrap(err, st, "cannot load the tracers");
    }
    return opts->tracer != NULL && mpl_tracers_find(opts->tracers, opts->tracer) == NULL
               ? mpl_tracers_fail(opts->tracers, opts->tracer, arena, err)
               : MPL_OK;
}

/* What there is to be shown in the end. */
struct outcome {
    const struct mpl_case *c;
    struct mpl_analysis *analysis;         /* NULL: nothing could be diagnosed. */
    const struct mpl_diagnosis *diagnosis; /* Likewise. */
    const struct mpl_plan *plan;
    enum mpl_end_reason why;
};

static enum mpl_status print(const struct run_opts *opts, const struct run_show *show,
                             const struct outcome *o, struct mpl_arena *arena, FILE *out,
                             struct mpl_err *err)
{
    const struct mpl_case_report report = {
        .c = o->c,
        .plan = o->plan,
        .ended = mpl_end_reason_name(o->why),
        .n_asked = show->asked.n,
        .asked = show->asked.n > 0 ? mpl_buf_get(&show->asked, 0) : NULL,
    };
    struct mpl_report_options looks = {
        .top = (size_t) opts->top,
        .is_verbose = opts->is_verbose,
        .width = opts->width != 0 ? (int) opts->width : mpl_output_width(out),
        .plan = o->plan,
    };

    mpl_case_failures(o->c, arena, &looks.failed, &looks.n_failed);
    if (opts->format == MPL_FORMAT_JSON) {
        return mpl_report_case_json(o->diagnosis, &report, out, err);
    }
    if (opts->format == MPL_FORMAT_HTML) {
        const struct mpl_draw_options page = {
            .plan = o->plan,
            .most_bytes = (size_t) opts->size * 1000000,
            .ran = &report,
        };

        return mpl_draw_page(o->analysis, &page, out, err);
    }
    if (o->diagnosis == NULL || o->why == MPL_END_DRY) {
        return MPL_OK;
    }
    return opts->is_full || opts->is_verbose || opts->top > 0
               ? mpl_report_text(o->diagnosis, &looks, out, err)
               : mpl_report_screen(o->diagnosis, &looks, out, err);
}

/* Why there is no answer, or not a whole one, is said on standard error, too. */
static enum mpl_status judge(const struct run_opts *opts, const struct mpl_case *c,
                             const struct mpl_diagnosis *d, enum mpl_end_reason why,
                             struct mpl_err *err)
{
    if (why == MPL_END_INTERRUPTED) {
        return mpl_fail(err, MPL_E_LIMIT,
                        "interrupted; the same command goes on with the case in \"%s\"",
                        mpl_case_directory(c));
    }
    if (why == MPL_END_DRY) {
        return MPL_OK;
    }
    if (d == NULL || d->verdict == MPL_VERDICT_UNUSABLE) {
        const size_t n = mpl_case_run_count(c);
        const char *problem = n > 0 ? mpl_case_run_get(c, n - 1)->problem : NULL;

        (void) mpl_fail(err, MPL_E_MEANING, "%s",
                        problem != NULL ? problem : "no run left a trace");
        return mpl_wrap(err, MPL_E_MEANING,
                        "nothing can be diagnosed; what the program printed is in \"%s\"",
                        mpl_case_directory(c));
    }
    return mpl_severity_is_reached(d, opts->fail_on) ? MPL_END : MPL_OK;
}

static enum mpl_status answer(const struct run_opts *opts, const struct run_show *show,
                              const struct outcome *o, struct mpl_arena *arena, FILE *out,
                              struct mpl_err *err)
{
    struct mpl_output output;
    enum mpl_status st = mpl_output_open(opts->output, out, &output, err);

    if (st != MPL_OK) {
        return st;
    }
    st = print(opts, show, o, arena, output.stream, err);
    st = mpl_output_close(&output, st, err);
    return st == MPL_OK ? judge(opts, o->c, o->diagnosis, o->why, err) : st;
}

/* What was learnt is shown also when something of ours went wrong on the way. */
static enum mpl_status carry_out(const struct run_opts *opts, struct run_show *show,
                                 struct mpl_case *c, struct mpl_arena *arena, FILE *out,
                                 struct mpl_err *err)
{
    const struct mpl_analysis_options analysis_options = {
        .knowledge = opts->directories.paths,
        .n_knowledge = opts->directories.n,
        .is_tested = mpl_directories_are_stock(&opts->directories),
        .pattern = opts->pattern,
        .progress = &show->line.progress,
    };
    const struct mpl_experiment_options asked = {
        .analysis = &analysis_options,
        .plan = { .tracers = opts->tracers,
                  .tracer = opts->tracer,
                  .max_bytes = opts->budget.max_bytes },
        .budget = opts->budget,
        .processes = opts->processes,
        .is_dry = opts->is_dry,
        .tell = mpl_run_show_step,
        .context = show,
    };
    struct mpl_analysis *analysis = NULL;
    struct outcome o = { .c = c, .why = MPL_END_FAILED };
    enum mpl_status st =
        mpl_experiment_carry_out(c, &asked, arena, &analysis, &o.plan, &o.why, err);

    mpl_progress_line_close(&show->line);
    if (analysis != NULL) {
        o.analysis = analysis;
        o.diagnosis = mpl_analysis_diagnosis(analysis);
        mpl_lint_print(mpl_analysis_lint(analysis), stderr);
        mpl_named_pattern_tell(o.diagnosis, opts->pattern);
    }
    if (st == MPL_OK) {
        st = answer(opts, show, &o, arena, out, err);
    } else if (analysis != NULL) {
        (void) answer(opts, show, &o, arena, out, NULL);
    }
    mpl_analysis_destroy(analysis);
    return st;
}

static enum mpl_status investigate(const struct run_opts *opts, struct mpl_case *c,
                                   struct mpl_arena *arena, FILE *out, struct mpl_err *err)
{
    /* A document is not mixed with the story of how it came about. */
    const bool is_document = opts->format != MPL_FORMAT_TEXT;
    FILE *story = is_document ? stderr : out;
    struct run_show show = {
        .narrative = { .out = story,
                       .width =
                           opts->width != 0 ? (int) opts->width : mpl_output_width(story) },
        .is_silent = is_document && !opts->is_verbose && !isatty(fileno(stderr)),
        .is_verbose = opts->is_verbose,
        .directory = mpl_case_directory(c),
    };

    mpl_run_show_open(&show, arena);
    const enum mpl_status st = carry_out(opts, &show, c, arena, out, err);
    mpl_run_show_close(&show);
    return st;
}

static enum mpl_status work(struct run_opts *opts, struct mpl_arena *arena, FILE *out,
                            struct mpl_err *err)
{
    struct mpl_case *c = NULL;
    enum mpl_status st =
        mpl_directories_find(&opts->knowledge, arena, &opts->directories, err);

    if (st == MPL_OK) {
        mpl_knowledge_tell(&opts->knowledge, arena);
    }
    st = st == MPL_OK ? load_tracers(opts, arena, err) : st;
    st = st == MPL_OK
             ? mpl_command_check(&opts->command,
                                 opts->tracer != NULL
                                     ? mpl_tracers_find(opts->tracers, opts->tracer)
                                     : NULL,
                                 err)
             : st;
    if (st == MPL_OK && opts->directory == NULL) {
        opts->directory = default_directory(&opts->command, arena);
        st = opts->directory != NULL ? MPL_OK : mpl_nomem(err);
    }
    st = st == MPL_OK
             ? mpl_case_open(opts->directory, &opts->command, opts->is_dry, &c, err)
             : st;
    if (st != MPL_OK) {
        return st;
    }
    if (opts->format == MPL_FORMAT_TEXT) {
        mpl_text_print(out, "%s in %s\n",
                       opts->is_dry ? "Nothing will be executed or kept" : "The case is",
                       opts->directory);
    }
    st = investigate(opts, c, arena, out, err);
    mpl_case_close(c);
    return st;
}

static enum mpl_status run(struct mpl_args *args, FILE *out, struct mpl_err *err)
{
    struct run_opts opts = { .fail_on = NAN,
                             .budget = { .max_experiments = MAX_EXPERIMENTS } };
    enum mpl_status st = mpl_args_parse(args, &opts, mpl_take_command, &opts.words, err);

    st = st == MPL_OK ? check(&opts, err) : st;
    return st == MPL_OK ? work(&opts, args->arena, out, err) : st;
}

const struct mpl_cmd mpl_cmd_run = {
    .name = "run",
    .operands = "[--] COMMAND...",
    .summary = "run a program under a tracer, as often as it takes to say why it is slow",
    .options = options,
    .run = run,
};
