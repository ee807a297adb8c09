/* Which facts `metric` rules can use, from their texts: demand.h. */
#include "config.h"

#include "rulebook/conditions.h"
#include "rulebook/demand.h"

#include <string.h>

struct reader {
    const struct mpl_rules *rules;
    const bool *chosen;
    struct mpl_arena *arena;
    struct mpl_demand *demand;
    struct mpl_buf uses; /* struct mpl_use */
    struct mpl_buf flat; /* struct place, of one rule */
    bool is_nomem;
};

/* A condition that stands in no other one. */
struct place {
    const struct mpl_rule_condition *condition;
    const char *metric; /* NULL: it is about no metric. */
    bool is_one_of;     /* Another name will do, too. */
    /* Of slots; NULL: something else than a variable or a text. */
    const struct mpl_rule_term *location, *run, *pattern;
    uint64_t metrics; /* Anchors of its own. */
    uint64_t templates;
};

/* ---- what conditions say of slots --------------------------------------------------------- */

static const char *variable_of(const struct mpl_rule_condition *c, const char *slot)
{
    const struct mpl_rule_term *term = mpl_rule_plain_term(c, slot);

    return term == NULL || term->kind != MPL_TERM_VARIABLE ? NULL : term->name;
}

static const char *literal_of(const struct mpl_rule_condition *c, const char *slot)
{
    const struct mpl_rule_term *term = mpl_rule_plain_term(c, slot);

    return term == NULL || term->kind != MPL_TERM_LITERAL ? NULL : term->literal.text;
}

static bool is_same(const char *a, const char *b)
{
    return a != NULL && b != NULL && strcmp(a, b) == 0;
}

/* Of two conditions of a rule: then they are about the same. */
static bool is_same_term(const struct mpl_rule_term *a, const struct mpl_rule_term *b)
{
    return a != NULL && b != NULL && a->kind == b->kind &&
           (a->kind == MPL_TERM_VARIABLE ? is_same(a->name, b->name)
                                         : is_same(a->literal.text, b->literal.text));
}

/* ---- what can be compared ------------------------------------------------------------------ */

/* The value does not change while rules fire. */
static bool is_arithmetic(const char *function)
{
    static const char *const names[] = { "+",   "-",  "*",   "/",  "min", "max",
                                         "abs", "if", ">",   ">=", "<",   "<=",
                                         "and", "or", "not", "=",  "<>",  "sqrt" };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(names[i], function) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_arithmetic_function(struct reader *r, const char *name);

/* A variable other than \p n, but for thresholds; NULL \p n: functions have parameters. */
static bool is_constant(struct reader *r, const struct mpl_form *e, const char *n,
                        bool is_function)
{
    if (e->kind != MPL_FORM_OPEN) {
        const bool is_variable = e->kind != MPL_FORM_STRING &&
                                 (e->text[0] == '?' || e->text[0] == '$') &&
                                 e->text[1] != '*';

        return !is_variable || is_function || is_same(n, e->text + 1);
    }
    if (e->first == NULL || e->first->kind == MPL_FORM_OPEN ||
        !(is_arithmetic(e->first->text) ||
          (!is_function && is_arithmetic_function(r, e->first->text)))) {
        return false;
    }
    for (const struct mpl_form *part = e->first->next; part != NULL; part = part->next) {
        if (!is_constant(r, part, n, is_function)) {
            return false;
        }
    }
    return true;
}

static bool is_arithmetic_body(struct reader *r, const struct mpl_source *source,
                               const struct mpl_construct *c)
{
    const struct mpl_form *e = NULL;

    if (!mpl_rule_actions(source, c, r->arena, &e)) {
        r->is_nomem = true;
        return false;
    }
    /* Behind deffunction, its name and its parameters. */
    for (int skip = 0; skip < 3 && e != NULL; skip++) {
        e = e->next;
    }
    while (e != NULL && is_constant(r, e, NULL, true)) {
        e = e->next;
    }
    return e == NULL;
}

static bool is_arithmetic_function(struct reader *r, const char *name)
{
    const bool *chosen = r->chosen;
    bool is_there = false;

    for (size_t i = 0; i < r->rules->n_sources; i++) {
        const struct mpl_source *source = r->rules->sources[i];

        for (size_t j = 0; j < source->n; j++, chosen++) {
            const struct mpl_construct *c = &source->constructs[j];

            if (*chosen && c->kind == MPL_CONSTRUCT_FUNCTION &&
                strcmp(c->name, name) == 0) {
                is_there = true;
                if (!is_arithmetic_body(r, source, c)) {
                    return false;
                }
            }
        }
    }
    return is_there;
}

static bool is_same_expr(const struct mpl_form *a, const struct mpl_form *b)
{
    if (a == NULL || b == NULL) {
        return a == b;
    }
    if (a->kind != b->kind) {
        return false;
    }
    return (a->kind == MPL_FORM_OPEN ? is_same_expr(a->first, b->first)
                                     : is_same(a->text, b->text)) &&
           is_same_expr(a->next, b->next);
}

static bool is_same_anchor(const struct mpl_demand_anchor *a,
                           const struct mpl_demand_anchor *b)
{
    return mpl_is_same_text(a->template, b->template) &&
           mpl_is_same_text(a->metric, b->metric) && a->is_rank == b->is_rank &&
           a->comparison == b->comparison && a->is_or_equal == b->is_or_equal &&
           mpl_is_same_text(a->n, b->n) && is_same_expr(a->than, b->than);
}

/* Its bit; 0 where there is no room, which only means that more facts are taken. */
static uint64_t add_anchor(struct reader *r, const struct mpl_demand_anchor *anchor)
{
    struct mpl_demand *d = r->demand;
    size_t i = 0;

    while (i < d->n_anchors && !is_same_anchor(&d->anchors[i], anchor)) {
        i++;
    }
    if (i == MPL_ANCHORS) {
        return 0;
    }
    if (i == d->n_anchors) {
        d->anchors[d->n_anchors++] = *anchor;
    }
    return UINT64_C(1) << i;
}

static bool is_word(const struct mpl_form *e, const char *variable)
{
    return e != NULL && e->kind != MPL_FORM_OPEN && e->kind != MPL_FORM_STRING &&
           e->text[0] == '?' && is_same(variable, e->text + 1);
}

/* (>= ?v constant), or the other way round, where \p v is the value of that condition. */
static uint64_t anchor_of_test(struct reader *r, const struct mpl_rule_condition *c,
                               const char *metric, const char *v,
                               const struct mpl_form *test)
{
    static const char *const names[] = { "<", ">", "<=", ">=" };
    const struct mpl_form *head =
        test == NULL || test->kind != MPL_FORM_OPEN ? NULL : test->first;
    const struct mpl_form *left = head == NULL ? NULL : head->next;
    const struct mpl_form *right = left == NULL ? NULL : left->next;
    struct mpl_demand_anchor anchor = { .metric = metric, .n = variable_of(c, "of") };
    const bool is_turned = is_word(right, v);

    if (right == NULL || right->next != NULL || head->kind == MPL_FORM_OPEN ||
        !(is_turned || is_word(left, v))) {
        return 0;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(names[i], head->text) == 0) {
            anchor.comparison = (head->text[0] == '<') != is_turned ? '<' : '>';
            anchor.is_or_equal = i >= 2;
        }
    }
    anchor.than = is_turned ? left : right;
    if (anchor.comparison == '\0' || !is_constant(r, anchor.than, anchor.n, false)) {
        return 0;
    }
    return add_anchor(r, &anchor);
}

static uint64_t anchor_of_literal(struct reader *r, const struct mpl_rule_condition *c,
                                  const char *metric, const char *slot)
{
    const char *literal = literal_of(c, slot);
    struct mpl_form *than = literal == NULL ? NULL : MPL_NEW(r->arena, struct mpl_form);

    if (than == NULL) {
        r->is_nomem = r->is_nomem || literal != NULL;
        return 0;
    }
    than->text = literal;
    return add_anchor(r, &(struct mpl_demand_anchor){ .metric = metric,
                                                      .is_rank = strcmp(slot, "rank") == 0,
                                                      .comparison = '=',
                                                      .than = than });
}

/* What a condition on a metric says of its value and rank. */
static uint64_t own_anchors(struct reader *r, const struct mpl_rule_condition *c,
                            const char *metric)
{
    const char *v = variable_of(c, "value");
    uint64_t anchors = anchor_of_literal(r, c, metric, "rank");

    if (mpl_rule_item_of(c, "location") == NULL) {
        return anchors; /* Most are of the whole run, which is never left out. */
    }
    anchors |= anchor_of_literal(r, c, metric, "value");
    if (v != NULL) {
        for (const struct mpl_rule_term *t = mpl_rule_plain_term(c, "value")->next;
             t != NULL; t = t->next) {
            anchors |= t->kind == MPL_TERM_PREDICATE && !t->is_negated
                           ? anchor_of_test(r, c, metric, v, t->expr)
                           : 0;
        }
    }
    return anchors;
}

/* ---- uses ------------------------------------------------------------------------------------- */

static void add_use(struct reader *r, const struct mpl_use *use)
{
    r->is_nomem = !mpl_buf_put(&r->uses, use) || r->is_nomem;
}

/* The first of the names that \p c allows; NULL where they are not written out. Then all facts may be meant. */
static const struct mpl_rule_term *names_of(struct reader *r,
                                            const struct mpl_rule_condition *c)
{
    const struct mpl_rule_item *item = mpl_rule_item_of(c, "name");
    const struct mpl_rule_term *names = item == NULL ? NULL : item->terms;

    for (const struct mpl_rule_term *t = names; t != NULL; t = t->next) {
        if (t->kind != MPL_TERM_LITERAL || t->is_negated ||
            (t != names && !t->is_alternative)) {
            names = NULL;
            break;
        }
    }
    /* A fact that a rule holds by its address may be changed by it. */
    r->demand->is_all = r->demand->is_all || names == NULL || c->address != NULL;
    return names;
}

static bool is_metric(const struct mpl_rule_condition *c)
{
    return c->kind == MPL_CONDITION_PATTERN && strcmp(c->template, "metric") == 0;
}

/* (exists (metric (run ?r) (pattern ?p) (name "x"))) */
static bool asks_for_any(const struct mpl_rule_condition *c,
                         const struct mpl_rule_condition *within)
{
    if ((within->kind != MPL_CONDITION_EXISTS && within->kind != MPL_CONDITION_NOT) ||
        within->first != c || c->next != NULL) {
        return false;
    }
    for (const struct mpl_rule_constraint *k = c->constraints; k != NULL; k = k->next) {
        if (strcmp(k->slot, "run") != 0 && strcmp(k->slot, "pattern") != 0 &&
            strcmp(k->slot, "name") != 0) {
            return false;
        }
    }
    return true;
}

/* Conditions in others stand for themselves: what anchors those around them may not hold for them. */
static void read_inner(struct reader *r, const struct mpl_rule_condition *within)
{
    for (const struct mpl_rule_condition *c = within->first; c != NULL; c = c->next) {
        const struct mpl_rule_term *name = is_metric(c) ? names_of(r, c) : NULL;

        for (; name != NULL; name = name->next) {
            const char *metric = name->literal.text;

            add_use(r, &(struct mpl_use){ .metric = metric,
                                          .metrics = own_anchors(r, c, metric),
                                          .is_any = asks_for_any(c, within) });
        }
        read_inner(r, c);
    }
}

static struct place *add_place(struct reader *r, const struct mpl_rule_condition *c)
{
    struct place *place = mpl_buf_add(&r->flat);

    if (place == NULL) {
        r->is_nomem = true;
        return NULL;
    }
    *place = (struct place){ .condition = c };
    if (c->kind == MPL_CONDITION_PATTERN) {
        place->location = mpl_rule_plain_term(c, "location");
        place->run = mpl_rule_plain_term(c, "run");
        place->pattern = mpl_rule_plain_term(c, "pattern");
    }
    return place;
}

static void flatten(struct reader *r, const struct mpl_rule_condition *conditions)
{
    for (const struct mpl_rule_condition *c = conditions; c != NULL && !r->is_nomem;
         c = c->next) {
        const struct mpl_rule_term *names = is_metric(c) ? names_of(r, c) : NULL;

        for (const struct mpl_rule_term *name = names; name != NULL; name = name->next) {
            struct place *place = add_place(r, c);

            if (place != NULL) {
                place->metric = name->literal.text;
                place->is_one_of = names->next != NULL;
                place->metrics = own_anchors(r, c, place->metric);
            }
        }
        if (c->kind == MPL_CONDITION_AND) {
            flatten(r, c->first);
        } else if (names == NULL) {
            (void) add_place(r, c);
            read_inner(r, c);
        }
    }
}

static struct place *place_at(struct reader *r, size_t i)
{
    return mpl_buf_get(&r->flat, i);
}

/* Tests that compare the value of a condition are anchors of it. */
static void read_tests(struct reader *r, struct place *place)
{
    const char *v = place->location == NULL ? NULL : variable_of(place->condition, "value");

    for (size_t i = 0; i < r->flat.n && v != NULL; i++) {
        const struct mpl_rule_condition *c = place_at(r, i)->condition;

        if (c->kind == MPL_CONDITION_TEST) {
            place->metrics |=
                anchor_of_test(r, place->condition, place->metric, v, c->test);
        }
    }
}

/* Facts of rules about the location that a metric is of. */
static void read_templates(struct reader *r, struct place *place)
{
    for (size_t i = 0; i < r->flat.n && place->location != NULL; i++) {
        const struct place *other = place_at(r, i);
        const char *template = other->condition->template;

        if (other->condition->kind == MPL_CONDITION_PATTERN && other->metric == NULL &&
            strcmp(template, "metric") != 0 && strcmp(template, "role") != 0 &&
            is_same_term(other->location, place->location) &&
            is_same_term(other->run, place->run)) {
            place->templates |=
                add_anchor(r, &(struct mpl_demand_anchor){ .template = template });
        }
    }
}

static bool is_about_same(const struct place *a, const struct place *b)
{
    return a == b || (is_same_term(a->location, b->location) &&
                      is_same_term(a->run, b->run) && is_same_term(a->pattern, b->pattern));
}

static void read_rule(struct reader *r, const struct mpl_source *source,
                      const struct mpl_construct *construct)
{
    const struct mpl_rule_condition *conditions = NULL;

    r->flat.n = 0;
    if (!mpl_rule_conditions(source, construct, r->arena, &conditions)) {
        r->is_nomem = true;
        return;
    }
    flatten(r, conditions);
    for (size_t i = 0; i < r->flat.n && !r->is_nomem; i++) {
        if (place_at(r, i)->metric != NULL) {
            read_tests(r, place_at(r, i));
            read_templates(r, place_at(r, i));
        }
    }
    for (size_t i = 0; i < r->flat.n && !r->is_nomem; i++) {
        const struct place *place = place_at(r, i);
        struct mpl_use use = { .metric = place->metric };

        for (size_t j = 0; j < r->flat.n && use.metric != NULL; j++) {
            const struct place *other = place_at(r, j);

            /* Where one of several metrics will do, what holds for one need not hold for the others. */
            if (other->metric != NULL && (i == j || !other->is_one_of) &&
                is_about_same(place, other)) {
                use.metrics |= other->metrics;
                use.templates |= other->templates;
            }
        }
        if (use.metric != NULL) {
            add_use(r, &use);
        }
    }
}

/* ---- what looks at facts otherwise ---------------------------------------------------------- */

static bool is_metric_word(const struct mpl_scanner *s, struct mpl_form_token token)
{
    return mpl_token_is(s, token, "metric") || mpl_token_is(s, token, "MAIN::metric");
}

/*
 * (?m metric) of a query, a fact (metric (name …)) that rules assert, the list of all facts, and thresholds that
 * change: then nothing can be left out.
 */
static bool looks_at_all(const struct mpl_source *source, const struct mpl_construct *c)
{
    struct mpl_scanner s = mpl_scanner_make(source->text, c->end);
    struct mpl_form_token before[2] = { { 0 } };
    bool is_action = c->kind != MPL_CONSTRUCT_RULE;

    s.at = c->begin;
    for (struct mpl_form_token token = mpl_scanner_next(&s); token.kind != MPL_FORM_END;
         token = mpl_scanner_next(&s)) {
        const bool is_query = before[0].kind == MPL_FORM_OPEN &&
                              before[1].kind == MPL_FORM_WORD &&
                              s.text[before[1].begin] == '?' && is_metric_word(&s, token);
        const bool is_fact = is_action && before[0].kind == MPL_FORM_OPEN &&
                             is_metric_word(&s, before[1]) &&
                             (token.kind == MPL_FORM_OPEN || token.kind == MPL_FORM_CLOSE);
        const bool is_change = mpl_token_is(&s, before[1], "bind") &&
                               strncmp(s.text + token.begin, "?*", 2) == 0;

        is_action = is_action || mpl_token_is(&s, token, "=>");
        if (is_query || is_fact || is_change || mpl_token_is(&s, token, "get-fact-list")) {
            return true;
        }
        before[0] = before[1];
        before[1] = token;
    }
    return false;
}

bool mpl_demand_read(const struct mpl_rules *rules, const bool *chosen,
                     struct mpl_arena *arena, struct mpl_demand *out)
{
    struct reader r = { .rules = rules,
                        .chosen = chosen,
                        .arena = arena,
                        .demand = out,
                        .uses = mpl_buf_make(sizeof(struct mpl_use)),
                        .flat = mpl_buf_make(sizeof(struct place)) };

    *out = (struct mpl_demand){ 0 };
    for (size_t i = 0; i < rules->n_sources; i++) {
        const struct mpl_source *source = rules->sources[i];

        for (size_t j = 0; j < source->n && !r.is_nomem && !out->is_all; j++, chosen++) {
            const struct mpl_construct *c = &source->constructs[j];

            if (!*chosen ||
                (c->kind != MPL_CONSTRUCT_RULE && c->kind != MPL_CONSTRUCT_FUNCTION)) {
                continue;
            }
            out->is_all = looks_at_all(source, c);
            if (c->kind == MPL_CONSTRUCT_RULE && !out->is_all) {
                read_rule(&r, source, c);
            }
        }
    }
    out->n_uses = r.uses.n;
    out->uses = mpl_buf_take(&r.uses, arena);
    mpl_buf_free(&r.uses);
    mpl_buf_free(&r.flat);
    return !r.is_nomem && out->uses != NULL;
}
