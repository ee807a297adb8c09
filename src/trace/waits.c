/* Ends of requests. MPI takes a request's handle away when it is done, so handles are kept before the call. */
#include "config.h"

#include "trace/record_priv.h"

#include <string.h>

/* Room that only grows, so that calls on many requests find it the next time; NULL without memory. */
static void *more_room(void *room, size_t *n_room, size_t n, size_t size)
{
    size_t wanted = *n_room;

    if (n <= wanted) {
        return room;
    }
    while (wanted < n) {
        wanted *= 2;
    }
    void *more = mpl_pages(wanted * size);
    if (more != NULL) {
        *n_room = wanted;
    }
    return more;
}

MPI_Status *mpl_own_statuses(struct mpl_call_now *c, int n, MPI_Status *statuses)
{
    struct mpl_track *track = c->track;

    if (statuses != MPI_STATUSES_IGNORE || n <= 0) {
        return statuses;
    }
    void *room =
        more_room(track->statuses, &track->n_statuses, (size_t) n, sizeof *statuses);
    if (room == NULL) {
        return statuses;
    }
    track->statuses = (MPI_Status *) room;
    return track->statuses;
}

void mpl_hold(struct mpl_call_now *c, int n, const MPI_Request *requests)
{
    struct mpl_track *track = c->track;

    c->n_held = 0;
    if (n <= 0) {
        return;
    }
    void *room =
        more_room(track->handles, &track->n_handles, (size_t) n, sizeof *track->handles);
    if (room == NULL) {
        return;
    }
    track->handles = room;
    for (int i = 0; i < n; i++) {
        track->handles[i] = mpl_handle(requests[i]);
    }
    c->n_held = (size_t) n;
}

/* ---- what is recorded ------------------------------------------------------------------------- */

static void end_receive(struct mpl_call_now *c, const struct mpl_request *r,
                        uint64_t number, const MPI_Status *status, bool is_cancelled)
{
    const unsigned any =
        (r->source == MPI_ANY_SOURCE ? (unsigned) MPL_SPOOL_ANY_SOURCE : 0) |
        (r->source_tag == MPI_ANY_TAG ? (unsigned) MPL_SPOOL_ANY_TAG : 0);

    if (r->source == MPI_PROC_NULL) {
        return;
    }
    if (is_cancelled || status == NULL) {
        mpl_put(c->track, c->end_time, MPL_SPOOL_WORD(MPL_SPOOL_CANCELLED, 3, 0, 0), number,
                0, 0, 0);
        return;
    }
    mpl_put(c->track, c->end_time, MPL_SPOOL_WORD(MPL_SPOOL_IRECV, 5, any, r->comm),
            (uint64_t) (uint32_t) status->MPI_SOURCE | (uint64_t) (uint32_t) status->MPI_TAG
                                                           << 32,
            mpl_received(status), number, 0);
}

/* Nothing is known of its end where \p status is NULL: the program gave it up. */
static void record_end(struct mpl_call_now *c, const struct mpl_request *r,
                       const MPI_Status *status)
{
    int flag = 0;
    const bool is_cancelled = r->is_cancelled && status != NULL &&
                              PMPI_Test_cancelled(status, &flag) == MPI_SUCCESS &&
                              flag != 0;

    if (r->kind == MPL_REQUEST_COMM) {
        mpl_comm_duplicated(c, *r->made, r->comm, r->nth);
        return;
    }
    if (r->number == 0) {
        return;
    }
    if (r->kind == MPL_REQUEST_SEND || r->kind == MPL_REQUEST_BOTH) {
        if (r->peer != MPI_PROC_NULL) {
            mpl_put(c->track, c->end_time,
                    MPL_SPOOL_WORD(is_cancelled ? MPL_SPOOL_CANCELLED : MPL_SPOOL_ISEND_END,
                                   3, 0, 0),
                    r->number, 0, 0, 0);
        }
    }
    if (r->kind == MPL_REQUEST_RECV || r->kind == MPL_REQUEST_BOTH) {
        end_receive(c, r, r->number + (r->kind == MPL_REQUEST_BOTH), status, is_cancelled);
    }
    if (r->kind == MPL_REQUEST_COLL) {
        mpl_put(c->track, c->end_time, MPL_SPOOL_WORD(MPL_SPOOL_IEND, 6, r->op, r->comm),
                (uint64_t) (int64_t) r->root, r->sent, r->received, r->number);
    }
}

/* The request goes unless it is persistent, or the program keeps it. */
static void end_request(struct mpl_call_now *c, uint64_t handle, const MPI_Status *status,
                        bool is_kept)
{
    if (handle == mpl_handle(MPI_REQUEST_NULL)) {
        return;
    }
    mpl_lock();
    struct mpl_request *r = mpl_request_find(handle);
    if (r != NULL && (r->is_active || r->kind == MPL_REQUEST_COMM)) {
        record_end(c, r, status);
        r->is_active = false;
        r->number = 0;
        r->kind = r->kind == MPL_REQUEST_COMM ? (uint8_t) MPL_REQUEST_OTHER : r->kind;
    }
    if (r != NULL && !r->is_persistent && !is_kept) {
        mpl_request_remove(handle);
    }
    mpl_unlock();
}

void mpl_completes(struct mpl_call_now *c, int index, const MPI_Status *status)
{
    if (index != MPI_UNDEFINED && index >= 0 && (size_t) index < c->n_held) {
        end_request(c, c->track->handles[index], status, false);
    }
}

void mpl_completes_all(struct mpl_call_now *c, const MPI_Status *statuses)
{
    for (size_t i = 0; i < c->n_held; i++) {
        end_request(c, c->track->handles[i],
                    statuses != MPI_STATUSES_IGNORE ? &statuses[i] : NULL, false);
    }
}

void mpl_completes_some(struct mpl_call_now *c, int n, const int *indices,
                        const MPI_Status *statuses)
{
    for (int i = 0; n != MPI_UNDEFINED && i < n; i++) {
        mpl_completes(c, indices[i], statuses != MPI_STATUSES_IGNORE ? &statuses[i] : NULL);
    }
}

void mpl_finishes(struct mpl_call_now *c, const MPI_Status *status)
{
    if (c->n_held == 1) {
        end_request(c, c->track->handles[0], status, true);
    }
}

void mpl_frees(struct mpl_call_now *c)
{
    const uint64_t handle = c->n_held == 1 ? c->track->handles[0] : 0;

    if (c->n_held != 1 || handle == mpl_handle(MPI_REQUEST_NULL)) {
        return;
    }
    end_request(c, handle, NULL, true);
    mpl_lock();
    mpl_request_remove(handle);
    mpl_unlock();
}

void mpl_cancels(struct mpl_call_now *c, MPI_Request *request)
{
    (void) c;
    mpl_lock();
    struct mpl_request *r = mpl_request_find(mpl_handle(*request));
    if (r != NULL) {
        r->is_cancelled = true;
    }
    mpl_unlock();
}
