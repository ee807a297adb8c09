/* One location on demand: its calls in both runs beside each other, as somebody wants to see them. */
#include "config.h"

#include "diff/diff_priv.h"

static const unsigned coarse = MPL_SYMBOL_PEER | MPL_SYMBOL_ROOT;
static const unsigned all =
    MPL_SYMBOL_PEER | MPL_SYMBOL_ROOT | MPL_SYMBOL_TAG | MPL_SYMBOL_BYTES | MPL_SYMBOL_COMM;

static enum mpl_status look(const struct mpl_comparison *c, const struct mpl_aligning *how,
                            unsigned parts, struct mpl_aligned *out, struct mpl_err *err)
{
    const struct mpl_filtering filtering = { .filter = how->filter,
                                             .parts = parts,
                                             .without_loops = how->without_loops,
                                             .without_noise = true };
    const enum mpl_status st = mpl_filtered_create(c, &filtering, &out->filtered, err);

    out->parts = parts;
    if (st == MPL_OK) {
        const struct mpl_level level = { out->filtered.base_calls,
                                         out->filtered.new_calls };

        out->differs = mpl_level_differs(c, &level, how->location, &out->change.position);
    }
    return st;
}

/* The coarsest look that shows the first difference, as in the answer. */
static enum mpl_status choose(const struct mpl_comparison *c,
                              const struct mpl_aligning *how, struct mpl_aligned *out,
                              struct mpl_err *err)
{
    struct mpl_aligned fine = { .differs = false };

    if (how->has_parts) {
        return look(c, how, how->parts, out, err);
    }
    enum mpl_status st = look(c, how, all, &fine, err);
    st = st == MPL_OK ? look(c, how, coarse, out, err) : st;
    if (st == MPL_OK && fine.differs &&
        (!out->differs || out->change.position != fine.change.position)) {
        mpl_filtered_destroy(&out->filtered);
        *out = fine;
        return MPL_OK;
    }
    mpl_filtered_destroy(&fine.filtered);
    return st;
}

static enum mpl_status align(const struct mpl_comparison *c, uint32_t l,
                             struct mpl_aligned *out, struct mpl_err *err)
{
    struct mpl_filtered *f = &out->filtered;
    struct mpl_comparison view = *c;
    const struct mpl_sides sides = { .base = &f->base_calls[l],
                                     .new = &f->new_calls[l],
                                     .folded = f->base[l],
                                     .folded_new = f->new[l] };

    view.arena = f->arena;
    view.loops = f->loops == NULL ? c->loops : f->loops;
    const enum mpl_status st = mpl_align(&view, &sides, &out->change, err);
    if (st == MPL_OK) {
        mpl_align_place(&view, &sides, &out->change);
    }
    return st;
}

/* All of it is common. */
static enum mpl_status show_whole(uint32_t l, struct mpl_aligned *out, struct mpl_err *err)
{
    struct mpl_block *block = MPL_NEW(out->filtered.arena, struct mpl_block);

    if (block == NULL) {
        return mpl_nomem(err);
    }
    *block = (struct mpl_block){ MPL_BLOCK_BOTH, out->filtered.base[l].n,
                                 out->filtered.base[l].items };
    out->change.n_blocks = block->n > 0;
    out->change.blocks = block;
    return MPL_OK;
}

enum mpl_status mpl_aligned_create(const struct mpl_comparison *c,
                                   const struct mpl_aligning *how, struct mpl_aligned *out,
                                   struct mpl_err *err)
{
    *out = (struct mpl_aligned){ .differs = false };
    enum mpl_status st = choose(c, how, out, err);
    out->change.location = how->location;
    if (st != MPL_OK) {
        return st;
    }
    if (!out->differs) {
        return show_whole(how->location, out, err);
    }
    st = align(c, how->location, out, err);
    if (st == MPL_OK && how->is_plain && !how->has_parts) {
        /* What the answer knows of the same change. */
        struct mpl_divergence *change = &out->change;

        for (size_t i = 0; i < c->diff.n_changes; i++) {
            const struct mpl_divergence *x = &c->diff.changes[i];

            if (x->location == change->location && x->position == change->position) {
                change->iteration = x->iteration;
                change->n_iterations = x->n_iterations;
                change->remark = x->remark;
            }
        }
    }
    return st;
}

void mpl_aligned_destroy(struct mpl_aligned *aligned)
{
    mpl_filtered_destroy(&aligned->filtered);
}
