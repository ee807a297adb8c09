/* A folder of the test that runs, below TMPDIR, with its arena. */
#ifndef MPL_TESTS_FOLDER_FIXTURE_H
#define MPL_TESTS_FOLDER_FIXTURE_H

#include "../lib/arena.h"

extern char folder[];

void create_folder(void);
/** With all that is in it. */
void remove_folder(void);

/** A path in it, in the arena. */
const char *in_folder(const char *name);
/** Writes a file; folders in \p name are made. Returns its path. */
const char *put_file(const char *name, const char *text);

#endif
