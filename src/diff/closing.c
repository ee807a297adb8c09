/*
 * The closing check: if somebody computes longer and that is why the run is slower, then the new run replayed
 * with what they compute in the base takes as long as the base. What each of them computes between two calls comes from the
 * same place of the base. Who takes tasks as they come has others in each run: there a task takes as long as in the base, and
 * tasks are handed out anew.
 */
#include "config.h"

#include "diff/effects_priv.h"

#include "replay/replay.h"

#include <math.h>

/* The calls behind the i-th that is compared, up to the next one; behind the last one also what comes after all calls. */
static uint32_t end_of(const struct mpl_events *events, uint32_t l,
                       const struct mpl_sequence *calls, uint32_t i)
{
    return i < calls->n ? calls->calls[i] + 1 : mpl_events_call_count(events, l) + 1;
}

/* Calls that are not compared lie between those that are: they share what the base computes there as they do now. */
static void give(const struct mpl_effects *e, uint32_t l, int64_t *given)
{
    const struct mpl_events *base = e->diff->base->events;
    const struct mpl_events *new = e->diff->new->events;
    const double ticks_per_s = (double) e->diff->new->model->ticks_per_s;
    uint32_t first[2] = { 0, 0 };

    for (uint32_t i = 0; i <= e->new[l].n; i++) {
        const uint32_t end[2] = { end_of(base, l, &e->base[l], i),
                                  end_of(new, l, &e->new[l], i) };
        int64_t before = 0;
        int64_t now = 0;

        for (uint32_t call = first[0]; call < end[0]; call++) {
            before += mpl_computed_before(base, l, call);
        }
        for (uint32_t call = first[1]; call < end[1]; call++) {
            now += mpl_computed_before(new, l, call);
        }
        const double target = mpl_model_seconds(e->diff->base->model, before) * ticks_per_s;
        for (uint32_t call = first[1]; call < end[1]; call++) {
            const double share =
                now > 0 ? (double) mpl_computed_before(new, l, call) / (double) now
                        : call == first[1];

            given[call] = (int64_t) llround(share * target);
        }
        first[0] = end[0];
        first[1] = end[1];
    }
}

static enum mpl_status replay_calls(const struct mpl_effects *e, const bool *is_changed,
                                    struct mpl_replayed *out, struct mpl_err *err)
{
    const int64_t **given = MPL_NEW_ARRAY(e->scratch, e->n_locations, const int64_t *);

    if (given == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t l = 0; l < e->n_locations; l++) {
        const size_t n = (size_t) mpl_events_call_count(e->diff->new->events, l) + 1;
        int64_t *ticks = is_changed[l] ? MPL_NEW_ARRAY(e->scratch, n, int64_t) : NULL;

        if (is_changed[l] && ticks == NULL) {
            return mpl_nomem(err);
        }
        if (is_changed[l]) {
            give(e, l, ticks);
        }
        given[l] = ticks;
    }
    return mpl_replay_given(e->diff->new->events, given, e->arena, out, err);
}

static enum mpl_status replay_tasks(const struct mpl_effects *e, uint32_t n_changed,
                                    struct mpl_replayed *out, struct mpl_err *err)
{
    const struct mpl_model *model = e->diff->new->model;
    struct mpl_change *changes = MPL_NEW_ARRAY(e->scratch, n_changed, struct mpl_change);
    const char **labels = MPL_NEW_ARRAY(e->scratch, n_changed, const char *);
    struct mpl_what_if what = { .text = "", .changes = changes };

    if (changes == NULL || labels == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t i = 0; i < n_changed; i++) {
        const struct mpl_load *load = &e->loads[i];

        labels[i] = model->locations[load->location].label;
        changes[what.n++] = (struct mpl_change){
            .kind = MPL_CHANGE_COMPUTE,
            .who = &labels[i],
            .n_who = 1,
            .factor = load->new_s > 0 && mpl_load_is_comparable(load)
                          ? load->work * load->base_s / load->new_s
                          : 1,
        };
    }
    return mpl_replay_run(e->diff->new->events, &what, NULL, 0, e->arena, out, err);
}

enum mpl_status mpl_closing_check(struct mpl_effects *e, struct mpl_err *err)
{
    struct mpl_diff *diff = e->diff;
    const uint32_t n_changed = diff->factor == 1 ? diff->n_named : e->n_locations;
    bool *is_changed = MPL_NEW_ARRAY(e->scratch, e->n_locations, bool);
    struct mpl_replayed replayed = { .gain_s = NAN };
    bool has_tasks = false;
    enum mpl_status st = is_changed == NULL ? mpl_nomem(err) : MPL_OK;

    if (st != MPL_OK || n_changed == 0) {
        return st;
    }
    for (uint32_t i = 0; i < n_changed; i++) {
        is_changed[diff->loads[i].location] = true;
    }
    for (uint32_t p = 0; p < diff->new->model->n_processes; p++) {
        has_tasks = has_tasks || e->takes_any[p];
    }
    st = has_tasks ? replay_tasks(e, n_changed, &replayed, err)
                   : replay_calls(e, is_changed, &replayed, err);
    if (st == MPL_OK) {
        diff->closing = (struct mpl_closing){
            .n = n_changed,
            .replayed_s = isnan(replayed.gain_s) ? NAN : replayed.changed_s,
            .doubt = replayed.doubt,
        };
        /* Of a replay that is no guess, what it says; of a doubtful one only if it says more than computation does. */
        const double more_s = diff->sides[1].median_s - diff->sides[0].median_s;
        const double share = fmin(1, replayed.gain_s / more_s);
        diff->explained_share =
            isnan(share) || (replayed.doubt != NULL && share < diff->explained_share)
                ? diff->explained_share
                : share;
    }
    return st;
}
