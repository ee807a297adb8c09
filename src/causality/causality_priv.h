/* What the files of causality share: clusters that only grow, and timestamps over them. */
#ifndef MPL_CAUSALITY_CAUSALITY_PRIV_H
#define MPL_CAUSALITY_CAUSALITY_PRIV_H

#include "causality/causality.h"

/* ---- clusters ---------------------------------------------------------------------------- */

/**
 * Clusters of all levels, while they grow; those of one inner cluster are of one outer one. Every
 * location begins as a cluster of its own, with its number. Members are only appended, so that who knows how many there were sees the cluster as it
 * was then; one that was merged into another stays as it was.
 */
struct mpl_clusters {
    uint32_t n_locations;
    uint32_t n_levels;
    const uint32_t *most;        /**< Per level. */
    struct mpl_cluster *cluster; /**< n_levels times n_locations. */
    uint32_t *home;              /**< The cluster of a location, now; likewise. */
    struct mpl_arena *arena;
    bool is_short; /**< Memory ran out. */
};
struct mpl_cluster {
    uint32_t n;
    uint32_t shape;    /**< 1 + that of its last timestamp; 0: there is none. */
    uint32_t *members; /**< NULL: itself only. */
};

/** False: no memory. */
bool mpl_clusters_open(struct mpl_clusters *clusters, const struct mpl_net *net,
                       const struct mpl_causality_options *options,
                       struct mpl_arena *arena);
uint32_t mpl_clusters_home(const struct mpl_clusters *clusters, uint32_t level,
                           uint32_t location);
struct mpl_cluster *mpl_clusters_get(const struct mpl_clusters *clusters, uint32_t level,
                                     uint32_t cluster);
uint32_t mpl_clusters_member(const struct mpl_clusters *clusters, uint32_t level,
                             uint32_t cluster, uint32_t i);
/** Brings the clusters of two locations together, unless that would be too many. */
bool mpl_clusters_merge(struct mpl_clusters *clusters, uint32_t level, uint32_t a,
                        uint32_t b);
/**
 * Puts all locations, per level, in a row in which the members of each cluster stand together, in the order
 * in which they came to it. So do those of a cluster that was merged into another one, which begin
 * with the location whose number it has. \p place: where a location stands; \p home: its cluster; \p size: of a cluster.
 */
void mpl_clusters_line_up(const struct mpl_clusters *clusters, uint32_t *row,
                          uint32_t *place, uint32_t *home, uint32_t *size);

/** Fills all levels by the messages of the whole trace; false: no memory. */
bool mpl_clusters_inform(struct mpl_clusters *clusters, const struct mpl_net *net);

/* ---- a few moments (among.c) --------------------------------------------------------------- */

/** As mpl_precedences_among(). Cost: linear in points, up to the last of the moments. */
enum mpl_status mpl_moments_order(struct mpl_net *net, const struct mpl_moment *moments,
                                  uint32_t n, uint64_t *before, struct mpl_err *err);

/* ---- timestamps -------------------------------------------------------------------------- */

/** How a number of a timestamp is kept; also the numbers of the shapes of full vectors. */
enum mpl_width {
    MPL_WIDTH_WHOLE, /**< As it is. */
    MPL_WIDTH_BYTE,  /**< How much greater it is than that of a whole vector, in a byte, */
    MPL_WIDTH_SHORT, /**< or in two. */
    MPL_WIDTHS
};
static inline size_t mpl_width_bytes(enum mpl_width width)
{
    return width == MPL_WIDTH_WHOLE ? 4 : width;
}

/** Whose numbers a timestamp holds: of members of a cluster, as it was then. */
struct mpl_shape {
    uint32_t cluster;
    uint32_t n;     /**< Members then. */
    uint32_t level; /**< The number of levels: of all locations. */
    enum mpl_width width;
};

/** Of 64 events, which are sinks; and how many sinks come before them. */
struct mpl_sinks {
    uint64_t is_sink;
    uint32_t before;
};

/** The timestamps of a location: one for each of its sinks, found by counting sinks. */
struct mpl_stamps {
    struct mpl_sinks *sinks; /**< NULL: there are none. */
    /** Per stamp, side by side as they are asked for together: where in the values it begins; except in
        plain vectors also its shape, and 1 + the last stamp before it of a higher level, or 0. There
        is none above a full vector, which instead has where the one begins that it is compared with. */
    uint32_t *entries;
    uint32_t n;
    uint32_t highest; /**< Level of any. */
};
/** One of them. */
struct mpl_stamp {
    const void *values; /**< NULL: there is none. */
    struct mpl_shape shape;
    uint32_t up; /**< Of a full vector: where the one begins that it is compared with. */
};
/** While greatest cluster receives are looked for. */
struct mpl_sought {
    uint32_t member; /**< Of a cluster. */
    uint32_t n;      /**< Timestamps to look at. */
    uint32_t place;  /**< Of who is asked about. */
    struct mpl_stamp stamp;
};
enum {
    MPL_ENTRY_FIRST,
    MPL_ENTRY_SHAPE,
    MPL_ENTRY_UP,
    MPL_ENTRY_BASE = MPL_ENTRY_UP,
    MPL_ENTRY_WORDS
};

struct mpl_causality {
    struct mpl_arena *arena;
    struct mpl_net *net; /**< While sinks are stamped. */
    const struct mpl_model *model;
    bool lacks_ends; /**< As the net says. */
    bool lacks_threads;
    uint32_t n_levels;
    uint32_t n_words; /**< Of an entry of stamps. */
    uint32_t *row;    /**< Per level, see mpl_clusters_line_up(). */
    uint32_t *place;
    uint32_t *home;            /**< Per level and location: its cluster in the end. */
    uint32_t *size;            /**< Per level and cluster: its members in the end. */
    struct mpl_stamps *stamps; /**< Per location. */
    size_t n_shapes;
    const struct mpl_shape *shapes; /**< The first one is that of full vectors. */
    size_t n_values;                /**< Words. */
    const uint32_t *values;
    uint64_t n_entries;        /**< Numbers in them. */
    uint64_t n_other_entries;  /**< That events which are no sinks would have. */
    uint64_t n_vector_entries; /**< That plain vectors would have. */
    /** Per location: its first event that may depend on something that is left out, in a circle or
        because it is a guess; MPL_NONE. NULL: there are none. */
    uint32_t *first_left_out;
    bool has_circles;
    struct mpl_net_silent *silent; /**< As the net says. */
    struct mpl_causality_cost cost;
    /* Room for queries: what is known of the members of a cluster. */
    uint32_t *known;
    uint32_t *next_known;
    struct mpl_sought *sought;
};

static inline uint32_t *mpl_entry(const struct mpl_causality *c,
                                  const struct mpl_stamps *stamps, uint32_t stamp)
{
    return stamps->entries + (size_t) stamp * c->n_words;
}

/** Whether a call of which no partner is recorded ends before \p event is over; or begins after it. */
bool mpl_causality_is_behind_silence(struct mpl_causality *c, struct mpl_moment event);
bool mpl_causality_is_before_silence(struct mpl_causality *c, struct mpl_moment event);
/** Whether \p a could come before \p b through calls of which no partner is recorded. */
bool mpl_causality_may_hide(struct mpl_causality *c, struct mpl_moment a,
                            struct mpl_moment b);

/* ---- numbers of timestamps, while they are made ------------------------------------------------------- */

struct mpl_whole;
struct mpl_numbers {
    struct mpl_buf words; /**< uint32_t. */
    uint64_t n;           /**< Numbers in them. */
    uint32_t n_locations;
    struct mpl_whole *whole; /**< Per location: the last vector that is kept whole. */
    bool is_short;           /**< Memory ran out. */
    bool is_beyond;          /**< More words than can be counted. */
};
/** False: no memory. Who opens them frees \p words, also then. */
bool mpl_numbers_open(struct mpl_numbers *numbers, uint32_t n_locations,
                      struct mpl_arena *scratch);
/** Room for \p n numbers, and where it begins; NULL: there is none. */
uint32_t *mpl_numbers_add(struct mpl_numbers *numbers, uint32_t n, uint32_t *first);
/** Adds a full vector of a location, as its width says; begins at \p *first, is compared with that at \p *base. */
enum mpl_width mpl_numbers_add_full(struct mpl_numbers *numbers, uint32_t location,
                                    const uint32_t *vector, uint32_t *first,
                                    uint32_t *base);
/** Vectors of \p location from now on are compared with the whole one that begins at \p first. */
void mpl_numbers_follow(struct mpl_numbers *numbers, uint32_t location, uint32_t first);

/** Fills the stamps. */
enum mpl_status mpl_causality_stamp(struct mpl_causality *c, struct mpl_clusters *clusters,
                                    const struct mpl_causality_options *options,
                                    struct mpl_arena *scratch, struct mpl_err *err);

#endif
