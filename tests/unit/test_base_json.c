#include "config.h"

#include <check.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

#include "../lib/suite.h"

/* What is written, on the heap; NULL if writing fails. Frees \p root. */
static char *written(struct mpl_json *root, struct mpl_err *err)
{
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    const enum mpl_status st = mpl_json_write(root, out, err);

    fclose(out);
    if (st != MPL_OK) {
        free(text);
        return NULL;
    }
    return text;
}

static struct mpl_json create_document(void)
{
    struct mpl_json root = mpl_json_begin();

    mpl_json_string(&root, "schema", "marple-diagnosis/1");
    mpl_json_array(&root, "runs");
    mpl_json_object(&root, NULL);
    mpl_json_integer(&root, "events", -9007199254740993);
    mpl_json_number(&root, "share", 0.1);
    mpl_json_strings(&root, "empty", NULL, 0);
    mpl_json_end(&root);
    mpl_json_boolean(&root, NULL, true);
    mpl_json_end(&root);
    mpl_json_string(&root, "none", NULL);
    mpl_json_integer_if(&root, "unknown", false, 1);
    return root;
}

START_TEST(document_is_indented_in_order_of_writing)
{
    struct mpl_json root = create_document();
    char *text = written(&root, NULL);

    ck_assert_str_eq(text, "{\n"
                           "  \"schema\": \"marple-diagnosis/1\",\n"
                           "  \"runs\": [\n"
                           "    {\n"
                           "      \"events\": -9007199254740993,\n"
                           "      \"share\": 0.1,\n"
                           "      \"empty\": []\n"
                           "    },\n"
                           "    true\n"
                           "  ],\n"
                           "  \"none\": null,\n"
                           "  \"unknown\": null\n"
                           "}\n");
    free(text);
}
END_TEST

/* One with \p n rows, which are written as they come. */
static char *table(int n)
{
    struct mpl_json root = mpl_json_begin();
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    mpl_json_flat(&root, true);
    mpl_json_object(&root, "from");
    mpl_json_integer(&root, "a", 1);
    mpl_json_strings(&root, "b", NULL, 0);
    mpl_json_end(&root);
    mpl_json_flat(&root, false);
    mpl_json_array(&root, "rows");
    mpl_json_flat(&root, true);
    ck_assert_int_eq(mpl_json_write_part(&root, out, NULL), MPL_OK);
    for (int i = 0; i < n; i++) {
        mpl_json_array(&root, NULL);
        mpl_json_integer(&root, NULL, i);
        mpl_json_string(&root, NULL, "x");
        mpl_json_end(&root);
        ck_assert_int_eq(mpl_json_write_part(&root, out, NULL), MPL_OK);
    }
    mpl_json_end(&root);
    ck_assert_int_eq(mpl_json_write(&root, out, NULL), MPL_OK);
    fclose(out);
    return text;
}

START_TEST(rows_of_a_long_document_stand_on_a_line_each)
{
    char *none = table(0);
    char *two = table(2);

    ck_assert_str_eq(none,
                     "{\n  \"from\": {\"a\": 1, \"b\": []},\n  \"rows\": [\n  ]\n}\n");
    ck_assert_str_eq(two, "{\n  \"from\": {\"a\": 1, \"b\": []},\n  \"rows\": [\n"
                          "    [0, \"x\"],\n    [1, \"x\"]\n  ]\n}\n");
    free(none);
    free(two);
}
END_TEST

START_TEST(what_was_written_can_be_read_before_the_end)
{
    struct mpl_json root = create_document();
    struct mpl_json_value *value = NULL;

    ck_assert_int_eq(mpl_json_read_back(&root, &value, NULL), MPL_OK);
    ck_assert_str_eq(mpl_json_text(mpl_json_member(value, "schema")), "marple-diagnosis/1");
    mpl_json_free(value);
    mpl_json_integer(&root, "more", 1);

    char *text = written(&root, NULL);

    ck_assert_ptr_nonnull(strstr(text, "  \"unknown\": null,\n  \"more\": 1\n}\n"));
    free(text);
}
END_TEST

static const struct {
    double value;
    const char *text;
} numbers[] = {
    { 0, "0.0" },
    { 0.385, "0.385" },
    { 2.31, "2.31" },
    { 1.2e-5, "1.2e-5" },
    { 0.231347608, "0.231347608" },
    { 123456789.012345, "123456789.012345" },
    { NAN, "null" },
    { INFINITY, "null" },
    { -INFINITY, "null" },
    { 1.7976931348623157e308, "1.79769313486231e308" },
};

START_TEST(numbers_are_short_and_can_be_read_back)
{
    struct mpl_json root = mpl_json_begin();
    char expected[100];

    mpl_json_number(&root, "x", numbers[_i].value);
    (void) snprintf(expected, sizeof expected, "{\n  \"x\": %s\n}\n", numbers[_i].text);

    char *text = written(&root, NULL);

    ck_assert_str_eq(text, expected);

    json_t *again = json_loads(text, 0, NULL);

    ck_assert_ptr_nonnull(again);
    json_decref(again);
    free(text);
}
END_TEST

/* _i is the seed. */
START_TEST(any_bytes_make_a_valid_string)
{
    srand((unsigned) _i);
    for (int k = 0; k < 500; k++) {
        char bytes[20];
        const size_t n = (size_t) rand() % sizeof bytes;

        for (size_t i = 0; i < n; i++) {
            /* Mostly bytes above 7F, among which the beginnings of characters are. */
            bytes[i] = (char) (rand() % 4 == 0 ? 1 + rand() % 127 : 128 + rand() % 128);
        }
        bytes[n] = '\0';

        struct mpl_json root = mpl_json_begin();

        mpl_json_string(&root, bytes, bytes);

        char *text = written(&root, NULL);
        json_t *again = json_loads(text, 0, NULL);

        ck_assert_msg(again != NULL && json_object_size(again) == 1, "seed %d: %s", _i,
                      text);
        json_decref(again);
        free(text);
    }
}
END_TEST

START_TEST(good_utf8_stays_and_bad_bytes_are_replaced)
{
    struct mpl_json root = mpl_json_begin();

    mpl_json_string(&root, "x", "\xC3\xA4 \xFF \xE2\x82 \xF0\x9F\x98\x80 \"\n");

    char *text = written(&root, NULL);

    ck_assert_str_eq(text, "{\n  \"x\": \"\xC3\xA4 \xEF\xBF\xBD \xEF\xBF\xBD\xEF\xBF\xBD "
                           "\xF0\x9F\x98\x80 \\\"\\n\"\n}\n");
    free(text);
}
END_TEST

START_TEST(full_disk_is_an_error)
{
    struct mpl_json root = create_document();
    struct mpl_err err = { 0 };
    FILE *out = fopen("/dev/full", "w");

    ck_assert_ptr_nonnull(out);
    setvbuf(out, NULL, _IONBF, 0);
    ck_assert_int_eq(mpl_json_write(&root, out, &err), MPL_E_IO);
    fclose(out);
}
END_TEST

/* Allocations of jansson that still succeed; the tests run in processes of their own. */
static long n_until_refusal = -1;

static void *failing_malloc(size_t bytes)
{
    if (n_until_refusal >= 0 && n_until_refusal-- == 0) {
        return NULL;
    }
    return malloc(bytes);
}

/* Builds and writes with a failure at allocation \p n; whether it came out complete. */
static bool is_written_despite(long n, bool is_in_jansson)
{
    struct mpl_err err = { 0 };

    n_until_refusal = is_in_jansson ? n : -1;
    mpl_alloc_fail_after(is_in_jansson ? -1 : n);

    struct mpl_json root = create_document();
    char *text = written(&root, &err);

    n_until_refusal = -1;
    mpl_alloc_fail_after(-1);
    if (text == NULL) {
        ck_assert_int_eq(err.code, MPL_E_NOMEM);
        return false;
    }

    /* What is written is the whole. */
    root = create_document();

    char *whole = written(&root, NULL);

    ck_assert_str_eq(text, whole);
    free(whole);
    free(text);
    return true;
}

START_TEST(out_of_memory_anywhere_makes_writing_fail)
{
    const bool is_in_jansson = _i == 1;
    long n = 0;

    json_set_alloc_funcs(failing_malloc, free);
    while (!is_written_despite(n, is_in_jansson)) {
        n++;
    }
    ck_assert_int_gt(n, 10);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("base json");
    TCase *tcase = add_case(suite, "all", NULL, NULL);

    tcase_add_test(tcase, document_is_indented_in_order_of_writing);
    tcase_add_test(tcase, rows_of_a_long_document_stand_on_a_line_each);
    tcase_add_test(tcase, what_was_written_can_be_read_before_the_end);
    tcase_add_loop_test(tcase, numbers_are_short_and_can_be_read_back, 0,
                        (int) (sizeof numbers / sizeof numbers[0]));
    tcase_add_loop_test(tcase, any_bytes_make_a_valid_string, 0, 5);
    tcase_add_test(tcase, good_utf8_stays_and_bad_bytes_are_replaced);
    tcase_add_test(tcase, full_disk_is_an_error);
    tcase_add_loop_test(tcase, out_of_memory_anywhere_makes_writing_fail, 0, 2);
    return run_suite(suite);
}
