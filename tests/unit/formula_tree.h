/*
 * Random expressions as trees, and a second opinion on their values: a plain tree walker
 * that shares no line with the compiler. It knows what an expression means because the
 * generator built it, not because somebody parsed it.
 */
#ifndef TESTS_UNIT_FORMULA_TREE_H
#define TESTS_UNIT_FORMULA_TREE_H

#include "formula/formula.h"

enum tree_kind {
    TREE_NUMBER,
    TREE_SCALAR, /* s0, s1, … */
    TREE_LIST,   /* l0, l1, … */
    TREE_NEGATE,
    TREE_NOT,
    TREE_ABS,
    TREE_SQRT,
    TREE_FLOOR,
    TREE_CEIL,
    TREE_LOG2,
    TREE_DEFINED,
    TREE_ADD,
    TREE_SUBTRACT,
    TREE_MULTIPLY,
    TREE_DIVIDE,
    TREE_MODULO,
    TREE_EQ,
    TREE_NE,
    TREE_LT,
    TREE_LE,
    TREE_GT,
    TREE_GE,
    TREE_AND,
    TREE_OR,
    TREE_MIN,
    TREE_MAX,
    TREE_DEFAULT,
    TREE_CHOICE,
    TREE_SUM,
    TREE_MEAN,
    TREE_COUNT,
    TREE_LEAST,
    TREE_GREATEST,
    TREE_FIRST,
    TREE_LAST,
    TREE_ANY,
    TREE_ALL,
    TREE_MEDIAN,
    TREE_PERCENTILE,
    TREE_STDDEV,
    TREE_CV,
    TREE_KINDS
};

enum { TREE_SCALARS = 6, TREE_LISTS = 4 };

struct tree {
    enum tree_kind kind;
    double number;
    uint32_t slot;
    const struct tree *part[3];
};

/** 0 … n-1 (splitmix64). */
uint32_t tree_random(uint64_t *state, uint32_t n);

/**
 * A random expression for a whole formula of at most \p depth levels. \p is_simple: only
 * what other calculators have too, without lists and undefined values.
 */
const struct tree *tree_create(uint64_t *state, unsigned depth, bool is_simple,
                               struct mpl_arena *arena);
/** With as few parentheses as possible, and now and then some more. */
char *tree_text(const struct tree *tree, uint64_t *state, bool is_simple,
                struct mpl_arena *arena);
/** The value of the whole; NaN is undefined. Lists have \p n elements each. */
double tree_value(const struct tree *tree, const double *scalars,
                  const double *const *lists, size_t n);
/** Of sorted numbers, as percentile() says; \p n at least 1. */
double tree_percentile(const double *sorted, size_t n, double p);

#endif
