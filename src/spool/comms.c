/*
 * Communicators of all processes. Each process wrote down how one came about: of which parent, by the how many-th call on it,
 * and who is the first member. That is the same for all members and for no other communicator.
 */
#include "config.h"

#include "spool/spool_priv.h"

#include <stdlib.h>
#include <string.h>

/** A communicator as a process wrote it down. */
struct entry {
    uint32_t spool;
    uint32_t number;
    uint8_t made;
    bool is_done;
    uint32_t parent; /* Number in the process. */
    uint32_t nth;
    uint32_t rank;
    uint32_t size;
    uint32_t leader;
    uint32_t remote;
    uint64_t tag;
};

struct search {
    const struct spools *spools;
    struct comms *comms;
    struct mpl_arena *arena;
    struct mpl_buf entries; /* struct entry, by spool and number */
    struct mpl_map *by_key;
    struct mpl_map *
        pairs; /* How many pairs of groups two leaders have made; by pair, the first side. */
    struct mpl_map *groups; /* Of MPI_Comm_create_group: calls so far. */
    bool is_short;          /* Of memory. */
};

static struct comm *comm_at(const struct comms *comms, uint32_t i)
{
    return mpl_buf_get(&comms->all, i);
}

/* ---- what was written down -------------------------------------------------------------------- */

static void collect_record(struct search *s, uint32_t spool, const struct record *r)
{
    struct entry *e = mpl_buf_add(&s->entries);

    if (e == NULL) {
        s->is_short = true;
        return;
    }
    *e = (struct entry){ .spool = spool,
                         .number = r->large,
                         .made = (uint8_t) r->small,
                         .parent = (uint32_t) r->words[2],
                         .nth = (uint32_t) (r->words[2] >> 32),
                         .rank = (uint32_t) r->words[3],
                         .size = (uint32_t) (r->words[3] >> 32),
                         .leader = (uint32_t) r->words[4],
                         .remote = (uint32_t) (r->words[4] >> 32),
                         .tag = r->words[5] };
}

static void collect(struct search *s, uint32_t spool)
{
    const struct spool *from = &s->spools->all[spool];
    struct record record;

    for (uint32_t t = 0; t < from->n_threads; t++) {
        struct walk walk = mpl_walk_start(from, t);

        while (mpl_walk_next(&walk, &record)) {
            if (record.kind == MPL_SPOOL_COMM && record.n_words >= 6) {
                collect_record(s, spool, &record);
            }
        }
    }
}

static int by_spool_and_number(const void *a, const void *b)
{
    const struct entry *x = a;
    const struct entry *y = b;

    if (x->spool != y->spool) {
        return x->spool < y->spool ? -1 : 1;
    }
    return x->number < y->number ? -1 : x->number > y->number;
}

static bool make_maps(struct search *s)
{
    struct entry *all = s->entries.data;

    if (s->entries.n == 0) {
        return true;
    }
    qsort(all, s->entries.n, sizeof *all, by_spool_and_number);
    for (size_t i = 0; i < s->entries.n; i++) {
        struct comm_map *map = &s->comms->maps[all[i].spool];

        /* A number beyond all entries is no number of ours. */
        map->n = all[i].number < s->entries.n ? all[i].number + 1 : map->n;
    }
    for (uint32_t i = 0; i < s->spools->n; i++) {
        struct comm_map *map = &s->comms->maps[i];

        map->of = MPL_NEW_ARRAY(s->arena, map->n, uint32_t);
        if (map->of == NULL) {
            return false;
        }
        memset(map->of, 0xff, map->n * sizeof *map->of);
    }
    return true;
}

/* ---- who made the same ------------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    return mpl_hash_mix(hash ^ (value + UINT64_C(0x9e3779b97f4a7c15)));
}

static uint32_t count_up(struct search *s, struct mpl_map *map, uint64_t key)
{
    const uint32_t before = mpl_map_find(map, key);
    const uint32_t n = before == MPL_NONE ? 0 : before;

    s->is_short |= !mpl_map_put(map, key, n + 1);
    return n;
}

/* The parent as a key: of a pair of groups the pair, whichever side the process is on; 0: not known yet. */
static uint64_t parent_key(const struct search *s, const struct entry *e, uint32_t *parent)
{
    const struct comm_map *map = &s->comms->maps[e->spool];

    *parent = e->parent < map->n ? map->of[e->parent] : MPL_NONE;
    if (*parent == MPL_NONE) {
        return 0;
    }
    const struct comm *comm = comm_at(s->comms, *parent);
    return comm->made == MPL_MADE_INTER ? comm->key : (uint64_t) *parent + 1;
}

static uint64_t key_of(struct search *s, const struct entry *e, uint64_t parent)
{
    uint64_t key = mix(e->made, parent);

    /* Every process has its own MPI_COMM_SELF, and they are defined as one. */
    if (e->made == MPL_MADE_WORLD || e->made == MPL_MADE_SELF) {
        return key;
    }
    key = mix(mix(key, e->nth), e->leader);
    if (e->made == MPL_MADE_GROUP) {
        key = mix(mix(key, e->tag), e->size);
        key = mix(key, count_up(s, s->groups, mix(key, e->spool)));
    }
    return key;
}

static struct comm *create(struct search *s, const struct entry *e, uint32_t parent)
{
    struct comm *comm = mpl_buf_add(&s->comms->all);

    if (comm == NULL) {
        s->is_short = true;
        return NULL;
    }
    comm->made = e->made;
    comm->parent = parent;
    comm->leader = e->leader;
    comm->remote = e->remote;
    comm->other = MPL_NONE;
    comm->n_members = e->made == MPL_MADE_SELF ? 0 : e->size;
    /* More members than there are processes: a damaged file. */
    if (comm->n_members > s->spools->n_processes) {
        comm->n_members = 0;
    }
    comm->members = MPL_NEW_ARRAY(s->arena, comm->n_members, uint32_t);
    if (comm->members == NULL) {
        s->is_short = true;
        comm->n_members = 0;
        return comm;
    }
    for (uint32_t i = 0; i < comm->n_members; i++) {
        comm->members[i] = e->made == MPL_MADE_WORLD ? i : MPL_NONE;
    }
    return comm;
}

/* Both groups count what their leaders make together; the n-th ones belong together. */
static void pair_up(struct search *s, uint32_t index)
{
    struct comm *comm = comm_at(s->comms, index);
    const uint32_t low = comm->leader < comm->remote ? comm->leader : comm->remote;
    const uint32_t high = comm->leader < comm->remote ? comm->remote : comm->leader;
    const uint64_t side = mix(mix(mix(1, comm->leader), comm->remote), 0);
    const uint64_t key =
        mix(mix(mix(2, low), high), count_up(s, s->groups, side)) | UINT64_C(1) << 63;
    const uint32_t other = mpl_map_find(s->pairs, key);

    comm->key = key;
    if (other == MPL_NONE) {
        s->is_short |= !mpl_map_put(s->pairs, key, index);
        return;
    }
    comm->other = other;
    comm_at(s->comms, other)->other = index;
}

static void settle(struct search *s, struct entry *e, uint64_t parent_as_key,
                   uint32_t parent)
{
    const uint64_t key = key_of(s, e, parent_as_key);
    uint32_t index = mpl_map_find(s->by_key, key);
    struct comm_map *map = &s->comms->maps[e->spool];

    e->is_done = true;
    if (index == MPL_NONE) {
        index = (uint32_t) s->comms->all.n;
        if (create(s, e, parent) == NULL) {
            return;
        }
        s->is_short |= !mpl_map_put(s->by_key, key, index);
    }
    struct comm *comm = comm_at(s->comms, index);
    if (e->rank < comm->n_members) {
        comm->members[e->rank] = s->spools->all[e->spool].head->rank;
    }
    map->of[e->number] = index;
    /* Leaders alone know in which order they made pairs. */
    if (e->made == MPL_MADE_INTER && e->rank == 0) {
        pair_up(s, index);
    }
}

/* Whether anything was settled: what is made of pairs has to wait until these are paired. */
static bool pass(struct search *s)
{
    bool is_changed = false;

    for (size_t i = 0; i < s->entries.n && !s->is_short; i++) {
        struct entry *e = mpl_buf_get(&s->entries, i);
        uint32_t parent = MPL_NONE;
        uint64_t key = 1;

        if (e->is_done || e->made == MPL_MADE_FOREIGN ||
            e->number >= s->comms->maps[e->spool].n) {
            continue;
        }
        if (e->made != MPL_MADE_WORLD && e->made != MPL_MADE_SELF) {
            key = parent_key(s, e, &parent);
        }
        if (key != 0) {
            settle(s, e, key, parent);
            is_changed = true;
        }
    }
    return is_changed;
}

/* ---- what the archive needs ------------------------------------------------------------------------ */

/* Members of which there is no spool: whoever is in none of the other places, in order of ranks. */
static bool fill_holes(struct search *s, struct comm *comm)
{
    bool *is_member = MPL_NEW_ARRAY(s->arena, s->spools->n_processes, bool);
    uint32_t next = 0;

    if (is_member == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < comm->n_members; i++) {
        if (comm->members[i] != MPL_NONE) {
            is_member[comm->members[i]] = true;
        }
    }
    for (uint32_t i = 0; i < comm->n_members; i++) {
        if (comm->members[i] == MPL_NONE) {
            while (is_member[next] || mpl_spools_find(s->spools, next) != NULL) {
                if (++next == s->spools->n_processes) {
                    comm->n_members = i;
                    return true;
                }
            }
            comm->members[i] = next;
            is_member[next] = true;
        }
    }
    return true;
}

static bool has_hole(const struct comm *comm)
{
    for (uint32_t i = 0; i < comm->n_members; i++) {
        if (comm->members[i] == MPL_NONE) {
            return true;
        }
    }
    return false;
}

/* One reference for both sides of a pair. */
static void number(struct search *s)
{
    for (uint32_t i = 0; i < s->comms->all.n; i++) {
        struct comm *comm = comm_at(s->comms, i);

        comm->reference = comm->other < i ? comm_at(s->comms, comm->other)->reference
                                          : s->comms->n_references++;
        if (has_hole(comm)) {
            s->is_short |= !fill_holes(s, comm);
        }
    }
}

static void name(struct search *s, uint32_t spool)
{
    const struct spool *from = &s->spools->all[spool];
    struct record r;

    for (uint32_t t = 0; t < from->n_threads; t++) {
        struct walk walk = mpl_walk_start(from, t);

        while (mpl_walk_next(&walk, &r)) {
            struct comm *comm =
                r.kind == MPL_SPOOL_NAME
                    ? (struct comm *) mpl_comms_get(s->comms, spool, r.large)
                    : NULL;
            const size_t n = (r.n_words - 2) * sizeof(uint64_t);

            if (comm != NULL && comm->name == NULL && n > 0) {
                comm->name = mpl_arena_strndup(s->arena, (const char *) (r.words + 2),
                                               strnlen((const char *) (r.words + 2), n));
                s->is_short |= comm->name == NULL;
            }
        }
    }
}

static void find(struct search *s)
{
    for (uint32_t i = 0; i < s->spools->n; i++) {
        collect(s, i);
    }
    s->is_short |= !make_maps(s);
    while (!s->is_short && pass(s)) {
    }
    if (!s->is_short) {
        number(s);
    }
    for (uint32_t i = 0; i < s->spools->n && !s->is_short; i++) {
        name(s, i);
    }
}

enum mpl_status mpl_comms_find(const struct spools *spools, struct mpl_arena *arena,
                               struct comms *out, struct mpl_err *err)
{
    struct search s = { .spools = spools,
                        .comms = out,
                        .arena = arena,
                        .entries = mpl_buf_make(sizeof(struct entry)),
                        .by_key = mpl_map_create(),
                        .pairs = mpl_map_create(),
                        .groups = mpl_map_create() };

    out->all = mpl_buf_make(sizeof(struct comm));
    out->maps = MPL_NEW_ARRAY(arena, spools->n, struct comm_map);
    s.is_short =
        s.by_key == NULL || s.pairs == NULL || s.groups == NULL || out->maps == NULL;
    if (!s.is_short) {
        find(&s);
    }
    mpl_map_destroy(s.by_key);
    mpl_map_destroy(s.pairs);
    mpl_map_destroy(s.groups);
    mpl_buf_free(&s.entries);
    return s.is_short ? mpl_nomem(err) : MPL_OK;
}

const struct comm *mpl_comms_get(const struct comms *comms, uint32_t spool, uint32_t number)
{
    const struct comm_map *map = &comms->maps[spool];
    const uint32_t at = number < map->n ? map->of[number] : MPL_NONE;

    return at == MPL_NONE ? NULL : comm_at(comms, at);
}
