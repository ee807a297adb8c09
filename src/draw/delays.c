/* Whose delays the others wait for: the delay costs that the diagnosis has as metrics, a row per process. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "draw/draw_priv.h"

/* Who causes less of all waiting is no delay that anybody would cure. */
static const double least_share = 0.01;
enum { MOST_ROWS = 16 };

/* In the order of the columns; the first one orders the rows. */
static const char *const names[] = { "process.delay_cost", "process.delay_share",
                                     "process.delay_cost_direct",
                                     "process.delay_cost_indirect",
                                     "process.delay_computed_share" };
enum { COLUMNS = sizeof names / sizeof *names };

struct delay {
    const char *label;
    double values[COLUMNS];
};

static int by_cost(const void *x, const void *y)
{
    const struct delay *a = x;
    const struct delay *b = y;

    return a->values[0] != b->values[0] ? (a->values[0] < b->values[0] ? 1 : -1)
                                        : strcmp(a->label, b->label);
}

/* Those who make anybody wait, most first. */
static size_t collect(const struct sheet *s, const struct mpl_run *run,
                      struct delay *delays)
{
    const uint32_t n_locations = run->model->n_locations;
    size_t n = 0;

    for (uint32_t l = 0; l < n_locations; l++) {
        delays[l].label = run->model->locations[l].label;
    }
    for (size_t i = 0; i < s->d->n_metrics; i++) {
        const struct mpl_metric_result *m = &s->d->metrics[i];
        size_t column = 0;

        while (column < COLUMNS && strcmp(m->name, names[column]) != 0) {
            column++;
        }
        const uint32_t location = column < COLUMNS && &s->d->runs[m->run] == run
                                      ? mpl_model_find_location(run->model, m->location)
                                      : MPL_NONE;

        if (location != MPL_NONE) {
            delays[location].values[column] = m->value;
        }
    }
    for (uint32_t l = 0; l < n_locations; l++) {
        if (delays[l].values[0] > 0) {
            delays[n++] = delays[l];
        }
    }
    qsort(delays, n, sizeof *delays, by_cost);
    return n;
}

static void draw_row(const struct sheet *s, const struct mpl_run *run,
                     const struct delay *delay, double most_s)
{
    const uint32_t location = mpl_model_find_location(run->model, delay->label);

    mpl_markup_print(s->out, "<tr data-delays=\"%s\">", delay->label);
    mpl_draw_text_cell(s, delay->label);
    mpl_draw_text_cell(s, mpl_draw_role(s, run, location));
    mpl_markup_print(s->out,
                     "<td aria-hidden=\"true\"><svg width=\"8em\" height=\"10\"><rect "
                     "class=\"l-wait\" width=\"%s%%\" height=\"10\"/></svg></td>",
                     mpl_draw_short(s, delay->values[0] / most_s * 100));
    for (size_t i = 0; i < COLUMNS; i++) {
        const double value = delay->values[i];
        const bool is_share = strstr(names[i], "share") != NULL;

        mpl_draw_value_cell(s, value,
                            isnan(value) ? "–"
                            : is_share   ? mpl_text_share(s->arena, value)
                                         : mpl_draw_seconds(s, value));
    }
    mpl_markup_put(s->out, "</tr>\n");
}

static void say_others(const struct sheet *s, const struct delay *delays, size_t n_shown,
                       size_t n)
{
    double sum_s = 0;

    for (size_t i = n_shown; i < n; i++) {
        sum_s += delays[i].values[0];
    }
    if (n > n_shown) {
        mpl_markup_print(s->out,
                         "<p class=\"note\">%zu more cause %s; --format json has "
                         "them.</p>\n",
                         n - n_shown, mpl_draw_seconds(s, sum_s));
    }
}

enum mpl_status mpl_draw_delays(const struct sheet *s, const struct mpl_run *run,
                                struct mpl_err *err)
{
    static const char *const heads[] = { "process",
                                         "role",
                                         "",
                                         "#waiting it causes",
                                         "#of all",
                                         "#of it directly",
                                         "#through others",
                                         "#as it computes longer",
                                         NULL };
    struct delay *delays = MPL_NEW_ARRAY(s->arena, run->model->n_locations, struct delay);
    const size_t n = delays != NULL ? collect(s, run, delays) : 0;

    if (n > 0) {
        mpl_markup_put(
            s->out, "<section id=\"delays\"><h2>Whose delays the others wait for</h2>\n");
        mpl_draw_table(
            s,
            "Delay costs: waiting that goes back to who was late by its own fault, "
            "directly or through others who waited for it first",
            heads);
        size_t i = 0;

        for (; i < n && i < MOST_ROWS && (i == 0 || delays[i].values[1] >= least_share);
             i++) {
            draw_row(s, run, &delays[i], delays[0].values[0]);
        }
        mpl_draw_table_end(s);
        say_others(s, delays, i, n);
        mpl_markup_put(s->out, "</section>\n");
    }
    return delays != NULL ? MPL_OK : mpl_nomem(err);
}
