/*
 * Tests change times of events one by one, and compare all of a location.
 */
#ifndef MPL_TESTS_LIB_COLUMNS_H
#define MPL_TESTS_LIB_COLUMNS_H

#include <check.h>

#include "model/model.h"

static inline void put_ticks(struct mpl_location *loc, uint32_t event, int64_t ticks)
{
    ck_assert(mpl_times_set(&loc->times, loc->n_events, event, ticks));
}

/** Times of all events, in \p own. */
static inline int64_t *all_ticks(const struct mpl_location *loc, struct mpl_arena *own)
{
    int64_t *ticks = MPL_NEW_ARRAY(own, loc->n_events, int64_t);

    ck_assert_ptr_nonnull(ticks);
    mpl_times_read(&loc->times, 0, loc->n_events, ticks);
    return ticks;
}

/** Gives all events the times of \p ticks. */
static inline void put_all_ticks(struct mpl_location *loc, const int64_t *ticks)
{
    ck_assert(mpl_times_write(&loc->times, 0, loc->n_events, ticks));
}

#endif
