/*
 * Loops do the same again and again, and shapes of blocks of records are kept once. So 16 calls whose records begin at the same
 * place of the same shapes as those of 16 calls before do what these did: their forms, what is known of their waits, and which of
 * their records names which message are the same. Only times differ, and from what number on messages and collectives count. The
 * walk need not look at such records one by one.
 */
#include "config.h"

#include "events/walk_priv.h"

#include <string.h>

enum { MOST_LEARNED_IN_VAIN = 64 };

/* A record within a call, and the message or collective that it names. */
struct part {
    uint32_t number; /* counted from the first one that the calls name */
    uint8_t call;    /* of the 16 */
    uint8_t kind;    /* enum mpl_event_kind */
};

struct key {
    const struct mpl_event_shape *shape[MPL_REPEAT_SHAPES];
    uint64_t at; /* where in the first one */
};

/* What the parts of 16 calls are counted from. */
struct counts {
    uint32_t message;
    uint32_t collective;
};

/* 16 calls, and what is known of those that repeat them. */
struct repeat {
    uint32_t n_records; /* 0: nothing is known of them */
    bool
        is_vain; /* and nothing will be, as they are not such that others could repeat them */
    uint32_t form;
    struct counts first; /* as in struct mpl_call_block, but counted like parts, */
    bool has_messages;   /* where there is one */
    bool has_collectives;
    uint32_t first_part;
    uint32_t n_parts;
    uint32_t message; /* the record that names the first message; MPL_NONE: none does */
    uint32_t collective;
    uint32_t is_wait_known;             /* a bit per call */
    uint8_t enter[MPL_CALLS_PER_BLOCK]; /* records, from that of the first call on */
    uint8_t leave[MPL_CALLS_PER_BLOCK];
};

struct mpl_block_repeats mpl_block_repeats_make(void)
{
    return (struct mpl_block_repeats){ .keys = mpl_distinct_make(sizeof(struct key)),
                                       .all = mpl_buf_make(sizeof(struct repeat)),
                                       .parts = mpl_buf_make(sizeof(struct part)) };
}

void mpl_block_repeats_free(struct mpl_block_repeats *repeats)
{
    mpl_distinct_free(&repeats->keys);
    mpl_buf_free(&repeats->all);
    mpl_buf_free(&repeats->parts);
}

void mpl_block_repeats_begin(struct mpl_block_repeats *repeats)
{
    repeats->keys.items.n = 0;
    repeats->all.n = 0;
    repeats->parts.n = 0;
    repeats->n_taken = 0;
    repeats->learning = MPL_NONE;
}

/* In those that begin with record \p event. */
static struct counts counts_of(const struct mpl_location *loc, const struct repeat *r,
                               uint32_t event)
{
    return (struct counts){
        .message = r->message == MPL_NONE ? 0 : mpl_message_of(loc, event + r->message),
        .collective =
            r->collective == MPL_NONE ? 0 : mpl_ref_of(loc, event + r->collective),
    };
}

static uint32_t number_of(const struct part *part, const struct counts *counts)
{
    return part->number + (mpl_ref_class_of(part->kind) == MPL_REF_COLLECTIVE
                               ? counts->collective
                               : counts->message);
}

/* ---- where the walk may be -------------------------------------------------------------------- */

/* Whether the time until the next call belongs to a function. */
static bool is_in_function(const struct mpl_walk *w)
{
    const uint32_t *stack = w->scratch->stack.data;

    return w->has_gaps && (w->gap_region != MPL_NONE ||
                           (w->depth > 0 && w->use[stack[w->depth - 1]].role == ROLE_USER));
}

/* Whether nothing of what comes next depends on what was before. */
static bool is_between(const struct mpl_walk *w)
{
    return !w->is_in_call && !w->has_open_probe && !w->has_open_post && !is_in_function(w);
}

/* Whether the shapes of the blocks of these records say all of what they name. */
static bool is_all_in_shapes(const struct mpl_location *loc, uint32_t event, uint32_t n)
{
    for (uint32_t b = event / MPL_BLOCK_EVENTS; b <= (event + n - 1) / MPL_BLOCK_EVENTS;
         b++) {
        if (loc->column.blocks[b].wide != MPL_NONE) {
            return false;
        }
    }
    return true;
}

/* Where among all the calls would be that begin with \p event; MPL_NONE: out of memory. */
static uint32_t find(struct mpl_block_repeats *repeats, const struct mpl_location *loc,
                     uint32_t event)
{
    const uint32_t block = event / MPL_BLOCK_EVENTS;
    const uint32_t last = (loc->n_events - 1) / MPL_BLOCK_EVENTS;
    struct key key = { .at = event % MPL_BLOCK_EVENTS };
    uint32_t number;

    for (uint32_t i = 0; i < MPL_REPEAT_SHAPES && block + i <= last; i++) {
        key.shape[i] = loc->column.blocks[block + i].shape;
    }
    number = mpl_distinct_add(&repeats->keys, &key);
    return number == MPL_NONE || number < repeats->all.n ||
                   mpl_buf_add(&repeats->all) != NULL
               ? number
               : MPL_NONE;
}

/* ---- learning ------------------------------------------------------------------------------------ */

/* False: somebody for whom a call may have waited is not recorded, or the end of a receive that is posted. */
static bool is_known(const struct mpl_walk *w, uint8_t kind, uint32_t number)
{
    if (mpl_ref_class_of(kind) == MPL_REF_COLLECTIVE) {
        return w->events->match->instance[w->location][number] != MPL_NONE;
    }
    if (kind == MPL_EV_IRECV_POST) {
        return !w->loses_ends || mpl_message_get(w->loc, number).event != MPL_NONE;
    }
    return w->partner[number] != MPL_NONE;
}

/* Adds what record \p event, of a call, names. False: no memory. */
static bool learn_part(struct mpl_walk *w, struct repeat *r, uint32_t begin, uint32_t event,
                       uint8_t call)
{
    const uint8_t kind = mpl_kind_of(w->loc, event);
    const enum mpl_ref_class class = mpl_ref_class_of(kind);
    const uint32_t ref = mpl_ref_of(w->loc, event);
    uint32_t *first = class == MPL_REF_COLLECTIVE ? &r->collective : &r->message;
    struct part part = { .call = call, .kind = kind };

    if (class == MPL_REF_PLAIN || ref == MPL_NONE) {
        return true;
    }
    *first = *first == MPL_NONE ? event - begin : *first;
    part.number = ref - mpl_ref_of(w->loc, begin + *first);
    r->is_vain |= !is_known(w, kind, ref);
    r->n_parts++;
    return mpl_buf_put(&w->scratch->repeats.parts, &part);
}

/* Whether a call is of the usual kind: entered and left, and nothing in it opens or closes anything. */
static bool is_usual(const struct mpl_walk *w, const struct mpl_call_form *form,
                     uint32_t enter)
{
    const uint32_t leave = enter + form->n_records;

    if (form->n_records >= MPL_REPEAT_RECORDS || form->parts == MPL_PARTS_LIST ||
        form->gap_region != MPL_CALL_NO_GAP || mpl_kind_of(w->loc, enter) != MPL_EV_ENTER ||
        mpl_kind_of(w->loc, leave) != MPL_EV_LEAVE) {
        return false;
    }

    const struct mpl_region_use *use = &w->use[mpl_region_of(w->loc, enter)];

    return mpl_find_plain_leave(w, enter) == leave && use->role == ROLE_CALL &&
           use->block != BLOCK_PROBE;
}

/* The numbers of messages and collectives that forms are counted from, as \p r counts. */
static void learn_first(const struct mpl_walk *w, struct repeat *r, uint32_t begin,
                        const struct mpl_call_block *block)
{
    const struct counts counts = counts_of(w->loc, r, begin);

    r->has_messages = block->first[MPL_PARTS_MESSAGES] != MPL_NONE;
    r->has_collectives = block->first[MPL_PARTS_COLLECTIVE] != MPL_NONE;
    r->first.message = block->first[MPL_PARTS_MESSAGES] - counts.message;
    r->first.collective = block->first[MPL_PARTS_COLLECTIVE] - counts.collective;
}

/* Learns the 16 calls from \p call on, or that it is in vain. False: no memory. */
static bool learn_calls(struct mpl_walk *w, struct repeat *r, uint32_t call)
{
    const struct mpl_call_maker *maker = &w->scratch->maker;
    const struct mpl_call_block *block =
        (const struct mpl_call_block *) maker->blocks.data + call / MPL_CALLS_PER_BLOCK;
    const struct mpl_call_form *form =
        (const struct mpl_call_form *) maker->forms.items.data + block->form;
    const struct mpl_call_wait *waits = maker->waits.data;
    const uint32_t begin = w->scratch->repeats.event;
    uint32_t next = begin;

    *r = (struct repeat){ .form = block->form,
                          .first_part = (uint32_t) w->scratch->repeats.parts.n,
                          .message = MPL_NONE,
                          .collective = MPL_NONE };
    for (uint8_t i = 0; i < MPL_CALLS_PER_BLOCK; i++) {
        const uint32_t enter = block->enter + form[i].enter;
        const uint32_t leave = enter + form[i].n_records;

        if (enter != next || leave - begin >= MPL_REPEAT_RECORDS ||
            !is_usual(w, &form[i], enter)) {
            r->is_vain = true;
            return true;
        }
        r->enter[i] = (uint8_t) (enter - begin);
        r->leave[i] = (uint8_t) (leave - begin);
        r->is_wait_known |= (uint32_t) waits[call + i].is_known << i;
        for (uint32_t e = enter + 1; e < leave; e++) {
            if (!learn_part(w, r, begin, e, i)) {
                return false;
            }
        }
        next = leave + 1;
    }
    learn_first(w, r, begin, block);
    r->n_records = next - begin;
    return true;
}

/* Once 16 calls are complete that are to be learned. False: no memory. */
static bool learn(struct mpl_walk *w)
{
    struct mpl_block_repeats *repeats = &w->scratch->repeats;
    struct repeat *r = mpl_buf_get(&repeats->all, repeats->learning);

    repeats->learning = MPL_NONE;
    if (!mpl_calls_end_block(&w->scratch->maker) ||
        !learn_calls(w, r, w->n_calls - MPL_CALLS_PER_BLOCK)) {
        return false;
    }
    if (r->is_vain || !is_all_in_shapes(w->loc, repeats->event, r->n_records)) {
        r->n_records = 0;
        r->is_vain = true;
        repeats->parts.n = r->first_part;
    }
    return true;
}

/* ---- taking what repeats ------------------------------------------------------------------------- */

static bool are_known(const struct mpl_walk *w, const struct part *parts, uint32_t n,
                      const struct counts *counts)
{
    for (uint32_t i = 0; i < n; i++) {
        if (!is_known(w, parts[i].kind, number_of(&parts[i], counts))) {
            return false;
        }
    }
    return true;
}

static void keep_parts(const struct mpl_walk *w, const struct part *parts, uint32_t n,
                       const struct counts *counts)
{
    const struct mpl_lane *lane = w->lane;

    for (uint32_t i = 0; i < n; i++) {
        const uint32_t call = w->n_calls + parts[i].call;
        const uint32_t number = number_of(&parts[i], counts);

        switch ((enum mpl_event_kind) parts[i].kind) {
        case MPL_EV_IRECV_POST: /* These have a column of their own since one was learned. */
            lane->post_of_message[number] = call;
            break;
        case MPL_EV_IRECV:
            lane->call_of_message[number] = call;
            break;
        case MPL_EV_ISEND_DONE:
            break;
        case MPL_EV_COLL_BEGIN:
        case MPL_EV_COLL_END:
            lane->call_of_collective[number] = call;
            break;
        default:
            lane->post_of_message[number] = call;
            lane->call_of_message[number] = call;
            break;
        }
    }
}

static bool can_take(const struct mpl_walk *w, const struct repeat *r, uint32_t event)
{
    const struct mpl_location *loc = w->loc;

    if (r->n_records == 0 || loc->n_events - event < r->n_records ||
        !is_all_in_shapes(loc, event, r->n_records)) {
        return false;
    }

    const int64_t begin = mpl_ticks_of(loc, event);
    const int64_t end = mpl_ticks_of(loc, event + r->n_records - 1);

    return begin >= w->events->startup_end_ticks &&
           (uint64_t) end - (uint64_t) begin < MPL_CALL_FAR;
}

static void keep_times(const struct mpl_walk *w, const struct repeat *r, uint32_t event,
                       struct mpl_call_times *times, struct mpl_call_wait *waits)
{
    const int64_t base = mpl_ticks_of(w->loc, event);

    for (uint32_t i = 0; i < MPL_CALLS_PER_BLOCK; i++) {
        const int64_t enter = mpl_ticks_of(w->loc, event + r->enter[i]);
        const int64_t leave = mpl_ticks_of(w->loc, event + r->leave[i]);

        times[i] = (struct mpl_call_times){ (uint32_t) (enter - base),
                                            (uint32_t) (leave - enter) };
        waits[i] = (struct mpl_call_wait){ .culprit = MPL_CALL_NOBODY,
                                           .is_known = r->is_wait_known >> i & 1 };
    }
}

/* The 16 calls that begin with \p event, if they are as \p r. \p is_taken: whether they were. False: no memory. */
static bool take(struct mpl_walk *w, const struct repeat *r, uint32_t event, bool *is_taken)
{
    struct mpl_call_block *block;
    const struct part *parts;
    struct counts counts;

    *is_taken = false;
    if (!can_take(w, r, event)) {
        return true;
    }
    parts = (const struct part *) w->scratch->repeats.parts.data + r->first_part;
    counts = counts_of(w->loc, r, event);
    if (!are_known(w, parts, r->n_parts, &counts)) {
        return true;
    }
    block = mpl_calls_add_block(&w->scratch->maker, r->form, event,
                                mpl_ticks_of(w->loc, event));
    if (block == NULL) {
        return false;
    }
    if (r->has_messages) {
        block->first[MPL_PARTS_MESSAGES] = counts.message + r->first.message;
    }
    if (r->has_collectives) {
        block->first[MPL_PARTS_COLLECTIVE] = counts.collective + r->first.collective;
    }
    keep_times(w, r, event,
               (struct mpl_call_times *) w->scratch->maker.times.data + w->n_calls,
               (struct mpl_call_wait *) w->scratch->maker.waits.data + w->n_calls);
    keep_parts(w, parts, r->n_parts, &counts);
    w->n_calls += MPL_CALLS_PER_BLOCK;
    w->since_ticks = mpl_ticks_of(w->loc, event + r->n_records - 1);
    *is_taken = true;
    return true;
}

bool mpl_block_repeats_take(struct mpl_walk *w, uint32_t *event)
{
    struct mpl_block_repeats *repeats = &w->scratch->repeats;
    bool is_taken = true;

    if (!is_between(w)) {
        repeats->learning = MPL_NONE;
        return true;
    }
    if (repeats->learning != MPL_NONE && !learn(w)) {
        return false;
    }
    while (is_taken && *event < w->loc->n_events &&
           repeats->all.n <= MOST_LEARNED_IN_VAIN + repeats->n_taken) {
        const uint32_t number = find(repeats, w->loc, *event);
        const struct repeat *r;

        if (number == MPL_NONE) {
            return false;
        }
        r = mpl_buf_get(&repeats->all, number);
        if (!take(w, r, *event, &is_taken)) {
            return false;
        }
        if (is_taken) {
            *event += r->n_records;
            repeats->n_taken++;
        } else if (r->n_records == 0 && !r->is_vain) {
            repeats->learning = number;
            repeats->event = *event;
        }
    }
    return true;
}
