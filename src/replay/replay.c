/* Questions to the engine: what a change would bring, and what an ideal network would. */
#include "config.h"

#include "replay/replay_priv.h"

#include <math.h>
#include <pthread.h>

/* More than this share of missing ends, collectives or time makes a replay a guess. */
static const double tolerated_share = 0.01;
/* A baseline further off the recorded run makes a doubt, and one much further off a guess. */
static const double doubtful_error = 0.02;
static const double tolerated_error = 0.1;
/*
 * What calls take beyond waiting is kept, and part of it may be waiting all the same: for a sender
 * that makes progress only in its next call, for a core, for somebody whose clock is wrong. Where
 * it is more than this share of the time, those for whom others wait may matter more than
 * the replay says: on prk-stencil-slow6-np16 17 % are kept and a sixth of the gain is
 * found, on traces of programs that sleep 1 % and all of it.
 */
static const double doubtful_keep = 0.1;
/* A clock that may be wrong by more than this share of the run moves waiting that much. */
static const double doubtful_clock = 0.05;
/* Of the changed run, waiting for one message while another is there, beyond that of the baseline. */
static const double doubtful_order = 0.02;
/* Likewise the difference it makes whether tasks of somebody are long or short by chance. */
static const double doubtful_chance = 0.02;

/* Why a replay of this run can only be a guess; NULL if it is more. */
static const char *lack_of(const struct mpl_events *events)
{
    const struct mpl_match_counts *n = &mpl_events_match(events)->counts;
    const struct mpl_model *model = mpl_events_model(events);
    const double missing = (double) n->unmatched_sends + (double) n->unmatched_receives +
                           (double) n->garbage_ends + (double) n->open_receives;
    const double ends = 2 * (double) n->pairs + missing;

    if (mpl_events_is_part(events)) {
        return "only a whole run is replayed";
    }
    if (!mpl_activities_can_number(events)) {
        return "the run has more than four billion calls";
    }
    if (!model->can.has_receive_completions && model->can.has_messages) {
        return "the trace lacks completions of receives, so that nobody knows who waits "
               "for "
               "whom";
    }
    if (missing > tolerated_share * ends) {
        return "more than 1 % of the messages lack an end in the trace";
    }
    if ((double) n->incomplete_collectives > tolerated_share * (double) n->collectives) {
        return "more than 1 % of the collective operations lack participants in the trace";
    }
    return NULL;
}

/* Likewise of a course, as a share of \p duration_s. Of a changed run that is shorter than what was
 * recorded it may be more, and is a doubt. */
static const char *lack_of_course(const struct course *course, double duration_s)
{
    if (!course->is_finished) {
        return "in the recorded order of messages everybody would wait for ever";
    }
    return course->unknown_s > tolerated_share * duration_s
               ? "more than 1 % of the time passes in calls whose partners are not recorded"
               : NULL;
}

/* ---- what questions share -------------------------------------------------------------------- */

/* The run with nothing changed, and who hands out tasks in it. */
struct baseline {
    struct course course;
    struct farms farms;
};

struct mpl_replay {
    const struct mpl_events *events;
    struct mpl_arena *arena;
    const struct activities *activities; /* NULL: nobody asked yet */
    const struct mpl_sections *sections; /* likewise */
    const struct spent *spent;           /* for questions without regions; likewise */
    struct baseline *baseline;           /* likewise */
    pthread_mutex_t lock;                /* of all these but the baseline */
    /* Of the baseline and the farms' scratch memory: a question that needs neither yet goes on beside their making. */
    pthread_mutex_t baseline_lock;
};

struct mpl_replay *mpl_replay_create(const struct mpl_events *events,
                                     struct mpl_arena *arena)
{
    struct mpl_replay *replay = MPL_NEW(arena, struct mpl_replay);

    if (replay != NULL) {
        replay->events = events;
        replay->arena = arena;
        replay->lock = (pthread_mutex_t) PTHREAD_MUTEX_INITIALIZER;
        replay->baseline_lock = (pthread_mutex_t) PTHREAD_MUTEX_INITIALIZER;
    }
    return replay;
}

static enum mpl_status lay_out(struct mpl_replay *replay, struct mpl_err *err)
{
    if (replay->activities == NULL) {
        replay->activities = mpl_activities_create(replay->events, replay->arena);
    }
    return replay->activities == NULL ? mpl_nomem(err) : MPL_OK;
}

/* ---- the ideal network ----------------------------------------------------------------------- */

enum mpl_status mpl_replay_ideal(struct mpl_replay *replay, double *ideal_s,
                                 struct mpl_err *err)
{
    const struct mpl_events *events = replay->events;
    struct mpl_arena *scratch = NULL;
    struct course course = { 0 };
    struct scale scale = { .transfer = NULL };
    enum mpl_status st;

    *ideal_s = NAN;
    if (lack_of(events) != NULL) {
        return MPL_OK;
    }
    scratch = mpl_arena_create();
    scale.transfer =
        scratch == NULL
            ? NULL
            : MPL_NEW_ARRAY(scratch, mpl_events_model(events)->n_locations, double);
    st = scale.transfer == NULL ? mpl_nomem(err) : lay_out(replay, err);
    st = st == MPL_OK ? mpl_engine_run(replay->activities, &scale, NULL, &course, err) : st;
    if (st == MPL_OK && lack_of_course(&course, mpl_events_measured_s(events)) == NULL) {
        *ideal_s = course.duration_s;
    }
    mpl_arena_destroy(scratch);
    return st;
}

/* ---- what if ----------------------------------------------------------------------------- */

enum mpl_status mpl_replay_sections(struct mpl_replay *replay,
                                    const struct mpl_sections **out, struct mpl_err *err)
{
    enum mpl_status st = MPL_OK;

    if (replay->sections == NULL) {
        st = mpl_events_sections(replay->events, replay->arena, &replay->sections, err);
    }
    *out = replay->sections;
    return st;
}

/* Of the time of those who take part, as it would be: what is kept weighs more in a shorter run. */
static double kept_share(const struct question *q, const struct spent *spent,
                         double changed_s)
{
    const struct mpl_model *model = mpl_events_model(q->events);
    double kept_s = 0;
    double all_s = 0;

    for (uint32_t l = 0; l < model->n_locations; l++) {
        if (spent[l].compute_s > 0 || spent[l].transfer_s > 0) {
            kept_s += spent[l].transfer_s * fmin(q->scale.transfer[l], 1);
            all_s += changed_s;
        }
    }
    return all_s > 0 ? kept_s / all_s : 0;
}

static enum mpl_status doubt_kept(const struct question *q, const struct spent *spent,
                                  struct mpl_replayed *out, struct mpl_err *err)
{
    const double share = kept_share(q, spent, out->changed_s);

    if (share > doubtful_keep && out->doubt == NULL) {
        out->doubt = mpl_arena_printf(
            q->answer,
            "%s of the time passes in calls beyond the waiting that can be seen, "
            "which is kept as it is",
            mpl_text_share(q->arena, share));
        return out->doubt == NULL ? mpl_nomem(err) : MPL_OK;
    }
    return MPL_OK;
}

/* Where a process has few messages, nothing shows when exactly it does what it does. */
static enum mpl_status doubt_clocks(const struct question *q, struct mpl_replayed *out,
                                    struct mpl_err *err)
{
    const struct mpl_model *model = mpl_events_model(q->events);
    const struct mpl_clock *clock = mpl_events_clock(q->events);
    int64_t worst_ticks = 0;
    double worst_s;

    for (uint32_t l = 0; clock != NULL && l < model->n_locations; l++) {
        if (model->locations[l].n_events > 0 && clock->bound_ticks[l] > worst_ticks) {
            worst_ticks = clock->bound_ticks[l];
        }
    }
    worst_s = mpl_model_seconds(model, worst_ticks);
    if (out->doubt != NULL || !(worst_s > doubtful_clock * out->recorded_s)) {
        return MPL_OK;
    }
    out->doubt =
        worst_ticks == INT64_MAX
            ? "nothing limits the clock of some process"
            : mpl_arena_printf(q->answer, "the clock of some process may be wrong by %s",
                               mpl_text_seconds(q->arena, worst_s));
    return out->doubt == NULL ? mpl_nomem(err) : MPL_OK;
}

static enum mpl_status doubt_baseline(struct mpl_replayed *out, struct mpl_arena *arena,
                                      struct mpl_err *err)
{
    const double error = fabs(out->baseline_s - out->recorded_s) / out->recorded_s;

    if (!(error > doubtful_error)) {
        return MPL_OK;
    }
    /* Weighs more than what may have been said before. */
    out->doubt = mpl_arena_printf(
        arena, "replaying what was recorded takes %s instead of %s",
        mpl_text_seconds(arena, out->baseline_s), mpl_text_seconds(arena, out->recorded_s));
    if (error > tolerated_error) {
        out->gain_s = NAN;
    }
    return out->doubt == NULL ? mpl_nomem(err) : MPL_OK;
}

/* Who takes whatever comes first, or may do so, would have another order. */
static enum mpl_status doubt_order(const struct question *q, const struct course *baseline,
                                   const struct course *changed, struct mpl_replayed *out,
                                   struct mpl_err *err)
{
    const struct mpl_model *model = mpl_events_model(q->events);
    uint32_t worst = MPL_NONE;
    double most_s = doubtful_order * changed->duration_s;

    for (uint32_t l = 0; l < model->n_locations; l++) {
        const double more_s = changed->order_s[l] - baseline->order_s[l];

        if (more_s > most_s && baseline->choices[l] != KEEPS_ORDER) {
            most_s = more_s;
            worst = l;
        }
    }
    if (worst == MPL_NONE || out->doubt != NULL) {
        return MPL_OK;
    }
    out->doubt = mpl_arena_printf(
        q->answer,
        "process %s receives in the recorded order: for %s it waits for one message "
        "while another is there; if it takes whatever comes first, the run may be "
        "shorter than that",
        model->locations[worst].label, mpl_text_seconds(q->arena, most_s));
    return out->doubt == NULL ? mpl_nomem(err) : MPL_OK;
}

/* Of a few tasks that took long nobody knows whether they would have taken as long elsewhere. */
static enum mpl_status doubt_chance(const struct question *q, const struct course *changed,
                                    struct mpl_replayed *out, struct mpl_err *err)
{
    if (out->doubt != NULL || changed->unsure == MPL_NONE ||
        !(fabs(changed->if_not_s - changed->duration_s) >
          doubtful_chance * changed->duration_s)) {
        return MPL_OK;
    }
    out->doubt = mpl_arena_printf(
        q->answer,
        "whether the tasks of process %s differ from those of others by chance is not "
        "known; if they do not, the run takes %s",
        mpl_events_model(q->events)->locations[changed->unsure].label,
        mpl_text_seconds(q->arena, changed->if_not_s));
    return out->doubt == NULL ? mpl_nomem(err) : MPL_OK;
}

/*
 * Who takes what comes first never waits for one message while another is there. Where that happens
 * in the recorded run, the order is the program's, however irregular it is. Where it does not happen,
 * turns may be regular because tasks are even; of who serves a farm then nobody can tell.
 */
static enum mpl_status find_farms(const struct mpl_events *events, struct course *baseline,
                                  struct mpl_arena *scratch, struct farms *farms,
                                  struct mpl_err *err)
{
    const uint32_t n = mpl_events_model(events)->n_locations;
    enum choice *choices = MPL_NEW_ARRAY(scratch, n, enum choice);
    enum mpl_status st;

    if (choices == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t l = 0; l < n; l++) {
        const bool is_own = baseline->order_s[l] > doubtful_order * baseline->duration_s;

        choices[l] = is_own ? KEEPS_ORDER : baseline->choices[l];
    }
    st = mpl_farms_find(events, choices, scratch, farms, err);
    for (uint32_t l = 0; l < n && st == MPL_OK; l++) {
        if (baseline->choices[l] == MAY_CHOOSE && !farms->may_be[l]) {
            baseline->choices[l] = KEEPS_ORDER;
        }
    }
    return st;
}

/*
 * Whether tasks are to be handed out anew. Not where nothing changes, nor on an ideal network, which by its
 * definition keeps who depends on whom, nor where parts of tasks or sections change: whose they are is
 * recorded per process.
 */
static bool is_to_be_dealt(const struct question *q, const struct farms *farms)
{
    const struct scale *scale = &q->scale;
    bool is_same = true;
    bool is_ideal = true;

    for (uint32_t l = 0; l < mpl_events_model(q->events)->n_locations; l++) {
        is_same = is_same && scale->compute[l] == 1 && scale->transfer[l] == 1;
        is_ideal = is_ideal && scale->compute[l] == 1 && scale->transfer[l] == 0;
    }
    return farms->n > 0 && scale->n_regions == 0 && scale->sections == NULL && !is_same &&
           !is_ideal;
}

/* Of the workers whose computation changes, the one whose speed is least certain. */
static uint32_t find_unsure(const struct question *q, const struct farms *farms)
{
    uint32_t worst = MPL_NONE;
    double most = 0;

    for (uint32_t l = 0; l < mpl_events_model(q->events)->n_locations; l++) {
        const double off = fabs(log(farms->unsure_speed[l] / farms->speed[l]));

        if (q->scale.compute[l] != 1 && off > most) {
            most = off;
            worst = l;
        }
    }
    return worst;
}

/* The run if every difference between workers that may be chance is none. */
static enum mpl_status run_unsure(const struct question *q, const struct farms *farms,
                                  struct course *changed, struct mpl_err *err)
{
    struct farms other = *farms;
    struct course course = { 0 };
    enum mpl_status st;

    other.speed = farms->unsure_speed;
    st = mpl_engine_run(q->replay->activities, &q->scale, &other, &course, err);
    if (st == MPL_OK && course.is_finished) {
        changed->unsure = find_unsure(q, farms);
        changed->if_not_s = course.duration_s;
    }
    return st;
}

/* Slots and offers of the farms are scratch memory: one question at a time. */
static enum mpl_status deal(const struct question *q, const struct farms *farms,
                            struct course *changed, struct mpl_err *err)
{
    struct farms dealt = *farms;
    const enum mpl_status st =
        mpl_engine_run(q->replay->activities, &q->scale, &dealt, changed, err);

    return st != MPL_OK || !changed->is_finished || find_unsure(q, farms) == MPL_NONE
               ? st
               : run_unsure(q, farms, changed, err);
}

static enum mpl_status run_changed(const struct question *q, struct course *changed,
                                   struct mpl_err *err)
{
    enum mpl_status st = MPL_OK;

    changed->is_finished = false;
    if (q->farms != NULL && is_to_be_dealt(q, q->farms)) {
        (void) pthread_mutex_lock(&q->replay->baseline_lock);
        st = deal(q, q->farms, changed, err);
        (void) pthread_mutex_unlock(&q->replay->baseline_lock);
    }
    return st != MPL_OK || changed->is_finished
               ? st
               : mpl_engine_run(q->replay->activities, &q->scale, NULL, changed, err);
}

static enum mpl_status make_course(uint32_t n, struct course *course,
                                   struct mpl_arena *arena, struct mpl_err *err)
{
    course->unsure = MPL_NONE;
    course->end_s = MPL_NEW_ARRAY(arena, n, double);
    course->order_s = MPL_NEW_ARRAY(arena, n, double);
    course->choices = MPL_NEW_ARRAY(arena, n, enum choice);
    return course->end_s == NULL || course->order_s == NULL || course->choices == NULL
               ? mpl_nomem(err)
               : MPL_OK;
}

static enum mpl_status make_baseline(const struct mpl_replay *replay,
                                     struct mpl_arena *arena, struct baseline **out,
                                     struct mpl_err *err)
{
    static const struct scale nothing = { .compute = NULL };
    struct baseline *baseline = MPL_NEW(arena, struct baseline);
    enum mpl_status st = baseline == NULL
                             ? mpl_nomem(err)
                             : make_course(mpl_events_model(replay->events)->n_locations,
                                           &baseline->course, arena, err);

    st = st == MPL_OK
             ? mpl_engine_run(replay->activities, &nothing, NULL, &baseline->course, err)
             : st;
    *out = baseline;
    return st == MPL_OK
               ? find_farms(replay->events, &baseline->course, arena, &baseline->farms, err)
               : st;
}

/* Once for all questions. Meanwhile others allocate in the arena of the replay. */
static enum mpl_status find_baseline(struct mpl_replay *replay, struct mpl_err *err)
{
    enum mpl_status st = MPL_OK;

    (void) pthread_mutex_lock(&replay->baseline_lock);
    if (replay->baseline == NULL) {
        struct mpl_arena *arena = mpl_arena_create();
        struct baseline *baseline = NULL;

        st = arena == NULL ? mpl_nomem(err) : make_baseline(replay, arena, &baseline, err);
        replay->baseline = st == MPL_OK ? baseline : NULL;
        (void) pthread_mutex_lock(&replay->lock);
        mpl_arena_absorb(replay->arena, arena);
        (void) pthread_mutex_unlock(&replay->lock);
    }
    (void) pthread_mutex_unlock(&replay->baseline_lock);
    return st;
}

/* What is spent on regions is a matter of the question. What was found before stays: another question may be using it. */
static enum mpl_status find_spent(const struct question *q, const struct spent **out,
                                  struct mpl_err *err)
{
    const bool is_own = q->scale.n_regions > 0;
    struct mpl_replay *replay = q->replay;

    *out = is_own ? NULL : replay->spent;
    if (*out == NULL || (q->scale.sections != NULL && (*out)->sections_s == NULL)) {
        *out = mpl_spent_find(replay->activities, &q->scale,
                              is_own ? q->arena : replay->arena);
        replay->spent = is_own ? replay->spent : *out;
    }
    return *out == NULL ? mpl_nomem(err) : MPL_OK;
}

/* What the question needs and others may, too. Who hands out tasks shows only in the run with nothing changed; where nobody
 * may choose what it receives, nobody does. */
static enum mpl_status share(struct question *q, const struct spent **spent,
                             struct mpl_err *err)
{
    struct mpl_replay *replay = q->replay;
    enum mpl_status st;

    (void) pthread_mutex_lock(&replay->lock);
    st = mpl_question_resolve(q, err);
    if (st == MPL_OK && lack_of(q->events) == NULL) {
        st = lay_out(replay, err);
        st = st == MPL_OK ? find_spent(q, spent, err) : st;
    }
    (void) pthread_mutex_unlock(&replay->lock);
    if (st == MPL_OK && *spent != NULL && replay->activities->n_answering > 0) {
        st = find_baseline(replay, err);
        q->farms = st == MPL_OK ? &replay->baseline->farms : NULL;
    }
    return st;
}

static enum mpl_status compare(const struct question *q, const struct spent *spent,
                               const struct course *changed, struct mpl_replayed *out,
                               struct mpl_err *err)
{
    const struct course *baseline = &q->replay->baseline->course;
    enum mpl_status st;

    out->doubt = lack_of_course(changed, changed->duration_s);
    if (!changed->is_finished) {
        return MPL_OK;
    }
    out->n_locations = mpl_events_model(q->events)->n_locations;
    out->end_s = changed->end_s;
    out->baseline_s = baseline->duration_s;
    out->changed_s = changed->duration_s;
    out->gain_s = out->baseline_s - out->changed_s;
    st = doubt_baseline(out, q->answer, err);
    st = st == MPL_OK ? doubt_chance(q, changed, out, err) : st;
    st = st == MPL_OK ? doubt_order(q, baseline, changed, out, err) : st;
    st = st == MPL_OK ? doubt_clocks(q, out, err) : st;
    return st == MPL_OK ? doubt_kept(q, spent, out, err) : st;
}

struct running {
    const struct question *q;
    struct course *changed;
};

static enum mpl_status run_part(void *context, size_t part, unsigned worker,
                                struct mpl_err *err)
{
    const struct running *r = context;

    (void) worker;
    return part == 0 ? run_changed(r->q, r->changed, err)
                     : find_baseline(r->q->replay, err);
}

/* The run with the changes, and with nothing changed, side by side. The latter may be made already, or by another question. */
static enum mpl_status run_both(const struct question *q, struct course *changed,
                                struct mpl_err *err)
{
    struct running r = { q, changed };
    const struct mpl_parallel both = {
        .n_tasks = 2, .max_threads = mpl_threads(), .run = run_part, .context = &r
    };

    return mpl_parallel_run(&both, err);
}

/* The run with the changes, and what is different then. */
static enum mpl_status run_again(struct question *q, const struct spent *spent,
                                 const int64_t *const *given, struct mpl_replayed *out,
                                 struct mpl_err *err)
{
    const struct mpl_replay *replay = q->replay;
    struct course changed = { .known = q->farms == NULL
                                           ? NULL
                                           : replay->baseline->course.choices };
    const uint32_t n = mpl_events_model(q->events)->n_locations;
    enum mpl_status st = mpl_question_settle(q, spent, err);

    st = st == MPL_OK ? make_course(n, &changed, q->arena, err) : st;
    if (st != MPL_OK) {
        return st;
    }
    changed.end_s = MPL_NEW_ARRAY(q->answer, n, double);
    if (changed.end_s == NULL) {
        return mpl_nomem(err);
    }
    q->scale.given = given;
    st = run_both(q, &changed, err);
    if (st != MPL_OK) {
        return st;
    }
    out->doubt = lack_of_course(&replay->baseline->course, out->recorded_s);
    return out->doubt == NULL ? compare(q, spent, &changed, out, err) : MPL_OK;
}

static enum mpl_status answer(struct question *q, const int64_t *const *given,
                              struct mpl_replayed *out, struct mpl_err *err)
{
    struct mpl_replayed made = { .recorded_s = mpl_events_measured_s(q->events),
                                 .baseline_s = NAN,
                                 .changed_s = NAN,
                                 .gain_s = NAN };
    const struct spent *spent = NULL;
    enum mpl_status st;

    q->arena = mpl_arena_create();
    st = q->arena == NULL ? mpl_nomem(err) : share(q, &spent, err);
    made.doubt = lack_of(q->events);
    if (st == MPL_OK && made.doubt == NULL) {
        st = run_again(q, spent, given, &made, err);
    }
    /* Words of a doubt, too. */
    st = st == MPL_OK && mpl_arena_is_short(q->arena) ? mpl_nomem(err) : st;
    mpl_arena_destroy(q->arena);
    if (st == MPL_OK) {
        *out = made;
    }
    return st;
}

enum mpl_status mpl_replay_ask(struct mpl_replay *replay, const struct mpl_what_if *what,
                               const struct mpl_replay_role *roles, size_t n_roles,
                               struct mpl_arena *arena, struct mpl_replayed *out,
                               struct mpl_err *err)
{
    struct question q = { .events = replay->events,
                          .replay = replay,
                          .what = what,
                          .roles = roles,
                          .n_roles = n_roles,
                          .answer = arena };

    return answer(&q, NULL, out, err);
}

enum mpl_status mpl_replay_run(const struct mpl_events *events,
                               const struct mpl_what_if *what,
                               const struct mpl_replay_role *roles, size_t n_roles,
                               struct mpl_arena *arena, struct mpl_replayed *out,
                               struct mpl_err *err)
{
    struct mpl_arena *scratch = mpl_arena_create();
    struct mpl_replay *replay = scratch == NULL ? NULL : mpl_replay_create(events, scratch);
    const enum mpl_status st =
        replay == NULL ? mpl_nomem(err)
                       : mpl_replay_ask(replay, what, roles, n_roles, arena, out, err);

    mpl_arena_destroy(scratch);
    return st;
}

enum mpl_status mpl_replay_given(const struct mpl_events *events,
                                 const int64_t *const *given, struct mpl_arena *arena,
                                 struct mpl_replayed *out, struct mpl_err *err)
{
    static const struct mpl_what_if nothing = { .text = "" };
    struct mpl_arena *scratch = mpl_arena_create();
    struct mpl_replay *replay = scratch == NULL ? NULL : mpl_replay_create(events, scratch);
    struct question q = {
        .events = events, .replay = replay, .what = &nothing, .answer = arena
    };
    const enum mpl_status st =
        replay == NULL ? mpl_nomem(err) : answer(&q, given, out, err);

    mpl_arena_destroy(scratch);
    return st;
}
