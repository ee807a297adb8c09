/* Conditions under which a comparison fails, as a continuous integration asks for them. */
#include "config.h"

#include "diff/diff.h"

#include <stdlib.h>
#include <string.h>

static const char slower_than[] = "slower:";

static enum mpl_status no_gate(const char *word, struct mpl_err *err)
{
    static const char *const words[] = { "structure", "slower" };
    const char *near = mpl_suggest(word, words, 2);

    return near != NULL
               ? mpl_fail(err, MPL_E_USAGE,
                          "no gate is called \"%s\"; did you mean \"%s\"?", word, near)
               : mpl_fail(err, MPL_E_USAGE,
                          "gates are structure, slower, slower:5%% and "
                          "slower:200ms, not \"%s\"",
                          word);
}

/* "5%" of the base's run time, or a time. A bare number could be either. */
static enum mpl_status take_limit(const char *text, struct mpl_gate *gate,
                                  struct mpl_err *err)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = { { "s", 1 }, { "ms", 1e-3 }, { "us", 1e-6 }, { "ns", 1e-9 } };
    char *end = NULL;
    const double number = strtod(text, &end);
    const bool is_number = end != text && number >= 0 && number <= 1e9;

    if (is_number && strcmp(end, "%") == 0) {
        gate->share = number / 100;
        return MPL_OK;
    }
    for (size_t i = 0; i < sizeof units / sizeof *units && is_number; i++) {
        if (strcmp(end, units[i].name) == 0) {
            gate->seconds = number * units[i].seconds;
            return MPL_OK;
        }
    }
    return mpl_fail(err, MPL_E_USAGE,
                    "slower: takes a percentage of the base's run time, as 5%%, or a time, "
                    "as 200ms (s, ms, us, ns), not \"%s\"",
                    text);
}

static enum mpl_status take_gate(const char *word, struct mpl_gate *gate,
                                 struct mpl_err *err)
{
    *gate = (struct mpl_gate){ .text = word, .kind = MPL_GATE_SLOWER_THAN };
    if (strcmp(word, "structure") == 0) {
        gate->kind = MPL_GATE_STRUCTURE;
    } else if (strcmp(word, "slower") == 0) {
        gate->kind = MPL_GATE_SLOWER;
    } else if (strncmp(word, slower_than, strlen(slower_than)) == 0) {
        return take_limit(word + strlen(slower_than), gate, err);
    } else {
        return no_gate(word, err);
    }
    return MPL_OK;
}

enum mpl_status mpl_gates_add(struct mpl_gates *gates, const char *list,
                              struct mpl_arena *arena, struct mpl_err *err)
{
    for (const char *at = list;; at++) {
        const size_t n = strcspn(at, ",");
        const char *word = mpl_arena_strndup(arena, at, n);
        enum mpl_status st = word == NULL ? mpl_nomem(err) : MPL_OK;

        if (gates->n == MPL_GATES_MOST) {
            return mpl_fail(err, MPL_E_USAGE, "there are more than %d gates",
                            MPL_GATES_MOST);
        }
        st = st == MPL_OK ? take_gate(word, &gates->items[gates->n++], err) : st;
        at += n;
        if (st != MPL_OK || *at == '\0') {
            return st;
        }
    }
}

bool mpl_gate_fails(const struct mpl_gate *gate, const struct mpl_diff *diff)
{
    double base_s;
    double more_s;

    if (diff->verdict == MPL_DIFF_NOT_COMPARABLE) {
        return false;
    }
    switch (gate->kind) {
    case MPL_GATE_STRUCTURE:
        return diff->verdict == MPL_DIFF_DIFFERENT;
    case MPL_GATE_SLOWER:
        return diff->is_slower;
    default:
        base_s = diff->sides[0].median_s;
        more_s = diff->sides[1].median_s - base_s;
        return !mpl_diff_may_be_chance(diff) && more_s > gate->seconds &&
               more_s > gate->share * base_s;
    }
}

size_t mpl_gates_failed(const struct mpl_gates *gates, const struct mpl_diff *diff)
{
    size_t n = 0;

    for (size_t i = 0; i < gates->n; i++) {
        n += mpl_gate_fails(&gates->items[i], diff);
    }
    return n;
}
