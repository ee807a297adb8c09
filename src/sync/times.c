#include "config.h"

#include "sync/sync_priv.h"

#include <string.h>

/* ---- keeping ---------------------------------------------------------------------------- */

enum mpl_status mpl_sync_times_keep(struct mpl_model *model, struct mpl_arena *arena,
                                    const struct mpl_sync_times **out, struct mpl_err *err)
{
    struct mpl_sync_times *times = MPL_NEW(arena, struct mpl_sync_times);
    struct mpl_times *kept = MPL_NEW_ARRAY(arena, model->n_locations, struct mpl_times);
    uint64_t *base = MPL_NEW_ARRAY(arena, model->n_locations, uint64_t);

    if (times == NULL || kept == NULL || base == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t l = 0; l < model->n_locations; l++) {
        struct mpl_location *loc = &model->locations[l];

        if (!mpl_times_copy(&loc->times, loc->n_events, arena, &kept[l])) {
            return mpl_nomem(err);
        }
        base[l] = loc->base_ticks;
    }
    *times = (struct mpl_sync_times){ .n_locations = model->n_locations,
                                      .times = kept,
                                      .base = base };
    (void) clock_gettime(CLOCK_REALTIME, &times->kept_at);
    *out = times;
    return MPL_OK;
}

/* ---- recorded offsets --------------------------------------------------------------------- */

int64_t mpl_sync_offset_at(const struct mpl_sync_offsets *offsets, uint64_t time)
{
    size_t i = 1;

    if (offsets->n < 2) {
        return offsets->n == 0 ? 0 : offsets->list[0].offset_ticks;
    }
    while (i + 1 < offsets->n && time >= offsets->list[i].time_ticks) {
        i++;
    }

    const struct mpl_clock_offset *a = &offsets->list[i - 1];
    const struct mpl_clock_offset *b = &offsets->list[i];
    const __int128 rise = (__int128) b->offset_ticks - a->offset_ticks;
    const __int128 way = (__int128) time - a->time_ticks;
    const __int128 length = (__int128) b->time_ticks - a->time_ticks;

    /* The slope of a real clock is below 1e-3; what a damaged file says must not overflow. */
    if (length <= 0 || rise > length || -rise > length) {
        return a->offset_ticks;
    }
    /* To the nearest tick, as libotf2 does. */
    return (int64_t) (a->offset_ticks +
                      (rise * way + (rise * way < 0 ? -length : length) / 2) / length);
}

/* ---- mapping -------------------------------------------------------------------------------- */

int64_t mpl_retime_ticks(const struct mpl_retime *retime, uint64_t time)
{
    if (retime->record_offsets.n > 0) {
        time += (uint64_t) mpl_sync_offset_at(&retime->record_offsets, time);
    }
    return (int64_t) (time - retime->from_base);
}

/* Kept events up to \p ticks. */
static uint32_t count_until(const struct mpl_retime *retime, int64_t ticks)
{
    uint32_t low = 0;
    uint32_t high = retime->n;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (mpl_retime_from(retime, middle) <= ticks) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static __int128 between(const struct mpl_retime *r, uint32_t n_before, int64_t ticks)
{
    const uint32_t next = n_before;
    const uint32_t last = n_before - 1;

    if (r->n == 0) {
        return ticks;
    }
    /*
     * A metric stands before the enter or leave that it belongs to, with the same time; so what
     * is as late as both neighbours stays with the next one.
     */
    if (next < r->n && ticks >= mpl_retime_from(r, next)) {
        return mpl_times_get(r->to, next);
    }
    if (n_before == 0) {
        return (__int128) mpl_times_get(r->to, next) - mpl_retime_from(r, next) + ticks;
    }
    const __int128 way = (__int128) ticks - mpl_retime_from(r, last);
    if (n_before == r->n || way <= 0) {
        return mpl_times_get(r->to, last) + way;
    }
    const __int128 length = (__int128) mpl_retime_from(r, next) - mpl_retime_from(r, last);
    return mpl_times_get(r->to, last) +
           way * ((__int128) mpl_times_get(r->to, next) - mpl_times_get(r->to, last)) /
               length;
}

/* Whether all events of the block that begins with \p first have been moved by the same time. */
static bool has_moved_as_one(const struct mpl_retime *retime, uint32_t first)
{
    return retime->from->offset == retime->to->offset &&
           retime->to->base[first / MPL_BLOCK_EVENTS] != MPL_TICKS_WIDE;
}

bool mpl_retime_is_identity(const struct mpl_retime *retime)
{
    const uint64_t apart = retime->from_base - retime->to_base;
    uint64_t differences = 0;
    int64_t from[MPL_BLOCK_EVENTS];
    int64_t to[MPL_BLOCK_EVENTS];

    if (retime->record_offsets.n > 0 || retime->from_offsets.n > 0) {
        return false;
    }
    for (uint32_t i = 0; i < retime->n && differences == 0; i += MPL_BLOCK_EVENTS) {
        const uint32_t left = retime->n - i;
        const uint32_t most = has_moved_as_one(retime, i) ? 1 : MPL_BLOCK_EVENTS;
        const uint32_t n = left < most ? left : most;

        mpl_times_read(retime->from, i, n, from);
        mpl_times_read(retime->to, i, n, to);
        for (uint32_t k = 0; k < n; k++) {
            differences |= (uint64_t) to[k] - ((uint64_t) from[k] + apart);
        }
    }
    return differences == 0 && (retime->n > 0 || apart == 0);
}

int64_t mpl_retime_between(const struct mpl_retime *retime, uint32_t n_before,
                           int64_t ticks)
{
    return (int64_t) between(retime, n_before, ticks);
}

__int128 mpl_retime_wide(const struct mpl_retime *retime, uint64_t time)
{
    const int64_t ticks = mpl_retime_ticks(retime, time);

    return between(retime, count_until(retime, ticks), ticks);
}

uint64_t mpl_retime_at(const struct mpl_retime *retime, uint64_t time)
{
    return retime->to_base + (uint64_t) mpl_retime_wide(retime, time);
}

void mpl_sync_span_add(struct mpl_sync_span *span, uint64_t time)
{
    span->first = span->is_empty || time < span->first ? time : span->first;
    span->last = span->is_empty || time > span->last ? time : span->last;
    span->is_empty = false;
}
