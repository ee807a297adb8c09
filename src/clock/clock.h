/*
 * Takes:        a model with local clocks, and the pairs and instances of match.
 * Makes:        one time line for all locations, written into the model's time columns, with an
 *               error bound per location and without violations of the clock condition.
 * Leaves alone: the order of events on a location, and what they mean.
 */
#ifndef MPL_CLOCK_CLOCK_H
#define MPL_CLOCK_CLOCK_H

#include "clc/clc.h"

/** What a user may ask for. */
enum mpl_clock_choice {
    MPL_CLOCK_AUTO,           /**< Recorded offsets, refined by messages where they leave
                                   violations; messages where no offsets are recorded. */
    MPL_CLOCK_ONLY_OFFSETS,   /**< Recorded offsets as they are. */
    MPL_CLOCK_ONLY_MESSAGES,  /**< Messages, even if offsets are recorded. */
    MPL_CLOCK_NONE,           /**< The clocks as recorded, and no repair either. */
    MPL_CLOCK_ONLY_EVENTSPACE /**< Mean of symmetric round trips along a breadth-first tree
                                   (Bongo et al., EventSpace, section 5.4): to compare with. */
};
/** "auto", "offsets", "messages", "none", "eventspace"; false if \p name is none of them. */
bool mpl_clock_choice_find(const char *name, enum mpl_clock_choice *out);

struct mpl_clock_options {
    enum mpl_clock_choice choice;
    struct mpl_clc_options repair;
};
/** MPL_CLOCK_AUTO with mpl_clc_defaults(). */
struct mpl_clock_options mpl_clock_defaults(void);

enum mpl_clock_source {
    MPL_CLOCK_SINGLE,  /**< One process, or a trace that states a common clock (text). */
    MPL_CLOCK_OFFSETS, /**< Recorded ClockOffsets, linearly interpolated. */
    MPL_CLOCK_REFINED, /**< Recorded ClockOffsets that reversed messages, refined by them. */
    MPL_CLOCK_MESSAGES,   /**< Offsets from messages and collectives. */
    MPL_CLOCK_EVENTSPACE, /**< Offsets as the EventSpace paper estimates them. */
    MPL_CLOCK_RAW,        /**< Nothing to correct with, or not asked: clocks as recorded. */
};
const char *
mpl_clock_source_name(enum mpl_clock_source source); /* "single", "offsets", … */

/**
 * How well a time line agrees with its messages, as Table 1 of the EventSpace paper has it: a
 * message is correct if it is not received before it is sent.
 */
struct mpl_clock_accuracy {
    uint64_t n; /**< Messages. */
    uint64_t n_correct;
    double mean_ticks; /**< Of what the others are received too early; 0: none are. */
    double median_ticks;
    double stddev_ticks; /**< From the mean, over all of them. */
    int64_t worst_ticks;
};

struct mpl_clock {
    enum mpl_clock_source source;
    uint32_t reference; /**< Location whose clock is the reference. */
    uint32_t
        n_pieces; /**< Of the time line: 1 where one offset (and drift) per process holds
                            for the whole run, else into how many pieces its offsets bend. */
    const int64_t *offset_ticks; /**< Per location: what was added to its recorded absolute
                                        times (mean of its first and last event), without the
                                        repair. */
    /**
     * Per location: what the offsets change in the course of the run, last event minus first;
     * 0 where they are constant. Drift is this divided by the location's duration.
     */
    const int64_t *drift_ticks;
    /**
     * Per location: |error| against the reference is at most this anywhere in the run, repair
     * included; INT64_MAX when no data connect it, or in one direction only. What is meant
     * depends on the source. MESSAGES: half the width of what all messages and collectives
     * allow, if offsets are constant. MESSAGES that drift, and REFINED: the widest interval
     * that they leave around the curve, which grows with the distance to the data by how fast
     * a clock may leave its curve, and by what it may do in stretches without data; an
     * estimate, which holds in 19 of 20 simulated runs. OFFSETS and EVENTSPACE: how wrong they
     * could be without reversing a message, or more if they do reverse some; they are usually
     * much better. SINGLE: 0.
     */
    const int64_t *bound_ticks;
    /**
     * Per location: what could still be added to all of its times, at least and at most, by
     * what messages and collectives allow, between the first and the last of them; low <= 0 <=
     * high. All locations together at low,
     * and all at high, are time lines as possible as the one chosen. INT64_MIN and INT64_MAX
     * where nothing limits it.
     */
    const int64_t *low_ticks;
    const int64_t *high_ticks;
    const int64_t
        *tree_bound_ticks; /**< Per location: sum of half the smallest round trips along
                                          the spanning tree; INT64_MAX outside of it. Equal to
                                          bound_ticks where offsets are no constant estimates. */
    struct mpl_violations before;       /**< On the clocks as recorded. */
    struct mpl_violations mapped;       /**< After offsets, before the repair. */
    struct mpl_clock_accuracy accuracy; /**< Of messages, at the same moment. */
    struct mpl_violations after;        /**< On the corrected time line. */
    const struct mpl_clc *repair; /**< NULL: nothing had to be repaired, or not asked. */
    int64_t duration_ticks;       /**< From the first to the last event of the run. */
};

/**
 * Brings all locations onto one time line.
 *
 * After success every location's base_ticks is the same, the absolute time of the run's first
 * event on the reference clock (modulo 2^64), and its time_ticks are corrected, in ticks since
 * that event. Threads of one process share their process's clock until the repair.
 *
 * NULL \p options mean the defaults. The model must have a location. Its quality notes tell
 * what remains doubtful: "clock-unconnected", "clock-one-sided", "clock-drift-suspected",
 * "clock-no-offsets", "clock-outlier", "clock-offset-implausible", "clock-offset-constant" and,
 * at the location that ends too early, "clock-violation".
 *
 * Errors: MPL_E_NOMEM only; the model's times may then be anything. \p *out is written on MPL_OK
 *         only.
 * Cost:   linear in events and pairs, plus locations times neighbours for the spanning tree;
 *         with drift, some 30 steps per message of the lower envelope, which are one in eight.
 */
enum mpl_status mpl_clock_correct(struct mpl_model *model, const struct mpl_match *match,
                                  const struct mpl_clock_options *options,
                                  const struct mpl_progress *progress,
                                  struct mpl_arena *arena, const struct mpl_clock **out,
                                  struct mpl_err *err);

#endif
