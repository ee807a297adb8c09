/*
 * What must have come before what: relations in formulas, and members on other locations, which are
 * concurrent with those of the instance's own. Timestamps are made when the first of them is met.
 *
 * A stretch is before another one as in causality.h. So those of one event on one location are, as
 * seen from elsewhere, first some that come before, then some that are concurrent, then some that come
 * after: to find the first concurrent one a few are asked, not all.
 */
#include "config.h"

#include "recognize/recognition_priv.h"

#include <math.h>

static const char too_large[] = "the run is too large for timestamps";

/* What is not known is undefined, and gives no match; the reason is kept. */
static void note_unknown(struct mpl_instance_view *view, const char *why)
{
    if (view->row.number == MPL_NONE) {
        view->r->instances[view->event].match_doubt = why;
    }
}

static struct mpl_causality *causality_of(struct mpl_instance_view *view)
{
    struct mpl_causality *causality = NULL;
    const enum mpl_status st =
        mpl_precedences_get(mpl_events_precedences(view->r->events), &causality, NULL);

    if (st == MPL_E_LIMIT) {
        note_unknown(view, too_large);
        view->r->value_doubt = too_large;
    } else if (st != MPL_OK) {
        view->has_no_memory = true;
    } else if (view->row.number != MPL_NONE) {
        /* Aggregates leave out what is undefined, so one of them says nothing about any. */
        view->r->value_doubt = mpl_causality_doubt(causality);
    }
    return causality;
}

/* ---- stretches ------------------------------------------------------------------------------- */

/* From the first to the last of these members that are there; false: none is. */
static bool stretch_of_members(const struct mpl_instance_view *view, uint64_t members,
                               struct mpl_stretch *out)
{
    struct mpl_range range = { MPL_NONE, 0 };
    bool is_there = false;

    for (uint32_t m = 0; m < view->definition->n_members; m++) {
        if ((members >> m & 1) != 0 &&
            mpl_member_widen(view->r, view->event, m, &view->row, &range)) {
            is_there = true;
        }
    }
    if (is_there) {
        *out =
            mpl_events_stretch(view->r->events, view->row.location, range.first, range.end);
    }
    return is_there;
}

/* A repeated member lasts from its first to its last span. */
static bool stretch_of(struct mpl_instance_view *view, uint32_t name,
                       struct mpl_stretch *out)
{
    const struct mpl_event_definition *definition = view->definition;

    if (name < definition->n_members && definition->members[name].beside == 0) {
        return stretch_of_members(view, UINT64_C(1) << name, out);
    }

    const struct mpl_bound *bound = mpl_view_bound(view, name);

    if (bound->kind == MPL_BOUND_ABSENT) {
        return false;
    }

    const struct mpl_range range = mpl_bound_spans(view, name, bound);

    *out = mpl_events_stretch(view->r->events, bound->location, range.first, range.end);
    return true;
}

/* ---- relations ------------------------------------------------------------------------------- */

double mpl_view_relation(struct mpl_instance_view *view,
                         const struct mpl_formula_slot *slot)
{
    struct mpl_stretch a;
    struct mpl_stretch b;

    if (!stretch_of(view, slot->name, &a) || !stretch_of(view, slot->other, &b)) {
        return NAN;
    }

    struct mpl_causality *causality = causality_of(view);

    if (causality == NULL) {
        return NAN;
    }

    const enum mpl_precedence is = mpl_causality_relate(causality, a, b).is;

    if (is == MPL_PRECEDENCE_NOT_KNOWN) {
        note_unknown(view, mpl_causality_doubt(causality));
        return NAN;
    }
    return slot->relation == MPL_SLOT_PRECEDES
               ? is == MPL_PRECEDENCE_BEFORE
               : is == MPL_PRECEDENCE_CONCURRENT || is == MPL_PRECEDENCE_SAME;
}

/* ---- members on other locations ---------------------------------------------------------------- */

/* The instances of a location among which one that is concurrent is looked for. */
struct row {
    struct mpl_instance_view *view;
    struct mpl_causality *causality;
    const struct mpl_segment *segment;
    uint32_t event;
    struct mpl_stretch own;
};

/* How many reach it, as the first ones do; or how many it does not reach, the same. */
static uint32_t count(const struct row *row, bool is_reached)
{
    uint32_t low = 0;
    uint32_t high = row->segment->n;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const struct mpl_range spans =
            mpl_segment_spans(row->view->r, row->event, row->segment, middle);
        const struct mpl_stretch other = mpl_events_stretch(
            row->view->r->events, row->segment->location, spans.first, spans.end);
        const bool is_in = is_reached
                               ? !mpl_causality_reaches(row->causality, row->own, other)
                               : mpl_causality_reaches(row->causality, other, row->own);

        if (is_in) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The first instance there that is concurrent; MPL_NONE. */
static uint32_t find_concurrent(const struct row *row)
{
    const uint32_t n_reaching = count(row, false);
    const uint32_t n_not_reached = count(row, true);

    if (n_not_reached < n_reaching) {
        return n_not_reached; /* They overlap. */
    }
    if (n_reaching == n_not_reached) {
        return MPL_NONE;
    }
    if (mpl_causality_doubt(row->causality) != NULL) {
        note_unknown(row->view, mpl_causality_doubt(row->causality));
        return MPL_NONE;
    }
    return n_reaching;
}

static void look_around(struct row *row, const struct mpl_role *role,
                        struct mpl_bound *bound)
{
    uint32_t start = 0;

    while (start < role->n && role->locations[start] <= row->view->row.location) {
        start++;
    }
    for (uint32_t i = 0; i < role->n && i < MPL_LINK_CANDIDATES; i++) {
        const uint32_t location = role->locations[(start + i) % role->n];

        row->segment = mpl_instances_find(&row->view->r->instances[row->event], location);
        if (location == row->view->row.location || row->segment == NULL) {
            continue;
        }

        const uint32_t at = find_concurrent(row);

        if (at != MPL_NONE) {
            *bound = (struct mpl_bound){ .kind = MPL_BOUND_INSTANCE,
                                         .location = location,
                                         .at = at,
                                         .message = MPL_NONE };
            return;
        }
    }
}

void mpl_view_bind_beside(struct mpl_instance_view *view, uint32_t member,
                          struct mpl_bound *bound)
{
    const struct mpl_member *definition = &view->definition->members[member];
    struct row row = { .view = view, .event = definition->filter.event };

    bound->kind = MPL_BOUND_ABSENT;
    if (!stretch_of_members(view, definition->beside, &row.own)) {
        return;
    }
    row.causality = causality_of(view);
    if (row.causality != NULL) {
        look_around(&row, &view->r->roles[view->r->pattern->events[row.event].role], bound);
    }
}

/* Whether a member on another location, which must be there, is not: of the row that is looked at. */
static bool lacks(struct mpl_instance_view *view, uint32_t member)
{
    struct mpl_stretch own;

    return stretch_of_members(view, view->definition->members[member].beside, &own) &&
           mpl_view_bound(view, member)->kind == MPL_BOUND_ABSENT;
}

void mpl_view_test_beside(struct mpl_instance_view *view, uint64_t *rows)
{
    for (uint32_t m = 0; m < view->definition->n_members; m++) {
        const struct mpl_member *member = &view->definition->members[m];

        if (member->beside == 0 || member->occurs.is_optional) {
            continue;
        }
        for (uint32_t i = 0; i < view->n; i++) {
            mpl_view_go(view, i);
            if (mpl_row_is_in(rows, i) && lacks(view, m)) {
                mpl_row_leave_out(rows, i);
            }
        }
    }
}

const char *mpl_recognition_doubt(const struct mpl_recognition *r, uint32_t event,
                                  uint32_t attribute)
{
    const struct mpl_event_definition *definition = &r->pattern->events[event];
    const char *doubt = r->instances[event].match_doubt;

    return doubt == NULL && attribute != MPL_NONE &&
                   definition->attributes[attribute].asks_order
               ? r->value_doubt
               : doubt;
}
