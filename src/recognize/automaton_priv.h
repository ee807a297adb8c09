/*
 * Expressions over members, the automaton made from one, and the search for its matches in a
 * sequence of events. Nothing here knows what an event is: it is a set of members that it may
 * stand for.
 */
#ifndef MPL_RECOGNIZE_AUTOMATON_PRIV_H
#define MPL_RECOGNIZE_AUTOMATON_PRIV_H

#include "base/base.h"

/**
 * Makes \p buf hold \p n items; what the new ones contain is not defined. For arrays that are
 * filled by index, where a call per item would cost more than the item. False: no memory.
 */
static inline bool mpl_grow_to(struct mpl_buf *buf, size_t n)
{
    while (buf->room < n) {
        buf->n = buf->room;
        if (mpl_buf_add(buf) == NULL) {
            return false;
        }
    }
    buf->n = n;
    return true;
}

enum {
    MPL_MEMBERS_MAX = 64, /**< So that a set of members is one word. */
    MPL_STATES_MAX = 512,
    MPL_SYMBOLS_MAX = 1000, /**< Names in one expression. */
    MPL_NESTING_MAX = 64,   /**< Parentheses in one expression. */
    MPL_EXTEND_MAX =
        4096, /**< Events after which a complete match is no longer extended. */
};

/* ---- expressions --------------------------------------------------------------- */

enum mpl_node_kind {
    MPL_NODE_EMPTY,      /**< The empty sequence. */
    MPL_NODE_MEMBER,     /**< a: member */
    MPL_NODE_SEQUENCE,   /**< a, then b */
    MPL_NODE_CHOICE,     /**< a or b */
    MPL_NODE_CONCURRENT, /**< a and b, interleaved in any way */
    MPL_NODE_STAR,       /**< a, any number of times */
    MPL_NODE_PLUS,       /**< a, at least once */
};

struct mpl_node {
    enum mpl_node_kind kind;
    uint32_t a, b;    /**< Member or node numbers. */
    bool is_nullable; /**< The empty sequence is among what it stands for. */
    uint64_t members; /**< Bit per member in it. */
};

/** Nodes are hash-consed: equal expressions have equal numbers. Lives on the heap. */
struct mpl_expression {
    struct mpl_buf nodes; /**< struct mpl_node */
    struct mpl_map *numbers;
    uint32_t root;
    /** Per member that is elsewhere and stands beside &: the members that it is concurrent with, those
        of the other side. It is no part of the nodes. 0 for all others. */
    uint64_t beside[MPL_MEMBERS_MAX];
    uint64_t optional; /**< Bit per such member that may be absent. */
};

/** How a member occurs in an expression. */
struct mpl_occurrence {
    bool is_used;
    bool is_repeated;   /**< May occur more than once in a match. */
    bool is_optional;   /**< May be absent from a match. */
    bool is_concurrent; /**< Stands below an &. */
};

/** Where an expression stands, and the names that it may use. */
struct mpl_expression_text {
    const char *text;
    struct mpl_place place; /**< Of the first character. */
    bool is_inline;         /**< Columns count from place. */
    const char *const *members;
    size_t n_members;
    uint64_t elsewhere; /**< Bit per member of another location than the event's. */
};

/**
 * Parses an expression. Faults go to \p lint with their place: MPL_E_SYNTAX.
 * \p *out must be zeroed; it is to be given to mpl_expression_free() in any case.
 */
enum mpl_status mpl_expression_parse(const struct mpl_expression_text *source,
                                     struct mpl_lint *lint, struct mpl_expression *out,
                                     struct mpl_err *err);
void mpl_expression_free(struct mpl_expression *expression);
/** Into \p occurrences, one per member. MPL_E_NOMEM only. */
enum mpl_status mpl_expression_occurrences(const struct mpl_expression *expression,
                                           struct mpl_occurrence *occurrences,
                                           size_t n_members, struct mpl_err *err);
/** The number of a node of these parts, made if need be and simplified; MPL_NONE: no memory. */
uint32_t mpl_expression_node(struct mpl_expression *expression, enum mpl_node_kind kind,
                             uint32_t a, uint32_t b);
const struct mpl_node *mpl_expression_get(const struct mpl_expression *expression,
                                          uint32_t node);

/* ---- automata -------------------------------------------------------------------- */

struct mpl_transition {
    uint16_t member;
    uint16_t state;
};

struct mpl_automaton {
    uint32_t n_states;     /**< State 0 is the start. */
    const uint32_t *first; /**< Per state, and one more: its first transition. */
    const struct mpl_transition
        *transitions;       /**< Of one state: the preferred ones first. */
    const uint64_t *wanted; /**< Per state: the members it has transitions for. */
    const bool *is_final;
};

/**
 * Antimirov's automaton: its states are the partial derivatives of the expression.
 *
 * Ownership: lives in \p arena; new nodes are added to \p expression.
 * Errors:    MPL_E_LIMIT above MPL_STATES_MAX states; MPL_E_NOMEM.
 */
enum mpl_status mpl_automaton_create(struct mpl_expression *expression,
                                     struct mpl_arena *arena,
                                     const struct mpl_automaton **out, struct mpl_err *err);

/* ---- matching ---------------------------------------------------------------------- */

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
    uint32_t position;
    uint32_t member;
};

/** Called with each match; captures are ascending by position. */
typedef enum mpl_status mpl_match_take(void *context, const struct mpl_capture *captures,
                                       size_t n, struct mpl_err *err);

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
