/*
 * Takes:        a model.
 * Makes:        message pairs, collective instances, and what orders the threads of a process.
 * Leaves alone: times; order on a location and MPI's matching rules decide, never a clock.
 */
#ifndef MPL_MATCH_MATCH_H
#define MPL_MATCH_MATCH_H

#include "model/model.h"

/** One end of a message: a location and an index into its message table. */
struct mpl_end {
    uint32_t location;
    uint32_t message; /**< MPL_NONE: no partner. */
};

/**
 * A collective operation with all of its parts that the trace holds. Parts that name different
 * operations or roots are one instance all the same: the members' n-th, which is not complete.
 */
struct mpl_coll_instance {
    uint32_t comm;
    enum mpl_coll_op op;
    uint32_t root;       /**< Process index or MPL_NONE. */
    uint32_t first_part; /**< Into parts of mpl_match. */
    uint32_t n_parts;    /**< At most the communicator's size. */
    bool is_complete;    /**< Every member took part with the same operation. */
};

struct mpl_coll_part {
    uint32_t location;
    uint32_t collective; /**< Index into the location's collectives. */
    uint32_t rank;       /**< In the instance's communicator; the other group of an
                              inter-communicator follows the first. 0 for a self one. */
};

/** A record of a location. */
struct mpl_moment {
    uint32_t location;
    uint32_t event;
};

/** What orders the threads of a process. */
enum mpl_relation_kind {
    MPL_RELATION_FORK,    /**< The fork; then the others of its team begin. */
    MPL_RELATION_JOIN,    /**< What the others did in a team; then its join. */
    MPL_RELATION_BARRIER, /**< A team's threads enter a barrier; then they leave it. */
    MPL_RELATION_LOCK,    /**< A lock is released; then the next one has it. */
    MPL_RELATION_CREATE,  /**< A thread is asked for; then it begins. */
    MPL_RELATION_WAIT,    /**< A thread ends; then the wait for it is over. */
    MPL_RELATION_KINDS
};

/** Threads of one process that a construct orders: every sink comes after every source. */
struct mpl_relation {
    enum mpl_relation_kind kind;
    uint32_t process;
    uint32_t n_sources;
    uint32_t n_sinks;
    size_t first; /**< Into moments of mpl_match: its sources, then its sinks. */
};

struct mpl_match_counts {
    uint64_t pairs;
    uint64_t unmatched_sends;
    uint64_t unmatched_receives;
    uint64_t null_ends; /**< PROC_NULL */
    uint64_t garbage_ends;
    uint64_t open_receives; /**< Posted, completion never recorded. */
    uint64_t
        guessed_comms;    /**< Receives matched in another communicator than EZTrace wrote,
                                  or where several fitted. Their envelope's peer may be wrong:
                                  ask the partner. */
    uint64_t collectives; /**< Instances. */
    uint64_t incomplete_collectives;
};

struct mpl_match {
    /** partner[l][m]: the global number of the other end of message m of location l, or MPL_NONE.
     *  Global numbers run over all locations: see mpl_match_partner(). */
    const uint32_t *const *partner;
    const uint32_t
        *first_number; /**< Per location, n_locations + 1 entries: its first number. */
    /** Per stretch of 2^stretch_bits global numbers, and behind the last one: the location of its first one. */
    const uint32_t *stretch;
    uint32_t stretch_bits;
    /** A bit per global number: a receive whose sender several communicators could have; sizes and
        order decided. NULL: there is none. See mpl_match_is_guess(). */
    const uint64_t *is_guess;
    uint32_t n_instances;
    const struct mpl_coll_instance
        *instances;                    /**< In order of (comm, sequence); those of a self
                                                    communicator by process first. */
    const struct mpl_coll_part *parts; /**< Of one instance: ascending by rank. */
    const uint32_t *const
        *instance; /**< Per location and collective: its instance or MPL_NONE. */
    size_t n_relations;
    const struct mpl_relation *relations; /**< Those of a process together. */
    const struct mpl_moment *moments;
    struct mpl_match_counts counts;
};

/**
 * Matches messages per (communicator, sender, receiver, tag) in MPI order, receives in posting
 * order, over all threads of a process; collectives by communicator and sequence; threads by
 * what their records name (teams, locks, numbers), and only where that is certain. What does not
 * match is counted and located in the model's quality notes: "unmatched-send",
 * "unmatched-receive", "open-receive", "guessed-communicator", "ambiguous-communicator",
 * "unmatched-collective", "collective-mismatch", "open-collective", "collective-outsider".
 *
 * Errors: MPL_E_NOMEM; MPL_E_LIMIT beyond 2^32 message ends. \p *out is written on MPL_OK only.
 * Cost: linear in messages and collective parts.
 */
enum mpl_status mpl_match_create(const struct mpl_model *model, struct mpl_arena *arena,
                                 const struct mpl_match **out, struct mpl_err *err);

/** The location with a global number in a stretch that begins at one location and ends at another. */
__attribute__((pure)) uint32_t mpl_match_location(const struct mpl_match *match,
                                                  uint32_t number, const uint32_t *stretch);

/** The message end behind a global number. Inline, as this and the next are asked for every message, several times. */
static inline struct mpl_end mpl_match_end(const struct mpl_match *match, uint32_t number)
{
    const uint32_t *stretch = &match->stretch[number >> match->stretch_bits];
    const uint32_t location =
        stretch[0] == stretch[1] ? stretch[0] : mpl_match_location(match, number, stretch);

    return (struct mpl_end){ location, number - match->first_number[location] };
}

/** The other end of message \p message of \p location; .message is MPL_NONE when unmatched. */
static inline struct mpl_end mpl_match_partner(const struct mpl_match *match,
                                               uint32_t location, uint32_t message)
{
    const uint32_t number = match->partner[location][message];

    return number == MPL_NONE ? (struct mpl_end){ MPL_NONE, MPL_NONE }
                              : mpl_match_end(match, number);
}

/** Whether the other end of a receive is a guess. */
bool mpl_match_is_guess(const struct mpl_match *match, uint32_t location, uint32_t message);

#endif
