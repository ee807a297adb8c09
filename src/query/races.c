/*
 * Receives that another message could have met. A receive could have taken a later message of
 * another sender to the same process, communicator and tag if that one need not have been sent
 * after it; and the receive of that one would have met the first message then. Whether the program would have taken it (MPI_ANY_SOURCE) only
 * marple's own tracer records; else turns that change show that it takes what comes first.
 */
#include "config.h"

#include "query/query_priv.h"

/* Receives of one process, communicator and tag. */
struct stream {
    struct mpl_race race;
    /* Of the messages behind: how many events of the receiver come before the send that needs
       fewest, and of the best of another sender. */
    uint32_t least;
    uint32_t least_of_others;
    uint32_t least_sender;
    /* Of the messages in front: the last, and the last of another sender; 1 + its event. */
    uint32_t last;
    uint32_t last_of_others;
    uint32_t last_sender;
};

struct races {
    struct mpl_query *q;
    struct mpl_map *at; /* Communicator and tag of the location at hand: its stream. */
    struct mpl_buf streams;
    uint32_t location;
    bool takes_any;
    uint32_t *needs;  /* Per message: events of its receiver that come before its send. */
    bool *is_counted; /* Per message. */
};

static struct stream *stream_of(struct races *r, const struct mpl_envelope *e)
{
    const size_t n = r->streams.n;
    struct stream *s = mpl_map_item(r->at, (uint64_t) e->comm << 32 | e->tag, &r->streams);

    if (s != NULL && r->streams.n > n) {
        *s = (struct stream){
            .race = { .location = r->location,
                      .comm = e->comm,
                      .tag = e->tag,
                      .is_likely = r->takes_any },
            .least = UINT32_MAX,
            .least_of_others = UINT32_MAX,
            .least_sender = MPL_NONE,
            .last_sender = MPL_NONE,
        };
    }
    return s;
}

/* Keeps the two that need fewest, of different senders. */
static void keep(struct stream *s, uint32_t sender, uint32_t needs)
{
    if (sender == s->least_sender) {
        s->least = needs < s->least ? needs : s->least;
    } else if (needs < s->least) {
        s->least_of_others = s->least;
        s->least = needs;
        s->least_sender = sender;
    } else if (needs < s->least_of_others) {
        s->least_of_others = needs;
    }
}

/* The sender of what is received at an event; false: it is no receive, or nobody knows. */
static bool find_sender(const struct races *r, uint32_t event, struct mpl_end *sender,
                        const struct mpl_envelope **envelope)
{
    const struct mpl_model *model = r->q->run->model;
    const struct mpl_location *loc = &model->locations[r->location];

    if ((mpl_kind_of(loc, event) != MPL_EV_RECV &&
         mpl_kind_of(loc, event) != MPL_EV_IRECV) ||
        mpl_ref_of(loc, event) == MPL_NONE) {
        return false;
    }
    *sender = mpl_match_partner(r->q->run->match, r->location, mpl_ref_of(loc, event));
    if (sender->message == MPL_NONE) {
        return false;
    }

    const struct mpl_location *from = &model->locations[sender->location];
    const struct mpl_message sent = mpl_message_get(from, sender->message);

    if (sent.event == MPL_NONE || sent.envelope == MPL_NONE) {
        return false;
    }
    *envelope = &from->envelopes[sent.envelope];
    return true;
}

/* Whether it is recorded that a receive named its sender, so that it could take no other message. */
static bool has_named(const struct races *r, uint32_t event)
{
    const struct mpl_model *model = r->q->run->model;
    const struct mpl_location *loc = &model->locations[r->location];
    const struct mpl_envelope *e = mpl_envelope_of(loc, mpl_ref_of(loc, event));

    return model->can.has_wildcards && e != NULL && !e->any_source;
}

static void count(struct races *r, struct stream *s, uint32_t message, bool is_race)
{
    if (is_race && !r->is_counted[message]) {
        r->is_counted[message] = true;
        s->race.count++;
    }
}

/* From the last receive to the first: which could have taken a message that comes behind. */
static bool look_behind(struct races *r, uint32_t event)
{
    const struct mpl_location *loc = &r->q->run->model->locations[r->location];
    const struct mpl_envelope *envelope;
    struct mpl_end end;

    if (!find_sender(r, event, &end, &envelope)) {
        return true;
    }

    const struct mpl_location *from = &r->q->run->model->locations[end.location];
    struct stream *s = stream_of(r, envelope);

    if (s == NULL) {
        return false;
    }
    s->race.n_receives++;
    count(r, s, mpl_ref_of(loc, event),
          !has_named(r, event) &&
              (end.location == s->least_sender ? s->least_of_others : s->least) <= event);
    r->needs[mpl_ref_of(loc, event)] = mpl_causality_past(
        r->q->causality,
        (struct mpl_moment){ end.location, mpl_message_get(from, end.message).event },
        r->location);
    keep(s, end.location, r->needs[mpl_ref_of(loc, event)]);
    return true;
}

/* From the first to the last: whose message could have been taken by a receive in front. */
static void look_in_front(struct races *r, uint32_t event)
{
    const uint32_t message = mpl_ref_of(&r->q->run->model->locations[r->location], event);
    const struct mpl_envelope *envelope;
    struct mpl_end end;

    if (!find_sender(r, event, &end, &envelope)) {
        return;
    }

    struct stream *s = stream_of(r, envelope);
    const uint32_t other = end.location == s->last_sender ? s->last_of_others : s->last;

    count(r, s, message, other > r->needs[message]);
    if (has_named(r, event)) {
        return;
    }
    if (end.location != s->last_sender) {
        s->last_of_others = s->last;
        s->last_sender = end.location;
    }
    s->last = event + 1;
}

static bool take_location(struct races *r)
{
    const struct mpl_location *loc = &r->q->run->model->locations[r->location];
    struct mpl_arena *scratch = mpl_arena_create();
    bool is_done = scratch != NULL;

    r->at = mpl_map_create();
    if (is_done) {
        r->needs = MPL_NEW_ARRAY(scratch, loc->n_messages, uint32_t);
        r->is_counted = MPL_NEW_ARRAY(scratch, loc->n_messages, bool);
        is_done = r->at != NULL && r->needs != NULL && r->is_counted != NULL;
    }
    for (uint32_t e = loc->n_events; e-- > 0 && is_done;) {
        is_done = look_behind(r, e);
    }
    for (uint32_t e = 0; e < loc->n_events && is_done; e++) {
        look_in_front(r, e);
    }
    mpl_map_destroy(r->at);
    mpl_arena_destroy(scratch);
    return is_done;
}

/* Likely ones first, then by how many. */
static int by_weight(const void *x, const void *y)
{
    const struct mpl_race *a = x;
    const struct mpl_race *b = y;

    if (a->is_likely != b->is_likely) {
        return a->is_likely ? -1 : 1;
    }
    if (a->count != b->count) {
        return a->count > b->count ? -1 : 1;
    }
    if (a->location != b->location) {
        return a->location < b->location ? -1 : 1;
    }
    if (a->comm != b->comm) {
        return a->comm < b->comm ? -1 : 1;
    }
    return (a->tag > b->tag) - (a->tag < b->tag);
}

static enum mpl_status show(struct mpl_query *q, const struct mpl_buf *streams,
                            struct mpl_races *out, struct mpl_err *err)
{
    struct mpl_race *races = MPL_NEW_ARRAY(q->arena, streams->n, struct mpl_race);
    size_t n = 0;

    if (races == NULL) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < streams->n; i++) {
        const struct stream *s = mpl_buf_get(streams, i);

        if (s->race.count > 0) {
            races[n++] = s->race;
        }
    }
    mpl_sort(races, n, sizeof *races, by_weight);
    *out = (struct mpl_races){ n, races, mpl_causality_doubt(q->causality) };
    return MPL_OK;
}

enum mpl_status mpl_query_races(struct mpl_query *q, struct mpl_races *out,
                                struct mpl_err *err)
{
    const struct mpl_model *model = q->run->model;
    struct races r = { .q = q, .streams = mpl_buf_make(sizeof(struct stream)) };
    bool *takes_any = MPL_NEW_ARRAY(q->arena, model->n_locations, bool);
    enum mpl_status st = takes_any == NULL ? mpl_nomem(err) : mpl_query_stamps(q, err);

    if (st == MPL_OK) {
        st = mpl_replay_takes_any(model, q->run->match, takes_any, err);
    }
    for (r.location = 0; r.location < model->n_locations && st == MPL_OK; r.location++) {
        r.takes_any = takes_any[r.location];
        st = take_location(&r) ? MPL_OK : mpl_nomem(err);
    }
    st = st == MPL_OK ? show(q, &r.streams, out, err) : st;
    mpl_buf_free(&r.streams);
    return st;
}
