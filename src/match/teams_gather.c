/*
 * What the threads of a process have recorded about teams. A thread's forks, turns and barriers
 * nest; what does not is marked, because nothing certain follows from it.
 */
#include "config.h"

#include "match/teams_priv.h"

static const struct mpl_team_open *top_of(const struct mpl_teams *t)
{
    return t->open.n == 0 ? NULL : mpl_buf_get(&t->open, t->open.n - 1);
}

static void push(struct mpl_teams *t, struct mpl_team_open what)
{
    if (!mpl_buf_put(&t->open, &what)) {
        t->is_short = true;
        return;
    }
    t->n_open_forks += what.what == MPL_OPEN_FORK;
    t->n_open_turns += what.what == MPL_OPEN_TURN;
}

static void pop(struct mpl_teams *t)
{
    const struct mpl_team_open *open = top_of(t);

    t->n_open_forks -= open->what == MPL_OPEN_FORK;
    t->n_open_turns -= open->what == MPL_OPEN_TURN;
    t->open.n--;
}

/* Gives up what has begun behind the last fork or turn and never ended. There must be one. */
static void unwind_to(struct mpl_teams *t, enum mpl_open_kind what)
{
    for (; top_of(t)->what != what; pop(t)) {
        const struct mpl_team_open *open = top_of(t);

        if (open->what == MPL_OPEN_TURN) {
            mpl_teams_turn(t, open->item)->is_odd = true;
        } else if (open->what == MPL_OPEN_BARRIER) {
            mpl_teams_turn(t, mpl_teams_barrier(t, open->item)->turn)->is_odd = true;
        }
    }
}

static void take_fork(struct mpl_teams *t, uint32_t location, uint32_t event)
{
    if (t->n_open_turns == 0) {
        if (t->master != location) {
            t->master = location;
            t->n_masters++;
            t->first_fork = event;
        }
        t->last_join = MPL_NONE;
    }
    push(t, (struct mpl_team_open){ MPL_OPEN_FORK, event, MPL_NONE });
}

/* A turn that has not ended means that something is missing: a fork inside of it, perhaps, to
 * which this join belongs. */
static void take_join(struct mpl_teams *t, uint32_t event)
{
    if (t->n_open_forks == 0) {
        t->is_unsure = true;
        return;
    }
    if (top_of(t)->what != MPL_OPEN_FORK) {
        t->is_unsure = true;
        unwind_to(t, MPL_OPEN_FORK);
        pop(t);
        return;
    }
    const struct mpl_team_open *open = top_of(t);
    if (open->item != MPL_NONE) {
        mpl_teams_turn(t, open->item)->join = event;
    }
    pop(t);
    if (t->n_open_turns == 0) {
        t->last_join = event;
    }
}

static uint32_t find_team(struct mpl_teams *t, uint32_t number)
{
    const uint32_t team = mpl_map_find(t->teams, number);

    if (team != MPL_NONE) {
        return team;
    }
    t->is_short |= !mpl_map_put(t->teams, number, t->n_teams);
    return t->n_teams++;
}

static void take_begin(struct mpl_teams *t, uint32_t location, uint32_t event,
                       uint32_t number)
{
    const uint32_t item = (uint32_t) t->turns.n;
    struct mpl_team_turn *turn = mpl_buf_add(&t->turns);
    struct mpl_team_open *open =
        t->open.n == 0 ? NULL : mpl_buf_get(&t->open, t->open.n - 1);

    if (turn == NULL) {
        t->is_short = true;
        return;
    }
    *turn = (struct mpl_team_turn){ .team = find_team(t, number),
                                    .location = location,
                                    .begin = event,
                                    .end = MPL_NONE,
                                    .fork = MPL_NONE,
                                    .join = MPL_NONE };
    if (open != NULL && open->what == MPL_OPEN_FORK && open->item == MPL_NONE) {
        open->item = item;
        turn->fork = open->event;
    }
    push(t, (struct mpl_team_open){ MPL_OPEN_TURN, event, item });
}

static void take_end(struct mpl_teams *t, uint32_t event, uint32_t number)
{
    const uint32_t team = find_team(t, number);

    if (t->n_open_turns == 0) {
        return;
    }
    unwind_to(t, MPL_OPEN_TURN);

    struct mpl_team_turn *turn = mpl_teams_turn(t, top_of(t)->item);

    if (turn->team == team) {
        turn->end = event;
        pop(t);
    } else {
        turn->is_odd = true;
    }
}

static void enter_barrier(struct mpl_teams *t, uint32_t event, uint32_t region)
{
    const struct mpl_team_open *open = top_of(t);

    if (open == NULL || open->what != MPL_OPEN_TURN) {
        return;
    }
    const struct mpl_team_barrier barrier = { open->item, region, event, MPL_NONE };

    if (!mpl_buf_put(&t->barriers, &barrier)) {
        t->is_short = true;
        return;
    }
    push(t,
         (struct mpl_team_open){ MPL_OPEN_BARRIER, event, (uint32_t) t->barriers.n - 1 });
}

static void leave_barrier(struct mpl_teams *t, uint32_t event, uint32_t region)
{
    const struct mpl_team_open *open = top_of(t);

    if (open != NULL && open->what == MPL_OPEN_BARRIER &&
        mpl_teams_barrier(t, open->item)->region == region) {
        mpl_teams_barrier(t, open->item)->leave = event;
        pop(t);
    }
}

static void take_thread(struct mpl_teams *t, uint32_t location)
{
    const struct mpl_location *loc = &t->model->locations[location];

    t->open.n = 0;
    t->n_open_forks = 0;
    t->n_open_turns = 0;
    for (uint32_t i = 0; i < loc->n_events && !t->is_short; i++) {
        const uint32_t ref = mpl_ref_of(loc, i);

        switch (mpl_kind_of(loc, i)) {
        case MPL_EV_ENTER:
            if (t->is_barrier[ref]) {
                enter_barrier(t, i, ref);
            }
            break;
        case MPL_EV_LEAVE:
            if (t->is_barrier[ref]) {
                leave_barrier(t, i, ref);
            }
            break;
        case MPL_EV_FORK:
            take_fork(t, location, i);
            break;
        case MPL_EV_JOIN:
            take_join(t, i);
            break;
        case MPL_EV_TEAM_BEGIN:
            take_begin(t, location, i, ref);
            break;
        case MPL_EV_TEAM_END:
            take_end(t, i, ref);
            break;
        default:
            break;
        }
    }
}

void mpl_teams_gather(struct mpl_teams *t)
{
    const struct mpl_process *process = &t->model->processes[t->process];

    for (uint32_t i = 0; i < process->n_locations; i++) {
        take_thread(t, process->locations[i]);
    }
}
