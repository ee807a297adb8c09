/* Which of two moments must have come before the other. */
#include "config.h"

#include "query/query_priv.h"

#include <math.h>

const char *mpl_link_kind_name(enum mpl_link_kind kind)
{
    static const char *const names[] = {
        [MPL_LINK_MESSAGE] = "message",
        [MPL_LINK_ANSWER] = "answer",
        [MPL_LINK_COLLECTIVE] = "collective",
        [MPL_LINK_THREAD] = "thread",
    };

    return names[kind];
}

static struct mpl_moment begin_of(const struct mpl_spot *spot)
{
    return (struct mpl_moment){ spot->begin.location, spot->begin.event };
}

static struct mpl_moment end_of(const struct mpl_spot *spot)
{
    return (struct mpl_moment){ spot->end.location, spot->end.event };
}

static struct mpl_stretch stretch_of(const struct mpl_spot *spot)
{
    return (struct mpl_stretch){ spot->begin.location, spot->begin.event, spot->end.event };
}

static enum mpl_link_kind kind_of(const struct mpl_model *model,
                                  const struct mpl_causality_edge *edge)
{
    const struct mpl_location *from = &model->locations[edge->from.location];
    const struct mpl_location *to = &model->locations[edge->to.location];
    const uint8_t source = mpl_kind_of(from, edge->from.event);
    const uint8_t sink = mpl_kind_of(to, edge->to.event);

    if ((source == MPL_EV_SEND || source == MPL_EV_ISEND) &&
        (sink == MPL_EV_RECV || sink == MPL_EV_IRECV)) {
        return MPL_LINK_MESSAGE;
    }
    if (from->process == to->process) {
        return MPL_LINK_THREAD;
    }
    return sink == MPL_EV_COLL_END ? MPL_LINK_COLLECTIVE : MPL_LINK_ANSWER;
}

static enum mpl_status show_chain(struct mpl_query *q, struct mpl_moment first,
                                  struct mpl_moment last, struct mpl_between *out,
                                  struct mpl_err *err)
{
    const struct mpl_causality_edge *edges = NULL;
    struct mpl_link *links = NULL;
    size_t n = 0;
    const struct mpl_net *net = NULL;
    enum mpl_status st =
        mpl_precedences_net(mpl_events_precedences(q->run->events), q->arena, &net, err);

    st = st == MPL_OK ? mpl_causality_witness(net, first, last, q->arena, &edges, &n, err)
                      : st;
    if (st == MPL_OK) {
        links = MPL_NEW_ARRAY(q->arena, n, struct mpl_link);
        st = links == NULL ? mpl_nomem(err) : MPL_OK;
    }
    for (size_t i = 0; i < n && st == MPL_OK; i++) {
        links[i].kind = kind_of(q->run->model, &edges[i]);
        st = mpl_query_look(q, edges[i].from, &links[i].from, err);
        st = st == MPL_OK ? mpl_query_look(q, edges[i].to, &links[i].to, err) : st;
    }
    out->links = links;
    out->n_links = n;
    return st;
}

/* How wrong the distance of two locations' times may be; NaN: unknown. */
static double error_between(const struct mpl_query *q, uint32_t a, uint32_t b)
{
    const struct mpl_model *model = q->run->model;
    const int64_t *bound = q->run->clock->bound_ticks;

    if (model->locations[a].process == model->locations[b].process) {
        return 0;
    }
    return bound[a] == INT64_MAX || bound[b] == INT64_MAX
               ? NAN
               : mpl_model_seconds(model, mpl_ticks_plus(bound[a], bound[b]));
}

static void decide(struct mpl_query *q, struct mpl_between *x)
{
    const struct mpl_standing standing =
        mpl_causality_relate(q->causality, stretch_of(&x->a), stretch_of(&x->b));

    x->answer = standing.is;
    x->is_whole = standing.is_whole;
    x->does_overlap = standing.does_overlap;
    x->why = standing.why;
}

enum mpl_status mpl_query_compare(struct mpl_query *q, const struct mpl_spot *a,
                                  const struct mpl_spot *b, enum mpl_precedence *answer,
                                  const char **why, struct mpl_err *err)
{
    struct mpl_between x = { .a = *a, .b = *b };
    const enum mpl_status st = mpl_query_stamps(q, err);

    if (st == MPL_OK) {
        decide(q, &x);
        *answer = x.answer;
        *why = x.why;
    }
    return st;
}

enum mpl_status mpl_query_between(struct mpl_query *q, const struct mpl_spot *a,
                                  const struct mpl_spot *b, struct mpl_between *out,
                                  struct mpl_err *err)
{
    struct mpl_between x = { .a = *a, .b = *b };
    enum mpl_status st = mpl_query_stamps(q, err);

    if (st != MPL_OK) {
        return st;
    }
    decide(q, &x);

    const bool is_after = x.answer == MPL_PRECEDENCE_AFTER;
    const bool is_ordered = is_after || x.answer == MPL_PRECEDENCE_BEFORE || x.does_overlap;
    const struct mpl_spot *first = is_after ? b : a;
    const struct mpl_spot *last = is_after ? a : b;

    if (is_ordered) {
        st = show_chain(q, begin_of(first), end_of(last), &x, err);
    }
    if (st != MPL_OK) {
        return st;
    }
    x.margin_s = (is_ordered ? last->end.time_s : last->begin.time_s) - first->begin.time_s;
    x.error_s = error_between(q, a->begin.location, b->begin.location);
    *out = x;
    return MPL_OK;
}

/* Of a location the record that bounds the cut; false: there is none. */
static bool bound(struct mpl_query *q, const struct mpl_spot *spot, bool is_future,
                  uint32_t location, struct mpl_moment *out)
{
    const uint32_t number =
        is_future ? mpl_causality_future(q->causality, begin_of(spot), location)
                  : mpl_causality_past(q->causality, end_of(spot), location);

    *out = (struct mpl_moment){ location, number - 1 };
    return number > 0 && location != spot->begin.location;
}

enum mpl_status mpl_query_cut(struct mpl_query *q, const struct mpl_spot *spot,
                              bool is_future, struct mpl_cut *out, struct mpl_err *err)
{
    const uint32_t n_locations = q->run->model->n_locations;
    struct mpl_instant *instants = MPL_NEW_ARRAY(q->arena, n_locations, struct mpl_instant);
    enum mpl_status st = instants == NULL ? mpl_nomem(err) : mpl_query_stamps(q, err);
    uint32_t n = 0;

    for (uint32_t l = 0; l < n_locations && st == MPL_OK; l++) {
        struct mpl_moment moment;

        if (bound(q, spot, is_future, l, &moment)) {
            st = mpl_query_look(q, moment, &instants[n++], err);
        }
    }
    if (st == MPL_OK) {
        const char *why = is_future
                              ? mpl_causality_doubt_future(q->causality, begin_of(spot))
                              : mpl_causality_doubt_past(q->causality, end_of(spot));

        *out = (struct mpl_cut){ *spot, is_future, why == NULL, why, n, instants };
    }
    return st;
}
