#include "config.h"

#include "cli/cli_priv.h"
#include "cli/diff_show_priv.h"
#include "cli/sides_priv.h"

#include "diff/diff.h"
#include "draw/draw.h"
#include "report/report.h"

#include <inttypes.h>
#include <string.h>

enum {
    OPT_FORMAT,
    OPT_OUTPUT,
    OPT_TOP,
    OPT_FAIL_ON,
    OPT_SAVE,
    OPT_SHOW,
    OPT_FILTER,
    OPT_ATTRIBUTES,
    OPT_NO_LOOPS,
    OPT_ROTATE,
    OPT_SYMBOLS,
    OPT_MATRIX,
    OPT_LINKAGE,
    OPT_CLUSTERS,
    OPT_CLUSTER_BY,
    OPT_BASE,
    OPT_NEW,
    OPT_LEAST,
    OPT_MAP,
    OPT_SIZE,
    N_OWN
};
enum { TOP_DEFAULT = 3, ROWS_DEFAULT = 20 };

static const struct mpl_option options[] = {
    [OPT_FORMAT] = { 0, "format", "text|json|markdown|html",
                     "what to print; text is the default, markdown is for a comment, html "
                     "a page with pictures" },
    [OPT_OUTPUT] = MPL_OUTPUT_OPTION,
    [OPT_TOP] = { 0, "top", "N",
                  "at most N locations in full, 3 by default; of a ranking 20 rows" },
    [OPT_FAIL_ON] = { 0, "fail-on", "structure|slower|slower:LIMIT",
                      "exit with status 1 if so, or if slower by more than 5% or 200ms; "
                      "may "
                      "be repeated" },
    [OPT_SAVE] = { 0, "save", "FILE",
                   "write BASE as a baseline, which stands for its trace from then on" },
    [OPT_SHOW] = { 0, "show", "nlr|context|lattice|jsm|ranking|candidates|align",
                   "what one configuration sees: loops, formal context, concept lattice "
                   "(DOT), similarities; or many: suspects, clusters; or, behind align, "
                   "one process: its calls in both runs" },
    [OPT_FILTER] = { 0, "filter", "CODE",
                     "its filter, 11.mpi.cust.0K10 by default; of a ranking several" },
    [OPT_ATTRIBUTES] = { 0, "attributes", "KIND",
                         "its attributes: sing. or doub., and orig, log10, actual or "
                         "weighted; sing.orig by default, of a ranking all but weighted" },
    [OPT_NO_LOOPS] = { 0, "no-loops", NULL, "without looking for loops" },
    [OPT_ROTATE] = { 0, "rotate", NULL,
                     "loops whose bodies are rotations of each other are one" },
    [OPT_SYMBOLS] = { 0, "symbols",
                      "peer|relative-peer|root|tag|bytes|communicator|path|none",
                      "what makes a call another one beside its function, joined by "
                      "commas; "
                      "by default none, of the answer all but path" },
    [OPT_MATRIX] = { 0, "matrix", NULL,
                     "ranking: all filters, with and without loops, partners, sizes" },
    [OPT_LINKAGE] = { 0, "linkage", "KIND",
                      "ranking: single, complete, average, weighted, centroid, median or "
                      "ward; all by default" },
    [OPT_CLUSTERS] = { 0, "clusters", "K",
                       "ranking: cut into K clusters; 2, 3 and 4 by default" },
    [OPT_CLUSTER_BY] = { 0, "cluster-by", "changes|similarity",
                         "ranking: suspects are in small clusters of what changed (the "
                         "default), or of who is alike in the new run" },
    [OPT_BASE] = { 0, "base", "TRACE...",
                   "repetitions of the base: traces, cases or manifests" },
    [OPT_NEW] = { 0, "new", "TRACE...", "repetitions of the new run" },
    [OPT_LEAST] = { 0, "least", "SHARE",
                    "the smallest difference that counts, of the base's run time; 10% by "
                    "default, with repetitions 2%" },
    [OPT_MAP] = { 0, "map", "A=B",
                  "rank A of the base is rank B of the new run; several with commas" },
    [OPT_SIZE] = MPL_PAGE_SIZE_OPTION,
    MPL_READING_OPTIONS,
    { 0 },
};

struct diff_opts {
    struct mpl_sides_asked sides;
    struct mpl_diff_options diff;
    const char *output;
    const char *save;
    enum mpl_format format;
    long top;
    long size; /* of a page, MB; 0: not given */
    struct mpl_gates gates;
    struct mpl_diff_show show;
    struct mpl_clock_options clock;
    struct mpl_buf ranks; /* struct mpl_rank_pair */
    unsigned given;       /* Options of the command's own, a bit for each. */
};

static enum mpl_status take_format(const struct mpl_option *option, const char *value,
                                   struct diff_opts *opts, struct mpl_err *err)
{
    static const char *const words[] = { "text", "json", "markdown", "html" };
    size_t choice = 0;
    const enum mpl_status st = mpl_args_choice(option, value, words, 4, &choice, err);

    opts->format = (enum mpl_format) choice;
    return st;
}

static enum mpl_status take_gates(const char *value, struct mpl_arena *arena,
                                  struct diff_opts *opts, struct mpl_err *err)
{
    const enum mpl_status st = mpl_gates_add(&opts->gates, value, arena, err);

    return st == MPL_OK ? st : mpl_wrap(err, st, "option \"--fail-on\" cannot be used");
}

static enum mpl_status take_option(const struct mpl_option *option, const char *value,
                                   struct mpl_arena *arena, struct diff_opts *opts,
                                   struct mpl_err *err)
{
    opts->given |= option - options < N_OWN ? 1U << (option - options) : 0;
    switch (option - options) {
    case OPT_FORMAT:
        return take_format(option, value, opts, err);
    case OPT_OUTPUT:
        opts->output = value;
        return MPL_OK;
    case OPT_TOP:
        return mpl_args_integer(option, value, 1, 1000000, &opts->top, err);
    case OPT_FAIL_ON:
        return take_gates(value, arena, opts, err);
    case OPT_SAVE:
        opts->save = value;
        return MPL_OK;
    case OPT_SHOW:
        return mpl_diff_take_show(option, value, &opts->show, err);
    case OPT_FILTER:
        return mpl_diff_take_filter(value, arena, &opts->show, err);
    case OPT_ATTRIBUTES:
        return mpl_diff_take_kind(option, value, &opts->show, err);
    case OPT_NO_LOOPS:
        opts->show.without_loops = true;
        return MPL_OK;
    case OPT_ROTATE:
        opts->show.up_to_rotation = true;
        return MPL_OK;
    case OPT_SYMBOLS:
        return mpl_diff_take_symbols(option, value, arena, &opts->show.symbols, err);
    case OPT_MATRIX:
        opts->show.is_matrix = true;
        return MPL_OK;
    case OPT_LINKAGE:
        return mpl_diff_take_linkage(option, value, &opts->show, err);
    case OPT_CLUSTERS:
        return mpl_args_integer(option, value, 2, 1000, &opts->show.clusters, err);
    case OPT_CLUSTER_BY:
        return mpl_diff_take_cluster_by(option, value, &opts->show, err);
    case OPT_BASE:
        mpl_sides_take_option(&opts->sides, MPL_SIDE_BASE, value);
        return MPL_OK;
    case OPT_NEW:
        mpl_sides_take_option(&opts->sides, MPL_SIDE_NEW, value);
        return MPL_OK;
    case OPT_LEAST:
        return mpl_args_share(option, value, &opts->diff.least_share, err);
    case OPT_MAP:
        return mpl_args_ranks(option, value, &opts->ranks, err);
    case OPT_SIZE:
        return mpl_args_integer(option, value, 1, 1000, &opts->size, err);
    default:
        return mpl_args_reading(option, value, &opts->clock, err);
    }
}

/* Of options that are given but must not be. */
static const char *first_of(unsigned options_given)
{
    int i = 0;

    while ((options_given & 1U << i) == 0) {
        i++;
    }
    return options[i].name;
}

static enum mpl_status check_operands(const struct diff_opts *opts, struct mpl_err *err)
{
    const unsigned others =
        opts->given & ~(1U << OPT_SAVE | 1U << OPT_BASE | 1U << OPT_MAP);
    const bool is_one = mpl_sides_is_one(&opts->sides);

    if (!is_one || opts->save == NULL) {
        return mpl_sides_check(&opts->sides, err);
    }
    return others == 0 ? MPL_OK
                       : mpl_fail(err, MPL_E_USAGE,
                                  "option \"--%s\" is about a comparison, and there is "
                                  "only one trace",
                                  first_of(others));
}

/* What would have no effect is refused: who says it expects one. */
static enum mpl_status check(const struct diff_opts *opts, struct mpl_err *err)
{
    static const unsigned for_answer = 1U << OPT_TOP | 1U << OPT_FAIL_ON | 1U << OPT_LEAST;
    static const unsigned for_ranking =
        1U << OPT_MATRIX | 1U << OPT_LINKAGE | 1U << OPT_CLUSTERS | 1U << OPT_CLUSTER_BY;
    static const unsigned for_show =
        1U << OPT_FILTER | 1U << OPT_ATTRIBUTES | 1U << OPT_NO_LOOPS | 1U << OPT_ROTATE;
    const bool ranks = mpl_diff_is_ranking(&opts->show);
    const unsigned wrong = opts->given & (ranks ? 1U << OPT_FAIL_ON | 1U << OPT_LEAST
                                          : opts->show.is_asked ? for_answer | for_ranking
                                                                : for_show | for_ranking);

    enum mpl_status st = check_operands(opts, err);

    if (st != MPL_OK) {
        return st;
    }
    if (wrong != 0) {
        return mpl_fail(err, MPL_E_USAGE,
                        (wrong & for_ranking) != 0
                            ? "option \"--%s\" goes with --show ranking or candidates"
                        : opts->show.is_asked
                            ? "option \"--%s\" is about the answer, and --show prints "
                              "something else in its place"
                            : "option \"--%s\" is about what --show shows, and there is no "
                              "--show",
                        first_of((wrong & for_ranking) != 0 ? wrong & for_ranking : wrong));
    }
    if (opts->show.is_asked && opts->format != MPL_FORMAT_TEXT &&
        opts->format != MPL_FORMAT_JSON) {
        return mpl_fail(err, MPL_E_USAGE,
                        "--show prints text or JSON, so it does not go with "
                        "--format %s",
                        opts->format == MPL_FORMAT_HTML ? "html" : "markdown");
    }
    st = mpl_args_page_size(opts->format, opts->size, err);
    if (st != MPL_OK) {
        return st;
    }
    return mpl_diff_check_show(&opts->show, err);
}

static enum mpl_status parse(struct mpl_args *args, struct mpl_arena *arena,
                             struct diff_opts *opts, struct mpl_err *err)
{
    const struct mpl_option *option = NULL;
    const char *value = NULL;
    enum mpl_status st = MPL_OK;

    while (st == MPL_OK && (st = mpl_args_next(args, &option, &value, err)) == MPL_OK) {
        if (option != NULL) {
            st = take_option(option, value, arena, opts, err);
        } else if (mpl_diff_wants_label(&opts->show)) {
            opts->show.label = value;
        } else if (!mpl_sides_take_operand(&opts->sides, value)) {
            return mpl_args_unexpected(args, value, err);
        }
    }
    return st == MPL_END ? check(opts, err) : st;
}

/* ---- the work ------------------------------------------------------------------------------------- */

/* MPL_END: a gate is not passed. */
static enum mpl_status answer(const struct diff_opts *opts, const struct mpl_diff *diff,
                              FILE *out, struct mpl_err *err)
{
    const struct mpl_report_options looks = { .width = mpl_output_width(out) };
    const struct mpl_draw_options page = { .most_bytes = (size_t) opts->size * 1000000 };
    const enum mpl_status st =
        opts->format == MPL_FORMAT_JSON ? mpl_report_diff_json(diff, &opts->gates, out, err)
        : opts->format == MPL_FORMAT_HTML
            ? mpl_draw_diff_page(diff, &opts->gates, &page, out, err)
        : opts->format == MPL_FORMAT_MARKDOWN
            ? mpl_report_diff_markdown(diff, &opts->gates, (size_t) opts->top, out, err)
            : mpl_report_diff_text(diff, &opts->gates, (size_t) opts->top, &looks, out,
                                   err);

    if (st == MPL_OK && diff->verdict == MPL_DIFF_NOT_COMPARABLE) {
        return mpl_fail(err, MPL_E_MEANING, "the runs cannot be compared");
    }
    return st == MPL_OK && mpl_gates_failed(&opts->gates, diff) > 0 ? MPL_END : st;
}

static enum mpl_status save(const char *path, const struct mpl_diff_runs *base,
                            struct mpl_err *err)
{
    struct mpl_output file;
    enum mpl_status st;

    if (base->n > 1) {
        return mpl_fail(err, MPL_E_USAGE, "--save takes one run, and the base has %zu",
                        base->n);
    }
    st = mpl_output_open(path, NULL, &file, err);
    if (st != MPL_OK) {
        return st;
    }
    st = mpl_diff_save(base->runs[0], file.stream, err);
    st = st == MPL_E_IO ? mpl_wrap(err, st, "cannot write \"%s\"", path) : st;
    return mpl_output_close(&file, st, err);
}

static enum mpl_status compare(const struct diff_opts *opts,
                               const struct mpl_sides_read *sides, FILE *out,
                               struct mpl_err *err)
{
    struct mpl_comparison *comparison = NULL;
    const bool has_parts = opts->show.symbols.is_asked && !opts->show.is_asked;
    const struct mpl_diff_options how = { .least_share = opts->diff.least_share,
                                          .has_parts = has_parts,
                                          .parts = opts->show.symbols.parts };
    enum mpl_status st = mpl_diff_create_repeated(
        &sides->runs[MPL_SIDE_BASE], &sides->runs[MPL_SIDE_NEW], &how, &comparison, err);

    if (st == MPL_OK) {
        const struct mpl_diff *diff = mpl_diff_get(comparison);
        const bool shows = opts->show.is_asked && diff->verdict != MPL_DIFF_NOT_COMPARABLE;

        st = shows && diff->n_roles > 0
                 ? mpl_fail(err, MPL_E_MEANING,
                            "--show compares location by location, and the runs have not "
                            "the same: %" PRIu32 " and %" PRIu32,
                            diff->base->model->n_locations, diff->new->model->n_locations)
             : shows ? mpl_diff_show(&opts->show, comparison, out, err)
                     : answer(opts, diff, out, err);
    }
    mpl_diff_destroy(comparison);
    return st;
}

static enum mpl_status work(const struct diff_opts *opts, struct mpl_arena *arena,
                            FILE *out, struct mpl_err *err)
{
    struct mpl_sides_read sides = { 0 };
    struct mpl_output output;
    enum mpl_status st = mpl_output_open(opts->output, out, &output, err);

    if (st != MPL_OK) {
        return st;
    }
    st = mpl_sides_read(&opts->sides, &opts->ranks, &opts->clock, arena, &sides, err);
    st = st == MPL_OK && opts->save != NULL
             ? save(opts->save, &sides.runs[MPL_SIDE_BASE], err)
             : st;
    st = st == MPL_OK && sides.runs[MPL_SIDE_NEW].n > 0
             ? compare(opts, &sides, output.stream, err)
             : st;
    st = mpl_output_close(&output, st, err);
    mpl_sides_close(&sides);
    return st;
}

static enum mpl_status run(struct mpl_args *args, FILE *out, struct mpl_err *err)
{
    struct diff_opts opts = { .clock = mpl_clock_defaults(),
                              .ranks = mpl_buf_make(sizeof(struct mpl_rank_pair)) };
    struct mpl_arena *arena = mpl_arena_create();

    if (arena == NULL) {
        return mpl_nomem(err);
    }
    enum mpl_status st = mpl_sides_begin(&opts.sides, args->n, arena, err);

    st = st == MPL_OK ? parse(args, arena, &opts, err) : st;
    if (opts.top == 0) {
        opts.top = mpl_diff_is_ranking(&opts.show) ? ROWS_DEFAULT : TOP_DEFAULT;
    }
    opts.show.top = (size_t) opts.top;
    opts.show.is_json = opts.format == MPL_FORMAT_JSON;
    st = st == MPL_OK ? work(&opts, arena, out, err) : st;
    mpl_buf_free(&opts.ranks);
    mpl_arena_destroy(arena);
    return st;
}

const struct mpl_cmd mpl_cmd_diff = {
    .name = "diff",
    .operands = "BASE [NEW]",
    .summary = "say what is different between two runs, and which of it matters",
    .options = options,
    .run = run,
};
