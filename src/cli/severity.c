/* --fail-on: from which severity on a command ends with status 1. */
#include "config.h"

#include "cli/severity_priv.h"

#include <string.h>

#include "report/report.h"

enum mpl_status mpl_args_severity(const struct mpl_option *option, const char *value,
                                  double *out, struct mpl_err *err)
{
    if (strcmp(value, "warning") == 0) {
        *out = MPL_SEVERITY_WARNING;
        return MPL_OK;
    }
    if (strcmp(value, "critical") == 0) {
        *out = MPL_SEVERITY_CRITICAL;
        return MPL_OK;
    }
    return mpl_args_share(option, value, out, err);
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
