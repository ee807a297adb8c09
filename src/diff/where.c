/*
 * Where a location that is named computes, or waits, or communicates longer: in which function, in which loop, at which
 * call of its body, and in which iterations. A place is tested only if its location is significant, among the places of that location (Yekutieli,
 * Hierarchical False Discovery Rate-Controlling Methodology, 2008): so where nothing differs no place is found more often than
 * a location is.
 */
#include "config.h"

#include "diff/functions_priv.h"
#include "diff/when_priv.h"
#include "diff/where_priv.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Places with less than this share of what their location differs are not worth a line. */
static const double least_part = 0.1;
/* Among the places that count, so many may be chance all the same; p must be able to show it, with a margin. */
static const double false_share = 0.05;
static const double margin = 4;
/* More locations are not looked at, and blocks as for a location. */
enum { MOST_LOADS = 64, MOST_BLOCKS = 32 };

/* ---- what a place takes ---------------------------------------------------------------------------- */

/* Per run of a side, for as many iterations as the new run has. */
static enum mpl_status take_totals(const struct where *w, int side, double factor,
                                   const struct stretch *s, struct mpl_chance_sample *out,
                                   struct mpl_err *err)
{
    const struct view *first = &w->views[side == 0 ? 0 : w->n[0]];
    double *values = MPL_NEW_ARRAY(w->arena, w->n[side], double);

    for (size_t r = 0; r < w->n[side] && values != NULL; r++) {
        const struct view *v = &first[r];
        const uint32_t own = mpl_stretch_steps(v, s);
        double sum = s->path == MPL_NONE ? 0 : v->path_s[s->path];

        for (uint32_t i = 0; i < s->n_places && s->path == MPL_NONE; i++) {
            sum += v->totals_s[s->first_place + i];
        }
        /* Beside the new run: tasks are others in each run, so iterations are compared one by one. */
        const double scale = w->load->work == 1 || own == 0
                                 ? 1
                                 : (double) mpl_stretch_steps(w->speakers[1], s) / own;

        values[r] = factor * scale * sum;
    }
    *out = (struct mpl_chance_sample){ w->n[side], values };
    return values == NULL ? mpl_nomem(err) : MPL_OK;
}

/* The same per step of a run. */
static double *take_steps(const struct where *w, const struct view *v,
                          const struct stretch *s)
{
    double *steps = MPL_NEW_ARRAY(w->arena, mpl_stretch_steps(v, s), double);

    for (uint32_t i = 0; i < v->placed.n && s->path == MPL_NONE && steps != NULL; i++) {
        if (mpl_stretch_is_at(s, v->placed.place[i])) {
            steps[mpl_stretch_step(v, s, i)] += v->values_s[i];
        }
    }
    for (size_t i = 0; i < v->n_parts && s->path != MPL_NONE && steps != NULL; i++) {
        if (v->parts[i].path == s->path) {
            steps[mpl_stretch_step(v, s, v->parts[i].call)] += v->parts[i].computed_s;
        }
    }
    return steps;
}

/* New minus base, on average over the runs with as many steps. */
static enum mpl_status take_pairs(const struct where *w, const struct stretch *s,
                                  double **out, struct mpl_err *err)
{
    const uint32_t n = mpl_stretch_steps(w->speakers[1], s);
    size_t n_like[2] = { 0, 0 };

    *out = MPL_NEW_ARRAY(w->arena, n, double);
    for (size_t r = 0; r < w->n[0] + w->n[1]; r++) {
        n_like[r >= w->n[0]] += mpl_stretch_steps(&w->views[r], s) == n;
    }
    for (size_t r = 0; r < w->n[0] + w->n[1] && *out != NULL; r++) {
        const bool is_new = r >= w->n[0];
        const double factor = (is_new ? 1 : -w->e->factor) / (double) n_like[is_new];

        if (mpl_stretch_steps(&w->views[r], s) != n) {
            continue;
        }
        const double *steps = take_steps(w, &w->views[r], s);
        if (steps == NULL) {
            return mpl_nomem(err);
        }
        for (uint32_t i = 0; i < n; i++) {
            (*out)[i] += factor * steps[i];
        }
    }
    return *out == NULL ? mpl_nomem(err) : MPL_OK;
}

/* ---- chance ------------------------------------------------------------------------------------------ */

/* Blocks of steps, each as if all \p n_as_if were like its own. */
static enum mpl_status cut(const struct where *w, const double *steps, uint32_t n,
                           double n_as_if, struct mpl_chance_sample *out,
                           struct mpl_err *err)
{
    const size_t n_blocks = n < MPL_BLOCKS_LEAST ? 0 : n > MOST_BLOCKS ? MOST_BLOCKS : n;
    double *blocks = MPL_NEW_ARRAY(w->arena, n_blocks, double);

    for (size_t b = 0; b < n_blocks && blocks != NULL; b++) {
        const size_t first = b * n / n_blocks;
        const size_t end = (b + 1) * n / n_blocks;

        for (size_t i = first; i < end; i++) {
            blocks[b] += n_as_if * steps[i] / (double) (end - first);
        }
    }
    *out = (struct mpl_chance_sample){ n_blocks, blocks };
    return blocks == NULL ? mpl_nomem(err) : MPL_OK;
}

static enum mpl_status cut_run(const struct where *w, int side, const struct stretch *s,
                               double factor, struct mpl_chance_sample *out,
                               struct mpl_err *err)
{
    const struct view *v = w->speakers[side];
    const double *steps = take_steps(w, v, s);

    return steps == NULL ? mpl_nomem(err)
                         : cut(w, steps, mpl_stretch_steps(v, s),
                               factor * mpl_stretch_steps(w->speakers[1], s), out, err);
}

/* \p pairs NULL: there are none. */
static enum mpl_status test(const struct where *w, const struct stretch *s,
                            const double *pairs, size_t resamples, struct mpl_chance *out,
                            struct mpl_err *err)
{
    const double factor = w->e->factor;
    const uint32_t n = mpl_stretch_steps(w->speakers[1], s);
    struct mpl_chance_sample x = { 0 };
    struct mpl_chance_sample y = { 0 };
    enum mpl_status st;

    if (mpl_diff_has_repetitions(w->e->diff)) {
        st = take_totals(w, 1, 1, s, &x, err);
        st = st == MPL_OK ? take_totals(w, 0, factor, s, &y, err) : st;
        if (st == MPL_OK) {
            mpl_chance_of_runs(x, y, out);
        }
        return st;
    }
    if (pairs != NULL) {
        st = cut(w, pairs, n, n, &x, err);
    } else {
        st = cut_run(w, 1, s, 1, &x, err);
        st = st == MPL_OK ? cut_run(w, 0, s, factor, &y, err) : st;
        x.n = y.n == 0 ? 0 : x.n;
    }
    return st == MPL_OK ? mpl_chance_of_blocks(x, y, resamples, s->first_place, out, err)
                        : st;
}

static enum mpl_status weigh(const struct where *w, const struct stretch *s,
                             size_t n_family, struct mpl_place_load *out,
                             struct mpl_err *err)
{
    const double asked = margin * (double) n_family / false_share;
    struct mpl_chance chance = { 0, NAN, NAN, NAN };
    double *pairs = NULL;
    enum mpl_status st = MPL_OK;

    const uint32_t n_steps = mpl_stretch_steps(w->speakers[0], s);

    if (w->load->work == 1 && n_steps > 0 &&
        n_steps == mpl_stretch_steps(w->speakers[1], s)) {
        st = take_pairs(w, s, &pairs, err);
        st = st == MPL_OK ? mpl_when_find(pairs, out->new_steps, &out->when, err) : st;
    } else {
        out->when = (struct mpl_when){ .kind = MPL_WHEN_UNEVEN, .n = out->new_steps };
        out->when.each_s = out->new_steps == 0 ? 0 : out->beyond_s / out->new_steps;
    }
    st = st == MPL_OK
             ? test(w, s, pairs, asked > MPL_RESAMPLES ? (size_t) asked : MPL_RESAMPLES,
                    &chance, err)
             : st;
    out->low_s = chance.low;
    out->high_s = chance.high;
    out->p = chance.p;
    return st;
}

/* Adds it if it has its part of what the location differs. */
static enum mpl_status add(const struct where *w, const struct stretch *s,
                           enum mpl_place_what what, size_t n_family, struct mpl_buf *found,
                           struct mpl_err *err)
{
    const struct mpl_place_spot *place =
        what == MPL_PLACE_CALL ? mpl_places_get(w->places, s->first_place) : NULL;
    struct mpl_chance_sample base;
    struct mpl_chance_sample new;
    enum mpl_status st = take_totals(w, 0, 1, s, &base, err);

    st = st == MPL_OK ? take_totals(w, 1, 1, s, &new, err) : st;
    if (st != MPL_OK) {
        return st;
    }
    double base_s = mpl_median((double *) base.values, base.n);
    double new_s = mpl_median((double *) new.values, new.n);
    if (fabs(new_s - w->e->factor * base_s) < least_part * fabs(w->load->beyond_s)) {
        return MPL_OK;
    }
    struct mpl_place_load *out = mpl_buf_add(found);
    if (out == NULL) {
        return mpl_nomem(err);
    }
    *out =
        (struct mpl_place_load){ .time = w->e->time,
                                 .location = w->load->location,
                                 .load = (uint32_t) (w->load - w->e->loads),
                                 .what = what,
                                 .loop = s->group == MPL_NONE
                                             ? MPL_NONE
                                             : mpl_places_group(w->places, s->group)->loop,
                                 .symbol = place == NULL ? MPL_NONE : place->symbol,
                                 .position = place == NULL ? 0 : place->position,
                                 .base_steps = mpl_stretch_steps(w->speakers[0], s),
                                 .new_steps = mpl_stretch_steps(w->speakers[1], s),
                                 .base_s = base_s,
                                 .new_s = new_s,
                                 .beyond_s = new_s - w->e->factor * base_s,
                                 .culprit = MPL_NONE,
                                 .is_wait_known = true };
    st = mpl_where_describe(w, s, out, err);
    return st == MPL_OK ? weigh(w, s, n_family, out, err) : st;
}

/* Of those found from \p first on; a place that was not worth testing is one that was tested in vain. */
static enum mpl_status mark(const struct where *w, size_t n_family, size_t first,
                            struct mpl_buf *found, struct mpl_err *err)
{
    double *p = MPL_NEW_ARRAY(w->arena, n_family, double);
    double *scratch = MPL_NEW_ARRAY(w->arena, n_family, double);

    if (p == NULL || scratch == NULL) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < n_family; i++) {
        const struct mpl_place_load *x =
            first + i < found->n ? mpl_buf_get(found, first + i) : NULL;

        p[i] = x == NULL ? 1 : x->p;
    }
    const double limit = mpl_discovery_limit(p, n_family, false_share, scratch);
    for (size_t i = first; i < found->n; i++) {
        struct mpl_place_load *x = mpl_buf_get(found, i);

        x->is_significant = w->load->is_significant && x->p <= limit;
    }
    return MPL_OK;
}

static int by_load_and_size(const void *x, const void *y)
{
    const struct mpl_place_load *a = x;
    const struct mpl_place_load *b = y;

    if (a->load != b->load) {
        return a->load < b->load ? -1 : 1;
    }
    if (a->what != b->what) {
        return a->what < b->what ? -1 : 1;
    }
    if (fabs(a->beyond_s) != fabs(b->beyond_s)) {
        return fabs(a->beyond_s) > fabs(b->beyond_s) ? -1 : 1;
    }
    return (a->position > b->position) - (a->position < b->position);
}

static enum mpl_status find_functions(const struct where *w, size_t n_family,
                                      struct mpl_buf *found, struct mpl_err *err)
{
    enum mpl_status st = MPL_OK;

    for (uint32_t i = 0; i < w->paths.n && st == MPL_OK; i++) {
        const struct path *path = mpl_buf_get(&w->paths, i);
        struct stretch s = { .group = path->group, .path = i };

        if (path->group != MPL_NONE) {
            s.first_place = mpl_places_group(w->places, path->group)->first_place;
            s.n_places = mpl_places_group(w->places, path->group)->n_places;
        }
        st = add(w, &s, MPL_PLACE_FUNCTION, n_family, found, err);
    }
    return st;
}

static enum mpl_status find_places(const struct where *w, struct mpl_buf *found,
                                   struct mpl_err *err)
{
    const size_t first = found->n;
    size_t n_family = mpl_places_count(w->places) + w->paths.n;

    for (uint32_t g = 0; g < mpl_places_groups(w->places); g++) {
        n_family += mpl_places_group(w->places, g)->loop != MPL_NONE;
    }
    enum mpl_status st = find_functions(w, n_family, found, err);
    for (uint32_t g = 0; g < mpl_places_groups(w->places) && st == MPL_OK; g++) {
        const struct mpl_place_group *group = mpl_places_group(w->places, g);
        struct stretch s = { g, group->first_place, group->n_places, MPL_NONE };

        if (group->loop != MPL_NONE && mpl_where_is_computed(w)) {
            st = add(w, &s, MPL_PLACE_LOOP, n_family, found, err);
        }
        s.n_places = 1;
        for (uint32_t i = 0; i < group->n_places && st == MPL_OK; i++) {
            s.first_place = group->first_place + i;
            st = add(w, &s, MPL_PLACE_CALL, n_family, found, err);
        }
    }
    return st == MPL_OK ? mark(w, n_family, first, found, err) : st;
}

static enum mpl_status find_load(struct where *w, struct mpl_buf *found,
                                 struct mpl_err *err)
{
    w->arena = mpl_arena_create();
    w->places = w->arena == NULL ? NULL : mpl_places_open(w->e->loops, w->arena);
    enum mpl_status st = w->places == NULL ? mpl_nomem(err) : mpl_where_take(w, err);
    st = st == MPL_OK ? find_places(w, found, err) : st;
    mpl_places_close(w->places);
    w->paths.n = 0;
    mpl_arena_destroy(w->arena);
    return st;
}

static enum mpl_status take_views(struct where *w, struct mpl_err *err)
{
    const struct mpl_diff *diff = w->e->diff;

    w->n[0] = diff->sides[0].n;
    w->n[1] = diff->sides[1].n;
    w->views = MPL_NEW_ARRAY(w->e->scratch, w->n[0] + w->n[1], struct view);
    if (w->views == NULL) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < w->n[0] + w->n[1]; i++) {
        const bool is_new = i >= w->n[0];
        const struct mpl_run *run =
            is_new ? diff->sides[1].runs[i - w->n[0]] : diff->sides[0].runs[i];

        w->views[i].run = run;
        w->has_functions =
            (i == 0 || w->has_functions) && mpl_functions_are_recorded(run->model);
        if (run == (is_new ? diff->new : diff->base)) {
            w->speakers[is_new] = &w->views[i];
        }
    }
    return MPL_OK;
}

static const char *const longer[] = { [MPL_TIME_COMPUTED] = "compute longer or shorter",
                                      [MPL_TIME_WAITED] = "wait longer or shorter",
                                      [MPL_TIME_CALLS] = "communicate longer or shorter" };

enum mpl_status mpl_where_find(struct mpl_effects *e, struct mpl_buf *found,
                               struct mpl_err *err)
{
    const uint32_t n = e->n_named < MOST_LOADS ? e->n_named : MOST_LOADS;
    const size_t first = found->n;
    struct where w = { .e = e, .paths = mpl_buf_make(sizeof(struct path)) };
    enum mpl_status st = n == 0 ? MPL_OK : take_views(&w, err);

    for (uint32_t i = 0; i < n && st == MPL_OK; i++) {
        w.load = &e->loads[i];
        st = find_load(&w, found, err);
    }
    mpl_buf_free(&w.paths);
    if (found->n > first) {
        qsort(mpl_buf_get(found, first), found->n - first, sizeof(struct mpl_place_load),
              by_load_and_size);
    }
    if (st == MPL_OK && e->n_named > MOST_LOADS) {
        st = mpl_comparison_note(
            e->comparison,
            mpl_arena_printf(e->arena,
                             "Where locations %s is looked at for the %d that differ most, "
                             "of %" PRIu32 " that do.",
                             longer[e->time], MOST_LOADS, e->n_named),
            err);
    }
    return st;
}
