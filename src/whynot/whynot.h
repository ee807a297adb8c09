/*
 * Takes:        an engine whose rules have fired, and the name of a finding or a rule.
 * Makes:        why a finding is missing, or what a rule compared, as a tree in words.
 * Leaves alone: why a recognised pattern fits or not (analysis).
 */
#ifndef MPL_WHYNOT_WHYNOT_H
#define MPL_WHYNOT_WHYNOT_H

#include "infer/infer.h"

enum mpl_why_kind {
    MPL_WHY_ANSWER,  /**< The root. */
    MPL_WHY_FINDING, /**< A finding. */
    MPL_WHY_RULE,    /**< The rule that concluded it, or could have. */
    MPL_WHY_MET,     /**< Conditions that are met, in one sentence. */
    MPL_WHY_FAILED,  /**< The first condition that is not. */
    MPL_WHY_VALUE,   /**< A metric, another fact, or what it was compared with. */
    MPL_WHY_NOTE     /**< What the answer leaves out. */
};

/** An answer as a tree. */
struct mpl_why {
    enum mpl_why_kind kind;
    const char *text;
    const char *says;       /**< What that means: a comment or a text; NULL when nothing. */
    struct mpl_place place; /**< In the rules; file NULL when it has none. */
    const char *pattern;    /**< The pattern that was not recognised; NULL otherwise. */
    struct mpl_why *first;  /**< Below it. */
    struct mpl_why *next;   /**< Beside it. */
};

/** Adds \p child as the last below \p parent; NULL is passed on. */
struct mpl_why *mpl_why_add(struct mpl_why *parent, struct mpl_why *child);

/** "3.12 ms", "1,234", "0.0493", "62 B"; NULL without memory. */
const char *mpl_why_number(struct mpl_arena *arena, double value, const char *unit);

/**
 * For each rule that could have concluded a finding of that name, the first condition that is not
 * met by the facts at the end of the run, and which facts come nearest. Metrics and findings that
 * are missing are followed to the rules that would have brought them.
 *
 * Errors: MPL_E_USAGE when no rule concludes such a finding, with a suggestion; MPL_E_LIMIT after
 *         a limit was reached.
 */
enum mpl_status mpl_why_not(struct mpl_infer *infer, const char *name,
                            struct mpl_arena *arena, struct mpl_why **out,
                            struct mpl_err *err);
/** A rule with what it compares, and below each the comment of its threshold. */
enum mpl_status mpl_why_rule(struct mpl_infer *infer, const char *rule,
                             struct mpl_arena *arena, struct mpl_why **out,
                             struct mpl_err *err);

#endif
