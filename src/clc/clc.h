/*
 * Takes:        a model on one time line, and the order that messages, collectives and threads
 *               prove.
 * Makes:        times without any violation of the clock condition, in place: the controlled
 *               logical clock with forward and backward amortisation.
 * Leaves alone: the order of events on a location; every time where no violation is near.
 */
#ifndef MPL_CLC_CLC_H
#define MPL_CLC_CLC_H

#include "order/order.h"

/** What a user may choose; mpl_clc_defaults() gives the values stated here. */
struct mpl_clc_options {
    bool is_off;  /**< Leave violations as they are. */
    double gamma; /**< 0.999: how fast a location's clock runs while it falls back to its
                         own time, as a share of its speed; of the first pass. In (0, 1]. */
    double
        delta_s; /**< 1e-9: what lies at least between two moved events of a location that
                         were apart before; never more than they were apart. */
    double
        mu_s; /**< < 0: from the trace: the smallest delay of a class, at most half of its
                         smallest round trip, at least a tick; no message that is in order is
                         moved because of it. Else what every pair takes at least, and those
                         that are faster are violations as well. */
    double
        amortization; /**< 50: length of the stretch before a jump over which it is built up,
                              as a multiple of the jump (so clocks run 2 % fast there). */
    double error_s; /**< Largest shift that is accepted: while the last pass moved an event
                            farther, another one follows with a smaller gamma. < 0: from the
                            trace: 1.1 times what the worst violation alone needs or, where
                            violations add up along a path, the least possible shift. */
    uint32_t max_passes; /**< 8 */
};
struct mpl_clc_options mpl_clc_defaults(void);

/** Classes of pairs, each with a smallest delay of its own. */
enum mpl_clc_class {
    MPL_CLC_P2P_INSIDE,  /**< Messages between processes of one host. */
    MPL_CLC_P2P_BETWEEN, /**< Between hosts; or where the trace does not tell hosts apart. */
    MPL_CLC_COLLECTIVE,
    MPL_CLC_THREAD,
    MPL_CLC_CLASSES
};
const char *mpl_clc_class_name(enum mpl_clc_class class); /* "messages inside hosts", … */

/** How intervals between neighbouring events of a location have changed, as counts. */
struct mpl_clc_distortion {
    uint64_t unchanged;
    uint64_t below[4]; /**< Changed by less than 0.1 %, 1 %, 10 %, 100 % of their length. */
    uint64_t beyond;   /**< By more, or from nothing. */
    int64_t longest_ticks;  /**< Largest growth of one interval. */
    int64_t shortest_ticks; /**< Largest shrinking, >= 0. */
};

struct mpl_clc {
    uint32_t n_passes;    /**< Those given up included. 0: nothing was to be repaired. */
    double gamma;         /**< Of the last pass. */
    int64_t error_ticks;  /**< Largest shift that was to be accepted. */
    bool is_within_error; /**< max_shift_ticks is. */
    int64_t mu_ticks[MPL_CLC_CLASSES];
    uint64_t n_jumps;        /**< Events put forward because of a violation. */
    uint64_t n_moved;        /**< Events with another time than before. */
    uint64_t n_ignored;      /**< Pairs left out because they contradict others: in a
                                           circle of pairs nothing can be first. */
    int64_t max_shift_ticks; /**< Largest over all events; shifts are never negative. */
    uint32_t max_shift_location;
    const int64_t *location_max_ticks; /**< Per location. */
    const int64_t *location_end_ticks; /**< Per location: shift of its last event. */
    int64_t growth_ticks;              /**< How much longer the run has become. */
    struct mpl_clc_distortion distortion;
};

/**
 * Repairs the times of \p view's model in place. All locations must have the same base
 * (mpl_order_view: one time line). NULL \p options mean the defaults.
 *
 * Afterwards: no violation is left but those of ignored pairs; every location's times do not
 * decrease; what no jump or stretch before one touches is as before; a model without violations
 * is untouched, also a repaired one. Ignored pairs are noted as "clock-contradiction". Times
 * beyond 2^61 ticks (centuries) are left as they are, with all violations.
 *
 * Source:    Becker, Rabenseifner, Wolf: Timestamp Synchronization for Event Traces, equations
 *            3, 3', 4 and sections 3.2, 4.2, 5.2.
 * Ownership: the result lives in \p arena.
 * Errors:    MPL_E_NOMEM only; times are then as before. \p *out is written on MPL_OK only.
 * Cost:      linear in events and pairs; a pass looks at events only where a shift is under way.
 */
enum mpl_status mpl_clc_repair(struct mpl_order_view *view, struct mpl_model *model,
                               const struct mpl_clc_options *options,
                               const struct mpl_progress *progress, struct mpl_arena *arena,
                               const struct mpl_clc **out, struct mpl_err *err);

#endif
