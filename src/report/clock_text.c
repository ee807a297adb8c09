/* The time line as a person needs it: where it comes from, what was wrong with it, how far to
 * trust it. */
#include "config.h"

#include "report/report_priv.h"

static const char *seconds_of(struct page *page, const struct mpl_run *run, int64_t ticks)
{
    return mpl_page_seconds(page, mpl_model_seconds(run->model, ticks));
}

static uint64_t total(const struct mpl_violations *v)
{
    return v->p2p + v->collective + v->thread;
}

/* "12 messages, 3 collective parts"; kinds that have none are left out. */
static const char *kinds_of(struct page *page, const struct mpl_violations *v)
{
    const struct {
        uint64_t n;
        const char *one;
        const char *many;
    } kinds[] = { { v->p2p, "message", "messages" },
                  { v->collective, "collective part", "collective parts" },
                  { v->thread, "thread step", "thread steps" } };
    const char *text = "";

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && text != NULL; i++) {
        if (kinds[i].n > 0) {
            text = mpl_arena_printf(page->scratch, "%s%s%s %s", text,
                                    text[0] != '\0' ? ", " : "",
                                    mpl_page_count(page, kinds[i].n),
                                    kinds[i].n == 1 ? kinds[i].one : kinds[i].many);
        }
    }
    return text == NULL ? "?" : text[0] == '\0' ? "none" : text;
}

static void say_violations(struct page *page, const struct mpl_run *run)
{
    const struct mpl_clock *clock = run->clock;

    if (total(&clock->before) == 0 && total(&clock->mapped) == 0) {
        mpl_page_say(page, 6, "no message or collective runs backwards in time");
        return;
    }
    mpl_page_say(page, 6, "backwards in time: %s as recorded, by up to %s",
                 kinds_of(page, &clock->before),
                 seconds_of(page, run, clock->before.worst_ticks));
    if (clock->source != MPL_CLOCK_RAW && clock->source != MPL_CLOCK_SINGLE) {
        const bool is_left = total(&clock->mapped) > 0;

        mpl_page_say(page, 6, "on the common time line: %s%s%s",
                     kinds_of(page, &clock->mapped), is_left ? ", by up to " : "",
                     is_left ? seconds_of(page, run, clock->mapped.worst_ticks) : "");
    }
}

/* ", and made the run 3 us longer"; nothing if it did not. */
static const char *growth_of(struct page *page, const struct mpl_run *run)
{
    const int64_t growth = run->clock->repair->growth_ticks;
    const char *text = "";

    if (growth != 0) {
        text = mpl_arena_printf(page->scratch, ", and made the run %s %s",
                                seconds_of(page, run, growth < 0 ? -growth : growth),
                                growth < 0 ? "shorter" : "longer");
    }
    return text == NULL ? "" : text;
}

static void say_repair(struct page *page, const struct mpl_run *run)
{
    const struct mpl_clc *repair = run->clock->repair;

    if (repair == NULL) {
        return;
    }
    if (repair->n_moved == 0) {
        mpl_page_say(page, 6, "the repair was given up: times would leave all bounds");
        return;
    }
    mpl_page_say(page, 6,
                 "after the repair: %s; it moved %s of %s events, at most by %s (location "
                 "%s)%s",
                 kinds_of(page, &run->clock->after), mpl_page_count(page, repair->n_moved),
                 mpl_page_count(page, run->model->n_events),
                 seconds_of(page, run, repair->max_shift_ticks),
                 run->model->locations[repair->max_shift_location].label,
                 growth_of(page, run));
}

static bool has_drift(const struct mpl_run *run)
{
    for (uint32_t i = 0; i < run->model->n_locations; i++) {
        if (run->clock->drift_ticks[i] != 0) {
            return true;
        }
    }
    return false;
}

/* "one offset per process", or what else the time line is made of. */
static const char *shape_of(struct page *page, const struct mpl_run *run)
{
    if (run->clock->n_pieces <= 1) {
        return has_drift(run) ? "one offset and drift per process"
                              : "one offset per process";
    }
    const char *text = mpl_arena_printf(
        page->scratch, "offset and drift per process in %u pieces of the run",
        run->clock->n_pieces);
    return text == NULL ? "?" : text;
}

/* \p unknown: what is said instead where nothing bounds it. */
static const char *error_of(struct page *page, const struct mpl_run *run,
                            int64_t bound_ticks, const char *unknown)
{
    const char *text = bound_ticks == INT64_MAX
                           ? unknown
                           : mpl_arena_printf(page->scratch, "error at most %s",
                                              seconds_of(page, run, bound_ticks));

    return text == NULL ? "?" : text;
}

void mpl_page_clock(struct page *page, const struct mpl_run *run)
{
    int64_t worst = 0;

    for (uint32_t i = 0; i < run->model->n_locations; i++) {
        if (run->clock->bound_ticks[i] > worst) {
            worst = run->clock->bound_ticks[i];
        }
    }
    const char *error = error_of(page, run, worst, "error unknown for some locations");

    switch (run->clock->source) {
    case MPL_CLOCK_SINGLE:
        mpl_page_say(page, 4, "clock: one for all");
        break;
    case MPL_CLOCK_OFFSETS:
        mpl_page_say(page, 4, "clock: recorded offsets, interpolated");
        break;
    case MPL_CLOCK_REFINED:
        mpl_page_say(page, 4,
                     "clock: recorded offsets, corrected where messages contradict them "
                     "(%s); %s",
                     shape_of(page, run), error);
        break;
    case MPL_CLOCK_MESSAGES:
        mpl_page_say(page, 4, "clock: estimated from the messages, %s; %s",
                     shape_of(page, run), error);
        break;
    case MPL_CLOCK_EVENTSPACE:
        mpl_page_say(page, 4, "clock: mean round trips along a tree, as asked");
        break;
    case MPL_CLOCK_RAW:
        mpl_page_say(page, 4, "clock: as recorded, not corrected");
        break;
    }
    say_violations(page, run);
    say_repair(page, run);
}

/* ---- in full, for check --------------------------------------------------------------- */

/*
 * A bound of milliseconds may come from start-up alone, where no message limits anything; what is
 * diagnosed lies between messages. " (30 us between messages)", or nothing if it is no better.
 */
static const char *between_messages(struct page *page, const struct mpl_run *run,
                                    uint32_t location)
{
    const struct mpl_clock *clock = run->clock;
    const int64_t low = clock->low_ticks[location];
    const int64_t high = clock->high_ticks[location];
    const char *text = "";

    if (low != INT64_MIN && high != INT64_MAX) {
        const int64_t inside = -low > high ? -low : high;

        if (inside < clock->bound_ticks[location] / 2) {
            text = mpl_arena_printf(page->scratch, " (%s between messages)",
                                    seconds_of(page, run, inside));
        }
    }
    return text == NULL ? "" : text;
}

static void say_location(struct page *page, const struct mpl_run *run, uint32_t location)
{
    const struct mpl_clock *clock = run->clock;
    const int64_t bound = clock->bound_ticks[location];
    const int64_t drift = clock->drift_ticks[location];
    const struct mpl_clc *repair = clock->repair;
    const char *drifts = "";
    const char *moves = "";

    if (drift != 0) {
        drifts = mpl_arena_printf(page->scratch, ", drift %s in the run",
                                  seconds_of(page, run, drift));
    }
    if (repair != NULL && repair->location_max_ticks[location] > 0) {
        moves =
            mpl_arena_printf(page->scratch, ", moved by up to %s and at the end by %s",
                             seconds_of(page, run, repair->location_max_ticks[location]),
                             seconds_of(page, run, repair->location_end_ticks[location]));
    }
    mpl_page_say(page, 2, "location %s: offset %s%s, %s%s%s",
                 run->model->locations[location].label,
                 seconds_of(page, run, clock->offset_ticks[location]),
                 drifts == NULL ? "" : drifts, error_of(page, run, bound, "error unknown"),
                 between_messages(page, run, location), moves == NULL ? "" : moves);
}

/* The accuracy table of the EventSpace paper, for one time line. */
static void say_accuracy(struct page *page, const struct mpl_run *run)
{
    const struct mpl_clock_accuracy *a = &run->clock->accuracy;
    const double ticks_per_s = (double) run->model->ticks_per_s;

    if (a->n == 0) {
        return;
    }
    mpl_page_say(page, 2, "messages in the right order before any repair: %s of %s (%s)",
                 mpl_page_count(page, a->n_correct), mpl_page_count(page, a->n),
                 mpl_page_share(page, (double) a->n_correct / (double) a->n));
    if (a->n_correct < a->n) {
        mpl_page_say(
            page, 4,
            "the others are too early by %s on average, %s in the median, standard "
            "deviation %s, worst %s",
            mpl_page_seconds(page, a->mean_ticks / ticks_per_s),
            mpl_page_seconds(page, a->median_ticks / ticks_per_s),
            mpl_page_seconds(page, a->stddev_ticks / ticks_per_s),
            seconds_of(page, run, a->worst_ticks));
    }
}

static void say_distortion(struct page *page, const struct mpl_run *run)
{
    static const char *const limits[] = { "0.1 %", "1 %", "10 %", "100 %" };
    const struct mpl_clc_distortion *d = &run->clock->repair->distortion;

    mpl_page_say(page, 2,
                 "intervals between neighbouring events of a location: %s unchanged",
                 mpl_page_count(page, d->unchanged));
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        if (d->below[i] > 0) {
            mpl_page_say(page, 4, "%s changed by less than %s of their length",
                         mpl_page_count(page, d->below[i]), limits[i]);
        }
    }
    if (d->beyond > 0) {
        mpl_page_say(page, 4, "%s changed by more", mpl_page_count(page, d->beyond));
    }
    mpl_page_say(page, 4, "one grew by %s, one shrank by %s; none changed more",
                 seconds_of(page, run, d->longest_ticks),
                 seconds_of(page, run, d->shortest_ticks));
}

static void say_repair_in_full(struct page *page, const struct mpl_run *run)
{
    const struct mpl_clc *repair = run->clock->repair;

    mpl_page_heading(page, "Repair");
    mpl_page_say(page, 2,
                 "controlled logical clock: %u %s, gamma %g; largest shift %s, %s %s",
                 repair->n_passes, repair->n_passes == 1 ? "pass" : "passes", repair->gamma,
                 seconds_of(page, run, repair->max_shift_ticks),
                 repair->is_within_error ? "within the accepted" : "more than the accepted",
                 seconds_of(page, run, repair->error_ticks));
    for (int c = 0; c < MPL_CLC_CLASSES; c++) {
        mpl_page_say(page, 2, "delay given to repaired %s: %s", mpl_clc_class_name(c),
                     seconds_of(page, run, repair->mu_ticks[c]));
    }
    mpl_page_say(page, 2, "%s events put forward because of a violation",
                 mpl_page_count(page, repair->n_jumps));
    if (repair->n_ignored > 0) {
        mpl_page_say(page, 2, "%s pairs contradict others and were left as they are",
                     mpl_page_count(page, repair->n_ignored));
    }
    say_distortion(page, run);
}

void mpl_page_clock_in_full(struct page *page, const struct mpl_run *run)
{
    mpl_page_heading(page, "Clocks");
    for (uint32_t i = 0; i < run->model->n_locations; i++) {
        say_location(page, run, i);
    }
    say_accuracy(page, run);
    if (run->clock->repair != NULL) {
        say_repair_in_full(page, run);
    }
}
