#include "config.h"

#include "../lib/columns.h"
#include "clc_fixture.h"
#include "violations.h"

#include <check.h>
#include <inttypes.h>
#include <string.h>

void clc_take_one_base(struct mpl_model *model)
{
    uint64_t base = UINT64_MAX;

    for (uint32_t l = 0; l < model->n_locations; l++) {
        const uint64_t other = model->locations[l].base_ticks;

        base = other < base ? other : base;
    }
    for (uint32_t l = 0; l < model->n_locations; l++) {
        struct mpl_location *loc = &model->locations[l];

        for (uint32_t e = 0; e < loc->n_events; e++) {
            put_ticks(loc, e, mpl_ticks_of(loc, e) + (int64_t) (loc->base_ticks - base));
        }
        loc->base_ticks = base;
    }
}

static void count(struct clc_case *c, struct mpl_violations *out)
{
    struct mpl_err err = { 0 };

    ck_assert_int_eq(violations_count(c->view, out, &err), MPL_OK);
}

struct clc_case clc_case_make(struct mpl_model *model, const struct mpl_match *match,
                              struct mpl_arena *arena, const char *what)
{
    struct clc_case c = { .model = model, .what = what };
    struct mpl_err err = { 0 };

    ck_assert_int_eq(mpl_order_view_create(model, match, arena, &c.view, &err), MPL_OK);
    c.before_ticks = MPL_NEW_ARRAY(arena, model->n_locations, int64_t *);
    ck_assert_ptr_nonnull(c.before_ticks);
    for (uint32_t l = 0; l < model->n_locations; l++) {
        const struct mpl_location *loc = &model->locations[l];

        c.before_ticks[l] = all_ticks(loc, arena);
    }
    count(&c, &c.before);
    return c;
}

void clc_case_reset(struct clc_case *c)
{
    for (uint32_t l = 0; l < c->model->n_locations; l++) {
        put_all_ticks(&c->model->locations[l], c->before_ticks[l]);
    }
}

bool clc_case_is_clean(const struct mpl_violations *v)
{
    return clc_case_sum(v) == 0;
}

uint64_t clc_case_sum(const struct mpl_violations *v)
{
    return v->p2p + v->collective + v->thread;
}

int64_t clc_case_shift(const struct clc_case *c, uint32_t location, uint32_t event)
{
    return mpl_ticks_of(&c->model->locations[location], event) -
           c->before_ticks[location][event];
}

/* ---- guarantees ------------------------------------------------------------------------------ */

/* What the result says, counted anew. */
struct seen {
    uint64_t n_moved;
    uint64_t n_unchanged;
    uint64_t n_changed[5]; /* By less than 0.1 %, 1 %, 10 %, 100 %; by more. */
    int64_t longest;
    int64_t shortest;
    int64_t max_shift;
};

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int class_of_change(int64_t was, int64_t is)
{
    const __int128 size = is > was ? is - was : was - is;
    int class = 0;

    for (int share = 1000; share >= 1; share /= 10) {
        class += size * share >= was;
    }
    return class;
}

static void check_interval(const struct clc_case *c, uint32_t location, uint32_t event,
                           int64_t delta, struct seen *seen)
{
    const int64_t *before = c->before_ticks[location] + event;
    const struct mpl_location *loc = &c->model->locations[location];
    const int64_t was = before[1] - before[0];
    const int64_t is = mpl_ticks_of(loc, event + 1) - mpl_ticks_of(loc, event);

    ck_assert_msg(is >= (was < delta ? was : delta),
                  "%s: location %u, event %u: interval %" PRId64 " became %" PRId64,
                  c->what, location, event, was, is);
    if (is == was) {
        seen->n_unchanged++;
    } else {
        seen->n_changed[class_of_change(was, is)]++;
    }
    seen->longest = larger(seen->longest, is - was);
    seen->shortest = larger(seen->shortest, was - is);
}

static void check_location(const struct clc_case *c, uint32_t location, int64_t delta,
                           struct seen *seen)
{
    const struct mpl_location *loc = &c->model->locations[location];
    int64_t most = 0;

    for (uint32_t e = 0; e < loc->n_events; e++) {
        const int64_t shift = clc_case_shift(c, location, e);

        ck_assert_msg(shift >= 0, "%s: location %u, event %u goes back", c->what, location,
                      e);
        seen->n_moved += shift > 0;
        most = larger(most, shift);
        if (e + 1 < loc->n_events) {
            check_interval(c, location, e, delta, seen);
        }
    }
    ck_assert_int_eq(c->clc->location_max_ticks[location], most);
    ck_assert_int_eq(c->clc->location_end_ticks[location],
                     loc->n_events == 0 ? 0
                                        : clc_case_shift(c, location, loc->n_events - 1));
    seen->max_shift = larger(seen->max_shift, most);
}

static int64_t length(const struct clc_case *c, bool is_before)
{
    int64_t first = INT64_MAX;
    int64_t last = INT64_MIN;

    for (uint32_t l = 0; l < c->model->n_locations; l++) {
        const struct mpl_location *loc = &c->model->locations[l];
        const int64_t *before = c->before_ticks[l];
        const uint32_t n = loc->n_events;

        if (n > 0) {
            const int64_t begin = is_before ? before[0] : mpl_ticks_of(loc, 0);

            first = begin < first ? begin : first;
            last = larger(last, is_before ? before[n - 1] : mpl_ticks_of(loc, n - 1));
        }
    }
    return last - first;
}

static void check_distortion(const struct clc_case *c, const struct seen *seen)
{
    const struct mpl_clc_distortion *d = &c->clc->distortion;
    ck_assert_msg(d->unchanged == seen->n_unchanged,
                  "%s: %" PRIu64 " unchanged, %" PRIu64 " told", c->what, seen->n_unchanged,
                  d->unchanged);
    for (int i = 0; i < 4; i++) {
        ck_assert_msg(d->below[i] == seen->n_changed[i],
                      "%s: %" PRIu64 " changed, class %d, %" PRIu64 " told", c->what,
                      seen->n_changed[i], i, d->below[i]);
    }
    ck_assert_uint_eq(d->beyond, seen->n_changed[4]);
    ck_assert_int_eq(d->longest_ticks, seen->longest);
    ck_assert_int_eq(d->shortest_ticks, seen->shortest);
}

/* A repaired model holds still. */
static void check_again(struct clc_case *c, const struct mpl_clc_options *options,
                        struct mpl_arena *arena)
{
    const struct mpl_clc *again = NULL;
    struct mpl_err err = { 0 };

    if (clc_case_is_clean(&c->after)) {
        ck_assert_int_eq(
            mpl_clc_repair(c->view, c->model, options, NULL, arena, &again, &err), MPL_OK);
        ck_assert_msg(again->n_moved == 0, "%s: %" PRIu64 " events moved again", c->what,
                      again->n_moved);
        ck_assert_int_eq(again->max_shift_ticks, 0);
    }
}

void clc_case_repair(struct clc_case *c, const struct mpl_clc_options *options,
                     struct mpl_arena *arena)
{
    const struct mpl_clc_options defaults = mpl_clc_defaults();
    const struct mpl_clc_options *o = options == NULL ? &defaults : options;
    const int64_t delta = (int64_t) (o->delta_s * (double) c->model->ticks_per_s + 0.999);
    struct seen seen = { 0 };
    struct mpl_err err = { 0 };

    ck_assert_int_eq(mpl_clc_repair(c->view, c->model, o, NULL, arena, &c->clc, &err),
                     MPL_OK);
    mpl_model_check(c->model);
    count(c, &c->after);
    ck_assert_msg(clc_case_sum(&c->after) <= c->clc->n_ignored,
                  "%s: %" PRIu64 " violations left, %" PRIu64 " ignored", c->what,
                  clc_case_sum(&c->after), c->clc->n_ignored);
    for (uint32_t l = 0; l < c->model->n_locations; l++) {
        check_location(c, l, delta, &seen);
    }
    ck_assert_uint_eq(c->clc->n_moved, seen.n_moved);
    ck_assert_int_eq(c->clc->max_shift_ticks, seen.max_shift);
    ck_assert_int_eq(c->clc->is_within_error, (seen.max_shift <= c->clc->error_ticks));
    ck_assert_int_eq(c->clc->growth_ticks, length(c, false) - length(c, true));
    ck_assert_uint_le(c->clc->n_passes, o->max_passes);
    check_distortion(c, &seen);
    if (clc_case_is_clean(&c->before) && !(o->mu_s > 0)) {
        ck_assert_uint_eq(seen.n_moved, 0);
    }
    check_again(c, o, arena);
}
