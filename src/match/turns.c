#include "config.h"

#include "match/match_priv.h"

int64_t mpl_turn_time(const struct mpl_model *model, uint32_t location, uint32_t event)
{
    const struct mpl_location *loc = &model->locations[location];
    const uint32_t master = model->processes[loc->process].locations[0];

    /* Unsigned, so that a damaged base wraps instead of being undefined. */
    return (int64_t) ((uint64_t) mpl_ticks_of(loc, event) + loc->base_ticks -
                      model->locations[master].base_ticks);
}

/* Ties go to the lower location: the same trace gives the same answer. */
static bool is_before(const struct mpl_turn *a, const struct mpl_turn *b)
{
    return a->time_ticks != b->time_ticks ? a->time_ticks < b->time_ticks
                                          : a->location < b->location;
}

static void sink(struct mpl_turns *turns, struct mpl_turn turn)
{
    uint32_t at = 0;

    for (;;) {
        uint32_t child = 2 * at + 1;

        if (child >= turns->n) {
            break;
        }
        if (child + 1 < turns->n &&
            is_before(&turns->turn[child + 1], &turns->turn[child])) {
            child++;
        }
        if (!is_before(&turns->turn[child], &turn)) {
            break;
        }
        turns->turn[at] = turns->turn[child];
        at = child;
    }
    turns->turn[at] = turn;
}

void mpl_turns_add(struct mpl_turns *turns, struct mpl_turn turn)
{
    uint32_t at = turns->n++;

    while (at > 0 && is_before(&turn, &turns->turn[(at - 1) / 2])) {
        turns->turn[at] = turns->turn[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    turns->turn[at] = turn;
}

void mpl_turns_replace(struct mpl_turns *turns, struct mpl_turn turn)
{
    sink(turns, turn);
}

void mpl_turns_drop(struct mpl_turns *turns)
{
    turns->n--;
    if (turns->n > 0) {
        sink(turns, turns->turn[turns->n]);
    }
}

uint32_t mpl_match_most_threads(const struct mpl_model *model)
{
    uint32_t most = 0;

    for (uint32_t p = 0; p < model->n_processes; p++) {
        const uint32_t n = model->processes[p].n_locations;

        most = n > most ? n : most;
    }
    return most;
}
