/* Stretches of the program that all processes run through. */
#include "config.h"

#include "events/steps_priv.h"

enum mpl_status mpl_events_sections(const struct mpl_events *events,
                                    struct mpl_arena *arena,
                                    const struct mpl_sections **out, struct mpl_err *err)
{
    const struct mpl_model *model = events->model;
    struct mpl_sections *sections = MPL_NEW(arena, struct mpl_sections);
    const uint32_t **calls = MPL_NEW_ARRAY(arena, model->n_locations, const uint32_t *);
    struct mpl_marks marks;

    if (sections == NULL || calls == NULL || !mpl_marks_find_all(events, arena, &marks)) {
        return mpl_nomem(err);
    }
    sections->n = marks.n + 1;
    sections->calls = calls;
    for (uint32_t p = 0; p < model->n_processes; p++) {
        if (marks.processes[p].location != MPL_NONE) {
            calls[marks.processes[p].location] = marks.processes[p].calls;
        }
    }
    *out = sections;
    return MPL_OK;
}
