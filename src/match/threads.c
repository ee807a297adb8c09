#include "config.h"

#include "match/match_priv.h"

void mpl_relation_start(struct mpl_relations *r, enum mpl_relation_kind kind,
                        uint32_t process)
{
    struct mpl_relation *relation = (struct mpl_relation *) mpl_buf_add(&r->relation);

    if (relation == NULL) {
        r->is_short = true;
        return;
    }
    relation->kind = kind;
    relation->process = process;
    relation->first = r->moment.n;
}

static struct mpl_relation *last_relation(struct mpl_relations *r)
{
    return (struct mpl_relation *) mpl_buf_get(&r->relation, r->relation.n - 1);
}

static void add_moment(struct mpl_relations *r, uint32_t location, uint32_t event)
{
    struct mpl_moment *moment = (struct mpl_moment *) mpl_buf_add(&r->moment);

    if (moment == NULL) {
        r->is_short = true;
        return;
    }
    *moment = (struct mpl_moment){ location, event };
}

void mpl_relation_add_source(struct mpl_relations *r, uint32_t location, uint32_t event)
{
    if (!r->is_short) {
        last_relation(r)->n_sources++;
        add_moment(r, location, event);
    }
}

void mpl_relation_add_sink(struct mpl_relations *r, uint32_t location, uint32_t event)
{
    if (!r->is_short) {
        last_relation(r)->n_sinks++;
        add_moment(r, location, event);
    }
}

void mpl_relation_end(struct mpl_relations *r)
{
    const struct mpl_relation *relation;

    if (r->is_short) {
        return;
    }
    relation = last_relation(r);
    if (relation->n_sources == 0 || relation->n_sinks == 0) {
        r->moment.n = relation->first;
        r->relation.n--;
    }
}

static enum mpl_status find_all(const struct mpl_model *model, struct mpl_relations *r,
                                struct mpl_err *err)
{
    enum mpl_status st = MPL_OK;

    for (uint32_t p = 0; p < model->n_processes && st == MPL_OK; p++) {
        if (model->processes[p].n_locations == 1) {
            continue;
        }
        st = mpl_match_teams(model, p, r, err);
        if (st == MPL_OK) {
            st = mpl_match_numbered(model, p, r, err);
        }
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
        m->match->relations =
            (const struct mpl_relation *) mpl_buf_take(&r.relation, m->arena);
        m->match->moments = (const struct mpl_moment *) mpl_buf_take(&r.moment, m->arena);
        if (m->match->relations == NULL || m->match->moments == NULL) {
            st = mpl_nomem(err);
        }
    }
    mpl_buf_free(&r.relation);
    mpl_buf_free(&r.moment);
    return st;
}
