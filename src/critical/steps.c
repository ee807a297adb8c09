/*
 * Which steps the path takes longest for, and who holds it there. A segment is cut at the calls that
 * bound steps on its location; the pieces are then sorted by step and location, and added up.
 */
#include "config.h"

#include "critical/critical_priv.h"

#include <stdlib.h>

struct piece {
    uint32_t block; /* of steps */
    uint32_t location;
    int64_t ticks;
};

struct division {
    const struct mpl_critical *path;
    const struct mpl_steps *steps;
    int64_t begin_ticks;
    int64_t end_ticks;
    uint32_t size;     /* steps per block */
    uint32_t n_blocks; /* of the steps; then what is behind them has this number + 1 */
    struct mpl_buf pieces;
};

/* A step ends with the call that bounds it. Mark 0 ends what is before the first step. */
static int64_t end_of(const struct division *d, uint32_t process, uint32_t mark)
{
    const uint32_t call = d->steps->calls[process][mark];

    return mpl_events_leave_ticks(d->path->events, d->steps->loads[process].location,
                                  2 * call + 1);
}

/* The first mark that ends behind a moment; n + 1: none. So it is the number of a step, too. */
static uint32_t step_at(const struct division *d, uint32_t process, int64_t ticks)
{
    uint32_t low = 0;
    uint32_t high = d->steps->n + 1;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (end_of(d, process, middle) > ticks) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

static uint32_t block_of(const struct division *d, uint32_t step)
{
    return step == 0 ? 0 : step > d->steps->n ? d->n_blocks + 1 : 1 + (step - 1) / d->size;
}

static bool cut(struct division *d, const struct mpl_critical_segment *segment)
{
    const struct mpl_model *model = mpl_events_model(d->path->events);
    const uint32_t process = model->locations[segment->location].process;
    int64_t at =
        segment->begin_ticks > d->begin_ticks ? segment->begin_ticks : d->begin_ticks;
    const int64_t end =
        segment->end_ticks < d->end_ticks ? segment->end_ticks : d->end_ticks;

    for (uint32_t step = step_at(d, process, at); at < end; step++) {
        const int64_t bound = step <= d->steps->n ? end_of(d, process, step) : end;
        const int64_t to = bound < end ? bound : end;

        if (to > at) {
            const struct piece piece = { block_of(d, step), segment->location, to - at };

            if (!mpl_buf_put(&d->pieces, &piece)) {
                return false;
            }
            at = to;
        }
    }
    return true;
}

static int by_block(const void *x, const void *y)
{
    const struct piece *a = x;
    const struct piece *b = y;

    if (a->block != b->block) {
        return a->block < b->block ? -1 : 1;
    }
    return (a->location > b->location) - (a->location < b->location);
}

static void add_up(const struct division *d, struct mpl_critical_step *all)
{
    const struct mpl_model *model = mpl_events_model(d->path->events);
    const struct piece *pieces = d->pieces.data;

    for (uint32_t b = 0; b < d->n_blocks + 2; b++) {
        const uint32_t last = b * d->size < d->steps->n ? b * d->size : d->steps->n;

        all[b].first = b == 0 ? 0 : (b - 1) * d->size + 1;
        all[b].last = last;
        all[b].location = MPL_NONE;
    }
    all[d->n_blocks + 1].first = d->steps->n + 1;
    all[d->n_blocks + 1].last = d->steps->n + 1;
    for (size_t i = 0; i < d->pieces.n;) {
        struct mpl_critical_step *step = &all[pieces[i].block];
        const uint32_t location = pieces[i].location;
        const size_t first = i;
        int64_t ticks = 0;

        for (; i < d->pieces.n && pieces[i].block == pieces[first].block &&
               pieces[i].location == location;
             i++) {
            ticks += pieces[i].ticks;
        }

        const double seconds = mpl_model_seconds(model, ticks);

        step->path_s += seconds;
        if (seconds > step->most_s) {
            step->most_s = seconds;
            step->location = location;
        }
    }
}

static bool divide(struct division *d, struct mpl_arena *arena,
                   struct mpl_critical_steps *out)
{
    struct mpl_critical_step *all =
        MPL_NEW_ARRAY(arena, (size_t) d->n_blocks + 2, struct mpl_critical_step);
    bool is_enough = all != NULL;

    for (uint32_t i = 0; i < d->path->n && is_enough; i++) {
        is_enough = cut(d, &d->path->segments[i]);
    }
    if (!is_enough) {
        return false;
    }
    if (d->pieces.n > 0) {
        qsort(d->pieces.data, d->pieces.n, sizeof(struct piece), by_block);
    }
    add_up(d, all);
    out->n = (size_t) d->n_blocks + 2;
    out->all = all;
    return true;
}

enum mpl_status mpl_critical_steps_create(const struct mpl_critical *path,
                                          const struct mpl_steps *steps,
                                          int64_t begin_ticks, int64_t end_ticks,
                                          uint32_t most, struct mpl_arena *arena,
                                          const struct mpl_critical_steps **out,
                                          struct mpl_err *err)
{
    const uint32_t size = (steps->n + most - 1) / most;
    struct division d = { .path = path,
                          .steps = steps,
                          .begin_ticks = begin_ticks,
                          .end_ticks = end_ticks,
                          .size = size,
                          .n_blocks = (steps->n + size - 1) / size,
                          .pieces = mpl_buf_make(sizeof(struct piece)) };
    struct mpl_critical_steps *found = MPL_NEW(arena, struct mpl_critical_steps);
    const bool is_enough = found != NULL && divide(&d, arena, found);

    mpl_buf_free(&d.pieces);
    if (!is_enough) {
        return mpl_nomem(err);
    }
    *out = found;
    return MPL_OK;
}
