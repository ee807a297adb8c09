#include "config.h"

#include "read/text_priv.h"

#include <string.h>

#define PLAIN(word, call, shape) \
    { \
        word, MPL_TEXT_##shape, call, MPL_COLL_OTHER \
    }
#define COLL(word, call, op) \
    { \
        word, MPL_TEXT_COLL, call, MPL_COLL_##op \
    }
#define ICOLL(word, call, op) \
    { \
        word, MPL_TEXT_ICOLL, call, MPL_COLL_##op \
    }

static const struct mpl_text_verb verbs[] = {
    PLAIN("compute", NULL, COMPUTE),
    PLAIN("region", NULL, REGION),
    PLAIN("init", "MPI_Init", PLAIN),
    PLAIN("finalize", "MPI_Finalize", PLAIN),
    PLAIN("send", "MPI_Send", SEND),
    PLAIN("ssend", "MPI_Ssend", SEND),
    PLAIN("bsend", "MPI_Bsend", SEND),
    PLAIN("rsend", "MPI_Rsend", SEND),
    PLAIN("recv", "MPI_Recv", RECV),
    PLAIN("sendrecv", "MPI_Sendrecv", SENDRECV),
    PLAIN("isend", "MPI_Isend", ISEND),
    PLAIN("issend", "MPI_Issend", ISEND),
    PLAIN("ibsend", "MPI_Ibsend", ISEND),
    PLAIN("irecv", "MPI_Irecv", IRECV),
    PLAIN("wait", "MPI_Wait", WAIT),
    PLAIN("waitall", "MPI_Waitall", WAIT),
    PLAIN("waitany", "MPI_Waitany", WAIT),
    PLAIN("waitsome", "MPI_Waitsome", WAIT),
    PLAIN("test", "MPI_Test", WAIT),
    COLL("barrier", "MPI_Barrier", BARRIER),
    COLL("bcast", "MPI_Bcast", BCAST),
    COLL("gather", "MPI_Gather", GATHER),
    COLL("gatherv", "MPI_Gatherv", GATHERV),
    COLL("scatter", "MPI_Scatter", SCATTER),
    COLL("scatterv", "MPI_Scatterv", SCATTERV),
    COLL("allgather", "MPI_Allgather", ALLGATHER),
    COLL("allgatherv", "MPI_Allgatherv", ALLGATHERV),
    COLL("alltoall", "MPI_Alltoall", ALLTOALL),
    COLL("alltoallv", "MPI_Alltoallv", ALLTOALLV),
    COLL("alltoallw", "MPI_Alltoallw", ALLTOALLW),
    COLL("allreduce", "MPI_Allreduce", ALLREDUCE),
    COLL("reduce", "MPI_Reduce", REDUCE),
    COLL("reduce_scatter", "MPI_Reduce_scatter", REDUCE_SCATTER),
    COLL("reduce_scatter_block", "MPI_Reduce_scatter_block", REDUCE_SCATTER_BLOCK),
    COLL("scan", "MPI_Scan", SCAN),
    COLL("exscan", "MPI_Exscan", EXSCAN),
    COLL("comm_create", "MPI_Comm_create", CREATE),
    COLL("comm_dup", "MPI_Comm_dup", CREATE),
    COLL("comm_split", "MPI_Comm_split", CREATE),
    COLL("comm_free", "MPI_Comm_free", DESTROY),
    ICOLL("ibarrier", "MPI_Ibarrier", BARRIER),
    ICOLL("ibcast", "MPI_Ibcast", BCAST),
    ICOLL("iallgather", "MPI_Iallgather", ALLGATHER),
    ICOLL("iallreduce", "MPI_Iallreduce", ALLREDUCE),
    ICOLL("ialltoall", "MPI_Ialltoall", ALLTOALL),
    ICOLL("ireduce", "MPI_Ireduce", REDUCE),
};

const struct mpl_text_verb *mpl_text_verb_find(const char *word, size_t n)
{
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
        if (strlen(verbs[i].word) == n && memcmp(verbs[i].word, word, n) == 0) {
            return &verbs[i];
        }
    }
    return NULL;
}

size_t mpl_text_verb_words(const char **words, size_t room)
{
    const size_t n = sizeof verbs / sizeof verbs[0];

    for (size_t i = 0; i < n && i < room; i++) {
        words[i] = verbs[i].word;
    }
    return n < room ? n : room;
}
