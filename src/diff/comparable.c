/* Whether two runs can be compared at all, and what of them not. */
#include "config.h"

#include "diff/diff_priv.h"

#include <string.h>

/* Programs that share fewer of their functions are taken for different ones. */
static const double least_common = 0.2;

static enum mpl_status refuse(struct mpl_comparison *c, const char *reason,
                              struct mpl_err *err)
{
    c->diff.verdict = MPL_DIFF_NOT_COMPARABLE;
    c->diff.reason = reason;
    return reason == NULL ? mpl_nomem(err) : MPL_OK;
}

struct functions {
    struct mpl_names *names;
    uint8_t *sides; /* Per name: 1 base, 2 new. */
    size_t n_common;
};

/* Says nothing about what the program does. */
static bool is_in_every_program(const struct mpl_region *region)
{
    return region->kind == MPL_REGION_MPI_INIT || region->kind == MPL_REGION_MPI_FINALIZE ||
           region->kind == MPL_REGION_TRACER;
}

/* Functions that are called; a definition alone means nothing. */
static bool mark(struct functions *f, const struct mpl_events *events, uint8_t side)
{
    const struct mpl_model *model = mpl_events_model(events);

    for (uint32_t r = 0; r < model->n_regions; r++) {
        if (!mpl_events_calls_region(events, r) ||
            is_in_every_program(&model->regions[r])) {
            continue;
        }

        const uint32_t name = mpl_names_put(f->names, model->regions[r].name);

        if (name == MPL_NONE) {
            return false;
        }
        f->sides[name] |= side;
    }
    return true;
}

static enum mpl_status check_functions(struct mpl_comparison *c, struct mpl_err *err)
{
    const struct mpl_events *base = c->diff.base->events;
    const struct mpl_events *new = c->diff.new->events;
    struct mpl_arena *scratch = mpl_arena_create();
    struct functions f = { .names = mpl_names_create() };
    const size_t most =
        (size_t) mpl_events_model(base)->n_regions + mpl_events_model(new)->n_regions;
    enum mpl_status st = MPL_OK;

    f.sides = scratch == NULL ? NULL : MPL_NEW_ARRAY(scratch, most, uint8_t);
    if (f.names == NULL || f.sides == NULL || !mark(&f, base, 1) || !mark(&f, new, 2)) {
        st = mpl_nomem(err);
    }

    const size_t n = st == MPL_OK ? mpl_names_count(f.names) : 0;

    for (size_t i = 0; i < n; i++) {
        f.n_common += f.sides[i] == 3;
    }
    if ((double) f.n_common < least_common * (double) n) {
        st = refuse(
            c,
            mpl_arena_printf(c->arena,
                             "these are different programs: they have %zu of %zu MPI "
                             "functions in common",
                             f.n_common, n),
            err);
    }
    mpl_names_destroy(f.names);
    mpl_arena_destroy(scratch);
    return st;
}

/* "the base has 4 processes, the new run 8"; NULL: their locations correspond, or no memory. */
static const char *unlike_text(struct mpl_comparison *c, bool *is_unlike)
{
    const struct mpl_model *base = c->diff.base->model;
    const struct mpl_model *new = c->diff.new->model;

    *is_unlike = true;
    if (base->n_processes != new->n_processes) {
        return mpl_arena_printf(c->arena, "the base has %u process%s, the new run %u",
                                base->n_processes, base->n_processes == 1 ? "" : "es",
                                new->n_processes);
    }
    if (base->n_locations != new->n_locations) {
        return mpl_arena_printf(c->arena, "the base has %u threads, the new run %u",
                                base->n_locations, new->n_locations);
    }
    for (uint32_t l = 0; l < base->n_locations; l++) {
        if (strcmp(base->locations[l].label, new->locations[l].label) != 0) {
            return mpl_arena_printf(c->arena,
                                    "the base has a location %s where the new run has %s",
                                    base->locations[l].label, new->locations[l].label);
        }
    }
    *is_unlike = false;
    return NULL;
}

static enum mpl_status check_locations(struct mpl_comparison *c, struct mpl_err *err)
{
    bool is_unlike;
    const char *unlike = unlike_text(c, &is_unlike);
    const char *reason = NULL;

    if (!is_unlike) {
        c->n_locations = c->diff.base->model->n_locations;
        return MPL_OK;
    }
    const enum mpl_status st =
        unlike == NULL ? mpl_nomem(err) : mpl_roles_compare(c, &reason, err);
    return st != MPL_OK || reason == NULL
               ? st
               : refuse(c,
                        mpl_arena_printf(c->arena,
                                         "%s; and they cannot be compared by role, for %s",
                                         unlike, reason),
                        err);
}

static enum mpl_status check_run(struct mpl_comparison *c, const struct mpl_run *run,
                                 const char *which, struct mpl_err *err)
{
    if (run->events != NULL && run->model->n_events > 0) {
        return MPL_OK;
    }
    return refuse(
        c,
        mpl_arena_printf(c->arena, "%s cannot be used: %s", which,
                         run->failure == NULL ? "it has no events" : run->failure),
        err);
}

static enum mpl_status note_recording(struct mpl_comparison *c, struct mpl_err *err)
{
    const bool base = c->diff.base->model->can.has_receive_completions;
    const bool new = c->diff.new->model->can.has_receive_completions;

    if (base == new) {
        return MPL_OK;
    }
    return mpl_comparison_note(
        c,
        mpl_arena_printf(c->arena,
                         "%s does not record when non-blocking receives are over, %s does. "
                         "That is no difference of the program: calls are compared, not "
                         "records, and waits are not.",
                         base ? "The new run" : "The base",
                         base ? "the base" : "the new run"),
        err);
}

/* "function, peer and root". */
static const char *parts_text(struct mpl_arena *arena, unsigned parts)
{
    const char *text = "function";
    unsigned rest = parts;

    for (int i = 0; i < MPL_SYMBOL_PARTS && text != NULL; i++) {
        rest &= ~(1U << i);
        text = (parts & 1U << i) == 0
                   ? text
                   : mpl_arena_printf(arena, "%s%s %s", text, rest == 0 ? " and" : ",",
                                      mpl_symbol_part_name(i));
    }
    return text;
}

static enum mpl_status note_parts(struct mpl_comparison *c, struct mpl_err *err)
{
    const char *parts;

    if (!c->options.has_parts) {
        return MPL_OK;
    }
    parts = parts_text(c->arena, c->options.parts);
    return mpl_comparison_note(
        c,
        parts == NULL
            ? NULL
            : mpl_arena_printf(c->arena,
                               "As asked for, calls are compared by their %s, and by "
                               "nothing else.",
                               parts),
        err);
}

enum mpl_status mpl_roles_note(struct mpl_comparison *c, struct mpl_err *err)
{
    const enum mpl_status st =
        mpl_comparison_note(c,
                            "By role calls are compared by their functions and by which "
                            "comes behind which: not with whom, with what tag and "
                            "size, nor how often, but for the loop of the first of "
                            "each role.",
                            err);

    return st == MPL_OK ? note_recording(c, err) : st;
}

enum mpl_status mpl_comparable_note(struct mpl_comparison *c, struct mpl_err *err)
{
    enum mpl_status st = mpl_arrival_note(c, err);

    st = st == MPL_OK ? note_parts(c, err) : st;
    return st == MPL_OK ? note_recording(c, err) : st;
}

enum mpl_status mpl_comparable_check(struct mpl_comparison *c, struct mpl_err *err)
{
    enum mpl_status st = check_run(c, c->diff.base, "the base", err);

    if (st == MPL_OK && c->diff.reason == NULL) {
        st = check_run(c, c->diff.new, "the new run", err);
    }
    if (st == MPL_OK && c->diff.reason == NULL) {
        st = check_functions(c, err);
    }
    if (st == MPL_OK && c->diff.reason == NULL) {
        st = check_locations(c, err);
    }
    return st;
}
