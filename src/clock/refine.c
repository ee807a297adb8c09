#include "config.h"

#include "clock/clock_priv.h"

#include <math.h>

/*
 * From the estimate of drift to times: which points it is made of, whether it is used, and what
 * it says about errors. Maps of the clocks have been applied, so that all locations are on one
 * time line; the course is a second map on top.
 */

/* Up to so many comparisons are kept each, of more the tightest of a few that follow each
 * other: a point costs some 100 steps in all rounds, a message little more than 10. */
enum { MPL_POINTS_ENOUGH = 1 << 16, MPL_POINTS_SHARE = 8 };

/* Pieces follow the course to within this share of the narrowest interval, or a
 * tick. */
static const double piece_share = 1. / 32;

/* Wrong records are fewer than one in so many points of a link. */
enum { MPL_OUTLIERS_RARE = 64 };

uint32_t mpl_clock_points(const struct mpl_match *match)
{
    const uint64_t n = match->counts.pairs / MPL_POINTS_ENOUGH + 1;

    return n > MPL_POINTS_SHARE ? MPL_POINTS_SHARE : (uint32_t) n;
}

/* ---- notes ---------------------------------------------------------------------------------- */

void mpl_clock_note_sides(const struct mpl_clock_stage *s, const bool *is_alone,
                          const bool *is_one_sided)
{
    struct mpl_quality *quality = s->model->quality;

    for (uint32_t l = 0; l < s->model->n_locations; l++) {
        const uint32_t p = s->model->locations[l].process;

        if (s->model->locations[l].n_events == 0) {
            continue;
        }
        if (is_alone[p]) {
            mpl_quality_add(
                quality, "clock-unconnected", l, 1,
                "No message or collective connects these clocks to the others; "
                "their times cannot be compared with those of other processes.");
        } else if (is_one_sided[p]) {
            mpl_quality_add(
                quality, "clock-one-sided", l, 1,
                "Messages go in one direction only, so these clocks are known "
                "from one side: the fastest message is taken to arrive at once, or, "
                "where no receive waited, the clock to be right as recorded; no bound "
                "of the error can be given.");
        }
    }
}

static void note_outliers(const struct mpl_clock_stage *s, const struct mpl_drift *drift)
{
    mpl_quality_add_some(s->model->quality, "clock-outlier", MPL_NONE, drift->n_outliers,
                         "Messages or collectives whose times contradict those of all "
                         "others around them; the clocks are estimated without them.");
}

/* ---- the time line ------------------------------------------------------------------------------ */

/* Limits per process. \p is_used: of what may be added on top of the course, else instead. */
static void keep_limits(struct mpl_clock_stage *s, const struct mpl_drift *drift,
                        bool is_used)
{
    const struct mpl_course *c = &drift->course;

    for (uint32_t p = 0; p < s->model->n_processes; p++) {
        double low = drift->low_ticks[p];
        double high = drift->high_ticks[p];
        double least = 0;
        double most = 0;

        for (uint32_t k = 0; k < c->n && !is_used; k++) {
            least = fmin(least, c->add_ticks[(size_t) p * c->n + k]);
            most = fmax(most, c->add_ticks[(size_t) p * c->n + k]);
        }
        low = floor(fmin(low + least, 0));
        high = ceil(fmax(high + most, 0));
        s->low_ticks[p] = -low < (double) MPL_TICKS_FAR ? (int64_t) low : INT64_MIN;
        s->high_ticks[p] = high < (double) MPL_TICKS_FAR ? (int64_t) high : INT64_MAX;
        s->bound_ticks[p] = INT64_MAX;
        if (s->low_ticks[p] != INT64_MIN && s->high_ticks[p] != INT64_MAX) {
            s->bound_ticks[p] = mpl_ticks_plus(
                -s->low_ticks[p] > s->high_ticks[p] ? -s->low_ticks[p] : s->high_ticks[p],
                (int64_t) ceil(fmin(drift->beyond_ticks[p], (double) MPL_TICKS_FAR)));
        }
        s->tree_ticks[p] = s->bound_ticks[p];
    }
}

/* Maps for all locations; \p is_sound is false where a clock would not go forward. */
static enum mpl_status map_course(struct mpl_clock_stage *s, const struct mpl_drift *drift,
                                  bool *is_sound, struct mpl_err *err)
{
    enum mpl_status st = MPL_OK;

    *is_sound = true;
    for (uint32_t l = 0; l < s->model->n_locations && st == MPL_OK; l++) {
        const uint32_t p = s->model->locations[l].process;
        const double error = fmax(drift->narrowest_ticks[p] * piece_share, 1);
        bool is_good = true;

        st = mpl_clock_map_course(&drift->course, p, s->clock->duration_ticks, error,
                                  s->scratch, &s->map[l], &is_good, err);
        *is_sound = *is_sound && is_good;
    }
    return st;
}

static enum mpl_status use_course(struct mpl_clock_stage *s, const struct mpl_drift *drift,
                                  bool is_wanted, bool *is_used, struct mpl_err *err)
{
    const enum mpl_status st = map_course(s, drift, is_used, err);

    if (st != MPL_OK) {
        return st;
    }
    *is_used = *is_used && is_wanted && drift->is_better;
    keep_limits(s, drift, *is_used);
    if (!*is_used) {
        return MPL_OK;
    }
    for (uint32_t l = 0; l < s->model->n_locations; l++) {
        if (s->map[l].n > s->clock->n_pieces + 1) {
            s->clock->n_pieces = s->map[l].n - 1;
        }
    }
    return mpl_clock_apply_maps(s, err);
}

/* ---- sources ------------------------------------------------------------------------------ */

/* Points hold process times; now they move to the time line that constants have made. */
static void move_points(const struct mpl_clock_stage *s, struct mpl_links *links)
{
    for (size_t i = 0; i < links->point.n; i++) {
        struct mpl_point *point = mpl_buf_get(&links->point, i);
        const struct mpl_clock_link *link = mpl_links_get(links, point->link);
        const int64_t *add = s->estimate->add_ticks;

        point->begin_ticks = mpl_ticks_minus(
            mpl_ticks_plus(point->begin_ticks, add[link->from]), s->first_ticks);
        point->end_ticks = mpl_ticks_minus(mpl_ticks_plus(point->end_ticks, add[link->to]),
                                           s->first_ticks);
    }
}

static enum mpl_status note_limits(struct mpl_clock_stage *s, struct mpl_err *err)
{
    const uint32_t n = s->model->n_processes;
    bool *is_alone = MPL_NEW_ARRAY(s->scratch, n, bool);
    bool *is_one_sided = MPL_NEW_ARRAY(s->scratch, n, bool);

    if (is_alone == NULL || is_one_sided == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t p = 0; p < n; p++) {
        const bool has_low = s->low_ticks[p] != INT64_MIN;
        const bool has_high = s->high_ticks[p] != INT64_MAX;

        is_alone[p] = !has_low && !has_high;
        is_one_sided[p] = has_low != has_high;
    }
    mpl_clock_note_sides(s, is_alone, is_one_sided);
    return MPL_OK;
}

/* Constants from the points that are left when outliers are dropped; is_contradictory says
 * whether there are any. */
static enum mpl_status estimate_rest(struct mpl_clock_stage *s,
                                     const struct mpl_links *links,
                                     const struct mpl_estimate **out, struct mpl_err *err)
{
    struct mpl_links rest = { 0 };
    enum mpl_status st = mpl_links_open(&rest, s->view, err);

    for (size_t i = 0; i < links->point.n && st == MPL_OK; i++) {
        const struct mpl_point *point = mpl_buf_get(&links->point, i);

        if (point->link != MPL_NONE) {
            const struct mpl_clock_link *link = mpl_links_get(links, point->link);

            (void) mpl_links_add(&rest, link->from, link->to,
                                 mpl_ticks_minus(point->end_ticks, point->begin_ticks));
        }
    }
    if (st == MPL_OK) {
        st = rest.is_short ? mpl_nomem(err)
                           : mpl_estimate_create(s->view, &rest, s->zero_ticks, false,
                                                 s->scratch, out, err);
    }
    mpl_links_close(&rest);
    return st;
}

/* Wrong records alone had been in the way of constants. */
static enum mpl_status use_constants(struct mpl_clock_stage *s,
                                     const struct mpl_estimate *e, struct mpl_err *err)
{
    const enum mpl_status st = mpl_clock_map_constants(s, e->add_ticks, err);

    if (st == MPL_OK) {
        mpl_clock_keep_estimate(s, e, e->add_ticks);
        mpl_clock_note_sides(s, e->is_alone, e->is_one_sided);
        return mpl_clock_apply_maps(s, err);
    }
    return st;
}

static enum mpl_status follow_drift(struct mpl_clock_stage *s,
                                    const struct mpl_drift *drift, struct mpl_err *err)
{
    bool is_used = false;
    const enum mpl_status st = use_course(s, drift, true, &is_used, err);

    mpl_quality_add(s->model->quality, "clock-drift-suspected", MPL_NONE, 1,
                    "No constant offsets fit all messages, so the clocks drift in the "
                    "course of the run; offsets that change with it are estimated, and "
                    "they are known to within the error bounds.");
    return st == MPL_OK ? note_limits(s, err) : st;
}

/*
 * Whether so few points were dropped that they may be wrong records: where a link has a few dozen
 * points, those at the ends of a drifting run contradict the others, too.
 */
static bool are_few(const struct mpl_links *links, uint64_t n_outliers)
{
    uint64_t fewest = UINT64_MAX;

    for (size_t l = 0; l < links->link.n && n_outliers > 0; l++) {
        uint64_t n = 0;

        for (size_t i = 0; i < links->point.n; i++) {
            const struct mpl_point *point = mpl_buf_get(&links->point, i);

            n += point->link == l;
        }
        fewest = n < fewest ? n : fewest;
    }
    return n_outliers > 0 && n_outliers <= fewest / MPL_OUTLIERS_RARE;
}

/* Whether all clocks drift evenly, as far as the estimate shows. */
static bool is_straight(const struct mpl_course *c)
{
    for (uint32_t p = 0; p < c->n_processes; p++) {
        const double *add = c->add_ticks + (size_t) p * c->n;
        const double rise = add[c->n - 1] - add[0];
        const double run = (double) mpl_ticks_minus(c->at_ticks[c->n - 1], c->at_ticks[0]);

        for (uint32_t k = 1; k + 1 < c->n; k++) {
            const double along = (double) mpl_ticks_minus(c->at_ticks[k], c->at_ticks[0]);

            if (fabs(add[k] - add[0] - rise * along / run) > 1) {
                return false;
            }
        }
    }
    return true;
}

/*
 * The least drift that reverses nothing is too small by up to a round trip in the course of the run:
 * even lines are steeper than that. So they are sought as where constants fit and hide a drift.
 */
static enum mpl_status straighten(struct mpl_clock_stage *s, struct mpl_links *links,
                                  const struct mpl_drift **drift, struct mpl_err *err)
{
    const struct mpl_drift *steeper = NULL;
    double tilt = 0;
    enum mpl_status st =
        mpl_tilt_find(links, s->clock->duration_ticks, s->scratch, &tilt, err);

    if (st != MPL_OK || tilt == 0) {
        return st;
    }
    st = mpl_drift_estimate(links, s->estimate->reference, NULL, 0,
                            s->clock->duration_ticks, tilt, s->scratch, &steeper, err);
    if (st == MPL_OK && steeper->is_better) {
        *drift = steeper;
    }
    return st;
}

enum mpl_status mpl_clock_refine_messages(struct mpl_clock_stage *s,
                                          struct mpl_links *links, struct mpl_err *err)
{
    const struct mpl_estimate *e = s->estimate;
    const struct mpl_drift *drift = NULL;
    double tilt = 0;
    enum mpl_status st = MPL_OK;

    move_points(s, links);
    if (!e->is_contradictory) {
        st = mpl_tilt_find(links, s->clock->duration_ticks, s->scratch, &tilt, err);
        if (st != MPL_OK || tilt == 0) {
            mpl_clock_note_sides(s, e->is_alone, e->is_one_sided);
            return st;
        }
    }
    st = mpl_drift_estimate(links, e->reference, NULL, 0, s->clock->duration_ticks, tilt,
                            s->scratch, &drift, err);
    if (st == MPL_OK && e->is_contradictory && is_straight(&drift->course)) {
        st = straighten(s, links, &drift, err);
    }
    if (st != MPL_OK) {
        return st;
    }
    note_outliers(s, drift);
    if (tilt == 0 && are_few(links, drift->n_outliers)) {
        st = estimate_rest(s, links, &e, err);
        if (st == MPL_OK && !e->is_contradictory) {
            return use_constants(s, e, err);
        }
    }
    return st == MPL_OK ? follow_drift(s, drift, err) : st;
}

enum mpl_status mpl_clock_refine_offsets(struct mpl_clock_stage *s, struct mpl_links *links,
                                         bool *is_refined, struct mpl_err *err)
{
    const uint32_t reference = s->model->locations[s->clock->reference].process;
    const struct mpl_drift *drift = NULL;
    int64_t pins[2];

    mpl_clock_find_pins(s, pins);
    enum mpl_status st = mpl_drift_estimate(
        links, reference, pins, 2, s->clock->duration_ticks, 0, s->scratch, &drift, err);
    if (st == MPL_OK) {
        note_outliers(s, drift);
        st = use_course(s, drift, s->options->choice == MPL_CLOCK_AUTO, is_refined, err);
    }
    if (st == MPL_OK && *is_refined) {
        s->clock->source = MPL_CLOCK_REFINED;
    }
    return st;
}
