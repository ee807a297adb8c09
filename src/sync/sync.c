#include "config.h"

#include "sync/sync_priv.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- where the copy may go ----------------------------------------------------------------- */

/** The true name of \p path; *out is NULL when it does not exist. */
static enum mpl_status true_name(const char *path, struct mpl_arena *scratch,
                                 const char **out, struct mpl_err *err)
{
    char name[PATH_MAX];

    *out = NULL;
    if (realpath(path, name) != NULL) {
        *out = mpl_arena_strdup(scratch, name);
        return *out == NULL ? mpl_nomem(err) : MPL_OK;
    }
    return MPL_OK;
}

/** Of the folder in which \p path is, or is to be. */
static enum mpl_status true_folder(const char *path, struct mpl_arena *scratch,
                                   const char **out, struct mpl_err *err)
{
    size_t n = strlen(path);
    const char *folder;

    while (n > 1 && path[n - 1] == '/') {
        n--;
    }
    while (n > 0 && path[n - 1] != '/') {
        n--;
    }
    folder = n == 0 ? "." : mpl_arena_strndup(scratch, path, n);
    return folder == NULL ? mpl_nomem(err) : true_name(folder, scratch, out, err);
}

static bool is_inside(const char *path, const char *folder)
{
    const size_t n = strlen(folder);

    return strncmp(path, folder, n) == 0 &&
           (path[n] == '\0' || path[n] == '/' || (n > 0 && folder[n - 1] == '/'));
}

/** True names of what must not be touched, and of where the copy goes; NULL: not there. */
struct places {
    const char *anchor;
    const char *events; /**< The folder of the event files. */
    const char *source; /**< As the user named the trace. */
    const char *old;    /**< What stands in the place of the copy. */
    const char *folder; /**< In which it will stand. */
};

static enum mpl_status find_places(const struct mpl_sync_job *job, const char *directory,
                                   struct places *p, struct mpl_err *err)
{
    enum mpl_status st = true_name(job->anchor.path, job->scratch, &p->anchor, err);

    if (st == MPL_OK) {
        st = true_name(job->anchor.stem, job->scratch, &p->events, err);
    }
    if (st == MPL_OK) {
        st = true_name(job->model->path, job->scratch, &p->source, err);
    }
    if (st == MPL_OK) {
        st = true_name(directory, job->scratch, &p->old, err);
    }
    return st == MPL_OK ? true_folder(directory, job->scratch, &p->folder, err) : st;
}

/* Neither may the copy replace what it is made from, nor become a part of it. */
static enum mpl_status check_place(const struct mpl_sync_job *job, const char *directory,
                                   struct mpl_err *err)
{
    struct places p = { 0 };
    const enum mpl_status st = find_places(job, directory, &p, err);

    if (st != MPL_OK) {
        return st;
    }
    if (p.anchor != NULL && p.old != NULL && is_inside(p.anchor, p.old)) {
        return mpl_fail(err, MPL_E_USAGE, "\"%s\" holds the trace that is to be copied",
                        directory);
    }
    if (p.folder == NULL) {
        return MPL_OK; /* making the directory will fail and say why */
    }
    if ((p.events != NULL && is_inside(p.folder, p.events)) ||
        (p.source != NULL && is_inside(p.folder, p.source))) {
        return mpl_fail(err, MPL_E_USAGE,
                        "\"%s\" would lie inside the trace that is to be copied",
                        directory);
    }
    return MPL_OK;
}

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
    if (job->anchor.n_overviews > 0) {
        mpl_quality_add(
            job->model->quality, "copy-lacks-snapshots", MPL_NONE, job->anchor.n_overviews,
            "snapshots and thumbnails tell the state at moments of the old time "
            "line, so they are not copied; otf2-snapshots makes new ones");
    }
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
    const char *name;
    enum mpl_status st = mpl_anchor_find(job->model->path, job->scratch, &path, err);

    if (st == MPL_END) {
        return mpl_fail(err, MPL_E_UNSUPPORTED,
                        "it is a text trace; marple convert makes an archive of it");
    }
    if (st == MPL_OK) {
        st = mpl_anchor_read(path, job->scratch, &job->anchor, err);
    }
    if (st != MPL_OK) {
        return st;
    }
    name = strrchr(job->anchor.stem, '/');
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

    if (st == MPL_OK) {
        st = mpl_sync_find_parts(job, &globals, err);
    }
    if (st == MPL_OK) {
        st = mpl_sync_find_clocks(job, &globals, err);
    }
    mpl_sync_globals_free(&globals);
    return st;
}

static enum mpl_status fill(struct mpl_sync_job *job, const char *directory,
                            struct mpl_err *err)
{
    enum mpl_status st = mpl_dir_make_sibling(directory, job->scratch, &job->target, err);

    if (st != MPL_OK) {
        return st;
    }
    st = mpl_sync_write_parts(job, err);
    if (st == MPL_OK) {
        mpl_progress_tell(job->progress, "storing the copy", 1, 1);
        st = mpl_dir_replace(job->target, directory, job->scratch, err);
    }
    if (st != MPL_OK) {
        mpl_dir_remove(job->target, job->scratch);
    }
    return st;
}

static enum mpl_status copy(struct mpl_sync_job *job, const char *directory, bool force,
                            struct mpl_err *err)
{
    struct mpl_room room = { 0 };
    enum mpl_status st = open_source(job, err);

    if (st == MPL_OK) {
        st = check_place(job, directory, err);
    }
    if (st == MPL_OK) {
        st = mpl_dir_check_target(directory, force, job->scratch, err);
    }
    if (st == MPL_OK) {
        st = plan(job, &room, err);
    }
    if (st == MPL_OK) {
        st = fill(job, directory, err);
    }
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
