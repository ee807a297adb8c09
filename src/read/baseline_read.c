/* Everything is checked as it is read: what stands in the model then is as mpl_model_check() wants it. */
#include "config.h"

#include "read/baseline_priv.h"

#include <string.h>

bool mpl_reader_is_lost(const struct mpl_baseline_reader *r)
{
    return r->is_short || r->bad != NULL;
}

/* The first one counts. */
void mpl_reader_complain(struct mpl_baseline_reader *r, const char *what)
{
    r->bad = r->bad == NULL ? what : r->bad;
}

void *mpl_reader_make(struct mpl_baseline_reader *r, size_t n, size_t size)
{
    void *array = mpl_arena_array(r->arena, n, size);

    r->is_short |= array == NULL;
    return array;
}

const char *mpl_reader_text(struct mpl_baseline_reader *r,
                            const struct mpl_json_value *value, const char *what)
{
    const char *text = mpl_json_text(value);
    const char *kept = text == NULL ? NULL : mpl_arena_strdup(r->arena, text);

    if (text == NULL) {
        mpl_reader_complain(r, what);
    }
    r->is_short |= text != NULL && kept == NULL;
    return kept;
}

int64_t mpl_reader_number(struct mpl_baseline_reader *r, const struct mpl_json_value *value,
                          int64_t low, int64_t high, const char *what)
{
    int64_t number;

    if (!mpl_json_whole(value, low, high, &number)) {
        mpl_reader_complain(r, what);
        return low;
    }
    return number;
}

static uint32_t count(struct mpl_baseline_reader *r, const struct mpl_json_value *array)
{
    const size_t n = mpl_json_count(array);

    if (n >= MPL_NONE) {
        mpl_reader_complain(r, "a list");
    }
    return (uint32_t) n;
}

/* ---- definitions ---------------------------------------------------------------------------------- */

static void take_regions(struct mpl_baseline_reader *r)
{
    static const char what[] = "a region";
    const struct mpl_json_value *all = mpl_json_member(r->root, "regions");
    const uint32_t n = count(r, all);
    struct mpl_region *regions = mpl_reader_make(r, n, sizeof *regions);

    for (uint32_t i = 0; i < n && !mpl_reader_is_lost(r); i++) {
        const struct mpl_json_value *x = mpl_json_item(all, i);
        const struct mpl_json_value *file = mpl_json_member(x, "file");

        regions[i].name = mpl_reader_text(r, mpl_json_member(x, "name"), what);
        regions[i].kind = (enum mpl_region_kind) mpl_reader_number(
            r, mpl_json_member(x, "kind"), 0, MPL_REGION_TRACER, what);
        regions[i].mode = (enum mpl_call_mode) mpl_reader_number(
            r, mpl_json_member(x, "mode"), 0, MPL_CALL_TEST, what);
        if (file != NULL) {
            regions[i].file = mpl_reader_text(r, file, what);
            regions[i].line = (uint32_t) mpl_reader_number(r, mpl_json_member(x, "line"), 0,
                                                           UINT32_MAX, what);
        }
        regions[i].is_undefined = mpl_json_is_true(mpl_json_member(x, "undefined"));
    }
    r->model->regions = regions;
    r->model->n_regions = n;
}

/* Numbers below \p limit. */
const uint32_t *mpl_reader_members(struct mpl_baseline_reader *r,
                                   const struct mpl_json_value *value, uint32_t limit,
                                   uint32_t *n, const char *what)
{
    struct mpl_coder c = mpl_coder_read(mpl_json_text(value));
    struct mpl_buf members = mpl_buf_make(sizeof(uint32_t));
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
        mpl_reader_complain(r, what);
    }
    *n = (uint32_t) members.n;
    const uint32_t *taken = mpl_buf_take(&members, r->arena);
    mpl_buf_free(&members);
    r->is_short |= taken == NULL;
    return taken;
}

static void take_comm(struct mpl_baseline_reader *r, const struct mpl_json_value *x,
                      struct mpl_comm *comm)
{
    static const char what[] = "a communicator";
    const struct mpl_json_value *remote = mpl_json_member(x, "remote");
    const uint32_t n = r->model->n_processes;

    comm->name = mpl_reader_text(r, mpl_json_member(x, "name"), what);
    comm->is_self = mpl_json_is_true(mpl_json_member(x, "self"));
    if (!comm->is_self) {
        comm->members =
            mpl_reader_members(r, mpl_json_member(x, "members"), n, &comm->n_members, what);
    }
    if (remote != NULL) {
        comm->remote = mpl_reader_members(r, remote, n, &comm->n_remote, what);
    }
    if (!comm->is_self && comm->n_members == 0) {
        mpl_reader_complain(r, what);
    }
}

static void take_comms(struct mpl_baseline_reader *r)
{
    const struct mpl_json_value *all = mpl_json_member(r->root, "communicators");
    const struct mpl_json_value *world = mpl_json_member(r->root, "world");
    const uint32_t n = count(r, all);
    struct mpl_comm *comms = mpl_reader_make(r, n, sizeof *comms);
    int64_t unused;

    for (uint32_t i = 0; i < n && !mpl_reader_is_lost(r); i++) {
        take_comm(r, mpl_json_item(all, i), &comms[i]);
    }
    r->model->comms = comms;
    r->model->n_comms = n;
    r->model->world =
        mpl_json_whole(world, 0, (int64_t) n - 1, &unused) ? (uint32_t) unused : MPL_NONE;
}

static void take_capabilities(struct mpl_baseline_reader *r)
{
    const struct mpl_json_value *all = mpl_json_member(r->root, "capabilities");

    for (size_t i = 0; i < mpl_json_count(all); i++) {
        const char *name = mpl_json_text(mpl_json_item(all, i));
        const struct mpl_capability *can = name == NULL ? NULL : mpl_capability_find(name);

        if (can == NULL) {
            mpl_reader_complain(r, "a capability");
        } else {
            *(bool *) ((char *) &r->model->can + can->offset) = true;
        }
    }
}

static void take_notes(struct mpl_baseline_reader *r)
{
    static const char what[] = "a note";
    const struct mpl_json_value *all = mpl_json_member(r->root, "notes");

    for (size_t i = 0; i < mpl_json_count(all) && !mpl_reader_is_lost(r); i++) {
        const struct mpl_json_value *x = mpl_json_item(all, i);
        const char *note = mpl_reader_text(r, mpl_json_member(x, "note"), what);
        const char *text = mpl_reader_text(r, mpl_json_member(x, "text"), what);
        int64_t n = mpl_reader_number(r, mpl_json_member(x, "count"), 0, INT64_MAX, what);
        uint32_t n_locations = 0;
        const uint32_t *locations = mpl_reader_members(
            r, mpl_json_member(x, "locations"), r->model->n_locations, &n_locations, what);

        for (uint32_t k = 0; (k < n_locations || k == 0) && !mpl_reader_is_lost(r); k++) {
            mpl_quality_add(r->model->quality, note,
                            n_locations == 0 ? MPL_NONE : locations[k], (uint64_t) n, "%s",
                            text);
            n = 0;
        }
    }
}

static const int64_t *take_bounds(struct mpl_baseline_reader *r,
                                  const struct mpl_json_value *value)
{
    struct mpl_coder c = mpl_coder_read(mpl_json_text(value));
    int64_t *bounds = mpl_reader_make(r, r->model->n_locations, sizeof *bounds);

    for (uint32_t l = 0; l < r->model->n_locations && bounds != NULL; l++) {
        mpl_code_signed(&c, &bounds[l]);
    }
    if (!mpl_coder_is_done(&c)) {
        mpl_reader_complain(r, "the clock");
    }
    return bounds;
}

static void take_timeline(struct mpl_baseline_reader *r)
{
    const struct mpl_json_value *x = mpl_json_member(r->root, "clock");
    struct mpl_timeline *known = mpl_reader_make(r, 1, sizeof *known);

    if (known != NULL) {
        known->source = (unsigned) mpl_reader_number(r, mpl_json_member(x, "source"), 0, 5,
                                                     "the clock");
        known->bound_ticks = take_bounds(r, mpl_json_member(x, "bound"));
        known->low_ticks = take_bounds(r, mpl_json_member(x, "low"));
        known->high_ticks = take_bounds(r, mpl_json_member(x, "high"));
    }
    r->model->timeline = known;
}

/* ---- processes ------------------------------------------------------------------------------------- */

/* Communicators name processes, so these are counted first. */
static void make_processes(struct mpl_baseline_reader *r)
{
    const struct mpl_json_value *all = mpl_json_member(r->root, "processes");
    const uint32_t n = count(r, all);
    struct mpl_process *processes = mpl_reader_make(r, n, sizeof *processes);
    size_t n_locations = 0;

    for (uint32_t p = 0; p < n && !mpl_reader_is_lost(r); p++) {
        const size_t n_own =
            mpl_json_count(mpl_json_member(mpl_json_item(all, p), "locations"));
        uint32_t *own = mpl_reader_make(r, n_own, sizeof *own);

        if (n_own == 0 || n_locations + n_own >= MPL_NONE) {
            mpl_reader_complain(r, "a process");
        }
        for (size_t t = 0; t < n_own && !mpl_reader_is_lost(r); t++) {
            own[t] = (uint32_t) (n_locations + t);
        }
        processes[p].rank = p;
        processes[p].n_locations = (uint32_t) n_own;
        processes[p].locations = own;
        n_locations += n_own;
    }
    if (n == 0) {
        mpl_reader_complain(r, "the list of processes");
    }
    r->model->n_processes = n;
    r->model->processes = processes;
    r->processes = processes;
    r->model->n_locations = (uint32_t) n_locations;
    r->model->locations = mpl_reader_make(r, n_locations, sizeof *r->model->locations);
    r->model->n_offsets = mpl_reader_make(r, n_locations, sizeof *r->model->n_offsets);
    r->model->offsets = mpl_reader_make(r, n_locations, sizeof *r->model->offsets);
}

static void take_process(struct mpl_baseline_reader *r, const struct mpl_json_value *x,
                         struct mpl_process *process)
{
    const struct mpl_json_value *locations = mpl_json_member(x, "locations");
    const struct mpl_json_value *host = mpl_json_member(x, "host");

    process->name = mpl_reader_text(r, mpl_json_member(x, "name"), "a process");
    process->host =
        mpl_json_text(host) == NULL ? NULL : mpl_reader_text(r, host, "a process");
    for (uint32_t t = 0; t < process->n_locations && !mpl_reader_is_lost(r); t++) {
        struct mpl_location *loc = &r->model->locations[process->locations[t]];

        loc->process = process->rank;
        loc->thread = t;
        loc->reference = process->locations[t];
        mpl_baseline_location(r, mpl_json_item(locations, t), loc);
    }
}

/* ---- the whole --------------------------------------------------------------------------------------- */

static void take_shapes(struct mpl_baseline_reader *r)
{
    const struct mpl_json_value *all = mpl_json_member(r->root, "shapes");

    r->n_shapes = count(r, all);
    r->shapes = mpl_arena_array(r->scratch, r->n_shapes, sizeof *r->shapes);
    r->is_short |= r->shapes == NULL;
    for (uint32_t i = 0; i < r->n_shapes && !mpl_reader_is_lost(r); i++) {
        r->shapes[i] = mpl_json_text(mpl_json_item(all, i));
    }
}

static void take_all(struct mpl_baseline_reader *r)
{
    struct mpl_model *model = r->model;

    model->tracer = (enum mpl_tracer) mpl_reader_number(
        r, mpl_json_member(r->root, "tracer"), 0, MPL_TRACER_MARPLE, "the tracer");
    model->ticks_per_s =
        (uint64_t) mpl_reader_number(r, mpl_json_member(r->root, "ticks_per_s"), 1,
                                     INT64_MAX, "the resolution of times");
    model->has_common_clock = true;
    take_shapes(r);
    take_regions(r);
    make_processes(r);
    if (!mpl_reader_is_lost(r)) {
        take_comms(r);
        take_capabilities(r);
        take_timeline(r);
        take_notes(r);
    }
    const struct mpl_json_value *processes = mpl_json_member(r->root, "processes");

    for (uint32_t p = 0; p < model->n_processes && !mpl_reader_is_lost(r); p++) {
        take_process(r, mpl_json_item(processes, p), &r->processes[p]);
    }
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
    struct mpl_baseline_reader r = { .root = root,
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
