/*
 * Which runs are repetitions of one another. They have the same number of processes and threads and
 * the same settings, exchange about as many messages and compute for about as long, in all
 * processes together. Where several are alike, the run of median duration represents them.
 */
#include "config.h"

#include "sets/sets_priv.h"

#include <stdlib.h>
#include <string.h>

/* A run on its way into a group. */
struct member {
    uint32_t run;
    uint32_t processes;
    uint32_t locations;
    const struct work *work;
    double window_s;
    uint32_t kind; /* ascending: those that exchange about as many messages */
    uint32_t part; /* likewise: of these, those that compute about as much */
};

static int compare(uint64_t x, uint64_t y)
{
    return x < y ? -1 : x > y;
}

/* Runs that may be alike stand together. */
static int by_size(const struct member *x, const struct member *y)
{
    int order = compare(x->processes, y->processes);

    order = order != 0 ? order : compare(x->locations, y->locations);
    order = order != 0 ? order : compare(x->work->program, y->work->program);
    return order != 0 ? order
                      : strcmp(x->work->settings != NULL ? x->work->settings : "",
                               y->work->settings != NULL ? y->work->settings : "");
}

static int by_calls(const void *a, const void *b)
{
    const struct member *x = a;
    const struct member *y = b;
    const int order = by_size(x, y);

    return order != 0 ? order : compare(x->work->n_calls, y->work->n_calls);
}

static int by_work(const void *a, const void *b)
{
    const struct member *x = a;
    const struct member *y = b;

    return x->kind != y->kind ? compare(x->kind, y->kind)
           : x->work->compute_s != y->work->compute_s
               ? x->work->compute_s < y->work->compute_s ? -1 : 1
               : compare(x->run, y->run);
}

static int by_duration(const void *a, const void *b)
{
    const struct member *x = a;
    const struct member *y = b;

    return x->part != y->part           ? compare(x->part, y->part)
           : x->window_s != y->window_s ? x->window_s < y->window_s ? -1 : 1
                                        : compare(x->run, y->run);
}

/*
 * Sorted amounts fall apart where one is clearly larger than the one before it. So runs whose
 * amounts scatter without a gap stay together, however many they are.
 */
static uint32_t tell_apart(struct member *members, uint32_t n)
{
    uint32_t kinds = 0;

    qsort(members, n, sizeof *members, by_calls);
    for (uint32_t i = 0; i < n; i++) {
        kinds += i == 0 || by_size(&members[i - 1], &members[i]) != 0 ||
                 !mpl_works_are_same((double) members[i - 1].work->n_calls,
                                     (double) members[i].work->n_calls);
        members[i].kind = kinds;
    }

    uint32_t parts = 0;

    qsort(members, n, sizeof *members, by_work);
    for (uint32_t i = 0; i < n; i++) {
        parts +=
            i == 0 || members[i - 1].kind != members[i].kind ||
            !mpl_works_are_same(members[i - 1].work->compute_s, members[i].work->compute_s);
        members[i].part = parts;
    }
    qsort(members, n, sizeof *members, by_duration);
    return parts;
}

static double median_s(const struct member *members, uint32_t n)
{
    return (members[(n - 1) / 2].window_s + members[n / 2].window_s) / 2;
}

/* Of \p n members, ascending by duration. */
static enum mpl_status fill(struct mpl_arena *arena, const struct member *members,
                            uint32_t n, struct mpl_group *group, size_t number,
                            struct mpl_err *err)
{
    uint32_t *runs = MPL_NEW_ARRAY(arena, n, uint32_t);
    const struct member *speaker = &members[(n - 1) / 2];

    *group = (struct mpl_group){ .id = mpl_arena_printf(arena, "g%zu", number + 1),
                                 .processes = speaker->processes,
                                 .settings = speaker->work->settings,
                                 .n_runs = n,
                                 .runs = runs,
                                 .speaker = speaker->run,
                                 .median_s = median_s(members, n),
                                 .low_s = members[0].window_s,
                                 .high_s = members[n - 1].window_s,
                                 .compute_s = speaker->work->compute_s,
                                 .computing = speaker->work->n_computing,
                                 .program = speaker->work->program };
    if (runs == NULL || group->id == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t i = 0; i < n; i++) {
        runs[i] = members[i].run;
    }
    return MPL_OK;
}

static uint32_t list_members(const struct mpl_sets_input *in, const struct work *works,
                             struct member *members)
{
    uint32_t n = 0;

    for (uint32_t r = 0; r < in->n_runs; r++) {
        const struct mpl_run *run = &in->runs[r];

        if (mpl_run_is_usable(run)) {
            members[n++] = (struct member){ .run = r,
                                            .processes = run->model->n_processes,
                                            .locations = run->model->n_locations,
                                            .work = &works[r],
                                            .window_s = run->window_s };
        }
    }
    return n;
}

static enum mpl_status gather(const struct mpl_sets_input *in, const struct work *works,
                              struct mpl_arena *arena, struct mpl_sets *sets,
                              struct mpl_err *err)
{
    struct member *members = MPL_NEW_ARRAY(arena, in->n_runs, struct member);
    uint32_t *group_of = MPL_NEW_ARRAY(arena, in->n_runs, uint32_t);
    enum mpl_status st = MPL_OK;

    if (members == NULL || group_of == NULL) {
        return mpl_nomem(err);
    }
    const uint32_t n = list_members(in, works, members);
    struct mpl_group *groups =
        MPL_NEW_ARRAY(arena, tell_apart(members, n), struct mpl_group);

    st = groups == NULL ? mpl_nomem(err) : MPL_OK;
    for (size_t r = 0; r < in->n_runs; r++) {
        group_of[r] = MPL_NONE;
    }
    for (uint32_t i = 0, end = 0; i < n && st == MPL_OK; i = end) {
        for (; end < n && members[end].part == members[i].part; end++) {
            group_of[members[end].run] = (uint32_t) sets->n_groups;
        }
        st =
            fill(arena, &members[i], end - i, &groups[sets->n_groups], sets->n_groups, err);
        sets->n_groups++;
    }
    sets->groups = groups;
    sets->group_of = group_of;
    return st;
}

enum mpl_status mpl_sets_find(const struct mpl_sets_input *in, struct mpl_arena *arena,
                              struct mpl_sets *out, struct mpl_err *err)
{
    struct work *works = NULL;
    enum mpl_status st = mpl_works_create(in, arena, &works, err);

    *out = (struct mpl_sets){ .n_groups = 0 };
    st = st == MPL_OK ? gather(in, works, arena, out, err) : st;
    return st == MPL_OK ? mpl_sets_remark(in, works, arena, out, err) : st;
}

const struct mpl_group *mpl_group_of(const struct mpl_sets *sets, uint32_t run)
{
    return sets->group_of[run] == MPL_NONE ? NULL : &sets->groups[sets->group_of[run]];
}
