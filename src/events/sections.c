/* Stretches of the program that all processes run through. */
#include "config.h"

#include "events/steps_priv.h"

#include <string.h>

static bool make_sections(const struct mpl_events *events, struct mpl_arena *arena,
                          struct mpl_arena *scratch, struct mpl_sections *sections)
{
    const struct mpl_model *model = events->model;
    const uint32_t **calls = MPL_NEW_ARRAY(arena, model->n_locations, const uint32_t *);
    struct mpl_marks marks;

    if (calls == NULL || !mpl_marks_find_all(events, scratch, &marks)) {
        return false;
    }
    sections->n = marks.n + 1;
    sections->calls = calls;
    for (uint32_t p = 0; p < model->n_processes; p++) {
        const struct mpl_step_marks *m = &marks.processes[p];
        uint32_t *kept;

        if (m->location == MPL_NONE || m->calls == NULL) {
            continue;
        }
        kept = MPL_NEW_ARRAY(arena, marks.n, uint32_t);
        if (kept == NULL) {
            return false;
        }
        memcpy(kept, m->calls, marks.n * sizeof *kept);
        calls[m->location] = kept;
    }
    return true;
}

enum mpl_status mpl_events_sections(const struct mpl_events *events,
                                    struct mpl_arena *arena,
                                    const struct mpl_sections **out, struct mpl_err *err)
{
    struct mpl_sections *sections = MPL_NEW(arena, struct mpl_sections);
    /* What the search needs is several times as much as what it finds. */
    struct mpl_arena *scratch = mpl_arena_create();
    const bool is_enough = sections != NULL && scratch != NULL &&
                           make_sections(events, arena, scratch, sections);

    mpl_arena_destroy(scratch);
    if (!is_enough) {
        return mpl_nomem(err);
    }
    *out = sections;
    return MPL_OK;
}
