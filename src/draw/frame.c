/*
 * Where to look at a finding: the stretch of the run, four of its usual waits long, in which its waiting is densest, or
 * where it blames nobody, as dense as usual; and those who wait there with those they wait for.
 */
#include "config.h"

#include "draw/draw_priv.h"

#include <string.h>

enum { MOST_ROWS = 10, WAITS_LONG = 4, MOST_PIECES = 100000 };

struct wait {
    uint32_t location;
    uint32_t culprit;
    int64_t begin_ticks;
    int64_t ticks;
};

struct search {
    const struct sheet *s;
    const struct mpl_run *run;
    struct mpl_buf waits;
    bool has_failed;
};

static void take_wait(void *context, uint32_t location, uint32_t call)
{
    struct search *search = context;
    const struct mpl_events *events = search->run->events;
    struct mpl_call_view view;

    mpl_events_call(events, location, call, &view);

    const struct wait wait = {
        .location = location,
        .culprit = view.culprit,
        .begin_ticks = mpl_events_enter_ticks(events, location, 2 * call + 1),
        .ticks = view.wait_ticks,
    };

    if (wait.ticks > 0 && !mpl_buf_put(&search->waits, &wait)) {
        search->has_failed = true;
    }
}

/* Half of what is to be seen. */
static int64_t half_of(const struct search *search, int64_t length, int64_t *ticks)
{
    const size_t n = search->waits.n;
    const struct wait *waits = search->waits.data;

    for (size_t i = 0; i < n; i++) {
        ticks[i] = waits[i].ticks;
    }
    const int64_t half = mpl_usual(ticks, n) * WAITS_LONG / 2;
    const int64_t least = length / MOST_PIECES + 1;

    return half > length ? length : half < least ? least : half;
}

/* Those with most; where the finding blames nobody, and so may be anywhere, those as usual. Of nearly as good ones those
 * nearest to the middle: begin and end of a run are seldom like the rest of it. */
static size_t best_of(const int64_t *pairs, size_t n, bool is_anywhere, int64_t *copy)
{
    const double nearly = 0.9;
    size_t best = 0;
    size_t best_distance = SIZE_MAX;

    int64_t most = 0;

    if (is_anywhere) {
        memcpy(copy, pairs, n * sizeof *pairs);
        most = mpl_usual(copy, n);
    }
    for (size_t i = 0; i < n && !is_anywhere; i++) {
        most = pairs[i] > most ? pairs[i] : most;
    }
    for (size_t i = 0; i < n; i++) {
        const size_t distance = 2 * i > n ? 2 * i - n : n - 2 * i;

        if ((double) pairs[i] >= nearly * (double) most &&
            (double) pairs[i] * nearly <= (double) most && distance < best_distance) {
            best = i;
            best_distance = distance;
        }
    }
    return best;
}

static enum mpl_status find_stretch(const struct search *search, bool is_anywhere,
                                    struct mpl_frame *frame, struct mpl_err *err)
{
    const size_t n = search->waits.n;
    const struct wait *waits = search->waits.data;
    int64_t *ticks = MPL_NEW_ARRAY(search->s->arena, n, int64_t);
    int64_t begin;
    int64_t end;

    mpl_events_window(search->run->events, &begin, &end);
    const int64_t length = end > begin ? end - begin : 1;
    const int64_t half = ticks == NULL ? 1 : half_of(search, length, ticks);
    const size_t n_pieces = (size_t) ((length - 1) / half) + 2;
    int64_t *sums = MPL_NEW_ARRAY(search->s->arena, n_pieces, int64_t);
    int64_t *copy = MPL_NEW_ARRAY(search->s->arena, n_pieces, int64_t);

    if (ticks == NULL || sums == NULL || copy == NULL) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < n; i++) {
        const int64_t at = waits[i].begin_ticks + waits[i].ticks / 2 - begin;

        sums[at < 0         ? 0
             : at >= length ? n_pieces - 2
                            : (size_t) (at / half)] += waits[i].ticks;
    }
    /* Stretches are as long as two pieces. */
    for (size_t i = 0; i + 1 < n_pieces; i++) {
        sums[i] += sums[i + 1];
    }
    const size_t best = best_of(sums, n_pieces - 1, is_anywhere, copy);

    frame->is_typical = is_anywhere;
    frame->begin_ticks = begin + (int64_t) best * half;
    frame->end_ticks =
        frame->begin_ticks + 2 * half < end ? frame->begin_ticks + 2 * half : end;
    return MPL_OK;
}

/* What each location has to do with it. Those to blame count twice: without them there is no arrow. */
static void weigh(const struct search *search, const struct mpl_frame *frame,
                  const struct mpl_finding *f, double *weights)
{
    const struct wait *waits = search->waits.data;

    for (size_t i = 0; i < search->waits.n; i++) {
        const int64_t begin = waits[i].begin_ticks;
        const int64_t end = begin + waits[i].ticks;
        const int64_t from = begin > frame->begin_ticks ? begin : frame->begin_ticks;
        const int64_t to = end < frame->end_ticks ? end : frame->end_ticks;
        const double ticks = to > from ? (double) (to - from) : 0;

        weights[waits[i].location] += ticks;
        if (waits[i].culprit != MPL_NONE) {
            weights[waits[i].culprit] += 2 * ticks;
        }
    }
    for (size_t i = 0; i < f->n_culprits; i++) {
        const uint32_t l = mpl_model_find_location(search->run->model, f->culprits[i]);

        if (l != MPL_NONE && weights[l] > 0) {
            weights[l] *= 1000;
        }
    }
}

static uint32_t heaviest(const double *weights, const bool *is_taken, uint32_t n)
{
    uint32_t best = MPL_NONE;

    for (uint32_t l = 0; l < n; l++) {
        if (!is_taken[l] && (best == MPL_NONE || weights[l] > weights[best])) {
            best = l;
        }
    }
    return best;
}

static enum mpl_status find_locations(const struct search *search,
                                      const struct mpl_finding *f, struct mpl_frame *frame,
                                      struct mpl_err *err)
{
    struct mpl_arena *arena = search->s->arena;
    const uint32_t n = search->run->model->n_locations;
    double *weights = MPL_NEW_ARRAY(arena, n, double);
    bool *is_taken = MPL_NEW_ARRAY(arena, n, bool);
    uint32_t *locations = MPL_NEW_ARRAY(arena, n, uint32_t);

    if (weights == NULL || is_taken == NULL || locations == NULL) {
        return mpl_nomem(err);
    }
    weigh(search, frame, f, weights);
    for (uint32_t i = 0; i < n && i < MOST_ROWS; i++) {
        is_taken[heaviest(weights, is_taken, n)] = true;
    }
    for (uint32_t l = 0; l < n; l++) {
        if (is_taken[l]) {
            locations[frame->n++] = l;
        } else {
            frame->n_left_out += weights[l] > 0;
        }
    }
    frame->locations = locations;
    return MPL_OK;
}

enum mpl_status mpl_draw_frame(const struct sheet *s, const struct mpl_diagnosed *f,
                               struct mpl_frame *out, struct mpl_err *err)
{
    struct search search = { .s = s,
                             .run = &s->d->runs[f->run],
                             .waits = mpl_buf_make(sizeof(struct wait)) };

    *out = (struct mpl_frame){ .id = f->id };
    if (search.run->events == NULL) {
        return MPL_OK;
    }
    enum mpl_status st = mpl_waits_of(s->d, f, take_wait, &search, err);

    st = st == MPL_OK && search.has_failed ? mpl_nomem(err) : st;
    if (st == MPL_OK && search.waits.n > 0) {
        out->run = search.run;
        st = find_stretch(&search, f->finding->n_culprits == 0, out, err);
        st = st == MPL_OK ? find_locations(&search, f->finding, out, err) : st;
    }
    mpl_buf_free(&search.waits);
    return st;
}
