/*
 * Local definitions of a location: mapping tables from its references to the global ones, and the
 * moments at which its clock was compared with the reference clock. On a real trace of two nodes
 * forgetting them reverses half of all messages.
 */
#include "config.h"

#include "read/otf2_priv.h"

#include <math.h>
#include <string.h>

enum { RECORD_MAPPING = 5, RECORD_CLOCK_OFFSET = 6 };

/* ---- mapping tables ---------------------------------------------------------------------- */

/* A map cannot hold MPL_NONE, so that a reference to nothing stands under a key of its own. */
static uint64_t key_of_undefined(uint32_t local)
{
    return UINT64_C(1) << 32 | local;
}

uint32_t mpl_mapping_apply(const struct mpl_mapping *mapping, uint32_t local)
{
    if (mapping->map == NULL || local == MPL_NONE) {
        return local;
    }
    const uint32_t global = mpl_map_find(mapping->map, local);
    if (global == MPL_NONE && mapping->has_undefined &&
        mpl_map_find(mapping->map, key_of_undefined(local)) != MPL_NONE) {
        return MPL_NONE;
    }
    return global != MPL_NONE ? global : local;
}

/** Events hold 32 bits of a reference, so larger ones are nobody's. False when out of memory. */
static bool put_mapping(struct mpl_mapping *mapping, uint64_t local, uint64_t global,
                        const char **damage)
{
    if (local >= MPL_NONE || (global > MPL_NONE && global != UINT64_MAX)) {
        *damage = "a mapping names what cannot be referred to";
    }
    if (local >= MPL_NONE) {
        return true;
    }
    if (global < MPL_NONE) {
        return mpl_map_put(mapping->map, local, (uint32_t) global);
    }
    mapping->has_undefined = true;
    return mpl_map_put(mapping->map, key_of_undefined((uint32_t) local), 0);
}

static struct mpl_mapping *table_of_type(struct mpl_locals *locals, uint8_t type)
{
    switch (type) {
    case MPL_MAPPING_REGION:
        return &locals->region;
    case MPL_MAPPING_COMM:
        return &locals->comm;
    case MPL_MAPPING_CONTEXT:
        return &locals->context;
    default:
        return NULL; /* kinds that no kept event refers to */
    }
}

/** False when out of memory. Field errors show in \p fields. */
static bool read_mapping(struct mpl_cursor *fields, struct mpl_locals *locals)
{
    struct mpl_mapping *mapping = table_of_type(locals, mpl_cursor_u8(fields));
    const uint64_t n = mpl_cursor_u64(fields);
    const bool is_sparse = mpl_cursor_u8(fields) != 0;

    if (mapping == NULL || fields->is_bad) {
        return true;
    }
    if (mapping->map == NULL) {
        mapping->map = mpl_map_create();
    }
    if (mapping->map == NULL) {
        return false;
    }
    for (uint64_t i = 0; i < n && !fields->is_bad; i++) {
        const uint64_t local = is_sparse ? mpl_cursor_u64(fields) : i;
        const uint64_t global = mpl_cursor_u64(fields);

        if (!fields->is_bad && !put_mapping(mapping, local, global, &locals->damage)) {
            return false;
        }
    }
    return true;
}

/* ---- clock offsets -------------------------------------------------------------------------- */

static bool read_offset(struct mpl_cursor *fields, struct mpl_locals *locals)
{
    const uint64_t time = mpl_cursor_u64_fixed(fields);
    const int64_t offset = (int64_t) mpl_cursor_u64(fields);
    const uint64_t bits = mpl_cursor_u64_fixed(fields);
    const size_t n = locals->offsets.n;
    double error;

    if (fields->is_bad) {
        return true;
    }
    memcpy(&error, &bits, sizeof error);
    if (n > 0 && time <= ((struct mpl_clock_offset *) mpl_buf_get(&locals->offsets, n - 1))
                             ->time_ticks) {
        locals->damage = "its clock offsets do not advance in time";
        return true;
    }
    /* Written so that NaN fails, too. */
    error = error > 0 && isfinite(error) ? error : 0;
    return mpl_buf_put(&locals->offsets, &(struct mpl_clock_offset){ time, offset, error });
}

/* ---- the whole -------------------------------------------------------------------------------- */

bool mpl_locals_read(struct mpl_bytes file, size_t chunk_bytes, struct mpl_locals *locals)
{
    struct mpl_def_walk walk;
    struct mpl_cursor fields;
    uint8_t type;

    mpl_def_walk_start(&walk, file, chunk_bytes);
    while (mpl_def_walk_next(&walk, &type, &fields)) {
        const bool ok = type == RECORD_MAPPING        ? read_mapping(&fields, locals)
                        : type == RECORD_CLOCK_OFFSET ? read_offset(&fields, locals)
                                                      : true;

        if (!ok) {
            return false;
        }
        if (fields.is_bad) {
            locals->damage = "a record has broken fields";
        }
    }
    if (walk.damage != NULL) {
        locals->damage = walk.damage;
    }
    return true;
}

void mpl_locals_free(struct mpl_locals *locals)
{
    mpl_map_destroy(locals->region.map);
    mpl_map_destroy(locals->comm.map);
    mpl_map_destroy(locals->context.map);
    mpl_buf_free(&locals->offsets);
}
