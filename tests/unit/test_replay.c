/* Questions with answers worked out by hand, and what the language of changes takes and refuses. */
#include "config.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/arena.h"
#include "../lib/suite.h"
#include "events_fixture.h"
#include "replay_ideal.h"

static const struct mpl_what_if *parse(const char *text)
{
    const struct mpl_what_if *what = NULL;
    struct mpl_err err = { 0 };

    ck_assert_msg(mpl_what_if_parse(text, arena, &what, &err) == MPL_OK, "%s: %s", text,
                  err.cause[0].text);
    return what;
}

static struct mpl_replayed ask(const struct mpl_events *events, const char *text)
{
    static const uint32_t workers[] = { 1, 2 };
    static const uint32_t masters[] = { 0 };
    const uint32_t n_workers = mpl_events_model(events)->n_locations - 1;
    const struct mpl_replay_role roles[] = {
        { "master", masters, 1 }, { "worker", workers, n_workers < 2 ? n_workers : 2 }
    };
    struct mpl_replayed answer = { 0 };
    struct mpl_err err = { 0 };

    ck_assert_msg(mpl_replay_run(events, parse(text), roles, 2, arena, &answer, &err) ==
                      MPL_OK,
                  "%s: %s", text, err.cause[0].text);
    return answer;
}

static void assert_changed(const struct mpl_events *events, const char *text, long long us)
{
    const struct mpl_replayed answer = ask(events, text);

    ck_assert_msg(answer.doubt == NULL, "%s: %s", text, answer.doubt);
    ck_assert_msg(llround(answer.changed_s * 1e6) == us, "%s: %.1f us, not %lld", text,
                  answer.changed_s * 1e6, us);
    ck_assert_int_eq(llround((answer.baseline_s - answer.changed_s - answer.gain_s) * 1e9),
                     0);
}

/* ---- the language --------------------------------------------------------------------------- */

START_TEST(changes_say_what_of_whom_and_how)
{
    const struct mpl_what_if *what =
        parse(" compute ( 3.1, master )*0.5,region(\"a b\")(all)/4 , network*0,"
              "transfer(2)=0, compute(x)=others, compute - 2.5 ms,compute*1e-3");

    ck_assert_uint_eq(what->n, 7);
    ck_assert_int_eq(what->changes[0].kind, MPL_CHANGE_COMPUTE);
    ck_assert_uint_eq(what->changes[0].n_who, 2);
    ck_assert_str_eq(what->changes[0].who[0], "3.1");
    ck_assert_str_eq(what->changes[0].who[1], "master");
    ck_assert_double_eq(what->changes[0].factor, 0.5);
    ck_assert_uint_eq(what->changes[0].place.column, 2);
    ck_assert_int_eq(what->changes[1].kind, MPL_CHANGE_REGION);
    ck_assert_str_eq(what->changes[1].region, "a b");
    ck_assert_double_eq(what->changes[1].factor, 0.25);
    ck_assert_int_eq(what->changes[2].kind, MPL_CHANGE_TRANSFER);
    ck_assert_uint_eq(what->changes[2].n_who, 0);
    ck_assert_double_eq(what->changes[3].factor, 0);
    ck_assert(isnan(what->changes[4].factor));
    ck_assert_double_eq_tol(what->changes[5].less_s, 2.5e-3, 1e-15);
    ck_assert_double_eq(what->changes[5].factor, 1);
    ck_assert_double_eq(what->changes[6].factor, 1e-3);
}
END_TEST

static const struct {
    const char *text;
    const char *says;
} refused[] = {
    { "", "column 1: what is to change?" },
    { "compte*2", "column 1: unknown word 'compte'; did you mean 'compute'?" },
    { "compute*2, sleep*2", "column 12: unknown word 'sleep'; known" },
    { "compute", "column 8: how?" },
    { "compute(3", "column 10: here ',' or ')' is missing" },
    { "compute()*2", "column 9: here a location or role is missing" },
    { "compute(3)*", "column 12: here a number is missing" },
    { "compute(3)/0", "column 12: cannot divide by 0" },
    { "compute(3)*1e999", "column 12: this number is too large" },
    { "compute(3) - 5 h", "column 16: unknown unit" },
    { "compute(3)=5", "column 12: '=' takes 'others', 'even' or 0" },
    { "transfer(3)=even", "column 13: only computation can be made even" },
    { "compute(3)=otherside", "column 12: '=' takes 'others', 'even' or 0" },
    { "compute(\"3)*2", "column 9: this quote is not closed" },
    { "region*2", "column 7: which region?" },
    { "region(a b)*2", "column 10: here ')' is missing; a name with blanks" },
    { "network(3)*0", "column 8: the network is that of all" },
    { "compute*2 compute*3", "column 11: here ',' or the end was expected" },
    { "compute*2,", "column 11: what is to change?" },
};

START_TEST(what_cannot_be_read_is_refused_with_its_column)
{
    const struct mpl_what_if *what = NULL;
    struct mpl_err err = { 0 };

    ck_assert_int_eq(mpl_what_if_parse(refused[_i].text, arena, &what, &err), MPL_E_USAGE);
    ck_assert_msg(strstr(err.cause[0].text, refused[_i].says) != NULL, "%s: %s",
                  refused[_i].text, err.cause[0].text);
}
END_TEST

/* Parts of changes in any order: each is taken or refused, with its reason. */
START_TEST(no_text_breaks_the_parser)
{
    static const char *const parts[] = { "compute", "region", "network", "(",    ")",
                                         "\"",      "3",      ",",       "*",    "/",
                                         "-",       "=",      "others",  "0.5",  "e-9",
                                         " ",       "s",      "\t",      "\xc3", "1e999" };
    enum { N_PARTS = sizeof parts / sizeof *parts, TRIES = 20000, LONGEST = 9 };
    unsigned n_taken = 0;

    srand(5);
    for (int i = 0; i < TRIES; i++) {
        char text[128] = "compute";
        const struct mpl_what_if *what = NULL;
        struct mpl_err err = { 0 };
        enum mpl_status st;

        text[i % 2 == 0 ? 0 : strlen(text)] = '\0';
        for (int n = rand() % LONGEST; n >= 0; n--) {
            strcat(text, parts[rand() % N_PARTS]);
        }
        st = mpl_what_if_parse(text, arena, &what, &err);
        n_taken += st == MPL_OK;
        ck_assert_msg(st == MPL_OK ? what->n > 0 : st == MPL_E_USAGE && err.n == 1, "%s",
                      text);
    }
    ck_assert_uint_gt(n_taken, 20);
}
END_TEST

/* ---- answers ------------------------------------------------------------------------------------ */

/* Rank 1 computes for 100 and sends (2); rank 0 computes for 30, waits for it, needs 5 beyond, and
 * computes for 20: 127. Rank 2 computes for 60. */
static const struct mpl_events *late_sender(void)
{
    struct fixture *f = fixture_create(arena, 3, 1);

    fixture_record(f, 0, 0, MPL_EV_MARK);
    fixture_call_recv(f, 0, 30, 105, 1, 0);
    fixture_record(f, 0, 125, MPL_EV_MARK);
    fixture_record(f, 1, 0, MPL_EV_MARK);
    fixture_enter(f, 1, 10, "solve");
    fixture_enter(f, 1, 30, "inner");
    fixture_leave(f, 1, 60, "inner");
    fixture_leave(f, 1, 90, "solve");
    fixture_call_send(f, 1, 100, 102, "MPI_Send", 0, 0);
    fixture_record(f, 1, 103, MPL_EV_MARK);
    fixture_record(f, 2, 0, MPL_EV_MARK);
    fixture_record(f, 2, 60, MPL_EV_MARK);
    return fixture_events(f);
}

START_TEST(a_faster_sender_is_waited_for_until_it_comes_before_the_receiver)
{
    const struct mpl_events *events = late_sender();
    const struct mpl_replayed same = ask(events, "compute*1");

    ASSERT_US(same.recorded_s, 125);
    ASSERT_US(same.baseline_s, 125);
    ASSERT_US(same.gain_s, 0);
    assert_changed(events, "compute(1)*0.5", 50 + 5 + 20);
    assert_changed(events, "compute(1)*0",
                   60); /* now rank 2 is the last, as 30 + 5 + 20 < 60 */
    assert_changed(events, "compute(0)*2", 100 + 5 + 40);
    assert_changed(events, "compute(0)*5", 150 + 5 + 100);
    assert_changed(events, "compute(0, 1)*0.5", 50 + 5 + 10);
    assert_changed(events, "compute*0.5", 50 + 5 + 10);
    /* Of 101 in all, 20 less, of which 19.8 before the send. */
    assert_changed(events, "compute(1) - 20 us", 80 + 5 + 20);
    assert_changed(events, "transfer(0)*3", 100 + 15 + 20);
    assert_changed(events, "network*0", 120);
    ASSERT_US(replay_ideal_s(events), 120);
    ASSERT_US(ask(events, "compute(1)*0.5").end_s[1], 50 + 2 + 1);
}
END_TEST

START_TEST(regions_hold_what_they_call_and_calls_by_their_name)
{
    const struct mpl_events *events = late_sender();

    assert_changed(events, "region(inner)*0", 125 - 30);
    assert_changed(events, "region(solve)*0.5", 125 - 40);
    assert_changed(events, "region(solve)*0.5, region(inner)*0", 125 - 30 - 25);
    assert_changed(events, "region(solve)(0)*0.5", 125);
    assert_changed(events, "region(solve) - 20 us", 125 - 20);
    assert_changed(events, "region(MPI_Recv)*0", 120);
}
END_TEST

START_TEST(others_are_those_of_the_role_or_all)
{
    const struct mpl_events *events = late_sender();

    /* Rank 1 computes 101, the other worker 60: what it does before its send is 60 * 100 / 101. */
    ASSERT_US(ask(events, "compute(1)=others").changed_s, 59 + 5 + 20);
    /* The master has no peer: the median of 101 and 60. */
    ck_assert_double_eq_tol(ask(events, "compute(master)=others").end_s[0] * 1e6,
                            100 + 5 + 20 * 80.5 / 50, 1);
    ck_assert_double_eq_tol(ask(events, "compute(worker)=others").end_s[2] * 1e6, 50, 1e-3);
}
END_TEST

START_TEST(names_that_do_not_exist_are_refused)
{
    static const char *const texts[][2] = {
        { "compute(7)*2", "column 1: no location or role '7'" },
        { "compute(worke)*2", "did you mean 'worker'?" },
        { "network*1, region(solv)*2",
          "column 12: no region 'solv'; did you mean 'solve'?" },
        { "compute=others", "column 1: there are no others" },
    };
    const struct mpl_replay_role role = { "worker", NULL, 0 };
    const struct mpl_events *events = late_sender();

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct mpl_replayed answer;
        struct mpl_err err = { 0 };

        ck_assert_int_eq(
            mpl_replay_run(events, parse(texts[i][0]), &role, 1, arena, &answer, &err),
            MPL_E_USAGE);
        ck_assert_msg(strstr(err.cause[0].text, texts[i][1]) != NULL, "%s: %s", texts[i][0],
                      err.cause[0].text);
    }
}
END_TEST

/* Rank 1 sends at 10 and is held until rank 0 posts its receive at 60, then both need 3. */
START_TEST(a_send_that_was_held_is_held_again)
{
    struct fixture *f = fixture_create(arena, 2, 1);
    const struct mpl_events *events;

    fixture_record(f, 0, 0, MPL_EV_MARK);
    fixture_call_recv(f, 0, 60, 63, 1, 0);
    fixture_record(f, 0, 64, MPL_EV_MARK);
    fixture_record(f, 1, 0, MPL_EV_MARK);
    fixture_call_send(f, 1, 10, 63, "MPI_Send", 0, 0);
    fixture_record(f, 1, 163, MPL_EV_MARK);
    events = fixture_events(f);
    assert_changed(events, "compute(0)*0.5", 30 + 3 + 100);
    assert_changed(events, "compute(0)*2", 120 + 3 + 100);
    /* Without transfers it is buffered. */
    assert_changed(events, "network*0", 10 + 100);
}
END_TEST

START_TEST(a_probe_waits_for_the_message_that_is_received_next)
{
    struct fixture *f = fixture_create(arena, 2, 1);
    const struct mpl_events *events;

    fixture_record(f, 0, 0, MPL_EV_MARK);
    fixture_call(f, 0, 10, 52, "MPI_Probe");
    fixture_call_recv(f, 0, 60, 61, 1, 0);
    fixture_record(f, 0, 71, MPL_EV_MARK);
    fixture_record(f, 1, 0, MPL_EV_MARK);
    fixture_call_send(f, 1, 50, 51, "MPI_Send", 0, 0);
    events = fixture_events(f);
    ASSERT_US(ask(events, "compute*1").baseline_s, 71);
    assert_changed(events, "compute(1)*0.4", 20 + 2 + 8 + 1 + 10);
    assert_changed(events, "compute(1)*2", 100 + 2 + 8 + 1 + 10);
}
END_TEST

/* The receive that follows is recorded in no call, so that the probe alone needs the send, and nobody knows how much of
 * its 42 it waits: they are kept. */
START_TEST(a_probe_waits_for_a_message_that_is_received_in_no_call)
{
    struct fixture *f = fixture_create(arena, 2, 1);
    const struct mpl_events *events;

    fixture_record(f, 0, 0, MPL_EV_MARK);
    fixture_call(f, 0, 10, 52, "MPI_Probe");
    (void) fixture_recv(f, 0, 60, 1, 0);
    fixture_record(f, 0, 71, MPL_EV_MARK);
    fixture_record(f, 1, 0, MPL_EV_MARK);
    fixture_call_send(f, 1, 50, 51, "MPI_Send", 0, 0);
    events = fixture_events(f);
    ASSERT_US(ask(events, "compute*1").baseline_s, 50 + 42 + 19);
    ASSERT_US(ask(events, "compute(1)*0.4").changed_s, 20 + 42 + 19);
    ASSERT_US(ask(events, "compute(1)*2").changed_s, 100 + 42 + 19);
}
END_TEST

/* All come to a barrier at 20, which takes 4. Rank 0 then computes until 150, in part in "solve". Rank 1 sends at 34 to rank
 * 2, which comes to its next call at 84: that is when the send is free to go on, and takes 5. Then it computes until 189. */
static const struct mpl_events *lone_and_held(void)
{
    struct fixture *f = fixture_create(arena, 3, 1);

    for (uint32_t l = 0; l < 3; l++) {
        fixture_record(f, l, 0, MPL_EV_MARK);
        fixture_call_coll(f, l, 20, 24, MPL_COLL_BARRIER, MPL_NONE);
    }
    fixture_enter(f, 0, 60, "solve");
    fixture_leave(f, 0, 100, "solve");
    fixture_record(f, 0, 150, MPL_EV_MARK);
    fixture_call_send(f, 1, 34, 89, "MPI_Send", 2, 0);
    fixture_record(f, 1, 189, MPL_EV_MARK);
    fixture_call(f, 2, 84, 90, "MPI_Iprobe_unknown");
    fixture_call_recv(f, 2, 92, 93, 1, 0);
    fixture_record(f, 2, 94, MPL_EV_MARK);
    return fixture_events(f);
}

/* Whoever waits for nobody that changes ends earlier by just that, if what it spends is summed up right. */
START_TEST(what_is_taken_off_is_missing_in_the_end)
{
    static const struct {
        const char *text;
        uint32_t location;
        double end_us;
    } asked[] = {
        { "compute*1", 0, 150 },
        { "transfer(0) - 1 us", 0, 150 - 1 },
        { "region(MPI_Barrier)(0) - 1 us", 0, 150 - 1 },
        { "region(solve)(0) - 7 us", 0, 150 - 7 },
        { "compute*1", 1, 189 },
        /* Of 9 in all, 1.3 at the barrier, behind which it waits as long for rank 2 as before. */
        { "transfer(1) - 3 us", 1, 84 + 5 * 6 / 9.0 + 100 },
        { "region(MPI_Send)(1) - 2 us", 1, 189 - 2 },
    };
    const struct mpl_events *events = lone_and_held();

    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        const struct mpl_replayed answer = ask(events, asked[i].text);

        ck_assert_msg(answer.doubt == NULL || answer.end_s != NULL, "%s", answer.doubt);

        const double end_us = answer.end_s[asked[i].location] * 1e6;

        ck_assert_msg(fabs(end_us - asked[i].end_us) < 0.5, "%s: %g us, not %g",
                      asked[i].text, end_us, asked[i].end_us);
    }
}
END_TEST

/* Four ranks meet at three barriers, which take 2. Before the first, rank 0 computes 500 alone, the others
 * 0; before the others all compute 100, but rank 3 before the last 300. Then each ends. */
static const struct mpl_events *sections(void)
{
    static const int64_t work_us[4][3] = {
        { 500, 100, 100 }, { 0, 100, 100 }, { 0, 100, 100 }, { 0, 100, 300 }
    };
    static const int64_t last_us[3] = { 500, 100, 300 };
    struct fixture *f = fixture_create(arena, 4, 1);

    for (uint32_t l = 0; l < 4; l++) {
        int64_t now_us = 0;

        fixture_record(f, l, 0, MPL_EV_MARK);
        for (int i = 0; i < 3; i++) {
            fixture_call_coll(f, l, now_us + work_us[l][i], now_us + last_us[i] + 2,
                              MPL_COLL_BARRIER, MPL_NONE);
            now_us += last_us[i] + 2;
        }
    }
    return fixture_events(f);
}

START_TEST(what_is_taken_off_comes_from_where_it_is_more_than_others_have)
{
    const struct mpl_events *events = sections();

    ASSERT_US(ask(events, "compute*1").baseline_s, 906);
    /* Of 700, though not before the last two barriers, where it has no more than the others. */
    assert_changed(events, "compute(0) - 400 us", 906 - 400);
    assert_changed(events, "compute(0) - 500 us", 906 - 500);
    /* Then also from the rest, 50 and 50; rank 3 comes last there. */
    assert_changed(events, "compute(0) - 600 us", 906 - 500);
    assert_changed(events, "compute(0)=others", 906 - 500);
    assert_changed(events, "compute(3)=others", 906 - 200);
    assert_changed(events, "compute(3) - 200 us", 906 - 200);
    /* A factor holds everywhere. */
    assert_changed(events, "compute(0)*0.5", 906 - 250);
}
END_TEST

/* Two roles: the master is compared with all, workers are ranks 1 and 2. */
START_TEST(evening_out_gives_to_those_who_have_least)
{
    const struct mpl_events *events = sections();

    /* 500 of rank 0 become 125 of each. */
    assert_changed(events, "compute(0)=even", 906 - 375);
    /* Each section has the mean of all: 125, 100, 150. */
    assert_changed(events, "compute(all)=even", 906 - 375 - 150);
    /* Twice that of rank 1, who had nothing before the first barrier. */
    assert_changed(events, "compute(all)=even, compute(1)*2", 6 + 250 + 200 + 300);
    /* The workers' own mean is what they have. */
    assert_changed(events, "compute(worker)=even", 906);
}
END_TEST

/* Computing 10 to 40 between barriers: of ranks 1 to 3 all reach the level of 30; rank 0 plays another
 * role. */
START_TEST(evening_out_levels_a_slope)
{
    struct fixture *f = fixture_create(arena, 4, 1);

    for (uint32_t l = 0; l < 4; l++) {
        fixture_record(f, l, 0, MPL_EV_MARK);
        for (int i = 0; i < 6; i++) {
            fixture_call_coll(f, l, 42 * i + 10 * (l + 1), 42 * (i + 1), MPL_COLL_BARRIER,
                              MPL_NONE);
        }
    }
    assert_changed(fixture_events(f), "compute(2,3)=even", 6 * (30 + 2));
}
END_TEST

/*
 * Rank 1 sends at 10 to rank 0, which computes until 60, is then in a barrier of its own with rank 2 until 70,
 * and receives at 80. The send leaves at 61: it lasted until rank 0 came to any call.
 */
START_TEST(a_send_that_lasted_until_the_receiver_looked_does_so_again)
{
    struct fixture *f = fixture_create(arena, 2, 1);
    const struct mpl_events *events;

    fixture_record(f, 0, 0, MPL_EV_MARK);
    fixture_call(f, 0, 60, 70, "MPI_Iprobe_unknown");
    fixture_call_recv(f, 0, 80, 82, 1, 0);
    fixture_record(f, 0, 83, MPL_EV_MARK);
    fixture_record(f, 1, 0, MPL_EV_MARK);
    fixture_call_send(f, 1, 10, 61, "MPI_Send", 0, 0);
    fixture_record(f, 1, 161, MPL_EV_MARK);
    events = fixture_events(f);
    ASSERT_US(ask(events, "compute*1").baseline_s, 161);
    assert_changed(events, "compute(0)*0.5", 30 + 1 + 100);
    assert_changed(events, "compute(0)*2", 120 + 1 + 100);
    /* It waits for rank 0 as before, which then is the last. */
    assert_changed(events, "compute(1)*0", 83);
    ASSERT_US(ask(events, "compute(1)*0").end_s[1], 61);
}
END_TEST

/* Three barriers of two ranks; rank 1 computes 30 each time, rank 0 10; a barrier takes 2. */
START_TEST(who_waits_at_a_barrier_follows_from_who_comes_last)
{
    struct fixture *f = fixture_create(arena, 2, 1);
    const struct mpl_events *events;

    for (uint32_t l = 0; l < 2; l++) {
        fixture_record(f, l, 0, MPL_EV_MARK);
        for (int i = 0; i < 3; i++) {
            fixture_call_coll(f, l, 302 * i + (l == 0 ? 100 : 300), 302 * (i + 1),
                              MPL_COLL_BARRIER, MPL_NONE);
        }
    }
    events = fixture_events(f);
    assert_changed(events, "compute(1)*0.5", 3 * 152);
    assert_changed(events, "compute(1)/6", 3 * 102);
    assert_changed(events, "compute(1)=others", 3 * 102);
    assert_changed(events, "compute(0)*4", 3 * 402);
    assert_changed(events, "transfer*2", 3 * 304);
}
END_TEST

/* A collective with its own counts of bytes. */
static void call_counted(struct fixture *f, uint32_t location, int64_t from_us,
                         int64_t to_us, enum mpl_coll_op op, uint64_t sent_bytes,
                         uint64_t received_bytes)
{
    uint32_t part;

    fixture_enter(f, location, from_us, mpl_coll_op_name(op));
    part = fixture_coll_begin(f, location, from_us);
    fixture_coll_end(f, location, to_us, part, op, op == MPL_COLL_GATHERV ? 0 : MPL_NONE,
                     sent_bytes, received_bytes);
    fixture_leave(f, location, to_us, mpl_coll_op_name(op));
}

/* Rank 0 gathers from rank 1, which comes at 20, and nothing from rank 2, which comes at 100. */
START_TEST(who_gives_nothing_is_not_waited_for)
{
    struct fixture *f = fixture_create(arena, 3, 1);
    const struct mpl_events *events;

    fixture_set_tracer(f, MPL_TRACER_SCOREP);
    for (uint32_t l = 0; l < 3; l++) {
        fixture_record(f, l, 0, MPL_EV_MARK);
    }
    call_counted(f, 0, 10, 22, MPL_COLL_GATHERV, 0, 8);
    fixture_record(f, 0, 160, MPL_EV_MARK);
    call_counted(f, 1, 20, 21, MPL_COLL_GATHERV, 8, 0);
    call_counted(f, 2, 100, 103, MPL_COLL_GATHERV, 0, 0);
    events = fixture_events(f);
    ASSERT_US(ask(events, "compute*1").baseline_s, 160);
    assert_changed(events, "compute(2)*2", 203);
    assert_changed(events, "compute(1)*2", 40 + 2 + 138);
}
END_TEST

/* Rank 2 takes nothing and leaves before rank 1 comes. */
START_TEST(who_takes_nothing_does_not_wait)
{
    struct fixture *f = fixture_create(arena, 3, 1);

    fixture_set_tracer(f, MPL_TRACER_SCOREP);
    for (uint32_t l = 0; l < 3; l++) {
        fixture_record(f, l, 0, MPL_EV_MARK);
    }
    call_counted(f, 0, 10, 101, MPL_COLL_ALLTOALLV, 8, 8);
    call_counted(f, 1, 100, 101, MPL_COLL_ALLTOALLV, 8, 8);
    call_counted(f, 2, 5, 8, MPL_COLL_ALLTOALLV, 8, 0);
    fixture_record(f, 2, 150, MPL_EV_MARK);
    ASSERT_US(ask(fixture_events(f), "compute*1").baseline_s, 150);
}
END_TEST

enum { N_BARRIERS = 120 };

/* Barriers in which nobody waits, each after 10 of computation: enough for one more collective that
 * lacks a part to be few. */
static struct fixture *many_barriers(void)
{
    struct fixture *f = fixture_create(arena, 3, 1);

    for (uint32_t l = 0; l < 3; l++) {
        fixture_record(f, l, 0, MPL_EV_MARK);
        for (int64_t i = 1; i <= N_BARRIERS; i++) {
            fixture_call_coll(f, l, 10 * i, 10 * i, MPL_COLL_BARRIER, MPL_NONE);
        }
    }
    return f;
}

/* The root of a broadcast is missing; its receivers have waited for 8, nobody knows for what. */
static const struct mpl_events *broadcast_without_root(void)
{
    struct fixture *f = many_barriers();

    for (uint32_t l = 0; l < 3; l++) {
        if (l > 0) {
            fixture_call_coll(f, l, 1210, 1218, MPL_COLL_BCAST, 0);
        }
        fixture_record(f, l, 1230, MPL_EV_MARK);
    }
    return fixture_events(f);
}

START_TEST(nobody_waits_for_ever_for_a_part_that_is_missing)
{
    const struct mpl_events *events = broadcast_without_root();

    ASSERT_US(ask(events, "compute*1").baseline_s, 1230);
    assert_changed(events, "compute(0)*2", 2 * 1200 + 30 * 2);
    assert_changed(events, "compute(1)*2", 2 * 1210 + 8 + 2 * 12);
}
END_TEST

/* Of 1230 the 8 are little, of 130 they are much. */
START_TEST(what_is_unknown_weighs_more_in_a_shorter_run)
{
    const struct mpl_replayed answer = ask(broadcast_without_root(), "compute/10");

    ASSERT_US(answer.changed_s, 121 + 8 + 1);
    ck_assert_ptr_nonnull(answer.doubt);
    ck_assert_msg(strstr(answer.doubt, "more than 1 % of the time passes in calls whose "
                                       "partners are not recorded") != NULL,
                  "%s", answer.doubt);
}
END_TEST

/* Rank 1 is in a barrier without a call around it, so that nobody can tell when it comes. */
START_TEST(nobody_waits_for_ever_for_who_is_in_no_call)
{
    struct fixture *f = many_barriers();
    const uint32_t part = fixture_coll_begin(f, 1, 1210);

    fixture_coll_end(f, 1, 1210, part, MPL_COLL_BARRIER, MPL_NONE, 8, 8);
    fixture_call_coll(f, 0, 1210, 1210, MPL_COLL_BARRIER, MPL_NONE);
    fixture_call_coll(f, 2, 1210, 1210, MPL_COLL_BARRIER, MPL_NONE);
    ASSERT_US(ask(fixture_events(f), "compute*1").baseline_s, 1210);
}
END_TEST

/* Rank 1 is killed in the call in which it has just got what rank 0 computed until 40. */
START_TEST(a_receive_that_is_never_left_waits_for_its_message)
{
    struct fixture *f = fixture_create(arena, 2, 1);
    struct mpl_replayed answer;

    fixture_record(f, 0, 0, MPL_EV_MARK);
    fixture_call_send(f, 0, 40, 41, "MPI_Send", 1, 0);
    fixture_record(f, 1, 0, MPL_EV_MARK);
    fixture_enter(f, 1, 1, "MPI_Recv");
    (void) fixture_recv(f, 1, 42, 0, 0);
    answer = ask(fixture_events(f), "compute(0)*2");
    ASSERT_US(answer.end_s[1], 82);
}
END_TEST

/* Its last record opens and closes nothing, as that of other calls does. */
START_TEST(a_post_that_is_never_left_waits_for_its_message)
{
    struct fixture *f = fixture_create(arena, 2, 1);
    uint32_t post;

    fixture_record(f, 0, 0, MPL_EV_MARK);
    fixture_call_send(f, 0, 40, 41, "MPI_Send", 1, 0);
    fixture_record(f, 1, 0, MPL_EV_MARK);
    fixture_enter(f, 1, 1, "MPI_Irecv");
    post = fixture_post(f, 1, 2);
    fixture_irecv(f, 1, 42, post, 0, 0);
    ASSERT_US(ask(fixture_events(f), "compute(0)*2").end_s[1], 80 + 41);
}
END_TEST

/* What rank 0 does when a result of \p rank comes at \p us, having waited for it since \p since. */
static void take_result(struct fixture *f, int64_t since, int64_t us, uint32_t rank,
                        bool is_answered)
{
    fixture_call_send(f, rank, us, us, "MPI_Send", 0, 0);
    fixture_call_recv(f, 0, since, us, rank, 0);
    if (is_answered) {
        fixture_call_send(f, 0, us, us, "MPI_Send", rank, 1);
        fixture_call_recv(f, rank, us, us, 0, 1);
    }
}

struct result {
    int64_t us;
    uint32_t rank;
};

/* Rank 0 takes results as they come and, if it answers, only then a worker goes on. Calls that wait
 * for nobody take no time. */
static const struct mpl_events *take_results(const struct result *results, size_t n,
                                             bool is_answered)
{
    struct fixture *f = fixture_create(arena, 3, 1);
    int64_t since = 0;

    for (uint32_t l = 0; l < 3; l++) {
        fixture_record(f, l, 0, MPL_EV_MARK);
    }
    for (size_t i = 0; i < n; i++) {
        take_result(f, since, results[i].us, results[i].rank, is_answered);
        since = results[i].us;
    }
    return fixture_events(f);
}

/* Tasks of rank 1 take 10 each, those of rank 2 24, 8, and 16. */
static const struct result dealt[] = { { 10, 1 }, { 20, 1 }, { 24, 2 },
                                       { 30, 1 }, { 32, 2 }, { 40, 1 },
                                       { 48, 2 }, { 50, 1 }, { 60, 1 } };
enum { N_DEALT = sizeof dealt / sizeof *dealt };

/*
 * Rank 1 with tasks of 5: its results come at 5 and 10; the third is sent at 15, but rank 0 waits for
 * that of rank 2 until 24 (9 too long). The next are sent at 29 and taken behind that at 32 (3), at
 * 37 and behind 48 (11), and at 48 + 5. Taken as they come they would all be there at 48.
 */
START_TEST(who_takes_what_comes_first_makes_a_doubt_when_that_is_another)
{
    const struct mpl_events *events = take_results(dealt, N_DEALT, true);
    const struct mpl_replayed answer = ask(events, "compute(1)/2");

    ASSERT_US(answer.baseline_s, 60);
    ASSERT_US(answer.changed_s, 53);
    ASSERT_US(answer.gain_s, 7);
    ck_assert_ptr_nonnull(answer.doubt);
    ck_assert_msg(strstr(answer.doubt, "process 0 receives in the recorded order: for 23.0 "
                                       "us it waits for one message while another is "
                                       "there") != NULL,
                  "%s", answer.doubt);
    /* Where all are faster alike the order stays. */
    assert_changed(events, "compute/2", 30);
}
END_TEST

/* Rank 1 does not wait for rank 0, which has to have all results anyway. */
START_TEST(who_does_not_answer_gains_nothing_by_another_order)
{
    assert_changed(take_results(dealt, N_DEALT, false), "compute(1)/2", 48);
}
END_TEST

/* Rank 1 takes 10 each time, rank 2 takes 12: one after the other, four times. That may be an order of
 * rank 0, or chance. */
START_TEST(whether_who_serves_in_turns_has_that_order_is_doubtful)
{
    static const struct result turns[] = { { 10, 1 }, { 12, 2 }, { 20, 1 }, { 24, 2 },
                                           { 30, 1 }, { 36, 2 }, { 40, 1 }, { 48, 2 } };
    const struct mpl_events *events =
        take_results(turns, sizeof turns / sizeof *turns, true);
    const struct mpl_replayed answer = ask(events, "compute(2)*2");

    ASSERT_US(answer.changed_s, 96);
    ck_assert_ptr_nonnull(answer.doubt);
    assert_changed(events, "compute(2)/1.2", 40);
    assert_changed(take_results(turns, sizeof turns / sizeof *turns, false), "compute(2)*2",
                   96);
}
END_TEST

START_TEST(what_is_not_recorded_is_not_guessed)
{
    struct fixture *f = fixture_create(arena, 2, 1);
    struct mpl_replayed answer;

    fixture_set_receive_completions(f, false);
    fixture_record(f, 0, 0, MPL_EV_MARK);
    (void) fixture_send(f, 0, 5, 1, 0);
    fixture_record(f, 1, 7, MPL_EV_MARK);
    answer = ask(fixture_events(f), "compute(0)*0.5");
    ck_assert(isnan(answer.gain_s));
    ck_assert(isnan(answer.changed_s));
    ck_assert_ptr_nonnull(strstr(answer.doubt, "completions of receives"));
}
END_TEST

START_TEST(questions_that_share_a_run_are_answered_like_one_alone)
{
    static const char *const texts[] = {
        "transfer/2",  "compute(1)=others",     "network*0",         "compute(0)=even",
        "compute*0.5", "region(MPI_Recv)*0.5",  "compute(1)=others", "transfer/2",
        "compute*2",   "region(MPI_Recv)*0.25", "compute(all)=even", "compute(0) - 5 us",
    };
    enum { N_TEXTS = sizeof texts / sizeof *texts };
    const struct mpl_events *const runs[] = { late_sender(), sections() };

    /* From each of them on, so that each is the first once, and follows each kind. */
    for (size_t i = 0; i < 2 * N_TEXTS; i++) {
        const struct mpl_events *events = runs[i % 2];
        struct mpl_replay *replay = mpl_replay_create(events, arena);

        for (size_t k = 0; k < N_TEXTS; k++) {
            const struct mpl_what_if *what = parse(texts[(i / 2 + k) % N_TEXTS]);
            struct mpl_replayed shared = { 0 };
            struct mpl_replayed alone = { 0 };

            /* Not in both runs are there receives. */
            ck_assert_int_eq(mpl_replay_ask(replay, what, NULL, 0, arena, &shared, NULL),
                             mpl_replay_run(events, what, NULL, 0, arena, &alone, NULL));
            ck_assert_double_eq(shared.baseline_s, alone.baseline_s);
            ck_assert_double_eq(shared.changed_s, alone.changed_s);
            ck_assert_uint_eq(shared.n_locations, alone.n_locations);
            ck_assert_double_eq(shared.recorded_s, alone.recorded_s);
            ck_assert_pstr_eq(shared.doubt, alone.doubt);
            for (uint32_t l = 0; l < shared.n_locations; l++) {
                ck_assert_double_eq(shared.end_s[l], alone.end_s[l]);
            }
        }
    }
}
END_TEST

/* ---- as laid out, and by records ------------------------------------------------------------- */

/* How a rank passes a message on to the next one in a ring, beginning at \p us; returns when it is done. */
static int64_t pass_on(struct fixture *f, uint32_t l, uint32_t n, int64_t us,
                       const int64_t *send_us, int how)
{
    const uint32_t next = (l + 1) % n;
    const uint32_t last = (l + n - 1) % n;
    const int64_t came_us = send_us[last] > us ? send_us[last] : us;
    const uint32_t n_messages = how == 1 ? 2 : 9; /* of one call */
    uint32_t sent[9];
    uint32_t posts[9];

    switch (how) {
    case 0: /* One call for both. */
        fixture_enter(f, l, us, "MPI_Sendrecv");
        (void) fixture_send(f, l, us + 1, next, 0);
        (void) fixture_recv(f, l, came_us + 3, last, 0);
        fixture_leave(f, l, came_us + 4, "MPI_Sendrecv");
        return came_us + 4;
    case 1: /* Several messages that one call waits for, beside an own one. */
    case 4:
        fixture_enter(f, l, us, "MPI_Isend");
        for (uint32_t i = 0; i < n_messages; i++) {
            sent[i] = fixture_isend(f, l, us, next, 0);
        }
        fixture_leave(f, l, us + 1, "MPI_Isend");
        fixture_enter(f, l, us + 1, "MPI_Irecv");
        for (uint32_t i = 0; i < n_messages; i++) {
            posts[i] = fixture_post(f, l, us + 1);
        }
        fixture_leave(f, l, us + 2, "MPI_Irecv");
        fixture_enter(f, l, us + 2, "MPI_Waitall");
        for (uint32_t i = 0; i < n_messages; i++) {
            fixture_irecv(f, l, came_us + 5, posts[i], last, 0);
        }
        fixture_isend_done(f, l, came_us + 5, sent[0]);
        fixture_leave(f, l, came_us + 6, "MPI_Waitall");
        return came_us + 6;
    case 2: /* Behind one another, so that sends wait for receives that come late. */
    case 3:
        if (l % 2 == 0) {
            fixture_call_send(f, l, us, send_us[next] + 2 > us ? send_us[next] + 3 : us + 3,
                              how == 2 ? "MPI_Send" : "MPI_Ssend", next, 0);
            us = (send_us[next] > us ? send_us[next] : us) + 4;
            fixture_call_recv(f, l, us, came_us + 10 > us ? came_us + 11 : us + 1, last, 0);
            return (came_us + 10 > us ? came_us + 10 : us) + 1;
        }
        fixture_call_recv(f, l, us, came_us + 2, last, 0);
        fixture_call_send(f, l, came_us + 3, came_us + 5, "MPI_Send", next, 0);
        return came_us + 5;
    case 5: /* Calls that only post, */
    case 6: /* and one that has its message when it comes back. */
        fixture_enter(f, l, us, "MPI_Isend");
        (void) fixture_isend(f, l, us + 1, next, 0);
        fixture_leave(f, l, us + 2, "MPI_Isend");
        fixture_enter(f, l, us + 3, "MPI_Irecv");
        if (how == 6) {
            (void) fixture_recv(f, l, came_us + 4, last, 0);
            fixture_leave(f, l, came_us + 5, "MPI_Irecv");
            return came_us + 5;
        }
        posts[0] = fixture_post(f, l, us + 4);
        fixture_leave(f, l, us + 5, "MPI_Irecv");
        fixture_enter(f, l, us + 6, "MPI_Wait");
        fixture_irecv(f, l, came_us + 7, posts[0], last, 0);
        fixture_leave(f, l, came_us + 8, "MPI_Wait");
        return came_us + 8;
    default:
        fixture_call_coll(f, l, us, came_us + 2, MPL_COLL_BARRIER, MPL_NONE);
        return came_us + 2;
    }
}

/* Four ranks that pass messages on in all ways, so often that slots serve again; some computation takes more ticks than fit
 * in 8 bits, some more than in 16 or 32. Every other run has a start-up, which is left at different times. */
static const struct mpl_events *ring(unsigned seed)
{
    static const int64_t most_us[] = { 20, 100, 100000, INT64_C(5000000000) };
    enum { N_RANKS = 4, N_TURNS = 300 };
    struct fixture *f = fixture_create(arena, N_RANKS, 1);
    int64_t now_us[N_RANKS] = { 0 };

    srand(seed);
    for (uint32_t l = 0; l < N_RANKS; l++) {
        fixture_record(f, l, 0, MPL_EV_MARK);
        fixture_enter(f, l, 1, "solve");
        fixture_leave(f, l, 2, "solve");
        now_us[l] = 3;
        if (seed % 2 != 0) {
            now_us[l] = 100 + 10 * l;
            fixture_call(f, l, 5, now_us[l], "MPI_Init");
        }
    }
    for (int turn = 0; turn < N_TURNS; turn++) {
        const int how = rand() % 8;
        int64_t send_us[N_RANKS];

        for (uint32_t l = 0; l < N_RANKS; l++) {
            const int64_t most = most_us[rand() % 16 == 0 ? 3 : rand() % 3];

            send_us[l] =
                now_us[l] + 1 + (int64_t) ((double) rand() / RAND_MAX * (double) most);
        }
        for (uint32_t l = 0; l < N_RANKS; l++) {
            now_us[l] = pass_on(f, l, N_RANKS, send_us[l], send_us, how);
            if (rand() % 4 == 0) {
                fixture_call(f, l, now_us[l] + 1, now_us[l] + 5, "!$omp barrier");
                now_us[l] += 5;
            }
        }
    }
    return fixture_events(f);
}

/* A change of a region makes a replay go by its records; one by 1 changes nothing. */
START_TEST(what_is_laid_out_is_replayed_like_the_records)
{
    static const char *const texts[] = { "compute*1", "compute(0)*0.5, compute(2)*3",
                                         "transfer(1)*2, compute(3)*0.1", "network*0",
                                         "transfer(0)*0, compute(1)*7" };
    const struct mpl_events *events = ring((unsigned) _i);

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *text = mpl_arena_printf(arena, "%s, region(solve)*1", texts[i]);
        const struct mpl_replayed laid_out = ask(events, texts[i]);
        const struct mpl_replayed by_record = ask(events, text);

        ck_assert_uint_eq(laid_out.n_locations, 4);
        ck_assert_double_eq(laid_out.baseline_s, by_record.baseline_s);
        for (uint32_t l = 0; l < laid_out.n_locations; l++) {
            ck_assert_msg(laid_out.end_s[l] == by_record.end_s[l],
                          "seed %d, %s: location %u ends at %g, not %g", _i, texts[i], l,
                          laid_out.end_s[l], by_record.end_s[l]);
        }
    }
    ck_assert_double_eq(replay_ideal_s(events),
                        ask(events, "network*0, region(solve)*1").changed_s);
}
END_TEST

START_TEST(running_out_of_memory_is_told_at_every_allocation)
{
    static const char text[] =
        "compute(1)=others, region(solve)(1)*0.5, transfer/2, compute(0)=even";
    const struct mpl_events *events = late_sender();
    enum mpl_status st = MPL_E_NOMEM;
    long n = 0;

    for (; fails_without_memory(n, st); n++) {
        const struct mpl_what_if *what = NULL;
        struct mpl_arena *scratch = mpl_arena_create();
        struct mpl_replayed answer = { 0 };
        struct mpl_replay *replay;
        double seconds = 0;
        struct mpl_err err = { 0 };

        ck_assert_ptr_nonnull(scratch);
        mpl_alloc_fail_after(n);
        st = mpl_what_if_parse(text, scratch, &what, &err);
        st = st == MPL_OK ? mpl_replay_run(events, what, NULL, 0, scratch, &answer, &err)
                          : st;
        replay = st == MPL_OK ? mpl_replay_create(events, scratch) : NULL;
        st = st == MPL_OK && replay == NULL ? mpl_nomem(&err) : st;
        st = st == MPL_OK ? mpl_replay_ideal(replay, &seconds, &err) : st;
        mpl_alloc_fail_after(-1);
        mpl_arena_destroy(scratch);
    }
    ck_assert_int_gt(failures_without_memory(), 20);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("replay");
    TCase *t = add_case(suite, "replay", create_arena, destroy_arena);

    tcase_add_test(t, changes_say_what_of_whom_and_how);
    tcase_add_loop_test(t, what_cannot_be_read_is_refused_with_its_column, 0,
                        (int) (sizeof refused / sizeof *refused));
    tcase_add_test(t, no_text_breaks_the_parser);
    tcase_add_test(t, questions_that_share_a_run_are_answered_like_one_alone);
    tcase_add_loop_test(t, what_is_laid_out_is_replayed_like_the_records, 0, 20);
    tcase_add_test(t, running_out_of_memory_is_told_at_every_allocation);
    tcase_add_test(t, a_faster_sender_is_waited_for_until_it_comes_before_the_receiver);
    tcase_add_test(t, regions_hold_what_they_call_and_calls_by_their_name);
    tcase_add_test(t, others_are_those_of_the_role_or_all);
    tcase_add_test(t, names_that_do_not_exist_are_refused);
    tcase_add_test(t, a_send_that_was_held_is_held_again);
    tcase_add_test(t, a_probe_waits_for_the_message_that_is_received_next);
    tcase_add_test(t, a_probe_waits_for_a_message_that_is_received_in_no_call);
    tcase_add_test(t, who_waits_at_a_barrier_follows_from_who_comes_last);
    tcase_add_test(t, what_is_taken_off_is_missing_in_the_end);
    tcase_add_test(t, what_is_taken_off_comes_from_where_it_is_more_than_others_have);
    tcase_add_test(t, evening_out_gives_to_those_who_have_least);
    tcase_add_test(t, evening_out_levels_a_slope);
    tcase_add_test(t, a_send_that_lasted_until_the_receiver_looked_does_so_again);
    tcase_add_test(t, who_gives_nothing_is_not_waited_for);
    tcase_add_test(t, who_takes_nothing_does_not_wait);
    tcase_add_test(t, nobody_waits_for_ever_for_a_part_that_is_missing);
    tcase_add_test(t, what_is_unknown_weighs_more_in_a_shorter_run);
    tcase_add_test(t, nobody_waits_for_ever_for_who_is_in_no_call);
    tcase_add_test(t, a_receive_that_is_never_left_waits_for_its_message);
    tcase_add_test(t, a_post_that_is_never_left_waits_for_its_message);
    tcase_add_test(t, who_takes_what_comes_first_makes_a_doubt_when_that_is_another);
    tcase_add_test(t, who_does_not_answer_gains_nothing_by_another_order);
    tcase_add_test(t, whether_who_serves_in_turns_has_that_order_is_doubtful);
    tcase_add_test(t, what_is_not_recorded_is_not_guessed);
    return run_suite(suite);
}
