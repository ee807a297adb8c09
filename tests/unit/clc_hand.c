#include "config.h"

#include "clc_hand.h"

#include <check.h>

void hand_mark(uint32_t location, int64_t ticks)
{
    trace_record(t, location, ticks, MPL_EV_MARK);
}

void hand_send(uint32_t from, uint32_t receiver, int64_t ticks)
{
    (void) trace_send(t, from, ticks, ticks + 1, "MPI_Send", to(receiver), 8);
}

void hand_recv(uint32_t receiver, uint32_t from, int64_t enter, int64_t ticks)
{
    (void) trace_recv(t, receiver, enter, ticks, to(from), 8);
}

struct clc_case hand_case(void)
{
    struct mpl_model *model = trace_model(t);

    return clc_case_make(model, trace_match(model, arena), arena, "by hand");
}

struct clc_case hand_repair(const struct mpl_clc_options *options)
{
    struct clc_case c = hand_case();

    clc_case_repair(&c, options, arena);
    return c;
}

struct clc_case hand_repair_forward(void)
{
    struct mpl_clc_options o = mpl_clc_defaults();

    o.amortization = 0;
    return hand_repair(&o);
}

int64_t hand_shift(const struct clc_case *c, uint32_t location, int64_t ticks)
{
    uint32_t event = c->model->locations[location].n_events;

    while (event > 0 && c->before_ticks[location][event - 1] != ticks) {
        event--;
    }
    ck_assert_uint_gt(event, 0);
    return clc_case_shift(c, location, event - 1);
}

void hand_coll(uint32_t location, int64_t enter, int64_t leave, enum mpl_coll_op op,
               uint32_t root)
{
    (void) trace_coll(t, location, enter, leave, 0, op, root);
}

static int64_t swing(int64_t now)
{
    const int64_t phase = now % 100000000;
    const int64_t way = phase < 50000000 ? phase : 100000000 - phase;

    return way * 600000 / 50000000 - 300000;
}

void hand_swinging_clocks(int64_t n_steps)
{
    t = trace_create(arena, 2, 1);
    for (int64_t i = 1; i <= n_steps; i++) {
        const int64_t now = i * 200000;

        for (uint32_t p = 0; p < 2; p++) {
            const int64_t here = now + (p == 0 ? swing(now) : -swing(now)) + 300000;

            hand_send(p, 1 - p, here);
            hand_recv(p, 1 - p, here + 100, here + 6000);
        }
    }
}

static uint64_t state;

void hand_seed(uint64_t seed)
{
    state = seed;
}

int64_t hand_draw(int64_t n)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int64_t) ((state >> 33) % (uint64_t) n);
}
