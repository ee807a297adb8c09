#include "config.h"

#include "read/tables_priv.h"

#include <string.h>

enum { FIRST_SLOTS = 64 };

/* ---- open requests -------------------------------------------------------------------- */

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

bool mpl_requests_grow(struct mpl_requests *r)
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
            *mpl_requests_slot(&larger, old->kind, old->number) = *old;
        }
    }
    larger.n = r->n;
    mpl_room_free(&r->room);
    *r = larger;
    return true;
}

/* Closes the gap, so that searches never need marks of deleted slots (Knuth, The Art of Computer
 * Programming, vol. 3, algorithm 6.4R). */
void mpl_requests_close_gap(struct mpl_requests *r, struct mpl_request *slot)
{
    struct mpl_request *slots = r->room.data;
    const size_t mask = r->n_slots - 1;
    size_t gap = (size_t) (slot - slots);

    for (size_t at = (gap + 1) & mask; slots[at].is_used; at = (at + 1) & mask) {
        const size_t home = mpl_requests_home(r, slots[at].kind, slots[at].number);

        if (((at - home) & mask) >= ((at - gap) & mask)) {
            slots[gap] = slots[at];
            gap = at;
        }
    }
    slots[gap].is_used = false;
}

void mpl_requests_free(struct mpl_requests *r)
{
    mpl_room_free(&r->room);
    *r = (struct mpl_requests){ 0 };
}

/* ---- envelopes -------------------------------------------------------------------------- */

/* Where an envelope that is not there would stand. */
static size_t free_slot(const struct mpl_envelopes *e, struct mpl_envelope_key key)
{
    const uint32_t *slots = e->room.data;
    size_t at = mpl_envelopes_home(e, key);

    while (slots[at] != 0) {
        at = (at + 1) & (e->n_slots - 1);
    }
    return at;
}

static bool envelopes_grow(struct mpl_envelopes *e)
{
    const size_t n_slots = e->n_slots > 0 ? e->n_slots * 2 : FIRST_SLOTS;
    const struct mpl_envelope_key *keys = e->keys.data;
    struct mpl_room larger = { 0 };
    uint32_t *slots = mpl_room_ensure(&larger, n_slots * sizeof *slots);

    if (slots == NULL) {
        mpl_room_free(&larger);
        return false;
    }
    mpl_room_free(&e->room);
    e->room = larger;
    e->n_slots = n_slots;
    memset(slots, 0, n_slots * sizeof *slots);
    for (uint32_t i = 0; i < e->keys.n; i++) {
        slots[free_slot(e, keys[i])] = i + 1;
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
}

uint32_t mpl_envelopes_add(struct mpl_envelopes *e, struct mpl_envelope_key key)
{
    const uint32_t number = (uint32_t) e->keys.n;

    if (e->keys.n * 2 >= e->n_slots && !envelopes_grow(e)) {
        return MPL_NONE;
    }
    if (!mpl_buf_put(&e->keys, &key)) {
        return MPL_NONE;
    }
    if (mpl_buf_add(&e->items) == NULL) {
        e->keys.n--; /* a key has an item, always */
        return MPL_NONE;
    }
    ((uint32_t *) e->room.data)[free_slot(e, key)] = number + 1;
    return number;
}

void mpl_envelopes_free(struct mpl_envelopes *e)
{
    mpl_room_free(&e->room);
    mpl_buf_free(&e->keys);
    mpl_buf_free(&e->items);
    *e = (struct mpl_envelopes){ 0 };
}
