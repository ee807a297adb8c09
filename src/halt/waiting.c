/* Who waits for whom: by what is recorded, by membership in a collective, by what came before. */
#include "config.h"

#include "halt/halt_priv.h"

#include <string.h>

/* ---- collectives -------------------------------------------------------------------------- */

/* The part that the open call of a process has begun; NULL if none is recorded. */
static const struct mpl_collective *open_part(const struct mpl_halting *h, uint32_t process)
{
    const struct mpl_halt_place *place = &h->places[process];
    const struct mpl_location *loc = &h->model->locations[place->location];

    for (uint32_t i = loc->n_collectives; i > 0; i--) {
        const struct mpl_collective *part = &loc->collectives[i - 1];

        if (part->end == MPL_NONE && part->begin != MPL_NONE &&
            part->begin > place->event) {
            return part;
        }
    }
    return NULL;
}

/* The part of its last call of the same function that has returned, else of any; NULL. */
static const struct mpl_collective *last_part(const struct mpl_halting *h, uint32_t process)
{
    const struct mpl_location *loc = &h->model->locations[h->places[process].location];
    const struct mpl_halt_history *history = &h->histories[process];
    const struct mpl_collective *any = NULL;

    for (uint32_t i = history->n; i > 0; i--) {
        const struct mpl_halt_past *call = &history->calls[i - 1];
        uint32_t e = call->enter;

        while (e < call->leave && mpl_kind_of(loc, e) != MPL_EV_COLL_END) {
            e++;
        }
        if (e == call->leave || loc->collectives[mpl_ref_of(loc, e)].comm == MPL_NONE) {
            continue;
        }
        if (call->region == h->places[process].region) {
            return &loc->collectives[mpl_ref_of(loc, e)];
        }
        any = any == NULL ? &loc->collectives[mpl_ref_of(loc, e)] : any;
    }
    return any;
}

/* How many operations on a communicator a process has behind it. */
static uint32_t count_done(const struct mpl_halting *h, uint32_t process, uint32_t comm)
{
    const struct mpl_process *own = &h->model->processes[process];
    uint32_t n = 0;

    for (uint32_t l = 0; l < own->n_locations; l++) {
        const struct mpl_location *loc = &h->model->locations[own->locations[l]];

        for (uint32_t i = 0; i < loc->n_collectives; i++) {
            n += loc->collectives[i].end != MPL_NONE && loc->collectives[i].comm == comm;
        }
    }
    return n;
}

static bool is_in_collective(const struct mpl_halting *h, uint32_t process)
{
    return h->places[process].state == MPL_HALT_IN_CALL &&
           h->model->regions[h->places[process].region].kind == MPL_REGION_MPI_COLL;
}

static void find_comm(struct mpl_halting *h, uint32_t process)
{
    const struct mpl_collective *open = open_part(h, process);
    const struct mpl_collective *before = last_part(h, process);

    h->places[process].is_known = open != NULL && open->comm != MPL_NONE;
    h->places[process].comm = h->places[process].is_known ? open->comm
                              : before != NULL            ? before->comm
                                                          : h->model->world;
}

/* Whether \p other keeps \p process from leaving its collective. */
static bool is_missing(const struct mpl_halting *h, uint32_t process, uint32_t other,
                       const uint32_t *n_done)
{
    const struct mpl_halt_place *own = &h->places[process];
    const struct mpl_halt_place *theirs = &h->places[other];

    if (other == process || n_done[other] > n_done[process]) {
        return false;
    }
    return !is_in_collective(h, other) || theirs->comm != own->comm ||
           n_done[other] < n_done[process] || theirs->region != own->region;
}

/* The root of a broadcast, as that of the one before where it is not recorded; MPL_NONE for others. */
static uint32_t broadcast_root(const struct mpl_halting *h, uint32_t process)
{
    const struct mpl_collective *part = open_part(h, process);

    if (part == NULL || part->comm == MPL_NONE) {
        part = last_part(h, process);
    }
    return part != NULL && mpl_coll_class_of(part->op) == MPL_CLASS_1_TO_N ? part->root
                                                                           : MPL_NONE;
}

static uint32_t member(const struct mpl_comm *comm, uint32_t i)
{
    return i < comm->n_members ? comm->members[i] : comm->remote[i - comm->n_members];
}

/* True if nobody is missing, and some have left: then the process is about to leave, too. */
static bool wait_for_members(struct mpl_halting *h, uint32_t process, uint32_t *n_done,
                             bool *is_waited_for)
{
    const struct mpl_halt_place *place = &h->places[process];
    const struct mpl_comm *comm = &h->model->comms[place->comm];
    const uint32_t n = comm->members == NULL ? 0 : comm->n_members + comm->n_remote;
    const uint32_t root = broadcast_root(h, process);
    bool is_anybody_missing = false;
    bool has_anybody_left = false;

    for (uint32_t i = 0; i < n; i++) {
        n_done[member(comm, i)] = count_done(h, member(comm, i), place->comm);
    }
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t other = member(comm, i);

        is_waited_for[other] = is_missing(h, process, other, n_done);
        is_anybody_missing |= is_waited_for[other];
        has_anybody_left |= n_done[other] > n_done[process];
    }
    /* Only the root of a broadcast is waited for, if it is missing. */
    if (root != MPL_NONE && is_waited_for[root]) {
        memset(is_waited_for, 0, h->model->n_processes * sizeof *is_waited_for);
        is_waited_for[root] = true;
    }
    return !is_anybody_missing && has_anybody_left;
}

/* ---- messages ------------------------------------------------------------------------------ */

/* Whoever takes any message may be released by any other process of the communicator. */
static void wait_for_any(const struct mpl_halting *h, uint32_t process, uint32_t comm,
                         bool *is_waited_for)
{
    const struct mpl_comm *c = comm != MPL_NONE ? &h->model->comms[comm] : NULL;
    const uint32_t n = c == NULL || c->members == NULL ? 0 : c->n_members + c->n_remote;

    for (uint32_t i = 0; i < n; i++) {
        is_waited_for[member(c, i)] |= member(c, i) != process;
    }
}

/* What it waits for is recorded. Only MPI_Waitall shows that it needs all of several messages. */
static void wait_for_wanted(const struct mpl_halting *h, uint32_t process,
                            bool *is_waited_for)
{
    struct mpl_halt_place *place = &h->places[process];
    const struct mpl_location *loc = &h->model->locations[place->location];
    const bool is_all =
        loc->n_wanted == 1 || strcasestr(h->model->regions[place->region].name, "waitall");
    bool is_any = false;

    for (uint32_t i = 0; i < loc->n_wanted; i++) {
        const struct mpl_envelope *e = &loc->envelopes[loc->wanted[i]];

        is_any |= e->any_source;
        if (e->any_source) {
            wait_for_any(h, process, e->comm, is_waited_for);
        } else if (e->peer != MPL_NONE) {
            is_waited_for[e->peer] = true;
            place->is_known = is_all;
        }
    }
    place->is_known = place->is_known && !is_any;
}

static void wait_for_partners(struct mpl_halting *h, uint32_t process, bool *is_waited_for)
{
    struct mpl_halt_place *place = &h->places[process];
    const struct mpl_location *loc = &h->model->locations[place->location];

    wait_for_wanted(h, process, is_waited_for);
    if (memchr(is_waited_for, true, h->model->n_processes * sizeof *is_waited_for) !=
        NULL) {
        return;
    }
    for (uint32_t i = place->event; i < loc->n_events && !place->is_known; i++) {
        if (mpl_kind_of(loc, i) != MPL_EV_SEND) {
            continue;
        }
        const uint32_t peer =
            loc->envelopes[mpl_message_get(loc, mpl_ref_of(loc, i)).envelope].peer;

        if (peer != MPL_NONE) {
            is_waited_for[peer] = true;
            place->is_known = true;
        }
    }
    if (!place->is_known) {
        mpl_halt_partners(h, process, is_waited_for);
        is_waited_for[process] = false;
    }
}

/* Sent to a process that is in a call for messages, and not received. */
static bool is_leftover(const struct mpl_halting *h, uint32_t location, uint32_t message)
{
    const struct mpl_location *loc = &h->model->locations[location];
    const struct mpl_message m = mpl_message_get(loc, message);
    const struct mpl_envelope *e =
        m.envelope == MPL_NONE ? NULL : &loc->envelopes[m.envelope];

    if (e == NULL || !e->is_send || e->peer == MPL_NONE ||
        h->match->partner[location][message] != MPL_NONE) {
        return false;
    }
    const struct mpl_halt_place *theirs = &h->places[e->peer];

    return theirs->state == MPL_HALT_IN_CALL &&
           h->model->regions[theirs->region].kind == MPL_REGION_MPI_P2P;
}

/* The tag of the last message to the same process that was received. */
static uint32_t usual_tag(const struct mpl_halting *h, uint32_t location, uint32_t message)
{
    const struct mpl_location *loc = &h->model->locations[location];
    const uint32_t peer = loc->envelopes[mpl_message_get(loc, message).envelope].peer;

    for (uint32_t m = message; m > 0; m--) {
        const uint32_t envelope = mpl_message_get(loc, m - 1).envelope;

        if (envelope != MPL_NONE && loc->envelopes[envelope].is_send &&
            loc->envelopes[envelope].peer == peer &&
            h->match->partner[location][m - 1] != MPL_NONE) {
            return loc->envelopes[envelope].tag;
        }
    }
    return MPL_NONE;
}

/* Only where receives are recorded whole: else every message looks as if nobody took it. */
static void find_leftovers(struct mpl_halting *h)
{
    struct mpl_buf found = mpl_buf_make(sizeof(struct mpl_halt_leftover));

    for (uint32_t l = 0; l < h->model->n_locations && !h->is_out_of_memory &&
                         h->model->can.has_receive_completions;
         l++) {
        const struct mpl_location *loc = &h->model->locations[l];

        for (uint32_t m = 0; m < loc->n_messages && !h->is_out_of_memory; m++) {
            if (!is_leftover(h, l, m)) {
                continue;
            }
            const struct mpl_envelope *e =
                &loc->envelopes[mpl_message_get(loc, m).envelope];
            const struct mpl_halt_leftover left = { loc->process, e->peer, e->tag,
                                                    usual_tag(h, l, m) };

            h->is_out_of_memory |= !mpl_buf_put(&found, &left);
        }
    }
    h->halt->n_leftovers = (uint32_t) found.n;
    h->halt->leftovers = mpl_buf_take(&found, h->arena);
    h->is_out_of_memory |= h->halt->leftovers == NULL;
    mpl_buf_free(&found);
}

/* ---- all ------------------------------------------------------------------------------------ */

static void keep(struct mpl_halting *h, uint32_t process, const bool *is_waited_for)
{
    struct mpl_buf list = mpl_buf_make(sizeof(uint32_t));

    for (uint32_t p = 0; p < h->model->n_processes && !h->is_out_of_memory; p++) {
        h->is_out_of_memory |= is_waited_for[p] && !mpl_buf_put(&list, &p);
    }
    h->places[process].n_waits_for = (uint32_t) list.n;
    h->places[process].waits_for = mpl_buf_take(&list, h->arena);
    h->is_out_of_memory |= h->places[process].waits_for == NULL;
    mpl_buf_free(&list);
}

/*
 * Follows from each process the first that it waits for, of several one that has not been visited from it
 * yet; whoever is reached again closes a cycle. Waits that are recorded are tried before those that are not.
 */
static bool find_cycle(struct mpl_halting *h, bool is_known, uint32_t *path, bool *is_seen)
{
    const uint32_t n = h->model->n_processes;

    for (uint32_t start = 0; start < n; start++) {
        uint32_t length = 0;
        uint32_t p = start;

        memset(is_seen, 0, n * sizeof *is_seen);
        while (h->places[p].state == MPL_HALT_IN_CALL && h->places[p].n_waits_for > 0 &&
               (!is_known || h->places[p].is_known)) {
            if (is_seen[p]) {
                uint32_t first = 0;

                while (path[first] != p) {
                    first++;
                }
                h->halt->n_cycle = length - first;
                h->halt->cycle = path + first;
                h->halt->is_cycle_known = is_known;
                return true;
            }
            is_seen[p] = true;
            path[length++] = p;
            p = h->places[p].waits_for[0];
        }
    }
    return false;
}

/* Whether a message that a process waits for has been sent, and is on its way. */
static bool is_sent(const struct mpl_halting *h, uint32_t location, uint32_t message)
{
    const struct mpl_location *from = &h->model->locations[location];
    const struct mpl_message m = mpl_message_get(from, message);
    const struct mpl_envelope *e =
        m.envelope == MPL_NONE ? NULL : &from->envelopes[m.envelope];

    if (e == NULL || !e->is_send || e->peer == MPL_NONE ||
        h->match->partner[location][message] != MPL_NONE ||
        h->places[e->peer].location == MPL_NONE) {
        return false;
    }
    const struct mpl_location *to = &h->model->locations[h->places[e->peer].location];

    for (uint32_t i = 0; i < to->n_wanted; i++) {
        const struct mpl_envelope *wanted = &to->envelopes[to->wanted[i]];

        if (wanted->comm == e->comm && (wanted->any_tag || wanted->tag == e->tag) &&
            (wanted->any_source || wanted->peer == from->process)) {
            return true;
        }
    }
    return false;
}

/* All of the circle wait for messages, and none of these has been sent. Only where receives are known to be
 * recorded whole: else one may have come without a record. */
static bool is_certain(const struct mpl_halting *h)
{
    bool is_so =
        h->halt->n_cycle > 0 && h->halt->is_cycle_known && h->model->can.has_wildcards;

    for (uint32_t i = 0; i < h->halt->n_cycle && is_so; i++) {
        is_so = h->model->locations[h->places[h->halt->cycle[i]].location].n_wanted > 0;
    }
    for (uint32_t l = 0; l < h->model->n_locations && is_so; l++) {
        for (uint32_t m = 0; m < h->model->locations[l].n_messages && is_so; m++) {
            is_so = !is_sent(h, l, m);
        }
    }
    return is_so;
}

void mpl_halt_waits_find(struct mpl_halting *h)
{
    const uint32_t n = h->model->n_processes;
    bool *is_waited_for = MPL_NEW_ARRAY(h->scratch, n, bool);
    bool *is_leaving = MPL_NEW_ARRAY(h->scratch, n, bool);
    uint32_t *numbers = MPL_NEW_ARRAY(h->arena, n, uint32_t);

    h->is_out_of_memory |= is_waited_for == NULL || is_leaving == NULL || numbers == NULL;
    for (uint32_t p = 0; p < n && !h->is_out_of_memory; p++) {
        if (is_in_collective(h, p)) {
            find_comm(h, p);
        }
    }
    for (uint32_t p = 0; p < n && !h->is_out_of_memory; p++) {
        if (h->places[p].state != MPL_HALT_IN_CALL) {
            continue;
        }
        memset(is_waited_for, 0, n * sizeof *is_waited_for);
        if (!is_in_collective(h, p)) {
            wait_for_partners(h, p, is_waited_for);
        } else if (h->places[p].comm != MPL_NONE) {
            is_leaving[p] = wait_for_members(h, p, numbers, is_waited_for);
        }
        keep(h, p, is_waited_for);
    }
    for (uint32_t p = 0; p < n && !h->is_out_of_memory; p++) {
        /* As it would have done had the run not been ended. */
        if (is_leaving[p]) {
            h->places[p].state = MPL_HALT_OUTSIDE;
            h->halt->n_in[MPL_HALT_IN_CALL]--;
            h->halt->n_in[MPL_HALT_OUTSIDE]++;
        }
    }
    find_leftovers(h);
    if (!h->is_out_of_memory && !find_cycle(h, true, numbers, is_waited_for)) {
        (void) find_cycle(h, false, numbers, is_waited_for);
    }
    h->halt->is_cycle_certain = !h->is_out_of_memory && is_certain(h);
}
