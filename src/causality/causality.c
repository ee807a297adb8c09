#include "config.h"

#include "causality/causality_priv.h"

#include <string.h>

/* Events with a sink; each has one stamp, whatever the number of its sinks. */
static uint32_t count_stamps(const struct mpl_net_track *track)
{
    uint32_t n = 0;
    uint32_t last = MPL_NONE;

    for (uint32_t i = 0; i < track->n_points; i++) {
        if ((track->points[i].flags & MPL_POINT_SOURCE) == 0 &&
            track->points[i].event != last) {
            last = track->points[i].event;
            n++;
        }
    }
    return n;
}

static bool make_stamps(struct mpl_causality *c, uint32_t location)
{
    struct mpl_stamps *s = &c->stamps[location];
    const size_t n = count_stamps(&c->net->track[location]);
    const size_t n_words = c->net->model->locations[location].n_events / 64 + 1;

    if (n == 0) {
        return true;
    }
    s->sinks = MPL_NEW_ARRAY(c->arena, n_words, struct mpl_sinks);
    s->entries = MPL_NEW_ARRAY(c->arena, n * c->n_words, uint32_t);
    return s->sinks != NULL && s->entries != NULL;
}

static bool make_room(struct mpl_causality *c)
{
    const uint32_t n = c->net->n_tracks;
    const uint32_t n_for_levels = c->n_levels == 0 ? 0 : n;

    c->stamps = MPL_NEW_ARRAY(c->arena, n, struct mpl_stamps);
    c->row = MPL_NEW_ARRAY(c->arena, (size_t) c->n_levels * n, uint32_t);
    c->place = MPL_NEW_ARRAY(c->arena, (size_t) c->n_levels * n, uint32_t);
    c->home = MPL_NEW_ARRAY(c->arena, (size_t) c->n_levels * n, uint32_t);
    c->known = MPL_NEW_ARRAY(c->arena, n_for_levels, uint32_t);
    c->next_known = MPL_NEW_ARRAY(c->arena, n_for_levels, uint32_t);
    c->sought = MPL_NEW_ARRAY(c->arena, n_for_levels, struct mpl_sought);
    c->size = MPL_NEW_ARRAY(c->arena, (size_t) c->n_levels * n, uint32_t);
    bool is_done = !mpl_arena_is_short(c->arena);
    for (uint32_t l = 0; l < n && is_done; l++) {
        is_done = make_stamps(c, l);
    }
    return is_done;
}

static enum mpl_status fill(struct mpl_causality *c,
                            const struct mpl_causality_options *options,
                            struct mpl_err *err)
{
    struct mpl_arena *scratch = mpl_arena_create();
    struct mpl_clusters clusters;
    enum mpl_status st = scratch != NULL && make_room(c) &&
                                 mpl_clusters_open(&clusters, c->net, options, scratch)
                             ? mpl_causality_stamp(c, &clusters, options, scratch, err)
                             : mpl_nomem(err);

    if (st == MPL_OK) {
        mpl_clusters_line_up(&clusters, c->row, c->place, c->home, c->size);
    }
    mpl_arena_destroy(scratch);
    return st;
}

enum mpl_status mpl_causality_create(struct mpl_net *net,
                                     const struct mpl_causality_options *options,
                                     struct mpl_causality **out, struct mpl_err *err)
{
    struct mpl_arena *arena = mpl_arena_create();
    struct mpl_causality *c = arena == NULL ? NULL : MPL_NEW(arena, struct mpl_causality);

    if (c == NULL) {
        mpl_arena_destroy(arena);
        return mpl_nomem(err);
    }
    c->arena = arena;
    c->net = net;
    c->model = net->model;
    c->lacks_ends = net->lacks_ends;
    c->lacks_threads = net->lacks_threads;
    c->n_levels = options->n_levels;
    c->n_words = c->n_levels == 0 ? 1 : MPL_ENTRY_WORDS;

    enum mpl_status st = fill(c, options, err);

    if (st == MPL_OK && net->silent != NULL) {
        c->silent = MPL_NEW_ARRAY(arena, net->n_tracks, struct mpl_net_silent);
        st = c->silent == NULL ? mpl_nomem(err) : MPL_OK;
    }
    if (c->silent != NULL) {
        memcpy(c->silent, net->silent, net->n_tracks * sizeof *net->silent);
    }

    c->net = NULL;
    if (st == MPL_OK) {
        *out = c;
    } else {
        mpl_causality_destroy(c);
    }
    return st;
}

void mpl_causality_destroy(struct mpl_causality *c)
{
    if (c != NULL) {
        mpl_arena_destroy(c->arena);
    }
}

struct mpl_causality_cost mpl_causality_cost(const struct mpl_causality *c)
{
    return c->cost;
}

struct mpl_causality_size mpl_causality_size(const struct mpl_causality *c)
{
    const uint32_t n_locations = c->model->n_locations;
    struct mpl_causality_size size = { .n_entries = c->n_entries,
                                       .bytes = mpl_arena_bytes(c->arena) };
    double n_events = 0;
    double n_entries = (double) c->n_other_entries;

    for (uint32_t l = 0; l < n_locations; l++) {
        const struct mpl_stamps *s = &c->stamps[l];

        size.n_stamps += s->n;
        n_events += c->model->locations[l].n_events;
        for (uint32_t i = 0; i < s->n; i++) {
            n_entries += c->n_levels == 0
                             ? n_locations
                             : c->shapes[mpl_entry(c, s, i)[MPL_ENTRY_SHAPE]].n;
        }
    }
    size.ratio = n_entries / (n_events * n_locations);
    /* Full vectors need no shapes, no references to outer clusters, and no clusters. */
    size.vector_bytes = size.bytes + sizeof *c->values * c->n_vector_entries -
                        sizeof *c->values * c->n_values;
    if (c->n_levels > 0) {
        size.vector_bytes -= 2 * sizeof(uint32_t) * size.n_stamps +
                             (2 + 4 * c->n_levels) * sizeof(uint32_t) * n_locations +
                             c->n_shapes * sizeof *c->shapes;
    }
    return size;
}
