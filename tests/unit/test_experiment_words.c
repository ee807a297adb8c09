/* Where the words of a tracer go, and what replaces the placeholders. */
#include "config.h"

#include "experiment/experiment_priv.h"

#include <check.h>
#include <string.h>

#include "../lib/arena.h"
#include "../lib/suite.h"

static struct mpl_err err;

static void begin(void)
{
    err = (struct mpl_err){ 0 };
    create_arena();
}

static const char *const tracer[] = { "eztrace", "-t", "openmpi" };

/* The words of \p text, separated by blanks. */
static struct mpl_command command_of(const char *text)
{
    char *rest = mpl_arena_strdup(arena, text);
    const char **words = MPL_NEW_ARRAY(arena, strlen(text) + 1, const char *);
    struct mpl_command command = { .words = words };

    for (char *word = NULL; (word = strsep(&rest, " ")) != NULL;) {
        words[command.n++] = word;
    }
    return command;
}

/* The command as it would be executed, or why not. */
static const char *filled(const char *text, uint32_t processes, const char *args)
{
    struct mpl_command command = command_of(text);
    const struct filling filling = { .processes = processes,
                                     .launch = tracer,
                                     .n_launch = 3 };
    const char *const *words = NULL;
    size_t n = 0;

    command.args = args;
    return mpl_command_fill(&command, &filling, arena, &words, &n, &err) == MPL_OK
               ? mpl_words_print(words, n, arena)
               : err.cause[0].text;
}

START_TEST(the_tracer_goes_where_the_user_says_or_in_front_of_all)
{
    ck_assert_str_eq(filled("mpirun -np 4 app x", 0, NULL),
                     "eztrace -t openmpi mpirun -np 4 app x");
    ck_assert_str_eq(filled("mpirun -np {processes} {tracer} app -np 3", 8, NULL),
                     "mpirun -np 8 eztrace -t openmpi app -np 3");
    ck_assert_str_eq(filled("mpirun -n 1 {tracer} a : -n 2 {tracer} b", 0, NULL),
                     "mpirun -n 1 eztrace -t openmpi a : -n 2 eztrace -t openmpi b");
    ck_assert_str_eq(filled("ourrun x{tracer} app", 0, NULL),
                     "{tracer} must be a word of its own, not in \"x{tracer}\"");
}
END_TEST

START_TEST(arguments_are_separated_by_blanks)
{
    ck_assert_str_eq(filled("mpirun app {args} z", 0, " --tasks 120  -v\t"),
                     "eztrace -t openmpi mpirun app --tasks 120 -v z");
    ck_assert_str_eq(filled("mpirun app {args}", 0, NULL), "eztrace -t openmpi mpirun app");
}
END_TEST

START_TEST(the_number_of_processes_must_be_known)
{
    ck_assert_str_eq(filled("mpirun -np {processes} app", 0, NULL),
                     "the number for {processes} is not known");
    ck_assert_str_eq(
        filled("mpirun -np {processes} app out-{processes}.{processes}", 12, NULL),
        "eztrace -t openmpi mpirun -np 12 app out-12.12");
}
END_TEST

/* What is said of a misspelt placeholder; "" where there is none. */
static const char *said_of(const char *text)
{
    const struct mpl_command command = command_of(text);

    err = (struct mpl_err){ 0 };
    return mpl_command_check_placeholders(&command, &err) == MPL_OK ? ""
                                                                    : err.cause[0].text;
}

START_TEST(a_misspelt_placeholder_is_told_what_it_is_meant_for)
{
    static const char *const wrong[][2] = {
        { "mpirun -np {process} app",
          "there is no placeholder {process}; did you mean {processes}?" },
        { "app {Procs}", "there is no placeholder {Procs}; did you mean {processes}?" },
        { "app {arg}", "there is no placeholder {arg}; did you mean {args}?" },
        { "ourrun {tacer} app", "there is no placeholder {tacer}; did you mean {tracer}?" },
    };
    static const char *const right[] = {
        "mpirun -np {processes} {tracer} app {args}",     /* All of them. */
        "app {x} {a,b} {1..3} {} { log.{proc} {\"n\":1}", /* Braces of the program. */
        "app -np {n}", /* Nobody knows what it wants there. */
    };

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ck_assert_str_eq(said_of(wrong[i][0]), wrong[i][1]);
    }
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        ck_assert_str_eq(said_of(right[i]), "");
    }
}
END_TEST

START_TEST(printed_words_can_be_pasted)
{
    const char *const words[] = { "a b", "", "it's", "$x", "--plain=1", "''" };

    ck_assert_str_eq(mpl_words_print(words, 6, arena),
                     "'a b' '' 'it'\\''s' '$x' --plain=1 ''\\'''\\'''");
}
END_TEST

static const char *name_of(const char *text)
{
    const struct mpl_command command = command_of(text);

    return mpl_command_name(&command, arena);
}

START_TEST(a_case_is_called_after_the_program)
{
    ck_assert_str_eq(name_of("mpirun -np {processes} --fancy=3 /bin/cat --tasks 3"), "cat");
    ck_assert_str_eq(name_of("ourrun 3 cat sh"), "cat");
    ck_assert_str_eq(name_of("ourrun 3 {tracer} dir/solver"), "solver");
    ck_assert_str_eq(name_of("dir/solver x y"), "solver");
    ck_assert_str_eq(name_of("ourrun {tracer} {args}"), "program");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("experiment: words");
    TCase *tcase = add_case(suite, "words", begin, destroy_arena);

    tcase_add_test(tcase, the_tracer_goes_where_the_user_says_or_in_front_of_all);
    tcase_add_test(tcase, arguments_are_separated_by_blanks);
    tcase_add_test(tcase, the_number_of_processes_must_be_known);
    tcase_add_test(tcase, a_misspelt_placeholder_is_told_what_it_is_meant_for);
    tcase_add_test(tcase, printed_words_can_be_pasted);
    tcase_add_test(tcase, a_case_is_called_after_the_program);
    return run_suite(suite);
}
