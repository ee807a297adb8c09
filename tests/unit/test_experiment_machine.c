/* The machine of a run, by files as Linux has them in /proc and /sys, below a folder of the test. */
#include "config.h"

#include "experiment/experiment_priv.h"

#include <check.h>
#include <ftw.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../lib/arena.h"
#include "../lib/suite.h"

static char folder[] = "machine-XXXXXX";

static void begin(void)
{
    create_arena();
    strcpy(folder, "machine-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void) st;
    (void) kind;
    (void) at;
    return remove(path);
}

static void end(void)
{
    (void) nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    destroy_arena();
}

/* A file below the folder, with the folders that it is in. */
static void put(const char *path, const char *text, size_t n)
{
    const char *whole = mpl_arena_printf(arena, "%s%s", folder, path);
    const char *place =
        mpl_arena_strndup(arena, whole, (size_t) (strrchr(whole, '/') - whole));

    ck_assert_int_eq(mpl_folder_make(place, NULL), MPL_OK);
    ck_assert_int_eq(mpl_folder_write(whole, text, n, NULL), MPL_OK);
}

static void put_text(const char *path, const char *text)
{
    put(path, text, strlen(text));
}

/* ---- cores --------------------------------------------------------------------------------- */

START_TEST(a_control_group_limits_the_cores)
{
    put_text("/proc/self/cgroup", "0::/batch/job7/step0\n");
    put_text("/sys/fs/cgroup/batch/job7/step0/cpu.max", "max 100000\n");
    put_text("/sys/fs/cgroup/batch/job7/cpu.max", "50000 100000\n");
    ck_assert_uint_eq(mpl_machine_cores(folder), 1);
}
END_TEST

START_TEST(so_does_one_of_the_first_version)
{
    put_text("/proc/self/cgroup", "9:memory:/x\n4:cpu,cpuacct:/x\n");
    put_text("/sys/fs/cgroup/memory/x/cpu.cfs_quota_us", "1\n");
    put_text("/sys/fs/cgroup/memory/x/cpu.cfs_period_us", "100\n");
    put_text("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "70000\n");
    put_text("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
    ck_assert_uint_eq(mpl_machine_cores(folder), 1);
}
END_TEST

START_TEST(no_limit_leaves_what_affinity_allows)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    ck_assert_int_eq(sched_getaffinity(0, sizeof set, &set), 0);
    const uint32_t all = (uint32_t) CPU_COUNT(&set);
    ck_assert_uint_eq(mpl_machine_cores(folder), all);
    put_text("/proc/self/cgroup", "no such line\n4:cpu:/\n2:cpuset:/\n0::/\n");
    put_text("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
    put_text("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    put_text("/sys/fs/cgroup/cpu.max", "\xff\xff bad\n");
    put_text("/sys/fs/cgroup/cpuset/cpu.max", "1 100000\n");
    ck_assert_uint_eq(mpl_machine_cores(folder), all);
}
END_TEST

/* ---- load ------------------------------------------------------------------------------------ */

START_TEST(what_others_use_is_what_is_busy_and_not_ours)
{
    const struct machine_look before = { .load = 0, .busy_s = 100, .own_s = 7 };
    const struct machine_look after = { .load = 0, .busy_s = 106, .own_s = 9 };

    /* 6 s of the cores in 4 s, 2 s of which were ours. */
    ck_assert_double_eq_tol(mpl_machine_foreign(&before, &after, 4), 1.0, 1e-12);
    ck_assert(isnan(mpl_machine_foreign(&before, &after, 0)));
    /* A container that counts nothing. */
    ck_assert(isnan(mpl_machine_foreign(&before, &before, 4)));
}
END_TEST

START_TEST(a_look_counts_cores_of_ours_only)
{
    cpu_set_t set;
    unsigned core = 0;

    CPU_ZERO(&set);
    ck_assert_int_eq(sched_getaffinity(0, sizeof set, &set), 0);
    while (!CPU_ISSET(core, &set)) {
        core++;
    }
    put_text("/proc/loadavg", "1.25 3.00 2.00 2/98 26797\n");
    put_text("/proc/stat", mpl_arena_printf(arena,
                                            "cpu 9 9 9 9 9 9 9 9 0 0\n"
                                            "cpu%u 100 20 30 7000 800 40 50 60 5 5\n"
                                            "cpu1023 9 9 9 9 9 9 9 9 0 0\nintr 1\n",
                                            core));
    const struct machine_look look = mpl_machine_look(folder);
    ck_assert_double_eq(look.load, 1.25);
    ck_assert_double_eq_tol(look.busy_s, 300.0 / (double) sysconf(_SC_CLK_TCK), 1e-9);
    ck_assert_double_ge(look.own_s, 0);
}
END_TEST

START_TEST(what_is_not_there_is_not_known)
{
    struct machine_look look = mpl_machine_look(folder);

    ck_assert(isnan(look.load) && isnan(look.busy_s));
    put_text("/proc/loadavg", "much\n");
    put_text("/proc/stat", "cpu\ncpu0\ncpux 1 2 3 4\n");
    look = mpl_machine_look(folder);
    ck_assert(isnan(look.load) && isnan(look.busy_s));
}
END_TEST

/* ---- ranks ------------------------------------------------------------------------------------- */

static void put_rank(pid_t pid, const char *variable, const char *cores)
{
    const char text[] = "PMI_SIZE=9\0";
    const char *rest = mpl_arena_printf(arena, "%s", variable);
    char all[4096];

    memcpy(all, text, sizeof text - 1);
    memcpy(all + sizeof text - 1, rest, strlen(rest) + 1);
    put(mpl_arena_printf(arena, "/proc/%d/environ", (int) pid), all,
        sizeof text - 1 + strlen(rest) + 1);
    put_text(mpl_arena_printf(arena, "/proc/%d/status", (int) pid),
             mpl_arena_printf(
                 arena, "Name:\tx\nCpus_allowed:\tff\nCpus_allowed_list:\t%s\n", cores));
}

START_TEST(a_rank_is_who_was_told_so)
{
    struct rank_seen seen;
    char long_value[3000];

    put_rank(10, "OMPI_COMM_WORLD_RANK=3", "0-1,4");
    ck_assert(mpl_ranks_read(folder, 10, &seen));
    ck_assert_uint_eq(seen.rank, 3);
    ck_assert_int_eq(seen.pid, 10);
    ck_assert_int_eq(CPU_COUNT(&seen.cores), 3);
    ck_assert(CPU_ISSET(4, &seen.cores) && !CPU_ISSET(2, &seen.cores));
    ck_assert_uint_eq(seen.n_ranks, 9);
    put_rank(11, "PMI_RANK=0", "7");
    ck_assert(mpl_ranks_read(folder, 11, &seen));

    put_rank(12, "OMPI_COMM_WORLD_RANKS=3", "0");
    put_rank(13, "PMI_RANK=", "0");
    put_rank(14, "PMI_RANK=1x", "0");
    put_rank(15, "PMI_RANK=99999999999", "0");
    put_rank(16, "PMI_RANK=1", "");
    memset(long_value, 'x', sizeof long_value - 1);
    long_value[sizeof long_value - 1] = '\0';
    put_rank(17, long_value, "0");
    for (pid_t pid = 12; pid < 19; pid++) {
        ck_assert_msg(!mpl_ranks_read(folder, pid, &seen), "process %d", (int) pid);
    }
}
END_TEST

static void add_rank(struct mpl_buf *ranks, uint32_t rank, int first, int last)
{
    struct rank_seen *slot = mpl_buf_add(ranks);

    ck_assert_ptr_nonnull(slot);
    *slot = (struct rank_seen){ .rank = rank };
    for (int core = first; core <= last; core++) {
        CPU_SET((size_t) core, &slot->cores);
    }
}

START_TEST(ranks_share_a_core_where_they_can_go_nowhere_else)
{
    struct mpl_buf ranks = mpl_buf_make(sizeof(struct rank_seen));

    ck_assert_double_eq(mpl_ranks_per_core(&ranks, 8), 0);
    add_rank(&ranks, 0, 0, 3);
    add_rank(&ranks, 1, 0, 3);
    ck_assert_double_eq(mpl_ranks_per_core(&ranks, 8), 0.5);
    /* Two of four are bound to one. */
    add_rank(&ranks, 2, 2, 2);
    add_rank(&ranks, 3, 2, 2);
    ck_assert_double_eq(mpl_ranks_per_core(&ranks, 8), 2);
    /* Four cores, but the time of one. */
    ck_assert_double_eq(mpl_ranks_per_core(&ranks, 1), 4);
    mpl_buf_free(&ranks);
}
END_TEST

START_TEST(two_halves_of_a_socket_are_full_together)
{
    struct mpl_buf ranks = mpl_buf_make(sizeof(struct rank_seen));

    add_rank(&ranks, 0, 0, 1);
    add_rank(&ranks, 1, 1, 2);
    add_rank(&ranks, 2, 0, 2);
    add_rank(&ranks, 3, 0, 2);
    ck_assert_double_eq_tol(mpl_ranks_per_core(&ranks, 0), 4.0 / 3, 1e-12);
    mpl_buf_free(&ranks);
}
END_TEST

START_TEST(placement_is_told_by_ranges)
{
    struct mpl_buf ranks = mpl_buf_make(sizeof(struct rank_seen));
    const char *const *lines = NULL;
    size_t n = 9;

    ck_assert(mpl_ranks_print(&ranks, arena, &lines, &n));
    ck_assert_uint_eq(n, 0);
    add_rank(&ranks, 0, 0, 1);
    add_rank(&ranks, 1, 0, 1);
    add_rank(&ranks, 2, 5, 5);
    add_rank(&ranks, 3, 0, 1);
    ck_assert(mpl_ranks_print(&ranks, arena, &lines, &n));
    ck_assert_uint_eq(n, 2);
    ck_assert_str_eq(lines[0], "0-1,3 on 0-1");
    ck_assert_str_eq(lines[1], "2 on 5");
    mpl_buf_free(&ranks);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("experiment: the machine");
    TCase *tcase = add_case(suite, "machine", begin, end);

    tcase_add_test(tcase, a_control_group_limits_the_cores);
    tcase_add_test(tcase, so_does_one_of_the_first_version);
    tcase_add_test(tcase, no_limit_leaves_what_affinity_allows);
    tcase_add_test(tcase, what_others_use_is_what_is_busy_and_not_ours);
    tcase_add_test(tcase, a_look_counts_cores_of_ours_only);
    tcase_add_test(tcase, what_is_not_there_is_not_known);
    tcase_add_test(tcase, a_rank_is_who_was_told_so);
    tcase_add_test(tcase, ranks_share_a_core_where_they_can_go_nowhere_else);
    tcase_add_test(tcase, two_halves_of_a_socket_are_full_together);
    tcase_add_test(tcase, placement_is_told_by_ranges);
    return run_suite(suite);
}
