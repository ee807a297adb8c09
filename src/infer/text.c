/* What the text functions of rules do without CLIPS: formats, and lists of locations. */
#include "config.h"

#include "infer/infer_priv.h"

#include <stdlib.h>
#include <string.h>

static bool is_known_spec(const char *spec, size_t n)
{
    return n == 0 || (n == 1 && strchr("s%n", spec[0]) != NULL) ||
           (n == 2 && spec[0] == '.' && spec[1] >= '0' && spec[1] <= '9');
}

struct text_piece mpl_text_piece(const char *format)
{
    struct text_piece piece = { .literal_bytes = strcspn(format, "{") };
    const char *open = format + piece.literal_bytes;

    piece.rest = open;
    if (*open == '\0') {
        return piece;
    }
    if (open[1] == '{') {
        piece.literal_bytes++;
        piece.rest = open + 2;
        return piece;
    }
    piece.spec = open + 1;
    piece.spec_bytes = strcspn(piece.spec, "}");
    piece.rest = piece.spec + piece.spec_bytes;
    if (*piece.rest == '}') {
        piece.rest++;
        piece.is_known = is_known_spec(piece.spec, piece.spec_bytes);
    }
    return piece;
}

/* ---- labels ---------------------------------------------------------------------------- */

struct label {
    const char *text;
    bool is_number; /**< "3" or "3.2" */
    bool has_thread;
    unsigned long rank, thread;
};

/** At most nine digits, so that every neighbour fits, too. */
static const char *read_number(const char *text, unsigned long *number)
{
    const size_t n = strspn(text, "0123456789");

    if (n == 0 || n > 9) {
        return NULL;
    }
    *number = strtoul(text, NULL, 10);
    return text + n;
}

static struct label read_label(const char *text)
{
    struct label label = { .text = text };
    const char *rest = read_number(text, &label.rank);

    label.has_thread = rest != NULL && *rest == '.';
    if (label.has_thread) {
        rest = read_number(rest + 1, &label.thread);
    }
    label.is_number = rest != NULL && *rest == '\0';
    return label;
}

static int compare_numbers(unsigned long a, unsigned long b)
{
    return a < b ? -1 : a > b;
}

static int compare_labels(const void *a, const void *b)
{
    const struct label *x = a;
    const struct label *y = b;

    if (!x->is_number || !y->is_number) {
        return x->is_number != y->is_number ? (x->is_number ? -1 : 1)
                                            : strcmp(x->text, y->text);
    }
    if (x->rank != y->rank) {
        return compare_numbers(x->rank, y->rank);
    }
    if (x->has_thread != y->has_thread) {
        return x->has_thread ? 1 : -1;
    }
    return x->thread != y->thread ? compare_numbers(x->thread, y->thread)
                                  : strcmp(x->text, y->text);
}

static bool follows(const struct label *a, const struct label *b)
{
    if (!a->is_number || !b->is_number || a->has_thread != b->has_thread) {
        return false;
    }
    return a->has_thread ? a->rank == b->rank && a->thread + 1 == b->thread
                         : a->rank + 1 == b->rank;
}

static size_t drop_equal(struct label *labels, size_t n)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++) {
        if (kept == 0 || strcmp(labels[kept - 1].text, labels[i].text) != 0) {
            labels[kept++] = labels[i];
        }
    }
    return kept;
}

/* A text names so many labels or runs of them; of more only the first few. */
enum { MOST_PARTS = 8, FEW_PARTS = 3 };

/** \p n_more: labels that are not named by the first few parts. */
static const char **keep_few(struct mpl_arena *arena, const char **parts, size_t *n,
                             size_t n_more)
{
    if (*n <= MOST_PARTS) {
        return parts;
    }
    parts[FEW_PARTS] = mpl_arena_printf(arena, "%zu others", n_more);
    *n = FEW_PARTS + 1;
    return parts[FEW_PARTS] == NULL ? NULL : parts;
}

const char **mpl_label_runs(struct mpl_arena *arena, const char *const *labels, size_t *n)
{
    struct label *list = MPL_NEW_ARRAY(arena, *n, struct label);
    const char **parts = MPL_NEW_ARRAY(arena, *n, const char *);
    size_t n_parts = 0;
    size_t n_more = 0;

    if (list == NULL || parts == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < *n; i++) {
        list[i] = read_label(labels[i]);
    }
    if (*n > 0) {
        qsort(list, *n, sizeof *list, compare_labels);
    }

    const size_t n_labels = drop_equal(list, *n);

    for (size_t i = 0, last; i < n_labels; i = last + 1) {
        for (last = i; last + 1 < n_labels && follows(&list[last], &list[last + 1]);) {
            last++;
        }
        last = last < i + 2 ? i : last;
        parts[n_parts] =
            last == i ? list[i].text
                      : mpl_arena_printf(arena, "%s to %s", list[i].text, list[last].text);
        if (parts[n_parts++] == NULL) {
            return NULL;
        }
        n_more += n_parts > FEW_PARTS ? last + 1 - i : 0;
    }
    *n = n_parts;
    return keep_few(arena, parts, n, n_more);
}
