/* What a program said in the end, as far as it says why it failed. */
#include "config.h"

#include "experiment/experiment_priv.h"

#include <string.h>

enum { TAIL_BYTES = 6000, TAIL_LINES = 20, CLAUSE_BYTES = 200 };

/* The last lines of a file, without blank ones at the end; "" when there are none. */
const char *mpl_said_tail(const char *path, struct mpl_arena *arena)
{
    char text[TAIL_BYTES + 1];
    FILE *in = NULL;

    if (mpl_file_stream(path, &in, NULL) != MPL_OK) {
        return "";
    }
    if (fseek(in, -TAIL_BYTES, SEEK_END) != 0) {
        (void) fseek(in, 0, SEEK_SET);
    }
    size_t n = fread(text, 1, TAIL_BYTES, in);
    (void) fclose(in);
    for (size_t i = 0; i < n; i++) {
        const unsigned char c = (unsigned char) text[i];
        text[i] = c == '\n' || c == '\t' || c >= 0x20 ? text[i] : '?';
    }
    while (n > 0 && strchr(" \t\n", text[n - 1]) != NULL) {
        n--;
    }
    text[n] = '\0';
    const char *start = text + n;
    for (unsigned lines = 0; start > text; start--) {
        lines += start[-1] == '\n';
        if (lines == TAIL_LINES) {
            break;
        }
    }
    const char *copy = mpl_arena_strdup(arena, start);
    return copy != NULL ? copy : "";
}

static bool is_rule(const char *line, size_t n)
{
    return n >= 8 && strspn(line, "-=*") >= n;
}

/* So much of the bytes that no letter of UTF-8 is cut at the end. */
static size_t whole_letters(const char *text, size_t n)
{
    const unsigned char *s = (const unsigned char *) text;
    size_t at = n;

    while (at > 0 && n - at < 3 && (s[at - 1] & 0xC0) == 0x80) {
        at--;
    }
    const unsigned char first = at > 0 ? s[at - 1] : 0;
    const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1;

    /* What is no UTF-8 is left as it is. */
    return at > 0 && length > n - at + 1 ? at - 1 : n;
}

/* What launchers print after every failure, which says no more than the exit status does. */
static bool is_ritual(const char *line, size_t n)
{
    static const char *const rituals[] = {
        "Primary job  terminated normally",
        "mpirun detected that one or more processes exited",
        "prterun detected that one or more processes exited",
        "MPI_ABORT was invoked",
        "ORTE_ERROR_LOG",
        "PRTE_ERROR_LOG",
        "PMIX ERROR",
    };

    for (size_t i = 0; i < sizeof rituals / sizeof *rituals; i++) {
        if (memmem(line, n, rituals[i], strlen(rituals[i])) != NULL) {
            return true;
        }
    }
    return false;
}

static bool ends_sentence(const char *next, size_t n)
{
    return n == 0 || is_rule(next, n) || is_ritual(next, n);
}

/* The first sentence of some lines, on one line, without its period. */
static const char *sentence_of(const char *text, struct mpl_arena *arena)
{
    char out[CLAUSE_BYTES + 1];
    size_t n = 0;

    for (const char *p = text; *p != '\0' && n < CLAUSE_BYTES; p++) {
        const bool is_blank = strchr(" \t\n", *p) != NULL;

        if ((*p == '.' && (p[1] == '\0' || strchr(" \n", p[1]) != NULL)) ||
            (*p == '\n' && ends_sentence(p + 1, strcspn(p + 1, "\n")))) {
            break;
        }
        if (!is_blank || (n > 0 && out[n - 1] != ' ')) {
            out[n++] = is_blank ? ' ' : *p;
        }
    }
    n = whole_letters(out, n);
    while (n > 0 && strchr(" :", out[n - 1]) != NULL) {
        n--;
    }
    out[n] = '\0';
    const char *copy = mpl_arena_strdup(arena, out);
    return copy != NULL ? copy : "";
}

/* Launchers put what they know between two lines of dashes, and the nearest reason last; without such
 * a block the program's last line says most. */
const char *mpl_said_gist(const char *tail, struct mpl_arena *arena)
{
    const char *framed = NULL; /* The last block that says something, */
    const char *ritual = NULL; /* that does not, */
    const char *last = NULL;   /* and the last line outside of blocks. */
    bool is_inside = false;
    bool is_first = false;

    for (const char *line = tail; *line != '\0';) {
        const size_t n = strcspn(line, "\n");

        if (is_rule(line, n)) {
            is_inside = !is_inside;
            is_first = is_inside;
        } else if (n > 0 && is_ritual(line, n)) {
            ritual = line;
            is_first = false;
        } else if (n > 0) {
            framed = is_first ? line : framed;
            last = is_inside ? last : line;
            is_first = false;
        }
        line += n + (line[n] == '\n');
    }
    const char *best = framed != NULL ? framed : last != NULL ? last : ritual;

    return best != NULL ? sentence_of(best, arena) : "";
}
