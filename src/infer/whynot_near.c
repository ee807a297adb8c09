/* Which facts come nearest to a condition that none of them meets. */
#include "config.h"

#include "infer/whynot_priv.h"

#include <math.h>
#include <string.h>

/*
 * How much it counts that a slot does not fit: another name is another thing, a value that is
 * too small is what a person wants to hear of.
 */
static const double other_thing = 10000.0;
static const double other_word = 100.0;
static const double other_place = 10.0;
static const double other_value = 1.0;

const struct why_expr *mpl_why_predicate(const struct why_constraint *constraint)
{
    for (const struct why_item *i = constraint->items; i != NULL; i = i->next) {
        for (const struct why_term *t = i->terms; t != NULL; t = t->next) {
            if (t->kind == TERM_PREDICATE) {
                return t->expr;
            }
        }
    }
    return NULL;
}

static bool is_name(const struct why_condition *c, const char *slot)
{
    static const char *const names[] = { "name", "note", "metric", "loss" };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(slot, names[i]) == 0) {
            return true;
        }
    }
    return strcmp(c->template, "metric") == 0 && strcmp(slot, "pattern") == 0;
}

static bool has_literal(const struct why_constraint *constraint)
{
    for (const struct why_item *i = constraint->items; i != NULL; i = i->next) {
        for (const struct why_term *t = i->terms; t != NULL; t = t->next) {
            if (t->kind == TERM_LITERAL) {
                return true;
            }
        }
    }
    return false;
}

static double weight_of(const struct why_condition *c, const struct why_constraint *k)
{
    return is_name(c, k->slot)            ? other_thing
           : mpl_why_predicate(k) != NULL ? other_value
           : has_literal(k)               ? other_word
                                          : other_place;
}

/* ---- distances ---------------------------------------------------------------------------- */

static bool is_comparison(const struct why_expr *expr)
{
    static const char *const operators[] = { "<", "<=", ">", ">=", "=" };

    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
        if (expr->is_list && expr->first != NULL && !expr->first->is_list &&
            strcmp(expr->first->text, operators[i]) == 0) {
            return true;
        }
    }
    return false;
}

/** 0 to 1: by how much the two sides of a comparison differ; 1 where that cannot be said. */
static double distance(struct whynot *w, const struct why_expr *expr,
                       const struct why_binding *bound)
{
    struct why_value a = { 0 };
    struct why_value b = { 0 };

    if (expr == NULL || !is_comparison(expr) || expr->first->next == NULL ||
        expr->first->next->next == NULL || !mpl_why_eval(w, expr->first->next, bound, &a) ||
        !mpl_why_eval(w, expr->first->next->next, bound, &b)) {
        return 1.0;
    }

    const double largest = fmax(fabs(a.number), fabs(b.number));

    return largest > 0.0 ? fmin(fabs(a.number - b.number) / largest / 2.0, 1.0) : 0.0;
}

const struct why_binding *
mpl_why_nearest_match(struct whynot *w, const struct why_expr *test, struct why_matches in)
{
    const struct why_binding *nearest = in.first == NULL ? NULL : in.first->bound;
    double least = 2.0;

    for (const struct why_match *m = in.first; m != NULL && !w->is_cut; m = m->next) {
        const double own = distance(w, test, m->bound);

        if (own < least) {
            least = own;
            nearest = m->bound;
        }
    }
    return nearest;
}

/* ---- facts ------------------------------------------------------------------------------------ */

/** Binds the variable of a slot that fails, so that later slots are judged as far as possible. */
static const struct why_binding *bind_anyway(struct whynot *w, const struct why_fact *fact,
                                             const struct why_constraint *k,
                                             const struct why_binding *bound)
{
    const struct why_term *term = k->items == NULL ? NULL : k->items->terms;
    const struct why_slot *slot = mpl_why_slot(fact, k->slot);

    if (term == NULL || term->kind != TERM_VARIABLE || term->is_negated || slot == NULL ||
        slot->n != 1 || mpl_why_bound(bound, term->name) != NULL) {
        return bound;
    }
    return mpl_why_bind(w, term->name, &slot->values[0], fact, bound);
}

struct judgement {
    double score;
    double heaviest;
    const struct why_constraint *constraint;
    const struct why_binding *bound;
};

/** Goes on only while the fact can be at least as near as \p least. */
static struct judgement judge(struct whynot *w, const struct why_condition *c,
                              const struct why_fact *fact, const struct why_binding *bound,
                              double least)
{
    struct judgement j = { .bound = bound };

    for (const struct why_constraint *k = c->constraints;
         k != NULL && j.score < least + 1.0; k = k->next) {
        const struct why_matches fit = mpl_why_match_slot(w, fact, k, j.bound);

        if (fit.n > 0) {
            j.bound = fit.first->bound;
            continue;
        }

        const double weight = weight_of(c, k);

        j.bound = bind_anyway(w, fact, k, j.bound);
        j.score += weight;
        if (weight == other_value) {
            j.score += 0.5 * distance(w, mpl_why_predicate(k), j.bound);
        }
        if (weight > j.heaviest) {
            j.heaviest = weight;
            j.constraint = k;
        }
    }
    return j;
}

struct why_near mpl_why_nearest_fact(struct whynot *w,
                                     const struct why_condition *condition,
                                     struct why_matches in)
{
    struct why_near near = { 0 };
    double least = other_thing;

    for (const struct why_match *m = in.first; m != NULL; m = m->next) {
        for (size_t i = 0; i < w->n_facts && !w->is_cut; i++) {
            if (strcmp(w->facts[i].template, condition->template) != 0) {
                continue;
            }

            const struct judgement j = judge(w, condition, &w->facts[i], m->bound, least);

            if (j.constraint == near.constraint && near.fact != NULL &&
                &w->facts[i] != near.fact && floor(j.score) == floor(least)) {
                near.n++;
            }
            if (j.score < least && j.constraint != NULL) {
                near.n = j.constraint == near.constraint && near.n > 0 &&
                                 floor(j.score) == floor(least)
                             ? near.n
                             : 1;
                near.fact = &w->facts[i];
                near.constraint = j.constraint;
                near.bound = j.bound;
                least = j.score;
            }
        }
    }
    return near;
}
