#include "config.h"

#include "clock/clock_priv.h"

struct count {
    const int64_t *add_ticks;
    uint64_t *per_location;
    struct mpl_violations *found;
    struct mpl_gather *gather; /* NULL: only count. */
};

static void see_reversal(struct count *count, uint32_t location, int64_t ticks)
{
    if (ticks > count->found->worst_ticks) {
        count->found->worst_ticks = ticks;
    }
    if (count->per_location != NULL && location != MPL_NONE) {
        count->per_location[location]++;
    }
}

static void count_pair(void *context, const struct mpl_clock_pair *pair)
{
    struct count *count = context;
    const int64_t between =
        mpl_clock_minus(count->add_ticks[pair->to], count->add_ticks[pair->from]);
    const int64_t ticks =
        mpl_clock_plus(mpl_clock_minus(pair->received_ticks, pair->sent_ticks), between);

    if (ticks < 0) {
        count->found->p2p++;
        see_reversal(count, pair->to_location, -ticks);
    }
    if (count->gather != NULL) {
        mpl_gather_pair(count->gather, pair);
    }
}

static void gather_answer(void *context, const struct mpl_clock_pair *pair)
{
    mpl_gather_pair(context, pair);
}

static void count_reversed(void *context, const struct mpl_clock_instance *in,
                           uint32_t from, uint32_t to, int64_t reversed_ticks)
{
    struct count *count = context;

    (void) from;
    count->found->collective++;
    see_reversal(count, in->location[to], reversed_ticks);
}

static void count_instance(void *context, const struct mpl_clock_instance *in)
{
    struct count *count = context;

    mpl_clock_find_reversed(in, count->add_ticks, count_reversed, count);
    if (count->gather != NULL) {
        mpl_gather_instance(count->gather, in);
    }
}

static enum mpl_status scan(const struct mpl_clock_view *view, struct count *count,
                            struct mpl_err *err)
{
    enum mpl_status st;

    mpl_clock_walk_pairs(view, count_pair, count);
    if (count->gather != NULL && mpl_clock_has_answers(view)) {
        for (uint32_t l = 0; l < view->model->n_locations; l++) {
            mpl_clock_walk_answers(view, l, gather_answer, count->gather);
        }
    }
    st = mpl_clock_walk_instances(view, count_instance, count, err);
    if (count->gather != NULL) {
        mpl_gather_finish(count->gather);
    }
    return st;
}

enum mpl_status mpl_clock_scan(const struct mpl_clock_view *view, const int64_t *add_ticks,
                               struct mpl_links *links, uint64_t *per_location,
                               struct mpl_violations *out, struct mpl_err *err)
{
    struct mpl_violations found = { 0 };
    struct count count = { add_ticks, per_location, &found, NULL };
    struct mpl_arena *scratch = mpl_arena_create();
    enum mpl_status st = MPL_OK;

    if (scratch == NULL) {
        return mpl_nomem(err);
    }
    if (links != NULL) {
        count.gather = mpl_gather_create(links, view, scratch);
        st = count.gather == NULL ? mpl_nomem(err) : MPL_OK;
    }
    if (st == MPL_OK) {
        st = scan(view, &count, err);
    }
    mpl_arena_destroy(scratch);
    if (st == MPL_OK && links != NULL && links->is_short) {
        st = mpl_nomem(err);
    }
    if (st == MPL_OK) {
        mpl_clock_count_threads(view, &found);
        *out = found;
    }
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
    const struct mpl_clock_view *view;
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
            forks->begin = mpl_clock_view_time(forks->view, forks->location, forks->at);
            forks->end = INT64_MAX;
        } else if (kind == MPL_EV_JOIN && depth > 0 && --depth == 0) {
            forks->end = mpl_clock_view_time(forks->view, forks->location, forks->at++);
            return true;
        }
    }
    return depth > 0;
}

static void count_worker(const struct mpl_clock_view *view, uint32_t master,
                         uint32_t worker, struct mpl_violations *out)
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

        const int64_t begin = mpl_clock_view_time(view, worker, i);

        while (has_forks && forks.end < begin) {
            end_before = forks.end;
            has_forks = next_fork(&forks);
        }
        if (!has_forks || begin < forks.begin) {
            const int64_t late = end_before == INT64_MIN
                                     ? MPL_CLOCK_FAR
                                     : mpl_clock_minus(begin, end_before);
            const int64_t early =
                has_forks ? mpl_clock_minus(forks.begin, begin) : MPL_CLOCK_FAR;
            const int64_t nearest = early < late ? early : late;

            out->thread++;
            out->worst_ticks = nearest > out->worst_ticks ? nearest : out->worst_ticks;
        }
    }
}

void mpl_clock_count_threads(const struct mpl_clock_view *view, struct mpl_violations *out)
{
    for (uint32_t p = 0; p < view->model->n_processes; p++) {
        const struct mpl_process *process = &view->model->processes[p];

        for (uint32_t t = 1; t < process->n_locations; t++) {
            count_worker(view, process->locations[0], process->locations[t], out);
        }
    }
}
