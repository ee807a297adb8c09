/*
 * The search for leftmost longest matches: K. Thompson's simulation with R. Pike's threads. All
 * attempts, from every start, are followed at once; threads stand in the order of preference,
 * earlier starts first, and of two threads in one state the later is dropped, because from there
 * on both can do the same. So no event is looked at once per start.
 *
 * What a thread has read is a chain of nodes towards its start; chains share their beginnings.
 * Nodes that no thread reaches any more are removed when there are many.
 *
 * Nearly always there is one thread, and it can go one way. Its next state is a function of
 * its state and the letter, so it is found out once and then looked up. And nearly always a match is like one before: the
 * last few are kept with the letters that were read for them, since the same letters lead to the same match.
 */
#include "config.h"

#include "recognize/matcher_priv.h"

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

/* What a letter does while at most one thread is alive. */
enum course {
    COURSE_UNKNOWN, /* not found out yet */
    COURSE_SKIP,    /* nothing */
    COURSE_STOP,    /* the thread ends, nothing begins */
    COURSE_END,     /* the thread ends, and the best match stands */
    COURSE_MOVE,    /* the thread goes on */
    COURSE_BEGIN,   /* the thread, if any, ends, and a new one begins */
    COURSE_GENERAL, /* something else: two threads, or the letter does not say enough */
};

struct turn {
    uint8_t course;
    uint8_t member;
    uint16_t state;
    bool is_final;   /* the state is */
    bool is_settled; /* no event leads on from it */
};

/* More states and letters than this go without; so the turns stay in the fast cache. */
enum { TURNS_MAX = 1 << 14 };

/* What was read for a match, and the match. */
struct trail {
    uint32_t first,
        n; /* Letters from where the search began to where the match was settled. */
    uint32_t
        n_behind; /* So many are behind the first and not behind the end of the match. */
    struct mpl_buf captures; /* struct mpl_capture */
};

struct mpl_event_matcher {
    struct threads lists[2];
    uint64_t stamp[MPL_STATES_MAX]; /* step in which a state was last reached */
    uint64_t step;
    struct mpl_buf nodes;    /* struct node */
    struct mpl_buf captures; /* struct mpl_capture */
    struct mpl_buf moved;    /* uint32_t: where nodes went when some were removed */
    struct mpl_buf turns;    /* struct turn, see find_turn() */
    struct trail trails[MPL_MATCH_KEPT];
    uint32_t n_trails;
    uint32_t next_trail; /* the place of the next one */
    uint64_t n_steps;
};

/* One run. */
struct search {
    struct mpl_event_matcher *matcher;
    const struct mpl_automaton *automaton;
    const struct mpl_letters *letters;
    uint32_t extend_max;
    struct threads *now;
    struct threads *then;
    bool has_best;
    struct thread best; /* .start and .node count */
    uint32_t best_end;
    uint32_t read_end;   /* behind the last event that was read */
    uint32_t n_extended; /* events since the best match was complete */
    size_t many_nodes;   /* when to remove nodes */
    struct turn *turns;  /* NULL when there would be too many */
    bool has_no_memory;
};

enum { MANY_NODES = 1 << 16 };

struct mpl_event_matcher *mpl_matcher_open(struct mpl_arena *arena)
{
    struct mpl_event_matcher *matcher = MPL_NEW(arena, struct mpl_event_matcher);

    if (matcher != NULL) {
        matcher->nodes = mpl_buf_make(sizeof(struct node));
        matcher->captures = mpl_buf_make(sizeof(struct mpl_capture));
        matcher->moved = mpl_buf_make(sizeof(uint32_t));
        matcher->turns = mpl_buf_make(sizeof(struct turn));
        for (uint32_t i = 0; i < MPL_MATCH_KEPT; i++) {
            matcher->trails[i].captures = mpl_buf_make(sizeof(struct mpl_capture));
        }
    }
    return matcher;
}

void mpl_matcher_close(struct mpl_event_matcher *matcher)
{
    if (matcher == NULL) {
        return;
    }
    mpl_buf_free(&matcher->nodes);
    mpl_buf_free(&matcher->captures);
    mpl_buf_free(&matcher->moved);
    mpl_buf_free(&matcher->turns);
    for (uint32_t i = 0; i < MPL_MATCH_KEPT; i++) {
        mpl_buf_free(&matcher->trails[i].captures);
    }
}

uint64_t mpl_matcher_steps(const struct mpl_event_matcher *matcher)
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
    struct mpl_event_matcher *m = s->matcher;
    struct node *nodes = m->nodes.data;
    uint32_t n = 0;

    if (!mpl_buf_grow_to(&m->moved, m->nodes.n)) {
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
    struct mpl_event_matcher *m = s->matcher;
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
    return true;
}

/* ---- one event while at most one thread is alive --------------------------------------- */

/* The only way from a state over the members of \p mask. */
static struct turn way_from(const struct mpl_automaton *a, uint32_t state, uint64_t mask,
                            enum course course)
{
    struct turn turn = { .course = COURSE_UNKNOWN };

    for (uint32_t t = a->first[state]; t < a->first[state + 1]; t++) {
        const struct mpl_transition to = a->transitions[t];

        if ((mask >> to.member & 1) == 0) {
            continue;
        }
        if (turn.course != COURSE_UNKNOWN) {
            return (struct turn){ .course = COURSE_GENERAL };
        }
        turn = (struct turn){ (uint8_t) course, (uint8_t) to.member, to.state,
                              a->is_final[to.state], a->wanted[to.state] == 0 };
    }
    return turn;
}

/* \p state MPL_NONE: no thread is alive. */
static struct turn work_out(const struct search *s, uint32_t state, bool has_best,
                            uint32_t letter)
{
    const struct mpl_automaton *a = s->automaton;
    const uint64_t mask = s->letters->masks[letter];
    const bool has_thread = state != MPL_NONE;
    const uint64_t start = has_best ? 0 : a->wanted[0] & mask;
    struct turn move = { .course = COURSE_UNKNOWN };

    if ((mask & s->letters->unsure) != 0) {
        return (struct turn){ .course = COURSE_GENERAL };
    }
    if (mask == 0 && !s->letters->is_strict) {
        return (struct turn){ .course = COURSE_SKIP };
    }
    if (has_thread) {
        move = way_from(a, state, mask, COURSE_MOVE);
    }
    if (move.course == COURSE_UNKNOWN && has_best) {
        return (struct turn){ .course = COURSE_END };
    }
    if (start == 0) {
        return move.course != COURSE_UNKNOWN ? move
                                             : (struct turn){ .course = COURSE_STOP };
    }

    const struct turn begin = way_from(a, 0, mask, COURSE_BEGIN);

    if (move.course == COURSE_UNKNOWN) {
        return begin;
    }
    /* A new attempt is dropped if it would come to the same state. */
    return move.course == COURSE_MOVE && begin.course == COURSE_BEGIN &&
                   move.state == begin.state
               ? move
               : (struct turn){ .course = COURSE_GENERAL };
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

/* Nothing can make the best match longer, or an earlier one complete. */
static bool is_settled(const struct search *s)
{
    return s->has_best &&
           (s->now->n == 0 || s->n_extended >= s->extend_max ||
            (s->now->n == 1 && s->automaton->wanted[s->now->at[0].state] == 0));
}

/* The state of follow_single(), apart from the search so that it stays in registers. */
struct single {
    struct thread thread;
    bool is_alive;
    bool has_best;
    uint32_t n_extended;
    struct turn *rows; /* those with or without a best match */
    struct turn *row;
};

static inline struct single begin_single(const struct search *s)
{
    const uint32_t n_letters = s->letters->n_letters;
    struct single single = { s->now->at[0], s->now->n > 0, s->has_best,
                             s->n_extended, s->turns,      NULL };

    if (s->has_best) {
        single.rows += ((size_t) s->automaton->n_states + 1) * n_letters;
    }
    single.row =
        single.rows + (single.is_alive ? (size_t) single.thread.state + 1 : 0) * n_letters;
    return single;
}

/* The thread goes on, or a new one begins. False: no memory. */
static inline bool move_single(struct search *s, struct single *single,
                               const struct turn *turn, uint32_t position)
{
    const uint32_t n_letters = s->letters->n_letters;
    struct thread *thread = &single->thread;

    if (turn->course == COURSE_BEGIN) {
        s->matcher->nodes.n = 0;
        thread->start = position;
        thread->node = MPL_NONE;
        single->is_alive = true;
    }
    thread->node = add_node(&s->matcher->nodes, position, turn->member, thread->node);
    thread->state = turn->state;
    single->n_extended++;
    if (turn->is_final) {
        if (!single->has_best) {
            single->has_best = true;
            single->rows += ((size_t) s->automaton->n_states + 1) * n_letters;
        }
        s->best = *thread;
        s->best_end = position;
        single->n_extended = 0;
    }
    single->row = single->rows + ((size_t) turn->state + 1) * n_letters;
    return thread->node != MPL_NONE;
}

/*
 * Reads events from \p position on as long as turns say what to do. Answers where it stopped: at
 * the end, where the match is settled, or where an event needs take_general().
 */
static uint32_t follow_single(struct search *s, uint32_t position)
{
    const uint16_t *letters = s->letters->letters;
    const uint32_t n = s->letters->n;
    const uint32_t first = position;
    struct single single = begin_single(s);
    bool is_over = false;

    while (position < n && !is_over) {
        const struct turn *turn = &single.row[letters[position]];

        if (turn->course == COURSE_SKIP) {
            position++;
        } else if (turn->course == COURSE_MOVE || turn->course == COURSE_BEGIN) {
            s->has_no_memory = !move_single(s, &single, turn, position++);
            is_over = s->has_no_memory ||
                      (single.has_best &&
                       (turn->is_settled || single.n_extended >= s->extend_max)) ||
                      s->matcher->nodes.n >= s->many_nodes;
        } else if (turn->course == COURSE_UNKNOWN) {
            single.row[letters[position]] =
                work_out(s, single.is_alive ? single.thread.state : MPL_NONE,
                         single.has_best, letters[position]);
        } else if (turn->course == COURSE_GENERAL) {
            is_over = true;
        } else {
            single.is_alive = false;
            single.row = single.rows;
            is_over = turn->course == COURSE_END;
            position++;
        }
    }
    s->matcher->n_steps += position - first;
    s->now->at[0] = single.thread;
    s->now->n = single.is_alive;
    s->has_best = single.has_best;
    s->n_extended = single.n_extended;
    return position;
}

/* An event that turns do not cover. False: no memory. */
static bool take_general(struct search *s, uint32_t position)
{
    const uint64_t mask = mask_at(s->letters, position);

    if (mask == 0 && !s->letters->is_strict) {
        return true;
    }
    if (s->now->n == 0) {
        s->matcher->nodes.n = 0;
    }
    return step(s, mask, position);
}

/* Sets s->best if there is a match that starts at \p position or later. */
static enum mpl_status find(struct search *s, uint32_t position, struct mpl_err *err)
{
    begin(s);
    while (position < s->letters->n && !is_settled(s) && !s->has_no_memory) {
        if (s->matcher->nodes.n >= s->many_nodes) {
            s->has_no_memory = !remove_nodes(s, s->now);
        } else if (s->now->n > 1 || s->turns == NULL) {
            s->has_no_memory = !take_general(s, position++);
        } else {
            position = follow_single(s, position);
            if (position < s->letters->n && !is_settled(s) && !s->has_no_memory &&
                s->matcher->nodes.n < s->many_nodes) {
                s->has_no_memory = !take_general(s, position++);
            }
        }
    }
    s->read_end = position;
    return s->has_no_memory ? mpl_nomem(err) : MPL_OK;
}

/* Puts the captures of the best match in order. False: no memory. */
static bool list_captures(struct search *s, uint32_t first)
{
    const struct node *nodes = s->matcher->nodes.data;
    struct mpl_buf *captures = &s->matcher->captures;

    size_t n = 0;

    for (uint32_t i = s->best.node; i != MPL_NONE; i = nodes[i].before) {
        n++;
    }
    if (!mpl_buf_grow_to(captures, n)) {
        return false;
    }

    struct mpl_capture *items = captures->data;

    for (uint32_t i = s->best.node; i != MPL_NONE; i = nodes[i].before) {
        items[--n] = (struct mpl_capture){ nodes[i].position - first, nodes[i].member };
    }
    return true;
}

/* ---- matches like others ---------------------------------------------------------------- */

/* Keeps what led to the match at hand, unless only the end of all events settled it. False: no memory. */
static bool keep_trail(struct search *s, uint32_t first, uint32_t *kept)
{
    struct mpl_event_matcher *m = s->matcher;
    struct trail *trail = &m->trails[m->next_trail];

    *kept = MPL_NONE;
    if (s->letters->unsure != 0 || !is_settled(s)) {
        return true;
    }
    if (!mpl_buf_grow_to(&trail->captures, m->captures.n)) {
        return false;
    }
    memcpy(trail->captures.data, m->captures.data,
           m->captures.n * sizeof(struct mpl_capture));
    trail->first = first;
    trail->n = s->read_end - first;
    trail->n_behind = s->best_end - first;
    *kept = m->next_trail;
    m->next_trail = (m->next_trail + 1) % MPL_MATCH_KEPT;
    m->n_trails += m->n_trails < MPL_MATCH_KEPT;
    return true;
}

/* What the events from \p first on lead to as those of an earlier match did; MPL_NONE: not known. */
static uint32_t find_trail(const struct search *s, uint32_t first)
{
    const struct mpl_event_matcher *m = s->matcher;
    const uint16_t *letters = s->letters->letters;

    for (uint32_t i = 0; i < m->n_trails; i++) {
        const struct trail *trail = &m->trails[i];

        if (trail->n <= s->letters->n - first &&
            memcmp(letters + trail->first, letters + first, trail->n * sizeof *letters) ==
                0) {
            return i;
        }
    }
    return MPL_NONE;
}

/* Finds the next match, if there is one that begins at \p first or behind it. */
static enum mpl_status find_match(struct search *s, uint32_t first,
                                  struct mpl_event_match *match, struct mpl_err *err)
{
    struct mpl_event_matcher *m = s->matcher;
    const uint32_t kept = find_trail(s, first);
    const struct trail *trail = &m->trails[kept == MPL_NONE ? 0 : kept];

    *match = (struct mpl_event_match){ .first = first, .kept = kept, .is_repeat = true };
    if (kept != MPL_NONE) {
        match->captures = trail->captures.data;
        match->n = trail->captures.n;
        s->best_end = first + trail->n_behind;
        m->n_steps += trail->n;
        return MPL_OK;
    }

    const enum mpl_status st = find(s, first, err);

    match->is_repeat = false;
    if (st != MPL_OK || !s->has_best) {
        return st;
    }
    if (!list_captures(s, first) || !keep_trail(s, first, &match->kept)) {
        return mpl_nomem(err);
    }
    match->captures = m->captures.data;
    match->n = m->captures.n;
    return MPL_OK;
}

/* Whether a match may begin with some letter: often what a pattern looks for does not occur at all. */
static bool can_begin(const struct mpl_automaton *automaton,
                      const struct mpl_letters *letters)
{
    for (uint32_t l = 0; l < letters->n_letters; l++) {
        if ((letters->masks[l] & automaton->wanted[0]) != 0) {
            return true;
        }
    }
    return false;
}

enum mpl_status mpl_matcher_run(struct mpl_event_matcher *matcher,
                                const struct mpl_automaton *automaton,
                                const struct mpl_letters *letters, uint32_t extend_max,
                                mpl_match_take *take, void *context, struct mpl_err *err)
{
    struct search s = {
        .matcher = matcher,
        .automaton = automaton,
        .letters = letters,
        .extend_max = extend_max,
        .now = &matcher->lists[0],
        .then = &matcher->lists[1],
    };
    const size_t n_turns = 2 * ((size_t) automaton->n_states + 1) * letters->n_letters;
    uint32_t position = letters->first;

    if (!can_begin(automaton, letters)) {
        return MPL_OK;
    }
    if (n_turns > 0 && n_turns <= TURNS_MAX) {
        if (!mpl_buf_grow_to(&matcher->turns, n_turns)) {
            return mpl_nomem(err);
        }
        s.turns = matcher->turns.data;
        memset(s.turns, 0, n_turns * sizeof *s.turns); /* COURSE_UNKNOWN */
    }
    matcher->n_trails = 0;
    matcher->next_trail = 0;
    while (position < letters->n) {
        struct mpl_event_match match;
        enum mpl_status st = find_match(&s, position, &match, err);

        st = st == MPL_OK && match.n > 0 ? take(context, &match, err) : st;
        if (st != MPL_OK || match.n == 0) {
            return st;
        }
        position = s.best_end + 1;
    }
    return MPL_OK;
}
