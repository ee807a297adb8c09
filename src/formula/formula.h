/*
 * Takes:        a formula as text, and a callback that says what each name means.
 * Makes:        a compiled formula that is evaluated over numbers and lists of numbers.
 * Leaves alone: where the numbers come from; it knows neither events nor metrics.
 */
#ifndef MPL_FORMULA_FORMULA_H
#define MPL_FORMULA_FORMULA_H

#include "base/base.h"

/*
 * The language. Numbers may carry a unit: 5 ms, 2us, 0.3, 64 B (then they count in s or B).
 *
 *   cond ? a : b    or    and    not    == != < <= > >=    + -    * / %    unary -    ( )
 *   names: letters, digits, _ and dots: assign.wait, worker.t_comp
 *
 * Scalar functions, element by element on lists: min(a, b, …) max(a, b, …) abs sqrt floor ceil
 *   log2, defined(x) (1 or 0, never undefined), default(x, y).
 * Aggregates, of exactly one list: sum mean count min max median stddev cv (stddev/mean) first
 *   last any all, percentile(list, p) with p in 0 … 100.
 * Relations of two names: precedes(a, b) concurrent(a, b). Whoever looks names up says what they
 *   are; they are numbers without unit like any other, 1, 0 or undefined.
 *   min and max with one list argument aggregate, with several arguments compare.
 *
 * Lists combine element by element with lists of the same group and with scalars:
 * sum(TaskLifeCycle.leave - TaskLifeCycle.enter), sum(max(0, Task.wait - master.setup)).
 * An aggregate may not stand inside another one. A formula as a whole is a scalar; a bare list is
 * an error: "'comp' is repeated; use it inside sum(), mean(), …".
 *
 * Undefined is NaN. It passes through operators and scalar functions; aggregates skip undefined
 * elements; sum and count of nothing are 0, the other aggregates of nothing are undefined;
 * division by zero is undefined; comparisons with undefined are undefined; and/or follow
 * three-valued logic (0 and undefined is 0, 1 or undefined is 1); an undefined condition of ?: is
 * undefined. A result, or an element that an aggregate meets, beyond the largest double is undefined.
 *
 * a % b has the sign of a. stddev divides by the number of elements. percentile and median are
 * linear between the two nearest elements. An aggregate of a single value gives a warning and
 * takes it as a list of one.
 *
 * Units are checked: + - % comparisons, min, max, default and the two arms of ?: need equal units
 * (a literal 0 fits any); and or not, the condition of ?:, log2, any, all and the p of percentile
 * need 1; * / combine; sqrt halves; count, cv and defined give 1. An error names both units.
 */

/** Powers of second and byte: s is {1, 0}, B/s is {-1, 1}, 1 is {0, 0}. */
struct mpl_unit {
    int8_t seconds;
    int8_t bytes;
};
/** "s", "1", "B", "B/s", "1/s", "s/B", "ms"…; MPL_E_SYNTAX for others. \p factor: to base units. */
enum mpl_status mpl_unit_parse(const char *text, struct mpl_unit *unit, double *factor);
/** Into \p text of at least 32 bytes. */
const char *mpl_unit_text(struct mpl_unit unit, char *text);

/** What a name stands for. */
struct mpl_formula_name {
    bool is_list;
    uint32_t group; /**< Lists of the same group have the same length and order. */
    uint32_t slot;  /**< Index into the scalars or lists given to the evaluation. */
    struct mpl_unit unit;
    bool
        is_fixed; /**< The same in all evaluations that share kept aggregates; see below. */
    /** Set when the callback is asked for a relation of two things that have no value themselves,
        such as precedes(a, b): their names. For any other name NULL. */
    const char *of[2];
    uint32_t
        wrong; /**< Of a relation that is refused: 1 or 2 if because of that one of them. */
};

/**
 * Says what \p name means: that of a relation is "precedes" or "concurrent". On MPL_E_MEANING the compiler reports "unknown name '…'" with the
 * suggestion, or \p *reason instead if the callback sets it.
 */
typedef enum mpl_status mpl_formula_lookup(void *context, const char *name,
                                           struct mpl_formula_name *out,
                                           const char **suggestion, const char **reason);

struct mpl_list {
    const double *values;
    size_t n;
};

struct mpl_formula;

/**
 * Compiles \p text, which stands at \p place (line and column of its first character; columns of
 * messages are offset from it when \p is_inline, else they are those of the place).
 *
 * Ownership: the formula lives in \p arena.
 * Errors:    MPL_E_SYNTAX, the messages are in \p lint (several per formula where that is sound);
 *            MPL_E_NOMEM. Nesting deeper than 100 is a message.
 */
enum mpl_status mpl_formula_compile(const char *text, struct mpl_place place,
                                    bool is_inline, mpl_formula_lookup *lookup,
                                    void *context, struct mpl_arena *arena,
                                    struct mpl_lint *lint, const struct mpl_formula **out,
                                    struct mpl_err *err);

/**
 * The same formula for somebody who asks whether it holds, to whom undefined is as good as 0: its value may be 0 where
 * the other is undefined. So less of it is needed.
 *
 * Ownership: in \p arena, and points into \p formula; NULL without memory.
 */
const struct mpl_formula *mpl_formula_condition(const struct mpl_formula *formula,
                                                struct mpl_arena *arena);

struct mpl_unit mpl_formula_unit(const struct mpl_formula *formula);

/** The slot whose presence is all that the formula asks for, "[not] defined(name)"; MPL_NONE for others. */
uint32_t mpl_formula_presence(const struct mpl_formula *formula, bool *is_absent);

/** The scalar slots and list slots that the formula reads, each once, ascending. */
const uint32_t *mpl_formula_scalars(const struct mpl_formula *formula, size_t *n);
const uint32_t *mpl_formula_lists(const struct mpl_formula *formula, size_t *n);
/**
 * Whether of a slot nothing matters but whether it is defined, in defined(), or how many it is, in count(); or, of one with
 * \p is_place (per slot; NULL: none), which of two places comes first. So of a formula that does not read it.
 */
bool mpl_formula_is_coarse(const struct mpl_formula *formula, uint32_t slot,
                           const bool *is_place);
/** The \p i-th of all these slots; false behind the last, and of no formula (NULL). */
bool mpl_formula_slot(const struct mpl_formula *formula, size_t i, uint32_t *slot);

/**
 * Evaluates. \p scalars and \p lists are indexed by slot; only slots that the formula reads are
 * touched. Thread-safe, allocates nothing.
 * Cost: some 40 ns without aggregates; linear in list lengths, but for lists to the right of an `and` or `or` whose
 *       left side decides.
 */
double mpl_formula_eval(const struct mpl_formula *formula, const double *scalars,
                        const struct mpl_list *lists);

enum {
    MPL_FORMULA_ROWS = 256, /**< At most so many at once. */
    MPL_FORMULA_ROW_WORDS = MPL_FORMULA_ROWS / 64,
};

/** Whether row \p i is in a set of rows. */
static inline bool mpl_row_is_in(const uint64_t *rows, uint32_t i)
{
    return (rows[i / 64] >> i % 64 & 1) != 0;
}
/** Adds \p rows to those that are \p known, and says which of them were \p missing; false: none. */
static inline bool mpl_rows_add(uint64_t *known, const uint64_t *rows, uint64_t *missing)
{
    uint64_t any = 0;

    for (int w = 0; w < MPL_FORMULA_ROW_WORDS; w++) {
        missing[w] = rows[w] & ~known[w];
        known[w] |= rows[w];
        any |= missing[w];
    }
    return any != 0;
}

/** Values of many instances, and where those come from that are costly to find: each is read when the formula needs it. */
struct mpl_formula_rows {
    size_t n;
    double *const *scalars;        /**< Per slot: n values. */
    struct mpl_list *const *lists; /**< Per slot, likewise. */
    double *temps; /**< mpl_formula_temps() times n numbers, of which nothing is kept. */
    /** Per slot a bit per row: its value is where the evaluation looks for it. */
    uint64_t (*known)[MPL_FORMULA_ROW_WORDS];
    /** Puts those of the rows there whose bit is set in \p rows. */
    void (*read)(void *context, uint32_t slot, bool is_list, const uint64_t *rows);
    void *context;
};
size_t mpl_formula_temps(const struct mpl_formula *formula);
/**
 * Evaluates for the rows whose bit is set in \p wanted, instruction by instruction: what finding an instruction costs is
 * divided among them. Of each row the same value as mpl_formula_eval() makes; of a condition the same but for whether it is
 * 0 or undefined. \p values of other rows become anything.
 *
 * Not needed are the right side of `and` or `or` whose left side decides, the arm of ?: that is not chosen, and the second
 * argument of default() where the first is defined; in default(a and b, 0), b where a is not true. No slot may be both a
 * scalar and a list.
 */
void mpl_formula_eval_rows(const struct mpl_formula *formula,
                           const struct mpl_formula_rows *rows, const uint64_t *wanted,
                           double *values);

/**
 * Evaluation for many places (locations) at each of which only some names change, as in
 * a.compute - median(all.compute): aggregates of fixed names alone are evaluated once and
 * kept, so that the cost is linear in the number of places, not quadratic.
 *
 * The first evaluation fills \p kept, of mpl_formula_kept_count() numbers; the next ones
 * read it. A formula without such aggregates needs none.
 */
size_t mpl_formula_kept_count(const struct mpl_formula *formula);
double mpl_formula_eval_first(const struct mpl_formula *formula, const double *scalars,
                              const struct mpl_list *lists, double *kept);
double mpl_formula_eval_next(const struct mpl_formula *formula, const double *scalars,
                             const struct mpl_list *lists, const double *kept);

#endif
