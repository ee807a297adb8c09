/* Blocks of calls that are like an earlier one: in loops nearly all are, and need not be looked at call by call. */
#include "config.h"

#include "recognize/alike_priv.h"

#include <string.h>

/* So many questions are asked before it counts how few were answered. */
enum { TRIED = 64 };

/* Messages of a block that stand farther apart are not compared. */
enum { MOST_MESSAGES = 8 * MPL_CALLS_PER_BLOCK };

struct mpl_alike mpl_alike_make(void)
{
    return (struct mpl_alike){ .known = mpl_buf_make(sizeof(struct mpl_known_block)),
                               .list = mpl_buf_make(sizeof(uint32_t)) };
}

bool mpl_alike_begin(struct mpl_alike *alike, const struct mpl_events *events,
                     uint32_t location)
{
    const uint32_t n = events->lanes[location].n_forms;
    struct mpl_known_block *known;

    alike->events = events;
    alike->location = location;
    alike->n_asked = alike->n_found = 0;
    alike->known.n = 0;
    alike->list.n = 0;
    known = mpl_buf_add_many(&alike->known, n);
    if (known != NULL && n > 0) {
        memset(known, 0xFF, n * sizeof *known); /* MPL_NONE everywhere */
    }
    return known != NULL || n == 0;
}

void mpl_alike_free(struct mpl_alike *alike)
{
    mpl_buf_free(&alike->known);
    mpl_buf_free(&alike->list);
}

/* Loops that take others in turn, or a new tag each time, make no blocks that are alike. */
static bool is_in_vain(const struct mpl_alike *alike)
{
    return alike->n_asked >= TRIED && 2 * alike->n_found < alike->n_asked;
}

/* The messages of a block, if all of its calls have nothing but messages that follow each other, and regions that their
 * forms have. */
static bool find_messages(const struct mpl_lane *lane, uint32_t call,
                          struct mpl_known_block *known)
{
    const uint32_t base = mpl_call_block_of(lane, call)->first[MPL_PARTS_MESSAGES];
    int64_t low = INT64_MAX;
    int64_t high = INT64_MIN;

    for (uint32_t k = call; k < call + MPL_CALLS_PER_BLOCK; k++) {
        const struct mpl_call_form *form = mpl_call_form_of(lane, k);
        /* Counted from the first message of the block, before which others may stand. */
        const int64_t first = (int32_t) form->first;

        if (form->region >= MPL_CALL_REGION_FAR || form->class == MPL_SPAN_STARTUP ||
            form->parts == MPL_PARTS_LIST || form->parts == MPL_PARTS_COLLECTIVE) {
            return false;
        }
        if (form->parts == MPL_PARTS_MESSAGES) {
            low = first < low ? first : low;
            high = first + form->n_more > high ? first + form->n_more : high;
        }
    }
    known->message = low > high ? 0 : base + (uint32_t) low;
    known->n = low > high ? 0 : (uint32_t) (high - low + 1);
    return low > high || high - low < MOST_MESSAGES;
}

/* Whether envelopes say of a block all that there is to know of its messages: these are listed then. */
static bool list_envelopes(struct mpl_alike *alike, struct mpl_known_block *known,
                           bool *has_no_memory)
{
    const struct mpl_location *loc = &alike->events->model->locations[alike->location];
    const size_t at = alike->list.n;
    uint32_t *list;

    if (!mpl_buf_grow_to(&alike->list, at + known->n)) {
        *has_no_memory = true;
        return false;
    }
    list = (uint32_t *) alike->list.data + at;
    for (uint32_t i = 0; i < known->n; i++) {
        list[i] = mpl_message_get(loc, known->message + i).envelope;
        if (list[i] == MPL_NONE || loc->envelopes[list[i]].comm_unsure) {
            alike->list.n = at;
            return false;
        }
    }
    known->envelopes = (uint32_t) at;
    return true;
}

static void learn(struct mpl_alike *alike, uint32_t call, struct mpl_known_block *known,
                  bool *has_no_memory)
{
    const struct mpl_lane *lane = &alike->events->lanes[alike->location];

    known->call = call;
    known->envelopes = MPL_NONE;
    if (find_messages(lane, call, known)) {
        (void) list_envelopes(alike, known, has_no_memory);
    }
}

static bool has_envelopes(const struct mpl_location *loc, uint32_t message,
                          const uint32_t *envelopes, uint32_t n)
{
    for (uint32_t first = 0, left; first < n; first += left) {
        const struct mpl_message *messages = mpl_messages_from(loc, message + first, &left);

        for (uint32_t i = 0; i < left && first + i < n; i++) {
            if (messages[i].envelope != envelopes[first + i]) {
                return false;
            }
        }
    }
    return true;
}

uint32_t mpl_alike_find(struct mpl_alike *alike, uint32_t call, uint32_t *shift,
                        bool *has_no_memory)
{
    const struct mpl_location *loc = &alike->events->model->locations[alike->location];
    const struct mpl_lane *lane = &alike->events->lanes[alike->location];
    const struct mpl_call_block *block = mpl_call_block_of(lane, call);
    struct mpl_known_block *known =
        mpl_buf_get(&alike->known, block->form / MPL_CALLS_PER_BLOCK);

    if (is_in_vain(alike)) {
        return MPL_NONE;
    }
    alike->n_asked++;
    if (known->call == MPL_NONE) {
        learn(alike, call, known, has_no_memory);
        return MPL_NONE;
    }
    *shift = block->first[MPL_PARTS_MESSAGES] -
             mpl_call_block_of(lane, known->call)->first[MPL_PARTS_MESSAGES];
    if (known->envelopes == MPL_NONE ||
        !has_envelopes(loc, known->message + *shift,
                       (const uint32_t *) alike->list.data + known->envelopes, known->n)) {
        return MPL_NONE;
    }
    alike->n_found++;
    return known->call;
}
