/*
 * Communicators by handle. Nothing is sent to agree on their names: each member writes down how one came about,
 * which is the same for all members, and that is put together when the run is over.
 */
#include "config.h"

#include "trace/record_priv.h"

#include <string.h>

enum { BUCKETS = 4096, PER_PAGES = 256, NO_RANK = -1 };

static struct {
    struct mpl_comm **buckets;
    struct mpl_comm *spare; /* Room for n_spare of them. */
    size_t n_spare;
    uint32_t n;
    MPI_Group world;
} comms;

bool mpl_comms_open(void)
{
    comms.buckets = mpl_pages(BUCKETS * sizeof *comms.buckets);
    return comms.buckets != NULL &&
           PMPI_Comm_group(MPI_COMM_WORLD, &comms.world) == MPI_SUCCESS;
}

static struct mpl_comm **bucket_of(MPI_Comm handle)
{
    const uint64_t key = (uint64_t) (uintptr_t) handle;

    return &comms.buckets[(key * UINT64_C(0x9e3779b97f4a7c15)) >> 52];
}

/* In front of an older one whose handle MPI gives again. Others may be looking meanwhile. */
static struct mpl_comm *add(MPI_Comm handle)
{
    struct mpl_comm **bucket = bucket_of(handle);
    struct mpl_comm *comm = NULL;

    mpl_lock();
    if (comms.n_spare == 0) {
        comms.spare = mpl_pages(PER_PAGES * sizeof *comms.spare);
        comms.n_spare = comms.spare != NULL ? PER_PAGES : 0;
    }
    if (comms.n_spare > 0) {
        comm = comms.spare++;
        comms.n_spare--;
        comm->handle = handle;
        comm->number = comms.n++;
        comm->next = *bucket;
        (void) PMPI_Comm_rank(handle, &comm->rank);
        (void) PMPI_Comm_size(handle, &comm->size);
        __atomic_store_n(bucket, comm, __ATOMIC_RELEASE);
    }
    mpl_unlock();
    return comm;
}

/* The rank in MPI_COMM_WORLD of a group's first member. */
static int leader(MPI_Comm handle, int (*group_of)(MPI_Comm, MPI_Group *))
{
    const int first = 0;
    int rank = NO_RANK;
    MPI_Group group;

    if (group_of(handle, &group) == MPI_SUCCESS) {
        (void) PMPI_Group_translate_ranks(group, 1, &first, comms.world, &rank);
        (void) PMPI_Group_free(&group);
    }
    return rank;
}

static uint64_t pair(uint32_t low, uint32_t high)
{
    return (uint64_t) low | (uint64_t) high << 32;
}

/* What is written down of a new communicator: with which others it is the same one. */
static struct mpl_comm *record(struct mpl_track *track, uint64_t time,
                               enum mpl_spool_made made, MPI_Comm handle, uint32_t parent,
                               uint32_t nth, uint64_t tag)
{
    struct mpl_comm *comm = add(handle);
    int is_inter = 0;
    int remote = NO_RANK;

    if (comm == NULL) {
        return NULL;
    }
    (void) PMPI_Comm_test_inter(handle, &is_inter);
    comm->is_inter = is_inter != 0;
    comm->members = comm->size;
    if (comm->is_inter) {
        (void) PMPI_Comm_remote_size(handle, &comm->members);
        remote = leader(handle, PMPI_Comm_remote_group);
    }
    uint64_t *record = mpl_record(track, time, 6);
    if (record != NULL) {
        record[2] = pair(parent, nth);
        record[3] = pair((uint32_t) comm->rank, (uint32_t) comm->size);
        record[4] = pair((uint32_t) leader(handle, PMPI_Comm_group), (uint32_t) remote);
        record[5] = tag;
        mpl_commit(record, MPL_SPOOL_WORD(MPL_SPOOL_COMM, 6, made, comm->number));
    }
    return comm;
}

void mpl_comms_world(struct mpl_track *track)
{
    (void) record(track, mpl_now(), MPL_MADE_WORLD, MPI_COMM_WORLD, 0, 0, 0);
    (void) record(track, mpl_now(), MPL_MADE_SELF, MPI_COMM_SELF, 0, 0, 0);
}

struct mpl_comm *mpl_comm_find(struct mpl_call_now *c, MPI_Comm handle)
{
    struct mpl_comm *comm = __atomic_load_n(bucket_of(handle), __ATOMIC_ACQUIRE);

    while (comm != NULL && comm->handle != handle) {
        comm = comm->next;
    }
    if (comm != NULL || handle == MPI_COMM_NULL) {
        return comm;
    }
    /* This call is about none that is known: it may be at its begin or at its end. */
    return record(c->track, c->end_time != 0 ? c->end_time : c->begin_time,
                  MPL_MADE_FOREIGN, handle, 0, 0, 0);
}

uint32_t mpl_comm_number(struct mpl_call_now *c, MPI_Comm handle)
{
    const struct mpl_comm *comm = mpl_comm_find(c, handle);

    return comm != NULL ? comm->number : 0;
}

/* ---- calls that make them ------------------------------------------------------------------ */

void mpl_comm_count(struct mpl_call_now *c, MPI_Comm parent)
{
    c->group = mpl_comm_find(c, parent);
    if (c->group != NULL) {
        c->nth = __atomic_fetch_add(&c->group->n_calls, 1, __ATOMIC_RELAXED);
    }
}

void mpl_makes_comm(struct mpl_call_now *c, MPI_Comm parent)
{
    mpl_comm_count(c, parent);
    mpl_coll_begin(c, parent, MPL_OP_CREATE_HANDLE, INT_MIN, 0, 0);
}

static void made_of_parent(struct mpl_call_now *c, enum mpl_spool_made made,
                           MPI_Comm handle)
{
    if (handle != MPI_COMM_NULL && c->group != NULL) {
        (void) record(c->track, c->end_time, made, handle, c->group->number, c->nth, 0);
    }
}

void mpl_comm_made(struct mpl_call_now *c, MPI_Comm made)
{
    mpl_coll_end(c);
    made_of_parent(c, MPL_MADE_CHILD, made);
}

void mpl_intercomm_made(struct mpl_call_now *c, MPI_Comm made)
{
    made_of_parent(c, MPL_MADE_INTER, made);
}

void mpl_comm_idup(struct mpl_call_now *c, MPI_Comm *made, MPI_Request *request)
{
    mpl_lock();
    struct mpl_request *r = mpl_request_add(mpl_handle(*request));
    if (r != NULL && c->group != NULL) {
        r->kind = MPL_REQUEST_COMM;
        r->made = made;
        r->comm = c->group->number;
        r->nth = c->nth;
    }
    mpl_unlock();
}

void mpl_comm_duplicated(struct mpl_call_now *c, MPI_Comm made, uint32_t parent,
                         uint32_t nth)
{
    if (made != MPI_COMM_NULL) {
        (void) record(c->track, c->end_time, MPL_MADE_CHILD, made, parent, nth, 0);
    }
}

/* Only the members call this, so nothing can be counted that all of the parent know: the members themselves
 * tell which groups are the same. */
void mpl_comm_of_group(struct mpl_call_now *c, MPI_Comm parent, int tag, MPI_Comm made)
{
    uint64_t hash = 14695981039346656037U;
    MPI_Group group;
    int size = 0;

    if (made == MPI_COMM_NULL || PMPI_Comm_group(made, &group) != MPI_SUCCESS) {
        return;
    }
    (void) PMPI_Group_size(group, &size);
    for (int i = 0; i < size; i++) {
        int rank = NO_RANK;

        (void) PMPI_Group_translate_ranks(group, 1, &i, comms.world, &rank);
        hash = (hash ^ (uint32_t) rank) * 1099511628211U;
    }
    (void) PMPI_Group_free(&group);
    (void) record(c->track, c->end_time, MPL_MADE_GROUP, made, mpl_comm_number(c, parent),
                  0, hash ^ (uint64_t) tag << 40);
}

void mpl_comm_named(struct mpl_call_now *c, MPI_Comm handle, const char *name)
{
    const struct mpl_comm *comm = mpl_comm_find(c, handle);

    if (comm != NULL) {
        mpl_put_text(c->track, c->end_time, MPL_SPOOL_NAME, comm->number, name);
    }
}
