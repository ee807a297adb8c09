#include "config.h"

#include "../lib/columns.h"
#include "world.h"
#include "world_priv.h"

#include <math.h>
#include <string.h>

void *world_must(void *made)
{
    mpl_assert(made != NULL);
    return made;
}

/* ---- chance ---------------------------------------------------------------------------- */

/* Steele, Lea, Flood 2014, "Fast splittable pseudorandom number generators": splitmix64. */
uint64_t world_roll(struct world_dice *dice)
{
    uint64_t z = dice->state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

double world_roll_share(struct world_dice *dice)
{
    return (double) (world_roll(dice) >> 11) * 0x1p-53;
}

uint32_t world_roll_below(struct world_dice *dice, uint32_t n)
{
    return (uint32_t) ((world_roll(dice) >> 32) % n);
}

double world_roll_either(struct world_dice *dice, double most)
{
    return (2 * world_roll_share(dice) - 1) * most;
}

double world_roll_exponential(struct world_dice *dice, double mean)
{
    return -mean * log(1 - world_roll_share(dice));
}

/* The sum of twelve even draws: its tails end at 6, which suits clocks. */
double world_roll_normal(struct world_dice *dice)
{
    double sum = -6;

    for (int i = 0; i < 12; i++) {
        sum += world_roll_share(dice);
    }
    return sum;
}

/* ---- options ----------------------------------------------------------------------------- */

const char *world_kind_name(enum world_kind kind)
{
    static const char *const name[WORLD_KINDS] = { "halo", "master-worker", "pipeline",
                                                   "tree", "pairs",         "collectives",
                                                   "mixed" };

    return name[kind];
}

struct world_options world_defaults(void)
{
    return (struct world_options){
        .seed = 1,
        .kind = WORLD_MIXED,
        .n_processes = 6,
        .n_threads = 1,
        .n_steps = 200,
        .coll_every = 20,
        .compute_ns = 1e6,
        .latency_ns = 1500,
        .bytes_per_ns = 10,
        .jitter_ns = 300,
        .tail_share = 0.02,
        .tail_ns = 5e4,
        .ticks_per_s = 1000000000,
        .offset_ns = 2e7,
        .sine_periods = 1.5,
    };
}

static void draw_clocks(struct world_options *o, struct world_dice *dice)
{
    const uint32_t trouble = world_roll_below(dice, 8);

    if (world_roll_below(dice, 3) == 0) {
        o->ticks_per_s = UINT64_C(2600000000);
    }
    o->has_large_bases = world_roll_below(dice, 2) == 0;
    o->offset_ns = trouble == 0 ? 0 : 2e7;
    if (trouble > 1) {
        o->drift_ppm = 5 + world_roll_exponential(dice, 40);
    }
    if (trouble > 4) {
        o->sine_ns = 1e4 + world_roll_exponential(dice, 1e5);
        o->sine_periods = 0.3 + 2 * world_roll_share(dice);
    }
    if (trouble == 4 || trouble == 7) {
        o->walk_ppm = 2 + world_roll_exponential(dice, 10);
    }
}

struct world_options world_draw(uint64_t seed)
{
    struct world_dice dice = { seed ^ UINT64_C(0x6f7074696f6e73) };
    struct world_options o = world_defaults();

    o.seed = seed;
    o.kind = (enum world_kind)(seed % WORLD_KINDS);
    o.n_processes = 2 + world_roll_below(&dice, 9);
    o.n_threads = world_roll_below(&dice, 4) == 0 ? 2 + world_roll_below(&dice, 3) : 1;
    o.n_steps = 20 + world_roll_below(&dice, 400);
    o.coll_every = world_roll_below(&dice, 3) == 0 ? 0 : 5 + world_roll_below(&dice, 50);
    o.compute_ns = exp(log(1e4) + world_roll_share(&dice) * log(2000));
    o.latency_ns = 200 + world_roll_exponential(&dice, 2000);
    o.jitter_ns = world_roll_exponential(&dice, 1000);
    o.tail_share = world_roll_share(&dice) * 0.1;
    o.asymmetry = world_roll_below(&dice, 2) == 0 ? 0 : world_roll_exponential(&dice, 2);
    draw_clocks(&o, &dice);
    return o;
}

/* ---- worlds ------------------------------------------------------------------------------- */

struct world *world_create(const struct world_options *options, struct mpl_arena *arena)
{
    struct world *world = world_must(MPL_NEW(arena, struct world));

    mpl_assert(options->n_processes >= 2 && options->n_processes <= WORLD_MOST_PROCESSES);
    mpl_assert(options->n_threads >= 1 && options->kind < WORLD_KINDS);
    world->options = *options;
    world->arena = arena;
    world->model = world_run(options, arena, &world->duration_ns);
    world_set_clocks(world);
    mpl_model_check(world->model);
    return world;
}

struct mpl_model *world_model(const struct world *world)
{
    return world->model;
}

const struct mpl_match *world_match(struct world *world)
{
    if (world->match == NULL) {
        mpl_assert(mpl_match_create(world->model, world->arena, &world->match, NULL) ==
                   MPL_OK);
    }
    return world->match;
}

const struct mpl_clock *world_correct(struct world *world,
                                      const struct mpl_clock_options *options)
{
    const struct mpl_match *match = world_match(world);
    const struct mpl_clock *clock = NULL;

    mpl_assert(mpl_clock_correct(world->model, match, options, NULL, world->arena, &clock,
                                 NULL) == MPL_OK);
    mpl_model_check(world->model);
    return clock;
}

struct mpl_clock_options world_without_repair(enum mpl_clock_choice choice)
{
    struct mpl_clock_options options = mpl_clock_defaults();

    options.choice = choice;
    options.repair.is_off = true;
    return options;
}

void world_reset(struct world *world)
{
    for (uint32_t l = 0; l < world->model->n_locations; l++) {
        struct mpl_location *loc = &world->model->locations[l];

        loc->base_ticks = world->recorded_base[l];
        put_all_ticks(loc, world->recorded_ticks[l]);
    }
    world->model->quality = world_must(mpl_quality_create(world->arena));
}

const char *world_describe(const struct world *world)
{
    const struct world_options *o = &world->options;

    return world_must(mpl_arena_printf(
        world->arena,
        "seed %llu: %s, %u processes of %u threads, %.3f s in %u steps of %.0f ns, "
        "collectives every %u, "
        "latency %.0f ns, jitter %.0f ns, tail %.1f %%, asymmetry %.1f, %llu ticks per s, "
        "drift %.1f ppm, sine %.0f ns in %.1f periods, walk %.1f ppm, step %.0f ns, "
        "%u outliers, %u offsets",
        (unsigned long long) o->seed, world_kind_name(o->kind), o->n_processes,
        o->n_threads, (double) world->duration_ns * 1e-9, o->n_steps, o->compute_ns,
        o->coll_every, o->latency_ns, o->jitter_ns, 100 * o->tail_share, o->asymmetry,
        (unsigned long long) o->ticks_per_s, o->drift_ppm, o->sine_ns, o->sine_periods,
        o->walk_ppm, o->step_ns, o->n_outliers, o->n_offsets));
}
