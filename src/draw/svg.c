/* What all pictures have in common: textures beside colours, a legend, an axis of time. */
#include "config.h"

#include "draw/draw_priv.h"

#include <math.h>

enum { MOST_MARKS = 16 };

/* Strokes of the textures, of which each class has one or none. */
static const struct {
    enum mpl_look look;
    int size;
    const char *strokes;
} textures[] = {
    { MPL_LOOK_P2P, 4, "M1 0v4" },
    { MPL_LOOK_COLLECTIVE, 4, "M0 1h2M2 3h2" },
    { MPL_LOOK_OTHER, 4, "M0 1h4" },
    { MPL_LOOK_EDGE, 8, "M1 4h2" },
    { MPL_LOOK_WAIT, 6, "M-1 1l2-2M0 6l6-6M5 7l2-2" },
};

void mpl_draw_textures(const struct sheet *s)
{
    mpl_markup_put(s->out, "<svg class=\"defs\" width=\"0\" height=\"0\" "
                           "aria-hidden=\"true\"><defs>\n");
    for (size_t i = 0; i < sizeof textures / sizeof *textures; i++) {
        const char *name = mpl_looks[textures[i].look].name;
        const int size = textures[i].size;

        mpl_markup_print(s->out,
                         "<pattern id=\"t-%s\" width=\"%d\" height=\"%d\" "
                         "patternUnits=\"userSpaceOnUse\"><path class=\"l-%s\" "
                         "d=\"M0 0h%dv%dh-%dz\"/><path class=\"x\" d=\"%s\"/></pattern>\n",
                         name, size, size, name, size, size, size, textures[i].strokes);
    }
    mpl_markup_put(s->out, "</defs></svg>\n");
}

void mpl_draw_legend(const struct sheet *s)
{
    mpl_markup_put(s->out, "<ul class=\"legend\" aria-label=\"Colours\">");
    for (int i = MPL_LOOK_COMPUTE; i < MPL_LOOKS; i++) {
        mpl_markup_print(s->out,
                         "<li><svg width=\"24\" height=\"12\" aria-hidden=\"true\"><path "
                         "class=\"f-%s\" d=\"M0 0h24v12h-24z\"/></svg> %s</li>",
                         mpl_looks[i].name, mpl_looks[i].says);
    }
    mpl_markup_put(s->out, "</ul>\n");
}

/* 1, 2 or 5 times a power of ten, so that some six fit. */
static double step_of(double length_s)
{
    const double power = pow(10, floor(log10(length_s / 6)));
    const double rest = length_s / 6 / power;

    return (rest <= 1 ? 1 : rest <= 2 ? 2 : rest <= 5 ? 5 : 10) * power;
}

/* In seconds, as options take them, with so many decimals as tell two marks apart. */
static const char *mark_words(const struct sheet *s, double at_s, double step_s)
{
    const int decimals = step_s < 1 ? (int) -floor(log10(step_s) + 1e-9) : 0;
    const double power = pow(10, decimals);
    const long long whole = llround(fabs(at_s) * power);

    return decimals == 0 ? mpl_draw_words(s, "%lld s", whole)
                         : mpl_draw_words(s, "%lld.%0*lld s", whole / (long long) power,
                                          decimals, whole % (long long) power);
}

void mpl_draw_axis(const struct sheet *s, const struct mpl_run *run, int64_t begin_ticks,
                   int64_t end_ticks, int top)
{
    const double begin_s = mpl_model_seconds(run->model, begin_ticks);
    const double length_s = mpl_model_seconds(run->model, end_ticks - begin_ticks);

    if (!(length_s > 0)) {
        return;
    }
    const double step_s = step_of(length_s);

    mpl_markup_put(s->out, "<g class=\"axis\">");
    const double first = ceil(begin_s / step_s);

    for (int i = 0; i < MOST_MARKS; i++) {
        const double k = first + i;
        const double percent = (k * step_s - begin_s) / length_s * 100;

        if (percent > 100) {
            break;
        }
        const char *x = mpl_draw_short(s, percent);

        mpl_markup_print(s->out,
                         "<line x1=\"%s%%\" x2=\"%s%%\" y1=\"0\" y2=\"%d\"/>"
                         "<text class=\"%s\" x=\"%s%%\" y=\"%d\">%s</text>",
                         x, x, top + 4,
                         percent > 95  ? "last"
                         : percent < 2 ? "first"
                                       : "middle",
                         x, top + 17, mark_words(s, k * step_s, step_s));
    }
    mpl_markup_put(s->out, "</g>");
}
