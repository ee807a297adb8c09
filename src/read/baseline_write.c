#include "config.h"

#include "read/baseline_priv.h"

#include <string.h>

/* A document that grows, and what it needs meanwhile. */
struct writer {
    struct mpl_json json;
    const struct mpl_model *model;
    struct mpl_arena *scratch;
    struct mpl_names *shapes; /* Different records, as text. */
    bool is_short;            /* Memory ran out. */
};

/* Takes what was written. */
static void put_column(struct writer *w, const char *key, struct mpl_coder *c)
{
    char *end = mpl_buf_add(&c->text); /* Zeroed. */

    w->is_short |= c->is_bad || end == NULL;
    mpl_json_string(&w->json, key, end == NULL ? NULL : c->text.data);
    mpl_buf_free(&c->text);
}

/* ---- definitions -------------------------------------------------------------------------------- */

static void put_region(struct mpl_json *json, const struct mpl_region *region)
{
    mpl_json_object(json, NULL);
    mpl_json_string(json, "name", region->name);
    mpl_json_integer(json, "kind", region->kind);
    mpl_json_integer(json, "mode", region->mode);
    if (region->file != NULL) {
        mpl_json_string(json, "file", region->file);
        mpl_json_integer(json, "line", region->line);
    }
    if (region->is_undefined) {
        mpl_json_boolean(json, "undefined", true);
    }
    mpl_json_end(json);
}

static void put_members(struct writer *w, const char *key, const uint32_t *members,
                        uint32_t n)
{
    struct mpl_coder c = mpl_coder_write();
    int64_t before = 0;

    for (uint32_t i = 0; i < n; i++) {
        int64_t more = (int64_t) members[i] - before;

        mpl_code_signed(&c, &more);
        before = members[i];
    }
    put_column(w, key, &c);
}

static void put_comm(struct writer *w, const struct mpl_comm *comm)
{
    mpl_json_object(&w->json, NULL);
    mpl_json_string(&w->json, "name", comm->name);
    if (comm->is_self) {
        mpl_json_boolean(&w->json, "self", true);
    } else {
        put_members(w, "members", comm->members, comm->n_members);
    }
    if (comm->n_remote > 0) {
        put_members(w, "remote", comm->remote, comm->n_remote);
    }
    mpl_json_end(&w->json);
}

static void put_notes(struct writer *w, bool (*keeps)(const char *note))
{
    mpl_json_array(&w->json, "notes");
    for (size_t i = 0; i < mpl_quality_count(w->model->quality); i++) {
        const struct mpl_quality_note *note = mpl_quality_get(w->model->quality, i);

        if (keeps(note->note)) {
            mpl_json_object(&w->json, NULL);
            mpl_json_string(&w->json, "note", note->note);
            mpl_json_string(&w->json, "text", note->text);
            mpl_json_integer(&w->json, "count", (int64_t) note->count);
            put_members(w, "locations", note->locations, note->n_locations);
            mpl_json_end(&w->json);
        }
    }
    mpl_json_end(&w->json);
}

static void put_timeline(struct writer *w, const struct mpl_timeline *known)
{
    const int64_t *const columns[] = { known->bound_ticks, known->low_ticks,
                                       known->high_ticks };
    static const char *const names[] = { "bound", "low", "high" };

    mpl_json_object(&w->json, "clock");
    mpl_json_integer(&w->json, "source", known->source);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct mpl_coder c = mpl_coder_write();

        for (uint32_t l = 0; l < w->model->n_locations; l++) {
            int64_t ticks = columns[i][l];

            mpl_code_signed(&c, &ticks);
        }
        put_column(w, names[i], &c);
    }
    mpl_json_end(&w->json);
}

/* ---- a location -------------------------------------------------------------------------------- */

static void put_envelopes(struct writer *w, const struct mpl_location *loc)
{
    struct mpl_coder c = mpl_coder_write();

    for (uint32_t i = 0; i < loc->n_envelopes; i++) {
        struct mpl_envelope e = loc->envelopes[i];

        mpl_code_envelope(w->model, &e, &c);
    }
    put_column(w, "envelopes", &c);
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

static void put_records(struct writer *w, struct mpl_location *loc)
{
    const uint32_t n = loc->n_events;
    struct mpl_record_coder r = {
        .model = w->model,
        .location = loc,
        .messages = MPL_NEW_ARRAY(w->scratch, loc->n_messages, struct mpl_message),
        .collectives =
            copy(w, loc->collectives, loc->n_collectives * sizeof *loc->collectives),
        .kind = MPL_NEW_ARRAY(w->scratch, n, uint8_t),
        .ref = MPL_NEW_ARRAY(w->scratch, n, uint32_t),
    };
    uint32_t *shapes = MPL_NEW_ARRAY(w->scratch, n, uint32_t);
    struct mpl_coder one = mpl_coder_write();
    struct mpl_coder all = mpl_coder_write();

    w->is_short |= shapes == NULL || r.messages == NULL || r.kind == NULL || r.ref == NULL;
    for (uint32_t i = 0; i < loc->n_messages && !w->is_short; i++) {
        r.messages[i] = mpl_message_get(loc, i);
    }
    for (uint32_t i = 0; i < n && !w->is_short; i++) {
        r.kind[i] = mpl_kind_of(loc, i);
        r.ref[i] = mpl_ref_of(loc, i);
    }
    for (uint32_t i = 0; i < n && !w->is_short; i++) {
        mpl_code_record(&r, i, &one);
        shapes[i] = shape_of(w, &one);
    }
    mpl_buf_free(&one.text);
    w->is_short = w->is_short || !mpl_repeats_write(shapes, n, &all);
    put_column(w, "records", &all);
}

static void put_times(struct writer *w, const struct mpl_location *loc)
{
    struct mpl_coder c = mpl_coder_write();
    int64_t before = 0;

    for (uint32_t i = 0; i < loc->n_events; i++) {
        uint64_t more = (uint64_t) (mpl_ticks_of(loc, i) - before);

        mpl_code(&c, &more, UINT64_MAX);
        before = mpl_ticks_of(loc, i);
    }
    put_column(w, "times", &c);
}

static void put_threads(struct writer *w, const struct mpl_location *loc)
{
    struct mpl_coder c = mpl_coder_write();
    uint32_t event = 0;

    for (uint32_t i = 0; i < loc->n_thread_records; i++) {
        struct mpl_thread_record x = loc->thread_records[i];

        mpl_code_thread_record(&x, &event, &c);
    }
    put_column(w, "threads", &c);
}

static void put_location(struct writer *w, const struct mpl_location *from)
{
    struct mpl_location loc = *from;
    struct mpl_json *json = &w->json;

    mpl_json_object(json, NULL);
    mpl_json_string(json, "label", loc.label);
    mpl_json_string(json, "name", loc.name);
    if (loc.is_damaged) {
        mpl_json_boolean(json, "damaged", true);
    }
    mpl_json_integer(json, "events", loc.n_events);
    mpl_json_integer(json, "messages", loc.n_messages);
    mpl_json_integer(json, "collectives", loc.n_collectives);
    put_envelopes(w, &loc);
    put_members(w, "wanted", loc.wanted, loc.n_wanted);
    put_records(w, &loc);
    put_times(w, &loc);
    if (loc.n_thread_records > 0) {
        put_threads(w, &loc);
    }
    mpl_json_end(json);
}

static void put_process(struct writer *w, const struct mpl_process *process)
{
    mpl_json_object(&w->json, NULL);
    mpl_json_string(&w->json, "name", process->name);
    mpl_json_string(&w->json, "host", process->host);
    mpl_json_array(&w->json, "locations");
    for (uint32_t t = 0; t < process->n_locations; t++) {
        put_location(w, &w->model->locations[process->locations[t]]);
    }
    mpl_json_end(&w->json);
    mpl_json_end(&w->json);
}

/* ---- the whole ---------------------------------------------------------------------------------- */

static void put_all(struct writer *w, const struct mpl_timeline *known,
                    bool (*keeps)(const char *note))
{
    const struct mpl_model *model = w->model;
    struct mpl_json *json = &w->json;

    mpl_json_string(json, "schema", MPL_BASELINE_SCHEMA);
    mpl_json_string(json, "trace", model->path);
    mpl_json_integer(json, "tracer", model->tracer);
    mpl_json_integer(json, "ticks_per_s", (int64_t) model->ticks_per_s);
    size_t n = 0;
    const struct mpl_capability *all = mpl_capability_table(&n);

    mpl_json_array(json, "capabilities");
    for (size_t i = 0; i < n; i++) {
        if (mpl_capability_get(&model->can, &all[i])) {
            mpl_json_string(json, NULL, all[i].name);
        }
    }
    mpl_json_end(json);
    put_timeline(w, known);
    put_notes(w, keeps);
    mpl_json_array(json, "regions");
    for (uint32_t i = 0; i < model->n_regions; i++) {
        put_region(json, &model->regions[i]);
    }
    mpl_json_end(json);
    mpl_json_array(json, "communicators");
    for (uint32_t i = 0; i < model->n_comms; i++) {
        put_comm(w, &model->comms[i]);
    }
    mpl_json_end(json);
    mpl_json_integer_if(json, "world", model->world != MPL_NONE, model->world);
    mpl_json_array(json, "processes");
    for (uint32_t i = 0; i < model->n_processes; i++) {
        put_process(w, &model->processes[i]);
    }
    mpl_json_end(json);
    mpl_json_array(json, "shapes");
    for (size_t i = 0; i < mpl_names_count(w->shapes); i++) {
        mpl_json_string(json, NULL, mpl_names_text(w->shapes, (uint32_t) i));
    }
    mpl_json_end(json);
}

/* The checksum is that of the members, sorted, as a reader has them. */
static enum mpl_status put_checksum(struct mpl_json *json, struct mpl_err *err)
{
    struct mpl_json_value *root = NULL;
    char sum[MPL_BASELINE_SUM_ROOM];
    enum mpl_status st = mpl_json_read_back(json, &root, err);

    if (st == MPL_OK && !mpl_baseline_sum(root, sum)) {
        st = mpl_nomem(err);
    }
    if (st == MPL_OK) {
        mpl_json_string(json, MPL_BASELINE_SUM, sum);
    }
    mpl_json_free(root);
    return st;
}

enum mpl_status mpl_write_baseline(const struct mpl_model *model,
                                   const struct mpl_timeline *known,
                                   bool (*keeps)(const char *note), FILE *out,
                                   struct mpl_err *err)
{
    struct writer w = { .json = mpl_json_begin(),
                        .model = model,
                        .scratch = mpl_arena_create(),
                        .shapes = mpl_names_create() };

    w.is_short = w.scratch == NULL || w.shapes == NULL;
    if (!w.is_short) {
        put_all(&w, known, keeps);
    }
    enum mpl_status st = w.is_short ? mpl_nomem(err) : put_checksum(&w.json, err);
    st = st == MPL_OK ? mpl_json_write(&w.json, out, err) : st;
    mpl_json_destroy(&w.json);
    mpl_names_destroy(w.shapes);
    mpl_arena_destroy(w.scratch);
    return st;
}
