/*
 * Why a finding is missing. CLIPS knows which conditions of each rule that could have concluded it
 * the facts at the end of the run meet. The first condition that nothing meets is the reason; what
 * it lacks (a finding, a metric that nobody asked for, a fact that rules hand on to each other) is
 * followed to the rules that would have brought it.
 */
#include "config.h"

#include "whynot/whynot_priv.h"

#include <string.h>

enum { MOST_DEPTH = 6 };

/** A rule under examination. */
struct examined {
    const struct why_text *text;
    const struct mpl_rule_condition *conditions;
    int depth;
};

/** Conditions that are met, and how. */
struct stand {
    struct mpl_rule_row row;
    struct why_met met;
};

static void explain_rule(struct whynot *w, const struct why_text *text,
                         struct mpl_why *parent, int depth);
static bool walk(struct whynot *w, const struct examined *e, const struct stand *stand,
                 const struct mpl_rule_condition *first, struct mpl_why *parent);

/* ---- conditions that are met ----------------------------------------------------------------- */

static const char *add_met(struct whynot *w, const char *text, const char *more)
{
    const char *both =
        *more == '\0' || strstr(text, more) != NULL
            ? text
            : mpl_arena_printf(w->arena, "%s%s%s", text, *text == '\0' ? "" : ", ", more);

    return both == NULL ? text : both;
}

static const char *all_met_words(struct whynot *w, const char *text,
                                 const struct stand *before,
                                 const struct mpl_rule_condition *more,
                                 const struct mpl_rule_condition *conditions);

/** A condition of \p stand in words, behind \p text. */
static const char *met_words(struct whynot *w, const char *text, const struct stand *stand,
                             size_t at, const struct mpl_rule_condition *conditions)
{
    const struct mpl_rule_condition *c = stand->row.conditions[at];
    const struct mpl_rule_fact *fact = mpl_why_fact_for(stand->met.bound, c);
    const struct stand before = { .row = { stand->row.module, at, stand->row.conditions } };
    const char *one = "";

    if (c->kind == MPL_CONDITION_TEST && c->test != NULL) {
        one = mpl_why_words(w, c->test, conditions);
    } else if (c->kind == MPL_CONDITION_PATTERN) {
        one = fact == NULL ? "" : mpl_why_fact_words(w, fact);
    } else if (c->kind == MPL_CONDITION_NOT && c->first != NULL &&
               c->first->kind == MPL_CONDITION_PATTERN) {
        one = mpl_arena_printf(
            w->arena, "no %s",
            mpl_why_pattern_words(w, c->first, conditions, stand->met.bound));
    } else if (c->kind == MPL_CONDITION_EXISTS) {
        text = all_met_words(w, text, &before, c->first, conditions);
    } else if (c->kind == MPL_CONDITION_OR) {
        for (const struct mpl_rule_condition *p = c->first; p != NULL; p = p->next) {
            struct mpl_rule_condition alone = *p;

            alone.next = NULL;
            text = all_met_words(w, text, &before, &alone, conditions);
        }
    } else {
        one = c->text;
    }
    return add_met(w, text, one == NULL ? "" : one);
}

/** \p more, where it is met with \p before. */
static const char *all_met_words(struct whynot *w, const char *text,
                                 const struct stand *before,
                                 const struct mpl_rule_condition *more,
                                 const struct mpl_rule_condition *conditions)
{
    struct stand with = { .row = mpl_why_extend(w, &before->row, more) };

    with.met = mpl_why_match(w, &with.row, NULL, 0);
    for (size_t i = before->row.n; i < with.row.n && with.met.n > 0; i++) {
        text = met_words(w, text, &with, i, conditions);
    }
    return text;
}

/** Conditions of \p stand from \p first on. */
static void say_met(struct whynot *w, const struct examined *e, const struct stand *stand,
                    size_t first, struct mpl_why *parent)
{
    const char *text = "";

    for (size_t i = first; i < stand->row.n; i++) {
        text = met_words(w, text, stand, i, e->conditions);
    }
    if (*text == '\0') {
        return;
    }
    if (stand->met.n > 1) {
        (void) mpl_why_say(w, parent, MPL_WHY_MET, "met, in %zu ways, here the first: %s",
                           stand->met.n, text);
    } else {
        (void) mpl_why_say(w, parent, MPL_WHY_MET, "met: %s", text);
    }
}

/* ---- what is missing ------------------------------------------------------------------------------ */

static const struct mpl_rule_fact *find_fact(const struct whynot *w, const char *template,
                                             const char *slot, const char *value,
                                             const char *pattern)
{
    for (size_t i = 0; i < w->n_facts; i++) {
        const struct mpl_rule_fact *f = &w->facts[i];

        if (strcmp(f->template, template) == 0 &&
            strcmp(mpl_why_slot_text(f, slot), value) == 0 &&
            (pattern == NULL || strcmp(mpl_why_slot_text(f, "pattern"), pattern) == 0)) {
            return f;
        }
    }
    return NULL;
}

static bool has_fired(const struct whynot *w, const char *rule)
{
    for (size_t i = 0; i < mpl_infer_firing_count(w->infer); i++) {
        if (strcmp(mpl_infer_firing(w->infer, i).rule, rule) == 0) {
            return true;
        }
    }
    return false;
}

struct asked {
    const char *metric, *pattern; /**< NULL: any. */
    bool is_asked;
};

static void note_asked(void *context, const char *run, const char *pattern,
                       const char *metric)
{
    struct asked *asked = context;

    (void) run;
    asked->is_asked = asked->is_asked ||
                      (strcmp(metric, asked->metric) == 0 &&
                       (asked->pattern == NULL || strcmp(pattern, asked->pattern) == 0));
}

/** Nobody asked for a metric: those who would have. */
static void missing_metric(struct whynot *w, const struct examined *e, const char *name,
                           struct mpl_why *node)
{
    size_t n = 0;

    for (size_t i = 0; i < w->n_texts; i++) {
        const struct why_text *t = &w->texts[i];

        if (t->rule != NULL && t != e->text && mpl_why_asks(w, t, name)) {
            mpl_why_place(mpl_why_say(w, node, MPL_WHY_NOTE,
                                      "%s asks for it once its conditions before are met",
                                      t->name),
                          t->rule->file, t->rule->first_line);
            n++;
        }
    }
    if (n == 0) {
        (void) mpl_why_say(w, node, MPL_WHY_NOTE, "no rule asks for it");
    }
}

static struct mpl_why *say_no_metric(struct whynot *w, const struct examined *e,
                                     const struct mpl_rule_condition *c, const char *name,
                                     struct mpl_why *parent)
{
    const char *pattern = mpl_why_wanted(c, "pattern");
    const struct mpl_rule_fact *unknown = find_fact(w, "unknown", "name", name, pattern);
    struct asked asked = { name, pattern, false };
    struct mpl_why *node = NULL;

    if (unknown != NULL) {
        return mpl_why_say(w, parent, MPL_WHY_FAILED, "%s is not known from this trace: %s",
                           name, mpl_why_slot_text(unknown, "why"));
    }
    if (!mpl_infer_may_be_given(w->infer, "metric", name)) {
        return mpl_why_say(w, parent, MPL_WHY_FAILED,
                           "no pattern of this run has a metric %s", name);
    }
    (void) mpl_infer_ask(w->infer, note_asked, &asked);
    if (asked.is_asked) {
        return mpl_why_say(
            w, parent, MPL_WHY_FAILED,
            "%s was asked for, but no pattern of this run has a value for it", name);
    }
    node =
        mpl_why_say(w, parent, MPL_WHY_FAILED,
                    "%s was not evaluated, because no rule has come to ask for it", name);
    missing_metric(w, e, name, node);
    return node;
}

/** How often the rules concluded \p name is of no matter here: there is no such finding. */
static struct mpl_why *say_no_finding(struct whynot *w, const struct examined *e,
                                      const char *name, struct mpl_why *parent)
{
    struct mpl_why *node =
        mpl_why_say(w, parent, MPL_WHY_FAILED, "there is no finding %s", name);

    for (size_t i = 0; i < w->n_texts; i++) {
        /* A rule that looks for the finding it concludes is no way to the first of them. */
        if (w->texts[i].rule != NULL && &w->texts[i] != e->text &&
            mpl_why_concludes(w, &w->texts[i], name)) {
            explain_rule(w, &w->texts[i], node, e->depth + 1);
        }
    }
    return node;
}

/** A fact that rules hand on to each other. Those already shown end a circle of them. */
static void missing_helper(struct whynot *w, const struct examined *e,
                           const struct mpl_rule_condition *c, struct mpl_why *node)
{
    size_t n = 0;

    for (size_t i = 0; i < w->n_texts; i++) {
        if (w->texts[i].rule != NULL && mpl_why_asserts(w, &w->texts[i], c)) {
            explain_rule(w, &w->texts[i], node, e->depth + 1);
            n++;
        }
    }
    if (n == 0) {
        (void) mpl_why_say(w, node, MPL_WHY_NOTE, "no rule asserts it");
    }
}

static struct mpl_why *say_missing(struct whynot *w, const struct examined *e,
                                   const struct mpl_rule_condition *c,
                                   const struct why_binding *bound, struct mpl_why *parent)
{
    const char *name = mpl_why_wanted(c, "name");
    struct mpl_why *node = NULL;

    if (name != NULL && strcmp(c->template, "metric") == 0) {
        return say_no_metric(w, e, c, name, parent);
    }
    if (name != NULL && strcmp(c->template, "finding") == 0) {
        return say_no_finding(w, e, name, parent);
    }
    if (name != NULL && strcmp(c->template, "pattern") == 0) {
        node = mpl_why_say(w, parent, MPL_WHY_FAILED,
                           "pattern %s was not recognised in this run", name);
        if (node != NULL) {
            node->pattern = name;
        }
        return node;
    }
    node = mpl_why_say(w, parent, MPL_WHY_FAILED, "there is no %s",
                       mpl_why_pattern_words(w, c, e->conditions, bound));
    if (mpl_why_is_helper(w, c->template)) {
        missing_helper(w, e, c, node);
    }
    return node;
}

/* ---- the condition that fails ------------------------------------------------------------------------ */

static struct mpl_why *say_near(struct whynot *w, const struct examined *e,
                                const struct why_near *near, struct mpl_why *parent)
{
    const struct mpl_form *wanted = mpl_why_predicate(near->constraint);
    const char *has = "";

    if (wanted != NULL) {
        has = mpl_why_values(w, wanted, e->conditions, near->bound);
        return mpl_why_say(w, parent, MPL_WHY_FAILED, "%s%s; the rule needs %s",
                           *has == '\0' ? mpl_why_fact_words(w, near->fact) : has,
                           near->has_others ? ", the nearest" : "",
                           mpl_why_words(w, wanted, e->conditions));
    }

    const struct mpl_rule_slot *slot = mpl_why_slot(near->fact, near->constraint->slot);
    const char *wants =
        mpl_why_constraint_words(w, near->constraint, e->conditions, near->bound);

    for (size_t i = 0; slot != NULL && i < slot->n && has != NULL; i++) {
        has = mpl_arena_printf(w->arena, "%s%s%s", has, i > 0 ? ", " : "",
                               slot->values[i].text);
    }
    return mpl_why_say(w, parent, MPL_WHY_FAILED, "%s%s has %s %s; the rule needs %s",
                       mpl_why_fact_words(w, near->fact),
                       near->has_others ? ", the nearest," : "", near->constraint->slot,
                       has == NULL || *has == '\0' ? "(none)" : has,
                       *wants == '\0' ? "one" : wants);
}

static struct mpl_why *fail_pattern(struct whynot *w, const struct examined *e,
                                    const struct stand *stand,
                                    const struct mpl_rule_condition *c,
                                    struct mpl_why *parent)
{
    const struct why_near near = mpl_why_nearest_fact(w, &stand->row, stand->met.bound, c);

    return near.fact == NULL ? say_missing(w, e, c, stand->met.bound, parent)
                             : say_near(w, e, &near, parent);
}

static struct mpl_why *fail_test(struct whynot *w, const struct examined *e,
                                 const struct stand *stand,
                                 const struct mpl_rule_condition *c, struct mpl_why *parent)
{
    const struct why_met near = mpl_why_match(w, &stand->row, &c->test, 1);
    const char *has = mpl_why_values(w, c->test, e->conditions, near.bound);
    struct mpl_why *node =
        mpl_why_say(w, parent, MPL_WHY_FAILED, "%s%s%sthe rule needs %s", has,
                    *has != '\0' && near.varies ? ", the nearest" : "",
                    *has == '\0' ? "" : "; ", mpl_why_words(w, c->test, e->conditions));

    mpl_why_say_functions(w, c->test, node);
    return node;
}

static struct mpl_why *fail_not(struct whynot *w, const struct examined *e,
                                const struct stand *stand,
                                const struct mpl_rule_condition *c, struct mpl_why *parent)
{
    const char *text = all_met_words(w, "", stand, c->first, e->conditions);

    return *text == '\0'
               ? mpl_why_say(w, parent, MPL_WHY_FAILED, "the rule needs %s", c->text)
               : mpl_why_say(w, parent, MPL_WHY_FAILED,
                             "the rule keeps quiet because there is this: %s", text);
}

static struct mpl_why *fail_any(struct whynot *w, const struct examined *e,
                                const struct stand *stand,
                                const struct mpl_rule_condition *c, struct mpl_why *parent)
{
    struct mpl_why *node = mpl_why_say(w, parent, MPL_WHY_FAILED, "none of these is met:");

    for (const struct mpl_rule_condition *p = c->first; p != NULL; p = p->next) {
        struct mpl_rule_condition alone = *p;

        alone.next = NULL;
        (void) walk(w, e, stand, &alone, node);
    }
    return node;
}

static void say_failed(struct whynot *w, const struct examined *e,
                       const struct stand *stand, const struct mpl_rule_condition *c,
                       struct mpl_why *parent)
{
    struct mpl_why *node = NULL;

    switch (c->kind) {
    case MPL_CONDITION_PATTERN:
        node = fail_pattern(w, e, stand, c, parent);
        break;
    case MPL_CONDITION_TEST:
        node = c->test == NULL ? NULL : fail_test(w, e, stand, c, parent);
        break;
    case MPL_CONDITION_NOT:
        node = fail_not(w, e, stand, c, parent);
        break;
    case MPL_CONDITION_OR:
        node = fail_any(w, e, stand, c, parent);
        break;
    case MPL_CONDITION_EXISTS:
        node = mpl_why_say(w, parent, MPL_WHY_FAILED, "not met together: %s", c->text);
        (void) walk(w, e, stand, c->first, node);
        break;
    default:
        node = mpl_why_say(w, parent, MPL_WHY_FAILED, "the rule needs %s", c->text);
        break;
    }
    mpl_why_place(node, e->text->rule->file, c->line);
}

/** Walks along the conditions behind \p stand until one fails. True when all are met. */
static bool walk(struct whynot *w, const struct examined *e, const struct stand *stand,
                 const struct mpl_rule_condition *first, struct mpl_why *parent)
{
    const struct mpl_rule_row all = mpl_why_extend(w, &stand->row, first);
    struct stand now = { .row = all, .met = stand->met };

    for (now.row.n = stand->row.n; now.row.n < all.n; now.row.n++) {
        const struct mpl_rule_row longer = { all.module, now.row.n + 1, all.conditions };
        const struct why_met met = mpl_why_match(w, &longer, NULL, 0);

        if (met.n == 0) {
            break;
        }
        now.met = met;
    }
    say_met(w, e, &now, stand->row.n, parent);
    if (now.row.n == all.n || mpl_arena_is_short(w->arena)) {
        return true;
    }
    say_failed(w, e, &now, all.conditions[now.row.n], parent);

    const size_t rest = all.n - now.row.n - 1;

    if (rest > 0) {
        (void) mpl_why_say(w, parent, MPL_WHY_NOTE, "%zu further condition%s not looked at",
                           rest, rest > 1 ? "s" : "");
    }
    return false;
}

/* ---- rules ------------------------------------------------------------------------------------------------ */

static bool is_explained(const struct whynot *w, const struct mpl_rule *rule)
{
    for (size_t i = 0; i < w->explained.n; i++) {
        if (*(const struct mpl_rule **) mpl_buf_get(&w->explained, i) == rule) {
            return true;
        }
    }
    return false;
}

static void say_all_met(struct whynot *w, const struct why_text *text, struct mpl_why *node)
{
    for (size_t i = 0; i < mpl_infer_error_count(w->infer); i++) {
        const struct mpl_lint_message *m = mpl_infer_error(w->infer, i);

        if (m->place.line == text->rule->first_line &&
            strcmp(m->place.file, text->rule->file) == 0) {
            (void) mpl_why_say(w, node, MPL_WHY_FAILED, "%s", m->text);
            return;
        }
    }
    mpl_why_place(
        mpl_why_say(w, node, MPL_WHY_FAILED,
                    has_fired(w, text->name)
                        ? "all conditions are met and the rule fired, but its actions "
                          "concluded something else, or it was withdrawn"
                        : "all conditions are met now, but were not when it could fire"),
        text->rule->file, text->rule->first_line);
}

static void explain_rule(struct whynot *w, const struct why_text *text,
                         struct mpl_why *parent, int depth)
{
    struct mpl_why *node = mpl_why_say(w, parent, MPL_WHY_RULE, "%s", text->name);
    struct examined e = { .text = text, .depth = depth };

    if (node == NULL) {
        return;
    }
    if (is_explained(w, text->rule) || depth > MOST_DEPTH) {
        node->says = depth > MOST_DEPTH ? "and so on" : "shown above";
        return;
    }
    mpl_why_place(node, text->rule->file, text->rule->first_line);

    if (!mpl_buf_put(&w->explained, &text->rule) ||
        !mpl_rule_conditions(text->source, text->construct, w->arena, &e.conditions)) {
        mpl_arena_set_short(w->arena);
        return;
    }
    node->says = text->rule->says;

    const struct stand nothing = { .row = { .module = text->construct->module } };

    if (walk(w, &e, &nothing, e.conditions, node)) {
        say_all_met(w, text, node);
    }
}

/* ---- questions ----------------------------------------------------------------------------------------------- */

static enum mpl_status read_all(struct whynot *w, struct mpl_err *err)
{
    if (!mpl_why_read_texts(w) ||
        !mpl_infer_facts(w->infer, w->arena, &w->facts, &w->n_facts)) {
        return mpl_nomem(err);
    }
    return mpl_infer_status(w->infer, err);
}

static void explain_all(struct whynot *w, const char *name, struct mpl_why *root)
{
    for (size_t i = 0; i < w->n_texts; i++) {
        if (w->texts[i].rule != NULL && mpl_why_concludes(w, &w->texts[i], name)) {
            explain_rule(w, &w->texts[i], root, 0);
        }
    }
    if (w->is_unsure) {
        (void) mpl_why_say(w, root, MPL_WHY_NOTE,
                           "A condition could not be evaluated outside of its rule and "
                           "counts as not met.");
    }
}

enum mpl_status mpl_why_not(struct mpl_infer *infer, const char *name,
                            struct mpl_arena *arena, struct mpl_why **out,
                            struct mpl_err *err)
{
    struct whynot w = mpl_why_make(infer, arena);
    enum mpl_status st = read_all(&w, err);
    size_t n = 0;

    for (size_t i = 0; st == MPL_OK && i < w.n_texts; i++) {
        n += w.texts[i].rule != NULL && mpl_why_concludes(&w, &w.texts[i], name);
    }
    if (st == MPL_OK && n == 0) {
        st = mpl_why_unknown(&w, name, err);
    }
    if (st == MPL_OK) {
        struct mpl_why *root =
            mpl_why_say(&w, NULL, MPL_WHY_ANSWER,
                        n == 1 ? "%s was not found. One rule could have concluded it."
                               : "%s was not found. %zu rules could have concluded it.",
                        name, n);

        explain_all(&w, name, root);
        st = mpl_arena_is_short(arena) ? mpl_nomem(err) : mpl_infer_status(infer, err);
        *out = root;
    }
    mpl_buf_free(&w.explained);
    return st;
}
