/*
 * Rule tests are data, so that whoever writes a rule can write its test:
 *
 *   (case "a sentence that says why this must be so"
 *     (given (metric (run "r1") (name "wait.share") (value 0.4)) …)
 *     (expect (finding (name waiting) (because "wait.share")) …))
 *
 * Given has short forms, see given.c. Given and expect may alternate, as rounds of a diagnosis do. The expected findings are those
 * that there are, and no others, and so with facts `measure`; needs may be expected, others may exist.
 */
#include "config.h"

#include "ruletest/ruletest.h"
#include "ruletest/ruletest_priv.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a case ---------------------------------------------------------------------------- */

struct trial {
    const struct mpl_form *cases;
    const struct mpl_form *form; /**< The case itself. */
    struct mpl_infer *infer;
    struct mpl_arena *arena;
    struct mpl_lint *lint;
    const char *says;
    bool *is_used;  /**< By finding: an expectation has taken it. */
    bool *is_asked; /**< By measure, likewise. */
    bool is_broken; /**< A given fact was refused: what is missing for it is no mistake. */
};

static void complain(const struct trial *t, const struct mpl_form *form, const char *what)
{
    mpl_lint_add(t->lint, MPL_LINT_ERROR, form->place, "%s (case \"%s\")", what, t->says);
}

/** "12" is an integer, "12.0" a float, everything else a symbol, as in CLIPS. */
static struct mpl_slot read_value(const char *name, const struct mpl_form *form)
{
    struct mpl_slot slot = { .name = name, .kind = MPL_SLOT_SYMBOL, .text = form->text };
    char *end = NULL;

    if (form->kind == MPL_FORM_STRING) {
        slot.kind = MPL_SLOT_STRING;
        return slot;
    }
    errno = 0;
    slot.integer = strtoll(form->text, &end, 10);
    if (end != form->text && *end == '\0' && errno == 0) {
        slot.kind = MPL_SLOT_INTEGER;
        return slot;
    }
    slot.number = strtod(form->text, &end);
    if (end != form->text && *end == '\0' && strpbrk(form->text, "xXnN") == NULL) {
        slot.kind = MPL_SLOT_FLOAT;
    }
    return slot;
}

static bool add_slot(const struct trial *t, const struct mpl_form *form,
                     struct mpl_buf *slots)
{
    if (*mpl_form_head(form) == '\0') {
        complain(t, form, "a slot such as (name value) is expected");
        return false;
    }
    for (const struct mpl_form *value = form->first->next; value != NULL;
         value = value->next) {
        struct mpl_slot *slot = value->kind == MPL_FORM_OPEN ? NULL : mpl_buf_add(slots);

        if (slot == NULL) {
            complain(t, value, "a value is expected");
            return false;
        }
        *slot = read_value(form->first->text, value);
    }
    return true;
}

static void assert_given(struct trial *t, const struct mpl_form *fact)
{
    struct mpl_buf slots = mpl_buf_make(sizeof(struct mpl_slot));
    struct mpl_err err = { 0 };
    bool is_right = *mpl_form_head(fact) != '\0';

    if (!is_right) {
        complain(t, fact, "a fact such as (metric (name \"x\") (value 1.0)) is expected");
    }
    for (const struct mpl_form *s = is_right ? fact->first->next : NULL;
         is_right && s != NULL; s = s->next) {
        is_right = add_slot(t, s, &slots);
    }
    if (is_right && mpl_infer_assert(t->infer, fact->first->text, slots.data, slots.n,
                                     &err) != MPL_OK) {
        complain(t, fact, err.cause[0].text);
        is_right = false;
    }
    t->is_broken = t->is_broken || !is_right;
    mpl_buf_free(&slots);
}

/* False when out of memory. */
static bool run_given(struct trial *t, const struct mpl_form *given)
{
    const size_t errors = mpl_infer_error_count(t->infer);
    const struct mpl_form *fact = NULL;
    struct mpl_err err = { 0 };
    bool is_nomem = false;

    if (!mpl_given_read(t->cases, t->form, given, t->arena, t->lint, &fact, &is_nomem) ||
        is_nomem) {
        t->is_broken = true;
        return !is_nomem;
    }
    for (; fact != NULL; fact = fact->next) {
        assert_given(t, fact);
    }
    if (mpl_infer_run(t->infer, &err) != MPL_OK) {
        complain(t, given, err.cause[0].text);
        if (err.n > 1) {
            complain(t, given, err.cause[1].text);
        }
    }
    for (size_t i = errors; i < mpl_infer_error_count(t->infer); i++) {
        complain(t, given, mpl_infer_error(t->infer, i)->text);
    }
    return true;
}

/* ---- expectations ------------------------------------------------------------------------ */

/** What an expected slot is compared with: texts, or a number. */
struct actual {
    const char *const *texts;
    size_t n;
    double number;
    bool is_number;
    bool is_known;
};

static struct actual one_text(const char *const *text)
{
    return (struct actual){ .texts = text, .n = *text == NULL ? 0 : 1, .is_known = true };
}

static struct actual one_number(double number)
{
    return (struct actual){ .number = number, .is_number = true, .is_known = true };
}

static const char *const finding_keys[] = {
    "kind",     "name",  "pattern", "run",       "text",         "remedy",  "rule",
    "healthy",  "lost",  "share",   "gain",      "confidence",   "level",   "locations",
    "culprits", "where", "what-if", "gain-kind", "headline",     "fix",     "computing",
    "fatal",    "doubt", "clocks",  "all-clear", "functions-of", "calls-of"
};
static const char *const need_keys[] = { "metric", "pattern", "run" };
static const char *const measure_keys[] = {
    "run",      "pattern",   "level",     "reason",      "rule", "record",    "regions",
    "counters", "locations", "processes", "repetitions", "knob", "separates", "expects"
};
enum {
    N_MEASURE_KEYS = sizeof measure_keys / sizeof measure_keys[0],
    N_FINDING_KEYS = sizeof finding_keys / sizeof finding_keys[0],
    N_NEED_KEYS = sizeof need_keys / sizeof need_keys[0]
};

static struct actual text_of_finding(const struct mpl_finding *f, const char *key)
{
    static const char *const yes_no[] = { "yes", "no" };
    static const char *const clocks[] = { "own", "compared" };
    const struct {
        const char *key;
        const char *const *text;
    } texts[] = { { "kind", &f->kind },
                  { "name", &f->name },
                  { "pattern", &f->pattern },
                  { "run", &f->run },
                  { "text", &f->text },
                  { "remedy", &f->remedy },
                  { "rule", &f->rule },
                  { "healthy", &yes_no[f->is_healthy ? 0 : 1] },
                  { "all-clear", &yes_no[f->is_all_clear ? 0 : 1] },
                  { "what-if", &f->what_if },
                  { "gain-kind", &f->gain_kind },
                  { "headline", &f->headline },
                  { "fix", &f->fix },
                  { "doubt", &f->doubt },
                  { "fatal", &yes_no[f->is_fatal ? 0 : 1] },
                  { "clocks", &clocks[f->has_own_clocks ? 0 : 1] } };

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (strcmp(texts[i].key, key) == 0) {
            return one_text(texts[i].text);
        }
    }
    return (struct actual){ 0 };
}

struct named_list {
    const char *key;
    const char *const *texts;
    size_t n;
};

static struct actual of_list(const struct named_list *lists, size_t n, const char *key)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(lists[i].key, key) == 0) {
            return (struct actual){ lists[i].texts, .n = lists[i].n, .is_known = true };
        }
    }
    return (struct actual){ 0 };
}

static struct actual of_finding(const struct mpl_finding *f, const char *key)
{
    const struct {
        const char *key;
        double number;
    } numbers[] = { { "lost", f->lost_s },           { "computing", f->computing_s },
                    { "share", f->share_of_lost },   { "gain", f->gain_s },
                    { "confidence", f->confidence }, { "level", f->level } };

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (strcmp(numbers[i].key, key) == 0) {
            return one_number(numbers[i].number);
        }
    }
    const struct named_list lists[] = { { "locations", f->locations, f->n_locations },
                                        { "culprits", f->culprits, f->n_culprits },
                                        { "where", f->where, f->n_where },
                                        { "functions-of", f->functions_of,
                                          f->n_functions_of },
                                        { "calls-of", f->calls_of, f->n_calls_of } };

    const struct actual found = of_list(lists, sizeof lists / sizeof lists[0], key);
    return found.is_known ? found : text_of_finding(f, key);
}

static struct actual of_measure(const struct mpl_measure *m, const char *key)
{
    const struct {
        const char *key;
        const char *const *text;
    } texts[] = { { "run", &m->run },       { "pattern", &m->pattern },
                  { "reason", &m->reason }, { "rule", &m->rule },
                  { "knob", &m->knob },     { "expects", &m->expects } };
    const struct named_list lists[] = { { "record", m->record, m->n_record },
                                        { "regions", m->regions, m->n_regions },
                                        { "counters", m->counters, m->n_counters },
                                        { "locations", m->locations, m->n_locations },
                                        { "separates", m->separates, m->n_separates } };

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (strcmp(texts[i].key, key) == 0) {
            return one_text(texts[i].text);
        }
    }
    const struct actual found = of_list(lists, sizeof lists / sizeof lists[0], key);
    return found.is_known
               ? found
               : one_number(strcmp(key, "level") == 0 ? (double) m->level : m->repetitions);
}

/** All of a word or string as a number; NaN when it is none. */
static double number_in(const struct mpl_form *value)
{
    char *end = NULL;
    const double number =
        value == NULL || value->kind == MPL_FORM_OPEN ? NAN : strtod(value->text, &end);

    return end == NULL || end == value->text || *end != '\0' ? NAN : number;
}

static bool equals_counts(const uint32_t *counts, size_t n, const struct mpl_form *slot)
{
    const struct mpl_form *value = slot->first->next;

    for (size_t i = 0; i < n; i++, value = value->next) {
        if (value == NULL || number_in(value) != (double) counts[i]) {
            return false;
        }
    }
    return value == NULL;
}

static bool equals(const struct actual *actual, const struct mpl_form *slot)
{
    const struct mpl_form *value = slot->first->next;

    if (actual->is_number) {
        const double wanted = number_in(value);

        return value != NULL && value->next == NULL &&
               fabs(actual->number - wanted) <= 1e-5 * fabs(wanted) + 1e-12;
    }
    for (size_t i = 0; i < actual->n; i++, value = value->next) {
        if (value == NULL || value->kind == MPL_FORM_OPEN ||
            strcmp(value->text, actual->texts[i]) != 0) {
            return false;
        }
    }
    return value == NULL;
}

/** A reason is named by its metric, by the name of its finding, or by its template. */
static bool has_reason(const struct trial *t, const struct mpl_finding *f, const char *name)
{
    for (size_t i = 0; i < f->n_because; i++) {
        const struct mpl_reason *r = &f->because[i];
        const char *actual = r->kind == MPL_REASON_METRIC ? r->metric
                             : r->kind == MPL_REASON_FINDING
                                 ? mpl_infer_finding(t->infer, r->finding)->name
                                 : r->template;

        if (strcmp(actual, name) == 0) {
            return true;
        }
    }
    return false;
}

static bool has_reasons(const struct trial *t, const struct mpl_finding *f,
                        const struct mpl_form *slot)
{
    for (const struct mpl_form *name = slot->first->next; name != NULL; name = name->next) {
        if (name->kind == MPL_FORM_OPEN || !has_reason(t, f, name->text)) {
            return false;
        }
    }
    return true;
}

/** In how many slots a finding is another than the one wanted; \p *first is the first of them. */
static unsigned count_differences(const struct trial *t, const struct mpl_finding *f,
                                  const struct mpl_form *wanted,
                                  const struct mpl_form **first)
{
    unsigned n = 0;

    for (const struct mpl_form *slot = wanted->first->next; slot != NULL;
         slot = slot->next) {
        const struct actual actual = of_finding(f, slot->first->text);

        if (mpl_form_is(slot, "because") ? !has_reasons(t, f, slot)
                                         : !equals(&actual, slot)) {
            *first = n++ == 0 ? slot : *first;
        }
    }
    return n;
}

static bool fits_finding(const struct trial *t, const struct mpl_finding *f,
                         const struct mpl_form *wanted)
{
    const struct mpl_form *first = NULL;

    return f->n_because > 0 && count_differences(t, f, wanted, &first) == 0;
}

static bool fits_measure(const struct mpl_measure *m, const struct mpl_form *wanted)
{
    for (const struct mpl_form *slot = wanted->first->next; slot != NULL;
         slot = slot->next) {
        const struct actual actual = of_measure(m, slot->first->text);

        if (mpl_form_is(slot, "processes")
                ? !equals_counts(m->processes, m->n_processes, slot)
                : !equals(&actual, slot)) {
            return false;
        }
    }
    return true;
}

/** Unknown slots are said, not just never equal. */
static bool knows_slots(const struct trial *t, const struct mpl_form *wanted,
                        const char *const *keys, size_t n)
{
    for (const struct mpl_form *slot = wanted->first->next; slot != NULL;
         slot = slot->next) {
        const char *head = mpl_form_head(slot);
        bool is_known = keys == finding_keys && strcmp(head, "because") == 0;

        for (size_t i = 0; i < n && !is_known; i++) {
            is_known = strcmp(keys[i], head) == 0;
        }
        if (!is_known) {
            const char *near = mpl_suggest(head, keys, n);

            mpl_lint_add(t->lint, MPL_LINT_ERROR, slot->place, "unknown slot '%s'%s%s%s",
                         head, near == NULL ? "" : "; did you mean '",
                         near == NULL ? "" : near, near == NULL ? "" : "'?");
            return false;
        }
    }
    return true;
}

/** What a slot holds, as far as it has room: numbers, texts one behind the other. */
static void say_actual(const struct mpl_finding *f, const struct mpl_form *slot, char *room,
                       size_t bytes)
{
    const struct actual actual = of_finding(f, slot->first->text);
    size_t used = 0;

    room[0] = '\0';
    if (mpl_form_is(slot, "because")) {
        (void) snprintf(room, bytes, "rests on other reasons");
    } else if (actual.is_number && isnan(actual.number)) {
        (void) snprintf(room, bytes, "has no %s", slot->first->text);
    } else if (actual.is_number) {
        (void) snprintf(room, bytes, "has %s %.6g", slot->first->text, actual.number);
    } else {
        used = (size_t) snprintf(room, bytes, "has %s", slot->first->text);
        for (size_t i = 0; i < actual.n && used < bytes; i++) {
            used +=
                (size_t) snprintf(room + used, bytes - used, " \"%s\"", actual.texts[i]);
        }
    }
}

static bool has_wanted_name(const struct mpl_finding *f, const struct mpl_form *wanted)
{
    for (const struct mpl_form *slot = wanted->first->next; slot != NULL;
         slot = slot->next) {
        const struct actual actual = of_finding(f, "name");

        if (mpl_form_is(slot, "name")) {
            return equals(&actual, slot);
        }
    }
    return false;
}

/** Of the findings of that name the one that comes nearest, and what is different there. */
static void complain_of_finding(const struct trial *t, const struct mpl_form *wanted)
{
    const struct mpl_finding *nearest = NULL;
    const struct mpl_form *different = NULL;
    unsigned least = UINT_MAX;
    char what[512];
    char text[600];

    for (size_t i = 0; i < mpl_infer_finding_count(t->infer); i++) {
        const struct mpl_finding *f = mpl_infer_finding(t->infer, i);
        const struct mpl_form *first = NULL;
        const unsigned n = count_differences(t, f, wanted, &first);

        if (!t->is_used[i] && f->n_because > 0 && n < least && has_wanted_name(f, wanted)) {
            nearest = f;
            different = first;
            least = n;
        }
    }
    if (nearest == NULL || least > 2) {
        complain(t, wanted, "there is no such finding");
        return;
    }
    say_actual(nearest, different, what, sizeof what);
    (void) snprintf(text, sizeof text, "there is no such finding, but %s %s", nearest->name,
                    what);
    complain(t, different, text);
}

static void expect_finding(const struct trial *t, const struct mpl_form *wanted)
{
    if (!knows_slots(t, wanted, finding_keys, N_FINDING_KEYS)) {
        return;
    }
    for (size_t i = 0; i < mpl_infer_finding_count(t->infer); i++) {
        if (!t->is_used[i] && fits_finding(t, mpl_infer_finding(t->infer, i), wanted)) {
            t->is_used[i] = true;
            return;
        }
    }
    complain_of_finding(t, wanted);
}

/** An expected (need …), compared with what conditions ask for. */
struct needed {
    const struct mpl_form *wanted;
    bool is_found;
};

static void note_asked(void *context, const char *run, const char *pattern,
                       const char *metric)
{
    struct needed *needed = context;
    bool fits = true;

    for (const struct mpl_form *slot = needed->wanted->first->next; slot != NULL && fits;
         slot = slot->next) {
        const char *const *text = strcmp(slot->first->text, "run") == 0       ? &run
                                  : strcmp(slot->first->text, "pattern") == 0 ? &pattern
                                                                              : &metric;
        const struct actual actual = one_text(text);

        fits = equals(&actual, slot);
    }
    needed->is_found = needed->is_found || fits;
}

static void expect_need(const struct trial *t, const struct mpl_form *wanted)
{
    struct needed needed = { .wanted = wanted };

    if (!knows_slots(t, wanted, need_keys, N_NEED_KEYS)) {
        return;
    }
    if (!mpl_infer_ask(t->infer, note_asked, &needed) || !needed.is_found) {
        complain(t, wanted, "there is no such need");
    }
}

static void expect_measure(const struct trial *t, const struct mpl_form *wanted)
{
    if (!knows_slots(t, wanted, measure_keys, N_MEASURE_KEYS)) {
        return;
    }
    for (size_t i = 0; i < mpl_infer_measure_count(t->infer); i++) {
        if (!t->is_asked[i] && fits_measure(mpl_infer_measure(t->infer, i), wanted)) {
            t->is_asked[i] = true;
            return;
        }
    }
    complain(t, wanted, "nothing like that is to be measured");
}

static void refuse_measures(const struct trial *t, const struct mpl_form *expect)
{
    for (size_t i = 0; i < mpl_infer_measure_count(t->infer); i++) {
        const struct mpl_measure *m = mpl_infer_measure(t->infer, i);

        if (!t->is_asked[i]) {
            mpl_lint_add(t->lint, MPL_LINT_ERROR, expect->place,
                         "rule %s also asks for a measurement: %s (case \"%s\")", m->rule,
                         m->reason, t->says);
        }
    }
}

static void refuse_others(const struct trial *t, const struct mpl_form *expect)
{
    for (size_t i = 0; i < mpl_infer_finding_count(t->infer); i++) {
        const struct mpl_finding *f = mpl_infer_finding(t->infer, i);

        if (!t->is_used[i]) {
            mpl_lint_add(t->lint, MPL_LINT_ERROR, expect->place,
                         "rule %s also finds %s '%s': %s (case \"%s\")", f->rule, f->kind,
                         f->name, f->text, t->says);
        }
    }
}

static bool check_expected(struct trial *t, const struct mpl_form *expect)
{
    t->is_used = MPL_NEW_ARRAY(t->arena, mpl_infer_finding_count(t->infer), bool);
    t->is_asked = MPL_NEW_ARRAY(t->arena, mpl_infer_measure_count(t->infer), bool);
    if (t->is_used == NULL || t->is_asked == NULL) {
        return false;
    }
    for (const struct mpl_form *wanted = expect->first->next; wanted != NULL;
         wanted = wanted->next) {
        if (mpl_form_is(wanted, "finding")) {
            expect_finding(t, wanted);
        } else if (mpl_form_is(wanted, "need")) {
            expect_need(t, wanted);
        } else if (mpl_form_is(wanted, "measure")) {
            expect_measure(t, wanted);
        } else {
            complain(t, wanted, "(finding …), (need …) or (measure …) is expected");
        }
    }
    refuse_others(t, expect);
    refuse_measures(t, expect);
    return true;
}

/* ---- files ------------------------------------------------------------------------------- */

static enum mpl_status run_steps(struct trial *t, const struct mpl_form *step,
                                 struct mpl_err *err)
{
    const struct mpl_form *last = NULL;

    for (; step != NULL; last = step, step = step->next) {
        if (mpl_form_is(step, "given")) {
            if (!run_given(t, step)) {
                return mpl_nomem(err);
            }
        } else if (!mpl_form_is(step, "expect")) {
            complain(t, step, "(given …) or (expect …) is expected");
        } else if (!t->is_broken && !check_expected(t, step)) {
            return mpl_nomem(err);
        }
    }
    if (last == NULL || !mpl_form_is(last, "expect")) {
        mpl_lint_add(
            t->lint, MPL_LINT_ERROR, last == NULL ? (struct mpl_place){ 0 } : last->place,
            "a case ends with (expect …), or it tests nothing (case \"%s\")", t->says);
    }
    return MPL_OK;
}

/** In \p *infer, which is renewed; NULL before the first case. */
static enum mpl_status run_case(const struct mpl_rules *rules, const struct mpl_form *cases,
                                const struct mpl_form *form, struct mpl_infer **infer,
                                struct mpl_arena *arena, struct mpl_lint *lint,
                                struct mpl_err *err)
{
    const struct mpl_form *says = mpl_form_is(form, "case") ? form->first->next : NULL;
    struct trial t = { .cases = cases, .form = form, .arena = arena, .lint = lint };

    if (says == NULL || says->kind != MPL_FORM_STRING) {
        mpl_lint_add(lint, MPL_LINT_ERROR, form->place,
                     "a case such as (case \"why\" (given …) (expect …)) is expected");
        return MPL_OK;
    }
    t.says = says->text;

    const enum mpl_status st = mpl_infer_renew(rules, NULL, infer, err);

    t.infer = *infer;
    return st == MPL_OK ? run_steps(&t, says->next, err) : st;
}

static enum mpl_status run_cases(const struct mpl_rules *rules,
                                 const struct mpl_form *cases, struct mpl_arena *arena,
                                 struct mpl_lint *lint, size_t *n, struct mpl_err *err)
{
    struct mpl_infer *infer = NULL;
    enum mpl_status st = MPL_OK;

    for (const struct mpl_form *form = cases; form != NULL && st == MPL_OK;
         form = form->next, *n += st == MPL_OK) {
        st = run_case(rules, cases, form, &infer, arena, lint, err);
    }
    mpl_infer_destroy(infer);
    return st;
}

enum mpl_status mpl_rules_test(const struct mpl_rules *rules, const char *file,
                               const char *text, size_t bytes, struct mpl_arena *arena,
                               struct mpl_lint *lint, size_t *n_cases, struct mpl_err *err)
{
    const size_t errors_before = mpl_lint_errors(lint);
    const struct mpl_form *cases = NULL;

    *n_cases = 0;
    mpl_lint_source(lint, file, text, bytes);

    enum mpl_status st = mpl_forms_read(file, text, bytes, arena, lint, &cases, err);

    st = st == MPL_OK ? run_cases(rules, cases, arena, lint, n_cases, err) : st;
    if (st != MPL_OK) {
        return st;
    }
    return mpl_lint_errors(lint) > errors_before ? mpl_lint_fail(lint, err) : MPL_OK;
}
