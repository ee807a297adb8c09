/*
 * Time in pixels. A pixel is often longer than thousands of calls: it shows what most of its time is, and how
 * much of it is waiting, so that nothing short is skipped.
 */
#include "config.h"

#include "draw/draw_priv.h"

#include <string.h>

const struct mpl_look_of mpl_looks[MPL_LOOKS] = {
    [MPL_LOOK_NONE] = { "none", "not recorded" },
    [MPL_LOOK_COMPUTE] = { "compute", "computes" },
    [MPL_LOOK_P2P] = { "p2p", "sends, receives" },
    [MPL_LOOK_COLLECTIVE] = { "collective", "in a collective" },
    [MPL_LOOK_OTHER] = { "other", "in another call" },
    [MPL_LOOK_EDGE] = { "edge", "starts up, shuts down" },
    [MPL_LOOK_WAIT] = { "wait", "waits" },
};

enum mpl_look mpl_look_of_span(enum mpl_span_class class)
{
    switch (class) {
    case MPL_SPAN_COMPUTE:
        return MPL_LOOK_COMPUTE;
    case MPL_SPAN_P2P:
        return MPL_LOOK_P2P;
    case MPL_SPAN_COLLECTIVE:
        return MPL_LOOK_COLLECTIVE;
    case MPL_SPAN_OTHER:
        return MPL_LOOK_OTHER;
    default:
        return MPL_LOOK_EDGE;
    }
}

void mpl_bins_add(const struct mpl_bins *bins, mpl_bin_times *times, enum mpl_look look,
                  int64_t from, int64_t to)
{
    from = from < bins->begin_ticks ? bins->begin_ticks : from;
    to = to > bins->end_ticks ? bins->end_ticks : to;
    while (from < to) {
        const int64_t i = (from - bins->begin_ticks) / bins->width_ticks;
        const int64_t edge = bins->begin_ticks + (i + 1) * bins->width_ticks;
        const int64_t until = edge < to ? edge : to;

        times[i][look] += until - from;
        from = until;
    }
}

static void add_location(const struct mpl_bins *bins, const struct mpl_events *events,
                         uint32_t location, mpl_bin_times *times)
{
    const uint32_t n = mpl_events_span_count(events, location);

    for (uint32_t i = mpl_span_at(events, location, bins->begin_ticks); i < n; i++) {
        const struct mpl_span span = mpl_events_span(events, location, i);
        const int64_t waited = span.enter_ticks + span.wait_ticks;

        if (span.enter_ticks >= bins->end_ticks) {
            return;
        }
        mpl_bins_add(bins, times, MPL_LOOK_WAIT, span.enter_ticks, waited);
        mpl_bins_add(bins, times, mpl_look_of_span(span.class), waited, span.leave_ticks);
    }
}

/* What most of it is, and the share of waiting. */
static void judge(const int64_t *times, uint8_t *look, uint8_t *waited)
{
    int64_t all = 0;

    *look = MPL_LOOK_NONE;
    for (uint8_t i = 1; i < MPL_LOOKS; i++) {
        all += times[i];
        if (times[i] > 0 && times[i] >= times[*look]) {
            *look = i;
        }
    }
    const double share = all > 0 ? (double) times[MPL_LOOK_WAIT] / (double) all : 0;

    *waited =
        times[MPL_LOOK_WAIT] > 0 && share < 1.0 / 255 ? 1 : (uint8_t) (share * 255 + 0.5);
}

void mpl_bins_judge(struct mpl_bins *bins, uint32_t row, mpl_bin_times *times)
{
    for (uint32_t i = 0; i < bins->n; i++) {
        const size_t at = (size_t) row * bins->n + i;

        judge(times[i], &bins->look[at], &bins->waited[at]);
    }
    memset(times, 0, bins->n * sizeof *times);
}

enum mpl_status mpl_bins_open(int64_t begin_ticks, int64_t end_ticks, uint32_t most,
                              uint32_t n_rows, struct mpl_arena *arena,
                              struct mpl_bins *out, mpl_bin_times **times,
                              struct mpl_err *err)
{
    const int64_t length = end_ticks > begin_ticks ? end_ticks - begin_ticks : 1;
    struct mpl_bins bins = { .begin_ticks = begin_ticks,
                             .end_ticks = begin_ticks + length,
                             .width_ticks = (length - 1) / most + 1 };

    bins.n = (uint32_t) ((length - 1) / bins.width_ticks + 1);
    *times = mpl_arena_array(arena, bins.n, sizeof **times);
    bins.look = mpl_arena_array(arena, (size_t) n_rows * bins.n, 1);
    bins.waited = mpl_arena_array(arena, (size_t) n_rows * bins.n, 1);
    *out = bins;
    return *times == NULL || bins.look == NULL || bins.waited == NULL ? mpl_nomem(err)
                                                                      : MPL_OK;
}

enum mpl_status mpl_bins_create(const struct mpl_frame *frame, uint32_t per_row,
                                uint32_t most, struct mpl_arena *arena,
                                struct mpl_bins *out, struct mpl_err *err)
{
    const uint32_t n_rows = (frame->n + per_row - 1) / per_row;
    mpl_bin_times *times;
    const enum mpl_status st = mpl_bins_open(frame->begin_ticks, frame->end_ticks, most,
                                             n_rows, arena, out, &times, err);

    for (uint32_t row = 0; row < n_rows && st == MPL_OK; row++) {
        for (uint32_t i = row * per_row; i < (row + 1) * per_row && i < frame->n; i++) {
            add_location(out, frame->run->events, frame->locations[i], times);
        }
        mpl_bins_judge(out, row, times);
    }
    return st;
}
