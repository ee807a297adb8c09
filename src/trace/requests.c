/*
 * Requests by handle. An MPI may give one handle to all requests that are done at once, so those with the
 * same handle form a queue: whichever is waited for first was begun first.
 */
#include "config.h"

#include "trace/record_priv.h"

#include <string.h>

enum { FIRST_SLOTS = 4096, PER_PAGES = 1024 };

/* Open addressing; a slot is empty where it has no first request. */
struct slot {
    uint64_t handle;
    struct mpl_request *first;
    struct mpl_request *last;
};

static struct {
    struct slot *slots;
    size_t mask; /* Their number, a power of two, minus 1. */
    size_t n;
    struct mpl_request *spare; /* Freed ones. */
    struct mpl_request *fresh; /* Room for n_fresh that were never used. */
    size_t n_fresh;
    uint64_t number;
} table;

bool mpl_requests_open(void)
{
    table.slots = mpl_pages(FIRST_SLOTS * sizeof *table.slots);
    table.mask = FIRST_SLOTS - 1;
    return table.slots != NULL;
}

uint64_t mpl_request_number(void)
{
    return ++table.number;
}

static size_t home(uint64_t handle)
{
    return (handle * UINT64_C(0x9e3779b97f4a7c15)) >> 20 & table.mask;
}

static struct slot *slot_of(uint64_t handle)
{
    size_t i = home(handle);

    while (table.slots[i].first != NULL && table.slots[i].handle != handle) {
        i = (i + 1) & table.mask;
    }
    return &table.slots[i];
}

/* The smaller table stays: its pages are few. */
static bool grow(void)
{
    const struct slot *old = table.slots;
    const size_t n = table.mask + 1;
    struct slot *slots = mpl_pages(2 * n * sizeof *slots);

    if (slots == NULL) {
        return false;
    }
    table.slots = slots;
    table.mask = 2 * n - 1;
    for (size_t i = 0; i < n; i++) {
        if (old[i].first != NULL) {
            *slot_of(old[i].handle) = old[i];
        }
    }
    return true;
}

static struct mpl_request *take(void)
{
    struct mpl_request *request = table.spare;

    if (request != NULL) {
        table.spare = request->next;
        memset(request, 0, sizeof *request);
        return request;
    }
    if (table.n_fresh == 0) {
        table.fresh = mpl_pages(PER_PAGES * sizeof *table.fresh);
        table.n_fresh = table.fresh != NULL ? PER_PAGES : 0;
    }
    if (table.n_fresh == 0) {
        return NULL;
    }
    table.n_fresh--;
    return table.fresh++;
}

struct mpl_request *mpl_request_add(uint64_t handle)
{
    if (2 * table.n > table.mask && !grow()) {
        return NULL;
    }
    struct mpl_request *request = take();
    if (request == NULL) {
        return NULL;
    }
    struct slot *slot = slot_of(handle);
    if (slot->first == NULL) {
        *slot = (struct slot){ handle, request, request };
        table.n++;
    } else {
        slot->last->next = request;
        slot->last = request;
    }
    return request;
}

struct mpl_request *mpl_request_find(uint64_t handle)
{
    return slot_of(handle)->first;
}

/* Those behind an empty slot move up, or they would not be found. */
static void close_gap(size_t gap)
{
    for (size_t i = (gap + 1) & table.mask; table.slots[i].first != NULL;
         i = (i + 1) & table.mask) {
        const size_t wanted = home(table.slots[i].handle);

        if (((i - wanted) & table.mask) >= ((i - gap) & table.mask)) {
            table.slots[gap] = table.slots[i];
            table.slots[i].first = NULL;
            gap = i;
        }
    }
}

void mpl_request_remove(uint64_t handle)
{
    struct slot *slot = slot_of(handle);
    struct mpl_request *request = slot->first;

    if (request == NULL) {
        return;
    }
    slot->first = request->next;
    request->next = table.spare;
    table.spare = request;
    if (slot->first == NULL) {
        table.n--;
        close_gap((size_t) (slot - table.slots));
    }
}
