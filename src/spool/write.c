/* The archive: events by our own writer, definitions by libotf2. */
#include "config.h"

#include "spool/spool_priv.h"

#include <time.h>

#include "read/libotf2.h"

enum { MOST_COMMAND = 64 * 1024 };

/* ---- locations ------------------------------------------------------------------------------------ */

static enum mpl_status write_events_of(struct archive *archive, const char *directory,
                                       struct mpl_room *room, uint32_t rank,
                                       uint32_t thread, struct mpl_err *err)
{
    const struct spool *spool = mpl_spools_find(archive->spools, rank);
    struct mpl_record_writer writer;

    mpl_record_writer_open(
        &writer,
        mpl_otf2_events_path(directory, mpl_location_of(rank, thread), archive->arena),
        MPL_OTF2_EVENT_CHUNK, room, err);
    if (spool != NULL) {
        mpl_archive_events(archive, (uint32_t) (spool - archive->spools->all), thread,
                           &writer);
    }
    return mpl_record_writer_close(&writer);
}

/* Of each rank its threads, or one for a rank that left no spool. */
static uint32_t n_threads_of(const struct spools *spools, uint32_t rank)
{
    const struct spool *spool = mpl_spools_find(spools, rank);

    return spool != NULL ? spool->n_threads : 1;
}

static enum mpl_status write_events(void *context, const char *directory,
                                    struct mpl_err *err)
{
    struct archive *archive = context;
    struct mpl_room room = { 0 };
    enum mpl_status st = MPL_OK;

    for (uint32_t rank = 0; rank < archive->spools->n_processes; rank++) {
        for (uint32_t t = 0; t < n_threads_of(archive->spools, rank) && st == MPL_OK; t++) {
            st = write_events_of(archive, directory, &room, rank, t, err);
        }
    }
    mpl_room_free(&room);
    return st;
}

static OTF2_ErrorCode write_clock_of(struct archive *archive, OTF2_Archive *otf2,
                                     uint32_t rank, uint32_t thread)
{
    const struct spool *spool = mpl_spools_find(archive->spools, rank);
    OTF2_DefWriter *writer = OTF2_Archive_GetDefWriter(otf2, mpl_location_of(rank, thread));
    OTF2_ErrorCode code = OTF2_SUCCESS;

    if (writer == NULL) {
        return OTF2_ERROR_MEM_FAULT;
    }
    if (spool != NULL) {
        code =
            mpl_archive_clock(archive, (uint32_t) (spool - archive->spools->all), writer);
    }
    const OTF2_ErrorCode closed = OTF2_Archive_CloseDefWriter(otf2, writer);
    return code != OTF2_SUCCESS ? code : closed;
}

static OTF2_ErrorCode write_clocks(struct archive *archive, OTF2_Archive *otf2)
{
    OTF2_ErrorCode code = OTF2_Archive_OpenDefFiles(otf2);

    for (uint32_t rank = 0; rank < archive->spools->n_processes; rank++) {
        for (uint32_t t = 0;
             t < n_threads_of(archive->spools, rank) && code == OTF2_SUCCESS; t++) {
            code = write_clock_of(archive, otf2, rank, t);
        }
    }
    return code == OTF2_SUCCESS ? OTF2_Archive_CloseDefFiles(otf2) : code;
}

/* ---- the whole --------------------------------------------------------------------------------------- */

static OTF2_ErrorCode begin(void *context, OTF2_Archive *otf2)
{
    const OTF2_ErrorCode code = mpl_archive_properties(context, otf2);

    return code == OTF2_SUCCESS ? write_clocks(context, otf2) : code;
}

static OTF2_ErrorCode define(void *context, OTF2_Archive *otf2)
{
    OTF2_GlobalDefWriter *definitions = OTF2_Archive_GetGlobalDefWriter(otf2);

    if (definitions == NULL) {
        return OTF2_ERROR_MEM_FAULT;
    }
    const OTF2_ErrorCode code = mpl_archive_define(context, definitions);
    const OTF2_ErrorCode closed = OTF2_Archive_CloseGlobalDefWriter(otf2, definitions);
    return code != OTF2_SUCCESS ? code : closed;
}

static enum mpl_status prepare(struct archive *archive, struct mpl_err *err)
{
    const struct spools *spools = archive->spools;
    struct mpl_spool_summary *summary = archive->summary;
    enum mpl_status st = mpl_comms_find(spools, archive->arena, &archive->comms, err);

    if (st != MPL_OK) {
        return st;
    }
    archive->n_events = MPL_NEW_ARRAY(archive->arena, spools->n, uint64_t *);
    if (archive->n_events == NULL || !mpl_survey_make(archive)) {
        return mpl_nomem(err);
    }
    summary->n_processes = spools->n_processes;
    summary->n_found = spools->n;
    for (uint32_t i = 0; i < spools->n; i++) {
        const struct mpl_spool_head *head = spools->all[i].head;

        summary->n_cut += head->end != MPL_SPOOL_FINISHED;
        summary->n_full += head->lost > 0;
        if (head->n_stretches > summary->n_stretches) {
            summary->n_stretches = head->n_stretches;
            summary->n_recorded = head->n_recorded;
        }
        archive->n_events[i] =
            MPL_NEW_ARRAY(archive->arena, spools->all[i].n_threads, uint64_t);
        if (archive->n_events[i] == NULL) {
            return mpl_nomem(err);
        }
    }
    return MPL_OK;
}

static void release(struct archive *archive)
{
    for (uint32_t i = 0; archive->survey.is_done != NULL && i < archive->spools->n; i++) {
        mpl_buf_free(&archive->survey.is_done[i]);
    }
    mpl_buf_free(&archive->comms.all);
    mpl_sites_free(&archive->sites, archive->spools->n);
}

/* As one line of text; NULL: it is not known, or strange. */
static const char *read_command(const char *spools, struct mpl_arena *arena)
{
    const char *path = mpl_arena_printf(arena, "%s/" MPL_SPOOLS_COMMAND, spools);
    struct mpl_err ignored = { 0 };
    char *text = NULL;
    size_t n = 0;

    return path != NULL &&
                   mpl_file_read(path, MOST_COMMAND, arena, &text, &n, &ignored) == MPL_OK
               ? text
               : NULL;
}

static enum mpl_status write_and_place(struct archive *archive, const char *directory,
                                       struct mpl_err *err)
{
    static const struct mpl_otf2_parts parts = { begin, write_events, define };
    const char *part = NULL;
    enum mpl_status st = prepare(archive, err);

    st = st == MPL_OK ? mpl_dir_make_sibling(directory, archive->arena, &part, err) : st;
    if (st != MPL_OK) {
        return st;
    }
    st = mpl_otf2_write(part, &parts, archive, err);
    st = st == MPL_OK ? mpl_dir_replace(part, directory, archive->arena, err) : st;
    if (st != MPL_OK) {
        mpl_dir_remove(part, archive->arena);
    }
    return st;
}

/* By the clock that stamps records, which all processes of this machine read. */
static uint64_t now_ns(void)
{
    struct timespec now = { 0 };

    (void) clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t) now.tv_sec * UINT64_C(1000000000) + (uint64_t) now.tv_nsec;
}

enum mpl_status mpl_spools_write(const char *spools, const char *directory,
                                 bool has_just_ended, struct mpl_spool_summary *summary,
                                 struct mpl_err *err)
{
    struct mpl_arena *arena = mpl_arena_create();
    struct spools opened = { 0 };
    struct archive archive = { .spools = &opened,
                               .arena = arena,
                               .summary = summary,
                               .ended_ns = has_just_ended ? now_ns() : 0 };

    *summary = (struct mpl_spool_summary){ 0 };
    if (arena == NULL) {
        return mpl_nomem(err);
    }
    enum mpl_status st = mpl_spools_open(spools, arena, &opened, err);
    if (st == MPL_OK) {
        archive.command = read_command(spools, arena);
        st = write_and_place(&archive, directory, err);
        release(&archive);
    }
    mpl_spools_close(&opened);
    mpl_arena_destroy(arena);
    return st;
}
