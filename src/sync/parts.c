/*
 * What there is to copy: the files in the archive's directory, by location, and whose clock each
 * of them follows.
 */
#include "config.h"

#include "sync/sync_priv.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- files ------------------------------------------------------------------------------ */

/** "17.evt" is the file of kind ".evt" of location 17, and nothing else is. */
static bool parse_name(const char *name, uint64_t *reference, const char **kind)
{
    char *end = NULL;

    if (name[0] < '0' || name[0] > '9' || (name[0] == '0' && name[1] != '.')) {
        return false;
    }
    errno = 0;
    *reference = strtoull(name, &end, 10);
    *kind = end;
    return errno == 0 && (strcmp(end, ".evt") == 0 || strcmp(end, ".def") == 0 ||
                          strcmp(end, ".snap") == 0);
}

static enum mpl_status add_stranger(struct mpl_sync_job *job, const char *path,
                                    struct mpl_err *err)
{
    job->n_strangers++;
    if (job->stranger == NULL || strcmp(path, job->stranger) < 0) {
        job->stranger = mpl_arena_strdup(job->scratch, path);
        return job->stranger == NULL ? mpl_nomem(err) : MPL_OK;
    }
    return MPL_OK;
}

/** The first record of an event file is a time; what begins otherwise has no sound record. */
static void look_at_begin(const char *path, struct mpl_sync_part *part)
{
    uint8_t head[MPL_CHUNK_HEADER + 9 + MPL_FILE_PAD] = { 0 };
    const struct mpl_bytes file = { head, MPL_CHUNK_HEADER + 9 };
    struct mpl_chunk chunk;
    size_t bytes = 0;
    int fd = -1;

    if (mpl_file_open(path, &fd, &bytes, NULL) != MPL_OK) {
        return;
    }
    if (pread(fd, head, file.n, 0) == (ssize_t) file.n &&
        mpl_chunk_open(file, 0, file.n, &chunk) && head[MPL_CHUNK_HEADER] == MPL_REC_TIME) {
        struct mpl_cursor cursor = { .at = head + MPL_CHUNK_HEADER + 1,
                                     .end = head + file.n,
                                     .is_big_endian = chunk.is_big_endian };

        part->has_records = true;
        part->first = mpl_cursor_u64_fixed(&cursor);
    }
    (void) close(fd);
}

static enum mpl_status add_file(struct mpl_sync_job *job, const char *name,
                                struct mpl_err *err)
{
    const char *path = mpl_arena_printf(job->scratch, "%s/%s", job->anchor.stem, name);
    const char *kind = NULL;
    uint64_t reference = 0;
    uint32_t at = MPL_NONE;
    struct stat info;

    if (path == NULL) {
        return mpl_nomem(err);
    }
    if (parse_name(name, &reference, &kind)) {
        at = mpl_map_find(job->part_of, reference);
    }
    if (at == MPL_NONE || stat(path, &info) != 0 || !S_ISREG(info.st_mode)) {
        return add_stranger(job, path, err);
    }
    if (strcmp(kind, ".snap") == 0) {
        /* If the anchor announces any, that is said once for all. */
        return job->anchor.n_overviews > 0 ? MPL_OK : add_stranger(job, path, err);
    }
    if (strcmp(kind, ".def") == 0) {
        job->parts[at].has_definitions = true;
        return MPL_OK;
    }
    job->parts[at].has_events = true;
    job->parts[at].bytes = (uint64_t) info.st_size;
    job->parts[at].changed_at = info.st_ctim;
    look_at_begin(path, &job->parts[at]);
    return MPL_OK;
}

static enum mpl_status list_files(struct mpl_sync_job *job, struct mpl_err *err)
{
    DIR *dir = opendir(job->anchor.stem);
    const struct dirent *entry;
    enum mpl_status st = MPL_OK;

    if (dir == NULL) {
        return mpl_fail(err, MPL_E_IO, "\"%s\": %s", job->anchor.stem, strerror(errno));
    }
    while (st == MPL_OK && (entry = readdir(dir)) != NULL) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            st = add_file(job, entry->d_name, err);
        }
    }
    (void) closedir(dir);
    return st;
}

static enum mpl_status add_part(struct mpl_sync_job *job,
                                const struct mpl_sync_location *location,
                                struct mpl_err *err)
{
    const uint32_t number = (uint32_t) job->n_parts;

    if (mpl_map_find(job->part_of, location->reference) != MPL_NONE) {
        return MPL_OK;
    }
    job->parts[job->n_parts++] = (struct mpl_sync_part){ .reference = location->reference,
                                                         .group = location->group,
                                                         .location = MPL_NONE,
                                                         .span = { .is_empty = true } };
    if (!mpl_map_put(job->part_of, location->reference, number)) {
        return mpl_nomem(err);
    }
    if (mpl_map_find(job->part_of_group, location->group) == MPL_NONE &&
        !mpl_map_put(job->part_of_group, location->group, number)) {
        return mpl_nomem(err);
    }
    return MPL_OK;
}

enum mpl_status mpl_sync_find_parts(struct mpl_sync_job *job,
                                    const struct mpl_sync_globals *globals,
                                    struct mpl_err *err)
{
    enum mpl_status st = MPL_OK;

    job->part_of = mpl_map_create();
    job->part_of_group = mpl_map_create();
    job->parts = MPL_NEW_ARRAY(job->scratch, globals->locations.n, struct mpl_sync_part);
    if (job->part_of == NULL || job->part_of_group == NULL || job->parts == NULL) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < globals->locations.n && st == MPL_OK; i++) {
        st = add_part(job, mpl_buf_get(&globals->locations, i), err);
    }
    return st == MPL_OK ? list_files(job, err) : st;
}
