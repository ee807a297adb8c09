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
    int64_t ticks;
    int64_t compute_ticks;
    int64_t wait_ticks;
    uint32_t waits_for;
};

struct walk {
    const struct mpl_selection *s;
    struct mpl_step_walk steps;
    struct load *loads; /* per process, of a step */
    int64_t *for_whom;  /* per location, zeros between two processes */
};

static void add_step(struct walk *w, uint32_t location, struct load *load)
{
    const struct mpl_selection *of_step = &w->steps.of_step;

    for (struct mpl_piece p = mpl_pieces_of(of_step, location);
         mpl_piece_next(of_step, &p);) {
        const int64_t ticks = p.end_ticks > p.begin_ticks ? p.end_ticks - p.begin_ticks : 0;
        const uint32_t culprit = p.span.culprit;

        load->ticks += ticks;
        load->compute_ticks += p.span.class == MPL_SPAN_COMPUTE ? ticks : 0;
        load->wait_ticks += p.wait_ticks;
        if (p.wait_ticks > 0 && culprit != MPL_NONE) {
            w->for_whom[culprit] += p.wait_ticks;
            load->waits_for = load->waits_for == MPL_NONE ||
                                      w->for_whom[culprit] > w->for_whom[load->waits_for]
                                  ? culprit
                                  : load->waits_for;
        }
    }
    for (struct mpl_piece p = mpl_pieces_of(of_step, location);
         mpl_piece_next(of_step, &p);) {
        if (p.span.culprit != MPL_NONE) {
            w->for_whom[p.span.culprit] = 0;
        }
    }
}

static enum mpl_status emit(const struct walk *w, uint32_t step, int64_t first,
                            struct mpl_view_rows *rows, struct mpl_err *err)
{
    const struct mpl_selection *s = w->s;
    enum mpl_status st = MPL_OK;

    for (uint32_t p = 0; p < s->run->model->n_processes && st == MPL_OK; p++) {
        const struct load *load = &w->loads[p];
        const uint32_t l = s->steps->loads[p].location;
        const struct mpl_cell cells[N_COLUMNS] = {
            mpl_cell_whole(step),
            mpl_cell_location(s, l),
            mpl_cell_seconds(s, w->steps.begins[l]),
            mpl_cell_seconds(s, load->ticks),
            mpl_cell_seconds(s, load->compute_ticks),
            mpl_cell_seconds(s, load->wait_ticks),
            mpl_cell_location(s, load->waits_for),
            mpl_cell_seconds(s, w->steps.begins[l] - first),
        };

        if (mpl_step_walk_has(&w->steps, l)) {
            st = mpl_view_put(rows, cells, err);
        }
    }
    return st;
}

static enum mpl_status make(struct mpl_selection *s, struct mpl_view_rows *rows,
                            struct mpl_err *err)
{
    const struct mpl_model *model = s->run->model;
    struct walk w = { .s = s,
                      .loads = MPL_NEW_ARRAY(rows->arena, model->n_processes, struct load),
                      .for_whom = MPL_NEW_ARRAY(rows->arena, model->n_locations, int64_t) };
    enum mpl_status st = mpl_selection_steps(s, rows->arena, err);

    st = st == MPL_OK ? mpl_step_walk_open(s, rows->arena, &w.steps, err) : st;
    if (w.loads == NULL || w.for_whom == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t k = 1; st == MPL_OK && k <= s->steps->n; k++) {
        int64_t first = INT64_MAX;

        mpl_step_walk_go(&w.steps, k);
        for (uint32_t p = 0; p < w.s->run->model->n_processes; p++) {
            const uint32_t l = w.s->steps->loads[p].location;

            w.loads[p] = (struct load){ .waits_for = MPL_NONE };
            if (mpl_step_walk_has(&w.steps, l)) {
                first = w.steps.begins[l] < first ? w.steps.begins[l] : first;
                add_step(&w, l, &w.loads[p]);
            }
        }
        st = emit(&w, k, first, rows, err);
    }
    return st;
}

const struct mpl_view mpl_view_steps = {
    .name = "steps",
    .says = "what each process does in each step of the run, and whom it waits for",
    .mark = MPL_MARK_MATRIX,
    .axes = { .of = { 1, 0 }, .n_of = 2 },
    MPL_COLUMNS(columns),
    .by = 5,
    .make = make,
};
