/*
 * Whose clock a file follows. A thread that the model holds has its own corrected times. GPU
 * streams, metrics and threads without kept events follow the first thread of their process,
 * because the clock is the process's; where not even the process has events, another one of
 * the same computer.
 */
#include "config.h"

#include "sync/sync_priv.h"

#include <inttypes.h>
#include <string.h>

enum { CREATOR_DEPTH = 8 };

struct clocks {
    struct mpl_sync_job *job;
    const struct mpl_sync_globals *globals;
    struct mpl_map *location_of; /**< Reference to location of the model. */
    struct mpl_map *process_of;  /**< Location group to process of the model. */
    struct mpl_room room;
};

/* ---- tables -------------------------------------------------------------------------------- */

static bool index_model(struct clocks *c)
{
    const struct mpl_model *model = c->job->model;

    for (uint32_t l = 0; l < model->n_locations; l++) {
        if (model->locations[l].reference != UINT64_MAX &&
            !mpl_map_put(c->location_of, model->locations[l].reference, l)) {
            return false;
        }
    }
    return true;
}

static bool index_groups(struct clocks *c)
{
    for (size_t i = 0; i < c->job->n_parts; i++) {
        const struct mpl_sync_part *part = &c->job->parts[i];
        const uint32_t l = mpl_map_find(c->location_of, part->reference);

        if (l != MPL_NONE && part->group != MPL_NONE &&
            !mpl_map_put(c->process_of, part->group, c->job->model->locations[l].process)) {
            return false;
        }
    }
    return true;
}

static const struct mpl_sync_group *find_group(const struct clocks *c, uint32_t reference)
{
    for (size_t i = 0; i < c->globals->groups.n; i++) {
        const struct mpl_sync_group *group = mpl_buf_get(&c->globals->groups, i);

        if (group->reference == reference) {
            return group;
        }
    }
    return NULL;
}

/* ---- who is followed ----------------------------------------------------------------------- */

/** The thread of a process that says most about its clock: the first, if it has events. */
static uint32_t find_witness(const struct mpl_model *model, uint32_t process)
{
    const struct mpl_process *p = &model->processes[process];
    uint32_t best = MPL_NONE;

    for (uint32_t t = 0; t < p->n_locations; t++) {
        const uint32_t l = p->locations[t];

        if (t == 0 && model->locations[l].n_events > 0) {
            return l;
        }
        if (model->locations[l].n_events > 0 &&
            (best == MPL_NONE ||
             model->locations[l].n_events > model->locations[best].n_events)) {
            best = l;
        }
    }
    return best;
}

/** Of the process that a group of locations belongs to; a GPU's group names its process. */
static uint32_t find_in_process(const struct clocks *c, uint32_t group_ref)
{
    for (unsigned depth = 0; depth < CREATOR_DEPTH && group_ref != MPL_NONE; depth++) {
        const uint32_t process = mpl_map_find(c->process_of, group_ref);

        if (process != MPL_NONE) {
            return find_witness(c->job->model, process);
        }
        const struct mpl_sync_group *group = find_group(c, group_ref);
        group_ref = group == NULL ? MPL_NONE : group->creator;
    }
    return MPL_NONE;
}

/**
 * Of any process on the same computer. Only where the trace distinguishes computers: EZTrace hangs
 * all processes below one node, whatever their clocks.
 */
static uint32_t find_on_host(const struct clocks *c, uint32_t group_ref)
{
    const struct mpl_model *model = c->job->model;
    const struct mpl_sync_group *own = find_group(c, group_ref);

    for (size_t i = 0; own != NULL && i < c->globals->groups.n; i++) {
        const struct mpl_sync_group *group = mpl_buf_get(&c->globals->groups, i);
        const uint32_t process = mpl_map_find(c->process_of, group->reference);

        if (process != MPL_NONE && group->node == own->node &&
            model->processes[process].host != NULL &&
            find_witness(model, process) != MPL_NONE) {
            return find_witness(model, process);
        }
    }
    return MPL_NONE;
}

static enum mpl_status choose(const struct clocks *c, struct mpl_sync_part *part,
                              struct mpl_err *err)
{
    const uint32_t own = mpl_map_find(c->location_of, part->reference);

    if (own != MPL_NONE && c->job->model->locations[own].n_events > 0) {
        part->location = own;
        part->retime.is_own = true;
        return MPL_OK;
    }
    part->location = find_in_process(c, part->group);
    if (part->location == MPL_NONE) {
        part->location = find_on_host(c, part->group);
        part->is_by_host = part->location != MPL_NONE;
    }
    if (part->location == MPL_NONE && part->has_records) {
        return mpl_fail(err, MPL_E_UNSUPPORTED,
                        "no thread of a CPU tells what the clock of location %" PRIu64
                        " became, so its records cannot get new times",
                        part->reference);
    }
    return MPL_OK;
}

/* ---- clocks that differ inside of a process -------------------------------------------------- */

static bool is_same(const struct mpl_clock_offset *a, size_t n_a,
                    const struct mpl_clock_offset *b, size_t n_b)
{
    bool same = n_a == n_b;

    for (size_t i = 0; same && i < n_a; i++) {
        same = a[i].time_ticks == b[i].time_ticks && a[i].offset_ticks == b[i].offset_ticks;
    }
    return same;
}

static enum mpl_status read_offsets(struct clocks *c, const struct mpl_sync_part *part,
                                    struct mpl_buf *offsets, struct mpl_err *err)
{
    const char *path = mpl_arena_printf(c->job->scratch, "%s/%" PRIu64 ".def",
                                        c->job->anchor.stem, part->reference);
    struct mpl_bytes file;

    const enum mpl_status st =
        path == NULL ? mpl_nomem(err) : mpl_bytes_load(path, &c->room, &file, err);
    return st == MPL_OK
               ? mpl_sync_read_offsets(file, c->job->anchor.def_chunk_bytes, offsets, err)
               : st;
}

/**
 * A stream with recorded offsets other than those of its process has a clock of its own. Mostly
 * they are the same, or there are none.
 */
static enum mpl_status compare_offsets(struct clocks *c, struct mpl_sync_part *part,
                                       struct mpl_err *err)
{
    const struct mpl_model *model = c->job->model;
    const uint32_t l = part->location;
    struct mpl_buf offsets = mpl_buf_make(sizeof(struct mpl_clock_offset));

    if (model->n_offsets == NULL || model->n_offsets[l] == 0 || !part->has_definitions) {
        return MPL_OK;
    }
    enum mpl_status st = read_offsets(c, part, &offsets, err);
    if (st == MPL_OK && offsets.n > 0 &&
        !is_same((const struct mpl_clock_offset *) offsets.data, offsets.n,
                 model->offsets[l], model->n_offsets[l])) {
        part->retime.from_offsets =
            (struct mpl_sync_offsets){ model->offsets[l], model->n_offsets[l] };
        part->retime.record_offsets.n = offsets.n;
        part->retime.record_offsets.list = mpl_buf_take(&offsets, c->job->scratch);
        st = part->retime.record_offsets.list == NULL ? mpl_nomem(err) : MPL_OK;
    }
    mpl_buf_free(&offsets);
    return st;
}

static enum mpl_status find_clock(struct clocks *c, struct mpl_sync_part *part,
                                  struct mpl_err *err)
{
    const struct mpl_sync_times *recorded = c->job->recorded;
    enum mpl_status st = choose(c, part, err);

    if (st != MPL_OK || part->location == MPL_NONE) {
        return st;
    }

    const struct mpl_location *loc = &c->job->model->locations[part->location];

    part->retime.from = &recorded->times[part->location];
    part->retime.from_base = recorded->base[part->location];
    part->retime.to = &loc->times;
    part->retime.to_base = loc->base_ticks;
    part->retime.n = loc->n_events;
    return part->retime.is_own ? MPL_OK : compare_offsets(c, part, err);
}

/* ---- where the time line begins -------------------------------------------------------------- */

/**
 * New times are known modulo 2^64. The one that lies nearest to the time recorded there is taken
 * as it stands, which shows whether others lie before 0.
 */
static __int128 unwrap(const struct mpl_sync_job *job, uint64_t *base)
{
    int64_t least = INT64_MAX;
    __int128 out = 0;

    for (size_t i = 0; i < job->n_parts; i++) {
        const struct mpl_retime *r = &job->parts[i].retime;

        if (!r->is_own) {
            continue;
        }

        const int64_t moved =
            (int64_t) (r->to_base + (uint64_t) mpl_times_get(r->to, 0) - r->from_base -
                       (uint64_t) mpl_times_get(r->from, 0));
        const int64_t distance = moved < 0 ? -(moved + 1) : moved;

        if (distance < least) {
            least = distance;
            *base = r->to_base;
            out = (__int128) r->from_base + mpl_times_get(r->from, 0) + moved -
                  mpl_times_get(r->to, 0);
        }
    }
    return out;
}

/** All times are moved if one would come before 0, or so late that it means "undefined". */
static void find_shift(struct mpl_sync_job *job)
{
    const __int128 latest_begin = (__int128) (UINT64_MAX - 2 * MPL_LONGEST_RUN);
    uint64_t base = 0;
    const __int128 origin = unwrap(job, &base);
    __int128 first = latest_begin;

    for (size_t i = 0; i < job->n_parts; i++) {
        const struct mpl_sync_part *part = &job->parts[i];

        if (part->has_records && part->location != MPL_NONE) {
            const __int128 time = origin + (int64_t) (part->retime.to_base - base) +
                                  mpl_retime_wide(&part->retime, part->first);

            first = time < first ? time : first;
        }
    }
    job->shift = first < 0 || first > latest_begin ? (uint64_t) -first : 0;
    for (size_t i = 0; i < job->n_parts; i++) {
        job->parts[i].retime.to_base += job->shift;
    }
}

enum mpl_status mpl_sync_find_clocks(struct mpl_sync_job *job,
                                     const struct mpl_sync_globals *globals,
                                     struct mpl_err *err)
{
    struct clocks c = { .job = job,
                        .globals = globals,
                        .location_of = mpl_map_create(),
                        .process_of = mpl_map_create() };
    enum mpl_status st = MPL_OK;

    if (c.location_of == NULL || c.process_of == NULL || !index_model(&c) ||
        !index_groups(&c)) {
        st = mpl_nomem(err);
    }
    for (size_t i = 0; i < job->n_parts && st == MPL_OK; i++) {
        st = find_clock(&c, &job->parts[i], err);
    }
    if (st == MPL_OK) {
        find_shift(job);
    }
    mpl_map_destroy(c.location_of);
    mpl_map_destroy(c.process_of);
    mpl_room_free(&c.room);
    return st;
}
