#include "config.h"

#include "base/base_priv.h"

#include <stdlib.h>
#include <string.h>

/* Formats the next clause, dropping one from the middle when all places are taken. */
static void add_cause(struct mpl_err *err, const char *fmt, va_list args)
{
    if (err->n == MPL_ERR_CAUSES) {
        const unsigned middle = MPL_ERR_CAUSES / 2;

        memmove(&err->cause[middle], &err->cause[middle + 1],
                (MPL_ERR_CAUSES - middle - 1) * sizeof err->cause[0]);
        err->n--;
    }

    char *text = err->cause[err->n].text;
    const int length = vsnprintf(text, MPL_ERR_TEXT, fmt, args);

    if (length < 0) {
        (void) snprintf(text, MPL_ERR_TEXT, "%s", fmt);
    } else if (length >= MPL_ERR_TEXT) {
        /* Three bytes for the mark, cut where a character ends. */
        size_t end = MPL_ERR_TEXT - 4;

        while (end > 0 && ((unsigned char) text[end] & 0xC0) == 0x80) {
            end--;
        }
        memcpy(text + end, "...", 4);
    }
    err->n++;
}

enum mpl_status mpl_fail(struct mpl_err *err, enum mpl_status code, const char *fmt, ...)
{
    if (err == NULL) {
        return code;
    }

    va_list args;

    err->code = code;
    err->n = 0;
    va_start(args, fmt);
    add_cause(err, fmt, args);
    va_end(args);
    return code;
}

enum mpl_status mpl_wrap(struct mpl_err *err, enum mpl_status status, const char *fmt, ...)
{
    if (err == NULL) {
        return status;
    }

    va_list args;

    /* Nobody has given a cause: then the status is all that is known. */
    if (err->n == 0) {
        err->code = status;
    }
    va_start(args, fmt);
    add_cause(err, fmt, args);
    va_end(args);
    return err->code;
}

enum mpl_status mpl_nomem(struct mpl_err *err)
{
    return mpl_fail(err, MPL_E_NOMEM, "out of memory");
}

void mpl_err_print(const struct mpl_err *err, FILE *out)
{
    if (err->n == 0) {
        fprintf(out, "marple: failed without giving a reason (status %d)\n",
                (int) err->code);
        return;
    }
    for (unsigned i = err->n; i > 0; i--) {
        mpl_text_print(out, "%s%s\n", i == err->n ? "marple: " : "  because ",
                       err->cause[i - 1].text);
    }
}

const char *mpl_err_sentence(struct mpl_arena *arena, const struct mpl_err *err)
{
    const char *text =
        mpl_arena_strdup(arena, err->n > 0 ? err->cause[0].text : "unknown reason");

    for (unsigned i = 1; i < err->n && text != NULL; i++) {
        const size_t n = strlen(text);
        const bool is_over = n > 0 && text[n - 1] == '?';

        text = mpl_arena_printf(arena, "%s%s%s%s", text, is_over ? " (" : "; ",
                                err->cause[i].text, is_over ? ")" : "");
    }
    return text;
}

void mpl_assert_failed(const char *cond, const char *file, int line)
{
    fprintf(stderr, "marple: bug: \"%s\" does not hold at %s:%d\n", cond, file, line);
    abort();
}
