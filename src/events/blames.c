/*
 * Whom each wait is for, and where the two had met before.
 *
 * Two processes meet in a collective, and in a message for which one waits: one that has lain ready
 * says nothing of when it was sent. Example: 0 sends to 1 and waits for an answer; 1 waits for
 * somebody else, then takes the message and answers at once. Had they met there, the answer would be
 * late by no delay and no waiting of 1; they have not, so the wait of 1 explains that of 0.
 */
#include "config.h"

#include "events/delays_priv.h"

#include <string.h>

/* The last collective of one communicator. */
struct recent {
    uint32_t comm;
    uint32_t instance;
    uint32_t call;
};

struct search {
    const struct mpl_events *events;
    struct mpl_arena *scratch;
    struct mpl_map *rank_of; /* comm * processes + process; of the comms asked for */
    bool *is_ranked;         /* per comm: in rank_of */
    struct mpl_blames *blames;
    uint64_t *awaited; /* a bit per global number of a message: see mark_awaited() */
    /* While one location is walked: */
    struct mpl_meeting *received; /* per other location: the last message from there */
    struct mpl_meeting *sent;     /* per other location: the last message to there */
    struct mpl_buf touched;       /* uint32_t: others with one of the two */
    struct mpl_buf recents;       /* latest first */
};

static bool is_send(const struct search *s, uint32_t location, uint32_t message)
{
    const struct mpl_location *loc = &s->events->model->locations[location];

    return loc->envelopes[mpl_message_get(loc, message).envelope].is_send;
}

/* ---- meetings by collectives ------------------------------------------------------------ */

static bool rank_comm(struct search *s, uint32_t comm)
{
    const struct mpl_model *model = s->events->model;
    const struct mpl_comm *c = &model->comms[comm];

    s->is_ranked[comm] = true;
    for (uint32_t rank = 0; rank < c->n_members; rank++) {
        if (!mpl_map_put(s->rank_of,
                         (uint64_t) comm * model->n_processes + c->members[rank], rank)) {
            return false;
        }
    }
    return true;
}

/* The call in which a location took part in an instance; MPL_NONE: it did not. False when out of
 * memory. Parts of a complete instance stand at their ranks. */
static bool find_part(struct search *s, uint32_t instance, uint32_t location,
                      uint32_t *call)
{
    const struct mpl_match *match = s->events->match;
    const struct mpl_coll_instance *in = &match->instances[instance];
    const struct mpl_model *model = s->events->model;
    uint32_t rank;

    *call = MPL_NONE;
    if (model->comms[in->comm].is_self || !in->is_complete) {
        return true;
    }
    if (!s->is_ranked[in->comm] && !rank_comm(s, in->comm)) {
        return false;
    }
    rank = mpl_map_find(s->rank_of, (uint64_t) in->comm * model->n_processes +
                                        model->locations[location].process);
    if (rank < in->n_parts) {
        const struct mpl_coll_part *part = &match->parts[in->first_part + rank];

        if (part->location == location) {
            *call = s->events->lanes[location].call_of_collective[part->collective];
        }
    }
    return true;
}

static uint32_t instance_of(const struct search *s, uint32_t location,
                            const struct mpl_call *call)
{
    const uint32_t collective = mpl_call_collective(&s->events->lanes[location], call);

    return collective == MPL_NONE ? MPL_NONE
                                  : s->events->match->instance[location][collective];
}

/* Moves the communicator of a collective to the front. */
static bool keep_collective(struct search *s, uint32_t location, uint32_t k,
                            const struct mpl_call *call)
{
    const uint32_t instance = instance_of(s, location, call);

    if (instance == MPL_NONE) {
        return true;
    }

    const uint32_t comm = s->events->match->instances[instance].comm;
    struct recent *all = s->recents.data;
    size_t at = 0;

    while (at < s->recents.n && all[at].comm != comm) {
        at++;
    }
    if (at == s->recents.n) {
        if (mpl_buf_add(&s->recents) == NULL) {
            return false;
        }
        all = s->recents.data;
    }
    memmove(all + 1, all, at * sizeof *all);
    all[0] = (struct recent){ comm, instance, k };
    return true;
}

/* ---- meetings by messages --------------------------------------------------------------- */

static void mark(struct search *s, uint32_t number)
{
    s->awaited[number / 64] |= UINT64_C(1) << number % 64;
}

static bool is_marked(const struct search *s, uint32_t number)
{
    return (s->awaited[number / 64] >> number % 64 & 1) != 0;
}

/*
 * Marks both ends of the messages between a call that waits and its culprit, all of them before anybody asks: the call at
 * the other end of each message lies somewhere else in memory, and most of them wait for somebody else or not at all.
 * Returns the culprit's call that posts such a message, of several the last to begin.
 */
static uint32_t mark_awaited(struct search *s, uint32_t location,
                             const struct mpl_call *wait)
{
    const struct mpl_events *events = s->events;
    const struct mpl_messages messages = mpl_call_messages(&events->lanes[location], wait);
    uint32_t last = MPL_NONE;

    for (uint32_t i = 0; i < messages.n; i++) {
        const uint32_t message = mpl_messages_get(&messages, i);
        const uint32_t number = events->match->partner[location][message];

        if (number == MPL_NONE) {
            continue;
        }

        const struct mpl_end end = mpl_match_end(events->match, number);

        if (end.location != wait->culprit) {
            continue;
        }
        mark(s, number);
        mark(s, events->match->first_number[location] + message);

        const uint32_t call = mpl_call_posting(events, end);

        if (call != MPL_NONE && (last == MPL_NONE || call > last)) {
            last = call;
        }
    }
    return last;
}

/* An end of a message for which one of the two waits. False when out of memory. */
static bool keep_message(struct search *s, uint32_t location, uint32_t call, uint32_t m)
{
    const struct mpl_end end = mpl_match_partner(s->events->match, location, m);
    const uint32_t other = s->events->lanes[end.location].call_of_message[end.message];

    if (other == MPL_NONE) {
        return true;
    }
    if (s->sent[end.location].own == MPL_NONE &&
        s->received[end.location].own == MPL_NONE) {
        uint32_t *touched = mpl_buf_add(&s->touched);

        if (touched == NULL) {
            return false;
        }
        *touched = end.location;
    }

    struct mpl_meeting *kept = is_send(s, location, m) ? s->sent : s->received;

    kept[end.location] = (struct mpl_meeting){ call, other };
    return true;
}

static bool keep_messages(struct search *s, uint32_t location, uint32_t k,
                          const struct mpl_call *call)
{
    const uint32_t first_number = s->events->match->first_number[location];
    const struct mpl_messages messages =
        mpl_call_messages(&s->events->lanes[location], call);

    for (uint32_t i = 0; i < messages.n; i++) {
        const uint32_t message = mpl_messages_get(&messages, i);

        if (is_marked(s, first_number + message) &&
            !keep_message(s, location, k, message)) {
            return false;
        }
    }
    return true;
}

/* Where a call meets others. False when out of memory. */
static bool keep_call(struct search *s, uint32_t location, uint32_t k)
{
    const struct mpl_call call = mpl_call_get(&s->events->lanes[location], k);

    if (call.parts == MPL_PARTS_NONE) {
        return true;
    }
    return keep_messages(s, location, k, &call) &&
           (call.parts == MPL_PARTS_MESSAGES || keep_collective(s, location, k, &call));
}

static void forget_messages(struct search *s)
{
    const struct mpl_meeting none = { MPL_NONE, MPL_NONE };

    for (size_t i = 0; i < s->touched.n; i++) {
        const uint32_t other = *(const uint32_t *) mpl_buf_get(&s->touched, i);

        s->sent[other] = none;
        s->received[other] = none;
    }
    s->touched.n = 0;
    s->recents.n = 0;
}

/* ---- who is waited for ------------------------------------------------------------------ */

/* The latest of what came before the culprit's call. */
static void take_later(struct mpl_meeting *met, struct mpl_meeting candidate,
                       uint32_t until)
{
    if (candidate.own != MPL_NONE && candidate.other < until &&
        (met->own == MPL_NONE || candidate.own > met->own)) {
        *met = candidate;
    }
}

static bool find_meeting(struct search *s, uint32_t culprit, struct mpl_blame *blame)
{
    const struct recent *recents = s->recents.data;

    take_later(&blame->met, s->received[culprit], blame->until);
    take_later(&blame->met, s->sent[culprit], blame->until);
    for (size_t i = 0; i < s->recents.n; i++) {
        uint32_t other = MPL_NONE;

        if (blame->met.own != MPL_NONE && recents[i].call <= blame->met.own) {
            return true;
        }
        if (!find_part(s, recents[i].instance, culprit, &other)) {
            return false;
        }
        if (other != MPL_NONE) {
            take_later(&blame->met, (struct mpl_meeting){ recents[i].call, other },
                       blame->until);
        }
    }
    return true;
}

/* A wait, and what ends it. False when out of memory. */
static bool keep_wait(struct search *s, uint32_t location, uint32_t call)
{
    const struct mpl_call wait = mpl_call_get(&s->events->lanes[location], call);
    struct mpl_buf *all = &s->blames->all;
    const size_t n = all->n;
    const uint32_t posted = mark_awaited(s, location, &wait);
    struct mpl_blame *blame;

    if (!mpl_buf_grow_to(all, n + 1)) {
        return false;
    }
    blame = (struct mpl_blame *) all->data + n;
    *blame = (struct mpl_blame){ .call = call,
                                 .until = MPL_NONE,
                                 .met = { MPL_NONE, MPL_NONE } };
    if (wait.wait_kind == MPL_WAIT_LATE_SENDER ||
        wait.wait_kind == MPL_WAIT_LATE_RECEIVER) {
        blame->until = posted;
        return true;
    }

    const uint32_t instance = instance_of(s, location, &wait);

    return instance == MPL_NONE || find_part(s, instance, wait.culprit, &blame->until);
}

/* ---- the walks over a location ------------------------------------------------------------ */

static bool find_waits(struct search *s, uint32_t location)
{
    const struct mpl_lane *lane = &s->events->lanes[location];
    bool is_enough = true;

    for (uint32_t k = 0; k < lane->n_calls && is_enough; k++) {
        if (mpl_call_wait_ticks(lane, k) > 0 && mpl_call_culprit(lane, k) != MPL_NONE) {
            is_enough = keep_wait(s, location, k);
        }
    }
    s->blames->first[location + 1] = s->blames->all.n;
    return is_enough;
}

/* Of each wait from the calls before it; behind the last one nobody asks. */
static bool find_meetings(struct search *s, uint32_t location)
{
    const struct mpl_lane *lane = &s->events->lanes[location];
    struct mpl_blame *all = s->blames->all.data;
    const size_t end = s->blames->first[location + 1];
    uint32_t k = 0;
    bool is_enough = true;

    for (size_t i = s->blames->first[location]; i < end && is_enough; i++) {
        for (; k < all[i].call && is_enough; k++) {
            is_enough = keep_call(s, location, k);
        }
        if (is_enough && all[i].until != MPL_NONE) {
            is_enough = find_meeting(s, mpl_call_culprit(lane, k), &all[i]);
        }
    }
    forget_messages(s);
    return is_enough;
}

static bool make_tables(struct search *s)
{
    const uint32_t n = s->events->model->n_locations;
    const uint32_t n_numbers = n > 0 ? s->events->match->first_number[n] : 0;

    if (s->scratch == NULL || s->rank_of == NULL) {
        return false;
    }
    s->awaited = MPL_NEW_ARRAY(s->scratch, (size_t) n_numbers / 64 + 1, uint64_t);
    s->is_ranked = MPL_NEW_ARRAY(s->scratch, s->events->model->n_comms, bool);
    s->received = MPL_NEW_ARRAY(s->scratch, n, struct mpl_meeting);
    s->sent = MPL_NEW_ARRAY(s->scratch, n, struct mpl_meeting);
    if (s->awaited == NULL || s->is_ranked == NULL || s->received == NULL ||
        s->sent == NULL) {
        return false;
    }
    memset(s->received, 0xff, n * sizeof *s->received);
    memset(s->sent, 0xff, n * sizeof *s->sent);
    return true;
}

bool mpl_blames_find(const struct mpl_events *events, struct mpl_arena *arena,
                     struct mpl_blames *blames)
{
    const uint32_t n = events->model->n_locations;
    struct search s = { .events = events,
                        .scratch = mpl_arena_create(),
                        .rank_of = mpl_map_create(),
                        .blames = blames,
                        .touched = mpl_buf_make(sizeof(uint32_t)),
                        .recents = mpl_buf_make(sizeof(struct recent)) };

    mpl_assert(events->totals != NULL);
    blames->all = mpl_buf_make(sizeof(struct mpl_blame));
    blames->first = MPL_NEW_ARRAY(arena, (size_t) n + 1, size_t);

    bool is_enough = make_tables(&s) && blames->first != NULL;

    for (uint32_t l = 0; l < n && is_enough; l++) {
        is_enough = find_waits(&s, l);
    }
    for (uint32_t l = 0; l < n && is_enough; l++) {
        is_enough = find_meetings(&s, l);
    }
    mpl_map_destroy(s.rank_of);
    mpl_arena_destroy(s.scratch);
    mpl_buf_free(&s.touched);
    mpl_buf_free(&s.recents);
    return is_enough;
}
