/*
 * Damaged archives: whatever happens to a file, reading ends, says what is missing or why
 * nothing can be read, and never finds more events than were there. libotf2 reads anchor and
 * global definitions, so its behaviour on damage is tested along.
 */
#include "config.h"

#include "../lib/arena.h"
#include "../lib/suite.h"
#include "../unit/read_fixture.h"

#include <check.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/archive.h"

/* Flips per seed; a seed is one iteration of a loop test, so that a crash shows its seed. */
#ifdef __SANITIZE_ADDRESS__
enum { FLIPS = 25, SEEDS = 6 };
#else
enum { FLIPS = 25, SEEDS = 30 };
#endif

static const char text[] =
    "# us.\n"
    "comm row: 0 1\n"
    "comm inter: 0 / 1 2\n"
    "rank 0: init 0..5 region solve 5..40 { compute 5..10 in kernel\n"
    "        send 10..12 to 1 tag 7 bytes 1000 isend 12..13 to 2 tag 8 bytes 99 as a }\n"
    "        barrier 40..50 irecv 50..51 from 2 tag 1 as b wait 51..60 for a b\n"
    "        bcast 60..65 root 0 bytes 64 comm row allreduce 65..70 bytes 8 finalize "
    "70..80\n"
    "rank 1: init 0..6 recv 6..14 from 0 tag 7 bytes 1000 barrier 40..50\n"
    "        ibarrier 50..51 comm self as q wait 52..53 for q send 54..55 to null\n"
    "        bcast 60..65 root 0 bytes 64 comm row allreduce 65..70 bytes 8 finalize "
    "70..80\n"
    "rank 1.1: compute 10..20 in kernel\n"
    "rank 2: init 0..6 recv 6..14 from 0 tag 8 bytes 99 barrier 40..50\n"
    "        send 50..52 to 0 tag 1 allreduce 65..70 bytes 8 finalize 70..80\n"
    "clock 1 +15ms\n";

static const char *archive;
static uint64_t n_whole;

/* ---- one damage --------------------------------------------------------------------------- */

/** Reads the archive as it is now; true if something could be read. */
static bool read_it(const char *what, unsigned long where)
{
    struct mpl_arena *own = mpl_arena_create();
    struct mpl_model *model = NULL;
    struct mpl_err err = { 0 };
    const enum mpl_status st = mpl_read(archive, own, NULL, &model, &err);

    if (st == MPL_OK) {
        mpl_model_check(model);
        ck_assert_msg(model->n_events <= n_whole, "%s at %lu: %lu events of %lu", what,
                      where, (unsigned long) model->n_events, (unsigned long) n_whole);
    } else {
        ck_assert_msg(st == MPL_E_SYNTAX || st == MPL_E_UNSUPPORTED || st == MPL_E_IO,
                      "%s at %lu: status %d", what, where, st);
        ck_assert_msg(err.n >= 2 && err.cause[0].text[0] != '\0', "%s at %lu: no reason",
                      what, where);
        ck_assert_ptr_null(model);
    }
    mpl_arena_destroy(own);
    return st == MPL_OK;
}

static void cut_everywhere(const char *name)
{
    const char *path = mpl_arena_printf(arena, "%s/%s", archive, name);
    size_t n;
    const unsigned char *whole = fixture_load(path, &n, arena);

    for (size_t i = 0; i < n; i++) {
        fixture_store(path, whole, i);
        (void) read_it(name, i);
    }
    fixture_store(path, whole, n);
    ck_assert(read_it(name, n));
}

static void flip_bits(const char *name, unsigned seed)
{
    const char *path = mpl_arena_printf(arena, "%s/%s", archive, name);
    size_t n;
    const unsigned char *whole = fixture_load(path, &n, arena);
    unsigned char *damaged = (unsigned char *) mpl_arena_alloc(arena, n);

    srand(seed);
    for (int k = 0; k < FLIPS; k++) {
        const int n_flips = 1 + rand() % 4;

        memcpy(damaged, whole, n);
        for (int i = 0; i < n_flips; i++) {
            damaged[(size_t) rand() % n] ^= (unsigned char) (1U << rand() % 8);
        }
        if (rand() % 4 == 0) {
            damaged[(size_t) rand() % n] = (unsigned char) rand();
        }
        fixture_store(path, damaged, n);
        (void) read_it(name, (unsigned long) k);
    }
    fixture_store(path, whole, n);
}

/* ---- files ------------------------------------------------------------------------------------ */

static const char *const files[] = { "trace/0.evt", "trace/1.evt", "trace/1.def",
                                     "trace.def", "trace.otf2" };

START_TEST(cut_files_are_read_as_far_as_they_go)
{
    cut_everywhere(files[_i]);
}
END_TEST

START_TEST(flipped_bits_do_no_harm)
{
    for (size_t f = 0; f < sizeof files / sizeof files[0]; f++) {
        flip_bits(files[f], (unsigned) _i);
    }
}
END_TEST

/* The reasons go to the caller, not to the terminal. */
START_TEST(libotf2_prints_nothing)
{
    const char *log = mpl_arena_printf(arena, "%s/stderr", fixture_scratch());
    const int before = dup(STDERR_FILENO);
    struct stat info;

    ck_assert_ptr_nonnull(freopen(log, "w", stderr));
    for (unsigned seed = 1000; seed < 1010; seed++) {
        flip_bits("trace.def", seed);
        flip_bits("trace.otf2", seed);
    }
    (void) fflush(stderr);
    ck_assert_int_eq(stat(log, &info), 0);
    (void) dup2(before, STDERR_FILENO);
    ck_assert_int_eq(info.st_size, 0);
}
END_TEST

START_TEST(header_of_a_chunk_is_checked)
{
    const char *path = mpl_arena_printf(arena, "%s/trace/0.evt", archive);
    size_t n;
    const unsigned char *whole = fixture_load(path, &n, arena);
    unsigned char *damaged = (unsigned char *) mpl_arena_alloc(arena, n);

    for (size_t i = 0; i < 18; i++) {
        struct mpl_model *model = NULL;

        memcpy(damaged, whole, n);
        damaged[i] ^= 0x40;
        fixture_store(path, damaged, n);
        ck_assert_int_eq(mpl_read(archive, arena, NULL, &model, NULL), MPL_OK);
        ck_assert_msg(mpl_quality_find(model->quality, "damaged-events") != NULL,
                      "byte %zu", i);
        ck_assert(model->locations[0].is_damaged);
        ck_assert(!model->locations[1].is_damaged);
    }
    fixture_store(path, whole, n);
}
END_TEST

START_TEST(wrong_time_takes_its_own_events_only)
{
    const char *path = mpl_arena_printf(arena, "%s/trace/0.evt", archive);
    struct mpl_model *right = NULL;
    struct mpl_model *model = NULL;
    const struct mpl_location *loc;
    size_t n;
    size_t second = 18 + 9;
    const unsigned char *whole = fixture_load(path, &n, arena);
    unsigned char *damaged = (unsigned char *) mpl_arena_alloc(arena, n);

    ck_assert_int_eq(mpl_read(archive, arena, NULL, &right, NULL), MPL_OK);
    memcpy(damaged, whole, n);
    while (damaged[second] != 5) { /* the second time record, behind the first event */
        second++;
    }
    damaged[second + 6] ^= 0x10; /* far into the future */
    fixture_store(path, damaged, n);
    ck_assert_int_eq(mpl_read(archive, arena, NULL, &model, NULL), MPL_OK);
    fixture_store(path, whole, n);
    ck_assert_ptr_nonnull(mpl_quality_find(model->quality, "damaged-events"));
    loc = &model->locations[0];
    ck_assert_uint_gt(loc->n_events, 0);
    ck_assert_uint_lt(loc->n_events, right->locations[0].n_events);
    /* No event of the wrong time is kept, or the run would last for years. */
    ck_assert_int_lt(mpl_ticks_of(loc, loc->n_events - 1), 1000000);
}
END_TEST

START_TEST(missing_files_are_noted)
{
    static const char *const names[] = { "trace/0.evt", "trace/0.def", "trace.def" };
    static const char *const notes[] = { "missing-events-file", "missing-local-definitions",
                                         NULL };
    const char *path = mpl_arena_printf(arena, "%s/%s", archive, names[_i]);
    struct mpl_model *model = NULL;
    struct mpl_err err = { 0 };
    enum mpl_status st;

    ck_assert_int_eq(unlink(path), 0);
    st = mpl_read(archive, arena, NULL, &model, &err);
    if (notes[_i] == NULL) {
        ck_assert_int_eq(st, MPL_E_IO);
        ck_assert_ptr_nonnull(strstr(err.cause[0].text, "trace.def\" do not exist"));
    } else {
        ck_assert_int_eq(st, MPL_OK);
        ck_assert_ptr_nonnull(mpl_quality_find(model->quality, notes[_i]));
    }
}
END_TEST

/* ---- references to nothing ------------------------------------------------------------------------ */

/* Definition files whose table maps region 0 to: "undefined" as a byte; the 32 bits that stand for it;
 * 2^32, whose lower half is a region. */
static const struct mapping {
    size_t n;
    unsigned char bytes[32];
} mappings[] = {
    { 27, { 3, 0x42, 1, 0, 0, 0, 0, 0, 0, 0, 0,    0, 0, 0,
            0, 0,    0, 0, 5, 5, 3, 1, 1, 0, 0xff, 2, 1 } },
    { 31, { 3, 0x42, 1, 0, 0, 0, 0, 0, 0, 0,    0,    0,    0,    0, 0, 0,
            0, 0,    5, 9, 3, 1, 1, 0, 4, 0xff, 0xff, 0xff, 0xff, 2, 1 } },
    { 32, { 3, 0x42, 1, 0,  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
            0, 0,    5, 10, 3, 1, 1, 0, 5, 0, 0, 0, 0, 1, 2, 1 } },
};

START_TEST(mapping_to_nothing_makes_a_region_undefined)
{
    const char *path = mpl_arena_printf(arena, "%s/trace/0.def", archive);
    const bool is_too_large = _i == 2;
    struct mpl_model *right = NULL;
    struct mpl_model *model = NULL;

    ck_assert_int_eq(mpl_read(archive, arena, NULL, &right, NULL), MPL_OK);
    fixture_store(path, mappings[_i].bytes, mappings[_i].n);
    ck_assert_int_eq(mpl_read(archive, arena, NULL, &model, NULL), MPL_OK);
    mpl_model_check(model);
    ck_assert_uint_eq(model->n_events, right->n_events);
    ck_assert_ptr_nonnull(mpl_quality_find(model->quality, "undefined-regions"));
    ck_assert_int_eq(mpl_quality_find(model->quality, "damaged-local-definitions") != NULL,
                     is_too_large);
}
END_TEST

/* "Undefined" must not find a definition that calls itself so: here a region. */
START_TEST(definition_without_a_reference_is_lost)
{
    const char *path = mpl_arena_printf(arena, "%s/trace.def", archive);
    struct mpl_model *model = NULL;
    size_t n;
    const unsigned char *whole = fixture_load(path, &n, arena);
    unsigned char *damaged = (unsigned char *) mpl_arena_alloc(arena, n);
    size_t at = MPL_CHUNK_HEADER;

    memcpy(damaged, whole, n);
    while (damaged[at] != 15) { /* REGION; its second byte is the length of the rest */
        at += 2 + damaged[at + 1];
    }
    /* Compressed 0 is one byte, and so is "undefined". */
    ck_assert_uint_eq(damaged[at + 2], 0);
    damaged[at + 2] = 0xff;
    fixture_store(path, damaged, n);
    ck_assert_int_eq(mpl_read(archive, arena, NULL, &model, NULL), MPL_OK);
    ck_assert_ptr_nonnull(mpl_quality_find(model->quality, "damaged-definitions"));
    ck_assert_ptr_nonnull(mpl_quality_find(model->quality, "undefined-regions"));
}
END_TEST

/* ---- memory and disk ------------------------------------------------------------------------------ */

/*
 * Allocation n fails, alone: the answer is an error, or the same model as ever, as quality notes
 * may lose their places. Far more successes in a row than there are such allocations end it.
 */
enum { MANY = 100 };

static void check_after_refusal(long n, enum mpl_status st, const struct mpl_model *model,
                                const struct mpl_model *right, const struct mpl_err *err)
{
    if (st == MPL_OK) {
        const char *difference = fixture_difference(right, model);

        ck_assert_msg(difference == NULL, "allocation %ld: %s differs", n, difference);
        return;
    }
    ck_assert_msg(st == MPL_E_NOMEM, "allocation %ld: status %d, %s", n, st,
                  err->cause[0].text);
    ck_assert_ptr_null(model);
}

START_TEST(out_of_memory_is_an_error_everywhere)
{
    struct mpl_model *right = NULL;
    long n_failed = 0;
    int n_well = 0;

    ck_assert_int_eq(mpl_read(archive, arena, NULL, &right, NULL), MPL_OK);
    for (long n = 0; n_well < MANY; n++) {
        struct mpl_arena *own = mpl_arena_create();
        struct mpl_model *model = NULL;
        struct mpl_err err = { 0 };
        enum mpl_status st;

        mpl_alloc_fail_after(n);
        st = mpl_read(archive, own, NULL, &model, &err);
        mpl_alloc_fail_after(-1);
        check_after_refusal(n, st, model, right, &err);
        n_well = st == MPL_OK ? n_well + 1 : 0;
        n_failed += st != MPL_OK;
        mpl_arena_destroy(own);
    }
    ck_assert_int_gt(n_failed, 100);
}
END_TEST

START_TEST(out_of_memory_in_a_text_is_an_error)
{
    struct mpl_model *right = NULL;
    long n_failed = 0;
    int n_well = 0;

    ck_assert_int_eq(mpl_read_text("t", text, sizeof text - 1, arena,
                                   mpl_lint_create(arena), &right, NULL),
                     MPL_OK);
    for (long n = 0; n_well < MANY; n++) {
        struct mpl_arena *own = mpl_arena_create();
        struct mpl_lint *lint = mpl_lint_create(own);
        struct mpl_model *model = NULL;
        struct mpl_err err = { 0 };
        enum mpl_status st;

        mpl_alloc_fail_after(n);
        st = mpl_read_text("t", text, sizeof text - 1, own, lint, &model, &err);
        mpl_alloc_fail_after(-1);
        check_after_refusal(n, st, model, right, &err);
        n_well = st == MPL_OK ? n_well + 1 : 0;
        n_failed += st != MPL_OK;
        mpl_arena_destroy(own);
    }
    ck_assert_int_gt(n_failed, 100);
}
END_TEST

START_TEST(out_of_memory_while_writing_leaves_nothing)
{
    const char *target = mpl_arena_printf(arena, "%s/copy", fixture_scratch());
    struct mpl_model *model = NULL;
    int n_well = 0;

    ck_assert_int_eq(mpl_read(archive, arena, NULL, &model, NULL), MPL_OK);
    for (long n = 0; n_well < 20; n++) {
        struct mpl_err err = { 0 };
        enum mpl_status st;

        mpl_alloc_fail_after(n);
        st = mpl_write_otf2(model, target, false, &err);
        mpl_alloc_fail_after(-1);
        n_well = st == MPL_OK ? n_well + 1 : 0;
        ck_assert_msg(st == MPL_OK || st == MPL_E_NOMEM, "allocation %ld: status %d, %s", n,
                      st, err.cause[0].text);
        ck_assert_int_eq((access(target, F_OK) == 0), (st == MPL_OK));
        fixture_remove_tree(target);
    }
}
END_TEST

/* A limit on the size of files stands for a full disk: the same calls fail. */
START_TEST(full_disk_leaves_nothing)
{
    const char *folder = mpl_arena_printf(arena, "%s/full", fixture_scratch());
    const char *target = mpl_arena_printf(arena, "%s/copy", folder);
    struct mpl_model *model = NULL;
    struct rlimit unlimited;

    ck_assert_int_eq(mkdir(folder, 0777), 0);
    ck_assert_int_eq(mpl_read(archive, arena, NULL, &model, NULL), MPL_OK);
    (void) signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &unlimited), 0);
    for (rlim_t limit = 0; limit < 1200; limit += 40) {
        const struct rlimit small = { limit, unlimited.rlim_max };
        struct mpl_err err = { 0 };
        enum mpl_status st;

        ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
        st = mpl_write_otf2(model, target, false, &err);
        ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &unlimited), 0);
        if (st == MPL_OK) {
            struct mpl_model *copy = NULL;

            ck_assert_int_eq(mpl_read(target, arena, NULL, &copy, NULL), MPL_OK);
            ck_assert_ptr_null(fixture_difference(model, copy));
            fixture_remove_tree(target);
        } else {
            ck_assert_int_eq(st, MPL_E_IO);
            ck_assert_int_eq(rmdir(folder), 0); /* it is empty */
            ck_assert_int_eq(mkdir(folder, 0777), 0);
        }
    }
}
END_TEST

/* ---- frame ------------------------------------------------------------------------------------------ */

static void set_up(void)
{
    struct mpl_lint *lint;
    struct mpl_model *model = NULL;

    arena = mpl_arena_create();
    lint = mpl_lint_create(arena);
    archive = mpl_arena_printf(arena, "%s/archive-%ld", fixture_scratch(), (long) getpid());
    ck_assert_int_eq(mpl_read_text("t", text, sizeof text - 1, arena, lint, &model, NULL),
                     MPL_OK);
    ck_assert_int_eq(mpl_write_otf2(model, archive, false, NULL), MPL_OK);
    n_whole = model->n_events;
}

static void tear_down(void)
{
    fixture_remove_tree(archive);
    destroy_arena();
}

int main(void)
{
    Suite *suite = suite_create("read_damage");
    TCase *tcase = add_case(suite, "damage", set_up, tear_down);

    (void) fixture_scratch();
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, cut_files_are_read_as_far_as_they_go, 0,
                        (int) (sizeof files / sizeof files[0]));
    tcase_add_loop_test(tcase, flipped_bits_do_no_harm, 0, SEEDS);
    tcase_add_test(tcase, libotf2_prints_nothing);
    tcase_add_test(tcase, header_of_a_chunk_is_checked);
    tcase_add_test(tcase, wrong_time_takes_its_own_events_only);
    tcase_add_loop_test(tcase, missing_files_are_noted, 0, 3);
    tcase_add_loop_test(tcase, mapping_to_nothing_makes_a_region_undefined, 0,
                        (int) (sizeof mappings / sizeof mappings[0]));
    tcase_add_test(tcase, definition_without_a_reference_is_lost);
    tcase_add_test(tcase, out_of_memory_is_an_error_everywhere);
    tcase_add_test(tcase, out_of_memory_in_a_text_is_an_error);
    tcase_add_test(tcase, out_of_memory_while_writing_leaves_nothing);
    tcase_add_test(tcase, full_disk_leaves_nothing);
    return run_suite(suite);
}
