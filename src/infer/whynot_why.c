/* What a rule that fired compares, and what its thresholds mean. */
#include "config.h"

#include "infer/whynot_priv.h"

#include <string.h>

/** The comments of the thresholds in an expression. */
static void say_thresholds(struct whynot *w, const struct why_expr *expr,
                           struct mpl_why *node)
{
    for (const struct why_expr *e = expr; e != NULL && node != NULL; e = e->next) {
        if (e->is_list) {
            say_thresholds(w, e->first, node);
        } else if (!e->is_string && strncmp(e->text, "?*", 2) == 0) {
            const char *says = mpl_why_global_says(w->rules, e->text, w->arena);

            if (says == NULL) {
                w->is_nomem = true;
            } else if (*says != '\0') {
                (void) mpl_why_say(w, node, MPL_WHY_NOTE, "%s: %s", e->text, says);
            }
        }
    }
}

static void say_compared(struct whynot *w, const struct why_expr *expr,
                         const struct why_condition *all, struct mpl_why *parent)
{
    struct mpl_why *node =
        mpl_why_say(w, parent, MPL_WHY_VALUE, "needs %s", mpl_why_words(w, expr, all));

    if (node != NULL) {
        say_thresholds(w, expr, node);
    }
}

static void say_comparisons(struct whynot *w, const struct why_condition *first,
                            const struct why_condition *all, struct mpl_why *parent)
{
    for (const struct why_condition *c = first; c != NULL && !w->is_nomem; c = c->next) {
        if (c->kind == CONDITION_TEST && c->test != NULL) {
            say_compared(w, c->test, all, parent);
        } else if (c->kind == CONDITION_NOT && c->first != NULL &&
                   c->first->kind == CONDITION_PATTERN) {
            (void) mpl_why_say(w, parent, MPL_WHY_VALUE, "needs no %s",
                               mpl_why_pattern_words(w, c->first, all, NULL));
        } else if (c->kind == CONDITION_PATTERN) {
            for (const struct why_constraint *k = c->constraints; k != NULL; k = k->next) {
                const struct why_expr *predicate = mpl_why_predicate(k);

                if (predicate != NULL) {
                    say_compared(w, predicate, all, parent);
                }
            }
        } else if (c->kind == CONDITION_AND || c->kind == CONDITION_OR) {
            say_comparisons(w, c->first, all, parent);
        }
    }
}

enum mpl_status mpl_infer_why_rule(struct mpl_infer *infer, const char *rule,
                                   struct mpl_arena *arena, struct mpl_why **out,
                                   struct mpl_err *err)
{
    struct whynot w;
    enum mpl_status st = mpl_why_open(&w, infer, arena, err);
    const struct why_text *text = st == MPL_OK ? mpl_why_text(&w, rule) : NULL;
    const struct why_condition *conditions = NULL;

    /* Findings stand also after a limit was reached, but then nothing can be evaluated. */
    st = st == MPL_E_LIMIT ? MPL_OK : st;
    *out = mpl_why_say(&w, NULL, MPL_WHY_RULE, "rule %s", rule);
    if (text != NULL && *out != NULL) {
        mpl_why_place(*out, text->rule->file, text->rule->first_line);
        (*out)->says = text->rule->says;
        if (mpl_why_read(text->source, text->construct, arena, &conditions)) {
            say_comparisons(&w, conditions, conditions, *out);
        } else {
            w.is_nomem = true;
        }
    }
    if (st == MPL_OK && (w.is_nomem || *out == NULL)) {
        st = mpl_nomem(err);
    }
    mpl_buf_free(&w.told);
    return st;
}
