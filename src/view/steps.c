/*
 * What each process does in each step of the run: the picture in which an idle wave is a slanted line,
 * and with its times what section 5.1 sees by highlighting steps. Rows: step by step.
 */
#include "config.h"

#include "view/view_priv.h"

static const struct mpl_column columns[] = {
    { "step", "1", "from 1" },
    { "location", NULL, "thread of the process that communicates" },
    { "begin", "s", "when it comes to the step" },
    { "time", "s", "that it takes" },
    { "compute", "s", "outside of calls" },
    { "wait", "s", "for others" },
    { "waits_for", NULL, "whom it waits for most" },
    { "behind", "s", "by how much it comes to the step later than the first one" },
};
enum { N_COLUMNS = sizeof columns / sizeof *columns };

struct load {
    int64_t begin_ticks;
    int64_t ticks;
    int64_t compute_ticks;
    int64_t wait_ticks;
    uint32_t waits_for;
};

struct walk {
    const struct mpl_selection *s;
    struct load *loads; /* per process, of a step */
    int64_t *for_whom;  /* per location, zeros between two processes */
};

/* A process in a step: pieces of the whole selection, so that --from and --to hold, too. */
static void add_step(struct walk *w, uint32_t process, const struct mpl_selection *step,
                     struct load *load)
{
    const uint32_t l = w->s->steps->loads[process].location;
    struct mpl_piece p;

    for (bool more = mpl_piece_first(step, l, &p); more; more = mpl_piece_next(step, &p)) {
        const int64_t ticks = p.end_ticks > p.begin_ticks ? p.end_ticks - p.begin_ticks : 0;

        load->ticks += ticks;
        load->compute_ticks += p.span.class == MPL_SPAN_COMPUTE ? ticks : 0;
        load->wait_ticks += p.wait_ticks;
        if (p.wait_ticks > 0 && p.span.culprit != MPL_NONE) {
            w->for_whom[p.span.culprit] += p.wait_ticks;
            load->waits_for =
                load->waits_for == MPL_NONE ||
                        w->for_whom[p.span.culprit] > w->for_whom[load->waits_for]
                    ? p.span.culprit
                    : load->waits_for;
        }
    }
    for (bool more = mpl_piece_first(step, l, &p); more; more = mpl_piece_next(step, &p)) {
        if (p.span.culprit != MPL_NONE) {
            w->for_whom[p.span.culprit] = 0;
        }
    }
}

static enum mpl_status emit(const struct walk *w, uint32_t step, int64_t first,
                            const struct mpl_row_sink *sink, struct mpl_err *err)
{
    const struct mpl_selection *s = w->s;
    enum mpl_status st = MPL_OK;

    for (uint32_t p = 0; p < s->run->model->n_processes && st == MPL_OK; p++) {
        const struct load *load = &w->loads[p];
        const struct mpl_cell cells[N_COLUMNS] = {
            mpl_cell_whole(step),
            mpl_cell_location(s, s->steps->loads[p].location),
            mpl_cell_seconds(s, load->begin_ticks),
            mpl_cell_seconds(s, load->ticks),
            mpl_cell_seconds(s, load->compute_ticks),
            mpl_cell_seconds(s, load->wait_ticks),
            mpl_cell_location(s, load->waits_for),
            mpl_cell_seconds(s, load->begin_ticks - first),
        };

        if (load->begin_ticks != INT64_MIN) {
            st = sink->take(sink->context, cells, err);
        }
    }
    return st;
}

/* The stretch of a process that is in the step and in the selection; false: there is none. */
static bool stretch_of(const struct mpl_selection *s, uint32_t process, uint32_t step,
                       int64_t *begin, int64_t *end)
{
    const uint32_t l = s->steps->loads[process].location;

    mpl_step_times(s, process, step, begin, end);
    *begin = *begin > s->begin_of_ticks[l] ? *begin : s->begin_of_ticks[l];
    *end = *end < s->end_of_ticks[l] ? *end : s->end_of_ticks[l];
    return s->has_location[l] && *begin < *end;
}

static enum mpl_status make_step(struct walk *w, uint32_t step,
                                 struct mpl_selection *of_step, int64_t *begins,
                                 int64_t *ends, const struct mpl_row_sink *sink,
                                 struct mpl_err *err)
{
    const struct mpl_selection *s = w->s;
    int64_t first = INT64_MAX;

    for (uint32_t p = 0; p < s->run->model->n_processes; p++) {
        const uint32_t l = s->steps->loads[p].location;
        struct load *load = &w->loads[p];

        *load = (struct load){ .begin_ticks = INT64_MIN, .waits_for = MPL_NONE };
        if (stretch_of(s, p, step, &begins[l], &ends[l])) {
            load->begin_ticks = begins[l];
            first = begins[l] < first ? begins[l] : first;
            add_step(w, p, of_step, load);
        }
    }
    return emit(w, step, first, sink, err);
}

static enum mpl_status make(struct mpl_selection *s, struct mpl_arena *arena,
                            const struct mpl_row_sink *sink, struct mpl_err *err)
{
    const struct mpl_model *model = s->run->model;
    struct walk w = { .s = s,
                      .loads = MPL_NEW_ARRAY(arena, model->n_processes, struct load),
                      .for_whom = MPL_NEW_ARRAY(arena, model->n_locations, int64_t) };
    int64_t *begins = MPL_NEW_ARRAY(arena, model->n_locations, int64_t);
    int64_t *ends = MPL_NEW_ARRAY(arena, model->n_locations, int64_t);
    enum mpl_status st = mpl_selection_steps(s, arena, err);
    struct mpl_selection of_step = *s;

    if (w.loads == NULL || w.for_whom == NULL || begins == NULL || ends == NULL) {
        return mpl_nomem(err);
    }
    of_step.begin_of_ticks = begins;
    of_step.end_of_ticks = ends;
    for (uint32_t k = 1; st == MPL_OK && k <= s->steps->n; k++) {
        st = make_step(&w, k, &of_step, begins, ends, sink, err);
    }
    return st;
}

const struct mpl_view mpl_view_steps = {
    .name = "steps",
    .says = "what each process does in each step of the run, and whom it waits for",
    .mark = MPL_MARK_MATRIX,
    MPL_COLUMNS(columns),
    .by = 5,
    .make = make,
};
