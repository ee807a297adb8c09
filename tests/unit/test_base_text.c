#include "config.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"

#include "../lib/arena.h"
#include "../lib/suite.h"

/* ---- numbers for people ---- */

static const struct {
    double seconds;
    const char *text;
} durations[] = {
    { 0, "0 s" },
    { -0.0, "0 s" },
    { 0.301163, "0.301 s" },
    { 0.1, "0.100 s" },
    { 0.00312, "3.12 ms" },
    { 0.0999499, "99.9 ms" },
    { 0.09999, "0.100 s" }, /* Rounding reaches the next unit. */
    { 1.24e-5, "12.4 us" },
    { 999.7e-6, "1.00 ms" },
    { 1e-3, "1.00 ms" },
    { 1e-6, "1.00 us" },
    { 8.5e-8, "85 ns" },
    { 2.4e-9, "2.4 ns" },
    { 1e-9, "1 ns" },
    { 1.5e-10, "0.15 ns" },
    { 1.25, "1.25 s" },
    { 9.996, "10.0 s" },
    { 75.3, "75.3 s" },
    { 999.4, "999 s" },
    { 1234.4, "1234 s" },
    { 86400, "86400 s" },
    { 1e300, "1e+300 s" },
    { -0.00312, "-3.12 ms" },
    { NAN, "unknown" },
    { INFINITY, "unknown" },
};

START_TEST(seconds_have_three_digits_and_a_fitting_unit)
{
    ck_assert_str_eq(mpl_text_seconds(arena, durations[_i].seconds), durations[_i].text);
}
END_TEST

/* Whatever the size, the text is within half of its last digit. _i is the seed. */
START_TEST(seconds_are_right_to_three_digits)
{
    srand((unsigned) _i);
    for (int k = 0; k < 2000; k++) {
        const double value = pow(10, -8 + 11.0 * rand() / RAND_MAX);
        const char *text = mpl_text_seconds(arena, value);
        char *unit = NULL;
        const double number = strtod(text, &unit);
        const double scale = strcmp(unit, " s") == 0    ? 1
                             : strcmp(unit, " ms") == 0 ? 1e-3
                             : strcmp(unit, " us") == 0 ? 1e-6
                             : strcmp(unit, " ns") == 0 ? 1e-9
                                                        : NAN;

        ck_assert_msg(fabs(number * scale - value) <= 0.00501 * value,
                      "seed %d: %.17g is told as %s", _i, value, text);
        ck_assert_msg(number < 1000 || scale == 1, "seed %d: %.17g is told as %s", _i,
                      value, text);
    }
}
END_TEST

START_TEST(shares_are_percents_with_one_decimal)
{
    ck_assert_str_eq(mpl_text_share(arena, 0.343), "34.3 %");
    ck_assert_str_eq(mpl_text_share(arena, 1), "100.0 %");
    ck_assert_str_eq(mpl_text_share(arena, 0), "0.0 %");
    ck_assert_str_eq(mpl_text_share(arena, -0.00001), "0.0 %");
    ck_assert_str_eq(mpl_text_share(arena, -0.5), "-50.0 %");
    ck_assert_str_eq(mpl_text_share(arena, NAN), "unknown");
    ck_assert_str_eq(mpl_text_share(arena, 1e40), "1e+42 %");
}
END_TEST

START_TEST(counts_are_grouped_by_three)
{
    ck_assert_str_eq(mpl_text_count(arena, 0), "0");
    ck_assert_str_eq(mpl_text_count(arena, 999), "999");
    ck_assert_str_eq(mpl_text_count(arena, 1000), "1,000");
    ck_assert_str_eq(mpl_text_count(arena, 1234567), "1,234,567");
    ck_assert_str_eq(mpl_text_count(arena, UINT64_MAX), "18,446,744,073,709,551,615");
}
END_TEST

START_TEST(numbers_without_memory_are_null)
{
    mpl_alloc_fail_after(0);
    ck_assert_ptr_null(mpl_text_seconds(arena, 1));
    mpl_alloc_fail_after(0);
    ck_assert_ptr_null(mpl_text_share(arena, 1));
    mpl_alloc_fail_after(0);
    ck_assert_ptr_null(mpl_text_count(arena, 1));
}
END_TEST

static const struct {
    const char *text;
    int indent;
    int width;
    const char *wrapped;
} wraps[] = {
    { "one two three", 2, 10, "  one two\n  three\n" },
    { "one two", 0, 7, "one two\n" },
    { "one two", 0, 6, "one\ntwo\n" },
    { "  many   blanks  ", 1, 40, " many blanks\n" },
    { "unbreakableword x", 0, 5, "unbreakableword\nx\n" },
    { "a\nb\n", 1, 9, " a\n b\n" },
    { "a\n\nb", 0, 9, "a\n\nb\n" },
    /* Four characters, although eight bytes. */
    { "\xC3\xA4\xC3\xB6\xC3\xBC\xC3\x9F x", 0, 6, "\xC3\xA4\xC3\xB6\xC3\xBC\xC3\x9F x\n" },
    { "narrow", 10, 3, "          narrow\n" },
    { "", 2, 10, "" },
};

START_TEST(text_is_wrapped_between_words)
{
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);

    mpl_text_wrap(out, wraps[_i].text, wraps[_i].indent, wraps[_i].width);
    fclose(out);
    ck_assert_str_eq(text, wraps[_i].wrapped);
    free(text);
}
END_TEST

static const struct {
    const char *text;
    int first;
    int further;
    int lines;
    const char *beginning;
} fits[] = {
    { "one two three", 13, 5, 1, "one two three" },
    { "one two three", 12, 5, 1, "one two …" },
    { "one two three four", 7, 5, 2, "one two …" },
    { "one two three four", 7, 8, 2, "one two three …" },
    { "one\ntwo", 7, 7, 1, "one two" },
    { "Whole. Sentences stay.", 20, 20, 1, "Whole." },
    { "Never 0.5 of it, as here", 14, 14, 1, "Never 0.5 of …" },
    /* A clause ends well, unless it is a mere beginning, or within parentheses. */
    { "a longer clause; and more", 20, 20, 1, "a longer clause …" },
    { "this: and many more words", 20, 20, 1, "this: and many …" },
    { "so it is (here; and there)", 22, 22, 1, "so it is (here; and …" },
    { "unbreakableword", 5, 5, 1, "…" },
    { "\xC3\xA4\xC3\xB6\xC3\xBC\xC3\x9F x", 6, 6, 1, "\xC3\xA4\xC3\xB6\xC3\xBC\xC3\x9F x" },
    { "", 5, 5, 1, "" },
};

START_TEST(text_that_is_too_long_ends_at_a_sentence_a_clause_or_a_word)
{
    ck_assert_str_eq(mpl_text_fit(arena, fits[_i].text, fits[_i].first, fits[_i].further,
                                  fits[_i].lines),
                     fits[_i].beginning);
}
END_TEST

START_TEST(further_lines_begin_where_they_are_told_to)
{
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);

    mpl_text_lead(out, "LABEL: ", "one two three four", 2, 11);
    fclose(out);
    ck_assert_str_eq(text, "LABEL: one\n  two three\n  four\n");
    free(text);
}
END_TEST

static const struct {
    const char *name;
    const char *shown;
} in_markup[] = {
    { "</p><b a='x' c=\"y\">&", "&lt;/p&gt;&lt;b a=&#39;x&#39; c=&quot;y&quot;&gt;&amp;" },
    { "\xE2\x80\xAEgnp\x1B\n\xFF\xEF\xBF\xBF", "?gnp? ??" },
    { "Grün", "Grün" },
};

START_TEST(names_are_text_in_markup)
{
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);

    mpl_markup_print(out, "%s", in_markup[_i].name);
    fclose(out);
    ck_assert_str_eq(text, in_markup[_i].shown);
    free(text);
}
END_TEST

START_TEST(long_names_are_cut_in_markup)
{
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    char name[5000];

    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    mpl_markup_print(out, "%s|", name);
    fclose(out);
    ck_assert_uint_eq(n, 2000 + strlen("…|"));
    free(text);
}
END_TEST

/* RFC 4648, section 10. */
START_TEST(base64_is_that_of_the_standard)
{
    static const char *const all[] = { "",         "Zg==",     "Zm8=",    "Zm9v",
                                       "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy" };
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);

    mpl_markup_base64(out, "foobar", (size_t) _i);
    fclose(out);
    ck_assert_str_eq(text, all[_i]);
    free(text);
}
END_TEST

START_TEST(a_draft_counts_its_lines)
{
    struct mpl_draft draft;

    mpl_draft_open(&draft);
    mpl_text_print(draft.out, "a\n\nb\nc");
    ck_assert_uint_eq(mpl_draft_close(&draft), 3);
}
END_TEST

/* ---- suggestions ---- */

static const struct {
    const char *word;
    const char *nearest;
} suggestions[] = {
    { "expresion", "expression" }, { "entr", "enter" },      { "enter", "enter" },
    { "etner", "enter" },          { "wiat", "wait" },       { "xy", NULL },
    { "elephant", NULL },          { "leaves", "leave" },    { "", NULL },
    { "memebrs", "members" },      { "Members", "members" },
};

START_TEST(suggestion_is_the_nearest_word_or_none)
{
    const char *const words[] = { "enter", "leave", "expression", "wait", "members" };
    const char *nearest = mpl_suggest(suggestions[_i].word, words, 5);

    if (suggestions[_i].nearest == NULL) {
        ck_assert_ptr_null(nearest);
    } else {
        ck_assert_str_eq(nearest, suggestions[_i].nearest);
    }
}
END_TEST

START_TEST(a_common_name_leads_to_ours_before_a_near_word_does)
{
    static const char *const events[] = { "scan", "recv", "ssend", "send" };
    static const char *const functions[] = { "max", "mean", "median", "min" };

    ck_assert_str_eq(mpl_suggest("receive", events, 4), "recv");
    ck_assert_str_eq(mpl_suggest("isend", events, 4), "send");
    ck_assert_str_eq(mpl_suggest("med", functions, 4), "median");
    ck_assert_str_eq(mpl_suggest("average", functions, 4), "mean");
    /* Only where ours is meant at all. */
    ck_assert_ptr_null(mpl_suggest("receive", functions, 4));
    ck_assert_ptr_null(mpl_suggest("average", events, 4));
}
END_TEST

START_TEST(a_suggestion_ends_a_message_as_a_question)
{
    const char *const words[] = { "enter", "leave" };

    ck_assert_str_eq(mpl_suggest_hint(arena, "entre", words, 2), "; did you mean 'enter'?");
    ck_assert_str_eq(mpl_suggest_hint(arena, "xyz", words, 2), "");
    mpl_alloc_fail_after(0);
    ck_assert_ptr_null(mpl_suggest_hint(arena, "entre", words, 2));
    mpl_alloc_fail_after(-1);
}
END_TEST

START_TEST(very_long_words_have_no_suggestion)
{
    char word[1000];
    const char *const words[] = { word };

    memset(word, 'a', sizeof word);
    word[sizeof word - 1] = '\0';
    ck_assert_ptr_null(mpl_suggest(word, words, 1));
    ck_assert_ptr_null(mpl_suggest("aaa", words, 1));
}
END_TEST

/* ---- messages about a text ---- */

static char *printed(const struct mpl_lint *lint)
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

START_TEST(message_shows_place_line_and_caret)
{
    struct mpl_lint *lint = mpl_lint_create(arena);
    const char text[] = "a: 1\n\tb\xC3\xA4: max(x)\r\nc: 3";

    mpl_lint_source(lint, "p.yaml", text, sizeof text - 1);
    mpl_lint_add(lint, MPL_LINT_ERROR, (struct mpl_place){ "p.yaml", 2, 6 }, "unknown '%s'",
                 "max");
    mpl_lint_add(lint, MPL_LINT_WARNING, (struct mpl_place){ "p.yaml", 3, 0 }, "odd");
    mpl_lint_add(lint, MPL_LINT_ERROR, (struct mpl_place){ "p.yaml", 9, 1 },
                 "behind the end");
    mpl_lint_add(lint, MPL_LINT_ERROR, (struct mpl_place){ "q.yaml", 1, 1 }, "not read");
    mpl_lint_add(lint, MPL_LINT_ERROR, (struct mpl_place){ 0 }, "nowhere");
    ck_assert_str_eq(printed(lint), "p.yaml:2:6: error: unknown 'max'\n"
                                    "  \tb\xC3\xA4: max(x)\n"
                                    "  \t    ^\n"
                                    "p.yaml:3: warning: odd\n"
                                    "  c: 3\n"
                                    "p.yaml:9:1: error: behind the end\n"
                                    "q.yaml:1:1: error: not read\n"
                                    "error: nowhere\n");
    ck_assert_uint_eq(mpl_lint_errors(lint), 4);
    ck_assert_uint_eq(mpl_lint_count(lint), 5);
    ck_assert_str_eq(mpl_lint_get(lint, 0)->source, "\tb\xC3\xA4: max(x)");
    ck_assert_ptr_null(mpl_lint_get(lint, 2)->source);
}
END_TEST

static const char *formatted(const char *fmt, ...) MPL_PRINTF(1, 2);

static const char *formatted(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    const char *text = mpl_text_vformat(arena, fmt, args);
    va_end(args);
    return text;
}

START_TEST(printing_formats_as_printf_does)
{
    char expected[200];

    (void) snprintf(expected, sizeof expected,
                    "%d|%-5d|%05d|%+.2f|%6.1f|%.3g|%e|%u|%08x|%zu|%llu|%ld|%lu|%%", -7, 42,
                    42, 1.5, 2.25, 1e-7, 12345.678, 7U, 0xBEEFU, (size_t) 9, 1ULL << 40,
                    -5L, 6UL);
    ck_assert_str_eq(
        formatted("%d|%-5d|%05d|%+.2f|%6.1f|%.3g|%e|%u|%08x|%zu|%llu|%ld|%lu|%%", -7, 42,
                  42, 1.5, 2.25, 1e-7, 12345.678, 7U, 0xBEEFU, (size_t) 9, 1ULL << 40, -5L,
                  6UL),
        expected);
    ck_assert_str_eq(formatted("[%s|%5s|%-5s|%.2s|%*s|%-*s|%.*s|%c]", "a", "b", "c", "def",
                               3, "g", 3, "h", 1, "ij", 'k'),
                     "[a|    b|c    |de|  g|h  |i|k]");
}
END_TEST

START_TEST(what_is_printed_cannot_move_the_cursor_or_add_a_line)
{
    ck_assert_str_eq(formatted("%s\n", "a\033[2Jb\nc\xff\xc2\x9bJ\xe2\x80\xae\x7f"),
                     "a?[2Jb c??J??\n");
    ck_assert_str_eq(formatted("%c", '\033'), "?");
    ck_assert_str_eq(formatted("%s", "\tf\xc3\xbcr \xe2\x80\xa6"),
                     "\tf\xc3\xbcr \xe2\x80\xa6");
}
END_TEST

START_TEST(columns_are_as_wide_as_their_characters)
{
    ck_assert_str_eq(formatted("[%-4s|%4s]", "f\xc3\xbcr", "\xe2\x80\xa6"),
                     "[f\xc3\xbcr |   \xe2\x80\xa6]");
}
END_TEST

START_TEST(wrapped_text_cannot_move_the_cursor)
{
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);

    mpl_text_wrap(out, "a \033[2J", 2, 80);
    mpl_text_hang(out, "\033b: ", "c\xff", 0, 80);
    ck_assert_int_eq(fclose(out), 0);
    ck_assert_str_eq(text, "  a ?[2J\n?b: c?\n");
    free(text);
}
END_TEST

START_TEST(quoted_lines_cannot_move_the_cursor)
{
    struct mpl_lint *lint = mpl_lint_create(arena);
    const char text[] = "a\033[2J\x7F\xFF\xC2\x9B"
                        "b";

    mpl_lint_source(lint, "f", text, sizeof text - 1);
    mpl_lint_add(lint, MPL_LINT_ERROR, (struct mpl_place){ "f", 1, 9 }, "\033x");
    ck_assert_str_eq(printed(lint), "f:1:9: error: ?x\n"
                                    "  a?[2J???b\n"
                                    "          ^\n");
}
END_TEST

START_TEST(long_line_is_shown_around_the_place)
{
    struct mpl_lint *lint = mpl_lint_create(arena);
    char text[1000];

    memset(text, '.', sizeof text);
    text[499] = 'X';
    mpl_lint_source(lint, "f", text, sizeof text);
    mpl_lint_add(lint, MPL_LINT_ERROR, (struct mpl_place){ "f", 1, 500 }, "here");

    char *lines = printed(lint);
    const char *quote = strchr(lines, '\n') + 1;
    const char *caret = strchr(quote, '\n') + 1;

    ck_assert_uint_lt(strlen(lines), 300);
    ck_assert_int_eq(strchr(quote, 'X') - quote, strchr(caret, '^') - caret);
}
END_TEST

START_TEST(later_text_of_the_same_name_is_quoted)
{
    struct mpl_lint *lint = mpl_lint_create(arena);

    mpl_lint_source(lint, "f", "old", 3);
    mpl_lint_source(lint, "f", "new", 3);
    mpl_lint_add(lint, MPL_LINT_ERROR, (struct mpl_place){ "f", 1, 1 }, "x");
    ck_assert_str_eq(mpl_lint_get(lint, 0)->source, "new");
}
END_TEST

START_TEST(first_error_becomes_the_reason)
{
    struct mpl_lint *lint = mpl_lint_create(arena);
    struct mpl_err err = { 0 };

    ck_assert_int_eq(mpl_lint_fail(lint, &err), MPL_OK);
    mpl_lint_add(lint, MPL_LINT_WARNING, (struct mpl_place){ "f", 1, 1 }, "warned");
    ck_assert_int_eq(mpl_lint_fail(lint, &err), MPL_OK);
    mpl_lint_add(lint, MPL_LINT_ERROR, (struct mpl_place){ "f", 2, 3 }, "first");
    ck_assert_int_eq(mpl_lint_fail(lint, &err), MPL_E_SYNTAX);
    ck_assert_str_eq(err.cause[0].text, "f:2:3: first");
    mpl_lint_add(lint, MPL_LINT_ERROR, (struct mpl_place){ "f", 4, 1 }, "second");
    ck_assert_int_eq(mpl_lint_fail(lint, &err), MPL_E_SYNTAX);
    ck_assert_str_eq(err.cause[0].text, "f:2:3: first (and 1 more)");

    struct mpl_lint *other = mpl_lint_create(arena);
    mpl_lint_add(other, MPL_LINT_ERROR, (struct mpl_place){ "f", 2, 0 }, "a line");
    ck_assert_int_eq(mpl_lint_fail(other, &err), MPL_E_SYNTAX);
    ck_assert_str_eq(err.cause[0].text, "f:2: a line");
}
END_TEST

START_TEST(errors_count_even_where_their_text_finds_no_memory)
{
    for (long n = 0;; n++) {
        struct mpl_lint *lint = mpl_lint_create(arena);
        struct mpl_err err = { 0 };

        mpl_alloc_fail_after(n);
        mpl_lint_add(lint, MPL_LINT_ERROR, (struct mpl_place){ "f", 1, 1 }, "text");
        mpl_alloc_fail_after(-1);
        ck_assert_uint_eq(mpl_lint_errors(lint), 1);
        if (mpl_lint_fail(lint, &err) == MPL_E_SYNTAX) {
            ck_assert_int_gt(n, 2);
            return;
        }
        ck_assert_int_eq(err.code, MPL_E_NOMEM);
        ck_assert_str_eq(printed(lint), "error: out of memory; there are more messages\n");
    }
}
END_TEST

/* ---- files ---- */

/* A file with \p n bytes of which byte i is i modulo 251; removed by the caller. */
static void write_file(char *path, size_t n)
{
    const int fd = mkstemp(path);

    ck_assert_int_ge(fd, 0);

    FILE *out = fdopen(fd, "wb");

    for (size_t i = 0; i < n; i++) {
        fputc((int) (i % 251), out);
    }
    ck_assert_int_eq(fclose(out), 0);
}

START_TEST(file_is_read_whole_and_ended_with_nul)
{
    const size_t sizes[] = { 0, 1, 16383, 16384, 100000 };
    const size_t size = sizes[_i];
    char path[] = "test_base.XXXXXX";
    struct mpl_err err = { 0 };
    char *text = NULL;
    size_t n = 0;

    write_file(path, size);
    ck_assert_int_eq(mpl_file_read(path, size, arena, &text, &n, &err), MPL_OK);
    ck_assert_uint_eq(n, size);
    ck_assert_int_eq(text[size], 0);
    ck_assert_int_eq((unsigned char) text[size / 2],
                     size == 0 ? 0 : (int) (size / 2 % 251));

    /* One byte less is not enough. */
    if (size > 0) {
        ck_assert_int_eq(mpl_file_read(path, size - 1, arena, &text, &n, &err),
                         MPL_E_LIMIT);
    }
    unlink(path);
}
END_TEST

START_TEST(missing_file_is_told_with_name_and_reason)
{
    struct mpl_err err = { 0 };
    char *text = NULL;
    size_t n = 7;

    ck_assert_int_eq(mpl_file_read("does-not/exist", 10, arena, &text, &n, &err), MPL_E_IO);
    ck_assert_str_eq(err.cause[0].text, "No such file or directory");
    ck_assert_str_eq(err.cause[1].text, "cannot read \"does-not/exist\"");
    ck_assert_ptr_null(text);
    ck_assert_uint_eq(n, 7);
    ck_assert_int_eq(mpl_file_read(".", 10, arena, &text, &n, &err), MPL_E_IO);
    ck_assert_str_eq(err.cause[0].text, "it is a directory, not a regular file");
}
END_TEST

START_TEST(what_may_never_answer_is_no_file)
{
    const char pipe[] = "test_base.pipe";
    const char *const paths[] = { pipe, "/dev/zero" };
    const char *const says[] = { "it is a pipe, not a regular file",
                                 "it is a device, not a regular file" };

    (void) unlink(pipe);
    ck_assert_int_eq(mkfifo(pipe, 0600), 0);
    for (size_t i = 0; i < 2; i++) {
        struct mpl_err err = { 0 };
        size_t bytes = 7;
        int fd = -1;

        ck_assert_int_eq(mpl_file_open(paths[i], &fd, &bytes, &err), MPL_E_IO);
        ck_assert_str_eq(err.cause[0].text, says[i]);
        ck_assert_int_eq(fd, -1);
        ck_assert_uint_eq(bytes, 7);
    }
    unlink(pipe);
}
END_TEST

START_TEST(file_without_memory_is_an_error)
{
    char path[] = "test_base.XXXXXX";
    char *text = NULL;
    size_t n = 0;
    long failing = 0;

    write_file(path, 40000);
    for (;; failing++) {
        struct mpl_err err = { 0 };

        mpl_alloc_fail_after(failing);
        if (mpl_file_read(path, 40000, arena, &text, &n, &err) == MPL_OK) {
            break;
        }
        ck_assert_int_eq(err.code, MPL_E_NOMEM);
        ck_assert_ptr_null(text);
    }
    ck_assert_int_ge(failing, 3);
    unlink(path);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("base text");
    TCase *tcase = add_case(suite, "all", create_arena, destroy_arena);

    tcase_add_loop_test(tcase, seconds_have_three_digits_and_a_fitting_unit, 0,
                        (int) (sizeof durations / sizeof durations[0]));
    tcase_add_loop_test(tcase, seconds_are_right_to_three_digits, 0, 5);
    tcase_add_test(tcase, shares_are_percents_with_one_decimal);
    tcase_add_test(tcase, counts_are_grouped_by_three);
    tcase_add_test(tcase, numbers_without_memory_are_null);
    tcase_add_loop_test(tcase, text_is_wrapped_between_words, 0,
                        (int) (sizeof wraps / sizeof wraps[0]));
    tcase_add_loop_test(tcase, text_that_is_too_long_ends_at_a_sentence_a_clause_or_a_word,
                        0, sizeof fits / sizeof *fits);
    tcase_add_test(tcase, further_lines_begin_where_they_are_told_to);
    tcase_add_test(tcase, a_draft_counts_its_lines);
    tcase_add_loop_test(tcase, suggestion_is_the_nearest_word_or_none, 0,
                        (int) (sizeof suggestions / sizeof suggestions[0]));
    tcase_add_test(tcase, a_common_name_leads_to_ours_before_a_near_word_does);
    tcase_add_test(tcase, a_suggestion_ends_a_message_as_a_question);
    tcase_add_test(tcase, very_long_words_have_no_suggestion);
    tcase_add_test(tcase, message_shows_place_line_and_caret);
    tcase_add_test(tcase, printing_formats_as_printf_does);
    tcase_add_test(tcase, what_is_printed_cannot_move_the_cursor_or_add_a_line);
    tcase_add_test(tcase, columns_are_as_wide_as_their_characters);
    tcase_add_test(tcase, wrapped_text_cannot_move_the_cursor);
    tcase_add_test(tcase, quoted_lines_cannot_move_the_cursor);
    tcase_add_test(tcase, long_line_is_shown_around_the_place);
    tcase_add_test(tcase, later_text_of_the_same_name_is_quoted);
    tcase_add_test(tcase, first_error_becomes_the_reason);
    tcase_add_test(tcase, errors_count_even_where_their_text_finds_no_memory);
    tcase_add_loop_test(tcase, file_is_read_whole_and_ended_with_nul, 0, 5);
    tcase_add_loop_test(tcase, names_are_text_in_markup, 0, 3);
    tcase_add_test(tcase, long_names_are_cut_in_markup);
    tcase_add_loop_test(tcase, base64_is_that_of_the_standard, 0, 7);
    tcase_add_test(tcase, missing_file_is_told_with_name_and_reason);
    tcase_add_test(tcase, what_may_never_answer_is_no_file);
    tcase_add_test(tcase, file_without_memory_is_an_error);
    return run_suite(suite);
}
