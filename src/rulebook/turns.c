/* Conditions that ask for metrics. */
#include "config.h"

#include "rulebook/conditions.h"

#include <string.h>

enum { MOST_CONDITIONS = 256 };

struct row {
    size_t n;
    const struct mpl_rule_condition *conditions[MOST_CONDITIONS];
};

/** Of several rules, or of none, CLIPS makes what stands for these: what comes behind cannot be counted. */
static bool is_counted(const struct mpl_rule_condition *c)
{
    return c->kind != MPL_CONDITION_OR &&
           !(c->kind == MPL_CONDITION_NOT && c->first != NULL &&
             (c->first->kind == MPL_CONDITION_OR || c->first->kind == MPL_CONDITION_TEST));
}

/** Those that stand in no other one but `and` and `logical`, without `test`. False where counting ends. */
static bool flatten(const struct mpl_rule_condition *c, struct row *row)
{
    bool goes_on = true;

    for (; c != NULL && row->n < MOST_CONDITIONS && goes_on; c = c->next) {
        if (c->kind == MPL_CONDITION_AND) {
            goes_on = flatten(c->first, row);
        } else if (!is_counted(c)) {
            goes_on = false;
        } else if (c->kind != MPL_CONDITION_TEST) {
            row->conditions[row->n++] = c;
        }
    }
    return goes_on;
}

/** Of the first condition that binds it as a whole. */
static bool find_variable(const struct row *row, size_t before, const char *name,
                          struct mpl_rule_origin *out)
{
    for (size_t i = 0; i < before; i++) {
        const struct mpl_rule_condition *c = row->conditions[i];

        for (const struct mpl_rule_constraint *k =
                 c->kind == MPL_CONDITION_PATTERN ? c->constraints : NULL;
             k != NULL; k = k->next) {
            const struct mpl_rule_term *term = mpl_rule_plain_term(c, k->slot);

            if (term != NULL && term->kind == MPL_TERM_VARIABLE &&
                strcmp(term->name, name) == 0) {
                *out = (struct mpl_rule_origin){ NULL, i, c->template, k->slot };
                return true;
            }
        }
    }
    return false;
}

static bool find_origin(const struct row *row, size_t at,
                        const struct mpl_rule_condition *c, const char *slot,
                        struct mpl_rule_origin *out)
{
    const struct mpl_rule_term *term = mpl_rule_plain_term(c, slot);

    if (term != NULL && term->kind == MPL_TERM_VARIABLE) {
        return find_variable(row, at, term->name, out);
    }
    *out = (struct mpl_rule_origin){ .literal = term == NULL ? NULL : term->literal.text };
    return term != NULL;
}

static bool add_turns(const struct row *row, size_t at, struct mpl_buf *turns)
{
    const struct mpl_rule_condition *c = row->conditions[at];
    struct mpl_rule_turn turn = { .condition = at, .line = c->line };

    c = c->kind == MPL_CONDITION_EXISTS && c->first->next == NULL ? c->first : c;
    if (c->kind != MPL_CONDITION_PATTERN || strcmp(c->template, "metric") != 0 ||
        !find_origin(row, at, c, "run", &turn.run) ||
        !find_origin(row, at, c, "pattern", &turn.pattern)) {
        return true;
    }
    const struct mpl_rule_item *name = mpl_rule_item_of(c, "name");

    for (const struct mpl_rule_term *t = name == NULL ? NULL : name->terms; t != NULL;
         t = t->next) {
        turn.metric = t->literal.text;
        if (t->kind == MPL_TERM_LITERAL && !t->is_negated && !mpl_buf_put(turns, &turn)) {
            return false;
        }
    }
    return true;
}

static bool begins_with_test(const struct mpl_rule_condition *c)
{
    while (c != NULL && c->kind == MPL_CONDITION_AND) {
        c = c->first;
    }
    return c != NULL && c->kind == MPL_CONDITION_TEST;
}

bool mpl_rule_turns(const struct mpl_source *source, const struct mpl_construct *construct,
                    struct mpl_arena *arena, struct mpl_rule_turns *out)
{
    const struct mpl_rule_condition *conditions = NULL;
    struct mpl_buf turns = mpl_buf_make(sizeof(struct mpl_rule_turn));
    struct row row = { 0 };
    bool is_whole = mpl_rule_conditions(source, construct, arena, &conditions);

    (void) flatten(conditions, &row);
    for (size_t i = 0; i < row.n && is_whole; i++) {
        is_whole = add_turns(&row, i, &turns);
    }
    *out = (struct mpl_rule_turns){ .n = turns.n,
                                    .items = mpl_buf_take(&turns, arena),
                                    .begins_with_test = begins_with_test(conditions) };
    mpl_buf_free(&turns);
    return is_whole && (out->n == 0 || out->items != NULL);
}
