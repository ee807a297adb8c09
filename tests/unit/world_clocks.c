#include "config.h"

#include "../lib/columns.h"
#include "world.h"
#include "world_priv.h"

#include "read/read.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- clocks ------------------------------------------------------------------------------- */

enum { N_PIECES = 200 };

/* The frequency changes by a normal step at each knot; all of them together by walk_ppm. */
static void draw_walk(struct world *world, struct world_clock *clock,
                      struct world_dice *dice)
{
    const double step = world->options.walk_ppm * 1e-6 / sqrt(N_PIECES);
    double rate = 0;

    clock->n_pieces = N_PIECES;
    clock->knot_ns = (double) (world->duration_ns + 1) / N_PIECES;
    clock->walk_ns = world_must(MPL_NEW_ARRAY(world->arena, N_PIECES + 1, double));
    for (uint32_t i = 1; i <= N_PIECES; i++) {
        rate += step * world_roll_normal(dice);
        clock->walk_ns[i] = clock->walk_ns[i - 1] + rate * clock->knot_ns;
    }
}

/* Every figure is drawn whether it is used or not, so that one option changes one figure. */
static void draw_clock(struct world *world, struct world_clock *clock,
                       struct world_dice *dice)
{
    const struct world_options *o = &world->options;
    const double pi = acos(-1);
    const uint64_t large =
        (UINT64_C(1) << 53) + (world_roll(dice) >> 3); /* At most 2^53 + 2^61. */
    const double offset_ns = world_roll_either(dice, o->offset_ns);

    clock->ticks_per_ns = (double) o->ticks_per_s * 1e-9;
    clock->origin_ticks = (o->has_large_bases ? large : 0) +
                          (uint64_t) ((o->offset_ns + offset_ns + 1) * clock->ticks_per_ns);
    clock->drift = world_roll_either(dice, o->drift_ppm) * 1e-6;
    clock->sine_rate = 2 * pi * o->sine_periods / (double) (world->duration_ns + 1);
    clock->sine_ns = fmin(o->sine_ns, WORLD_MOST_SINE_PPM * 1e-6 / clock->sine_rate) *
                     world_roll_share(dice);
    clock->sine_phase = 2 * pi * world_roll_share(dice);
    draw_walk(world, clock, dice);
    clock->step_at_ns = (int64_t) (world_roll_share(dice) * (double) world->duration_ns);
}

static double deviation_ns(const struct world_clock *clock, double t)
{
    double piece = t / clock->knot_ns;
    uint32_t i;

    piece = piece < 0 ? 0 : piece;
    i = piece >= clock->n_pieces ? clock->n_pieces - 1 : (uint32_t) piece;
    return clock->drift * t +
           clock->sine_ns *
               (sin(clock->sine_phase + clock->sine_rate * t) - sin(clock->sine_phase)) +
           clock->walk_ns[i] + (piece - i) * (clock->walk_ns[i + 1] - clock->walk_ns[i]) +
           (t >= (double) clock->step_at_ns ? clock->step_ns : 0);
}

/* A run is far shorter than the 2^52 ticks up to which these doubles tell ticks apart. */
static uint64_t show(const struct world_clock *clock, int64_t true_ns)
{
    const double t = (double) true_ns;

    return clock->origin_ticks +
           (uint64_t) (int64_t) floor(clock->ticks_per_ns * (t + deviation_ns(clock, t)));
}

static const struct world_clock *clock_of(const struct world *world, uint32_t location)
{
    return &world->clock[world->model->locations[location].process];
}

uint64_t world_clock_ticks(const struct world *world, uint32_t location, int64_t true_ns)
{
    return show(clock_of(world, location), true_ns);
}

/* ---- what was recorded ------------------------------------------------------------------------ */

/* A stamp out of thin air, but in order: a reader would not let it run backwards. */
static void add_outliers(struct world *world, struct mpl_location *loc,
                         struct world_dice *dice)
{
    for (uint32_t i = 0; i < world->options.n_outliers && loc->n_events > 2; i++) {
        const uint32_t e = 1 + world_roll_below(dice, loc->n_events - 2);
        const int64_t from = mpl_ticks_of(loc, e - 1);
        const int64_t to = mpl_ticks_of(loc, e + 1);

        put_ticks(loc, e, from + (int64_t) (world_roll_share(dice) * (double) (to - from)));
    }
}

/* A master's times count from its clock's zero, those of other threads from their first event:
 * readers leave both to the archive. */
static void record_location(struct world *world, uint32_t l, struct world_dice *dice)
{
    struct mpl_location *loc = &world->model->locations[l];
    const struct world_clock *clock = clock_of(world, l);
    const uint32_t n = loc->n_events;

    world->true_ns[l] = world_must(MPL_NEW_ARRAY(world->arena, n, int64_t));
    world->recorded_ticks[l] = world_must(MPL_NEW_ARRAY(world->arena, n, int64_t));
    loc->base_ticks = loc->thread == 0 || n == 0 ? clock->origin_ticks
                                                 : show(clock, mpl_ticks_of(loc, 0));
    for (uint32_t i = 0; i < n; i++) {
        world->true_ns[l][i] = mpl_ticks_of(loc, i);
        put_ticks(loc, i, (int64_t) (show(clock, mpl_ticks_of(loc, i)) - loc->base_ticks));
    }
    add_outliers(world, loc, dice);
    for (uint32_t i = 0; i < n; i++) {
        world->recorded_ticks[l][i] = mpl_ticks_of(loc, i);
    }
    world->recorded_base[l] = loc->base_ticks;
}

/* Rank 0 is asked what its clock shows, as Score-P does; the answer comes with an error. */
static struct mpl_clock_offset *measure_offsets(struct world *world, uint32_t master,
                                                struct world_dice *dice)
{
    const uint32_t n = world->options.n_offsets;
    struct mpl_clock_offset *offset =
        world_must(MPL_NEW_ARRAY(world->arena, n, struct mpl_clock_offset));

    for (uint32_t i = 0; i < n; i++) {
        const double share = n == 1 ? 0 : (double) i / (n - 1);
        const int64_t t = (int64_t) (share * (double) world->duration_ns);
        const double error = world_roll_either(dice, world->options.offset_error_ns);

        offset[i].time_ticks = world_clock_ticks(world, master, t);
        offset[i].offset_ticks =
            (int64_t) (world_clock_ticks(world, 0, t) - offset[i].time_ticks);
        if (world->model->locations[master].process > 0) {
            offset[i].offset_ticks +=
                (int64_t) (error * clock_of(world, master)->ticks_per_ns);
        }
    }
    return offset;
}

static void record_offsets(struct world *world, struct world_dice *dice)
{
    struct mpl_model *model = world->model;
    const struct mpl_clock_offset **offsets = world_must(
        MPL_NEW_ARRAY(world->arena, model->n_locations, const struct mpl_clock_offset *));
    uint32_t *n_offsets =
        world_must(MPL_NEW_ARRAY(world->arena, model->n_locations, uint32_t));

    for (uint32_t p = 0; p < model->n_processes; p++) {
        const struct mpl_process *process = &model->processes[p];
        const struct mpl_clock_offset *offset =
            measure_offsets(world, process->locations[0], dice);

        for (uint32_t t = 0; t < process->n_locations; t++) {
            offsets[process->locations[t]] = offset;
            n_offsets[process->locations[t]] = world->options.n_offsets;
        }
    }
    model->offsets = offsets;
    model->n_offsets = n_offsets;
}

static void tell_capabilities(struct mpl_model *model, const struct world_options *options)
{
    for (uint32_t l = 0; l < model->n_locations; l++) {
        model->can.has_messages |= model->locations[l].n_messages > 0;
        model->can.has_collectives |= model->locations[l].n_collectives > 0;
    }
    model->can.has_immediate_collectives_complete = true;
    model->can.has_user_regions = true;
    model->can.has_init_finalize = true;
    model->can.has_threads = options->n_threads > 1;
    model->can.has_clock_offsets = options->n_offsets > 1;
    model->n_recorded = model->n_events;
}

void world_set_clocks(struct world *world)
{
    struct mpl_model *model = world->model;
    struct world_dice dice = { world->options.seed ^ UINT64_C(0x636c6f636b73) };
    const uint32_t stepper = world_roll_below(&dice, model->n_processes);
    const uint32_t n = model->n_locations;

    model->ticks_per_s = world->options.ticks_per_s;
    world->clock =
        world_must(MPL_NEW_ARRAY(world->arena, model->n_processes, struct world_clock));
    world->true_ns = world_must(MPL_NEW_ARRAY(world->arena, n, int64_t *));
    world->recorded_ticks = world_must(MPL_NEW_ARRAY(world->arena, n, int64_t *));
    world->recorded_base = world_must(MPL_NEW_ARRAY(world->arena, n, uint64_t));
    for (uint32_t p = 0; p < model->n_processes; p++) {
        draw_clock(world, &world->clock[p], &dice);
    }
    world->clock[stepper].step_ns = world->options.step_ns;
    for (uint32_t l = 0; l < n; l++) {
        model->locations[l].reference = l;
        record_location(world, l, &dice);
    }
    record_offsets(world, &dice);
    tell_capabilities(model, &world->options);
}

/* ---- the truth --------------------------------------------------------------------------------- */

int64_t world_true_ns(const struct world *world, uint32_t location, uint32_t event)
{
    return world->true_ns[location][event];
}

uint64_t world_recorded_ticks(const struct world *world, uint32_t location, uint32_t event)
{
    return world->recorded_base[location] +
           (uint64_t) world->recorded_ticks[location][event];
}

uint64_t world_wanted_ticks(const struct world *world, uint32_t reference,
                            uint32_t location, uint32_t event)
{
    return world_clock_ticks(world, reference, world->true_ns[location][event]);
}

static int64_t error_ticks(const struct world *world, uint32_t reference, uint32_t l,
                           uint32_t event)
{
    const struct mpl_location *loc = &world->model->locations[l];

    return (int64_t) (loc->base_ticks + (uint64_t) mpl_ticks_of(loc, event) -
                      world_wanted_ticks(world, reference, l, event));
}

static int64_t size_of(int64_t ticks)
{
    return ticks < 0 ? -ticks : ticks;
}

/* Errors of one location, \p middle taken off, added to a sum of squares and a maximum. */
static void see_errors(const struct world *world, uint32_t reference, uint32_t l,
                       int64_t middle, struct world_error *error, double *squares)
{
    for (uint32_t i = 0; i < world->model->locations[l].n_events; i++) {
        const int64_t e = error_ticks(world, reference, l, i) - middle;

        *squares += (double) e * (double) e;
        if (size_of(e) > error->max_ticks) {
            error->max_ticks = size_of(e);
            error->location = l;
            error->event = i;
        }
    }
}

struct world_error world_error(const struct world *world, uint32_t reference)
{
    struct world_error error = { 0 };
    double squares = 0;

    for (uint32_t l = 0; l < world->model->n_locations; l++) {
        see_errors(world, reference, l, 0, &error, &squares);
    }
    error.rms_ticks = sqrt(squares / (double) world->model->n_events);
    return error;
}

struct world_error world_location_error(const struct world *world, uint32_t reference,
                                        uint32_t location)
{
    const uint32_t n_events = world->model->locations[location].n_events;
    struct world_error error = { .location = location };
    double squares = 0;

    see_errors(world, reference, location, 0, &error, &squares);
    error.rms_ticks = n_events == 0 ? 0 : sqrt(squares / n_events);
    return error;
}

struct world_error world_constant_error(const struct world *world, uint32_t reference)
{
    struct world_error error = { 0 };
    double squares = 0;

    for (uint32_t l = 0; l < world->model->n_locations; l++) {
        const uint32_t n_events = world->model->locations[l].n_events;
        int64_t low = n_events == 0 ? 0 : error_ticks(world, reference, l, 0);
        int64_t high = low;

        for (uint32_t i = 0; i < n_events; i++) {
            const int64_t e = error_ticks(world, reference, l, i);

            low = e < low ? e : low;
            high = e > high ? e : high;
        }
        see_errors(world, reference, l, low + (high - low) / 2, &error, &squares);
    }
    error.rms_ticks = sqrt(squares / (double) world->model->n_events);
    return error;
}

/* ---- files ----------------------------------------------------------------------------------------- */

enum { N_TRUTHS = 257 };

static void print_truth(const struct world *world, uint32_t process, FILE *file)
{
    const uint32_t l = world->model->processes[process].locations[0];
    const uint32_t n_events = world->model->locations[l].n_events;
    const int64_t first = world->true_ns[l][0];
    const double length = (double) (world->true_ns[l][n_events - 1] - first);

    for (int i = 0; i < N_TRUTHS; i++) {
        const int64_t t = first + (int64_t) (length * i / (N_TRUTHS - 1));
        const uint64_t ticks = world_clock_ticks(world, l, t);

        (void) fprintf(file, "%" PRIu32 "\t%" PRIu64 "\t%" PRId64 "\n", process, ticks,
                       (int64_t) (world_clock_ticks(world, 0, t) - ticks));
    }
}

static enum mpl_status write_truth(const struct world *world, const char *path,
                                   struct mpl_err *err)
{
    FILE *file = fopen(path, "w");
    enum mpl_status st;

    if (file == NULL) {
        return mpl_fail(err, MPL_E_IO, "%s: %s", path, strerror(errno));
    }
    (void) fputs("#rank\tlocal_ticks\toffset_ticks_to_add_to_reach_rank0_clock\n", file);
    for (uint32_t p = 0; p < world->model->n_processes; p++) {
        print_truth(world, p, file);
    }
    st = mpl_file_flush(file, err);
    (void) fclose(file);
    return st;
}

enum mpl_status world_write(const struct world *world, const char *directory, bool force,
                            struct mpl_err *err)
{
    const char *path = mpl_arena_printf(world->arena, "%s/truth.tsv", directory);
    enum mpl_status st;

    if (path == NULL) {
        return mpl_nomem(err);
    }
    st = mpl_write_otf2(world->model, directory, force, err);
    return st == MPL_OK ? write_truth(world, path, err) : st;
}
