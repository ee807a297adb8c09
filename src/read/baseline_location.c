/* A location of a baseline: envelopes, times, records. */
#include "config.h"

#include "read/baseline_priv.h"

#include <string.h>

/* 2^62: what is added to a time does not overflow. */
static const int64_t latest_ticks = INT64_C(1) << 62;

static void take_envelopes(struct mpl_baseline_reader *r,
                           const struct mpl_json_value *value, struct mpl_location *loc)
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
        mpl_reader_complain(r, "envelopes");
    }
    loc->n_envelopes = (uint32_t) envelopes.n;
    loc->envelopes = mpl_buf_take(&envelopes, r->arena);
    mpl_buf_free(&envelopes);
    r->is_short |= loc->envelopes == NULL;
}

static int64_t *take_times(struct mpl_baseline_reader *r,
                           const struct mpl_json_value *value,
                           const struct mpl_location *loc)
{
    struct mpl_coder c = mpl_coder_read(mpl_json_text(value));
    int64_t *times = mpl_arena_array(r->scratch, loc->n_events, sizeof *times);
    int64_t at = 0;

    r->is_short |= times == NULL;
    for (uint32_t i = 0; i < loc->n_events && times != NULL; i++) {
        uint64_t more = 0;

        mpl_code(&c, &more, (uint64_t) (latest_ticks - at));
        at += (int64_t) more;
        times[i] = at;
    }
    if (!mpl_coder_is_done(&c)) {
        mpl_reader_complain(r, "times");
    }
    return times;
}

static bool is_sound_collective(const struct mpl_collective *part, uint32_t *before)
{
    const uint32_t first = part->begin != MPL_NONE ? part->begin : part->end;
    const bool is_sound = first != MPL_NONE && (*before == MPL_NONE || first > *before) &&
                          (part->end == MPL_NONE || part->end >= first);

    *before = first;
    return is_sound;
}

static void read_records(struct mpl_baseline_reader *r, const uint32_t *shapes,
                         struct mpl_record_coder *to)
{
    uint32_t before = MPL_NONE;

    for (uint32_t i = 0; i < to->location->n_events && !mpl_reader_is_lost(r); i++) {
        struct mpl_coder c = mpl_coder_read(r->shapes[shapes[i]]);

        mpl_code_record(to, i, &c);
        if (!mpl_coder_is_done(&c)) {
            mpl_reader_complain(r, "records");
        }
    }
    for (uint32_t i = 0; i < to->location->n_collectives && !mpl_reader_is_lost(r); i++) {
        if (!is_sound_collective(&to->collectives[i], &before)) {
            mpl_reader_complain(r, "collectives");
        }
    }
}

static void take_records(struct mpl_baseline_reader *r, const struct mpl_json_value *value,
                         const int64_t *times, struct mpl_location *loc)
{
    const uint32_t n = loc->n_events;
    struct mpl_coder c = mpl_coder_read(mpl_json_text(value));
    uint32_t *shapes = mpl_arena_array(r->scratch, n, sizeof *shapes);
    struct mpl_record_coder to = {
        .model = r->model,
        .location = loc,
        .messages = mpl_arena_array(r->scratch, loc->n_messages, sizeof *to.messages),
        .collectives = mpl_reader_make(r, loc->n_collectives, sizeof *to.collectives),
        .kind = mpl_arena_array(r->scratch, n, sizeof *to.kind),
        .ref = mpl_arena_array(r->scratch, n, sizeof *to.ref),
    };

    r->is_short |=
        shapes == NULL || to.messages == NULL || to.kind == NULL || to.ref == NULL;
    for (uint32_t i = 0; i < loc->n_messages && !r->is_short; i++) {
        to.messages[i] = (struct mpl_message){ MPL_NONE, MPL_NONE, MPL_NONE, 0 };
    }
    for (uint32_t i = 0; i < loc->n_collectives && !r->is_short; i++) {
        to.collectives[i].begin = MPL_NONE;
        to.collectives[i].end = MPL_NONE;
    }
    if (!r->is_short && !mpl_repeats_read(&c, shapes, n, r->n_shapes)) {
        mpl_reader_complain(r, "records");
    }
    read_records(r, shapes, &to);
    loc->collectives = to.collectives;
    r->is_short = r->is_short ||
                  !mpl_location_set_messages(loc, loc->n_messages, to.messages, r->arena) ||
                  !mpl_location_set_events(loc, n, times, to.kind, to.ref, r->arena);
}

static bool is_sound_thread_record(const struct mpl_location *loc,
                                   const struct mpl_thread_record *x)
{
    const uint8_t kind = x->act == MPL_ACT_LOCK     ? MPL_EV_LOCK
                         : x->act == MPL_ACT_UNLOCK ? MPL_EV_UNLOCK
                                                    : MPL_EV_MARK;

    return x->event < loc->n_events && mpl_kind_of(loc, x->event) == kind &&
           (kind == MPL_EV_MARK || mpl_ref_of(loc, x->event) == x->object);
}

static void take_threads(struct mpl_baseline_reader *r, const struct mpl_json_value *value,
                         struct mpl_location *loc)
{
    struct mpl_coder c = mpl_coder_read(mpl_json_text(value));
    struct mpl_buf records = mpl_buf_make(sizeof(struct mpl_thread_record));
    uint32_t event = 0;

    while (!c.is_bad && *c.at != '\0' && !mpl_reader_is_lost(r)) {
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
        mpl_reader_complain(r, "records of threads");
    }
    loc->n_thread_records = (uint32_t) records.n;
    loc->thread_records = mpl_buf_take(&records, r->arena);
    mpl_buf_free(&records);
    r->is_short |= loc->thread_records == NULL;
}

void mpl_baseline_location(struct mpl_baseline_reader *r, const struct mpl_json_value *x,
                           struct mpl_location *loc)
{
    static const char what[] = "a location";
    const char *times = mpl_json_text(mpl_json_member(x, "times"));
    /* Each has a letter, and more than there are would be a lie. */
    const int64_t most = times == NULL ? 0 : (int64_t) strlen(times);
    const struct mpl_json_value *threads = mpl_json_member(x, "threads");

    loc->label = mpl_reader_text(r, mpl_json_member(x, "label"), what);
    loc->name = mpl_reader_text(r, mpl_json_member(x, "name"), what);
    loc->is_damaged = mpl_json_is_true(mpl_json_member(x, "damaged"));
    loc->n_events =
        (uint32_t) mpl_reader_number(r, mpl_json_member(x, "events"), 0, most, what);
    loc->n_messages = (uint32_t) mpl_reader_number(r, mpl_json_member(x, "messages"), 0,
                                                   loc->n_events, what);
    loc->n_collectives = (uint32_t) mpl_reader_number(r, mpl_json_member(x, "collectives"),
                                                      0, loc->n_events, what);
    take_envelopes(r, mpl_json_member(x, "envelopes"), loc);
    loc->wanted = mpl_reader_members(r, mpl_json_member(x, "wanted"), loc->n_envelopes,
                                     &loc->n_wanted, what);
    const int64_t *ticks = take_times(r, mpl_json_member(x, "times"), loc);
    if (!mpl_reader_is_lost(r)) {
        take_records(r, mpl_json_member(x, "records"), ticks, loc);
    }
    if (threads != NULL && !mpl_reader_is_lost(r)) {
        take_threads(r, threads, loc);
    }
    r->model->n_events += loc->n_events;
}
