#include "config.h"

#include "query/query_priv.h"

enum mpl_status mpl_query_create(const struct mpl_diagnosis *diagnosis,
                                 struct mpl_query **out, struct mpl_err *err)
{
    struct mpl_arena *arena = mpl_arena_create();
    struct mpl_query *q = arena == NULL ? NULL : MPL_NEW(arena, struct mpl_query);

    if (q != NULL) {
        const uint32_t n = diagnosis->runs[0].model->n_locations;

        q->arena = arena;
        q->diagnosis = diagnosis;
        q->run = &diagnosis->runs[0];
        q->records = MPL_NEW_ARRAY(arena, n, struct mpl_records);
        q->has_records = MPL_NEW_ARRAY(arena, n, bool);
    }
    if (q == NULL || q->records == NULL || q->has_records == NULL) {
        mpl_arena_destroy(arena);
        return mpl_nomem(err);
    }
    *out = q;
    return MPL_OK;
}

void mpl_query_destroy(struct mpl_query *q)
{
    mpl_arena_destroy(q == NULL ? NULL : q->arena);
}

enum mpl_status mpl_query_records(struct mpl_query *q, uint32_t location,
                                  const struct mpl_records **out, struct mpl_err *err)
{
    enum mpl_status st = MPL_OK;

    if (!q->has_records[location]) {
        st =
            mpl_records_read(q->run->model, location, q->arena, &q->records[location], err);
        q->has_records[location] = st == MPL_OK;
    }
    *out = &q->records[location];
    return st;
}

enum mpl_status mpl_query_stamps(struct mpl_query *q, struct mpl_err *err)
{
    return mpl_precedences_get(mpl_events_precedences(q->run->events), &q->causality, err);
}
