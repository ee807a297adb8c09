#include "config.h"

#include "formula/formula_priv.h"

#include <math.h>
#include <string.h>

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

/* One operation; unary ones do not look at \p b. A table, hence its length. */
static inline __attribute__((always_inline)) double apply(enum opcode op, double a,
                                                          double b)
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
    case OP_MIN: /* Not fmin(): it would drop an undefined operand. */
        return isnan(a) || a < b ? a : b;
    case OP_MAX:
        return isnan(a) || a > b ? a : b;
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

/* ---- elements of a list ------------------------------------------------------------- */

/* A row of values; step 0 repeats one value for all elements. */
struct row {
    const double *values;
    size_t step;
};

static const struct mpl_list *list_of(const struct series *series, uint32_t slot)
{
    return series->rows == NULL ? &series->lists[slot]
                                : &series->rows->lists[slot][series->row];
}

static struct row row_of(const struct series *series, size_t first, enum source source,
                         uint32_t index)
{
    switch (source) {
    case SOURCE_CONST:
        return (struct row){ series->formula->constants + index, 0 };
    case SOURCE_SCALAR:
        return (struct row){ series->rows == NULL
                                 ? series->scalars + index
                                 : series->rows->scalars[index] + series->row,
                             0 };
    case SOURCE_LIST:
        return (struct row){ list_of(series, index)->values + first, 1 };
    case SOURCE_TEMP:
        break;
    }
    return (struct row){ series->cells + (index - series->aggregate->to) * series->width,
                         1 };
}

/* Inlined once per operation, so that the compiler takes the choice of it out of the loop. */
static inline __attribute__((always_inline)) void
apply_each(enum opcode op, double *to, const struct row *a, const struct row *b, size_t n)
{
    const double *x = a->values;
    const double *y = b->values;

    if (a->step == 0) {
        const double same = *x;

        for (size_t i = 0; i < n; i++) {
            to[i] = apply(op, same, y[i * b->step]);
        }
    } else if (b->step == 0) {
        const double same = *y;

        for (size_t i = 0; i < n; i++) {
            to[i] = apply(op, x[i], same);
        }
    } else {
        for (size_t i = 0; i < n; i++) {
            to[i] = apply(op, x[i], y[i]);
        }
    }
}

static void choose_each(double *to, const struct row *row, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const double condition = row[0].values[i * row[0].step];
        const struct row *chosen = &row[condition != 0.0 ? 1 : 2];

        to[i] = isnan(condition) ? NAN : chosen->values[i * chosen->step];
    }
}

/* One operation for \p n elements. The rows may be the same as that of the result. */
static void operate_each(enum opcode op, double *to, const struct row *row, size_t n)
{
    switch (op) {
    case OP_ADD:
        apply_each(OP_ADD, to, &row[0], &row[1], n);
        break;
    case OP_SUBTRACT:
        apply_each(OP_SUBTRACT, to, &row[0], &row[1], n);
        break;
    case OP_MULTIPLY:
        apply_each(OP_MULTIPLY, to, &row[0], &row[1], n);
        break;
    case OP_DIVIDE:
        apply_each(OP_DIVIDE, to, &row[0], &row[1], n);
        break;
    case OP_LT:
        apply_each(OP_LT, to, &row[0], &row[1], n);
        break;
    case OP_LE:
        apply_each(OP_LE, to, &row[0], &row[1], n);
        break;
    case OP_GT:
        apply_each(OP_GT, to, &row[0], &row[1], n);
        break;
    case OP_GE:
        apply_each(OP_GE, to, &row[0], &row[1], n);
        break;
    case OP_EQ:
        apply_each(OP_EQ, to, &row[0], &row[1], n);
        break;
    case OP_NE:
        apply_each(OP_NE, to, &row[0], &row[1], n);
        break;
    case OP_AND:
        apply_each(OP_AND, to, &row[0], &row[1], n);
        break;
    case OP_OR:
        apply_each(OP_OR, to, &row[0], &row[1], n);
        break;
    case OP_DEFAULT:
        apply_each(OP_DEFAULT, to, &row[0], &row[1], n);
        break;
    case OP_DEFINED:
        apply_each(OP_DEFINED, to, &row[0], &row[1], n);
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
        apply_each(op, to, &row[0], &row[1], n);
        break;
    }
}

static void apply_row(struct series *series, const struct insn *insn, size_t first,
                      size_t n)
{
    struct row row[OPERANDS];

    for (int k = 0; k < OPERANDS; k++) {
        row[k] = row_of(series, first, insn->source[k], insn->index[k]);
    }
    operate_each(insn->op,
                 series->cells + (insn->to - series->aggregate->to) * series->width, row,
                 n);
}

size_t mpl_series_read(struct series *series, size_t first, const double **values)
{
    const struct insn *aggregate = series->aggregate;
    const size_t left = series->n - first;
    const size_t n = left < series->width ? left : series->width;

    if (left > 0 && aggregate->source[0] == SOURCE_LIST) {
        *values = list_of(series, aggregate->index[0])->values + first;
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

static void begin_series(struct series *series, const struct mpl_formula *formula,
                         const struct insn *insn)
{
    series->formula = formula;
    series->aggregate = insn;
    series->width = SERIES_CELLS / (insn->n_rows == 0 ? 1 : insn->n_rows);
    series->width = series->width < BLOCK_WIDTH ? series->width : BLOCK_WIDTH;
}

static double aggregate(const struct mpl_formula *formula, const struct insn *insn,
                        const double *scalars, const struct mpl_list *lists, double p)
{
    struct series series;

    begin_series(&series, formula, insn);
    series.scalars = scalars;
    series.lists = lists;
    series.rows = NULL;
    series.n = insn->list == MPL_NONE ? 1 : lists[insn->list].n;
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
    case OP_ONLY_UNDEFINED:
        return !isnan(a);
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
                                  int k)
{
    return values[insn->source[k]][insn->index[k]];
}

static double evaluate(const struct mpl_formula *formula, const double *scalars,
                       const struct mpl_list *lists, struct keeping keeping)
{
    double temps[TEMP_LIMIT];
    const double *const values[] = { [SOURCE_CONST] = formula->constants,
                                     [SOURCE_SCALAR] = scalars,
                                     [SOURCE_TEMP] = temps };
    const struct insn *const end = formula->code + formula->n_code;

    for (const struct insn *insn = formula->code; insn < end; insn++) {
        if (insn->op >= OP_FIRST_AGGREGATE) {
            const double p =
                insn->op == OP_PERCENTILE ? read_operand(values, insn, 1) : NAN;

            temps[insn->to] = kept_aggregate(formula, insn, scalars, lists, p, keeping);
            insn += insn->n_body;
            continue;
        }

        const double a = read_operand(values, insn, 0);

        if (insn->op == OP_CHOOSE) {
            temps[insn->to] = isnan(a) ? NAN : read_operand(values, insn, a != 0.0 ? 1 : 2);
        } else if (insn->op < OP_FIRST_GUARD) {
            temps[insn->to] = apply(insn->op, a, read_operand(values, insn, 1));
        } else if (decides(insn->op, a, keeping)) {
            temps[insn->to] = value_of_guard(insn->op);
            insn += insn->n_body;
        }
    }

    const double result = values[formula->result.source][formula->result.index];

    return isfinite(result) ? result : NAN;
}

double mpl_formula_eval(const struct mpl_formula *formula, const double *scalars,
                        const struct mpl_list *lists)
{
    return evaluate(formula, scalars, lists, (struct keeping){ NULL, NULL });
}

size_t mpl_formula_kept_count(const struct mpl_formula *formula)
{
    return formula->n_kept;
}

double mpl_formula_eval_first(const struct mpl_formula *formula, const double *scalars,
                              const struct mpl_list *lists, double *kept)
{
    return evaluate(formula, scalars, lists, (struct keeping){ kept, NULL });
}

double mpl_formula_eval_next(const struct mpl_formula *formula, const double *scalars,
                             const struct mpl_list *lists, const double *kept)
{
    return evaluate(formula, scalars, lists, (struct keeping){ NULL, kept });
}

/* ---- many rows at once ---------------------------------------------------------------------- */

/* An evaluation under way, and the rows for which the instruction at hand counts. */
struct sheet {
    const struct mpl_formula *formula;
    const struct mpl_formula_rows *rows;
    size_t n; /* Those behind are not wanted at all. */
    uint64_t wanted[MPL_FORMULA_ROW_WORDS];
};

/* Rows that count again behind the instructions that they pass over. */
struct pause {
    const struct insn *end;
    uint64_t wanted[MPL_FORMULA_ROW_WORDS];
};

size_t mpl_formula_temps(const struct mpl_formula *formula)
{
    size_t n = 0;

    for (size_t i = 0; i < formula->n_code; i++) {
        n = formula->code[i].to >= n ? formula->code[i].to + (size_t) 1 : n;
    }
    return n;
}

static double *temps_of(const struct sheet *sheet, uint32_t place)
{
    return sheet->rows->temps + place * sheet->rows->n;
}

static struct row values_of(const struct sheet *sheet, enum source source, uint32_t index)
{
    switch (source) {
    case SOURCE_CONST:
        return (struct row){ sheet->formula->constants + index, 0 };
    case SOURCE_SCALAR:
        return (struct row){ sheet->rows->scalars[index], 1 };
    default:
        return (struct row){ temps_of(sheet, index), 1 };
    }
}

/* Sees to it that a value is known of all rows of \p wanted. */
static void need_rows(const struct sheet *sheet, enum source source, uint32_t slot,
                      const uint64_t *wanted)
{
    uint64_t missing[MPL_FORMULA_ROW_WORDS];

    if ((source == SOURCE_SCALAR || source == SOURCE_LIST) &&
        mpl_rows_add(sheet->rows->known[slot], wanted, missing)) {
        sheet->rows->read(sheet->rows->context, slot, source == SOURCE_LIST, missing);
    }
}

/* Inlined once per guard, likewise. */
static inline void pass_over_each(enum opcode guard, const struct row *a, size_t n,
                                  uint64_t *kept)
{
    const struct keeping none = { NULL, NULL };

    for (size_t first = 0; first < n; first += 64) {
        const size_t end = n - first < 64 ? n : first + 64;
        uint64_t bits = 0;

        for (size_t i = first; i < end; i++) {
            bits |= (uint64_t) !decides(guard, a->values[i * a->step], none) << i % 64;
        }
        kept[first / 64] &= bits;
    }
}

/* Of the rows that count, those that a guard does not pass over. False: none. */
static bool keep_rows(const struct sheet *sheet, enum opcode guard, const struct row *a,
                      uint64_t *kept)
{
    uint64_t any = 0;

    memmove(kept, sheet->wanted, sizeof sheet->wanted);
    switch (guard) {
    case OP_UNLESS_FALSE:
        pass_over_each(OP_UNLESS_FALSE, a, sheet->n, kept);
        break;
    case OP_UNLESS_TRUE:
        pass_over_each(OP_UNLESS_TRUE, a, sheet->n, kept);
        break;
    case OP_IF_TRUE:
    case OP_ONLY_TRUE:
        pass_over_each(OP_ONLY_TRUE, a, sheet->n, kept);
        break;
    case OP_ONLY_UNDEFINED:
        pass_over_each(OP_ONLY_UNDEFINED, a, sheet->n, kept);
        break;
    default:
        pass_over_each(guard, a, sheet->n, kept);
        break;
    }
    for (size_t w = 0; w < MPL_FORMULA_ROW_WORDS; w++) {
        any |= kept[w];
    }
    return any != 0;
}

static void aggregate_rows(struct sheet *sheet, const struct insn *insn)
{
    const struct mpl_formula_rows *rows = sheet->rows;
    struct series series;
    double *to = temps_of(sheet, insn->to);

    if (insn->list != MPL_NONE) {
        need_rows(sheet, SOURCE_LIST, insn->list, sheet->wanted);
    }
    for (uint32_t i = 0; i <= insn->n_body; i++) {
        for (int k = 0; k < OPERANDS; k++) {
            need_rows(sheet, insn[i].source[k], insn[i].index[k], sheet->wanted);
        }
    }
    if (insn->n_body == 0 && insn->source[0] == SOURCE_LIST &&
        mpl_aggregate_lists(insn->op, rows->lists[insn->index[0]], sheet->wanted, sheet->n,
                            to)) {
        return;
    }

    const struct row p = insn->op == OP_PERCENTILE
                             ? values_of(sheet, insn->source[1], insn->index[1])
                             : (struct row){ NULL, 0 };

    begin_series(&series, sheet->formula, insn);
    series.rows = rows;
    for (series.row = 0; series.row < sheet->n; series.row++) {
        to[series.row] = NAN;
        if (!mpl_row_is_in(sheet->wanted, (uint32_t) series.row)) {
            continue; /* its lists may be those of another row, and of different lengths */
        }
        series.n = insn->list == MPL_NONE ? 1 : rows->lists[insn->list][series.row].n;
        to[series.row] = mpl_aggregate(
            insn->op, &series, p.values == NULL ? NAN : p.values[series.row * p.step]);
    }
}

/* Those operands are read that count: of `?:` one side, and of default() the second where the first is undefined. */
static void operate_rows(struct sheet *sheet, const struct insn *insn)
{
    struct row row[OPERANDS];
    uint64_t kept[MPL_FORMULA_ROW_WORDS];

    need_rows(sheet, insn->source[0], insn->index[0], sheet->wanted);
    for (int k = 0; k < OPERANDS; k++) {
        row[k] = values_of(sheet, insn->source[k], insn->index[k]);
    }
    if (insn->op == OP_CHOOSE) {
        if (keep_rows(sheet, OP_ONLY_TRUE, &row[0], kept)) {
            need_rows(sheet, insn->source[1], insn->index[1], kept);
        }
        if (keep_rows(sheet, OP_ONLY_FALSE, &row[0], kept)) {
            need_rows(sheet, insn->source[2], insn->index[2], kept);
        }
    } else if (insn->op == OP_DEFAULT) {
        if (keep_rows(sheet, OP_ONLY_UNDEFINED, &row[0], kept)) {
            need_rows(sheet, insn->source[1], insn->index[1], kept);
        }
    } else {
        need_rows(sheet, insn->source[1], insn->index[1], sheet->wanted);
    }
    operate_each(insn->op, temps_of(sheet, insn->to), row, sheet->n);
}

static void fill(double *to, size_t n, double value)
{
    for (size_t i = 0; i < n; i++) {
        to[i] = value;
    }
}

/* Up to the last one. */
static size_t count_rows(const uint64_t *rows)
{
    size_t w = MPL_FORMULA_ROW_WORDS;

    while (w > 0 && rows[w - 1] == 0) {
        w--;
    }
    return w == 0 ? 0 : 64 * w - (size_t) __builtin_clzll(rows[w - 1]);
}

/* Guards nest as right sides and arms do: twice per level of nesting at most. */
enum { PAUSES_MAX = 2 * (NESTING_LIMIT + 2) };

void mpl_formula_eval_rows(const struct mpl_formula *formula,
                           const struct mpl_formula_rows *rows, const uint64_t *wanted,
                           double *values)
{
    const struct insn *const end = formula->code + formula->n_code;
    struct sheet sheet = { .formula = formula, .rows = rows, .n = count_rows(wanted) };
    struct pause pauses[PAUSES_MAX];
    size_t n_pauses = 0;

    memcpy(sheet.wanted, wanted, sizeof sheet.wanted);
    for (const struct insn *insn = formula->code; insn < end; insn++) {
        if (insn->op >= OP_FIRST_AGGREGATE) {
            aggregate_rows(&sheet, insn);
            insn += insn->n_body;
        } else if (insn->op < OP_FIRST_GUARD) {
            operate_rows(&sheet, insn);
        } else {
            struct pause *pause = &pauses[n_pauses];

            need_rows(&sheet, insn->source[0], insn->index[0], sheet.wanted);
            memcpy(pause->wanted, sheet.wanted, sizeof pause->wanted);
            pause->end = insn + insn->n_body;

            const struct row a = values_of(&sheet, insn->source[0], insn->index[0]);

            if (!keep_rows(&sheet, insn->op, &a, sheet.wanted)) {
                fill(temps_of(&sheet, insn->to), sheet.n, value_of_guard(insn->op));
                memcpy(sheet.wanted, pause->wanted, sizeof sheet.wanted);
                insn = pause->end;
            } else {
                mpl_assert(++n_pauses < PAUSES_MAX);
            }
        }
        while (n_pauses > 0 && insn >= pauses[n_pauses - 1].end) {
            memcpy(sheet.wanted, pauses[--n_pauses].wanted, sizeof sheet.wanted);
        }
    }
    need_rows(&sheet, formula->result.source, formula->result.index, wanted);

    const struct row result =
        values_of(&sheet, formula->result.source, formula->result.index);

    for (size_t i = 0; i < sheet.n; i++) {
        const double value = result.values[i * result.step];

        values[i] = isfinite(value) ? value : NAN;
    }
}
