/* Shared by the files of halt only. */
#ifndef MPL_HALT_HALT_PRIV_H
#define MPL_HALT_HALT_PRIV_H

#include "halt/halt.h"

/* A call of MPI that has returned. */
struct mpl_halt_past {
    uint32_t enter; /* records */
    uint32_t leave;
    uint32_t region;
    uint32_t
        peer; /* process of its first message, communicator of its collective; MPL_NONE */
};

/* The calls of one location in order, those that only ask (MPI_Test) left out. */
struct mpl_halt_history {
    uint32_t n;
    const struct mpl_halt_past *calls;
};

struct mpl_halting {
    struct mpl_model *model;
    const struct mpl_match *match;
    struct mpl_arena *arena;
    struct mpl_arena *scratch;
    struct mpl_halt *halt;
    struct mpl_halt_place *places; /* those of halt, per process */
    const struct mpl_halt_history
        *histories;   /* per process, of the location of its place */
    int64_t at_ticks; /* the last thing that happens */
    bool is_out_of_memory;
};

static inline bool mpl_halt_is_mpi(const struct mpl_model *model, uint32_t region)
{
    const enum mpl_region_kind kind = model->regions[region].kind;

    return kind == MPL_REGION_MPI_P2P || kind == MPL_REGION_MPI_COLL ||
           kind == MPL_REGION_MPI_OTHER || kind == MPL_REGION_MPI_FINALIZE;
}

static inline int64_t mpl_halt_end_of(const struct mpl_location *loc)
{
    return mpl_ticks_of(loc, loc->n_events - 1);
}

/* places.c: state, location, region, event of all, and n_in_call; and their functions. */
void mpl_halt_places_find(struct mpl_halting *h);
void mpl_halt_functions_find(struct mpl_halting *h);
/* What happened last at a process, however long it has been silent since. */
int64_t mpl_halt_since(const struct mpl_halting *h, uint32_t process);

/* history.c: fills histories, last_region, and what comes next by what came before. */
void mpl_halt_histories_make(struct mpl_halting *h);
/* Processes with which the calls exchanged messages that followed the same calls before, and were of the
 * same region as the one that is open; where there are none, those of all its calls of that region.
 * is_partner: per process. */
void mpl_halt_partners(const struct mpl_halting *h, uint32_t process, bool *is_partner);

/* pauses.c: the longest times in which as little happened before. */
void mpl_halt_pauses_find(struct mpl_halting *h, bool does_somebody_work);

/* waiting.c: who waits for whom, cycles, leftovers. */
void mpl_halt_waits_find(struct mpl_halting *h);

#endif
