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
    bool is_phase;
    double begin_s; /* of phases, in the run's window */
    double end_s;
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
/* Phases that hold a good part of the run, if the run has several. */
enum mpl_status mpl_scopes_phases(struct scopes *s, struct mpl_err *err);

/* Two phases as one; what lies between them belongs to it, and it has the name of the first. */
enum mpl_status mpl_scopes_join(const struct scopes *s, const struct scope *first,
                                const struct scope *last, struct scope *out,
                                struct mpl_err *err);

/* phases.c: a stretch of the run in which the same is communicated; together they are the run. */
struct phase {
    int64_t begin_ticks; /* INT64_MIN, INT64_MAX at the ends of the run */
    int64_t end_ticks;
    const uint32_t *first_record; /* per location, see struct mpl_part */
    const uint32_t *end_record;
    double share; /* of messages sent and parts of collectives */
};
/* *n: 0 where nothing is communicated, 1 where there is nothing to tell apart. In \p arena. */
enum mpl_status mpl_phases_find(const struct mpl_events *events, struct mpl_arena *arena,
                                const struct phase **out, size_t *n, struct mpl_err *err);

#endif
