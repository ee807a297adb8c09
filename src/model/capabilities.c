#include "config.h"

#include "model/model.h"

#include <string.h>

#define ROW(member, name, says) \
    { \
        name, says, offsetof(struct mpl_capabilities, member) \
    }

static const struct mpl_capability table[] = {
    ROW(has_messages, "messages", "point-to-point messages"),
    ROW(has_receive_completions, "receive-completions",
        "the end of every non-blocking receive that was posted"),
    ROW(has_collectives, "collectives", "collectives with operation and communicator"),
    ROW(has_immediate_collectives_complete, "immediate-collective-completions",
        "the end of every non-blocking collective"),
    ROW(has_user_regions, "user-regions", "functions of the program"),
    ROW(has_source_lines, "source-lines", "file and line of functions"),
    ROW(has_init_finalize, "init-finalize", "MPI_Init and MPI_Finalize"),
    ROW(has_threads, "threads", "several threads of a process"),
    ROW(has_clock_offsets, "clock-offsets", "comparisons of the clocks, by the tracer"),
    ROW(has_counters, "counters", "hardware or software counters"),
    ROW(has_wildcards, "wildcards", "whether a receive asked for any source or tag"),
    ROW(has_call_sites, "call-sites", "file and line of MPI calls"),
    ROW(has_cpu_time, "cpu-time", "CPU time of threads, and who took their cores"),
};

const struct mpl_capability *mpl_capability_table(size_t *n)
{
    *n = sizeof table / sizeof *table;
    return table;
}

const struct mpl_capability *mpl_capability_find(const char *name)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (strcmp(table[i].name, name) == 0) {
            return &table[i];
        }
    }
    return NULL;
}

bool mpl_capability_get(const struct mpl_capabilities *can,
                        const struct mpl_capability *capability)
{
    bool has = false;

    memcpy(&has, (const char *) can + capability->offset, sizeof has);
    return has;
}
