/* When the parts of a collective operation begin and end, for all views of collectives. */
#include "config.h"

#include "view/view_priv.h"

/* A part is there when its call begins; of one that does not block, the call that starts it. */
static void find_part(const struct mpl_selection *s, const struct mpl_coll_part *part,
                      struct mpl_arrival *out)
{
    const struct mpl_events *events = s->run->events;
    const uint32_t l = part->location;
    const struct mpl_collective *record =
        &s->run->model->locations[l].collectives[part->collective];
    const uint32_t end = mpl_events_span_of_collective(events, l, part->collective);
    uint32_t begin = end;

    if (record->is_immediate && record->begin != MPL_NONE) {
        const uint32_t call = mpl_events_call_of_event(events, l, record->begin);

        begin = call == MPL_NONE ? end : 2 * call + 1;
    }
    *out = (struct mpl_arrival){ .location = l, .span = begin };
    if (begin == MPL_NONE || end == MPL_NONE) {
        return;
    }
    const struct mpl_span span = mpl_events_span(events, l, end);

    out->is_known = true;
    out->enter_ticks = mpl_events_enter_ticks(events, l, begin);
    out->leave_ticks = span.leave_ticks;
    out->wait_ticks = span.wait_ticks;
    out->error_ticks = s->run->clock->bound_ticks[l];
}

/* The sum of both errors is how far apart two moments must be to have an order. */
bool mpl_arrivals_are_apart(const struct mpl_arrival *first, int64_t first_ticks,
                            const struct mpl_arrival *second, int64_t second_ticks)
{
    const struct mpl_arrival *both[] = { first, second };
    int64_t distance = second_ticks - first_ticks;

    if (first->location == second->location) {
        return distance > 0;
    }
    for (int i = 0; i < 2; i++) {
        if (both[i]->error_ticks >= distance) {
            return false;
        }
        distance -= both[i]->error_ticks;
    }
    return distance > 0;
}

void mpl_instance_find(const struct mpl_selection *s, uint32_t number,
                       struct mpl_arrival *parts, struct mpl_instance *out)
{
    const struct mpl_coll_instance *x = &s->run->match->instances[number];

    *out = (struct mpl_instance){ .parts = parts };
    for (uint32_t i = 0; i < x->n_parts; i++) {
        struct mpl_arrival *part = &parts[out->n];

        find_part(s, &s->run->match->parts[x->first_part + i], part);
        out->n += part->is_known;
    }
    for (uint32_t i = 0; i < out->n; i++) {
        const struct mpl_arrival *p = &parts[i];

        if (i == 0 || p->enter_ticks < parts[out->first_in].enter_ticks) {
            out->first_in = i;
        }
        if (i == 0 || p->enter_ticks > parts[out->last_in].enter_ticks) {
            out->last_in = i;
        }
        if (i == 0 || p->leave_ticks < parts[out->first_out].leave_ticks) {
            out->first_out = i;
        }
        if (i == 0 || p->leave_ticks > parts[out->last_out].leave_ticks) {
            out->last_out = i;
        }
        out->wait_ticks += p->wait_ticks;
    }
    out->next_to_last_in = out->last_in;
    for (uint32_t i = 0; i < out->n; i++) {
        if (i != out->last_in &&
            (out->next_to_last_in == out->last_in ||
             parts[i].enter_ticks > parts[out->next_to_last_in].enter_ticks)) {
            out->next_to_last_in = i;
        }
    }
    out->is_last_known = out->n > 1;
    for (uint32_t i = 0; i < out->n && out->is_last_known; i++) {
        out->is_last_known =
            i == out->last_in ||
            mpl_arrivals_are_apart(&parts[i], parts[i].enter_ticks, &parts[out->last_in],
                                   parts[out->last_in].enter_ticks);
    }
}

uint32_t mpl_instance_most_parts(const struct mpl_selection *s)
{
    uint32_t most = 0;

    for (uint32_t i = 0; i < s->run->match->n_instances; i++) {
        const uint32_t n = s->run->match->instances[i].n_parts;

        most = n > most ? n : most;
    }
    return most;
}
