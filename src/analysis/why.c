/* Why a finding was concluded, or was not: the trees that --why and --why-not print. */
#include "config.h"

#include "analysis/analysis_priv.h"

#include <math.h>
#include <string.h>

/** One answer under construction. */
struct telling {
    struct mpl_analysis *a;
    struct mpl_arena *arena; /**< Of the answer. */
    bool *is_shown;          /**< Per finding of the diagnosis. */
    struct mpl_err *err;
    enum mpl_status st;
};

static struct mpl_why *say(struct telling *t, struct mpl_why *parent,
                           enum mpl_why_kind kind, const char *text)
{
    struct mpl_why *node = MPL_NEW(t->arena, struct mpl_why);

    if (node == NULL || text == NULL) {
        t->st = mpl_nomem(t->err);
        return NULL;
    }
    node->kind = kind;
    node->text = text;
    return mpl_why_add(parent, node);
}

/* ---- what a finding rests on ------------------------------------------------------------- */

static const char *metric_says(const struct mpl_analysis *a, const struct mpl_diagnosed *d,
                               const char *name)
{
    for (size_t i = 0; i < a->diagnosis.n_metrics; i++) {
        const struct mpl_metric_result *m = &a->diagnosis.metrics[i];

        if (m->run == d->run && strcmp(m->name, name) == 0) {
            return m->says;
        }
    }
    return NULL;
}

static void say_metrics(struct telling *t, const struct mpl_diagnosed *d,
                        struct mpl_why *parent)
{
    struct mpl_arena *arena = t->arena;

    for (size_t i = 0; i < d->n_evidence && t->st == MPL_OK; i++) {
        const struct mpl_evidence *e = &d->evidence[i];
        const bool is_at = e->location[0] != '\0';
        const char *number = mpl_why_number(arena, e->value, e->unit);
        struct mpl_why *node =
            say(t, parent, MPL_WHY_VALUE,
                number == NULL
                    ? NULL
                    : mpl_arena_printf(arena, "%s%s%s%s = %s", e->metric, is_at ? "(" : "",
                                       e->location, is_at ? ")" : "", number));

        if (node != NULL) {
            node->says = metric_says(t->a, d, e->metric);
        }
    }
}

/** "(run (id "r1") (processes 8))" as "run: id r1, processes 8". */
static const char *plain_fact(struct mpl_arena *arena, const char *fact)
{
    char *text = mpl_arena_alloc(arena, 2 * strlen(fact) + 1);
    size_t n = 0;
    bool in_slot = false;

    if (text == NULL) {
        return NULL;
    }
    for (const char *p = fact + (*fact == '('); *p != '\0'; p++) {
        if (*p == '(') {
            if (n > 0 && text[n - 1] == ' ') {
                n--;
            }
            text[n++] = in_slot ? ',' : ':';
            text[n++] = ' ';
            in_slot = true;
        } else if (*p != ')' && *p != '"') {
            text[n++] = *p;
        }
    }
    text[n] = '\0';
    return text;
}

static void say_finding(struct telling *t, size_t index, struct mpl_why *parent);

static void say_findings(struct telling *t, const struct mpl_diagnosed *d,
                         struct mpl_why *parent)
{
    const struct mpl_diagnosis *all = &t->a->diagnosis;

    for (size_t i = 0; i < d->n_because && t->st == MPL_OK; i++) {
        for (size_t k = 0; k < all->n_findings; k++) {
            if (strcmp(all->findings[k].id, d->because[i]) == 0) {
                say_finding(t, k, parent);
            }
        }
    }
}

static const char *headline(struct telling *t, const struct mpl_diagnosed *d)
{
    struct mpl_arena *arena = t->arena;
    const char *head = mpl_arena_printf(arena, "%s (%s), %s of %s", d->finding->name, d->id,
                                        d->finding->kind, d->finding->pattern);
    const char *cost = isnan(d->lost_s) ? "" : mpl_text_seconds(arena, d->lost_s);

    return head == NULL || cost == NULL || *cost == '\0'
               ? head
               : mpl_arena_printf(arena, "%s: %s of process time", head, cost);
}

/** "gain 0.167 s by replay, 0.303 s by the model: reason", one figure, or "". */
static const char *gain_text(struct mpl_arena *arena, const struct mpl_diagnosed *d)
{
    const char *gain = mpl_text_seconds(arena, d->gain_s);

    if (isnan(d->gain_s) || gain == NULL) {
        return gain == NULL ? NULL : "";
    }
    if (d->gain_reason != NULL) {
        return mpl_arena_printf(arena, "gain %s of run time: %s", gain, d->gain_reason);
    }
    return mpl_arena_printf(arena, "gain %s of run time, by %s", gain,
                            isnan(d->gain_replay_s) ? "the model of the pattern"
                            : isnan(d->gain_model_s)
                                ? "replay of the run"
                                : "replay of the run and the model of the pattern");
}

/** What it brings to act on a cause, and how far that can be relied on. */
static void say_worth(struct telling *t, const struct mpl_diagnosed *d,
                      struct mpl_why *parent)
{
    const char *gain = gain_text(t->arena, d);

    if (!mpl_diagnosed_is_cause(d)) {
        return;
    }
    if (gain == NULL || *gain != '\0') {
        (void) say(t, parent, MPL_WHY_NOTE, gain);
    }
    (void) say(t, parent, MPL_WHY_NOTE,
               mpl_arena_printf(t->arena, "%s%s%s", mpl_certainty_name(d->certainty),
                                d->certainty_reason != NULL ? ", because " : "",
                                d->certainty_reason != NULL ? d->certainty_reason : ""));
}

static void say_finding(struct telling *t, size_t index, struct mpl_why *parent)
{
    const struct mpl_diagnosed *d = &t->a->diagnosis.findings[index];
    struct mpl_why *node = say(t, parent, MPL_WHY_FINDING, headline(t, d));
    struct mpl_why *rule = NULL;

    if (node == NULL) {
        return;
    }
    if (t->is_shown[index]) {
        node->says = "shown above";
        return;
    }
    t->is_shown[index] = true;
    node->says = d->finding->text;
    t->st = mpl_why_rule(t->a->infer, d->finding->rule, t->arena, &rule, t->err);
    if (t->st != MPL_OK) {
        return;
    }
    (void) mpl_why_add(node, rule);
    say_metrics(t, d, node);
    for (size_t i = 0; i < d->n_reasons && t->st == MPL_OK; i++) {
        (void) say(t, node, MPL_WHY_VALUE, plain_fact(t->arena, d->reasons[i]));
    }
    say_findings(t, d, node);
    if (t->st == MPL_OK) {
        say_worth(t, d, node);
    }
}

/* ---- questions ------------------------------------------------------------------------------ */

static bool is_asked(const struct mpl_diagnosed *d, const char *finding)
{
    return strcmp(d->id, finding) == 0 || strcmp(d->finding->name, finding) == 0;
}

/** Ids of the findings of that name, joined by commas; "" when there are none. */
static const char *ids_of(const struct mpl_analysis *a, const char *name)
{
    const char *text = "";

    for (size_t i = 0; i < a->diagnosis.n_findings && text != NULL; i++) {
        const struct mpl_diagnosed *d = &a->diagnosis.findings[i];

        if (is_asked(d, name)) {
            text = mpl_arena_printf(a->arena, "%s%s%s", text, *text == '\0' ? "" : ", ",
                                    d->id);
        }
    }
    return text;
}

/** "f3": a number that reports give, not a name that a rule does. */
static bool is_id(const char *finding)
{
    return finding[0] == 'f' && finding[1] != '\0' &&
           finding[strspn(finding + 1, "0123456789") + 1] == '\0';
}

enum { MOST_LISTED = 12 };

/** "f1 late-process, f2 waiting": as many as a message can hold. */
static const char *list_findings(const struct mpl_analysis *a)
{
    const size_t n = a->diagnosis.n_findings;
    const char *text = "";

    for (size_t i = 0; i < n && i < MOST_LISTED && text != NULL; i++) {
        const struct mpl_diagnosed *d = &a->diagnosis.findings[i];

        text = mpl_arena_printf(a->arena, "%s%s%s %s", text, i == 0 ? "" : ", ", d->id,
                                d->finding->name);
    }
    if (n > MOST_LISTED && text != NULL) {
        text = mpl_arena_printf(a->arena, "%s and %zu more", text, n - MOST_LISTED);
    }
    return text == NULL ? "others" : text;
}

static enum mpl_status no_such_finding(const struct mpl_analysis *a, const char *finding,
                                       struct mpl_err *err)
{
    const size_t n = a->diagnosis.n_findings;
    const char **names = MPL_NEW_ARRAY(a->arena, n + 1, const char *);

    if (names == NULL) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < n; i++) {
        names[i] = a->diagnosis.findings[i].finding->name;
    }

    const char *near = is_id(finding) ? NULL : mpl_suggest(finding, names, n);

    if (is_id(finding) && n > 0) {
        return mpl_fail(err, MPL_E_USAGE, "there is no finding \"%s\"; there are %s",
                        finding, list_findings(a));
    }
    return near != NULL
               ? mpl_fail(err, MPL_E_USAGE,
                          "there is no finding \"%s\"; did you mean \"%s\"?", finding, near)
               : mpl_fail(err, MPL_E_USAGE,
                          "there is no finding \"%s\"; \"--why-not %s\" tells "
                          "what is missing for it",
                          finding, finding);
}

enum mpl_status mpl_analysis_why(struct mpl_analysis *analysis, const char *finding,
                                 struct mpl_arena *arena, const struct mpl_why **out,
                                 struct mpl_err *err)
{
    const struct mpl_diagnosis *d = &analysis->diagnosis;
    struct telling t = { .a = analysis,
                         .arena = arena,
                         .is_shown = MPL_NEW_ARRAY(arena, d->n_findings + 1, bool),
                         .err = err };
    struct mpl_why *root = NULL;

    if (t.is_shown == NULL) {
        return mpl_nomem(err);
    }
    root = say(&t, NULL, MPL_WHY_ANSWER, "");
    for (size_t i = 0; i < d->n_findings && t.st == MPL_OK; i++) {
        if (is_asked(&d->findings[i], finding)) {
            say_finding(&t, i, root);
        }
    }
    if (t.st == MPL_OK && root->first == NULL) {
        return no_such_finding(analysis, finding, err);
    }
    *out = root;
    return t.st;
}

/** What the tables of patterns know that the facts do not: why one was not taken. */
static void say_trials(struct telling *t, struct mpl_why *node)
{
    for (struct mpl_why *n = node; n != NULL && t->st == MPL_OK; n = n->next) {
        say_trials(t, n->first);
        for (size_t i = 0; n->pattern != NULL && i < t->a->diagnosis.n_trials; i++) {
            const struct mpl_trial *trial = &t->a->diagnosis.trials[i];

            if (!trial->is_chosen &&
                strcmp(mpl_pattern_name(trial->pattern), n->pattern) == 0) {
                (void) say(t, n, MPL_WHY_NOTE,
                           trial->reason != NULL ? trial->reason
                                                 : "its roles were not found");
            }
        }
    }
}

enum mpl_status mpl_analysis_why_not(struct mpl_analysis *analysis, const char *name,
                                     struct mpl_arena *arena, const struct mpl_why **out,
                                     struct mpl_err *err)
{
    struct telling t = { .a = analysis, .arena = arena, .err = err };
    const char *ids = ids_of(analysis, name);
    struct mpl_why *root = NULL;

    if (ids == NULL) {
        return mpl_nomem(err);
    }
    if (*ids != '\0') {
        *out = say(&t, NULL, MPL_WHY_ANSWER,
                   mpl_arena_printf(
                       arena, "%s was found: %s. \"--why %s\" shows what it rests on.",
                       name, ids, name));
        return t.st;
    }
    t.st = mpl_why_not(analysis->infer, name, arena, &root, err);
    if (t.st == MPL_OK) {
        say_trials(&t, root);
        *out = root;
    }
    return t.st;
}
