/* The runs that `marple diff` compares: one operand each, or several behind --base and --new. */
#ifndef MPL_CLI_SIDES_PRIV_H
#define MPL_CLI_SIDES_PRIV_H

#include "cli/cli.h"
#include "diff/diff.h"

enum mpl_side { MPL_SIDE_BASE, MPL_SIDE_NEW, MPL_SIDES };

/* As they are asked for. */
struct mpl_sides_asked {
    struct mpl_words words[MPL_SIDES];
    int at; /* whose option the operands follow; MPL_SIDES, as at the beginning: neither */
    bool has_plain; /* operands in front of any option */
};
/* Into struct mpl_sides_asked: --base or --new with the first of its runs, and an operand. */
mpl_take mpl_take_base;
mpl_take mpl_take_new;
mpl_take mpl_take_side;
/* Nothing but one trace of the base. */
bool mpl_sides_is_one(const struct mpl_sides_asked *asked);
/* Errors: MPL_E_USAGE if a side has no run. */
enum mpl_status mpl_sides_check(const struct mpl_sides_asked *asked, struct mpl_err *err);

/* As they are read. */
struct mpl_sides_read {
    struct mpl_analysis **analyses[MPL_SIDES];
    struct mpl_diff_runs runs[MPL_SIDES];
};
/* Of the sides that are asked for. A case stands for its runs, and so does a manifest, which ends in .yaml or .yml.
   \p ranks: struct mpl_rank_pair, other ranks for the base. Close \p out also after an error. */
enum mpl_status mpl_sides_read(const struct mpl_sides_asked *asked,
                               const struct mpl_buf *ranks,
                               const struct mpl_clock_options *clock,
                               struct mpl_arena *arena, struct mpl_sides_read *out,
                               struct mpl_err *err);
void mpl_sides_close(struct mpl_sides_read *sides);

#endif
