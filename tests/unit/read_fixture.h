/* What the tests of the reader share: real traces, scratch directories, comparison of models. */
#ifndef TESTS_UNIT_READ_FIXTURE_H
#define TESTS_UNIT_READ_FIXTURE_H

#include "read/read.h"

/** The path of a real trace, static until the next call; skips nothing: the file may be missing. */
const char *fixture_trace(const char *name);
/** Names of the folders below traces_folder(), sorted; *n of them, in \p arena. */
const char **fixture_trace_names(struct mpl_arena *arena, size_t *n);

/** A new directory below TMPDIR. Tests run in processes of their own and share it, if main() has
 *  asked for it first; it is removed when main() ends. */
const char *fixture_scratch(void);
/** Copies a directory tree; aborts on failure. */
void fixture_copy_tree(const char *from, const char *to);
void fixture_remove_tree(const char *path);

/** A whole file; *n its size. Aborts on failure. */
unsigned char *fixture_load(const char *path, size_t *n, struct mpl_arena *arena);
void fixture_store(const char *path, const unsigned char *data, size_t n);

/** NULL if both models say the same, else what differs. */
const char *fixture_difference(const struct mpl_model *a, const struct mpl_model *b);

#endif
