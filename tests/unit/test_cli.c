#include "config.h"

#include <check.h>
#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/vocab_priv.h"

#include "../lib/suite.h"
#include "folder_fixture.h"

static struct mpl_err err;

static void begin(void)
{
    err = (struct mpl_err){ 0 };
    create_arena();
}

/* ---- words ---- */

/* "quiet number=3 FILE" for what the words say. */
static enum mpl_status tell(struct mpl_args *args, void *target, struct mpl_err *error)
{
    const char **text = (const char **) target;

    (void) error;
    *text = mpl_arena_printf(arena, "%s%s%s%s%s", *text, (*text)[0] != '\0' ? " " : "",
                             args->option != NULL ? args->option->name : "",
                             args->option != NULL && args->value != NULL ? "=" : "",
                             args->value != NULL ? args->value : "");
    return MPL_OK;
}

static const struct mpl_option options[] = {
    { 'q', "quiet", NULL, "say nothing", .take = tell },
    { 'v', "verbose", NULL, "say more", .take = tell, .about = 2 },
    { 'n', "number", "N", "how many", .take = tell, MPL_WITHIN(1, 12), .about = 1 },
    { 0, "format", "text|json", "what to print", .take = tell },
    { 0 },
};
static const struct mpl_cmd cmd = {
    .name = "try", .operands = "FILE", .summary = "try", .options = options
};

/* What the words say, or the error's first clause. */
static const char *told(const char *const *words, int n)
{
    struct mpl_args args = { .cmd = &cmd, .n = n, .words = words, .arena = arena };
    const char *text = "";

    return mpl_args_parse(&args, &text, tell, &text, &err) == MPL_OK ? text
                                                                     : err.cause[0].text;
}

#define TOLD(...) \
    told((const char *const[]){ __VA_ARGS__ }, \
         sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))

START_TEST(options_and_operands_may_be_mixed)
{
    ck_assert_str_eq(TOLD("a", "--quiet", "b", "-v"), "a quiet b verbose");
}
END_TEST

START_TEST(values_stand_in_the_same_word_or_in_the_next)
{
    ck_assert_str_eq(TOLD("--number=3"), "number=3");
    ck_assert_str_eq(TOLD("--number", "3"), "number=3");
    ck_assert_str_eq(TOLD("-n3"), "number=3");
    ck_assert_str_eq(TOLD("-n", "3"), "number=3");
    ck_assert_str_eq(TOLD("--number="), "number=");
    ck_assert_str_eq(TOLD("--number", "--quiet"), "number=--quiet");
}
END_TEST

START_TEST(short_flags_may_share_a_word)
{
    ck_assert_str_eq(TOLD("-qvn3", "x"), "quiet verbose number=3 x");
    ck_assert_str_eq(TOLD("-qn", "3"), "quiet number=3");
}
END_TEST

START_TEST(behind_two_dashes_everything_is_an_operand)
{
    ck_assert_str_eq(TOLD("-q", "--", "-v", "--", "--number"), "quiet -v -- --number");
}
END_TEST

START_TEST(a_lone_dash_is_an_operand)
{
    ck_assert_str_eq(TOLD("-", "-q"), "- quiet");
}
END_TEST

START_TEST(unknown_options_come_with_a_suggestion)
{
    ck_assert_str_eq(TOLD("--fromat=x"),
                     "unknown option \"--fromat\"; did you mean \"--format\"?");
    ck_assert_str_eq(TOLD("--xyzzy"), "unknown option \"--xyzzy\"");
    ck_assert_str_eq(TOLD("-qx"), "unknown option \"-x\"");
    ck_assert_int_eq(err.code, MPL_E_USAGE);
}
END_TEST

START_TEST(values_that_are_missing_or_too_many_are_told)
{
    ck_assert_str_eq(TOLD("--number"), "option \"--number\" needs a value: N");
    ck_assert_str_eq(TOLD("-n"), "option \"--number\" needs a value: N");
    ck_assert_str_eq(TOLD("--quiet=yes"), "option \"--quiet\" takes no value");
}
END_TEST

START_TEST(a_very_long_option_is_only_unknown)
{
    char word[300];

    memset(word, 'x', sizeof word);
    memcpy(word, "--", 2);
    word[sizeof word - 1] = '\0';
    ck_assert_int_eq(strncmp(TOLD(word), "unknown option \"--xxx", 20), 0);
}
END_TEST

START_TEST(what_was_given_is_known_by_what_it_is_about)
{
    static const char *const words[] = { "-v", "-n", "3" };
    struct mpl_args args = { .cmd = &cmd, .n = 3, .words = words, .arena = arena };
    const char *text = "";

    ck_assert_int_eq(mpl_args_parse(&args, &text, NULL, NULL, &err), MPL_OK);
    ck_assert_ptr_eq(mpl_args_given(&args, 1), &options[2]);
    ck_assert_ptr_eq(mpl_args_given(&args, 3), &options[1]);
    ck_assert_ptr_null(mpl_args_given(&args, 4));
}
END_TEST

START_TEST(who_takes_no_operands_says_so)
{
    static const char *const words[] = { "x" };
    struct mpl_args args = { .cmd = &cmd, .n = 1, .words = words, .arena = arena };

    ck_assert_int_eq(mpl_args_parse(&args, NULL, NULL, NULL, &err), MPL_E_USAGE);
    ck_assert_str_eq(err.cause[0].text, "unexpected \"x\" behind FILE");
}
END_TEST

/* Of the value of one option. */
static enum mpl_status take(mpl_take *function, const struct mpl_option *option,
                            const char *value, void *target)
{
    struct mpl_args args = {
        .cmd = &cmd, .arena = arena, .option = option, .value = value
    };

    return function(&args, target, &err);
}

START_TEST(whole_numbers_are_read_within_bounds)
{
    static const char *const bad[] = { "", "13", "0", "3x", "-1", "99999999999999999999",
                                       "x" };
    long n = 7;
    uint32_t count = 7;

    ck_assert_int_eq(take(mpl_take_number, &options[2], "12", &n), MPL_OK);
    ck_assert_int_eq(take(mpl_take_count, &options[2], "11", &count), MPL_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ck_assert_int_eq(take(mpl_take_number, &options[2], bad[i], &n), MPL_E_USAGE);
        ck_assert_int_eq(take(mpl_take_count, &options[2], bad[i], &count), MPL_E_USAGE);
    }
    ck_assert_int_eq(n, 12);
    ck_assert_uint_eq(count, 11);
}
END_TEST

START_TEST(shares_may_be_percentages)
{
    static const char *const bad[] = { "", "%", "5 %", "2", "101%", "-1%", "nan", "x" };
    double share = -1;

    ck_assert_int_eq(take(mpl_take_share, &options[2], "5%", &share), MPL_OK);
    ck_assert_double_eq_tol(share, 0.05, 1e-15);
    ck_assert_int_eq(take(mpl_take_share, &options[2], "0.25", &share), MPL_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ck_assert_msg(take(mpl_take_share, &options[2], bad[i], &share) == MPL_E_USAGE,
                      "\"%s\" was taken", bad[i]);
        ck_assert_double_eq(share, 0.25);
    }
}
END_TEST

START_TEST(a_format_that_is_misspelt_gets_a_suggestion)
{
    enum mpl_format format = MPL_FORMAT_TEXT;

    ck_assert_int_eq(take(mpl_take_format, &options[3], "json", &format), MPL_OK);
    ck_assert_int_eq(format, MPL_FORMAT_JSON);
    ck_assert_int_eq(take(mpl_take_format, &options[3], "jsno", &format), MPL_E_USAGE);
    ck_assert_str_eq(err.cause[0].text,
                     "option \"--format\" does not know \"jsno\"; did you mean \"json\"?");
}
END_TEST

START_TEST(every_command_has_what_its_usage_needs)
{
    size_t n = 0;
    const struct mpl_cmd *const *all = mpl_commands(&n);

    ck_assert_uint_gt(n, 0);
    for (size_t i = 0; i < n; i++) {
        ck_assert_ptr_eq(mpl_command_find(all[i]->name), all[i]);
        ck_assert_ptr_nonnull(all[i]->operands);
        ck_assert_uint_gt(strlen(all[i]->summary), 10);
        ck_assert_ptr_nonnull(all[i]->run);
        for (const struct mpl_option *o = all[i]->options; o != NULL && o->name; o++) {
            ck_assert_ptr_nonnull(o->says);
            ck_assert_ptr_nonnull(o->take);
            ck_assert_msg(o - all[i]->options < 64, "%s has too many options for a mask",
                          all[i]->name);
            ck_assert_msg(o->letter != 'h', "%s takes -h for itself", all[i]->name);
        }
    }
    ck_assert_ptr_null(mpl_command_find("nonsense"));
}
END_TEST

/* ---- output ---- */

static void begin_in_folder(void)
{
    err = (struct mpl_err){ 0 };
    create_folder();
}

static const char *content(const char *path)
{
    char *text = NULL;
    size_t bytes = 0;

    ck_assert_int_eq(mpl_file_read(path, 1000, arena, &text, &bytes, &err), MPL_OK);
    return text;
}

static void expect_alone(const char *name)
{
    DIR *dir = opendir(folder);

    ck_assert_ptr_nonnull(dir);
    for (const struct dirent *e; (e = readdir(dir)) != NULL;) {
        ck_assert_msg(e->d_name[0] == '.' || strcmp(e->d_name, name) == 0, "%s", e->d_name);
    }
    (void) closedir(dir);
}

START_TEST(output_has_its_name_only_when_it_is_complete)
{
    struct mpl_output out;
    const char *path = in_folder("answer");

    ck_assert_int_eq(mpl_output_open(path, stdout, &out, &err), MPL_OK);
    fputs("all of it", out.stream);
    ck_assert_int_ne(access(path, F_OK), 0);
    ck_assert_int_eq(mpl_output_close(&out, MPL_OK, &err), MPL_OK);
    ck_assert_str_eq(content(path), "all of it");
    expect_alone("answer");
}
END_TEST

START_TEST(failure_keeps_the_old_file_and_leaves_no_other)
{
    struct mpl_output out;
    const char *path = in_folder("answer");
    FILE *old = fopen(path, "w");

    fputs("old", old);
    fclose(old);
    ck_assert_int_eq(mpl_output_open(path, stdout, &out, &err), MPL_OK);
    fputs("half of", out.stream);
    ck_assert_int_eq(mpl_output_close(&out, MPL_E_LIMIT, &err), MPL_E_LIMIT);
    ck_assert_str_eq(content(path), "old");
    expect_alone("answer");
}
END_TEST

START_TEST(who_is_told_to_end_keeps_the_old_file)
{
    struct mpl_output out;
    const char *path = in_folder("answer");
    FILE *old = fopen(path, "w");
    sigset_t term;

    fputs("old", old);
    fclose(old);
    ck_assert_int_eq(mpl_output_open(path, stdout, &out, &err), MPL_OK);
    fputs("new", out.stream);
    /* As if it came while the file is written: it waits, and can be seen. */
    (void) sigemptyset(&term);
    (void) sigaddset(&term, SIGTERM);
    (void) sigprocmask(SIG_BLOCK, &term, NULL);
    (void) raise(SIGTERM);
    (void) mpl_output_close(&out, MPL_OK, &err);
    ck_assert_int_eq(sigwaitinfo(&term, NULL), SIGTERM);
    ck_assert_str_eq(content(path), "old");
    expect_alone("answer");
}
END_TEST

/* Not even by a signal that nobody can catch. */
START_TEST(however_the_process_ends_half_an_output_leaves_nothing)
{
    const char *path = in_folder("answer");
    const pid_t child = fork();
    int status = 0;

    if (child == 0) {
        struct mpl_output out;

        if (mpl_output_open(path, stdout, &out, &err) == MPL_OK) {
            fputs("half of", out.stream);
            (void) fflush(out.stream);
            (void) raise(SIGKILL);
        }
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFSIGNALED(status));
    expect_alone("nothing");
}
END_TEST

START_TEST(output_is_as_readable_as_any_new_file)
{
    struct mpl_output out;
    struct stat st;
    const mode_t mask = umask(022);
    const char *path = in_folder("answer");

    ck_assert_int_eq(mpl_output_open(path, stdout, &out, &err), MPL_OK);
    ck_assert_int_eq(mpl_output_close(&out, MPL_OK, &err), MPL_OK);
    (void) umask(mask);
    ck_assert_int_eq(stat(path, &st), 0);
    ck_assert_int_eq(st.st_mode & 0777, 0644);
}
END_TEST

START_TEST(output_that_cannot_be_written_is_an_error)
{
    struct mpl_output out;

    ck_assert_int_eq(mpl_output_open(in_folder("none/answer"), stdout, &out, &err),
                     MPL_E_IO);
    if (access("/dev/full", W_OK) == 0) {
        ck_assert_int_eq(mpl_output_open("/dev/full", stdout, &out, &err), MPL_OK);
        fputs("too much", out.stream);
        ck_assert_int_eq(mpl_output_close(&out, MPL_OK, &err), MPL_E_IO);
    }
}
END_TEST

START_TEST(findings_survive_the_close)
{
    struct mpl_output out;

    ck_assert_int_eq(mpl_output_open(NULL, stdout, &out, &err), MPL_OK);
    ck_assert_ptr_eq(out.stream, stdout);
    ck_assert_int_eq(mpl_output_close(&out, MPL_END, &err), MPL_END);
}
END_TEST

START_TEST(progress_is_silent_where_nobody_looks)
{
    struct mpl_progress_line line;
    FILE *file = tmpfile();

    ck_assert_ptr_nonnull(file);
    mpl_progress_line_open(&line, file);
    mpl_progress_tell(&line.progress, "reading events", 1, 2);
    mpl_progress_line_close(&line);
    ck_assert_int_eq(ftell(file), 0);
    fclose(file);
}
END_TEST

/* ---- vocabulary ---- */

static const char *vocabulary(const char *text)
{
    struct mpl_buf words = mpl_buf_make(sizeof(struct mpl_vocab_word));
    const char *told_words = "";

    ck_assert_int_eq(mpl_vocab_facts(text, arena, &words, &err), MPL_OK);
    for (size_t i = 0; i < words.n; i++) {
        const struct mpl_vocab_word *w = mpl_buf_get(&words, i);
        told_words =
            mpl_arena_printf(arena, "%s%s%s%s|%s\n", told_words, w->of != NULL ? w->of : "",
                             w->of != NULL ? "." : "", w->name, w->unit);
        told_words = mpl_arena_printf(arena, "%s  %s\n", told_words, w->says);
    }
    mpl_buf_free(&words);
    return told_words;
}

START_TEST(templates_and_slots_are_read_with_their_remarks)
{
    ck_assert_str_eq(
        vocabulary("; a (deftemplate no\n"
                   "(deftemplate MAIN::metric \"A \\\"number\\\".\"\n"
                   "  (slot name (type STRING))\n"
                   "  (slot rank (type INTEGER) (default 0)) ; 1 for the largest,\n"
                   "                        ; 2 for the next\n"
                   "  (multislot where (type STRING)))       ; a place\n"
                   "(defrule x (metric (name \"slot\")) => (assert (y)))\n"),
        "metric|\n  A \"number\".\n"
        "metric.name|STRING\n  \n"
        "metric.rank|INTEGER\n  1 for the largest, 2 for the next\n"
        "metric.where|STRING\n  a place\n");
}
END_TEST

static const char *terms(const char *text)
{
    struct mpl_buf words = mpl_buf_make(sizeof(struct mpl_vocab_word));
    const char *told_words = "";

    err = (struct mpl_err){ 0 };
    if (mpl_vocab_terms("terms.yaml", text, strlen(text), arena, &words, &err) != MPL_OK) {
        mpl_buf_free(&words);
        return err.cause[0].text;
    }
    for (size_t i = 0; i < words.n; i++) {
        const struct mpl_vocab_word *w = mpl_buf_get(&words, i);

        told_words = mpl_arena_printf(arena, "%s%s|%s\n", told_words, w->name, w->says);
    }
    mpl_buf_free(&words);
    return told_words;
}

START_TEST(terms_are_read_with_their_meanings)
{
    ck_assert_str_eq(terms("# terms\nlate sender: A receive waits.\ngain: Run time.\n"),
                     "late sender|A receive waits.\ngain|Run time.\n");
    ck_assert_str_eq(terms(""), "");
}
END_TEST

START_TEST(terms_that_are_no_texts_are_refused_with_their_place)
{
    ck_assert_str_eq(terms("- gain\n"),
                     "terms.yaml:1:1: terms are written as \"term: meaning\"");
    ck_assert_str_eq(terms("gain: Run time.\nlate sender: {a: b}\n"),
                     "terms.yaml:2:1: the meaning of \"late sender\" is no text");
}
END_TEST

START_TEST(broken_vocabularies_do_no_harm)
{
    static const char *const broken[] = {
        "",
        "(",
        ")",
        "((((",
        "(deftemplate",
        "(deftemplate x \"",
        "(deftemplate x \"\\",
        "(deftemplate x (slot",
        "(deftemplate x (slot a (type",
        ")))) ; (",
        "(slot a) ; b",
    };
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        ck_assert_ptr_nonnull(vocabulary(broken[i]));
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("cli");
    TCase *words = add_case(s, "words", begin, destroy_arena);
    TCase *output = add_case(s, "output", begin_in_folder, remove_folder);
    TCase *vocab = add_case(s, "vocabulary", begin, destroy_arena);

    tcase_add_test(words, options_and_operands_may_be_mixed);
    tcase_add_test(words, values_stand_in_the_same_word_or_in_the_next);
    tcase_add_test(words, short_flags_may_share_a_word);
    tcase_add_test(words, behind_two_dashes_everything_is_an_operand);
    tcase_add_test(words, a_lone_dash_is_an_operand);
    tcase_add_test(words, unknown_options_come_with_a_suggestion);
    tcase_add_test(words, values_that_are_missing_or_too_many_are_told);
    tcase_add_test(words, a_very_long_option_is_only_unknown);
    tcase_add_test(words, what_was_given_is_known_by_what_it_is_about);
    tcase_add_test(words, who_takes_no_operands_says_so);
    tcase_add_test(words, whole_numbers_are_read_within_bounds);
    tcase_add_test(words, shares_may_be_percentages);
    tcase_add_test(words, a_format_that_is_misspelt_gets_a_suggestion);
    tcase_add_test(words, every_command_has_what_its_usage_needs);

    tcase_add_test(output, output_has_its_name_only_when_it_is_complete);
    tcase_add_test(output, failure_keeps_the_old_file_and_leaves_no_other);
    tcase_add_test(output, who_is_told_to_end_keeps_the_old_file);
    tcase_add_test(output, however_the_process_ends_half_an_output_leaves_nothing);
    tcase_add_test(output, output_is_as_readable_as_any_new_file);
    tcase_add_test(output, output_that_cannot_be_written_is_an_error);
    tcase_add_test(output, findings_survive_the_close);
    tcase_add_test(output, progress_is_silent_where_nobody_looks);

    tcase_add_test(vocab, templates_and_slots_are_read_with_their_remarks);
    tcase_add_test(vocab, broken_vocabularies_do_no_harm);
    tcase_add_test(vocab, terms_are_read_with_their_meanings);
    tcase_add_test(vocab, terms_that_are_no_texts_are_refused_with_their_place);
    return run_suite(s);
}
