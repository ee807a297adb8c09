/* The ideal run time as a value, for tests that expect no failure. */
#ifndef MPL_TESTS_REPLAY_IDEAL_H
#define MPL_TESTS_REPLAY_IDEAL_H

#include <check.h>

#include "replay/replay.h"

static inline double replay_ideal_s(const struct mpl_events *events)
{
    struct mpl_arena *scratch = mpl_arena_create();
    struct mpl_replay *replay = mpl_replay_create(events, scratch);
    double seconds = -1;

    ck_assert_int_eq(mpl_replay_ideal(replay, &seconds, NULL), MPL_OK);
    mpl_arena_destroy(scratch);
    return seconds;
}

#endif
