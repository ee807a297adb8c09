#include "config.h"

#include <check.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"

#include "../lib/arena.h"
#include "../lib/suite.h"

/* ---- errors ---- */

START_TEST(first_clause_sets_the_code_and_wraps_keep_it)
{
    struct mpl_err err = { 0 };

    ck_assert_int_eq(mpl_fail(&err, MPL_E_SYNTAX, "line %d is cut", 3), MPL_E_SYNTAX);
    ck_assert_int_eq(mpl_wrap(&err, MPL_E_IO, "cannot read \"%s\"", "a"), MPL_E_SYNTAX);
    ck_assert_int_eq(err.code, MPL_E_SYNTAX);
    ck_assert_uint_eq(err.n, 2);
    ck_assert_str_eq(err.cause[0].text, "line 3 is cut");
    ck_assert_str_eq(err.cause[1].text, "cannot read \"a\"");
}
END_TEST

START_TEST(wrapping_an_empty_story_takes_the_status)
{
    struct mpl_err err = { 0 };

    ck_assert_int_eq(mpl_wrap(&err, MPL_E_LIMIT, "cannot go on"), MPL_E_LIMIT);
    ck_assert_int_eq(err.code, MPL_E_LIMIT);
}
END_TEST

START_TEST(callers_may_pass_no_error)
{
    ck_assert_int_eq(mpl_fail(NULL, MPL_E_IO, "x"), MPL_E_IO);
    ck_assert_int_eq(mpl_wrap(NULL, MPL_E_IO, "x"), MPL_E_IO);
    ck_assert_int_eq(mpl_nomem(NULL), MPL_E_NOMEM);
}
END_TEST

START_TEST(full_story_drops_the_middle)
{
    struct mpl_err err = { 0 };

    mpl_fail(&err, MPL_E_IO, "0");
    for (int i = 1; i < 10; i++) {
        mpl_wrap(&err, MPL_E_IO, "%d", i);
    }
    ck_assert_uint_eq(err.n, MPL_ERR_CAUSES);
    ck_assert_str_eq(err.cause[0].text, "0");
    ck_assert_str_eq(err.cause[1].text, "1");
    ck_assert_str_eq(err.cause[2].text, "2");
    ck_assert_str_eq(err.cause[3].text, "7");
    ck_assert_str_eq(err.cause[5].text, "9");
}
END_TEST

START_TEST(long_clause_is_cut_between_characters)
{
    struct mpl_err err = { 0 };
    char text[2 * MPL_ERR_TEXT + 1];

    /* Two bytes each, behind one letter: the cut would fall inside a character. */
    text[0] = 'a';
    for (size_t i = 1; i + 2 < sizeof text; i += 2) {
        memcpy(text + i, "\xC3\xA4", 3);
    }
    mpl_fail(&err, MPL_E_IO, "%s", text);

    const size_t n = strlen(err.cause[0].text);

    ck_assert_uint_lt(n, MPL_ERR_TEXT);
    ck_assert_uint_ge(n, MPL_ERR_TEXT - 5);
    ck_assert_str_eq(err.cause[0].text + n - 5, "\xC3\xA4...");
}
END_TEST

START_TEST(error_prints_what_was_asked_first_and_why_last)
{
    struct mpl_err err = { 0 };
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);

    mpl_fail(&err, MPL_E_SYNTAX, "INVALID_DATA: \033[2J no chunk");
    mpl_wrap(&err, MPL_E_SYNTAX, "could not read data from anchor file");
    mpl_wrap(&err, MPL_E_SYNTAX, "cannot read trace \"run7\"");
    mpl_err_print(&err, out);
    fclose(out);
    ck_assert_str_eq(text, "marple: cannot read trace \"run7\"\n"
                           "  because could not read data from anchor file\n"
                           "  because INVALID_DATA: ?[2J no chunk\n");
    free(text);
}
END_TEST

START_TEST(sentence_of_an_error_outlives_it_and_gives_the_innermost_clause_first)
{
    struct mpl_arena *kept = mpl_arena_create();
    struct mpl_err err = { 0 };

    mpl_fail(&err, MPL_E_SYNTAX, "no file \"a\"; did you mean \"b\"?");
    const char *one = mpl_err_sentence(kept, &err);

    mpl_wrap(&err, MPL_E_SYNTAX, "cannot read");
    const char *two = mpl_err_sentence(kept, &err);

    memset(&err, 'x', sizeof err);
    ck_assert_str_eq(one, "no file \"a\"; did you mean \"b\"?");
    ck_assert_str_eq(two, "no file \"a\"; did you mean \"b\"? (cannot read)");
    mpl_fail(&err, MPL_E_SYNTAX, "no chunk");
    mpl_wrap(&err, MPL_E_SYNTAX, "cannot read");
    ck_assert_str_eq(mpl_err_sentence(kept, &err), "no chunk; cannot read");
    mpl_arena_destroy(kept);
}
END_TEST

/* ---- log ---- */

START_TEST(log_level_comes_from_the_environment)
{
    const char *const names[] = { "error", "warn", "info", "debug", "nonsense" };
    const enum mpl_log_level levels[] = { MPL_LOG_ERROR, MPL_LOG_WARN, MPL_LOG_INFO,
                                          MPL_LOG_DEBUG, MPL_LOG_WARN };

    /* Each round of a loop test has a process of its own, so "once" is not in the way. */
    setenv("MARPLE_LOG", names[_i], 1);
    ck_assert_int_eq(mpl_log_level(), levels[_i]);
    setenv("MARPLE_LOG", "error", 1);
    ck_assert_int_eq(mpl_log_level(), levels[_i]);
}
END_TEST

START_TEST(log_line_names_module_and_level)
{
    char text[100] = "";
    FILE *kept = tmpfile();

    setenv("MARPLE_LOG", "info", 1);
    fflush(stderr);
    ck_assert_int_ge(dup2(fileno(kept), STDERR_FILENO), 0);
    mpl_log(MPL_LOG_INFO, "read", "%d locations", 7);
    mpl_log(MPL_LOG_DEBUG, "read", "not shown");
    fflush(stderr);
    rewind(kept);

    const size_t n = fread(text, 1, sizeof text - 1, kept);

    ck_assert_uint_eq(n, strlen("[read] info: 7 locations\n"));
    ck_assert_str_eq(text, "[read] info: 7 locations\n");
    fclose(kept);
}
END_TEST

static void count_calls(void *context, const char *what, uint64_t done, uint64_t total)
{
    ck_assert_str_eq(what, "reading events");
    ck_assert_uint_eq(done, 3);
    ck_assert_uint_eq(total, 7);
    ++*(int *) context;
}

START_TEST(progress_is_told_to_whoever_asked_only)
{
    int n = 0;
    const struct mpl_progress asked = { count_calls, &n };
    const struct mpl_progress silent = { NULL, &n };

    mpl_progress_tell(&asked, "reading events", 3, 7);
    mpl_progress_tell(&silent, "reading events", 3, 7);
    mpl_progress_tell(NULL, "reading events", 3, 7);
    ck_assert_int_eq(n, 1);
}
END_TEST

/* ---- arena ---- */

static bool is_all(const unsigned char *bytes, size_t n, unsigned char value)
{
    while (n > 0 && bytes[n - 1] == value) {
        n--;
    }
    return n == 0;
}

/* _i is the seed. */
START_TEST(arena_items_are_zeroed_aligned_and_apart)
{
    enum { N = 400 };
    unsigned char *items[N];
    size_t sizes[N];
    size_t sum = 0;

    srand((unsigned) _i);
    for (int k = 0; k < N; k++) {
        sizes[k] = (size_t) rand() % (k % 20 == 0 ? 100000 : 300);
        items[k] = mpl_arena_alloc(arena, sizes[k]);
        ck_assert_ptr_nonnull(items[k]);
        ck_assert_uint_eq((uintptr_t) items[k] % _Alignof(max_align_t), 0);
        ck_assert_msg(is_all(items[k], sizes[k], 0), "seed %d: item %d", _i, k);
        memset(items[k], k % 255 + 1, sizes[k]);
        sum += sizes[k];
    }
    for (int k = 0; k < N; k++) {
        ck_assert_msg(is_all(items[k], sizes[k], (unsigned char) (k % 255 + 1)),
                      "seed %d: item %d", _i, k);
    }
    ck_assert_uint_eq(mpl_arena_bytes(arena), sum);
}
END_TEST

START_TEST(arena_refuses_arrays_that_overflow)
{
    ck_assert_ptr_null(mpl_arena_array(arena, SIZE_MAX / 2, 3));
    ck_assert_ptr_null(mpl_arena_unset(arena, SIZE_MAX / 2, 3));
    ck_assert(mpl_arena_is_short(arena));
    ck_assert_ptr_null(mpl_arena_alloc(arena, SIZE_MAX));
    ck_assert_ptr_nonnull(mpl_arena_array(arena, 0, 8));
    ck_assert_ptr_nonnull(mpl_arena_unset(arena, 0, 8));
}
END_TEST

START_TEST(arena_texts_are_copies)
{
    char text[] = "abc";
    char *copy = mpl_arena_strdup(arena, text);
    char *part = mpl_arena_strndup(arena, text, 2);

    text[0] = 'x';
    ck_assert_str_eq(copy, "abc");
    ck_assert_str_eq(part, "ab");
    ck_assert_str_eq(mpl_arena_strndup(arena, "ab", 99), "ab");
    ck_assert_str_eq(mpl_arena_printf(arena, "%s-%d", copy, 7), "abc-7");
}
END_TEST

static void count(void *counter)
{
    ++*(int *) counter;
}

START_TEST(arena_that_absorbs_another_owns_all)
{
    struct mpl_arena *other = mpl_arena_create();
    int n_destroyed = 0;
    char *small = mpl_arena_strdup(other, "small");
    char *large = mpl_arena_alloc(other, 1 << 20);
    const size_t before = mpl_arena_bytes(arena);
    const size_t absorbed = mpl_arena_bytes(other);

    ck_assert(mpl_arena_keep(other, &n_destroyed, count));
    mpl_arena_set_short(other);
    mpl_arena_absorb(arena, other);
    mpl_arena_absorb(arena, mpl_arena_create());
    mpl_arena_absorb(arena, NULL);
    ck_assert_str_eq(small, "small");
    large[(1 << 20) - 1] = 'x';
    ck_assert_uint_ge(mpl_arena_bytes(arena), before + absorbed);
    ck_assert(mpl_arena_is_short(arena));
    ck_assert_int_eq(n_destroyed, 0);
    mpl_arena_destroy(arena);
    ck_assert_int_eq(n_destroyed, 1);
    arena = mpl_arena_create();
}
END_TEST

START_TEST(chosen_allocation_fails_and_no_other)
{
    mpl_alloc_fail_after(1);
    ck_assert_ptr_nonnull(mpl_arena_alloc(arena, 8));
    ck_assert_ptr_null(mpl_arena_alloc(arena, 8));
    ck_assert_ptr_nonnull(mpl_arena_alloc(arena, 8));

    mpl_alloc_fail_after(0);
    ck_assert_ptr_null(mpl_arena_printf(arena, "x"));
    mpl_alloc_fail_after(0);
    ck_assert_ptr_null(mpl_arena_create());
}
END_TEST

/* ---- buffer ---- */

START_TEST(buffer_keeps_items_in_order_and_gives_them_away)
{
    struct mpl_buf buf = mpl_buf_make(sizeof(int));

    for (int i = 0; i < 1000; i++) {
        int *item = mpl_buf_add(&buf);

        ck_assert_int_eq(*item, 0);
        *item = i * i;
    }
    ck_assert_int_eq(*(int *) mpl_buf_get(&buf, 31), 961);

    const int *items = mpl_buf_take(&buf, arena);

    ck_assert_int_eq(items[999], 998001);
    ck_assert_uint_eq(buf.n, 0);
    ck_assert_ptr_null(buf.data);
    ck_assert_ptr_nonnull(mpl_buf_add(&buf));
    ck_assert_int_eq(*(int *) mpl_buf_get(&buf, 0), 0);
    mpl_buf_free(&buf);
}
END_TEST

/* Periods of 3, and with \p _i no period at all; a second round begins anew. */
START_TEST(distinct_items_are_kept_once)
{
    struct mpl_distinct distinct = mpl_distinct_make(3 * sizeof(uint64_t));
    const uint64_t period = _i == 0 ? 3 : 10000;

    for (uint64_t round = 0; round < 2; round++) {
        uint32_t at[10000];

        for (uint64_t i = 0; i < 10000; i++) {
            const uint64_t item[3] = { round, 7, i % period };

            at[i] = mpl_distinct_add(&distinct, item);
        }
        ck_assert_uint_eq(distinct.items.n, period);

        const uint64_t(*items)[3] = mpl_distinct_take(&distinct, arena);

        for (uint64_t i = 0; i < 10000; i++) {
            ck_assert_uint_eq(items[at[i]][0], round);
            ck_assert_uint_eq(items[at[i]][2], i % period);
        }
        ck_assert_uint_eq(distinct.items.n, 0);
    }
    mpl_distinct_free(&distinct);
}
END_TEST

START_TEST(distinct_without_memory)
{
    struct mpl_distinct distinct = mpl_distinct_make(sizeof(uint64_t));
    const uint64_t item = 5;

    for (int i = 0; i < 2; i++) {
        mpl_alloc_fail_after(i);
        ck_assert_uint_eq(mpl_distinct_add(&distinct, &item), MPL_NONE);
    }
    mpl_alloc_fail_after(-1);
    ck_assert_uint_eq(mpl_distinct_add(&distinct, &item), 0);
    mpl_distinct_free(&distinct);
}
END_TEST

/* What is drained stays where it is, also when the buffer needs another block; _i says how much is in the buffer then. */
START_TEST(drained_buffer_goes_on_behind)
{
    const int n = _i == 0 ? 1000 : 1 << 20;
    struct mpl_buf buf = mpl_buf_make(sizeof(int));
    const int *items[5];

    for (int k = 0; k < 5; k++) {
        for (int i = 0; i < n; i++) {
            *(int *) mpl_buf_add(&buf) = k * n + i;
        }

        const void *data = buf.data;

        items[k] = mpl_buf_drain(&buf, buf.n, arena);
        ck_assert_ptr_eq(items[k], data);
        ck_assert_uint_eq(buf.n, 0);
    }
    *(int *) mpl_buf_add(&buf) = -1;
    /* An assertion that holds costs microseconds, too, and here are five million numbers. */
    for (int k = 0; k < 5; k++) {
        for (int i = 0; i < n; i++) {
            if (items[k][i] != k * n + i) {
                ck_assert_int_eq(items[k][i], k * n + i);
            }
        }
    }
    ck_assert_int_eq(*(int *) mpl_buf_take(&buf, arena), -1);
    ck_assert_uint_eq(buf.room, 0);
    mpl_buf_free(&buf);
}
END_TEST

START_TEST(empty_buffer_gives_an_empty_array)
{
    struct mpl_buf buf = mpl_buf_make(sizeof(int));

    ck_assert_ptr_nonnull(mpl_buf_take(&buf, arena));
}
END_TEST

START_TEST(buffer_without_memory_keeps_what_it_has)
{
    struct mpl_buf buf = mpl_buf_make(sizeof(int));
    size_t n = 0;

    *(int *) mpl_buf_add(&buf) = 5;
    mpl_alloc_fail_after(0);
    while (mpl_buf_add(&buf) != NULL) {
        n++;
    }
    ck_assert_uint_eq(buf.n, n + 1);
    mpl_alloc_fail_after(0);
    ck_assert_ptr_null(mpl_buf_take(&buf, arena));
    ck_assert_uint_eq(buf.n, n + 1);
    ck_assert_int_eq(*(int *) mpl_buf_get(&buf, 0), 5);
    mpl_buf_free(&buf);
}
END_TEST

START_TEST(reading_behind_the_end_of_a_buffer_is_a_bug)
{
    struct mpl_buf buf = mpl_buf_make(sizeof(int));

    mpl_buf_get(&buf, 0);
}
END_TEST

/* ---- map ---- */

/*
 * The map against plain arrays: keys come from a range small enough to meet again, and
 * from the corners of 64 bits. _i is the seed.
 */
START_TEST(map_answers_like_a_plain_array)
{
    enum { N = 3000 };
    struct mpl_map *map = mpl_map_create();
    uint64_t keys[N];
    uint32_t values[N];
    size_t n = 0;

    srand((unsigned) _i);
    for (int step = 0; step < 2 * N; step++) {
        const uint64_t low = (uint64_t) (rand() % N);
        const uint64_t key = rand() % 3 == 0 ? low << 32 : rand() % 9 == 0 ? ~low : low;
        const uint32_t value = (uint32_t) rand();
        size_t at = 0;

        while (at < n && keys[at] != key) {
            at++;
        }
        ck_assert_msg(mpl_map_find(map, key) == (at < n ? values[at] : MPL_NONE),
                      "seed %d, step %d, key %" PRIu64, _i, step, key);
        if (at == n && n == N) {
            continue;
        }
        ck_assert(mpl_map_put(map, key, value));
        keys[at] = key;
        values[at] = value;
        n += at == n ? 1 : 0;
        ck_assert_uint_eq(mpl_map_count(map), n);
    }
    for (size_t i = 0; i < n; i++) {
        ck_assert_uint_eq(mpl_map_find(map, keys[i]), values[i]);
    }
    mpl_map_destroy(map);
}
END_TEST

START_TEST(map_without_memory_stays_as_it_was)
{
    struct mpl_map *map = mpl_map_create();
    uint64_t n = 0;
    unsigned n_refused = 0;

    /* Every growth fails once; the map must go on when memory is back. */
    while (n < 500) {
        mpl_alloc_fail_after(0);
        if (!mpl_map_put(map, n, (uint32_t) n)) {
            ck_assert_uint_eq(mpl_map_find(map, n), MPL_NONE);
            ck_assert_uint_eq(mpl_map_count(map), n);
            ck_assert(mpl_map_put(map, n, (uint32_t) n));
            n_refused++;
        }
        n++;
        mpl_alloc_fail_after(-1);
    }
    ck_assert_uint_gt(n_refused, 0);
    for (uint64_t i = 0; i < n; i++) {
        ck_assert_uint_eq(mpl_map_find(map, i), i);
    }
    mpl_map_destroy(map);
    mpl_map_destroy(NULL);
}
END_TEST

/* ---- names ---- */

START_TEST(names_are_numbered_in_order_of_first_sight)
{
    struct mpl_names *names = mpl_names_create();

    ck_assert_uint_eq(mpl_names_find(names, "a"), MPL_NONE);
    ck_assert_uint_eq(mpl_names_put(names, "MPI_Send"), 0);
    ck_assert_uint_eq(mpl_names_put(names, ""), 1);
    ck_assert_uint_eq(mpl_names_put(names, "MPI_Send"), 0);
    for (unsigned i = 2; i < 5000; i++) {
        char text[16];

        (void) snprintf(text, sizeof text, "f%u", i);
        ck_assert_uint_eq(mpl_names_put(names, text), i);
    }
    ck_assert_str_eq(mpl_names_text(names, 0), "MPI_Send");
    ck_assert_str_eq(mpl_names_text(names, 1), "");
    ck_assert_str_eq(mpl_names_text(names, 4711), "f4711");
    ck_assert_uint_eq(mpl_names_find(names, "f4711"), 4711);
    ck_assert_uint_eq(mpl_names_find(names, "f5000"), MPL_NONE);
    ck_assert_uint_eq(mpl_names_count(names), 5000);
    /* A text of our own may move while it is put. */
    ck_assert_uint_eq(mpl_names_put(names, mpl_names_text(names, 3)), 3);
    mpl_names_destroy(names);
}
END_TEST

START_TEST(names_without_memory_stay_as_they_were)
{
    unsigned n_refused = 0;

    for (long failing = 0; failing < 40; failing++) {
        struct mpl_names *names = mpl_names_create();
        uint32_t n = 0;

        mpl_alloc_fail_after(failing);
        for (; n < 200; n++) {
            char text[64];

            (void) snprintf(text, sizeof text, "a rather long name, number %u", n);
            if (mpl_names_put(names, text) == MPL_NONE) {
                ck_assert_uint_eq(mpl_names_count(names), n);
                ck_assert_uint_eq(mpl_names_find(names, text), MPL_NONE);
                ck_assert_uint_eq(mpl_names_put(names, text), n);
                n_refused++;
            }
        }
        mpl_alloc_fail_after(-1);
        ck_assert_str_eq(mpl_names_text(names, 0), "a rather long name, number 0");
        ck_assert_str_eq(mpl_names_text(names, 199), "a rather long name, number 199");
        mpl_names_destroy(names);
    }
    ck_assert_uint_gt(n_refused, 0);
    mpl_names_destroy(NULL);
}
END_TEST

/* ---- quality ---- */

START_TEST(quality_notes_are_counted_and_located_once_each)
{
    struct mpl_quality *quality = mpl_quality_create(arena);

    mpl_quality_add(quality, "unmatched-send", 9, 2, "%s of sends", "some");
    mpl_quality_add(quality, "clock", MPL_NONE, 1, "the clock is off");
    mpl_quality_add(quality, "unmatched-send", 3, 1, NULL);
    mpl_quality_add(quality, "unmatched-send", 9, 4, NULL);
    mpl_quality_add(quality, "unmatched-send", 5, 1, NULL);
    mpl_quality_add(quality, "unmatched-send", 12, 0, NULL);
    ck_assert_uint_eq(mpl_quality_count(quality), 2);

    const struct mpl_quality_note *note = mpl_quality_get(quality, 0);

    ck_assert_str_eq(note->note, "unmatched-send");
    ck_assert_str_eq(note->text, "some of sends");
    ck_assert_uint_eq(note->count, 8);
    ck_assert_uint_eq(note->n_locations, 4);
    ck_assert_uint_eq(note->locations[0], 3);
    ck_assert_uint_eq(note->locations[1], 5);
    ck_assert_uint_eq(note->locations[2], 9);
    ck_assert_uint_eq(note->locations[3], 12);
    ck_assert_uint_eq(mpl_quality_find(quality, "clock")->n_locations, 0);
    ck_assert_ptr_null(mpl_quality_find(quality, "nothing"));
}
END_TEST

/* _i is the seed. */
START_TEST(quality_locations_ascend_in_whatever_order_they_come)
{
    struct mpl_quality *quality = mpl_quality_create(arena);
    bool is_seen[500] = { false };
    uint32_t n = 0;

    srand((unsigned) _i);
    for (int k = 0; k < 600; k++) {
        const uint32_t location = (uint32_t) (rand() % 500);

        mpl_quality_add(quality, "n", location, 1, "text");
        n += is_seen[location] ? 0 : 1;
        is_seen[location] = true;
    }

    const struct mpl_quality_note *note = mpl_quality_find(quality, "n");

    ck_assert_msg(note->n_locations == n, "seed %d", _i);
    for (uint32_t i = 0; i < n; i++) {
        ck_assert_msg(is_seen[note->locations[i]], "seed %d", _i);
        ck_assert_msg(i == 0 || note->locations[i - 1] < note->locations[i], "seed %d", _i);
    }
}
END_TEST

START_TEST(quality_without_memory_says_that_notes_are_missing)
{
    long n = 0;

    for (bool is_complete = false; !is_complete; n++) {
        struct mpl_quality *quality = mpl_quality_create(arena);

        mpl_alloc_fail_after(n);
        for (uint32_t location = 0; location < 20; location++) {
            mpl_quality_add(quality, "a", location, 1, "first %d", 1);
            mpl_quality_add(quality, "b", MPL_NONE, 1, "second");
        }
        mpl_alloc_fail_after(-1);

        /* Whatever failed, every occurrence is in some note. */
        uint64_t sum = 0;

        for (size_t i = 0; i < mpl_quality_count(quality); i++) {
            sum += mpl_quality_get(quality, i)->count;
        }
        ck_assert_uint_eq(sum, 40);

        const struct mpl_quality_note *a = mpl_quality_find(quality, "a");

        is_complete =
            mpl_quality_find(quality, "lost-notes") == NULL && a->n_locations == 20;
    }
    ck_assert_int_gt(n, 8);
    mpl_alloc_fail_after(0);
    ck_assert_ptr_null(mpl_quality_create(arena));
}
END_TEST

/* As it is defined: from the largest one down. */
static int64_t usual_by_sorting(const int64_t *values, size_t n)
{
    int64_t sorted[64];
    int64_t all = 0;
    int64_t sum = 0;

    memcpy(sorted, values, n * sizeof *values);
    qsort(sorted, n, sizeof *sorted, mpl_compare_i64);
    for (size_t i = 0; i < n; i++) {
        all += sorted[i];
    }
    for (size_t i = n; i-- > 0;) {
        sum += sorted[i];
        if (2 * sum >= all) {
            return sorted[i];
        }
    }
    return -1;
}

START_TEST(usual_is_where_half_of_the_sum_is_reached)
{
    unsigned random = 7;

    for (unsigned round = 0; round < 20000; round++) {
        const size_t n = 1 + round % 64;
        const unsigned most = 1 + round / 64 % 40;
        int64_t values[64];

        for (size_t i = 0; i < n; i++) {
            random = random * 1103515245 + 12345;
            values[i] = (random >> 16) % most;
        }
        const int64_t expected = usual_by_sorting(values, n);

        ck_assert_int_eq(mpl_usual(values, n), expected);
    }
}
END_TEST

START_TEST(median_is_the_middle)
{
    double odd[] = { 9, -1, 4 };
    double even[] = { 8, 1, 4, 2 };

    ck_assert_double_eq(mpl_median(odd, 3), 4);
    ck_assert_double_eq(odd[0], -1);
    ck_assert_double_eq(mpl_median(even, 4), 3);
    ck_assert_double_eq(mpl_median(even, 1), 1);
    ck_assert(isnan(mpl_median(NULL, 0)));
}
END_TEST

struct few {
    int64_t key;
    uint32_t place; /* before */
};

static int by_key(const void *x, const void *y)
{
    return mpl_compare_i64(&((const struct few *) x)->key, &((const struct few *) y)->key);
}

START_TEST(few_are_sorted_and_equal_ones_keep_their_order)
{
    enum { MOST = MPL_SORT_FEW + 8 };
    struct few items[MOST];

    mpl_sort_few(NULL, 0, sizeof *items, by_key);
    for (uint32_t n = 0; n <= MOST; n++) {
        bool is_seen[MOST] = { false };

        for (uint32_t i = 0; i < n; i++) {
            items[i] = (struct few){ (int64_t) (i * 7 % 5) - 2, i };
        }
        mpl_sort_few(items, n, sizeof *items, by_key);
        for (uint32_t i = 0; i < n; i++) {
            ck_assert_uint_lt(items[i].place, n);
            ck_assert(!is_seen[items[i].place]);
            is_seen[items[i].place] = true;
            ck_assert_int_eq(items[i].key, (int64_t) (items[i].place * 7 % 5) - 2);
            ck_assert(i == 0 || items[i - 1].key <= items[i].key);
            ck_assert(i == 0 || n > MPL_SORT_FEW || items[i - 1].key < items[i].key ||
                      items[i - 1].place < items[i].place);
        }
    }
}
END_TEST

static void check_rounded(double number)
{
    char text[40];

    (void) snprintf(text, sizeof text, "%.5e", number);
    const double wanted = strtod(text, NULL);
    const double rounded = mpl_round_to_six_digits(number);

    ck_assert_msg(rounded == wanted, "%.17g is rounded to %.17g", number, rounded);
}

START_TEST(a_program_is_looked_for_as_the_system_does)
{
    static const struct {
        const char *path;
        bool has_sh; /* An empty folder is the current one. */
    } paths[] = { { ":/bin", true },
                  { "/bin:", true },
                  { "/no::/bin", true },
                  { ":", false },
                  { "", false } };
    char *kept = strdup(getenv("PATH"));

    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        ck_assert_int_eq(setenv("PATH", paths[i].path, 1), 0);
        ck_assert_ptr_null(mpl_program_file("no-such-program", arena));
        ck_assert_msg((mpl_program_file("sh", arena) != NULL) == paths[i].has_sh, "%s",
                      paths[i].path);
    }
    ck_assert_int_eq(setenv("PATH", kept, 1), 0);
    free(kept);
    ck_assert_str_eq(mpl_program_file("/bin/sh", arena), "/bin/sh");
    ck_assert_ptr_null(mpl_program_file("/bin/no-such-program", arena));
    ck_assert_ptr_null(mpl_program_file("/etc/passwd", arena));
    ck_assert_ptr_null(mpl_program_file("/", arena));
}
END_TEST

START_TEST(rounding_to_six_digits_is_what_printing_them_and_reading_them_makes)
{
    static const double special[] = { 0,           -0.0,     1,       999999.5, 9999995,
                                      0.1234565,   1e-300,   5e-324,  1e300,    1e-15,
                                      1e21,        1e-16,    -2.5e-7, 99999.95, 1e5 + .5,
                                      0.999999500, 1234565e9 };
    uint64_t state = 7;

    for (size_t i = 0; i < sizeof special / sizeof special[0]; i++) {
        check_rounded(special[i]);
        check_rounded(nextafter(special[i], INFINITY));
        check_rounded(nextafter(special[i], -INFINITY));
    }
    ck_assert(!signbit(mpl_round_to_six_digits(-0.0)));
    for (int i = 0; i < 200000; i++) {
        state = mpl_hash_mix(state + 1);
        const double mantissa = (double) (state >> 11) * 0x1p-53 - 0.5;
        const double number = ldexp(mantissa, (int) (state % 160) - 80);

        check_rounded(number);
        check_rounded(strtod(i % 2 == 0 ? "1e9" : "1e-9", NULL) *
                      (double) (state % 4000001) / 2);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("base");
    TCase *tcase = add_case(suite, "all", create_arena, destroy_arena);

    tcase_add_test(tcase, first_clause_sets_the_code_and_wraps_keep_it);
    tcase_add_test(tcase, wrapping_an_empty_story_takes_the_status);
    tcase_add_test(tcase, callers_may_pass_no_error);
    tcase_add_test(tcase, full_story_drops_the_middle);
    tcase_add_test(tcase, long_clause_is_cut_between_characters);
    tcase_add_test(tcase, error_prints_what_was_asked_first_and_why_last);
    tcase_add_test(tcase,
                   sentence_of_an_error_outlives_it_and_gives_the_innermost_clause_first);
    tcase_add_loop_test(tcase, log_level_comes_from_the_environment, 0, 5);
    tcase_add_test(tcase, log_line_names_module_and_level);
    tcase_add_test(tcase, progress_is_told_to_whoever_asked_only);
    tcase_add_loop_test(tcase, arena_items_are_zeroed_aligned_and_apart, 0, 5);
    tcase_add_test(tcase, arena_refuses_arrays_that_overflow);
    tcase_add_test(tcase, arena_texts_are_copies);
    tcase_add_test(tcase, arena_that_absorbs_another_owns_all);
    tcase_add_test(tcase, chosen_allocation_fails_and_no_other);
    tcase_add_test(tcase, buffer_keeps_items_in_order_and_gives_them_away);
    tcase_add_loop_test(tcase, drained_buffer_goes_on_behind, 0, 2);
    tcase_add_loop_test(tcase, distinct_items_are_kept_once, 0, 2);
    tcase_add_test(tcase, distinct_without_memory);
    tcase_add_test(tcase, empty_buffer_gives_an_empty_array);
    tcase_add_test(tcase, buffer_without_memory_keeps_what_it_has);
    tcase_add_test_raise_signal(tcase, reading_behind_the_end_of_a_buffer_is_a_bug,
                                SIGABRT);
    tcase_add_loop_test(tcase, map_answers_like_a_plain_array, 0, 10);
    tcase_add_test(tcase, map_without_memory_stays_as_it_was);
    tcase_add_test(tcase, names_are_numbered_in_order_of_first_sight);
    tcase_add_test(tcase, names_without_memory_stay_as_they_were);
    tcase_add_test(tcase, quality_notes_are_counted_and_located_once_each);
    tcase_add_loop_test(tcase, quality_locations_ascend_in_whatever_order_they_come, 0, 10);
    tcase_add_test(tcase, quality_without_memory_says_that_notes_are_missing);
    tcase_add_test(tcase, usual_is_where_half_of_the_sum_is_reached);
    tcase_add_test(tcase, median_is_the_middle);
    tcase_add_test(tcase, few_are_sorted_and_equal_ones_keep_their_order);
    tcase_add_test(tcase, a_program_is_looked_for_as_the_system_does);
    tcase_add_test(tcase,
                   rounding_to_six_digits_is_what_printing_them_and_reading_them_makes);
    return run_suite(suite);
}
