/* Parts of a run in which patterns are looked for; for trials.c and those that make them. */
#ifndef MPL_ANALYSIS_SCOPES_PRIV_H
#define MPL_ANALYSIS_SCOPES_PRIV_H

#include "analysis/analysis_priv.h"

enum {
    SCOPES_MAX = 16, /* communicators and groups that are tried; the busiest */
};

struct scope {
    const char *id;   /* "comm3" */
    const char *says; /* "communicator rows, ranks 0 to 3" */
    struct mpl_part part;
    bool *processes;
    bool *comms;
    uint32_t comm; /* MPL_NONE when it is none */
    double share;  /* of the run's message ends and collectives */
};

struct scopes {
    const struct mpl_events *events; /* of the whole run */
    struct mpl_arena *arena;
    struct mpl_buf items; /* struct scope */
    uint64_t *n_ends;     /* per communicator */
    uint64_t n_all;
    double inner_share; /* of all ends, those of communicators that may be scopes */
    uint32_t n_left_out;
};

/* Each adds to items. */
enum mpl_status mpl_scopes_comms(struct scopes *s, struct mpl_err *err);
/* After mpl_scopes_comms(): the run without the communicators that are taken. */
enum mpl_status mpl_scopes_rest(struct scopes *s, const bool *is_taken,
                                struct mpl_err *err);
/* Groups that no significant messages connect, if there are several. */
enum mpl_status mpl_scopes_groups(struct scopes *s, struct mpl_err *err);
/* The longest phase, if the run has several. */
enum mpl_status mpl_scopes_main_phase(struct scopes *s, struct mpl_err *err);

/* phases.c: when the phase with most messages begins and ends; MPL_END: there is only one. */
enum mpl_status mpl_phases_find(const struct mpl_events *events, int64_t *begin_ticks,
                                int64_t *end_ticks, struct mpl_err *err);

#endif
