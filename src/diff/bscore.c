/* B_k of Fowlkes & Mallows (1983): T_k / sqrt(P_k Q_k), eq. 2, from how many objects any two clusters share. */
#include "config.h"

#include "diff/diff_priv.h"

#include <math.h>

/* Sum of squares less the objects: twice the pairs that are together. */
static double pairs(const double *counts, size_t n, double n_objects)
{
    double sum = -n_objects;

    for (size_t i = 0; i < n; i++) {
        sum += counts[i] * counts[i];
    }
    return sum;
}

enum mpl_status mpl_b_score(const uint32_t *a, const uint32_t *b, const uint32_t *sizes,
                            uint32_t n, uint32_t k, double *out, struct mpl_err *err)
{
    struct mpl_arena *scratch = mpl_arena_create();
    const size_t n_shared = (size_t) k * k;
    double *shared = scratch == NULL ? NULL : MPL_NEW_ARRAY(scratch, n_shared, double);
    double *in_a = scratch == NULL ? NULL : MPL_NEW_ARRAY(scratch, k, double);
    double *in_b = scratch == NULL ? NULL : MPL_NEW_ARRAY(scratch, k, double);
    const bool is_done = shared != NULL && in_a != NULL && in_b != NULL;
    double all = 0;

    for (uint32_t i = 0; i < n && is_done; i++) {
        shared[(size_t) a[i] * k + b[i]] += sizes[i];
        in_a[a[i]] += sizes[i];
        in_b[b[i]] += sizes[i];
        all += sizes[i];
    }
    if (is_done) {
        const double together = sqrt(pairs(in_a, k, all) * pairs(in_b, k, all));

        *out = together > 0 ? pairs(shared, n_shared, all) / together : NAN;
    }
    mpl_arena_destroy(scratch);
    return is_done ? MPL_OK : mpl_nomem(err);
}
