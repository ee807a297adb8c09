#include "config.h"

#include "causality/causality_priv.h"

static bool make_room(struct mpl_causality *c, struct mpl_arena *arena)
{
    const uint32_t n = c->net->n_tracks;

    c->values = mpl_buf_make(sizeof(uint32_t));
    c->stamps = MPL_NEW_ARRAY(arena, n, struct mpl_buf);
    c->known = MPL_NEW_ARRAY(arena, n, uint32_t);
    c->next_known = MPL_NEW_ARRAY(arena, n, uint32_t);
    c->touched = MPL_NEW_ARRAY(arena, n, uint32_t);
    c->next_touched = MPL_NEW_ARRAY(arena, n, uint32_t);
    for (uint32_t l = 0; l < n && c->stamps != NULL; l++) {
        c->stamps[l] = mpl_buf_make(sizeof(struct mpl_stamp));
    }
    return c->stamps != NULL && c->known != NULL && c->next_known != NULL &&
           c->touched != NULL && c->next_touched != NULL;
}

static enum mpl_status fill(struct mpl_causality *c,
                            const struct mpl_causality_options *options,
                            struct mpl_err *err)
{
    return make_room(c, c->arena) &&
                   mpl_clusters_open(&c->clusters, c->net, options, c->arena)
               ? mpl_causality_stamp(c, options, err)
               : mpl_nomem(err);
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

    const enum mpl_status st = fill(c, options, err);

    if (st == MPL_OK) {
        *out = c;
    } else {
        mpl_causality_destroy(c);
    }
    return st;
}

void mpl_causality_destroy(struct mpl_causality *c)
{
    if (c == NULL) {
        return;
    }
    for (uint32_t l = 0; l < c->net->n_tracks && c->stamps != NULL; l++) {
        mpl_buf_free(&c->stamps[l]);
    }
    mpl_buf_free(&c->values);
    mpl_clusters_close(&c->clusters);
    mpl_arena_destroy(c->arena);
}

struct mpl_causality_size mpl_causality_size(const struct mpl_causality *c)
{
    const double n_locations = c->net->n_tracks;
    struct mpl_causality_size size = { .n_entries = c->values.n,
                                       .bytes = c->values.n * c->values.size +
                                                mpl_arena_bytes(c->arena) };
    double n_events = 0;
    double n_entries = (double) c->n_other_entries;

    for (uint32_t l = 0; l < c->net->n_tracks; l++) {
        size.n_stamps += c->stamps[l].n;
        size.bytes += c->stamps[l].n * c->stamps[l].size;
        n_events += c->net->model->locations[l].n_events;
        for (size_t i = 0; i < c->stamps[l].n; i++) {
            n_entries += ((const struct mpl_stamp *) mpl_buf_get(&c->stamps[l], i))->n;
        }
    }
    size.ratio = n_entries / (n_events * n_locations);
    return size;
}
