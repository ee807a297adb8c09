/* Expressions over members, and the automaton made from one. Nothing here knows what an event is. */
#ifndef MPL_PATTERN_AUTOMATON_H
#define MPL_PATTERN_AUTOMATON_H

#include "base/base.h"

enum {
    MPL_MEMBERS_MAX = 64, /**< So that a set of members is one word. */
    MPL_STATES_MAX = 512,
    MPL_SYMBOLS_MAX = 1000, /**< Names in one expression. */
    MPL_NESTING_MAX = 64,   /**< Parentheses in one expression. */
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

#endif
