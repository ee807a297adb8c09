#include "config.h"

#include "cli/timeline_priv.h"

#include <string.h>

enum { MOST_LOCATIONS = 24, LEAST_WIDTH = 40, INDENT = 4 };

struct drawing {
    const struct mpl_events *events;
    struct mpl_recognition *r;
    const struct mpl_model *model;
    struct mpl_arena *arena;
    FILE *out;
    int64_t begin_ticks, end_ticks;
    size_t label_width;
    size_t n_cells;
    char *cells;
    bool is_used[256]; /* letters, for the legend */
};

static const struct {
    char letter;
    const char *says;
} legend[] = {
    { '=', "computes" },           { 'S', "sends" },      { 'R', "receives" },
    { 'X', "sends and receives" }, { 'P', "other p2p" },  { 'B', "barrier" },
    { 'C', "collective" },         { 'o', "other call" }, { '.', "waits" },
};

/* ---- one row ------------------------------------------------------------------------ */

static size_t cell_of(const struct drawing *d, int64_t ticks)
{
    const int64_t all = d->end_ticks - d->begin_ticks;
    const int64_t at = ticks < d->begin_ticks ? 0
                       : ticks > d->end_ticks ? all
                                              : ticks - d->begin_ticks;

    /* In floating point: ticks times cells may pass 2^63, and a cell is coarse anyway. */
    return all == 0 ? 0 : (size_t) ((double) at / (double) all * (double) d->n_cells + 0.5);
}

static void fill(struct drawing *d, size_t from, size_t to, char letter)
{
    for (size_t i = from; i < to && i < d->n_cells; i++) {
        d->cells[i] = letter;
    }
    d->is_used[(unsigned char) letter] = d->is_used[(unsigned char) letter] || from < to;
}

static char letter_of_messages(const struct drawing *d, uint32_t location,
                               const struct mpl_span *span)
{
    const struct mpl_location *l = &d->model->locations[location];
    bool sends = false;
    bool receives = false;

    for (uint32_t i = 0; i < span->n_messages; i++) {
        const uint32_t m = mpl_events_message(d->events, location, span, i);
        const uint32_t e = mpl_message_get(l, m).envelope;

        if (e != MPL_NONE) {
            sends = sends || l->envelopes[e].is_send;
            receives = receives || !l->envelopes[e].is_send;
        }
    }
    return sends && receives ? 'X' : sends ? 'S' : receives ? 'R' : 'P';
}

static char letter_of(const struct drawing *d, uint32_t location,
                      const struct mpl_span *span)
{
    const struct mpl_location *l = &d->model->locations[location];

    switch (span->class) {
    case MPL_SPAN_COMPUTE:
        return '=';
    case MPL_SPAN_P2P:
        return letter_of_messages(d, location, span);
    case MPL_SPAN_COLLECTIVE:
        return span->collective != MPL_NONE &&
                       l->collectives[span->collective].op == MPL_COLL_BARRIER
                   ? 'B'
                   : 'C';
    case MPL_SPAN_OTHER:
        return 'o';
    default:
        return ' ';
    }
}

/* A call has a cell of its own however short it is, and shows what it is behind its waiting. */
static void draw_span(struct drawing *d, uint32_t location, const struct mpl_span *span)
{
    const size_t from = cell_of(d, span->enter_ticks);
    size_t to = cell_of(d, span->leave_ticks);
    size_t waited = cell_of(d, span->enter_ticks + span->wait_ticks);
    const bool is_call = span->class != MPL_SPAN_COMPUTE &&
                         span->class != MPL_SPAN_STARTUP &&
                         span->class != MPL_SPAN_SHUTDOWN;

    to = is_call && to == from ? from + 1 : to;
    waited = waited >= to && to > from ? to - 1 : waited;
    fill(d, from, waited, '.');
    fill(d, waited, to, letter_of(d, location, span));
}

static void print_row(struct drawing *d, const char *label, const char *behind)
{
    mpl_text_print(d->out, "%*s%-*s |%s|%s%s\n", INDENT, "", (int) d->label_width, label,
                   d->cells, behind[0] != '\0' ? "  " : "", behind);
}

/* Computation first, so that a short call is not hidden by what lies beside it. */
static void draw_location(struct drawing *d, uint32_t location)
{
    const uint32_t n = mpl_events_span_count(d->events, location);

    memset(d->cells, ' ', d->n_cells);
    for (int calls = 0; calls < 2; calls++) {
        for (uint32_t i = 0; i < n; i++) {
            const struct mpl_span span = mpl_events_span(d->events, location, i);

            if ((span.class != MPL_SPAN_COMPUTE) == (calls == 1)) {
                draw_span(d, location, &span);
            }
        }
    }
}

/* ---- roles and instances --------------------------------------------------------------- */

static const char *roles_of(const struct drawing *d, uint32_t location)
{
    const struct mpl_pattern *pattern = d->r == NULL ? NULL : mpl_recognition_pattern(d->r);
    const char *text = "";

    for (size_t i = 0; pattern != NULL && i < mpl_pattern_role_count(pattern); i++) {
        const struct mpl_role *role = mpl_recognition_role(d->r, i);

        for (uint32_t j = 0; text != NULL && j < role->n; j++) {
            if (role->locations[j] == location) {
                text = mpl_arena_printf(d->arena, "%s%s%s", text,
                                        text[0] == '\0' ? "" : ", ", role->name);
            }
        }
    }
    return text == NULL ? "" : text;
}

/* "[--0--]", as far as there is room for it. */
static void draw_instance(struct drawing *d, double enter_s, double leave_s, size_t number)
{
    const double tick = 1.0 / (double) d->model->ticks_per_s;
    const size_t from = cell_of(d, d->begin_ticks + (int64_t) (enter_s / tick));
    size_t to = cell_of(d, d->begin_ticks + (int64_t) (leave_s / tick));
    char text[24];

    to = to <= from ? from + 1 : to;
    to = to > d->n_cells ? d->n_cells : to;
    if (from >= to) {
        return;
    }
    memset(d->cells + from, '-', to - from);
    d->cells[from] = '[';
    d->cells[to - 1] = to - from > 1 ? ']' : '|';
    const size_t n = (size_t) snprintf(text, sizeof text, "%zu", number);
    if (n + 2 <= to - from) {
        memcpy(d->cells + (from + to - n) / 2, text, n);
    }
}

static enum mpl_status draw_event(struct drawing *d, uint32_t event, uint32_t location,
                                  struct mpl_err *err)
{
    const struct mpl_pattern *pattern = mpl_recognition_pattern(d->r);
    size_t first;
    const size_t n = mpl_recognition_range(d->r, event, location, &first);

    if (n == 0) {
        return MPL_OK;
    }
    const double *enter = mpl_recognition_column(
        d->r, event, mpl_pattern_find_attribute(pattern, event, "enter"));
    const double *leave = mpl_recognition_column(
        d->r, event, mpl_pattern_find_attribute(pattern, event, "leave"));
    if (enter == NULL || leave == NULL) {
        return mpl_nomem(err);
    }
    memset(d->cells, ' ', d->n_cells);
    for (size_t i = 0; i < n; i++) {
        draw_instance(d, enter[first + i], leave[first + i], i);
    }
    print_row(d, "", mpl_pattern_event(pattern, event));
    return MPL_OK;
}

/* ---- the picture -------------------------------------------------------------------------- */

static enum mpl_status draw_all(struct drawing *d, struct mpl_err *err)
{
    const uint32_t n = d->model->n_locations;
    const uint32_t shown = n < MOST_LOCATIONS ? n : MOST_LOCATIONS;
    enum mpl_status st = MPL_OK;

    const char *end = mpl_text_seconds(
        d->arena, mpl_model_seconds(d->model, d->end_ticks - d->begin_ticks));
    const int width = (int) d->n_cells;

    mpl_text_print(d->out, "%*s%*s  0 s%*s\n", INDENT, "", (int) d->label_width, "",
                   width - 3, end == NULL ? "" : end);
    for (uint32_t l = 0; l < shown; l++) {
        draw_location(d, l);
        print_row(d, d->model->locations[l].label, roles_of(d, l));
        for (uint32_t e = 0; d->r != NULL && st == MPL_OK &&
                             e < mpl_pattern_event_count(mpl_recognition_pattern(d->r));
             e++) {
            st = draw_event(d, e, l, err);
        }
    }
    if (shown < n) {
        mpl_text_print(d->out, "%*s… and %u more locations\n", INDENT, "", n - shown);
    }
    mpl_text_print(d->out, "%*s%*s  ", INDENT, "", (int) d->label_width, "");
    const char *between = "";
    for (size_t i = 0; i < sizeof legend / sizeof *legend; i++) {
        if (d->is_used[(unsigned char) legend[i].letter]) {
            mpl_text_print(d->out, "%s%c %s", between, legend[i].letter, legend[i].says);
            between = "  ";
        }
    }
    fputc('\n', d->out);
    return st;
}

enum mpl_status mpl_timeline_print(const struct mpl_events *events,
                                   struct mpl_recognition *r, int width, FILE *out,
                                   struct mpl_err *err)
{
    const struct mpl_window window = mpl_window_of(events);
    struct drawing d = { .events = events,
                         .r = r,
                         .model = mpl_events_model(events),
                         .arena = mpl_arena_create(),
                         .out = out,
                         .begin_ticks = window.begin_ticks,
                         .end_ticks = window.end_ticks };

    for (uint32_t l = 0; l < d.model->n_locations; l++) {
        const size_t n = strlen(d.model->locations[l].label);

        d.label_width = n > d.label_width ? n : d.label_width;
    }
    width = width < LEAST_WIDTH ? LEAST_WIDTH : width;
    /* Roles and events stand behind the rows; twenty columns hold most of their names. */
    d.n_cells = (size_t) width - INDENT - 3;
    d.n_cells -= d.label_width + 20 < d.n_cells - 10 ? d.label_width + 20 : 0;
    d.cells = mpl_arena_alloc(d.arena, d.n_cells + 1);
    const enum mpl_status st = d.cells == NULL ? mpl_nomem(err) : draw_all(&d, err);
    mpl_arena_destroy(d.arena);
    return st;
}
