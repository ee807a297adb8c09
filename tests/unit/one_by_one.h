/*
 * Calls of a run once more, with records walked one by one: where the shape of a block does not say all of what its records name,
 * what repeats is not seen.
 */
#ifndef MPL_TESTS_ONE_BY_ONE_H
#define MPL_TESTS_ONE_BY_ONE_H

#include <check.h>
#include <string.h>

#include "events/events.h"

/** Says of all blocks of \p model that references stand beside; where none did, those that are asked for there are MPL_NONE as before. */
static inline void hide_repeats(struct mpl_model *model, struct mpl_arena *own)
{
    for (uint32_t l = 0; l < model->n_locations; l++) {
        struct mpl_event_column *column = &model->locations[l].column;
        const uint32_t n =
            (model->locations[l].n_events + MPL_BLOCK_EVENTS - 1) / MPL_BLOCK_EVENTS;
        struct mpl_event_block *blocks = MPL_NEW_ARRAY(own, n, struct mpl_event_block);
        uint32_t n_wide = 0;
        uint32_t *wide;

        for (uint32_t b = 0; b < n; b++) {
            blocks[b] = column->blocks[b];
            if (blocks[b].wide != MPL_NONE && blocks[b].wide >= n_wide) {
                n_wide = blocks[b].wide + MPL_BLOCK_EVENTS;
            }
        }
        wide = MPL_NEW_ARRAY(own, n_wide + MPL_BLOCK_EVENTS, uint32_t);
        ck_assert(blocks != NULL && wide != NULL);
        memset(wide, 0xff, (n_wide + MPL_BLOCK_EVENTS) * sizeof *wide);
        if (n_wide > 0) {
            memcpy(wide, column->wide, n_wide * sizeof *wide);
        }
        for (uint32_t b = 0; b < n; b++) {
            blocks[b].wide = blocks[b].wide == MPL_NONE ? n_wide : blocks[b].wide;
        }
        *column = (struct mpl_event_column){ .blocks = blocks, .wide = wide };
    }
}

static inline void assert_same_numbers(const uint32_t *a, const uint32_t *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        ck_assert_uint_eq(a[i], b[i]);
    }
}

/** That the calls of a run are the same, and so is what they have; what is known of their waits, too, if \p with_waits. */
static inline void assert_same_calls(const struct mpl_events *a, const struct mpl_events *b,
                                     bool with_waits)
{
    for (uint32_t l = 0; l < a->model->n_locations; l++) {
        const struct mpl_location *loc = &a->model->locations[l];
        const struct mpl_lane *x = &a->lanes[l];
        const struct mpl_lane *y = &b->lanes[l];

        ck_assert_uint_eq(x->n_calls, y->n_calls);
        for (uint32_t k = 0; k < 2 * x->n_calls + 1 && loc->n_events > 0; k++) {
            const struct mpl_span s = mpl_events_span(a, l, k);
            const struct mpl_span t = mpl_events_span(b, l, k);

            ck_assert(s.class == t.class && s.enter_ticks == t.enter_ticks &&
                      s.leave_ticks == t.leave_ticks &&
                      s.first_message == t.first_message && s.n_messages == t.n_messages &&
                      s.collective == t.collective);
            ck_assert(!with_waits ||
                      (s.region == t.region && s.wait_kind == t.wait_kind &&
                       s.is_wait_known == t.is_wait_known && s.wait_ticks == t.wait_ticks &&
                       s.culprit == t.culprit));
        }
        assert_same_numbers(x->call_of_message, y->call_of_message, loc->n_messages);
        assert_same_numbers(x->post_of_message, y->post_of_message, loc->n_messages);
        assert_same_numbers(x->call_of_collective, y->call_of_collective,
                            loc->n_collectives);
    }
}

#endif
