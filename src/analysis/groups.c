/*
 * Which runs are repetitions of one another. They have the same number of processes and threads and
 * the same settings, exchange about as many messages and compute for about as long, in all
 * processes together. Where several are alike, the run of median duration represents them.
 */
#include "config.h"

#include "analysis/groups_priv.h"

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

static int compare_settings(const char *x, const char *y)
{
    return strcmp(x != NULL ? x : "", y != NULL ? y : "");
}

/* Runs that may be alike stand together. */
static int by_size(const struct member *x, const struct member *y)
{
    int order = compare(x->processes, y->processes);

    order = order != 0 ? order : compare(x->locations, y->locations);
    order = order != 0 ? order : compare(x->work->program, y->work->program);
    return order != 0 ? order : compare_settings(x->work->settings, y->work->settings);
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

/* Of members \p at to \p at + n - 1, ascending by duration. */
static enum mpl_status fill(struct mpl_analysis *a, const struct member *members,
                            uint32_t n, struct mpl_group *group, size_t number,
                            struct mpl_err *err)
{
    uint32_t *runs = MPL_NEW_ARRAY(a->arena, n, uint32_t);
    const struct member *speaker = &members[(n - 1) / 2];

    *group = (struct mpl_group){ .id = mpl_arena_printf(a->arena, "g%zu", number + 1),
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
        a->group_of[members[i].run] = (uint32_t) number;
    }
    return MPL_OK;
}

static enum mpl_status gather(struct mpl_analysis *a, const struct member *members,
                              uint32_t n, struct mpl_group *groups, struct mpl_err *err)
{
    enum mpl_status st = MPL_OK;
    size_t number = 0;

    for (uint32_t i = 0, end = 0; i < n && st == MPL_OK; i = end) {
        for (end = i + 1; end < n && members[end].part == members[i].part; end++) {
        }
        st = fill(a, &members[i], end - i, &groups[number], number, err);
        number++;
    }
    a->groups = groups;
    a->diagnosis.groups = groups;
    a->diagnosis.n_groups = number;
    return st;
}

static uint32_t list_members(const struct mpl_analysis *a, const struct work *works,
                             struct member *members)
{
    uint32_t n = 0;

    for (uint32_t r = 0; r < a->n_runs; r++) {
        const struct mpl_run *run = &a->runs[r].shown;

        if (mpl_run_is_usable(&a->runs[r])) {
            members[n++] = (struct member){ .run = r,
                                            .processes = run->model->n_processes,
                                            .locations = run->model->n_locations,
                                            .work = &works[r],
                                            .window_s = run->window_s };
        }
        a->group_of[r] = MPL_NONE;
    }
    return n;
}

enum mpl_status mpl_groups_make(struct mpl_analysis *a, struct mpl_err *err)
{
    struct member *members = MPL_NEW_ARRAY(a->arena, a->n_runs, struct member);
    struct work *works = NULL;
    enum mpl_status st;

    a->group_of = MPL_NEW_ARRAY(a->arena, a->n_runs, uint32_t);
    if (members == NULL || a->group_of == NULL) {
        return mpl_nomem(err);
    }
    st = mpl_works_create(a, &works, err);
    if (st != MPL_OK) {
        return st;
    }
    const uint32_t n = list_members(a, works, members);
    struct mpl_group *groups =
        MPL_NEW_ARRAY(a->arena, tell_apart(members, n), struct mpl_group);

    st = groups == NULL ? mpl_nomem(err) : gather(a, members, n, groups, err);
    return st == MPL_OK ? mpl_groups_remark(a, works, err) : st;
}

const struct mpl_group *mpl_group_of(const struct mpl_analysis *a, uint32_t run)
{
    return a->group_of[run] == MPL_NONE ? NULL : &a->diagnosis.groups[a->group_of[run]];
}
