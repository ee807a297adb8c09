#include "config.h"

#include "base/base_priv.h"

#include <string.h>

enum { LONGEST_WORD = 63 };

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/*
 * Damerau's distance in its restricted form (optimal string alignment): the letters of
 * a typing error are inserted, dropped, changed, or swapped with their neighbour.
 */
static unsigned distance(const char *a, size_t n_a, const char *b, size_t n_b)
{
    unsigned rows[3][LONGEST_WORD + 1] = { { 0 } };
    unsigned *before = rows[0];
    unsigned *above = rows[1];
    unsigned *row = rows[2];

    for (size_t j = 0; j <= n_b; j++) {
        above[j] = (unsigned) j;
    }
    for (size_t i = 1; i <= n_a; i++) {
        row[0] = (unsigned) i;
        for (size_t j = 1; j <= n_b; j++) {
            const unsigned change = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);

            row[j] = least(change, least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = least(row[j], before[j - 2] + 1);
            }
        }

        unsigned *oldest = before;

        before = above;
        above = row;
        row = oldest;
    }
    return above[n_b];
}

/*
 * What other tools and languages call a thing that has another name here. The words must fit by
 * themselves: a synonym is suggested only where the word behind it is one of those asked for.
 */
static const struct synonym {
    const char *word;
    const char *ours;
} synonyms[] = {
    { "receive", "recv" },
    { "irecv", "recv" },
    { "get", "recv" },
    { "isend", "send" },
    { "put", "send" },
    { "work", "compute" },
    { "calc", "compute" },
    { "computation", "compute" },
    { "calculate", "compute" },
    { "bcast", "broadcast" },
    { "MPI_Send", "send" },
    { "MPI_Recv", "recv" },
    { "MPI_Barrier", "barrier" },
    { "average", "mean" },
    { "avg", "mean" },
    { "med", "median" },
    { "total", "sum" },
    { "add", "sum" },
    { "number", "count" },
    { "num", "count" },
    { "length", "count" },
    { "len", "count" },
    { "size", "count" },
    { "maximum", "max" },
    { "largest", "max" },
    { "minimum", "min" },
    { "smallest", "min" },
    { "quantile", "percentile" },
    { "perc", "percentile" },
    { "std", "stddev" },
    { "sd", "stddev" },
    { "sigma", "stddev" },
    { "variance", "stddev" },
    { "time", "duration" },
    { "length", "duration" },
    { "elapsed", "duration" },
    { "start", "enter" },
    { "begin", "enter" },
    { "end", "leave" },
    { "stop", "leave" },
    { "exit", "leave" },
    { "partner", "peer" },
    { "size", "bytes" },
    { "waiting", "wait" },
    { "process", "location" },
    { "description", "says" },
    { "comment", "says" },
    { "formula", "value" },
    { "condition", "where" },
    { "when", "where" },
};

static const char *find_synonym(const char *word, const char *const *words, size_t n)
{
    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++) {
        for (size_t j = 0; j < n && strcmp(synonyms[i].word, word) == 0; j++) {
            if (strcmp(words[j], synonyms[i].ours) == 0) {
                return words[j];
            }
        }
    }
    return NULL;
}

const char *mpl_suggest(const char *word, const char *const *words, size_t n)
{
    const size_t length = strlen(word);
    const char *nearest = NULL;
    unsigned nearest_distance = (unsigned) (length / 3) + 1;
    const char *synonym = find_synonym(word, words, n);

    if (synonym != NULL || length > LONGEST_WORD) {
        return synonym;
    }
    for (size_t i = 0; i < n; i++) {
        const size_t n_other = strlen(words[i]);

        if (n_other > LONGEST_WORD) {
            continue;
        }

        const unsigned d = distance(word, length, words[i], n_other);

        if (d < nearest_distance) {
            nearest = words[i];
            nearest_distance = d;
        }
    }
    return nearest;
}

const char *mpl_suggest_hint(struct mpl_arena *arena, const char *word,
                             const char *const *words, size_t n)
{
    const char *near = mpl_suggest(word, words, n);

    return near == NULL ? "" : mpl_arena_printf(arena, "; did you mean '%s'?", near);
}
