/* Shared by the files of order only. */
#ifndef MPL_ORDER_ORDER_PRIV_H
#define MPL_ORDER_ORDER_PRIV_H

#include "order/order.h"

/** Who waits for whom when a walk has come to a stop. */
struct mpl_net_circles;
/** At which point each location stands; its number of points: it is through. */
struct mpl_net_stand {
    const void *context;
    uint32_t (*point)(const void *context, uint32_t location);
};

/** Fills \p net's silent calls. Errors: MPL_E_NOMEM. Cost: at most linear in events. */
enum mpl_status mpl_net_find_silent(struct mpl_net *net, struct mpl_arena *arena,
                                    struct mpl_arena *scratch, struct mpl_err *err);

/** Lives in \p arena; NULL: no memory. */
struct mpl_net_circles *mpl_net_circles_create(const struct mpl_net *net,
                                               struct mpl_arena *arena);
/**
 * Nobody can go on. If each location waits for the lowest one that lacks a source of its sink,
 * some do so in circles: returns how many, and which, until the next call; 0: all are through.
 */
size_t mpl_net_circles_find(struct mpl_net_circles *circles,
                            const struct mpl_net_stand *stand, const uint32_t **locations);

#endif
