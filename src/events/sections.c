/* Stretches of the program that all processes run through. */
#include "config.h"

#include "events/steps_priv.h"

#include <string.h>

static void forget(void *object)
{
    struct mpl_kept_sections *kept = object;

    mpl_arena_destroy(kept->arena);
    mpl_arena_destroy(kept->bounds_arena);
    (void) pthread_mutex_destroy(&kept->lock);
    (void) pthread_mutex_destroy(&kept->bounds_lock);
}

struct mpl_kept_sections *mpl_kept_sections_create(struct mpl_arena *arena)
{
    struct mpl_kept_sections *kept = MPL_NEW(arena, struct mpl_kept_sections);

    if (kept == NULL || !mpl_arena_keep(arena, kept, forget)) {
        return NULL;
    }
    kept->lock = (pthread_mutex_t) PTHREAD_MUTEX_INITIALIZER;
    kept->bounds_lock = (pthread_mutex_t) PTHREAD_MUTEX_INITIALIZER;
    return kept;
}

static bool make_sections(const struct mpl_events *events, struct mpl_arena *arena,
                          struct mpl_arena *scratch, struct mpl_sections *sections)
{
    const struct mpl_model *model = events->model;
    const uint32_t **calls = MPL_NEW_ARRAY(arena, model->n_locations, const uint32_t *);
    struct mpl_marks marks;

    if (calls == NULL || !mpl_marks_find_all(events, scratch, &marks)) {
        return false;
    }
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
    *sections = (struct mpl_sections){ marks.n + 1, calls };
    return true;
}

/* False when out of memory. The lock is held. */
static bool keep_sections(const struct mpl_events *events, struct mpl_kept_sections *kept)
{
    /* What the search needs is several times as much as what it finds. */
    struct mpl_arena *scratch = mpl_arena_create();
    bool is_enough;

    kept->arena = kept->arena == NULL ? mpl_arena_create() : kept->arena;
    is_enough = scratch != NULL && kept->arena != NULL &&
                make_sections(events, kept->arena, scratch, &kept->sections);
    mpl_arena_destroy(scratch);
    return is_enough;
}

enum mpl_status mpl_events_sections(const struct mpl_events *events,
                                    struct mpl_arena *arena,
                                    const struct mpl_sections **out, struct mpl_err *err)
{
    struct mpl_sections *sections = MPL_NEW(arena, struct mpl_sections);
    struct mpl_kept_sections *kept = events->sections;
    bool is_enough = sections != NULL;

    (void) pthread_mutex_lock(&kept->lock);
    is_enough = is_enough && (kept->sections.n > 0 || keep_sections(events, kept));
    if (is_enough) {
        *sections = kept->sections;
        *out = sections;
    }
    (void) pthread_mutex_unlock(&kept->lock);
    return is_enough ? MPL_OK : mpl_nomem(err);
}
