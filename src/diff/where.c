/*
 * Where a location that is named computes longer: in which loop, in front of which call of its body, and in which
 * iterations. A place is tested only if its location is significant, among the places of that location (Yekutieli,
 * Hierarchical False Discovery Rate-Controlling Methodology, 2008): so where nothing differs no place is found more often than
 * a location is.
 */
#include "config.h"

#include "diff/effects_priv.h"
#include "diff/places_priv.h"
#include "diff/when_priv.h"

#include <math.h>
#include <stdlib.h>

/* Places with less than this share of what their location differs are not worth a line. */
static const double least_part = 0.1;
/* Among the places that count, so many may be chance all the same; p must be able to show it, with a margin. */
static const double false_share = 0.05;
static const double margin = 4;
/* More locations are not looked at, and blocks as for a location. */
enum { MOST_LOADS = 64, MOST_BLOCKS = 32 };

/* One run, of one location. */
struct view {
    const struct mpl_run *run;
    const struct mpl_sequence
        *all; /* Of all locations, without anything left to chance. NULL: not made yet. */
    const struct mpl_sequence *calls;
    struct mpl_placed placed;
    double *before_s; /* Per call, and for the end: computation since the call before, */
    double *totals_s; /* and of all calls of a place. */
};

struct where {
    struct mpl_effects *e;
    const struct mpl_load *load;
    struct mpl_arena *arena; /* For this location. */
    size_t n[2];             /* Runs of each side; base first. */
    struct view *views;      /* Of both sides. */
    const struct view *speakers[2];
    struct mpl_places *places;
    bool has_functions; /* All runs record functions of the program. */
};

/* ---- the calls of a location in all runs ---------------------------------------------------------- */

static bool is_firm(const struct where *w)
{
    return w->e->looseness[w->load->location] == MPL_FIRM;
}

static enum mpl_status make_calls(struct where *w, struct view *v, struct mpl_err *err)
{
    static const struct mpl_sequence_options options = {
        .parts = MPL_SYMBOL_PEER | MPL_SYMBOL_ROOT, .without_polls = true
    };
    const uint32_t l = w->load->location;
    const struct mpl_sequence *fine = w->e->has_parts              ? NULL
                                      : v->run == w->e->diff->base ? w->e->base
                                      : v->run == w->e->diff->new  ? w->e->new
                                                                   : NULL;
    enum mpl_status st = MPL_OK;

    if (fine == NULL || !is_firm(w)) {
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

static bool is_equal(const struct mpl_sequence *a, const struct mpl_sequence *b)
{
    uint32_t i = 0;

    while (i < a->n && a->n == b->n && a->symbols[i] == b->symbols[i]) {
        i++;
    }
    return i == a->n && a->n == b->n;
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
    enum mpl_status st;

    if (unlike == NULL || folded == NULL || which == NULL || placed == NULL) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < n; i++) {
        which[i] = 0;
        if (i == 0 || !is_equal(w->views[i].calls, &unlike[0])) {
            which[i] = n_unlike;
            unlike[n_unlike++] = *w->views[i].calls;
        }
    }
    st = mpl_loops_fold(w->e->loops, unlike, n_unlike, folded, err);
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

    v->before_s = MPL_NEW_ARRAY(w->arena, v->placed.n, double);
    v->totals_s = MPL_NEW_ARRAY(w->arena, mpl_places_count(w->places), double);
    if (v->before_s == NULL || v->totals_s == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t i = 0; i < v->placed.n; i++) {
        const uint32_t end =
            i < v->calls->n ? v->calls->calls[i] + 1 : mpl_events_call_count(events, l) + 1;

        v->before_s[i] = mpl_effects_between(events, l, first, end);
        v->totals_s[v->placed.place[i]] += v->before_s[i];
        first = end;
    }
    return MPL_OK;
}

static enum mpl_status take_location(struct where *w, struct mpl_err *err)
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
    return st;
}

/* ---- what a place takes ---------------------------------------------------------------------------- */

/* A place, or all of a group. */
struct stretch {
    uint32_t group;
    uint32_t first_place;
    uint32_t n_places;
};

static bool is_at(const struct stretch *s, uint32_t place)
{
    return place >= s->first_place && place < s->first_place + s->n_places;
}

static uint32_t steps_of(const struct view *v, const struct stretch *s)
{
    return s->group < v->placed.n_groups ? v->placed.n_steps[s->group] : 0;
}

static double total_of(const struct view *v, const struct stretch *s)
{
    double sum = 0;

    for (uint32_t i = 0; i < s->n_places; i++) {
        sum += v->totals_s[s->first_place + i];
    }
    return sum;
}

/* How much of a run counts beside the new run: tasks are others in each run, so iterations are compared one by one. */
static double scale_of(const struct where *w, const struct view *v, const struct stretch *s)
{
    const uint32_t own = steps_of(v, s);

    return w->load->work == 1 || own == 0 ? 1 : (double) steps_of(w->speakers[1], s) / own;
}

/* Per run of a side, for as many iterations as the new run has. */
static enum mpl_status take_totals(const struct where *w, int side, double factor,
                                   const struct stretch *s, struct mpl_sample *out,
                                   struct mpl_err *err)
{
    const struct view *first = &w->views[side == 0 ? 0 : w->n[0]];
    double *values = MPL_NEW_ARRAY(w->arena, w->n[side], double);

    for (size_t r = 0; r < w->n[side] && values != NULL; r++) {
        values[r] = factor * scale_of(w, &first[r], s) * total_of(&first[r], s);
    }
    *out = (struct mpl_sample){ w->n[side], values };
    return values == NULL ? mpl_nomem(err) : MPL_OK;
}

/* The same per step of a run. */
static double *take_steps(const struct where *w, const struct view *v,
                          const struct stretch *s)
{
    double *steps = MPL_NEW_ARRAY(w->arena, steps_of(v, s), double);

    for (uint32_t i = 0; i < v->placed.n && steps != NULL; i++) {
        if (is_at(s, v->placed.place[i])) {
            steps[v->placed.step[i]] += v->before_s[i];
        }
    }
    return steps;
}

static bool has_pairs(const struct where *w, const struct stretch *s)
{
    return w->load->work == 1 && steps_of(w->speakers[0], s) > 0 &&
           steps_of(w->speakers[0], s) == steps_of(w->speakers[1], s);
}

/* New minus base, on average over the runs with as many steps. */
static enum mpl_status take_pairs(const struct where *w, const struct stretch *s,
                                  double **out, struct mpl_err *err)
{
    const uint32_t n = steps_of(w->speakers[1], s);
    size_t n_like[2] = { 0, 0 };

    *out = MPL_NEW_ARRAY(w->arena, n, double);
    for (size_t r = 0; r < w->n[0] + w->n[1]; r++) {
        n_like[r >= w->n[0]] += steps_of(&w->views[r], s) == n;
    }
    for (size_t r = 0; r < w->n[0] + w->n[1] && *out != NULL; r++) {
        const bool is_new = r >= w->n[0];
        const double factor = (is_new ? 1 : -w->e->diff->factor) / (double) n_like[is_new];
        const double *steps;

        if (steps_of(&w->views[r], s) != n) {
            continue;
        }
        steps = take_steps(w, &w->views[r], s);
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
                           double n_as_if, struct mpl_sample *out, struct mpl_err *err)
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
    *out = (struct mpl_sample){ n_blocks, blocks };
    return blocks == NULL ? mpl_nomem(err) : MPL_OK;
}

static enum mpl_status cut_run(const struct where *w, int side, const struct stretch *s,
                               double factor, struct mpl_sample *out, struct mpl_err *err)
{
    const struct view *v = w->speakers[side];
    const double *steps = take_steps(w, v, s);

    return steps == NULL ? mpl_nomem(err)
                         : cut(w, steps, steps_of(v, s),
                               factor * steps_of(w->speakers[1], s), out, err);
}

/* \p pairs NULL: there are none. */
static enum mpl_status test(const struct where *w, const struct stretch *s,
                            const double *pairs, size_t resamples, struct mpl_chance *out,
                            struct mpl_err *err)
{
    const double factor = w->e->diff->factor;
    const uint32_t n = steps_of(w->speakers[1], s);
    struct mpl_sample x = { 0 };
    struct mpl_sample y = { 0 };
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

/* ---- the functions of the program ---------------------------------------------------------------------- */

static bool has_functions(const struct mpl_run *run)
{
    for (uint32_t r = 0; r < run->model->n_regions; r++) {
        if (run->model->regions[r].kind == MPL_REGION_USER) {
            return true;
        }
    }
    return false;
}

/* In which most of it is, in the new run; NULL: none is recorded. */
static const char *region_of(const struct where *w, const struct stretch *s, double new_s)
{
    const struct view *v = w->speakers[1];
    const struct mpl_events *events = v->run->events;
    const struct mpl_model *model = v->run->model;
    const uint32_t l = w->load->location;
    uint32_t n_regions = 0;
    uint32_t first = 0;
    const struct mpl_region_time *regions =
        w->has_functions ? mpl_events_regions(events, l, &n_regions) : NULL;
    double *times = MPL_NEW_ARRAY(w->arena, model->n_regions, double);

    for (uint32_t i = 0; i < v->placed.n && n_regions > 0 && times != NULL; i++) {
        const uint32_t end =
            i < v->calls->n ? v->calls->calls[i] + 1 : mpl_events_call_count(events, l) + 1;

        for (uint32_t call = first; call < end && is_at(s, v->placed.place[i]); call++) {
            const struct mpl_span span = mpl_events_span(events, l, 2 * call);

            if (span.region != MPL_NONE) {
                times[span.region] +=
                    mpl_model_seconds(model, span.leave_ticks - span.enter_ticks);
            }
        }
        first = end;
    }
    for (uint32_t i = 0; i < n_regions && times != NULL; i++) {
        if (times[regions[i].region] >= new_s / 2) {
            return model->regions[regions[i].region].name;
        }
    }
    return NULL;
}

/* ---- all of them ------------------------------------------------------------------------------------------ */

static enum mpl_status weigh(const struct where *w, const struct stretch *s,
                             size_t n_family, struct mpl_place_load *out,
                             struct mpl_err *err)
{
    const double asked = margin * (double) n_family / false_share;
    struct mpl_chance chance = { 0, NAN, NAN, NAN };
    double *pairs = NULL;
    enum mpl_status st = MPL_OK;

    if (has_pairs(w, s)) {
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
static enum mpl_status add(const struct where *w, const struct stretch *s, bool is_loop,
                           size_t n_family, struct mpl_buf *found, struct mpl_err *err)
{
    const struct mpl_place_group *group = mpl_places_group(w->places, s->group);
    const struct mpl_spot *place = mpl_places_get(w->places, s->first_place);
    struct mpl_sample base;
    struct mpl_sample new;
    struct mpl_place_load *out;
    enum mpl_status st = take_totals(w, 0, 1, s, &base, err);
    double base_s;
    double new_s;

    st = st == MPL_OK ? take_totals(w, 1, 1, s, &new, err) : st;
    if (st != MPL_OK) {
        return st;
    }
    base_s = mpl_median((double *) base.values, base.n);
    new_s = mpl_median((double *) new.values, new.n);
    if (fabs(new_s - w->e->diff->factor * base_s) < least_part * fabs(w->load->beyond_s)) {
        return MPL_OK;
    }
    out = mpl_buf_add(found);
    if (out == NULL) {
        return mpl_nomem(err);
    }
    *out = (struct mpl_place_load){ .load = (uint32_t) (w->load - w->e->loads),
                                    .what = is_loop ? MPL_PLACE_LOOP : MPL_PLACE_CALL,
                                    .loop = group->loop,
                                    .symbol = is_loop ? MPL_NONE : place->symbol,
                                    .position = is_loop ? 0 : place->position,
                                    .base_steps = steps_of(w->speakers[0], s),
                                    .new_steps = steps_of(w->speakers[1], s),
                                    .base_s = base_s,
                                    .new_s = new_s,
                                    .beyond_s = new_s - w->e->diff->factor * base_s };
    out->region = region_of(w, s, new_s);
    return weigh(w, s, n_family, out, err);
}

/* Of those found from \p first on; a place that was not worth testing is one that was tested in vain. */
static enum mpl_status mark(const struct where *w, size_t n_family, size_t first,
                            struct mpl_buf *found, struct mpl_err *err)
{
    double *p = MPL_NEW_ARRAY(w->arena, n_family, double);
    double *scratch = MPL_NEW_ARRAY(w->arena, n_family, double);
    double limit;

    if (p == NULL || scratch == NULL) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < n_family; i++) {
        const struct mpl_place_load *x =
            first + i < found->n ? mpl_buf_get(found, first + i) : NULL;

        p[i] = x == NULL ? 1 : x->p;
    }
    limit = mpl_discovery_limit(p, n_family, false_share, scratch);
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

static enum mpl_status find_places(const struct where *w, struct mpl_buf *found,
                                   struct mpl_err *err)
{
    const size_t first = found->n;
    size_t n_family = mpl_places_count(w->places);
    enum mpl_status st = MPL_OK;

    for (uint32_t g = 0; g < mpl_places_groups(w->places); g++) {
        n_family += mpl_places_group(w->places, g)->loop != MPL_NONE;
    }
    for (uint32_t g = 0; g < mpl_places_groups(w->places) && st == MPL_OK; g++) {
        const struct mpl_place_group *group = mpl_places_group(w->places, g);
        struct stretch s = { g, group->first_place, group->n_places };

        if (group->loop != MPL_NONE) {
            st = add(w, &s, true, n_family, found, err);
        }
        s.n_places = 1;
        for (uint32_t i = 0; i < group->n_places && st == MPL_OK; i++) {
            s.first_place = group->first_place + i;
            st = add(w, &s, false, n_family, found, err);
        }
    }
    return st == MPL_OK ? mark(w, n_family, first, found, err) : st;
}

static enum mpl_status find_load(struct where *w, struct mpl_buf *found,
                                 struct mpl_err *err)
{
    enum mpl_status st;

    w->arena = mpl_arena_create();
    w->places = w->arena == NULL ? NULL : mpl_places_open(w->e->loops, w->arena);
    st = w->places == NULL ? mpl_nomem(err) : take_location(w, err);
    st = st == MPL_OK ? find_places(w, found, err) : st;
    mpl_places_close(w->places);
    mpl_arena_destroy(w->arena);
    return st;
}

static enum mpl_status take_views(struct where *w, struct mpl_err *err)
{
    const struct mpl_diff *diff = w->e->diff;
    enum mpl_status st = MPL_OK;

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
        w->has_functions = (i == 0 || w->has_functions) && has_functions(run);
        if (run == (is_new ? diff->new : diff->base)) {
            w->speakers[is_new] = &w->views[i];
        }
    }
    for (size_t i = 0; i < w->n[0] + w->n[1] && w->has_functions && st == MPL_OK; i++) {
        st = mpl_events_complete(w->views[i].run->events, err);
    }
    return st;
}

enum mpl_status mpl_where_find(struct mpl_effects *e, struct mpl_err *err)
{
    struct mpl_diff *diff = e->diff;
    const uint32_t n = diff->n_named < MOST_LOADS ? diff->n_named : MOST_LOADS;
    struct mpl_buf found = mpl_buf_make(sizeof(struct mpl_place_load));
    struct where w = { .e = e };
    enum mpl_status st = n == 0 ? MPL_OK : take_views(&w, err);

    for (uint32_t i = 0; i < n && st == MPL_OK; i++) {
        w.load = &diff->loads[i];
        st = find_load(&w, &found, err);
    }
    if (st == MPL_OK && found.n > 0) {
        qsort(found.data, found.n, sizeof(struct mpl_place_load), by_load_and_size);
        diff->n_places = found.n;
        diff->places = mpl_buf_take(&found, e->arena);
        st = diff->places == NULL ? mpl_nomem(err) : MPL_OK;
    }
    mpl_buf_free(&found);
    return st;
}
