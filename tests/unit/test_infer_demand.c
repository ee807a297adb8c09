/* Facts that no rule can use are left out: whatever rules conclude must be what it is with all facts. */
#include "config.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "infer/infer.h"
#include "tests/unit/infer_fixture.h"

#include "../lib/suite.h"

enum { LOCATIONS = 600 };

static const char rules[] =
    "(deftemplate MAIN::blamed (slot run (type STRING)) (slot location (type STRING)))\n"
    "(deftemplate MAIN::never)\n"
    "(deffunction MAIN::limit (?n) (/ 594.0 ?n))\n"
    "(defrule REFINE::blame (metric (run ?r) (pattern ?p) (name \"x.a\") (location ?l) "
    "(value ?a) (of ?n))"
    " (test (>= ?a (limit ?n)))"
    " (metric (run ?r) (pattern ?p) (name \"x.b\") (location ?l) (value ?b&:(< 0.2 ?b)))"
    " => (assert (blamed (run ?r) (location ?l))))\n"
    "(defrule CAUSES::blamed (logical (blamed (run ?r) (location ?l)))"
    " (metric (run ?r) (pattern ?p) (name \"x.c\") (location ?l) (value ?c))"
    " (metric (run ?r) (pattern ?p) (name \"x.b\") (location ?l) (value ?b))"
    " => (assert (finding (kind cause) (name blamed) (run ?r) (locations ?l) (lost (+ ?b "
    "?c)))))\n"
    "(defrule CAUSES::released (logical (blamed (run ?r) (location ?l)))"
    " (metric (run ?r) (name \"x.f\") (location ?l) (value ?f))"
    " => (assert (finding (kind cause) (name released) (run ?r) (locations ?l) (lost "
    "?f))))\n"
    "(defrule CAUSES::second (metric (run ?r) (name \"x.d\") (location ?l) (rank 300) "
    "(value ?v))"
    " => (assert (finding (kind cause) (name second) (run ?r) (locations ?l) (lost ?v))))\n"
    "(defrule CAUSES::any (exists (metric (run ?r) (name \"x.e\"))) (blamed (run ?r))"
    " => (assert (finding (kind cause) (name any) (run ?r))))\n"
    "(defrule CAUSES::none (pattern (run ?r))"
    " (not (metric (run ?r) (name \"x.d\") (location ?l) (value ?v&:(< ?v 0.001))))"
    " => (assert (finding (kind cause) (name none) (run ?r))))\n"
    "(defrule CAUSES::either (or (blamed (run ?r) (location ?l))"
    " (metric (run ?r) (name \"x.d\") (location ?l) (value ?v&:(<= ?v 0.02))))"
    " (metric (run ?r) (name \"x.c\") (location ?l) (value ?c))"
    " => (assert (finding (kind cause) (name either) (run ?r) (locations ?l) (lost ?c))))\n"
    "(defrule CAUSES::one-of (metric (run ?r) (name \"x.a\" | \"x.d\") (location ?l) (rank "
    "7)"
    " (value ?v)) (metric (run ?r) (name \"x.e\" | \"y.e\") (location ?l) (value ?e))"
    " => (assert (finding (kind cause) (name one-of) (run ?r) (locations ?l) (lost (+ ?v "
    "?e)))))\n"
    "(defrule CAUSES::exact (metric (run ?r) (name \"x.c\") (location ?l) (value 0.25))"
    " => (assert (finding (kind cause) (name exact) (run ?r) (locations ?l))))\n"
    "(defrule ADVISE::function (blamed (run ?r) (location ?l))"
    " => (assert (finding (kind cause) (name function) (run ?r) (locations ?l)"
    " (lost (metric-value ?r \"p\" \"x.e\" ?l 7.0)) (gain (median-of ?r \"p\" "
    "\"x.a\")))))\n";

static const char query[] = "(defrule CAUSES::query (never) => (do-for-all-facts ((?m "
                            "metric)) TRUE (bind ?x 1)))\n";

struct value {
    uint32_t location;
    double value;
};

static int descending(const void *a, const void *b)
{
    const struct value *x = a;
    const struct value *y = b;

    if (x->value != y->value) {
        return x->value < y->value ? 1 : -1;
    }
    return x->location < y->location ? -1 : 1;
}

static struct mpl_slot text_slot(const char *name, const char *text)
{
    return (struct mpl_slot){ .name = name, .kind = MPL_SLOT_STRING, .text = text };
}

/* As the engine does: all locations, the largest value first. */
static void give(char metric, uint64_t seed)
{
    struct value values[LOCATIONS];
    const char name[] = { 'x', '.', metric, '\0' };

    for (uint32_t i = 0; i < LOCATIONS; i++) {
        const uint64_t random = mpl_hash_mix(seed * 1000003 + i * 31 + (uint64_t) metric);

        values[i] = (struct value){ i, (double) (random % 4096) / 4096 };
    }
    qsort(values, LOCATIONS, sizeof values[0], descending);
    for (uint32_t i = 0; i < LOCATIONS; i++) {
        char label[16];

        (void) snprintf(label, sizeof label, "%u", values[i].location);
        const struct mpl_slot slots[] = {
            text_slot("run", "r1"),
            text_slot("pattern", "p"),
            text_slot("name", name),
            text_slot("location", label),
            { .name = "value", .kind = MPL_SLOT_FLOAT, .number = values[i].value },
            text_slot("unit", "s"),
            { .name = "rank", .kind = MPL_SLOT_INTEGER, .integer = i + 1 },
            { .name = "of", .kind = MPL_SLOT_INTEGER, .integer = LOCATIONS },
        };

        ck_assert_int_eq(
            mpl_infer_assert(lab_get()->infer, "metric", slots, 8, &lab_get()->err),
            MPL_OK);
    }
}

static void print_conclusions(FILE *out)
{
    const struct mpl_infer *infer = lab_get()->infer;

    for (size_t i = 0; i < mpl_infer_firing_count(infer); i++) {
        (void) fprintf(out, "%s ", mpl_infer_firing(infer, i).rule);
    }
    for (size_t i = 0; i < mpl_infer_finding_count(infer); i++) {
        const struct mpl_finding *f = mpl_infer_finding(infer, i);

        (void) fprintf(out, "\n%s %s %g %g", f->name,
                       f->n_locations > 0 ? f->locations[0] : "", f->lost_s, f->gain_s);
        for (size_t k = 0; k < f->n_because; k++) {
            (void) fprintf(out, " %s=%g", f->because[k].metric, f->because[k].value);
        }
    }
}

/* What rules conclude where the metrics come in that order; ' ' lets them fire. */
static char *conclude(const char *text, const char *order, uint64_t seed)
{
    char *conclusions = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&conclusions, &bytes);

    ck_assert_ptr_nonnull(out);
    lab_create();
    lab_open(text, NULL);
    lab_give_pattern("p");
    for (const char *c = order; *c != '\0'; c++) {
        if (*c == ' ') {
            ck_assert_int_eq(mpl_infer_run(lab_get()->infer, &lab_get()->err), MPL_OK);
        } else {
            give(*c, seed);
        }
    }
    ck_assert_int_eq(mpl_infer_run(lab_get()->infer, &lab_get()->err), MPL_OK);
    ck_assert_uint_eq(mpl_infer_error_count(lab_get()->infer), 0);
    print_conclusions(out);
    lab_destroy();
    ck_assert_int_eq(fclose(out), 0);
    return conclusions;
}

START_TEST(rules_conclude_what_they_do_with_all_facts)
{
    static const char *const orders[] = { "fabcde",      "abdef c",     "c abedf", "edcfba",
                                          "a b c d f e", "b e a d c f", "de cbaf" };
    char with_query[sizeof rules + sizeof query];

    (void) snprintf(with_query, sizeof with_query, "%s%s", rules, query);
    for (uint64_t seed = 1; seed <= 4; seed++) {
        char *some = conclude(rules, orders[_i], seed);
        char *all = conclude(with_query, orders[_i], seed);

        ck_assert_ptr_nonnull(strstr(all, "REFINE::blame"));
        ck_assert_str_eq(some, all);
        free(some);
        free(all);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("infer: demand");
    TCase *tcase = add_case(suite, "all", NULL, NULL);

    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, rules_conclude_what_they_do_with_all_facts, 0, 7);
    return run_suite(suite);
}
