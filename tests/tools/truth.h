/*
 * What clocks really showed, where a trace's maker wrote it down: at any moment of a rank's own
 * clock, what must be added to reach the clock of rank 0.
 *
 * Three kinds of files, distinguished by the number of columns; "#" begins a comment:
 *     rank offset_ticks                          constant (clock-truth.tsv of the shared traces)
 *     rank ticks offset_ticks                    a table, ascending (truth.tsv of worlds)
 *     rank first_ns epoch_s off_s ppm amp_s per_s   the model of clock-truth-drift.txt:
 *         ticks = w * 1e9 - first_ns, w = t + off_s + t * ppm * 1e-6 + amp_s * sin(2 pi t / per_s)
 *         with t the seconds on one clock that all ranks share
 */
#ifndef MPL_TESTS_TRUTH_H
#define MPL_TESTS_TRUTH_H

#include "base/base.h"

struct truth;
/** Every rank below \p n_ranks must have a line. Lives in \p arena. */
enum mpl_status truth_read(const char *path, uint32_t n_ranks, struct mpl_arena *arena,
                           const struct truth **out, struct mpl_err *err);
/** What must be added at \p ticks of the rank's clock to reach that of rank 0. */
int64_t truth_offset_ticks(const struct truth *truth, uint32_t rank, uint64_t ticks);
/** What the clock of \p reference shows when that of \p rank shows \p ticks. */
uint64_t truth_on_clock_of(const struct truth *truth, uint32_t reference, uint32_t rank,
                           uint64_t ticks);

#endif
