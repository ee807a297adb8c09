/*
 * Takes:        a pattern, and the spans of events.
 * Makes:        who plays which role, instances of the abstract events, coverage and fit.
 * Leaves alone: what the instances cost (metrics) and why (infer).
 */
#ifndef MPL_RECOGNIZE_RECOGNIZE_H
#define MPL_RECOGNIZE_RECOGNIZE_H

#include "topology/topology.h"

/** The part of the run that is diagnosed: start-up and shut-down are outside. */
struct mpl_window {
    int64_t
        begin_ticks; /**< Earliest end of start-up, or first event where none is recorded. */
    int64_t end_ticks; /**< Latest begin of shut-down, or last event. */
};
struct mpl_window mpl_window_of(const struct mpl_events *events);

/** What came of an example; in the arena that was given. */
struct mpl_example_result {
    const struct mpl_events *events;     /**< Of the example's trace. */
    struct mpl_recognition *recognition; /**< NULL: the roles were not found. */
    const char *reason; /**< Why the pattern would not be chosen; NULL: it fires. */
    bool is_right; /**< Fires or stays quiet, with the stated instances, as it should. */
};
/**
 * Runs example \p i: on one that should fire the roles are found, coverage and fit suffice and the stated instances are
 * there; on a quiet one the pattern would not be chosen. What is wrong goes to \p lint, at its place; MPL_OK all the same.
 * Errors: MPL_E_SYNTAX, MPL_E_IO and others when its trace cannot be read.
 */
enum mpl_status mpl_pattern_try_example(const struct mpl_pattern *pattern, size_t i,
                                        struct mpl_arena *arena, struct mpl_lint *lint,
                                        struct mpl_example_result *out,
                                        struct mpl_err *err);

/** A role bound by the user: --role master=0. */
struct mpl_role_binding {
    const char *role;
    const char *const *labels; /**< Location labels. */
    size_t n;
};

struct mpl_role {
    const char *name;
    uint32_t n;
    const uint32_t *locations; /**< Ascending. */
};

struct mpl_recognition;

/**
 * Tries \p pattern on \p events: on the world, or on the part that they are of it. Of a part only
 * what belongs to it is seen by roles, members, coverage and fit.
 *
 * Answers MPL_OK with a recognition, or MPL_END when the roles cannot be bound or a needed
 * capability is missing; \p *reason then says which (in \p arena). One pass per location.
 * Errors: MPL_E_USAGE for bindings of unknown roles or locations, MPL_E_NOMEM.
 */
enum mpl_status mpl_recognize(const struct mpl_pattern *pattern,
                              const struct mpl_events *events,
                              const struct mpl_role_binding *bindings, size_t n_bindings,
                              struct mpl_arena *arena, struct mpl_recognition **out,
                              const char **reason, struct mpl_err *err);
/**
 * The same where the topology of the events is known; it is not needed afterwards. Nobody is interested in a pattern
 * that explains less than \p needed_coverage (0: in any): of a long run the search stops where less is certain. Then
 * only the roles may be asked for, and upper bounds of message coverage and fit.
 */
enum mpl_status mpl_recognize_in(const struct mpl_pattern *pattern,
                                 struct mpl_topology *topology,
                                 const struct mpl_role_binding *bindings, size_t n_bindings,
                                 double needed_coverage, struct mpl_arena *arena,
                                 struct mpl_recognition **out, const char **reason,
                                 struct mpl_err *err);
bool mpl_recognition_has_stopped(const struct mpl_recognition *r);

const struct mpl_pattern *mpl_recognition_pattern(const struct mpl_recognition *r);
const struct mpl_events *mpl_recognition_events(const struct mpl_recognition *r);
const struct mpl_role *mpl_recognition_role(const struct mpl_recognition *r, size_t i);
/** Share of all message ends and collective calls of the run that members or associated spans
 *  explain. */
double mpl_recognition_message_coverage(const struct mpl_recognition *r);
/** The same, but where the search has stopped no bound: the share of what was searched. */
double mpl_recognition_likely_coverage(const struct mpl_recognition *r);
/** Share of the roles' locations' time in the window that lies inside instances. */
double mpl_recognition_time_coverage(const struct mpl_recognition *r);
double mpl_recognition_fit(const struct mpl_recognition *r);
/** Which constraint failed most: its text, or NULL when none failed. */
const char *mpl_recognition_worst_constraint(const struct mpl_recognition *r);

/** How often constraint \p i of \p event failed, and its text; false behind the last one. */
bool mpl_recognition_failed(const struct mpl_recognition *r, uint32_t event, size_t i,
                            const char **text, uint64_t *n);

/** Instances of an event, ordered by (location, time). */
size_t mpl_recognition_count(const struct mpl_recognition *r, uint32_t event);
const uint32_t *mpl_recognition_locations(const struct mpl_recognition *r, uint32_t event);
/** Says that the column of an attribute will be asked for, so that all such columns of an event are
 *  made in one pass: binding an instance's members and links costs more than their formulas. */
void mpl_recognition_want(struct mpl_recognition *r, uint32_t event, uint32_t attribute);
/** The values of an attribute, one per instance; computed at the first call and kept.
 *  NULL only when out of memory. */
const double *mpl_recognition_column(struct mpl_recognition *r, uint32_t event,
                                     uint32_t attribute);
/** The instances of \p event on \p location: how many, and in \p *first the index of the first. */
size_t mpl_recognition_range(const struct mpl_recognition *r, uint32_t event,
                             uint32_t location, size_t *first);
/**
 * Why it may not be known what came first, a clause, where that decides about instances of \p event
 * or about values of the attribute, whose column has been made; MPL_NONE: of none. NULL: all is known.
 */
const char *mpl_recognition_doubt(const struct mpl_recognition *r, uint32_t event,
                                  uint32_t attribute);
/** Seconds by user region of the spans bound to \p name (member or associated) of an event,
 *  largest first; e.g. which function the master's setup time is spent in. */
const struct mpl_region_time *mpl_recognition_regions(struct mpl_recognition *r,
                                                      uint32_t event, const char *name,
                                                      uint32_t *n);

#endif
