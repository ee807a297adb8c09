/*
 * The short ways of writing what is given, made into facts one by one:
 *
 *   (metrics (pattern "p") run.lost 4.0  worker.tasks ("1" 12.0 "2" 7.0))
 *       metrics of run "r1", unless a slot names another one; those of locations with their ranks;
 *   (like "an earlier case")
 *       all that is given in that case, but for what is given here in its place;
 *   (without (metric (name "run.lost")))
 *       takes all such facts out again.
 */
#include "config.h"

#include "ruletest/ruletest_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct row {
    struct mpl_form *first;
    struct mpl_form *last;
};

struct giving {
    const struct mpl_form *cases;
    const struct mpl_form *at; /* the case at hand: those before it are known */
    struct mpl_arena *arena;
    struct mpl_lint *lint;
    struct row like; /* facts of other cases */
    struct row own;
    bool is_nomem;
};

static bool refuse(struct giving *g, const struct mpl_form *form, const char *why)
{
    mpl_lint_add(g->lint, MPL_LINT_ERROR, form->place, "%s", why);
    return false;
}

/* ---- making forms ---------------------------------------------------------------------- */

static struct mpl_form *make(struct giving *g, enum mpl_form_kind kind, const char *text,
                             struct mpl_place place)
{
    struct mpl_form *form = MPL_NEW(g->arena, struct mpl_form);

    if (form == NULL) {
        g->is_nomem = true;
        return NULL;
    }
    form->kind = kind;
    form->text = text;
    form->place = place;
    return form;
}

/* (name value), in front of \p next. */
static const struct mpl_form *slot(struct giving *g, const char *name,
                                   enum mpl_form_kind kind, const char *text,
                                   const struct mpl_form *at, const struct mpl_form *next)
{
    struct mpl_form *list = make(g, MPL_FORM_OPEN, NULL, at->place);
    struct mpl_form *head = make(g, MPL_FORM_WORD, name, at->place);
    struct mpl_form *value = make(g, kind, text, at->place);

    if (list == NULL || head == NULL || value == NULL) {
        return next;
    }
    head->next = value;
    list->first = head;
    list->next = next;
    return list;
}

static void append(struct row *row, struct mpl_form *fact)
{
    fact->next = NULL;
    if (row->first == NULL) {
        row->first = fact;
    } else {
        row->last->next = fact;
    }
    row->last = fact;
}

/* A fact of its own, as its place in a row is another one. */
static void add(struct giving *g, struct row *row, const struct mpl_form *fact)
{
    struct mpl_form *copy = make(g, fact->kind, fact->text, fact->place);

    if (copy != NULL) {
        copy->first = fact->first;
        append(row, copy);
    }
}

/* ---- what is the same ------------------------------------------------------------------ */

static const struct mpl_form *slot_of(const struct mpl_form *fact, const char *name)
{
    for (const struct mpl_form *s = fact->first; s != NULL; s = s->next) {
        if (mpl_form_is(s, name)) {
            return s;
        }
    }
    return NULL;
}

static bool are_equal(const struct mpl_form *a, const struct mpl_form *b)
{
    const struct mpl_form *x = a == NULL ? NULL : a->first;
    const struct mpl_form *y = b == NULL ? NULL : b->first;

    while (x != NULL && y != NULL && x->kind != MPL_FORM_OPEN && y->kind != MPL_FORM_OPEN &&
           strcmp(x->text, y->text) == 0) {
        x = x->next;
        y = y->next;
    }
    return x == NULL && y == NULL;
}

/* A fact takes the place of another one that says something else of the same thing. */
static bool are_of_the_same(const struct mpl_form *a, const struct mpl_form *b)
{
    static const char *const names[] = {
        "run", "pattern", "id", "name", "location", "node"
    };
    bool is_same = mpl_form_is(a, mpl_form_head(b));

    for (size_t i = 0; i < sizeof names / sizeof names[0] && is_same; i++) {
        is_same = are_equal(slot_of(a, names[i]), slot_of(b, names[i]));
    }
    return is_same;
}

static bool has_all_slots(const struct mpl_form *fact, const struct mpl_form *wanted)
{
    bool has = mpl_form_is(fact, mpl_form_head(wanted));

    for (const struct mpl_form *s = wanted->first->next; s != NULL && has; s = s->next) {
        has = are_equal(slot_of(fact, mpl_form_head(s)), s);
    }
    return has;
}

/* Takes out those facts of other cases for which \p is_meant holds. Returns how many. */
static size_t take_out(struct giving *g, const struct mpl_form *with,
                       bool (*is_meant)(const struct mpl_form *, const struct mpl_form *))
{
    struct mpl_form *fact = g->like.first;
    size_t n = 0;

    g->like = (struct row){ NULL, NULL };
    while (fact != NULL) {
        struct mpl_form *next = (struct mpl_form *) fact->next;

        if (is_meant(fact, with)) {
            n++;
        } else {
            append(&g->like, fact);
        }
        fact = next;
    }
    return n;
}

static void put(struct giving *g, const struct mpl_form *fact)
{
    (void) take_out(g, fact, are_of_the_same);
    add(g, &g->own, fact);
}

/* ---- metrics --------------------------------------------------------------------------- */

static void put_metric(struct giving *g, const struct mpl_form *metrics,
                       const struct mpl_form *name, const struct mpl_form *location,
                       const struct mpl_form *value, const struct mpl_form *ranks)
{
    const struct mpl_form *run = slot_of(metrics, "run");
    const struct mpl_form *pattern = slot_of(metrics, "pattern");
    struct mpl_form *head = make(g, MPL_FORM_WORD, "metric", name->place);
    struct mpl_form *fact = make(g, MPL_FORM_OPEN, NULL, name->place);

    if (head == NULL || fact == NULL) {
        return;
    }
    head->next = slot(g, "value", MPL_FORM_WORD, value->text, value, ranks);
    head->next = slot(g, "location", MPL_FORM_STRING,
                      location == NULL ? "" : location->text, name, head->next);
    head->next = slot(g, "name", MPL_FORM_STRING, name->text, name, head->next);
    head->next =
        slot(g, "pattern", MPL_FORM_STRING, pattern->first->next->text, name, head->next);
    head->next = slot(g, "run", MPL_FORM_STRING,
                      run == NULL ? "r1" : run->first->next->text, name, head->next);
    fact->first = head;
    put(g, fact);
}

/* How many values of the list are larger than this one, or as large and before it; and how many there are. */
static const struct mpl_form *ranks_of(struct giving *g, const struct mpl_form *list,
                                       const struct mpl_form *value)
{
    const double own = strtod(value->text, NULL);
    bool is_before = true;
    unsigned rank = 1;
    unsigned n = 0;

    for (const struct mpl_form *l = list->first; l != NULL; l = l->next->next) {
        const double other = strtod(l->next->text, NULL);

        is_before = is_before && l->next != value;
        rank += other > own || (is_before && other == own);
        n++;
    }
    return slot(
        g, "rank", MPL_FORM_WORD, mpl_arena_printf(g->arena, "%u", rank), value,
        slot(g, "of", MPL_FORM_WORD, mpl_arena_printf(g->arena, "%u", n), value, NULL));
}

static bool is_row(const struct mpl_form *list)
{
    const struct mpl_form *l = list->first;

    while (l != NULL && l->kind == MPL_FORM_STRING && l->next != NULL &&
           l->next->kind == MPL_FORM_WORD) {
        l = l->next->next;
    }
    return l == NULL;
}

static bool give_metrics(struct giving *g, const struct mpl_form *metrics)
{
    const struct mpl_form *name = metrics->first->next;

    for (; name != NULL && name->kind == MPL_FORM_OPEN; name = name->next) {
        if (name->first == NULL || name->first->next == NULL ||
            name->first->next->kind == MPL_FORM_OPEN) {
            return refuse(g, name, "a slot such as (pattern \"p\") is expected");
        }
    }
    if (slot_of(metrics, "pattern") == NULL) {
        return refuse(g, metrics, "metrics name their (pattern \"…\")");
    }
    while (name != NULL) {
        const struct mpl_form *value = name->next;

        if (name->kind != MPL_FORM_WORD || value == NULL ||
            value->kind == MPL_FORM_STRING ||
            (value->kind == MPL_FORM_OPEN && !is_row(value))) {
            return refuse(g, name,
                          "a metric has a value, run.lost 4.0, or one per location, "
                          "worker.tasks (\"1\" 12.0 \"2\" 7.0)");
        }
        if (value->kind == MPL_FORM_WORD) {
            put_metric(g, metrics, name, NULL, value, NULL);
        }
        for (const struct mpl_form *l = value->first; l != NULL; l = l->next->next) {
            put_metric(g, metrics, name, l, l->next, ranks_of(g, value, l->next));
        }
        name = value->next;
    }
    return true;
}

/* ---- other cases ------------------------------------------------------------------------ */

static const struct mpl_form *find_case(const struct giving *g,
                                        const struct mpl_form *title)
{
    for (const struct mpl_form *c = g->cases; c != NULL && c != g->at; c = c->next) {
        const struct mpl_form *says = mpl_form_is(c, "case") ? c->first->next : NULL;

        if (says != NULL && says->kind != MPL_FORM_OPEN &&
            strcmp(says->text, title->text) == 0) {
            return c;
        }
    }
    return NULL;
}

/* All that is given in that case, in each of its rounds. */
static bool give_like(struct giving *g, const struct mpl_form *like)
{
    const struct mpl_form *title = like->first->next;
    const struct mpl_form *other;

    if (title == NULL || title->kind != MPL_FORM_STRING || title->next != NULL) {
        return refuse(g, like, "(like \"title of an earlier case\") is expected");
    }
    other = find_case(g, title);
    if (other == NULL) {
        return refuse(g, title, "there is no such case before");
    }
    for (const struct mpl_form *step = other->first->next->next; step != NULL;
         step = step->next) {
        const struct mpl_form *fact = NULL;

        if (mpl_form_is(step, "given") && !mpl_given_read(g->cases, other, step, g->arena,
                                                          g->lint, &fact, &g->is_nomem)) {
            return false;
        }
        for (; fact != NULL; fact = fact->next) {
            add(g, &g->like, fact);
        }
    }
    return true;
}

static bool leave_out(struct giving *g, const struct mpl_form *without)
{
    for (const struct mpl_form *f = without->first->next; f != NULL; f = f->next) {
        if (*mpl_form_head(f) == '\0' || take_out(g, f, has_all_slots) == 0) {
            return refuse(g, f, "no case that this one is like has such a fact");
        }
    }
    return true;
}

bool mpl_given_read(const struct mpl_form *cases, const struct mpl_form *at,
                    const struct mpl_form *given, struct mpl_arena *arena,
                    struct mpl_lint *lint, const struct mpl_form **first, bool *is_nomem)
{
    struct giving g = { .cases = cases, .at = at, .arena = arena, .lint = lint };
    bool is_right = true;

    for (const struct mpl_form *f = given->first->next; f != NULL && is_right;
         f = f->next) {
        if (mpl_form_is(f, "metrics")) {
            is_right = give_metrics(&g, f);
        } else if (mpl_form_is(f, "like")) {
            is_right = give_like(&g, f);
        } else if (mpl_form_is(f, "without")) {
            is_right = leave_out(&g, f);
        } else {
            put(&g, f);
        }
    }
    if (g.like.first != NULL) {
        g.like.last->next = g.own.first;
    }
    *first = g.like.first != NULL ? g.like.first : g.own.first;
    *is_nomem = *is_nomem || g.is_nomem;
    return is_right;
}
