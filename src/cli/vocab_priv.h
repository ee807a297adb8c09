/* What `marple vocab` prints: topics, each a list of words with a unit and a sentence. */
#ifndef MPL_CLI_VOCAB_PRIV_H
#define MPL_CLI_VOCAB_PRIV_H

#include "base/base.h"

struct mpl_vocab_word {
    const char *of; /**< The fact template or the view that this is a part of; or NULL. */
    const char *name;
    const char *unit; /**< Or type, of slots; "" for none. */
    bool has_type;    /**< Its unit is the type of a slot. */
    const char *says; /**< One clause; "" for none. */
};

/**
 * Appends the templates and slots of the rules' vocabulary, which is CLIPS text. Only what a
 * vocabulary holds is understood: deftemplates with a comment, and slots with a type, each
 * followed by a remark on its line.
 */
enum mpl_status mpl_vocab_facts(const char *text, struct mpl_arena *arena,
                                struct mpl_buf *words, struct mpl_err *err);

/**
 * Appends terms with their meanings, members of a map in the YAML \p text, which must live as long as
 * \p arena. Errors: MPL_E_SYNTAX where a member is no line of text, with its place in \p file.
 */
enum mpl_status mpl_vocab_terms(const char *file, const char *text, size_t bytes,
                                struct mpl_arena *arena, struct mpl_buf *words,
                                struct mpl_err *err);

#endif
