#include "config.h"

#include "match/streams_priv.h"

/*
 * Two walks. The first chains the sends of every stream in the order in which they were made;
 * the second goes through the receives in posting order and takes the oldest send of the
 * stream each one names. Streams are looked up once per envelope, not per message. The links
 * of the chains lie where the partners come to lie: a send needs its link only until it has a
 * partner, so matching takes no memory per message beside its result.
 *
 * A receive whose completion is not recorded (EZTrace writes none for C programs, a cancelled
 * or killed one has none) may have taken a message, but nothing shows from which stream: it is
 * passed over. So a later receive of the same stream may be given a send older than its true
 * one, never a younger one: pairs can be too early, which makes waiting look smaller and
 * leaves what follows for the clocks true (a receive lies after each older send, too).
 *
 * In the first walk a process touches only streams that it sends, in the second only those that it receives, with their links
 * and partners; so threads share the processes of a walk, and the answer is the same for any number of them.
 */

enum { MPL_MATCH_MAX_LOOK_BACK = 8 };

enum mpl_status mpl_slots_create(struct mpl_slots *slots, struct mpl_arena *arena,
                                 uint32_t n, struct mpl_err *err)
{
    uint64_t room = 16;

    while (room < 2 * (uint64_t) n) {
        room *= 2;
    }
    slots->slot = room > UINT32_MAX ? NULL : MPL_NEW_ARRAY(arena, room, uint32_t);
    if (slots->slot == NULL) {
        return mpl_nomem(err);
    }
    for (uint64_t i = 0; i < room; i++) {
        slots->slot[i] = MPL_NONE;
    }
    slots->mask = (uint32_t) (room - 1);
    return MPL_OK;
}

uint32_t mpl_slots_hash(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    const uint64_t first = mpl_hash_mix((uint64_t) a << 32 | b);

    return (uint32_t) (mpl_hash_mix(first ^ ((uint64_t) c << 32 | d)) >> 32);
}

/* The slot that holds the stream of that key, or the free one where it belongs. */
static uint32_t *stream_slot(const struct mpl_streams *streams, uint32_t comm,
                             uint32_t sender, uint32_t receiver, uint32_t tag)
{
    uint32_t at = mpl_slots_hash(comm, sender, receiver, tag) & streams->slots.mask;

    for (;; at = (at + 1) & streams->slots.mask) {
        uint32_t *slot = &streams->slots.slot[at];

        if (*slot == MPL_NONE) {
            return slot;
        }

        const struct mpl_stream *s = &streams->stream[*slot];

        if (s->comm == comm && s->sender == sender && s->receiver == receiver &&
            s->tag == tag) {
            return slot;
        }
    }
}

uint32_t mpl_streams_find(const struct mpl_streams *streams, uint32_t comm, uint32_t sender,
                          uint32_t receiver, uint32_t tag)
{
    return *stream_slot(streams, comm, sender, receiver, tag);
}

static uint32_t put_stream(struct mpl_streams *streams, uint32_t sender,
                           const struct mpl_envelope *e)
{
    uint32_t *slot = stream_slot(streams, e->comm, sender, e->peer, e->tag);

    if (*slot == MPL_NONE) {
        *slot = streams->n_streams++;
        streams->stream[*slot] = (struct mpl_stream){ .comm = e->comm,
                                                      .sender = sender,
                                                      .receiver = e->peer,
                                                      .tag = e->tag,
                                                      .head = MPL_NONE,
                                                      .next = MPL_NONE };
    }
    return *slot;
}

static bool is_matchable(const struct mpl_envelope *e)
{
    return !e->is_null && !e->is_garbage && e->peer != MPL_NONE && e->comm != MPL_NONE;
}

bool mpl_envelope_is_unsure(const struct mpl_envelope *e)
{
    return !e->is_send && e->comm_unsure && !e->is_null && !e->is_garbage &&
           e->peer_rank != MPL_NONE;
}

/* ---- sends --------------------------------------------------------------------- */

static void push_send(struct mpl_streams *streams, uint32_t stream, uint32_t number)
{
    struct mpl_stream *s = &streams->stream[stream];

    if (s->head == MPL_NONE) {
        s->head = number;
    } else {
        streams->matcher->partner[s->tail] = number;
    }
    s->tail = number;
    s->n_sends++;
    s->n_spare++;
}

/* An end that never gets a partner; of receives those that may have one are counted, too, when they have found none. */
static void count_lonely(struct mpl_end_counts *ends, const struct mpl_envelope *e)
{
    if (e->is_null) {
        ends->null++;
    } else if (e->is_garbage) {
        ends->garbage++;
    } else if (e->is_send) {
        ends->sends++;
    }
}

/* Partners are not set before: of each message end it says that it has none yet. */
static void add_sends(struct mpl_streams *streams, uint32_t location, uint32_t first,
                      uint32_t n)
{
    const struct mpl_matcher *m = streams->matcher;
    const struct mpl_location *loc = &m->model->locations[location];
    const uint32_t *known = &streams->stream_of[streams->first_envelope[location]];
    const uint32_t first_number = m->match->first_number[location];
    /* Where all are completed, those that have no end were cancelled. */
    const bool is_any_open = !m->model->can.has_receive_completions;
    struct mpl_end_counts *ends = &m->ends[location];

    for (uint32_t i = first; i < first + n; i++) {
        const struct mpl_message message = mpl_message_get(loc, i);

        m->partner[first_number + i] = MPL_NONE;
        if (message.envelope == MPL_NONE) {
            ends->open += is_any_open && message.event == MPL_NONE;
        } else if (known[message.envelope] == MPL_NONE) {
            count_lonely(ends, &loc->envelopes[message.envelope]);
        } else if (known[message.envelope] != MPL_STREAM_UNKNOWN) {
            push_send(streams, known[message.envelope], first_number + i);
        }
    }
}

bool mpl_stream_pop(struct mpl_streams *streams, uint32_t stream, uint32_t receive)
{
    struct mpl_stream *s = &streams->stream[stream];
    uint32_t *partner = streams->matcher->partner;
    const uint32_t send = s->head;

    if (send == MPL_NONE) {
        return false;
    }
    s->head = send == s->tail ? MPL_NONE : partner[send];
    partner[send] = receive;
    partner[receive] = send;
    return true;
}

/* What is left in the chains are links, not partners: these sends have none. */
static void clear_unmatched(struct mpl_streams *streams)
{
    const struct mpl_matcher *matcher = streams->matcher;
    uint32_t *partner = matcher->partner;

    for (uint32_t i = 0; i < streams->n_streams; i++) {
        struct mpl_stream *s = &streams->stream[i];

        while (s->head != MPL_NONE) {
            const uint32_t send = s->head;

            s->head = send == s->tail ? MPL_NONE : partner[send];
            partner[send] = MPL_NONE;
            matcher->ends[mpl_match_end(matcher->match, send).location].sends++;
        }
    }
}

/* ---- receives ------------------------------------------------------------------ */

/* False: there is none. \p known: the stream of the receive's envelope, as far as one has been looked for. */
static bool take_send(struct mpl_streams *streams, uint32_t location, uint32_t message,
                      const struct mpl_envelope *e, uint32_t *known)
{
    const struct mpl_matcher *m = streams->matcher;

    if (*known == MPL_STREAM_UNKNOWN) {
        *known = mpl_streams_find(streams, e->comm, e->peer,
                                  m->model->locations[location].process, e->tag);
    }
    if (*known == MPL_NONE) {
        return false;
    }
    return mpl_envelope_is_unsure(e)
               ? mpl_choice_take(streams, *known, location, message)
               : mpl_stream_pop(streams, *known,
                                m->match->first_number[location] + message);
}

static void take_sends(struct mpl_streams *streams, uint32_t location, uint32_t first,
                       uint32_t n)
{
    const struct mpl_location *loc = &streams->matcher->model->locations[location];
    uint32_t *known = &streams->stream_of[streams->first_envelope[location]];
    uint64_t n_pairs = 0;
    uint64_t n_left = 0;

    for (uint32_t i = first; i < first + n; i++) {
        const uint32_t envelope = mpl_message_get(loc, i).envelope;

        if (envelope == MPL_NONE || loc->envelopes[envelope].is_send) {
            continue;
        }
        const struct mpl_envelope *e = &loc->envelopes[envelope];

        if (take_send(streams, location, i, e, &known[envelope])) {
            n_pairs++;
        } else {
            n_left += !e->is_null && !e->is_garbage;
        }
    }
    streams->matcher->ends[location].pairs += n_pairs;
    streams->matcher->ends[location].receives += n_left;
}

/* ---- order --------------------------------------------------------------------- */

/* Is given \p n message ends, which were posted one after the other. */
typedef void (*take_messages)(struct mpl_streams *streams, uint32_t location,
                              uint32_t first, uint32_t n);

/* One walk through the message ends of all processes. */
struct walk {
    struct mpl_streams *streams;
    take_messages take;
    unsigned n_threads;
    struct mpl_turns *turns; /* Per thread. */
};

/*
 * When a message end was posted; one without any record comes first. Receives are recorded when
 * they are over: that of MPI_Irecv has a record of its post, too; a blocking one was posted when its
 * call was entered. Its own location receives nothing between the two, but other threads may post.
 */
static int64_t posted_at(const struct mpl_model *model, uint32_t location, uint32_t message)
{
    const struct mpl_location *loc = &model->locations[location];
    const struct mpl_message msg = mpl_message_get(loc, message);
    uint32_t event = msg.event;

    if (event == MPL_NONE || mpl_kind_of(loc, event) == MPL_EV_IRECV) {
        event = msg.post != MPL_NONE ? msg.post : event;
    } else if (mpl_kind_of(loc, event) == MPL_EV_RECV) {
        for (uint32_t back = 1; back <= MPL_MATCH_MAX_LOOK_BACK && back <= event; back++) {
            if (mpl_kind_of(loc, event - back) == MPL_EV_ENTER) {
                event -= back;
                break;
            }
        }
    }
    return event == MPL_NONE ? INT64_MIN : mpl_turn_time(model, location, event);
}

static void walk_threads(const struct walk *walk, const struct mpl_process *process,
                         struct mpl_turns *turns)
{
    const struct mpl_model *model = walk->streams->matcher->model;

    turns->n = 0;
    for (uint32_t t = 0; t < process->n_locations; t++) {
        const uint32_t l = process->locations[t];

        if (model->locations[l].n_messages > 0) {
            mpl_turns_add(turns, (struct mpl_turn){ posted_at(model, l, 0), l, 0 });
        }
    }
    while (turns->n > 0) {
        struct mpl_turn turn = turns->turn[0];

        walk->take(walk->streams, turn.location, turn.item, 1);
        turn.item++;
        if (turn.item < model->locations[turn.location].n_messages) {
            turn.time_ticks = posted_at(model, turn.location, turn.item);
            mpl_turns_replace(turns, turn);
        } else {
            mpl_turns_drop(turns);
        }
    }
}

/* Hands the message ends of a process to take() in the order in which they were posted. */
static enum mpl_status walk_process(void *context, size_t p, unsigned worker,
                                    struct mpl_err *err)
{
    const struct walk *walk = context;
    const struct mpl_model *model = walk->streams->matcher->model;
    const struct mpl_process *process = &model->processes[p];
    uint32_t n_talking = 0;
    uint32_t talking = 0;

    (void) err;
    for (uint32_t t = 0; t < process->n_locations; t++) {
        if (model->locations[process->locations[t]].n_messages > 0) {
            talking = process->locations[t];
            n_talking++;
        }
    }
    if (n_talking > 1) {
        walk_threads(walk, process, &walk->turns[worker]);
    } else if (n_talking == 1) {
        walk->take(walk->streams, talking, 0, model->locations[talking].n_messages);
    }
    return MPL_OK;
}

static enum mpl_status walk_all(struct walk *walk, take_messages take, struct mpl_err *err)
{
    const struct mpl_parallel job = { .n_tasks = walk->streams->matcher->model->n_processes,
                                      .max_threads = walk->n_threads,
                                      .run = walk_process,
                                      .context = walk,
                                      .is_spread = true };

    walk->take = take;
    return mpl_parallel_run(&job, err);
}

static enum mpl_status make_turns(struct walk *walk, struct mpl_err *err)
{
    const struct mpl_matcher *m = walk->streams->matcher;
    const uint32_t most = mpl_match_most_threads(m->model);

    walk->turns = MPL_NEW_ARRAY(m->scratch, walk->n_threads, struct mpl_turns);
    for (unsigned i = 0; i < walk->n_threads && walk->turns != NULL; i++) {
        walk->turns[i].turn = MPL_NEW_ARRAY(m->scratch, most, struct mpl_turn);
    }
    return mpl_arena_is_short(m->scratch) ? mpl_nomem(err) : MPL_OK;
}

/* ---- envelopes ----------------------------------------------------------------- */

static enum mpl_status number_envelopes(struct mpl_streams *streams, uint32_t *n_sends,
                                        bool *has_unsure, struct mpl_err *err)
{
    const struct mpl_matcher *m = streams->matcher;
    uint64_t n = 0;

    streams->first_envelope =
        MPL_NEW_ARRAY(m->scratch, (size_t) m->model->n_locations + 1, uint32_t);
    if (streams->first_envelope == NULL) {
        return mpl_nomem(err);
    }
    *n_sends = 0;
    *has_unsure = false;
    for (uint32_t l = 0; l < m->model->n_locations; l++) {
        const struct mpl_location *loc = &m->model->locations[l];

        streams->first_envelope[l] = (uint32_t) n;
        n += loc->n_envelopes;
        if (n >= MPL_STREAM_UNKNOWN) {
            return mpl_fail(err, MPL_E_LIMIT, "the trace holds too many message envelopes");
        }
        for (uint32_t e = 0; e < loc->n_envelopes; e++) {
            *n_sends += loc->envelopes[e].is_send ? 1 : 0;
            *has_unsure |= mpl_envelope_is_unsure(&loc->envelopes[e]);
        }
    }
    streams->first_envelope[m->model->n_locations] = (uint32_t) n;
    streams->stream_of = MPL_NEW_ARRAY(m->scratch, n, uint32_t);
    streams->stream = MPL_NEW_ARRAY(m->scratch, *n_sends, struct mpl_stream);
    return streams->stream_of == NULL || streams->stream == NULL ? mpl_nomem(err) : MPL_OK;
}

/* Streams for the envelopes of sends; those of receives are looked up when they are met. */
static void put_streams(struct mpl_streams *streams)
{
    const struct mpl_model *model = streams->matcher->model;

    for (uint32_t l = 0; l < model->n_locations; l++) {
        const struct mpl_location *loc = &model->locations[l];

        for (uint32_t i = 0; i < loc->n_envelopes; i++) {
            const struct mpl_envelope *e = &loc->envelopes[i];
            uint32_t *known = &streams->stream_of[streams->first_envelope[l] + i];

            if (!is_matchable(e) && !mpl_envelope_is_unsure(e)) {
                *known = MPL_NONE;
            } else {
                *known = e->is_send ? put_stream(streams, loc->process, e)
                                    : (uint32_t) MPL_STREAM_UNKNOWN;
            }
        }
    }
}

enum mpl_status mpl_match_messages(struct mpl_matcher *matcher, struct mpl_err *err)
{
    struct mpl_streams streams = { .matcher = matcher };
    struct walk walk = { .streams = &streams, .n_threads = mpl_threads() };
    uint32_t n_sends = 0;
    bool has_unsure = false;
    enum mpl_status st = number_envelopes(&streams, &n_sends, &has_unsure, err);

    st = st == MPL_OK ? mpl_slots_create(&streams.slots, matcher->scratch, n_sends, err)
                      : st;
    st = st == MPL_OK ? make_turns(&walk, err) : st;
    if (st != MPL_OK) {
        return st;
    }
    put_streams(&streams);
    st = walk_all(&walk, add_sends, err);
    if (st == MPL_OK && has_unsure) {
        st = mpl_choices_create(&streams, err);
    }
    st = st == MPL_OK ? walk_all(&walk, take_sends, err) : st;
    if (st == MPL_OK) {
        clear_unmatched(&streams);
    }
    return st;
}
