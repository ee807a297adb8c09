#include "config.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

#include "../lib/arena.h"
#include "../lib/suite.h"

static struct mpl_lint *lint;
static struct mpl_err err;
static const struct mpl_yaml *root;

static void create_lint(void)
{
    mpl_alloc_fail_after(-1);
    root = NULL;
    err = (struct mpl_err){ 0 };
    create_arena();
    lint = mpl_lint_create(arena);
    ck_assert_ptr_nonnull(lint);
}

static enum mpl_status parse(const char *text)
{
    return mpl_yaml_parse("f.yaml", text, strlen(text), arena, lint, &root, &err);
}

static char *printed(void)
{
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);

    mpl_lint_print(lint, out);
    fclose(out);

    char *copy = mpl_arena_strdup(arena, text);

    free(text);
    return copy;
}

/* ---- trees ---- */

static void check_place(struct mpl_place place, unsigned line, unsigned column)
{
    ck_assert_str_eq(place.file, "f.yaml");
    ck_assert_uint_eq(place.line, line);
    ck_assert_uint_eq(place.column, column);
}

START_TEST(tree_has_keys_texts_and_places)
{
    ck_assert_int_eq(parse("# A pattern.\n"
                           "id: mpi.late-sender\n"
                           "needs: [mpi.p2p, 'clock.corrected']\n"
                           "match:\n"
                           "  s: {event: mpi.send}\n"
                           "  where: r.enter < s.enter\n"),
                     MPL_OK);
    ck_assert_int_eq(root->kind, MPL_YAML_MAP);
    ck_assert_uint_eq(root->n, 3);
    ck_assert_ptr_null(root->key);

    const struct mpl_yaml *needs = mpl_yaml_find(root, "needs");

    ck_assert_int_eq(needs->kind, MPL_YAML_SEQ);
    ck_assert_uint_eq(needs->n, 2);
    ck_assert_ptr_null(needs->text);
    check_place(needs->key_place, 3, 1);
    check_place(needs->place, 3, 8);
    ck_assert_str_eq(needs->first->text, "mpi.p2p");
    ck_assert_ptr_null(needs->first->key);
    check_place(needs->first->next->place, 3, 19);
    ck_assert_ptr_null(needs->first->next->next);

    const struct mpl_yaml *where = mpl_yaml_find(mpl_yaml_find(root, "match"), "where");

    ck_assert_str_eq(where->text, "r.enter < s.enter");
    ck_assert_str_eq(where->key, "where");
    check_place(where->key_place, 6, 3);
    check_place(where->place, 6, 10);
    ck_assert(where->is_inline);
    ck_assert_ptr_null(mpl_yaml_find(root, "absent"));
    ck_assert_ptr_null(mpl_yaml_find(where, "absent"));
}
END_TEST

START_TEST(keys_that_nobody_knows_are_found_one_by_one)
{
    const char *const known[] = { "b", "d" };

    ck_assert_int_eq(parse("a: 1\nb: 2\nc: 3\nd: 4\n"), MPL_OK);
    const struct mpl_yaml *a = mpl_yaml_find_unknown(root->first, known, 2);

    ck_assert_str_eq(a->key, "a");
    ck_assert_str_eq(mpl_yaml_find_unknown(a->next, known, 2)->key, "c");
    ck_assert_ptr_null(mpl_yaml_find_unknown(mpl_yaml_find(root, "d"), known, 2));
    ck_assert_ptr_null(mpl_yaml_find_unknown(NULL, known, 2));
    ck_assert_ptr_eq(mpl_yaml_find_unknown(root->first, known, 0), root->first);
}
END_TEST

/* The value of "a" in each text: its place, its text, and whether columns can be counted. */
static const struct {
    const char *yaml;
    const char *text;
    unsigned column;
    bool is_inline;
} scalars[] = {
    { "a: max(b, 0)\n", "max(b, 0)", 4, true },
    { "a:   b   # why\n", "b", 6, true },
    { "a: \"b c\"\n", "b c", 5, true },
    { "a: 'b c'\n", "b c", 5, true },
    { "a: 'it''s'\n", "it's", 5, false },
    { "a: \"b\\tc\"\n", "b\tc", 5, false },
    { "a: \"\\x41\"\n", "A", 5, false },
    { "a: \"\\Lb\\n\"\n",
      "\xE2\x80\xA8"
      "b\n",
      5, false }, /* Five bytes from five columns. */
    { "a: b\n  c\n", "b c", 4, false },
    { "a: \"b\n  c\"\n", "b c", 5, false },
    { "a: |\n  b\n", "b\n", 4, false },
    { "a: >\n  b\n  c\n", "b c\n", 4, false },
    { "a: b\xC3\xA4\n", "b\xC3\xA4", 4, false },
    { "{a: b}\n", "b", 5, true },
    { "a: \"\"\n", "", 5, true },
    { "\xEF\xBB\xBF"
      "a: b\n",
      "b", 4, true },
    { "a: yes", "yes", 4, true },
};

START_TEST(scalar_says_where_its_text_begins)
{
    ck_assert_int_eq(parse(scalars[_i].yaml), MPL_OK);

    const struct mpl_yaml *a = mpl_yaml_find(root, "a");

    ck_assert_str_eq(a->text, scalars[_i].text);
    ck_assert_uint_eq(a->place.line, 1);
    ck_assert_uint_eq(a->place.column, scalars[_i].column);
    ck_assert_int_eq(a->is_inline, scalars[_i].is_inline);
}
END_TEST

START_TEST(text_without_values_has_no_tree)
{
    const char *const texts[] = { "", "\n\n", "# only a comment\n", "\xEF\xBB\xBF" };

    root = (const struct mpl_yaml *) texts;
    ck_assert_int_eq(parse(texts[_i]), MPL_OK);
    ck_assert_ptr_null(root);
    ck_assert_uint_eq(mpl_lint_count(lint), 0);
}
END_TEST

START_TEST(text_need_not_end_with_nul)
{
    ck_assert_int_eq(mpl_yaml_parse("f", "a: b}}}", 4, arena, lint, &root, &err), MPL_OK);
    ck_assert_str_eq(root->first->text, "b");
}
END_TEST

/* ---- errors ---- */

static const struct {
    const char *yaml;
    const char *printed;
} faults[] = {
    { "match:\n\ts: 1\n", "f.yaml:2:1: error: a tab cannot indent; use blanks\n"
                          "  \ts: 1\n"
                          "  ^\n" },
    { "a:\n  b: 1\n  c: 2\n  b: 3\n",
      "f.yaml:4:3: error: duplicate key 'b' (first at line 2)\n"
      "    b: 3\n"
      "    ^\n" },
    { "a: {b: 1, 'b': 2}\n", "f.yaml:1:12: error: duplicate key 'b' (first at line 1)\n"
                             "  a: {b: 1, 'b': 2}\n"
                             "             ^\n" },
    { "a: {per: run, says: Making an item, mean.}\n",
      "f.yaml:1:35: error: a comma ends a value inside { }; put the text in quotes\n"
      "  a: {per: run, says: Making an item, mean.}\n"
      "                                    ^\n" },
    { "a: {b: max(c,\td), e: 1}\n",
      "f.yaml:1:13: error: a comma ends a value inside { }; put the text in quotes\n"
      "  a: {b: max(c,\td), e: 1}\n"
      "              ^\n" },
    { "a: {b: \xC3\xA4,\n    c d, e: 1}\n",
      "f.yaml:2:5: error: a comma ends a value inside { }; put the text in quotes\n"
      "      c d, e: 1}\n"
      "      ^\n" },
    { "a: {says: Time: all of it}\n", "f.yaml:1:15: error: ',' or '}' is expected here; a "
                                      "text with ': ' in it needs quotes\n"
                                      "  a: {says: Time: all of it}\n"
                                      "                ^\n" },
    { "a: *b\n", "f.yaml:1:4: error: aliases ('*b') are not supported; write the value "
                 "again, or quote a text that begins with '*'\n"
                 "  a: *b\n"
                 "     ^\n" },
    { "a: &b 1\n", "f.yaml:1:4: error: anchors ('&b') are not supported; write the value "
                   "where it is needed, or quote a text that begins with '&'\n"
                   "  a: &b 1\n"
                   "     ^\n" },
    { "a: !b 1\n",
      "f.yaml:1:4: error: tags ('!b') are not supported; every value is a text "
      "here, so leave the tag out or quote a text that begins with '!'\n"
      "  a: !b 1\n"
      "     ^\n" },
    { "a: [1, 2\n\nb: 3\n", "f.yaml:3:2: error: did not find expected ',' or ']' while "
                            "parsing a flow sequence that begins at line 1\n"
                            "  b: 3\n"
                            "   ^\n" },
    { "a: b ? c : d\n", "f.yaml:1:10: error: a ':' cannot stand here; quote a text that "
                        "contains ': ', or correct the indentation\n"
                        "  a: b ? c : d\n"
                        "           ^\n" },
    { "a: 1\nb\n", "f.yaml:2:1: error: there is no ':' after this key; a line of a map is "
                   "'key: value'\n"
                   "  b\n"
                   "  ^\n" },
    { "a: \"b\n\n", "f.yaml:1:4: error: the quote that begins here is never closed\n"
                    "  a: \"b\n"
                    "     ^\n" },
    { "a: 'b'+c\n", "f.yaml:1:7: error: the value ends before this; quote the whole text\n"
                    "  a: 'b'+c\n"
                    "        ^\n" },
    { "a:\n  b: 1\n c: 2\n", "f.yaml:3:2: error: this line fits no open map; is its "
                             "indentation that of the keys above it?\n"
                             "   c: 2\n"
                             "   ^\n" },
    { "a: %b\n", "f.yaml:1:4: error: a text cannot begin with this character; quote the "
                 "text\n"
                 "  a: %b\n"
                 "     ^\n" },
    { "a: * b\n", "f.yaml:1:4: error: a text cannot begin with '*' or '&'; quote the text\n"
                  "  a: * b\n"
                  "     ^\n" },
    { "[a, b]: 1\n", "f.yaml:1:1: error: a key must be a text, not a sequence\n"
                     "  [a, b]: 1\n"
                     "  ^\n" },
    { "{? {a: 1} : 1}\n", "f.yaml:1:4: error: a key must be a text, not a map\n"
                          "  {? {a: 1} : 1}\n"
                          "     ^\n" },
    { "\"\": 1\n", "f.yaml:1:2: error: a key is missing before ':'\n"
                   "  \"\": 1\n"
                   "   ^\n" },
    { "a: [,]\n", "f.yaml:1:5: error: a value is missing here\n"
                  "  a: [,]\n"
                  "      ^\n" },
    { "a: 1\n---\nb: 2\n", "f.yaml:2:1: error: a second document begins here; a file holds "
                           "one\n"
                           "  ---\n"
                           "  ^\n" },
    { "a: \"b\\0c\"\n", "f.yaml:1:4: error: a text must not contain the character NUL "
                        "(\"\\0\")\n"
                        "  a: \"b\\0c\"\n"
                        "     ^\n" },
    { "a: 1\n# \xC3\xA4\xC3 b\n", "f.yaml:2:4: error: byte 0xc3 is not UTF-8; "
                                  "the text must be UTF-8\n"
                                  "  # \xC3\xA4? b\n"
                                  "     ^\n" },
    { "\xFF\xFE", "f.yaml:1:1: error: byte 0xff is not UTF-8; the text must be "
                  "UTF-8\n"
                  "  ??\n"
                  "  ^\n" },
    { "a: \001\n", "f.yaml:1:4: error: control characters are not allowed (0x01)\n"
                   "  a: ?\n"
                   "     ^\n" },
};

START_TEST(fault_is_told_with_place_reason_and_line)
{
    ck_assert_int_eq(parse(faults[_i].yaml), MPL_E_SYNTAX);
    ck_assert_str_eq(printed(), faults[_i].printed);
    ck_assert_int_eq(err.code, MPL_E_SYNTAX);
    ck_assert_ptr_null(root);
}
END_TEST

START_TEST(several_faults_are_told_at_once)
{
    ck_assert_int_eq(parse("a: 1\n"
                           "b: *x\n"
                           "a: &y [1, 2]\n"
                           "*z : {c: 1, c: 2}\n"
                           "d: }\n"),
                     MPL_E_SYNTAX);
    ck_assert_uint_eq(mpl_lint_errors(lint), 6);
    ck_assert_uint_eq(mpl_lint_get(lint, 0)->place.line, 2);
    ck_assert_uint_eq(mpl_lint_get(lint, 1)->place.line, 3);
    ck_assert_uint_eq(mpl_lint_get(lint, 4)->place.line, 4);
    ck_assert_uint_eq(mpl_lint_get(lint, 4)->place.column, 13);
    ck_assert_uint_eq(mpl_lint_get(lint, 5)->place.line, 5);
    ck_assert_uint_eq(err.n, 1);
    ck_assert_str_eq(err.cause[0].text,
                     "f.yaml:2:4: aliases ('*x') are not supported; write the value again, "
                     "or quote a text that begins with '*' (and 5 more)");
}
END_TEST

START_TEST(reason_is_of_this_text_and_not_of_an_earlier_one)
{
    ck_assert_int_eq(parse("a: *x\n"), MPL_E_SYNTAX);
    ck_assert_int_eq(mpl_yaml_parse("g", "b: %", 4, arena, lint, &root, &err),
                     MPL_E_SYNTAX);
    ck_assert_str_eq(err.cause[0].text,
                     "g:1:4: a text cannot begin with this character; quote the text");
    ck_assert_int_eq(mpl_yaml_parse("h", "b: 1", 4, arena, lint, &root, &err), MPL_OK);
}
END_TEST

START_TEST(flood_of_errors_is_cut)
{
    char text[2000] = "";

    for (int i = 0; i < 100; i++) {
        strcat(text, "- *x\n");
    }
    ck_assert_int_eq(parse(text), MPL_E_SYNTAX);
    ck_assert_uint_eq(mpl_lint_count(lint), 21);
    ck_assert_str_eq(mpl_lint_get(lint, 20)->text,
                     "too many errors; the rest of the text is not checked");
}
END_TEST

/* \p n times \p open, a text, \p n times \p close. */
static char *nested(const char *open, const char *close, size_t n)
{
    char *text = mpl_arena_alloc(arena, n * (strlen(open) + strlen(close)) + 2);
    char *at = text;

    for (size_t i = 0; i < n; i++) {
        at = stpcpy(at, open);
    }
    at = stpcpy(at, "x");
    for (size_t i = 0; i < n; i++) {
        at = stpcpy(at, close);
    }
    return text;
}

START_TEST(depth_is_limited)
{
    ck_assert_int_eq(parse(nested("[", "]", 32)), MPL_OK);

    const struct mpl_yaml *node = root;

    for (int i = 0; i < 32; i++) {
        node = node->first;
    }
    ck_assert_str_eq(node->text, "x");
    ck_assert_int_eq(parse(nested("[", "]", 33)), MPL_E_SYNTAX);
    ck_assert_str_eq(err.cause[0].text, "f.yaml:1:33: nested deeper than 32 levels");
    ck_assert_int_eq(parse(nested("{? ", ":}", 33)), MPL_E_SYNTAX);
    ck_assert_int_eq(parse(nested("[", "]", 100000)), MPL_E_SYNTAX);
    ck_assert_int_eq(parse(nested("{a: ", "}", 100000)), MPL_E_SYNTAX);
    ck_assert_int_eq(parse(nested("- ", "", 100000)), MPL_E_SYNTAX);
    ck_assert_int_eq(parse(nested("? ", "", 100000)), MPL_E_SYNTAX);
}
END_TEST

START_TEST(size_is_limited)
{
    const size_t bytes = 16 * 1024 * 1024 + 1;
    char *text = mpl_arena_alloc(arena, bytes);

    memset(text, '\n', bytes);
    ck_assert_int_eq(mpl_yaml_parse("f", text, bytes, arena, lint, &root, &err),
                     MPL_E_SYNTAX);
    ck_assert_str_eq(err.cause[0].text, "f: the text is larger than 16 MiB");
}
END_TEST

/* Compared one with another, 100,000 keys would not come to an end in the time of a test. */
START_TEST(large_map_is_searched_for_duplicates_by_hash)
{
    enum { N = 100000 };
    char *text = mpl_arena_alloc(arena, (size_t) N * 16);
    char *at = text;

    for (int i = 0; i < N; i++) {
        at += sprintf(at, "key-%d:\n", i);
    }
    ck_assert_int_eq(parse(text), MPL_OK);
    ck_assert_uint_eq(root->n, N);
    at += sprintf(at, "key-7: 1\n");
    ck_assert_int_eq(parse(text), MPL_E_SYNTAX);
    ck_assert_str_eq(err.cause[0].text,
                     "f.yaml:100001:1: duplicate key 'key-7' (first at line 8)");
}
END_TEST

START_TEST(same_key_may_stand_in_different_maps)
{
    ck_assert_int_eq(parse("a: {a: {a: 1}}\nb: [{a: 1}, {a: 2}]\n"), MPL_OK);
}
END_TEST

/* ---- out of memory ---- */

static enum mpl_status parse_anew(const char *text, long failing)
{
    mpl_arena_destroy(arena);
    create_lint();
    mpl_alloc_fail_after(failing);
    return parse(text);
}

/* Whether the failure chosen \p n allocations ago has come; uses it up if it has not. */
static bool has_failed(long n)
{
    for (long i = 0; i <= n; i++) {
        if (mpl_arena_alloc(arena, 1) == NULL) {
            return false;
        }
    }
    return true;
}

START_TEST(out_of_memory_is_told_at_every_step)
{
    const char text[] = "a: {b: [1, 2], c: 'x'}\nd: |\n  text\ne: f\n";
    long n = 0;
    long n_refused = 0;

    do {
        const enum mpl_status st = parse_anew(text, n);

        /* Without memory for quoting its lines a good text is still good. */
        ck_assert_msg(st == MPL_OK ? root->n == 3 : st == MPL_E_NOMEM && root == NULL,
                      "allocation %ld", n);
        ck_assert_int_eq(err.code, st);
        n_refused += st == MPL_OK ? 0 : 1;
    } while (has_failed(n++));
    mpl_alloc_fail_after(-1);
    ck_assert_int_ge(n_refused, n - 4);
    ck_assert_int_gt(n_refused, 15);
}
END_TEST

START_TEST(errors_out_of_memory_are_never_success)
{
    long n = 0;

    do {
        const enum mpl_status st = parse_anew("a: *x\nb: &y 1\na: 2\nc: %\n", n);

        ck_assert_msg(st == MPL_E_NOMEM || st == MPL_E_SYNTAX, "allocation %ld", n);
        ck_assert_int_eq(err.code, st);
        ck_assert_ptr_null(root);
    } while (has_failed(n++));
    mpl_alloc_fail_after(-1);
    ck_assert_int_gt(n, 20);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("base yaml");
    TCase *tcase = add_case(suite, "all", create_lint, destroy_arena);

    tcase_add_test(tcase, tree_has_keys_texts_and_places);
    tcase_add_test(tcase, keys_that_nobody_knows_are_found_one_by_one);
    tcase_add_loop_test(tcase, scalar_says_where_its_text_begins, 0,
                        (int) (sizeof scalars / sizeof scalars[0]));
    tcase_add_loop_test(tcase, text_without_values_has_no_tree, 0, 4);
    tcase_add_test(tcase, text_need_not_end_with_nul);
    tcase_add_loop_test(tcase, fault_is_told_with_place_reason_and_line, 0,
                        (int) (sizeof faults / sizeof faults[0]));
    tcase_add_test(tcase, several_faults_are_told_at_once);
    tcase_add_test(tcase, reason_is_of_this_text_and_not_of_an_earlier_one);
    tcase_add_test(tcase, flood_of_errors_is_cut);
    tcase_add_test(tcase, depth_is_limited);
    tcase_add_test(tcase, size_is_limited);
    tcase_add_test(tcase, large_map_is_searched_for_duplicates_by_hash);
    tcase_add_test(tcase, same_key_may_stand_in_different_maps);
    tcase_add_test(tcase, out_of_memory_is_told_at_every_step);
    tcase_add_test(tcase, errors_out_of_memory_are_never_success);
    return run_suite(suite);
}
