#include "config.h"

#include "clc/clc_priv.h"

struct mpl_clc_options mpl_clc_defaults(void)
{
    return (struct mpl_clc_options){ .gamma = 0.999,
                                     .delta_s = 1e-9,
                                     .mu_s = -1,
                                     .amortization = 50,
                                     .error_s = -1,
                                     .max_passes = 8 };
}

const char *mpl_clc_class_name(enum mpl_clc_class class)
{
    switch (class) {
    case MPL_CLC_P2P_INSIDE:
        return "messages inside hosts";
    case MPL_CLC_P2P_BETWEEN:
        return "messages between hosts";
    case MPL_CLC_COLLECTIVE:
        return "collectives";
    default:
        return "threads";
    }
}

/* ---- options in ticks ----------------------------------------------------------------------- */

/* Options may be anything a person types; a quarter of what times may be is beyond sense, and
 * far from overflow. */
static int64_t ticks_of(const struct mpl_model *model, double seconds)
{
    const double ticks = seconds * (double) model->ticks_per_s;

    if (!(ticks > 0)) {
        return 0;
    }
    if (ticks >= (double) (MPL_TICKS_FAR / 4)) {
        return MPL_TICKS_FAR / 4;
    }
    /* Rounded up: at least so much. The share of a tick is for what decimal fractions lose. */
    return (int64_t) (ticks + (1 - 1e-6));
}

/* A share of 0 to 1 in units of 2^-32, rounded up, so that a thousandth of 50,000 is 50. */
static uint64_t share_of(double share)
{
    if (!(share > 0)) {
        return 0;
    }
    return share >= 1 ? MPL_CLC_ONE
                      : (uint64_t) (share * (double) MPL_CLC_ONE + (1 - 1e-6));
}

/* Ramps need not be steeper than a clock that runs 1024 times as fast; lengths near 0 ask for
 * none. */
static uint64_t slope_of(double amortization)
{
    enum { STEEPEST = 1024 };

    if (!(amortization > 1.0 / STEEPEST)) {
        return 0;
    }

    return (uint64_t) ((double) MPL_CLC_ONE / amortization) + 1;
}

/* ---- the control of gamma ------------------------------------------------------------------- */

/*
 * Section 5.2: passes with smaller and smaller gamma until the largest shift is accepted.
 *
 * What can be accepted is not known before. With gamma = 1 shifts never fall back, so clocks
 * that swing against each other drive the logical clock forward for ever. With gamma = 0 the
 * time of an event is the smallest that the dependences allow, but intervals behind a
 * violation shrink to delta. The first pass must get along with the worst reversal, since one
 * violation alone needs a shift of that size. If it does not, a pass with gamma = 0 shows what
 * shift is the least, as violations may add up along a path; no other pass can be asked for
 * less. Then gamma goes down from where the user put it, in steps of half a power of ten of
 * 1 - gamma, to the first that does.
 */
struct control {
    struct mpl_clc_net *net;
    const struct mpl_clc_options *options;
    const struct mpl_progress *progress;
    struct mpl_arena *scratch;
    struct mpl_err *err;
    struct mpl_clc *clc;
    struct mpl_clc_pass pass; /* The last one. */
};

/* One tenth on top of what is needed: clocks go on drifting while a shift falls back. */
static int64_t with_margin(int64_t ticks)
{
    return mpl_ticks_narrow((__int128) ticks + ticks / 10);
}

/* is_over says whether it went through. */
static enum mpl_status pass_with(struct control *c, uint64_t fall_share,
                                 int64_t limit_ticks)
{
    struct mpl_arena *scratch = mpl_arena_create();

    c->pass = (struct mpl_clc_pass){ .fall = { fall_share, c->net->delta_ticks },
                                     .limit_ticks = limit_ticks };
    const enum mpl_status st =
        mpl_clc_forward(c->net, &c->pass, c->progress, scratch, c->err);
    mpl_arena_destroy(scratch);
    c->clc->n_passes++;
    c->clc->n_ignored += c->pass.n_ignored;
    return st;
}

static enum mpl_status find_least(struct control *c)
{
    const enum mpl_status st = pass_with(c, MPL_CLC_ONE, MPL_TICKS_FAR);
    const int64_t least = with_margin(c->pass.max_ticks);

    if (st == MPL_OK && least > c->clc->error_ticks) {
        c->clc->error_ticks = least;
    }
    return st;
}

static uint64_t next_share(uint64_t share)
{
    const uint64_t smallest = share_of(0.001);

    /* Two steps are a factor of ten. */
    share = share * 3162 / 1000;
    share = share < smallest ? smallest : share;
    return share < MPL_CLC_ONE ? share : MPL_CLC_ONE;
}

static enum mpl_status find_shifts(struct control *c)
{
    const uint32_t most = c->options->max_passes > 0 ? c->options->max_passes : 1;
    uint64_t share = share_of(1 - c->options->gamma);
    enum mpl_status st =
        pass_with(c, share, most > 1 ? c->clc->error_ticks : MPL_TICKS_FAR);

    if (st == MPL_OK && c->pass.is_over && c->options->error_s < 0 && most > 2) {
        const int64_t error_ticks = c->clc->error_ticks;

        st = find_least(c);
        /* The first pass may have been good enough. */
        share = c->clc->error_ticks > error_ticks ? share : next_share(share);
        c->pass.is_over = true;
    } else {
        share = next_share(share);
    }
    while (st == MPL_OK && c->pass.is_over && c->clc->n_passes < most) {
        const bool is_last = c->clc->n_passes + 1 == most || share == MPL_CLC_ONE;

        st = pass_with(c, share, is_last ? MPL_TICKS_FAR : c->clc->error_ticks);
        if (is_last) {
            break;
        }
        share = next_share(share);
    }
    return st;
}

/* ---- the whole ------------------------------------------------------------------------------- */

struct columns {
    int64_t *max_ticks;
    int64_t *end_ticks;
};

static enum mpl_status make_result(const struct mpl_model *model, struct mpl_arena *arena,
                                   struct mpl_clc **out, struct columns *columns,
                                   struct mpl_err *err)
{
    struct mpl_clc *clc = MPL_NEW(arena, struct mpl_clc);

    columns->max_ticks = MPL_NEW_ARRAY(arena, model->n_locations, int64_t);
    columns->end_ticks = MPL_NEW_ARRAY(arena, model->n_locations, int64_t);
    if (clc == NULL || columns->max_ticks == NULL || columns->end_ticks == NULL) {
        return mpl_nomem(err);
    }
    clc->location_max_ticks = columns->max_ticks;
    clc->location_end_ticks = columns->end_ticks;
    clc->max_shift_location = MPL_NONE;
    *out = clc;
    return MPL_OK;
}

/* From the first to the last event of the run. */
static int64_t run_ticks(const struct mpl_model *model)
{
    int64_t first = INT64_MAX;
    int64_t last = INT64_MIN;

    for (uint32_t l = 0; l < model->n_locations; l++) {
        const struct mpl_location *loc = &model->locations[l];

        if (loc->n_events > 0) {
            const int64_t end = mpl_ticks_of(loc, loc->n_events - 1);

            first = mpl_ticks_of(loc, 0) < first ? mpl_ticks_of(loc, 0) : first;
            last = end > last ? end : last;
        }
    }
    return last < first ? 0 : mpl_ticks_minus(last, first);
}

/* Sums of a few times must not overflow; only a damaged trace runs for centuries. */
static bool is_in_range(const struct mpl_model *model)
{
    for (uint32_t l = 0; l < model->n_locations; l++) {
        const struct mpl_location *loc = &model->locations[l];

        if (loc->n_events > 0 && (mpl_ticks_of(loc, 0) < -MPL_TICKS_FAR ||
                                  mpl_ticks_of(loc, loc->n_events - 1) > MPL_TICKS_FAR)) {
            return false;
        }
    }
    return true;
}

static void leave_alone(const struct mpl_model *model,
                        const struct mpl_clc_options *options, struct mpl_clc *clc)
{
    clc->gamma = options->gamma;
    clc->is_within_error = true;
    for (uint32_t l = 0; l < model->n_locations; l++) {
        const uint32_t n = model->locations[l].n_events;

        clc->distortion.unchanged += n > 0 ? n - 1 : 0;
    }
}

static enum mpl_status apply(struct control *c, const struct columns *columns)
{
    const struct mpl_model *model = c->net->order->model;
    const int64_t before = run_ticks(model);
    struct mpl_clc *clc = c->clc;
    const enum mpl_status st =
        mpl_clc_backward(c->net, &c->pass.fall, slope_of(c->options->amortization), clc,
                         columns->max_ticks, columns->end_ticks, c->scratch, c->err);

    if (st != MPL_OK) {
        return st;
    }
    clc->gamma = 1 - (double) c->pass.fall.share / (double) MPL_CLC_ONE;
    clc->n_jumps = c->pass.n_jumps;
    clc->growth_ticks = run_ticks(model) - before;
    for (uint32_t l = 0; l < model->n_locations; l++) {
        if (columns->max_ticks[l] > clc->max_shift_ticks) {
            clc->max_shift_ticks = columns->max_ticks[l];
            clc->max_shift_location = l;
        }
    }
    clc->is_within_error = clc->max_shift_ticks <= clc->error_ticks;
    return MPL_OK;
}

static enum mpl_status shift(struct control *c, const struct columns *columns)
{
    const enum mpl_status st = find_shifts(c);

    if (st == MPL_OK && c->pass.is_over) {
        c->clc->is_within_error = false;
        return MPL_OK;
    }
    return st == MPL_OK ? apply(c, columns) : st;
}

static enum mpl_status repair(struct control *c, const struct mpl_order_view *view,
                              struct mpl_model *model, const struct columns *columns)
{
    const struct mpl_clc_options *options = c->options;
    const int64_t mu_ticks = options->mu_s < 0 ? -1 : ticks_of(model, options->mu_s);
    enum mpl_status st =
        mpl_clc_net_create(view, model, mu_ticks, c->scratch, &c->net, c->err);

    if (st != MPL_OK || c->net->need_ticks == 0) {
        return st;
    }
    c->net->delta_ticks = ticks_of(model, options->delta_s);
    for (uint32_t i = 0; i < MPL_CLC_CLASSES; i++) {
        c->clc->mu_ticks[i] = c->net->mu_ticks[i];
    }
    c->clc->error_ticks = options->error_s < 0 ? with_margin(c->net->need_ticks)
                                               : ticks_of(model, options->error_s);
    return shift(c, columns);
}

enum mpl_status mpl_clc_repair(struct mpl_order_view *view, struct mpl_model *model,
                               const struct mpl_clc_options *options,
                               const struct mpl_progress *progress, struct mpl_arena *arena,
                               const struct mpl_clc **out, struct mpl_err *err)
{
    const struct mpl_clc_options defaults = mpl_clc_defaults();
    struct columns columns;
    struct control c = { .options = options == NULL ? &defaults : options,
                         .progress = progress,
                         .err = err };
    enum mpl_status st = make_result(model, arena, &c.clc, &columns, err);

    if (st != MPL_OK) {
        return st;
    }
    leave_alone(model, c.options, c.clc);
    if (!c.options->is_off && is_in_range(model)) {
        c.scratch = mpl_arena_create();
        st = c.scratch == NULL ? mpl_nomem(err) : repair(&c, view, model, &columns);
        mpl_arena_destroy(c.scratch);
    }
    if (st == MPL_OK) {
        *out = c.clc;
    }
    return st;
}
