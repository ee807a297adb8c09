/* Parentheses as a tree, of rules and of their tests. */
#include "config.h"

#include "rulebook/rulebook_priv.h"

#include <string.h>

enum { FORM_DEPTH = 16 };

struct mpl_form *mpl_form_read(struct mpl_scanner *scanner, const char *file,
                               struct mpl_arena *arena)
{
    const struct mpl_form_token token = mpl_scanner_next(scanner);
    const bool is_list = token.kind == MPL_FORM_OPEN;
    struct mpl_form *form = token.kind == MPL_FORM_END || token.kind == MPL_FORM_CLOSE
                                ? NULL
                                : MPL_NEW(arena, struct mpl_form);

    if (form == NULL) {
        return NULL;
    }
    *form = (struct mpl_form){ .kind = token.kind,
                               .text = is_list ? "" : mpl_token_text(scanner, token, arena),
                               .place = { file, token.line, token.column },
                               .source = scanner->text + token.begin };
    if (form->text == NULL) {
        return NULL;
    }

    const struct mpl_form **end = &form->first;

    for (struct mpl_form *part = NULL;
         is_list && (part = mpl_form_read(scanner, file, arena)) != NULL;
         end = &part->next) {
        *end = part;
    }
    form->bytes = scanner->at - token.begin;
    return form;
}

const char *mpl_form_head(const struct mpl_form *form)
{
    return form->kind == MPL_FORM_OPEN && form->first != NULL &&
                   form->first->kind == MPL_FORM_WORD
               ? form->first->text
               : "";
}

bool mpl_form_is(const struct mpl_form *form, const char *head)
{
    return strcmp(mpl_form_head(form), head) == 0;
}

const struct mpl_form *mpl_form_slot(const struct mpl_form *fact, const char *name)
{
    for (const struct mpl_form *part = fact->first; part != NULL; part = part->next) {
        if (mpl_form_is(part, name)) {
            return part->first->next;
        }
    }
    return NULL;
}

/* ---- texts that nobody has checked -------------------------------------------------------- */

static bool refuse(struct mpl_lint *lint, const char *file, struct mpl_form_token token,
                   const char *why)
{
    mpl_lint_add(lint, MPL_LINT_ERROR, (struct mpl_place){ file, token.line, token.column },
                 "%s", why);
    return false;
}

static bool check_outer_form(const char *file, const char *text, size_t bytes,
                             struct mpl_lint *lint)
{
    struct mpl_scanner scanner = mpl_scanner_make(text, bytes);
    struct mpl_form_token open[FORM_DEPTH];
    size_t depth = 0;

    for (;;) {
        const struct mpl_form_token token = mpl_scanner_next(&scanner);

        if (token.kind == MPL_FORM_END) {
            return depth == 0 || refuse(lint, file, open[depth - 1],
                                        "the form that begins here is never closed");
        }
        if (token.kind == MPL_FORM_CLOSE && depth == 0) {
            return refuse(lint, file, token, "this parenthesis closes nothing");
        }
        if (token.kind == MPL_FORM_OTHER ||
            (token.kind == MPL_FORM_STRING && !token.is_closed)) {
            return refuse(lint, file, token,
                          "only lists, words and closed strings are expected here");
        }
        if (token.kind == MPL_FORM_OPEN && depth == FORM_DEPTH) {
            return refuse(lint, file, token, "forms are nested too deep");
        }
        if (token.kind == MPL_FORM_OPEN) {
            open[depth++] = token;
        }
        depth -= token.kind == MPL_FORM_CLOSE;
    }
}

enum mpl_status mpl_forms_read(const char *file, const char *text, size_t bytes,
                               struct mpl_arena *arena, struct mpl_lint *lint,
                               const struct mpl_form **first, struct mpl_err *err)
{
    struct mpl_scanner scanner = mpl_scanner_make(text, bytes);
    const struct mpl_form **end = first;

    *first = NULL;
    if (!mpl_scan_bytes(file, text, bytes, lint) ||
        !check_outer_form(file, text, bytes, lint)) {
        return mpl_lint_fail(lint, err);
    }
    for (struct mpl_form *form = NULL;
         (form = mpl_form_read(&scanner, file, arena)) != NULL; end = &form->next) {
        *end = form;
    }
    return mpl_arena_is_short(arena) ? mpl_nomem(err) : MPL_OK;
}
