/* What the files about computation share. */
#ifndef MPL_DIFF_EFFECTS_PRIV_H
#define MPL_DIFF_EFFECTS_PRIV_H

#include "diff/chance_priv.h"
#include "diff/diff_priv.h"

/* Waits of a run, and where they come from. */
struct mpl_effect_origins {
    const struct mpl_wait_origin *all;
    size_t n;
};
struct mpl_effects {
    struct mpl_comparison *comparison;
    struct mpl_diff *diff;
    enum mpl_time time;
    double factor; /* By which all have more of it; of calls 1. */
    uint32_t n_named;
    struct mpl_effect_origins origins[2]; /* Of calls: of base and new. */
    const bool *takes_any;                /* Per process. */
    uint32_t n_locations;
    const struct mpl_sequence
        *base; /* Per location, of the runs that represent their sides. */
    const struct mpl_sequence *new;
    const enum mpl_looseness *looseness; /* Per location. */
    bool has_parts; /* base and new are not made of all that is recorded. */
    struct mpl_symbols *symbols;
    struct mpl_loops *loops;
    struct mpl_load *loads; /* Per location. */
    struct mpl_arena *arena;
    struct mpl_arena *scratch;
};

/* ---- what of its time (times.c) ------------------------------------------------------------------- */

/** In calls \p first to \p end - 1, or computing before them, seconds. What comes after all calls counts as before one more. */
double mpl_time_between(enum mpl_time time, const struct mpl_events *events, uint32_t l,
                        uint32_t first, uint32_t end);
/** Ticks of the computation before a call, or behind the last one. */
int64_t mpl_computed_before(const struct mpl_events *events, uint32_t l, uint32_t call);
/** In a run, seconds. */
double mpl_time_total(enum mpl_time time, const struct mpl_run *run, uint32_t l);

/* ---- tasks (loads.c) ------------------------------------------------------------------------------- */

/**
 * Tasks that a location gets from those who take what comes first: it receives one or more messages of them, and then
 * sends them something. Of such a one, the tasks that it serves. \p sends, which has room for all message ends of
 * the location, gets the first send behind each; NULL: not wanted.
 */
uint32_t mpl_effects_tasks(const struct mpl_effects *e, const struct mpl_run *run,
                           uint32_t l, uint32_t *sends);
/** False: it got too few tasks to compare them. */
bool mpl_load_is_comparable(const struct mpl_load *load);

/* ---- what all have (factor.c) ---------------------------------------------------------------------- */

/** 1 also where hardly anything is computed, or each location has its own. \p scratch: two per location. */
double mpl_common_factor(const struct mpl_effects *e, double *scratch);

/* ---- chance, of single runs (blocks.c) ------------------------------------------------------------ */

/** Cost: linear in calls of the location, and in blocks times \p resamples. */
enum mpl_status mpl_blocks_chance(const struct mpl_effects *e, const struct mpl_load *load,
                                  size_t resamples, struct mpl_chance *out,
                                  struct mpl_err *err);

/* ---- and of all (significance.c) ------------------------------------------------------------------- */

/** Fills in what loads say of chance. */
enum mpl_status mpl_loads_weigh(struct mpl_effects *e, struct mpl_err *err);

/** loads.c. Measures all locations, without comparing them; what differs, and who is named; loads are sorted then. */
enum mpl_status mpl_loads_measure(struct mpl_effects *e, struct mpl_err *err);
enum mpl_status mpl_loads_rank(struct mpl_effects *e, struct mpl_err *err);

/* ---- where (where.c) ------------------------------------------------------------------------------- */

/** Adds the places of the loads that are named to \p found, struct mpl_place_load. Cost: linear in their calls, of each run. */
enum mpl_status mpl_where_find(struct mpl_effects *e, struct mpl_buf *found,
                               struct mpl_err *err);
/** calls.c. Finds where calls of MPI take longer or shorter, and who is to blame. \p e: of computation. Cost: as computation,
    twice, and waits times their logarithm. */
enum mpl_status mpl_calls_compare(const struct mpl_effects *e, struct mpl_err *err);

/* ---- who is to blame -------------------------------------------------------------------------------- */

/** blame.c. Whether it is recorded when receives are over. */
bool mpl_waits_are_known(const struct mpl_run *run);
/** Cost: linear in calls. */
enum mpl_status mpl_blame(struct mpl_effects *e, struct mpl_err *err);
/** closing.c. Cost: replays twice. */
enum mpl_status mpl_closing_check(struct mpl_effects *e, struct mpl_err *err);

#endif
