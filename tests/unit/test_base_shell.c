/* Words that a shell takes back as they were. */
#include "config.h"

#include "base/base.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/arena.h"
#include "../lib/suite.h"

static const struct {
    const char *word;
    const char *quoted;
} words[] = {
    { "eztrace", "eztrace" },
    { "--plain=1", "--plain=1" },
    { "a/b-c_d.e:f,g@h%i+j", "a/b-c_d.e:f,g@h%i+j" },
    { "", "''" },
    { "a b", "'a b'" },
    { "$x", "'$x'" },
    { "`x`", "'`x`'" },
    { "x\\y", "'x\\y'" },
    { "x\ny", "'x\ny'" },
    { "~", "'~'" },
    { "*", "'*'" },
    { "it's", "'it'\\''s'" },
    { "''", "''\\'''\\'''" },
    { "=make", "'=make'" }, /* zsh: the path of make */
    { "{processes}", "{processes}" },
    { "-n{processes}", "-n{processes}" },
    { "{a,b}", "'{a,b}'" }, /* bash: two words */
    { "{1..3}", "'{1..3}'" },
    { "{", "'{'" },
    { "}", "'}'" },
    { "{}", "'{}'" },
    { "\xc3\xa4", "'\xc3\xa4'" },
};

START_TEST(a_word_is_quoted_where_a_shell_would_not_take_it_as_it_is)
{
    ck_assert_str_eq(mpl_shell_quote(arena, words[_i].word), words[_i].quoted);
}
END_TEST

/* Whether the shell finds one word, and that one. */
static void shell_takes(const char *shell, const char *word)
{
    const char *line = mpl_arena_printf(
        arena,
        "command -v %s > /dev/null || exit 0; exec %s -c 'test $# = 1 && test \"x$1\" = "
        "\"x$WORD\"' %s %s",
        shell, shell, shell, mpl_shell_quote(arena, word));

    ck_assert_int_eq(setenv("WORD", word, 1), 0);
    ck_assert_msg(system(line) == 0, "%s does not take '%s' from: %s", shell, word, line);
}

START_TEST(a_shell_takes_it_back)
{
    shell_takes("sh", words[_i].word);
    shell_takes("bash", words[_i].word);
}
END_TEST

START_TEST(without_memory_there_is_none)
{
    mpl_alloc_fail_after(0);
    ck_assert_ptr_null(mpl_shell_quote(arena, "a b"));
    mpl_alloc_fail_after(0);
    ck_assert_ptr_null(mpl_shell_quote(arena, "a"));
}
END_TEST

int main(void)
{
    const int n = (int) (sizeof words / sizeof words[0]);
    Suite *suite = suite_create("base: shell");
    TCase *tcase = add_case(suite, "quote", create_arena, destroy_arena);

    tcase_add_loop_test(tcase, a_word_is_quoted_where_a_shell_would_not_take_it_as_it_is, 0,
                        n);
    tcase_add_loop_test(tcase, a_shell_takes_it_back, 0, n);
    tcase_add_test(tcase, without_memory_there_is_none);
    return run_suite(suite);
}
