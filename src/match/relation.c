/* What several threads do before others go on. */
#include "config.h"

#include "match/match_priv.h"

void mpl_relation_start(struct mpl_relations *r, enum mpl_relation_kind kind,
                        uint32_t process)
{
    const struct mpl_relation relation = { .kind = kind,
                                           .process = process,
                                           .first = r->moment.n };

    r->is_short |= !mpl_buf_put(&r->relation, &relation);
}

static struct mpl_relation *last_relation(struct mpl_relations *r)
{
    return mpl_buf_get(&r->relation, r->relation.n - 1);
}

static void add_moment(struct mpl_relations *r, uint32_t location, uint32_t event)
{
    r->is_short |= !mpl_buf_put(&r->moment, &(struct mpl_moment){ location, event });
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
    if (r->is_short) {
        return;
    }
    const struct mpl_relation *relation = last_relation(r);
    if (relation->n_sources == 0 || relation->n_sinks == 0) {
        r->moment.n = relation->first;
        r->relation.n--;
    }
}
