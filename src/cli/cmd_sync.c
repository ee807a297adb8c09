#include "config.h"

#include "cli/cli_priv.h"
#include "cli/traces_priv.h"

#include "sync/sync.h"

struct sync_opts {
    const char *trace;
    const char *output;
    bool force;
    struct mpl_clock_options clock;
};

static const struct mpl_option options[] = {
    { 'f', "force", NULL, "replace DIRECTORY if it exists",
      MPL_INTO(mpl_take_flag, struct sync_opts, force) },
    { 'o', "output", "DIRECTORY", "where the copy goes; required",
      MPL_INTO(mpl_take_word, struct sync_opts, output) },
    MPL_READING_OPTIONS(struct sync_opts, clock),
    { 0 },
};

/** The stages between the trace and its copy. */
struct stages {
    struct mpl_arena *arena;
    struct mpl_model *model;
    const struct mpl_sync_times *recorded;
    const struct mpl_match *match;
    const struct mpl_clock *clock;
};

/* Whether clocks were followed through a drift: their error would look smaller in the copy. */
static bool is_followed(const struct stages *s)
{
    const bool is_estimated =
        s->clock->source == MPL_CLOCK_MESSAGES || s->clock->source == MPL_CLOCK_REFINED;
    bool is_constant = true;

    for (uint32_t l = 0; l < s->model->n_locations; l++) {
        is_constant = is_constant && s->clock->drift_ticks[l] == 0;
    }
    return is_estimated && !is_constant;
}

static enum mpl_status write_copy(const struct stages *s, const struct sync_opts *opts,
                                  const struct mpl_progress *progress, struct mpl_err *err)
{
    const unsigned held = mpl_ends_hold();

    const enum mpl_status st =
        mpl_sync_write(s->model, s->recorded, is_followed(s) ? s->clock->bound_ticks : NULL,
                       opts->output, opts->force, progress, err);
    mpl_ends_let_go(held);
    return st;
}

static uint64_t total(const struct mpl_violations *v)
{
    return v->p2p + v->collective + v->thread;
}

static const char *say_source(enum mpl_clock_source source)
{
    switch (source) {
    case MPL_CLOCK_SINGLE:
        return "one clock for all, as recorded";
    case MPL_CLOCK_OFFSETS:
        return "by recorded offsets";
    case MPL_CLOCK_REFINED:
        return "by recorded offsets, refined by messages";
    case MPL_CLOCK_MESSAGES:
        return "by messages and collectives";
    case MPL_CLOCK_EVENTSPACE:
        return "by round trips of messages";
    default:
        return "left as they are recorded";
    }
}

/** "7,436 (the worst by 593 us)"; NULL when out of memory. */
static const char *say_violations(const struct stages *s, const struct mpl_violations *v)
{
    const char *count = mpl_text_count(s->arena, total(v));
    const char *worst =
        mpl_text_seconds(s->arena, mpl_model_seconds(s->model, v->worst_ticks));

    if (count == NULL || worst == NULL) {
        return NULL;
    }
    return total(v) == 0 ? "none"
                         : mpl_arena_printf(s->arena, "%s (the worst by %s)", count, worst);
}

/** What ran backwards and what became of it; NULL when out of memory. */
static const char *say_change(const struct stages *s)
{
    const struct mpl_clock *clock = s->clock;
    const char *before = say_violations(s, &clock->before);
    const char *after = say_violations(s, &clock->after);

    if (before == NULL || after == NULL) {
        return NULL;
    }
    if (total(&clock->before) == 0 && total(&clock->after) == 0) {
        return "no message or collective runs backwards in time";
    }
    return mpl_arena_printf(
        s->arena,
        "messages and collectives that run backwards in time: %s before, "
        "%s now",
        before, after);
}

/** How far the repair moved events; "" if it did not. */
static const char *say_repair(const struct stages *s)
{
    const struct mpl_clc *repair = s->clock->repair;
    const char *shift;

    if (repair == NULL || repair->n_moved == 0) {
        return "";
    }
    shift =
        mpl_text_seconds(s->arena, mpl_model_seconds(s->model, repair->max_shift_ticks));
    return shift == NULL ? NULL
                         : mpl_arena_printf(
                               s->arena, "; the repair moved events by at most %s", shift);
}

static enum mpl_status print(const struct stages *s, const struct sync_opts *opts,
                             FILE *out, struct mpl_err *err)
{
    const char *change = say_change(s);
    const char *repair = say_repair(s);
    const char *text = NULL;

    if (change != NULL && repair != NULL) {
        text =
            mpl_arena_printf(s->arena, "The corrected copy is in \"%s\". Clocks: %s; %s%s.",
                             opts->output, say_source(s->clock->source), change, repair);
    }
    if (text == NULL) {
        return mpl_nomem(err);
    }
    mpl_text_wrap(out, text, 0, mpl_output_width(out));
    return MPL_OK;
}

static enum mpl_status sync_trace(const struct sync_opts *opts, struct mpl_arena *arena,
                                  FILE *out, struct mpl_err *err)
{
    struct mpl_progress_line line;
    struct stages s = { .arena = arena };

    mpl_trace_tell(opts->trace);
    mpl_progress_line_open(&line, stderr);
    enum mpl_status st = mpl_read(opts->trace, s.arena, &line.progress, &s.model, err);
    st = st == MPL_OK ? mpl_sync_times_keep(s.model, s.arena, &s.recorded, err) : st;
    st = st == MPL_OK ? mpl_match_create(s.model, s.arena, &s.match, err) : st;
    if (st == MPL_OK) {
        st = mpl_clock_correct(s.model, s.match, &opts->clock, &line.progress, s.arena,
                               &s.clock, err);
    }
    st = st == MPL_OK ? write_copy(&s, opts, &line.progress, err) : st;
    mpl_progress_line_close(&line);
    if (st == MPL_OK) {
        /* What the copy lacks is said where the user looks for trouble. */
        mpl_notes_tell(s.model->quality, "copy-");
        st = print(&s, opts, out, err);
    }
    return st;
}

static enum mpl_status run(struct mpl_args *args, FILE *out, struct mpl_err *err)
{
    struct sync_opts opts = { .clock = mpl_clock_defaults() };
    const enum mpl_status st = mpl_args_parse(args, &opts, mpl_take_once, &opts.trace, err);

    if (st == MPL_OK && opts.trace == NULL) {
        return mpl_fail(err, MPL_E_USAGE, "sync needs a trace");
    }
    if (st == MPL_OK && opts.output == NULL) {
        return mpl_fail(err, MPL_E_USAGE,
                        "sync needs a directory to write to: --output DIRECTORY");
    }
    return st == MPL_OK ? sync_trace(&opts, args->arena, out, err) : st;
}

const struct mpl_cmd mpl_cmd_sync = {
    .name = "sync",
    .operands = "TRACE",
    .summary = "write a copy of an OTF2 trace with corrected times",
    .options = options,
    .run = run,
};
