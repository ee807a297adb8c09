/* Everything is checked as it is read: what stands in the model then is as mpl_model_check() wants it. */
#include "config.h"

#include "read/baseline_priv.h"

#include <string.h>

/* 2^62: what is added to a time does not overflow. */
static const int64_t latest_ticks = INT64_C(1) << 62;

struct reader {
    const struct mpl_json_value *root;
    struct mpl_arena *arena;
    struct mpl_arena *scratch;
    struct mpl_model *model;
    struct mpl_process *processes; /* Of the model. */
    const char **shapes;
    uint32_t n_shapes;
    bool is_short;   /* Memory ran out. */
    const char *bad; /* What is damaged; NULL: nothing so far. */
};

static bool is_lost(const struct reader *r)
{
    return r->is_short || r->bad != NULL;
}

/* The first one counts. */
static void complain(struct reader *r, const char *what)
{
    r->bad = r->bad == NULL ? what : r->bad;
}

static void *make(struct reader *r, size_t n, size_t size)
{
    void *array = mpl_arena_array(r->arena, n, size);

    r->is_short |= array == NULL;
    return array;
}

static const char *take_text(struct reader *r, const struct mpl_json_value *value,
                             const char *what)
{
    const char *text = mpl_json_text(value);
    const char *kept = text == NULL ? NULL : mpl_arena_strdup(r->arena, text);

    if (text == NULL) {
        complain(r, what);
    }
    r->is_short |= text != NULL && kept == NULL;
    return kept;
}

static int64_t take_number(struct reader *r, const struct mpl_json_value *value,
                           int64_t low, int64_t high, const char *what)
{
    int64_t number;

    if (!mpl_json_whole(value, low, high, &number)) {
        complain(r, what);
        return low;
    }
    return number;
}

static uint32_t count(struct reader *r, const struct mpl_json_value *array)
{
    const size_t n = mpl_json_count(array);

    if (n >= MPL_NONE) {
        complain(r, "a list");
    }
    return (uint32_t) n;
}

/* ---- definitions ---------------------------------------------------------------------------------- */

static void take_regions(struct reader *r)
{
    static const char what[] = "a region";
    const struct mpl_json_value *all = mpl_json_member(r->root, "regions");
    const uint32_t n = count(r, all);
    struct mpl_region *regions = make(r, n, sizeof *regions);

    for (uint32_t i = 0; i < n && !is_lost(r); i++) {
        const struct mpl_json_value *x = mpl_json_item(all, i);
        const struct mpl_json_value *file = mpl_json_member(x, "file");

        regions[i].name = take_text(r, mpl_json_member(x, "name"), what);
        regions[i].kind = (enum mpl_region_kind) take_number(r, mpl_json_member(x, "kind"),
                                                             0, MPL_REGION_TRACER, what);
        regions[i].mode = (enum mpl_call_mode) take_number(r, mpl_json_member(x, "mode"), 0,
                                                           MPL_CALL_TEST, what);
        if (file != NULL) {
            regions[i].file = take_text(r, file, what);
            regions[i].line =
                (uint32_t) take_number(r, mpl_json_member(x, "line"), 0, UINT32_MAX, what);
        }
        regions[i].is_undefined = mpl_json_is_true(mpl_json_member(x, "undefined"));
    }
    r->model->regions = regions;
    r->model->n_regions = n;
}

/* Numbers below \p limit. */
static const uint32_t *take_members(struct reader *r, const struct mpl_json_value *value,
                                    uint32_t limit, uint32_t *n, const char *what)
{
    struct mpl_coder c = mpl_coder_read(mpl_json_text(value));
    struct mpl_buf members = mpl_buf_make(sizeof(uint32_t));
    const uint32_t *taken;
    int64_t at = 0;

    while (!c.is_bad && *c.at != '\0') {
        uint32_t *slot = mpl_buf_add(&members);
        int64_t more = 0;

        mpl_code_signed(&c, &more);
        c.is_bad |= more < -at || more >= (int64_t) limit - at;
        if (slot == NULL || c.is_bad) {
            r->is_short |= slot == NULL;
            break;
        }
        at += more;
        *slot = (uint32_t) at;
    }
    if (c.is_bad) {
        complain(r, what);
    }
    *n = (uint32_t) members.n;
    taken = mpl_buf_take(&members, r->arena);
    mpl_buf_free(&members);
    r->is_short |= taken == NULL;
    return taken;
}

static void take_comm(struct reader *r, const struct mpl_json_value *x,
                      struct mpl_comm *comm)
{
    static const char what[] = "a communicator";
    const struct mpl_json_value *remote = mpl_json_member(x, "remote");
    const uint32_t n = r->model->n_processes;

    comm->name = take_text(r, mpl_json_member(x, "name"), what);
    comm->is_self = mpl_json_is_true(mpl_json_member(x, "self"));
    if (!comm->is_self) {
        comm->members =
            take_members(r, mpl_json_member(x, "members"), n, &comm->n_members, what);
    }
    if (remote != NULL) {
        comm->remote = take_members(r, remote, n, &comm->n_remote, what);
    }
    if (!comm->is_self && comm->n_members == 0) {
        complain(r, what);
    }
}

static void take_comms(struct reader *r)
{
    const struct mpl_json_value *all = mpl_json_member(r->root, "communicators");
    const struct mpl_json_value *world = mpl_json_member(r->root, "world");
    const uint32_t n = count(r, all);
    struct mpl_comm *comms = make(r, n, sizeof *comms);
    int64_t unused;

    for (uint32_t i = 0; i < n && !is_lost(r); i++) {
        take_comm(r, mpl_json_item(all, i), &comms[i]);
    }
    r->model->comms = comms;
    r->model->n_comms = n;
    r->model->world =
        mpl_json_whole(world, 0, (int64_t) n - 1, &unused) ? (uint32_t) unused : MPL_NONE;
}

static void take_capabilities(struct reader *r)
{
    const struct mpl_json_value *all = mpl_json_member(r->root, "capabilities");

    for (size_t i = 0; i < mpl_json_count(all); i++) {
        const char *name = mpl_json_text(mpl_json_item(all, i));
        const struct mpl_capability *can = name == NULL ? NULL : mpl_capability_find(name);

        if (can == NULL) {
            complain(r, "a capability");
        } else {
            *(bool *) ((char *) &r->model->can + can->offset) = true;
        }
    }
}

static void take_notes(struct reader *r)
{
    static const char what[] = "a note";
    const struct mpl_json_value *all = mpl_json_member(r->root, "notes");

    for (size_t i = 0; i < mpl_json_count(all) && !is_lost(r); i++) {
        const struct mpl_json_value *x = mpl_json_item(all, i);
        const char *note = take_text(r, mpl_json_member(x, "note"), what);
        const char *text = take_text(r, mpl_json_member(x, "text"), what);
        int64_t n = take_number(r, mpl_json_member(x, "count"), 0, INT64_MAX, what);
        uint32_t n_locations = 0;
        const uint32_t *locations = take_members(r, mpl_json_member(x, "locations"),
                                                 r->model->n_locations, &n_locations, what);

        for (uint32_t k = 0; (k < n_locations || k == 0) && !is_lost(r); k++) {
            mpl_quality_add(r->model->quality, note,
                            n_locations == 0 ? MPL_NONE : locations[k], (uint64_t) n, "%s",
                            text);
            n = 0;
        }
    }
}

static const int64_t *take_bounds(struct reader *r, const struct mpl_json_value *value)
{
    struct mpl_coder c = mpl_coder_read(mpl_json_text(value));
    int64_t *bounds = make(r, r->model->n_locations, sizeof *bounds);

    for (uint32_t l = 0; l < r->model->n_locations && bounds != NULL; l++) {
        mpl_code_signed(&c, &bounds[l]);
    }
    if (!mpl_coder_is_done(&c)) {
        complain(r, "the clock");
    }
    return bounds;
}

static void take_timeline(struct reader *r)
{
    const struct mpl_json_value *x = mpl_json_member(r->root, "clock");
    struct mpl_timeline *known = make(r, 1, sizeof *known);

    if (known != NULL) {
        known->source =
            (unsigned) take_number(r, mpl_json_member(x, "source"), 0, 5, "the clock");
        known->bound_ticks = take_bounds(r, mpl_json_member(x, "bound"));
        known->low_ticks = take_bounds(r, mpl_json_member(x, "low"));
        known->high_ticks = take_bounds(r, mpl_json_member(x, "high"));
    }
    r->model->timeline = known;
}

/* ---- a location ----------------------------------------------------------------------------------- */

static void take_envelopes(struct reader *r, const struct mpl_json_value *value,
                           struct mpl_location *loc)
{
    struct mpl_coder c = mpl_coder_read(mpl_json_text(value));
    struct mpl_buf envelopes = mpl_buf_make(sizeof(struct mpl_envelope));

    while (!c.is_bad && *c.at != '\0') {
        struct mpl_envelope *slot = mpl_buf_add(&envelopes);

        if (slot == NULL) {
            r->is_short = true;
            break;
        }
        mpl_code_envelope(r->model, slot, &c);
    }
    if (c.is_bad) {
        complain(r, "envelopes");
    }
    loc->n_envelopes = (uint32_t) envelopes.n;
    loc->envelopes = mpl_buf_take(&envelopes, r->arena);
    mpl_buf_free(&envelopes);
    r->is_short |= loc->envelopes == NULL;
}

static void take_times(struct reader *r, const struct mpl_json_value *value,
                       struct mpl_location *loc)
{
    struct mpl_coder c = mpl_coder_read(mpl_json_text(value));
    int64_t *times = make(r, loc->n_events, sizeof *times);
    int64_t at = 0;

    for (uint32_t i = 0; i < loc->n_events && times != NULL; i++) {
        uint64_t more = 0;

        mpl_code(&c, &more, (uint64_t) (latest_ticks - at));
        at += (int64_t) more;
        times[i] = at;
    }
    if (!mpl_coder_is_done(&c)) {
        complain(r, "times");
    }
    loc->time_ticks = times;
}

static bool is_sound_collective(const struct mpl_collective *part, uint32_t *before)
{
    const uint32_t first = part->begin != MPL_NONE ? part->begin : part->end;
    const bool is_sound = first != MPL_NONE && (*before == MPL_NONE || first > *before) &&
                          (part->end == MPL_NONE || part->end >= first);

    *before = first;
    return is_sound;
}

static void read_records(struct reader *r, const uint32_t *shapes,
                         struct mpl_record_coder *to)
{
    uint32_t before = MPL_NONE;

    for (uint32_t i = 0; i < to->location->n_events && !is_lost(r); i++) {
        struct mpl_coder c = mpl_coder_read(r->shapes[shapes[i]]);

        mpl_code_record(to, i, &c);
        if (!mpl_coder_is_done(&c)) {
            complain(r, "records");
        }
    }
    for (uint32_t i = 0; i < to->location->n_collectives && !is_lost(r); i++) {
        if (!is_sound_collective(&to->collectives[i], &before)) {
            complain(r, "collectives");
        }
    }
}

static void take_records(struct reader *r, const struct mpl_json_value *value,
                         struct mpl_location *loc)
{
    const uint32_t n = loc->n_events;
    struct mpl_coder c = mpl_coder_read(mpl_json_text(value));
    uint32_t *shapes = mpl_arena_array(r->scratch, n, sizeof *shapes);
    struct mpl_record_coder to = {
        .model = r->model,
        .location = loc,
        .messages = make(r, loc->n_messages, sizeof *to.messages),
        .collectives = make(r, loc->n_collectives, sizeof *to.collectives),
        .kind = make(r, n, sizeof *to.kind),
        .ref = make(r, n, sizeof *to.ref),
    };

    r->is_short |= shapes == NULL;
    for (uint32_t i = 0; i < loc->n_messages && !r->is_short; i++) {
        to.messages[i] = (struct mpl_message){ MPL_NONE, MPL_NONE, MPL_NONE, 0 };
    }
    for (uint32_t i = 0; i < loc->n_collectives && !r->is_short; i++) {
        to.collectives[i].begin = MPL_NONE;
        to.collectives[i].end = MPL_NONE;
    }
    if (!r->is_short && !mpl_repeats_read(&c, shapes, n, r->n_shapes)) {
        complain(r, "records");
    }
    read_records(r, shapes, &to);
    loc->messages = to.messages;
    loc->collectives = to.collectives;
    loc->kind = to.kind;
    loc->ref = to.ref;
}

static bool is_sound_thread_record(const struct mpl_location *loc,
                                   const struct mpl_thread_record *x)
{
    const uint8_t kind = x->act == MPL_ACT_LOCK     ? MPL_EV_LOCK
                         : x->act == MPL_ACT_UNLOCK ? MPL_EV_UNLOCK
                                                    : MPL_EV_MARK;

    return x->event < loc->n_events && loc->kind[x->event] == kind &&
           (kind == MPL_EV_MARK || loc->ref[x->event] == x->object);
}

static void take_threads(struct reader *r, const struct mpl_json_value *value,
                         struct mpl_location *loc)
{
    struct mpl_coder c = mpl_coder_read(mpl_json_text(value));
    struct mpl_buf records = mpl_buf_make(sizeof(struct mpl_thread_record));
    uint32_t event = 0;

    while (!c.is_bad && *c.at != '\0' && !is_lost(r)) {
        struct mpl_thread_record *slot = mpl_buf_add(&records);
        const uint32_t before = event;

        if (slot == NULL) {
            r->is_short = true;
            break;
        }
        slot->event = event;
        mpl_code_thread_record(slot, &event, &c);
        c.is_bad |=
            !is_sound_thread_record(loc, slot) || (records.n > 1 && event == before);
    }
    if (c.is_bad) {
        complain(r, "records of threads");
    }
    loc->n_thread_records = (uint32_t) records.n;
    loc->thread_records = mpl_buf_take(&records, r->arena);
    mpl_buf_free(&records);
    r->is_short |= loc->thread_records == NULL;
}

static void take_location(struct reader *r, const struct mpl_json_value *x,
                          struct mpl_location *loc)
{
    static const char what[] = "a location";
    const char *times = mpl_json_text(mpl_json_member(x, "times"));
    /* Each has a letter, and more than there are would be a lie. */
    const int64_t most = times == NULL ? 0 : (int64_t) strlen(times);
    const struct mpl_json_value *threads = mpl_json_member(x, "threads");

    loc->label = take_text(r, mpl_json_member(x, "label"), what);
    loc->name = take_text(r, mpl_json_member(x, "name"), what);
    loc->is_damaged = mpl_json_is_true(mpl_json_member(x, "damaged"));
    loc->n_events = (uint32_t) take_number(r, mpl_json_member(x, "events"), 0, most, what);
    loc->n_messages =
        (uint32_t) take_number(r, mpl_json_member(x, "messages"), 0, loc->n_events, what);
    loc->n_collectives = (uint32_t) take_number(r, mpl_json_member(x, "collectives"), 0,
                                                loc->n_events, what);
    take_envelopes(r, mpl_json_member(x, "envelopes"), loc);
    loc->wanted = take_members(r, mpl_json_member(x, "wanted"), loc->n_envelopes,
                               &loc->n_wanted, what);
    take_times(r, mpl_json_member(x, "times"), loc);
    if (!is_lost(r)) {
        take_records(r, mpl_json_member(x, "records"), loc);
    }
    if (threads != NULL && !is_lost(r)) {
        take_threads(r, threads, loc);
    }
    r->model->n_events += loc->n_events;
}

/* ---- processes ------------------------------------------------------------------------------------- */

/* Communicators name processes, so these are counted first. */
static void make_processes(struct reader *r)
{
    const struct mpl_json_value *all = mpl_json_member(r->root, "processes");
    const uint32_t n = count(r, all);
    struct mpl_process *processes = make(r, n, sizeof *processes);
    size_t n_locations = 0;

    for (uint32_t p = 0; p < n && !is_lost(r); p++) {
        const size_t n_own =
            mpl_json_count(mpl_json_member(mpl_json_item(all, p), "locations"));
        uint32_t *own = make(r, n_own, sizeof *own);

        if (n_own == 0 || n_locations + n_own >= MPL_NONE) {
            complain(r, "a process");
        }
        for (size_t t = 0; t < n_own && !is_lost(r); t++) {
            own[t] = (uint32_t) (n_locations + t);
        }
        processes[p].rank = p;
        processes[p].n_locations = (uint32_t) n_own;
        processes[p].locations = own;
        n_locations += n_own;
    }
    if (n == 0) {
        complain(r, "the list of processes");
    }
    r->model->n_processes = n;
    r->model->processes = processes;
    r->processes = processes;
    r->model->n_locations = (uint32_t) n_locations;
    r->model->locations = make(r, n_locations, sizeof *r->model->locations);
    r->model->n_offsets = make(r, n_locations, sizeof *r->model->n_offsets);
    r->model->offsets = make(r, n_locations, sizeof *r->model->offsets);
}

static void take_process(struct reader *r, const struct mpl_json_value *x,
                         struct mpl_process *process)
{
    const struct mpl_json_value *locations = mpl_json_member(x, "locations");
    const struct mpl_json_value *host = mpl_json_member(x, "host");

    process->name = take_text(r, mpl_json_member(x, "name"), "a process");
    process->host = mpl_json_text(host) == NULL ? NULL : take_text(r, host, "a process");
    for (uint32_t t = 0; t < process->n_locations && !is_lost(r); t++) {
        struct mpl_location *loc = &r->model->locations[process->locations[t]];

        loc->process = process->rank;
        loc->thread = t;
        loc->reference = process->locations[t];
        take_location(r, mpl_json_item(locations, t), loc);
    }
}

static void take_processes(struct reader *r)
{
    const struct mpl_json_value *all = mpl_json_member(r->root, "processes");

    for (uint32_t p = 0; p < r->model->n_processes && !is_lost(r); p++) {
        take_process(r, mpl_json_item(all, p), &r->processes[p]);
    }
}

/* ---- the whole --------------------------------------------------------------------------------------- */

static void take_shapes(struct reader *r)
{
    const struct mpl_json_value *all = mpl_json_member(r->root, "shapes");

    r->n_shapes = count(r, all);
    r->shapes = mpl_arena_array(r->scratch, r->n_shapes, sizeof *r->shapes);
    r->is_short |= r->shapes == NULL;
    for (uint32_t i = 0; i < r->n_shapes && !is_lost(r); i++) {
        r->shapes[i] = mpl_json_text(mpl_json_item(all, i));
    }
}

static void take_all(struct reader *r)
{
    struct mpl_model *model = r->model;

    model->tracer = (enum mpl_tracer) take_number(r, mpl_json_member(r->root, "tracer"), 0,
                                                  MPL_TRACER_TEXT, "the tracer");
    model->ticks_per_s = (uint64_t) take_number(r, mpl_json_member(r->root, "ticks_per_s"),
                                                1, INT64_MAX, "the resolution of times");
    model->has_common_clock = true;
    take_shapes(r);
    take_regions(r);
    make_processes(r);
    if (!is_lost(r)) {
        take_comms(r);
        take_capabilities(r);
        take_timeline(r);
        take_notes(r);
    }
    take_processes(r);
    model->n_recorded = model->n_events;
}

static enum mpl_status check_schema(const struct mpl_json_value *root, struct mpl_err *err)
{
    static const char any[] = "marple-baseline/";
    const char *schema = mpl_json_text(mpl_json_member(root, "schema"));

    if (schema == NULL || strncmp(schema, any, strlen(any)) != 0) {
        return mpl_fail(err, MPL_E_SYNTAX,
                        "it is JSON, but no baseline (marple diff --save writes them)");
    }
    return strcmp(schema, MPL_BASELINE_SCHEMA) == 0
               ? MPL_OK
               : mpl_fail(err, MPL_E_UNSUPPORTED,
                          "it is a baseline of the version \"%s\", and this is marple for "
                          "\"%s\": save it anew from its trace",
                          schema, MPL_BASELINE_SCHEMA);
}

/* Most of what can be changed in a column gives another column. */
static enum mpl_status check_sum(const struct mpl_json_value *root, struct mpl_err *err)
{
    const char *stated = mpl_json_text(mpl_json_member(root, MPL_BASELINE_SUM));
    char sum[MPL_BASELINE_SUM_ROOM];

    if (!mpl_baseline_sum(root, sum)) {
        return mpl_nomem(err);
    }
    return stated != NULL && strcmp(stated, sum) == 0
               ? MPL_OK
               : mpl_fail(err, MPL_E_SYNTAX,
                          "it was changed after it was written: its checksum is %s, and it "
                          "states %s",
                          sum, stated == NULL ? "none" : stated);
}

static enum mpl_status read_root(const struct mpl_json_value *root, struct mpl_arena *arena,
                                 struct mpl_model **out, struct mpl_err *err)
{
    struct reader r = { .root = root,
                        .arena = arena,
                        .scratch = mpl_arena_create(),
                        .model = MPL_NEW(arena, struct mpl_model) };
    enum mpl_status st = check_schema(root, err);

    st = st == MPL_OK ? check_sum(root, err) : st;
    r.is_short = r.scratch == NULL || r.model == NULL;
    if (st == MPL_OK && !r.is_short) {
        r.model->quality = mpl_quality_create(arena);
        r.is_short = r.model->quality == NULL;
    }
    if (st == MPL_OK && !r.is_short) {
        take_all(&r);
    }
    mpl_arena_destroy(r.scratch);
    if (st == MPL_OK && r.is_short) {
        st = mpl_nomem(err);
    } else if (st == MPL_OK && r.bad != NULL) {
        st = mpl_fail(err, MPL_E_SYNTAX, "the baseline is damaged: %s cannot be right",
                      r.bad);
    }
    *out = r.model;
    return st;
}

enum mpl_status mpl_read_baseline(const char *path, struct mpl_arena *arena,
                                  struct mpl_model **out, struct mpl_err *err)
{
    struct mpl_arena *scratch = mpl_arena_create();
    struct mpl_json_value *root = NULL;
    char *text = NULL;
    size_t n = 0;
    enum mpl_status st =
        scratch == NULL ? mpl_nomem(err)
                        : mpl_file_read(path, (size_t) 1 << 30, scratch, &text, &n, err);

    st = st == MPL_OK ? mpl_json_read(text, n, &root, err) : st;
    mpl_arena_destroy(scratch);
    st = st == MPL_OK ? read_root(root, arena, out, err) : st;
    mpl_json_free(root);
    return st;
}
