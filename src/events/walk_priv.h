/*
 * The walk over the records of a location: what calls.c, walk.c and gaps.c share.
 */
#ifndef MPL_EVENTS_WALK_PRIV_H
#define MPL_EVENTS_WALK_PRIV_H

#include "events/events_priv.h"

/* What one region gathers while a location is walked. */
struct mpl_region_sum {
    int64_t exclusive_ticks;
    int64_t gap_ticks; /* valid if gap_stamp is the current gap */
    uint64_t visits;
    uint64_t gap_stamp;
    uint32_t location_stamp; /* location + 1; stale sums need no clearing */
    uint32_t n_open;         /* times it is on the stack */
};

enum {
    MPL_REPEAT_SHAPES = 3,
    MPL_REPEAT_RECORDS = (MPL_REPEAT_SHAPES - 1) * MPL_BLOCK_EVENTS
};

/* What blocks of calls of a location do that may come again, see block_repeats.c. */
struct mpl_block_repeats {
    struct mpl_distinct keys; /* by which they are found */
    struct mpl_buf all;       /* struct repeat, one per key */
    struct mpl_buf parts;     /* struct part */
    uint32_t n_taken;
    uint32_t
        learning;   /* of all: what the walk goes over now; MPL_NONE: nothing is learned */
    uint32_t event; /* where that began */
};

struct mpl_block_repeats mpl_block_repeats_make(void);
void mpl_block_repeats_free(struct mpl_block_repeats *repeats);
/* Begins with another location. */
void mpl_block_repeats_begin(struct mpl_block_repeats *repeats);

/* Of one thread, reused for all locations that it walks. */
struct mpl_walk_scratch {
    struct mpl_arena *arena;     /* what is made for the lanes */
    bool *is_called;             /* see struct mpl_events */
    struct mpl_region_sum *sums; /* per region */
    struct mpl_buf stack;        /* uint32_t, regions; room beyond walk.depth is stale */
    struct mpl_buf touched;      /* uint32_t, regions with a sum */
    struct mpl_buf list;         /* uint32_t, becomes lane.list */
    struct mpl_buf
        probes; /* uint32_t, calls: from the first MPI_Probe whose message is not received yet */
    struct mpl_call_maker maker; /* calls that are over, become the lane's */
    struct mpl_block_repeats repeats;
    uint64_t gap; /* number of the current gap over all these locations */
};

struct mpl_walk {
    const struct mpl_events *events;
    const struct mpl_location *loc;
    const struct mpl_region_use *use;
    const uint32_t *partner; /* per message */
    struct mpl_lane *lane;
    struct mpl_walk_scratch *scratch;
    uint32_t location;
    uint32_t n_calls; /* found so far, the open one included */
    uint32_t
        n_asked; /* with so many it was asked last whether they repeat; MPL_NONE: never */
    bool loses_ends; /* ends of posted receives may be missing */
    bool has_gaps;   /* what the program does between calls is wanted, too */
    uint32_t depth;
    uint32_t n_open; /* call regions on the stack, and open flush and off intervals */
    bool is_flushing;
    bool is_off;
    bool is_idle;     /* a worker thread between two teams */
    uint32_t n_teams; /* begun and not ended */
    bool is_in_call;
    bool is_in_startup;
    bool is_in_shutdown;
    uint32_t init_depth; /* its place on the stack, once there */
    int64_t since_ticks; /* until here the gap is credited to regions */
    uint32_t gap_region;
    int64_t gap_best_ticks;
    bool has_open_probe; /* there is an MPI_Probe whose message is not received yet */
    bool
        has_open_post; /* a receive without an end was posted since a call last waited for requests */
    /* The open call, and its parts. */
    struct mpl_call call;
    int64_t enter_ticks;
    struct mpl_call_records records;
    uint32_t n_messages;
    uint32_t first_message;
    size_t list_start;
};

/*
 * Goes over blocks of calls that do what others did, from \p *event on, where a block is complete and nothing is open. False: out
 * of memory.
 */
bool mpl_block_repeats_take(struct mpl_walk *w, uint32_t *event);
/* The record that leaves the call entered by \p event, if nothing is opened or closed in between; else MPL_NONE. */
uint32_t mpl_find_plain_leave(const struct mpl_walk *w, uint32_t event);
/* Finds the calls of a location, and closes all regions in the end. False when out of memory. */
bool mpl_records_walk(struct mpl_walk *w);

/* Clears what a region has gathered on another location. False when out of memory. */
bool mpl_region_touch(struct mpl_walk *w, uint32_t region);

/* What a region has gathered on this location; NULL when out of memory. */
static inline struct mpl_region_sum *mpl_region_sum_of(struct mpl_walk *w, uint32_t region)
{
    struct mpl_region_sum *sum = &w->scratch->sums[region];

    return sum->location_stamp == w->location + 1 || mpl_region_touch(w, region) ? sum
                                                                                 : NULL;
}

/* Gives time in the current gap to a region. False when out of memory. These two run for every function that the
 * program calls, hence inline. */
static inline bool mpl_region_credit(struct mpl_walk *w, uint32_t region, int64_t ticks)
{
    struct mpl_region_sum *sum;

    if (ticks == 0 || w->use[region].role != ROLE_USER) {
        return true;
    }
    sum = mpl_region_sum_of(w, region);
    if (sum == NULL) {
        return false;
    }
    sum->exclusive_ticks += ticks;
    if (sum->gap_stamp != w->scratch->gap) {
        sum->gap_stamp = w->scratch->gap;
        sum->gap_ticks = 0;
    }
    sum->gap_ticks += ticks;
    if (sum->gap_ticks > w->gap_best_ticks) {
        w->gap_best_ticks = sum->gap_ticks;
        w->gap_region = region;
    }
    return true;
}

/* Gives the time from the last credit to \p now_ticks to the innermost region, if it is the program's. False when
 * out of memory. */
static inline bool mpl_gap_credit(struct mpl_walk *w, int64_t now_ticks)
{
    const int64_t ticks = now_ticks - w->since_ticks;

    w->since_ticks = now_ticks;
    return w->depth == 0 ||
           mpl_region_credit(w, ((const uint32_t *) w->scratch->stack.data)[w->depth - 1],
                             ticks);
}

/* Ends the gap and returns the region with most time in it; MPL_NONE if there is none. */
uint32_t mpl_gap_close(struct mpl_walk *w);
/* Makes the lane's list of regions, largest first. False when out of memory. */
bool mpl_regions_keep(struct mpl_walk *w, const struct mpl_model *model,
                      struct mpl_arena *arena);

#endif
