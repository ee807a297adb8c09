/* Filters, loops in sequences, and that nothing is lost. */
#include "config.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/arena.h"
#include "../lib/suite.h"
#include "../lib/traces.h"
#include "analysis/analysis.h"
#include "sequence/sequence.h"

/* ---- filters ---------------------------------------------------------------------------------- */

static const struct {
    const char *code;
    const char *function;
    bool is_kept;
} kept[] = {
    { "11.mpi.cust.0K10", "MPI_Send", true },
    { "11.mpi.cust.0K10", "mpi_send_", true },
    { "11.mpi.cust.0K10", "PMPI_Send", false },
    { "11.mpi.cust.0K10", "memcpy", false },
    { "11.mpiall.0K10", "PMPI_Send", true },
    { "11.mpi.all.cust.0K10", "MPID_Isend", true },
    { "01.mpi.col.cust.0K10", "MPI_Allreduce", true },
    { "01.mpicol.cust.0K10", "MPI_Ibarrier", true },
    { "01.mpi.col.cust.0K10", "MPI_Send", false },
    { "11.mpisr", "MPI_Wait", true },
    { "11.mpi.sr", "MPI_Irecv", true },
    { "11.mpisr", "MPI_Waitall", false },
    { "mpisr", "MPI_Ssend", false },
    { "11.ompall.cust.0K10", "GOMP_parallel_start", true },
    { "11.ompcrit.cust.0K10", "GOMP_critical_start", true },
    { "11.ompcrit.cust.0K10", "GOMP_critical_name_end", true },
    { "11.ompcrit.cust.0K10", "GOMP_parallel_start", false },
    { "11.plt.mem.mpi.omperit.cust.0K10", "GOMP_critical_end", true },
    { "11.plt.mem.mpi.ompertit.cust.0K10", "malloc", true },
    { "11.ompmutex", "omp_mutex_lock", true },
    { "11.ompall", "OpenMP barrier", true },
    { "11.ompall", "!$omp parallel @halo2d.c:29", true },
    { "11.ompall", "EZTrace finalize", false },
    { "11.ompcrit", "OpenMP critical", true },
    { "11.ompcrit", "!$omp critical sblock @jacobi_cuda.c:200", true },
    { "11.ompcrit", "OpenMP barrier", false },
    { "11.ompmutex", "OpenMP Unset Nest Lock", true },
    { "11.ompmutex", "OpenMP acquire mutex", true },
    { "11.ompmutex", "omp_set_lock", true },
    { "11.ompmutex", "omp_init_lock", false },
    { "11.mem", "memcpy", true },
    { "11.mem", "strcpy", false },
    { "11.net", "tcp_connect", true },
    { "11.poll", "sched_yield", true },
    { "11.str", "strlen", true },
    { "10.plt", "memcpy@plt", true },
    { "11.plt", "memcpy", false },
    { "10.all", "memcpy.plt", true },
    { "11.all", "memcpy.plt", false },
    { "all", "anything", true },
    { "11.cust=^MPI_(Send|R.cv)$.0K10", "MPI_Recv", true },
    { "11.cust=^MPI_(Send|R.cv)$.0K10", "MPI_Bcast", false },
    { "11.mpicol.cust.1K10", "anything", true },
};

START_TEST(a_filter_keeps_what_the_paper_says)
{
    struct mpl_filter *filter = NULL;

    ck_assert_int_eq(mpl_filter_open(kept[_i].code, arena, &filter, NULL), MPL_OK);
    ck_assert_msg(mpl_filter_keeps(filter, kept[_i].function) == kept[_i].is_kept, "%s %s",
                  kept[_i].code, kept[_i].function);
    mpl_filter_close(filter);
}
END_TEST

START_TEST(a_code_says_how_long_bodies_may_be_and_whether_returns_count)
{
    struct mpl_filter *filter = NULL;

    ck_assert_int_eq(mpl_filter_open("01.mpi.0K12", arena, &filter, NULL), MPL_OK);
    ck_assert_uint_eq(mpl_filter_k(filter), 12);
    ck_assert(mpl_filter_keeps_returns(filter));
    mpl_filter_close(filter);
    ck_assert_int_eq(mpl_filter_open("mpi", arena, &filter, NULL), MPL_OK);
    ck_assert_uint_eq(mpl_filter_k(filter), MPL_FILTER_K);
    ck_assert(!mpl_filter_keeps_returns(filter));
    mpl_filter_close(filter);
}
END_TEST

static const struct {
    const char *code;
    const char *why;
} refused[] = {
    { "11.mpj.0K10", "column 4: no filter is called \"mpj\"; did you mean \"mpi\"?" },
    { "11.mpi.xyzzy", "column 8: no filter is called \"xyzzy\"" },
    { "11.mpi.0K", "column 8: a code ends with 0K or 1K and a number from 1 to 10000, as "
                   "0K10, not with \"0K\"" },
    { "11.mpi.0K0", "column 8: a code ends with 0K or 1K and a number from 1 to 10000, as "
                    "0K10, not with \"0K0\"" },
    { "", "column 1: no filter is called \"\"" },
    { "11.mpi..0K10", "column 8: no filter is called \"\"" },
};

START_TEST(a_wrong_code_is_refused_with_its_column)
{
    struct mpl_filter *filter = NULL;
    struct mpl_err err = { 0 };

    ck_assert_int_eq(mpl_filter_open(refused[_i].code, arena, &filter, &err), MPL_E_USAGE);
    ck_assert_ptr_null(filter);
    ck_assert_str_eq(err.cause[0].text, refused[_i].why);
}
END_TEST

START_TEST(a_wrong_regular_expression_is_refused_with_its_column)
{
    struct mpl_filter *filter = NULL;
    struct mpl_err err = { 0 };

    ck_assert_int_eq(mpl_filter_open("11.cust=MPI_(.0K10", arena, &filter, &err),
                     MPL_E_USAGE);
    ck_assert_ptr_nonnull(strstr(err.cause[0].text, "column 9: \"MPI_(\": "));
}
END_TEST

/* ---- loops ------------------------------------------------------------------------------------- */

enum { MOST = 4000 };

/* Letters as symbols. */
static struct mpl_sequence letters(const char *text)
{
    const size_t n = strlen(text);
    uint32_t *symbols = MPL_NEW_ARRAY(arena, n, uint32_t);

    for (size_t i = 0; i < n; i++) {
        symbols[i] = (uint32_t) text[i];
    }
    return (struct mpl_sequence){ (uint32_t) n, symbols, NULL };
}

static void print_items(const struct mpl_loops *loops, const struct mpl_item *items,
                        uint32_t n, FILE *out)
{
    for (uint32_t i = 0; i < n; i++) {
        if ((items[i].what & MPL_LOOP) == 0) {
            fputc((int) items[i].what, out);
            continue;
        }

        const struct mpl_loop loop = mpl_loops_get(loops, items[i].what & ~MPL_LOOP);

        fputc('(', out);
        print_items(loops, loop.items, loop.n, out);
        fprintf(out, ")%u", items[i].count);
    }
}

/* "ab(cd)3" of the first of \p n texts. */
static const char *folded(const char *const *texts, size_t n, uint32_t k)
{
    struct mpl_loops *loops = mpl_loops_create(k, arena);
    struct mpl_sequence *sequences = MPL_NEW_ARRAY(arena, n, struct mpl_sequence);
    struct mpl_folded *out = MPL_NEW_ARRAY(arena, n, struct mpl_folded);
    struct mpl_draft draft;
    char *text;

    for (size_t i = 0; i < n; i++) {
        sequences[i] = letters(texts[i]);
    }
    ck_assert_int_eq(mpl_loops_fold(loops, sequences, n, out, NULL), MPL_OK);
    mpl_draft_open(&draft);
    print_items(loops, out[0].items, out[0].n, draft.out);
    ck_assert_int_eq(mpl_file_flush(draft.out, NULL), MPL_OK);
    text = mpl_arena_strndup(arena, draft.text, draft.n);
    mpl_draft_close(&draft);
    mpl_loops_destroy(loops);
    return text;
}

START_TEST(three_equal_bodies_make_a_loop_and_two_of_a_known_one)
{
    static const char *const alone[] = { "isrsrf" };
    static const char *const three[] = { "isrsrsrf" };
    /* Table II: the first process does twice what others do four times. */
    static const char *const paper[] = { "icmsrsrf", "icmrsrsrsrsf", "icmsrsrsrsrf",
                                         "icmrsrsf" };
    static const char *const nested[] = { "aabbbcaabbbcaabbbcd" };

    ck_assert_str_eq(folded(alone, 1, 10), "isrsrf");
    ck_assert_str_eq(folded(three, 1, 10), "i(sr)3f");
    ck_assert_str_eq(folded(paper, 4, 10), "icm(sr)2f");
    ck_assert_str_eq(folded(paper + 2, 2, 10), "icm(sr)4f");
    ck_assert_str_eq(folded(nested, 1, 10), "(aa(b)3c)3d");
    ck_assert_str_eq(folded(nested, 1, 3), "aa(b)3caa(b)3caa(b)3cd");
}
END_TEST

/* What stands around a loop does not change it: the second sequence is the same for every order. */
START_TEST(loops_do_not_depend_on_the_order_of_sequences)
{
    static const char *const one[] = { "xabababab", "ababyab", "babababa" };
    static const char *const other[] = { "xabababab", "babababa", "ababyab" };

    ck_assert_str_eq(folded(one, 3, 10), folded(other, 3, 10));
    ck_assert_str_eq(folded(one + 1, 2, 10), "ababyab");
    ck_assert_str_eq(folded(one, 2, 10), "x(ab)4");
}
END_TEST

static uint32_t expand(const struct mpl_loops *loops, const struct mpl_item *items,
                       uint32_t n, uint32_t *to, uint32_t at)
{
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < items[i].count; k++) {
            if ((items[i].what & MPL_LOOP) == 0) {
                ck_assert_uint_lt(at, MOST);
                to[at++] = items[i].what;
            } else {
                const struct mpl_loop x = mpl_loops_get(loops, items[i].what & ~MPL_LOOP);

                at = expand(loops, x.items, x.n, to, at);
            }
        }
    }
    return at;
}

/* Repeats what is there already, so that there are loops in loops; few letters, so that there are chances. */
static struct mpl_sequence random_sequence(void)
{
    uint32_t *symbols = MPL_NEW_ARRAY(arena, MOST, uint32_t);
    uint32_t n = 0;

    while (n < MOST / 8) {
        const uint32_t from = n == 0 ? 0 : (uint32_t) rand() % n;
        const uint32_t length = n == 0 ? 0 : (uint32_t) rand() % (n - from);

        symbols[n++] = 'a' + (uint32_t) rand() % 3;
        for (uint32_t times = (uint32_t) rand() % 4; times > 0; times--) {
            for (uint32_t i = 0; i < length && n < MOST; i++) {
                symbols[n++] = symbols[from + i];
            }
        }
    }
    return (struct mpl_sequence){ n, symbols, NULL };
}

/* _i is the seed. Once all loops are known, nothing more becomes of it. */
START_TEST(what_is_folded_can_be_unfolded)
{
    struct mpl_sequence sequences[4];
    struct mpl_folded out[4];
    struct mpl_folded again[4];
    uint32_t back[MOST];

    srand((unsigned) _i);
    for (int i = 0; i < 4; i++) {
        sequences[i] = random_sequence();
    }

    struct mpl_loops *loops = mpl_loops_create(1 + (uint32_t) rand() % 40, arena);

    ck_assert_int_eq(mpl_loops_fold(loops, sequences, 4, out, NULL), MPL_OK);
    for (int i = 0; i < 4; i++) {
        uint64_t length = 0;

        ck_assert_uint_eq(expand(loops, out[i].items, out[i].n, back, 0), sequences[i].n);
        ck_assert_mem_eq(back, sequences[i].symbols, sequences[i].n * sizeof *back);
        for (uint32_t k = 0; k < out[i].n; k++) {
            length += mpl_item_length(loops, out[i].items[k]);
        }
        ck_assert_uint_eq(length, sequences[i].n);
    }
    ck_assert_int_eq(mpl_loops_fold(loops, sequences, 4, again, NULL), MPL_OK);
    for (int i = 0; i < 4; i++) {
        ck_assert_uint_eq(again[i].n, out[i].n);
        ck_assert_mem_eq(again[i].items, out[i].items, out[i].n * sizeof *out[i].items);
    }
    mpl_loops_destroy(loops);
}
END_TEST

static enum mpl_status fold_it(struct mpl_arena *own)
{
    const struct mpl_sequence sequence =
        letters("iabcabcabcddddabcabcabcddddabcabcabcdddd");
    struct mpl_loops *loops = mpl_loops_create(10, own);
    struct mpl_folded out;
    const enum mpl_status st =
        loops == NULL ? MPL_E_NOMEM : mpl_loops_fold(loops, &sequence, 1, &out, NULL);

    mpl_loops_destroy(loops);
    return st;
}

START_TEST(folding_without_memory_fails_cleanly)
{
    enum mpl_status st = MPL_E_NOMEM;

    for (long n = 0; fails_without_memory(n, st); n++) {
        struct mpl_arena *own = mpl_arena_create();

        mpl_alloc_fail_after(n + 1); /* The letters. */
        st = fold_it(own);
        mpl_alloc_fail_after(-1);
        mpl_arena_destroy(own);
    }
}
END_TEST

/* ---- a real run ----------------------------------------------------------------------------------- */

struct step {
    const char *code;
    uint32_t n_items;
};
/* The body of LULESH's step has 12 items on rank 0. */
static const struct step lulesh_steps[] = { { "11.mpi.cust.0K10", 725 },
                                            { "11.mpi.cust.0K11", 725 },
                                            { "11.mpi.cust.0K12", 18 },
                                            { "mpi", 18 },
                                            { "11.mpi.cust.0K10000", 18 } };

START_TEST(the_step_of_lulesh_is_found_from_its_length_on)
{
    const struct step *step = &lulesh_steps[_i];
    const char *path = mpl_arena_printf(arena, "%s/lulesh-np8", traces_folder());
    struct mpl_symbols *symbols = mpl_symbols_create();
    struct mpl_analysis *analysis = NULL;
    struct mpl_filter *filter = NULL;
    const struct mpl_sequence *sequences = NULL;
    struct mpl_folded out;
    uint32_t most = 0;

    ck_assert_int_eq(mpl_analysis_check(path, NULL, &analysis, NULL), MPL_OK);
    ck_assert_int_eq(mpl_filter_open(step->code, arena, &filter, NULL), MPL_OK);

    const struct mpl_sequence_options options = { .filter = filter };
    struct mpl_loops *loops = mpl_loops_create(mpl_filter_k(filter), arena);

    ck_assert_int_eq(mpl_sequences_create(mpl_analysis_diagnosis(analysis)->runs[0].events,
                                          &options, symbols, arena, &sequences, NULL),
                     MPL_OK);
    ck_assert_int_eq(mpl_loops_fold(loops, sequences, 1, &out, NULL), MPL_OK);
    ck_assert_uint_eq(out.n, step->n_items);
    for (uint32_t i = 0; i < out.n; i++) {
        most = out.items[i].count > most ? out.items[i].count : most;
    }
    ck_assert_uint_eq(most, step->n_items == 18 ? 59 : 7);
    mpl_loops_destroy(loops);
    mpl_filter_close(filter);
    mpl_symbols_destroy(symbols);
    mpl_analysis_destroy(analysis);
}
END_TEST

/* Numbers of locations and of functions are small, and must not be mixed up. */
START_TEST(what_is_left_to_chance_is_so_in_one_location_only)
{
    struct mpl_loose *loose = mpl_loose_create(arena);
    const uint32_t n = 8;
    struct mpl_symbol s = { .to = MPL_NONE, .from = MPL_NONE };

    ck_assert(mpl_loose_put(loose, 0, &s, false, MPL_LOOSE_PEER));
    for (uint32_t l = 0; l < n; l++) {
        for (s.function = 0; s.function < n; s.function++) {
            ck_assert_int_eq(mpl_loose_get(loose, l, &s),
                             l == 0 && s.function == 0 ? MPL_LOOSE_PEER : MPL_FIRM);
        }
        ck_assert_uint_eq(mpl_loose_changes_of(loose, l), l == 0);
    }
    ck_assert_uint_eq(mpl_loose_changes(loose), 1);
    mpl_loose_close(loose);
}
END_TEST

/* ---- what is left where chance decides ------------------------------------------------------------- */

static const unsigned all_parts =
    MPL_SYMBOL_PEER | MPL_SYMBOL_ROOT | MPL_SYMBOL_TAG | MPL_SYMBOL_BYTES | MPL_SYMBOL_COMM;
struct farm {
    struct mpl_analysis *analysis;
    const struct mpl_events *events;
    struct mpl_symbols *symbols;
    uint32_t n;
};

static struct farm open_farm(const char *name)
{
    struct farm f = { .symbols = mpl_symbols_create() };
    const char *path = mpl_arena_printf(arena, "%s/%s", traces_folder(), name);

    ck_assert_int_eq(mpl_analysis_check(path, NULL, &f.analysis, NULL), MPL_OK);
    f.events = mpl_analysis_diagnosis(f.analysis)->runs[0].events;
    f.n = mpl_events_model(f.events)->n_locations;
    return f;
}

static const struct mpl_sequence *sequences_of(const struct farm *f,
                                               const struct mpl_loose *loose)
{
    const struct mpl_sequence_options options = { .parts = all_parts,
                                                  .without_polls = true,
                                                  .loose = loose };
    const struct mpl_sequence *all = NULL;

    ck_assert_int_eq(
        mpl_sequences_create(f->events, &options, f->symbols, arena, &all, NULL), MPL_OK);
    return all;
}

/* Calls of each location, drawn by lot. */
static void leave_to_chance(const struct farm *f, const struct mpl_sequence *firm,
                            struct mpl_loose *loose)
{
    for (uint32_t l = 0; l < f->n; l++) {
        const struct mpl_symbol s =
            *mpl_symbols_get(f->symbols, firm[l].symbols[(uint32_t) rand() % firm[l].n]);
        const enum mpl_looseness level = (enum mpl_looseness)(MPL_LOOSE_ROOT + rand() % 3);

        ck_assert(mpl_loose_put(loose, l, &s, rand() % 2 == 0, level));
    }
}

static void check_same(const struct farm *f, const struct mpl_sequence *a,
                       const struct mpl_sequence *b)
{
    for (uint32_t l = 0; l < f->n; l++) {
        ck_assert_uint_eq(a[l].n, b[l].n);
        ck_assert_mem_eq(a[l].symbols, b[l].symbols, a[l].n * sizeof *a[l].symbols);
        ck_assert_mem_eq(a[l].calls, b[l].calls, a[l].n * sizeof *a[l].calls);
    }
}

static const char *const farms[] = { "scorep-mw", "mandel-mw-np8", "npb-is-W-np8",
                                     "probe-p2p-np4" };

/* As if they were made anew, time and again. */
START_TEST(less_is_left_of_calls_as_more_is_left_to_chance)
{
    const struct farm f = open_farm(farms[_i]);
    struct mpl_loose *loose = mpl_loose_create(arena);
    const struct mpl_sequence *firm = sequences_of(&f, NULL);
    const struct mpl_sequence *left = firm;
    bool *is_changed = MPL_NEW_ARRAY(arena, f.n, bool);

    srand((unsigned) _i);
    memset(is_changed, true, f.n * sizeof *is_changed);
    for (int round = 0; round < 4; round++) {
        leave_to_chance(&f, firm, loose);
        ck_assert_int_eq(mpl_sequences_loosen(f.events, firm, loose, f.symbols, is_changed,
                                              f.n, arena, &left, NULL),
                         MPL_OK);
        check_same(&f, left, sequences_of(&f, loose));
    }
    mpl_loose_close(loose);
    mpl_symbols_destroy(f.symbols);
    mpl_analysis_destroy(f.analysis);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sequence");
    TCase *c = add_case(suite, "sequence", create_arena, destroy_arena);

    tcase_add_loop_test(c, a_filter_keeps_what_the_paper_says, 0,
                        sizeof kept / sizeof *kept);
    tcase_add_test(c, a_code_says_how_long_bodies_may_be_and_whether_returns_count);
    tcase_add_loop_test(c, a_wrong_code_is_refused_with_its_column, 0,
                        sizeof refused / sizeof *refused);
    tcase_add_test(c, a_wrong_regular_expression_is_refused_with_its_column);
    tcase_add_test(c, three_equal_bodies_make_a_loop_and_two_of_a_known_one);
    tcase_add_test(c, loops_do_not_depend_on_the_order_of_sequences);
    tcase_add_loop_test(c, what_is_folded_can_be_unfolded, 0, 200);
    tcase_add_test(c, folding_without_memory_fails_cleanly);
    tcase_add_test(c, what_is_left_to_chance_is_so_in_one_location_only);
    if (traces_are_there("loops in real traces")) {
        tcase_add_loop_test(c, less_is_left_of_calls_as_more_is_left_to_chance, 0,
                            sizeof farms / sizeof *farms);
        tcase_add_loop_test(c, the_step_of_lulesh_is_found_from_its_length_on, 0,
                            sizeof lulesh_steps / sizeof *lulesh_steps);
    }
    return run_suite(suite);
}
