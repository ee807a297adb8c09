/* Shared by the files of critical only. */
#ifndef MPL_CRITICAL_CRITICAL_PRIV_H
#define MPL_CRITICAL_CRITICAL_PRIV_H

#include "critical/critical.h"

/* A moment of a thread that comes after moments of others of its process. */
struct mpl_thread_sink {
    uint32_t event;
    uint32_t source; /* location of the last of these */
    int64_t source_ticks;
    int64_t
        since_ticks; /* it did nothing before that, from then on; INT64_MAX: nobody can say */
};
struct mpl_thread_sinks {
    const struct mpl_thread_sink *all; /* location after location, ascending by event */
    const size_t *first; /* per location and one more: its first; NULL: no threads */
};
/* Lives in \p arena; false when out of memory. */
bool mpl_thread_sinks_find(const struct mpl_events *events, struct mpl_arena *arena,
                           struct mpl_thread_sinks *out);

/* Who decides when a call can go on. */
struct mpl_decision {
    uint32_t location;
    uint32_t call;
    uint32_t holder;  /* who came last; \p location itself where it did not wait */
    int64_t at_ticks; /* when it came */
};
/* Whether somebody else came as late. \p needs: room for the parts of any collective instance. */
bool mpl_decision_is_tied(const struct mpl_events *events, const struct mpl_decision *d,
                          struct mpl_coll_need *needs);
/* What the clock of a location may be off by; MPL_TICKS_FAR where nobody knows. */
int64_t mpl_clock_error_ticks(const struct mpl_events *events, uint32_t location);
/* Whether times of two locations are the same as far as the clocks can tell. */
bool mpl_times_are_tied(const struct mpl_events *events, uint32_t a, int64_t a_ticks,
                        uint32_t b, int64_t b_ticks);

/* Segments of each location together, in order of time. */
struct mpl_path_tracks {
    size_t *first;   /* per location and one more: its first one in order */
    uint32_t *order; /* segments, location after location */
};
/* Lives in \p arena; false when out of memory. */
bool mpl_path_tracks_sort(const struct mpl_critical *path, struct mpl_arena *arena,
                          struct mpl_path_tracks *out);
/* Ticks of the path on a location between two moments, which must ascend from call to call. \p at begins as
   the location's first one; segments before it are over. */
int64_t mpl_path_between(const struct mpl_critical *path,
                         const struct mpl_path_tracks *tracks, uint32_t location,
                         size_t *at, int64_t from_ticks, int64_t to_ticks);

#endif
