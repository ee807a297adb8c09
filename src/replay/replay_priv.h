/* Shared by the files of replay only: the engine, and what it is told to change. */
#ifndef MPL_REPLAY_REPLAY_PRIV_H
#define MPL_REPLAY_REPLAY_PRIV_H

#include "replay/replay.h"

#include <string.h>

/* The time in a function of the program, with all that it calls, or in an MPI call of that name. */
struct region_scale {
    const bool *is_region; /* per region: of that name */
    const double *factor;  /* per location; 1: as recorded */
};

/* What takes how many times as long as recorded. Zeroed: nothing is changed. */
struct scale {
    const double *compute; /* per location, of what lies between calls; NULL: 1 */
    const struct mpl_sections *sections; /* NULL: nothing changes section by section */
    /* Per location and section, on top of compute; NULL: 1. Below zero where it computes nothing that could be scaled: so
     * many seconds come on top. */
    const double *const *in_sections;
    const int64_t *const
        *given; /* per location, what it computes before each call; NULL: as recorded */
    const double
        *transfer; /* per location, of what MPI calls cost beyond waiting; NULL: 1 */
    size_t n_regions;
    const struct region_scale *regions; /* on top of the others */
};

/* What a location spends on what can be changed, seconds as recorded. */
struct spent {
    double compute_s;
    double transfer_s;  /* of calls, beyond waiting */
    double *regions_s;  /* per region of the scale */
    double *sections_s; /* computation per section of the scale; NULL: it has none */
};

/* What can be seen of a location that receives: whether it takes what comes first. */
enum choice {
    KEEPS_ORDER, /* no, or it makes no difference */
    MAY_CHOOSE,  /* it answers, but in turns that are as regular as an order of its own */
    CHOOSES
};

/* What came after some turns the last time. */
struct turn_memory {
    uint64_t before; /* hash of these turns and of who had them; 0: none */
    uint64_t turn;
};
enum {
    N_TURNS_BEFORE =
        6, /* turns from which the next is predicted: this many, or one alone */
    N_TURN_MEMORIES = 4096
};
/* turns.c: whether a location answers most of whom it takes messages from, while its records are walked,
 * forwards. Who does not keeps its order: no turns need be looked at. */
struct answers {
    const struct mpl_model *model;
    uint32_t partner;    /* location of the turn; MPL_NONE before the first */
    bool is_answer_next; /* nothing was sent since the last message was received */
    bool is_answered;    /* what was sent then went to whom that came from */
    uint64_t n_turns;
    uint64_t n_answered;
};
struct answers mpl_answers_begin(const struct mpl_model *model);
void mpl_answers_receive(struct answers *answers, uint32_t partner);
void mpl_answers_send(struct answers *answers, const struct mpl_location *loc,
                      uint32_t message);
bool mpl_answers_end(struct answers *answers);
/* turns.c: the turns of a location while its records are walked, backwards. */
struct turns {
    const struct mpl_model *model;
    uint32_t location;
    struct turn_memory *memories;
    uint64_t last[N_TURNS_BEFORE]; /* round about */
    uint32_t partner;              /* of the turn; MPL_NONE before the first */
    uint32_t length;               /* its messages */
    uint32_t send_to;              /* process that is sent to next, to be set; MPL_NONE */
    uint64_t n_turns;
    uint64_t n_known; /* could be predicted */
    uint64_t n_predicted;
    uint64_t n_answered;
};
/* memories: N_TURN_MEMORIES, shared by all locations. */
struct turns mpl_turns_begin(const struct mpl_model *model, uint32_t location,
                             struct turn_memory *memories);
void mpl_turns_receive(struct turns *turns, uint32_t partner);
enum choice mpl_turns_end(struct turns *turns);

/* A run as it came out. */
struct course {
    bool is_finished;  /* nobody hangs for ever: the recorded order is possible */
    uint32_t unsure;   /* whose tasks may differ by chance or not; MPL_NONE */
    double if_not_s;   /* if that is no chance: the duration */
    double duration_s; /* until the last location ends */
    double unknown_s;  /* in calls whose partners are not recorded; mean of the locations */
    double *end_s;     /* per location; the caller's, NULL: not wanted */
    /* Per location that may take what comes first: waiting for a message while one that is received
     * later was there; likewise. Of use only if is_finished. */
    double *order_s;
    enum choice *choices; /* likewise */
    const enum choice
        *known; /* who keeps its order by these is not looked at; NULL: all are */
};

/* ---- the run as recorded ------------------------------------------------------------------- */

/*
 * Each location has one activity per call, in bytes: its head; the ticks within the window, as recorded, that it
 * computes before the call, and those that it costs beyond waiting; and the slots of the calls that must have begun
 * before it goes on, each in 32 bits. One that goes by its records costs and needs nothing here.
 */
enum {
    ACTIVITY_BY_RECORD = 1,    /* it goes on as its records say */
    ACTIVITY_UNLESS_IDEAL = 2, /* on an ideal network it needs none of these calls */
    ACTIVITY_IS_NEEDED = 4,    /* it has a slot, the next one of its location */
    ACTIVITY_WIDTH_SHIFT =
        3,                /* two bits: the bytes of each of its ticks, as a power of 2 */
    ACTIVITY_N_SHIFT = 5, /* above: how many calls it needs; */
    ACTIVITY_N_BEHIND = UINT8_MAX >> ACTIVITY_N_SHIFT, /* this: behind the ticks, */
    ACTIVITY_N_BYTES = sizeof(uint16_t),               /* in so many bytes */
    ACTIVITY_N_MOST = UINT16_MAX,
    ACTIVITY_NEED_BYTES = sizeof(uint32_t)
};
/* As a power of 2. */
static inline unsigned mpl_activity_width(uint8_t head)
{
    return head >> ACTIVITY_WIDTH_SHIFT & 3;
}
/* Its ticks, what it computes and costs; returns what is behind them. */
static inline const uint8_t *mpl_activity_take_ticks(const uint8_t *at, uint8_t head,
                                                     int64_t *compute_ticks,
                                                     int64_t *cost_ticks)
{
    uint16_t ticks_16[2];
    uint32_t ticks_32[2];

    const unsigned width = mpl_activity_width(head);

    /* Nearly all pass by one of the first two. */
    if (width == 0) {
        *compute_ticks = at[0];
        *cost_ticks = at[1];
        return at + 2;
    }
    if (width == 1) {
        memcpy(ticks_16, at, sizeof ticks_16);
        *compute_ticks = ticks_16[0];
        *cost_ticks = ticks_16[1];
        return at + sizeof ticks_16;
    }
    if (width == 2) {
        memcpy(ticks_32, at, sizeof ticks_32);
        *compute_ticks = ticks_32[0];
        *cost_ticks = ticks_32[1];
        return at + sizeof ticks_32;
    }
    memcpy(compute_ticks, at, sizeof *compute_ticks);
    memcpy(cost_ticks, at + sizeof *compute_ticks, sizeof *cost_ticks);
    return at + sizeof *compute_ticks + sizeof *cost_ticks;
}
static inline bool mpl_activity_has_needs(uint8_t head)
{
    return head >> ACTIVITY_N_SHIFT != 0;
}
/* How many calls it needs; \p at goes from behind the ticks to the first slot. */
static inline uint32_t mpl_activity_take_n(uint8_t head, const uint8_t **at)
{
    uint32_t n = head >> ACTIVITY_N_SHIFT;
    uint16_t behind;

    if (n == ACTIVITY_N_BEHIND) {
        memcpy(&behind, *at, sizeof behind);
        *at += sizeof behind;
        n = behind;
    }
    return n;
}

/* Which of some calls somebody needs: those have slots, in their order. */
struct needed_block {
    uint32_t is_needed; /* a bit per call */
    uint32_t n_before;  /* slots of all calls before the block */
};
enum { CALLS_PER_BLOCK = 32, SLOTS_PER_BLOCK = 64 };

/* The calls of all locations have numbers, one location after the other. */
struct activities {
    const struct mpl_events *events;
    const struct mpl_model *model;
    const struct mpl_match *match;
    int64_t window_begin_ticks;
    int64_t window_end_ticks;
    uint32_t *first_call;        /* per location and one more */
    uint8_t **code;              /* per location: its activities */
    struct needed_block *needed; /* per CALLS_PER_BLOCK calls */
    uint32_t n_slots;
    /* Per SLOTS_PER_BLOCK slots: how often activities need one of them; MPL_NONE: records may ask for them, too. */
    uint32_t *n_needs;
    bool *is_part; /* per location: takes part in a replay */
    bool *answers; /* per location: may take what comes first, see struct answers */
    uint32_t n_answering;
    size_t *first_collective; /* per location and one more: of what follows */
    uint32_t *arrival; /* the call that comes to the collective; MPL_NONE: none does */
    struct mpl_coll_need *coll_needs;
    uint32_t *n_needed; /* per instance: parts that others wait for */
};

/* activities.c. NULL if out of memory.
 * Cost: linear in records; 3 bytes per call that takes less than 256 ticks, 5 per one of less than 65,536, 4 per call that it needs,
 * 6 per part of a collective, and 0.25 per call; meanwhile 0.16 per call and thread. */
const struct activities *mpl_activities_create(const struct mpl_events *events,
                                               struct mpl_arena *arena);
/* False of a run with so many calls that they have no numbers. */
bool mpl_activities_can_number(const struct mpl_events *events);
/* The call that posts the other end of a message, if that is recorded and takes part. */
bool mpl_activities_find_post(const struct activities *a, uint32_t lane, uint32_t message,
                              uint32_t *other, uint32_t *call);
/* The record of the next blocking receive behind a call, whose message a probe waits for; n_events if there is none.
 * \p known: what that was for an earlier call, or 0. */
uint32_t mpl_activities_find_receive(const struct mpl_location *loc,
                                     const struct mpl_call_view *view, uint32_t known);

static inline bool mpl_activities_is_needed(const struct activities *a, uint32_t number)
{
    return (a->needed[number / CALLS_PER_BLOCK].is_needed >> number % CALLS_PER_BLOCK &
            1) != 0;
}
/* How many slots the calls before that one have, so that it is the slot of a call that is needed. */
static inline uint32_t mpl_activities_slot(const struct activities *a, uint32_t number)
{
    const struct needed_block *block = &a->needed[number / CALLS_PER_BLOCK];
    const uint32_t before = (UINT32_C(1) << number % CALLS_PER_BLOCK) - 1;

    return block->n_before + (uint32_t) __builtin_popcount(block->is_needed & before);
}

/* The part of a stretch that lies in the window. */
static inline int64_t mpl_activities_inside(const struct activities *a, int64_t from_ticks,
                                            int64_t to_ticks)
{
    const int64_t begin = a->window_begin_ticks;
    const int64_t end = a->window_end_ticks;

    from_ticks = from_ticks > begin ? from_ticks : begin;
    to_ticks = to_ticks < end ? to_ticks : end;
    return to_ticks > from_ticks ? to_ticks - from_ticks : 0;
}

/* progress.c: whether a call of \p lane, a blocking send, lasted until the receiver came to a
 * call of MPI, which is \p *call of \p *other, and for how long as recorded. */
bool mpl_activities_find_progress(const struct activities *a, uint32_t lane,
                                  const struct mpl_call_view *view, uint32_t message,
                                  uint32_t *other, uint32_t *call, int64_t *held_ticks);

/* engine.c: lets every location run through its calls; \p farms NULL: in the recorded order, else
 * tasks are handed out anew. Cost: linear in calls, in records where regions are
 * scaled; 8 bytes per call that somebody needs as long as calls laid out will need it, and else until the end. */
struct farms;
enum mpl_status mpl_engine_run(const struct activities *activities,
                               const struct scale *scale, struct farms *farms,
                               struct course *out, struct mpl_err *err);

/* change.c: a question with everybody's names and numbers in place. */
struct question {
    const struct mpl_events *events;
    struct mpl_replay *replay; /* what it shares with others */
    const struct mpl_what_if *what;
    const struct mpl_replay_role *roles;
    size_t n_roles;
    struct mpl_arena *arena;  /* until it is answered */
    struct mpl_arena *answer; /* of what stays: who asks has it */
    size_t *role_of;          /* per location: the role that counts; n_roles: it has none */
    bool **is_named;          /* per change and location */
    uint32_t *region_of;      /* per change: its region of the scale; MPL_NONE */
    struct scale scale;       /* without factors until question_settle() */
    const struct farms *farms; /* NULL: nobody hands out tasks */
};

/* spent.c: of each location of the scale's regions and sections. NULL without memory.
 * Cost: linear in calls, in records where there are regions; in threads. */
struct spent *mpl_spent_find(const struct activities *activities, const struct scale *scale,
                             struct mpl_arena *arena);
/* replay.c: of the run, made when the first question asks. */
enum mpl_status mpl_replay_sections(struct mpl_replay *replay,
                                    const struct mpl_sections **out, struct mpl_err *err);
/* Finds the locations and regions that are named. Errors: MPL_E_USAGE. */
enum mpl_status mpl_question_resolve(struct question *q, struct mpl_err *err);
/* Fills in the factors, some of which depend on what everybody spends, and on whose tasks those are. */
enum mpl_status mpl_question_settle(struct question *q, const struct spent *spent,
                                    struct mpl_err *err);
enum mpl_status mpl_question_fail_others(const struct question *q, size_t i,
                                         struct mpl_err *err);

/* change_sections.c: changes of computation section by section. */
/* What a location computes per section, first as recorded, then after each change, s. */
struct targets {
    double **of; /* per location; NULL: it is changed as a whole */
    struct mpl_arena *scratch;
};
bool mpl_change_is_by_section(const struct mpl_change *change);
enum mpl_status mpl_targets_make(const struct question *q, const struct spent *spent,
                                 struct targets *out, struct mpl_err *err);
/* Changes those of the named locations that have targets. Errors: MPL_E_USAGE. */
enum mpl_status mpl_targets_change(const struct question *q, size_t i,
                                   struct targets *targets, struct mpl_err *err);
/* From targets to what the engine applies; these are in their place then. */
void mpl_targets_settle(struct question *q, const struct spent *spent,
                        const struct targets *targets);

/* ---- inside of the engine ----------------------------------------------------------------- */

struct runner {
    /* Whose recorded calls it runs through: its own, in a farm also those of others. */
    uint32_t lane;
    uint32_t stop_call; /* after it the farm says how to go on; MPL_NONE */
    uint32_t slot;      /* of the farm, whose messages it has then sent; MPL_NONE */
    uint32_t home;  /* its own last slot of the step, behind which it goes on by itself */
    double compute; /* factors of the scale */
    double transfer;
    double
        factor; /* of what it computes now: compute, and its section's or, of what others computed, its speed's */
    int64_t ticks;       /* replayed time, since the window begins */
    int64_t begin_ticks; /* of the current call */
    int64_t held_ticks;  /* as recorded, of the current send: until the receiver looked */
    uint32_t call;       /* next or current */
    uint32_t event;      /* record in that call to go on with */
    const uint8_t *at;   /* where its activities go on */
    uint32_t n_left;     /* calls that the current one still needs, */
    int64_t cost_ticks;  /* and what it costs then */
    uint32_t next_slot;  /* of its next call that somebody needs */
    uint32_t next; /* in the chain of those that wait for the same thing; location + 1 */
    uint32_t scan_instance; /* waits for this scan */
    uint32_t next_receive;  /* record of the next blocking receive, for probes */
    uint32_t n_noted;       /* records whose functions are counted as open or not */
    uint32_t section;       /* in which it computes */
    uint32_t section_end;   /* the first call that is not in it; MPL_NONE */
    uint32_t n_begun;       /* sections of which it has got what is on top */
    bool is_in_call;
    bool is_done;
    bool
        is_ideal; /* transfers take no time, so no send has to wait until it can be buffered */
    struct mpl_call_view view; /* of the current call, if it goes by its records */
};

struct coll_state {
    int64_t ticks;          /* the latest so far of those who are needed */
    uint32_t n_missing;     /* of these, how many are still to come */
    uint32_t first_hanging; /* location + 1 */
    uint32_t n_resolved;    /* of a scan: parts whose lower ranks have all arrived */
};

/*
 * Some slots in a row: 0 while nobody has reached the call, -(l + 1) when location l is the first of a chain that waits
 * for it, and the time of its beginning plus one when it is reached. What a location needs mostly lies shortly behind,
 * so few blocks have slots at a time.
 */
struct slot_block {
    int64_t *slots; /* those of the engine that nobody reaches: not yet, or not any more */
    uint64_t
        n_left; /* how often activities will still need one of them, or about SLOTS_KEPT */
};
/* More than all of them can need: whether somebody else needs a slot is not known, so that it stays. */
#define SLOTS_KEPT (UINT64_C(1) << 63)

struct engine {
    const struct mpl_events *events;
    const struct mpl_model *model;
    const struct mpl_match *match;
    const struct activities *activities;
    const struct scale *scale;
    bool
        is_by_record; /* all calls are: what activities say does not hold, or not suffice */
    struct slot_block *blocks; /* of the slots of calls that somebody needs */
    int64_t *unreached; /* slots of all blocks that need none; nothing is written there */
    int64_t *spare;     /* slots that serve again, linked by their first; NULL: none */
    struct mpl_arena *scratch; /* they live there */
    struct runner *runners;    /* per location */
    struct coll_state *colls;  /* per instance */
    uint32_t *ready;           /* stack of locations that can go on */
    uint32_t n_ready;
    struct farms *farms;   /* NULL: everything as recorded */
    uint32_t *open;        /* [location * regions + changed region]: how often it is open */
    int64_t unknown_ticks; /* in calls whose partners are not recorded */
};

enum progress { HANGS, GOES_ON };

/* Set in the slot of a scan's participant when its lower ranks are known too. */
#define RESOLVED_BIT (INT64_C(1) << 62)

void mpl_engine_wake(struct engine *r, uint32_t first);
/* The location waits for the call of that slot, which is not reached. */
void mpl_engine_hang(struct engine *r, uint32_t location, uint32_t slot);
/* Gives slots to a block that has none yet. False where nobody needs them, or without memory: then the scratch arena is short. */
bool mpl_engine_open_block(struct engine *r, struct slot_block *block);
/* Nobody needs its slots any more: they serve again. */
void mpl_engine_close_block(struct engine *r, struct slot_block *block);

/* That of a call which somebody needs beside the activities. */
static inline uint32_t mpl_engine_slot(const struct engine *r, uint32_t lane, uint32_t call)
{
    const uint32_t number = r->activities->first_call[lane] + call;
    const uint32_t slot = mpl_activities_slot(r->activities, number);

    mpl_assert(mpl_activities_is_needed(r->activities, number));
    mpl_assert(r->blocks[slot / SLOTS_PER_BLOCK].n_left > UINT32_MAX);
    return slot;
}
static inline int64_t mpl_engine_value(const struct engine *r, uint32_t slot)
{
    return r->blocks[slot / SLOTS_PER_BLOCK].slots[slot % SLOTS_PER_BLOCK];
}
/* When a call began whose slot has a value above 0. */
static inline int64_t mpl_engine_reached(int64_t value)
{
    return (value & ~RESOLVED_BIT) - 1;
}
static inline int64_t mpl_engine_reached_at(const struct engine *r, uint32_t lane,
                                            uint32_t call)
{
    return mpl_engine_reached(mpl_engine_value(r, mpl_engine_slot(r, lane, call)));
}
/* The location goes on at once if the call of that slot is reached; then \p *ticks is not before it. */
static inline enum progress mpl_engine_need(struct engine *r, uint32_t location,
                                            uint32_t slot, int64_t *ticks)
{
    const int64_t value = mpl_engine_value(r, slot);

    if (value <= 0) {
        mpl_engine_hang(r, location, slot);
        return HANGS;
    }

    const int64_t reached = mpl_engine_reached(value);

    *ticks = reached > *ticks ? reached : *ticks;
    return GOES_ON;
}
/* An activity that needs the slot will not ask for it again. */
static inline void mpl_engine_let_go(struct engine *r, uint32_t slot)
{
    struct slot_block *block = &r->blocks[slot / SLOTS_PER_BLOCK];

    if (--block->n_left == 0) {
        mpl_engine_close_block(r, block);
    }
}

/* engine_coll.c */
/* False if out of memory. */
bool mpl_engine_prepare_colls(struct engine *r, struct mpl_arena *scratch);
/* The location comes to a collective, and has come to its end. */
void mpl_engine_arrive(struct engine *r, uint32_t location, uint32_t collective);
enum progress mpl_engine_complete(struct engine *r, uint32_t location, uint32_t collective);

/* engine_time.c: what stretches take in the changed run */
/* The record opens or closes regions of the scale: \p open says per region how often it is open at the location. */
void mpl_scale_note(const struct scale *scale, const struct mpl_location *loc,
                    uint32_t event, uint32_t *open);
/* \p ticks is not negative, so that this rounds as llround() does, without a call. */
static inline int64_t mpl_engine_scaled(int64_t ticks, double factor)
{
    return factor == 1 ? ticks : (int64_t) ((double) ticks * factor + 0.5);
}
/* The section of the next call begins: returns what it and those that are passed over get on top. */
int64_t mpl_engine_enter_section(struct engine *r, uint32_t location);
/* What was computed before the next call of the runner, or behind its last one; */
int64_t mpl_engine_computed(const struct engine *r, const struct runner *runner);
/* and what it takes now. */
int64_t mpl_engine_compute(struct engine *r, uint32_t location, int64_t ticks);
/* What a call of a region, MPL_NONE where that is no matter, takes that took \p ticks beyond waiting. */
int64_t mpl_engine_cost(struct engine *r, uint32_t location, int64_t ticks,
                        uint32_t region);

/* order.c: fills in course.order_s and course.choices when all are done; false if out
 * of memory. Cost: linear in records; 64 KiB. */
bool mpl_engine_look_at_order(const struct engine *r, struct mpl_arena *scratch,
                              struct course *out);

/* ---- farms ---------------------------------------------------------------------------------- */

/*
 * A turn of a master: it takes messages of one worker and answers. What the worker then does until it
 * has sent the messages of its next turn is the task of the slot, and somebody else can do it.
 */
struct farm_slot {
    uint32_t lane;          /* the worker that had it */
    uint32_t sent_call;     /* of the lane, which posts the last of the messages */
    uint32_t answered_call; /* of the lane, which receives the last answer; MPL_NONE */
    uint32_t step;          /* number */
    uint32_t next; /* slot of the lane's next turn; MPL_NONE behind the last of the step */
    uint32_t resume; /* then, the first one of a later step; MPL_NONE */
    uint32_t taken;  /* slot whose messages are taken in its place; MPL_NONE: none yet */
};

/* Messages that wait to be taken. */
struct offer {
    uint32_t step; /* in which they can be taken */
    int64_t ticks; /* when they were sent */
    uint32_t slot; /* in which they were taken as recorded */
};

struct farm {
    uint32_t master;
    uint32_t n_slots;
    struct farm_slot *slots; /* in the order of the master */
    uint32_t n_each;         /* messages that are taken in a turn */
    uint32_t *messages;      /* of the master: n_each per slot */
    uint32_t *place_of;      /* per message of the master: where it is in these; MPL_NONE */
    uint32_t end_event;      /* of the master: the first record behind it */
    /* While tasks are handed out: */
    uint32_t asked; /* slot for which messages are needed; MPL_NONE */
    uint32_t
        *offered_by; /* per slot: location + 1 that has sent its messages; 0: not there */
    struct offer *offers; /* a heap, earliest first; with some that are taken already */
    uint32_t n_offers;
};

struct farms {
    uint32_t n;
    struct farm *items;
    uint32_t *of_master;  /* per location: its farm; MPL_NONE */
    uint32_t *of_worker;  /* likewise */
    uint32_t *first_slot; /* per worker */
    double *task_s;       /* per worker: mean computation of its tasks */
    bool *
        may_be; /* per location: a master that serves so regularly that it may not choose */
    double *
        speed; /* per location: how long a task takes beside the usual; 1 if that is chance */
    double *unsure_speed; /* the same where that may be no chance either; else as speed */
};

/* farms.c: finds the farms of those who choose. Errors: MPL_E_NOMEM. Cost: linear in records. */
enum mpl_status mpl_farms_find(const struct mpl_events *events, const enum choice *choices,
                               struct mpl_arena *arena, struct farms *out,
                               struct mpl_err *err);

/* farms_deal.c: while the engine runs */
void mpl_farms_begin(struct engine *r);
/* Whether the message is one that \p location chooses, and then, like mpl_engine_need_call(). */
bool mpl_farms_choose(struct engine *r, uint32_t location, uint32_t message,
                      enum progress *progress);
/* Whether a message of the lane is taken when the master likes, so that its sender cannot be held. */
bool mpl_farms_take(const struct engine *r, uint32_t lane, uint32_t message);
/* The location is behind its stop_call: goes on or hangs. */
enum progress mpl_farms_stop(struct engine *r, uint32_t location);
/* When all hang: hands out a task, so that somebody can go on; false if nobody asks for any. */
bool mpl_farms_deal(struct engine *r);

#endif
