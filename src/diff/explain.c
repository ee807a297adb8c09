/* What a change may lead to, where that is known. */
#include "config.h"

#include "diff/diff_priv.h"

/* The place of a call in a sequence; MPL_NONE: it is not there. Calls ascend. */
static uint32_t index_of(const struct mpl_sequence *s, uint32_t call)
{
    uint32_t low = 0;
    uint32_t high = s->n;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (s->calls[middle] < call) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < s->n && s->calls[low] == call ? low : MPL_NONE;
}

/* A send that may wait for its receive, and goes nowhere else meanwhile. */
static bool is_send(const struct mpl_comparison *c, const struct mpl_sequence *s,
                    uint32_t i, uint32_t location)
{
    const struct mpl_symbol *symbol = mpl_symbols_get(c->symbols, s->symbols[i]);
    const struct mpl_model *model = c->diff.new->model;
    struct mpl_call_view view;

    mpl_events_call(c->diff.new->events, location, s->calls[i], &view);
    return symbol->to != MPL_NONE && symbol->from == MPL_NONE && view.region != MPL_NONE &&
           (model->regions[view.region].mode == MPL_CALL_PLAIN ||
            model->regions[view.region].mode == MPL_CALL_SYNC_SEND);
}

static uint32_t rank_of(const struct mpl_comparison *c, uint32_t location)
{
    const struct mpl_model *model = c->diff.new->model;

    return model->processes[model->locations[location].process].rank;
}

/* Where what location \p l sends in its call \p i is received: a location and a place in its sequence. */
static bool find_receive(const struct mpl_comparison *c, const struct mpl_sequence *new,
                         uint32_t l, uint32_t i, uint32_t *other, uint32_t *at)
{
    const struct mpl_events *events = c->diff.new->events;
    const uint32_t span = 2 * new[l].calls[i] + 1;
    uint32_t message = MPL_NONE;

    if (!mpl_events_only_message(events, l, span, &message) || message == MPL_NONE) {
        return false;
    }

    const struct mpl_end end = mpl_match_partner(c->diff.new->match, l, message);

    if (end.message == MPL_NONE) {
        return false;
    }

    const uint32_t received = mpl_events_span_of_message(events, end.location, end.message);

    *other = end.location;
    *at = received == MPL_NONE ? MPL_NONE : index_of(&new[end.location], received / 2);
    return *at != MPL_NONE;
}

enum mpl_status mpl_explain(struct mpl_comparison *c, const struct mpl_sequence *new,
                            struct mpl_divergence *change, struct mpl_err *err)
{
    const uint32_t l = change->location;
    const uint32_t i = change->position;
    uint32_t other;
    uint32_t at;

    if (change->base_symbol == MPL_NONE || i + 1 >= new[l].n ||
        !is_send(c, &new[l], i, l) || !find_receive(c, new, l, i, &other, &at) || at == 0 ||
        !is_send(c, &new[other], at - 1, other)) {
        return MPL_OK;
    }

    const struct mpl_symbol *was = mpl_symbols_get(c->symbols, change->base_symbol);
    const struct mpl_symbol *next = mpl_symbols_get(c->symbols, new[l].symbols[i + 1]);
    const struct mpl_symbol *theirs =
        mpl_symbols_get(c->symbols, new[other].symbols[at - 1]);
    const uint32_t own_rank = rank_of(c, l);
    const uint32_t rank = rank_of(c, other);

    if (was->from != rank || next->from != rank || theirs->to != own_rank) {
        return MPL_OK;
    }
    change->remark = mpl_arena_printf(
        c->arena,
        "%u and %u now send to each other first: a deadlock where sends do not buffer",
        own_rank < rank ? own_rank : rank, own_rank < rank ? rank : own_rank);
    return change->remark == NULL ? mpl_nomem(err) : MPL_OK;
}
