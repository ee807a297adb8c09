/* What somebody asks for: timestamps when the first question needs them, and how stretches stand. */
#include "config.h"

#include "causality/causality_priv.h"

/* ---- the first question --------------------------------------------------------------------- */

struct mpl_precedences {
    const struct mpl_model *model;
    const struct mpl_match *match;
    struct mpl_causality *causality; /* NULL: nobody has asked. */
    struct mpl_arena *
        arena; /* Of what is made then: in that of the run another thread may be at work. */
    struct mpl_net *net; /* NULL unless it has circles. */
    struct mpl_arena *net_arena;
    struct mpl_causality_options options;
    const char *why;
    bool is_asked; /* Once about two moments. */
};

static void forget(void *object)
{
    struct mpl_precedences *p = object;

    mpl_causality_destroy(p->causality);
    mpl_arena_destroy(p->net_arena);
    mpl_arena_destroy(p->arena);
}

struct mpl_precedences *mpl_precedences_create(const struct mpl_model *model,
                                               const struct mpl_match *match,
                                               struct mpl_arena *arena)
{
    struct mpl_precedences *p = MPL_NEW(arena, struct mpl_precedences);

    if (p == NULL || !mpl_arena_keep(arena, p, forget)) {
        return NULL;
    }
    *p = (struct mpl_precedences){ .model = model, .match = match };
    return p;
}

/* Clusters, unless vectors take no more. */
static enum mpl_status stamp(struct mpl_precedences *p, struct mpl_net *net,
                             struct mpl_err *err)
{
    const struct mpl_causality_options vectors = { .n_levels = 0 };

    p->options = vectors;
    if (net->n_tracks <= MPL_MOST_FOR_VECTORS) {
        p->why = "they are small, and answer at once";
        return mpl_causality_create(net, &vectors, &p->causality, err);
    }
    p->options = (struct mpl_causality_options){ .clustering = MPL_CLUSTER_INFORMED,
                                                 .n_levels = 1,
                                                 .most = { MPL_USUAL_CLUSTER } };
    const enum mpl_status st = mpl_causality_create(net, &p->options, &p->causality, err);
    if (st != MPL_OK) {
        return st;
    }
    struct mpl_causality_size size = mpl_causality_size(p->causality);
    if (size.bytes < size.vector_bytes) {
        p->why = mpl_arena_printf(
            p->arena,
            "they take %.0f %% of what vectors would, and with more levels questions would "
            "take several times as long",
            100 * (double) size.bytes / (double) size.vector_bytes);
        return p->why == NULL ? mpl_nomem(err) : MPL_OK;
    }
    mpl_causality_destroy(p->causality);
    p->causality = NULL;
    p->options = vectors;
    p->why = "clusters take no less, because messages leave them too often or collectives "
             "share their vectors";
    return mpl_causality_create(net, &vectors, &p->causality, err);
}

static enum mpl_status make_net(const struct mpl_precedences *p, struct mpl_arena *arena,
                                struct mpl_net **out, struct mpl_err *err)
{
    struct mpl_order_view *view = NULL;
    const enum mpl_status st = mpl_order_view_create(p->model, p->match, arena, &view, err);

    return st == MPL_OK ? mpl_net_create(view, NULL, arena, out, err) : st;
}

/* Walking the net found its circles, so one that has some is kept. */
static enum mpl_status make(struct mpl_precedences *p, struct mpl_err *err)
{
    struct mpl_arena *arena = mpl_arena_create();
    enum mpl_status st = arena == NULL ? mpl_nomem(err) : make_net(p, arena, &p->net, err);

    p->arena = p->arena == NULL ? mpl_arena_create() : p->arena;
    st = st == MPL_OK ? stamp(p, p->net, err) : st;
    if (st == MPL_OK && mpl_causality_has_circles(p->causality)) {
        p->net_arena = arena;
    } else {
        p->net = NULL;
        mpl_arena_destroy(arena);
    }
    return st;
}

enum mpl_status mpl_precedences_get(struct mpl_precedences *p, struct mpl_causality **out,
                                    struct mpl_err *err)
{
    const enum mpl_status st = p->causality == NULL ? make(p, err) : MPL_OK;

    *out = p->causality;
    return st;
}

enum mpl_status mpl_precedences_net(const struct mpl_precedences *p,
                                    struct mpl_arena *arena, const struct mpl_net **out,
                                    struct mpl_err *err)
{
    struct mpl_net *net = p->net;
    const enum mpl_status st = net == NULL ? make_net(p, arena, &net, err) : MPL_OK;

    *out = net;
    return st;
}

enum mpl_status mpl_precedences_among(struct mpl_precedences *p,
                                      const struct mpl_moment *moments, uint32_t n,
                                      uint64_t *before, struct mpl_err *err)
{
    struct mpl_net *net = NULL;

    for (uint32_t i = 0; i < n && p->causality != NULL; i++) {
        before[i] = 0;
        for (uint32_t k = 0; k < n; k++) {
            const bool is_before =
                mpl_causality_compare(p->causality, moments[k], moments[i]) ==
                MPL_PRECEDENCE_BEFORE;

            before[i] |= (uint64_t) is_before << k;
        }
    }
    if (p->causality != NULL) {
        return MPL_OK;
    }
    struct mpl_arena *arena = mpl_arena_create();
    enum mpl_status st = arena == NULL ? mpl_nomem(err) : make_net(p, arena, &net, err);
    st = st == MPL_OK ? mpl_moments_order(net, moments, n, before, err) : st;
    mpl_arena_destroy(arena);
    return st;
}

enum mpl_status mpl_precedences_is_before(struct mpl_precedences *p, struct mpl_moment a,
                                          struct mpl_moment b, bool *is,
                                          struct mpl_err *err)
{
    const struct mpl_moment both[] = { a, b };
    const bool is_first = !p->is_asked;
    uint64_t before[2] = { 0, 0 };
    struct mpl_causality *causality = NULL;
    enum mpl_status st;

    p->is_asked = true;
    if (a.location == b.location) {
        *is = a.event < b.event;
        return MPL_OK;
    }
    if (is_first && p->causality == NULL) {
        st = mpl_precedences_among(p, both, 2, before, err);
        *is = (before[1] & 1) != 0;
        return st;
    }
    st = mpl_precedences_get(p, &causality, err);
    *is = st == MPL_OK && mpl_causality_past(causality, b, a.location) > a.event;
    return st;
}

const struct mpl_causality_options *mpl_precedences_options(const struct mpl_precedences *p)
{
    return &p->options;
}

const char *mpl_precedences_why(const struct mpl_precedences *p)
{
    return p->why;
}

bool mpl_precedences_are_made(const struct mpl_precedences *p)
{
    return p->causality != NULL;
}

/* ---- stretches ------------------------------------------------------------------------------- */

bool mpl_causality_reaches(struct mpl_causality *c, struct mpl_stretch a,
                           struct mpl_stretch b)
{
    return mpl_causality_past(c, (struct mpl_moment){ b.location, b.end }, a.location) >
           a.begin;
}

/* All of a before anything of b. */
static bool is_whole(struct mpl_causality *c, const struct mpl_stretch *a,
                     const struct mpl_stretch *b)
{
    const bool is_gap = a->begin > a->end;
    const bool is_gap_b = b->begin > b->end;
    const struct mpl_stretch last = { a->location, is_gap ? a->begin : a->end, a->end };
    const struct mpl_stretch first = { b->location, b->begin,
                                       is_gap_b ? b->end : b->begin };

    return mpl_causality_reaches(c, last, first);
}

static const char *why_lacking(const struct mpl_model *model, bool lacks_ends,
                               bool lacks_threads)
{
    if (!model->can.has_receive_completions) {
        return "the trace does not record when non-blocking receives are over, so messages "
               "may have made an order that cannot be seen";
    }
    if (!model->can.has_immediate_collectives_complete) {
        return "the trace does not record when non-blocking collectives are over, so they "
               "may "
               "have made an order that cannot be seen";
    }
    if (lacks_ends) {
        return "the trace lacks the other ends of some messages or members of some "
               "collectives, so they may have made an order that cannot be seen";
    }
    return lacks_threads
               ? "the trace does not record what orders the threads of a process, which "
                 "begin and wait for each other in an order that cannot be seen"
               : NULL;
}

static const char guess[] =
    "whose messages some receives took is a guess, because their communicator is not "
    "recorded";

static const char *why_incomplete(const struct mpl_causality *c, bool is_incomplete)
{
    const char *why = why_lacking(c->model, c->lacks_ends, c->lacks_threads);

    if (why != NULL || !is_incomplete) {
        return why;
    }
    return c->has_circles ? "records of the trace wait for each other in a circle, so some "
                            "of them are damaged or matched wrongly"
                          : guess;
}

const char *mpl_causality_doubt_of_net(const struct mpl_net *net)
{
    const char *why = why_lacking(net->model, net->lacks_ends, net->lacks_threads);

    return why == NULL && net->first_left_out != NULL ? guess : why;
}

const char *mpl_causality_doubt(const struct mpl_causality *c)
{
    return why_incomplete(c, c->first_left_out != NULL);
}

const char *mpl_causality_doubt_at(struct mpl_causality *c, struct mpl_moment event)
{
    return why_incomplete(c, mpl_causality_misses(c, event));
}

const char mpl_causality_silence[] =
    "the trace does not record with whom some calls communicate (MPI_Sendrecv or "
    "collectives that the tracer leaves out), so they may have made an order that cannot "
    "be seen";

const char *mpl_causality_doubt_past(struct mpl_causality *c, struct mpl_moment event)
{
    const char *why = mpl_causality_doubt_at(c, event);

    return why == NULL && mpl_causality_is_behind_silence(c, event) ? mpl_causality_silence
                                                                    : why;
}

const char *mpl_causality_doubt_future(struct mpl_causality *c, struct mpl_moment event)
{
    const char *why = mpl_causality_doubt(c);

    return why == NULL && mpl_causality_is_before_silence(c, event) ? mpl_causality_silence
                                                                    : why;
}

/* Of two of which no chain leads to the other one. */
static const char *why_not_known(struct mpl_causality *c, const struct mpl_stretch *a,
                                 const struct mpl_stretch *b)
{
    const struct mpl_moment first = { a->location, a->begin };
    const struct mpl_moment last = { a->location, a->end };
    const struct mpl_moment first_b = { b->location, b->begin };
    const struct mpl_moment last_b = { b->location, b->end };
    const char *why = mpl_causality_doubt_at(c, last);

    why = why == NULL ? mpl_causality_doubt_at(c, last_b) : why;
    if (why == NULL && (mpl_causality_may_hide(c, first, last_b) ||
                        mpl_causality_may_hide(c, first_b, last))) {
        why = mpl_causality_silence;
    }
    return why;
}

struct mpl_standing mpl_causality_relate(struct mpl_causality *c, struct mpl_stretch a,
                                         struct mpl_stretch b)
{
    const bool is_before = mpl_causality_reaches(c, a, b);
    const bool is_after = mpl_causality_reaches(c, b, a);
    struct mpl_standing x = { .is = MPL_PRECEDENCE_CONCURRENT };

    if (a.location == b.location && a.begin == b.begin && a.end == b.end) {
        x.is = MPL_PRECEDENCE_SAME;
    } else if (is_before && !is_after) {
        x.is = MPL_PRECEDENCE_BEFORE;
        x.is_whole = is_whole(c, &a, &b);
    } else if (is_after && !is_before) {
        x.is = MPL_PRECEDENCE_AFTER;
        x.is_whole = is_whole(c, &b, &a);
    } else if (is_before) {
        x.does_overlap = true;
    } else {
        x.why = why_not_known(c, &a, &b);
        x.is = x.why == NULL ? MPL_PRECEDENCE_CONCURRENT : MPL_PRECEDENCE_NOT_KNOWN;
    }
    return x;
}
