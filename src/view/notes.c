/* What a table cannot show: above all what the trace does not record, said where the figures would stand. */
#include "config.h"

#include "view/view_priv.h"

#include <string.h>

struct noting {
    struct mpl_selection *s;
    struct mpl_arena *arena;
    const char **all;
    size_t n;
    bool is_enough;
};
enum { MOST_NOTES = 8 };

static void note(struct noting *n, const char *text)
{
    n->is_enough = n->is_enough && text != NULL;
    if (n->n < MOST_NOTES) {
        n->all[n->n++] = text;
    }
}

/* Whether there is any such call in the run. */
static bool has_unknown(const struct mpl_run *run)
{
    for (uint32_t l = 0; l < run->model->n_locations; l++) {
        if (mpl_events_totals(run->events, l)->unknown_s > 0) {
            return true;
        }
    }
    return false;
}

/* Calls whose waiting is not shown, as `threads` has them. */
static enum mpl_status note_receives(struct noting *n, struct mpl_err *err)
{
    const struct mpl_model *model = n->s->run->model;
    struct mpl_sums *sums = NULL;
    int64_t ticks = 0;
    const enum mpl_status st =
        has_unknown(n->s->run) ? mpl_sums_create(n->s, n->arena, &sums, err) : MPL_OK;

    for (uint32_t l = 0; sums != NULL && l < model->n_locations; l++) {
        ticks += sums[l].unknown_ticks;
    }
    if (st != MPL_OK || ticks == 0) {
        return st;
    }
    const char *long_s = mpl_text_seconds(n->arena, mpl_model_seconds(model, ticks));
    const bool are_lost = model->can.has_messages && !model->can.has_receive_completions;

    note(n, long_s == NULL ? NULL
                           : mpl_arena_printf(n->arena,
                                              "%s: of %s in calls nobody can say whether "
                                              "they wait, and for whom",
                                              are_lost ? "receives are not recorded"
                                                       : "some partners are not recorded",
                                              long_s));
    return MPL_OK;
}

/* Table 1 of the paper, which is about the time line that nothing has repaired yet. */
static void note_accuracy(struct noting *n)
{
    const struct mpl_model *model = n->s->run->model;
    const struct mpl_clock_accuracy *a = &n->s->run->clock->accuracy;
    const double tick = 1 / (double) model->ticks_per_s;

    if (a->n == 0) {
        return;
    }
    const char *early = mpl_text_count(n->arena, a->n - a->n_correct);
    const char *all = mpl_text_count(n->arena, a->n);
    const char *mean = mpl_text_seconds(n->arena, a->mean_ticks * tick);
    const char *median = mpl_text_seconds(n->arena, a->median_ticks * tick);
    const char *deviation = mpl_text_seconds(n->arena, a->stddev_ticks * tick);

    n->is_enough = n->is_enough && early != NULL && all != NULL && mean != NULL &&
                   median != NULL && deviation != NULL;
    if (n->is_enough) {
        note(n, a->n_correct == a->n
                    ? "no message is received before it is sent, even without repair"
                    : mpl_arena_printf(n->arena,
                                       "before the repair %s of %s messages were received "
                                       "before they were sent, by %s on average (median "
                                       "%s, standard deviation %s)",
                                       early, all, mean, median, deviation));
    }
}

static bool shows(const struct mpl_view *view, const char *column)
{
    for (size_t i = 0; i < view->n_columns; i++) {
        if (strcmp(view->columns[i].name, column) == 0) {
            return true;
        }
    }
    return false;
}

enum mpl_status mpl_view_notes(const struct mpl_view *view, struct mpl_selection *selection,
                               struct mpl_arena *arena, const char *const **out, size_t *n,
                               struct mpl_err *err)
{
    struct noting notes = { .s = selection,
                            .arena = arena,
                            .all = MPL_NEW_ARRAY(arena, MOST_NOTES, const char *),
                            .is_enough = true };
    enum mpl_status st = notes.all == NULL ? mpl_nomem(err) : MPL_OK;

    if (st == MPL_OK && selection->run->damage != NULL) {
        note(&notes, mpl_arena_printf(arena, "the trace is damaged: it lacks %s",
                                      selection->run->damage));
    }
    if (st == MPL_OK && shows(view, "wait")) {
        st = note_receives(&notes, err);
    }
    if (st == MPL_OK && shows(view, "step")) {
        st = mpl_selection_steps(selection, arena, err);
        if (st == MPL_OK && selection->steps->n == 0) {
            note(&notes, "the run has no steps that all of its processes take together");
        }
    }
    if (st == MPL_OK && shows(view, "correct")) {
        note_accuracy(&notes);
    }
    *out = notes.all;
    *n = notes.n;
    return st == MPL_OK && !notes.is_enough ? mpl_nomem(err) : st;
}
