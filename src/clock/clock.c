#include "config.h"

#include "clock/clock_priv.h"

#include <string.h>

/* The stage while it works. */
struct stage {
    struct mpl_model *model;
    struct mpl_arena *arena; /* Of the result; borrowed. */
    struct mpl_arena *scratch;
    struct mpl_clock *clock; /* The result. */
    struct mpl_order_view *view;
    int64_t *offset_ticks; /* The columns behind the result's. */
    int64_t *bound_ticks;
    int64_t *tree_ticks;
    int64_t *drift_ticks;
    int64_t *low_ticks;
    int64_t *high_ticks;
    int64_t *raw_ticks;        /* Per process: its base minus that of process 0. */
    int64_t *zero_ticks;       /* Per process. */
    struct mpl_clock_map *map; /* Per location. */
    uint64_t origin_ticks; /* Absolute ticks of the reference clock that maps lead to. */
};

struct mpl_clock_options mpl_clock_defaults(void)
{
    return (struct mpl_clock_options){ .choice = MPL_CLOCK_AUTO,
                                       .repair = mpl_clc_defaults() };
}

bool mpl_clock_choice_find(const char *name, enum mpl_clock_choice *out)
{
    static const char *const names[] = { "auto", "offsets", "messages", "none",
                                         "eventspace" };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) == 0) {
            *out = (enum mpl_clock_choice) i;
            return true;
        }
    }
    return false;
}

const char *mpl_clock_source_name(enum mpl_clock_source source)
{
    switch (source) {
    case MPL_CLOCK_SINGLE:
        return "single";
    case MPL_CLOCK_OFFSETS:
        return "offsets";
    case MPL_CLOCK_REFINED:
        return "refined";
    case MPL_CLOCK_MESSAGES:
        return "messages";
    case MPL_CLOCK_EVENTSPACE:
        return "eventspace";
    default:
        return "raw";
    }
}

static const struct mpl_location *master_of(const struct mpl_model *model, uint32_t process)
{
    return &model->locations[model->processes[process].locations[0]];
}

static bool has_events(const struct mpl_model *model, uint32_t process)
{
    const struct mpl_process *p = &model->processes[process];

    for (uint32_t t = 0; t < p->n_locations; t++) {
        if (model->locations[p->locations[t]].n_events > 0) {
            return true;
        }
    }
    return false;
}

/* ---- recorded offsets ----------------------------------------------------------------- */

static uint32_t offsets_of(const struct mpl_model *model, uint32_t location)
{
    return model->offsets == NULL || model->n_offsets == NULL ? 0
                                                              : model->n_offsets[location];
}

/*
 * Whose offsets hold at a location: its own, or those of the first thread of its process that
 * has any: threads share a clock. Two points tell the drift, so they are preferred to one. A
 * single point (a run cut short before the second was taken) is used as a constant: OTF2's own
 * reader ignores it, which leaves clocks of different nodes apart by days for the sake of
 * microseconds of drift.
 */
static uint32_t find_offsets(const struct mpl_model *model, uint32_t location)
{
    const struct mpl_process *process =
        &model->processes[model->locations[location].process];

    for (uint32_t enough = 2; enough > 0; enough--) {
        if (offsets_of(model, location) >= enough) {
            return location;
        }
        for (uint32_t t = 0; t < process->n_locations; t++) {
            if (offsets_of(model, process->locations[t]) >= enough) {
                return process->locations[t];
            }
        }
    }
    return MPL_NONE;
}

static enum mpl_status map_offsets(struct stage *s, struct mpl_err *err)
{
    struct mpl_quality *quality = s->model->quality;

    for (uint32_t l = 0; l < s->model->n_locations; l++) {
        const struct mpl_location *loc = &s->model->locations[l];
        const uint32_t from = find_offsets(s->model, l);
        bool is_sound = true;
        enum mpl_status st;

        if (from == MPL_NONE) {
            /* Only a process without any event has none. */
            st = mpl_clock_map_constant(0, s->scratch, &s->map[l], err);
        } else {
            st = mpl_clock_map_recorded(s->model->offsets[from], s->model->n_offsets[from],
                                        loc->base_ticks, s->origin_ticks, s->scratch,
                                        &s->map[l], &is_sound, err);
        }
        if (st != MPL_OK) {
            return st;
        }
        if (!is_sound) {
            mpl_quality_add(
                quality, "clock-offset-implausible", l, 1,
                "Recorded clock offsets that no clock can have; the first one is "
                "used throughout, so times may drift.");
        } else if (from != MPL_NONE && s->model->n_offsets[from] == 1) {
            mpl_quality_add(
                quality, "clock-offset-constant", l, 1,
                "Only one clock offset is recorded, so drift in the course of the "
                "run is not corrected.");
        }
    }
    return MPL_OK;
}

/* ---- constants -------------------------------------------------------------------------- */

static enum mpl_status map_constants(struct stage *s, const int64_t *add_ticks,
                                     struct mpl_err *err)
{
    enum mpl_status st = MPL_OK;

    for (uint32_t l = 0; l < s->model->n_locations && st == MPL_OK; l++) {
        const int64_t add = mpl_ticks_plus(s->view->skew_ticks[l],
                                           add_ticks[s->model->locations[l].process]);

        st = mpl_clock_map_constant(add, s->scratch, &s->map[l], err);
    }
    return st;
}

static void note_estimate(const struct stage *s, const struct mpl_estimate *e)
{
    struct mpl_quality *quality = s->model->quality;

    for (uint32_t l = 0; l < s->model->n_locations; l++) {
        const uint32_t p = s->model->locations[l].process;

        if (s->model->locations[l].n_events == 0) {
            continue;
        }
        if (e->is_alone[p]) {
            mpl_quality_add(
                quality, "clock-unconnected", l, 1,
                "No message or collective connects these clocks to the others; "
                "their times cannot be compared with those of other processes.");
        } else if (e->is_one_sided[p]) {
            mpl_quality_add(
                quality, "clock-one-sided", l, 1,
                "Messages go in one direction only, so these clocks are known "
                "from one side: the fastest message is taken to arrive at once, "
                "and no bound of the error can be given.");
        }
    }
    if (e->is_contradictory) {
        mpl_quality_add(
            quality, "clock-drift-suspected", MPL_NONE, 1,
            "No constant offsets fit all messages, so the clocks drift in the "
            "course of the run; one offset per process is used all the same, and "
            "the error bounds are as wide as the drift.");
    }
}

/* ---- sources ------------------------------------------------------------------------------ */

static enum mpl_clock_source choose_source(const struct mpl_model *model)
{
    bool has_offsets = true;
    uint32_t n_active = 0;

    for (uint32_t p = 0; p < model->n_processes; p++) {
        if (has_events(model, p)) {
            n_active++;
            has_offsets &=
                find_offsets(model, model->processes[p].locations[0]) != MPL_NONE;
        }
    }
    if (model->tracer == MPL_TRACER_TEXT || n_active <= 1) {
        return MPL_CLOCK_SINGLE;
    }
    return has_offsets ? MPL_CLOCK_OFFSETS : MPL_CLOCK_MESSAGES;
}

static void set_bounds(struct stage *s, const int64_t *bound_ticks,
                       const int64_t *tree_ticks)
{
    for (uint32_t l = 0; l < s->model->n_locations; l++) {
        s->bound_ticks[l] = bound_ticks[s->model->locations[l].process];
        s->tree_ticks[l] = tree_ticks[s->model->locations[l].process];
    }
}

/* Nothing but the clocks themselves: nobody knows how far they are apart. */
static enum mpl_status map_raw(struct stage *s, enum mpl_clock_source source,
                               struct mpl_err *err)
{
    const uint32_t reference = s->clock->reference;

    s->clock->source = source;
    for (uint32_t l = 0; l < s->model->n_locations; l++) {
        const bool is_known =
            source == MPL_CLOCK_SINGLE ||
            s->model->locations[l].process == s->model->locations[reference].process;

        s->bound_ticks[l] = is_known ? 0 : INT64_MAX;
        s->tree_ticks[l] = s->bound_ticks[l];
    }
    return map_constants(s, s->raw_ticks, err);
}

static enum mpl_status map_messages(struct stage *s, struct mpl_links *links,
                                    struct mpl_err *err)
{
    const struct mpl_estimate *estimate = NULL;
    const enum mpl_status st =
        mpl_estimate_create(s->view, links, s->raw_ticks, s->scratch, &estimate, err);

    if (st != MPL_OK) {
        return st;
    }
    note_estimate(s, estimate);
    if (links->link.n == 0) {
        return map_raw(s, MPL_CLOCK_RAW, err);
    }
    s->clock->source = MPL_CLOCK_MESSAGES;
    s->clock->reference = s->model->processes[estimate->reference].locations[0];
    s->origin_ticks = s->model->locations[s->clock->reference].base_ticks;
    set_bounds(s, estimate->bound_ticks, estimate->tree_ticks);
    return map_constants(s, estimate->add_ticks, err);
}

/* Counts on the clocks as recorded, and finds the maps; \p links are open. */
static enum mpl_status find_maps(struct stage *s, struct mpl_links *links,
                                 struct mpl_err *err)
{
    const enum mpl_clock_source source = choose_source(s->model);
    const bool is_estimated = source == MPL_CLOCK_MESSAGES;
    enum mpl_status st;

    s->clock->source = source;
    s->clock->reference = 0;
    s->origin_ticks = s->model->locations[0].base_ticks;
    st = mpl_clock_scan(s->view, s->raw_ticks, is_estimated ? links : NULL, NULL,
                        &s->clock->before, err);
    if (st != MPL_OK) {
        return st;
    }
    switch (source) {
    case MPL_CLOCK_OFFSETS:
        return map_offsets(s, err);
    case MPL_CLOCK_MESSAGES:
        return map_messages(s, links, err);
    default:
        return map_raw(s, source, err);
    }
}

/* ---- the new times -------------------------------------------------------------------------- */

/* What a map adds to the recorded absolute time. */
static int64_t offset_at(const struct stage *s, uint32_t location, int64_t ticks)
{
    const uint64_t absolute =
        (uint64_t) mpl_clock_map_apply(&s->map[location], ticks) + s->origin_ticks;

    return (int64_t) (absolute - s->model->locations[location].base_ticks -
                      (uint64_t) ticks);
}

static void set_offset(struct stage *s, uint32_t location)
{
    const struct mpl_location *loc = &s->model->locations[location];
    const int64_t first = loc->n_events > 0 ? loc->time_ticks[0] : 0;
    const int64_t last = loc->n_events > 0 ? loc->time_ticks[loc->n_events - 1] : 0;
    const __int128 sum =
        (__int128) offset_at(s, location, first) + offset_at(s, location, last);

    s->offset_ticks[location] = (int64_t) (sum / 2);
}

/* One base for all: the first event of the run is at 0. */
static void apply_maps(struct stage *s)
{
    struct mpl_model *model = s->model;
    int64_t first = INT64_MAX;

    for (uint32_t l = 0; l < model->n_locations; l++) {
        const struct mpl_location *loc = &model->locations[l];

        set_offset(s, l);
        if (loc->n_events > 0) {
            const int64_t ticks = mpl_clock_map_apply(&s->map[l], loc->time_ticks[0]);

            first = ticks < first ? ticks : first;
        }
    }
    first = first == INT64_MAX ? 0 : first;
    s->clock->duration_ticks = 0;
    for (uint32_t l = 0; l < model->n_locations; l++) {
        struct mpl_location *loc = &model->locations[l];

        for (uint32_t k = 0; k < s->map[l].n; k++) {
            s->map[l].knot[k].add_ticks =
                mpl_ticks_minus(s->map[l].knot[k].add_ticks, first);
        }
        mpl_clock_map_apply_all(&s->map[l], loc->time_ticks, loc->n_events);
        loc->base_ticks = s->origin_ticks + (uint64_t) first;
        if (loc->n_events > 0 &&
            loc->time_ticks[loc->n_events - 1] > s->clock->duration_ticks) {
            s->clock->duration_ticks = loc->time_ticks[loc->n_events - 1];
        }
    }
    mpl_order_view_refresh(s->view);
}

/*
 * Recorded offsets come without an error. But once they are applied, messages limit what error
 * is left: a clock that is off by e reverses messages unless e lies between the shortest paths
 * L and U from the reference, which are at most 0 and at least 0. The bound is the larger of
 * the two, so it tells how wrong the offsets could be without any message telling; it is not
 * an estimate of how wrong they are. Where messages contradict each other, drift.c's limits
 * are used in the same way.
 */
static enum mpl_status bound_offsets(struct stage *s, struct mpl_links *links,
                                     struct mpl_err *err)
{
    const struct mpl_estimate *e = NULL;
    const enum mpl_status st =
        mpl_estimate_create(s->view, links, s->zero_ticks, s->scratch, &e, err);

    if (st != MPL_OK) {
        return st;
    }
    s->clock->reference = s->model->processes[e->reference].locations[0];
    for (uint32_t p = 0; p < s->model->n_processes; p++) {
        const int64_t high = e->high_ticks[p];
        const int64_t low = e->low_ticks[p];

        if (low != INT64_MIN && high != INT64_MAX) {
            const int64_t above = high < 0 ? -high : high;
            const int64_t below = low < 0 ? -low : low;

            e->bound_ticks[p] = above > below ? above : below;
        }
    }
    set_bounds(s, e->bound_ticks, e->bound_ticks);
    return MPL_OK;
}

/* ---- the whole -------------------------------------------------------------------------------- */

static enum mpl_status make_columns(struct stage *s, const struct mpl_match *match,
                                    struct mpl_err *err)
{
    const uint32_t n_locations = s->model->n_locations;
    const uint32_t n_processes = s->model->n_processes;

    s->clock = MPL_NEW(s->arena, struct mpl_clock);
    s->offset_ticks = MPL_NEW_ARRAY(s->arena, n_locations, int64_t);
    s->bound_ticks = MPL_NEW_ARRAY(s->arena, n_locations, int64_t);
    s->tree_ticks = MPL_NEW_ARRAY(s->arena, n_locations, int64_t);
    s->drift_ticks = MPL_NEW_ARRAY(s->arena, n_locations, int64_t);
    s->low_ticks = MPL_NEW_ARRAY(s->arena, n_locations, int64_t);
    s->high_ticks = MPL_NEW_ARRAY(s->arena, n_locations, int64_t);
    s->raw_ticks = MPL_NEW_ARRAY(s->scratch, n_processes, int64_t);
    s->zero_ticks = MPL_NEW_ARRAY(s->scratch, n_processes, int64_t);
    s->map = MPL_NEW_ARRAY(s->scratch, n_locations, struct mpl_clock_map);
    if (s->clock == NULL || s->offset_ticks == NULL || s->bound_ticks == NULL ||
        s->tree_ticks == NULL || s->drift_ticks == NULL || s->low_ticks == NULL ||
        s->high_ticks == NULL || s->raw_ticks == NULL || s->zero_ticks == NULL ||
        s->map == NULL) {
        return mpl_nomem(err);
    }
    s->clock->offset_ticks = s->offset_ticks;
    s->clock->bound_ticks = s->bound_ticks;
    s->clock->tree_bound_ticks = s->tree_ticks;
    s->clock->drift_ticks = s->drift_ticks;
    s->clock->low_ticks = s->low_ticks;
    s->clock->high_ticks = s->high_ticks;
    s->clock->n_pieces = 1;
    for (uint32_t p = 0; p < n_processes; p++) {
        s->raw_ticks[p] = mpl_ticks_narrow((__int128) master_of(s->model, p)->base_ticks -
                                           master_of(s->model, 0)->base_ticks);
    }
    return mpl_order_view_create(s->model, match, s->scratch, &s->view, err);
}

/* Counts on the corrected time line; \p links are open and empty, or NULL. */
static enum mpl_status count_after(struct stage *s, struct mpl_links *links,
                                   struct mpl_err *err)
{
    uint64_t *per_location = MPL_NEW_ARRAY(s->scratch, s->model->n_locations, uint64_t);
    enum mpl_status st;

    if (per_location == NULL) {
        return mpl_nomem(err);
    }
    st = mpl_clock_scan(s->view, s->zero_ticks, links, per_location, &s->clock->after, err);
    for (uint32_t l = 0; l < s->model->n_locations && st == MPL_OK; l++) {
        if (per_location[l] > 0) {
            mpl_quality_add(s->model->quality, "clock-violation", l, per_location[l],
                            "Messages and collectives that end before they begin, although "
                            "the clocks are corrected; waiting times there are wrong by as "
                            "much.");
        }
    }
    return st;
}

static void limit_by_bounds(struct stage *s)
{
    for (uint32_t l = 0; l < s->model->n_locations; l++) {
        const int64_t bound = s->bound_ticks[l];

        s->low_ticks[l] = bound == INT64_MAX ? INT64_MIN : -bound;
        s->high_ticks[l] = bound;
    }
}

static enum mpl_status run(struct stage *s, struct mpl_err *err)
{
    struct mpl_links links = { 0 };
    enum mpl_status st = mpl_links_open(&links, s->view, err);

    if (st == MPL_OK) {
        st = find_maps(s, &links, err);
    }
    if (st == MPL_OK) {
        const bool is_recorded = s->clock->source == MPL_CLOCK_OFFSETS;

        apply_maps(s);
        limit_by_bounds(s);
        st = count_after(s, is_recorded ? &links : NULL, err);
        if (st == MPL_OK && is_recorded) {
            st = bound_offsets(s, &links, err);
        }
    }
    s->clock->mapped = s->clock->after;
    mpl_links_close(&links);
    return st;
}

enum mpl_status mpl_clock_correct(struct mpl_model *model, const struct mpl_match *match,
                                  const struct mpl_clock_options *options,
                                  const struct mpl_progress *progress,
                                  struct mpl_arena *arena, const struct mpl_clock **out,
                                  struct mpl_err *err)
{
    struct stage s = { .model = model, .arena = arena };
    enum mpl_status st;

    (void) options;
    (void) progress;
    /* A reader refuses a trace without any location. */
    mpl_assert(model->n_locations > 0);
    s.scratch = mpl_arena_create();
    if (s.scratch == NULL) {
        return mpl_nomem(err);
    }
    st = make_columns(&s, match, err);
    if (st == MPL_OK) {
        st = run(&s, err);
    }
    if (st == MPL_OK) {
        *out = s.clock;
    }
    mpl_arena_destroy(s.scratch);
    return st;
}
