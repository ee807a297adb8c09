#include "config.h"

#include "sync_fixture.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { HEADER = 18 };

uint64_t sync_fixed(const unsigned char *at, unsigned n, bool is_big_endian)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < n; i++) {
        value |= (uint64_t) at[i] << 8 * (is_big_endian ? n - 1 - i : i);
    }
    return value;
}

static bool has_no_length(unsigned type)
{
    switch (type) {
    case 12: /* Enter */
    case 13: /* Leave */
    case 16: /* MpiIsendComplete */
    case 17: /* MpiIrecvRequest */
    case 20: /* MpiRequestTest */
    case 21: /* MpiRequestCancelled */
    case 24: /* OmpFork */
    case 28: /* OmpTaskCreate */
    case 29: /* OmpTaskSwitch */
    case 30: /* OmpTaskComplete */
        return true;
    default:
        return false;
    }
}

unsigned sync_kept(unsigned type)
{
    if (type == 10) {
        return 2; /* a flush begins and ends */
    }
    if ((type >= 28 && type <= 30) || type == 20) {
        return 0;
    }
    return (type >= 11 && type <= 27) || (type >= 53 && type <= 58) ||
           (type >= 62 && type <= 67) || (type >= 83 && type <= 88);
}

static size_t length_of(const unsigned char *at, bool big)
{
    if (at[1] != 0xff) {
        return 2u + at[1];
    }
    return has_no_length(at[0]) ? 2 : 10 + (size_t) sync_fixed(at + 2, 8, big);
}

/** One chunk; its records are appended. Returns what is wrong. */
static const char *take_chunk(const unsigned char *at, const unsigned char *end, bool big,
                              struct sync_items *items)
{
    uint64_t before = items->n > 0 ? items->item[items->n - 1].time : 0;
    const unsigned char *lists = NULL;
    uint64_t time = 0;

    if (at < end && at[0] != 5 && at[0] != 2) {
        return "a chunk does not begin with a time";
    }
    while (at < end && at[0] != 0 && at[0] != 2) {
        const size_t n = at[0] == 5 ? 9 : length_of(at, big);

        if (n > (size_t) (end - at)) {
            return "a record leaves its chunk";
        }
        if (at[0] == 5) {
            time = sync_fixed(at + 1, 8, big);
        } else if (at[0] == 6) {
            lists = lists == NULL ? at : lists;
        } else {
            items->item[items->n++] = (struct sync_item){
                at[0], time, at, n, lists, lists == NULL ? 0 : (size_t) (at - lists)
            };
            lists = NULL;
        }
        if (time < before) {
            return "time runs backwards";
        }
        before = time;
        at += n;
    }
    return at < end ? NULL : "a chunk has no end mark";
}

struct sync_items sync_items_read(const char *path, size_t chunk_bytes,
                                  struct mpl_arena *arena)
{
    struct sync_items items = { 0 };
    size_t n;
    const unsigned char *data = fixture_load(path, &n, arena);

    /* Two bytes are the least that a record takes. */
    items.item = MPL_NEW_ARRAY(arena, n / 2 + 1, struct sync_item);
    for (size_t start = 0; start < n; start += chunk_bytes) {
        const unsigned char *at = data + start;
        const size_t end = n - start < chunk_bytes ? n : start + chunk_bytes;
        const size_t before = items.n;
        const bool big = at[1] == 0x23;

        if (n - start < HEADER || at[0] != 3 || (at[1] != 0x42 && at[1] != 0x23)) {
            items.fault = "a chunk has no header";
            return items;
        }
        items.n_chunks++;
        items.fault = take_chunk(at + HEADER, data + end, big, &items);
        if (items.fault == NULL && (sync_fixed(at + 2, 8, big) != before + 1 ||
                                    sync_fixed(at + 10, 8, big) != items.n)) {
            items.fault = "a chunk's numbers are wrong";
        }
        if (items.fault != NULL) {
            return items;
        }
    }
    if (n < HEADER + 2 || data[n - 2] != 2 || data[n - 1] != 1) {
        items.fault = "the file has no end";
    }
    return items;
}

/* ---- folders ---------------------------------------------------------------------------- */

static bool same_file(const char *a, const char *b, struct mpl_arena *arena)
{
    struct stat info;
    size_t n_a;
    size_t n_b;

    if (stat(b, &info) != 0) {
        return false;
    }

    const unsigned char *x = fixture_load(a, &n_a, arena);
    const unsigned char *y = fixture_load(b, &n_b, arena);

    return n_a == n_b && memcmp(x, y, n_a) == 0;
}

bool sync_same_tree(const char *a, const char *b, struct mpl_arena *arena)
{
    DIR *dir = opendir(a);
    const struct dirent *entry;
    bool same = dir != NULL && sync_count_names(a, "") == sync_count_names(b, "");

    while (same && (entry = readdir(dir)) != NULL) {
        const char *x = mpl_arena_printf(arena, "%s/%s", a, entry->d_name);
        const char *y = mpl_arena_printf(arena, "%s/%s", b, entry->d_name);
        struct stat info;

        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) {
            continue;
        }
        same = stat(x, &info) == 0 && (S_ISDIR(info.st_mode) ? sync_same_tree(x, y, arena)
                                                             : same_file(x, y, arena));
    }
    if (dir != NULL) {
        (void) closedir(dir);
    }
    return same;
}

unsigned sync_count_names(const char *path, const char *stem)
{
    DIR *dir = opendir(path);
    const struct dirent *entry;
    unsigned n = 0;

    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        n += strncmp(entry->d_name, stem, strlen(stem)) == 0;
    }
    if (dir != NULL) {
        (void) closedir(dir);
    }
    return n;
}
