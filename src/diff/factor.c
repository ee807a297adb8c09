/*
 * By what factor all compute longer. A slower machine makes everything slower, so whatever is as fast as before shows
 * that there is none, however many others are slower: the factor is that of those who have least of it, not the median, which
 * half of the locations could move. Of what all are faster by, likewise. It counts if what it makes does.
 */
#include "config.h"

#include "diff/effects_priv.h"

#include <math.h>
#include <stdlib.h>

/* Locations that compute less than this share of the busiest one say nothing about a factor. */
static const double least_busy = 0.01;
/* Up to so many of the locations may have less of it: by chance, or as they got faster. */
static const double most_below = 0.1;
/* Who has the factor has it within this share, */
static const double most_scatter = 0.15;
/* and at least so many of all have it. */
static const double least_common = 1.0 / 3;

static double busiest(const struct mpl_load *loads, uint32_t n)
{
    double most = 0;

    for (uint32_t l = 0; l < n; l++) {
        most = loads[l].base_s > most ? loads[l].base_s : most;
    }
    return most;
}

/* Of those ascending ratios that begin with the least one, but for a few. 1: too few of all are near it. */
static double nearest(const double *ratios, size_t n, size_t n_all)
{
    const size_t first = (size_t) (most_below * (double) n);
    size_t end = first;

    while (end < n && ratios[end] <= ratios[first] * (1 + most_scatter)) {
        end++;
    }
    return (double) (end - first) < least_common * (double) n_all
               ? 1
               : (ratios[first + (end - first - 1) / 2] +
                  ratios[first + (end - first) / 2]) /
                     2;
}

/* \p ratios has room for twice as many as there are locations. */
double mpl_common_factor(const struct mpl_effects *e, double *ratios)
{
    const double most = busiest(e->loads, e->n_locations);
    double *inverse = ratios + e->n_locations;
    size_t n = 0;
    size_t n_busy = 0;

    for (uint32_t l = 0; l < e->n_locations; l++) {
        const struct mpl_load *load = &e->loads[l];
        const bool is_busy = load->base_s > 0 && load->base_s >= least_busy * most;

        n_busy += is_busy;
        if (is_busy && mpl_load_is_comparable(load) && load->new_s > 0) {
            ratios[n] = load->new_s / (load->work * load->base_s);
            inverse[n] = 1 / ratios[n];
            n++;
        }
    }
    if (n == 0) {
        return 1;
    }
    qsort(ratios, n, sizeof *ratios, mpl_compare_doubles);
    qsort(inverse, n, sizeof *inverse, mpl_compare_doubles);

    const double slower = nearest(ratios, n, n_busy);
    const double faster = nearest(inverse, n, n_busy);
    const double factor = slower > 1 ? slower : faster > 1 ? 1 / faster : 1;

    return fabs(factor - 1) * most >= e->diff->least_share * e->diff->sides[0].median_s
               ? factor
               : 1;
}
