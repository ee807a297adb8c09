/*
 * Hierarchical clustering. Two clusters are joined that are nearest to each other, and the distances to the
 * new cluster follow from those to its parts (Lance & Williams 1967). Five of the linkages keep this true:
 * who are nearest to each other stay so whatever else is joined, so that one may follow nearest neighbours
 * until two point at each other, in any order, and sort at the end. With centroid and median a new cluster
 * may be nearer to others than its parts were to each other: these look for the nearest pair each time.
 */
#include "config.h"

#include "diff/diff_priv.h"

#include <math.h>
#include <string.h>

const char *mpl_linkage_name(enum mpl_linkage linkage)
{
    static const char *const names[MPL_LINKAGES] = {
        "single", "complete", "average", "weighted", "centroid", "median", "ward",
    };

    return names[linkage];
}

struct clusters {
    enum mpl_linkage linkage;
    uint32_t n;
    double *
        distances; /* Of what each place holds now; a cluster has that of one of its parts. */
    double *sizes;            /* 0: the place is empty. */
    struct mpl_merge *merges; /* By places. */
    uint32_t n_merges;
};

static double *distance(const struct clusters *c, uint32_t i, uint32_t j)
{
    return &c->distances[(size_t) i * c->n + j];
}

/* From the union of two clusters, \p between apart, to a third that is \p x and \p y away from them. */
static double from_union(enum mpl_linkage linkage, double x, double y, double between,
                         double n_x, double n_y, double n)
{
    const double both = n_x + n_y;
    const double share = 1 / (both + n);

    switch (linkage) {
    case MPL_LINKAGE_SINGLE:
        return fmin(x, y);
    case MPL_LINKAGE_COMPLETE:
        return fmax(x, y);
    case MPL_LINKAGE_AVERAGE:
        return (n_x * x + n_y * y) / both;
    case MPL_LINKAGE_WEIGHTED:
        return (x + y) / 2;
    case MPL_LINKAGE_CENTROID:
        return sqrt(fmax(
            0, (n_x * x * x + n_y * y * y - n_x * n_y * between * between / both) / both));
    case MPL_LINKAGE_MEDIAN:
        return sqrt(fmax(0, (x * x + y * y) / 2 - between * between / 4));
    default:
        /* In SciPy's order of operations, so that what is equal there is equal here. */
        return sqrt(fmax(0, (n + n_x) * share * x * x + (n + n_y) * share * y * y -
                                n * share * between * between));
    }
}

/* The union stands in the place of \p y, as in fastcluster and SciPy. */
static void merge(struct clusters *c, uint32_t x, uint32_t y)
{
    const double between = *distance(c, x, y);
    const double n_x = c->sizes[x];
    const double n_y = c->sizes[y];

    c->merges[c->n_merges++] = (struct mpl_merge){ x, y, between, (uint32_t) (n_x + n_y) };
    c->sizes[x] = 0;
    c->sizes[y] = n_x + n_y;
    for (uint32_t i = 0; i < c->n; i++) {
        if (c->sizes[i] > 0 && i != y) {
            const double d = from_union(c->linkage, *distance(c, i, x), *distance(c, i, y),
                                        between, n_x, n_y, c->sizes[i]);

            *distance(c, i, y) = d;
            *distance(c, y, i) = d;
        }
    }
}

/* ---- chains of nearest neighbours ------------------------------------------------------------------- */

/* The nearest one to \p x, \p before if none is nearer: else chains of equal distances would not end. */
static uint32_t nearest(const struct clusters *c, uint32_t x, uint32_t before)
{
    double least = before == MPL_NONE ? INFINITY : *distance(c, x, before);
    uint32_t at = before;

    for (uint32_t i = 0; i < c->n; i++) {
        if (c->sizes[i] > 0 && i != x && *distance(c, x, i) < least) {
            least = *distance(c, x, i);
            at = i;
        }
    }
    return at;
}

static void follow_chains(struct clusters *c, uint32_t *chain)
{
    uint32_t length = 0;

    while (c->n_merges + 1 < c->n) {
        if (length == 0) {
            chain[0] = 0;
            while (c->sizes[chain[0]] <= 0) {
                chain[0]++;
            }
            length = 1;
        }
        const uint32_t before = length > 1 ? chain[length - 2] : MPL_NONE;
        const uint32_t next = nearest(c, chain[length - 1], before);
        if (next == before) {
            const uint32_t last = chain[length - 1];

            merge(c, last < before ? last : before, last < before ? before : last);
            length -= 2;
        } else {
            chain[length++] = next;
        }
    }
}

/* ---- the nearest pair each time ----------------------------------------------------------------------- */

/* Per place the nearest one behind it. */
static void look_behind(const struct clusters *c, uint32_t i, uint32_t *near)
{
    near[i] = MPL_NONE;
    for (uint32_t j = i + 1; j < c->n; j++) {
        if (c->sizes[j] > 0 &&
            (near[i] == MPL_NONE || *distance(c, i, j) < *distance(c, i, near[i]))) {
            near[i] = j;
        }
    }
}

static uint32_t nearest_pair(const struct clusters *c, const uint32_t *near)
{
    uint32_t at = MPL_NONE;

    for (uint32_t i = 0; i < c->n; i++) {
        if (c->sizes[i] > 0 && near[i] != MPL_NONE &&
            (at == MPL_NONE || *distance(c, i, near[i]) < *distance(c, at, near[at]))) {
            at = i;
        }
    }
    return at;
}

static void take_nearest(struct clusters *c, uint32_t *near)
{
    for (uint32_t i = 0; i < c->n; i++) {
        look_behind(c, i, near);
    }
    while (c->n_merges + 1 < c->n) {
        const uint32_t x = nearest_pair(c, near);
        const uint32_t y = near[x];

        merge(c, x, y);
        for (uint32_t i = 0; i <= y; i++) {
            if (c->sizes[i] > 0 && (i == y || near[i] == x || near[i] == y)) {
                look_behind(c, i, near);
            } else if (c->sizes[i] > 0 && *distance(c, i, y) < *distance(c, i, near[i])) {
                near[i] = y;
            }
        }
    }
}

/* ---- the tree ------------------------------------------------------------------------------------------ */

/* Stable: a cluster comes before what it is merged into at the same height. */
static bool sort_merges(struct mpl_merge *merges, size_t n, struct mpl_arena *arena)
{
    struct mpl_merge *copy = MPL_NEW_ARRAY(arena, n, struct mpl_merge);

    for (size_t width = 1; width < n && copy != NULL; width *= 2) {
        for (size_t low = 0; low < n; low += 2 * width) {
            const size_t middle = low + width < n ? low + width : n;
            const size_t high = low + 2 * width < n ? low + 2 * width : n;

            for (size_t at = low, i = low, j = middle; at < high; at++) {
                const bool is_left =
                    i < middle && (j == high || merges[i].height <= merges[j].height);

                copy[at] = merges[is_left ? i++ : j++];
            }
        }
        memcpy(merges, copy, n * sizeof *copy);
    }
    return copy != NULL;
}

static uint32_t root_of(const uint32_t *above, uint32_t i)
{
    while (above[i] != MPL_NONE) {
        i = above[i];
    }
    return i;
}

/* From places to numbers of clusters, and the sizes that follow from the order. */
static bool number(struct mpl_tree *tree, struct mpl_merge *merges, const double *sizes,
                   struct mpl_arena *scratch)
{
    const uint32_t n = tree->n;
    const size_t n_all = 2 * (size_t) n;
    uint32_t *above = MPL_NEW_ARRAY(scratch, n_all, uint32_t);

    if (above == NULL) {
        return false;
    }
    memset(above, 0xff, n_all * sizeof *above);
    for (uint32_t i = 0; i + 1 < n; i++) {
        const uint32_t x = root_of(above, merges[i].a);
        const uint32_t y = root_of(above, merges[i].b);
        const double n_x = x < n ? sizes[x] : merges[x - n].size;
        const double n_y = y < n ? sizes[y] : merges[y - n].size;

        merges[i].a = x < y ? x : y;
        merges[i].b = x < y ? y : x;
        merges[i].size = (uint32_t) (n_x + n_y);
        above[x] = n + i;
        above[y] = n + i;
    }
    tree->merges = merges;
    return true;
}

/* Ward's distance of clusters is that of their centres times a factor, which for single objects is 1. */
static bool open(struct clusters *c, const double *distances, const uint32_t *sizes,
                 struct mpl_arena *scratch)
{
    const size_t n = c->n;

    c->distances = MPL_NEW_ARRAY(scratch, n * n, double);
    c->sizes = MPL_NEW_ARRAY(scratch, n, double);
    if (c->distances == NULL || c->sizes == NULL) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        c->sizes[i] = sizes == NULL ? 1 : sizes[i];
    }
    for (size_t i = 0; i < n * n; i++) {
        const double a = c->sizes[i / n];
        const double b = c->sizes[i % n];
        const bool is_ward = c->linkage == MPL_LINKAGE_WARD && a + b > 2;

        c->distances[i] = distances[i] * (is_ward ? sqrt(2 * a * b / (a + b)) : 1);
    }
    return true;
}

static bool build(struct clusters *c, const double *distances, const uint32_t *sizes,
                  struct mpl_tree *tree, struct mpl_arena *scratch)
{
    const bool can_invert =
        c->linkage == MPL_LINKAGE_CENTROID || c->linkage == MPL_LINKAGE_MEDIAN;
    uint32_t *places = MPL_NEW_ARRAY(scratch, (size_t) c->n + 1, uint32_t);
    double *begin = MPL_NEW_ARRAY(scratch, c->n, double);

    if (places == NULL || begin == NULL || !open(c, distances, sizes, scratch)) {
        return false;
    }
    memcpy(begin, c->sizes, c->n * sizeof *begin);
    if (can_invert) {
        take_nearest(c, places);
    } else {
        follow_chains(c, places);
        if (!sort_merges(c->merges, c->n_merges, scratch)) {
            return false;
        }
    }
    return number(tree, c->merges, begin, scratch);
}

enum mpl_status mpl_tree_create(const double *distances, const uint32_t *sizes, uint32_t n,
                                enum mpl_linkage linkage, struct mpl_arena *arena,
                                const struct mpl_tree **out, struct mpl_err *err)
{
    struct mpl_arena *scratch = mpl_arena_create();
    struct mpl_tree *tree = MPL_NEW(arena, struct mpl_tree);
    struct clusters c = { .linkage = linkage,
                          .n = n,
                          .merges = MPL_NEW_ARRAY(arena, n, struct mpl_merge) };
    bool is_done = scratch != NULL && tree != NULL && c.merges != NULL;

    if (is_done) {
        tree->n = n;
        is_done = build(&c, distances, sizes, tree, scratch);
    }
    mpl_arena_destroy(scratch);
    if (!is_done) {
        return mpl_nomem(err);
    }
    *out = tree;
    return MPL_OK;
}

/* ---- cuts ------------------------------------------------------------------------------------------------ */

/* Two heights that differ by less differ by how they were rounded. */
static bool is_same_height(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(1, fmax(fabs(a), fabs(b)));
}

static bool is_chance(const struct mpl_tree *tree, uint32_t k)
{
    const struct mpl_merge *undone = &tree->merges[tree->n - k];

    return is_same_height(undone->height, k == tree->n ? 0 : undone[-1].height);
}

static uint32_t first_item(const struct mpl_tree *tree, uint32_t cluster)
{
    while (cluster >= tree->n) {
        cluster = tree->merges[cluster - tree->n].a;
    }
    return cluster;
}

/* By first appearance. */
static void renumber(uint32_t *of, uint32_t n)
{
    uint32_t next = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = 0;

        /* What stands before i is numbered, so the first item of a cluster is met before the others. */
        while (j < i && of[j] != of[i]) {
            j++;
        }
        if (j == i) {
            const uint32_t old = of[i];

            for (; j < n; j++) {
                of[j] = of[j] == old ? n + next : of[j];
            }
            next++;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        of[i] -= n;
    }
}

bool mpl_tree_cut(const struct mpl_tree *tree, uint32_t k, uint32_t *of)
{
    const uint32_t n = tree->n;

    if (k == 0 || k > n || (k > 1 && is_chance(tree, k))) {
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        of[i] = i;
    }
    for (uint32_t m = 0; m < n - k; m++) {
        const uint32_t to = of[first_item(tree, tree->merges[m].a)];
        const uint32_t from = of[first_item(tree, tree->merges[m].b)];

        for (uint32_t i = 0; i < n; i++) {
            of[i] = of[i] == from ? to : of[i];
        }
    }
    renumber(of, n);
    return true;
}
