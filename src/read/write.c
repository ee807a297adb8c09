/*
 * Writing a model as an archive; the definitions with libotf2. It does not report every failed
 * write, so what it has written is read once before the archive is put in its place.
 */
#include "config.h"

#include "read/libotf2.h"
#include "read/otf2_priv.h"
#include "read/write_priv.h"

#include <inttypes.h>
#include <string.h>

/* ---- files of locations --------------------------------------------------------------------- */

struct writing {
    const struct mpl_model *model;
    const struct mpl_write_teams *teams;
    struct mpl_arena *scratch;
};

static enum mpl_status write_events(void *context, const char *directory,
                                    struct mpl_err *err)
{
    const struct writing *w = context;
    struct mpl_room room = { 0 };
    enum mpl_status st = MPL_OK;

    for (uint32_t l = 0; l < w->model->n_locations && st == MPL_OK; l++) {
        struct mpl_record_writer writer;

        mpl_record_writer_open(&writer,
                               mpl_otf2_events_path(directory,
                                                    mpl_write_location_ref(w->model, l),
                                                    w->scratch),
                               MPL_OTF2_EVENT_CHUNK, &room, err);
        mpl_write_events(&writer, w->model, w->teams, &w->model->locations[l]);
        st = mpl_record_writer_close(&writer);
    }
    mpl_room_free(&room);
    return st;
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

static OTF2_ErrorCode begin(void *context, OTF2_Archive *archive)
{
    const struct writing *w = context;
    const OTF2_ErrorCode code = set_properties(archive, w->model);

    return code == OTF2_SUCCESS ? write_all_locals(archive, w->model) : code;
}

static OTF2_ErrorCode define(void *context, OTF2_Archive *archive)
{
    const struct writing *w = context;

    return mpl_write_definitions(archive, w->model, w->teams, w->scratch);
}

/* ---- looking at the definitions -------------------------------------------------------------------- */

static enum mpl_status check_definitions(const char *directory, struct mpl_arena *scratch,
                                         struct mpl_err *err)
{
    const char *path = mpl_arena_printf(scratch, "%s/trace.otf2", directory);
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

/* ---- the whole -------------------------------------------------------------------------------------- */

static enum mpl_status write_and_place(const struct mpl_model *model, const char *directory,
                                       bool force, struct mpl_arena *scratch,
                                       struct mpl_err *err)
{
    static const struct mpl_otf2_parts parts = { begin, write_events, define };
    const char *part = NULL;
    struct mpl_write_teams *teams;
    enum mpl_status st = mpl_dir_check_target(directory, force, scratch, err);

    st = st == MPL_OK ? mpl_dir_make_sibling(directory, scratch, &part, err) : st;
    if (st != MPL_OK) {
        return st;
    }
    teams = mpl_write_teams_create(model, scratch);
    if (teams == NULL) {
        st = mpl_nomem(err);
    } else {
        st = mpl_otf2_write(part, &parts, &(struct writing){ model, teams, scratch }, err);
        mpl_write_teams_close(teams);
    }
    st = st == MPL_OK ? check_definitions(part, scratch, err) : st;
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
