/*
 * What of the rules a run can use.
 *
 * Which facts `metric` of single locations rules can use. A rule about one location mostly has a condition that few
 * locations meet (the first in rank, a share above a threshold, a fact of another rule), and many more that only
 * fetch values of the same location. Facts of a location that fails such an anchor complete no match.
 * Free of CLIPS types; clips_demand.c holds it against facts.
 */
#ifndef MPL_RULEBOOK_DEMAND_H
#define MPL_RULEBOOK_DEMAND_H

#include "rulebook/forms.h"

/** Facts that there may be. */
struct mpl_given {
    const char *template;
    const char *name; /**< That is in their slot name, or note; NULL: any. */
};

/**
 * Per construct of \p rules, source by source, whether it is needed where the host asserts no other facts than \p given. All
 * of them where that is NULL. NULL without memory.
 */
bool *mpl_rules_choose(const struct mpl_rules *rules, const struct mpl_given *given,
                       size_t n_given, struct mpl_arena *arena);

/** What a location must meet. */
struct mpl_demand_anchor {
    const char
        *template; /**< There is such a fact, with its run and location; NULL: a metric. */
    const char *metric;          /**< NULL: a fact. */
    bool is_rank;                /**< Its rank is compared, not its value. */
    char comparison;             /**< '<', '>' or '=' */
    bool is_or_equal;            /**< Of '<' and '>'. */
    const struct mpl_form *than; /**< With no variables but: */
    const char *
        n; /**< The one that is how many locations have the metric, without "?"; or NULL. */
};

enum { MPL_ANCHORS = 64 };

/** Conditions of a rule that facts of a metric can meet where all anchors hold; bits are their numbers. */
struct mpl_use {
    const char *metric;
    uint64_t metrics;   /**< Anchors that are metrics. */
    uint64_t templates; /**< Anchors that are facts. */
    bool is_any;        /**< Only asks whether there is any fact of that metric. */
};

struct mpl_demand {
    bool is_all; /**< Rules may look at all facts `metric`. */
    size_t n_anchors;
    struct mpl_demand_anchor anchors[MPL_ANCHORS];
    size_t n_uses;
    const struct mpl_use *uses;
};

/** Of the constructs that are \p chosen, source by source. False without memory. */
bool mpl_demand_read(const struct mpl_rules *rules, const bool *chosen,
                     struct mpl_arena *arena, struct mpl_demand *out);

#endif
