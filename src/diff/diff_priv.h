/* What the files of diff share. */
#ifndef MPL_DIFF_DIFF_PRIV_H
#define MPL_DIFF_DIFF_PRIV_H

#include "diff/similarity.h"

/** The sequences of both runs, per location. */
struct mpl_level {
    const struct mpl_sequence *base;
    const struct mpl_sequence *new;
};

struct mpl_comparison {
    struct mpl_arena *arena;
    struct mpl_diff diff;
    struct mpl_symbols *symbols;
    struct mpl_loops *loops;
    uint32_t n_locations;
    struct mpl_diff_options options;
    /** Per location, with all that is recorded and that chance does not decide about. NULL: not made yet. */
    const struct mpl_sequence *base;
    const struct mpl_sequence *new;
    struct mpl_level firm; /* As if chance decided nothing. */
    struct mpl_loose *loose;
    enum mpl_looseness *looseness; /* Per location, the highest of its calls. */
    uint64_t n_calls[2];           /* Of the base and of the new run, */
    uint64_t n_compared[2]; /* and those of them that chance does not decide about. */
    struct mpl_fork *forks; /* Per location, of the base. */
    size_t n_changed_runs;  /* New ones that go another way than the base, */
    const struct mpl_run *changed_run; /* one of them. */
    bool has_loose_roots;              /* See beside.c. */
    bool *takes_any; /* Per process: messages in the order in which they come. */
    struct mpl_buf notes;
};

/* ---- may they be compared? (comparable.c) --------------------------------------------------------- */

/** Sets the reason if not, and notes what is left out. */
enum mpl_status mpl_comparable_check(struct mpl_comparison *c, struct mpl_err *err);
enum mpl_status mpl_comparison_note(struct mpl_comparison *c, const char *text,
                                    struct mpl_err *err); /* \p text NULL: no memory */
enum mpl_status mpl_comparable_note(struct mpl_comparison *c, struct mpl_err *err);
/** Adds a sentence; NULL: there was no memory for it. */
enum mpl_status mpl_comparison_note(struct mpl_comparison *c, const char *text,
                                    struct mpl_err *err);

/** roles.c: for runs whose processes do not correspond, fills in roles and the verdict about structure; \p *reason: a
    clause why roles do not match, else NULL. */
enum mpl_status mpl_roles_compare(struct mpl_comparison *c, const char **reason,
                                  struct mpl_err *err);
enum mpl_status mpl_roles_note(struct mpl_comparison *c, struct mpl_err *err);

/* ---- what chance decides (arrival.c, race.c) -------------------------------------------------------- */

/**
 * From sequences with all that is recorded, made with \p options: which calls differ by chance. Adds them to c->loose; \p
 * *has_more: there are such, so that sequences change.
 */
enum mpl_status mpl_arrival_find(struct mpl_comparison *c,
                                 const struct mpl_sequence_options *options,
                                 const struct mpl_level *level, bool *has_more,
                                 struct mpl_err *err);
enum mpl_status mpl_arrival_note(struct mpl_comparison *c, struct mpl_err *err);

/** beside.c: what threads decide. Adds roots to c->loose. Errors: MPL_E_NOMEM only. */
enum mpl_status mpl_beside_find(struct mpl_comparison *c, const struct mpl_sequence *base,
                                const struct mpl_sequence *new, struct mpl_err *err);
/** Whether all of them differ in nothing but how many iterations they take, in the same way, and threads may decide that. */
bool mpl_beside_explains(struct mpl_comparison *c, const struct mpl_divergence *changes,
                         size_t n);
enum mpl_status mpl_beside_note(struct mpl_comparison *c, struct mpl_err *err);

/** A receive of a location that met another sender in the other run. */
struct mpl_other_sender {
    uint32_t location;
    uint32_t call; /**< See mpl_events_call(). */
    uint32_t rank; /**< Whom it met in the other run, */
    uint32_t tag;  /**< with this tag. */
};
/** Whether the location waits for some while others are there. */
enum mpl_status mpl_race_has_names(const struct mpl_run *run,
                                   const struct mpl_other_sender *meeting, bool *has,
                                   struct mpl_err *err);
struct mpl_race_look {
    bool is_possible;   /**< It could have met that one here: nothing orders the two. */
    bool is_impossible; /**< That one was sent after the receive. Neither: it never came. */
};
/** Costs more. */
enum mpl_status mpl_race_look(const struct mpl_run *run,
                              const struct mpl_other_sender *meeting,
                              struct mpl_race_look *out, struct mpl_err *err);

/* ---- repetitions (groups.c) -------------------------------------------------------------------------- */

/** Chooses the run that represents each side, and notes which cannot be used. */
enum mpl_status mpl_sides_take(struct mpl_comparison *c, const struct mpl_diff_runs *base,
                               const struct mpl_diff_runs *new,
                               const struct mpl_diff_options *options, struct mpl_err *err);

/** diff.c. With all that is recorded of calls, but for what chance decides. */
enum mpl_status mpl_fine_make(struct mpl_comparison *c, struct mpl_arena *arena,
                              struct mpl_level *out, struct mpl_err *err);
/** Finds what chance decides in the base and the new run. */
enum mpl_status mpl_fine_loosen(struct mpl_comparison *c, struct mpl_err *err);
/** \p *common: calls that both begin with. */
bool mpl_level_differs(const struct mpl_comparison *c, const struct mpl_level *level,
                       uint32_t l, uint32_t *common);

/** repeats.c: what chance decides in repetitions of the base; where these go different ways; whether that explains
    that the new run does; how many new runs do. Cost: linear in calls of all runs. */
enum mpl_status mpl_repeats_loosen(struct mpl_comparison *c, struct mpl_err *err);
enum mpl_status mpl_repeats_find_forks(struct mpl_comparison *c, struct mpl_err *err);
bool mpl_repeats_explain(const struct mpl_comparison *c, const struct mpl_level *level,
                         uint32_t l, uint32_t position);
enum mpl_status mpl_repeats_count(struct mpl_comparison *c, struct mpl_err *err);
enum mpl_status mpl_repeats_note(struct mpl_comparison *c, struct mpl_err *err);

/* ---- computation (loads.c) ------------------------------------------------------------------------- */

/** With the sequences of both runs, per location. */
enum mpl_status mpl_loads_compare(struct mpl_comparison *c, const struct mpl_sequence *base,
                                  const struct mpl_sequence *new, struct mpl_err *err);
/** Whether the new run is slower or faster; also where loads were not compared. */
void mpl_loads_judge(struct mpl_diff *diff);

/* ---- attributes and their numbers (frequencies.c) ---------------------------------------------------------- */

struct mpl_frequencies {
    uint32_t n;
    struct mpl_context_attribute
        *all; /**< Ascending by key, each once; values are numbers. */
};
/**
 * Of \p n sequences; those that share their items share what is found. \p loops: of the calls, as if the sequences had none;
 * NULL: loops are entries like calls. \p of: bits of enum mpl_context_of; \p out by it, NULL what is not asked for. Lives in
 * \p arena; false: no memory. Cost: linear in items where few of them differ.
 */
bool mpl_frequencies_of_all(const struct mpl_folded *sequences, size_t n,
                            const struct mpl_loops *loops, unsigned of,
                            struct mpl_arena *arena, const struct mpl_frequencies **out);
/** Of both runs, base first, by enum mpl_context_of; NULL: nobody has asked. */
struct mpl_counts {
    const struct mpl_frequencies *of[2];
};
/** mpl_context_create() where it is counted what occurs. */
enum mpl_status mpl_context_of_counts(const struct mpl_frequencies *counts, size_t n,
                                      struct mpl_context_kind kind, struct mpl_arena *arena,
                                      const struct mpl_context **out, struct mpl_err *err);

/* ---- alignment (align.c) ---------------------------------------------------------------------------- */

/** The calls of a location in both runs. */
struct mpl_sides {
    const struct mpl_sequence *base;
    const struct mpl_sequence *new;
    struct mpl_folded folded; /* The base, */
    struct mpl_folded folded_new;
};
/** How many calls both begin with; their length if they are equal. */
uint32_t mpl_sides_common(const struct mpl_comparison *c, const struct mpl_sides *sides);
/** Which iteration of the outermost loop: of the run in which it gets further. */
void mpl_align_place(const struct mpl_comparison *c, const struct mpl_sides *sides,
                     struct mpl_divergence *change);
/** Fills what else an alignment says; folds what is new with the loops of the base. */
enum mpl_status mpl_align(struct mpl_comparison *c, const struct mpl_sides *sides,
                          struct mpl_divergence *change, struct mpl_err *err);

/* ---- Myers (myers.c) -------------------------------------------------------------------------------- */

/**
 * A shortest edit script (Myers 1986): \p pairs gets for each item of \p a its partner in \p b, or MPL_NONE.
 * Items are alike if they are the same call or loop, however often. Of very different sequences
 * (\p most edits) only the common beginning and end are paired, and \p is_cut is set.
 */
enum mpl_status mpl_myers(const struct mpl_item *a, uint32_t n_a, const struct mpl_item *b,
                          uint32_t n_b, uint32_t most, uint32_t *pairs, bool *is_cut,
                          struct mpl_err *err);

/* ---- who changed most (vote.c), who was first (lead.c), what it leads to (explain.c) -------------------------------------------- */

enum mpl_status mpl_vote(struct mpl_comparison *c, struct mpl_divergence *changes,
                         struct mpl_err *err);
/** Moves to the front who was first, by messages and then by votes. Changes are sorted by time. */
enum mpl_status mpl_lead_choose(struct mpl_comparison *c, struct mpl_divergence *changes,
                                size_t n, struct mpl_err *err);
enum mpl_status mpl_explain(struct mpl_comparison *c, const struct mpl_sequence *new,
                            struct mpl_divergence *change, struct mpl_err *err);

/* ---- sets of bits (bits.c) --------------------------------------------------------------------------- */

size_t mpl_bits_words(uint32_t n); /* That hold so many. */
void mpl_bits_put(uint64_t *set, uint32_t i);
bool mpl_bits_has(const uint64_t *set, uint32_t i);
bool mpl_bits_is_within(const uint64_t *part, const uint64_t *whole, size_t n_words);
/** How many both have. */
uint32_t mpl_bits_common(const uint64_t *a, const uint64_t *b, size_t n_words);

#endif
