/*
 * From records to calls. One walk over the records of a location keeps the stack of open
 * regions. A call is open as long as any region of MPI or thread synchronisation is on that
 * stack, or the tracer flushes its buffer, or measurement is switched off, or a worker thread is in
 * no team; what opened it first gives it its class. Traces of killed or badly instrumented programs have leaves without enters
 * and enters without leaves: a leave closes everything above its own enter, one without an enter
 * is ignored, and what is open at the end ends there.
 */
#include "config.h"

#include "events/walk_priv.h"

#include <string.h>

/* ---- calls -------------------------------------------------------------------- */

/* Gives the gap before record \p event, at \p now_ticks, to the functions of the program. */
static bool credit_gap(struct mpl_walk *w, int64_t now_ticks)
{
    return !w->has_gaps || mpl_gap_credit(w, now_ticks);
}

static int64_t time_of(const struct mpl_walk *w, uint32_t event)
{
    return mpl_time_of(w->events, w->loc, event);
}

/* \p region: as a call has it. False: no memory. */
static inline bool add_call(struct mpl_walk *w, uint32_t event, uint16_t region,
                            enum mpl_span_class class)
{
    uint32_t gap_region = MPL_NONE;

    w->enter_ticks = time_of(w, event);
    if (w->has_gaps) {
        if (!mpl_gap_credit(w, w->enter_ticks)) {
            return false;
        }
        gap_region = mpl_gap_close(w);
    }
    w->call =
        (struct mpl_call){ .enter = event,
                           .leave = event,
                           .culprit = MPL_NONE,
                           .first = MPL_NONE,
                           .gap_region =
                               gap_region < MPL_CALL_NO_GAP ? gap_region : MPL_CALL_NO_GAP,
                           .region = region,
                           .class = class };
    w->n_calls++;
    return true;
}

/* The open call is left, and the gap behind it begins. */
static inline void close_call(struct mpl_walk *w, uint32_t event)
{
    w->since_ticks = time_of(w, event);
    w->call.leave = event;
}

/* All of the last call is known. */
static inline bool keep_call(struct mpl_walk *w)
{
    const struct mpl_call_ticks ticks = { w->enter_ticks, w->since_ticks - w->enter_ticks,
                                          0 };

    return mpl_call_add(&w->scratch->maker, &w->call, &ticks);
}

static bool begin_call(struct mpl_walk *w, uint32_t event, enum mpl_span_class class)
{
    if (!add_call(w, event, mpl_call_region_of(w->loc, event), class)) {
        return false;
    }
    w->is_in_call = true;
    w->n_messages = 0;
    w->records = (struct mpl_call_records){ .collective = MPL_NONE };
    return true;
}

static bool list_add(struct mpl_walk *w, uint32_t value)
{
    struct mpl_buf *list = &w->scratch->list;
    const size_t n = list->n;

    if (!mpl_buf_grow_to(list, n + 1)) {
        return false;
    }
    ((uint32_t *) list->data)[n] = value;
    return true;
}

/* Opens a list for the current call: two words to be filled at its end, and its first message. */
static bool list_begin(struct mpl_walk *w)
{
    w->list_start = w->scratch->list.n;
    return list_add(w, 0) && list_add(w, MPL_NONE) && list_add(w, w->first_message);
}

static void note_region(struct mpl_walk *w, const struct mpl_call *call)
{
    const uint32_t region = mpl_call_region(w->events, w->location, call);

    if (region != MPL_NONE && (call->class != MPL_SPAN_OTHER || w->use[region].is_mpi)) {
        w->scratch->is_called[region] = true;
    }
}

/*
 * A receive whose end is not recorded ends in the next call that waits for requests, whatever else is
 * recorded there: EZTrace keeps some ends of persistent requests and loses others.
 */
static void note_open_posts(struct mpl_walk *w, const struct mpl_call *call)
{
    if (w->has_open_post && mpl_call_use(w->events, w->loc, call).block == BLOCK_REQUESTS) {
        w->records.is_lacking = true;
        w->has_open_post = false;
    }
}

/* A probe, or one that follows a probe whose message is not received yet. False: no memory. */
static bool note_probe(struct mpl_walk *w, bool is_probe)
{
    uint32_t *probe;

    w->has_open_probe = w->has_open_probe || (is_probe && !w->call.is_wait_known);
    if (!w->has_open_probe || !mpl_call_is_probe(w->events, w->loc, &w->call)) {
        return true;
    }
    probe = mpl_buf_add(&w->scratch->probes);
    if (probe == NULL) {
        return false;
    }
    *probe = w->n_calls - 1;
    return true;
}

/* What the open call has; one message alone needs no list, and a list that turns out not to be needed is dropped. */
static bool set_parts(struct mpl_walk *w)
{
    const uint32_t collective = w->records.collective;
    const bool has_list =
        w->n_messages > 1 || (w->n_messages == 1 && collective != MPL_NONE);
    uint32_t alone[] = { 0, 0, w->first_message };
    struct mpl_buf *list = &w->scratch->list;

    if (!has_list) {
        (void) mpl_call_set_parts(&w->call, alone, 0, w->n_messages, collective);
        return true;
    }
    if (w->n_messages == 1 && !list_begin(w)) {
        return false;
    }
    if (!mpl_call_set_parts(&w->call, (uint32_t *) list->data + w->list_start,
                            (uint32_t) w->list_start, w->n_messages, collective)) {
        list->n = w->list_start;
    }
    return true;
}

static bool end_call(struct mpl_walk *w, uint32_t event)
{
    struct mpl_call *call = &w->call;
    bool is_probe;

    close_call(w, event);
    note_region(w, call);
    w->is_in_call = false;
    note_open_posts(w, call);
    call->is_wait_known = mpl_call_is_known(w->events, w->location, call, &w->records);
    is_probe = mpl_call_is_probe(w->events, w->loc, call);
    return set_parts(w) && note_probe(w, is_probe) && keep_call(w);
}

/* After the number of open call regions has changed: opens or closes the call accordingly. */
static bool settle(struct mpl_walk *w, uint32_t event, uint32_t region)
{
    if (w->is_in_startup || w->is_in_shutdown) {
        return true;
    }
    if (!w->is_in_call && w->n_open > 0) {
        const enum mpl_span_class class = region == MPL_NONE
                                              ? MPL_SPAN_OTHER
                                              : (enum mpl_span_class) w->use[region].class;

        return begin_call(w, event, class);
    }
    if (w->is_in_call && w->n_open == 0) {
        return end_call(w, event);
    }
    return true;
}

/* ---- records --------------------------------------------------------------------- */

static bool push(struct mpl_walk *w, uint32_t region)
{
    struct mpl_buf *stack = &w->scratch->stack;

    if (w->depth == stack->n && mpl_buf_add(stack) == NULL) {
        return false;
    }
    ((uint32_t *) stack->data)[w->depth++] = region;
    w->scratch->sums[region].n_open++;
    return true;
}

/* Removes the innermost region; true if MPI_Init is thereby left for the first time. */
static bool pop(struct mpl_walk *w)
{
    const uint32_t region = ((const uint32_t *) w->scratch->stack.data)[--w->depth];

    w->scratch->sums[region].n_open--;
    if (w->use[region].role >= ROLE_CALL) {
        w->n_open--;
    }
    return w->is_in_startup && w->depth == w->init_depth;
}

static bool enter_plain(struct mpl_walk *w, uint32_t event, uint32_t region)
{
    struct mpl_region_sum *sum;

    if ((!w->is_in_call && !credit_gap(w, time_of(w, event))) || !push(w, region)) {
        return false;
    }
    if (!w->has_gaps || w->use[region].role == ROLE_TRANSPARENT) {
        return true;
    }
    sum = mpl_region_sum_of(w, region);
    if (sum == NULL) {
        return false;
    }
    sum->visits++;
    return true;
}

static bool enter_region(struct mpl_walk *w, uint32_t event, uint32_t region)
{
    const enum mpl_region_role role = (enum mpl_region_role) w->use[region].role;

    if (role < ROLE_CALL) {
        return enter_plain(w, event, region);
    }
    if (event == w->lane->first_init) {
        w->init_depth = w->depth;
    }
    if (role == ROLE_FINALIZE && w->is_in_call && !w->is_in_startup && !w->is_in_shutdown) {
        /* Something was not left; from here on all is shut-down, whatever it was. */
        if (!end_call(w, event)) {
            return false;
        }
    }
    if (!w->is_in_call) {
        if (!begin_call(w, event, (enum mpl_span_class) w->use[region].class)) {
            return false;
        }
        w->is_in_shutdown = role == ROLE_FINALIZE;
    }
    w->n_open++;
    return push(w, region);
}

static bool leave_region(struct mpl_walk *w, uint32_t event, uint32_t region)
{
    bool is_init_left = false;
    uint32_t innermost;

    if (w->scratch->sums[region].n_open == 0) {
        return true;
    }
    if (!w->is_in_call && !credit_gap(w, time_of(w, event))) {
        return false;
    }
    do {
        innermost = ((const uint32_t *) w->scratch->stack.data)[w->depth - 1];
        is_init_left = pop(w) || is_init_left;
    } while (innermost != region);
    if (is_init_left) {
        w->is_in_startup = false;
        if (w->n_open > 0) {
            /* MPI_Init inside another call, which goes on without it. */
            return end_call(w, event) && begin_call(w, event, MPL_SPAN_OTHER);
        }
    }
    return settle(w, event, MPL_NONE);
}

static bool toggle(struct mpl_walk *w, uint32_t event, bool *is_on, bool now)
{
    if (*is_on == now) {
        return true;
    }
    *is_on = now;
    w->n_open = now ? w->n_open + 1 : w->n_open - 1;
    return settle(w, event, MPL_NONE);
}

/* MPI_PROC_NULL has no partner and needs none. */
static bool is_null(const struct mpl_location *loc, uint32_t message)
{
    const uint32_t envelope = mpl_message_get(loc, message).envelope;

    return envelope != MPL_NONE && loc->envelopes[envelope].is_null;
}

/* Between two parallel regions a worker thread waits for work; the master goes on. */
static bool end_team(struct mpl_walk *w, uint32_t event)
{
    if (w->n_teams == 0 || --w->n_teams > 0 || w->loc->thread == 0) {
        return true;
    }
    return toggle(w, event, &w->is_idle, true);
}

static bool is_lacking(const struct mpl_walk *w, uint32_t message)
{
    return w->partner[message] == MPL_NONE && !is_null(w->loc, message);
}

static void note_record(struct mpl_walk *w, uint32_t message)
{
    w->records.n++;
    w->records.is_lacking = w->records.is_lacking || is_lacking(w, message);
}

/* A probe waits for the message that the next receive takes. */
static void resolve_probes(struct mpl_walk *w, uint32_t message)
{
    struct mpl_buf *probes = &w->scratch->probes;
    struct mpl_call_wait *waits = w->scratch->maker.waits.data;

    for (size_t i = 0; i < probes->n; i++) {
        waits[((const uint32_t *) probes->data)[i]].is_known =
            w->partner[message] != MPL_NONE;
    }
    probes->n = 0;
    w->has_open_probe = false;
}

/* The posts get a column of their own. False when out of memory. */
static bool copy_posts(struct mpl_walk *w)
{
    struct mpl_lane *lane = w->lane;

    lane->post_of_message = MPL_NEW_UNSET(w->scratch->arena, w->loc->n_messages, uint32_t);
    if (lane->post_of_message == NULL) {
        return false;
    }
    memcpy(lane->post_of_message, lane->call_of_message,
           w->loc->n_messages * sizeof *lane->call_of_message);
    return true;
}

/* Where receives are posted ahead, posts and ends are not the same. False when out of memory. */
static bool split_posts(struct mpl_walk *w)
{
    return w->lane->post_of_message != w->lane->call_of_message || copy_posts(w);
}

/* The last call has a message, whose record is of that kind. */
static inline bool keep_call_of(struct mpl_walk *w, uint32_t message, uint8_t kind)
{
    const uint32_t call = w->n_calls - 1;

    if (kind == MPL_EV_IRECV) {
        if (!split_posts(w)) {
            return false;
        }
    } else {
        w->lane->post_of_message[message] = call;
    }
    w->lane->call_of_message[message] = call;
    return true;
}

static bool note_message(struct mpl_walk *w, uint32_t message, uint8_t kind)
{
    if (message == MPL_NONE || !w->is_in_call) {
        return true;
    }
    note_record(w, message);
    if (!keep_call_of(w, message, kind)) {
        return false;
    }
    w->n_messages++;
    if (w->n_messages == 1) {
        w->first_message = message;
        return true;
    }
    if (w->n_messages == 2 && !list_begin(w)) {
        return false;
    }
    return list_add(w, message);
}

/* The receive of a message, which may have no end, is posted: where \p is_in_call, by the last call. False: no memory. */
static bool note_post(struct mpl_walk *w, uint32_t message, bool is_in_call)
{
    if (!split_posts(w)) {
        return false;
    }
    if (is_in_call) {
        w->lane->post_of_message[message] = w->n_calls - 1;
    }
    w->has_open_post =
        w->has_open_post ||
        (w->loses_ends && mpl_message_get(w->loc, message).event == MPL_NONE);
    return true;
}

static void note_done(struct mpl_walk *w, uint32_t message)
{
    if (message != MPL_NONE) {
        note_record(w, message);
    }
}

static void note_collective(struct mpl_walk *w, uint32_t collective)
{
    if (collective == MPL_NONE || !w->is_in_call) {
        return;
    }
    w->lane->call_of_collective[collective] = w->n_calls - 1;
    if (w->records.collective == MPL_NONE) {
        w->records.collective = collective;
    }
}

static bool is_post(uint8_t kind)
{
    return kind == MPL_EV_SEND || kind == MPL_EV_ISEND || kind == MPL_EV_RECV ||
           kind == MPL_EV_IRECV;
}

static bool take_receive(struct mpl_walk *w, uint32_t message)
{
    if (w->has_open_probe && message != MPL_NONE) {
        resolve_probes(w, message);
    }
    return note_message(w, message, MPL_EV_RECV);
}

/* A record that opens and closes nothing: of a message or a collective. */
static bool take_part(struct mpl_walk *w, uint32_t event)
{
    const uint8_t kind = mpl_kind_of(w->loc, event);

    switch ((enum mpl_event_kind) kind) {
    case MPL_EV_RECV:
        return take_receive(w, mpl_message_of(w->loc, event));
    case MPL_EV_SEND:
    case MPL_EV_ISEND:
    case MPL_EV_IRECV:
        return note_message(w, mpl_message_of(w->loc, event), kind);
    case MPL_EV_IRECV_POST:
        /* Start-up that is over at the first record is not open any more, and has it all the same. */
        return note_post(w, mpl_message_of(w->loc, event),
                         w->is_in_call || (event == 0 && w->n_calls > 0));
    case MPL_EV_ISEND_DONE:
        note_done(w, mpl_message_of(w->loc, event));
        return true;
    case MPL_EV_COLL_END:
        w->records.n++;
        note_collective(w, mpl_ref_of(w->loc, event));
        return true;
    case MPL_EV_COLL_BEGIN:
        note_collective(w, mpl_ref_of(w->loc, event));
        return true;
    default:
        return true;
    }
}

static bool take_record(struct mpl_walk *w, uint32_t event)
{
    switch ((enum mpl_event_kind) mpl_kind_of(w->loc, event)) {
    case MPL_EV_ENTER:
        return enter_region(w, event, mpl_region_of(w->loc, event));
    case MPL_EV_LEAVE:
        return leave_region(w, event, mpl_region_of(w->loc, event));
    case MPL_EV_TEAM_BEGIN:
        w->n_teams++;
        return toggle(w, event, &w->is_idle, false);
    case MPL_EV_TEAM_END:
        return end_team(w, event);
    case MPL_EV_FLUSH_BEGIN:
        return toggle(w, event, &w->is_flushing, true);
    case MPL_EV_FLUSH_END:
        return toggle(w, event, &w->is_flushing, false);
    case MPL_EV_OFF:
        return toggle(w, event, &w->is_off, true);
    case MPL_EV_ON:
        return toggle(w, event, &w->is_off, false);
    default:
        return take_part(w, event);
    }
}

/* ---- whole calls and locations ---------------------------------------------------- */

uint32_t mpl_find_plain_leave(const struct mpl_walk *w, uint32_t event)
{
    const struct mpl_location *loc = w->loc;

    for (uint32_t i = event + 1; i < loc->n_events; i++) {
        switch ((enum mpl_event_kind) mpl_kind_of(loc, i)) {
        case MPL_EV_LEAVE:
            return mpl_region_of(loc, i) == mpl_region_of(loc, event) ? i : MPL_NONE;
        case MPL_EV_ENTER:
        case MPL_EV_TEAM_BEGIN:
        case MPL_EV_TEAM_END:
        case MPL_EV_FLUSH_BEGIN:
        case MPL_EV_FLUSH_END:
        case MPL_EV_OFF:
        case MPL_EV_ON:
            return MPL_NONE;
        default:
            break;
        }
    }
    return MPL_NONE;
}

/* Takes a whole call of the usual kind at once, which spares the stack; nearly all are. Returns
 * its last record, MPL_NONE if it is not of that kind. */
static bool take_plain_call(struct mpl_walk *w, uint32_t event, uint32_t *last)
{
    const struct mpl_region_use *use;

    *last = MPL_NONE;
    if (w->is_in_call || mpl_kind_of(w->loc, event) != MPL_EV_ENTER) {
        return true;
    }
    use = &w->use[mpl_region_of(w->loc, event)];
    if (use->role != ROLE_CALL) {
        return true;
    }
    *last = mpl_find_plain_leave(w, event);
    if (*last == MPL_NONE) {
        return true;
    }
    if (!begin_call(w, event, (enum mpl_span_class) use->class)) {
        return false;
    }
    for (uint32_t i = event + 1; i < *last; i++) {
        if (!take_part(w, i)) {
            return false;
        }
    }
    return end_call(w, *last);
}

/* All that the last call does is to send or receive a message, or to post its receive without waiting. False: no memory. */
static bool take_only_record(struct mpl_walk *w, uint32_t message, uint8_t kind)
{
    struct mpl_call *call = &w->call;
    struct mpl_call_records records = { 1, false, MPL_NONE };

    if (kind == MPL_EV_IRECV_POST) {
        call->is_wait_known = true;
        return note_post(w, message, true) && keep_call(w);
    }
    call->first = message;
    call->parts = MPL_PARTS_MESSAGES;
    records.is_lacking = is_lacking(w, message);
    call->is_wait_known =
        !records.is_lacking || mpl_call_is_known(w->events, w->location, call, &records);
    return keep_call_of(w, message, kind) && keep_call(w);
}

/*
 * The usual call of all: it sends or receives a message or posts its receive, and nothing else is recorded in it. Does what the
 * records would do one by one, of which there are millions. Returns its last record, MPL_NONE if it is not of that kind.
 */
static bool take_short_call(struct mpl_walk *w, uint32_t event, uint32_t *last)
{
    const struct mpl_event_place place = mpl_event_place_of(&w->loc->column, event);
    const struct mpl_region_use *use;
    uint32_t region;
    uint32_t message;
    uint8_t kind;

    *last = MPL_NONE;
    if (!mpl_event_place_has(&place, 2) || w->is_in_call || w->has_open_probe ||
        mpl_event_place_kind(&place, 0) != MPL_EV_ENTER ||
        mpl_event_place_kind(&place, 2) != MPL_EV_LEAVE) {
        return true;
    }
    region = mpl_event_place_ref(&place, MPL_REF_PLAIN, 0);
    kind = mpl_event_place_kind(&place, 1);
    use = &w->use[region];
    if (use->role != ROLE_CALL || use->class != MPL_SPAN_P2P || use->block == BLOCK_PROBE ||
        (w->has_open_post && use->block == BLOCK_REQUESTS) ||
        !(is_post(kind) || (kind == MPL_EV_IRECV_POST && use->block == BLOCK_NEVER)) ||
        mpl_event_place_ref(&place, MPL_REF_PLAIN, 2) != region) {
        return true;
    }
    message = mpl_event_place_ref(&place, MPL_REF_MESSAGE, 1);
    if (message == MPL_NONE) {
        return true;
    }
    if (!add_call(w, event, mpl_call_region_in(region), MPL_SPAN_P2P)) {
        return false;
    }
    close_call(w, event + 2);
    *last = event + 2;
    w->scratch->is_called[region] = true;
    return take_only_record(w, message, kind);
}

/* Whether a function of the program is entered and left again at once; \p region: which. Of one whose records stand in two
 * blocks that is not seen. */
static bool is_leaf(const struct mpl_walk *w, uint32_t event, uint32_t *region)
{
    const struct mpl_event_place place = mpl_event_place_of(&w->loc->column, event);

    if (!mpl_event_place_has(&place, 1) ||
        mpl_event_place_kind(&place, 0) != MPL_EV_ENTER ||
        mpl_event_place_kind(&place, 1) != MPL_EV_LEAVE) {
        return false;
    }
    *region = mpl_event_place_ref(&place, MPL_REF_PLAIN, 0);
    return mpl_event_place_ref(&place, MPL_REF_PLAIN, 1) == *region &&
           w->use[*region].role < ROLE_CALL;
}

/* The time before such a function, and that in it. False when out of memory. */
static bool take_leaf(struct mpl_walk *w, uint32_t event, uint32_t region)
{
    struct mpl_region_sum *sum;

    if (!w->is_in_call && !mpl_gap_credit(w, time_of(w, event))) {
        return false;
    }
    if (w->use[region].role != ROLE_TRANSPARENT) {
        sum = mpl_region_sum_of(w, region);
        if (sum == NULL) {
            return false;
        }
        sum->visits++;
    }
    if (!w->is_in_call) {
        const int64_t before = w->since_ticks;

        w->since_ticks = time_of(w, event + 1);
        return mpl_region_credit(w, region, w->since_ticks - before);
    }
    return true;
}

/* Goes over functions of the program that call nothing, of which there are millions: what their records would do one by
 * one. \p next: the record behind them. False when out of memory. */
static bool take_leaves(struct mpl_walk *w, uint32_t event, uint32_t *next)
{
    bool is_enough = true;
    uint32_t region;

    for (; is_enough && event < w->loc->n_events && is_leaf(w, event, &region);
         event += 2) {
        is_enough = !w->has_gaps || take_leaf(w, event, region);
    }
    *next = event;
    return is_enough;
}

static bool take_records(struct mpl_walk *w)
{
    const uint32_t n = w->loc->n_events;

    if (n == 0) {
        return true;
    }
    w->since_ticks = time_of(w, 0);
    if (mpl_ticks_of(w->loc, 0) < w->events->startup_end_ticks &&
        !(begin_call(w, 0, MPL_SPAN_STARTUP) && end_call(w, 0))) {
        return false;
    }
    if (w->lane->first_init != MPL_NONE) {
        w->is_in_startup = true;
        w->init_depth = MPL_NONE;
        if (!begin_call(w, 0, MPL_SPAN_STARTUP)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t last;

        if (w->n_calls % MPL_CALLS_PER_BLOCK == 0 && w->n_calls != w->n_asked) {
            if (!mpl_block_repeats_take(w, &i)) {
                return false;
            }
            w->n_asked = w->n_calls;
            if (i == n) {
                break;
            }
        }
        if (!take_leaves(w, i, &i)) {
            return false;
        }
        if (i == n) {
            break;
        }
        if (!take_short_call(w, i, &last) ||
            (last == MPL_NONE && !take_plain_call(w, i, &last))) {
            return false;
        }
        if (last != MPL_NONE) {
            i = last;
        } else if (!take_record(w, i)) {
            return false;
        }
    }
    if (w->is_in_call) {
        return end_call(w, n - 1);
    }
    return credit_gap(w, time_of(w, n - 1));
}

bool mpl_records_walk(struct mpl_walk *w)
{
    const bool is_done = take_records(w);

    while (w->depth > 0) {
        (void) pop(w);
    }
    return is_done;
}
