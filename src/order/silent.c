#include "config.h"

#include "order/order_priv.h"

#include <string.h>

/*
 * Calls that communicate, but of which the tracer never records with whom: MPI_Sendrecv, MPI_Scan or
 * MPI_Comm_split of EZTrace. A region of which any call holds a record is not one of these: a call
 * without partners (MPI_PROC_NULL) need not have one.
 */

static bool communicates(const struct mpl_region *region)
{
    const bool is_call =
        region->kind == MPL_REGION_MPI_P2P || region->kind == MPL_REGION_MPI_COLL;

    /* Calls that only start, test, wait or probe: what they belong to is recorded elsewhere. */
    return is_call && region->mode != MPL_CALL_TEST && region->mode != MPL_CALL_IMMEDIATE &&
           strcasestr(region->name, "wait") == NULL &&
           strcasestr(region->name, "probe") == NULL;
}

struct search {
    const struct mpl_model *model;
    bool *may_be; /* Per region: it communicates, and no call with a record was seen. */
    bool *is_used;
    uint32_t n_left; /* That may be. */
};

static bool is_call(uint8_t kind)
{
    return kind == MPL_EV_ENTER || kind == MPL_EV_LEAVE;
}

/* Stops when all are known to be recorded, which is soon. */
static void look_at(struct search *s, const struct mpl_location *loc)
{
    for (uint32_t e = 0; e + 1 < loc->n_events && s->n_left > 0; e++) {
        if (mpl_kind_of(loc, e) != MPL_EV_ENTER || !s->may_be[mpl_ref_of(loc, e)]) {
            continue;
        }
        s->is_used[mpl_ref_of(loc, e)] = true;
        if (!is_call(mpl_kind_of(loc, e + 1))) {
            s->may_be[mpl_ref_of(loc, e)] = false;
            s->n_left--;
        }
    }
}

static void find_spans(const struct search *s, struct mpl_net_silent *silent)
{
    for (uint32_t l = 0; l < s->model->n_locations; l++) {
        const struct mpl_location *loc = &s->model->locations[l];

        silent[l] = (struct mpl_net_silent){ MPL_NONE, 0 };
        for (uint32_t e = 0; e < loc->n_events; e++) {
            if (!is_call(mpl_kind_of(loc, e)) || !s->may_be[mpl_ref_of(loc, e)]) {
                continue;
            }
            if (mpl_kind_of(loc, e) == MPL_EV_ENTER) {
                silent[l].n_until_last = e + 1;
            } else if (silent[l].first_end == MPL_NONE) {
                silent[l].first_end = e;
            }
        }
    }
}

enum mpl_status mpl_net_find_silent(struct mpl_net *net, struct mpl_arena *arena,
                                    struct mpl_arena *scratch, struct mpl_err *err)
{
    const struct mpl_model *model = net->model;
    struct search s = { .model = model,
                        .may_be = MPL_NEW_ARRAY(scratch, model->n_regions, bool),
                        .is_used = MPL_NEW_ARRAY(scratch, model->n_regions, bool) };
    bool is_any = false;

    if (s.may_be == NULL || s.is_used == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t r = 0; r < model->n_regions; r++) {
        s.may_be[r] = communicates(&model->regions[r]);
        s.n_left += s.may_be[r];
    }
    for (uint32_t l = 0; l < model->n_locations; l++) {
        look_at(&s, &model->locations[l]);
    }
    for (uint32_t r = 0; r < model->n_regions; r++) {
        is_any = is_any || (s.may_be[r] && s.is_used[r]);
    }
    if (!is_any) {
        return MPL_OK;
    }
    net->silent = MPL_NEW_ARRAY(arena, model->n_locations, struct mpl_net_silent);
    if (net->silent == NULL) {
        return mpl_nomem(err);
    }
    find_spans(&s, net->silent);
    return MPL_OK;
}
