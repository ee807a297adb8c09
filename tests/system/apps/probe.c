/*
 * Calls every function that the tracer intercepts at least once; what it sends is in the comments, and the test
 * asks for it. Four processes, in rings: each sends to the next one and receives from the one before.
 *
 *   probe FILE
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { N = 4, MANY = 64 };

static int rank;
static int next;
static int before;
static MPI_Comm world;
static int a[MANY];
static int b[MANY];

/* Tags 1 to 4: blocking sends of so many integers; any tag, any source, both. */
static void blocking(void)
{
    MPI_Request r;

    MPI_Irecv(b, MANY, MPI_INT, before, 1, world, &r);
    MPI_Send(a, 1, MPI_INT, next, 1, world);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Irecv(b, MANY, MPI_INT, before, MPI_ANY_TAG, world, &r);
    MPI_Bsend(a, 2, MPI_INT, next, 2, world);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Irecv(b, MANY, MPI_INT, MPI_ANY_SOURCE, 3, world, &r);
    MPI_Barrier(world);
    MPI_Rsend(a, 3, MPI_INT, next, 3, world);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Irecv(b, MANY, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &r);
    MPI_Ssend(a, 4, MPI_INT, next, 4, world);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

/* Tags 5 to 8, received one by one in a call that blocks. */
static void immediate(void)
{
    MPI_Request r[4];
    MPI_Status status;
    int flag = 0;

    MPI_Isend(a, 5, MPI_INT, next, 5, world, &r[0]);
    MPI_Ibsend(a, 6, MPI_INT, next, 6, world, &r[1]);
    MPI_Issend(a, 7, MPI_INT, next, 7, world, &r[2]);
    MPI_Recv(b, MANY, MPI_INT, MPI_ANY_SOURCE, 5, world, &status);
    MPI_Recv(b, MANY, MPI_INT, before, 6, world, MPI_STATUS_IGNORE);
    MPI_Recv(b, MANY, MPI_INT, before, 7, world, MPI_STATUS_IGNORE);
    MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
    MPI_Irecv(b, MANY, MPI_INT, before, 8, world, &r[0]);
    MPI_Barrier(world);
    MPI_Irsend(a, 8, MPI_INT, next, 8, world, &r[1]);
    while (!flag) {
        MPI_Testall(2, r, &flag, MPI_STATUSES_IGNORE);
    }
}

/* Tags 9 and 10: both directions in one call; and from and to nobody. */
static void both(void)
{
    MPI_Sendrecv(a, 9, MPI_INT, next, 9, b, MANY, MPI_INT, before, 9, world,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace(a, 10, MPI_INT, next, 10, before, 10, world, MPI_STATUS_IGNORE);
    MPI_Sendrecv(a, 9, MPI_INT, MPI_PROC_NULL, 9, b, MANY, MPI_INT, MPI_PROC_NULL, 9, world,
                 MPI_STATUS_IGNORE);
}

/* Tags 11 to 14, each twice. */
static void persistent(void)
{
    MPI_Request s[4];
    MPI_Request r[4];

    MPI_Send_init(a, 11, MPI_INT, next, 11, world, &s[0]);
    MPI_Bsend_init(a, 12, MPI_INT, next, 12, world, &s[1]);
    MPI_Ssend_init(a, 13, MPI_INT, next, 13, world, &s[2]);
    MPI_Rsend_init(a, 14, MPI_INT, next, 14, world, &s[3]);
    for (int i = 0; i < 4; i++) {
        MPI_Recv_init(b, MANY, MPI_INT, before, 11 + i, world, &r[i]);
    }
    for (int turn = 0; turn < 2; turn++) {
        int index;

        MPI_Startall(4, r);
        MPI_Barrier(world);
        for (int i = 0; i < 4; i++) {
            MPI_Start(&s[i]);
        }
        for (int i = 0; i < 4; i++) {
            MPI_Waitany(4, r, &index, MPI_STATUS_IGNORE);
        }
        MPI_Waitall(4, s, MPI_STATUSES_IGNORE);
    }
    for (int i = 0; i < 4; i++) {
        MPI_Request_free(&s[i]);
        MPI_Request_free(&r[i]);
    }
}

/* Tags 15 to 18. */
static void probes(void)
{
    MPI_Message message;
    MPI_Request s[4];
    MPI_Request r;
    MPI_Status status;
    int flag = 0;

    for (int i = 0; i < 4; i++) {
        MPI_Isend(a, 15 + i, MPI_INT, next, 15 + i, world, &s[i]);
    }
    MPI_Probe(MPI_ANY_SOURCE, 15, world, &status);
    MPI_Recv(b, MANY, MPI_INT, status.MPI_SOURCE, 15, world, MPI_STATUS_IGNORE);
    while (!flag) {
        MPI_Iprobe(before, 16, world, &flag, MPI_STATUS_IGNORE);
    }
    MPI_Recv(b, MANY, MPI_INT, before, 16, world, MPI_STATUS_IGNORE);
    MPI_Mprobe(MPI_ANY_SOURCE, 17, world, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(b, MANY, MPI_INT, &message, MPI_STATUS_IGNORE);
    for (flag = 0; !flag;) {
        MPI_Improbe(before, MPI_ANY_TAG, world, &flag, &message, MPI_STATUS_IGNORE);
    }
    MPI_Imrecv(b, MANY, MPI_INT, &message, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Waitall(4, s, MPI_STATUSES_IGNORE);
}

static int nothing(void *state, MPI_Status *status)
{
    (void) state;
    (void) status;
    return MPI_SUCCESS;
}

static int free_nothing(void *state)
{
    (void) state;
    return MPI_SUCCESS;
}

static int cancel_nothing(void *state, int is_done)
{
    (void) state;
    (void) is_done;
    return MPI_SUCCESS;
}

/* Tags 19 to 22; a receive for tag 99 is cancelled. */
static void requests(void)
{
    MPI_Request r[2];
    MPI_Request s;
    int indices[2];
    int flag = 0;
    int n = 0;

    MPI_Irecv(b, MANY, MPI_INT, before, 99, world, &r[0]);
    MPI_Cancel(&r[0]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);

    MPI_Irecv(b, MANY, MPI_INT, before, 19, world, &r[0]);
    MPI_Isend(a, 19, MPI_INT, next, 19, world, &s);
    MPI_Request_free(&s);
    while (!flag) {
        MPI_Request_get_status(r[0], &flag, MPI_STATUS_IGNORE);
    }
    MPI_Test(&r[0], &flag, MPI_STATUS_IGNORE);

    MPI_Irecv(b, MANY, MPI_INT, before, 20, world, &r[0]);
    MPI_Isend(a, 20, MPI_INT, next, 20, world, &r[1]);
    for (int done = 0; done < 2; done += n) {
        MPI_Waitsome(2, r, &n, indices, MPI_STATUSES_IGNORE);
    }
    MPI_Irecv(b, MANY, MPI_INT, before, 21, world, &r[0]);
    MPI_Isend(a, 21, MPI_INT, next, 21, world, &r[1]);
    for (int done = 0; done < 2; done += n) {
        MPI_Testsome(2, r, &n, indices, MPI_STATUSES_IGNORE);
    }
    MPI_Irecv(b, MANY, MPI_INT, before, 22, world, &r[0]);
    MPI_Isend(a, 22, MPI_INT, next, 22, world, &r[1]);
    for (int done = 0; done < 2; done += flag) {
        MPI_Testany(2, r, &n, &flag, MPI_STATUS_IGNORE);
    }
    MPI_Grequest_start(nothing, free_nothing, cancel_nothing, NULL, &s);
    MPI_Grequest_complete(s);
    MPI_Wait(&s, MPI_STATUS_IGNORE);
}

static int counts[N] = { 1, 2, 3, 4 };
static int displs[N] = { 0, 1, 3, 6 };
static int ones[N] = { 1, 1, 1, 1 };
static int places[N] = { 0, 1, 2, 3 };
static int byte_places[N] = { 0, 4, 8, 12 };
static MPI_Datatype types[N];

/* Roots differ from 0, and counts from each other. */
static void collectives(void)
{
    MPI_Barrier(world);
    MPI_Bcast(a, 5, MPI_INT, 1, world);
    MPI_Gather(a, 2, MPI_INT, b, 2, MPI_INT, 2, world);
    MPI_Gatherv(a, counts[rank], MPI_INT, b, counts, displs, MPI_INT, 3, world);
    MPI_Scatter(a, 2, MPI_INT, b, 2, MPI_INT, 1, world);
    MPI_Scatterv(a, counts, displs, MPI_INT, b, counts[rank], MPI_INT, 2, world);
    MPI_Allgather(a, 3, MPI_INT, b, 3, MPI_INT, world);
    MPI_Allgatherv(a, counts[rank], MPI_INT, b, counts, displs, MPI_INT, world);
    MPI_Alltoall(a, 2, MPI_INT, b, 2, MPI_INT, world);
    MPI_Alltoallv(a, ones, places, MPI_INT, b, ones, places, MPI_INT, world);
    MPI_Alltoallw(a, ones, byte_places, types, b, ones, byte_places, types, world);
    MPI_Reduce(a, b, 6, MPI_INT, MPI_SUM, 3, world);
    MPI_Allreduce(MPI_IN_PLACE, b, 7, MPI_INT, MPI_SUM, world);
    MPI_Reduce_scatter(a, b, counts, MPI_INT, MPI_SUM, world);
    MPI_Reduce_scatter_block(a, b, 2, MPI_INT, MPI_SUM, world);
    MPI_Scan(a, b, 8, MPI_INT, MPI_SUM, world);
    MPI_Exscan(a, b, 9, MPI_INT, MPI_SUM, world);
}

/* The same with requests. */
static void immediate_collectives(void)
{
    enum { KINDS = 17 };
    static int out[KINDS][MANY];
    static int in[KINDS][MANY];
    MPI_Request r[KINDS];
    int k = 0;

    MPI_Ibarrier(world, &r[k]);
    k++;
    MPI_Ibcast(in[k], 5, MPI_INT, 1, world, &r[k]);
    k++;
    MPI_Igather(out[k], 2, MPI_INT, in[k], 2, MPI_INT, 2, world, &r[k]);
    k++;
    MPI_Igatherv(out[k], counts[rank], MPI_INT, in[k], counts, displs, MPI_INT, 3, world,
                 &r[k]);
    k++;
    MPI_Iscatter(out[k], 2, MPI_INT, in[k], 2, MPI_INT, 1, world, &r[k]);
    k++;
    MPI_Iscatterv(out[k], counts, displs, MPI_INT, in[k], counts[rank], MPI_INT, 2, world,
                  &r[k]);
    k++;
    MPI_Iallgather(out[k], 3, MPI_INT, in[k], 3, MPI_INT, world, &r[k]);
    k++;
    MPI_Iallgatherv(out[k], counts[rank], MPI_INT, in[k], counts, displs, MPI_INT, world,
                    &r[k]);
    k++;
    MPI_Ialltoall(out[k], 2, MPI_INT, in[k], 2, MPI_INT, world, &r[k]);
    k++;
    MPI_Ialltoallv(out[k], ones, places, MPI_INT, in[k], ones, places, MPI_INT, world,
                   &r[k]);
    k++;
    MPI_Ialltoallw(out[k], ones, byte_places, types, in[k], ones, byte_places, types, world,
                   &r[k]);
    k++;
    MPI_Ireduce(out[k], in[k], 6, MPI_INT, MPI_SUM, 3, world, &r[k]);
    k++;
    MPI_Iallreduce(out[k], in[k], 7, MPI_INT, MPI_SUM, world, &r[k]);
    k++;
    MPI_Ireduce_scatter(out[k], in[k], counts, MPI_INT, MPI_SUM, world, &r[k]);
    k++;
    MPI_Ireduce_scatter_block(out[k], in[k], 2, MPI_INT, MPI_SUM, world, &r[k]);
    k++;
    MPI_Iscan(out[k], in[k], 8, MPI_INT, MPI_SUM, world, &r[k]);
    k++;
    MPI_Iexscan(out[k], in[k], 9, MPI_INT, MPI_SUM, world, &r[k]);
    k++;
    MPI_Waitall(k, r, MPI_STATUSES_IGNORE);
}

static void neighbours(MPI_Comm ring)
{
    static const MPI_Aint far[2] = { 0, 4 };
    static const int near[2] = { 0, 1 };
    static const int two[2] = { 1, 1 };
    MPI_Request r[5];

    MPI_Neighbor_allgather(a, 1, MPI_INT, b, 1, MPI_INT, ring);
    MPI_Neighbor_allgatherv(a, 1, MPI_INT, b, two, near, MPI_INT, ring);
    MPI_Neighbor_alltoall(a, 1, MPI_INT, b, 1, MPI_INT, ring);
    MPI_Neighbor_alltoallv(a, two, near, MPI_INT, b, two, near, MPI_INT, ring);
    MPI_Neighbor_alltoallw(a, two, far, types, b, two, far, types, ring);
    MPI_Ineighbor_allgather(a, 1, MPI_INT, b, 1, MPI_INT, ring, &r[0]);
    MPI_Ineighbor_allgatherv(a, 1, MPI_INT, b + 4, two, near, MPI_INT, ring, &r[1]);
    MPI_Ineighbor_alltoall(a, 1, MPI_INT, b + 8, 1, MPI_INT, ring, &r[2]);
    MPI_Ineighbor_alltoallv(a, two, near, MPI_INT, b + 12, two, near, MPI_INT, ring, &r[3]);
    MPI_Ineighbor_alltoallw(a, two, far, types, b + 16, two, far, types, ring, &r[4]);
    MPI_Waitall(5, r, MPI_STATUSES_IGNORE);
}

/* In each of them the rank before sends to the next one: tag 30 and so on. */
static void ring_in(MPI_Comm comm, int tag)
{
    int own;
    int size;

    MPI_Comm_rank(comm, &own);
    MPI_Comm_size(comm, &size);
    MPI_Sendrecv(a, tag, MPI_INT, (own + 1) % size, tag, b, MANY, MPI_INT,
                 (own + size - 1) % size, tag, comm, MPI_STATUS_IGNORE);
}

static void pairs(MPI_Comm half)
{
    MPI_Comm inter;
    MPI_Comm merged;
    MPI_Request r;
    int own;

    MPI_Comm_rank(half, &own);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < 2 ? 3 : 1, 5, &inter);
    /* To the process of the same rank on the other side. */
    MPI_Isend(a, 42, MPI_INT, own, 42, inter, &r);
    MPI_Recv(b, MANY, MPI_INT, own, 42, inter, MPI_STATUS_IGNORE);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Bcast(a, 3, MPI_INT, rank >= 2 ? 1 : own == 1 ? MPI_ROOT : MPI_PROC_NULL, inter);
    MPI_Intercomm_merge(inter, rank < 2, &merged);
    ring_in(merged, 43);
    MPI_Comm_free(&merged);
    MPI_Comm_disconnect(&inter);
}

static void communicators(void)
{
    static const int dims[1] = { N };
    static const int wraps[1] = { 1 };
    static const int keep[1] = { 1 };
    static const int index[N] = { 2, 4, 6, 8 };
    static const int edges[2 * N] = { 3, 1, 0, 2, 1, 3, 2, 0 };
    const int around[2] = { before, next };
    const int degree = 1;
    MPI_Comm made[12];
    MPI_Group group;
    MPI_Group part;
    MPI_Request r;
    int n = 0;

    MPI_Comm_dup(world, &made[n++]);
    MPI_Comm_dup_with_info(world, MPI_INFO_NULL, &made[n++]);
    MPI_Comm_idup(world, &made[n++], &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Comm_split(world, rank / 2, -rank, &made[n++]);
    MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, -rank, MPI_INFO_NULL, &made[n++]);
    MPI_Cart_create(world, 1, dims, wraps, 0, &made[n++]);
    neighbours(made[n - 1]);
    MPI_Cart_sub(made[n - 1], keep, &made[n]);
    n++;
    MPI_Graph_create(world, N, index, edges, 0, &made[n++]);
    MPI_Dist_graph_create(world, 1, &rank, &degree, &next, &degree, MPI_INFO_NULL, 0,
                          &made[n++]);
    MPI_Dist_graph_create_adjacent(world, 2, around, MPI_UNWEIGHTED, 2, around,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made[n++]);
    MPI_Comm_group(world, &group);
    MPI_Comm_create(world, group, &made[n++]);
    MPI_Group_incl(group, 2, rank < 2 ? (int[]){ 1, 0 } : (int[]){ 3, 2 }, &part);
    MPI_Comm_create_group(world, part, 6, &made[n++]);
    for (int i = 0; i < n; i++) {
        ring_in(made[i], 30 + i);
    }
    MPI_Comm_set_name(made[3], "halves");
    pairs(made[n - 1]);
    for (int i = 0; i < n; i++) {
        MPI_Comm_free(&made[i]);
    }
    MPI_Group_free(&part);
    MPI_Group_free(&group);
}

static void groups(void)
{
    int range[1][3] = { { 0, 1, 1 } };
    const int first = 0;
    MPI_Group all;
    MPI_Group some[6];

    MPI_Comm_group(world, &all);
    MPI_Group_excl(all, 1, &first, &some[0]);
    MPI_Group_union(all, some[0], &some[1]);
    MPI_Group_intersection(all, some[0], &some[2]);
    MPI_Group_difference(all, some[0], &some[3]);
    MPI_Group_range_incl(all, 1, range, &some[4]);
    MPI_Group_range_excl(all, 1, range, &some[5]);
    for (int i = 0; i < 6; i++) {
        MPI_Group_free(&some[i]);
    }
    MPI_Group_free(&all);
}

static void put_and_get(MPI_Win win)
{
    MPI_Request r[4];
    int one = 1;
    int zero = 0;

    MPI_Win_fence(0, win);
    MPI_Put(&one, 1, MPI_INT, next, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Get(b, 1, MPI_INT, next, 0, 1, MPI_INT, win);
    MPI_Accumulate(&one, 1, MPI_INT, next, 1, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_fence(0, win);
    MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win);
    MPI_Get_accumulate(&one, 1, MPI_INT, b, 1, MPI_INT, next, 2, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_flush(next, win);
    MPI_Fetch_and_op(&one, b, MPI_INT, next, 3, MPI_SUM, win);
    MPI_Win_flush_local(next, win);
    MPI_Compare_and_swap(&one, &zero, b, MPI_INT, next, 4, win);
    MPI_Win_unlock(next, win);
    MPI_Win_lock_all(0, win);
    MPI_Rput(&one, 1, MPI_INT, next, 5, 1, MPI_INT, win, &r[0]);
    MPI_Rget(b, 1, MPI_INT, next, 6, 1, MPI_INT, win, &r[1]);
    MPI_Raccumulate(&one, 1, MPI_INT, next, 7, 1, MPI_INT, MPI_SUM, win, &r[2]);
    MPI_Rget_accumulate(&one, 1, MPI_INT, b + 1, 1, MPI_INT, next, 8, 1, MPI_INT, MPI_SUM,
                        win, &r[3]);
    MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
    MPI_Win_flush_all(win);
    MPI_Win_flush_local_all(win);
    MPI_Win_sync(win);
    MPI_Win_unlock_all(win);
}

static void post_and_start(MPI_Win win)
{
    MPI_Group all;
    MPI_Group to;
    MPI_Group from;
    int flag = 0;

    MPI_Comm_group(world, &all);
    MPI_Group_incl(all, 1, &next, &to);
    MPI_Group_incl(all, 1, &before, &from);
    for (int turn = 0; turn < 2; turn++) {
        MPI_Win_post(from, 0, win);
        MPI_Win_start(to, 0, win);
        MPI_Put(a, 1, MPI_INT, next, 9, 1, MPI_INT, win);
        MPI_Win_complete(win);
        if (turn == 0) {
            MPI_Win_wait(win);
        }
        for (flag = turn == 0; !flag;) {
            MPI_Win_test(win, &flag);
        }
    }
    MPI_Group_free(&to);
    MPI_Group_free(&from);
    MPI_Group_free(&all);
}

static void windows(void)
{
    static int memory[MANY];
    void *base;
    MPI_Win win;

    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, world, &win);
    put_and_get(win);
    post_and_start(win);
    MPI_Win_free(&win);
    MPI_Win_create_dynamic(MPI_INFO_NULL, world, &win);
    MPI_Win_attach(win, memory, sizeof memory);
    MPI_Win_detach(win, memory);
    MPI_Win_free(&win);
    MPI_Win_allocate(64, 1, MPI_INFO_NULL, world, &base, &win);
    MPI_Win_free(&win);
    MPI_Win_allocate_shared(64, 1, MPI_INFO_NULL, world, &base, &win);
    MPI_Win_free(&win);
}

static void positioned(MPI_File f)
{
    MPI_Request r[4];
    const MPI_Offset at = rank * 4096;

    MPI_File_write_at(f, at, a, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_read_at(f, at, b, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_write_at_all(f, at, a, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_read_at_all(f, at, b, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_iwrite_at(f, at, a, 1, MPI_INT, &r[0]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_File_iread_at(f, at, b, 1, MPI_INT, &r[0]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_File_iwrite_at_all(f, at, a, 1, MPI_INT, &r[0]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_File_iread_at_all(f, at, b, 1, MPI_INT, &r[0]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_File_write_at_all_begin(f, at, a, 1, MPI_INT);
    MPI_File_write_at_all_end(f, a, MPI_STATUS_IGNORE);
    MPI_File_read_at_all_begin(f, at, b, 1, MPI_INT);
    MPI_File_read_at_all_end(f, b, MPI_STATUS_IGNORE);
}

static void sequential(MPI_File f)
{
    MPI_Request r;

    MPI_File_seek(f, rank * 4096, MPI_SEEK_SET);
    MPI_File_write(f, a, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_read(f, b, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_write_all(f, a, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_read_all(f, b, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_iwrite(f, a, 1, MPI_INT, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_File_iread(f, b, 1, MPI_INT, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_File_iwrite_all(f, a, 1, MPI_INT, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_File_iread_all(f, b, 1, MPI_INT, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_File_write_all_begin(f, a, 1, MPI_INT);
    MPI_File_write_all_end(f, a, MPI_STATUS_IGNORE);
    MPI_File_read_all_begin(f, b, 1, MPI_INT);
    MPI_File_read_all_end(f, b, MPI_STATUS_IGNORE);
}

static void shared(MPI_File f)
{
    MPI_Request r;

    MPI_File_seek_shared(f, 0, MPI_SEEK_SET);
    MPI_File_write_shared(f, a, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_read_shared(f, b, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_iwrite_shared(f, a, 1, MPI_INT, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_File_iread_shared(f, b, 1, MPI_INT, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_File_write_ordered(f, a, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_read_ordered(f, b, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_write_ordered_begin(f, a, 1, MPI_INT);
    MPI_File_write_ordered_end(f, a, MPI_STATUS_IGNORE);
    MPI_File_read_ordered_begin(f, b, 1, MPI_INT);
    MPI_File_read_ordered_end(f, b, MPI_STATUS_IGNORE);
}

static void files(const char *path)
{
    MPI_File f;
    MPI_Offset size;

    MPI_File_open(world, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
    MPI_File_set_size(f, 65536);
    MPI_File_preallocate(f, 65536);
    MPI_File_get_size(f, &size);
    MPI_File_set_info(f, MPI_INFO_NULL);
    MPI_File_set_view(f, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    MPI_File_set_atomicity(f, 0);
    positioned(f);
    sequential(f);
    shared(f);
    MPI_File_sync(f);
    MPI_File_close(&f);
    if (rank == 0) {
        MPI_File_delete(path, MPI_INFO_NULL);
    }
}

int main(int argc, char **argv)
{
    static char buffer[65536];
    void *detached;
    int size;

    MPI_Init(&argc, &argv);
    world = MPI_COMM_WORLD;
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &size);
    if (size != N || argc != 2) {
        MPI_Abort(world, 2);
    }
    next = (rank + 1) % N;
    before = (rank + N - 1) % N;
    for (int i = 0; i < N; i++) {
        types[i] = MPI_INT;
    }
    MPI_Buffer_attach(buffer, sizeof buffer);
    blocking();
    immediate();
    both();
    persistent();
    probes();
    requests();
    collectives();
    immediate_collectives();
    communicators();
    groups();
    windows();
    files(argv[1]);
    MPI_Pcontrol(0);
    ring_in(world, 50);
    MPI_Pcontrol(1);
    ring_in(world, 51);
    MPI_Buffer_detach(&detached, &size);
    MPI_Finalize();
    return 0;
}
