/*
 * Items to a model. Each location has a builder that grows its columns; items reach it in the
 * order of the text, which the parser has checked to be the order of time.
 */
#include "config.h"

#include "read/tables_priv.h"
#include "read/text_priv.h"

#include <stdlib.h>
#include <string.h>

/* Clocks that are behind by seconds must not fall below zero, so shifted clocks start later. */
static const int64_t clock_origin_ns = INT64_C(1) << 40;

/** A request that is open: what to record when it is waited for. */
struct pending {
    const struct mpl_text_item *item;
    uint32_t number; /**< Message or collective. */
};

/** One location on its way. */
struct builder {
    struct mpl_location *location;
    struct mpl_buf times; /**< int64_t, ns of the text. */
    struct mpl_buf kinds;
    struct mpl_buf refs;
    struct mpl_buf messages;
    struct mpl_buf collectives;
    struct mpl_buf pending;
    struct mpl_envelopes envelopes;
    struct mpl_requests requests;
};

struct build {
    const struct mpl_text *text;
    struct mpl_arena *arena;
    struct mpl_arena *scratch;
    struct mpl_model *model;
    struct mpl_names *regions;
    struct mpl_names *labels;
    struct mpl_names *comms;
    struct builder *builders; /**< Per location of the model. */
    uint32_t *location_of;    /**< Per location of the text: that of the model. */
    size_t errors_before;
    bool is_out_of_memory;
};

static void complain(struct build *b, struct mpl_place place, const char *fmt, ...)
    MPL_PRINTF(3, 4);

static void complain(struct build *b, struct mpl_place place, const char *fmt, ...)
{
    char text[MPL_ERR_TEXT];
    va_list args;

    va_start(args, fmt);
    (void) vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    mpl_lint_add(b->text->lint, MPL_LINT_ERROR, place, "%s", text);
}

static void *add(struct build *b, struct mpl_buf *buf)
{
    void *item = mpl_buf_add(buf);

    b->is_out_of_memory |= item == NULL;
    return item;
}

/* ---- processes and locations ---------------------------------------------------------- */

static const struct mpl_text_location *text_location(const struct build *b, uint32_t i)
{
    return (const struct mpl_text_location *) mpl_buf_get(&b->text->locations, i);
}

/** Which location of the text stands where: by rank, then thread. */
struct place_in_order {
    const struct mpl_text_location *text;
    uint32_t number;
};

static int compare_places(const void *x, const void *y)
{
    const struct mpl_text_location *a = ((const struct place_in_order *) x)->text;
    const struct mpl_text_location *b = ((const struct place_in_order *) y)->text;

    if (a->rank != b->rank) {
        return a->rank < b->rank ? -1 : 1;
    }
    return a->thread < b->thread ? -1 : a->thread > b->thread;
}

/** Ranks must be 0, 1, 2, ... and each must have its thread 0, and so on. */
static bool check_gaps(struct build *b, const struct place_in_order *order, uint32_t n)
{
    uint32_t rank = 0;
    uint32_t thread = 0;

    for (uint32_t i = 0; i < n; i++) {
        const struct mpl_text_location *at = order[i].text;

        if (i > 0 && at->rank != order[i - 1].text->rank) {
            rank++;
            thread = 0;
        }
        if (at->rank != rank) {
            complain(b, at->place, "rank %u has a line but rank %u has none", at->rank,
                     rank);
            return false;
        }
        if (at->thread != thread) {
            complain(b, at->place, "thread %u of rank %u has a line but thread %u has none",
                     at->thread, at->rank, thread);
            return false;
        }
        thread++;
    }
    return true;
}

static bool fill_location(struct build *b, struct mpl_location *location,
                          const struct mpl_text_location *text)
{
    location->process = text->rank;
    location->thread = text->thread;
    location->reference = (uint64_t) text->thread << 32 | text->rank;
    if (text->thread == 0) {
        location->label = mpl_arena_printf(b->arena, "%u", text->rank);
        location->name = "Master thread";
    } else {
        location->label = mpl_arena_printf(b->arena, "%u.%u", text->rank, text->thread);
        location->name = mpl_arena_printf(b->arena, "Thread %u", text->thread);
    }
    return location->label != NULL && location->name != NULL;
}

static bool fill_processes(struct build *b, const struct place_in_order *order, uint32_t n)
{
    struct mpl_location *locations = MPL_NEW_ARRAY(b->arena, n, struct mpl_location);
    struct mpl_process *processes =
        MPL_NEW_ARRAY(b->arena, order[n - 1].text->rank + 1, struct mpl_process);
    uint32_t *indices = MPL_NEW_ARRAY(b->arena, n, uint32_t);

    if (locations == NULL || processes == NULL || indices == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        struct mpl_process *process = &processes[order[i].text->rank];

        indices[i] = i;
        b->location_of[order[i].number] = i;
        if (process->n_locations++ == 0) {
            process->rank = order[i].text->rank;
            process->locations = &indices[i];
            process->name = mpl_arena_printf(b->arena, "MPI Rank %u", process->rank);
        }
        if (process->name == NULL || !fill_location(b, &locations[i], order[i].text)) {
            return false;
        }
    }
    b->model->n_locations = n;
    b->model->locations = locations;
    b->model->n_processes = order[n - 1].text->rank + 1;
    b->model->processes = processes;
    return true;
}

static void make_builders(struct build *b, uint32_t n)
{
    b->builders = MPL_NEW_ARRAY(b->scratch, n, struct builder);
    if (b->builders == NULL) {
        b->is_out_of_memory = true;
        return;
    }
    for (uint32_t l = 0; l < n; l++) {
        struct builder *at = &b->builders[l];

        *at = (struct builder){ .location = &b->model->locations[l],
                                .times = mpl_buf_make(sizeof(int64_t)),
                                .kinds = mpl_buf_make(sizeof(uint8_t)),
                                .refs = mpl_buf_make(sizeof(uint32_t)),
                                .messages = mpl_buf_make(sizeof(struct mpl_message)),
                                .collectives = mpl_buf_make(sizeof(struct mpl_collective)),
                                .pending = mpl_buf_make(sizeof(struct pending)) };
        mpl_envelopes_start(&at->envelopes);
    }
}

static void make_locations(struct build *b)
{
    const uint32_t n = (uint32_t) b->text->locations.n;
    struct place_in_order *order = MPL_NEW_ARRAY(b->scratch, n, struct place_in_order);

    b->location_of = MPL_NEW_ARRAY(b->scratch, n, uint32_t);
    if (order == NULL || b->location_of == NULL) {
        b->is_out_of_memory = true;
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        order[i] = (struct place_in_order){ text_location(b, i), i };
    }
    qsort(order, n, sizeof *order, compare_places);
    if (!check_gaps(b, order, n)) {
        return;
    }
    if (!fill_processes(b, order, n)) {
        b->is_out_of_memory = true;
        return;
    }
    make_builders(b, n);
}

/* ---- communicators ----------------------------------------------------------------------- */

static const uint32_t *make_group(struct build *b, const struct mpl_text_comm *text,
                                  size_t first, size_t n)
{
    uint32_t *members = MPL_NEW_ARRAY(b->arena, n, uint32_t);
    bool *is_member = MPL_NEW_ARRAY(b->scratch, b->model->n_processes, bool);

    if (members == NULL || is_member == NULL) {
        b->is_out_of_memory = true;
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        const struct mpl_text_rank *rank =
            (const struct mpl_text_rank *) mpl_buf_get(&b->text->ranks, first + i);

        if (rank->rank >= b->model->n_processes || is_member[rank->rank]) {
            complain(b, rank->place,
                     rank->rank >= b->model->n_processes
                         ? "communicator %s names rank %lld, which has no line"
                         : "communicator %s names rank %lld twice",
                     text->name, (long long) rank->rank);
            return NULL;
        }
        is_member[rank->rank] = true;
        members[i] = (uint32_t) rank->rank;
    }
    return members;
}

static void make_comm(struct build *b, const struct mpl_text_comm *text,
                      struct mpl_comm *comm)
{
    const size_t before = mpl_names_count(b->comms);
    const uint32_t number = mpl_names_put(b->comms, text->name);

    if (number == MPL_NONE) {
        b->is_out_of_memory = true;
        return;
    }
    if (number < before) {
        complain(b, text->place, "there are two communicators %s", text->name);
        return;
    }
    comm->name = mpl_arena_strdup(b->arena, text->name);
    comm->n_members = (uint32_t) text->n_ranks;
    comm->n_remote = (uint32_t) text->n_remote;
    comm->members = make_group(b, text, text->first_rank, text->n_ranks);
    comm->remote = make_group(b, text, text->first_rank + text->n_ranks, text->n_remote);
    b->is_out_of_memory |= comm->name == NULL;
}

/** world is the first, self the second; those of the text follow in their order. */
static void make_comms(struct build *b)
{
    const size_t n = 2 + b->text->comms.n;
    struct mpl_comm *comms = MPL_NEW_ARRAY(b->arena, n, struct mpl_comm);
    uint32_t *members = MPL_NEW_ARRAY(b->arena, b->model->n_processes, uint32_t);

    if (comms == NULL || members == NULL || mpl_names_put(b->comms, "world") == MPL_NONE ||
        mpl_names_put(b->comms, "self") == MPL_NONE) {
        b->is_out_of_memory = true;
        return;
    }
    for (uint32_t p = 0; p < b->model->n_processes; p++) {
        members[p] = p;
    }
    comms[0] = (struct mpl_comm){ .name = "MPI_COMM_WORLD",
                                  .n_members = b->model->n_processes,
                                  .members = members };
    comms[1] = (struct mpl_comm){ .name = "MPI_COMM_SELF", .is_self = true };
    for (size_t i = 0; i < b->text->comms.n && !b->is_out_of_memory; i++) {
        make_comm(b, (const struct mpl_text_comm *) mpl_buf_get(&b->text->comms, i),
                  &comms[2 + i]);
    }
    b->model->n_comms = (uint32_t) n;
    b->model->comms = comms;
    b->model->world = 0;
}

static bool is_member(const struct mpl_comm *comm, uint32_t process)
{
    for (uint32_t i = 0; i < comm->n_members; i++) {
        if (comm->members[i] == process) {
            return true;
        }
    }
    for (uint32_t i = 0; i < comm->n_remote; i++) {
        if (comm->remote[i] == process) {
            return true;
        }
    }
    return comm->is_self;
}

static void unknown_comm(struct build *b, const struct mpl_text_word *word)
{
    const char **names = MPL_NEW_ARRAY(b->scratch, mpl_names_count(b->comms), const char *);
    const char *near = NULL;

    for (uint32_t i = 0; names != NULL && i < mpl_names_count(b->comms); i++) {
        names[i] = mpl_names_text(b->comms, i);
    }
    if (names != NULL) {
        near = mpl_suggest(word->text, names, mpl_names_count(b->comms));
    }
    complain(b, word->place, "there is no communicator %s%s%s%s", word->text,
             near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
             near != NULL ? "'?" : "");
}

/** The communicator of an item; MPL_NONE after a complaint. */
static uint32_t comm_of(struct build *b, const struct builder *at,
                        const struct mpl_text_item *item)
{
    uint32_t comm;

    if (item->comm.text == NULL) {
        return b->model->world;
    }
    comm = mpl_names_find(b->comms, item->comm.text);
    if (comm == MPL_NONE) {
        unknown_comm(b, &item->comm);
    } else if (!is_member(&b->model->comms[comm], at->location->process)) {
        complain(b, item->comm.place, "rank %u is no member of communicator %s",
                 at->location->process, item->comm.text);
        comm = MPL_NONE;
    }
    return comm;
}

/** The process that an item names; MPL_NONE after a complaint. */
static uint32_t peer_of(struct build *b, const struct builder *at, uint32_t comm,
                        const struct mpl_text_rank *rank, const struct mpl_text_item *item)
{
    const uint32_t peer =
        mpl_comm_peer(b->model, comm, at->location->process, (uint32_t) rank->rank);

    if (peer != MPL_NONE) {
        return peer;
    }
    if (item->comm.text == NULL) {
        complain(b, rank->place, "there is no rank %lld", (long long) rank->rank);
    } else {
        complain(b, rank->place, "communicator %s has no rank %lld", item->comm.text,
                 (long long) rank->rank);
    }
    return MPL_NONE;
}

/* ---- events ------------------------------------------------------------------------------------ */

static uint32_t store(struct build *b, struct builder *at, int64_t ns,
                      enum mpl_event_kind kind, uint32_t ref)
{
    int64_t *time = (int64_t *) add(b, &at->times);
    uint8_t *k = (uint8_t *) add(b, &at->kinds);
    uint32_t *r = (uint32_t *) add(b, &at->refs);

    if (time == NULL || k == NULL || r == NULL) {
        return 0;
    }
    *time = ns;
    *k = (uint8_t) kind;
    *r = ref;
    return (uint32_t) at->times.n - 1;
}

static uint32_t region_of(struct build *b, const char *name)
{
    const uint32_t region = mpl_names_put(b->regions, name);

    b->is_out_of_memory |= region == MPL_NONE;
    return region;
}

static struct mpl_message *message_at(struct builder *at, uint32_t number)
{
    return (struct mpl_message *) mpl_buf_get(&at->messages, number);
}

static uint32_t add_message(struct build *b, struct builder *at)
{
    struct mpl_message *message = (struct mpl_message *) add(b, &at->messages);

    if (message == NULL) {
        return MPL_NONE;
    }
    *message =
        (struct mpl_message){ .envelope = MPL_NONE, .event = MPL_NONE, .post = MPL_NONE };
    return (uint32_t) at->messages.n - 1;
}

static uint32_t add_envelope(struct build *b, struct builder *at,
                             const struct mpl_text_item *item, bool is_send)
{
    static const uint32_t null_rank = UINT32_MAX - 1;
    const struct mpl_text_rank *rank = is_send ? &item->to : &item->from;
    const bool is_null = rank->rank == MPL_TEXT_NULL_RANK;
    const uint32_t comm = comm_of(b, at, item);
    struct mpl_envelope_key key = { .comm = comm,
                                    .rank = is_null ? null_rank : (uint32_t) rank->rank,
                                    .tag = item->tag,
                                    .is_send = is_send };
    uint32_t peer = MPL_NONE;
    uint32_t number;
    bool is_new;

    if (comm != MPL_NONE && !is_null) {
        peer = peer_of(b, at, comm, rank, item);
    }
    number = mpl_envelopes_put(&at->envelopes, &key, &is_new);
    if (number == MPL_NONE) {
        b->is_out_of_memory = true;
    } else if (is_new) {
        *(struct mpl_envelope *) mpl_buf_get(&at->envelopes.items, number) =
            (struct mpl_envelope){ .comm = comm,
                                   .peer = peer,
                                   .peer_rank = key.rank,
                                   .tag = key.tag,
                                   .is_send = is_send,
                                   .is_null = is_null };
    }
    return number;
}

/** The record that names the partner: SEND, ISEND, RECV or IRECV. */
static void put_message(struct build *b, struct builder *at,
                        const struct mpl_text_item *item, uint32_t number, int64_t ns,
                        enum mpl_event_kind kind)
{
    const bool is_send = kind == MPL_EV_SEND || kind == MPL_EV_ISEND;
    const uint32_t envelope = add_envelope(b, at, item, is_send);
    const uint32_t event = store(b, at, ns, kind, number);

    if (b->is_out_of_memory) {
        return;
    }
    message_at(at, number)->envelope = envelope;
    message_at(at, number)->event = event;
    message_at(at, number)->bytes = is_send ? item->sent_bytes : item->received_bytes;
}

/* ---- requests ------------------------------------------------------------------------------------- */

static void open_request(struct build *b, struct builder *at,
                         const struct mpl_text_item *item, enum mpl_request_kind kind,
                         uint32_t number)
{
    const uint32_t index = (uint32_t) at->pending.n;
    struct pending *pending;
    uint32_t label;

    if (item->label.text == NULL) {
        return;
    }
    label = mpl_names_put(b->labels, item->label.text);
    pending = (struct pending *) add(b, &at->pending);
    if (label == MPL_NONE || pending == NULL) {
        b->is_out_of_memory = true;
        return;
    }
    *pending = (struct pending){ item, number };
    for (int k = MPL_REQUEST_SEND; k <= MPL_REQUEST_COLL; k++) {
        if (mpl_requests_take(&at->requests, (enum mpl_request_kind) k, label) !=
            MPL_NONE) {
            complain(b, item->label.place, "request %s is still open", item->label.text);
        }
    }
    b->is_out_of_memory |= !mpl_requests_put(&at->requests, kind, label, index);
}

static void complete(struct build *b, struct builder *at, const struct mpl_text_word *word,
                     int64_t ns)
{
    const uint32_t label = mpl_names_find(b->labels, word->text);
    struct mpl_collective *part;
    uint32_t index = MPL_NONE;
    const struct pending *done;
    int kind = MPL_REQUEST_SEND;

    while (label != MPL_NONE && index == MPL_NONE && kind <= MPL_REQUEST_COLL) {
        index = mpl_requests_take(&at->requests, (enum mpl_request_kind) kind++, label);
    }
    if (index == MPL_NONE) {
        complain(b, word->place, "no request %s is open at rank %s", word->text,
                 at->location->label);
        return;
    }
    done = (const struct pending *) mpl_buf_get(&at->pending, index);
    if (mpl_lint_errors(b->text->lint) > b->errors_before) {
        return; /* Its posting may be what is wrong; once is enough to say so. */
    }
    switch (kind - 1) {
    case MPL_REQUEST_SEND:
        message_at(at, done->number)->post =
            store(b, at, ns, MPL_EV_ISEND_DONE, done->number);
        break;
    case MPL_REQUEST_RECV:
        put_message(b, at, done->item, done->number, ns, MPL_EV_IRECV);
        break;
    default:
        part = (struct mpl_collective *) mpl_buf_get(&at->collectives, done->number);
        part->end = store(b, at, ns, MPL_EV_COLL_END, done->number);
        break;
    }
}

/* ---- items ---------------------------------------------------------------------------------------------- */

static uint32_t add_collective(struct build *b, struct builder *at,
                               const struct mpl_text_item *item)
{
    const uint32_t number = (uint32_t) at->collectives.n;
    const uint32_t comm = comm_of(b, at, item);
    struct mpl_collective *part = (struct mpl_collective *) add(b, &at->collectives);
    uint32_t root = MPL_NONE;

    if (comm != MPL_NONE && item->root.rank >= 0) {
        root = peer_of(b, at, comm, &item->root, item);
    }
    if (part != NULL) {
        *part = (struct mpl_collective){ .begin = (uint32_t) at->times.n,
                                         .end = MPL_NONE,
                                         .comm = comm,
                                         .root = root,
                                         .op = item->verb->op,
                                         .is_immediate = item->shape == MPL_TEXT_ICOLL,
                                         .sent_bytes = item->sent_bytes,
                                         .received_bytes = item->received_bytes };
    }
    (void) store(b, at, item->begin_ns, MPL_EV_COLL_BEGIN, number);
    return number;
}

static void put_collective(struct build *b, struct builder *at,
                           const struct mpl_text_item *item)
{
    const uint32_t number = add_collective(b, at, item);

    if (b->is_out_of_memory) {
        return;
    }
    if (item->shape == MPL_TEXT_ICOLL) {
        open_request(b, at, item, MPL_REQUEST_COLL, number);
        return;
    }
    ((struct mpl_collective *) mpl_buf_get(&at->collectives, number))->end =
        store(b, at, item->end_ns, MPL_EV_COLL_END, number);
}

static void put_irecv(struct build *b, struct builder *at, const struct mpl_text_item *item)
{
    const uint32_t number = add_message(b, at);
    const uint32_t post = store(b, at, item->begin_ns, MPL_EV_IRECV_POST, number);

    if (b->is_out_of_memory) {
        return;
    }
    message_at(at, number)->post = post;
    /* Checks rank and communicator now: the text may never wait for the request. */
    (void) add_envelope(b, at, item, false);
    open_request(b, at, item, MPL_REQUEST_RECV, number);
}

/** What an item records between the enter and the leave of its call. */
static void put_records(struct build *b, struct builder *at,
                        const struct mpl_text_item *item)
{
    uint32_t number;

    switch (item->shape) {
    case MPL_TEXT_SEND:
        put_message(b, at, item, add_message(b, at), item->begin_ns, MPL_EV_SEND);
        break;
    case MPL_TEXT_RECV:
        put_message(b, at, item, add_message(b, at), item->end_ns, MPL_EV_RECV);
        break;
    case MPL_TEXT_SENDRECV:
        put_message(b, at, item, add_message(b, at), item->begin_ns, MPL_EV_SEND);
        put_message(b, at, item, add_message(b, at), item->end_ns, MPL_EV_RECV);
        break;
    case MPL_TEXT_ISEND:
        number = add_message(b, at);
        put_message(b, at, item, number, item->begin_ns, MPL_EV_ISEND);
        open_request(b, at, item, MPL_REQUEST_SEND, number);
        break;
    case MPL_TEXT_IRECV:
        put_irecv(b, at, item);
        break;
    case MPL_TEXT_WAIT:
        for (size_t i = 0; i < item->n_labels; i++) {
            complete(b, at,
                     (const struct mpl_text_word *) mpl_buf_get(&b->text->labels,
                                                                item->first_label + i),
                     item->end_ns);
        }
        break;
    case MPL_TEXT_COLL:
    case MPL_TEXT_ICOLL:
        put_collective(b, at, item);
        break;
    default:
        break;
    }
}

static const char *region_name(const struct mpl_text_item *item)
{
    if (item->name.text != NULL) {
        return item->name.text;
    }
    if (item->shape == MPL_TEXT_WAIT && item->n_labels > 1) {
        return strcmp(item->verb->word, "wait") == 0   ? "MPI_Waitall"
               : strcmp(item->verb->word, "test") == 0 ? "MPI_Testall"
                                                       : item->verb->call;
    }
    return item->verb->call != NULL ? item->verb->call : "compute";
}

static void put_item(struct build *b, const struct mpl_text_item *item)
{
    struct builder *at = &b->builders[b->location_of[item->location]];
    const uint32_t region = region_of(b, region_name(item));

    if (item->shape != MPL_TEXT_CLOSE) {
        (void) store(b, at, item->begin_ns, MPL_EV_ENTER, region);
        put_records(b, at, item);
    }
    if (item->shape != MPL_TEXT_REGION) {
        (void) store(b, at, item->end_ns, MPL_EV_LEAVE, region);
    }
}

/* ---- the whole ---------------------------------------------------------------------------------------------- */

static int64_t clock_of(const struct build *b, uint32_t rank)
{
    int64_t offset_ns = 0;

    for (size_t i = 0; i < b->text->clocks.n; i++) {
        const struct mpl_text_clock *clock =
            (const struct mpl_text_clock *) mpl_buf_get(&b->text->clocks, i);

        offset_ns = clock->rank.rank == rank ? clock->offset_ns : offset_ns;
    }
    return b->text->clocks.n > 0 ? clock_origin_ns + offset_ns : 0;
}

static void check_clocks(struct build *b)
{
    for (size_t i = 0; i < b->text->clocks.n; i++) {
        const struct mpl_text_clock *clock =
            (const struct mpl_text_clock *) mpl_buf_get(&b->text->clocks, i);

        if (clock->rank.rank >= b->model->n_processes) {
            complain(b, clock->rank.place, "there is no rank %lld",
                     (long long) clock->rank.rank);
        } else if (clock->offset_ns <= -clock_origin_ns) {
            complain(b, clock->rank.place, "a clock may be at most 1000 s behind");
        }
    }
}

static void finish_location(struct build *b, struct builder *at)
{
    struct mpl_location *location = at->location;
    const int64_t *times;

    location->n_events = (uint32_t) at->times.n;
    location->n_messages = (uint32_t) at->messages.n;
    location->n_collectives = (uint32_t) at->collectives.n;
    location->n_envelopes = (uint32_t) at->envelopes.items.n;
    location->time_ticks = (int64_t *) mpl_buf_take(&at->times, b->arena);
    location->kind = (const uint8_t *) mpl_buf_take(&at->kinds, b->arena);
    location->ref = (const uint32_t *) mpl_buf_take(&at->refs, b->arena);
    location->messages = (const struct mpl_message *) mpl_buf_take(&at->messages, b->arena);
    location->collectives =
        (const struct mpl_collective *) mpl_buf_take(&at->collectives, b->arena);
    location->envelopes =
        (const struct mpl_envelope *) mpl_buf_take(&at->envelopes.items, b->arena);
    if (location->time_ticks == NULL || location->kind == NULL || location->ref == NULL ||
        location->messages == NULL || location->collectives == NULL ||
        location->envelopes == NULL) {
        b->is_out_of_memory = true;
        return;
    }
    times = location->time_ticks;
    if (location->n_events > 0) {
        const int64_t first = times[0];

        location->base_ticks = (uint64_t) (first + clock_of(b, location->process));
        for (uint32_t i = 0; i < location->n_events; i++) {
            location->time_ticks[i] -= first;
        }
    }
    b->model->n_events += location->n_events;
}

static void make_regions(struct build *b)
{
    const uint32_t n = (uint32_t) mpl_names_count(b->regions);
    struct mpl_region *regions = MPL_NEW_ARRAY(b->arena, n, struct mpl_region);

    b->model->regions = regions;
    b->model->n_regions = n;
    for (uint32_t r = 0; regions != NULL && r < n; r++) {
        const char *name = mpl_names_text(b->regions, r);

        regions[r].name = mpl_arena_strdup(b->arena, name);
        regions[r].kind = mpl_region_kind_of_name(name, &regions[r].mode);
        /* Time without a function's name is nobody's, like EZTrace's "Working". */
        if (strcmp(name, "compute") == 0) {
            regions[r].kind = MPL_REGION_TRACER;
        }
        b->is_out_of_memory |= regions[r].name == NULL;
    }
    b->is_out_of_memory |= regions == NULL;
}

static void find_capabilities(struct build *b)
{
    struct mpl_model *model = b->model;
    struct mpl_decode_counts sum = { 0 };
    bool *is_used = MPL_NEW_ARRAY(b->scratch, model->n_regions, bool);
    uint32_t *n_offsets = MPL_NEW_ARRAY(b->arena, model->n_locations, uint32_t);

    model->offsets =
        MPL_NEW_ARRAY(b->arena, model->n_locations, const struct mpl_clock_offset *);
    model->n_offsets = n_offsets;
    if (is_used == NULL || n_offsets == NULL || model->offsets == NULL) {
        b->is_out_of_memory = true;
        return;
    }
    memset(is_used, true, model->n_regions * sizeof *is_used);
    for (uint32_t l = 0; l < model->n_locations; l++) {
        const struct mpl_location *location = &model->locations[l];

        for (uint32_t i = 0; i < location->n_messages; i++) {
            sum.open_receives += location->messages[i].event == MPL_NONE;
        }
        for (uint32_t i = 0; i < location->n_collectives; i++) {
            sum.open_collectives += location->collectives[i].end == MPL_NONE;
        }
    }
    mpl_capabilities_find(model, is_used, &sum, false);
}

static bool is_lost(const struct build *b)
{
    return b->is_out_of_memory || mpl_lint_errors(b->text->lint) > b->errors_before;
}

static void build_all(struct build *b)
{
    struct mpl_model *model = b->model;

    make_locations(b);
    if (is_lost(b)) {
        return;
    }
    make_comms(b);
    if (!b->is_out_of_memory) {
        check_clocks(b);
    }
    if (is_lost(b)) {
        return;
    }
    for (size_t i = 0; i < b->text->items.n && !b->is_out_of_memory; i++) {
        put_item(b, (const struct mpl_text_item *) mpl_buf_get(&b->text->items, i));
    }
    if (is_lost(b)) {
        return;
    }
    make_regions(b);
    for (uint32_t l = 0; l < model->n_locations && !b->is_out_of_memory; l++) {
        finish_location(b, &b->builders[l]);
    }
    if (!b->is_out_of_memory) {
        find_capabilities(b);
    }
}

static void free_builders(struct build *b)
{
    for (uint32_t l = 0; b->builders != NULL && l < b->model->n_locations; l++) {
        struct builder *at = &b->builders[l];

        mpl_buf_free(&at->times);
        mpl_buf_free(&at->kinds);
        mpl_buf_free(&at->refs);
        mpl_buf_free(&at->messages);
        mpl_buf_free(&at->collectives);
        mpl_buf_free(&at->pending);
        mpl_envelopes_free(&at->envelopes);
        mpl_requests_free(&at->requests);
    }
}

enum mpl_status mpl_text_build(const struct mpl_text *text, struct mpl_arena *arena,
                               struct mpl_model **out, struct mpl_err *err)
{
    struct build b = { .text = text,
                       .arena = arena,
                       .scratch = mpl_arena_create(),
                       .model = MPL_NEW(arena, struct mpl_model),
                       .regions = mpl_names_create(),
                       .labels = mpl_names_create(),
                       .comms = mpl_names_create(),
                       .errors_before = mpl_lint_errors(text->lint) };

    if (b.scratch == NULL || b.model == NULL || b.regions == NULL || b.labels == NULL ||
        b.comms == NULL) {
        b.is_out_of_memory = true;
    } else {
        b.model->tracer = MPL_TRACER_TEXT;
        b.model->ticks_per_s = 1000000000;
        b.model->has_common_clock = text->clocks.n == 0;
        b.model->quality = mpl_quality_create(arena);
        b.is_out_of_memory = b.model->quality == NULL;
    }
    if (!b.is_out_of_memory) {
        build_all(&b);
        free_builders(&b);
    }
    mpl_names_destroy(b.regions);
    mpl_names_destroy(b.labels);
    mpl_names_destroy(b.comms);
    mpl_arena_destroy(b.scratch);
    if (b.is_out_of_memory) {
        return mpl_nomem(err);
    }
    if (mpl_lint_errors(text->lint) > b.errors_before) {
        return mpl_lint_fail(text->lint, err);
    }
    b.model->n_recorded = b.model->n_events;
    *out = b.model;
    return MPL_OK;
}
