#include "config.h"

#include "formula_tree.h"

#include <math.h>
#include <stdlib.h>

uint32_t tree_random(uint64_t *state, uint32_t n)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t) ((z ^ (z >> 31)) % n);
}

/* ---- making ----------------------------------------------------------------------------- */

struct maker {
    uint64_t *state;
    bool is_simple;
    struct mpl_arena *arena;
};

static struct tree *new_tree(const struct maker *m, enum tree_kind kind)
{
    struct tree *tree = MPL_NEW(m->arena, struct tree);

    tree->kind = kind;
    return tree;
}

static const struct tree *make_leaf(const struct maker *m, bool is_list)
{
    static const double numbers[] = { 0, 1, 2, 0.5, 3.25, 10, 0.001, 1e6 };
    struct tree *tree = new_tree(m, TREE_NUMBER);

    if (is_list && tree_random(m->state, 2) == 0) {
        tree->kind = TREE_LIST;
        tree->slot = tree_random(m->state, TREE_LISTS);
    } else if (tree_random(m->state, 2) == 0) {
        tree->kind = TREE_SCALAR;
        tree->slot = tree_random(m->state, TREE_SCALARS);
    } else {
        tree->number = numbers[tree_random(m->state, sizeof numbers / sizeof *numbers)];
    }
    return tree;
}

static bool is_simple_kind(enum tree_kind kind)
{
    return kind != TREE_NOT && kind != TREE_FLOOR && kind != TREE_CEIL &&
           kind != TREE_DEFINED && kind != TREE_DEFAULT && kind != TREE_MODULO;
}

/*
 * The standard deviation is calculated in another way here, so that it may differ in the
 * last digits. Products keep that small; sums, comparisons and rounding can make it large.
 */
static bool is_gentle(enum tree_kind kind)
{
    return kind == TREE_MULTIPLY || kind == TREE_NEGATE || kind == TREE_ABS ||
           kind == TREE_MIN || kind == TREE_MAX || kind == TREE_DEFINED ||
           kind == TREE_DEFAULT;
}

static const struct tree *make(const struct maker *m, unsigned depth, bool is_list,
                               bool is_exact);

static const struct tree *make_aggregate(const struct maker *m, unsigned depth,
                                         bool is_exact)
{
    const unsigned n = is_exact ? TREE_STDDEV - TREE_SUM : TREE_KINDS - TREE_SUM;
    struct tree *tree = new_tree(m, TREE_SUM + tree_random(m->state, n));

    tree->part[0] = make(m, depth - 1, true, true);
    if (tree->kind == TREE_PERCENTILE) {
        struct tree *p = new_tree(m, TREE_NUMBER);

        p->number = tree_random(m->state, 101);
        tree->part[1] = p;
    }
    return tree;
}

/* \p is_list: inside an aggregate. \p is_exact: see is_gentle(). */
static const struct tree *make(const struct maker *m, unsigned depth, bool is_list,
                               bool is_exact)
{
    if (depth == 0 || tree_random(m->state, 6) == 0) {
        return make_leaf(m, is_list);
    }
    if (!m->is_simple && !is_list && tree_random(m->state, 3) == 0) {
        return make_aggregate(m, depth, is_exact);
    }

    const uint32_t n_kinds = TREE_CHOICE + 1 - TREE_NEGATE;
    struct tree *tree = new_tree(m, TREE_NEGATE + tree_random(m->state, n_kinds));

    if (m->is_simple && !is_simple_kind(tree->kind)) {
        tree->kind = TREE_ADD;
    }

    const int n = tree->kind == TREE_CHOICE ? 3 : tree->kind >= TREE_ADD ? 2 : 1;

    for (int i = 0; i < n; i++) {
        tree->part[i] = make(m, depth - 1, is_list, is_exact || !is_gentle(tree->kind));
    }
    return tree;
}

const struct tree *tree_create(uint64_t *state, unsigned depth, bool is_simple,
                               struct mpl_arena *arena)
{
    const struct maker maker = { state, is_simple, arena };

    return make(&maker, depth, false, false);
}

/* ---- writing ------------------------------------------------------------------------------- */

/* How each kind is written and how strongly it binds; 9 needs no parentheses ever. */
static const struct {
    const char *text;
    int rank;
} forms[TREE_KINDS] = {
    [TREE_NUMBER] = { "", 9 },
    [TREE_SCALAR] = { "s", 9 },
    [TREE_LIST] = { "l", 9 },
    [TREE_NEGATE] = { "-", 8 },
    [TREE_NOT] = { "not ", 4 },
    [TREE_ABS] = { "abs", 9 },
    [TREE_SQRT] = { "sqrt", 9 },
    [TREE_FLOOR] = { "floor", 9 },
    [TREE_CEIL] = { "ceil", 9 },
    [TREE_LOG2] = { "log2", 9 },
    [TREE_DEFINED] = { "defined", 9 },
    [TREE_ADD] = { "+", 6 },
    [TREE_SUBTRACT] = { "-", 6 },
    [TREE_MULTIPLY] = { "*", 7 },
    [TREE_DIVIDE] = { "/", 7 },
    [TREE_MODULO] = { "%", 7 },
    [TREE_EQ] = { "==", 5 },
    [TREE_NE] = { "!=", 5 },
    [TREE_LT] = { "<", 5 },
    [TREE_LE] = { "<=", 5 },
    [TREE_GT] = { ">", 5 },
    [TREE_GE] = { ">=", 5 },
    [TREE_AND] = { "and", 3 },
    [TREE_OR] = { "or", 2 },
    [TREE_MIN] = { "min", 9 },
    [TREE_MAX] = { "max", 9 },
    [TREE_DEFAULT] = { "default", 9 },
    [TREE_CHOICE] = { "?", 1 },
    [TREE_SUM] = { "sum", 9 },
    [TREE_MEAN] = { "mean", 9 },
    [TREE_COUNT] = { "count", 9 },
    [TREE_LEAST] = { "min", 9 },
    [TREE_GREATEST] = { "max", 9 },
    [TREE_FIRST] = { "first", 9 },
    [TREE_LAST] = { "last", 9 },
    [TREE_ANY] = { "any", 9 },
    [TREE_ALL] = { "all", 9 },
    [TREE_MEDIAN] = { "median", 9 },
    [TREE_PERCENTILE] = { "percentile", 9 },
    [TREE_STDDEV] = { "stddev", 9 },
    [TREE_CV] = { "cv", 9 },
};

struct writer {
    uint64_t *state;
    bool is_simple;
    struct mpl_arena *arena;
};

static char *write_tree(const struct writer *w, const struct tree *tree);

/* A part of something that binds with \p rank. */
static char *write_part(const struct writer *w, const struct tree *tree, int rank)
{
    const bool is_needed = forms[tree->kind].rank < rank;
    char *text = write_tree(w, tree);

    return is_needed || tree_random(w->state, 8) == 0
               ? mpl_arena_printf(w->arena, "(%s)", text)
               : text;
}

static char *write_call(const struct writer *w, const struct tree *tree)
{
    char *text = mpl_arena_printf(w->arena, "%s(%s", forms[tree->kind].text,
                                  write_part(w, tree->part[0], 0));

    for (int i = 1; i < 3 && tree->part[i] != NULL; i++) {
        text = mpl_arena_printf(w->arena, "%s, %s", text, write_part(w, tree->part[i], 0));
    }
    return mpl_arena_printf(w->arena, "%s)", text);
}

/* muParser's logic cuts its operands down to integers: 0.5 && 1 is 0 there. */
static char *write_simple_logic(const struct writer *w, const struct tree *tree)
{
    char *left = write_tree(w, tree->part[0]);

    return mpl_arena_printf(w->arena, "((%s) != 0) %s ((%s) != 0)", left,
                            tree->kind == TREE_AND ? "&&" : "||",
                            write_tree(w, tree->part[1]));
}

/* From left to right; comparisons form no chain. */
static char *write_operation(const struct writer *w, const struct tree *tree)
{
    const int rank = forms[tree->kind].rank;
    char *left = write_part(w, tree->part[0], rank == 5 ? 6 : rank);

    return mpl_arena_printf(w->arena, "%s %s %s", left, forms[tree->kind].text,
                            write_part(w, tree->part[1], rank + 1));
}

static char *write_choice(const struct writer *w, const struct tree *tree)
{
    char *condition = write_part(w, tree->part[0], 2);
    char *yes = write_part(w, tree->part[1], 1);

    return mpl_arena_printf(w->arena, "%s ? %s : %s", condition, yes,
                            write_part(w, tree->part[2], 1));
}

static char *write_tree(const struct writer *w, const struct tree *tree)
{
    const int rank = forms[tree->kind].rank;
    const char *text = forms[tree->kind].text;

    if (w->is_simple && (tree->kind == TREE_AND || tree->kind == TREE_OR)) {
        return write_simple_logic(w, tree);
    }
    switch (tree->kind) {
    case TREE_NUMBER:
        return mpl_arena_printf(w->arena, "%.15g", tree->number);
    case TREE_SCALAR:
    case TREE_LIST:
        return mpl_arena_printf(w->arena, "%s%u", text, tree->slot);
    case TREE_NEGATE:
    case TREE_NOT:
        /* Not every calculator takes two signs. */
        return mpl_arena_printf(w->arena, "%s%s", text,
                                write_part(w, tree->part[0], w->is_simple ? 9 : rank));
    case TREE_CHOICE:
        return write_choice(w, tree);
    default:
        return rank == 9 ? write_call(w, tree) : write_operation(w, tree);
    }
}

char *tree_text(const struct tree *tree, uint64_t *state, bool is_simple,
                struct mpl_arena *arena)
{
    const struct writer writer = { state, is_simple, arena };

    return write_tree(&writer, tree);
}

/* ---- walking ------------------------------------------------------------------------------- */

struct walker {
    const double *scalars;
    const double *const *lists;
    size_t n;
};

static double walk(const struct walker *w, const struct tree *tree, size_t element);

static double walk_logic(enum tree_kind kind, double a, double b)
{
    const double decisive = kind == TREE_AND ? 0.0 : 1.0;
    const double truth_a = isnan(a) ? NAN : a != 0.0;
    const double truth_b = isnan(b) ? NAN : b != 0.0;

    if (truth_a == decisive || truth_b == decisive) {
        return decisive;
    }
    return isnan(a) || isnan(b) ? NAN : 1.0 - decisive;
}

static double walk_binary(enum tree_kind kind, double a, double b)
{
    if (kind == TREE_DEFAULT) {
        return isnan(a) ? b : a;
    }
    if (kind == TREE_AND || kind == TREE_OR) {
        return walk_logic(kind, a, b);
    }
    if (isnan(a) || isnan(b)) {
        return NAN;
    }
    switch (kind) {
    case TREE_ADD:
        return a + b;
    case TREE_SUBTRACT:
        return a - b;
    case TREE_MULTIPLY:
        return a * b;
    case TREE_DIVIDE:
        return b == 0 ? NAN : a / b;
    case TREE_MODULO:
        return b == 0 ? NAN : fmod(a, b);
    case TREE_EQ:
        return a == b;
    case TREE_NE:
        return a != b;
    case TREE_LT:
        return a < b;
    case TREE_LE:
        return a <= b;
    case TREE_GT:
        return a > b;
    case TREE_GE:
        return a >= b;
    case TREE_MIN:
        return a < b ? a : b;
    default: /* TREE_MAX */
        return a > b ? a : b;
    }
}

static double walk_unary(enum tree_kind kind, double a)
{
    if (kind == TREE_DEFINED) {
        return !isnan(a);
    }
    if (isnan(a)) {
        return NAN;
    }
    switch (kind) {
    case TREE_NEGATE:
        return -a;
    case TREE_NOT:
        return a == 0;
    case TREE_ABS:
        return a < 0 ? -a : a;
    case TREE_SQRT:
        return a < 0 ? NAN : sqrt(a);
    case TREE_FLOOR:
        return floor(a);
    case TREE_CEIL:
        return ceil(a);
    default: /* TREE_LOG2 */
        return a <= 0 ? NAN : log2(a);
    }
}

static bool has_list(const struct tree *tree)
{
    return tree != NULL && (tree->kind == TREE_LIST || has_list(tree->part[0]) ||
                            has_list(tree->part[1]) || has_list(tree->part[2]));
}

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *) a;
    const double y = *(const double *) b;

    return (x > y) - (x < y);
}

double tree_percentile(const double *sorted, size_t n, double p)
{
    const double at = (double) (n - 1) * p / 100.0;
    const size_t low = (size_t) at;
    const double share = at - (double) low;

    return share == 0.0 ? sorted[low]
                        : sorted[low] + share * (sorted[low + 1] - sorted[low]);
}

/* Two passes, unlike the other side. */
static double deviation(const double *values, size_t n, double mean)
{
    double squares = 0;

    for (size_t i = 0; i < n; i++) {
        squares += (values[i] - mean) * (values[i] - mean);
    }
    return sqrt(squares / (double) n);
}

static double aggregate_defined(const struct tree *tree, double *values, size_t n)
{
    double sum = 0;
    size_t n_true = 0;

    for (size_t i = 0; i < n; i++) {
        sum += values[i];
        n_true += values[i] != 0;
    }
    if (tree->kind == TREE_SUM || tree->kind == TREE_COUNT) {
        return tree->kind == TREE_SUM ? sum : (double) n;
    }
    if (n == 0) {
        return NAN;
    }
    switch (tree->kind) {
    case TREE_MEAN:
        return sum / (double) n;
    case TREE_FIRST:
        return values[0];
    case TREE_LAST:
        return values[n - 1];
    case TREE_ANY:
        return n_true > 0;
    case TREE_ALL:
        return n_true == n;
    case TREE_STDDEV:
        return deviation(values, n, sum / (double) n);
    case TREE_CV:
        return sum == 0 ? NAN : deviation(values, n, sum / (double) n) / (sum / (double) n);
    default:
        break;
    }
    qsort(values, n, sizeof *values, compare_numbers);
    switch (tree->kind) {
    case TREE_LEAST:
        return values[0];
    case TREE_GREATEST:
        return values[n - 1];
    case TREE_MEDIAN:
        return tree_percentile(values, n, 50);
    default:
        return tree_percentile(values, n, tree->part[1]->number);
    }
}

static double walk_aggregate(const struct walker *w, const struct tree *tree)
{
    const size_t n = has_list(tree->part[0]) ? w->n : 1;
    double *values = malloc((n + 1) * sizeof *values);
    size_t n_defined = 0;

    for (size_t i = 0; i < n; i++) {
        values[n_defined] = walk(w, tree->part[0], i);
        n_defined += isfinite(values[n_defined]) != 0;
    }

    const double result = aggregate_defined(tree, values, n_defined);

    free(values);
    return result;
}

static double walk(const struct walker *w, const struct tree *tree, size_t element)
{
    switch (tree->kind) {
    case TREE_NUMBER:
        return tree->number;
    case TREE_SCALAR:
        return w->scalars[tree->slot];
    case TREE_LIST:
        return w->lists[tree->slot][element];
    default:
        break;
    }
    if (tree->kind >= TREE_SUM) {
        return walk_aggregate(w, tree);
    }

    const double a = walk(w, tree->part[0], element);

    if (tree->kind == TREE_CHOICE) {
        return isnan(a) ? NAN : walk(w, tree->part[a != 0 ? 1 : 2], element);
    }
    return tree->part[1] == NULL
               ? walk_unary(tree->kind, a)
               : walk_binary(tree->kind, a, walk(w, tree->part[1], element));
}

double tree_value(const struct tree *tree, const double *scalars,
                  const double *const *lists, size_t n)
{
    const struct walker walker = { scalars, lists, n };
    const double value = walk(&walker, tree, 0);

    return isfinite(value) ? value : NAN;
}
