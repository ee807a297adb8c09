/*
 * Takes:        sequences of both runs, filtered and folded.
 * Makes:        what the paper DiffTrace makes of them in one configuration: formal contexts, concept lattices,
 *               similarities, clusters, and how alike two clusterings are.
 * Leaves alone: which configuration is asked for, and how many (ranking, vote).
 */
#ifndef MPL_DIFF_SIMILARITY_H
#define MPL_DIFF_SIMILARITY_H

#include "diff/diff.h"

/* ---- attributes and formal contexts (context.c) --------------------------------------------------- */

/** Attributes of a sequence: its entries, or pairs of neighbours. */
enum mpl_context_of { MPL_CONTEXT_SINGLE, MPL_CONTEXT_DOUBLE };
/** What of their number makes another attribute: nothing (the paper's `orig`), its order of magnitude, or
    all; weighted does not ask for equal numbers but sets minimum against maximum. */
enum mpl_context_by {
    MPL_CONTEXT_PRESENCE,
    MPL_CONTEXT_LOG10,
    MPL_CONTEXT_ACTUAL,
    MPL_CONTEXT_WEIGHTED,
    MPL_CONTEXT_WAYS
};
struct mpl_context_kind {
    enum mpl_context_of of;
    enum mpl_context_by by;
};
/** "sing.orig", "doub.actual", "sing.weighted": the paper's words. */
const char *mpl_context_name(struct mpl_context_kind kind);

struct mpl_context_attribute {
    uint64_t key;   /**< An entry (mpl_item.what); of pairs the first in the upper half. */
    uint64_t value; /**< How often, as far as that makes another attribute; else 0. */
};
/** Ascending by key. */
struct mpl_context_attributes {
    uint32_t n;
    const struct mpl_context_attribute *all;
};
/**
 * A formal context (G, M, I), whose objects are sequences. Those with equal attributes are one class,
 * in order of first appearance, so that thousands of equal processes cost as much as one.
 */
struct mpl_context {
    struct mpl_context_kind kind;
    uint32_t n_objects;
    uint32_t n_classes;
    const uint32_t *class_of;                  /**< Per object. */
    const uint32_t *sizes;                     /**< Per class: objects in it. */
    const struct mpl_context_attributes *sets; /**< Per class. */
    struct mpl_context_attributes
        attributes; /**< All that occur, ascending by key, then by value. */
    const double *
        alike; /**< JSM of the classes: Jaccard's index 0-1; [class * n_classes + class]. */
};
/**
 * Ownership: lives in \p arena. Errors: MPL_E_NOMEM only.
 * Cost:      linear in items, and the square of the classes.
 */
enum mpl_status mpl_context_create(const struct mpl_folded *sequences, size_t n,
                                   struct mpl_context_kind kind, struct mpl_arena *arena,
                                   const struct mpl_context **out, struct mpl_err *err);

/* ---- JSM_D = |JSM(new) - JSM(base)| (changes.c) --------------------------------------------------- */

/** Both runs in one configuration. Locations of the same class in both runs are twins: they have equal
    rows, so that a matrix of the twins says all. */
struct mpl_changes {
    const struct mpl_context *base;
    const struct mpl_context *new;
    uint32_t n;             /**< Groups of twins, in order of first appearance. */
    const uint32_t *of;     /**< Per location. */
    const uint32_t *sizes;  /**< Per group: locations in it, */
    const uint32_t *firsts; /**< and the first of them. */
    const double *matrix;   /**< JSM_D of the groups: [group * n + group]. */
    const double *rows;     /**< Per group: sum of its row of JSM_D over all locations. */
};
/** Ownership: lives in \p arena. Errors: MPL_E_NOMEM only. Cost: as the contexts. */
enum mpl_status mpl_changes_create(const struct mpl_filtered *filtered,
                                   struct mpl_context_kind kind, struct mpl_arena *arena,
                                   const struct mpl_changes **out, struct mpl_err *err);
/** Per location, by how much its similarities to all differ between the runs: a row of JSM_D, added up. */
enum mpl_status mpl_similarity_changes(const struct mpl_filtered *filtered,
                                       struct mpl_context_kind kind, double *rows,
                                       struct mpl_err *err);

/* ---- concept lattices (lattice.c) -------------------------------------------------------------------- */

/** A pair of objects and attributes: all that have these attributes, all that these have in common. */
struct mpl_concept {
    const uint64_t *extent; /**< Bits of classes. */
    const uint64_t *intent; /**< Bits of attributes. */
    uint32_t n_attributes;  /**< In the intent. */
    uint32_t n_parents;
    const uint32_t
        *parents; /**< The next more general ones: fewer attributes, more objects. */
};
struct mpl_lattice {
    const struct mpl_context *context;
    uint32_t n_concepts;
    /** Fewest attributes first: the first is the top, the last the bottom. */
    const struct mpl_concept *concepts;
    uint32_t
        n_classes; /**< Classes it holds, the first ones; fewer than the context has: it was cut. */
};
enum { MPL_CONCEPTS_MOST = 1000 };
/**
 * Class by class (Godin, Missaoui & Alaoui 1995, algorithm 1), until there would be more than \p most
 * concepts. Attributes by numbers have a lattice, weighted ones have none: MPL_E_USAGE.
 *
 * Ownership: lives in \p arena.
 * Cost:      classes × concepts, and the square of the concepts for their order.
 */
enum mpl_status mpl_lattice_create(const struct mpl_context *context, uint32_t most,
                                   struct mpl_arena *arena, const struct mpl_lattice **out,
                                   struct mpl_err *err);
/** Reduced labels: the concept that shows an attribute, the most general one that has it, and a class,
    the most special one; MPL_NONE: its class is not in the lattice. */
uint32_t mpl_lattice_of_attribute(const struct mpl_lattice *lattice, uint32_t attribute);
uint32_t mpl_lattice_of_class(const struct mpl_lattice *lattice, uint32_t class);

/* ---- hierarchical clusters (cluster.c) -------------------------------------------------------------- */

/** How far two clusters are from each other, as in SciPy. Centroid, median and ward take distances for those
    of points in space. */
enum mpl_linkage {
    MPL_LINKAGE_SINGLE,
    MPL_LINKAGE_COMPLETE,
    MPL_LINKAGE_AVERAGE,
    MPL_LINKAGE_WEIGHTED,
    MPL_LINKAGE_CENTROID,
    MPL_LINKAGE_MEDIAN,
    MPL_LINKAGE_WARD,
    MPL_LINKAGES
};
const char *mpl_linkage_name(enum mpl_linkage linkage); /* "single", … */

/** Clusters are numbered: those below n are single items, n + i is what merge i made. */
struct mpl_merge {
    uint32_t a; /**< The smaller number. */
    uint32_t b;
    double height; /**< How far they were from each other. */
    uint32_t size; /**< Objects in both. */
};
struct mpl_tree {
    uint32_t n; /**< Items. */
    const struct mpl_merge *
        merges; /**< n - 1; by height, but for centroid and median, whose heights can fall. */
};
/**
 * Of \p n items with \p distances [i * n + j]. An item stands for \p sizes objects of distance 0 (NULL: one
 * each): the tree is that of all objects, without its first merges, of height 0.
 *
 * Nearest-neighbour chains (Murtagh 1983; Müllner 2011, Fig. 3); for centroid and median, which do not keep
 * nearest neighbours nearest, lists of nearest neighbours (Müllner, Fig. 2).
 *
 * Ownership: lives in \p arena. Errors: MPL_E_NOMEM only. Cost: n², and what is rare n³ for these two.
 */
enum mpl_status mpl_tree_create(const double *distances, const uint32_t *sizes, uint32_t n,
                                enum mpl_linkage linkage, struct mpl_arena *arena,
                                const struct mpl_tree **out, struct mpl_err *err);
/**
 * The cluster, from 0, of each item when there are \p k. By count, not by height, since heights can fall.
 * False: there are not as many items; or the lowest merge that is undone is as high as the highest one that
 * is kept, so that it was chance which of them came first.
 */
bool mpl_tree_cut(const struct mpl_tree *tree, uint32_t k, uint32_t *of);

/* ---- the B-score (bscore.c) -------------------------------------------------------------------------- */

/**
 * How alike two clusterings into \p k clusters each are, 0-1 (B_k of Fowlkes & Mallows 1983, eq. 2): of pairs
 * that are together in one of them, how many are in the other, too. \p a and \p b: clusters of \p n
 * items, which stand for \p sizes objects. NaN: in one of them nobody is together with anybody.
 * Errors: MPL_E_NOMEM only.
 */
enum mpl_status mpl_b_score(const uint32_t *a, const uint32_t *b, const uint32_t *sizes,
                            uint32_t n, uint32_t k, double *out, struct mpl_err *err);

/* ---- rankings (ranking.c) ------------------------------------------------------------------------------ */

/** Calls as a configuration looks at them; those that have no order are left out as in the verdict. */
struct mpl_filter_choice {
    const char *code; /**< See struct mpl_filter. */
    unsigned parts;   /**< enum mpl_symbol_part */
    bool without_loops;
    bool up_to_rotation;
};
/** What clusters are made of to find suspects: locations whose rows of JSM_D are near each other (as SciPy does
    when it gets the matrix), or that are like each other in the new run (1 - J). */
enum mpl_cluster_by { MPL_CLUSTER_CHANGES, MPL_CLUSTER_SIMILARITY };
struct mpl_ranking_options {
    const struct mpl_filter_choice *filters;
    size_t n_filters;
    const struct mpl_context_kind *kinds;
    size_t n_kinds;
    const enum mpl_linkage *linkages;
    size_t n_linkages;
    uint32_t fewest; /**< Clusters, at least 2; */
    uint32_t most;   /**< each number up to this one. */
    enum mpl_cluster_by by;
};
/** A row of Tables V to IX, and of XI. */
struct mpl_ranked {
    size_t filter; /**< Of the options. */
    struct mpl_context_kind kind;
    enum mpl_linkage linkage;
    uint32_t k; /**< Clusters. */
    double
        b_score; /**< Of the base's and the new run's clusters, by 1 - J; NaN: not defined. */
    /** Per location the cluster in which suspects were looked for, below k; NULL: cut so, it is chance. */
    const uint32_t *cluster_of;
    /** Members of small clusters (an eighth of all locations, or one) that changed more than most, and than
        between repetitions of the base; what changed most first. */
    uint32_t n_suspects;
    const uint32_t *suspects;
};
struct mpl_ranking {
    const struct mpl_ranking_options *options;
    uint32_t n_locations;
    bool has_repetitions; /**< Of the base; what these differ in was subtracted. */
    size_t n_rows;
    const struct mpl_ranked *rows; /**< Least B-score first; what is not defined last. */
    uint32_t n_configurations;     /**< Filters and kinds. */
    uint32_t n_empty;    /**< Of them, in which the filter keeps nothing in either run, */
    uint32_t n_repeated; /**< the same as an earlier one, */
    uint32_t
        n_alike; /**< in which nothing changes, or no more than between repetitions of the base, */
    uint32_t n_large;   /**< and in which more differ from each other than are clustered. */
    uint32_t n_telling; /**< All others, which vote for who changed most; */
    const double *votes; /**< per location. Who are equal share a vote. */
};
enum { MPL_RANKING_MOST = 1000 }; /**< Groups of equal locations that are clustered. */
/**
 * Ownership: lives in \p arena; \p options must live as long.
 * Errors:    MPL_E_USAGE for a wrong filter, MPL_E_NOMEM.
 * Cost:      per configuration linear in calls, and the cube of the locations that are not alike.
 */
enum mpl_status mpl_ranking_create(const struct mpl_comparison *comparison,
                                   const struct mpl_ranking_options *options,
                                   struct mpl_arena *arena, const struct mpl_ranking **out,
                                   struct mpl_err *err);

#endif
