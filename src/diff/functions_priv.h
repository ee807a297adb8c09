/* What a location computes by the functions that it is in. */
#ifndef MPL_DIFF_FUNCTIONS_PRIV_H
#define MPL_DIFF_FUNCTIONS_PRIV_H

#include "sequence/sequence.h"

/* Of what lies before a call of a sequence, since the one before, or behind the last one, that on one path. */
struct mpl_function_part {
    uint32_t call; /* Index into the sequence; behind the last one its length. */
    uint32_t
        path; /* As in struct mpl_symbol, never 0: what is in no function is left out. */
    double computed_s;
};

bool mpl_functions_are_recorded(const struct mpl_model *model);
/**
 * Adds the parts of a location to \p out, ascending by call. Names of paths become \p symbols.
 * Errors: MPL_E_NOMEM only. Cost: linear in the records of the location.
 */
enum mpl_status mpl_functions_split(const struct mpl_events *events, uint32_t location,
                                    const struct mpl_sequence *calls,
                                    struct mpl_symbols *symbols, struct mpl_buf *out,
                                    struct mpl_err *err);
/* The path on which a call (mpl_events_call()) is made; 0: none. Errors, cost: as above. */
enum mpl_status mpl_functions_around(const struct mpl_events *events, uint32_t location,
                                     uint32_t call, struct mpl_symbols *symbols,
                                     uint32_t *path, struct mpl_err *err);

#endif
