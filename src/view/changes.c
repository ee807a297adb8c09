/*
 * Whom a location waits for most, and at which step that changes: the searches of sections 5.1 and 5.3.
 * One change is looked for: the step k and the two others a and b for which the waits for a until k and
 * for b behind it add up to most. Without a better pair than a and a there is none.
 *
 * Example: per step 3 for a, three times, then 2 for b, twice. With k = 3 that is 9 + 4 = 13, all of it;
 * a alone explains 9.
 */
#include "config.h"

#include "view/view_priv.h"

static const struct mpl_column columns[] = {
    { "location", NULL, "who waits" },
    { "all", "s", "that it waits in all steps" },
    { "waits_for", NULL, "for whom most, before the change" },
    { "wait", "s", "for that one, before the change" },
    { "step", "1", "the first step behind the change; none: there is no change" },
    { "then_for", NULL, "for whom most from then on" },
    { "then_wait", "s", "for that one, from then on" },
    { "share", "1", "of all, what the two explain" },
    { "alone", "1", "of all, what one of them explains best without a change" },
};
enum { N_COLUMNS = sizeof columns / sizeof *columns };

/* What a location waits for somebody in a step. */
struct wait {
    uint32_t step;
    uint32_t culprit;
    int64_t ticks;
};

/* Up to a step, or from it on. */
struct best {
    uint32_t culprit; /* MPL_NONE: nobody is waited for */
    int64_t ticks;
};

struct search {
    struct mpl_selection *s;
    struct mpl_buf *waits;     /* per location: struct wait, ascending by step */
    int64_t *sums;             /* per culprit, zeros between uses */
    struct best *until, *from; /* per step, 0 to n + 1 */
};

static bool add_waits(struct search *x, const struct mpl_step_walk *walk, uint32_t location,
                      uint32_t step)
{

    for (struct mpl_piece p = mpl_pieces_of(&walk->of_step, location);
         mpl_piece_next(&walk->of_step, &p);) {
        const struct wait wait = { step, p.span.culprit, p.wait_ticks };

        if (p.wait_ticks > 0 && p.span.culprit != MPL_NONE &&
            !mpl_buf_put(&x->waits[location], &wait)) {
            return false;
        }
    }
    return true;
}

/* A sum grows only, so the largest one is the one that grew, or stays what it was. */
static struct best grown(struct search *x, struct best best, const struct wait *wait)
{
    const int64_t sum = x->sums[wait->culprit] += wait->ticks;

    return sum > best.ticks ? (struct best){ wait->culprit, sum } : best;
}

static void clear(struct search *x, const struct mpl_buf *waits)
{
    for (size_t i = 0; i < waits->n; i++) {
        x->sums[((struct wait *) mpl_buf_get(waits, i))->culprit] = 0;
    }
}

static void find_best(struct search *x, const struct mpl_buf *waits)
{
    const struct best none = { MPL_NONE, 0 };
    const uint32_t n = x->s->steps->n;
    size_t i = 0;

    x->until[0] = none;
    for (uint32_t k = 1; k <= n; k++) {
        x->until[k] = x->until[k - 1];
        for (; i < waits->n && ((struct wait *) mpl_buf_get(waits, i))->step == k; i++) {
            x->until[k] = grown(x, x->until[k], mpl_buf_get(waits, i));
        }
    }
    clear(x, waits);
    x->from[n + 1] = none;
    for (uint32_t k = n; k > 0; k--) {
        x->from[k] = x->from[k + 1];
        for (; i > 0 && ((struct wait *) mpl_buf_get(waits, i - 1))->step == k; i--) {
            x->from[k] = grown(x, x->from[k], mpl_buf_get(waits, i - 1));
        }
    }
    clear(x, waits);
}

static enum mpl_status emit(struct search *x, uint32_t location, struct mpl_view_rows *rows,
                            struct mpl_err *err)
{
    const struct mpl_buf *waits = &x->waits[location];
    const uint32_t n = x->s->steps->n;
    uint32_t split = n;
    int64_t all = 0;

    if (waits->n == 0) {
        return MPL_OK;
    }
    for (size_t i = 0; i < waits->n; i++) {
        all += ((struct wait *) mpl_buf_get(waits, i))->ticks;
    }
    find_best(x, waits);
    for (uint32_t k = 1; k < n; k++) {
        if (x->until[k].ticks + x->from[k + 1].ticks >
            x->until[split].ticks + x->from[split + 1].ticks) {
            split = k;
        }
    }
    const struct best before = x->until[split];
    const struct best then = x->from[split + 1];
    const bool is_change = then.culprit != MPL_NONE;
    const struct mpl_cell cells[N_COLUMNS] = {
        mpl_cell_location(x->s, location),
        mpl_cell_seconds(x->s, all),
        mpl_cell_location(x->s, before.culprit),
        mpl_cell_seconds(x->s, before.ticks),
        is_change ? mpl_cell_whole(split + 1) : mpl_cell_none(),
        mpl_cell_location(x->s, then.culprit),
        is_change ? mpl_cell_seconds(x->s, then.ticks) : mpl_cell_none(),
        mpl_cell_number((double) (before.ticks + then.ticks) / (double) all),
        mpl_cell_number((double) x->until[n].ticks / (double) all),
    };

    return mpl_view_put(rows, cells, err);
}

static enum mpl_status gather(struct search *x, struct mpl_arena *arena,
                              struct mpl_err *err)
{
    const uint32_t n = x->s->run->model->n_locations;
    struct mpl_step_walk walk;
    enum mpl_status st = mpl_step_walk_open(x->s, arena, &walk, err);

    for (uint32_t l = 0; l < n; l++) {
        x->waits[l] = mpl_buf_make(sizeof(struct wait));
    }
    for (uint32_t k = 1; st == MPL_OK && k <= x->s->steps->n; k++) {
        mpl_step_walk_go(&walk, k);
        for (uint32_t l = 0; l < n && st == MPL_OK; l++) {
            st = add_waits(x, &walk, l, k) ? MPL_OK : mpl_nomem(err);
        }
    }
    return st;
}

static enum mpl_status make(struct mpl_selection *s, struct mpl_view_rows *rows,
                            struct mpl_err *err)
{
    const uint32_t n = s->run->model->n_locations;
    struct search x = { .s = s,
                        .waits = MPL_NEW_ARRAY(rows->arena, n, struct mpl_buf),
                        .sums = MPL_NEW_ARRAY(rows->arena, n, int64_t) };
    enum mpl_status st = mpl_selection_steps(s, rows->arena, err);

    if (st != MPL_OK || s->steps->n == 0) {
        return st;
    }
    x.until = MPL_NEW_ARRAY(rows->arena, (size_t) s->steps->n + 2, struct best);
    x.from = MPL_NEW_ARRAY(rows->arena, (size_t) s->steps->n + 2, struct best);
    if (x.waits == NULL || x.sums == NULL || x.until == NULL || x.from == NULL) {
        return mpl_nomem(err);
    }
    st = gather(&x, rows->arena, err);
    for (uint32_t l = 0; l < n && st == MPL_OK; l++) {
        st = emit(&x, l, rows, err);
    }
    for (uint32_t l = 0; l < n; l++) {
        mpl_buf_free(&x.waits[l]);
    }
    return st;
}

const struct mpl_view mpl_view_changes = {
    .name = "changes",
    .says = "whom each location waits for most, and at which step that changes",
    .mark = MPL_MARK_BARS,
    .axes = { .of = { 0 }, .n_of = 1 },
    MPL_COLUMNS(columns),
    .by = 1,
    .make = make,
};
