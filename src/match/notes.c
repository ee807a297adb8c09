#include "config.h"

#include "match/match_priv.h"

static void note_location(const struct mpl_matcher *m, uint32_t location,
                          const struct mpl_end_counts *ends)
{
    const struct mpl_location *loc = &m->model->locations[location];
    struct mpl_quality *quality = m->model->quality;
    uint64_t n_open = 0;

    mpl_quality_add_some(
        quality, "unmatched-send", location, ends->sends,
        m->model->can.has_receive_completions
            ? "Sends without a recorded receive; waiting of their receivers cannot "
              "be traced to them, so late-sender times may be too low."
            : "Non-blocking receives have no completion record, so the sends that "
              "they took have no partner; how long MPI_Wait and its relatives "
              "waited for a late sender is not known.");
    mpl_quality_add_some(quality, "open-receive", location, ends->open,
                         "Receives that were posted and whose completion is not recorded; "
                         "each took a message, but not which. Other receives with the same "
                         "sender and tag may therefore be paired with a send too early, "
                         "which makes waiting look shorter.");
    mpl_quality_add_some(
        quality, "unmatched-receive", location, ends->receives,
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

void mpl_match_note(struct mpl_matcher *m)
{
    struct mpl_match_counts *counts = &m->match->counts;

    for (uint32_t l = 0; l < m->model->n_locations; l++) {
        const struct mpl_end_counts *ends = &m->ends[l];

        counts->pairs += ends->pairs;
        counts->unmatched_sends += ends->sends;
        counts->unmatched_receives += ends->receives;
        counts->null_ends += ends->null;
        counts->garbage_ends += ends->garbage;
        counts->open_receives += ends->open;
        counts->guessed_comms += m->n_guessed[l] + m->n_ambiguous[l];
        note_location(m, l, ends);
    }
}
