/* What the opaque types of the public header hold. */
#ifndef MPL_API_OBJECTS_PRIV_H
#define MPL_API_OBJECTS_PRIV_H

#include "marple/marple.h"

#include "report/report.h"

struct mpl_traces {
    struct mpl_arena *arena; /* holds this, too */
    struct mpl_buf paths;    /* const char * */
};

struct mpl_options {
    struct mpl_arena *arena;
    const char *stock;        /* NULL: the default */
    struct mpl_buf knowledge; /* const char * */
    struct mpl_buf roles;     /* struct mpl_role_binding */
    const char *pattern;      /* NULL: all */
    struct mpl_clock_options clock;
    struct mpl_progress progress;
};

struct mpl_looks {
    struct mpl_arena *arena;
    struct mpl_report_options report;
};

/** Where knowledge stands: the stock first. \p options may be NULL; NULL: no memory. */
const char *const *mpl_options_directories(const struct mpl_options *options,
                                           struct mpl_arena *arena, size_t *n);

#endif
