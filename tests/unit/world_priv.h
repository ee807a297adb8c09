/* Between world.c, world_program.c, world_collectives.c and world_clocks.c. */
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

/* ---- the program ----------------------------------------------------------------------- */

/* A message on its way. */
struct world_parcel {
    int64_t arrival_ns;
    uint64_t bytes;
};

/* What one process sends to another, in the order of departure. */
struct world_channel {
    struct mpl_buf parcel; /* struct world_parcel */
    size_t n_received;
    double latency_ns;
};

struct world_program {
    const struct world_options *options;
    struct world_dice dice;
    struct trace *trace;
    uint32_t n;
    int64_t *now_ns;               /* Per process: true time up to which it is recorded. */
    int64_t *enter_ns;             /* Scratch per process. */
    struct world_channel *channel; /* From p to q: p * n + q. */
    uint32_t *everybody;           /* 0, 1, … */
    uint32_t n_parts;
    uint32_t *part_n; /* Per sub-communicator: its members … */
    uint32_t **part;  /* … by rank. Communicator 2 is the first of them. */
};

/* Of world_program.c, for collectives. */
int64_t world_later(int64_t a, int64_t b);
/** The master thread's. */
uint32_t world_location_of(const struct world_program *p, uint32_t process);
/** What a process needs between two calls. */
int64_t world_pause_ns(struct world_program *p);
int64_t world_delay_ns(struct world_program *p, uint32_t from, uint32_t to, uint64_t bytes);
void world_compute(struct world_program *p, uint32_t process);

/** A collective of any kind, of all processes or of some. */
void world_step_collective(struct world_program *p);

/* ---- worlds ----------------------------------------------------------------------------- */

/** NULL, when memory runs out, ends the program: worlds are for tests. */
void *world_must(void *made);
/** Runs the program: a model whose times are the true ones. */
struct mpl_model *world_run(const struct world_options *options, struct mpl_arena *arena,
                            int64_t *duration_ns);
/** Draws the clocks and writes the times that they show. */
void world_set_clocks(struct world *world);

#endif
