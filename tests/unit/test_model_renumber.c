/* Other ranks: the same model with other numbers, and back again. */
#include "config.h"

#include "../lib/suite.h"
#include "all_traces.h"
#include "read_fixture.h"

#include <check.h>
#include <string.h>

#include "events_of.h"

static struct mpl_model *read_text(void)
{
    static const char text[] =
        "rank 0: compute 0..50 send 50..52 to 1 tag 7 bcast 60..61 root 2 bytes 8\n"
        "rank 1: recv 0..53 from 0 tag 7 bcast 54..61 root 2 bytes 8\n"
        "rank 2: compute 0..58 bcast 58..60 root 2 bytes 8\n";

    return model_of_text(text, arena);
}

static void renumber(struct mpl_model *model, const struct mpl_rank_pair *pairs, size_t n)
{
    struct mpl_err err = { 0 };

    ck_assert_msg(mpl_model_renumber(model, pairs, n, arena, &err) == MPL_OK, "%s",
                  err.cause[0].text);
    mpl_model_check(model);
}

static void is_refused(const struct mpl_rank_pair *pairs, size_t n, const char *reason)
{
    struct mpl_err err = { 0 };

    ck_assert_int_eq(mpl_model_renumber(read_text(), pairs, n, arena, &err), MPL_E_USAGE);
    ck_assert_str_eq(err.cause[0].text, reason);
}

START_TEST(one_pair_swaps_two_ranks)
{
    const struct mpl_rank_pair swap[] = { { 0, 2 } };
    struct mpl_model *model = read_text();

    renumber(model, swap, 1);
    ck_assert_str_eq(model->locations[0].label, "0");
    ck_assert_uint_eq(model->locations[0].n_messages, 0);
    ck_assert_uint_eq(model->locations[2].envelopes[0].peer, 1);
    ck_assert_uint_eq(model->locations[1].envelopes[0].peer, 2);
    ck_assert_uint_eq(model->locations[1].collectives[0].root, 0);
    ck_assert_uint_eq(model->comms[model->world].members[0], 2);
}
END_TEST

START_TEST(a_chain_becomes_a_circle)
{
    const struct mpl_rank_pair chain[] = { { 0, 1 }, { 1, 2 } };
    const struct mpl_rank_pair back[] = { { 1, 0 }, { 2, 1 }, { 0, 2 } };
    struct mpl_model *model = read_text();
    const char *difference;

    renumber(model, chain, 2);
    ck_assert_uint_eq(model->locations[0].collectives[0].root, 0);
    renumber(model, back, 3);
    difference = fixture_difference(read_text(), model);
    ck_assert_msg(difference == NULL, "%s", difference);
}
END_TEST

START_TEST(nonsense_is_refused)
{
    const struct mpl_rank_pair beyond[] = { { 0, 3 } };
    const struct mpl_rank_pair twice[] = { { 0, 1 }, { 0, 2 } };
    const struct mpl_rank_pair taken[] = { { 0, 1 }, { 2, 1 } };

    is_refused(beyond, 1, "there is no rank 3: the base has ranks 0 to 2");
    is_refused(twice, 2, "rank 0 of the base cannot be rank 1 and rank 2 of the new run");
    is_refused(taken, 2, "rank 1 of the new run cannot be two ranks of the base");
}
END_TEST

/* Each rank becomes the next one, and back. */
static bool comes_back(const char *name, const char *path)
{
    struct mpl_model *model = NULL;
    struct mpl_model before;
    struct mpl_rank_pair *pairs;
    const char *difference;

    if (mpl_read(path, arena, NULL, &model, NULL) != MPL_OK) {
        return false;
    }
    before = *model;
    pairs = MPL_NEW_ARRAY(arena, model->n_processes, struct mpl_rank_pair);
    for (uint32_t p = 0; p < model->n_processes; p++) {
        pairs[p] = (struct mpl_rank_pair){ p, (p + 1) % model->n_processes };
    }
    renumber(model, pairs, model->n_processes);
    for (uint32_t p = 0; p < model->n_processes; p++) {
        pairs[p] = (struct mpl_rank_pair){ (p + 1) % model->n_processes, p };
    }
    renumber(model, pairs, model->n_processes);
    difference = fixture_difference(&before, model);
    ck_assert_msg(difference == NULL, "%s: %s", name, difference);
    ck_assert_uint_eq(mpl_quality_count(before.quality), mpl_quality_count(model->quality));
    return true;
}

START_TEST(real_traces_come_back)
{
    look_at_all_traces(comes_back, 40);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model_renumber");
    TCase *own = add_case(suite, "renumber", create_arena, destroy_arena);

    (void) fixture_scratch();
    tcase_set_timeout(own, 120);
    tcase_add_test(own, one_pair_swaps_two_ranks);
    tcase_add_test(own, a_chain_becomes_a_circle);
    tcase_add_test(own, nonsense_is_refused);
    if (traces_are_there("real traces with other ranks")) {
        tcase_add_test(own, real_traces_come_back);
    }
    return run_suite(suite);
}
