/*
 * The run as an activity graph (Yang and Miller: Critical Path Analysis for the Execution of Parallel and
 * Distributed Programs, ICDCS 1988), laid out once for all replays: per call what its location computes
 * before it, what it costs beyond waiting, and which other call must have begun before it can go on.
 * Whose message is whose, and what the clocks say, need not be looked up again then.
 *
 * Nearly all calls need at most some calls of others. What has more to it (collectives, probes, calls of which
 * nobody knows what they wait for) is replayed from its records.
 */
#include "config.h"

#include "replay/replay_priv.h"

#include <string.h>

/* The calls that are needed, as far as a thread knows. */
struct marks {
    uint32_t *is_needed; /* per CALLS_PER_BLOCK calls, a bit of each */
    bool *is_kept;       /* likewise: records may ask for one of them */
};

/* What a thread lays out. */
struct layout {
    struct activities *a;
    struct mpl_arena *arena;
    struct marks marks; /* its own, of the calls of all locations */
    /* The location at hand. */
    uint32_t location;
    struct mpl_buf code; /* uint8_t: its activities, up to the one at hand */
    struct answers answers;
    int64_t left_ticks;    /* its last call, or its first record */
    uint32_t next_receive; /* record of the next blocking receive, for probes */
    /* The call at hand. */
    const struct mpl_call_view *view;
    uint8_t *head;
    size_t n_needs;
    uint8_t flags;
    int64_t held_ticks; /* of its last send that was, see progress.c; else 0 */
};

/* Worker threads that never call MPI are part of their master's computation. */
static bool takes_part(const struct mpl_location *loc)
{
    return loc->n_events > 0 &&
           (loc->thread == 0 || loc->n_messages > 0 || loc->n_collectives > 0);
}

bool mpl_activities_find_post(const struct activities *a, uint32_t lane, uint32_t message,
                              uint32_t *other, uint32_t *call)
{
    return mpl_events_posting_call(a->events, lane, message, other, call) &&
           a->is_part[*other];
}

uint32_t mpl_activities_find_receive(const struct mpl_location *loc,
                                     const struct mpl_call_view *view, uint32_t known)
{
    uint32_t e = known > view->last_event ? known : view->last_event + 1;

    while (e < loc->n_events && mpl_kind_of(loc, e) != MPL_EV_RECV) {
        e++;
    }
    return e;
}

static void mark_needed(const struct layout *y, uint32_t number)
{
    y->marks.is_needed[number / CALLS_PER_BLOCK] |= UINT32_C(1) << number % CALLS_PER_BLOCK;
}

/* Somebody needs the call who says so nowhere in the activities. */
static void mark_kept(const struct layout *y, uint32_t number)
{
    mark_needed(y, number);
    y->marks.is_kept[number / CALLS_PER_BLOCK] = true;
}

/* The other end of a message, in calls that are replayed by their records. */
static void mark_post(const struct layout *y, uint32_t message)
{
    uint32_t other;
    uint32_t call;

    if (mpl_activities_find_post(y->a, y->location, message, &other, &call)) {
        mark_kept(y, y->a->first_call[other] + call);
    }
}

/* ---- one call ------------------------------------------------------------------------------- */

/* A head, ticks, and the number of calls that are needed. */
enum { MOST_BEFORE_NEEDS = 1 + 2 * sizeof(int64_t) + ACTIVITY_N_BYTES };

/* With room for all of it: each record adds a need at most. */
static bool begin_activity(struct layout *y)
{
    const size_t n_records = (size_t) y->view->last_event - y->view->first_event + 1;
    const size_t n = y->code.n;

    if (!mpl_buf_grow_to(&y->code,
                         n + MOST_BEFORE_NEEDS + n_records * ACTIVITY_NEED_BYTES)) {
        return false;
    }
    y->code.n = n;
    y->head = (uint8_t *) y->code.data + n;
    y->n_needs = 0;
    return true;
}

/* Until it is known what stands before them. */
static uint8_t *needs_of(const struct layout *y)
{
    return y->head + MOST_BEFORE_NEEDS;
}

static void add_need(struct layout *y, uint32_t other, uint32_t call)
{
    const uint32_t number = y->a->first_call[other] + call;

    mark_needed(y, number);
    memcpy(needs_of(y) + y->n_needs * ACTIVITY_NEED_BYTES, &number, sizeof number);
    y->n_needs++;
}

/* Its records say what it needs. */
static void drop_needs(struct layout *y)
{
    uint32_t number;

    for (; y->n_needs > 0; y->n_needs--) {
        memcpy(&number, needs_of(y) + (y->n_needs - 1) * ACTIVITY_NEED_BYTES,
               sizeof number);
        mark_kept(y, number);
    }
}

/* Of ticks that are not negative, in \p bits: the bytes that hold them, as a power of 2. */
static unsigned width_of(int64_t bits)
{
    if (bits <= UINT8_MAX) {
        return 0;
    }
    if (bits <= UINT16_MAX) {
        return 1;
    }
    return bits <= UINT32_MAX ? 2 : 3;
}

/* Returns what is behind them. */
static uint8_t *write_ticks(uint8_t *at, unsigned width, int64_t compute_ticks,
                            int64_t cost_ticks)
{
    const uint16_t ticks_16[] = { (uint16_t) compute_ticks, (uint16_t) cost_ticks };
    const uint32_t ticks_32[] = { (uint32_t) compute_ticks, (uint32_t) cost_ticks };
    const int64_t ticks_64[] = { compute_ticks, cost_ticks };

    switch (width) {
    case 0:
        at[0] = (uint8_t) compute_ticks;
        at[1] = (uint8_t) cost_ticks;
        return at + 2;
    case 1:
        memcpy(at, ticks_16, sizeof ticks_16);
        return at + sizeof ticks_16;
    case 2:
        memcpy(at, ticks_32, sizeof ticks_32);
        return at + sizeof ticks_32;
    default:
        memcpy(at, ticks_64, sizeof ticks_64);
        return at + sizeof ticks_64;
    }
}

/* Likewise. Few are needed of which the head does not say how many they are. */
static uint8_t *write_needs(const struct layout *y, uint8_t *at)
{
    const uint16_t n = (uint16_t) y->n_needs;

    if (n >= ACTIVITY_N_BEHIND) {
        memcpy(at, &n, sizeof n);
        at += sizeof n;
    }
    memmove(at, needs_of(y), y->n_needs * ACTIVITY_NEED_BYTES);
    return at + y->n_needs * ACTIVITY_NEED_BYTES;
}

static void end_activity(struct layout *y, int64_t compute_ticks, int64_t cost_ticks)
{
    if ((y->flags & ACTIVITY_BY_RECORD) != 0 || y->n_needs > ACTIVITY_N_MOST ||
        ((y->flags & ACTIVITY_UNLESS_IDEAL) != 0 && y->n_needs > 1)) {
        y->flags = ACTIVITY_BY_RECORD;
        drop_needs(y);
        cost_ticks = 0;
    }

    const unsigned width = width_of(compute_ticks | cost_ticks);
    const size_t n = y->n_needs < ACTIVITY_N_BEHIND ? y->n_needs : ACTIVITY_N_BEHIND;
    uint8_t *at = write_ticks(y->head + 1, width, compute_ticks, cost_ticks);

    *y->head = (uint8_t) (n << ACTIVITY_N_SHIFT | width << ACTIVITY_WIDTH_SHIFT | y->flags);
    if (n > 0) {
        at = write_needs(y, at);
    }
    y->code.n = (size_t) (at - (uint8_t *) y->code.data);
}

static void take_receive(struct layout *y, uint32_t message)
{
    uint32_t other;
    uint32_t call;

    if (mpl_activities_find_post(y->a, y->location, message, &other, &call)) {
        mpl_answers_receive(&y->answers, other);
        add_need(y, other, call);
    }
}

static void take_send(struct layout *y, uint32_t message)
{
    const bool is_sync = y->view->mode == MPL_CALL_SYNC_SEND;
    uint32_t other;
    uint32_t call;

    if (y->held_ticks > 0) {
        /* Behind a send that was held in the same call. */
        y->flags |= ACTIVITY_BY_RECORD;
    }
    if (is_sync || y->view->wait_kind == MPL_WAIT_LATE_RECEIVER
            ? !mpl_activities_find_post(y->a, y->location, message, &other, &call)
            : !mpl_activities_find_progress(y->a, y->location, y->view, message, &other,
                                            &call, &y->held_ticks)) {
        return;
    }
    if (!is_sync) {
        /* With others that it needs on any network it has no words. */
        y->flags |= y->n_needs == 0 ? ACTIVITY_UNLESS_IDEAL : ACTIVITY_BY_RECORD;
    }
    add_need(y, other, call);
}

static void note_arrival(struct layout *y, uint32_t number, uint32_t collective,
                         bool is_end)
{
    const struct mpl_location *loc = &y->a->model->locations[y->location];

    y->flags |= ACTIVITY_BY_RECORD;
    if (collective != MPL_NONE &&
        (!is_end || loc->collectives[collective].begin == MPL_NONE)) {
        y->a->arrival[y->a->first_collective[y->location] + collective] = number;
    }
}

static void take_record(struct layout *y, const struct mpl_location *loc, uint32_t number,
                        uint32_t event)
{
    switch ((enum mpl_event_kind) mpl_kind_of(loc, event)) {
    case MPL_EV_RECV:
    case MPL_EV_IRECV:
        take_receive(y, mpl_message_of(loc, event));
        break;
    case MPL_EV_SEND:
        mpl_answers_send(&y->answers, loc, mpl_message_of(loc, event));
        take_send(y, mpl_message_of(loc, event));
        break;
    case MPL_EV_ISEND:
        mpl_answers_send(&y->answers, loc, mpl_message_of(loc, event));
        break;
    case MPL_EV_ISEND_DONE:
        if (y->view->wait_kind == MPL_WAIT_LATE_RECEIVER &&
            mpl_message_of(loc, event) != MPL_NONE) {
            y->flags |= ACTIVITY_BY_RECORD;
            mark_post(y, mpl_message_of(loc, event));
        }
        break;
    case MPL_EV_COLL_BEGIN:
        note_arrival(y, number, mpl_ref_of(loc, event), false);
        break;
    case MPL_EV_COLL_END:
        note_arrival(y, number, mpl_ref_of(loc, event), true);
        break;
    default:
        break;
    }
}

static void take_probe(struct layout *y, const struct mpl_location *loc)
{
    y->next_receive = mpl_activities_find_receive(loc, y->view, y->next_receive);
    if (y->next_receive < loc->n_events) {
        mark_post(y, mpl_message_of(loc, y->next_receive));
    }
}

static bool is_plain(const struct mpl_call_view *view)
{
    return view->is_wait_known && view->is_mpi && !view->is_probe &&
           view->class != MPL_SPAN_SHUTDOWN;
}

/* Its first and its last record do nothing but open and close it, which is half of the records of most calls. Start-up,
 * shut-down and a call that is never left may begin and end with any record. */
static bool is_framed(const struct mpl_call_view *view, const struct mpl_location *loc)
{
    return view->class != MPL_SPAN_STARTUP && view->class != MPL_SPAN_SHUTDOWN &&
           view->last_event + 1 < loc->n_events;
}

/* The records within the call, and what it waits for. */
static int64_t take_records(struct layout *y, const struct mpl_location *loc,
                            uint32_t number)
{
    const struct mpl_call_view *view = y->view;
    const uint32_t n_frame = is_framed(view, loc) ? 1 : 0;
    const uint32_t end = view->last_event + 1 - n_frame;

    y->held_ticks = 0;
    y->flags = is_plain(view) ? 0 : ACTIVITY_BY_RECORD;
    if (view->is_probe) {
        take_probe(y, loc);
    }
    for (uint32_t e = view->first_event + n_frame; e < end; e++) {
        take_record(y, loc, number, e);
    }
    return view->wait_ticks + y->held_ticks;
}

/* Of a call that only posts a message: it needs nobody. */
static void take_post(struct layout *y, const struct mpl_location *loc)
{
    const uint32_t event = y->view->first_event + 1;

    y->flags = 0;
    if (mpl_kind_of(loc, event) == MPL_EV_ISEND) {
        mpl_answers_send(&y->answers, loc, mpl_message_of(loc, event));
    }
}

static bool lay_out_call(struct layout *y, const struct mpl_location *loc, uint32_t number)
{
    const struct activities *a = y->a;
    const struct mpl_call_view *view = y->view;
    const int64_t left_ticks = y->left_ticks;
    const uint32_t call = number - a->first_call[y->location];
    const int64_t begin_ticks = mpl_call_enter_ticks(a->events, y->location, call);
    const int64_t end_ticks =
        begin_ticks + mpl_call_duration_ticks(&a->events->lanes[y->location], call);
    /* Nearly all of them: nothing has to be cut off. */
    const bool is_inside =
        left_ticks >= a->window_begin_ticks && end_ticks <= a->window_end_ticks;
    const int64_t compute_ticks = is_inside
                                      ? begin_ticks - left_ticks
                                      : mpl_activities_inside(a, left_ticks, begin_ticks);
    const int64_t ticks = is_inside ? end_ticks - begin_ticks
                                    : mpl_activities_inside(a, begin_ticks, end_ticks);
    int64_t waited_ticks = 0;

    y->left_ticks = end_ticks;
    if (!begin_activity(y)) {
        return false;
    }
    if (view->is_post) {
        take_post(y, loc);
    } else {
        waited_ticks = take_records(y, loc, number);
    }
    end_activity(y, compute_ticks, ticks > waited_ticks ? ticks - waited_ticks : 0);
    return true;
}

/* Who may take what comes first is asked later when each of its calls began, and when whatever it receives was
 * sent, in a call or not. */
static void mark_all(const struct layout *y)
{
    const struct activities *a = y->a;

    for (uint32_t k = a->first_call[y->location]; k < a->first_call[y->location + 1]; k++) {
        mark_kept(y, k);
    }
    for (uint32_t m = 0; m < a->model->locations[y->location].n_messages; m++) {
        if (mpl_events_call_of_message(a->events, y->location, m) == MPL_NONE) {
            mark_post(y, m);
        }
    }
}

/* Calls of others are far from each other in memory: those that the blocking calls of a block need are asked for together. */
static void fetch_others(const struct layout *y, uint32_t first,
                         const struct mpl_call_view *views, uint32_t n)
{
    uint32_t messages[MPL_CALLS_PER_BLOCK];
    uint32_t n_messages = 0;

    for (uint32_t i = 0; i < n; i++) {
        if (!views[i].is_post && views[i].class == MPL_SPAN_P2P &&
            views[i].mode == MPL_CALL_PLAIN &&
            mpl_events_only_message(y->a->events, y->location, 2 * (first + i) + 1,
                                    &messages[n_messages]) &&
            messages[n_messages] != MPL_NONE) {
            mpl_events_fetch_posting(y->a->events, y->location, messages[n_messages++],
                                     false);
        }
    }
    for (uint32_t i = 0; i < n_messages; i++) {
        mpl_events_fetch_posting(y->a->events, y->location, messages[i], true);
    }
}

static bool lay_out_location(struct layout *y)
{
    struct activities *a = y->a;
    const struct mpl_location *loc = &a->model->locations[y->location];
    const uint32_t first = a->first_call[y->location];
    const uint32_t n = mpl_events_call_count(a->events, y->location);

    y->answers = mpl_answers_begin(a->model);
    y->next_receive = 0;
    y->left_ticks = n > 0 ? mpl_ticks_of(loc, 0) : 0;
    for (uint32_t k = 0; k < n;) {
        struct mpl_call_view views[MPL_CALLS_PER_BLOCK];
        const uint32_t end = k + mpl_events_calls(a->events, y->location, k, views);

        fetch_others(y, k, views, end - k);
        for (y->view = views; k < end; k++, y->view++) {
            if (!lay_out_call(y, loc, first + k)) {
                return false;
            }
        }
    }
    a->code[y->location] = mpl_buf_drain(&y->code, y->code.n, y->arena);
    a->answers[y->location] = mpl_answers_end(&y->answers);
    if (a->answers[y->location]) {
        mark_all(y);
    }
    return a->code[y->location] != NULL;
}

/* ---- collectives ---------------------------------------------------------------------------- */

/* Who does not come cannot be waited for: a part that is recorded outside of any call. */
static bool lay_out_collectives(const struct layout *y, struct mpl_arena *scratch)
{
    struct activities *a = y->a;
    struct mpl_coll_need *needs =
        MPL_NEW_ARRAY(scratch, a->model->n_locations, struct mpl_coll_need);

    for (uint32_t i = 0; i < a->match->n_instances && needs != NULL; i++) {
        const struct mpl_coll_instance *instance = &a->match->instances[i];

        mpl_events_coll_needs(a->events, i, needs);
        for (uint32_t k = 0; k < instance->n_parts; k++) {
            const struct mpl_coll_part *part = &a->match->parts[instance->first_part + k];
            const size_t number = a->first_collective[part->location] + part->collective;

            needs[k].is_needed = needs[k].is_needed && a->arrival[number] != MPL_NONE;
            if (mpl_order_is_prefix(instance->op) && a->arrival[number] != MPL_NONE) {
                mark_kept(y, a->arrival[number]);
            }
            a->n_needed[i] += needs[k].is_needed;
            a->coll_needs[number] = needs[k];
        }
    }
    return needs != NULL;
}

/* ---- slots ---------------------------------------------------------------------------------- */

static void number_slots(struct activities *a, uint32_t n_blocks)
{
    for (uint32_t i = 0; i < n_blocks; i++) {
        a->needed[i].n_before = a->n_slots;
        a->n_slots += (uint32_t) __builtin_popcount(a->needed[i].is_needed);
    }
}

/* False when out of memory. */
static bool make_slots(struct activities *a, const bool *is_kept, struct mpl_arena *arena)
{
    const uint32_t n_blocks = a->first_call[a->model->n_locations] / CALLS_PER_BLOCK + 1;

    number_slots(a, n_blocks);
    a->n_needs = MPL_NEW_ARRAY(arena, a->n_slots / SLOTS_PER_BLOCK + 1, uint32_t);
    for (uint32_t i = 0; i < n_blocks && a->n_needs != NULL; i++) {
        if (is_kept[i]) {
            /* The slots of so few calls are in two blocks at most. */
            const uint32_t end = i + 1 < n_blocks ? a->needed[i + 1].n_before : a->n_slots;

            a->n_needs[a->needed[i].n_before / SLOTS_PER_BLOCK] = MPL_NONE;
            a->n_needs[(end - 1) / SLOTS_PER_BLOCK] = MPL_NONE;
        }
    }
    return a->n_needs != NULL;
}

/* From the number of a call that is needed to its slot. */
static void link_need(const struct activities *a, uint8_t *at)
{
    uint32_t number;
    uint32_t slot;

    memcpy(&number, at, sizeof number);
    slot = mpl_activities_slot(a, number);
    memcpy(at, &slot, sizeof slot);
    if (a->n_needs[slot / SLOTS_PER_BLOCK] != MPL_NONE) {
        a->n_needs[slot / SLOTS_PER_BLOCK]++;
    }
}

/* Who is needed is known only when all calls are laid out. */
static void link_location(const struct activities *a, uint32_t location)
{
    uint8_t *code = a->code[location];
    const uint8_t *at = code;

    for (uint32_t k = a->first_call[location]; k < a->first_call[location + 1]; k++) {
        const uint8_t head = *at;

        if (mpl_activities_is_needed(a, k)) {
            code[at - code] |= ACTIVITY_IS_NEEDED;
        }
        at += 1 + ((size_t) 2 << mpl_activity_width(head));
        for (uint32_t n = mpl_activity_take_n(head, &at); n > 0; n--) {
            link_need(a, code + (at - code));
            at += ACTIVITY_NEED_BYTES;
        }
    }
}

/* ---- all ------------------------------------------------------------------------------------ */

bool mpl_activities_can_number(const struct mpl_events *events)
{
    uint64_t n = 0;

    for (uint32_t l = 0; l < mpl_events_model(events)->n_locations; l++) {
        n += mpl_events_call_count(events, l);
    }
    return n < UINT32_MAX;
}

static bool make_tables(struct activities *a, struct mpl_arena *arena)
{
    const uint32_t n = a->model->n_locations;

    a->first_call = MPL_NEW_ARRAY(arena, (size_t) n + 1, uint32_t);
    a->first_collective = MPL_NEW_ARRAY(arena, (size_t) n + 1, size_t);
    a->is_part = MPL_NEW_ARRAY(arena, n, bool);
    a->answers = MPL_NEW_ARRAY(arena, n, bool);
    a->n_needed = MPL_NEW_ARRAY(arena, a->match->n_instances, uint32_t);
    if (a->first_call == NULL || a->first_collective == NULL || a->is_part == NULL ||
        a->answers == NULL || a->n_needed == NULL) {
        return false;
    }
    for (uint32_t l = 0; l < n; l++) {
        const struct mpl_location *loc = &a->model->locations[l];

        a->first_call[l + 1] = a->first_call[l] + mpl_events_call_count(a->events, l);
        a->first_collective[l + 1] = a->first_collective[l] + loc->n_collectives;
        a->is_part[l] = takes_part(loc);
    }
    a->code = MPL_NEW_ARRAY(arena, n, uint8_t *);
    a->needed =
        MPL_NEW_ARRAY(arena, a->first_call[n] / CALLS_PER_BLOCK + 1, struct needed_block);
    a->arrival = MPL_NEW_ARRAY(arena, a->first_collective[n], uint32_t);
    a->coll_needs = MPL_NEW_ARRAY(arena, a->first_collective[n], struct mpl_coll_need);
    for (size_t i = 0; i < a->first_collective[n] && a->arrival != NULL; i++) {
        a->arrival[i] = MPL_NONE;
    }
    return a->code != NULL && a->needed != NULL && a->arrival != NULL &&
           a->coll_needs != NULL;
}

/* Each needs memory for its marks, and the replay behind the layout is one thread's. */
enum { MOST_WORKERS = 8 };

struct crew {
    struct layout workers[MOST_WORKERS];
    unsigned n;
};

static bool make_crew(struct crew *crew, struct activities *a, struct mpl_arena *scratch)
{
    const uint32_t n_blocks = a->first_call[a->model->n_locations] / CALLS_PER_BLOCK + 1;
    bool is_enough = true;

    crew->n = mpl_threads() < MOST_WORKERS ? mpl_threads() : MOST_WORKERS;
    if (crew->n > a->model->n_locations) {
        crew->n = a->model->n_locations > 0 ? a->model->n_locations : 1;
    }
    for (unsigned i = 0; i < crew->n; i++) {
        struct layout *y = &crew->workers[i];

        *y = (struct layout){ .a = a,
                              .arena = mpl_arena_create(),
                              .marks = { MPL_NEW_ARRAY(scratch, n_blocks, uint32_t),
                                         MPL_NEW_ARRAY(scratch, n_blocks, bool) },
                              .code = mpl_buf_make(sizeof(uint8_t)) };
        is_enough = is_enough && y->arena != NULL && y->marks.is_needed != NULL &&
                    y->marks.is_kept != NULL;
    }
    return is_enough;
}

/* On the thread's own stack: side by side, two workers would share lines of the cache, and wait for each other. */
static enum mpl_status lay_out_task(void *context, size_t location, unsigned worker,
                                    struct mpl_err *err)
{
    struct crew *crew = context;
    struct layout y = crew->workers[worker];
    bool is_enough;

    y.location = (uint32_t) location;
    is_enough = lay_out_location(&y);
    crew->workers[worker] = y;
    return is_enough ? MPL_OK : mpl_nomem(err);
}

static bool lay_out_all(struct crew *crew, struct activities *a)
{
    const struct mpl_parallel job = { .n_tasks = a->model->n_locations,
                                      .max_threads = crew->n,
                                      .run = lay_out_task,
                                      .context = crew };

    if (mpl_parallel_run(&job, NULL) != MPL_OK) {
        return false;
    }
    for (uint32_t l = 0; l < a->model->n_locations; l++) {
        a->n_answering += a->answers[l];
    }
    return true;
}

/* Of all workers: what is needed into the activities, what is kept into the marks of the first. */
static void join_marks(const struct crew *crew, const struct activities *a)
{
    const uint32_t n_blocks = a->first_call[a->model->n_locations] / CALLS_PER_BLOCK + 1;

    for (unsigned w = 0; w < crew->n; w++) {
        const struct marks *marks = &crew->workers[w].marks;

        for (uint32_t i = 0; i < n_blocks; i++) {
            a->needed[i].is_needed |= marks->is_needed[i];
            crew->workers[0].marks.is_kept[i] |= marks->is_kept[i];
        }
    }
}

static bool lay_out(struct activities *a, struct mpl_arena *arena,
                    struct mpl_arena *scratch)
{
    struct crew crew = { .n = 0 };
    bool is_enough = make_tables(a, arena) && make_crew(&crew, a, scratch) &&
                     lay_out_all(&crew, a) &&
                     lay_out_collectives(&crew.workers[0], scratch);

    if (is_enough) {
        join_marks(&crew, a);
        is_enough = make_slots(a, crew.workers[0].marks.is_kept, arena);
    }
    for (unsigned i = 0; i < crew.n; i++) {
        mpl_buf_free(&crew.workers[i].code);
        mpl_arena_absorb(arena, crew.workers[i].arena);
    }
    return is_enough;
}

const struct activities *mpl_activities_create(const struct mpl_events *events,
                                               struct mpl_arena *arena)
{
    struct activities *a = MPL_NEW(arena, struct activities);
    struct mpl_arena *scratch = mpl_arena_create();
    bool is_enough = a != NULL && scratch != NULL;

    if (is_enough) {
        *a = (struct activities){ .events = events,
                                  .model = mpl_events_model(events),
                                  .match = mpl_events_match(events) };
        mpl_events_window(events, &a->window_begin_ticks, &a->window_end_ticks);
        is_enough = lay_out(a, arena, scratch);
    }
    mpl_arena_destroy(scratch);
    for (uint32_t l = 0; is_enough && l < a->model->n_locations; l++) {
        link_location(a, l);
    }
    return is_enough ? a : NULL;
}
