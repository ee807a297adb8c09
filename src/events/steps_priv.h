/*
 * Where the steps of each process begin and end.
 */
#ifndef MPL_EVENTS_STEPS_PRIV_H
#define MPL_EVENTS_STEPS_PRIV_H

#include "events/events_priv.h"

/* Fewer say nothing about what recurs. */
enum { STEPS_AT_LEAST = 4 };

/* One process. */
struct mpl_step_marks {
    uint32_t location;     /* its thread with most communication */
    const uint32_t *calls; /* n + 1 calls that bound the steps, ascending */
};

struct mpl_marks {
    uint32_t n; /* steps; 0: there are none */
    bool is_collective;
    struct mpl_step_marks *processes;
};

/* Lives in \p arena. False when out of memory. */
bool mpl_marks_find(const struct mpl_events *events, struct mpl_arena *arena,
                    struct mpl_marks *marks);
/* As above, but for comparing processes: all collectives of all, whether they recur or not, and where
 * a good part of the run lies between two of them, the messages that recur in it. Then \p marks->n calls
 * bound n + 1 sections. */
bool mpl_marks_find_all(const struct mpl_events *events, struct mpl_arena *arena,
                        struct mpl_marks *marks);
/* Sets \p steps->peers_cost_s, the cost for the compared processes \p who; all else of it that has to do with computation must be there. False when out
 * of memory. */
bool mpl_step_waits_find(const struct mpl_events *events, const uint32_t *who,
                         uint32_t n_compared, struct mpl_steps *steps,
                         struct mpl_arena *scratch);

#endif
