#include "config.h"

#include "../lib/suite.h"
#include "hand_trace.h"

#include <check.h>
#include <string.h>

static struct address address(uint32_t comm, uint32_t rank, uint32_t tag)
{
    return (struct address){ comm, rank, tag };
}

/* ---- messages ------------------------------------------------------------------------ */

START_TEST(messages_match_in_the_order_of_their_posting)
{
    t = trace_create(arena, 2, 1);
    (void) trace_send(t, 0, 1, 2, "MPI_Send", address(0, 1, 7), 1);
    (void) trace_send(t, 0, 3, 4, "MPI_Send", address(0, 1, 7), 2);
    (void) trace_recv(t, 1, 1, 5, address(0, 0, 7), 1);
    (void) trace_recv(t, 1, 6, 7, address(0, 0, 7), 2);

    const struct mpl_model *model = trace_model(t);
    const struct mpl_match *match = trace_match(model, arena);

    assert_partners(match, 1, 0, 0, 0);
    assert_partners(match, 1, 1, 0, 1);
    assert_partners(match, 0, 1, 1, 1);
    ck_assert_uint_eq(match->counts.pairs, 2);
    ck_assert_uint_eq(mpl_quality_count(model->quality), 0);
}
END_TEST

START_TEST(posting_order_counts_and_completion_order_does_not)
{
    t = trace_create(arena, 2, 1);
    (void) trace_send(t, 0, 1, 2, "MPI_Send", address(0, 1, 7), 1);
    (void) trace_send(t, 0, 3, 4, "MPI_Send", address(0, 1, 7), 2);

    const uint32_t first = trace_post(t, 1, 1);
    const uint32_t second = trace_post(t, 1, 2);

    trace_complete(t, 1, 3, 9, second, address(0, 0, 7), 2);
    trace_complete(t, 1, 10, 11, first, address(0, 0, 7), 1);

    const struct mpl_model *model = trace_model(t);
    const struct mpl_match *match = trace_match(model, arena);

    assert_partners(match, 1, first, 0, 0);
    assert_partners(match, 1, second, 0, 1);
}
END_TEST

START_TEST(tags_communicators_and_senders_are_kept_apart)
{
    t = trace_create(arena, 3, 1);

    const uint32_t members[] = { 1, 0 };
    const uint32_t comm = trace_comm(t, members, 2);
    const uint32_t in_world = trace_send(t, 0, 1, 2, "MPI_Send", address(0, 1, 7), 1);
    const uint32_t in_comm = trace_send(t, 0, 3, 4, "MPI_Send", address(comm, 0, 7), 1);
    const uint32_t other_tag = trace_send(t, 0, 5, 6, "MPI_Send", address(0, 1, 8), 1);

    (void) trace_send(t, 2, 1, 2, "MPI_Send", address(0, 1, 7), 1);
    (void) trace_recv(t, 1, 1, 10, address(0, 0, 8), 1);
    (void) trace_recv(t, 1, 11, 12, address(comm, 1, 7), 1);
    (void) trace_recv(t, 1, 13, 14, address(0, 2, 7), 1);
    (void) trace_recv(t, 1, 15, 16, address(0, 0, 7), 1);

    const struct mpl_model *model = trace_model(t);
    const struct mpl_match *match = trace_match(model, arena);

    assert_partners(match, 1, 0, 0, other_tag);
    assert_partners(match, 1, 1, 0, in_comm);
    assert_partners(match, 1, 2, 2, 0);
    assert_partners(match, 1, 3, 0, in_world);
}
END_TEST

START_TEST(message_to_oneself_matches)
{
    t = trace_create(arena, 1, 1);

    const uint32_t receive = trace_post(t, 0, 1);
    const uint32_t send = trace_send(t, 0, 2, 3, "MPI_Send", address(0, 0, 1), 4);
    const uint32_t to_self = trace_send(t, 0, 4, 5, "MPI_Send", address(1, 0, 1), 4);

    trace_complete(t, 0, 6, 7, receive, address(0, 0, 1), 4);
    (void) trace_recv(t, 0, 8, 9, address(1, 0, 1), 4);

    const struct mpl_model *model = trace_model(t);
    const struct mpl_match *match = trace_match(model, arena);

    assert_partners(match, 0, receive, 0, send);
    assert_partners(match, 0, to_self, 0, 3);
}
END_TEST

START_TEST(ends_without_partner_are_counted_and_located)
{
    t = trace_create(arena, 3, 1);
    trace_set_receive_completions(t, false);
    (void) trace_send(t, 0, 1, 2, "MPI_Send", address(0, 1, 7), 1);
    (void) trace_send(t, 0, 3, 4, "MPI_Send", address(0, 1, 7), 1);
    (void) trace_recv(t, 1, 1, 5, address(0, 0, 7), 1);
    (void) trace_recv(t, 2, 1, 5, address(0, 1, 7), 1);
    (void) trace_post(t, 2, 6);
    (void) trace_send(t, 2, 7, 8, "MPI_Send", address(0, MPL_NONE, 7), 1);
    (void) trace_send(t, 2, 9, 10, "MPI_Send", address(MPL_NONE, 1, 7), 1);

    const struct mpl_model *model = trace_model(t);
    const struct mpl_match *match = trace_match(model, arena);
    const struct mpl_quality_note *note =
        mpl_quality_find(model->quality, "unmatched-send");

    ck_assert_uint_eq(match->counts.pairs, 1);
    ck_assert_uint_eq(match->counts.unmatched_sends, 2);
    ck_assert_uint_eq(match->counts.unmatched_receives, 1);
    ck_assert_uint_eq(match->counts.open_receives, 1);
    ck_assert_uint_eq(match->counts.null_ends, 1);
    ck_assert_uint_eq(note->count, 2);
    ck_assert_uint_eq(note->n_locations, 2);
    ck_assert_uint_eq(note->locations[0], 0);
    ck_assert_uint_eq(note->locations[1], 2);
    ck_assert_uint_eq(note_count(model, "unmatched-receive"), 1);
    ck_assert_uint_eq(note_count(model, "open-receive"), 1);
    assert_unmatched(match, 0, 1);
}
END_TEST

START_TEST(garbage_is_counted_apart_and_matches_nothing)
{
    t = trace_create(arena, 2, 1);
    (void) trace_send(t, 0, 1, 2, "MPI_Send", address(0, 1, 7), 1);
    (void) trace_recv(t, 1, 1, 5, address(0, 1883211520, 7), UINT64_MAX);

    struct mpl_model *model = trace_model(t);
    struct mpl_envelope *envelope = (struct mpl_envelope *) model->locations[1].envelopes;

    envelope->is_garbage = true;

    const struct mpl_match *match = trace_match(model, arena);

    ck_assert_uint_eq(match->counts.garbage_ends, 1);
    ck_assert_uint_eq(match->counts.unmatched_receives, 0);
    ck_assert_uint_eq(match->counts.unmatched_sends, 1);
}
END_TEST

START_TEST(missing_completions_are_given_as_the_reason)
{
    t = trace_create(arena, 2, 1);
    trace_set_receive_completions(t, false);
    (void) trace_send(t, 0, 1, 2, "MPI_Send", address(0, 1, 7), 1);
    (void) trace_post(t, 1, 1);

    const struct mpl_model *model = trace_model(t);
    const struct mpl_match *match = trace_match(model, arena);
    const struct mpl_quality_note *note =
        mpl_quality_find(model->quality, "unmatched-send");

    ck_assert_uint_eq(match->counts.unmatched_sends, 1);
    ck_assert_ptr_nonnull(strstr(note->text, "receives have no completion record"));
}
END_TEST

/* A receive whose completion is lost has taken a message, but the trace does not say which. */
START_TEST(open_receive_takes_nothing)
{
    t = trace_create(arena, 2, 1);
    (void) trace_send(t, 0, 1, 2, "MPI_Send", address(0, 1, 7), 1);
    (void) trace_send(t, 0, 3, 4, "MPI_Send", address(0, 1, 7), 1);
    (void) trace_post(t, 1, 1);
    (void) trace_recv(t, 1, 2, 5, address(0, 0, 7), 1);

    const struct mpl_model *model = trace_model(t);
    const struct mpl_match *match = trace_match(model, arena);

    assert_partners(match, 1, 1, 0, 0);
    assert_unmatched(match, 1, 0);
}
END_TEST

START_TEST(threads_of_a_process_share_its_receives_in_order_of_time)
{
    t = trace_create(arena, 2, 2);
    /* Thread 1's clock counts from 100, so its event at 5 is the later one. */
    trace_set_base(t, 0, 1000);
    trace_set_base(t, 1, 1100);
    (void) trace_send(t, 1, 5, 6, "MPI_Send", address(0, 1, 7), 2);
    (void) trace_send(t, 0, 50, 60, "MPI_Send", address(0, 1, 7), 1);
    /* A receive is posted when its call is entered, also if another one ends before. */
    (void) trace_recv(t, 2, 10, 90, address(0, 0, 7), 1);
    (void) trace_recv(t, 3, 20, 80, address(0, 0, 7), 2);

    const struct mpl_model *model = trace_model(t);
    const struct mpl_match *match = trace_match(model, arena);

    assert_partners(match, 2, 0, 0, 0);
    assert_partners(match, 3, 0, 1, 0);
}
END_TEST

START_TEST(inter_communicator_matches_by_the_other_group)
{
    t = trace_create(arena, 4, 1);

    const uint32_t left[] = { 0, 1 };
    static const uint32_t right[] = { 3, 2 };
    const uint32_t comm = trace_comm(t, left, 2);

    (void) trace_send(t, 0, 1, 2, "MPI_Send", address(comm, 0, 7), 1);
    (void) trace_recv(t, 3, 1, 5, address(comm, 0, 7), 1);

    struct mpl_model *model = trace_model(t);
    struct mpl_comm *inter = (struct mpl_comm *) &model->comms[comm];
    struct mpl_envelope *send = (struct mpl_envelope *) model->locations[0].envelopes;
    struct mpl_envelope *receive = (struct mpl_envelope *) model->locations[3].envelopes;

    inter->n_remote = 2;
    inter->remote = right;
    send->peer = mpl_comm_peer(model, comm, 0, 0);
    receive->peer = mpl_comm_peer(model, comm, 3, 0);

    const struct mpl_match *match = trace_match(model, arena);

    assert_partners(match, 0, 0, 3, 0);
}
END_TEST

/* ---- unsure communicators ----------------------------------------------------------------- */

START_TEST(communicator_is_found_where_only_one_has_sends)
{
    t = trace_create(arena, 3, 1);

    const uint32_t members[] = { 2, 1 };
    const uint32_t comm = trace_comm(t, members, 2);

    /* Rank 0 of the communicator is process 2; the record says rank 0 of the world. */
    (void) trace_send(t, 2, 1, 2, "MPI_Send", address(comm, 1, 7), 9);

    const uint32_t receive = trace_post(t, 1, 1);

    trace_complete_unsure(t, 1, 2, 5, receive, address(comm, 0, 7), 9);

    const struct mpl_model *model = trace_model(t);
    const struct mpl_match *match = trace_match(model, arena);

    assert_partners(match, 1, receive, 2, 0);
    ck_assert_uint_eq(match->counts.guessed_comms, 1);
    ck_assert_uint_eq(note_count(model, "guessed-communicator"), 1);
    ck_assert_uint_eq(note_count(model, "ambiguous-communicator"), 0);
}
END_TEST

START_TEST(recorded_communicator_needs_no_guess)
{
    t = trace_create(arena, 2, 1);
    (void) trace_send(t, 0, 1, 2, "MPI_Send", address(0, 1, 7), 9);

    const uint32_t receive = trace_post(t, 1, 1);

    trace_complete_unsure(t, 1, 2, 5, receive, address(0, 0, 7), 9);

    const struct mpl_model *model = trace_model(t);
    const struct mpl_match *match = trace_match(model, arena);

    assert_partners(match, 1, receive, 0, 0);
    ck_assert_uint_eq(match->counts.guessed_comms, 0);
    ck_assert_uint_eq(mpl_quality_count(model->quality), 0);
}
END_TEST

START_TEST(sure_and_unsure_receives_of_a_stream_stay_in_posting_order)
{
    t = trace_create(arena, 2, 1);

    const uint32_t members[] = { 0, 1 };
    const uint32_t comm = trace_comm(t, members, 2);

    for (int i = 0; i < 3; i++) {
        (void) trace_send(t, 0, 2 * i, 2 * i + 1, "MPI_Send", address(comm, 1, 7), 4);
    }

    const uint32_t first = trace_post(t, 1, 1);
    const uint32_t second = trace_recv(t, 1, 2, 20, address(comm, 0, 7), 4);
    const uint32_t third = trace_post(t, 1, 21);

    trace_complete_unsure(t, 1, 22, 23, third, address(comm, 0, 7), 4);
    trace_complete_unsure(t, 1, 24, 25, first, address(comm, 0, 7), 4);

    const struct mpl_model *model = trace_model(t);
    const struct mpl_match *match = trace_match(model, arena);

    assert_partners(match, 1, first, 0, 0);
    assert_partners(match, 1, second, 0, 1);
    assert_partners(match, 1, third, 0, 2);
}
END_TEST

/* Two communicators have sends for the same rank and tag; one's are all taken by MPI_Recv. */
START_TEST(sends_that_sure_receives_take_are_no_candidates)
{
    t = trace_create(arena, 3, 1);

    const uint32_t members[] = { 2, 1 };
    const uint32_t comm = trace_comm(t, members, 2);

    (void) trace_send(t, 0, 1, 2, "MPI_Send", address(0, 1, 7), 4);
    (void) trace_send(t, 2, 1, 2, "MPI_Send", address(comm, 1, 7), 4);

    const uint32_t unsure = trace_post(t, 1, 1);
    const uint32_t sure = trace_recv(t, 1, 2, 5, address(0, 0, 7), 4);

    trace_complete_unsure(t, 1, 6, 7, unsure, address(comm, 0, 7), 4);

    const struct mpl_model *model = trace_model(t);
    const struct mpl_match *match = trace_match(model, arena);

    assert_partners(match, 1, unsure, 2, 0);
    assert_partners(match, 1, sure, 0, 0);
}
END_TEST

START_TEST(count_singles_out_a_communicator)
{
    t = trace_create(arena, 3, 1);

    const uint32_t members[] = { 2, 1 };
    const uint32_t comm = trace_comm(t, members, 2);

    /* Three sends in the world, which nobody received as far as the trace shows; two there. */
    for (int i = 0; i < 3; i++) {
        (void) trace_send(t, 0, 2 * i, 2 * i + 1, "MPI_Send", address(0, 1, 7), 4);
    }
    for (int i = 0; i < 2; i++) {
        (void) trace_send(t, 2, 2 * i, 2 * i + 1, "MPI_Send", address(comm, 1, 7), 4);
    }
    for (int i = 0; i < 2; i++) {
        const uint32_t receive = trace_post(t, 1, 10 * i);

        trace_complete_unsure(t, 1, 10 * i + 1, 10 * i + 2, receive, address(comm, 0, 7),
                              4);
    }

    const struct mpl_model *model = trace_model(t);
    const struct mpl_match *match = trace_match(model, arena);

    assert_partners(match, 1, 0, 2, 0);
    assert_partners(match, 1, 1, 2, 1);
}
END_TEST

START_TEST(sizes_tell_communicators_apart)
{
    t = trace_create(arena, 3, 1);

    const uint32_t members[] = { 2, 1 };
    const uint32_t comm = trace_comm(t, members, 2);
    const uint64_t bytes[] = { 8, 100, 100, 8 };

    (void) trace_send(t, 0, 1, 2, "MPI_Send", address(0, 1, 7), 8);
    (void) trace_send(t, 0, 3, 4, "MPI_Send", address(0, 1, 7), 8);
    (void) trace_send(t, 2, 1, 2, "MPI_Send", address(comm, 1, 7), 100);
    (void) trace_send(t, 2, 3, 4, "MPI_Send", address(comm, 1, 7), 100);
    for (int i = 0; i < 4; i++) {
        const uint32_t receive = trace_post(t, 1, 10 * i);

        trace_complete_unsure(t, 1, 10 * i + 1, 10 * i + 2, receive, address(0, 0, 7),
                              bytes[i]);
    }

    const struct mpl_model *model = trace_model(t);
    const struct mpl_match *match = trace_match(model, arena);

    assert_partners(match, 1, 0, 0, 0);
    assert_partners(match, 1, 1, 2, 0);
    assert_partners(match, 1, 2, 2, 1);
    assert_partners(match, 1, 3, 0, 1);
    ck_assert_uint_eq(note_count(model, "ambiguous-communicator"), 4);
    ck_assert_uint_eq(match->counts.guessed_comms, 4);
}
END_TEST

/* ---- collectives ------------------------------------------------------------------------------ */

START_TEST(collectives_match_by_communicator_and_sequence)
{
    t = trace_create(arena, 3, 1);

    const uint32_t members[] = { 2, 0 };
    const uint32_t comm = trace_comm(t, members, 2);

    for (uint32_t l = 0; l < 3; l++) {
        (void) trace_coll(t, l, 1, 2, 0, MPL_COLL_BARRIER, MPL_NONE);
        if (l != 1) {
            (void) trace_coll(t, l, 3, 4, comm, MPL_COLL_BCAST, 2);
        }
        (void) trace_coll(t, l, 5, 6, 0, MPL_COLL_ALLREDUCE, MPL_NONE);
    }

    const struct mpl_model *model = trace_model(t);
    const struct mpl_match *match = trace_match(model, arena);
    const struct mpl_coll_instance *in = match->instances;

    ck_assert_uint_eq(match->n_instances, 3);
    ck_assert_int_eq(in[0].op, MPL_COLL_BARRIER);
    ck_assert_int_eq(in[1].op, MPL_COLL_ALLREDUCE);
    ck_assert_int_eq(in[2].op, MPL_COLL_BCAST);
    ck_assert_uint_eq(in[2].root, 2);
    ck_assert_uint_eq(in[2].n_parts, 2);
    ck_assert(in[0].is_complete && in[1].is_complete && in[2].is_complete);
    /* By rank of the communicator: process 2 comes first. */
    ck_assert_uint_eq(match->parts[in[2].first_part].location, 2);
    ck_assert_uint_eq(match->parts[in[2].first_part + 1].location, 0);
    ck_assert_uint_eq(match->instance[1][1], 1);
    ck_assert_uint_eq(match->counts.incomplete_collectives, 0);
}
END_TEST

START_TEST(self_communicators_give_one_part_each)
{
    t = trace_create(arena, 2, 1);
    (void) trace_coll(t, 0, 1, 2, 1, MPL_COLL_BARRIER, MPL_NONE);
    (void) trace_coll(t, 1, 1, 2, 1, MPL_COLL_BARRIER, MPL_NONE);
    (void) trace_coll(t, 1, 3, 4, 1, MPL_COLL_BARRIER, MPL_NONE);

    const struct mpl_model *model = trace_model(t);
    const struct mpl_match *match = trace_match(model, arena);

    ck_assert_uint_eq(match->n_instances, 3);
    for (uint32_t i = 0; i < 3; i++) {
        ck_assert_uint_eq(match->instances[i].n_parts, 1);
        ck_assert(match->instances[i].is_complete);
    }
}
END_TEST

START_TEST(missing_part_leaves_a_collective_incomplete)
{
    t = trace_create(arena, 3, 1);
    (void) trace_coll(t, 0, 1, 2, 0, MPL_COLL_BARRIER, MPL_NONE);
    (void) trace_coll(t, 2, 1, 2, 0, MPL_COLL_BARRIER, MPL_NONE);

    const struct mpl_model *model = trace_model(t);
    const struct mpl_match *match = trace_match(model, arena);
    const struct mpl_quality_note *note =
        mpl_quality_find(model->quality, "unmatched-collective");

    ck_assert(!match->instances[0].is_complete);
    ck_assert_uint_eq(match->counts.incomplete_collectives, 1);
    ck_assert_uint_eq(note->count, 1);
    ck_assert_uint_eq(note->n_locations, 2);
}
END_TEST

START_TEST(different_operations_or_roots_are_a_mismatch)
{
    t = trace_create(arena, 2, 1);
    (void) trace_coll(t, 0, 1, 2, 0, MPL_COLL_BARRIER, MPL_NONE);
    (void) trace_coll(t, 1, 1, 2, 0, MPL_COLL_ALLREDUCE, MPL_NONE);
    (void) trace_coll(t, 0, 3, 4, 0, MPL_COLL_BCAST, 0);
    (void) trace_coll(t, 1, 3, 4, 0, MPL_COLL_BCAST, 1);
    (void) trace_coll(t, 0, 5, 6, 0, MPL_COLL_BCAST, MPL_NONE);
    (void) trace_coll(t, 1, 5, 6, 0, MPL_COLL_BCAST, 1);

    const struct mpl_model *model = trace_model(t);
    const struct mpl_match *match = trace_match(model, arena);

    ck_assert(!match->instances[0].is_complete);
    ck_assert(!match->instances[1].is_complete);
    ck_assert(match->instances[2].is_complete);
    ck_assert_uint_eq(match->instances[2].root, 1);
    ck_assert_uint_eq(note_count(model, "collective-mismatch"), 2);
}
END_TEST

START_TEST(collective_without_an_end_has_no_place_in_a_sequence)
{
    t = trace_create(arena, 2, 1);
    (void) trace_coll_begin(t, 0, 1);
    (void) trace_coll(t, 0, 3, 4, 0, MPL_COLL_BARRIER, MPL_NONE);
    (void) trace_coll(t, 1, 3, 4, 0, MPL_COLL_BARRIER, MPL_NONE);

    const struct mpl_model *model = trace_model(t);
    const struct mpl_match *match = trace_match(model, arena);

    ck_assert_uint_eq(match->instance[0][0], MPL_NONE);
    ck_assert_uint_eq(match->n_instances, 1);
    ck_assert(match->instances[0].is_complete);
    ck_assert_uint_eq(note_count(model, "open-collective"), 1);
}
END_TEST

START_TEST(collective_of_a_foreign_communicator_is_left_out)
{
    t = trace_create(arena, 2, 1);

    const uint32_t members[] = { 0 };
    const uint32_t comm = trace_comm(t, members, 1);

    (void) trace_coll(t, 0, 1, 2, comm, MPL_COLL_BARRIER, MPL_NONE);
    (void) trace_coll(t, 1, 1, 2, comm, MPL_COLL_BARRIER, MPL_NONE);

    const struct mpl_model *model = trace_model(t);
    const struct mpl_match *match = trace_match(model, arena);

    ck_assert_uint_eq(match->instance[1][0], MPL_NONE);
    ck_assert(match->instances[0].is_complete);
    ck_assert_uint_eq(note_count(model, "collective-outsider"), 1);
}
END_TEST

START_TEST(threads_share_the_sequence_of_their_process)
{
    t = trace_create(arena, 2, 2);
    (void) trace_coll(t, 0, 10, 11, 0, MPL_COLL_ALLREDUCE, MPL_NONE);
    (void) trace_coll(t, 1, 5, 6, 0, MPL_COLL_BARRIER, MPL_NONE);
    (void) trace_coll(t, 3, 1, 2, 0, MPL_COLL_BARRIER, MPL_NONE);
    (void) trace_coll(t, 3, 3, 4, 0, MPL_COLL_ALLREDUCE, MPL_NONE);

    const struct mpl_model *model = trace_model(t);
    const struct mpl_match *match = trace_match(model, arena);

    ck_assert_uint_eq(match->n_instances, 2);
    ck_assert(match->instances[0].is_complete && match->instances[1].is_complete);
    ck_assert_uint_eq(match->instance[1][0], 0);
    ck_assert_uint_eq(match->instance[0][0], 1);
}
END_TEST

/* ---- memory -------------------------------------------------------------------------------------- */

START_TEST(running_out_of_memory_is_told_at_every_step)
{
    t = trace_create(arena, 3, 2);

    const uint32_t members[] = { 2, 1 };
    const uint32_t comm = trace_comm(t, members, 2);

    (void) trace_send(t, 0, 1, 2, "MPI_Send", address(0, 1, 7), 8);
    (void) trace_send(t, 4, 3, 4, "MPI_Send", address(comm, 1, 7), 8);
    trace_complete_unsure(t, 2, 3, 4, trace_post(t, 2, 1), address(0, 0, 7), 8);
    trace_complete_unsure(t, 3, 3, 4, trace_post(t, 3, 1), address(0, 0, 7), 8);
    (void) trace_coll(t, 0, 10, 11, 0, MPL_COLL_ALLREDUCE, MPL_NONE);

    const struct mpl_model *model = trace_model(t);
    long n = 0;

    for (;; n++) {
        struct mpl_arena *result = mpl_arena_create();
        const struct mpl_match *match = NULL;
        struct mpl_err err = { 0 };

        mpl_alloc_fail_after(n);

        const enum mpl_status st = mpl_match_create(model, result, &match, &err);

        mpl_alloc_fail_after(-1);
        mpl_arena_destroy(result);
        if (st == MPL_OK) {
            break;
        }
        ck_assert_int_eq(st, MPL_E_NOMEM);
        ck_assert_int_eq(err.code, MPL_E_NOMEM);
        ck_assert_ptr_null(match);
    }
    ck_assert_int_gt(n, 10);
}
END_TEST

/* Ends are numbered over all locations; how many there are is asked before any is looked at. */
START_TEST(more_ends_than_can_be_numbered_are_refused)
{
    t = trace_create(arena, 3, 1);

    struct mpl_model model = *trace_model(t);
    struct mpl_location locations[3];
    const struct mpl_match *match = NULL;
    struct mpl_err err = { 0 };

    memcpy(locations, model.locations, sizeof locations);
    model.locations = locations;
    for (uint32_t l = 0; l < 3; l++) {
        *(_i == 0 ? &locations[l].n_messages : &locations[l].n_collectives) =
            UINT32_MAX / 3 + 1;
    }
    ck_assert_int_eq(mpl_match_create(&model, arena, &match, &err), MPL_E_LIMIT);
    ck_assert_ptr_null(match);
    ck_assert_str_eq(err.cause[0].text,
                     _i == 0 ? "the trace holds more than 4294967294 message ends"
                             : "the trace holds more than 4294967294 parts of "
                               "collectives");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("match");
    TCase *c = add_case(suite, "match", set_up, tear_down);

    tcase_add_test(c, messages_match_in_the_order_of_their_posting);
    tcase_add_test(c, posting_order_counts_and_completion_order_does_not);
    tcase_add_test(c, tags_communicators_and_senders_are_kept_apart);
    tcase_add_test(c, message_to_oneself_matches);
    tcase_add_test(c, ends_without_partner_are_counted_and_located);
    tcase_add_test(c, garbage_is_counted_apart_and_matches_nothing);
    tcase_add_test(c, missing_completions_are_given_as_the_reason);
    tcase_add_test(c, open_receive_takes_nothing);
    tcase_add_test(c, threads_of_a_process_share_its_receives_in_order_of_time);
    tcase_add_test(c, inter_communicator_matches_by_the_other_group);
    tcase_add_test(c, communicator_is_found_where_only_one_has_sends);
    tcase_add_test(c, recorded_communicator_needs_no_guess);
    tcase_add_test(c, sure_and_unsure_receives_of_a_stream_stay_in_posting_order);
    tcase_add_test(c, sends_that_sure_receives_take_are_no_candidates);
    tcase_add_test(c, count_singles_out_a_communicator);
    tcase_add_test(c, sizes_tell_communicators_apart);
    tcase_add_test(c, collectives_match_by_communicator_and_sequence);
    tcase_add_test(c, self_communicators_give_one_part_each);
    tcase_add_test(c, missing_part_leaves_a_collective_incomplete);
    tcase_add_test(c, different_operations_or_roots_are_a_mismatch);
    tcase_add_test(c, collective_without_an_end_has_no_place_in_a_sequence);
    tcase_add_test(c, collective_of_a_foreign_communicator_is_left_out);
    tcase_add_test(c, threads_share_the_sequence_of_their_process);
    tcase_add_test(c, running_out_of_memory_is_told_at_every_step);
    tcase_add_loop_test(c, more_ends_than_can_be_numbered_are_refused, 0, 2);
    return run_suite(suite);
}
