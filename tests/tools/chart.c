#include "config.h"

#include "chart.h"

#include <math.h>
#include <string.h>

/*
 * Grey text and lines and no background are readable on light and dark pages alike; a picture in
 * a page cannot ask which it is. The colours are those of Paul Tol's "bright" scheme, which
 * people with defective colour vision can tell apart.
 */
static const char *const color[CHART_COLORS] = {
    "#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#ee7733", "#999999"
};

enum {
    WIDTH = 760,
    LEFT = 72,
    RIGHT = 16,
    TOP = 76,
    PANEL = 170,
    GAP = 44,
    BOTTOM = 46,
    MOST_TICKS = 5,
};

/* Where a panel lies on the paper, and what it shows. */
struct frame {
    FILE *out;
    const struct chart *chart;
    double top;
    double x_first_s;
    double x_last_s;
    double y_most_s;
};

/* ---- text ---------------------------------------------------------------------------- */

static void print_text(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '<':
            (void) fputs("&lt;", out);
            break;
        case '>':
            (void) fputs("&gt;", out);
            break;
        case '&':
            (void) fputs("&amp;", out);
            break;
        default:
            (void) fputc(*text, out);
        }
    }
}

/* Two hyphens would end the comment, also those that the blank behind the text begins. */
static void print_comment(FILE *out, const char *text)
{
    (void) fputs("<!-- ", out);
    for (char before = ' '; *text != '\0'; before = *text++) {
        (void) fputc(*text == '-' && before == '-' ? '_' : *text, out);
    }
    (void) fputs(" -->\n", out);
}

static void put_text(FILE *out, double x, double y, const char *anchor, const char *text)
{
    (void) fprintf(out, "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"%s\">", x, y, anchor);
    print_text(out, text);
    (void) fputs("</text>\n", out);
}

/* ---- scales ----------------------------------------------------------------------------- */

/* 1, 2 or 5 times a power of ten, so that at most MOST_TICKS steps cover the range. */
static double step_of(double range)
{
    const double rough = range / MOST_TICKS;
    const double ten = pow(10, floor(log10(rough)));

    if (rough <= ten) {
        return ten;
    }
    if (rough <= 2 * ten) {
        return 2 * ten;
    }
    return rough <= 5 * ten ? 5 * ten : 10 * ten;
}

static const char *unit_of(double most_s, double *unit_s)
{
    static const struct {
        double s;
        const char *name;
    } units[] = { { 1, "s" }, { 1e-3, "ms" }, { 1e-6, "µs" }, { 1e-9, "ns" } };
    const size_t n = sizeof units / sizeof *units;
    size_t i = 0;

    while (i + 1 < n && most_s < units[i].s) {
        i++;
    }
    *unit_s = units[i].s;
    return units[i].name;
}

static double x_at(const struct frame *f, double x_s)
{
    return LEFT +
           (x_s - f->x_first_s) / (f->x_last_s - f->x_first_s) * (WIDTH - LEFT - RIGHT);
}

static double y_at(const struct frame *f, double y_s)
{
    return f->top + PANEL * (1 - y_s / f->y_most_s) / (f->chart->is_plain ? 1 : 2);
}

static void find_ranges(struct frame *f, const struct chart_panel *panel)
{
    f->y_most_s = fmax(panel->band_s, 1e-9);
    for (uint32_t c = 0; c < panel->n_curves; c++) {
        for (uint32_t i = 0; i < panel->curves[c].n; i++) {
            f->y_most_s = fmax(f->y_most_s, fabs(panel->curves[c].points[i].y_s));
        }
    }
    f->y_most_s *= 1.06;
}

static void find_times(struct frame *f)
{
    f->x_first_s = INFINITY;
    f->x_last_s = -INFINITY;
    for (uint32_t p = 0; p < f->chart->n_panels; p++) {
        for (uint32_t c = 0; c < f->chart->panels[p].n_curves; c++) {
            const struct chart_curve *curve = &f->chart->panels[p].curves[c];

            if (curve->n > 0) {
                f->x_first_s = fmin(f->x_first_s, curve->points[0].x_s);
                f->x_last_s = fmax(f->x_last_s, curve->points[curve->n - 1].x_s);
            }
        }
    }
    if (!(f->x_last_s > f->x_first_s)) {
        f->x_first_s = 0;
        f->x_last_s = 1;
    }
}

/* ---- a panel ------------------------------------------------------------------------------ */

static void print_label(FILE *out, const char *label, const char *unit)
{
    print_text(out, label);
    if (unit != NULL) {
        (void) fprintf(out, " (%s)", unit);
    }
    (void) fputs("</text>\n", out);
}

static void draw_y_axis(const struct frame *f)
{
    static const char *const sign[] = { "−", "", "+" };
    const bool is_plain = f->chart->is_plain;
    double unit_s = 1;
    const char *unit = is_plain ? NULL : unit_of(f->y_most_s, &unit_s);
    const double step = step_of((is_plain ? 1 : 2) * f->y_most_s / unit_s);
    const int n = (int) floor(f->y_most_s / unit_s / step);

    for (int i = is_plain ? 0 : -n; i <= n; i++) {
        const double y = y_at(f, i * step * unit_s);

        (void) fprintf(f->out,
                       "<path class=\"%s\" d=\"M%d %.1fH%d\"/>\n"
                       "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s%g</text>\n",
                       i == 0 ? "zero" : "grid", LEFT, y, WIDTH - RIGHT, LEFT - 6, y + 4,
                       sign[is_plain ? 1 : 1 + (i > 0) - (i < 0)], fabs(i * step));
    }
    (void) fprintf(f->out,
                   "<text transform=\"translate(14 %.0f) rotate(-90)\" "
                   "text-anchor=\"middle\">",
                   f->top + PANEL / 2.0);
    print_label(f->out, f->chart->y_label, unit);
}

static void draw_x_axis(const struct frame *f, bool has_numbers)
{
    const double step = step_of(1.6 * (f->x_last_s - f->x_first_s) / 2);
    const int first = (int) ceil(f->x_first_s / step - 1e-9);
    const int last = (int) floor(f->x_last_s / step + 1e-9);

    for (int i = first; i <= last; i++) {
        const double x = x_at(f, i * step);

        (void) fprintf(f->out, "<path class=\"grid\" d=\"M%.1f %.0fv%d\"/>\n", x, f->top,
                       PANEL);
        if (has_numbers) {
            (void) fprintf(f->out,
                           "<text x=\"%.1f\" y=\"%.0f\" text-anchor=\"middle\">%g</text>\n",
                           x, f->top + PANEL + 16, i * step);
        }
    }
    if (has_numbers) {
        (void) fprintf(f->out, "<text x=\"%d\" y=\"%.0f\" text-anchor=\"middle\">",
                       (LEFT + WIDTH - RIGHT) / 2, f->top + PANEL + 36);
        print_label(f->out, f->chart->x_label, f->chart->is_plain ? NULL : "s");
    }
}

static void draw_curve(const struct frame *f, const struct chart_curve *curve, uint32_t c)
{
    if (curve->n == 0) {
        return;
    }
    (void) fprintf(f->out, "<polyline class=\"curve\" stroke=\"%s\" points=\"",
                   color[c % CHART_COLORS]);
    for (uint32_t i = 0; i < curve->n; i++) {
        (void) fprintf(f->out, "%s%.1f,%.1f", i == 0 ? "" : " ",
                       x_at(f, curve->points[i].x_s), y_at(f, curve->points[i].y_s));
    }
    (void) fputs("\"/>\n", f->out);
}

static void draw_panel(struct frame *f, uint32_t number)
{
    const struct chart_panel *panel = &f->chart->panels[number];

    f->top = TOP + number * (double) (PANEL + GAP) + 20;
    find_ranges(f, panel);
    put_text(f->out, LEFT, f->top - 8, "start", panel->title);
    put_text(f->out, WIDTH - RIGHT, f->top - 8, "end", panel->remark);
    if (panel->band_s > 0) {
        (void) fprintf(f->out,
                       "<rect class=\"band\" x=\"%d\" y=\"%.1f\" width=\"%d\" "
                       "height=\"%.1f\"/>\n",
                       LEFT, y_at(f, panel->band_s), WIDTH - LEFT - RIGHT,
                       y_at(f, -panel->band_s) - y_at(f, panel->band_s));
    }
    draw_y_axis(f);
    draw_x_axis(f, number + 1 == f->chart->n_panels);
    for (uint32_t c = 0; c < panel->n_curves; c++) {
        draw_curve(f, &panel->curves[c], c);
    }
}

/* ---- the whole ------------------------------------------------------------------------------ */

static void draw_legend(const struct chart *chart, FILE *out)
{
    double x = LEFT;

    for (uint32_t c = 0; c < chart->n_names && c < CHART_COLORS; c++) {
        (void) fprintf(out, "<path class=\"curve\" stroke=\"%s\" d=\"M%.0f 42h18\"/>\n",
                       color[c], x);
        put_text(out, x + 24, 46, "start", chart->names[c]);
        /* Fonts differ; this is wide enough for all that are usual. */
        x += 40 + 7.0 * (double) strlen(chart->names[c]);
    }
    if (chart->n_names > CHART_COLORS) {
        put_text(out, x, 46, "start", "… and so on");
    }
    if (chart->band != NULL) {
        (void) fprintf(
            out, "<rect class=\"band\" x=\"%d\" y=\"54\" width=\"18\" height=\"10\"/>\n",
            LEFT);
        put_text(out, LEFT + 24, 64, "start", chart->band);
    }
}

void chart_write(const struct chart *chart, FILE *out)
{
    const int height = TOP + 20 + (int) chart->n_panels * (PANEL + GAP) - GAP + BOTTOM;
    struct frame f = { .out = out, .chart = chart };

    (void) fprintf(out,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
                   "width=\"%d\" height=\"%d\" role=\"img\">\n",
                   WIDTH, height, WIDTH, height);
    print_comment(out, chart->made_by);
    (void) fputs("<title>", out);
    print_text(out, chart->title);
    (void) fputs("</title>\n<style>\n"
                 "text { font: 12px sans-serif; fill: #7a7a7a; }\n"
                 ".head { font-size: 15px; font-weight: bold; }\n"
                 ".grid { stroke: #888; stroke-opacity: .25; fill: none; }\n"
                 ".zero { stroke: #888; stroke-opacity: .7; fill: none; }\n"
                 ".curve { stroke-width: 1.5; fill: none; stroke-linejoin: round; }\n"
                 ".band { fill: #888; fill-opacity: .18; }\n"
                 "</style>\n",
                 out);
    (void) fprintf(out, "<text class=\"head\" x=\"%d\" y=\"22\">", LEFT);
    print_text(out, chart->title);
    (void) fputs("</text>\n", out);
    draw_legend(chart, out);
    find_times(&f);
    for (uint32_t p = 0; p < chart->n_panels; p++) {
        draw_panel(&f, p);
    }
    (void) fputs("</svg>\n", out);
}
