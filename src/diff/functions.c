#include "config.h"

#include "diff/functions_priv.h"

struct split {
    const struct mpl_events *events;
    const struct mpl_model *model;
    uint32_t location;
    struct mpl_call_paths *paths;
    struct mpl_buf
        latest; /* uint32_t: per path its latest part of out, as calls come one after the other. */
    struct mpl_buf *out;
};

bool mpl_functions_are_recorded(const struct mpl_model *model)
{
    for (uint32_t r = 0; r < model->n_regions; r++) {
        if (model->regions[r].kind == MPL_REGION_USER) {
            return true;
        }
    }
    return false;
}

/* The latest part with that path, whatever its call; a new one has none. NULL: no memory. */
static uint32_t *latest_of(struct split *s, uint32_t path)
{
    while (s->latest.n <= path) {
        if (!mpl_buf_put(&s->latest, &(uint32_t){ MPL_NONE })) {
            return NULL;
        }
    }
    return mpl_buf_get(&s->latest, path);
}

static bool add(struct split *s, uint32_t call, uint32_t path, int64_t ticks)
{
    if (path == 0 || ticks <= 0) {
        return true;
    }
    uint32_t *latest = latest_of(s, path);
    if (latest == NULL) {
        return false;
    }
    struct mpl_function_part *part =
        *latest == MPL_NONE ? NULL : mpl_buf_get(s->out, *latest);
    if (part == NULL || part->call != call) {
        *latest = (uint32_t) s->out->n;
        part = mpl_buf_add(s->out);
        if (part == NULL) {
            return false;
        }
        *part = (struct mpl_function_part){ .call = call, .path = path };
    }
    part->computed_s += mpl_model_seconds(s->model, ticks);
    return true;
}

/* What lies between records \p first and \p last, in span \p span, counts for call \p call of the sequence. */
static bool split_span(struct split *s, uint32_t span, uint32_t first, uint32_t last,
                       uint32_t call)
{
    const struct mpl_location *loc = &s->model->locations[s->location];
    const int64_t begin = mpl_events_enter_ticks(s->events, s->location, span);
    const int64_t end = mpl_events_leave_ticks(s->events, s->location, span);
    uint32_t path;

    for (uint32_t k = first; k < last; k++) {
        const int64_t before = mpl_ticks_of(loc, k);
        const int64_t after = mpl_ticks_of(loc, k + 1);
        const int64_t from = before > begin ? before : begin;
        const int64_t to = after < end ? after : end;

        if (from < to && (!mpl_call_paths_at(s->paths, s->location, k + 1, &path) ||
                          !add(s, call, path, to - from))) {
            return false;
        }
    }
    return true;
}

static bool split_all(struct split *s, const struct mpl_sequence *calls)
{
    const uint32_t n_events = s->model->locations[s->location].n_events;
    const uint32_t n = mpl_events_call_count(s->events, s->location);
    uint32_t first = 0;
    uint32_t at = 0;

    for (uint32_t c = 0; c < n; c++) {
        struct mpl_call_view view;

        mpl_events_call(s->events, s->location, c, &view);
        while (at < calls->n && calls->calls[at] < c) {
            at++;
        }
        if (!split_span(s, 2 * c, first, view.first_event, at)) {
            return false;
        }
        first = view.last_event;
    }
    return n_events == 0 || split_span(s, 2 * n, first, n_events - 1, calls->n);
}

enum mpl_status mpl_functions_split(const struct mpl_events *events, uint32_t location,
                                    const struct mpl_sequence *calls,
                                    struct mpl_symbols *symbols, struct mpl_buf *out,
                                    struct mpl_err *err)
{
    const struct mpl_model *model = mpl_events_model(events);
    struct mpl_arena *arena = mpl_arena_create();
    struct split s = { .events = events,
                       .model = model,
                       .location = location,
                       .paths = arena == NULL
                                    ? NULL
                                    : mpl_call_paths_create(model, symbols, arena),
                       .latest = mpl_buf_make(sizeof(uint32_t)),
                       .out = out };
    const bool is_enough = s.paths != NULL && split_all(&s, calls);

    mpl_call_paths_close(s.paths);
    mpl_buf_free(&s.latest);
    mpl_arena_destroy(arena);
    return is_enough ? MPL_OK : mpl_nomem(err);
}

enum mpl_status mpl_functions_around(const struct mpl_events *events, uint32_t location,
                                     uint32_t call, struct mpl_symbols *symbols,
                                     uint32_t *path, struct mpl_err *err)
{
    struct mpl_arena *arena = mpl_arena_create();
    struct mpl_call_paths *paths =
        arena == NULL ? NULL
                      : mpl_call_paths_create(mpl_events_model(events), symbols, arena);
    struct mpl_call_view view;

    mpl_events_call(events, location, call, &view);
    const bool is_enough =
        paths != NULL && mpl_call_paths_at(paths, location, view.first_event, path);
    mpl_call_paths_close(paths);
    mpl_arena_destroy(arena);
    return is_enough ? MPL_OK : mpl_nomem(err);
}
