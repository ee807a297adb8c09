/* How much of the messages and of the time of the roles' locations lies in instances. */
#include "config.h"

#include "recognize/recognition_priv.h"

/* ---- messages --------------------------------------------------------------------- */

static void measure_messages(struct mpl_recognition *r)
{
    uint64_t n = 0;
    uint64_t n_explained = 0;

    for (uint32_t l = 0; l < r->model->n_locations; l++) {
        const struct mpl_location *loc = &r->model->locations[l];
        const uint64_t *explained = r->explained[l];

        for (uint32_t m = 0; explained != NULL && m < loc->n_messages; m++) {
            if (mpl_message_is_real(loc, m)) {
                n++;
                n_explained += explained[m / 64] >> m % 64 & 1;
            }
        }
    }
    r->message_coverage = n == 0 ? 0 : (double) n_explained / (double) n;
}

/* ---- time ---------------------------------------------------------------------------- */

static int64_t clipped(const struct mpl_recognition *r, uint32_t location,
                       struct mpl_range spans)
{
    int64_t enter = mpl_events_span(r->events, location, spans.first).enter_ticks;
    int64_t leave = mpl_events_span(r->events, location, spans.end).leave_ticks;

    enter = enter < r->window.begin_ticks ? r->window.begin_ticks : enter;
    leave = leave > r->window.end_ticks ? r->window.end_ticks : leave;
    return leave > enter ? leave - enter : 0;
}

/* The next instance of an event on the location, as its spans; false when there are no more. */
static bool next_spans(const struct mpl_recognition *r, uint32_t event, uint32_t location,
                       uint32_t next, struct mpl_range *spans)
{
    const struct mpl_instances *instances = &r->instances[event];
    const struct mpl_segment *segment = mpl_instances_find(instances, location);

    if (segment == NULL || next >= segment->n) {
        return false;
    }
    *spans = mpl_instance_spans(r, event, location,
                                segment->words + (size_t) next * instances->stride,
                                segment->lists);
    return true;
}

/*
 * The union of the instances of all events, as ticks: instances of one event ascend, so the next
 * of all is the earliest of the next ones.
 */
static int64_t covered_ticks(const struct mpl_recognition *r, uint32_t location)
{
    uint32_t next[MPL_EVENTS_MAX] = { 0 };
    struct mpl_range open = { 0, 0 };
    bool is_open = false;
    int64_t ticks = 0;

    for (;;) {
        struct mpl_range first = { MPL_NONE, 0 };
        uint32_t event = MPL_NONE;

        for (uint32_t e = 0; e < r->pattern->n_events; e++) {
            struct mpl_range spans;

            if (next_spans(r, e, location, next[e], &spans) && spans.first < first.first) {
                first = spans;
                event = e;
            }
        }
        if (event != MPL_NONE && is_open && first.first <= open.end + 1) {
            open.end = first.end > open.end ? first.end : open.end;
        } else {
            ticks += is_open ? clipped(r, location, open) : 0;
            open = first;
            is_open = true;
        }
        if (event == MPL_NONE) {
            return ticks;
        }
        next[event]++;
    }
}

static void measure_time(struct mpl_recognition *r)
{
    const int64_t window_ticks = r->window.end_ticks - r->window.begin_ticks;
    int64_t ticks = 0;
    uint32_t n = 0;

    for (uint32_t l = 0; l < r->model->n_locations; l++) {
        if (r->roles_of_location[l] != 0) {
            ticks += covered_ticks(r, l);
            n++;
        }
    }
    r->time_coverage =
        n == 0 || window_ticks <= 0 ? 0 : (double) ticks / ((double) window_ticks * n);
}

void mpl_coverage_measure(struct mpl_recognition *r)
{
    measure_messages(r);
    measure_time(r);
}
