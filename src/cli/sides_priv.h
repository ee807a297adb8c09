/* The runs that `marple diff` compares: one operand each, or several behind --base and --new. */
#ifndef MPL_CLI_SIDES_PRIV_H
#define MPL_CLI_SIDES_PRIV_H

#include "diff/diff.h"

enum mpl_side { MPL_SIDE_BASE, MPL_SIDE_NEW, MPL_SIDES };

/* As they are asked for. */
struct mpl_sides_asked {
    const char **words[MPL_SIDES]; /* in an arena, with room for n_most */
    size_t n[MPL_SIDES];
    size_t n_most;
    int at;         /* whose option the operands follow; MPL_SIDES: neither */
    bool has_plain; /* operands in front of any option */
};
/* \p n_most: operands there can be. Errors: MPL_E_NOMEM. */
enum mpl_status mpl_sides_begin(struct mpl_sides_asked *asked, size_t n_most,
                                struct mpl_arena *arena, struct mpl_err *err);
/* --base or --new with the first of its runs. */
void mpl_sides_take_option(struct mpl_sides_asked *asked, enum mpl_side side,
                           const char *word);
/* False: there is no place for it. */
bool mpl_sides_take_operand(struct mpl_sides_asked *asked, const char *word);
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
