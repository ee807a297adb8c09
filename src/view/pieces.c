/*
 * What of a location's spans is selected. Durations count as far as they are inside, so that the sums
 * over adjacent windows are those of the whole; calls and messages count where they end, so that each
 * is in one window.
 */
#include "config.h"

#include "view/view_priv.h"

enum mpl_status mpl_selection_steps(struct mpl_selection *s, struct mpl_arena *arena,
                                    struct mpl_err *err)
{
    const struct mpl_diagnosis *d = s->diagnosis;

    if (s->steps == NULL && d->steps != NULL && &d->runs[d->speaker] == s->run) {
        s->steps = d->steps;
    }
    return s->steps != NULL ? MPL_OK
                            : mpl_events_steps(s->run->events, arena, &s->steps, err);
}

int64_t mpl_step_end(const struct mpl_run *run, const struct mpl_steps *steps,
                     uint32_t process, uint32_t step)
{
    return mpl_events_leave_ticks(run->events, steps->loads[process].location,
                                  2 * steps->calls[process][step] + 1);
}

void mpl_step_ends(const struct mpl_run *run, const struct mpl_steps *steps, uint32_t step,
                   int64_t *first, int64_t *last)
{
    *first = INT64_MAX;
    *last = 0;
    for (uint32_t p = 0; p < steps->n_processes; p++) {
        const int64_t end = mpl_step_end(run, steps, p, step);

        *first = end < *first ? end : *first;
        *last = end > *last ? end : *last;
    }
}

enum mpl_status mpl_step_walk_open(const struct mpl_selection *s, struct mpl_arena *arena,
                                   struct mpl_step_walk *out, struct mpl_err *err)
{
    const uint32_t n = s->run->model->n_locations;

    *out = (struct mpl_step_walk){ .s = s,
                                   .of_step = *s,
                                   .begins = MPL_NEW_ARRAY(arena, n, int64_t),
                                   .ends = MPL_NEW_ARRAY(arena, n, int64_t) };
    out->of_step.is_whole = false;
    out->of_step.begin_of_ticks = out->begins;
    out->of_step.end_of_ticks = out->ends;
    return out->begins == NULL || out->ends == NULL ? mpl_nomem(err) : MPL_OK;
}

void mpl_step_walk_go(struct mpl_step_walk *w, uint32_t step)
{
    for (uint32_t l = 0; l < w->s->run->model->n_locations; l++) {
        const uint32_t process = w->s->run->model->locations[l].process;
        const int64_t from = w->s->begin_of_ticks[l];
        const int64_t to = w->s->end_of_ticks[l];
        const int64_t begin = mpl_step_end(w->s->run, w->s->steps, process, step - 1);
        const int64_t end = mpl_step_end(w->s->run, w->s->steps, process, step);

        w->begins[l] = begin > from ? begin : from;
        w->ends[l] = end < to ? end : to;
    }
}

bool mpl_step_walk_has(const struct mpl_step_walk *w, uint32_t location)
{
    return w->s->has_location[location] && w->begins[location] < w->ends[location];
}

static bool has_comm(const struct mpl_selection *s, uint32_t comm)
{
    return s->has_comm == NULL || (comm != MPL_NONE && s->has_comm[comm]);
}

static bool uses_comm(const struct mpl_selection *s, uint32_t location,
                      const struct mpl_span *span)
{
    const struct mpl_location *loc = &s->run->model->locations[location];

    if (s->has_comm == NULL) {
        return true;
    }
    if (span->collective != MPL_NONE) {
        return has_comm(s, loc->collectives[span->collective].comm);
    }
    for (uint32_t i = 0; i < span->n_messages; i++) {
        const struct mpl_envelope *envelope =
            mpl_envelope_of(loc, mpl_events_message(s->run->events, location, span, i));

        if (envelope != NULL && has_comm(s, envelope->comm)) {
            return true;
        }
    }
    return false;
}

uint32_t mpl_span_at(const struct mpl_events *events, uint32_t location, int64_t ticks)
{
    uint32_t low = 0;
    uint32_t high = mpl_events_span_count(events, location);

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (mpl_events_leave_ticks(events, location, middle) <= ticks) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The moment 0 belongs to the window that begins there: there is none before it. */
static bool is_inside(const struct mpl_selection *s, uint32_t location, int64_t ticks)
{
    const int64_t begin = s->begin_of_ticks[location];

    return ticks <= s->end_of_ticks[location] && (ticks > begin || begin == 0);
}

static void look_at(const struct mpl_selection *s, struct mpl_piece *p)
{
    const struct mpl_span span = mpl_events_span(s->run->events, p->location, p->number);
    const int64_t from = s->begin_of_ticks[p->location];
    const int64_t to = s->end_of_ticks[p->location];

    p->span = span;
    if (s->is_whole) {
        p->begin_ticks = span.enter_ticks;
        p->end_ticks = span.leave_ticks;
        p->wait_ticks = span.wait_ticks;
        p->ends_inside = true;
        return;
    }
    p->begin_ticks = span.enter_ticks > from ? span.enter_ticks : from;
    p->end_ticks = span.leave_ticks < to ? span.leave_ticks : to;
    const int64_t waited = span.enter_ticks + span.wait_ticks;
    const int64_t wait_end = waited < to ? waited : to;

    p->wait_ticks = wait_end > p->begin_ticks ? wait_end - p->begin_ticks : 0;
    p->ends_inside = is_inside(s, p->location, span.leave_ticks);
}

static bool is_selected(const struct mpl_selection *s, const struct mpl_piece *p)
{
    return s->is_whole || ((p->end_ticks > p->begin_ticks || p->ends_inside) &&
                           uses_comm(s, p->location, &p->span));
}

/* From p->number on, the first span that is selected. */
static bool seek(const struct mpl_selection *s, struct mpl_piece *p)
{
    const uint32_t n = mpl_events_span_count(s->run->events, p->location);

    for (; p->number < n; p->number++) {
        look_at(s, p);
        if (p->span.enter_ticks > s->end_of_ticks[p->location]) {
            return false;
        }
        if (is_selected(s, p)) {
            return true;
        }
    }
    return false;
}

struct mpl_piece mpl_pieces_of(const struct mpl_selection *s, uint32_t location)
{
    const int64_t before = s->begin_of_ticks[location] - 1;

    return (struct mpl_piece){
        .location = location,
        .number = mpl_span_at(s->run->events, location, before) - 1,
    };
}

bool mpl_piece_next(const struct mpl_selection *s, struct mpl_piece *piece)
{
    piece->number++;
    return s->has_location[piece->location] && seek(s, piece);
}

bool mpl_selection_has_span(const struct mpl_selection *s, uint32_t location, uint32_t span)
{
    struct mpl_piece p = { .location = location, .number = span };

    if (!s->has_location[location]) {
        return false;
    }
    look_at(s, &p);
    return p.span.enter_ticks <= s->end_of_ticks[location] && is_selected(s, &p);
}

bool mpl_selection_has_instance(const struct mpl_selection *s, uint32_t instance)
{
    const struct mpl_match *match = s->run->match;
    const struct mpl_coll_instance *x = &match->instances[instance];

    if (!has_comm(s, x->comm)) {
        return false;
    }
    for (uint32_t i = 0; i < x->n_parts; i++) {
        const struct mpl_coll_part *part = &match->parts[x->first_part + i];
        const uint32_t span =
            mpl_events_span_of_collective(s->run->events, part->location, part->collective);

        if (s->has_location[part->location] && span != MPL_NONE &&
            is_inside(s, part->location,
                      mpl_events_leave_ticks(s->run->events, part->location, span))) {
            return true;
        }
    }
    return false;
}
