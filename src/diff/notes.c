/* What weakens a comparison. */
#include "config.h"

#include "diff/diff_priv.h"

enum mpl_status mpl_comparison_note(struct mpl_comparison *c, const char *text,
                                    struct mpl_err *err)
{
    return text != NULL && mpl_buf_put(&c->notes, &text) ? MPL_OK : mpl_nomem(err);
}
