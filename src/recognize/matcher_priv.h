/*
 * The search for matches of an automaton in a sequence of events. An event is a set of members that it may stand for.
 */
#ifndef MPL_RECOGNIZE_MATCHER_PRIV_H
#define MPL_RECOGNIZE_MATCHER_PRIV_H

#include "pattern/automaton.h"

/** Events after which a complete match is no longer extended. */
enum { MPL_EXTEND_MAX = 4096 };

/**
 * A sequence of events as the members that each may stand for: bit m for member m. To be small
 * it holds letters, and the sets once per letter.
 */
struct mpl_letters {
    const uint16_t *letters;
    uint32_t n_letters;    /**< That there are, so many masks. */
    uint32_t first, n;     /**< Positions first … n-1 are searched. */
    const uint64_t *masks; /**< Per letter. */
    bool is_strict; /**< Events of the empty set end a match instead of being skipped. */
    /**
     * Asked about events whose set has a member of \p unsure: takes from \p mask what does not
     * hold. NULL when there is no such member.
     */
    uint64_t (*refine)(void *context, uint32_t position, uint64_t mask);
    void *context;
    uint64_t unsure;
};

struct mpl_capture {
    uint32_t position; /**< Counted from struct mpl_event_match.first. */
    uint32_t member;
};

enum { MPL_MATCH_KEPT = 4 };

struct mpl_event_match {
    const struct mpl_capture *captures; /**< Ascending by position. */
    size_t n;
    uint32_t first;
    /** Below MPL_MATCH_KEPT, or MPL_NONE: the captures are those of the last match with that number which was no repeat. */
    uint32_t kept;
    bool is_repeat;
};

/** Called with each match. */
typedef enum mpl_status mpl_match_take(void *context, const struct mpl_event_match *match,
                                       struct mpl_err *err);

/** Working memory of matching, reused from search to search. */
struct mpl_event_matcher;
/** Lives in \p arena, and its buffers on the heap until mpl_matcher_close(). NULL: no memory. */
struct mpl_event_matcher *mpl_matcher_open(struct mpl_arena *arena);
void mpl_matcher_close(struct mpl_event_matcher *matcher); /* NULL is allowed */

/**
 * Finds the leftmost longest match, reports it, and continues behind it. Equal sequences that can
 * be read in several ways are read as the expression prefers: left choice, more repetitions.
 * A complete match is given up for extension after \p extend_max further events of interest.
 *
 * Cost: linear in the events, times the states that are alive at once, times at most extend_max
 *       for expressions whose complete matches nearly always seem extensible.
 */
enum mpl_status mpl_matcher_run(struct mpl_event_matcher *matcher,
                                const struct mpl_automaton *automaton,
                                const struct mpl_letters *letters, uint32_t extend_max,
                                mpl_match_take *take, void *context, struct mpl_err *err);
/** Threads stepped since creation: what the cost is counted in. */
uint64_t mpl_matcher_steps(const struct mpl_event_matcher *matcher);

#endif
