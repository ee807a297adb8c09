/* What the host may ask after a run, and the life of an inference. */
#include "config.h"

#include "infer/clips_priv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- life ---------------------------------------------------------------------------- */

static bool number_rules(struct mpl_infer *infer)
{
    for (size_t i = 0; i < mpl_rules_count(infer->rules); i++) {
        if (mpl_names_put(infer->rule_numbers, mpl_rules_get(infer->rules, i)->name) ==
            MPL_NONE) {
            return false;
        }
    }
    return true;
}

static bool furnish(struct mpl_infer *infer)
{
    infer->rule_numbers = mpl_names_create();
    infer->finding_by_fact = mpl_map_create();
    infer->findings = mpl_buf_make(sizeof(struct finding_record *));
    infer->visible = mpl_buf_make(sizeof(struct mpl_finding *));
    infer->measures = mpl_infer_measures_make();
    infer->expectations = mpl_infer_expectations_make();
    infer->firings = mpl_buf_make(sizeof(struct mpl_firing));
    infer->errors = mpl_buf_make(sizeof(struct mpl_lint_message));
    infer->basis = mpl_buf_make(sizeof(void *));
    infer->refused = mpl_buf_make(sizeof(void *));
    infer->reasons = mpl_buf_make(sizeof(struct cited));
    return infer->rule_numbers != NULL && number_rules(infer) &&
           infer->finding_by_fact != NULL;
}

/** Without any rule. */
static enum mpl_status open_empty(const struct mpl_rules *rules,
                                  const struct mpl_infer_limits *limits,
                                  struct mpl_infer **out, struct mpl_err *err)
{
    struct mpl_arena *arena = mpl_arena_create();
    struct mpl_infer *infer = arena == NULL ? NULL : MPL_NEW(arena, struct mpl_infer);

    if (infer == NULL) {
        mpl_arena_destroy(arena);
        return mpl_nomem(err);
    }
    infer->arena = arena;
    infer->rules = rules;
    *out = infer;
    return furnish(infer) ? mpl_cage_open(&infer->cage, limits, err) : mpl_nomem(err);
}

/** Rules that CLIPS has seen have no faults any more: what goes wrong then is a limit. */
static enum mpl_status load_seen(struct mpl_infer *infer, bool is_all, struct mpl_err *err)
{
    struct mpl_lint *lint = mpl_lint_create(infer->arena);

    return lint == NULL ? mpl_nomem(err)
                        : mpl_cage_load(&infer->cage, infer->rules, is_all, lint, err);
}

/** Behind the last rule, from where on facts are asserted. */
static enum mpl_status watch_facts(struct mpl_infer *infer, struct mpl_err *err)
{
    infer->cage.infer = infer;
    infer->cage.metrics = mpl_metric_facts_create(infer->arena);
    if (infer->cage.metrics == NULL ||
        !mpl_metric_facts_restart(infer->cage.metrics, infer->cage.env)) {
        return mpl_nomem(err);
    }
    mpl_infer_add_hooks(infer);
    return MPL_OK;
}

/** Of \p infer the caller keeps nothing where something failed. */
static enum mpl_status keep(struct mpl_infer *infer, enum mpl_status st,
                            struct mpl_infer **out)
{
    if (st != MPL_OK) {
        mpl_infer_destroy(infer);
    }
    *out = st == MPL_OK ? infer : NULL;
    return st;
}

enum mpl_status mpl_infer_create(const struct mpl_rules *rules,
                                 const struct mpl_infer_limits *limits,
                                 struct mpl_infer **out, struct mpl_err *err)
{
    struct mpl_infer *infer = NULL;
    enum mpl_status st = open_empty(rules, limits, &infer, err);

    st = st == MPL_OK ? mpl_cage_load_checked(&infer->cage, rules, rules->lint, err) : st;
    st = st == MPL_OK ? watch_facts(infer, err) : st;
    return keep(infer, st, out);
}

enum mpl_status mpl_infer_begin(const struct mpl_rules *rules,
                                const struct mpl_infer_limits *limits,
                                struct mpl_infer **out, struct mpl_err *err)
{
    struct mpl_infer *infer = NULL;
    enum mpl_status st = open_empty(rules, limits, &infer, err);

    st = st == MPL_OK ? load_seen(infer, false, err) : st;
    return keep(infer, st, out);
}

static void reset(void *context)
{
    struct mpl_infer *infer = context;
    void *env = infer->cage.env;

    mpl_cage_forget(&infer->cage);
    (void) EnvSetCurrentModule(env, EnvFindDefmodule(env, "MAIN"));
    EnvReset(env);
}

/** Numbers of facts begin anew, so the maps do. */
static bool forget(struct mpl_infer *infer)
{
    struct mpl_buf *const all[] = { &infer->findings, &infer->visible, &infer->measures,
                                    &infer->firings,  &infer->errors,  &infer->expectations,
                                    &infer->basis,    &infer->refused, &infer->reasons };

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        all[i]->n = 0;
    }
    mpl_map_destroy(infer->finding_by_fact);
    infer->finding_by_fact = mpl_map_create();
    infer->firing = NULL;
    infer->cage.spent_s = 0;
    return infer->finding_by_fact != NULL;
}

/** Some rules are loaded, and no facts are there. */
static bool is_begun(const struct mpl_infer *infer)
{
    return infer->cage.infer == NULL;
}

/** False where the environment cannot be used again. */
static bool restart(struct mpl_infer *infer)
{
    if (infer == NULL || is_begun(infer) || infer->cage.stop != CAGE_FREE ||
        !forget(infer)) {
        return false;
    }
    infer->cage.infer = NULL; /* Facts that go are not withdrawn. */
    const bool is_reset = mpl_cage_enter(&infer->cage, reset, infer);
    infer->cage.infer = infer;
    return is_reset && infer->cage.stop == CAGE_FREE &&
           mpl_metric_facts_restart(infer->cage.metrics, infer->cage.env) &&
           mpl_withheld_restart(&infer->cage);
}

enum mpl_status mpl_infer_renew(const struct mpl_rules *rules,
                                const struct mpl_infer_limits *limits,
                                struct mpl_infer **infer, struct mpl_err *err)
{
    if (restart(*infer)) {
        return MPL_OK;
    }

    struct mpl_infer *next = *infer;
    enum mpl_status st = MPL_OK;

    if (next != NULL && is_begun(next)) {
        mpl_cage_set_limits(&next->cage, limits);
    } else {
        mpl_infer_destroy(next);
        next = NULL;
        st = open_empty(rules, limits, &next, err);
    }
    st = st == MPL_OK ? load_seen(next, true, err) : st;
    st = st == MPL_OK ? watch_facts(next, err) : st;
    return keep(next, st, infer);
}

void mpl_infer_destroy(struct mpl_infer *infer)
{
    if (infer == NULL) {
        return;
    }
    infer->cage.infer = NULL; /* Facts that go with the environment are not withdrawn. */
    mpl_cage_close(&infer->cage);
    mpl_metric_facts_free(infer->cage.metrics);
    mpl_withheld_free(infer->cage.withheld);
    mpl_asks_free(infer->cage.asks);
    mpl_buf_free(&infer->findings);
    mpl_buf_free(&infer->visible);
    mpl_buf_free(&infer->measures);
    mpl_buf_free(&infer->expectations);
    mpl_buf_free(&infer->firings);
    mpl_buf_free(&infer->errors);
    mpl_buf_free(&infer->basis);
    mpl_buf_free(&infer->refused);
    mpl_buf_free(&infer->reasons);
    mpl_map_destroy(infer->finding_by_fact);
    mpl_names_destroy(infer->rule_numbers);
    mpl_arena_destroy(infer->arena);
}

double mpl_infer_threshold(const struct mpl_infer *infer, const char *name)
{
    char full[64];
    DATA_OBJECT value;

    (void) snprintf(full, sizeof full, "MAIN::%s", name);
    return EnvGetDefglobalValue(infer->cage.env, full, &value) ? mpl_cage_number(&value)
                                                               : NAN;
}

/* ---- what was concluded ------------------------------------------------------------------ */

size_t mpl_infer_finding_count(const struct mpl_infer *infer)
{
    return infer->visible.n;
}

const struct mpl_finding *mpl_infer_finding(const struct mpl_infer *infer, size_t i)
{
    return *(const struct mpl_finding **) mpl_buf_get(&infer->visible, i);
}

size_t mpl_infer_firing_count(const struct mpl_infer *infer)
{
    return infer->firings.n;
}

struct mpl_firing mpl_infer_firing(const struct mpl_infer *infer, size_t i)
{
    return *(const struct mpl_firing *) mpl_buf_get(&infer->firings, i);
}

size_t mpl_infer_error_count(const struct mpl_infer *infer)
{
    return infer->errors.n;
}

const struct mpl_lint_message *mpl_infer_error(const struct mpl_infer *infer, size_t i)
{
    return mpl_buf_get(&infer->errors, i);
}

enum mpl_status mpl_infer_status(const struct mpl_infer *infer, struct mpl_err *err)
{
    return mpl_cage_status(&infer->cage, err);
}

const struct mpl_rules *mpl_infer_rules(const struct mpl_infer *infer)
{
    return infer->rules;
}
