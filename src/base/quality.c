#include "config.h"

#include "base/base_priv.h"

#include <string.h>

struct note {
    struct mpl_quality_note
        seen;            /* First, so that a note and its public part are one address. */
    uint32_t *locations; /* Where seen.locations points. */
    uint32_t room;
    struct note *next;
};

struct mpl_quality {
    struct mpl_arena *arena; /* Borrowed. */
    struct note *first;
    struct note *last;
    size_t n;
    /* Made beforehand: when memory runs out, at least that can be reported. */
    struct note lost;
};

struct mpl_quality *mpl_quality_create(struct mpl_arena *arena)
{
    struct mpl_quality *quality = MPL_NEW(arena, struct mpl_quality);

    if (quality != NULL) {
        quality->arena = arena;
        quality->lost.seen.note = "lost-notes";
        quality->lost.seen.text = "Memory ran out while quality notes were taken; "
                                  "there are more than are listed.";
    }
    return quality;
}

static struct note *find_note(const struct mpl_quality *quality, const char *name)
{
    for (struct note *note = quality->first; note != NULL; note = note->next) {
        if (strcmp(note->seen.note, name) == 0) {
            return note;
        }
    }
    return NULL;
}

static void append_note(struct mpl_quality *quality, struct note *note)
{
    if (quality->last == NULL) {
        quality->first = note;
    } else {
        quality->last->next = note;
    }
    quality->last = note;
    quality->n++;
}

/* A new note of that name; NULL when out of memory. */
static struct note *create_note(struct mpl_quality *quality, const char *name,
                                const char *fmt, va_list args)
{
    struct note *note = MPL_NEW(quality->arena, struct note);

    if (note == NULL) {
        return NULL;
    }
    note->seen.note = mpl_arena_strdup(quality->arena, name);
    note->seen.text =
        fmt == NULL ? note->seen.note : mpl_arena_vprintf(quality->arena, fmt, args);
    return note->seen.note == NULL || note->seen.text == NULL ? NULL : note;
}

static bool make_room(struct mpl_arena *arena, struct note *note)
{
    if (note->seen.n_locations < note->room) {
        return true;
    }

    const uint32_t room = note->room == 0 ? 8 : note->room * 2;
    uint32_t *locations = MPL_NEW_ARRAY(arena, room, uint32_t);

    if (locations == NULL) {
        return false;
    }
    if (note->seen.n_locations > 0) {
        memcpy(locations, note->locations, note->seen.n_locations * sizeof *locations);
    }
    note->locations = locations;
    note->seen.locations = locations;
    note->room = room;
    return true;
}

/* Keeps the locations ascending and each there once. Out of memory loses this one. */
static void add_location(struct mpl_arena *arena, struct note *note, uint32_t location)
{
    uint32_t low = 0;
    uint32_t high = note->seen.n_locations;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (note->locations[middle] < location) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low < note->seen.n_locations && note->locations[low] == location) {
        return;
    }
    if (!make_room(arena, note)) {
        return;
    }
    memmove(&note->locations[low + 1], &note->locations[low],
            (note->seen.n_locations - low) * sizeof *note->locations);
    note->locations[low] = location;
    note->seen.n_locations++;
}

void mpl_quality_add(struct mpl_quality *quality, const char *name, uint32_t location,
                     uint64_t count, const char *fmt, ...)
{
    struct note *note = find_note(quality, name);

    if (note == NULL) {
        va_list args;

        va_start(args, fmt);
        note = create_note(quality, name, fmt, args);
        va_end(args);
        if (note != NULL) {
            append_note(quality, note);
        } else {
            note = &quality->lost;
            if (note->seen.count == 0) {
                append_note(quality, note);
            }
            /* Also an occurrence of 0 events is a note that was lost. */
            count = count == 0 ? 1 : count;
        }
    }
    note->seen.count += count;
    if (location != MPL_NONE) {
        add_location(quality->arena, note, location);
    }
}

void mpl_quality_add_some(struct mpl_quality *quality, const char *name, uint32_t location,
                          uint64_t count, const char *text)
{
    if (count > 0) {
        mpl_quality_add(quality, name, location, count, "%s", text);
    }
}

size_t mpl_quality_count(const struct mpl_quality *quality)
{
    return quality->n;
}

const struct mpl_quality_note *mpl_quality_get(const struct mpl_quality *quality, size_t i)
{
    mpl_assert(i < quality->n);

    const struct note *note = quality->first;

    for (; i > 0; i--) {
        note = note->next;
    }
    return &note->seen;
}

const struct mpl_quality_note *mpl_quality_find(const struct mpl_quality *quality,
                                                const char *name)
{
    const struct note *note = find_note(quality, name);

    return note == NULL ? NULL : &note->seen;
}
