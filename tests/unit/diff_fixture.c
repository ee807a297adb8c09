#include "config.h"

#include "diff_fixture.h"

enum mpl_status diff_first_runs(const struct mpl_diagnosis *base,
                                const struct mpl_diagnosis *new,
                                struct mpl_comparison **out, struct mpl_err *err)
{
    const struct mpl_run *runs[] = { &base->runs[0], &new->runs[0] };
    const struct mpl_diff_options options = { 0 };

    return mpl_diff_create(&(struct mpl_diff_runs){ 1, &runs[0] },
                           &(struct mpl_diff_runs){ 1, &runs[1] }, &options, out, err);
}
