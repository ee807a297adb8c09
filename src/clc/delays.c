#include "config.h"

#include "clc/clc_priv.h"

/*
 * What a message takes at least. The smallest delay that is seen can be anything from 0 where
 * clocks are off by more than a message takes. It is used all the same, because no message that
 * is in order may become a violation by this choice. And it can be much too large where clocks
 * are off the other way, or where every receiver is late. Half a round trip cannot: what a
 * clock adds to one direction it takes from the other, so the smallest round trip limits it.
 */
struct link {
    uint32_t from;
    uint32_t to;
    enum mpl_clc_class class;
    int64_t least_ticks;
};

struct mpl_clc_delays {
    const struct mpl_model *model;
    int64_t given_ticks; /* < 0: not given. */
    uint32_t *host;      /* Per process: number of its host; MPL_NONE: unknown. */
    int64_t least_ticks[MPL_CLC_CLASSES];
    int64_t round_ticks[MPL_CLC_CLASSES];
    int64_t worst_ticks[MPL_CLC_CLASSES]; /* Largest reversal; 0: none. */
    /* Messages to one process. */
    uint32_t to;
    uint32_t n_seen;
    uint32_t *seen;     /* Processes whose `row` holds. */
    int64_t *row_ticks; /* Per sender: smallest delay; INT64_MAX: none yet. */
    struct mpl_buf link;
    struct mpl_map *at; /* from * n_processes + to -> index of its link */
    bool is_short;
};

static bool number_hosts(struct mpl_clc_delays *d)
{
    struct mpl_names *names = mpl_names_create();
    bool is_done = names != NULL;

    for (uint32_t p = 0; p < d->model->n_processes && is_done; p++) {
        const char *host = d->model->processes[p].host;

        d->host[p] = host == NULL ? MPL_NONE : mpl_names_put(names, host);
        is_done = host == NULL || d->host[p] != MPL_NONE;
    }
    mpl_names_destroy(names);
    return is_done;
}

struct mpl_clc_delays *mpl_clc_delays_create(const struct mpl_model *model,
                                             int64_t mu_ticks, struct mpl_arena *scratch)
{
    struct mpl_clc_delays *d = MPL_NEW(scratch, struct mpl_clc_delays);

    if (d == NULL) {
        return NULL;
    }
    d->model = model;
    d->given_ticks = mu_ticks;
    d->to = MPL_NONE;
    d->link = mpl_buf_make(sizeof(struct link));
    d->host = MPL_NEW_ARRAY(scratch, model->n_processes, uint32_t);
    d->seen = MPL_NEW_ARRAY(scratch, model->n_processes, uint32_t);
    d->row_ticks = MPL_NEW_ARRAY(scratch, model->n_processes, int64_t);
    d->at = mpl_map_create();
    if (d->host == NULL || d->seen == NULL || d->row_ticks == NULL || d->at == NULL ||
        !number_hosts(d)) {
        mpl_clc_delays_destroy(d);
        return NULL;
    }
    for (uint32_t p = 0; p < model->n_processes; p++) {
        d->row_ticks[p] = INT64_MAX;
    }
    for (uint32_t c = 0; c < MPL_CLC_CLASSES; c++) {
        d->least_ticks[c] = INT64_MAX;
        d->round_ticks[c] = INT64_MAX;
    }
    return d;
}

void mpl_clc_delays_destroy(struct mpl_clc_delays *delays)
{
    if (delays != NULL) {
        mpl_map_destroy(delays->at);
        mpl_buf_free(&delays->link);
    }
}

static enum mpl_clc_class class_of(const struct mpl_clc_delays *d, uint32_t from,
                                   uint32_t to)
{
    return d->host[from] == d->host[to] && d->host[from] != MPL_NONE ? MPL_CLC_P2P_INSIDE
                                                                     : MPL_CLC_P2P_BETWEEN;
}

static void end_row(struct mpl_clc_delays *d)
{
    for (uint32_t i = 0; i < d->n_seen; i++) {
        const uint32_t from = d->seen[i];
        struct link *link = mpl_buf_add(&d->link);

        if (link == NULL ||
            !mpl_map_put(d->at, (uint64_t) from * d->model->n_processes + d->to,
                         (uint32_t) (d->link.n - 1))) {
            d->is_short = true;
            return;
        }
        *link = (struct link){ from, d->to, class_of(d, from, d->to), d->row_ticks[from] };
        d->row_ticks[from] = INT64_MAX;
    }
    d->n_seen = 0;
}

enum mpl_clc_class mpl_clc_delays_see_pair(struct mpl_clc_delays *d,
                                           const struct mpl_order_pair *pair)
{
    const enum mpl_clc_class class = class_of(d, pair->from, pair->to);
    const int64_t ticks = mpl_ticks_minus(pair->received_ticks, pair->sent_ticks);

    if (pair->to != d->to) {
        end_row(d);
        d->to = pair->to;
    }
    if (d->row_ticks[pair->from] == INT64_MAX) {
        d->seen[d->n_seen++] = pair->from;
    }
    if (ticks < d->row_ticks[pair->from]) {
        d->row_ticks[pair->from] = ticks;
    }
    mpl_clc_delays_see(d, class, ticks);
    return class;
}

void mpl_clc_delays_see(struct mpl_clc_delays *d, enum mpl_clc_class class, int64_t ticks)
{
    if (ticks >= 0 && ticks < d->least_ticks[class]) {
        d->least_ticks[class] = ticks;
    }
    if (-ticks > d->worst_ticks[class]) {
        d->worst_ticks[class] = -ticks;
    }
}

void mpl_clc_delays_see_round(struct mpl_clc_delays *d, enum mpl_clc_class class,
                              int64_t round_ticks)
{
    if (round_ticks < d->round_ticks[class]) {
        d->round_ticks[class] = round_ticks;
    }
}

static void see_rounds(struct mpl_clc_delays *d)
{
    for (size_t i = 0; i < d->link.n; i++) {
        const struct link *link = mpl_buf_get(&d->link, i);
        const uint64_t key = (uint64_t) link->to * d->model->n_processes + link->from;
        const uint32_t other = mpl_map_find(d->at, key);

        if (other != MPL_NONE) {
            const struct link *back = mpl_buf_get(&d->link, other);

            mpl_clc_delays_see_round(d, link->class,
                                     mpl_ticks_plus(link->least_ticks, back->least_ticks));
        }
    }
}

static void find_mu(const struct mpl_clc_delays *d, int64_t mu_ticks[MPL_CLC_CLASSES])
{
    for (uint32_t c = 0; c < MPL_CLC_CLASSES; c++) {
        const int64_t half = d->round_ticks[c] / 2;
        const int64_t mu = d->least_ticks[c] < half ? d->least_ticks[c] : half;

        /* One tick keeps a repaired pair in strict order. */
        mu_ticks[c] = mu < 1 || d->least_ticks[c] == INT64_MAX ? 1 : mu;
    }
    /* Collectives are made of messages, and a program may have called a single one, late. */
    for (uint32_t c = 0; c < MPL_CLC_COLLECTIVE; c++) {
        if (d->least_ticks[c] != INT64_MAX && mu_ticks[c] < mu_ticks[MPL_CLC_COLLECTIVE]) {
            mu_ticks[MPL_CLC_COLLECTIVE] = mu_ticks[c];
        }
    }
}

int64_t mpl_clc_delays_worst(const struct mpl_clc_delays *d)
{
    int64_t worst = 0;

    for (uint32_t c = 0; c < MPL_CLC_CLASSES; c++) {
        worst = d->worst_ticks[c] > worst ? d->worst_ticks[c] : worst;
    }
    return worst;
}

bool mpl_clc_delays_finish(struct mpl_clc_delays *d, int64_t mu_ticks[MPL_CLC_CLASSES],
                           int64_t *need_ticks)
{
    end_row(d);
    if (d->is_short) {
        return false;
    }
    see_rounds(d);
    find_mu(d, mu_ticks);
    *need_ticks = 0;
    for (uint32_t c = 0; c < MPL_CLC_CLASSES; c++) {
        mu_ticks[c] = d->given_ticks >= 0 ? d->given_ticks : mu_ticks[c];

        const int64_t need = mpl_ticks_plus(d->worst_ticks[c], mu_ticks[c]);

        if ((d->worst_ticks[c] > 0 || d->given_ticks > 0) && need > *need_ticks) {
            *need_ticks = need;
        }
    }
    return true;
}
