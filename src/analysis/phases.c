/*
 * Initial distribution, main loop, final gather: at most two cuts of the run's messages in the
 * order of sending. In a phase, messages fall on the pairs of processes with frequencies of its
 * own: a cut gains what two multinomial distributions are more likely than one, and costs half a
 * logarithm of the messages for each pair (Schwarz' criterion). Binary segmentation: the best cut,
 * then the best of both parts.
 */
#include "config.h"

#include "analysis/scopes_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct sent {
    int64_t ticks;
    uint32_t edge;
};

struct segmenter {
    struct mpl_arena *arena;
    struct mpl_buf sent;     /* struct sent */
    struct mpl_map *edge_of; /* by pair of processes */
    uint64_t *left;          /* per edge: messages before the cut */
    uint64_t *right;
};

static bool add_message(struct segmenter *s, const struct mpl_model *model,
                        const struct mpl_location *loc, const struct mpl_message *message)
{
    const uint32_t peer = loc->envelopes[message->envelope].peer;
    const uint32_t low = peer < loc->process ? peer : loc->process;
    const uint32_t high = peer < loc->process ? loc->process : peer;
    const uint64_t key = (uint64_t) low * model->n_processes + high;
    uint32_t edge = mpl_map_find(s->edge_of, key);
    struct sent *sent = mpl_buf_add(&s->sent);

    if (edge == MPL_NONE) {
        edge = (uint32_t) mpl_map_count(s->edge_of);
        if (!mpl_map_put(s->edge_of, key, edge)) {
            return false;
        }
    }
    if (sent != NULL) {
        *sent = (struct sent){ loc->time_ticks[message->event], edge };
    }
    return sent != NULL;
}

static bool gather(struct segmenter *s, const struct mpl_model *model)
{
    for (uint32_t l = 0; l < model->n_locations; l++) {
        const struct mpl_location *loc = &model->locations[l];

        for (uint32_t m = 0; m < loc->n_messages; m++) {
            const struct mpl_message *message = &loc->messages[m];
            const struct mpl_envelope *envelope =
                message->envelope == MPL_NONE ? NULL : &loc->envelopes[message->envelope];

            if (envelope != NULL && envelope->is_send && !envelope->is_null &&
                !envelope->is_garbage && envelope->peer != MPL_NONE &&
                message->event != MPL_NONE && !add_message(s, model, loc, message)) {
                return false;
            }
        }
    }
    return true;
}

static int by_time(const void *x, const void *y)
{
    const struct sent *a = x;
    const struct sent *b = y;

    if (a->ticks != b->ticks) {
        return a->ticks < b->ticks ? -1 : 1;
    }
    return a->edge < b->edge ? -1 : a->edge > b->edge;
}

static double x_log_x(uint64_t n)
{
    return n == 0 ? 0 : (double) n * log((double) n);
}

struct cut {
    size_t at; /* the first message behind it */
    double gain;
};

/* Where two distributions gain most on one, within first … end-1. */
static struct cut find_cut(struct segmenter *s, size_t first, size_t end)
{
    const struct sent *sent = s->sent.data;
    const size_t n_edges = mpl_map_count(s->edge_of);
    struct cut best = { first, -INFINITY };
    double left = 0; /* sums of n log n over the edges */
    double right = 0;

    memset(s->left, 0, n_edges * sizeof *s->left);
    memset(s->right, 0, n_edges * sizeof *s->right);
    for (size_t i = first; i < end; i++) {
        s->right[sent[i].edge]++;
    }
    for (size_t e = 0; e < n_edges; e++) {
        right += x_log_x(s->right[e]);
    }

    const double whole = right - x_log_x(end - first);

    for (size_t i = first; i + 1 < end; i++) {
        const uint32_t e = sent[i].edge;

        left += x_log_x(s->left[e] + 1) - x_log_x(s->left[e]);
        right += x_log_x(s->right[e] - 1) - x_log_x(s->right[e]);
        s->left[e]++;
        s->right[e]--;

        const double gain =
            left - x_log_x(i + 1 - first) + right - x_log_x(end - i - 1) - whole;

        /* Messages of the same moment stay together. */
        if (gain > best.gain && sent[i].ticks != sent[i + 1].ticks) {
            best = (struct cut){ i + 1, gain };
        }
    }
    return best;
}

/* The bounds of the phases, in messages: 0, the cuts, n. Returns how many phases. */
static size_t segment(struct segmenter *s, size_t *bounds)
{
    const size_t n = s->sent.n;
    const double penalty = 0.5 * (double) mpl_map_count(s->edge_of) * log((double) n);
    const struct cut first = find_cut(s, 0, n);

    bounds[0] = 0;
    bounds[1] = n;
    if (!(first.gain > penalty)) {
        return 1;
    }

    const struct cut before = find_cut(s, 0, first.at);
    const struct cut behind = find_cut(s, first.at, n);
    const bool is_before = before.gain > behind.gain;
    const struct cut second = is_before ? before : behind;

    bounds[1] = first.at;
    bounds[2] = n;
    if (!(second.gain > penalty)) {
        return 2;
    }
    bounds[1] = is_before ? second.at : first.at;
    bounds[2] = is_before ? first.at : second.at;
    bounds[3] = n;
    return 3;
}

static enum mpl_status find(struct segmenter *s, int64_t *begin_ticks, int64_t *end_ticks,
                            struct mpl_err *err)
{
    const size_t n_edges = mpl_map_count(s->edge_of);
    const struct sent *sent = s->sent.data;
    size_t bounds[4];
    size_t longest = 0;

    s->left = MPL_NEW_ARRAY(s->arena, n_edges, uint64_t);
    s->right = MPL_NEW_ARRAY(s->arena, n_edges, uint64_t);
    if (s->left == NULL || s->right == NULL) {
        return mpl_nomem(err);
    }
    if (s->sent.n < 2) {
        return MPL_END;
    }
    qsort(s->sent.data, s->sent.n, sizeof(struct sent), by_time);

    const size_t n = segment(s, bounds);

    for (size_t i = 1; i < n; i++) {
        if (bounds[i + 1] - bounds[i] > bounds[longest + 1] - bounds[longest]) {
            longest = i;
        }
    }
    *begin_ticks = longest == 0 ? INT64_MIN : sent[bounds[longest]].ticks;
    *end_ticks = longest + 1 == n ? INT64_MAX : sent[bounds[longest + 1]].ticks;
    return n > 1 ? MPL_OK : MPL_END;
}

enum mpl_status mpl_phases_find(const struct mpl_events *events, int64_t *begin_ticks,
                                int64_t *end_ticks, struct mpl_err *err)
{
    struct segmenter s = { .arena = mpl_arena_create(),
                           .sent = mpl_buf_make(sizeof(struct sent)),
                           .edge_of = mpl_map_create() };
    enum mpl_status st;

    if (s.arena == NULL || s.edge_of == NULL || !gather(&s, mpl_events_model(events))) {
        st = mpl_nomem(err);
    } else {
        st = find(&s, begin_ticks, end_ticks, err);
    }
    mpl_map_destroy(s.edge_of);
    mpl_buf_free(&s.sent);
    mpl_arena_destroy(s.arena);
    return st;
}
