/* Shared by the files that run rule tests. */
#ifndef MPL_INFER_RULETEST_PRIV_H
#define MPL_INFER_RULETEST_PRIV_H

#include "infer/infer_priv.h"

struct form {
    enum mpl_token_kind
        kind;         /**< TOKEN_OPEN for a list, else TOKEN_STRING or TOKEN_WORD. */
    const char *text; /**< Of a string or word. */
    struct mpl_place place;
    const struct form *first; /**< Of a list. */
    const struct form *next;
};

/** The forms of a text, one behind the other. What is wrong with it goes to \p lint. */
enum mpl_status mpl_forms_read(const char *file, const char *text, size_t bytes,
                               struct mpl_arena *arena, struct mpl_lint *lint,
                               const struct form **first, struct mpl_err *err);
/** The word that a list begins with; "" where it begins otherwise. */
const char *mpl_form_head(const struct form *form);
bool mpl_form_is(const struct form *form, const char *head);

/** The facts that a (given …) of the case \p at stands for, one behind the other; \p cases are all of the file. False:
 *  something is wrong with it, which goes to \p lint. Sets \p *is_nomem when out of memory. */
bool mpl_given_read(const struct form *cases, const struct form *at,
                    const struct form *given, struct mpl_arena *arena,
                    struct mpl_lint *lint, const struct form **first, bool *is_nomem);

#endif
