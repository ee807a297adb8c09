/* What `marple run` did: the runs of its case, with what each was for and how it ended. */
#include "config.h"

#include <math.h>

#include "draw/draw_priv.h"

void mpl_draw_case(const struct sheet *s)
{
    static const char *const heads[] = { "run",   "level", "what for", "#processes",
                                         "#time", "ended", "command",  NULL };
    const struct mpl_case_report *ran = s->options->ran;
    const struct mpl_case *c = ran->c;

    mpl_draw_table(s, mpl_draw_words(s, "The case in %s", mpl_case_directory(c)), heads);
    for (size_t i = 0; i < mpl_case_run_count(c); i++) {
        const struct mpl_case_run *r = mpl_case_run_get(c, i);

        mpl_markup_print(s->out, "<tr id=\"%s\">", r->id);
        mpl_draw_text_cell(s, r->id);
        mpl_draw_text_cell(s, mpl_draw_words(s, "%d", r->level));
        mpl_draw_text_cell(s, r->experiment);
        mpl_draw_unit_cell(s, r->processes > 0 ? r->processes : (double) NAN, "1");
        mpl_draw_unit_cell(s, r->duration_s, "s");
        mpl_draw_text_cell(s,
                           r->problem != NULL ? r->problem : mpl_outcome_name(r->outcome));
        mpl_draw_text_cell(s, mpl_words_print(r->words, r->n_words, s->arena));
        mpl_markup_put(s->out, "</tr>\n");
    }
    mpl_draw_table_end(s);
    if (ran->n_asked == 0) {
        return;
    }
    mpl_markup_put(s->out, "<p class=\"note\">Asked, and not measured:</p><ul>\n");
    for (size_t i = 0; i < ran->n_asked; i++) {
        mpl_markup_print(s->out, "<li>level %d: %s</li>\n", ran->asked[i].level,
                         ran->asked[i].text);
    }
    mpl_markup_put(s->out, "</ul>\n");
}

void mpl_draw_case_only(const struct sheet *s)
{
    const struct mpl_case *c = s->options->ran->c;
    const size_t n = mpl_case_run_count(c);
    const char *problem = n > 0 ? mpl_case_run_get(c, n - 1)->problem : NULL;

    mpl_page_header(s, "nothing-measured", n > 0 ? "problems" : "open", "NOTHING MEASURED",
                    problem != NULL ? problem
                    : n > 0         ? "No run has left a trace."
                                    : "Nothing has been run.");
    if (n > 0) {
        mpl_markup_print(s->out,
                         "<p class=\"title\">What the program printed is in %s</p>\n",
                         mpl_case_directory(c));
    }
    mpl_markup_put(s->out,
                   "</header>\n<main>\n<section id=\"case\"><h2>What was run</h2>\n");
    mpl_draw_case(s);
    mpl_markup_put(s->out, "</section>\n</main>\n");
}
