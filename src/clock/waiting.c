#include "config.h"

#include "clock/clock_priv.h"

/*
 * The middle of an interval is the best guess only where both of its ends are equally good. A
 * master that is always busy takes each request milliseconds after it came, while its answers
 * find the workers waiting: the fast direction shows the offset to a few microseconds, the slow
 * one merely when the master had time. The middle would be off by half the queue.
 *
 * Which direction is fast can be proven. The offset lies in an interval, and if a receiver
 * entered its call before the message was sent at both of its ends, it was waiting, so that
 * received - sent is the time of travel and nothing else. Links with enough of such messages
 * are called tight, and the estimate assumes that the fastest message on each of them
 * travelled no longer than 1 / MPL_TRAVEL_PER_S seconds, or as much more as all constraints need for a solution.
 *
 * The limits are not changed by this assumption, and neither is the bound, half the distance
 * between them. To break it, the fastest message to a waiting receiver must have travelled
 * longer than the fastest one the other way, and longer than any network takes.
 *
 * Where nothing comes back, there is no interval. But a receive that takes no longer than a message travels
 * has not waited: its message may have been there for long. Where no receive has, nothing says
 * that the fastest message arrived at once.
 */

/* Messages through the kernel and a switch take some 50 us, those between cores less than 1.
 * So intervals up to this width keep their middle. */
#define MPL_TRAVEL_PER_S 10000

/* One message may be late because its receiver had no core at that moment; that all of them
 * were is unlikely: on a machine with twice as many processes as cores 1 in 256. */
enum { MPL_TIGHT_MESSAGES = 8 };

struct search {
    const struct mpl_order_view *view;
    struct mpl_links *links;
    uint32_t *link_from; /* Per process: its link to the process at hand, or MPL_NONE. */
    uint32_t
        n_open; /* Links to the process at hand that are not known to be tight, or not. */
    int64_t travel_ticks;
    bool has_answers;
};

/* When the call was entered that completed this receive and nothing else; false: there is no
 * such call. A wait for several messages ends with the last of them. */
static bool find_enter(const struct mpl_order_view *view, uint32_t location, uint32_t event,
                       int64_t *enter_ticks)
{
    const struct mpl_location *loc = &view->model->locations[location];

    if (event == 0 || event + 1 >= loc->n_events ||
        mpl_kind_of(loc, event - 1) != MPL_EV_ENTER ||
        mpl_kind_of(loc, event + 1) != MPL_EV_LEAVE) {
        return false;
    }
    return mpl_order_view_enter(view, location, event, enter_ticks);
}

/* Whether more messages from a process to the one at hand are worth a look. */
static bool is_open(const struct search *s, uint32_t from)
{
    if (s->link_from[from] == MPL_NONE) {
        return false;
    }

    const struct mpl_clock_link *link = mpl_links_get(s->links, s->link_from[from]);

    return link->n_waited < (link->back == MPL_NONE ? 1 : MPL_TIGHT_MESSAGES);
}

/* Something was sent, and whoever it was sent to had been in its call since enter_ticks. */
static void see_wait(struct search *s, uint32_t from, int64_t sent_ticks,
                     int64_t enter_ticks)
{
    struct mpl_clock_link *link = mpl_links_get(s->links, s->link_from[from]);
    const struct mpl_clock_link *back = mpl_links_back(s->links, link);

    if (back == NULL) {
        return;
    }
    /* x[from] - x[to] is at least -back, so this holds for every offset that is possible. */
    if (mpl_ticks_minus(sent_ticks, enter_ticks) >= back->least_ticks &&
        ++link->n_waited == MPL_TIGHT_MESSAGES) {
        s->n_open--;
    }
}

/* A message on a link with none back; a call that is not known may have waited. */
static void see_prompt(struct search *s, const struct mpl_order_pair *pair, bool is_known,
                       int64_t enter_ticks)
{
    struct mpl_clock_link *link = mpl_links_get(s->links, s->link_from[pair->from]);

    if (!is_known || mpl_ticks_minus(pair->received_ticks, enter_ticks) > s->travel_ticks) {
        link->is_prompt = false;
        link->n_waited = 1;
        s->n_open--;
    } else if (mpl_ticks_minus(pair->received_ticks, pair->sent_ticks) ==
               link->least_ticks) {
        link->is_prompt = true;
    }
}

static void see_receive(struct search *s, const struct mpl_order_pair *pair)
{
    int64_t enter_ticks = 0;

    if (!is_open(s, pair->from)) {
        return;
    }

    const bool is_known =
        find_enter(s->view, pair->to_location, pair->to_event, &enter_ticks);

    if (mpl_links_get(s->links, s->link_from[pair->from])->back == MPL_NONE) {
        see_prompt(s, pair, is_known, enter_ticks);
    } else if (is_known) {
        see_wait(s, pair->from, pair->sent_ticks, enter_ticks);
    }
}

static void search_location(struct search *s, uint32_t location)
{
    struct mpl_order_pairs walk = { .view = s->view, .location = location };
    struct mpl_order_pair pairs[MPL_ORDER_BATCH];
    uint32_t n;

    while (s->n_open > 0 && (n = mpl_order_pairs_next(&walk, pairs)) > 0) {
        for (uint32_t i = 0; i < n; i++) {
            see_receive(s, &pairs[i]);
        }
    }
}

/* Links by receiver: order[first[p]] up to order[first[p + 1]] go to p. */
static enum mpl_status sort_by_receiver(const struct mpl_links *links,
                                        struct mpl_arena *scratch, uint32_t **first,
                                        uint32_t **order, struct mpl_err *err)
{
    *first = MPL_NEW_ARRAY(scratch, (size_t) links->n_processes + 2, uint32_t);
    *order = MPL_NEW_ARRAY(scratch, links->link.n, uint32_t);
    if (*first == NULL || *order == NULL) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < links->link.n; i++) {
        (*first)[mpl_links_get(links, i)->to + 2]++;
    }
    for (uint32_t p = 0; p < links->n_processes; p++) {
        (*first)[p + 2] += (*first)[p + 1];
    }
    for (size_t i = 0; i < links->link.n; i++) {
        const struct mpl_clock_link *link = mpl_links_get(links, i);

        (*order)[(*first)[link->to + 1]++] = (uint32_t) i;
    }
    return MPL_OK;
}

/* The sender of a synchronous send waits for its receiver to enter. */
static void see_answer(void *context, const struct mpl_order_pair *pair)
{
    struct search *s = context;

    if (is_open(s, pair->from)) {
        see_wait(s, pair->from, pair->sent_ticks, pair->waiting_ticks);
    }
}

static void search_process(struct search *s, uint32_t process, const uint32_t *order,
                           uint32_t n)
{
    const struct mpl_process *p = &s->view->model->processes[process];

    s->n_open = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct mpl_clock_link *link = mpl_links_get(s->links, order[i]);

        s->link_from[link->from] = order[i];
        s->n_open++;
    }
    for (uint32_t t = 0; t < p->n_locations; t++) {
        search_location(s, p->locations[t]);
        if (s->n_open > 0 && s->has_answers) {
            mpl_order_walk_answers(s->view, p->locations[t], see_answer, s);
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        const struct mpl_clock_link *link = mpl_links_get(s->links, order[i]);

        s->link_from[link->from] = MPL_NONE;
    }
}

enum mpl_status mpl_waiting_find(const struct mpl_order_view *view, struct mpl_links *links,
                                 struct mpl_arena *scratch, struct mpl_err *err)
{
    struct search s = { .view = view,
                        .links = links,
                        .travel_ticks =
                            mpl_ticks_narrow(view->model->ticks_per_s / MPL_TRAVEL_PER_S),
                        .has_answers = mpl_order_has_answers(view) };
    uint32_t *first = NULL;
    uint32_t *order = NULL;
    enum mpl_status st = sort_by_receiver(links, scratch, &first, &order, err);

    if (st != MPL_OK) {
        return st;
    }
    s.link_from = MPL_NEW_ARRAY(scratch, links->n_processes, uint32_t);
    if (s.link_from == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t p = 0; p < links->n_processes; p++) {
        s.link_from[p] = MPL_NONE;
    }
    for (uint32_t p = 0; p < links->n_processes; p++) {
        search_process(&s, p, order + first[p], first[p + 1] - first[p]);
    }
    return MPL_OK;
}

/* ---- the assumption ----------------------------------------------------------------- */

static bool is_tight(const struct mpl_clock_link *link)
{
    return link != NULL && link->n_waited >= MPL_TIGHT_MESSAGES;
}

int64_t mpl_waiting_travel(const struct mpl_links *links, uint64_t ticks_per_s)
{
    int64_t travel = mpl_ticks_narrow(ticks_per_s / MPL_TRAVEL_PER_S);

    for (size_t i = 0; i < links->link.n; i++) {
        const struct mpl_clock_link *link = mpl_links_get(links, i);
        const struct mpl_clock_link *back = mpl_links_back(links, link);

        if (is_tight(link) && is_tight(back)) {
            const int64_t trip = mpl_ticks_plus(link->least_ticks, back->least_ticks);

            travel = trip / 2 + trip % 2 > travel ? trip / 2 + trip % 2 : travel;
        }
    }
    return travel;
}

void mpl_waiting_assume(struct mpl_links *links, int64_t travel_ticks)
{
    for (size_t i = 0; i < links->link.n; i++) {
        struct mpl_clock_link *link = mpl_links_get(links, i);
        const struct mpl_clock_link *back = mpl_links_back(links, link);

        link->limit_ticks = link->least_ticks;
        if (is_tight(back)) {
            const int64_t assumed = mpl_ticks_minus(travel_ticks, back->least_ticks);

            link->limit_ticks = assumed < link->limit_ticks ? assumed : link->limit_ticks;
        }
    }
}
