/*
 * The limits of time and memory that rules have, and the way into CLIPS and out of it.
 */
#include "config.h"

#include "infer/clips_priv.h"

#include <math.h>
#include <string.h>
#include <time.h>

/* ---- limits ------------------------------------------------------------------------ */

/**
 * Processor time of this thread, so that a busy machine does not shorten the rules' share. The
 * cage has nothing to wait for, so it cannot outlast this clock.
 */
static double processor_s(void)
{
    struct timespec now = { 0 };

    (void) clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double) now.tv_sec + (double) now.tv_nsec * 1e-9;
}

/* ---- whose conditions are being tried ---- */

/** The first join behind a node of a pattern. */
static const struct joinNode *entry_of(const struct factPatternNode *node)
{
    while (node != NULL && !node->header.stopNode) {
        node = node->nextLevel;
    }
    return node == NULL ? NULL : node->header.entryJoin;
}

void mpl_cage_begin_match(struct cage *cage)
{
    cage->match_began_bytes = mpl_cage_bytes(cage);
    cage->match_began_s = NAN;
    cage->matched_node = NULL;
}

/** The last join whose conditions are being evaluated, or that they lead to; or NULL. */
static const struct joinNode *matched_join(const struct cage *cage)
{
    const struct joinNode *join = EngineData(cage->env)->GlobalJoin;

    if (!EngineData(cage->env)->JoinOperationInProgress) {
        return NULL;
    }
    if (join == NULL) {
        join = entry_of(cage->matched_node);
    }
    while (join != NULL && join->ruleToActivate == NULL) {
        join = join->nextLinks == NULL ? NULL : join->nextLinks->join;
    }
    return join;
}

const struct mpl_rule *mpl_infer_rule(const struct mpl_infer *infer, const char *name)
{
    const uint32_t number = mpl_names_find(infer->rule_numbers, name);

    return number == MPL_NONE ? mpl_rules_find(infer->rules, name)
                              : mpl_rules_get(infer->rules, number);
}

const struct mpl_rule *mpl_cage_matched_rule(struct cage *cage)
{
    const struct joinNode *join = matched_join(cage);
    char name[400];

    if (cage->infer == NULL || join == NULL) {
        return NULL;
    }
    (void) snprintf(name, sizeof name, "%s::%s",
                    EnvDefruleModule(cage->env, join->ruleToActivate),
                    EnvGetDefruleName(cage->env, join->ruleToActivate));
    return mpl_infer_rule(cage->infer, name);
}

/** Of the combinations of facts that a rule holds. */
static double held_bytes(const struct joinNode *last)
{
    double n = 0.0;

    for (const struct joinNode *join = last; join != NULL; join = join->lastLevel) {
        n += join->leftMemory == NULL ? 0.0 : (double) join->leftMemory->count;
    }
    return n * (double) sizeof(struct partialMatch);
}

bool mpl_cage_is_match_to_blame(struct cage *cage)
{
    const double grown = (double) mpl_cage_bytes(cage) - (double) cage->match_began_bytes;
    const double seconds =
        isnan(cage->match_began_s) ? 0.0 : mpl_cage_seconds(cage) - cage->match_began_s;
    const double much = (double) cage->limits.memory_bytes / 4.0;

    return grown > much || held_bytes(matched_join(cage)) > much ||
           seconds > cage->limits.seconds / 4.0;
}

/* ---- stopping ---- */

void mpl_cage_stop(struct cage *cage, enum cage_stop why)
{
    if (cage->stop == CAGE_FREE) {
        cage->stop = why;
        cage->stopped_in = cage->infer == NULL ? NULL : cage->infer->firing;
        cage->matched_for = mpl_cage_matched_rule(cage);
        cage->is_match_to_blame = mpl_cage_is_match_to_blame(cage);
    }
    SetHaltExecution(cage->env, TRUE);
}

/** What malloc adds to a block, at most, and no less for most of the small ones. */
enum { BLOCK_BYTES = 16 };

uint64_t mpl_cage_bytes(const struct cage *cage)
{
    return (uint64_t) EnvMemUsed(cage->env) +
           BLOCK_BYTES * (uint64_t) EnvMemRequests(cage->env);
}

/**
 * Of CLIPS and of what is noted of its facts. For the combinations of facts that find-all-facts
 * holds, CLIPS will take at most twice as much again for the list of them, in one go.
 */
static bool is_memory_used_up(const struct cage *cage)
{
    const uint64_t clips = mpl_cage_bytes(cage);
    const uint64_t noted = cage->infer == NULL ? 0 : mpl_arena_bytes(cage->infer->arena);
    const uint64_t began = cage->list_began_bytes;
    const uint64_t ahead = began == 0 || clips < began ? 0 : 2 * (clips - began);

    return clips + noted + ahead > cage->limits.memory_bytes;
}

/** To ask the clock costs as much as matching a fact: whoever comes only to assert one is timed from when
    somebody wants to know, which is for what takes long. */
double mpl_cage_seconds(struct cage *cage)
{
    const double now_s = processor_s();

    cage->entered_s = isnan(cage->entered_s) ? now_s : cage->entered_s;
    return cage->spent_s + now_s - cage->entered_s;
}

/** Looked at now and then only, since that asks the kernel. */
static bool is_time_used_up(struct cage *cage, double seconds)
{
    if (++cage->ticks % 1024 != 0) {
        return false;
    }

    const double spent_s = mpl_cage_seconds(cage);

    cage->match_began_s = isnan(cage->match_began_s) ? spent_s : cage->match_began_s;
    return spent_s > seconds;
}

/*
 * A library has no better way to hold the limits. A hook below malloc belongs to the host, a limit
 * of the process hits its other threads, and rules in a process of their own would have to hand
 * over all that may be asked afterwards. So CLIPS is stopped where it passes by, which is often
 * enough that it takes little more in between, and ends in order what it has begun. Should that
 * take as long again, it is left by a jump.
 */
bool mpl_cage_check(struct cage *cage)
{
    if (cage->stop != CAGE_FREE) {
        if (is_time_used_up(cage, 2.0 * cage->limits.seconds)) {
            longjmp(cage->jump, 1);
        }
        SetHaltExecution(cage->env, TRUE); /* CLIPS may have taken it back. */
    } else if (is_memory_used_up(cage)) {
        mpl_cage_stop(cage, CAGE_MEMORY);
    } else if (is_time_used_up(cage, cage->limits.seconds)) {
        mpl_cage_stop(cage, CAGE_SECONDS);
    }
    return cage->stop == CAGE_FREE;
}

mpl_primitive *mpl_cage_install(struct cage *cage, int kind, mpl_primitive *evaluate)
{
    struct entityRecord **place = &EvaluationData(cage->env)->PrimitivesArray[kind];
    const struct entityRecord own = { .name = "marple", .type = (unsigned) kind };
    const struct entityRecord before = *place == NULL ? own : **place;
    struct entityRecord *ours = &cage->primitives[cage->n_primitives++];

    mpl_assert(cage->n_primitives <= CAGE_PRIMITIVES);
    *ours = before;
    ours->evaluateFunction = evaluate;
    *place = ours;
    return before.evaluateFunction;
}

/* ---- in and out ------------------------------------------------------------------------- */

static bool enter(struct cage *cage, double entered_s, void (*work)(void *context),
                  void *context)
{
    if (cage->is_lost) {
        return false;
    }
    cage->entered_s = entered_s;
    SetJmpBuffer(cage->env, &cage->jump);
    if (setjmp(cage->jump) == 0) {
        /* Left over from an error, these flags would make CLIPS do nothing. */
        SetHaltExecution(cage->env, cage->stop == CAGE_FREE ? FALSE : TRUE);
        SetEvaluationError(cage->env, FALSE);
        work(context);
        SetJmpBuffer(cage->env, NULL);
    } else {
        cage->is_lost = true;
        if (cage->stop == CAGE_FREE) {
            cage->stop = CAGE_GAVE_UP;
        }
    }
    if (!isnan(cage->entered_s)) {
        cage->spent_s = mpl_cage_seconds(cage);
    }
    return !cage->is_lost;
}

bool mpl_cage_enter(struct cage *cage, void (*work)(void *context), void *context)
{
    return enter(cage, processor_s(), work, context);
}

bool mpl_cage_enter_shortly(struct cage *cage, void (*work)(void *context), void *context)
{
    return enter(cage, NAN, work, context);
}

/** Says which rule the limit fell into. */
static enum mpl_status add_rule(const struct cage *cage, struct mpl_err *err,
                                enum mpl_status status)
{
    const struct mpl_rule *matched = cage->matched_for;
    const struct mpl_rule *fired = cage->stopped_in;

    if (matched != NULL && cage->is_match_to_blame) {
        return mpl_wrap(
            err, status,
            "the conditions of rule '%s' (%s:%u) do not end: a loop, or too many "
            "combinations of facts",
            matched->name, matched->file, matched->first_line);
    }
    if (matched != NULL) {
        (void) mpl_wrap(err, status, "the conditions of rule '%s' (%s:%u) were tried then",
                        matched->name, matched->file, matched->first_line);
    }
    return fired == NULL ? status
                         : mpl_wrap(err, status, "rule '%s' (%s:%u) could not end",
                                    fired->name, fired->file, fired->first_line);
}

/** Says which rule failed last. */
static enum mpl_status fail_errors(const struct cage *cage, struct mpl_err *err)
{
    const struct mpl_buf *errors = &cage->infer->errors;
    const struct mpl_lint_message *last = mpl_buf_get(errors, errors->n - 1);

    if (last->place.file == NULL) {
        (void) mpl_fail(err, MPL_E_LIMIT, "%s", last->text);
    } else {
        (void) mpl_fail(err, MPL_E_LIMIT, "%s:%u: %s", last->place.file, last->place.line,
                        last->text);
    }
    return mpl_wrap(err, MPL_E_LIMIT, "rules failed %u times", cage->limits.errors);
}

/** Whichever rule fired last is likely to be among those that keep each other going. */
static enum mpl_status fail_firings(const struct cage *cage, struct mpl_err *err)
{
    const struct mpl_firing *last =
        mpl_buf_get(&cage->infer->firings, (size_t) cage->limits.firings - 1);
    const struct mpl_rule *rule = mpl_infer_rule(cage->infer, last->rule);

    (void) mpl_fail(err, MPL_E_LIMIT, "rules fired more than %llu times",
                    (unsigned long long) cage->limits.firings);
    return rule == NULL ? MPL_E_LIMIT
                        : mpl_wrap(err, MPL_E_LIMIT, "the last was '%s' (%s:%u)",
                                   rule->name, rule->file, rule->first_line);
}

enum mpl_status mpl_cage_status(const struct cage *cage, struct mpl_err *err)
{
    const struct mpl_infer_limits *limits = &cage->limits;
    enum mpl_status st = MPL_E_LIMIT;

    switch (cage->stop) {
    case CAGE_FREE:
        return MPL_OK;
    case CAGE_NOMEM:
        return mpl_nomem(err);
    case CAGE_SECONDS:
        st = mpl_fail(err, st, "the rules took more than %g s of processor time",
                      limits->seconds);
        break;
    case CAGE_MEMORY:
        st = mpl_fail(err, st, "the rules took more than %.0f MiB of memory",
                      (double) limits->memory_bytes / 1048576.0);
        break;
    case CAGE_FIRINGS:
        return fail_firings(cage, err);
    case CAGE_ERRORS:
        return fail_errors(cage, err);
    case CAGE_GAVE_UP:
        st = mpl_fail(err, st, "the rule engine gave up, probably without memory");
        break;
    }
    return add_rule(cage, err, st);
}
