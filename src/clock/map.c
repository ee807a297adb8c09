#include "config.h"

#include "clock/clock_priv.h"

#include <math.h>

enum { MPL_SLOPE_BITS = 62 };

enum mpl_status mpl_clock_map_constant(int64_t add_ticks, struct mpl_arena *arena,
                                       struct mpl_clock_map *out, struct mpl_err *err)
{
    struct mpl_clock_knot *knot = MPL_NEW(arena, struct mpl_clock_knot);

    if (knot == NULL) {
        return mpl_nomem(err);
    }
    knot->add_ticks = add_ticks;
    *out = (struct mpl_clock_map){ 1, knot };
    return MPL_OK;
}

/* Absolute times differ by less than 2^63 unless the trace is damaged; then they wrap. */
static int64_t distance(uint64_t from, uint64_t to)
{
    return (int64_t) (to - from);
}

/* The slope between two points in units of 2^-62; false if no real clock has it. */
static bool find_slope(int64_t at, int64_t add, int64_t next_at, int64_t next_add,
                       int64_t *slope_q62)
{
    const __int128 time = (__int128) next_at - at;
    const __int128 rise = (__int128) next_add - add;

    if (time <= 0 || rise <= -time || rise >= time) {
        return false;
    }

    const __int128 scaled = rise * ((__int128) 1 << MPL_SLOPE_BITS);

    *slope_q62 = (int64_t) ((scaled + (scaled < 0 ? -time : time) / 2) / time);
    return true;
}

enum mpl_status mpl_clock_map_recorded(const struct mpl_clock_offset *points, uint32_t n,
                                       uint64_t base_ticks, uint64_t origin_ticks,
                                       struct mpl_arena *arena, struct mpl_clock_map *out,
                                       bool *is_sound, struct mpl_err *err)
{
    struct mpl_clock_map map = { n, MPL_NEW_ARRAY(arena, n, struct mpl_clock_knot) };

    if (map.knot == NULL) {
        return mpl_nomem(err);
    }
    *is_sound = true;
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t add = base_ticks - origin_ticks + (uint64_t) points[i].offset_ticks;

        map.knot[i].at_ticks = distance(base_ticks, points[i].time_ticks);
        map.knot[i].add_ticks = (int64_t) add;
        if (i + 1 < n &&
            !find_slope(0, points[i].offset_ticks,
                        distance(points[i].time_ticks, points[i + 1].time_ticks),
                        points[i + 1].offset_ticks, &map.knot[i].slope_q62)) {
            *is_sound = false;
        }
    }
    if (n > 1) {
        map.knot[n - 1].slope_q62 = map.knot[n - 2].slope_q62;
    }
    if (!*is_sound) {
        map.n = 1;
        map.knot[0].slope_q62 = 0;
    }
    *out = map;
    return MPL_OK;
}

/* ---- along a course ---------------------------------------------------------------------- */

/* A course with its ends: (0, ...), the knots, (end, ...). Gives the i-th of them. */
static void get_vertex(const struct mpl_course *c, uint32_t process, int64_t end_ticks,
                       uint32_t i, int64_t *at_ticks, double *add_ticks)
{
    *at_ticks = i == 0 ? 0 : i <= c->n ? c->at_ticks[i - 1] : end_ticks;
    *add_ticks = i > 0 && i <= c->n ? c->add_ticks[(size_t) process * c->n + i - 1]
                                    : mpl_course_get(c, process, *at_ticks);
}

/* A map while it is made. */
struct piecework {
    struct mpl_clock_map map;
    double error_ticks;
    int64_t from_ticks; /* Begin of the piece at hand … */
    double from_add;
    int64_t last_ticks; /* … and the vertex that it reaches. */
    double last_add;
    double low; /* Slopes that lead near all vertices on the way. */
    double high;
    bool is_sound;
};

static void add_knot(struct piecework *w, int64_t at_ticks, double add_ticks)
{
    struct mpl_clock_knot *knot = &w->map.knot[w->map.n];

    if (!(fabs(add_ticks) < (double) MPL_TICKS_FAR)) {
        w->is_sound = false;
        return;
    }
    knot->at_ticks = at_ticks;
    knot->add_ticks = llround(add_ticks);
    if (w->map.n++ > 0 && !find_slope(knot[-1].at_ticks, knot[-1].add_ticks, at_ticks,
                                      knot->add_ticks, &knot[-1].slope_q62)) {
        w->is_sound = false;
    }
    w->from_ticks = at_ticks;
    w->from_add = add_ticks;
    w->low = -INFINITY;
    w->high = INFINITY;
}

/*
 * From each knot on, a piece is made as long as all vertices that it passes are near: the
 * slopes that lead near each of them have a range in common, which the piece's slope must be
 * in (the cone intersection of data reduction).
 */
static void reach_vertex(struct piecework *w, int64_t at_ticks, double add_ticks)
{
    double gap = (double) mpl_ticks_minus(at_ticks, w->from_ticks);
    double slope = (add_ticks - w->from_add) / gap;

    if (slope < w->low || slope > w->high) {
        add_knot(w, w->last_ticks, w->last_add);
        gap = (double) mpl_ticks_minus(at_ticks, w->from_ticks);
        slope = (add_ticks - w->from_add) / gap;
    }
    w->low = fmax(w->low, slope - w->error_ticks / gap);
    w->high = fmin(w->high, slope + w->error_ticks / gap);
    w->last_ticks = at_ticks;
    w->last_add = add_ticks;
}

enum mpl_status mpl_clock_map_course(const struct mpl_course *course, uint32_t process,
                                     int64_t end_ticks, double error_ticks,
                                     struct mpl_arena *arena, struct mpl_clock_map *out,
                                     bool *is_sound, struct mpl_err *err)
{
    struct piecework w = { .error_ticks = error_ticks, .is_sound = true };

    w.map.knot = MPL_NEW_ARRAY(arena, (size_t) course->n + 2, struct mpl_clock_knot);
    if (w.map.knot == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t i = 0; i < course->n + 2 && w.is_sound; i++) {
        int64_t at = 0;
        double add = 0;

        get_vertex(course, process, end_ticks, i, &at, &add);
        if (i == 0) {
            add_knot(&w, at, add);
            w.last_ticks = at;
        } else if (at > w.last_ticks) {
            reach_vertex(&w, at, add);
        }
    }
    if (w.is_sound && w.last_ticks > w.from_ticks) {
        add_knot(&w, w.last_ticks, w.last_add);
    }
    if (w.map.n > 1) {
        w.map.knot[w.map.n - 1].slope_q62 = w.map.knot[w.map.n - 2].slope_q62;
    }
    *out = w.map;
    *is_sound = w.is_sound;
    return MPL_OK;
}

/* ---- application ---------------------------------------------------------------------------- */

int64_t mpl_clock_map_apply(const struct mpl_clock_map *map, int64_t ticks)
{
    uint32_t k = 0;

    while (k + 1 < map->n && ticks >= map->knot[k + 1].at_ticks) {
        k++;
    }

    const struct mpl_clock_knot *knot = &map->knot[k];
    const __int128 half = (__int128) 1 << (MPL_SLOPE_BITS - 1);
    const __int128 rise =
        (((__int128) ticks - knot->at_ticks) * knot->slope_q62 + half) >> MPL_SLOPE_BITS;

    return mpl_ticks_narrow((__int128) ticks + knot->add_ticks + rise);
}

/* The time at which another one follows. */
static int64_t end_of_knot(const struct mpl_clock_map *map, uint32_t k)
{
    return k + 1 < map->n ? map->knot[k + 1].at_ticks : INT64_MAX;
}

/* Times from ticks[i] on that belong to one knot, in plain 64-bit steps: the caller has seen
 * that the last one and the first one, hence all, are far from overflow. */
static uint32_t apply_run(const struct mpl_clock_knot *knot, int64_t before_ticks,
                          int64_t *ticks, uint32_t i, uint32_t n)
{
    const int64_t at = knot->at_ticks;
    const int64_t add = knot->add_ticks;
    const int64_t slope = knot->slope_q62;
    const __int128 half = (__int128) 1 << (MPL_SLOPE_BITS - 1);

    if (slope == 0) {
        for (; i < n && ticks[i] < before_ticks; i++) {
            ticks[i] += add;
        }
        return i;
    }
    for (; i < n && ticks[i] < before_ticks; i++) {
        const __int128 rise = (__int128) (ticks[i] - at) * slope + half;

        ticks[i] += add + (int64_t) (rise >> MPL_SLOPE_BITS);
    }
    return i;
}

static bool is_near(int64_t ticks)
{
    return ticks < MPL_TICKS_FAR / 2 && ticks > -MPL_TICKS_FAR / 2;
}

static bool are_tame(const struct mpl_clock_map *map, const struct mpl_times *times,
                     uint32_t n)
{
    bool is_tame = is_near(mpl_times_get(times, 0)) && is_near(mpl_times_get(times, n - 1));

    for (uint32_t k = 0; k < map->n; k++) {
        is_tame =
            is_tame && is_near(map->knot[k].at_ticks) && is_near(map->knot[k].add_ticks);
    }
    return is_tame;
}

/* Times of a block, of which the first belongs to knot \p k or a later one. Returns the knot of the last one. */
static uint32_t apply_block(const struct mpl_clock_map *map, uint32_t k, int64_t *ticks,
                            uint32_t n)
{
    uint32_t i = apply_run(&map->knot[k], end_of_knot(map, k), ticks, 0, n);

    while (i < n) {
        k++;
        i = apply_run(&map->knot[k], end_of_knot(map, k), ticks, i, n);
    }
    return k;
}

bool mpl_clock_map_apply_all(const struct mpl_clock_map *map, struct mpl_times *times,
                             uint32_t n)
{
    const bool is_tame = n > 0 && are_tame(map, times, n);
    uint32_t k = 0;
    bool is_enough = true;

    for (uint32_t first = 0; first < n && is_enough; first += MPL_BLOCK_EVENTS) {
        const uint32_t n_here = n - first < MPL_BLOCK_EVENTS ? n - first : MPL_BLOCK_EVENTS;
        int64_t ticks[MPL_BLOCK_EVENTS];

        if (is_tame && map->knot[k].slope_q62 == 0 &&
            mpl_times_get(times, first + n_here - 1) < end_of_knot(map, k)) {
            mpl_times_shift(times, first, n_here, map->knot[k].add_ticks);
            continue;
        }
        mpl_times_read(times, first, n_here, ticks);
        if (is_tame) {
            k = apply_block(map, k, ticks, n_here);
        }
        for (uint32_t i = 0; i < n_here && !is_tame; i++) {
            ticks[i] = mpl_clock_map_apply(map, ticks[i]);
        }
        is_enough = mpl_times_write(times, first, n_here, ticks);
    }
    return is_enough;
}
