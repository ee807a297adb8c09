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
 * Two processes meet in a collective, and in a message for which one waits: one that has lain ready
 * says nothing of when it was sent. Example: 0 sends to 1 and waits for an answer; 1 waits for
 * somebody else, then takes the message and answers at once. Had they met there, the answer would be
 * late by no delay and no waiting of 1; they have not, so the wait of 1 explains that of 0. Busy
 * time is compared in two kinds, computation and communication that is no waiting.
 */
#include "config.h"

#include "events/events_priv.h"

#include <stdlib.h>
#include <string.h>

/* Where two locations last met. */
struct meeting {
    uint32_t own;   /* call; MPL_NONE: they have not met */
    uint32_t other; /* call of the other location */
};

struct blame {
    int64_t end_ticks;  /* of the wait */
    uint32_t location;  /* who waits */
    uint32_t call;      /* in which call */
    uint32_t until;     /* call of the culprit that ends the wait; MPL_NONE: not recorded */
    struct meeting met; /* before that */
};

/* A location while costs are handed down. Columns are per call. */
struct track {
    int64_t *waited;   /* n + 1: waiting in earlier calls */
    int64_t *computed; /* n: computation up to this call */
    double *change;    /* n: how `rate` changes when the walk comes down to this call */
    double rate;       /* what each tick of waiting has inherited, at call `at` */
    uint32_t at;       /* calls from here on have had their turn */
};

/* The last collective of one communicator. */
struct recent {
    uint32_t comm;
    uint32_t instance;
    uint32_t call;
};

struct delays {
    const struct mpl_events *events;
    struct mpl_arena *scratch;
    struct track *tracks;
    struct mpl_map *rank_of; /* comm * processes + process; of the comms asked for */
    bool *is_ranked;         /* per comm: in rank_of */
    struct mpl_buf blames;
    /* While one location is walked: */
    struct meeting *received; /* per other location: the last message from there */
    struct meeting *sent;     /* per other location: the last message to there */
    struct mpl_buf touched;   /* uint32_t: others with one of the two */
    struct mpl_buf recents;   /* latest first */
};

static int64_t enter_of(const struct delays *d, uint32_t location, uint32_t call)
{
    return mpl_time_of(d->events, &d->events->model->locations[location],
                       d->events->lanes[location].calls[call].enter);
}

static int64_t leave_of(const struct delays *d, uint32_t location, uint32_t call)
{
    return mpl_time_of(d->events, &d->events->model->locations[location],
                       d->events->lanes[location].calls[call].leave);
}

static bool is_send(const struct delays *d, uint32_t location, uint32_t message)
{
    const struct mpl_location *loc = &d->events->model->locations[location];

    return loc->envelopes[loc->messages[message].envelope].is_send;
}

/* ---- meetings by collectives ------------------------------------------------------------ */

static bool rank_comm(struct delays *d, uint32_t comm)
{
    const struct mpl_model *model = d->events->model;
    const struct mpl_comm *c = &model->comms[comm];

    d->is_ranked[comm] = true;
    for (uint32_t rank = 0; rank < c->n_members; rank++) {
        if (!mpl_map_put(d->rank_of,
                         (uint64_t) comm * model->n_processes + c->members[rank], rank)) {
            return false;
        }
    }
    return true;
}

/* The call in which a location took part in an instance; MPL_NONE: it did not. False when out of
 * memory. Parts of a complete instance stand at their ranks. */
static bool find_part(struct delays *d, uint32_t instance, uint32_t location,
                      uint32_t *call)
{
    const struct mpl_match *match = d->events->match;
    const struct mpl_coll_instance *in = &match->instances[instance];
    const struct mpl_model *model = d->events->model;
    uint32_t rank;

    *call = MPL_NONE;
    if (model->comms[in->comm].is_self || !in->is_complete) {
        return true;
    }
    if (!d->is_ranked[in->comm] && !rank_comm(d, in->comm)) {
        return false;
    }
    rank = mpl_map_find(d->rank_of, (uint64_t) in->comm * model->n_processes +
                                        model->locations[location].process);
    if (rank < in->n_parts) {
        const struct mpl_coll_part *part = &match->parts[in->first_part + rank];

        if (part->location == location) {
            *call = d->events->lanes[location].call_of_collective[part->collective];
        }
    }
    return true;
}

static uint32_t instance_of(const struct delays *d, uint32_t location,
                            const struct mpl_span *span)
{
    return span->collective == MPL_NONE
               ? MPL_NONE
               : d->events->match->instance[location][span->collective];
}

/* Moves the communicator of a collective to the front. */
static bool keep_recent(struct delays *d, uint32_t instance, uint32_t call)
{
    const uint32_t comm = d->events->match->instances[instance].comm;
    struct recent *all = d->recents.data;
    size_t at = 0;

    while (at < d->recents.n && all[at].comm != comm) {
        at++;
    }
    if (at == d->recents.n) {
        if (mpl_buf_add(&d->recents) == NULL) {
            return false;
        }
        all = d->recents.data;
    }
    memmove(all + 1, all, at * sizeof *all);
    all[0] = (struct recent){ comm, instance, call };
    return true;
}

/* ---- meetings by messages --------------------------------------------------------------- */

/* Whether one end of a message waits for the other. */
static bool is_awaited(const struct delays *d, uint32_t location, uint32_t call,
                       uint32_t other, uint32_t other_call)
{
    const struct mpl_call *own = &d->events->lanes[location].calls[call];
    const struct mpl_call *its = &d->events->lanes[other].calls[other_call];

    return (own->culprit == other && mpl_call_ticks(own) > 0) ||
           (its->culprit == location && mpl_call_ticks(its) > 0);
}

static bool keep_messages(struct delays *d, uint32_t location, uint32_t call,
                          const struct mpl_span *span)
{
    const uint32_t *partner = d->events->match->partner[location];

    for (uint32_t i = 0; i < span->n_messages; i++) {
        const uint32_t m = mpl_events_message(d->events, location, span, i);

        if (partner[m] == MPL_NONE) {
            continue;
        }

        const struct mpl_end end = mpl_other_end(d->events, partner[m]);
        const uint32_t other = d->events->lanes[end.location].call_of_message[end.message];
        struct meeting *kept = is_send(d, location, m) ? d->sent : d->received;

        if (other == MPL_NONE || !is_awaited(d, location, call, end.location, other)) {
            continue;
        }
        if (d->sent[end.location].own == MPL_NONE &&
            d->received[end.location].own == MPL_NONE) {
            uint32_t *touched = mpl_buf_add(&d->touched);

            if (touched == NULL) {
                return false;
            }
            *touched = end.location;
        }
        kept[end.location] = (struct meeting){ call, other };
    }
    return true;
}

static void forget_messages(struct delays *d)
{
    const struct meeting none = { MPL_NONE, MPL_NONE };

    for (size_t i = 0; i < d->touched.n; i++) {
        const uint32_t other = *(const uint32_t *) mpl_buf_get(&d->touched, i);

        d->sent[other] = none;
        d->received[other] = none;
    }
    d->touched.n = 0;
    d->recents.n = 0;
}

/* ---- who is waited for ------------------------------------------------------------------ */

/* The culprit's call that ends a wait for a message: of several the last to begin. */
static uint32_t find_message_end(const struct delays *d, uint32_t location,
                                 const struct mpl_span *span)
{
    const struct mpl_events *events = d->events;
    uint32_t found = MPL_NONE;

    for (uint32_t i = 0; i < span->n_messages; i++) {
        const uint32_t m = mpl_events_message(events, location, span, i);
        const uint32_t number = events->match->partner[location][m];

        if (number == MPL_NONE) {
            continue;
        }

        const struct mpl_end end = mpl_other_end(events, number);
        const uint32_t call =
            is_send(d, location, m)
                ? mpl_receive_post_call(events, end)
                : events->lanes[end.location].call_of_message[end.message];

        if (end.location == span->culprit && call != MPL_NONE &&
            (found == MPL_NONE || call > found)) {
            found = call;
        }
    }
    return found;
}

/* The latest of what came before the culprit's call. */
static void take_later(struct meeting *met, struct meeting candidate, uint32_t until)
{
    if (candidate.own != MPL_NONE && candidate.other < until &&
        (met->own == MPL_NONE || candidate.own > met->own)) {
        *met = candidate;
    }
}

static bool find_meeting(struct delays *d, uint32_t culprit, struct blame *blame)
{
    const struct recent *recents = d->recents.data;

    take_later(&blame->met, d->received[culprit], blame->until);
    take_later(&blame->met, d->sent[culprit], blame->until);
    for (size_t i = 0; i < d->recents.n; i++) {
        uint32_t other = MPL_NONE;

        if (blame->met.own != MPL_NONE && recents[i].call <= blame->met.own) {
            return true;
        }
        if (!find_part(d, recents[i].instance, culprit, &other)) {
            return false;
        }
        if (other != MPL_NONE) {
            take_later(&blame->met, (struct meeting){ recents[i].call, other },
                       blame->until);
        }
    }
    return true;
}

static bool keep_wait(struct delays *d, uint32_t location, uint32_t call,
                      const struct mpl_span *span)
{
    struct blame *blame = mpl_buf_add(&d->blames);
    const uint32_t instance = instance_of(d, location, span);
    bool is_enough = true;

    if (blame == NULL) {
        return false;
    }
    *blame = (struct blame){ .end_ticks = span->enter_ticks + span->wait_ticks,
                             .location = location,
                             .call = call,
                             .met = { MPL_NONE, MPL_NONE } };
    if (span->wait_kind == MPL_WAIT_LATE_SENDER ||
        span->wait_kind == MPL_WAIT_LATE_RECEIVER) {
        blame->until = find_message_end(d, location, span);
    } else if (instance == MPL_NONE) {
        blame->until = MPL_NONE;
    } else {
        is_enough = find_part(d, instance, span->culprit, &blame->until);
    }
    return is_enough && (blame->until == MPL_NONE || find_meeting(d, span->culprit, blame));
}

/* ---- the walk over a location ------------------------------------------------------------- */

static bool make_track(struct delays *d, uint32_t location)
{
    const struct mpl_lane *lane = &d->events->lanes[location];
    const size_t n = lane->n_calls;
    struct track *t = &d->tracks[location];
    int64_t end =
        n > 0 ? mpl_time_of(d->events, &d->events->model->locations[location], 0) : 0;
    int64_t sum = 0;

    t->waited = MPL_NEW_ARRAY(d->scratch, n + 1, int64_t);
    t->computed = MPL_NEW_ARRAY(d->scratch, n, int64_t);
    t->change = MPL_NEW_ARRAY(d->scratch, n, double);
    t->at = lane->n_calls;
    if (t->waited == NULL || t->computed == NULL || t->change == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < n; k++) {
        t->waited[k + 1] = t->waited[k] + mpl_call_ticks(&lane->calls[k]);
        sum += enter_of(d, location, k) - end;
        t->computed[k] = sum;
        end = leave_of(d, location, k);
    }
    return true;
}

static bool walk_location(struct delays *d, uint32_t location)
{
    bool is_enough = make_track(d, location);

    for (uint32_t k = 0; k < d->events->lanes[location].n_calls && is_enough; k++) {
        const struct mpl_span span = mpl_events_span(d->events, location, 2 * k + 1);
        const uint32_t instance = instance_of(d, location, &span);

        if (span.wait_ticks > 0 && span.culprit != MPL_NONE) {
            is_enough = keep_wait(d, location, k, &span);
        }
        is_enough = is_enough && keep_messages(d, location, k, &span) &&
                    (instance == MPL_NONE || keep_recent(d, instance, k));
    }
    forget_messages(d);
    return is_enough;
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
    const struct track *t = &d->tracks[location];
    const bool has_met = met != MPL_NONE;
    const int64_t begin =
        has_met ? leave_of(d, location, met) : d->events->window_begin_ticks;
    struct stretch s = {
        .computing_ticks = t->computed[until] - (has_met ? t->computed[met] : 0),
        .waiting_ticks = t->waited[until] - (has_met ? t->waited[met + 1] : 0),
    };
    const int64_t rest =
        enter_of(d, location, until) - begin - s.computing_ticks - s.waiting_ticks;

    s.communicating_ticks = rest > 0 ? rest : 0;
    return s;
}

static int64_t excess(int64_t a, int64_t b)
{
    return a > b ? a - b : 0;
}

/* The share of a wait that is the culprit's own fault; \p computed of that because it computed
 * longer, 0 to 1. */
static double own_fault(const struct delays *d, const struct blame *b, uint32_t culprit,
                        int64_t *waiting_ticks, double *computed)
{
    const struct stretch own = stretch_of(d, b->location, b->met.own, b->call);
    const struct stretch other = stretch_of(d, culprit, b->met.other, b->until);
    const double longer = (double) excess(other.computing_ticks, own.computing_ticks);
    const double delay =
        longer + (double) excess(other.communicating_ticks, own.communicating_ticks);

    *waiting_ticks = other.waiting_ticks;
    *computed = delay > 0 ? longer / delay : 0;
    return other.waiting_ticks <= 0 ? 1 : delay / (delay + (double) other.waiting_ticks);
}

static void hand_down(struct delays *d, const struct blame *b, struct mpl_delay *delays)
{
    const struct mpl_call *call = &d->events->lanes[b->location].calls[b->call];
    const double seconds = 1 / (double) d->events->model->ticks_per_s;
    const double wait = (double) mpl_call_ticks(call);
    struct track *own = &d->tracks[b->location];
    struct track *other = &d->tracks[call->culprit];
    struct mpl_delay *delay = &delays[call->culprit];
    int64_t waiting_ticks = 0;
    double computed = 0;
    double share = 1;

    while (own->at > b->call) {
        own->rate += own->change[--own->at];
    }
    /* Sums of differences: what has all been taken back may be left as -1e-17. */
    const double inherited = own->rate > 0 ? wait * own->rate : 0;

    /* A culprit whose earlier waits have had their turn is waited for in a circle, which only
     * clocks can make. */
    if (b->until != MPL_NONE && other->at >= b->until) {
        share = own_fault(d, b, call->culprit, &waiting_ticks, &computed);
    }
    delay->computed_s += (wait + inherited) * share * computed * seconds;
    delay->direct_s[call->wait_kind] += wait * share * seconds;
    delay->indirect_s[call->wait_kind] += inherited * share * seconds;
    delays[b->location].passed_s[call->wait_kind] += wait * (1 - share) * seconds;
    if (share < 1) {
        const uint32_t first = b->met.other == MPL_NONE ? 0 : b->met.other + 1;
        const double rate = (wait + inherited) * (1 - share) / (double) waiting_ticks;

        other->change[b->until - 1] += rate;
        if (first > 0) {
            other->change[first - 1] -= rate;
        }
    }
}

/* Later ends first; of those at the same moment, who waits for the other first: any order keeps
 * the sum, this one is the same everywhere. */
static int by_end(const void *x, const void *y)
{
    const struct blame *a = x;
    const struct blame *b = y;

    if (a->end_ticks != b->end_ticks) {
        return a->end_ticks > b->end_ticks ? -1 : 1;
    }
    if (a->location != b->location) {
        return a->location < b->location ? -1 : 1;
    }
    return a->call > b->call ? -1 : 1;
}

/* ---- the whole ---------------------------------------------------------------------------------- */

static bool make_tables(struct delays *d)
{
    const uint32_t n = d->events->model->n_locations;

    d->blames = mpl_buf_make(sizeof(struct blame));
    d->touched = mpl_buf_make(sizeof(uint32_t));
    d->recents = mpl_buf_make(sizeof(struct recent));
    d->scratch = mpl_arena_create();
    d->rank_of = mpl_map_create();
    if (d->scratch == NULL || d->rank_of == NULL) {
        return false;
    }
    d->tracks = MPL_NEW_ARRAY(d->scratch, n, struct track);
    d->is_ranked = MPL_NEW_ARRAY(d->scratch, d->events->model->n_comms, bool);
    d->received = MPL_NEW_ARRAY(d->scratch, n, struct meeting);
    d->sent = MPL_NEW_ARRAY(d->scratch, n, struct meeting);
    if (d->tracks == NULL || d->is_ranked == NULL || d->received == NULL ||
        d->sent == NULL) {
        return false;
    }
    memset(d->received, 0xff, n * sizeof *d->received);
    memset(d->sent, 0xff, n * sizeof *d->sent);
    return true;
}

enum mpl_status mpl_events_delays(const struct mpl_events *events, struct mpl_arena *arena,
                                  const struct mpl_delay **out, struct mpl_err *err)
{
    const uint32_t n = events->model->n_locations;
    struct mpl_delay *delays = MPL_NEW_ARRAY(arena, n, struct mpl_delay);
    struct delays d = { .events = events };
    bool is_enough = make_tables(&d) && delays != NULL;

    for (uint32_t l = 0; l < n && is_enough; l++) {
        is_enough = walk_location(&d, l);
    }
    if (is_enough) {
        if (d.blames.n > 0) {
            qsort(d.blames.data, d.blames.n, sizeof(struct blame), by_end);
        }
        for (size_t i = 0; i < d.blames.n; i++) {
            hand_down(&d, mpl_buf_get(&d.blames, i), delays);
        }
        *out = delays;
    }
    mpl_map_destroy(d.rank_of);
    mpl_arena_destroy(d.scratch);
    mpl_buf_free(&d.blames);
    mpl_buf_free(&d.touched);
    mpl_buf_free(&d.recents);
    return is_enough ? MPL_OK : mpl_nomem(err);
}
