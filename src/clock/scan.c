#include "config.h"

#include "clock/clock_priv.h"

/* One walk for all that is asked for, as a trace is long; in as many parts as threads find something to do. */
enum { PARTS_MOST = 64 };

/* Some receiving processes that follow each other. */
struct part {
    struct mpl_violations found;
    struct mpl_misses misses;
    struct mpl_buf tight; /* struct mpl_tight */
};

struct scan {
    const struct mpl_order_view *view;
    const int64_t *add_ticks;
    uint64_t *per_location;
    struct mpl_links *links;   /* NULL: nothing is gathered. */
    struct mpl_misses *misses; /* NULL: not asked for. */
    struct mpl_violations *found;
    struct part *parts;
    uint32_t n_parts;
    struct mpl_gather_pairs **gather; /* Per thread; NULL without links. */
    struct mpl_arena *scratch;
};

/* ---- messages --------------------------------------------------------------------------- */

struct count {
    struct mpl_tally tally;
    struct mpl_gather_pairs *gather;
    struct mpl_misses *misses;
};

/* What one location received. Each counts a batch before the next one does, so that what it needs stays at hand. */
static void count_received(struct count *count, const struct mpl_order_view *view,
                           uint32_t location)
{
    struct mpl_order_pairs walk = { .view = view, .location = location };
    struct mpl_order_pair pairs[MPL_ORDER_BATCH];
    uint32_t n;

    while ((n = mpl_order_pairs_next(&walk, pairs)) > 0) {
        for (uint32_t i = 0; i < n; i++) {
            mpl_tally_pair(&count->tally, &pairs[i]);
        }
        for (uint32_t i = 0; i < n && count->misses != NULL; i++) {
            mpl_misses_see(count->misses, &pairs[i]);
        }
        if (count->gather != NULL) {
            mpl_gather_pairs(count->gather, pairs, n);
        }
    }
}

static enum mpl_status scan_part(void *context, size_t i, unsigned worker,
                                 struct mpl_err *err)
{
    struct scan *s = context;
    struct part *part = &s->parts[i];
    const uint64_t n = s->view->model->n_processes;
    const uint32_t end = (uint32_t) ((i + 1) * n / s->n_parts);
    struct count count = { .tally = { s->add_ticks, s->per_location, &part->found },
                           .gather = s->links == NULL ? NULL : s->gather[worker],
                           .misses = s->misses == NULL ? NULL : &part->misses };

    if (count.gather != NULL) {
        mpl_gather_pairs_begin(count.gather, &part->tight);
    }
    for (uint32_t p = (uint32_t) (i * n / s->n_parts); p < end; p++) {
        const struct mpl_process *process = &s->view->model->processes[p];

        for (uint32_t t = 0; t < process->n_locations; t++) {
            count_received(&count, s->view, process->locations[t]);
        }
    }
    if (count.gather != NULL && !mpl_gather_pairs_end(count.gather)) {
        return mpl_nomem(err);
    }
    return MPL_OK;
}

static void add_part(struct scan *s, const struct part *part)
{
    struct mpl_violations *to = s->found;
    const struct mpl_violations *from = &part->found;

    to->p2p += from->p2p;
    to->n_p2p += from->n_p2p;
    to->worst_ticks =
        from->worst_ticks > to->worst_ticks ? from->worst_ticks : to->worst_ticks;
    to->worst_certain_ticks = from->worst_certain_ticks > to->worst_certain_ticks
                                  ? from->worst_certain_ticks
                                  : to->worst_certain_ticks;
    if (s->misses != NULL) {
        mpl_misses_add(s->misses, &part->misses);
    }
    if (s->links != NULL) {
        mpl_gather_add(s->links, &part->tight);
    }
}

static bool make_room(struct scan *s, unsigned n_threads)
{
    s->parts = MPL_NEW_ARRAY(s->scratch, s->n_parts, struct part);
    for (uint32_t i = 0; s->parts != NULL && i < s->n_parts; i++) {
        s->parts[i].misses.miss = mpl_buf_make(sizeof(int64_t));
        s->parts[i].tight = mpl_buf_make(sizeof(struct mpl_tight));
    }
    if (s->links == NULL) {
        return s->parts != NULL;
    }
    s->gather = MPL_NEW_ARRAY(s->scratch, n_threads, struct mpl_gather_pairs *);
    for (unsigned t = 0; s->gather != NULL && t < n_threads; t++) {
        s->gather[t] = mpl_gather_pairs_create(s->links, s->scratch);
    }
    return !mpl_arena_is_short(s->scratch);
}

static enum mpl_status scan_pairs(struct scan *s, struct mpl_err *err)
{
    const uint32_t n = s->view->model->n_processes;
    const struct mpl_parallel job = { .n_tasks = n < PARTS_MOST ? n : PARTS_MOST,
                                      .max_threads = mpl_threads(),
                                      .run = scan_part,
                                      .context = s };

    s->n_parts = (uint32_t) job.n_tasks;
    enum mpl_status st =
        make_room(s, job.max_threads) ? mpl_parallel_run(&job, err) : mpl_nomem(err);

    for (uint32_t i = 0; s->parts != NULL && i < s->n_parts; i++) {
        if (st == MPL_OK) {
            add_part(s, &s->parts[i]);
        }
        mpl_buf_free(&s->parts[i].misses.miss);
        mpl_buf_free(&s->parts[i].tight);
    }
    return st;
}

/* ---- the rest --------------------------------------------------------------------------- */

static void gather_answer(void *context, const struct mpl_order_pair *pair)
{
    mpl_gather_pairs(context, pair, 1);
}

/* Synchronous sends tell when they were received. */
static enum mpl_status scan_answers(struct scan *s, struct mpl_err *err)
{
    struct mpl_buf tight = mpl_buf_make(sizeof(struct mpl_tight));

    mpl_gather_pairs_begin(s->gather[0], &tight);
    for (uint32_t l = 0; l < s->view->model->n_locations; l++) {
        mpl_order_walk_answers(s->view, l, gather_answer, s->gather[0]);
    }

    const bool is_enough = mpl_gather_pairs_end(s->gather[0]);

    mpl_gather_add(s->links, &tight);
    mpl_buf_free(&tight);
    return is_enough ? MPL_OK : mpl_nomem(err);
}

struct count_instances {
    struct mpl_tally tally;
    struct mpl_gather_colls *gather;
};

static void count_instance(void *context, const struct mpl_order_instance *in)
{
    struct count_instances *count = context;

    mpl_tally_instance(&count->tally, in);
    if (count->gather != NULL) {
        mpl_gather_instance(count->gather, in);
    }
}

static enum mpl_status scan_instances(struct scan *s, struct mpl_err *err)
{
    struct count_instances count = { .tally = { s->add_ticks, s->per_location, s->found } };

    if (s->links != NULL) {
        count.gather = mpl_gather_colls_create(s->links, s->view->model, s->scratch);
        if (count.gather == NULL) {
            return mpl_nomem(err);
        }
    }
    const enum mpl_status st =
        mpl_order_walk_instances(s->view, count_instance, &count, err);
    if (count.gather != NULL) {
        mpl_gather_colls_end(count.gather);
    }
    return st == MPL_OK ? mpl_tally_rest(&count.tally, s->view, err) : st;
}

static enum mpl_status scan(struct scan *s, struct mpl_err *err)
{
    enum mpl_status st = s->scratch == NULL ? mpl_nomem(err) : scan_pairs(s, err);

    if (st == MPL_OK && s->links != NULL && mpl_order_has_answers(s->view)) {
        st = scan_answers(s, err);
    }
    st = st == MPL_OK ? scan_instances(s, err) : st;
    if (st == MPL_OK && ((s->misses != NULL && s->misses->is_short) ||
                         (s->links != NULL && s->links->is_short))) {
        st = mpl_nomem(err);
    }
    return st;
}

enum mpl_status mpl_clock_scan(const struct mpl_order_view *view, const int64_t *add_ticks,
                               struct mpl_links *links, uint64_t *per_location,
                               struct mpl_misses *misses, struct mpl_violations *out,
                               struct mpl_err *err)
{
    struct mpl_violations found = { 0 };
    struct scan s = { .view = view,
                      .add_ticks = add_ticks,
                      .per_location = per_location,
                      .links = links,
                      .misses = misses,
                      .found = &found,
                      .scratch = mpl_arena_create() };
    const enum mpl_status st = scan(&s, err);

    mpl_arena_destroy(s.scratch);
    if (st == MPL_OK) {
        *out = found;
    }
    return st;
}
