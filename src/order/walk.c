#include "config.h"

#include "order/order.h"

/*
 * Which moments may be compared. A send's record is written when the call begins, before the
 * message can leave; a receive's when the call that completed it is over, after it has come
 * (both tracers). Hence received >= sent on one clock, whatever the network does. The same
 * holds for COLLECTIVE_BEGIN of whoever contributes and COLLECTIVE_END of whoever needs it.
 */

int64_t mpl_ticks_narrow(__int128 ticks)
{
    if (ticks > MPL_TICKS_FAR) {
        return MPL_TICKS_FAR;
    }
    return ticks < -MPL_TICKS_FAR ? -MPL_TICKS_FAR : (int64_t) ticks;
}

int64_t mpl_ticks_minus(int64_t a, int64_t b)
{
    return mpl_ticks_narrow((__int128) a - b);
}

int64_t mpl_ticks_plus(int64_t a, int64_t b)
{
    return mpl_ticks_narrow((__int128) a + b);
}

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

int64_t mpl_order_view_time(const struct mpl_order_view *view, uint32_t location,
                            uint32_t event)
{
    const int64_t ticks = view->model->locations[location].time_ticks[event];

    /* Unsigned, so that a damaged base wraps instead of being undefined. */
    return (int64_t) ((uint64_t) ticks + (uint64_t) view->skew_ticks[location]);
}

/* ---- messages -------------------------------------------------------------------------- */

/* The partner is nearly always on the master location of the process that the envelope names,
 * so the search over the locations is a last resort. */
static struct mpl_end find_sender(const struct mpl_order_view *view, uint32_t location,
                                  uint32_t message, uint32_t peer)
{
    const struct mpl_match *match = view->match;
    const uint32_t number = match->partner[location][message];

    if (peer != MPL_NONE) {
        const uint32_t l = view->model->processes[peer].locations[0];

        if (number >= match->first_number[l] && number < match->first_number[l + 1]) {
            return (struct mpl_end){ l, number - match->first_number[l] };
        }
    }
    return mpl_match_partner(view->model, match, location, message);
}

static void walk_location(const struct mpl_order_view *view, uint32_t location,
                          mpl_pair_visitor visit, void *context)
{
    const struct mpl_location *loc = &view->model->locations[location];
    const uint32_t *partner = view->match->partner[location];

    for (uint32_t i = 0; i < loc->n_messages; i++) {
        if (partner[i] == MPL_NONE) {
            continue;
        }

        const struct mpl_envelope *e = &loc->envelopes[loc->messages[i].envelope];

        if (e->is_send) {
            continue;
        }

        const struct mpl_end end = find_sender(view, location, i, e->peer);
        const struct mpl_location *sender = &view->model->locations[end.location];
        const struct mpl_order_pair pair = {
            .from = sender->process,
            .to = loc->process,
            .from_location = end.location,
            .to_location = location,
            .from_event = sender->messages[end.message].event,
            .to_event = loc->messages[i].event,
            .sent_ticks = mpl_order_view_time(view, end.location,
                                              sender->messages[end.message].event),
            .received_ticks = mpl_order_view_time(view, location, loc->messages[i].event),
        };

        visit(context, &pair);
    }
}

void mpl_order_walk_pairs(const struct mpl_order_view *view, mpl_pair_visitor visit,
                          void *context)
{
    /* Locations are ordered by process. */
    for (uint32_t l = 0; l < view->model->n_locations; l++) {
        walk_location(view, l, visit, context);
    }
}

/* ---- answers of synchronous sends -------------------------------------------------------- */

enum { MPL_ORDER_MAX_LOOK_BACK = 8 };

/* The event that entered the call in which \p event is recorded; MPL_NONE. */
static uint32_t find_enter(const struct mpl_location *loc, uint32_t event)
{
    for (uint32_t back = 1; back <= MPL_ORDER_MAX_LOOK_BACK && back <= event; back++) {
        const uint8_t kind = loc->kind[event - back];

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
    return event > 0 && event + 1 < loc->n_events && loc->kind[event] == MPL_EV_SEND &&
           loc->kind[event - 1] == MPL_EV_ENTER && loc->kind[event + 1] == MPL_EV_LEAVE &&
           model->regions[loc->ref[event - 1]].mode == MPL_CALL_SYNC_SEND;
}

static void visit_answer(const struct mpl_order_view *view, uint32_t location,
                         uint32_t message, mpl_pair_visitor visit, void *context)
{
    const struct mpl_model *model = view->model;
    const struct mpl_location *loc = &model->locations[location];
    const uint32_t event = loc->messages[message].event;
    const struct mpl_end end = mpl_match_partner(model, view->match, location, message);
    const struct mpl_location *receiver = &model->locations[end.location];
    const struct mpl_message *receive = &receiver->messages[end.message];
    const uint32_t post = receive->post != MPL_NONE ? receive->post : receive->event;
    const bool is_posted_here =
        receive->post != MPL_NONE || receiver->kind[receive->event] == MPL_EV_RECV;
    struct mpl_order_pair pair = {
        .from = receiver->process,
        .to = loc->process,
        .from_location = end.location,
        .from_event = is_posted_here ? find_enter(receiver, post) : MPL_NONE,
        .to_location = location,
        .to_event = event + 1,
        .received_ticks = mpl_order_view_time(view, location, event + 1),
        .waiting_ticks = mpl_order_view_time(view, location, event - 1),
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
            is_synchronous(model, loc, loc->messages[i].event)) {
            visit_answer(view, location, i, visit, context);
        }
    }
}

/* ---- collectives -------------------------------------------------------------------------- */

/*
 * Who contributes data and who needs some. Without data there is no dependence: MPI lets a
 * member with nothing to give or take pass at once, and some libraries do.
 *
 * Only figures that mean something at that member are looked at (the send count of a Scatter
 * is meaningless at its leaves, and EZTrace writes it all the same). Sums over peers do not say
 * which peer got something, hence nothing follows from Alltoallv and Alltoallw. EZTrace does
 * not say how much of a Reduce_scatter a member keeps. A text trace may leave sizes out; it
 * means the usual, some data for everybody. Making a communicator must end with agreement on
 * it, but how is left to the library, and no figure tells.
 */
struct need {
    bool gives;
    bool takes;
};

static struct need find_need(const struct mpl_order_view *view,
                             const struct mpl_collective *part)
{
    const enum mpl_tracer tracer = view->model->tracer;
    const bool is_text = tracer == MPL_TRACER_TEXT;
    const struct need by_bytes = { part->sent_bytes > 0, part->received_bytes > 0 };

    switch (part->op) {
    case MPL_COLL_BARRIER:
        return (struct need){ true, true };
    case MPL_COLL_BCAST:
    case MPL_COLL_SCATTER:
        return (struct need){ true, is_text || by_bytes.takes };
    case MPL_COLL_SCATTERV:
        return (struct need){ true, by_bytes.takes };
    case MPL_COLL_GATHER:
    case MPL_COLL_REDUCE:
        return (struct need){ is_text || by_bytes.gives, true };
    case MPL_COLL_GATHERV:
        return (struct need){ by_bytes.gives, true };
    case MPL_COLL_ALLGATHER:
    case MPL_COLL_ALLTOALL:
    case MPL_COLL_ALLREDUCE:
    case MPL_COLL_REDUCE_SCATTER_BLOCK:
    case MPL_COLL_SCAN:
    case MPL_COLL_EXSCAN:
        return (struct need){ is_text || by_bytes.gives, is_text || by_bytes.takes };
    case MPL_COLL_ALLGATHERV:
        return by_bytes;
    case MPL_COLL_REDUCE_SCATTER:
        return tracer == MPL_TRACER_SCOREP ? by_bytes : (struct need){ false, false };
    default:
        return (struct need){ false, false };
    }
}

/* Room for one instance, as large as the largest communicator. */
struct gather {
    const struct mpl_order_view *view;
    uint32_t *location;
    int64_t *enter;
    int64_t *leave;
    uint32_t *enter_event;
    uint32_t *leave_event;
};

/* Parts that agree although some are missing: a lost rank makes what is left no less true. A
 * location with holes, however, may have lost its place in the sequence. */
static bool is_usable(const struct mpl_order_view *view, const struct mpl_coll_instance *in)
{
    const struct mpl_comm *comm = &view->model->comms[in->comm];
    const struct mpl_coll_part *part = view->match->parts + in->first_part;

    if (comm->is_self || comm->n_remote > 0 || in->n_parts < 2) {
        return false;
    }
    for (uint32_t i = 0; i < in->n_parts && !in->is_complete; i++) {
        const struct mpl_location *loc = &view->model->locations[part[i].location];
        const struct mpl_collective *c = &loc->collectives[part[i].collective];

        if (loc->is_damaged || c->op != in->op ||
            (c->root != MPL_NONE && c->root != in->root)) {
            return false;
        }
    }
    return true;
}

static void put_part(const struct gather *g, const struct mpl_coll_part *part,
                     const struct mpl_coll_instance *in)
{
    const struct mpl_location *loc = &g->view->model->locations[part->location];
    const struct mpl_collective *c = &loc->collectives[part->collective];
    const enum mpl_coll_class class = mpl_coll_class_of(in->op);
    const bool is_root = loc->process == in->root;
    struct need need = find_need(g->view, c);

    if (class == MPL_CLASS_1_TO_N) {
        need.gives = need.gives && is_root;
        need.takes = need.takes && !is_root;
    } else if (class == MPL_CLASS_N_TO_1) {
        need.gives = need.gives && !is_root;
        need.takes = need.takes && is_root;
    }
    g->location[part->rank] = part->location;
    if (need.gives && c->begin != MPL_NONE) {
        g->enter_event[part->rank] = c->begin;
        g->enter[part->rank] = mpl_order_view_time(g->view, part->location, c->begin);
    }
    if (need.takes && c->end != MPL_NONE) {
        g->leave_event[part->rank] = c->end;
        g->leave[part->rank] = mpl_order_view_time(g->view, part->location, c->end);
    }
}

static void visit_instance(const struct gather *g, const struct mpl_coll_instance *in,
                           mpl_instance_visitor visit, void *context)
{
    const struct mpl_comm *comm = &g->view->model->comms[in->comm];
    const enum mpl_coll_class class = mpl_coll_class_of(in->op);
    const bool is_rooted = class == MPL_CLASS_1_TO_N || class == MPL_CLASS_N_TO_1;
    struct mpl_order_instance seen = {
        .comm = in->comm,
        .n = comm->n_members,
        .process = comm->members,
        .location = g->location,
        .enter_ticks = g->enter,
        .leave_ticks = g->leave,
        .enter_event = g->enter_event,
        .leave_event = g->leave_event,
        .root = MPL_NONE,
        .is_to_all = class == MPL_CLASS_1_TO_N,
        .is_prefix = class == MPL_CLASS_SCAN || class == MPL_CLASS_EXSCAN,
    };

    for (uint32_t rank = 0; rank < comm->n_members; rank++) {
        g->location[rank] = MPL_NONE;
        g->enter[rank] = MPL_ORDER_NEVER;
        g->leave[rank] = MPL_ORDER_NEVER;
    }
    for (uint32_t i = 0; i < in->n_parts; i++) {
        const struct mpl_coll_part *part = &g->view->match->parts[in->first_part + i];

        put_part(g, part, in);
        if (is_rooted && g->view->model->locations[part->location].process == in->root) {
            seen.root = part->rank;
        }
    }
    if (!is_rooted || seen.root != MPL_NONE) {
        visit(context, &seen);
    }
}

enum mpl_status mpl_order_walk_instances(const struct mpl_order_view *view,
                                         mpl_instance_visitor visit, void *context,
                                         struct mpl_err *err)
{
    struct gather g = { .view = view };
    struct mpl_arena *scratch = mpl_arena_create();
    uint32_t most = 0;

    if (scratch == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t c = 0; c < view->model->n_comms; c++) {
        const uint32_t n = view->model->comms[c].n_members;

        most = n > most ? n : most;
    }
    g.location = MPL_NEW_ARRAY(scratch, most, uint32_t);
    g.enter = MPL_NEW_ARRAY(scratch, most, int64_t);
    g.leave = MPL_NEW_ARRAY(scratch, most, int64_t);
    g.enter_event = MPL_NEW_ARRAY(scratch, most, uint32_t);
    g.leave_event = MPL_NEW_ARRAY(scratch, most, uint32_t);
    if (g.location == NULL || g.enter == NULL || g.leave == NULL || g.enter_event == NULL ||
        g.leave_event == NULL) {
        mpl_arena_destroy(scratch);
        return mpl_nomem(err);
    }
    for (uint32_t i = 0; i < view->match->n_instances; i++) {
        if (is_usable(view, &view->match->instances[i])) {
            visit_instance(&g, &view->match->instances[i], visit, context);
        }
    }
    mpl_arena_destroy(scratch);
    return MPL_OK;
}

/* ---- reversed collectives ------------------------------------------------------------------ */

struct last {
    uint32_t rank; /* MPL_NONE: nobody has entered. */
    int64_t ticks;
};

static void see_enter(struct last *last, const struct mpl_order_instance *in,
                      const int64_t *add_ticks, uint32_t rank)
{
    if (in->enter_ticks[rank] == MPL_ORDER_NEVER) {
        return;
    }

    const int64_t ticks =
        mpl_ticks_plus(in->enter_ticks[rank], add_ticks[in->process[rank]]);

    if (last->rank == MPL_NONE || ticks > last->ticks) {
        last->rank = rank;
        last->ticks = ticks;
    }
}

static void see_leave(const struct last *last, const struct mpl_order_instance *in,
                      const int64_t *add_ticks, uint32_t rank, mpl_reversed_teller tell,
                      void *context)
{
    if (in->leave_ticks[rank] == MPL_ORDER_NEVER || last->rank == MPL_NONE ||
        last->rank == rank) {
        return;
    }

    const int64_t ticks =
        mpl_ticks_plus(in->leave_ticks[rank], add_ticks[in->process[rank]]);

    if (ticks < last->ticks) {
        tell(context, in, last->rank, rank, mpl_ticks_minus(last->ticks, ticks));
    }
}

void mpl_order_find_reversed(const struct mpl_order_instance *in, const int64_t *add_ticks,
                             mpl_reversed_teller tell, void *context)
{
    struct last last = { MPL_NONE, 0 };

    for (uint32_t rank = 0; rank < in->n; rank++) {
        if (in->is_prefix) {
            see_leave(&last, in, add_ticks, rank, tell, context);
        }
        see_enter(&last, in, add_ticks, rank);
    }
    for (uint32_t rank = 0; rank < in->n && !in->is_prefix; rank++) {
        see_leave(&last, in, add_ticks, rank, tell, context);
    }
}
