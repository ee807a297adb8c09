/*
 * Relations that rest on numbers in the records. A lock's acquisitions are numbered in their
 * order, and a release bears the number of its acquisition; a thread that is created bears a
 * number in its group, which is found again where it begins, ends and is waited for.
 *
 * Whatever contradicts the meaning of these numbers (OMPT with EZTrace gives three releases the
 * same one) makes its lock or thread worthless as a whole.
 */
#include "config.h"

#include "match/match_priv.h"

#include <stdlib.h>

struct item {
    uint32_t object;
    uint32_t number;
    enum mpl_thread_act act;
    uint32_t location;
    uint32_t event;
};

struct numbered {
    const struct mpl_model *model;
    uint32_t process;
    struct mpl_relations *relations;
    struct item *item;
    size_t n;
};

static int order_of(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

static int compare_items(const void *a, const void *b)
{
    const struct item *one = a;
    const struct item *other = b;
    const bool are_locks[] = { one->act <= MPL_ACT_UNLOCK, other->act <= MPL_ACT_UNLOCK };

    if (are_locks[0] != are_locks[1]) {
        return are_locks[0] ? -1 : 1;
    }
    if (one->object != other->object) {
        return order_of(one->object, other->object);
    }
    if (one->number != other->number) {
        return order_of(one->number, other->number);
    }
    if (one->act != other->act) {
        return order_of(one->act, other->act);
    }
    return one->location != other->location ? order_of(one->location, other->location)
                                            : order_of(one->event, other->event);
}

static enum mpl_status gather(struct numbered *n, struct mpl_arena *scratch,
                              struct mpl_err *err)
{
    const struct mpl_process *process = &n->model->processes[n->process];
    size_t most = 0;

    for (uint32_t t = 0; t < process->n_locations; t++) {
        most += n->model->locations[process->locations[t]].n_thread_records;
    }
    n->item = MPL_NEW_ARRAY(scratch, most, struct item);
    if (n->item == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t t = 0; t < process->n_locations; t++) {
        const uint32_t l = process->locations[t];
        const struct mpl_location *loc = &n->model->locations[l];

        for (uint32_t i = 0; i < loc->n_thread_records; i++) {
            const struct mpl_thread_record *r = &loc->thread_records[i];

            n->item[n->n++] = (struct item){ r->object, r->number, r->act, l, r->event };
        }
    }
    if (n->n > 1) {
        qsort(n->item, n->n, sizeof *n->item, compare_items);
    }
    return MPL_OK;
}

static void relate(const struct numbered *n, enum mpl_relation_kind kind,
                   const struct mpl_moment *source, const struct mpl_moment *sink)
{
    if (source->event == MPL_NONE || sink->event == MPL_NONE ||
        source->location == sink->location) {
        return;
    }
    mpl_relation_start(n->relations, kind, n->process);
    mpl_relation_add_source(n->relations, source->location, source->event);
    mpl_relation_add_sink(n->relations, sink->location, sink->event);
    mpl_relation_end(n->relations);
}

/* The items of one number: from \p first to the one returned. */
static size_t end_of_number(const struct numbered *n, size_t first)
{
    size_t end = first + 1;

    while (end < n->n && n->item[end].object == n->item[first].object &&
           n->item[end].number == n->item[first].number &&
           (n->item[end].act <= MPL_ACT_UNLOCK) == (n->item[first].act <= MPL_ACT_UNLOCK)) {
        end++;
    }
    return end;
}

/* ---- locks ---------------------------------------------------------------------------------- */

/* One acquisition, and at most one release by who has the lock. */
static bool is_sound_turn(const struct item *item, size_t n)
{
    if (n > 2 || item[0].act != MPL_ACT_LOCK) {
        return false;
    }
    return n == 1 ||
           (item[1].act == MPL_ACT_UNLOCK && item[1].location == item[0].location &&
            item[1].event > item[0].event);
}

static bool is_sound_lock(const struct numbered *n, size_t first, size_t end)
{
    for (size_t i = first; i < end; i = end_of_number(n, i)) {
        if (!is_sound_turn(n->item + i, end_of_number(n, i) - i)) {
            return false;
        }
    }
    return n->item[first].object != MPL_NONE;
}

static void relate_turns(const struct numbered *n, size_t first, size_t end)
{
    for (size_t i = first; i < end;) {
        const size_t next = end_of_number(n, i);
        const struct item *release = &n->item[next - 1];

        if (next < end && release->act == MPL_ACT_UNLOCK) {
            relate(n, MPL_RELATION_LOCK,
                   &(struct mpl_moment){ release->location, release->event },
                   &(struct mpl_moment){ n->item[next].location, n->item[next].event });
        }
        i = next;
    }
}

/* EZTrace records an acquisition when the wait for it begins. That Score-P records it when the
 * lock is there, and the release before it is gone, its numbers imply: they are drawn while the
 * lock is held. Of others it is not known. */
static size_t match_locks(const struct numbered *n)
{
    size_t first = 0;

    while (first < n->n && n->item[first].act <= MPL_ACT_UNLOCK) {
        size_t end = first + 1;

        while (end < n->n && n->item[end].act <= MPL_ACT_UNLOCK &&
               n->item[end].object == n->item[first].object) {
            end++;
        }
        if (n->model->tracer == MPL_TRACER_SCOREP && is_sound_lock(n, first, end)) {
            relate_turns(n, first, end);
        }
        first = end;
    }
    return first;
}

/* ---- threads ---------------------------------------------------------------------------------- */

enum { MAX_LOOK = 8 };

/*
 * OTF2 does not say whether CREATE and WAIT are written before or after the thread is created or
 * has been waited for. They stand inside the call, so its two ends serve in any case; where the
 * call itself is not recorded, the next ones outside of it do.
 */
static struct mpl_moment enter_of(const struct numbered *n, const struct item *item)
{
    const struct mpl_location *loc = &n->model->locations[item->location];

    for (uint32_t back = 1; back <= MAX_LOOK && back <= item->event; back++) {
        const uint32_t event = item->event - back;

        if (mpl_kind_of(loc, event) == MPL_EV_ENTER) {
            return (struct mpl_moment){ item->location, event };
        }
        if (mpl_kind_of(loc, event) == MPL_EV_LEAVE) {
            break;
        }
    }
    return (struct mpl_moment){ item->location, MPL_NONE };
}

static struct mpl_moment leave_of(const struct numbered *n, const struct item *item)
{
    const struct mpl_location *loc = &n->model->locations[item->location];

    for (uint32_t on = 1; on <= MAX_LOOK && on < loc->n_events - item->event; on++) {
        const uint32_t event = item->event + on;

        if (mpl_kind_of(loc, event) == MPL_EV_LEAVE) {
            return (struct mpl_moment){ item->location, event };
        }
        if (mpl_kind_of(loc, event) == MPL_EV_ENTER) {
            break;
        }
    }
    return (struct mpl_moment){ item->location, MPL_NONE };
}

/* Items of one number are sorted by what they do, each of which happens once. */
static void match_thread(const struct numbered *n, size_t first, size_t end)
{
    const struct item *of[MPL_ACT_WAIT + 1] = { NULL };

    for (size_t i = first; i < end; i++) {
        const struct item *item = &n->item[i];

        if (of[item->act] != NULL) {
            return;
        }
        of[item->act] = item;
    }
    const struct item *create = of[MPL_ACT_CREATE];
    const struct item *begin = of[MPL_ACT_BEGIN];
    const struct item *finish = of[MPL_ACT_END];
    const struct item *wait = of[MPL_ACT_WAIT];

    if (begin == NULL || (finish != NULL && finish->location != begin->location)) {
        return;
    }
    if (create != NULL) {
        const struct mpl_moment source = enter_of(n, create);

        relate(n, MPL_RELATION_CREATE, &source,
               &(struct mpl_moment){ begin->location, begin->event });
    }
    if (finish != NULL && wait != NULL) {
        const struct mpl_moment sink = leave_of(n, wait);

        relate(n, MPL_RELATION_WAIT,
               &(struct mpl_moment){ finish->location, finish->event }, &sink);
    }
}

enum mpl_status mpl_match_numbered(const struct mpl_model *model, uint32_t process,
                                   struct mpl_relations *relations, struct mpl_err *err)
{
    struct numbered n = { .model = model, .process = process, .relations = relations };
    struct mpl_arena *scratch = mpl_arena_create();
    const enum mpl_status st = scratch == NULL ? mpl_nomem(err) : gather(&n, scratch, err);

    if (st == MPL_OK) {
        size_t at = match_locks(&n);

        while (at < n.n) {
            const size_t end = end_of_number(&n, at);

            match_thread(&n, at, end);
            at = end;
        }
    }
    mpl_arena_destroy(scratch);
    return st;
}
