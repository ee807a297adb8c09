#include "config.h"

#include "order/order.h"

/*
 * Which moments may be compared. A send's record is written when the call begins, before the
 * message can leave; a receive's when the call that completed it is over, after it has come
 * (both tracers). Hence received >= sent on one clock, whatever the network does. The same
 * holds for COLLECTIVE_BEGIN of whoever contributes and COLLECTIVE_END of whoever needs it.
 */

enum mpl_status mpl_order_view_create(const struct mpl_model *model,
                                      const struct mpl_match *match,
                                      struct mpl_arena *arena, struct mpl_order_view **out,
                                      struct mpl_err *err)
{
    struct mpl_order_view *view = MPL_NEW(arena, struct mpl_order_view);

    if (view == NULL) {
        return mpl_nomem(err);
    }
    view->model = model;
    view->match = match;
    view->skew_ticks = MPL_NEW_ARRAY(arena, model->n_locations, int64_t);
    if (view->skew_ticks == NULL) {
        return mpl_nomem(err);
    }
    mpl_order_view_refresh(view);
    *out = view;
    return MPL_OK;
}

void mpl_order_view_refresh(struct mpl_order_view *view)
{
    for (uint32_t l = 0; l < view->model->n_locations; l++) {
        const struct mpl_location *loc = &view->model->locations[l];
        const uint32_t master = view->model->processes[loc->process].locations[0];

        view->skew_ticks[l] =
            (int64_t) (loc->base_ticks - view->model->locations[master].base_ticks);
    }
}

/* ---- messages -------------------------------------------------------------------------- */

/*
 * The times of a message's two ends lie far apart, and far from those of the message before. One
 * by one, each would be waited for; so a batch of messages first asks for all it needs, from
 * message records to times, and looks at them when they have come. \p sent: of each pair, the message of the sender.
 */
static uint32_t find_ends(struct mpl_order_pairs *walk, struct mpl_order_pair *pairs,
                          uint32_t *sent)
{
    const struct mpl_match *match = walk->view->match;
    const struct mpl_location *locations = walk->view->model->locations;
    const struct mpl_location *loc = &locations[walk->location];
    const uint32_t *partner = match->partner[walk->location];
    uint32_t i = walk->next;
    uint32_t n = 0;

    for (; i < loc->n_messages && n < MPL_ORDER_BATCH; i++) {
        if (partner[i] == MPL_NONE) {
            continue;
        }

        const struct mpl_message message = mpl_message_get(loc, i);

        if (!loc->envelopes[message.envelope].is_send) {
            const struct mpl_end from = mpl_match_end(match, partner[i]);

            pairs[n] = (struct mpl_order_pair){ .from_location = from.location,
                                                .to = loc->process,
                                                .to_location = walk->location,
                                                .to_message = i,
                                                .to_event = message.event };
            sent[n++] = from.message;
            mpl_message_prefetch(&locations[from.location], from.message, false);
            mpl_prefetch(&loc->times.offset[message.event]);
        }
    }
    walk->next = i;
    return n;
}

uint32_t mpl_order_pairs_next(struct mpl_order_pairs *walk, struct mpl_order_pair *pairs)
{
    const struct mpl_order_view *view = walk->view;
    const struct mpl_location *locations = view->model->locations;
    uint32_t sent[MPL_ORDER_BATCH];
    const uint32_t n = find_ends(walk, pairs, sent);

    for (uint32_t i = 0; i < n; i++) {
        mpl_message_prefetch(&locations[pairs[i].from_location], sent[i], true);
    }
    for (uint32_t i = 0; i < n; i++) {
        struct mpl_order_pair *pair = &pairs[i];
        const struct mpl_location *sender = &locations[pair->from_location];

        pair->from = sender->process;
        pair->from_event = mpl_message_get(sender, sent[i]).event;
        mpl_prefetch(&sender->times.offset[pair->from_event]);
    }
    for (uint32_t i = 0; i < n && view->match->is_guess != NULL; i++) {
        pairs[i].is_guess =
            mpl_match_is_guess(view->match, walk->location, pairs[i].to_message);
    }
    for (uint32_t i = 0; i < n; i++) {
        struct mpl_order_pair *pair = &pairs[i];

        pair->sent_ticks = mpl_order_view_time(view, pair->from_location, pair->from_event);
        pair->received_ticks = mpl_order_view_time(view, walk->location, pair->to_event);
    }
    return n;
}

static void walk_received(const struct mpl_order_view *view, uint32_t process,
                          mpl_pair_visitor visit, void *context)
{
    const struct mpl_process *receiver = &view->model->processes[process];
    struct mpl_order_pair pairs[MPL_ORDER_BATCH];

    for (uint32_t i = 0; i < receiver->n_locations; i++) {
        struct mpl_order_pairs walk = { .view = view, .location = receiver->locations[i] };
        uint32_t n;

        while ((n = mpl_order_pairs_next(&walk, pairs)) > 0) {
            for (uint32_t k = 0; k < n; k++) {
                visit(context, &pairs[k]);
            }
        }
    }
}

void mpl_order_walk_pairs(const struct mpl_order_view *view, mpl_pair_visitor visit,
                          void *context)
{
    for (uint32_t p = 0; p < view->model->n_processes; p++) {
        walk_received(view, p, visit, context);
    }
}

/* ---- answers of synchronous sends -------------------------------------------------------- */

enum { MPL_ORDER_MAX_LOOK_BACK = 8 };

/* The event that entered the call in which \p event is recorded; MPL_NONE. */
static uint32_t find_enter(const struct mpl_location *loc, uint32_t event)
{
    for (uint32_t back = 1; back <= MPL_ORDER_MAX_LOOK_BACK && back <= event; back++) {
        const uint8_t kind = mpl_kind_of(loc, event - back);

        if (kind == MPL_EV_ENTER) {
            return event - back;
        }
        if (kind == MPL_EV_LEAVE) {
            return MPL_NONE;
        }
    }
    return MPL_NONE;
}

bool mpl_order_view_enter(const struct mpl_order_view *view, uint32_t location,
                          uint32_t event, int64_t *enter_ticks)
{
    const uint32_t enter = find_enter(&view->model->locations[location], event);

    if (enter == MPL_NONE) {
        return false;
    }
    *enter_ticks = mpl_order_view_time(view, location, enter);
    return true;
}

static bool is_synchronous(const struct mpl_model *model, const struct mpl_location *loc,
                           uint32_t event)
{
    return event > 0 && event + 1 < loc->n_events &&
           mpl_kind_of(loc, event) == MPL_EV_SEND &&
           mpl_kind_of(loc, event - 1) == MPL_EV_ENTER &&
           mpl_kind_of(loc, event + 1) == MPL_EV_LEAVE &&
           model->regions[mpl_ref_of(loc, event - 1)].mode == MPL_CALL_SYNC_SEND;
}

static void visit_answer(const struct mpl_order_view *view, uint32_t location,
                         uint32_t message, mpl_pair_visitor visit, void *context)
{
    const struct mpl_model *model = view->model;
    const struct mpl_location *loc = &model->locations[location];
    const uint32_t event = mpl_message_get(loc, message).event;
    const struct mpl_end end = mpl_match_partner(view->match, location, message);
    const struct mpl_location *receiver = &model->locations[end.location];
    const struct mpl_message receive = mpl_message_get(receiver, end.message);
    const uint32_t post = receive.post != MPL_NONE ? receive.post : receive.event;
    const bool is_posted_here =
        receive.post != MPL_NONE || mpl_kind_of(receiver, receive.event) == MPL_EV_RECV;
    struct mpl_order_pair pair = {
        .from = receiver->process,
        .to = loc->process,
        .from_location = end.location,
        .from_event = is_posted_here ? find_enter(receiver, post) : MPL_NONE,
        .to_location = location,
        .to_event = event + 1,
        .received_ticks = mpl_order_view_time(view, location, event + 1),
        .waiting_ticks = mpl_order_view_time(view, location, event - 1),
        .is_guess = mpl_match_is_guess(view->match, end.location, end.message),
    };

    if (pair.from_event != MPL_NONE) {
        pair.sent_ticks = mpl_order_view_time(view, end.location, pair.from_event);
        visit(context, &pair);
    }
}

bool mpl_order_has_answers(const struct mpl_order_view *view)
{
    for (uint32_t r = 0; r < view->model->n_regions; r++) {
        if (view->model->regions[r].mode == MPL_CALL_SYNC_SEND) {
            return true;
        }
    }
    return false;
}

void mpl_order_walk_answers(const struct mpl_order_view *view, uint32_t location,
                            mpl_pair_visitor visit, void *context)
{
    const struct mpl_model *model = view->model;
    const struct mpl_location *loc = &model->locations[location];

    for (uint32_t i = 0; i < loc->n_messages; i++) {
        if (view->match->partner[location][i] != MPL_NONE &&
            is_synchronous(model, loc, mpl_message_get(loc, i).event)) {
            visit_answer(view, location, i, visit, context);
        }
    }
}
