/*
 * The calls of all locations: what is known of each before its records are walked (walk.c), what is kept of the walk, and
 * the threads that do it.
 */
#include "config.h"

#include "events/walk_priv.h"

#include <string.h>

/* ---- before the walk ------------------------------------------------------------------ */

static bool has_init(const struct mpl_events *events)
{
    for (uint32_t r = 0; r < events->model->n_regions; r++) {
        if (events->use[r].role == ROLE_INIT) {
            return true;
        }
    }
    return false;
}

static uint32_t find_init(const struct mpl_events *events, const struct mpl_location *loc)
{
    for (uint32_t i = 0; i < loc->n_events; i++) {
        if (mpl_kind_of(loc, i) == MPL_EV_ENTER &&
            events->use[mpl_region_of(loc, i)].role == ROLE_INIT) {
            return i;
        }
    }
    return MPL_NONE;
}

/* A column of calls, none of which is known yet; NULL when out of memory. */
static uint32_t *no_calls(struct mpl_events *events, uint32_t n)
{
    uint32_t *calls = MPL_NEW_UNSET(events->arena, n, uint32_t);

    if (calls != NULL) {
        memset(calls, 0xff, n * sizeof *calls);
    }
    return calls;
}

static bool allocate_lane(struct mpl_events *events, uint32_t location)
{
    struct mpl_lane *lane = &events->lanes[location];
    const struct mpl_location *loc = &events->model->locations[location];

    lane->call_of_message = no_calls(events, loc->n_messages);
    lane->post_of_message = lane->call_of_message;
    lane->call_of_collective = no_calls(events, loc->n_collectives);
    return lane->call_of_message != NULL && lane->call_of_collective != NULL;
}

/*
 * Where MPI_Init is not recorded (EZTrace), start-up lasts until the last process has begun: until
 * then the others can only wait for it, and how long says nothing about the program. On
 * prk-stencil-np16, 16 processes on two cores, that was a third of all waiting. A text trace
 * states its times on purpose.
 *
 * What counts is when a process has begun for certain: the clock of a leaf that exchanges one
 * message in each direction may be wrong by half a second (dcsort-slowleaf-np7), and start-up by
 * it would swallow as much of everybody's work.
 */
static int64_t certain_begin(const struct mpl_events *events, uint32_t location)
{
    const int64_t begin = mpl_ticks_of(&events->model->locations[location], 0);
    const struct mpl_clock *clock = events->clock;
    const int64_t error = clock == NULL ? 0 : clock->bound_ticks[location];

    return error == INT64_MAX ? INT64_MIN : mpl_ticks_minus(begin, error);
}

static int64_t find_startup_end(const struct mpl_events *events)
{
    const struct mpl_model *model = events->model;
    int64_t last_begin = INT64_MIN;
    int64_t first_end = INT64_MAX;

    for (uint32_t l = 0; l < model->n_locations; l++) {
        const struct mpl_location *loc = &model->locations[l];

        if (loc->n_events == 0) {
            continue;
        }
        if (model->tracer == MPL_TRACER_TEXT || events->lanes[l].first_init != MPL_NONE) {
            return INT64_MIN;
        }
        if (loc->thread == 0 && certain_begin(events, l) > last_begin) {
            last_begin = certain_begin(events, l);
        }
        if (mpl_ticks_of(loc, loc->n_events - 1) < first_end) {
            first_end = mpl_ticks_of(loc, loc->n_events - 1);
        }
    }
    /* Where somebody ends before another begins, nobody waited for the last one to begin. */
    return last_begin <= first_end ? last_begin : INT64_MIN;
}

/* What is known of each location before its records are walked. */
static bool prepare(struct mpl_events *events)
{
    const uint32_t n_locations = events->model->n_locations;
    const bool looks = has_init(events);
    bool is_done;

    events->lanes = MPL_NEW_ARRAY(events->arena, n_locations, struct mpl_lane);
    events->is_called = MPL_NEW_ARRAY(events->arena, events->model->n_regions, bool);
    /* Each location would take more than 100 bytes: so many do not fit in memory. */
    is_done =
        events->lanes != NULL && events->is_called != NULL && n_locations < MPL_CALL_NOBODY;
    for (uint32_t l = 0; l < n_locations && is_done; l++) {
        events->lanes[l].first_init =
            looks ? find_init(events, &events->model->locations[l]) : MPL_NONE;
        is_done = allocate_lane(events, l);
    }
    if (is_done) {
        events->startup_end_ticks = find_startup_end(events);
    }
    return is_done;
}

/* ---- what is kept of it ------------------------------------------------------------------ */

/* A second walk makes the same list again. */
static bool keep_list(struct mpl_walk *w, struct mpl_arena *arena)
{
    if (w->scratch->list.n == 0 || w->lane->list != NULL) {
        w->scratch->list.n = 0;
        return true;
    }
    w->lane->list =
        (const uint32_t *) mpl_buf_drain(&w->scratch->list, w->scratch->list.n, arena);
    return w->lane->list != NULL;
}

static bool walk_location(struct mpl_walk *w, struct mpl_location *shared)
{
    struct mpl_walk_scratch *scratch = w->scratch;
    struct mpl_arena *arena = scratch->arena;

    scratch->touched.n = 0;
    scratch->probes.n = 0;
    scratch->gap++;
    /* Nearly all are entered and left. */
    mpl_calls_begin(&scratch->maker, w->loc->n_events / 2);
    mpl_block_repeats_begin(&scratch->repeats);
    if (!mpl_records_walk(w) || !mpl_calls_keep(&scratch->maker, w->lane, shared, arena)) {
        return false;
    }
    w->lane->rest_region = mpl_gap_close(w);
    return (!w->has_gaps || mpl_regions_keep(w, w->events->model, arena)) &&
           keep_list(w, arena);
}

/* ---- all locations, in threads ------------------------------------------------------ */

struct walking {
    struct mpl_events *events;
    struct mpl_model *model; /* see mpl_calls_create() */
    bool with_gaps;
    struct mpl_walk_scratch *scratches; /* one per thread */
};

static bool set_up_scratch(struct mpl_walk_scratch *scratch, struct mpl_arena *arena,
                           uint32_t n_regions)
{
    *scratch = (struct mpl_walk_scratch){
        .arena = mpl_arena_create(),
        .sums = MPL_NEW_ARRAY(arena, n_regions, struct mpl_region_sum),
        .is_called = MPL_NEW_ARRAY(arena, n_regions, bool),
        .stack = mpl_buf_make(sizeof(uint32_t)),
        .touched = mpl_buf_make(sizeof(uint32_t)),
        .list = mpl_buf_make(sizeof(uint32_t)),
        .probes = mpl_buf_make(sizeof(uint32_t)),
        .maker = mpl_call_maker_make(),
        .repeats = mpl_block_repeats_make(),
    };
    return scratch->arena != NULL && scratch->sums != NULL && scratch->is_called != NULL;
}

/* What the thread has made goes into \p events. */
static void clear_scratch(struct mpl_walk_scratch *scratch, struct mpl_events *events)
{
    for (uint32_t r = 0; r < events->model->n_regions && scratch->is_called != NULL; r++) {
        events->is_called[r] = events->is_called[r] || scratch->is_called[r];
    }
    mpl_block_repeats_free(&scratch->repeats);
    mpl_call_maker_free(&scratch->maker);
    mpl_buf_free(&scratch->probes);
    mpl_buf_free(&scratch->list);
    mpl_buf_free(&scratch->touched);
    mpl_buf_free(&scratch->stack);
    mpl_arena_absorb(events->arena, scratch->arena);
}

/*
 * What is counted call by call stands on the thread's own stack meanwhile: beside each other in memory, the scratches of
 * two threads would share lines of the cache, and wait for each other with each call.
 */
static enum mpl_status walk_one(void *context, size_t location, unsigned worker,
                                struct mpl_err *err)
{
    const struct walking *walking = context;
    const struct mpl_events *events = walking->events;
    struct mpl_walk_scratch scratch = walking->scratches[worker];
    struct mpl_walk w = {
        .events = events,
        .loc = &events->model->locations[location],
        .use = events->use,
        .partner = events->match->partner[location],
        .lane = &events->lanes[location],
        .scratch = &scratch,
        .location = (uint32_t) location,
        .loses_ends =
            !events->model->can.has_receive_completions && !mpl_is_thorough(events->model),
        .has_gaps = walking->with_gaps,
        .gap_region = MPL_NONE,
        .n_asked = MPL_NONE,
    };
    const bool is_done = walk_location(
        &w, walking->model == NULL ? NULL : &walking->model->locations[location]);

    walking->scratches[worker] = scratch;
    return is_done ? MPL_OK : mpl_nomem(err);
}

static enum mpl_status walk_all(struct mpl_events *events, struct mpl_model *model,
                                bool with_gaps, struct mpl_arena *arena,
                                struct mpl_err *err)
{
    const uint32_t n_locations = events->model->n_locations;
    const uint32_t n_threads = mpl_threads() < n_locations ? mpl_threads() : n_locations;
    const struct walking walking = {
        .events = events,
        .model = model,
        .with_gaps = with_gaps,
        .scratches = MPL_NEW_ARRAY(arena, n_threads, struct mpl_walk_scratch),
    };
    const struct mpl_parallel job = { .n_tasks = n_locations,
                                      .max_threads = n_threads,
                                      .run = walk_one,
                                      .context = (void *) &walking };
    enum mpl_status st = walking.scratches == NULL ? mpl_nomem(err) : MPL_OK;
    uint32_t n = 0;

    for (; n < n_threads && st == MPL_OK; n++) {
        st = set_up_scratch(&walking.scratches[n], arena, events->model->n_regions)
                 ? MPL_OK
                 : mpl_nomem(err);
    }
    st = st == MPL_OK ? mpl_parallel_run(&job, err) : st;
    while (n > 0) {
        clear_scratch(&walking.scratches[--n], events);
    }
    return st;
}

enum mpl_status mpl_calls_create(struct mpl_events *events, struct mpl_model *model,
                                 bool with_gaps, struct mpl_err *err)
{
    struct mpl_arena *arena = mpl_arena_create();
    enum mpl_status st = arena != NULL && (events->lanes != NULL || prepare(events))
                             ? MPL_OK
                             : mpl_nomem(err);

    st = st == MPL_OK ? walk_all(events, model, with_gaps, arena, err) : st;
    mpl_arena_destroy(arena);
    return st;
}
