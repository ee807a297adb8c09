/* Windows of time as windows.c and outliers.c see them. */
#ifndef MPL_CLOCK_WINDOWS_PRIV_H
#define MPL_CLOCK_WINDOWS_PRIV_H

#include "clock/clock_priv.h"

struct mpl_windows {
    struct mpl_links *links;
    struct mpl_arena *scratch;
    uint32_t n;
    size_t n_links;
    int64_t *at_ticks;
    double *least;    /* Per link and window; infinite where there is no point. */
    double *spread;   /* The same, holding also what other windows say. */
    double *shortest; /**< Per link, over all windows. */
    double *gap;      /* Per window: ticks since the one before; 0 for the first. */
    double rate;
    struct mpl_graph upper;
    struct mpl_graph lower;
    const uint32_t *component; /* Of each process; see mpl_components_find(). */
    struct mpl_paths up;
    struct mpl_paths down;
};

/** The window that a time is in, given how many knots are not later. */
uint32_t mpl_windows_find(const struct mpl_windows *w, uint32_t at, int64_t ticks);
/** How much later than its begin a point ends on the time line that \p course makes. */
double mpl_windows_delay(const struct mpl_windows *w, const struct mpl_course *course,
                         const struct mpl_point *point);

#endif
