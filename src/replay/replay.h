/*
 * Takes:        spans, what each of them waited for (events), and what should have been different.
 * Makes:        the run as it would have been: how long it takes, and each location in it.
 * Leaves alone: who asks, and what a change means to the user.
 */
#ifndef MPL_REPLAY_REPLAY_H
#define MPL_REPLAY_REPLAY_H

#include "events/events.h"

/*
 * What-if language, for users (`marple diagnose --what-if`) and rules (slot `what-if` of a finding):
 *
 *   changes := change { "," change }
 *   change  := what [ "(" who { "," who } ")" ] how
 *   what    := "compute"              computation between calls
 *            | "region" "(" name ")"  a function of the program within that, or an MPI call by name
 *            | "transfer"             what calls cost beyond waiting
 *            | "network"              the same of all, so that network*0 is the ideal network
 *   who     := label | role | "all"   locations; without any: all
 *   how     := "*" number | "/" number | "-" number [unit] | "=" "others" | "=" "even" | "=" "0"
 *
 *   compute(3)*0.5                  rank 3 computes twice as fast
 *   compute(master)/3               a third of the master's computation
 *   compute(3)=others               as long as the median of the other locations of its role (or of all),
 *                                   section by section (mpl_events_sections); of those who take tasks as
 *                                   they come, per task
 *   compute(3)=even                 the same, and what that takes off goes to whoever has least;
 *   compute(all)=even               each has the mean of all
 *   region(stencil)(3)*0.5, network*0
 *   compute(3) - 0.5 s              half a second less in all: first what is more than others have in
 *                                   the section, in proportion
 *
 * A text with a name of several words or with signs quotes it: region("x y").
 */

enum mpl_change_kind { MPL_CHANGE_COMPUTE, MPL_CHANGE_REGION, MPL_CHANGE_TRANSFER };

/** One change, as written. */
struct mpl_change {
    enum mpl_change_kind kind;
    const char *region;     /**< MPL_CHANGE_REGION only. */
    const char *const *who; /**< Labels and roles as written; n_who 0: all. */
    size_t n_who;
    double factor; /**< Of the time; NaN where it is to be that of the others. */
    bool is_even;  /**< And what is more than theirs is shared. */
    double less_s; /**< Seconds to be taken off in all, instead of the factor; else 0. */
    struct mpl_place place; /**< Its column in the text. */
};
struct mpl_what_if {
    const char *text; /**< As the user wrote it. */
    const struct mpl_change *changes;
    size_t n;
};
/** Errors: MPL_E_USAGE with column and, for unknown words, a suggestion. */
enum mpl_status mpl_what_if_parse(const char *text, struct mpl_arena *arena,
                                  const struct mpl_what_if **out, struct mpl_err *err);

/** Who a change may name beside labels. */
struct mpl_replay_role {
    const char *name;
    const uint32_t *locations; /**< Ascending. */
    uint32_t n;
};

struct mpl_replayed {
    double recorded_s; /**< Length of the window (mpl_events_window). */
    double baseline_s; /**< Replayed with nothing changed: how good the model is. */
    double changed_s;  /**< Replayed with the changes. */
    double gain_s; /**< baseline_s - changed_s; NaN when it would be a guess, see doubt. */
    const char
        *doubt; /**< A clause: why there is no figure, or what weakens it; may be NULL. */
    uint32_t n_locations;
    const double *end_s; /**< Per location: when it ends in the changed run. */
};

/**
 * Replays the recorded dependencies: messages in their recorded pairing and order, collectives,
 * threads as part of their master. Computation takes as long as recorded, calls take what they
 * took beyond waiting, waits follow from who is late; then again with the changes. Then a master that
 * takes what comes first and answers whoever came hands out its tasks anew: in its recorded order, to
 * whoever comes, step by step between its collectives (farms.c says where that can be done; never for
 * a change of regions, nor for network*0 alone). Where somebody else who takes messages as they come would then take them in
 * another order, and waits for more than 2 % of the changed run because it does not, that is a doubt.
 * So it is where tasks of a worker that is changed differ from those of others, nobody can tell whether
 * by chance, and that makes 2 % of the changed run.
 *
 * \p roles: of several of a name the first counts; "others" are the other locations of the first
 * role of the list that has the location, or if none has, all.
 *
 * Ownership: \p out points into \p arena.
 * Errors:    MPL_E_USAGE for labels, roles and regions that do not exist, with a suggestion.
 * Cost:      linear in records (times log of workers where tasks are handed out anew); while it runs 3 to 17 bytes
 *            per call, 4 per message, 64 per message of such a master, and 64 KiB.
 */
enum mpl_status mpl_replay_run(const struct mpl_events *events,
                               const struct mpl_what_if *what,
                               const struct mpl_replay_role *roles, size_t n_roles,
                               struct mpl_arena *arena, struct mpl_replayed *out,
                               struct mpl_err *err);

/**
 * What several questions about one run share: what its calls need and take, its sections, what locations spend in them,
 * and the run with nothing changed. Answers are those of mpl_replay_run(), whatever was asked before. Several
 * threads may call mpl_replay_ask() at a time, each with an arena of its own.
 *
 * Ownership: lives in \p arena, which must outlive all questions, as \p events must; answers may outlive both. NULL
 *            without memory.
 * Cost:      what mpl_replay_run() needs for such a master stays until then, and 3 to 9 bytes per call.
 */
struct mpl_replay;
struct mpl_replay *mpl_replay_create(const struct mpl_events *events,
                                     struct mpl_arena *arena);
enum mpl_status mpl_replay_ask(struct mpl_replay *replay, const struct mpl_what_if *what,
                               const struct mpl_replay_role *roles, size_t n_roles,
                               struct mpl_arena *arena, struct mpl_replayed *out,
                               struct mpl_err *err);

/**
 * The same with other computation, as of another run: \p given per location, what it computes before each of its calls and
 * behind the last one, in ticks of \p events; NULL: as recorded. Everybody receives in the recorded order.
 */
enum mpl_status mpl_replay_given(const struct mpl_events *events,
                                 const int64_t *const *given, struct mpl_arena *arena,
                                 struct mpl_replayed *out, struct mpl_err *err);

/**
 * Run time in seconds on an ideal network, which is the change network*0: computation as measured,
 * every transfer instantaneous, dependencies kept (Dimemas' definition of the POP efficiencies),
 * over the window. At least the longest computation of a location and at most the measured time, as
 * far as the clocks agree.
 *
 * Receives, waits, tests and probes end not before the send is entered; MPI_Ssend not before the
 * receive is posted; other sends at once; collectives not before those they depend on have entered.
 * Waiting for threads, buffer flushes and calls whose partner is not recorded take as long as measured.
 * Threads that never call MPI are part of their master's computation.
 *
 * \p *ideal_s is NaN when the replay would be a guess: completions of receives are not recorded, or
 * more than 1 % of message ends, of collectives, or of the time lacks its partners; when the recorded
 * order is impossible; and for a part of a run.
 * Errors: MPL_E_NOMEM only. Cost: as mpl_replay_ask().
 */
enum mpl_status mpl_replay_ideal(struct mpl_replay *replay, double *ideal_s,
                                 struct mpl_err *err);

/**
 * Of each location, whether it takes whatever comes first: by what its receives asked for, where the run records that
 * (has_wildcards); else it seems to if it answers whoever it takes a message from, in turns that change from
 * one time to the next. By records alone.
 * Errors: MPL_E_NOMEM. Cost: linear in events.
 */
enum mpl_status mpl_replay_takes_any(const struct mpl_model *model,
                                     const struct mpl_match *match, bool *takes_any,
                                     struct mpl_err *err);

#endif
