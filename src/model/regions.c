/*
 * What a region is, known by its name. EZTrace calls every region a user function and Fortran
 * programs bring lower-case names with underscores, so the name is the only witness that all
 * tracers share.
 */
#include "config.h"

#include "model/model.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_ROOM = 64 };

struct call {
    const char *name; /* lower case, without "mpi_" */
    enum mpl_region_kind kind;
    enum mpl_call_mode mode;
};

#define P2P(name, mode) \
    { \
        name, MPL_REGION_MPI_P2P, MPL_CALL_##mode \
    }
#define COLL(name, mode) \
    { \
        name, MPL_REGION_MPI_COLL, MPL_CALL_##mode \
    }

/* Ascending by name, for bsearch(). What is not here and still MPI is MPL_REGION_MPI_OTHER. */
static const struct call calls[] = {
    COLL("allgather", PLAIN),
    COLL("allgatherv", PLAIN),
    COLL("allreduce", PLAIN),
    COLL("alltoall", PLAIN),
    COLL("alltoallv", PLAIN),
    COLL("alltoallw", PLAIN),
    COLL("barrier", PLAIN),
    COLL("bcast", PLAIN),
    P2P("bsend", BUFFERED_SEND),
    COLL("cart_create", PLAIN),
    COLL("cart_sub", PLAIN),
    COLL("comm_accept", PLAIN),
    COLL("comm_connect", PLAIN),
    COLL("comm_create", PLAIN),
    COLL("comm_create_group", PLAIN),
    COLL("comm_disconnect", PLAIN),
    COLL("comm_dup", PLAIN),
    COLL("comm_dup_with_info", PLAIN),
    COLL("comm_free", PLAIN),
    COLL("comm_idup", IMMEDIATE),
    COLL("comm_spawn", PLAIN),
    COLL("comm_spawn_multiple", PLAIN),
    COLL("comm_split", PLAIN),
    COLL("comm_split_type", PLAIN),
    COLL("dist_graph_create", PLAIN),
    COLL("dist_graph_create_adjacent", PLAIN),
    COLL("exscan", PLAIN),
    { "finalize", MPL_REGION_MPI_FINALIZE, MPL_CALL_PLAIN },
    COLL("gather", PLAIN),
    COLL("gatherv", PLAIN),
    COLL("graph_create", PLAIN),
    COLL("iallgather", IMMEDIATE),
    COLL("iallgatherv", IMMEDIATE),
    COLL("iallreduce", IMMEDIATE),
    COLL("ialltoall", IMMEDIATE),
    COLL("ialltoallv", IMMEDIATE),
    COLL("ialltoallw", IMMEDIATE),
    COLL("ibarrier", IMMEDIATE),
    COLL("ibcast", IMMEDIATE),
    P2P("ibsend", IMMEDIATE),
    COLL("iexscan", IMMEDIATE),
    COLL("igather", IMMEDIATE),
    COLL("igatherv", IMMEDIATE),
    P2P("improbe", TEST),
    P2P("imrecv", IMMEDIATE),
    COLL("ineighbor_allgather", IMMEDIATE),
    COLL("ineighbor_allgatherv", IMMEDIATE),
    COLL("ineighbor_alltoall", IMMEDIATE),
    COLL("ineighbor_alltoallv", IMMEDIATE),
    COLL("ineighbor_alltoallw", IMMEDIATE),
    { "init", MPL_REGION_MPI_INIT, MPL_CALL_PLAIN },
    { "init_thread", MPL_REGION_MPI_INIT, MPL_CALL_PLAIN },
    COLL("intercomm_create", PLAIN),
    COLL("intercomm_merge", PLAIN),
    P2P("iprobe", TEST),
    P2P("irecv", IMMEDIATE),
    COLL("ireduce", IMMEDIATE),
    COLL("ireduce_scatter", IMMEDIATE),
    COLL("ireduce_scatter_block", IMMEDIATE),
    P2P("irsend", IMMEDIATE),
    COLL("iscan", IMMEDIATE),
    COLL("iscatter", IMMEDIATE),
    COLL("iscatterv", IMMEDIATE),
    P2P("isend", IMMEDIATE),
    P2P("isendrecv", IMMEDIATE),
    P2P("isendrecv_replace", IMMEDIATE),
    P2P("issend", IMMEDIATE),
    P2P("mprobe", PLAIN),
    P2P("mrecv", PLAIN),
    COLL("neighbor_allgather", PLAIN),
    COLL("neighbor_allgatherv", PLAIN),
    COLL("neighbor_alltoall", PLAIN),
    COLL("neighbor_alltoallv", PLAIN),
    COLL("neighbor_alltoallw", PLAIN),
    P2P("parrived", TEST),
    P2P("pready", IMMEDIATE),
    P2P("probe", PLAIN),
    P2P("recv", PLAIN),
    COLL("reduce", PLAIN),
    COLL("reduce_scatter", PLAIN),
    COLL("reduce_scatter_block", PLAIN),
    P2P("request_get_status", TEST),
    P2P("rsend", PLAIN),
    COLL("scan", PLAIN),
    COLL("scatter", PLAIN),
    COLL("scatterv", PLAIN),
    P2P("send", PLAIN),
    P2P("sendrecv", PLAIN),
    P2P("sendrecv_replace", PLAIN),
    P2P("ssend", SYNC_SEND),
    P2P("start", IMMEDIATE),
    P2P("startall", IMMEDIATE),
    P2P("test", TEST),
    P2P("testall", TEST),
    P2P("testany", TEST),
    P2P("testsome", TEST),
    P2P("wait", PLAIN),
    P2P("waitall", PLAIN),
    P2P("waitany", PLAIN),
    P2P("waitsome", PLAIN),
    COLL("win_allocate", PLAIN),
    COLL("win_allocate_shared", PLAIN),
    COLL("win_create", PLAIN),
    COLL("win_create_dynamic", PLAIN),
    COLL("win_fence", PLAIN),
    COLL("win_free", PLAIN),
};

/* First words of the other calls. "mpi_setup_grid_" is a function of the program, whereas
 * "mpi_comm_rank_" is MPI: lower-case names need one of these to count as MPI. */
static const char *const families[] = {
    "abort",        "accumulate",
    "add_error",    "address",
    "alloc_mem",    "attr_",
    "bsend_init",   "buffer_",
    "cancel",       "cart_",
    "cartdim",      "close_port",
    "comm_",        "dims_",
    "errhandler_",  "error_",
    "fetch_and_op", "compare_and_swap",
    "file_",        "finalized",
    "free_mem",     "get",
    "graph_",       "graphdims_",
    "grequest_",    "group_",
    "info_",        "initialized",
    "intercomm_",   "is_thread_main",
    "keyval_",      "lookup_name",
    "op_",          "open_port",
    "pack",         "pcontrol",
    "precv_init",   "psend_init",
    "publish_name", "put",
    "query_thread", "raccumulate",
    "recv_init",    "register_datarep",
    "request_",     "rget",
    "rput",         "rsend_init",
    "send_init",    "session_",
    "ssend_init",   "status_",
    "topo_test",    "type_",
    "unpack",       "unpublish_name",
    "win_",         "wtick",
    "wtime",
};

static int compare_calls(const void *name, const void *call)
{
    return strcmp((const char *) name, ((const struct call *) call)->name);
}

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static void cut_end(char *text, const char *end)
{
    const size_t n = strlen(text);
    const size_t m = strlen(end);

    if (n > m && strcmp(text + n - m, end) == 0) {
        text[n - m] = '\0';
    }
}

/* "PMPI_Recv", "mpi_recv_", "MPI_Recv_c", "mpi_recv_f08_": all "recv". */
static bool strip_mpi(const char *name, char bare[NAME_ROOM])
{
    const char *at = name;
    size_t n = 0;

    if ((at[0] == 'P' || at[0] == 'p') && strncasecmp(at + 1, "mpi_", 4) == 0) {
        at++;
    }
    if (strncasecmp(at, "mpi_", 4) != 0) {
        return false;
    }
    for (at += 4; *at != '\0' && n + 1 < NAME_ROOM; at++) {
        bare[n++] = (char) tolower((unsigned char) *at);
    }
    while (n > 0 && bare[n - 1] == '_') {
        n--;
    }
    bare[n] = '\0';
    cut_end(bare, "_f08ts");
    cut_end(bare, "_f08");
    cut_end(bare, "_c");
    return n > 0;
}

static bool is_known_family(const char *bare)
{
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        if (starts_with(bare, families[i])) {
            return true;
        }
    }
    return false;
}

/* Regions of the thread libraries that wait for other threads, as the tracers name them. */
static bool is_thread_sync(const char *name)
{
    static const char *const waits[] = { "barrier",  "critical", "mutex", "lock",
                                         "taskwait", "ordered",  "join",  "taskgroup" };

    if (starts_with(name, "pthread_")) {
        return true;
    }
    if (!starts_with(name, "omp_") && !starts_with(name, "!$omp ") &&
        !starts_with(name, "OpenMP ") && !starts_with(name, "GOMP_")) {
        return false;
    }
    for (size_t i = 0; i < sizeof waits / sizeof waits[0]; i++) {
        /* "!$omp critical sblock" is the code that the lock protects, not the wait for it. */
        if (strstr(name, waits[i]) != NULL && strstr(name, "sblock") == NULL) {
            return true;
        }
    }
    return false;
}

enum mpl_region_kind mpl_region_kind_of_name(const char *name, enum mpl_call_mode *mode)
{
    char bare[NAME_ROOM];

    *mode = MPL_CALL_PLAIN;
    if (!strip_mpi(name, bare)) {
        return is_thread_sync(name) ? MPL_REGION_THREAD_SYNC : MPL_REGION_USER;
    }
    const struct call *call = bsearch(bare, calls, sizeof calls / sizeof calls[0],
                                      sizeof calls[0], compare_calls);
    if (call != NULL) {
        *mode = call->mode;
        return call->kind;
    }
    /* "MPI_" is reserved for MPI; "mpi_" is not. */
    if (starts_with(name, "MPI_") || starts_with(name, "PMPI_") || is_known_family(bare)) {
        return MPL_REGION_MPI_OTHER;
    }
    return MPL_REGION_USER;
}

enum mpl_status mpl_model_classify(struct mpl_model *model, struct mpl_arena *arena,
                                   const struct mpl_region_class *classes, size_t n,
                                   struct mpl_err *err)
{
    struct mpl_region *regions = MPL_NEW_ARRAY(arena, model->n_regions, struct mpl_region);

    if (regions == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t r = 0; r < model->n_regions; r++) {
        regions[r] = model->regions[r];
        for (size_t i = 0; i < n && regions[r].kind == MPL_REGION_USER; i++) {
            if (fnmatch(classes[i].name, regions[r].name, 0) == 0) {
                regions[r].kind = classes[i].kind;
            }
        }
    }
    model->regions = regions;
    return MPL_OK;
}
