#include "config.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_MUPARSER
#include <muParserDLL.h>
#endif

#include "../lib/arena.h"
#include "../lib/suite.h"
#include "formula/formula.h"
#include "formula_names.h"
#include "formula_tree.h"

enum { MOST_ELEMENTS = 300 };

/* s0 … and l0 …, all in one group and without units. */
static enum mpl_status look_up(void *context, const char *name,
                               struct mpl_formula_name *out, const char **suggestion,
                               const char **reason)
{
    (void) context;
    (void) suggestion;
    (void) reason;
    *out = (struct mpl_formula_name){ .is_list = name[0] == 'l',
                                      .slot = (uint32_t) (name[1] - '0') };
    return name[0] == 'l' || name[0] == 's' ? MPL_OK : MPL_E_MEANING;
}

/* Numbers that collide, cancel and vanish. */
static double random_number(uint64_t *state)
{
    static const double usual[] = { 0, 1, -1, 2, 0.5, NAN, 3, 1e-9, -4.25, 1e6, 0 };

    return tree_random(state, 2) == 0
               ? usual[tree_random(state, sizeof usual / sizeof *usual)]
               : tree_random(state, 20000) / 100.0 - 100.0;
}

struct data {
    double scalars[TREE_SCALARS];
    double cells[TREE_LISTS][MOST_ELEMENTS];
    const double *columns[TREE_LISTS];
    struct mpl_list lists[TREE_LISTS];
    size_t n;
};

static void fill(struct data *data, uint64_t *state)
{
    data->n = tree_random(state, 4) == 0 ? tree_random(state, MOST_ELEMENTS)
                                         : tree_random(state, 6);
    for (size_t i = 0; i < TREE_SCALARS; i++) {
        data->scalars[i] = random_number(state);
    }
    for (size_t i = 0; i < TREE_LISTS; i++) {
        for (size_t k = 0; k < data->n; k++) {
            data->cells[i][k] = random_number(state);
        }
        data->columns[i] = data->cells[i];
        data->lists[i] = (struct mpl_list){ data->cells[i], data->n };
    }
}

static bool is_equal(double a, double b)
{
    return (isnan(a) && isnan(b)) || a == b ||
           fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b)) || fmax(fabs(a), fabs(b)) < 1e-12;
}

static const struct mpl_formula *compiled(const char *text, int seed)
{
    const struct mpl_place place = { "random", 1, 1 };
    struct mpl_lint *lint = mpl_lint_create(arena);
    const struct mpl_formula *formula = NULL;
    const enum mpl_status st =
        mpl_formula_compile(text, place, true, look_up, NULL, arena, lint, &formula, NULL);

    ck_assert_msg(st == MPL_OK, "seed %d: %s: %s", seed, text,
                  mpl_lint_count(lint) > 0 ? mpl_lint_get(lint, 0)->text : "no message");
    return formula;
}

/* To whom asks whether it holds. */
static bool is_alike(double condition, double value)
{
    return is_equal(condition, value) || (isnan(value) && condition == 0);
}

/* _i is the seed of twenty expressions. */
START_TEST(compiled_formulas_agree_with_a_tree_walker)
{
    uint64_t state = (uint64_t) _i * 1000003;
    struct data data;

    for (int k = 0; k < 20; k++) {
        const struct tree *tree =
            tree_create(&state, 1 + tree_random(&state, 7), false, arena);
        const char *text = tree_text(tree, &state, false, arena);
        const struct mpl_formula *formula = compiled(text, _i);

        for (int round = 0; round < 3; round++) {
            fill(&data, &state);

            const double found = mpl_formula_eval(formula, data.scalars, data.lists);
            const double expected = tree_value(tree, data.scalars, data.columns, data.n);

            ck_assert_msg(is_equal(found, expected), "seed %d: %.17g and not %.17g: %s", _i,
                          found, expected, text);
            ck_assert_msg(is_alike(mpl_formula_eval(mpl_formula_condition(formula, arena),
                                                    data.scalars, data.lists),
                                   found),
                          "seed %d: %s", _i, text);
        }
    }
}
END_TEST

/* ---- many rows ------------------------------------------------------------------------------- */

enum { ROWS = 200 };

struct table {
    struct data *data; /* per row */
    double scalars[TREE_SCALARS][ROWS];
    struct mpl_list lists[TREE_LISTS][ROWS];
};

static void give_rows(void *context, uint32_t slot, bool is_list, const uint64_t *rows)
{
    struct table *table = context;

    (void) is_list; /* Here, lists have numbers that scalars have, too. */
    for (size_t i = 0; i < ROWS; i++) {
        if ((rows[i / 64] >> i % 64 & 1) == 0) {
            continue;
        }
        if (slot < TREE_SCALARS) {
            table->scalars[slot][i] = table->data[i].scalars[slot];
        }
        if (slot < TREE_LISTS) {
            table->lists[slot][i] = table->data[i].lists[slot];
        }
    }
}

/* What was not read makes a difference wherever it is used: one value, or a list that is not there. */
static void eval_rows(const struct mpl_formula *formula, struct table *table,
                      const uint64_t *wanted, double *values)
{
    const double wrong = 12345.678;
    uint64_t known[TREE_SCALARS][MPL_FORMULA_ROW_WORDS] = { 0 };
    double *scalars[TREE_SCALARS];
    struct mpl_list *lists[TREE_SCALARS] = { NULL };
    const struct mpl_formula_rows rows = {
        .n = ROWS,
        .scalars = scalars,
        .lists = lists,
        .temps = MPL_NEW_ARRAY(arena, mpl_formula_temps(formula) * ROWS, double),
        .known = known,
        .read = give_rows,
        .context = table,
    };

    ck_assert_ptr_nonnull(rows.temps);
    for (int s = 0; s < TREE_SCALARS; s++) {
        scalars[s] = table->scalars[s];
        if (s < TREE_LISTS) {
            lists[s] = table->lists[s];
        }
        for (int i = 0; i < ROWS; i++) {
            table->scalars[s][i] = wrong;
            if (s < TREE_LISTS) {
                table->lists[s][i] = (struct mpl_list){ NULL, 2 };
            }
        }
    }
    mpl_formula_eval_rows(formula, &rows, wanted, values);
}

START_TEST(rows_have_the_values_that_each_has_alone)
{
    uint64_t state = (uint64_t) _i * 7919 + 1;
    struct table table = { .data = MPL_NEW_ARRAY(arena, ROWS, struct data) };

    ck_assert_ptr_nonnull(table.data);
    for (int k = 0; k < 10; k++) {
        const struct tree *tree =
            tree_create(&state, 1 + tree_random(&state, 7), false, arena);
        const char *text = tree_text(tree, &state, false, arena);
        const struct mpl_formula *formula = compiled(text, _i);
        uint64_t wanted[MPL_FORMULA_ROW_WORDS] = { 0 };
        double values[ROWS];
        double conditions[ROWS];

        for (size_t i = 0; i < ROWS; i++) {
            fill(&table.data[i], &state);
            wanted[i / 64] |= (uint64_t) (tree_random(&state, 4) > 0) << i % 64;
        }
        eval_rows(formula, &table, wanted, values);
        eval_rows(mpl_formula_condition(formula, arena), &table, wanted, conditions);
        for (size_t i = 0; i < ROWS; i++) {
            const double alone =
                mpl_formula_eval(formula, table.data[i].scalars, table.data[i].lists);

            if ((wanted[i / 64] >> i % 64 & 1) != 0) {
                ck_assert_msg(values[i] == alone || (isnan(values[i]) && isnan(alone)),
                              "seed %d, row %zu: %.17g and not %.17g: %s", _i, i, values[i],
                              alone, text);
                ck_assert_msg(is_alike(conditions[i], alone) ||
                                  (alone == 0 && isnan(conditions[i])),
                              "seed %d, row %zu: %s", _i, i, text);
            }
        }
    }
}
END_TEST

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *) a;
    const double y = *(const double *) b;

    return (x > y) - (x < y);
}

/* Long lists, where only samples fit; with many equal elements, ascending, descending. */
START_TEST(percentiles_of_long_lists_are_those_of_the_sorted_list)
{
    uint64_t state = (uint64_t) _i + 77;
    const size_t n = 4000 + tree_random(&state, 60000);
    const uint32_t different = 1 + tree_random(&state, _i % 2 == 0 ? 10 : 1000000);
    double *values = malloc(n * sizeof *values);
    double *sorted = malloc(n * sizeof *sorted);
    const struct mpl_list list = { values, n };
    size_t n_sorted = 0;

    for (size_t i = 0; i < n; i++) {
        const double x = tree_random(&state, different);

        values[i] = _i % 3 == 0 ? (double) i : _i % 3 == 1 ? -(double) i * x : x;
        values[i] = tree_random(&state, 50) == 0 ? NAN : values[i];
        sorted[n_sorted] = values[i];
        n_sorted += !isnan(values[i]);
    }
    qsort(sorted, n_sorted, sizeof *sorted, compare_numbers);
    for (double p = 0; p <= 100; p += tree_random(&state, 2) == 0 ? 12.5 : 0.3 + p / 3) {
        const char *text = mpl_arena_printf(arena, "percentile(l0 * 1, %.15g)", p);
        const double found = mpl_formula_eval(compiled(text, _i), NULL, &list);
        const double expected = tree_percentile(sorted, n_sorted, p);

        ck_assert_msg(is_equal(found, expected), "seed %d: %s is %.17g and not %.17g", _i,
                      text, found, expected);
    }
    free(values);
    free(sorted);
}
END_TEST

/* ---- texts that nobody would write -------------------------------------------------------- */

static const char *const seeds[] = {
    "max(run.duration, 2 s) / (n > 1 ? sum(Task.wait - 1 ms) : percentile(Task.leave, 90))",
    "sum(default(Task.wait, 0) * Task.late) + median(Call.wait) % 1e3 us",
    "not defined(run.ideal) and count(Task.bytes >= 64 KiB) != 0 or undefined",
    "-n * -(ten + 3.5) - abs(m) / sqrt(n * n)",
};

static const char *const pieces[] = {
    "(",  ")",         ",",         "?",          ":",    "+",        "-",         "*",
    "/",  "%",         "and",       "or",         "not ", "==",       "<",         ">=",
    "n",  "Task.wait", "sum",       "max(",       "1",    "0",        "1e",        "5 ms",
    "..", "1e99",      "999999999", "percentile", " ",    "\t",       "\n",        "=",
    "&&", "\xC3",      "\x01",      "\xFF",       "min",  "default(", "undefined",
};

/* One change: a piece put in, a stretch cut out, a byte replaced, a stretch doubled. */
static void mutate(char *text, size_t room, uint64_t *state)
{
    const size_t n = strlen(text);
    const size_t at = tree_random(state, (uint32_t) n + 1);
    const size_t length = n == at ? 0 : tree_random(state, (uint32_t) (n - at) + 1) % 12;
    const char *piece = pieces[tree_random(state, sizeof pieces / sizeof *pieces)];
    const size_t n_piece = strlen(piece);

    switch (tree_random(state, 4)) {
    case 0:
        if (n + n_piece < room) {
            memmove(text + at + n_piece, text + at, n - at + 1);
            memcpy(text + at, piece, n_piece);
        }
        break;
    case 1:
        memmove(text + at, text + at + length, n - at - length + 1);
        break;
    case 2:
        if (at < n) {
            text[at] = (char) (1 + tree_random(state, 255));
        }
        break;
    default:
        if (n + length < room) {
            memmove(text + at + length, text + at, n - at + 1);
        }
        break;
    }
}

static void check_answer(const char *text, int seed)
{
    const struct mpl_place place = { "fuzz", 3, 5 };
    struct mpl_lint *lint = mpl_lint_create(arena);
    const struct mpl_formula *formula = NULL;
    const enum mpl_status st = mpl_formula_compile(text, place, true, look_up_test_name,
                                                   NULL, arena, lint, &formula, NULL);

    if (st == MPL_OK) {
        const double value = mpl_formula_eval(formula, test_scalars, test_lists);

        ck_assert_msg(!isinf(value), "seed %d: %s", seed, text);
        ck_assert_uint_eq(mpl_lint_errors(lint), 0);
        return;
    }
    ck_assert_msg(st == MPL_E_SYNTAX, "seed %d: status %d: %s", seed, st, text);
    ck_assert_msg(mpl_lint_errors(lint) > 0, "seed %d: no message: %s", seed, text);
    for (size_t i = 0; i < mpl_lint_count(lint); i++) {
        const struct mpl_lint_message *m = mpl_lint_get(lint, i);

        ck_assert_uint_eq(m->place.line, 3);
        ck_assert_msg(m->place.column >= 5 && m->place.column <= 5 + strlen(text),
                      "seed %d: column %u: %s", seed, m->place.column, text);
    }
}

START_TEST(damaged_formulas_give_messages_inside_the_text)
{
    uint64_t state = (uint64_t) _i + 12345;
    char text[400];

    for (int k = 0; k < 100; k++) {
        (void) snprintf(text, sizeof text, "%s",
                        seeds[tree_random(&state, sizeof seeds / sizeof *seeds)]);
        for (int change = 0; change < 12; change++) {
            mutate(text, sizeof text, &state);
            check_answer(text, _i);
        }
    }
}
END_TEST

/* ---- another calculator ---------------------------------------------------------------------- */

#ifdef HAVE_MUPARSER
/* muParser divides by zero and says infinity: only what is defined here is compared. */
START_TEST(defined_values_agree_with_muparser)
{
    uint64_t state = (uint64_t) _i * 7919 + 1;
    struct data data;
    muParserHandle_t parser = mupCreate(muBASETYPE_FLOAT);
    int n_compared = 0;

    for (int k = 0; k < 20; k++) {
        const struct tree *tree =
            tree_create(&state, 1 + tree_random(&state, 6), true, arena);
        uint64_t same = state;
        const char *ours = tree_text(tree, &same, false, arena);
        const char *theirs = tree_text(tree, &state, true, arena);

        fill(&data, &state);
        for (int i = 0; i < TREE_SCALARS; i++) {
            data.scalars[i] = isnan(data.scalars[i]) ? 7 : data.scalars[i];
            mupDefineVar(parser, mpl_arena_printf(arena, "s%d", i), &data.scalars[i]);
        }
        mupSetExpr(parser, theirs);

        const double expected = mupEval(parser);
        const double found = mpl_formula_eval(compiled(ours, _i), data.scalars, data.lists);

        ck_assert_msg(!mupError(parser), "seed %d: %s", _i, theirs);
        if (!isnan(found)) {
            ck_assert_msg(is_equal(found, expected), "seed %d: %.17g and not %.17g: %s", _i,
                          found, expected, ours);
            n_compared++;
        }
    }
    ck_assert_int_gt(n_compared, 0);
    mupRelease(parser);
}
END_TEST
#endif

int main(void)
{
    Suite *suite = suite_create("formula random");
    TCase *random = add_case(suite, "random", create_arena, destroy_arena);

    tcase_set_timeout(random, 60);
    tcase_add_loop_test(random, compiled_formulas_agree_with_a_tree_walker, 0, 200);
    tcase_add_loop_test(random, rows_have_the_values_that_each_has_alone, 0, 30);
    tcase_add_loop_test(random, percentiles_of_long_lists_are_those_of_the_sorted_list, 0,
                        12);
    tcase_add_loop_test(random, damaged_formulas_give_messages_inside_the_text, 0, 50);
#ifdef HAVE_MUPARSER
    tcase_add_loop_test(random, defined_values_agree_with_muparser, 0, 100);
#endif
    return run_suite(suite);
}
