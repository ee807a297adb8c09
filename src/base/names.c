#include "config.h"

#include "base/base_priv.h"

#include <stdlib.h>
#include <string.h>

struct name {
    size_t offset; /* Of its first byte in texts. */
    uint64_t hash; /* Kept, so that growing reads no text again. */
};

struct mpl_names {
    char *texts; /* All texts, each with its NUL. */
    size_t n_bytes;
    size_t room_bytes;
    struct mpl_buf names; /* struct name, by number */
    uint32_t *slots;      /* Numbers, MPL_NONE where free; at most half are taken. */
    size_t n_slots;       /* A power of two, or 0. */
};

enum { FIRST_SLOTS = 16, FIRST_BYTES = 256 };

struct mpl_names *mpl_names_create(void)
{
    struct mpl_names *names = mpl_heap_zeroed(1, sizeof *names);

    if (names != NULL) {
        names->names = mpl_buf_make(sizeof(struct name));
    }
    return names;
}

void mpl_names_destroy(struct mpl_names *names)
{
    if (names == NULL) {
        return;
    }
    mpl_buf_free(&names->names);
    free(names->texts);
    free(names->slots);
    free(names);
}

static const struct name *name_of(const struct mpl_names *names, uint32_t number)
{
    return mpl_buf_get(&names->names, number);
}

/* The slot that holds \p text, or the free one where it belongs. */
static size_t slot_of(const struct mpl_names *names, const char *text, uint64_t hash)
{
    size_t i = (size_t) hash & (names->n_slots - 1);

    while (names->slots[i] != MPL_NONE) {
        const struct name *name = name_of(names, names->slots[i]);

        if (name->hash == hash && strcmp(names->texts + name->offset, text) == 0) {
            break;
        }
        i = (i + 1) & (names->n_slots - 1);
    }
    return i;
}

static bool grow_slots(struct mpl_names *names)
{
    const size_t n_slots = names->n_slots == 0 ? FIRST_SLOTS : names->n_slots * 2;
    uint32_t *slots = mpl_heap_resize(NULL, n_slots, sizeof *slots);

    if (slots == NULL) {
        return false;
    }
    memset(slots, 0xFF, n_slots * sizeof *slots); /* MPL_NONE everywhere */
    for (size_t number = 0; number < names->names.n; number++) {
        size_t i = (size_t) name_of(names, (uint32_t) number)->hash & (n_slots - 1);

        while (slots[i] != MPL_NONE) {
            i = (i + 1) & (n_slots - 1);
        }
        slots[i] = (uint32_t) number;
    }
    free(names->slots);
    names->slots = slots;
    names->n_slots = n_slots;
    return true;
}

static bool grow_texts(struct mpl_names *names, size_t bytes)
{
    size_t room = names->room_bytes == 0 ? FIRST_BYTES : names->room_bytes;

    while (room - names->n_bytes < bytes) {
        if (room > SIZE_MAX / 2) {
            return false;
        }
        room *= 2;
    }
    if (room == names->room_bytes) {
        return true;
    }

    char *texts = mpl_heap_resize(names->texts, room, 1);

    if (texts == NULL) {
        return false;
    }
    names->texts = texts;
    names->room_bytes = room;
    return true;
}

uint32_t mpl_names_find(const struct mpl_names *names, const char *text)
{
    if (names->n_slots == 0) {
        return MPL_NONE;
    }
    return names->slots[slot_of(names, text, mpl_hash_bytes(text, strlen(text), 0))];
}

uint32_t mpl_names_put(struct mpl_names *names, const char *text)
{
    const size_t bytes = strlen(text) + 1;
    const uint64_t hash = mpl_hash_bytes(text, bytes - 1, 0);

    if (names->n_slots > 0) {
        const uint32_t number = names->slots[slot_of(names, text, hash)];

        if (number != MPL_NONE) {
            return number;
        }
    }
    if (names->names.n >= MPL_NONE || !grow_texts(names, bytes)) {
        return MPL_NONE;
    }
    if ((names->names.n + 1) * 2 > names->n_slots && !grow_slots(names)) {
        return MPL_NONE;
    }

    const uint32_t number = (uint32_t) names->names.n;
    const size_t slot = slot_of(names, text, hash);
    struct name *name = mpl_buf_add(&names->names);

    if (name == NULL) {
        return MPL_NONE;
    }
    name->offset = names->n_bytes;
    name->hash = hash;
    memcpy(names->texts + names->n_bytes, text, bytes);
    names->n_bytes += bytes;
    names->slots[slot] = number;
    return number;
}

const char *mpl_names_text(const struct mpl_names *names, uint32_t number)
{
    return names->texts + name_of(names, number)->offset;
}

size_t mpl_names_count(const struct mpl_names *names)
{
    return names->names.n;
}
