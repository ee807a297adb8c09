/* Collective operations: root, and bytes in the buffers of this process, in both directions. */
#include "config.h"

#include "trace/record_priv.h"

static const struct mpl_comm *group_of(struct mpl_call_now *c, MPI_Comm comm)
{
    if (c->group == NULL) {
        c->group = mpl_comm_find(c, comm);
    }
    return c->group;
}

uint64_t mpl_members(struct mpl_call_now *c, MPI_Comm comm)
{
    const struct mpl_comm *group = group_of(c, comm);

    return group != NULL ? (uint64_t) group->members : 0;
}

bool mpl_is_root(struct mpl_call_now *c, MPI_Comm comm, int root)
{
    const struct mpl_comm *group = group_of(c, comm);

    return root == MPI_ROOT || (group != NULL && !group->is_inter && group->rank == root);
}

static uint64_t count_of(struct mpl_counts counts, uint64_t i)
{
    return counts.few != NULL ? (uint64_t) counts.few[i] : (uint64_t) counts.many[i];
}

uint64_t mpl_sum(struct mpl_call_now *c, MPI_Comm comm, struct mpl_counts counts,
                 MPI_Datatype type)
{
    const uint64_t n = mpl_members(c, comm);
    uint64_t sum = 0;

    for (uint64_t i = 0; i < n; i++) {
        sum += count_of(counts, i);
    }
    return mpl_bytes((MPI_Count) sum, type);
}

uint64_t mpl_sums(struct mpl_call_now *c, MPI_Comm comm, struct mpl_counts counts,
                  const MPI_Datatype *types)
{
    const uint64_t n = mpl_members(c, comm);
    uint64_t sum = 0;

    for (uint64_t i = 0; i < n; i++) {
        const uint64_t count = count_of(counts, i);

        sum += count > 0 ? mpl_bytes((MPI_Count) count, types[i]) : 0;
    }
    return sum;
}

uint64_t mpl_share(struct mpl_call_now *c, MPI_Comm comm, struct mpl_counts counts,
                   MPI_Datatype type)
{
    const struct mpl_comm *group = group_of(c, comm);

    if (group == NULL) {
        return 0;
    }
    /* Counts of a reduction over an inter-communicator are those of the local group. */
    return mpl_bytes((MPI_Count) count_of(counts, (uint64_t) group->rank), type);
}

void mpl_coll_begin(struct mpl_call_now *c, MPI_Comm comm, enum mpl_op op, int root,
                    uint64_t sent, uint64_t received)
{
    (void) group_of(c, comm);
    c->op = op;
    c->root = mpl_root_of(root);
    c->sent = sent;
    c->received = received;
    if (!c->is_quiet && c->group != NULL) {
        mpl_put(c->track, c->begin_time,
                MPL_SPOOL_WORD(MPL_SPOOL_BEGIN, 2, 0, c->group->number), 0, 0, 0, 0);
    }
}

/* Operations in which everybody waits for everybody. */
static bool is_meeting(enum mpl_op op)
{
    switch (op) {
    case MPL_OP_BARRIER:
    case MPL_OP_ALLGATHER:
    case MPL_OP_ALLGATHERV:
    case MPL_OP_ALLTOALL:
    case MPL_OP_ALLREDUCE:
        return true;
    default:
        return false;
    }
}

void mpl_coll_end(struct mpl_call_now *c)
{
    c->is_met = is_meeting(c->op) && c->group != NULL && mpl_is_of_all(c->group);
    if (!c->is_quiet && c->group != NULL) {
        mpl_put(c->track, c->end_time,
                MPL_SPOOL_WORD(MPL_SPOOL_END, 5, c->op, c->group->number),
                (uint64_t) (int64_t) c->root, c->sent, c->received, 0);
    }
}
