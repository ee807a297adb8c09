/*
 * Fires rules, and notes for each fact which rule asserted it and which facts that rule had
 * matched: CLIPS calls back before each firing and at each assertion. Rule authors need no
 * convention for this, so the reasons cannot be forgotten or wrong.
 */
#include "config.h"

#include "infer/clips_priv.h"

#include <math.h>
#include <string.h>

/* ---- errors of rules ------------------------------------------------------------------ */

static void add_error(struct mpl_infer *infer, const struct mpl_rule *rule,
                      const char *what)
{
    struct mpl_lint_message *message = mpl_buf_add(&infer->errors);
    char *text = NULL;

    if (rule == NULL) {
        text = mpl_arena_printf(infer->arena, "a rule failed: %s", what);
    } else {
        text = mpl_arena_printf(infer->arena, "rule '%s' (lines %u to %u) failed: %s",
                                rule->name, rule->first_line, rule->last_line, what);
    }
    if (message == NULL || text == NULL) {
        mpl_cage_stop(&infer->cage, CAGE_NOMEM);
        infer->errors.n -= message != NULL;
        return;
    }
    *message = (struct mpl_lint_message){ .severity = MPL_LINT_ERROR, .text = text };
    if (rule != NULL) {
        message->place = (struct mpl_place){ .file = rule->file, .line = rule->first_line };
    }
    if (infer->errors.n >= infer->cage.limits.errors) {
        mpl_cage_stop(&infer->cage, CAGE_ERRORS);
    }
}

void mpl_infer_take_error(struct mpl_infer *infer)
{
    const char *said = mpl_cage_said(&infer->cage);

    /* What CLIPS says after it was to stop is about that, not about a rule. */
    if (*said != '\0' && infer->cage.stop == CAGE_FREE) {
        const char *text = mpl_clips_tidy(infer->arena, said);

        if (text == NULL) {
            mpl_cage_stop(&infer->cage, CAGE_NOMEM);
        } else {
            const struct mpl_rule *matched = infer->cage.failed_in;

            add_error(infer, matched == NULL ? infer->firing : matched, text);
        }
    }
    mpl_cage_forget(&infer->cage);
}

/* ---- reasons ---------------------------------------------------------------------------- */

static void stop_nomem(struct mpl_infer *infer)
{
    mpl_cage_stop(&infer->cage, CAGE_NOMEM);
}

/** A slot that every fact of its template has, of type STRING or SYMBOL. */
static const char *take_text(struct mpl_infer *infer, struct fact *fact, const char *slot)
{
    const char *text = mpl_fact_text(&infer->cage, fact, slot, infer->arena);

    if (text == NULL) {
        stop_nomem(infer);
        return "";
    }
    return text;
}

static void describe_metric(struct mpl_infer *infer, struct fact *fact,
                            struct mpl_reason *reason)
{
    reason->kind = MPL_REASON_METRIC;
    reason->metric = take_text(infer, fact, "name");
    reason->location = take_text(infer, fact, "location");
    reason->unit = take_text(infer, fact, "unit");
    reason->value = mpl_fact_number(&infer->cage, fact, "value");
}

static struct finding_record *record_at(struct mpl_infer *infer, uint32_t record)
{
    return *(struct finding_record **) mpl_buf_get(&infer->findings, record);
}

/** Of a finding once: many rest on the same one, and its text is read only where it is withdrawn. */
static const char *reason_text(struct mpl_infer *infer, struct fact *fact, uint32_t record)
{
    if (record == MPL_NONE) {
        return mpl_fact_print(&infer->cage, fact, infer->arena);
    }
    struct finding_record *cited = record_at(infer, record);

    if (cited->fact_text == NULL) {
        cited->fact_text = mpl_fact_print(&infer->cage, fact, infer->arena);
    }
    return cited->fact_text;
}

static void add_reason(struct mpl_infer *infer, struct fact *fact)
{
    struct cited *cited = mpl_buf_add(&infer->reasons);

    if (cited == NULL) {
        stop_nomem(infer);
        return;
    }

    struct mpl_reason *reason = &cited->reason;

    cited->record = mpl_map_find(infer->finding_by_fact, (uint64_t) fact->factIndex);
    *reason = (struct mpl_reason){
        .kind = cited->record == MPL_NONE ? MPL_REASON_OTHER : MPL_REASON_FINDING,
        .template =
            mpl_arena_strdup(infer->arena, fact->whichDeftemplate->header.name->contents),
        .value = NAN
    };
    if (mpl_fact_is(fact, "metric")) {
        describe_metric(infer, fact, reason);
    } else {
        reason->text = reason_text(infer, fact, cited->record);
    }
    if (reason->template == NULL ||
        (reason->kind != MPL_REASON_METRIC && reason->text == NULL)) {
        stop_nomem(infer);
    }
}

/** A rule of nothing but `not` and `exists` matches no fact that could be cited. */
static void add_empty_reason(struct mpl_infer *infer)
{
    const struct cited cited = { .record = MPL_NONE,
                                 .reason = {
                                     .kind = MPL_REASON_OTHER,
                                     .template = "",
                                     .text = "the rule's conditions name no single fact",
                                     .value = NAN } };

    if (!mpl_buf_put(&infer->reasons, &cited)) {
        stop_nomem(infer);
    }
}

/** Made at the first assertion of a firing; most firings of some rules assert nothing. */
static void make_reasons(struct mpl_infer *infer)
{
    if (infer->has_reasons) {
        return;
    }
    infer->has_reasons = true;
    infer->reasons.n = 0;
    for (size_t i = 0; i < infer->basis.n; i++) {
        struct fact **fact = mpl_buf_get(&infer->basis, i);

        add_reason(infer, *fact);
    }
    if (infer->reasons.n == 0) {
        add_empty_reason(infer);
    }
}

/* ---- findings ------------------------------------------------------------------ */

/** -1 in a rule means "not said". */
static double said_or_nan(double number)
{
    return number < 0.0 ? NAN : number;
}

/** The vocabulary bounds levels, but a user may have changed it. */
static int level_of(struct mpl_infer *infer, struct fact *fact)
{
    const double level = mpl_fact_number(&infer->cage, fact, "level");

    return level >= 0.0 && level <= 1000.0 ? (int) level : 0;
}

static const char *text_or_null(struct mpl_infer *infer, struct fact *fact,
                                const char *slot)
{
    const char *text = take_text(infer, fact, slot);

    return *text == '\0' ? NULL : text;
}

static void read_finding(struct mpl_infer *infer, struct fact *fact, struct mpl_finding *f)
{
    struct cage *cage = &infer->cage;
    struct mpl_arena *arena = infer->arena;
    const char *gain_kind = take_text(infer, fact, "gain-kind");

    f->kind = take_text(infer, fact, "kind");
    f->name = take_text(infer, fact, "name");
    f->pattern = take_text(infer, fact, "pattern");
    f->run = take_text(infer, fact, "run");
    f->text = take_text(infer, fact, "text");
    f->headline = text_or_null(infer, fact, "headline");
    f->fix = text_or_null(infer, fact, "fix");
    f->remedy = text_or_null(infer, fact, "remedy");
    f->what_if = text_or_null(infer, fact, "what-if");
    f->doubt = text_or_null(infer, fact, "doubt");
    f->gain_kind = *gain_kind == '\0' || strcmp(gain_kind, "none") == 0 ? NULL : gain_kind;
    f->lost_s = said_or_nan(mpl_fact_number(cage, fact, "lost"));
    f->computing_s = fmax(0, mpl_fact_number(cage, fact, "computing"));
    f->share_of_lost = said_or_nan(mpl_fact_number(cage, fact, "share"));
    f->gain_s = said_or_nan(mpl_fact_number(cage, fact, "gain"));
    f->confidence = mpl_fact_number(cage, fact, "confidence");
    f->level = level_of(infer, fact);
    f->is_healthy = strcmp(take_text(infer, fact, "healthy"), "yes") == 0;
    f->is_all_clear = strcmp(take_text(infer, fact, "all-clear"), "yes") == 0;
    f->is_fatal = strcmp(take_text(infer, fact, "fatal"), "yes") == 0;
    f->has_own_clocks = strcmp(take_text(infer, fact, "clocks"), "own") == 0;
    f->rule = infer->firing->name;
    f->rule_says = infer->firing->says;
    if (!mpl_fact_texts(cage, fact, "locations", arena, &f->locations, &f->n_locations) ||
        !mpl_fact_texts(cage, fact, "culprits", arena, &f->culprits, &f->n_culprits) ||
        !mpl_fact_texts(cage, fact, "where", arena, &f->where, &f->n_where) ||
        !mpl_fact_texts(cage, fact, "functions-of", arena, &f->functions_of,
                        &f->n_functions_of) ||
        !mpl_fact_texts(cage, fact, "calls-of", arena, &f->calls_of, &f->n_calls_of)) {
        stop_nomem(infer);
    }
}

static bool copy_reasons(struct mpl_infer *infer, struct finding_record *record)
{
    const size_t n = infer->reasons.n;
    struct mpl_reason *because = MPL_NEW_ARRAY(infer->arena, n, struct mpl_reason);
    uint32_t *records = MPL_NEW_ARRAY(infer->arena, n, uint32_t);

    if (because == NULL || records == NULL) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        const struct cited *cited = mpl_buf_get(&infer->reasons, i);

        because[i] = cited->reason;
        records[i] = cited->record;
    }
    record->because = because;
    record->because_record = records;
    record->finding.because = because;
    record->finding.n_because = n;
    return true;
}

static void note_finding(struct mpl_infer *infer, struct fact *fact)
{
    struct finding_record *record = MPL_NEW(infer->arena, struct finding_record);

    if (record == NULL) {
        stop_nomem(infer);
        return;
    }
    read_finding(infer, fact, &record->finding);
    make_reasons(infer);

    struct finding_record **kept = mpl_buf_add(&infer->findings);
    const uint32_t number = (uint32_t) infer->findings.n - 1;

    /* Room in the list of visible ones, so that a run which ends without memory shows them. */
    if (kept == NULL || mpl_buf_add(&infer->visible) == NULL ||
        !copy_reasons(infer, record) ||
        !mpl_map_put(infer->finding_by_fact, (uint64_t) fact->factIndex, number)) {
        infer->findings.n -= kept != NULL;
        stop_nomem(infer);
        return;
    }
    *kept = record;
}

/* ---- hooks -------------------------------------------------------------------------------- */

static struct mpl_infer *infer_of(void *env)
{
    return ((struct cage *) GetEnvironmentContext(env))->infer;
}

static void keep_basis(struct mpl_infer *infer, struct partialMatch *basis)
{
    infer->basis.n = 0;
    for (unsigned i = 0; i < basis->bcount; i++) {
        const struct alphaMatch *match = get_nth_pm_match(basis, i);

        /* None for `not` and the like; instances of objects are no facts. */
        if (match == NULL || match->matchingItem == NULL ||
            match->matchingItem->theInfo->base.type != FACT_ADDRESS) {
            continue;
        }

        struct fact *fact = (struct fact *) match->matchingItem;

        if (mpl_fact_is(fact, "initial-fact")) {
            continue;
        }

        if (!mpl_buf_put(&infer->basis, &fact)) {
            stop_nomem(infer);
            return;
        }
    }
}

/** For a name that CLIPS reads otherwise than the scanner. */
static const struct mpl_rule unknown_rule = { .name = "(unknown)", .says = "", .file = "" };

static void before_firing(void *env, void *activation)
{
    struct mpl_infer *infer = infer_of(env);
    struct defrule *rule = EnvGetActivationRule(env, activation);
    char name[400];

    if (infer == NULL) {
        return; /* A rule of ours, see clips_probe.c. */
    }
    mpl_infer_take_error(
        infer); /* Of the rule before, which then ended without stopping. */
    if (infer->firings.n >= infer->cage.limits.firings) {
        mpl_cage_stop(&infer->cage, CAGE_FIRINGS);
    }
    (void) snprintf(name, sizeof name, "%s::%s", EnvDefruleModule(env, rule),
                    EnvGetDefruleName(env, rule));
    infer->firing = mpl_infer_rule(infer, name);
    infer->has_reasons = false;
    if (infer->firing == NULL) {
        infer->firing = &unknown_rule;
    }
    keep_basis(infer, EnvGetActivationBasis(env, activation));

    if (!mpl_buf_put(&infer->firings,
                     &(struct mpl_firing){ .rule = infer->firing->name })) {
        stop_nomem(infer);
    }
}

/** The rule goes on to its end; what it asserted is taken back before another one fires. */
static void refuse(struct mpl_infer *infer, struct fact *fact, const char *fault)
{
    if (fault != NULL) {
        add_error(infer, infer->firing, fault);
    }
    if (!mpl_buf_put(&infer->refused, &fact)) {
        stop_nomem(infer);
        return;
    }
    EnvHalt(infer->cage.env);
}

/** CLIPS has the fact in its list, and matches it next. */
static void after_assertion(void *env, void *asserted)
{
    struct mpl_infer *infer = infer_of(env);
    struct cage *cage = GetEnvironmentContext(env);
    struct fact *fact = asserted;

    mpl_cage_begin_match(cage);
    if (mpl_withheld_is_releasing(cage)) {
        return; /* It is known. */
    }
    if (mpl_fact_is(fact, "metric") && !mpl_metric_facts_add(cage->metrics, fact)) {
        mpl_cage_stop(cage, CAGE_NOMEM);
        return;
    }
    if (infer == NULL || infer->firing == NULL || infer->firings.n == 0) {
        mpl_withheld_note(cage, fact);
        return; /* From the host, or a deffacts: nothing to explain. */
    }

    const char *fault = NULL;

    /*
     * CLIPS asserts the fact also when the value of a slot could not be computed, and `modify` even
     * forgets that.
     */
    if (GetEvaluationError(env) || infer->cage.said.n > 0) {
        refuse(infer, fact, NULL);
        return;
    }
    fault = mpl_fact_fault(&infer->cage, fact, infer->arena);
    if (fault != NULL) {
        refuse(infer, fact, fault);
        return;
    }
    ((struct mpl_firing *) mpl_buf_get(&infer->firings, infer->firings.n - 1))->n_facts++;
    if (mpl_fact_is(fact, "finding")) {
        note_finding(infer, fact);
    } else if (mpl_fact_is(fact, "expectation") &&
               !mpl_infer_note_expectation(infer, fact)) {
        stop_nomem(infer);
    } else if (mpl_fact_is(fact, "measure") && !mpl_infer_note_measure(infer, fact)) {
        stop_nomem(infer);
    }
    mpl_withheld_note(cage, fact);
}

static bool is_in_basis(const struct mpl_infer *infer, const struct fact *fact)
{
    for (size_t i = 0; i < infer->basis.n; i++) {
        if (*(struct fact **) mpl_buf_get(&infer->basis, i) == fact) {
            return true;
        }
    }
    return false;
}

static void before_retraction(void *env, void *retracted)
{
    struct mpl_infer *infer = infer_of(env);
    struct cage *cage = GetEnvironmentContext(env);
    const struct fact *fact = retracted;

    mpl_cage_begin_match(cage);
    if (mpl_fact_is(fact, "metric")) {
        mpl_metric_facts_remove(cage->metrics, fact);
    }
    /* What goes while CLIPS ends a match early goes for no reason of the rules. */
    if (infer == NULL || infer->cage.stop != CAGE_FREE) {
        return;
    }
    if (infer->firing != NULL && is_in_basis(infer, fact)) {
        make_reasons(
            infer); /* A later assertion of this firing cannot read the fact any more. */
    }

    const uint32_t finding =
        mpl_map_find(infer->finding_by_fact, (uint64_t) fact->factIndex);

    if (finding != MPL_NONE) {
        record_at(infer, finding)->is_withdrawn = true;
    }
    mpl_infer_withdraw_expectation(infer, fact);
    mpl_infer_withdraw_measure(infer, fact);
}

void mpl_infer_add_hooks(struct mpl_infer *infer)
{
    void *env = infer->cage.env;

    (void) EnvAddBeforeRunFunction(env, "marple", before_firing, 0);
    (void) EnvAddAssertFunction(env, "marple", after_assertion, 0);
    (void) EnvAddRetractFunction(env, "marple", before_retraction, 0);
}

/* ---- running ------------------------------------------------------------------------------- */

static struct finding_record *record_of(const struct mpl_infer *infer, size_t i)
{
    return *(struct finding_record **) mpl_buf_get(&infer->findings, i);
}

/** A finding that is gone is cited as a fact; it was there when the rule fired. */
static void number_reasons(const struct mpl_infer *infer, struct finding_record *record)
{
    for (size_t i = 0; i < record->finding.n_because; i++) {
        struct mpl_reason *reason = &record->because[i];

        if (record->because_record[i] == MPL_NONE) {
            continue;
        }

        const struct finding_record *cited = record_of(infer, record->because_record[i]);

        reason->kind = cited->is_withdrawn ? MPL_REASON_OTHER : MPL_REASON_FINDING;
        reason->finding = cited->is_withdrawn ? 0 : cited->position;
    }
}

/* Makes the list of findings that are not withdrawn, and the reasons' indices into it. */
static bool show_findings(struct mpl_infer *infer)
{
    infer->visible.n = 0;
    for (size_t i = 0; i < infer->findings.n; i++) {
        struct finding_record *record = record_of(infer, i);

        if (record->is_withdrawn) {
            continue;
        }

        const struct mpl_finding *finding = &record->finding;

        if (!mpl_buf_put(&infer->visible, &finding)) {
            infer->visible.n = 0;
            return false;
        }
        record->position = infer->visible.n - 1;
    }
    for (size_t i = 0; i < infer->findings.n; i++) {
        number_reasons(infer, record_of(infer, i));
    }
    return true;
}

/** In the order in which they fire. */
static const char *const phases[] = { "SYMPTOMS", "REFINE", "CAUSES", "ADVISE", "MAIN" };
enum { N_PHASES = sizeof phases / sizeof phases[0], SLICE = 1000 };

static void focus_phases(void *env)
{
    EnvClearFocusStack(env);
    for (size_t i = N_PHASES; i-- > 0;) {
        void *module = EnvFindDefmodule(env, phases[i]);

        if (module != NULL) {
            EnvFocus(env, module);
        }
    }
}

static void retract_refused(struct mpl_infer *infer)
{
    for (size_t i = 0; i < infer->refused.n; i++) {
        struct fact **fact = mpl_buf_get(&infer->refused, i);

        if (!(*fact)->garbage) {
            (void) EnvRetract(infer->cage.env, *fact);
        }
    }
    infer->refused.n = 0;
}

/** One time through the phases. EnvRun ends at each error, so it is called until it fires none. */
static void run_phases(struct mpl_infer *infer)
{
    struct cage *cage = &infer->cage;
    void *env = cage->env;
    long long fired = SLICE;

    focus_phases(env);
    while (fired > 0 && cage->stop == CAGE_FREE) {
        SetHaltExecution(env, FALSE);
        SetEvaluationError(env, FALSE);
        EnvSetHaltRules(env, FALSE);
        fired = EnvRun(env, SLICE);
        mpl_infer_take_error(infer);
        infer->firing = NULL;
        retract_refused(infer);
        mpl_infer_take_error(infer);
        (void) mpl_cage_check(cage);
    }
}

static void run_all(void *context)
{
    struct mpl_infer *infer = context;
    size_t before = 0;

    mpl_cage_forget(&infer->cage);
    do {
        before = infer->firings.n;
        run_phases(infer);
    } while (infer->firings.n > before && infer->cage.stop == CAGE_FREE);
}

enum mpl_status mpl_infer_run(struct mpl_infer *infer, struct mpl_err *err)
{
    if (infer->cage.stop == CAGE_FREE) {
        (void) mpl_cage_enter(&infer->cage, run_all, infer);
        infer->firing = NULL;
    }
    if (!show_findings(infer)) {
        return mpl_nomem(err);
    }
    return mpl_cage_status(&infer->cage, err);
}
