/*
 * Where links lead and what members take, on traces drawn by hand.
 */
#include "config.h"

#include <check.h>
#include <math.h>
#include <string.h>

#include "../lib/arena.h"
#include "../lib/suite.h"
#include "recognize_fixture.h"

/* ---- links ----------------------------------------------------------------------------------- */

START_TEST(links_lead_where_the_drawing_says)
{
    const struct mpl_pattern *pattern =
        farm(TASK "    associated:\n"
                  "      take:   {match: ask}\n"
                  "      give:   {match: get}\n"
                  "      setup:  {previous: give, event: compute}\n"
                  "      result: {next: work, event: send, to: boss}\n"
                  "      home:   {match: result}\n"
                  "      before: {previous: ask, event: compute}\n"
                  "      inside: {containing: give, instance: Service}\n"
                  "      round:  {containing: home, instance: Service}\n"
                  "      later:  {next: inside, event: recv}\n"
                  "    attributes:\n"
                  "      take:   {value: take.leave, unit: s}\n"
                  "      give:   {value: give.enter, unit: s}\n"
                  "      setup:  {value: setup.duration, unit: s}\n"
                  "      result: {value: result.enter, unit: s}\n"
                  "      home:   {value: home.leave, unit: s}\n"
                  "      bytes:  {value: home.bytes, unit: B}\n"
                  "      before: {value: before.leave, unit: s}\n"
                  "      busy:   {value: inside.busy, unit: s}\n"
                  "      number: {value: inside.index, unit: 1}\n"
                  "      none:   {value: defined(round.enter), unit: 1}\n"
                  "      later:  {value: later.enter, unit: s}\n"
                  "  Service:\n"
                  "    on: boss\n"
                  "    expression: take think give\n"
                  "    members:\n"
                  "      take:  {event: recv, from: hand, tag: 1}\n"
                  "      think: {event: compute}\n"
                  "      give:  {event: send, to: hand}\n"
                  "    attributes:\n"
                  "      busy: {value: duration - take.wait, unit: s}\n",
             arena);
    struct mpl_recognition *r = recognize(pattern, events_of_text(drawing, arena), arena);

    ck_assert_uint_eq(count_of(r, "Task"), 2);
    ck_assert_uint_eq(count_of(r, "Service"), 2);
    ck_assert_us(value_of(r, "Task.take", 0), 12);
    ck_assert_us(value_of(r, "Task.take", 1), 23);
    ck_assert_us(value_of(r, "Task.give", 0), 20);
    ck_assert_us(value_of(r, "Task.give", 1), 31);
    ck_assert_us(value_of(r, "Task.setup", 0), 8);
    ck_assert_us(value_of(r, "Task.result", 0), 39);
    ck_assert_us(value_of(r, "Task.result", 1), 44);
    ck_assert_us(value_of(r, "Task.home", 0), 41);
    ck_assert_us(value_of(r, "Task.home", 1), 46);
    ck_assert_double_eq(value_of(r, "Task.bytes", 1), 60);
    ck_assert_us(value_of(r, "Task.before", 0), 5);
    ck_assert_us(value_of(r, "Task.busy", 0), 12);
    ck_assert_us(value_of(r, "Task.busy", 1), 11);
    ck_assert_double_eq(value_of(r, "Task.number", 0), 0);
    ck_assert_double_eq(value_of(r, "Task.number", 1), 1);
    ck_assert_double_eq(value_of(r, "Task.none", 0), 0);
    /* Behind the first service comes the request of rank 2, behind the second a result. */
    ck_assert_us(value_of(r, "Task.later", 0), 22);
    ck_assert_us(value_of(r, "Task.later", 1), 40);
}
END_TEST

/* n messages of which only the first and the last have tag 1. */
static const char *far_trace(uint32_t n)
{
    char *text = MPL_NEW_ARRAY(arena, 200 * (size_t) n, char);
    size_t at = 0;

    ck_assert_ptr_nonnull(text);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t tag = i == 0 || i == n - 1 ? 1 : 2;

        at += (size_t) sprintf(text + at,
                               "rank 0: send %u..%u to 1 tag %u\n"
                               "rank 1: recv %u..%u from 0 tag %u\n",
                               10 * i, 10 * i + 1, tag, 10 * i, 10 * i + 5, tag);
    }
    return text;
}

START_TEST(links_reach_far_in_both_directions)
{
    enum { N = 300 };
    const struct mpl_pattern *pattern =
        pattern_of_text("pattern: p\nsays: S.\nroles:\n  a: {count: 1}\n"
                        "  b: {count: many, where: received_from.a > 0}\n"
                        "events:\n"
                        "  Get:\n"
                        "    on: b\n"
                        "    expression: get\n"
                        "    members: {get: {event: recv, from: a}}\n"
                        "    associated:\n"
                        "      own_next: {next: get, event: recv, tag: 1}\n"
                        "      own_last: {previous: get, event: recv, tag: 1}\n"
                        "      give:     {match: get}\n"
                        "      its_next: {next: give, event: send, where: tag == 1}\n"
                        "      its_last: {previous: give, event: send, where: tag == 1}\n"
                        "    where: defined(own_next.enter) or defined(own_last.enter)\n"
                        "    attributes:\n"
                        "      own_next: {value: own_next.enter, unit: s}\n"
                        "      own_last: {value: own_last.enter, unit: s}\n"
                        "      its_next: {value: its_next.enter, unit: s}\n"
                        "      its_last: {value: its_last.enter, unit: s}\n",
                        arena);
    struct mpl_recognition *r =
        recognize(pattern, events_of_text(far_trace(N), arena), arena);

    ck_assert_uint_eq(count_of(r, "Get"), N);
    for (size_t i = 0; i < N; i++) {
        if (i < N - 1) {
            ck_assert_us(value_of(r, "Get.own_next", i), 10 * (N - 1));
            ck_assert_us(value_of(r, "Get.its_next", i), 10 * (N - 1));
        } else {
            ck_assert(isnan(value_of(r, "Get.own_next", i)));
            ck_assert(isnan(value_of(r, "Get.its_next", i)));
        }
        if (i > 0) {
            ck_assert_us(value_of(r, "Get.own_last", i), 0);
            ck_assert_us(value_of(r, "Get.its_last", i), 0);
        } else {
            ck_assert(isnan(value_of(r, "Get.own_last", i)));
            ck_assert(isnan(value_of(r, "Get.its_last", i)));
        }
    }
}
END_TEST

START_TEST(matches_of_repeated_members_are_lists)
{
    const struct mpl_pattern *pattern =
        farm("  Round:\n"
             "    on: boss\n"
             "    expression: first (rest | gap)+\n"
             "    members:\n"
             "      first: {event: recv, from: hand, tag: 1}\n"
             "      rest: {event: send, to: hand}\n"
             "      gap: {event: compute}\n"
             "    associated:\n"
             "      end: {match: rest}\n"
             "      ask: {match: first}\n"
             "      after: {next: rest, event: recv}\n"
             "      before: {previous: rest, event: recv}\n"
             "    attributes:\n"
             "      n: {value: count(rest.enter), unit: 1}\n"
             "      lag: {value: sum(end.leave - rest.enter), unit: s}\n"
             "      bytes: {value: max(rest.bytes), unit: B}\n"
             "      gaps: {value: sum(gap.duration), unit: s}\n"
             "      ask: {value: ask.enter, unit: s}\n"
             "      after: {value: after.enter, unit: s}\n"
             "      before: {value: before.enter, unit: s}\n",
             arena);
    /* Rank 0 gives two tasks to each that asks. */
    struct mpl_recognition *r = recognize(
        pattern,
        events_of_text(
            "# us\n"
            "rank 0: recv 0..2 from 1 tag 1  compute 2..5  send 5..6 to 1 bytes 10\n"
            "rank 0: compute 6..8  send 8..9 to 1 bytes 20\n"
            "rank 0: recv 20..22 from 2 tag 1  compute 22..25  send 25..26 to 2\n"
            "rank 1: send 0..1 to 0 tag 1  recv 1..7 from 0  recv 7..12 from 0\n"
            "rank 2: send 19..20 to 0 tag 1  recv 21..27 from 0\n",
            arena),
        arena);

    ck_assert_uint_eq(count_of(r, "Round"), 2);
    ck_assert_double_eq(value_of(r, "Round.n", 0), 2);
    ck_assert_double_eq(value_of(r, "Round.n", 1), 1);
    ck_assert_us(value_of(r, "Round.lag", 0), 7 - 5 + 12 - 8);
    ck_assert_us(value_of(r, "Round.lag", 1), 2);
    ck_assert_double_eq(value_of(r, "Round.bytes", 0), 20);
    /* 2..5, 6..8 and, up to the next request, 9..20. */
    ck_assert_us(value_of(r, "Round.gaps", 0), 3 + 2 + 11);
    ck_assert_us(value_of(r, "Round.ask", 1), 19);
    ck_assert_us(value_of(r, "Round.after", 0), 20);
    ck_assert(isnan(value_of(r, "Round.after", 1)));
    ck_assert_us(value_of(r, "Round.before", 0), 0);
}
END_TEST

START_TEST(absent_members_are_undefined_and_absent_lists_are_empty)
{
    const struct mpl_pattern *pattern =
        farm("  Task:\n"
             "    on: hand\n"
             "    expression: (ask gap)? get work* done?\n"
             "    members:\n"
             "      ask: {event: send, to: boss, tag: 1}\n"
             "      gap: {event: compute}\n"
             "      get: {event: recv, from: boss}\n"
             "      work: {event: compute, where: duration > 12 us}\n"
             "      done: {event: send, to: boss, tag: 9}\n"
             "    associated:\n"
             "      take: {match: ask}\n"
             "      after: {next: done, event: compute}\n"
             "    attributes:\n"
             "      asked: {value: defined(ask.enter), unit: 1}\n"
             "      ask: {value: ask.enter, unit: s}\n"
             "      take: {value: take.enter, unit: s}\n"
             "      wait: {value: \"default(ask.wait, 0) + get.wait\", unit: s}\n"
             "      work: {value: sum(work.duration), unit: s}\n"
             "      n: {value: count(work.duration), unit: 1}\n"
             "      longest: {value: max(work.duration), unit: s}\n"
             "      done: {value: done.bytes, unit: B}\n"
             "      after: {value: after.enter, unit: s}\n",
             arena);
    /* Rank 1 gets its first task without asking; rank 2 works for 8 us only. */
    struct mpl_recognition *r = recognize(
        pattern,
        events_of_text("# us\n"
                       "rank 0: send 0..1 to 1  send 1..2 to 2  recv 20..31 from 1 tag 1\n"
                       "rank 0: send 32..33 to 1  recv 40..41 from 2 tag 1\n"
                       "rank 1: recv 0..2 from 0  compute 2..30  send 30..31 to 0 tag 1\n"
                       "rank 1: recv 32..34 from 0  compute 34..60\n"
                       "rank 2: recv 1..3 from 0  compute 3..11  send 11..12 to 0 tag 1\n",
                       arena),
        arena);

    ck_assert_uint_eq(count_of(r, "Task"), 3);
    ck_assert_double_eq(value_of(r, "Task.asked", 0), 0);
    ck_assert_double_eq(value_of(r, "Task.asked", 1), 1);
    ck_assert(isnan(value_of(r, "Task.ask", 0)) && isnan(value_of(r, "Task.take", 0)));
    ck_assert_us(value_of(r, "Task.ask", 1), 30);
    ck_assert_us(value_of(r, "Task.take", 1), 20);
    ck_assert_us(value_of(r, "Task.wait", 0), 0);
    ck_assert_us(value_of(r, "Task.work", 0), 28);
    ck_assert_us(value_of(r, "Task.work", 2), 0);
    ck_assert_double_eq(value_of(r, "Task.n", 1), 1);
    ck_assert_double_eq(value_of(r, "Task.n", 2), 0);
    ck_assert(isnan(value_of(r, "Task.longest", 2)));
    ck_assert(isnan(value_of(r, "Task.done", 0)) && isnan(value_of(r, "Task.after", 0)));
    ck_assert_us(value_of(r, "Task.enter", 2), 1);
    ck_assert_us(value_of(r, "Task.leave", 2), 3);
}
END_TEST

START_TEST(calls_with_several_messages_stand_for_what_each_of_them_is)
{
    const struct mpl_pattern *pattern =
        pattern_of_text("pattern: p\nsays: S.\n"
                        "roles:\n  a: {count: 1, where: rank == 0}\n"
                        "  b: {count: many, where: rank > 0}\n"
                        "  one: {count: 1, where: rank == 1}\n"
                        "events:\n"
                        "  Get:\n"
                        "    on: a\n"
                        "    expression: get\n"
                        "    members: {get: {event: recv, from: b}}\n"
                        "    attributes:\n"
                        "      bytes: {value: get.bytes, unit: B}\n"
                        "      peer: {value: get.peer, unit: 1}\n"
                        "  One:\n"
                        "    on: a\n"
                        "    expression: get\n"
                        "    members: {get: {event: recv, from: one}}\n"
                        "    associated: {give: {match: get}}\n"
                        "    attributes:\n"
                        "      bytes: {value: get.bytes, unit: B}\n"
                        "      give: {value: give.enter, unit: s}\n"
                        "  Both:\n"
                        "    on: b\n"
                        "    expression: both\n"
                        "    members: {both: {event: p2p, to: a, from: b}}\n"
                        "    attributes: {bytes: {value: both.bytes, unit: B}}\n",
                        arena);
    struct mpl_recognition *r = recognize(
        pattern,
        events_of_text(
            "# us\n"
            "rank 0: irecv 0..1 from 2 tag 1 bytes 20 as x  irecv 1..2 from 1 tag 1 bytes "
            "10 as "
            "y\n"
            "rank 0: waitall 2..20 for x y\n"
            "rank 1: send 5..6 to 0 tag 1 bytes 10  sendrecv 30..32 to 2 from 2 bytes 7\n"
            "rank 2: send 8..9 to 0 tag 1 bytes 20  sendrecv 30..32 to 1 from 1 bytes 7\n",
            arena),
        arena);

    ck_assert_uint_eq(count_of(r, "Get"), 1);
    ck_assert_double_eq(value_of(r, "Get.bytes", 0), 30);
    ck_assert_double_eq(value_of(r, "Get.peer", 0), 2);
    ck_assert_uint_eq(count_of(r, "One"), 1);
    ck_assert_double_eq(value_of(r, "One.bytes", 0), 10);
    ck_assert_us(value_of(r, "One.give", 0), 5);
    /* A send to the boss, or a call that receives from a hand. */
    ck_assert_uint_eq(count_of(r, "Both"), 4);
    ck_assert_double_eq(value_of(r, "Both.bytes", 0), 10);
    ck_assert_double_eq(value_of(r, "Both.bytes", 1), 7);
}
END_TEST

/* ---- filters, nesting, strictness ------------------------------------------------------------- */

static size_t count_filtered(const char *member, const char *trace_text)
{
    const struct mpl_pattern *pattern = pattern_of_text(
        mpl_arena_printf(arena,
                         "pattern: p\nsays: S.\nroles:\n"
                         "  all_of: {count: many}\n  one: {count: 1, where: rank == 1}\n"
                         "events:\n  E:\n    on: all_of\n    expression: m\n"
                         "    members: {m: %s}\n",
                         member),
        arena);

    return count_of(recognize(pattern, events_of_text(trace_text, arena), arena), "E");
}

START_TEST(filters_take_what_they_say)
{
    static const char mixed[] =
        "# us\n"
        "rank 0: compute 0..5 in solve  send 5..6 to 1 tag 1 bytes 5  ssend 7..9 to 1 tag "
        "2\n"
        "rank 0: barrier 10..12  bcast 12..14 root 1  allreduce 14..16  region MPI_Test "
        "16..17\n"
        "rank 0: send 17..18 to null  compute 18..20\n"
        "rank 1: recv 5..7 from 0 tag 1 bytes 5  recv 7..9 from 0 tag 2  barrier 10..12\n"
        "rank 1: bcast 12..14 root 1  allreduce 14..16  compute 16..30 in solve\n";
    static const struct {
        const char *member;
        size_t n;
    } cases[] = {
        { "{event: send}", 2 },
        { "{event: send, tag: [2, 3]}", 1 },
        { "{event: ssend}", 1 },
        { "{event: recv}", 2 },
        { "{event: recv, from: one}", 0 },
        { "{event: send, to: one}", 2 },
        { "{event: p2p}", 6 },
        { "{event: p2p, to: one}", 2 },
        { "{event: collective}", 6 },
        { "{event: collective, op: [barrier, MPI_Bcast]}", 4 },
        { "{event: collective, root: one}", 2 },
        { "{event: barrier}", 2 },
        { "{event: broadcast}", 2 },
        { "{event: allreduce}", 2 },
        { "{event: reduce}", 0 },
        { "{event: call}", 12 },
        { "{event: call, region: 'MPI_[BT]*'}", 5 },
        { "{event: region, region: solve}", 2 },
        { "{event: compute, region: solve}", 2 },
        { "{event: compute, where: duration > 3 us}", 2 },
        { "{event: call, where: wait > 0 s}", 0 },
        { "{event: p2p, where: bytes > 3 B and peer < 5}", 2 },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const size_t n = count_filtered(cases[i].member, mixed);

        ck_assert_msg(n == cases[i].n, "%s: %zu, not %zu", cases[i].member, n, cases[i].n);
    }
}
END_TEST

START_TEST(instances_of_other_events_are_members_at_their_last_span)
{
    const struct mpl_pattern *pattern =
        farm("  Ask:\n"
             "    on: hand\n"
             "    expression: ask get\n"
             "    members:\n"
             "      ask: {event: send, to: boss, tag: 1}\n"
             "      get: {event: recv, from: boss}\n"
             "    attributes: {wait: {value: get.wait, unit: s}}\n"
             "  Task:\n"
             "    on: hand\n"
             "    expression: idle? asked call? work done\n"
             "    members:\n"
             "      idle: {event: compute}\n"
             "      asked: {event: Ask}\n"
             "      call: {event: call}\n"
             "      work: {event: compute}\n"
             "      done: {event: send, to: boss, tag: 3}\n"
             "    associated:\n"
             "      before: {previous: asked, event: compute}\n"
             "      after: {next: asked, event: compute}\n"
             "    where: asked.wait > 0 s\n"
             "    attributes:\n"
             "      wait: {value: asked.wait + asked.duration, unit: s}\n"
             "      idle: {value: idle.duration, unit: s}\n"
             "      before: {value: before.enter, unit: s}\n"
             "      after: {value: after.leave, unit: s}\n",
             arena);
    struct mpl_recognition *r = recognize(pattern, events_of_text(drawing, arena), arena);

    ck_assert_uint_eq(count_of(r, "Ask"), 2);
    ck_assert_uint_eq(count_of(r, "Task"), 2);
    /* The compute between send and receive lies before the end of Ask: it is the idle one. */
    ck_assert_us(value_of(r, "Task.wait", 0), 14 + 17);
    ck_assert_us(value_of(r, "Task.idle", 0), 0);
    ck_assert_us(value_of(r, "Task.enter", 0), 5);
    ck_assert_us(value_of(r, "Task.leave", 0), 40);
    ck_assert_us(value_of(r, "Task.before", 0), 0);
    ck_assert_us(value_of(r, "Task.after", 0), 39);
}
END_TEST

START_TEST(repeated_instances_last_from_the_first_to_the_last)
{
    const struct mpl_pattern *pattern =
        farm("  Service:\n"
             "    on: boss\n"
             "    expression: take think give\n"
             "    members:\n"
             "      take:  {event: recv, from: hand, tag: 1}\n"
             "      think: {event: compute}\n"
             "      give:  {event: send, to: hand}\n"
             "  Shift:\n"
             "    on: boss\n"
             "    expression: service+\n"
             "    members:\n"
             "      service: {event: Service}\n",
             arena);
    struct mpl_recognition *r = recognize(pattern, events_of_text(drawing, arena), arena);

    ck_assert_uint_eq(count_of(r, "Service"), 2);
    ck_assert_uint_eq(count_of(r, "Shift"), 1);
    ck_assert_double_eq(value_of(r, "Shift.enter", 0), value_of(r, "Service.enter", 0));
    ck_assert_double_eq(value_of(r, "Shift.leave", 0), value_of(r, "Service.leave", 1));
}
END_TEST

START_TEST(strict_events_allow_nothing_in_between)
{
    static const char events[] = "  Pair:\n"
                                 "    on: hand\n"
                                 "    expression: %s\n"
                                 "    strict: %s\n"
                                 "    members:\n"
                                 "      ask: {event: send, to: boss, tag: 1}\n"
                                 "      gap: {event: compute}\n"
                                 "      done: {event: send, to: boss, tag: 3}\n"
                                 "      get: {event: recv}\n";
    static const struct {
        const char *expression, *strict;
        size_t n;
    } cases[] = {
        { "ask done", "false", 2 },
        { "ask done", "true", 0 },
        { "ask get", "true", 0 },
        { "ask gap get", "true", 2 },
        { "ask gap? get gap done", "true", 2 },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *text =
            mpl_arena_printf(arena, events, cases[i].expression, cases[i].strict);
        const size_t n = count_of(
            recognize(farm(text, arena), events_of_text(drawing, arena), arena), "Pair");

        ck_assert_msg(n == cases[i].n, "%s: %zu", cases[i].expression, n);
    }
}
END_TEST

/* Rank 1 takes from 0 and 2 in turn, and answers 0 before its second message. */
static const char turns[] =
    "# us\n"
    "rank 0: send 0..1 to 1 bytes 10  send 20..21 to 1 bytes 20\n"
    "rank 0: recv 30..36 from 1  send 40..41 to 1 bytes 30\n"
    "rank 2: send 4..5 to 1 bytes 11  send 24..25 to 1 bytes 21\n"
    "rank 2: send 44..45 to 1 bytes 31\n"
    "rank 1: recv 0..2 from 0 bytes 10  recv 4..6 from 2 bytes 11\n"
    "rank 1: recv 20..22 from 0 bytes 20  recv 24..26 from 2 bytes 21\n"
    "rank 1: send 34..35 to 0  recv 40..42 from 0 bytes 30\n"
    "rank 1: recv 44..46 from 2 bytes 31\n";

static const char turns_pattern[] =
    "pattern: p\nsays: S.\nroles:\n  a: {count: 1, score: receives}\n"
    "events:\n"
    "  Get:\n"
    "    on: a\n"
    "    expression: get\n"
    "    members: {get: {event: recv}}\n"
    "    associated:\n"
    "      last: {previous: get, event: recv, where: peer == get.peer}\n"
    "      next: {next: get, event: recv, where: peer == get.peer and bytes > get.bytes}\n"
    "      back: {previous: get, event: send, since: last, where: peer == get.peer}\n"
    "      said: {next: get, event: send, until: next}\n"
    "      give: {match: get}\n"
    "      more: {next: give, event: send, where: peer == get.rank}\n"
    "      none: {previous: get, event: send, since: give}\n"
    "%s"
    "    attributes:\n"
    "      last: {value: last.bytes, unit: B}\n"
    "      next: {value: next.bytes, unit: B}\n"
    "      back: {value: back.enter, unit: s}\n"
    "      said: {value: said.enter, unit: s}\n"
    "      more: {value: more.bytes, unit: B}\n"
    "      none: {value: defined(none.rank), unit: 1}\n"
    "      is_first: {value: not defined(last.rank), unit: 1}\n"
    "      is_later: {value: not is_first and place_of > 1, unit: 1}\n"
    "      place_of: {value: get.place, unit: 1}\n";

/* The pattern above with a condition, and its attributes in an order that it needs. */
static const struct mpl_pattern *turns_with(const char *where)
{
    char *text = mpl_arena_printf(arena, turns_pattern, where);
    char *later = strstr(text, "      is_later");
    char *place = strstr(text, "      place_of");
    const size_t n = (size_t) (place - later);
    char *swapped = mpl_arena_printf(arena, "%.*s%s%.*s", (int) (later - text), text, place,
                                     (int) n, later);

    return pattern_of_text(swapped, arena);
}

START_TEST(links_compare_with_spans_that_are_bound)
{
    struct mpl_recognition *r =
        recognize(turns_with(""), events_of_text(turns, arena), arena);
    /* From 0, 2, 0, 2, 0, 2; -1 where it leads nowhere. */
    static const double last[] = { -1, -1, 10, 11, 20, 21 };
    static const double next[] = { 20, 21, 30, 31, -1, -1 };
    static const double back[] = { -1, -1, -1, -1, 34, -1 };
    static const double said[] = { -1, -1, 34, 34, -1, -1 };

    ck_assert_uint_eq(count_of(r, "Get"), 6);
    for (size_t i = 0; i < 6; i++) {
        const double found_back = value_of(r, "Get.back", i);
        const double found_said = value_of(r, "Get.said", i);
        const double found_last = value_of(r, "Get.last", i);
        const double found_next = value_of(r, "Get.next", i);
        const double found_more = value_of(r, "Get.more", i);

        ck_assert_double_eq(isnan(found_last) ? -1 : found_last, last[i]);
        ck_assert_double_eq(isnan(found_next) ? -1 : found_next, next[i]);
        ck_assert_double_eq(isnan(found_more) ? -1 : found_more, next[i]);
        ck_assert_double_eq_tol(isnan(found_back) ? -1 : 1e6 * found_back, back[i], 1e-6);
        ck_assert_double_eq_tol(isnan(found_said) ? -1 : 1e6 * found_said, said[i], 1e-6);
        ck_assert_double_eq(value_of(r, "Get.none", i), 0);
    }
}
END_TEST

START_TEST(conditions_over_other_spans_look_at_the_nearest_few)
{
    const struct mpl_pattern *pattern = pattern_of_text(
        "pattern: p\nsays: S.\nroles:\n  a: {count: 1, score: sends}\n"
        "events:\n"
        "  Give:\n"
        "    on: a\n"
        "    expression: give\n"
        "    members: {give: {event: send}}\n"
        "    associated:\n"
        "      first: {previous: give, event: send, where: tag < give.tag}\n"
        "    attributes:\n"
        "      tag: {value: first.tag, unit: 1}\n",
        arena);
    struct mpl_recognition *r =
        recognize(pattern, events_of_text(far_trace(40), arena), arena);

    for (size_t i = 1; i < 39; i++) {
        const double tag = value_of(r, "Give.tag", i);

        ck_assert_int_eq(i <= 32 ? tag == 1 : isnan(tag), 1);
    }
}
END_TEST

/* Chance says whose message the boss takes next, so hands ask for its rounds in irregular steps. */
START_TEST(instances_around_many_spans_are_found)
{
    enum { ROUNDS = 700, LINE_BYTES = 128 };
    const struct mpl_pattern *pattern =
        farm("  Round:\n"
             "    on: boss\n"
             "    expression: take work\n"
             "    members: {take: {event: recv}, work: {event: compute}}\n"
             "  Put:\n"
             "    on: hand\n"
             "    expression: put\n"
             "    members: {put: {event: send, to: boss}}\n"
             "    associated:\n"
             "      taken: {match: put}\n"
             "      round: {containing: taken, instance: Round}\n"
             "    attributes:\n"
             "      taken: {value: taken.enter, unit: s}\n"
             "      round: {value: round.enter, unit: s}\n"
             "      number: {value: round.index, unit: 1}\n",
             arena);
    char *text = MPL_NEW_ARRAY(arena, 2 * ROUNDS * LINE_BYTES, char);
    unsigned state = 7;

    ck_assert_ptr_nonnull(text);

    size_t n =
        (size_t) sprintf(text, "# us\nrank 0: send 0..1 to 1  send 1..2 to 2\n"
                               "rank 1: recv 0..2 from 0\nrank 2: recv 0..3 from 0\n");

    for (int i = 1; i <= ROUNDS; i++) {
        const int at = 10 * i;

        state = state * 1664525u + 1013904223u;
        n += (size_t) sprintf(text + n,
                              "rank 0: recv %d..%d from %u  compute %d..%d\n"
                              "rank %u: send %d..%d to 0\n",
                              at, at + 2, 1 + (state >> 16) % 2, at + 2, at + 9,
                              1 + (state >> 16) % 2, at, at + 1);
    }

    struct mpl_recognition *r = recognize(pattern, events_of_text(text, arena), arena);

    ck_assert_uint_eq(count_of(r, "Round"), ROUNDS);
    ck_assert_uint_eq(count_of(r, "Put"), ROUNDS);
    for (size_t i = 0; i < ROUNDS; i++) {
        const double enter = value_of(r, "Put.taken", i);

        ck_assert_double_eq(value_of(r, "Put.round", i), enter);
        ck_assert_double_eq_tol(value_of(r, "Put.number", i), 1e5 * enter - 1, 1e-6);
    }
}
END_TEST

START_TEST(conditions_read_attributes)
{
    const struct mpl_events *events = events_of_text(turns, arena);
    struct mpl_recognition *r =
        recognize(turns_with("    where: is_later and not is_first\n"), events, arena);

    ck_assert_uint_eq(count_of(r, "Get"), 4);
    ck_assert_double_eq(value_of(r, "Get.last", 0), 10);
    r = recognize(turns_with("    where: [is_first]\n"), events, arena);
    ck_assert_uint_eq(count_of(r, "Get"), 2);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("recognize_links");
    TCase *tcase = add_case(suite, "all", create_arena, destroy_arena);

    tcase_add_test(tcase, links_lead_where_the_drawing_says);
    tcase_add_test(tcase, links_reach_far_in_both_directions);
    tcase_add_test(tcase, matches_of_repeated_members_are_lists);
    tcase_add_test(tcase, absent_members_are_undefined_and_absent_lists_are_empty);
    tcase_add_test(tcase, calls_with_several_messages_stand_for_what_each_of_them_is);
    tcase_add_test(tcase, filters_take_what_they_say);
    tcase_add_test(tcase, instances_of_other_events_are_members_at_their_last_span);
    tcase_add_test(tcase, repeated_instances_last_from_the_first_to_the_last);
    tcase_add_test(tcase, strict_events_allow_nothing_in_between);
    tcase_add_test(tcase, links_compare_with_spans_that_are_bound);
    tcase_add_test(tcase, conditions_over_other_spans_look_at_the_nearest_few);
    tcase_add_test(tcase, instances_around_many_spans_are_found);
    tcase_add_test(tcase, conditions_read_attributes);
    return run_suite(suite);
}
