/* What the files about roles share. */
#ifndef MPL_DIFF_ROLES_PRIV_H
#define MPL_DIFF_ROLES_PRIV_H

#include "diff/effects_priv.h"

struct mpl_roles {
    struct mpl_comparison *comparison;
    struct mpl_arena *scratch;
    const struct mpl_run *runs[2]; /* Base and new. */
    uint32_t n[2];                 /* Their locations. */
    const struct mpl_sequence *sequences[2];
    uint32_t no_end; /* The symbol of a call that never returns. */
    /* Objects: locations of the base, then of the new run. Classes of the first are kinds of processes. */
    const struct mpl_folded *items; /* Of each object its calls, messages in a row once. */
    const struct mpl_context *pairs;
    const struct mpl_context *calls;
    uint32_t *role_of; /* Per kind: the first kind of the same role, */
    const enum mpl_diff_role_kind *kind_of;
    const uint32_t
        *near; /* and to what kind of the other run it differs; MPL_NONE: to none. */
};

/** Attributes of a class that another one has not; MPL_NONE: all of them. */
struct mpl_role_sets {
    const struct mpl_context *context;
    uint32_t class;
    uint32_t other;
};
/** "MPI_Bcast", or of pairs "MPI_Send behind MPI_Recv"; "" if there are none. In the scratch arena. NULL: no memory. */
const char *mpl_roles_list(const struct mpl_roles *r, const struct mpl_role_sets *sets);
/** role_times.c: puts roles into the answer, with what they compute. Errors: MPL_E_NOMEM only. */
enum mpl_status mpl_roles_fill(struct mpl_roles *r, struct mpl_err *err);
/** role_loops.c: fills in how often it takes its loop, and bodies that differ. Errors: MPL_E_NOMEM only. */
enum mpl_status mpl_roles_compare_loops(const struct mpl_roles *r,
                                        struct mpl_diff_role *role, struct mpl_err *err);
/** Whether one of the attributes has that key. */
bool mpl_attributes_have_key(const struct mpl_context_attributes *set, uint64_t key);

#endif
