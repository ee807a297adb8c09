#include "config.h"

#include "match/match_priv.h"

static enum mpl_status find_all(const struct mpl_model *model, struct mpl_relations *r,
                                struct mpl_err *err)
{
    enum mpl_status st = MPL_OK;

    for (uint32_t p = 0; p < model->n_processes && st == MPL_OK; p++) {
        if (model->processes[p].n_locations == 1) {
            continue;
        }
        st = mpl_match_teams(model, p, r, err);
        st = st == MPL_OK ? mpl_match_numbered(model, p, r, err) : st;
        if (st == MPL_OK && r->is_short) {
            st = mpl_nomem(err);
        }
    }
    return st;
}

enum mpl_status mpl_match_threads(struct mpl_matcher *m, struct mpl_err *err)
{
    struct mpl_relations r = { .relation = mpl_buf_make(sizeof(struct mpl_relation)),
                               .moment = mpl_buf_make(sizeof(struct mpl_moment)) };
    enum mpl_status st = find_all(m->model, &r, err);

    if (st == MPL_OK) {
        m->match->n_relations = r.relation.n;
        m->match->relations = mpl_buf_take(&r.relation, m->arena);
        m->match->moments = mpl_buf_take(&r.moment, m->arena);
        if (m->match->relations == NULL || m->match->moments == NULL) {
            st = mpl_nomem(err);
        }
    }
    mpl_buf_free(&r.relation);
    mpl_buf_free(&r.moment);
    return st;
}
