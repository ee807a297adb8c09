/*
 * Takes:        a model with local clocks, and the pairs and instances of match.
 * Makes:        one time line for all locations, written into the model's time columns, with an
 *               error bound per location and the violations that are left.
 * Leaves alone: the order of events on a location, and what they mean.
 */
#ifndef MPL_CLOCK_CLOCK_H
#define MPL_CLOCK_CLOCK_H

#include "match/match.h"

enum mpl_clock_source {
    MPL_CLOCK_SINGLE,   /**< One process, or a trace that states a common clock (text). */
    MPL_CLOCK_OFFSETS,  /**< Recorded ClockOffsets, linearly interpolated. */
    MPL_CLOCK_MESSAGES, /**< One offset per process from messages and collectives. */
    MPL_CLOCK_RAW,      /**< Nothing to correct with: raw clocks as recorded. */
};
const char *
mpl_clock_source_name(enum mpl_clock_source source); /* "single", "offsets", … */

struct mpl_violations {
    uint64_t p2p; /**< Messages received before they were sent. */
    uint64_t
        collective; /**< Participants that left before one they depend on had entered. */
    uint64_t
        thread; /**< Teams that workers began outside of every fork of their process. */
    int64_t worst_ticks; /**< Largest reversal. */
};

struct mpl_clock {
    enum mpl_clock_source source;
    uint32_t reference;          /**< Location whose clock is the reference. */
    const int64_t *offset_ticks; /**< Per location: what was added to its recorded absolute
                                        times (with slopes the mean of first and last event). */
    /**
     * Per location: |error| against the reference is at most this; INT64_MAX when no data
     * connect it, or in one direction only. What is meant depends on the source: MESSAGES:
     * half the width of what all messages and collectives allow, if clocks do not drift, else
     * as wide as their drift. OFFSETS: how wrong the recorded offsets could be without
     * reversing a message; they are usually much better. SINGLE: 0.
     */
    const int64_t *bound_ticks;
    const int64_t
        *tree_bound_ticks; /**< Per location: sum of half the smallest round trips along
                                          the spanning tree; INT64_MAX outside of it. Equal to
                                          bound_ticks where offsets are no constant estimates. */
    struct mpl_violations before; /**< On the clocks as recorded. */
    struct mpl_violations after;  /**< On the corrected time line. */
    int64_t duration_ticks;       /**< From the first to the last event of the run. */
};

/**
 * Brings all locations onto one time line.
 *
 * After success every location's base_ticks is the same, the absolute time of the run's first
 * event on the reference clock (modulo 2^64), and its time_ticks are corrected, in ticks since
 * that event. Threads of one process share their process's clock.
 *
 * The model must have a location. Its quality notes tell what remains doubtful:
 * "clock-unconnected", "clock-one-sided", "clock-drift-suspected", "clock-offset-implausible",
 * "clock-offset-constant" and, at the location that ends too early, "clock-violation".
 *
 * Errors: MPL_E_NOMEM only; the model's times may then be anything. \p *out is written on MPL_OK
 *         only.
 * Cost:   linear in events and pairs, plus locations times neighbours for the spanning tree.
 */
enum mpl_status mpl_clock_correct(struct mpl_model *model, const struct mpl_match *match,
                                  struct mpl_arena *arena, const struct mpl_clock **out,
                                  struct mpl_err *err);

#endif
