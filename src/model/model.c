#include "config.h"

#include "model/model.h"

#include <stdlib.h>
#include <string.h>

/* ---- collective operations ------------------------------------------------ */

static const struct {
    const char *name;
    enum mpl_coll_class class;
} operations[MPL_COLL_OPS] = {
    [MPL_COLL_BARRIER] = { "MPI_Barrier", MPL_CLASS_BARRIER },
    [MPL_COLL_BCAST] = { "MPI_Bcast", MPL_CLASS_1_TO_N },
    [MPL_COLL_GATHER] = { "MPI_Gather", MPL_CLASS_N_TO_1 },
    [MPL_COLL_GATHERV] = { "MPI_Gatherv", MPL_CLASS_N_TO_1 },
    [MPL_COLL_SCATTER] = { "MPI_Scatter", MPL_CLASS_1_TO_N },
    [MPL_COLL_SCATTERV] = { "MPI_Scatterv", MPL_CLASS_1_TO_N },
    [MPL_COLL_ALLGATHER] = { "MPI_Allgather", MPL_CLASS_N_TO_N },
    [MPL_COLL_ALLGATHERV] = { "MPI_Allgatherv", MPL_CLASS_N_TO_N },
    [MPL_COLL_ALLTOALL] = { "MPI_Alltoall", MPL_CLASS_N_TO_N },
    [MPL_COLL_ALLTOALLV] = { "MPI_Alltoallv", MPL_CLASS_N_TO_N },
    [MPL_COLL_ALLTOALLW] = { "MPI_Alltoallw", MPL_CLASS_N_TO_N },
    [MPL_COLL_ALLREDUCE] = { "MPI_Allreduce", MPL_CLASS_N_TO_N },
    [MPL_COLL_REDUCE] = { "MPI_Reduce", MPL_CLASS_N_TO_1 },
    [MPL_COLL_REDUCE_SCATTER] = { "MPI_Reduce_scatter", MPL_CLASS_N_TO_N },
    [MPL_COLL_SCAN] = { "MPI_Scan", MPL_CLASS_SCAN },
    [MPL_COLL_EXSCAN] = { "MPI_Exscan", MPL_CLASS_EXSCAN },
    [MPL_COLL_REDUCE_SCATTER_BLOCK] = { "MPI_Reduce_scatter_block", MPL_CLASS_N_TO_N },
    /* Making a communicator ends with all members agreeing on it. */
    [MPL_COLL_CREATE] = { "creation of a communicator", MPL_CLASS_N_TO_N },
    [MPL_COLL_DESTROY] = { "freeing of a communicator", MPL_CLASS_NONE },
    [MPL_COLL_OTHER] = { "other collective", MPL_CLASS_NONE },
};

enum mpl_coll_class mpl_coll_class_of(enum mpl_coll_op op)
{
    return op < MPL_COLL_OPS ? operations[op].class : MPL_CLASS_NONE;
}

const char *mpl_coll_op_name(enum mpl_coll_op op)
{
    return op < MPL_COLL_OPS ? operations[op].name : operations[MPL_COLL_OTHER].name;
}

/* ---- small questions --------------------------------------------------------- */

uint32_t mpl_model_find_location(const struct mpl_model *model, const char *label)
{
    const unsigned long process = strtoul(label, NULL, 10);

    /* Labels begin with the process, nearly always, so that its locations are looked at first. */
    for (uint32_t i = 0;
         process < model->n_processes && i < model->processes[process].n_locations; i++) {
        const uint32_t l = model->processes[process].locations[i];

        if (strcmp(model->locations[l].label, label) == 0) {
            return l;
        }
    }
    for (uint32_t l = 0; l < model->n_locations; l++) {
        if (strcmp(model->locations[l].label, label) == 0) {
            return l;
        }
    }
    return MPL_NONE;
}

double mpl_model_seconds(const struct mpl_model *model, int64_t ticks)
{
    return (double) ticks / (double) model->ticks_per_s;
}

/* Whether the buffers hold a share for each member, or the same for all of them. */
static bool has_shares(enum mpl_coll_op op)
{
    switch (op) {
    case MPL_COLL_ALLGATHER:
    case MPL_COLL_ALLTOALL:
    case MPL_COLL_GATHER:
    case MPL_COLL_SCATTER:
        return true;
    default:
        return false;
    }
}

static bool is_same_for_all(enum mpl_coll_op op)
{
    switch (op) {
    case MPL_COLL_BCAST:
    case MPL_COLL_ALLREDUCE:
    case MPL_COLL_REDUCE:
    case MPL_COLL_SCAN:
    case MPL_COLL_EXSCAN:
        return true;
    default:
        return false;
    }
}

double mpl_coll_bytes(const struct mpl_model *model, const struct mpl_collective *part)
{
    const double most =
        (double) (part->sent_bytes > part->received_bytes ? part->sent_bytes
                                                          : part->received_bytes);
    const double members = part->comm < model->n_comms && !model->comms[part->comm].is_self
                               ? model->comms[part->comm].n_members
                               : 1;

    if (model->tracer == MPL_TRACER_EZTRACE && has_shares(part->op)) {
        return most * members;
    }
    /* Score-P counts what goes to and comes from all members; the leaves of a tree have one share. */
    if (model->tracer == MPL_TRACER_SCOREP && is_same_for_all(part->op) &&
        (part->root == MPL_NONE || (part->sent_bytes > 0 && part->received_bytes > 0))) {
        return most / (members > 0 ? members : 1);
    }
    return most;
}

static bool is_among(const uint32_t *members, uint32_t n, uint32_t process)
{
    for (uint32_t i = 0; i < n; i++) {
        if (members[i] == process) {
            return true;
        }
    }
    return false;
}

uint32_t mpl_comm_peer(const struct mpl_model *model, uint32_t comm, uint32_t process,
                       uint32_t rank)
{
    if (comm >= model->n_comms) {
        return MPL_NONE;
    }
    const struct mpl_comm *c = &model->comms[comm];
    if (c->is_self) {
        return rank == 0 ? process : MPL_NONE;
    }
    if (c->n_remote > 0 && is_among(c->members, c->n_members, process)) {
        return rank < c->n_remote ? c->remote[rank] : MPL_NONE;
    }
    return rank < c->n_members ? c->members[rank] : MPL_NONE;
}

/* ---- call sites ------------------------------------------------------------------------------- */

/* Counting a block takes less time than reading the memory that a finer table would need. */
enum { ENTERS_BLOCK = 64 };

const uint32_t *mpl_location_count_enters(const struct mpl_location *loc,
                                          struct mpl_arena *arena)
{
    uint32_t *enters = MPL_NEW_ARRAY(arena, loc->n_events / ENTERS_BLOCK + 1, uint32_t);
    uint32_t n = 0;

    mpl_assert(loc->column.blocks != NULL);

    for (uint32_t i = 0; enters != NULL && i < loc->n_events; i++) {
        if (i % ENTERS_BLOCK == 0) {
            enters[i / ENTERS_BLOCK] = n;
        }
        n += mpl_kind_of(loc, i) == MPL_EV_ENTER;
    }
    return enters;
}

uint32_t mpl_location_find(const struct mpl_location *loc, enum mpl_event_kind kind,
                           uint32_t from)
{
    uint32_t i = from % MPL_BLOCK_EVENTS;

    for (uint32_t b = from / MPL_BLOCK_EVENTS; from < loc->n_events; b++, i = 0) {
        const uint32_t first = b * MPL_BLOCK_EVENTS;
        const uint32_t n = loc->n_events - first < MPL_BLOCK_EVENTS ? loc->n_events - first
                                                                    : MPL_BLOCK_EVENTS;
        const uint8_t *kinds = loc->column.blocks[b].shape->kind;
        const uint8_t *found = memchr(kinds + i, kind, n - i);

        if (found != NULL) {
            return first + (uint32_t) (found - kinds);
        }
        from = first + n;
    }
    return loc->n_events;
}

uint32_t mpl_location_site(const struct mpl_location *loc, uint32_t event)
{
    const uint32_t block = event / ENTERS_BLOCK;

    if (loc->sites == NULL || event >= loc->n_events ||
        mpl_kind_of(loc, event) != MPL_EV_ENTER) {
        return MPL_NONE;
    }
    uint32_t n = loc->enters[block];
    for (uint32_t i = block * ENTERS_BLOCK; i < event; i++) {
        n += mpl_kind_of(loc, i) == MPL_EV_ENTER;
    }
    return loc->sites[n];
}
