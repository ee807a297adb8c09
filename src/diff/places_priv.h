/*
 * The places of a location: its calls by where they stand in which loop, so that what it does at the same place in
 * each iteration can be compared, in one run and between runs.
 */
#ifndef MPL_DIFF_PLACES_PRIV_H
#define MPL_DIFF_PLACES_PRIV_H

#include "sequence/sequence.h"

struct mpl_place_spot {
    uint32_t group;
    uint32_t symbol;   /* The call; MPL_NONE: the end, behind the last call. */
    uint32_t position; /* In the body; calls of an inner loop count once. */
};
/* The body of an outermost loop, wherever it is taken; or all calls of a kind outside of loops. */
struct mpl_place_group {
    uint32_t loop; /* MPL_NONE: outside of loops. */
    uint32_t first_place;
    uint32_t n_places;
};

/* Grows with each sequence that is added. */
struct mpl_places;
/* Lives in \p arena but for what mpl_places_close() frees. NULL: no memory. */
struct mpl_places *mpl_places_open(const struct mpl_loops *loops, struct mpl_arena *arena);
void mpl_places_close(struct mpl_places *places); /* NULL is allowed */
uint32_t mpl_places_count(const struct mpl_places *places);
const struct mpl_place_spot *mpl_places_get(const struct mpl_places *places,
                                            uint32_t place);
uint32_t mpl_places_groups(const struct mpl_places *places);
const struct mpl_place_group *mpl_places_group(const struct mpl_places *places,
                                               uint32_t group);

/* Where the calls of one sequence are. */
struct mpl_placed {
    uint32_t n;              /* Calls, and one more for the end. */
    const uint32_t *place;   /* Per call. */
    const uint32_t *step;    /* Of its group, from 0: iterations of the loop, or calls. */
    uint32_t n_groups;       /* That there were then. */
    const uint32_t *n_steps; /* Per group. */
};
/* Ownership: \p out lives in the arena. Errors: MPL_E_NOMEM only. Cost: linear in \p n_calls. */
enum mpl_status mpl_places_add(struct mpl_places *places, const struct mpl_folded *folded,
                               uint32_t n_calls, struct mpl_placed *out,
                               struct mpl_err *err);

#endif
