/*
 * Matching one new fact against a rule of n patterns may try (number of facts)^n combinations,
 * and a pattern of n wildcards for lists (number of items)^n divisions of one list. CLIPS calls
 * none of its hooks meanwhile and does not look at its halt flag, so this may run for hours or
 * fill the memory.
 *
 * But it evaluates a condition for each combination and each division, where there is one. So
 * all of these places get a condition of ours, which looks at the limits and then does what was
 * asked before. Once a limit is reached it stands for "no match": nothing is added any more, and
 * the loops that CLIPS is in run out, each of them once, rather than all of them nested. CLIPS is
 * left as it is after any other match, and can be taken down.
 */
#include "config.h"

#include "infer/clips_priv.h"

/* The last places of the table, which CLIPS 6.30 fills up to DEFGLOBAL_PTR (90) and 98. */
enum { WATCH_PATTERN = MAXIMUM_PRIMITIVES - 3, WATCH_JOIN, WATCH_UNBLOCK };

struct mpl_cage_watch {
    struct expr test; /**< Its value is the condition of CLIPS, or the node of a pattern. */
    struct expr and_both; /**< Patterns: test, then the condition of CLIPS. */
};

/* ---- in place of conditions ------------------------------------------------------------ */

/** For each item up to which a wildcard may reach, and before a condition that may be a loop. */
static intBool watch_pattern(void *env, void *node, DATA_OBJECT *result)
{
    struct cage *cage = GetEnvironmentContext(env);

    cage->matched_node = node;

    const bool is_free = mpl_cage_check(cage);

    result->type = SYMBOL;
    result->value = is_free ? EnvTrueSymbol(env) : EnvFalseSymbol(env);
    return is_free;
}

/** A fact that a `not` or an `exists` finds ends the search, and WATCH_UNBLOCK makes it void. */
static intBool watch_join(void *env, void *condition, DATA_OBJECT *result)
{
    struct joinNode *join = EngineData(env)->GlobalJoin;

    (void) result;
    if (!mpl_cage_check(GetEnvironmentContext(env))) {
        return join->patternIsNegated || join->patternIsExists || join->joinFromTheRight;
    }
    return EvaluateJoinExpression(env, condition, join);
}

/** Before a `not` lets a combination pass, or a fact begins to block one. */
static intBool watch_unblock(void *env, void *condition, DATA_OBJECT *result)
{
    (void) result;
    return mpl_cage_check(GetEnvironmentContext(env)) &&
           EvaluateJoinExpression(env, condition, EngineData(env)->GlobalJoin);
}

/* ---- putting them there ------------------------------------------------------------------ */

static struct mpl_cage_watch *make_watch(struct cage *cage, unsigned short type,
                                         void *value)
{
    struct mpl_cage_watch *watch = MPL_NEW(cage->watches, struct mpl_cage_watch);

    if (watch == NULL) {
        mpl_cage_stop(cage, CAGE_NOMEM);
        return NULL;
    }
    watch->test = (struct expr){ .type = type, .value = value };
    return watch;
}

static void watch_test(struct cage *cage, unsigned short type, struct expr **test)
{
    if (*test == NULL || (*test)->type != type) {
        struct mpl_cage_watch *watch = make_watch(cage, type, *test);

        *test = watch == NULL ? *test : &watch->test;
    }
}

static bool is_watched(const struct factPatternNode *node)
{
    const struct expr *test = node->networkTest;

    return test != NULL &&
           (test->type == WATCH_PATTERN ||
            (test->argList != NULL && test->argList->type == WATCH_PATTERN));
}

/*
 * Only wildcards for lists repeat what is behind them, and only functions may take long. CLIPS
 * takes the conditions of a selector and of the constants behind it for keys of a hash.
 */
static bool is_worth_watching(const struct factPatternNode *node)
{
    const bool is_key = node->header.selector ||
                        (node->lastLevel != NULL && node->lastLevel->header.selector);
    const bool calls = node->networkTest != NULL && (node->networkTest->type == FCALL ||
                                                     node->networkTest->type == PCALL);

    return !is_key && !is_watched(node) && (node->header.multifieldNode || calls);
}

static void watch_nodes(struct cage *cage, struct factPatternNode *node)
{
    for (; node != NULL; node = node->lastLevel) {
        struct mpl_cage_watch *watch =
            is_worth_watching(node) ? make_watch(cage, WATCH_PATTERN, node) : NULL;

        if (watch == NULL) {
            continue;
        }
        watch->test.nextArg = node->networkTest;
        watch->and_both = (struct expr){ .type = FCALL,
                                         .value = ExpressionData(cage->env)->PTR_AND,
                                         .argList = &watch->test };
        node->networkTest = node->networkTest == NULL ? &watch->test : &watch->and_both;
    }
}

/** The join and all that lead to it. */
static void watch_joins(struct cage *cage, struct joinNode *join)
{
    for (; join != NULL; join = join->lastLevel) {
        if (!join->firstJoin) {
            watch_test(cage, WATCH_JOIN, &join->networkTest);
        }
        if (!join->firstJoin &&
            (join->patternIsNegated || join->patternIsExists || join->joinFromTheRight)) {
            watch_test(cage, WATCH_UNBLOCK, &join->secondaryNetworkTest);
        }
        if (join->joinFromTheRight) {
            watch_joins(cage, join->rightSideEntryStructure);
        } else {
            watch_nodes(cage, join->rightSideEntryStructure);
        }
    }
}

void mpl_cage_watch_matching(struct cage *cage)
{
    void *env = cage->env;

    (void) mpl_cage_install(cage, WATCH_PATTERN, watch_pattern);
    (void) mpl_cage_install(cage, WATCH_JOIN, watch_join);
    (void) mpl_cage_install(cage, WATCH_UNBLOCK, watch_unblock);
    for (void *module = EnvGetNextDefmodule(env, NULL); module != NULL;
         module = EnvGetNextDefmodule(env, module)) {
        (void) EnvSetCurrentModule(env, module);
        for (struct defrule *rule = EnvGetNextDefrule(env, NULL); rule != NULL;
             rule = EnvGetNextDefrule(env, rule)) {
            for (struct defrule *part = rule; part != NULL; part = part->disjunct) {
                watch_joins(cage, part->lastJoin);
            }
        }
    }
}
