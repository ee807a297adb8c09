#include "config.h"

#include "formula/formula_priv.h"

#include <math.h>

/* ---- operations ------------------------------------------------------------------ */

/* Undefined is NaN, and a comparison with NaN is false in C: it has to be asked for. */

static double truth(bool is_true)
{
    return is_true ? 1.0 : 0.0;
}

static double compared(bool is_true, double a, double b)
{
    return isunordered(a, b) ? NAN : truth(is_true);
}

/* Kleene's logic: what is certain whatever the undefined side may be is not undefined. */
static double logical_and(double a, double b)
{
    if (a == 0.0 || b == 0.0) {
        return 0.0;
    }
    return isunordered(a, b) ? NAN : 1.0;
}

static double logical_or(double a, double b)
{
    if (fabs(a) > 0.0 || fabs(b) > 0.0) {
        return 1.0;
    }
    return isunordered(a, b) ? NAN : 0.0;
}

/* Not fmin(): it would drop an undefined operand. */
static double least(double a, double b)
{
    return isnan(a) || a < b ? a : b;
}

static double greatest(double a, double b)
{
    return isnan(a) || a > b ? a : b;
}

/* One operation; unary ones do not look at \p b. A table, hence its length. */
static inline double apply(enum opcode op, double a, double b)
{
    switch (op) {
    case OP_ADD:
        return a + b;
    case OP_SUBTRACT:
        return a - b;
    case OP_MULTIPLY:
        return a * b;
    case OP_DIVIDE:
        return b == 0.0 ? NAN : a / b;
    case OP_MODULO:
        return b == 0.0 ? NAN : fmod(a, b);
    case OP_EQ:
        return compared(a == b, a, b);
    case OP_NE:
        return compared(a != b, a, b);
    case OP_LT:
        return compared(a < b, a, b);
    case OP_LE:
        return compared(a <= b, a, b);
    case OP_GT:
        return compared(a > b, a, b);
    case OP_GE:
        return compared(a >= b, a, b);
    case OP_AND:
        return logical_and(a, b);
    case OP_OR:
        return logical_or(a, b);
    case OP_MIN:
        return least(a, b);
    case OP_MAX:
        return greatest(a, b);
    case OP_DEFAULT:
        return isnan(a) ? b : a;
    case OP_NEGATE:
        return -a;
    case OP_NOT:
        return isnan(a) ? NAN : truth(a == 0.0);
    case OP_ABS:
        return fabs(a);
    case OP_SQRT:
        return sqrt(a);
    case OP_FLOOR:
        return floor(a);
    case OP_CEIL:
        return ceil(a);
    case OP_LOG2:
        return a > 0.0 ? log2(a) : NAN;
    case OP_DEFINED:
        return truth(!isnan(a));
    default:
        return NAN;
    }
}

static double choose(double condition, double yes, double no)
{
    if (isnan(condition)) {
        return NAN;
    }
    return condition != 0.0 ? yes : no;
}

/* ---- elements of a list ------------------------------------------------------------- */

/* A row of values; step 0 repeats one value for all elements. */
struct row {
    const double *values;
    size_t step;
};

static struct row row_of(const struct series *series, size_t first, enum source source,
                         uint32_t index)
{
    switch (source) {
    case SOURCE_CONST:
        return (struct row){ series->formula->constants + index, 0 };
    case SOURCE_SCALAR:
        return (struct row){ series->scalars + index, 0 };
    case SOURCE_LIST:
        return (struct row){ series->lists[index].values + first, 1 };
    case SOURCE_TEMP:
        break;
    }
    return (struct row){ series->cells + (index - series->aggregate->to) * series->width,
                         1 };
}

/* Inlined once per operation, so that the compiler takes the choice of it out of the loop. */
static inline void apply_each(enum opcode op, double *to, const struct row *a,
                              const struct row *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        to[i] = apply(op, a->values[i * a->step], b->values[i * b->step]);
    }
}

static void choose_each(double *to, const struct row *row, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        to[i] = choose(row[0].values[i * row[0].step], row[1].values[i * row[1].step],
                       row[2].values[i * row[2].step]);
    }
}

/* One instruction for \p n elements. The rows may be the same as that of the result. */
static void apply_row(struct series *series, const struct insn *insn, size_t first,
                      size_t n)
{
    struct row row[OPERANDS];
    double *to = series->cells + (insn->to - series->aggregate->to) * series->width;

    for (int k = 0; k < OPERANDS; k++) {
        row[k] = row_of(series, first, insn->source[k], insn->index[k]);
    }
    switch (insn->op) {
    case OP_ADD:
        apply_each(OP_ADD, to, &row[0], &row[1], n);
        break;
    case OP_SUBTRACT:
        apply_each(OP_SUBTRACT, to, &row[0], &row[1], n);
        break;
    case OP_MULTIPLY:
        apply_each(OP_MULTIPLY, to, &row[0], &row[1], n);
        break;
    case OP_MIN:
        apply_each(OP_MIN, to, &row[0], &row[1], n);
        break;
    case OP_MAX:
        apply_each(OP_MAX, to, &row[0], &row[1], n);
        break;
    case OP_CHOOSE:
        choose_each(to, row, n);
        break;
    default:
        apply_each(insn->op, to, &row[0], &row[1], n);
        break;
    }
}

size_t mpl_series_read(struct series *series, size_t first, const double **values)
{
    const struct insn *aggregate = series->aggregate;
    const size_t left = series->n - first;
    const size_t n = left < series->width ? left : series->width;

    if (left > 0 && aggregate->source[0] == SOURCE_LIST) {
        *values = series->lists[aggregate->index[0]].values + first;
        return left;
    }
    for (uint32_t k = 1; k <= aggregate->n_body; k++) {
        apply_row(series, aggregate + k, first, n);
    }
    *values = row_of(series, first, aggregate->source[0], aggregate->index[0]).values;
    return n;
}
/* ---- single values ------------------------------------------------------------------- */

enum { BLOCK_WIDTH = 64 };

/* Where aggregates of fixed names are put by the first evaluation and read by the next. */
struct keeping {
    double *put;
    const double *read;
};

static double aggregate(const struct mpl_formula *formula, const struct insn *insn,
                        const double *scalars, const struct mpl_list *lists, double p)
{
    struct series series;

    series.formula = formula;
    series.aggregate = insn;
    series.scalars = scalars;
    series.lists = lists;
    series.n = insn->list == MPL_NONE ? 1 : lists[insn->list].n;
    series.width = SERIES_CELLS / (insn->n_rows == 0 ? 1 : insn->n_rows);
    series.width = series.width < BLOCK_WIDTH ? series.width : BLOCK_WIDTH;
    return mpl_aggregate(insn->op, &series, p);
}

static double kept_aggregate(const struct mpl_formula *formula, const struct insn *insn,
                             const double *scalars, const struct mpl_list *lists, double p,
                             struct keeping keeping)
{
    const bool is_kept = insn->kept != MPL_NONE;

    if (is_kept && keeping.read != NULL) {
        return keeping.read[insn->kept];
    }

    const double value = aggregate(formula, insn, scalars, lists, p);

    if (is_kept && keeping.put != NULL) {
        keeping.put[insn->kept] = value;
    }
    return value;
}

/* ---- values that are read when they are needed --------------------------------------- */

static inline void need(const struct mpl_formula_source *from, enum source source,
                        uint32_t slot)
{
    if ((source == SOURCE_SCALAR || source == SOURCE_LIST) &&
        (from->known[slot / 64] >> slot % 64 & 1) == 0) {
        from->known[slot / 64] |= UINT64_C(1) << slot % 64;
        from->read(from->context, slot, source == SOURCE_LIST);
    }
}

static void need_of_aggregate(const struct mpl_formula_source *from,
                              const struct insn *aggregate)
{
    if (aggregate->list != MPL_NONE) {
        need(from, SOURCE_LIST, aggregate->list);
    }
    for (uint32_t i = 0; i <= aggregate->n_body; i++) {
        const struct insn *insn = aggregate + i;

        for (int k = 0; k < OPERANDS; k++) {
            need(from, insn->source[k], insn->index[k]);
        }
    }
}

/* ---- one instruction after the other -------------------------------------------------- */

/* Whether the instructions behind a guard are passed over. The evaluation that others read from passes over none. */
static bool decides(enum opcode op, double a, struct keeping keeping)
{
    if (keeping.put != NULL) {
        return false;
    }
    switch (op) {
    case OP_UNLESS_FALSE:
        return a == 0.0;
    case OP_UNLESS_TRUE:
        return fabs(a) > 0.0;
    case OP_IF_TRUE:
    case OP_ONLY_TRUE:
        return !(fabs(a) > 0.0);
    default:
        return a != 0.0; /* or undefined */
    }
}

/* What an operation makes whose right side was passed over; of an arm nobody reads it. */
static double value_of_guard(enum opcode op)
{
    return op == OP_UNLESS_TRUE                        ? 1.0
           : op == OP_UNLESS_FALSE || op == OP_IF_TRUE ? 0.0
                                                       : NAN;
}

static inline double read_operand(const double *const *values, const struct insn *insn,
                                  int k, const struct mpl_formula_source *from)
{
    if (from != NULL) {
        need(from, insn->source[k], insn->index[k]);
    }
    return values[insn->source[k]][insn->index[k]];
}

/* The operation on \p a and the others, of which it needs to know only those that count. */
static inline double operate(const double *const *values, const struct insn *insn, double a,
                             const struct mpl_formula_source *from)
{
    if (insn->op == OP_CHOOSE) {
        return isnan(a) ? NAN : read_operand(values, insn, a != 0.0 ? 1 : 2, from);
    }
    if (from != NULL && insn->op == OP_DEFAULT && !isnan(a)) {
        return a;
    }
    return apply(insn->op, a, read_operand(values, insn, 1, from));
}

static inline double evaluate(const struct mpl_formula *formula, const double *scalars,
                              const struct mpl_list *lists, struct keeping keeping,
                              const struct mpl_formula_source *from)
{
    double temps[TEMP_LIMIT];
    const double *const values[] = { [SOURCE_CONST] = formula->constants,
                                     [SOURCE_SCALAR] = scalars,
                                     [SOURCE_TEMP] = temps };
    const struct insn *const end = formula->code + formula->n_code;

    for (const struct insn *insn = formula->code; insn < end; insn++) {
        if (insn->op >= OP_FIRST_AGGREGATE) {
            if (from != NULL) {
                need_of_aggregate(from, insn);
            }

            const double p =
                insn->op == OP_PERCENTILE ? values[insn->source[1]][insn->index[1]] : NAN;

            temps[insn->to] = kept_aggregate(formula, insn, scalars, lists, p, keeping);
            insn += insn->n_body;
            continue;
        }

        const double a = read_operand(values, insn, 0, from);

        if (insn->op < OP_FIRST_GUARD) {
            temps[insn->to] = operate(values, insn, a, from);
        } else if (decides(insn->op, a, keeping)) {
            temps[insn->to] = value_of_guard(insn->op);
            insn += insn->n_body;
        }
    }
    if (from != NULL) {
        need(from, formula->result.source, formula->result.index);
    }

    const double result = values[formula->result.source][formula->result.index];

    return isfinite(result) ? result : NAN;
}

double mpl_formula_eval(const struct mpl_formula *formula, const double *scalars,
                        const struct mpl_list *lists)
{
    return evaluate(formula, scalars, lists, (struct keeping){ NULL, NULL }, NULL);
}

double mpl_formula_eval_as_needed(const struct mpl_formula *formula, const double *scalars,
                                  const struct mpl_list *lists,
                                  const struct mpl_formula_source *from)
{
    return evaluate(formula, scalars, lists, (struct keeping){ NULL, NULL }, from);
}

size_t mpl_formula_kept_count(const struct mpl_formula *formula)
{
    return formula->n_kept;
}

double mpl_formula_eval_first(const struct mpl_formula *formula, const double *scalars,
                              const struct mpl_list *lists, double *kept)
{
    return evaluate(formula, scalars, lists, (struct keeping){ kept, NULL }, NULL);
}

double mpl_formula_eval_next(const struct mpl_formula *formula, const double *scalars,
                             const struct mpl_list *lists, const double *kept)
{
    return evaluate(formula, scalars, lists, (struct keeping){ NULL, kept }, NULL);
}
