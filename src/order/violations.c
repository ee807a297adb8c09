#include "config.h"

#include "order/order.h"

static void see_reversal(struct mpl_tally *tally, uint32_t location, int64_t ticks)
{
    if (ticks > tally->found->worst_ticks) {
        tally->found->worst_ticks = ticks;
    }
    if (tally->per_location != NULL && location != MPL_NONE) {
        tally->per_location[location]++;
    }
}

void mpl_tally_pair(struct mpl_tally *tally, const struct mpl_order_pair *pair)
{
    const int64_t between =
        mpl_ticks_minus(tally->add_ticks[pair->to], tally->add_ticks[pair->from]);
    const int64_t ticks =
        mpl_ticks_plus(mpl_ticks_minus(pair->received_ticks, pair->sent_ticks), between);

    if (ticks < 0) {
        tally->found->p2p++;
        see_reversal(tally, pair->to_location, -ticks);
    }
}

static void tally_reversed(void *context, const struct mpl_order_instance *in,
                           uint32_t from, uint32_t to, int64_t reversed_ticks)
{
    struct mpl_tally *tally = context;

    (void) from;
    tally->found->collective++;
    see_reversal(tally, in->location[to], reversed_ticks);
}

void mpl_tally_instance(struct mpl_tally *tally, const struct mpl_order_instance *in)
{
    mpl_order_find_reversed(in, tally->add_ticks, tally_reversed, tally);
}

static void visit_pair(void *context, const struct mpl_order_pair *pair)
{
    mpl_tally_pair(context, pair);
}

static void visit_instance(void *context, const struct mpl_order_instance *in)
{
    mpl_tally_instance(context, in);
}

enum mpl_status mpl_order_count(const struct mpl_order_view *view, uint64_t *per_location,
                                struct mpl_violations *out, struct mpl_err *err)
{
    struct mpl_violations found = { 0 };
    struct mpl_arena *scratch = mpl_arena_create();
    int64_t *zero =
        scratch == NULL ? NULL : MPL_NEW_ARRAY(scratch, view->model->n_processes, int64_t);
    struct mpl_tally tally = { zero, per_location, &found };
    enum mpl_status st = zero == NULL ? mpl_nomem(err) : MPL_OK;

    if (st == MPL_OK) {
        mpl_order_walk_pairs(view, visit_pair, &tally);
        st = mpl_order_walk_instances(view, visit_instance, &tally, err);
    }
    if (st == MPL_OK) {
        mpl_tally_threads(&tally, view);
        *out = found;
    }
    mpl_arena_destroy(scratch);
    return st;
}

/* ---- threads ------------------------------------------------------------------------------ */

/*
 * The records do not say to which fork a team belongs. But a worker thread exists for its
 * process only between some FORK and its JOIN, and the outermost of these are made by one
 * location one after the other. So a worker that begins outside of all of them violates the
 * order. Ends are looked at only where the begin lay inside: EZTrace lets idle workers end
 * with the process, long after their join.
 */
struct forks {
    const struct mpl_order_view *view;
    uint32_t location;
    uint32_t at;    /* Next event to look at. */
    int64_t begin;  /* Of the outermost pair at hand. */
    int64_t end;    /* INT64_MAX: not joined. */
    bool is_inside; /* begin and end hold. */
};

/* The next outermost pair of fork and join; false: there is none. */
static bool next_fork(struct forks *forks)
{
    const struct mpl_location *loc = &forks->view->model->locations[forks->location];
    uint32_t depth = 0;

    for (; forks->at < loc->n_events; forks->at++) {
        const uint8_t kind = loc->kind[forks->at];

        if (kind == MPL_EV_FORK && depth++ == 0) {
            forks->begin = mpl_order_view_time(forks->view, forks->location, forks->at);
            forks->end = INT64_MAX;
        } else if (kind == MPL_EV_JOIN && depth > 0 && --depth == 0) {
            forks->end = mpl_order_view_time(forks->view, forks->location, forks->at++);
            return true;
        }
    }
    return depth > 0;
}

static void count_worker(struct mpl_tally *tally, const struct mpl_order_view *view,
                         uint32_t master, uint32_t worker)
{
    const struct mpl_location *loc = &view->model->locations[worker];
    struct forks forks = { .view = view, .location = master };
    int64_t end_before = INT64_MIN;
    bool has_forks = next_fork(&forks);

    if (!has_forks) {
        return;
    }
    for (uint32_t i = 0; i < loc->n_events; i++) {
        if (loc->kind[i] != MPL_EV_TEAM_BEGIN) {
            continue;
        }

        const int64_t begin = mpl_order_view_time(view, worker, i);

        while (has_forks && forks.end < begin) {
            end_before = forks.end;
            has_forks = next_fork(&forks);
        }
        if (!has_forks || begin < forks.begin) {
            const int64_t late = end_before == INT64_MIN
                                     ? MPL_TICKS_FAR
                                     : mpl_ticks_minus(begin, end_before);
            const int64_t early =
                has_forks ? mpl_ticks_minus(forks.begin, begin) : MPL_TICKS_FAR;
            const int64_t nearest = early < late ? early : late;

            tally->found->thread++;
            see_reversal(tally, worker, nearest);
        }
    }
}

void mpl_tally_threads(struct mpl_tally *tally, const struct mpl_order_view *view)
{
    for (uint32_t p = 0; p < view->model->n_processes; p++) {
        const struct mpl_process *process = &view->model->processes[p];

        for (uint32_t t = 1; t < process->n_locations; t++) {
            count_worker(tally, view, process->locations[0], process->locations[t]);
        }
    }
}
