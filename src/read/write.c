/*
 * Writing a model as an archive, with libotf2. The library does not report every failed write,
 * so what it has written is walked through once before it is put in its place.
 */
#include "config.h"

#include "read/libotf2.h"
#include "read/otf2_priv.h"
#include "read/write_priv.h"

#include <inttypes.h>
#include <string.h>

static const char archive_name[] = "trace";

/* ---- files of locations --------------------------------------------------------------------- */

static OTF2_ErrorCode write_all_events(OTF2_Archive *archive, const struct mpl_model *model,
                                       const struct mpl_write_teams *teams)
{
    OTF2_ErrorCode code = OTF2_Archive_OpenEvtFiles(archive);

    for (uint32_t l = 0; l < model->n_locations && code == OTF2_SUCCESS; l++) {
        OTF2_EvtWriter *writer =
            OTF2_Archive_GetEvtWriter(archive, mpl_write_location_ref(model, l));

        if (writer == NULL) {
            return OTF2_ERROR_MEM_FAULT;
        }
        code = mpl_ends_are_asked_for()
                   ? OTF2_ERROR_INTERRUPTED_BY_CALLBACK
                   : mpl_write_events(writer, model, teams, &model->locations[l]);
        const OTF2_ErrorCode closed = OTF2_Archive_CloseEvtWriter(archive, writer);
        code = code != OTF2_SUCCESS ? code : closed;
    }
    return code == OTF2_SUCCESS ? OTF2_Archive_CloseEvtFiles(archive) : code;
}

static OTF2_ErrorCode write_locals(OTF2_Archive *archive, const struct mpl_model *model,
                                   uint32_t l)
{
    OTF2_DefWriter *writer =
        OTF2_Archive_GetDefWriter(archive, mpl_write_location_ref(model, l));
    OTF2_ErrorCode code = OTF2_SUCCESS;

    if (writer == NULL) {
        return OTF2_ERROR_MEM_FAULT;
    }
    for (uint32_t i = 0; i < model->n_offsets[l] && code == OTF2_SUCCESS; i++) {
        code = OTF2_DefWriter_WriteClockOffset(writer, model->offsets[l][i].time_ticks,
                                               model->offsets[l][i].offset_ticks, 0.0);
    }
    const OTF2_ErrorCode closed = OTF2_Archive_CloseDefWriter(archive, writer);
    return code != OTF2_SUCCESS ? code : closed;
}

static OTF2_ErrorCode write_all_locals(OTF2_Archive *archive, const struct mpl_model *model)
{
    OTF2_ErrorCode code = OTF2_Archive_OpenDefFiles(archive);

    for (uint32_t l = 0; l < model->n_locations && code == OTF2_SUCCESS; l++) {
        code = write_locals(archive, model, l);
    }
    return code == OTF2_SUCCESS ? OTF2_Archive_CloseDefFiles(archive) : code;
}

/* ---- the archive ----------------------------------------------------------------------------- */

static OTF2_ErrorCode set_properties(OTF2_Archive *archive, const struct mpl_model *model)
{
    static const char *const tracers[] = { "unknown", "eztrace", "scorep", "text",
                                           "marple" };
    OTF2_ErrorCode code = OTF2_Archive_SetCreator(archive, "marple");

    if (code == OTF2_SUCCESS) {
        code = OTF2_Archive_SetProperty(archive, "MARPLE::TRACER", tracers[model->tracer],
                                        true);
    }
    if (code == OTF2_SUCCESS) {
        code = OTF2_Archive_SetProperty(archive, "MARPLE::COMMON_CLOCK",
                                        model->has_common_clock ? "true" : "false", true);
    }
    return code;
}

static OTF2_ErrorCode fill_archive(OTF2_Archive *archive, const struct mpl_model *model,
                                   const struct mpl_write_teams *teams,
                                   struct mpl_arena *scratch)
{
    static const OTF2_FlushCallbacks flush = { .otf2_pre_flush = mpl_otf2_flush_always,
                                               .otf2_post_flush = NULL };
    OTF2_ErrorCode code = OTF2_Archive_SetSerialCollectiveCallbacks(archive);

    if (code == OTF2_SUCCESS) {
        code = OTF2_Archive_SetFlushCallbacks(archive, &flush, NULL);
    }
    code = code == OTF2_SUCCESS ? set_properties(archive, model) : code;
    code = code == OTF2_SUCCESS ? write_all_events(archive, model, teams) : code;
    code = code == OTF2_SUCCESS ? write_all_locals(archive, model) : code;
    return code == OTF2_SUCCESS ? mpl_write_definitions(archive, model, teams, scratch)
                                : code;
}

static enum mpl_status write_archive(const struct mpl_model *model, const char *directory,
                                     struct mpl_arena *scratch, struct mpl_err *err)
{
    struct mpl_otf2_reason reason;
    struct mpl_write_teams *teams = mpl_write_teams_create(model, scratch);
    OTF2_ErrorCode code = OTF2_ERROR_MEM_FAULT;
    OTF2_ErrorCode closed = OTF2_SUCCESS;
    OTF2_Archive *archive = NULL;

    mpl_otf2_listen(&reason);
    /* An archive that is open must be filled: libotf2 aborts when it is closed before it knows
     * how to communicate. */
    if (teams != NULL) {
        code = OTF2_ERROR_FILE_CAN_NOT_OPEN;
        archive = OTF2_Archive_Open(directory, archive_name, OTF2_FILEMODE_WRITE,
                                    MPL_OTF2_EVENT_CHUNK, MPL_OTF2_DEF_CHUNK,
                                    OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    }
    if (archive != NULL) {
        code = fill_archive(archive, model, teams, scratch);
        closed = OTF2_Archive_Close(archive);
    }
    if (teams != NULL) {
        mpl_write_teams_close(teams);
    }
    code = code != OTF2_SUCCESS ? code : closed;
    mpl_otf2_listen_no_more(&reason);
    return code == OTF2_SUCCESS ? MPL_OK : mpl_otf2_cannot_write(&reason, code, err);
}

/* ---- looking at the result ------------------------------------------------------------------------ */

static enum mpl_status check_events(const struct mpl_model *model, uint32_t l,
                                    const char *directory, struct mpl_room *room,
                                    struct mpl_arena *scratch, struct mpl_err *err)
{
    const char *path = mpl_arena_printf(scratch, "%s/%s/%" PRIu64 ".evt", directory,
                                        archive_name, mpl_write_location_ref(model, l));
    struct mpl_bytes file;
    struct mpl_scan scan;

    const enum mpl_status st =
        path == NULL ? mpl_nomem(err) : mpl_bytes_load(path, room, &file, err);
    if (st != MPL_OK) {
        return st == MPL_END ? mpl_fail(err, MPL_E_IO, "\"%s\" was not written", path) : st;
    }
    mpl_scan_events(file, MPL_OTF2_EVENT_CHUNK, &scan);
    if (scan.note != NULL || scan.n_events != model->locations[l].n_events) {
        return mpl_fail(err, MPL_E_IO, "\"%s\" is not complete%s%s", path,
                        scan.damage != NULL ? ": " : "",
                        scan.damage != NULL ? scan.damage : "");
    }
    return MPL_OK;
}

static enum mpl_status check_definitions(const char *directory, struct mpl_arena *scratch,
                                         struct mpl_err *err)
{
    const char *path = mpl_arena_printf(scratch, "%s/%s.otf2", directory, archive_name);
    struct mpl_anchor anchor;
    struct mpl_raw raw;

    enum mpl_status st =
        path == NULL ? mpl_nomem(err) : mpl_anchor_read(path, scratch, &anchor, err);
    st = st == MPL_OK ? mpl_raw_read(&anchor, scratch, &raw, err) : st;
    if (st != MPL_OK) {
        return st;
    }
    if (raw.damage != NULL) {
        st = mpl_fail(err, MPL_E_IO, "the definitions are not complete: %s", raw.damage);
    }
    mpl_raw_free(&raw);
    return st;
}

static enum mpl_status check_archive(const struct mpl_model *model, const char *directory,
                                     struct mpl_arena *scratch, struct mpl_err *err)
{
    struct mpl_room room = { 0 };
    enum mpl_status st = check_definitions(directory, scratch, err);

    for (uint32_t l = 0; l < model->n_locations && st == MPL_OK; l++) {
        st = check_events(model, l, directory, &room, scratch, err);
    }
    mpl_room_free(&room);
    return st;
}

/* ---- the whole -------------------------------------------------------------------------------------- */

static enum mpl_status write_and_place(const struct mpl_model *model, const char *directory,
                                       bool force, struct mpl_arena *scratch,
                                       struct mpl_err *err)
{
    const char *part = NULL;
    enum mpl_status st = mpl_dir_check_target(directory, force, scratch, err);

    st = st == MPL_OK ? mpl_dir_make_sibling(directory, scratch, &part, err) : st;
    if (st != MPL_OK) {
        return st;
    }
    st = write_archive(model, part, scratch, err);
    st = st == MPL_OK ? check_archive(model, part, scratch, err) : st;
    st = st == MPL_OK ? mpl_dir_replace(part, directory, scratch, err) : st;
    if (st != MPL_OK) {
        mpl_dir_remove(part, scratch);
    }
    return st;
}

enum mpl_status mpl_write_otf2(const struct mpl_model *model, const char *directory,
                               bool force, struct mpl_err *err)
{
    struct mpl_arena *scratch = mpl_arena_create();
    enum mpl_status st = scratch == NULL
                             ? mpl_nomem(err)
                             : write_and_place(model, directory, force, scratch, err);

    mpl_arena_destroy(scratch);
    return st == MPL_OK ? st : mpl_wrap(err, st, "cannot write archive \"%s\"", directory);
}
