/*
 * Writing the copy, file by file; locations by two threads, the longest first, so that none is
 * left over when the other thread has nothing to do any more.
 */
#include "config.h"

#include "sync/sync_priv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/** Scratch memory of one thread. */
struct desk {
    struct mpl_room in;
    struct mpl_room out;
};

struct writing {
    struct mpl_sync_job *job;
    struct mpl_sync_part **parts; /**< Longest first. */
    struct desk desks[MPL_PARALLEL_MOST];
    atomic_uint_fast64_t done_bytes;
    uint64_t total_bytes;
};

/* ---- one location -------------------------------------------------------------------------- */

/** Names of a file of a location: where it is, and where it goes. */
struct names {
    char *from;
    char *to;
    struct mpl_arena *arena;
};

static enum mpl_status name_files(struct names *names, const struct mpl_sync_job *job,
                                  const struct mpl_sync_part *part, const char *kind,
                                  struct mpl_err *err)
{
    names->from = mpl_arena_printf(names->arena, "%s/%" PRIu64 "%s", job->anchor.stem,
                                   part->reference, kind);
    names->to = mpl_arena_printf(names->arena, "%s/%s/%" PRIu64 "%s", job->target,
                                 job->name, part->reference, kind);
    return names->from == NULL || names->to == NULL ? mpl_nomem(err) : MPL_OK;
}

static enum mpl_status write_events(const struct mpl_sync_source *source,
                                    struct mpl_sync_part *part, const char *to,
                                    struct desk *desk, struct mpl_err *err)
{
    struct mpl_chunk_writer writer;
    enum mpl_status st =
        mpl_chunk_writer_open(&writer, to, source->chunk_bytes, &desk->out, err);

    if (st == MPL_OK) {
        st = source->is_unchanged
                 ? mpl_sync_copy_verbatim(source, part, &writer, err)
                 : mpl_sync_events(source, &part->retime, &writer, &part->span, err);
    }
    return mpl_chunk_writer_close(&writer, st, err);
}

/* File systems stamp changes with a clock of a few milliseconds, some of seconds. */
enum { SETTLED_S = 4 };

/**
 * Whether the copy of a sound file is the file itself. Where that was last written well before it was read, it is what the
 * model was made of, and none of its records needs to be looked at to know that.
 */
static bool is_unchanged(const struct mpl_sync_job *job, const struct mpl_sync_part *part)
{
    /* Records that the model does not keep may lie behind the last one that it keeps. */
    return job->model->locations[part->location].dropped == 0 &&
           part->changed_at.tv_sec + SETTLED_S < job->recorded->kept_at.tv_sec &&
           mpl_retime_is_identity(&part->retime);
}

/**
 * A file that the reader has found sound: it need not be looked through again, which saves a
 * third of the time, and not be in memory as a whole.
 */
static enum mpl_status copy_sound(const struct mpl_sync_job *job,
                                  struct mpl_sync_part *part, const struct names *names,
                                  struct desk *desk, struct mpl_err *err)
{
    const struct mpl_retime *r = &part->retime;
    struct mpl_pieces pieces;
    const struct mpl_sync_source source = {
        .chunk_bytes = job->anchor.event_chunk_bytes,
        .pieces = &pieces,
        .room = &desk->in,
        .has_end = true,
        .has_records = true,
        .first_time = r->from_base,
        .last_time = r->from_base + (uint64_t) mpl_times_get(r->from, r->n - 1),
        .n_unkept = job->model->locations[part->location].dropped,
        .is_unchanged = is_unchanged(job, part)
    };
    enum mpl_status st = mpl_pieces_open(names->from, &pieces, err);

    if (st == MPL_OK) {
        st = write_events(&source, part, names->to, desk, err);
        mpl_pieces_close(&pieces);
    }
    return st;
}

/** Any other file: what is sound of it is found out first. */
static enum mpl_status copy_scanned(const struct mpl_sync_job *job,
                                    struct mpl_sync_part *part, const struct names *names,
                                    struct desk *desk, struct mpl_err *err)
{
    struct mpl_sync_source source = { .chunk_bytes = job->anchor.event_chunk_bytes };
    struct mpl_scan scan;
    enum mpl_status st = mpl_bytes_load(names->from, &desk->in, &source.file, err);

    if (st != MPL_OK) {
        return st;
    }
    mpl_scan_events(source.file, source.chunk_bytes, &scan);
    part->damage = scan.damage;
    source.file.n = scan.end;
    source.has_records = scan.n_records > 0;
    source.first_time = scan.first_time;
    source.last_time = scan.last_time;
    source.n_unkept = scan.n_dropped;
    return write_events(&source, part, names->to, desk, err);
}

static enum mpl_status copy_events(const struct mpl_sync_job *job,
                                   struct mpl_sync_part *part, struct names *names,
                                   struct desk *desk, struct mpl_err *err)
{
    const bool is_sound =
        part->retime.is_own && !job->model->locations[part->location].is_damaged;
    enum mpl_status st = name_files(names, job, part, ".evt", err);

    if (st == MPL_OK) {
        st = is_sound ? copy_sound(job, part, names, desk, err)
                      : copy_scanned(job, part, names, desk, err);
    }
    if (st == MPL_END) {
        st = mpl_fail(err, MPL_E_IO, "it is not there any more");
    }
    return st == MPL_OK ? st : mpl_wrap(err, st, "cannot copy \"%s\"", names->from);
}

/* How wrong the times of a part may be; 0: nothing is to be said of it. */
static int64_t error_of(const struct mpl_sync_job *job, const struct mpl_sync_part *part)
{
    const int64_t error = job->error_ticks == NULL || part->location == MPL_NONE
                              ? 0
                              : job->error_ticks[part->location];

    return error == INT64_MAX ? 0 : error;
}

static enum mpl_status write_definitions(const struct mpl_sync_job *job,
                                         struct mpl_sync_part *part, const char *to,
                                         struct mpl_bytes file, struct desk *desk,
                                         struct mpl_err *err)
{
    const size_t chunk_bytes = job->anchor.def_chunk_bytes;
    struct mpl_sync_span span = part->span;
    struct mpl_chunk_writer writer;
    enum mpl_status st = mpl_chunk_writer_open(&writer, to, chunk_bytes, &desk->out, err);

    if (st == MPL_OK) {
        st = mpl_sync_locals(file, chunk_bytes, &part->retime, error_of(job, part), &span,
                             &writer, &part->def_damage, err);
    }
    return mpl_chunk_writer_close(&writer, st, err);
}

/** Local definitions are written even where there were none: they say what the clock is. */
static enum mpl_status copy_definitions(const struct mpl_sync_job *job,
                                        struct mpl_sync_part *part, struct names *names,
                                        struct desk *desk, struct mpl_err *err)
{
    struct mpl_bytes file = { (const uint8_t *) "", 0 };
    enum mpl_status st = name_files(names, job, part, ".def", err);

    if (st == MPL_OK && part->has_definitions) {
        st = mpl_bytes_load(names->from, &desk->in, &file, err);
    }
    if (st == MPL_END) {
        st = mpl_fail(err, MPL_E_IO, "it is not there any more");
    }
    st = st == MPL_OK ? write_definitions(job, part, names->to, file, desk, err) : st;
    return st == MPL_OK ? st : mpl_wrap(err, st, "cannot copy \"%s\"", names->from);
}

static enum mpl_status copy_part(const struct mpl_sync_job *job, struct mpl_sync_part *part,
                                 struct desk *desk, struct mpl_err *err)
{
    struct names names = { .arena = mpl_arena_create() };
    enum mpl_status st = names.arena == NULL ? mpl_nomem(err) : MPL_OK;

    if (st == MPL_OK && mpl_ends_are_asked_for()) {
        st = mpl_fail(err, MPL_E_IO, "interrupted");
    }

    if (st == MPL_OK && part->has_events) {
        st = copy_events(job, part, &names, desk, err);
    }
    if (st == MPL_OK && (part->has_definitions || part->has_events)) {
        st = copy_definitions(job, part, &names, desk, err);
    }
    mpl_arena_destroy(names.arena);
    return st;
}

/* ---- all locations ------------------------------------------------------------------------ */

static void tell(void *context)
{
    struct writing *w = context;

    mpl_progress_tell(w->job->progress, "writing events", atomic_load(&w->done_bytes),
                      w->total_bytes);
}

static enum mpl_status run(void *context, size_t task, unsigned worker, struct mpl_err *err)
{
    struct writing *w = context;
    const enum mpl_status st = copy_part(w->job, w->parts[task], &w->desks[worker], err);

    atomic_fetch_add(&w->done_bytes, w->parts[task]->bytes);
    return st;
}

static int compare(const void *a, const void *b)
{
    const struct mpl_sync_part *x = *(struct mpl_sync_part *const *) a;
    const struct mpl_sync_part *y = *(struct mpl_sync_part *const *) b;

    if (x->bytes != y->bytes) {
        return x->bytes > y->bytes ? -1 : 1;
    }
    return x->reference < y->reference ? -1 : x->reference > y->reference;
}

static enum mpl_status write_locations(struct mpl_sync_job *job, struct mpl_err *err)
{
    struct writing w = { .job = job };
    const struct mpl_parallel crew = { .n_tasks = job->n_parts,
                                       .max_threads = mpl_threads(),
                                       .run = run,
                                       .tick = tell,
                                       .context = &w };

    w.parts = MPL_NEW_ARRAY(job->scratch, job->n_parts, struct mpl_sync_part *);
    if (w.parts == NULL) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < job->n_parts; i++) {
        w.parts[i] = &job->parts[i];
        w.total_bytes += job->parts[i].bytes;
    }
    if (job->n_parts > 0) {
        qsort(w.parts, job->n_parts, sizeof *w.parts, compare);
    }
    const enum mpl_status st = mpl_parallel_run(&crew, err);
    for (unsigned i = 0; i < MPL_PARALLEL_MOST; i++) {
        mpl_room_free(&w.desks[i].in);
        mpl_room_free(&w.desks[i].out);
    }
    return st;
}

/* ---- the files beside ------------------------------------------------------------------------ */

static enum mpl_status write_globals(struct mpl_sync_job *job, struct mpl_err *err)
{
    const size_t chunk_bytes = job->anchor.def_chunk_bytes;
    const char *to = mpl_arena_printf(job->scratch, "%s/%s.def", job->target, job->name);
    struct mpl_sync_span span = job->markers;
    struct mpl_room room = { 0 };
    struct mpl_chunk_writer writer;

    if (to == NULL) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < job->n_parts; i++) {
        if (!job->parts[i].span.is_empty) {
            mpl_sync_span_add(&span, job->parts[i].span.first);
            mpl_sync_span_add(&span, job->parts[i].span.last);
        }
    }
    enum mpl_status st = mpl_chunk_writer_open(&writer, to, chunk_bytes, &room, err);
    if (st == MPL_OK) {
        st = mpl_sync_copy_globals(job->globals, chunk_bytes, &span, job->shift, &writer,
                                   err);
    }
    st = mpl_chunk_writer_close(&writer, st, err);
    mpl_room_free(&room);
    return st;
}

/** The numbers of snapshots and thumbnails become 0, because there are none in the copy. */
static enum mpl_status copy_anchor(struct mpl_sync_job *job, struct mpl_err *err)
{
    const char *to = mpl_arena_printf(job->scratch, "%s/%s.otf2", job->target, job->name);
    const size_t at = job->anchor.overviews_at;
    struct mpl_chunk_writer writer = { .fd = -1 };
    struct mpl_room in = { 0 };
    struct mpl_room out = { 0 };
    struct mpl_bytes file;

    enum mpl_status st =
        to == NULL ? mpl_nomem(err) : mpl_bytes_load(job->anchor.path, &in, &file, err);
    if (st == MPL_END) {
        st = mpl_fail(err, MPL_E_IO, "\"%s\" is not there any more", job->anchor.path);
    }
    st = st == MPL_OK ? mpl_chunk_writer_open(&writer, to, file.n, &out, err) : st;
    if (st == MPL_OK) {
        memcpy(writer.chunk, file.data, file.n);
        if (at > 0 && at + MPL_OVERVIEW_COUNTS <= file.n) {
            memset(writer.chunk + at, 0, MPL_OVERVIEW_COUNTS);
        }
        st = mpl_file_put(writer.fd, writer.chunk, file.n)
                 ? MPL_OK
                 : mpl_fail(err, MPL_E_IO, "\"%s\": %s", to, strerror(errno));
    }
    st = mpl_chunk_writer_close(&writer, st, err);
    mpl_room_free(&in);
    mpl_room_free(&out);
    return st;
}

static enum mpl_status copy_markers(struct mpl_sync_job *job, struct mpl_err *err)
{
    const char *from = mpl_arena_printf(job->scratch, "%s.marker", job->anchor.stem);
    const char *to = mpl_arena_printf(job->scratch, "%s/%s.marker", job->target, job->name);
    struct mpl_chunk_writer writer = { .fd = -1 };
    struct mpl_room in = { 0 };
    struct mpl_room out = { 0 };
    struct mpl_bytes file;

    if (from == NULL || to == NULL) {
        return mpl_nomem(err);
    }
    enum mpl_status st = mpl_bytes_load(from, &in, &file, err);
    if (st == MPL_OK) {
        st = mpl_chunk_writer_open(&writer, to, job->anchor.def_chunk_bytes, &out, err);
    }
    if (st == MPL_OK) {
        st = mpl_sync_markers(job, file, &writer, &job->markers, &job->marker_damage, err);
    }
    st = mpl_chunk_writer_close(&writer, st, err);
    mpl_room_free(&in);
    mpl_room_free(&out);
    if (st == MPL_END) {
        return MPL_OK; /* most archives have no markers */
    }
    return st == MPL_OK ? st : mpl_wrap(err, st, "cannot copy \"%s\"", from);
}

enum mpl_status mpl_sync_write_parts(struct mpl_sync_job *job, struct mpl_err *err)
{
    const char *folder = mpl_arena_printf(job->scratch, "%s/%s", job->target, job->name);

    if (folder == NULL) {
        return mpl_nomem(err);
    }
    if (mkdir(folder, 0777) != 0) {
        return mpl_fail(err, MPL_E_IO, "\"%s\": %s", folder, strerror(errno));
    }
    enum mpl_status st = copy_anchor(job, err);
    st = st == MPL_OK ? write_locations(job, err) : st;
    st = st == MPL_OK ? copy_markers(job, err) : st;
    return st == MPL_OK ? write_globals(job, err) : st;
}
