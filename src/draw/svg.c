/* What all pictures have in common: textures beside colours, a legend, an axis of time. */
#include "config.h"

#include "draw/draw_priv.h"

#include <math.h>
#include <string.h>

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

double mpl_draw_step_of(double length, int n)
{
    const double power = pow(10, floor(log10(length / n)));
    const double rest = length / n / power;

    return (rest <= 1 ? 1 : rest <= 2 ? 2 : rest <= 5 ? 5 : 10) * power;
}

/* With so many decimals as tell two marks apart; of seconds as options take them. */
const char *mpl_draw_mark_words(const struct sheet *s, double at, double step,
                                const char *unit)
{
    const bool is_counted = unit == NULL || strcmp(unit, "1") == 0;
    const int decimals = step < 1 ? (int) -floor(log10(step) + 1e-9) : 0;
    const double power = pow(10, decimals);
    const long long whole = llround(fabs(at) * power);
    const char *sign = at < 0 && whole > 0 ? "-" : "";
    const char *blank = is_counted ? "" : " ";

    unit = is_counted ? "" : unit;
    return decimals == 0
               ? mpl_draw_words(s, "%s%lld%s%s", sign, whole, blank, unit)
               : mpl_draw_words(s, "%s%lld.%0*lld%s%s", sign, whole / (long long) power,
                                decimals, whole % (long long) power, blank, unit);
}

void mpl_draw_scale(const struct sheet *s, double from, double to, const char *unit,
                    int top)
{
    if (!(to > from)) {
        return;
    }
    const double step = mpl_draw_step_of(to - from, 6);
    const double first = ceil(from / step);

    mpl_markup_put(s->out, "<g class=\"axis scale\">");
    for (int i = 0; i < MOST_MARKS; i++) {
        const double k = first + i;
        const double percent = (k * step - from) / (to - from) * 100;

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
                         x, top + 17, mpl_draw_mark_words(s, k * step, step, unit));
    }
    mpl_markup_put(s->out, "</g>");
}
