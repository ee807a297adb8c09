/* What the script gets, as bytes: shared by data.c and before.c. */
#ifndef MPL_DRAW_DATA_PRIV_H
#define MPL_DRAW_DATA_PRIV_H

#include "draw/draw_priv.h"

/** Adds a number, seven bits in each byte, the lowest first; false: no memory. */
bool mpl_draw_pack(struct mpl_buf *bytes, uint64_t number);

/** Events of a location, from \p begin to before \p end. */
struct mpl_event_part {
    uint32_t begin;
    uint32_t end;
};
/** Adds what must come before and after of a location's events, of these \p parts; NULL: all. False: no memory. */
bool mpl_before_put(const struct mpl_net *net, uint32_t location,
                    const struct mpl_records *records, const struct mpl_event_part *parts,
                    size_t n_parts, struct mpl_buf *bytes);
/** What that takes in a page, all of it, nearly. */
size_t mpl_before_bytes(const struct mpl_net *net);
/** Why there may be more than the net has, a clause; NULL: there is not. */
const char *mpl_before_doubt(const struct mpl_net *net);
/** Two attributes: from which record on a location has called somebody who is not recorded, and until which. */
void mpl_before_silence(const struct sheet *s, const struct mpl_net *net, uint32_t location,
                        const struct mpl_records *records);

#endif
