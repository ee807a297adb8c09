/*
 * What recurs in a run, from the records alone: a collective of all processes, or the messages of
 * each process on its busiest edge.
 *
 * Regular is what recurs after the same number of calls; time would be a bad measure, since a run
 * whose steps become longer is one that somebody wants to understand. Example: a reduction after
 * each step and a broadcast after each tenth: both are regular, and the reduction bounds the steps.
 * Where processes are only to be compared, regularity does not matter: then both are marks.
 */
#include "config.h"

#include "events/steps_priv.h"

#include <stdlib.h>
#include <string.h>

/* Coefficient of variation of the calls between two occurrences, from which on a collective does
 * not recur regularly. A step may differ from the next by a third of its calls; two in a step that
 * are 3 and 7 calls apart have 0.4, calls at random 1. */
static const double irregular = 0.35;

/* Occurrences of one kind of collective, on the location that is looked at. */
struct kind {
    uint32_t comm;
    enum mpl_coll_op op;
    uint32_t root;
    uint32_t n;
    uint32_t first_call;
    uint32_t last_call;
    double squares; /* of the calls between two */
};

struct search {
    const struct mpl_events *events;
    struct mpl_arena *arena;
    struct mpl_marks *marks;
    uint32_t *of_edge; /* messages per process and direction; zero between two locations */
    /* Per process: the calls among which messages are looked at, from the first to before the last;
     * NULL: all. */
    uint32_t *first;
    uint32_t *end;
    bool is_whole; /* these are all */
};

static uint32_t busiest_location(const struct mpl_model *model, uint32_t process)
{
    const struct mpl_process *p = &model->processes[process];
    uint32_t best = MPL_NONE;
    uint64_t most = 0;

    for (uint32_t i = 0; i < p->n_locations; i++) {
        const struct mpl_location *loc = &model->locations[p->locations[i]];
        const uint64_t n = (uint64_t) loc->n_messages + loc->n_collectives;

        if (n > most) {
            most = n;
            best = p->locations[i];
        }
    }
    return best;
}

/* Calls of a process, from the first to before the last. */
struct range {
    uint32_t first;
    uint32_t end;
};

static struct range range_of(const struct search *s, uint32_t process)
{
    return s->first == NULL ? (struct range){ 0, MPL_NONE }
                            : (struct range){ s->first[process], s->end[process] };
}

/* Never of MPL_NONE. */
static bool is_inside(const struct range *range, uint32_t call)
{
    return call >= range->first && call < range->end;
}

/* The time in which steps are looked for. */
static double time_of_search(const struct search *s, uint32_t process)
{
    const struct mpl_events *events = s->events;
    const uint32_t location = s->marks->processes[process].location;

    if (s->first == NULL) {
        return (double) (events->window_end_ticks - events->window_begin_ticks);
    }
    return s->first[process] < s->end[process]
               ? (double) (mpl_call_enter_ticks(events, location, s->end[process] - 1) -
                           mpl_call_enter_ticks(events, location, s->first[process]))
               : 0;
}

/* Steps at the edge of a run, or in its set-up only, are not those of the run. */
static bool is_long_enough(const struct search *s)
{
    double all = 0;
    double covered = 0;

    for (uint32_t p = 0; p < s->events->model->n_processes; p++) {
        const struct mpl_step_marks *m = &s->marks->processes[p];

        covered +=
            (double) (mpl_call_enter_ticks(s->events, m->location, m->calls[s->marks->n]) -
                      mpl_call_enter_ticks(s->events, m->location, m->calls[0]));
        all += time_of_search(s, p);
    }
    return covered >= 0.5 * all;
}

/* ---- by collectives --------------------------------------------------------------------------- */

static bool is_of_all(const struct mpl_events *events, uint32_t instance)
{
    const struct mpl_coll_instance *in;

    if (instance == MPL_NONE) {
        return false;
    }
    in = &events->match->instances[instance];

    const struct mpl_comm *comm = &events->model->comms[in->comm];

    return in->is_complete && !comm->is_self && comm->n_remote == 0 &&
           comm->n_members == events->model->n_processes && in->n_parts == comm->n_members;
}

/* Linear search: programs have few kinds. */
static struct kind *find_kind(struct mpl_buf *kinds, const struct mpl_coll_instance *in)
{
    struct kind *all = kinds->data;

    for (size_t i = 0; i < kinds->n; i++) {
        if (all[i].comm == in->comm && all[i].op == in->op && all[i].root == in->root) {
            return &all[i];
        }
    }
    all = mpl_buf_add(kinds);
    if (all != NULL) {
        *all = (struct kind){ .comm = in->comm, .op = in->op, .root = in->root };
    }
    return all;
}

static bool gather_kinds(const struct search *s, uint32_t location, struct mpl_buf *kinds)
{
    const struct mpl_events *events = s->events;
    const struct mpl_location *loc = &events->model->locations[location];

    for (uint32_t i = 0; i < loc->n_collectives; i++) {
        const uint32_t instance = events->match->instance[location][i];
        const uint32_t call = events->lanes[location].call_of_collective[i];

        if (!is_of_all(events, instance) || call == MPL_NONE) {
            continue;
        }

        struct kind *kind = find_kind(kinds, &events->match->instances[instance]);

        if (kind == NULL) {
            return false;
        }
        if (kind->n == 0) {
            kind->first_call = call;
        } else {
            const double distance = (double) call - kind->last_call;

            kind->squares += distance * distance;
        }
        kind->last_call = call;
        kind->n++;
    }
    return true;
}

/* Square of the coefficient of variation of the calls between two occurrences. */
static double irregularity(const struct kind *kind)
{
    const double n = kind->n - 1;
    const double sum = (double) kind->last_call - kind->first_call;

    return sum > 0 ? n * kind->squares / (sum * sum) - 1 : 1;
}

static bool is_in_half(const struct search *s, uint32_t location, const struct kind *kind)
{
    const struct mpl_events *events = s->events;

    return 2 * (mpl_call_enter_ticks(events, location, kind->last_call) -
                mpl_call_enter_ticks(events, location, kind->first_call)) >=
           events->window_end_ticks - events->window_begin_ticks;
}

/* Of the regular kinds the one with most occurrences: a coarser one may be as regular, such as the
 * output after each tenth step. Of equals the most regular. NULL if there is none. */
static const struct kind *choose_kind(const struct search *s, uint32_t location,
                                      const struct mpl_buf *kinds)
{
    const struct kind *best = NULL;

    for (size_t i = 0; i < kinds->n; i++) {
        const struct kind *kind = mpl_buf_get(kinds, i);

        if (kind->n > STEPS_AT_LEAST && irregularity(kind) < irregular * irregular &&
            is_in_half(s, location, kind) &&
            (best == NULL || kind->n > best->n ||
             (kind->n == best->n && irregularity(kind) < irregularity(best)))) {
            best = kind;
        }
    }
    return best;
}

/* Marks of an instance, the k-th; false if a part lies where no steps are looked for. */
static bool mark_parts(const struct search *s, uint32_t instance, uint32_t k)
{
    const struct mpl_events *events = s->events;
    const struct mpl_coll_instance *in = &events->match->instances[instance];

    for (uint32_t i = 0; i < in->n_parts; i++) {
        const struct mpl_coll_part *part = &events->match->parts[in->first_part + i];
        const uint32_t process = events->model->locations[part->location].process;
        struct mpl_step_marks *m = &s->marks->processes[process];
        uint32_t *calls = (uint32_t *) m->calls;
        const uint32_t call =
            events->lanes[part->location].call_of_collective[part->collective];

        if (part->location != m->location || call == MPL_NONE ||
            (k > 0 && call <= calls[k - 1])) {
            return false;
        }
        calls[k] = call;
    }
    return true;
}

static bool mark_kind(const struct search *s, const struct kind *kind)
{
    const struct mpl_events *events = s->events;
    const uint32_t location = s->marks->processes[0].location;
    const struct mpl_location *loc = &events->model->locations[location];
    uint32_t k = 0;

    for (uint32_t p = 0; p < events->model->n_processes; p++) {
        uint32_t *calls = MPL_NEW_ARRAY(s->arena, kind->n, uint32_t);

        if (calls == NULL) {
            return false;
        }
        s->marks->processes[p].calls = calls;
    }
    for (uint32_t i = 0; i < loc->n_collectives && k < kind->n; i++) {
        const uint32_t instance = events->match->instance[location][i];

        if (is_of_all(events, instance) &&
            events->lanes[location].call_of_collective[i] != MPL_NONE) {
            const struct mpl_coll_instance *in = &events->match->instances[instance];

            if (in->comm == kind->comm && in->op == kind->op && in->root == kind->root) {
                if (!mark_parts(s, instance, k)) {
                    return true;
                }
                k++;
            }
        }
    }
    s->marks->n = kind->n - 1;
    s->marks->is_collective = true;
    return true;
}

static bool find_by_collectives(const struct search *s)
{
    const uint32_t location = s->marks->processes[0].location;
    struct mpl_buf kinds = mpl_buf_make(sizeof(struct kind));
    bool is_enough = gather_kinds(s, location, &kinds);

    if (is_enough) {
        const struct kind *kind = choose_kind(s, location, &kinds);

        is_enough = kind == NULL || mark_kind(s, kind);
    }
    mpl_buf_free(&kinds);
    if (is_enough && s->marks->n > 0 && !is_long_enough(s)) {
        s->marks->n = 0;
    }
    return is_enough;
}

/* ---- by messages ------------------------------------------------------------------------------- */

/* Traffic of a location with one other process in one direction, or of one envelope of it. */
struct edge {
    uint32_t envelope; /* MPL_NONE: all of the edge */
    uint32_t peer;
    bool is_send;
    uint32_t n;
};

static bool is_usable(const struct mpl_location *loc, uint32_t envelope)
{
    return envelope != MPL_NONE && loc->envelopes[envelope].peer != MPL_NONE &&
           loc->envelopes[envelope].peer != loc->process &&
           !loc->envelopes[envelope].is_null && !loc->envelopes[envelope].is_garbage;
}

static bool is_on(const struct mpl_location *loc, uint32_t envelope,
                  const struct edge *edge)
{
    return is_usable(loc, envelope) && loc->envelopes[envelope].peer == edge->peer &&
           loc->envelopes[envelope].is_send == edge->is_send;
}

static size_t place_of(const struct mpl_envelope *envelope)
{
    return (size_t) 2 * envelope->peer + (envelope->is_send ? 1 : 0);
}

/* Sends before receives: when these complete depends on others. */
static bool is_better(const struct edge *a, const struct edge *b)
{
    const bool a_counts = a->is_send && a->n > STEPS_AT_LEAST;
    const bool b_counts = b->is_send && b->n > STEPS_AT_LEAST;

    return a_counts != b_counts ? a_counts : a->n > b->n;
}

/*
 * The busiest edge; of it only the busiest envelope, where that carries a good part: a step that
 * sends three messages with three tags is one step. Where each message has a tag of its own, all.
 */
static bool choose_edge(const struct search *s, uint32_t process, struct edge *edge)
{
    const uint32_t location = s->marks->processes[process].location;
    const struct mpl_location *loc = &s->events->model->locations[location];
    const uint32_t *call_of = s->events->lanes[location].call_of_message;
    const struct range range = range_of(s, process);
    uint32_t *of_envelope = MPL_NEW_ARRAY(s->arena, loc->n_envelopes, uint32_t);

    *edge = (struct edge){ .envelope = MPL_NONE };
    if (of_envelope == NULL) {
        return false;
    }
    for (uint32_t first = 0, n; first < loc->n_messages; first += n) {
        const struct mpl_message *messages = mpl_messages_from(loc, first, &n);

        for (uint32_t i = 0; i < n; i++) {
            const uint32_t e = messages[i].envelope;

            if (e != MPL_NONE && is_inside(&range, call_of[first + i])) {
                of_envelope[e]++;
            }
        }
    }
    for (uint32_t e = 0; e < loc->n_envelopes; e++) {
        if (is_usable(loc, e)) {
            s->of_edge[place_of(&loc->envelopes[e])] += of_envelope[e];
        }
    }
    for (uint32_t e = 0; e < loc->n_envelopes; e++) {
        const struct mpl_envelope *envelope = &loc->envelopes[e];

        if (is_usable(loc, e)) {
            const struct edge candidate = { MPL_NONE, envelope->peer, envelope->is_send,
                                            s->of_edge[place_of(envelope)] };

            if (is_better(&candidate, edge)) {
                *edge = candidate;
            }
        }
    }
    for (uint32_t e = 0; e < loc->n_envelopes; e++) {
        if (is_usable(loc, e)) {
            s->of_edge[place_of(&loc->envelopes[e])] = 0;
        }
        if (is_on(loc, e, edge) && of_envelope[e] >= edge->n / 8 &&
            (edge->envelope == MPL_NONE || of_envelope[e] > of_envelope[edge->envelope])) {
            edge->envelope = e;
        }
    }
    return true;
}

/* Per envelope whether its messages are those of an edge that count. NULL: out of memory. */
static const bool *list_envelopes(const struct search *s, const struct mpl_location *loc,
                                  const struct edge *edge)
{
    bool *is_meant = MPL_NEW_ARRAY(s->arena, loc->n_envelopes, bool);

    for (uint32_t e = 0; e < loc->n_envelopes && is_meant != NULL; e++) {
        is_meant[e] =
            is_on(loc, e, edge) && (edge->envelope == MPL_NONE || edge->envelope == e);
    }
    return is_meant;
}

/* The calls with messages on an edge, each once; a receive may complete before an earlier one. */
static bool gather_calls(const struct search *s, uint32_t process, uint32_t **calls,
                         uint32_t *n)
{
    const uint32_t location = s->marks->processes[process].location;
    const struct mpl_location *loc = &s->events->model->locations[location];
    const uint32_t *call_of = s->events->lanes[location].call_of_message;
    const struct range range = range_of(s, process);
    uint32_t *all = NULL;
    const bool *is_meant = NULL;
    uint32_t n_all = 0;
    uint32_t last = 0;
    bool is_sorted = true;
    struct edge edge;

    if (!choose_edge(s, process, &edge) ||
        (is_meant = list_envelopes(s, loc, &edge)) == NULL ||
        (all = MPL_NEW_ARRAY(s->arena, edge.n, uint32_t)) == NULL) {
        return false;
    }
    *calls = all;
    *n = 0;
    for (uint32_t first = 0, left; first < loc->n_messages && edge.n > 0; first += left) {
        const struct mpl_message *messages = mpl_messages_from(loc, first, &left);

        for (uint32_t i = 0; i < left; i++) {
            const uint32_t e = messages[i].envelope;
            const uint32_t call = call_of[first + i];

            if (e != MPL_NONE && is_meant[e] && is_inside(&range, call)) {
                is_sorted = is_sorted && last <= call;
                all[n_all++] = last = call;
            }
        }
    }
    if (!is_sorted) {
        qsort(all, n_all, sizeof *all, mpl_compare_u32);
    }
    for (uint32_t i = 0; i < n_all; i++) {
        if (i == 0 || all[i] != all[i - 1]) {
            all[(*n)++] = all[i];
        }
    }
    return true;
}

/* Leaves of each \p times + 1 calls, when a process has some times as many as another, the first. */
static bool thin_out(uint32_t *calls, uint32_t n, uint32_t n_marks)
{
    const uint32_t times = n / n_marks;

    if (n - times * n_marks > n / 10) {
        return false;
    }
    for (uint32_t k = 0; k < n_marks; k++) {
        calls[k] = calls[(size_t) k * times];
    }
    return true;
}

/* False when out of memory. */
static bool find_bounds(struct search *s, struct mpl_bounds *out)
{
    const uint32_t n_processes = s->events->model->n_processes;
    uint32_t **calls = MPL_NEW_ARRAY(s->arena, n_processes, uint32_t *);
    uint32_t *n = MPL_NEW_ARRAY(s->arena, n_processes, uint32_t);
    uint32_t least = UINT32_MAX;

    *out = (struct mpl_bounds){ 0, calls };
    s->of_edge = MPL_NEW_ARRAY(s->arena, (size_t) 2 * n_processes, uint32_t);
    if (calls == NULL || n == NULL || s->of_edge == NULL) {
        return false;
    }
    for (uint32_t p = 0; p < n_processes; p++) {
        if (!gather_calls(s, p, &calls[p], &n[p])) {
            return false;
        }
        least = n[p] < least ? n[p] : least;
    }
    if (least <= STEPS_AT_LEAST) {
        return true;
    }
    for (uint32_t p = 0; p < n_processes; p++) {
        if (!thin_out(calls[p], n[p], least)) {
            return true;
        }
    }
    out->n = least;
    return true;
}

/* Of the whole run; they are not to be changed. False when out of memory. */
static bool ask_bounds(const struct search *s, struct mpl_bounds *out)
{
    struct mpl_kept_sections *kept = s->events->sections;
    struct search whole = { .events = s->events, .marks = s->marks };
    bool is_enough = true;

    (void) pthread_mutex_lock(&kept->bounds_lock);
    if (kept->bounds_arena == NULL) {
        whole.arena = mpl_arena_create();
        is_enough = whole.arena != NULL && find_bounds(&whole, &kept->bounds);
        if (is_enough) {
            kept->bounds_arena = whole.arena;
        } else {
            mpl_arena_destroy(whole.arena);
        }
    }
    *out = kept->bounds;
    (void) pthread_mutex_unlock(&kept->bounds_lock);
    return is_enough;
}

static bool find_by_messages(struct search *s)
{
    struct mpl_bounds bounds;

    if (!(s->is_whole ? ask_bounds(s, &bounds) : find_bounds(s, &bounds))) {
        return false;
    }
    if (bounds.n == 0) {
        return true;
    }
    for (uint32_t p = 0; p < s->events->model->n_processes; p++) {
        s->marks->processes[p].calls = bounds.calls[p];
    }
    s->marks->n = bounds.n - 1;
    s->marks->is_collective = false;
    if (!is_long_enough(s)) {
        s->marks->n = 0;
    }
    return true;
}

/* ---- the whole -------------------------------------------------------------------------------- */

/* False if out of memory; \p is_usable says whether every process has something to look at. */
static bool begin(struct search *s, bool *is_usable)
{
    const struct mpl_model *model = s->events->model;

    *s->marks = (struct mpl_marks){ 0 };
    s->marks->processes =
        MPL_NEW_ARRAY(s->arena, model->n_processes, struct mpl_step_marks);
    if (s->marks->processes == NULL) {
        return false;
    }
    *is_usable = model->n_processes >= 2;
    for (uint32_t p = 0; p < model->n_processes; p++) {
        s->marks->processes[p].location = busiest_location(model, p);
        *is_usable = *is_usable && s->marks->processes[p].location != MPL_NONE;
    }
    return true;
}

/* Exchanges with a neighbour between two collectives, from which on they are steps of their own. Two or three may
 * belong to one step. */
enum { EXCHANGES_BETWEEN = 4 };

/* Messages bound the steps where there are many between two of the collectives that would: an iteration that
 * is checked each tenth time. */
static bool refine_by_messages(struct search *s)
{
    struct mpl_marks finer = { 0 };
    struct search by_messages = *s;
    bool is_usable = false;

    by_messages.marks = &finer;
    if (!begin(&by_messages, &is_usable) || !find_by_messages(&by_messages)) {
        return false;
    }
    if (finer.n >= (uint64_t) EXCHANGES_BETWEEN * s->marks->n) {
        *s->marks = finer;
    }
    return true;
}

bool mpl_marks_find(const struct mpl_events *events, struct mpl_arena *arena,
                    struct mpl_marks *marks)
{
    struct search s = {
        .events = events, .arena = arena, .marks = marks, .is_whole = true
    };
    bool is_usable = false;
    bool is_enough = begin(&s, &is_usable);

    if (!is_usable) {
        return is_enough;
    }
    is_enough = find_by_collectives(&s);
    return is_enough && (marks->n == 0 ? find_by_messages(&s) : refine_by_messages(&s));
}

/* Marks every collective of all: all come to all of them in the same order. */
static bool mark_collectives(struct search *s)
{
    const struct mpl_events *events = s->events;
    const uint32_t location = s->marks->processes[0].location;
    const struct mpl_location *loc = &events->model->locations[location];

    for (uint32_t p = 0; p < events->model->n_processes; p++) {
        s->marks->processes[p].calls =
            MPL_NEW_ARRAY(s->arena, loc->n_collectives, uint32_t);
        if (s->marks->processes[p].calls == NULL) {
            return false;
        }
    }
    for (uint32_t i = 0; i < loc->n_collectives; i++) {
        const uint32_t instance = events->match->instance[location][i];

        s->marks->n += is_of_all(events, instance) && mark_parts(s, instance, s->marks->n);
    }
    return true;
}

/* ---- between collectives, by messages ----------------------------------------------------------- */

/* A stretch shorter than this share of the run is not divided any more. */
static const double worth_dividing = 0.1;

/* What is between the k-th mark and the one before. */
static void limit_search(struct search *s, const struct mpl_marks *marks, uint32_t k)
{
    for (uint32_t p = 0; p < s->events->model->n_processes; p++) {
        const struct mpl_step_marks *m = &marks->processes[p];

        s->first[p] = k == 0 ? 0 : m->calls[k - 1] + 1;
        s->end[p] =
            k == marks->n ? mpl_events_call_count(s->events, m->location) : m->calls[k];
    }
}

static bool is_worth_dividing(const struct search *s)
{
    const double window =
        (double) (s->events->window_end_ticks - s->events->window_begin_ticks);
    const uint32_t n_processes = s->events->model->n_processes;
    double sum = 0;

    for (uint32_t p = 0; p < n_processes; p++) {
        sum += time_of_search(s, p);
    }
    return sum >= worth_dividing * window * n_processes;
}

static bool append(struct mpl_buf *calls, const struct mpl_marks *marks, uint32_t from,
                   uint32_t to, uint32_t n_processes)
{
    for (uint32_t p = 0; p < n_processes; p++) {
        uint32_t *more = mpl_buf_add_many(&calls[p], to - from);

        if (more == NULL) {
            return false;
        }
        memcpy(more, marks->processes[p].calls + from, (to - from) * sizeof *more);
    }
    return true;
}

/* Each stretch between two marks is followed by that mark, after the steps between messages in it. */
static bool divide(struct search *s, const struct mpl_marks *marks, struct mpl_buf *calls)
{
    const uint32_t n_processes = s->events->model->n_processes;

    for (uint32_t k = 0; k <= marks->n; k++) {
        limit_search(s, marks, k);
        s->marks->n = 0;
        if (is_worth_dividing(s) && !find_by_messages(s)) {
            return false;
        }
        /* Steps lie between calls, of which there is one more. */
        if ((s->marks->n > 0 &&
             !append(calls, s->marks, 0, s->marks->n + 1, n_processes)) ||
            (k < marks->n && !append(calls, marks, k, k + 1, n_processes))) {
            return false;
        }
    }
    return true;
}

static bool take_calls(struct search *s, struct mpl_marks *marks, struct mpl_buf *calls)
{
    marks->n = (uint32_t) calls[0].n;
    for (uint32_t p = 0; p < s->events->model->n_processes; p++) {
        marks->processes[p].calls = mpl_buf_take(&calls[p], s->arena);
        if (marks->processes[p].calls == NULL) {
            return false;
        }
    }
    return true;
}

static bool mark_messages(struct search *s, struct mpl_marks *marks)
{
    const uint32_t n_processes = s->events->model->n_processes;
    struct mpl_buf *calls = MPL_NEW_ARRAY(s->arena, n_processes, struct mpl_buf);
    struct mpl_marks found = *marks;
    bool is_enough;

    s->first = MPL_NEW_ARRAY(s->arena, n_processes, uint32_t);
    s->end = MPL_NEW_ARRAY(s->arena, n_processes, uint32_t);
    found.processes = MPL_NEW_ARRAY(s->arena, n_processes, struct mpl_step_marks);
    if (calls == NULL || s->first == NULL || s->end == NULL || found.processes == NULL) {
        return false;
    }
    for (uint32_t p = 0; p < n_processes; p++) {
        calls[p] = mpl_buf_make(sizeof(uint32_t));
        found.processes[p].location = marks->processes[p].location;
    }
    s->marks = &found;
    s->is_whole = marks->n == 0;
    is_enough = divide(s, marks, calls) && take_calls(s, marks, calls);
    for (uint32_t p = 0; p < n_processes; p++) {
        mpl_buf_free(&calls[p]);
    }
    return is_enough;
}

bool mpl_marks_find_all(const struct mpl_events *events, struct mpl_arena *arena,
                        struct mpl_marks *marks)
{
    struct search s = { .events = events, .arena = arena, .marks = marks };
    bool is_usable = false;

    return begin(&s, &is_usable) &&
           (!is_usable || (mark_collectives(&s) && mark_messages(&s, marks)));
}
