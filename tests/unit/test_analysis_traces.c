/* Real traces: what is said of the clocks agrees with itself, and nobody asks who was first for nothing. */
#include "config.h"

#include <check.h>
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/arena.h"
#include "../lib/suite.h"
#include "../lib/traces.h"
#include "analysis_fixture.h"

static unsigned n_traces;
static unsigned n_alone;   /* runs with fewer than two causes */
static unsigned n_stamped; /* of them, those with timestamps of causality all the same */

static void check_finding(const char *trace, const struct mpl_diagnosed *d)
{
    const bool is_known = !isnan(d->clock_low_s);

    ck_assert_msg(d->is_clock_sensitive == (d->clock_reason != NULL), "%s %s", trace,
                  d->id);
    ck_assert_msg(is_known == !isnan(d->clock_high_s), "%s %s", trace, d->id);
    if (is_known) {
        ck_assert_msg(d->clock_low_s <= d->lost_s && d->lost_s <= d->clock_high_s, "%s %s",
                      trace, d->id);
        ck_assert_msg(d->is_clock_sensitive == (d->clock_low_s < 0.75 * d->lost_s),
                      "%s %s: %g of %g", trace, d->id, d->clock_low_s, d->lost_s);
    }
}

/* No stock pattern asks who was first; of two causes it is said which began first. */
static void count_stamped(const struct mpl_analysis *a)
{
    for (uint32_t r = 0; r < a->n_runs; r++) {
        const struct mpl_events *events = a->runs[r].events;
        unsigned n_causes = 0;

        for (size_t i = 0; i < a->diagnosis.n_findings; i++) {
            const struct mpl_diagnosed *d = &a->diagnosis.findings[i];

            n_causes += d->run == r && mpl_diagnosed_is_cause(d);
        }
        n_alone += n_causes < 2;
        n_stamped += n_causes < 2 && events != NULL &&
                     mpl_precedences_are_made(mpl_events_precedences(events));
    }
}

static void check_trace(const char *trace, const char *path)
{
    struct mpl_analysis *a = analyse_path(path, NULL);

    count_stamped(a);
    if (a->diagnosis.verdict != MPL_VERDICT_UNUSABLE) {
        for (size_t i = 0; i < a->diagnosis.n_findings; i++) {
            check_finding(trace, &a->diagnosis.findings[i]);
        }
        ck_assert_msg(a->diagnosis.is_verdict_clock_sensitive ==
                          (a->diagnosis.verdict_clock_reason != NULL),
                      "%s", trace);
        n_traces++;
    }
    mpl_analysis_destroy(a);
}

/* False where there is none. */
static bool check_folder(const char *folder)
{
    DIR *dir = folder == NULL ? NULL : opendir(folder);
    const struct dirent *entry;

    if (dir == NULL) {
        return false;
    }

    while ((entry = readdir(dir)) != NULL) {
        char path[4096];

        if (entry->d_name[0] == '.' || strcmp(entry->d_name, "README.md") == 0) {
            continue;
        }
        (void) snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        check_trace(entry->d_name, path);
    }
    (void) closedir(dir);
    return true;
}

START_TEST(shipped_traces_keep_their_times)
{
    ck_assert(check_folder(in_tree("examples/traces")));
    ck_assert_uint_ge(n_traces, 4);
    ck_assert_uint_gt(n_alone, 0);
    ck_assert_uint_eq(n_stamped, 0);
}
END_TEST

START_TEST(traces_beside_the_project_keep_their_times)
{
    ck_assert(check_folder(traces_folder()));
    ck_assert_uint_gt(n_traces, 0);
    ck_assert_uint_gt(n_alone, 0);
    ck_assert_uint_eq(n_stamped, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("analysis-traces");
    TCase *tcase = add_case(suite, "traces", create_arena, destroy_arena);

    tcase_set_timeout(tcase, 600);
    tcase_add_test(tcase, shipped_traces_keep_their_times);
    if (traces_are_there("times of real traces")) {
        tcase_add_test(tcase, traces_beside_the_project_keep_their_times);
    }
    return run_suite(suite);
}
