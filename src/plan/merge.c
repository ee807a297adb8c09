/* Experiments that one run can serve become one. */
#include "config.h"

#include "plan/plan_priv.h"

#include <string.h>

/*
 * With another tracer the one may be executable here and the other not, so that stays apart; so
 * do runs with different numbers of processes.
 */
static bool can_share(const struct planner *p, const struct want *a, const struct want *b)
{
    const struct mpl_run *runs = p->diagnosis->runs;

    return a->tracer == b->tracer &&
           mpl_is_same_array(a->processes, a->n_processes, b->processes, b->n_processes,
                             sizeof *a->processes) &&
           mpl_is_same_text(a->knob, b->knob) &&
           (a->n_processes > 0 || runs[a->run].model == runs[b->run].model ||
            (runs[a->run].model != NULL && runs[b->run].model != NULL &&
             runs[a->run].model->n_processes == runs[b->run].model->n_processes));
}

static bool join(struct planner *p, struct want *into, const struct want *from)
{
    into->level = from->level < into->level ? from->level : into->level;
    into->repetitions =
        from->repetitions > into->repetitions ? from->repetitions : into->repetitions;
    into->is_all_regions = into->is_all_regions || from->is_all_regions;
    into->problem = into->problem != NULL ? into->problem : from->problem;
    if (into->expects == NULL) {
        into->expects = from->expects;
    } else if (from->expects != NULL && strcmp(into->expects, from->expects) != 0) {
        into->expects = mpl_arena_printf(p->arena, "%s; %s", into->expects, from->expects);
    }
#define ADD(list) mpl_texts_add_all(p, &into->list, from->list.items, from->list.n)
    return (from->expects == NULL || into->expects != NULL) && ADD(purposes) &&
           ADD(reasons) && ADD(metrics) && ADD(events) && ADD(capabilities) &&
           ADD(regions) && ADD(counters) && ADD(locations) && ADD(separates);
#undef ADD
}

enum mpl_status mpl_wants_merge(struct planner *p, struct mpl_err *err)
{
    size_t n = 0;

    for (size_t i = 0; i < p->wants.n; i++) {
        const struct want *from = mpl_buf_get(&p->wants, i);
        struct want *into = NULL;

        for (size_t k = 0; k < n && into == NULL; k++) {
            struct want *earlier = mpl_buf_get(&p->wants, k);

            into = can_share(p, earlier, from) ? earlier : NULL;
        }
        if (into == NULL) {
            struct want *to = mpl_buf_get(&p->wants, n++);

            *to = *from;
        } else if (!join(p, into, from)) {
            return mpl_nomem(err);
        }
    }
    p->wants.n = n;
    for (size_t i = 0; i < n; i++) {
        struct want *w = mpl_buf_get(&p->wants, i);

        if (w->is_all_regions) {
            w->regions.n = 0; /* The list would keep out what somebody else asks for. */
        }
    }
    return MPL_OK;
}
