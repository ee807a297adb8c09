#include "config.h"

#include "formula/formula_priv.h"

#include <string.h>

/* How a function treats its arguments and what unit comes out. */
enum shape {
    SHAPE_ONE,       /* f(x), element by element */
    SHAPE_DEFAULT,   /* default(x, y) */
    SHAPE_EXTREME,   /* min, max: an aggregate of one list, or a choice of several values */
    SHAPE_AGGREGATE, /* of one list */
    SHAPE_PERCENTILE, /* of one list, and p */
    SHAPE_RELATION,   /* of two names, which the callback knows */
};

enum result_unit {
    RESULT_SAME,
    RESULT_HALF,     /* sqrt */
    RESULT_NONE,     /* a number without unit, of anything */
    RESULT_OF_PLAIN, /* a number without unit, of such numbers */
};

struct function {
    const char *name;
    enum shape shape;
    enum opcode op;
    enum opcode aggregate; /* of SHAPE_EXTREME with one list */
    enum result_unit unit;
};

static const struct function functions[] = {
    { "abs", SHAPE_ONE, OP_ABS, 0, RESULT_SAME },
    { "all", SHAPE_AGGREGATE, OP_ALL, 0, RESULT_OF_PLAIN },
    { "any", SHAPE_AGGREGATE, OP_ANY, 0, RESULT_OF_PLAIN },
    { "ceil", SHAPE_ONE, OP_CEIL, 0, RESULT_SAME },
    { "concurrent", SHAPE_RELATION, 0, 0, RESULT_NONE },
    { "count", SHAPE_AGGREGATE, OP_COUNT, 0, RESULT_NONE },
    { "cv", SHAPE_AGGREGATE, OP_CV, 0, RESULT_NONE },
    { "default", SHAPE_DEFAULT, OP_DEFAULT, 0, RESULT_SAME },
    { "defined", SHAPE_ONE, OP_DEFINED, 0, RESULT_NONE },
    { "first", SHAPE_AGGREGATE, OP_FIRST, 0, RESULT_SAME },
    { "floor", SHAPE_ONE, OP_FLOOR, 0, RESULT_SAME },
    { "last", SHAPE_AGGREGATE, OP_LAST, 0, RESULT_SAME },
    { "log2", SHAPE_ONE, OP_LOG2, 0, RESULT_OF_PLAIN },
    { "max", SHAPE_EXTREME, OP_MAX, OP_MAXIMUM, RESULT_SAME },
    { "mean", SHAPE_AGGREGATE, OP_MEAN, 0, RESULT_SAME },
    { "median", SHAPE_AGGREGATE, OP_MEDIAN, 0, RESULT_SAME },
    { "min", SHAPE_EXTREME, OP_MIN, OP_MINIMUM, RESULT_SAME },
    { "percentile", SHAPE_PERCENTILE, OP_PERCENTILE, 0, RESULT_SAME },
    { "precedes", SHAPE_RELATION, 0, 0, RESULT_NONE },
    { "sqrt", SHAPE_ONE, OP_SQRT, 0, RESULT_HALF },
    { "stddev", SHAPE_AGGREGATE, OP_STDDEV, 0, RESULT_SAME },
    { "sum", SHAPE_AGGREGATE, OP_SUM, 0, RESULT_SAME },
};

enum { N_FUNCTIONS = sizeof functions / sizeof *functions };

static const struct function *find_function(const char *name, size_t n)
{
    for (size_t i = 0; i < N_FUNCTIONS; i++) {
        if (strlen(functions[i].name) == n && memcmp(functions[i].name, name, n) == 0) {
            return &functions[i];
        }
    }
    return NULL;
}

bool mpl_is_function(const char *name, size_t n)
{
    return find_function(name, n) != NULL;
}

/* A call while it is read. */
struct call {
    const struct function *function; /* NULL for an unknown name */
    struct token name;
    uint32_t base; /* temporary places in use before */
    size_t start;  /* of its code */
    size_t second; /* of the code of the second argument */
    size_t n_args;
    struct operand result; /* of the arguments so far */
    struct operand p;      /* second argument of percentile */
};

static bool report_unknown(struct compiler *c, struct token token)
{
    const char *names[N_FUNCTIONS];
    const char *name = mpl_arena_strndup(c->arena, c->text + token.at, token.n);

    if (name == NULL) {
        c->status = MPL_E_NOMEM;
        return false;
    }
    for (size_t i = 0; i < N_FUNCTIONS; i++) {
        names[i] = functions[i].name;
    }

    const char *suggestion = mpl_suggest(name, names, N_FUNCTIONS);

    if (suggestion != NULL) {
        (void) mpl_formula_error(c, token.at, "unknown function '%s'; did you mean '%s'?",
                                 name, suggestion);
    } else {
        (void) mpl_formula_error(c, token.at, "unknown function '%s'", name);
    }
    return true;
}

/* ---- arguments ------------------------------------------------------------------- */

/* The literal; it has no instructions, so the last one makes what stands before it. */
static bool is_zero(const struct compiler *c, const struct operand *operand)
{
    return operand->where.source == SOURCE_CONST &&
           *(const double *) mpl_buf_get(&c->constants, operand->where.index) == 0;
}

/* min(a, b, c) is compiled as min(min(a, b), c). */
static bool fold_argument(struct compiler *c, struct call *call, size_t at,
                          const struct operand *argument)
{
    char what[16];
    const struct where operands[] = { call->result.where, argument->where };
    struct operand joined;

    (void) snprintf(what, sizeof what, "%s()", call->function->name);
    mpl_operand_join(c, at, &call->result, argument, &joined);
    mpl_operand_equal_units(c, at, what, &call->result, argument, &joined);
    call->result = joined;
    if (call->function->op == OP_DEFAULT && is_zero(c, argument) &&
        operands[0].source == SOURCE_TEMP && c->code.n > 0) {
        mpl_code_relax(c->code.data, c->code.n - 1);
    }
    return mpl_code_emit(c, call->function->op, operands, 2, &call->result.where);
}

static bool take_argument(struct compiler *c, struct call *call, size_t at,
                          const struct operand *argument)
{
    const struct function *f = call->function;

    call->n_args++;
    if (call->n_args == 1) {
        call->result = *argument;
        return true;
    }
    if (f != NULL && f->shape == SHAPE_PERCENTILE && call->n_args == 2) {
        call->p = *argument;
        return true;
    }
    if (f != NULL && (f->shape == SHAPE_EXTREME || f->shape == SHAPE_DEFAULT)) {
        return fold_argument(c, call, at, argument);
    }
    return true; /* too many arguments: reported by check_count() */
}

/* The arguments up to and with ')'. */
static bool parse_arguments(struct compiler *c, struct call *call)
{
    const size_t left = c->token.at;

    mpl_parse_advance(c);
    if (c->token.kind == TOKEN_RIGHT) {
        mpl_parse_advance(c);
        return true;
    }
    for (;;) {
        const size_t at = c->token.at;
        struct operand argument;

        if (call->n_args == 1) {
            call->second = c->code.n;
        } else if (call->n_args > 1) {
            c->n_temps = call->base + 1; /* superfluous arguments pile up nothing */
        }
        if (!mpl_parse_expression(c, &argument) || !take_argument(c, call, at, &argument)) {
            return false;
        }
        if (c->token.kind == TOKEN_END) {
            return mpl_formula_error(c, left, "'(' is never closed");
        }
        if (c->token.kind != TOKEN_COMMA && c->token.kind != TOKEN_RIGHT) {
            return mpl_parse_expected(c, "an operator, ',' or ')'");
        }

        const bool is_last = c->token.kind == TOKEN_RIGHT;

        mpl_parse_advance(c);
        if (is_last) {
            return true;
        }
    }
}

static bool check_count(struct compiler *c, const struct call *call)
{
    const struct function *f = call->function;
    const size_t least = f->shape == SHAPE_DEFAULT || f->shape == SHAPE_PERCENTILE ? 2 : 1;

    if (f->shape == SHAPE_EXTREME && call->n_args >= least) {
        return true;
    }
    if (f->shape == SHAPE_EXTREME) {
        return mpl_formula_error(c, call->name.at, "%s() needs at least one argument",
                                 f->name);
    }
    if (call->n_args == least) {
        return true;
    }
    return mpl_formula_error(c, call->name.at, "%s() takes %s, not %zu", f->name,
                             least == 1 ? "one argument" : "two arguments", call->n_args);
}

/* ---- results --------------------------------------------------------------------- */

static void set_unit(struct compiler *c, struct call *call)
{
    const struct function *f = call->function;
    struct operand *result = &call->result;
    char what[16];
    char unit[UNIT_TEXT_BYTES];

    (void) snprintf(what, sizeof what, "%s()", f->name);
    result->is_plain_number = false;
    result->is_condition = f->op == OP_DEFINED;
    switch (f->unit) {
    case RESULT_SAME:
        return;
    case RESULT_HALF:
        if (!result->is_bad &&
            (result->unit.seconds % 2 != 0 || result->unit.bytes % 2 != 0)) {
            (void) mpl_formula_error(c, call->name.at, "%s needs even powers, not %s", what,
                                     mpl_unit_text(result->unit, unit));
            result->is_bad = true;
        }
        result->unit.seconds /= 2;
        result->unit.bytes /= 2;
        return;
    case RESULT_OF_PLAIN:
        mpl_operand_need_plain(c, call->name.at, what, result);
        break;
    case RESULT_NONE:
        break;
    }
    result->unit = (struct mpl_unit){ 0, 0 };
    result->fits_any_unit = false;
}

static void check_aggregate(struct compiler *c, struct call *call, enum opcode op)
{
    struct operand *result = &call->result;

    if (result->is_bad) {
        return;
    }
    if (result->has_aggregate) {
        (void) mpl_formula_error(c, result->inside.at,
                                 "aggregate '%.*s' inside another aggregate",
                                 (int) result->inside.n, c->text + result->inside.at);
        result->is_bad = true;
    } else if (op == OP_COUNT && result->is_condition) {
        mpl_formula_warn(c, call->name.at,
                         "count() counts what is known, be it true or not; how often a "
                         "condition holds is sum(...)");
    } else if (!result->is_list) {
        mpl_formula_warn(c, call->name.at, "%s() of a single value, which is not repeated",
                         call->function->name);
    }
}

/* The code of the list becomes the body of a loop. */
static bool compile_aggregate(struct compiler *c, struct call *call, enum opcode op,
                              size_t body)
{
    struct operand *result = &call->result;
    const struct where p = call->n_args > 1 ? call->p.where : result->where;
    const bool is_varying = result->is_varying || (call->n_args > 1 && call->p.is_varying);
    const struct insn loop = { .op = (uint8_t) op,
                               .source = { (uint8_t) result->where.source,
                                           (uint8_t) p.source },
                               .index = { result->where.index, p.index },
                               .to = call->base,
                               .list = result->is_list ? result->slot : MPL_NONE,
                               .kept = is_varying ? MPL_NONE : c->n_kept++ };

    check_aggregate(c, call, op);
    set_unit(c, call);
    result->is_list = false;
    result->is_varying = is_varying;
    result->has_aggregate = true;
    result->inside = call->name;
    result->where = (struct where){ SOURCE_TEMP, call->base };
    return mpl_code_loop(c, body, loop);
}

static void check_p_range(struct compiler *c, struct call *call)
{
    const double p = *(const double *) mpl_buf_get(&c->constants, call->p.where.index);

    if (p < 0.0 || p > 100.0) {
        (void) mpl_formula_error(c, call->name.at,
                                 "percentile() goes from 0 to 100, not to %g", p);
        call->p.is_bad = true;
    } else if (p > 0.0 && p < 1.0) {
        mpl_formula_warn(c, call->name.at,
                         "percentile() counts from 0 to 100: of %g percent there is hardly "
                         "anything; did you mean %g?",
                         p, 100.0 * p);
    }
}

static void check_p(struct compiler *c, struct call *call)
{
    struct operand *p = &call->p;

    mpl_operand_need_plain(c, call->name.at, "the second argument of percentile()", p);
    if (!p->is_bad && p->is_list) {
        (void) mpl_formula_error(c, p->name.at,
                                 "the second argument of percentile() must not be a list");
        p->is_bad = true;
    }
    if (!p->is_bad && p->has_aggregate) {
        (void) mpl_formula_error(c, p->inside.at,
                                 "aggregate '%.*s' inside another aggregate",
                                 (int) p->inside.n, c->text + p->inside.at);
        p->is_bad = true;
    }
    if (!p->is_bad && p->where.source == SOURCE_CONST) {
        check_p_range(c, call);
    }
    call->result.is_bad = call->result.is_bad || p->is_bad;
}

/* p is put first: it is needed before the loop and is not part of it. */
static bool compile_percentile(struct compiler *c, struct call *call)
{
    const size_t n_p = c->code.n - call->second;

    check_p(c, call);
    mpl_code_rotate(c, call->start, call->second);
    return compile_aggregate(c, call, OP_PERCENTILE, call->start + n_p);
}

static bool compile_call(struct compiler *c, struct call *call)
{
    const struct function *f = call->function;

    switch (f->shape) {
    case SHAPE_ONE:
        set_unit(c, call);
        return mpl_code_emit(c, f->op, &call->result.where, 1, &call->result.where);
    case SHAPE_DEFAULT:
        return true;
    case SHAPE_EXTREME:
        return call->n_args > 1 ? true
                                : compile_aggregate(c, call, f->aggregate, call->start);
    case SHAPE_AGGREGATE:
        return compile_aggregate(c, call, f->op, call->start);
    case SHAPE_PERCENTILE:
        return compile_percentile(c, call);
    case SHAPE_RELATION:
        break; /* parse_relation() */
    }
    return true;
}

/* ---- relations ------------------------------------------------------------------- */

/* The next token is one of the two names, and the one behind it is as it must be. */
static bool take_related(struct compiler *c, const struct token *call, bool is_last,
                         struct token *name)
{
    *name = c->token;
    if (name->kind == TOKEN_NAME) {
        mpl_parse_advance(c);
        if (c->token.kind == (is_last ? TOKEN_RIGHT : TOKEN_COMMA)) {
            mpl_parse_advance(c);
            return true;
        }
    }
    return mpl_formula_error(c, c->token.kind == TOKEN_END ? call->at : c->token.at,
                             "%.*s() takes two names, as in %.*s(a, b)", (int) call->n,
                             c->text + call->at, (int) call->n, c->text + call->at);
}

static bool parse_relation(struct compiler *c, struct token call, struct operand *out)
{
    struct token of[2];

    mpl_parse_advance(c);
    if (!take_related(c, &call, false, &of[0]) || !take_related(c, &call, true, &of[1]) ||
        !mpl_parse_meaning(c, call, of, out)) {
        return false;
    }
    out->is_condition = true;
    return true;
}

bool mpl_parse_call(struct compiler *c, struct token name, struct operand *out)
{
    struct call call = { .function = find_function(c->text + name.at, name.n),
                         .name = name,
                         .base = c->n_temps,
                         .start = c->code.n };

    if (call.function != NULL && call.function->shape == SHAPE_RELATION) {
        return parse_relation(c, name, out);
    }
    if ((call.function == NULL && !report_unknown(c, name)) || !parse_arguments(c, &call)) {
        return false;
    }
    if (call.function == NULL || !check_count(c, &call)) {
        call.result =
            (struct operand){ .where = { SOURCE_TEMP, call.base }, .is_bad = true };
    } else if (!compile_call(c, &call)) {
        return false;
    }
    /* The result itself may be where it lies without a temporary place: max(a) of a. */
    c->n_temps = call.base + (call.result.where.source == SOURCE_TEMP);
    *out = call.result;
    return true;
}
