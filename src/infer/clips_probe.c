/*
 * Which facts meet conditions of a rule. To learn that, CLIPS is given a rule with these conditions,
 * which hands over what it matched:
 *
 *     (defrule CAUSES::marple-probe
 *       ?marple-0 <- (metric (name "low") (value ?v)) (test (> ?v 0.5)) => (marple-met ?marple-0))
 *
 * It matches the facts that are there when it is loaded, fires, and goes.
 */
#include "config.h"

#include "infer/ask.h"
#include "infer/clips_priv.h"

#include <math.h>
#include <string.h>

static const char probe_name[] = "marple-probe";
static const char call_name[] = "marple-met";

/** The combinations of facts that meet the conditions of a row. */
struct probe {
    struct mpl_infer *infer;
    struct mpl_arena *arena;
    const struct mpl_rule_row *row;
    const struct mpl_form *const *tests; /**< What a combination should also meet. */
    size_t n_tests;
    const char *text;
    size_t n_facts;      /**< Of one combination. */
    struct fact **tried; /**< Of the one that is being looked at. */
    size_t n;            /**< Combinations so far. */
    /* The one that misses the tests by least, and the first of these in the order of assertion: */
    struct fact **facts;
    double miss;   /**< For each test that fails 1, and up to 0.5 for by how much. */
    size_t failed; /**< The first of them. */
    bool varies;   /**< Others miss them by more. */
    bool is_unsure;
};

/* ---- while it fires ----------------------------------------------------------------------- */

/** 0 to 1: by how much the two sides of a comparison differ. */
static double distance(const DATA_OBJECT *a, const DATA_OBJECT *b)
{
    const double left = a->type == FLOAT || a->type == INTEGER ? mpl_cage_number(a) : 0.0;
    const double right = b->type == FLOAT || b->type == INTEGER ? mpl_cage_number(b) : 0.0;
    const double largest = fmax(fabs(left), fabs(right));

    return largest > 0.0 ? fmin(fabs(left - right) / largest / 2.0, 1.0) : 0.0;
}

static bool is_comparison(const struct mpl_form *expr)
{
    static const char *const operators[] = { "<", "<=", ">", ">=", "=" };

    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
        if (expr->kind == MPL_FORM_OPEN && expr->first != NULL &&
            expr->first->kind != MPL_FORM_OPEN &&
            strcmp(expr->first->text, operators[i]) == 0) {
            return expr->first->next != NULL && expr->first->next->next != NULL;
        }
    }
    return false;
}

/** Arguments from \p at on: the value of each test, and what it compares. */
static double miss_of(void *env, const struct probe *p, int at, size_t *failed)
{
    double miss = 0.0;

    for (size_t i = 0; i < p->n_tests; i++) {
        const bool has_sides = is_comparison(p->tests[i]);
        DATA_OBJECT value, left, right;

        (void) EnvRtnUnknown(env, at, &value);
        if (value.type == SYMBOL && value.value == EnvFalseSymbol(env)) {
            *failed = miss == 0.0 ? i : *failed;
            miss += 1.0;
            if (has_sides) {
                (void) EnvRtnUnknown(env, at + 1, &left);
                (void) EnvRtnUnknown(env, at + 2, &right);
                miss += 0.5 * distance(&left, &right);
            } else {
                miss += 0.5;
            }
        }
        at += has_sides ? 3 : 1;
    }
    return miss;
}

static bool is_before(const struct probe *p)
{
    for (size_t i = 0; i < p->n_facts; i++) {
        if (p->tried[i] != p->facts[i]) {
            return p->tried[i]->factIndex < p->facts[i]->factIndex;
        }
    }
    return false;
}

/** Called with facts and what tests compare. */
static int note_match(void *env)
{
    struct probe *p = GetEnvironmentFunctionContext(env);
    size_t failed = 0;

    for (size_t i = 0; i < p->n_facts; i++) {
        DATA_OBJECT fact;

        (void) EnvRtnUnknown(env, 1 + (int) i, &fact);
        p->tried[i] = fact.value;
    }

    const double miss = miss_of(env, p, 1 + (int) p->n_facts, &failed);
    p->varies = p->varies || (p->n > 0 && miss != p->miss);
    if (p->n++ == 0 || miss < p->miss || (miss == p->miss && is_before(p))) {
        p->miss = miss;
        p->failed = failed;
        memcpy(p->facts, p->tried, p->n_facts * sizeof(struct fact *));
    }
    return mpl_cage_check(GetEnvironmentContext(env));
}

/** By its full name: a run may end in another module. Where there is no rule, CLIPS would remove all of the module. */
static void remove_probe(void *env, const char *module)
{
    char name[MPL_NAME_BYTES + sizeof probe_name + 2];

    (void) snprintf(name, sizeof name, "%s::%s", module, probe_name);

    void *rule = EnvFindDefrule(env, name);

    if (rule != NULL) {
        (void) EnvUndefrule(env, rule);
    }
}

static void fire(void *context)
{
    struct probe *p = context;
    struct mpl_infer *infer = p->infer;
    struct cage *cage = &infer->cage;
    void *env = cage->env;
    void *module = EnvFindDefmodule(env, p->row->module);

    mpl_cage_forget(cage);
    mpl_cage_stop_copying(env);
    (void) EnvSetCurrentModule(env, module);
    (void) EnvDefineFunction2WithContext(env, call_name, 'b', PTIEF note_match,
                                         "note_match", NULL, p);
    if (EnvBuild(env, p->text)) {
        cage->infer = NULL; /* It is no firing of the rules. */
        EnvFocus(env, module);
        while (cage->stop == CAGE_FREE && EnvRun(env, -1) > 0) {
            /* An error ends a run early. */
        }
        cage->infer = infer;
        remove_probe(env, p->row->module);
    }
    (void) UndefineFunction(env, call_name);
    p->is_unsure = *mpl_cage_said(cage) != '\0';
    mpl_cage_forget(cage);
}

/* ---- texts of probes --------------------------------------------------------------------------- */

/** Adds to a text of the arena; "" when memory ran out. */
static void add(struct mpl_arena *arena, const char **text, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    const char *more = mpl_arena_vprintf(arena, fmt, args);

    va_end(args);
    const char *both = more == NULL ? NULL : mpl_arena_printf(arena, "%s%s", *text, more);

    *text = both == NULL ? "" : both;
}

static void add_source(struct mpl_arena *arena, const char **text,
                       const struct mpl_form *expr)
{
    add(arena, text, " %.*s", (int) expr->bytes, expr->source);
}

/** "?marple-3", or what the rule itself calls the fact of that condition. */
static void add_address(struct mpl_arena *arena, const char **text,
                        const struct mpl_rule_condition *c, size_t i)
{
    if (c->address != NULL) {
        add(arena, text, " ?%s", c->address);
    } else {
        add(arena, text, " ?marple-%zu", i);
    }
}

static const char *text_of(const struct probe *p)
{
    struct mpl_arena *arena = p->arena;
    const struct mpl_rule_row *row = p->row;
    const char *text = "";

    add(arena, &text, "(defrule %s::%s", row->module, probe_name);
    for (size_t i = 0; i < row->n; i++) {
        if (row->conditions[i]->kind == MPL_CONDITION_PATTERN) {
            add_address(arena, &text, row->conditions[i], i);
            add(arena, &text, " <-");
        }
        add(arena, &text, " %s", row->conditions[i]->text);
    }
    add(arena, &text, " => (%s", call_name);
    for (size_t i = 0; i < row->n; i++) {
        if (row->conditions[i]->kind == MPL_CONDITION_PATTERN) {
            add_address(arena, &text, row->conditions[i], i);
        }
    }
    for (size_t i = 0; i < p->n_tests; i++) {
        add_source(arena, &text, p->tests[i]);
        if (is_comparison(p->tests[i])) {
            add_source(arena, &text, p->tests[i]->first->next);
            add_source(arena, &text, p->tests[i]->first->next->next);
        }
    }
    add(arena, &text, "))");
    return text;
}

/** The facts that were kept, as numbers. */
static const long long *indices_of(const struct probe *p)
{
    long long *indices = MPL_NEW_ARRAY(p->arena, p->n_facts, long long);

    for (size_t i = 0; indices != NULL && i < p->n_facts; i++) {
        indices[i] = p->facts[i]->factIndex;
    }
    return indices;
}

struct mpl_rule_match mpl_infer_match(struct mpl_infer *infer,
                                      const struct mpl_rule_row *row,
                                      const struct mpl_form *const *tests, size_t n_tests,
                                      struct mpl_arena *arena)
{
    struct probe p = {
        .infer = infer, .arena = arena, .row = row, .tests = tests, .n_tests = n_tests
    };

    for (size_t i = 0; i < row->n; i++) {
        p.n_facts += row->conditions[i]->kind == MPL_CONDITION_PATTERN;
    }
    p.tried = MPL_NEW_ARRAY(arena, p.n_facts, struct fact *);
    p.facts = MPL_NEW_ARRAY(arena, p.n_facts, struct fact *);
    p.text = text_of(&p);
    if (mpl_arena_is_short(arena) || infer->cage.stop != CAGE_FREE ||
        !mpl_cage_enter(&infer->cage, fire, &p) || p.n == 0) {
        return (struct mpl_rule_match){ .is_unsure = p.is_unsure };
    }
    return (struct mpl_rule_match){ p.n, indices_of(&p), p.failed, p.varies, p.is_unsure };
}
