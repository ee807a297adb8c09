/* What the tests of tracers share: a folder with one description, and what is loaded from it. */
#ifndef MPL_TESTS_TRACER_FIXTURE_H
#define MPL_TESTS_TRACER_FIXTURE_H

#include "tracer/tracer.h"

#include "folder_fixture.h"

#include <check.h>

extern struct mpl_lint *lint;
extern struct mpl_err err;

/** Goes with remove_folder(). */
void create_tracers(void);
/* Writes a description into the folder. */
void describe(const char *text);
enum mpl_status load(bool with_stock, const struct mpl_tracers **out);
const struct mpl_tracer_file *tracer_of_stock(const char *name);
struct mpl_settings settle(const struct mpl_tracer_file *tracer,
                           const struct mpl_recording *recording, uint64_t bytes);
/* NULL: it is not set. */
const char *variable(const struct mpl_settings *s, const char *name);
/* The first message about the description. */
void refused(const char *text, const char *message, unsigned line, unsigned column);

/* A description without what is tried, which begins in line 7. */
#define PLAIN(section) \
    "tracer: x\nsays: y\nprogram: z\nrecords:\n  messages:\ncost: {bytes_per_event: 10, " \
    "overhead_s_per_event: 1e-6, source: q}\n" section

#endif
