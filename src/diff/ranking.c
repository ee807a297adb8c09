/*
 * Rankings as in Tables V to IX of the paper DiffTrace. In each configuration the clusters of the base are
 * compared with those of the new run (B-score: the less, the more has changed), and suspects are the members
 * of small clusters of what changed.
 */
#include "config.h"

#include "diff/diff_priv.h"

#include <math.h>

/* Rows that differ by less differ by how their sums were rounded. */
static const double least = 1e-9;
/* Table XI names clusters of 5 of 40 locations, and of 6 none. */
enum { SMALL_SHARE = 8 };

struct work {
    const struct mpl_comparison *comparison;
    struct mpl_ranking *ranking;
    struct mpl_arena *arena;
    struct mpl_buf rows; /* struct mpl_ranked */
    double *votes;
    struct mpl_map *seen; /* Hashes of what filters kept. */
};
/* One configuration. */
struct view {
    size_t filter;
    struct mpl_context_kind kind;
    const struct mpl_changes *changes;
    struct mpl_arena *scratch;
    double *
        excess; /* Per location, what changed beyond what repetitions of the base differ in. */
    double mean; /* Of what locations changed. */
    /* Distances of classes, of classes, of groups of twins. */
    double *base;
    double *new;
    double *rows;
    /* Clusters, likewise. */
    uint32_t *base_of;
    uint32_t *new_of;
    uint32_t *rows_of;
};

/* ---- distances ----------------------------------------------------------------------------------------- */

static double *unlike(const struct mpl_context *c, struct mpl_arena *scratch)
{
    const size_t n = (size_t) c->n_classes * c->n_classes;
    double *distances = MPL_NEW_ARRAY(scratch, n, double);

    for (size_t i = 0; i < n && distances != NULL; i++) {
        distances[i] = 1 - c->alike[i];
    }
    return distances;
}

/* Euclidean distances of rows of JSM_D, in which each location is a column. */
static double *between_rows(const struct mpl_changes *c, struct mpl_arena *scratch)
{
    const size_t n = c->n;
    double *distances = MPL_NEW_ARRAY(scratch, n * n, double);

    for (size_t i = 0; i < n && distances != NULL; i++) {
        for (size_t j = 0; j < i; j++) {
            double sum = 0;

            for (size_t t = 0; t < n; t++) {
                const double d = c->matrix[i * n + t] - c->matrix[j * n + t];

                sum += c->sizes[t] * d * d;
            }
            distances[i * n + j] = sqrt(sum);
            distances[j * n + i] = sqrt(sum);
        }
    }
    return distances;
}

static bool measure(struct view *v)
{
    const struct mpl_changes *c = v->changes;

    v->base = unlike(c->base, v->scratch);
    v->new = unlike(c->new, v->scratch);
    v->rows = between_rows(c, v->scratch);
    v->base_of = MPL_NEW_ARRAY(v->scratch, c->base->n_classes, uint32_t);
    v->new_of = MPL_NEW_ARRAY(v->scratch, c->new->n_classes, uint32_t);
    v->rows_of = MPL_NEW_ARRAY(v->scratch, c->n, uint32_t);
    for (uint32_t i = 0; i < c->n; i++) {
        v->mean += c->sizes[i] * c->rows[i] / c->base->n_objects;
    }
    return v->base != NULL && v->new != NULL && v->rows != NULL && v->base_of != NULL &&
           v->new_of != NULL && v->rows_of != NULL;
}

/* ---- suspects ------------------------------------------------------------------------------------------ */

/* Per group of twins its cluster, from clusters of the classes of one run. */
static void of_twins(const struct view *v, const struct mpl_context *run,
                     const uint32_t *cluster_of, uint32_t *out)
{
    for (uint32_t t = 0; t < v->changes->n; t++) {
        out[t] = cluster_of[run->class_of[v->changes->firsts[t]]];
    }
}

/* Whether all that are together with \p t in the new run are so in the base, and nobody else. */
static bool stays_together(const struct view *v, const uint32_t *base, const uint32_t *new,
                           uint32_t t)
{
    for (uint32_t u = 0; u < v->changes->n; u++) {
        if ((base[u] == base[t]) != (new[u] == new[t])) {
            return false;
        }
    }
    return true;
}

/* So that what is equal but for rounding is equal. */
static double rounded(double x)
{
    return round(x / least) * least;
}

struct suspect {
    double row; /* Excess, rounded. */
    uint32_t location;
};
static int by_row(const void *x, const void *y)
{
    const struct suspect *a = x;
    const struct suspect *b = y;

    if (a->row != b->row) {
        return a->row > b->row ? -1 : 1;
    }
    return (a->location > b->location) - (a->location < b->location);
}

/* Whoever is in a small cluster of \p clusters, by group of twins. A cluster that the base has, too (NULL: it
   cannot have), is the program's way. */
static bool find_suspects(struct work *w, const struct view *v, const uint32_t *clusters,
                          const uint32_t *base, struct mpl_ranked *row)
{
    const struct mpl_changes *c = v->changes;
    const uint32_t n = c->base->n_objects;
    const uint32_t small = n / SMALL_SHARE > 1 ? n / SMALL_SHARE : 1;
    uint32_t *sizes = MPL_NEW_ARRAY(v->scratch, row->k, uint32_t);
    uint32_t *cluster_of = MPL_NEW_ARRAY(w->arena, n, uint32_t);
    struct suspect *all = MPL_NEW_ARRAY(v->scratch, n, struct suspect);

    if (sizes == NULL || cluster_of == NULL || all == NULL) {
        return false;
    }
    for (uint32_t l = 0; l < n; l++) {
        cluster_of[l] = clusters[c->of[l]];
        sizes[cluster_of[l]]++;
    }
    for (uint32_t l = 0; l < n; l++) {
        if (sizes[cluster_of[l]] <= small && c->rows[c->of[l]] > v->mean + least &&
            v->excess[l] > least &&
            (base == NULL || !stays_together(v, base, clusters, c->of[l]))) {
            all[row->n_suspects++] = (struct suspect){ rounded(v->excess[l]), l };
        }
    }
    uint32_t *suspects = MPL_NEW_ARRAY(w->arena, row->n_suspects, uint32_t);
    if (suspects == NULL) {
        return false;
    }
    mpl_sort(all, row->n_suspects, sizeof *all, by_row);
    for (uint32_t i = 0; i < row->n_suspects; i++) {
        suspects[i] = all[i].location;
    }
    row->cluster_of = cluster_of;
    row->suspects = suspects;
    return true;
}

/* Trees of the base's classes, of those of the new run, and of rows of JSM_D. */
struct trees {
    const struct mpl_tree *base;
    const struct mpl_tree *new;
    const struct mpl_tree *rows;
};

static enum mpl_status grow(const struct view *v, enum mpl_linkage linkage,
                            struct trees *trees, struct mpl_err *err)
{
    const struct mpl_changes *c = v->changes;
    enum mpl_status st = mpl_tree_create(v->base, c->base->sizes, c->base->n_classes,
                                         linkage, v->scratch, &trees->base, err);

    st = st == MPL_OK ? mpl_tree_create(v->new, c->new->sizes, c->new->n_classes, linkage,
                                        v->scratch, &trees->new, err)
                      : st;
    return st == MPL_OK ? mpl_tree_create(v->rows, c->sizes, c->n, linkage, v->scratch,
                                          &trees->rows, err)
                        : st;
}

static enum mpl_status add_row(struct work *w, const struct view *v,
                               const struct trees *trees, enum mpl_linkage linkage,
                               uint32_t k, struct mpl_err *err)
{
    const struct mpl_changes *c = v->changes;
    const bool by_rows = w->ranking->options->by == MPL_CLUSTER_CHANGES;
    const bool is_cut =
        mpl_tree_cut(trees->base, k, v->base_of) && mpl_tree_cut(trees->new, k, v->new_of);
    const bool has_clusters = by_rows ? mpl_tree_cut(trees->rows, k, v->rows_of) : is_cut;
    uint32_t *base = MPL_NEW_ARRAY(v->scratch, c->n, uint32_t);
    uint32_t *new = MPL_NEW_ARRAY(v->scratch, c->n, uint32_t);
    struct mpl_ranked row = { v->filter, v->kind, linkage, k, NAN, NULL, 0, NULL };

    if (!is_cut && !has_clusters) {
        return MPL_OK;
    }
    if (base == NULL || new == NULL) {
        return mpl_nomem(err);
    }
    if (is_cut) {
        of_twins(v, c->base, v->base_of, base);
        of_twins(v, c->new, v->new_of, new);

        const enum mpl_status st =
            mpl_b_score(base, new, c->sizes, c->n, k, &row.b_score, err);

        if (st != MPL_OK) {
            return st;
        }
        row.b_score = rounded(row.b_score);
    }
    if (has_clusters &&
        !find_suspects(w, v, by_rows ? v->rows_of : new, by_rows ? NULL : base, &row)) {
        return mpl_nomem(err);
    }
    return mpl_buf_put(&w->rows, &row) ? MPL_OK : mpl_nomem(err);
}

static enum mpl_status add_rows(struct work *w, const struct view *v, struct mpl_err *err)
{
    const struct mpl_ranking_options *o = w->ranking->options;
    enum mpl_status st = MPL_OK;

    for (size_t i = 0; i < o->n_linkages && st == MPL_OK; i++) {
        struct trees trees = { NULL, NULL, NULL };

        st = grow(v, o->linkages[i], &trees, err);
        for (uint32_t k = o->fewest; k <= o->most && st == MPL_OK; k++) {
            st = add_row(w, v, &trees, o->linkages[i], k, err);
        }
    }
    return st;
}

/* False: nothing changes. */
static bool vote(struct work *w, const struct view *v)
{
    const uint32_t n = w->ranking->n_locations;
    double top = 0;
    uint32_t n_top = 0;

    for (uint32_t l = 0; l < n; l++) {
        top = fmax(top, v->excess[l]);
    }
    for (uint32_t l = 0; l < n; l++) {
        n_top += v->excess[l] > top - least;
    }
    for (uint32_t l = 0; l < n && top > least; l++) {
        w->votes[l] += v->excess[l] > top - least ? 1.0 / n_top : 0;
    }
    return top > least;
}

/* What repetitions of the base differ in from it is no difference of the new run. */
static enum mpl_status exceed(struct view *v, const struct mpl_filtered *repetitions,
                              size_t n_repetitions, struct mpl_err *err)
{
    const uint32_t n = v->changes->base->n_objects;
    double *rows = MPL_NEW_ARRAY(v->scratch, n, double);
    double *most = MPL_NEW_ARRAY(v->scratch, n, double);
    enum mpl_status st = MPL_OK;

    v->excess = MPL_NEW_ARRAY(v->scratch, n, double);
    if (rows == NULL || most == NULL || v->excess == NULL) {
        return mpl_nomem(err);
    }
    for (size_t r = 0; r < n_repetitions && st == MPL_OK; r++) {
        st = mpl_similarity_changes(&repetitions[r], v->kind, rows, err);
        for (uint32_t l = 0; l < n && st == MPL_OK; l++) {
            most[l] = fmax(most[l], rows[l]);
        }
    }
    for (uint32_t l = 0; l < n; l++) {
        v->excess[l] = fmax(0, v->changes->rows[v->changes->of[l]] - most[l]);
    }
    return st;
}

static bool is_empty(const struct mpl_filtered *f)
{
    for (uint32_t l = 0; l < f->n_locations; l++) {
        if (f->base[l].n > 0 || f->new[l].n > 0) {
            return false;
        }
    }
    return true;
}

/* What a filter keeps: of the two runs, and of the base and each of its repetitions. */
struct kept {
    const struct mpl_filtered *f;
    size_t n_repetitions;
    struct mpl_filtered *repetitions;
};

static enum mpl_status look(struct work *w, const struct kept *kept, size_t filter,
                            struct mpl_context_kind kind, struct mpl_err *err)
{
    const struct mpl_filtered *f = kept->f;
    struct mpl_ranking *r = w->ranking;
    struct view v = { .filter = filter, .kind = kind, .scratch = mpl_arena_create() };
    enum mpl_status st = v.scratch == NULL
                             ? mpl_nomem(err)
                             : mpl_changes_create(f, kind, v.scratch, &v.changes, err);

    st = st == MPL_OK ? exceed(&v, kept->repetitions, kept->n_repetitions, err) : st;
    r->n_configurations++;
    if (st != MPL_OK) {
        mpl_arena_destroy(v.scratch);
        return st;
    }
    if (is_empty(f)) {
        r->n_empty++;
    } else if (!vote(w, &v)) {
        r->n_alike++;
    } else {
        r->n_telling++;
        if (v.changes->n > MPL_RANKING_MOST) {
            r->n_large++;
        } else {
            st = measure(&v) ? add_rows(w, &v, err) : mpl_nomem(err);
        }
    }
    mpl_arena_destroy(v.scratch);
    return st;
}

static uint64_t hash_items(const struct mpl_folded *sequences, size_t n, uint64_t hash)
{
    for (size_t l = 0; l < n; l++) {
        hash = (hash ^ sequences[l].n) * UINT64_C(0x9E3779B97F4A7C15);
        for (uint32_t i = 0; i < sequences[l].n; i++) {
            const struct mpl_item item = sequences[l].items[i];

            hash = (hash ^ hash >> 31 ^ ((uint64_t) item.what << 32 | item.count)) *
                   UINT64_C(0xBF58476D1CE4E5B9);
        }
    }
    return hash;
}

/* Loops have numbers of their own in each filter: what they are made of counts, too. */
static bool is_repeated(struct work *w, const struct mpl_filtered *f, size_t filter,
                        bool *has_memory)
{
    uint64_t hash = hash_items(f->base, 2 * (size_t) f->n_locations, f->loops == NULL);

    for (uint32_t i = 0; f->loops != NULL && i < mpl_loops_count(f->loops); i++) {
        const struct mpl_loop loop = mpl_loops_get(f->loops, i);

        hash = hash_items(&(struct mpl_folded){ loop.n, loop.items }, 1, hash);
    }
    if (mpl_map_find(w->seen, hash) != MPL_NONE) {
        return true;
    }
    *has_memory = mpl_map_put(w->seen, hash, (uint32_t) filter);
    return false;
}

static enum mpl_status look_at_kinds(struct work *w, const struct kept *kept, size_t filter,
                                     struct mpl_err *err)
{
    const struct mpl_ranking_options *o = w->ranking->options;
    bool has_memory = true;
    enum mpl_status st = MPL_OK;

    if (!is_empty(kept->f) && is_repeated(w, kept->f, filter, &has_memory)) {
        w->ranking->n_configurations += (uint32_t) o->n_kinds;
        w->ranking->n_repeated += (uint32_t) o->n_kinds;
        return MPL_OK;
    }
    for (size_t i = 0; i < o->n_kinds && st == MPL_OK; i++) {
        st = has_memory ? look(w, kept, filter, o->kinds[i], err) : mpl_nomem(err);
    }
    return st;
}

static enum mpl_status filter_repetitions(struct work *w, struct mpl_filtering how,
                                          struct kept *kept, struct mpl_arena *scratch,
                                          struct mpl_err *err)
{
    const struct mpl_diff *d = &w->comparison->diff;
    const struct mpl_diff_side *side = &d->sides[0];
    enum mpl_status st = MPL_OK;

    kept->repetitions = MPL_NEW_ARRAY(scratch, side->n, struct mpl_filtered);
    if (kept->repetitions == NULL) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < side->n && st == MPL_OK; i++) {
        how.instead = side->runs[i];
        if (side->runs[i] != d->base &&
            side->runs[i]->model->n_locations == w->comparison->n_locations) {
            st = mpl_filtered_create(w->comparison, &how,
                                     &kept->repetitions[kept->n_repetitions++], err);
        }
    }
    return st;
}

static enum mpl_status look_through(struct work *w, size_t filter, struct mpl_err *err)
{
    const struct mpl_filter_choice *choice = &w->ranking->options->filters[filter];
    struct mpl_arena *scratch = mpl_arena_create();
    struct mpl_filter *opened = NULL;
    enum mpl_status st = scratch == NULL
                             ? mpl_nomem(err)
                             : mpl_filter_open(choice->code, scratch, &opened, err);

    if (st == MPL_OK) {
        const struct mpl_filtering how = { .filter = opened,
                                           .parts = choice->parts,
                                           .without_loops = choice->without_loops,
                                           .up_to_rotation = choice->up_to_rotation,
                                           .without_noise = true,
                                           .beyond_mpi = true };
        struct mpl_filtered f;
        struct kept kept = { &f, 0, NULL };

        st = mpl_filtered_create(w->comparison, &how, &f, err);
        st = st == MPL_OK ? filter_repetitions(w, how, &kept, scratch, err) : st;
        st = st == MPL_OK ? look_at_kinds(w, &kept, filter, err) : st;
        for (size_t i = 0; i < kept.n_repetitions; i++) {
            mpl_filtered_destroy(&kept.repetitions[i]);
        }
        mpl_filtered_destroy(&f);
    }
    mpl_filter_close(opened);
    mpl_arena_destroy(scratch);
    return st;
}

static int by_score(const void *x, const void *y)
{
    const struct mpl_ranked *a = x;
    const struct mpl_ranked *b = y;
    const double at[2] = { isnan(a->b_score) ? 2 : a->b_score,
                           isnan(b->b_score) ? 2 : b->b_score };

    if (at[0] != at[1]) {
        return at[0] < at[1] ? -1 : 1;
    }
    if (a->filter != b->filter) {
        return a->filter < b->filter ? -1 : 1;
    }
    if (a->k != b->k) {
        return a->k < b->k ? -1 : 1;
    }
    if (a->kind.of != b->kind.of || a->kind.by != b->kind.by) {
        return a->kind.of * MPL_CONTEXT_WAYS + a->kind.by <
                       b->kind.of * MPL_CONTEXT_WAYS + b->kind.by
                   ? -1
                   : 1;
    }
    return (a->linkage > b->linkage) - (a->linkage < b->linkage);
}

enum mpl_status mpl_ranking_create(const struct mpl_comparison *comparison,
                                   const struct mpl_ranking_options *options,
                                   struct mpl_arena *arena, const struct mpl_ranking **out,
                                   struct mpl_err *err)
{
    struct work w = { comparison,
                      MPL_NEW(arena, struct mpl_ranking),
                      arena,
                      mpl_buf_make(sizeof(struct mpl_ranked)),
                      MPL_NEW_ARRAY(arena, comparison->n_locations, double),
                      mpl_map_create() };

    if (w.ranking == NULL || w.votes == NULL || w.seen == NULL) {
        mpl_map_destroy(w.seen);
        return mpl_nomem(err);
    }
    w.ranking->options = options;
    w.ranking->n_locations = comparison->n_locations;
    w.ranking->votes = w.votes;
    w.ranking->has_repetitions = comparison->diff.sides[0].n > 1;
    const struct mpl_ranking_options *o = w.ranking->options;
    enum mpl_status st = MPL_OK;

    for (size_t i = 0; i < o->n_filters && st == MPL_OK; i++) {
        st = look_through(&w, i, err);
    }
    if (st == MPL_OK) {
        w.ranking->n_rows = w.rows.n;
        mpl_sort(w.rows.data, w.rows.n, w.rows.size, by_score);
        w.ranking->rows = mpl_buf_take(&w.rows, w.arena);
        st = w.ranking->rows == NULL ? mpl_nomem(err) : st;
    }
    mpl_map_destroy(w.seen);
    mpl_buf_free(&w.rows);
    if (st == MPL_OK) {
        *out = w.ranking;
    }
    return st;
}
