/*
 * How well clocks order messages, as Table 1 of Bongo, Anshus, Bjoerndalen, "Using a Virtual
 * Event Space to Understand Parallel Application Communication Behavior" has it: the share
 * of messages that are received after they are sent, and by how much the others miss that.
 */
#ifndef MPL_TESTS_MISSES_H
#define MPL_TESTS_MISSES_H

#include "clock/clock.h"

struct miss_table {
    uint64_t n_messages;
    uint64_t n_missed;
    double correct_share; /**< 0-1; 1 where there are no messages. */
    double mean_s; /**< Of the misses, as are the next two; 0 where there are none. */
    double median_s;
    double stddev_s;
};

/** Brings the model onto one time line, without a repair, and measures. */
enum mpl_status misses_measure(struct mpl_model *model, const struct mpl_match *match,
                               enum mpl_clock_choice choice, struct mpl_arena *arena,
                               struct miss_table *out, struct mpl_err *err);
/** One line: "messages     480  correct 100.0 %  misses: mean …". */
void misses_print(const char *what, const struct miss_table *table, FILE *out);

#endif
