/*
 * Whether a receive could have met another message. That the program asked for its sender by name only
 * marple's own tracer records (has_wildcards). Else what can be known: that the other message was sent only after the receive was over, so that it could not;
 * and that the location often waited for one sender while the message of another one was there, so that
 * it asks by name.
 */
#include "config.h"

#include "diff/diff_priv.h"

#include "causality/causality.h"

/*
 * Who refuses what is there this often has a fixed order. Masters and servers with wildcards seem to do it in up to 3 % of
 * their receives, for the library does not see every message at once; exchanges with neighbours in 5 to 50 %,
 * where partners are not in step.
 */
static const double refused_share = 0.05;
static const size_t least_refused = 3;
/* A receive of a location, as far as a wildcard would have had a choice. */
struct taken {
    uint32_t event;
    struct mpl_end sender;
    int64_t sent_ticks;
    int64_t enter_ticks; /* Of the receive, */
    int64_t got_ticks;   /* and when the message was there. */
};

static const struct mpl_envelope *envelope_of(const struct mpl_location *loc,
                                              uint32_t event)
{
    const uint32_t message = mpl_ref_of(loc, event);

    if (mpl_kind_of(loc, event) != MPL_EV_RECV || message == MPL_NONE ||
        mpl_message_get(loc, message).envelope == MPL_NONE) {
        return NULL;
    }
    return &loc->envelopes[mpl_message_get(loc, message).envelope];
}

/* False: it has none that is recorded. */
static bool find_end(const struct mpl_run *run, uint32_t l, uint32_t event,
                     struct taken *out)
{
    *out =
        (struct taken){ .event = event,
                        .sender = mpl_match_partner(
                            run->match, l, mpl_ref_of(&run->model->locations[l], event)) };
    return out->sender.message != MPL_NONE;
}

static uint32_t sent_event(const struct mpl_run *run, const struct taken *x)
{
    return mpl_message_get(&run->model->locations[x->sender.location], x->sender.message)
        .event;
}

/* Of one whose sender is known. */
static void take_times(const struct mpl_run *run, uint32_t l, struct taken *x)
{
    const struct mpl_location *loc = &run->model->locations[l];
    const uint32_t sent = sent_event(run, x);
    const uint32_t call =
        mpl_events_call_of_message(run->events, l, mpl_ref_of(loc, x->event));

    x->sent_ticks = sent == MPL_NONE
                        ? 0
                        : mpl_ticks_of(&run->model->locations[x->sender.location], sent);
    x->got_ticks = mpl_ticks_of(loc, x->event);
    /* Around it there may be no call: tracers can leave functions out, and record messages all the same. */
    x->enter_ticks = call == MPL_NONE
                         ? x->got_ticks
                         : mpl_events_enter_ticks(run->events, l, 2 * call + 1);
}

/* ---- could it have met the other one? --------------------------------------------------------------- */

/* The next message of that rank which the location takes later; false: none comes. */
static bool find_other(const struct mpl_run *run, const struct mpl_other_sender *meeting,
                       uint32_t event, struct taken *out)
{
    const struct mpl_location *loc = &run->model->locations[meeting->location];
    const struct mpl_envelope *own = envelope_of(loc, event);

    for (uint32_t e = event + 1; own != NULL && e < loc->n_events; e++) {
        const struct mpl_envelope *x = envelope_of(loc, e);

        if (x != NULL && x->comm == own->comm && x->tag == meeting->tag &&
            x->peer != MPL_NONE && run->model->processes[x->peer].rank == meeting->rank) {
            const bool has_sender = find_end(run, meeting->location, e, out);

            if (has_sender) {
                take_times(run, meeting->location, out);
            }
            return has_sender;
        }
    }
    return false;
}

/* Whether on the time line nothing comes before what it follows from. Answers to synchronous sends are not counted. */
static bool is_in_order(const struct mpl_run *run)
{
    const struct mpl_violations *v = &run->clock->after;
    bool has_answers = false;

    for (uint32_t r = 0; r < run->model->n_regions; r++) {
        has_answers = has_answers || run->model->regions[r].mode == MPL_CALL_SYNC_SEND;
    }
    return !has_answers && v->p2p == 0 && v->collective == 0 && v->thread == 0;
}

static enum mpl_status could_meet(const struct mpl_run *run, uint32_t l, uint32_t event,
                                  const struct taken *other, bool *could,
                                  struct mpl_err *err)
{
    const struct mpl_location *from = &run->model->locations[other->sender.location];
    const struct mpl_moment sent = { other->sender.location,
                                     mpl_message_get(from, other->sender.message).event };
    bool is_later = false;
    enum mpl_status st = MPL_OK;

    /* What is earlier on a time line without contradictions does not follow; else only all messages tell. */
    if (other->sent_ticks >= mpl_ticks_of(&run->model->locations[l], event) ||
        sent.event == MPL_NONE || !is_in_order(run)) {
        st = mpl_precedences_is_before(mpl_events_precedences(run->events),
                                       (struct mpl_moment){ l, event }, sent, &is_later,
                                       err);
    }
    *could = st == MPL_OK && !is_later;
    return st;
}

/* ---- does it take what comes first? ------------------------------------------------------------------ */

/* What counts of a receive of a location. */
struct receive {
    int64_t sent_ticks;
    int64_t enter_ticks;
    uint32_t sender; /* Location. */
};
struct history {
    size_t n;
    struct receive *all;
    size_t n_waited;        /* For so many it waited, */
    int64_t *transit_ticks; /* which took so long. */
};

/* So many at once: their senders are far from each other in memory, and are on their way together. */
enum { MOST_AT_ONCE = 64 };
struct batch {
    size_t n;
    struct taken all[MOST_AT_ONCE];
};

static void take_batch(const struct mpl_run *run, uint32_t l, struct batch *b,
                       struct history *h)
{
    const struct mpl_location *locations = run->model->locations;

    for (int is_there = 0; is_there <= 1; is_there++) {
        for (size_t i = 0; i < b->n; i++) {
            const struct mpl_end end = b->all[i].sender;

            mpl_message_prefetch(&locations[end.location], end.message, is_there == 1);
        }
    }
    for (size_t i = 0; i < b->n; i++) {
        const uint32_t sent = sent_event(run, &b->all[i]);

        if (sent != MPL_NONE) {
            mpl_prefetch(&locations[b->all[i].sender.location].times.offset[sent]);
        }
    }
    for (size_t i = 0; i < b->n; i++) {
        struct taken *x = &b->all[i];

        take_times(run, l, x);
        h->all[h->n++] =
            (struct receive){ x->sent_ticks, x->enter_ticks, x->sender.location };
        if (x->sent_ticks >= x->enter_ticks && x->got_ticks >= x->sent_ticks) {
            h->transit_ticks[h->n_waited++] = x->got_ticks - x->sent_ticks;
        }
    }
    b->n = 0;
}

/* The receives of the location with that communicator and tag. */
static void collect(const struct mpl_run *run, uint32_t l, uint32_t event, bool any_tag,
                    struct history *h)
{
    const struct mpl_location *loc = &run->model->locations[l];
    const struct mpl_envelope *like = envelope_of(loc, event);
    struct batch batch;

    batch.n = 0;
    for (uint32_t e = 0; e < loc->n_events; e++) {
        const struct mpl_envelope *x = envelope_of(loc, e);

        if (x != NULL && x->comm == like->comm && (any_tag || x->tag == like->tag)) {
            batch.n += find_end(run, l, e, &batch.all[batch.n]);
        }
        if (batch.n == MOST_AT_ONCE) {
            take_batch(run, l, &batch, h);
        }
    }
    take_batch(run, l, &batch, h);
}

/* Of messages that are received later, the earliest sent, and the earliest of another sender. */
struct rivals {
    int64_t first_ticks;
    uint32_t first_sender;
    int64_t other_ticks;
};

static void add_rival(struct rivals *r, const struct receive *x)
{
    if (x->sender == r->first_sender) {
        r->first_ticks = x->sent_ticks < r->first_ticks ? x->sent_ticks : r->first_ticks;
    } else if (x->sent_ticks < r->first_ticks) {
        r->other_ticks = r->first_ticks;
        r->first_ticks = x->sent_ticks;
        r->first_sender = x->sender;
    } else if (x->sent_ticks < r->other_ticks) {
        r->other_ticks = x->sent_ticks;
    }
}

/* In so long nine of ten messages are there for which a receive waits; 0: there is none. */
static int64_t usual_transit(const struct history *h)
{
    mpl_sort(h->transit_ticks, h->n_waited, sizeof *h->transit_ticks, mpl_compare_i64);
    return h->n_waited == 0 ? 0 : h->transit_ticks[h->n_waited * 9 / 10];
}

/* How often it waited for a message that was sent when another one must have been there: sent twice as long ago as
   messages usually need. */
static size_t count_refusals(const struct mpl_run *run, const struct history *h,
                             int64_t transit_ticks)
{
    struct rivals rivals = { INT64_MAX, MPL_NONE, INT64_MAX };
    size_t count = 0;

    for (size_t i = h->n; i-- > 0;) {
        const struct receive *x = &h->all[i];
        const int64_t rival =
            x->sender == rivals.first_sender ? rivals.other_ticks : rivals.first_ticks;
        const int64_t since = rival > x->enter_ticks ? rival : x->enter_ticks;
        const int64_t bound = run->clock->bound_ticks[x->sender];
        const int64_t error = bound > MPL_TICKS_FAR ? MPL_TICKS_FAR : bound;

        count += rival != INT64_MAX && mpl_ticks_minus(x->sent_ticks, since) >
                                           mpl_ticks_plus(error, 2 * transit_ticks);
        add_rival(&rivals, x);
    }
    return count;
}

static enum mpl_status asks_by_name(const struct mpl_run *run, uint32_t l, uint32_t event,
                                    bool any_tag, bool *does, struct mpl_err *err)
{
    const struct mpl_location *loc = &run->model->locations[l];
    size_t most = 0;

    for (uint32_t i = 0; i < loc->n_messages; i++) {
        const uint32_t envelope = mpl_message_get(loc, i).envelope;

        most += envelope != MPL_NONE && !loc->envelopes[envelope].is_send;
    }
    struct mpl_arena *scratch = mpl_arena_create();
    struct history h = { 0 };
    bool is_enough = scratch != NULL;

    if (is_enough) {
        h.all = MPL_NEW_ARRAY(scratch, most, struct receive);
        h.transit_ticks = MPL_NEW_ARRAY(scratch, most, int64_t);
        is_enough = h.all != NULL && h.transit_ticks != NULL;
    }
    if (is_enough) {
        collect(run, l, event, any_tag, &h);

        const size_t refused = count_refusals(run, &h, usual_transit(&h));

        *does = refused >= least_refused && (double) refused > refused_share * (double) h.n;
    }
    mpl_arena_destroy(scratch);
    return is_enough ? MPL_OK : mpl_nomem(err);
}

/* The record of a receive that takes one message, which begins and ends in its call; MPL_NONE: it is none. */
static uint32_t record_of(const struct mpl_run *run, const struct mpl_other_sender *meeting)
{
    const struct mpl_location *loc = &run->model->locations[meeting->location];
    uint32_t message = MPL_NONE;
    uint32_t event;

    if (!mpl_events_only_message(run->events, meeting->location, 2 * meeting->call + 1,
                                 &message) ||
        message == MPL_NONE) {
        return MPL_NONE;
    }
    event = mpl_message_get(loc, message).event;
    return event == MPL_NONE || mpl_kind_of(loc, event) != MPL_EV_RECV ? MPL_NONE : event;
}

enum mpl_status mpl_race_has_names(const struct mpl_run *run,
                                   const struct mpl_other_sender *meeting, bool *has,
                                   struct mpl_err *err)
{
    const uint32_t l = meeting->location;
    const uint32_t event = record_of(run, meeting);

    *has = false;
    if (event == MPL_NONE) {
        return MPL_OK;
    }
    if (run->model->can.has_wildcards) {
        *has = !envelope_of(&run->model->locations[l], event)->any_source;
        return MPL_OK;
    }
    return asks_by_name(run, l, event,
                        envelope_of(&run->model->locations[l], event)->tag != meeting->tag,
                        has, err);
}

enum mpl_status mpl_race_look(const struct mpl_run *run,
                              const struct mpl_other_sender *meeting,
                              struct mpl_race_look *out, struct mpl_err *err)
{
    const uint32_t l = meeting->location;
    const uint32_t event = record_of(run, meeting);
    struct taken other;
    enum mpl_status st = MPL_OK;

    *out = (struct mpl_race_look){ false, false };
    if (event != MPL_NONE && find_other(run, meeting, event, &other)) {
        st = could_meet(run, l, event, &other, &out->is_possible, err);
        out->is_impossible = !out->is_possible;
    }
    return st;
}
