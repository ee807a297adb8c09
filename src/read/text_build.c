/*
 * Items to a model. Each location has a builder that grows its columns; items reach it in the
 * order of the text, which the parser has checked to be the order of time.
 */
#include "config.h"

#include "read/text_build_priv.h"

#include <stdlib.h>
#include <string.h>

/* Clocks that are behind by seconds must not fall below zero, so shifted clocks start later. */
static const int64_t clock_origin_ns = INT64_C(1) << 40;

void mpl_build_complain(struct mpl_build *b, struct mpl_place place, const char *fmt, ...)
{
    char text[MPL_ERR_TEXT];
    va_list args;

    va_start(args, fmt);
    (void) vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    mpl_lint_add(b->text->lint, MPL_LINT_ERROR, place, "%s", text);
}

/* ---- processes and locations ---------------------------------------------------------- */

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
static bool check_gaps(struct mpl_build *b, const struct place_in_order *order, uint32_t n)
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
            mpl_build_complain(b, at->place, "rank %u has a line but rank %u has none",
                               at->rank, rank);
            return false;
        }
        if (at->thread != thread) {
            mpl_build_complain(b, at->place,
                               "thread %u of rank %u has a line but thread %u has none",
                               at->thread, at->rank, thread);
            return false;
        }
        thread++;
    }
    return true;
}

static bool fill_location(struct mpl_build *b, struct mpl_location *location,
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

static bool fill_processes(struct mpl_build *b, const struct place_in_order *order,
                           uint32_t n)
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

static void make_builders(struct mpl_build *b, uint32_t n)
{
    b->builders = MPL_NEW_ARRAY(b->scratch, n, struct mpl_builder);
    if (b->builders == NULL) {
        b->is_out_of_memory = true;
        return;
    }
    for (uint32_t l = 0; l < n; l++) {
        struct mpl_builder *at = &b->builders[l];

        *at = (struct mpl_builder){ .location = &b->model->locations[l],
                                    .times = mpl_buf_make(sizeof(int64_t)),
                                    .kinds = mpl_buf_make(sizeof(uint8_t)),
                                    .refs = mpl_buf_make(sizeof(uint32_t)),
                                    .messages = mpl_buf_make(sizeof(struct mpl_message)),
                                    .collectives =
                                        mpl_buf_make(sizeof(struct mpl_collective)),
                                    .pending = mpl_buf_make(sizeof(struct mpl_pending)),
                                    .wanted = mpl_buf_make(sizeof(uint32_t)) };
        mpl_envelopes_start(&at->envelopes);
    }
}

static void make_locations(struct mpl_build *b)
{
    const uint32_t n = (uint32_t) b->text->locations.n;
    struct place_in_order *order = MPL_NEW_ARRAY(b->scratch, n, struct place_in_order);

    b->location_of = MPL_NEW_ARRAY(b->scratch, n, uint32_t);
    if (order == NULL || b->location_of == NULL) {
        b->is_out_of_memory = true;
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        order[i] = (struct place_in_order){ mpl_buf_get(&b->text->locations, i), i };
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

static void place_process(struct mpl_build *b, const struct mpl_text_host *host,
                          const char *name, const struct mpl_text_rank *rank)
{
    if (rank->rank >= b->model->n_processes) {
        mpl_build_complain(b, rank->place, "host %s has rank %lld, which has no line",
                           host->name, (long long) rank->rank);
        return;
    }
    struct mpl_process *process = (struct mpl_process *) &b->model->processes[rank->rank];
    if (process->host != NULL) {
        mpl_build_complain(b, rank->place, "rank %lld runs on host %s already",
                           (long long) rank->rank, process->host);
        return;
    }
    process->host = name;
}

static void place_processes(struct mpl_build *b)
{
    for (size_t i = 0; i < b->text->hosts.n; i++) {
        const struct mpl_text_host *host = mpl_buf_get(&b->text->hosts, i);
        const char *name = mpl_arena_strdup(b->arena, host->name);

        b->is_out_of_memory |= name == NULL;
        for (size_t r = 0; r < host->n_ranks && !b->is_out_of_memory; r++) {
            place_process(b, host, name,
                          mpl_buf_get(&b->text->ranks, host->first_rank + r));
        }
    }
}

/* ---- communicators ----------------------------------------------------------------------- */

static const uint32_t *make_group(struct mpl_build *b, const struct mpl_text_comm *text,
                                  size_t first, size_t n)
{
    uint32_t *members = MPL_NEW_ARRAY(b->arena, n, uint32_t);
    bool *is_member = MPL_NEW_ARRAY(b->scratch, b->model->n_processes, bool);

    if (members == NULL || is_member == NULL) {
        b->is_out_of_memory = true;
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        const struct mpl_text_rank *rank = mpl_buf_get(&b->text->ranks, first + i);

        if (rank->rank >= b->model->n_processes || is_member[rank->rank]) {
            mpl_build_complain(b, rank->place,
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

static void make_comm(struct mpl_build *b, const struct mpl_text_comm *text,
                      struct mpl_comm *comm)
{
    const size_t before = mpl_names_count(b->comms);
    const uint32_t number = mpl_names_put(b->comms, text->name);

    if (number == MPL_NONE) {
        b->is_out_of_memory = true;
        return;
    }
    if (number < before) {
        mpl_build_complain(b, text->place, "there are two communicators %s", text->name);
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
static void make_comms(struct mpl_build *b)
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
        make_comm(b, mpl_buf_get(&b->text->comms, i), &comms[2 + i]);
    }
    b->model->n_comms = (uint32_t) n;
    b->model->comms = comms;
    b->model->world = 0;
}

/* ---- the whole ---------------------------------------------------------------------------------------------- */

static int64_t clock_of(const struct mpl_build *b, uint32_t rank)
{
    int64_t offset_ns = 0;

    for (size_t i = 0; i < b->text->clocks.n; i++) {
        const struct mpl_text_clock *clock = mpl_buf_get(&b->text->clocks, i);

        offset_ns = clock->rank.rank == rank ? clock->offset_ns : offset_ns;
    }
    return b->text->clocks.n > 0 ? clock_origin_ns + offset_ns : 0;
}

static void check_clocks(struct mpl_build *b)
{
    for (size_t i = 0; i < b->text->clocks.n; i++) {
        const struct mpl_text_clock *clock = mpl_buf_get(&b->text->clocks, i);

        if (clock->rank.rank >= b->model->n_processes) {
            mpl_build_complain(b, clock->rank.place, "there is no rank %lld",
                               (long long) clock->rank.rank);
        } else if (clock->offset_ns <= -clock_origin_ns) {
            mpl_build_complain(b, clock->rank.place,
                               "a clock may be at most 1000 s behind");
        }
    }
}

/* Makes columns of the events, their times being relative to the first; false: out of memory. */
static bool take_events(struct mpl_build *b, struct mpl_builder *at)
{
    struct mpl_location *location = at->location;
    const uint32_t n = (uint32_t) at->times.n;
    int64_t *times = at->times.data;

    if (n > 0) {
        const int64_t first = times[0];

        location->base_ticks = (uint64_t) (first + clock_of(b, location->process));
        for (uint32_t i = 0; i < n; i++) {
            times[i] -= first;
        }
    }
    return mpl_location_set_events(location, n, times, (const uint8_t *) at->kinds.data,
                                   (const uint32_t *) at->refs.data, b->arena);
}

static void finish_location(struct mpl_build *b, struct mpl_builder *at)
{
    struct mpl_location *location = at->location;

    location->n_collectives = (uint32_t) at->collectives.n;
    location->n_envelopes = (uint32_t) at->envelopes.items.n;
    location->n_wanted = (uint32_t) at->wanted.n;
    location->wanted = mpl_buf_take(&at->wanted, b->arena);
    location->collectives = mpl_buf_take(&at->collectives, b->arena);
    location->envelopes = mpl_buf_take(&at->envelopes.items, b->arena);
    if (!take_events(b, at) ||
        !mpl_location_set_messages(location, (uint32_t) at->messages.n, at->messages.data,
                                   b->arena) ||
        location->collectives == NULL || location->envelopes == NULL ||
        location->wanted == NULL) {
        b->is_out_of_memory = true;
        return;
    }
    b->model->n_events += location->n_events;
}

static void make_regions(struct mpl_build *b)
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

static void find_capabilities(struct mpl_build *b)
{
    struct mpl_model *model = b->model;
    struct mpl_decode_counts sum = { 0 };
    const struct mpl_extras none = { .any_source = MPL_NONE,
                                     .any_tag = MPL_NONE,
                                     .samples = MPL_NONE };
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
            sum.open_receives += mpl_message_get(location, i).event == MPL_NONE;
        }
        for (uint32_t i = 0; i < location->n_collectives; i++) {
            sum.open_collectives += location->collectives[i].is_immediate &&
                                    location->collectives[i].end == MPL_NONE;
        }
    }
    mpl_capabilities_find(model, is_used, &sum, &none, false);
}

static bool is_lost(const struct mpl_build *b)
{
    return b->is_out_of_memory || mpl_lint_errors(b->text->lint) > b->errors_before;
}

static void build_all(struct mpl_build *b)
{
    struct mpl_model *model = b->model;

    make_locations(b);
    if (is_lost(b)) {
        return;
    }
    place_processes(b);
    make_comms(b);
    if (!b->is_out_of_memory) {
        check_clocks(b);
    }
    if (is_lost(b)) {
        return;
    }
    for (size_t i = 0; i < b->text->items.n && !b->is_out_of_memory; i++) {
        mpl_build_item(b, mpl_buf_get(&b->text->items, i));
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

static void free_builders(struct mpl_build *b)
{
    for (uint32_t l = 0; b->builders != NULL && l < b->model->n_locations; l++) {
        struct mpl_builder *at = &b->builders[l];

        mpl_buf_free(&at->times);
        mpl_buf_free(&at->kinds);
        mpl_buf_free(&at->refs);
        mpl_buf_free(&at->messages);
        mpl_buf_free(&at->collectives);
        mpl_buf_free(&at->pending);
        mpl_buf_free(&at->wanted);
        mpl_envelopes_free(&at->envelopes);
        mpl_requests_free(&at->requests);
    }
}

enum mpl_status mpl_text_build(const struct mpl_text *text, struct mpl_arena *arena,
                               struct mpl_model **out, struct mpl_err *err)
{
    struct mpl_build b = { .text = text,
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
