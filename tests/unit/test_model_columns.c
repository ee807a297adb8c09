#include "config.h"

#include <check.h>
#include <stdlib.h>

#include "../lib/arena.h"
#include "../lib/columns.h"
#include "../lib/suite.h"
#include "model/model.h"

/* Plain arrays, which columns are compared with. */
enum { MOST = 1000 };

struct plain {
    uint32_t n;
    int64_t ticks[MOST];
    uint8_t kind[MOST];
    uint32_t ref[MOST];
};

static void add(struct plain *p, int64_t ticks, uint8_t kind, uint32_t ref)
{
    p->ticks[p->n] = ticks;
    p->kind[p->n] = kind;
    p->ref[p->n++] = ref;
}

static struct mpl_location columns_of(const struct plain *p)
{
    struct mpl_location loc = { 0 };

    ck_assert(mpl_location_set_events(&loc, p->n, p->ticks, p->kind, p->ref, arena));
    return loc;
}

static void assert_same(const struct mpl_location *loc, const struct plain *p)
{
    const int64_t *all = all_ticks(loc, arena);

    ck_assert_uint_eq(loc->n_events, p->n);
    for (uint32_t i = 0; i < p->n; i++) {
        ck_assert_int_eq(mpl_ticks_of(loc, i), p->ticks[i]);
        ck_assert_int_eq(all[i], p->ticks[i]);
        ck_assert_uint_eq(mpl_kind_of(loc, i), p->kind[i]);
        ck_assert_uint_eq(mpl_ref_of(loc, i), p->ref[i]);
    }
}

static size_t n_wide(const struct mpl_location *loc)
{
    return loc->times.wide->n / MPL_BLOCK_EVENTS;
}

/* Events a tick apart, of any number. */
static struct plain even(uint32_t n)
{
    struct plain p = { 0 };

    for (uint32_t i = 0; i < n; i++) {
        add(&p, i, i % 2 == 0 ? MPL_EV_ENTER : MPL_EV_LEAVE, i / 2);
    }
    return p;
}

START_TEST(blocks_may_be_partly_filled)
{
    static const uint32_t sizes[] = { 0, 1, 63, 64, 65, 127, 128, 129, MOST };
    const struct plain p = even(sizes[_i]);
    const struct mpl_location loc = columns_of(&p);

    assert_same(&loc, &p);
    ck_assert_uint_eq(n_wide(&loc), 0);
}
END_TEST

START_TEST(only_blocks_of_a_longer_span_are_wide)
{
    struct plain p = even(200);
    struct mpl_location loc;

    for (uint32_t i = 70; i < 200; i++) {
        p.ticks[i] += UINT32_MAX - 63; /* From 64 to 127 exactly what 32 bits hold. */
    }
    loc = columns_of(&p);
    assert_same(&loc, &p);
    ck_assert_uint_eq(n_wide(&loc), 0);
    for (uint32_t i = 127; i < 200; i++) {
        p.ticks[i]++;
    }
    loc = columns_of(&p);
    assert_same(&loc, &p);
    ck_assert_uint_eq(n_wide(&loc), 1);
}
END_TEST

START_TEST(times_may_descend_and_be_of_any_size)
{
    static const int64_t ticks[] = { 5, 3, INT64_MIN, INT64_MAX, -1, 0, INT64_MIN + 1 };
    struct plain p = { 0 };

    for (uint32_t i = 0; i < 300; i++) {
        add(&p, i < 100 ? 1000 - (int64_t) i : ticks[i % 7], MPL_EV_MARK, 0);
    }

    const struct mpl_location loc = columns_of(&p);

    assert_same(&loc, &p);
    ck_assert_uint_eq(n_wide(&loc), 4);
}
END_TEST

START_TEST(a_block_of_the_earliest_time_of_all_keeps_it)
{
    struct plain p = { 0 };

    for (uint32_t i = 0; i < 64; i++) {
        add(&p, INT64_MIN + _i, MPL_EV_MARK, 0);
    }

    struct mpl_location loc = columns_of(&p);

    assert_same(&loc, &p);
    put_all_ticks(&loc, p.ticks);
    assert_same(&loc, &p);
}
END_TEST

START_TEST(references_that_do_not_fit_stand_in_full)
{
    static const uint32_t locks[] = { 65534, 65535, 65536, MPL_NONE - 1, MPL_NONE, 7 };
    struct plain p = even(130);

    for (uint32_t i = 0; i < 6; i++) {
        p.kind[65 + i] = MPL_EV_LOCK;
        p.ref[65 + i] = locks[i];
    }

    const struct mpl_location loc = columns_of(&p);

    assert_same(&loc, &p);
    ck_assert_uint_eq(loc.column.blocks[0].wide, MPL_NONE);
    ck_assert_uint_ne(loc.column.blocks[1].wide, MPL_NONE);
}
END_TEST

START_TEST(messages_and_collectives_count_from_the_first_of_a_block)
{
    static const uint8_t kinds[] = {
        MPL_EV_SEND,       MPL_EV_COLL_BEGIN, MPL_EV_IRECV,
        MPL_EV_ISEND_DONE, MPL_EV_ENTER,      MPL_EV_COLL_END
    };
    struct plain p = { 0 };

    for (uint32_t i = 0; i < 600; i++) {
        const uint8_t kind = kinds[i % 6];
        const uint32_t each = kind == MPL_EV_ENTER ? 1 : kind == MPL_EV_IRECV ? 399 : 400;

        add(&p, i, kind, i % 60 == 3 ? MPL_NONE : i * each);
    }

    struct mpl_location loc = columns_of(&p);

    assert_same(&loc, &p);
    for (uint32_t b = 0; b < 10; b++) {
        ck_assert_uint_eq(loc.column.blocks[b].wide, MPL_NONE);
    }
    p.ref[100] = 110000; /* Too far from the messages before it. */
    p.kind[100] = MPL_EV_RECV;
    loc = columns_of(&p);
    assert_same(&loc, &p);
    ck_assert_uint_ne(loc.column.blocks[1].wide, MPL_NONE);
}
END_TEST

START_TEST(blocks_that_repeat_have_one_shape)
{
    struct plain p = { 0 };

    for (uint32_t i = 0; i < 320; i++) {
        const uint8_t kind = i % 4 == 0   ? MPL_EV_ENTER
                             : i % 4 == 3 ? MPL_EV_LEAVE
                                          : MPL_EV_SEND;

        add(&p, (int64_t) i * i, kind, kind == MPL_EV_SEND ? i / 4 * 2 + i % 4 - 1 : 7);
    }
    p.ref[4 * 64] = 8;

    const struct mpl_location loc = columns_of(&p);
    const struct mpl_event_block *blocks = loc.column.blocks;

    assert_same(&loc, &p);
    ck_assert_ptr_eq(blocks[1].shape, blocks[2].shape);
    ck_assert_ptr_eq(blocks[1].shape, blocks[3].shape);
    ck_assert_ptr_ne(blocks[1].shape, blocks[4].shape);
}
END_TEST

/* Also with fewer than a block has, and without any; _i: every how many-th is another one. */
START_TEST(messages_come_back_and_repeat_once)
{
    enum { N = 5 * MPL_BLOCK_MESSAGES + 3 };
    struct mpl_message all[N];
    struct mpl_location loc = { 0 };

    for (uint32_t i = 0; i < N; i++) {
        all[i] = (struct mpl_message){ .envelope = i % 4,
                                       .event = i % 8 == 5 ? MPL_NONE : 1000 + 3 * i,
                                       .post = i % 2 == 0
                                                   ? MPL_NONE
                                                   : 999 + 2 * (i % 16) + 3 * (i - i % 16),
                                       .bytes = 8 };
        if (_i > 0 && i % (uint32_t) _i == (uint32_t) _i - 1) {
            all[i].bytes = UINT64_MAX - i;
            all[i].event = MPL_NONE - 1;
            all[i].envelope = MPL_NONE;
        }
    }
    for (uint32_t n = 0; n <= N; n++) {
        ck_assert(mpl_location_set_messages(&loc, n, all, arena));
        ck_assert_uint_eq(loc.n_messages, n);
        for (uint32_t i = 0; i < n; i++) {
            const struct mpl_message m = mpl_message_get(&loc, i);

            ck_assert_mem_eq(&m, &all[i], sizeof m);
        }
    }
    for (uint32_t b = 1; b < 5; b++) {
        const bool is_same = loc.message_blocks[b].shape == loc.message_blocks[0].shape;

        ck_assert_int_eq(is_same, _i == 0);
    }
}
END_TEST

START_TEST(messages_without_memory)
{
    struct mpl_message all[20] = { { .event = 7 } };
    struct mpl_location loc = { 0 };
    long n = 0;

    do {
        mpl_alloc_fail_after(n++);
    } while (!mpl_location_set_messages(&loc, 20, all, arena));
    mpl_alloc_fail_after(-1);
    ck_assert_int_gt(n, 3);
    ck_assert_uint_eq(mpl_message_get(&loc, 0).event, 7);
}
END_TEST

START_TEST(the_next_record_of_a_kind_is_found)
{
    struct plain p = even(200);
    struct mpl_location loc;

    p.kind[63] = p.kind[64] = p.kind[199] = MPL_EV_OFF;
    p.ref[63] = p.ref[64] = p.ref[199] = 0;
    loc = columns_of(&p);
    for (uint32_t i = 0; i <= p.n; i++) {
        ck_assert_uint_eq(mpl_location_find(&loc, MPL_EV_OFF, i), i <= 63   ? 63
                                                                  : i <= 64 ? 64
                                                                  : i < 200 ? 199
                                                                            : 200);
        ck_assert_uint_eq(mpl_location_find(&loc, MPL_EV_ON, i), 200);
    }
    /* What fills the last block up is no record. */
    ck_assert_uint_eq(mpl_location_find(&loc, MPL_EV_ENTER, 199), 200);
}
END_TEST

/* Times that suit 32 bits, and such that do not, in either direction. */
static int64_t any_time(void)
{
    switch (rand() % 4) {
    case 0:
        return rand();
    case 1:
        return rand() - (INT64_C(1) << 40);
    case 2:
        return (int64_t) rand() << 26; /* The sum of all shifts stays within 64 bits. */
    default:
        return rand() % 1000;
    }
}

START_TEST(times_are_rewritten_as_in_a_plain_array)
{
    struct plain p = even(1 + (uint32_t) (_i * 37) % (MOST - 1));
    struct mpl_location loc = columns_of(&p);
    const struct plain before = p;
    struct mpl_location first_copy = loc;
    struct mpl_location copy = loc;

    srand((unsigned) _i);
    ck_assert(mpl_times_copy(&loc.times, p.n, arena, &first_copy.times));
    ck_assert(mpl_times_copy(&loc.times, p.n, arena, &copy.times));
    ck_assert_ptr_eq(copy.times.offset, loc.times.offset);
    for (uint32_t k = 0; k < 40; k++) {
        const uint32_t i = (uint32_t) rand() % p.n;
        const uint32_t first = i - i % MPL_BLOCK_EVENTS;
        const int64_t add_ticks = any_time();

        if (k % 3 == 0) {
            mpl_times_shift(&loc.times, first, p.n - first, add_ticks);
            for (uint32_t e = first; e < p.n; e++) {
                p.ticks[e] += add_ticks;
            }
        } else if (k % 3 == 1) {
            p.ticks[i] = any_time();
            put_ticks(&loc, i, p.ticks[i]);
        } else {
            for (uint32_t e = first; e < p.n; e++) {
                p.ticks[e] = k % 2 == 0 ? any_time() : (int64_t) e;
            }
            ck_assert(mpl_times_write(&loc.times, first, p.n - first, &p.ticks[first]));
        }
    }
    assert_same(&first_copy, &before);
    assert_same(&copy, &before);
    ck_assert(mpl_times_copy(&loc.times, p.n, arena, &copy.times));
    assert_same(&loc, &p);
    put_ticks(&loc, 0, 17);
    assert_same(&copy, &p);
}
END_TEST

/* Calls over the events of \p p, and where they are not as they mostly are. */
struct calls {
    uint32_t n;
    uint32_t enter[MOST];
    uint32_t leave[MOST];
    struct mpl_call_times times[MOST];
    int64_t base[MOST];
};

static void add_call(struct calls *c, const struct plain *p, uint32_t enter, uint32_t leave,
                     int64_t late_ticks)
{
    const uint32_t k = c->n++;
    const int64_t begin = p->ticks[enter] + late_ticks;
    int64_t *base = &c->base[k / MPL_CALLS_PER_BLOCK];

    *base = k % MPL_CALLS_PER_BLOCK == 0 ? begin : *base;
    c->enter[k] = enter;
    c->leave[k] = leave;
    c->times[k] = (struct mpl_call_times){ (uint32_t) (begin - *base),
                                           (uint32_t) (p->ticks[leave] - begin) };
}

/* Dense ones, one of \p odd of which begins with the record that ends the one before, is of one record, or begins late. */
static void draw_calls(struct calls *c, const struct plain *p, uint32_t odd)
{
    uint32_t at = 0;

    while (at + 8 < p->n) {
        const uint32_t kind = (uint32_t) rand() % odd;
        const uint32_t enter =
            kind == 0 && c->n > 0 ? c->leave[c->n - 1] : at + (uint32_t) rand() % 3;
        const uint32_t leave = kind == 1 ? enter : enter + 1 + (uint32_t) rand() % 4;

        add_call(c, p, enter, leave, kind == 2 && leave > enter ? 1 : 0);
        at = leave + 1;
    }
}

static bool share(struct mpl_location *loc, const struct calls *c)
{
    struct mpl_shared_ends at = { .is_plain = true };
    struct mpl_sharing sharing;

    if (!mpl_sharing_begin(&sharing, &loc->times, loc->n_events, c->n)) {
        return false;
    }
    for (uint32_t k = 0; k < c->n; k++) {
        const int64_t ticks = c->base[k / MPL_CALLS_PER_BLOCK] + c->times[k].begin_ticks;

        mpl_sharing_add(&sharing, &at, 2 * k, c->enter[k], ticks);
        mpl_sharing_add(&sharing, &at, 2 * k + 1, c->leave[k],
                        ticks + c->times[k].duration_ticks);
    }
    return mpl_sharing_end(&sharing, at, c->n, c->times, c->base);
}

/* \p gap_ticks: behind one event in hundred. */
static struct plain uneven(uint32_t n, int64_t gap_ticks)
{
    struct plain p = { 0 };
    int64_t ticks = -5000;

    for (uint32_t i = 0; i < n; i++) {
        ticks += 1 + rand() % 9 + (rand() % 100 == 0 ? gap_ticks : 0);
        add(&p, ticks, MPL_EV_MARK, 0);
    }
    return p;
}

START_TEST(calls_share_times_with_their_records)
{
    static struct calls c;
    struct plain p;
    struct mpl_location loc;

    srand((unsigned) _i);
    p = uneven(1 + (uint32_t) (_i * 37) % (MOST - 1),
               _i % 3 == 0 ? 1000 : INT64_C(1) << 33);
    c.n = 0;
    draw_calls(&c, &p, 40 + 1000 * (_i % 2));
    loc = columns_of(&p);

    const bool is_shared = share(&loc, &c);

    assert_same(&loc, &p);
    ck_assert(is_shared || c.n < 20 || _i % 6 != 3);
    ck_assert_int_eq(is_shared, loc.times.shared != NULL);
    if (is_shared) {
        ck_assert_mem_eq(loc.times.calls, c.times, c.n * sizeof *c.times);
        ck_assert(!share(&loc, &c));
    }
}
END_TEST

START_TEST(few_calls_or_a_copy_share_no_times)
{
    static struct calls c;
    const struct plain p = even(MOST);
    struct mpl_location loc = columns_of(&p);
    struct mpl_location copy = loc;

    c.n = 0;
    add_call(&c, &p, 100, 101, 0);
    ck_assert(!share(&loc, &c));
    c.n = 0;
    draw_calls(&c, &p, MOST);
    ck_assert(mpl_times_copy(&loc.times, p.n, arena, &copy.times));
    ck_assert(!share(&loc, &c));
    assert_same(&loc, &p);
    put_ticks(&loc, 0, 0); /* The copy shares nothing any more. */
    ck_assert(share(&loc, &c));
    assert_same(&loc, &p);
    assert_same(&copy, &p);
}
END_TEST

START_TEST(no_events_need_no_columns)
{
    struct mpl_times none = { 0 };
    struct mpl_times copy;

    ck_assert(mpl_times_copy(&none, 0, arena, &copy));
    ck_assert(mpl_times_write(&copy, 0, 0, NULL));
    mpl_times_shift(&copy, 0, 0, 5);
    mpl_times_read(&copy, 0, 0, NULL);
}
END_TEST

START_TEST(a_block_takes_wide_room_only_once)
{
    struct plain p = even(64);
    struct mpl_location loc = columns_of(&p);

    for (uint32_t i = 0; i < 100; i++) {
        put_ticks(&loc, 63, i % 2 == 0 ? INT64_C(1) << 50 : 63);
    }
    assert_same(&loc, &p);
    ck_assert_uint_eq(n_wide(&loc), 1);
}
END_TEST

START_TEST(an_event_that_was_added_may_get_another_time)
{
    struct mpl_event_writer w = mpl_event_writer_make();
    struct plain p = even(130);
    struct mpl_location loc = { 0 };

    ck_assert(mpl_event_writer_reserve(&w, 100));
    for (uint32_t i = 0; i < p.n; i++) {
        if (i == 100) {
            ck_assert(mpl_event_writer_reserve(&w, p.n));
        }
        mpl_event_writer_add(&w, p.ticks[i], p.kind[i], p.ref[i]);
    }
    p.ticks[129] = 1000;
    p.ticks[63] = INT64_C(1) << 40;
    for (uint32_t i = 63; i < 130; i += 66) {
        ck_assert_int_eq(mpl_times_get(&w.times, i), i);
        mpl_event_writer_set_ticks(&w, i, p.ticks[i]);
        ck_assert_int_eq(mpl_times_get(&w.times, i), p.ticks[i]);
    }
    ck_assert(mpl_event_writer_end(&w, arena, &loc));
    assert_same(&loc, &p);
    mpl_event_writer_free(&w);
}
END_TEST

START_TEST(missing_memory_is_told)
{
    struct plain p = even(70);

    p.ticks[69] = INT64_C(1) << 40;
    p.kind[5] = MPL_EV_FORK;
    p.ref[5] = 1000000;
    for (long n = 0;; n++) {
        struct mpl_location loc = { 0 };
        bool is_done;

        mpl_alloc_fail_after(n);
        is_done = mpl_location_set_events(&loc, p.n, p.ticks, p.kind, p.ref, arena);
        mpl_alloc_fail_after(-1);
        if (is_done) {
            ck_assert_int_gt(n, 8);
            assert_same(&loc, &p);
            mpl_alloc_fail_after(0);
            ck_assert(!mpl_times_set(&loc.times, p.n, 0, INT64_C(1) << 40));
            mpl_alloc_fail_after(-1);
            assert_same(&loc, &p);
            break;
        }
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("columns");
    TCase *c = add_case(suite, "columns", create_arena, destroy_arena);

    tcase_add_loop_test(c, blocks_may_be_partly_filled, 0, 9);
    tcase_add_test(c, only_blocks_of_a_longer_span_are_wide);
    tcase_add_test(c, times_may_descend_and_be_of_any_size);
    tcase_add_loop_test(c, a_block_of_the_earliest_time_of_all_keeps_it, 0, 3);
    tcase_add_test(c, references_that_do_not_fit_stand_in_full);
    tcase_add_test(c, messages_and_collectives_count_from_the_first_of_a_block);
    tcase_add_test(c, blocks_that_repeat_have_one_shape);
    tcase_add_test(c, the_next_record_of_a_kind_is_found);
    tcase_add_loop_test(c, messages_come_back_and_repeat_once, 0, 9);
    tcase_add_test(c, messages_without_memory);
    tcase_add_loop_test(c, times_are_rewritten_as_in_a_plain_array, 0, 50);
    tcase_add_loop_test(c, calls_share_times_with_their_records, 0, 200);
    tcase_add_test(c, few_calls_or_a_copy_share_no_times);
    tcase_add_test(c, no_events_need_no_columns);
    tcase_add_test(c, a_block_takes_wide_room_only_once);
    tcase_add_test(c, an_event_that_was_added_may_get_another_time);
    tcase_add_test(c, missing_memory_is_told);
    return run_suite(suite);
}
