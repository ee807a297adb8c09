/*
 * What the files of base share and nobody else sees: the only doors to the heap, and
 * the reading of UTF-8.
 */
#ifndef MPL_BASE_BASE_PRIV_H
#define MPL_BASE_BASE_PRIV_H

#include "base/base.h"

/** calloc() and realloc() that obey mpl_alloc_fail_after(). Freed with free(). */
void *mpl_heap_zeroed(size_t n, size_t size);
void *mpl_heap_resize(void *block, size_t n, size_t size);
/** Has \p block, of the heap, freed with the arena; false: no memory, it is still the caller's. */
bool mpl_arena_adopt(struct mpl_arena *arena, void *block, size_t bytes);

/** Whether the allocation that is about to be made was chosen to fail. */
bool mpl_alloc_is_refused(void);

/**
 * Bytes of the character at the start of \p text, 1 to 4; 0 when the \p n bytes there
 * do not begin with well-formed UTF-8 (overlong forms and surrogates are not).
 */
size_t mpl_utf8_length(const char *text, size_t n);

/**
 * Whether the well-formed character of \p length bytes acts on a terminal, or on the order in which it
 * shows others: C0 and C1 controls, line and paragraph separators, and the marks that turn the
 * direction of writing.
 */
bool mpl_utf8_is_control(const char *text, size_t length);

/**
 * Prints \p n bytes for a terminal: a line end comes out as a blank, other control characters (but
 * tabs) and broken UTF-8 as '?', because a text we quote must not be able to move the cursor.
 */
void mpl_text_print_clean(FILE *out, const char *text, size_t n);

/** Shows \p n bytes of a text that is not ours, as mpl_text_print_clean() does for a terminal. */
typedef void mpl_text_show(FILE *out, const char *text, size_t n);
/** mpl_text_vprint() with \p show for what %s and %c bring in. */
void mpl_text_vprint_as(FILE *out, const char *fmt, va_list list, mpl_text_show *show);

/** 64 well mixed bits of \p n bytes; \p seed makes independent families. */
uint64_t mpl_hash_bytes(const char *bytes, size_t n, uint64_t seed);

/** mpl_lint_add() with the arguments in a list. */
void mpl_lint_vadd(struct mpl_lint *lint, enum mpl_severity severity,
                   struct mpl_place place, const char *fmt, va_list args);

/**
 * As mpl_lint_fail(), but about the messages from number \p from on. MPL_E_NOMEM when
 * there were errors whose text could not be kept.
 */
enum mpl_status mpl_lint_fail_from(const struct mpl_lint *lint, size_t from,
                                   struct mpl_err *err);

#endif
