#include "config.h"

#include "model/model.h"

#include <string.h>

static void check_members(const struct mpl_model *model, const uint32_t *members,
                          uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        mpl_assert(members[i] < model->n_processes);
    }
}

static void check_definitions(const struct mpl_model *model)
{
    for (uint32_t r = 0; r < model->n_regions; r++) {
        mpl_assert(model->regions[r].name != NULL);
    }
    for (uint32_t c = 0; c < model->n_comms; c++) {
        const struct mpl_comm *comm = &model->comms[c];

        mpl_assert(comm->name != NULL);
        mpl_assert(comm->is_self || comm->n_members > 0);
        check_members(model, comm->members, comm->n_members);
        check_members(model, comm->remote, comm->n_remote);
    }
    mpl_assert(model->world == MPL_NONE || model->world < model->n_comms);
}

static void check_processes(const struct mpl_model *model)
{
    uint32_t n_locations = 0;

    for (uint32_t p = 0; p < model->n_processes; p++) {
        const struct mpl_process *process = &model->processes[p];

        mpl_assert(process->rank == p);
        mpl_assert(process->n_locations > 0);
        for (uint32_t t = 0; t < process->n_locations; t++) {
            const uint32_t l = process->locations[t];

            mpl_assert(l == n_locations + t);
            mpl_assert(model->locations[l].process == p);
            mpl_assert(model->locations[l].thread == t);
        }
        n_locations += process->n_locations;
    }
    mpl_assert(n_locations == model->n_locations);
}

static void check_envelopes(const struct mpl_model *model, const struct mpl_location *loc)
{
    for (uint32_t i = 0; i < loc->n_envelopes; i++) {
        const struct mpl_envelope *e = &loc->envelopes[i];

        mpl_assert(e->comm == MPL_NONE || e->comm < model->n_comms);
        mpl_assert(e->peer == MPL_NONE || e->peer < model->n_processes);
        mpl_assert(!e->is_null || e->peer == MPL_NONE);
        mpl_assert(!e->is_garbage || e->peer == MPL_NONE);
    }
    for (uint32_t i = 0; i < loc->n_wanted; i++) {
        mpl_assert(loc->wanted[i] < loc->n_envelopes);
    }
}

static void check_messages(const struct mpl_location *loc)
{
    for (uint32_t m = 0; m < loc->n_messages; m++) {
        const struct mpl_message msg = mpl_message_get(loc, m);

        mpl_assert(msg.envelope == MPL_NONE || msg.envelope < loc->n_envelopes);
        if (msg.envelope == MPL_NONE) {
            mpl_assert(msg.event == MPL_NONE || mpl_kind_of(loc, msg.event) == MPL_EV_MARK);
        } else {
            const uint8_t kind = mpl_kind_of(loc, msg.event);

            mpl_assert(msg.event < loc->n_events && mpl_ref_of(loc, msg.event) == m);
            mpl_assert(kind == MPL_EV_SEND || kind == MPL_EV_ISEND || kind == MPL_EV_RECV ||
                       kind == MPL_EV_IRECV);
            mpl_assert(loc->envelopes[msg.envelope].is_send ==
                       (kind == MPL_EV_SEND || kind == MPL_EV_ISEND));
        }
        if (msg.post != MPL_NONE) {
            const uint8_t kind = mpl_kind_of(loc, msg.post);

            mpl_assert(msg.post < loc->n_events && mpl_ref_of(loc, msg.post) == m);
            mpl_assert(kind == MPL_EV_ISEND_DONE || kind == MPL_EV_IRECV_POST);
        }
    }
}

static void check_collectives(const struct mpl_model *model, const struct mpl_location *loc)
{
    uint32_t before = 0;

    for (uint32_t c = 0; c < loc->n_collectives; c++) {
        const struct mpl_collective *part = &loc->collectives[c];
        const uint32_t first = part->begin != MPL_NONE ? part->begin : part->end;

        mpl_assert(first < loc->n_events && (c == 0 || first > before));
        mpl_assert(part->begin == MPL_NONE ||
                   mpl_kind_of(loc, part->begin) == MPL_EV_COLL_BEGIN);
        mpl_assert(part->end == MPL_NONE ||
                   (part->end < loc->n_events && part->end >= first &&
                    mpl_kind_of(loc, part->end) == MPL_EV_COLL_END));
        mpl_assert(part->comm == MPL_NONE || part->comm < model->n_comms);
        mpl_assert(part->root == MPL_NONE || part->root < model->n_processes);
        mpl_assert(part->op < MPL_COLL_OPS);
        before = first;
    }
}

static void check_thread_records(const struct mpl_location *loc)
{
    for (uint32_t i = 0; i < loc->n_thread_records; i++) {
        const struct mpl_thread_record *r = &loc->thread_records[i];
        const uint8_t kind = r->act == MPL_ACT_LOCK     ? MPL_EV_LOCK
                             : r->act == MPL_ACT_UNLOCK ? MPL_EV_UNLOCK
                                                        : MPL_EV_MARK;

        mpl_assert(r->event < loc->n_events && mpl_kind_of(loc, r->event) == kind);
        mpl_assert(i == 0 || r->event > loc->thread_records[i - 1].event);
        mpl_assert(kind == MPL_EV_MARK || mpl_ref_of(loc, r->event) == r->object);
    }
}

/* How many references of this kind there are; MPL_NONE where any number is allowed. */
static uint32_t references(const struct mpl_model *model, const struct mpl_location *loc,
                           uint8_t kind)
{
    switch (kind) {
    case MPL_EV_ENTER:
    case MPL_EV_LEAVE:
        return model->n_regions;
    case MPL_EV_SEND:
    case MPL_EV_ISEND:
    case MPL_EV_ISEND_DONE:
    case MPL_EV_RECV:
    case MPL_EV_IRECV_POST:
    case MPL_EV_IRECV:
        return loc->n_messages;
    case MPL_EV_COLL_BEGIN:
    case MPL_EV_COLL_END:
        return loc->n_collectives;
    default:
        return MPL_NONE;
    }
}

static void check_events(const struct mpl_model *model, const struct mpl_location *loc)
{
    mpl_assert(loc->n_events == 0 || mpl_ticks_of(loc, 0) >= 0);
    for (uint32_t i = 0; i < loc->n_events; i++) {
        const uint32_t n = references(model, loc, mpl_kind_of(loc, i));
        const bool may_be_none = mpl_kind_of(loc, i) == MPL_EV_ISEND_DONE ||
                                 mpl_kind_of(loc, i) == MPL_EV_COLL_BEGIN;

        mpl_assert(mpl_kind_of(loc, i) < MPL_EV_KINDS);
        mpl_assert(i == 0 || mpl_ticks_of(loc, i) >= mpl_ticks_of(loc, i - 1));
        mpl_assert(n == MPL_NONE || mpl_ref_of(loc, i) < n ||
                   (may_be_none && mpl_ref_of(loc, i) == MPL_NONE));
    }
}

void mpl_model_check(const struct mpl_model *model)
{
    uint64_t n_events = 0;

    mpl_assert(model->path != NULL && model->quality != NULL);
    mpl_assert(model->ticks_per_s > 0);
    check_definitions(model);
    check_processes(model);
    for (uint32_t l = 0; l < model->n_locations; l++) {
        const struct mpl_location *loc = &model->locations[l];

        mpl_assert(loc->label != NULL && loc->name != NULL);
        check_envelopes(model, loc);
        check_messages(loc);
        check_collectives(model, loc);
        check_thread_records(loc);
        check_events(model, loc);
        for (uint32_t i = 1; i < model->n_offsets[l]; i++) {
            mpl_assert(model->offsets[l][i].time_ticks >
                       model->offsets[l][i - 1].time_ticks);
        }
        n_events += loc->n_events;
    }
    mpl_assert(n_events == model->n_events);
}
