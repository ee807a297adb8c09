/*
 * Where tasks can be handed out anew. A master that takes what comes first and answers whoever came gives
 * the next task to another worker when another one is faster. What was recorded shows such a master as
 * turns: messages of one worker, then an answer to it. What a worker does between an answer and the
 * messages of its next turn is a task, which any other one could have had.
 *
 * That is only so if nothing else happens meanwhile. So from its first turn to its last one a master
 * deals with its workers alone, and a worker in its tasks with its master alone; each waits for its
 * answer before it sends again; every turn takes as many messages; and who gets no further task gets
 * none while others still do. Where one of these does not hold, all stays in the recorded order. What a
 * master does between two of its collectives is a step, for which all that must hold by itself; behind
 * the first step for which it does not all stays as recorded.
 */
#include "config.h"

#include "replay/replay_priv.h"

#include <math.h>
#include <stdlib.h>

/*
 * A worker whose tasks differ from those of the middle one by less than so many standard errors got
 * long ones by chance; then its tasks would have taken as long elsewhere. Three: 0.3 %.
 */
static const double certain_errors = 3;
/* A difference below so many says nothing at all. One: a third of all who are alike differ by more. */
static const double doubtful_errors = 1;

/* How long the tasks of a worker take. */
struct task_stats {
    uint32_t lane;
    uint32_t n;
    double sum_s;
    double squares;
    double mean_s;
};

struct finder {
    const struct mpl_events *events;
    const struct mpl_model *model;
    const struct mpl_match *match;
    struct mpl_arena *arena;
    struct farms *out;
    /* Of the step of the farm at hand: */
    uint32_t first_of_step; /* slot */
    uint32_t step;
    struct task_stats *stats; /* per location; zeroed between farms */
    uint32_t *last_of;        /* per location: its last slot so far; MPL_NONE */
    uint32_t n_received;      /* in the last slot */
    uint32_t n_messages;      /* of the farm */
    uint32_t n_workers;
};

/* ---- turns ---------------------------------------------------------------------------------- */

/* What a record of the master means to the farm. */
enum step { GOES_WITH_IT, ENDS_IT, SPOILS_IT };

/* NULL before its first turn. */
static struct farm_slot *last_of_step(const struct finder *f, const struct farm *farm)
{
    return farm->n_slots == f->first_of_step ? NULL : &farm->slots[farm->n_slots - 1];
}

static bool begin_slot(struct finder *f, struct farm *farm, uint32_t lane)
{
    const uint32_t before = f->last_of[lane];

    if (before != MPL_NONE) {
        farm->slots[before].next = farm->n_slots;
    } else {
        f->n_workers++;
    }
    if (farm->n_slots == 1) {
        farm->n_each = f->n_received;
    }
    if (farm->n_slots > f->first_of_step && f->n_received != farm->n_each) {
        return false;
    }
    f->last_of[lane] = farm->n_slots;
    f->n_received = 0;
    farm->slots[farm->n_slots++] = (struct farm_slot){ .lane = lane,
                                                       .step = f->step,
                                                       .sent_call = MPL_NONE,
                                                       .answered_call = MPL_NONE,
                                                       .next = MPL_NONE,
                                                       .resume = MPL_NONE,
                                                       .taken = MPL_NONE };
    return true;
}

static enum step take_receive(struct finder *f, struct farm *farm, uint32_t message)
{
    struct farm_slot *slot = last_of_step(f, farm);
    uint32_t lane;
    uint32_t call;

    if (!mpl_events_posting_call(f->events, farm->master, message, &lane, &call) ||
        lane == farm->master) {
        return SPOILS_IT;
    }
    if (slot == NULL || slot->lane != lane || slot->answered_call != MPL_NONE) {
        if (!begin_slot(f, farm, lane)) {
            return SPOILS_IT;
        }
        slot = &farm->slots[farm->n_slots - 1];
    }
    farm->place_of[message] = f->n_messages;
    farm->messages[f->n_messages++] = message;
    f->n_received++;
    if (slot->sent_call != MPL_NONE && call < slot->sent_call) {
        return SPOILS_IT;
    }
    slot->sent_call = call;
    return GOES_WITH_IT;
}

static enum step take_send(struct finder *f, struct farm *farm, uint32_t message)
{
    const struct mpl_end end = mpl_match_partner(f->match, farm->master, message);
    struct farm_slot *slot = last_of_step(f, farm);
    uint32_t event;

    if (slot == NULL) {
        return GOES_WITH_IT;
    }
    if (end.message == MPL_NONE || end.location != slot->lane) {
        return ENDS_IT;
    }
    event = mpl_message_get(&f->model->locations[end.location], end.message).event;
    slot->answered_call = event == MPL_NONE
                              ? MPL_NONE
                              : mpl_events_call_of_event(f->events, end.location, event);
    return slot->answered_call == MPL_NONE ? SPOILS_IT : GOES_WITH_IT;
}

static enum step take_record(struct finder *f, struct farm *farm, uint32_t event)
{
    const struct mpl_location *loc = &f->model->locations[farm->master];

    switch ((enum mpl_event_kind) mpl_kind_of(loc, event)) {
    case MPL_EV_RECV:
        return take_receive(f, farm, mpl_ref_of(loc, event));
    case MPL_EV_SEND:
    case MPL_EV_ISEND:
        return take_send(f, farm, mpl_ref_of(loc, event));
    case MPL_EV_IRECV:
    case MPL_EV_IRECV_POST:
    case MPL_EV_COLL_BEGIN:
    case MPL_EV_COLL_END:
        return farm->n_slots > f->first_of_step ? ENDS_IT : GOES_WITH_IT;
    default:
        return GOES_WITH_IT;
    }
}

/* Those of a step, from record \p *e on; false if they are none. */
static bool find_turns(struct finder *f, struct farm *farm, uint32_t *e)
{
    const struct mpl_location *loc = &f->model->locations[farm->master];
    enum step step = GOES_WITH_IT;

    f->n_received = f->n_workers = 0;
    f->first_of_step = farm->n_slots;
    while (*e < loc->n_events && (step = take_record(f, farm, *e)) == GOES_WITH_IT) {
        (*e)++;
    }
    if (farm->n_slots == 1) {
        farm->n_each = f->n_received;
    }
    return step != SPOILS_IT && farm->n_slots > f->first_of_step &&
           f->n_received == farm->n_each;
}

/* ---- tasks ----------------------------------------------------------------------------------- */

static uint32_t first_event_of(const struct finder *f, uint32_t lane, uint32_t call)
{
    struct mpl_call_view view;

    mpl_events_call(f->events, lane, call, &view);
    return view.first_event;
}

static uint32_t last_event_of(const struct finder *f, uint32_t lane, uint32_t call)
{
    struct mpl_call_view view;

    mpl_events_call(f->events, lane, call, &view);
    return view.last_event;
}

/* Whether a worker in a task has to do with its master alone. */
static bool is_of_task(const struct finder *f, const struct farm *farm, uint32_t lane,
                       uint32_t event)
{
    const struct mpl_location *loc = &f->model->locations[lane];
    struct mpl_end end;

    switch ((enum mpl_event_kind) mpl_kind_of(loc, event)) {
    case MPL_EV_RECV:
    case MPL_EV_SEND:
    case MPL_EV_ISEND:
        end = mpl_match_partner(f->match, lane, mpl_ref_of(loc, event));
        return end.message != MPL_NONE && end.location == farm->master;
    case MPL_EV_IRECV:
    case MPL_EV_IRECV_POST:
    case MPL_EV_COLL_BEGIN:
    case MPL_EV_COLL_END:
        return false;
    default:
        return true;
    }
}

/* What lies between a turn and the next one of the same worker, or its last answer. */
static bool is_task(const struct finder *f, const struct farm *farm,
                    const struct farm_slot *slot)
{
    const bool is_last = slot->next == MPL_NONE;
    const uint32_t end_call =
        is_last ? slot->answered_call : farm->slots[slot->next].sent_call;

    if (is_last && end_call == MPL_NONE) {
        return true;
    }
    if (slot->answered_call == MPL_NONE || slot->answered_call <= slot->sent_call ||
        slot->answered_call > end_call || (!is_last && slot->answered_call == end_call)) {
        return false;
    }
    for (uint32_t e = last_event_of(f, slot->lane, slot->sent_call) + 1;
         e <= last_event_of(f, slot->lane, end_call); e++) {
        if (!is_of_task(f, farm, slot->lane, e)) {
            return false;
        }
    }
    return true;
}

/* Behind the first one who gets no further task nobody does. */
static bool ends_together(const struct finder *f, const struct farm *farm)
{
    uint32_t n_last = 0;

    for (uint32_t k = farm->n_slots;
         k-- > f->first_of_step && farm->slots[k].next == MPL_NONE;) {
        n_last++;
    }
    return n_last == f->n_workers && n_last < farm->n_slots - f->first_of_step;
}

static bool are_tasks(const struct finder *f, const struct farm *farm)
{
    for (uint32_t k = f->first_of_step; k < farm->n_slots; k++) {
        const uint32_t lane = farm->slots[k].lane;

        if (f->out->of_worker[lane] != MPL_NONE || f->out->of_master[lane] != MPL_NONE ||
            !is_task(f, farm, &farm->slots[k])) {
            return false;
        }
    }
    return f->out->of_worker[farm->master] == MPL_NONE && ends_together(f, farm);
}

/* ---- how long tasks take --------------------------------------------------------------------- */

static double task_s(const struct finder *f, const struct farm *farm,
                     const struct farm_slot *slot)
{
    const struct mpl_location *loc = &f->model->locations[slot->lane];
    int64_t ticks = 0;

    for (uint32_t call = slot->sent_call; call < farm->slots[slot->next].sent_call;
         call++) {
        ticks += mpl_ticks_of(loc, first_event_of(f, slot->lane, call + 1)) -
                 mpl_ticks_of(loc, last_event_of(f, slot->lane, call));
    }
    return mpl_model_seconds(f->model, ticks);
}

static int by_mean(const void *x, const void *y)
{
    const struct task_stats *a = (const struct task_stats *) x;
    const struct task_stats *b = (const struct task_stats *) y;

    if (a->mean_s != b->mean_s) {
        return a->mean_s < b->mean_s ? -1 : 1;
    }
    return (a->lane > b->lane) - (a->lane < b->lane);
}

/* Of the mean, squared; infinite where nobody can tell. */
static double squared_error(const struct task_stats *s)
{
    const double variance = s->squares / s->n - s->mean_s * s->mean_s;

    return s->n < 2 ? INFINITY : fmax(variance, 0) / (s->n - 1);
}

static void set_speeds(struct finder *f, struct task_stats *stats, uint32_t n)
{
    qsort(stats, n, sizeof *stats, by_mean);

    const struct task_stats *usual = &stats[n / 2];

    for (uint32_t i = 0; i < n; i++) {
        const struct task_stats *s = &stats[i];
        const double error = sqrt(squared_error(s) + squared_error(usual));

        const double difference = fabs(s->mean_s - usual->mean_s);

        f->out->task_s[s->lane] = s->mean_s;
        if (!(usual->mean_s > 0 && s->mean_s > 0)) {
            continue;
        }
        if (difference > certain_errors * error) {
            f->out->speed[s->lane] = s->mean_s / usual->mean_s;
        }
        if (difference > doubtful_errors * error || isinf(error)) {
            f->out->unsure_speed[s->lane] = s->mean_s / usual->mean_s;
        }
    }
}

/* Returns the number of workers. */
static uint32_t count_tasks(struct finder *f, const struct farm *farm)
{
    uint32_t n = 0;

    for (uint32_t k = 0; k < farm->n_slots; k++) {
        const struct farm_slot *slot = &farm->slots[k];

        if (slot->next != MPL_NONE) {
            const double seconds = task_s(f, farm, slot);
            struct task_stats *s = &f->stats[slot->lane];

            s->lane = slot->lane;
            n += s->n++ == 0;
            s->sum_s += seconds;
            s->squares += seconds * seconds;
        }
    }
    return n;
}

static bool measure_tasks(struct finder *f, const struct farm *farm)
{
    const uint32_t n = count_tasks(f, farm);
    struct task_stats *of = MPL_NEW_ARRAY(f->arena, n, struct task_stats);
    uint32_t n_taken = 0;

    if (of == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < farm->n_slots; k++) {
        struct task_stats *s = &f->stats[farm->slots[k].lane];

        if (s->n > 0) {
            s->mean_s = s->sum_s / s->n;
            of[n_taken++] = *s;
            *s = (struct task_stats){ 0 };
        }
    }
    set_speeds(f, of, n);
    return true;
}

/* ---- all ------------------------------------------------------------------------------------- */

static void enlist(struct finder *f, const struct farm *farm)
{
    const uint32_t number = f->out->n;

    for (uint32_t k = farm->n_slots; k-- > 0;) {
        struct farm_slot *slot = &farm->slots[k];

        if (slot->next == MPL_NONE && f->out->of_worker[slot->lane] == number) {
            slot->resume = f->out->first_slot[slot->lane];
        }
        f->out->of_worker[slot->lane] = number;
        f->out->first_slot[slot->lane] = k;
    }
    f->out->of_master[farm->master] = number;
    f->out->items[f->out->n++] = *farm;
}

static void drop_step(struct finder *f, struct farm *farm)
{
    farm->n_slots = f->first_of_step;
    while (f->n_messages > farm->n_slots * farm->n_each) {
        farm->place_of[farm->messages[--f->n_messages]] = MPL_NONE;
    }
}

/* A collective ends a step. Behind the first step that is no farm none is taken for one. */
static void find_steps(struct finder *f, struct farm *farm)
{
    const struct mpl_location *loc = &f->model->locations[farm->master];
    uint32_t e = 0;
    bool is_good = true;

    f->n_messages = f->step = 0;
    while (is_good) {
        is_good = find_turns(f, farm, &e) && are_tasks(f, farm);
        for (uint32_t k = f->first_of_step; k < farm->n_slots; k++) {
            f->last_of[farm->slots[k].lane] = MPL_NONE;
        }
        if (!is_good) {
            drop_step(f, farm);
            return;
        }
        farm->end_event = e;
        f->step++;
        is_good = e < loc->n_events && (mpl_kind_of(loc, e) == MPL_EV_COLL_BEGIN ||
                                        mpl_kind_of(loc, e) == MPL_EV_COLL_END);
    }
}

static enum mpl_status find_farm(struct finder *f, uint32_t master, enum choice choice,
                                 struct mpl_err *err)
{
    const uint32_t n = f->model->locations[master].n_messages;
    struct farm farm = {
        .master = master,
        .slots = MPL_NEW_ARRAY(f->arena, n, struct farm_slot),
        .messages = MPL_NEW_ARRAY(f->arena, n, uint32_t),
        .place_of = MPL_NEW_ARRAY(f->arena, n, uint32_t),
        .offered_by = MPL_NEW_ARRAY(f->arena, n, uint32_t),
        .offers = MPL_NEW_ARRAY(f->arena, n, struct offer),
        .asked = MPL_NONE,
    };

    if (farm.slots == NULL || farm.messages == NULL || farm.place_of == NULL ||
        farm.offered_by == NULL || farm.offers == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t i = 0; i < n; i++) {
        farm.place_of[i] = MPL_NONE;
    }
    find_steps(f, &farm);
    if (farm.n_slots == 0) {
        return MPL_OK;
    }
    f->out->may_be[master] = true;
    if (choice != CHOOSES) {
        return MPL_OK;
    }
    enlist(f, &farm);
    return measure_tasks(f, &farm) ? MPL_OK : mpl_nomem(err);
}

static bool make_tables(struct finder *f)
{
    const uint32_t n = f->model->n_locations;
    struct farms *out = f->out;

    *out = (struct farms){
        .items = MPL_NEW_ARRAY(f->arena, n, struct farm),
        .of_master = MPL_NEW_ARRAY(f->arena, n, uint32_t),
        .of_worker = MPL_NEW_ARRAY(f->arena, n, uint32_t),
        .first_slot = MPL_NEW_ARRAY(f->arena, n, uint32_t),
        .may_be = MPL_NEW_ARRAY(f->arena, n, bool),
        .task_s = MPL_NEW_ARRAY(f->arena, n, double),
        .speed = MPL_NEW_ARRAY(f->arena, n, double),
        .unsure_speed = MPL_NEW_ARRAY(f->arena, n, double),
    };
    f->last_of = MPL_NEW_ARRAY(f->arena, n, uint32_t);
    f->stats = MPL_NEW_ARRAY(f->arena, n, struct task_stats);
    if (out->items == NULL || out->of_master == NULL || out->of_worker == NULL ||
        out->first_slot == NULL || out->may_be == NULL || out->task_s == NULL ||
        out->speed == NULL || out->unsure_speed == NULL || f->last_of == NULL ||
        f->stats == NULL) {
        return false;
    }
    for (uint32_t l = 0; l < n; l++) {
        out->of_master[l] = out->of_worker[l] = f->last_of[l] = MPL_NONE;
        out->speed[l] = out->unsure_speed[l] = 1;
    }
    return true;
}

enum mpl_status mpl_farms_find(const struct mpl_events *events, const enum choice *choices,
                               struct mpl_arena *arena, struct farms *out,
                               struct mpl_err *err)
{
    struct finder f = { .events = events,
                        .model = mpl_events_model(events),
                        .match = mpl_events_match(events),
                        .arena = arena,
                        .out = out };
    enum mpl_status st = make_tables(&f) ? MPL_OK : mpl_nomem(err);

    for (uint32_t l = 0; st == MPL_OK && l < f.model->n_locations; l++) {
        st = choices[l] != KEEPS_ORDER ? find_farm(&f, l, choices[l], err) : MPL_OK;
    }
    return st;
}
