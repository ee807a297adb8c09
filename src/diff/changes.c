/* What changes between the runs in one configuration: JSM_D = |JSM(new) - JSM(base)|, by twins. */
#include "config.h"

#include "diff/diff_priv.h"

#include <math.h>

/* Locations that are of one class in the base and of one class in the new run. */
static bool find_twins(struct mpl_changes *changes, uint32_t *of, uint32_t *sizes,
                       uint32_t *firsts)
{
    struct mpl_map *seen = mpl_map_create();
    bool is_done = seen != NULL;

    for (uint32_t i = 0; i < changes->base->n_objects && is_done; i++) {
        const uint64_t key =
            (uint64_t) changes->base->class_of[i] << 32 | changes->new->class_of[i];

        of[i] = mpl_map_find(seen, key);
        if (of[i] == MPL_NONE) {
            of[i] = changes->n++;
            firsts[of[i]] = i;
            is_done = mpl_map_put(seen, key, of[i]);
        }
        sizes[of[i]]++;
    }
    mpl_map_destroy(seen);
    return is_done;
}

/* How alike two locations are in one of the runs. */
static double alike(const struct mpl_context *c, uint32_t i, uint32_t j)
{
    return c->alike[(size_t) c->class_of[i] * c->n_classes + c->class_of[j]];
}

static bool fill(struct mpl_changes *changes, const uint32_t *firsts,
                 struct mpl_arena *arena)
{
    const uint32_t n = changes->n;
    double *matrix = MPL_NEW_ARRAY(arena, (size_t) n * n, double);
    double *rows = MPL_NEW_ARRAY(arena, n, double);

    for (uint32_t i = 0; i < n && matrix != NULL && rows != NULL; i++) {
        for (uint32_t j = 0; j < n; j++) {
            matrix[(size_t) i * n + j] = fabs(alike(changes->new, firsts[i], firsts[j]) -
                                              alike(changes->base, firsts[i], firsts[j]));
            rows[i] += changes->sizes[j] * matrix[(size_t) i * n + j];
        }
    }
    changes->matrix = matrix;
    changes->rows = rows;
    return matrix != NULL && rows != NULL;
}

static bool subtract(struct mpl_changes *changes, struct mpl_arena *arena)
{
    const size_t n = changes->base->n_objects;
    uint32_t *of = MPL_NEW_ARRAY(arena, n, uint32_t);
    uint32_t *sizes = MPL_NEW_ARRAY(arena, n, uint32_t);
    uint32_t *firsts = MPL_NEW_ARRAY(arena, n, uint32_t);

    changes->of = of;
    changes->sizes = sizes;
    changes->firsts = firsts;
    return of != NULL && sizes != NULL && firsts != NULL &&
           find_twins(changes, of, sizes, firsts) && fill(changes, firsts, arena);
}

/* Once for all ways to look at numbers: who asks for one mostly asks for both. NULL: no memory. */
static const struct mpl_frequencies *counts_of(const struct mpl_filtered *f,
                                               enum mpl_context_of of)
{
    const unsigned both = 1U << MPL_CONTEXT_SINGLE | 1U << MPL_CONTEXT_DOUBLE;

    if (f->counts->of[of] == NULL &&
        !mpl_frequencies_of_all(f->base, 2 * (size_t) f->n_locations,
                                f->is_unfolded ? f->loops : NULL, both, f->arena,
                                f->counts->of)) {
        return NULL;
    }
    return f->counts->of[of];
}

enum mpl_status mpl_changes_create(const struct mpl_filtered *f,
                                   struct mpl_context_kind kind, struct mpl_arena *arena,
                                   const struct mpl_changes **out, struct mpl_err *err)
{
    const size_t n = f->n_locations;
    struct mpl_changes *changes = MPL_NEW(arena, struct mpl_changes);
    const struct mpl_frequencies *counts = counts_of(f, kind.of);
    enum mpl_status st =
        changes == NULL || counts == NULL
            ? mpl_nomem(err)
            : mpl_context_of_counts(counts, n, kind, arena, &changes->base, err);

    st = st == MPL_OK
             ? mpl_context_of_counts(counts + n, n, kind, arena, &changes->new, err)
             : st;
    if (st == MPL_OK && !subtract(changes, arena)) {
        st = mpl_nomem(err);
    }
    if (st == MPL_OK) {
        *out = changes;
    }
    return st;
}

enum mpl_status mpl_similarity_changes(const struct mpl_filtered *f,
                                       struct mpl_context_kind kind, double *rows,
                                       struct mpl_err *err)
{
    struct mpl_arena *scratch = mpl_arena_create();
    const struct mpl_changes *changes = NULL;
    const enum mpl_status st = scratch == NULL
                                   ? mpl_nomem(err)
                                   : mpl_changes_create(f, kind, scratch, &changes, err);

    for (size_t i = 0; i < f->n_locations && st == MPL_OK; i++) {
        rows[i] = changes->rows[changes->of[i]];
    }
    mpl_arena_destroy(scratch);
    return st;
}
