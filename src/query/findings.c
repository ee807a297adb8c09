/* The first moment of what a finding rests on. */
#include "config.h"

#include "query/query_priv.h"

#include <string.h>

static enum mpl_status no_finding(const struct mpl_query *q, const char *id,
                                  struct mpl_err *err)
{
    const size_t n = q->diagnosis->n_findings;

    return n == 0
               ? mpl_fail(err, MPL_E_USAGE,
                          "\"%s\": the diagnosis of this trace has no findings", id)
               : mpl_fail(err, MPL_E_USAGE, "\"%s\": there are the findings %s to %s", id,
                          q->diagnosis->findings[0].id, q->diagnosis->findings[n - 1].id);
}

enum mpl_status mpl_query_diagnosed(const struct mpl_query *q, const char *id,
                                    const struct mpl_diagnosed **out, struct mpl_err *err)
{
    for (size_t i = 0; i < q->diagnosis->n_findings; i++) {
        if (strcmp(q->diagnosis->findings[i].id, id) == 0) {
            *out = &q->diagnosis->findings[i];
            return MPL_OK;
        }
    }
    return no_finding(q, id, err);
}

enum mpl_status mpl_query_finding(struct mpl_query *q, const char *address,
                                  struct mpl_spot *out, struct mpl_err *err)
{
    const struct mpl_diagnosed *d = NULL;
    struct mpl_first_wait first;
    bool is_found = false;
    enum mpl_status st = mpl_query_diagnosed(q, address, &d, err);

    st = st == MPL_OK ? mpl_first_wait_of(q->diagnosis, d, &is_found, &first, err) : st;

    if (st == MPL_OK && !is_found) {
        st = mpl_fail(err, MPL_E_USAGE,
                      "\"%s\": nobody waits in what %s (%s) rests on, so it has no first "
                      "moment",
                      address, address, d->finding->name);
    }
    st = st == MPL_OK ? mpl_query_spot(q, address, first.location, first.first_event,
                                       first.last_event, out, err)
                      : st;
    if (st == MPL_OK) {
        const char *least = mpl_text_seconds(q->arena, first.least_s);

        out->note =
            least == NULL
                ? NULL
                : mpl_arena_printf(
                      q->arena, "the first wait that %s is about, of those of at least %s",
                      d->finding->name, least);
    }
    return st == MPL_OK && out->note == NULL ? mpl_nomem(err) : st;
}
