#include "config.h"

#include "draw/draw_priv.h"

#include <math.h>
#include <string.h>

const char *mpl_draw_words(const struct sheet *s, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    const char *text = mpl_text_vformat(s->arena, fmt, args);

    va_end(args);
    return text != NULL ? text : "(out of memory)";
}

/* The C library writes a comma where whoever uses our library asked for one. */
static const char *with_point(char *text)
{
    for (char *at = text; *at != '\0'; at++) {
        *at = strchr("0123456789eE+-.", *at) == NULL ? '.' : *at;
    }
    return text;
}

const char *mpl_draw_number(const struct sheet *s, double value)
{
    char text[40];

    if (!isfinite(value)) {
        return "";
    }
    (void) snprintf(text, sizeof text, "%.15g", value);
    return mpl_draw_words(s, "%s", with_point(text));
}

const char *mpl_draw_short(const struct sheet *s, double value)
{
    char text[40];

    (void) snprintf(text, sizeof text, "%.5g", value);
    return mpl_draw_words(s, "%s", with_point(text));
}

const char *mpl_draw_seconds(const struct sheet *s, double seconds)
const char *mpl_draw_micros(const struct sheet *s, double seconds)
{
    char text[340];

    (void) snprintf(text, sizeof text, "%.6f", seconds);
    return mpl_draw_words(s, "%s", with_point(text));
}

{
    const char *text = mpl_text_seconds(s->arena, seconds);

    return text != NULL ? text : "?";
}

const char *mpl_draw_ticks(const struct sheet *s, const struct mpl_run *run, int64_t ticks)
{
    return mpl_draw_seconds(s, mpl_model_seconds(run->model, ticks));
}

const char *mpl_draw_role(const struct sheet *s, const struct mpl_run *run,
                          uint32_t location)
{
    const char *words = "";

    /* Of the first pattern in which it is something: others say the same in other words. */
    for (size_t i = 0; s->d != NULL && i < s->d->n_trials && *words == '\0'; i++) {
        const struct mpl_trial *t = &s->d->trials[i];

        if (!t->is_chosen || &s->d->runs[t->run] != run) {
            continue;
        }
        for (size_t k = 0; k < mpl_pattern_role_count(t->pattern); k++) {
            const struct mpl_role *role = mpl_recognition_role(t->recognition, k);

            for (uint32_t l = 0; l < role->n; l++) {
                if (role->locations[l] == location) {
                    words = mpl_draw_words(s, "%s%s%s", words, *words != '\0' ? ", " : "",
                                           role->name);
                }
            }
        }
    }
    return words;
}

int64_t mpl_pair_bound(const struct mpl_run *run, uint32_t a, uint32_t b)
{
    const int64_t *bounds = run->clock->bound_ticks;

    return bounds[a] > INT64_MAX / 2 || bounds[b] > INT64_MAX / 2 ? INT64_MAX
                                                                  : bounds[a] + bounds[b];
}

/* ---- tables --------------------------------------------------------------------------------- */

void mpl_draw_table(const struct sheet *s, const char *caption, const char *const *heads)
{
    mpl_markup_print(s->out,
                     "<div class=\"wide\" tabindex=\"0\" role=\"region\" "
                     "aria-label=\"%s\"><table><caption>%s</caption><thead><tr>",
                     caption, caption);
    for (; *heads != NULL; heads++) {
        const bool is_number = **heads == '#';

        mpl_markup_print(s->out, "<th scope=\"col\" class=\"%s\">%s</th>",
                         is_number ? "n" : "t", *heads + is_number);
    }
    mpl_markup_put(s->out, "</tr></thead><tbody>\n");
}

void mpl_draw_table_end(const struct sheet *s)
{
    mpl_markup_put(s->out, "</tbody></table></div>\n");
}

void mpl_draw_value_cell(const struct sheet *s, double value, const char *text)
{
    mpl_markup_print(s->out, "<td class=\"n\" data-value=\"%s\">%s</td>",
                     mpl_draw_number(s, value), text);
}
