/*
 * The search for leftmost longest matches: K. Thompson's simulation with R. Pike's threads. All
 * attempts, from every start, are followed at once; threads stand in the order of preference,
 * earlier starts first, and of two threads in one state the later is dropped, because from there
 * on both can do the same. So no event is looked at once per start.
 *
 * What a thread has read is a chain of nodes towards its start; chains share their beginnings.
 * Nodes that no thread reaches any more are removed when there are many.
 */
#include "config.h"

#include "recognize/automaton_priv.h"

#include <string.h>

struct thread {
    uint32_t state;
    uint32_t start; /* position of its first event */
    uint32_t node;  /* the last event that it has read */
};

struct node {
    uint32_t position;
    uint32_t member;
    uint32_t before; /* node, or MPL_NONE at the start */
};

struct threads {
    struct thread at[MPL_STATES_MAX];
    uint32_t n;
};

struct mpl_matcher {
    struct threads lists[2];
    uint64_t stamp[MPL_STATES_MAX]; /* step in which a state was last reached */
    uint64_t step;
    struct mpl_buf nodes;    /* struct node */
    struct mpl_buf captures; /* struct mpl_capture */
    struct mpl_buf moved;    /* uint32_t: where nodes went when some were removed */
    uint64_t n_steps;
};

/* One run. */
struct search {
    struct mpl_matcher *matcher;
    const struct mpl_automaton *automaton;
    const struct mpl_letters *letters;
    uint32_t extend_max;
    struct threads *now;
    struct threads *then;
    bool has_best;
    struct thread best; /* .start and .node count */
    uint32_t best_end;
    uint32_t n_extended; /* events since the best match was complete */
    size_t many_nodes;   /* when to remove nodes */
};

enum { MANY_NODES = 1 << 16 };

struct mpl_matcher *mpl_matcher_open(struct mpl_arena *arena)
{
    struct mpl_matcher *matcher = MPL_NEW(arena, struct mpl_matcher);

    if (matcher != NULL) {
        matcher->nodes = mpl_buf_make(sizeof(struct node));
        matcher->captures = mpl_buf_make(sizeof(struct mpl_capture));
        matcher->moved = mpl_buf_make(sizeof(uint32_t));
    }
    return matcher;
}

void mpl_matcher_close(struct mpl_matcher *matcher)
{
    if (matcher == NULL) {
        return;
    }
    mpl_buf_free(&matcher->nodes);
    mpl_buf_free(&matcher->captures);
    mpl_buf_free(&matcher->moved);
}

uint64_t mpl_matcher_steps(const struct mpl_matcher *matcher)
{
    return matcher->n_steps;
}

/* ---- nodes ----------------------------------------------------------------------- */

/* MPL_NONE when out of memory. The common case costs no call. */
static uint32_t add_node(struct mpl_buf *nodes, uint32_t position, uint32_t member,
                         uint32_t before)
{
    if (nodes->n < nodes->room) {
        nodes->n++;
    } else if (nodes->n >= MPL_NONE || mpl_buf_add(nodes) == NULL) {
        return MPL_NONE;
    }
    ((struct node *) nodes->data)[nodes->n - 1] = (struct node){ position, member, before };
    return (uint32_t) nodes->n - 1;
}

static void mark_chain(const struct node *nodes, uint32_t *moved, uint32_t node)
{
    while (node != MPL_NONE && moved[node] == MPL_NONE) {
        moved[node] = 0;
        node = nodes[node].before;
    }
}

/* Removes the nodes that no thread's chain reaches. A node stands behind the one before it. */
static bool remove_nodes(struct search *s, struct threads *threads)
{
    struct mpl_matcher *m = s->matcher;
    struct node *nodes = m->nodes.data;
    uint32_t n = 0;

    if (!mpl_grow_to(&m->moved, m->nodes.n)) {
        return false;
    }

    uint32_t *moved = m->moved.data;

    memset(moved, 0xFF, m->nodes.n * sizeof *moved); /* MPL_NONE everywhere */

    for (uint32_t i = 0; i < threads->n; i++) {
        mark_chain(nodes, moved, threads->at[i].node);
    }
    if (s->has_best) {
        mark_chain(nodes, moved, s->best.node);
    }
    for (uint32_t i = 0; i < m->nodes.n; i++) {
        if (moved[i] == MPL_NONE) {
            continue;
        }

        const uint32_t before = nodes[i].before;

        nodes[n] = nodes[i];
        nodes[n].before = before == MPL_NONE ? MPL_NONE : moved[before];
        moved[i] = n++;
    }
    for (uint32_t i = 0; i < threads->n; i++) {
        threads->at[i].node = moved[threads->at[i].node];
    }
    if (s->has_best) {
        s->best.node = moved[s->best.node];
    }
    m->nodes.n = n;
    s->many_nodes = n > MANY_NODES / 2 ? 2 * (size_t) n : MANY_NODES;
    return true;
}

/* ---- one event --------------------------------------------------------------------- */

/* Moves one thread (or, with \p before MPL_NONE, a new attempt) over the event at \p position. */
static bool advance(struct search *s, const struct thread *thread, uint64_t mask,
                    uint32_t position)
{
    const struct mpl_automaton *a = s->automaton;
    struct mpl_matcher *m = s->matcher;
    const uint32_t end = a->first[thread->state + 1];

    for (uint32_t t = a->first[thread->state]; t < end; t++) {
        const struct mpl_transition to = a->transitions[t];

        m->n_steps++;
        if ((mask >> to.member & 1) == 0 || m->stamp[to.state] == m->step) {
            continue;
        }

        const uint32_t node = add_node(&m->nodes, position, to.member, thread->node);

        if (node == MPL_NONE) {
            return false;
        }
        m->stamp[to.state] = m->step;
        s->then->at[s->then->n++] = (struct thread){ to.state, thread->start, node };
    }
    return true;
}

/* Of the threads that are complete, the first is the best: it starts earliest. */
static void accept(struct search *s, uint32_t position)
{
    struct threads *threads = s->then;
    uint32_t i = 0;

    while (i < threads->n && !s->automaton->is_final[threads->at[i].state]) {
        i++;
    }
    s->n_extended++;
    if (i == threads->n) {
        return;
    }
    s->has_best = true;
    s->best = threads->at[i];
    s->best_end = position;
    s->n_extended = 0;
    while (threads->n > 0 && threads->at[threads->n - 1].start > s->best.start) {
        threads->n--;
    }
}

static bool step(struct search *s, uint64_t mask, uint32_t position)
{
    const uint64_t *wanted = s->automaton->wanted;
    struct threads *now = s->now;

    s->matcher->step++;
    s->then->n = 0;
    for (uint32_t i = 0; i < now->n; i++) {
        if ((wanted[now->at[i].state] & mask) != 0 &&
            !advance(s, &now->at[i], mask, position)) {
            return false;
        }
    }
    if (!s->has_best && (wanted[0] & mask) != 0) {
        const struct thread attempt = { 0, position, MPL_NONE };

        if (!advance(s, &attempt, mask, position)) {
            return false;
        }
    }
    accept(s, position);
    s->now = s->then;
    s->then = now;
    return s->matcher->nodes.n < s->many_nodes || remove_nodes(s, s->now);
}

/* ---- one match ----------------------------------------------------------------------- */

static void begin(struct search *s)
{
    s->now->n = 0;
    s->has_best = false;
    s->n_extended = 0;
    s->matcher->nodes.n = 0;
    s->many_nodes = MANY_NODES;
}

static uint64_t mask_at(const struct mpl_letters *letters, uint32_t position)
{
    const uint64_t mask = letters->masks[letters->letters[position]];

    return (mask & letters->unsure) == 0
               ? mask
               : mask & letters->refine(letters->context, position, mask);
}

/* Sets s->best if there is a match that starts at \p position or later. */
static enum mpl_status find(struct search *s, uint32_t position, struct mpl_err *err)
{
    const struct mpl_letters *letters = s->letters;
    const uint64_t start = s->automaton->wanted[0];

    begin(s);
    for (; position < letters->n; position++) {
        const uint64_t mask = mask_at(letters, position);

        if (mask == 0 && letters->is_strict) {
            s->now->n = 0;
        } else if (mask == 0) {
            continue;
        }
        if (s->now->n == 0) {
            if (s->has_best) {
                break;
            }
            s->matcher->nodes.n = 0;
            if ((mask & start) == 0) {
                continue;
            }
        }
        if (!step(s, mask, position)) {
            return mpl_nomem(err);
        }
        if (s->has_best && (s->now->n == 0 || s->n_extended >= s->extend_max)) {
            break;
        }
    }
    return MPL_OK;
}

static enum mpl_status tell(struct search *s, mpl_match_told *told, void *context,
                            struct mpl_err *err)
{
    const struct node *nodes = s->matcher->nodes.data;
    struct mpl_buf *captures = &s->matcher->captures;

    captures->n = 0;
    for (uint32_t i = s->best.node; i != MPL_NONE; i = nodes[i].before) {
        struct mpl_capture *capture = mpl_buf_add(captures);

        if (capture == NULL) {
            return mpl_nomem(err);
        }
        *capture = (struct mpl_capture){ nodes[i].position, nodes[i].member };
    }

    struct mpl_capture *items = captures->data;

    for (size_t i = 0, j = captures->n - 1; i < j; i++, j--) {
        const struct mpl_capture kept = items[i];

        items[i] = items[j];
        items[j] = kept;
    }
    return told(context, items, captures->n, err);
}

enum mpl_status mpl_matcher_run(struct mpl_matcher *matcher,
                                const struct mpl_automaton *automaton,
                                const struct mpl_letters *letters, uint32_t extend_max,
                                mpl_match_told *told, void *context, struct mpl_err *err)
{
    struct search s = {
        .matcher = matcher,
        .automaton = automaton,
        .letters = letters,
        .extend_max = extend_max,
        .now = &matcher->lists[0],
        .then = &matcher->lists[1],
    };
    uint32_t position = letters->first;

    while (position < letters->n) {
        enum mpl_status st = find(&s, position, err);

        if (st == MPL_OK && !s.has_best) {
            break;
        }
        if (st == MPL_OK) {
            st = tell(&s, told, context, err);
        }
        if (st != MPL_OK) {
            return st;
        }
        position = s.best_end + 1;
    }
    return MPL_OK;
}
