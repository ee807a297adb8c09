#include "config.h"

#include "clock/clock_priv.h"

#include <string.h>

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
    static const char *const names[] = {
        [MPL_CLOCK_SINGLE] = "single",         [MPL_CLOCK_OFFSETS] = "offsets",
        [MPL_CLOCK_REFINED] = "refined",       [MPL_CLOCK_MESSAGES] = "messages",
        [MPL_CLOCK_EVENTSPACE] = "eventspace", [MPL_CLOCK_RAW] = "raw",
    };

    return names[source];
}

/* ---- constants -------------------------------------------------------------------------- */

enum mpl_status mpl_clock_map_constants(struct mpl_clock_stage *s, const int64_t *add_ticks,
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

/* Nothing but the clocks themselves: nobody knows how far they are apart. */
static enum mpl_status map_raw(struct mpl_clock_stage *s, enum mpl_clock_source source,
                               struct mpl_err *err)
{
    const uint32_t reference = s->model->locations[s->clock->reference].process;

    s->clock->source = source;
    for (uint32_t p = 0; p < s->model->n_processes; p++) {
        s->bound_ticks[p] = source == MPL_CLOCK_SINGLE || p == reference ? 0 : INT64_MAX;
        s->tree_ticks[p] = s->bound_ticks[p];
        s->high_ticks[p] = s->bound_ticks[p];
        s->low_ticks[p] = s->bound_ticks[p] == 0 ? 0 : INT64_MIN;
    }
    return mpl_clock_map_constants(s, s->raw_ticks, err);
}

void mpl_clock_keep_estimate(struct mpl_clock_stage *s, const struct mpl_estimate *e,
                             const int64_t *add_ticks)
{
    s->clock->reference = s->model->processes[e->reference].locations[0];
    for (uint32_t p = 0; p < s->model->n_processes; p++) {
        const int64_t add = add_ticks == NULL ? 0 : add_ticks[p];

        s->bound_ticks[p] = e->bound_ticks[p];
        s->tree_ticks[p] = e->tree_ticks[p];
        s->low_ticks[p] = e->low_ticks[p] == INT64_MIN
                              ? INT64_MIN
                              : mpl_ticks_minus(e->low_ticks[p], add);
        s->high_ticks[p] = e->high_ticks[p] == INT64_MAX
                               ? INT64_MAX
                               : mpl_ticks_minus(e->high_ticks[p], add);
    }
}

/* Constants; where the clocks drift, rough ones that mpl_clock_refine_messages() starts from. */
static enum mpl_status map_messages(struct mpl_clock_stage *s, struct mpl_links *links,
                                    struct mpl_err *err)
{
    const struct mpl_estimate *estimate = NULL;
    const enum mpl_status st = mpl_estimate_create(s->view, links, s->raw_ticks, false,
                                                   s->scratch, &estimate, err);

    if (st != MPL_OK) {
        return st;
    }
    if (links->link.n == 0) {
        mpl_clock_note_sides(s, estimate->is_alone, estimate->is_one_sided);
        return map_raw(s, MPL_CLOCK_RAW, err);
    }
    s->estimate = estimate;
    s->clock->source = MPL_CLOCK_MESSAGES;
    mpl_clock_keep_estimate(s, estimate, estimate->add_ticks);
    s->origin_ticks = s->model->locations[s->clock->reference].base_ticks;
    return mpl_clock_map_constants(s, estimate->add_ticks, err);
}

static enum mpl_status map_eventspace(struct mpl_clock_stage *s, struct mpl_err *err)
{
    const uint32_t n = s->model->n_processes;
    int64_t *add_ticks = MPL_NEW_ARRAY(s->scratch, n, int64_t);
    bool *is_reached = MPL_NEW_ARRAY(s->scratch, n, bool);

    if (add_ticks == NULL || is_reached == NULL) {
        return mpl_nomem(err);
    }
    const enum mpl_status st = mpl_eventspace_estimate(s->view, s->raw_ticks, s->scratch,
                                                       add_ticks, is_reached, err);
    if (st != MPL_OK) {
        return st;
    }
    for (uint32_t l = 0; l < s->model->n_locations; l++) {
        if (!is_reached[s->model->locations[l].process] &&
            s->model->locations[l].n_events > 0) {
            mpl_quality_add(s->model->quality, "clock-unconnected", l, 1,
                            "No messages and answers connect these clocks to the others; "
                            "their times cannot be compared with those of other "
                            "processes.");
        }
    }
    return mpl_clock_map_constants(s, add_ticks, err);
}

static bool is_far(int64_t ticks)
{
    return ticks > MPL_TICKS_FAR / 4 || ticks < -MPL_TICKS_FAR / 4;
}

/*
 * Whether the maps move all clocks by the same: then messages are as they were, and what is counted
 * on the new time line holds for the recorded one. Such are the offsets of a run on a single node.
 */
static bool are_maps_rigid(const struct mpl_clock_stage *s)
{
    const struct mpl_model *model = s->model;
    int64_t common = 0;
    bool is_first = true;

    for (uint32_t l = 0; l < model->n_locations; l++) {
        const struct mpl_location *loc = &model->locations[l];
        const int64_t base = (int64_t) (loc->base_ticks - s->origin_ticks);

        for (uint32_t k = 0; k < s->map[l].n && loc->n_events > 0; k++) {
            const struct mpl_clock_knot *knot = &s->map[l].knot[k];

            if (is_far(base) || is_far(knot->add_ticks) ||
                is_far(mpl_ticks_of(loc, loc->n_events - 1)) || knot->slope_q62 != 0 ||
                (!is_first && knot->add_ticks - base != common)) {
                return false;
            }
            common = knot->add_ticks - base;
            is_first = false;
        }
    }
    return true;
}

/* Counts on the clocks as recorded, where that is not the same afterwards, and finds the maps; \p links are open. */
static enum mpl_status find_maps(struct mpl_clock_stage *s, struct mpl_links *links,
                                 struct mpl_err *err)
{
    const enum mpl_clock_source source =
        mpl_clock_choose_source(s->model, s->options->choice);
    const bool is_estimated = source == MPL_CLOCK_MESSAGES;
    enum mpl_status st;

    s->clock->source = source;
    s->clock->reference = 0;
    s->origin_ticks = s->model->locations[0].base_ticks;
    if (source == MPL_CLOCK_OFFSETS) {
        st = mpl_clock_map_offsets(s, err);
        s->is_rigid = st == MPL_OK && are_maps_rigid(s);
        if (st != MPL_OK || s->is_rigid) {
            return st;
        }
    }
    st = mpl_clock_scan(s->view, s->raw_ticks, is_estimated ? links : NULL, NULL, NULL,
                        &s->clock->before, err);
    if (st != MPL_OK) {
        return st;
    }
    if (is_estimated && s->options->choice == MPL_CLOCK_ONLY_OFFSETS) {
        mpl_quality_add(s->model->quality, "clock-no-offsets", MPL_NONE, 1,
                        "No clock offsets are recorded, so that clocks are compared by "
                        "messages and collectives instead.");
    }
    switch (source) {
    case MPL_CLOCK_OFFSETS:
        return MPL_OK;
    case MPL_CLOCK_MESSAGES:
        return map_messages(s, links, err);
    case MPL_CLOCK_EVENTSPACE:
        return map_eventspace(s, err);
    default:
        return map_raw(s, source, err);
    }
}

/* ---- the new times -------------------------------------------------------------------------- */

static int64_t find_first_ticks(const struct mpl_clock_stage *s)
{
    int64_t first = INT64_MAX;

    for (uint32_t l = 0; l < s->model->n_locations; l++) {
        const struct mpl_location *loc = &s->model->locations[l];

        if (loc->n_events > 0) {
            const int64_t ticks = mpl_clock_map_apply(&s->map[l], mpl_ticks_of(loc, 0));

            first = ticks < first ? ticks : first;
        }
    }
    return first == INT64_MAX ? 0 : first;
}

static enum mpl_status apply_map(void *context, size_t l, unsigned worker,
                                 struct mpl_err *err)
{
    struct mpl_clock_stage *s = context;
    struct mpl_location *loc = &s->model->locations[l];

    (void) worker;
    for (uint32_t k = 0; k < s->map[l].n; k++) {
        s->map[l].knot[k].add_ticks =
            mpl_ticks_minus(s->map[l].knot[k].add_ticks, s->first_ticks);
    }
    if (!mpl_clock_map_apply_all(&s->map[l], &loc->times, loc->n_events)) {
        return mpl_nomem(err);
    }
    loc->base_ticks = s->origin_ticks + (uint64_t) s->first_ticks;
    return MPL_OK;
}

enum mpl_status mpl_clock_apply_maps(struct mpl_clock_stage *s, struct mpl_err *err)
{
    const struct mpl_parallel job = { .n_tasks = s->model->n_locations,
                                      .max_threads = mpl_threads(),
                                      .run = apply_map,
                                      .context = s };

    s->first_ticks = find_first_ticks(s);
    const enum mpl_status st = mpl_parallel_run(&job, err);
    if (st != MPL_OK) {
        return st;
    }
    s->clock->duration_ticks = 0;
    for (uint32_t l = 0; l < s->model->n_locations; l++) {
        const struct mpl_location *loc = &s->model->locations[l];

        if (loc->n_events > 0 &&
            mpl_ticks_of(loc, loc->n_events - 1) > s->clock->duration_ticks) {
            s->clock->duration_ticks = mpl_ticks_of(loc, loc->n_events - 1);
        }
    }
    s->origin_ticks += (uint64_t) s->first_ticks;
    mpl_order_view_refresh(s->view);
    return MPL_OK;
}

/* What the absolute time of the first (1: last) event was, or is. */
static uint64_t end_of(const struct mpl_location *loc, int which)
{
    const int64_t ticks = loc->n_events == 0 ? 0
                          : which == 0       ? mpl_ticks_of(loc, 0)
                                             : mpl_ticks_of(loc, loc->n_events - 1);

    return loc->base_ticks + (uint64_t) ticks;
}

/* A location without events shares the offset of its process, which the first other one has. */
static uint32_t find_moved(const struct mpl_model *model, uint32_t location)
{
    const struct mpl_process *process =
        &model->processes[model->locations[location].process];

    for (uint32_t t = 0; t < process->n_locations; t++) {
        if (model->locations[process->locations[t]].n_events > 0) {
            return process->locations[t];
        }
    }
    return MPL_NONE;
}

static void set_offsets(struct mpl_clock_stage *s)
{
    for (uint32_t l = 0; l < s->model->n_locations; l++) {
        const struct mpl_location *loc = &s->model->locations[l];
        const uint32_t from = loc->n_events > 0 ? l : find_moved(s->model, l);

        if (from == MPL_NONE) {
            continue;
        }
        loc = &s->model->locations[from];

        const int64_t first = (int64_t) (end_of(loc, 0) - s->recorded_end[from][0]);
        const int64_t last = (int64_t) (end_of(loc, 1) - s->recorded_end[from][1]);

        s->offset_ticks[l] = (int64_t) (((__int128) first + last) / 2);
        s->drift_ticks[l] = mpl_ticks_minus(last, first);
    }
}

/*
 * Recorded offsets come without an error. But once they are applied, messages limit what error
 * is left: a clock that is off by e reverses messages unless e lies between the shortest paths
 * L and U from the reference, which are at most 0 and at least 0. The bound is the larger of
 * the two, so it says how wrong the offsets could be without any message showing it; it is not
 * an estimate of how wrong they are. Where messages contradict each other, so that there are
 * no such limits, the largest reversal is the least that the offsets are wrong by, and no more
 * can be said. Where the trace itself states a larger error, that holds.
 *
 * \p is_last: nobody needs the links any more, which a solution would add to.
 */
static enum mpl_status bound_offsets(struct mpl_clock_stage *s, struct mpl_links *links,
                                     bool is_last, struct mpl_err *err)
{
    const struct mpl_estimate *e = NULL;
    const enum mpl_status st =
        mpl_estimate_create(s->view, links, s->zero_ticks, is_last, s->scratch, &e, err);

    if (st != MPL_OK) {
        return st;
    }
    mpl_clock_keep_estimate(s, e, NULL);
    for (uint32_t p = 0; p < s->model->n_processes; p++) {
        const int64_t high = s->high_ticks[p];
        const int64_t low = s->low_ticks[p];
        const int64_t stated = mpl_clock_stated_error(s->model, p);

        if (low != INT64_MIN && high != INT64_MAX) {
            const int64_t above = high < 0 ? -high : high;
            const int64_t below = low < 0 ? -low : low;

            s->bound_ticks[p] = above > below ? above : below;
            s->low_ticks[p] = low > 0 ? 0 : low;
            s->high_ticks[p] = high < 0 ? 0 : high;
            if (stated > s->bound_ticks[p]) {
                s->bound_ticks[p] = stated;
                s->low_ticks[p] = -stated;
                s->high_ticks[p] = stated;
            }
        }
        s->tree_ticks[p] = s->bound_ticks[p];
    }
    return MPL_OK;
}

/* ---- the whole ----------------------------------------------------------------------------- */

static enum mpl_status make_result(struct mpl_clock_stage *s, struct mpl_err *err)
{
    const uint32_t n = s->model->n_locations;
    int64_t *room = MPL_NEW_ARRAY(s->arena, (size_t) n * 6, int64_t);

    s->clock = MPL_NEW(s->arena, struct mpl_clock);
    if (s->clock == NULL || room == NULL) {
        return mpl_nomem(err);
    }
    s->offset_ticks = room;
    s->drift_ticks = room + n;
    s->clock->offset_ticks = s->offset_ticks;
    s->clock->drift_ticks = s->drift_ticks;
    for (size_t i = 0; i < 4; i++) {
        s->column[i] = room + (2 + i) * n;
    }
    s->clock->bound_ticks = s->column[0];
    s->clock->tree_bound_ticks = s->column[1];
    s->clock->low_ticks = s->column[2];
    s->clock->high_ticks = s->column[3];
    s->clock->n_pieces = 1;
    return MPL_OK;
}

static enum mpl_status make_scratch(struct mpl_clock_stage *s,
                                    const struct mpl_match *match, struct mpl_err *err)
{
    const uint32_t n_locations = s->model->n_locations;
    const uint32_t n_processes = s->model->n_processes;

    s->bound_ticks = MPL_NEW_ARRAY(s->scratch, n_processes, int64_t);
    s->tree_ticks = MPL_NEW_ARRAY(s->scratch, n_processes, int64_t);
    s->low_ticks = MPL_NEW_ARRAY(s->scratch, n_processes, int64_t);
    s->high_ticks = MPL_NEW_ARRAY(s->scratch, n_processes, int64_t);
    s->raw_ticks = MPL_NEW_ARRAY(s->scratch, n_processes, int64_t);
    s->zero_ticks = MPL_NEW_ARRAY(s->scratch, n_processes, int64_t);
    s->n_violations = MPL_NEW_ARRAY(s->scratch, n_locations, uint64_t);
    s->map = MPL_NEW_ARRAY(s->scratch, n_locations, struct mpl_clock_map);
    s->recorded_end = mpl_arena_array(s->scratch, n_locations, sizeof *s->recorded_end);
    if (mpl_arena_is_short(s->scratch)) {
        return mpl_nomem(err);
    }
    for (uint32_t p = 0; p < n_processes; p++) {
        const uint32_t l = s->model->processes[p].locations[0];
        const uint32_t first = s->model->processes[0].locations[0];

        s->raw_ticks[p] = mpl_ticks_narrow((__int128) s->model->locations[l].base_ticks -
                                           s->model->locations[first].base_ticks);
    }
    for (uint32_t l = 0; l < s->model->n_locations; l++) {
        s->recorded_end[l][0] = end_of(&s->model->locations[l], 0);
        s->recorded_end[l][1] = end_of(&s->model->locations[l], 1);
    }
    return mpl_order_view_create(s->model, match, s->scratch, &s->view, err);
}

/* What is known per process becomes columns per location. */
static void fill_result(struct mpl_clock_stage *s)
{
    const int64_t *const known[] = { s->bound_ticks, s->tree_ticks, s->low_ticks,
                                     s->high_ticks };

    for (uint32_t l = 0; l < s->model->n_locations; l++) {
        for (int i = 0; i < 4; i++) {
            s->column[i][l] = known[i][s->model->locations[l].process];
        }
    }
}

/* Between processes: what clocks can be blamed for. */
static bool has_reversals(const struct mpl_violations *v)
{
    return v->p2p > 0 || v->collective > 0;
}

/* Counts on the time line as it is now; gathers \p links where these are not NULL. */
static enum mpl_status count(struct mpl_clock_stage *s, struct mpl_links *links,
                             struct mpl_violations *out, struct mpl_err *err)
{
    memset(s->n_violations, 0, s->model->n_locations * sizeof *s->n_violations);
    mpl_misses_clear(&s->misses);
    return mpl_clock_scan(s->view, s->zero_ticks, links, s->n_violations, &s->misses, out,
                          err);
}

/* Offsets and drift: all but the repair. \p links are open, and keep points. */
static enum mpl_status map_clocks(struct mpl_clock_stage *s, struct mpl_links *links,
                                  struct mpl_err *err)
{
    struct mpl_violations *mapped = &s->clock->mapped;
    bool is_refined = false;
    enum mpl_status st = find_maps(s, links, err);

    st = st == MPL_OK ? mpl_clock_apply_maps(s, err) : st;
    if (st != MPL_OK) {
        return st;
    }
    switch (s->clock->source) {
    case MPL_CLOCK_MESSAGES:
        st = mpl_clock_refine_messages(s, links, err);
        return st == MPL_OK ? count(s, NULL, mapped, err) : st;
    case MPL_CLOCK_OFFSETS:
    case MPL_CLOCK_EVENTSPACE:
        st = count(s, links, mapped, err);
        if (st == MPL_OK && s->is_rigid) {
            s->clock->before = *mapped;
        }
        st = st == MPL_OK ? bound_offsets(s, links, !has_reversals(mapped), err) : st;
        if (st == MPL_OK && has_reversals(mapped)) {
            st = mpl_clock_refine_offsets(s, links, &is_refined, err);
        }
        return st == MPL_OK && is_refined ? count(s, NULL, mapped, err) : st;
    default:
        return count(s, NULL, mapped, err);
    }
}

static int64_t widen(int64_t ticks, int64_t by_ticks)
{
    return ticks == INT64_MAX || ticks == INT64_MIN ? ticks
                                                    : mpl_ticks_plus(ticks, by_ticks);
}

/* A repair moves events to later times, perhaps also the first one of the run. */
static enum mpl_status repair(struct mpl_clock_stage *s, struct mpl_err *err)
{
    enum mpl_status st = mpl_clc_repair(s->view, s->model, &s->options->repair, s->progress,
                                        s->arena, &s->clock->repair, err);

    for (uint32_t l = 0; l < s->model->n_locations && st == MPL_OK; l++) {
        st = mpl_clock_map_constant(0, s->scratch, &s->map[l], err);
    }
    st = st == MPL_OK ? mpl_clock_apply_maps(s, err) : st;
    if (st != MPL_OK) {
        return st;
    }
    /* What the repair moves later can be so much too late, on top of what the offsets are wrong. */
    for (uint32_t l = 0; l < s->model->n_locations; l++) {
        const int64_t shift = s->clock->repair->location_max_ticks[l];

        s->column[0][l] = widen(s->column[0][l], shift);
        s->column[1][l] = widen(s->column[1][l], shift);
        s->column[2][l] = widen(s->column[2][l], -shift);
    }
    return count(s, NULL, &s->clock->after, err);
}

static bool is_repair_wanted(const struct mpl_clock_stage *s)
{
    const struct mpl_violations *mapped = &s->clock->mapped;

    return !s->options->repair.is_off && s->options->choice != MPL_CLOCK_NONE &&
           !s->model->has_common_clock &&
           (mapped->p2p > 0 || mapped->collective > 0 || mapped->thread > 0);
}

static void note_violations(const struct mpl_clock_stage *s)
{
    for (uint32_t l = 0; l < s->model->n_locations; l++) {
        mpl_quality_add_some(
            s->model->quality, "clock-violation", l, s->n_violations[l],
            "Messages and collectives end before they begin; waiting times "
            "there are wrong by as much.");
    }
}

static enum mpl_status run(struct mpl_clock_stage *s, struct mpl_err *err)
{
    struct mpl_links links = { 0 };
    enum mpl_status st = mpl_links_open(&links, s->view, err);

    if (st == MPL_OK) {
        links.n_per_point = mpl_clock_points(s->view->match);
        st = map_clocks(s, &links, err);
    }
    mpl_links_close(&links);
    if (st != MPL_OK) {
        return st;
    }
    mpl_misses_describe(&s->misses, &s->clock->accuracy);
    set_offsets(s);
    fill_result(s);
    s->clock->after = s->clock->mapped;
    if (is_repair_wanted(s)) {
        st = repair(s, err);
    }
    note_violations(s);
    return st;
}

/* Times that were corrected before are no better than they were then. */
static void take_timeline(struct mpl_clock_stage *s)
{
    const struct mpl_timeline *known = s->model->timeline;

    if (known != NULL) {
        s->clock->source = (enum mpl_clock_source) known->source;
        s->clock->bound_ticks = known->bound_ticks;
        s->clock->tree_bound_ticks = known->bound_ticks;
        s->clock->low_ticks = known->low_ticks;
        s->clock->high_ticks = known->high_ticks;
    }
}

enum mpl_status mpl_clock_correct(struct mpl_model *model, const struct mpl_match *match,
                                  const struct mpl_clock_options *options,
                                  const struct mpl_progress *progress,
                                  struct mpl_arena *arena, const struct mpl_clock **out,
                                  struct mpl_err *err)
{
    const struct mpl_clock_options defaults = mpl_clock_defaults();
    struct mpl_clock_stage s = { .model = model,
                                 .arena = arena,
                                 .options = options == NULL ? &defaults : options,
                                 .progress = progress };

    /* A reader refuses a trace without any location. */
    mpl_assert(model->n_locations > 0);
    s.scratch = mpl_arena_create();
    s.misses.miss = mpl_buf_make(sizeof(int64_t));
    enum mpl_status st = make_result(&s, err);
    st = st == MPL_OK ? make_scratch(&s, match, err) : st;
    st = st == MPL_OK ? run(&s, err) : st;
    if (st == MPL_OK) {
        take_timeline(&s);
        *out = s.clock;
    }
    mpl_buf_free(&s.misses.miss);
    mpl_arena_destroy(s.scratch);
    return st;
}
