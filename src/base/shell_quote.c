#include "config.h"

#include "base/base_priv.h"

#include <string.h>

/* The length of a placeholder, "{processes}"; 0: there is none. Shells take it as it is, while they make
 * several words of other braces. */
static size_t placeholder(const char *text)
{
    const size_t n = *text == '{' ? strspn(text + 1, "abcdefghijklmnopqrstuvwxyz") : 0;

    return n > 0 && text[1 + n] == '}' ? n + 2 : 0;
}

/* Whether a shell (POSIX ones, bash, zsh) takes the word as it is. */
static bool is_plain(const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789_-+=./:,@%";
    const char *at = text;

    for (size_t n = 1; n > 0; at += n) {
        n = strspn(at, plain);
        n = n > 0 ? n : placeholder(at);
    }
    /* In zsh, = in front asks for the path of a program. */
    return *at == '\0' && *text != '\0' && *text != '=';
}

const char *mpl_shell_quote(struct mpl_arena *arena, const char *text)
{
    static const char quote[] = "'\\''";
    const size_t n = strlen(text);
    size_t at = 0;

    if (is_plain(text)) {
        return mpl_arena_strdup(arena, text);
    }
    char *out = mpl_arena_array(arena, n + 1, sizeof quote - 1);
    if (out == NULL) {
        return NULL;
    }
    out[at++] = '\'';
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '\'') {
            memcpy(out + at, quote, sizeof quote - 1);
            at += sizeof quote - 1;
        } else {
            out[at++] = text[i];
        }
    }
    out[at++] = '\'';
    out[at] = '\0';
    return out;
}
