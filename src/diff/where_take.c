/* What a location does in all runs, at which places and in which functions. */
#include "config.h"

#include "diff/functions_priv.h"
#include "diff/where_priv.h"

#include <string.h>

static bool is_firm(const struct where *w)
{
    return w->e->looseness[w->load->location] == MPL_FIRM;
}

/* Sequences of a run that are there and have all calls of this location, with partners where it is firm; NULL: there are
   none. */
static const struct mpl_sequence *find_fine(const struct where *w,
                                            const struct mpl_run *run)
{
    const struct mpl_effects *e = w->e;
    const struct mpl_level all = { e->base, e->new };
    const struct mpl_level *level = is_firm(w) ? &all : &e->comparison->firm;

    if (is_firm(w) && e->has_parts) {
        return NULL;
    }
    return run == e->diff->base ? level->base : run == e->diff->new ? level->new : NULL;
}

static enum mpl_status make_calls(struct where *w, struct view *v, struct mpl_err *err)
{
    static const struct mpl_sequence_options options = {
        .parts = MPL_SYMBOL_PEER | MPL_SYMBOL_ROOT, .without_polls = true
    };
    const uint32_t l = w->load->location;
    const struct mpl_sequence *fine = find_fine(w, v->run);
    enum mpl_status st = MPL_OK;

    if (fine == NULL) {
        if (v->all == NULL) {
            st = mpl_sequences_create(v->run->events, &options, w->e->symbols,
                                      w->e->scratch, &v->all, err);
        }
        fine = v->all;
    }
    /* With whom chance decides, partners say nothing about the place. */
    return st == MPL_OK
               ? mpl_sequences_coarsen(&fine[l], 1, NULL, is_firm(w) ? options.parts : 0,
                                       w->e->symbols, w->arena, &v->calls, err)
               : st;
}

/* Sequences that are the same have the same places. */
static enum mpl_status place_calls(struct where *w, struct mpl_err *err)
{
    const size_t n = w->n[0] + w->n[1];
    struct mpl_sequence *unlike = MPL_NEW_ARRAY(w->arena, n, struct mpl_sequence);
    struct mpl_folded *folded = MPL_NEW_ARRAY(w->arena, n, struct mpl_folded);
    size_t *which = MPL_NEW_ARRAY(w->arena, n, size_t);
    struct mpl_placed *placed = MPL_NEW_ARRAY(w->arena, n, struct mpl_placed);
    size_t n_unlike = 0;

    if (unlike == NULL || folded == NULL || which == NULL || placed == NULL) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < n; i++) {
        const struct mpl_sequence *calls = w->views[i].calls;

        which[i] = 0;
        if (i == 0 || calls->n != unlike[0].n ||
            (calls->n > 0 && memcmp(calls->symbols, unlike[0].symbols,
                                    calls->n * sizeof *calls->symbols) != 0)) {
            which[i] = n_unlike;
            unlike[n_unlike++] = *calls;
        }
    }
    enum mpl_status st = mpl_loops_fold(w->e->loops, unlike, n_unlike, folded, err);
    for (size_t i = 0; i < n_unlike && st == MPL_OK; i++) {
        st = mpl_places_add(w->places, &folded[i], unlike[i].n, &placed[i], err);
    }
    for (size_t i = 0; i < n && st == MPL_OK; i++) {
        w->views[i].placed = placed[which[i]];
    }
    return st;
}

static enum mpl_status measure(struct where *w, struct view *v, struct mpl_err *err)
{
    const struct mpl_events *events = v->run->events;
    const uint32_t l = w->load->location;
    uint32_t first = 0;

    v->values_s = MPL_NEW_ARRAY(w->arena, v->placed.n, double);
    v->totals_s = MPL_NEW_ARRAY(w->arena, mpl_places_count(w->places), double);
    if (v->values_s == NULL || v->totals_s == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t i = 0; i < v->placed.n; i++) {
        const uint32_t end =
            i < v->calls->n ? v->calls->calls[i] + 1 : mpl_events_call_count(events, l) + 1;

        /* What lies before a call is all since the one before; polls between them are calls of their own. */
        first = mpl_where_is_computed(w) ? first : end - 1;
        v->values_s[i] = mpl_time_between(w->e->time, events, l, first, end);
        v->totals_s[v->placed.place[i]] += v->values_s[i];
        first = end;
    }
    return MPL_OK;
}

/* Which of the paths; a new one if need be. MPL_NONE: no memory. */
static uint32_t index_of_path(struct where *w, struct mpl_map *numbers, uint32_t path,
                              uint32_t group)
{
    uint32_t i = mpl_map_find(numbers, path);

    if (i == MPL_NONE) {
        i = (uint32_t) w->paths.n;
        if (!mpl_buf_put(&w->paths, &(struct path){ path, group }) ||
            !mpl_map_put(numbers, path, i)) {
            return MPL_NONE;
        }
    }
    struct path *x = mpl_buf_get(&w->paths, i);
    if (x->group != group || mpl_places_group(w->places, group)->loop == MPL_NONE) {
        x->group = MPL_NONE;
    }
    return i;
}

static enum mpl_status split(struct where *w, struct view *v, struct mpl_map *numbers,
                             struct mpl_err *err)
{
    struct mpl_buf parts = mpl_buf_make(sizeof(struct mpl_function_part));
    enum mpl_status st = mpl_functions_split(v->run->events, w->load->location, v->calls,
                                             w->e->symbols, &parts, err);

    v->n_parts = parts.n;
    v->parts = st == MPL_OK ? mpl_buf_take(&parts, w->arena) : NULL;
    mpl_buf_free(&parts);
    for (size_t i = 0; i < v->n_parts && v->parts != NULL; i++) {
        const uint32_t place = v->placed.place[v->parts[i].call];

        v->parts[i].path = index_of_path(w, numbers, v->parts[i].path,
                                         mpl_places_get(w->places, place)->group);
        if (v->parts[i].path == MPL_NONE) {
            return mpl_nomem(err);
        }
    }
    return st == MPL_OK && v->n_parts > 0 && v->parts == NULL ? mpl_nomem(err) : st;
}

static enum mpl_status take_functions(struct where *w, struct mpl_err *err)
{
    struct mpl_map *numbers = mpl_map_create();
    enum mpl_status st = numbers == NULL ? mpl_nomem(err) : MPL_OK;

    for (size_t r = 0; r < w->n[0] + w->n[1] && st == MPL_OK; r++) {
        st = split(w, &w->views[r], numbers, err);
    }
    mpl_map_destroy(numbers);
    for (size_t r = 0; r < w->n[0] + w->n[1] && st == MPL_OK; r++) {
        struct view *v = &w->views[r];

        v->path_s = MPL_NEW_ARRAY(w->arena, w->paths.n, double);
        if (v->path_s == NULL) {
            return mpl_nomem(err);
        }
        for (size_t i = 0; i < v->n_parts; i++) {
            v->path_s[v->parts[i].path] += v->parts[i].computed_s;
        }
    }
    return st;
}

enum mpl_status mpl_where_take(struct where *w, struct mpl_err *err)
{
    const size_t n = w->n[0] + w->n[1];
    enum mpl_status st = MPL_OK;

    for (size_t i = 0; i < n && st == MPL_OK; i++) {
        st = make_calls(w, &w->views[i], err);
    }
    st = st == MPL_OK ? place_calls(w, err) : st;
    for (size_t i = 0; i < n && st == MPL_OK; i++) {
        st = measure(w, &w->views[i], err);
    }
    return st == MPL_OK && w->has_functions && mpl_where_is_computed(w)
               ? take_functions(w, err)
               : st;
}
