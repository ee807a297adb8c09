#include "config.h"

#include "read/baseline_priv.h"

#include <string.h>

/* A document that grows, and what it needs meanwhile. */
struct writer {
    const struct mpl_model *model;
    struct mpl_arena *scratch;
    struct mpl_names *shapes; /* Different records, as text. */
    bool is_short;            /* Memory ran out. */
};

/* Takes what was written. */
static struct mpl_json *column(struct writer *w, struct mpl_coder *c)
{
    char *end = mpl_buf_add(&c->text); /* Zeroed. */
    struct mpl_json *json = NULL;

    w->is_short |= c->is_bad || end == NULL;
    if (end != NULL) {
        json = mpl_json_string(c->text.data);
    }
    mpl_buf_free(&c->text);
    return json;
}

/* ---- definitions -------------------------------------------------------------------------------- */

static struct mpl_json *region_json(const struct mpl_region *region)
{
    struct mpl_json *json = mpl_json_object();

    mpl_json_set(json, "name", mpl_json_string(region->name));
    mpl_json_set(json, "kind", mpl_json_integer(region->kind));
    mpl_json_set(json, "mode", mpl_json_integer(region->mode));
    if (region->file != NULL) {
        mpl_json_set(json, "file", mpl_json_string(region->file));
        mpl_json_set(json, "line", mpl_json_integer(region->line));
    }
    if (region->is_undefined) {
        mpl_json_set(json, "undefined", mpl_json_boolean(true));
    }
    return json;
}

static struct mpl_json *members_json(struct writer *w, const uint32_t *members, uint32_t n)
{
    struct mpl_coder c = mpl_coder_write();
    int64_t before = 0;

    for (uint32_t i = 0; i < n; i++) {
        int64_t more = (int64_t) members[i] - before;

        mpl_code_signed(&c, &more);
        before = members[i];
    }
    return column(w, &c);
}

static struct mpl_json *comm_json(struct writer *w, const struct mpl_comm *comm)
{
    struct mpl_json *json = mpl_json_object();

    mpl_json_set(json, "name", mpl_json_string(comm->name));
    if (comm->is_self) {
        mpl_json_set(json, "self", mpl_json_boolean(true));
    } else {
        mpl_json_set(json, "members", members_json(w, comm->members, comm->n_members));
    }
    if (comm->n_remote > 0) {
        mpl_json_set(json, "remote", members_json(w, comm->remote, comm->n_remote));
    }
    return json;
}

static struct mpl_json *capabilities_json(const struct mpl_model *model)
{
    struct mpl_json *json = mpl_json_array();
    size_t n = 0;
    const struct mpl_capability *all = mpl_capability_table(&n);

    for (size_t i = 0; i < n; i++) {
        if (mpl_capability_get(&model->can, &all[i])) {
            mpl_json_add(json, mpl_json_string(all[i].name));
        }
    }
    return json;
}

static struct mpl_json *notes_json(struct writer *w, bool (*keeps)(const char *note))
{
    struct mpl_json *json = mpl_json_array();

    for (size_t i = 0; i < mpl_quality_count(w->model->quality); i++) {
        const struct mpl_quality_note *note = mpl_quality_get(w->model->quality, i);
        struct mpl_json *kept = keeps(note->note) ? mpl_json_object() : NULL;

        if (!keeps(note->note)) {
            continue;
        }
        mpl_json_set(kept, "note", mpl_json_string(note->note));
        mpl_json_set(kept, "text", mpl_json_string(note->text));
        mpl_json_set(kept, "count", mpl_json_integer((int64_t) note->count));
        mpl_json_set(kept, "locations",
                     members_json(w, note->locations, note->n_locations));
        mpl_json_add(json, kept);
    }
    return json;
}

static struct mpl_json *timeline_json(struct writer *w, const struct mpl_timeline *known)
{
    const int64_t *const columns[] = { known->bound_ticks, known->low_ticks,
                                       known->high_ticks };
    static const char *const names[] = { "bound", "low", "high" };
    struct mpl_json *json = mpl_json_object();

    mpl_json_set(json, "source", mpl_json_integer(known->source));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct mpl_coder c = mpl_coder_write();

        for (uint32_t l = 0; l < w->model->n_locations; l++) {
            int64_t ticks = columns[i][l];

            mpl_code_signed(&c, &ticks);
        }
        mpl_json_set(json, names[i], column(w, &c));
    }
    return json;
}

/* ---- a location -------------------------------------------------------------------------------- */

static struct mpl_json *envelopes_json(struct writer *w, const struct mpl_location *loc)
{
    struct mpl_coder c = mpl_coder_write();

    for (uint32_t i = 0; i < loc->n_envelopes; i++) {
        struct mpl_envelope e = loc->envelopes[i];

        mpl_code_envelope(w->model, &e, &c);
    }
    return column(w, &c);
}

static void *copy(struct writer *w, const void *from, size_t bytes)
{
    void *to = mpl_arena_alloc(w->scratch, bytes);

    if (to == NULL) {
        w->is_short = true;
    } else if (bytes > 0) {
        memcpy(to, from, bytes);
    }
    return to;
}

/* The number of what stands in a text, which is emptied. */
static uint32_t shape_of(struct writer *w, struct mpl_coder *c)
{
    uint32_t shape = MPL_NONE;

    if (!c->is_bad && mpl_buf_add(&c->text) != NULL) {
        shape = mpl_names_put(w->shapes, c->text.data);
    }
    w->is_short |= shape == MPL_NONE;
    c->text.n = 0;
    return shape;
}

static struct mpl_json *records_json(struct writer *w, struct mpl_location *loc)
{
    const uint32_t n = loc->n_events;
    struct mpl_record_coder r = {
        .model = w->model,
        .location = loc,
        .messages = copy(w, loc->messages, loc->n_messages * sizeof *loc->messages),
        .collectives =
            copy(w, loc->collectives, loc->n_collectives * sizeof *loc->collectives),
        .kind = copy(w, loc->kind, n * sizeof *loc->kind),
        .ref = MPL_NEW_ARRAY(w->scratch, n, uint32_t),
    };
    uint32_t *shapes = MPL_NEW_ARRAY(w->scratch, n, uint32_t);
    struct mpl_coder one = mpl_coder_write();
    struct mpl_coder all = mpl_coder_write();

    w->is_short |= shapes == NULL || r.ref == NULL;
    for (uint32_t i = 0; i < n && r.ref != NULL; i++) {
        r.ref[i] = mpl_ref_of(loc, i);
    }
    for (uint32_t i = 0; i < n && !w->is_short; i++) {
        mpl_code_record(&r, i, &one);
        shapes[i] = shape_of(w, &one);
    }
    mpl_buf_free(&one.text);
    w->is_short = w->is_short || !mpl_repeats_write(shapes, n, &all);
    return column(w, &all);
}

static struct mpl_json *times_json(struct writer *w, const struct mpl_location *loc)
{
    struct mpl_coder c = mpl_coder_write();
    int64_t before = 0;

    for (uint32_t i = 0; i < loc->n_events; i++) {
        uint64_t more = (uint64_t) (mpl_ticks_of(loc, i) - before);

        mpl_code(&c, &more, UINT64_MAX);
        before = mpl_ticks_of(loc, i);
    }
    return column(w, &c);
}

static struct mpl_json *threads_json(struct writer *w, const struct mpl_location *loc)
{
    struct mpl_coder c = mpl_coder_write();
    uint32_t event = 0;

    for (uint32_t i = 0; i < loc->n_thread_records; i++) {
        struct mpl_thread_record x = loc->thread_records[i];

        mpl_code_thread_record(&x, &event, &c);
    }
    return column(w, &c);
}

static struct mpl_json *location_json(struct writer *w, const struct mpl_location *from)
{
    struct mpl_location loc = *from;
    struct mpl_json *json = mpl_json_object();

    mpl_json_set(json, "label", mpl_json_string(loc.label));
    mpl_json_set(json, "name", mpl_json_string(loc.name));
    if (loc.is_damaged) {
        mpl_json_set(json, "damaged", mpl_json_boolean(true));
    }
    mpl_json_set(json, "events", mpl_json_integer(loc.n_events));
    mpl_json_set(json, "messages", mpl_json_integer(loc.n_messages));
    mpl_json_set(json, "collectives", mpl_json_integer(loc.n_collectives));
    mpl_json_set(json, "envelopes", envelopes_json(w, &loc));
    mpl_json_set(json, "wanted", members_json(w, loc.wanted, loc.n_wanted));
    mpl_json_set(json, "records", records_json(w, &loc));
    mpl_json_set(json, "times", times_json(w, &loc));
    if (loc.n_thread_records > 0) {
        mpl_json_set(json, "threads", threads_json(w, &loc));
    }
    return json;
}

static struct mpl_json *process_json(struct writer *w, const struct mpl_process *process)
{
    struct mpl_json *json = mpl_json_object();
    struct mpl_json *locations = mpl_json_array();

    mpl_json_set(json, "name", mpl_json_string(process->name));
    mpl_json_set(json, "host", mpl_json_string(process->host));
    for (uint32_t t = 0; t < process->n_locations; t++) {
        mpl_json_add(locations,
                     location_json(w, &w->model->locations[process->locations[t]]));
    }
    mpl_json_set(json, "locations", locations);
    return json;
}

/* ---- the whole ---------------------------------------------------------------------------------- */

static struct mpl_json *shapes_json(const struct writer *w)
{
    struct mpl_json *json = mpl_json_array();
    const size_t n = mpl_names_count(w->shapes);

    for (size_t i = 0; i < n; i++) {
        mpl_json_add(json, mpl_json_string(mpl_names_text(w->shapes, (uint32_t) i)));
    }
    return json;
}

static struct mpl_json *document(struct writer *w, const struct mpl_timeline *known,
                                 bool (*keeps)(const char *note))
{
    const struct mpl_model *model = w->model;
    struct mpl_json *json = mpl_json_object();
    struct mpl_json *regions = mpl_json_array();
    struct mpl_json *comms = mpl_json_array();
    struct mpl_json *processes = mpl_json_array();

    mpl_json_set(json, "schema", mpl_json_string(MPL_BASELINE_SCHEMA));
    mpl_json_set(json, "trace", mpl_json_string(model->path));
    mpl_json_set(json, "tracer", mpl_json_integer(model->tracer));
    mpl_json_set(json, "ticks_per_s", mpl_json_integer((int64_t) model->ticks_per_s));
    mpl_json_set(json, "capabilities", capabilities_json(model));
    mpl_json_set(json, "clock", timeline_json(w, known));
    mpl_json_set(json, "notes", notes_json(w, keeps));
    for (uint32_t i = 0; i < model->n_regions; i++) {
        mpl_json_add(regions, region_json(&model->regions[i]));
    }
    mpl_json_set(json, "regions", regions);
    for (uint32_t i = 0; i < model->n_comms; i++) {
        mpl_json_add(comms, comm_json(w, &model->comms[i]));
    }
    mpl_json_set(json, "communicators", comms);
    mpl_json_set(json, "world",
                 model->world == MPL_NONE ? mpl_json_null()
                                          : mpl_json_integer(model->world));
    for (uint32_t i = 0; i < model->n_processes; i++) {
        mpl_json_add(processes, process_json(w, &model->processes[i]));
    }
    mpl_json_set(json, "processes", processes);
    mpl_json_set(json, "shapes", shapes_json(w));
    return json;
}

enum mpl_status mpl_write_baseline(const struct mpl_model *model,
                                   const struct mpl_timeline *known,
                                   bool (*keeps)(const char *note), FILE *out,
                                   struct mpl_err *err)
{
    struct writer w = { .model = model,
                        .scratch = mpl_arena_create(),
                        .shapes = mpl_names_create() };
    enum mpl_status st = MPL_OK;

    if (w.scratch == NULL || w.shapes == NULL) {
        st = mpl_nomem(err);
    } else {
        struct mpl_json *json = document(&w, known, keeps);
        char sum[MPL_BASELINE_SUM_ROOM];

        w.is_short = w.is_short || !mpl_baseline_sum(mpl_json_borrow(json), sum);
        if (w.is_short) {
            mpl_json_destroy(json);
            st = mpl_nomem(err);
        } else {
            mpl_json_set(json, MPL_BASELINE_SUM, mpl_json_string(sum));
            st = mpl_json_write(json, out, err);
        }
    }
    mpl_names_destroy(w.shapes);
    mpl_arena_destroy(w.scratch);
    return st;
}
