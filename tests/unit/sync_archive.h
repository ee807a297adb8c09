/* An archive that holds every kind of event record which OTF2 3.0 knows, written with libotf2. */
#ifndef TESTS_UNIT_SYNC_ARCHIVE_H
#define TESTS_UNIT_SYNC_ARCHIVE_H

#include <stdbool.h>

/**
 * Writes DIRECTORY/all.otf2: two processes, a thread of the first without an event that is kept,
 * a GPU stream whose group names the first process, and metrics of the second with a clock of
 * their own. \p n_rounds times all records; 250 rounds fill several chunks of the smallest size.
 * The program's name stands for the text of a marker of each scope.
 */
bool sync_archive_write(const char *directory, unsigned n_rounds);

#endif
