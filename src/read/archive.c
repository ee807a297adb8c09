/*
 * Reading an archive: anchor and global definitions first, then one location after another, its
 * local definitions before its events. What a location lacks becomes a quality note; only an
 * archive of which nothing can be read is an error.
 */
#include "config.h"

#include "read/otf2_priv.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/** The archive while it is read; scratch is reused from location to location. */
struct archive {
    struct mpl_anchor anchor;
    struct mpl_arena *arena; /**< Of the model. */
    struct mpl_arena *scratch;
    struct mpl_model *model;
    struct mpl_refs refs;
    struct mpl_room def_room;
    struct mpl_room event_room;
    struct mpl_decoder *decoder;
    bool *is_region_used;
    uint32_t *n_offsets;
    struct mpl_decode_counts sum;
    uint64_t n_unknown;
    uint64_t n_metrics;
    const char
        *first_damage; /**< Why events are missing, for the case that none is left. */
};

/* ---- tracer ------------------------------------------------------------------------------ */

static bool has_region(const struct mpl_raw *raw, const char *name)
{
    for (size_t i = 0; i < raw->regions.n; i++) {
        const struct mpl_raw_region *region =
            (const struct mpl_raw_region *) mpl_buf_get(&raw->regions, i);

        if (strcmp(mpl_raw_text(raw, region->name), name) == 0) {
            return true;
        }
    }
    return false;
}

/* EZTrace leaves the creator empty; its location names and its own region give it away. */
static enum mpl_tracer find_tracer(const struct mpl_anchor *anchor,
                                   const struct mpl_raw *raw)
{
    const struct mpl_raw_location *first =
        (const struct mpl_raw_location *) mpl_buf_get(&raw->locations, 0);
    unsigned rank;
    unsigned thread;

    if (anchor->tracer != MPL_TRACER_UNKNOWN) {
        return anchor->tracer;
    }
    if (strncmp(anchor->creator, "Score-P", strlen("Score-P")) == 0) {
        return MPL_TRACER_SCOREP;
    }
    if (anchor->creator[0] == '\0' && has_region(raw, "Working") &&
        sscanf(mpl_raw_text(raw, first->name), "P#%uT#%u", &rank, &thread) == 2) {
        return MPL_TRACER_EZTRACE;
    }
    return MPL_TRACER_UNKNOWN;
}

/* ---- definitions --------------------------------------------------------------------------- */

static enum mpl_status define(struct archive *a, const struct mpl_raw *raw,
                              struct mpl_err *err)
{
    struct mpl_model *model = a->model;
    enum mpl_status st;

    model->tracer = find_tracer(&a->anchor, raw);
    model->ticks_per_s = raw->ticks_per_s;
    model->has_common_clock = a->anchor.has_common_clock;
    if (raw->ticks_per_s == 0) {
        model->ticks_per_s = 1000000000;
        mpl_quality_add(
            model->quality, "unknown-clock-resolution", MPL_NONE, 1,
            "the archive does not say how long a clock tick is; 1 ns is assumed");
    }
    if (raw->damage != NULL) {
        mpl_quality_add(
            model->quality, "damaged-definitions", MPL_NONE,
            raw->n_lost > 0 ? raw->n_lost : 1,
            "the global definitions are damaged (%s); names and communicators may "
            "be missing",
            raw->damage);
    }
    st = mpl_define_regions(raw, model, a->arena, &a->refs, err);
    if (st == MPL_OK) {
        st = mpl_define_processes(raw, model, a->arena, &a->refs, err);
    }
    if (st == MPL_OK) {
        st = mpl_define_comms(raw, model, a->arena, &a->refs, err);
    }
    return st;
}

static enum mpl_status read_definitions(struct archive *a, struct mpl_err *err)
{
    struct mpl_raw raw;
    enum mpl_status st = mpl_raw_read(&a->anchor, a->arena, &raw, err);

    if (st != MPL_OK) {
        return st;
    }
    st = define(a, &raw, err);
    mpl_raw_free(&raw);
    return st;
}

/* ---- one location ----------------------------------------------------------------------------- */

static enum mpl_status load_part(struct archive *a, uint32_t l, const char *end,
                                 struct mpl_room *room, struct mpl_bytes *file,
                                 struct mpl_err *err)
{
    const char *path = mpl_arena_printf(a->scratch, "%s/%" PRIu64 "%s", a->anchor.stem,
                                        a->model->locations[l].reference, end);

    return path == NULL ? mpl_nomem(err) : mpl_bytes_load(path, room, file, err);
}

static enum mpl_status read_locals(struct archive *a, uint32_t l, struct mpl_locals *locals,
                                   struct mpl_err *err)
{
    struct mpl_quality *quality = a->model->quality;
    struct mpl_bytes file = { 0 };
    const enum mpl_status st = a->model->locations[l].reference == UINT64_MAX
                                   ? MPL_END
                                   : load_part(a, l, ".def", &a->def_room, &file, err);

    *locals =
        (struct mpl_locals){ .offsets = mpl_buf_make(sizeof(struct mpl_clock_offset)) };
    if (st == MPL_E_NOMEM) {
        return st;
    }
    if (st != MPL_OK) {
        mpl_quality_add(
            quality, "missing-local-definitions", l, 1,
            "local definition files are missing: regions, communicators and clock "
            "offsets of these locations may be wrong");
        return MPL_OK;
    }
    if (!mpl_locals_read(file, a->anchor.def_chunk_bytes, locals)) {
        return mpl_nomem(err);
    }
    if (locals->damage != NULL) {
        mpl_quality_add(quality, "damaged-local-definitions", l, 1,
                        "local definition files are damaged (the first: location %s, %s): "
                        "regions, communicators and clock offsets may be wrong",
                        a->model->locations[l].label, locals->damage);
    }
    return MPL_OK;
}

static enum mpl_status keep_offsets(struct archive *a, uint32_t l,
                                    struct mpl_locals *locals, struct mpl_err *err)
{
    a->n_offsets[l] = (uint32_t) locals->offsets.n;
    a->model->offsets[l] =
        (const struct mpl_clock_offset *) mpl_buf_take(&locals->offsets, a->arena);
    return a->model->offsets[l] == NULL ? mpl_nomem(err) : MPL_OK;
}

static void note_damage(struct archive *a, uint32_t l, const char *note, const char *what,
                        uint64_t n_records)
{
    struct mpl_location *loc = &a->model->locations[l];

    loc->is_damaged = true;
    mpl_quality_add(a->model->quality, note, l, 1,
                    "events are missing (the first: location %s, %s, after %" PRIu64
                    " records); the rest of the run is unknown there",
                    loc->label, what, n_records);
    if (a->first_damage == NULL) {
        a->first_damage = what;
    }
}

static void note_counts(struct archive *a, uint32_t l, const struct mpl_scan *scan,
                        const struct mpl_decode_counts *counts)
{
    struct mpl_quality *quality = a->model->quality;

    if (counts->unknown_regions > 0) {
        mpl_quality_add(quality, "undefined-regions", l, counts->unknown_regions,
                        "events name regions that are not defined");
    }
    if (counts->unknown_comms > 0) {
        mpl_quality_add(quality, "undefined-communicators", l, counts->unknown_comms,
                        "messages or collectives name communicators that are not defined; "
                        "they cannot be matched");
    }
    if (counts->cancelled > 0) {
        mpl_quality_add(quality, "cancelled-receives", l, counts->cancelled,
                        "receives were posted and cancelled");
    }
    if (counts->flushes > 0) {
        mpl_quality_add(
            quality, "buffer-flush", l, counts->flushes,
            "the tracer wrote out its buffer during the run, which takes time that "
            "the program alone would not take");
    }
    if (scan->n_unknown > 0) {
        mpl_quality_add(quality, "unknown-records", l, scan->n_unknown,
                        "records of types that this program does not know are ignored");
    }
    a->sum.open_receives += counts->open_receives;
    a->sum.open_collectives += counts->open_collectives;
    a->n_unknown += counts->unknown_regions;
    a->n_metrics += scan->n_metrics;
}

static enum mpl_status decode(struct archive *a, uint32_t l, struct mpl_bytes file,
                              const struct mpl_locals *locals, struct mpl_err *err)
{
    struct mpl_location *loc = &a->model->locations[l];
    struct mpl_scan scan;
    struct mpl_decode_counts counts;
    const struct mpl_decode_job job = { .file = file,
                                        .chunk_bytes = a->anchor.event_chunk_bytes,
                                        .scan = &scan,
                                        .locals = locals,
                                        .refs = &a->refs,
                                        .model = a->model,
                                        .is_region_used = a->is_region_used };
    enum mpl_status st;

    mpl_scan_events(file, a->anchor.event_chunk_bytes, &scan);
    if (scan.note != NULL) {
        note_damage(a, l, scan.note, scan.damage, scan.n_records);
    }
    st = mpl_decode_events(a->decoder, &job, a->arena, loc, &counts, err);
    if (st != MPL_OK) {
        return mpl_wrap(err, st, "cannot keep the events of location %s", loc->label);
    }
    loc->dropped = scan.n_dropped;
    a->model->n_events += loc->n_events;
    a->model->n_recorded += scan.n_records;
    note_counts(a, l, &scan, &counts);
    return MPL_OK;
}

static enum mpl_status read_events(struct archive *a, uint32_t l,
                                   const struct mpl_locals *locals, struct mpl_err *err)
{
    static const struct mpl_bytes nothing = { (const uint8_t *) "", 0 };
    struct mpl_location *loc = &a->model->locations[l];
    struct mpl_bytes file = nothing;
    struct mpl_err why = { 0 };
    enum mpl_status st = MPL_END;

    if (loc->reference != UINT64_MAX) {
        st = load_part(a, l, ".evt", &a->event_room, &file, &why);
    }
    if (st == MPL_E_NOMEM) {
        return mpl_nomem(err);
    }
    if (st == MPL_OK) {
        return decode(a, l, file, locals, err);
    }
    note_damage(a, l, "missing-events-file",
                st == MPL_END ? "there is no event file" : "the event file cannot be read",
                0);
    return MPL_OK;
}

static enum mpl_status read_location(struct archive *a, uint32_t l, struct mpl_err *err)
{
    struct mpl_locals locals;
    enum mpl_status st = read_locals(a, l, &locals, err);

    if (st == MPL_OK) {
        st = read_events(a, l, &locals, err);
    }
    if (st == MPL_OK) {
        st = keep_offsets(a, l, &locals, err);
    }
    mpl_locals_free(&locals);
    return st;
}

/* ---- all locations ------------------------------------------------------------------------------- */

static enum mpl_status make_tables(struct archive *a, struct mpl_err *err)
{
    struct mpl_model *model = a->model;

    model->offsets =
        MPL_NEW_ARRAY(a->arena, model->n_locations, const struct mpl_clock_offset *);
    a->n_offsets = MPL_NEW_ARRAY(a->arena, model->n_locations, uint32_t);
    model->n_offsets = a->n_offsets;
    a->is_region_used = MPL_NEW_ARRAY(a->scratch, model->n_regions, bool);
    a->decoder = mpl_decoder_create(a->scratch);
    return model->offsets == NULL || a->n_offsets == NULL || a->is_region_used == NULL ||
                   a->decoder == NULL
               ? mpl_nomem(err)
               : MPL_OK;
}

static enum mpl_status
read_locations(struct archive *a, const struct mpl_progress *progress, struct mpl_err *err)
{
    struct mpl_model *model = a->model;
    enum mpl_status st = make_tables(a, err);

    for (uint32_t l = 0; l < model->n_locations && st == MPL_OK; l++) {
        mpl_progress_tell(progress, "reading events", l, model->n_locations);
        st = read_location(a, l, err);
    }
    if (a->decoder != NULL) {
        mpl_decoder_close(a->decoder);
    }
    if (st != MPL_OK) {
        return st;
    }
    mpl_progress_tell(progress, "reading events", model->n_locations, model->n_locations);
    if (model->n_events == 0 && a->first_damage != NULL) {
        return mpl_fail(err, MPL_E_SYNTAX, "no location has events: %s", a->first_damage);
    }
    /* The stand-in for undefined regions is the last one. */
    model->n_regions -= a->n_unknown == 0 ? 1 : 0;
    mpl_capabilities_find(model, a->is_region_used, &a->sum, a->n_metrics > 0);
    return MPL_OK;
}

static enum mpl_status read_all(struct archive *a, const struct mpl_progress *progress,
                                struct mpl_err *err)
{
    enum mpl_status st;

    a->model->quality = mpl_quality_create(a->arena);
    if (a->model->quality == NULL || !mpl_refs_create(&a->refs)) {
        return mpl_nomem(err);
    }
    st = mpl_anchor_read(a->anchor.path, a->arena, &a->anchor, err);
    if (st == MPL_OK) {
        st = read_definitions(a, err);
    }
    if (st == MPL_OK) {
        st = read_locations(a, progress, err);
    }
    return st;
}

enum mpl_status mpl_read_otf2(const char *anchor, struct mpl_arena *arena,
                              const struct mpl_progress *progress, struct mpl_model **out,
                              struct mpl_err *err)
{
    struct archive a = { .anchor = { .path = anchor },
                         .arena = arena,
                         .scratch = mpl_arena_create(),
                         .model = MPL_NEW(arena, struct mpl_model) };
    enum mpl_status st;

    st =
        a.scratch == NULL || a.model == NULL ? mpl_nomem(err) : read_all(&a, progress, err);
    mpl_refs_free(&a.refs);
    mpl_room_free(&a.def_room);
    mpl_room_free(&a.event_room);
    mpl_arena_destroy(a.scratch);
    if (st == MPL_OK) {
        a.model->path = anchor;
        *out = a.model;
    }
    return st;
}
