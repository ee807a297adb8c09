/*
 * Matching one new fact against a rule of n patterns may try (number of facts)^n combinations.
 * CLIPS calls none of its hooks meanwhile and does not look at its halt flag, so a join over a few
 * thousand facts may run for hours or fill the memory.
 *
 * But it evaluates all conditions between facts, and the hash codes of their variables, through a
 * table of the environment: the entries for what reads a slot are replaced by ours. A join without
 * any condition evaluates nothing; it gets one that is always true.
 */
#include "config.h"

#include "infer/clips_priv.h"

/* ---- what reads a slot -------------------------------------------------------------------- */

#define WATCHED(X) \
    X(0, FACT_PN_CMP1) \
    X(1, FACT_JN_CMP1) \
    X(2, FACT_JN_CMP2) \
    X(3, FACT_PN_VAR1) \
    X(4, FACT_PN_VAR2) \
    X(5, FACT_PN_VAR3) \
    X(6, FACT_JN_VAR1) \
    X(7, FACT_JN_VAR2) \
    X(8, FACT_JN_VAR3) \
    X(9, FACT_PN_CONSTANT1) \
    X(10, FACT_PN_CONSTANT2)

/* CLIPS calls with the environment only, so each entry needs a function of its own. */
#define WATCHER(i, type) \
    static intBool watch_##i(void *env, void *value, DATA_OBJECT *result) \
    { \
        struct cage *cage = GetEnvironmentContext(env); \
\
        mpl_cage_check(cage); \
        return cage->replaced[i]->evaluateFunction(env, value, result); \
    }
WATCHED(WATCHER)
#undef WATCHER

struct watched {
    int type;
    intBool (*evaluate)(void *, void *, DATA_OBJECT *);
};

static const struct watched watched[CAGE_PRIMITIVES] = {
#define ENTRY(i, type) { type, watch_##i },
    WATCHED(ENTRY)
#undef ENTRY
};

void mpl_cage_watch_primitives(struct cage *cage)
{
    struct entityRecord **table = EvaluationData(cage->env)->PrimitivesArray;

    for (size_t i = 0; i < CAGE_PRIMITIVES; i++) {
        cage->replaced[i] = table[watched[i].type];
        mpl_assert(cage->replaced[i] != NULL);
        cage->primitives[i] = *cage->replaced[i];
        cage->primitives[i].evaluateFunction = watched[i].evaluate;
        table[watched[i].type] = &cage->primitives[i];
    }
}

/* ---- joins without a condition --------------------------------------------------------------- */

/** The last place of the table, which CLIPS 6.30 fills up to DEFGLOBAL_PTR (90) and 98. */
enum { WATCH_TYPE = MAXIMUM_PRIMITIVES - 1 };

static intBool watch_join(void *env, void *value, DATA_OBJECT *result)
{
    (void) value;
    mpl_cage_check(GetEnvironmentContext(env));
    result->type = SYMBOL;
    result->value = EnvTrueSymbol(env);
    return TRUE;
}

/** Sets \p to where a condition is \p from, in all joins that lead to \p join. */
static void change_tests(struct joinNode *join, struct expr *from, struct expr *to)
{
    for (; join != NULL; join = join->lastLevel) {
        if (!join->firstJoin && join->networkTest == from) {
            join->networkTest = to;
        }
        if (join->joinFromTheRight) {
            change_tests(join->rightSideEntryStructure, from, to);
        }
    }
}

static void change_all_tests(void *env, struct expr *from, struct expr *to)
{
    for (void *module = EnvGetNextDefmodule(env, NULL); module != NULL;
         module = EnvGetNextDefmodule(env, module)) {
        (void) EnvSetCurrentModule(env, module);
        for (struct defrule *rule = EnvGetNextDefrule(env, NULL); rule != NULL;
             rule = EnvGetNextDefrule(env, rule)) {
            for (struct defrule *part = rule; part != NULL; part = part->disjunct) {
                change_tests(part->lastJoin, from, to);
            }
        }
    }
}

void mpl_cage_watch_joins(struct cage *cage)
{
    mpl_assert(EvaluationData(cage->env)->PrimitivesArray[WATCH_TYPE] == NULL);
    cage->watcher = (struct entityRecord){ .name = "marple",
                                           .type = WATCH_TYPE,
                                           .evaluateFunction = watch_join };
    cage->watch_test = (struct expr){ .type = WATCH_TYPE };
    EvaluationData(cage->env)->PrimitivesArray[WATCH_TYPE] = &cage->watcher;
    change_all_tests(cage->env, NULL, &cage->watch_test);
}

const struct mpl_rule *mpl_cage_matched_rule(struct cage *cage)
{
    const struct joinNode *join = EngineData(cage->env)->GlobalJoin;
    char name[400];

    while (join != NULL && join->ruleToActivate == NULL) {
        join = join->nextLinks == NULL ? NULL : join->nextLinks->join;
    }
    if (cage->infer == NULL || join == NULL) {
        return NULL;
    }
    (void) snprintf(name, sizeof name, "%s::%s",
                    EnvDefruleModule(cage->env, join->ruleToActivate),
                    EnvGetDefruleName(cage->env, join->ruleToActivate));
    return mpl_infer_rule(cage->infer, name);
}

void mpl_cage_unwatch(struct cage *cage)
{
    struct entityRecord **table = EvaluationData(cage->env)->PrimitivesArray;

    change_all_tests(cage->env, &cage->watch_test, NULL);
    table[WATCH_TYPE] = NULL;
    for (size_t i = 0; i < CAGE_PRIMITIVES; i++) {
        table[watched[i].type] = cage->replaced[i];
    }
}
