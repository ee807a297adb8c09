/* What is built up before a jump, worked out by hand, and the strings it is made of. */
#include "config.h"

#include "clc/clc_priv.h"

#include "../lib/suite.h"
#include "clc_hand.h"

#include <check.h>
#include <inttypes.h>

/* ---- backward --------------------------------------------------------------------------------------- */

START_TEST(sends_before_a_jump_do_not_pass_their_receives)
{
    struct clc_case c;

    t = trace_create(arena, 3, 1);
    hand_mark(1, 100);
    hand_send(1, 2, 50000);
    hand_recv(2, 1, 100, 50020);
    hand_mark(1, 52000);
    hand_send(1, 2, 54000);
    hand_recv(2, 1, 51000, 54120);
    hand_mark(1, 57000);
    hand_recv(1, 0, 58000, 60000);
    hand_send(0, 1, 60980);
    c = hand_repair(NULL);
    ck_assert_int_eq(c.clc->mu_ticks[MPL_CLC_P2P_BETWEEN], 20);
    ck_assert_int_eq(hand_shift(&c, 1, 60000), 1000);
    ck_assert_int_eq(hand_shift(&c, 1, 100), 0);
    /* The caps, and straight lines between them and the jump. */
    ck_assert_int_eq(hand_shift(&c, 1, 50000), 0);
    ck_assert_int_eq(hand_shift(&c, 1, 54000), 100);
    ck_assert_int_ge(hand_shift(&c, 1, 52000), 49);
    ck_assert_int_le(hand_shift(&c, 1, 52000), 51);
    ck_assert_int_ge(hand_shift(&c, 1, 57000), 549);
    ck_assert_int_le(hand_shift(&c, 1, 57000), 551);
    ck_assert_int_eq(c.clc->location_max_ticks[2], 0);
}
END_TEST

START_TEST(enters_before_a_jump_do_not_pass_the_leaves_of_others)
{
    struct mpl_clc_options o = mpl_clc_defaults();
    struct clc_case c;

    t = trace_create(arena, 3, 1);
    hand_coll(0, 4900, 5100, MPL_COLL_BARRIER, MPL_NONE);
    hand_coll(1, 5000, 5300, MPL_COLL_BARRIER, MPL_NONE);
    hand_coll(2, 4900, 5140, MPL_COLL_BARRIER, MPL_NONE);
    hand_send(0, 1, 7000);
    hand_recv(1, 0, 5350, 6000);
    o.mu_s = 1e-9;
    c = hand_repair(&o);
    ck_assert_int_eq(hand_shift(&c, 1, 6000), 1001);
    ck_assert_int_eq(hand_shift(&c, 1, 5000), 99);
    ck_assert_int_gt(hand_shift(&c, 1, 5300), 99);
}
END_TEST

START_TEST(lower_jumps_lie_under_the_ramp_to_a_higher_one)
{
    struct clc_case c;

    t = trace_create(arena, 2, 1);
    hand_send(0, 1, 10100);
    hand_send(0, 1, 12000);
    hand_recv(1, 0, 9000, 10000);
    hand_recv(1, 0, 10500, 11000);
    c = hand_repair(NULL);
    ck_assert_int_eq(hand_shift(&c, 1, 11000), 1001);
    ck_assert_int_eq(hand_shift(&c, 1, 10000), 1001 - 20);
    ck_assert_int_eq(hand_shift(&c, 1, 9000), 1001 - 40);
}
END_TEST

/* No record that is known today has two roles that hold it up, so the net is made by hand: the
 * event at 1000 of location 2 needs those at 1100 of location 0 and at 1300 of location 1, and
 * that at 1301 of location 0 needs it. */
START_TEST(event_with_two_sinks_is_where_the_later_one_puts_it)
{
    static const int64_t ticks[3][2] = { { 1100, 1301 }, { 1300, 9000 }, { 900, 1000 } };
    struct mpl_location loc[3] = { 0 };
    struct mpl_net_point zero[2] = { { .event = 0, .flags = MPL_POINT_SOURCE },
                                     { .event = 1, .link = 2 } };
    struct mpl_net_point one[1] = { { .event = 0, .link = 1, .flags = MPL_POINT_SOURCE } };
    struct mpl_net_point two[3] = {
        { .event = 1, .link = 0 },
        { .event = 1, .link = 1 },
        { .event = 1, .link = 2, .flags = MPL_POINT_SOURCE },
    };
    struct mpl_clc_at at[3][3] = { 0 };
    struct mpl_clc_track track[3] = { { 2, zero, at[0], 2, &loc[0].times },
                                      { 1, one, at[1], 2, &loc[1].times },
                                      { 3, two, at[2], 2, &loc[2].times } };
    struct mpl_net_track order_track[3] = { { 2, zero }, { 1, one }, { 3, two } };
    struct mpl_net order = {
        .n_tracks = 3, .track = order_track, .n_points = 6, .n_pairs = 3
    };
    int64_t pair[3];
    struct mpl_clc_net net = { .order = &order,
                               .track = track,
                               .pair_ticks = pair,
                               .mu_ticks = { 5, 5, 5, 5 },
                               .delta_ticks = 1 };
    struct mpl_clc_pass pass = { .fall = { 0, 1 }, .limit_ticks = MPL_TICKS_FAR };
    struct mpl_clc clc = { 0 };
    const uint64_t slope = _i == 0 ? 0 : MPL_CLC_ONE / 2;
    int64_t most[3];
    int64_t end[3];

    for (int l = 0; l < 3; l++) {
        ck_assert(mpl_location_set_events(&loc[l], 2, ticks[l], (uint8_t[2]){ 0 },
                                          (uint32_t[2]){ 0 }, arena));
    }
    ck_assert_int_eq(mpl_clc_forward(&net, &pass, NULL, arena, NULL), MPL_OK);
    ck_assert_int_eq(
        mpl_clc_backward(&net, &pass.fall, slope, &clc, most, end, arena, NULL), MPL_OK);
    ck_assert_int_eq(mpl_ticks_of(&loc[2], 1), 1305);
    ck_assert_int_eq(mpl_ticks_of(&loc[2], 0), (_i == 0 ? 900 : 900 + 305 - 50));
    ck_assert_int_eq(mpl_ticks_of(&loc[0], 1), 1310);
    ck_assert_int_eq(most[2], 305);
}
END_TEST

/* ---- strings ------------------------------------------------------------------------------------------ */

enum { MOST_GATES = 40 };

static uint32_t draw_gates(struct mpl_clc_gate *gate, int64_t *x)
{
    const uint32_t n = (uint32_t) hand_draw(MOST_GATES);

    for (uint32_t i = 0; i < n; i++) {
        const int64_t floor = hand_draw(100);

        *x += 1 + hand_draw(30);
        gate[i].x_ticks = *x;
        gate[i].floor_ticks = hand_draw(3) == 0 ? floor : MPL_ORDER_NEVER;
        gate[i].ceiling_ticks = hand_draw(2) == 0 ? floor + hand_draw(50) : INT64_MAX;
    }
    *x += 1 + hand_draw(30);
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

        ck_assert_int_le(gate[i].floor_ticks, height);
        ck_assert_int_le(height, gate[i].ceiling_ticks);
    }
    ck_assert_uint_eq(corner + 2, s->n);
}

START_TEST(string_is_taut)
{
    struct mpl_clc_gate gate[MOST_GATES];
    struct mpl_clc_corner room[3][MOST_GATES + 2];
    struct mpl_clc_string s = { room[0], room[1], room[2], 0 };

    hand_seed((uint64_t) _i);

    const struct mpl_clc_corner begin = { hand_draw(100), hand_draw(100) };
    int64_t x = begin.x_ticks;
    const uint32_t n = draw_gates(gate, &x);
    const struct mpl_clc_corner end = { x, hand_draw(100) };

    mpl_clc_string_pull(&s, begin, gate, n, end);
    ck_assert_int_eq(s.corner[0].y_ticks, begin.y_ticks);
    ck_assert_int_eq(s.corner[s.n - 1].x_ticks, end.x_ticks);
    ck_assert_int_eq(s.corner[s.n - 1].y_ticks, end.y_ticks);
    check_string(&s, gate, n);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("clc_backward");
    TCase *c = add_case(suite, "clc_backward", set_up, tear_down);

    tcase_add_test(c, sends_before_a_jump_do_not_pass_their_receives);
    tcase_add_test(c, enters_before_a_jump_do_not_pass_the_leaves_of_others);
    tcase_add_test(c, lower_jumps_lie_under_the_ramp_to_a_higher_one);
    tcase_add_loop_test(c, event_with_two_sinks_is_where_the_later_one_puts_it, 0, 2);
    tcase_add_loop_test(c, string_is_taut, 0, 2000);
    return run_suite(suite);
}
