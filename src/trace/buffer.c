/*
 * The spool. Each thread records into a chunk of the file that is mapped, its window, and when that is full, the
 * kernel copies it to the end of the file, and it is used again. A window per chunk would do without the copy, but each
 * of its pages costs 4 us at its first use, and copied 0.5 us. Disk space of windows is taken before they are mapped:
 * writing to a page of a full disk would end the program by SIGBUS.
 */
#include "config.h"

#include "trace/record_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

__thread struct mpl_track *mpl_own_track;

static struct {
    int fd;
    struct mpl_spool_head *head; /* NULL: there is no spool. */
    uint64_t n_chunks;
    uint64_t n_threads;
    uint64_t most_chunks;
    struct stat
        file; /* The program may close files that are not its own, and open others. */
} spool = { .fd = -1 };

/* ---- memory and locks -------------------------------------------------------------------- */

void *mpl_pages(size_t bytes)
{
    void *pages =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    return pages == MAP_FAILED ? NULL : pages;
}

static bool is_shared;
static int is_locked;

void mpl_share_tables(void)
{
    is_shared = true;
}

void mpl_lock(void)
{
    while (is_shared && __atomic_exchange_n(&is_locked, 1, __ATOMIC_ACQUIRE) != 0) {
        (void) sched_yield();
    }
}

void mpl_unlock(void)
{
    if (is_shared) {
        __atomic_store_n(&is_locked, 0, __ATOMIC_RELEASE);
    }
}

/* ---- the file ------------------------------------------------------------------------------ */

/* Room on the disk; 0 or why there is none. Where a file system cannot promise it, nobody can. */
static int take_space(uint64_t offset, uint64_t bytes)
{
    int reason;

    do {
        reason = posix_fallocate(spool.fd, (off_t) offset, (off_t) bytes);
    } while (reason == EINTR);
    return reason;
}

static uint64_t most_chunks(void)
{
    const char *most = getenv("MARPLE_TRACE_MAX_MB");
    const uint64_t mb = most != NULL ? strtoull(most, NULL, 10) : 0;

    return mb == 0 ? UINT64_MAX : mb * 1000000 / MPL_SPOOL_CHUNK + 1;
}

static bool give_up(uint32_t rank, const char *path, int reason)
{
    dprintf(STDERR_FILENO, "marple: rank %u is not recorded: cannot write \"%s\": %s\n",
            rank, path, strerror(reason));
    if (spool.fd >= 0) {
        (void) close(spool.fd);
        (void) unlink(path);
        spool.fd = -1;
    }
    return false;
}

static void fill_head(uint32_t rank, uint32_t size)
{
    struct mpl_spool_head *head = spool.head;
    struct timespec now;

    head->chunk_bytes = MPL_SPOOL_CHUNK;
    head->rank = rank;
    head->size = size;
    head->process = (uint32_t) getpid();
    head->n_calls = MPL_CALLS;
    head->began_ns = mpl_clock_ns();
    mpl_time_open(head);
    (void) clock_gettime(CLOCK_REALTIME, &now);
    head->began_utc_ns =
        (uint64_t) now.tv_sec * UINT64_C(1000000000) + (uint64_t) now.tv_nsec;
    (void) gethostname(head->host, sizeof head->host - 1);
    mpl_clock_name(head->clock);
    __atomic_store_n(&head->magic, MPL_SPOOL_MAGIC, __ATOMIC_RELEASE);
}

bool mpl_spool_open(const char *directory, uint32_t rank, uint32_t size)
{
    char path[4096];

    (void) mkdir(directory, 0777);
    (void) snprintf(path, sizeof path, "%s/%u-%ld" MPL_SPOOL_SUFFIX, directory, rank,
                    (long) getpid());
    spool.fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (spool.fd < 0) {
        return give_up(rank, path, errno);
    }
    const int reason = take_space(0, MPL_SPOOL_HEAD);
    if (reason != 0) {
        return give_up(rank, path, reason);
    }
    void *head =
        mmap(NULL, MPL_SPOOL_HEAD, PROT_READ | PROT_WRITE, MAP_SHARED, spool.fd, 0);
    if (head == MAP_FAILED) {
        return give_up(rank, path, errno);
    }
    spool.head = head;
    spool.most_chunks = most_chunks();
    (void) fstat(spool.fd, &spool.file);
    fill_head(rank, size);
    return true;
}

void mpl_spool_end_as(enum mpl_spool_end end)
{
    if (spool.head != NULL) {
        spool.head->end = end;
    }
}

struct mpl_spool_head *mpl_spool_borrow(void)
{
    return spool.head;
}

uint64_t mpl_spool_bytes(void)
{
    return __atomic_load_n(&spool.n_chunks, __ATOMIC_RELAXED) * MPL_SPOOL_CHUNK;
}

uint64_t mpl_spool_most_bytes(void)
{
    return spool.most_chunks == UINT64_MAX ? UINT64_MAX
                                           : spool.most_chunks * MPL_SPOOL_CHUNK;
}

void mpl_spool_close(void)
{
    if (spool.fd >= 0) {
        (void) close(spool.fd);
        spool.fd = -1;
    }
}

/* ---- tracks ---------------------------------------------------------------------------------- */

struct mpl_track *mpl_track_open(void)
{
    struct mpl_track *track = mpl_pages(sizeof *track);

    if (track == NULL) {
        return NULL;
    }
    track->number = __atomic_fetch_add(&spool.n_threads, 1, __ATOMIC_RELAXED);
    track->handles = track->few_handles;
    track->n_handles = MPL_FEW;
    track->statuses = track->few_statuses;
    track->n_statuses = MPL_FEW;
    mpl_own_track = track;
    return track;
}

/* Where in the file a chunk goes; 0: there must be no more. */
static uint64_t next_offset(void)
{
    const uint64_t number = __atomic_fetch_add(&spool.n_chunks, 1, __ATOMIC_RELAXED);

    return number < spool.most_chunks ? MPL_SPOOL_HEAD + number * MPL_SPOOL_CHUNK : 0;
}

static bool is_own_file(void)
{
    struct stat now;

    return fstat(spool.fd, &now) == 0 && now.st_dev == spool.file.st_dev &&
           now.st_ino == spool.file.st_ino;
}

static bool open_window(struct mpl_track *track)
{
    const uint64_t offset = next_offset();

    if (offset == 0 || !is_own_file() || take_space(offset, MPL_SPOOL_CHUNK) != 0) {
        return false;
    }
    /* With all of its pages at once: one by one they would hold up calls. */
    void *mapped = mmap(NULL, MPL_SPOOL_CHUNK, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_POPULATE, spool.fd, (off_t) offset);
    if (mapped == MAP_FAILED) {
        return false;
    }
    struct mpl_spool_chunk *chunk = mapped;
    track->window = chunk;
    track->end = (uint64_t *) mapped + MPL_SPOOL_CHUNK / sizeof(uint64_t);
    chunk->thread = track->number + 1;
    return true;
}

/* Whatever ends the process meanwhile, the records are in the window or behind it, or in both with one number. */
static bool empty_window(struct mpl_track *track)
{
    struct mpl_spool_chunk *chunk = track->window;
    const char *bytes = (const char *) chunk;
    uint64_t offset = next_offset();
    size_t left = MPL_SPOOL_CHUNK;

    if (offset == 0 || !is_own_file()) {
        return false;
    }
    while (left > 0) {
        const ssize_t n = pwrite(spool.fd, bytes, left, (off_t) offset);

        if (n <= 0 && errno != EINTR) {
            return false;
        }
        bytes += n > 0 ? n : 0;
        offset += n > 0 ? (uint64_t) n : 0;
        left -= n > 0 ? (size_t) n : 0;
    }
    __atomic_store_n(&chunk->thread, 0, __ATOMIC_RELEASE);
    memset(chunk + 1, 0, MPL_SPOOL_CHUNK - sizeof *chunk);
    chunk->number++;
    __atomic_store_n(&chunk->thread, track->number + 1, __ATOMIC_RELEASE);
    return true;
}

bool mpl_track_grow(struct mpl_track *track, size_t words)
{
    if (track->is_full || words > MPL_SPOOL_MOST_WORDS ||
        !(track->window == NULL ? open_window(track) : empty_window(track))) {
        track->is_full = true;
        (void) __atomic_fetch_add(&spool.head->lost, 1, __ATOMIC_RELAXED);
        return false;
    }
    track->at = (uint64_t *) (track->window + 1);
    return true;
}

/* ---- records ---------------------------------------------------------------------------------- */

void mpl_put(struct mpl_track *track, uint64_t time, uint64_t first, uint64_t a, uint64_t b,
             uint64_t c, uint64_t d)
{
    const unsigned words = (unsigned) (first >> 8 & 0xff);
    uint64_t *record = mpl_record(track, time, words);

    if (record == NULL) {
        return;
    }
    /* What is behind the record stays 0. */
    switch (words) {
    case 6:
        record[5] = d; /* fall through */
    case 5:
        record[4] = c; /* fall through */
    case 4:
        record[3] = b; /* fall through */
    case 3:
        record[2] = a; /* fall through */
    default:
        mpl_commit(record, first);
    }
}

void mpl_put_text(struct mpl_track *track, uint64_t time, enum mpl_spool_kind kind,
                  uint32_t large, const char *text)
{
    const size_t most = (MPL_SPOOL_MOST_WORDS - 2) * sizeof(uint64_t) - 1;
    const size_t n = strnlen(text, most);
    const unsigned words = 2 + (unsigned) (n / sizeof(uint64_t)) + 1;
    uint64_t *record = mpl_record(track, time, words);

    if (record == NULL) {
        return;
    }
    record[words - 1] = 0;
    memcpy(record + 2, text, n);
    mpl_commit(record, MPL_SPOOL_WORD(kind, words, 0, large));
}

/* Making room takes time, which is recorded as such, outside of calls; but for a thread's first call, in front of which
 * nothing was recorded. */
void mpl_make_room(struct mpl_track *track)
{
    const bool is_first = track->end == NULL;
    const uint64_t begin = mpl_now();

    if (mpl_track_grow(track, MPL_ROOM_WORDS) && !is_first) {
        mpl_put(track, begin, MPL_SPOOL_WORD(MPL_SPOOL_FLUSH, 3, 0, 0), mpl_now(), 0, 0, 0);
    }
}

bool mpl_is_switched_on = true;
static unsigned switched_off; /* enum mpl_switch: who wants that. */

/* Messages that are under way are recorded to their end. */
void mpl_switch(struct mpl_track *track, enum mpl_switch by, bool is_on)
{
    switched_off = is_on ? switched_off & ~(unsigned) by : switched_off | (unsigned) by;
    if ((switched_off == 0) != mpl_is_switched_on) {
        mpl_is_switched_on = switched_off == 0;
        mpl_put(track, mpl_now(),
                MPL_SPOOL_WORD(MPL_SPOOL_SWITCH, 2, mpl_is_switched_on, 0), 0, 0, 0, 0);
    }
}
