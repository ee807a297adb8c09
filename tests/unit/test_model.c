#include "config.h"

#include "model/model.h"

#include <check.h>

#include "../lib/suite.h"

static enum mpl_call_mode mode;

static enum mpl_region_kind kind(const char *name)
{
    return mpl_region_kind_of_name(name, &mode);
}

START_TEST(mpi_calls_are_told_by_name_in_every_spelling)
{
    static const char *const spellings[] = { "MPI_Recv",      "PMPI_Recv",  "mpi_recv",
                                             "mpi_recv_",     "mpi_recv__", "MPI_RECV",
                                             "mpi_recv_f08_", "MPI_Recv_c", "pmpi_recv_" };

    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
        ck_assert_msg(kind(spellings[i]) == MPL_REGION_MPI_P2P, "%s", spellings[i]);
        ck_assert_int_eq(mode, MPL_CALL_PLAIN);
    }
}
END_TEST

START_TEST(kinds_follow_what_a_call_does)
{
    static const struct {
        const char *name;
        enum mpl_region_kind kind;
        enum mpl_call_mode mode;
    } calls[] = {
        { "MPI_Init", MPL_REGION_MPI_INIT, MPL_CALL_PLAIN },
        { "MPI_Init_thread", MPL_REGION_MPI_INIT, MPL_CALL_PLAIN },
        { "mpi_finalize_", MPL_REGION_MPI_FINALIZE, MPL_CALL_PLAIN },
        { "MPI_Finalized", MPL_REGION_MPI_OTHER, MPL_CALL_PLAIN },
        { "MPI_Ssend", MPL_REGION_MPI_P2P, MPL_CALL_SYNC_SEND },
        { "MPI_Bsend", MPL_REGION_MPI_P2P, MPL_CALL_BUFFERED_SEND },
        { "MPI_Isend", MPL_REGION_MPI_P2P, MPL_CALL_IMMEDIATE },
        { "mpi_testall_", MPL_REGION_MPI_P2P, MPL_CALL_TEST },
        { "MPI_Iprobe", MPL_REGION_MPI_P2P, MPL_CALL_TEST },
        { "MPI_Waitall", MPL_REGION_MPI_P2P, MPL_CALL_PLAIN },
        { "MPI_Allreduce", MPL_REGION_MPI_COLL, MPL_CALL_PLAIN },
        { "MPI_Iallreduce", MPL_REGION_MPI_COLL, MPL_CALL_IMMEDIATE },
        { "MPI_Comm_split", MPL_REGION_MPI_COLL, MPL_CALL_PLAIN },
        { "MPI_Win_fence", MPL_REGION_MPI_COLL, MPL_CALL_PLAIN },
        { "MPI_Comm_rank", MPL_REGION_MPI_OTHER, MPL_CALL_PLAIN },
        { "mpi_comm_rank_", MPL_REGION_MPI_OTHER, MPL_CALL_PLAIN },
        { "MPI_Not_yet_invented", MPL_REGION_MPI_OTHER, MPL_CALL_PLAIN },
        { "pthread_mutex_lock", MPL_REGION_THREAD_SYNC, MPL_CALL_PLAIN },
        { "!$omp implicit barrier @halo2d.c:31", MPL_REGION_THREAD_SYNC, MPL_CALL_PLAIN },
        { "omp_set_lock", MPL_REGION_THREAD_SYNC, MPL_CALL_PLAIN },
        { "OpenMP barrier", MPL_REGION_THREAD_SYNC, MPL_CALL_PLAIN },
        { "!$omp critical @jacobi.c:200", MPL_REGION_THREAD_SYNC, MPL_CALL_PLAIN },
        { "!$omp critical sblock @jacobi.c:200", MPL_REGION_USER, MPL_CALL_PLAIN },
        { "!$omp for @halo2d.c:29", MPL_REGION_USER, MPL_CALL_PLAIN },
    };

    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        ck_assert_msg(kind(calls[i].name) == calls[i].kind, "kind of %s", calls[i].name);
        ck_assert_msg(mode == calls[i].mode, "mode of %s", calls[i].name);
    }
}
END_TEST

START_TEST(functions_of_the_program_stay_functions)
{
    static const char *const names[] = {
        "handle", "mpi_setup_grid_",   "",     "MPI", "barrier",
        "mpi_",   "mpi_exchange_halo", "send", "lock"
    };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        ck_assert_msg(kind(names[i]) == MPL_REGION_USER, "%s", names[i]);
        ck_assert_int_eq(mode, MPL_CALL_PLAIN);
    }
}
END_TEST

START_TEST(operations_have_a_class_and_a_name)
{
    ck_assert_int_eq(mpl_coll_class_of(MPL_COLL_BARRIER), MPL_CLASS_BARRIER);
    ck_assert_int_eq(mpl_coll_class_of(MPL_COLL_SCATTERV), MPL_CLASS_1_TO_N);
    ck_assert_int_eq(mpl_coll_class_of(MPL_COLL_GATHER), MPL_CLASS_N_TO_1);
    ck_assert_int_eq(mpl_coll_class_of(MPL_COLL_REDUCE_SCATTER), MPL_CLASS_N_TO_N);
    ck_assert_int_eq(mpl_coll_class_of(MPL_COLL_EXSCAN), MPL_CLASS_EXSCAN);
    ck_assert_int_eq(mpl_coll_class_of(MPL_COLL_DESTROY), MPL_CLASS_NONE);
    ck_assert_int_eq(mpl_coll_class_of(MPL_COLL_OPS), MPL_CLASS_NONE);
    ck_assert_str_eq(mpl_coll_op_name(MPL_COLL_REDUCE_SCATTER_BLOCK),
                     "MPI_Reduce_scatter_block");
    for (int op = 0; op < MPL_COLL_OPS; op++) {
        ck_assert_ptr_nonnull(mpl_coll_op_name((enum mpl_coll_op) op));
    }
}
END_TEST

START_TEST(buffers_of_collectives_have_the_same_size_whoever_traced_them)
{
    static const uint32_t members[] = { 0, 1, 2 };
    const struct mpl_comm comms[] = {
        { .name = "world", .n_members = 3, .members = members },
        { .name = "self", .is_self = true },
    };
    static const struct {
        enum mpl_tracer tracer;
        struct mpl_collective part;
        double bytes;
    } cases[] = {
        { MPL_TRACER_EZTRACE,
          { .op = MPL_COLL_ALLTOALL,
            .sent_bytes = 8,
            .received_bytes = 8,
            .root = MPL_NONE },
          24 },
        { MPL_TRACER_SCOREP,
          { .op = MPL_COLL_ALLTOALL,
            .sent_bytes = 24,
            .received_bytes = 24,
            .root = MPL_NONE },
          24 },
        { MPL_TRACER_EZTRACE,
          { .op = MPL_COLL_ALLREDUCE,
            .sent_bytes = 8,
            .received_bytes = 8,
            .root = MPL_NONE },
          8 },
        { MPL_TRACER_SCOREP,
          { .op = MPL_COLL_ALLREDUCE,
            .sent_bytes = 24,
            .received_bytes = 24,
            .root = MPL_NONE },
          8 },
        { MPL_TRACER_SCOREP,
          { .op = MPL_COLL_BCAST, .sent_bytes = 24, .received_bytes = 8 },
          8 },
        { MPL_TRACER_SCOREP, { .op = MPL_COLL_BCAST, .received_bytes = 8 }, 8 },
        { MPL_TRACER_TEXT,
          { .op = MPL_COLL_ALLTOALL, .sent_bytes = 9, .received_bytes = 8 },
          9 },
        { MPL_TRACER_EZTRACE, { .op = MPL_COLL_GATHER, .comm = 1, .sent_bytes = 8 }, 8 },
        { MPL_TRACER_EZTRACE,
          { .op = MPL_COLL_GATHER, .comm = MPL_NONE, .sent_bytes = 8 },
          8 },
        { MPL_TRACER_SCOREP, { .op = MPL_COLL_BARRIER, .root = MPL_NONE }, 0 },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct mpl_model model = { .tracer = cases[i].tracer,
                                         .n_comms = 2,
                                         .comms = comms };

        ck_assert_msg(mpl_coll_bytes(&model, &cases[i].part) == cases[i].bytes, "case %zu",
                      i);
    }
}
END_TEST

START_TEST(ranks_are_relative_to_their_communicator)
{
    static const uint32_t world[] = { 0, 1, 2, 3 };
    static const uint32_t odd[] = { 3, 1 };
    static const uint32_t even[] = { 0, 2 };
    const struct mpl_comm comms[] = {
        { .name = "world", .n_members = 4, .members = world },
        { .name = "odd", .n_members = 2, .members = odd },
        { .name = "self", .is_self = true },
        { .name = "inter", .n_members = 2, .members = odd, .n_remote = 2, .remote = even },
    };
    const struct mpl_model model = { .n_comms = 4, .comms = comms, .n_processes = 4 };

    ck_assert_uint_eq(mpl_comm_peer(&model, 0, 1, 3), 3);
    ck_assert_uint_eq(mpl_comm_peer(&model, 0, 1, 4), MPL_NONE);
    ck_assert_uint_eq(mpl_comm_peer(&model, 1, 1, 0), 3);
    ck_assert_uint_eq(mpl_comm_peer(&model, 2, 1, 0), 1);
    ck_assert_uint_eq(mpl_comm_peer(&model, 2, 1, 1), MPL_NONE);
    ck_assert_uint_eq(mpl_comm_peer(&model, 3, 3, 1), 2); /* seen from the first group */
    ck_assert_uint_eq(mpl_comm_peer(&model, 3, 0, 0), 3); /* and from the other */
    ck_assert_uint_eq(mpl_comm_peer(&model, 3, 3, 2), MPL_NONE);
    ck_assert_uint_eq(mpl_comm_peer(&model, 4, 0, 0), MPL_NONE);
    ck_assert_uint_eq(mpl_comm_peer(&model, MPL_NONE, 0, 0), MPL_NONE);
}
END_TEST

START_TEST(locations_are_found_by_label_and_ticks_become_seconds)
{
    struct mpl_location locations[] = { { .label = "0" },
                                        { .label = "0.1" },
                                        { .label = "1" } };
    const struct mpl_model model = { .n_locations = 3,
                                     .locations = locations,
                                     .ticks_per_s = 2600014938 };

    ck_assert_uint_eq(mpl_model_find_location(&model, "0.1"), 1);
    ck_assert_uint_eq(mpl_model_find_location(&model, "1"), 2);
    ck_assert_uint_eq(mpl_model_find_location(&model, "2"), MPL_NONE);
    ck_assert_double_eq_tol(mpl_model_seconds(&model, -5200029876), -2.0, 1e-12);
}
END_TEST

START_TEST(capabilities_are_found_by_name)
{
    size_t n;
    const struct mpl_capability *table = mpl_capability_table(&n);
    struct mpl_capabilities can = { .has_threads = true };

    ck_assert_uint_gt(n, 0);
    ck_assert_ptr_eq(mpl_capability_find("messages"), &table[0]);
    ck_assert_ptr_null(mpl_capability_find("mesages"));
    for (size_t i = 0; i < n; i++) {
        const bool is_threads = &table[i] == mpl_capability_find("threads");

        ck_assert_int_eq(mpl_capability_get(&can, &table[i]), is_threads);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model");
    TCase *tcase = add_case(suite, "model", NULL, NULL);

    tcase_add_test(tcase, mpi_calls_are_told_by_name_in_every_spelling);
    tcase_add_test(tcase, kinds_follow_what_a_call_does);
    tcase_add_test(tcase, functions_of_the_program_stay_functions);
    tcase_add_test(tcase, operations_have_a_class_and_a_name);
    tcase_add_test(tcase, buffers_of_collectives_have_the_same_size_whoever_traced_them);
    tcase_add_test(tcase, ranks_are_relative_to_their_communicator);
    tcase_add_test(tcase, locations_are_found_by_label_and_ticks_become_seconds);
    tcase_add_test(tcase, capabilities_are_found_by_name);
    return run_suite(suite);
}
