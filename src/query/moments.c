/*
 * Moments of a run: from an address to its records, and from a record to words.
 */
#include "config.h"

#include "query/query_priv.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The innermost region open at an event, but for so many that are left before that, and the event that entered it;
   MPL_NONE. */
static uint32_t open_region(const struct mpl_location *loc, uint32_t event, uint32_t n_left,
                            uint32_t *enter)
{
    for (uint32_t i = event + 1; i-- > 0;) {
        if (mpl_kind_of(loc, i) == MPL_EV_LEAVE && i < event) {
            n_left++;
        } else if (mpl_kind_of(loc, i) == MPL_EV_ENTER && n_left == 0) {
            *enter = i;
            return mpl_ref_of(loc, i);
        } else if (mpl_kind_of(loc, i) == MPL_EV_ENTER) {
            n_left--;
        }
    }
    return MPL_NONE;
}

/* The event that leaves what \p enter has entered; the location's last one if none does. */
static uint32_t leave_of(const struct mpl_location *loc, uint32_t enter)
{
    uint32_t n_open = 0;

    for (uint32_t i = enter; i < loc->n_events; i++) {
        if (mpl_kind_of(loc, i) == MPL_EV_ENTER) {
            n_open++;
        } else if (mpl_kind_of(loc, i) == MPL_EV_LEAVE && --n_open == 0) {
            return i;
        }
    }
    return loc->n_events - 1;
}

static const char *say_message(const struct mpl_query *q, const struct mpl_location *loc,
                               const char *verb, const char *to, uint32_t message)
{
    const struct mpl_envelope *e =
        message == MPL_NONE ? NULL : mpl_envelope_of(loc, message);

    if (e == NULL || e->is_garbage) {
        return verb;
    }
    const char *bytes = mpl_text_count(q->arena, mpl_message_get(loc, message).bytes);
    const char *peer = e->peer == MPL_NONE
                           ? "nobody"
                           : mpl_arena_printf(q->arena, "%" PRIu32,
                                              q->run->model->processes[e->peer].rank);

    return mpl_arena_printf(q->arena, "%s %s bytes %s %s with tag %" PRIu32, verb,
                            bytes == NULL ? "?" : bytes, to, peer, e->tag);
}

static const char *say_collective(const struct mpl_query *q, const struct mpl_location *loc,
                                  const char *verb, uint32_t collective)
{
    return collective == MPL_NONE
               ? verb
               : mpl_arena_printf(q->arena, "%s %s", verb,
                                  mpl_coll_op_name(loc->collectives[collective].op));
}

/* What the record says. */
static const char *say_event(const struct mpl_query *q, const struct mpl_location *loc,
                             uint32_t event)
{
    const uint32_t ref = mpl_ref_of(loc, event);

    switch ((enum mpl_event_kind) mpl_kind_of(loc, event)) {
    case MPL_EV_ENTER:
        return "enters";
    case MPL_EV_LEAVE:
        return "leaves";
    case MPL_EV_SEND:
    case MPL_EV_ISEND:
        return say_message(q, loc, "sends", "to", ref);
    case MPL_EV_ISEND_DONE:
        return say_message(q, loc, "has sent", "to", ref);
    case MPL_EV_RECV:
    case MPL_EV_IRECV:
        return say_message(q, loc, "receives", "from", ref);
    case MPL_EV_IRECV_POST:
        return say_message(q, loc, "is ready to receive", "from", ref);
    case MPL_EV_COLL_BEGIN:
        return say_collective(q, loc, "begins", ref);
    case MPL_EV_COLL_END:
        return say_collective(q, loc, "ends", ref);
    case MPL_EV_FORK:
        return "starts a team of threads";
    case MPL_EV_JOIN:
        return "has joined its team of threads";
    case MPL_EV_TEAM_BEGIN:
        return "joins a team of threads";
    case MPL_EV_TEAM_END:
        return "leaves its team of threads";
    case MPL_EV_LOCK:
        return "takes a lock";
    case MPL_EV_UNLOCK:
        return "gives a lock back";
    case MPL_EV_FLUSH_BEGIN:
    case MPL_EV_FLUSH_END:
        return "writes out the tracer's buffer";
    case MPL_EV_OFF:
        return "stops being recorded";
    case MPL_EV_ON:
        return "is recorded again";
    default:
        return "marks something";
    }
}

enum mpl_status mpl_query_look(struct mpl_query *q, struct mpl_moment moment,
                               struct mpl_instant *out, struct mpl_err *err)
{
    const struct mpl_model *model = q->run->model;
    const struct mpl_location *loc = &model->locations[moment.location];
    const struct mpl_records *records = NULL;
    const enum mpl_status st = mpl_query_records(q, moment.location, &records, err);
    uint32_t enter;

    if (st != MPL_OK) {
        return st;
    }
    const uint32_t region = open_region(loc, moment.event, 0, &enter);

    *out = (struct mpl_instant){
        .location = moment.location,
        .event = moment.event,
        .record = mpl_records_number(records, moment.event),
        .region = region == MPL_NONE ? NULL : model->regions[region].name,
        .does = say_event(q, loc, moment.event),
        .time_s = mpl_model_seconds(model, mpl_ticks_of(loc, moment.event)),
    };
    return out->does == NULL ? mpl_nomem(err) : MPL_OK;
}

/* ---- addresses -------------------------------------------------------------------------------- */

bool mpl_query_is_finding(const char *address)
{
    return address[0] == 'f' && strspn(address + 1, "0123456789") == strlen(address + 1) &&
           address[1] != '\0';
}

static enum mpl_status no_address(const char *address, struct mpl_err *err)
{
    return mpl_fail(err, MPL_E_USAGE,
                    "\"%s\" is no address; 5#123 is record 123 of location 5, 5@0.42 its "
                    "call at second 0.42, 5:MPI_Recv[42] its 42nd call of MPI_Recv, f3 a "
                    "finding",
                    address);
}

static enum mpl_status find_location(const struct mpl_query *q, const char *address,
                                     size_t n, uint32_t *out, struct mpl_err *err)
{
    const struct mpl_model *model = q->run->model;
    const char *label = mpl_arena_strndup(q->arena, address, n);

    if (label == NULL) {
        return mpl_nomem(err);
    }
    *out = mpl_model_find_location(model, label);
    if (*out == MPL_NONE) {
        return mpl_fail(err, MPL_E_USAGE,
                        "\"%s\": there is no location \"%s\"; there are %" PRIu32
                        ", from %s to %s",
                        address, label, model->n_locations, model->locations[0].label,
                        model->locations[model->n_locations - 1].label);
    }
    if (model->locations[*out].n_events == 0) {
        return mpl_fail(err, MPL_E_USAGE, "\"%s\": location %s has no events", address,
                        label);
    }
    return MPL_OK;
}

/* A whole number from 1 that ends at \p stop; 0: it is none. */
static uint32_t number_at(const char *text, const char *stop)
{
    uint64_t number = 0;

    for (; *text >= '0' && *text <= '9' && number < UINT32_MAX; text++) {
        number = 10 * number + (uint64_t) (*text - '0');
    }
    return text == stop && number < UINT32_MAX ? (uint32_t) number : 0;
}

enum mpl_status mpl_query_spot(struct mpl_query *q, const char *address, uint32_t location,
                               uint32_t begin, uint32_t end, struct mpl_spot *out,
                               struct mpl_err *err)
{
    struct mpl_spot spot = { .address = address };
    enum mpl_status st =
        mpl_query_look(q, (struct mpl_moment){ location, begin }, &spot.begin, err);

    st = st == MPL_OK
             ? mpl_query_look(q, (struct mpl_moment){ location, end }, &spot.end, err)
             : st;
    if (st == MPL_OK) {
        *out = spot;
    }
    return st;
}

/* An address whose location is known. */
struct asked {
    struct mpl_query *q;
    const char *address;
    uint32_t location;
    const struct mpl_location *loc;
};

static enum mpl_status take(const struct asked *asked, uint32_t begin, uint32_t end,
                            struct mpl_spot *out, struct mpl_err *err)
{
    return mpl_query_spot(asked->q, asked->address, asked->location, begin, end, out, err);
}

/* "5#123" */
static enum mpl_status find_record(const struct asked *asked, const char *number,
                                   struct mpl_spot *out, struct mpl_err *err)
{
    const struct mpl_location *loc = asked->loc;
    const uint32_t wanted = number_at(number, number + strlen(number));
    const struct mpl_records *records = NULL;
    const enum mpl_status st = mpl_query_records(asked->q, asked->location, &records, err);
    uint32_t event;

    if (st != MPL_OK) {
        return st;
    }
    if (wanted == 0 || wanted > records->n) {
        return mpl_fail(err, MPL_E_USAGE,
                        "\"%s\": location %s has the records %s#1 to %s#%" PRIu32,
                        asked->address, loc->label, loc->label, loc->label, records->n);
    }
    if (!mpl_records_find(records, loc, wanted, &event)) {
        const uint32_t near = event < loc->n_events ? event : loc->n_events - 1;

        return mpl_fail(err, MPL_E_USAGE,
                        "\"%s\" is a record that marple skips (a counter, a parameter, "
                        "I/O, …); did you mean %s#%" PRIu32 "?",
                        asked->address, loc->label, mpl_records_number(records, near));
    }
    return take(asked, event, event, out, err);
}

/* The last event that is not later; MPL_NONE. */
static uint32_t last_event_until(const struct mpl_location *loc, int64_t ticks)
{
    uint32_t low = 0;
    uint32_t high = loc->n_events;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (mpl_ticks_of(loc, middle) <= ticks) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low == 0 ? MPL_NONE : low - 1;
}

/* "5@0.42" */
static enum mpl_status find_second(const struct asked *asked, const char *second,
                                   struct mpl_spot *out, struct mpl_err *err)
{
    const struct mpl_model *model = asked->q->run->model;
    const struct mpl_location *loc = asked->loc;
    char *stop = NULL;
    const double wanted_s = strtod(second, &stop);
    const double ticks = wanted_s * (double) model->ticks_per_s;

    if (stop == second || *stop != '\0' || !isfinite(ticks)) {
        return no_address(asked->address, err);
    }
    if (!(ticks >= (double) mpl_ticks_of(loc, 0) &&
          ticks <= (double) mpl_ticks_of(loc, loc->n_events - 1))) {
        return mpl_fail(
            err, MPL_E_USAGE, "\"%s\": location %s is recorded from second %.6f to %.6f",
            asked->address, loc->label, mpl_model_seconds(model, mpl_ticks_of(loc, 0)),
            mpl_model_seconds(model, mpl_ticks_of(loc, loc->n_events - 1)));
    }
    const uint32_t last = last_event_until(loc, (int64_t) ticks);
    uint32_t enter = MPL_NONE;
    const uint32_t region =
        open_region(loc, last, mpl_kind_of(loc, last) == MPL_EV_LEAVE ? 1 : 0, &enter);

    /* A call that somebody would name, and not the program as a whole. */
    if (region != MPL_NONE && model->regions[region].kind != MPL_REGION_USER &&
        model->regions[region].kind != MPL_REGION_TRACER) {
        return take(asked, enter, leave_of(loc, enter), out, err);
    }
    /* Between two calls: before the record behind and after the one in front. */
    return take(asked, last + 1 < loc->n_events ? last + 1 : last, last, out, err);
}

/* ---- calls of a region ------------------------------------------------------------------------ */

static bool is_region(const struct mpl_query *q, const struct mpl_location *loc,
                      uint32_t event, const char *name)
{
    return mpl_kind_of(loc, event) == MPL_EV_ENTER &&
           strcmp(q->run->model->regions[mpl_ref_of(loc, event)].name, name) == 0;
}

static uint32_t count_calls(const struct mpl_query *q, const struct mpl_location *loc,
                            const char *name)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < loc->n_events; i++) {
        n += is_region(q, loc, i, name);
    }
    return n;
}

/* Among those that the location enters. */
static const char *similar_region(const struct mpl_query *q, const struct mpl_location *loc,
                                  const char *name)
{
    const struct mpl_model *model = q->run->model;
    bool *is_seen = MPL_NEW_ARRAY(q->arena, model->n_regions, bool);
    const char **names = MPL_NEW_ARRAY(q->arena, model->n_regions, const char *);
    size_t n = 0;

    for (uint32_t i = 0; i < loc->n_events && is_seen != NULL && names != NULL; i++) {
        if (mpl_kind_of(loc, i) == MPL_EV_ENTER && !is_seen[mpl_ref_of(loc, i)]) {
            is_seen[mpl_ref_of(loc, i)] = true;
            names[n++] = model->regions[mpl_ref_of(loc, i)].name;
        }
    }
    return n == 0 ? NULL : mpl_suggest(name, names, n);
}

static enum mpl_status no_region(const struct asked *asked, const char *name,
                                 struct mpl_err *err)
{
    const struct mpl_query *q = asked->q;
    const struct mpl_location *loc = asked->loc;
    const char *near = similar_region(q, loc, name);
    const char *count =
        near == NULL ? NULL : mpl_text_count(q->arena, count_calls(q, loc, near));

    if (count == NULL) {
        return mpl_fail(err, MPL_E_USAGE, "\"%s\": location %s has no call of %s",
                        asked->address, loc->label, name);
    }
    return mpl_fail(err, MPL_E_USAGE,
                    "\"%s\": location %s has no call of %s, but %s of %s; did you mean "
                    "%s:%s[1]?",
                    asked->address, loc->label, name, count, near, loc->label, near);
}

/* "5:MPI_Recv[42]" */
static enum mpl_status find_call(const struct asked *asked, const char *region,
                                 struct mpl_spot *out, struct mpl_err *err)
{
    const struct mpl_query *q = asked->q;
    const struct mpl_location *loc = asked->loc;
    const size_t n = strlen(region);
    const char *bracket = strrchr(region, '[');
    const bool has_number = bracket != NULL && bracket > region && region[n - 1] == ']';
    const char *name =
        mpl_arena_strndup(q->arena, region, has_number ? (size_t) (bracket - region) : n);

    if (name == NULL) {
        return mpl_nomem(err);
    }
    const uint32_t wanted = has_number ? number_at(bracket + 1, region + n - 1) : 0;
    const uint32_t n_calls = count_calls(q, loc, name);

    if (n_calls == 0) {
        return no_region(asked, name, err);
    }
    if (wanted == 0 || wanted > n_calls) {
        return mpl_fail(err, MPL_E_USAGE,
                        "\"%s\": location %s has %" PRIu32
                        " call%s of %s; did you mean %s:%s[%" PRIu32 "]?",
                        asked->address, loc->label, n_calls, n_calls == 1 ? "" : "s", name,
                        loc->label, name, wanted > n_calls ? n_calls : 1);
    }
    uint32_t event = 0;

    for (uint32_t seen = 0; seen < wanted; event++) {
        seen += is_region(q, loc, event, name);
    }
    return take(asked, event - 1, leave_of(loc, event - 1), out, err);
}

/* The first moment of what a finding rests on. */
static enum mpl_status find_finding(struct mpl_query *q, const char *address,
                                    struct mpl_spot *out, struct mpl_err *err)
{
    const struct mpl_diagnosed *d = NULL;
    struct mpl_first_wait first;
    bool is_found = false;
    enum mpl_status st = mpl_diagnosed_find(q->diagnosis, address, &d, err);

    st = st == MPL_OK ? mpl_first_wait_of(q->diagnosis, d, &is_found, &first, err) : st;

    if (st == MPL_OK && !is_found) {
        st = mpl_fail(err, MPL_E_USAGE,
                      "\"%s\": nobody waits in what %s (%s) rests on, so it has no first "
                      "moment",
                      address, address, d->finding->name);
    }
    st = st == MPL_OK ? mpl_query_spot(q, address, first.location, first.first_event,
                                       first.last_event, out, err)
                      : st;
    if (st == MPL_OK) {
        const char *least = mpl_text_seconds(q->arena, first.least_s);

        out->note =
            least == NULL
                ? NULL
                : mpl_arena_printf(
                      q->arena, "the first wait that %s is about, of those of at least %s",
                      d->finding->name, least);
    }
    return st == MPL_OK && out->note == NULL ? mpl_nomem(err) : st;
}

enum mpl_status mpl_query_find(struct mpl_query *q, const char *address,
                               struct mpl_spot *out, struct mpl_err *err)
{
    const size_t n = strcspn(address, "#@:");
    struct asked asked = { .q = q, .address = address };

    if (mpl_query_is_finding(address)) {
        return find_finding(q, address, out, err);
    }
    if (n == 0 || address[n] == '\0' || address[n + 1] == '\0') {
        return no_address(address, err);
    }
    const enum mpl_status st = find_location(q, address, n, &asked.location, err);
    if (st != MPL_OK) {
        return st;
    }
    asked.loc = &q->run->model->locations[asked.location];
    return address[n] == '#'   ? find_record(&asked, address + n + 1, out, err)
           : address[n] == '@' ? find_second(&asked, address + n + 1, out, err)
                               : find_call(&asked, address + n + 1, out, err);
}
