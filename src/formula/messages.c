/* Complaints about a formula. */
#include "config.h"

#include "formula/formula_priv.h"

static void report(struct compiler *c, enum mpl_severity severity, size_t at,
                   const char *fmt, va_list args)
{
    struct mpl_place place = c->place;
    char *text = mpl_arena_vprintf(c->arena, fmt, args);

    if (text == NULL) {
        c->status = MPL_E_NOMEM;
        return;
    }
    if (c->is_inline && place.column > 0) {
        place.column += (unsigned) at;
    }
    mpl_lint_add(c->lint, severity, place, "%s", text);
}

bool mpl_formula_error(struct compiler *c, size_t at, const char *fmt, ...)
{
    va_list args;

    if (c->n_errors < MESSAGE_LIMIT) {
        va_start(args, fmt);
        report(c, MPL_LINT_ERROR, at, fmt, args);
        va_end(args);
    }
    c->n_errors++;
    return false;
}

void mpl_formula_warn(struct compiler *c, size_t at, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    report(c, MPL_LINT_WARNING, at, fmt, args);
    va_end(args);
}
