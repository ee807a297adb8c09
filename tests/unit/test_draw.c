/* Where memory runs out, a picture is an error or whole: never one that lacks something. */
#include "config.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw/draw.h"

#include "../lib/arena.h"
#include "../lib/suite.h"
#include "analysis_fixture.h"
#include "whole.h"

static struct mpl_analysis *analysis;

static void set_up(void)
{
    create_arena();
    analysis = analyse_path(in_tree("tests/traces/two-late.trace"), NULL);
}

static void tear_down(void)
{
    mpl_analysis_destroy(analysis);
    destroy_arena();
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

struct asked {
    drawing draw;
    const struct mpl_view *view;
};

static enum mpl_status draw_asked(void *context, FILE *out, struct mpl_err *err)
{
    const struct asked *asked = context;
    const struct mpl_selection_asked everything = { .from_s = NAN, .to_s = NAN };
    struct mpl_view_report report = { .view = asked->view, .arena = mpl_arena_create() };
    enum mpl_status st = report.arena == NULL ? mpl_nomem(err) : MPL_OK;

    st = st == MPL_OK ? mpl_selection_create(mpl_analysis_diagnosis(analysis), &everything,
                                             report.arena, &report.selection, err)
                      : st;
    st = st == MPL_OK ? asked->draw(&report, out, err) : st;
    mpl_arena_destroy(report.arena);
    return st;
}

static void check_all(drawing draw, const struct mpl_view *view, const char *name)
{
    check_whole_or_error(draw_asked, &(struct asked){ draw, view }, name);
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

    ck_assert_uint_gt(n, 0);
    for (size_t i = 0; i < n; i++) {
        check_all(mpl_draw_view_svg, views[i], views[i]->name);
        check_all(mpl_draw_view_page, views[i], views[i]->name);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("draw");
    TCase *c = add_case(suite, "memory", set_up, tear_down);

    tcase_set_timeout(c, 120);
    tcase_add_test(c, pages_are_whole_or_an_error);
    tcase_add_test(c, exports_are_whole_or_an_error);
    tcase_add_test(c, views_are_whole_or_an_error);
    return run_suite(suite);
}
