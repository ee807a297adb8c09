#include "config.h"

#include "events/events_priv.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* The name behind "MPI_": tracers write MPI_Recv, mpi_recv_ and PMPI_Recv. */
static const char *name_behind_mpi(const char *name)
{
    for (const char *at = name; *at != '\0'; at++) {
        if (strncasecmp(at, "mpi_", 4) == 0) {
            return at + 4;
        }
    }
    return name;
}

static bool begins_with(const char *name, const char *word)
{
    return strncasecmp(name, word, strlen(word)) == 0;
}

static enum mpl_region_block block_of(const struct mpl_region *region)
{
    const char *name = name_behind_mpi(region->name);

    if (region->kind != MPL_REGION_MPI_P2P ||
        (region->mode != MPL_CALL_PLAIN && region->mode != MPL_CALL_SYNC_SEND)) {
        return BLOCK_NEVER;
    }
    if (begins_with(name, "wait")) {
        return BLOCK_REQUESTS;
    }
    if (begins_with(name, "probe") || begins_with(name, "mprobe")) {
        return BLOCK_PROBE;
    }
    if (begins_with(name, "sendrecv")) {
        return BLOCK_EXCHANGE;
    }
    if (begins_with(name, "recv") || begins_with(name, "mrecv") ||
        begins_with(name, "send") || begins_with(name, "ssend") ||
        begins_with(name, "rsend")) {
        return BLOCK_MESSAGE;
    }
    return BLOCK_NEVER;
}

/* EZTrace wraps the whole life of a thread in "Working", text traces the time between calls in
 * "compute". All else of a tracer is its own work: writing out buffers, shutting down. */
static bool holds_the_program(const char *name)
{
    return strcmp(name, "Working") == 0 || strcmp(name, "compute") == 0;
}

static struct mpl_region_use use_of(const struct mpl_region *region)
{
    struct mpl_region_use use = { ROLE_CALL, MPL_SPAN_OTHER, block_of(region), region->mode,
                                  true };

    switch (region->kind) {
    case MPL_REGION_USER:
        use.role = ROLE_USER;
        use.class = MPL_SPAN_COMPUTE;
        use.is_mpi = false;
        break;
    case MPL_REGION_MPI_INIT:
        /* The first one ends the start-up, which begins long before; another one is a mistake. */
        use.role = ROLE_INIT;
        break;
    case MPL_REGION_MPI_FINALIZE:
        use.role = ROLE_FINALIZE;
        use.class = MPL_SPAN_SHUTDOWN;
        break;
    case MPL_REGION_MPI_P2P:
        use.class = MPL_SPAN_P2P;
        break;
    case MPL_REGION_MPI_COLL:
        use.class = MPL_SPAN_COLLECTIVE;
        break;
    case MPL_REGION_MPI_OTHER:
        break;
    case MPL_REGION_THREAD_SYNC:
    case MPL_REGION_DEVICE_SYNC:
        use.is_mpi = false;
        break;
    case MPL_REGION_TRACER:
        /* EZTrace ends a process in it, in place of the MPI_Finalize that it does not record. */
        if (strcmp(region->name, "EZTrace finalize") == 0) {
            use.role = ROLE_FINALIZE;
            use.class = MPL_SPAN_SHUTDOWN;
            use.is_mpi = false;
            break;
        }
        if (holds_the_program(region->name)) {
            use.role = ROLE_TRANSPARENT;
            use.class = MPL_SPAN_COMPUTE;
        }
        use.is_mpi = false;
        break;
    }
    return use;
}

enum mpl_status mpl_regions_classify(struct mpl_events *events, struct mpl_err *err)
{
    const struct mpl_model *model = events->model;
    struct mpl_region_use *use =
        MPL_NEW_ARRAY(events->arena, model->n_regions, struct mpl_region_use);

    if (use == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t r = 0; r < model->n_regions; r++) {
        use[r] = use_of(&model->regions[r]);
    }
    events->use = use;
    return MPL_OK;
}
