#include "config.h"

#include "draw/draw_priv.h"

#include <math.h>
#include <stdlib.h>
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
static const char *with_point(const struct sheet *s, char *text)
{
    for (char *at = text; *at != '\0'; at++) {
        *at = strchr("0123456789eE+-.", *at) == NULL ? '.' : *at;
    }
    return mpl_draw_words(s, "%s", text);
}

static const char *with_digits(const struct sheet *s, int n, double value)
{
    char text[40];

    (void) snprintf(text, sizeof text, "%.*g", n, value);
    return with_point(s, text);
}

const char *mpl_draw_number(const struct sheet *s, double value)
{
    return isfinite(value) ? with_digits(s, 15, value) : "";
}

const char *mpl_draw_short(const struct sheet *s, double value)
{
    return with_digits(s, 5, value);
}

const char *mpl_draw_micros(const struct sheet *s, double seconds)
{
    char text[340];

    (void) snprintf(text, sizeof text, "%.6f", seconds);
    return with_point(s, text);
}

const char *mpl_draw_seconds(const struct sheet *s, double seconds)
{
    const char *text = mpl_text_seconds(s->arena, seconds);

    return text != NULL ? text : "?";
}

const char *mpl_draw_ticks(const struct sheet *s, const struct mpl_run *run, int64_t ticks)
{
    return mpl_draw_seconds(s, mpl_model_seconds(run->model, ticks));
}

static bool has_role(const struct mpl_role *role, uint32_t location)
{
    return role->n > 0 && bsearch(&location, role->locations, role->n,
                                  sizeof *role->locations, mpl_compare_u32) != NULL;
}

static bool is_anything(const struct mpl_trial *t, uint32_t location)
{
    for (size_t k = 0; k < mpl_pattern_role_count(t->pattern); k++) {
        if (has_role(mpl_recognition_role(t->recognition, k), location)) {
            return true;
        }
    }
    return false;
}

/* Of the patterns in which a location is something that which explains most: others say less, or the same in other words. */
static const struct mpl_trial *trial_of(const struct sheet *s, const struct mpl_run *run,
                                        uint32_t location)
{
    const struct mpl_trial *best = NULL;

    for (size_t i = 0; s->d != NULL && i < s->d->n_trials; i++) {
        const struct mpl_trial *t = &s->d->trials[i];

        if (t->is_chosen && &s->d->runs[t->run] == run &&
            (best == NULL || t->time_coverage > best->time_coverage) &&
            is_anything(t, location)) {
            best = t;
        }
    }
    return best;
}

const char *mpl_draw_role(const struct sheet *s, const struct mpl_run *run,
                          uint32_t location)
{
    const struct mpl_trial *t = trial_of(s, run, location);
    const char *words = "";

    for (size_t k = 0; t != NULL && k < mpl_pattern_role_count(t->pattern); k++) {
        const struct mpl_role *role = mpl_recognition_role(t->recognition, k);

        if (has_role(role, location)) {
            words =
                mpl_draw_words(s, "%s%s%s", words, *words != '\0' ? ", " : "", role->name);
        }
    }
    return words;
}

const char *mpl_draw_rarest_role(const struct sheet *s, const struct mpl_run *run,
                                 uint32_t location)
{
    const struct mpl_trial *t = trial_of(s, run, location);
    const struct mpl_role *rarest = NULL;

    for (size_t k = 0; t != NULL && k < mpl_pattern_role_count(t->pattern); k++) {
        const struct mpl_role *role = mpl_recognition_role(t->recognition, k);

        if (has_role(role, location) && (rarest == NULL || role->n < rarest->n)) {
            rarest = role;
        }
    }
    return rarest != NULL ? rarest->name : "";
}

int64_t mpl_pair_bound(const struct mpl_run *run, uint32_t a, uint32_t b)
{
    const int64_t *bounds = run->clock->bound_ticks;

    return bounds[a] > INT64_MAX / 2 || bounds[b] > INT64_MAX / 2 ? INT64_MAX
                                                                  : bounds[a] + bounds[b];
}

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

void mpl_draw_unit_cell(const struct sheet *s, double value, const char *unit)
{
    mpl_draw_value_cell(s, value, mpl_report_value(s->arena, value, unit));
}

void mpl_draw_value_cell(const struct sheet *s, double value, const char *text)
{
    mpl_markup_print(s->out, "<td class=\"n\" data-value=\"%s\">%s</td>",
                     mpl_draw_number(s, value), text);
}

void mpl_draw_text_cell(const struct sheet *s, const char *text)
{
    mpl_markup_print(s->out, "<td>%s</td>", text != NULL ? text : "");
}

void mpl_page_header(const struct sheet *s, const char *name, const char *colour,
                     const char *label, const char *headline)
{
    mpl_markup_print(
        s->out,
        "<header class=\"v-%s\" data-verdict=\"%s\"><p class=\"label\">%s</p>\n"
        "<h1>%s</h1>\n",
        colour, name, label, headline);
}
