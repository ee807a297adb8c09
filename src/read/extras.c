/*
 * What marple's own tracer records beyond OTF2's usual: attributes of events, found by their names, and samples of
 * CPU time (doc/tracers.md). Traces of others have neither, and nothing of this is done then.
 */
#include "config.h"

#include "read/decode_priv.h"

#include <string.h>

/* ---- definitions ---------------------------------------------------------------------------- */

static bool is_named(const struct mpl_raw *raw, uint32_t string, const char *name)
{
    return strcmp(mpl_raw_text(raw, string), name) == 0;
}

static uint32_t attribute_named(const struct mpl_raw *raw, const char *name)
{
    for (size_t i = 0; i < raw->attributes.n; i++) {
        const struct mpl_raw_name *a = mpl_buf_get(&raw->attributes, i);

        if (is_named(raw, a->name, name)) {
            return a->ref;
        }
    }
    return MPL_NONE;
}

static const struct mpl_raw_name *metric_member(const struct mpl_raw *raw, uint32_t ref)
{
    for (size_t i = 0; i < raw->metric_members.n; i++) {
        const struct mpl_raw_name *m = mpl_buf_get(&raw->metric_members, i);

        if (m->ref == ref) {
            return m;
        }
    }
    return NULL;
}

/* A place of a call: function of the program, and the line of the call in it. */
static enum mpl_status define_sites(const struct mpl_raw *raw, struct mpl_refs *refs,
                                    struct mpl_model *model, struct mpl_arena *arena,
                                    struct mpl_err *err)
{
    struct mpl_site *sites = MPL_NEW_ARRAY(arena, raw->contexts.n, struct mpl_site);

    if (sites == NULL) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < raw->contexts.n; i++) {
        const struct mpl_raw_context *c = mpl_buf_get(&raw->contexts, i);
        const uint32_t at = mpl_map_find(raw->line_of_ref, c->source);
        const uint32_t region = mpl_map_find(refs->region, c->region);
        struct mpl_site *site = &sites[i];

        site->function = region != MPL_NONE ? model->regions[region].name : "";
        if (at != MPL_NONE) {
            const struct mpl_raw_line *line = mpl_buf_get(&raw->lines, at);

            site->file = mpl_raw_text(raw, line->file);
            site->line = line->line;
        }
        if (!mpl_map_put(refs->site, c->ref, (uint32_t) i)) {
            return mpl_nomem(err);
        }
    }
    model->n_sites = (uint32_t) raw->contexts.n;
    model->sites = sites;
    return MPL_OK;
}

enum mpl_status mpl_define_extras(const struct mpl_raw *raw, struct mpl_refs *refs,
                                  struct mpl_model *model, struct mpl_arena *arena,
                                  struct mpl_err *err)
{
    struct mpl_extras *e = &refs->extras;

    e->any_source = attribute_named(raw, "MARPLE::ANY_SOURCE");
    e->any_tag = attribute_named(raw, "MARPLE::ANY_TAG");
    e->asked_source = attribute_named(raw, "MARPLE::ASKED_SOURCE");
    e->asked_tag = attribute_named(raw, "MARPLE::ASKED_TAG");
    e->asked_comm = attribute_named(raw, "MARPLE::ASKED_COMM");
    e->site = attribute_named(raw, "MARPLE::CALL_SITE");
    e->samples = MPL_NONE;
    /* The class of samples begins with the CPU time. */
    for (size_t i = 0; i < raw->metric_classes.n; i++) {
        const struct mpl_raw_name *class = mpl_buf_get(&raw->metric_classes, i);
        const struct mpl_raw_name *first = metric_member(raw, class->name);

        if (first != NULL && is_named(raw, first->name, "MARPLE::CPU_TIME")) {
            e->samples = class->ref;
        }
    }
    e->has_any = e->any_source != MPL_NONE || e->any_tag != MPL_NONE ||
                 e->asked_source != MPL_NONE || e->site != MPL_NONE;
    return e->site != MPL_NONE ? define_sites(raw, refs, model, arena, err) : MPL_OK;
}

/* ---- attributes of an event --------------------------------------------------------------------- */

/* Behind the value; others than these types are not ours, and nobody knows how long they are. */
static uint64_t attribute_value(struct mpl_cursor *fields, uint8_t type)
{
    if (type == MPL_VALUE_UINT8 || type == MPL_VALUE_INT8) {
        return mpl_cursor_u8(fields);
    }
    if (type == MPL_VALUE_UINT32 || type == MPL_VALUE_INT32 || type == MPL_VALUE_UINT64 ||
        type == MPL_VALUE_INT64 ||
        (type >= MPL_VALUE_FIRST_REFERENCE && type <= MPL_VALUE_LAST_REFERENCE)) {
        return mpl_cursor_u64(fields);
    }
    fields->is_bad = true;
    return 0;
}

static void take_attribute(struct mpl_decode *d, uint32_t ref, uint64_t value)
{
    const struct mpl_extras *e = &d->job.refs->extras;
    struct mpl_attributes *a = &d->attributes;

    if (ref == e->any_source) {
        a->flags |= MPL_ENVELOPE_ANY_SOURCE;
    } else if (ref == e->any_tag) {
        a->flags |= MPL_ENVELOPE_ANY_TAG;
    } else if (ref == e->asked_source) {
        a->has_asked = true;
        a->asked_source = (uint32_t) value;
    } else if (ref == e->asked_tag) {
        a->asked_tag = (uint32_t) value;
    } else if (ref == e->asked_comm) {
        a->asked_comm = (uint32_t) value;
    } else if (ref == e->site) {
        a->site = mpl_map_find(d->job.refs->site, mpl_mapping_apply(&d->job.locals->context,
                                                                    (uint32_t) value));
    }
}

void mpl_attributes_take(struct mpl_decode *d, const uint8_t *at, const uint8_t *next,
                         bool is_big_endian)
{
    struct mpl_cursor fields = { .at = at, .end = next, .is_big_endian = is_big_endian };
    const uint32_t n = mpl_cursor_u32(&fields);

    d->attributes = (struct mpl_attributes){ .of = next,
                                             .site = MPL_NONE,
                                             .asked_source = MPL_NONE,
                                             .asked_tag = MPL_NONE,
                                             .asked_comm = MPL_NONE };
    for (uint32_t i = 0; i < n && !fields.is_bad; i++) {
        const uint32_t ref = mpl_cursor_u32(&fields);
        const uint8_t type = mpl_cursor_u8(&fields);
        const uint64_t value = attribute_value(&fields, type);

        if (!fields.is_bad) {
            take_attribute(d, ref, value);
        }
    }
}

/* ---- what is waited for --------------------------------------------------------------------------- */

/* -1 stands for any; envelopes have no peer and the greatest tag then. */
static void want(struct mpl_decode *d)
{
    const struct mpl_attributes *a = &d->attributes;
    const bool is_any = a->asked_source == UINT32_MAX;
    const struct mpl_envelope_key key = {
        .comm = a->asked_comm,
        .rank = a->asked_source,
        .tag = a->asked_tag,
        .flags = MPL_ENVELOPE_WANTED | (is_any ? MPL_ENVELOPE_ANY_SOURCE : 0) |
                 (a->asked_tag == UINT32_MAX ? MPL_ENVELOPE_ANY_TAG : 0),
    };
    const uint32_t envelope = mpl_decode_envelope(d, key);

    d->is_out_of_memory |=
        envelope == MPL_NONE || !mpl_buf_put(&d->scratch->wanted, &envelope);
}

static bool has_attributes(const struct mpl_decode *d, const uint8_t *record)
{
    return record != NULL && d->attributes.of == record;
}

void mpl_extras_post(struct mpl_decode *d, const uint8_t *record)
{
    if (has_attributes(d, record) && d->attributes.has_asked) {
        want(d);
    }
}

/* What an earlier call asked for it has got; only receives that were posted may still be waited for. */
void mpl_extras_enter(struct mpl_decode *d, const uint8_t *record)
{
    const bool has_any = has_attributes(d, record);
    if (has_any && d->attributes.has_asked) {
        /* Written only where the call does not return: it alone is waited for. */
        d->scratch->wanted.n = 0;
        want(d);
    }
    if (d->job.refs->extras.site != MPL_NONE) {
        const uint32_t site = has_any ? d->attributes.site : MPL_NONE;

        d->is_out_of_memory |= !mpl_buf_put(&d->scratch->sites, &site);
    }
    if (d->depth++ == 0 && d->has_left) {
        d->gap_ticks += d->now_ticks - d->left_ticks;
        d->has_left = false;
    }
}

void mpl_extras_leave(struct mpl_decode *d)
{
    d->depth -= d->depth > 0;
    d->has_left = d->depth == 0;
    d->left_ticks = d->now_ticks;
}

uint32_t mpl_extras_flags(const struct mpl_decode *d, const uint8_t *record)
{
    return has_attributes(d, record) ? d->attributes.flags : 0;
}

/* ---- samples ------------------------------------------------------------------------------------- */

/* The time between two samples in which the thread was in its own code and not on a core: it had to wait for one if
 * it has never given its own up meanwhile. Where it has, be it in a short call of MPI, it may have slept. */
static void add_interval(struct mpl_decode *d, const struct mpl_sample *now)
{
    const struct mpl_sample *before = &d->sample;
    const double tick_ns = 1e9 / (double) d->job.model->ticks_per_s;
    const double own_ns = (double) d->gap_ticks * tick_ns;
    const double missing_ns = own_ns - (double) (now->cpu_ns - before->cpu_ns);
    struct mpl_cpu *cpu = &d->cpu;

    cpu->on_core_s += 1e-9 * (double) (now->cpu_ns - before->cpu_ns);
    cpu->own_s += 1e-9 * own_ns;
    if (missing_ns > 0 && now->given_up == before->given_up) {
        cpu->descheduled_s += 1e-9 * missing_ns;
    }
}

void mpl_extras_sample(struct mpl_decode *d, const uint8_t *at, const uint8_t *next,
                       bool is_big_endian)
{
    enum { VALUES = 4, UINT64_TYPE = 4 };
    struct mpl_cursor fields = { .at = at, .end = next, .is_big_endian = is_big_endian };
    uint64_t values[VALUES];

    if (mpl_cursor_u32(&fields) != d->job.refs->extras.samples ||
        mpl_cursor_u8(&fields) != VALUES) {
        return;
    }
    for (unsigned i = 0; i < VALUES; i++) {
        fields.is_bad |= mpl_cursor_u8(&fields) != UINT64_TYPE;
        values[i] = mpl_cursor_u64(&fields);
    }
    if (fields.is_bad) {
        return;
    }
    struct mpl_sample now = { values[0], values[1] };
    if (d->has_left) {
        d->gap_ticks += d->now_ticks - d->left_ticks;
        d->left_ticks = d->now_ticks;
    }
    if (d->cpu.n_samples > 0 && now.cpu_ns >= d->sample.cpu_ns &&
        now.given_up >= d->sample.given_up) {
        add_interval(d, &now);
    }
    d->cpu.n_samples++;
    d->sample = now;
    d->gap_ticks = 0;
}

/* ---- the end of a location ---------------------------------------------------------------------------- */

/* The call that a location ends in may wait for receives that were posted before, if it waits at all. */
static bool is_waiting(const struct mpl_decode *d, const struct mpl_location *loc)
{
    return d->depth > 0 && loc->n_events > 0 &&
           d->job.model->regions[d->last_region].kind == MPL_REGION_MPI_P2P &&
           d->job.model->regions[d->last_region].mode == MPL_CALL_PLAIN;
}

bool mpl_extras_end(struct mpl_decode *d, struct mpl_arena *arena, struct mpl_location *loc)
{
    struct mpl_decoder *s = d->scratch;

    loc->cpu = d->cpu;
    if (s->wanted.n > 0 && is_waiting(d, loc)) {
        loc->n_wanted = (uint32_t) s->wanted.n;
        loc->wanted = mpl_buf_take(&s->wanted, arena);
    }
    if (s->sites.n > 0) {
        loc->sites = mpl_buf_drain(&s->sites, s->sites.n, arena);
        loc->enters = mpl_location_count_enters(loc, arena);
    }
    return (loc->n_wanted == 0 || loc->wanted != NULL) &&
           (s->sites.n == 0 || (loc->sites != NULL && loc->enters != NULL));
}
