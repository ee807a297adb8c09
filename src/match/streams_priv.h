/*
 * A stream is all messages with the same communicator, sender, receiver and tag: MPI delivers
 * them in the order in which they were sent to receives in the order in which they were posted.
 */
#ifndef MPL_MATCH_STREAMS_PRIV_H
#define MPL_MATCH_STREAMS_PRIV_H

#include "match/match_priv.h"

struct mpl_stream {
    uint32_t comm;
    uint32_t sender;
    uint32_t receiver;
    uint32_t tag;
    uint32_t
        head; /**< Number of the oldest send that no receive has taken; MPL_NONE: none. */
    uint32_t tail; /**< Number of the youngest one; valid while head is. */
    uint32_t n_sends;
    uint32_t n_spare; /**< Sends that no receive with a sure communicator will take. */
    uint32_t next;    /**< The next candidate of the same choice, or MPL_NONE. */
};

/** Receives of a process that name the same rank and tag, but not surely the communicator. */
struct mpl_choice {
    uint32_t receiver;
    uint32_t rank;
    uint32_t tag;
    uint32_t n_receives;
    uint32_t first; /**< First candidate stream with sends to spare, or MPL_NONE. */
    uint32_t
        settled; /**< The stream that all of its receives take from; MPL_NONE: each its own. */
    bool has_several; /**< Candidates: whatever is taken, it is a guess. */
};

/** Finds things by up to four words: a table of numbers, open addressing. */
struct mpl_slots {
    uint32_t *slot;
    uint32_t mask;
};

enum { MPL_STREAM_UNKNOWN = UINT32_MAX - 1 };

struct mpl_streams {
    struct mpl_matcher *matcher;
    struct mpl_stream *stream;
    uint32_t n_streams;
    struct mpl_slots slots;
    uint32_t *first_envelope; /**< Per location: the number of its first envelope. */
    uint32_t
        *stream_of; /**< Per envelope: its stream, MPL_NONE or MPL_STREAM_UNKNOWN; of an
                                   envelope with unsure communicator: its choice. */
    struct mpl_choice *choice;
    uint32_t n_choices;
    struct mpl_slots choice_slots;
};

/** Room for \p n entries. */
enum mpl_status mpl_slots_create(struct mpl_slots *slots, struct mpl_arena *arena,
                                 uint32_t n, struct mpl_err *err);
uint32_t mpl_slots_hash(uint32_t a, uint32_t b, uint32_t c, uint32_t d);

/** The stream of that key, or MPL_NONE. */
uint32_t mpl_streams_find(const struct mpl_streams *streams, uint32_t comm, uint32_t sender,
                          uint32_t receiver, uint32_t tag);
/** Takes the oldest send from \p stream for receive number \p receive, if there is one. */
bool mpl_stream_pop(struct mpl_streams *streams, uint32_t stream, uint32_t receive);

/** Whether a receive's communicator has to be found out. */
bool mpl_envelope_is_unsure(const struct mpl_envelope *envelope);
/** Finds, for every choice, the streams that its receives may take from. */
enum mpl_status mpl_choices_create(struct mpl_streams *streams, struct mpl_err *err);
/** Takes a send for a receive whose communicator is unsure. */
bool mpl_choice_take(struct mpl_streams *streams, uint32_t choice, uint32_t location,
                     uint32_t message);

#endif
