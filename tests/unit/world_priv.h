/* Between world.c, world_program.c and world_clocks.c. */
#ifndef MPL_TESTS_WORLD_PRIV_H
#define MPL_TESTS_WORLD_PRIV_H

#include "world.h"

#include "match_fixture.h"

/** A stream of random numbers of our own, so that a seed means the same everywhere. */
struct world_dice {
    uint64_t state;
};
uint64_t world_roll(struct world_dice *dice);
/** Evenly in [0, 1). */
double world_roll_share(struct world_dice *dice);
/** Below n. */
uint32_t world_roll_below(struct world_dice *dice, uint32_t n);
/** Evenly in [-most, most). */
double world_roll_either(struct world_dice *dice, double most);
double world_roll_exponential(struct world_dice *dice, double mean);
double world_roll_normal(struct world_dice *dice);

/**
 * A process's clock. It shows origin + floor(ticks_per_ns * (t + d(t))), with t the true time
 * and d(t) = drift * t + sine + walk + step, in nanoseconds.
 */
struct world_clock {
    uint64_t origin_ticks;
    double ticks_per_ns;
    double drift; /**< Nanoseconds per nanosecond. */
    double sine_ns;
    double sine_phase;  /**< Radians. */
    double sine_rate;   /**< Radians per nanosecond. */
    double knot_ns;     /**< Distance of the walk's knots. */
    uint32_t n_pieces;  /**< Of the walk. */
    double *walk_ns;    /**< d at the knots, n_pieces + 1. */
    int64_t step_at_ns; /**< INT64_MAX: never. */
    double step_ns;
};

struct world {
    struct world_options options;
    struct mpl_arena *arena;
    struct mpl_model *model;
    const struct mpl_match *match;
    int64_t duration_ns;
    struct world_clock *clock; /**< Per process. */
    int64_t **true_ns;         /**< Per location and event. */
    int64_t **recorded_ticks;  /**< Per location and event, since its recorded base. */
    uint64_t *recorded_base;   /**< Per location. */
};

/** NULL, when memory runs out, ends the program: worlds are for tests. */
void *world_must(void *made);
/** Runs the program: a model whose times are the true ones. */
struct mpl_model *world_run(const struct world_options *options, struct mpl_arena *arena,
                            int64_t *duration_ns);
/** Draws the clocks and writes the times that they show. */
void world_set_clocks(struct world *world);

#endif
