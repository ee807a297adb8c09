/*
 * How far the clocks of two processes are apart: rank 0 asks the other one for its time, again and again. The answer
 * came about between question and answer, so the quickest round trip tells most (Cristian, "Probabilistic clock
 * synchronization", 1989): in its middle, give or take half of it.
 */
#include "config.h"

#include "trace/record_priv.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Round trips with one process. On a busy machine a single one takes as long as others compute, and many would
 * hold up the start of the program. */
enum { MOST_TRIPS = 200, FEWEST_TRIPS = 3, TAG = 1 };
static const uint64_t most_ns = 20 * 1000 * 1000;

static struct {
    MPI_Comm comm;   /* Apart from the program's messages. */
    uint64_t *names; /* On rank 0: which clock each process reads. */
    uint64_t own;
    int rank;
    int size;
    bool is_open;
} clocks;

static void append_file(char *text, const char *path)
{
    const size_t n = strlen(text);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t got = fd >= 0 ? read(fd, text + n, MPL_SPOOL_HOST - 1 - n) : 0;

    text[n + (got > 0 ? (size_t) got : 0)] = '\0';
    text[n + strcspn(text + n, "\n")] = '\0';
    if (fd >= 0) {
        (void) close(fd);
    }
}

/*
 * All processes of a machine read one clock, unless they are in different time namespaces. Who does not trust
 * that has each process measured.
 */
void mpl_clock_name(char *text)
{
    const char *asked = getenv("MARPLE_TRACE_CLOCKS");
    ssize_t n;

    memset(text, 0, MPL_SPOOL_HOST);
    if (asked != NULL && strcmp(asked, "each") == 0) {
        (void) snprintf(text, MPL_SPOOL_HOST, "process %ld ", (long) getpid());
    }
    append_file(text, "/proc/sys/kernel/random/boot_id");
    n = (ssize_t) strlen(text);
    (void) readlink("/proc/self/ns/time", text + n, MPL_SPOOL_HOST - 1 - (size_t) n);
}

static uint64_t hash(const char *text)
{
    uint64_t value = 14695981039346656037U;

    for (const char *p = text; *p != '\0'; p++) {
        value = (value ^ (unsigned char) *p) * 1099511628211U;
    }
    return value;
}

void mpl_clocks_open(void)
{
    const struct mpl_spool_head *head = mpl_spool_borrow();
    /* Where a process could not make its spool the others must not wait for it. */
    clocks.own = head != NULL ? hash(head->clock) : 0;
    if (PMPI_Comm_dup(MPI_COMM_WORLD, &clocks.comm) != MPI_SUCCESS) {
        return;
    }
    (void) PMPI_Comm_set_errhandler(clocks.comm, MPI_ERRORS_RETURN);
    (void) PMPI_Comm_rank(clocks.comm, &clocks.rank);
    (void) PMPI_Comm_size(clocks.comm, &clocks.size);
    clocks.names = (uint64_t *) mpl_pages((size_t) clocks.size * sizeof *clocks.names);
    clocks.is_open = true;
}

void mpl_clocks_close(void)
{
    if (clocks.is_open) {
        (void) PMPI_Comm_free(&clocks.comm);
        clocks.is_open = false;
    }
}

/* ---- one pair ---------------------------------------------------------------------------------- */

/* What goes to the other process: a question, or in the end the answer. */
struct question {
    int64_t is_last;
    int64_t at_ns;     /* The other's time to which the answer belongs, */
    int64_t offset_ns; /* what it has to add to that, */
    int64_t error_ns;  /* and how wrong this is at most. */
};
enum { N_WORDS = sizeof(struct question) / sizeof(int64_t) };

static void ask(int other)
{
    const uint64_t begin = mpl_clock_ns();
    struct question best = { .error_ns = INT64_MAX };
    struct question next = { 0 };

    for (int i = 0; i < MOST_TRIPS; i++) {
        int64_t answer = 0;
        const uint64_t sent = mpl_clock_ns();

        if (i >= FEWEST_TRIPS && sent - begin > most_ns) {
            break;
        }
        if (PMPI_Send(&next, N_WORDS, MPI_INT64_T, other, TAG, clocks.comm) !=
                MPI_SUCCESS ||
            PMPI_Recv(&answer, 1, MPI_INT64_T, other, TAG, clocks.comm,
                      MPI_STATUS_IGNORE) != MPI_SUCCESS) {
            return;
        }
        const int64_t half = (int64_t) (mpl_clock_ns() - sent + 1) / 2;
        if (half < best.error_ns) {
            best.at_ns = answer;
            best.offset_ns = (int64_t) sent + half - answer;
            best.error_ns = half;
        }
    }
    best.is_last = 1;
    (void) PMPI_Send(&best, N_WORDS, MPI_INT64_T, other, TAG, clocks.comm);
}

/* \p track NULL: this process is not recorded, and only helps the others. */
static void put_clock(struct mpl_track *track, int64_t at_ns, int64_t offset_ns,
                      int64_t error_ns)
{
    if (track != NULL) {
        mpl_put(track, mpl_now(), MPL_SPOOL_WORD(MPL_SPOOL_CLOCK, 5, 0, 0),
                (uint64_t) at_ns, (uint64_t) offset_ns, (uint64_t) error_ns, 0);
    }
}

static void answer(struct mpl_track *track)
{
    struct question question = { 0 };
    int64_t now = 0;

    while (PMPI_Recv(&question, N_WORDS, MPI_INT64_T, 0, TAG, clocks.comm,
                     MPI_STATUS_IGNORE) == MPI_SUCCESS) {
        if (question.is_last) {
            put_clock(track, question.at_ns, question.offset_ns, question.error_ns);
            return;
        }
        now = (int64_t) mpl_clock_ns();
        if (PMPI_Send(&now, 1, MPI_INT64_T, 0, TAG, clocks.comm) != MPI_SUCCESS) {
            return;
        }
    }
}

/* ---- all -------------------------------------------------------------------------------------------- */

/* Whether no process of a lower rank reads the same clock; one per clock is enough. */
static bool is_first(int rank)
{
    for (int other = 0; other < rank; other++) {
        if (clocks.names[other] == clocks.names[rank]) {
            return false;
        }
    }
    return true;
}

/* All processes must call it. */
void mpl_clocks_compare(struct mpl_track *track)
{
    if (!clocks.is_open || clocks.names == NULL ||
        PMPI_Allgather(&clocks.own, 1, MPI_UINT64_T, clocks.names, 1, MPI_UINT64_T,
                       clocks.comm) != MPI_SUCCESS) {
        return;
    }
    if (clocks.rank == 0) {
        const uint64_t now = mpl_clock_ns();

        for (int other = 1; other < clocks.size; other++) {
            if (is_first(other)) {
                ask(other);
            }
        }
        put_clock(track, (int64_t) now, 0, 0);
    } else if (is_first(clocks.rank)) {
        answer(track);
    }
}
