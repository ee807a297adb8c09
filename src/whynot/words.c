/* Conditions, facts and expressions in words. */
#include "config.h"

#include "whynot/whynot_priv.h"

#include <math.h>
#include <string.h>

static const char *join(struct whynot *w, const char *text, const char *between,
                        const char *more)
{
    const char *both = *text == '\0' ? more
                       : *more == '\0'
                           ? text
                           : mpl_arena_printf(w->arena, "%s%s%s", text, between, more);

    return both == NULL ? "" : both;
}

static const char *join4(struct whynot *w, const char *a, const char *b, const char *c,
                         const char *d)
{
    const char *text = mpl_arena_printf(w->arena, "%s%s%s%s", a, b, c, d);

    return text == NULL ? "" : text;
}

/* ---- values and facts ---------------------------------------------------------------------- */

const char *mpl_why_number(struct mpl_arena *arena, double value, const char *unit)
{
    const bool is_plain = strcmp(unit, "1") == 0 || *unit == '\0';

    if (isnan(value)) {
        return "unknown";
    }
    if (strcmp(unit, "s") == 0) {
        return mpl_text_seconds(arena, value);
    }
    if (value == floor(value) && value >= 0.0 && value < 1e15) {
        const char *count = mpl_text_count(arena, (uint64_t) value);

        return count == NULL || is_plain ? count
                                         : mpl_arena_printf(arena, "%s %s", count, unit);
    }
    return mpl_arena_printf(arena, "%.4g%s%s", value, is_plain ? "" : " ",
                            is_plain ? "" : unit);
}

static const char *value_words(struct whynot *w, double value, const char *unit)
{
    const char *text = mpl_why_number(w->arena, value, unit);

    return text == NULL ? "" : text;
}

static bool is_metric(const struct mpl_rule_fact *fact)
{
    return fact != NULL && strcmp(fact->template, "metric") == 0;
}

/** "worker.wait(3)" */
static const char *metric_words(struct whynot *w, const struct mpl_rule_fact *fact)
{
    const char *location = mpl_why_slot_text(fact, "location");
    const char *name = mpl_why_slot_text(fact, "name");

    return *location == '\0' ? name : join4(w, name, "(", location, ")");
}

static const char *metric_value_words(struct whynot *w, const struct mpl_rule_fact *fact)
{
    const struct mpl_rule_slot *value = mpl_why_slot(fact, "value");

    return value == NULL || value->n != 1
               ? ""
               : value_words(w, value->values[0].number, mpl_why_slot_text(fact, "unit"));
}

static const char *list_words(struct whynot *w, const struct mpl_rule_value *values,
                              size_t n)
{
    const char *text = "";

    for (size_t i = 0; i < n; i++) {
        text = join(w, text, ", ", values[i].text);
    }
    return n == 0 ? "nothing" : text;
}

static const char *add_pattern(struct whynot *w, const char *name,
                               const struct mpl_rule_fact *fact)
{
    const char *pattern = mpl_why_slot_text(fact, "pattern");

    return *pattern == '\0' ? name : join4(w, name, " of ", pattern, "");
}

const char *mpl_why_fact_words(struct whynot *w, const struct mpl_rule_fact *fact)
{
    static const char *const names[] = { "name", "note", "metric", "loss", "id", "label" };

    if (is_metric(fact)) {
        return join4(w, metric_words(w, fact), " = ", metric_value_words(w, fact), "");
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *name = mpl_why_slot_text(fact, names[i]);

        if (*name != '\0') {
            const struct mpl_rule_slot *who = mpl_why_slot(fact, "locations");

            name = join4(w, fact->template, " ", name, "");
            return who == NULL   ? add_pattern(w, name, fact)
                   : who->n == 1 ? join4(w, name, " (", who->values[0].text, ")")
                                 : name;
        }
    }
    return fact->template;
}

/* ---- what a pattern wants ---------------------------------------------------------------------- */

const char *mpl_why_wanted(const struct mpl_rule_condition *condition, const char *slot)
{
    for (const struct mpl_rule_constraint *k = condition->constraints; k != NULL;
         k = k->next) {
        const struct mpl_rule_term *t = k->items == NULL ? NULL : k->items->terms;

        if (strcmp(k->slot, slot) == 0 && t != NULL && t->next == NULL &&
            t->kind == MPL_TERM_LITERAL && !t->is_negated) {
            return t->literal.text;
        }
    }
    return NULL;
}

static bool binds(const struct mpl_rule_constraint *k, const char *variable)
{
    for (const struct mpl_rule_item *i = k->items; i != NULL; i = i->next) {
        if (i->terms != NULL && i->terms->kind == MPL_TERM_VARIABLE &&
            !i->terms->is_negated && strcmp(i->terms->name, variable) == 0) {
            return true;
        }
    }
    return false;
}

/** The metric whose value a variable is, by the text of the rule; NULL when it is none. */
static const char *metric_of(const struct mpl_rule_condition *conditions,
                             const char *variable)
{
    for (const struct mpl_rule_condition *c = conditions; c != NULL; c = c->next) {
        const char *inside = metric_of(c->first, variable);

        if (inside != NULL) {
            return inside;
        }
        if (c->kind != MPL_CONDITION_PATTERN || strcmp(c->template, "metric") != 0) {
            continue;
        }
        for (const struct mpl_rule_constraint *k = c->constraints; k != NULL; k = k->next) {
            if (strcmp(k->slot, "value") == 0 && binds(k, variable)) {
                return mpl_why_wanted(c, "name");
            }
        }
    }
    return NULL;
}

static const char *term_words(struct whynot *w, const struct mpl_rule_term *t,
                              const struct mpl_rule_condition *conditions,
                              const struct why_binding *bound)
{
    const char *text = "";

    if (t->kind == MPL_TERM_LITERAL) {
        text = t->literal.text;
    } else if (t->kind == MPL_TERM_VARIABLE) {
        const struct mpl_rule_fact *fact = NULL;
        const struct mpl_rule_slot *slot = mpl_why_bound(bound, t->name, &fact);

        text = slot == NULL ? "" : list_words(w, slot->values, slot->n);
    } else if (t->expr != NULL) {
        text = mpl_why_words(w, t->expr, conditions);
    }
    return t->is_negated && *text != '\0'
               ? join4(w, t->kind == MPL_TERM_PREDICATE ? "not " : "other than ", text, "",
                       "")
               : text;
}

const char *mpl_why_constraint_words(struct whynot *w,
                                     const struct mpl_rule_constraint *constraint,
                                     const struct mpl_rule_condition *conditions,
                                     const struct why_binding *bound)
{
    const char *text = "";

    for (const struct mpl_rule_item *i = constraint->items; i != NULL; i = i->next) {
        for (const struct mpl_rule_term *t = i->terms; t != NULL; t = t->next) {
            text = join(w, text, t->is_alternative ? " or " : " and ",
                        term_words(w, t, conditions, bound));
        }
    }
    return text;
}

/* ---- expressions --------------------------------------------------------------------------------- */

static const char *global_words(struct whynot *w, const char *name)
{
    struct mpl_rule_value value = { 0 };

    if (!mpl_infer_global(w->infer, name, w->arena, &value)) {
        return name;
    }
    if (value.kind == MPL_RULE_FLOAT || value.kind == MPL_RULE_INTEGER) {
        value.text = value_words(w, value.number, "");
    }
    return join4(w, value.text, " (", name, ")");
}

static const char *words_of_word(struct whynot *w, const struct mpl_form *expr,
                                 const struct mpl_rule_condition *conditions)
{
    const char *text = expr->text;

    if (expr->kind == MPL_FORM_STRING) {
        return join4(w, "\"", text, "\"", "");
    }
    if (text[0] != '?') {
        return text;
    }
    if (text[1] == '*') {
        return global_words(w, text);
    }

    const char *metric = metric_of(conditions, text + 1);

    return metric == NULL ? text : metric;
}

static bool is_infix(const char *word)
{
    static const char *const operators[] = { "<",   "<=", ">", ">=", "=", "<>",  "eq",
                                             "neq", "+",  "-", "*",  "/", "and", "or" };

    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
        if (strcmp(word, operators[i]) == 0) {
            return true;
        }
    }
    return false;
}

static const char *operator_words(const char *word)
{
    return strcmp(word, "eq") == 0 ? "=" : strcmp(word, "neq") == 0 ? "other than" : word;
}

static const char *infix_words(struct whynot *w, const struct mpl_form *list,
                               const struct mpl_rule_condition *conditions)
{
    const char *between = join4(w, " ", operator_words(list->first->text), " ", "");
    const char *text = "";

    for (const struct mpl_form *e = list->first->next; e != NULL; e = e->next) {
        const char *part = mpl_why_words(w, e, conditions);
        const bool is_nested =
            e->kind == MPL_FORM_OPEN && e->first != NULL && is_infix(e->first->text);

        text = join(w, text, between, is_nested ? join4(w, "(", part, ")", "") : part);
    }
    return text;
}

const char *mpl_why_words(struct whynot *w, const struct mpl_form *expr,
                          const struct mpl_rule_condition *conditions)
{
    if (expr->kind != MPL_FORM_OPEN) {
        return words_of_word(w, expr, conditions);
    }
    if (expr->first == NULL || expr->first->kind == MPL_FORM_OPEN) {
        return "()";
    }

    const struct mpl_form *second = expr->first->next;

    if (is_infix(expr->first->text) && second != NULL && second->next != NULL) {
        return infix_words(w, expr, conditions);
    }

    const char *text = "";

    for (const struct mpl_form *e = second; e != NULL; e = e->next) {
        text = join(w, text, ", ", mpl_why_words(w, e, conditions));
    }
    return strcmp(expr->first->text, "not") == 0
               ? join4(w, "not ", text, "", "")
               : join4(w, expr->first->text, "(", text, ")");
}

/** "run.lost is 3.1 s" for one variable; "" when it is bound to nothing that can be shown. */
static const char *variable_words(struct whynot *w, const char *name,
                                  const struct mpl_rule_condition *conditions,
                                  const struct why_binding *bound)
{
    const struct mpl_rule_fact *fact = NULL;
    const struct mpl_rule_slot *slot = mpl_why_bound(bound, name, &fact);

    if (slot == NULL) {
        return "";
    }
    if (is_metric(fact) && metric_of(conditions, name) != NULL) {
        return join4(w, metric_words(w, fact), " is ", metric_value_words(w, fact), "");
    }
    return join4(w, "?", name, " is ", list_words(w, slot->values, slot->n));
}

static const char *add_values(struct whynot *w, const char *text,
                              const struct mpl_form *expr,
                              const struct mpl_rule_condition *conditions,
                              const struct why_binding *bound)
{
    for (const struct mpl_form *e = expr->first; e != NULL; e = e->next) {
        const char *name = e->text + (e->text[0] == '$');

        if (e->kind == MPL_FORM_OPEN) {
            text = add_values(w, text, e, conditions, bound);
        } else if (e->kind != MPL_FORM_STRING && name[0] == '?' && name[1] != '*') {
            const char *one = variable_words(w, name + 1, conditions, bound);

            text = strstr(text, one) != NULL ? text : join(w, text, ", ", one);
        }
    }
    return text;
}

const char *mpl_why_values(struct whynot *w, const struct mpl_form *expr,
                           const struct mpl_rule_condition *conditions,
                           const struct why_binding *bound)
{
    return add_values(w, "", expr, conditions, bound);
}

const char *mpl_why_pattern_words(struct whynot *w, const struct mpl_rule_condition *c,
                                  const struct mpl_rule_condition *conditions,
                                  const struct why_binding *bound)
{
    const char *text = c->template;

    for (const struct mpl_rule_constraint *k = c->constraints; k != NULL && text != NULL;
         k = k->next) {
        const char *wanted = mpl_why_constraint_words(w, k, conditions, bound);
        const bool is_name = strcmp(k->slot, "name") == 0;

        if (strcmp(k->slot, "run") == 0 || *wanted == '\0') {
            continue;
        }
        text = mpl_arena_printf(w->arena, "%s %s%s%s", text, is_name ? "" : k->slot,
                                is_name ? "" : " ", wanted);
    }
    return text == NULL ? "" : text;
}

/* ---- the answer ------------------------------------------------------------------------------ */

struct mpl_why *mpl_why_add(struct mpl_why *parent, struct mpl_why *child)
{
    struct mpl_why **end = parent == NULL ? NULL : &parent->first;

    while (end != NULL && *end != NULL) {
        end = &(*end)->next;
    }
    if (end != NULL) {
        *end = child;
    }
    return child;
}

struct mpl_why *mpl_why_say(struct whynot *w, struct mpl_why *parent,
                            enum mpl_why_kind kind, const char *fmt, ...)
{
    struct mpl_why *node = MPL_NEW(w->arena, struct mpl_why);
    va_list args;

    va_start(args, fmt);
    char *text = mpl_arena_vprintf(w->arena, fmt, args);

    va_end(args);
    if (node == NULL || text == NULL) {
        return NULL;
    }
    node->kind = kind;
    node->text = text;
    return mpl_why_add(parent, node);
}

void mpl_why_place(struct mpl_why *node, const char *file, unsigned line)
{
    if (node != NULL) {
        node->place = (struct mpl_place){ .file = file, .line = line };
    }
}
