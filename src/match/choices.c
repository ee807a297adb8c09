#include "config.h"

#include "match/streams_priv.h"

/*
 * EZTrace writes communicator 0 on every MPI_IRECV, whatever the real one is; rank and tag are
 * right, the rank being that in the real communicator. So receives of one process that name
 * the same (rank, tag) form a choice, and its candidates are the streams to this process whose
 * sender has that rank in the stream's communicator. MPI_RECV records are right, hence what
 * they take from a candidate is known beforehand, and only the rest is to spare.
 *
 * Where one candidate has sends to spare, or one has exactly as many as there are receives, it
 * serves all of them, in posting order together with the sure receives of that stream. Where
 * several are possible each receive takes from the first one whose oldest send has as many
 * bytes as it received: MPI never changes the size of a message. Candidates stand in the order
 * of their communicators, COMM_WORLD first: it is what the record says, and a program that
 * makes communicators one after the other also uses them in this order.
 */

/* A choice's slot, or the free one where it belongs. */
static uint32_t *choice_slot(const struct mpl_streams *streams, uint32_t receiver,
                             uint32_t rank, uint32_t tag)
{
    uint32_t at = mpl_slots_hash(receiver, rank, tag, 0) & streams->choice_slots.mask;

    for (;; at = (at + 1) & streams->choice_slots.mask) {
        uint32_t *slot = &streams->choice_slots.slot[at];

        if (*slot == MPL_NONE) {
            return slot;
        }

        const struct mpl_choice *c = &streams->choice[*slot];

        if (c->receiver == receiver && c->rank == rank && c->tag == tag) {
            return slot;
        }
    }
}

static uint32_t put_choice(struct mpl_streams *streams, uint32_t receiver,
                           const struct mpl_envelope *e)
{
    uint32_t *slot = choice_slot(streams, receiver, e->peer_rank, e->tag);

    if (*slot == MPL_NONE) {
        *slot = streams->n_choices++;
        streams->choice[*slot] = (struct mpl_choice){ .receiver = receiver,
                                                      .rank = e->peer_rank,
                                                      .tag = e->tag,
                                                      .first = MPL_NONE,
                                                      .settled = MPL_NONE };
    }
    return *slot;
}

/* Every unsure envelope gets its choice. */
static enum mpl_status put_choices(struct mpl_streams *streams, struct mpl_err *err)
{
    const struct mpl_matcher *m = streams->matcher;
    uint32_t n_unsure = 0;

    for (uint32_t l = 0; l < m->model->n_locations; l++) {
        const struct mpl_location *loc = &m->model->locations[l];

        for (uint32_t i = 0; i < loc->n_envelopes; i++) {
            n_unsure += mpl_envelope_is_unsure(&loc->envelopes[i]) ? 1 : 0;
        }
    }
    streams->choice = MPL_NEW_ARRAY(m->scratch, n_unsure, struct mpl_choice);
    if (streams->choice == NULL) {
        return mpl_nomem(err);
    }
    const enum mpl_status st =
        mpl_slots_create(&streams->choice_slots, m->scratch, n_unsure, err);
    if (st != MPL_OK) {
        return st;
    }
    for (uint32_t l = 0; l < m->model->n_locations; l++) {
        const struct mpl_location *loc = &m->model->locations[l];

        for (uint32_t i = 0; i < loc->n_envelopes; i++) {
            if (mpl_envelope_is_unsure(&loc->envelopes[i])) {
                streams->stream_of[streams->first_envelope[l] + i] =
                    put_choice(streams, loc->process, &loc->envelopes[i]);
            }
        }
    }
    return MPL_OK;
}

/* What one location's sure receives will take is not to spare; unsure ones are counted. */
static void count_receives(struct mpl_streams *streams, uint32_t location)
{
    const struct mpl_location *loc = &streams->matcher->model->locations[location];
    uint32_t *stream_of = streams->stream_of + streams->first_envelope[location];

    for (uint32_t i = 0; i < loc->n_messages; i++) {
        const uint32_t envelope = mpl_message_get(loc, i).envelope;

        if (envelope == MPL_NONE || loc->envelopes[envelope].is_send ||
            stream_of[envelope] == MPL_NONE) {
            continue;
        }

        const struct mpl_envelope *e = &loc->envelopes[envelope];

        if (mpl_envelope_is_unsure(e)) {
            streams->choice[stream_of[envelope]].n_receives++;
            continue;
        }
        if (stream_of[envelope] == MPL_STREAM_UNKNOWN) {
            stream_of[envelope] =
                mpl_streams_find(streams, e->comm, e->peer, loc->process, e->tag);
        }
        if (stream_of[envelope] != MPL_NONE &&
            streams->stream[stream_of[envelope]].n_spare > 0) {
            streams->stream[stream_of[envelope]].n_spare--;
        }
    }
}

/* ---- candidates ------------------------------------------------------------------ */

/* Streams sorted by communicator: those of c are order[first[c]] up to order[first[c + 1]]. */
struct by_comm {
    uint32_t *first;
    uint32_t *order;
    uint32_t *rank_of; /* Per process: its rank in the communicator at hand, or MPL_NONE. */
};

static enum mpl_status sort_by_comm(const struct mpl_streams *streams, struct by_comm *by,
                                    struct mpl_err *err)
{
    const struct mpl_matcher *m = streams->matcher;
    const uint32_t n_comms = m->model->n_comms;

    by->first = MPL_NEW_ARRAY(m->scratch, (size_t) n_comms + 2, uint32_t);
    by->order = MPL_NEW_ARRAY(m->scratch, streams->n_streams, uint32_t);
    by->rank_of = MPL_NEW_ARRAY(m->scratch, m->model->n_processes, uint32_t);
    if (by->first == NULL || by->order == NULL || by->rank_of == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t i = 0; i < streams->n_streams; i++) {
        by->first[streams->stream[i].comm + 2]++;
    }
    for (uint32_t c = 0; c < n_comms; c++) {
        by->first[c + 2] += by->first[c + 1];
    }
    for (uint32_t i = 0; i < streams->n_streams; i++) {
        by->order[by->first[streams->stream[i].comm + 1]++] = i;
    }
    for (uint32_t p = 0; p < m->model->n_processes; p++) {
        by->rank_of[p] = MPL_NONE;
    }
    return MPL_OK;
}

/* Puts the streams of one communicator in front of the lists of the choices they serve. */
static void add_candidates(struct mpl_streams *streams, const struct by_comm *by,
                           uint32_t c)
{
    const struct mpl_comm *comm = &streams->matcher->model->comms[c];

    /* The two groups of an inter-communicator name each other's ranks; EZTrace writes it with
     * one group only, so a peer found through it would be a guess about a guess. */
    if (comm->n_remote > 0 || by->first[c] == by->first[c + 1]) {
        return;
    }
    for (uint32_t rank = 0; rank < comm->n_members && !comm->is_self; rank++) {
        by->rank_of[comm->members[rank]] = rank;
    }
    for (uint32_t i = by->first[c]; i < by->first[c + 1]; i++) {
        struct mpl_stream *s = &streams->stream[by->order[i]];
        const uint32_t rank = comm->is_self ? 0 : by->rank_of[s->sender];
        const uint32_t choice =
            rank == MPL_NONE ? MPL_NONE : *choice_slot(streams, s->receiver, rank, s->tag);

        if (choice != MPL_NONE && s->n_spare > 0) {
            s->next = streams->choice[choice].first;
            streams->choice[choice].first = by->order[i];
        }
    }
    for (uint32_t rank = 0; rank < comm->n_members && !comm->is_self; rank++) {
        by->rank_of[comm->members[rank]] = MPL_NONE;
    }
}

static void settle(const struct mpl_streams *streams, struct mpl_choice *choice)
{
    uint32_t n_equal = 0;
    uint32_t equal = MPL_NONE;

    if (choice->first != MPL_NONE && streams->stream[choice->first].next == MPL_NONE) {
        choice->settled = choice->first;
        return;
    }
    choice->has_several = choice->first != MPL_NONE;
    for (uint32_t i = choice->first; i != MPL_NONE; i = streams->stream[i].next) {
        if (streams->stream[i].n_spare == choice->n_receives) {
            equal = i;
            n_equal++;
        }
    }
    if (n_equal == 1) {
        choice->settled = equal;
    }
}

enum mpl_status mpl_choices_create(struct mpl_streams *streams, struct mpl_err *err)
{
    struct mpl_matcher *m = streams->matcher;
    const struct mpl_model *model = m->model;
    struct by_comm by = { .first = NULL };
    bool has_guesses = false;
    enum mpl_status st = put_choices(streams, err);

    st = st == MPL_OK ? sort_by_comm(streams, &by, err) : st;
    if (st != MPL_OK) {
        return st;
    }
    for (uint32_t l = 0; l < model->n_locations; l++) {
        count_receives(streams, l);
    }
    for (uint32_t c = model->n_comms; c > 0; c--) {
        if (c - 1 != model->world) {
            add_candidates(streams, &by, c - 1);
        }
    }
    if (model->world != MPL_NONE) {
        add_candidates(streams, &by, model->world);
    }
    for (uint32_t i = 0; i < streams->n_choices; i++) {
        settle(streams, &streams->choice[i]);
        has_guesses = has_guesses || streams->choice[i].has_several;
    }
    if (!has_guesses) {
        return MPL_OK;
    }
    m->is_guess = MPL_NEW_ARRAY(
        m->arena, m->match->first_number[model->n_locations] / 64 + 1, uint64_t);
    m->match->is_guess = m->is_guess;
    return m->is_guess == NULL ? mpl_nomem(err) : MPL_OK;
}

/* ---- taking ------------------------------------------------------------------------ */

static uint64_t bytes_of_head(const struct mpl_streams *streams, const struct mpl_stream *s)
{
    const struct mpl_matcher *m = streams->matcher;
    const struct mpl_end end = mpl_match_end(m->match, s->head);

    return mpl_message_get(&m->model->locations[end.location], end.message).bytes;
}

/* The first candidate whose oldest send has \p bytes, else the first one. Those that have
 * nothing left to spare leave the list, so it is not searched again and again. */
static uint32_t find_candidate(struct mpl_streams *streams, struct mpl_choice *choice,
                               uint64_t bytes)
{
    uint32_t *link = &choice->first;

    while (*link != MPL_NONE) {
        struct mpl_stream *s = &streams->stream[*link];

        if (s->n_spare == 0 || s->head == MPL_NONE) {
            *link = s->next;
        } else if (bytes_of_head(streams, s) == bytes) {
            return *link;
        } else {
            link = &s->next;
        }
    }
    return choice->first;
}

bool mpl_choice_take(struct mpl_streams *streams, uint32_t choice, uint32_t location,
                     uint32_t message)
{
    const struct mpl_matcher *m = streams->matcher;
    const uint32_t number = m->match->first_number[location] + message;
    const struct mpl_location *loc = &m->model->locations[location];
    const struct mpl_message msg = mpl_message_get(loc, message);
    struct mpl_choice *c = &streams->choice[choice];
    const bool is_settled = c->settled != MPL_NONE;
    const uint32_t stream = is_settled ? c->settled : find_candidate(streams, c, msg.bytes);

    if (stream == MPL_NONE || !mpl_stream_pop(streams, stream, number)) {
        return false;
    }
    if (c->has_several) {
        /* The bits of two locations may share a word, which another thread may be about to change. */
        (void) __atomic_fetch_or(&m->is_guess[number / 64], UINT64_C(1) << number % 64,
                                 __ATOMIC_RELAXED);
    }
    if (!is_settled) {
        streams->stream[stream].n_spare--;
        m->n_ambiguous[location]++;
    } else if (streams->stream[stream].comm != loc->envelopes[msg.envelope].comm) {
        m->n_guessed[location]++;
    }
    return true;
}
