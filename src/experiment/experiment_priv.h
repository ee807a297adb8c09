/* What the files of experiment share: programs that run, words of commands, the case on disk. */
#ifndef MPL_EXPERIMENT_EXPERIMENT_PRIV_H
#define MPL_EXPERIMENT_EXPERIMENT_PRIV_H

#include "experiment/experiment.h"

#include <sched.h>
#include <sys/types.h>

/* ---- a program (process.c, left.c) ------------------------------------------------------ */

/** All processes that descend from a program that was started. */
struct offspring {
    pid_t leader;     /**< Of the session. */
    uint64_t started; /**< As /proc has it; 0: unknown, so only the session is looked at. */
};

/** What is to be executed, and what ends it. */
struct program {
    const char *const *words; /**< The first is looked for on PATH unless it has a slash. */
    size_t n_words;
    const struct mpl_setting_pair *environment; /**< Added to ours. */
    size_t n_environment;
    const char *out_path; /**< Files for its standard output and error. */
    const char *err_path;
    double timeout_s; /**< 0: none. */
    double grace_s;   /**< Between SIGTERM and SIGKILL. */
    /** Called some times a second; true: the program is to be stopped. NULL: not called. */
    bool (*tick)(void *context, const struct offspring *offspring, double elapsed_s);
    /** When its time is over, before anything is ended: asks it to write what it has recorded. True: it was
     *  asked, and has write_s until has_written(). NULL: not called. */
    bool (*write_out)(void *context, const struct offspring *offspring);
    bool (*has_written)(void *context);
    double write_s;
    void *context;
};

/** How it ended. */
struct program_end {
    int start_errno; /**< Why it could not be executed; 0: it was. */
    int exit_status; /**< -1: none. */
    int signal;      /**< That ended it; 0: none. */
    double duration_s;
    bool has_timed_out;
    bool is_interrupted; /**< By SIGINT, SIGTERM, SIGHUP or SIGQUIT to us. */
    bool is_stopped;     /**< By tick(). */
    double paused_s;     /**< By Ctrl-Z to us, until it ended; not in duration_s. */
    unsigned
        n_killed; /**< Processes that were still there behind its end, and are not now. */
};

/**
 * Runs a program in a session of its own with nothing to read, until neither it nor anything that
 * it started is left. SIGINT, SIGTERM and SIGHUP to us end it: SIGTERM, after the grace period SIGKILL; a
 * second one, or SIGQUIT, kills at once. SIGTSTP makes it and us stand still until we are continued.
 * Who kills us with SIGKILL meanwhile leaves it standing; while it runs, that sends SIGTERM to what
 * was started, but not to what that has started. Must be called in the thread that lives longest.
 * Errors: MPL_E_IO if the files cannot be made; MPL_E_NOMEM. A program that cannot be executed is
 *         no error; see \p end.
 */
enum mpl_status mpl_program_run(const struct program *program, struct mpl_arena *arena,
                                struct program_end *end, struct mpl_err *err);
/** Seconds of a clock that never jumps. */
double mpl_now_s(void);

/** Right after the start. */
struct offspring mpl_offspring_of(pid_t leader);
/**
 * Sends \p signal (0: nothing) to all of them and returns how many there are, without those that
 * have ended. The leader counts only while it runs.
 */
unsigned mpl_offspring_signal(const struct offspring *offspring, int signal);
/** Calls \p visit for all of them that have not ended. */
void mpl_offspring_visit(const struct offspring *offspring,
                         void (*visit)(void *context, pid_t pid), void *context);

/* ---- the machine (machine.c, ranks.c, write_out.c) ----------------------------------------------------- */

/**
 * Cores that this process may use: those that it may run on, and no more than what the control groups grant
 * of their time. \p root stands in front of "/proc" and "/sys": "" but in tests.
 */
uint32_t mpl_machine_cores(const char *root);

/** What keeps the machine busy at a moment. */
struct machine_look {
    double load;   /**< Average of the last minute; NaN: not known. */
    double busy_s; /**< Of all usable cores since they were started; NaN: not known. */
    double own_s;  /**< Of us and of our children that have ended. */
};
struct machine_look mpl_machine_look(const char *root);
/** Cores that others kept busy between the looks, on average; NaN: not known. */
double mpl_machine_foreign(const struct machine_look *before,
                           const struct machine_look *after, double duration_s);

/** A process of the program with the rank that its launcher gave it. */
struct rank_seen {
    uint32_t rank;
    uint32_t n_ranks; /**< How many there are; 0: unknown. */
    pid_t pid;
    cpu_set_t cores; /**< On which it may run. */
};
/** The ranks of Open MPI, PMIx and MPICH among the offspring that are on this machine, ascending, into \p ranks
 *  (struct rank_seen). Of several processes with one rank the last one, which does the work. */
void mpl_ranks_look(const struct offspring *offspring, struct mpl_buf *ranks);
/** What one process is by its files in /proc below \p root; false: no rank. */
bool mpl_ranks_read(const char *root, pid_t pid, struct rank_seen *out);
/** How many ranks share a core at least, wherever they run: 4 where four or eight of them are bound to one or
 *  two cores. With at most \p cores of them at a time. 0 when there is none. */
double mpl_ranks_per_core(const struct mpl_buf *ranks, uint32_t cores);
/** "0-3 on 0", "4-7 on 1": who may run where; \p *lines is in \p arena. False without memory. */
bool mpl_ranks_print(const struct mpl_buf *ranks, struct mpl_arena *arena,
                     const char *const **lines, size_t *n);
/**
 * Tells the ranks to end, so that their tracer writes what it has recorded; but for those that have written it
 * below \p folder already. False: nothing was done, as not all \p n_processes of them (0: as many as the launcher has
 * told them) are on this machine.
 */
bool mpl_ranks_write_out(const struct offspring *offspring, const char *folder,
                         uint32_t n_processes);

/* ---- words (words.c, placeholders.c) -------------------------------------------------------------------- */

/** What replaces the placeholders. */
struct filling {
    uint32_t processes;        /**< 0: unknown. */
    const char *const *launch; /**< The tracer's words. */
    size_t n_launch;
};
/**
 * The words to execute.
 * Errors: MPL_E_USAGE when {processes} is asked for and unknown.
 */
enum mpl_status mpl_command_fill(const struct mpl_command *command,
                                 const struct filling *filling, struct mpl_arena *arena,
                                 const char *const **words, size_t *n, struct mpl_err *err);
bool mpl_command_is_same(const struct mpl_command *x, const struct mpl_command *y);
/** Whether \p tracer needs {tracer} in a command that has none. */
bool mpl_command_lacks_place(const struct mpl_command *command,
                             const struct mpl_tracer_file *tracer);
/** The index of the program, as far as can be known without knowing launchers: the word behind {tracer}, else the first
 *  behind the first word that is the file of a program, else the first. The command must not be empty. */
size_t mpl_command_program(const struct mpl_command *command, struct mpl_arena *arena);
/** The file of that; NULL: not found, or no memory. */
const char *mpl_command_file(const struct mpl_command *command, struct mpl_arena *arena);

/* ---- the case on disk (case.c, case_read.c, case_write.c, folder.c) ------------------------------ */

struct mpl_case {
    struct mpl_arena *arena; /**< Of everything here. */
    const char *directory;
    struct mpl_command command;
    int lock;            /**< Descriptor; -1: none, because nothing is to be changed. */
    struct mpl_buf runs; /**< struct mpl_case_run */
};

/** case.yaml into a case; a case without one is empty. MPL_E_SYNTAX names the line. */
enum mpl_status mpl_case_read(struct mpl_case *c, struct mpl_err *err);
enum mpl_status mpl_case_write(const struct mpl_case *c, struct mpl_err *err);
/** A new run at the end; valid until the next call. NULL without memory. */
struct mpl_case_run *mpl_case_add(struct mpl_case *c);
struct mpl_case_run *mpl_case_run_at(const struct mpl_case *c, size_t i);
/** The run to diagnose where none came to its end: the last one that was stopped and left a trace; else NULL. */
const struct mpl_case_run *mpl_case_stopped_run(const struct mpl_case *c);
enum mpl_status mpl_outcome_parse(const char *name, enum mpl_outcome *out);

/** mkdir -p. */
enum mpl_status mpl_folder_make(const char *path, struct mpl_err *err);
/** Bytes of all files below it; 0 if there is none. */
uint64_t mpl_folder_bytes(const char *path);
/** Path, relative to \p path, of the first anchor (*.otf2) by name below it; NULL: none. */
const char *mpl_folder_anchor(const char *path, struct mpl_arena *arena);
/** An entry that a case without runs does not have; NULL: there is none, or no such folder. */
const char *mpl_folder_stranger(const char *path, struct mpl_arena *arena);
/** A new file of \p bytes, or no file. */
enum mpl_status mpl_folder_write(const char *path, const char *text, size_t bytes,
                                 struct mpl_err *err);
/** Makes \p bytes of \p text the file \p name in \p folder, for good, or leaves what was there. */
enum mpl_status mpl_folder_replace(const char *folder, const char *name, const char *text,
                                   size_t bytes, struct mpl_err *err);

/* ---- what it said (said.c, mentions.c) ------------------------------------------------------------ */

/** The last lines of a file, without blank ones at the end; "" when there are none. */
const char *mpl_said_tail(const char *path, struct mpl_arena *arena);
/** What says most of why it failed, in one line without its period; "" when nothing does. */
const char *mpl_said_gist(const char *tail, struct mpl_arena *arena);

/** Whether a program's file mentions MPI. */
enum mpl_speaks {
    MPL_SPEAKS_OF_MPI,  /**< Or it cannot be read. */
    MPL_SPEAKS_NOT,     /**< And it loads and starts nothing that could. */
    MPL_SPEAKS_UNKNOWN, /**< Not itself; what it loads or starts may. */
};
enum mpl_speaks mpl_program_speaks_of_mpi(const char *path);

/* ---- a launcher that was forgotten (alone.c) ---------------------------------------------------------- */

/** Whether MPI started in one process, and nothing in the command would start more. */
bool mpl_is_alone(const struct mpl_command *command, const struct mpl_model *model,
                  struct mpl_arena *arena);
/** The question whether mpirun was forgotten; NULL without memory. */
const char *mpl_alone_hint(const struct mpl_command *command, struct mpl_arena *arena);
/** The same if it is so by what a run left before it failed; NULL: it is not, or cannot be read. */
const char *mpl_alone_in(const struct mpl_command *command, const char *trace,
                         struct mpl_arena *arena);

/* ---- carrying out (attempt.c, carry_out.c, wanted.c, narrate.c) ---------------------------------------- */

/** What a call of mpl_experiment_carry_out() is at. */
struct hunt {
    struct mpl_case *c;
    const struct mpl_experiment_options *options;
    struct mpl_arena *arena; /**< As long as the answer. */
    size_t n_before;         /**< Runs of the case when it began. */
    uint32_t n_run;          /**< Runs of this call, */
    double run_s;            /**< how long they took, */
    uint32_t first_processes;
    bool is_interrupted;
    struct mpl_analysis *analysis; /**< The last one; NULL before there is any. */
    const struct mpl_plan *plan;
    size_t *run_of;       /**< For each run of the diagnosis the one of the case. */
    struct mpl_buf known; /**< const char *: findings shown already, "pattern/name". */
    int level;            /**< The highest shown. */
};

void mpl_tell(const struct hunt *h, enum mpl_news what, int level,
              const struct mpl_case_run *run, const char *fmt, ...) MPL_PRINTF(5, 6);
/** How the tracer is told to record that, in short: runs with the same key record alike. NULL without memory. */
const char *mpl_settings_key(const struct mpl_planned *planned, struct mpl_arena *arena);
/**
 * Runs the program once, for an experiment, and adds the run to the case. \p *index is its number.
 * Errors: those that another run would meet, too: files that cannot be written, memory.
 */
enum mpl_status mpl_attempt(struct hunt *h, const struct mpl_planned *planned,
                            uint32_t processes, uint32_t repetition, size_t *index,
                            struct mpl_err *err);
/** The levels that the first diagnosis answers at once, and what it found at each. */
void mpl_narrate_levels(struct hunt *h);
/** What a further diagnosis says that the ones before did not. */
void mpl_narrate_news(struct hunt *h);
/** Experiments that are asked for and not carried out. */
void mpl_narrate_rest(struct hunt *h);
/** Why `marple run` cannot carry it out; NULL when it can. */
const char *mpl_obstacle(const struct hunt *h, const struct mpl_planned *planned);
/** Whether it came to its end and left a trace. */
bool mpl_is_usable(const struct mpl_case_run *r);
/** Whether it was stopped, by its time limit or the user, and left a trace that shows how far it came. */
bool mpl_is_cut_off(const struct mpl_case_run *r);
/** Bytes of all traces of the case. */
uint64_t mpl_bytes_kept(const struct hunt *h);
/** What of the budget does not allow any other run; NULL: nothing. */
const char *mpl_spent(const struct hunt *h);
/** An experiment that an earlier call began and that still lacks runs; NULL: there is none. */
const struct mpl_planned *mpl_unfinished(const struct hunt *h);
/** Why it would be too much for what is left of the budget, as far as its cost is known; or NULL. */
const char *mpl_too_dear(const struct hunt *h, const struct mpl_planned *planned);
/** The next run that it still needs; false: there is none. One that failed in this call is not tried again. */
bool mpl_missing_run(const struct hunt *h, const struct mpl_planned *planned,
                     uint32_t *processes, uint32_t *repetition);

#endif
