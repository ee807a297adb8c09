#include "config.h"

#include "formula/formula_priv.h"

#include <string.h>

static bool add(struct compiler *c, const struct insn *insn)
{
    /* Bodies are counted in 32 bits; a formula that long is 4 GB of text. */
    if (c->code.n >= UINT32_MAX - 1 || !mpl_buf_put(&c->code, insn)) {
        c->status = MPL_E_NOMEM;
        return false;
    }
    return true;
}

/*
 * The result takes the lowest place that its operands free, for places are used like a
 * stack: an operand that came later lies higher.
 */
static uint32_t place_of_result(const struct compiler *c, const struct where *operands,
                                size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (operands[i].source == SOURCE_TEMP) {
            return operands[i].index;
        }
    }
    return c->n_temps;
}

bool mpl_code_emit(struct compiler *c, enum opcode op, const struct where *operands,
                   size_t n, struct where *result)
{
    struct insn insn = { .op = (uint8_t) op };

    for (size_t i = 0; i < OPERANDS; i++) {
        /* Those that the operation has not are read all the same, but not used. */
        const struct where *operand = &operands[i < n ? i : 0];

        insn.source[i] = (uint8_t) operand->source;
        insn.index[i] = operand->index;
    }
    insn.to = place_of_result(c, operands, n);
    mpl_assert(insn.to < TEMP_LIMIT);
    *result = (struct where){ SOURCE_TEMP, insn.to };
    c->n_temps = insn.to + 1;
    return add(c, &insn);
}

/* Rows that the body of an aggregate needs: its places, counted from that of the result. */
static uint32_t rows_of(const struct insn *body, size_t n, uint32_t first)
{
    uint32_t rows = 0;

    for (size_t i = 0; i < n; i++) {
        rows = body[i].to - first >= rows ? body[i].to - first + 1 : rows;
    }
    return rows;
}

bool mpl_code_insert(struct compiler *c, size_t at, size_t n_body, struct insn insn)
{
    const size_t n_behind = c->code.n - at;

    mpl_assert(insn.to < TEMP_LIMIT);
    if (!add(c, &insn)) {
        return false;
    }

    struct insn *place = (struct insn *) c->code.data + at;

    memmove(place + 1, place, n_behind * sizeof *place);
    *place = insn;
    place->n_body = (uint32_t) n_body;
    return true;
}

/* Elements are computed block by block: what decides for one of them does not for the next. */
static void remove_guards(struct compiler *c, size_t from)
{
    struct insn *code = c->code.data;
    size_t n = from;

    for (size_t i = from; i < c->code.n; i++) {
        if (code[i].op < OP_FIRST_GUARD || code[i].op >= OP_FIRST_AGGREGATE) {
            code[n] = code[i];
            code[n++].n_body = 0;
        }
    }
    c->code.n = n;
}

void mpl_code_relax(struct insn *code, size_t at)
{
    /* Down the left sides, of which there may be a million; right sides are as deep as parentheses. */
    while ((code[at].op == OP_AND || code[at].op == OP_OR) && code[at].n_body > 0) {
        const struct insn *insn = &code[at];
        const size_t guard = at - insn->n_body;

        if (insn->op == OP_AND) {
            code[guard].op = OP_IF_TRUE;
        }
        if (insn->source[1] == SOURCE_TEMP) {
            mpl_code_relax(code, at - 1);
        }
        if (insn->source[0] != SOURCE_TEMP || guard == 0) {
            return;
        }
        at = guard - 1;
    }
}

bool mpl_code_loop(struct compiler *c, size_t body, struct insn aggregate)
{
    remove_guards(c, body);
    if (!mpl_code_insert(c, body, c->code.n - body, aggregate)) {
        return false;
    }

    struct insn *at = (struct insn *) c->code.data + body;

    at->n_rows = rows_of(at + 1, at->n_body, at->to);
    return true;
}

static void reverse(struct insn *code, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        const struct insn swapped = code[i];

        code[i] = code[n - 1 - i];
        code[n - 1 - i] = swapped;
    }
}

void mpl_code_rotate(struct compiler *c, size_t from, size_t middle)
{
    const size_t n_left = middle - from;
    const size_t n_right = c->code.n - middle;

    if (n_left > 0 && n_right > 0) {
        struct insn *code = (struct insn *) c->code.data + from;

        reverse(code, n_left);
        reverse(code + n_left, n_right);
        reverse(code, n_left + n_right);
    }
}
