#include "config.h"

#include "read/tables_priv.h"

#include <string.h>

enum { FIRST_SLOTS = 64 };

/* ---- open requests -------------------------------------------------------------------- */

static size_t request_home(const struct mpl_requests *r, uint8_t kind, uint64_t number)
{
    /* The numbers are addresses and counters; what is counted on is spread evenly by the golden ratio (Knuth). */
    const uint64_t x = number + ((uint64_t) kind << 32);

    return (size_t) (x * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (r->n_slots - 1);
}

/** The slot of the request, or the free one where it would stand. */
static size_t request_slot(const struct mpl_requests *r, uint8_t kind, uint64_t number)
{
    const struct mpl_request *slots = r->room.data;
    size_t at = request_home(r, kind, number);

    while (slots[at].is_used && (slots[at].number != number || slots[at].kind != kind)) {
        at = (at + 1) & (r->n_slots - 1);
    }
    return at;
}

/* Whether a table is so much larger than what was in it last that emptying it for each of many
 * locations would cost more than making it anew for the few that need it. */
static bool is_oversized(size_t n_slots, size_t n)
{
    return n_slots > FIRST_SLOTS && n < n_slots / 16;
}

void mpl_requests_clear(struct mpl_requests *r)
{
    if (is_oversized(r->n_slots, r->n)) {
        mpl_requests_free(r);
        return;
    }
    if (r->n > 0) {
        memset(r->room.data, 0, r->n_slots * sizeof(struct mpl_request));
    }
    r->n = 0;
}

static bool requests_grow(struct mpl_requests *r)
{
    struct mpl_requests larger = { .n_slots =
                                       r->n_slots > 0 ? r->n_slots * 2 : FIRST_SLOTS };
    struct mpl_request *slots =
        mpl_room_ensure(&larger.room, larger.n_slots * sizeof(struct mpl_request));

    if (slots == NULL) {
        mpl_room_free(&larger.room);
        return false;
    }
    memset(slots, 0, larger.n_slots * sizeof *slots);
    for (size_t i = 0; i < r->n_slots; i++) {
        const struct mpl_request *old = &((const struct mpl_request *) r->room.data)[i];

        if (old->is_used) {
            slots[request_slot(&larger, old->kind, old->number)] = *old;
        }
    }
    larger.n = r->n;
    mpl_room_free(&r->room);
    *r = larger;
    return true;
}

bool mpl_requests_put(struct mpl_requests *r, enum mpl_request_kind kind, uint64_t number,
                      uint32_t item)
{
    if (r->n * 2 >= r->n_slots && !requests_grow(r)) {
        return false;
    }
    struct mpl_request *slot =
        (struct mpl_request *) r->room.data + request_slot(r, (uint8_t) kind, number);
    r->n += slot->is_used ? 0 : 1;
    *slot = (struct mpl_request){ number, item, (uint8_t) kind, true };
    return true;
}

/* Closes the gap at \p gap, so that searches never need marks of deleted slots (Knuth, The Art
 * of Computer Programming, vol. 3, algorithm 6.4R). */
static void close_gap(struct mpl_requests *r, size_t gap)
{
    struct mpl_request *slots = r->room.data;
    const size_t mask = r->n_slots - 1;

    for (size_t at = (gap + 1) & mask; slots[at].is_used; at = (at + 1) & mask) {
        const size_t home = request_home(r, slots[at].kind, slots[at].number);

        if (((at - home) & mask) >= ((at - gap) & mask)) {
            slots[gap] = slots[at];
            gap = at;
        }
    }
    slots[gap] = (struct mpl_request){ 0 };
}

uint32_t mpl_requests_take(struct mpl_requests *r, enum mpl_request_kind kind,
                           uint64_t number)
{
    if (r->n == 0) {
        return MPL_NONE;
    }
    const size_t at = request_slot(r, (uint8_t) kind, number);
    const struct mpl_request *slot = (const struct mpl_request *) r->room.data + at;
    if (!slot->is_used) {
        return MPL_NONE;
    }
    const uint32_t item = slot->item;
    close_gap(r, at);
    r->n--;
    return item;
}

void mpl_requests_free(struct mpl_requests *r)
{
    mpl_room_free(&r->room);
    *r = (struct mpl_requests){ 0 };
}

/* ---- envelopes -------------------------------------------------------------------------- */

static inline bool is_same(const struct mpl_envelope_key *a,
                           const struct mpl_envelope_key *b)
{
    return a->rank == b->rank && a->tag == b->tag && a->comm == b->comm &&
           a->flags == b->flags;
}

/* Ranks, tags and communicators are small numbers, so one multiplication (Knuth's, by the golden
 * ratio) spreads them; this runs for every message. */
static inline size_t envelope_home(const struct mpl_envelopes *e,
                                   const struct mpl_envelope_key *key)
{
    const uint64_t x = ((uint64_t) key->tag << 24) + ((uint64_t) key->comm << 13) +
                       ((uint64_t) key->rank << 3) + key->flags;

    return (size_t) (x * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (e->n_slots - 1);
}

static const struct mpl_envelope_key *key_at(const struct mpl_envelopes *e, uint32_t number)
{
    return (const struct mpl_envelope_key *) e->keys.data + number;
}

static bool envelopes_grow(struct mpl_envelopes *e)
{
    const size_t n_slots = e->n_slots > 0 ? e->n_slots * 2 : FIRST_SLOTS;
    uint32_t *slots = mpl_room_ensure(&e->room, n_slots * sizeof *slots);

    if (slots == NULL) {
        return false;
    }
    e->n_slots = n_slots;
    memset(slots, 0, n_slots * sizeof *slots);
    for (uint32_t i = 0; i < e->keys.n; i++) {
        size_t at = envelope_home(e, key_at(e, i));

        while (slots[at] != 0) {
            at = (at + 1) & (n_slots - 1);
        }
        slots[at] = i + 1;
    }
    return true;
}

void mpl_envelopes_start(struct mpl_envelopes *e)
{
    if (e->keys.size == 0) {
        e->keys = mpl_buf_make(sizeof(struct mpl_envelope_key));
        e->items = mpl_buf_make(sizeof(struct mpl_envelope));
    }
    if (is_oversized(e->n_slots, e->keys.n)) {
        mpl_room_free(&e->room);
        e->n_slots = 0;
    } else if (e->n_slots > 0) {
        memset(e->room.data, 0, e->n_slots * sizeof(uint32_t));
    }
    e->keys.n = 0;
    e->items.n = 0;
    e->last = MPL_NONE;
}

static uint32_t envelope_add(struct mpl_envelopes *e, const struct mpl_envelope_key *key,
                             size_t slot)
{
    const uint32_t number = (uint32_t) e->keys.n;
    struct mpl_envelope_key *copy = mpl_buf_add(&e->keys);

    if (copy == NULL) {
        return MPL_NONE;
    }
    if (mpl_buf_add(&e->items) == NULL) {
        e->keys.n--; /* a key has an item, always */
        return MPL_NONE;
    }
    *copy = *key;
    ((uint32_t *) e->room.data)[slot] = number + 1;
    return number;
}

uint32_t mpl_envelopes_put(struct mpl_envelopes *e, const struct mpl_envelope_key *key,
                           bool *is_new)
{
    size_t at;

    *is_new = false;
    if (e->last != MPL_NONE && is_same(key_at(e, e->last), key)) {
        return e->last;
    }
    if (e->keys.n * 2 >= e->n_slots && !envelopes_grow(e)) {
        return MPL_NONE;
    }
    const uint32_t *slots = e->room.data;
    for (at = envelope_home(e, key); slots[at] != 0; at = (at + 1) & (e->n_slots - 1)) {
        if (is_same(key_at(e, slots[at] - 1), key)) {
            e->last = slots[at] - 1;
            return e->last;
        }
    }
    *is_new = true;
    e->last = envelope_add(e, key, at);
    return e->last;
}

void mpl_envelopes_free(struct mpl_envelopes *e)
{
    mpl_room_free(&e->room);
    mpl_buf_free(&e->keys);
    mpl_buf_free(&e->items);
    *e = (struct mpl_envelopes){ 0 };
}
