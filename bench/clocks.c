/*
 * Measures the stages that make a common time line, on one core:
 *
 *     clocks ANCHOR
 *
 * estimate: offsets and drift from the messages alone, recorded offsets ignored, nothing repaired;
 * repair: what the controlled logical clock takes on the recorded offsets as they are, beyond what
 * is done with these offsets anyway. Prints CPU seconds of each, the shortest turn, and events per CPU second of the
 * repair and of the two together, which is more than any trace needs: what the estimate corrects needs no repair.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "clock/clock.h"
#include "read/read.h"

enum { TIMES = 5 };

/* The times as recorded, to begin anew with. */
struct recorded {
    int64_t **ticks;
    uint64_t *base;
};

static void die(const char *what)
{
    fprintf(stderr, "clocks: %s\n", what);
    exit(1);
}

static struct recorded keep(const struct mpl_model *model, struct mpl_arena *arena)
{
    struct recorded kept = { MPL_NEW_ARRAY(arena, model->n_locations, int64_t *),
                             MPL_NEW_ARRAY(arena, model->n_locations, uint64_t) };

    for (uint32_t l = 0; l < model->n_locations; l++) {
        const struct mpl_location *loc = &model->locations[l];

        kept.ticks[l] = MPL_NEW_ARRAY(arena, loc->n_events, int64_t);
        if (kept.ticks[l] == NULL) {
            die("out of memory");
        }
        mpl_times_read(&loc->times, 0, loc->n_events, kept.ticks[l]);
        kept.base[l] = loc->base_ticks;
    }
    return kept;
}

static void restore(struct mpl_model *model, const struct recorded *kept)
{
    for (uint32_t l = 0; l < model->n_locations; l++) {
        struct mpl_location *loc = &model->locations[l];

        if (!mpl_times_write(&loc->times, 0, loc->n_events, kept->ticks[l])) {
            die("out of memory");
        }
        loc->base_ticks = kept->base[l];
    }
}

static double measure(struct mpl_model *model, const struct mpl_match *match,
                      const struct recorded *kept, struct mpl_clock_options options)
{
    double shortest_s = INFINITY;

    for (int i = 0; i < TIMES; i++) {
        struct mpl_arena *arena = mpl_arena_create();
        const struct mpl_clock *clock_made = NULL;

        restore(model, kept);

        const clock_t begin = clock();

        if (mpl_clock_correct(model, match, &options, NULL, arena, &clock_made, NULL) !=
            MPL_OK) {
            die("out of memory");
        }
        shortest_s = fmin(shortest_s, (double) (clock() - begin) / CLOCKS_PER_SEC);
        mpl_arena_destroy(arena);
    }
    return shortest_s;
}

int main(int argc, char **argv)
{
    struct mpl_arena *arena = mpl_arena_create();
    struct mpl_clock_options estimate = mpl_clock_defaults();
    struct mpl_clock_options repair = mpl_clock_defaults();
    struct mpl_clock_options offsets = mpl_clock_defaults();
    const struct mpl_match *match = NULL;
    struct mpl_model *model = NULL;

    if (argc != 2) {
        fprintf(stderr, "usage: clocks ANCHOR\n");
        return 2;
    }
    mpl_alloc_keep_freed(); /* As the program does. */
    if (mpl_read(argv[1], arena, NULL, &model, NULL) != MPL_OK ||
        mpl_match_create(model, arena, &match, NULL) != MPL_OK) {
        die("cannot read the trace");
    }

    const struct recorded kept = keep(model, arena);

    estimate.choice = MPL_CLOCK_ONLY_MESSAGES;
    estimate.repair.is_off = true;
    repair.choice = MPL_CLOCK_ONLY_OFFSETS;
    offsets.choice = MPL_CLOCK_ONLY_OFFSETS;
    offsets.repair.is_off = true;

    const double estimate_s = measure(model, match, &kept, estimate);
    const double repair_s = measure(model, match, &kept, repair) -
                            measure(model, match, &kept, offsets);

    const double n_millions = 1e-6 * (double) model->n_events;

    printf("%12llu  %10.3f  %10.3f  %10.1f  %10.1f\n", (unsigned long long) model->n_events,
           estimate_s, repair_s, n_millions / repair_s, n_millions / (estimate_s + repair_s));
    mpl_arena_destroy(arena);
    return 0;
}
