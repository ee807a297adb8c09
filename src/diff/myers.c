/*
 * Myers, An O(ND) Difference Algorithm and Its Variations, 1986: the greedy algorithm. For each number of edits d, how
 * far each diagonal k = x - y reaches; the rows of all d are kept, and walked back.
 */
#include "config.h"

#include "diff/diff_priv.h"

struct script {
    const struct mpl_item *a;
    const struct mpl_item *b;
    int64_t n_a;
    int64_t n_b;
};

/* From where diagonal k is reached with one edit more: down from k + 1, or right from k - 1. */
static int64_t step(const int64_t *row, int64_t k, int64_t d)
{
    return k == -d || (k != d && row[k - 1] < row[k + 1]) ? row[k + 1] : row[k - 1] + 1;
}

/* Fills row d, of which row[k] is the diagonal k; true if the end is reached. */
static bool go(const struct script *s, const int64_t *before, int64_t *row, int64_t d)
{
    for (int64_t k = -d; k <= d; k += 2) {
        int64_t x = d == 0 ? 0 : step(before, k, d);

        while (x < s->n_a && x - k < s->n_b && s->a[x].what == s->b[x - k].what) {
            x++;
        }
        row[k] = x;
        if (x >= s->n_a && x - k >= s->n_b) {
            return true;
        }
    }
    return false;
}

/* Row d has 2 d + 3 diagonals: one more at each end, so that step() may look there. */
static int64_t *new_row(struct mpl_arena *scratch, int64_t d)
{
    int64_t *row = MPL_NEW_ARRAY(scratch, (size_t) (2 * d + 3), int64_t);

    if (row == NULL) {
        return NULL;
    }
    row[0] = -1;
    row[2 * d + 2] = -1;
    return row + d + 1;
}

static void walk_back(const struct script *s, int64_t *const *rows, int64_t d,
                      uint32_t *pairs)
{
    int64_t x = s->n_a;
    int64_t y = s->n_b;

    for (; d >= 0; d--) {
        const int64_t k = x - y;
        const bool is_down =
            d > 0 && (k == -d || (k != d && rows[d - 1][k - 1] < rows[d - 1][k + 1]));
        const int64_t start = d == 0 ? 0 : step(rows[d - 1], k, d);

        while (x > start) {
            x--;
            y--;
            pairs[x] = (uint32_t) y;
        }
        x = is_down ? start : start - 1;
        y = is_down ? start - k - 1 : start - k;
    }
}

static enum mpl_status search(const struct script *s, int64_t most, uint32_t *pairs,
                              bool *is_cut, struct mpl_err *err)
{
    struct mpl_arena *scratch = mpl_arena_create();
    const int64_t limit = s->n_a + s->n_b < most ? s->n_a + s->n_b : most;
    int64_t **rows =
        scratch == NULL ? NULL : MPL_NEW_ARRAY(scratch, (size_t) limit + 1, int64_t *);
    enum mpl_status st = rows == NULL ? mpl_nomem(err) : MPL_OK;

    *is_cut = true;
    for (int64_t d = 0; d <= limit && *is_cut && st == MPL_OK; d++) {
        rows[d] = new_row(scratch, d);
        if (rows[d] == NULL) {
            st = mpl_nomem(err);
        } else if (go(s, d == 0 ? NULL : rows[d - 1], rows[d], d)) {
            walk_back(s, rows, d, pairs);
            *is_cut = false;
        }
    }
    mpl_arena_destroy(scratch);
    return st;
}

enum mpl_status mpl_myers(const struct mpl_item *a, uint32_t n_a, const struct mpl_item *b,
                          uint32_t n_b, uint32_t most, uint32_t *pairs, bool *is_cut,
                          struct mpl_err *err)
{
    const uint32_t shorter = n_a < n_b ? n_a : n_b;
    uint32_t front = 0;
    uint32_t back = 0;

    for (uint32_t i = 0; i < n_a; i++) {
        pairs[i] = MPL_NONE;
    }
    for (; front < shorter && a[front].what == b[front].what; front++) {
        pairs[front] = front;
    }
    for (; front + back < shorter && a[n_a - 1 - back].what == b[n_b - 1 - back].what;
         back++) {
        pairs[n_a - 1 - back] = n_b - 1 - back;
    }

    const struct script s = { a + front, b + front, (int64_t) n_a - front - back,
                              (int64_t) n_b - front - back };
    const enum mpl_status st = search(&s, most, pairs + front, is_cut, err);

    for (uint32_t i = front; i < n_a - back && st == MPL_OK; i++) {
        pairs[i] = pairs[i] == MPL_NONE ? MPL_NONE : pairs[i] + front;
    }
    return st;
}
