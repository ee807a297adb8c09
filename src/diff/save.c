/*
 * A run for later comparisons, so that nobody has to keep its trace. It is kept whole, but for what correcting its
 * clocks needs: whatever diff learns to compare, a baseline of today answers as its trace would.
 */
#include "config.h"

#include "diff/diff.h"

enum mpl_status mpl_diff_save(const struct mpl_run *run, FILE *out, struct mpl_err *err)
{
    if (run->events == NULL) {
        (void) mpl_fail(err, MPL_E_MEANING, "%s", run->failure);
        return mpl_wrap(err, MPL_E_MEANING, "the trace cannot be saved as a baseline");
    }

    const struct mpl_timeline known = { .source = run->clock->source,
                                        .bound_ticks = run->clock->bound_ticks,
                                        .low_ticks = run->clock->low_ticks,
                                        .high_ticks = run->clock->high_ticks };

    return mpl_write_baseline(run->model, &known, mpl_note_is_damage, out, err);
}
