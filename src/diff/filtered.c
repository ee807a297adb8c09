/* Both runs through one filter, folded with one table of loops. */
#include "config.h"

#include "diff/diff_priv.h"

/* Without loops: each call an item of its own. */
static bool unfold(const struct mpl_sequence *sequences, size_t n, struct mpl_arena *arena,
                   struct mpl_folded *out)
{
    uint32_t *first = MPL_NEW_ARRAY(arena, n, uint32_t);

    if (first == NULL || !mpl_sequences_find_equal(sequences, n, first)) {
        return false;
    }
    for (size_t l = 0; l < n; l++) {
        if (first[l] != l) {
            out[l] = out[first[l]];
            continue;
        }
        struct mpl_item *items = MPL_NEW_ARRAY(arena, sequences[l].n, struct mpl_item);
        if (items == NULL) {
            return false;
        }
        for (uint32_t i = 0; i < sequences[l].n; i++) {
            items[i] = (struct mpl_item){ sequences[l].symbols[i], 1 };
        }
        out[l] = (struct mpl_folded){ sequences[l].n, items };
    }
    return true;
}

/* Loops of base and new by the first of their rotations. */
static bool turn(struct mpl_filtered *f, struct mpl_folded *out)
{
    if (!mpl_loops_find_rotations(f->loops, f->arena, &f->rotation_of)) {
        return false;
    }
    for (uint32_t s = 0; s < 2 * f->n_locations; s++) {
        struct mpl_item *items = MPL_NEW_ARRAY(f->arena, out[s].n, struct mpl_item);

        if (items == NULL) {
            return false;
        }
        for (uint32_t i = 0; i < out[s].n; i++) {
            items[i] = mpl_item_unrotated(out[s].items[i], f->rotation_of);
        }
        out[s].items = items;
    }
    return true;
}

/* Both runs as one list, so that loops are those of both. */
static enum mpl_status take(struct mpl_filtered *f, const struct mpl_sequence *base,
                            const struct mpl_sequence *new, const struct mpl_filtering *how,
                            struct mpl_err *err)
{
    const size_t n = f->n_locations;
    struct mpl_sequence *all = MPL_NEW_ARRAY(f->arena, 2 * n, struct mpl_sequence);
    struct mpl_folded *out = MPL_NEW_ARRAY(f->arena, 2 * n, struct mpl_folded);
    enum mpl_status st = MPL_OK;

    if (all == NULL || out == NULL) {
        return mpl_nomem(err);
    }
    for (size_t l = 0; l < n; l++) {
        all[l] = base[l];
        all[n + l] = new[l];
    }
    if (!how->without_loops) {
        f->loops = mpl_loops_create(mpl_filter_k(how->filter), f->arena);
        st = f->loops == NULL ? mpl_nomem(err)
                              : mpl_loops_fold(f->loops, all, 2 * n, out, err);
    } else if (!unfold(all, 2 * n, f->arena, out)) {
        st = mpl_nomem(err);
    }
    if (st == MPL_OK && how->up_to_rotation && !how->without_loops && !turn(f, out)) {
        st = mpl_nomem(err);
    }
    f->base_calls = base;
    f->new_calls = new;
    f->base = out;
    f->new = out + n;
    f->counts = MPL_NEW(f->arena, struct mpl_counts);
    return st == MPL_OK && f->counts == NULL ? mpl_nomem(err) : st;
}

/* Without noise: the sequences that the comparison itself rests on. */
static enum mpl_status coarsen(const struct mpl_comparison *c,
                               const struct mpl_filtering *how, struct mpl_arena *arena,
                               const struct mpl_sequence **base,
                               const struct mpl_sequence **new, struct mpl_err *err)
{
    const bool is_one_list = c->new == c->base + c->n_locations;
    const enum mpl_status st =
        mpl_sequences_coarsen(c->base, (is_one_list ? 2 : 1) * (size_t) c->n_locations,
                              how->filter, how->parts, c->symbols, arena, base, err);

    if (st == MPL_OK && is_one_list) {
        *new = *base + c->n_locations;
        return st;
    }
    return st == MPL_OK ? mpl_sequences_coarsen(c->new, c->n_locations, how->filter,
                                                how->parts, c->symbols, arena, new, err)
                        : st;
}

static enum mpl_status make(const struct mpl_comparison *c, const struct mpl_filtering *how,
                            struct mpl_arena *arena, const struct mpl_sequence **base,
                            const struct mpl_sequence **new, struct mpl_err *err)
{
    const struct mpl_sequence_options options = {
        .filter = how->filter,
        .parts = how->parts,
        .without_polls = how->without_noise,
        .loose = how->without_noise ? c->loose : NULL,
    };
    const struct mpl_run *run = how->instead == NULL ? c->diff.new : how->instead;
    const enum mpl_status st =
        mpl_sequences_create(c->diff.base->events, &options, c->symbols, arena, base, err);

    return st == MPL_OK
               ? mpl_sequences_create(run->events, &options, c->symbols, arena, new, err)
               : st;
}

enum mpl_status mpl_filtered_create(const struct mpl_comparison *c,
                                    const struct mpl_filtering *how,
                                    struct mpl_filtered *out, struct mpl_err *err)
{
    const bool is_made = how->without_noise && c->base != NULL && c->new != NULL &&
                         !mpl_filter_keeps_returns(how->filter) && how->instead == NULL &&
                         !how->beyond_mpi &&
                         (how->parts & (MPL_SYMBOL_RELATIVE | MPL_SYMBOL_PATH)) == 0;
    const struct mpl_sequence *base = NULL;
    const struct mpl_sequence *new = NULL;

    *out = (struct mpl_filtered){ .arena = mpl_arena_create(),
                                  .n_locations = c->n_locations,
                                  .symbols = c->symbols };
    const enum mpl_status st = is_made ? coarsen(c, how, out->arena, &base, &new, err)
                                       : make(c, how, out->arena, &base, &new, err);
    return st == MPL_OK ? take(out, base, new, how, err) : st;
}

bool mpl_filtered_unfold(const struct mpl_filtered *folded, struct mpl_filtered *out)
{
    *out = *folded;
    out->is_unfolded = true;
    out->counts = MPL_NEW(folded->arena, struct mpl_counts);
    return out->counts != NULL;
}

void mpl_filtered_destroy(struct mpl_filtered *filtered)
{
    mpl_loops_destroy(filtered->loops);
    mpl_arena_destroy(filtered->arena);
}
