/* Functions and lines of addresses in programs and libraries, through their debug information. */
#ifndef MPL_SPOOL_SYMBOLS_PRIV_H
#define MPL_SPOOL_SYMBOLS_PRIV_H

#include "base/base.h"

struct symbols;

/** A function that stands at an address, inlined ones included. */
struct symbol {
    const char *function;
    const char *linkage; /**< Its name for the linker; NULL: the same. */
    const char *file;    /**< Where it is defined; NULL: unknown. */
    uint32_t first_line;
    const char *
        source; /**< What is at the address, or the call of the one inlined there; NULL: unknown. */
    uint32_t line;
};

/** NULL: no memory. To be closed. */
struct symbols *mpl_symbols_open(struct mpl_arena *arena);
void mpl_symbols_close(struct symbols *symbols); /**< NULL is allowed. */
/**
 * Appends the functions at \p address of the file \p path to \p found (struct symbol), the innermost first: at least
 * one, which is named like "app+0x1234" where nothing is known, as when it has not the build id of \p n_id
 * bytes any more.
 *
 * \p address is as in the file, without what it was moved by when it was mapped.
 * Ownership: texts live in the arena of \p symbols.
 * Errors:    false: no memory.
 */
bool mpl_symbols_find(struct symbols *symbols, const char *path, const uint8_t *id,
                      size_t n_id, uint64_t address, struct mpl_buf *found);

#endif
