/* The archive: events by our own writer, definitions by libotf2. */
#include "config.h"

#include "spool/spool_priv.h"

#include <time.h>

#include "read/libotf2.h"

enum { MOST_COMMAND = 64 * 1024 };

/* ---- locations ------------------------------------------------------------------------------------ */

/* Each thread of each process, and one for a process that left no spool. */
static uint64_t *find_locations(const struct archive *archive, uint32_t *n)
{
    const struct spools *spools = archive->spools;
    size_t most = spools->n_processes;

    for (uint32_t i = 0; i < spools->n; i++) {
        most += spools->all[i].n_threads;
    }
    uint64_t *all = MPL_NEW_ARRAY(archive->arena, most, uint64_t);

    *n = 0;
    for (uint32_t rank = 0; all != NULL && rank < spools->n_processes; rank++) {
        const struct spool *spool = mpl_spools_find(spools, rank);

        for (uint32_t t = 0; t < (spool != NULL ? spool->n_threads : 1); t++) {
            all[(*n)++] = mpl_location_of(rank, t);
        }
    }
    return all;
}

/* ---- the whole --------------------------------------------------------------------------------------- */

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

static enum mpl_status fill(void *context, const char *path, struct mpl_err *err)
{
    struct archive *archive = context;
    struct mpl_otf2_parts parts = { .context = archive,
                                    .properties = mpl_archive_properties,
                                    .clock = mpl_archive_clock,
                                    .events = mpl_archive_events,
                                    .definitions = mpl_archive_define };

    archive->locations = find_locations(archive, &parts.n_locations);
    parts.locations = archive->locations;
    return parts.locations == NULL ? mpl_nomem(err)
                                   : mpl_otf2_write(path, &parts, archive->arena, err);
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
    enum mpl_status st = mpl_spools_open(spools, arena, &opened, err);
    if (st == MPL_OK) {
        archive.command = read_command(spools, arena);
        st = prepare(&archive, err);
        st = st == MPL_OK ? mpl_dir_write(directory, fill, &archive, arena, err) : st;
        release(&archive);
    }
    mpl_spools_close(&opened);
    mpl_arena_destroy(arena);
    return st;
}
