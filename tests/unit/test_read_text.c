/* The language of text traces: what each item records, and what is said about mistakes. */
#include "config.h"

#include "../lib/arena.h"
#include "../lib/suite.h"
#include "read_fixture.h"

#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct mpl_lint *lint;

static struct mpl_model *read_text(const char *text)
{
    struct mpl_model *model = NULL;
    struct mpl_err err = { 0 };
    const enum mpl_status st =
        mpl_read_text("t.trace", text, strlen(text), arena, lint, &model, &err);

    ck_assert_msg(st == MPL_OK, "%s", err.cause[0].text);
    mpl_model_check(model);
    return model;
}

/** "kind@ns kind@ns ...", with the region's name for enter and leave. */
static const char *events(const struct mpl_model *model, uint32_t l)
{
    static const char *const names[MPL_EV_KINDS] = {
        "enter",      "leave",    "SEND",       "ISEND",    "ISEND_DONE",  "RECV",
        "IRECV_POST", "IRECV",    "COLL_BEGIN", "COLL_END", "FORK",        "JOIN",
        "TEAM_BEGIN", "TEAM_END", "LOCK",       "UNLOCK",   "FLUSH_BEGIN", "FLUSH_END",
        "OFF",        "ON",       "MARK",
    };
    const struct mpl_location *loc = &model->locations[l];
    const char *all = "";

    for (uint32_t i = 0; i < loc->n_events; i++) {
        const bool has_region = mpl_kind_of(loc, i) <= MPL_EV_LEAVE;

        all = mpl_arena_printf(
            arena, "%s%s%s%s%s@%lld", all, i > 0 ? " " : "", names[mpl_kind_of(loc, i)],
            has_region ? " " : "",
            has_region ? model->regions[mpl_ref_of(loc, i)].name : "",
            (long long) (loc->base_ticks + (uint64_t) mpl_ticks_of(loc, i)));
    }
    return all;
}

static const struct mpl_envelope *envelope(const struct mpl_model *model, uint32_t l,
                                           uint32_t m)
{
    return &model->locations[l]
                .envelopes[mpl_message_get(&model->locations[l], m).envelope];
}

/* ---- what is recorded ----------------------------------------------------------------- */

START_TEST(blocking_messages_are_recorded_like_a_tracer_does)
{
    const struct mpl_model *model =
        read_text("# us. Rank 1 waits from 10 to 50: 40 us lost, rank 0 to blame.\n"
                  "rank 0: compute 0..50  send 50..52 to 1 tag 7 bytes 100\n"
                  "rank 1: compute 0..10  recv 10..53 from 0 tag 7 bytes 100\n");

    ck_assert_str_eq(events(model, 0),
                     "enter compute@0 leave compute@50000 "
                     "enter MPI_Send@50000 SEND@50000 leave MPI_Send@52000");
    ck_assert_str_eq(events(model, 1),
                     "enter compute@0 leave compute@10000 "
                     "enter MPI_Recv@10000 RECV@53000 leave MPI_Recv@53000");
    ck_assert_uint_eq(envelope(model, 0, 0)->peer, 1);
    ck_assert_uint_eq(envelope(model, 1, 0)->peer, 0);
    ck_assert_uint_eq(envelope(model, 1, 0)->tag, 7);
    ck_assert_uint_eq(envelope(model, 1, 0)->comm, model->world);
    ck_assert_uint_eq(mpl_message_get(&model->locations[0], 0).bytes, 100);
    ck_assert(model->has_common_clock);
    ck_assert_int_eq(model->tracer, MPL_TRACER_TEXT);
    ck_assert(model->can.has_messages && model->can.has_receive_completions);
    ck_assert(!model->can.has_user_regions && !model->can.has_collectives);
}
END_TEST

START_TEST(requests_tie_posting_and_completion)
{
    const struct mpl_model *model = read_text(
        "unit ns\n"
        "rank 0: irecv 0..1 from 1 tag 3 as a  isend 1..2 to 1 tag 4 bytes 8 as b\n"
        "  wait 2..9 for b a\n"
        "rank 1: send 0..1 to 0 tag 3 recv 2..3 from 0 tag 4\n");
    const struct mpl_location *loc = &model->locations[0];

    ck_assert_str_eq(events(model, 0),
                     "enter MPI_Irecv@0 IRECV_POST@0 leave MPI_Irecv@1 "
                     "enter MPI_Isend@1 ISEND@1 leave MPI_Isend@2 "
                     "enter MPI_Waitall@2 ISEND_DONE@9 IRECV@9 leave MPI_Waitall@9");
    ck_assert_uint_eq(mpl_message_get(loc, 0).post, 1); /* the receive was posted first */
    ck_assert_uint_eq(mpl_message_get(loc, 0).event, 8);
    ck_assert_uint_eq(mpl_message_get(loc, 1).event, 4);
    ck_assert_uint_eq(mpl_message_get(loc, 1).post, 7);
    ck_assert(model->can.has_receive_completions);
}
END_TEST

START_TEST(receives_that_nobody_waits_for_stay_open)
{
    const struct mpl_model *model = read_text("rank 0: irecv 0..1 from 0 tag 3 as a\n");

    ck_assert_uint_eq(mpl_message_get(&model->locations[0], 0).event, MPL_NONE);
    ck_assert_uint_eq(mpl_message_get(&model->locations[0], 0).envelope, MPL_NONE);
    ck_assert(!model->can.has_receive_completions);
}
END_TEST

START_TEST(unfinished_calls_are_entered_and_not_left)
{
    const struct mpl_model *model =
        read_text("# us\n"
                  "rank 0: irecv 0..1 from 1 tag 3 as r  wait 2..9 for r unfinished\n"
                  "rank 1: region work 0..9 { send 1..9 to 0 tag 4 unfinished }\n"
                  "rank 2: recv 1..9 from 0 tag 5 unfinished\n"
                  "rank 3: barrier 1..9 unfinished\n");
    const struct mpl_location *loc = model->locations;

    ck_assert_str_eq(events(model, 0),
                     "enter MPI_Irecv@0 IRECV_POST@0 leave MPI_Irecv@1000 "
                     "enter MPI_Wait@2000 MARK@9000");
    ck_assert_str_eq(events(model, 1), "enter work@0 enter MPI_Send@1000 SEND@1000 "
                                       "MARK@9000 leave work@9000");
    ck_assert_str_eq(events(model, 2), "enter MPI_Recv@1000 MARK@9000");
    ck_assert_str_eq(events(model, 3), "enter MPI_Barrier@1000 COLL_BEGIN@1000 MARK@9000");
    ck_assert_uint_eq(loc[0].n_wanted, 1);
    ck_assert_uint_eq(loc[0].envelopes[loc[0].wanted[0]].peer, 1);
    ck_assert_uint_eq(loc[1].n_wanted, 0); /* The send says it. */
    ck_assert_uint_eq(loc[2].n_wanted, 1);
    ck_assert_uint_eq(loc[2].envelopes[loc[2].wanted[0]].tag, 5);
    ck_assert_uint_eq(loc[3].collectives[0].end, MPL_NONE);
    ck_assert_uint_eq(loc[3].collectives[0].comm, model->world);
    ck_assert(model->can.has_immediate_collectives_complete);
}
END_TEST

START_TEST(collectives_have_operation_root_and_volume)
{
    const struct mpl_model *model =
        read_text("comm odd: 3 1\n"
                  "rank 0: barrier 0..1\n"
                  "rank 1: barrier 0..1 reduce 2..3 root 0 sent 8 received 0 comm odd\n"
                  "rank 2: barrier 0..1\n"
                  "rank 3: barrier 0..1 reduce 2..3 root 0 bytes 8 comm odd\n"
                  "  iallreduce 4..5 bytes 16 comm self as q waitall 6..7 for q\n");
    const struct mpl_collective *reduce = &model->locations[1].collectives[1];
    const struct mpl_collective *later = &model->locations[3].collectives[2];

    ck_assert_int_eq(reduce->op, MPL_COLL_REDUCE);
    ck_assert_uint_eq(reduce->root, 3); /* rank 0 of "odd" */
    ck_assert_str_eq(model->comms[reduce->comm].name, "odd");
    ck_assert_uint_eq(reduce->sent_bytes, 8);
    ck_assert_uint_eq(reduce->received_bytes, 0);
    ck_assert_uint_eq(model->locations[0].collectives[0].root, MPL_NONE);
    ck_assert(later->is_immediate);
    ck_assert_uint_ne(later->end, MPL_NONE);
    ck_assert(model->comms[later->comm].is_self);
    ck_assert(model->can.has_immediate_collectives_complete);
}
END_TEST

START_TEST(regions_nest_and_may_span_lines)
{
    const struct mpl_model *model =
        read_text("# times in ms\n"
                  "rank 0: region solve 0..10 { compute 1..2 in \"kernel<double>\"\n"
                  "        region inner 3..5 { barrier 3..4 } region flat 6..7 }\n"
                  "rank 0: finalize 10..10.5\n");

    ck_assert_str_eq(
        events(model, 0),
        "enter solve@0 enter kernel<double>@1000000 leave kernel<double>@2000000 "
        "enter inner@3000000 enter MPI_Barrier@3000000 COLL_BEGIN@3000000 "
        "COLL_END@4000000 leave MPI_Barrier@4000000 leave inner@5000000 "
        "enter flat@6000000 leave flat@7000000 leave solve@10000000 "
        "enter MPI_Finalize@10000000 leave MPI_Finalize@10500000");
    ck_assert(model->can.has_user_regions && model->can.has_init_finalize);
}
END_TEST

START_TEST(clocks_may_be_apart)
{
    const struct mpl_model *model = read_text("clock 1 +15ms\nclock 2 -2s\n"
                                              "rank 0: compute 5..6\nrank 1: compute 5..6\n"
                                              "rank 2: compute 5..6\n");

    ck_assert(!model->has_common_clock);
    ck_assert_uint_eq(model->locations[1].base_ticks - model->locations[0].base_ticks,
                      15000000);
    ck_assert_uint_eq(model->locations[0].base_ticks - model->locations[2].base_ticks,
                      2000000000);
}
END_TEST

START_TEST(threads_are_locations_of_their_rank)
{
    const struct mpl_model *model =
        read_text("rank 1: compute 0..1\nrank 0.1: compute 0..1\n"
                  "rank 0: compute 0..1\n");

    ck_assert_uint_eq(model->n_locations, 3);
    ck_assert_uint_eq(model->n_processes, 2);
    ck_assert_str_eq(model->locations[0].label, "0");
    ck_assert_str_eq(model->locations[1].label, "0.1");
    ck_assert_str_eq(model->locations[2].label, "1");
    ck_assert(model->can.has_threads);
}
END_TEST

START_TEST(null_is_a_partner_that_is_none)
{
    const struct mpl_model *model =
        read_text("rank 0: send 0..1 to null recv 1..2 from null\n");

    ck_assert(envelope(model, 0, 0)->is_null && envelope(model, 0, 1)->is_null);
    ck_assert_uint_eq(envelope(model, 0, 0)->peer, MPL_NONE);
}
END_TEST

START_TEST(peers_are_ranks_of_the_communicator)
{
    const struct mpl_model *model = read_text("comm row: 2 0\ncomm inter: 0 1 / 2\n"
                                              "rank 0: send 0..1 to 0 comm row\n"
                                              "rank 1: send 0..1 to 0 comm inter\n"
                                              "rank 2: recv 0..1 from 1 comm row\n"
                                              "        recv 1..2 from 1 comm inter\n");

    ck_assert_uint_eq(envelope(model, 0, 0)->peer, 2);
    ck_assert_uint_eq(envelope(model, 1, 0)->peer, 2); /* the other group */
    ck_assert_uint_eq(envelope(model, 2, 0)->peer, 0);
    ck_assert_uint_eq(envelope(model, 2, 1)->peer, 1);
}
END_TEST

START_TEST(units_come_from_a_comment_or_a_line)
{
    static const struct {
        const char *head;
        uint64_t ns;
    } units[] = { { "", 3000 },
                  { "# s.\n", 3000000000 },
                  { "# late-sender.trace, in ms. Rank 1 waits.\n", 3000000 },
                  { "# a comment\n# ns\n", 3 },
                  { "unit ms\n", 3000000 },
                  { "# us\nunit s # the line wins\n", 3000000000 } };

    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        const struct mpl_model *model = read_text(
            mpl_arena_printf(arena, "%srank 0: compute 0..3 # in s\n", units[i].head));

        ck_assert_msg((uint64_t) mpl_ticks_of(&model->locations[0], 1) == units[i].ns, "%s",
                      units[i].head);
    }
}
END_TEST

/* ---- mistakes ------------------------------------------------------------------------------------ */

static const struct {
    const char *text;
    unsigned line;
    unsigned column;
    const char *says;
} mistakes[] = {
    { "", 1, 1, "the text has no line \"rank 0: ...\"" },
    { "rank 0: comptue 0..1\n", 1, 9, "unknown word 'comptue'; did you mean 'compute'?" },
    { "rank 0: send 0..1 too 1\n", 1, 19, "unknown word 'too'; did you mean 'to'?" },
    { "rank 0: xyz 0..1\n", 1, 9,
      "unknown word 'xyz'; an item begins with compute, send, recv, barrier, ..." },
    { "rank 0: compute 5..3\n", 1, 20, "compute ends before it begins" },
    { "rank 0: compute 0..3 compute 2.5..4\n", 1, 22,
      "compute begins before 3, when the rank is free again" },
    { "rank 0: compute 0..3.25 compute 1..4\n", 1, 25,
      "compute begins before 3.25, when the rank is free again" },
    { "rank 0: send 0..1\n", 1, 9, "send needs 'to'" },
    { "rank 0: send 0..1 to 3\n", 1, 22, "there is no rank 3" },
    { "rank 0: barrier 0..1 unfinished compute 1..2\n", 1, 33,
      "nothing can follow the unfinished barrier" },
    { "rank 0: compute 0..1 unfinished\n", 1, 22, "compute takes no 'unfinished'" },
    { "rank 0: recv 0..1 from 5 unfinished\n", 1, 24, "there is no rank 5" },
    { "rank 0: wait 0..1 for r unfinished\n", 1, 23, "no request r is open at rank 0" },
    { "rank 0: barrier 0..1 root 0\n", 1, 22, "barrier takes no 'root'" },
    { "rank 0: bcast 0..1\n", 1, 9, "bcast needs 'root'" },
    { "rank 0: send 0..1 to 0 to 0\n", 1, 24, "send has two 'to'" },
    { "rank 0: send 0..1 to 0 comm row\n", 1, 29, "there is no communicator row" },
    { "comm roww: 0\nrank 0: barrier 0..1 comm row\n", 2, 27,
      "there is no communicator row; did you mean 'roww'?" },
    { "comm a: 0\ncomm a: 0\nrank 0: compute 0..1\n", 2, 6,
      "there are two communicators a" },
    { "comm a: 0 0\nrank 0: compute 0..1\n", 1, 11, "communicator a names rank 0 twice" },
    { "comm a: 0 4\nrank 0: compute 0..1\n", 1, 11,
      "communicator a names rank 4, which has no line" },
    { "comm a: 1\nrank 0: barrier 0..1 comm a\nrank 1: compute 0..1\n", 2, 27,
      "rank 0 is no member of communicator a" },
    { "comm a: 0\nrank 0: send 0..1 to 1 comm a\nrank 1: compute 0..1\n", 2, 22,
      "communicator a has no rank 1" },
    { "rank 0: wait 0..1 for x\n", 1, 23, "no request x is open at rank 0" },
    { "rank 0: irecv 0..1 from 0 as x irecv 1..2 from 0 as x\n", 1, 53,
      "request x is still open" },
    { "rank 0: isend 0..1 to 0 as send\n", 1, 28,
      "expected a name for the request, found 'send'" },
    { "rank 0: region f 0..5 { compute 1..6 }\n", 1, 36,
      "compute ends after 5, the end of region f" },
    { "rank 0: region f 0..5 { compute 1..2\n", 1, 9, "region f has no closing '}'" },
    { "rank 0: compute 0..1 }\n", 1, 22, "no region is open here" },
    { "rank 1: compute 0..1\n", 1, 6, "rank 1 has a line but rank 0 has none" },
    { "rank 0: compute 0..1\nrank 0.2: compute 0..1\n", 2, 6,
      "thread 2 of rank 0 has a line but thread 1 has none" },
    { "rank 0 compute 0..1\n", 1, 8, "expected ':' after the rank, found 'compute'" },
    { "rank x: compute 0..1\n", 1, 6,
      "expected a rank below 100000 (\"3\", or \"3.2\" for its thread 2), found 'x'" },
    { "rank 4000000000: compute 0..1\n", 1, 6,
      "expected a rank below 100000 (\"3\", or \"3.2\" for its thread 2), found "
      "'4000000000'" },
    { "compute 0..1\n", 1, 1,
      "expected 'rank', 'comm', 'host', 'clock' or 'unit', found 'compute'" },
    { "rank 0: compute 0.1\n", 2, 1,
      "expected '..' and the end of the item, found the end of "
      "the text" },
    { "rank 0: compute 0..1ms\n", 1, 20,
      "times take the unit of the file, they have none of their own" },
    { "rank 0: compute 0..0.0001\n", 1, 20, "this time is finer than a nanosecond" },
    { "rank 0: compute 0..99999999999999999999\n", 1, 20, "this time is too large" },
    { "rank 0: send 0..1 to 0 tag 3000000000\n", 1, 28, "'3000000000' is too large" },
    { "clock 0 +5\nclock 7 +5ms\nrank 0: compute 0..1\n", 2, 7, "there is no rank 7" },
    { "host a: 0 3\nrank 0: compute 0..1\n", 1, 11,
      "host a has rank 3, which has no line" },
    { "host a: 0\nhost b: 0\nrank 0: compute 0..1\n", 2, 9,
      "rank 0 runs on host a already" },
    { "host a: 3..2\nrank 0: compute 0..1\n", 1, 12, "the ranks 3 to 2 are none" },
    { "host a:\nrank 0: compute 0..1\n", 2, 1,
      "expected the ranks of its members, found 'rank'" },
    { "clock 0 +5m\nrank 0: compute 0..1\n", 1, 10, "a unit is s, ms, us or ns" },
    { "clock 0 -2000s\nrank 0: compute 0..1\n", 1, 7,
      "a clock may be at most 1000 s behind" },
    { "unit parsec\nrank 0: compute 0..1\n", 1, 6,
      "expected a unit (s, ms, us or ns), found 'parsec'" },
    { "rank 0: compute 0..1\nunit s\n", 2, 6, "the unit must stand before all items" },
    { "rank 0: compute 0..1 @\n", 1, 22, "unexpected character '@'" },
    { "rank 0: compute 0..1 \x01\n", 1, 22, "unexpected byte 0x01" },
    { "rank 0: compute 0..1 in \"f\n", 1, 25, "a text in quotes must end on its line" },
};

START_TEST(mistakes_are_told_with_their_place)
{
    const char *text = mistakes[_i].text;
    struct mpl_model *model = NULL;
    struct mpl_err err = { 0 };
    const struct mpl_lint_message *first;

    ck_assert_int_eq(
        mpl_read_text("t.trace", text, strlen(text), arena, lint, &model, &err),
        MPL_E_SYNTAX);
    ck_assert_ptr_null(model);
    first = mpl_lint_get(lint, 0);
    ck_assert_str_eq(first->text, mistakes[_i].says);
    ck_assert_msg(first->place.line == mistakes[_i].line &&
                      first->place.column == mistakes[_i].column,
                  "%s: %u:%u", mistakes[_i].says, first->place.line, first->place.column);
    ck_assert_ptr_nonnull(strstr(err.cause[0].text, "t.trace:"));
}
END_TEST

START_TEST(one_mistake_makes_one_message)
{
    const char *text = "rank 0: comptue 0..1 send 1..2 to 1 tag\n"
                       "rank 1: recv 0..1 from 0 brrier 2..3 barrier 4..5 root 1\n";
    struct mpl_model *model = NULL;

    ck_assert_int_eq(mpl_read_text("t", text, strlen(text), arena, lint, &model, NULL),
                     MPL_E_SYNTAX);
    ck_assert_uint_eq(mpl_lint_errors(lint), 4);
}
END_TEST

/* ---- round trip ---------------------------------------------------------------------------------------- */

START_TEST(written_archive_reads_back_equal)
{
    static const char text[] =
        "# us.\n"
        "comm row: 2 0\ncomm inter: 0..1 / 2\nclock 2 -15ms\n"
        "host a: 0..1\nhost \"b 2\": 2\n"
        "rank 0: init 0..5 region solve 5..90 { compute 5..10 in kernel ssend 10..12 to 1 "
        "tag 7\n"
        "  isend 12..13 to 2 tag 8 bytes 99 as a irecv 13..14 from 1 as never\n"
        "  irecv 14..15 from 0 tag 1 comm inter as b } bcast 90..95 root 1 comm row bytes "
        "4\n"
        "  wait 95..96 for a ibarrier 96..97 comm self as q reduce 97..98 root 2 bytes 8\n"
        "  waitall 98..99 for q comm_split 99..100 comm_free 101..102 comm row\n"
        "rank 0.1: region \"!$omp barrier @f.c:1\" 3..4 compute 20..30\n"
        "rank 1: recv 0..6 from 0 tag 7 reduce 97..98 root 2 bytes 8 comm_split 99..100\n"
        "  send 100..101 to null tag 5 sendrecv 101..102 to 1 from 1 bytes 3 comm world\n"
        "rank 2: bcast 3..4 root 1 comm row reduce 97..98 root 2 bytes 8 recv 98..99 from "
        "0\n"
        "  test 99..100 scan 100..101 alltoallw 101..102 comm_split 102..103\n";
    const struct mpl_model *model = read_text(text);
    const char *directory = mpl_arena_printf(arena, "%s/round", fixture_scratch());
    struct mpl_model *copy = NULL;
    struct mpl_err err = { 0 };
    const char *difference;

    ck_assert_int_eq(mpl_write_otf2(model, directory, false, &err), MPL_OK);
    ck_assert_int_eq(mpl_read(directory, arena, NULL, &copy, &err), MPL_OK);
    mpl_model_check(copy);
    difference = fixture_difference(model, copy);
    ck_assert_msg(difference == NULL, "%s", difference);
    ck_assert_uint_eq(mpl_quality_count(copy->quality), 0);
    ck_assert_str_eq(copy->processes[0].host, "a");
    ck_assert_str_eq(copy->processes[1].host, "a");
    ck_assert_str_eq(copy->processes[2].host, "b 2");

    ck_assert_int_eq(mpl_write_otf2(model, directory, false, &err), MPL_E_USAGE);
    ck_assert_int_eq(mpl_write_otf2(copy, directory, true, &err), MPL_OK);
    ck_assert_int_eq(mpl_read(directory, arena, NULL, &copy, &err), MPL_OK);
    ck_assert_ptr_null(fixture_difference(model, copy));
    fixture_store(mpl_arena_printf(arena, "%s/notes.txt", directory),
                  (const unsigned char *) "x", 1);
    err = (struct mpl_err){ 0 };
    ck_assert_int_eq(mpl_write_otf2(copy, directory, true, &err), MPL_E_USAGE);
    ck_assert_ptr_nonnull(strstr(err.cause[0].text, "notes.txt\", which is no part"));
    fixture_remove_tree(directory);
}
END_TEST

START_TEST(who_is_told_to_end_leaves_no_half_archive)
{
    const struct mpl_model *model = read_text("rank 0: compute 0..1\n");
    const char *folder = mpl_arena_printf(arena, "%s/told", fixture_scratch());
    struct mpl_err err = { 0 };
    sigset_t term;

    ck_assert_int_eq(mkdir(folder, 0777), 0);
    (void) sigemptyset(&term);
    (void) sigaddset(&term, SIGTERM);
    (void) sigprocmask(SIG_BLOCK, &term, NULL);
    (void) raise(SIGTERM);
    ck_assert_int_eq(
        mpl_write_otf2(model, mpl_arena_printf(arena, "%s/copy", folder), false, &err),
        MPL_E_IO);
    ck_assert_int_eq(sigwaitinfo(&term, NULL), SIGTERM);
    ck_assert_msg(rmdir(folder) == 0, "it is empty");
}
END_TEST

START_TEST(otf2_print_accepts_what_is_written)
{
    const struct mpl_model *model = read_text(
        "rank 0: send 0..1 to 1 barrier 2..3 ibarrier 4..5 as q wait 6..7 for q\n"
        "rank 1: recv 0..1 from 0 barrier 2..3 ibarrier 4..5 as q wait 6..7 for q\n"
        "rank 1.1: compute 0..1\n");
    const char *directory = mpl_arena_printf(arena, "%s/print", fixture_scratch());
    const char *command;

    ck_assert_int_eq(mpl_write_otf2(model, directory, false, NULL), MPL_OK);
    command = mpl_arena_printf(
        arena, "otf2-print -A '%s/trace.otf2' >'%s.out' 2>'%s.err' && test ! -s '%s.err'",
        directory, directory, directory, directory);
    ck_assert_int_eq(system(command), 0);
    fixture_remove_tree(directory);
}
END_TEST

/* ---- random texts ---------------------------------------------------------------------------------------- */

/* Words are swapped, lost, doubled and misspelt: the answer is a sound model or a message. */
START_TEST(mutated_texts_are_read_or_refused)
{
    static const char *const words[] = {
        "rank",      "0:",        "1:",          "0.1:",     "compute", "0..5",
        "5..9",      "10..20",    "send",        "recv",     "to",      "from",
        "1",         "0",         "tag",         "as",       "x",       "for",
        "wait",      "isend",     "irecv",       "barrier",  "bcast",   "root",
        "comm",      "row",       "row:",        "{",        "}",       "region",
        "f",         "clock",     "+1ms",        "unit",     "us",      "\n",
        "\n",        "\nrank 0:", "\nrank 1:",   "null",     "/",       "self",
        "ibarrier",  "\"q",       "#",           "..",       "init",    "-",
        "1e9",       "in",        "99999999999", "0.5..0.7", "\xff",    "bytes",
        "allreduce",
    };
    const size_t n_words = sizeof words / sizeof words[0];

    srand((unsigned) _i);
    for (int k = 0; k < 200; k++) {
        struct mpl_arena *own = mpl_arena_create();
        struct mpl_lint *own_lint = mpl_lint_create(own);
        struct mpl_model *model = NULL;
        struct mpl_err err = { 0 };
        char text[2000];
        size_t n = (size_t) snprintf(text, sizeof text, "rank 0: compute 0..1\n");
        enum mpl_status st;

        for (int w = rand() % 60; w > 0; w--) {
            n += (size_t) snprintf(text + n, sizeof text - n, "%s ",
                                   words[(size_t) rand() % n_words]);
        }
        if (rand() % 2 == 0) {
            text[(size_t) rand() % n] = (char) rand();
        }
        st = mpl_read_text("t", text, n, own, own_lint, &model, &err);
        if (st == MPL_OK) {
            mpl_model_check(model);
        } else {
            ck_assert_msg(st == MPL_E_SYNTAX && mpl_lint_errors(own_lint) > 0, "%s", text);
            ck_assert_uint_le(mpl_lint_errors(own_lint), 25);
        }
        mpl_arena_destroy(own);
    }
}
END_TEST

/* ---- frame ----------------------------------------------------------------------------------------------------- */

static void set_up(void)
{
    create_arena();
    lint = mpl_lint_create(arena);
}

int main(void)
{
    Suite *suite = suite_create("read_text");
    TCase *tcase = add_case(suite, "text", set_up, destroy_arena);

    (void) fixture_scratch();
    tcase_add_test(tcase, blocking_messages_are_recorded_like_a_tracer_does);
    tcase_add_test(tcase, requests_tie_posting_and_completion);
    tcase_add_test(tcase, receives_that_nobody_waits_for_stay_open);
    tcase_add_test(tcase, unfinished_calls_are_entered_and_not_left);
    tcase_add_test(tcase, collectives_have_operation_root_and_volume);
    tcase_add_test(tcase, regions_nest_and_may_span_lines);
    tcase_add_test(tcase, clocks_may_be_apart);
    tcase_add_test(tcase, threads_are_locations_of_their_rank);
    tcase_add_test(tcase, null_is_a_partner_that_is_none);
    tcase_add_test(tcase, peers_are_ranks_of_the_communicator);
    tcase_add_test(tcase, units_come_from_a_comment_or_a_line);
    tcase_add_loop_test(tcase, mistakes_are_told_with_their_place, 0,
                        (int) (sizeof mistakes / sizeof mistakes[0]));
    tcase_add_test(tcase, one_mistake_makes_one_message);
    tcase_add_test(tcase, written_archive_reads_back_equal);
    tcase_add_test(tcase, who_is_told_to_end_leaves_no_half_archive);
    /* A tool of another package. */
    if (system("otf2-print --version >/dev/null 2>&1") == 0) {
        tcase_add_test(tcase, otf2_print_accepts_what_is_written);
    } else {
        printf("# SKIP what otf2-print says of archives: it is not there\n");
    }
    tcase_add_loop_test(tcase, mutated_texts_are_read_or_refused, 0, 40);
    return run_suite(suite);
}
