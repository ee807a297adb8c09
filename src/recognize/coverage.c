/*
 * How much of the run's messages and collectives, and of the time of the roles' locations, lies in
 * instances. A collective call of a location counts like one message end. They count over the whole world: three processes of a tree that exchange what looks like
 * tasks are no master with two workers if the tree has seven.
 */
#include "config.h"

#include "recognize/recognition_priv.h"

#include <stdatomic.h>

/* ---- communication --------------------------------------------------------------------- */

/* Only ends that count are ever explained. */
static uint64_t count_explained(const struct mpl_recognition *r, uint32_t location)
{
    const size_t n_words =
        r->explained[location] == NULL ? 0 : mpl_explained_words(r->model, location);
    uint64_t n = 0;

    for (size_t i = 0; i < n_words; i++) {
        n += (uint64_t) __builtin_popcountll(r->explained[location][i]);
    }
    return n;
}

static void measure_ends(struct mpl_recognition *r)
{
    uint64_t n = 0;
    uint64_t n_explained = 0;

    for (uint32_t l = 0; l < r->model->n_locations; l++) {
        n += r->n_ends[l];
        n_explained += count_explained(r, l);
    }
    r->message_coverage = n == 0 ? 0 : (double) n_explained / (double) n;
    r->likely_coverage = r->message_coverage;
}

/* ---- communication that no search can explain any more -------------------------------------- */

/* Nothing is explained by searching there any more. */
static bool is_over(const struct mpl_recognition *r, uint32_t location)
{
    return r->is_searched[location] || r->explained[location] == NULL;
}

/* Of sends and of receives: roles, as bits, whose events may explain them from their other ends. */
struct linking {
    uint32_t sends;
    uint32_t receives;
};

/* Messages whose other end, on a location that is not searched yet, may be a member there with this one as its match. */
static uint64_t count_open(const struct mpl_recognition *r, uint32_t location,
                           const struct linking *linking)
{
    const struct mpl_location *loc = &r->model->locations[location];
    uint64_t n = 0;

    for (uint32_t m = 0; m < loc->n_messages; m++) {
        const uint32_t envelope = mpl_message_get(loc, m).envelope;

        if (envelope == MPL_NONE || (r->explained[location][m / 64] >> m % 64 & 1) != 0) {
            continue;
        }

        const uint32_t roles =
            loc->envelopes[envelope].is_send ? linking->sends : linking->receives;
        const struct mpl_end other =
            roles == 0 ? (struct mpl_end){ .message = MPL_NONE }
                       : mpl_match_partner(mpl_events_match(r->events), location, m);

        n += other.message != MPL_NONE && !is_over(r, other.location) &&
             (r->roles_of_location[other.location] & roles) != 0;
    }
    return n;
}

/* The match of what can only be a send is a receive, so such an event explains no sends of others. */
static void add_link(const struct mpl_event_definition *event,
                     const struct mpl_associated *link, struct linking *linking)
{
    const enum mpl_primitive_test test =
        link->base < event->n_members &&
                event->members[link->base].filter.primitive != MPL_NONE
            ? mpl_primitive_row(event->members[link->base].filter.primitive)->test
            : MPL_TEST_CALL;

    if (test != MPL_TEST_SEND && test != MPL_TEST_SSEND) {
        linking->sends |= 1U << event->role;
    }
    if (test != MPL_TEST_RECV) {
        linking->receives |= 1U << event->role;
    }
}

static struct linking find_linking(const struct mpl_pattern *pattern)
{
    struct linking linking = { 0, 0 };

    for (uint32_t e = 0; e < pattern->n_events; e++) {
        const struct mpl_event_definition *event = &pattern->events[e];

        for (uint32_t a = 0; a < event->n_associated; a++) {
            if (event->associated[a].is_explained) {
                add_link(event, &event->associated[a], &linking);
            }
        }
    }
    return linking;
}

bool mpl_coverage_falls_short(struct mpl_recognition *r)
{
    uint64_t n = 0;
    uint64_t n_searched = 0;
    uint64_t n_explained = 0;
    uint64_t n_possible;

    for (uint32_t l = 0; l < r->model->n_locations; l++) {
        n += r->n_ends[l];
        if (is_over(r, l)) {
            n_searched += r->n_ends[l];
            n_explained += count_explained(r, l);
        }
    }
    n_possible = n - n_searched + n_explained;
    if (n == 0 || (double) n_possible >= r->needed_coverage * (double) n) {
        return false;
    }
    r->likely_coverage = (double) n_explained / (double) n_searched;

    const struct linking linking = find_linking(r->pattern);
    const bool are_some = (linking.sends | linking.receives) != 0;

    for (uint32_t l = 0; l < r->model->n_locations && are_some; l++) {
        n_possible +=
            r->is_searched[l] && r->explained[l] != NULL ? count_open(r, l, &linking) : 0;
    }
    r->message_coverage = (double) n_possible / (double) n;
    return r->message_coverage < r->needed_coverage;
}

/* ---- time ---------------------------------------------------------------------------- */

static int64_t clipped(const struct mpl_recognition *r, uint32_t location,
                       struct mpl_range spans)
{
    int64_t enter = mpl_events_enter_ticks(r->events, location, spans.first);
    int64_t leave = mpl_events_leave_ticks(r->events, location, spans.end);

    enter = enter < r->window.begin_ticks ? r->window.begin_ticks : enter;
    leave = leave > r->window.end_ticks ? r->window.end_ticks : leave;
    return leave > enter ? leave - enter : 0;
}

/* Instances of one event on the location at hand: where the next one lies. */
struct row {
    uint32_t event;
    const struct mpl_segment *segment;
    uint32_t number;
    struct mpl_range spans; /* .first is MPL_NONE behind the last */
};

static void go_to(const struct mpl_recognition *r, struct row *row, uint32_t number)
{
    row->number = number;
    row->spans = number < row->segment->n
                     ? mpl_segment_spans(r, row->event, row->segment, number)
                     : (struct mpl_range){ MPL_NONE, 0 };
}

static uint32_t make_rows(const struct mpl_recognition *r, uint32_t location,
                          struct row *rows)
{
    uint32_t n = 0;

    for (uint32_t e = 0; e < r->pattern->n_events; e++) {
        const struct mpl_segment *segment = mpl_instances_find(&r->instances[e], location);

        if (segment != NULL) {
            rows[n] = (struct row){ .event = e, .segment = segment };
            go_to(r, &rows[n++], 0);
        }
    }
    return n;
}

/*
 * The union of the instances of all events, as ticks: instances of one event ascend, so the next
 * of all is the earliest of the next ones.
 */
static int64_t covered_ticks(const struct mpl_recognition *r, uint32_t location)
{
    struct row rows[MPL_EVENTS_MAX];
    const uint32_t n = make_rows(r, location, rows);
    struct mpl_range open = { MPL_NONE, 0 };
    int64_t ticks = 0;

    while (n > 0) {
        struct row *next = &rows[0];

        for (uint32_t i = 1; i < n; i++) {
            next = rows[i].spans.first < next->spans.first ? &rows[i] : next;
        }
        if (open.first != MPL_NONE && next->spans.first <= open.end + 1) {
            open.end = next->spans.end > open.end ? next->spans.end : open.end;
        } else {
            ticks += open.first != MPL_NONE ? clipped(r, location, open) : 0;
            open = next->spans;
        }
        if (next->spans.first == MPL_NONE) {
            break;
        }
        go_to(r, next, next->number + 1);
    }
    return ticks;
}

/* Locations whose time several threads measure. In whatever order, integers have the same sum. */
struct measuring {
    const struct mpl_recognition *r;
    _Atomic int64_t ticks;
};

static enum mpl_status measure_one(void *context, size_t location, unsigned worker,
                                   struct mpl_err *err)
{
    struct measuring *measuring = context;

    (void) worker;
    (void) err;
    if (measuring->r->roles_of_location[location] != 0) {
        atomic_fetch_add(&measuring->ticks,
                         covered_ticks(measuring->r, (uint32_t) location));
    }
    return MPL_OK;
}

static void measure_time(struct mpl_recognition *r)
{
    const int64_t window_ticks = r->window.end_ticks - r->window.begin_ticks;
    struct measuring measuring = { .r = r };
    const struct mpl_parallel job = { .n_tasks = r->model->n_locations,
                                      .max_threads = mpl_threads(),
                                      .run = measure_one,
                                      .context = &measuring };
    uint32_t n = 0;

    /* No task fails. */
    (void) mpl_parallel_run(&job, NULL);
    for (uint32_t l = 0; l < r->model->n_locations; l++) {
        n += r->roles_of_location[l] != 0;
    }
    r->time_coverage =
        n == 0 || window_ticks <= 0
            ? 0
            : (double) atomic_load(&measuring.ticks) / ((double) window_ticks * n);
}

void mpl_coverage_measure(struct mpl_recognition *r)
{
    if (!r->has_stopped) {
        measure_ends(r);
        measure_time(r);
    }
}
