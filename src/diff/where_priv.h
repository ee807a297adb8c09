/* What the files that look for places share. */
#ifndef MPL_DIFF_WHERE_PRIV_H
#define MPL_DIFF_WHERE_PRIV_H

#include "diff/effects_priv.h"
#include "diff/places_priv.h"

/* One run, of one location. */
struct view {
    const struct mpl_run *run;
    const struct mpl_sequence
        *all; /* Of all locations, without anything left to chance. NULL: not made yet. */
    const struct mpl_sequence *calls;
    struct mpl_placed placed;
    /* Per call, and for the end: computation since the call before, or the time in the call, */
    double *values_s;
    double *totals_s; /* and of all calls of a place. */
    /* Of computation by functions: mpl_functions_split(), with indices of where.paths, */
    size_t n_parts;
    struct mpl_function_part *parts;
    double *path_s; /* and of all calls per path. */
};
/* A path of functions. */
struct path {
    uint32_t path;
    uint32_t group; /* The loop that has all of it; MPL_NONE: none has. */
};

struct where {
    struct mpl_effects *e;
    const struct mpl_load *load;
    struct mpl_arena *arena; /* For this location. */
    size_t n[2];             /* Runs of each side; base first. */
    struct view *views;      /* Of both sides. */
    const struct view *speakers[2];
    struct mpl_places *places;
    struct mpl_buf paths; /* struct path; of this location. */
    bool has_functions;   /* All runs record functions of the program. */
};

/* A place, or all of a group; and of it all, or what is in a function. */
struct stretch {
    uint32_t group; /* MPL_NONE: all there is, call by call. */
    uint32_t first_place;
    uint32_t n_places;
    uint32_t path; /* Which of where.paths; MPL_NONE: all. */
};

static inline bool mpl_stretch_is_at(const struct stretch *s, uint32_t place)
{
    return s->group == MPL_NONE ||
           (place >= s->first_place && place < s->first_place + s->n_places);
}

static inline uint32_t mpl_stretch_steps(const struct view *v, const struct stretch *s)
{
    return s->group == MPL_NONE            ? v->placed.n
           : s->group < v->placed.n_groups ? v->placed.n_steps[s->group]
                                           : 0;
}

static inline uint32_t mpl_stretch_step(const struct view *v, const struct stretch *s,
                                        uint32_t call)
{
    return s->group == MPL_NONE ? call : v->placed.step[call];
}

static inline bool mpl_where_is_computed(const struct where *w)
{
    return w->e->time == MPL_TIME_COMPUTED;
}

/* Fills what where and its views say of w->load. Errors: MPL_E_NOMEM. */
enum mpl_status mpl_where_take(struct where *w, struct mpl_err *err);
/* Fills the path, and of calls culprit, bytes and whether waits are known. Errors: MPL_E_NOMEM. */
enum mpl_status mpl_where_describe(const struct where *w, const struct stretch *s,
                                   struct mpl_place_load *out, struct mpl_err *err);

#endif
