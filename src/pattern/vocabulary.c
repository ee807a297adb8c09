#include "config.h"

#include "pattern/load_priv.h"

#include <ctype.h>
#include <string.h>

#define OP(name) (UINT32_C(1) << MPL_COLL_##name)

/* ---- primitive events ------------------------------------------------------------ */

static const struct mpl_primitive primitives[] = {
    { "compute", "What lies between two calls; there always is one, and it may be empty.",
      false },
    { "call", "Any call of MPI, of thread synchronisation, or a pause of the tracer.",
      true },
    { "p2p", "A point-to-point call: send, receive, wait, test, probe.", true },
    { "send", "A call that posts at least one send.", true },
    { "ssend", "A synchronous send: it ends only after the receive has begun.", true },
    { "recv", "A call in which at least one receive ends: MPI_Recv, MPI_Wait, MPI_Waitall.",
      true },
    { "collective", "A collective operation of any kind.", false },
    { "barrier", "MPI_Barrier.", false },
    { "broadcast", "MPI_Bcast.", false },
    { "scatter", "MPI_Scatter, MPI_Scatterv.", false },
    { "gather", "MPI_Gather, MPI_Gatherv.", false },
    { "reduce", "MPI_Reduce.", false },
    { "allgather", "MPI_Allgather, MPI_Allgatherv.", false },
    { "alltoall", "MPI_Alltoall, MPI_Alltoallv, MPI_Alltoallw.", false },
    { "allreduce", "MPI_Allreduce.", false },
    { "reduce_scatter", "MPI_Reduce_scatter, MPI_Reduce_scatter_block.", false },
    { "scan", "MPI_Scan, MPI_Exscan.", false },
    { "other", "Any other call of MPI, thread synchronisation, a pause of the tracer.",
      false },
    { "region", "A call, or a computation spent mostly in a function; 'region:' names it.",
      true },
};

static const struct mpl_primitive_row rows[] = {
    { MPL_TEST_COMPUTE, 0 },
    { MPL_TEST_CALL, 0 },
    { MPL_TEST_P2P, 0 },
    { MPL_TEST_SEND, 0 },
    { MPL_TEST_SSEND, 0 },
    { MPL_TEST_RECV, 0 },
    { MPL_TEST_COLLECTIVE, MPL_OPS_ALL },
    { MPL_TEST_COLLECTIVE, OP(BARRIER) },
    { MPL_TEST_COLLECTIVE, OP(BCAST) },
    { MPL_TEST_COLLECTIVE, OP(SCATTER) | OP(SCATTERV) },
    { MPL_TEST_COLLECTIVE, OP(GATHER) | OP(GATHERV) },
    { MPL_TEST_COLLECTIVE, OP(REDUCE) },
    { MPL_TEST_COLLECTIVE, OP(ALLGATHER) | OP(ALLGATHERV) },
    { MPL_TEST_COLLECTIVE, OP(ALLTOALL) | OP(ALLTOALLV) | OP(ALLTOALLW) },
    { MPL_TEST_COLLECTIVE, OP(ALLREDUCE) },
    { MPL_TEST_COLLECTIVE, OP(REDUCE_SCATTER) | OP(REDUCE_SCATTER_BLOCK) },
    { MPL_TEST_COLLECTIVE, OP(SCAN) | OP(EXSCAN) },
    { MPL_TEST_OTHER, 0 },
    { MPL_TEST_REGION, 0 },
};

enum { N_PRIMITIVES = sizeof primitives / sizeof *primitives };

_Static_assert(N_PRIMITIVES == sizeof rows / sizeof *rows, "one row per primitive");

const struct mpl_primitive *mpl_primitives(size_t *n)
{
    *n = N_PRIMITIVES;
    return primitives;
}

const struct mpl_primitive_row *mpl_primitive_row(uint32_t primitive)
{
    mpl_assert(primitive < N_PRIMITIVES);
    return &rows[primitive];
}

uint32_t mpl_primitive_find(const char *name)
{
    for (uint32_t i = 0; i < N_PRIMITIVES; i++) {
        if (strcmp(primitives[i].name, name) == 0) {
            return i;
        }
    }
    return MPL_NONE;
}

static bool equal_ignoring_case(const char *a, const char *b)
{
    while (*a != '\0' && tolower((unsigned char) *a) == tolower((unsigned char) *b)) {
        a++;
        b++;
    }
    return *a == *b;
}

uint32_t mpl_op_find(const char *name)
{
    for (int op = 0; op < MPL_COLL_OPS; op++) {
        const char *full = mpl_coll_op_name((enum mpl_coll_op) op);
        const char *bare = strncmp(full, "MPI_", 4) == 0 ? full + 4 : full;

        if (equal_ignoring_case(full, name) || equal_ignoring_case(bare, name)) {
            return UINT32_C(1) << op;
        }
    }
    return 0;
}

/* ---- fields of spans ---------------------------------------------------------------- */

/* In the order of enum mpl_field. */
static const struct mpl_word fields[] = {
    { "enter", { 1, 0 }, "When it begins, since the beginning of the run window." },
    { "leave", { 1, 0 }, "When it ends." },
    { "duration", { 1, 0 }, "From enter to leave." },
    { "wait", { 1, 0 }, "Of that, waiting for a partner." },
    { "transfer", { 1, 0 }, "Of that, not waiting." },
    { "bytes",
      { 0, 1 },
      "Size of its messages that the member asks for; of a collective what it gives or "
      "gets, the larger." },
    { "tag", { 0, 0 }, "Tag of the first of these messages." },
    { "peer", { 0, 0 }, "Rank at the other end of the first of these messages." },
    { "rank", { 0, 0 }, "Rank on which it lies." },
    { "place",
      { 0, 0 },
      "Its place among the spans of its location, which no clock changes." },
    { "late", { 0, 0 }, "1 if it waits, else 0." },
    { "unsure", { 0, 0 }, "1 if the trace does not name the partner, else 0." },
    { "asks", { 0, 0 }, "1 if the first of these messages is a request, else 0." },
};

_Static_assert(MPL_FIELDS == sizeof fields / sizeof *fields, "one row per field");

const struct mpl_word *mpl_span_fields(size_t *n)
{
    *n = MPL_FIELDS;
    return fields;
}

uint32_t mpl_field_find(const char *name)
{
    for (uint32_t i = 0; i < MPL_FIELDS; i++) {
        if (strcmp(fields[i].name, name) == 0) {
            return i;
        }
    }
    return MPL_NONE;
}

/* ---- variables of role formulas ------------------------------------------------------- */

/* In the order of enum mpl_role_variable_kind: the fixed ones, then those per role. */
static const struct mpl_word variables[] = {
    { "rank", { 0, 0 }, "Rank of the process." },
    { "size", { 0, 0 }, "Processes that take part: those that call MPI." },
    { "peers", { 0, 0 }, "Other processes that it exchanges messages with." },
    { "messages", { 0, 0 }, "Messages sent and received." },
    { "sends", { 0, 0 }, "Messages sent." },
    { "receives", { 0, 0 }, "Messages received." },
    { "sent_bytes", { 0, 1 }, "Bytes sent." },
    { "received_bytes", { 0, 1 }, "Bytes received." },
    { "collectives", { 0, 0 }, "Collective operations that it takes part in." },
    { "calls", { 0, 0 }, "MPI calls." },
    { "unseen",
      { 0, 0 },
      "Of these, MPI_Sendrecv and its like whose messages the trace does not record." },
    { "compute", { 1, 0 }, "Time between calls." },
    { "waiting", { 1, 0 }, "Waiting in receives for late senders." },
    { "ready_wait",
      { 1, 0 },
      "Of that, while a message that it receives later had already been sent." },
    { "wrong_orders", { 0, 0 }, "Receives that waited so." },
    { "senders", { 0, 0 }, "Other processes that send to it, strays left out." },
    { "receivers", { 0, 0 }, "Other processes that it sends to, strays left out." },
    { "degree", { 0, 0 }, "Other processes that are senders or receivers." },
    { "mutual_share",
      { 0, 0 },
      "Share of its messages that are answered: twice the lesser direction, over all "
      "peers." },
    { "level",
      { 0, 0 },
      "Hops from the process that started it, by the first message that each received." },
    { "children", { 0, 0 }, "Processes that it started: it sent their first message." },
    { "height", { 0, 0 }, "Levels below it." },
    { "stage",
      { 0, 0 },
      "Longest path of messages from a process without senders, requests left out; "
      "undefined on circles." },
    { "asks", { 0, 0 }, "Requests among the messages that it sends: they ask for others." },
    { "asked", { 0, 0 }, "Requests among the messages that it receives." },
    { "eccentricity",
      { 0, 0 },
      "Hops to the farthest process; undefined if not all are connected." },
    { "edges", { 0, 0 }, "Pairs of processes that exchange messages, strays left out." },
    { "components", { 0, 0 }, "Parts of the graph of these pairs that are not connected." },
    { "sent_to.<role>", { 0, 0 }, "Messages sent to locations of the role." },
    { "received_from.<role>", { 0, 0 }, "Messages received from locations of the role." },
    { "traffic_with.<role>", { 0, 0 }, "The two together." },
    { "share_with.<role>", { 0, 0 }, "Their share of the location's messages." },
    { "is.<role>", { 0, 0 }, "1 for locations of the role, else 0." },
};

_Static_assert(MPL_VAR_FIXED + MPL_VAR_PER_ROLE == sizeof variables / sizeof *variables,
               "one row per variable");

const struct mpl_word *mpl_role_variables(size_t *n)
{
    *n = sizeof variables / sizeof *variables;
    return variables;
}

const char *mpl_role_variable_name(const struct mpl_pattern *pattern, uint32_t variable,
                                   struct mpl_arena *arena)
{
    if (variable < MPL_VAR_FIXED) {
        return variables[variable].name;
    }

    const uint32_t role = (variable - MPL_VAR_FIXED) / MPL_VAR_PER_ROLE;
    const char *name =
        variables[MPL_VAR_FIXED + (variable - MPL_VAR_FIXED) % MPL_VAR_PER_ROLE].name;

    /* "sent_to.<role>" stands for "sent_to.master" and so on. */
    return mpl_arena_printf(arena, "%.*s.%s", (int) strcspn(name, "."), name,
                            pattern->roles[role].name);
}
