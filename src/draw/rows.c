#include "config.h"

#include "draw/rows_priv.h"

#include <string.h>

void mpl_rows_end_stretched(const struct sheet *s)
{
    mpl_markup_put(s->out, "</svg>\n");
}

void mpl_rows_end(const struct sheet *s, const struct mpl_frame *frame, uint32_t n_rows)
{
    mpl_draw_scale(s, mpl_model_seconds(frame->run->model, frame->begin_ticks),
                   mpl_model_seconds(frame->run->model, frame->end_ticks), "s",
                   (int) n_rows * ROW_PIXELS);
    mpl_markup_put(s->out, "</svg></div>\n");
}

static const char *label_of(const struct sheet *s, const struct mpl_frame *frame,
                            uint32_t first, uint32_t last)
{
    const struct mpl_location *all = frame->run->model->locations;
    const char *from = all[frame->locations[first]].label;

    return first == last
               ? from
               : mpl_draw_words(s, "%s–%s", from, all[frame->locations[last]].label);
}

static uint32_t last_of(const struct mpl_frame *frame, uint32_t row, uint32_t per_row)
{
    const uint32_t last = (row + 1) * per_row - 1;

    return last < frame->n ? last : frame->n - 1;
}

/* Where all that have a role have the same, its name says nothing. */
static bool has_roles(const struct sheet *s, const struct mpl_frame *frame)
{
    const char *first = "";

    for (uint32_t i = 0; i < frame->n; i++) {
        const char *role = mpl_draw_rarest_role(s, frame->run, frame->locations[i]);

        if (*first != '\0' && *role != '\0' && strcmp(first, role) != 0) {
            return true;
        }
        first = *role != '\0' ? role : first;
    }
    return false;
}

void mpl_rows_open(const struct sheet *s, const char *id, const char *says,
                   const struct mpl_frame *frame, uint32_t per_row)
{
    const int height = (int) ((frame->n + per_row - 1) / per_row) * ROW_PIXELS;
    const bool are_named = per_row == 1 && has_roles(s, frame);

    mpl_markup_print(s->out,
                     "<div class=\"plot%s\" id=\"%s\"><svg role=\"img\" "
                     "aria-label=\"%s\" width=\"100%%\" height=\"%d\">\n",
                     are_named ? " named" : "", id, says, height + AXIS_PIXELS);
    mpl_markup_put(s->out, "<g class=\"labels\">");
    for (uint32_t row = 0; row * per_row < frame->n; row++) {
        mpl_markup_print(s->out, "<text x=\"-6\" y=\"%d\">", (int) row * ROW_PIXELS + 10);
        if (are_named) {
            mpl_markup_print(s->out, "<tspan class=\"role\">%.16s </tspan>",
                             mpl_draw_rarest_role(s, frame->run, frame->locations[row]));
        }
        mpl_markup_print(s->out, "%s</text>",
                         label_of(s, frame, row * per_row, last_of(frame, row, per_row)));
    }
    mpl_markup_put(s->out, "</g>\n");
    mpl_markup_print(s->out,
                     "<svg width=\"100%%\" height=\"%d\" viewBox=\"0 0 %d %d\" "
                     "preserveAspectRatio=\"none\">\n",
                     height, (int) PLOT_WIDTH, height);
}

/* Where a bin begins: all bins but the last are equally wide. */
static const char *x_of(const struct sheet *s, const struct mpl_bins *bins, uint32_t bin)
{
    const double length = (double) (bins->end_ticks - bins->begin_ticks);
    const double at = (double) bin * (double) bins->width_ticks / length;

    return mpl_draw_short(s, at < 1 ? at * PLOT_WIDTH : PLOT_WIDTH);
}

/* All bins of a row that look so. */
static void draw_look(const struct sheet *s, const struct mpl_bins *bins, uint32_t row,
                      enum mpl_look look)
{
    const uint8_t *looks = bins->look + (size_t) row * bins->n;
    const int y = (int) row * ROW_PIXELS;
    bool is_open = false;

    for (uint32_t i = 0; i < bins->n; i++) {
        uint32_t end = i;

        while (end < bins->n && looks[end] == look) {
            end++;
        }
        if (end > i) {
            if (!is_open) {
                mpl_markup_print(s->out, "<path class=\"f-%s\" d=\"", mpl_looks[look].name);
            }
            mpl_markup_print(s->out, "M%s %dH%sv%dH%sz", x_of(s, bins, i), y,
                             x_of(s, bins, end), (int) BAR_PIXELS, x_of(s, bins, i));
            is_open = true;
            i = end;
        }
    }
    mpl_markup_put(s->out, is_open ? "\"/>" : "");
}

static int strip_of(uint8_t waited)
{
    return waited == 0 ? 0 : 1 + waited * STRIP_PIXELS / 256;
}

/* Below the row, how much of each bin is waiting: also where most of it is something else. */
static void draw_strip(const struct sheet *s, const struct mpl_bins *bins, uint32_t row)
{
    const uint8_t *waited = bins->waited + (size_t) row * bins->n;
    const int y = (int) row * ROW_PIXELS + BAR_PIXELS + 1;

    mpl_markup_put(s->out, "<path class=\"l-wait\" d=\"M0 0");
    for (uint32_t i = 0; i < bins->n;) {
        const int height = strip_of(waited[i]);
        uint32_t end = i + 1;

        while (end < bins->n && strip_of(waited[end]) == height) {
            end++;
        }
        if (height > 0) {
            mpl_markup_print(s->out, "M%s %dH%sv%dH%sz", x_of(s, bins, i), y,
                             x_of(s, bins, end), height, x_of(s, bins, i));
        }
        i = end;
    }
    mpl_markup_put(s->out, "\"/>");
}

/* Totals are those of the whole run, as everywhere else. */
static void open_row(const struct sheet *s, const struct mpl_frame *frame, uint32_t first,
                     uint32_t last)
{
    double compute_s = 0;
    double wait_s = 0;

    for (uint32_t i = first; i <= last; i++) {
        const struct mpl_totals *t =
            mpl_events_totals(frame->run->events, frame->locations[i]);

        compute_s += t->class_s[MPL_SPAN_COMPUTE];
        for (int k = MPL_WAIT_NONE + 1; k < MPL_WAIT_KINDS; k++) {
            wait_s += t->wait_s[k];
        }
    }
    const char *label = label_of(s, frame, first, last);

    mpl_markup_print(s->out,
                     "<g data-location=\"%s\" data-compute=\"%s\" data-wait=\"%s\">"
                     "<title>%s: computes %s, waits %s in the run</title>",
                     label, mpl_draw_number(s, compute_s), mpl_draw_number(s, wait_s),
                     label, mpl_draw_seconds(s, compute_s), mpl_draw_seconds(s, wait_s));
}

void mpl_rows_bins_of(const struct sheet *s, const struct mpl_bins *bins, uint32_t row)
{
    for (int look = MPL_LOOK_COMPUTE; look < MPL_LOOKS; look++) {
        draw_look(s, bins, row, (enum mpl_look) look);
    }
    draw_strip(s, bins, row);
}

void mpl_rows_bins(const struct sheet *s, const struct mpl_frame *frame, uint32_t per_row,
                   const struct mpl_bins *bins)
{
    for (uint32_t row = 0; row * per_row < frame->n; row++) {
        open_row(s, frame, row * per_row, last_of(frame, row, per_row));
        mpl_rows_bins_of(s, bins, row);
        mpl_markup_put(s->out, "</g>\n");
    }
}
