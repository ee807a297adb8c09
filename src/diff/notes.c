/* What weakens a comparison. */
#include "config.h"

#include "diff/diff_priv.h"

enum mpl_status mpl_comparison_note(struct mpl_comparison *c, const char *text,
                                    struct mpl_err *err)
{
    const char **slot = mpl_buf_add(&c->notes);

    if (slot == NULL || text == NULL) {
        return mpl_nomem(err);
    }
    *slot = text;
    return MPL_OK;
}
