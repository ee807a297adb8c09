/* Baselines: a model that is written and read again is the same, and damage is refused. */
#include "config.h"

#include "../lib/suite.h"
#include "all_traces.h"
#include "events_of.h"
#include "read/baseline_priv.h"
#include "read_fixture.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { N_DAMAGES = 3000 };

static bool keeps_all(const char *note)
{
    (void) note;
    return true;
}

/* As they are once clocks are corrected: one base for all. */
static struct mpl_timeline make_corrected(struct mpl_model *model)
{
    uint32_t *n_offsets = MPL_NEW_ARRAY(arena, model->n_locations, uint32_t);
    int64_t *bounds = MPL_NEW_ARRAY(arena, model->n_locations, int64_t);

    for (uint32_t l = 0; l < model->n_locations; l++) {
        model->locations[l].base_ticks = 0;
        model->locations[l].reference = l;
        bounds[l] = l % 3 == 0 ? INT64_MAX : l % 3 == 1 ? INT64_MIN : -7 * (int64_t) l;
    }
    model->has_common_clock = true;
    model->n_offsets = n_offsets;
    return (struct mpl_timeline){ 3, bounds, bounds, bounds };
}

static char *write_text(const struct mpl_model *model, const struct mpl_timeline *known,
                        size_t *n)
{
    struct mpl_draft draft;
    struct mpl_err err = { 0 };
    char *text;

    mpl_draft_open(&draft);
    ck_assert_int_eq(mpl_write_baseline(model, known, keeps_all, draft.out, &err), MPL_OK);
    fflush(draft.out);
    *n = draft.n;
    text = mpl_arena_strndup(arena, draft.text, draft.n);
    mpl_draft_close(&draft);
    return text;
}

static enum mpl_status read_back(const char *text, size_t n, struct mpl_model **out,
                                 struct mpl_err *err)
{
    const char *path = mpl_arena_printf(arena, "%s/baseline", fixture_scratch());

    fixture_store(path, (const unsigned char *) text, n);
    return mpl_read(path, arena, NULL, out, err);
}

static void check_round_trip(struct mpl_model *model)
{
    const struct mpl_timeline known = make_corrected(model);
    struct mpl_model *again = NULL;
    struct mpl_err err = { 0 };
    size_t n = 0;
    const char *text = write_text(model, &known, &n);
    const char *difference;

    ck_assert_msg(read_back(text, n, &again, &err) == MPL_OK, "%s: %s", model->path,
                  err.cause[0].text);
    mpl_model_check(again);
    difference = fixture_difference(model, again);
    ck_assert_msg(difference == NULL, "%s: %s", model->path, difference);
    ck_assert_uint_eq(again->timeline->source, known.source);
    for (uint32_t l = 0; l < model->n_locations; l++) {
        ck_assert_int_eq(again->timeline->low_ticks[l], known.low_ticks[l]);
        ck_assert_int_eq(again->locations[l].is_damaged, model->locations[l].is_damaged);
    }
    ck_assert_uint_eq(mpl_quality_count(again->quality), mpl_quality_count(model->quality));
}

static const char example[] =
    "rank 0: compute 0..50 isend 50..52 to 1 tag 7 as a wait 52..53 for a\n"
    "rank 0: barrier 60..61 reduce 62..63 root 1 bytes 8 send 64..65 to 1 send 66..67 to "
    "1\n"
    "rank 1: irecv 0..1 from 0 tag 7 as b compute 1..10 wait 10..53 for b\n"
    "rank 1: barrier 54..61 reduce 62..64 root 1 bytes 8 recv 64..66 from 0\n"
    "rank 1: recv 66..68 from 0\n";

/* ---- what is written comes back ------------------------------------------------------------------ */

START_TEST(numbers_come_back)
{
    static const uint64_t numbers[] = {
        0, 1, 31, 32, 1023, 1024, UINT32_MAX, INT64_MAX, UINT64_MAX - 1, UINT64_MAX
    };
    static const int64_t signeds[] = { 0, -1, 1, -16, 16, INT64_MIN, INT64_MAX };
    struct mpl_buf text = mpl_buf_make(1);
    const char *at;
    uint64_t x;
    int64_t y;

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        ck_assert(mpl_digits_put(&text, numbers[i]));
    }
    for (size_t i = 0; i < sizeof signeds / sizeof *signeds; i++) {
        ck_assert(mpl_digits_put_signed(&text, signeds[i]));
    }
    ck_assert_ptr_nonnull(mpl_buf_add(&text));
    at = text.data;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        ck_assert(mpl_digits_take(&at, &x));
        ck_assert_uint_eq(x, numbers[i]);
    }
    for (size_t i = 0; i < sizeof signeds / sizeof *signeds; i++) {
        ck_assert(mpl_digits_take_signed(&at, &y));
        ck_assert_int_eq(y, signeds[i]);
    }
    ck_assert(!mpl_digits_take(&at, &x));
    mpl_buf_free(&text);
}
END_TEST

START_TEST(what_is_no_number_is_refused)
{
    static const char *const wrong[] = {
        "", "!", "g", "gggggggggggggggggggggg", "_____________B", "____________Q"
    };

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const char *at = wrong[i];
        uint64_t x;

        ck_assert_msg(!mpl_digits_take(&at, &x), "%s", wrong[i]);
    }
}
END_TEST

START_TEST(repetitions_come_back_and_take_next_to_nothing)
{
    enum { N = 10000 };
    uint32_t *numbers = MPL_NEW_ARRAY(arena, N, uint32_t);
    uint32_t *again = MPL_NEW_ARRAY(arena, N, uint32_t);

    for (uint32_t length = 1; length < 40; length++) {
        struct mpl_coder to = mpl_coder_write();
        struct mpl_coder from;

        for (uint32_t i = 0; i < N; i++) {
            numbers[i] = i % 1000 == 999 ? (uint32_t) rand() % 9 : i % length;
        }
        ck_assert(mpl_repeats_write(numbers, N, &to));
        ck_assert_uint_lt(to.text.n, 300);
        ck_assert_ptr_nonnull(mpl_buf_add(&to.text));
        from = mpl_coder_read(to.text.data);
        ck_assert(mpl_repeats_read(&from, again, N, 40));
        ck_assert_int_eq(memcmp(numbers, again, N * sizeof *numbers), 0);
        mpl_buf_free(&to.text);
    }
}
END_TEST

START_TEST(a_model_comes_back)
{
    struct mpl_model *model = model_of_text(example, arena);

    for (int tracer = MPL_TRACER_UNKNOWN; tracer <= MPL_TRACER_MARPLE; tracer++) {
        model->tracer = (enum mpl_tracer) tracer;
        check_round_trip(model);
    }
}
END_TEST

static bool comes_back(const char *name, const char *path)
{
    struct mpl_model *model = NULL;

    (void) name;
    if (mpl_read(path, arena, NULL, &model, NULL) != MPL_OK) {
        return false;
    }
    check_round_trip(model);
    return true;
}

START_TEST(real_traces_come_back)
{
    look_at_all_traces(comes_back, 40);
}
END_TEST

/* ---- damage ---------------------------------------------------------------------------------------- */

static void put_sum(char *text, size_t n)
{
    static const char key[] = "\"checksum\": \"";
    struct mpl_json_value *root = NULL;
    char sum[MPL_BASELINE_SUM_ROOM];
    char *at = strstr(text, key);

    if (at != NULL && mpl_json_read(text, n, &root, NULL) == MPL_OK) {
        ck_assert(mpl_baseline_sum(root, sum));
        if (strlen(at) > strlen(key) + 16) {
            memcpy(at + strlen(key), sum, 16);
        }
        mpl_json_free(root);
    }
}

/* One letter or digit becomes another one, and the checksum says that this is right. */
START_TEST(whatever_is_read_is_a_sound_model)
{
    static const char letters[] = "ABCDEFGabz0123456789-_\"[]{},";
    struct mpl_model *model = model_of_text(example, arena);
    const struct mpl_timeline known = make_corrected(model);
    size_t n = 0;
    const char *text = write_text(model, &known, &n);
    unsigned n_refused = 0;

    srand(14);
    for (int i = 0; i < N_DAMAGES; i++) {
        char *damaged = mpl_arena_strndup(arena, text, n);
        struct mpl_model *again = NULL;
        struct mpl_err err = { 0 };

        for (int k = i % 3; k >= 0; k--) {
            damaged[(size_t) rand() % n] = letters[(size_t) rand() % (sizeof letters - 1)];
        }
        put_sum(damaged, n);
        if (read_back(damaged, n, &again, &err) == MPL_OK) {
            mpl_model_check(again);
        } else {
            n_refused++;
            ck_assert_uint_gt(err.n, 1);
        }
    }
    ck_assert_uint_gt(n_refused, N_DAMAGES / 2);
}
END_TEST

/* A receive that does not say that the message is its own: nothing would name whom it is from. */
START_TEST(messages_without_a_record_of_their_own_are_refused)
{
    static const char own[] = "\"FAABBA\"";
    static const char other[] = "\"FAAA\"";
    struct mpl_model *model =
        model_of_text("# us\n"
                      "rank 0: compute 0..50  send 50..52 to 1 tag 7\n"
                      "rank 1: compute 0..10  recv 10..53 from 0 tag 7\n",
                      arena);
    const struct mpl_timeline known = make_corrected(model);
    struct mpl_model *again = NULL;
    struct mpl_err err = { 0 };
    size_t n = 0;
    char *text = write_text(model, &known, &n);
    char *at = strstr(text, own);

    ck_assert_ptr_nonnull(at);
    memmove(at + strlen(other), at + strlen(own), strlen(at + strlen(own)) + 1);
    memcpy(at, other, strlen(other));
    n = strlen(text);
    put_sum(text, n);
    ck_assert_int_eq(read_back(text, n, &again, &err), MPL_E_SYNTAX);
}
END_TEST

START_TEST(what_was_changed_is_refused)
{
    struct mpl_model *model = model_of_text(example, arena);
    const struct mpl_timeline known = make_corrected(model);
    struct mpl_model *again = NULL;
    struct mpl_err err = { 0 };
    size_t n = 0;
    char *text = write_text(model, &known, &n);

    strstr(text, "\"ticks_per_s\": 1")[15] = '2';
    ck_assert_int_eq(read_back(text, n, &again, &err), MPL_E_SYNTAX);
    ck_assert_ptr_nonnull(strstr(err.cause[0].text, "it was changed"));
}
END_TEST

START_TEST(out_of_memory_is_an_error)
{
    struct mpl_model *model = model_of_text(example, arena);
    const struct mpl_timeline known = make_corrected(model);
    enum mpl_status st = MPL_E_NOMEM;
    size_t n = 0;
    const char *text = write_text(model, &known, &n);
    const char *path = mpl_arena_printf(arena, "%s/short", fixture_scratch());
    FILE *null = fopen("/dev/null", "w");

    for (long i = 0; fails_without_memory(i, st); i++) {
        mpl_alloc_fail_after(i);
        st = mpl_write_baseline(model, &known, keeps_all, null, NULL);
        mpl_alloc_fail_after(-1);
    }
    (void) fclose(null);
    fixture_store(path, (const unsigned char *) text, n);
    st = MPL_E_NOMEM;
    for (long i = 0; fails_without_memory(i, st); i++) {
        struct mpl_model *again = NULL;

        mpl_alloc_fail_after(i);
        st = mpl_read(path, arena, NULL, &again, NULL);
        mpl_alloc_fail_after(-1);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("read_baseline");
    TCase *own = add_case(suite, "baseline", create_arena, destroy_arena);

    (void) fixture_scratch();
    tcase_set_timeout(own, 300);
    tcase_add_test(own, numbers_come_back);
    tcase_add_test(own, what_is_no_number_is_refused);
    tcase_add_test(own, repetitions_come_back_and_take_next_to_nothing);
    tcase_add_test(own, a_model_comes_back);
    tcase_add_test(own, whatever_is_read_is_a_sound_model);
    tcase_add_test(own, messages_without_a_record_of_their_own_are_refused);
    tcase_add_test(own, what_was_changed_is_refused);
    tcase_add_test(own, out_of_memory_is_an_error);
    if (traces_are_there("baselines of real traces")) {
        tcase_add_test(own, real_traces_come_back);
    }
    return run_suite(suite);
}
