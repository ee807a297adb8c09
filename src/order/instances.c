#include "config.h"

#include "order/order.h"

static bool is_any_sender(enum mpl_coll_op op)
{
    return op == MPL_COLL_ALLTOALLV || op == MPL_COLL_ALLTOALLW;
}

/* Room for one instance, as large as the largest communicator or the world. */
struct gather {
    const struct mpl_order_view *view;
    mpl_instance_visitor visit;
    void *context;
    struct mpl_arena *scratch;
    uint32_t *process; /* 0, 1, …: the world's members, whether or not it is defined. */
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
    /* A sender that is not recorded may be the one. */
    if (is_any_sender(in->op) && !in->is_complete) {
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

static void forget(const struct gather *g, uint32_t n)
{
    for (uint32_t rank = 0; rank < n; rank++) {
        g->location[rank] = MPL_NONE;
        g->enter[rank] = MPL_ORDER_NEVER;
        g->leave[rank] = MPL_ORDER_NEVER;
    }
}

static struct mpl_order_instance seen_of(const struct gather *g)
{
    return (struct mpl_order_instance){ .comm = MPL_NONE,
                                        .location = g->location,
                                        .enter_ticks = g->enter,
                                        .leave_ticks = g->leave,
                                        .enter_event = g->enter_event,
                                        .leave_event = g->leave_event,
                                        .root = MPL_NONE };
}

static void visit_instance(const struct gather *g, const struct mpl_coll_instance *in)
{
    const struct mpl_comm *comm = &g->view->model->comms[in->comm];
    const struct mpl_coll_part *parts = &g->view->match->parts[in->first_part];
    const enum mpl_coll_class class = mpl_coll_class_of(in->op);
    const bool is_rooted = class == MPL_CLASS_1_TO_N || class == MPL_CLASS_N_TO_1;
    const uint32_t root = mpl_order_root_part(g->view->model, g->view->match, in);
    struct mpl_order_instance seen = seen_of(g);

    seen.comm = in->comm;
    seen.n = comm->n_members;
    seen.process = comm->members;
    seen.is_to_all = class == MPL_CLASS_1_TO_N;
    seen.is_prefix = mpl_order_is_prefix(in->op);
    seen.root = root == MPL_NONE ? MPL_NONE : parts[root].rank;
    seen.is_any = is_any_sender(in->op);
    forget(g, comm->n_members);
    for (uint32_t i = 0; i < in->n_parts; i++) {
        const struct mpl_coll_part *part = &parts[i];
        const struct mpl_model *model = g->view->model;
        const struct mpl_collective *c =
            &model->locations[part->location].collectives[part->collective];
        const struct mpl_data_flow need = mpl_order_data_of(model, in, part);

        g->location[part->rank] = part->location;
        if (need.gives == MPL_DATA_CERTAIN && c->begin != MPL_NONE) {
            g->enter_event[part->rank] = c->begin;
            g->enter[part->rank] = mpl_order_view_time(g->view, part->location, c->begin);
        }
        if (need.takes == MPL_DATA_CERTAIN && c->end != MPL_NONE) {
            g->leave_event[part->rank] = c->end;
            g->leave[part->rank] = mpl_order_view_time(g->view, part->location, c->end);
        }
    }
    if (!is_rooted || seen.root != MPL_NONE) {
        g->visit(g->context, &seen);
    }
}

static enum mpl_status gather_create(struct gather *g, struct mpl_err *err)
{
    const struct mpl_model *model = g->view->model;
    uint32_t most = model->n_processes;

    for (uint32_t c = 0; c < model->n_comms; c++) {
        const uint32_t n = model->comms[c].n_members;

        most = n > most ? n : most;
    }
    g->scratch = mpl_arena_create();
    g->process = MPL_NEW_ARRAY(g->scratch, most, uint32_t);
    g->location = MPL_NEW_ARRAY(g->scratch, most, uint32_t);
    g->enter = MPL_NEW_ARRAY(g->scratch, most, int64_t);
    g->leave = MPL_NEW_ARRAY(g->scratch, most, int64_t);
    g->enter_event = MPL_NEW_ARRAY(g->scratch, most, uint32_t);
    g->leave_event = MPL_NEW_ARRAY(g->scratch, most, uint32_t);
    if (mpl_arena_is_short(g->scratch)) {
        mpl_arena_destroy(g->scratch);
        return mpl_nomem(err);
    }
    for (uint32_t i = 0; i < most; i++) {
        g->process[i] = i;
    }
    return MPL_OK;
}

static void visit_those(const struct gather *g, bool are_any_sender)
{
    const struct mpl_match *match = g->view->match;

    for (uint32_t i = 0; i < match->n_instances; i++) {
        const struct mpl_coll_instance *in = &match->instances[i];

        if (is_any_sender(in->op) == are_any_sender && is_usable(g->view, in)) {
            visit_instance(g, in);
        }
    }
}

enum mpl_status mpl_order_walk_instances(const struct mpl_order_view *view,
                                         mpl_instance_visitor visit, void *context,
                                         struct mpl_err *err)
{
    struct gather g = { .view = view, .visit = visit, .context = context };
    const enum mpl_status st = gather_create(&g, err);

    if (st != MPL_OK) {
        return st;
    }
    visit_those(&g, false);
    mpl_arena_destroy(g.scratch);
    return MPL_OK;
}

/* ---- start and end of the run ---------------------------------------------------------------- */

/* MPI allows each of these calls once, MPI_Init early and MPI_Finalize late. */
static uint32_t find_call(const struct mpl_model *model, const struct mpl_location *loc,
                          enum mpl_region_kind kind)
{
    const bool is_late = kind == MPL_REGION_MPI_FINALIZE;

    for (uint32_t i = 0; i < loc->n_events; i++) {
        const uint32_t event = is_late ? loc->n_events - 1 - i : i;

        if ((mpl_kind_of(loc, event) == MPL_EV_ENTER ||
             mpl_kind_of(loc, event) == MPL_EV_LEAVE) &&
            model->regions[mpl_ref_of(loc, event)].kind == kind) {
            return event;
        }
    }
    return MPL_NONE;
}

/* The other record of the call that \p event enters or leaves; MPL_NONE. */
static uint32_t find_other_end(const struct mpl_location *loc, uint32_t event)
{
    const bool is_enter = mpl_kind_of(loc, event) == MPL_EV_ENTER;
    const uint8_t other = is_enter ? MPL_EV_LEAVE : MPL_EV_ENTER;
    const uint32_t n = is_enter ? loc->n_events - 1 - event : event;

    for (uint32_t i = 1; i <= n; i++) {
        const uint32_t at = is_enter ? event + i : event - i;

        if (mpl_kind_of(loc, at) == other &&
            mpl_ref_of(loc, at) == mpl_ref_of(loc, event)) {
            return at;
        }
    }
    return MPL_NONE;
}

/* Any thread may start MPI; it is then the main thread, which alone may end it. */
static bool put_call(const struct gather *g, uint32_t process, enum mpl_region_kind kind)
{
    const struct mpl_model *model = g->view->model;
    const struct mpl_process *p = &model->processes[process];

    for (uint32_t t = 0; t < p->n_locations; t++) {
        const uint32_t l = p->locations[t];
        const struct mpl_location *loc = &model->locations[l];
        const uint32_t one = find_call(model, loc, kind);
        const uint32_t other = one == MPL_NONE ? MPL_NONE : find_other_end(loc, one);

        if (other != MPL_NONE) {
            g->location[process] = l;
            g->enter_event[process] = one < other ? one : other;
            g->leave_event[process] = one < other ? other : one;
            g->enter[process] = mpl_order_view_time(g->view, l, g->enter_event[process]);
            g->leave[process] = mpl_order_view_time(g->view, l, g->leave_event[process]);
            return true;
        }
    }
    return false;
}

static void visit_call_of_all(const struct gather *g, enum mpl_region_kind kind)
{
    const uint32_t n = g->view->model->n_processes;
    struct mpl_order_instance seen = seen_of(g);

    seen.n = n;
    seen.process = g->process;
    seen.is_presumed = true;
    forget(g, n);
    for (uint32_t p = 0; p < n; p++) {
        if (!put_call(g, p, kind)) {
            return;
        }
    }
    g->visit(g->context, &seen);
}

enum mpl_status mpl_order_walk_weak(const struct mpl_order_view *view,
                                    mpl_instance_visitor visit, void *context,
                                    struct mpl_err *err)
{
    struct gather g = { .view = view, .visit = visit, .context = context };
    const enum mpl_status st = gather_create(&g, err);

    if (st != MPL_OK) {
        return st;
    }
    visit_those(&g, true);
    if (view->model->can.has_init_finalize && view->model->n_processes > 1) {
        visit_call_of_all(&g, MPL_REGION_MPI_INIT);
        visit_call_of_all(&g, MPL_REGION_MPI_FINALIZE);
    }
    mpl_arena_destroy(g.scratch);
    return MPL_OK;
}

bool mpl_order_is_trusted(int64_t reversed_ticks, int64_t worst_certain_ticks)
{
    return reversed_ticks <= worst_certain_ticks;
}

/* ---- reversed collectives ------------------------------------------------------------------ */

/* A member that has entered, with its time. */
struct entered {
    uint32_t rank; /* MPL_NONE: nobody has. */
    int64_t ticks;
};

static int64_t corrected(const struct mpl_order_instance *in, const int64_t *add_ticks,
                         uint32_t rank, int64_t ticks)
{
    return mpl_ticks_plus(ticks, add_ticks[in->process[rank]]);
}

/* 1 if the member needs \p by, which is reported if the member left earlier. */
static uint32_t see_leave(const struct mpl_order_instance *in, const int64_t *add_ticks,
                          struct entered by, uint32_t rank, mpl_reversed_teller tell,
                          void *context)
{
    if (by.rank == MPL_NONE) {
        return 0;
    }

    const int64_t ticks = corrected(in, add_ticks, rank, in->leave_ticks[rank]);

    if (ticks < by.ticks) {
        tell(context, in, by.rank, rank, mpl_ticks_minus(by.ticks, ticks));
    }
    return 1;
}

/* The two that decide: the last two to enter or, where any sender will do, the first two. A
 * member never waits for itself, so each needs the first of these that is another one. */
struct decisive {
    struct entered most;
    struct entered second;
};

static void see_enter(struct decisive *d, const struct mpl_order_instance *in,
                      const int64_t *add_ticks, uint32_t rank)
{
    if (in->enter_ticks[rank] == MPL_ORDER_NEVER) {
        return;
    }

    const struct entered now = { rank,
                                 corrected(in, add_ticks, rank, in->enter_ticks[rank]) };
    const int64_t sign = in->is_any ? -1 : 1;

    if (d->most.rank == MPL_NONE || sign * now.ticks > sign * d->most.ticks) {
        d->second = d->most;
        d->most = now;
    } else if (d->second.rank == MPL_NONE || sign * now.ticks > sign * d->second.ticks) {
        d->second = now;
    }
}

uint32_t mpl_order_find_reversed(const struct mpl_order_instance *in,
                                 const int64_t *add_ticks, mpl_reversed_teller tell,
                                 void *context)
{
    struct decisive d = { { MPL_NONE, 0 }, { MPL_NONE, 0 } };
    uint32_t n = 0;

    for (uint32_t rank = 0; rank < in->n && !in->is_prefix; rank++) {
        see_enter(&d, in, add_ticks, rank);
    }
    for (uint32_t rank = 0; rank < in->n; rank++) {
        if (in->leave_ticks[rank] != MPL_ORDER_NEVER) {
            n += see_leave(in, add_ticks, d.most.rank == rank ? d.second : d.most, rank,
                           tell, context);
        }
        if (in->is_prefix) {
            see_enter(&d, in, add_ticks, rank);
        }
    }
    return n;
}

static void keep_largest(void *context, const struct mpl_order_instance *in, uint32_t from,
                         uint32_t to, int64_t reversed_ticks)
{
    int64_t *largest = context;

    (void) in, (void) from, (void) to;
    *largest = reversed_ticks > *largest ? reversed_ticks : *largest;
}

int64_t mpl_order_reversal(const struct mpl_order_instance *in, const int64_t *add_ticks)
{
    int64_t largest = 0;

    (void) mpl_order_find_reversed(in, add_ticks, keep_largest, &largest);
    return largest;
}
