/* The runs of a case, and how they ended. */
#include "config.h"

#include "experiment/experiment_priv.h"

#include <string.h>

static const char *const outcomes[] = {
    [MPL_OUTCOME_OK] = "ok",
    [MPL_OUTCOME_FAILED] = "failed",
    [MPL_OUTCOME_KILLED] = "killed",
    [MPL_OUTCOME_TIMED_OUT] = "timed-out",
    [MPL_OUTCOME_INTERRUPTED] = "interrupted",
    [MPL_OUTCOME_NO_TRACE] = "no-trace",
    [MPL_OUTCOME_NOT_STARTED] = "not-started",
};
enum { N_OUTCOMES = sizeof outcomes / sizeof *outcomes };

const char *mpl_outcome_name(enum mpl_outcome outcome)
{
    return outcomes[outcome];
}

enum mpl_status mpl_outcome_parse(const char *name, enum mpl_outcome *out)
{
    for (size_t i = 0; i < N_OUTCOMES; i++) {
        if (strcmp(outcomes[i], name) == 0) {
            *out = (enum mpl_outcome) i;
            return MPL_OK;
        }
    }
    return MPL_END;
}

struct mpl_case_run *mpl_case_add(struct mpl_case *c)
{
    return mpl_buf_add(&c->runs);
}

struct mpl_case_run *mpl_case_run_at(const struct mpl_case *c, size_t i)
{
    return mpl_buf_get(&c->runs, i);
}
