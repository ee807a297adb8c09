#include "config.h"

#include "spool/spool_priv.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    enum mpl_call_class class;
} calls[] = {
#define OWN(name, class)                                       { "MPI_" #name, MPL_CALL_##class },
#define CALL(since, name, class, params, args, before, after)  OWN(name, class)
#define SIZED(since, name, class, params, args, before, after) OWN(name, class)
#include "trace/calls.def"
#undef OWN
#undef CALL
#undef SIZED
    [MPL_CALL_IS_OMP_PARALLEL] = { "!$omp parallel", MPL_CALL_PARALLEL },
    [MPL_CALL_IS_OMP_BARRIER] = { "!$omp barrier", MPL_CALL_BARRIER },
    [MPL_CALL_IS_OMP_IMPLICIT_BARRIER] = { "!$omp implicit barrier",
                                           MPL_CALL_IMPLICIT_BARRIER },
};

static const struct {
    const char *name;
    const char *says;
    OTF2_Type type;
} attributes[N_ATTRIBUTES] = {
    [ATTRIBUTE_ANY_SOURCE] = { "MARPLE::ANY_SOURCE", "the receive asked for any source",
                               OTF2_TYPE_UINT8 },
    [ATTRIBUTE_ANY_TAG] = { "MARPLE::ANY_TAG", "the receive asked for any tag",
                            OTF2_TYPE_UINT8 },
    [ATTRIBUTE_ASKED_SOURCE] = { "MARPLE::ASKED_SOURCE",
                                 "rank from which a message was awaited in vain, -1: any",
                                 OTF2_TYPE_INT32 },
    [ATTRIBUTE_ASKED_TAG] = { "MARPLE::ASKED_TAG",
                              "tag of a message that was awaited in vain, -1: any",
                              OTF2_TYPE_INT32 },
    [ATTRIBUTE_ASKED_COMM] = { "MARPLE::ASKED_COMM",
                               "communicator of a message that was awaited in vain",
                               OTF2_TYPE_COMM },
    [ATTRIBUTE_CALL_SITE] = { "MARPLE::CALL_SITE",
                              "where the program, not a layer of MPI, makes the call",
                              OTF2_TYPE_CALLING_CONTEXT },
};

static const struct {
    const char *name;
    const char *says;
    const char *unit;
    OTF2_MetricMode mode;
} metrics[N_METRICS] = {
    [METRIC_CPU_TIME] = { "MARPLE::CPU_TIME", "CPU time of the thread", "ns",
                          OTF2_METRIC_ACCUMULATED_START },
    [METRIC_VOLUNTARY] = { "MARPLE::VOLUNTARY_SWITCHES",
                           "how often the thread gave up its core, as it waited", "#",
                           OTF2_METRIC_ACCUMULATED_START },
    [METRIC_INVOLUNTARY] = { "MARPLE::INVOLUNTARY_SWITCHES",
                             "how often the core was taken from the thread", "#",
                             OTF2_METRIC_ACCUMULATED_START },
    [METRIC_CORE] = { "MARPLE::CORE", "the core at that moment", "#",
                      OTF2_METRIC_ABSOLUTE_POINT },
};

/** The definitions while they are written: each string right before it is used first. */
struct definitions {
    struct archive *archive;
    OTF2_GlobalDefWriter *writer;
    struct mpl_names *strings;
    struct mpl_names *hosts;
    OTF2_ErrorCode
        code; /* The first that was none of success; then nothing more is written. */
    uint32_t n_groups;
};

static bool is_good(const struct definitions *d)
{
    return d->code == OTF2_SUCCESS;
}

static OTF2_StringRef string_of(struct definitions *d, const char *text)
{
    const size_t before = mpl_names_count(d->strings);
    const uint32_t ref = mpl_names_put(d->strings, text);

    if (ref == MPL_NONE) {
        d->code = OTF2_ERROR_MEM_ALLOC_FAILED;
    } else if (ref == before && is_good(d)) {
        d->code = OTF2_GlobalDefWriter_WriteString(d->writer, ref, text);
    }
    return ref;
}

static OTF2_StringRef string_of_number(struct definitions *d, const char *text,
                                       uint32_t number)
{
    char both[64];

    (void) snprintf(both, sizeof both, "%s %" PRIu32, text, number);
    return string_of(d, both);
}

/* ---- where -------------------------------------------------------------------------------- */

/* 0 is the whole machine: processes that left no spool are on no host that is known. */
static uint32_t node_of(const struct definitions *d, const struct spool *spool)
{
    return spool != NULL ? mpl_names_find(d->hosts, spool->head->host) + 1 : 0;
}

static void define_hosts(struct definitions *d)
{
    const struct spools *spools = d->archive->spools;
    const OTF2_StringRef machine = string_of(d, "machine");
    const OTF2_StringRef node = string_of(d, "node");

    if (is_good(d)) {
        d->code = OTF2_GlobalDefWriter_WriteSystemTreeNode(d->writer, 0, machine, machine,
                                                           OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    }
    for (uint32_t i = 0; i < spools->n && is_good(d); i++) {
        const size_t before = mpl_names_count(d->hosts);
        const uint32_t host = mpl_names_put(d->hosts, spools->all[i].head->host);
        const OTF2_StringRef name = string_of(d, spools->all[i].head->host);

        if (host == before && is_good(d)) {
            d->code = OTF2_GlobalDefWriter_WriteSystemTreeNode(d->writer, host + 1, name,
                                                               node, 0);
        }
    }
}

static void define_threads(struct definitions *d, uint32_t rank)
{
    const struct spool *spool = mpl_spools_find(d->archive->spools, rank);
    const uint32_t n = spool != NULL ? spool->n_threads : 1;

    for (uint32_t t = 0; t < n && is_good(d); t++) {
        const OTF2_StringRef name =
            t == 0 ? string_of(d, "Master thread") : string_of_number(d, "Thread", t);
        const uint64_t n_events =
            spool != NULL ? d->archive->n_events[spool - d->archive->spools->all][t] : 0;

        if (is_good(d)) {
            d->code = OTF2_GlobalDefWriter_WriteLocation(
                d->writer, mpl_location_of(rank, t), name, OTF2_LOCATION_TYPE_CPU_THREAD,
                n_events, rank);
        }
    }
}

static void define_processes(struct definitions *d)
{
    for (uint32_t rank = 0; rank < d->archive->spools->n_processes && is_good(d); rank++) {
        const OTF2_StringRef name = string_of_number(d, "MPI Rank", rank);

        if (is_good(d)) {
            d->code = OTF2_GlobalDefWriter_WriteLocationGroup(
                d->writer, rank, name, OTF2_LOCATION_GROUP_TYPE_PROCESS,
                node_of(d, mpl_spools_find(d->archive->spools, rank)),
                OTF2_UNDEFINED_LOCATION_GROUP);
        }
        define_threads(d, rank);
    }
}

/* What all processes of a run have in common is written as a property of the archive. */
static OTF2_Type type_of_property(const char *key)
{
    static const struct {
        const char *key;
        OTF2_Type type;
    } types[] = {
        { "MARPLE::COMMAND", OTF2_TYPE_NONE },
        { "MARPLE::MPI_LIBRARY", OTF2_TYPE_NONE },
        { "MARPLE::MPI_SETTINGS", OTF2_TYPE_NONE },
        { "MARPLE::N_CORES", OTF2_TYPE_UINT32 },
        { "MARPLE::MACHINE_CORES", OTF2_TYPE_UINT32 },
        { "MARPLE::LOAD", OTF2_TYPE_DOUBLE },
    };

    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strcmp(types[i].key, key) == 0) {
            return types[i].type;
        }
    }
    return OTF2_TYPE_STRING;
}

static void define_property(struct definitions *d, const struct spool *spool,
                            const struct property *p)
{
    const OTF2_Type type = type_of_property(p->key);
    OTF2_AttributeValue value = { 0 };

    if (type == OTF2_TYPE_NONE) {
        return;
    }
    const OTF2_StringRef name = string_of(d, p->key);
    if (type == OTF2_TYPE_UINT32) {
        value.uint32 = (uint32_t) strtoul(p->value, NULL, 10);
    } else if (type == OTF2_TYPE_DOUBLE) {
        value.float64 = (double) strtoul(p->value, NULL, 10) / 100; /* of hundredths */
    } else {
        value.stringRef = string_of(d, p->value);
    }
    if (is_good(d)) {
        d->code = OTF2_GlobalDefWriter_WriteLocationGroupProperty(
            d->writer, spool->head->rank, name, type, value);
    }
}

/* ---- what ----------------------------------------------------------------------------------- */

static const OTF2_RegionRole roles[] = {
    [MPL_CALL_SETUP] = OTF2_REGION_ROLE_FUNCTION,
    [MPL_CALL_P2P] = OTF2_REGION_ROLE_POINT2POINT,
    [MPL_CALL_COLL] = OTF2_REGION_ROLE_COLL_OTHER,
    [MPL_CALL_COMM] = OTF2_REGION_ROLE_FUNCTION,
    [MPL_CALL_RMA] = OTF2_REGION_ROLE_RMA,
    [MPL_CALL_IO] = OTF2_REGION_ROLE_FILE_IO,
    [MPL_CALL_OTHER] = OTF2_REGION_ROLE_FUNCTION,
    [MPL_CALL_PARALLEL] = OTF2_REGION_ROLE_PARALLEL,
    [MPL_CALL_BARRIER] = OTF2_REGION_ROLE_BARRIER,
    [MPL_CALL_IMPLICIT_BARRIER] = OTF2_REGION_ROLE_IMPLICIT_BARRIER,
};

static void define_regions(struct definitions *d)
{
    const OTF2_StringRef none = string_of(d, "");

    for (uint32_t i = 0; i < MPL_CALLS && is_good(d); i++) {
        const uint32_t region = d->archive->survey.regions[i];
        const OTF2_StringRef name = region != MPL_NONE ? string_of(d, calls[i].name) : none;

        if (region != MPL_NONE && is_good(d)) {
            d->code = OTF2_GlobalDefWriter_WriteRegion(
                d->writer, region, name, name, none, roles[calls[i].class],
                calls[i].class < MPL_CALL_PARALLEL ? OTF2_PARADIGM_MPI
                                                   : OTF2_PARADIGM_OPENMP,
                OTF2_REGION_FLAG_NONE, none, 0, 0);
        }
    }
}

/* References of functions follow those of calls. */
static void define_functions(struct definitions *d)
{
    const struct mpl_buf *functions = &d->archive->sites.functions;
    const OTF2_StringRef none = string_of(d, "");

    for (uint32_t i = 0; i < functions->n && is_good(d); i++) {
        const struct site_function *f = mpl_buf_get(functions, i);
        const OTF2_StringRef name = string_of(d, f->name);
        const OTF2_StringRef linkage = f->linkage != NULL ? string_of(d, f->linkage) : name;
        const OTF2_StringRef file = f->file != NULL ? string_of(d, f->file) : none;

        if (is_good(d)) {
            d->code = OTF2_GlobalDefWriter_WriteRegion(
                d->writer, d->archive->survey.n_regions + i, name, linkage, none,
                OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE, file,
                f->first_line, 0);
        }
    }
}

static void define_sites(struct definitions *d)
{
    const struct sites *sites = &d->archive->sites;

    define_functions(d);
    for (uint32_t i = 0; i < sites->lines.n && is_good(d); i++) {
        const struct site_line *l = mpl_buf_get(&sites->lines, i);
        const OTF2_StringRef file = string_of(d, l->file);

        if (is_good(d)) {
            d->code =
                OTF2_GlobalDefWriter_WriteSourceCodeLocation(d->writer, i, file, l->line);
        }
    }
    for (uint32_t i = 0; i < sites->contexts.n && is_good(d); i++) {
        const struct site_context *c = mpl_buf_get(&sites->contexts, i);

        /* MPL_NONE is what OTF2 calls undefined. */
        d->code = OTF2_GlobalDefWriter_WriteCallingContext(
            d->writer, i, d->archive->survey.n_regions + c->function, c->line, c->parent);
    }
}

static void define_metrics(struct definitions *d)
{
    static const OTF2_MetricMemberRef members[N_METRICS] = { 0, 1, 2, 3 };

    if (!d->archive->survey.has_samples) {
        return;
    }
    for (uint32_t i = 0; i < N_METRICS && is_good(d); i++) {
        const OTF2_StringRef name = string_of(d, metrics[i].name);
        const OTF2_StringRef says = string_of(d, metrics[i].says);
        const OTF2_StringRef unit = string_of(d, metrics[i].unit);

        if (is_good(d)) {
            d->code = OTF2_GlobalDefWriter_WriteMetricMember(
                d->writer, i, name, says, OTF2_METRIC_TYPE_RUSAGE, metrics[i].mode,
                OTF2_TYPE_UINT64, OTF2_BASE_DECIMAL, 0, unit);
        }
    }
    if (is_good(d)) {
        d->code = OTF2_GlobalDefWriter_WriteMetricClass(d->writer, 0, N_METRICS, members,
                                                        OTF2_METRIC_SYNCHRONOUS,
                                                        OTF2_RECORDER_KIND_CPU);
    }
}

static void define_attributes(struct definitions *d)
{
    for (uint32_t i = 0; i < N_ATTRIBUTES && is_good(d); i++) {
        const OTF2_StringRef name = string_of(d, attributes[i].name);
        const OTF2_StringRef says = string_of(d, attributes[i].says);

        if (is_good(d)) {
            d->code = OTF2_GlobalDefWriter_WriteAttribute(d->writer, i, name, says,
                                                          attributes[i].type);
        }
    }
}

/* ---- communicators ----------------------------------------------------------------------------- */

/* A group of what \p members lists: ranks of MPI_COMM_WORLD or, NULL, the locations that stand for all of them. */
static OTF2_GroupRef define_group(struct definitions *d, OTF2_GroupType type,
                                  const uint32_t *members, uint32_t n)
{
    uint64_t *list = MPL_NEW_ARRAY(d->archive->arena, n, uint64_t);
    const OTF2_StringRef none = string_of(d, "");

    if (list == NULL) {
        d->code = OTF2_ERROR_MEM_ALLOC_FAILED;
    }
    for (uint32_t i = 0; i < n && is_good(d); i++) {
        list[i] = members != NULL ? members[i] : mpl_location_of(i, 0);
    }
    if (is_good(d)) {
        d->code = OTF2_GlobalDefWriter_WriteGroup(d->writer, d->n_groups, none, type,
                                                  OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                                  n, list);
    }
    return d->n_groups++;
}

static OTF2_StringRef name_of(struct definitions *d, const struct comm *comm)
{
    return comm->name != NULL             ? string_of(d, comm->name)
           : comm->made == MPL_MADE_WORLD ? string_of(d, "MPI_COMM_WORLD")
           : comm->made == MPL_MADE_SELF
               ? string_of(d, "MPI_COMM_SELF")
               : string_of_number(d, "communicator", comm->reference);
}

static OTF2_CommRef parent_of(const struct definitions *d, const struct comm *comm)
{
    return comm->parent == MPL_NONE
               ? OTF2_UNDEFINED_COMM
               : ((const struct comm *) mpl_buf_get(&d->archive->comms.all, comm->parent))
                     ->reference;
}

static void define_pair(struct definitions *d, const struct comm *comm)
{
    const struct comm *other = mpl_buf_get(&d->archive->comms.all, comm->other);
    const OTF2_StringRef name = name_of(d, comm);
    const OTF2_GroupRef a =
        define_group(d, OTF2_GROUP_TYPE_COMM_GROUP, comm->members, comm->n_members);
    const OTF2_GroupRef b =
        define_group(d, OTF2_GROUP_TYPE_COMM_GROUP, other->members, other->n_members);

    if (is_good(d)) {
        d->code =
            OTF2_GlobalDefWriter_WriteInterComm(d->writer, comm->reference, name, a, b,
                                                OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
    }
}

static void define_comm(struct definitions *d, const struct comm *comm)
{
    const OTF2_StringRef name = name_of(d, comm);
    const OTF2_GroupRef group =
        define_group(d,
                     comm->made == MPL_MADE_SELF ? OTF2_GROUP_TYPE_COMM_SELF
                                                 : OTF2_GROUP_TYPE_COMM_GROUP,
                     comm->members, comm->n_members);

    if (is_good(d)) {
        d->code = OTF2_GlobalDefWriter_WriteComm(d->writer, comm->reference, name, group,
                                                 parent_of(d, comm), OTF2_COMM_FLAG_NONE);
    }
}

static void define_comms(struct definitions *d)
{
    (void) define_group(d, OTF2_GROUP_TYPE_COMM_LOCATIONS, NULL,
                        d->archive->spools->n_processes);
    for (uint32_t i = 0; i < d->archive->comms.all.n && is_good(d); i++) {
        const struct comm *comm = mpl_buf_get(&d->archive->comms.all, i);

        if (comm->other == MPL_NONE) {
            define_comm(d, comm);
        } else if (comm->other > i) {
            define_pair(d, comm);
        }
    }
}

/* ---- teams of threads ---------------------------------------------------------------------------- */

static uint64_t *threads_of_all(struct definitions *d, uint32_t *n)
{
    const struct spools *spools = d->archive->spools;

    *n = 0;
    for (uint32_t i = 0; i < spools->n; i++) {
        *n += spools->all[i].n_threads;
    }
    uint64_t *all = MPL_NEW_ARRAY(d->archive->arena, *n, uint64_t);
    *n = 0;
    for (uint32_t i = 0; i < spools->n && all != NULL; i++) {
        for (uint32_t t = 0; t < spools->all[i].n_threads; t++) {
            all[(*n)++] = mpl_location_of(spools->all[i].head->rank, t);
        }
    }
    return all;
}

static void define_thread_group(struct definitions *d, OTF2_GroupType type,
                                const uint64_t *list, uint32_t n)
{
    const OTF2_StringRef none = string_of(d, "");

    if (is_good(d)) {
        d->code = OTF2_GlobalDefWriter_WriteGroup(d->writer, d->n_groups++, none, type,
                                                  OTF2_PARADIGM_OPENMP,
                                                  OTF2_GROUP_FLAG_NONE, n, list);
    }
}

/* One team per process, of all its threads: which of them take part in a region its records tell. */
static void define_teams(struct definitions *d)
{
    const struct spools *spools = d->archive->spools;
    uint32_t n = 0;
    uint64_t *list = d->archive->survey.has_teams ? threads_of_all(d, &n) : NULL;
    uint32_t first = 0;

    if (!d->archive->survey.has_teams) {
        return;
    }
    if (list == NULL) {
        d->code = OTF2_ERROR_MEM_ALLOC_FAILED;
    }
    define_thread_group(d, OTF2_GROUP_TYPE_COMM_LOCATIONS, list, n);
    for (uint32_t i = 0; i < spools->n && is_good(d); first += spools->all[i++].n_threads) {
        const OTF2_StringRef name = string_of(d, "OpenMP threads");

        for (uint32_t t = 0; t < spools->all[i].n_threads; t++) {
            list[t] = first + t;
        }
        define_thread_group(d, OTF2_GROUP_TYPE_COMM_GROUP, list, spools->all[i].n_threads);
        if (is_good(d)) {
            d->code = OTF2_GlobalDefWriter_WriteComm(
                d->writer, mpl_team_of(d->archive, i), name, d->n_groups - 1,
                OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
        }
    }
}

/* ---- the whole ----------------------------------------------------------------------------------- */

static void define_all(struct definitions *d)
{
    const struct survey *survey = &d->archive->survey;
    const struct spools *spools = d->archive->spools;

    d->code = OTF2_GlobalDefWriter_WriteClockProperties(
        d->writer, UINT64_C(1000000000), survey->begin_ns,
        survey->end_ns - survey->begin_ns + 1, survey->begin_utc_ns);
    define_hosts(d);
    define_processes(d);
    for (uint32_t i = 0; i < spools->n; i++) {
        struct walk walk = mpl_walk_start(&spools->all[i], 0);
        struct property property;

        while (is_good(d) && mpl_property_next(&walk, d->archive->arena, &property)) {
            define_property(d, &spools->all[i], &property);
        }
    }
    define_regions(d);
    define_sites(d);
    define_metrics(d);
    define_attributes(d);
    define_comms(d);
    define_teams(d);
}

OTF2_ErrorCode mpl_archive_define(void *archive, OTF2_GlobalDefWriter *writer)
{
    struct definitions d = { .archive = archive,
                             .writer = writer,
                             .strings = mpl_names_create(),
                             .hosts = mpl_names_create(),
                             .code = OTF2_ERROR_MEM_ALLOC_FAILED };

    if (d.strings != NULL && d.hosts != NULL) {
        define_all(&d);
    }
    mpl_names_destroy(d.strings);
    mpl_names_destroy(d.hosts);
    return d.code;
}
