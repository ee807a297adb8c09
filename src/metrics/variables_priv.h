/*
 * The values behind the variables of formulas.
 */
#ifndef MPL_METRICS_VARIABLES_PRIV_H
#define MPL_METRICS_VARIABLES_PRIV_H

#include "metrics/metrics.h"

/* The part of the window in which a location takes part, and what it does outside of it. */
struct extent {
    int64_t begin_ticks;
    int64_t end_ticks;
    int64_t before_ticks[MPL_SPAN_CLASSES];
    int64_t behind_ticks[MPL_SPAN_CLASSES];
};

/* Passes over the events that are made on demand. Threads begin them in this order: what takes long comes first. */
enum pass { DELAYS, IDEAL, STEPS_OF_RUN, HELD, SERIAL, CROWD, N_PASSES };

struct mpl_variables {
    const struct mpl_events *events;
    struct mpl_window window;
    const struct extent *extents; /* per location */
    struct mpl_arena *arena;
    struct mpl_replay *replay;
    bool is_expected[N_PASSES];      /* somebody will ask for it */
    bool is_made[N_PASSES];          /* then its result is here, which is one of these: */
    const struct mpl_delay *delays;  /* per location */
    const struct mpl_steps *steps;   /* likewise */
    const struct mpl_serial *serial; /* likewise, per location */
    const double *held_s;            /* likewise */
    double ideal_s;
    bool has_crowd; /* it is known: then crowd holds */
    struct mpl_crowd crowd;
};

/** Number in mpl_metric_variables(), or MPL_NONE. */
uint32_t mpl_variable_find(const char *name, bool is_per_location);
/** The variable will be asked for: then it is found out together with the first one that is. */
void mpl_variable_expect(struct mpl_variables *variables, uint32_t variable);
/** Must be called before mpl_variable_get(): some cost too much to have them ready unasked. False
 *  when out of memory. */
bool mpl_variable_prepare(struct mpl_variables *variables, uint32_t variable);
/** \p location is of no use to variables of the run. NaN: undefined. */
double mpl_variable_get(const struct mpl_variables *variables, uint32_t variable,
                        uint32_t location);

#endif
