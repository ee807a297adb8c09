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

bool mpl_activities_find_progress(const struct activities *a, uint32_t lane,
                                  const struct mpl_call_view *view, uint32_t message,
                                  uint32_t *other, uint32_t *call, int64_t *held_ticks)
{
    const struct mpl_location *loc = &a->model->locations[lane];
    const int64_t begin_ticks = mpl_time_of(a->events, loc, view->first_event);
    const int64_t end_ticks = mpl_time_of(a->events, loc, view->last_event);
    uint32_t first;

    if (!mpl_activities_find_post(a, lane, message, other, &first) ||
        mpl_call_enter_ticks(a->events, *other, first) <= begin_ticks ||
        (first > CALLS_BEFORE &&
         mpl_call_enter_ticks(a->events, *other, first - CALLS_BEFORE - 1) > begin_ticks)) {
        return false;
    }
    while (first > 0 && mpl_call_enter_ticks(a->events, *other, first - 1) > begin_ticks) {
        first--;
    }

    const int64_t ticks = mpl_activities_inside(a, begin_ticks, end_ticks);
    const int64_t held = mpl_activities_inside(
        a, begin_ticks, mpl_call_enter_ticks(a->events, *other, first));

    /* It computed when the send began, and that is what most of the send was spent on. */
    if (held >= ticks || 2 * held < ticks ||
        (first > 0 && mpl_call_leave_ticks(a->events, *other, first - 1) > begin_ticks)) {
        return false;
    }
    *call = first;
    *held_ticks = held;
    return true;
}
