/*
 * What repetitions of the base differ in among themselves is nothing that the new run does otherwise. What chance
 * decides is found in them as in the new run (arrival.c). Where two of them go different ways all the same, nobody knows
 * what the base does behind that: from there on the location is not compared, but for an end that
 * none of them has.
 */
#include "config.h"

#include "diff/diff_priv.h"

/* Where a location of the base goes different ways. */
struct mpl_fork {
    uint32_t position; /* MPL_NONE: nowhere */
    bool has_end;      /* and one of the ways ends there */
};

/* Calls \p visit with each other run of the side in place of the new one. */
static enum mpl_status for_others(struct mpl_comparison *c, int side,
                                  enum mpl_status (*visit)(struct mpl_comparison *,
                                                           struct mpl_err *),
                                  struct mpl_err *err)
{
    const struct mpl_run *const new = c->diff.new;
    const struct mpl_run *speaker = side == 0 ? c->diff.base : c->diff.new;
    enum mpl_status st = MPL_OK;

    for (size_t i = 0; i < c->diff.sides[side].n && st == MPL_OK; i++) {
        c->diff.new = c->diff.sides[side].runs[i];
        st = c->diff.new == speaker ? MPL_OK : visit(c, err);
    }
    c->diff.new = new;
    return st;
}

enum mpl_status mpl_repeats_loosen(struct mpl_comparison *c, struct mpl_err *err)
{
    return for_others(c, 0, mpl_fine_loosen, err);
}

static enum mpl_status add_forks(struct mpl_comparison *c, struct mpl_err *err)
{
    struct mpl_arena *scratch = mpl_arena_create();
    struct mpl_level level;
    enum mpl_status st =
        scratch == NULL ? mpl_nomem(err) : mpl_fine_make(c, scratch, &level, err);

    for (uint32_t l = 0; l < c->n_locations && st == MPL_OK; l++) {
        struct mpl_fork *fork = &c->forks[l];
        uint32_t common;

        if (mpl_level_differs(c, &level, l, &common)) {
            fork->has_end =
                fork->has_end || common == level.new[l].n || common == level.base[l].n;
            fork->position = common < fork->position ? common : fork->position;
        }
    }
    mpl_arena_destroy(scratch);
    return st;
}

enum mpl_status mpl_repeats_find_forks(struct mpl_comparison *c, struct mpl_err *err)
{
    c->forks = MPL_NEW_ARRAY(c->arena, c->n_locations, struct mpl_fork);
    if (c->forks == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t l = 0; l < c->n_locations; l++) {
        c->forks[l].position = MPL_NONE;
    }
    return for_others(c, 0, add_forks, err);
}

bool mpl_repeats_explain(const struct mpl_comparison *c, const struct mpl_level *level,
                         uint32_t l, uint32_t position)
{
    const struct mpl_fork *fork = &c->forks[l];

    return position >= fork->position && (position < level->new[l].n || fork->has_end);
}

static enum mpl_status count_changed(struct mpl_comparison *c, struct mpl_err *err)
{
    struct mpl_arena *scratch = mpl_arena_create();
    struct mpl_level level;
    bool has_changed = false;
    enum mpl_status st =
        scratch == NULL ? mpl_nomem(err) : mpl_fine_make(c, scratch, &level, err);

    for (uint32_t l = 0; l < c->n_locations && st == MPL_OK; l++) {
        uint32_t common;

        has_changed = has_changed || (mpl_level_differs(c, &level, l, &common) &&
                                      !mpl_repeats_explain(c, &level, l, common));
    }
    c->n_changed_runs += has_changed;
    c->changed_run = has_changed && c->changed_run == NULL ? c->diff.new : c->changed_run;
    mpl_arena_destroy(scratch);
    return st;
}

enum mpl_status mpl_repeats_count(struct mpl_comparison *c, struct mpl_err *err)
{
    c->n_changed_runs = c->diff.n_changes > 0;
    return for_others(c, 1, count_changed, err);
}

static enum mpl_status note_forks(struct mpl_comparison *c, struct mpl_err *err)
{
    uint32_t n = 0;
    uint32_t first = 0;

    for (uint32_t l = c->n_locations; l-- > 0;) {
        const bool has = c->forks[l].position != MPL_NONE;

        first = has ? l : first;
        n += has;
    }
    return n == 0
               ? MPL_OK
               : mpl_comparison_note(
                     c,
                     mpl_arena_printf(c->arena,
                                      "Repetitions of the base go different ways, too: %u "
                                      "%s, first %s. Behind that their calls are not "
                                      "compared.",
                                      n, n == 1 ? "process" : "processes",
                                      c->diff.base->model->locations[first].label),
                     err);
}

enum mpl_status mpl_repeats_note(struct mpl_comparison *c, struct mpl_err *err)
{
    const size_t n = c->diff.sides[1].n;
    const enum mpl_status st = note_forks(c, err);

    return st != MPL_OK || c->diff.n_changes == 0 || n == 1
               ? st
               : mpl_comparison_note(
                     c,
                     mpl_arena_printf(c->arena,
                                      "%zu of %zu new runs go another way than the base; "
                                      "shown is %s.",
                                      c->n_changed_runs, n, c->diff.new->path),
                     err);
}
