/* What the tests of the copier share: event files taken apart, independently of the program. */
#ifndef TESTS_UNIT_SYNC_FIXTURE_H
#define TESTS_UNIT_SYNC_FIXTURE_H

#include "read_fixture.h"

#include "sync/sync.h"

/** A record of an event file. */
struct sync_item {
    unsigned type;
    uint64_t time;
    const unsigned char *record; /**< Type, length and fields. */
    size_t n;
    const unsigned char *lists; /**< Attribute lists in front. */
    size_t n_lists;
};

struct sync_items {
    struct sync_item *item;
    size_t n;
    size_t n_chunks;
    const char *fault; /**< What is wrong with chunks, numbers or order; NULL if nothing. */
};

/** Takes an event file apart. Chunks are of \p chunk_bytes; both byte orders. */
struct sync_items sync_items_read(const char *path, size_t chunk_bytes,
                                  struct mpl_arena *arena);

/** Events that the model keeps of a record: 0, 1 or 2. Written down anew, from the contract. */
unsigned sync_kept(unsigned type);

/** A fixed number from the bytes of a record. */
uint64_t sync_fixed(const unsigned char *at, unsigned n, bool is_big_endian);

/** Whether both folders hold the same files with the same bytes. */
bool sync_same_tree(const char *a, const char *b, struct mpl_arena *arena);
/** Names below \p path that begin with \p stem. */
unsigned sync_count_names(const char *path, const char *stem);

#endif
