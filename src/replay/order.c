/*
 * A replay keeps the order in which messages were received, while a program that takes whatever
 * comes first would take them in another when something else is faster. What that may hide is looked
 * for when the run is over: how long a location waits for one message while another one, which it
 * receives later, is there. As for messages in the wrong order (events), calls are walked backwards,
 * so that the earliest send among the messages received later is at hand.
 *
 * Only those count who can be seen to gain by another order:
 * - it sends something between the two messages; else it needs both for whatever it does next;
 * - it answers: what it sends next mostly goes to whom it has just received from;
 * - it takes its partners in changing turns; in the same all the time, as in an exchange with
 *   neighbours, the program has that order, or nobody can tell that it has none, which is a doubt for
 *   the master of a farm (farms.c) and else none.
 */
#include "config.h"

#include "replay/replay_priv.h"

struct walk {
    const struct engine *r;
    uint32_t location;
    int64_t ready_ticks;   /* earliest send of what is received behind a later send */
    int64_t next_ticks;    /* likewise of what is received before that */
    uint32_t next_receive; /* message of the next blocking receive, MPL_NONE */
    struct turns turns;
    int64_t ticks; /* the waiting that counts */
};

/* The call that is looked at. */
struct look {
    int64_t enter_ticks;
    int64_t until_ticks; /* the latest send that it needs */
    int64_t first_ticks; /* the earliest of those that it receives */
    uint32_t first_receive;
    bool has_send;
};

static void note_send(struct walk *w, const struct mpl_location *loc, uint32_t message,
                      struct look *look)
{
    const uint32_t envelope = mpl_message_get(loc, message).envelope;

    look->has_send = true;
    if (envelope != MPL_NONE) {
        w->turns.send_to = loc->envelopes[envelope].peer;
    }
}

/* When its message is sent; false if nobody knows. */
static bool find_send(const struct walk *w, uint32_t message, uint32_t *partner,
                      int64_t *ticks)
{
    uint32_t call;

    if (!mpl_activities_find_post(w->r->activities, w->location, message, partner, &call)) {
        return false;
    }
    *ticks = mpl_engine_reached_at(w->r, *partner, call);
    return true;
}

static void take_receive(struct walk *w, uint32_t message, struct look *look)
{
    uint32_t partner;
    int64_t ticks;

    if (find_send(w, message, &partner, &ticks)) {
        mpl_turns_receive(&w->turns, partner);
        look->until_ticks = ticks > look->until_ticks ? ticks : look->until_ticks;
        look->first_ticks = ticks < look->first_ticks ? ticks : look->first_ticks;
    }
}

static void take_records(struct walk *w, const struct mpl_call_view *view,
                         struct look *look)
{
    const struct mpl_location *loc = &w->r->model->locations[w->location];

    for (uint32_t e = view->last_event + 1; e-- > view->first_event;) {
        switch ((enum mpl_event_kind) mpl_kind_of(loc, e)) {
        case MPL_EV_RECV:
            look->first_receive = mpl_ref_of(loc, e);
            take_receive(w, mpl_ref_of(loc, e), look);
            break;
        case MPL_EV_IRECV:
            take_receive(w, mpl_ref_of(loc, e), look);
            break;
        case MPL_EV_SEND:
        case MPL_EV_ISEND:
            note_send(w, loc, mpl_ref_of(loc, e), look);
            break;
        default:
            break;
        }
    }
}

static void walk_call(struct walk *w, uint32_t k)
{
    const int64_t enter = mpl_engine_reached_at(w->r, w->location, k);
    struct look look = { enter, enter, INT64_MAX, MPL_NONE, false };
    struct mpl_call_view view;
    int64_t from;

    mpl_events_call(w->r->events, w->location, k, &view);
    take_records(w, &view, &look);
    if (view.is_probe) {
        /* The message that a probe finds is received, and counted, later. */
        uint32_t partner;
        int64_t ticks;

        if (w->next_receive != MPL_NONE &&
            find_send(w, w->next_receive, &partner, &ticks) && ticks > look.until_ticks) {
            look.until_ticks = ticks;
        }
    }
    from = w->ready_ticks > enter ? w->ready_ticks : enter;
    w->ticks += look.until_ticks > from ? look.until_ticks - from : 0;
    w->next_ticks = look.first_ticks < w->next_ticks ? look.first_ticks : w->next_ticks;
    if (look.has_send) {
        w->ready_ticks = w->next_ticks < w->ready_ticks ? w->next_ticks : w->ready_ticks;
        w->next_ticks = INT64_MAX;
    }
    if (look.first_receive != MPL_NONE) {
        w->next_receive = look.first_receive;
    }
}

/* Who has chosen anew has no other order to gain by, but may have one in what it does then. */
static bool is_behind_farm(const struct engine *r, uint32_t location, uint32_t k)
{
    const uint32_t number = r->farms == NULL ? MPL_NONE : r->farms->of_master[location];
    struct mpl_call_view view;

    if (number == MPL_NONE) {
        return true;
    }
    mpl_events_call(r->events, location, k, &view);
    return view.first_event >= r->farms->items[number].end_event;
}

/* What another order could save, if it may take what comes first. */
static int64_t walk_location(const struct engine *r, struct turn_memory *memories,
                             uint32_t location, enum choice *choice)
{
    struct walk w = {
        .r = r,
        .location = location,
        .ready_ticks = INT64_MAX,
        .next_ticks = INT64_MAX,
        .next_receive = MPL_NONE,
        .turns = mpl_turns_begin(r->model, location, memories),
    };

    for (uint32_t k = mpl_events_call_count(r->events, location);
         k > 0 && is_behind_farm(r, location, k - 1); k--) {
        walk_call(&w, k - 1);
    }
    *choice = mpl_turns_end(&w.turns);
    return *choice != KEEPS_ORDER ? w.ticks : 0;
}

static bool is_to_be_walked(const struct engine *r, const struct course *out,
                            uint32_t location)
{
    return r->activities->is_part[location] && r->activities->answers[location] &&
           (out->known == NULL || out->known[location] != KEEPS_ORDER);
}

bool mpl_engine_look_at_order(const struct engine *r, struct mpl_arena *scratch,
                              struct course *out)
{
    const uint32_t n = r->model->n_locations;
    struct turn_memory *memories =
        MPL_NEW_ARRAY(scratch, N_TURN_MEMORIES, struct turn_memory);

    for (uint32_t l = 0; l < n && memories != NULL; l++) {
        out->choices[l] = KEEPS_ORDER;
        out->order_s[l] = is_to_be_walked(r, out, l)
                              ? mpl_model_seconds(r->model, walk_location(r, memories, l,
                                                                          &out->choices[l]))
                              : 0;
    }
    return memories != NULL;
}
