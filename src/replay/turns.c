/*
 * In which turns a location takes its messages: always in the same, or as they come. Messages of one
 * partner one after the other are a turn.
 */
#include "config.h"

#include "replay/replay_priv.h"

/*
 * A receive order counts as fixed if more than this share of its turns come as those before predict, of all
 * for which these do predict one. On traces of stencils and exchanges it is 99 % and more, of masters 22 to 94 %,
 * but of masters whose workers take exactly as long as each other 100 %, too.
 */
static const double fixed_share = 0.95;
/* Who answers a smaller share of the turns does something else than to serve: masters answer all,
 * others at most half. */
static const double answered_share = 0.9;

/* ---- answers ------------------------------------------------------------------------------ */

static bool is_answering(uint64_t n_answered, uint64_t n_turns)
{
    return n_turns > 0 && (double) n_answered >= answered_share * (double) n_turns;
}

struct answers mpl_answers_begin(const struct mpl_model *model)
{
    return (struct answers){ .model = model, .partner = MPL_NONE };
}

void mpl_answers_receive(struct answers *a, uint32_t partner)
{
    if (partner != a->partner) {
        a->n_answered += a->is_answered;
        a->n_turns++;
        a->partner = partner;
    }
    a->is_answer_next = true;
    a->is_answered = false;
}

void mpl_answers_send(struct answers *a, const struct mpl_location *loc, uint32_t message)
{
    if (!a->is_answer_next) {
        return;
    }
    const struct mpl_envelope *envelope = mpl_envelope_of(loc, message);

    if (envelope != NULL) {
        a->is_answered = envelope->peer == a->model->locations[a->partner].process;
        a->is_answer_next = false;
    }
}

bool mpl_answers_end(struct answers *a)
{
    a->n_answered += a->is_answered;
    return is_answering(a->n_answered, a->n_turns);
}

/* ---- turns --------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

/* What is known of a turn beforehand. */
enum known { NOTHING, ANOTHER, THIS };

/* Whether that was the turn when the last \p n_before were the same; keeps that it is now. */
static enum known predict(struct turns *t, uint32_t n_before, uint64_t turn)
{
    uint64_t before = mix(t->location + 1, n_before);
    struct turn_memory *memory;
    enum known known;

    for (uint32_t i = 1; i <= n_before; i++) {
        before = mix(before, t->last[(t->n_turns - i) % N_TURNS_BEFORE]);
    }
    memory = &t->memories[before % N_TURN_MEMORIES];
    known = memory->before != before ? NOTHING : memory->turn == turn ? THIS : ANOTHER;
    *memory = (struct turn_memory){ before, turn };
    return known;
}

static void end_turn(struct turns *t)
{
    const uint64_t turn = (uint64_t) t->length << 32 | t->partner;
    enum known after_one = NOTHING;
    enum known after_many = NOTHING;

    if (t->partner == MPL_NONE) {
        return;
    }
    if (t->n_turns >= 1) {
        after_one = predict(t, 1, turn);
    }
    if (t->n_turns >= N_TURNS_BEFORE) {
        after_many = predict(t, N_TURNS_BEFORE, turn);
    }
    t->n_known += after_one != NOTHING;
    t->n_predicted += after_one == THIS || after_many == THIS;
    t->last[t->n_turns++ % N_TURNS_BEFORE] = turn;
}

void mpl_turns_receive(struct turns *t, uint32_t partner)
{
    if (partner == t->partner) {
        t->length++;
    } else {
        end_turn(t);
        t->partner = partner;
        t->length = 1;
        t->n_answered += t->send_to == t->model->locations[partner].process;
    }
    t->send_to = MPL_NONE;
}

struct turns mpl_turns_begin(const struct mpl_model *model, uint32_t location,
                             struct turn_memory *memories)
{
    return (struct turns){ .model = model,
                           .location = location,
                           .memories = memories,
                           .partner = MPL_NONE,
                           .send_to = MPL_NONE };
}

/*
 * What the run records of that: some receive took any source, or all were blocking ones that named theirs. Whoever
 * has posted receives of several may still take what comes first (MPI_Waitany), so that only its turns tell.
 */
static enum choice recorded_choice(const struct mpl_model *model, uint32_t location)
{
    const struct mpl_location *loc = &model->locations[location];
    bool are_all_blocking = true;

    for (uint32_t i = 0; i < loc->n_messages && model->can.has_wildcards; i++) {
        const struct mpl_message m = mpl_message_get(loc, i);

        if (m.envelope == MPL_NONE || loc->envelopes[m.envelope].is_send) {
            continue;
        }
        if (loc->envelopes[m.envelope].any_source) {
            return CHOOSES;
        }
        are_all_blocking = are_all_blocking && m.post == MPL_NONE;
    }
    return model->can.has_wildcards && are_all_blocking ? KEEPS_ORDER : MAY_CHOOSE;
}

enum choice mpl_turns_end(struct turns *t)
{
    const enum choice recorded = recorded_choice(t->model, t->location);

    end_turn(t);
    if (!is_answering(t->n_answered, t->n_turns)) {
        return KEEPS_ORDER;
    }
    if (recorded != MAY_CHOOSE) {
        return recorded;
    }
    return (double) t->n_predicted < fixed_share * (double) t->n_known ? CHOOSES
                                                                       : MAY_CHOOSE;
}

/* Backwards, as a replay looks for a better order. */
static enum choice walk(const struct mpl_model *model, const struct mpl_match *match,
                        uint32_t location, struct turn_memory *memories)
{
    const struct mpl_location *loc = &model->locations[location];
    struct turns t = mpl_turns_begin(model, location, memories);

    for (uint32_t e = loc->n_events; e-- > 0;) {
        const uint8_t kind = mpl_kind_of(loc, e);
        const uint32_t message = mpl_ref_of(loc, e);

        if (kind == MPL_EV_RECV || kind == MPL_EV_IRECV) {
            const struct mpl_end sender = mpl_match_partner(match, location, message);

            if (sender.message != MPL_NONE) {
                mpl_turns_receive(&t, sender.location);
            }
        } else if ((kind == MPL_EV_SEND || kind == MPL_EV_ISEND) &&
                   mpl_message_get(loc, message).envelope != MPL_NONE) {
            t.send_to = loc->envelopes[mpl_message_get(loc, message).envelope].peer;
        }
    }
    return mpl_turns_end(&t);
}

enum mpl_status mpl_replay_takes_any(const struct mpl_model *model,
                                     const struct mpl_match *match, bool *takes_any,
                                     struct mpl_err *err)
{
    struct mpl_arena *scratch = mpl_arena_create();
    struct turn_memory *memories =
        scratch == NULL ? NULL
                        : MPL_NEW_ARRAY(scratch, N_TURN_MEMORIES, struct turn_memory);

    for (uint32_t l = 0; l < model->n_locations && memories != NULL; l++) {
        takes_any[l] = recorded_choice(model, l) == CHOOSES ||
                       walk(model, match, l, memories) == CHOOSES;
    }
    mpl_arena_destroy(scratch);
    return memories == NULL ? mpl_nomem(err) : MPL_OK;
}
