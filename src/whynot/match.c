/* Rows of conditions, and the facts that meet them. */
#include "config.h"

#include "whynot/whynot_priv.h"

static const struct mpl_rule_fact *fact_of(const struct whynot *w, long long index)
{
    for (size_t i = 0; i < w->n_facts; i++) {
        if (w->facts[i].index == index) {
            return &w->facts[i];
        }
    }
    return NULL;
}

static const struct why_binding *
bindings_of(const struct whynot *w, const struct mpl_rule_row *row, const long long *facts)
{
    const struct why_binding *bound = NULL;
    size_t n = 0;

    for (size_t i = 0; i < row->n; i++) {
        struct why_binding *b = MPL_NEW(w->arena, struct why_binding);

        if (b == NULL) {
            return NULL;
        }
        *b = (struct why_binding){ .condition = row->conditions[i], .next = bound };
        if (b->condition->kind == MPL_CONDITION_PATTERN) {
            b->fact = fact_of(w, facts[n++]);
        }
        bound = b;
    }
    return bound;
}

struct why_met mpl_why_match(struct whynot *w, const struct mpl_rule_row *row,
                             const struct mpl_form *const *tests, size_t n_tests)
{
    const struct mpl_rule_match m =
        mpl_infer_match(w->infer, row, tests, n_tests, w->arena);

    w->is_unsure = w->is_unsure || m.is_unsure;
    return m.facts == NULL
               ? (struct why_met){ 0 }
               : (struct why_met){ m.n, bindings_of(w, row, m.facts), m.failed, m.varies };
}

struct mpl_rule_row mpl_why_extend(struct whynot *w, const struct mpl_rule_row *row,
                                   const struct mpl_rule_condition *first)
{
    struct mpl_rule_row out = *row;

    for (const struct mpl_rule_condition *c = first; c != NULL; c = c->next) {
        if (c->kind == MPL_CONDITION_AND) {
            out = mpl_why_extend(w, &out, c->first);
            continue;
        }
        const struct mpl_rule_condition **longer =
            MPL_NEW_ARRAY(w->arena, out.n + 1, const struct mpl_rule_condition *);

        if (longer == NULL) {
            return out;
        }
        for (size_t i = 0; i < out.n; i++) {
            longer[i] = out.conditions[i];
        }
        longer[out.n++] = c;
        out.conditions = longer;
    }
    return out;
}
