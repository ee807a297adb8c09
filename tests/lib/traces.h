/* Real traces that are too large for the repository: in the folder that MARPLE_TRACES names, or not there. */
#ifndef MPL_TESTS_LIB_TRACES_H
#define MPL_TESTS_LIB_TRACES_H

#include <stdbool.h>

/** The folder, or NULL. */
const char *traces_folder(void);
/** Whether it is there; otherwise the result of the tests about \p what is that they were skipped. */
bool traces_are_there(const char *what);

#endif
