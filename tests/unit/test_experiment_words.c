/* Where the words of a tracer go, and what replaces the placeholders. */
#include "config.h"

#include "experiment/experiment_priv.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static struct mpl_arena *arena;
static struct mpl_err err;

static void begin(void)
{
    err = (struct mpl_err){ 0 };
    arena = mpl_arena_create();
    ck_assert_ptr_nonnull(arena);
}

static void end(void)
{
    mpl_arena_destroy(arena);
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

START_TEST(the_tracer_goes_in_front_of_the_program)
{
    ck_assert_str_eq(filled("mpirun -np 4 app x", 0, NULL),
                     "mpirun -np 4 eztrace -t openmpi app x");
    ck_assert_str_eq(filled("mpirun --oversubscribe -np {processes} app -np 3", 8, NULL),
                     "mpirun --oversubscribe -np 8 eztrace -t openmpi app -np 3");
    ck_assert_str_eq(
        filled("/usr/bin/mpiexec -n4 --mca btl self,vader -x PATH app", 0, NULL),
        "/usr/bin/mpiexec -n4 --mca btl self,vader -x PATH eztrace -t openmpi app");
    ck_assert_str_eq(filled("srun --ntasks={processes} -p debug --exclusive app", 16, NULL),
                     "srun --ntasks=16 -p debug --exclusive eztrace -t openmpi app");
    ck_assert_str_eq(filled("mpirun app", 0, NULL), "mpirun eztrace -t openmpi app");
    ck_assert_str_eq(filled("app", 0, NULL), "eztrace -t openmpi app");
}
END_TEST

START_TEST(an_option_that_nobody_knows_may_take_a_value)
{
    ck_assert_str_eq(filled("mpirun --fancy /bin/sh -np 4", 0, NULL),
                     "mpirun --fancy eztrace -t openmpi /bin/sh -np 4");
    ck_assert_ptr_nonnull(
        strstr(filled("mpirun --fancy x app", 0, NULL), "write {tracer}"));
    ck_assert_ptr_nonnull(
        strstr(filled("mpirun --fancy /bin/ls /bin/sh", 0, NULL), "several words name"));
    ck_assert_str_eq(filled("mpirun --fancy=3 app", 0, NULL),
                     "mpirun --fancy=3 eztrace -t openmpi app");
}
END_TEST

START_TEST(an_unknown_launcher_is_told_from_a_program_by_its_path)
{
    ck_assert_str_eq(filled("ourrun 4 /bin/sh x", 0, NULL),
                     "ourrun 4 eztrace -t openmpi /bin/sh x");
    ck_assert_ptr_nonnull(
        strstr(filled("ourrun 4 app", 0, NULL), "no word names a program"));
}
END_TEST

START_TEST(the_user_can_say_where_the_tracer_goes)
{
    ck_assert_str_eq(filled("ourrun {tracer} app", 0, NULL),
                     "ourrun eztrace -t openmpi app");
    ck_assert_str_eq(filled("mpirun -n 1 {tracer} a : -n 2 {tracer} b", 0, NULL),
                     "mpirun -n 1 eztrace -t openmpi a : -n 2 eztrace -t openmpi b");
    ck_assert_ptr_nonnull(
        strstr(filled("mpirun -n 1 a : -n 2 b", 0, NULL), "several programs"));
    ck_assert_str_eq(filled("ourrun x{tracer} app", 0, NULL),
                     "{tracer} must be a word of its own, not in \"x{tracer}\"");
}
END_TEST

START_TEST(arguments_are_separated_by_blanks)
{
    ck_assert_str_eq(filled("mpirun app {args} z", 0, " --tasks 120  -v\t"),
                     "mpirun eztrace -t openmpi app --tasks 120 -v z");
    ck_assert_str_eq(filled("mpirun app {args}", 0, NULL), "mpirun eztrace -t openmpi app");
    ck_assert_str_eq(filled("{args}", 0, NULL), "nothing is left of the command");
}
END_TEST

START_TEST(the_number_of_processes_must_be_known)
{
    ck_assert_str_eq(filled("mpirun -np {processes} app", 0, NULL),
                     "the number for {processes} is not known");
    ck_assert_str_eq(
        filled("mpirun -np {processes} app out-{processes}.{processes}", 12, NULL),
        "mpirun -np 12 eztrace -t openmpi app out-12.12");
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
        { "mpirun -np {n} app", "there is no placeholder {n}; did you mean {processes}?" },
        { "srun --ntasks={x} app",
          "there is no placeholder {x}; did you mean {processes}?" },
        { "mpirun -n{x} app", "there is no placeholder {x}; did you mean {processes}?" },
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

/* What is said of programs that are not there; "" where there is nothing to say. */
static const char *said_of_programs(const char *text)
{
    const struct mpl_command command = command_of(text);

    err = (struct mpl_err){ 0 };
    return mpl_command_check_programs(&command, &err) == MPL_OK ? "" : err.cause[0].text;
}

START_TEST(a_program_that_is_not_there_is_told_before_it_is_started)
{
    ck_assert_str_eq(said_of_programs("/bin/sh"), "");
    ck_assert_str_eq(said_of_programs("sh"), "");
    ck_assert_str_eq(said_of_programs("./no-such"),
                     "the program \"./no-such\" does not exist");
    ck_assert_str_eq(said_of_programs("/"), "the program \"/\" is a directory");
    ck_assert_str_eq(
        said_of_programs("/etc/passwd"),
        "the program \"/etc/passwd\" may not be executed (chmod +x makes it so)");
    ck_assert_str_eq(said_of_programs("no-such-launcher {tracer} /bin/sh"),
                     "there is no program \"no-such-launcher\" on PATH");
    ck_assert_str_eq(said_of_programs("mpirunn -np 4 /bin/sh"),
                     "there is no program \"mpirunn\" on PATH; did you mean \"mpirun\"?");
    ck_assert_str_eq(
        said_of_programs("A=1 mpirun {tracer} /bin/sh"),
        "\"A=1\" is no program; set variables in front of marple, or write env A=1");
    ck_assert_str_eq(said_of_programs("env {tracer} ./no-such"),
                     "the program \"./no-such\" does not exist");
    ck_assert_str_eq(said_of_programs("env {tracer} app.{processes}"), "");
}
END_TEST

START_TEST(an_empty_folder_on_the_path_is_the_current_one)
{
    static const char *const paths[] = { ":/bin", "/bin:", "/no::/bin", ":", "" };
    char *kept = strdup(getenv("PATH"));

    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        ck_assert_int_eq(setenv("PATH", paths[i], 1), 0);
        ck_assert_str_eq(said_of_programs("no-such-launcher {tracer} /bin/sh"),
                         "there is no program \"no-such-launcher\" on PATH");
        ck_assert_str_eq(said_of_programs("sh"),
                         i < 3 ? "" : "there is no program \"sh\" on PATH");
    }
    ck_assert_int_eq(setenv("PATH", kept, 1), 0);
    free(kept);
}
END_TEST

START_TEST(what_another_machine_has_is_not_asked_of_this_one)
{
    static const char *const elsewhere[] = { "mpirun -H a,b ./no-such",
                                             "mpirun --hostfile=f x",
                                             "mpirun -wdir /tmp ./no-such",
                                             "srun -n 4 ./no-such" };
    static const char *const here[] = { "mpirun -np 4 ./no-such",
                                        "mpiexec -x A=-H ./no-such" };

    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++) {
        const struct mpl_command command = command_of(elsewhere[i]);

        ck_assert_msg(!mpl_launch_is_local(command.words, command.n - 1), "%s",
                      elsewhere[i]);
    }
    for (size_t i = 0; i < sizeof here / sizeof *here; i++) {
        const struct mpl_command command = command_of(here[i]);

        ck_assert_msg(mpl_launch_is_local(command.words, command.n - 1), "%s", here[i]);
    }
}
END_TEST

static uint32_t processes_in(const char *text)
{
    const struct mpl_command command = command_of(text);

    return mpl_command_processes(&command);
}

START_TEST(the_number_of_processes_is_read_from_the_launcher)
{
    ck_assert_uint_eq(processes_in("mpirun -np 12 app -np 3"), 12);
    ck_assert_uint_eq(processes_in("mpirun -n7 app"), 7);
    ck_assert_uint_eq(processes_in("srun --ntasks=9 app"), 9);
    ck_assert_uint_eq(processes_in("mpirun app -np 3"), 0);
    ck_assert_uint_eq(processes_in("mpirun -np {processes} app"), 0);
    ck_assert_uint_eq(processes_in("mpirun -np twelve app"), 0);
    ck_assert_uint_eq(processes_in("mpirun -np"), 0);
    ck_assert_uint_eq(processes_in("app -np 12"), 0);
}
END_TEST

static const char *varied(const char *text)
{
    const struct mpl_command command = command_of(text);
    const char *out = mpl_command_varied(&command, arena);

    return out != NULL ? out : "?";
}

START_TEST(a_command_is_told_how_its_number_can_vary)
{
    ck_assert_str_eq(varied("mpirun -np 8 app -np 3"), "mpirun -np {processes} app -np 3");
    ck_assert_str_eq(varied("mpirun -n8 app"), "mpirun -n{processes} app");
    ck_assert_str_eq(varied("srun --ntasks=8 app 8"), "srun --ntasks={processes} app 8");
    ck_assert_str_eq(varied("srun -p debug app"), "srun -n {processes} -p debug app");
    ck_assert_str_eq(varied("./run.sh 8"), "?");
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
    ck_assert_str_eq(name_of("mpirun -np {processes} ./mw --tasks 3"), "mw");
    ck_assert_str_eq(name_of("ourrun 3 {tracer} dir/solver"), "solver");
    ck_assert_str_eq(name_of("ourrun 3 x y"), "program");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("experiment: words");
    TCase *tcase = tcase_create("words");

    tcase_add_checked_fixture(tcase, begin, end);
    tcase_add_test(tcase, the_tracer_goes_in_front_of_the_program);
    tcase_add_test(tcase, an_option_that_nobody_knows_may_take_a_value);
    tcase_add_test(tcase, an_unknown_launcher_is_told_from_a_program_by_its_path);
    tcase_add_test(tcase, the_user_can_say_where_the_tracer_goes);
    tcase_add_test(tcase, arguments_are_separated_by_blanks);
    tcase_add_test(tcase, the_number_of_processes_must_be_known);
    tcase_add_test(tcase, a_misspelt_placeholder_is_told_what_it_is_meant_for);
    tcase_add_test(tcase, a_program_that_is_not_there_is_told_before_it_is_started);
    tcase_add_test(tcase, an_empty_folder_on_the_path_is_the_current_one);
    tcase_add_test(tcase, what_another_machine_has_is_not_asked_of_this_one);
    tcase_add_test(tcase, the_number_of_processes_is_read_from_the_launcher);
    tcase_add_test(tcase, a_command_is_told_how_its_number_can_vary);
    tcase_add_test(tcase, printed_words_can_be_pasted);
    tcase_add_test(tcase, a_case_is_called_after_the_program);
    suite_add_tcase(suite, tcase);

    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int n_failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return n_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
