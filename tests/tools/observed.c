#include "config.h"

#include "observed.h"

#include <string.h>

enum { N_SEARCHES = 2000 };

/* An event of interest right before another one: its number on its process, from 1. */
struct entry {
    uint32_t process;
    uint32_t number;
};

/* The entries of an event of interest. */
struct span {
    uint32_t first;
    uint32_t n;
};

struct watch {
    const struct mpl_net *net;
    uint32_t every;
    uint32_t *n_passed; /* Events, per process. */
    uint32_t
        *known; /* Per process those right before what comes next, by process; 0: none. */
    uint32_t *carried;      /* Per message likewise. */
    struct mpl_buf entries; /* struct entry */
    struct mpl_buf *spans;  /* Per process: struct span of its events of interest. */
    bool is_short;
};

static uint32_t *row(const struct watch *w, uint32_t *rows, uint32_t i)
{
    return rows + (size_t) i * w->net->n_tracks;
}

/* An event of interest hides all that it knows from those behind it. */
static void stamp(struct watch *w, uint32_t process)
{
    uint32_t *known = row(w, w->known, process);
    struct span *span = mpl_buf_add(&w->spans[process]);

    if (span == NULL) {
        w->is_short = true;
        return;
    }
    span->first = (uint32_t) w->entries.n;
    for (uint32_t p = 0; p < w->net->n_tracks; p++) {
        struct entry *entry = known[p] > 0 ? mpl_buf_add(&w->entries) : NULL;

        if (entry != NULL) {
            *entry = (struct entry){ p, known[p] };
        } else if (known[p] > 0) {
            w->is_short = true;
        }
        known[p] = 0;
    }
    span->n = (uint32_t) w->entries.n - span->first;
    known[process] = (uint32_t) w->spans[process].n;
}

/* The events of a process before number \p until. */
static void pass(struct watch *w, uint32_t process, uint32_t until)
{
    for (; w->n_passed[process] < until && !w->is_short; w->n_passed[process]++) {
        if ((w->n_passed[process] + 1) % w->every == 0) {
            stamp(w, process);
        }
    }
}

static void see_send(void *context, uint32_t location, uint32_t i)
{
    struct watch *w = context;
    const struct mpl_net_point *p = &w->net->track[location].points[i];

    pass(w, location, p->event + 1);
    memcpy(row(w, w->carried, p->link), row(w, w->known, location),
           w->net->n_tracks * sizeof *w->known);
}

static bool see_receive(void *context, uint32_t location, uint32_t i)
{
    struct watch *w = context;
    const struct mpl_net_point *p = &w->net->track[location].points[i];
    const uint32_t *carried = row(w, w->carried, p->link);
    uint32_t *known = row(w, w->known, location);

    pass(w, location, p->event);
    for (uint32_t k = 0; k < w->net->n_tracks; k++) {
        known[k] = carried[k] > known[k] ? carried[k] : known[k];
    }
    return true;
}

/* ---- questions -------------------------------------------------------------------------------- */

/* Steele, Lea, Flood (2014): SplitMix64. */
static uint32_t roll(uint64_t *dice, uint32_t below)
{
    uint64_t z = *dice += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t) ((z ^ (z >> 31)) % below);
}

static struct entry draw(const struct watch *w, uint64_t *dice)
{
    struct entry e;

    do {
        e.process = roll(dice, w->net->n_tracks);
    } while (w->spans[e.process].n == 0);
    e.number = 1 + roll(dice, (uint32_t) w->spans[e.process].n);
    return e;
}

/* Looks at one event; returns the numbers in it. */
static uint32_t look_at(const struct watch *w, struct entry at, uint32_t *reached,
                        bool *has_changed)
{
    const struct span *span = mpl_buf_get(&w->spans[at.process], at.number - 1);

    for (uint32_t i = 0; i < span->n; i++) {
        const struct entry *before = mpl_buf_get(&w->entries, span->first + i);

        if (before->number > reached[before->process]) {
            reached[before->process] = before->number;
            *has_changed = true;
        }
    }
    return span->n;
}

/* Numbers that are looked at until it is known whether \p a comes before \p b. reached[]: events of interest of
    a process that are known to come before; n_done[]: those that have been looked at. */
static uint64_t search(const struct watch *w, struct entry a, struct entry b,
                       uint32_t *reached, uint32_t *n_done)
{
    const uint32_t n = w->net->n_tracks;
    bool has_changed = true;
    uint64_t cost = 0;

    memset(reached, 0, n * sizeof *reached);
    memset(n_done, 0, n * sizeof *n_done);
    reached[b.process] = b.number;
    while (has_changed && reached[a.process] < a.number) {
        has_changed = false;
        for (uint32_t p = 0; p < n; p++) {
            while (n_done[p] < reached[p]) {
                cost += look_at(w, (struct entry){ p, ++n_done[p] }, reached, &has_changed);
            }
        }
    }
    return cost;
}

/* ---- all ------------------------------------------------------------------------------------------- */

static bool open_watch(struct watch *w, const struct mpl_net *net, struct mpl_arena *arena)
{
    const size_t n = net->n_tracks;

    w->n_passed = MPL_NEW_ARRAY(arena, n, uint32_t);
    w->known = MPL_NEW_ARRAY(arena, n * n, uint32_t);
    w->carried = MPL_NEW_ARRAY(arena, n * net->n_pairs, uint32_t);
    w->spans = MPL_NEW_ARRAY(arena, n, struct mpl_buf);
    w->entries = mpl_buf_make(sizeof(struct entry));
    for (size_t p = 0; p < n && w->spans != NULL; p++) {
        w->spans[p] = mpl_buf_make(sizeof(struct span));
    }
    return w->n_passed != NULL && w->known != NULL && w->carried != NULL &&
           w->spans != NULL;
}

static void close_watch(struct watch *w)
{
    mpl_buf_free(&w->entries);
    for (uint32_t p = 0; p < w->net->n_tracks && w->spans != NULL; p++) {
        mpl_buf_free(&w->spans[p]);
    }
}

static bool ask(const struct watch *w, struct mpl_arena *arena, double *looked_at)
{
    uint32_t *reached = MPL_NEW_ARRAY(arena, w->net->n_tracks, uint32_t);
    uint32_t *n_done = MPL_NEW_ARRAY(arena, w->net->n_tracks, uint32_t);
    uint64_t dice = 17;
    double sum = 0;

    if (reached == NULL || n_done == NULL) {
        return false;
    }
    for (int i = 0; i < N_SEARCHES; i++) {
        const struct entry a = draw(w, &dice);

        sum += (double) search(w, a, draw(w, &dice), reached, n_done);
    }
    *looked_at = sum / N_SEARCHES;
    return true;
}

bool observed_measure(struct mpl_net *net, uint32_t every, struct mpl_arena *arena,
                      struct observed_cost *out)
{
    struct watch w = { .net = net, .every = every };
    const struct mpl_net_walker walker = {
        .context = &w, .source = see_send, .sink = see_receive, .is_in_rounds = true
    };
    uint64_t n_ignored;
    double n_events = 0;
    bool is_done = open_watch(&w, net, arena) &&
                   mpl_net_walk(net, &walker, &n_ignored, NULL) == MPL_OK;

    for (uint32_t p = 0; p < net->n_tracks && is_done; p++) {
        pass(&w, p, net->model->locations[p].n_events);
        n_events += (double) w.spans[p].n;
    }
    is_done = is_done && !w.is_short && ask(&w, arena, &out->looked_at);
    out->ratio = (double) w.entries.n / n_events / net->n_tracks;
    close_watch(&w);
    return is_done;
}
