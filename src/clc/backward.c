#include "config.h"

#include "clc/clc_priv.h"

#include <string.h>

/*
 * Backward amortization, and the new times. A location is swept once, from its last event to
 * its first.
 *
 * At a jump of height h begins a ramp, the line that falls by `slope` to the left, and it ends
 * where the shifts of the forward pass reach it; jumps on the way that lie below it are covered
 * by it. So of several jumps the highest need decides: windows are not applied one after the
 * other, each event lies on one ramp at most, and the sweep is linear.
 *
 * A send under the ramp must not come later than its receive allows: its cap. Where caps lie
 * below the ramp, shifts follow a string that is pulled taut between these caps and the jumps
 * below the ramp: the reduced piecewise linear interpolation of Fig. 1. The string never rises
 * above the ramp, so what follows is the lower of the two. Receives are no limit; moving them
 * further reverses nothing.
 *
 * Caps come from forward times. Final times are never smaller, so a cap holds whatever the
 * ramp of the receiver does.
 */
struct sweep {
    struct mpl_clc_net *net;
    struct mpl_clc *clc;
    struct mpl_clc_fall fall;
    uint64_t slope; /* Times MPL_CLC_ONE; 0: no ramps. */
    /* The location. */
    struct mpl_clc_track *track;
    uint32_t location;
    const int64_t *ticks; /* Its times. */
    int64_t *shift_ticks; /* Per event. */
    uint32_t known;       /* Shifts are, from this event on. */
    /* The ramp at hand. */
    bool has_ramp;
    bool has_string;
    int64_t top_ticks;  /* Its height. */
    int64_t from_ticks; /* Time of its jump. */
    struct mpl_clc_string string;
    struct mpl_clc_gate *gate;
    uint32_t at; /* The string's corner to the left of the event. */
};

/* ---- caps ------------------------------------------------------------------------------------- */

/* Those of groups; pairs have theirs from the forward pass. */
static void find_caps(struct mpl_clc_net *net)
{
    if (net->order->n_groups == 0) {
        return;
    }
    for (uint32_t i = 0; i < net->order->n_groups; i++) {
        mpl_top_clear(&net->top[i]);
    }
    for (uint32_t l = 0; l < net->order->n_tracks; l++) {
        const struct mpl_clc_track *track = &net->track[l];

        for (uint32_t i = 0; i < track->n_points; i++) {
            const struct mpl_net_point *point = &track->points[i];

            if ((point->flags & (MPL_POINT_SOURCE | MPL_POINT_GROUP | MPL_POINT_IGNORED)) ==
                MPL_POINT_GROUP) {
                const int64_t ticks =
                    mpl_times_get(track->times, point->event) + track->at[i].ticks;

                mpl_top_add(&net->top[point->link], mpl_clc_point_least(net, point) - ticks,
                            l);
            }
        }
    }
    /* What needs a later group of a chain needs the earlier ones as well. */
    for (uint32_t i = net->order->n_groups; i > 0; i--) {
        const uint32_t next = net->order->group[i - 1].next;

        if (next != MPL_NONE) {
            mpl_top_merge(&net->top[i - 1], &net->top[next]);
        }
    }
}

/* Largest shift of a source; INT64_MAX: nobody needs it. */
static int64_t cap_of(const struct sweep *s, const struct mpl_net_point *point)
{
    const struct mpl_clc_net *net = s->net;
    const int64_t ticks = s->ticks[point->event];

    if ((point->flags & MPL_POINT_GROUP) == 0) {
        const int64_t cap = net->pair_ticks[point->link];

        return cap == INT64_MAX ? INT64_MAX : cap - ticks;
    }

    const int64_t least = mpl_top_of_others(&net->top[point->link], s->location);

    return least == MPL_ORDER_NEVER ? INT64_MAX : -least - ticks;
}

/* ---- new times ---------------------------------------------------------------------------------- */

/* Of intervals that have changed, how many by how much of their length. */
struct changes {
    uint64_t n;
    uint64_t n_from[4]; /* By at least 0.1 %, 1 %, 10 %, 100 %. */
    int64_t longest_ticks;
    int64_t shortest_ticks;
};

/* Without a branch, as nothing says how much it is. As numbers with a fraction, no product overflows. */
static inline void count_change(struct changes *c, int64_t before, int64_t change)
{
    const int64_t size = change < 0 ? -change : change;
    const double share = (double) size;
    const double whole = before > 1 ? (double) before : 1;

    c->n += size > 0;
    c->n_from[0] += share * 1000 >= whole;
    c->n_from[1] += share * 100 >= whole;
    c->n_from[2] += share * 10 >= whole;
    c->n_from[3] += share >= whole;
    c->longest_ticks = change > c->longest_ticks ? change : c->longest_ticks;
    c->shortest_ticks = -change > c->shortest_ticks ? -change : c->shortest_ticks;
}

static void add_changes(struct mpl_clc_distortion *d, const struct changes *c)
{
    d->below[0] += c->n - c->n_from[0];
    for (int i = 1; i < 4; i++) {
        d->below[i] += c->n_from[i - 1] - c->n_from[i];
    }
    d->beyond += c->n_from[3];
    d->longest_ticks =
        c->longest_ticks > d->longest_ticks ? c->longest_ticks : d->longest_ticks;
    d->shortest_ticks =
        c->shortest_ticks > d->shortest_ticks ? c->shortest_ticks : d->shortest_ticks;
}

/* Moves the \p n events of a location, of which there is one. Returns the largest shift. */
static int64_t put_events(struct mpl_clc *clc, int64_t *restrict ticks,
                          const int64_t *restrict shift, uint32_t n)
{
    struct changes changes = { 0 };
    int64_t max_ticks = 0;
    uint64_t n_moved = 0;

    for (uint32_t i = 0; i < n; i++) {
        const int64_t here = shift[i];

        if (i + 1 < n) {
            count_change(&changes, ticks[i + 1] - ticks[i], shift[i + 1] - here);
        }
        ticks[i] += here;
        n_moved += here > 0;
        max_ticks = here > max_ticks ? here : max_ticks;
    }
    clc->n_moved += n_moved;
    clc->distortion.unchanged += n - 1 - changes.n;
    add_changes(&clc->distortion, &changes);
    return max_ticks;
}

/* ---- ramps -------------------------------------------------------------------------------------- */

static int64_t ramp_height(const struct sweep *s, int64_t ticks)
{
    const unsigned __int128 fallen =
        (unsigned __int128) (uint64_t) (s->from_ticks - ticks) * s->slope / MPL_CLC_ONE;

    return fallen >= (unsigned __int128) s->top_ticks ? 0 : s->top_ticks - (int64_t) fallen;
}

/* For strings every event takes a tick more, so that events of one time have an order. */
static int64_t string_x(const struct sweep *s, uint32_t event)
{
    return s->ticks[event] + event;
}

static int64_t string_height(struct sweep *s, uint32_t event)
{
    const int64_t x = string_x(s, event);

    while (s->at > 0 && s->string.corner[s->at].x_ticks > x) {
        s->at--;
    }
    return mpl_clc_string_height(&s->string, s->at, x);
}

/* On a string that falls, no interval may become shorter than in the forward pass, where delta
 * was left of each. \p next_shift: of the event behind the interval. */
static int64_t keep_order(const struct sweep *s, int64_t interval, int64_t next_shift,
                          int64_t shift)
{
    const int64_t delta = s->fall.delta_ticks < interval ? s->fall.delta_ticks : interval;
    const int64_t most = next_shift + interval - delta;

    return shift > most ? most : shift;
}

static struct mpl_clc_shift shift_at(const struct mpl_clc_track *track, int64_t k)
{
    return (struct mpl_clc_shift){ track->at[k].ticks, track->at[k].rest };
}

/* ---- stretches between points -------------------------------------------------------------------- */

/* Shifts of the forward pass of the events behind point k and before \p end. */
static void walk_stretch(struct sweep *s, int64_t k, uint32_t end)
{
    struct mpl_clc_shift shift = shift_at(s->track, k);

    for (uint32_t e = s->track->points[k].event + 1; e < end; e++) {
        if (shift.ticks > 0) {
            mpl_clc_shift_step(&shift, &s->fall, s->ticks[e] - s->ticks[e - 1]);
        }
        s->shift_ticks[e] = shift.ticks;
    }
}

/* Lifts the shifts of the events from \p first to the last one that is not known up to the ramp.
 * \p is_shifted: the forward pass did not leave them all where they were. */
static void lift_stretch(struct sweep *s, uint32_t first, bool is_shifted)
{
    for (uint32_t e = s->known; e > first; e--) {
        int64_t *shift = &s->shift_ticks[e - 1];
        int64_t height = ramp_height(s, s->ticks[e - 1]);

        /* A ramp ends at a jump, so there is a next event. */
        if (height > *shift && s->has_string) {
            const int64_t taut = string_height(s, e - 1);

            height = keep_order(s, s->ticks[e] - s->ticks[e - 1], shift[1],
                                taut < height ? taut : height);
        }
        *shift = height > *shift ? height : *shift;
        if (*shift == 0 && !is_shifted) {
            return;
        }
    }
}

/*
 * Finds what is not known of the shifts after point k, up to point k + 1. There are points
 * -1 and n_points in thought, before the first event and behind the last.
 */
static void find_stretch(struct sweep *s, int64_t k)
{
    const struct mpl_clc_track *track = s->track;
    const uint32_t first = k < 0 ? 0 : track->points[k].event + 1;
    const bool is_shifted = k >= 0 && track->at[k].ticks > 0;
    const uint32_t end = s->known;

    if (first >= end) {
        return;
    }

    const bool has_right =
        k + 1 < (int64_t) track->n_points && end - 1 == track->points[k + 1].event;

    if (is_shifted) {
        walk_stretch(s, k, has_right ? end - 1 : end);
    } else {
        memset(s->shift_ticks + first, 0, (end - first) * sizeof *s->shift_ticks);
    }
    if (has_right) {
        s->shift_ticks[end - 1] = track->at[k + 1].ticks;
    }
    if (s->has_ramp) {
        lift_stretch(s, first, is_shifted);
    }
    s->known = first;
}

/* ---- one ramp -------------------------------------------------------------------------------------- */

/* Where the string of a ramp begins: at the last event that it does not lift. Point k is the
 * last one that it does not lift. */
static struct mpl_clc_corner find_begin(const struct sweep *s, int64_t k)
{
    const struct mpl_clc_track *track = s->track;
    const uint32_t right = track->points[k + 1].event;
    struct mpl_clc_shift shift = { 0, 0 };
    uint32_t event = 0;

    if (k >= 0) {
        shift = shift_at(track, k);
        event = track->points[k].event;
    } else if (ramp_height(s, s->ticks[0]) > 0) {
        const unsigned __int128 length =
            ((unsigned __int128) s->top_ticks * MPL_CLC_ONE + s->slope - 1) / s->slope;
        const int64_t x = mpl_ticks_narrow((__int128) s->from_ticks - (__int128) length);

        return (struct mpl_clc_corner){ x < s->ticks[0] ? x : s->ticks[0] - 1, 0 };
    }
    while (event + 1 < right) {
        struct mpl_clc_shift next = shift;

        if (next.ticks > 0) {
            mpl_clc_shift_step(&next, &s->fall, s->ticks[event + 1] - s->ticks[event]);
        }
        if (ramp_height(s, s->ticks[event + 1]) > next.ticks) {
            break;
        }
        shift = next;
        event++;
    }
    return (struct mpl_clc_corner){ string_x(s, event), shift.ticks };
}

/* Gates between points k and i; false: no cap lies below the ramp. */
static bool find_gates(struct sweep *s, int64_t k, int64_t i, uint32_t *n)
{
    bool has_caps = false;

    *n = 0;
    for (int64_t j = k + 1; j < i; j++) {
        const struct mpl_net_point *point = &s->track->points[j];
        const int64_t cap =
            (point->flags & MPL_POINT_SOURCE) != 0 ? cap_of(s, point) : INT64_MAX;
        const bool is_cap = cap < ramp_height(s, s->ticks[point->event]);

        if (*n == 0 || s->gate[*n - 1].x_ticks != string_x(s, point->event)) {
            s->gate[(*n)++] = (struct mpl_clc_gate){ string_x(s, point->event),
                                                     MPL_ORDER_NEVER, INT64_MAX };
        }

        struct mpl_clc_gate *gate = &s->gate[*n - 1];

        if (s->track->at[j].is_jump) {
            gate->floor_ticks = s->track->at[j].ticks;
        }
        if (is_cap && cap < gate->ceiling_ticks) {
            gate->ceiling_ticks = cap;
        }
        has_caps = has_caps || is_cap;
    }
    return has_caps;
}

/* Begins the ramp to the jump at point i; the last point before it that is not lifted. */
static int64_t begin_ramp(struct sweep *s, int64_t i)
{
    const struct mpl_net_point *points = s->track->points;
    const struct mpl_clc_at *at = s->track->at;
    int64_t k = i - 1;
    uint32_t n = 0;

    s->has_ramp = true;
    s->top_ticks = at[i].ticks;
    s->from_ticks = s->ticks[points[i].event];
    while (k >= 0 && ramp_height(s, s->ticks[points[k].event]) > at[k].ticks) {
        k--;
    }
    s->has_string = find_gates(s, k, i, &n);
    if (s->has_string) {
        mpl_clc_string_pull(
            &s->string, find_begin(s, k), s->gate, n,
            (struct mpl_clc_corner){ string_x(s, points[i].event), at[i].ticks });
        s->at = s->string.n - 2;
    }
    return k;
}

/* ---- one location ----------------------------------------------------------------------------------- */

/* Every point of an event says where the event is after all of its sinks. */
static void join_points(const struct mpl_clc_track *track)
{
    for (uint32_t i = track->n_points; i > 1; i--) {
        const struct mpl_clc_at *next = &track->at[i - 1];
        struct mpl_clc_at *at = &track->at[i - 2];

        if (track->points[i - 2].event == track->points[i - 1].event) {
            at->is_jump = at->is_jump || next->is_jump;
            at->ticks = next->ticks;
            at->rest = next->rest;
        }
    }
}

/* Points from i on have no shift. The first of those that follow each other like this. */
static int64_t skip_points(struct sweep *s, int64_t i)
{
    while (i > 0 && s->track->at[i - 1].ticks == 0) {
        i--;
    }

    const uint32_t first = s->track->points[i].event;

    if (first < s->known) {
        memset(s->shift_ticks + first, 0, (s->known - first) * sizeof *s->shift_ticks);
        s->known = first;
    }
    return i;
}

/* Shifts of all events of the location. */
static void find_shifts(struct sweep *s)
{
    int64_t i = (int64_t) s->track->n_points - 1;

    join_points(s->track);
    s->known = s->track->n_events;
    find_stretch(s, i);
    while (i >= 0) {
        const struct mpl_clc_at *at = &s->track->at[i];
        int64_t k = i - 1;

        if (at->ticks == 0) {
            i = skip_points(s, i);
            k = i - 1;
        } else if (at->is_jump && s->slope > 0) {
            k = begin_ramp(s, i);
        }
        for (; i > k; i--) {
            find_stretch(s, i - 1);
        }
        s->has_ramp = false;
    }
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

static bool make_room(struct sweep *s, int64_t **ticks, struct mpl_arena *scratch)
{
    uint32_t most_points = 0;
    uint32_t most_events = 0;

    for (uint32_t l = 0; l < s->net->order->n_tracks; l++) {
        const struct mpl_clc_track *track = &s->net->track[l];

        most_points = track->n_points > most_points ? track->n_points : most_points;
        most_events = track->n_events > most_events ? track->n_events : most_events;
    }

    const size_t n = (size_t) most_points + 2;

    *ticks = MPL_NEW_UNSET(scratch, most_events, int64_t);
    s->ticks = *ticks;
    s->shift_ticks = MPL_NEW_UNSET(scratch, most_events, int64_t);
    s->gate = MPL_NEW_ARRAY(scratch, n, struct mpl_clc_gate);
    s->string.corner = MPL_NEW_ARRAY(scratch, n, struct mpl_clc_corner);
    s->string.upper = MPL_NEW_ARRAY(scratch, n, struct mpl_clc_corner);
    s->string.lower = MPL_NEW_ARRAY(scratch, n, struct mpl_clc_corner);
    return !mpl_arena_is_short(scratch);
}

/* False: memory ran out. \p ticks: room for the times. */
static bool sweep_location(struct sweep *s, int64_t *ticks, int64_t *max_ticks,
                           int64_t *end_ticks)
{
    struct mpl_times *times = s->track->times;
    const uint32_t n = s->track->n_events;

    if (n == 0) {
        return true;
    }
    mpl_times_read(times, 0, n, ticks);
    find_shifts(s);
    *end_ticks = s->shift_ticks[n - 1];
    *max_ticks = put_events(s->clc, ticks, s->shift_ticks, n);
    return *max_ticks == 0 || mpl_times_write(times, 0, n, ticks);
}

enum mpl_status mpl_clc_backward(struct mpl_clc_net *net, const struct mpl_clc_fall *fall,
                                 uint64_t slope, struct mpl_clc *clc, int64_t *max_ticks,
                                 int64_t *end_ticks, struct mpl_arena *scratch,
                                 struct mpl_err *err)
{
    struct sweep s = { .net = net, .clc = clc, .fall = *fall, .slope = slope };
    int64_t *ticks;

    if (!make_room(&s, &ticks, scratch)) {
        return mpl_nomem(err);
    }
    find_caps(net);
    clc->distortion = (struct mpl_clc_distortion){ 0 };
    for (uint32_t l = 0; l < net->order->n_tracks; l++) {
        s.location = l;
        s.track = &net->track[l];
        if (!sweep_location(&s, ticks, &max_ticks[l], &end_ticks[l])) {
            return mpl_nomem(err);
        }
    }
    return MPL_OK;
}
