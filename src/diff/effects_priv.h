/* What the files about computation share. */
#ifndef MPL_DIFF_EFFECTS_PRIV_H
#define MPL_DIFF_EFFECTS_PRIV_H

#include "diff/chance_priv.h"
#include "diff/diff_priv.h"

struct mpl_effects {
    struct mpl_diff *diff;
    const bool *takes_any; /* Per process. */
    uint32_t n_locations;
    const struct mpl_sequence
        *base; /* Per location, of the runs that speak for their sides. */
    const struct mpl_sequence *new;
    const enum mpl_looseness *looseness; /* Per location. */
    bool has_parts; /* base and new are not made of all that is recorded. */
    struct mpl_symbols *symbols;
    struct mpl_loops *loops;
    struct mpl_load *loads; /* Per location. */
    struct mpl_arena *arena;
    struct mpl_arena *scratch;
};

/** What it computes before calls \p first to \p end - 1, seconds. */
double mpl_effects_between(const struct mpl_events *events, uint32_t l, uint32_t first,
                           uint32_t end);
/** What it computes in a run, seconds. */
double mpl_effects_computed(const struct mpl_run *run, uint32_t l);
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

/* ---- where (where.c) ------------------------------------------------------------------------------- */

/** Finds the places of the loads that are named. Cost: linear in their calls, of each run. */
enum mpl_status mpl_where_find(struct mpl_effects *e, struct mpl_err *err);

/* ---- who is to blame -------------------------------------------------------------------------------- */

/** blame.c. Cost: linear in calls. */
enum mpl_status mpl_blame(struct mpl_effects *e, struct mpl_err *err);
/** closing.c. Cost: replays twice. */
enum mpl_status mpl_closing_check(struct mpl_effects *e, struct mpl_err *err);

#endif
