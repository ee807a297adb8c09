/*
 * What a location computes in single runs, cut into blocks, so that how much blocks differ says what is chance. Both runs
 * make the same calls, so a block is as many calls, and the blocks of both are compared in pairs. Who
 * takes tasks as they come has other ones in each run: there a block is as many tasks, and the tasks of the
 * runs are compared as two samples.
 */
#include "config.h"

#include "diff/effects_priv.h"

/* More blocks hardly tell more, and longer ones depend less on each other. */
enum { MOST_BLOCKS = 32, LEAST_CALLS = 2 };

static size_t blocks_of(uint64_t n)
{
    const uint64_t blocks = n / LEAST_CALLS;

    return n < MPL_BLOCKS_LEAST        ? 0
           : blocks < MPL_BLOCKS_LEAST ? MPL_BLOCKS_LEAST
           : blocks > MOST_BLOCKS      ? MOST_BLOCKS
                                       : (size_t) blocks;
}

/* Each block ends with a call of \p ends, which are \p n and ascend; the last one has all that follows. */
static double *cut(enum mpl_time time, const struct mpl_events *events, uint32_t l,
                   const uint32_t *ends, uint64_t n, size_t n_blocks,
                   struct mpl_arena *arena)
{
    double *blocks = MPL_NEW_ARRAY(arena, n_blocks, double);
    uint32_t first = 0;

    for (size_t b = 0; b < n_blocks && blocks != NULL; b++) {
        const uint32_t end = b + 1 == n_blocks ? mpl_events_call_count(events, l) + 1
                                               : ends[(b + 1) * n / n_blocks - 1] + 1;

        blocks[b] = mpl_time_between(time, events, l, first, end);
        first = end;
    }
    return blocks;
}

static enum mpl_status take_calls(const struct mpl_effects *e, uint32_t l, double factor,
                                  struct mpl_arena *arena, struct mpl_chance_sample *x,
                                  struct mpl_err *err)
{
    const struct mpl_sequence *a = &e->base[l];
    const struct mpl_sequence *b = &e->new[l];
    const size_t n = blocks_of(a->n);
    const double *before = cut(e->time, e->diff->base->events, l, a->calls, a->n, n, arena);
    double *more = cut(e->time, e->diff->new->events, l, b->calls, b->n, n, arena);

    if (before == NULL || more == NULL) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < n; i++) {
        more[i] = (double) n * (more[i] - factor * before[i]);
    }
    *x = (struct mpl_chance_sample){ n, more };
    return MPL_OK;
}

/* The calls that end them, ascending, in place of the messages. Those in no call are left out. */
static uint32_t find_ends(const struct mpl_run *run, uint32_t l, uint32_t *tasks,
                          uint32_t n)
{
    uint32_t last = 0;
    uint32_t n_ends = 0;

    for (uint32_t i = 0; i < n; i++) {
        const uint32_t span = mpl_events_span_of_message(run->events, l, tasks[i]);

        if (span != MPL_NONE) {
            last = span / 2 > last ? span / 2 : last;
            tasks[n_ends++] = last;
        }
    }
    return n_ends;
}

/* Per task, times \p scale. */
static enum mpl_status take_tasks(const struct mpl_effects *e, const struct mpl_run *run,
                                  uint32_t l, double scale, struct mpl_arena *arena,
                                  struct mpl_chance_sample *x, struct mpl_err *err)
{
    uint32_t *ends = MPL_NEW_ARRAY(arena, run->model->locations[l].n_messages, uint32_t);

    if (ends == NULL) {
        return mpl_nomem(err);
    }

    const uint64_t n = find_ends(run, l, ends, mpl_effects_tasks(e, run, l, ends));
    const size_t n_blocks = blocks_of(n);
    double *blocks = cut(e->time, run->events, l, ends, n, n_blocks, arena);

    if (blocks == NULL) {
        return mpl_nomem(err);
    }
    for (size_t b = 0; b < n_blocks; b++) {
        const uint64_t n_tasks = (b + 1) * n / n_blocks - b * n / n_blocks;

        blocks[b] *= scale / (double) n_tasks;
    }
    *x = (struct mpl_chance_sample){ n_blocks, blocks };
    return MPL_OK;
}

enum mpl_status mpl_blocks_chance(const struct mpl_effects *e, const struct mpl_load *load,
                                  size_t resamples, struct mpl_chance *out,
                                  struct mpl_err *err)
{
    const uint32_t l = load->location;
    const double factor = e->factor;
    const uint32_t n_tasks = mpl_effects_tasks(e, e->diff->new, l, NULL);
    struct mpl_arena *arena = mpl_arena_create();
    struct mpl_chance_sample x = { 0 };
    struct mpl_chance_sample y = { 0 };
    enum mpl_status st = arena == NULL ? mpl_nomem(err) : MPL_OK;

    /* Calls with those who take what comes first are not compared, so whoever has most of those has few others. */
    if (st == MPL_OK && load->work == 1 && e->base[l].n == e->new[l].n &&
        e->base[l].n >= n_tasks) {
        st = take_calls(e, l, factor, arena, &x, err);
    } else if (st == MPL_OK) {
        st = take_tasks(e, e->diff->new, l, n_tasks, arena, &x, err);
        st = st == MPL_OK
                 ? take_tasks(e, e->diff->base, l, n_tasks * factor, arena, &y, err)
                 : st;
        /* Without a sample of the base there is nothing to compare with. */
        x.n = y.n == 0 ? 0 : x.n;
    }
    st = st == MPL_OK ? mpl_chance_of_blocks(x, y, resamples, l, out, err) : st;
    mpl_arena_destroy(arena);
    return st;
}
