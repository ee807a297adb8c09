/*
 * Who leads. Changes are sorted by time; a change that must have come after another one, by messages and
 * collectives, may follow from it, whatever the clocks say. Of those that need not, none was first: they are concurrent, and the one
 * leads that changed most in most configurations.
 */
#include "config.h"

#include "diff/diff_priv.h"

#include "causality/causality.h"

#include <string.h>

/* Each further change asks about so many at most. */
enum { MOST_FIRST = 64 };

static struct mpl_moment moment_of(const struct mpl_divergence *change)
{
    return (struct mpl_moment){ change->location, change->base_event };
}

/* Who comes before whom, as far as it was asked for. */
struct order {
    struct mpl_causality *causality; /* Of many changes; of a few NULL. */
    uint64_t before[MPL_MOMENTS_MOST];
};

static bool follows(const struct order *order, const struct mpl_divergence *changes,
                    const size_t *first, size_t n_first, size_t i)
{
    for (size_t k = 0; k < n_first; k++) {
        if (order->causality == NULL
                ? (order->before[i] >> first[k] & 1) != 0
                : mpl_causality_compare(order->causality, moment_of(&changes[first[k]]),
                                        moment_of(&changes[i])) == MPL_PRECEDENCE_BEFORE) {
            return true;
        }
    }
    return false;
}

/* Timestamps answer any number of questions, but cost more. */
static enum mpl_status find_order(struct mpl_comparison *c,
                                  const struct mpl_divergence *changes, size_t n,
                                  struct order *out, struct mpl_err *err)
{
    struct mpl_precedences *precedences = mpl_events_precedences(c->diff.base->events);
    struct mpl_moment moments[MPL_MOMENTS_MOST];

    out->causality = NULL;
    if (n > MPL_MOMENTS_MOST) {
        return mpl_precedences_get(precedences, &out->causality, err);
    }
    for (size_t i = 0; i < n; i++) {
        moments[i] = moment_of(&changes[i]);
    }
    return mpl_precedences_among(precedences, moments, (uint32_t) n, out->before, err);
}

/* An earlier iteration of a loop that both go through counts more than votes. */
static bool is_suspected_more(const struct mpl_divergence *x,
                              const struct mpl_divergence *lead)
{
    const bool is_later =
        x->n_iterations == lead->n_iterations && x->iteration > lead->iteration;

    return x->n_votes > lead->n_votes && !is_later;
}

enum mpl_status mpl_lead_choose(struct mpl_comparison *c, struct mpl_divergence *changes,
                                size_t n, struct mpl_err *err)
{
    struct order order;
    size_t first[MOST_FIRST] = { 0 };
    size_t n_first = 1;
    size_t lead = 0;
    enum mpl_status st = MPL_OK;

    if (n > 1) {
        st = find_order(c, changes, n, &order, err);
    }
    for (size_t i = 1; i < n && st == MPL_OK && n_first < MOST_FIRST; i++) {
        if (!follows(&order, changes, first, n_first, i)) {
            first[n_first++] = i;
            lead = is_suspected_more(&changes[i], &changes[lead]) ? i : lead;
        }
    }
    c->diff.n_first = (uint32_t) n_first;
    if (st == MPL_OK && lead > 0) {
        const struct mpl_divergence first_of_all = changes[lead];

        memmove(&changes[1], &changes[0], lead * sizeof *changes);
        changes[0] = first_of_all;
    }
    return st;
}
