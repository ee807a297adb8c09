/* --fail-on: from which severity on a command ends with status 1. */
#include "config.h"

#include "cli/severity_priv.h"

#include <string.h>

#include "report/report.h"

enum mpl_status mpl_take_severity(struct mpl_args *args, void *target, struct mpl_err *err)
{
    const bool is_critical = strcmp(args->value, "critical") == 0;

    if (!is_critical && strcmp(args->value, "warning") != 0) {
        return mpl_take_share(args, target, err);
    }
    *(double *) target = is_critical ? MPL_SEVERITY_CRITICAL : MPL_SEVERITY_WARNING;
    return MPL_OK;
}

bool mpl_severity_is_reached(const struct mpl_diagnosis *diagnosis, double severity)
{
    for (size_t i = 0; i < diagnosis->n_findings; i++) {
        const struct mpl_diagnosed *d = &diagnosis->findings[i];
        /* NaN, in the finding or in what was asked for, compares as false. */
        if (strcmp(d->finding->kind, "cause") == 0 && !d->finding->is_healthy &&
            !d->is_within_spread && d->severity >= severity) {
            return true;
        }
    }
    return false;
}
