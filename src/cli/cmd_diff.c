#include "config.h"

#include "cli/cli_priv.h"
#include "cli/diff_show_priv.h"
#include "cli/sides_priv.h"

#include "diff/diff.h"
#include "draw/draw.h"
#include "report/report.h"

#include <inttypes.h>

enum { TOP_DEFAULT = 3, ROWS_DEFAULT = 20 };

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
};

/* What options are about. */
enum {
    BASE = 1,    /* One trace, too. */
    ANSWER = 2,  /* Only the answer. */
    RANKS = 4,   /* Only how much is shown of a ranking, or of the answer. */
    RANKING = 8, /* Only a ranking. */
    SHOW = 16,   /* Only what --show shows. */
    OTHER = 32   /* All comparisons. */
};

static enum mpl_status take_gates(struct mpl_args *args, void *target, struct mpl_err *err)
{
    const enum mpl_status st =
        mpl_gates_add((struct mpl_gates *) target, args->value, args->arena, err);

    return st == MPL_OK ? st : mpl_wrap(err, st, "option \"--fail-on\" cannot be used");
}

static enum mpl_status take_operand(struct mpl_args *args, void *target,
                                    struct mpl_err *err)
{
    struct diff_opts *opts = (struct diff_opts *) target;

    return mpl_diff_wants_label(&opts->show) ? mpl_take_word(args, &opts->show.label, err)
                                             : mpl_take_side(args, &opts->sides, err);
}

#define INTO(take, field) MPL_INTO(take, struct diff_opts, field)

static const struct mpl_option options[] = {
    { 0, "format", "text|json|markdown|html",
      "what to print; text is the default, markdown is for a comment, html "
      "a page with pictures",
      INTO(mpl_take_format, format), .about = OTHER },
    { 'o', "output", "FILE", "write to FILE, completely or not at all",
      INTO(mpl_take_word, output), .about = OTHER },
    { 0, "top", "N", "at most N locations in full, 3 by default; of a ranking 20 rows",
      INTO(mpl_take_number, top), MPL_WITHIN(1, 1000000), .about = RANKS },
    { 0, "fail-on", "structure|slower|slower:LIMIT",
      "exit with status 1 if so, or if slower by more than 5% or 200ms; may "
      "be repeated",
      INTO(take_gates, gates), .about = ANSWER },
    { 0, "save", "FILE",
      "write BASE as a baseline, which stands for its trace from then on",
      INTO(mpl_take_word, save), .about = BASE },
    { 0, "show", "nlr|context|lattice|jsm|ranking|candidates|align",
      "what one configuration sees: loops, formal context, concept lattice "
      "(DOT), similarities; or many: suspects, clusters; or, behind align, "
      "one process: its calls in both runs",
      INTO(mpl_take_show, show), .about = OTHER },
    { 0, "filter", "CODE", "its filter, 11.mpi.cust.0K10 by default; of a ranking several",
      INTO(mpl_take_filter, show), .about = SHOW },
    { 0, "attributes", "KIND",
      "its attributes: sing. or doub., and orig, log10, actual or "
      "weighted; sing.orig by default, of a ranking all but weighted",
      INTO(mpl_take_kind, show), .about = SHOW },
    { 0, "no-loops", NULL, "without looking for loops",
      INTO(mpl_take_flag, show.without_loops), .about = SHOW },
    { 0, "rotate", NULL, "loops whose bodies are rotations of each other are one",
      INTO(mpl_take_flag, show.up_to_rotation), .about = SHOW },
    { 0, "symbols", "peer|relative-peer|root|tag|bytes|communicator|path|none",
      "what makes a call another one beside its function, joined by "
      "commas; "
      "by default none, of the answer all but path",
      INTO(mpl_take_symbols, show.symbols), .about = OTHER },
    { 0, "matrix", NULL, "ranking: all filters, with and without loops, partners, sizes",
      INTO(mpl_take_flag, show.is_matrix), .about = RANKING },
    { 0, "linkage", "KIND",
      "ranking: single, complete, average, weighted, centroid, median or "
      "ward; all by default",
      INTO(mpl_take_linkage, show), .about = RANKING },
    { 0, "clusters", "K", "ranking: cut into K clusters; 2, 3 and 4 by default",
      INTO(mpl_take_number, show.clusters), MPL_WITHIN(2, 1000), .about = RANKING },
    { 0, "cluster-by", "changes|similarity",
      "ranking: suspects are in small clusters of what changed (the "
      "default), or of who is alike in the new run",
      INTO(mpl_take_cluster_by, show), .about = RANKING },
    { 0, "base", "TRACE...", "repetitions of the base: traces, cases or manifests",
      INTO(mpl_take_base, sides), .about = BASE },
    { 0, "new", "TRACE...", "repetitions of the new run", INTO(mpl_take_new, sides),
      .about = OTHER },
    { 0, "least", "SHARE",
      "the smallest difference that counts, of the base's run time; 10% by "
      "default, with repetitions 2%",
      INTO(mpl_take_share, diff.least_share), .about = ANSWER },
    { 0, "map", "A=B", "rank A of the base is rank B of the new run; several with commas",
      INTO(mpl_take_ranks, ranks), .about = BASE },
    { 0, "size", "MB", "html: leave out calls rather than exceed it; 8",
      INTO(mpl_take_number, size), MPL_WITHIN(1, 1000), .about = OTHER },
    MPL_READING_OPTIONS(struct diff_opts, clock),
    { 0 },
};

static enum mpl_status check_operands(const struct mpl_args *args,
                                      const struct diff_opts *opts, struct mpl_err *err)
{
    const struct mpl_option *other = mpl_args_given(args, ~(unsigned) BASE);

    if (!mpl_sides_is_one(&opts->sides) || opts->save == NULL) {
        return mpl_sides_check(&opts->sides, err);
    }
    return other == NULL ? MPL_OK
                         : mpl_fail(err, MPL_E_USAGE,
                                    "option \"--%s\" is about a comparison, and there is "
                                    "only one trace",
                                    other->name);
}

/* What would have no effect is refused: who says it expects one. */
static enum mpl_status check(const struct mpl_args *args, const struct diff_opts *opts,
                             struct mpl_err *err)
{
    const bool ranks = mpl_diff_is_ranking(&opts->show);
    const bool shows = opts->show.is_asked;
    const struct mpl_option *wrong = ranks ? NULL : mpl_args_given(args, RANKING);
    enum mpl_status st = check_operands(args, opts, err);

    if (st != MPL_OK) {
        return st;
    }
    if (wrong != NULL) {
        return mpl_fail(err, MPL_E_USAGE,
                        "option \"--%s\" goes with --show ranking or candidates",
                        wrong->name);
    }
    wrong = mpl_args_given(args, ranks ? ANSWER : shows ? ANSWER | RANKS : SHOW);
    if (wrong != NULL) {
        return mpl_fail(err, MPL_E_USAGE,
                        shows
                            ? "option \"--%s\" is about the answer, and --show prints "
                              "something else in its place"
                            : "option \"--%s\" is about what --show shows, and there is no "
                              "--show",
                        wrong->name);
    }
    if (opts->show.is_asked && opts->format != MPL_FORMAT_TEXT &&
        opts->format != MPL_FORMAT_JSON) {
        return mpl_fail(err, MPL_E_USAGE,
                        "--show prints text or JSON, so it does not go with "
                        "--format %s",
                        opts->format == MPL_FORMAT_HTML ? "html" : "markdown");
    }
    st = mpl_check_page_size(opts->format, opts->size, err);
    if (st != MPL_OK) {
        return st;
    }
    return mpl_diff_check_show(&opts->show, err);
}

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

    if (base->n > 1) {
        return mpl_fail(err, MPL_E_USAGE, "--save takes one run, and the base has %zu",
                        base->n);
    }
    enum mpl_status st = mpl_output_open(path, NULL, &file, err);
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
    enum mpl_status st = mpl_diff_create(
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
                              .sides.at = MPL_SIDES,
                              .ranks = mpl_buf_make(sizeof(struct mpl_rank_pair)) };
    enum mpl_status st = mpl_args_parse(args, &opts, take_operand, &opts, err);

    st = st == MPL_OK ? check(args, &opts, err) : st;
    if (opts.top == 0) {
        opts.top = mpl_diff_is_ranking(&opts.show) ? ROWS_DEFAULT : TOP_DEFAULT;
    }
    opts.show.top = (size_t) opts.top;
    opts.show.is_json = opts.format == MPL_FORMAT_JSON;
    st = st == MPL_OK ? work(&opts, args->arena, out, err) : st;
    mpl_buf_free(&opts.ranks);
    return st;
}

const struct mpl_cmd mpl_cmd_diff = {
    .name = "diff",
    .operands = "BASE [NEW]",
    .summary = "say what is different between two runs, and which of it matters",
    .options = options,
    .run = run,
};
