/* The shortest edit script against one that does not come from us: diff --minimal, a symbol a line. */
#include "config.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "diff/diff_priv.h"

#include "../lib/suite.h"

enum { N_PAIRS = 1000, MOST = 80, N_EDITS = 2 * MOST };

static uint64_t random_state;

static uint32_t draw(uint32_t n)
{
    return (uint32_t) (mpl_hash_mix(random_state++) % n);
}

struct letters {
    uint32_t n;
    struct mpl_item items[MOST];
};

/* Half of the pairs have nothing to do with each other; of the others the second is the first one, edited. */
static void make(struct letters *a, struct letters *b)
{
    const uint32_t n_symbols = 2 + draw(6);
    const bool is_edited = draw(2) == 0;

    *a = (struct letters){ .n = draw(MOST) };
    for (uint32_t i = 0; i < a->n; i++) {
        a->items[i] = (struct mpl_item){ draw(n_symbols), 1 };
    }
    *b = (struct letters){ .n = 0 };
    for (uint32_t i = 0; is_edited && i < a->n && b->n < MOST; i++) {
        const uint32_t fate = draw(10);

        if (fate > 1) {
            b->items[b->n++] = a->items[i];
        } else if (fate == 1) {
            b->items[b->n++] = (struct mpl_item){ draw(n_symbols), 1 };
        }
    }
    for (uint32_t n = is_edited ? 0 : draw(MOST); n > 0; n--) {
        b->items[b->n++] = (struct mpl_item){ draw(n_symbols), 1 };
    }
}

static uint32_t count_edits(const struct letters *a, const struct letters *b)
{
    uint32_t pairs[MOST];
    uint32_t n_paired = 0;
    uint32_t next = 0;
    bool is_cut = false;

    ck_assert_int_eq(
        mpl_myers(a->items, a->n, b->items, b->n, N_EDITS, pairs, &is_cut, NULL), MPL_OK);
    ck_assert(!is_cut);
    for (uint32_t i = 0; i < a->n; i++) {
        if (pairs[i] != MPL_NONE) {
            ck_assert_uint_ge(pairs[i], next);
            ck_assert_uint_lt(pairs[i], b->n);
            ck_assert_uint_eq(a->items[i].what, b->items[pairs[i]].what);
            next = pairs[i] + 1;
            n_paired++;
        }
    }
    return a->n + b->n - 2 * n_paired;
}

/* ---- the other one -------------------------------------------------------------------------------------- */

static char folder[] = P_tmpdir "/marple-myers-XXXXXX";

static void write_lines(const char *name, const struct letters *x)
{
    char path[100];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    for (uint32_t i = 0; i < x->n; i++) {
        fprintf(file, "%u\n", x->items[i].what);
    }
    ck_assert_int_eq(fclose(file), 0);
}

/* Lines that only one of the files has. */
static uint32_t count_lines(void)
{
    char command[200];
    char line[200];
    uint32_t n = 0;
    FILE *pipe;

    snprintf(command, sizeof command, "diff --minimal %s/a %s/b", folder, folder);
    pipe = popen(command, "r");
    ck_assert_ptr_nonnull(pipe);
    while (fgets(line, sizeof line, pipe) != NULL) {
        n += line[0] == '<' || line[0] == '>';
    }
    pclose(pipe);
    return n;
}

static bool has_gnu_diff(void)
{
    char line[200] = "";
    FILE *pipe = popen("diff --version 2>/dev/null", "r");

    if (pipe != NULL) {
        if (fgets(line, sizeof line, pipe) == NULL) {
            line[0] = '\0';
        }
        pclose(pipe);
    }
    return strstr(line, "GNU diffutils") != NULL;
}

START_TEST(as_many_edits_as_diff_minimal_needs)
{
    uint64_t sum = 0;

    ck_assert_ptr_nonnull(mkdtemp(folder));
    for (uint32_t i = 0; i < N_PAIRS; i++) {
        struct letters a;
        struct letters b;
        uint32_t n;

        random_state = (uint64_t) i << 20;
        make(&a, &b);
        write_lines("a", &a);
        write_lines("b", &b);
        n = count_edits(&a, &b);
        ck_assert_msg(n == count_lines(), "seed %u: %u edits, %u lines", i, n,
                      count_lines());
        sum += n;
    }
    ck_assert_uint_gt(sum, N_PAIRS);
}
END_TEST

static void remove_folder(void)
{
    char path[100];

    snprintf(path, sizeof path, "%s/a", folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/b", folder);
    unlink(path);
    rmdir(folder);
}

int main(void)
{
    if (!has_gnu_diff()) {
        printf("# SKIP there is no GNU diff to compare edits with\n");
        return 77;
    }

    Suite *s = suite_create("myers");
    TCase *c = add_case(s, "myers", NULL, NULL);

    tcase_add_test(c, as_many_edits_as_diff_minimal_needs);
    tcase_add_unchecked_fixture(c, NULL, remove_folder);
    tcase_set_timeout(c, 0);
    return run_suite_without_fork(s);
}
