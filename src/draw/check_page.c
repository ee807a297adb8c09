/* The check of a trace: whether it can be trusted, before anything is concluded from it. */
#include "config.h"

#include "draw/draw_priv.h"

static void say_run(const struct sheet *s, const struct mpl_run *run)
{
    const size_t n = run->events == NULL ? 0 : mpl_quality_count(run->model->quality);

    if (run->events == NULL || run->failure != NULL) {
        mpl_page_header(s, "unusable", "problems", "CANNOT BE USED",
                        run->failure != NULL ? run->failure : "it has no events");
    } else if (run->damage != NULL) {
        mpl_page_header(s, "damaged", "problems", "DAMAGED",
                        mpl_draw_words(s, "It lacks %s.", run->damage));
    } else if (n > 0) {
        mpl_page_header(s, "usable", "open", "USABLE, WITH NOTES",
                        mpl_draw_words(s, "%zu note%s below say%s what is not known.", n,
                                       n == 1 ? "" : "s", n == 1 ? "s" : ""));
    } else {
        mpl_page_header(s, "usable", "no-significant-problem", "USABLE",
                        "Nothing weakens conclusions from this trace.");
    }
    mpl_markup_print(s->out, "<p class=\"title\">%s</p></header>\n", run->path);
}

static enum mpl_status draw(struct sheet *s, const void *what, struct mpl_err *err)
{
    const struct mpl_run *run = &s->d->runs[0];
    enum mpl_status st = MPL_OK;

    (void) what;
    say_run(s, run);
    mpl_markup_put(s->out,
                   "<main>\n<section id=\"quality\"><h2>What can be trusted</h2>\n");
    mpl_draw_runs(s);
    mpl_markup_put(s->out, "</section>\n");
    if (run->events != NULL) {
        mpl_markup_put(s->out, "<section id=\"contents\"><h2>What it records</h2>\n");
        mpl_draw_contents(s, run);
        mpl_markup_put(s->out, "</section>\n");
        st = mpl_draw_find_steps(s, run, err);
        st = st == MPL_OK ? mpl_draw_run(s, run, "The run", err) : st;
        st = st == MPL_OK ? mpl_draw_heat(s, run, err) : st;
    }
    mpl_markup_put(s->out, "</main>\n");
    return st;
}

enum mpl_status mpl_draw_check_page(const struct mpl_diagnosis *diagnosis,
                                    const struct mpl_draw_options *options, FILE *out,
                                    struct mpl_err *err)
{
    struct sheet s = { .out = out, .d = diagnosis, .options = options };

    return mpl_page_write(&s, "Check", diagnosis->runs[0].path, draw, NULL, err);
}
