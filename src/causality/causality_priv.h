/*
 * What the files of causality share: clusters that only grow, and timestamps over them.
 */
#ifndef MPL_CAUSALITY_CAUSALITY_PRIV_H
#define MPL_CAUSALITY_CAUSALITY_PRIV_H

#include "causality/causality.h"

/* ---- clusters ---------------------------------------------------------------------------- */

/**
 * Clusters of all levels. Every location begins as a cluster of its own, with its number. Members
 * are only appended, so that who knows how many there were sees the cluster as it was then; one
 * that was merged into another stays as it was.
 */
struct mpl_clusters {
    uint32_t n_locations;
    uint32_t n_levels;
    const uint32_t *most;        /**< Per level. */
    struct mpl_cluster *cluster; /**< n_levels times n_locations. */
    uint32_t *home;              /**< The cluster of a location, now; likewise. */
    struct mpl_map *place;       /**< Of members that were appended. */
    struct mpl_arena *arena;
    bool is_short; /**< Memory ran out. */
};
struct mpl_cluster {
    uint32_t n;
    uint32_t *members; /**< NULL: itself only. */
};

/** False: no memory. */
bool mpl_clusters_open(struct mpl_clusters *clusters, const struct mpl_net *net,
                       const struct mpl_causality_options *options,
                       struct mpl_arena *arena);
void mpl_clusters_close(struct mpl_clusters *clusters);
uint32_t mpl_clusters_home(const struct mpl_clusters *clusters, uint32_t level,
                           uint32_t location);
struct mpl_cluster *mpl_clusters_get(const struct mpl_clusters *clusters, uint32_t level,
                                     uint32_t cluster);
uint32_t mpl_clusters_member(const struct mpl_clusters *clusters, uint32_t level,
                             uint32_t cluster, uint32_t i);
/** Where \p location is among the members of a cluster; MPL_NONE. */
uint32_t mpl_clusters_place(const struct mpl_clusters *clusters, uint32_t level,
                            uint32_t cluster, uint32_t location);
/** Brings the clusters of two locations together, unless that would be too many. */
bool mpl_clusters_merge(struct mpl_clusters *clusters, uint32_t level, uint32_t a,
                        uint32_t b);

/** Fills all levels by the messages of the whole trace; false: no memory. */
bool mpl_clusters_inform(struct mpl_clusters *clusters, const struct mpl_net *net);

/* ---- timestamps -------------------------------------------------------------------------- */

/** What a sink knows: of members of its cluster, as it was then, the greatest predecessors. */
struct mpl_stamp {
    size_t first;     /**< Into the values. */
    uint32_t event;   /**< The sink, from 0. */
    uint32_t cluster; /**< At its level. */
    uint32_t n;       /**< Members then. */
    uint32_t up;      /**< 1 + the last stamp before it of a higher level; 0: none. */
    uint32_t level;   /**< The number of levels: of all locations. */
};

struct mpl_causality {
    struct mpl_arena *arena;
    struct mpl_net *net;
    struct mpl_clusters clusters;
    struct mpl_buf *stamps;   /**< Per location: struct mpl_stamp, by event. */
    struct mpl_buf values;    /**< uint32_t. */
    uint64_t n_other_entries; /**< That events which are no sinks would have. */
    bool has_circles;
    /* Room for queries: what is known of locations, and of which. */
    uint32_t *known;
    uint32_t *next_known;
    uint32_t *touched;
    uint32_t *next_touched;
};

/** Member \p i of a stamp's cluster, and the number of its greatest predecessor. */
uint32_t mpl_stamp_member(const struct mpl_causality *c, const struct mpl_stamp *stamp,
                          uint32_t i);
uint32_t mpl_stamp_value(const struct mpl_causality *c, const struct mpl_stamp *stamp,
                         uint32_t i);

/** Fills the stamps. */
enum mpl_status mpl_causality_stamp(struct mpl_causality *c,
                                    const struct mpl_causality_options *options,
                                    struct mpl_err *err);

#endif
