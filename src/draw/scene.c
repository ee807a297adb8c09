/* The picture of a cause: who does what in its frame, and for whom the others wait. */
#include "config.h"

#include <math.h>

#include "draw/call_priv.h"
#include "draw/rows_priv.h"

/* What is more than these is drawn in pixels instead of calls; and only the longest waits get an arrow. */
enum { MOST_SPANS = 1500, MOST_ARROWS = 40 };

struct scene {
    const struct sheet *s;
    const struct mpl_frame *frame;
    const struct mpl_events *events;
};

static const char *x_at(const struct scene *scene, int64_t ticks)
{
    const struct mpl_frame *f = scene->frame;
    const double at = (double) (ticks - f->begin_ticks) /
                      (double) (f->end_ticks - f->begin_ticks) * PLOT_WIDTH;

    return mpl_draw_short(scene->s, fmin(fmax(at, 0), PLOT_WIDTH));
}

static uint32_t count_spans(const struct scene *scene)
{
    const struct mpl_frame *f = scene->frame;
    uint32_t n = 0;

    for (uint32_t i = 0; i < f->n; i++) {
        n += mpl_span_at(scene->events, f->locations[i], f->end_ticks) -
             mpl_span_at(scene->events, f->locations[i], f->begin_ticks);
    }
    return n;
}

static void draw_piece(const struct scene *scene, uint32_t row, enum mpl_look look,
                       int64_t from, int64_t to)
{
    if (from < to) {
        mpl_markup_print(scene->s->out, "<path class=\"f-%s\" d=\"M%s %dH%sv%dH%sz\"/>",
                         mpl_looks[look].name, x_at(scene, from), (int) row * ROW_PIXELS,
                         x_at(scene, to), (int) BAR_PIXELS + STRIP_PIXELS,
                         x_at(scene, from));
    }
}

static void draw_span(const struct scene *scene, uint32_t row, uint32_t index,
                      const struct mpl_records *records)
{
    const uint32_t location = scene->frame->locations[row];
    const struct mpl_span span = mpl_events_span(scene->events, location, index);
    const int64_t waited = span.enter_ticks + span.wait_ticks;

    if (span.enter_ticks == span.leave_ticks) {
        return;
    }
    mpl_markup_print(scene->s->out, "<g><title>%s</title>",
                     mpl_call_words(scene->s, scene->frame->run, location, index, records));
    draw_piece(scene, row, MPL_LOOK_WAIT, span.enter_ticks, waited);
    draw_piece(scene, row, mpl_look_of_span(span.class), waited, span.leave_ticks);
    mpl_markup_put(scene->s->out, "</g>\n");
}

static void draw_calls(const struct scene *scene)
{
    const struct mpl_frame *f = scene->frame;

    for (uint32_t row = 0; row < f->n; row++) {
        const uint32_t n = mpl_events_span_count(scene->events, f->locations[row]);
        struct mpl_records records;
        const struct mpl_records *known =
            mpl_call_records(f->run, f->locations[row], scene->s->arena, &records);

        for (uint32_t i = mpl_span_at(scene->events, f->locations[row], f->begin_ticks);
             i < n &&
             mpl_events_enter_ticks(scene->events, f->locations[row], i) < f->end_ticks;
             i++) {
            draw_span(scene, row, i, known);
        }
    }
}

/* ---- arrows ------------------------------------------------------------------------------------- */

struct arrow {
    uint32_t row;
    uint32_t to_row;
    int64_t begin_ticks;
    int64_t ticks;
};

static uint32_t row_of(const struct mpl_frame *frame, uint32_t location)
{
    for (uint32_t row = 0; row < frame->n; row++) {
        if (frame->locations[row] == location) {
            return row;
        }
    }
    return MPL_NONE;
}

/* Keeps the longest; equal ones in order of rows and time. */
static void keep(struct arrow *arrows, size_t *n, struct arrow arrow)
{
    size_t at = *n < MOST_ARROWS ? (*n)++ : MOST_ARROWS;

    while (at > 0 && arrows[at - 1].ticks < arrow.ticks) {
        if (at < MOST_ARROWS) {
            arrows[at] = arrows[at - 1];
        }
        at--;
    }
    if (at < MOST_ARROWS) {
        arrows[at] = arrow;
    }
}

static size_t find_arrows(const struct scene *scene, struct arrow *arrows, size_t *n_all)
{
    const struct mpl_frame *f = scene->frame;
    size_t n = 0;

    *n_all = 0;
    for (uint32_t row = 0; row < f->n; row++) {
        const uint32_t location = f->locations[row];
        const uint32_t n_spans = mpl_events_span_count(scene->events, location);

        for (uint32_t i = mpl_span_at(scene->events, location, f->begin_ticks); i < n_spans;
             i++) {
            const struct mpl_span span = mpl_events_span(scene->events, location, i);

            if (span.enter_ticks >= f->end_ticks) {
                break;
            }
            if (span.wait_ticks > 0 && span.culprit != MPL_NONE) {
                const uint32_t to = row_of(f, span.culprit);

                ++*n_all;
                if (to != MPL_NONE && to != row) {
                    keep(arrows, &n,
                         (struct arrow){ row, to, span.enter_ticks, span.wait_ticks });
                }
            }
        }
    }
    return n;
}

/* From the middle of the wait to whom it waits for, at the moment when it ends. */
static void draw_arrow(const struct scene *scene, const struct arrow *a)
{
    const bool is_down = a->to_row > a->row;
    const int from = (int) a->row * ROW_PIXELS + (is_down ? BAR_PIXELS : 3);
    const int to = (int) a->to_row * ROW_PIXELS + (is_down ? 2 : BAR_PIXELS);
    const char *end = x_at(scene, a->begin_ticks + a->ticks);
    /* Of moments that are closer than the clocks are wrong nobody knows which was first. */
    const bool is_ordered =
        a->ticks > mpl_pair_bound(scene->frame->run, scene->frame->locations[a->row],
                                  scene->frame->locations[a->to_row]);

    mpl_markup_print(scene->s->out, "<path class=\"%s\" d=\"M%s %dL%s %d\"/>",
                     is_ordered ? "arrow" : "arrow unsure",
                     x_at(scene, a->begin_ticks + a->ticks / 2), from, end, to);
    if (is_ordered) {
        mpl_markup_print(scene->s->out, "<path class=\"head\" d=\"M%s %dl-5 %dh10z\"/>",
                         end, to, is_down ? -6 : 6);
    }
    mpl_markup_put(scene->s->out, "\n");
}

static const char *clock_words(const struct scene *scene)
{
    const struct mpl_frame *frame = scene->frame;
    int64_t worst = 0;

    for (uint32_t i = 0; i < frame->n; i++) {
        const int64_t bound = frame->run->clock->bound_ticks[frame->locations[i]];

        worst = bound > worst ? bound : worst;
    }
    if (worst == 0) {
        return "";
    }
    return worst == INT64_MAX
               ? " How wrong the clocks are is not known: the order of moments may be "
                 "another."
               : mpl_draw_words(
                     scene->s,
                     " Clocks may be wrong by up to %s: closer moments may be in "
                     "another order, so waits that are shorter have a dashed line and "
                     "no arrow.",
                     mpl_draw_ticks(scene->s, frame->run, worst));
}

static void say(const struct scene *scene, bool has_calls, size_t n_arrows, size_t n_waits)
{
    const struct sheet *s = scene->s;
    const struct mpl_frame *f = scene->frame;
    const char *arrows =
        n_arrows == 0
            ? ""
            : mpl_draw_words(s, " Arrows lead from who waits to whom it waits for%s.",
                             n_arrows < n_waits
                                 ? mpl_draw_words(s, ", the %zu longest of %zu waits",
                                                  n_arrows, n_waits)
                                 : "");

    mpl_markup_print(
        s->out,
        "<figcaption>Where its waits are %s: %s from %s s on, "
        "%u of %u locations%s.%s%s%s <a href=\"#timeline\">In the whole "
        "run</a></figcaption></figure>\n",
        f->is_typical ? "about as close together as in most of the run"
                      : "closest together",
        mpl_draw_ticks(s, f->run, f->end_ticks - f->begin_ticks),
        mpl_draw_short(s, mpl_model_seconds(f->run->model, f->begin_ticks)), f->n,
        f->run->model->n_locations,
        f->n_left_out > 0 ? mpl_draw_words(s, " (%u more wait here, too)", f->n_left_out)
                          : "",
        arrows,
        has_calls ? ""
                  : " Too many calls to draw each: a pixel shows what most of its "
                    "time is, the line below it how much of it is waiting.",
        clock_words(scene));
}

enum mpl_status mpl_draw_scene(const struct sheet *s, const struct mpl_frame *frame,
                               const struct mpl_diagnosed *f, struct mpl_err *err)
{
    const struct scene scene = { s, frame, frame->run->events };
    const bool has_calls = count_spans(&scene) <= MOST_SPANS;
    struct arrow arrows[MOST_ARROWS];
    size_t n_waits;
    const size_t n = find_arrows(&scene, arrows, &n_waits);
    struct mpl_bins bins;

    if (!has_calls) {
        const enum mpl_status st =
            mpl_bins_create(frame, 1, PLOT_WIDTH, s->arena, &bins, err);

        if (st != MPL_OK) {
            return st;
        }
    }
    mpl_markup_put(s->out, "<figure>\n");
    mpl_rows_open(s, mpl_draw_words(s, "picture-%s", f->id),
                  mpl_draw_words(s, "Time line of %s: %s", f->finding->name, f->headline),
                  frame, 1);
    if (has_calls) {
        draw_calls(&scene);
    } else {
        mpl_rows_bins(s, frame, 1, &bins);
    }
    for (size_t i = n; i > 0; i--) {
        draw_arrow(&scene, &arrows[i - 1]);
    }
    mpl_rows_end_stretched(s);
    mpl_rows_end(s, frame, frame->n);
    say(&scene, has_calls, n, n_waits);
    return MPL_OK;
}
