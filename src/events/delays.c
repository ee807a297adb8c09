/*
 * Whose fault waiting is in the end (Böhme, Geimer, Wolf, Arnold: Identifying the Root Causes of
 * Wait States in Large-Scale Parallel Applications, ICPP 2010).
 *
 * Process p waits w for q. Since the two last met, q has been busy for longer than p: that excess,
 * the delay D, explains a part of w. But q may have waited in between, W for somebody else, and
 * that explains the rest. So
 *
 *      w D / (D + W)   is q's own fault,
 *      w W / (D + W)   is handed down to the waits of q, to each by its length.
 *
 * Example: 2 computes 30 us too long, 1 waits 30 us for it, and 0 waits 30 us for 1. Rank 1 was no
 * busier than rank 0 (D = 0), so the wait of 0 is handed down to that of 1, and 2 costs 60 us, of
 * which 30 are indirect.
 *
 * Waits are taken backwards in time: what one hands down lies before it, so a wait has inherited
 * everything when its turn comes. Nothing gets lost: all costs together are all waiting.
 *
 * Busy time is compared in two kinds, computation and communication that is no waiting. Where two
 * processes last met is found in blames.c.
 */
#include "config.h"

#include "events/delays_priv.h"

#include <stdlib.h>

/* Up to a call, or the end. They are kept for some; those between are added up when asked for. */
struct sums {
    int64_t waited_ticks; /* in earlier calls */
    int64_t called_ticks; /* likewise, waiting or not: all else is computation */
};

enum { SUMS_EVERY = 16 }; /* calls */

/*
 * How the rate of a location changes when the walk comes down to each of some calls in a row. What a wait hands down
 * mostly lies shortly before it, so few blocks are in use at a time; those that the walk is through serve again.
 */
enum { CHANGES_PER_BLOCK = 32 };
union changes {
    double of[CHANGES_PER_BLOCK];
    uint32_t next_spare; /* block + 1; 0: none */
};

/* A location while costs are handed down. */
struct track {
    struct sums *sums; /* one per SUMS_EVERY calls; NULL: not made */
    uint64_t n_asked;  /* calls in long stretches that were asked for */
    uint32_t *blocks;  /* per CHANGES_PER_BLOCK calls: block + 1; 0: nothing changes */
    double rate;       /* what each tick of waiting has inherited, at call `at` */
    uint32_t at;       /* calls from here on have had their turn */
    size_t left;       /* so many of its waits have not had it */
    /* For whom it waited before its turns: a vote by majority (Boyer and Moore), weighted by what they cost. */
    uint32_t turn_after;
    double turn_lead_s;
};

/* A location with waits left. */
struct turn {
    int64_t end_ticks; /* of its last one */
    uint32_t location;
};

struct delays {
    const struct mpl_events *events;
    struct mpl_arena *scratch;
    struct track *tracks;
    struct mpl_blames blames;
    struct mpl_buf changes; /* union changes */
    uint32_t first_spare;   /* of these: block + 1; 0: none */
    struct turn *order;     /* heap: the next one first */
    uint32_t n_order;
};

static int64_t enter_of(const struct delays *d, uint32_t location, uint32_t call)
{
    return mpl_call_enter_ticks(d->events, location, call);
}

static int64_t leave_of(const struct delays *d, uint32_t location, uint32_t call)
{
    return mpl_call_leave_ticks(d->events, location, call);
}

static int64_t wait_of(const struct delays *d, uint32_t location, uint32_t call)
{
    return mpl_call_wait_ticks(&d->events->lanes[location], call);
}

static int64_t wait_end_of(const struct delays *d, uint32_t location, uint32_t call)
{
    return enter_of(d, location, call) + wait_of(d, location, call);
}

/* ---- sums ----------------------------------------------------------------------------------- */

static void add_call(const struct mpl_lane *lane, uint32_t call, struct sums *sums)
{
    sums->waited_ticks += mpl_call_wait_ticks(lane, call);
    sums->called_ticks += mpl_call_duration_ticks(lane, call);
}

/* Without memory, which the arena remembers, nothing is added up. */
static void add_up(const struct delays *d, uint32_t location)
{
    const struct mpl_lane *lane = &d->events->lanes[location];
    struct track *t = &d->tracks[location];
    struct sums sums = { 0, 0 };

    t->sums = MPL_NEW_ARRAY(d->scratch, lane->n_calls / SUMS_EVERY + 1, struct sums);
    for (uint32_t k = 0; k < lane->n_calls && t->sums != NULL; k++) {
        add_call(lane, k, &sums);
        if ((k + 1) % SUMS_EVERY == 0) {
            t->sums[(k + 1) / SUMS_EVERY] = sums;
        }
    }
}

static struct sums sums_at(const struct delays *d, uint32_t location, uint32_t call)
{
    const struct mpl_lane *lane = &d->events->lanes[location];
    struct sums sums = d->tracks[location].sums[call / SUMS_EVERY];

    for (uint32_t k = call - call % SUMS_EVERY; k < call; k++) {
        add_call(lane, k, &sums);
    }
    return sums;
}

/*
 * Whether there are sums for a long stretch of \p n calls. They are made, in a walk over all calls, once long stretches are
 * as many calls: where locations nearly always meet soon, they never are.
 */
static bool has_sums(const struct delays *d, uint32_t location, uint32_t n)
{
    struct track *t = &d->tracks[location];

    t->n_asked += n;
    if (t->sums == NULL && t->n_asked >= d->events->lanes[location].n_calls) {
        add_up(d, location);
    }
    return t->sums != NULL;
}

/* Of calls \p first to \p end - 1: mostly a few, as locations meet again and again. */
static struct sums sums_between(const struct delays *d, uint32_t location, uint32_t first,
                                uint32_t end)
{
    const struct mpl_lane *lane = &d->events->lanes[location];
    struct sums sums = { 0, 0 };

    if (end > first && end - first > SUMS_EVERY && has_sums(d, location, end - first)) {
        const struct sums before = sums_at(d, location, first);

        sums = sums_at(d, location, end);
        sums.waited_ticks -= before.waited_ticks;
        sums.called_ticks -= before.called_ticks;
        return sums;
    }
    for (uint32_t k = first; k < end; k++) {
        add_call(lane, k, &sums);
    }
    return sums;
}

static bool make_track(struct delays *d, uint32_t location)
{
    const uint32_t n = d->events->lanes[location].n_calls;
    struct track *t = &d->tracks[location];

    t->blocks = MPL_NEW_ARRAY(d->scratch, n / CHANGES_PER_BLOCK + 1, uint32_t);
    t->at = n;
    t->turn_after = MPL_NONE;
    t->left = d->blames.first[location + 1] - d->blames.first[location];
    return t->blocks != NULL;
}

/* ---- changes -------------------------------------------------------------------------------- */

static union changes *block_at(const struct delays *d, uint32_t block)
{
    return (union changes *) d->changes.data + block - 1;
}

/* A block of calls in which nothing changes so far, plus one; 0: no memory. */
static uint32_t take_block(struct delays *d)
{
    const uint32_t block = d->first_spare;

    if (block == 0) {
        return mpl_buf_add(&d->changes) == NULL ? 0 : (uint32_t) d->changes.n;
    }
    d->first_spare = block_at(d, block)->next_spare;
    *block_at(d, block) = (union changes){ .of = { 0 } };
    return block;
}

static void give_back(struct delays *d, uint32_t *block)
{
    block_at(d, *block)->next_spare = d->first_spare;
    d->first_spare = *block;
    *block = 0;
}

/* The walk is to find it when it comes down to the call. False when out of memory. */
static bool add_change(struct delays *d, struct track *t, uint32_t call, double change)
{
    uint32_t *block = &t->blocks[call / CHANGES_PER_BLOCK];

    if (*block == 0) {
        *block = take_block(d);
    }
    if (*block == 0) {
        return false;
    }
    block_at(d, *block)->of[call % CHANGES_PER_BLOCK] += change;
    return true;
}

static void come_down(struct delays *d, struct track *t, uint32_t call)
{
    while (t->at > call) {
        const uint32_t at = t->at - 1;
        const uint32_t first = at - at % CHANGES_PER_BLOCK;
        const uint32_t until = first > call ? first : call;
        uint32_t *block = &t->blocks[at / CHANGES_PER_BLOCK];

        if (*block != 0) {
            const union changes *changes = block_at(d, *block);

            for (uint32_t k = t->at; k > until; k--) {
                t->rate += changes->of[k - 1 - first];
            }
            if (until == first) {
                give_back(d, block);
            }
        }
        t->at = until;
    }
}

/* ---- handing down --------------------------------------------------------------------------- */

/* What a location did since it met the other, up to a call. */
struct stretch {
    int64_t computing_ticks;
    int64_t communicating_ticks; /* and no waiting */
    int64_t waiting_ticks;
};

static struct stretch stretch_of(const struct delays *d, uint32_t location, uint32_t met,
                                 uint32_t until)
{
    const struct sums sums =
        sums_between(d, location, met == MPL_NONE ? 0 : met + 1, until);
    const int64_t end_ticks = enter_of(d, location, until);
    int64_t from_ticks;
    int64_t begin_ticks;
    struct stretch s;

    if (met != MPL_NONE) {
        begin_ticks = from_ticks = leave_of(d, location, met);
    } else {
        from_ticks = mpl_time_of(d->events, &d->events->model->locations[location], 0);
        begin_ticks = d->events->window_begin_ticks;
    }
    s.computing_ticks = end_ticks - from_ticks - sums.called_ticks;
    s.waiting_ticks = sums.waited_ticks;

    const int64_t rest = end_ticks - begin_ticks - s.computing_ticks - s.waiting_ticks;

    s.communicating_ticks = rest > 0 ? rest : 0;
    return s;
}

static int64_t excess(int64_t a, int64_t b)
{
    return a > b ? a - b : 0;
}

/*
 * Whether a culprit works in turn: it has waited itself for about as long as it computes longer, and what it
 * computed behind that wait the other has not computed by then, but waits for. Where all compute at the same
 * time the other has computed as much, however late both are. The call in which it waited, or MPL_NONE.
 *
 * Example: 0 computes 10 and sends to 1, which waits for it, computes 10 and sends to 2: 2 waits 20 for 1,
 * which computed 10 longer behind its wait of 10.
 */
static uint32_t turn_of(const struct delays *d, uint32_t culprit, const struct mpl_blame *b,
                        int64_t waited_ticks, int64_t longer_ticks)
{
    const struct mpl_lane *lane = &d->events->lanes[culprit];
    const uint32_t first = b->met.other == MPL_NONE ? 0 : b->met.other + 1;
    int64_t behind_ticks = 0;

    if (longer_ticks <= 0 || 2 * waited_ticks < longer_ticks) {
        return MPL_NONE;
    }
    for (uint32_t k = b->until; k > first; k--) {
        behind_ticks += enter_of(d, culprit, k) - leave_of(d, culprit, k - 1);
        if (behind_ticks > 2 * longer_ticks) {
            return MPL_NONE;
        }
        if (2 * mpl_call_wait_ticks(lane, k - 1) >= waited_ticks) {
            return k - 1;
        }
    }
    return MPL_NONE;
}

/* What of a wait is the culprit's own fault. */
struct fault {
    double share;          /* of the wait, 0 to 1 */
    double computed;       /* of that, because it computed longer, 0 to 1 */
    double delay_ticks;    /* by which the culprit was busier */
    int64_t waiting_ticks; /* of the culprit, of which the rest comes */
    uint32_t
        turn; /* the call in which it waited before its turn; MPL_NONE: it is in none */
};

static struct fault own_fault(const struct delays *d, uint32_t location,
                              const struct mpl_blame *b, uint32_t culprit)
{
    const struct stretch own = stretch_of(d, location, b->met.own, b->call);
    const struct stretch other = stretch_of(d, culprit, b->met.other, b->until);
    const int64_t longer_ticks = excess(other.computing_ticks, own.computing_ticks);
    const double delay = (double) longer_ticks + (double) excess(other.communicating_ticks,
                                                                 own.communicating_ticks);

    return (struct fault){ .share = other.waiting_ticks <= 0
                                        ? 1
                                        : delay / (delay + (double) other.waiting_ticks),
                           .computed = delay > 0 ? (double) longer_ticks / delay : 0,
                           .delay_ticks = delay,
                           .waiting_ticks = other.waiting_ticks,
                           .turn =
                               turn_of(d, culprit, b, other.waiting_ticks, longer_ticks) };
}

static void vote(struct track *t, uint32_t location, double seconds)
{
    if (t->turn_after == location) {
        t->turn_lead_s += seconds;
    } else if (t->turn_lead_s >= seconds) {
        t->turn_lead_s -= seconds;
    } else {
        t->turn_after = location;
        t->turn_lead_s = seconds - t->turn_lead_s;
    }
}

/* False when out of memory. */
static bool hand_down(struct delays *d, uint32_t location, const struct mpl_blame *b,
                      struct mpl_delay *delays)
{
    const struct mpl_lane *lane = &d->events->lanes[location];
    const uint32_t culprit = mpl_call_culprit(lane, b->call);
    const enum mpl_wait_kind kind = (enum mpl_wait_kind) lane->waits[b->call].kind;
    const double seconds = 1 / (double) d->events->model->ticks_per_s;
    const double wait = (double) wait_of(d, location, b->call);
    struct track *own = &d->tracks[location];
    struct track *other = &d->tracks[culprit];
    struct mpl_delay *delay = &delays[culprit];
    struct fault fault = { .share = 1, .turn = MPL_NONE };

    come_down(d, own, b->call);
    /* Sums of differences: what has all been taken back may be left as -1e-17. */
    const double inherited = own->rate > 0 ? wait * own->rate : 0;

    /* A culprit whose earlier waits have had their turn is waited for in a circle, which only
     * clocks can make. */
    if (b->until != MPL_NONE && other->at >= b->until) {
        fault = own_fault(d, location, b, culprit);
    }

    const double computed_s = (wait + inherited) * fault.share * fault.computed * seconds;

    delay->computed_s += computed_s;
    if (fault.turn != MPL_NONE) {
        delay->in_turn_s += computed_s;
        vote(other, mpl_call_culprit(&d->events->lanes[culprit], fault.turn), computed_s);
    }
    delay->direct_s[kind] += wait * fault.share * seconds;
    delay->indirect_s[kind] += inherited * fault.share * seconds;
    delays[location].passed_s[kind] += wait * (1 - fault.share) * seconds;
    /* Who has no wait left to be taken inherits nothing. */
    if (fault.share < 1 && other->left > 0) {
        const double rate =
            (wait + inherited) * (1 - fault.share) / (double) fault.waiting_ticks;

        return add_change(d, other, b->until - 1, rate) &&
               (b->met.other == MPL_NONE || add_change(d, other, b->met.other, -rate));
    }
    return true;
}

/*
 * Waits of a location end in the order of its calls, so the next wait is that of the location whose
 * last one left ends latest: a heap of locations, where sorting all waits would need as much memory
 * again. Of those that end at the same moment the first location comes first: any order keeps the
 * sum, this one is the same everywhere.
 */
static bool is_before(const struct turn *a, const struct turn *b)
{
    return a->end_ticks != b->end_ticks ? a->end_ticks > b->end_ticks
                                        : a->location < b->location;
}

/* The last of \p left waits of a location. */
static const struct mpl_blame *last_of(const struct delays *d, uint32_t location,
                                       size_t left)
{
    return (const struct mpl_blame *) d->blames.all.data + d->blames.first[location] +
           left - 1;
}

static const struct mpl_blame *last_left(const struct delays *d, uint32_t location)
{
    return last_of(d, location, d->tracks[location].left);
}

static void sift_down(struct delays *d, uint32_t at)
{
    struct turn *order = d->order;
    const struct turn turn = order[at];

    for (uint32_t next = 2 * at + 1; next < d->n_order; next = 2 * at + 1) {
        next += next + 1 < d->n_order && is_before(&order[next + 1], &order[next]);
        if (is_before(&turn, &order[next])) {
            break;
        }
        order[at] = order[next];
        at = next;
    }
    order[at] = turn;
}

enum {
    CALLS_PER_LINE = 8, /* of the cache */
    CALLS_AHEAD = 8,    /* before a wait; of more the processor sees itself where they go */
    WAITS_AHEAD = 16
};

/*
 * Asks for the calls that the wait behind the next one needs, and for waits still further behind: each location is walked
 * backwards, and with all the others in between nothing would come by itself. They come while other waits have their turn.
 */
static void fetch_ahead(const struct delays *d, uint32_t location)
{
    const size_t left = d->tracks[location].left;

    if (left < 2) {
        return;
    }

    const struct mpl_blame *b = last_of(d, location, left - 1);
    const struct mpl_lane *lane = &d->events->lanes[location];
    const uint32_t met = b->met.own == MPL_NONE ? 0 : b->met.own;
    const uint32_t first = b->call - met < CALLS_AHEAD ? met : b->call - CALLS_AHEAD;

    for (uint32_t k = first; k <= b->call; k += CALLS_PER_LINE) {
        mpl_prefetch(&lane->times[k]);
        mpl_prefetch(&lane->waits[k]);
    }
    mpl_prefetch(mpl_call_block_of(lane, met));
    mpl_prefetch(mpl_call_block_of(lane, b->call));
    if (left > 1 + WAITS_AHEAD) {
        mpl_prefetch(b - WAITS_AHEAD);
    }
}

/* False when out of memory. */
static bool hand_down_all(struct delays *d, struct mpl_delay *delays)
{
    bool is_enough = true;

    for (uint32_t l = 0; l < d->events->model->n_locations; l++) {
        if (d->tracks[l].left > 0) {
            d->order[d->n_order++] =
                (struct turn){ wait_end_of(d, l, last_left(d, l)->call), l };
        }
    }
    for (uint32_t at = d->n_order / 2; at > 0; at--) {
        sift_down(d, at - 1);
    }
    while (d->n_order > 0 && is_enough) {
        const uint32_t location = d->order[0].location;

        is_enough = hand_down(d, location, last_left(d, location), delays);
        if (--d->tracks[location].left > 0) {
            d->order[0].end_ticks = wait_end_of(d, location, last_left(d, location)->call);
            fetch_ahead(d, location);
        } else {
            d->order[0] = d->order[--d->n_order];
        }
        sift_down(d, 0);
    }
    for (uint32_t l = 0; l < d->events->model->n_locations; l++) {
        delays[l].turn_after = d->tracks[l].turn_after;
    }
    return is_enough;
}

/* ---- the whole ---------------------------------------------------------------------------------- */

static bool make_tracks(struct delays *d)
{
    const uint32_t n = d->events->model->n_locations;
    bool is_enough;

    d->tracks = MPL_NEW_ARRAY(d->scratch, n, struct track);
    d->order = MPL_NEW_ARRAY(d->scratch, n, struct turn);
    is_enough = d->tracks != NULL && d->order != NULL;
    for (uint32_t l = 0; l < n && is_enough; l++) {
        is_enough = make_track(d, l);
    }
    return is_enough;
}

enum mpl_status mpl_events_delays(const struct mpl_events *events, struct mpl_arena *arena,
                                  const struct mpl_delay **out, struct mpl_err *err)
{
    struct mpl_delay *delays =
        MPL_NEW_ARRAY(arena, events->model->n_locations, struct mpl_delay);
    struct delays d = { .events = events,
                        .scratch = mpl_arena_create(),
                        .changes = mpl_buf_make(sizeof(union changes)) };
    const bool is_enough = d.scratch != NULL && delays != NULL &&
                           mpl_blames_find(events, d.scratch, &d.blames) &&
                           make_tracks(&d) && hand_down_all(&d, delays) &&
                           !mpl_arena_is_short(d.scratch);

    if (is_enough) {
        *out = delays;
    }
    mpl_buf_free(&d.changes);
    mpl_buf_free(&d.blames.all);
    mpl_arena_destroy(d.scratch);
    return is_enough ? MPL_OK : mpl_nomem(err);
}

/* ---- where waits begin ------------------------------------------------------------------------------ */

/* All waits of a run, with those that are held: location after location, ascending by call. */
struct roots {
    struct delays d;
    struct mpl_buf waits;  /* struct mpl_wait_origin; hops 0: not traced back yet */
    struct mpl_buf blamed; /* size_t, parallel: its blame; SIZE_MAX: it is held */
    struct mpl_buf held;   /* struct mpl_held, of the location at hand */
    size_t *first;         /* per location and one more */
};

static struct mpl_wait_origin *wait_at(const struct roots *r, size_t i)
{
    return mpl_buf_get(&r->waits, i);
}

static bool add_wait(struct roots *r, struct mpl_wait_origin wait, size_t blame)
{
    struct mpl_wait_origin *w = mpl_buf_add(&r->waits);
    size_t *b = w == NULL ? NULL : mpl_buf_add(&r->blamed);

    if (b == NULL) {
        return false;
    }
    *w = wait;
    *b = blame;
    return true;
}

static bool add_held(struct roots *r, uint32_t location, const struct mpl_held *h)
{
    return add_wait(r,
                    (struct mpl_wait_origin){ .location = location,
                                              .call = h->call,
                                              .origin = h->receiver,
                                              .origin_call = h->until,
                                              .hops = 1,
                                              .ticks = h->ticks,
                                              .end_ticks = h->end_ticks },
                    SIZE_MAX);
}

static bool add_blamed(struct roots *r, uint32_t location, size_t i)
{
    const struct mpl_blame *b = mpl_buf_get(&r->d.blames.all, i);

    return add_wait(
        r,
        (struct mpl_wait_origin){ .location = location,
                                  .call = b->call,
                                  .ticks = wait_of(&r->d, location, b->call),
                                  .end_ticks = wait_end_of(&r->d, location, b->call) },
        i);
}

/* A call that waits is not held, so both are merged by call. */
static bool add_location(struct roots *r, uint32_t location)
{
    const size_t end = r->d.blames.first[location + 1];
    size_t b = r->d.blames.first[location];
    bool is_enough = true;

    r->held.n = 0;
    is_enough = mpl_held_find(r->d.events, location, &r->held);
    for (size_t h = 0; h < r->held.n && is_enough; h++) {
        const struct mpl_held *held = mpl_buf_get(&r->held, h);

        for (; b < end && is_enough &&
               ((const struct mpl_blame *) mpl_buf_get(&r->d.blames.all, b))->call <
                   held->call;
             b++) {
            is_enough = add_blamed(r, location, b);
        }
        is_enough = is_enough && add_held(r, location, held);
    }
    for (; b < end && is_enough; b++) {
        is_enough = add_blamed(r, location, b);
    }
    r->first[location + 1] = r->waits.n;
    return is_enough;
}

/* The first wait of a location in \p call or behind it. */
static size_t first_from(const struct roots *r, uint32_t location, uint32_t call)
{
    size_t low = r->first[location];
    size_t high = r->first[location + 1];

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (wait_at(r, middle)->call < call) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/*
 * The wait of the culprit that explains most of a wait for it, since the two last met; NULL where the
 * culprit is late by its own fault. Waits whose clocks contradict each other may have no origin yet.
 */
static const struct mpl_wait_origin *explains(const struct roots *r, uint32_t location,
                                              const struct mpl_blame *b, uint32_t culprit)
{
    const struct fault fault = own_fault(&r->d, location, b, culprit);
    const size_t end = first_from(r, culprit, b->until);
    const struct mpl_wait_origin *longest = NULL;
    double held = 0;

    for (size_t i = b->met.other == MPL_NONE ? r->first[culprit]
                                             : first_from(r, culprit, b->met.other + 1);
         i < end; i++) {
        const struct mpl_wait_origin *w = wait_at(r, i);
        const bool is_held = *(const size_t *) mpl_buf_get(&r->blamed, i) == SIZE_MAX;

        held += is_held ? (double) w->ticks : 0;
        longest =
            w->hops > 0 && (longest == NULL || w->ticks > longest->ticks) ? w : longest;
    }

    const double own = fault.delay_ticks > held ? fault.delay_ticks - held : 0;

    return own < held + (double) fault.waiting_ticks ? longest : NULL;
}

static void trace_back(struct roots *r, size_t i)
{
    struct mpl_wait_origin *w = wait_at(r, i);
    const size_t blame = *(const size_t *) mpl_buf_get(&r->blamed, i);

    if (blame == SIZE_MAX) {
        return;
    }

    const struct mpl_blame *b = mpl_buf_get(&r->d.blames.all, blame);
    const uint32_t culprit = mpl_events_culprit(r->d.events, w->location, w->call);
    const struct mpl_wait_origin *before =
        b->until == MPL_NONE ? NULL : explains(r, w->location, b, culprit);

    w->origin = before == NULL ? culprit : before->origin;
    w->origin_call = before == NULL ? b->until : before->origin_call;
    w->hops = before == NULL ? 1 : before->hops + 1;
}

/* A wait in the order of its end. */
struct ending {
    int64_t ticks;
    size_t i;
};

static int by_end(const void *x, const void *y)
{
    const struct ending *a = x;
    const struct ending *b = y;

    if (a->ticks != b->ticks) {
        return a->ticks < b->ticks ? -1 : 1;
    }
    return (a->i > b->i) - (a->i < b->i);
}

static bool trace_all_back(struct roots *r)
{
    const uint32_t n_locations = r->d.events->model->n_locations;
    struct ending *endings;
    bool is_enough = true;

    r->first = MPL_NEW_ARRAY(r->d.scratch, (size_t) n_locations + 1, size_t);
    is_enough = r->first != NULL;
    for (uint32_t l = 0; l < n_locations && is_enough; l++) {
        is_enough = add_location(r, l);
    }
    endings = is_enough ? MPL_NEW_ARRAY(r->d.scratch, r->waits.n, struct ending) : NULL;
    if (endings == NULL) {
        return false;
    }
    for (size_t i = 0; i < r->waits.n; i++) {
        endings[i] = (struct ending){ wait_at(r, i)->end_ticks, i };
    }
    if (r->waits.n > 0) {
        qsort(endings, r->waits.n, sizeof *endings, by_end);
    }
    for (size_t i = 0; i < r->waits.n; i++) {
        trace_back(r, endings[i].i);
    }
    return true;
}

enum mpl_status mpl_events_wait_origins(const struct mpl_events *events,
                                        struct mpl_arena *arena,
                                        const struct mpl_wait_origin **out, size_t *n,
                                        struct mpl_err *err)
{
    struct roots r = { .d = { .events = events, .scratch = mpl_arena_create() },
                       .waits = mpl_buf_make(sizeof(struct mpl_wait_origin)),
                       .blamed = mpl_buf_make(sizeof(size_t)),
                       .held = mpl_buf_make(sizeof(struct mpl_held)) };
    bool is_enough =
        r.d.scratch != NULL && mpl_blames_find(events, r.d.scratch, &r.d.blames) &&
        make_tracks(&r.d) && trace_all_back(&r) && !mpl_arena_is_short(r.d.scratch);

    if (is_enough) {
        const size_t n_waits = r.waits.n;
        const struct mpl_wait_origin *all = mpl_buf_take(&r.waits, arena);

        is_enough = all != NULL;
        if (is_enough) {
            *out = all;
            *n = n_waits;
        }
    }
    mpl_buf_free(&r.waits);
    mpl_buf_free(&r.blamed);
    mpl_buf_free(&r.held);
    mpl_buf_free(&r.d.blames.all);
    mpl_arena_destroy(r.d.scratch);
    return is_enough ? MPL_OK : mpl_nomem(err);
}
