/* What is different between two runs: the answer, the calls, computation, and both time lines. */
#include "config.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "draw/draw_priv.h"

/* So many sentences, changes and rows; the rest is in text and JSON. */
enum { TOP = 8, MOST_LOADS = 64, BAR = 160 };

struct shown {
    const struct mpl_diff *diff;
    const struct mpl_gates *gates;
};

static const char *colour_of(const struct mpl_diff *diff)
{
    switch (diff->verdict) {
    case MPL_DIFF_SAME:
    case MPL_DIFF_FASTER:
        return "no-significant-problem";
    case MPL_DIFF_DIFFERENT:
    case MPL_DIFF_SLOWER:
        return "problems";
    default:
        return "open";
    }
}

static enum mpl_status draw_answer(const struct sheet *s, const struct shown *shown,
                                   struct mpl_err *err)
{
    const struct mpl_report_line *lines = NULL;
    const char *name = mpl_diff_verdict_name(shown->diff->verdict);
    size_t n = 0;
    const enum mpl_status st =
        mpl_report_diff_lines(shown->diff, shown->gates, TOP, s->arena, &lines, &n, err);

    if (st != MPL_OK) {
        return st;
    }
    const char *first = n > 0 ? lines[0].text : "";

    mpl_page_header(s, name, colour_of(shown->diff), name,
                    mpl_draw_words(s, "%c%s", toupper((unsigned char) *first),
                                   *first != '\0' ? first + 1 : ""));
    for (size_t i = 1; i < n; i++) {
        mpl_markup_print(s->out, "<p class=\"%s\">%s</p>\n",
                         lines[i].depth > 2 ? "title" : "sentence", lines[i].text);
    }
    mpl_markup_print(s->out, "<p class=\"title\">base %s, new %s</p></header>\n",
                     shown->diff->base != NULL ? shown->diff->base->path : "?",
                     shown->diff->new != NULL ? shown->diff->new->path : "?");
    return MPL_OK;
}

static void draw_columns(const struct sheet *s, const struct mpl_alignment *a)
{
    mpl_markup_put(s->out, "<p class=\"nlr\">");
    for (size_t i = 0; i < a->n_columns; i++) {
        const struct mpl_alignment_column *c = &a->columns[i];

        if (c->is_common) {
            mpl_markup_print(s->out, "<span class=\"both\">%s</span> ", c->base);
            continue;
        }
        mpl_markup_put(s->out, "<span class=\"split\">");
        if (*c->base != '\0') {
            mpl_markup_print(s->out, "<span class=\"base\"><b>base</b> %s</span> ",
                             c->base);
        }
        if (*c->new != '\0') {
            mpl_markup_print(s->out, "<span class=\"new\"><b>new</b> %s</span>", c->new);
        }
        mpl_markup_put(s->out, "</span> ");
    }
    mpl_markup_put(s->out, "</p>\n<dl class=\"loops\">");
    for (size_t i = 0; i < a->n_loops; i++) {
        mpl_markup_print(s->out, "<dt>%s</dt><dd>%s</dd>", a->loops[i].letter,
                         a->loops[i].body);
    }
    mpl_markup_put(s->out, "</dl>\n");
}

static enum mpl_status draw_change(const struct sheet *s, const struct mpl_diff *diff,
                                   const struct mpl_divergence *change, struct mpl_err *err)
{
    struct mpl_alignment a;
    const enum mpl_status st = mpl_report_alignment(diff, change, s->arena, &a, err);

    if (st != MPL_OK) {
        return st;
    }
    mpl_markup_print(s->out, "<article class=\"change\"><h3>%s</h3>\n",
                     diff->new->model->locations[change->location].label);
    draw_columns(s, &a);
    if (change->remark != NULL) {
        mpl_markup_print(s->out, "<p>%s</p>\n", change->remark);
    }
    mpl_markup_put(s->out, "</article>\n");
    return MPL_OK;
}

static enum mpl_status draw_changes(const struct sheet *s, const struct mpl_diff *diff,
                                    struct mpl_err *err)
{
    enum mpl_status st = MPL_OK;

    if (diff->n_changes == 0) {
        return MPL_OK;
    }
    mpl_markup_put(s->out,
                   "<section id=\"calls\"><h2>Calls that differ</h2>\n"
                   "<p class=\"note\">A letter is a loop, its number how often it is "
                   "taken; what both runs have is without colour.</p>\n");
    for (size_t i = 0; st == MPL_OK && i < diff->n_changes && i < TOP; i++) {
        st = draw_change(s, diff, &diff->changes[i], err);
    }
    if (diff->n_changes > TOP) {
        mpl_markup_print(s->out,
                         "<p class=\"note\">%zu more locations go another way; marple diff "
                         "--show align LOCATION shows each.</p>\n",
                         diff->n_changes - TOP);
    }
    mpl_markup_put(s->out, "</section>\n");
    return st;
}

/* ---- computation ---------------------------------------------------------------------------------- */

/* What stands in the columns; one in which nothing is known is left out. */
enum { COLUMNS = 7 };
static const char *const columns[COLUMNS] = { "#base",      "#new", "#beyond",
                                              "#from",      "#to",  "#caused base",
                                              "#caused new" };

static void values_of(const struct mpl_load *load, double values[COLUMNS])
{
    const double all[COLUMNS] = { load->base_s,      load->new_s,  load->beyond_s,
                                  load->low_s,       load->high_s, load->caused_base_s,
                                  load->caused_new_s };

    memcpy(values, all, sizeof all);
}

static unsigned known_columns(const struct mpl_diff *diff, uint32_t n)
{
    unsigned known = 0;

    for (uint32_t i = 0; i < n; i++) {
        double values[COLUMNS];

        values_of(&diff->loads[i], values);
        for (int k = 0; k < COLUMNS; k++) {
            known |= isnan(values[k]) ? 0 : 1U << k;
        }
    }
    return known;
}

static void draw_load(const struct sheet *s, const struct mpl_diff *diff, uint32_t i,
                      unsigned known, double most_s)
{
    const struct mpl_load *load = &diff->loads[i];
    double values[COLUMNS];

    values_of(load, values);
    mpl_markup_print(s->out, "<tr class=\"%s\">", i < diff->n_named ? "named" : "other");
    mpl_draw_text_cell(s, diff->new->model->locations[load->location].label);
    mpl_markup_print(
        s->out,
        "<td><svg width=\"%d\" height=\"13\" aria-hidden=\"true\"><rect "
        "class=\"b-base\" width=\"%s\" height=\"6\"/><rect class=\"b-new\" y=\"7\" "
        "width=\"%s\" height=\"6\"/></svg></td>",
        (int) BAR, mpl_draw_short(s, most_s > 0 ? load->base_s / most_s * BAR : 0),
        mpl_draw_short(s, most_s > 0 ? load->new_s / most_s * BAR : 0));
    for (int k = 0; k < COLUMNS; k++) {
        if ((known & 1U << k) != 0) {
            mpl_draw_value_cell(s, values[k], mpl_draw_seconds(s, values[k]));
        }
    }
    mpl_markup_put(s->out, "</tr>\n");
}

static void draw_loads(const struct sheet *s, const struct mpl_diff *diff)
{
    const char *heads[COLUMNS + 3] = { "location", "base, new" };
    const uint32_t n = diff->n_loads < MOST_LOADS ? diff->n_loads : MOST_LOADS;
    const unsigned known = known_columns(diff, n);
    size_t n_heads = 2;
    double most_s = 0;

    for (uint32_t i = 0; i < n; i++) {
        most_s = fmax(most_s, fmax(diff->loads[i].base_s, diff->loads[i].new_s));
    }
    for (int k = 0; k < COLUMNS; k++) {
        if ((known & 1U << k) != 0) {
            heads[n_heads++] = columns[k];
        }
    }
    if (n == 0) {
        return;
    }
    mpl_markup_put(s->out, "<section id=\"computation\"><h2>Who computes how long</h2>\n");
    mpl_draw_table(
        s,
        "Computation, what differs most first: beyond is more than the base needs "
        "for the same work, from and to its interval of 95 %; caused is what others "
        "wait for it",
        heads);
    for (uint32_t i = 0; i < n; i++) {
        draw_load(s, diff, i, known, most_s);
    }
    mpl_draw_table_end(s);
    if (n < diff->n_loads) {
        mpl_markup_print(s->out, "<p class=\"note\">%u more are in --format json.</p>\n",
                         diff->n_loads - n);
    }
    mpl_markup_put(s->out, "</section>\n");
}

/* ---- time lines ------------------------------------------------------------------------------------- */

static enum mpl_status draw_runs(struct sheet *s, const struct mpl_diff *diff,
                                 struct mpl_err *err)
{
    static const char *const keys[] = { "-base", "-new" };
    static const char *const titles[] = { "The base", "The new run" };
    const struct mpl_run *const runs[] = { diff->base, diff->new };
    const struct mpl_steps *steps[2] = { NULL, NULL };
    const struct mpl_critical *paths[2] = { NULL, NULL };
    enum mpl_status st = MPL_OK;

    for (int i = 0; st == MPL_OK && i < 2; i++) {
        st = mpl_draw_find_steps(s, runs[i], err);
        steps[i] = s->steps;
        paths[i] = s->path;
    }
    st = st == MPL_OK ? mpl_draw_both(s, runs, steps, err) : st;
    draw_loads(s, diff);
    for (int i = 0; st == MPL_OK && i < 2; i++) {
        s->key = keys[i];
        s->steps = steps[i];
        s->path = paths[i];
        st = mpl_draw_run(s, runs[i], titles[i], err);
        st = st == MPL_OK ? mpl_draw_heat(s, runs[i], err) : st;
    }
    return st;
}

static enum mpl_status draw(struct sheet *s, const void *what, struct mpl_err *err)
{
    const struct shown *shown = what;
    const struct mpl_diff *diff = shown->diff;
    const bool is_compared = diff->verdict != MPL_DIFF_NOT_COMPARABLE;
    enum mpl_status st = draw_answer(s, shown, err);

    mpl_markup_put(s->out, "<main>\n");
    if (st == MPL_OK && is_compared) {
        st = draw_changes(s, diff, err);
        st = st == MPL_OK ? draw_runs(s, diff, err) : st;
    }
    const struct mpl_run *const runs[] = { diff->base, diff->new };

    mpl_markup_put(s->out, "<details id=\"quality\"><summary>Clocks, and what weakens "
                           "conclusions</summary>\n");
    for (int i = 0; i < 2; i++) {
        if (runs[i] != NULL && runs[i]->events != NULL) {
            mpl_markup_print(s->out, "<h3>%s: %s</h3>\n", i == 0 ? "Base" : "New run",
                             runs[i]->path);
            mpl_draw_quality(s, runs[i]);
        }
    }
    mpl_markup_put(s->out, "</details>\n");
    mpl_markup_put(s->out, "</main>\n");
    return st;
}

enum mpl_status mpl_draw_diff_page(const struct mpl_diff *diff,
                                   const struct mpl_gates *gates,
                                   const struct mpl_draw_options *options, FILE *out,
                                   struct mpl_err *err)
{
    const struct shown shown = { diff, gates };
    /* Two time lines share the room. */
    const struct mpl_draw_options half = { .most_bytes = options->most_bytes > 0
                                                             ? options->most_bytes / 2
                                                             : 4000000 };
    struct sheet s = { .out = out, .options = &half };

    return mpl_page_write(&s, mpl_diff_verdict_name(diff->verdict),
                          diff->new != NULL ? diff->new->path : "", draw, &shown, err);
}
