/* Collectives in a replay: who depends on whom is as in the waits that were recorded (events). */
#include "config.h"

#include "replay/replay_priv.h"

static uint32_t instance_of(const struct engine *r, uint32_t location, uint32_t collective)
{
    return collective == MPL_NONE ? MPL_NONE : r->match->instance[location][collective];
}

static bool is_scan(const struct engine *r, uint32_t i)
{
    return mpl_order_is_prefix(r->match->instances[i].op);
}

/* The slot that holds when a participant arrived; MPL_NONE if it did outside of any call. */
static uint32_t arrival_slot(const struct engine *r, uint32_t location, uint32_t collective)
{
    const struct activities *a = r->activities;
    const uint32_t number = a->arrival[a->first_collective[location] + collective];

    return number == MPL_NONE ? MPL_NONE : mpl_activities_slot(a, number);
}

static const struct mpl_coll_need *need_of(const struct engine *r, uint32_t location,
                                           uint32_t collective)
{
    return &r->activities
                ->coll_needs[r->activities->first_collective[location] + collective];
}

/* Goes on through the ranks of a scan as far as they have arrived. */
static void resolve_scan(struct engine *r, uint32_t i)
{
    const struct mpl_coll_instance *instance = &r->match->instances[i];
    struct coll_state *state = &r->colls[i];

    while (state->n_resolved < instance->n_parts) {
        const struct mpl_coll_part *part =
            &r->match->parts[instance->first_part + state->n_resolved];
        const uint32_t slot = arrival_slot(r, part->location, part->collective);
        struct runner *runner = &r->runners[part->location];
        int64_t value;
        int64_t reached;

        if (slot == MPL_NONE) {
            state->n_resolved++;
            continue;
        }
        value = mpl_engine_value(r, slot);
        if (value <= 0) {
            return;
        }
        reached = mpl_engine_reached(value);
        state->ticks = reached > state->ticks ? reached : state->ticks;
        r->blocks[slot / SLOTS_PER_BLOCK].slots[slot % SLOTS_PER_BLOCK] =
            (state->ticks + 1) | RESOLVED_BIT;
        state->n_resolved++;
        if (runner->scan_instance == i) {
            runner->scan_instance = MPL_NONE;
            r->ready[r->n_ready++] = part->location;
        }
    }
}

bool mpl_engine_prepare_colls(struct engine *r, struct mpl_arena *scratch)
{
    r->colls = MPL_NEW_ARRAY(scratch, r->match->n_instances, struct coll_state);
    for (uint32_t i = 0; i < r->match->n_instances && r->colls != NULL; i++) {
        r->colls[i].n_missing = r->activities->n_needed[i];
    }
    return r->colls != NULL;
}

void mpl_engine_arrive(struct engine *r, uint32_t location, uint32_t collective)
{
    const uint32_t i = instance_of(r, location, collective);
    const int64_t ticks = r->runners[location].ticks;
    struct coll_state *state;

    if (i == MPL_NONE || !need_of(r, location, collective)->is_needed) {
        return;
    }
    state = &r->colls[i];
    state->n_missing--;
    if (is_scan(r, i)) {
        resolve_scan(r, i);
        return;
    }
    state->ticks = ticks > state->ticks ? ticks : state->ticks;
    if (state->n_missing == 0) {
        mpl_engine_wake(r, state->first_hanging);
    }
}

static enum progress complete_scan(struct engine *r, uint32_t location, uint32_t i,
                                   uint32_t collective)
{
    const uint32_t slot = arrival_slot(r, location, collective);
    struct runner *runner = &r->runners[location];
    int64_t value;
    int64_t reached;

    if (slot == MPL_NONE) {
        return GOES_ON;
    }
    value = mpl_engine_value(r, slot);
    if ((value & RESOLVED_BIT) == 0) {
        runner->scan_instance = i;
        return HANGS;
    }
    reached = mpl_engine_reached(value);
    runner->ticks = reached > runner->ticks ? reached : runner->ticks;
    return GOES_ON;
}

enum progress mpl_engine_complete(struct engine *r, uint32_t location, uint32_t collective)
{
    const uint32_t i = instance_of(r, location, collective);
    struct runner *runner = &r->runners[location];

    if (i == MPL_NONE || !need_of(r, location, collective)->does_wait) {
        return GOES_ON;
    }
    if (is_scan(r, i)) {
        return complete_scan(r, location, i, collective);
    }
    if (r->colls[i].n_missing > 0) {
        runner->next = r->colls[i].first_hanging;
        r->colls[i].first_hanging = location + 1;
        return HANGS;
    }
    runner->ticks = r->colls[i].ticks > runner->ticks ? r->colls[i].ticks : runner->ticks;
    return GOES_ON;
}
