/*
 * Matches facts against conditions as CLIPS does, condition by condition, but keeps what was
 * bound, so that it can be told how far the facts of a run go and what would have to be
 * different. Expressions are left to CLIPS.
 */
#include "config.h"

#include "infer/whynot_priv.h"

#include <math.h>
#include <string.h>

enum {
    MOST_MATCHES = 2000, /**< Kept after a condition. */
    MOST_STEPS = 5000000,
    EVAL_STEPS = 100 /**< What an evaluation costs compared with a look at a fact. */
};

const struct why_slot *mpl_why_slot(const struct why_fact *fact, const char *name)
{
    for (size_t i = 0; i < fact->n; i++) {
        if (strcmp(fact->slots[i].name, name) == 0) {
            return &fact->slots[i];
        }
    }
    return NULL;
}

const char *mpl_why_slot_text(const struct why_fact *fact, const char *name)
{
    const struct why_slot *slot = mpl_why_slot(fact, name);

    return slot != NULL && slot->n == 1 ? slot->values[0].text : "";
}

bool mpl_why_equal(const struct why_value *a, const struct why_value *b)
{
    if (a->kind != b->kind) {
        return false;
    }
    return a->kind == WHY_FLOAT || a->kind == WHY_INTEGER ? a->number == b->number
                                                          : strcmp(a->text, b->text) == 0;
}

const struct why_binding *mpl_why_bound(const struct why_binding *bound, const char *name)
{
    while (bound != NULL && (bound->name == NULL || strcmp(bound->name, name) != 0)) {
        bound = bound->next;
    }
    return bound;
}

/* ---- expressions ---------------------------------------------------------------------------- */

static const char *written(struct whynot *w, const struct why_value *v)
{
    if (v->kind != WHY_STRING) {
        return v->text;
    }

    char *text = mpl_arena_alloc(w->arena, 2 * strlen(v->text) + 3);
    size_t n = 0;

    if (text == NULL) {
        return NULL;
    }
    text[n++] = '"';
    for (const char *p = v->text; *p != '\0'; p++) {
        if (*p == '"' || *p == '\\') {
            text[n++] = '\\';
        }
        text[n++] = *p;
    }
    text[n++] = '"';
    text[n] = '\0';
    return text;
}

static const char *written_binding(struct whynot *w, const struct why_binding *b)
{
    if (!b->is_multi) {
        return written(w, &b->values[0]);
    }

    const char *text = "(create$";

    for (size_t i = 0; i < b->n && text != NULL; i++) {
        const char *one = written(w, &b->values[i]);

        text = one == NULL ? NULL : mpl_arena_printf(w->arena, "%s %s", text, one);
    }
    return text == NULL ? NULL : mpl_arena_printf(w->arena, "%s)", text);
}

/** The expression as CLIPS reads it, with values for variables. NULL without memory. */
static const char *written_expr(struct whynot *w, const struct why_expr *expr,
                                const struct why_binding *bound)
{
    if (!expr->is_list) {
        const struct why_value string = { .kind = WHY_STRING, .text = expr->text };
        const char *name = expr->text + (expr->text[0] == '$');
        const struct why_binding *b =
            expr->is_string || name[0] != '?' ? NULL : mpl_why_bound(bound, name + 1);

        return b != NULL         ? written_binding(w, b)
               : expr->is_string ? written(w, &string)
                                 : expr->text;
    }

    const char *text = "(";

    for (const struct why_expr *e = expr->first; e != NULL && text != NULL; e = e->next) {
        const char *part = written_expr(w, e, bound);

        text = part == NULL ? NULL
                            : mpl_arena_printf(w->arena, "%s%s%s", text,
                                               e == expr->first ? "" : " ", part);
    }
    return text == NULL ? NULL : mpl_arena_printf(w->arena, "%s)", text);
}

bool mpl_why_eval(struct whynot *w, const struct why_expr *expr,
                  const struct why_binding *bound, struct why_value *out)
{
    w->n_steps += EVAL_STEPS;
    if (w->n_steps > MOST_STEPS) {
        w->is_cut = true;
        return false;
    }

    const char *text = expr == NULL ? NULL : written_expr(w, expr, bound);

    if (text == NULL) {
        w->is_nomem = true;
        return false;
    }
    if (!mpl_whynot_eval(w->infer, text, w->arena, out)) {
        w->is_unsure = true;
        return false;
    }
    return true;
}

static bool is_true(struct whynot *w, const struct why_expr *expr,
                    const struct why_binding *bound)
{
    struct why_value value;

    return mpl_why_eval(w, expr, bound, &value) &&
           (value.kind != WHY_SYMBOL || strcmp(value.text, "FALSE") != 0);
}

/* ---- matches ---------------------------------------------------------------------------------- */

static void add_match(struct whynot *w, struct why_matches *to,
                      const struct why_binding *bound)
{
    if (to->n >= MOST_MATCHES) {
        w->is_cut = true;
        return;
    }

    struct why_match *match = MPL_NEW(w->arena, struct why_match);

    if (match == NULL) {
        w->is_nomem = true;
        return;
    }
    match->bound = bound;
    if (to->last == NULL) {
        to->first = match;
    } else {
        to->last->next = match;
    }
    to->last = match;
    to->n++;
}

struct why_matches mpl_why_match_nothing(struct whynot *w)
{
    struct why_matches one = { 0 };

    add_match(w, &one, NULL);
    return one;
}

static struct why_matches single(struct whynot *w, const struct why_binding *bound)
{
    struct why_matches one = { 0 };

    add_match(w, &one, bound);
    return one;
}

static const struct why_binding *push(struct whynot *w, struct why_binding binding)
{
    struct why_binding *b = MPL_NEW(w->arena, struct why_binding);

    if (b == NULL) {
        w->is_nomem = true;
        return binding.next;
    }
    *b = binding;
    return b;
}

const struct why_binding *mpl_why_bind(struct whynot *w, const char *name,
                                       const struct why_value *value,
                                       const struct why_fact *fact,
                                       const struct why_binding *bound)
{
    return push(w,
                (struct why_binding){
                    .name = name, .n = 1, .values = value, .fact = fact, .next = bound });
}

/* ---- terms ---------------------------------------------------------------------------------------- */

/** The part of a slot's values that one item is compared with. */
struct span {
    const struct why_value *values;
    size_t n;
    bool is_multi;
    const struct why_fact *fact;
};

static bool is_bound_to(const struct why_binding *b, const struct span *span)
{
    bool is_equal = b->n == span->n;

    for (size_t i = 0; i < span->n && is_equal; i++) {
        is_equal = mpl_why_equal(&b->values[i], &span->values[i]);
    }
    return is_equal;
}

static bool holds_variable(struct whynot *w, const struct why_term *term,
                           const struct span *span, const struct why_binding **bound)
{
    const struct why_binding *b = mpl_why_bound(*bound, term->name);

    if (b != NULL) {
        return is_bound_to(b, span) != term->is_negated;
    }
    *bound = push(w, (struct why_binding){ .name = term->name,
                                           .is_multi = span->is_multi,
                                           .n = span->n,
                                           .values = span->values,
                                           .fact = span->fact,
                                           .next = *bound });
    return true;
}

static bool holds(struct whynot *w, const struct why_term *term, const struct span *span,
                  const struct why_binding **bound)
{
    struct why_value value = { 0 };

    switch (term->kind) {
    case TERM_VARIABLE:
        return holds_variable(w, term, span, bound);
    case TERM_PREDICATE:
        return is_true(w, term->expr, *bound) != term->is_negated;
    case TERM_EQUALS:
        return mpl_why_eval(w, term->expr, *bound, &value) && span->n == 1 &&
               mpl_why_equal(&value, &span->values[0]) != term->is_negated;
    case TERM_LITERAL:
        return span->n == 1 &&
               mpl_why_equal(&term->literal, &span->values[0]) != term->is_negated;
    default:
        return true;
    }
}

/** A variable at the front that '&' connects with the rest is bound for all alternatives. */
static bool holds_item(struct whynot *w, const struct why_item *item,
                       const struct span *span, const struct why_binding **bound)
{
    const struct why_term *term = item->terms;
    bool is_met = true;

    if (term != NULL && term->kind == TERM_VARIABLE && !term->is_negated) {
        if (!holds(w, term, span, bound)) {
            return false;
        }
        term = term->next;
    }

    const struct why_binding *before = *bound;

    for (bool is_first = true; term != NULL; term = term->next, is_first = false) {
        if (term->is_alternative && !is_first) {
            if (is_met) {
                return true;
            }
            is_met = true;
            *bound = before;
        }
        is_met = is_met && holds(w, term, span, bound);
    }
    return is_met;
}

/** What is to be matched of a slot, from item and value on. */
static void match_items(struct whynot *w, const struct why_item *item,
                        const struct why_fact *fact, const struct why_slot *slot, size_t at,
                        const struct why_binding *bound, struct why_matches *to)
{
    if (item == NULL) {
        if (at == slot->n) {
            add_match(w, to, bound);
        }
        return;
    }

    const size_t least = item->is_multi ? 0 : 1;
    const size_t most = item->is_multi ? slot->n - at : 1;

    for (size_t n = least; n <= most && at + n <= slot->n && !w->is_cut; n++) {
        const struct span span = { slot->values + at, n, item->is_multi, fact };
        const struct why_binding *own = bound;

        w->n_steps++;
        if (holds_item(w, item, &span, &own)) {
            match_items(w, item->next, fact, slot, at + n, own, to);
        }
    }
}

struct why_matches mpl_why_match_slot(struct whynot *w, const struct why_fact *fact,
                                      const struct why_constraint *constraint,
                                      const struct why_binding *bound)
{
    const struct why_slot *slot = mpl_why_slot(fact, constraint->slot);
    struct why_matches to = { 0 };

    if (slot != NULL) {
        match_items(w, constraint->items, fact, slot, 0, bound, &to);
    }
    return to;
}

/* ---- conditions -------------------------------------------------------------------------------------- */

static const struct why_value *address_of(struct whynot *w, const struct why_fact *fact)
{
    struct why_value *value = MPL_NEW(w->arena, struct why_value);

    if (value == NULL) {
        w->is_nomem = true;
        return NULL;
    }
    value->kind = WHY_INTEGER;
    value->number = (double) fact->index;
    value->text = mpl_arena_printf(w->arena, "%lld", fact->index);
    return value->text == NULL ? NULL : value;
}

static void match_fact(struct whynot *w, const struct why_condition *c,
                       const struct why_fact *fact, const struct why_binding *bound,
                       struct why_matches *to)
{
    struct why_matches now = single(w, bound);

    for (const struct why_constraint *k = c->constraints; k != NULL && now.n > 0;
         k = k->next) {
        struct why_matches then = { 0 };

        for (const struct why_match *m = now.first; m != NULL; m = m->next) {
            const struct why_matches more = mpl_why_match_slot(w, fact, k, m->bound);

            for (const struct why_match *x = more.first; x != NULL; x = x->next) {
                add_match(w, &then, x->bound);
            }
        }
        now = then;
    }
    for (const struct why_match *m = now.first; m != NULL; m = m->next) {
        const struct why_value *address = c->address == NULL ? NULL : address_of(w, fact);
        const struct why_binding *b =
            push(w, (struct why_binding){ .fact = fact, .condition = c, .next = m->bound });

        add_match(w, to,
                  address == NULL ? b : mpl_why_bind(w, c->address, address, NULL, b));
    }
}

static struct why_matches match_pattern(struct whynot *w, const struct why_condition *c,
                                        struct why_matches in)
{
    struct why_matches out = { 0 };

    for (const struct why_match *m = in.first; m != NULL; m = m->next) {
        for (size_t i = 0; i < w->n_facts; i++) {
            if (++w->n_steps > MOST_STEPS) {
                w->is_cut = true;
                return out;
            }
            if (strcmp(w->facts[i].template, c->template) == 0) {
                match_fact(w, c, &w->facts[i], m->bound, &out);
            }
        }
    }
    return out;
}

static struct why_matches match_all(struct whynot *w, const struct why_condition *first,
                                    struct why_matches in)
{
    for (const struct why_condition *c = first; c != NULL && in.n > 0; c = c->next) {
        in = mpl_why_match(w, c, in);
    }
    return in;
}

static struct why_matches match_any(struct whynot *w, const struct why_condition *first,
                                    struct why_matches in)
{
    struct why_matches out = { 0 };

    for (const struct why_condition *c = first; c != NULL; c = c->next) {
        const struct why_matches one = mpl_why_match(w, c, in);

        for (const struct why_match *m = one.first; m != NULL; m = m->next) {
            add_match(w, &out, m->bound);
        }
    }
    return out;
}

/** For each way in which the first part is met, the others are. */
static bool is_met_for_all(struct whynot *w, const struct why_condition *c,
                           const struct why_binding *bound)
{
    if (c->first == NULL) {
        return true;
    }

    const struct why_matches each = mpl_why_match(w, c->first, single(w, bound));

    for (const struct why_match *m = each.first; m != NULL; m = m->next) {
        if (match_all(w, c->first->next, single(w, m->bound)).n == 0) {
            return false;
        }
    }
    return true;
}

static bool passes(struct whynot *w, const struct why_condition *c,
                   const struct why_binding *bound)
{
    switch (c->kind) {
    case CONDITION_TEST:
        return is_true(w, c->test, bound);
    case CONDITION_NOT:
        return match_all(w, c->first, single(w, bound)).n == 0;
    case CONDITION_EXISTS:
        return match_all(w, c->first, single(w, bound)).n > 0;
    default:
        return is_met_for_all(w, c, bound);
    }
}

struct why_matches mpl_why_match(struct whynot *w, const struct why_condition *c,
                                 struct why_matches in)
{
    struct why_matches out = { 0 };

    if (c->kind == CONDITION_PATTERN) {
        return match_pattern(w, c, in);
    }
    if (c->kind == CONDITION_AND) {
        return match_all(w, c->first, in);
    }
    if (c->kind == CONDITION_OR) {
        return match_any(w, c->first, in);
    }
    for (const struct why_match *m = in.first; m != NULL; m = m->next) {
        if (passes(w, c, m->bound)) {
            add_match(w, &out, m->bound);
        }
    }
    return out;
}
