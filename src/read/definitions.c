/*
 * Regions and communicators of the model. Two habits of EZTrace rule here: every rank defines
 * every region again, under references that are sparse up to 2^31, so regions are merged by name;
 * and thread teams reuse the references of MPI communicators, so paradigms are kept apart.
 */
#include "config.h"

#include "read/otf2_priv.h"

#include <otf2/OTF2_Definitions.h>
#include <otf2/OTF2_GeneralDefinitions.h>
#include <stdio.h>
#include <string.h>

bool mpl_refs_create(struct mpl_refs *refs)
{
    *refs = (struct mpl_refs){ .region = mpl_map_create(),
                               .comm = mpl_map_create(),
                               .context = mpl_map_create(),
                               .location = mpl_map_create(),
                               .site = mpl_map_create(),
                               .unknown_region = MPL_NONE };
    return refs->region != NULL && refs->comm != NULL && refs->context != NULL &&
           refs->location != NULL && refs->site != NULL;
}

void mpl_refs_free(struct mpl_refs *refs)
{
    mpl_map_destroy(refs->region);
    mpl_map_destroy(refs->comm);
    mpl_map_destroy(refs->context);
    mpl_map_destroy(refs->location);
    mpl_map_destroy(refs->site);
}

/* ---- regions -------------------------------------------------------------------------- */

static enum mpl_region_kind kind_of_mpi_role(OTF2_RegionRole role)
{
    switch (role) {
    case OTF2_REGION_ROLE_BARRIER:
    case OTF2_REGION_ROLE_COLL_ONE2ALL:
    case OTF2_REGION_ROLE_COLL_ALL2ONE:
    case OTF2_REGION_ROLE_COLL_ALL2ALL:
    case OTF2_REGION_ROLE_COLL_OTHER:
        return MPL_REGION_MPI_COLL;
    case OTF2_REGION_ROLE_POINT2POINT:
        return MPL_REGION_MPI_P2P;
    default:
        return MPL_REGION_MPI_OTHER;
    }
}

static bool is_waiting_role(OTF2_RegionRole role)
{
    return role == OTF2_REGION_ROLE_BARRIER || role == OTF2_REGION_ROLE_IMPLICIT_BARRIER ||
           role == OTF2_REGION_ROLE_CRITICAL || role == OTF2_REGION_ROLE_ORDERED ||
           role == OTF2_REGION_ROLE_ATOMIC || role == OTF2_REGION_ROLE_TASK_WAIT ||
           role == OTF2_REGION_ROLE_THREAD_WAIT;
}

static void classify(const struct mpl_raw_region *raw, struct mpl_region *region)
{
    region->kind = mpl_region_kind_of_name(region->name, &region->mode);
    /* The name of an MPI call says more than paradigm and role: EZTrace gives neither, and
     * Score-P gives MPI_Wait and MPI_Isend the same role. */
    if (region->kind != MPL_REGION_USER) {
        return;
    }
    if (strcmp(region->name, "Working") == 0 ||
        strcmp(region->name, "EZTrace finalize") == 0 ||
        raw->paradigm == OTF2_PARADIGM_MEASUREMENT_SYSTEM ||
        raw->role == OTF2_REGION_ROLE_ARTIFICIAL) {
        region->kind = MPL_REGION_TRACER;
    } else if (raw->paradigm == OTF2_PARADIGM_MPI) {
        region->kind = kind_of_mpi_role(raw->role);
    } else if (raw->paradigm == OTF2_PARADIGM_PTHREAD ||
               (raw->paradigm == OTF2_PARADIGM_OPENMP && is_waiting_role(raw->role))) {
        region->kind = MPL_REGION_THREAD_SYNC;
    }
}

/** NULL when the trace does not tell: EZTrace names the program, Score-P files "MPI" and "OMP". */
static const char *file_of(const struct mpl_raw *raw, const struct mpl_raw_region *region)
{
    const char *file = mpl_raw_text(raw, region->file);

    return file[0] == '\0' || (region->line == 0 && strchr(file, '.') == NULL) ? NULL
                                                                               : file;
}

/** Number of the region among the merged ones, by name, file and line. */
static uint32_t merge(const struct mpl_raw *raw, const struct mpl_raw_region *region,
                      struct mpl_names *names, struct mpl_buf *regions)
{
    const char *name = mpl_raw_text(raw, region->name);
    const char *file = file_of(raw, region);
    const char *key = mpl_arena_printf(raw->arena, "%s\n%s\n%u", name,
                                       file != NULL ? file : "", region->line);
    const uint32_t number = key != NULL ? mpl_names_put(names, key) : MPL_NONE;

    if (number == MPL_NONE || number < regions->n) {
        return number;
    }
    struct mpl_region item = { .name = name, .file = file, .line = region->line };

    classify(region, &item);
    return mpl_buf_put(regions, &item) ? number : MPL_NONE;
}

static bool merge_all(const struct mpl_raw *raw, struct mpl_names *names,
                      struct mpl_buf *regions, struct mpl_refs *refs)
{
    for (size_t i = 0; i < raw->regions.n; i++) {
        const struct mpl_raw_region *region = mpl_buf_get(&raw->regions, i);
        const uint32_t number = merge(raw, region, names, regions);

        if (number == MPL_NONE || !mpl_map_put(refs->region, region->ref, number)) {
            return false;
        }
    }
    for (size_t i = 0; i < raw->contexts.n; i++) {
        const struct mpl_raw_context *context = mpl_buf_get(&raw->contexts, i);
        const uint32_t number = mpl_map_find(refs->region, context->region);

        if (number != MPL_NONE && !mpl_map_put(refs->context, context->ref, number)) {
            return false;
        }
    }
    return true;
}

enum mpl_status mpl_define_regions(const struct mpl_raw *raw, struct mpl_model *model,
                                   struct mpl_arena *arena, struct mpl_refs *refs,
                                   struct mpl_err *err)
{
    struct mpl_names *names = mpl_names_create();
    struct mpl_buf regions = mpl_buf_make(sizeof(struct mpl_region));
    const struct mpl_region unknown = { .name = "(undefined region)",
                                        .is_undefined = true };

    if (names != NULL && merge_all(raw, names, &regions, refs)) {
        refs->unknown_region = (uint32_t) regions.n;
        model->n_regions = (uint32_t) regions.n + 1;
        model->regions =
            mpl_buf_put(&regions, &unknown) ? mpl_buf_take(&regions, arena) : NULL;
    }
    mpl_buf_free(&regions);
    mpl_names_destroy(names);
    return model->regions == NULL ? mpl_nomem(err) : MPL_OK;
}

/* ---- communicators ------------------------------------------------------------------------- */

/** Groups by (reference, type): EZTrace defines group 0 twice with different types. */
struct groups {
    const struct mpl_raw *raw;
    struct mpl_map *of_mpi; /**< Key: reference and type; value: index into raw->groups. */
    struct mpl_map *of_others; /**< Key: reference; groups of thread teams and the like. */
};

static uint64_t group_key(uint32_t ref, uint8_t type)
{
    return (uint64_t) ref << 8 | type;
}

static bool index_groups(struct groups *groups)
{
    const struct mpl_raw *raw = groups->raw;

    for (size_t i = 0; i < raw->groups.n; i++) {
        const struct mpl_raw_group *group = mpl_buf_get(&raw->groups, i);
        const uint64_t key = group_key(group->ref, group->type);
        bool ok = true;

        if (group->paradigm != OTF2_PARADIGM_MPI) {
            ok = mpl_map_put(groups->of_others, group->ref, (uint32_t) i);
        } else if (mpl_map_find(groups->of_mpi, key) == MPL_NONE) {
            ok = mpl_map_put(groups->of_mpi, key, (uint32_t) i);
        }
        if (!ok) {
            return false;
        }
    }
    return true;
}

static const struct mpl_raw_group *find_group(const struct groups *groups, uint32_t ref)
{
    static const uint8_t types[] = { OTF2_GROUP_TYPE_COMM_GROUP, OTF2_GROUP_TYPE_COMM_SELF,
                                     OTF2_GROUP_TYPE_COMM_LOCATIONS };

    for (size_t i = 0; i < sizeof types; i++) {
        const uint32_t at = mpl_map_find(groups->of_mpi, group_key(ref, types[i]));

        if (at != MPL_NONE) {
            return mpl_buf_get(&groups->raw->groups, at);
        }
    }
    return NULL;
}

/* In hybrid EZTrace archives thread teams carry the references of MPI communicators and groups;
 * where both exist only the name shows which one this is. */
static bool is_mpi_comm(const struct groups *groups, const struct mpl_raw_comm *comm)
{
    const bool has_other = mpl_map_find(groups->of_others, comm->group) != MPL_NONE;

    return find_group(groups, comm->group) != NULL &&
           (!has_other || strncmp(mpl_raw_text(groups->raw, comm->name), "MPI_", 4) == 0);
}

/** Members of a group as process indices; false when one of them does not exist. */
static bool resolve_members(const struct mpl_model *model, const struct mpl_refs *refs,
                            const struct mpl_raw_group *group, uint32_t *members)
{
    /* COMM_LOCATIONS members are locations, all others ranks, unless a flag says otherwise. */
    const bool are_locations =
        group->has_global_members || group->type == OTF2_GROUP_TYPE_COMM_LOCATIONS;

    for (uint32_t i = 0; i < group->n_members; i++) {
        const uint64_t member = group->members[i];

        members[i] = are_locations                 ? mpl_map_find(refs->location, member)
                     : member < model->n_processes ? (uint32_t) member
                                                   : MPL_NONE;
        if (members[i] == MPL_NONE) {
            return false;
        }
    }
    return true;
}

/** MPL_END when the group names processes that do not exist. */
static enum mpl_status make_members(const struct mpl_model *model,
                                    const struct mpl_refs *refs, struct mpl_arena *arena,
                                    const struct mpl_raw_group *group,
                                    const uint32_t **members, uint32_t *n,
                                    struct mpl_err *err)
{
    uint32_t *copy = MPL_NEW_ARRAY(arena, group->n_members, uint32_t);

    if (copy == NULL) {
        return mpl_nomem(err);
    }
    if (group->n_members == 0 || !resolve_members(model, refs, group, copy)) {
        return MPL_END;
    }
    *members = copy;
    *n = group->n_members;
    return MPL_OK;
}

static enum mpl_status make_comm(const struct groups *groups,
                                 const struct mpl_raw_comm *raw,
                                 const struct mpl_model *model, const struct mpl_refs *refs,
                                 struct mpl_arena *arena, struct mpl_comm *comm,
                                 struct mpl_err *err)
{
    const struct mpl_raw_group *group = find_group(groups, raw->group);
    const struct mpl_raw_group *remote =
        raw->is_inter ? find_group(groups, raw->remote_group) : NULL;

    *comm = (struct mpl_comm){ .name = mpl_raw_text(groups->raw, raw->name) };
    if (group == NULL || (raw->is_inter && remote == NULL)) {
        return MPL_END;
    }
    if (group->type == OTF2_GROUP_TYPE_COMM_SELF) {
        comm->is_self = true;
        return MPL_OK;
    }
    enum mpl_status st =
        make_members(model, refs, arena, group, &comm->members, &comm->n_members, err);
    if (st == MPL_OK && remote != NULL) {
        st = make_members(model, refs, arena, remote, &comm->remote, &comm->n_remote, err);
    }
    return st;
}

static enum mpl_status make_comms(const struct groups *groups, struct mpl_model *model,
                                  struct mpl_arena *arena, struct mpl_refs *refs,
                                  struct mpl_buf *comms, struct mpl_err *err)
{
    const struct mpl_raw *raw = groups->raw;

    for (size_t i = 0; i < raw->comms.n; i++) {
        const struct mpl_raw_comm *def = mpl_buf_get(&raw->comms, i);
        const uint32_t number = (uint32_t) comms->n;
        struct mpl_comm comm;

        /* The first definition wins: a later one of the same reference is a thread team or,
         * with EZTrace's posixio plugin, a repetition. */
        if (!is_mpi_comm(groups, def) || mpl_map_find(refs->comm, def->ref) != MPL_NONE) {
            continue;
        }
        const enum mpl_status st = make_comm(groups, def, model, refs, arena, &comm, err);
        if (st == MPL_END) {
            mpl_quality_add(model->quality, "damaged-communicators", MPL_NONE, 1,
                            "communicators without a sound list of members are ignored");
            continue;
        }
        if (st != MPL_OK) {
            return st;
        }
        if (!mpl_buf_put(comms, &comm) || !mpl_map_put(refs->comm, def->ref, number)) {
            return mpl_nomem(err);
        }
    }
    return MPL_OK;
}

/** Of all processes in their order; of several, the one that is called MPI_COMM_WORLD. */
static uint32_t find_world(const struct mpl_model *model)
{
    uint32_t world = MPL_NONE;

    for (uint32_t c = 0; c < model->n_comms; c++) {
        const struct mpl_comm *comm = &model->comms[c];
        const bool is_named = strstr(comm->name, "COMM_WORLD") != NULL;
        bool is_whole = !comm->is_self && comm->n_remote == 0;

        for (uint32_t i = 0; i < comm->n_members && is_whole; i++) {
            is_whole = comm->members[i] == i;
        }
        if (is_whole && is_named) {
            return c;
        }
        if (is_whole && world == MPL_NONE && comm->n_members == model->n_processes) {
            world = c;
        }
    }
    return world;
}

enum mpl_status mpl_define_comms(const struct mpl_raw *raw, struct mpl_model *model,
                                 struct mpl_arena *arena, struct mpl_refs *refs,
                                 struct mpl_err *err)
{
    struct groups groups = { raw, mpl_map_create(), mpl_map_create() };
    struct mpl_buf comms = mpl_buf_make(sizeof(struct mpl_comm));
    enum mpl_status st = MPL_OK;

    if (groups.of_mpi == NULL || groups.of_others == NULL || !index_groups(&groups)) {
        st = mpl_nomem(err);
    } else {
        st = make_comms(&groups, model, arena, refs, &comms, err);
    }
    if (st == MPL_OK) {
        model->n_comms = (uint32_t) comms.n;
        model->comms = mpl_buf_take(&comms, arena);
        st = model->comms == NULL ? mpl_nomem(err) : MPL_OK;
    }
    if (st == MPL_OK) {
        model->world = find_world(model);
    }
    mpl_buf_free(&comms);
    mpl_map_destroy(groups.of_mpi);
    mpl_map_destroy(groups.of_others);
    return st;
}
