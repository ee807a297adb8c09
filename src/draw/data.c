/*
 * What the script zooms into, in attributes of hidden elements: there a name is text, as in the rest of the page.
 * Calls are bytes in base64, seven bits of a number each, the lowest first, as protobuf has them. Times are ticks since
 * the first event of the run, and differences: no number of the page is an absolute time.
 *
 * Levels have four times as many bins each. Where all calls do not fit into the page, only those in the frames of the
 * findings are in it, and the page says so.
 */
#include "config.h"

#include "draw/call_priv.h"
#include "draw/data_priv.h"

enum {
    DEFAULT_BYTES = 8000000,
    FIRST_BINS = 256,
    LEAST_BINS = 16,
    MOST_LEVELS = 6,
    LEVELS_APART = 4
};

struct data {
    const struct sheet *s;
    const struct mpl_run *run;
    struct mpl_frame all;
    const struct mpl_frame *part; /* only calls in this one; NULL: all */
    struct mpl_buf bytes;         /* of one location */
    uint8_t *is_used;             /* per region */
    uint8_t *is_comm_used;        /* per communicator */
    const struct mpl_net *net;    /* NULL: what comes before what is not in the page */
    bool has_whole_net;           /* else only in the frames */
    bool has_own_steps;           /* when each process comes to each step is in the page */
    size_t room;                  /* in the page for calls */
    bool has_failed;
};

bool mpl_draw_pack(struct mpl_buf *bytes, uint64_t number)
{
    do {
        const unsigned char byte =
            (unsigned char) ((number & 127) | (number > 127 ? 128 : 0));

        if (!mpl_buf_put(bytes, &byte)) {
            return false;
        }
        number >>= 7;
    } while (number > 0);
    return true;
}

static void put(struct data *d, uint64_t number)
{
    d->has_failed = !mpl_draw_pack(&d->bytes, number) || d->has_failed;
}

static void put_region(struct data *d, uint32_t region)
{
    put(d, region == MPL_NONE ? 0 : (uint64_t) region + 1);
    if (region != MPL_NONE) {
        d->is_used[region] = 1;
    }
}

static void put_comm(struct data *d, uint32_t comm)
{
    put(d, comm == MPL_NONE ? 0 : (uint64_t) comm + 1);
    if (comm != MPL_NONE) {
        d->is_comm_used[comm] = 1;
    }
}

/*
 * 0: no partner; 1: a receive, 2: a send, the other's rank, tag, bytes, and how many messages; 3: a collective, 1 more
 * than the root's rank or 0, bytes. Then 1 more than the number of the communicator, or 0.
 */
static void put_partner(struct data *d, uint32_t location, const struct mpl_span *span)
{
    const struct mpl_location *l = &d->run->model->locations[location];
    uint32_t message = MPL_NONE;
    const struct mpl_envelope *e = NULL;

    if (span->n_messages > 0) {
        message = mpl_events_message(d->run->events, location, span, 0);
        e = mpl_envelope_of(l, message);
    }
    if (e != NULL && e->peer != MPL_NONE) {
        put(d, e->is_send ? 2 : 1);
        put(d, d->run->model->processes[e->peer].rank);
        put(d, e->tag);
        put(d, mpl_message_get(l, message).bytes);
        put(d, span->n_messages);
        put_comm(d, e->comm_unsure ? MPL_NONE : e->comm);
    } else if (span->collective != MPL_NONE) {
        const struct mpl_collective *c = &l->collectives[span->collective];

        put(d, 3);
        put(d, c->root == MPL_NONE ? 0
                                   : (uint64_t) d->run->model->processes[c->root].rank + 1);
        put(d, (uint64_t) mpl_coll_bytes(d->run->model, c));
        put_comm(d, c->comm);
    } else {
        put(d, 0);
    }
}

/* The computation before a call, the call, whom it waits for. */
static void put_call(struct data *d, uint32_t location, uint32_t call, int64_t *last,
                     const struct mpl_records *records)
{
    const struct mpl_span before = mpl_events_span(d->run->events, location, 2 * call);
    const struct mpl_span span = mpl_events_span(d->run->events, location, 2 * call + 1);
    struct mpl_call_view view;

    mpl_events_call(d->run->events, location, call, &view);
    put(d, (uint64_t) (span.enter_ticks - *last));
    put_region(d, before.region);
    put(d, (uint64_t) (span.leave_ticks - span.enter_ticks));
    put_region(d, span.region);
    put(d, (uint64_t) mpl_look_of_span(span.class) | (span.is_wait_known ? 0 : 8));
    const uint32_t record =
        records != NULL ? mpl_records_number(records, view.first_event) : 0;

    put(d, record);
    put(d, records != NULL ? mpl_records_number(records, view.last_event) - record : 0);
    put(d, (uint64_t) span.wait_ticks);
    if (span.wait_ticks > 0) {
        put(d, span.culprit == MPL_NONE ? 0 : (uint64_t) span.culprit + 1);
    }
    put_partner(d, location, &span);
    *last = span.leave_ticks;
}

/* The first call of a location that ends behind \p begin, and the first from \p end on. */
static void find_calls(const struct mpl_events *events, uint32_t location, int64_t begin,
                       int64_t end, uint32_t *first, uint32_t *behind)
{
    const uint32_t n = mpl_events_span_count(events, location);

    *first = *behind = n == 0 ? 0 : mpl_span_at(events, location, begin) / 2;
    while (2 * *behind + 1 < n &&
           mpl_events_enter_ticks(events, location, 2 * *behind + 1) < end) {
        ++*behind;
    }
}

/* The calls of a location that overlap [begin, end), as one stretch: where it begins and ends, how many. */
static void put_stretch(struct data *d, uint32_t location, int64_t begin, int64_t end,
                        const struct mpl_records *records)
{
    const struct mpl_events *events = d->run->events;
    const uint32_t n = mpl_events_span_count(events, location);
    uint32_t first;
    uint32_t behind;

    find_calls(events, location, begin, end, &first, &behind);
    if (behind == first) {
        return;
    }
    int64_t last = mpl_events_enter_ticks(events, location, 2 * first);

    put(d, (uint64_t) last);
    put(d, behind - first);
    for (uint32_t call = first; call < behind; call++) {
        put_call(d, location, call, &last, records);
    }
    /* What lies behind the last call is computation to the next one. */
    const bool has_next = 2 * behind < n;
    const struct mpl_span next =
        mpl_events_span(events, location, has_next ? 2 * behind : 2 * behind - 1);

    put(d, has_next ? (uint64_t) (next.leave_ticks - last) : 0);
    put_region(d, has_next ? next.region : MPL_NONE);
    put(d, mpl_look_of_span(next.class));
}

static void encode(struct data *d, uint32_t location, const struct mpl_records *known)
{
    if (d->part == NULL) {
        put_stretch(d, location, d->all.begin_ticks, d->all.end_ticks, known);
        return;
    }
    for (size_t i = 0; i < d->s->n_frames; i++) {
        const struct mpl_frame *frame = &d->s->frames[i];

        if (frame->run == d->run) {
            put_stretch(d, location, frame->begin_ticks, frame->end_ticks, known);
        }
    }
}

/* ---- what comes before what -------------------------------------------------------------------------- */

static uint32_t event_of(const struct data *d, uint32_t location, uint32_t call)
{
    struct mpl_call_view view;

    if (call >= mpl_events_call_count(d->run->events, location)) {
        return d->run->model->locations[location].n_events;
    }
    mpl_events_call(d->run->events, location, call, &view);
    return view.first_event;
}

/* The events of a location in the frames. */
static const struct mpl_event_part *find_parts(struct data *d, uint32_t location,
                                               struct mpl_arena *arena, size_t *n)
{
    struct mpl_event_part *parts =
        MPL_NEW_ARRAY(arena, d->s->n_frames + 1, struct mpl_event_part);

    *n = 0;
    d->has_failed = d->has_failed || parts == NULL;
    for (size_t i = 0; i < d->s->n_frames && parts != NULL; i++) {
        const struct mpl_frame *frame = &d->s->frames[i];
        uint32_t first;
        uint32_t behind;

        if (frame->run == d->run) {
            find_calls(d->run->events, location, frame->begin_ticks, frame->end_ticks,
                       &first, &behind);
            parts[(*n)++] = (struct mpl_event_part){ event_of(d, location, first),
                                                     event_of(d, location, behind) };
        }
    }
    return parts;
}

/* Only addresses lead from calls to what comes before them. */
static void draw_before(struct data *d, uint32_t location,
                        const struct mpl_records *records, struct mpl_arena *arena)
{
    size_t n = 0;
    const struct mpl_event_part *parts =
        d->has_whole_net || records == NULL ? NULL : find_parts(d, location, arena, &n);

    if (d->net == NULL || records == NULL || d->room == 0) {
        return;
    }
    const size_t room = d->room;

    d->bytes.n = 0;
    d->has_failed =
        !mpl_before_put(d->net, location, records, parts, n, &d->bytes) || d->has_failed;
    d->room -= d->bytes.n / 3 * 4 < room ? d->bytes.n / 3 * 4 : room;
    mpl_markup_put(d->s->out, " data-before=\"");
    mpl_markup_base64(d->s->out, d->bytes.data, d->bytes.n);
    mpl_markup_put(d->s->out, "\"");
    mpl_before_silence(d->s, d->net, location, records);
}

/* What all calls take in the page, nearly: some bytes for each, and a third more for base64. */
static size_t bytes_of_calls(const struct data *d)
{
    enum { BYTES_PER_CALL = 23 };
    size_t n = 0;

    for (uint32_t l = 0; l < d->all.n; l++) {
        n += mpl_events_call_count(d->run->events, l);
    }
    return n * BYTES_PER_CALL;
}

/* ---- steps ------------------------------------------------------------------------------------------ */

/* When a location comes to each step, and leaves the last one: each as the difference to the one before. */
static void draw_own_steps(struct data *d, uint32_t location)
{
    const struct mpl_steps *steps = d->s->steps;
    const uint32_t process = d->run->model->locations[location].process;
    int64_t last = 0;

    if (!d->has_own_steps || steps->loads[process].location != location) {
        return;
    }
    d->bytes.n = 0;
    for (uint32_t step = 0; step <= steps->n; step++) {
        const int64_t at = mpl_step_end(d->run, steps, process, step);

        put(d, (uint64_t) (at - last));
        last = at;
    }
    mpl_markup_put(d->s->out, " data-comes=\"");
    mpl_markup_base64(d->s->out, d->bytes.data, d->bytes.n);
    mpl_markup_put(d->s->out, "\"");
}

static void draw_location(struct data *d, uint32_t l, struct mpl_arena *scratch)
{
    FILE *out = d->s->out;
    const int64_t bound = d->run->clock->bound_ticks[l];
    const size_t room = d->room;
    struct mpl_records records;
    const struct mpl_records *known =
        room > 0 ? mpl_call_records(d->run, l, scratch, &records) : NULL;

    d->has_failed = d->has_failed || mpl_arena_is_short(scratch);
    d->bytes.n = 0;
    if (room > 0) {
        encode(d, l, known);
    }
    d->room -= d->bytes.n / 3 * 4 < room ? d->bytes.n / 3 * 4 : room;
    mpl_markup_print(out,
                     "<i data-label=\"%s\" data-role=\"%s\" data-is=\"%s\" "
                     "data-bound=\"%lld\" data-calls=\"",
                     d->run->model->locations[l].label, mpl_draw_role(d->s, d->run, l),
                     mpl_draw_rarest_role(d->s, d->run, l),
                     bound == INT64_MAX ? -1LL : (long long) bound);
    mpl_markup_base64(out, d->bytes.data, d->bytes.n);
    mpl_markup_put(out, "\"");
    draw_own_steps(d, l);
    draw_before(d, l, known, scratch);
    mpl_markup_put(out, "></i>\n");
}

/* Nothing of what is only needed for one location stays for the next one. */
static void draw_locations(struct data *d)
{
    for (uint32_t l = 0; l < d->all.n; l++) {
        struct mpl_arena *scratch = mpl_arena_create();

        d->has_failed = d->has_failed || scratch == NULL;
        if (scratch != NULL) {
            draw_location(d, l, scratch);
        }
        mpl_arena_destroy(scratch);
    }
}

static void draw_regions(const struct data *d)
{
    for (uint32_t r = 0; r < d->run->model->n_regions; r++) {
        if (d->is_used[r] != 0) {
            mpl_markup_print(d->s->out, "<i data-region=\"%u\">%.200s</i>\n", r + 1,
                             d->run->model->regions[r].name);
        }
    }
}

static void draw_comms(const struct data *d)
{
    for (uint32_t c = 0; c < d->run->model->n_comms; c++) {
        if (d->is_comm_used[c] != 0) {
            mpl_markup_print(d->s->out, "<i data-comm=\"%u\">%s</i>\n", c + 1,
                             mpl_call_comm(d->s, d->run, c));
        }
    }
}

/* Returns MPL_END behind the finest level that there can be. */
static enum mpl_status draw_level(const struct data *d, uint32_t most, struct mpl_err *err)
{
    struct mpl_arena *scratch = mpl_arena_create();
    struct mpl_bins bins;
    const enum mpl_status st = scratch == NULL
                                   ? mpl_nomem(err)
                                   : mpl_bins_create(&d->all, 1, most, scratch, &bins, err);

    if (st == MPL_OK) {
        mpl_markup_print(d->s->out, "<i data-width=\"%lld\" data-n=\"%u\" data-look=\"",
                         (long long) bins.width_ticks, bins.n);
        mpl_markup_base64(d->s->out, bins.look, (size_t) bins.n * d->all.n);
        mpl_markup_put(d->s->out, "\" data-waited=\"");
        mpl_markup_base64(d->s->out, bins.waited, (size_t) bins.n * d->all.n);
        mpl_markup_put(d->s->out, "\"></i>\n");
    }
    mpl_arena_destroy(scratch);
    return st == MPL_OK && bins.width_ticks == 1 ? MPL_END : st;
}

static enum mpl_status draw_levels(const struct data *d, size_t room, struct mpl_err *err)
{
    uint32_t most = FIRST_BINS;

    while (most > LEAST_BINS && (size_t) most * d->all.n * 2 / 3 * 4 > room) {
        most /= 2;
    }
    for (int i = 0; i < MOST_LEVELS; i++, most *= LEVELS_APART) {
        const size_t bytes = (size_t) most * d->all.n * 2 / 3 * 4;

        if (i > 0 && bytes > room) {
            return MPL_OK;
        }
        room -= bytes < room ? bytes : room;
        const enum mpl_status st = draw_level(d, most, err);
        if (st != MPL_OK) {
            return st == MPL_END ? MPL_OK : st;
        }
    }
    return MPL_OK;
}

/* Says whether they are in the page. */
static bool draw_steps(struct data *d, size_t room)
{
    enum { BYTES_PER_STEP = 12, BYTES_PER_OWN = 4 };
    const struct mpl_steps *steps = d->s->steps;

    if (steps == NULL) {
        return true;
    }
    if ((size_t) steps->n * BYTES_PER_STEP > room) {
        return false;
    }
    d->has_own_steps = (size_t) steps->n * steps->n_processes * BYTES_PER_OWN <= room;
    d->bytes.n = 0;
    /* Per step the difference of its begin to that of the one before, and its length. */
    int64_t last = 0;
    int64_t begin;
    int64_t end;
    int64_t next;

    mpl_step_ends(d->run, steps, 0, &begin, &end);
    for (uint32_t step = 1; step <= steps->n; step++) {
        mpl_step_ends(d->run, steps, step, &next, &end);
        put(d, (uint64_t) (begin - last));
        put(d, (uint64_t) (end - begin));
        last = begin;
        begin = next;
    }
    mpl_markup_put(d->s->out, "<i data-steps=\"");
    mpl_markup_base64(d->s->out, d->bytes.data, d->bytes.n);
    mpl_markup_put(d->s->out, "\"></i>\n");
    return true;
}

/* Where it begins, and of each segment its location and length: it has no gaps. Says whether it is in the page. */
static bool draw_path(struct data *d, size_t room)
{
    enum { BYTES_PER_SEGMENT = 8 };
    const struct mpl_critical *path = d->s->path;

    if (path == NULL || path->n == 0) {
        return true;
    }
    if ((size_t) path->n * BYTES_PER_SEGMENT > room) {
        return false;
    }
    d->bytes.n = 0;
    put(d, (uint64_t) path->begin_ticks);
    for (uint32_t i = 0; i < path->n; i++) {
        const struct mpl_critical_segment *segment = &path->segments[i];

        put(d, segment->location);
        put(d, (uint64_t) (segment->end_ticks - segment->begin_ticks));
    }
    mpl_markup_put(d->s->out, "<i data-path=\"");
    mpl_markup_base64(d->s->out, d->bytes.data, d->bytes.n);
    mpl_markup_put(d->s->out, "\"></i>\n");
    return true;
}

static void draw_frames(const struct data *d)
{
    for (size_t i = 0; i < d->s->n_frames; i++) {
        const struct mpl_frame *frame = &d->s->frames[i];

        if (frame->run == d->run) {
            mpl_markup_print(d->s->out,
                             "<i data-frame=\"%s\" data-from=\"%lld\" "
                             "data-to=\"%lld\"></i>\n",
                             frame->id, (long long) frame->begin_ticks,
                             (long long) frame->end_ticks);
        }
    }
}

static void say_what_lacks(const struct data *d, bool is_whole, bool has_steps,
                           bool has_path)
{
    const bool lacks_net = d->net != NULL && is_whole && !d->has_whole_net;
    const struct sheet *s = d->s;
    const char *const parts[] = {
        is_whole ? NULL
        : d->room == 0
            ? "single calls outside of the framed stretches, and in these of some "
              "locations"
            : "single calls outside of the framed stretches",
        has_steps ? NULL : "when steps begin and end",
        has_path ? NULL : "the critical path",
        lacks_net ? "what must come before and after calls outside of the framed stretches"
                  : NULL,
    };
    const char *words = "";

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i] != NULL) {
            words =
                mpl_draw_words(s, "%s%s%s", words, *words != '\0' ? "; " : "", parts[i]);
        }
    }
    mpl_markup_print(s->out,
                     "<p class=\"note warn\">Left out, so that the page stays small: %s "
                     "(--size MB makes room for more).</p>\n",
                     words);
}

static const char *or_nothing(const char *text)
{
    return text != NULL ? text : "";
}

enum mpl_status mpl_draw_data(const struct sheet *s, const struct mpl_frame *all,
                              struct mpl_err *err)
{
    const size_t room = s->options->most_bytes > 0 ? s->options->most_bytes : DEFAULT_BYTES;
    struct data d = { .s = s,
                      .run = all->run,
                      .all = *all,
                      .bytes = mpl_buf_make(1),
                      .is_used =
                          MPL_NEW_ARRAY(s->arena, all->run->model->n_regions + 1, uint8_t),
                      .is_comm_used =
                          MPL_NEW_ARRAY(s->arena, all->run->model->n_comms + 1, uint8_t) };

    if (d.is_used == NULL || d.is_comm_used == NULL) {
        return mpl_nomem(err);
    }
    const size_t bytes = bytes_of_calls(&d);
    const bool is_whole = bytes <= room / 4 * 3;
    struct mpl_arena *arena = mpl_arena_create();
    enum mpl_status st = arena == NULL ? mpl_nomem(err) : MPL_OK;

    d.part = is_whole ? NULL : all;
    d.room = is_whole ? room : room / 3;
    if (st == MPL_OK && (is_whole || s->n_frames > 0)) {
        st = mpl_precedences_net(mpl_events_precedences(all->run->events), arena, &d.net,
                                 err);
    }
    if (st != MPL_OK) {
        mpl_arena_destroy(arena);
        return st;
    }
    d.has_whole_net =
        d.net != NULL && is_whole && bytes + mpl_before_bytes(d.net) <= room / 32 * 27;
    mpl_markup_print(
        s->out,
        "<div class=\"data\" id=\"data%s\" data-key=\"%s\" hidden "
        "data-ticks=\"%llu\" data-begin=\"%lld\" "
        "data-end=\"%lld\" data-whole=\"%d\" data-net=\"%d\" "
        "data-doubt=\"%s\" data-silence=\"%s\">\n",
        s->key, s->key, (unsigned long long) all->run->model->ticks_per_s,
        (long long) all->begin_ticks, (long long) all->end_ticks, is_whole, d.has_whole_net,
        or_nothing(d.net != NULL ? mpl_before_doubt(d.net) : NULL),
        or_nothing(d.net != NULL && d.net->silent != NULL ? mpl_causality_silence : NULL));
    const bool has_steps = draw_steps(&d, room / 16);
    const bool has_path = draw_path(&d, room / 16);

    draw_frames(&d);
    draw_locations(&d);
    draw_regions(&d);
    draw_comms(&d);
    /* Where all calls are there, only locations without any are drawn from levels. */
    st = draw_levels(&d, is_whole ? room / 32 : room / 3, err);
    mpl_markup_put(s->out, "</div>\n");
    if (!is_whole || !has_steps || !has_path || (d.net != NULL && !d.has_whole_net)) {
        say_what_lacks(&d, is_whole, has_steps, has_path);
    }
    mpl_buf_free(&d.bytes);
    mpl_arena_destroy(arena);
    return st == MPL_OK && d.has_failed ? mpl_nomem(err) : st;
}
