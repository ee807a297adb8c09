/* The first moment of what a finding rests on. */
#include "config.h"

#include "query/query_priv.h"

enum mpl_status mpl_query_finding(struct mpl_query *q, const char *address,
                                  struct mpl_spot *out, struct mpl_err *err)
{
    const struct mpl_diagnosed *d = NULL;
    struct mpl_first_wait first;
    bool is_found = false;
    enum mpl_status st = mpl_diagnosed_find(q->diagnosis, address, &d, err);

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
