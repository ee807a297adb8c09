/* Panels of curves, one below the other, as an SVG that needs nothing else. */
#ifndef MPL_TESTS_CHART_H
#define MPL_TESTS_CHART_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { CHART_COLORS = 8 };

struct chart_point {
    double x_s;
    double y_s;
};

/** A curve of one panel. Points without a value are left out by the caller. */
struct chart_curve {
    uint32_t n;
    const struct chart_point *points;
};

struct chart_panel {
    const char *title;
    const char *remark; /**< At the right, above the panel: "RMS 2.1 µs, maximum 9.0 µs". */
    uint32_t n_curves;
    const struct chart_curve *curves;
    double band_s; /**< Half height of a band around 0; 0: none. */
};

struct chart {
    const char *title;
    const char *made_by; /**< For a comment in the file. */
    const char *x_label; /**< Without the unit. */
    const char *y_label; /**< Without the unit. */
    const char *band;    /**< Its entry in the legend; NULL: none. */
    /** Numbers without a unit, from 0 upwards; else seconds over seconds, around 0. */
    bool is_plain;
    uint32_t n_names;
    const char *const *names; /**< Of the curves of every panel, for the legend. */
    uint32_t n_panels;
    const struct chart_panel *panels;
};

/** Each panel has a scale of its own; all share the horizontal one. */
void chart_write(const struct chart *chart, FILE *out);

#endif
