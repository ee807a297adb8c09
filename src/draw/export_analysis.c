/* What marple found in a run, each on a track of its own above the locations. */
#include "config.h"

#include "draw/export_priv.h"

#include <math.h>

enum { LIST_BYTES = 400 };

static bool is_in_window(const struct mpl_exporting *x, int64_t begin, int64_t end)
{
    return begin <= x->s->end_ticks && end >= x->s->begin_ticks;
}

static void write_slice(struct mpl_exporting *x, struct mpl_export_slice *slice,
                        int64_t begin, int64_t end)
{
    slice->begin_ns = mpl_export_ns(x, begin);
    slice->end_ns = mpl_export_ns(x, end > begin ? end : begin);
    x->writer->begin(x->writer, slice);
    x->writer->end(x->writer, slice);
}

static void say(struct mpl_exporting *x, struct mpl_export_slice *slice,
                enum mpl_export_key key, const char *text)
{
    if (text != NULL) {
        slice->arguments[slice->n_arguments++] =
            (struct mpl_export_argument){ .key = key,
                                          .text = { 0, mpl_export_clean(x->arena, text) } };
    }
}

static void say_ns(struct mpl_export_slice *slice, enum mpl_export_key key, int64_t ns)
{
    slice->arguments[slice->n_arguments++] =
        (struct mpl_export_argument){ .key = key, .number = (uint64_t) ns };
}

static void write_path(struct mpl_exporting *x)
{
    if (x->d->path == NULL || x->d->path->path->n == 0) {
        return;
    }
    const struct mpl_critical *path = x->d->path->path;
    struct mpl_export_slice slice = {
        .track = mpl_export_open_track(x, "critical path", MPL_EXPORT_SLICES).number,
        .category = MPL_EXPORT_PATH,
    };

    for (uint32_t i = 0; i < path->n; i++) {
        const struct mpl_critical_segment *segment = &path->segments[i];

        if (x->s->has_location[segment->location] &&
            is_in_window(x, segment->begin_ticks, segment->end_ticks)) {
            slice.name.text = x->rank_of[segment->location];
            write_slice(x, &slice, segment->begin_ticks, segment->end_ticks);
        }
    }
}

/* Processes come to a step at different times: on the track it begins with the first of them. */
static enum mpl_status write_steps(struct mpl_exporting *x, struct mpl_err *err)
{
    struct mpl_export_argument arguments[MPL_EXPORT_ARGUMENTS];
    struct mpl_export_slice slice = { .category = MPL_EXPORT_STEP, .arguments = arguments };
    const enum mpl_status st = mpl_selection_steps(x->s, x->arena, err);
    int64_t begin;
    int64_t last;

    if (st != MPL_OK || x->s->steps->n == 0) {
        return st;
    }
    slice.track = mpl_export_open_track(x, "steps", MPL_EXPORT_SLICES).number;
    mpl_step_ends(x->run, x->s->steps, 0, &begin, &last);
    for (uint32_t k = 1; k <= x->s->steps->n; k++) {
        char name[24];
        int64_t next;
        int64_t next_last;

        mpl_step_ends(x->run, x->s->steps, k, &next, &next_last);
        if (is_in_window(x, begin, next)) {
            (void) snprintf(name, sizeof name, "step %u", k);
            slice.name.text = name;
            slice.n_arguments = 0;
            say_ns(&slice, MPL_EXPORT_LAST_BEGIN, mpl_export_ns(x, last));
            write_slice(x, &slice, begin,
                        k == x->s->steps->n && next_last > next ? next_last : next);
        }
        begin = next;
        last = next_last;
    }
    return MPL_OK;
}

struct hull {
    const struct mpl_events *events;
    int64_t begin;
    int64_t end;
};

static void add_wait(void *context, uint32_t location, uint32_t call)
{
    struct hull *h = context;
    const int64_t begin = mpl_events_enter_ticks(h->events, location, 2 * call + 1);
    const int64_t end = begin + mpl_events_wait_ticks(h->events, location, 2 * call + 1);

    h->begin = begin < h->begin ? begin : h->begin;
    h->end = end > h->end ? end : h->end;
}

/* From its first wait to the end of its last one; where nobody waits, what is diagnosed. */
static enum mpl_status write_finding(struct mpl_exporting *x, const struct mpl_diagnosed *f,
                                     struct mpl_err *err)
{
    struct hull hull = { x->run->events, INT64_MAX, INT64_MIN };
    const enum mpl_status st = mpl_waits_of(x->d, f, add_wait, &hull, err);

    if (hull.begin > hull.end) {
        mpl_events_window(x->run->events, &hull.begin, &hull.end);
    }
    if (st != MPL_OK || !is_in_window(x, hull.begin, hull.end)) {
        return st;
    }
    const char *name =
        mpl_arena_printf(x->arena, "finding %s: %s", f->id, f->finding->name);
    struct mpl_export_argument arguments[MPL_EXPORT_ARGUMENTS];
    struct mpl_export_slice slice = {
        .category = MPL_EXPORT_FINDING,
        .arguments = arguments,
        .track =
            mpl_export_open_track(x, mpl_export_clean(x->arena, name), MPL_EXPORT_SLICES)
                .number,
        .name = { 0, mpl_export_clean(x->arena, f->headline != NULL ? f->headline
                                                                    : f->finding->name) },
    };

    say(x, &slice, MPL_EXPORT_PATTERN, f->finding->pattern);
    say(x, &slice, MPL_EXPORT_CERTAINTY, mpl_certainty_name(f->certainty));
    say(x, &slice, MPL_EXPORT_FIX, f->fix);
    if (isfinite(f->lost_s) && f->lost_s >= 0) {
        say_ns(&slice, MPL_EXPORT_LOST, llround(f->lost_s * 1e9));
    }
    write_slice(x, &slice, hull.begin, hull.end);
    return MPL_OK;
}

/* "ranks 0-3, 5": labels of locations, neighbours together. */
static const char *list_of(const struct mpl_exporting *x, const struct mpl_role *role)
{
    char list[LIST_BYTES + 100] = "";
    size_t used = 0;

    for (uint32_t i = 0; i < role->n && used < LIST_BYTES;) {
        uint32_t last = i;

        while (last + 1 < role->n &&
               role->locations[last + 1] == role->locations[last] + 1) {
            last++;
        }
        used += (size_t) snprintf(list + used, sizeof list - used,
                                  last > i ? "%s%.20s-%.20s" : "%s%.20s", i > 0 ? ", " : "",
                                  x->run->model->locations[role->locations[i]].label,
                                  x->run->model->locations[role->locations[last]].label);
        i = last + 1;
    }
    return mpl_export_clean(
        x->arena, mpl_arena_printf(x->arena, "%s %s%s", role->n == 1 ? "rank" : "ranks",
                                   list, used < LIST_BYTES ? "" : ", …"));
}

static void write_roles(struct mpl_exporting *x, const struct mpl_trial *trial)
{
    int64_t begin;
    int64_t end;

    mpl_events_window(x->run->events, &begin, &end);
    const int64_t from =
        begin + llround(trial->begin_s * (double) x->run->model->ticks_per_s);
    const int64_t to = begin + llround(trial->end_s * (double) x->run->model->ticks_per_s);

    for (size_t i = 0; i < mpl_pattern_role_count(trial->pattern); i++) {
        const struct mpl_role *role = mpl_recognition_role(trial->recognition, i);

        if (role->n == 0 || !is_in_window(x, from, to)) {
            continue;
        }
        const char *name =
            mpl_arena_printf(x->arena, "role %s of %s", role->name, trial->id);
        struct mpl_export_argument arguments[MPL_EXPORT_ARGUMENTS];
        struct mpl_export_slice slice = {
            .category = MPL_EXPORT_ROLE,
            .arguments = arguments,
            .track = mpl_export_open_track(x, mpl_export_clean(x->arena, name),
                                           MPL_EXPORT_SLICES)
                         .number,
            .name = { 0, list_of(x, role) },
        };

        say(x, &slice, MPL_EXPORT_PATTERN, trial->id);
        write_slice(x, &slice, from < 0 ? 0 : from, to < end ? to : end);
    }
}

enum mpl_status mpl_export_analysis(struct mpl_exporting *x, struct mpl_err *err)
{
    enum mpl_status st = MPL_OK;

    write_path(x);
    for (size_t i = 0; i < x->d->n_findings && st == MPL_OK; i++) {
        if (mpl_diagnosed_is_cause(&x->d->findings[i])) {
            st = write_finding(x, &x->d->findings[i], err);
        }
    }
    for (size_t i = 0; i < x->d->n_trials && st == MPL_OK; i++) {
        if (x->d->trials[i].is_chosen && x->d->trials[i].recognition != NULL) {
            write_roles(x, &x->d->trials[i]);
        }
    }
    return st == MPL_OK ? write_steps(x, err) : st;
}
