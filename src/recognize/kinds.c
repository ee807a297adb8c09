/*
 * Calls of a location by what filters can see of them: region, whom a message names, operation, root. There are few kinds:
 * a call of MPI_Recv from the master is like the next one. They are found once and serve all patterns that are tried.
 */
#include "config.h"

#include "recognize/alike_priv.h"
#include "recognize/recognition_priv.h"

#include <stdlib.h>
#include <string.h>

/* What the filters can see of a call with at most one message. */
struct look {
    uint32_t region;
    uint32_t envelope; /* MPL_NONE without message */
    uint32_t peer;     /* process, for messages whose envelope is unsure about it */
    uint32_t op;       /* of a collective; MPL_NONE without one */
    uint32_t root;
};

/* A place of the hash table; it counts for the location with that stamp. */
struct place {
    struct look look;
    uint32_t stamp;
    uint32_t kind;
};

/* A look that was met lately, without peer and collective: most calls come again soon. */
struct recent {
    uint32_t region;
    uint32_t envelope;
    uint32_t kind; /* MPL_NONE: nothing yet */
};

enum { RECENT = 64 };

/* Serves one location after the other. */
struct place_table {
    uint32_t stamp;
    size_t n_places; /* a power of two */
    struct place *places;
};

/* What a thread needs to find kinds. */
struct maker {
    struct mpl_arena *arena; /* while it is at work */
    struct place_table table;
    struct mpl_alike alike;
};

struct mpl_kinds_table {
    struct mpl_kinds **of_location;
    struct maker makers[MPL_PARALLEL_MOST];
};

struct classing {
    const struct mpl_topology *t;
    struct mpl_arena *arena;
    struct place_table *table;
    /* NULL of a part: there it is not only what a message names that decides whether it counts. */
    struct mpl_alike *alike;
    uint32_t location;
    const struct mpl_location *loc;
    struct mpl_buf kinds; /* struct mpl_kind */
    struct mpl_buf parts; /* uint32_t */
    struct mpl_buf own;   /* uint32_t: kinds of the messages of a call */
    struct recent recent[RECENT];
    /* Of the last call with several messages, if envelopes say all of them: */
    uint32_t last_kind; /* MPL_NONE: they do not, or there is none yet */
    uint32_t last_region;
    struct mpl_buf last; /* uint32_t: the envelopes of its messages */
    uint32_t gap_region; /* of the first computation */
    bool is_compute_alike;
    bool has_no_memory;
};

enum { PLACES_MIN = 1024 };

/* ---- one look ------------------------------------------------------------------------------ */

/* MPL_NONE without message. */
static inline uint32_t envelope_of(const struct classing *c, uint32_t message)
{
    return message == MPL_NONE ? MPL_NONE : mpl_message_get(c->loc, message).envelope;
}

/* Whether an envelope does not say who is at the other end. */
static bool is_unsure(const struct classing *c, uint32_t envelope)
{
    return envelope != MPL_NONE && c->loc->envelopes[envelope].comm_unsure;
}

static struct look look_at(const struct classing *c, const struct mpl_call_about *about,
                           uint32_t message)
{
    const struct mpl_location *loc = c->loc;
    const uint32_t envelope = envelope_of(c, message);
    struct look look = { about->region, envelope, MPL_NONE, MPL_NONE, MPL_NONE };

    if (is_unsure(c, envelope)) {
        look.peer = mpl_topology_peer(c->t->events, c->location, message);
    }
    if (about->collective != MPL_NONE) {
        look.op = loc->collectives[about->collective].op;
        look.root = loc->collectives[about->collective].root;
    }
    return look;
}

static struct place *find_place(const struct place_table *table, const struct look *look)
{
    uint64_t key = (uint64_t) look->region << 32 | look->envelope;

    key = (key ^ look->peer ^ (uint64_t) look->op << 24 ^ (uint64_t) look->root << 40) *
          UINT64_C(0x9E3779B97F4A7C15);
    for (size_t i = key >> 32;; i++) {
        struct place *place = &table->places[i & (table->n_places - 1)];

        if (place->stamp != table->stamp ||
            (place->look.region == look->region && place->look.envelope == look->envelope &&
             place->look.peer == look->peer && place->look.op == look->op &&
             place->look.root == look->root)) {
            return place;
        }
    }
}

/* Twice as many places, with what is in those that count. */
static bool grow(struct classing *c)
{
    struct place_table old = *c->table;
    struct place_table *table = c->table;

    table->n_places = old.n_places == 0 ? PLACES_MIN : 2 * old.n_places;
    table->places = MPL_NEW_ARRAY(c->arena, table->n_places, struct place);
    if (table->places == NULL) {
        *table = old;
        c->has_no_memory = true;
        return false;
    }
    for (size_t i = 0; i < old.n_places; i++) {
        if (old.places[i].stamp == table->stamp) {
            *find_place(table, &old.places[i].look) = old.places[i];
        }
    }
    return true;
}

static uint32_t add_kind(struct classing *c, struct mpl_kind kind)
{
    c->has_no_memory = !mpl_buf_put(&c->kinds, &kind) || c->has_no_memory;
    return c->has_no_memory ? MPL_NONE : (uint32_t) c->kinds.n - 1;
}

static uint32_t kind_of_look(struct classing *c, uint32_t call,
                             const struct mpl_call_about *about, uint32_t message)
{
    const struct look look = look_at(c, about, message);
    struct place *place = find_place(c->table, &look);

    if (place->stamp == c->table->stamp) {
        return place->kind;
    }
    *place =
        (struct place){ look, c->table->stamp,
                        add_kind(c, (struct mpl_kind){ 2 * call + 1, message, 0, 0 }) };

    const uint32_t kind = place->kind;

    if (2 * c->kinds.n > c->table->n_places && !grow(c)) {
        return MPL_NONE;
    }
    return kind;
}

/* The kind of what \p call is with one of its messages, which names \p envelope, or with none. */
static inline uint32_t kind_of(struct classing *c, uint32_t call,
                               const struct mpl_call_about *about, uint32_t message,
                               uint32_t envelope)
{
    struct recent *recent = &c->recent[(about->region ^ envelope << 3) % RECENT];

    if (recent->region == about->region && recent->envelope == envelope &&
        about->collective == MPL_NONE && recent->kind != MPL_NONE) {
        return recent->kind;
    }

    const uint32_t kind = kind_of_look(c, call, about, message);

    if (about->collective == MPL_NONE && !is_unsure(c, envelope)) {
        *recent = (struct recent){ about->region, envelope, kind };
    }
    return kind;
}

/* ---- calls with several messages -------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *) a;
    const uint32_t y = *(const uint32_t *) b;

    return (x > y) - (x < y);
}

/* Into c->own: the kinds of its messages, in their order. False: no memory. */
static bool list_parts(struct classing *c, uint32_t call,
                       const struct mpl_call_about *about,
                       const struct mpl_messages *messages)
{
    uint32_t *own;

    if (!mpl_buf_grow_to(&c->own, about->n_messages)) {
        c->has_no_memory = true;
        return false;
    }
    own = c->own.data;
    for (uint32_t m = 0; m < about->n_messages; m++) {
        const uint32_t message = mpl_messages_get(messages, m);

        own[m] = kind_of(c, call, about, message, envelope_of(c, message));
    }
    return !c->has_no_memory;
}

/* Most calls are like the one before. */
static bool is_like_last(const struct classing *c, const struct mpl_call_about *about,
                         const struct mpl_messages *messages)
{
    const uint32_t *last = c->last.data;
    uint32_t m = 0;

    if (c->last_kind == MPL_NONE || about->region != c->last_region ||
        about->collective != MPL_NONE || about->n_messages != c->last.n) {
        return false;
    }
    while (m < about->n_messages &&
           envelope_of(c, mpl_messages_get(messages, m)) == last[m]) {
        m++;
    }
    return m == about->n_messages;
}

/* False: no memory. */
static bool keep_last(struct classing *c, const struct mpl_call_about *about,
                      const struct mpl_messages *messages, uint32_t kind)
{
    c->last_kind = about->collective == MPL_NONE ? kind : MPL_NONE;
    c->last_region = about->region;
    if (!mpl_buf_grow_to(&c->last, about->n_messages)) {
        return false;
    }
    for (uint32_t m = 0; m < about->n_messages; m++) {
        const uint32_t envelope = envelope_of(c, mpl_messages_get(messages, m));

        ((uint32_t *) c->last.data)[m] = envelope;
        if (envelope == MPL_NONE || is_unsure(c, envelope)) {
            c->last_kind = MPL_NONE;
        }
    }
    return true;
}

/* Ascending, each once. */
static void sort_parts(struct classing *c)
{
    uint32_t *own = c->own.data;
    size_t n = 0;

    qsort(own, c->own.n, sizeof *own, compare);
    for (size_t i = 0; i < c->own.n; i++) {
        if (n == 0 || own[n - 1] != own[i]) {
            own[n++] = own[i];
        }
    }
    c->own.n = n;
}

/* The kind of a call whose parts are these. */
static uint32_t kind_of_parts(struct classing *c, uint32_t call)
{
    uint64_t key = 1;
    const uint32_t *own = c->own.data;
    const uint32_t n = (uint32_t) c->own.n;

    for (uint32_t i = 0; i < n; i++) {
        key = (key ^ own[i]) * UINT64_C(0x9E3779B97F4A7C15);
        key ^= key >> 29;
    }

    /* No region has that number, and no process. */
    const struct look look = { MPL_NONE - 1, (uint32_t) key, (uint32_t) (key >> 32),
                               MPL_NONE - 1, n };
    struct place *place = find_place(c->table, &look);

    if (place->stamp == c->table->stamp) {
        const struct mpl_kind *known = mpl_buf_get(&c->kinds, place->kind);

        if (known->n_parts == n &&
            memcmp((const uint32_t *) c->parts.data + known->first_part, own,
                   n * sizeof *own) == 0) {
            return place->kind;
        }
    }

    const size_t first = c->parts.n;

    if (!mpl_buf_grow_to(&c->parts, first + n)) {
        c->has_no_memory = true;
        return MPL_NONE;
    }
    memcpy((uint32_t *) c->parts.data + first, own, n * sizeof *own);
    *place = (struct place){ look, c->table->stamp,
                             add_kind(c, (struct mpl_kind){ 2 * call + 1, MPL_NONE,
                                                            (uint32_t) first, n }) };

    const uint32_t kind = place->kind;

    return 2 * c->kinds.n > c->table->n_places && !grow(c) ? MPL_NONE : kind;
}

/* A call with several messages is what each of them makes it: those of one kind have the same parts. */
static uint32_t kind_of_many(struct classing *c, uint32_t call,
                             const struct mpl_call_about *about)
{
    const struct mpl_messages messages =
        mpl_events_messages(c->t->events, c->location, call);
    uint32_t kind;

    mpl_assert(messages.n == about->n_messages);
    if (is_like_last(c, about, &messages)) {
        return c->last_kind;
    }
    if (!list_parts(c, call, about, &messages)) {
        return MPL_NONE;
    }
    sort_parts(c);
    kind = kind_of_parts(c, call);
    c->has_no_memory = !keep_last(c, about, &messages, kind) || c->has_no_memory;
    return c->has_no_memory ? MPL_NONE : kind;
}

/* ---- a location ------------------------------------------------------------------------------ */

static uint32_t only_end(const struct classing *c, const struct mpl_call_about *about)
{
    const bool has_collective =
        about->collective != MPL_NONE &&
        mpl_topology_counts_collective(c->t->events, c->location, about->collective);

    if (about->n_messages + has_collective > 1) {
        return MPL_MANY_ENDS;
    }
    if (has_collective) {
        return c->loc->n_messages + about->collective;
    }
    return about->n_messages == 1 &&
                   mpl_topology_counts(c->t->events, c->location, about->first_message)
               ? about->first_message
               : MPL_NONE;
}

/* The computation before \p call: once it is known that not all is alike, nobody asks. */
static void look_at_gap(struct classing *c, uint32_t call)
{
    c->is_compute_alike =
        c->is_compute_alike &&
        mpl_events_gap_region(c->t->events, c->location, call) == c->gap_region;
}

static uint32_t kind_of_single(struct classing *c, uint32_t call,
                               const struct mpl_call_about *about)
{
    const uint32_t message = about->n_messages == 0 ? MPL_NONE : about->first_message;

    return kind_of(c, call, about, message, envelope_of(c, message));
}

/* Of the calls that nobody looks at: they are in no range. */
static void class_none(uint32_t *kinds, uint32_t *ends, uint32_t first, uint32_t end)
{
    for (uint32_t call = first; call < end; call++) {
        kinds[call] = 0;
        ends[call] = 0;
    }
}

static void class_call(struct classing *c, uint32_t *kinds, uint32_t *ends, uint32_t call)
{
    struct mpl_call_about about;

    look_at_gap(c, call);
    mpl_events_call_gist(c->t->events, c->location, call, &about);
    ends[call] = only_end(c, &about);
    kinds[call] = about.n_messages > 1 ? kind_of_many(c, call, &about)
                                       : kind_of_single(c, call, &about);
}

/* All calls of the block at \p call, if it is like another one: of the same kinds, with ends as many messages later. */
static bool class_block(struct classing *c, uint32_t *kinds, uint32_t *ends, uint32_t call)
{
    uint32_t shift = 0;
    const uint32_t known = mpl_alike_find(c->alike, call, &shift, &c->has_no_memory);

    if (known == MPL_NONE) {
        return false;
    }
    for (uint32_t i = 0; i < MPL_CALLS_PER_BLOCK; i++) {
        const uint32_t end = ends[known + i];

        kinds[call + i] = kinds[known + i];
        ends[call + i] = end < MPL_MANY_ENDS ? end + shift : end;
    }
    return true;
}

/* Those that somebody may look at: start-up has no region of its own, and would be like what has none. */
static void class_calls(struct classing *c, uint32_t *kinds, uint32_t *ends,
                        uint32_t n_calls)
{
    const struct mpl_range range = mpl_range_of(c->t->events, c->location);
    const uint32_t first = range.first / 2;
    const uint32_t end = range.end / 2;
    uint32_t call = first;

    class_none(kinds, ends, 0, first);
    c->is_compute_alike = true;
    c->gap_region = mpl_events_gap_region(c->t->events, c->location, first);
    look_at_gap(c, end);
    while (call < end && !c->has_no_memory) {
        if (c->alike != NULL && call % MPL_CALLS_PER_BLOCK == 0 &&
            end - call >= MPL_CALLS_PER_BLOCK && class_block(c, kinds, ends, call)) {
            call += MPL_CALLS_PER_BLOCK;
        } else {
            class_call(c, kinds, ends, call++);
        }
    }
    class_none(kinds, ends, call, n_calls);
}

static struct mpl_kinds *make(const struct mpl_topology *t, uint32_t location,
                              struct maker *maker)
{
    const uint32_t n_calls = mpl_events_call_count(t->events, location);
    struct mpl_arena *arena = maker->arena;
    struct classing c = { .t = t,
                          .arena = arena,
                          .table = &maker->table,
                          .alike = mpl_events_is_part(t->events) ? NULL : &maker->alike,
                          .location = location,
                          .loc = &t->model->locations[location],
                          .kinds = mpl_buf_make(sizeof(struct mpl_kind)),
                          .parts = mpl_buf_make(sizeof(uint32_t)),
                          .own = mpl_buf_make(sizeof(uint32_t)),
                          .last = mpl_buf_make(sizeof(uint32_t)),
                          .last_kind = MPL_NONE };
    struct mpl_kinds *made = MPL_NEW(arena, struct mpl_kinds);
    uint32_t *kinds = MPL_NEW_UNSET(arena, n_calls, uint32_t);
    uint32_t *ends = MPL_NEW_UNSET(arena, n_calls, uint32_t);

    memset(c.recent, 0xFF, sizeof c.recent); /* MPL_NONE everywhere */
    c.table->stamp++;
    if (made != NULL && kinds != NULL && ends != NULL &&
        (c.table->n_places > 0 || grow(&c)) &&
        (c.alike == NULL || mpl_alike_begin(c.alike, t->events, location))) {
        class_calls(&c, kinds, ends, n_calls);
        *made = (struct mpl_kinds){ .n = (uint32_t) c.kinds.n,
                                    .kinds = mpl_buf_take(&c.kinds, arena),
                                    .parts = mpl_buf_take(&c.parts, arena),
                                    .of_call = kinds,
                                    .ends = ends,
                                    .is_compute_alike = c.is_compute_alike };
        c.has_no_memory = c.has_no_memory || made->kinds == NULL || made->parts == NULL;
    } else {
        c.has_no_memory = true;
    }
    mpl_buf_free(&c.kinds);
    mpl_buf_free(&c.parts);
    mpl_buf_free(&c.own);
    mpl_buf_free(&c.last);
    return c.has_no_memory ? NULL : made;
}

/* ---- locations --------------------------------------------------------------------------------- */

static bool has_room(struct mpl_topology *t)
{
    if (t->kinds == NULL) {
        struct mpl_kinds_table *table = MPL_NEW(t->arena, struct mpl_kinds_table);

        if (table != NULL) {
            table->of_location =
                MPL_NEW_ARRAY(t->arena, t->model->n_locations, struct mpl_kinds *);
        }
        t->kinds = table != NULL && table->of_location != NULL ? table : NULL;
    }
    return t->kinds != NULL;
}

const struct mpl_kinds *mpl_kinds_get(const struct mpl_topology *t, uint32_t location)
{
    return t->kinds == NULL ? NULL : t->kinds->of_location[location];
}

struct mpl_span mpl_kind_span(const struct mpl_events *events, uint32_t location,
                              const struct mpl_kind *kind)
{
    struct mpl_span span = mpl_events_span(events, location, kind->span);

    span.n_messages = kind->message != MPL_NONE;
    span.first_message = kind->message;
    return span;
}

/* Some locations, of which several threads find the kinds. */
struct making {
    const struct mpl_topology *t;
    const uint32_t *locations;
};

static enum mpl_status make_one(void *context, size_t i, unsigned worker,
                                struct mpl_err *err)
{
    const struct making *making = context;
    const uint32_t location = making->locations[i];
    struct mpl_kinds **kinds = &making->t->kinds->of_location[location];
    struct maker *maker = &making->t->kinds->makers[worker];

    maker->arena = maker->arena != NULL ? maker->arena : mpl_arena_create();
    *kinds = maker->arena == NULL ? NULL : make(making->t, location, maker);
    return *kinds == NULL ? mpl_nomem(err) : MPL_OK;
}

static uint32_t keep_missing(const struct mpl_topology *t, uint32_t *locations, uint32_t n)
{
    uint32_t n_missing = 0;

    for (uint32_t i = 0; i < n; i++) {
        if (t->kinds->of_location[locations[i]] == NULL) {
            locations[n_missing++] = locations[i];
        }
    }
    return n_missing;
}

enum mpl_status mpl_kinds_prepare(struct mpl_topology *t, uint32_t *locations, uint32_t n,
                                  struct mpl_err *err)
{
    struct making making = { t, locations };
    struct mpl_parallel job = { .max_threads = mpl_threads(),
                                .run = make_one,
                                .context = &making };

    if (!has_room(t)) {
        return mpl_nomem(err);
    }
    job.n_tasks = keep_missing(t, locations, n);
    if (job.n_tasks == 0) {
        return MPL_OK;
    }
    for (uint32_t w = 0; w < MPL_PARALLEL_MOST; w++) {
        t->kinds->makers[w].arena = NULL;
        t->kinds->makers[w].alike = mpl_alike_make();
    }

    const enum mpl_status st = mpl_parallel_run(&job, err);

    for (uint32_t w = 0; w < MPL_PARALLEL_MOST; w++) {
        mpl_arena_absorb(t->arena, t->kinds->makers[w].arena);
        t->kinds->makers[w].arena = NULL;
        mpl_alike_free(&t->kinds->makers[w].alike);
    }
    return st;
}
