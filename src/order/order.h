/*
 * Takes:        a model, its message pairs, collective instances and relations of threads.
 * Makes:        the order that they prove: which moment of one location comes before which
 *               moment of another, whatever their clocks say; and how often clocks disagree.
 * Leaves alone: times.
 *
 * While clocks are compared, times are those of a process: ticks since the base of its master
 * location. Differences of absolute times do not appear, so nothing depends on how large a
 * clock's count is.
 */
#ifndef MPL_ORDER_ORDER_H
#define MPL_ORDER_ORDER_H

#include "match/match.h"

/** Beyond every duration that a trace can hold; sums of two stay far from overflow. */
#define MPL_TICKS_FAR (INT64_C(1) << 61)

/** A sum of many, kept within MPL_TICKS_FAR, whatever a damaged trace holds. */
static inline int64_t mpl_ticks_narrow(__int128 ticks)
{
    if (ticks > MPL_TICKS_FAR) {
        return MPL_TICKS_FAR;
    }
    return ticks < -MPL_TICKS_FAR ? -MPL_TICKS_FAR : (int64_t) ticks;
}
/** Whether \p ticks are within MPL_TICKS_FAR: nearly all are, and need no 128 bits. */
static inline bool mpl_ticks_are_near(int64_t ticks)
{
    return (uint64_t) ticks + MPL_TICKS_FAR <= 2 * (uint64_t) MPL_TICKS_FAR;
}
/** a - b, kept likewise. */
static inline int64_t mpl_ticks_minus(int64_t a, int64_t b)
{
    int64_t ticks;

    return !__builtin_sub_overflow(a, b, &ticks) && mpl_ticks_are_near(ticks)
               ? ticks
               : mpl_ticks_narrow((__int128) a - b);
}
/** a + b of two such differences, kept likewise. */
static inline int64_t mpl_ticks_plus(int64_t a, int64_t b)
{
    int64_t ticks;

    return !__builtin_add_overflow(a, b, &ticks) && mpl_ticks_are_near(ticks)
               ? ticks
               : mpl_ticks_narrow((__int128) a + b);
}

/* ---- one look at the trace ----------------------------------------------------------- */

/** The trace as the comparisons see it. */
struct mpl_order_view {
    const struct mpl_model *model;
    const struct mpl_match *match;
    int64_t *skew_ticks; /**< Per location: its base minus that of its process's master. */
};

enum mpl_status mpl_order_view_create(const struct mpl_model *model,
                                      const struct mpl_match *match,
                                      struct mpl_arena *arena, struct mpl_order_view **out,
                                      struct mpl_err *err);
/** Takes the bases anew after they were rewritten. */
void mpl_order_view_refresh(struct mpl_order_view *view);
/** Time of an event on its process's clock. Inline, as it is asked for both ends of every message. */
static inline int64_t mpl_order_view_time(const struct mpl_order_view *view,
                                          uint32_t location, uint32_t event)
{
    const int64_t ticks = mpl_ticks_of(&view->model->locations[location], event);

    /* Unsigned, so that a damaged base wraps instead of being undefined. */
    return (int64_t) ((uint64_t) ticks + (uint64_t) view->skew_ticks[location]);
}

/** A message between two processes, in process times. */
struct mpl_order_pair {
    uint32_t from; /**< Process. */
    uint32_t to;   /**< Process. */
    uint32_t from_location;
    uint32_t to_location;
    uint32_t to_message;    /**< Of a message: the receiver's; 0 of an answer. */
    uint32_t from_event;    /**< The event of sent_ticks. */
    uint32_t to_event;      /**< The event of received_ticks. */
    int64_t sent_ticks;     /**< The send's record: written before the message can leave. */
    int64_t received_ticks; /**< The receive's completion: written after it has come. */
    int64_t waiting_ticks;  /**< Of answers: since when the sender has been in its call. */
    bool is_guess;          /**< Who sent it is not certain, see mpl_match_is_guess(). */
};
typedef void (*mpl_pair_visitor)(void *context, const struct mpl_order_pair *pair);
/** Visits all messages, those of one receiving process one after the other. */
void mpl_order_walk_pairs(const struct mpl_order_view *view, mpl_pair_visitor visit,
                          void *context);
enum { MPL_ORDER_BATCH = 64 };
/** A walk over the messages that a location received, which may stop early. */
struct mpl_order_pairs {
    const struct mpl_order_view *view;
    uint32_t location;
    uint32_t next; /**< Message to go on with. */
};
/** The next messages, at most MPL_ORDER_BATCH, into \p pairs; 0 when there are no more. */
uint32_t mpl_order_pairs_next(struct mpl_order_pairs *walk, struct mpl_order_pair *pairs);
/** Whether the program made synchronous sends. */
bool mpl_order_has_answers(const struct mpl_order_view *view);
/**
 * Visits the answers of a location's synchronous sends, which return only when the receive has
 * begun: as if the receiver sent a message when it entered its call, which comes when the send
 * is left.
 */
void mpl_order_walk_answers(const struct mpl_order_view *view, uint32_t location,
                            mpl_pair_visitor visit, void *context);
/** When the call was entered in which \p event is recorded; false if the trace does not say. */
bool mpl_order_view_enter(const struct mpl_order_view *view, uint32_t location,
                          uint32_t event, int64_t *enter_ticks);

/** How far it is known that a member of a collective gives something to others, or takes. */
enum mpl_data {
    MPL_DATA_NONE,
    MPL_DATA_USUAL,  /**< The operation is for that, but may pass without. */
    MPL_DATA_CERTAIN /**< It proves an order. */
};
struct mpl_data_flow {
    enum mpl_data gives;
    enum mpl_data takes;
};
struct mpl_data_flow mpl_order_data_of(const struct mpl_model *model,
                                       const struct mpl_coll_instance *in,
                                       const struct mpl_coll_part *part);
/** Whether who takes something needs members of lower rank only: scans. Else it needs all that give. */
bool mpl_order_is_prefix(enum mpl_coll_op op);
/** Number of the root among the parts of \p in; MPL_NONE: it has no root, or its part is not recorded. */
uint32_t mpl_order_root_part(const struct mpl_model *model, const struct mpl_match *match,
                             const struct mpl_coll_instance *in);
/** Whether all members are recorded that part \p i of \p in could need, given that it takes something; \p root is
    as mpl_order_root_part() says. */
bool mpl_order_has_needed(const struct mpl_match *match, const struct mpl_coll_instance *in,
                          uint32_t root, uint32_t i);
/** Whether byte counts tell which members give and take: an operation with counts per rank. */
bool mpl_order_has_counts(const struct mpl_model *model, enum mpl_coll_op op);

/**
 * A collective operation, by rank: whoever has a leave needs everybody who has an enter. A
 * member that sends nothing has no enter, one that needs nothing has no leave.
 */
struct mpl_order_instance {
    uint32_t comm;
    uint32_t n;                  /**< Members. */
    const uint32_t *process;     /**< By rank. */
    const uint32_t *location;    /**< By rank; MPL_NONE: its part is not recorded. */
    const int64_t *enter_ticks;  /**< By rank, process time; MPL_ORDER_NEVER where none. */
    const int64_t *leave_ticks;  /**< By rank, process time; MPL_ORDER_NEVER where none. */
    const uint32_t *enter_event; /**< By rank; holds where there is an enter. */
    const uint32_t *leave_event; /**< By rank; holds where there is a leave. */
    uint32_t root;  /**< Rank of the only one that enters or leaves; MPL_NONE. */
    bool is_to_all; /**< With a root: it enters, the others leave. */
    bool is_prefix; /**< A rank needs lower ranks only. */
    bool is_any;    /**< Whoever has a leave needs some other that has an enter, and nobody
                         knows which: it cannot leave before the earliest of them. */
    bool is_presumed; /**< No rule says that it synchronises, see mpl_order_is_trusted(). */
};
#define MPL_ORDER_NEVER INT64_MIN
typedef void (*mpl_instance_visitor)(void *context, const struct mpl_order_instance *in);
/** Visits the collectives from which something follows, those of a communicator together. */
enum mpl_status mpl_order_walk_instances(const struct mpl_order_view *view,
                                         mpl_instance_visitor visit, void *context,
                                         struct mpl_err *err);

/**
 * Visits what is of no use to those who estimate clocks: Alltoallv and Alltoallw (is_any), and
 * MPI_Init and MPI_Finalize of the whole run (is_presumed; comm is MPL_NONE). Flags tell which.
 */
enum mpl_status mpl_order_walk_weak(const struct mpl_order_view *view,
                                    mpl_instance_visitor visit, void *context,
                                    struct mpl_err *err);
/**
 * Whether a presumed instance is taken for a synchronising call. MPI lets a process leave
 * MPI_Init before another has entered it, although libraries hardly ever do. So an instance
 * counts as long as its reversal can be an error of the clocks: one no larger than
 * \p worst_certain_ticks, the largest between processes that certain pairs and instances show.
 */
bool mpl_order_is_trusted(int64_t reversed_ticks, int64_t worst_certain_ticks);
/** By how much \p in is reversed at most; 0 if it is not. */
int64_t mpl_order_reversal(const struct mpl_order_instance *in, const int64_t *add_ticks);

/** Reports the member \p to that leaves before the member \p from, whom it needs, has entered. */
typedef void (*mpl_reversed_teller)(void *context, const struct mpl_order_instance *in,
                                    uint32_t from, uint32_t to, int64_t reversed_ticks);
/**
 * With \p add_ticks added per process: each member at most once, against the last it needs.
 * Returns how many members need another one at all.
 */
uint32_t mpl_order_find_reversed(const struct mpl_order_instance *in,
                                 const int64_t *add_ticks, mpl_reversed_teller tell,
                                 void *context);

/* ---- threads ------------------------------------------------------------------------------- */

/** Moments of threads of one process: every sink comes after every source. */
struct mpl_order_group {
    uint32_t process;
    enum mpl_relation_kind kind;
    uint32_t n_sources;
    uint32_t n_sinks;
    const struct mpl_moment *sources; /**< Each of another location. */
    const struct mpl_moment *sinks;   /**< Likewise; a barrier has sources there, too. */
};
typedef void (*mpl_group_visitor)(void *context, const struct mpl_order_group *group);
/** Visits all groups, those of a process together. */
void mpl_order_walk_groups(const struct mpl_order_view *view, mpl_group_visitor visit,
                           void *context);

/* ---- the net -------------------------------------------------------------------------------- */

enum {
    MPL_POINT_SOURCE = 1,  /**< Else it is a sink: it needs all sources of its link. */
    MPL_POINT_GROUP = 2,   /**< The link is a group, else a pair. */
    MPL_POINT_IGNORED = 4, /**< Sinks: in a circle, not waited for. */
    MPL_POINT_MARK = 8     /**< Sinks: times what a watch said of it. */
};

/** One role of one event. An event with several roles has several points: sinks first. */
struct mpl_net_point {
    uint32_t event;
    uint32_t link; /**< Pair or group. */
    uint8_t flags;
};

/** A location. */
struct mpl_net_track {
    uint32_t n_points;
    struct mpl_net_point *points; /**< By event. */
};

/**
 * Whoever is a sink needs all sources of other locations. Groups of a prefix operation are a
 * chain: what one group needs, the next one needs too.
 */
struct mpl_net_group {
    uint32_t n_sources; /**< The group before it in a chain is one. */
    uint32_t next;      /**< In its chain, always the group after it; MPL_NONE. */
};

/** Calls of a location that communicate, the trace does not say with whom. */
struct mpl_net_silent {
    uint32_t first_end; /**< Event that leaves the first one; MPL_NONE: there are none. */
    uint32_t n_until_last; /**< Events until the last one has begun; 0: likewise. */
};

/** All dependences of a trace in one form: pairs have a source and a sink, groups have any number. */
struct mpl_net {
    const struct mpl_model *model;
    uint32_t n_tracks;
    struct mpl_net_track *track; /**< Per location. */
    /** Per location: its first event that may depend on something that is not certain, and is therefore
        left out; MPL_NONE. NULL: there are none. */
    uint32_t *first_left_out;
    uint64_t n_points;
    uint32_t n_pairs; /**< Numbers of pairs; not each has one. */
    uint32_t n_groups;
    struct mpl_net_group *group;
    /** Ends of messages or members of collectives that belong to those recorded are not: there may be more
        dependences. */
    bool lacks_ends;
    bool
        lacks_threads; /**< A process has several threads, and nothing that orders them is recorded. */
    /** Per location; NULL: there are none, or there is a watch, which has no use for them. */
    struct mpl_net_silent *silent;
};

/**
 * Sees the times of dependences while a net is made, and marks their sinks with a number from 0 to
 * 31. Messages of one receiving process come one after the other; presumed instances after all
 * messages and other instances.
 */
struct mpl_net_watch {
    void *context;
    unsigned (*message)(void *context, const struct mpl_order_pair *pair);
    unsigned (*answer)(void *context, const struct mpl_order_pair *pair);
    /** A sink of a group comes so long after its last source. */
    unsigned (*member)(void *context, bool is_thread, int64_t delay_ticks);
    /** There and back again between two members of a collective took so long. */
    void (*round)(void *context, int64_t ticks);
    /** Whether a presumed instance is a dependence. */
    bool (*does_trust)(void *context, const struct mpl_order_instance *in);
};

/**
 * Makes the net of what certainly depends on what. With a \p watch, what mpl_order_walk_weak()
 * visits is part of it, too, and messages whose sender is a guess.
 *
 * Ownership: the net lives in \p arena. Errors: MPL_E_NOMEM; MPL_E_LIMIT beyond 2^32 dependences. Cost:
 * linear in events and messages.
 */
enum mpl_status mpl_net_create(const struct mpl_order_view *view,
                               const struct mpl_net_watch *watch, struct mpl_arena *arena,
                               struct mpl_net **out, struct mpl_err *err);

/** Who goes along with a walk. */
struct mpl_net_walker {
    void *context;
    /** Point \p i will be passed soon: time to ask the memory for what that takes. NULL: nothing. */
    void (*soon)(void *context, uint32_t location, uint32_t i);
    /** Point \p i of \p location is a source. */
    void (*source)(void *context, uint32_t location, uint32_t i);
    /** It is a sink, and all its sources have come, or it is ignored. False: the walk ends. */
    bool (*sink)(void *context, uint32_t location, uint32_t i);
    /** All sources of a group have come; what it needs goes on to the \p next one of its chain. */
    void (*chain)(void *context, uint32_t group, uint32_t next);
    /** The time of a sink that is waited for; in a circle the earliest is ignored. NULL: no clock is
        asked, all sinks of a circle are. */
    int64_t (*blocked_ticks)(void *context, uint32_t location, uint32_t i);
    const struct mpl_progress *progress;
    const char *doing; /**< For the progress. */
    /** Locations advance side by side, as they do in a run: in each round all that can, by number,
        and each over its next sinks and the sources behind them. Else one goes on for as long as it
        can, which takes less time. */
    bool is_in_rounds;
};

/**
 * Walks all points in an order that the dependences allow: a location runs until it comes to a
 * sink with a source that has not come yet, and goes on when the last one has. Each point is
 * passed once.
 *
 * Where a trace is damaged or a match is wrong, locations may wait for each other in a circle.
 * The clocks are the only witness of what came first then: the blocked sink with the smallest
 * time gets the flag MPL_POINT_IGNORED, also for later walks, and is noted as
 * "clock-contradiction". Where clocks are not asked none is more suspect than another: all sinks
 * that the locations of a circle stand at get the flag, and are noted as "order-circle". \p n_ignored: so
 * many new ones.
 *
 * Errors: MPL_E_NOMEM. Cost: linear in points; with circles, times the logarithm of locations.
 */
enum mpl_status mpl_net_walk(struct mpl_net *net, const struct mpl_net_walker *walker,
                             uint64_t *n_ignored, struct mpl_err *err);

/** The largest of some times, and the largest of another location. */
struct mpl_top {
    int64_t first_ticks; /**< MPL_ORDER_NEVER: there is none. */
    int64_t second_ticks;
    uint32_t first_location;
    uint32_t second_location;
};
void mpl_top_clear(struct mpl_top *top);
void mpl_top_add(struct mpl_top *top, int64_t ticks, uint32_t location);
void mpl_top_merge(struct mpl_top *top, const struct mpl_top *other);
/** The largest of all locations but \p location; MPL_ORDER_NEVER. */
int64_t mpl_top_of_others(const struct mpl_top *top, uint32_t location);

/* ---- violations of the clock condition --------------------------------------------- */

struct mpl_violations {
    uint64_t p2p; /**< Messages received before they were sent. */
    uint64_t
        collective; /**< Participants that left before one they depend on had entered. */
    uint64_t
        thread; /**< Moments of threads before one of their process that they follow. */
    int64_t worst_ticks;         /**< Largest reversal. */
    int64_t worst_certain_ticks; /**< Of messages and collectives that are not presumed. */
    uint64_t n_p2p;              /**< Of so many messages … */
    uint64_t n_collective;       /**< … participants that depend on another … */
    uint64_t n_thread;           /**< … and moments of threads that follow another's. */
};

/** Counts violations while pairs and instances are walked. */
struct mpl_tally {
    const int64_t *add_ticks; /**< Per process: added to its times. */
    uint64_t *per_location;   /**< Counts at the location that ends too early; or NULL. */
    struct mpl_violations *found;
};
/** For mpl_tally_pair() only: a message that is received by so much before it is sent. */
void mpl_tally_reversed_pair(struct mpl_tally *tally, const struct mpl_order_pair *pair,
                             int64_t reversed_ticks);
static inline void mpl_tally_pair(struct mpl_tally *tally,
                                  const struct mpl_order_pair *pair)
{
    const int64_t between =
        mpl_ticks_minus(tally->add_ticks[pair->to], tally->add_ticks[pair->from]);
    const int64_t ticks =
        mpl_ticks_plus(mpl_ticks_minus(pair->received_ticks, pair->sent_ticks), between);

    tally->found->n_p2p++;
    if (ticks < 0) {
        mpl_tally_reversed_pair(tally, pair, -ticks);
    }
}
void mpl_tally_instance(struct mpl_tally *tally, const struct mpl_order_instance *in);
/** Weak instances and threads, all at once; must come after all pairs and instances. */
enum mpl_status mpl_tally_rest(struct mpl_tally *tally, const struct mpl_order_view *view,
                               struct mpl_err *err);

#endif
