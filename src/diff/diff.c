/*
 * Two runs, call by call. Calls count with all that is recorded of them; what is shown is the coarsest that shows
 * the difference: whom a message goes to, and its tag and bytes only where these are what differs.
 */
#include "config.h"

#include "diff/diff_priv.h"

#include <stdlib.h>

/* Iterations are counted by PLACE, which is COARSE unless something else is compared. */
enum { COARSE, FINE, PLACE, LEVELS };
/* Each round finds at least one more kind of call in a process; few programs have so many. */
enum { MOST_ROUNDS = 100 };
static const unsigned parts[] = {
    [COARSE] = MPL_SYMBOL_PEER | MPL_SYMBOL_ROOT,
    [FINE] = MPL_SYMBOL_PEER | MPL_SYMBOL_ROOT | MPL_SYMBOL_TAG | MPL_SYMBOL_BYTES |
             MPL_SYMBOL_COMM,
};

/* What is compared: what is recorded, or what was asked for. */
static unsigned parts_of(const struct mpl_comparison *c, int level)
{
    return c->options.has_parts
               ? c->options.parts &
                     (level == FINE ? ~0U : parts[COARSE] | MPL_SYMBOL_RELATIVE)
               : parts[level];
}

const char *mpl_diff_verdict_name(enum mpl_diff_verdict verdict)
{
    static const char *const names[] = { "SAME", "DIFFERENT", "SLOWER", "FASTER",
                                         "NOT COMPARABLE" };

    return names[verdict];
}

static struct mpl_sequence_options options_of(unsigned with, const struct mpl_loose *loose)
{
    return (struct mpl_sequence_options){ .parts = with,
                                          .without_polls = true,
                                          .loose = loose };
}

static enum mpl_status make_level(struct mpl_comparison *c, unsigned with,
                                  const struct mpl_loose *loose, struct mpl_arena *arena,
                                  struct mpl_level *out, struct mpl_err *err)
{
    const struct mpl_sequence_options options = options_of(with, loose);
    const enum mpl_status st = mpl_sequences_create(c->diff.base->events, &options,
                                                    c->symbols, arena, &out->base, err);

    return st == MPL_OK ? mpl_sequences_create(c->diff.new->events, &options, c->symbols,
                                               arena, &out->new, err)
                        : st;
}

/* ---- where they go different ways ---------------------------------------------------------------- */

/* What is lost of a damaged trace is no difference of the program. */
static bool is_lost(const struct mpl_run *run, const struct mpl_sequence *sequences,
                    uint32_t l, uint32_t common)
{
    return run->model->locations[l].is_damaged && common == sequences[l].n;
}

/* False: they do not. */
bool mpl_level_differs(const struct mpl_comparison *c, const struct mpl_level *level,
                       uint32_t l, uint32_t *common)
{
    const struct mpl_sides sides = { .base = &level->base[l], .new = &level->new[l] };

    *common = mpl_sides_common(c, &sides);
    return (*common < sides.base->n || *common < sides.new->n) &&
           !is_lost(c->diff.base, level->base, l, *common) &&
           !is_lost(c->diff.new, level->new, l, *common);
}

/*
 * When the base does what the new run does not: the calls of a run follow from each other, and its clock is
 * corrected, so whoever is first here may be the cause of the others. A message that is received counts
 * when it is there, everything else when it begins.
 */
static void take_time(const struct mpl_comparison *c, const struct mpl_sequence *base,
                      struct mpl_divergence *change)
{
    const struct mpl_events *events = c->diff.base->events;
    const uint32_t l = change->location;
    const bool is_end = change->position >= base->n;
    const bool receives =
        !is_end &&
        mpl_symbols_get(c->symbols, c->base[l].symbols[change->position])->from != MPL_NONE;
    struct mpl_call_view view;

    if (is_end && mpl_events_call_count(events, l) == 0) {
        return;
    }
    mpl_events_call(events, l,
                    is_end ? mpl_events_call_count(events, l) - 1
                           : base->calls[change->position],
                    &view);
    change->base_event = is_end || receives ? view.last_event : view.first_event;
    change->base_s = mpl_model_seconds(
        c->diff.base->model,
        mpl_ticks_of(&c->diff.base->model->locations[l], change->base_event));
}

/* The coarsest level that shows the first difference. */
static int choose_level(const struct mpl_comparison *c, const struct mpl_level *levels,
                        struct mpl_divergence *change)
{
    uint32_t coarse;

    (void) mpl_level_differs(c, &levels[FINE], change->location, &change->position);
    return mpl_level_differs(c, &levels[COARSE], change->location, &coarse) &&
                   coarse == change->position
               ? COARSE
               : FINE;
}

/*
 * Both runs of all locations whose change is shown at \p which level; PLACE: of all. All at once, for which loops there are
 * depends on all that is folded: one location after the other would make it depend on their order.
 */
static enum mpl_status fold_sides(struct mpl_comparison *c, const struct mpl_level *levels,
                                  int which, const struct mpl_divergence *changes,
                                  const int *shown, size_t n, struct mpl_sides *sides,
                                  struct mpl_err *err)
{
    struct mpl_sequence *sequences = MPL_NEW_ARRAY(c->arena, 2 * n, struct mpl_sequence);
    struct mpl_folded *folded = MPL_NEW_ARRAY(c->arena, 2 * n, struct mpl_folded);
    size_t m = 0;

    if (sequences == NULL || folded == NULL) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < n; i++) {
        const uint32_t l = changes[i].location;

        if (which == PLACE || shown[i] == which) {
            sequences[m++] = levels[which].base[l];
            sequences[m++] = levels[which].new[l];
        }
    }
    enum mpl_status st = mpl_loops_fold(c->loops, sequences, m, folded, err);
    m = 0;
    for (size_t i = 0; i < n && st == MPL_OK; i++) {
        const uint32_t l = changes[i].location;

        if (which == PLACE || shown[i] == which) {
            sides[i] = (struct mpl_sides){ &levels[which].base[l], &levels[which].new[l],
                                           folded[m], folded[m + 1] };
            m += 2;
        }
    }
    return st;
}

/* Where sizes change from iteration to iteration, one iteration more is another way from there on; seen without sizes
   it is what it is. */
static enum mpl_status say_count(struct mpl_comparison *c, const struct mpl_level *levels,
                                 const struct mpl_sides *place,
                                 struct mpl_divergence *change, struct mpl_err *err)
{
    struct mpl_divergence count = { .location = change->location };
    uint32_t n[2];

    if (!mpl_level_differs(c, &levels[PLACE], change->location, &count.position)) {
        return MPL_OK;
    }
    enum mpl_status st = mpl_align(c, place, &count, err);
    if (st == MPL_OK && mpl_divergence_counts(&count, &n[0], &n[1])) {
        change->remark = mpl_arena_printf(
            c->arena, "All in all it takes %u iterations instead of %u", n[1], n[0]);
        st = change->remark == NULL ? mpl_nomem(err) : MPL_OK;
    }
    return st;
}

static enum mpl_status take_change(struct mpl_comparison *c, const struct mpl_level *levels,
                                   int i, const struct mpl_sides *place,
                                   const struct mpl_sides *sides,
                                   struct mpl_divergence *change, struct mpl_err *err)
{
    enum mpl_status st = mpl_align(c, sides, change, err);

    if (st == MPL_OK) {
        mpl_align_place(c, place, change);
        take_time(c, sides->base, change);
        st = i == FINE ? say_count(c, levels, place, change, err)
             : (parts_of(c, COARSE) & MPL_SYMBOL_RELATIVE) == 0
                 ? mpl_explain(c, levels[COARSE].new, change, err)
                 : MPL_OK;
    }
    return st;
}

/* Sizes that change from one iteration to the next make no loops: iterations are those of the coarse calls,
   which are as many as the fine ones. */
static enum mpl_status take_changes(struct mpl_comparison *c,
                                    const struct mpl_level *levels,
                                    struct mpl_divergence *changes, size_t n,
                                    struct mpl_err *err)
{
    int *shown = MPL_NEW_ARRAY(c->arena, n, int);
    struct mpl_sides *place = MPL_NEW_ARRAY(c->arena, n, struct mpl_sides);
    struct mpl_sides *sides = MPL_NEW_ARRAY(c->arena, n, struct mpl_sides);
    enum mpl_status st =
        shown == NULL || place == NULL || sides == NULL ? mpl_nomem(err) : MPL_OK;

    for (size_t i = 0; i < n && st == MPL_OK; i++) {
        shown[i] = choose_level(c, levels, &changes[i]);
    }
    st = st == MPL_OK ? fold_sides(c, levels, PLACE, changes, shown, n, place, err) : st;
    for (size_t i = 0; i < n && st == MPL_OK; i++) {
        sides[i] = place[i];
    }
    st = st == MPL_OK && c->options.has_parts
             ? fold_sides(c, levels, COARSE, changes, shown, n, sides, err)
             : st;
    st = st == MPL_OK ? fold_sides(c, levels, FINE, changes, shown, n, sides, err) : st;
    for (size_t i = 0; i < n && st == MPL_OK; i++) {
        st = take_change(c, levels, shown[i], &place[i], &sides[i], &changes[i], err);
    }
    return st;
}

static int by_time(const void *x, const void *y)
{
    const struct mpl_divergence *a = x;
    const struct mpl_divergence *b = y;

    if (a->base_s != b->base_s) {
        return a->base_s < b->base_s ? -1 : 1;
    }
    return (a->location > b->location) - (a->location < b->location);
}

/* What many processes do is looked at once in each configuration: it stands in one place. */
static enum mpl_status share(struct mpl_comparison *c, struct mpl_err *err)
{
    const size_t n = c->n_locations;
    struct mpl_sequence *all = MPL_NEW_ARRAY(c->arena, 2 * n, struct mpl_sequence);
    uint32_t *first = MPL_NEW_ARRAY(c->arena, 2 * n, uint32_t);

    for (size_t l = 0; l < n && all != NULL; l++) {
        all[l] = c->base[l];
        all[n + l] = c->new[l];
    }
    if (all == NULL || first == NULL || !mpl_sequences_find_equal(all, 2 * n, first)) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < 2 * n; i++) {
        all[i].symbols = all[first[i]].symbols;
    }
    c->base = all;
    c->new = all + n;
    return MPL_OK;
}

/* Only changes are looked at in less detail. */
static enum mpl_status make_coarse(struct mpl_comparison *c, struct mpl_level *levels,
                                   struct mpl_err *err)
{
    struct mpl_level *out = &levels[PLACE];
    enum mpl_status st = mpl_sequences_coarsen(c->base, c->n_locations, NULL, parts[COARSE],
                                               c->symbols, c->arena, &out->base, err);

    st = st == MPL_OK ? mpl_sequences_coarsen(c->new, c->n_locations, NULL, parts[COARSE],
                                              c->symbols, c->arena, &out->new, err)
                      : st;
    levels[COARSE] = *out;
    return st == MPL_OK && c->options.has_parts
               ? make_level(c, parts_of(c, COARSE), c->loose, c->arena, &levels[COARSE],
                            err)
               : st;
}

static enum mpl_status find_changes(struct mpl_comparison *c, struct mpl_level *levels,
                                    struct mpl_err *err)
{
    struct mpl_divergence *changes =
        MPL_NEW_ARRAY(c->arena, c->n_locations, struct mpl_divergence);
    size_t n = 0;
    uint32_t common;
    enum mpl_status st = changes == NULL ? mpl_nomem(err) : MPL_OK;

    for (uint32_t l = 0; l < c->n_locations && st == MPL_OK; l++) {
        if (mpl_level_differs(c, &levels[FINE], l, &common) &&
            !mpl_repeats_explain(c, &levels[FINE], l, common)) {
            changes[n++] = (struct mpl_divergence){ .location = l };
        }
    }
    if (st == MPL_OK && n > 0) {
        st = share(c, err);
        st = st == MPL_OK ? make_coarse(c, levels, err) : st;
        st = st == MPL_OK ? take_changes(c, levels, changes, n, err) : st;
    }
    n = st == MPL_OK && mpl_beside_explains(c, changes, n) ? 0 : n;
    c->diff.n_changes = n;
    c->diff.changes = changes;
    c->diff.verdict = n > 0 ? MPL_DIFF_DIFFERENT : MPL_DIFF_SAME;
    if (st == MPL_OK && n > 0) {
        st = mpl_vote(c, changes, err);
        qsort(changes, n, sizeof *changes, by_time);
        st = st == MPL_OK ? mpl_lead_choose(c, changes, n, err) : st;
    }
    return st;
}

static void count_calls(const struct mpl_comparison *c, const struct mpl_level *level,
                        uint64_t n[2])
{
    n[0] = n[1] = 0;
    for (uint32_t l = 0; l < c->n_locations; l++) {
        n[0] += level->base[l].n;
        n[1] += level->new[l].n;
    }
}

/* Of both runs, per location: calls with all that is recorded, what is left of them, and how often that changed. */
struct loosening {
    struct mpl_level firm;
    struct mpl_level *level;
    uint32_t *changes;
    bool *is_changed;
};

/* Looks again at those of which more is left to chance than before. */
static enum mpl_status update_level(struct mpl_comparison *c, struct loosening *x,
                                    struct mpl_arena *arena, struct mpl_err *err)
{
    for (uint32_t l = 0; l < c->n_locations; l++) {
        const uint32_t n = mpl_loose_changes_of(c->loose, l);

        x->is_changed[l] = n > x->changes[l];
        x->changes[l] = n;
    }
    const enum mpl_status st =
        mpl_sequences_loosen(c->diff.base->events, x->firm.base, c->loose, c->symbols,
                             x->is_changed, c->n_locations, arena, &x->level->base, err);
    return st == MPL_OK ? mpl_sequences_loosen(c->diff.new->events, x->firm.new, c->loose,
                                               c->symbols, x->is_changed, c->n_locations,
                                               arena, &x->level->new, err)
                        : st;
}

static enum mpl_status begin_loosening(struct mpl_comparison *c, struct mpl_arena *arena,
                                       struct loosening *x, struct mpl_err *err)
{
    x->changes = MPL_NEW_ARRAY(arena, c->n_locations, uint32_t);
    x->is_changed = MPL_NEW_ARRAY(arena, c->n_locations, bool);
    const enum mpl_status st = x->changes == NULL || x->is_changed == NULL
                                   ? mpl_nomem(err)
                                   : make_level(c, parts[FINE], NULL, arena, &x->firm, err);
    *x->level = x->firm;
    return st == MPL_OK && mpl_loose_changes(c->loose) > 0 ? update_level(c, x, arena, err)
                                                           : st;
}

/* Until nothing more is found that chance decides. \p firm: before anything was. */
static enum mpl_status loosen(struct mpl_comparison *c, struct mpl_arena *arena,
                              struct mpl_level *firm, struct mpl_level *level,
                              struct mpl_err *err)
{
    const struct mpl_sequence_options options = options_of(parts[FINE], c->loose);
    struct loosening x = { .level = level };
    bool has_more = true;
    enum mpl_status st = begin_loosening(c, arena, &x, err);

    if (st == MPL_OK) {
        count_calls(c, level, c->n_calls);
    }
    for (int i = 0; i < MOST_ROUNDS && has_more && st == MPL_OK; i++) {
        st = mpl_arrival_find(c, &options, level, &has_more, err);
        st = st == MPL_OK && has_more ? update_level(c, &x, arena, err) : st;
    }
    if (st == MPL_OK) {
        count_calls(c, level, c->n_compared);
    }
    *firm = x.firm;
    return st;
}

enum mpl_status mpl_fine_make(struct mpl_comparison *c, struct mpl_arena *arena,
                              struct mpl_level *out, struct mpl_err *err)
{
    return make_level(c, parts_of(c, FINE), c->loose, arena, out, err);
}

enum mpl_status mpl_fine_loosen(struct mpl_comparison *c, struct mpl_err *err)
{
    struct mpl_arena *scratch = mpl_arena_create();
    struct mpl_level firm;
    struct mpl_level level;
    const enum mpl_status st =
        scratch == NULL ? mpl_nomem(err) : loosen(c, scratch, &firm, &level, err);

    mpl_arena_destroy(scratch);
    return st;
}

/* Once something is left to chance, more may turn out to follow from it. */
static enum mpl_status make_levels(struct mpl_comparison *c, struct mpl_level *levels,
                                   struct mpl_err *err)
{
    const struct mpl_model *model = c->diff.base->model;

    c->takes_any = MPL_NEW_ARRAY(c->arena, model->n_processes, bool);
    c->looseness = MPL_NEW_ARRAY(c->arena, model->n_locations, enum mpl_looseness);
    enum mpl_status st = c->takes_any == NULL || c->looseness == NULL
                             ? mpl_nomem(err)
                             : mpl_repeats_loosen(c, err);
    st = st == MPL_OK ? loosen(c, c->arena, &c->firm, &levels[FINE], err) : st;
    c->base = levels[FINE].base;
    c->new = levels[FINE].new;
    st = st == MPL_OK && c->options.has_parts
             ? mpl_fine_make(c, c->arena, &levels[FINE], err)
             : st;
    return st == MPL_OK ? mpl_repeats_find_forks(c, err) : st;
}

static enum mpl_status compare_calls(struct mpl_comparison *c, struct mpl_level *levels,
                                     struct mpl_err *err)
{
    enum mpl_status st = make_levels(c, levels, err);

    st = st == MPL_OK ? find_changes(c, levels, err) : st;
    return st == MPL_OK ? mpl_repeats_count(c, err) : st;
}

static enum mpl_status compare_locations(struct mpl_comparison *c, struct mpl_err *err)
{
    struct mpl_level levels[LEVELS];
    enum mpl_status st = compare_calls(c, levels, err);
    bool is_same_work = true;

    /* What happens now and then only is shown by a run in which it does. */
    if (st == MPL_OK && c->diff.n_changes == 0 && c->changed_run != NULL) {
        c->diff.new = c->changed_run;
        st = compare_calls(c, levels, err);
    }
    st = st == MPL_OK ? mpl_repeats_note(c, err) : st;
    /* Who computes for fewer calls does not compute faster. */
    for (uint32_t l = 0; st == MPL_OK && l < c->n_locations; l++) {
        is_same_work = is_same_work && levels[FINE].base[l].n == levels[FINE].new[l].n;
    }
    st = st == MPL_OK && is_same_work
             ? mpl_loads_compare(c, levels[FINE].base, levels[FINE].new, err)
             : st;
    return st == MPL_OK ? mpl_comparable_note(c, err) : st;
}

static enum mpl_status compare(struct mpl_comparison *c, struct mpl_err *err)
{
    enum mpl_status st = mpl_comparable_check(c, err);

    if (st == MPL_OK && c->diff.reason == NULL) {
        st = c->diff.n_roles > 0 ? mpl_roles_note(c, err) : compare_locations(c, err);
        if (st == MPL_OK) {
            mpl_loads_judge(&c->diff);
        }
    }
    c->diff.n_notes = c->notes.n;
    c->diff.notes = c->notes.data;
    return st;
}

enum mpl_status mpl_diff_create(const struct mpl_diff_runs *base,
                                const struct mpl_diff_runs *new,
                                const struct mpl_diff_options *options,
                                struct mpl_comparison **out, struct mpl_err *err)
{
    struct mpl_arena *arena = mpl_arena_create();
    struct mpl_comparison *c = arena == NULL ? NULL : MPL_NEW(arena, struct mpl_comparison);

    if (c == NULL) {
        mpl_arena_destroy(arena);
        return mpl_nomem(err);
    }
    *out = c;
    c->arena = arena;
    c->notes = mpl_buf_make(sizeof(const char *));
    c->symbols = mpl_symbols_create();
    c->loops = mpl_loops_create(MPL_FILTER_K, arena);
    c->loose = mpl_loose_create(arena);
    c->options = *options;
    c->diff.symbols = c->symbols;
    c->diff.loops = c->loops;
    if (c->symbols == NULL || c->loops == NULL || c->loose == NULL) {
        return mpl_nomem(err);
    }
    const enum mpl_status st = mpl_sides_take(c, base, new, options, err);
    return st == MPL_OK ? compare(c, err) : st;
}

const struct mpl_diff *mpl_diff_get(const struct mpl_comparison *comparison)
{
    return &comparison->diff;
}

void mpl_diff_destroy(struct mpl_comparison *comparison)
{
    if (comparison != NULL) {
        mpl_buf_free(&comparison->notes);
        mpl_symbols_destroy(comparison->symbols);
        mpl_loops_destroy(comparison->loops);
        mpl_loose_close(comparison->loose);
        mpl_arena_destroy(comparison->arena);
    }
}
