#include "config.h"

#include "formula/formula_priv.h"

#include <stdlib.h>
#include <string.h>

enum { TOKEN_TEXT_BYTES = 64 };

/* "'x'" of the next token, or "the end". */
static const char *token_text(const struct compiler *c, char text[TOKEN_TEXT_BYTES])
{
    const struct token *token = &c->token;
    const bool is_long = token->n > 40;

    if (token->kind == TOKEN_END) {
        return "the end";
    }
    (void) snprintf(text, TOKEN_TEXT_BYTES, "'%.*s%s'", is_long ? 40 : (int) token->n,
                    c->text + token->at, is_long ? "..." : "");
    return text;
}

/* ---- tokens ----------------------------------------------------------------------- */

void mpl_parse_advance(struct compiler *c)
{
    c->token = mpl_lexer_next(&c->lexer);
}

/* Bad tokens fit nowhere, so they all come by here, after whatever is wrong before them. */
bool mpl_parse_expected(struct compiler *c, const char *what)
{
    char text[TOKEN_TEXT_BYTES];

    if (c->token.kind == TOKEN_BAD) {
        return mpl_formula_error(c, c->token.at, "%s", c->lexer.fault);
    }
    return mpl_formula_error(c, c->token.at, "expected %s before %s", what,
                             token_text(c, text));
}

/* One level deeper; false with a message beyond the limit. */
static bool descend(struct compiler *c)
{
    if (c->nesting > NESTING_LIMIT) {
        return mpl_formula_error(c, c->token.at, "nested deeper than %d levels",
                                 NESTING_LIMIT);
    }
    c->nesting++;
    return true;
}

/* ---- names and numbers --------------------------------------------------------------- */

static bool parse_number(struct compiler *c, struct operand *out)
{
    const struct token *token = &c->token;

    if (!mpl_buf_put(&c->constants, &token->number)) {
        c->status = MPL_E_NOMEM;
        return false;
    }
    *out = (struct operand){
        .where = { SOURCE_CONST, (uint32_t) (c->constants.n - 1) },
        .unit = token->unit,
        .fits_any_unit = token->number == 0.0 && !token->has_unit,
        .is_plain_number = !token->has_unit,
    };
    mpl_parse_advance(c);
    return true;
}

static void report_unknown(struct compiler *c, struct token token, const char *name,
                           const char *suggestion, const char *reason)
{
    struct mpl_unit unit;
    double factor;
    int exponent10;

    if (reason != NULL) {
        (void) mpl_formula_error(c, token.at, "%s", reason);
    } else if (suggestion != NULL) {
        (void) mpl_formula_error(c, token.at, "unknown name '%s'; did you mean '%s'?", name,
                                 suggestion);
    } else if (mpl_is_function(name, token.n)) {
        (void) mpl_formula_error(c, token.at, "'%s' is a function; it needs parentheses",
                                 name);
    } else if (mpl_unit_of_name(name, token.n, &unit, &factor, &exponent10)) {
        (void) mpl_formula_error(c, token.at,
                                 "'%s' is a unit; it stands behind a number, as in 5 %s",
                                 name, name);
    } else {
        (void) mpl_formula_error(c, token.at, "unknown name '%s'", name);
    }
}

static const char *text_of(struct compiler *c, struct token token)
{
    const char *text = mpl_arena_strndup(c->arena, c->text + token.at, token.n);

    if (text == NULL) {
        c->status = MPL_E_NOMEM;
    }
    return text;
}

/* Asks the callback. False: out of memory. */
static bool look_up(struct compiler *c, struct token token, const struct token *of,
                    struct mpl_formula_name *meaning, bool *is_known)
{
    const char *suggestion = NULL;
    const char *reason = NULL;
    const char *name = text_of(c, token);

    for (int i = 0; i < 2 && of != NULL && name != NULL; i++) {
        meaning->of[i] = text_of(c, of[i]);
        name = meaning->of[i] == NULL ? NULL : name;
    }
    if (name == NULL) {
        return false;
    }

    const enum mpl_status st = c->lookup(c->context, name, meaning, &suggestion, &reason);

    *is_known = st == MPL_OK;
    if (st == MPL_E_MEANING && of != NULL && meaning->wrong > 0) {
        report_unknown(c, of[meaning->wrong - 1], meaning->of[meaning->wrong - 1],
                       suggestion, reason);
    } else if (st == MPL_E_MEANING) {
        report_unknown(c, token, name, suggestion, reason);
    } else if (st != MPL_OK) {
        c->status = st;
    }
    return st == MPL_OK || st == MPL_E_MEANING;
}

bool mpl_parse_meaning(struct compiler *c, struct token token, const struct token *of,
                       struct operand *out)
{
    struct mpl_formula_name meaning = { 0 };
    bool is_known = false;

    if (!look_up(c, token, of, &meaning, &is_known)) {
        return false;
    }
    *out = (struct operand){ .where = { meaning.is_list ? SOURCE_LIST : SOURCE_SCALAR,
                                        meaning.slot },
                             .is_bad = !is_known,
                             .is_list = meaning.is_list,
                             .is_varying = !meaning.is_fixed,
                             .unit = meaning.unit,
                             .group = meaning.group,
                             .slot = meaning.slot,
                             .name = token };
    if (!mpl_buf_put(meaning.is_list ? &c->lists : &c->scalars, &meaning.slot)) {
        c->status = MPL_E_NOMEM;
    }
    return c->status == MPL_OK;
}

static bool parse_name(struct compiler *c, struct operand *out)
{
    const struct token token = c->token;

    mpl_parse_advance(c);
    return c->token.kind == TOKEN_LEFT ? mpl_parse_call(c, token, out)
                                       : mpl_parse_meaning(c, token, NULL, out);
}

/* ---- expressions ------------------------------------------------------------------ */

static bool parse_parenthesis(struct compiler *c, struct operand *out)
{
    const size_t left = c->token.at;

    mpl_parse_advance(c);
    if (!mpl_parse_expression(c, out)) {
        return false;
    }
    if (c->token.kind == TOKEN_END) {
        return mpl_formula_error(c, left, "'(' is never closed");
    }
    if (c->token.kind != TOKEN_RIGHT) {
        return mpl_parse_expected(c, "an operator or ')'");
    }
    out->is_plain_number = false;
    mpl_parse_advance(c);
    return true;
}

static bool parse_primary(struct compiler *c, struct operand *out)
{
    switch (c->token.kind) {
    case TOKEN_NUMBER:
        return parse_number(c, out);
    case TOKEN_NAME:
        return parse_name(c, out);
    case TOKEN_LEFT:
        return parse_parenthesis(c, out);
    case TOKEN_NOT:
        return mpl_formula_error(c, c->token.at, "'not' needs parentheses here: (not ...)");
    default:
        return mpl_parse_expected(c, "a value");
    }
}

static bool parse_unary(struct compiler *c, struct operand *out)
{
    if (c->token.kind != TOKEN_MINUS) {
        return parse_primary(c, out);
    }
    if (!descend(c)) {
        return false;
    }
    mpl_parse_advance(c);
    if (!parse_unary(c, out)) {
        return false;
    }
    c->nesting--;
    if (out->where.source == SOURCE_CONST) {
        double *constant = mpl_buf_get(&c->constants, out->where.index);

        *constant = -*constant;
        return true;
    }
    return mpl_code_emit(c, OP_NEGATE, &out->where, 1, &out->where);
}

/* Weakest first. NOT is a prefix, but its rank lies between AND and the comparisons. */
enum rank { RANK_OR, RANK_AND, RANK_NOT, RANK_COMPARE, RANK_SUM, RANK_PRODUCT, RANK_UNARY };

enum unit_rule { UNIT_PLAIN, UNIT_COMPARE, UNIT_EQUAL, UNIT_PRODUCT, UNIT_QUOTIENT };

struct binary {
    enum rank rank;
    enum opcode op;
    enum unit_rule rule;
    const char *quoted;
};

static const struct binary *binary_of(enum token_kind kind)
{
    static const struct binary table[] = {
        { RANK_OR, OP_OR, UNIT_PLAIN, "'or'" },
        { RANK_AND, OP_AND, UNIT_PLAIN, "'and'" },
        { RANK_COMPARE, OP_EQ, UNIT_COMPARE, "'=='" },
        { RANK_COMPARE, OP_NE, UNIT_COMPARE, "'!='" },
        { RANK_COMPARE, OP_LT, UNIT_COMPARE, "'<'" },
        { RANK_COMPARE, OP_LE, UNIT_COMPARE, "'<='" },
        { RANK_COMPARE, OP_GT, UNIT_COMPARE, "'>'" },
        { RANK_COMPARE, OP_GE, UNIT_COMPARE, "'>='" },
        { RANK_SUM, OP_ADD, UNIT_EQUAL, "'+'" },
        { RANK_SUM, OP_SUBTRACT, UNIT_EQUAL, "'-'" },
        { RANK_PRODUCT, OP_MULTIPLY, UNIT_PRODUCT, "'*'" },
        { RANK_PRODUCT, OP_DIVIDE, UNIT_QUOTIENT, "'/'" },
        { RANK_PRODUCT, OP_MODULO, UNIT_EQUAL, "'%'" },
    };

    return kind >= TOKEN_OR && kind <= TOKEN_MODULO ? &table[kind - TOKEN_OR] : NULL;
}

static void check_binary(struct compiler *c, const struct binary *binary, size_t at,
                         struct operand *left, struct operand *right, struct operand *out)
{
    if (binary->rule == UNIT_PLAIN) {
        mpl_operand_need_plain(c, at, binary->quoted, left);
        mpl_operand_need_plain(c, at, binary->quoted, right);
    }
    mpl_operand_join(c, at, left, right, out);
    switch (binary->rule) {
    case UNIT_PLAIN:
        out->unit = (struct mpl_unit){ 0, 0 };
        break;
    case UNIT_COMPARE:
        mpl_operand_equal_units(c, at, binary->quoted, left, right, out);
        out->unit = (struct mpl_unit){ 0, 0 };
        out->fits_any_unit = false;
        break;
    case UNIT_EQUAL:
        mpl_operand_equal_units(c, at, binary->quoted, left, right, out);
        break;
    case UNIT_PRODUCT:
        mpl_operand_product(c, at, 1, left, right, out);
        break;
    case UNIT_QUOTIENT:
        mpl_operand_product(c, at, -1, left, right, out);
        break;
    }
}

/* What is not needed may aggregate long lists, or read what is costly to find. */
static bool pass_over(struct compiler *c, enum opcode op, size_t right_code,
                      struct where left, struct where result)
{
    const struct insn insn = {
        .op = op == OP_AND ? OP_UNLESS_FALSE : OP_UNLESS_TRUE,
        .source = { (uint8_t) left.source },
        .index = { left.index },
        .to = result.index,
    };

    if (op != OP_AND && op != OP_OR) {
        return true;
    }
    if (!mpl_code_insert(c, right_code, c->code.n - right_code, insn)) {
        return false;
    }

    struct insn *code = c->code.data;

    code[c->code.n - 1].n_body = code[right_code].n_body;
    return true;
}

/* \p right_code is where the instructions of the right side begin. */
static bool compile_binary(struct compiler *c, const struct binary *binary, size_t at,
                           size_t right_code, struct operand *left, struct operand *right,
                           struct operand *out)
{
    const struct where operands[] = { left->where, right->where };
    struct operand result;

    check_binary(c, binary, at, left, right, &result);
    result.is_condition = binary->rule == UNIT_COMPARE || binary->rule == UNIT_PLAIN;
    *out = result;
    return mpl_code_emit(c, binary->op, operands, 2, &out->where) &&
           pass_over(c, binary->op, right_code, operands[0], out->where);
}

static bool parse_binary(struct compiler *c, enum rank rank, struct operand *out);

static bool parse_not(struct compiler *c, struct operand *out)
{
    const size_t at = c->token.at;

    if (!descend(c)) {
        return false;
    }
    mpl_parse_advance(c);
    if (!parse_binary(c, RANK_NOT, out)) {
        return false;
    }
    c->nesting--;
    mpl_operand_need_plain(c, at, "'not'", out);
    out->fits_any_unit = false;
    out->is_plain_number = false;
    out->is_condition = true;
    return mpl_code_emit(c, OP_NOT, &out->where, 1, &out->where);
}

/* Operators of at least \p rank, those of one rank from left to right in a loop. */
static bool parse_binary(struct compiler *c, enum rank rank, struct operand *out)
{
    const bool is_not = c->token.kind == TOKEN_NOT && rank <= RANK_NOT;
    const struct binary *binary;
    bool was_comparison = false;

    if (is_not ? !parse_not(c, out) : !parse_unary(c, out)) {
        return false;
    }
    while ((binary = binary_of(c->token.kind)) != NULL && binary->rank >= rank) {
        const size_t at = c->token.at;
        const size_t right_code = c->code.n;
        struct operand right;

        if (was_comparison && binary->rank == RANK_COMPARE) {
            return mpl_formula_error(c, at,
                                     "comparisons form no chain; write 'a < b and b < c'");
        }
        was_comparison = binary->rank == RANK_COMPARE;
        mpl_parse_advance(c);
        if (!parse_binary(c, binary->rank + 1, &right) ||
            !compile_binary(c, binary, at, right_code, out, &right, out)) {
            return false;
        }
    }
    return true;
}

/* An arm without instructions is a constant or a name, which costs nothing unless it is read. */
static bool guard_arm(struct compiler *c, enum opcode op, struct where condition, size_t at,
                      size_t n, const struct operand *arm)
{
    const struct insn insn = {
        .op = (uint8_t) op,
        .source = { (uint8_t) condition.source },
        .index = { condition.index },
        .to = arm->where.index,
    };

    return n == 0 || arm->where.source != SOURCE_TEMP || mpl_code_insert(c, at, n, insn);
}

static bool compile_choice(struct compiler *c, size_t at, struct operand *condition,
                           const struct operand *yes, const struct operand *no,
                           struct operand *out)
{
    const struct where operands[] = { condition->where, yes->where, no->where };
    struct operand arms;

    mpl_operand_need_plain(c, at, "the condition of '?:'", condition);
    mpl_operand_join(c, at, yes, no, &arms);
    mpl_operand_equal_units(c, at, "the choice '?:'", yes, no, &arms);
    mpl_operand_join(c, at, &arms, condition, out);
    out->unit = arms.unit;
    out->fits_any_unit = arms.fits_any_unit;
    return mpl_code_emit(c, OP_CHOOSE, operands, 3, &out->where);
}

/* Behind the condition; '?' is next. */
static bool parse_choice(struct compiler *c, struct operand *out)
{
    const size_t at = c->token.at;
    struct operand condition = *out;
    struct operand yes, no;
    const size_t yes_code = c->code.n;

    mpl_parse_advance(c);
    if (!mpl_parse_expression(c, &yes)) {
        return false;
    }
    if (c->token.kind == TOKEN_END) {
        return mpl_formula_error(c, at, "'?' without ':'");
    }
    if (c->token.kind != TOKEN_COLON) {
        return mpl_parse_expected(c, "an operator or ':'");
    }

    const size_t no_code = c->code.n;

    mpl_parse_advance(c);
    /* The later one first: it moves nothing that the other one refers to. */
    return mpl_parse_expression(c, &no) &&
           guard_arm(c, OP_ONLY_FALSE, condition.where, no_code, c->code.n - no_code,
                     &no) &&
           guard_arm(c, OP_ONLY_TRUE, condition.where, yes_code, no_code - yes_code,
                     &yes) &&
           compile_choice(c, at, &condition, &yes, &no, out);
}

bool mpl_parse_expression(struct compiler *c, struct operand *out)
{
    if (!descend(c) || !parse_binary(c, RANK_OR, out)) {
        return false;
    }
    if (c->token.kind == TOKEN_QUESTION && !parse_choice(c, out)) {
        return false;
    }
    c->nesting--;
    return true;
}

/* ---- the whole ----------------------------------------------------------------------- */

static bool parse_whole(struct compiler *c, struct operand *out)
{
    mpl_parse_advance(c);
    if (c->token.kind == TOKEN_END) {
        return mpl_formula_error(c, 0, "the formula is empty");
    }
    if (!mpl_parse_expression(c, out)) {
        return false;
    }
    if (c->token.kind == TOKEN_RIGHT) {
        return mpl_formula_error(c, c->token.at, "')' without '('");
    }
    if (c->token.kind != TOKEN_END) {
        return mpl_parse_expected(c, "an operator");
    }
    if (out->is_list && !out->is_bad) {
        (void) mpl_formula_error(c, out->name.at,
                                 "'%.*s' is repeated; use it inside sum(), mean(), ...",
                                 (int) out->name.n, c->text + out->name.at);
    }
    return true;
}

/* The noted slots, each once, ascending. */
static const uint32_t *collect_slots(struct mpl_buf *noted, struct mpl_arena *arena,
                                     size_t *n)
{
    const size_t n_noted = noted->n;
    uint32_t *slots = mpl_buf_take(noted, arena);
    size_t kept = 0;

    if (slots == NULL) {
        return NULL;
    }
    if (n_noted > 1) {
        qsort(slots, n_noted, sizeof *slots, mpl_compare_u32);
    }
    for (size_t i = 0; i < n_noted; i++) {
        if (i == 0 || slots[i] != slots[i - 1]) {
            slots[kept++] = slots[i];
        }
    }
    *n = kept;
    return slots;
}

static enum mpl_status finish(struct compiler *c, const struct operand *result,
                              const struct mpl_formula **out, struct mpl_err *err)
{
    struct mpl_formula *formula = MPL_NEW(c->arena, struct mpl_formula);

    if (formula == NULL) {
        return mpl_nomem(err);
    }
    formula->result = result->where;
    formula->unit = result->unit;
    formula->n_kept = c->n_kept;
    formula->n_code = c->code.n;
    formula->code = mpl_buf_take(&c->code, c->arena);
    formula->constants = mpl_buf_take(&c->constants, c->arena);
    formula->scalars = collect_slots(&c->scalars, c->arena, &formula->n_scalars);
    formula->lists = collect_slots(&c->lists, c->arena, &formula->n_lists);
    if (formula->code == NULL || formula->constants == NULL || formula->scalars == NULL ||
        formula->lists == NULL) {
        return mpl_nomem(err);
    }
    *out = formula;
    return MPL_OK;
}

enum mpl_status mpl_formula_compile(const char *text, struct mpl_place place,
                                    bool is_inline, mpl_formula_lookup *lookup,
                                    void *context, struct mpl_arena *arena,
                                    struct mpl_lint *lint, const struct mpl_formula **out,
                                    struct mpl_err *err)
{
    struct compiler c = {
        .text = text,
        .place = place,
        .is_inline = is_inline,
        .lookup = lookup,
        .context = context,
        .arena = arena,
        .lint = lint,
        .lexer = { .text = text },
        .code = mpl_buf_make(sizeof(struct insn)),
        .constants = mpl_buf_make(sizeof(double)),
        .scalars = mpl_buf_make(sizeof(uint32_t)),
        .lists = mpl_buf_make(sizeof(uint32_t)),
        .status = MPL_OK,
    };
    struct operand result = { 0 };
    enum mpl_status st;

    (void) parse_whole(&c, &result);
    if (c.status == MPL_E_NOMEM) {
        st = mpl_nomem(err);
    } else if (c.status != MPL_OK) {
        st =
            mpl_fail(err, c.status, "a name in the formula '%s' cannot be looked up", text);
    } else if (c.n_errors > 0) {
        st = mpl_fail(err, MPL_E_SYNTAX, "the formula '%s' has %u error%s", text,
                      c.n_errors, c.n_errors == 1 ? "" : "s");
    } else {
        st = finish(&c, &result, out, err);
    }
    mpl_buf_free(&c.code);
    mpl_buf_free(&c.constants);
    mpl_buf_free(&c.scalars);
    mpl_buf_free(&c.lists);
    return st;
}

const struct mpl_formula *mpl_formula_condition(const struct mpl_formula *formula,
                                                struct mpl_arena *arena)
{
    struct mpl_formula *condition = MPL_NEW(arena, struct mpl_formula);
    struct insn *code = MPL_NEW_ARRAY(arena, formula->n_code, struct insn);

    if (condition == NULL || code == NULL) {
        return NULL;
    }
    *condition = *formula;
    if (formula->n_code > 0) {
        memcpy(code, formula->code, formula->n_code * sizeof *code);
    }
    if (formula->result.source == SOURCE_TEMP) {
        mpl_code_relax(code, formula->n_code - 1);
    }
    condition->code = code;
    return condition;
}

struct mpl_unit mpl_formula_unit(const struct mpl_formula *formula)
{
    return formula->unit;
}

uint32_t mpl_formula_presence(const struct mpl_formula *formula, bool *is_absent)
{
    const struct insn *code = formula->code;

    *is_absent = formula->n_code == 2 && code[1].op == OP_NOT;
    return (formula->n_code == 1 || *is_absent) && code[0].op == OP_DEFINED &&
                   code[0].source[0] == SOURCE_SCALAR
               ? code[0].index[0]
               : MPL_NONE;
}

const uint32_t *mpl_formula_scalars(const struct mpl_formula *formula, size_t *n)
{
    *n = formula->n_scalars;
    return formula->scalars;
}

const uint32_t *mpl_formula_lists(const struct mpl_formula *formula, size_t *n)
{
    *n = formula->n_lists;
    return formula->lists;
}

bool mpl_formula_slot(const struct mpl_formula *formula, size_t i, uint32_t *slot)
{
    if (formula == NULL || i >= formula->n_scalars + formula->n_lists) {
        return false;
    }
    *slot = i < formula->n_scalars ? formula->scalars[i]
                                   : formula->lists[i - formula->n_scalars];
    return true;
}

static bool is_comparison(enum opcode op)
{
    return op == OP_EQ || op == OP_NE || op == OP_LT || op == OP_LE || op == OP_GT ||
           op == OP_GE;
}

static bool is_place_at(const struct insn *insn, int k, const bool *is_place)
{
    return is_place != NULL && insn->source[k] == SOURCE_SCALAR && is_place[insn->index[k]];
}

bool mpl_formula_is_coarse(const struct mpl_formula *formula, uint32_t slot,
                           const bool *is_place)
{
    for (size_t i = 0; i < formula->n_code; i++) {
        const struct insn *insn = &formula->code[i];
        const bool is_coarse = insn->op == OP_DEFINED ||
                               (insn->op == OP_COUNT && insn->n_body == 0) ||
                               (is_comparison(insn->op) && is_place_at(insn, 0, is_place) &&
                                is_place_at(insn, 1, is_place));

        for (int k = 0; k < OPERANDS; k++) {
            if ((insn->source[k] == SOURCE_LIST || insn->source[k] == SOURCE_SCALAR) &&
                insn->index[k] == slot && !is_coarse) {
                return false;
            }
        }
    }
    return formula->result.source != SOURCE_SCALAR || formula->result.index != slot;
}
