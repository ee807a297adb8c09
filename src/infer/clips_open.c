/*
 * CLIPS can end the process, run for ever, and use all memory; each hazard and its cure was
 * measured with 6.30. The cure for functions is a list of those that are taken away rather than
 * of those that are kept: without some of its internal functions CLIPS crashes.
 */
#include "config.h"

#include "infer/clips_priv.h"

#include <string.h>

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
        if (!mpl_buf_put(buf, text)) {
            return false;
        }
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

static void furnish(void *context)
{
    struct cage *cage = context;

    /* Nobody reads the printed forms of constructs; to keep them is a third of the loading. */
    (void) EnvSetConserveMemory(cage->env, TRUE);
    /*
     * The object constructs stay where they are, since the scanner lets none of them pass: CLIPS
     * looks some up when it reads a defmodule or prints, and crashes when they are not there.
     */
    for (size_t i = 0; i < N_DENIED; i++) {
        (void) UndefineFunction(cage->env, denied[i].name);
    }
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

enum { RESERVE_BYTES = 1 << 20 };

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
