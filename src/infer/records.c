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

/** Rules that CLIPS has seen have no faults any more: what goes wrong then is a limit. */
static enum mpl_status load(struct mpl_infer *infer, bool is_seen, struct mpl_err *err)
{
    struct mpl_lint *lint = mpl_lint_create(infer->arena);

    if (lint == NULL) {
        return mpl_nomem(err);
    }

    const enum mpl_status st =
        is_seen
            ? mpl_cage_load(&infer->cage, infer->rules, lint, err)
            : mpl_cage_load_checked(&infer->cage, infer->rules, infer->rules->lint, err);

    if (st != MPL_OK) {
        return st;
    }
    infer->cage.infer = infer;
    infer->cage.metrics = mpl_metric_facts_create(infer->arena);
    if (infer->cage.metrics == NULL ||
        !mpl_metric_facts_restart(infer->cage.metrics, infer->cage.env)) {
        return mpl_nomem(err);
    }
    mpl_infer_add_hooks(infer);
    return MPL_OK;
}

static enum mpl_status create(const struct mpl_rules *rules,
                              const struct mpl_infer_limits *limits, bool is_seen,
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

    enum mpl_status st = furnish(infer) ? MPL_OK : mpl_nomem(err);

    if (st == MPL_OK) {
        st = mpl_cage_open(&infer->cage, limits, err);
    }
    if (st == MPL_OK) {
        st = load(infer, is_seen, err);
    }
    if (st != MPL_OK) {
        mpl_infer_destroy(infer);
        return st;
    }
    *out = infer;
    return MPL_OK;
}

enum mpl_status mpl_infer_create(const struct mpl_rules *rules,
                                 const struct mpl_infer_limits *limits,
                                 struct mpl_infer **out, struct mpl_err *err)
{
    return create(rules, limits, false, out, err);
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

/** False where the environment cannot be used again. */
static bool restart(struct mpl_infer *infer)
{
    if (infer == NULL || infer->cage.stop != CAGE_FREE || !forget(infer)) {
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
    mpl_infer_destroy(*infer);
    *infer = NULL;
    return create(rules, limits, true, infer, err);
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

bool mpl_infer_may_be_given(const struct mpl_infer *infer, const char *template,
                            const char *name)
{
    const struct mpl_infer_limits *limits = &infer->cage.limits;
    bool is_given = limits->given == NULL;

    for (size_t i = 0; i < limits->n_given && !is_given; i++) {
        const struct mpl_given *given = &limits->given[i];

        is_given = strcmp(given->template, template) == 0 &&
                   (given->name == NULL || strcmp(given->name, name) == 0);
    }
    return is_given;
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
