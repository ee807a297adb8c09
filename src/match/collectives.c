#include "config.h"

#include "match/match_priv.h"

#include <stdlib.h>

/*
 * The n-th collective of a process on a communicator belongs to the n-th of every other
 * member: MPI allows no other order. So a part's instance is known from counting alone, and
 * all instances are numbered before any of them is filled. Parts without an end carry no
 * communicator, hence no place in a sequence; all members lack the same operations (those that
 * a tracer does not complete), or lack their last ones (a killed run), so the sequences still
 * agree.
 */

struct work {
    struct mpl_matcher *m;
    struct mpl_turns turns;
    /* The memberships of process p are member[first_member[p]] up to first_member[p + 1]. */
    uint32_t *first_member;
    struct membership {
        uint32_t comm;
        uint32_t rank;
    } * member;
    uint32_t *rank_in; /* Per communicator: rank of the process at hand, or MPL_NONE. */
    uint32_t *n_own;   /* Per communicator: collectives of the process at hand so far. */
    uint32_t
        *n_longest; /* Per communicator: longest sequence; of a self one: sum of all. */
    uint32_t *base; /* Per communicator: its first instance. */
    struct mpl_coll_instance *instance;
    struct mpl_coll_part *part;
    uint64_t n_parts;
};

typedef void (*take_part)(struct work *w, uint32_t location, uint32_t collective);

/* ---- who is in what ------------------------------------------------------------- */

static void count_members(struct work *w, const uint32_t *members, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        w->first_member[members[i] + 2]++;
    }
}

static void add_members(struct work *w, uint32_t comm, const uint32_t *members, uint32_t n,
                        uint32_t first_rank)
{
    for (uint32_t i = 0; i < n; i++) {
        w->member[w->first_member[members[i] + 1]++] =
            (struct membership){ comm, first_rank + i };
    }
}

/* Turns "who is in this communicator" round; as long as all groups together. */
static enum mpl_status list_memberships(struct work *w, struct mpl_err *err)
{
    const struct mpl_model *model = w->m->model;

    w->first_member =
        MPL_NEW_ARRAY(w->m->scratch, (size_t) model->n_processes + 2, uint32_t);
    if (w->first_member == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t c = 0; c < model->n_comms; c++) {
        const struct mpl_comm *comm = &model->comms[c];

        count_members(w, comm->members, comm->is_self ? 0 : comm->n_members);
        count_members(w, comm->remote, comm->n_remote);
    }
    for (uint32_t p = 0; p < model->n_processes; p++) {
        w->first_member[p + 2] += w->first_member[p + 1];
    }
    w->member = MPL_NEW_ARRAY(w->m->scratch, w->first_member[model->n_processes + 1],
                              struct membership);
    if (w->member == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t c = 0; c < model->n_comms; c++) {
        const struct mpl_comm *comm = &model->comms[c];

        add_members(w, c, comm->members, comm->is_self ? 0 : comm->n_members, 0);
        add_members(w, c, comm->remote, comm->n_remote, comm->n_members);
    }
    return MPL_OK;
}

static void enter_process(struct work *w, uint32_t process)
{
    for (uint32_t i = w->first_member[process]; i < w->first_member[process + 1]; i++) {
        w->rank_in[w->member[i].comm] = w->member[i].rank;
        w->n_own[w->member[i].comm] = 0;
    }
}

/* ---- order ------------------------------------------------------------------------ */

static int64_t begun_at(const struct mpl_model *model, uint32_t location,
                        uint32_t collective)
{
    const struct mpl_collective *c = &model->locations[location].collectives[collective];

    return mpl_turn_time(model, location, c->begin != MPL_NONE ? c->begin : c->end);
}

static void walk_threads(struct work *w, const struct mpl_process *process, take_part take)
{
    const struct mpl_model *model = w->m->model;
    struct mpl_turns *turns = &w->turns;

    turns->n = 0;
    for (uint32_t t = 0; t < process->n_locations; t++) {
        const uint32_t l = process->locations[t];

        if (model->locations[l].n_collectives > 0) {
            mpl_turns_add(turns, (struct mpl_turn){ begun_at(model, l, 0), l, 0 });
        }
    }
    while (turns->n > 0) {
        struct mpl_turn turn = turns->turn[0];

        take(w, turn.location, turn.item);
        turn.item++;
        if (turn.item < model->locations[turn.location].n_collectives) {
            turn.time_ticks = begun_at(model, turn.location, turn.item);
            mpl_turns_replace(turns, turn);
        } else {
            mpl_turns_drop(turns);
        }
    }
}

static void walk_all(struct work *w, take_part take)
{
    const struct mpl_model *model = w->m->model;

    for (uint32_t p = 0; p < model->n_processes; p++) {
        enter_process(w, p);
        walk_threads(w, &model->processes[p], take);
        for (uint32_t i = w->first_member[p]; i < w->first_member[p + 1]; i++) {
            w->rank_in[w->member[i].comm] = MPL_NONE;
        }
    }
}

/* ---- sequences ---------------------------------------------------------------------- */

/* Notes a part's place in its sequence where its instance comes to stand. */
static void count_part(struct work *w, uint32_t location, uint32_t collective)
{
    struct mpl_matcher *m = w->m;
    const uint32_t c = m->model->locations[location].collectives[collective].comm;
    uint32_t *place = &m->instance[m->first_collective[location] + collective];

    if (c == MPL_NONE) {
        return;
    }
    if (m->model->comms[c].is_self) {
        *place = w->n_longest[c]++;
    } else if (w->rank_in[c] == MPL_NONE) {
        m->n_outsiders[location]++;
        return;
    } else {
        *place = w->n_own[c]++;
        w->n_longest[c] = w->n_own[c] > w->n_longest[c] ? w->n_own[c] : w->n_longest[c];
    }
    w->n_parts++;
}

static enum mpl_status number_instances(struct work *w, struct mpl_err *err)
{
    const struct mpl_model *model = w->m->model;
    uint64_t n = 0;

    for (uint32_t c = 0; c < model->n_comms; c++) {
        w->base[c] = (uint32_t) n;
        n += w->n_longest[c];
    }
    /* At most one instance per part, and those are fewer than MPL_NONE. */
    mpl_assert(n < MPL_NONE);
    w->instance = MPL_NEW_ARRAY(w->m->arena, n, struct mpl_coll_instance);
    w->part = MPL_NEW_ARRAY(w->m->arena, w->n_parts, struct mpl_coll_part);
    if (w->instance == NULL || w->part == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t c = 0; c < model->n_comms; c++) {
        for (uint32_t i = 0; i < w->n_longest[c]; i++) {
            w->instance[w->base[c] + i] =
                (struct mpl_coll_instance){ .comm = c, .root = MPL_NONE };
        }
    }
    w->m->match->n_instances = (uint32_t) n;
    w->m->match->instances = w->instance;
    w->m->match->parts = w->part;
    return MPL_OK;
}

/* ---- parts ----------------------------------------------------------------------------- */

/* Makes room for the parts of each instance, one instance behind another. */
static void lay_out_parts(struct work *w)
{
    const struct mpl_model *model = w->m->model;
    uint32_t n = 0;

    for (uint32_t l = 0; l < model->n_locations; l++) {
        uint32_t *place = w->m->instance + w->m->first_collective[l];

        for (uint32_t i = 0; i < model->locations[l].n_collectives; i++) {
            if (place[i] != MPL_NONE) {
                place[i] += w->base[model->locations[l].collectives[i].comm];
                w->instance[place[i]].n_parts++;
            }
        }
    }
    for (uint32_t i = 0; i < w->m->match->n_instances; i++) {
        w->instance[i].first_part = n;
        n += w->instance[i].n_parts;
        w->instance[i].n_parts = 0;
    }
}

static void fill_part(struct work *w, uint32_t location, uint32_t collective)
{
    const uint32_t place = w->m->instance[w->m->first_collective[location] + collective];

    if (place == MPL_NONE) {
        return;
    }

    struct mpl_coll_instance *instance = &w->instance[place];
    const uint32_t rank =
        w->m->model->comms[instance->comm].is_self ? 0 : w->rank_in[instance->comm];

    w->part[instance->first_part + instance->n_parts++] =
        (struct mpl_coll_part){ location, collective, rank };
}

static int compare_ranks(const void *a, const void *b)
{
    const struct mpl_coll_part *one = a;
    const struct mpl_coll_part *other = b;

    return (one->rank > other->rank) - (one->rank < other->rank);
}

/* Processes come in world order, which is the order of most communicators, too. */
static void sort_parts(struct mpl_coll_part *part, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        if (part[i].rank < part[i - 1].rank) {
            qsort(part, n, sizeof *part, compare_ranks);
            return;
        }
    }
}

/*
 * An instance is what its first part says; a part that says otherwise makes it unusable. The
 * groups of an inter-communicator see its root differently (the receiving group names the
 * root, the root's own says "me" or "nobody"), so there the first root that is named holds.
 */
static bool agree(struct work *w, struct mpl_coll_instance *instance)
{
    const struct mpl_model *model = w->m->model;
    const struct mpl_coll_part *part = w->part + instance->first_part;
    bool does_agree = true;

    for (uint32_t i = 0; i < instance->n_parts; i++) {
        const struct mpl_collective *c =
            &model->locations[part[i].location].collectives[part[i].collective];

        instance->op = i == 0 ? c->op : instance->op;
        instance->root = instance->root == MPL_NONE ? c->root : instance->root;
        does_agree &=
            c->op == instance->op && (c->root == MPL_NONE || c->root == instance->root);
    }
    return does_agree;
}

static void note_parts(const struct work *w, const struct mpl_coll_instance *instance,
                       const char *note, const char *text)
{
    for (uint32_t i = 0; i < instance->n_parts; i++) {
        mpl_quality_add(w->m->model->quality, note,
                        w->part[instance->first_part + i].location, i == 0 ? 1 : 0, "%s",
                        text);
    }
}

static void close_instances(struct work *w)
{
    struct mpl_match_counts *counts = &w->m->match->counts;

    for (uint32_t i = 0; i < w->m->match->n_instances; i++) {
        struct mpl_coll_instance *instance = &w->instance[i];
        const struct mpl_comm *comm = &w->m->model->comms[instance->comm];
        const uint32_t n = comm->is_self ? 1 : comm->n_members + comm->n_remote;

        sort_parts(w->part + instance->first_part, instance->n_parts);
        const bool does_agree = agree(w, instance);
        instance->is_complete = does_agree && instance->n_parts == n;
        counts->collectives++;
        counts->incomplete_collectives += instance->is_complete ? 0 : 1;
        if (!does_agree) {
            note_parts(
                w, instance, "collective-mismatch",
                "The members of a communicator are recorded in different collective "
                "operations at the same place in its sequence (lost events, or an error "
                "of the program); waiting in these is not judged.");
        } else if (!instance->is_complete) {
            note_parts(
                w, instance, "unmatched-collective",
                "Collective operations without the part of some member; who came last "
                "to them is not known, so waiting in them is not judged.");
        }
    }
}

static enum mpl_status make_tables(struct work *w, struct mpl_err *err)
{
    const struct mpl_model *model = w->m->model;
    struct mpl_arena *scratch = w->m->scratch;

    w->turns.turn = MPL_NEW_ARRAY(scratch, mpl_match_most_threads(model), struct mpl_turn);
    w->rank_in = MPL_NEW_ARRAY(scratch, model->n_comms, uint32_t);
    w->n_own = MPL_NEW_ARRAY(scratch, model->n_comms, uint32_t);
    w->n_longest = MPL_NEW_ARRAY(scratch, model->n_comms, uint32_t);
    w->base = MPL_NEW_ARRAY(scratch, model->n_comms, uint32_t);
    if (mpl_arena_is_short(scratch)) {
        return mpl_nomem(err);
    }
    for (uint32_t c = 0; c < model->n_comms; c++) {
        w->rank_in[c] = MPL_NONE;
    }
    return list_memberships(w, err);
}

enum mpl_status mpl_match_collectives(struct mpl_matcher *matcher, struct mpl_err *err)
{
    struct work w = { .m = matcher };
    enum mpl_status st = make_tables(&w, err);

    if (st != MPL_OK) {
        return st;
    }
    walk_all(&w, count_part);
    st = number_instances(&w, err);
    if (st != MPL_OK) {
        return st;
    }
    lay_out_parts(&w);
    walk_all(&w, fill_part);
    close_instances(&w);
    return MPL_OK;
}
