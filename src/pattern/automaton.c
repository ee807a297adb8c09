/*
 * The automaton of an expression by partial derivatives (V. Antimirov, 1996): what is left of
 * the expression after one event is a set of expressions, and each different one is a state.
 * Concurrency needs nothing special: after an event of a & b either what is left of a runs beside
 * b, or a beside what is left of b.
 */
#include "config.h"

#include "pattern/automaton.h"

#include <string.h>

struct derivative {
    uint32_t member;
    uint32_t node;
};

/* Derivatives are added in the order of preference: the left choice first, then repeating. */
struct derivation {
    struct mpl_expression *expression;
    struct mpl_buf list; /* struct derivative */
    /* Lists of nodes that were derived before: parts of many states are the same. */
    struct mpl_buf kept;      /* struct derivative */
    struct mpl_buf ranges;    /* struct range */
    struct mpl_map *range_of; /* by node */
};

struct range {
    size_t first, n; /* in kept */
};

/* Beyond this no more lists are kept: 8 MiB. */
enum { KEPT_MAX = 1 << 20 };

static bool derive(struct derivation *d, uint32_t number);

/* Puts \p rest beside or behind what the derivatives from \p first on have left. */
static bool join(struct derivation *d, size_t first, enum mpl_node_kind kind, uint32_t rest,
                 bool is_rest_left)
{
    for (size_t i = first; i < d->list.n; i++) {
        struct derivative *item = mpl_buf_get(&d->list, i);

        item->node =
            mpl_expression_node(d->expression, kind, is_rest_left ? rest : item->node,
                                is_rest_left ? item->node : rest);
        if (item->node == MPL_NONE) {
            return false;
        }
    }
    return true;
}

enum { FEW = 64 };

/*
 * Keeps the first of equal derivatives from \p first on. Nested repetitions come to the same
 * derivative on very many ways, and every level would join each of them again.
 */
static bool drop_repeated(struct derivation *d, size_t first)
{
    struct derivative *items = d->list.data;
    struct mpl_map *seen;
    size_t n = first;
    bool is_good = true;

    if (d->list.n - first < FEW) {
        return true;
    }
    seen = mpl_map_create();
    is_good = seen != NULL;
    for (size_t i = first; i < d->list.n && is_good; i++) {
        const uint64_t key = (uint64_t) items[i].member << 32 | items[i].node;

        if (mpl_map_find(seen, key) == MPL_NONE) {
            is_good = mpl_map_put(seen, key, 0);
            items[n++] = items[i];
        }
    }
    d->list.n = is_good ? n : d->list.n;
    mpl_map_destroy(seen);
    return is_good;
}

static bool derive_member(struct derivation *d, uint32_t member)
{
    const struct derivative only = { member, mpl_expression_node(d->expression,
                                                                 MPL_NODE_EMPTY, 0, 0) };

    return only.node != MPL_NONE && mpl_buf_put(&d->list, &only);
}

static bool derive_node(struct derivation *d, uint32_t number)
{
    /* A copy: deriving adds nodes, and the table may move. */
    const struct mpl_node node = *mpl_expression_get(d->expression, number);
    const size_t first = d->list.n;
    uint32_t star;
    size_t middle;

    switch (node.kind) {
    case MPL_NODE_EMPTY:
        return true;
    case MPL_NODE_MEMBER:
        return derive_member(d, node.a);
    case MPL_NODE_CHOICE:
        return derive(d, node.a) && derive(d, node.b);
    case MPL_NODE_SEQUENCE:
        if (!derive(d, node.a) || !join(d, first, MPL_NODE_SEQUENCE, node.b, false)) {
            return false;
        }
        return !mpl_expression_get(d->expression, node.a)->is_nullable || derive(d, node.b);
    case MPL_NODE_CONCURRENT:
        if (!derive(d, node.a) || !join(d, first, MPL_NODE_CONCURRENT, node.b, false)) {
            return false;
        }
        middle = d->list.n;
        return derive(d, node.b) && join(d, middle, MPL_NODE_CONCURRENT, node.a, true);
    case MPL_NODE_STAR:
    case MPL_NODE_PLUS:
        star = mpl_expression_node(d->expression, MPL_NODE_STAR, node.a, 0);
        return star != MPL_NONE && derive(d, node.a) &&
               join(d, first, MPL_NODE_SEQUENCE, star, false);
    }
    return false;
}

static bool append(struct mpl_buf *to, const struct mpl_buf *from, size_t first, size_t n)
{
    struct derivative *items = n == 0 ? NULL : mpl_buf_add_many(to, n);

    if (items != NULL) {
        memcpy(items, mpl_buf_get(from, first), n * sizeof *items);
    }
    return items != NULL || n == 0;
}

static bool keep(struct derivation *d, uint32_t number, size_t first)
{
    const struct range range = { d->kept.n, d->list.n - first };
    const uint32_t at = (uint32_t) d->ranges.n;

    return d->kept.n + range.n > KEPT_MAX ||
           (mpl_buf_put(&d->ranges, &range) && append(&d->kept, &d->list, first, range.n) &&
            mpl_map_put(d->range_of, number, at));
}

static bool derive(struct derivation *d, uint32_t number)
{
    const size_t first = d->list.n;
    const uint32_t known = mpl_map_find(d->range_of, number);

    if (known != MPL_NONE) {
        const struct range *range = mpl_buf_get(&d->ranges, known);

        return append(&d->list, &d->kept, range->first, range->n);
    }
    return derive_node(d, number) && drop_repeated(d, first) && keep(d, number, first);
}

/* ---- states ------------------------------------------------------------------------- */

struct construction {
    struct derivation derivation;
    struct mpl_buf states;      /* uint32_t: the node of each state */
    struct mpl_map *state_of;   /* by node */
    struct mpl_buf first;       /* uint32_t per state */
    struct mpl_buf transitions; /* struct mpl_transition */
    struct mpl_map *seen;       /* (from, member, to): the first, preferred one counts */
};

static uint32_t state_of(struct construction *c, uint32_t node)
{
    const uint32_t known = mpl_map_find(c->state_of, node);
    const uint32_t next = (uint32_t) c->states.n;

    return known != MPL_NONE ? known
           : mpl_buf_put(&c->states, &node) && mpl_map_put(c->state_of, node, next)
               ? next
               : MPL_NONE;
}

static enum mpl_status add_transition(struct construction *c, uint32_t from,
                                      struct derivative to, struct mpl_err *err)
{
    const uint32_t state = state_of(c, to.node);

    if (state == MPL_NONE) {
        return mpl_nomem(err);
    }
    if (c->states.n > MPL_STATES_MAX) {
        return mpl_fail(err, MPL_E_LIMIT, "the expression needs more than %d states",
                        MPL_STATES_MAX);
    }

    const uint64_t key = (uint64_t) from << 40 | (uint64_t) to.member << 20 | state;

    if (mpl_map_find(c->seen, key) != MPL_NONE) {
        return MPL_OK;
    }

    const struct mpl_transition transition = { (uint16_t) to.member, (uint16_t) state };

    return mpl_buf_put(&c->transitions, &transition) && mpl_map_put(c->seen, key, 0)
               ? MPL_OK
               : mpl_nomem(err);
}

static enum mpl_status expand(struct construction *c, uint32_t state, struct mpl_err *err)
{
    const uint32_t node = *(const uint32_t *) mpl_buf_get(&c->states, state);
    const uint32_t first = (uint32_t) c->transitions.n;

    c->derivation.list.n = 0;
    if (!mpl_buf_put(&c->first, &first) || !derive(&c->derivation, node)) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < c->derivation.list.n; i++) {
        const enum mpl_status st = add_transition(
            c, state, *(const struct derivative *) mpl_buf_get(&c->derivation.list, i),
            err);

        if (st != MPL_OK) {
            return st;
        }
    }
    return MPL_OK;
}

static enum mpl_status expand_all(struct construction *c, struct mpl_err *err)
{
    if (c->state_of == NULL || c->seen == NULL || c->derivation.range_of == NULL ||
        state_of(c, c->derivation.expression->root) == MPL_NONE) {
        return mpl_nomem(err);
    }
    for (uint32_t state = 0; state < c->states.n; state++) {
        const enum mpl_status st = expand(c, state, err);

        if (st != MPL_OK) {
            return st;
        }
    }

    const uint32_t end = (uint32_t) c->transitions.n;

    return mpl_buf_put(&c->first, &end) ? MPL_OK : mpl_nomem(err);
}

static enum mpl_status fill(struct construction *c, struct mpl_arena *arena,
                            struct mpl_automaton *automaton, struct mpl_err *err)
{
    const uint32_t n_states = (uint32_t) c->states.n;
    uint64_t *wanted = MPL_NEW_ARRAY(arena, n_states, uint64_t);
    bool *is_final = MPL_NEW_ARRAY(arena, n_states, bool);
    const uint32_t *first = mpl_buf_take(&c->first, arena);
    const struct mpl_transition *transitions = mpl_buf_take(&c->transitions, arena);

    if (wanted == NULL || is_final == NULL || first == NULL || transitions == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t s = 0; s < n_states; s++) {
        const uint32_t node = *(const uint32_t *) mpl_buf_get(&c->states, s);

        is_final[s] = mpl_expression_get(c->derivation.expression, node)->is_nullable;
        for (uint32_t t = first[s]; t < first[s + 1]; t++) {
            wanted[s] |= UINT64_C(1) << transitions[t].member;
        }
    }
    *automaton = (struct mpl_automaton){ n_states, first, transitions, wanted, is_final };
    return MPL_OK;
}

enum mpl_status mpl_automaton_create(struct mpl_expression *expression,
                                     struct mpl_arena *arena,
                                     const struct mpl_automaton **out, struct mpl_err *err)
{
    struct construction c = {
        .derivation = { expression, mpl_buf_make(sizeof(struct derivative)),
                        mpl_buf_make(sizeof(struct derivative)),
                        mpl_buf_make(sizeof(struct range)), mpl_map_create() },
        .states = mpl_buf_make(sizeof(uint32_t)),
        .state_of = mpl_map_create(),
        .first = mpl_buf_make(sizeof(uint32_t)),
        .transitions = mpl_buf_make(sizeof(struct mpl_transition)),
        .seen = mpl_map_create(),
    };
    struct mpl_automaton *automaton = MPL_NEW(arena, struct mpl_automaton);
    enum mpl_status st = automaton == NULL ? mpl_nomem(err) : expand_all(&c, err);

    if (st == MPL_OK) {
        st = fill(&c, arena, automaton, err);
    }
    if (st == MPL_OK) {
        *out = automaton;
    }
    mpl_buf_free(&c.derivation.list);
    mpl_buf_free(&c.derivation.kept);
    mpl_buf_free(&c.derivation.ranges);
    mpl_map_destroy(c.derivation.range_of);
    mpl_buf_free(&c.states);
    mpl_map_destroy(c.state_of);
    mpl_buf_free(&c.first);
    mpl_buf_free(&c.transitions);
    mpl_map_destroy(c.seen);
    return st;
}
