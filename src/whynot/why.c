/* What a rule that fired compares, and what its thresholds mean. */
#include "config.h"

#include "whynot/whynot_priv.h"

#include <string.h>

struct whynot mpl_why_make(struct mpl_infer *infer, struct mpl_arena *arena)
{
    return (struct whynot){ .infer = infer,
                            .rules = mpl_infer_rules(infer),
                            .arena = arena,
                            .explained = mpl_buf_make(sizeof(const struct mpl_rule *)) };
}

/** The comments of the thresholds in an expression, each with \p has_value or not. */
static void say_thresholds(struct whynot *w, const struct mpl_form *expr, bool has_value,
                           struct mpl_why *node)
{
    for (const struct mpl_form *e = expr; e != NULL && node != NULL; e = e->next) {
        if (e->kind == MPL_FORM_OPEN) {
            say_thresholds(w, e->first, has_value, node);
        } else if (e->kind != MPL_FORM_STRING && strncmp(e->text, "?*", 2) == 0) {
            const char *says = mpl_why_global_says(w->rules, e->text, w->arena);

            if (says != NULL && *says != '\0') {
                const struct mpl_form alone = { .text = e->text };

                (void) mpl_why_say(w, node, MPL_WHY_NOTE, "%s: %s",
                                   has_value ? mpl_why_words(w, &alone, NULL) : e->text,
                                   says);
            }
        }
    }
}

void mpl_why_say_functions(struct whynot *w, const struct mpl_form *expr,
                           struct mpl_why *node)
{
    if (expr == NULL || expr->kind != MPL_FORM_OPEN || expr->first == NULL ||
        expr->first->kind == MPL_FORM_OPEN) {
        return;
    }
    for (size_t i = 0; i < w->n_texts && node != NULL; i++) {
        const struct why_text *f = &w->texts[i];

        if (f->rule == NULL && strcmp(f->name, expr->first->text) == 0) {
            struct mpl_why *note =
                mpl_why_say(w, node, MPL_WHY_NOTE, "%s: %s", f->name,
                            *f->construct->says == '\0' ? "a function of the rules"
                                                        : f->construct->says);

            mpl_why_place(note, f->source->file, f->construct->first_line);
            say_thresholds(w, f->actions, true, note);
        }
    }
    for (const struct mpl_form *e = expr->first->next; e != NULL; e = e->next) {
        mpl_why_say_functions(w, e, node);
    }
}

static void say_compared(struct whynot *w, const struct mpl_form *expr,
                         const struct mpl_rule_condition *all, struct mpl_why *parent)
{
    struct mpl_why *node =
        mpl_why_say(w, parent, MPL_WHY_VALUE, "needs %s", mpl_why_words(w, expr, all));

    if (node != NULL) {
        say_thresholds(w, expr, false, node);
    }
}

static void say_comparisons(struct whynot *w, const struct mpl_rule_condition *first,
                            const struct mpl_rule_condition *all, struct mpl_why *parent)
{
    for (const struct mpl_rule_condition *c = first; c != NULL; c = c->next) {
        if (c->kind == MPL_CONDITION_TEST && c->test != NULL) {
            say_compared(w, c->test, all, parent);
        } else if (c->kind == MPL_CONDITION_NOT && c->first != NULL &&
                   c->first->kind == MPL_CONDITION_PATTERN) {
            (void) mpl_why_say(w, parent, MPL_WHY_VALUE, "needs no %s",
                               mpl_why_pattern_words(w, c->first, all, NULL));
        } else if (c->kind == MPL_CONDITION_PATTERN) {
            for (const struct mpl_rule_constraint *k = c->constraints; k != NULL;
                 k = k->next) {
                const struct mpl_form *predicate = mpl_why_predicate(k);

                if (predicate != NULL) {
                    say_compared(w, predicate, all, parent);
                }
            }
        } else if (c->kind == MPL_CONDITION_AND || c->kind == MPL_CONDITION_OR) {
            say_comparisons(w, c->first, all, parent);
        }
    }
}

enum mpl_status mpl_why_rule(struct mpl_infer *infer, const char *rule,
                             struct mpl_arena *arena, struct mpl_why **out,
                             struct mpl_err *err)
{
    struct whynot w = mpl_why_make(infer, arena);
    const struct mpl_rule_condition *conditions = NULL;
    struct why_text text;

    *out = mpl_why_say(&w, NULL, MPL_WHY_RULE, "rule %s", rule);
    if (*out != NULL && mpl_why_find_rule(w.rules, rule, &text)) {
        mpl_why_place(*out, text.rule->file, text.rule->first_line);
        (*out)->says = text.rule->says;
        if (mpl_rule_conditions(text.source, text.construct, arena, &conditions)) {
            say_comparisons(&w, conditions, conditions, *out);
        }
    }
    mpl_buf_free(&w.explained);
    return mpl_arena_is_short(arena) ? mpl_nomem(err) : MPL_OK;
}
