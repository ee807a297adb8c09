#include "config.h"

#include "cli/diff_show_priv.h"

#include <string.h>

static const char default_filter[] = "11.mpi.cust.0K10";
static const char all_calls[] = "11.mpi.cust.0K100"; /* What the answer looks at. */

/* ---- options ---------------------------------------------------------------------------------------- */

enum mpl_status mpl_take_show(struct mpl_args *args, void *target, struct mpl_err *err)
{
    struct mpl_diff_show *show = (struct mpl_diff_show *) target;
    size_t choice = 0;
    const enum mpl_status st = mpl_args_alternative(args, &choice, err);

    show->is_asked = true;
    show->what = (enum mpl_show) choice;
    mpl_assert(st != MPL_OK || strcmp(mpl_show_name(show->what), args->value) == 0);
    return st;
}

/* Before traces are read: what is wrong with it shows at once. */
enum mpl_status mpl_take_filter(struct mpl_args *args, void *target, struct mpl_err *err)
{
    struct mpl_diff_show *show = (struct mpl_diff_show *) target;
    struct mpl_filter *filter = NULL;
    const enum mpl_status st = mpl_filter_open(args->value, args->arena, &filter, err);

    mpl_filter_close(filter);
    if (st == MPL_OK && show->n_filters == MPL_DIFF_FILTERS_MOST) {
        return mpl_fail(err, MPL_E_USAGE, "there are more than %d --filter",
                        MPL_DIFF_FILTERS_MOST);
    }
    if (st == MPL_OK) {
        show->filters[show->n_filters++] = args->value;
    }
    return st;
}

static struct mpl_context_kind kind_of(size_t i)
{
    return (struct mpl_context_kind){ (enum mpl_context_of)(i / MPL_CONTEXT_WAYS),
                                      (enum mpl_context_by)(i % MPL_CONTEXT_WAYS) };
}

enum mpl_status mpl_take_kind(struct mpl_args *args, void *target, struct mpl_err *err)
{
    struct mpl_diff_show *show = (struct mpl_diff_show *) target;
    const char *words[2 * MPL_CONTEXT_WAYS];
    size_t choice = 0;

    for (size_t i = 0; i < 2 * MPL_CONTEXT_WAYS; i++) {
        words[i] = mpl_context_name(kind_of(i));
    }

    const enum mpl_status st =
        mpl_args_choice(args, words, 2 * MPL_CONTEXT_WAYS, &choice, err);

    show->has_kind = true;
    show->kind = kind_of(choice);
    return st;
}

enum mpl_status mpl_take_linkage(struct mpl_args *args, void *target, struct mpl_err *err)
{
    struct mpl_diff_show *show = (struct mpl_diff_show *) target;
    const char *words[MPL_LINKAGES];
    size_t choice = 0;

    for (int i = 0; i < MPL_LINKAGES; i++) {
        words[i] = mpl_linkage_name((enum mpl_linkage) i);
    }

    const enum mpl_status st = mpl_args_choice(args, words, MPL_LINKAGES, &choice, err);

    show->has_linkage = true;
    show->linkage = (enum mpl_linkage) choice;
    return st;
}

enum mpl_status mpl_take_cluster_by(struct mpl_args *args, void *target,
                                    struct mpl_err *err)
{
    size_t choice = 0;
    const enum mpl_status st = mpl_args_alternative(args, &choice, err);

    ((struct mpl_diff_show *) target)->by = (enum mpl_cluster_by) choice;
    return st;
}

bool mpl_diff_wants_label(const struct mpl_diff_show *show)
{
    return show->is_asked && show->what == MPL_SHOW_ALIGN && show->label == NULL;
}

bool mpl_diff_is_ranking(const struct mpl_diff_show *show)
{
    return show->is_asked &&
           (show->what == MPL_SHOW_RANKING || show->what == MPL_SHOW_CANDIDATES);
}

enum mpl_status mpl_diff_check_show(const struct mpl_diff_show *show, struct mpl_err *err)
{
    if (mpl_diff_wants_label(show)) {
        return mpl_fail(err, MPL_E_USAGE,
                        "--show align takes a process or thread, as in --show align 3 or "
                        "--show align 3.1");
    }
    if (show->what == MPL_SHOW_ALIGN && (show->has_kind || show->up_to_rotation)) {
        return mpl_fail(err, MPL_E_USAGE,
                        "--%s is about how alike processes are, and --show align is about "
                        "one",
                        show->has_kind ? "attributes" : "rotate");
    }
    if (show->n_filters > 1 && !mpl_diff_is_ranking(show)) {
        return mpl_fail(err, MPL_E_USAGE,
                        "only rankings and candidates take several --filter");
    }
    if (show->without_loops && show->up_to_rotation) {
        return mpl_fail(err, MPL_E_USAGE,
                        "--rotate is about loops, and there are none with --no-loops");
    }
    if (show->is_matrix && show->symbols.is_asked) {
        return mpl_fail(err, MPL_E_USAGE,
                        "--matrix takes calls with and without partners and sizes, so it "
                        "does not go with --symbols");
    }
    if (show->is_matrix && (show->n_filters > 0 || show->without_loops)) {
        return mpl_fail(
            err, MPL_E_USAGE,
            "--matrix takes all filters, with and without loops, so it does not "
            "go with --filter or --no-loops");
    }
    if (show->what == MPL_SHOW_LATTICE && show->has_kind &&
        show->kind.by == MPL_CONTEXT_WEIGHTED) {
        return mpl_fail(err, MPL_E_USAGE,
                        "weighted attributes have no lattice; take orig, log10 or actual");
    }
    return MPL_OK;
}

/* ---- one configuration -------------------------------------------------------------------------------- */

static struct mpl_filter_choice choice_of(const struct mpl_diff_show *show,
                                          const char *code)
{
    return (struct mpl_filter_choice){ code, show->symbols.parts, show->without_loops,
                                       show->up_to_rotation };
}

static enum mpl_status show_one(const struct mpl_diff_show *show,
                                const struct mpl_comparison *comparison,
                                const struct mpl_report_options *looks, FILE *out,
                                struct mpl_err *err)
{
    const char *code = show->n_filters == 0 ? default_filter : show->filters[0];
    struct mpl_arena *scratch = mpl_arena_create();
    struct mpl_filter *filter = NULL;
    struct mpl_filtered filtered = { 0 };
    enum mpl_status st =
        scratch == NULL ? mpl_nomem(err) : mpl_filter_open(code, scratch, &filter, err);

    if (st == MPL_OK) {
        const struct mpl_filtering how = { .filter = filter,
                                           .parts = show->symbols.parts,
                                           .without_loops = show->without_loops,
                                           .up_to_rotation = show->up_to_rotation };

        st = mpl_filtered_create(comparison, &how, &filtered, err);
        if (st == MPL_OK) {
            const struct mpl_filter_choice choice = choice_of(show, code);

            st = show->is_json
                     ? mpl_report_filtered_json(mpl_diff_get(comparison), &filtered,
                                                &choice, show->what, show->kind, out, err)
                     : mpl_report_filtered(mpl_diff_get(comparison)->base, &filtered,
                                           show->what, show->kind, looks, out, err);
        }
        mpl_filtered_destroy(&filtered);
    }
    mpl_filter_close(filter);
    mpl_arena_destroy(scratch);
    return st;
}

/* ---- one location -------------------------------------------------------------------------------------- */

static enum mpl_status find_location(const struct mpl_model *model, const char *label,
                                     uint32_t *out, struct mpl_err *err)
{
    *out = mpl_model_find_location(model, label);
    if (*out != MPL_NONE) {
        return MPL_OK;
    }
    return mpl_fail(err, MPL_E_USAGE,
                    "--show align knows no process or thread \"%s\": there are %s to %s",
                    label, model->locations[0].label,
                    model->locations[model->n_locations - 1].label);
}

static enum mpl_status show_location(const struct mpl_diff_show *show,
                                     const struct mpl_comparison *comparison,
                                     const struct mpl_report_options *looks, FILE *out,
                                     struct mpl_err *err)
{
    const struct mpl_diff *diff = mpl_diff_get(comparison);
    const bool is_plain = show->n_filters == 0 && !show->without_loops;
    const char *code = show->n_filters == 0 ? all_calls : show->filters[0];
    struct mpl_arena *scratch = mpl_arena_create();
    struct mpl_filter *filter = NULL;
    struct mpl_aligning how = { .is_plain = is_plain,
                                .has_parts = show->symbols.is_asked,
                                .parts = show->symbols.parts,
                                .without_loops = show->without_loops };
    struct mpl_aligned aligned = { .differs = false };
    enum mpl_status st =
        scratch == NULL ? mpl_nomem(err)
                        : find_location(diff->new->model, show->label, &how.location, err);

    st = st == MPL_OK ? mpl_filter_open(code, scratch, &filter, err) : st;
    how.filter = filter;
    if (st == MPL_OK) {
        st = mpl_aligned_create(comparison, &how, &aligned, err);
        if (st == MPL_OK) {
            const struct mpl_filter_choice choice = { code, aligned.parts,
                                                      show->without_loops, false };

            st = show->is_json ? mpl_report_aligned_json(diff, &aligned, &choice, out, err)
                               : mpl_report_aligned_text(diff, &aligned, looks, out, err);
        }
        mpl_aligned_destroy(&aligned);
    }
    mpl_filter_close(filter);
    mpl_arena_destroy(scratch);
    return st;
}

/* ---- many ---------------------------------------------------------------------------------------------- */

/* Filters of Table I and Fig. 7 that can keep something of a trace. Those of the paper that differ in returns
   only (01. and 11.) see the same attributes, so there is one of each. */
static const char *const all_filters[] = {
    "11.mpi.cust.0K10",      "11.mpiall.cust.0K10",     "11.mpicol.cust.0K10",
    "11.mpisr.cust.0K10",    "11.ompall.cust.0K10",     "11.ompcrit.cust.0K10",
    "11.ompmutex.cust.0K10", "11.mpi.ompall.cust.0K10", "11.mem.cust.0K10",
    "11.net.cust.0K10",      "11.poll.cust.0K10",       "11.str.cust.0K10",
    "11.plt.cust.0K10",      "11.all.cust.0K10",
};
static const unsigned all_parts[] = { 0, MPL_SYMBOL_PEER | MPL_SYMBOL_ROOT,
                                      MPL_SYMBOL_PEER | MPL_SYMBOL_ROOT | MPL_SYMBOL_TAG |
                                          MPL_SYMBOL_BYTES | MPL_SYMBOL_COMM };
enum {
    N_FILTERS = sizeof all_filters / sizeof *all_filters,
    N_PARTS = sizeof all_parts / sizeof *all_parts,
    CHOICES_MOST = 2 * N_FILTERS * N_PARTS
};

static size_t choose(const struct mpl_diff_show *show, struct mpl_filter_choice *out)
{
    size_t n = 0;

    for (size_t i = 0; i < N_FILTERS && show->is_matrix; i++) {
        for (size_t p = 0; p < N_PARTS; p++) {
            out[n++] = (struct mpl_filter_choice){ all_filters[i], all_parts[p], false,
                                                   show->up_to_rotation };
            out[n++] =
                (struct mpl_filter_choice){ all_filters[i], all_parts[p], true, false };
        }
    }
    for (size_t i = 0; i < show->n_filters && !show->is_matrix; i++) {
        out[n++] = choice_of(show, show->filters[i]);
    }
    if (n == 0) {
        out[n++] = choice_of(show, default_filter);
    }
    return n;
}

static size_t choose_kinds(const struct mpl_diff_show *show, struct mpl_context_kind *out)
{
    size_t n = 0;

    for (size_t i = 0; i < 2 * MPL_CONTEXT_WAYS && !show->has_kind; i++) {
        if (kind_of(i).by != MPL_CONTEXT_WEIGHTED) {
            out[n++] = kind_of(i);
        }
    }
    if (show->has_kind) {
        out[n++] = show->kind;
    }
    return n;
}

static enum mpl_status show_many(const struct mpl_diff_show *show,
                                 const struct mpl_comparison *comparison,
                                 const struct mpl_report_options *looks, FILE *out,
                                 struct mpl_err *err)
{
    struct mpl_filter_choice filters[CHOICES_MOST];
    struct mpl_context_kind kinds[2 * MPL_CONTEXT_WAYS];
    enum mpl_linkage linkages[MPL_LINKAGES] = { show->linkage };
    const struct mpl_ranking_options options = {
        .filters = filters,
        .n_filters = choose(show, filters),
        .kinds = kinds,
        .n_kinds = choose_kinds(show, kinds),
        .linkages = linkages,
        .n_linkages = show->has_linkage ? 1 : MPL_LINKAGES,
        .fewest = show->clusters == 0 ? 2 : (uint32_t) show->clusters,
        .most = show->clusters == 0 ? 4 : (uint32_t) show->clusters,
        .by = show->by,
    };
    const struct mpl_ranking *ranking = NULL;
    struct mpl_arena *arena = mpl_arena_create();

    for (int i = 0; i < MPL_LINKAGES && !show->has_linkage; i++) {
        linkages[i] = (enum mpl_linkage) i;
    }
    enum mpl_status st =
        arena == NULL ? mpl_nomem(err)
                      : mpl_ranking_create(comparison, &options, arena, &ranking, err);
    if (st == MPL_OK) {
        st = show->is_json
                 ? mpl_report_ranking_json(mpl_diff_get(comparison), ranking, show->what,
                                           out, err)
                 : mpl_report_ranking_text(mpl_diff_get(comparison)->base, ranking,
                                           show->what, show->top, looks, out, err);
    }
    mpl_arena_destroy(arena);
    return st;
}

enum mpl_status mpl_diff_show(const struct mpl_diff_show *show,
                              const struct mpl_comparison *comparison, FILE *out,
                              struct mpl_err *err)
{
    const struct mpl_report_options looks = { .width = mpl_output_width(out) };

    return mpl_diff_is_ranking(show) ? show_many(show, comparison, &looks, out, err)
           : show->what == MPL_SHOW_ALIGN
               ? show_location(show, comparison, &looks, out, err)
               : show_one(show, comparison, &looks, out, err);
}
