/* Where memory runs out, a picture is an error or whole: never one that lacks something. */
#include "config.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw/draw.h"

enum { EACH = 200, STRIDE = 61, ENOUGH = 12, MOST = 400000 };

static struct mpl_analysis *analysis;

static void diagnose(const char *trace)
{
    const char *top = getenv("top_srcdir");
    const struct mpl_analysis_options options = { .knowledge = &top, .n_knowledge = 1 };
    char path[4096];
    const char *paths[] = { path };

    ck_assert_ptr_nonnull(top);
    snprintf(path, sizeof path, "%s/tests/traces/%s", top, trace);
    ck_assert_int_eq(mpl_analysis_run(paths, 1, &options, &analysis, NULL), MPL_OK);
}

static void setup(void)
{
    diagnose("two-late.trace");
}

static void teardown(void)
{
    mpl_analysis_destroy(analysis);
}

/* ---- what is drawn ------------------------------------------------------------------------------- */

typedef enum mpl_status (*drawing)(const struct mpl_view_report *report, FILE *out,
                                   struct mpl_err *err);

static enum mpl_status draw_page(const struct mpl_view_report *report, FILE *out,
                                 struct mpl_err *err)
{
    const struct mpl_draw_options options = { .plan = NULL };

    (void) report;
    return mpl_draw_page(analysis, &options, out, err);
}

static enum mpl_status draw_check(const struct mpl_view_report *report, FILE *out,
                                  struct mpl_err *err)
{
    const struct mpl_draw_options options = { .plan = NULL };

    (void) report;
    return mpl_draw_check_page(mpl_analysis_diagnosis(analysis), &options, out, err);
}

static enum mpl_status draw_export(const struct mpl_view_report *report, FILE *out,
                                   struct mpl_err *err)
{
    const struct mpl_export_options options = { .format = MPL_EXPORT_PERFETTO };
    struct mpl_export_counts counts;

    return mpl_draw_export(report->selection, &options, report->arena, out, &counts, err);
}

static enum mpl_status draw_chrome(const struct mpl_view_report *report, FILE *out,
                                   struct mpl_err *err)
{
    const struct mpl_export_options options = { .format = MPL_EXPORT_CHROME };
    struct mpl_export_counts counts;

    return mpl_draw_export(report->selection, &options, report->arena, out, &counts, err);
}

/* ---- with the n-th allocation refused --------------------------------------------------------------- */

struct drawn {
    enum mpl_status status;
    char *bytes;
    size_t n;
};

static struct drawn draw(drawing what, const struct mpl_view *view, long refused)
{
    const struct mpl_selection_asked asked = { .from_s = NAN, .to_s = NAN };
    struct mpl_view_report report = { .view = view, .arena = mpl_arena_create() };
    struct mpl_err err = { 0 };
    struct drawn drawn = { .status = MPL_OK };
    FILE *out = open_memstream(&drawn.bytes, &drawn.n);

    ck_assert(out != NULL && report.arena != NULL);
    ck_assert_int_eq(mpl_selection_create(mpl_analysis_diagnosis(analysis), &asked,
                                          report.arena, &report.selection, NULL),
                     MPL_OK);
    mpl_alloc_fail_after(refused);
    drawn.status = what(&report, out, &err);
    mpl_alloc_fail_after(-1);
    ck_assert_int_eq(fclose(out), 0);
    mpl_arena_destroy(report.arena);
    return drawn;
}

/* Until it is drawn several times one after the other: then more allocations are allowed than it needs. */
static void check_all(drawing what, const struct mpl_view *view, const char *name)
{
    struct drawn whole = draw(what, view, -1);
    long failures = 0;
    int n_good = 0;

    ck_assert_int_eq(whole.status, MPL_OK);
    for (long n = 0; n_good < ENOUGH; n += n < EACH ? 1 : STRIDE) {
        struct drawn one = draw(what, view, n);

        ck_assert_int_lt(n, MOST);
        ck_assert_msg(one.status == MPL_OK || one.status == MPL_E_NOMEM,
                      "%s, allocation %ld: status %d", name, n, one.status);
        ck_assert_msg(one.status != MPL_OK ||
                          (one.n == whole.n && memcmp(one.bytes, whole.bytes, one.n) == 0),
                      "%s, allocation %ld: it lacks something, and nothing says so", name,
                      n);
        n_good = one.status == MPL_OK ? n_good + 1 : 0;
        failures += one.status == MPL_E_NOMEM;
        free(one.bytes);
    }
    ck_assert_int_gt(failures, 3);
    free(whole.bytes);
}

START_TEST(pages_are_whole_or_an_error)
{
    check_all(draw_page, NULL, "diagnosis");
    check_all(draw_check, NULL, "check");
}
END_TEST

START_TEST(exports_are_whole_or_an_error)
{
    check_all(draw_export, NULL, "perfetto");
    check_all(draw_chrome, NULL, "chrome");
}
END_TEST

START_TEST(views_are_whole_or_an_error)
{
    size_t n = 0;
    const struct mpl_view *const *views = mpl_views(&n);

    for (size_t i = 0; i < n; i++) {
        check_all(mpl_draw_view_svg, views[i], views[i]->name);
        check_all(mpl_draw_view_page, views[i], views[i]->name);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("draw");
    TCase *c = tcase_create("memory");
    SRunner *runner = srunner_create(suite);

    tcase_add_checked_fixture(c, setup, teardown);
    tcase_set_timeout(c, 120);
    tcase_add_test(c, pages_are_whole_or_an_error);
    tcase_add_test(c, exports_are_whole_or_an_error);
    tcase_add_test(c, views_are_whole_or_an_error);
    suite_add_tcase(suite, c);
    srunner_run_all(runner, CK_ENV);

    const int failed = srunner_ntests_failed(runner);

    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
