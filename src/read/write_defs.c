#include "config.h"

#include "read/write_priv.h"

#include <string.h>

/** The definitions while they are written. Strings come first, in order of first use. */
struct definitions {
    OTF2_GlobalDefWriter *writer;
    const struct mpl_model *model;
    const struct mpl_write_teams *teams;
    struct mpl_arena *scratch;
    struct mpl_names *strings;
    struct mpl_names *hosts;
    uint32_t n_groups;
    bool is_out_of_memory;
};

static OTF2_ErrorCode worst(OTF2_ErrorCode first, OTF2_ErrorCode second)
{
    return first != OTF2_SUCCESS ? first : second;
}

static OTF2_StringRef string_of(struct definitions *d, const char *text)
{
    const uint32_t ref =
        text != NULL ? mpl_names_put(d->strings, text) : OTF2_UNDEFINED_STRING;

    d->is_out_of_memory |= text != NULL && ref == MPL_NONE;
    return ref;
}

/* ---- strings ---------------------------------------------------------------------------- */

static void collect_strings(struct definitions *d)
{
    static const char *const fixed[] = { "", "machine", "node" };
    const struct mpl_model *model = d->model;

    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++) {
        (void) string_of(d, fixed[i]);
    }
    for (uint32_t p = 0; p < model->n_processes; p++) {
        const char *host = model->processes[p].host;

        (void) string_of(d, model->processes[p].name);
        (void) string_of(d, host);
        d->is_out_of_memory |= host != NULL && mpl_names_put(d->hosts, host) == MPL_NONE;
    }
    for (uint32_t l = 0; l < model->n_locations; l++) {
        (void) string_of(d, model->locations[l].name);
    }
    for (uint32_t r = 0; r < model->n_regions; r++) {
        (void) string_of(d, model->regions[r].name);
        (void) string_of(d, model->regions[r].file);
    }
    for (uint32_t c = 0; c < model->n_comms; c++) {
        (void) string_of(d, model->comms[c].name);
    }
}

static OTF2_ErrorCode write_strings(struct definitions *d)
{
    OTF2_ErrorCode code = OTF2_SUCCESS;

    for (uint32_t i = 0; i < mpl_names_count(d->strings); i++) {
        code = worst(code, OTF2_GlobalDefWriter_WriteString(d->writer, i,
                                                            mpl_names_text(d->strings, i)));
    }
    return code;
}

/* ---- time and places ------------------------------------------------------------------------ */

static OTF2_ErrorCode write_clock(struct definitions *d)
{
    uint64_t first = UINT64_MAX;
    uint64_t last = 0;

    for (uint32_t l = 0; l < d->model->n_locations; l++) {
        const struct mpl_location *loc = &d->model->locations[l];

        if (loc->n_events > 0) {
            const uint64_t begin = loc->base_ticks + (uint64_t) mpl_ticks_of(loc, 0);
            const uint64_t end =
                loc->base_ticks + (uint64_t) mpl_ticks_of(loc, loc->n_events - 1);

            first = begin < first ? begin : first;
            last = end > last ? end : last;
        }
    }
    if (first > last) {
        first = last;
    }
    return OTF2_GlobalDefWriter_WriteClockProperties(d->writer, d->model->ticks_per_s,
                                                     first, last - first + 1,
                                                     OTF2_UNDEFINED_TIMESTAMP);
}

static OTF2_ErrorCode write_tree(struct definitions *d)
{
    OTF2_ErrorCode code = OTF2_GlobalDefWriter_WriteSystemTreeNode(
        d->writer, 0, string_of(d, "machine"), string_of(d, "machine"),
        OTF2_UNDEFINED_SYSTEM_TREE_NODE);

    for (uint32_t h = 0; h < mpl_names_count(d->hosts); h++) {
        code = worst(code, OTF2_GlobalDefWriter_WriteSystemTreeNode(
                               d->writer, h + 1, string_of(d, mpl_names_text(d->hosts, h)),
                               string_of(d, "node"), 0));
    }
    for (uint32_t p = 0; p < d->model->n_processes; p++) {
        const struct mpl_process *process = &d->model->processes[p];
        const uint32_t node =
            process->host != NULL ? mpl_names_find(d->hosts, process->host) + 1 : 0;

        code = worst(code, OTF2_GlobalDefWriter_WriteLocationGroup(
                               d->writer, p, string_of(d, process->name),
                               OTF2_LOCATION_GROUP_TYPE_PROCESS, node,
                               OTF2_UNDEFINED_LOCATION_GROUP));
    }
    return code;
}

uint64_t mpl_write_location_ref(const struct mpl_model *model, uint32_t location)
{
    const uint64_t reference = model->locations[location].reference;

    /* A rank that the trace did not define gets a number that no tracer gives. */
    return reference == UINT64_MAX ? (UINT64_C(1) << 62) + location : reference;
}

static OTF2_ErrorCode write_locations(struct definitions *d)
{
    OTF2_ErrorCode code = OTF2_SUCCESS;

    for (uint32_t l = 0; l < d->model->n_locations; l++) {
        const struct mpl_location *loc = &d->model->locations[l];

        code = worst(code, OTF2_GlobalDefWriter_WriteLocation(
                               d->writer, mpl_write_location_ref(d->model, l),
                               string_of(d, loc->name), OTF2_LOCATION_TYPE_CPU_THREAD,
                               mpl_write_count(loc), loc->process));
    }
    return code;
}

/* ---- regions ------------------------------------------------------------------------------------ */

static const struct {
    OTF2_RegionRole role;
    OTF2_Paradigm paradigm;
} region_kinds[] = {
    [MPL_REGION_USER] = { OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER },
    [MPL_REGION_MPI_INIT] = { OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_MPI },
    [MPL_REGION_MPI_FINALIZE] = { OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_MPI },
    [MPL_REGION_MPI_P2P] = { OTF2_REGION_ROLE_POINT2POINT, OTF2_PARADIGM_MPI },
    [MPL_REGION_MPI_COLL] = { OTF2_REGION_ROLE_COLL_OTHER, OTF2_PARADIGM_MPI },
    [MPL_REGION_MPI_OTHER] = { OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_MPI },
    [MPL_REGION_THREAD_SYNC] = { OTF2_REGION_ROLE_BARRIER, OTF2_PARADIGM_OPENMP },
    [MPL_REGION_DEVICE_SYNC] = { OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER },
    [MPL_REGION_TRACER] = { OTF2_REGION_ROLE_ARTIFICIAL, OTF2_PARADIGM_MEASUREMENT_SYSTEM },
};

static OTF2_ErrorCode write_regions(struct definitions *d)
{
    OTF2_ErrorCode code = OTF2_SUCCESS;

    for (uint32_t r = 0; r < d->model->n_regions; r++) {
        const struct mpl_region *region = &d->model->regions[r];
        const OTF2_StringRef name = string_of(d, region->name);

        code = worst(code, OTF2_GlobalDefWriter_WriteRegion(
                               d->writer, r, name, name, string_of(d, ""),
                               region_kinds[region->kind].role,
                               region_kinds[region->kind].paradigm, OTF2_REGION_FLAG_NONE,
                               string_of(d, region->file), region->line, 0));
    }
    return code;
}

/* ---- communicators ----------------------------------------------------------------------------------- */

static OTF2_ErrorCode write_group(struct definitions *d, OTF2_GroupType type, uint32_t n,
                                  const uint64_t *members)
{
    return OTF2_GlobalDefWriter_WriteGroup(d->writer, d->n_groups++, string_of(d, ""), type,
                                           OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, n,
                                           members);
}

static OTF2_ErrorCode write_ranks(struct definitions *d)
{
    const uint32_t n = d->model->n_processes;
    uint64_t *members = MPL_NEW_ARRAY(d->scratch, n, uint64_t);

    if (members == NULL) {
        return OTF2_ERROR_MEM_FAULT;
    }
    for (uint32_t p = 0; p < n; p++) {
        members[p] = mpl_write_location_ref(d->model, d->model->processes[p].locations[0]);
    }
    return write_group(d, OTF2_GROUP_TYPE_COMM_LOCATIONS, n, members);
}

static OTF2_ErrorCode write_members(struct definitions *d, const uint32_t *processes,
                                    uint32_t n)
{
    uint64_t *members = MPL_NEW_ARRAY(d->scratch, n, uint64_t);

    if (members == NULL) {
        return OTF2_ERROR_MEM_FAULT;
    }
    for (uint32_t i = 0; i < n; i++) {
        members[i] = processes[i];
    }
    return write_group(d, OTF2_GROUP_TYPE_COMM_GROUP, n, members);
}

static OTF2_ErrorCode write_comm_groups(struct definitions *d)
{
    OTF2_ErrorCode code = OTF2_SUCCESS;

    for (uint32_t c = 0; c < d->model->n_comms && code == OTF2_SUCCESS; c++) {
        const struct mpl_comm *comm = &d->model->comms[c];

        if (comm->is_self) {
            code = write_group(d, OTF2_GROUP_TYPE_COMM_SELF, 0, NULL);
            continue;
        }
        code = write_members(d, comm->members, comm->n_members);
        if (code == OTF2_SUCCESS && comm->n_remote > 0) {
            code = write_members(d, comm->remote, comm->n_remote);
        }
    }
    return code;
}

static OTF2_ErrorCode write_comms(struct definitions *d)
{
    OTF2_ErrorCode code = OTF2_SUCCESS;
    uint32_t group = 1; /* group 0 lists the ranks */

    for (uint32_t c = 0; c < d->model->n_comms; c++) {
        const struct mpl_comm *comm = &d->model->comms[c];
        const OTF2_StringRef name = string_of(d, comm->name);

        if (comm->n_remote > 0) {
            code = worst(code, OTF2_GlobalDefWriter_WriteInterComm(
                                   d->writer, c, name, group, group + 1,
                                   OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
            group += 2;
        } else {
            code = worst(code, OTF2_GlobalDefWriter_WriteComm(d->writer, c, name, group,
                                                              OTF2_UNDEFINED_COMM,
                                                              OTF2_COMM_FLAG_NONE));
            group++;
        }
    }
    return code;
}

/* ---- the whole ----------------------------------------------------------------------------------------------- */

static OTF2_ErrorCode write_all(struct definitions *d)
{
    collect_strings(d);
    OTF2_ErrorCode code = d->is_out_of_memory ? OTF2_ERROR_MEM_FAULT : write_clock(d);
    code = worst(code, write_strings(d));
    code = worst(code, write_tree(d));
    code = worst(code, write_locations(d));
    code = worst(code, write_regions(d));
    code = worst(code, write_ranks(d));
    code = worst(code, write_comm_groups(d));
    code = worst(code, write_comms(d));
    code = worst(code, mpl_write_teams_define(d->teams, d->writer, d->model, d->n_groups,
                                              string_of(d, ""), d->scratch));
    return code;
}

OTF2_ErrorCode mpl_write_definitions(OTF2_GlobalDefWriter *writer,
                                     const struct mpl_model *model,
                                     const struct mpl_write_teams *teams,
                                     struct mpl_arena *scratch)
{
    struct definitions d = { .writer = writer,
                             .model = model,
                             .teams = teams,
                             .scratch = scratch,
                             .strings = mpl_names_create(),
                             .hosts = mpl_names_create() };
    const OTF2_ErrorCode code =
        d.strings != NULL && d.hosts != NULL ? write_all(&d) : OTF2_ERROR_MEM_FAULT;

    mpl_names_destroy(d.strings);
    mpl_names_destroy(d.hosts);
    return code;
}
