/*
 * Initial distribution, main loop, another algorithm, final gather: cuts of what is communicated, in the
 * order of sending. In a phase, messages and collectives fall on their kinds (which pair of processes,
 * tag, communicator, operation) with frequencies of its own. A cut gains what two multinomial
 * distributions are more likely than one; it costs half a logarithm of their number for each kind that
 * is on both sides, and one for the place (Schwarz' criterion: a kind on one side only needs no
 * second parameter). Binary segmentation: the best cut, then the best of the parts.
 *
 * Processes change from one phase to the next at different times. So each location is cut where
 * its own messages are most likely under the two distributions, in records, which no clock moves.
 */
#include "config.h"

#include "run/run_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    /* Tags and communicators tell phases apart if they are names; who counts with them has more. */
    NAMES_MOST = 16,
    /* Who has more phases repeats them: such are the steps of one. */
    PHASES_MOST = 8,
};

struct occurrence {
    int64_t ticks;
    uint32_t kind;
    uint32_t location;
    uint32_t event;
};

/* A few numbers that are seen again and again; more of them than NAMES_MOST say nothing. */
struct names {
    uint32_t numbers[NAMES_MOST];
    uint32_t n; /* NAMES_MOST + 1: too many */
};

struct segmenter {
    struct mpl_arena *arena; /* scratch */
    const struct mpl_events *events;
    const struct mpl_model *model;
    struct names tags;
    struct names comms;
    struct mpl_buf all;      /* struct occurrence */
    struct mpl_map *kind_of; /* by what makes a kind */
    uint32_t *kinds;         /* per envelope of the location at hand */
    double *x_log_x;         /* of 0 … n */
    uint64_t *left;          /* per kind: before the cut */
    uint64_t *right;
    size_t bounds[PHASES_MOST + 1]; /* of the phases: 0, the cuts, n */
    size_t n;
};

/* ---- what is communicated -------------------------------------------------------------------- */

static void note_name(struct names *names, uint32_t number)
{
    for (uint32_t i = 0; i < names->n && names->n <= NAMES_MOST; i++) {
        if (names->numbers[i] == number) {
            return;
        }
    }
    if (names->n < NAMES_MOST) {
        names->numbers[names->n] = number;
    }
    names->n += names->n <= NAMES_MOST;
}

static uint64_t place_of(const struct names *names, uint32_t number)
{
    for (uint32_t i = 0; i < names->n && names->n <= NAMES_MOST; i++) {
        if (names->numbers[i] == number) {
            return i;
        }
    }
    return 0;
}

/* Whether a message is seen where it is sent. */
static bool is_sent(const struct mpl_location *loc, uint32_t message)
{
    const struct mpl_message m = mpl_message_get(loc, message);
    const struct mpl_envelope *envelope =
        m.envelope == MPL_NONE ? NULL : &loc->envelopes[m.envelope];

    return envelope != NULL && envelope->is_send && !envelope->is_null &&
           !envelope->is_garbage && envelope->peer != MPL_NONE && m.event != MPL_NONE;
}

static uint32_t event_of(const struct mpl_collective *c)
{
    return c->op == MPL_COLL_CREATE || c->op == MPL_COLL_DESTROY || c->comm == MPL_NONE
               ? MPL_NONE
           : c->end != MPL_NONE ? c->end
                                : c->begin;
}

static void note_names(struct segmenter *s)
{
    for (uint32_t l = 0; l < s->model->n_locations; l++) {
        const struct mpl_location *loc = &s->model->locations[l];

        for (uint32_t e = 0; e < loc->n_envelopes; e++) {
            if (loc->envelopes[e].is_send && !loc->envelopes[e].is_null) {
                note_name(&s->tags, loc->envelopes[e].tag);
                note_name(&s->comms, loc->envelopes[e].comm);
            }
        }
        for (uint32_t c = 0; c < loc->n_collectives; c++) {
            if (event_of(&loc->collectives[c]) != MPL_NONE) {
                note_name(&s->comms, loc->collectives[c].comm);
            }
        }
    }
}

static uint64_t message_key(const struct segmenter *s, const struct mpl_location *loc,
                            const struct mpl_envelope *envelope)
{
    const uint32_t low = envelope->peer < loc->process ? envelope->peer : loc->process;
    const uint32_t high = envelope->peer < loc->process ? loc->process : envelope->peer;
    const uint64_t pair = (uint64_t) low * s->model->n_processes + high;

    return (pair * NAMES_MOST + place_of(&s->tags, envelope->tag)) * NAMES_MOST +
           place_of(&s->comms, envelope->comm);
}

static uint64_t collective_key(const struct segmenter *s, const struct mpl_collective *c)
{
    return UINT64_MAX - ((uint64_t) c->op * NAMES_MOST + place_of(&s->comms, c->comm));
}

/* MPL_NONE: out of memory. */
static uint32_t kind_of(struct segmenter *s, uint64_t key)
{
    uint32_t kind = mpl_map_find(s->kind_of, key);

    if (kind == MPL_NONE) {
        kind = (uint32_t) mpl_map_count(s->kind_of);
        kind = mpl_map_put(s->kind_of, key, kind) ? kind : MPL_NONE;
    }
    return kind;
}

static bool add(struct segmenter *s, uint32_t location, uint32_t event, uint32_t kind)
{
    struct occurrence *at = kind == MPL_NONE ? NULL : mpl_buf_add(&s->all);

    if (at != NULL) {
        *at = (struct occurrence){ mpl_ticks_of(&s->model->locations[location], event),
                                   kind, location, event };
    }
    return at != NULL;
}

/* Messages share few envelopes, so that they need no look-up each. */
static bool gather_messages(struct segmenter *s, uint32_t l)
{
    const struct mpl_location *loc = &s->model->locations[l];

    if (loc->n_envelopes > 0) {
        memset(s->kinds, 0xff, loc->n_envelopes * sizeof *s->kinds);
    }
    for (uint32_t m = 0; m < loc->n_messages; m++) {
        const uint32_t e = mpl_message_get(loc, m).envelope;

        if (!is_sent(loc, m)) {
            continue;
        }
        if (s->kinds[e] == MPL_NONE) {
            s->kinds[e] = kind_of(s, message_key(s, loc, &loc->envelopes[e]));
        }
        if (!add(s, l, mpl_message_get(loc, m).event, s->kinds[e])) {
            return false;
        }
    }
    return true;
}

static bool gather_collectives(struct segmenter *s, uint32_t l)
{
    const struct mpl_location *loc = &s->model->locations[l];

    for (uint32_t c = 0; c < loc->n_collectives; c++) {
        const uint32_t event = event_of(&loc->collectives[c]);

        if (event != MPL_NONE &&
            !add(s, l, event, kind_of(s, collective_key(s, &loc->collectives[c])))) {
            return false;
        }
    }
    return true;
}

static int by_time(const void *x, const void *y)
{
    const struct occurrence *a = x;
    const struct occurrence *b = y;

    if (a->ticks != b->ticks) {
        return a->ticks < b->ticks ? -1 : 1;
    }
    if (a->location != b->location) {
        return a->location < b->location ? -1 : 1;
    }
    return (a->event > b->event) - (a->event < b->event);
}

static bool gather(struct segmenter *s)
{
    uint32_t most = 0;

    for (uint32_t l = 0; l < s->model->n_locations; l++) {
        most = s->model->locations[l].n_envelopes > most
                   ? s->model->locations[l].n_envelopes
                   : most;
    }
    s->kinds = MPL_NEW_ARRAY(s->arena, most, uint32_t);
    if (s->kinds == NULL) {
        return false;
    }
    note_names(s);
    for (uint32_t l = 0; l < s->model->n_locations; l++) {
        if (!gather_messages(s, l) || !gather_collectives(s, l)) {
            return false;
        }
    }
    if (s->all.n > 0) {
        qsort(s->all.data, s->all.n, sizeof(struct occurrence), by_time);
    }
    return true;
}

/* ---- cuts ------------------------------------------------------------------------------------- */

/* A table: each place for a cut needs six of them. */
static bool make_logarithms(struct segmenter *s)
{
    s->x_log_x = MPL_NEW_ARRAY(s->arena, s->all.n + 1, double);
    for (size_t i = 1; s->x_log_x != NULL && i <= s->all.n; i++) {
        s->x_log_x[i] = (double) i * log((double) i);
    }
    return s->x_log_x != NULL;
}

struct cut {
    size_t at;   /* the first behind it */
    double gain; /* beyond what it costs; -INFINITY: there is none */
};

/* Counts first … end-1, all of it to the right of the cut. Returns the sum of n log n. */
static double count(struct segmenter *s, size_t first, size_t end)
{
    const struct occurrence *all = s->all.data;
    const size_t n_kinds = mpl_map_count(s->kind_of);
    double sum = 0;

    memset(s->left, 0, n_kinds * sizeof *s->left);
    memset(s->right, 0, n_kinds * sizeof *s->right);
    for (size_t i = first; i < end; i++) {
        s->right[all[i].kind]++;
    }
    for (size_t k = 0; k < n_kinds; k++) {
        sum += s->x_log_x[s->right[k]];
    }
    return sum;
}

/* Where two distributions gain most on one, within first … end-1. */
static struct cut find_cut(struct segmenter *s, size_t first, size_t end)
{
    const struct occurrence *all = s->all.data;
    const double log_n = log((double) s->all.n);
    struct cut best = { first, -INFINITY };
    double left = 0; /* sums of n log n over the kinds */
    double right = count(s, first, end);
    uint64_t n_both = 0; /* kinds on both sides */

    const double whole = right - s->x_log_x[end - first];

    for (size_t i = first; i + 1 < end; i++) {
        const uint32_t k = all[i].kind;

        n_both += s->left[k] == 0 && s->right[k] > 1;
        n_both -= s->left[k] > 0 && s->right[k] == 1;
        left += s->x_log_x[s->left[k] + 1] - s->x_log_x[s->left[k]];
        right += s->x_log_x[s->right[k] - 1] - s->x_log_x[s->right[k]];
        s->left[k]++;
        s->right[k]--;

        const double gain = left - s->x_log_x[i + 1 - first] + right -
                            s->x_log_x[end - i - 1] - whole -
                            (1 + 0.5 * (double) n_both) * log_n;

        if (gain > best.gain) {
            best = (struct cut){ i + 1, gain };
        }
    }
    return best;
}

static void insert(size_t *bounds, size_t n, size_t at)
{
    size_t i = n;

    for (; bounds[i] > at; i--) {
        bounds[i + 1] = bounds[i];
    }
    bounds[i + 1] = at;
}

/* Sets bounds and n; n is 1 where there are no phases, or so many that they are steps. */
static void segment(struct segmenter *s)
{
    struct cut cuts[PHASES_MOST] = { find_cut(s, 0, s->all.n) };

    s->bounds[0] = 0;
    s->bounds[1] = s->all.n;
    s->n = 1;
    for (;;) {
        size_t best = 0;

        for (size_t i = 1; i < s->n; i++) {
            best = cuts[i].gain > cuts[best].gain ? i : best;
        }
        if (!(cuts[best].gain > 0)) {
            return;
        }
        if (s->n == PHASES_MOST) {
            s->n = 1;
            s->bounds[1] = s->all.n;
            return;
        }
        insert(s->bounds, s->n, cuts[best].at);
        memmove(cuts + best + 2, cuts + best + 1, (s->n - best - 1) * sizeof *cuts);
        s->n++;
        cuts[best] = find_cut(s, s->bounds[best], s->bounds[best + 1]);
        cuts[best + 1] = find_cut(s, s->bounds[best + 1], s->bounds[best + 2]);
    }
}

/* ---- where each location changes ----------------------------------------------------------------- */

/* Of one location, near a cut of all. */
struct change {
    double sum;  /* what is before is likelier before than behind, so far */
    double most; /* the largest of these sums */
    double at_cut;
    uint32_t best;  /* the first record behind the place of the largest sum */
    uint32_t there; /* the first record behind the cut of all */
    bool is_open;   /* best is the next one */
};

/* The first record at a time or behind it. */
static uint32_t record_at(const struct mpl_location *loc, int64_t ticks)
{
    uint32_t low = 0;
    uint32_t high = loc->n_events;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (mpl_ticks_of(loc, middle) < ticks) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* A few occurrences of a kind prove nothing about its frequency: the first of the next phase come while
 * others still are in this one. So many are added to what there is and to what could be expected. */
static const double proves_nothing = 3;

/* And what is about as frequent on both sides goes to where there is more of it. Of the logarithm of
 * the ratio, what counts. */
static const double by_number = 0.1;

/* How much likelier a kind is before the cut than behind it, where the shorter side is compared with
 * what the longer one lets expect; counts are those of count_sides(). */
static double preference(const struct segmenter *s, uint32_t kind, double n_left,
                         double n_right)
{
    const double left = (double) s->left[kind];
    const double right = (double) s->right[kind];
    const double surplus =
        n_left < n_right
            ? log((left + proves_nothing) / (right * n_left / n_right + proves_nothing))
            : log((left * n_right / n_left + proves_nothing) / (right + proves_nothing));

    return surplus + by_number * log((left + 1) / (right + 1));
}

static void step(struct change *change, uint32_t event, double gain)
{
    if (change->is_open) {
        change->best = event;
        change->is_open = false;
    }
    change->sum += gain;
    if (change->sum > change->most) {
        change->most = change->sum;
        change->is_open = true;
    }
}

static void count_sides(struct segmenter *s, size_t cut)
{
    const struct occurrence *all = s->all.data;
    const size_t at = s->bounds[cut];

    (void) count(s, s->bounds[cut - 1], s->bounds[cut + 1]);
    for (size_t i = s->bounds[cut - 1]; i < at; i++) {
        s->left[all[i].kind]++;
        s->right[all[i].kind]--;
    }
}

/* Per location the first record behind cut \p cut. */
static bool place_cut(struct segmenter *s, size_t cut, uint32_t *records)
{
    const struct occurrence *all = s->all.data;
    const size_t first = s->bounds[cut - 1];
    const size_t at = s->bounds[cut];
    const size_t end = s->bounds[cut + 1];
    struct change *changes = MPL_NEW_ARRAY(s->arena, s->model->n_locations, struct change);

    if (changes == NULL) {
        return false;
    }
    count_sides(s, cut);
    for (uint32_t l = 0; l < s->model->n_locations; l++) {
        const uint32_t there = record_at(&s->model->locations[l], all[at].ticks);

        changes[l] = (struct change){ .best = there, .there = there, .is_open = true };
    }
    for (size_t i = first; i < end; i++) {
        struct change *change = &changes[all[i].location];

        step(change, all[i].event,
             preference(s, all[i].kind, (double) (at - first), (double) (end - at)));
        change->at_cut = i < at ? change->sum : change->at_cut;
    }
    for (uint32_t l = 0; l < s->model->n_locations; l++) {
        const struct change *change = &changes[l];

        records[l] = change->most > change->at_cut ? change->best : change->there;
    }
    return true;
}

/* ---- the phases ------------------------------------------------------------------------------------ */

static bool make_phases(struct segmenter *s, struct mpl_arena *arena, struct phase *phases)
{
    const struct occurrence *all = s->all.data;
    const uint32_t n_locations = s->model->n_locations;
    uint32_t *records = MPL_NEW_ARRAY(arena, (s->n + 1) * n_locations, uint32_t);
    bool is_good = records != NULL;

    for (uint32_t l = 0; l < n_locations && is_good; l++) {
        records[s->n * n_locations + l] = s->model->locations[l].n_events;
    }
    for (size_t i = 1; i < s->n && is_good; i++) {
        is_good = place_cut(s, i, records + i * n_locations);
        for (uint32_t l = 0; l < n_locations && is_good; l++) {
            uint32_t *record = &records[i * n_locations + l];
            const uint32_t before = record[-(ptrdiff_t) n_locations];

            *record = *record < before ? before : *record;
        }
    }
    for (size_t i = 0; i < s->n && is_good; i++) {
        phases[i] = (struct phase){
            .part = { .begin_ticks = i == 0 ? INT64_MIN : all[s->bounds[i]].ticks,
                      .end_ticks = i + 1 == s->n ? INT64_MAX : all[s->bounds[i + 1]].ticks,
                      .first_record = records + i * n_locations,
                      .end_record = records + (i + 1) * n_locations },
            .share = (double) (s->bounds[i + 1] - s->bounds[i]) / (double) s->all.n,
        };
    }
    return is_good;
}

static enum mpl_status find(struct segmenter *s, struct mpl_arena *arena,
                            const struct phase **out, size_t *n, struct mpl_err *err)
{
    const size_t n_kinds = mpl_map_count(s->kind_of);
    struct phase *phases;

    *n = 0;
    if (s->all.n < 2) {
        return MPL_OK;
    }
    s->left = MPL_NEW_ARRAY(s->arena, n_kinds, uint64_t);
    s->right = MPL_NEW_ARRAY(s->arena, n_kinds, uint64_t);
    if (s->left == NULL || s->right == NULL || !make_logarithms(s)) {
        return mpl_nomem(err);
    }
    segment(s);
    phases = MPL_NEW_ARRAY(arena, s->n, struct phase);
    if (phases == NULL || !make_phases(s, arena, phases)) {
        return mpl_nomem(err);
    }
    *out = phases;
    *n = s->n;
    return MPL_OK;
}

enum mpl_status mpl_phases_find(const struct mpl_events *events, struct mpl_arena *arena,
                                const struct phase **out, size_t *n, struct mpl_err *err)
{
    struct segmenter s = { .arena = mpl_arena_create(),
                           .events = events,
                           .model = mpl_events_model(events),
                           .all = mpl_buf_make(sizeof(struct occurrence)),
                           .kind_of = mpl_map_create() };
    enum mpl_status st;

    if (s.arena == NULL || s.kind_of == NULL || !gather(&s)) {
        st = mpl_nomem(err);
    } else {
        st = find(&s, arena, out, n, err);
    }
    mpl_map_destroy(s.kind_of);
    mpl_buf_free(&s.all);
    mpl_arena_destroy(s.arena);
    return st;
}
