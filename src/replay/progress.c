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

static int64_t enter_ticks(const struct activities *a, uint32_t location, uint32_t call)
{
    struct mpl_call_view view;

    mpl_events_call(a->events, location, call, &view);
    return mpl_ticks_of(&a->model->locations[location], view.first_event);
}

static int64_t leave_ticks(const struct activities *a, uint32_t location, uint32_t call)
{
    struct mpl_call_view view;

    mpl_events_call(a->events, location, call, &view);
    return mpl_ticks_of(&a->model->locations[location], view.last_event);
}

bool mpl_activities_find_progress(const struct activities *a, uint32_t lane,
                                  const struct mpl_call_view *view, uint32_t message,
                                  uint32_t *other, uint32_t *call, int64_t *held_ticks)
{
    const struct mpl_location *loc = &a->model->locations[lane];
    const int64_t begin_ticks = mpl_ticks_of(loc, view->first_event);
    const int64_t end_ticks = mpl_ticks_of(loc, view->last_event);
    uint32_t first;

    if (!mpl_activities_find_post(a, lane, message, other, &first) ||
        enter_ticks(a, *other, first) <= begin_ticks) {
        return false;
    }
    for (uint32_t k = 0; first > 0 && enter_ticks(a, *other, first - 1) > begin_ticks;
         k++) {
        if (k == CALLS_BEFORE) {
            return false;
        }
        first--;
    }
    *call = first;
    const int64_t ticks = mpl_activities_inside(a, begin_ticks, end_ticks);

    *held_ticks = mpl_activities_inside(a, begin_ticks, enter_ticks(a, *other, first));
    /* It computed when the send began, and that is what most of the send was spent on. */
    return *held_ticks < ticks && 2 * *held_ticks >= ticks &&
           (first == 0 || leave_ticks(a, *other, first - 1) <= begin_ticks);
}
