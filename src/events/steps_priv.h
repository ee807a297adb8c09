/*
 * Where the steps of each process begin and end.
 */
#ifndef MPL_EVENTS_STEPS_PRIV_H
#define MPL_EVENTS_STEPS_PRIV_H

#include "events/events_priv.h"

#include <pthread.h>

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

/* Calls that bound steps by messages, of each process as many. */
struct mpl_bounds {
    uint32_t n; /* 0: messages do not recur */
    uint32_t **calls;
};

/* What several ask for, perhaps at the same time: it is found once. Who finds sections asks for bounds, hence two locks. */
struct mpl_kept_sections {
    pthread_mutex_t lock;
    struct mpl_arena *arena;      /* of what the sections point to */
    struct mpl_sections sections; /* .n is 0: nobody has asked */
    pthread_mutex_t bounds_lock;
    struct mpl_arena *bounds_arena; /* NULL: nobody has asked */
    struct mpl_bounds bounds;       /* of the whole run; they are not to be changed */
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
