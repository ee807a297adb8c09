#include "config.h"

#include "api/objects_priv.h"

#include "query/query.h"

struct mpl_order {
    struct mpl_arena *arena; /* holds this, too */
    struct mpl_analysis *analysis;
    struct mpl_query *query;
};

void mpl_order_close(struct mpl_order *order)
{
    if (order != NULL) {
        mpl_query_destroy(order->query);
        mpl_analysis_destroy(order->analysis);
        mpl_arena_destroy(order->arena);
    }
}

static enum mpl_status read_trace(struct mpl_order *order, const char *path,
                                  const struct mpl_options *options, struct mpl_err *err)
{
    const struct mpl_analysis_options asked = {
        .clock = options == NULL ? NULL : &options->clock,
        .progress = options == NULL ? NULL : &options->progress,
    };
    const enum mpl_status st = mpl_analysis_check(path, &asked, &order->analysis, err);

    if (st != MPL_OK) {
        return st;
    }

    const struct mpl_diagnosis *diagnosis = mpl_analysis_diagnosis(order->analysis);
    const struct mpl_run *run = &diagnosis->runs[0];

    /* A trace without any duration has an order all the same. */
    if (run->events == NULL || run->model->n_events == 0) {
        (void) mpl_fail(err, MPL_E_MEANING, "%s", run->failure);
        return mpl_wrap(err, MPL_E_MEANING, "the trace cannot be used");
    }
    return mpl_query_create(diagnosis, &order->query, err);
}

enum mpl_status mpl_order_open(const char *path, const struct mpl_options *options,
                               struct mpl_order **out, struct mpl_err *err)
{
    struct mpl_arena *arena = mpl_arena_create();
    struct mpl_order *order = arena == NULL ? NULL : MPL_NEW(arena, struct mpl_order);

    if (order == NULL) {
        mpl_arena_destroy(arena);
        return mpl_nomem(err);
    }
    order->arena = arena;

    const enum mpl_status st = read_trace(order, path, options, err);

    if (st == MPL_OK) {
        *out = order;
    } else {
        mpl_order_close(order);
    }
    return st;
}

static enum mpl_status find(struct mpl_order *order, const char *address,
                            struct mpl_spot *out, struct mpl_err *err)
{
    return mpl_query_is_finding(address)
               ? mpl_fail(err, MPL_E_USAGE,
                          "\"%s\" is a finding, and nothing is diagnosed here", address)
               : mpl_query_find(order->query, address, out, err);
}

enum mpl_status mpl_precedes(struct mpl_order *order, const char *a, const char *b,
                             const char **answer, const char **why, struct mpl_err *err)
{
    struct mpl_spot first;
    struct mpl_spot second;
    enum mpl_precedence precedence;
    const char *doubt = NULL;
    enum mpl_status st = order == NULL ? mpl_nomem(err) : find(order, a, &first, err);

    st = st == MPL_OK ? find(order, b, &second, err) : st;
    st = st == MPL_OK
             ? mpl_query_compare(order->query, &first, &second, &precedence, &doubt, err)
             : st;
    if (st == MPL_OK) {
        *answer = mpl_precedence_name(precedence);
    }
    if (st == MPL_OK && why != NULL) {
        *why = doubt;
    }
    return st;
}
