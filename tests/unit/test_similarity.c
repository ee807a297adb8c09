/* Concept lattices against all subsets, trees against the definition of their linkage, and what the paper DiffTrace and
 * real runs say. */
#include "config.h"
#include "diff_fixture.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/arena.h"
#include "../lib/suite.h"
#include "../lib/traces.h"
#include "diff/diff_priv.h"

/* ---- lattices ------------------------------------------------------------------------------------ */

static const struct mpl_context_kind presence = { MPL_CONTEXT_SINGLE,
                                                  MPL_CONTEXT_PRESENCE };

/* A letter is a call. */
static const struct mpl_context *context_of(const char *const *texts, size_t n,
                                            struct mpl_context_kind kind)
{
    struct mpl_folded *all = MPL_NEW_ARRAY(arena, n, struct mpl_folded);
    const struct mpl_context *context = NULL;

    for (size_t i = 0; i < n; i++) {
        const size_t length = strlen(texts[i]);
        struct mpl_item *items = MPL_NEW_ARRAY(arena, length, struct mpl_item);

        for (size_t k = 0; k < length; k++) {
            items[k] = (struct mpl_item){ (uint32_t) texts[i][k], 1 };
        }
        all[i] = (struct mpl_folded){ (uint32_t) length, items };
    }
    ck_assert_int_eq(mpl_context_create(all, n, kind, arena, &context, NULL), MPL_OK);
    return context;
}

static const struct mpl_lattice *lattice_of(const struct mpl_context *context,
                                            uint32_t most)
{
    const struct mpl_lattice *lattice = NULL;

    ck_assert_int_eq(mpl_lattice_create(context, most, arena, &lattice, NULL), MPL_OK);
    return lattice;
}

/* Fig. 4: what all have at the top, one concept for even and one for odd ranks, and the bottom. */
/* Of two classes, by the lowest concept that has both: they have its attributes in common, and no others. */
static double similarity(const struct mpl_lattice *l, uint32_t a, uint32_t b)
{
    const struct mpl_concept *c = l->concepts;
    uint32_t i = l->n_concepts - 1;

    while (!mpl_bits_has(c[i].extent, a) || !mpl_bits_has(c[i].extent, b)) {
        i--;
    }

    const uint32_t either = c[mpl_lattice_of_class(l, a)].n_attributes +
                            c[mpl_lattice_of_class(l, b)].n_attributes - c[i].n_attributes;

    return either == 0 ? 1 : (double) c[i].n_attributes / (double) either;
}

START_TEST(the_lattice_of_the_paper_has_four_concepts)
{
    /* Init, Comm_Size, Comm_Rank, L0 or L1, Finalize: Table IV. */
    const char *const texts[] = { "icrxf", "icryf", "icrxf", "icryf" };
    const struct mpl_context *c = context_of(texts, 4, presence);
    const struct mpl_lattice *l = lattice_of(c, MPL_CONCEPTS_MOST);

    ck_assert_uint_eq(c->n_classes, 2);
    ck_assert_uint_eq(l->n_concepts, 4);
    ck_assert_uint_eq(l->n_classes, 2);
    ck_assert_uint_eq(l->concepts[0].n_attributes, 4);
    ck_assert_uint_eq(l->concepts[0].n_parents, 0);
    ck_assert_uint_eq(l->concepts[1].n_attributes, 5);
    ck_assert_uint_eq(l->concepts[1].n_parents, 1);
    ck_assert_uint_eq(l->concepts[2].n_attributes, 5);
    ck_assert_uint_eq(l->concepts[3].n_attributes, 6);
    ck_assert_uint_eq(l->concepts[3].n_parents, 2);
    /* Each object and each attribute appears once. */
    ck_assert_uint_ne(mpl_lattice_of_class(l, 0), mpl_lattice_of_class(l, 1));
    ck_assert_uint_eq(mpl_lattice_of_attribute(l, 0), 0);
    /* Fig. 5. */
    ck_assert_uint_eq(c->class_of[0], c->class_of[2]);
    ck_assert_double_eq(similarity(l, c->class_of[0], c->class_of[2]), 1);
    ck_assert_double_eq(similarity(l, c->class_of[0], c->class_of[1]), 4.0 / 6);
}
END_TEST

enum { MOST = 12 };

static const struct mpl_context *random_context(size_t n_objects, size_t n_attributes)
{
    char texts[MOST][MOST + 1];
    const char *all[MOST];
    const int filled = 2 + rand() % 9;

    for (size_t o = 0; o < n_objects; o++) {
        size_t n = 0;

        for (size_t a = 0; a < n_attributes; a++) {
            if (rand() % 12 < filled) {
                texts[o][n++] = (char) ('a' + a);
            }
        }
        texts[o][n] = '\0';
        all[o] = texts[o];
    }
    return context_of(all, n_objects, presence);
}

/* Attributes of a class as bits. */
static uint64_t bits_of(const struct mpl_context *c, uint32_t class)
{
    uint64_t bits = 0;

    for (uint32_t i = 0; i < c->sets[class].n; i++) {
        for (uint32_t a = 0; a < c->attributes.n; a++) {
            bits |= c->sets[class].all[i].key == c->attributes.all[a].key ? UINT64_C(1) << a
                                                                          : 0;
        }
    }
    return bits;
}

/* By definition (Fig. 3): a set of attributes is an intent if it is what all have in common that have it. */
static size_t find_intents(const struct mpl_context *c, uint64_t *intents,
                           uint64_t *extents)
{
    const uint64_t all = (UINT64_C(1) << c->attributes.n) - 1;
    size_t n = 0;

    for (uint64_t subset = 0; subset <= all; subset++) {
        uint64_t extent = 0;
        uint64_t common = all;

        for (uint32_t i = 0; i < c->n_classes; i++) {
            if ((subset & ~bits_of(c, i)) == 0) {
                extent |= UINT64_C(1) << i;
                common &= bits_of(c, i);
            }
        }
        if (common == subset) {
            intents[n] = subset;
            extents[n++] = extent;
        }
    }
    return n;
}

static bool is_parent(const struct mpl_lattice *l, uint32_t upper, uint32_t lower)
{
    for (uint32_t p = 0; p < l->concepts[lower].n_parents; p++) {
        if (l->concepts[lower].parents[p] == upper) {
            return true;
        }
    }
    return false;
}

/* Part of the attributes, and nothing between. */
static bool covers(const struct mpl_lattice *l, uint32_t upper, uint32_t lower)
{
    const uint64_t low = *l->concepts[lower].intent;
    const uint64_t up = *l->concepts[upper].intent;

    for (uint32_t i = 0; i < l->n_concepts; i++) {
        const uint64_t between = *l->concepts[i].intent;

        if (i != upper && i != lower && (up & ~between) == 0 && (between & ~low) == 0) {
            return false;
        }
    }
    return upper != lower && (up & ~low) == 0;
}

/* _i is the seed. */
START_TEST(a_lattice_holds_all_concepts_and_agrees_with_the_sets)
{
    static uint64_t intents[1 << MOST];
    static uint64_t extents[1 << MOST];

    srand((unsigned) _i);

    const struct mpl_context *c =
        random_context(1 + (size_t) rand() % MOST, 1 + (size_t) rand() % MOST);

    if (c->attributes.n == 0) {
        return;
    }

    const struct mpl_lattice *l = lattice_of(c, 10000);
    const size_t n = find_intents(c, intents, extents);

    ck_assert_uint_eq(l->n_concepts, n);
    ck_assert_uint_eq(l->n_classes, c->n_classes);
    for (uint32_t i = 0; i < n; i++) {
        size_t at = 0;

        while (at < n && intents[at] != *l->concepts[i].intent) {
            at++;
        }
        ck_assert_uint_lt(at, n);
        ck_assert_uint_eq(*l->concepts[i].extent, extents[at]);
        for (uint32_t j = 0; j < n; j++) {
            ck_assert_int_eq(is_parent(l, j, i), covers(l, j, i));
        }
    }
    for (uint32_t a = 0; a < c->n_classes; a++) {
        for (uint32_t b = 0; b < c->n_classes; b++) {
            ck_assert_double_eq(similarity(l, a, b),
                                c->alike[(size_t) a * c->n_classes + b]);
        }
    }
}
END_TEST

START_TEST(a_lattice_that_would_be_too_large_is_cut_and_says_so)
{
    const char *const texts[] = { "bcd", "acd", "abd", "abc" };
    const struct mpl_context *c = context_of(texts, 4, presence);

    ck_assert_uint_eq(lattice_of(c, 16)->n_concepts, 16);
    ck_assert_uint_eq(lattice_of(c, 16)->n_classes, 4);
    ck_assert_uint_eq(lattice_of(c, 15)->n_classes, 3);
    ck_assert_uint_eq(lattice_of(c, 15)->n_concepts, 8);
    ck_assert_uint_eq(mpl_lattice_of_class(lattice_of(c, 15), 3), MPL_NONE);
    ck_assert_double_eq(c->alike[3], 0.5);
}
END_TEST

START_TEST(weights_have_no_lattice)
{
    const char *const texts[] = { "aab", "ab" };
    const struct mpl_context_kind kind = { MPL_CONTEXT_SINGLE, MPL_CONTEXT_WEIGHTED };
    const struct mpl_lattice *l = NULL;
    struct mpl_err err = { 0 };

    ck_assert_int_eq(mpl_lattice_create(context_of(texts, 2, kind), 10, arena, &l, &err),
                     MPL_E_USAGE);
    ck_assert_str_eq(err.cause[0].text,
                     "weighted attributes have no lattice; take orig, log10 or actual");
}
END_TEST

/* ---- clusters -------------------------------------------------------------------------------------- */

static const struct mpl_tree *tree_of(const double *distances, const uint32_t *sizes,
                                      uint32_t n, enum mpl_linkage linkage)
{
    const struct mpl_tree *tree = NULL;

    ck_assert_int_eq(mpl_tree_create(distances, sizes, n, linkage, arena, &tree, NULL),
                     MPL_OK);
    return tree;
}

/* Points in the plane; on a coarse grid many distances are equal. */
static double *random_distances(uint32_t n, int grid)
{
    double *distances = MPL_NEW_ARRAY(arena, (size_t) n * n, double);
    double *x = MPL_NEW_ARRAY(arena, n, double);
    double *y = MPL_NEW_ARRAY(arena, n, double);

    for (uint32_t i = 0; i < n; i++) {
        x[i] = rand() % grid;
        y[i] = rand() % grid;
        for (uint32_t j = 0; j < i; j++) {
            distances[(size_t) i * n + j] = hypot(x[i] - x[j], y[i] - y[j]);
            distances[(size_t) j * n + i] = distances[(size_t) i * n + j];
        }
    }
    return distances;
}

/* Clusters as lists of points, and what the linkage says of two of them by its definition. */
struct state {
    uint32_t n;
    const double *distances;
    enum mpl_linkage linkage;
    bool member[2 * MOST][MOST];
    bool is_there[2 * MOST];
    double d[2 * MOST]
            [2 * MOST]; /* Of weighted and median, which are defined by recursion. */
};

static double sum_between(const struct state *s, uint32_t a, uint32_t b, double power,
                          double *least, double *most, double *n)
{
    double sum = 0;

    *least = INFINITY;
    *most = 0;
    *n = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        for (uint32_t j = 0; j < s->n; j++) {
            if (s->member[a][i] && s->member[b][j]) {
                const double x = s->distances[(size_t) i * s->n + j];

                sum += pow(x, power);
                *least = fmin(*least, x);
                *most = fmax(*most, x);
                ++*n;
            }
        }
    }
    return sum;
}

/* Of points in space: |c_a - c_b|^2 is the mean square between them less the mean squares inside (halved). */
static double by_definition(const struct state *s, uint32_t a, uint32_t b)
{
    double least;
    double most;
    double n;
    double n_a;
    double n_b;
    double unused;
    const double mean = sum_between(s, a, b, 1, &least, &most, &n) / n;

    switch (s->linkage) {
    case MPL_LINKAGE_SINGLE:
        return least;
    case MPL_LINKAGE_COMPLETE:
        return most;
    case MPL_LINKAGE_AVERAGE:
        return mean;
    case MPL_LINKAGE_WEIGHTED:
    case MPL_LINKAGE_MEDIAN:
        return s->d[a][b];
    default: {
        const double in_a = sum_between(s, a, a, 2, &unused, &unused, &n_a);
        const double in_b = sum_between(s, b, b, 2, &unused, &unused, &n_b);
        const double square = sum_between(s, a, b, 2, &unused, &unused, &n) / n -
                              in_a / n_a / 2 - in_b / n_b / 2;

        /* Pairs were counted: n_a is the square of a's size. */
        return sqrt(fmax(0, square) *
                    (s->linkage == MPL_LINKAGE_WARD
                         ? 2 * sqrt(n_a) * sqrt(n_b) / (sqrt(n_a) + sqrt(n_b))
                         : 1));
    }
    }
}

static void open_state(struct state *s, const double *distances, uint32_t n,
                       enum mpl_linkage linkage)
{
    *s = (struct state){ .n = n, .distances = distances, .linkage = linkage };
    for (uint32_t i = 0; i < n; i++) {
        s->member[i][i] = true;
        s->is_there[i] = true;
        for (uint32_t j = 0; j < n; j++) {
            s->d[i][j] = distances[(size_t) i * n + j];
        }
    }
}

static double nearest_pair(const struct state *s)
{
    double least = INFINITY;

    for (uint32_t i = 0; i < 2 * s->n; i++) {
        for (uint32_t j = 0; j < i; j++) {
            if (s->is_there[i] && s->is_there[j]) {
                least = fmin(least, by_definition(s, i, j));
            }
        }
    }
    return least;
}

static void unite(struct state *s, uint32_t a, uint32_t b, uint32_t to)
{
    for (uint32_t i = 0; i < 2 * s->n; i++) {
        const double x = s->d[i][a];
        const double y = s->d[i][b];
        const double between = s->d[a][b];

        s->d[i][to] = s->linkage == MPL_LINKAGE_MEDIAN
                          ? sqrt(fmax(0, x * x / 2 + y * y / 2 - between * between / 4))
                          : (x + y) / 2;
        s->d[to][i] = s->d[i][to];
    }
    for (uint32_t i = 0; i < s->n; i++) {
        s->member[to][i] = s->member[a][i] || s->member[b][i];
    }
    s->is_there[a] = false;
    s->is_there[b] = false;
    s->is_there[to] = true;
}

/* Whichever of equal ones was taken: each merge is of two that are nearest to each other then. _i is the seed. */
START_TEST(each_merge_is_of_those_that_are_nearest)
{
    const enum mpl_linkage linkage = (enum mpl_linkage)(_i % MPL_LINKAGES);
    static struct state s;

    srand((unsigned) _i);

    const uint32_t n = 2 + (uint32_t) rand() % (MOST - 1);
    const double *distances = random_distances(n, _i % 2 == 0 ? 4 : 10000);
    const struct mpl_tree *tree = tree_of(distances, NULL, n, linkage);

    open_state(&s, distances, n, linkage);
    for (uint32_t i = 0; i + 1 < n; i++) {
        const struct mpl_merge m = tree->merges[i];

        ck_assert_uint_lt(m.a, m.b);
        ck_assert(s.is_there[m.a]);
        ck_assert(s.is_there[m.b]);
        ck_assert_double_eq_tol(m.height, by_definition(&s, m.a, m.b), 1e-6);
        ck_assert_double_eq_tol(m.height, nearest_pair(&s), 1e-6);
        unite(&s, m.a, m.b, n + i);
    }
    ck_assert_uint_eq(tree->merges[n - 2].size, n);
}
END_TEST

/* Equal objects as one item: the same tree behind its merges of height 0. _i is the seed. */
START_TEST(equal_objects_may_be_one_item)
{
    const enum mpl_linkage linkage = (enum mpl_linkage)(_i % MPL_LINKAGES);
    enum { ITEMS = 5 };
    uint32_t sizes[ITEMS];
    uint32_t of[ITEMS * 3];
    uint32_t n = 0;

    srand((unsigned) _i);

    const double *distances = random_distances(ITEMS, 100000);

    for (uint32_t i = 0; i < ITEMS; i++) {
        sizes[i] = 1 + (uint32_t) rand() % 3;
        for (uint32_t k = 0; k < sizes[i]; k++) {
            of[n++] = i;
        }
    }

    double *all = MPL_NEW_ARRAY(arena, (size_t) n * n, double);

    for (uint32_t i = 0; i < n * n; i++) {
        all[i] = distances[of[i / n] * ITEMS + of[i % n]];
    }

    const struct mpl_tree *few = tree_of(distances, sizes, ITEMS, linkage);
    const struct mpl_tree *many = tree_of(all, NULL, n, linkage);

    for (uint32_t i = 0; i + 1 < ITEMS; i++) {
        const struct mpl_merge *m = &many->merges[n - ITEMS + i];

        ck_assert_double_eq_tol(few->merges[i].height, m->height, 1e-6);
        ck_assert_uint_eq(few->merges[i].size, m->size);
    }
}
END_TEST

START_TEST(a_tree_is_cut_by_count_where_heights_differ)
{
    /* 0 and 1, 2 and 3 are near each other; 4 is far away from all. */
    static const double at[] = { 0, 1, 10, 11, 100 };
    double distances[25];
    uint32_t of[5];

    for (size_t i = 0; i < 25; i++) {
        distances[i] = fabs(at[i / 5] - at[i % 5]);
    }

    const struct mpl_tree *tree = tree_of(distances, NULL, 5, MPL_LINKAGE_SINGLE);

    ck_assert(mpl_tree_cut(tree, 1, of));
    ck_assert_uint_eq(of[4], 0);
    ck_assert(mpl_tree_cut(tree, 2, of));
    ck_assert_uint_eq(of[0], 0);
    ck_assert_uint_eq(of[1], 0);
    ck_assert_uint_eq(of[2], 0);
    ck_assert_uint_eq(of[3], 0);
    ck_assert_uint_eq(of[4], 1);
    ck_assert(mpl_tree_cut(tree, 3, of));
    ck_assert_uint_eq(of[0], 0);
    ck_assert_uint_eq(of[1], 0);
    ck_assert_uint_eq(of[2], 1);
    ck_assert_uint_eq(of[3], 1);
    ck_assert_uint_eq(of[4], 2);
    /* Which pair is split first is chance. */
    ck_assert(!mpl_tree_cut(tree, 4, of));
    ck_assert(mpl_tree_cut(tree, 5, of));
    ck_assert_uint_eq(of[3], 3);
    ck_assert(!mpl_tree_cut(tree, 6, of));
}
END_TEST

START_TEST(one_item_is_a_tree)
{
    const double distance = 0;
    uint32_t of = MPL_NONE;

    ck_assert(mpl_tree_cut(tree_of(&distance, NULL, 1, MPL_LINKAGE_WARD), 1, &of));
    ck_assert_uint_eq(of, 0);
}
END_TEST

/* ---- B-score ---------------------------------------------------------------------------------------- */

static double b_of(const char *a, const char *b, const uint32_t *sizes, uint32_t k)
{
    uint32_t in_a[MOST];
    uint32_t in_b[MOST];
    const uint32_t n = (uint32_t) strlen(a);
    double x = -1;

    for (uint32_t i = 0; i < n; i++) {
        in_a[i] = (uint32_t) (a[i] - '0');
        in_b[i] = (uint32_t) (b[i] - '0');
    }
    ck_assert_int_eq(mpl_b_score(in_a, in_b, sizes, n, k, &x, NULL), MPL_OK);
    return x;
}

START_TEST(the_score_is_the_share_of_pairs_that_stay_together)
{
    static const uint32_t ones[] = { 1, 1, 1, 1, 1, 1 };
    static const uint32_t sizes[] = { 2, 1, 3 };

    ck_assert_double_eq(b_of("000111", "111000", ones, 2), 1);
    /* Of 6 pairs in a and of 7 in b, 4 are in both. */
    ck_assert_double_eq_tol(b_of("000111", "000011", ones, 2), 4 / sqrt(6 * 7), 1e-12);
    ck_assert_double_eq(b_of("0011", "0101", ones, 2), 0);
    ck_assert(isnan(b_of("012", "012", ones, 3)));
    /* Items that stand for several objects: aa b ccc. */
    ck_assert_double_eq_tol(b_of("011", "001", sizes, 2), b_of("001111", "000111", ones, 2),
                            1e-12);
}
END_TEST

/* ---- real runs ------------------------------------------------------------------------------------------ */

/* Fig. 6 as a run: rows of one ranking by their attributes and k. */
static double score_of(const struct mpl_ranking *r, struct mpl_context_kind kind,
                       uint32_t k)
{
    for (size_t i = 0; i < r->n_rows; i++) {
        if (r->rows[i].kind.of == kind.of && r->rows[i].kind.by == kind.by &&
            r->rows[i].k == k) {
            return r->rows[i].b_score;
        }
    }
    return -1;
}

static struct mpl_analysis *read_run(const char *folder, const char *name)
{
    const char *path = mpl_arena_printf(arena, "%s/%s", folder, name);
    struct mpl_analysis *analysis = NULL;

    ck_assert_int_eq(mpl_analysis_check(path, NULL, &analysis, NULL), MPL_OK);
    return analysis;
}

static const struct mpl_filter_choice filter = { .code = "11.mpi.cust.0K10" };
static const struct mpl_context_kind kinds[] = {
    { MPL_CONTEXT_SINGLE, MPL_CONTEXT_PRESENCE },
    { MPL_CONTEXT_SINGLE, MPL_CONTEXT_LOG10 },
    { MPL_CONTEXT_SINGLE, MPL_CONTEXT_ACTUAL },
};
static const enum mpl_linkage average = MPL_LINKAGE_AVERAGE;
static const struct mpl_ranking_options by_average = { .filters = &filter,
                                                       .n_filters = 1,
                                                       .kinds = kinds,
                                                       .n_kinds = 3,
                                                       .linkages = &average,
                                                       .n_linkages = 1,
                                                       .fewest = 2,
                                                       .most = 4 };

START_TEST(swapped_calls_are_ranked_as_known)
{
    struct mpl_analysis *runs[] = { read_run(traces_folder(), "oddeven-np16"),
                                    read_run(traces_folder(), "oddeven-swapBug-np16") };
    struct mpl_comparison *x = NULL;
    const struct mpl_ranking *r = NULL;

    ck_assert_int_eq(diff_first_runs(mpl_analysis_diagnosis(runs[0]),
                                     mpl_analysis_diagnosis(runs[1]), &x, NULL),
                     MPL_OK);
    ck_assert_int_eq(mpl_ranking_create(x, &by_average, arena, &r, NULL), MPL_OK);
    ck_assert_uint_eq(r->n_telling, 3);
    ck_assert_double_eq_tol(r->votes[5], 3, 1e-9);
    for (size_t i = 0; i < 3; i++) {
        ck_assert_double_eq_tol(score_of(r, kinds[i], 2), 1, 1e-6);
        ck_assert_double_eq_tol(score_of(r, kinds[i], 3), i == 0 ? 1 : 6.0 / 7, 1e-6);
        /* Ranks 1 to 14 are alike in the base: who would be the fourth is chance. */
        ck_assert(isnan(score_of(r, kinds[i], 4)));
    }
    for (size_t i = 0; i < r->n_rows; i++) {
        ck_assert_uint_eq(r->rows[i].n_suspects, 1);
        ck_assert_uint_eq(r->rows[i].suspects[0], 5);
    }
    mpl_diff_destroy(x);
    mpl_analysis_destroy(runs[0]);
    mpl_analysis_destroy(runs[1]);
}
END_TEST

/* What the base's own runs differ in is no difference of the new run: here that run itself is one of them. */
START_TEST(what_repetitions_of_the_base_differ_in_is_subtracted)
{
    const char *folder = in_tree("examples/traces");
    struct mpl_analysis *analyses[] = { read_run(folder, "oddeven.trace"),
                                        read_run(folder, "oddeven-swap.trace") };
    const struct mpl_run *runs[] = { &mpl_analysis_diagnosis(analyses[0])->runs[0],
                                     &mpl_analysis_diagnosis(analyses[1])->runs[0] };
    const struct mpl_diff_runs base = { _i == 0 ? 1 : 2, runs };
    const struct mpl_diff_runs new = { 1, &runs[1] };
    const struct mpl_diff_options options = { 0 };
    struct mpl_comparison *x = NULL;
    const struct mpl_ranking *r = NULL;

    ck_assert_int_eq(mpl_diff_create(&base, &new, &options, &x, NULL), MPL_OK);
    ck_assert_int_eq(mpl_ranking_create(x, &by_average, arena, &r, NULL), MPL_OK);
    ck_assert_uint_eq(r->n_telling, _i == 0 ? 3 : 0);
    ck_assert_uint_eq(r->n_alike, _i == 0 ? 0 : 3);
    ck_assert_int_eq(r->has_repetitions, _i == 1);
    mpl_diff_destroy(x);
    mpl_analysis_destroy(analyses[0]);
    mpl_analysis_destroy(analyses[1]);
}
END_TEST

static enum mpl_status rank_and_draw(const struct mpl_comparison *x,
                                     const struct mpl_context *c, struct mpl_arena *scratch)
{
    const struct mpl_lattice *l = NULL;
    const struct mpl_ranking *r = NULL;
    const enum mpl_status st = mpl_ranking_create(x, &by_average, scratch, &r, NULL);

    return st == MPL_OK ? mpl_lattice_create(c, 100, scratch, &l, NULL) : st;
}

START_TEST(rankings_and_lattices_without_memory_fail_cleanly)
{
    const char *folder = in_tree("examples/traces");
    struct mpl_analysis *runs[] = { read_run(folder, "oddeven.trace"),
                                    read_run(folder, "oddeven-swap.trace") };
    const char *const texts[] = { "abc", "abd", "acd" };
    const struct mpl_context *c = context_of(texts, 3, presence);
    struct mpl_comparison *x = NULL;
    enum mpl_status st = MPL_E_NOMEM;

    ck_assert_int_eq(diff_first_runs(mpl_analysis_diagnosis(runs[0]),
                                     mpl_analysis_diagnosis(runs[1]), &x, NULL),
                     MPL_OK);
    for (long n = 0; fails_without_memory(n, st); n += 1 + n / 50) {
        struct mpl_arena *scratch = mpl_arena_create();

        mpl_alloc_fail_after(n);
        st = rank_and_draw(x, c, scratch);
        mpl_alloc_fail_after(-1);
        mpl_arena_destroy(scratch);
    }
    mpl_diff_destroy(x);
    mpl_analysis_destroy(runs[0]);
    mpl_analysis_destroy(runs[1]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("similarity");
    TCase *c = add_case(suite, "similarity", create_arena, destroy_arena);

    tcase_set_timeout(c, 60);
    tcase_add_test(c, the_lattice_of_the_paper_has_four_concepts);
    tcase_add_loop_test(c, a_lattice_holds_all_concepts_and_agrees_with_the_sets, 0, 200);
    tcase_add_test(c, a_lattice_that_would_be_too_large_is_cut_and_says_so);
    tcase_add_test(c, weights_have_no_lattice);
    tcase_add_loop_test(c, each_merge_is_of_those_that_are_nearest, 0, 700);
    tcase_add_loop_test(c, equal_objects_may_be_one_item, 0, 140);
    tcase_add_test(c, a_tree_is_cut_by_count_where_heights_differ);
    tcase_add_test(c, one_item_is_a_tree);
    tcase_add_test(c, the_score_is_the_share_of_pairs_that_stay_together);
    tcase_add_loop_test(c, what_repetitions_of_the_base_differ_in_is_subtracted, 0, 2);
    tcase_add_test(c, rankings_and_lattices_without_memory_fail_cleanly);
    if (traces_are_there("rankings of real runs")) {
        tcase_add_test(c, swapped_calls_are_ranked_as_known);
    }
    return run_suite(suite);
}
