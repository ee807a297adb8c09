/* Where memory runs out, what is written is whole, or an error: never something that lacks a part. */
#ifndef MPL_TESTS_WHOLE_H
#define MPL_TESTS_WHOLE_H

#include <stdio.h>

#include "base/base.h"

/** Writes to \p out what \p context says. */
typedef enum mpl_status (*writer)(void *context, FILE *out, struct mpl_err *err);

/** Refuses one allocation of \p write after the other; \p name is that of what is written. */
void check_whole_or_error(writer write, void *context, const char *name);

#endif
