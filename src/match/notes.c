#include "config.h"

#include "match/match_priv.h"

/* What of one location's message ends has no partner. */
struct tally {
    uint64_t pairs;
    uint64_t sends;
    uint64_t receives;
    uint64_t null;
    uint64_t garbage;
    uint64_t open;
};

static struct tally count_messages(const struct mpl_matcher *m, uint32_t location)
{
    const struct mpl_location *loc = &m->model->locations[location];
    const uint32_t *partner = m->match->partner[location];
    struct tally tally = { 0 };

    for (uint32_t i = 0; i < loc->n_messages; i++) {
        if (mpl_message_get(loc, i).envelope == MPL_NONE) {
            /* Where all are completed, those that have no end were cancelled. */
            tally.open += !m->model->can.has_receive_completions &&
                          mpl_message_get(loc, i).event == MPL_NONE;
            continue;
        }

        const struct mpl_envelope *e = &loc->envelopes[mpl_message_get(loc, i).envelope];

        if (e->is_null) {
            tally.null++;
        } else if (e->is_garbage) {
            tally.garbage++;
        } else if (partner[i] == MPL_NONE) {
            tally.sends += e->is_send ? 1 : 0;
            tally.receives += e->is_send ? 0 : 1;
        } else if (e->is_send) {
            tally.pairs++;
        }
    }
    return tally;
}

static void note_location(const struct mpl_matcher *m, uint32_t location,
                          const struct tally *tally)
{
    const struct mpl_location *loc = &m->model->locations[location];
    struct mpl_quality *quality = m->model->quality;
    uint64_t n_open = 0;

    mpl_quality_add_some(
        quality, "unmatched-send", location, tally->sends,
        m->model->can.has_receive_completions
            ? "Sends without a recorded receive; waiting of their receivers cannot "
              "be traced to them, so late-sender times may be too low."
            : "Non-blocking receives have no completion record, so the sends that "
              "they took have no partner; how long MPI_Wait and its relatives "
              "waited for a late sender is not known.");
    mpl_quality_add_some(quality, "open-receive", location, tally->open,
                         "Receives that were posted and whose completion is not recorded; "
                         "each took a message, but not which. Other receives with the same "
                         "sender and tag may therefore be paired with a send too early, "
                         "which makes waiting look shorter.");
    mpl_quality_add_some(
        quality, "unmatched-receive", location, tally->receives,
        "Receives without a recorded send (a kind of send that the tracer does "
        "not record, or lost events); whether they waited is not known.");
    mpl_quality_add_some(quality, "guessed-communicator", location, m->n_guessed[location],
                         "Receives recorded under a wrong communicator; only one "
                         "communicator has fitting sends, and they were matched there.");
    mpl_quality_add_some(
        quality, "ambiguous-communicator", location, m->n_ambiguous[location],
        "Receives whose communicator is not recorded and for which "
        "several have fitting sends; sizes and order decided, so some may be "
        "matched with the wrong sender.");
    mpl_quality_add_some(quality, "collective-outsider", location, m->n_outsiders[location],
                         "Collective operations on a communicator that the process is "
                         "not a member of; they are left out.");
    for (uint32_t i = 0; i < loc->n_collectives; i++) {
        n_open += loc->collectives[i].comm == MPL_NONE ? 1 : 0;
    }
    mpl_quality_add_some(
        quality, "open-collective", location, n_open,
        "Collective operations without a recorded end (non-blocking ones that "
        "the tracer does not complete, or a run cut short) or of an unknown "
        "communicator; waiting in them is not judged.");
}

struct count {
    const struct mpl_matcher *matcher;
    struct tally *tally; /* Per location. */
};

static enum mpl_status count_location(void *context, size_t location, unsigned worker,
                                      struct mpl_err *err)
{
    const struct count *count = context;

    (void) worker;
    (void) err;
    count->tally[location] = count_messages(count->matcher, (uint32_t) location);
    return MPL_OK;
}

enum mpl_status mpl_match_note(struct mpl_matcher *m, struct mpl_err *err)
{
    struct mpl_match_counts *counts = &m->match->counts;
    const uint32_t n = m->model->n_locations;
    struct count count = { m, MPL_NEW_ARRAY(m->scratch, n, struct tally) };
    const struct mpl_parallel job = {
        .n_tasks = n, .max_threads = mpl_threads(), .run = count_location, .context = &count
    };
    const enum mpl_status st =
        count.tally == NULL ? mpl_nomem(err) : mpl_parallel_run(&job, err);

    for (uint32_t l = 0; l < n && st == MPL_OK; l++) {
        const struct tally *tally = &count.tally[l];

        counts->pairs += tally->pairs;
        counts->unmatched_sends += tally->sends;
        counts->unmatched_receives += tally->receives;
        counts->null_ends += tally->null;
        counts->garbage_ends += tally->garbage;
        counts->open_receives += tally->open;
        counts->guessed_comms += m->n_guessed[l] + m->n_ambiguous[l];
        note_location(m, l, tally);
    }
    return st;
}
