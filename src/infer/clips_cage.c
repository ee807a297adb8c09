/*
 * CLIPS can end the process, run for ever, and use all memory; each hazard and its cure was
 * measured with 6.30. The cure for functions is a list of those that are taken away rather than
 * of those that are kept: without some of its internal functions CLIPS crashes.
 */
#include "config.h"

#include "infer/clips_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- functions that rules may not call ------------------------------------------- */

struct denied {
    const char *name;
    const char *why;
};

static const struct denied denied[] = {
#define DENIED(name, why) { name, why },
#define HIDDEN(name, why)
#include "infer/deny.def"
#undef DENIED
#undef HIDDEN
};
enum { N_DENIED = sizeof denied / sizeof denied[0] };

static const struct denied hidden[] = {
#define DENIED(name, why)
#define HIDDEN(name, why) { name, why },
#include "infer/deny.def"
#undef DENIED
#undef HIDDEN
};
enum { N_HIDDEN = sizeof hidden / sizeof hidden[0] };

static const char *find_reason(const struct denied *list, size_t n, const char *function)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(list[i].name, function) == 0) {
            return list[i].why;
        }
    }
    return NULL;
}

const char *mpl_cage_why_denied(const char *function)
{
    return find_reason(denied, N_DENIED, function);
}

const char *mpl_cage_why_hidden(const char *function)
{
    return find_reason(hidden, N_HIDDEN, function);
}

/*
 * The object constructs stay where they are, since the scanner lets none of them pass: CLIPS
 * looks some up when it reads a defmodule or prints, and crashes when they are not there.
 */
static void take_away(struct cage *cage)
{
    for (size_t i = 0; i < N_DENIED; i++) {
        (void) UndefineFunction(cage->env, denied[i].name);
    }
}

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
enum { BLOCK_BYTES = 16, RESERVE_BYTES = 1 << 20 };

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

/** CLIPS calls this in its loops and between firings. */
static void tick(void *env)
{
    (void) mpl_cage_check(GetEnvironmentContext(env));
}

/* With a last bit of memory it can end in order; without, it jumps. */
static int use_reserve(void *env, size_t bytes)
{
    struct cage *cage = GetEnvironmentContext(env);

    (void) bytes;
    mpl_cage_stop(cage, CAGE_GAVE_UP);
    if (cage->reserve == NULL) {
        EnvExitRouter(env, EXIT_FAILURE);
    }
    mpl_arena_destroy(cage->reserve);
    cage->reserve = NULL;
    return FALSE; /* It shall try again. */
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

/* ---- what CLIPS writes ---------------------------------------------------------------- */

enum { SAID_BYTES = 16384, SHOWN_BYTES = 1000 };

static int is_ours(void *env, const char *name)
{
    /* The manual says "wprompt", the header says that WPROMPT is "wclips". */
    static const char *const names[] = { STDOUT,    WDISPLAY, WDIALOG,  WPROMPT,
                                         "wprompt", WTRACE,   WWARNING, WERROR };

    (void) env;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(names[i], name) == 0) {
            return TRUE;
        }
    }
    return FALSE;
}

/** What is beyond \p most is dropped. False without memory. */
static bool append(struct mpl_buf *buf, const char *text, size_t most)
{
    for (; *text != '\0' && buf->n < most; text++) {
        char *c = mpl_buf_add(buf);

        if (c == NULL) {
            return false;
        }
        *c = *text;
    }
    return true;
}

static void show_line(struct cage *cage)
{
    if (cage->shown.n > 0) {
        mpl_log(MPL_LOG_DEBUG, "infer", "a rule prints: %.*s", (int) cage->shown.n,
                (const char *) cage->shown.data);
    }
    cage->shown.n = 0;
}

/** Lines of printout are for the author of a rule, who asks for them with MARPLE_LOG=debug. */
static void show(struct cage *cage, const char *text)
{
    for (; mpl_log_level() >= MPL_LOG_DEBUG && *text != '\0'; text++) {
        if (*text == '\n' || cage->shown.n == SHOWN_BYTES) {
            show_line(cage);
        } else {
            const char one[] = { *text, '\0' };

            (void) append(&cage->shown, one, SHOWN_BYTES);
        }
    }
}

static int print(void *env, const char *name, const char *text)
{
    struct cage *cage = GetEnvironmentContext(env);

    if (strcmp(name, WERROR) == 0) {
        /* Its message names the rule behind the fact, which may be longer than what is kept. */
        if (cage->said.n == 0) {
            cage->failed_in = mpl_cage_matched_rule(cage);
        }
        if (!append(&cage->said, text, SAID_BYTES)) {
            mpl_cage_stop(cage, CAGE_NOMEM);
        }
    } else if (strcmp(name, STDOUT) == 0 || strcmp(name, WDISPLAY) == 0) {
        show(cage, text);
    }
    return TRUE;
}

const char *mpl_cage_said(struct cage *cage)
{
    char *end = mpl_buf_add(&cage->said);

    if (end == NULL) {
        return "";
    }
    cage->said.n--;
    return cage->said.data;
}

void mpl_cage_forget(struct cage *cage)
{
    cage->said.n = 0;
    cage->failed_in = NULL;
}

/* ---- in and out ------------------------------------------------------------------------- */

static void set_limits(struct cage *cage, const struct mpl_infer_limits *limits)
{
    if (limits != NULL) {
        cage->limits = *limits;
    }
    if (cage->limits.seconds <= 0.0) {
        cage->limits.seconds = 10.0;
    }
    if (cage->limits.firings == 0) {
        cage->limits.firings = 1000000;
    }
    if (cage->limits.memory_bytes == 0) {
        cage->limits.memory_bytes = UINT64_C(512) << 20;
    }
    if (cage->limits.errors == 0) {
        cage->limits.errors = 20;
    }
}

static void furnish(void *context)
{
    struct cage *cage = context;

    /* Nobody reads the printed forms of constructs; to keep them is a third of the loading. */
    (void) EnvSetConserveMemory(cage->env, TRUE);
    take_away(cage);
    mpl_cage_add_functions(cage);
    mpl_cage_bound_functions(cage);
    mpl_cage_bound_lists(cage);
    /*
     * The router of CLIPS that writes to the program's own standard output under any name that
     * it knows. Without it a name that is not ours is an error of the rule.
     */
    (void) EnvDeleteRouter(cage->env, "fileio");
    /* Below 40, where CLIPS catches the errors of a construct for mpl_cage_load(). */
    (void) EnvAddRouter(cage->env, "marple", 30, is_ours, print, NULL, NULL, NULL);
    (void) EnvAddPeriodicFunction(cage->env, "marple", tick, 0);
    (void) EnvSetOutOfMemoryFunction(cage->env, use_reserve);
}

enum mpl_status mpl_cage_open(struct cage *cage, const struct mpl_infer_limits *limits,
                              struct mpl_err *err)
{
    *cage = (struct cage){ .said = mpl_buf_make(1),
                           .shown = mpl_buf_make(1),
                           .watches = mpl_arena_create(),
                           .reserve = mpl_arena_create() };
    set_limits(cage, limits);
    if (cage->watches == NULL || cage->reserve == NULL ||
        mpl_arena_alloc(cage->reserve, RESERVE_BYTES) == NULL) {
        return mpl_nomem(err);
    }
    cage->env = CreateEnvironment();
    if (cage->env == NULL) {
        return mpl_nomem(err);
    }
    (void) SetEnvironmentContext(cage->env, cage);
    return mpl_cage_enter(cage, furnish, cage) ? MPL_OK : mpl_cage_status(cage, err);
}

void mpl_cage_close(struct cage *cage)
{
    if (cage->env != NULL && !cage->is_lost) {
        (void) EnvRemovePeriodicFunction(cage->env, "marple");
        SetHaltExecution(cage->env, FALSE);
        (void) DestroyEnvironment(cage->env);
    }
    cage->env = NULL;
    mpl_arena_destroy(cage->watches);
    mpl_arena_destroy(cage->reserve);
    show_line(cage);
    mpl_buf_free(&cage->said);
    mpl_buf_free(&cage->shown);
}

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
        return mpl_fail(err, st, "rules fired more than %llu times",
                        (unsigned long long) limits->firings);
    case CAGE_ERRORS:
        return fail_errors(cage, err);
    case CAGE_GAVE_UP:
        st = mpl_fail(err, st, "the rule engine gave up, probably without memory");
        break;
    }
    return add_rule(cage, err, st);
}
