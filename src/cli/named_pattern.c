/* What became of --pattern NAME: a report of the rest must not look like one of that pattern. */
#include "config.h"

#include "cli/cli_priv.h"

#include <string.h>

void mpl_named_pattern_tell(const struct mpl_diagnosis *d, const char *pattern)
{
    size_t n = 0;

    for (size_t i = 0; pattern != NULL && i < d->n_trials; i++) {
        const struct mpl_trial *t = &d->trials[i];

        if (t->is_chosen || strcmp(mpl_pattern_name(t->pattern), pattern) != 0) {
            continue;
        }
        /* Repeated runs mostly say the same. */
        if (n++ == 0) {
            mpl_text_print(stderr, "marple: note: pattern \"%s\" was not found in %s: %s\n",
                           pattern, d->runs[t->run].id,
                           t->reason != NULL ? t->reason : "its roles were not found");
        }
    }
    if (n > 1) {
        mpl_text_print(stderr, "marple: note: nor in %zu other run%s\n", n - 1,
                       n == 2 ? "" : "s");
    }
}
