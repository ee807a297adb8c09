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

/* ---- the parts of the archive ---------------------------------------------------------------- */

struct writing {
    const struct mpl_model *model;
    const struct mpl_write_teams *teams;
    struct mpl_arena *scratch;
};

static OTF2_ErrorCode set_properties(void *context, OTF2_Archive *archive)
{
    const struct writing *w = context;
    const struct mpl_model *model = w->model;
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

static OTF2_ErrorCode write_clock(void *context, uint32_t location, OTF2_DefWriter *writer)
{
    const struct writing *w = context;
    const struct mpl_clock_offset *offsets = w->model->offsets[location];
    OTF2_ErrorCode code = OTF2_SUCCESS;

    for (uint32_t i = 0; i < w->model->n_offsets[location] && code == OTF2_SUCCESS; i++) {
        code = OTF2_DefWriter_WriteClockOffset(writer, offsets[i].time_ticks,
                                               offsets[i].offset_ticks, 0.0);
    }
    return code;
}

static void write_events(void *context, uint32_t location, struct mpl_record_writer *writer)
{
    const struct writing *w = context;

    mpl_write_events(writer, w->model, w->teams, &w->model->locations[location]);
}

static OTF2_ErrorCode define(void *context, OTF2_GlobalDefWriter *writer)
{
    const struct writing *w = context;

    return mpl_write_definitions(writer, w->model, w->teams, w->scratch);
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

static enum mpl_status fill(void *context, const char *path, struct mpl_err *err)
{
    struct writing *w = context;
    const uint32_t n = w->model->n_locations;
    uint64_t *references = MPL_NEW_ARRAY(w->scratch, n, uint64_t);
    const struct mpl_otf2_parts parts = { .context = w,
                                          .locations = references,
                                          .n_locations = n,
                                          .properties = set_properties,
                                          .clock = write_clock,
                                          .events = write_events,
                                          .definitions = define };
    struct mpl_write_teams *teams =
        references == NULL ? NULL : mpl_write_teams_create(w->model, w->scratch);

    if (teams == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t l = 0; l < n; l++) {
        references[l] = mpl_write_location_ref(w->model, l);
    }
    w->teams = teams;
    const enum mpl_status st = mpl_otf2_write(path, &parts, w->scratch, err);
    mpl_write_teams_close(teams);
    return st == MPL_OK ? check_definitions(path, w->scratch, err) : st;
}

enum mpl_status mpl_write_otf2(const struct mpl_model *model, const char *directory,
                               bool force, struct mpl_err *err)
{
    struct writing w = { .model = model, .scratch = mpl_arena_create() };
    enum mpl_status st = w.scratch == NULL
                             ? mpl_nomem(err)
                             : mpl_dir_check_target(directory, force, w.scratch, err);

    st = st == MPL_OK ? mpl_dir_write(directory, fill, &w, w.scratch, err) : st;
    mpl_arena_destroy(w.scratch);
    return st == MPL_OK ? st : mpl_wrap(err, st, "cannot write archive \"%s\"", directory);
}
