/*
 * A long run in a spool that may not grow. What lies between two operations in which all processes wait for all, a
 * stretch, is recorded whole or not at all, and by all processes or by none, so that what is recorded fits together.
 * When half of the room is used, every other stretch is recorded, when half of the rest is used, every fourth one, and
 * so on: there is room for any number of stretches that are alike, as those of a loop are.
 */
#include "config.h"

#include "trace/record_priv.h"

enum {
    ROOM_PARTS = 16,  /* Of the room, one at most is filled before it is looked at again. */
    LEAST_CHUNKS = 3, /* With less room than that nothing more is recorded. */
    MOST_HALVINGS = 20
};

static struct {
    uint64_t most_bytes; /* The least of all processes; 0: there is no limit. */
    uint64_t n;          /* Stretches that are over, */
    uint64_t n_recorded; /* and those of them that were recorded. */
    uint64_t next;       /* n at which processes tell each other how much room they have. */
    unsigned halvings;   /* One in two to the power of this is recorded. */
    bool is_over;        /* No more is. */
    bool is_left_out;    /* The stretch at hand. */
} thin;

void mpl_thin_open(bool is_recorded, bool are_threads_many)
{
    const uint64_t own = is_recorded && !are_threads_many ? mpl_spool_most_bytes() : 0;
    uint64_t least = 0;

    if (mpl_clocks_comm() != MPI_COMM_NULL &&
        PMPI_Allreduce(&own, &least, 1, MPI_UINT64_T, MPI_MIN, mpl_clocks_comm()) ==
            MPI_SUCCESS &&
        least != UINT64_MAX) {
        thin.most_bytes = least;
    }
    thin.next = 1;
}

bool mpl_is_thinning(void)
{
    return thin.most_bytes > 0;
}

/* One process that cannot tell any more makes all of them stop. */
static void tell_each_other(void)
{
    const uint64_t own = mpl_spool_bytes();
    uint64_t used = 0;

    if (PMPI_Allreduce(&own, &used, 1, MPI_UINT64_T, MPI_MAX, mpl_clocks_comm()) !=
        MPI_SUCCESS) {
        used = thin.most_bytes;
    }
    /* The same in all processes, since all know the same. */
    const uint64_t most = thin.most_bytes;
    const uint64_t a_stretch =
        used / (thin.n_recorded > 0 ? thin.n_recorded : 1) + 1; /* Bytes, on average. */

    while (thin.halvings < MOST_HALVINGS && used > most - (most >> (thin.halvings + 1))) {
        thin.halvings++;
    }
    thin.is_over = used + (uint64_t) LEAST_CHUNKS * MPL_SPOOL_CHUNK > most;
    thin.next =
        thin.n + 1 +
        ((most - (used < most ? used : most)) / ROOM_PARTS / a_stretch << thin.halvings);
}

static void leave_out(struct mpl_track *track, bool is_left_out)
{
    if (is_left_out != thin.is_left_out) {
        thin.is_left_out = is_left_out;
        mpl_switch(track, MPL_BY_THINNING, !is_left_out);
    }
}

void mpl_thin_between(struct mpl_track *track)
{
    struct mpl_spool_head *head = mpl_spool_borrow();

    thin.n++;
    thin.n_recorded += !thin.is_left_out;
    head->n_stretches = thin.n;
    head->n_recorded = thin.n_recorded;
    if (thin.n >= thin.next && !thin.is_over) {
        tell_each_other();
    }
    leave_out(track, thin.is_over || thin.n % (UINT64_C(1) << thin.halvings) != 0);
}

void mpl_thin_end(struct mpl_track *track)
{
    leave_out(track, false);
    thin.most_bytes = 0;
}
