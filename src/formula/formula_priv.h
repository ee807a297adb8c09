/*
 * The compiler's insides: tokens, operands and instructions.
 *
 * One pass, recursive descent, straight to code. There is no tree: a chain of a
 * million additions would be a tree a million levels deep, and whoever walks it by
 * recursion dies. Here the depth of recursion is the depth of parentheses, which is limited.
 */
#ifndef MPL_FORMULA_FORMULA_PRIV_H
#define MPL_FORMULA_FORMULA_PRIV_H

#include "formula/formula.h"

/* ---- units -------------------------------------------------------------------- */

/** Units of higher powers are refused: they come from mistakes, and int8_t ends at 127. */
enum { UNIT_POWER_LIMIT = 99, UNIT_TEXT_BYTES = 32 };

/** A unit that a number may carry; \p n bytes at \p text. \p exponent10: 5 ms is 5e-3 s. */
bool mpl_unit_of_name(const char *text, size_t n, struct mpl_unit *unit, double *factor,
                      int *exponent10);
/** \p a times \p b to the power \p sign (1 or -1); false beyond the limit. */
bool mpl_unit_combine(struct mpl_unit a, struct mpl_unit b, int sign, struct mpl_unit *out);
bool mpl_unit_equal(struct mpl_unit a, struct mpl_unit b);

/* ---- tokens ------------------------------------------------------------------- */

enum token_kind {
    TOKEN_END,
    TOKEN_NUMBER,
    TOKEN_NAME,
    TOKEN_LEFT,
    TOKEN_RIGHT,
    TOKEN_COMMA,
    TOKEN_QUESTION,
    TOKEN_COLON,
    TOKEN_NOT,
    TOKEN_OR, /* from here on: binary operators, see the table in compile.c */
    TOKEN_AND,
    TOKEN_EQ,
    TOKEN_NE,
    TOKEN_LT,
    TOKEN_LE,
    TOKEN_GT,
    TOKEN_GE,
    TOKEN_PLUS,
    TOKEN_MINUS,
    TOKEN_TIMES,
    TOKEN_DIVIDE,
    TOKEN_MODULO,
    TOKEN_BAD, /* no token of the language; lexer.fault says why */
};

struct token {
    enum token_kind kind;
    size_t at; /* offset in the formula */
    size_t n;  /* bytes */
    double number;
    struct mpl_unit unit;
    bool has_unit;
};

enum { FAULT_BYTES = 160 };

struct lexer {
    const char *text;
    size_t at;
    char fault[FAULT_BYTES]; /* of the last TOKEN_BAD */
};

struct token mpl_lexer_next(struct lexer *lexer);

/* ---- code --------------------------------------------------------------------- */

/*
 * Where a value is. Constants and single values are read where they lie: copying each to a
 * stack first took half of the evaluation's time. Only results of operations have temporary
 * places, numbered like a stack.
 */
enum source { SOURCE_CONST, SOURCE_SCALAR, SOURCE_TEMP, SOURCE_LIST };

struct where {
    enum source source;
    uint32_t index;
};

enum opcode {
    OP_ADD, /* of two operands */
    OP_SUBTRACT,
    OP_MULTIPLY,
    OP_DIVIDE,
    OP_MODULO,
    OP_EQ,
    OP_NE,
    OP_LT,
    OP_LE,
    OP_GT,
    OP_GE,
    OP_AND,
    OP_OR,
    OP_MIN,
    OP_MAX,
    OP_DEFAULT,
    OP_NEGATE, /* of one */
    OP_NOT,
    OP_ABS,
    OP_SQRT,
    OP_FLOOR,
    OP_CEIL,
    OP_LOG2,
    OP_DEFINED,
    OP_CHOOSE, /* of three: condition, if true, if false */
    /*
     * Guards, never in the body of an aggregate. Before the right side of `and` or `or`: if operand 0 decides,
     * the n_body instructions that follow, the operation itself the last of them, are passed over.
     */
    OP_FIRST_GUARD,
    OP_UNLESS_FALSE = OP_FIRST_GUARD,
    OP_UNLESS_TRUE,
    /* Like OP_UNLESS_FALSE where undefined counts as false: see mpl_code_relax(). */
    OP_IF_TRUE,
    /* Before an arm of `?:`, of n_body instructions: passed over unless operand 0 chooses it. */
    OP_ONLY_TRUE,
    OP_ONLY_FALSE,
    OP_ONLY_UNDEFINED, /* of the second argument of default(); no instruction */
    /*
     * Aggregates of a list: the n_body instructions that follow are evaluated for each
     * element and leave it in operand 0. Operand 1 is p of OP_PERCENTILE.
     */
    OP_FIRST_AGGREGATE,
    OP_SUM = OP_FIRST_AGGREGATE,
    OP_MEAN,
    OP_COUNT,
    OP_MINIMUM,
    OP_MAXIMUM,
    OP_MEDIAN,
    OP_PERCENTILE,
    OP_STDDEV,
    OP_CV,
    OP_FIRST,
    OP_LAST,
    OP_ANY,
    OP_ALL,
};

enum { OPERANDS = 3 };

struct insn {
    uint8_t op;               /* enum opcode */
    uint8_t source[OPERANDS]; /* enum source */
    uint32_t index[OPERANDS];
    uint32_t to; /* temporary place of the result */
    uint32_t
        n_body; /* of aggregates and guards: instructions; of `and` and `or`: those back to their guard, 0 without */
    uint32_t n_rows; /* of aggregates: temporary places that the body uses, from `to` on */
    uint32_t list;   /* of aggregates: slot of a list; MPL_NONE: one single value */
    uint32_t kept;   /* of aggregates of fixed names: where it is kept; else MPL_NONE */
};

/*
 * Temporary places. Each level of nesting leaves at most eight in use: left sides of or,
 * and, a comparison, a sum and a product, two of ?: and one argument of a function.
 */
enum { NESTING_LIMIT = 100, TEMP_LIMIT = 8 * (NESTING_LIMIT + 2) };

struct mpl_formula {
    const struct insn *code;
    size_t n_code;
    const double *constants;
    struct where result;
    struct mpl_unit unit;
    const uint32_t *scalars;
    size_t n_scalars;
    const uint32_t *lists;
    size_t n_lists;
    uint32_t n_kept;
};

/* ---- compilation ----------------------------------------------------------------- */

/** A value of the formula while it is compiled. */
struct operand {
    struct where where;
    bool is_bad; /* a message was given; whatever is done with it gives no second */
    bool is_list;
    bool fits_any_unit;   /* the literal 0 */
    bool is_plain_number; /* a literal without unit, for hints */
    bool is_condition;    /* 1 or 0, for hints */
    bool is_varying;      /* it reads a name that is not fixed */
    bool has_aggregate;
    struct mpl_unit unit;
    uint32_t group;      /* of lists */
    uint32_t slot;       /* of one of the lists in it */
    struct token name;   /* of that list */
    struct token inside; /* name of an aggregate in it */
};

/** Messages per formula: more only hide the first. */
enum { MESSAGE_LIMIT = 10 };

struct compiler {
    const char *text;
    struct mpl_place place;
    bool is_inline;
    mpl_formula_lookup *lookup;
    void *context;
    struct mpl_arena *arena;
    struct mpl_lint *lint;
    struct lexer lexer;
    struct token token;       /* the next one, not yet taken */
    struct mpl_buf code;      /* struct insn */
    struct mpl_buf constants; /* double */
    struct mpl_buf scalars;   /* uint32_t: slots, in order of use */
    struct mpl_buf lists;
    unsigned nesting; /* the whole formula is level 1 */
    uint32_t n_temps; /* temporary places in use */
    uint32_t n_kept;  /* aggregates of fixed names */
    unsigned n_errors;
    enum mpl_status
        status; /* of what cannot be reported in lint: out of memory, or the lookup's */
};

/** A message at byte \p at of the formula. Always false, to be returned. */
bool mpl_formula_error(struct compiler *c, size_t at, const char *fmt, ...)
    MPL_PRINTF(3, 4);
void mpl_formula_warn(struct compiler *c, size_t at, const char *fmt, ...) MPL_PRINTF(3, 4);

/** Appends an operation on \p n operands; \p *result is where it leaves its value. */
bool mpl_code_emit(struct compiler *c, enum opcode op, const struct where *operands,
                   size_t n, struct where *result);
/** Makes the instructions from \p body on the body of an aggregate, which has no guards. */
bool mpl_code_loop(struct compiler *c, size_t body, struct insn aggregate);
/**
 * Of the value that instruction \p at makes it does not matter whether it is 0 or undefined, nor of the sides of an `and` or
 * `or` that makes it. So `and` need not look at its right side where the left one is undefined.
 */
void mpl_code_relax(struct insn *code, size_t at);
/** Puts the instruction before the \p n_body ones from \p at on, which are its body. */
bool mpl_code_insert(struct compiler *c, size_t at, size_t n_body, struct insn insn);
/** Swaps the instructions from … middle-1 with those from middle to the end. */
void mpl_code_rotate(struct compiler *c, size_t from, size_t middle);

/**
 * What two operands give when they are combined, apart from their unit: lists of one group stay
 * one, bad ones spread. \p at is where a message about it stands.
 */
void mpl_operand_join(struct compiler *c, size_t at, const struct operand *a,
                      const struct operand *b, struct operand *out);
/** \p out gets the unit of both, which must be equal; \p what names the operation. */
void mpl_operand_equal_units(struct compiler *c, size_t at, const char *what,
                             const struct operand *a, const struct operand *b,
                             struct operand *out);
/** \p what ("'and'") needs \p operand without unit. */
void mpl_operand_need_plain(struct compiler *c, size_t at, const char *what,
                            struct operand *operand);
/** The unit of a product (\p sign 1) or quotient (-1). */
void mpl_operand_product(struct compiler *c, size_t at, int sign, const struct operand *a,
                         const struct operand *b, struct operand *out);

/** An expression up to a token that cannot continue it. False: a message was given. */
bool mpl_parse_expression(struct compiler *c, struct operand *out);
void mpl_parse_advance(struct compiler *c);
/** "expected \p what before 'x'", or why the next token is none. Always false. */
bool mpl_parse_expected(struct compiler *c, const char *what);
/** A call: \p name is taken, '(' is next. */
bool mpl_parse_call(struct compiler *c, struct token name, struct operand *out);
bool mpl_is_function(const char *name, size_t n);
/** What a name stands for, or a relation of that name: \p of are the names of the two. */
bool mpl_parse_meaning(struct compiler *c, struct token name, const struct token *of,
                       struct operand *out);

/* ---- evaluation of aggregates --------------------------------------------------- */

enum { SERIES_CELLS = 1024 };

/*
 * The elements that an aggregate runs over, made block by block: each instruction of the
 * body handles a block before the next one, which divides the cost of its decoding.
 */
struct series {
    const struct mpl_formula *formula;
    const struct insn *aggregate;
    const double *scalars;
    const struct mpl_list *lists;
    const struct mpl_formula_rows *rows; /* NULL, or instead of the two above … */
    size_t row;                          /* … those of this row */
    size_t n;                            /* elements */
    size_t width;                        /* elements per block */
    double cells[SERIES_CELLS]; /* a row of `width` for each temporary place of the body */
};

/**
 * Elements from \p first on, at least one: \p *values is valid until the next call.
 * Returns their number, 0 behind the last. Not finite means undefined.
 */
size_t mpl_series_read(struct series *series, size_t first, const double **values);
/** The aggregate \p op; \p p is of use to OP_PERCENTILE only. */
double mpl_aggregate(enum opcode op, struct series *series, double p);
/** The aggregate of each of \p n lists, but only the \p wanted ones are looked at; false: of this one nothing is done. */
bool mpl_aggregate_lists(enum opcode op, const struct mpl_list *lists,
                         const uint64_t *wanted, size_t n, double *to);
/** Percentile \p p of the defined elements; undefined for none. */
double mpl_percentile(struct series *series, double p);

#endif
