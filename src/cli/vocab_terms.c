#include "config.h"

#include "cli/vocab_priv.h"

enum mpl_status mpl_vocab_terms(const char *file, const char *text, size_t bytes,
                                struct mpl_arena *arena, struct mpl_buf *words,
                                struct mpl_err *err)
{
    const struct mpl_yaml *root = NULL;
    struct mpl_lint *lint = mpl_lint_create(arena);

    if (lint == NULL) {
        return mpl_nomem(err);
    }
    const enum mpl_status st = mpl_yaml_parse(file, text, bytes, arena, lint, &root, NULL);

    if (st != MPL_OK) {
        return st == MPL_E_SYNTAX ? mpl_lint_fail(lint, err) : mpl_nomem(err);
    }
    if (root != NULL && root->kind != MPL_YAML_MAP) {
        return mpl_fail(err, MPL_E_SYNTAX,
                        "%s:%u:%u: terms are written as \"term: meaning\"", file,
                        root->place.line, root->place.column);
    }
    for (const struct mpl_yaml *m = root == NULL ? NULL : root->first; m != NULL;
         m = m->next) {
        if (m->kind != MPL_YAML_SCALAR) {
            return mpl_fail(err, MPL_E_SYNTAX, "%s:%u:%u: the meaning of \"%s\" is no text",
                            file, m->key_place.line, m->key_place.column, m->key);
        }
        const struct mpl_vocab_word word = { .name = m->key, .unit = "", .says = m->text };

        if (!mpl_buf_put(words, &word)) {
            return mpl_nomem(err);
        }
    }
    return MPL_OK;
}
