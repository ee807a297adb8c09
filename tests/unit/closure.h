/*
 * Which record of a trace comes before which, by nothing but a search in the graph of its records:
 * what every kind of timestamps must say.
 */
#ifndef MPL_TESTS_CLOSURE_H
#define MPL_TESTS_CLOSURE_H

#include "causality/causality.h"

/** The graph. The order on each location is in it from the begin. */
struct closure;

/** Lives in \p arena; what grows is freed by closure_free(). Ends the test without memory. */
struct closure *closure_create(const struct mpl_model *model, struct mpl_arena *arena);
void closure_free(struct closure *closure);
void closure_add(struct closure *closure, struct mpl_moment from, struct mpl_moment to);
/** Adds what module order takes for certain. */
void closure_add_order(struct closure *closure, const struct mpl_order_view *view);
uint32_t closure_events(const struct closure *closure);

/** All kinds of timestamps that are compared. */
unsigned closure_kinds(void);

/**
 * With every kind, or with the plain vectors and kind number \p kind only: each pair of records, the future
 * of each record, the cuts that past and future are, and chains between \p n_chains pairs.
 */
enum { CLOSURE_ALL_KINDS = 0 };
void closure_check_all(struct closure *closure, struct mpl_net *net, unsigned kind,
                       uint32_t n_chains, const char *what);
/** The same of \p n_from times \p n_to pairs, and of as many records, that are drawn from \p seed. */
void closure_check_some(struct closure *closure, struct mpl_net *net, uint32_t n_from,
                        uint32_t n_to, uint32_t n_chains, uint64_t seed, const char *what);

#endif
