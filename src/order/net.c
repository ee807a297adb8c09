#include "config.h"

#include "order/order_priv.h"

#include <inttypes.h>

/*
 * Every kind of dependence (message, answer, collective, team of threads) is brought into the same
 * form here; nothing behind it knows MPI or threads.
 */

/* ---- roles as the walkers give them ---------------------------------------------------------- */

/* What an event is for a dependence. */
struct role {
    uint32_t next; /* 1 + the number of another role; 0: none. */
    uint32_t event;
    uint32_t link;
    uint8_t flags;
};

/* A location's roles, in the order in which they were added. */
struct row {
    uint32_t first; /* 1 + its number; 0: none. */
    uint32_t last;
};

struct build {
    struct mpl_net *net;
    const struct mpl_order_view *view;
    const struct mpl_net_watch *watch; /* NULL: nobody. */
    struct mpl_arena *arena;
    struct mpl_arena *scratch;
    struct mpl_buf role; /* Of all that is no message. */
    struct row *row;     /* Per location. */
    struct mpl_buf group;
    uint8_t *mark;   /* Per message end, by global number: what the watch said; NULL. */
    struct role *at; /* Room for all roles of a location, */
    uint32_t *head;  /* and 1 + the number of the first one of each of its events; zero. */
    bool is_short;   /* Memory ran out, or numbers: */
    bool is_beyond;  /* there are more roles than can be numbered. */
};

static void add_role(struct build *b, uint32_t location, uint32_t event, uint32_t link,
                     uint32_t flags)
{
    struct role *role = b->role.n < UINT32_MAX ? mpl_buf_add(&b->role) : NULL;
    struct row *row = &b->row[location];

    if (role == NULL) {
        b->is_beyond = b->role.n == UINT32_MAX;
        b->is_short = true;
        return;
    }
    *role = (struct role){ 0, event, link, (uint8_t) flags };
    if (row->first == 0) {
        row->first = (uint32_t) b->role.n;
    } else {
        ((struct role *) mpl_buf_get(&b->role, row->last - 1))->next = (uint32_t) b->role.n;
    }
    row->last = (uint32_t) b->role.n;
    b->net->track[location].n_points++;
}

/* ---- pairs ------------------------------------------------------------------------------------- */

/* The order on a location is given, and holds whatever is shifted. */
static bool is_given(uint32_t from_location, uint32_t from_event, uint32_t to_location,
                     uint32_t to_event)
{
    return from_location == to_location && from_event < to_event;
}

/* What may depend on a guess, which is no certain dependence and left out unless there is a watch. */
static void leave_out(struct build *b, uint32_t location, uint32_t event)
{
    uint32_t **first = &b->net->first_left_out;

    if (*first == NULL) {
        *first = MPL_NEW_ARRAY(b->arena, b->net->n_tracks, uint32_t);
        for (uint32_t l = 0; l < b->net->n_tracks && *first != NULL; l++) {
            (*first)[l] = MPL_NONE;
        }
    }
    if (*first == NULL) {
        b->is_short = true;
    } else if ((*first)[location] > event) {
        (*first)[location] = event;
    }
}

/* Only the watch looks at messages one by one: what they are for the net stands in the match. */
static void visit_pair(void *context, const struct mpl_order_pair *pair)
{
    struct build *b = context;

    if (!is_given(pair->from_location, pair->from_event, pair->to_location,
                  pair->to_event)) {
        b->mark[b->view->match->first_number[pair->to_location] + pair->to_message] =
            (uint8_t) (b->watch->message(b->watch->context, pair) * MPL_POINT_MARK);
    }
}

static void visit_answer(void *context, const struct mpl_order_pair *pair)
{
    struct build *b = context;

    if (b->is_short || is_given(pair->from_location, pair->from_event, pair->to_location,
                                pair->to_event)) {
        return;
    }
    if (pair->is_guess && b->watch == NULL) {
        leave_out(b, pair->to_location, pair->to_event);
        return;
    }
    if (b->net->n_pairs == UINT32_MAX) {
        b->is_beyond = true;
        b->is_short = true;
        return;
    }

    const uint32_t link = b->net->n_pairs++;
    const unsigned marks = b->watch == NULL ? 0 : b->watch->answer(b->watch->context, pair);

    add_role(b, pair->from_location, pair->from_event, link, MPL_POINT_SOURCE);
    add_role(b, pair->to_location, pair->to_event, link, marks * MPL_POINT_MARK);
}

/* ---- groups ------------------------------------------------------------------------------------ */

/* MPL_NONE when memory ran out. */
static uint32_t add_group(struct build *b)
{
    if (!mpl_buf_put(&b->group, &(struct mpl_net_group){ .next = MPL_NONE })) {
        b->is_short = true;
        return MPL_NONE;
    }
    return (uint32_t) (b->group.n - 1);
}

static struct mpl_net_group *group_at(const struct build *b, uint32_t group)
{
    return mpl_buf_get(&b->group, group);
}

static void add_source(struct build *b, uint32_t location, uint32_t event, uint32_t group)
{
    group_at(b, group)->n_sources++;
    add_role(b, location, event, group, MPL_POINT_SOURCE | MPL_POINT_GROUP);
}

static void add_sink(struct build *b, uint32_t location, uint32_t event, uint32_t group,
                     bool is_thread, int64_t delay_ticks)
{
    const unsigned marks =
        b->watch == NULL ? 0 : b->watch->member(b->watch->context, is_thread, delay_ticks);

    add_role(b, location, event, group, MPL_POINT_GROUP | marks * MPL_POINT_MARK);
}

static void add_leave(struct build *b, const struct mpl_order_instance *in, uint32_t rank,
                      uint32_t group, const struct mpl_top *enters)
{
    const int64_t last = mpl_top_of_others(enters, in->location[rank]);

    if (in->leave_ticks[rank] != MPL_ORDER_NEVER && last != MPL_ORDER_NEVER) {
        add_sink(b, in->location[rank], in->leave_event[rank], group, false,
                 mpl_ticks_minus(in->leave_ticks[rank], last));
    }
}

/* One group per rank that has an enter; its sinks are the ranks up to the next of these. */
static void add_prefix(struct build *b, const struct mpl_order_instance *in)
{
    struct mpl_top enters;
    uint32_t group = MPL_NONE;

    mpl_top_clear(&enters);
    for (uint32_t rank = 0; rank < in->n && !b->is_short; rank++) {
        if (group != MPL_NONE) {
            add_leave(b, in, rank, group, &enters);
        }
        if (in->enter_ticks[rank] == MPL_ORDER_NEVER) {
            continue;
        }

        const uint32_t before = group;

        group = add_group(b);
        if (group == MPL_NONE) {
            return;
        }
        if (before != MPL_NONE) {
            group_at(b, before)->next = group;
            group_at(b, group)->n_sources++;
        }
        add_source(b, in->location[rank], in->enter_event[rank], group);
        mpl_top_add(&enters, in->enter_ticks[rank], in->location[rank]);
    }
}

/*
 * Two members that need each other are a round trip: (leave of j - enter of i) + (leave of i -
 * enter of j) is the sum of what the operation took at i and at j, on their own clocks.
 */
static void see_rounds(struct build *b, const struct mpl_order_instance *in)
{
    int64_t shortest = INT64_MAX;
    int64_t next = INT64_MAX;

    for (uint32_t rank = 0; rank < in->n; rank++) {
        if (in->enter_ticks[rank] == MPL_ORDER_NEVER ||
            in->leave_ticks[rank] == MPL_ORDER_NEVER) {
            continue;
        }

        const int64_t ticks = mpl_ticks_minus(in->leave_ticks[rank], in->enter_ticks[rank]);

        if (ticks < shortest) {
            next = shortest;
            shortest = ticks;
        } else if (ticks < next) {
            next = ticks;
        }
    }
    if (next != INT64_MAX) {
        b->watch->round(b->watch->context, mpl_ticks_plus(shortest, next));
    }
}

/*
 * Some other sender came first, nobody knows which. The one that was the first on the clocks at
 * hand is taken for it: its shift is as good as any other's, and whoever comes after it comes
 * after the earliest.
 */
static void add_any(struct build *b, const struct mpl_order_instance *in)
{
    struct mpl_top enters; /* Of negative times: the first two. */
    uint32_t group[2] = { MPL_NONE, MPL_NONE };

    mpl_top_clear(&enters);
    for (uint32_t rank = 0; rank < in->n; rank++) {
        if (in->enter_ticks[rank] != MPL_ORDER_NEVER) {
            mpl_top_add(&enters, -in->enter_ticks[rank], in->location[rank]);
        }
    }
    for (uint32_t rank = 0; rank < in->n && !b->is_short; rank++) {
        const bool is_first = in->location[rank] == enters.first_location;

        if (in->enter_ticks[rank] != MPL_ORDER_NEVER &&
            (is_first || in->location[rank] == enters.second_location)) {
            group[is_first ? 0 : 1] = add_group(b);
            add_source(b, in->location[rank], in->enter_event[rank],
                       group[is_first ? 0 : 1]);
        }
    }
    for (uint32_t rank = 0; rank < in->n && !b->is_short; rank++) {
        const uint32_t needed = group[in->location[rank] == enters.first_location ? 1 : 0];
        const int64_t first = mpl_top_of_others(&enters, in->location[rank]);

        if (in->leave_ticks[rank] != MPL_ORDER_NEVER && needed != MPL_NONE) {
            add_sink(b, in->location[rank], in->leave_event[rank], needed, false,
                     mpl_ticks_plus(in->leave_ticks[rank], first));
        }
    }
}

static void visit_instance(void *context, const struct mpl_order_instance *in)
{
    struct build *b = context;

    if (b->is_short || (in->is_presumed && !b->watch->does_trust(b->watch->context, in))) {
        return;
    }
    if (in->is_any) {
        add_any(b, in);
        return;
    }
    if (in->is_prefix) {
        add_prefix(b, in);
        return;
    }
    const uint32_t group = add_group(b);
    struct mpl_top enters;

    mpl_top_clear(&enters);
    for (uint32_t rank = 0; rank < in->n && !b->is_short; rank++) {
        if (in->enter_ticks[rank] != MPL_ORDER_NEVER) {
            add_source(b, in->location[rank], in->enter_event[rank], group);
            mpl_top_add(&enters, in->enter_ticks[rank], in->location[rank]);
        }
    }
    for (uint32_t rank = 0; rank < in->n && !b->is_short; rank++) {
        add_leave(b, in, rank, group, &enters);
    }
    if (b->watch != NULL) {
        see_rounds(b, in);
    }
}

/* ---- threads --------------------------------------------------------------------------------------- */

/* Threads of a process share its clock, so what they take is seen as it is, and no round trip
 * needs to limit it. */
static void visit_group(void *context, const struct mpl_order_group *in)
{
    struct build *b = context;
    struct mpl_top sources;
    const uint32_t group = b->is_short ? MPL_NONE : add_group(b);

    mpl_top_clear(&sources);
    for (uint32_t i = 0; i < in->n_sources && !b->is_short; i++) {
        const struct mpl_moment m = in->sources[i];

        add_source(b, m.location, m.event, group);
        mpl_top_add(&sources, mpl_order_view_time(b->view, m.location, m.event),
                    m.location);
    }
    for (uint32_t i = 0; i < in->n_sinks && !b->is_short; i++) {
        const struct mpl_moment m = in->sinks[i];
        const int64_t last = mpl_top_of_others(&sources, m.location);

        if (last != MPL_ORDER_NEVER) {
            add_sink(
                b, m.location, m.event, group, true,
                mpl_ticks_minus(mpl_order_view_time(b->view, m.location, m.event), last));
        }
    }
}

/* ---- points by location and event ---------------------------------------------------------------- */

static bool make_tracks(struct build *b)
{
    const struct mpl_model *model = b->net->model;
    const uint32_t n = b->net->n_tracks;
    uint32_t most_events = 0;

    for (uint32_t l = 0; l < n; l++) {
        const uint32_t n_events = model->locations[l].n_events;

        most_events = n_events > most_events ? n_events : most_events;
    }
    b->net->track = MPL_NEW_ARRAY(b->arena, n, struct mpl_net_track);
    b->row = MPL_NEW_ARRAY(b->scratch, n, struct row);
    b->head = MPL_NEW_ARRAY(b->scratch, most_events, uint32_t);
    return b->net->track != NULL && b->row != NULL && b->head != NULL;
}

/* A list per event: nearly always of one, which makes sorting by event free. */
static void put_first(struct build *b, uint32_t *n, struct role role)
{
    role.next = b->head[role.event];
    b->at[(*n)++] = role;
    b->head[role.event] = *n;
}

static bool is_guess(const struct build *b, uint32_t location, uint32_t message,
                     bool is_send)
{
    const struct mpl_match *match = b->view->match;
    struct mpl_end end = { location, message };

    if (match->is_guess == NULL) {
        return false;
    }
    if (is_send) {
        end = mpl_match_partner(match, location, message);
    }
    return mpl_match_is_guess(match, end.location, end.message);
}

/* Both ends of a message know the number of the one that was sent. False: it is nothing for the net. */
static bool make_role(struct build *b, uint32_t location, uint32_t message,
                      struct role *out)
{
    const struct mpl_match *match = b->view->match;
    const struct mpl_location *loc = &b->net->model->locations[location];
    const struct mpl_message m = mpl_message_get(loc, message);
    const uint32_t own = match->first_number[location] + message;
    const uint32_t other = match->partner[location][message];
    const bool is_send = loc->envelopes[m.envelope].is_send;
    const uint32_t in_location = other - match->first_number[location];

    if (in_location < loc->n_messages) {
        const uint32_t event = mpl_message_get(loc, in_location).event;

        if (is_send ? is_given(0, m.event, 0, event) : is_given(0, event, 0, m.event)) {
            return false;
        }
    }
    if (b->watch == NULL && is_guess(b, location, message, is_send)) {
        if (!is_send) {
            leave_out(b, location, m.event);
        }
        return false;
    }
    *out = (struct role){ .event = m.event,
                          .link = is_send ? own : other,
                          .flags = is_send           ? MPL_POINT_SOURCE
                                   : b->mark == NULL ? 0
                                                     : b->mark[own] };
    return true;
}

static uint32_t put_roles(struct build *b, uint32_t location)
{
    const struct mpl_location *loc = &b->net->model->locations[location];
    const uint32_t *partner = b->view->match->partner[location];
    uint32_t n = 0;

    for (uint32_t i = 0; i < loc->n_messages; i++) {
        struct role role;

        if (partner[i] != MPL_NONE && make_role(b, location, i, &role)) {
            put_first(b, &n, role);
        }
    }
    for (uint32_t i = b->row[location].first; i != 0;) {
        const struct role *role = mpl_buf_get(&b->role, i - 1);

        put_first(b, &n, *role);
        i = role->next;
    }
    return n;
}

/* Sinks come before sources: what an event waits for, it cannot pass on before. */
static struct mpl_net_point *put_points(const struct build *b, struct mpl_net_point *at,
                                        uint32_t head, uint32_t wanted)
{
    while (head != 0) {
        const struct role *role = &b->at[head - 1];

        if ((role->flags & MPL_POINT_SOURCE) == wanted) {
            *at++ = (struct mpl_net_point){ role->event, role->link, role->flags };
        }
        head = role->next;
    }
    return at;
}

/* The usual location has nothing but messages, recorded one after the other. False: it is another one. */
static bool put_messages(struct build *b, uint32_t location, struct mpl_net_track *track)
{
    const struct mpl_location *loc = &b->net->model->locations[location];
    const uint32_t *partner = b->view->match->partner[location];
    uint32_t next_event = 0;
    uint32_t n = 0;

    for (uint32_t i = 0; i < loc->n_messages && b->row[location].first == 0; i++) {
        struct role role;

        if (partner[i] == MPL_NONE || !make_role(b, location, i, &role)) {
            continue;
        }
        if (role.event < next_event) {
            return false;
        }
        next_event = role.event + 1;
        track->points[n++] = (struct mpl_net_point){ role.event, role.link, role.flags };
    }
    track->n_points = n;
    return b->row[location].first == 0;
}

static bool sort_points(struct build *b, uint32_t location)
{
    struct mpl_net_track *track = &b->net->track[location];
    const size_t most =
        (size_t) track->n_points + b->net->model->locations[location].n_messages;

    track->points = MPL_NEW_UNSET(b->arena, most, struct mpl_net_point);
    if (track->points == NULL) {
        return false;
    }
    if (!put_messages(b, location, track)) {
        track->n_points = put_roles(b, location);
        struct mpl_net_point *at = track->points;

        for (uint32_t e = 0; at < track->points + track->n_points; e++) {
            const uint32_t head = b->head[e];

            if (head != 0) {
                at = put_points(b, at, head, 0);
                at = put_points(b, at, head, MPL_POINT_SOURCE);
                b->head[e] = 0;
            }
        }
    }
    b->net->n_points += track->n_points;
    return true;
}

static bool sort_all_points(struct build *b)
{
    const struct mpl_net *net = b->net;
    uint64_t most = 0;

    for (uint32_t l = 0; l < net->n_tracks; l++) {
        const uint64_t n =
            (uint64_t) net->track[l].n_points + net->model->locations[l].n_messages;

        most = n > most ? n : most;
    }
    b->at = most >= UINT32_MAX ? NULL : MPL_NEW_ARRAY(b->scratch, most, struct role);
    b->is_beyond = most >= UINT32_MAX;
    b->is_short = b->at == NULL;
    for (uint32_t l = 0; l < net->n_tracks && !b->is_short; l++) {
        b->is_short = !sort_points(b, l) || b->is_short;
    }
    return !b->is_short;
}

/* ---- the whole ------------------------------------------------------------------------------------ */

static enum mpl_status walk(struct build *b, struct mpl_err *err)
{
    const struct mpl_order_view *view = b->view;

    b->net->n_pairs = view->match->first_number[view->model->n_locations];
    if (b->watch != NULL) {
        b->mark = MPL_NEW_ARRAY(b->scratch, b->net->n_pairs, uint8_t);
        if (b->mark == NULL) {
            return mpl_nomem(err);
        }
        mpl_order_walk_pairs(view, visit_pair, b);
    }
    if (mpl_order_has_answers(view)) {
        for (uint32_t l = 0; l < view->model->n_locations; l++) {
            mpl_order_walk_answers(view, l, visit_answer, b);
        }
    }
    enum mpl_status st = mpl_order_walk_instances(view, visit_instance, b, err);
    if (st == MPL_OK && b->watch != NULL) {
        st = mpl_order_walk_weak(view, visit_instance, b, err);
    }
    if (st == MPL_OK) {
        mpl_order_walk_groups(view, visit_group, b);
    }
    return st == MPL_OK && b->is_short ? mpl_nomem(err) : st;
}

static enum mpl_status make(struct build *b, struct mpl_err *err)
{
    struct mpl_net *net = b->net;
    enum mpl_status st = make_tracks(b) ? walk(b, err) : mpl_nomem(err);

    if (st == MPL_OK) {
        net->n_groups = (uint32_t) b->group.n;
        net->group = mpl_buf_take(&b->group, b->arena);
        st = net->group != NULL && sort_all_points(b) ? MPL_OK : mpl_nomem(err);
    }
    if (st == MPL_OK && b->watch == NULL) {
        st = mpl_net_find_silent(net, b->arena, b->scratch, err);
    }
    if (b->is_beyond) {
        return mpl_fail(err, MPL_E_LIMIT,
                        "more than %" PRIu32 " dependences between locations", UINT32_MAX);
    }
    return st;
}

/* Threads that nothing orders, not even their beginning, are ordered by what the tracer leaves out. */
static bool lacks_threads(const struct mpl_model *model, const struct mpl_match *match)
{
    for (uint32_t p = 0; p < model->n_processes; p++) {
        const struct mpl_process *process = &model->processes[p];
        bool is_ordered = false;
        uint32_t n = 0;

        for (uint32_t i = 0; i < process->n_locations; i++) {
            n += model->locations[process->locations[i]].n_events > 0;
        }
        for (size_t i = 0; i < match->n_relations && n > 1 && !is_ordered; i++) {
            is_ordered = match->relations[i].process == p;
        }
        if (n > 1 && !is_ordered) {
            return true;
        }
    }
    return false;
}

enum mpl_status mpl_net_create(const struct mpl_order_view *view,
                               const struct mpl_net_watch *watch, struct mpl_arena *arena,
                               struct mpl_net **out, struct mpl_err *err)
{
    const struct mpl_match_counts *counts = &view->match->counts;
    struct build b = { .view = view, .watch = watch, .arena = arena };
    enum mpl_status st;

    b.role = mpl_buf_make(sizeof(struct role));
    b.group = mpl_buf_make(sizeof(struct mpl_net_group));
    b.net = MPL_NEW(arena, struct mpl_net);
    b.scratch = mpl_arena_create();
    if (b.net == NULL || b.scratch == NULL) {
        st = mpl_nomem(err);
    } else {
        b.net->model = view->model;
        b.net->n_tracks = view->model->n_locations;
        b.net->lacks_ends = counts->unmatched_sends + counts->unmatched_receives +
                                counts->garbage_ends + counts->incomplete_collectives >
                            0;
        b.net->lacks_threads = lacks_threads(view->model, view->match);
        st = make(&b, err);
    }
    if (st == MPL_OK) {
        *out = b.net;
    }
    mpl_arena_destroy(b.scratch);
    mpl_buf_free(&b.group);
    mpl_buf_free(&b.role);
    return st;
}
