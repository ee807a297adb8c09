#include "config.h"

#include "spool/spool_priv.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* More processes are none that anybody runs: a damaged file. */
enum { MOST_PROCESSES = 1 << 22 };

/* ---- files ----------------------------------------------------------------------------- */

static bool is_spool_name(const char *name)
{
    const size_t n = strlen(name);
    const size_t n_suffix = strlen(MPL_SPOOL_SUFFIX);

    return n > n_suffix && strcmp(name + n - n_suffix, MPL_SPOOL_SUFFIX) == 0;
}

bool mpl_spools_exist(const char *spools)
{
    DIR *folder = opendir(spools);
    bool is_there = false;

    if (folder == NULL) {
        return false;
    }
    for (const struct dirent *entry; !is_there && (entry = readdir(folder)) != NULL;) {
        is_there = is_spool_name(entry->d_name);
    }
    (void) closedir(folder);
    return is_there;
}

/* Whether the head is that of a library like ours, and whole. */
static enum mpl_status check_head(const struct spool *spool, struct mpl_err *err)
{
    const struct mpl_spool_head *head = spool->head;

    if (head->magic != MPL_SPOOL_MAGIC || head->chunk_bytes != MPL_SPOOL_CHUNK ||
        head->size == 0 || head->size > MOST_PROCESSES || head->rank >= head->size ||
        head->n_ties > MPL_SPOOL_TIES ||
        memchr(head->host, '\0', sizeof head->host) == NULL ||
        memchr(head->clock, '\0', sizeof head->clock) == NULL) {
        return mpl_fail(err, MPL_E_MEANING, "\"%s\" is no spool", spool->path);
    }
    if (head->n_calls != MPL_CALLS) {
        return mpl_fail(err, MPL_E_UNSUPPORTED,
                        "\"%s\" was written by another version of the tracer", spool->path);
    }
    return MPL_OK;
}

static int by_thread_and_number(const void *a, const void *b)
{
    const struct chunk *x = a;
    const struct chunk *y = b;

    if (x->thread != y->thread) {
        return x->thread < y->thread ? -1 : 1;
    }
    if (x->number != y->number) {
        return x->number < y->number ? -1 : 1;
    }
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Each thread has a chunk at least; a higher number of one is that of a damaged chunk. */
static bool list_chunks(struct spool *spool, struct mpl_arena *arena)
{
    const size_t most = (spool->n_bytes - MPL_SPOOL_HEAD) / MPL_SPOOL_CHUNK;
    struct chunk *chunks = MPL_NEW_ARRAY(arena, most, struct chunk);
    size_t n = 0;

    spool->chunks = chunks;
    spool->n_threads = 1;
    for (size_t i = 0; chunks != NULL && i < most; i++) {
        const size_t offset = MPL_SPOOL_HEAD + i * MPL_SPOOL_CHUNK;
        const struct mpl_spool_chunk *chunk =
            (const struct mpl_spool_chunk *) (spool->bytes + offset);

        if (chunk->thread > 0 && chunk->thread <= most) {
            const uint32_t thread = (uint32_t) chunk->thread - 1;

            chunks[n++] = (struct chunk){ thread, chunk->number, offset };
            spool->n_threads = thread >= spool->n_threads ? thread + 1 : spool->n_threads;
        }
    }
    if (n > 1) {
        qsort(chunks, n, sizeof *chunks, by_thread_and_number);
    }
    for (size_t i = 0; i < n; i++) {
        const struct chunk *last =
            spool->n_chunks > 0 ? &chunks[spool->n_chunks - 1] : NULL;

        if (last == NULL || last->thread != chunks[i].thread ||
            last->number != chunks[i].number) {
            chunks[spool->n_chunks++] = chunks[i];
        }
    }
    return chunks != NULL;
}

static enum mpl_status map(struct spool *spool, struct mpl_arena *arena,
                           struct mpl_err *err)
{
    int fd = -1;
    enum mpl_status st = mpl_file_open(spool->path, &fd, &spool->n_bytes, err);

    if (st != MPL_OK) {
        return st == MPL_END ? mpl_fail(err, MPL_E_IO, "\"%s\" is gone", spool->path) : st;
    }
    if (spool->n_bytes < MPL_SPOOL_HEAD) {
        (void) close(fd);
        return mpl_fail(err, MPL_E_MEANING, "\"%s\" is no spool", spool->path);
    }
    void *bytes = mmap(NULL, spool->n_bytes, PROT_READ, MAP_PRIVATE, fd, 0);
    (void) close(fd);
    if (bytes == MAP_FAILED) {
        return mpl_nomem(err);
    }
    spool->bytes = bytes;
    spool->head = bytes;
    st = check_head(spool, err);
    return st != MPL_OK || list_chunks(spool, arena) ? st : mpl_nomem(err);
}

static int by_rank(const void *a, const void *b)
{
    const uint32_t x = ((const struct spool *) a)->head->rank;
    const uint32_t y = ((const struct spool *) b)->head->rank;

    return x < y ? -1 : x > y;
}

/* All of one run: a rank more than once, or worlds of different sizes, are several programs. */
static enum mpl_status check_run(struct spools *spools, const char *directory,
                                 struct mpl_err *err)
{
    qsort(spools->all, spools->n, sizeof *spools->all, by_rank);
    spools->n_processes = spools->all[0].head->size;
    for (uint32_t i = 1; i < spools->n; i++) {
        if (spools->all[i].head->rank == spools->all[i - 1].head->rank ||
            spools->all[i].head->size != spools->n_processes) {
            return mpl_fail(
                err, MPL_E_MEANING,
                "\"%s\" holds spools of several programs; trace one program at a time",
                directory);
        }
    }
    return MPL_OK;
}

static enum mpl_status list(const char *directory, struct mpl_arena *arena,
                            struct mpl_buf *found, struct mpl_err *err)
{
    DIR *folder = opendir(directory);
    enum mpl_status st = MPL_OK;

    if (folder == NULL) {
        return MPL_OK;
    }
    for (const struct dirent *entry; st == MPL_OK && (entry = readdir(folder)) != NULL;) {
        if (is_spool_name(entry->d_name)) {
            const struct spool spool = { .path = mpl_arena_printf(arena, "%s/%s", directory,
                                                                  entry->d_name) };

            st = spool.path != NULL && mpl_buf_put(found, &spool) ? MPL_OK : mpl_nomem(err);
        }
    }
    (void) closedir(folder);
    return st;
}

enum mpl_status mpl_spools_open(const char *directory, struct mpl_arena *arena,
                                struct spools *out, struct mpl_err *err)
{
    struct mpl_buf found = mpl_buf_make(sizeof(struct spool));
    enum mpl_status st = list(directory, arena, &found, err);

    if (st == MPL_OK && found.n == 0) {
        st = mpl_fail(err, MPL_E_MEANING, "there is no spool in \"%s\"", directory);
    }
    if (st == MPL_OK) {
        out->n = (uint32_t) found.n;
        out->all = mpl_buf_take(&found, arena);
        st = out->all != NULL ? MPL_OK : mpl_nomem(err);
    }
    mpl_buf_free(&found);
    out->n = st == MPL_OK ? out->n : 0;
    for (uint32_t i = 0; i < out->n && st == MPL_OK; i++) {
        st = map(&out->all[i], arena, err);
    }
    st = st == MPL_OK ? check_run(out, directory, err) : st;
    return st != MPL_OK || mpl_ticks_find(out, arena) ? st : mpl_nomem(err);
}

void mpl_spools_close(struct spools *spools)
{
    for (uint32_t i = 0; i < spools->n; i++) {
        if (spools->all[i].bytes != NULL) {
            (void) munmap((void *) spools->all[i].bytes, spools->all[i].n_bytes);
        }
    }
}

const struct spool *mpl_spools_find(const struct spools *spools, uint32_t rank)
{
    uint32_t low = 0;
    uint32_t high = spools->n;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (spools->all[middle].head->rank == rank) {
            return &spools->all[middle];
        }
        if (spools->all[middle].head->rank < rank) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}

/* ---- records ------------------------------------------------------------------------------- */

struct walk mpl_walk_start(const struct spool *spool, uint32_t thread)
{
    size_t low = 0;
    size_t high = spool->n_chunks;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (spool->chunks[middle].thread < thread) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return (struct walk){ .spool = spool, .thread = thread, .chunk = low };
}

static bool next_chunk(struct walk *walk)
{
    const struct spool *spool = walk->spool;

    if (walk->chunk == spool->n_chunks ||
        spool->chunks[walk->chunk].thread != walk->thread) {
        return false;
    }
    const uint8_t *bytes = spool->bytes + spool->chunks[walk->chunk].offset;
    walk->chunk++;
    walk->at = (const uint64_t *) (bytes + sizeof(struct mpl_spool_chunk));
    walk->end = (const uint64_t *) (bytes + MPL_SPOOL_CHUNK);
    return true;
}

bool mpl_walk_next(struct walk *walk, struct record *record)
{
    while (walk->at != NULL || next_chunk(walk)) {
        const uint64_t first = walk->at < walk->end ? *walk->at : 0;
        const unsigned n = (unsigned) (first >> 8 & 0xff);

        if (first == 0 || n < 2 || walk->end - walk->at < (ptrdiff_t) n) {
            walk->at = NULL;
            continue;
        }
        record->kind = (uint8_t) first;
        record->small = (uint16_t) (first >> 16);
        record->large = (uint32_t) (first >> 32);
        record->time_ns = mpl_ticks_to_ns(walk->spool, walk->at[1], &walk->tie);
        record->words = walk->at;
        record->n_words = n;
        walk->at += n;
        return true;
    }
    return false;
}

/* "key=value"; a text that was cut may lack its end. */
bool mpl_property_next(struct walk *walk, struct mpl_arena *arena,
                       struct property *property)
{
    struct record r;

    while (mpl_walk_next(walk, &r)) {
        const char *text = (const char *) (r.words + 2);
        const size_t n = strnlen(text, (r.n_words - 2) * sizeof(uint64_t));
        const char *equals = r.kind == MPL_SPOOL_PROPERTY ? memchr(text, '=', n) : NULL;

        if (equals != NULL) {
            property->key =
                mpl_arena_printf(arena, "MARPLE::%.*s", (int) (equals - text), text);
            property->value =
                mpl_arena_strndup(arena, equals + 1, n - (size_t) (equals + 1 - text));
            return property->key != NULL && property->value != NULL;
        }
    }
    return false;
}
