/*
 * What may go wrong while an archive is copied: no memory, a full disk, a user who does not want
 * to wait, damaged files, places that must not be written to. Whatever it is, nothing is left
 * behind, and what was there before is still there.
 */
#include "config.h"

#include "../lib/arena.h"
#include "../lib/effort.h"
#include "../lib/suite.h"
#include "sync_archive.h"
#include "sync_fixture.h"

#include <check.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK_BYTES = 256 * 1024, N_LOCATIONS = 5 };

/* Flips per seed; a seed is one iteration of a loop test, so that a crash shows its seed. */
#ifdef __SANITIZE_ADDRESS__
enum { FLIPS = 20, SEEDS = 10 };
#else
enum { FLIPS = 20, SEEDS = 30 };
#endif

static const char *source; /* small, written once, in main() */
static const char *folder; /* of the copies; nothing else is in it */
static const char *target;

static void set_up(void)
{
    create_arena();
    folder = mpl_arena_printf(arena, "%s/copies", fixture_scratch());
    target = mpl_arena_printf(arena, "%s/copy", folder);
    fixture_remove_tree(folder);
    ck_assert_int_eq(mkdir(folder, 0777), 0);
}

/** Reads and copies, all in memory of its own. */
static enum mpl_status copy_to(const char *from, const char *to, bool force,
                               struct mpl_err *err)
{
    struct mpl_arena *own = mpl_arena_create();
    const struct mpl_sync_times *recorded = NULL;
    struct mpl_model *model = NULL;
    enum mpl_status st = mpl_read(from, own, NULL, &model, err);

    if (st == MPL_OK) {
        st = mpl_sync_times_keep(model, own, &recorded, err);
    }
    if (st == MPL_OK) {
        st = mpl_sync_write(model, recorded, NULL, to, force, NULL, err);
    }
    mpl_arena_destroy(own);
    return st;
}

static void expect(enum mpl_status st, enum mpl_status wanted, const struct mpl_err *err,
                   const char *words)
{
    bool is_said = false;

    for (unsigned i = 0; i < err->n; i++) {
        is_said |= strstr(err->cause[i].text, words) != NULL;
    }
    if (st != wanted || !is_said) {
        mpl_err_print(err, stderr);
    }
    ck_assert_int_eq(st, wanted);
    ck_assert_msg(is_said, "\"%s\" is not said", words);
}

static void nothing_is_left(void)
{
    ck_assert_uint_eq(sync_count_names(folder, "copy"), 0);
}

/* ---- places ------------------------------------------------------------------------------ */

START_TEST(existing_copy_is_replaced_only_when_asked)
{
    struct mpl_err err = { 0 };

    ck_assert_int_eq(copy_to(source, target, false, &err), MPL_OK);
    expect(copy_to(source, target, false, &err), MPL_E_USAGE, &err, "exists already");
    fixture_store(mpl_arena_printf(arena, "%s/all/0.evt", target),
                  (const unsigned char *) "old", 3);
    err = (struct mpl_err){ 0 };
    ck_assert_int_eq(copy_to(source, target, true, &err), MPL_OK);
    ck_assert_ptr_null(
        sync_items_read(mpl_arena_printf(arena, "%s/all/0.evt", target), CHUNK_BYTES, arena)
            .fault);
    ck_assert_uint_eq(sync_count_names(folder, "copy"), 1);
}
END_TEST

START_TEST(folder_that_holds_something_else_is_never_replaced)
{
    struct mpl_err err = { 0 };
    const char *thesis = mpl_arena_printf(arena, "%s/thesis.tex", target);

    ck_assert_int_eq(mkdir(target, 0777), 0);
    fixture_store(thesis, (const unsigned char *) "x", 1);
    expect(copy_to(source, target, true, &err), MPL_E_USAGE, &err, "thesis.tex");
    ck_assert_int_eq(access(thesis, F_OK), 0);
}
END_TEST

START_TEST(copy_must_not_touch_the_trace)
{
    struct mpl_err err = { 0 };
    struct mpl_err into_err = { 0 };
    const char *link = mpl_arena_printf(arena, "%s/link", folder);
    enum mpl_status by_link;
    enum mpl_status into_link;

    expect(copy_to(source, source, true, &err), MPL_E_USAGE, &err, "holds the trace");
    expect(copy_to(source, fixture_scratch(), true, &err), MPL_E_USAGE, &err,
           "holds the trace");
    expect(copy_to(source, mpl_arena_printf(arena, "%s/copy", source), false, &err),
           MPL_E_USAGE, &err, "inside the trace");
    expect(copy_to(mpl_arena_printf(arena, "%s/all.otf2", source),
                   mpl_arena_printf(arena, "%s/all/copy", source), false, &err),
           MPL_E_USAGE, &err, "inside the trace");
    /* By whatever name; the link must be gone before anything can fail. */
    ck_assert_int_eq(symlink(source, link), 0);
    by_link = copy_to(source, link, true, &err);
    into_link = copy_to(source, mpl_arena_printf(arena, "%s/copy/", link), true, &into_err);
    ck_assert_int_eq(unlink(link), 0);
    expect(by_link, MPL_E_USAGE, &err, "holds the trace");
    expect(into_link, MPL_E_USAGE, &into_err, "inside the trace");
    ck_assert_uint_eq(sync_count_names(source, ""), 6);
}
END_TEST

START_TEST(copy_may_lie_beside_an_anchor_that_was_named)
{
    struct mpl_err err = { 0 };
    const char *beside = mpl_arena_printf(arena, "%s/beside", folder);

    fixture_copy_tree(source, beside);
    ck_assert_int_eq(copy_to(mpl_arena_printf(arena, "%s/all.otf2", beside),
                             mpl_arena_printf(arena, "%s/copy/", beside), false, &err),
                     MPL_OK);
    ck_assert_uint_eq(sync_count_names(beside, "copy"), 1);
}
END_TEST

START_TEST(text_trace_cannot_be_copied)
{
    struct mpl_err err = { 0 };
    const char *text = mpl_arena_printf(arena, "%s/text", folder);

    fixture_store(text, (const unsigned char *) "rank 0: compute 0..5\n", 21);
    expect(copy_to(text, target, false, &err), MPL_E_UNSUPPORTED, &err, "text trace");
    nothing_is_left();
}
END_TEST

START_TEST(folder_that_cannot_be_made_is_told)
{
    struct mpl_err err = { 0 };

    expect(copy_to(source, mpl_arena_printf(arena, "%s/none/copy", folder), false, &err),
           MPL_E_IO, &err, "No such file");
    nothing_is_left();
}
END_TEST

/* ---- resources ----------------------------------------------------------------------------- */

START_TEST(no_memory_at_any_moment_is_an_error_and_nothing_is_left)
{
    struct pair {
        struct mpl_model *model;
        const struct mpl_sync_times *recorded;
    } p = { 0 };
    long n = 0;

    ck_assert_int_eq(mpl_read(source, arena, NULL, &p.model, NULL), MPL_OK);
    for (;; n++) {
        struct mpl_err err = { 0 };
        enum mpl_status st;

        mpl_alloc_fail_after(n);
        st = mpl_sync_times_keep(p.model, arena, &p.recorded, &err);
        if (st == MPL_OK) {
            st = mpl_sync_write(p.model, p.recorded, NULL, target, false, NULL, &err);
        }
        mpl_alloc_fail_after(-1);
        if (st == MPL_OK) {
            break;
        }
        ck_assert_int_eq(st, MPL_E_NOMEM);
        nothing_is_left();
    }
    ck_assert_int_gt(n, 50);
    ck_assert_uint_eq(sync_count_names(folder, "copy"), 1);
}
END_TEST

/* The largest file that may be written: each of the files meets the limit somewhere. */
START_TEST(full_disk_is_an_error_and_nothing_is_left)
{
    static const rlim_t limits[] = { 1, 60, 100, 1000, 5000, 20000, 280000 };

    (void) signal(SIGXFSZ, SIG_IGN);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        const struct rlimit full = { limits[i], RLIM_INFINITY };
        const struct rlimit free = { RLIM_INFINITY, RLIM_INFINITY };
        struct mpl_err err = { 0 };
        enum mpl_status st;

        ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &full), 0);
        st = copy_to(source, target, false, &err);
        ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &free), 0);
        expect(st, MPL_E_IO, &err, "File too large");
        nothing_is_left();
    }
}
END_TEST

START_TEST(failed_replacement_leaves_the_old_copy)
{
    const struct rlimit full = { 1000, RLIM_INFINITY };
    const struct rlimit free = { RLIM_INFINITY, RLIM_INFINITY };
    const char *kept = mpl_arena_printf(arena, "%s/kept", folder);
    struct mpl_err err = { 0 };

    ck_assert_int_eq(copy_to(source, target, false, &err), MPL_OK);
    fixture_copy_tree(target, kept);
    (void) signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &full), 0);
    ck_assert_int_eq(copy_to(source, target, true, &err), MPL_E_IO);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &free), 0);
    ck_assert(sync_same_tree(target, kept, arena));
    ck_assert_uint_eq(sync_count_names(folder, "copy"), 1);
}
END_TEST

START_TEST(signal_that_is_held_back_ends_the_work)
{
    static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct mpl_err err = { 0 };
        sigset_t set;
        int taken = 0;

        (void) sigemptyset(&set);
        (void) sigaddset(&set, signals[i]);
        (void) pthread_sigmask(SIG_BLOCK, &set, NULL);
        (void) kill(getpid(), signals[i]);
        expect(copy_to(source, target, false, &err), MPL_E_IO, &err, "interrupted");
        nothing_is_left();
        ck_assert_int_eq(sigwait(&set, &taken), 0);
        ck_assert_int_eq(taken, signals[i]);
    }
}
END_TEST

/* ---- damage ------------------------------------------------------------------------------------ */

/** A copy is whole, whatever it was made from. */
static void check_files(void)
{
    for (unsigned l = 0; l < N_LOCATIONS; l++) {
        const char *path = mpl_arena_printf(arena, "%s/all/%u.evt", target, l);

        if (access(path, F_OK) == 0) {
            const char *fault = sync_items_read(path, CHUNK_BYTES, arena).fault;

            ck_assert_msg(fault == NULL, "%s: %s", path, fault);
        }
    }
}

static void try_damaged(const char *damaged)
{
    struct mpl_err err = { 0 };
    const enum mpl_status st = copy_to(damaged, target, false, &err);

    if (st == MPL_OK) {
        check_files();
        ck_assert_uint_eq(sync_count_names(folder, "copy"), 1);
        fixture_remove_tree(target);
    } else {
        ck_assert_msg(st == MPL_E_IO || st == MPL_E_SYNTAX || st == MPL_E_UNSUPPORTED,
                      "status %d", st);
        ck_assert_uint_ge(err.n, 2);
        nothing_is_left();
    }
}

static const char *damaged_archive(void)
{
    const char *damaged = mpl_arena_printf(arena, "%s/damaged", folder);

    fixture_copy_tree(source, damaged);
    return damaged;
}

static const char *const files[] = { "all/0.evt", "all/1.evt",  "all/3.evt",
                                     "all/0.def", "all/1.def",  "all/4.def",
                                     "all.def",   "all.marker", "all.otf2" };
enum { N_FILES = sizeof files / sizeof *files };

/* _i is the seed. */
START_TEST(flipped_bits_never_break_a_copy)
{
    const char *damaged = damaged_archive();

    srand((unsigned) _i);
    for (unsigned flip = 0; flip < FLIPS; flip++) {
        /* Events are what there is most of. */
        const char *name = files[rand() % 3 > 0 ? rand() % 3 : rand() % N_FILES];
        const char *path = mpl_arena_printf(arena, "%s/%s", damaged, name);
        size_t n;
        unsigned char *bytes = fixture_load(path, &n, arena);
        const size_t at = (size_t) rand() % n;
        const unsigned char before = bytes[at];

        bytes[at] ^= (unsigned char) (1u << rand() % 8);
        fixture_store(path, bytes, n);
        try_damaged(damaged);
        bytes[at] = before;
        fixture_store(path, bytes, n);
    }
}
END_TEST

START_TEST(cut_files_never_break_a_copy)
{
    const char *damaged = damaged_archive();

    for (size_t i = 0; i < N_FILES; i++) {
        const char *path = mpl_arena_printf(arena, "%s/%s", damaged, files[i]);
        size_t n;
        const unsigned char *bytes = fixture_load(path, &n, arena);

        for (size_t length = 0; length < n; length += 1 + n / 9) {
            fixture_store(path, bytes, length);
            try_damaged(damaged);
        }
        ck_assert_int_eq(unlink(path), 0);
        try_damaged(damaged);
        fixture_store(path, bytes, n);
    }
}
END_TEST

START_TEST(damaged_events_are_copied_up_to_the_damage_and_told)
{
    const char *damaged = damaged_archive();
    const char *path = mpl_arena_printf(arena, "%s/all/0.evt", damaged);
    const struct mpl_sync_times *recorded = NULL;
    struct mpl_model *model = NULL;
    const struct mpl_quality_note *note;
    struct sync_items items;
    size_t n;
    const unsigned char *bytes = fixture_load(path, &n, arena);

    items = sync_items_read(path, CHUNK_BYTES, arena);
    fixture_store(path, bytes, n * 6 / 10);
    ck_assert_int_eq(mpl_read(damaged, arena, NULL, &model, NULL), MPL_OK);
    ck_assert_int_eq(mpl_sync_times_keep(model, arena, &recorded, NULL), MPL_OK);
    ck_assert_int_eq(mpl_sync_write(model, recorded, NULL, target, false, NULL, NULL),
                     MPL_OK);
    note = mpl_quality_find(model->quality, "copy-ends-early");
    ck_assert_ptr_nonnull(note);
    ck_assert_uint_eq(note->count, 1);
    ck_assert_ptr_nonnull(strstr(note->text, "location 0"));

    const struct sync_items new = sync_items_read(
        mpl_arena_printf(arena, "%s/all/0.evt", target), CHUNK_BYTES, arena);
    ck_assert_ptr_null(new.fault);
    ck_assert_uint_gt(new.n, items.n / 2);
    ck_assert_uint_lt(new.n, items.n * 7 / 10);
    for (size_t i = 0; i < new.n; i++) {
        ck_assert_uint_eq(new.item[i].time, items.item[i].time);
        ck_assert_uint_eq(new.item[i].type, items.item[i].type);
    }
}
END_TEST

START_TEST(trace_that_changes_under_our_hands_is_refused)
{
    const char *damaged = damaged_archive();
    const char *path = mpl_arena_printf(arena, "%s/all/0.evt", damaged);
    const struct mpl_sync_times *recorded = NULL;
    struct mpl_model *model = NULL;
    struct mpl_err err = { 0 };
    size_t n;
    unsigned char *bytes = fixture_load(path, &n, arena);

    ck_assert_int_eq(mpl_read(damaged, arena, NULL, &model, NULL), MPL_OK);
    ck_assert_int_eq(mpl_sync_times_keep(model, arena, &recorded, NULL), MPL_OK);
    bytes[19]--; /* the first time, of an enter that is kept */
    fixture_store(path, bytes, n);
    expect(mpl_sync_write(model, recorded, NULL, target, false, NULL, &err), MPL_E_IO, &err,
           "has changed");
    nothing_is_left();
}
END_TEST

START_TEST(location_whose_clock_nobody_tells_is_refused)
{
    const char *damaged = damaged_archive();
    struct mpl_err err = { 0 };

    /* Without the events of rank 1 its metrics have no clock but that of the same node. */
    ck_assert_int_eq(unlink(mpl_arena_printf(arena, "%s/all/1.evt", damaged)), 0);
    ck_assert_int_eq(copy_to(damaged, target, false, &err), MPL_OK);
    fixture_remove_tree(target);
    /* And where nodes are not distinguished, none at all: the class of the node is no node. */
    {
        const char *path = mpl_arena_printf(arena, "%s/all.def", damaged);
        size_t n;
        unsigned char *bytes = fixture_load(path, &n, arena);

        for (size_t i = 0; i + 6 < n; i++) {
            if (memcmp(bytes + i, "node", 5) == 0) {
                bytes[i] = 'c';
            }
        }
        fixture_store(path, bytes, n);
    }
    expect(copy_to(damaged, target, false, &err), MPL_E_UNSUPPORTED, &err, "location 4");
    nothing_is_left();
}
END_TEST

int main(void)
{
    char path[4096];

    /* Each copy is stored on the disk before it gets its name; in memory that takes no time. */
    if (getenv("TMPDIR") == NULL && access("/dev/shm", W_OK) == 0) {
        (void) setenv("TMPDIR", "/dev/shm", 1);
    }
    (void) snprintf(path, sizeof path, "%s/below/source", fixture_scratch());
    (void) mkdir(
        mpl_arena_printf(arena = mpl_arena_create(), "%s/below", fixture_scratch()), 0777);
    mpl_arena_destroy(arena);
    source = path;
    if (!sync_archive_write(source, 3)) {
        return EXIT_FAILURE;
    }

    Suite *suite = suite_create("sync_faults");
    TCase *tcase = add_case(suite, "faults", set_up, destroy_arena);

    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, existing_copy_is_replaced_only_when_asked);
    tcase_add_test(tcase, folder_that_holds_something_else_is_never_replaced);
    tcase_add_test(tcase, copy_must_not_touch_the_trace);
    tcase_add_test(tcase, copy_may_lie_beside_an_anchor_that_was_named);
    tcase_add_test(tcase, text_trace_cannot_be_copied);
    tcase_add_test(tcase, folder_that_cannot_be_made_is_told);
    tcase_add_test(tcase, no_memory_at_any_moment_is_an_error_and_nothing_is_left);
    tcase_add_test(tcase, full_disk_is_an_error_and_nothing_is_left);
    tcase_add_test(tcase, failed_replacement_leaves_the_old_copy);
    tcase_add_test(tcase, signal_that_is_held_back_ends_the_work);
    tcase_add_loop_test(tcase, flipped_bits_never_break_a_copy, 0, seeds_of(SEEDS));
    tcase_add_test(tcase, cut_files_never_break_a_copy);
    tcase_add_test(tcase, damaged_events_are_copied_up_to_the_damage_and_told);
    tcase_add_test(tcase, trace_that_changes_under_our_hands_is_refused);
    tcase_add_test(tcase, location_whose_clock_nobody_tells_is_refused);
    return run_suite(suite);
}
