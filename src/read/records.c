/*
 * Which record of its file an event was made of. The model does not keep that: nearly all files
 * have one event per record, and where they do not, the file is walked once more.
 */
#include "config.h"

#include "read/read.h"

#include <inttypes.h>
#include <string.h>

#include "archive/archive.h"

/* The numbering while it is made. */
struct numbering {
    struct mpl_buf steps;
    uint32_t n_events;
    uint32_t n_records;
    bool is_short; /* Memory ran out. */
};

/* A record that gives so many events. Steps stand where number minus event changes. */
static void take(struct numbering *n, unsigned n_events)
{
    const uint32_t record = ++n->n_records;
    const struct mpl_record_step *last =
        n->steps.n == 0 ? NULL : mpl_buf_get(&n->steps, n->steps.n - 1);
    const uint32_t ahead = last == NULL ? 1 : last->record - last->event;

    /* A buffer flush gives two events: the second is another event of the same record. */
    for (unsigned i = 0; i < n_events; i++, n->n_events++) {
        if (i == 0 && record - n->n_events == ahead) {
            continue;
        }
        if (!mpl_buf_put(&n->steps, &(struct mpl_record_step){ n->n_events, record })) {
            n->is_short = true;
            return;
        }
    }
}

/* ---- from the model -------------------------------------------------------------------------- */

/* Nothing is skipped. */
static void number_kept(struct numbering *n, const struct mpl_location *loc)
{
    for (uint32_t i = 0; i < loc->n_events && !n->is_short; i++) {
        if (mpl_kind_of(loc, i) == MPL_EV_FLUSH_BEGIN) {
            take(n, 2);
            i++;
        } else {
            take(n, 1);
        }
    }
}

/* ---- from the file --------------------------------------------------------------------------- */

/* Bytes of a record; the first pass has found them sound. */
static size_t length_of(const uint8_t *at, bool is_big_endian)
{
    uint64_t value;

    if (*at == MPL_REC_TIME) {
        return 9;
    }
    if (at[1] != UINT8_MAX) {
        return 2 + (size_t) at[1];
    }
    if (mpl_record_kinds[*at].shape != MPL_SHAPE_SIZED) {
        return 2; /* undefined: no bytes follow */
    }
    memcpy(&value, at + 2, sizeof value);
    return 10 + (size_t) (is_big_endian ? __builtin_bswap64(value) : value);
}

static void number_chunk(struct numbering *n, const uint8_t *at, const uint8_t *end,
                         bool is_big_endian)
{
    while (at < end && *at != MPL_REC_END_OF_CHUNK && *at != MPL_REC_END_OF_FILE &&
           !n->is_short) {
        if (*at >= MPL_REC_BUFFER_FLUSH) {
            take(n, mpl_record_kinds[*at].events);
        }
        at += length_of(at, is_big_endian);
    }
}

static void number_file(struct numbering *n, struct mpl_bytes file, size_t chunk_bytes)
{
    struct mpl_scan scan;
    struct mpl_chunk chunk = { 0 };

    mpl_scan_events(file, chunk_bytes, &scan);
    for (size_t start = 0; start < scan.end; start = chunk.end) {
        if (!mpl_chunk_open(file, start, chunk_bytes, &chunk)) {
            return;
        }
        number_chunk(n, file.data + start + MPL_CHUNK_HEADER,
                     file.data + (chunk.end < scan.end ? chunk.end : scan.end),
                     chunk.is_big_endian);
    }
}

static enum mpl_status number_again(struct numbering *n, const struct mpl_model *model,
                                    const struct mpl_location *loc,
                                    struct mpl_arena *scratch, struct mpl_room *room,
                                    struct mpl_err *err)
{
    struct mpl_anchor anchor;
    struct mpl_bytes file = { 0 };
    const char *path = NULL;
    enum mpl_status st = mpl_anchor_find(model->path, scratch, &path, err);

    st = st == MPL_OK ? mpl_anchor_read(path, scratch, &anchor, err) : st;
    if (st == MPL_OK) {
        path = mpl_arena_printf(scratch, "%s/%" PRIu64 ".evt", anchor.stem, loc->reference);
        st = path == NULL ? mpl_nomem(err) : mpl_bytes_load(path, room, &file, err);
    }
    if (st == MPL_OK) {
        number_file(n, file, anchor.event_chunk_bytes);
    }
    if (st == MPL_END || (st == MPL_OK && !n->is_short && n->n_events != loc->n_events)) {
        return mpl_fail(err, MPL_E_IO,
                        "the events of location %s are not those that were read before",
                        loc->label);
    }
    return st;
}

/* ---- the whole --------------------------------------------------------------------------------- */

enum mpl_status mpl_records_read(const struct mpl_model *model, uint32_t location,
                                 struct mpl_arena *arena, struct mpl_records *out,
                                 struct mpl_err *err)
{
    const struct mpl_location *loc = &model->locations[location];
    struct numbering n = { .steps = mpl_buf_make(sizeof(struct mpl_record_step)) };
    struct mpl_arena *scratch = mpl_arena_create();
    struct mpl_room room = { 0 };
    const struct mpl_record_step *steps = NULL;
    enum mpl_status st = scratch == NULL ? mpl_nomem(err) : MPL_OK;

    if (st == MPL_OK && loc->dropped == 0) {
        number_kept(&n, loc);
    } else if (st == MPL_OK) {
        st = number_again(&n, model, loc, scratch, &room, err);
    }
    const uint32_t n_steps = (uint32_t) n.steps.n;

    if (st == MPL_OK && !n.is_short) {
        steps = mpl_buf_take(&n.steps, arena);
    }
    if (st == MPL_OK && steps == NULL) {
        st = mpl_nomem(err);
    }
    if (st == MPL_OK) {
        *out = (struct mpl_records){ n.n_records, n_steps, steps };
    }
    mpl_buf_free(&n.steps);
    mpl_room_free(&room);
    mpl_arena_destroy(scratch);
    return st;
}

uint32_t mpl_records_number(const struct mpl_records *records, uint32_t event)
{
    uint32_t low = 0;
    uint32_t high = records->n_steps;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (records->steps[middle].event <= event) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low == 0
               ? event + 1
               : records->steps[low - 1].record + (event - records->steps[low - 1].event);
}

bool mpl_records_find(const struct mpl_records *records,
                      const struct mpl_location *location, uint32_t number, uint32_t *event)
{
    uint32_t low = 0;
    uint32_t high = location->n_events;

    /* Numbers never decrease from event to event. */
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (mpl_records_number(records, middle) < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *event = low;
    return low < location->n_events && mpl_records_number(records, low) == number;
}
