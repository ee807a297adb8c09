/* Sums of tables are those of the run, whatever windows it is cut into. */
#include "config.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/suite.h"
#include "all_traces.h"
#include "view/view.h"

static struct mpl_analysis *analysis;

static void set_up(void)
{
    create_arena();
    analysis = NULL;
}

static void tear_down(void)
{
    mpl_analysis_destroy(analysis);
    destroy_arena();
}

/* NULL where the trace cannot be used. */
static const struct mpl_diagnosis *check(const char *name)
{
    const struct mpl_diagnosis *d = NULL;
    char path[4096];

    snprintf(path, sizeof path, "%s/%s", traces_folder(), name);
    mpl_analysis_destroy(analysis);
    analysis = NULL;
    if (mpl_analysis_check(path, NULL, &analysis, NULL) != MPL_OK) {
        return NULL;
    }
    d = mpl_analysis_diagnosis(analysis);
    return d->runs[0].events == NULL || d->runs[0].model->n_events == 0 ? NULL : d;
}

static struct mpl_selection_asked everything(void)
{
    return (struct mpl_selection_asked){ .from_s = NAN, .to_s = NAN };
}

static const struct mpl_table *table_of(const char *view, const struct mpl_diagnosis *d,
                                        const struct mpl_selection_asked *asked)
{
    const struct mpl_view *found = NULL;
    struct mpl_selection *selection = NULL;
    const struct mpl_table *table = NULL;

    ck_assert_int_eq(mpl_view_find(view, &found, NULL), MPL_OK);
    ck_assert_int_eq(mpl_selection_create(d, asked, arena, &selection, NULL), MPL_OK);
    ck_assert_int_eq(mpl_table_create(found, selection, arena, &table, NULL), MPL_OK);
    return table;
}

static size_t column_of(const struct mpl_table *table, const char *name)
{
    size_t i = 0;

    while (i < table->view->n_columns && strcmp(table->view->columns[i].name, name) != 0) {
        i++;
    }
    ck_assert_msg(i < table->view->n_columns, "%s has no column %s", table->view->name,
                  name);
    return i;
}

static double value_at(const struct mpl_table *table, size_t row, const char *name)
{
    const struct mpl_cell *cell =
        &table->cells[row * table->view->n_columns + column_of(table, name)];

    return cell->kind == MPL_CELL_WHOLE    ? (double) cell->whole
           : cell->kind == MPL_CELL_NUMBER ? cell->number
                                           : 0;
}

static double sum_of(const struct mpl_table *table, const char *name)
{
    double sum = 0;

    for (size_t r = 0; r < table->n_rows; r++) {
        sum += value_at(table, r, name);
    }
    return sum;
}

/* ---- sums of the whole run ---------------------------------------------------------------------- */

static void compare_threads(const char *name, const struct mpl_diagnosis *d)
{
    static const struct {
        const char *column;
        size_t offset;
        bool is_count;
    } same[] = {
#define SECONDS(column, member) { column, offsetof(struct mpl_totals, member), false }
#define COUNT(column, member) \
    { \
        column, offsetof(struct mpl_totals, member), true \
    }
        SECONDS("compute", class_s[MPL_SPAN_COMPUTE]),
        SECONDS("p2p", class_s[MPL_SPAN_P2P]),
        SECONDS("collective", class_s[MPL_SPAN_COLLECTIVE]),
        SECONDS("other", class_s[MPL_SPAN_OTHER]),
        SECONDS("startup", class_s[MPL_SPAN_STARTUP]),
        SECONDS("shutdown", class_s[MPL_SPAN_SHUTDOWN]),
        SECONDS("late_sender", wait_s[MPL_WAIT_LATE_SENDER]),
        SECONDS("late_receiver", wait_s[MPL_WAIT_LATE_RECEIVER]),
        SECONDS("barrier", wait_s[MPL_WAIT_BARRIER]),
        SECONDS("n_to_n", wait_s[MPL_WAIT_N_TO_N]),
        SECONDS("late_broadcast", wait_s[MPL_WAIT_LATE_BROADCAST]),
        SECONDS("early_reduce", wait_s[MPL_WAIT_EARLY_REDUCE]),
        SECONDS("early_scan", wait_s[MPL_WAIT_EARLY_SCAN]),
        SECONDS("unknown", unknown_s),
        SECONDS("time", total_s),
        COUNT("calls", n_calls),
    };
    const struct mpl_selection_asked asked = everything();
    const struct mpl_table *table = table_of("threads", d, &asked);

    ck_assert_uint_eq(table->n_rows, d->runs[0].model->n_locations);
    for (size_t l = 0; l < table->n_rows; l++) {
        const char *totals =
            (const char *) mpl_events_totals(d->runs[0].events, (uint32_t) l);

        for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
            const double shown = value_at(table, l, same[i].column);
            const double known =
                same[i].is_count ? (double) *(const uint64_t *) (totals + same[i].offset)
                                 : *(const double *) (totals + same[i].offset);

            /* The same ticks, so the same number, to the last bit. */
            ck_assert_msg(shown == known, "%s, location %zu: %s is %.15g, not %.15g", name,
                          l, same[i].column, shown, known);
        }
    }
}

static void compare_sums(const char *name, const struct mpl_diagnosis *d)
{
    const struct mpl_selection_asked asked = everything();
    const struct mpl_table *threads = table_of("threads", d, &asked);
    const double waited = sum_of(threads, "wait");
    double in_collectives = 0;

    ck_assert_msg(fabs(sum_of(table_of("waits", d, &asked), "wait") -
                       sum_of(threads, "caused")) < 1e-9,
                  "%s: waits", name);
    ck_assert_msg(sum_of(threads, "caused") <= waited + 1e-9, "%s: caused", name);
    for (uint32_t i = 0; i < d->runs[0].match->n_instances; i++) {
        in_collectives += mpl_events_coll_waits(d->runs[0].events)[i].wait_s;
    }
    ck_assert_msg(fabs(sum_of(table_of("collectives", d, &asked), "wait") -
                       in_collectives) < 1e-9 + 1e-9 * in_collectives,
                  "%s: collectives wait %.15g, not %.15g", name,
                  sum_of(table_of("collectives", d, &asked), "wait"), in_collectives);
}

/* Three windows, cut anywhere. */
static void compare_windows(const char *name, const struct mpl_diagnosis *d)
{
    static const char *const columns[] = { "time",  "compute", "wait", "unknown",
                                           "calls", "waits",   "sends" };
    struct mpl_selection_asked asked = everything();
    const struct mpl_table *whole = table_of("threads", d, &asked);
    const double cuts[] = { NAN, 0.31 * d->runs[0].window_s, 0.5 * d->runs[0].window_s,
                            NAN };
    double sums[sizeof columns / sizeof *columns] = { 0 };

    for (size_t i = 0; i < 3; i++) {
        asked.from_s = cuts[i];
        asked.to_s = cuts[i + 1];
        for (size_t c = 0; c < sizeof columns / sizeof *columns; c++) {
            sums[c] += sum_of(table_of("threads", d, &asked), columns[c]);
        }
    }
    for (size_t c = 0; c < sizeof columns / sizeof *columns; c++) {
        const double known = sum_of(whole, columns[c]);

        ck_assert_msg(fabs(sums[c] - known) <= 1e-9 + 1e-9 * known,
                      "%s: windows have %.15g of %s, not %.15g", name, sums[c], columns[c],
                      known);
    }
}

static bool compare_all(const char *name, const char *path)
{
    const struct mpl_diagnosis *d = check(name);

    (void) path;
    if (d != NULL) {
        compare_threads(name, d);
        compare_sums(name, d);
        compare_windows(name, d);
    }
    return d != NULL;
}

START_TEST(sums_are_those_of_the_run)
{
    look_at_all_traces(compare_all, 31);
}
END_TEST

/* ---- what TRACES.md and Scalasca say ---------------------------------------------------------------- */

static double of_operations(const struct mpl_table *table, const char *const *operations)
{
    const size_t column = column_of(table, "operation");
    double sum = 0;

    for (size_t r = 0; r < table->n_rows; r++) {
        const char *name = table->cells[r * table->view->n_columns + column].text;

        for (size_t i = 0; operations[i] != NULL; i++) {
            sum += strcmp(name, operations[i]) == 0 ? value_at(table, r, "wait") : 0;
        }
    }
    return sum;
}

START_TEST(collectives_add_up_to_what_scalasca_says)
{
    static const struct {
        const char *operations[4];
        double wait_s;
    } known[] = {
        { { "MPI_Allreduce", "MPI_Alltoall", "MPI_Allgatherv", NULL }, 0.167901 },
        { { "MPI_Barrier", NULL }, 0.0419144 },
        { { "MPI_Bcast", "MPI_Scatterv", NULL }, 0.0342829 },
        { { "MPI_Reduce", "MPI_Gatherv", NULL }, 0.0346464 },
        { { "MPI_Scan", "MPI_Exscan", NULL }, 0.0330731 },
    };
    const struct mpl_selection_asked asked = everything();
    const struct mpl_diagnosis *d = NULL;

    d = check("scorep-colls");
    ck_assert_ptr_nonnull(d);
    const struct mpl_table *table = table_of("collectives", d, &asked);

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        ck_assert_double_eq_tol(of_operations(table, known[i].operations), known[i].wait_s,
                                0.01 * known[i].wait_s);
    }
}
END_TEST

/* ---- memory --------------------------------------------------------------------------------------------- */

/* Whether there was enough; what is made then is not looked at. */
static bool try_view(const struct mpl_view *view, const struct mpl_diagnosis *d, long n)
{
    const struct mpl_selection_asked asked = everything();
    struct mpl_arena *own = mpl_arena_create();
    struct mpl_selection *selection = NULL;
    const struct mpl_table *table = NULL;
    const char *const *notes = NULL;
    size_t n_notes = 0;
    struct mpl_err err = { 0 };

    ck_assert_ptr_nonnull(own);
    mpl_alloc_fail_after(n);
    enum mpl_status st = mpl_selection_create(d, &asked, own, &selection, &err);

    st = st == MPL_OK ? mpl_view_notes(view, selection, own, &notes, &n_notes, &err) : st;
    st = st == MPL_OK ? mpl_table_create(view, selection, own, &table, &err) : st;
    mpl_alloc_fail_after(-1);
    mpl_arena_destroy(own);
    ck_assert_msg(st == MPL_OK || st == MPL_E_NOMEM, "%s: status %d", view->name, st);
    return st == MPL_OK;
}

START_TEST(lack_of_memory_is_told)
{
    static const char *const traces[] = { "two-late.trace", "quick-master.trace" };
    size_t n_views = 0;
    const struct mpl_view *const *views = mpl_views(&n_views);
    const char *path = in_tree(mpl_arena_printf(arena, "tests/traces/%s", traces[_i]));

    ck_assert_int_eq(mpl_analysis_check(path, NULL, &analysis, NULL), MPL_OK);
    for (size_t v = 0; v < n_views; v++) {
        long n = 0;

        /* The last ones found enough several times: what fails there is done without. */
        for (int n_enough = 0; n_enough < 20; n++) {
            n_enough =
                try_view(views[v], mpl_analysis_diagnosis(analysis), n) ? n_enough + 1 : 0;
            ck_assert_int_lt(n, 100000);
        }
        ck_assert_int_gt(n, 25);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("view");
    TCase *c = add_case(suite, "view", set_up, tear_down);

    tcase_set_timeout(c, 300);
    if (traces_are_there("views of real traces")) {
        tcase_add_test(c, sums_are_those_of_the_run);
        tcase_add_test(c, collectives_add_up_to_what_scalasca_says);
    }
    tcase_add_loop_test(c, lack_of_memory_is_told, 0, 2);
    return run_suite(suite);
}
