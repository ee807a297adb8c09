/*
 * The locations of an archive, several at the same time: of each its local definitions, then its events. What a location
 * lacks becomes a quality note; only an archive of which nothing can be read is an error.
 *
 * Threads share what is read only, and each keeps what it makes in an arena of its own. What is to be said of a
 * location is said when all have been read, in their order, so that nothing depends on who was first.
 */
#include "config.h"

#include "read/otf2_priv.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>

/** What a thread works with; scratch is reused from location to location. */
struct desk {
    struct mpl_arena *arena; /**< What it makes for the model, which gets it in the end. */
    struct mpl_arena *scratch;
    struct mpl_room def_room;
    struct mpl_room event_room;
    struct mpl_decoder *decoder;
    bool *is_region_used;
};

/** What is to be said of a location. */
struct harvest {
    bool has_definitions;
    const char *definition_damage; /**< NULL when they are whole. */
    uint32_t n_offsets;
    const struct mpl_clock_offset *offsets;
    const char *no_events; /**< Why there are none; NULL: the file was read. */
    struct mpl_scan scan;
    struct mpl_decode_counts counts;
};

struct reading {
    const struct mpl_anchor *anchor;
    const struct mpl_refs *refs;
    struct mpl_model *model;
    const struct mpl_progress *progress;
    struct desk *desks;
    struct harvest *harvests; /**< Per location. */
    atomic_uint n_done;
    /* The sum over all locations. */
    struct mpl_decode_counts sum;
    uint64_t n_unknown_regions;
    uint64_t n_metrics;
    const char
        *first_damage; /**< Why events are missing, for the case that none is left. */
};

/* ---- one location, in any thread -------------------------------------------------------------- */

/* The path of the file of location \p l that ends so. MPL_END when it has none. */
static enum mpl_status name_part(const struct reading *r, uint32_t l, const char *end,
                                 struct mpl_arena *scratch, const char **path,
                                 struct mpl_err *err)
{
    const uint64_t reference = r->model->locations[l].reference;

    if (reference == UINT64_MAX) {
        return MPL_END;
    }
    *path = mpl_arena_printf(scratch, "%s/%" PRIu64 "%s", r->anchor->stem, reference, end);
    return *path == NULL ? mpl_nomem(err) : MPL_OK;
}

static enum mpl_status read_locals(const struct reading *r, uint32_t l, struct desk *desk,
                                   struct mpl_locals *locals, struct mpl_err *err)
{
    struct harvest *harvest = &r->harvests[l];
    struct mpl_bytes file = { 0 };
    struct mpl_err why = { 0 };
    const char *path = NULL;
    enum mpl_status st = name_part(r, l, ".def", desk->scratch, &path, &why);

    st = st == MPL_OK ? mpl_bytes_load(path, &desk->def_room, &file, &why) : st;
    if (st == MPL_E_NOMEM) {
        return mpl_nomem(err);
    }
    harvest->has_definitions = st == MPL_OK;
    if (st == MPL_OK && !mpl_locals_read(file, r->anchor->def_chunk_bytes, locals)) {
        return mpl_nomem(err);
    }
    harvest->definition_damage = locals->damage;
    return MPL_OK;
}

/* Scans the file from its begin, and takes what is sound. */
static enum mpl_status take_chunks(struct mpl_pieces *pieces,
                                   struct mpl_event_scan *scanner, struct desk *desk,
                                   struct mpl_err *err)
{
    struct mpl_records_of_chunk records;
    bool goes_on = scanner->file_bytes > 0;
    enum mpl_status st = mpl_pieces_rewind(pieces, err);

    while (goes_on && st == MPL_OK) {
        const size_t left = scanner->file_bytes - scanner->start;
        const size_t n = left < scanner->chunk_bytes ? left : scanner->chunk_bytes;
        const double share = (double) (scanner->start + n) / (double) scanner->file_bytes;
        struct mpl_bytes piece;

        st = mpl_pieces_next(pieces, n, &desk->event_room, &piece, err);
        if (st == MPL_OK) {
            goes_on = mpl_event_scan_next(scanner, piece, &records);
            st = mpl_event_scan_is_cut(scanner)
                     ? MPL_OK
                     : mpl_decode_chunk(desk->decoder, records, share, err);
        }
    }
    return st;
}

static enum mpl_status decode(const struct reading *r, uint32_t l, struct desk *desk,
                              struct mpl_pieces *pieces, const struct mpl_locals *locals,
                              struct mpl_err *err)
{
    struct mpl_location *loc = &r->model->locations[l];
    struct harvest *harvest = &r->harvests[l];
    const struct mpl_decode_job job = { .scan = &harvest->scan,
                                        .locals = locals,
                                        .refs = r->refs,
                                        .model = r->model,
                                        .is_region_used = desk->is_region_used };
    struct mpl_event_scan scanner;

    mpl_event_scan_start(&scanner, pieces->n, r->anchor->event_chunk_bytes, &harvest->scan);
    mpl_decode_start(desk->decoder, &job, loc);
    enum mpl_status st = take_chunks(pieces, &scanner, desk, err);
    if (st == MPL_OK && mpl_event_scan_is_cut(&scanner)) {
        mpl_event_scan_restart(&scanner);
        mpl_decode_start(desk->decoder, &job, loc);
        st = take_chunks(pieces, &scanner, desk, err);
    }
    return st == MPL_OK
               ? mpl_decode_end(desk->decoder, desk->arena, loc, &harvest->counts, err)
               : st;
}

static enum mpl_status read_events(const struct reading *r, uint32_t l, struct desk *desk,
                                   const struct mpl_locals *locals, struct mpl_err *err)
{
    struct mpl_err why = { 0 };
    struct mpl_pieces pieces = { .fd = -1 };
    const char *path = NULL;
    enum mpl_status st = name_part(r, l, ".evt", desk->scratch, &path, &why);

    st = st == MPL_OK ? mpl_pieces_open(path, &pieces, &why) : st;
    if (st == MPL_OK) {
        st = decode(r, l, desk, &pieces, locals, &why);
        mpl_pieces_close(&pieces);
    }
    if (st == MPL_E_NOMEM || st == MPL_E_LIMIT) {
        *(err != NULL ? err : &why) = why;
        return mpl_wrap(err, st, "cannot keep the events of location %s",
                        r->model->locations[l].label);
    }
    if (st != MPL_OK) {
        r->harvests[l].no_events =
            st == MPL_END ? "there is no event file" : "the event file cannot be read";
    }
    return MPL_OK;
}

static enum mpl_status read_location(void *context, size_t task, unsigned worker,
                                     struct mpl_err *err)
{
    struct reading *r = context;
    struct desk *desk = &r->desks[worker];
    const uint32_t l = (uint32_t) task;
    struct mpl_locals locals = { .offsets = mpl_buf_make(sizeof(struct mpl_clock_offset)) };
    enum mpl_status st = read_locals(r, l, desk, &locals, err);

    st = st == MPL_OK ? read_events(r, l, desk, &locals, err) : st;
    if (st == MPL_OK) {
        struct harvest *harvest = &r->harvests[l];

        harvest->n_offsets = (uint32_t) locals.offsets.n;
        harvest->offsets = mpl_buf_take(&locals.offsets, desk->arena);
        st = harvest->offsets == NULL ? mpl_nomem(err) : MPL_OK;
    }
    mpl_locals_free(&locals);
    atomic_fetch_add(&r->n_done, 1);
    return st;
}

/* ---- what is said of a location ------------------------------------------------------------------ */

static void note_definitions(const struct reading *r, uint32_t l)
{
    const struct harvest *harvest = &r->harvests[l];

    if (!harvest->has_definitions) {
        mpl_quality_add(
            r->model->quality, "missing-local-definitions", l, 1,
            "local definition files are missing: regions, communicators and clock "
            "offsets of these locations may be wrong");
    } else if (harvest->definition_damage != NULL) {
        mpl_quality_add(r->model->quality, "damaged-local-definitions", l, 1,
                        "local definition files are damaged (the first: location %s, %s): "
                        "regions, communicators and clock offsets may be wrong",
                        r->model->locations[l].label, harvest->definition_damage);
    }
}

static void note_damage(struct reading *r, uint32_t l, const char *note, const char *what,
                        uint64_t n_records)
{
    struct mpl_location *loc = &r->model->locations[l];

    loc->is_damaged = true;
    mpl_quality_add(r->model->quality, note, l, 1,
                    "events are missing (the first: location %s, %s, after %" PRIu64
                    " records); the rest of the run is unknown there",
                    loc->label, what, n_records);
    if (r->first_damage == NULL) {
        r->first_damage = what;
    }
}

static void note_counts(const struct reading *r, uint32_t l)
{
    const struct mpl_scan *scan = &r->harvests[l].scan;
    const struct mpl_decode_counts *counts = &r->harvests[l].counts;
    struct mpl_quality *quality = r->model->quality;

    mpl_quality_add_some(quality, "undefined-regions", l, counts->unknown_regions,
                         "events name regions that are not defined");
    mpl_quality_add_some(quality, "undefined-communicators", l, counts->unknown_comms,
                         "messages or collectives name communicators that are not defined; "
                         "they cannot be matched");
    mpl_quality_add_some(quality, "cancelled-receives", l, counts->cancelled,
                         "receives were posted and cancelled");
    mpl_quality_add_some(
        quality, "buffer-flush", l, counts->flushes,
        "the tracer wrote out its buffer during the run, which takes time that "
        "the program alone would not take");
    mpl_quality_add_some(quality, "unknown-records", l, scan->n_unknown,
                         "records of types that this program does not know are ignored");
}

static void add_up(struct reading *r, uint32_t l)
{
    struct mpl_location *loc = &r->model->locations[l];
    const struct harvest *harvest = &r->harvests[l];

    loc->dropped = harvest->scan.n_dropped;
    r->model->n_events += loc->n_events;
    r->model->n_recorded += harvest->scan.n_records;
    r->sum.open_receives += harvest->counts.open_receives;
    r->sum.open_collectives += harvest->counts.open_collectives;
    r->n_unknown_regions += harvest->counts.unknown_regions;
    r->n_metrics += harvest->scan.n_metrics;
}

static void take_in(struct reading *r, uint32_t l)
{
    const struct harvest *harvest = &r->harvests[l];

    note_definitions(r, l);
    if (harvest->no_events != NULL) {
        note_damage(r, l, "missing-events-file", harvest->no_events, 0);
    } else {
        if (harvest->scan.note != NULL) {
            note_damage(r, l, harvest->scan.note, harvest->scan.damage,
                        harvest->scan.n_records);
        }
        note_counts(r, l);
        add_up(r, l);
    }
}

/* ---- all locations -------------------------------------------------------------------------------- */

static bool set_up_desk(struct desk *desk, const struct mpl_model *model)
{
    desk->arena = mpl_arena_create();
    desk->scratch = mpl_arena_create();
    if (desk->arena == NULL || desk->scratch == NULL) {
        return false;
    }
    desk->is_region_used = MPL_NEW_ARRAY(desk->scratch, model->n_regions, bool);
    desk->decoder = mpl_decoder_create(desk->scratch);
    return desk->is_region_used != NULL && desk->decoder != NULL;
}

static void tell(void *context)
{
    struct reading *r = context;

    mpl_progress_tell(r->progress, "reading events", atomic_load(&r->n_done),
                      r->model->n_locations);
}

/* \p is_region_used: per region of the model, in all. */
static enum mpl_status read_in_threads(struct reading *r, unsigned n_desks,
                                       bool *is_region_used, struct mpl_arena *arena,
                                       struct mpl_err *err)
{
    const struct mpl_parallel job = { .n_tasks = r->model->n_locations,
                                      .max_threads = n_desks,
                                      .run = read_location,
                                      .tick = tell,
                                      .context = r };
    enum mpl_status st = MPL_OK;

    for (unsigned i = 0; i < n_desks && st == MPL_OK; i++) {
        st = set_up_desk(&r->desks[i], r->model) ? MPL_OK : mpl_nomem(err);
    }
    st = st == MPL_OK ? mpl_parallel_run(&job, err) : st;
    for (unsigned i = 0; i < n_desks; i++) {
        for (uint32_t k = 0; k < r->model->n_regions && st == MPL_OK; k++) {
            is_region_used[k] = is_region_used[k] || r->desks[i].is_region_used[k];
        }
        /* What the thread has made goes into the arena. */
        struct desk *desk = &r->desks[i];

        mpl_room_free(&desk->def_room);
        mpl_room_free(&desk->event_room);
        if (desk->decoder != NULL) {
            mpl_decoder_close(desk->decoder);
        }
        mpl_arena_destroy(desk->scratch);
        mpl_arena_absorb(arena, desk->arena);
    }
    return st;
}

static enum mpl_status read_in(struct reading *r, struct mpl_arena *arena,
                               struct mpl_arena *scratch, struct mpl_err *err)
{
    struct mpl_model *model = r->model;
    const unsigned n_threads = mpl_threads();
    const unsigned n_desks =
        n_threads < model->n_locations ? n_threads : model->n_locations;
    const struct mpl_clock_offset **offsets =
        MPL_NEW_ARRAY(arena, model->n_locations, const struct mpl_clock_offset *);
    uint32_t *n_offsets = MPL_NEW_ARRAY(arena, model->n_locations, uint32_t);
    bool *is_region_used = MPL_NEW_ARRAY(scratch, model->n_regions, bool);

    r->desks = MPL_NEW_ARRAY(scratch, n_desks, struct desk);
    r->harvests = MPL_NEW_ARRAY(scratch, model->n_locations, struct harvest);
    if (offsets == NULL || n_offsets == NULL || is_region_used == NULL ||
        r->desks == NULL || r->harvests == NULL) {
        return mpl_nomem(err);
    }
    const enum mpl_status st = read_in_threads(r, n_desks, is_region_used, arena, err);
    if (st != MPL_OK) {
        return st;
    }
    /* Another thread may have read the last one. */
    tell(r);
    for (uint32_t l = 0; l < model->n_locations; l++) {
        take_in(r, l);
        offsets[l] = r->harvests[l].offsets;
        n_offsets[l] = r->harvests[l].n_offsets;
    }
    model->offsets = offsets;
    model->n_offsets = n_offsets;
    if (model->n_events == 0 && r->first_damage != NULL) {
        return mpl_fail(err, MPL_E_SYNTAX, "no location has events: %s", r->first_damage);
    }
    /* The stand-in for undefined regions is the last one. */
    model->n_regions -= r->n_unknown_regions == 0 ? 1 : 0;
    mpl_capabilities_find(model, is_region_used, &r->sum, &r->refs->extras,
                          r->n_metrics > 0);
    return MPL_OK;
}

enum mpl_status mpl_read_locations(const struct mpl_anchor *anchor,
                                   const struct mpl_refs *refs, struct mpl_arena *arena,
                                   struct mpl_model *model,
                                   const struct mpl_progress *progress, struct mpl_err *err)
{
    struct mpl_arena *scratch = mpl_arena_create();
    struct reading r = {
        .anchor = anchor, .refs = refs, .model = model, .progress = progress
    };
    const enum mpl_status st =
        scratch == NULL ? mpl_nomem(err) : read_in(&r, arena, scratch, err);

    mpl_arena_destroy(scratch);
    return st;
}
