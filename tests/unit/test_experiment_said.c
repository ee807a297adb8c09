/* What is taken from the last words of a program, and from its file. */
#include "config.h"

#include "experiment/experiment_priv.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/arena.h"
#include "../lib/suite.h"

static char path[] = "said-XXXXXX";

static void begin(void)
{
    create_arena();
    strcpy(path, "said-XXXXXX");
    const int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    (void) close(fd);
}

static void end(void)
{
    (void) unlink(path);
    destroy_arena();
}

#define RULE "--------------------------------------------------------------------------\n"
/* As Open MPI 4.1 writes them. */
#define PRIMARY \
    RULE "Primary job  terminated normally, but 1 process returned\n" \
         "a non-zero exit code. Per user-direction, the job has been aborted.\n" RULE
#define DETECTED \
    RULE "mpirun detected that one or more processes exited with non-zero status, thus " \
         "causing\n" \
         "the job to be terminated. The first process to do so was:\n\n" \
         "  Process name: [[22745,1],0]\n  Exit code:    2\n" RULE
#define SEGFAULT \
    RULE "mpirun noticed that process rank 1 with PID 0 on node n exited on signal 11 " \
         "(Segmentation fault).\n" RULE

START_TEST(the_nearest_reason_is_taken)
{
    static const char *const told[][2] = {
        { "", "" },
        { "one\ntwo. three\n", "two" },
        { "the input has no end\n" PRIMARY DETECTED, "the input has no end" },
        { PRIMARY DETECTED,
          "mpirun detected that one or more processes exited with non-zero "
          "status, thus causing the job to be terminated" },
        { "going down\n" PRIMARY SEGFAULT,
          "mpirun noticed that process rank 1 with PID 0 on node n exited on signal 11 "
          "(Segmentation fault)" },
        { "no number given\n[n:1] [[1,0],0] ORTE_ERROR_LOG: Data unpack in file x at line "
          "5\n",
          "no number given" },
    };

    for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
        ck_assert_str_eq(mpl_said_gist(told[i][0], arena), told[i][1]);
    }
}
END_TEST

/* Two bytes to a letter: whichever byte the cut falls on, no letter is halved. */
START_TEST(no_letter_is_cut)
{
    for (size_t n_before = 0; n_before < 4; n_before++) {
        const char *text = mpl_arena_printf(arena, "%.*s", (int) n_before, "abcd");

        for (unsigned i = 0; i < 150; i++) {
            text = mpl_arena_printf(arena, "%s%s", text,
                                    i % 2 == 0 ? "\xc3\x9c" : "\xe2\x82\xac");
        }
        const char *gist = mpl_said_gist(text, arena);
        size_t at = n_before;

        ck_assert_uint_gt(strlen(gist), 190);
        for (unsigned i = 0; gist[at] != '\0'; i++) {
            const char *letter = i % 2 == 0 ? "\xc3\x9c" : "\xe2\x82\xac";

            ck_assert_msg(strncmp(gist + at, letter, strlen(letter)) == 0, "at %zu", at);
            at += strlen(letter);
        }
    }
}
END_TEST

static enum mpl_speaks speaks(const char *bytes, size_t n)
{
    (void) unlink(path);
    ck_assert_int_eq(mpl_folder_write(path, bytes, n, NULL), MPL_OK);
    return mpl_program_speaks_of_mpi(path);
}

START_TEST(a_file_tells_whether_it_can_call_mpi)
{
    static const char plain[] = "\177ELF\0libc.so.6\0puts\0";
    static const char mpi[] = "\177ELF\0libmpi.so.40\0MPI_Init\0";
    static const char fortran[] = "\177ELF\0mpi_init_\0";
    static const char loads[] = "\177ELF\0libc.so.6\0dlopen\0";
    static const char starts[] = "\177ELF\0libc.so.6\0execvp\0";
    static const char needs[] = "\177ELF\0libc.so.6\0libpetsc.so.3\0";
    static const char script[] = "#!/usr/bin/python3\nprint(3)\n";
    static const char mpi4py[] = "#!/usr/bin/python3\nfrom mpi4py import MPI\n";

    ck_assert_int_eq(speaks(plain, sizeof plain), MPL_SPEAKS_NOT);
    ck_assert_int_eq(speaks(mpi, sizeof mpi), MPL_SPEAKS_OF_MPI);
    ck_assert_int_eq(speaks(fortran, sizeof fortran), MPL_SPEAKS_OF_MPI);
    ck_assert_int_eq(speaks(loads, sizeof loads), MPL_SPEAKS_UNKNOWN);
    ck_assert_int_eq(speaks(starts, sizeof starts), MPL_SPEAKS_UNKNOWN);
    ck_assert_int_eq(speaks(needs, sizeof needs), MPL_SPEAKS_UNKNOWN);
    ck_assert_int_eq(speaks(script, sizeof script), MPL_SPEAKS_UNKNOWN);
    ck_assert_int_eq(speaks(mpi4py, sizeof mpi4py), MPL_SPEAKS_OF_MPI);
    ck_assert_int_eq(mpl_program_speaks_of_mpi("no-such-file"), MPL_SPEAKS_OF_MPI);
}
END_TEST

/* A name may lie across the parts in which a file is read. */
START_TEST(a_name_is_found_wherever_it_stands)
{
    static char big[200000];

    for (size_t at = 65500; at < 65600; at++) {
        memset(big, 0, sizeof big);
        memcpy(big, "\177ELF", 4);
        memcpy(big + at, "MPI_Init", 8);
        ck_assert_int_eq(speaks(big, sizeof big), MPL_SPEAKS_OF_MPI);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("experiment: last words");
    TCase *tcase = add_case(suite, "said", begin, end);

    tcase_add_test(tcase, the_nearest_reason_is_taken);
    tcase_add_test(tcase, no_letter_is_cut);
    tcase_add_test(tcase, a_file_tells_whether_it_can_call_mpi);
    tcase_add_test(tcase, a_name_is_found_wherever_it_stands);
    return run_suite(suite);
}
