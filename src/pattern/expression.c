/*
 * The syntax of expressions, loosest binding first:
 *
 *   choice     = concurrent { "|" concurrent }
 *   concurrent = sequence { "&" sequence }
 *   sequence   = repeated { repeated }
 *   repeated   = ( name | "(" choice ")" ) { "+" | "*" | "?" }
 */
#include "config.h"

#include "pattern/automaton.h"

#include <ctype.h>
#include <string.h>

/* ---- nodes ----------------------------------------------------------------------- */

const struct mpl_node *mpl_expression_get(const struct mpl_expression *expression,
                                          uint32_t node)
{
    return mpl_buf_get(&expression->nodes, node);
}

static bool nullable(const struct mpl_expression *e, enum mpl_node_kind kind, uint32_t a,
                     uint32_t b)
{
    switch (kind) {
    case MPL_NODE_EMPTY:
    case MPL_NODE_STAR:
        return true;
    case MPL_NODE_MEMBER:
        return false;
    case MPL_NODE_PLUS:
        return mpl_expression_get(e, a)->is_nullable;
    case MPL_NODE_CHOICE:
        return mpl_expression_get(e, a)->is_nullable ||
               mpl_expression_get(e, b)->is_nullable;
    default:
        return mpl_expression_get(e, a)->is_nullable &&
               mpl_expression_get(e, b)->is_nullable;
    }
}

static uint64_t members_of(const struct mpl_expression *e, enum mpl_node_kind kind,
                           uint32_t a, uint32_t b)
{
    switch (kind) {
    case MPL_NODE_EMPTY:
        return 0;
    case MPL_NODE_MEMBER:
        return UINT64_C(1) << a;
    case MPL_NODE_STAR:
    case MPL_NODE_PLUS:
        return mpl_expression_get(e, a)->members;
    default:
        return mpl_expression_get(e, a)->members | mpl_expression_get(e, b)->members;
    }
}

static bool is_empty(const struct mpl_expression *e, uint32_t node)
{
    return mpl_expression_get(e, node)->kind == MPL_NODE_EMPTY;
}

/*
 * An equal node of simpler form, or MPL_NONE. Without these rules an expression has many more
 * derivatives than it needs: (a+)+ would keep every sign that it was written with.
 */
static uint32_t simplify(const struct mpl_expression *e, enum mpl_node_kind kind,
                         uint32_t a, uint32_t b)
{
    const bool is_joint = kind == MPL_NODE_SEQUENCE || kind == MPL_NODE_CONCURRENT;
    const bool is_repeated = kind == MPL_NODE_STAR || kind == MPL_NODE_PLUS;

    if (is_joint && is_empty(e, a)) {
        return b;
    }
    if (is_joint && is_empty(e, b)) {
        return a;
    }
    if (is_repeated &&
        (is_empty(e, a) || mpl_expression_get(e, a)->kind == MPL_NODE_STAR)) {
        return a;
    }
    if (kind == MPL_NODE_PLUS && mpl_expression_get(e, a)->kind == MPL_NODE_PLUS) {
        return a;
    }
    return MPL_NONE;
}

uint32_t mpl_expression_node(struct mpl_expression *e, enum mpl_node_kind kind, uint32_t a,
                             uint32_t b)
{
    const uint32_t simple = simplify(e, kind, a, b);

    if (simple != MPL_NONE) {
        return simple;
    }
    if (kind == MPL_NODE_STAR && mpl_expression_get(e, a)->kind == MPL_NODE_PLUS) {
        return mpl_expression_node(e, MPL_NODE_STAR, mpl_expression_get(e, a)->a, 0);
    }
    if (kind == MPL_NODE_SEQUENCE && mpl_expression_get(e, a)->kind == MPL_NODE_SEQUENCE) {
        const struct mpl_node left = *mpl_expression_get(e, a);
        const uint32_t tail = mpl_expression_node(e, MPL_NODE_SEQUENCE, left.b, b);

        return tail == MPL_NONE ? tail
                                : mpl_expression_node(e, MPL_NODE_SEQUENCE, left.a, tail);
    }

    /* Numbers stay far below 2^30: states and symbols are limited. */
    const uint64_t key = (uint64_t) kind << 60 | (uint64_t) a << 30 | b;
    const uint32_t known = mpl_map_find(e->numbers, key);

    if (known != MPL_NONE) {
        return known;
    }

    const uint32_t number = (uint32_t) e->nodes.n;
    const struct mpl_node node = { kind, a, b, nullable(e, kind, a, b),
                                   members_of(e, kind, a, b) };

    return mpl_buf_put(&e->nodes, &node) && mpl_map_put(e->numbers, key, number) ? number
                                                                                 : MPL_NONE;
}

void mpl_expression_free(struct mpl_expression *expression)
{
    mpl_buf_free(&expression->nodes);
    mpl_map_destroy(expression->numbers);
    expression->numbers = NULL;
}

/* ---- parser ------------------------------------------------------------------------ */

struct parser {
    const struct mpl_expression_text *source;
    struct mpl_lint *lint;
    struct mpl_expression *out;
    const char *at;
    unsigned n_symbols;
    unsigned n_beside; /* members of other locations beside & */
    unsigned depth;
    bool has_fault; /* reported to lint */
    bool has_no_memory;
};

static struct mpl_place place_of(const struct parser *p, const char *at)
{
    struct mpl_place place = p->source->place;

    if (p->source->is_inline && place.column > 0) {
        place.column += (unsigned) (at - p->source->text);
    }
    return place;
}

/* One fault of syntax ends the parsing: what follows would be guesswork. */
static void stop(struct parser *p, const char *at, const char *what)
{
    if (!p->has_fault) {
        mpl_lint_add(p->lint, MPL_LINT_ERROR, place_of(p, at), "expression: %s", what);
    }
    p->has_fault = true;
    p->at += strlen(p->at);
}

static char peek(struct parser *p)
{
    while (isspace((unsigned char) *p->at)) {
        p->at++;
    }
    return *p->at;
}

static uint32_t make(struct parser *p, enum mpl_node_kind kind, uint32_t a, uint32_t b)
{
    if (a == MPL_NONE || b == MPL_NONE) {
        return MPL_NONE;
    }

    const uint32_t node = mpl_expression_node(p->out, kind, a, b);

    if (node == MPL_NONE) {
        p->has_no_memory = true;
        p->at += strlen(p->at);
    }
    return node;
}

static bool is_name_start(char c)
{
    return isalpha((unsigned char) c) || c == '_';
}

static uint32_t find_member(const struct parser *p, const char *name, size_t n)
{
    for (size_t i = 0; i < p->source->n_members; i++) {
        const char *member = p->source->members[i];

        if (strncmp(member, name, n) == 0 && member[n] == '\0') {
            return (uint32_t) i;
        }
    }
    return MPL_NONE;
}

/* An unknown name is a fault, but the rest can still be read: MPL_NODE_EMPTY stands for it. */
static uint32_t parse_name(struct parser *p)
{
    const char *start = p->at;
    char name[64];

    while (isalnum((unsigned char) *p->at) || *p->at == '_') {
        p->at++;
    }

    const size_t n = (size_t) (p->at - start);
    const uint32_t member = find_member(p, start, n);

    if (++p->n_symbols > MPL_SYMBOLS_MAX) {
        stop(p, start, "more than 1,000 names");
        return MPL_NONE;
    }
    if (member != MPL_NONE) {
        return make(p, MPL_NODE_MEMBER, member, 0);
    }
    (void) snprintf(name, sizeof name, "%.*s", (int) (n < 60 ? n : 60), start);

    const char *near = mpl_suggest(name, p->source->members, p->source->n_members);

    mpl_lint_add(p->lint, MPL_LINT_ERROR, place_of(p, start),
                 "expression: '%s' is not among the members%s%s%s", name,
                 near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                 near != NULL ? "'?" : "");
    p->has_fault = true;
    return make(p, MPL_NODE_EMPTY, 0, 0);
}

static uint32_t parse_choice(struct parser *p);

static uint32_t parse_group(struct parser *p)
{
    const char *open = p->at++;

    if (++p->depth > MPL_NESTING_MAX) {
        stop(p, open, "parentheses nested more than 64 deep");
        return MPL_NONE;
    }

    const uint32_t node = parse_choice(p);

    p->depth--;
    if (p->has_no_memory || node == MPL_NONE) {
        return MPL_NONE;
    }
    if (peek(p) != ')') {
        stop(p, open, "this parenthesis is not closed");
        return MPL_NONE;
    }
    p->at++;
    return node;
}

static uint32_t repeat(struct parser *p, uint32_t node, char c)
{
    if (c == '+') {
        return make(p, MPL_NODE_PLUS, node, 0);
    }
    if (c == '*') {
        return make(p, MPL_NODE_STAR, node, 0);
    }
    return make(p, MPL_NODE_CHOICE, node, make(p, MPL_NODE_EMPTY, 0, 0));
}

static uint32_t parse_repeated(struct parser *p)
{
    const char c = peek(p);
    const unsigned n_beside = p->n_beside;
    uint32_t node;

    if (c == '(') {
        node = parse_group(p);
    } else if (is_name_start(c)) {
        node = parse_name(p);
    } else {
        stop(p, p->at,
             c == '\0'  ? "ends where a member is expected"
             : c == ')' ? "')' where a member is expected"
                        : "a member (a name) or '(' is expected here");
        return MPL_NONE;
    }

    char sign = peek(p);

    while (node != MPL_NONE && (sign == '+' || sign == '*' || sign == '?')) {
        if (++p->n_symbols > MPL_SYMBOLS_MAX) {
            stop(p, p->at, "more than 1,000 names and signs");
            return MPL_NONE;
        }
        if (sign != '?' && p->n_beside > n_beside) {
            stop(p, p->at, "what is concurrent across locations cannot be repeated");
            return MPL_NONE;
        }
        p->at++;
        node = repeat(p, node, sign);
        sign = peek(p);
    }
    return node;
}

/* Sequences lean to the right, so that what is left of one after an event is its tail. */
static uint32_t parse_sequence(struct parser *p)
{
    struct mpl_buf parts = mpl_buf_make(sizeof(uint32_t));
    uint32_t node = MPL_NONE;

    do {
        const uint32_t part = parse_repeated(p);

        if (part == MPL_NONE || !mpl_buf_put(&parts, &part)) {
            p->has_no_memory = p->has_no_memory || part != MPL_NONE;
            mpl_buf_free(&parts);
            return MPL_NONE;
        }
    } while (is_name_start(peek(p)) || peek(p) == '(');

    const uint32_t *items = parts.data;

    node = items[parts.n - 1];
    for (size_t i = parts.n - 1; i > 0 && node != MPL_NONE; i--) {
        node = make(p, MPL_NODE_SEQUENCE, items[i - 1], node);
    }
    mpl_buf_free(&parts);
    return node;
}

/* Whether a node is a member of another location, alone or with '?': then its bit. */
static uint64_t elsewhere_alone(const struct parser *p, uint32_t number, bool *is_optional)
{
    const struct mpl_node *node = mpl_expression_get(p->out, number);

    *is_optional = node->kind == MPL_NODE_CHOICE && is_empty(p->out, node->b);
    if (*is_optional) {
        node = mpl_expression_get(p->out, node->a);
    }
    return node->kind == MPL_NODE_MEMBER ? node->members & p->source->elsewhere : 0;
}

/* Members of other locations leave the expression: each is concurrent with the rest of the &. */
static void set_beside(struct parser *p, const char *at, uint64_t elsewhere, uint32_t rest)
{
    if (elsewhere == 0) {
        return;
    }
    if (rest == MPL_NONE || mpl_expression_get(p->out, rest)->is_nullable) {
        stop(p, at,
             "beside & there must be something that happens on the event's own location");
        return;
    }
    for (uint32_t m = 0; m < p->source->n_members; m++) {
        if ((elsewhere >> m & 1) == 0) {
            continue;
        }
        if (p->out->beside[m] != 0) {
            stop(p, at, "a member of another location can stand in one place only");
        }
        p->out->beside[m] = mpl_expression_get(p->out, rest)->members;
        p->n_beside++;
    }
}

static uint32_t parse_concurrent(struct parser *p)
{
    (void) peek(p);

    const char *start = p->at;
    uint32_t node = parse_sequence(p);
    uint32_t rest = MPL_NONE;
    uint64_t elsewhere = 0;
    bool is_last = node == MPL_NONE || peek(p) != '&';

    if (is_last) {
        return node;
    }
    while (node != MPL_NONE) {
        bool is_optional;
        const uint64_t bit = elsewhere_alone(p, node, &is_optional);

        if ((elsewhere & bit) != 0) {
            stop(p, start, "a member of another location can stand in one place only");
        }
        elsewhere |= bit;
        p->out->optional |= is_optional ? bit : 0;
        if (bit == 0) {
            rest = rest == MPL_NONE ? node : make(p, MPL_NODE_CONCURRENT, rest, node);
        }
        if (is_last || (bit == 0 && rest == MPL_NONE)) {
            break;
        }
        p->at++;
        node = parse_sequence(p);
        is_last = peek(p) != '&';
    }
    if (node == MPL_NONE) {
        return MPL_NONE;
    }
    set_beside(p, start, elsewhere, rest);
    return rest;
}

static uint32_t parse_choice(struct parser *p)
{
    uint32_t node = parse_concurrent(p);

    while (node != MPL_NONE && peek(p) == '|') {
        p->at++;
        node = make(p, MPL_NODE_CHOICE, node, parse_concurrent(p));
    }
    return node;
}

enum mpl_status mpl_expression_parse(const struct mpl_expression_text *source,
                                     struct mpl_lint *lint, struct mpl_expression *out,
                                     struct mpl_err *err)
{
    struct parser p = { .source = source, .lint = lint, .out = out, .at = source->text };

    out->nodes = mpl_buf_make(sizeof(struct mpl_node));
    out->numbers = mpl_map_create();
    if (out->numbers == NULL) {
        return mpl_nomem(err);
    }
    out->root = parse_choice(&p);
    if (!p.has_fault && !p.has_no_memory && peek(&p) != '\0') {
        stop(&p, p.at,
             *p.at == ')' ? "')' without '('"
                          : "a name, an operator or the end is expected here");
    }
    if (p.has_no_memory) {
        return mpl_nomem(err);
    }
    return p.has_fault ? mpl_fail(err, MPL_E_SYNTAX, "an expression has faults") : MPL_OK;
}

/* ---- occurrences -------------------------------------------------------------------- */

/*
 * How often a member occurs in a node, as 0, 1 or 2 for "more". Per node once: with repetitions
 * in repetitions a node is reached on many ways.
 */
struct tally {
    uint8_t least;
    uint8_t most;
    bool is_concurrent;
};

static uint8_t up_to_two(unsigned n)
{
    return (uint8_t) (n > 2 ? 2 : n);
}

static struct tally tally_node(const struct mpl_node *node, const struct tally *of,
                               uint32_t member)
{
    const struct tally none = { 0, 0, false };
    const struct tally a =
        node->kind == MPL_NODE_EMPTY || node->kind == MPL_NODE_MEMBER ? none : of[node->a];
    const bool has_b = node->kind == MPL_NODE_SEQUENCE || node->kind == MPL_NODE_CHOICE ||
                       node->kind == MPL_NODE_CONCURRENT;
    const struct tally b = has_b ? of[node->b] : none;
    const bool is_below = a.is_concurrent || b.is_concurrent;

    switch (node->kind) {
    case MPL_NODE_EMPTY:
        return none;
    case MPL_NODE_MEMBER:
        return node->a == member ? (struct tally){ 1, 1, false } : none;
    case MPL_NODE_CHOICE:
        return (struct tally){ a.least < b.least ? a.least : b.least,
                               a.most > b.most ? a.most : b.most, is_below };
    case MPL_NODE_STAR:
        return (struct tally){ 0, up_to_two(2U * a.most), is_below };
    case MPL_NODE_PLUS:
        return (struct tally){ a.least, up_to_two(2U * a.most), is_below };
    default:
        return (struct tally){ up_to_two(a.least + b.least), up_to_two(a.most + b.most),
                               is_below || (node->kind == MPL_NODE_CONCURRENT &&
                                            (a.most > 0 || b.most > 0)) };
    }
}

enum mpl_status mpl_expression_occurrences(const struct mpl_expression *expression,
                                           struct mpl_occurrence *occurrences,
                                           size_t n_members, struct mpl_err *err)
{
    struct mpl_buf tallies = mpl_buf_make(sizeof(struct tally));

    /* A node's parts have smaller numbers than the node. */
    struct tally *of = mpl_buf_add_many(&tallies, expression->nodes.n);

    if (of == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t m = 0; m < n_members; m++) {
        for (uint32_t i = 0; i < expression->nodes.n; i++) {
            of[i] = tally_node(mpl_expression_get(expression, i), of, m);
        }

        const struct tally root = of[expression->root];

        occurrences[m] = (struct mpl_occurrence){ root.most > 0, root.most > 1,
                                                  root.least == 0, root.is_concurrent };
    }
    mpl_buf_free(&tallies);
    return MPL_OK;
}
