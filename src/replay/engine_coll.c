/* Collectives in a replay: who depends on whom follows from the class of the operation. */
#include "config.h"

#include "replay/replay_priv.h"

uint32_t mpl_engine_instance(const struct engine *r, uint32_t location, uint32_t collective)
{
    return collective == MPL_NONE ? MPL_NONE : r->match->instance[location][collective];
}

/* The slot that tells when a participant arrived; NULL if it did outside of any call. */
static int64_t *arrival_slot(const struct engine *r, uint32_t location, uint32_t collective)
{
    const struct mpl_collective *record =
        &r->model->locations[location].collectives[collective];
    const uint32_t begin = record->begin != MPL_NONE ? record->begin : record->end;
    const uint32_t call = mpl_events_call_of_event(r->events, location, begin);

    return call == MPL_NONE ? NULL : &r->slots[location][call];
}

/* Goes on through the ranks of a scan as far as they have arrived. */
static void resolve_scan(struct engine *r, uint32_t i)
{
    const struct mpl_coll_instance *instance = &r->match->instances[i];
    struct coll_state *state = &r->colls[i];

    while (state->n_resolved < instance->n_parts) {
        const struct mpl_coll_part *part =
            &r->match->parts[instance->first_part + state->n_resolved];
        int64_t *slot = arrival_slot(r, part->location, part->collective);
        struct runner *runner = &r->runners[part->location];
        int64_t reached;

        if (slot == NULL || *slot <= 0) {
            return;
        }
        reached = *slot - 1;
        state->ticks = reached > state->ticks ? reached : state->ticks;
        *slot = (state->ticks + 1) | RESOLVED_BIT;
        state->n_resolved++;
        if (runner->scan_instance == i) {
            runner->scan_instance = MPL_NONE;
            r->ready[r->n_ready++] = part->location;
        }
    }
}

void mpl_engine_arrive(struct engine *r, uint32_t location, uint32_t i)
{
    const struct mpl_coll_instance *instance = &r->match->instances[i];
    const enum mpl_coll_class class = mpl_coll_class_of(instance->op);
    struct coll_state *state = &r->colls[i];
    const int64_t ticks = r->runners[location].ticks;

    state->n_arrived++;
    if (class == MPL_CLASS_SCAN || class == MPL_CLASS_EXSCAN) {
        resolve_scan(r, i);
        return;
    }
    if (class == MPL_CLASS_1_TO_N) {
        if (r->model->locations[location].process != instance->root) {
            return;
        }
        state->ticks = ticks;
        state->is_root_here = true;
    } else {
        state->ticks = ticks > state->ticks ? ticks : state->ticks;
        if (state->n_arrived < instance->n_parts) {
            return;
        }
    }
    mpl_engine_wake(r, state->first_hanging);
}

static enum progress complete_scan(struct engine *r, uint32_t location, uint32_t i,
                                   uint32_t collective)
{
    const int64_t *slot = arrival_slot(r, location, collective);
    struct runner *runner = &r->runners[location];
    int64_t reached;

    if (slot == NULL) {
        return GOES_ON;
    }
    if ((*slot & RESOLVED_BIT) == 0) {
        runner->scan_instance = i;
        return HANGS;
    }
    reached = (*slot & ~RESOLVED_BIT) - 1;
    runner->ticks = reached > runner->ticks ? reached : runner->ticks;
    return GOES_ON;
}

/* True if the end of an operation that is no scan holds the location up; whether it is over. */
static bool must_wait(const struct engine *r, uint32_t location, uint32_t i, bool *is_over)
{
    const struct mpl_coll_instance *instance = &r->match->instances[i];
    const bool is_root = r->model->locations[location].process == instance->root;

    *is_over = r->colls[i].n_arrived == instance->n_parts;
    switch (mpl_coll_class_of(instance->op)) {
    case MPL_CLASS_1_TO_N:
        *is_over = r->colls[i].is_root_here;
        return !is_root;
    case MPL_CLASS_N_TO_1:
        return is_root;
    case MPL_CLASS_BARRIER:
    case MPL_CLASS_N_TO_N:
        return true;
    default:
        return false;
    }
}

enum progress mpl_engine_complete(struct engine *r, uint32_t location, uint32_t collective)
{
    const uint32_t i = mpl_engine_instance(r, location, collective);
    struct runner *runner = &r->runners[location];
    enum mpl_coll_class class;
    bool is_over;

    if (i == MPL_NONE) {
        return GOES_ON;
    }
    class = mpl_coll_class_of(r->match->instances[i].op);
    if (class == MPL_CLASS_SCAN || class == MPL_CLASS_EXSCAN) {
        return complete_scan(r, location, i, collective);
    }
    if (!must_wait(r, location, i, &is_over)) {
        return GOES_ON;
    }
    if (!is_over) {
        runner->next = r->colls[i].first_hanging;
        r->colls[i].first_hanging = location + 1;
        return HANGS;
    }
    runner->ticks = r->colls[i].ticks > runner->ticks ? r->colls[i].ticks : runner->ticks;
    return GOES_ON;
}
