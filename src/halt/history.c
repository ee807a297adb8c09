/*
 * What came before says what should come next: of the places earlier on where the longest row of the
 * same calls (function and partner) led up to, if there are three, what followed there. Where all went
 * on in another way than now, this step differs from the steps before. Where they went on as now, their
 * partners are whom the open call waits for, most likely: EZTrace does not record it.
 */
#include "config.h"

#include "halt/halt_priv.h"

enum { LONGEST_ROW = 16, LEAST_PLACES = 3 };

static uint32_t peer_of(const struct mpl_location *loc, uint32_t event)
{
    const uint32_t ref = mpl_ref_of(loc, event);
    uint32_t envelope;

    switch ((enum mpl_event_kind) mpl_kind_of(loc, event)) {
    case MPL_EV_SEND:
    case MPL_EV_ISEND:
    case MPL_EV_RECV:
    case MPL_EV_IRECV:
        envelope = mpl_message_get(loc, ref).envelope;
        return envelope == MPL_NONE ? MPL_NONE : loc->envelopes[envelope].peer;
    case MPL_EV_COLL_END:
        return loc->collectives[ref].comm;
    default:
        return MPL_NONE;
    }
}

static bool is_step(const struct mpl_region *region)
{
    return region->mode != MPL_CALL_TEST && region->kind != MPL_REGION_MPI_FINALIZE;
}

static struct mpl_halt_history history_of(struct mpl_halting *h,
                                          const struct mpl_location *loc)
{
    struct mpl_buf calls = mpl_buf_make(sizeof(struct mpl_halt_past));
    struct mpl_halt_past now = { .region = MPL_NONE, .peer = MPL_NONE };
    struct mpl_halt_history made = { 0 };

    for (uint32_t i = 0; i < loc->n_events && !h->is_out_of_memory; i++) {
        const uint32_t ref = mpl_ref_of(loc, i);

        if (mpl_kind_of(loc, i) == MPL_EV_ENTER && mpl_halt_is_mpi(h->model, ref)) {
            now = (struct mpl_halt_past){ .enter = i, .region = ref, .peer = MPL_NONE };
        } else if (mpl_kind_of(loc, i) == MPL_EV_LEAVE) {
            if (ref == now.region && is_step(&h->model->regions[ref])) {
                now.leave = i;
                h->is_out_of_memory = !mpl_buf_put(&calls, &now);
            }
            now.region = ref == now.region ? MPL_NONE : now.region;
        } else if (now.region != MPL_NONE && now.peer == MPL_NONE) {
            now.peer = peer_of(loc, i);
        }
    }
    made.n = (uint32_t) calls.n;
    made.calls = mpl_buf_take(&calls, h->scratch);
    if (made.calls == NULL) {
        made.n = 0;
        h->is_out_of_memory = true;
    }
    mpl_buf_free(&calls);
    return made;
}

/* How many calls in front of call \p i are those in front of the end. */
static uint32_t row_before(const struct mpl_halt_history *history, uint32_t i)
{
    uint32_t n = 0;

    while (n < i && n < LONGEST_ROW) {
        const struct mpl_halt_past *a = &history->calls[i - 1 - n];
        const struct mpl_halt_past *b = &history->calls[history->n - 1 - n];

        if (a->region != b->region || a->peer != b->peer) {
            break;
        }
        n++;
    }
    return n;
}

/* The longest row that is found in front of enough calls; 0 if none is. */
static uint32_t longest_row(const struct mpl_halt_history *history)
{
    uint32_t n_places[LONGEST_ROW + 1] = { 0 };
    uint32_t n = 0;

    for (uint32_t i = 1; i < history->n; i++) {
        n_places[row_before(history, i)]++;
    }
    for (uint32_t row = LONGEST_ROW; row > 0; row--) {
        n += n_places[row];
        if (n >= LEAST_PLACES) {
            return row;
        }
    }
    return 0;
}

/* What has followed every time, unless it was what follows now. */
static void expect(const struct mpl_halt_history *history, struct mpl_halt_place *place)
{
    const uint32_t row = longest_row(history);
    uint32_t next = MPL_NONE;
    uint32_t n = 0;

    for (uint32_t i = 1; i < history->n && row > 0; i++) {
        if (row_before(history, i) < row) {
            continue;
        }
        const uint32_t region = history->calls[i].region;

        if (region == place->region || (next != MPL_NONE && region != next)) {
            return;
        }
        next = region;
        n++;
    }
    place->expected_region = next;
    place->n_expected = n;
}

void mpl_halt_histories_make(struct mpl_halting *h)
{
    struct mpl_halt_history *histories =
        MPL_NEW_ARRAY(h->scratch, h->model->n_processes, struct mpl_halt_history);

    h->is_out_of_memory |= histories == NULL;
    h->histories = histories;
    for (uint32_t p = 0; p < h->model->n_processes && !h->is_out_of_memory; p++) {
        struct mpl_halt_place *place = &h->places[p];

        if (place->state == MPL_HALT_UNKNOWN) {
            continue;
        }
        histories[p] = history_of(h, &h->model->locations[place->location]);
        if (histories[p].n > 0) {
            place->last_region = histories[p].calls[histories[p].n - 1].region;
        }
        if (place->state == MPL_HALT_IN_CALL || place->state == MPL_HALT_OUTSIDE) {
            expect(&histories[p], place);
        }
    }
}

static bool add_partner(const struct mpl_halting *h, const struct mpl_halt_past *call,
                        uint32_t region, bool *is_partner)
{
    if (call->region != region || call->peer == MPL_NONE ||
        call->peer >= h->model->n_processes) {
        return false;
    }
    is_partner[call->peer] = true;
    return true;
}

void mpl_halt_partners(const struct mpl_halting *h, uint32_t process, bool *is_partner)
{
    const struct mpl_halt_history *history = &h->histories[process];
    const uint32_t region = h->places[process].region;
    const uint32_t row = longest_row(history);
    bool has_any = false;

    for (uint32_t i = 1; i < history->n && row > 0; i++) {
        if (row_before(history, i) >= row) {
            has_any |= add_partner(h, &history->calls[i], region, is_partner);
        }
    }
    for (uint32_t i = 0; i < history->n && !has_any; i++) {
        (void) add_partner(h, &history->calls[i], region, is_partner);
    }
}
