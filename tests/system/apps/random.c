/*
 * Communicates at random and writes down itself what it sends and receives, for the tracer to be compared with.
 * Every rank draws the same numbers, so all know what is to happen.
 *
 *   random LOG FIRST-SEED SEEDS STEPS
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 4096, COMMS = 5, BATCH = 4 };

static FILE *out;
static unsigned long state;
static int world_rank;
static MPI_Comm comms[COMMS];
static const char *const names[COMMS] = { "MPI_COMM_WORLD", "copy", "halves", "backwards",
                                          "all but the first" };
static char sent[BATCH][MOST];
static char received[BATCH][MOST];

static unsigned draw(unsigned n)
{
    state = state * 6364136223846793005UL + 1442695040888963407UL;
    return (unsigned) (state >> 33) % n;
}

static int rank_in(int c)
{
    int rank;

    MPI_Comm_rank(comms[c], &rank);
    return rank;
}

static int size_of(int c)
{
    int size;

    MPI_Comm_size(comms[c], &size);
    return size;
}

static void log_send(int c, int dest, int tag, int bytes)
{
    fprintf(out, "send %s %d %d %d\n", names[c], dest, tag, bytes);
}

static void log_receive(int c, const MPI_Status *status, int is_any_source, int is_any_tag)
{
    int bytes;

    MPI_Get_count(status, MPI_BYTE, &bytes);
    fprintf(out, "recv %s %d %d %d%s%s\n", names[c], status->MPI_SOURCE, status->MPI_TAG,
            bytes, is_any_source ? " any-source" : "", is_any_tag ? " any-tag" : "");
}

/* ---- one message from everybody to everybody ------------------------------------------------- */

struct shift {
    int comm;
    int dest;
    int source;
    int tag;
    int bytes;
    int asked_source;
    int asked_tag;
};

static struct shift draw_shift(void)
{
    struct shift s;

    s.comm = (int) draw(COMMS);
    const unsigned by = draw(64);
    s.tag = 1 + (int) draw(1000);
    s.bytes = (int) draw(MOST);
    const int is_any_source = draw(3) == 0;
    const int is_any_tag = draw(3) == 0;
    if (comms[s.comm] == MPI_COMM_NULL) {
        return s;
    }
    const int size = size_of(s.comm);
    const int rank = rank_in(s.comm);
    s.dest = (rank + (int) by) % size;
    s.source = (rank + size - (int) by % size) % size;
    s.asked_source = is_any_source ? MPI_ANY_SOURCE : s.source;
    s.asked_tag = is_any_tag ? MPI_ANY_TAG : s.tag;
    return s;
}

static void took(const struct shift *s, const MPI_Status *status)
{
    log_receive(s->comm, status, s->asked_source == MPI_ANY_SOURCE,
                s->asked_tag == MPI_ANY_TAG);
}

static void by_sendrecv(const struct shift *s)
{
    MPI_Status status;

    log_send(s->comm, s->dest, s->tag, s->bytes);
    MPI_Sendrecv(sent[0], s->bytes, MPI_BYTE, s->dest, s->tag, received[0], MOST, MPI_BYTE,
                 s->asked_source, s->asked_tag, comms[s->comm], &status);
    took(s, &status);
}

static void by_isend(const struct shift *s)
{
    MPI_Request request;
    MPI_Status status;

    log_send(s->comm, s->dest, s->tag, s->bytes);
    MPI_Isend(sent[0], s->bytes, MPI_BYTE, s->dest, s->tag, comms[s->comm], &request);
    MPI_Recv(received[0], MOST, MPI_BYTE, s->asked_source, s->asked_tag, comms[s->comm],
             &status);
    took(s, &status);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void by_irecv(const struct shift *s)
{
    MPI_Request request;
    MPI_Status status;
    int flag = 0;

    MPI_Irecv(received[0], MOST, MPI_BYTE, s->asked_source, s->asked_tag, comms[s->comm],
              &request);
    log_send(s->comm, s->dest, s->tag, s->bytes);
    MPI_Send(sent[0], s->bytes, MPI_BYTE, s->dest, s->tag, comms[s->comm]);
    while (!flag) {
        MPI_Test(&request, &flag, &status);
    }
    took(s, &status);
}

static void by_probe(const struct shift *s)
{
    MPI_Request request;
    MPI_Message message;
    MPI_Status status;

    log_send(s->comm, s->dest, s->tag, s->bytes);
    MPI_Isend(sent[0], s->bytes, MPI_BYTE, s->dest, s->tag, comms[s->comm], &request);
    MPI_Mprobe(s->asked_source, s->asked_tag, comms[s->comm], &message, &status);
    MPI_Mrecv(received[0], MOST, MPI_BYTE, &message, &status);
    took(s, &status);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void by_persistent(const struct shift *s)
{
    MPI_Request requests[2];
    MPI_Status statuses[2];
    const int turns = 1 + (int) (s->tag % 3);

    MPI_Recv_init(received[0], MOST, MPI_BYTE, s->asked_source, s->asked_tag,
                  comms[s->comm], &requests[0]);
    MPI_Send_init(sent[0], s->bytes, MPI_BYTE, s->dest, s->tag, comms[s->comm],
                  &requests[1]);
    for (int i = 0; i < turns; i++) {
        MPI_Startall(2, requests);
        log_send(s->comm, s->dest, s->tag, s->bytes);
        MPI_Waitall(2, requests, statuses);
        took(s, &statuses[0]);
        /* What was asked for any source may come from who is a turn ahead. */
        MPI_Barrier(comms[s->comm]);
        fprintf(out, "coll %s BARRIER NONE 0 0\n", names[s->comm]);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

/* Several at once, ended in whatever order. */
static void by_batch(const struct shift *first)
{
    struct shift s[BATCH];
    MPI_Request requests[2 * BATCH];
    MPI_Status statuses[2 * BATCH];
    int indices[2 * BATCH];
    const int how = first->tag % 3;

    for (int i = 0; i < BATCH; i++) {
        s[i] = *first;
        s[i].tag = first->tag + i * 1000;
        s[i].asked_tag = s[i].tag;
        MPI_Irecv(received[i], MOST, MPI_BYTE, s[i].asked_source, s[i].tag,
                  comms[s[i].comm], &requests[i]);
    }
    for (int i = 0; i < BATCH; i++) {
        log_send(s[i].comm, s[i].dest, s[i].tag, s[i].bytes);
        MPI_Isend(sent[i], s[i].bytes, MPI_BYTE, s[i].dest, s[i].tag, comms[s[i].comm],
                  &requests[BATCH + i]);
    }
    for (int done = 0, n = 0; done < 2 * BATCH; done += n) {
        if (how == 0) {
            MPI_Waitall(2 * BATCH, requests, statuses);
            n = 2 * BATCH;
            for (int i = 0; i < n; i++) {
                indices[i] = i;
            }
        } else if (how == 1) {
            MPI_Waitsome(2 * BATCH, requests, &n, indices, statuses);
        } else {
            MPI_Waitany(2 * BATCH, requests, &indices[0], &statuses[0]);
            n = 1;
        }
        for (int i = 0; i < n; i++) {
            if (indices[i] < BATCH) {
                took(&s[indices[i]], &statuses[i]);
            }
        }
    }
}

static void message(void)
{
    static void (*const ways[])(const struct shift *) = { by_sendrecv,   by_isend,
                                                          by_irecv,      by_probe,
                                                          by_persistent, by_batch };
    const unsigned way = draw(6);
    struct shift s = draw_shift();

    if (comms[s.comm] == MPI_COMM_NULL) {
        return;
    }
    ways[way](&s);
    /* So that nobody receives for any source what belongs to the next step. */
    MPI_Barrier(comms[s.comm]);
    fprintf(out, "coll %s BARRIER NONE 0 0\n", names[s.comm]);
}

/* ---- operations ---------------------------------------------------------------------------------- */

static void operation(void)
{
    const int c = (int) draw(COMMS);
    const unsigned which = draw(5);
    const unsigned by = draw(64);
    const int bytes = 1 + (int) draw(100);
    const int is_immediate = (int) draw(2);
    MPI_Request request = MPI_REQUEST_NULL;

    if (comms[c] == MPI_COMM_NULL) {
        return;
    }
    const int n = size_of(c);
    const int root = (int) by % n;
    const int is_root = rank_in(c) == root;
    char *in = received[0];
    char *from = sent[0];

    switch (which) {
    case 0:
        if (is_immediate) {
            MPI_Ibcast(in, bytes, MPI_BYTE, root, comms[c], &request);
        } else {
            MPI_Bcast(in, bytes, MPI_BYTE, root, comms[c]);
        }
        fprintf(out, "coll %s BCAST %d %d %d\n", names[c], root, is_root ? bytes : 0,
                is_root ? 0 : bytes);
        break;
    case 1:
        if (is_immediate) {
            MPI_Igather(from, bytes, MPI_BYTE, in, bytes, MPI_BYTE, root, comms[c],
                        &request);
        } else {
            MPI_Gather(from, bytes, MPI_BYTE, in, bytes, MPI_BYTE, root, comms[c]);
        }
        fprintf(out, "coll %s GATHER %d %d %d\n", names[c], root, bytes,
                is_root ? n * bytes : 0);
        break;
    case 2:
        if (is_immediate) {
            MPI_Iallreduce(from, in, bytes, MPI_BYTE, MPI_BOR, comms[c], &request);
        } else {
            MPI_Allreduce(from, in, bytes, MPI_BYTE, MPI_BOR, comms[c]);
        }
        fprintf(out, "coll %s ALLREDUCE NONE %d %d\n", names[c], bytes, bytes);
        break;
    case 3:
        MPI_Scatter(from, bytes, MPI_BYTE, is_root ? MPI_IN_PLACE : in, bytes, MPI_BYTE,
                    root, comms[c]);
        fprintf(out, "coll %s SCATTER %d %d %d\n", names[c], root, is_root ? n * bytes : 0,
                bytes);
        break;
    default:
        MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, bytes, MPI_BYTE, comms[c]);
        fprintf(out, "coll %s ALLTOALL NONE %d %d\n", names[c], n * bytes, n * bytes);
        break;
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Communicators of each seed, so that handles are given again. */
static void make_comms(void)
{
    int size;

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    comms[0] = MPI_COMM_WORLD;
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
    MPI_Comm_split(comms[1], world_rank % 2, 0, &comms[2]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank, &comms[3]);
    MPI_Comm_split(MPI_COMM_WORLD, world_rank == 0 ? MPI_UNDEFINED : 0, 0, &comms[4]);
    for (int i = 1; i < COMMS; i++) {
        if (comms[i] != MPI_COMM_NULL) {
            MPI_Comm_set_name(comms[i], names[i]);
        }
    }
}

static void free_comms(void)
{
    for (int i = 1; i < COMMS; i++) {
        if (comms[i] != MPI_COMM_NULL) {
            MPI_Comm_free(&comms[i]);
        }
    }
}

int main(int argc, char **argv)
{
    char path[4096];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    snprintf(path, sizeof path, "%s.%d", argc == 5 ? argv[1] : "random.log", world_rank);
    out = fopen(path, "w");
    if (argc != 5 || out == NULL) {
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    for (long seed = atol(argv[2]); seed < atol(argv[2]) + atol(argv[3]); seed++) {
        state = (unsigned long) seed * 7919 + 1;
        make_comms();
        fprintf(out, "seed %ld\n", seed);
        for (int step = atoi(argv[4]); step > 0; step--) {
            if (draw(3) > 0) {
                message();
            } else {
                operation();
            }
        }
        free_comms();
    }
    fclose(out);
    MPI_Finalize();
    return 0;
}
