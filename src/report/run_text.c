/* A run as a person needs it: what was read, its clocks, what weakens conclusions. */
#include "config.h"

#include "report/report_priv.h"

#include <string.h>

static const char *tracer_name(enum mpl_tracer tracer)
{
    switch (tracer) {
    case MPL_TRACER_EZTRACE:
        return "EZTrace";
    case MPL_TRACER_SCOREP:
        return "Score-P";
    case MPL_TRACER_TEXT:
        return "text trace";
    default:
        return "OTF2";
    }
}

static int64_t worst_bound(const struct mpl_run *run)
{
    int64_t worst = 0;

    for (uint32_t i = 0; i < run->model->n_locations; i++) {
        if (run->clock->bound_ticks[i] > worst) {
            worst = run->clock->bound_ticks[i];
        }
    }
    return worst;
}

static uint64_t total(const struct mpl_violations *v)
{
    return v->p2p + v->collective + v->thread;
}

static void say_violations(struct page *page, const struct mpl_run *run)
{
    const struct mpl_violations *before = &run->clock->before;
    const struct mpl_violations *after = &run->clock->after;

    if (total(before) == 0 && total(after) == 0) {
        mpl_page_say(page, 6, "no message or collective runs backwards in time");
        return;
    }
    mpl_page_say(
        page, 6,
        "backwards in time: %s messages and %s collective parts as recorded, %s and %s "
        "as corrected%s%s",
        mpl_page_count(page, before->p2p), mpl_page_count(page, before->collective),
        mpl_page_count(page, after->p2p), mpl_page_count(page, after->collective),
        total(after) > 0 ? ", by up to " : "",
        total(after) > 0
            ? mpl_page_seconds(page, mpl_model_seconds(run->model, after->worst_ticks))
            : "");
}

static void say_clock(struct page *page, const struct mpl_run *run)
{
    const int64_t worst = worst_bound(run);
    const char *bound = worst == INT64_MAX
                            ? "unknown for some locations"
                            : mpl_page_seconds(page, mpl_model_seconds(run->model, worst));

    switch (run->clock->source) {
    case MPL_CLOCK_SINGLE:
        mpl_page_say(page, 4, "clock: one for all");
        break;
    case MPL_CLOCK_OFFSETS:
        mpl_page_say(page, 4, "clock: recorded offsets, interpolated");
        break;
    case MPL_CLOCK_MESSAGES:
        mpl_page_say(
            page, 4,
            "clock: none recorded; one offset per process from the messages, error at "
            "most %s",
            bound);
        break;
    case MPL_CLOCK_REFINED:
        mpl_page_say(page, 4,
                     "clock: recorded offsets, refined by the messages; error at most %s",
                     bound);
        break;
    case MPL_CLOCK_EVENTSPACE:
        mpl_page_say(page, 4, "clock: mean round trips along a tree, as asked");
        break;
    case MPL_CLOCK_RAW:
        mpl_page_say(page, 4, "clock: as recorded, nothing to correct it with");
        break;
    }
    say_violations(page, run);
}

static void say_notes(struct page *page, const struct mpl_run *run)
{
    const struct mpl_quality *quality = run->model->quality;

    for (size_t i = 0; i < mpl_quality_count(quality); i++) {
        const struct mpl_quality_note *note = mpl_quality_get(quality, i);
        const char **labels = MPL_NEW_ARRAY(page->scratch, note->n_locations, const char *);

        for (uint32_t l = 0; labels != NULL && l < note->n_locations; l++) {
            labels[l] = run->model->locations[note->locations[l]].label;
        }
        mpl_page_say(page, 4, "note: %s: %s [%s%s%s]", note->note, note->text,
                     mpl_page_count(page, note->count),
                     labels != NULL && note->n_locations > 0 ? " at " : "",
                     labels != NULL ? mpl_page_labels(page, labels, note->n_locations)
                                    : "");
    }
}

void mpl_page_run(struct page *page, const struct mpl_run *run)
{
    if (run->failure != NULL && run->events == NULL) {
        mpl_page_say(page, 2, "%s  %s: cannot be used: %s", run->id, run->path,
                     run->failure);
        return;
    }
    mpl_page_say(page, 2, "%s  %s: %s, %u processes, %u locations, %s events", run->id,
                 run->path, tracer_name(run->model->tracer), run->model->n_processes,
                 run->model->n_locations, mpl_page_count(page, run->model->n_recorded));
    mpl_page_say(
        page, 4, "diagnosed: %s; apart from it start-up %s and shut-down %s per process",
        mpl_page_seconds(page, run->window_s), mpl_page_seconds(page, run->startup_s),
        mpl_page_seconds(page, run->shutdown_s));
    if (run->failure != NULL) {
        mpl_page_say(page, 4, "cannot be used: %s", run->failure);
    }
    say_clock(page, run);
    say_notes(page, run);
}
