/* What the texts of rules mention: who concludes a finding, who asks for a metric, globals. */
#include "config.h"

#include "whynot/whynot_priv.h"

#include <string.h>

/** The one plain value of "(slot value)" in the list \p expr; NULL when there is none. */
static const struct mpl_form *plain_value(const struct mpl_form *expr, const char *slot)
{
    const struct mpl_form *value = mpl_form_slot(expr, slot);

    return value != NULL && value->kind != MPL_FORM_OPEN ? value : NULL;
}

static bool concludes(const struct mpl_form *expr, const char *name)
{
    for (const struct mpl_form *e = expr; e != NULL; e = e->next) {
        const struct mpl_form *plain =
            mpl_form_is(e, "finding") ? plain_value(e, "name") : NULL;

        if ((plain != NULL && strcmp(plain->text, name) == 0) ||
            (e->kind == MPL_FORM_OPEN && concludes(e->first, name))) {
            return true;
        }
    }
    return false;
}

static bool mentions(const struct mpl_form *expr, const char *text)
{
    for (const struct mpl_form *e = expr; e != NULL; e = e->next) {
        if (e->kind == MPL_FORM_OPEN ? mentions(e->first, text)
                                     : strcmp(e->text, text) == 0) {
            return true;
        }
    }
    return false;
}

/* ---- rules and functions ---------------------------------------------------------------------- */

static const struct mpl_rule *rule_of(const struct mpl_rules *rules,
                                      const struct mpl_source *source,
                                      const struct mpl_construct *c)
{
    for (size_t i = 0; i < rules->n_rules && c->kind == MPL_CONSTRUCT_RULE; i++) {
        if (rules->rules[i].first_line == c->first_line &&
            strcmp(rules->rules[i].file, source->file) == 0) {
            return &rules->rules[i];
        }
    }
    return NULL;
}

static struct why_text text_of(const struct mpl_rule *rule, const struct mpl_source *source,
                               const struct mpl_construct *c)
{
    return (struct why_text){ .rule = rule,
                              .name = rule == NULL ? c->name : rule->name,
                              .source = source,
                              .construct = c };
}

static bool read_text(struct whynot *w, struct mpl_buf *texts,
                      const struct mpl_source *source, const struct mpl_construct *c)
{
    const struct mpl_rule *rule = rule_of(w->rules, source, c);

    if (rule == NULL && c->kind != MPL_CONSTRUCT_FUNCTION) {
        return true;
    }

    struct why_text *text = mpl_buf_add(texts);

    if (text == NULL) {
        return false;
    }
    *text = text_of(rule, source, c);
    return mpl_rule_actions(source, c, w->arena, &text->actions);
}

bool mpl_why_read_texts(struct whynot *w)
{
    struct mpl_buf texts = mpl_buf_make(sizeof(struct why_text));
    bool is_read = true;

    for (size_t i = 0; i < w->rules->n_sources; i++) {
        const struct mpl_source *s = w->rules->sources[i];

        for (size_t k = 0; k < s->n && is_read; k++) {
            is_read = read_text(w, &texts, s, &s->constructs[k]);
        }
    }
    w->n_texts = texts.n;
    w->texts = mpl_buf_take(&texts, w->arena);
    mpl_buf_free(&texts);
    return is_read && w->texts != NULL;
}

bool mpl_why_find_rule(const struct mpl_rules *rules, const char *name,
                       struct why_text *out)
{
    for (size_t i = 0; i < rules->n_sources; i++) {
        const struct mpl_source *s = rules->sources[i];

        for (size_t k = 0; k < s->n; k++) {
            const struct mpl_construct *c = &s->constructs[k];
            const struct mpl_rule *rule = rule_of(rules, s, c);

            if (rule != NULL && strcmp(rule->name, name) == 0) {
                *out = text_of(rule, s, c);
                return true;
            }
        }
    }
    return false;
}

static bool calls(const struct why_text *rule, const struct why_text *function)
{
    return function->rule == NULL && mentions(rule->actions, function->name);
}

bool mpl_why_concludes(const struct whynot *w, const struct why_text *rule,
                       const char *name)
{
    if (concludes(rule->actions, name)) {
        return true;
    }
    for (size_t i = 0; i < w->n_texts; i++) {
        if (calls(rule, &w->texts[i]) && concludes(w->texts[i].actions, name)) {
            return true;
        }
    }
    return false;
}

/** Whether "(template (slot value) …)" may become a fact that \p c looks for. */
static bool may_meet(const struct mpl_form *fact, const struct mpl_rule_condition *c)
{
    for (const struct mpl_rule_constraint *k = c->constraints; k != NULL; k = k->next) {
        const char *wanted = mpl_why_wanted(c, k->slot);
        const struct mpl_form *plain = plain_value(fact, k->slot);

        if (wanted != NULL && plain != NULL && plain->text[0] != '?' &&
            strcmp(wanted, plain->text) != 0) {
            return false;
        }
    }
    return true;
}

static bool asserts(const struct mpl_form *expr, const struct mpl_rule_condition *c)
{
    for (const struct mpl_form *e = expr; e != NULL; e = e->next) {
        const struct mpl_form *fact = mpl_form_is(e, "assert") ? e->first->next : NULL;

        for (; fact != NULL; fact = fact->next) {
            if (mpl_form_is(fact, c->template) && may_meet(fact, c)) {
                return true;
            }
        }
        if (e->kind == MPL_FORM_OPEN && asserts(e->first, c)) {
            return true;
        }
    }
    return false;
}

bool mpl_why_asserts(const struct whynot *w, const struct why_text *rule,
                     const struct mpl_rule_condition *c)
{
    if (asserts(rule->actions, c)) {
        return true;
    }
    for (size_t i = 0; i < w->n_texts; i++) {
        if (calls(rule, &w->texts[i]) && asserts(w->texts[i].actions, c)) {
            return true;
        }
    }
    return false;
}

bool mpl_why_is_helper(const struct whynot *w, const char *template)
{
    for (size_t i = 0; i < w->rules->n_sources; i++) {
        const struct mpl_source *s = w->rules->sources[i];

        for (size_t k = 0; k < s->n && mpl_rule_file_order(s->file) != 0; k++) {
            if (s->constructs[k].kind == MPL_CONSTRUCT_TEMPLATE &&
                strcmp(s->constructs[k].name, template) == 0) {
                return true;
            }
        }
    }
    return false;
}

bool mpl_why_asks(const struct whynot *w, const struct why_text *rule, const char *metric)
{
    struct mpl_rule_turns turns;

    if (!mpl_rule_turns(rule->source, rule->construct, w->arena, &turns)) {
        return false;
    }
    for (size_t i = 0; i < turns.n; i++) {
        if (strcmp(turns.items[i].metric, metric) == 0) {
            return true;
        }
    }
    return false;
}

enum mpl_status mpl_why_unknown(const struct whynot *w, const char *name,
                                struct mpl_err *err)
{
    const struct mpl_mention *mentions = NULL;
    size_t n = 0;
    enum mpl_status st = mpl_rules_mentions(w->rules, w->arena, &mentions, &n, err);
    const char **names = MPL_NEW_ARRAY(w->arena, n, const char *);
    size_t n_names = 0;

    if (st != MPL_OK || names == NULL) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < n; i++) {
        if (mentions[i].kind == MPL_MENTION_CONCLUDES && mentions[i].name != NULL) {
            names[n_names++] = mentions[i].name;
        }
    }

    const char *near = mpl_suggest(name, names, n_names);

    return near == NULL
               ? mpl_fail(err, MPL_E_USAGE, "no rule concludes \"%s\"", name)
               : mpl_fail(err, MPL_E_USAGE,
                          "no rule concludes \"%s\"; did you mean \"%s\"?", name, near);
}

/* ---- globals -------------------------------------------------------------------------------- */

static size_t line_begin(const char *text, size_t at)
{
    while (at > 0 && text[at - 1] != '\n') {
        at--;
    }
    return at;
}

static size_t skip_blanks(const char *text, size_t at)
{
    return at + strspn(text + at, " \t");
}

/** Joins the comment lines that end above \p below; those of globals between may stand there. */
static const char *comment_above(const char *text, size_t below, struct mpl_arena *arena)
{
    const char *says = "";
    bool in_comment = false;

    while (below > 0 && says != NULL) {
        const size_t begin = line_begin(text, below - 1);
        const size_t at = skip_blanks(text, begin);
        const bool is_comment = text[at] == ';';

        if ((in_comment && !is_comment) || text[at] == '\n' || text[at] == '(') {
            break;
        }
        if (is_comment) {
            const size_t from = skip_blanks(text, at + strspn(text + at, ";"));
            const size_t n = strcspn(text + from, "\n");

            says = mpl_arena_printf(arena, "%.*s%s%s", (int) n, text + from,
                                    says[0] == '\0' ? "" : " ", says);
            in_comment = true;
        }
        below = begin;
    }
    return says;
}

const char *mpl_why_global_says(const struct mpl_rules *rules, const char *name,
                                struct mpl_arena *arena)
{
    for (size_t i = 0; i < rules->n_sources; i++) {
        const struct mpl_source *s = rules->sources[i];

        for (size_t k = 0; k < s->n; k++) {
            const struct mpl_construct *c = &s->constructs[k];

            if (c->kind != MPL_CONSTRUCT_GLOBAL) {
                continue;
            }

            struct mpl_scanner scanner =
                mpl_scanner_make(s->text + c->begin, c->end - c->begin);

            for (struct mpl_form_token t = mpl_scanner_next(&scanner);
                 t.kind != MPL_FORM_END; t = mpl_scanner_next(&scanner)) {
                if (mpl_token_is(&scanner, t, name)) {
                    return comment_above(s->text, line_begin(s->text, c->begin + t.begin),
                                         arena);
                }
            }
        }
    }
    return "";
}
