/*
 * Handing out tasks anew. A master goes through its own calls in their order; only whose messages it takes
 * in a turn is open. The workers go through tasks, which are calls that one of them has recorded: who
 * was taken in a turn gets the task that followed it, and who gets none any more goes on with what it
 * did itself behind its last task.
 *
 * When all locations hang, everybody who could send to a master before it decides has done so, except
 * for those who need another master first. So the decision that comes first in time is taken, and
 * then all go on. What was recorded is taken if it is there when the master looks; else what comes
 * first, of messages that come at the same time the one that was taken earlier.
 *
 * A task takes its worker as long as it took the one that had it, times how much longer tasks of the
 * one take than tasks of the other, as far as that is no chance.
 */
#include "config.h"

#include "replay/replay_priv.h"

/* ---- offers: a heap ------------------------------------------------------------------------- */

static bool is_before(struct offer a, struct offer b)
{
    if (a.step != b.step) {
        return a.step < b.step;
    }
    return a.ticks != b.ticks ? a.ticks < b.ticks : a.slot < b.slot;
}

static void add_offer(struct farm *farm, struct offer offer)
{
    uint32_t i = farm->n_offers++;

    for (; i > 0 && is_before(offer, farm->offers[(i - 1) / 2]); i = (i - 1) / 2) {
        farm->offers[i] = farm->offers[(i - 1) / 2];
    }
    farm->offers[i] = offer;
}

static void drop_first(struct farm *farm)
{
    const struct offer last = farm->offers[--farm->n_offers];
    uint32_t i = 0;

    for (uint32_t child = 1; child < farm->n_offers; child = 2 * i + 1) {
        if (child + 1 < farm->n_offers &&
            is_before(farm->offers[child + 1], farm->offers[child])) {
            child++;
        }
        if (!is_before(farm->offers[child], last)) {
            break;
        }
        farm->offers[i] = farm->offers[child];
        i = child;
    }
    farm->offers[i] = last;
}

/* The earliest that is still there for the step that asks; false if none is. */
static bool first_offer(struct farm *farm, struct offer *out)
{
    while (farm->n_offers > 0 && farm->offered_by[farm->offers[0].slot] == 0) {
        drop_first(farm);
    }
    if (farm->n_offers == 0 || farm->offers[0].step != farm->slots[farm->asked].step) {
        return false;
    }
    *out = farm->offers[0];
    return true;
}

/* When the first message of a slot was sent. */
static int64_t sent_at(const struct engine *r, const struct farm *farm, uint32_t slot)
{
    uint32_t lane = MPL_NONE;
    uint32_t call = MPL_NONE;

    (void) mpl_events_posting_call(r->events, farm->master,
                                   farm->messages[slot * farm->n_each], &lane, &call);
    return mpl_engine_reached_at(r, lane, call);
}

/* ---- workers ---------------------------------------------------------------------------------- */

/* Whose first turn is \p slot. */
static void begin_step(struct runner *runner, const struct farm *farm, uint32_t slot)
{
    runner->slot = runner->home = slot;
    runner->stop_call = farm->slots[slot].sent_call;
    while (farm->slots[runner->home].next != MPL_NONE) {
        runner->home = farm->slots[runner->home].next;
    }
}

void mpl_farms_begin(struct engine *r)
{
    for (uint32_t i = 0; i < r->farms->n; i++) {
        struct farm *farm = &r->farms->items[i];

        farm->asked = MPL_NONE;
        farm->n_offers = 0;
        for (uint32_t k = 0; k < farm->n_slots; k++) {
            farm->slots[k].taken = MPL_NONE;
            farm->offered_by[k] = 0;
        }
    }
    for (uint32_t l = 0; l < r->model->n_locations; l++) {
        struct runner *runner = &r->runners[l];

        if (r->farms->of_worker[l] != MPL_NONE) {
            begin_step(runner, &r->farms->items[r->farms->of_worker[l]],
                       r->farms->first_slot[l]);
        }
    }
}

/* Goes on behind \p call of \p lane. */
static void move(struct engine *r, uint32_t location, uint32_t lane, uint32_t call)
{
    struct runner *runner = &r->runners[location];

    runner->lane = lane;
    runner->call = call + 1;
    runner->next_receive = 0;
    runner->factor = r->farms->speed[location] / r->farms->speed[lane] * runner->compute;
}

/* With what it did itself when it had no further task. */
static void move_home(struct engine *r, uint32_t location)
{
    const struct farm *farm = &r->farms->items[r->farms->of_worker[location]];
    struct runner *runner = &r->runners[location];
    const struct farm_slot *last = &farm->slots[runner->home];

    move(r, location, location,
         last->answered_call != MPL_NONE ? last->answered_call : last->sent_call);
    runner->slot = runner->stop_call = MPL_NONE;
    if (last->resume != MPL_NONE) {
        begin_step(runner, farm, last->resume);
    }
}

static void give_task(struct engine *r, const struct farm *farm, uint32_t location,
                      const struct farm_slot *slot)
{
    struct runner *runner = &r->runners[location];

    runner->slot = slot->next;
    if (slot->next == MPL_NONE && slot->answered_call == MPL_NONE) {
        move_home(r, location);
        return;
    }
    move(r, location, slot->lane, slot->sent_call);
    runner->stop_call =
        slot->next != MPL_NONE ? farm->slots[slot->next].sent_call : slot->answered_call;
}

enum progress mpl_farms_stop(struct engine *r, uint32_t location)
{
    struct farm *farm = &r->farms->items[r->farms->of_worker[location]];
    const uint32_t slot = r->runners[location].slot;

    if (slot == MPL_NONE) {
        move_home(r, location);
        return GOES_ON;
    }
    farm->offered_by[slot] = location + 1;
    add_offer(farm, (struct offer){ farm->slots[slot].step, sent_at(r, farm, slot), slot });
    return HANGS;
}

bool mpl_farms_take(const struct engine *r, uint32_t lane, uint32_t message)
{
    struct mpl_end end;

    if (r->farms->of_worker[lane] == MPL_NONE || message == MPL_NONE) {
        return false;
    }
    end = mpl_match_partner(r->match, lane, message);
    if (end.message == MPL_NONE || r->farms->of_master[end.location] == MPL_NONE) {
        return false;
    }
    return r->farms->items[r->farms->of_master[end.location]].place_of[end.message] !=
           MPL_NONE;
}

/* ---- masters ---------------------------------------------------------------------------------- */

bool mpl_farms_choose(struct engine *r, uint32_t location, uint32_t message,
                      enum progress *progress)
{
    const uint32_t number = r->farms->of_master[location];
    struct farm *farm = number == MPL_NONE ? NULL : &r->farms->items[number];
    uint32_t place = farm == NULL ? MPL_NONE : farm->place_of[message];
    uint32_t taken;
    uint32_t lane;
    uint32_t call;

    if (place == MPL_NONE) {
        return false;
    }
    taken = farm->slots[place / farm->n_each].taken;
    if (taken == MPL_NONE) {
        farm->asked = place / farm->n_each;
        *progress = HANGS;
        return true;
    }
    place = taken * farm->n_each + place % farm->n_each;
    *progress =
        mpl_events_posting_call(r->events, location, farm->messages[place], &lane, &call)
            ? mpl_engine_need(r, location, mpl_engine_slot(r, lane, call),
                              &r->runners[location].ticks)
            : GOES_ON;
    return true;
}

/* What a master that asks would take, and when; false if it does not ask, or nothing is there. */
static bool decide(const struct engine *r, struct farm *farm, struct offer *out)
{
    const int64_t now = r->runners[farm->master].ticks;

    if (farm->asked == MPL_NONE || !first_offer(farm, out)) {
        return false;
    }
    if (farm->offered_by[farm->asked] != 0) {
        const int64_t sent = sent_at(r, farm, farm->asked);

        if (sent <= now || sent == out->ticks) {
            *out = (struct offer){ out->step, sent, farm->asked };
        }
    }
    out->ticks = out->ticks > now ? out->ticks : now;
    return true;
}

bool mpl_farms_deal(struct engine *r)
{
    struct farm *first = NULL;
    struct offer best = { 0, 0, MPL_NONE };
    uint32_t worker;
    uint32_t slot;

    for (uint32_t i = 0; i < r->farms->n; i++) {
        struct offer offer;

        if (decide(r, &r->farms->items[i], &offer) &&
            (first == NULL || offer.ticks < best.ticks)) {
            first = &r->farms->items[i];
            best = offer;
        }
    }
    if (first == NULL) {
        return false;
    }
    slot = first->asked;
    worker = first->offered_by[best.slot] - 1;
    first->offered_by[best.slot] = 0;
    first->asked = MPL_NONE;
    first->slots[slot].taken = best.slot;
    give_task(r, first, worker, &first->slots[slot]);
    r->ready[r->n_ready++] = worker;
    r->ready[r->n_ready++] = first->master;
    return true;
}
