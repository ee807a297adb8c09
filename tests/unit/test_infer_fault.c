/*
 * What nobody wrote on purpose: texts with a byte changed here and there, and memory that runs
 * out at every single allocation.
 */
#include "config.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/suite.h"
#include "infer_fixture.h"

static const struct mpl_infer_limits tight = { .seconds = 0.3, .memory_bytes = 64 << 20 };

/* ---- memory ---------------------------------------------------------------------------- */

static const char text[] =
    "(deffunction MAIN::f (?x) (* 2 ?x))\n"
    "(defglobal MAIN ?*limit* = 0.8)\n"
    "(defrule SYMPTOMS::low \"Low.\"\n"
    "  (logical (metric (run ?r) (name \"e\") (value ?v&:(< ?v ?*limit*))))\n"
    "  (test (= (length$ (metric-values ?r \"p\" \"e\")) 1)) =>\n"
    "  (assert (finding (kind symptom) (name low) (run ?r) (locations \"1\" \"2\")\n"
    "     (text (text \"{%} at {}\" ?v (location-list \"1\" \"2\" \"3\"))))))\n"
    "(defrule CAUSES::asks (finding (name low) (run ?r)) (metric (run ?r) (pattern \"p\") "
    "(name \"w\")) =>)\n"
    "(defrule CAUSES::why (finding (name low) (run ?r)) (pattern) (not (halt)) =>\n"
    "  (assert (finding (kind cause) (run ?r) (text (str-cat \"a\" (plural (f 2) "
    "\"b\")))))\n"
    "  (bind ?x (/ 1 0)))\n";

/**
 * Fails the n-th allocation of a step for n = 0, 1, 2, … An allocation that costs only a
 * quotation or a suggestion fails unnoticed, so the end is a long row of successes.
 */
enum { ROW = 200, MOST = 20000 };

static enum mpl_status parse_once(void)
{
    struct lab *lab = lab_get();
    struct mpl_arena *arena = mpl_arena_create();
    struct mpl_lint *lint = arena == NULL ? NULL : mpl_lint_create(arena);
    const struct mpl_rules *rules = NULL;
    enum mpl_status st = MPL_E_NOMEM;

    if (lint != NULL) {
        lab->err = (struct mpl_err){ 0 };
        st = lab_parse_on(lab->vocabulary, "t.clp", text, sizeof text - 1, arena, lint,
                          &rules, &lab->err);
        ck_assert_int_eq(st == MPL_OK, rules != NULL);
    }
    mpl_arena_destroy(arena);
    return st;
}

START_TEST(parsing_survives_every_failing_allocation)
{
    long failures = 0;

    for (long n = 0, row = 0; row < ROW; n++) {
        ck_assert_int_lt(n, MOST);
        mpl_alloc_fail_after(n);

        const enum mpl_status st = parse_once();

        mpl_alloc_fail_after(-1);
        ck_assert_msg(st == MPL_OK || st == MPL_E_NOMEM, "allocation %ld: status %d, %s", n,
                      st, lab_get()->err.cause[0].text);
        failures += st == MPL_E_NOMEM;
        row = st == MPL_OK ? row + 1 : 0;
    }
    ck_assert_int_gt(failures, 20);
}
END_TEST

enum { N_METRIC = 5 };
static const struct mpl_slot metric[N_METRIC] = {
    { .name = "run", .kind = MPL_SLOT_STRING, .text = "r1" },
    { .name = "name", .kind = MPL_SLOT_STRING, .text = "e" },
    { .name = "value", .kind = MPL_SLOT_FLOAT, .number = 0.5 },
    { .name = "pattern", .kind = MPL_SLOT_STRING, .text = "p" },
    { .name = "location", .kind = MPL_SLOT_STRING, .text = "1" },
};

static void count_asked(void *context, const char *run, const char *pattern,
                        const char *name)
{
    ck_assert_str_eq(run, "r1");
    ck_assert_str_eq(pattern, "p");
    ck_assert_str_eq(name, "w");
    ++*(unsigned *) context;
}

static enum mpl_status infer_once(void)
{
    struct lab *lab = lab_get();
    struct mpl_infer *infer = NULL;

    lab->err = (struct mpl_err){ 0 };

    enum mpl_status st = mpl_infer_create(lab->rules, NULL, &infer, &lab->err);

    ck_assert_int_eq(st == MPL_OK, infer != NULL);
    if (st == MPL_OK) {
        st = mpl_infer_assert(infer, "metric", metric, N_METRIC, &lab->err);
    }
    if (st == MPL_OK) {
        st = mpl_infer_assert(infer, "pattern", metric, 1, &lab->err);
    }
    if (st == MPL_OK) {
        st = mpl_infer_run(infer, &lab->err);
    }
    if (st == MPL_OK) {
        /* What was concluded in spite of a failed allocation is complete. */
        ck_assert_uint_eq(mpl_infer_finding_count(infer), 2);
        ck_assert_str_eq(mpl_infer_finding(infer, 0)->text, "50.0 % at 1 to 3");
        ck_assert_str_eq(mpl_infer_finding(infer, 1)->text, "a4 bs");
        ck_assert_uint_eq(mpl_infer_finding(infer, 1)->n_because, 2);
        ck_assert_uint_eq(mpl_infer_error_count(infer), 1);
        ck_assert_uint_eq(mpl_infer_firing_count(infer), 2);
    }
    if (st == MPL_OK) {
        unsigned n_asked = 0;

        st = mpl_infer_ask(infer, count_asked, &n_asked) ? MPL_OK : MPL_E_NOMEM;
        ck_assert(st != MPL_OK || n_asked == 1);
    }
    mpl_infer_destroy(infer);
    return st;
}

START_TEST(inference_survives_every_failing_allocation)
{
    long failures = 0;

    ck_assert_int_eq(lab_parse(text), MPL_OK);
    for (long n = 0, row = 0; row < ROW; n++) {
        ck_assert_int_lt(n, MOST);
        mpl_alloc_fail_after(n);

        const enum mpl_status st = infer_once();

        mpl_alloc_fail_after(-1);
        ck_assert_msg(st == MPL_OK || st == MPL_E_NOMEM, "allocation %ld: status %d, %s", n,
                      st, lab_get()->err.cause[0].text);
        failures += st == MPL_E_NOMEM;
        row = st == MPL_OK ? row + 1 : 0;
    }
    /* Arenas gather what they are asked for, so there are few where they are not for debugging. */
    ck_assert_int_gt(failures, 5);
}
END_TEST

static const char faulty[] =
    "(defrule CAUSES::faulty \"Faulty.\" (metric (run ?r)) =>\n"
    "  (assert (finding (kind cause) (run ?r) (text (text \"{} and {}\" ?r)))))\n";

/* CLIPS does not know what belongs into a text: who looks for that must not overlook it for lack of memory. The vocabulary
 * is looked at first, which takes nearly all allocations. */
START_TEST(faulty_rule_is_refused_whatever_allocation_fails)
{
    const long enough = 1L << 20;
    long failures = 0;

    mpl_alloc_fail_after(enough);
    ck_assert_int_eq(lab_parse(faulty), MPL_E_SYNTAX);

    const long n_all = enough - mpl_alloc_fail_after(-1);

    ck_assert_int_gt(n_all, ROW);
    for (long n = n_all - ROW; n < n_all; n++) {
        mpl_alloc_fail_after(n);

        const enum mpl_status st = lab_parse(faulty);

        mpl_alloc_fail_after(-1);
        ck_assert_msg(st == MPL_E_SYNTAX || st == MPL_E_NOMEM, "allocation %ld", n);
        failures += st == MPL_E_NOMEM;
    }
    ck_assert_int_gt(failures, 5);
}
END_TEST

START_TEST(rule_test_survives_every_failing_allocation)
{
    static const char cases[] =
        "(case \"c\" (given (metric (name \"e\") (value 0.9))) (expect))";
    struct lab *lab = lab_get();
    long failures = 0;

    ck_assert_int_eq(lab_parse(text), MPL_OK);
    for (long n = 0, row = 0; row < ROW; n++) {
        struct mpl_arena *arena = mpl_arena_create();
        struct mpl_lint *lint = mpl_lint_create(arena);
        size_t n_cases = 0;

        ck_assert_int_lt(n, MOST);
        mpl_alloc_fail_after(n);

        const enum mpl_status st = mpl_rules_test(lab->rules, "c", cases, sizeof cases - 1,
                                                  arena, lint, &n_cases, NULL);

        mpl_alloc_fail_after(-1);
        /* A fact that cannot be asserted is a message like any other. */
        if (st != MPL_OK && st != MPL_E_SYNTAX) {
            ck_assert_int_eq(st, MPL_E_NOMEM);
        }
        failures += st != MPL_OK;
        row = st == MPL_OK ? row + 1 : 0;
        mpl_arena_destroy(arena);
    }
    ck_assert_int_gt(failures, 0);
}
END_TEST

/* ---- mutations ---------------------------------------------------------------------------- */

static const char *const seeds[] = { "rules/message-passing.clp", "rules/thresholds.clp",
                                     "rules/vocabulary.clp", NULL /* The text above. */ };
enum { N_SEEDS = sizeof seeds / sizeof seeds[0], ROUNDS = 25 };

static const char *const scraps[] = {
    "(",         ")",     "\"",        ";",     "=>",
    "?x",        "$?y",   "(not ",     "test ", "(while TRUE do ",
    "~",         "&:",    "(assert ",  "::",    "MAIN",
    "(text \"{", "1e999", "nil",       "\\",    "(defrule ",
    "\n",        "<-",    "(logical ", "|",     "?*significant*"
};
enum { N_SCRAPS = sizeof scraps / sizeof scraps[0] };

/** Up to four changes: a byte flipped, a span cut, copied or a scrap put in. */
static char *mutate(const char *seed, size_t *bytes)
{
    const size_t room = *bytes + 4096;
    char *mutant = mpl_arena_alloc(lab_get()->arena, 2 * room);

    memcpy(mutant, seed, *bytes);
    for (int left = 1 + rand() % 4; left > 0 && *bytes > 80; left--) {
        const size_t at = (size_t) rand() % (*bytes - 70);
        const size_t span = 1 + (size_t) rand() % 60;
        const char *scrap = scraps[rand() % N_SCRAPS];

        switch (rand() % 4) {
        case 0:
            mutant[at] ^= (char) (1 << (rand() % 7));
            break;
        case 1:
            memmove(mutant + at, mutant + at + span, *bytes - at - span);
            *bytes -= span;
            break;
        case 2:
            memmove(mutant + at + span, mutant + at, *bytes - at);
            *bytes += span;
            break;
        default:
            memmove(mutant + at + strlen(scrap), mutant + at, *bytes - at);
            memcpy(mutant + at, scrap, strlen(scrap));
            *bytes += strlen(scrap);
            break;
        }
    }
    return mutant;
}

/* Returns how many findings there are. */
static size_t run_mutant(const struct mpl_rules *rules)
{
    struct mpl_infer *infer = NULL;
    size_t n;

    if (mpl_infer_create(rules, &tight, &infer, NULL) != MPL_OK) {
        return 0;
    }
    (void) mpl_infer_assert(infer, "pattern", metric, 1, NULL);
    (void) mpl_infer_assert(infer, "metric", metric, N_METRIC, NULL);
    (void) mpl_infer_run(infer, NULL);
    n = mpl_infer_finding_count(infer);
    for (size_t i = 0; i < n; i++) {
        ck_assert_uint_gt(mpl_infer_finding(infer, i)->n_because, 0);
    }
    mpl_infer_destroy(infer);
    return n;
}

/* _i is the seed. */
START_TEST(changed_rule_text_is_accepted_or_refused_with_a_message)
{
    struct lab *lab = lab_get();
    const char *const path = seeds[_i % N_SEEDS];
    char *seed = mpl_arena_strdup(lab->arena, text);
    size_t bytes = sizeof text - 1;
    size_t n_findings = 0;

    srand((unsigned) _i);
    if (path != NULL) {
        ck_assert_int_eq(
            mpl_file_read(lab_path(path), 1 << 20, lab->arena, &seed, &bytes, NULL),
            MPL_OK);
    }
    for (int round = 0; round < ROUNDS; round++) {
        struct mpl_lint *lint = mpl_lint_create(lab->arena);
        const struct mpl_rules *rules = NULL;
        size_t n = bytes;
        /* At first as it is. */
        const char *mutant = round == 0 ? seed : mutate(seed, &n);
        /* The vocabulary stands for itself; the other texts need it. */
        const enum mpl_status st =
            lab_parse_on(_i % N_SEEDS == 2 ? NULL : lab->vocabulary, "m.clp", mutant, n,
                         lab->arena, lint, &rules, NULL);

        ck_assert_msg(st == MPL_OK || st == MPL_E_SYNTAX || st == MPL_E_LIMIT,
                      "seed %d, round %d: status %d", _i, round, st);
        ck_assert_int_eq(st == MPL_OK, rules != NULL);
        ck_assert_int_eq(st == MPL_OK, mpl_lint_errors(lint) == 0);
        n_findings += st == MPL_OK ? run_mutant(rules) : 0;
    }
    if (path == NULL) {
        ck_assert_uint_gt(n_findings, 0);
    }
}
END_TEST

START_TEST(changed_rule_test_is_accepted_or_refused_with_a_message)
{
    static const char cases[] =
        "(case \"a low efficiency is a symptom\"\n"
        "  (given (metric (run \"r1\") (name \"e\") (value 0.5)) (pattern (run \"r1\")))\n"
        "  (expect (finding (name low) (because \"e\") (locations \"1\" \"2\"))\n"
        "          (finding (kind cause)) (need (metric \"w\"))))\n";

    ck_assert_int_eq(lab_parse(text), MPL_OK);
    srand((unsigned) _i);
    for (int round = 0; round < ROUNDS; round++) {
        struct mpl_lint *lint = mpl_lint_create(lab_get()->arena);
        size_t n = sizeof cases - 1;
        size_t n_cases = 0;
        const char *mutant = mutate(cases, &n);
        const enum mpl_status st = mpl_rules_test(lab_get()->rules, "m.test.clp", mutant, n,
                                                  lab_get()->arena, lint, &n_cases, NULL);

        ck_assert_int_eq(st == MPL_OK, mpl_lint_errors(lint) == 0);
    }
}
END_TEST

int main(void)
{
    const char *more = getenv("MARPLE_FUZZ_SEEDS");
    const int n_seeds = more == NULL ? 12 : atoi(more);
    Suite *s = suite_create("infer_fault");
    TCase *memory = add_case(s, "memory", lab_create, lab_destroy);
    TCase *fuzz = add_case(s, "fuzz", lab_create, lab_destroy);

    tcase_set_timeout(memory, 300);
    tcase_add_test(memory, parsing_survives_every_failing_allocation);
    tcase_add_test(memory, inference_survives_every_failing_allocation);
    tcase_add_test(memory, faulty_rule_is_refused_whatever_allocation_fails);
    tcase_add_test(memory, rule_test_survives_every_failing_allocation);

    tcase_set_timeout(fuzz, 300);
    tcase_add_loop_test(fuzz, changed_rule_text_is_accepted_or_refused_with_a_message, 0,
                        n_seeds);
    tcase_add_loop_test(fuzz, changed_rule_test_is_accepted_or_refused_with_a_message, 0,
                        n_seeds);
    return run_suite(s);
}
