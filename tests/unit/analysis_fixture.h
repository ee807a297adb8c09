/*
 * Text traces with shifted ranks, their diagnoses, and clocks whose bounds a test chooses: what is
 * said about clocks is compared with diagnoses of traces that were shifted by hand.
 */
#ifndef MPL_TESTS_ANALYSIS_FIXTURE_H
#define MPL_TESTS_ANALYSIS_FIXTURE_H

#include "analysis/analysis_priv.h"

enum { LAB_RANKS = 8 };

/** A program as text; times in us begin after 10 ms, so that ranks may be shifted by less. */
struct program {
    uint32_t n_ranks;
    char *text[LAB_RANKS]; /**< With "%" before each time, where the shift is added. */
};

/** The text of \p program with \p shift_us (NULL: none) added to all times of each rank. */
char *program_text(const struct program *program, const int64_t *shift_us,
                   struct mpl_arena *arena);
/** Adds "ITEM A..B REST" to a rank. */
void program_add(struct program *program, struct mpl_arena *arena, uint32_t rank,
                 const char *item, int64_t from_us, int64_t to_us, const char *rest);
/** Rounds of a ring and of collectives with times drawn from \p seed; all messages have room. */
struct program program_draw(unsigned seed, struct mpl_arena *arena);

/** Diagnoses a text with the stock of knowledge; destroy it. */
struct mpl_analysis *analyse_text(const char *text);
struct mpl_analysis *analyse_path(const char *path, const struct mpl_progress *progress);
/** The finding of that name, or NULL. */
const struct mpl_diagnosed *find_finding(const struct mpl_analysis *a, const char *name);
/** Gives the first run a clock with these bounds, per location in us; INT64_MAX: none. */
struct mpl_clock *set_bounds(struct mpl_analysis *a, const int64_t *bound_us);

/** Weighs the clocks as an analysis does, once it has its findings. */
enum mpl_status weigh_clocks(struct mpl_analysis *a, struct mpl_err *err);

/** Two ranks, 20 rounds: rank 1 waits 30 us for each message, which needs \p room_us more than
 *  nothing, as does each answer; nobody waits for these. */
struct program late_sender(int64_t room_us, struct mpl_arena *arena);

#endif
