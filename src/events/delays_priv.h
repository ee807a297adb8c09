/*
 * Who is to blame for each wait of a run, as delay costs need it (delays.c).
 */
#ifndef MPL_EVENTS_DELAYS_PRIV_H
#define MPL_EVENTS_DELAYS_PRIV_H

#include "events/events_priv.h"

/* Where two locations last met. */
struct mpl_meeting {
    uint32_t own;   /* call; MPL_NONE: they have not met */
    uint32_t other; /* call of the other location */
};

/* One wait. The culprit stands in the call. */
struct mpl_blame {
    uint32_t call;  /* in which somebody waits */
    uint32_t until; /* call of the culprit that ends the wait; MPL_NONE: not recorded */
    struct mpl_meeting met; /* before that */
};

struct mpl_blames {
    struct mpl_buf all; /* struct mpl_blame: location after location, ascending by call */
    size_t *first;      /* per location and one more: its first */
};

/* Finds the waits that have a culprit. \p blames->first lives in \p arena; \p blames->all is to be
 * given to mpl_buf_free() in any case. False when out of memory. */
bool mpl_blames_find(const struct mpl_events *events, struct mpl_arena *arena,
                     struct mpl_blames *blames);

/* A call of a sender that lasts as long as the receiver computes. */
struct mpl_held {
    uint32_t call;
    uint32_t message; /* of several in the call the one that is held longest */
    uint32_t receiver;
    uint32_t until; /* call of the receiver before which it computes */
    int64_t ticks;
    int64_t end_ticks;
};
/* Those of a location, one per call, ascending, are added to \p out. False when out of memory. */
bool mpl_held_find(const struct mpl_events *events, uint32_t location, struct mpl_buf *out);

#endif
