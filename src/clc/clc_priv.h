/*
 * What the files of clc share: the net of dependences with times.
 *
 * The shift of an event is what is added to its time, never negative. All passes compute shifts
 * of points only and leave the model's times alone; the last step writes times.
 */
#ifndef MPL_CLC_CLC_PRIV_H
#define MPL_CLC_CLC_PRIV_H

#include "clc/clc.h"

/* ---- the net --------------------------------------------------------------------------- */

/** The shift of a location while its events are walked. */
struct mpl_clc_shift {
    int64_t ticks;
    uint32_t rest; /**< Fall back that is less than a tick. */
};

/** What a pass knows of a point: the shift after it, the event's own jump included. */
struct mpl_clc_at {
    int64_t ticks;
    uint32_t rest;
    bool is_jump; /**< It is a sink that was put forward in the last pass. */
};

/** A location. */
struct mpl_clc_track {
    uint32_t n_points;
    const struct mpl_net_point *points; /**< By event. */
    struct mpl_clc_at *at;              /**< Per point. */
    uint32_t n_events;
    struct mpl_times *times; /**< The model's column. */
};

struct mpl_clc_net {
    struct mpl_net *order;
    struct mpl_clc_track *track; /**< Per location. */
    /** Time of the source; once the sink has passed, the latest that the source may have, its cap. INT64_MAX: none, as
     *  the sink is ignored. */
    int64_t *pair_ticks;
    struct mpl_top
        *top; /**< Per group. Forward: of the sources. Backward: of negative caps. */
    int64_t mu_ticks[MPL_CLC_CLASSES];
    int64_t need_ticks; /**< Largest shift that one violation alone needs; 0: none. */
    int64_t delta_ticks;
};

/** A sink's marks are its class and, if it is as early as its last source, this: it stays that near. */
enum { MPL_CLC_MARK_TOGETHER = 4 };

/** \p mu_ticks < 0: to be taken from the trace. */
enum mpl_status mpl_clc_net_create(const struct mpl_order_view *view,
                                   struct mpl_model *model, int64_t mu_ticks,
                                   struct mpl_arena *scratch, struct mpl_clc_net **out,
                                   struct mpl_err *err);

/* What a sink must be later than its last source, at least. */
static inline int64_t mpl_clc_point_least(const struct mpl_clc_net *net,
                                          const struct mpl_net_point *point)
{
    const unsigned marks = point->flags / MPL_POINT_MARK;

    return (marks & MPL_CLC_MARK_TOGETHER) != 0 ? 0 : net->mu_ticks[marks];
}

/* ---- smallest delays --------------------------------------------------------------------- */

/** Smallest delays of pairs, by class, while the net is made. */
struct mpl_clc_delays;
/** \p mu_ticks: given; < 0: to be found. */
struct mpl_clc_delays *mpl_clc_delays_create(const struct mpl_model *model,
                                             int64_t mu_ticks, struct mpl_arena *scratch);
void mpl_clc_delays_destroy(struct mpl_clc_delays *delays); /* NULL is allowed */
/** Those of one receiving process must come one after the other. Returns the class. */
enum mpl_clc_class mpl_clc_delays_see_pair(struct mpl_clc_delays *delays,
                                           const struct mpl_order_pair *pair);
void mpl_clc_delays_see(struct mpl_clc_delays *delays, enum mpl_clc_class class,
                        int64_t delay_ticks);
/** There and back again took so long. */
void mpl_clc_delays_see_round(struct mpl_clc_delays *delays, enum mpl_clc_class class,
                              int64_t round_ticks);
/** The largest reversal so far, of any class. */
int64_t mpl_clc_delays_worst(const struct mpl_clc_delays *delays);
/** False: memory ran out. \p need_ticks: the largest shift that one violation alone needs. */
bool mpl_clc_delays_finish(struct mpl_clc_delays *delays, int64_t mu_ticks[MPL_CLC_CLASSES],
                           int64_t *need_ticks);

/* ---- forward ------------------------------------------------------------------------------- */

/** Shares in units of 2^-32. */
#define MPL_CLC_ONE (UINT64_C(1) << 32)

/** How a shift falls back from one event to the next. */
struct mpl_clc_fall {
    uint64_t share; /**< 1 - gamma, times MPL_CLC_ONE. */
    int64_t delta_ticks;
};

/* Steps over an interval of the location's own clock: equation 4, written for shifts. */
static inline void mpl_clc_shift_step(struct mpl_clc_shift *shift,
                                      const struct mpl_clc_fall *fall, int64_t interval)
{
    const unsigned __int128 owed =
        (unsigned __int128) (uint64_t) interval * fall->share + shift->rest;
    const int64_t room = interval > fall->delta_ticks ? interval - fall->delta_ticks : 0;
    int64_t drop = (int64_t) (owed / MPL_CLC_ONE);

    drop = drop < room ? drop : room;
    shift->rest = (uint32_t) owed;
    if (drop >= shift->ticks) {
        *shift = (struct mpl_clc_shift){ 0, 0 };
    } else {
        shift->ticks -= drop;
    }
}

struct mpl_clc_pass {
    struct mpl_clc_fall fall;
    int64_t limit_ticks; /**< The pass ends when a shift exceeds this. */
    /* Results */
    bool is_over; /**< It did; nothing else holds. */
    int64_t max_ticks;
    uint64_t n_jumps;
    uint64_t n_ignored; /**< New ones. */
};
enum mpl_status mpl_clc_forward(struct mpl_clc_net *net, struct mpl_clc_pass *pass,
                                const struct mpl_progress *progress,
                                struct mpl_arena *scratch, struct mpl_err *err);

/* ---- backward ------------------------------------------------------------------------------ */

/** A corner of a taut string: where it is, and how high. */
struct mpl_clc_corner {
    int64_t x_ticks;
    int64_t y_ticks;
};

/** What a string must pass above and below at one place. */
struct mpl_clc_gate {
    int64_t x_ticks;
    int64_t floor_ticks;   /**< MPL_ORDER_NEVER: no limit. */
    int64_t ceiling_ticks; /**< INT64_MAX: no limit. */
};

/** Room for a string through n gates: three arrays of n + 2 each. */
struct mpl_clc_string {
    struct mpl_clc_corner *corner; /**< Result, by x. */
    struct mpl_clc_corner *upper;
    struct mpl_clc_corner *lower;
    uint32_t n;
};
/**
 * Pulls a string from \p begin to \p end through the gates between them, all in strict order of
 * x. Cost: linear in \p n.
 */
void mpl_clc_string_pull(struct mpl_clc_string *string, struct mpl_clc_corner begin,
                         const struct mpl_clc_gate *gate, uint32_t n,
                         struct mpl_clc_corner end);
/** Height at \p x_ticks, rounded down, on the stretch from corner \p i to the next one. */
int64_t mpl_clc_string_height(const struct mpl_clc_string *string, uint32_t i,
                              int64_t x_ticks);

/** Shifts of the last pass become times. \p slope: share by which clocks run fast before a jump. */
enum mpl_status mpl_clc_backward(struct mpl_clc_net *net, const struct mpl_clc_fall *fall,
                                 uint64_t slope, struct mpl_clc *clc, int64_t *max_ticks,
                                 int64_t *end_ticks, struct mpl_arena *scratch,
                                 struct mpl_err *err);

#endif
