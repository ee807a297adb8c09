/* Reading an archive: anchor and global definitions first, then the locations. */
#include "config.h"

#include "read/otf2_priv.h"

#include <stdio.h>
#include <string.h>

/** The archive while it is read. */
struct archive {
    struct mpl_anchor anchor;
    struct mpl_arena *arena; /**< Of the model. */
    struct mpl_model *model;
    struct mpl_refs refs;
};

/* ---- tracer ------------------------------------------------------------------------------ */

static bool has_region(const struct mpl_raw *raw, const char *name)
{
    for (size_t i = 0; i < raw->regions.n; i++) {
        const struct mpl_raw_region *region = mpl_buf_get(&raw->regions, i);

        if (strcmp(mpl_raw_text(raw, region->name), name) == 0) {
            return true;
        }
    }
    return false;
}

/* EZTrace leaves the creator empty; its location names and its own region give it away. */
static enum mpl_tracer find_tracer(const struct mpl_anchor *anchor,
                                   const struct mpl_raw *raw)
{
    const struct mpl_raw_location *first = mpl_buf_get(&raw->locations, 0);
    unsigned rank;
    unsigned thread;

    if (anchor->tracer != MPL_TRACER_UNKNOWN) {
        return anchor->tracer;
    }
    if (strncmp(anchor->creator, "Score-P", strlen("Score-P")) == 0) {
        return MPL_TRACER_SCOREP;
    }
    if (anchor->creator[0] == '\0' && has_region(raw, "Working") &&
        sscanf(mpl_raw_text(raw, first->name), "P#%uT#%u", &rank, &thread) == 2) {
        return MPL_TRACER_EZTRACE;
    }
    return MPL_TRACER_UNKNOWN;
}

/* ---- definitions --------------------------------------------------------------------------- */

static enum mpl_status define(struct archive *a, const struct mpl_raw *raw,
                              struct mpl_err *err)
{
    struct mpl_model *model = a->model;

    model->tracer = find_tracer(&a->anchor, raw);
    model->ticks_per_s = raw->ticks_per_s;
    model->has_common_clock = a->anchor.has_common_clock;
    if (a->anchor.thinned != NULL) {
        mpl_quality_add(model->quality, "thinned", MPL_NONE, 1,
                        "%s between operations of all processes were recorded, because "
                        "the size was limited; sums are those of what was recorded",
                        a->anchor.thinned);
    }
    if (raw->ticks_per_s == 0) {
        model->ticks_per_s = 1000000000;
        mpl_quality_add(
            model->quality, "unknown-clock-resolution", MPL_NONE, 1,
            "the archive does not say how long a clock tick is; 1 ns is assumed");
    }
    if (raw->damage != NULL) {
        mpl_quality_add(
            model->quality, "damaged-definitions", MPL_NONE,
            raw->n_lost > 0 ? raw->n_lost : 1,
            "the global definitions are damaged (%s); names and communicators may "
            "be missing",
            raw->damage);
    }
    enum mpl_status st = mpl_define_regions(raw, model, a->arena, &a->refs, err);
    st = st == MPL_OK ? mpl_define_extras(raw, &a->refs, model, a->arena, err) : st;
    st = st == MPL_OK ? mpl_define_processes(raw, model, a->arena, &a->refs, err) : st;
    return st == MPL_OK ? mpl_define_comms(raw, model, a->arena, &a->refs, err) : st;
}

static enum mpl_status read_definitions(struct archive *a, struct mpl_err *err)
{
    struct mpl_raw raw;
    enum mpl_status st = mpl_raw_read(&a->anchor, a->arena, &raw, err);

    if (st != MPL_OK) {
        return st;
    }
    st = define(a, &raw, err);
    mpl_raw_free(&raw);
    return st;
}

/* ---- the whole ------------------------------------------------------------------------------ */

static enum mpl_status read_all(struct archive *a, const struct mpl_progress *progress,
                                struct mpl_err *err)
{
    a->model->quality = mpl_quality_create(a->arena);
    if (a->model->quality == NULL || !mpl_refs_create(&a->refs)) {
        return mpl_nomem(err);
    }
    enum mpl_status st = mpl_anchor_read(a->anchor.path, a->arena, &a->anchor, err);
    st = st == MPL_OK ? read_definitions(a, err) : st;
    if (st == MPL_OK) {
        st = mpl_read_locations(&a->anchor, &a->refs, a->arena, a->model, progress, err);
    }
    return st;
}

enum mpl_status mpl_read_otf2(const char *anchor, struct mpl_arena *arena,
                              const struct mpl_progress *progress, struct mpl_model **out,
                              struct mpl_err *err)
{
    struct archive a = { .anchor = { .path = anchor },
                         .arena = arena,
                         .model = MPL_NEW(arena, struct mpl_model) };
    const enum mpl_status st =
        a.model == NULL ? mpl_nomem(err) : read_all(&a, progress, err);

    mpl_refs_free(&a.refs);
    if (st == MPL_OK) {
        a.model->path = anchor;
        *out = a.model;
    }
    return st;
}
