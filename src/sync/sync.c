#include "config.h"

#include "sync/sync_priv.h"

#include <inttypes.h>
#include <string.h>

/* ---- what the copy lacks ------------------------------------------------------------------ */

static void note_part(const struct mpl_sync_job *job, const struct mpl_sync_part *part)
{
    struct mpl_quality *quality = job->model->quality;

    if (part->damage != NULL) {
        mpl_quality_add(quality, "copy-ends-early", MPL_NONE, 1,
                        "event files are damaged (the first: location %" PRIu64
                        ", %s); the copy has their records up to there",
                        part->reference, part->damage);
    }
    if (part->def_damage != NULL && part->has_definitions) {
        mpl_quality_add(quality, "copy-lacks-definitions", MPL_NONE, 1,
                        "local definition files are damaged (the first: location %" PRIu64
                        ", %s); the copy has their records up to there",
                        part->reference, part->def_damage);
    }
    if (!part->has_events) {
        mpl_quality_add(quality, "copy-lacks-events", MPL_NONE, 1,
                        "locations have no event file (the first: location %" PRIu64
                        "), and the copy has none either",
                        part->reference);
    }
    if (part->is_by_host && part->has_records) {
        mpl_quality_add(quality, "copy-follows-host", MPL_NONE, 1,
                        "locations belong to no process with events (the first: location "
                        "%" PRIu64 "); their times follow location %s of the same computer",
                        part->reference, job->model->locations[part->location].label);
    }
}

static void note_all(const struct mpl_sync_job *job)
{
    for (size_t i = 0; i < job->n_parts; i++) {
        note_part(job, &job->parts[i]);
    }
    if (job->marker_damage != NULL) {
        mpl_quality_add(job->model->quality, "copy-lacks-markers", MPL_NONE, 1,
                        "the marker file is damaged (%s); the copy has its records up to "
                        "there",
                        job->marker_damage);
    }
    mpl_quality_add_some(
        job->model->quality, "copy-lacks-snapshots", MPL_NONE, job->anchor.n_overviews,
        "snapshots and thumbnails show the state at moments of the old time "
        "line, so they are not copied; otf2-snapshots makes new ones");
    if (job->n_strangers > 0) {
        mpl_quality_add(job->model->quality, "copy-leaves-out", MPL_NONE, job->n_strangers,
                        "files in the archive's folder belong to no location that is "
                        "defined (the first: \"%s\"); they are not copied",
                        job->stranger);
    }
}

/* ---- the whole ------------------------------------------------------------------------------- */

static enum mpl_status open_source(struct mpl_sync_job *job, struct mpl_err *err)
{
    const char *path = NULL;
    enum mpl_status st = mpl_anchor_find(job->model->path, job->scratch, &path, err);

    if (st == MPL_END) {
        return mpl_fail(err, MPL_E_UNSUPPORTED,
                        "it is a text trace; marple convert makes an archive of it");
    }
    st = st == MPL_OK ? mpl_anchor_read(path, job->scratch, &job->anchor, err) : st;
    if (st != MPL_OK) {
        return st;
    }
    const char *name = strrchr(job->anchor.stem, '/');
    job->name = name == NULL ? job->anchor.stem : name + 1;
    return MPL_OK;
}

static enum mpl_status load_globals(struct mpl_sync_job *job, struct mpl_room *room,
                                    struct mpl_sync_globals *globals, struct mpl_err *err)
{
    const char *path = mpl_arena_printf(job->scratch, "%s.def", job->anchor.stem);
    enum mpl_status st =
        path == NULL ? mpl_nomem(err) : mpl_bytes_load(path, room, &job->globals, err);

    if (st == MPL_END) {
        st = mpl_fail(err, MPL_E_IO, "\"%s\" does not exist", path);
    }
    return st == MPL_OK ? mpl_sync_read_globals(job->globals, job->anchor.def_chunk_bytes,
                                                globals, err)
                        : st;
}

static enum mpl_status plan(struct mpl_sync_job *job, struct mpl_room *room,
                            struct mpl_err *err)
{
    struct mpl_sync_globals globals = { 0 };
    enum mpl_status st = load_globals(job, room, &globals, err);

    st = st == MPL_OK ? mpl_sync_find_parts(job, &globals, err) : st;
    st = st == MPL_OK ? mpl_sync_find_clocks(job, &globals, err) : st;
    mpl_sync_globals_free(&globals);
    return st;
}

static enum mpl_status fill(void *context, const char *path, struct mpl_err *err)
{
    struct mpl_sync_job *job = context;

    job->target = path;
    const enum mpl_status st = mpl_sync_write_parts(job, err);
    if (st == MPL_OK) {
        mpl_progress_tell(job->progress, "storing the copy", 1, 1);
    }
    return st;
}

static enum mpl_status copy(struct mpl_sync_job *job, const char *directory, bool force,
                            struct mpl_err *err)
{
    struct mpl_room room = { 0 };
    enum mpl_status st = open_source(job, err);

    if (st == MPL_OK) {
        st = mpl_dir_check_source(job->model->path, directory, job->scratch, err);
    }
    st = st == MPL_OK ? mpl_dir_check_target(directory, force, job->scratch, err) : st;
    st = st == MPL_OK ? plan(job, &room, err) : st;
    st = st == MPL_OK ? mpl_dir_write(directory, fill, job, job->scratch, err) : st;
    mpl_room_free(&room);
    if (st == MPL_OK) {
        note_all(job);
    }
    return st;
}

enum mpl_status mpl_sync_write(const struct mpl_model *model,
                               const struct mpl_sync_times *recorded,
                               const int64_t *error_ticks, const char *directory,
                               bool force, const struct mpl_progress *progress,
                               struct mpl_err *err)
{
    struct mpl_sync_job job = { .model = model,
                                .recorded = recorded,
                                .error_ticks = error_ticks,
                                .progress = progress,
                                .scratch = mpl_arena_create(),
                                .markers = { .is_empty = true } };
    const enum mpl_status st =
        job.scratch == NULL ? mpl_nomem(err) : copy(&job, directory, force, err);

    mpl_map_destroy(job.part_of);
    mpl_map_destroy(job.part_of_group);
    mpl_arena_destroy(job.scratch);
    return st == MPL_OK
               ? st
               : mpl_wrap(err, st, "cannot write a corrected copy of \"%s\"", model->path);
}
