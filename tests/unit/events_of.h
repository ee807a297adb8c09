/* From a text or a file to events, as analysis makes them; a test fails where that fails. */
#ifndef MPL_TESTS_EVENTS_OF_H
#define MPL_TESTS_EVENTS_OF_H

#include "events/events.h"

/** The model of a text trace. */
struct mpl_model *model_of_text(const char *text, struct mpl_arena *arena);
/** Ends matched and clocks corrected. */
const struct mpl_events *events_of_model(struct mpl_model *model, struct mpl_arena *arena);
const struct mpl_events *events_of_text(const char *text, struct mpl_arena *arena);
const struct mpl_events *events_of_path(const char *path, struct mpl_arena *arena);
/** NULL where the trace cannot be read. */
const struct mpl_events *find_events_of_path(const char *path, struct mpl_arena *arena);

#endif
