/* A trace as a picture of letters, for examples of patterns and other small traces. */
#ifndef MPL_CLI_TIMELINE_PRIV_H
#define MPL_CLI_TIMELINE_PRIV_H

#include "recognize/recognize.h"

/**
 * One row per location, to scale, a letter per stretch of time, with a legend; below a location
 * the instances of each event that was recognised on it. \p r may be NULL. At most 24 locations
 * are drawn.
 *
 * Units: \p width is in columns, at least 40.
 */
enum mpl_status mpl_timeline_print(const struct mpl_events *events,
                                   struct mpl_recognition *r, int width, FILE *out,
                                   struct mpl_err *err);

#endif
