/* Similarities in one configuration as numbers and as a heat map. */
#include "config.h"

#include "report/diff_show_priv.h"

#include <string.h>

enum { PAIRS_MOST = 3 };

enum mpl_status mpl_sheet_axis(struct sheet *s, const uint32_t *group_of, uint32_t n_groups,
                               struct axis *out, struct mpl_err *err)
{
    const uint32_t n_all = s->f->n_locations;
    const bool is_grouped = n_all > MPL_SHEET_MOST;
    uint32_t *firsts = MPL_NEW_ARRAY(s->page->scratch, n_all, uint32_t);
    uint32_t *of = MPL_NEW_ARRAY(s->page->scratch, n_all, uint32_t);
    uint32_t n = 0;

    if (firsts == NULL || of == NULL) {
        return mpl_nomem(err);
    }
    /* Groups are numbered by first appearance. */
    for (uint32_t l = 0; l < n_all; l++) {
        if (!is_grouped || group_of[l] == n) {
            firsts[n] = l;
            of[n++] = group_of[l];
        }
    }
    mpl_assert(!is_grouped || n == n_groups);
    *out = (struct axis){ n, firsts, of, is_grouped };
    return MPL_OK;
}

void mpl_sheet_columns(const struct sheet *s, const struct axis *axis, int width)
{
    mpl_text_print(s->page->out, "     ");
    for (uint32_t i = 0; i < axis->n; i++) {
        mpl_text_print(s->page->out, " %*s", width, mpl_sheet_label(s, axis->firsts[i]));
    }
    mpl_text_print(s->page->out, "\n");
}

void mpl_sheet_groups(struct sheet *s, const struct axis *axis, const uint32_t *group_of)
{
    const char **labels = MPL_NEW_ARRAY(s->page->scratch, s->f->n_locations, const char *);

    for (uint32_t i = 0; i < axis->n && labels != NULL && axis->is_grouped; i++) {
        size_t n = 0;

        for (uint32_t l = 0; l < s->f->n_locations; l++) {
            if (group_of[l] == axis->of[i]) {
                labels[n++] = mpl_sheet_label(s, l);
            }
        }
        if (n > 1) {
            mpl_page_say(s->page, 0, "%s stands for %zu that are equal: %s",
                         mpl_sheet_label(s, axis->firsts[i]), n,
                         mpl_page_labels(s->page, labels, n));
        }
    }
}

/* 0 is blank, 1 is black. */
static const char *shade(double x)
{
    static const char *const shades[] = { " ", "░", "▒", "▓", "█" };

    return shades[x <= 0 ? 0 : x >= 1 ? 4 : 1 + (int) (x * 3)];
}

/* \p matrix is one of groups. */
static void print_matrix(const struct sheet *s, const struct axis *axis,
                         const double *matrix, uint32_t n_groups)
{
    FILE *out = s->page->out;

    mpl_sheet_columns(s, axis, 5);
    for (uint32_t i = 0; i < axis->n; i++) {
        const double *row = &matrix[(size_t) axis->of[i] * n_groups];

        mpl_text_print(out, "%-5s", mpl_sheet_label(s, axis->firsts[i]));
        for (uint32_t j = 0; j < axis->n; j++) {
            mpl_text_print(out, " %5.3f", row[axis->of[j]]);
        }
        mpl_text_print(out, "  |");
        for (uint32_t j = 0; j < axis->n; j++) {
            mpl_text_print(out, "%s", shade(row[axis->of[j]]));
        }
        mpl_text_print(out, "|\n");
    }
}

static enum mpl_status show_similarities(struct sheet *s, const char *name,
                                         const struct mpl_context *c, struct mpl_err *err)
{
    struct axis axis;
    const enum mpl_status st = mpl_sheet_axis(s, c->class_of, c->n_classes, &axis, err);

    if (st == MPL_OK) {
        mpl_text_print(s->page->out, "%s, %s\n", name, mpl_context_name(c->kind));
        print_matrix(s, &axis, c->alike, c->n_classes);
        mpl_sheet_groups(s, &axis, c->class_of);
    }
    return st;
}

/* Threads of the same number, and processes, are compared with each other (Fig. 12). */
static const char *thread_of(const struct sheet *s, uint32_t location)
{
    const char *dot = strchr(mpl_sheet_label(s, location), '.');

    return dot == NULL ? "" : dot + 1;
}

/* By how much the similarity of two locations changed; c->of has the group of each, of c->n. */
static double change_between(const struct mpl_changes *c, uint32_t i, uint32_t j)
{
    return c->matrix[(size_t) c->of[i] * c->n + c->of[j]];
}

struct pair {
    uint32_t i;
    uint32_t j;
    double x;
};

/* Of equal ones the first stays. */
static void put_pair(struct pair *top, struct pair pair)
{
    size_t at = PAIRS_MOST;

    while (at > 0 && top[at - 1].x < pair.x - 1e-9) {
        at--;
    }
    for (size_t i = PAIRS_MOST; i-- > at + 1;) {
        top[i] = top[i - 1];
    }
    if (at < PAIRS_MOST) {
        top[at] = pair;
    }
}

static void show_pairs_of(struct sheet *s, const struct mpl_changes *c, const char *thread)
{
    const uint32_t n = s->f->n_locations;
    struct pair top[PAIRS_MOST] = { { 0, 0, 0 } };

    for (uint32_t i = 0; i < n; i++) {
        if (strcmp(thread_of(s, i), thread) != 0) {
            continue;
        }
        for (uint32_t j = i + 1; j < n; j++) {
            if (change_between(c, i, j) > top[PAIRS_MOST - 1].x &&
                strcmp(thread_of(s, j), thread) == 0) {
                put_pair(top, (struct pair){ i, j, change_between(c, i, j) });
            }
        }
    }
    if (top[0].x <= 0) {
        return;
    }
    mpl_text_print(s->page->out, *thread == '\0' ? "processes" : "threads %s", thread);
    for (size_t i = 0; i < PAIRS_MOST && top[i].x > 0; i++) {
        mpl_text_print(s->page->out, "  (%s, %s) %.2f", mpl_sheet_label(s, top[i].i),
                       mpl_sheet_label(s, top[i].j), top[i].x);
    }
    mpl_text_print(s->page->out, "\n");
}

static bool is_first_of_its_number(const struct sheet *s, uint32_t location)
{
    for (uint32_t l = 0; l < location; l++) {
        if (strcmp(thread_of(s, l), thread_of(s, location)) == 0) {
            return false;
        }
    }
    return true;
}

static enum mpl_status show_changes(struct sheet *s, const struct mpl_changes *c,
                                    struct mpl_err *err)
{
    FILE *out = s->page->out;
    struct axis axis;
    double sum = 0;
    const enum mpl_status st = mpl_sheet_axis(s, c->of, c->n, &axis, err);

    for (uint32_t i = 0; i < c->n; i++) {
        sum += c->rows[i];
    }
    if (st == MPL_OK && sum > 0) {
        mpl_text_print(out, "JSM_D = |JSM(new) - JSM(base)|, %s\n",
                       mpl_context_name(c->base->kind));
        print_matrix(s, &axis, c->matrix, c->n);
        mpl_sheet_groups(s, &axis, c->of);
        mpl_text_print(s->page->out, "pairs whose similarity changed most\n");
        for (uint32_t l = 0; l < s->f->n_locations; l++) {
            if (is_first_of_its_number(s, l)) {
                show_pairs_of(s, c, thread_of(s, l));
            }
        }
    }
    mpl_text_print(out, "sums of the rows of |JSM(new) - JSM(base)|, %s\n",
                   mpl_context_name(c->base->kind));
    for (uint32_t i = 0; i < axis.n && st == MPL_OK; i++) {
        mpl_text_print(out, "%-5s %.4f\n", mpl_sheet_label(s, axis.firsts[i]),
                       c->rows[axis.of[i]]);
    }
    if (st == MPL_OK && sum <= 0) {
        mpl_text_print(
            out, "Nothing changes: this configuration does not tell the runs apart.\n");
    }
    return st;
}

enum mpl_status mpl_sheet_jsm(struct sheet *s, struct mpl_context_kind kind,
                              struct mpl_err *err)
{
    const struct mpl_changes *c = NULL;
    enum mpl_status st = mpl_changes_create(s->f, kind, s->page->scratch, &c, err);

    st = st == MPL_OK ? show_similarities(s, "JSM(base)", c->base, err) : st;
    st = st == MPL_OK ? show_similarities(s, "JSM(new)", c->new, err) : st;
    return st == MPL_OK ? show_changes(s, c, err) : st;
}
