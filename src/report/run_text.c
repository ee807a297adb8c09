/* A run as a person needs it: what was read, its clocks, what weakens conclusions. */
#include "config.h"

#include "report/report_priv.h"

static const char *tracer_name(enum mpl_tracer tracer)
{
    switch (tracer) {
    case MPL_TRACER_EZTRACE:
        return "EZTrace";
    case MPL_TRACER_SCOREP:
        return "Score-P";
    case MPL_TRACER_TEXT:
        return "text trace";
    case MPL_TRACER_MARPLE:
        return "marple trace";
    default:
        return "OTF2";
    }
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
    mpl_page_say(page, 2, "%s  %s: %s, %u process%s, %u location%s, %s event%s", run->id,
                 run->path, tracer_name(run->model->tracer), run->model->n_processes,
                 run->model->n_processes == 1 ? "" : "es", run->model->n_locations,
                 run->model->n_locations == 1 ? "" : "s",
                 mpl_page_count(page, run->model->n_recorded),
                 run->model->n_recorded == 1 ? "" : "s");
    if (run->label != NULL) {
        mpl_page_say(page, 4, "label: %s", run->label);
    }
    mpl_page_say(
        page, 4, "diagnosed: %s; apart from it start-up %s and shut-down %s per process",
        mpl_page_seconds(page, run->window_s), mpl_page_seconds(page, run->startup_s),
        mpl_page_seconds(page, run->shutdown_s));
    if (run->failure != NULL) {
        mpl_page_say(page, 4, "cannot be used: %s", run->failure);
    }
    mpl_page_clock(page, run);
    say_notes(page, run);
}
