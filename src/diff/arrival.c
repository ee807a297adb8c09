/*
 * What differs by chance. Programs ask for their messages by name, or take what comes first, or ask whether
 * something has come and do something else if not. Then the order of their calls, with whom, and how
 * many there are, differs from run to run. None of that is recorded as such, but where two runs
 * begin to differ shows it:
 *
 * - a receive met another sender, whose message it could have met in both runs: a race;
 * - the call before asks what has come (MPI_Test, MPI_Iprobe, MPI_Waitany);
 * - the call before is one about which chance has decided, or takes the message of such a one: a worker
 *   goes on or ends as its master says.
 *
 * What differs there is no longer compared: first with whom and how much, then at all; and the runs are compared
 * anew, until they are alike or differ for another reason. Collectives of all processes always count. Those of some of them,
 * such as a group that gets more tasks, are left to chance where one run has more of them, and all members agree in that: in
 * both runs none of them misses any. An end in a call that never returns counts, too: nobody does that by chance.
 */
#include "config.h"

#include "diff/diff_priv.h"

#include <string.h>

/* Loops of which fewer items than this share of the calls are left make a sequence regular. */
static const double most_unfolded = 0.05;

/* Where the sequences of a location begin to differ. */
struct place {
    uint32_t location;
    uint32_t i;
    const struct mpl_sequence *base;
    const struct mpl_sequence *new;
    const struct mpl_symbol *base_symbol; /* NULL: nothing more. */
    const struct mpl_symbol *new_symbol;
    bool is_after_chance; /* By what was known before this round. */
};

static const struct mpl_symbol *symbol_at(const struct mpl_comparison *c,
                                          const struct mpl_sequence *s, uint32_t i)
{
    return i < s->n ? mpl_symbols_get(c->symbols, s->symbols[i]) : NULL;
}

/* Instead of a call that asks for a message the one that takes it. */
static uint32_t behind_probe(const struct mpl_run *run, uint32_t l,
                             const struct mpl_sequence *s, uint32_t i)
{
    struct mpl_call_view view;

    if (i + 1 >= s->n) {
        return i;
    }
    mpl_events_call(run->events, l, s->calls[i], &view);
    return i + view.is_probe;
}

/* Ends in a call that never returns, or works on for ever. */
static bool is_stuck(const struct mpl_run *run, uint32_t l, const struct mpl_sequence *s,
                     uint32_t i)
{
    const uint32_t p = run->model->locations[l].process;

    return i >= s->n && run->halt != NULL && run->halt->places[p].state != MPL_HALT_OVER;
}

static bool is_collective(const struct mpl_run *run, uint32_t l,
                          const struct mpl_sequence *s, uint32_t i)
{
    struct mpl_call_view view;

    if (i >= s->n) {
        return false;
    }
    mpl_events_call(run->events, l, s->calls[i], &view);
    return run->model->regions[view.region].kind != MPL_REGION_MPI_P2P;
}

/* ---- collectives of some processes -------------------------------------------------------------------- */

/* Whether all members take part in all collectives of a communicator. */
static bool is_complete(const struct mpl_run *run, uint32_t comm)
{
    const struct mpl_match *match = run->match;

    for (uint32_t i = 0; i < match->n_instances; i++) {
        if (match->instances[i].comm == comm && !match->instances[i].is_complete) {
            return false;
        }
    }
    return true;
}

/* Whether a run has communicators of that name, which have some of the processes, and whose members agree. */
static bool has_agreed(const struct mpl_run *run, const char *name)
{
    const struct mpl_model *model = run->model;
    bool has_any = false;

    for (uint32_t i = 0; i < model->n_comms; i++) {
        const struct mpl_comm *comm = &model->comms[i];

        if (comm->name == NULL || strcmp(comm->name, name) != 0) {
            continue;
        }
        if (comm->is_self || comm->n_remote > 0 || comm->n_members >= model->n_processes ||
            !is_complete(run, i)) {
            return false;
        }
        has_any = true;
    }
    return has_any;
}

/* Whether chance may decide how often some processes do that together. */
static bool is_of_some(const struct mpl_comparison *c, const struct mpl_symbol *s)
{
    const char *name =
        s->comm == MPL_NONE ? NULL : mpl_symbols_name_text(c->symbols, s->comm);

    return name != NULL && s->to == MPL_NONE && s->from == MPL_NONE &&
           has_agreed(c->diff.base, name) && has_agreed(c->diff.new, name);
}

/* ---- how it can be chance --------------------------------------------------------------------------- */

/* Makes nearly all of its calls in loops. */
static enum mpl_status is_regular(const struct mpl_sequence *s, bool *is,
                                  struct mpl_err *err)
{
    struct mpl_arena *scratch = mpl_arena_create();
    struct mpl_loops *loops =
        scratch == NULL ? NULL : mpl_loops_create(MPL_FILTER_K, scratch);
    struct mpl_folded folded = { 0, NULL };
    const enum mpl_status st =
        loops == NULL ? mpl_nomem(err) : mpl_loops_fold(loops, s, 1, &folded, err);

    *is = st == MPL_OK && (double) folded.n <= most_unfolded * s->n;
    mpl_loops_destroy(loops);
    mpl_arena_destroy(scratch);
    return st;
}

/* Messages with other tags race only where the program takes any, which regular ones do not. */
static enum mpl_status takes_tags(const struct place *p, bool *does, struct mpl_err *err)
{
    bool is_base = false;
    bool is_new = false;
    enum mpl_status st = MPL_OK;

    if (p->base_symbol->tag != p->new_symbol->tag) {
        st = is_regular(p->base, &is_base, err);
        st = st == MPL_OK ? is_regular(p->new, &is_new, err) : st;
    }
    *does = !is_base || !is_new;
    return st;
}

/* Whether one of two receives could have met the message of the other one. In one of the runs that may come later for
   another reason, or never. */
static enum mpl_status could_meet(const struct mpl_comparison *c,
                                  const struct mpl_other_sender *in_base,
                                  const struct mpl_other_sender *in_new, bool *could,
                                  struct mpl_err *err)
{
    struct mpl_race_look base;
    struct mpl_race_look new;
    enum mpl_status st = mpl_race_look(c->diff.base, in_base, &base, err);

    *could = base.is_possible;
    if (st != MPL_OK || *could) {
        return st;
    }
    st = mpl_race_look(c->diff.new, in_new, &new, err);
    *could = new.is_possible || (!base.is_impossible && !new.is_impossible);
    return st;
}

static enum mpl_status is_race(const struct mpl_comparison *c, const struct place *p,
                               bool *is_open, struct mpl_err *err)
{
    const struct mpl_symbol *a = p->base_symbol;
    const struct mpl_symbol *b = p->new_symbol;

    *is_open = a != NULL && b != NULL && a->function == b->function && a->comm == b->comm &&
               a->to == MPL_NONE && b->to == MPL_NONE && a->from != MPL_NONE &&
               b->from != MPL_NONE && a->from != b->from;
    if (!*is_open) {
        return MPL_OK;
    }

    const struct mpl_other_sender in_base = { p->location, p->base->calls[p->i], b->from,
                                              b->tag };
    const struct mpl_other_sender in_new = { p->location, p->new->calls[p->i], a->from,
                                             a->tag };
    bool has_names = false;
    enum mpl_status st = mpl_race_has_names(c->diff.base, &in_base, &has_names, err);

    st = st == MPL_OK && !has_names
             ? mpl_race_has_names(c->diff.new, &in_new, &has_names, err)
             : st;
    *is_open = false;
    if (st == MPL_OK && !has_names) {
        st = could_meet(c, &in_base, &in_new, is_open, err);
    }
    return st == MPL_OK && *is_open ? takes_tags(p, is_open, err) : st;
}

/* A call about which chance has decided before comes where it did not. */
static bool is_loose(const struct mpl_comparison *c, const struct place *p,
                     const struct mpl_symbol *s)
{
    return s != NULL && mpl_loose_get(c->loose, p->location, s) >= MPL_LOOSE_PEER;
}

static bool is_same_kind(const struct mpl_symbol *a, const struct mpl_symbol *b)
{
    return a != NULL && b != NULL && a->function == b->function && a->comm == b->comm &&
           a->tag == b->tag;
}

static enum mpl_status is_by_chance(const struct mpl_comparison *c, const struct place *p,
                                    bool *is_chance, struct mpl_err *err)
{
    /* Who takes messages as they come does what they ask for, if only later. */
    *is_chance = p->is_after_chance || is_loose(c, p, p->base_symbol) ||
                 is_loose(c, p, p->new_symbol) ||
                 c->takes_any[c->diff.base->model->locations[p->location].process];
    return *is_chance ? MPL_OK : is_race(c, p, is_chance, err);
}

/* ---- what is no longer compared ----------------------------------------------------------------------- */

/* Whether symbols are of a kind, and with the same partner; what was found of some of them. */
enum { MOST_FOUND = 64 };
struct kin {
    const struct mpl_comparison *c;
    const struct mpl_symbol *kind;
    struct {
        uint32_t symbol; /* 1 + it; 0: none yet. */
        bool is_kin;
    } found[MOST_FOUND];
};

static bool is_kin(struct kin *x, uint32_t symbol)
{
    if (x->found[symbol % MOST_FOUND].symbol != symbol + 1) {
        const struct mpl_symbol *s = mpl_symbols_get(x->c->symbols, symbol);

        x->found[symbol % MOST_FOUND].symbol = symbol + 1;
        x->found[symbol % MOST_FOUND].is_kin =
            is_same_kind(s, x->kind) && s->to == x->kind->to && s->from == x->kind->from;
    }
    return x->found[symbol % MOST_FOUND].is_kin;
}

/* Calls of that kind, and with that partner, in the new run more than in the base. What both begin with counts in neither, but
   for a last call without records, see mpl_sides_common(). */
static int64_t surplus(const struct mpl_comparison *c, const struct place *p,
                       const struct mpl_symbol *kind)
{
    const uint32_t first = p->i > 0 ? p->i - 1 : 0;
    struct kin x = { .c = c, .kind = kind };
    int64_t n = 0;

    for (uint32_t i = first; i < p->base->n; i++) {
        n -= is_kin(&x, p->base->symbols[i]);
    }
    for (uint32_t i = first; i < p->new->n; i++) {
        n += is_kin(&x, p->new->symbols[i]);
    }
    return n;
}

static bool loosen_call(struct mpl_comparison *c, const struct place *p,
                        const struct mpl_symbol *kind)
{
    const bool has_peer = kind->to != MPL_NONE || kind->from != MPL_NONE;

    c->looseness[p->location] = MPL_LOOSE_CALL;
    return mpl_loose_put(c->loose, p->location, kind, has_peer, MPL_LOOSE_CALL);
}

/* Whether a call counts in any case. */
static bool is_fixed_call(const struct mpl_comparison *c, const struct place *p,
                          const struct mpl_run *run, const struct mpl_sequence *s,
                          const struct mpl_symbol *symbol)
{
    return symbol == NULL || (is_collective(run, p->location, s, p->i) &&
                              (surplus(c, p, symbol) == 0 || !is_of_some(c, symbol)));
}

/* Of the two calls the one of which there are more in one run; of both, or none, both. */
static bool loosen(struct mpl_comparison *c, const struct place *p)
{
    const bool is_fixed[] = {
        is_fixed_call(c, p, c->diff.base, p->base, p->base_symbol),
        is_fixed_call(c, p, c->diff.new, p->new, p->new_symbol),
    };
    const bool differs[] = { !is_fixed[0] && surplus(c, p, p->base_symbol) != 0,
                             !is_fixed[1] && surplus(c, p, p->new_symbol) != 0 };
    const bool has_any = differs[0] || differs[1];

    if (is_same_kind(p->base_symbol, p->new_symbol) &&
        mpl_loose_get(c->loose, p->location, p->base_symbol) == MPL_FIRM) {
        /* Whom and how much first: true for all partners, since nobody of them is special. */
        c->takes_any[c->diff.base->model->locations[p->location].process] = true;
        if (c->looseness[p->location] == MPL_FIRM) {
            c->looseness[p->location] = MPL_LOOSE_PEER;
        }
        return mpl_loose_put(c->loose, p->location, p->base_symbol, false, MPL_LOOSE_PEER);
    }
    return (is_fixed[0] || (has_any && !differs[0]) || loosen_call(c, p, p->base_symbol)) &&
           (is_fixed[1] || (has_any && !differs[1]) || loosen_call(c, p, p->new_symbol));
}

static enum mpl_status look_at(struct mpl_comparison *c, struct place *p,
                               struct mpl_err *err)
{
    bool is_chance = false;

    if (is_stuck(c->diff.base, p->location, p->base, p->i) ||
        is_stuck(c->diff.new, p->location, p->new, p->i)) {
        return MPL_OK;
    }
    p->base_symbol =
        symbol_at(c, p->base, behind_probe(c->diff.base, p->location, p->base, p->i));
    p->new_symbol =
        symbol_at(c, p->new, behind_probe(c->diff.new, p->location, p->new, p->i));
    const enum mpl_status st = is_by_chance(c, p, &is_chance, err);
    if (st == MPL_OK && is_chance && p->base_symbol != NULL && p->new_symbol != NULL &&
        p->base_symbol->from != MPL_NONE && p->new_symbol->from != MPL_NONE &&
        p->base_symbol->from != p->new_symbol->from) {
        c->takes_any[c->diff.base->model->locations[p->location].process] = true;
    }
    return st == MPL_OK && is_chance && !loosen(c, p) ? mpl_nomem(err) : st;
}

/* Where locations begin to differ. What is found at one of them must not change what is seen at the next one, so all
   are asked first whether chance decides there. */
static enum mpl_status find_places(const struct mpl_comparison *c,
                                   const struct mpl_sequence_options *options,
                                   const struct mpl_level *level, struct mpl_arena *scratch,
                                   struct place *places, uint32_t *n, struct mpl_err *err)
{
    struct mpl_decisions *base =
        mpl_decisions_create(c->diff.base->events, options, c->symbols, scratch);
    struct mpl_decisions *new =
        mpl_decisions_create(c->diff.new->events, options, c->symbols, scratch);
    bool is_done = base != NULL && new != NULL;

    *n = 0;
    for (uint32_t l = 0; l < c->n_locations && is_done; l++) {
        const struct mpl_sides sides = { .base = &level->base[l], .new = &level->new[l] };
        struct place *p = &places[*n];
        bool is_new = false;

        *p = (struct place){ .location = l,
                             .i = mpl_sides_common(c, &sides),
                             .base = sides.base,
                             .new = sides.new };
        if (p->i < p->base->n || p->i < p->new->n) {
            is_done = mpl_decisions_look(base, l, p->base, p->i, &p->is_after_chance) &&
                      mpl_decisions_look(new, l, p->new, p->i, &is_new);
            p->is_after_chance = p->is_after_chance || is_new;
            ++*n;
        }
    }
    return is_done ? MPL_OK : mpl_nomem(err);
}

enum mpl_status mpl_arrival_find(struct mpl_comparison *c,
                                 const struct mpl_sequence_options *options,
                                 const struct mpl_level *level, bool *has_more,
                                 struct mpl_err *err)
{
    const size_t before = mpl_loose_changes(c->loose);
    struct mpl_arena *scratch = mpl_arena_create();
    struct place *places =
        scratch == NULL ? NULL : MPL_NEW_ARRAY(scratch, c->n_locations, struct place);
    uint32_t n = 0;
    enum mpl_status st = places == NULL
                             ? mpl_nomem(err)
                             : find_places(c, options, level, scratch, places, &n, err);

    for (uint32_t i = 0; i < n && st == MPL_OK; i++) {
        st = look_at(c, &places[i], err);
    }
    mpl_arena_destroy(scratch);
    st = st == MPL_OK ? mpl_beside_find(c, level->base, level->new, err) : st;
    *has_more = mpl_loose_changes(c->loose) > before;
    return st;
}

/* "Rank 3", "Ranks 1, 2 and 4", "Ranks 0, 1, 2 and 5 others": of locations with that level. */
static const char *name_all(const struct mpl_comparison *c, enum mpl_looseness level)
{
    enum { MOST_NAMED = 3 };
    const char *text = "";
    uint32_t n = 0;
    uint32_t k = 0;

    for (uint32_t l = 0; l < c->n_locations; l++) {
        n += c->looseness[l] == level;
    }
    for (uint32_t l = 0; l < c->n_locations && text != NULL && k < n; l++) {
        const bool is_last = k + 1 == n;
        const char *sign = k == 0 ? n == 1 ? "Rank " : "Ranks " : is_last ? " and " : ", ";

        if (c->looseness[l] != level) {
            continue;
        }
        if (k == MOST_NAMED && !is_last) {
            return mpl_arena_printf(c->arena, "%s and %u others", text, n - k);
        }
        text = mpl_arena_printf(c->arena, "%s%s%s", text, sign,
                                c->diff.base->model->locations[l].label);
        k++;
    }
    return text;
}

/* Nothing where no location has that level. */
static enum mpl_status note(struct mpl_comparison *c, enum mpl_looseness level,
                            const char *text, struct mpl_err *err)
{
    const char *who = name_all(c, level);

    if (who != NULL && who[0] == '\0') {
        return MPL_OK;
    }
    return mpl_comparison_note(c,
                               who == NULL || text == NULL
                                   ? NULL
                                   : mpl_arena_printf(c->arena, "%s: %s", who, text),
                               err);
}

static unsigned long long left_out(const struct mpl_comparison *c, int run)
{
    return c->n_calls[run] - c->n_compared[run];
}

enum mpl_status mpl_arrival_note(struct mpl_comparison *c, struct mpl_err *err)
{
    enum mpl_status st = note(
        c, MPL_LOOSE_PEER,
        "with whom messages are exchanged, and of what size, depends on what comes first, "
        "and is not compared.",
        err);

    st = st == MPL_OK ? mpl_beside_note(c, err) : st;
    return st != MPL_OK ? st
                        : note(c, MPL_LOOSE_CALL,
                               mpl_arena_printf(
                                   c->arena,
                                   "which calls are made, and how many, depends on what "
                                   "comes first, there or where messages come from. Not "
                                   "compared: %llu calls of the base, %llu of the new run.",
                                   left_out(c, 0), left_out(c, 1)),
                               err);
}
