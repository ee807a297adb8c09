/*
 * How far the clocks of two processes are apart: rank 0 asks the other one for its time, again and again. The answer
 * came about between question and answer, so the quickest round trip is best (Cristian, "Probabilistic clock
 * synchronization", 1989): in its middle, give or take half of it.
 */
#include "config.h"

#include "trace/record_priv.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Round trips with one process. On a busy machine a single one takes as long as others compute, and many would
 * hold up the start of the program. */
enum { MOST_TRIPS = 200, FEWEST_TRIPS = 3, TAG = 1, DEFAULT_MS = 10000, MOST_FASTER = 4 };
static const uint64_t most_ns = 20 * 1000 * 1000;

static struct {
    MPI_Comm comm;   /* Apart from the program's messages. */
    uint64_t *names; /* On rank 0: which clock each process reads. */
    uint64_t own;
    int rank;
    int size;
    bool is_open;
    bool is_continued; /* Also between the beginning and the end of the run. */
    uint64_t n_met;    /* Meetings so far, */
    uint64_t next_met; /* and the one at which rank 0 decides. */
} clocks;

/* What rank 0 decides by. */
static struct {
    uint64_t interval_ns;
    uint64_t compared_ns; /* Last time. */
    uint64_t decided_ns;
    uint64_t n_decided; /* Meetings until then. */
} pace;

static uint64_t hash(const char *text)
{
    uint64_t value = 14695981039346656037U;

    for (const char *p = text; *p != '\0'; p++) {
        value = (value ^ (unsigned char) *p) * 1099511628211U;
    }
    return value;
}

void mpl_clocks_open(bool are_threads_many)
{
    const char *asked = getenv("MARPLE_TRACE_CLOCK_INTERVAL");
    const struct mpl_spool_head *head = mpl_spool_borrow();
    /* Where a process could not make its spool the others must not wait for it. */
    clocks.own = head != NULL ? hash(head->clock) : 0;
    if (PMPI_Comm_dup(MPI_COMM_WORLD, &clocks.comm) != MPI_SUCCESS) {
        return;
    }
    (void) PMPI_Comm_set_errhandler(clocks.comm, MPI_ERRORS_RETURN);
    (void) PMPI_Comm_rank(clocks.comm, &clocks.rank);
    (void) PMPI_Comm_size(clocks.comm, &clocks.size);
    clocks.names = mpl_pages((size_t) clocks.size * sizeof *clocks.names);
    clocks.is_open = true;
    /* Threads may meet in any order. */
    clocks.is_continued = !are_threads_many;
    clocks.next_met = 1;
    pace.interval_ns = (asked != NULL ? strtoull(asked, NULL, 10) : DEFAULT_MS) * 1000000;
    pace.compared_ns = pace.decided_ns = mpl_clock_ns();
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

/* ---- in between ------------------------------------------------------------------------------------- */

/* Processes that read one clock need not, and where one is not recorded, it does not count. */
static bool is_needed(void)
{
    bool differ = false;

    for (int i = 0; clocks.names != NULL && i < clocks.size; i++) {
        if (clocks.names[i] == 0) {
            return false;
        }
        differ |= clocks.names[i] != clocks.names[0];
    }
    return differ;
}

bool mpl_is_of_all(const struct mpl_comm *comm)
{
    return (clocks.is_continued || mpl_is_thinning()) && !comm->is_inter &&
           comm->size == clocks.size;
}

bool mpl_clocks_are_continued(void)
{
    return clocks.is_continued;
}

MPI_Comm mpl_clocks_comm(void)
{
    return clocks.is_open ? clocks.comm : MPI_COMM_NULL;
}

struct decision {
    int64_t is_due;
    int64_t n_meetings; /* Until the next one. */
};

/* Meetings come about as often as since the last decision; more than so many times as late it is not taken. */
static struct decision decide(void)
{
    const uint64_t now = mpl_clock_ns();
    const uint64_t n = clocks.n_met - pace.n_decided;
    const bool is_due = now - pace.compared_ns >= pace.interval_ns;
    const uint64_t left_ns =
        is_due ? pace.interval_ns : pace.compared_ns + pace.interval_ns - now;
    const double expected =
        (double) n * (double) left_ns / (double) (now - pace.decided_ns + 1);
    const double most = (double) (MOST_FASTER * n);

    pace.compared_ns = is_due ? now : pace.compared_ns;
    pace.decided_ns = now;
    pace.n_decided = clocks.n_met;
    return (struct decision){ is_due, 1 + (int64_t) (expected < most ? expected : most) };
}

void mpl_clocks_between(struct mpl_track *track)
{
    struct decision decision = { 0 };
    const uint64_t begin = mpl_now();

    if (++clocks.n_met < clocks.next_met) {
        return;
    }
    if (clocks.n_met == 1 && !is_needed()) {
        clocks.is_continued = false;
        return;
    }
    if (clocks.rank == 0) {
        decision = decide();
    }
    if (PMPI_Bcast(&decision, 2, MPI_INT64_T, 0, clocks.comm) != MPI_SUCCESS) {
        clocks.is_continued = false;
        return;
    }
    clocks.next_met = clocks.n_met + (uint64_t) decision.n_meetings;
    if (decision.is_due == 0) {
        return;
    }
    if (track->end - track->at <= MPL_ROOM_WORDS && !track->is_full) {
        mpl_make_room(track);
    }
    /* In front of what is compared, since times ascend; how long it takes is known behind that. */
    uint64_t *record = mpl_record(track, begin, 3);
    if (record != NULL) {
        record[2] = begin;
        mpl_commit(record, MPL_SPOOL_WORD(MPL_SPOOL_FLUSH, 3, 0, 0));
    }
    mpl_clocks_compare(track);
    if (record != NULL) {
        record[2] = mpl_now();
    }
}
