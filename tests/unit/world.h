/*
 * Worlds: message-passing programs simulated in true time, and clocks that are known exactly,
 * for the tests of clock, clc and sync.
 *
 * A program is simulated with what MPI promises: no receive ends before its message can have
 * come, messages between two processes do not overtake each other, no member of a collective
 * leaves before everybody it needs has entered. True times are whole nanoseconds. Each process
 * then writes them as its own clock shows them. The program and the clocks are drawn from two
 * streams of the seed, so the same seed with other clocks is the same run.
 *
 *     struct world_options options = world_draw(seed);
 *     struct world *world = world_create(&options, arena);
 *     const struct mpl_clock *clock = world_correct(world, NULL);
 *     struct world_error error = world_error(world, clock->reference);
 *     ck_assert_msg(error.max_ticks < 1000, "%s", world_describe(world));
 */
#ifndef MPL_TESTS_WORLD_H
#define MPL_TESTS_WORLD_H

#include "clock/clock.h"

/** Who talks to whom in each step. */
enum world_kind {
    WORLD_HALO,          /**< A periodic ring; everybody posts, sends and waits. */
    WORLD_MASTER_WORKER, /**< Rank 0 gives tasks to whoever answers first. */
    WORLD_PIPELINE,      /**< From each rank to the next: messages in one direction only. */
    WORLD_TREE,          /**< Up a binary tree to rank 0 and down again. */
    WORLD_PAIRS,         /**< Random pairs; some sends are synchronous. */
    WORLD_COLLECTIVES,   /**< No messages; a collective of any kind, often of a part of the
                              processes, with nothing to send or non-blocking. */
    WORLD_MIXED,         /**< Any of these in any step. */
    WORLD_KINDS
};
const char *world_kind_name(enum world_kind kind); /* "halo", "master-worker", … */

/** Everything there is to choose; world_defaults() gives the values stated here. */
struct world_options {
    uint64_t seed; /**< 1 */

    /* The program. */
    enum world_kind kind; /**< WORLD_MIXED */
    uint32_t n_processes; /**< 6; at least 2, at most WORLD_MOST_PROCESSES. */
    uint32_t
        n_threads;    /**< 1 location per process; with more there are parallel regions. */
    uint32_t n_steps; /**< 200 */
    uint32_t coll_every; /**< 20: so many steps from one random collective to the next; 0:
                                none but in kinds that consist of them. */
    double compute_ns;   /**< 1e6: mean of what a process computes between calls. */

    /* The network: a message takes latency + bytes / bandwidth + jitter. */
    double latency_ns;   /**< 1500 */
    double bytes_per_ns; /**< 10 */
    double jitter_ns;    /**< 300: mean of an exponential distribution. */
    double tail_share;   /**< 0.02 of all messages take longer … */
    double tail_ns; /**< 5e4: … by at least this, with a heavy tail up to 100 times it. */
    double asymmetry; /**< 0: each direction of each pair has a latency of its own, up to
                                1 + asymmetry times latency_ns. */

    /* The clocks. Figures are the most that a process draws; each draws its own. */
    uint64_t ticks_per_s; /**< 1000000000 */
    bool has_large_bases; /**< Counts beyond 2^53, different for every process. */
    double offset_ns;     /**< 2e7 either way */
    double drift_ppm;     /**< 0 either way */
    double sine_ns;       /**< 0: amplitude of a sinusoid on top; less where it would change
                               the frequency by more than WORLD_MOST_SINE_PPM. */
    double sine_periods;  /**< 1.5: so often it goes through the run. */
    double walk_ppm;     /**< 0: the frequency walks at random (as temperature does) by this
                                standard deviation in the course of the run. */
    double step_ns;      /**< 0: once in the run, somebody sets the clock forward. */
    uint32_t n_outliers; /**< 0: time stamps per process that are garbage: anything between
                                those of the neighbouring events. */

    /* What the tracer recorded of the clocks. */
    uint32_t n_offsets; /**< 0: ClockOffset records per location, from the first to the last
                                 moment of the run; towards rank 0. */
    double offset_error_ns; /**< 0: how wrong they are, either way. */
};

enum { WORLD_MOST_PROCESSES = 64, WORLD_MOST_SINE_PPM = 200 };

struct world_options world_defaults(void);
/** Options drawn from \p seed: every kind, sizes, networks, and clocks from perfect to bad
 *  (without steps and outliers, which no bound can cover, and without recorded offsets). */
struct world_options world_draw(uint64_t seed);

/** A run and its truth. Ends the program when memory runs out. */
struct world;
struct world *world_create(const struct world_options *options, struct mpl_arena *arena);
/** Times as the clocks showed them, until they are corrected in place. */
struct mpl_model *world_model(const struct world *world);
/** Matched at the first call; every message and collective of a world finds its partners. */
const struct mpl_match *world_match(struct world *world);
/** Corrects the model in place; ends the program when that fails. NULL: the defaults. */
const struct mpl_clock *world_correct(struct world *world,
                                      const struct mpl_clock_options *options);
/** The estimate alone. */
struct mpl_clock_options world_without_repair(enum mpl_clock_choice choice);
/** Gives the model its recorded times back and forgets quality notes: for another estimate. */
void world_reset(struct world *world);
/** What to print when a test fails: "seed 7: halo, 6 processes, 80 ppm, …". In the arena. */
const char *world_describe(const struct world *world);

/* ---- the truth ------------------------------------------------------------------------- */

/** When the event took place. */
int64_t world_true_ns(const struct world *world, uint32_t location, uint32_t event);
/** What the clock of \p location's process shows at a true time, absolute. */
uint64_t world_clock_ticks(const struct world *world, uint32_t location, int64_t true_ns);
/** The absolute time that was recorded, also after the correction. */
uint64_t world_recorded_ticks(const struct world *world, uint32_t location, uint32_t event);
/** What a perfect correction makes of an event: what the clock of location \p reference showed
 *  at that moment, absolute. */
uint64_t world_wanted_ticks(const struct world *world, uint32_t reference,
                            uint32_t location, uint32_t event);

/** The model's times as they are now, minus those wanted. */
struct world_error {
    double rms_ticks;
    int64_t max_ticks; /**< Of the absolute error, at … */
    uint32_t location;
    uint32_t event;
};
/** Over all events of all locations; \p reference as in world_wanted_ticks(). */
struct world_error world_error(const struct world *world, uint32_t reference);
/** The same of one location. */
struct world_error world_location_error(const struct world *world, uint32_t reference,
                                        uint32_t location);
/** What is left of it if each location is moved by the constant that suits it best (half way
 *  between its largest and smallest error): before a correction, what drift alone does. */
struct world_error world_constant_error(const struct world *world, uint32_t reference);

/**
 * Writes the model as it is now as an OTF2 archive, and the truth as DIRECTORY/truth.tsv: lines
 * "rank ticks offset_ticks", ascending: the absolute local time and what must be added to it to
 * reach the clock of rank 0, at 257 moments per rank, evenly from the first to the last event.
 */
enum mpl_status world_write(const struct world *world, const char *directory, bool force,
                            struct mpl_err *err);

#endif
