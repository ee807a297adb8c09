/* Parentheses as a tree, for rule tests. */
#include "config.h"

#include "infer/ruletest_priv.h"

#include <string.h>

enum { FORM_DEPTH = 16 };

struct reader {
    struct mpl_scanner scanner;
    const char *file;
    struct mpl_arena *arena;
    struct mpl_lint *lint;
    bool is_nomem;
};

static struct form *new_form(struct reader *r, struct mpl_token token)
{
    struct form *form = MPL_NEW(r->arena, struct form);

    if (form == NULL) {
        r->is_nomem = true;
        return NULL;
    }
    form->kind = token.kind;
    form->place = (struct mpl_place){ r->file, token.line, token.column };
    if (token.kind != TOKEN_OPEN) {
        form->text = mpl_token_text(&r->scanner, token, r->arena);
        r->is_nomem = r->is_nomem || form->text == NULL;
    }
    return form;
}

static bool refuse(struct reader *r, struct mpl_token token, const char *why)
{
    mpl_lint_add(r->lint, MPL_LINT_ERROR,
                 (struct mpl_place){ r->file, token.line, token.column }, "%s", why);
    return false;
}

/** Reads up to the parenthesis that closes \p list, or to the end for the outermost list. */
static bool read_list(struct reader *r, struct form *list, struct mpl_token open,
                      unsigned depth)
{
    const struct form **place = &list->first;

    for (;;) {
        const struct mpl_token token = mpl_scanner_next(&r->scanner);

        if (token.kind == TOKEN_END) {
            return depth == 0 ||
                   refuse(r, open, "the form that begins here is never closed");
        }
        if (token.kind == TOKEN_CLOSE) {
            return depth > 0 || refuse(r, token, "this parenthesis closes nothing");
        }
        if (token.kind == TOKEN_OTHER || (token.kind == TOKEN_STRING && !token.is_closed)) {
            return refuse(r, token,
                          "only lists, words and closed strings are expected here");
        }

        struct form *form = new_form(r, token);

        if (form == NULL) {
            return false;
        }
        *place = form;
        place = &form->next;
        if (token.kind == TOKEN_OPEN && depth == FORM_DEPTH) {
            return refuse(r, token, "forms are nested too deep");
        }
        if (token.kind == TOKEN_OPEN && !read_list(r, form, token, depth + 1)) {
            return false;
        }
    }
}

const char *mpl_form_head(const struct form *form)
{
    return form->kind == TOKEN_OPEN && form->first != NULL &&
                   form->first->kind == TOKEN_WORD
               ? form->first->text
               : "";
}

bool mpl_form_is(const struct form *form, const char *head)
{
    return strcmp(mpl_form_head(form), head) == 0;
}

enum mpl_status mpl_forms_read(const char *file, const char *text, size_t bytes,
                               struct mpl_arena *arena, struct mpl_lint *lint,
                               const struct form **first, struct mpl_err *err)
{
    struct reader reader = {
        .scanner = mpl_scanner_make(text, bytes), .file = file, .arena = arena, .lint = lint
    };
    struct form all = { 0 };
    const bool is_read = mpl_scan_bytes(file, text, bytes, lint) &&
                         read_list(&reader, &all, (struct mpl_token){ 0 }, 0);

    if (reader.is_nomem) {
        return mpl_nomem(err);
    }
    *first = all.first;
    return is_read ? MPL_OK : mpl_lint_fail(lint, err);
}
