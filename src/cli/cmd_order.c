#include "config.h"

#include "cli/order_priv.h"

#include <stdlib.h>
#include <string.h>

#include "cli/traces_priv.h"

enum { TOP_DEFAULT = 10 };

static const char every_action[] = "between, past, future, races, sizes, path, origin";

/* ---- what can be asked ------------------------------------------------------------------------ */

static enum mpl_status between(const struct mpl_order_asked *asked, struct mpl_err *err)
{
    const struct mpl_run *run = &asked->diagnosis->runs[0];
    struct mpl_spot a;
    struct mpl_spot b;
    struct mpl_between x = { 0 };
    enum mpl_status st =
        mpl_query_find(asked->query, asked->opts->addresses.items[0], &a, err);

    st = st == MPL_OK
             ? mpl_query_find(asked->query, asked->opts->addresses.items[1], &b, err)
             : st;
    st = st == MPL_OK ? mpl_query_between(asked->query, &a, &b, &x, err) : st;
    if (st != MPL_OK) {
        return st;
    }
    return asked->opts->format == MPL_FORMAT_JSON
               ? mpl_report_between_json(run, &x, asked->out, err)
               : mpl_report_between_text(run, &x, &asked->looks, asked->out, err);
}

static enum mpl_status cut(const struct mpl_order_asked *asked, bool is_future,
                           struct mpl_err *err)
{
    const struct mpl_run *run = &asked->diagnosis->runs[0];
    struct mpl_spot spot;
    struct mpl_cut x = { 0 };
    enum mpl_status st =
        mpl_query_find(asked->query, asked->opts->addresses.items[0], &spot, err);

    st = st == MPL_OK ? mpl_query_cut(asked->query, &spot, is_future, &x, err) : st;
    if (st != MPL_OK) {
        return st;
    }
    return asked->opts->format == MPL_FORMAT_JSON
               ? mpl_report_cut_json(run, &x, asked->out, err)
               : mpl_report_cut_text(run, &x, &asked->looks, asked->out, err);
}

static enum mpl_status past(const struct mpl_order_asked *asked, struct mpl_err *err)
{
    return cut(asked, false, err);
}

static enum mpl_status future(const struct mpl_order_asked *asked, struct mpl_err *err)
{
    return cut(asked, true, err);
}

static enum mpl_status races(const struct mpl_order_asked *asked, struct mpl_err *err)
{
    const struct mpl_run *run = &asked->diagnosis->runs[0];
    struct mpl_races x = { 0 };
    const enum mpl_status st = mpl_query_races(asked->query, &x, err);

    if (st != MPL_OK) {
        return st;
    }
    return asked->opts->format == MPL_FORMAT_JSON
               ? mpl_report_races_json(run, &x, asked->out, err)
               : mpl_report_races_text(run, &x, &asked->looks, asked->out, err);
}

enum { MOST_SIZES = 2 + MPL_STAMP_KINDS * MPL_ORDER_MOST_CLUSTER };

/* What questions are answered with is always among them, if only as the last one. */
static enum mpl_status add_used(const struct mpl_order_asked *asked,
                                struct mpl_stamp_size *sizes, size_t *n,
                                struct mpl_err *err)
{
    for (size_t i = 0; i < *n; i++) {
        if (sizes[i].is_used) {
            return MPL_OK;
        }
    }
    return mpl_query_size(asked->query, MPL_STAMP_INFORMED, MPL_USUAL_CLUSTER,
                          &sizes[(*n)++], err);
}

/* Vectors first, to compare with; then kind by kind. */
static enum mpl_status measure(const struct mpl_order_asked *asked,
                               struct mpl_stamp_size *sizes, size_t *n, struct mpl_err *err)
{
    /* What shows the course of the curve, where nobody asks for all of it. */
    static const long usual[] = { 1, 2, 4, 8, 16, 32, 50 };
    const struct mpl_order_opts *opts = asked->opts;
    enum mpl_status st =
        mpl_query_size(asked->query, MPL_STAMP_VECTORS, 1, &sizes[(*n)++], err);

    for (int kind = MPL_STAMP_STATIC; kind < MPL_STAMP_KINDS && st == MPL_OK; kind++) {
        const bool is_asked =
            opts->kind == NULL ||
            strcmp(opts->kind, mpl_stamp_kind_name((enum mpl_stamp_kind) kind)) == 0;

        for (long most = 1, i = 0;
             most <= MPL_ORDER_MOST_CLUSTER && is_asked && st == MPL_OK; most++) {
            const bool is_usual = usual[i] == most;

            i += is_usual && i < 6;
            if (opts->least_cluster == 0
                    ? is_usual
                    : most >= opts->least_cluster && most <= opts->most_cluster) {
                st = mpl_query_size(asked->query, (enum mpl_stamp_kind) kind,
                                    (uint32_t) most, &sizes[(*n)++], err);
            }
        }
    }
    return st == MPL_OK ? add_used(asked, sizes, n, err) : st;
}

static enum mpl_status sizes(const struct mpl_order_asked *asked, struct mpl_err *err)
{
    const struct mpl_run *run = &asked->diagnosis->runs[0];
    struct mpl_stamp_size all[MOST_SIZES];
    size_t n = 0;
    const enum mpl_status st = measure(asked, all, &n, err);

    if (st != MPL_OK) {
        return st;
    }
    return asked->opts->format == MPL_FORMAT_JSON
               ? mpl_report_sizes_json(run, all, n, asked->out, err)
               : mpl_report_sizes_text(run, all, n, &asked->looks, asked->out, err);
}

static enum mpl_status path(const struct mpl_order_asked *asked, struct mpl_err *err)
{
    const struct mpl_run *run = &asked->diagnosis->runs[0];
    struct mpl_arena *arena = mpl_arena_create();
    const struct mpl_critical *found = NULL;
    const struct mpl_critical_shares *shares = NULL;
    const struct mpl_critical_calls *calls = NULL;
    enum mpl_status st = arena == NULL
                             ? mpl_nomem(err)
                             : mpl_critical_create(run->events, arena, &found, err);

    st = st == MPL_OK ? mpl_critical_shares_create(found, found->begin_ticks,
                                                   found->end_ticks, arena, &shares, err)
                      : st;
    st = st == MPL_OK ? mpl_critical_calls_create(found, (size_t) asked->opts->top, arena,
                                                  &calls, err)
                      : st;
    if (st == MPL_OK) {
        st =
            asked->opts->format == MPL_FORMAT_JSON
                ? mpl_report_path_json(run, found, shares, calls, asked->out, err)
                : mpl_report_path_text(run, found, shares, calls, (size_t) asked->opts->top,
                                       &asked->looks, asked->out, err);
    }
    mpl_arena_destroy(arena);
    return st;
}

static enum mpl_status origin(const struct mpl_order_asked *asked, struct mpl_err *err)
{
    const struct mpl_run *run = &asked->diagnosis->runs[0];
    const char *finding =
        asked->opts->addresses.n == 0 ? NULL : asked->opts->addresses.items[0];
    struct mpl_origins x = { 0 };

    if (finding != NULL && !mpl_query_is_finding(finding)) {
        return mpl_fail(err, MPL_E_USAGE, "\"%s\" is no finding; f3 is one", finding);
    }

    const enum mpl_status st = mpl_query_origins(asked->query, finding, &x, err);

    if (st != MPL_OK) {
        return st;
    }
    return asked->opts->format == MPL_FORMAT_JSON
               ? mpl_report_origins_json(run, &x, asked->out, err)
               : mpl_report_origins_text(run, &x, &asked->looks, asked->out, err);
}

static const struct mpl_order_action actions[] = {
    { "between", "TRACE A B", 2, 2, between },
    { "past", "TRACE A", 1, 1, past },
    { "future", "TRACE A", 1, 1, future },
    { "races", "TRACE", 0, 0, races },
    { "sizes", "TRACE", 0, 0, sizes },
    { "path", "TRACE", 0, 0, path },
    { "origin", "TRACE [FINDING]", 0, 1, origin },
};
enum { N_ACTIONS = sizeof actions / sizeof actions[0] };

static enum mpl_status no_action(const char *word, struct mpl_err *err)
{
    const char *names[N_ACTIONS];

    for (size_t i = 0; i < N_ACTIONS; i++) {
        names[i] = actions[i].name;
    }
    const char *near = mpl_suggest(word, names, N_ACTIONS);

    return near == NULL ? mpl_fail(err, MPL_E_USAGE, "order cannot \"%s\", only: %s", word,
                                   every_action)
                        : mpl_fail(err, MPL_E_USAGE,
                                   "order cannot \"%s\"; did you mean \"%s\"?", word, near);
}

static enum mpl_status take_kind(struct mpl_args *args, void *target, struct mpl_err *err)
{
    size_t choice = 0;
    const enum mpl_status st = mpl_args_alternative(args, &choice, err);

    *(const char **) target =
        mpl_stamp_kind_name((enum mpl_stamp_kind)(MPL_STAMP_STATIC + choice));
    return st;
}

/* "8", or "1..50". */
static enum mpl_status take_clusters(struct mpl_args *args, void *target,
                                     struct mpl_err *err)
{
    struct mpl_order_opts *opts = (struct mpl_order_opts *) target;
    char *stop = NULL;
    const long least = strtol(args->value, &stop, 10);
    const bool is_range = stop != args->value && strncmp(stop, "..", 2) == 0;
    const long most = is_range ? strtol(stop + 2, &stop, 10) : least;

    if (*stop != '\0' || least < 1 || most < least || most > MPL_ORDER_MOST_CLUSTER) {
        return mpl_fail(err, MPL_E_USAGE,
                        "option \"--max-cluster\" takes a number from 1 to %d, or two of "
                        "them as 1..%d, not \"%s\"",
                        MPL_ORDER_MOST_CLUSTER, MPL_ORDER_MOST_CLUSTER, args->value);
    }
    opts->least_cluster = least;
    opts->most_cluster = most;
    return MPL_OK;
}

static enum mpl_status take_operand(struct mpl_args *args, void *target,
                                    struct mpl_err *err)
{
    struct mpl_order_opts *opts = (struct mpl_order_opts *) target;

    for (size_t i = 0; opts->action == NULL && i < N_ACTIONS; i++) {
        if (strcmp(actions[i].name, args->value) == 0) {
            opts->action = &actions[i];
            return MPL_OK;
        }
    }
    if (opts->action == NULL) {
        return no_action(args->value, err);
    }
    return opts->trace == NULL ? mpl_take_word(args, &opts->trace, err)
                               : mpl_take_words(args, &opts->addresses, err);
}

/* What only one question understands. */
enum { SIZES = 1, PATH = 2 };

#define INTO(take, field) MPL_INTO(take, struct mpl_order_opts, field)

static const struct mpl_option options[] = {
    { 0, "kind", "static|self-organising|informed|hierarchical",
      "sizes: only clusters of this kind", INTO(take_kind, kind), .about = SIZES },
    { 0, "max-cluster", "N|N..M", "sizes: largest clusters; from 1 to 50",
      .take = take_clusters, .about = SIZES },
    MPL_FORMAT_OPTION(struct mpl_order_opts, format),
    MPL_OUTPUT_OPTION(struct mpl_order_opts, output),
    { 0, "top", "N", "path: at most N lines of each part; 10 by default",
      INTO(mpl_take_number, top), MPL_WITHIN(1, 1000000), .about = PATH },
    MPL_KNOWLEDGE_OPTIONS(struct mpl_order_opts, knowledge),
    MPL_READING_OPTIONS(struct mpl_order_opts, clock),
    { 0 },
};

/* What would have no effect is refused: who says it expects one. */
static enum mpl_status check(const struct mpl_args *args, const struct mpl_order_opts *opts,
                             struct mpl_err *err)
{
    const struct mpl_order_action *action = opts->action;

    if (action == NULL) {
        return mpl_fail(err, MPL_E_USAGE, "order needs to know what to ask: %s",
                        every_action);
    }
    const unsigned own = action->run == sizes ? SIZES : action->run == path ? PATH : 0;
    const struct mpl_option *other = mpl_args_given(args, (SIZES | PATH) & ~own);

    if (other != NULL) {
        return mpl_fail(err, MPL_E_USAGE,
                        "option \"--%s\" belongs to order %s; order %s has no use for it",
                        other->name, other->about == SIZES ? "sizes" : "path",
                        action->name);
    }
    if (opts->trace == NULL || opts->addresses.n < action->least) {
        return mpl_fail(err, MPL_E_USAGE, "order %s needs %s", action->name,
                        action->operands);
    }
    if (opts->addresses.n > action->most) {
        return mpl_fail(err, MPL_E_USAGE, "unexpected \"%s\"; order %s takes %s",
                        opts->addresses.items[action->most], action->name,
                        action->operands);
    }
    return MPL_OK;
}

static enum mpl_status answer(const struct mpl_order_opts *opts,
                              const struct mpl_diagnosis *diagnosis, FILE *out,
                              struct mpl_err *err)
{
    struct mpl_order_asked asked = { .opts = opts,
                                     .diagnosis = diagnosis,
                                     .looks = { .width = mpl_output_width(out) },
                                     .out = out };

    enum mpl_status st = mpl_query_create(diagnosis, &asked.query, err);
    st = st == MPL_OK ? opts->action->run(&asked, err) : st;
    mpl_query_destroy(asked.query);
    return st;
}

static enum mpl_status ask(const struct mpl_order_opts *opts, struct mpl_arena *arena,
                           FILE *out, struct mpl_err *err)
{
    struct mpl_analysis *analysis = NULL;
    bool has_finding = false;
    struct mpl_output output;
    enum mpl_status st = mpl_output_open(opts->output, out, &output, err);

    if (st != MPL_OK) {
        return st;
    }
    /* A finding has to be found first; else nothing is diagnosed. */
    for (size_t i = 0; i < opts->addresses.n; i++) {
        has_finding = has_finding || mpl_query_is_finding(opts->addresses.items[i]);
    }
    st = mpl_trace_analyse(opts->trace, has_finding, &opts->knowledge, &opts->clock, arena,
                           &analysis, err);
    if (st == MPL_OK) {
        st = answer(opts, mpl_analysis_diagnosis(analysis), output.stream, err);
    }
    st = mpl_output_close(&output, st, err);
    mpl_analysis_destroy(analysis);
    return st;
}

static enum mpl_status run(struct mpl_args *args, FILE *out, struct mpl_err *err)
{
    struct mpl_order_opts opts = { .top = TOP_DEFAULT, .clock = mpl_clock_defaults() };
    enum mpl_status st = mpl_args_parse(args, &opts, take_operand, &opts, err);

    st = st == MPL_OK ? check(args, &opts, err) : st;
    return st == MPL_OK ? ask(&opts, args->arena, out, err) : st;
}

const struct mpl_cmd mpl_cmd_order = {
    .name = "order",
    .operands = "between|past|future|races|sizes|path|origin TRACE [ADDRESS...]",
    .summary = "say what must have come before what, whatever the clocks say",
    .options = options,
    .run = run,
};
