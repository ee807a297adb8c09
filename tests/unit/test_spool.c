/* Spools that are written by hand, and the archives made of them. */
#include "config.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "read/read.h"
#include "spool/spool.h"
#include "trace/trace.h"

#include "../lib/arena.h"
#include "../lib/suite.h"

static char folder[] = "spool-XXXXXX";
static char spools[64];
static char archive[64];

/* A spool while it is written: one thread, one chunk. */
static union {
    uint8_t bytes[MPL_SPOOL_HEAD + MPL_SPOOL_CHUNK];
    uint64_t words[(MPL_SPOOL_HEAD + MPL_SPOOL_CHUNK) / sizeof(uint64_t)];
    struct mpl_spool_head head;
} spool;
static size_t at;
static size_t n_copies; /* Of the chunk, behind it. */

static void begin(uint32_t rank, uint32_t size)
{
    memset(&spool, 0, sizeof spool);
    spool.head.magic = MPL_SPOOL_MAGIC;
    spool.head.chunk_bytes = MPL_SPOOL_CHUNK;
    spool.head.rank = rank;
    spool.head.size = size;
    spool.head.n_calls = MPL_CALLS;
    spool.head.end = MPL_SPOOL_FINISHED;
    (void) strcpy(spool.head.host, "node");
    (void) strcpy(spool.head.clock, "clock");
    at = MPL_SPOOL_HEAD / sizeof(uint64_t);
    spool.words[at] = 1; /* the first thread */
    at += sizeof(struct mpl_spool_chunk) / sizeof(uint64_t);
}

/* A record with \p n words behind its time. */
static void put(enum mpl_spool_kind kind, uint16_t small, uint32_t large, uint64_t time_ns,
                size_t n, const uint64_t *more)
{
    spool.words[at++] = MPL_SPOOL_WORD(kind, n + 2, small, large);
    spool.words[at++] = time_ns;
    for (size_t i = 0; i < n; i++) {
        spool.words[at++] = more[i];
    }
}

#define PUT(kind, small, large, time_ns, ...) \
    put(kind, small, large, time_ns, \
        sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t), \
        (const uint64_t[]){ __VA_ARGS__ })
#define CALL(which, begin_ns, end_ns, inside) \
    do { \
        put(MPL_SPOOL_ENTER, MPL_CALL_IS_##which, 0, begin_ns, 0, NULL); \
        inside; \
        put(MPL_SPOOL_LEAVE, MPL_CALL_IS_##which, 0, end_ns, 0, NULL); \
    } while (0)

static uint64_t both(uint64_t low, uint64_t high)
{
    return low | high << 32;
}

/* A communicator of \p size that \p parent became by the \p nth call on it. */
static void put_comm(enum mpl_spool_made made, uint32_t number, uint32_t parent,
                     uint32_t nth, uint32_t rank, uint32_t size, uint32_t leader,
                     uint32_t remote)
{
    PUT(MPL_SPOOL_COMM, made, number, 1, both(parent, nth), both(rank, size),
        both(leader, remote), 0);
}

static void put_world(uint32_t rank, uint32_t size)
{
    put_comm(MPL_MADE_WORLD, 0, 0, 0, rank, size, 0, MPL_NONE);
    put_comm(MPL_MADE_SELF, 1, 0, 0, 0, 1, rank, MPL_NONE);
}

static void end(void)
{
    char path[128];

    (void) snprintf(path, sizeof path, "%s/%u.spool", spools, spool.head.rank);
    FILE *out = fopen(path, "w");
    ck_assert_ptr_nonnull(out);
    ck_assert_uint_eq(fwrite(spool.bytes, 1, sizeof spool.bytes, out), sizeof spool.bytes);
    for (size_t i = 0; i < n_copies; i++) {
        ck_assert_uint_eq(fwrite(spool.bytes + MPL_SPOOL_HEAD, 1, MPL_SPOOL_CHUNK, out),
                          (size_t) MPL_SPOOL_CHUNK);
    }
    ck_assert_int_eq(fclose(out), 0);
}

static void setup(void)
{
    (void) strcpy(folder + strlen(folder) - 6, "XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    (void) snprintf(spools, sizeof spools, "%s/spools", folder);
    (void) snprintf(archive, sizeof archive, "%s/archive", folder);
    ck_assert_int_eq(mkdir(spools, 0777), 0);
    create_arena();
}

static void teardown(void)
{
    char command[128];

    destroy_arena();
    (void) snprintf(command, sizeof command, "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
}

static const struct mpl_model *made(struct mpl_spool_summary *summary)
{
    struct mpl_err err = { 0 };
    struct mpl_model *model = NULL;

    ck_assert_int_eq(mpl_spools_write(spools, archive, false, summary, &err), MPL_OK);
    ck_assert_int_eq(mpl_read(archive, arena, NULL, &model, &err), MPL_OK);
    return model;
}

static void refused(enum mpl_status status, const char *why)
{
    struct mpl_spool_summary summary;
    struct mpl_err err = { 0 };

    ck_assert_int_eq(mpl_spools_write(spools, archive, false, &summary, &err), status);
    ck_assert_msg(strstr(err.cause[0].text, why) != NULL, "%s", err.cause[0].text);
    ck_assert_int_ne(access(archive, F_OK), 0);
}

/* ---- what is made --------------------------------------------------------------------------- */

static void put_message(uint32_t rank)
{
    begin(rank, 2);
    put_world(rank, 2);
    if (rank == 0) {
        CALL(Send, 100, 200, PUT(MPL_SPOOL_SEND, 0, 0, 100, both(1, 7), 64));
    } else {
        CALL(Recv, 50, 220, PUT(MPL_SPOOL_ASKED, 0, 0, 50, both(UINT32_MAX, 7));
             PUT(MPL_SPOOL_RECV, MPL_SPOOL_ANY_SOURCE, 0, 220, both(0, 7), 64));
    }
    end();
}

START_TEST(a_message_has_two_ends)
{
    struct mpl_spool_summary summary;

    put_message(0);
    put_message(1);
    const struct mpl_model *model = made(&summary);
    ck_assert_uint_eq(summary.n_found, 2);
    ck_assert_uint_eq(summary.n_cut, 0);
    ck_assert_uint_eq(summary.n_events, 6);
    ck_assert_uint_eq(model->n_processes, 2);
    ck_assert_uint_eq(model->locations[0].n_messages, 1);
    ck_assert_uint_eq(model->locations[1].n_messages, 1);
    ck_assert(model->has_common_clock);
    /* 50 to 220. */
    ck_assert_int_eq(
        mpl_ticks_of(&model->locations[1], 2) - mpl_ticks_of(&model->locations[1], 0), 170);
}
END_TEST

/* As of a process that was killed between copying its window and emptying it. */
START_TEST(a_chunk_that_is_there_twice_counts_once)
{
    struct mpl_spool_summary summary;

    n_copies = 1;
    put_message(0);
    put_message(1);
    n_copies = 0;
    (void) made(&summary);
    ck_assert_uint_eq(summary.n_events, 6);
}
END_TEST

/* 2 counts are 1 ns for 10 ms, and then 4; both processes read the same counter, whose first tie only rank 0 has. */
START_TEST(counts_become_times)
{
    static const struct mpl_spool_tie ties[2][2] = {
        { { 0, 0 }, { 20000000, 10000000 } },
        { { 20000000, 10000000 }, { 60000000, 20000000 } },
    };
    struct mpl_spool_summary summary;

    for (uint32_t rank = 0; rank < 2; rank++) {
        begin(rank, 2);
        spool.head.is_counted = 1;
        spool.head.n_ties = 2;
        memcpy(spool.head.ties, ties[rank], sizeof ties[rank]);
        put_world(rank, 2);
        CALL(Barrier, 200, 100000000, (void) 0);
        end();
    }
    const struct mpl_model *model = made(&summary);
    for (uint32_t rank = 0; rank < 2; rank++) {
        const struct mpl_location *loc = &model->locations[rank];

        /* 100 ns, and 10 ms and a quarter of 80,000,000. */
        ck_assert_int_eq(mpl_ticks_of(loc, 1) - mpl_ticks_of(loc, 0), 30000000 - 100);
    }
}
END_TEST

/* Whatever stands in the head; _i is the seed. */
START_TEST(ties_that_are_damaged_are_survived)
{
    struct mpl_spool_summary summary;
    struct mpl_err err = { 0 };

    srand((unsigned) _i);
    begin(0, 1);
    spool.head.is_counted = 1;
    spool.head.n_ties = (uint32_t) (rand() % (MPL_SPOOL_TIES + 1));
    for (uint32_t i = 0; i < spool.head.n_ties; i++) {
        spool.head.ties[i].ticks = (uint64_t) rand() << (rand() % 40);
        spool.head.ties[i].ns = (uint64_t) rand() << (rand() % 40);
    }
    put_world(0, 1);
    CALL(Barrier, UINT64_MAX - 1000, 401000, (void) 0);
    end();
    ck_assert_int_eq(mpl_spools_write(spools, archive, false, &summary, &err), MPL_OK);
}
END_TEST

START_TEST(a_process_without_spool_is_there_all_the_same)
{
    struct mpl_spool_summary summary;

    put_message(1);
    const struct mpl_model *model = made(&summary);
    ck_assert_uint_eq(summary.n_found, 1);
    ck_assert_uint_eq(summary.n_processes, 2);
    ck_assert_uint_eq(model->n_processes, 2);
    ck_assert_uint_eq(model->locations[0].n_events, 0);
    ck_assert_uint_eq(model->locations[1].n_events, 3);
}
END_TEST

/* Ranks 0 and 2, 1 and 3, by one call on the world; then the halves by two calls are other ones. */
START_TEST(members_of_one_communicator_find_each_other)
{
    struct mpl_spool_summary summary;

    for (uint32_t rank = 0; rank < 4; rank++) {
        begin(rank, 4);
        put_world(rank, 4);
        put_comm(MPL_MADE_CHILD, 2, 0, 0, rank / 2, 2, rank % 2, MPL_NONE);
        put_comm(MPL_MADE_CHILD, 3, 0, 1, rank / 2, 2, rank % 2, MPL_NONE);
        end();
    }
    const struct mpl_model *model = made(&summary);
    /* The world, the one for all of themselves, and four. */
    ck_assert_uint_eq(model->n_comms, 6);
    for (uint32_t c = 2; c < 6; c++) {
        ck_assert_uint_eq(model->comms[c].n_members, 2);
    }
}
END_TEST

/* ---- what is refused ------------------------------------------------------------------------------ */

START_TEST(an_empty_folder_is_refused)
{
    refused(MPL_E_MEANING, "there is no spool in");
}
END_TEST

START_TEST(spools_of_two_programs_are_refused)
{
    begin(0, 2);
    end();
    begin(1, 3);
    end();
    refused(MPL_E_MEANING, "holds spools of several programs");
}
END_TEST

START_TEST(another_file_is_refused)
{
    begin(0, 2);
    spool.head.magic++;
    end();
    refused(MPL_E_MEANING, "is no spool");
}
END_TEST

START_TEST(a_spool_of_another_version_is_refused)
{
    begin(0, 2);
    spool.head.n_calls++;
    end();
    refused(MPL_E_UNSUPPORTED, "another version of the tracer");
}
END_TEST

/* Whatever stands in a record, the archive can be read; _i is the seed. */
START_TEST(damage_is_survived)
{
    struct mpl_spool_summary summary;
    struct mpl_err err = { 0 };

    srand((unsigned) _i);
    begin(0, 1);
    put_world(0, 1);
    for (int n = 0; n < 200; n++) {
        const uint64_t word = (uint64_t) (rand() % 4);

        PUT((enum mpl_spool_kind)(rand() % 25), (uint16_t) (rand() % 300),
            (uint32_t) (rand() % 4), (uint64_t) (rand() % 1000), word, word << 32, word);
        at -= (size_t) rand() % 3;
    }
    end();
    const enum mpl_status st = mpl_spools_write(spools, archive, false, &summary, &err);
    ck_assert_msg(st == MPL_OK, "seed %d: %s", _i, err.cause[0].text);
    struct mpl_model *model = NULL;
    ck_assert_int_eq(mpl_read(archive, arena, NULL, &model, &err), MPL_OK);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("spool");
    TCase *tcase = add_case(suite, "spools", setup, teardown);

    tcase_add_test(tcase, a_message_has_two_ends);
    tcase_add_test(tcase, a_chunk_that_is_there_twice_counts_once);
    tcase_add_test(tcase, counts_become_times);
    tcase_add_loop_test(tcase, ties_that_are_damaged_are_survived, 0, 40);
    tcase_add_test(tcase, a_process_without_spool_is_there_all_the_same);
    tcase_add_test(tcase, members_of_one_communicator_find_each_other);
    tcase_add_test(tcase, an_empty_folder_is_refused);
    tcase_add_test(tcase, spools_of_two_programs_are_refused);
    tcase_add_test(tcase, another_file_is_refused);
    tcase_add_test(tcase, a_spool_of_another_version_is_refused);
    tcase_add_loop_test(tcase, damage_is_survived, 0, 40);
    return run_suite(suite);
}
