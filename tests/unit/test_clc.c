/* Repairs whose outcome can be told by hand. Ticks are nanoseconds. */
#include "config.h"

#include "clc/clc_priv.h"

#include "clc_fixture.h"
#include "match_fixture.h"

#include <check.h>
#include <inttypes.h>
#include <stdlib.h>

static struct mpl_arena *arena;
static struct trace *t;

static void set_up(void)
{
    mpl_alloc_fail_after(-1);
    arena = mpl_arena_create();
    ck_assert_ptr_nonnull(arena);
    t = NULL;
}

static void tear_down(void)
{
    if (t != NULL) {
        trace_destroy(t);
    }
    mpl_arena_destroy(arena);
}

static struct address at(uint32_t rank)
{
    return (struct address){ 0, rank, 7 };
}

static void mark(uint32_t location, int64_t ticks)
{
    trace_record(t, location, ticks, MPL_EV_MARK);
}

static void send(uint32_t from, uint32_t to, int64_t ticks)
{
    (void) trace_send(t, from, ticks, ticks + 1, "MPI_Send", at(to), 8);
}

static void recv(uint32_t to, uint32_t from, int64_t enter, int64_t ticks)
{
    (void) trace_recv(t, to, enter, ticks, at(from), 8);
}

static struct clc_case make_case(void)
{
    struct mpl_model *model = trace_model(t);

    return clc_case_make(model, trace_match(model, arena), arena, "by hand");
}

static struct clc_case repair_as(const struct mpl_clc_options *options)
{
    struct clc_case c = make_case();

    clc_case_repair(&c, options, arena);
    return c;
}

/* Without ramps, so that only what is needed moves. */
static struct clc_case repair_forward(void)
{
    struct mpl_clc_options o = mpl_clc_defaults();

    o.amortization = 0;
    return repair_as(&o);
}

/* The shift of the event that was at \p ticks, of several the last. */
static int64_t shift_at(const struct clc_case *c, uint32_t location, int64_t ticks)
{
    uint32_t event = c->model->locations[location].n_events;

    while (event > 0 && c->before_ticks[location][event - 1] != ticks) {
        event--;
    }
    ck_assert_uint_gt(event, 0);
    return clc_case_shift(c, location, event - 1);
}

/* ---- forward ---------------------------------------------------------------------------------- */

START_TEST(reversed_message_moves_its_receive_and_the_shift_falls_back)
{
    struct clc_case c;

    t = trace_create(arena, 2, 1);
    send(0, 1, 1000000);
    mark(1, 0);
    recv(1, 0, 999000, 999900);
    mark(1, 1049900);
    mark(1, 1200000);
    c = repair_as(NULL);
    ck_assert_uint_eq(c.before.p2p, 1);
    ck_assert_uint_eq(c.clc->n_passes, 1);
    ck_assert_uint_eq(c.clc->n_jumps, 1);
    /* 100 too early, and one tick later than the send. */
    ck_assert_int_eq(shift_at(&c, 1, 999900), 101);
    /* gamma takes a thousandth of the 50,000 that have passed. */
    ck_assert_int_eq(shift_at(&c, 1, 1049900), 51);
    ck_assert_int_eq(shift_at(&c, 1, 1200000), 0);
    /* The ramp before it rises by a fiftieth of 900. */
    ck_assert_int_eq(shift_at(&c, 1, 999000), 101 - 18);
    ck_assert_int_eq(shift_at(&c, 1, 0), 0);
    ck_assert_int_eq(c.clc->location_max_ticks[0], 0);
    ck_assert_int_eq(c.clc->max_shift_ticks, 101);
    ck_assert_uint_eq(c.clc->max_shift_location, 1);
    ck_assert_int_eq(c.clc->growth_ticks, 0);
}
END_TEST

START_TEST(short_intervals_keep_delta_while_a_shift_falls_back)
{
    struct mpl_clc_options o = mpl_clc_defaults();
    struct clc_case c;

    t = trace_create(arena, 2, 1);
    send(0, 1, 2000);
    recv(1, 0, 900, 1000);
    mark(1, 1003);
    mark(1, 1013);
    mark(1, 1513);
    o.gamma = 0;
    o.delta_s = 5e-9;
    o.amortization = 0;
    c = repair_as(&o);
    ck_assert_int_eq(shift_at(&c, 1, 1000), 1001);
    ck_assert_int_eq(shift_at(&c, 1, 1003), 1001);
    ck_assert_int_eq(shift_at(&c, 1, 1013), 1001 - 5);
    ck_assert_int_eq(shift_at(&c, 1, 1513), 1001 - 5 - 495);
}
END_TEST

START_TEST(shift_travels_with_messages_as_far_as_they_need_it)
{
    struct clc_case c;

    t = trace_create(arena, 4, 1);
    send(0, 1, 5000);
    recv(1, 0, 3900, 4000);
    send(1, 2, 4100);
    recv(2, 1, 4000, 4150);
    send(1, 3, 4200);
    recv(3, 1, 4000, 9000);
    c = repair_as(NULL);
    /* The smallest delay that is seen is 50. */
    ck_assert_int_eq(c.clc->mu_ticks[MPL_CLC_P2P_BETWEEN], 50);
    ck_assert_int_eq(shift_at(&c, 1, 4000), 1050);
    ck_assert_int_eq(shift_at(&c, 1, 4100), 1050);
    ck_assert_int_eq(shift_at(&c, 2, 4150), 1050);
    ck_assert_int_eq(shift_at(&c, 3, 9000), 0);
}
END_TEST

START_TEST(delay_is_no_longer_than_half_a_round_trip)
{
    struct clc_case c;

    t = trace_create(arena, 3, 1);
    send(0, 1, 1000);
    recv(1, 0, 900, 2000);
    send(1, 0, 3000);
    recv(0, 1, 2000, 2100);
    c = repair_as(NULL);
    /* 1000 one way and 900 the other way back in time. */
    ck_assert_int_eq(c.clc->mu_ticks[MPL_CLC_P2P_BETWEEN], 50);
    ck_assert_int_eq(shift_at(&c, 0, 2100), 950);
}
END_TEST

START_TEST(delay_of_the_user_moves_messages_that_are_faster)
{
    struct mpl_clc_options o = mpl_clc_defaults();
    struct clc_case c;

    t = trace_create(arena, 2, 1);
    send(0, 1, 1000);
    recv(1, 0, 900, 1005);
    o.mu_s = 20e-9;
    c = repair_as(&o);
    ck_assert(clc_case_is_clean(&c.before));
    ck_assert_int_eq(shift_at(&c, 1, 1005), 15);
}
END_TEST

START_TEST(messages_that_take_no_time_stay_as_they_are)
{
    struct clc_case c;

    t = trace_create(arena, 3, 1);
    send(0, 1, 1000);
    recv(1, 0, 900, 1000);
    send(0, 2, 5000);
    recv(2, 0, 4000, 4990);
    c = repair_as(NULL);
    ck_assert_int_eq(shift_at(&c, 1, 1000), 0);
    ck_assert_int_eq(shift_at(&c, 2, 4990), 11);
}
END_TEST

START_TEST(switched_off_repair_leaves_violations)
{
    struct mpl_clc_options o = mpl_clc_defaults();
    struct clc_case c;
    struct mpl_err err = { 0 };

    t = trace_create(arena, 2, 1);
    send(0, 1, 1000);
    recv(1, 0, 900, 990);
    o.is_off = true;
    c = make_case();
    ck_assert_int_eq(mpl_clc_repair(c.view, c.model, &o, NULL, arena, &c.clc, &err),
                     MPL_OK);
    ck_assert_uint_eq(c.clc->n_passes, 0);
    ck_assert_int_eq(shift_at(&c, 1, 990), 0);
}
END_TEST

/* ---- collectives and threads ---------------------------------------------------------------------- */

static void coll(uint32_t location, int64_t enter, int64_t leave, enum mpl_coll_op op,
                 uint32_t root)
{
    (void) trace_coll(t, location, enter, leave, 0, op, root);
}

START_TEST(nobody_leaves_a_barrier_before_the_last_has_entered)
{
    struct clc_case c;

    t = trace_create(arena, 3, 1);
    coll(0, 100, 190, MPL_COLL_BARRIER, MPL_NONE);
    coll(1, 1000, 1100, MPL_COLL_BARRIER, MPL_NONE);
    coll(2, 500, 1200, MPL_COLL_BARRIER, MPL_NONE);
    c = repair_forward();
    ck_assert_uint_eq(c.before.collective, 1);
    /* The shortest two stays, 90 and 100, are a round trip. */
    ck_assert_int_eq(c.clc->mu_ticks[MPL_CLC_COLLECTIVE], 95);
    ck_assert_int_eq(shift_at(&c, 0, 190), 1095 - 190);
    ck_assert_int_eq(shift_at(&c, 1, 1100), 0);
    ck_assert_int_eq(shift_at(&c, 2, 1200), 0);
}
END_TEST

START_TEST(scan_needs_lower_ranks_only)
{
    struct clc_case c;

    t = trace_create(arena, 3, 1);
    coll(0, 100, 200, MPL_COLL_SCAN, MPL_NONE);
    coll(1, 500, 510, MPL_COLL_SCAN, MPL_NONE);
    coll(2, 300, 400, MPL_COLL_SCAN, MPL_NONE);
    coll(0, 1009000, 1009100, MPL_COLL_EXSCAN, MPL_NONE);
    coll(1, 1008000, 1008010, MPL_COLL_EXSCAN, MPL_NONE);
    coll(2, 1009900, 1009990, MPL_COLL_EXSCAN, MPL_NONE);
    c = repair_forward();
    ck_assert_int_eq(shift_at(&c, 0, 200), 0);
    ck_assert_int_eq(shift_at(&c, 1, 510), 0);
    ck_assert_int_gt(shift_at(&c, 2, 400), 100);
    ck_assert_int_eq(shift_at(&c, 0, 1009100), 0);
    ck_assert_int_gt(shift_at(&c, 1, 1008010), 990);
    ck_assert_int_eq(shift_at(&c, 2, 1009990), 0);
}
END_TEST

START_TEST(root_decides_who_waits_for_whom)
{
    struct clc_case c;

    t = trace_create(arena, 3, 1);
    coll(0, 100, 200, MPL_COLL_BCAST, 1);
    coll(1, 500, 510, MPL_COLL_BCAST, 1);
    coll(2, 900, 1000, MPL_COLL_BCAST, 1);
    coll(0, 5000, 5050, MPL_COLL_REDUCE, 2);
    coll(1, 7000, 7100, MPL_COLL_REDUCE, 2);
    coll(2, 4000, 4100, MPL_COLL_REDUCE, 2);
    c = repair_forward();
    ck_assert_int_gt(shift_at(&c, 0, 200), 300);
    ck_assert_int_eq(shift_at(&c, 1, 510), 0);
    ck_assert_int_eq(shift_at(&c, 2, 1000), 0);
    ck_assert_int_eq(shift_at(&c, 1, 7100), 0);
    ck_assert_int_gt(shift_at(&c, 2, 4100), 2900);
}
END_TEST

START_TEST(whoever_has_nothing_to_send_holds_nobody_up)
{
    struct clc_case c;
    uint32_t part;

    t = trace_create(arena, 3, 1);
    coll(0, 100, 200, MPL_COLL_ALLGATHERV, MPL_NONE);
    part = trace_coll(t, 1, 5000, 5100, 0, MPL_COLL_ALLGATHERV, MPL_NONE);
    trace_set_coll_bytes(t, 1, part, 0, 16);
    coll(2, 300, 400, MPL_COLL_ALLGATHERV, MPL_NONE);
    c = repair_forward();
    ck_assert_int_gt(shift_at(&c, 0, 200), 100);
    ck_assert_int_lt(shift_at(&c, 0, 200), 1000);
    ck_assert_int_eq(shift_at(&c, 2, 400), 0);
}
END_TEST

/* What an own enter is shifted by is no reason to stretch the time to the leave. */
START_TEST(own_enter_does_not_delay_a_leave)
{
    struct clc_case c;

    t = trace_create(arena, 3, 1);
    send(0, 1, 10000);
    recv(1, 0, 4000, 5000);
    coll(0, 10100, 10900, MPL_COLL_BARRIER, MPL_NONE);
    coll(1, 5100, 5101, MPL_COLL_BARRIER, MPL_NONE);
    coll(2, 5000, 5090, MPL_COLL_BARRIER, MPL_NONE);
    c = repair_as(NULL);
    ck_assert(clc_case_is_clean(&c.after));
    ck_assert_int_le(shift_at(&c, 1, 5101), 10100 - 5101 + c.clc->mu_ticks[2]);
}
END_TEST

/* ---- backward --------------------------------------------------------------------------------------- */

START_TEST(sends_before_a_jump_do_not_pass_their_receives)
{
    struct clc_case c;

    t = trace_create(arena, 3, 1);
    mark(1, 100);
    send(1, 2, 50000);
    recv(2, 1, 100, 50020);
    mark(1, 52000);
    send(1, 2, 54000);
    recv(2, 1, 51000, 54120);
    mark(1, 57000);
    recv(1, 0, 58000, 60000);
    send(0, 1, 60980);
    c = repair_as(NULL);
    ck_assert_int_eq(c.clc->mu_ticks[MPL_CLC_P2P_BETWEEN], 20);
    ck_assert_int_eq(shift_at(&c, 1, 60000), 1000);
    ck_assert_int_eq(shift_at(&c, 1, 100), 0);
    /* The caps, and straight lines between them and the jump. */
    ck_assert_int_eq(shift_at(&c, 1, 50000), 0);
    ck_assert_int_eq(shift_at(&c, 1, 54000), 100);
    ck_assert_int_ge(shift_at(&c, 1, 52000), 49);
    ck_assert_int_le(shift_at(&c, 1, 52000), 51);
    ck_assert_int_ge(shift_at(&c, 1, 57000), 549);
    ck_assert_int_le(shift_at(&c, 1, 57000), 551);
    ck_assert_int_eq(c.clc->location_max_ticks[2], 0);
}
END_TEST

START_TEST(enters_before_a_jump_do_not_pass_the_leaves_of_others)
{
    struct mpl_clc_options o = mpl_clc_defaults();
    struct clc_case c;

    t = trace_create(arena, 3, 1);
    coll(0, 4900, 5100, MPL_COLL_BARRIER, MPL_NONE);
    coll(1, 5000, 5300, MPL_COLL_BARRIER, MPL_NONE);
    coll(2, 4900, 5140, MPL_COLL_BARRIER, MPL_NONE);
    send(0, 1, 7000);
    recv(1, 0, 5350, 6000);
    o.mu_s = 1e-9;
    c = repair_as(&o);
    ck_assert_int_eq(shift_at(&c, 1, 6000), 1001);
    ck_assert_int_eq(shift_at(&c, 1, 5000), 99);
    ck_assert_int_gt(shift_at(&c, 1, 5300), 99);
}
END_TEST

START_TEST(lower_jumps_lie_under_the_ramp_to_a_higher_one)
{
    struct clc_case c;

    t = trace_create(arena, 2, 1);
    send(0, 1, 10100);
    send(0, 1, 12000);
    recv(1, 0, 9000, 10000);
    recv(1, 0, 10500, 11000);
    c = repair_as(NULL);
    ck_assert_int_eq(shift_at(&c, 1, 11000), 1001);
    ck_assert_int_eq(shift_at(&c, 1, 10000), 1001 - 20);
    ck_assert_int_eq(shift_at(&c, 1, 9000), 1001 - 40);
}
END_TEST

/* ---- strings ------------------------------------------------------------------------------------------ */

static uint64_t state;

static int64_t draw(int64_t n)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int64_t) ((state >> 33) % (uint64_t) n);
}

enum { MOST_GATES = 40 };

static uint32_t draw_gates(struct mpl_clc_gate *gate, int64_t *x)
{
    const uint32_t n = (uint32_t) draw(MOST_GATES);

    for (uint32_t i = 0; i < n; i++) {
        const int64_t floor = draw(100);

        *x += 1 + draw(30);
        gate[i].x_ticks = *x;
        gate[i].floor_ticks = draw(3) == 0 ? floor : MPL_CLC_NEVER;
        gate[i].ceiling_ticks = draw(2) == 0 ? floor + draw(50) : INT64_MAX;
    }
    *x += 1 + draw(30);
    return n;
}

/* A string is taut if it bends up at ceilings only, and down at floors only. */
static void check_corner(const struct mpl_clc_string *s, uint32_t i,
                         const struct mpl_clc_gate *gate)
{
    const struct mpl_clc_corner a = s->corner[i - 1];
    const struct mpl_clc_corner b = s->corner[i];
    const struct mpl_clc_corner c = s->corner[i + 1];
    const int64_t bend = (c.y_ticks - b.y_ticks) * (b.x_ticks - a.x_ticks) -
                         (b.y_ticks - a.y_ticks) * (c.x_ticks - b.x_ticks);

    ck_assert_int_eq(gate->x_ticks, b.x_ticks);
    if (bend > 0) {
        ck_assert_int_eq(b.y_ticks, gate->ceiling_ticks);
    } else if (bend < 0) {
        ck_assert_int_eq(b.y_ticks, gate->floor_ticks);
    }
}

static void check_string(const struct mpl_clc_string *s, const struct mpl_clc_gate *gate,
                         uint32_t n)
{
    uint32_t corner = 0;

    for (uint32_t i = 0; i < n; i++) {
        while (s->corner[corner + 1].x_ticks <= gate[i].x_ticks) {
            corner++;
            check_corner(s, corner, &gate[i]);
        }

        const int64_t height = mpl_clc_string_height(s, corner, gate[i].x_ticks);

        ck_assert_msg(gate[i].floor_ticks <= height, "seed %" PRIu64, state);
        ck_assert_msg(height <= gate[i].ceiling_ticks, "seed %" PRIu64, state);
    }
    ck_assert_uint_eq(corner + 2, s->n);
}

START_TEST(string_is_taut)
{
    struct mpl_clc_gate gate[MOST_GATES];
    struct mpl_clc_corner room[3][MOST_GATES + 2];
    struct mpl_clc_string s = { room[0], room[1], room[2], 0 };

    state = (uint64_t) _i;

    const struct mpl_clc_corner begin = { draw(100), draw(100) };
    int64_t x = begin.x_ticks;
    const uint32_t n = draw_gates(gate, &x);
    const struct mpl_clc_corner end = { x, draw(100) };

    mpl_clc_string_pull(&s, begin, gate, n, end);
    ck_assert_int_eq(s.corner[0].y_ticks, begin.y_ticks);
    ck_assert_int_eq(s.corner[s.n - 1].x_ticks, end.x_ticks);
    ck_assert_int_eq(s.corner[s.n - 1].y_ticks, end.y_ticks);
    check_string(&s, gate, n);
}
END_TEST

/* ---- the control of gamma ------------------------------------------------------------------------------- */

/* Two clocks run against each other for ever, up and down by 300 us in 100 ms; the processes
 * exchange a message both ways every 200 us. */
static int64_t swing(int64_t now)
{
    const int64_t phase = now % 100000000;
    const int64_t way = phase < 50000000 ? phase : 100000000 - phase;

    return way * 600000 / 50000000 - 300000;
}

static void make_swinging_clocks(int64_t n_steps)
{
    t = trace_create(arena, 2, 1);
    for (int64_t i = 1; i <= n_steps; i++) {
        const int64_t now = i * 200000;

        for (uint32_t p = 0; p < 2; p++) {
            const int64_t here = now + (p == 0 ? swing(now) : -swing(now)) + 300000;

            send(p, 1 - p, here);
            recv(p, 1 - p, here + 100, here + 6000);
        }
    }
}

START_TEST(swinging_clocks_need_a_smaller_gamma)
{
    struct mpl_clc_options one = mpl_clc_defaults();
    struct clc_case c;
    int64_t worst;

    make_swinging_clocks(5000);
    c = make_case();
    worst = c.before.worst_ticks;
    ck_assert_int_gt(worst, 590000);
    one.max_passes = 1;
    clc_case_repair(&c, &one, arena);
    /* Each swing drives both clocks on: ten of them in this second. */
    ck_assert(!c.clc->is_within_error);
    ck_assert_int_gt(c.clc->max_shift_ticks, 5 * worst);
    clc_case_reset(&c);
    clc_case_repair(&c, NULL, arena);
    ck_assert(c.clc->is_within_error);
    ck_assert_uint_gt(c.clc->n_passes, 1);
    ck_assert_double_lt(c.clc->gamma, 0.99);
    ck_assert_int_le(c.clc->max_shift_ticks, worst + worst / 10 + 10);
}
END_TEST

START_TEST(violations_that_add_up_are_no_reason_to_shrink_intervals)
{
    struct clc_case c;

    t = trace_create(arena, 4, 1);
    for (uint32_t p = 0; p < 3; p++) {
        const int64_t now = 100000 - (int64_t) p * 8900;

        send(p, p + 1, now);
        recv(p + 1, p, now - 9500, now - 9000);
    }
    c = repair_as(NULL);
    /* Each is reversed by 9000, and answered 100 later: the last receive is 27,000 early. */
    ck_assert_int_eq(c.before.worst_ticks, 9000);
    ck_assert_int_gt(c.clc->max_shift_ticks, 26000);
    ck_assert(c.clc->is_within_error);
    ck_assert_double_ge(c.clc->gamma, 0.998);
}
END_TEST

START_TEST(error_of_the_user_is_reported_when_it_cannot_be_kept)
{
    struct mpl_clc_options o = mpl_clc_defaults();
    struct clc_case c;

    t = trace_create(arena, 2, 1);
    send(0, 1, 100000);
    recv(1, 0, 100, 50000);
    o.error_s = 1e-6;
    c = repair_as(&o);
    ck_assert(!c.clc->is_within_error);
    ck_assert_int_eq(c.clc->error_ticks, 1000);
    ck_assert_int_eq(c.clc->max_shift_ticks, 50001);
}
END_TEST

/* ---- bad input ------------------------------------------------------------------------------------------ */

START_TEST(circle_is_broken_at_its_earliest_receive)
{
    struct clc_case c;

    t = trace_create(arena, 3, 1);
    recv(0, 1, 50, 100);
    send(0, 1, 2000);
    recv(1, 0, 50, 150);
    send(1, 0, 300);
    send(2, 0, 900);
    recv(0, 2, 2100, 2200);
    c = repair_as(NULL);
    ck_assert_uint_eq(c.clc->n_ignored, 1);
    ck_assert_int_eq(shift_at(&c, 0, 100), 0);
    ck_assert_int_gt(shift_at(&c, 1, 150), 1850);
    ck_assert_uint_eq(note_count(c.model, "clock-contradiction"), 1);
}
END_TEST

START_TEST(many_circles_are_broken_one_by_one)
{
    struct clc_case c;

    t = trace_create(arena, 7, 1);
    for (int64_t i = 0; i < 100; i++) {
        for (uint32_t p = 0; p < 7; p++) {
            recv(p, (p + 6) % 7, 1000 * i + 10 * p, 1000 * i + 10 * p + 5);
        }
        for (uint32_t p = 0; p < 7; p++) {
            send(p, (p + 1) % 7, 1000 * i + 500 + 3 * p);
        }
    }
    c = repair_as(NULL);
    ck_assert_uint_ge(c.clc->n_ignored, 100);
    ck_assert_uint_lt(c.clc->n_ignored, 700);
}
END_TEST

START_TEST(receive_before_its_own_send_is_ignored)
{
    struct clc_case c;

    t = trace_create(arena, 1, 1);
    recv(0, 0, 50, 100);
    send(0, 0, 2000);
    c = repair_as(NULL);
    ck_assert_uint_eq(c.clc->n_ignored, 1);
    ck_assert_uint_eq(c.clc->n_moved, 0);
}
END_TEST

START_TEST(times_beyond_all_sense_are_left_alone)
{
    struct clc_case c;
    struct mpl_err err = { 0 };

    t = trace_create(arena, 2, 1);
    send(0, 1, INT64_MAX - 10);
    recv(1, 0, 50, 100);
    c = make_case();
    ck_assert_int_eq(mpl_clc_repair(c.view, c.model, NULL, NULL, arena, &c.clc, &err),
                     MPL_OK);
    ck_assert_uint_eq(c.clc->n_moved, 0);
}
END_TEST

START_TEST(options_without_sense_do_no_harm)
{
    const double odd[] = { 0, -1, 1e300, -1e300, 0.0 / 0.0, 1e-300 };
    enum { N_ODD = sizeof odd / sizeof odd[0] };
    struct mpl_clc_options o = mpl_clc_defaults();
    struct clc_case c;
    struct mpl_err err = { 0 };

    make_swinging_clocks(20);
    c = make_case();
    state = 1;
    for (int i = 0; i < 300; i++) {
        o.gamma = odd[draw(N_ODD)];
        o.delta_s = odd[draw(N_ODD)];
        o.mu_s = odd[draw(N_ODD)];
        o.amortization = odd[draw(N_ODD)];
        o.error_s = odd[draw(N_ODD)];
        o.max_passes = (uint32_t) draw(3);
        ck_assert_int_eq(mpl_clc_repair(c.view, c.model, &o, NULL, arena, &c.clc, &err),
                         MPL_OK);
        mpl_model_check(c.model);
        clc_case_reset(&c);
    }
}
END_TEST

START_TEST(events_without_any_partner_stay)
{
    struct clc_case c;

    t = trace_create(arena, 3, 1);
    mark(0, 100);
    send(0, 1, 1000);
    recv(1, 0, 100, 900);
    c = repair_as(NULL);
    ck_assert_int_eq(shift_at(&c, 0, 100), 0);
    ck_assert_int_eq(c.clc->location_end_ticks[2], 0);
    ck_assert_int_eq(c.clc->location_end_ticks[1], 101);
}
END_TEST

struct news {
    uint64_t n;
    uint64_t done;
    uint64_t total;
};

static void take_news(void *context, const char *what, uint64_t done, uint64_t total)
{
    struct news *news = context;

    ck_assert_str_eq(what, "repairing clocks");
    ck_assert_uint_le(done, total);
    news->n++;
    news->done = done;
    news->total = total;
}

START_TEST(progress_is_told_up_to_the_end)
{
    struct news news = { 0 };
    const struct mpl_progress progress = { take_news, &news };
    struct clc_case c;
    struct mpl_err err = { 0 };

    make_swinging_clocks(100);
    c = make_case();
    ck_assert_int_eq(mpl_clc_repair(c.view, c.model, NULL, &progress, arena, &c.clc, &err),
                     MPL_OK);
    ck_assert_uint_gt(news.n, 0);
    ck_assert_uint_eq(news.done, news.total);
}
END_TEST

static void make_some_of_everything(void)
{
    t = trace_create(arena, 4, 1);
    for (uint32_t p = 0; p < 4; p++) {
        const int64_t now = 1000 * (int64_t) p;

        coll(p, now + 100, now + 150, MPL_COLL_BARRIER, MPL_NONE);
        coll(p, now + 200, now + 300, MPL_COLL_SCAN, MPL_NONE);
        coll(p, now + 310, now + 400, MPL_COLL_ALLTOALLV, MPL_NONE);
        send(p, (p + 1) % 4, now + 500);
        recv(p, (p + 3) % 4, now + 510, now + 550);
        (void) trace_send(t, p, now + 600, now + 700, "MPI_Ssend", at((p + 1) % 4), 8);
        recv(p, (p + 3) % 4, now + 710, now + 750);
    }
}

START_TEST(running_out_of_memory_is_told_at_every_step)
{
    struct clc_case c;
    long n = 0;

    make_some_of_everything();
    c = make_case();
    ck_assert(!clc_case_is_clean(&c.before));
    for (;; n++) {
        struct mpl_arena *result = mpl_arena_create();
        const struct mpl_clc *clc = NULL;
        struct mpl_err err = { 0 };

        mpl_alloc_fail_after(n);

        const enum mpl_status st =
            mpl_clc_repair(c.view, c.model, NULL, NULL, result, &clc, &err);

        mpl_alloc_fail_after(-1);
        clc_case_reset(&c);
        mpl_arena_destroy(result);
        if (st == MPL_OK) {
            break;
        }
        ck_assert_int_eq(st, MPL_E_NOMEM);
        ck_assert_int_eq(err.code, MPL_E_NOMEM);
        ck_assert_ptr_null(clc);
    }
    ck_assert_int_gt(n, 25);
}
END_TEST

static TCase *make_forward(void)
{
    TCase *c = tcase_create("forward");

    tcase_add_checked_fixture(c, set_up, tear_down);
    tcase_add_test(c, reversed_message_moves_its_receive_and_the_shift_falls_back);
    tcase_add_test(c, short_intervals_keep_delta_while_a_shift_falls_back);
    tcase_add_test(c, shift_travels_with_messages_as_far_as_they_need_it);
    tcase_add_test(c, delay_is_no_longer_than_half_a_round_trip);
    tcase_add_test(c, delay_of_the_user_moves_messages_that_are_faster);
    tcase_add_test(c, messages_that_take_no_time_stay_as_they_are);
    tcase_add_test(c, switched_off_repair_leaves_violations);
    tcase_add_test(c, nobody_leaves_a_barrier_before_the_last_has_entered);
    tcase_add_test(c, scan_needs_lower_ranks_only);
    tcase_add_test(c, root_decides_who_waits_for_whom);
    tcase_add_test(c, whoever_has_nothing_to_send_holds_nobody_up);
    tcase_add_test(c, own_enter_does_not_delay_a_leave);
    return c;
}

static TCase *make_backward(void)
{
    TCase *c = tcase_create("backward");

    tcase_add_checked_fixture(c, set_up, tear_down);
    tcase_add_test(c, sends_before_a_jump_do_not_pass_their_receives);
    tcase_add_test(c, enters_before_a_jump_do_not_pass_the_leaves_of_others);
    tcase_add_test(c, lower_jumps_lie_under_the_ramp_to_a_higher_one);
    tcase_add_loop_test(c, string_is_taut, 0, 2000);
    return c;
}

static TCase *make_control(void)
{
    TCase *c = tcase_create("control");

    tcase_add_checked_fixture(c, set_up, tear_down);
    tcase_set_timeout(c, 60);
    tcase_add_test(c, swinging_clocks_need_a_smaller_gamma);
    tcase_add_test(c, violations_that_add_up_are_no_reason_to_shrink_intervals);
    tcase_add_test(c, error_of_the_user_is_reported_when_it_cannot_be_kept);
    return c;
}

static TCase *make_bad_input(void)
{
    TCase *c = tcase_create("bad input");

    tcase_add_checked_fixture(c, set_up, tear_down);
    tcase_set_timeout(c, 60);
    tcase_add_test(c, circle_is_broken_at_its_earliest_receive);
    tcase_add_test(c, many_circles_are_broken_one_by_one);
    tcase_add_test(c, receive_before_its_own_send_is_ignored);
    tcase_add_test(c, times_beyond_all_sense_are_left_alone);
    tcase_add_test(c, options_without_sense_do_no_harm);
    tcase_add_test(c, events_without_any_partner_stay);
    tcase_add_test(c, progress_is_told_up_to_the_end);
    tcase_add_test(c, running_out_of_memory_is_told_at_every_step);
    return c;
}

int main(void)
{
    Suite *suite = suite_create("clc");
    SRunner *runner;
    int n_failed;

    suite_add_tcase(suite, make_forward());
    suite_add_tcase(suite, make_backward());
    suite_add_tcase(suite, make_control());
    suite_add_tcase(suite, make_bad_input());
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    n_failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return n_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
