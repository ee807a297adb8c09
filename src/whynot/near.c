/* Which facts come nearest to a condition that none of them meets. */
#include "config.h"

#include "whynot/whynot_priv.h"

#include <string.h>

const struct mpl_rule_slot *mpl_why_slot(const struct mpl_rule_fact *fact, const char *name)
{
    for (size_t i = 0; i < fact->n; i++) {
        if (strcmp(fact->slots[i].name, name) == 0) {
            return &fact->slots[i];
        }
    }
    return NULL;
}

const char *mpl_why_slot_text(const struct mpl_rule_fact *fact, const char *name)
{
    const struct mpl_rule_slot *slot = mpl_why_slot(fact, name);

    return slot != NULL && slot->n == 1 ? slot->values[0].text : "";
}

const struct mpl_rule_slot *mpl_why_bound(const struct why_binding *bound, const char *name,
                                          const struct mpl_rule_fact **fact)
{
    for (; bound != NULL; bound = bound->next) {
        const struct mpl_rule_constraint *k =
            bound->fact == NULL ? NULL : bound->condition->constraints;

        for (; k != NULL; k = k->next) {
            const struct mpl_rule_term *first = k->items == NULL ? NULL : k->items->terms;

            if (first != NULL && first->kind == MPL_TERM_VARIABLE && !first->is_negated &&
                k->items->next == NULL && strcmp(first->name, name) == 0) {
                *fact = bound->fact;
                return mpl_why_slot(bound->fact, k->slot);
            }
        }
    }
    return NULL;
}

const struct mpl_rule_fact *mpl_why_fact_for(const struct why_binding *bound,
                                             const struct mpl_rule_condition *condition)
{
    while (bound != NULL && bound->condition != condition) {
        bound = bound->next;
    }
    return bound == NULL ? NULL : bound->fact;
}

const struct mpl_form *mpl_why_predicate(const struct mpl_rule_constraint *constraint)
{
    for (const struct mpl_rule_item *i = constraint->items; i != NULL; i = i->next) {
        for (const struct mpl_rule_term *t = i->terms; t != NULL; t = t->next) {
            if (t->kind == MPL_TERM_PREDICATE) {
                return t->expr;
            }
        }
    }
    return NULL;
}

/* ---- values that are too small ------------------------------------------------------------- */

/** A pattern that wants less: predicates are not part of it. */
struct relaxed {
    struct mpl_rule_condition pattern;
    size_t n;
    const struct mpl_rule_constraint **constraints; /**< Those with predicates. */
    const struct mpl_form **predicates;
};

static bool relax(struct whynot *w, const struct mpl_rule_condition *pattern,
                  struct relaxed *out)
{
    const char *text = mpl_arena_printf(w->arena, "(%s", pattern->template);
    size_t n = 0;

    for (const struct mpl_rule_constraint *k = pattern->constraints; k != NULL;
         k = k->next) {
        n++;
    }
    *out = (struct relaxed){
        .pattern = *pattern,
        .constraints = MPL_NEW_ARRAY(w->arena, n, const struct mpl_rule_constraint *),
        .predicates = MPL_NEW_ARRAY(w->arena, n, const struct mpl_form *),
    };
    if (out->constraints == NULL || out->predicates == NULL) {
        return false;
    }
    for (const struct mpl_rule_constraint *k = pattern->constraints;
         k != NULL && text != NULL; k = k->next) {
        const struct mpl_form *predicate = mpl_why_predicate(k);
        const struct mpl_rule_term *first = predicate == NULL ? NULL : k->items->terms;

        if (predicate == NULL) {
            text = mpl_arena_printf(w->arena, "%s %.*s", text, (int) k->bytes, k->source);
            continue;
        }
        out->constraints[out->n] = k;
        out->predicates[out->n++] = predicate;
        if (first->kind == MPL_TERM_VARIABLE && !first->is_negated) {
            text = mpl_arena_printf(w->arena, "%s (%s %s?%s)", text, k->slot,
                                    k->items->is_multi ? "$" : "", first->name);
        }
    }
    out->pattern.text = text == NULL ? NULL : mpl_arena_printf(w->arena, "%s)", text);
    out->pattern.next = NULL;
    return out->pattern.text != NULL;
}

static struct why_near nearest_value(struct whynot *w, const struct mpl_rule_row *before,
                                     const struct mpl_rule_condition *pattern)
{
    struct why_near near = { 0 };
    struct relaxed *relaxed = MPL_NEW(w->arena, struct relaxed);

    if (relaxed == NULL || !relax(w, pattern, relaxed) || relaxed->n == 0) {
        return near;
    }

    const struct mpl_rule_row row = mpl_why_extend(w, before, &relaxed->pattern);
    const struct why_met met = mpl_why_match(w, &row, relaxed->predicates, relaxed->n);

    near.bound = met.bound;
    near.fact = mpl_why_fact_for(met.bound, &relaxed->pattern);
    near.constraint = relaxed->constraints[met.failed];
    near.has_others = met.varies;
    return near;
}

/* ---- other words ----------------------------------------------------------------------------- */

static bool is_equal(const struct mpl_rule_value *a, const struct mpl_rule_value *b)
{
    const bool is_number = a->kind == MPL_RULE_FLOAT || a->kind == MPL_RULE_INTEGER;

    return a->kind == b->kind &&
           (is_number ? a->number == b->number : strcmp(a->text, b->text) == 0);
}

/** What only CLIPS knows counts as met. */
static bool has_word(const struct mpl_rule_value *value, const struct mpl_rule_term *term,
                     const struct why_binding *bound)
{
    const struct mpl_rule_fact *fact = NULL;
    const struct mpl_rule_slot *slot =
        term->kind == MPL_TERM_VARIABLE ? mpl_why_bound(bound, term->name, &fact) : NULL;
    const struct mpl_rule_value *wanted = term->kind == MPL_TERM_LITERAL ? &term->literal
                                          : slot != NULL && slot->n == 1 ? slot->values
                                                                         : NULL;

    return wanted == NULL || is_equal(wanted, value) != term->is_negated;
}

/** '&' binds closer than '|'. */
static bool is_met_by(const struct mpl_rule_item *item, const struct mpl_rule_value *value,
                      const struct why_binding *bound)
{
    bool is_met = true;

    for (const struct mpl_rule_term *t = item->terms; t != NULL; t = t->next) {
        if (t->is_alternative && t != item->terms && is_met) {
            return true;
        }
        is_met = (is_met || t->is_alternative) && t->kind != MPL_TERM_EQUALS &&
                 has_word(value, t, bound);
    }
    return is_met;
}

/** Among several values each thing wanted is looked for anywhere. */
static bool fits(const struct mpl_rule_fact *fact, const struct mpl_rule_constraint *k,
                 const struct why_binding *bound)
{
    const struct mpl_rule_slot *slot = mpl_why_slot(fact, k->slot);

    for (const struct mpl_rule_item *item = k->items; item != NULL; item = item->next) {
        bool is_met = item->is_multi || slot == NULL;

        for (size_t i = 0; !is_met && i < slot->n; i++) {
            is_met = is_met_by(item, &slot->values[i], bound);
        }
        if (!is_met) {
            return false;
        }
    }
    return true;
}

/** How much it counts that a slot does not fit: another name is another thing. */
enum { other_place = 10, other_word = 100, other_thing = 10000 };

static int weight_of(const struct mpl_rule_condition *c,
                     const struct mpl_rule_constraint *k)
{
    static const char *const names[] = { "name", "note", "metric", "loss" };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(k->slot, names[i]) == 0) {
            return other_thing;
        }
    }
    if (strcmp(c->template, "metric") == 0 && strcmp(k->slot, "pattern") == 0) {
        return other_thing;
    }
    return k->items->terms->kind == MPL_TERM_LITERAL ? other_word : other_place;
}

/** Of the facts with the names asked for, that which has most of the words. */
static struct why_near nearest_words(const struct whynot *w, const struct why_binding *in,
                                     const struct mpl_rule_condition *pattern)
{
    struct why_near near = { .bound = in };
    int least = other_thing;

    for (size_t i = 0; i < w->n_facts; i++) {
        const struct mpl_rule_constraint *worst = NULL;
        int sum = 0;

        if (strcmp(w->facts[i].template, pattern->template) != 0) {
            continue;
        }
        for (const struct mpl_rule_constraint *k = pattern->constraints; k != NULL;
             k = k->next) {
            if (!fits(&w->facts[i], k, in)) {
                const int weight = weight_of(pattern, k);

                sum += weight;
                worst = worst == NULL || weight > weight_of(pattern, worst) ? k : worst;
            }
        }
        if (worst != NULL && sum < other_thing) {
            near.has_others = near.fact != NULL;
        }
        if (worst != NULL && sum < least) {
            near.fact = &w->facts[i];
            near.constraint = worst;
            least = sum;
        }
    }
    return near;
}

struct why_near mpl_why_nearest_fact(struct whynot *w, const struct mpl_rule_row *before,
                                     const struct why_binding *in,
                                     const struct mpl_rule_condition *pattern)
{
    const struct why_near near = nearest_value(w, before, pattern);

    return near.fact != NULL ? near : nearest_words(w, in, pattern);
}
