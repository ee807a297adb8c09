/*
 * Takes:        runs of a program: some to compare with, and new ones.
 * Makes:        where their calls go different ways, from which iteration on; who computes longer, whether
 *               that is more than chance, and what it costs; which location is to blame.
 * Leaves alone: why a run is slow (analysis), and how an answer looks (report).
 */
#ifndef MPL_DIFF_DIFF_H
#define MPL_DIFF_DIFF_H

#include "analysis/analysis.h"
#include "sequence/sequence.h"

/** Another structure comes first. Slower and faster: because somebody, or everybody, computes longer or shorter, or by a quarter of
    the run time whatever the reason. */
enum mpl_diff_verdict {
    MPL_DIFF_SAME,
    MPL_DIFF_DIFFERENT,
    MPL_DIFF_SLOWER,
    MPL_DIFF_FASTER,
    MPL_DIFF_NOT_COMPARABLE
};
const char *mpl_diff_verdict_name(enum mpl_diff_verdict verdict); /* "SAME", … */

/** A stretch of an alignment: what stands on both sides, or on one. */
enum mpl_block_side { MPL_BLOCK_BOTH, MPL_BLOCK_BASE, MPL_BLOCK_NEW };
struct mpl_block {
    enum mpl_block_side side;
    uint32_t n;
    const struct mpl_item *items; /**< Loops of the diff's loops. */
};

/** A location whose calls go another way in the new run. */
struct mpl_divergence {
    uint32_t location;    /**< The same index in both runs. */
    uint32_t position;    /**< Calls that both have in common at the beginning. */
    uint32_t base_symbol; /**< What comes then; MPL_NONE: nothing more. */
    uint32_t new_symbol;
    /** Of the outermost loop, of the run in which it gets further, from 0; and how many it has. 0:
        outside of all loops. */
    uint32_t iteration;
    uint32_t n_iterations;
    double
        base_s; /**< When the base does what the new run does not; since its first event. */
    uint32_t base_event; /**< The location's event of that moment. */
    size_t n_blocks;
    const struct mpl_block *blocks;
    /** They differ so much that only what both begin and end with stands in blocks of both. */
    bool is_cut;
    const char *remark; /**< What it may lead to, a sentence; NULL: nothing to say. */
    uint32_t n_votes;   /**< Configurations in which it has changed most. */
};

/** Whether \p next begins with further iterations of the loop that \p common ends with. */
bool mpl_block_goes_on(const struct mpl_block *common, const struct mpl_block *next);
/** How often a loop is taken in both runs, if that is all that differs; false: it is not. */
bool mpl_divergence_counts(const struct mpl_divergence *change, uint32_t *base,
                           uint32_t *new);

/** What a location computes, without waits and communication. Seconds; of repetitions medians. */
struct mpl_load {
    uint32_t location;
    double base_s;
    double new_s;
    double
        work; /**< How many times the base's work it got from whoever hands it out; else 1. */
    uint64_t base_tasks; /**< That somebody handed out; 0: it has work of its own. */
    uint64_t new_tasks;
    double
        beyond_s; /**< What it needs more than the base for the same work, and the common factor.
                       NaN: it got too few tasks to say so. */
    double low_s; /**< Of it, the confidence interval of 95 %; NaN: chance is not known. */
    double high_s;
    double p;            /**< That chance alone makes so much; NaN likewise. */
    bool is_significant; /**< More than chance, and no smaller than what counts. */
    /** What others wait since it is late by its own fault, in the base and now; NaN: not compared, for one
        of the runs does not record it, or the run is neither slower nor faster. */
    double caused_base_s;
    double caused_new_s;
};

/** In which iterations of a loop, or calls of a kind, a difference lies. */
enum mpl_when_kind {
    MPL_WHEN_UNEVEN, /**< Here more and there less, or there are too few to say. */
    MPL_WHEN_ALL,    /**< In nearly all of them. */
    MPL_WHEN_FROM,
    MPL_WHEN_UNTIL,
    MPL_WHEN_SOME /**< Nine tenths are in a quarter of them or fewer. */
};
struct mpl_when {
    enum mpl_when_kind kind;
    uint32_t
        first; /**< From 0. From: the first that has it; until: the first that has not; some: the
                       first of them. */
    uint32_t low; /**< From, until: the interval of 95 % for it. */
    uint32_t high;
    uint32_t n;    /**< So many have it. */
    double each_s; /**< Each of these, on average. */
};

/** What of a location's time is compared. */
enum mpl_time {
    MPL_TIME_COMPUTED, /**< Between its calls. */
    MPL_TIME_WAITED,   /**< In calls of MPI, for somebody who is late. */
    MPL_TIME_CALLS, /**< In calls of MPI without that. Start-up and shut-down are neither. */
    MPL_TIMES
};
enum mpl_place_what {
    MPL_PLACE_FUNCTION, /**< Wherever the location is in a function, called on one path. */
    MPL_PLACE_LOOP,     /**< The body of a loop. */
    MPL_PLACE_CALL      /**< A call; of computation in front of it, up to the one before. */
};
/** Where the time of a location is longer or shorter. */
struct mpl_place_load {
    enum mpl_time time;
    uint32_t location;
    uint32_t load; /**< Of computation an index into loads. */
    enum mpl_place_what what;
    /** The functions that it is in, from the outermost one: "main/solve/stencil"; of a loop or a call, in which at
        least half of it is. NULL: none, or not recorded. */
    const char *path;
    uint32_t
        loop; /**< The outermost one; MPL_NONE: outside of loops, or a function in several. */
    uint32_t symbol; /**< The call; MPL_NONE: behind the last one, or no place at a call. */
    uint32_t
        position; /**< Of the call in the body, from 0; calls of an inner loop count once. */
    uint32_t base_steps; /**< Iterations, outside of loops calls. */
    uint32_t new_steps;
    double base_s; /**< Of repetitions medians. */
    double new_s;
    double beyond_s; /**< See struct mpl_load. */
    double low_s;    /**< Its confidence interval of 95 %; NaN: chance is not known. */
    double high_s;
    double p;
    bool
        is_significant; /**< At a false discovery rate of 5 % among the places of a location that is. */
    struct mpl_when when;
    /** Of calls: who makes it wait so much longer, or no longer, that it is half of the difference; for longer waits as
        mpl_events_wait_origins() has it. MPL_NONE: nobody, or of computation. */
    uint32_t culprit;
    double culprit_s;    /**< So much of the difference. */
    uint64_t base_bytes; /**< That these calls send and receive; of computation 0. */
    uint64_t new_bytes;
    double
        more_bytes_s; /**< Of the difference, what is in calls that move a tenth or more beyond the bytes that the
                            same calls of the base do. */
    bool is_wait_known; /**< False: partners are not recorded, so waiting counts as call. */
};

/** How a role of one run is like one of the other. */
enum mpl_diff_role_kind {
    MPL_ROLE_SAME, /**< The same calls behind each other; or no calls. */
    MPL_ROLE_LOOSE, /**< The same calls, and many have an order of their own: order is not compared. */
    MPL_ROLE_ORDER, /**< The same calls, and few make them in an order that the other run has not. */
    MPL_ROLE_CALLS /**< Calls that the other run has not, or fewer than anybody there. */
};
/** Those who have a role in one of the runs. Seconds. */
struct mpl_diff_role_side {
    uint32_t n;                /**< 0: nobody. */
    const uint32_t *locations; /**< Ascending. */
    double median_s;           /**< What one of them computes; NaN: there is none. */
    double sum_s;              /**< And all. */
    double waited_s; /**< All wait so long; NaN: the runs do not record the same. */
    uint32_t
        iterations; /**< Of the longest loop of the first one; 0: not both runs have one. */
    const char *
        loop; /**< Its body, "Irecv Isend Waitall", where that of the other run is another one; else NULL. */
};
/** A kind of processes, where runs have other numbers of them. */
struct mpl_diff_role {
    enum mpl_diff_role_kind kind;
    struct mpl_diff_role_side sides[2]; /**< Base and new. */
    /** Where only one run has it: somebody of the other one who is most like it. Else MPL_NONE, or somebody of it. */
    uint32_t near;
    const char *only
        [2]; /**< What only the base, or the new run does: calls, or pairs of them; "": nothing. */
};
/** Whether it is a difference in structure. */
bool mpl_diff_role_differs(const struct mpl_diff_role *role);

/** Runs of one side. */
struct mpl_diff_side {
    size_t n;
    const struct mpl_run *const *runs; /**< Ascending by duration. */
    double median_s;                   /**< Of their durations. */
    double low_s;
    double high_s;
};

/** The new run replayed with what those who are named compute in the base; where all have a common factor, with what
    all do. */
struct mpl_closing {
    uint32_t
        n; /**< Loads that are changed. 0: there is nobody, or the run is neither slower nor faster. */
    double replayed_s; /**< Run time; NaN: a replay would be a guess, see doubt. */
    const char *doubt; /**< A clause that weakens it; NULL: nothing. */
};

struct mpl_diff {
    enum mpl_diff_verdict verdict;
    const char *reason;         /**< Why they cannot be compared; else NULL. */
    const struct mpl_run *base; /**< Of several the one with the median duration. */
    const struct mpl_run *new;
    struct mpl_diff_side sides[2]; /**< Base and new. */
    double least_share; /**< Of the base's run time, the smallest difference that counts. */
    double p; /**< That chance alone makes the difference in run time; NaN: not known. */
    const struct mpl_symbols *symbols;
    const struct mpl_loops *loops;
    size_t n_changes;
    /** Who goes another way first comes first: of those that come after no other one, by messages, whoever
        most configurations suspect; then by time. */
    const struct mpl_divergence *changes;
    uint32_t
        n_first; /**< Those that come after no other one; 1: it is certain who was first. */
    /** How often all processes take their loop, in the base and now, where threads may decide it; else both are 0. */
    uint32_t loose_iterations[2];
    uint32_t n_roles; /**< 0: locations are compared one by one; else only roles. */
    const struct mpl_diff_role *roles; /**< What differs first, then what most have. */
    uint32_t n_configurations;
    uint32_t n_telling; /**< Of them, in which the runs differ at all. */
    double
        factor; /**< By which all compute longer, as on another machine; 1: as long as before. */
    uint32_t n_loads; /**< 0: they do not make as many calls, so times say nothing. */
    const struct mpl_load *loads; /**< One per location; what differs most comes first. */
    uint32_t
        n_named; /**< Of them, those that count: significant, or of single runs, far from all others. */
    size_t n_places; /**< A tenth or more each of what the loads differ that are named. */
    const struct mpl_place_load *places; /**< By load, and then the largest one first. */
    /** The same of calls of MPI: first waits, then the other time in them, of locations where it is longer or shorter
        by what counts. Only where the run is slower or faster, and both record when receives are over. */
    size_t n_calls;
    const struct mpl_place_load *calls;
    double
        explained_share; /**< Of the difference in run time, what computation explains: of the first,
                            of who computes longest, or of all on average. NaN: no difference. */
    struct mpl_closing closing;
    bool is_slower; /**< Whatever else differs. */
    bool
        is_unexplained; /**< Slower or faster, and not by computation as far as it was compared. */
    size_t n_notes;
    const char *const *notes; /**< What was not compared, and why: sentences. */
};

/** Everything that lives as long as the answer. */
struct mpl_comparison;

/** Repetitions, at least one. */
struct mpl_diff_runs {
    size_t n;
    const struct mpl_run *const *runs;
};
struct mpl_diff_options {
    double least_share; /**< See struct mpl_diff; 0: 10 %, with repetitions 2 %. */
    bool
        has_parts; /**< Calls are compared with these parts; else with all but their paths. */
    unsigned parts; /**< enum mpl_symbol_part */
};
/**
 * Compares repetitions of two runs, which are borrowed. Those that cannot be used are left out, and that is a note.
 *
 * Ownership: destroy *out, also after an error.
 * Errors:    MPL_E_NOMEM only: what cannot be compared is a verdict.
 * Cost:      linear in calls; votes grow with the square of the locations that are not alike.
 */
enum mpl_status mpl_diff_create(const struct mpl_diff_runs *base,
                                const struct mpl_diff_runs *new,
                                const struct mpl_diff_options *options,
                                struct mpl_comparison **out, struct mpl_err *err);
/**
 * Who causes at least half of what is waited longer than in the base, which is *more_s, the time of all locations
 * added up; NULL: nobody, or waits are not compared, and *more_s is NaN then.
 */
const struct mpl_load *mpl_diff_culprit(const struct mpl_diff *diff, double *more_s);
/** Whether either side has several runs. */
bool mpl_diff_has_repetitions(const struct mpl_diff *diff);
/** Whether the difference in run time is no more than what repetitions differ in; false without them. */
bool mpl_diff_may_be_chance(const struct mpl_diff *diff);
const struct mpl_diff *mpl_diff_get(const struct mpl_comparison *comparison);
void mpl_diff_destroy(struct mpl_comparison *comparison); /* NULL is allowed */

/** Writes \p run as a baseline, which then is a trace like others. Errors: MPL_E_MEANING if it cannot be
    used; MPL_E_IO, MPL_E_NOMEM. */
enum mpl_status mpl_diff_save(const struct mpl_run *run, FILE *out, struct mpl_err *err);

/* ---- gates ------------------------------------------------------------------------------------- */

enum { MPL_GATES_MOST = 8 };
enum mpl_gate_kind { MPL_GATE_STRUCTURE, MPL_GATE_SLOWER, MPL_GATE_SLOWER_THAN };
/** A condition under which a comparison fails. */
struct mpl_gate {
    const char
        *text; /**< As it is written: "structure", "slower", "slower:5%", "slower:200ms". */
    enum mpl_gate_kind kind;
    /** Slower than: the run time must be longer by more than both, whatever the verdict. */
    double share; /**< Of the base's run time. */
    double seconds;
};
struct mpl_gates {
    size_t n;
    struct mpl_gate items[MPL_GATES_MOST];
};
/** Adds gates, joined by commas; texts live in \p arena. Errors: MPL_E_USAGE with what is allowed. */
enum mpl_status mpl_gates_add(struct mpl_gates *gates, const char *list,
                              struct mpl_arena *arena, struct mpl_err *err);
bool mpl_gate_fails(const struct mpl_gate *gate, const struct mpl_diff *diff);
/** How many fail; none where the runs cannot be compared. */
size_t mpl_gates_failed(const struct mpl_gates *gates, const struct mpl_diff *diff);

/* ---- one configuration, as in the paper DiffTrace --------------------------------------------- */

struct mpl_filtering {
    const struct mpl_filter *filter;
    unsigned parts; /**< enum mpl_symbol_part; the paper has none. */
    bool
        up_to_rotation; /**< Loops whose bodies are rotations of each other are one; the paper's are not. */
    bool without_loops;
    bool
        without_noise; /**< Leaves out what has no order, and polls: see struct mpl_sequence_options. */
    bool beyond_mpi; /**< Also functions outside of MPI, if the filter keeps them. */
    const struct mpl_run
        *instead; /**< Of the new run; NULL: the new run. As many locations. */
};
/** What a filter keeps of all locations of both runs, folded with the same loops. */
struct mpl_filtered {
    struct mpl_arena *arena;
    uint32_t n_locations;
    const struct mpl_symbols *symbols;
    struct mpl_loops *loops; /**< NULL without loops. */
    /** Per loop what it stands for, see mpl_loops_find_rotations(); NULL: for itself. Items of base and new have no
        other loops, their bodies do. */
    const uint32_t *rotation_of;
    const struct mpl_folded *base;
    const struct mpl_folded *new; /**< Behind those of the base. */
    struct mpl_counts *counts; /**< How often what occurs in them; made when asked for. */
    bool is_unfolded;          /**< What occurs are calls, see mpl_filtered_unfold(). */
    const struct mpl_sequence *base_calls; /**< What was folded. */
    const struct mpl_sequence *new_calls;
};
/**
 * Of runs that can be compared. Ownership: destroy \p out, also after an error.
 * Errors: MPL_E_NOMEM only. Cost: linear in calls.
 */
enum mpl_status mpl_filtered_create(const struct mpl_comparison *comparison,
                                    const struct mpl_filtering *how,
                                    struct mpl_filtered *out, struct mpl_err *err);
/** How alike the same are without loops, at no cost of its own: shares all with \p folded, which is to be destroyed, not
    \p out. False: no memory. */
bool mpl_filtered_unfold(const struct mpl_filtered *folded, struct mpl_filtered *out);
void mpl_filtered_destroy(struct mpl_filtered *filtered);

/* ---- one location ------------------------------------------------------------------------------- */

struct mpl_aligning {
    uint32_t location;
    const struct mpl_filter *filter;
    bool is_plain;  /**< It is that of the answer: all calls of MPI. */
    bool has_parts; /**< Else the fewest that show the first difference. */
    unsigned parts;
    bool without_loops;
};
/** Its calls in both runs beside each other. */
struct mpl_aligned {
    struct mpl_filtered filtered;
    unsigned parts; /**< That are compared. */
    bool differs;
    /** Without time and votes; where they do not differ one block, or none, of what both have. */
    struct mpl_divergence change;
};
/** Of runs that can be compared. Ownership: destroy \p out, also after an error. Errors: MPL_E_NOMEM only. */
enum mpl_status mpl_aligned_create(const struct mpl_comparison *comparison,
                                   const struct mpl_aligning *how, struct mpl_aligned *out,
                                   struct mpl_err *err);
void mpl_aligned_destroy(struct mpl_aligned *aligned);

#endif
