/*
 * Processes by rank and their threads. The rank order is that of MPI's COMM_LOCATIONS group;
 * processes that MPI does not know follow. GPU streams, metrics and other locations that are no
 * CPU thread are counted and left out.
 */
#include "config.h"

#include "read/otf2_priv.h"

#include <otf2/OTF2_Definitions.h>
#include <otf2/OTF2_GeneralDefinitions.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { TREE_DEPTH = 64 };

/** A CPU thread on its way to its place in the model. */
struct seat {
    const struct mpl_raw_location *raw; /**< NULL: the rank has no location of its own. */
    uint32_t process;
    bool is_thread; /**< Not the location that stands for the rank. */
};

struct seating {
    const struct mpl_raw *raw;
    struct seat *seats;
    uint32_t n;
    uint32_t n_processes;
    struct mpl_map *of_location; /**< Location reference to index of raw->locations. */
    struct mpl_map *taken;       /**< Location references that stand for a rank. */
    struct mpl_map *of_group;    /**< Location group to process. */
    struct mpl_map *group_at;    /**< Location group to index of raw->location_groups. */
    struct mpl_map *node_at;     /**< Node of the system tree to index of raw->nodes. */
};

/* The MPI group whose members are the locations by rank; NULL without MPI. */
static const struct mpl_raw_group *ranks_of(const struct mpl_raw *raw)
{
    const struct mpl_raw_group *best = NULL;

    for (size_t i = 0; i < raw->groups.n; i++) {
        const struct mpl_raw_group *group = mpl_buf_get(&raw->groups, i);

        if (group->paradigm == OTF2_PARADIGM_MPI &&
            group->type == OTF2_GROUP_TYPE_COMM_LOCATIONS &&
            (best == NULL || group->n_members > best->n_members)) {
            best = group;
        }
    }
    return best;
}

/* ---- who is a CPU thread ------------------------------------------------------------------ */

static void note_skipped(struct mpl_model *model, uint8_t type)
{
    model->n_skipped_locations++;
    if (type == OTF2_LOCATION_TYPE_ACCELERATOR_STREAM) {
        mpl_quality_add(model->quality, "gpu-locations", MPL_NONE, 1,
                        "GPU streams are not analysed, only the threads of the CPU");
    } else if (type == OTF2_LOCATION_TYPE_METRIC) {
        mpl_quality_add(model->quality, "metric-locations", MPL_NONE, 1,
                        "locations that hold only metrics are not analysed");
    } else {
        mpl_quality_add(model->quality, "unknown-locations", MPL_NONE, 1,
                        "locations of an unknown type are not analysed");
    }
}

static bool index_locations(struct seating *s, struct mpl_model *model)
{
    for (size_t i = 0; i < s->raw->locations.n; i++) {
        const struct mpl_raw_location *location = mpl_buf_get(&s->raw->locations, i);

        if (location->type != OTF2_LOCATION_TYPE_CPU_THREAD) {
            note_skipped(model, location->type);
        } else if (mpl_map_find(s->of_location, location->ref) == MPL_NONE &&
                   !mpl_map_put(s->of_location, location->ref, (uint32_t) i)) {
            return false;
        }
    }
    return true;
}

/* ---- who sits where -------------------------------------------------------------------------- */

static void seat(struct seating *s, const struct mpl_raw_location *raw, uint32_t process,
                 bool is_thread)
{
    s->seats[s->n++] = (struct seat){ raw, process, is_thread };
}

static bool seat_ranks(struct seating *s, const struct mpl_raw_group *ranks)
{
    s->n_processes = ranks != NULL ? ranks->n_members : 0;
    for (uint32_t rank = 0; rank < s->n_processes; rank++) {
        const uint32_t at = mpl_map_find(s->of_location, ranks->members[rank]);

        if (at == MPL_NONE || mpl_map_find(s->taken, ranks->members[rank]) != MPL_NONE) {
            seat(s, NULL, rank, false);
            continue;
        }
        const struct mpl_raw_location *raw = mpl_buf_get(&s->raw->locations, at);
        seat(s, raw, rank, false);
        if (!mpl_map_put(s->taken, raw->ref, rank)) {
            return false;
        }
        if (mpl_map_find(s->of_group, raw->group) == MPL_NONE &&
            !mpl_map_put(s->of_group, raw->group, rank)) {
            return false;
        }
    }
    return true;
}

static int compare_locations(const void *a, const void *b)
{
    const struct mpl_raw_location *x = *(const struct mpl_raw_location *const *) a;
    const struct mpl_raw_location *y = *(const struct mpl_raw_location *const *) b;

    if (x->group != y->group) {
        return x->group < y->group ? -1 : 1;
    }
    return x->ref < y->ref ? -1 : x->ref > y->ref;
}

/** Threads of the ranks, and processes that MPI does not know. \p rest: room for all locations. */
static bool seat_rest(struct seating *s, const struct mpl_raw_location **rest)
{
    size_t n = 0;

    for (size_t i = 0; i < s->raw->locations.n; i++) {
        const struct mpl_raw_location *raw = mpl_buf_get(&s->raw->locations, i);

        if (raw->type == OTF2_LOCATION_TYPE_CPU_THREAD &&
            mpl_map_find(s->of_location, raw->ref) == i &&
            mpl_map_find(s->taken, raw->ref) == MPL_NONE) {
            rest[n++] = raw;
        }
    }
    if (n > 0) {
        qsort(rest, n, sizeof *rest, compare_locations);
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t process = mpl_map_find(s->of_group, rest[i]->group);
        const bool is_thread = process != MPL_NONE;

        if (!is_thread) {
            process = s->n_processes++;
            if (!mpl_map_put(s->of_group, rest[i]->group, process)) {
                return false;
            }
        }
        seat(s, rest[i], process, is_thread);
    }
    return true;
}

static int compare_seats(const void *a, const void *b)
{
    const struct seat *x = a;
    const struct seat *y = b;

    if (x->process != y->process) {
        return x->process < y->process ? -1 : 1;
    }
    if (x->is_thread != y->is_thread) {
        return x->is_thread ? 1 : -1;
    }
    return x->raw->ref < y->raw->ref ? -1 : x->raw->ref > y->raw->ref;
}

static enum mpl_status find_seats(struct seating *s, struct mpl_model *model,
                                  struct mpl_arena *scratch, struct mpl_err *err)
{
    const struct mpl_raw_group *ranks = ranks_of(s->raw);
    const size_t n_ranks = ranks != NULL ? ranks->n_members : 0;
    const struct mpl_raw_location **rest =
        MPL_NEW_ARRAY(scratch, s->raw->locations.n, const struct mpl_raw_location *);

    s->seats = MPL_NEW_ARRAY(scratch, n_ranks + s->raw->locations.n, struct seat);
    if (s->of_location == NULL || s->taken == NULL || s->of_group == NULL || rest == NULL ||
        s->seats == NULL || !index_locations(s, model) || !seat_ranks(s, ranks) ||
        !seat_rest(s, rest)) {
        return mpl_nomem(err);
    }
    if (mpl_map_count(s->of_location) == 0) {
        return mpl_fail(err, MPL_E_UNSUPPORTED,
                        "none of its locations is a thread of a CPU");
    }
    qsort(s->seats, s->n, sizeof *s->seats, compare_seats);
    return MPL_OK;
}

/* ---- the model's tables -------------------------------------------------------------------------- */

/** The first definition of a reference is the one that holds. */
static bool put_first(struct mpl_map *map, uint32_t ref, size_t i)
{
    return mpl_map_find(map, ref) != MPL_NONE || mpl_map_put(map, ref, (uint32_t) i);
}

static bool index_hosts(const struct seating *s)
{
    bool ok = s->group_at != NULL && s->node_at != NULL;

    for (size_t i = 0; i < s->raw->location_groups.n && ok; i++) {
        const struct mpl_raw_location_group *group =
            mpl_buf_get(&s->raw->location_groups, i);

        ok = put_first(s->group_at, group->ref, i);
    }
    for (size_t i = 0; i < s->raw->nodes.n && ok; i++) {
        const struct mpl_raw_node *node = mpl_buf_get(&s->raw->nodes, i);

        ok = put_first(s->node_at, node->ref, i);
    }
    return ok;
}

/** Name of the computer; NULL when the system tree does not tell (EZTrace names the program). */
static const char *host_of(const struct seating *s, uint32_t node_ref)
{
    for (unsigned depth = 0; depth < TREE_DEPTH; depth++) {
        const uint32_t at = mpl_map_find(s->node_at, node_ref);

        if (at == MPL_NONE) {
            return NULL;
        }
        const struct mpl_raw_node *node = mpl_buf_get(&s->raw->nodes, at);
        if (strcasecmp(mpl_raw_text(s->raw, node->class_name), "node") == 0 ||
            strcasecmp(mpl_raw_text(s->raw, node->class_name), "host") == 0) {
            return mpl_raw_text(s->raw, node->name);
        }
        node_ref = node->parent;
    }
    return NULL;
}

static void name_process(const struct seating *s, uint32_t group_ref,
                         struct mpl_process *process)
{
    const uint32_t at = mpl_map_find(s->group_at, group_ref);

    if (at == MPL_NONE) {
        return;
    }
    const struct mpl_raw_location_group *group = mpl_buf_get(&s->raw->location_groups, at);
    process->name = mpl_raw_text(s->raw, group->name);
    process->host = host_of(s, group->node);
}

static bool fill_location(const struct seating *s, uint32_t i, uint32_t thread,
                          struct mpl_arena *arena, struct mpl_location *location)
{
    const struct seat *at = &s->seats[i];

    location->process = at->process;
    location->thread = thread;
    location->label = thread == 0 ? mpl_arena_printf(arena, "%u", at->process)
                                  : mpl_arena_printf(arena, "%u.%u", at->process, thread);
    location->name = "(undefined location)";
    location->reference = UINT64_MAX;
    location->is_damaged = at->raw == NULL;
    if (at->raw != NULL) {
        location->name = mpl_raw_text(s->raw, at->raw->name);
        location->reference = at->raw->ref;
    }
    return location->label != NULL;
}

static void note_unseen_threads(struct mpl_model *model, const char *whose)
{
    if (!model->has_unseen_threads) {
        model->has_unseen_threads = true;
        mpl_quality_add(
            model->quality, "unseen-threads", MPL_NONE, 1,
            "threads of %s, if there were any, are not recorded, because it has "
            "no interface for tools (LLVM's has); what they do counts as "
            "computing of the first thread",
            whose);
    }
}

/* What the tracer says of the machine and of the program. */
static void take_properties(const struct seating *s, struct mpl_model *model,
                            struct mpl_process *processes)
{
    for (size_t i = 0; i < s->raw->properties.n; i++) {
        const struct mpl_raw_property *p = mpl_buf_get(&s->raw->properties, i);
        const uint32_t process = mpl_map_find(s->of_group, p->group);
        const char *name = mpl_raw_text(s->raw, p->name);
        const char *text = mpl_raw_text(s->raw, p->text);

        if (process != MPL_NONE && strcmp(name, "MARPLE::CORES") == 0) {
            processes[process].cores = text;
        } else if (strcmp(name, "MARPLE::UNSEEN_THREADS") == 0) {
            note_unseen_threads(model, text);
        }
    }
}

static enum mpl_status fill(const struct seating *s, struct mpl_model *model,
                            struct mpl_arena *arena, struct mpl_err *err)
{
    struct mpl_location *locations = MPL_NEW_ARRAY(arena, s->n, struct mpl_location);
    struct mpl_process *processes =
        MPL_NEW_ARRAY(arena, s->n_processes, struct mpl_process);
    uint32_t *indices = MPL_NEW_ARRAY(arena, s->n, uint32_t);

    if (locations == NULL || processes == NULL || indices == NULL || !index_hosts(s)) {
        return mpl_nomem(err);
    }
    for (uint32_t i = 0; i < s->n; i++) {
        struct mpl_process *process = &processes[s->seats[i].process];

        indices[i] = i;
        if (process->n_locations == 0) {
            process->rank = s->seats[i].process;
            process->locations = &indices[i];
            process->name = "";
            if (s->seats[i].raw != NULL) {
                name_process(s, s->seats[i].raw->group, process);
            }
        }
        if (!fill_location(s, i, process->n_locations++, arena, &locations[i])) {
            return mpl_nomem(err);
        }
    }
    take_properties(s, model, processes);
    model->n_locations = s->n;
    model->locations = locations;
    model->n_processes = s->n_processes;
    model->processes = processes;
    return MPL_OK;
}

static bool index_processes(const struct mpl_model *model, struct mpl_refs *refs)
{
    for (uint32_t l = 0; l < model->n_locations; l++) {
        const struct mpl_location *location = &model->locations[l];

        if (location->reference != UINT64_MAX &&
            !mpl_map_put(refs->location, location->reference, location->process)) {
            return false;
        }
    }
    return true;
}

enum mpl_status mpl_define_processes(const struct mpl_raw *raw, struct mpl_model *model,
                                     struct mpl_arena *arena, struct mpl_refs *refs,
                                     struct mpl_err *err)
{
    struct mpl_arena *scratch = mpl_arena_create();
    struct seating s = { .raw = raw,
                         .of_location = mpl_map_create(),
                         .taken = mpl_map_create(),
                         .of_group = mpl_map_create(),
                         .group_at = mpl_map_create(),
                         .node_at = mpl_map_create() };
    enum mpl_status st =
        scratch == NULL ? mpl_nomem(err) : find_seats(&s, model, scratch, err);

    st = st == MPL_OK ? fill(&s, model, arena, err) : st;
    if (st == MPL_OK) {
        for (uint32_t l = 0; l < model->n_locations; l++) {
            if (model->locations[l].reference == UINT64_MAX) {
                mpl_quality_add(
                    model->quality, "undefined-locations", l, 1,
                    "ranks have no location in the definitions, so nothing is known "
                    "about them");
            }
        }
        st = index_processes(model, refs) ? MPL_OK : mpl_nomem(err);
    }
    mpl_map_destroy(s.of_location);
    mpl_map_destroy(s.taken);
    mpl_map_destroy(s.of_group);
    mpl_map_destroy(s.group_at);
    mpl_map_destroy(s.node_at);
    mpl_arena_destroy(scratch);
    return st;
}
