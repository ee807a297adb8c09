/*
 * Takes:        tracers/<name>.yaml: what a tracer can record, and how it is told to.
 * Makes:        settings for a measurement: launch words, environment, files, build advice.
 * Leaves alone: which measurement is worth its cost (plan) and running anything (experiment).
 */
#ifndef MPL_TRACER_TRACER_H
#define MPL_TRACER_TRACER_H

#include "model/model.h"

/** doc/tracers.md describes the files. A later directory's tracer of the same name replaces the earlier. */
struct mpl_tracers;
struct mpl_tracer_file;

/** Errors: MPL_E_SYNTAX, messages in \p lint. A directory without tracers/ is no error. */
enum mpl_status mpl_tracers_load(const char *const *directories, size_t n,
                                 struct mpl_arena *arena, struct mpl_lint *lint,
                                 const struct mpl_tracers **out, struct mpl_err *err);
size_t mpl_tracers_count(const struct mpl_tracers *tracers);
const struct mpl_tracer_file *mpl_tracers_get(const struct mpl_tracers *tracers, size_t i);
/** NULL if there is none of that name. */
const struct mpl_tracer_file *mpl_tracers_find(const struct mpl_tracers *tracers,
                                               const char *name);
/** "there is no tracer "x"; did you mean "y"?", MPL_E_USAGE. */
enum mpl_status mpl_tracers_fail(const struct mpl_tracers *tracers, const char *name,
                                 struct mpl_arena *arena, struct mpl_err *err);

const char *mpl_tracer_file_name(const struct mpl_tracer_file *tracer);
const char *mpl_tracer_file_says(const struct mpl_tracer_file *tracer);
/** Words of the command that prints its version; n is 0 when there is none. */
const char *const *mpl_tracer_version_command(const struct mpl_tracer_file *tracer,
                                              size_t *n);
/** Whether its launch words must stand in front of the program itself; false: also in front of its launcher, or there
 *  are none. */
bool mpl_tracer_needs_place(const struct mpl_tracer_file *tracer);
/** Whether a program must be built for it; false: any program can be traced. */
bool mpl_tracer_needs_build(const struct mpl_tracer_file *tracer);
/** Whether its program was on PATH when it was loaded, and one of its libraries, if it names some, where marple has its own. */
bool mpl_tracer_is_installed(const struct mpl_tracer_file *tracer);

/** Whether it records a capability only where it is told to: it takes words, variables or files. */
bool mpl_tracer_is_asked(const struct mpl_tracer_file *tracer, const char *capability);

/** What is to be recorded. Empty: the least that shows who communicates with whom. */
struct mpl_recording {
    const char *const *capabilities; /**< "messages", … as in mpl_capability_table(). */
    size_t n_capabilities;
    const char *const
        *regions; /**< Functions to record; none: all that the capability asks for. */
    size_t n_regions;
    const char *const *counters; /**< "PAPI_TOT_INS". */
    size_t n_counters;
};

/** Whether a counter can be called so: no blanks, commas, braces or control characters. */
bool mpl_counter_is_name(const char *counter);

/** Whether it records a capability. \p *why then is a condition ("only in Fortran programs"), NULL if
 *  there is none; where it does not, the reason. */
bool mpl_tracer_records(const struct mpl_tracer_file *tracer, const char *capability,
                        const char **why);

struct mpl_setting_pair {
    const char *name;
    const char *value;
};
struct mpl_setting_file {
    const char *name; /**< "scorep.filter", to be written beside the trace. */
    const char *text;
};
/** How many capabilities it records without a condition. */
size_t mpl_tracer_breadth(const struct mpl_tracer_file *tracer);
/** Everything somebody needs to record that; placeholders are resolved but for {trace}, which is the
 *  directory that the trace goes to, {file:NAME}, the path of one of the files, and {marple}, the running program. */
struct mpl_settings {
    const struct mpl_tracer_file *tracer;
    size_t n_launch;
    const char *const
        *launch; /**< Words in front of the program, e.g. eztrace -t openmpi. */
    size_t n_finish;
    const char *const *finish; /**< A command that makes the trace when the run is over. */
    size_t n_by_hand;
    /** Words in front of the launcher that do all of this for a person, instead of the others. */
    const char *const *by_hand;
    size_t n_environment;
    const struct mpl_setting_pair *environment;
    size_t n_files;
    const struct mpl_setting_file *files;
    size_t n_build;
    const char *const *build; /**< Lines to paste for building; none: no rebuild. */
    const char
        *needs_build; /**< A clause: why the program must be built anew; else NULL. */
    size_t n_lacks;
    /** Capabilities asked for that it does not record, or only under a condition. */
    const char *const *lacks;
    double bytes_per_event; /**< For estimates. */
    double overhead_s_per_event;
};
/** \p expected_bytes: of one process' part of the trace, for {memory}; 0 when unknown.
 *  Errors: MPL_E_MEANING for a counter that cannot be called so. */
enum mpl_status mpl_tracer_settle(const struct mpl_tracer_file *tracer,
                                  const struct mpl_recording *recording,
                                  uint64_t expected_bytes, struct mpl_arena *arena,
                                  struct mpl_settings *out, struct mpl_err *err);

#endif
