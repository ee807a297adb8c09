/* The search of one location after the other, of which several may go on at a time. */
#ifndef MPL_RECOGNIZE_SEARCH_PRIV_H
#define MPL_RECOGNIZE_SEARCH_PRIV_H

#include "recognize/recognition_priv.h"

struct mpl_search;

/** An end that a search explains on a location that another one may be at. */
struct mpl_mark {
    uint32_t location;
    uint32_t end;
};

/**
 * \p marks: takes struct mpl_mark; NULL where nobody else searches: then they count at once. The search lives in \p arena,
 * its buffers on the heap until mpl_search_close(). NULL: out of memory.
 */
struct mpl_search *mpl_search_open(struct mpl_recognition *r, struct mpl_buf *marks,
                                   struct mpl_arena *arena);
void mpl_search_close(struct mpl_search *search); /* NULL is allowed */
/** Finds the instances of the events of a level on a location. */
enum mpl_status mpl_search_location(struct mpl_search *search, uint32_t location,
                                    uint32_t level, struct mpl_err *err);
/** Counts the matches that failed and that nothing has explained since, in \p r. */
void mpl_search_count_failed(const struct mpl_search *search, struct mpl_recognition *r);

static inline void mpl_end_set_explained(struct mpl_recognition *r, uint32_t location,
                                         uint32_t end)
{
    r->explained[location][end / 64] |= UINT64_C(1) << end % 64;
}

#endif
