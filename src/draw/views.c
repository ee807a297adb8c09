/* The views that a pattern names, of the part of the run that a finding is about; below its picture. */
#include "config.h"

#include "draw/picture_priv.h"

#include <math.h>
#include <string.h>

/* A page has many pictures, so each is small. */
enum { MOST_ROWS = 300 };

static const struct mpl_pattern *pattern_of(const struct sheet *s,
                                            const struct mpl_diagnosed *f)
{
    for (size_t i = 0; f->finding->pattern != NULL && i < s->d->n_trials; i++) {
        const struct mpl_trial *t = &s->d->trials[i];

        if (t->run == f->run &&
            (strcmp(t->id, f->finding->pattern) == 0 ||
             strcmp(mpl_pattern_name(t->pattern), f->finding->pattern) == 0)) {
            return t->pattern;
        }
    }
    return NULL;
}

static enum mpl_status make_picture(const struct sheet *s, struct mpl_view_report *report,
                                    struct picture *p, struct mpl_err *err)
{
    const enum mpl_status st = mpl_view_notes(report->view, report->selection, s->arena,
                                              &report->notes, &report->n_notes, err);

    return st == MPL_OK ? mpl_picture_create(p, report, MOST_ROWS, s->out, err) : st;
}

static enum mpl_status draw_view(const struct sheet *s, const struct mpl_view *view,
                                 struct mpl_selection *selection, struct mpl_err *err)
{
    struct mpl_view_report report = { .view = view,
                                      .selection = selection,
                                      .arena = s->arena };
    struct picture p;
    const enum mpl_status st = make_picture(s, &report, &p, err);

    if (st != MPL_OK) {
        return st;
    }
    mpl_markup_print(
        s->out,
        "<details class=\"view\"><summary>%s: %s</summary>\n<div class=\"wide\" "
        "tabindex=\"0\" role=\"region\" aria-label=\"%s\">\n",
        view->name, view->says, view->name);
    mpl_picture_draw(&p, false);
    mpl_markup_put(s->out, "</div></details>\n");
    return MPL_OK;
}

enum mpl_status mpl_draw_views(const struct sheet *s, const struct mpl_diagnosed *f,
                               struct mpl_err *err)
{
    const struct mpl_selection_asked asked = { .from_s = NAN,
                                               .to_s = NAN,
                                               .finding = f->id };
    const struct mpl_pattern *pattern = f->run == 0 ? pattern_of(s, f) : NULL;
    const struct mpl_view *const *views = NULL;
    struct mpl_selection *selection = NULL;
    size_t n = 0;
    enum mpl_status st = MPL_OK;

    if (pattern != NULL) {
        st = mpl_view_of_pattern(pattern, s->arena, &views, &n, NULL, err);
    }
    if (st != MPL_OK || n == 0) {
        return st;
    }
    st = mpl_selection_create(s->d, &asked, s->arena, &selection, err);
    for (size_t i = 0; i < n && st == MPL_OK; i++) {
        st = draw_view(s, views[i], selection, err);
    }
    return st;
}

enum mpl_status mpl_draw_waits(const struct sheet *s, const struct mpl_run *run,
                               struct mpl_err *err)
{
    const struct mpl_selection_asked asked = { .from_s = NAN, .to_s = NAN };
    struct mpl_view_report report = { .arena = s->arena };
    struct mpl_selection *selection = NULL;
    struct picture p;

    /* Views are of the first run. */
    if (run != &s->d->runs[0]) {
        return MPL_OK;
    }
    enum mpl_status st = mpl_view_find("waits", &report.view, err);

    st = st == MPL_OK ? mpl_selection_create(s->d, &asked, s->arena, &selection, err) : st;
    report.selection = selection;
    st = st == MPL_OK ? make_picture(s, &report, &p, err) : st;
    if (st != MPL_OK || p.table->n_rows == 0) {
        return st;
    }
    mpl_markup_put(s->out, "<section id=\"waits\"><h2>Who waits for whom</h2>\n"
                           "<div class=\"wide\" tabindex=\"0\" role=\"region\" "
                           "aria-label=\"Who waits for whom\">\n");
    mpl_picture_draw(&p, false);
    mpl_markup_put(s->out, "</div></section>\n");
    return MPL_OK;
}
