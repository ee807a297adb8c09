#include "config.h"

#include "clc/clc_priv.h"

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
    int64_t *shift_ticks; /* Room for the shifts of one stretch between points. */
    /* The ramp at hand. */
    bool has_ramp;
    bool has_string;
    int64_t top_ticks;  /* Its height. */
    int64_t from_ticks; /* Time of its jump. */
    struct mpl_clc_string string;
    struct mpl_clc_gate *gate;
    uint32_t at; /* The string's corner to the left of the event. */
    /* The last event that has been written: the next one of the location. */
    uint32_t written;   /* n_events: none yet. */
    int64_t next_ticks; /* Its time before. */
    int64_t next_shift_ticks;
    int64_t max_ticks;
    int64_t end_ticks;
    bool is_short; /* Memory ran out; times are not as they should be. */
};

/* ---- caps ------------------------------------------------------------------------------------- */

static void cap_sources(struct mpl_clc_net *net, uint32_t location, uint32_t i)
{
    const struct mpl_clc_track *track = &net->track[location];
    const struct mpl_net_point *point = &track->points[i];
    const int64_t ticks = mpl_times_get(track->times, point->event) +
                          track->at[i].shift.ticks - mpl_clc_point_least(net, point);

    if ((point->flags & MPL_POINT_GROUP) == 0) {
        net->pair_ticks[point->link] =
            (point->flags & MPL_POINT_IGNORED) != 0 ? INT64_MAX : ticks;
    } else if ((point->flags & MPL_POINT_IGNORED) == 0) {
        mpl_top_add(&net->top[point->link], -ticks, location);
    }
}

static void find_caps(struct mpl_clc_net *net)
{
    for (uint32_t i = 0; i < net->order->n_groups; i++) {
        mpl_top_clear(&net->top[i]);
    }
    for (uint32_t l = 0; l < net->order->n_tracks; l++) {
        const struct mpl_clc_track *track = &net->track[l];

        for (uint32_t i = 0; i < track->n_points; i++) {
            if ((track->points[i].flags & MPL_POINT_SOURCE) == 0) {
                cap_sources(net, l, i);
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
    const int64_t ticks = mpl_times_get(s->track->times, point->event);

    if ((point->flags & MPL_POINT_GROUP) == 0) {
        const int64_t cap = net->pair_ticks[point->link];

        return cap == INT64_MAX ? INT64_MAX : cap - ticks;
    }

    const int64_t least = mpl_top_of_others(&net->top[point->link], s->location);

    return least == MPL_ORDER_NEVER ? INT64_MAX : -least - ticks;
}

/* ---- the new time of one event ------------------------------------------------------------------ */

static void count_change(struct mpl_clc_distortion *d, int64_t before, int64_t change)
{
    const int64_t size = change < 0 ? -change : change;

    /* size * n < before without a product that could overflow; size is at least 1. */
    if (size <= (before - 1) / 1000) {
        d->below[0]++;
    } else if (size <= (before - 1) / 100) {
        d->below[1]++;
    } else if (size <= (before - 1) / 10) {
        d->below[2]++;
    } else if (size < before) {
        d->below[3]++;
    } else {
        d->beyond++;
    }
    if (change > d->longest_ticks) {
        d->longest_ticks = change;
    }
    if (-change > d->shortest_ticks) {
        d->shortest_ticks = -change;
    }
}

static void put_event(struct sweep *s, uint32_t event, int64_t shift)
{
    const int64_t ticks = mpl_times_get(s->track->times, event);

    if (s->written == s->track->n_events) {
        s->end_ticks = shift;
    } else if (shift == s->next_shift_ticks) {
        s->clc->distortion.unchanged++;
    } else {
        count_change(&s->clc->distortion, s->next_ticks - ticks,
                     s->next_shift_ticks - shift);
    }
    s->written = event;
    s->next_ticks = ticks;
    s->next_shift_ticks = shift;
    if (shift > 0) {
        s->is_short |=
            !mpl_times_set(s->track->times, s->track->n_events, event, ticks + shift);
        s->clc->n_moved++;
        s->max_ticks = shift > s->max_ticks ? shift : s->max_ticks;
    }
}

/* Events from \p first to the last one that is not written stay where they are. */
static void skip_events(struct sweep *s, uint32_t first)
{
    if (first < s->written) {
        put_event(s, s->written - 1, 0);
        s->clc->distortion.unchanged += s->written - first;
        s->next_ticks = mpl_times_get(s->track->times, first);
        s->written = first;
    }
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
    return mpl_times_get(s->track->times, event) + event;
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
 * was left of each. */
static int64_t keep_order(const struct sweep *s, uint32_t event, int64_t shift)
{
    const int64_t interval = s->next_ticks - mpl_times_get(s->track->times, event);
    const int64_t delta = s->fall.delta_ticks < interval ? s->fall.delta_ticks : interval;
    const int64_t most = s->next_shift_ticks + interval - delta;

    return shift > most ? most : shift;
}

/* The final shift of an event whose shift was \p shift after the forward pass. */
static int64_t lift(struct sweep *s, uint32_t event, int64_t shift)
{
    int64_t height = ramp_height(s, mpl_times_get(s->track->times, event));

    if (height > shift && s->has_string) {
        const int64_t taut = string_height(s, event);

        height = keep_order(s, event, taut < height ? taut : height);
    }
    return height > shift ? height : shift;
}

/* ---- stretches between points -------------------------------------------------------------------- */

/* Shifts of the forward pass from the event after point k to \p last. */
static void walk_stretch(struct sweep *s, int64_t k, uint32_t last)
{
    const struct mpl_times *times = s->track->times;
    const uint32_t first = s->track->points[k].event;
    struct mpl_clc_shift shift = s->track->at[k].shift;

    for (uint32_t e = first; e < last; e++) {
        if (shift.ticks > 0) {
            mpl_clc_shift_step(&shift, &s->fall,
                               mpl_times_get(times, e + 1) - mpl_times_get(times, e));
        }
        s->shift_ticks[e - first] = shift.ticks;
    }
}

/*
 * Writes what is not written of the events after point k, up to point k + 1. There are points
 * -1 and n_points in thought, before the first event and behind the last.
 */
static void write_stretch(struct sweep *s, int64_t k)
{
    const struct mpl_clc_track *track = s->track;
    const bool has_right = k + 1 < (int64_t) track->n_points;
    const uint32_t first = k < 0 ? 0 : track->points[k].event + 1;
    const bool is_shifted = k >= 0 && track->at[k].shift.ticks > 0;

    if (is_shifted && first < s->written) {
        walk_stretch(s, k, s->written - 1);
    }
    while (first < s->written) {
        const uint32_t event = s->written - 1;
        int64_t shift = is_shifted ? s->shift_ticks[event - first] : 0;

        if (has_right && event == track->points[k + 1].event) {
            shift = track->at[k + 1].shift.ticks;
        }
        shift = s->has_ramp ? lift(s, event, shift) : shift;
        if (shift == 0 && !is_shifted) {
            skip_events(s, first);
            return;
        }
        put_event(s, event, shift);
    }
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
        shift = track->at[k].shift;
        event = track->points[k].event;
    } else if (ramp_height(s, mpl_times_get(track->times, 0)) > 0) {
        const unsigned __int128 length =
            ((unsigned __int128) s->top_ticks * MPL_CLC_ONE + s->slope - 1) / s->slope;
        const int64_t x = mpl_ticks_narrow((__int128) s->from_ticks - (__int128) length);

        return (struct mpl_clc_corner){
            x < mpl_times_get(track->times, 0) ? x : mpl_times_get(track->times, 0) - 1, 0
        };
    }
    while (event + 1 < right) {
        struct mpl_clc_shift next = shift;

        if (next.ticks > 0) {
            mpl_clc_shift_step(&next, &s->fall,
                               mpl_times_get(track->times, event + 1) -
                                   mpl_times_get(track->times, event));
        }
        if (ramp_height(s, mpl_times_get(track->times, event + 1)) > next.ticks) {
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
        const bool is_cap =
            cap < ramp_height(s, mpl_times_get(s->track->times, point->event));

        if (*n == 0 || s->gate[*n - 1].x_ticks != string_x(s, point->event)) {
            s->gate[(*n)++] = (struct mpl_clc_gate){ string_x(s, point->event),
                                                     MPL_ORDER_NEVER, INT64_MAX };
        }

        struct mpl_clc_gate *gate = &s->gate[*n - 1];

        if (s->track->at[j].is_jump) {
            gate->floor_ticks = s->track->at[j].shift.ticks;
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
    s->top_ticks = at[i].shift.ticks;
    s->from_ticks = mpl_times_get(s->track->times, points[i].event);
    while (k >= 0 && ramp_height(s, mpl_times_get(s->track->times, points[k].event)) >
                         at[k].shift.ticks) {
        k--;
    }
    s->has_string = find_gates(s, k, i, &n);
    if (s->has_string) {
        mpl_clc_string_pull(
            &s->string, find_begin(s, k), s->gate, n,
            (struct mpl_clc_corner){ string_x(s, points[i].event), at[i].shift.ticks });
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
            at->shift = next->shift;
        }
    }
}

/* Points from i on have no shift. The first of those that follow each other like this. */
static int64_t skip_points(struct sweep *s, int64_t i)
{
    while (i > 0 && s->track->at[i - 1].shift.ticks == 0) {
        i--;
    }
    skip_events(s, s->track->points[i].event);
    return i;
}

static void sweep_location(struct sweep *s)
{
    int64_t i = (int64_t) s->track->n_points - 1;

    join_points(s->track);
    s->written = s->track->n_events;
    s->max_ticks = 0;
    s->end_ticks = 0;
    write_stretch(s, i);
    while (i >= 0) {
        const struct mpl_clc_at *at = &s->track->at[i];
        int64_t k = i - 1;

        if (at->shift.ticks == 0) {
            i = skip_points(s, i);
            k = i - 1;
        } else if (at->is_jump && s->slope > 0) {
            k = begin_ramp(s, i);
        }
        for (; i > k; i--) {
            write_stretch(s, i - 1);
        }
        s->has_ramp = false;
    }
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

static bool make_room(struct sweep *s, struct mpl_arena *scratch)
{
    uint32_t most_points = 0;
    uint32_t most_events = 0;

    for (uint32_t l = 0; l < s->net->order->n_tracks; l++) {
        const struct mpl_clc_track *track = &s->net->track[l];

        most_points = track->n_points > most_points ? track->n_points : most_points;
        most_events = track->n_events > most_events ? track->n_events : most_events;
    }

    const size_t n = (size_t) most_points + 2;

    s->shift_ticks = MPL_NEW_ARRAY(scratch, most_events, int64_t);
    s->gate = MPL_NEW_ARRAY(scratch, n, struct mpl_clc_gate);
    s->string.corner = MPL_NEW_ARRAY(scratch, n, struct mpl_clc_corner);
    s->string.upper = MPL_NEW_ARRAY(scratch, n, struct mpl_clc_corner);
    s->string.lower = MPL_NEW_ARRAY(scratch, n, struct mpl_clc_corner);
    return !mpl_arena_is_short(scratch);
}

enum mpl_status mpl_clc_backward(struct mpl_clc_net *net, const struct mpl_clc_fall *fall,
                                 uint64_t slope, struct mpl_clc *clc, int64_t *max_ticks,
                                 int64_t *end_ticks, struct mpl_arena *scratch,
                                 struct mpl_err *err)
{
    struct sweep s = { .net = net, .clc = clc, .fall = *fall, .slope = slope };

    if (!make_room(&s, scratch)) {
        return mpl_nomem(err);
    }
    find_caps(net);
    clc->distortion = (struct mpl_clc_distortion){ 0 };
    for (uint32_t l = 0; l < net->order->n_tracks; l++) {
        s.location = l;
        s.track = &net->track[l];
        sweep_location(&s);
        max_ticks[l] = s.max_ticks;
        end_ticks[l] = s.end_ticks;
    }
    return s.is_short ? mpl_nomem(err) : MPL_OK;
}
