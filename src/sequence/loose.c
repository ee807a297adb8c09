/* Which calls chance decides about: by location, function, communicator, tag, and partner or all partners. */
#include "config.h"

#include "sequence/sequence.h"

struct mpl_loose {
    struct mpl_map *levels; /* By a hash of all that; see key_of(). */
    size_t n_changes;
    struct mpl_map *changes; /* Per location. */
};

struct mpl_loose *mpl_loose_create(struct mpl_arena *arena)
{
    struct mpl_loose *loose = MPL_NEW(arena, struct mpl_loose);

    if (loose != NULL) {
        loose->levels = mpl_map_create();
        loose->changes = mpl_map_create();
    }
    if (loose != NULL && (loose->levels == NULL || loose->changes == NULL)) {
        mpl_loose_close(loose);
        return NULL;
    }
    return loose;
}

void mpl_loose_close(struct mpl_loose *loose)
{
    if (loose != NULL) {
        mpl_map_destroy(loose->levels);
        mpl_map_destroy(loose->changes);
    }
}

/* 64 bits: among as many kinds as fit into memory two alike are not to be expected. */
static uint64_t key_of(uint32_t location, const struct mpl_symbol *s, bool has_peer)
{
    const uint64_t peers =
        has_peer ? (uint64_t) s->to << 32 | s->from : UINT64_C(0xFFFFFFFFFFFFFFFE);
    uint64_t hash = mpl_hash_mix((uint64_t) location << 32 | s->function);

    hash = mpl_hash_mix(hash ^ ((uint64_t) s->comm << 32 | s->tag));
    return mpl_hash_mix(hash ^ peers);
}

static enum mpl_looseness find(const struct mpl_loose *loose, uint64_t key)
{
    const uint32_t level = mpl_map_find(loose->levels, key);

    return level == MPL_NONE ? MPL_FIRM : (enum mpl_looseness) level;
}

enum mpl_looseness mpl_loose_get(const struct mpl_loose *loose, uint32_t location,
                                 const struct mpl_symbol *call)
{
    const enum mpl_looseness one = find(loose, key_of(location, call, true));
    const enum mpl_looseness all = find(loose, key_of(location, call, false));

    return one > all ? one : all;
}

bool mpl_loose_put(struct mpl_loose *loose, uint32_t location,
                   const struct mpl_symbol *call, bool has_peer, enum mpl_looseness level)
{
    const uint64_t key = key_of(location, call, has_peer);

    if (find(loose, key) == level) {
        return true;
    }
    loose->n_changes++;
    return mpl_map_put(loose->levels, key, level) &&
           mpl_map_put(loose->changes, location, mpl_loose_changes_of(loose, location) + 1);
}

size_t mpl_loose_changes(const struct mpl_loose *loose)
{
    return loose->n_changes;
}

uint32_t mpl_loose_changes_of(const struct mpl_loose *loose, uint32_t location)
{
    const uint32_t n = mpl_map_find(loose->changes, location);

    return n == MPL_NONE ? 0 : n;
}

void mpl_symbol_loosen(struct mpl_symbol *s, enum mpl_looseness level)
{
    if (level == MPL_LOOSE_ROOT) {
        s->root = MPL_NONE;
    }
    if (level >= MPL_LOOSE_PEER) {
        s->to = MPL_NONE;
        s->from = MPL_NONE;
        s->more = 0;
        s->sent_bytes = UINT64_MAX;
        s->received_bytes = UINT64_MAX;
    }
}
