/*
 * Sends that last until the receiver looks. Many MPI libraries move messages only while somebody is in a call
 * of theirs: a blocking send to a process that computes then lasts until that process comes to any call,
 * maybe one that has nothing to do with the message, and leaves before its receive is posted. No wait state
 * knows that, so it would be kept as a cost of the send however early the receiver comes.
 */
#include "config.h"

#include "replay/replay_priv.h"

/* A receiver that goes through so many calls before it posts the receive had looked long before. */
enum { CALLS_BEFORE = 16 };

static int64_t enter_ticks(const struct engine *r, uint32_t location, uint32_t call)
{
    struct mpl_call_view view;

    mpl_events_call(r->events, location, call, &view);
    return r->model->locations[location].time_ticks[view.first_event];
}

static int64_t leave_ticks(const struct engine *r, uint32_t location, uint32_t call)
{
    struct mpl_call_view view;

    mpl_events_call(r->events, location, call, &view);
    return r->model->locations[location].time_ticks[view.last_event];
}

bool mpl_engine_find_progress(const struct engine *r, uint32_t location, uint32_t message,
                              uint32_t *other, uint32_t *call, int64_t *held_ticks)
{
    const struct runner *runner = &r->runners[location];
    const int64_t *time_ticks = r->model->locations[runner->lane].time_ticks;
    const int64_t begin_ticks = time_ticks[runner->view.first_event];
    const int64_t end_ticks = time_ticks[runner->view.last_event];
    uint32_t first;

    if (!mpl_events_posting_call(r->events, runner->lane, message, other, &first) ||
        !r->runners[*other].is_part || enter_ticks(r, *other, first) <= begin_ticks) {
        return false;
    }
    for (uint32_t k = 0; first > 0 && enter_ticks(r, *other, first - 1) > begin_ticks;
         k++) {
        if (k == CALLS_BEFORE) {
            return false;
        }
        first--;
    }
    *call = first;
    const int64_t ticks = mpl_engine_inside(r, begin_ticks, end_ticks);

    *held_ticks = mpl_engine_inside(r, begin_ticks, enter_ticks(r, *other, first));
    /* It computed when the send began, and that is what most of the send was spent on. */
    return *held_ticks < ticks && 2 * *held_ticks >= ticks &&
           (first == 0 || leave_ticks(r, *other, first - 1) <= begin_ticks);
}
