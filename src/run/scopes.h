/* Parts of a run in which patterns are looked for. */
#ifndef MPL_RUN_SCOPES_H
#define MPL_RUN_SCOPES_H

#include "run/run.h"

enum {
    MPL_SCOPES_MAX = 16, /**< communicators and groups that are tried; the busiest */
};

struct mpl_scope {
    const char *id;   /**< "comm3" */
    const char *says; /**< "communicator rows, ranks 0 to 3" */
    struct mpl_part part;
    bool *processes;
    bool *comms;
    uint32_t comm; /**< MPL_NONE when it is none */
    double share;  /**< of the run's message ends and collectives */
    bool is_phase;
    double begin_s; /**< of phases, in the run's window */
    double end_s;
};

struct mpl_scopes {
    const struct mpl_events *events; /**< of the whole run */
    struct mpl_arena *arena;
    struct mpl_buf items; /**< struct mpl_scope */
    uint64_t *n_ends;     /**< per communicator */
    uint64_t n_all;
    double inner_share; /**< of all ends, those of communicators that may be scopes */
    uint32_t n_left_out;
};

/** Each adds to items. Errors of these and of mpl_scopes_join(): MPL_E_NOMEM. */
enum mpl_status mpl_scopes_comms(struct mpl_scopes *s, struct mpl_err *err);
/** After mpl_scopes_comms(): the run without the communicators that are taken. */
enum mpl_status mpl_scopes_rest(struct mpl_scopes *s, const bool *is_taken,
                                struct mpl_err *err);
/** Groups that no significant messages connect, if there are several. */
enum mpl_status mpl_scopes_groups(struct mpl_scopes *s, struct mpl_err *err);
/** Phases that hold a good part of the run, if the run has several. */
enum mpl_status mpl_scopes_phases(struct mpl_scopes *s, struct mpl_err *err);

/** Two phases as one; what lies between them belongs to it, and it has the name of the first. */
enum mpl_status mpl_scopes_join(const struct mpl_scopes *s, const struct mpl_scope *first,
                                const struct mpl_scope *last, struct mpl_scope *out,
                                struct mpl_err *err);

#endif
