/*
 * Forks, joins and barriers of the threads of a process.
 *
 * Each thread records when its turn in a team begins and ends; who makes the team records the
 * fork before its own turn and the join after it. So a team belongs to the one thread whose
 * turns in it follow forks. Score-P uses a team's number again for every fork with the same
 * threads. Another thread that has as many turns in the team as its maker was there every time,
 * because nobody can be in a team twice at once; hence its n-th turn belongs to the n-th fork.
 * With fewer turns nobody knows which ones it has missed, and nothing is concluded.
 *
 * A turn that has no fork by this reasoning still lies between the first fork and the last join
 * of its process, if only one thread makes teams outside of any team.
 */
#include "config.h"

#include "match/teams_priv.h"

#include <string.h>

/* ---- one team --------------------------------------------------------------------------------- */

/** The turns of one thread in one team, one after the other. */
struct row {
    uint32_t *turn;
    uint32_t n;
};

struct team {
    struct row *row; /**< The maker first, then those who were there every time. */
    uint32_t n_rows;
};

/*
 * That workers reach the end of their turn before the join is what TEAM_END means, but tracers
 * that learn of it late write it when they do: EZTrace ends the turns of idle workers with the
 * process. Score-P writes it in time. A turn's begin comes before the join in any case.
 */
static void relate_fork(const struct mpl_teams *t, const struct team *team, uint32_t n)
{
    const struct mpl_team_turn *maker = mpl_teams_turn(t, team->row[0].turn[n]);
    const bool is_end_sure = t->model->tracer == MPL_TRACER_SCOREP;

    mpl_relation_start(t->relations, MPL_RELATION_FORK, t->process);
    mpl_relation_add_source(t->relations, maker->location, maker->fork);
    for (uint32_t r = 1; r < team->n_rows; r++) {
        struct mpl_team_turn *turn = mpl_teams_turn(t, team->row[r].turn[n]);

        turn->is_placed = true;
        mpl_relation_add_sink(t->relations, turn->location, turn->begin);
    }
    mpl_relation_end(t->relations);
    if (maker->join == MPL_NONE) {
        return;
    }
    mpl_relation_start(t->relations, MPL_RELATION_JOIN, t->process);
    for (uint32_t r = 1; r < team->n_rows; r++) {
        const struct mpl_team_turn *turn = mpl_teams_turn(t, team->row[r].turn[n]);

        mpl_relation_add_source(t->relations, turn->location,
                                is_end_sure && turn->end != MPL_NONE ? turn->end
                                                                     : turn->begin);
    }
    mpl_relation_add_sink(t->relations, maker->location, maker->join);
    mpl_relation_end(t->relations);
}

/* A barrier is for all threads of the team, so all must have recorded the same ones. */
static bool have_same_barriers(const struct mpl_teams *t, const struct team *team,
                               uint32_t n)
{
    const struct mpl_team_turn *maker = mpl_teams_turn(t, team->row[0].turn[n]);

    for (uint32_t r = 0; r < team->n_rows; r++) {
        const struct mpl_team_turn *turn = mpl_teams_turn(t, team->row[r].turn[n]);

        if (turn->is_odd || turn->n_barriers != maker->n_barriers) {
            return false;
        }
        for (uint32_t b = 0; b < turn->n_barriers; b++) {
            if (mpl_teams_barrier(t, turn->first_barrier + b)->region !=
                mpl_teams_barrier(t, maker->first_barrier + b)->region) {
                return false;
            }
        }
    }
    return true;
}

static void relate_barrier(const struct mpl_teams *t, const struct team *team, uint32_t n,
                           uint32_t number)
{
    mpl_relation_start(t->relations, MPL_RELATION_BARRIER, t->process);
    for (uint32_t r = 0; r < team->n_rows; r++) {
        const struct mpl_team_turn *turn = mpl_teams_turn(t, team->row[r].turn[n]);
        const struct mpl_team_barrier *barrier =
            mpl_teams_barrier(t, turn->first_barrier + number);

        mpl_relation_add_source(t->relations, turn->location, barrier->enter);
    }
    for (uint32_t r = 0; r < team->n_rows; r++) {
        const struct mpl_team_turn *turn = mpl_teams_turn(t, team->row[r].turn[n]);
        const struct mpl_team_barrier *barrier =
            mpl_teams_barrier(t, turn->first_barrier + number);

        if (barrier->leave != MPL_NONE) {
            mpl_relation_add_sink(t->relations, turn->location, barrier->leave);
        }
    }
    mpl_relation_end(t->relations);
}

static void relate_team(const struct mpl_teams *t, const struct team *team)
{
    for (uint32_t n = 0; n < team->row[0].n && team->n_rows > 1; n++) {
        relate_fork(t, team, n);
        for (uint32_t b = 0; b < mpl_teams_turn(t, team->row[0].turn[n])->n_barriers; b++) {
            if (b == 0 && !have_same_barriers(t, team, n)) {
                break;
            }
            relate_barrier(t, team, n, b);
        }
    }
}

/* How many turns of a row follow a fork. */
static uint32_t count_forks(const struct mpl_teams *t, const struct row *row)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < row->n; i++) {
        n += mpl_teams_turn(t, row->turn[i])->fork != MPL_NONE;
    }
    return n;
}

static bool is_damaged(const struct mpl_teams *t, const struct row *row)
{
    return t->model->locations[mpl_teams_turn(t, row->turn[0])->location].is_damaged;
}

/* Puts the maker first and drops who was not always there; false if nobody made all of it. */
static bool settle_team(const struct mpl_teams *t, struct team *team)
{
    uint32_t maker = MPL_NONE;
    uint32_t n_kept = 1;

    for (uint32_t r = 0; r < team->n_rows; r++) {
        const uint32_t n_forks = count_forks(t, &team->row[r]);

        if (n_forks > 0 && (maker != MPL_NONE || n_forks != team->row[r].n)) {
            return false;
        }
        maker = n_forks > 0 ? r : maker;
    }
    if (maker == MPL_NONE || is_damaged(t, &team->row[maker])) {
        return false;
    }

    const struct row first = team->row[0];

    team->row[0] = team->row[maker];
    team->row[maker] = first;
    for (uint32_t r = 1; r < team->n_rows; r++) {
        if (team->row[r].n == team->row[0].n && !is_damaged(t, &team->row[r])) {
            team->row[n_kept++] = team->row[r];
        }
    }
    team->n_rows = n_kept;
    return true;
}

/* ---- all teams ---------------------------------------------------------------------------------- */

/* Turns by team: those of team i are order[first[i]] up to order[first[i + 1]], by location. */
static bool sort_turns(const struct mpl_teams *t, uint32_t **first, uint32_t **order)
{
    *first = MPL_NEW_ARRAY(t->scratch, (size_t) t->n_teams + 2, uint32_t);
    *order = MPL_NEW_ARRAY(t->scratch, t->turns.n, uint32_t);
    if (*first == NULL || *order == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < t->turns.n; i++) {
        (*first)[mpl_teams_turn(t, i)->team + 2]++;
    }
    for (uint32_t i = 0; i < t->n_teams; i++) {
        (*first)[i + 2] += (*first)[i + 1];
    }
    for (uint32_t i = 0; i < t->turns.n; i++) {
        (*order)[(*first)[mpl_teams_turn(t, i)->team + 1]++] = i;
    }
    return true;
}

static void split_rows(const struct mpl_teams *t, uint32_t *turn, uint32_t n,
                       struct team *team)
{
    team->n_rows = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (i == 0 || mpl_teams_turn(t, turn[i])->location !=
                          mpl_teams_turn(t, turn[i - 1])->location) {
            team->row[team->n_rows++] = (struct row){ turn + i, 0 };
        }
        team->row[team->n_rows - 1].n++;
    }
}

/* A turn's barriers come together, whatever was nested between them. */
static bool sort_barriers(struct mpl_teams *t)
{
    struct mpl_team_barrier *sorted =
        MPL_NEW_ARRAY(t->scratch, t->barriers.n, struct mpl_team_barrier);
    uint32_t first = 0;

    if (sorted == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < t->barriers.n; i++) {
        mpl_teams_turn(t, mpl_teams_barrier(t, i)->turn)->n_barriers++;
    }
    for (uint32_t i = 0; i < t->turns.n; i++) {
        mpl_teams_turn(t, i)->first_barrier = first;
        first += mpl_teams_turn(t, i)->n_barriers;
        mpl_teams_turn(t, i)->n_barriers = 0;
    }
    for (uint32_t i = 0; i < t->barriers.n; i++) {
        struct mpl_team_turn *turn = mpl_teams_turn(t, mpl_teams_barrier(t, i)->turn);

        sorted[turn->first_barrier + turn->n_barriers++] = *mpl_teams_barrier(t, i);
    }
    if (t->barriers.n > 0) {
        memcpy(t->barriers.data, sorted, t->barriers.n * sizeof *sorted);
    }
    return true;
}

static bool relate_teams(struct mpl_teams *t)
{
    const uint32_t n_threads = t->model->processes[t->process].n_locations;
    struct team team = { MPL_NEW_ARRAY(t->scratch, n_threads, struct row), 0 };
    uint32_t *first;
    uint32_t *order;

    if (team.row == NULL || !sort_barriers(t) || !sort_turns(t, &first, &order)) {
        return false;
    }
    for (uint32_t i = 0; i < t->n_teams; i++) {
        split_rows(t, order + first[i], first[i + 1] - first[i], &team);
        if (team.n_rows > 1 && settle_team(t, &team)) {
            relate_team(t, &team);
        }
    }
    return true;
}

/* ---- turns without a fork --------------------------------------------------------------------- */

static bool is_loose(const struct mpl_teams *t, const struct mpl_team_turn *turn)
{
    return turn->fork == MPL_NONE && !turn->is_placed && turn->location != t->master;
}

/* The first loose turn of a location at or behind \p from, or the last one; MPL_NONE. */
static uint32_t find_loose(const struct mpl_teams *t, uint32_t location, uint32_t *from,
                           bool is_last)
{
    uint32_t found = MPL_NONE;

    for (; *from < t->turns.n && mpl_teams_turn(t, *from)->location == location;
         (*from)++) {
        if (is_loose(t, mpl_teams_turn(t, *from)) && (is_last || found == MPL_NONE)) {
            found = *from;
        }
    }
    return found;
}

static void add_loose(const struct mpl_teams *t, bool is_last)
{
    const struct mpl_process *process = &t->model->processes[t->process];
    uint32_t from = 0;

    for (uint32_t i = 0; i < process->n_locations; i++) {
        const uint32_t turn = find_loose(t, process->locations[i], &from, is_last);

        if (turn == MPL_NONE) {
            continue;
        }
        if (is_last) {
            mpl_relation_add_source(t->relations, process->locations[i],
                                    mpl_teams_turn(t, turn)->begin);
        } else {
            mpl_relation_add_sink(t->relations, process->locations[i],
                                  mpl_teams_turn(t, turn)->begin);
        }
    }
}

/* While it was switched off the tracer may have missed forks. */
static bool has_gaps(const struct mpl_location *loc)
{
    for (uint32_t i = 0; i < loc->n_events; i++) {
        if (mpl_kind_of(loc, i) == MPL_EV_OFF) {
            return true;
        }
    }
    return false;
}

static void relate_loose(const struct mpl_teams *t)
{
    if (t->n_masters != 1 || t->is_unsure) {
        return;
    }
    const struct mpl_location *master = &t->model->locations[t->master];
    if (has_gaps(master)) {
        return;
    }
    mpl_relation_start(t->relations, MPL_RELATION_FORK, t->process);
    mpl_relation_add_source(t->relations, t->master, t->first_fork);
    add_loose(t, false);
    mpl_relation_end(t->relations);
    if (t->last_join != MPL_NONE && !master->is_damaged) {
        mpl_relation_start(t->relations, MPL_RELATION_JOIN, t->process);
        add_loose(t, true);
        mpl_relation_add_sink(t->relations, t->master, t->last_join);
        mpl_relation_end(t->relations);
    }
}

/* ---- the whole ------------------------------------------------------------------------------------ */

/* Only OPARI2's names: it records enter and leave around the whole wait. */
static bool is_barrier(const struct mpl_region *region)
{
    return region->kind == MPL_REGION_THREAD_SYNC &&
           strncmp(region->name, "!$omp ", strlen("!$omp ")) == 0 &&
           strstr(region->name, "barrier") != NULL;
}

static enum mpl_status find_all(struct mpl_teams *t, struct mpl_err *err)
{
    t->is_barrier = MPL_NEW_ARRAY(t->scratch, t->model->n_regions, bool);
    if (t->is_barrier == NULL || t->teams == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t r = 0; r < t->model->n_regions; r++) {
        t->is_barrier[r] = is_barrier(&t->model->regions[r]);
    }
    mpl_teams_gather(t);
    if (t->is_short || !relate_teams(t)) {
        return mpl_nomem(err);
    }
    relate_loose(t);
    return MPL_OK;
}

enum mpl_status mpl_match_teams(const struct mpl_model *model, uint32_t process,
                                struct mpl_relations *relations, struct mpl_err *err)
{
    struct mpl_teams t = { .model = model,
                           .process = process,
                           .relations = relations,
                           .scratch = mpl_arena_create(),
                           .teams = mpl_map_create(),
                           .turns = mpl_buf_make(sizeof(struct mpl_team_turn)),
                           .barriers = mpl_buf_make(sizeof(struct mpl_team_barrier)),
                           .open = mpl_buf_make(sizeof(struct mpl_team_open)),
                           .master = MPL_NONE,
                           .last_join = MPL_NONE };
    const enum mpl_status st = t.scratch == NULL ? mpl_nomem(err) : find_all(&t, err);

    mpl_buf_free(&t.open);
    mpl_buf_free(&t.barriers);
    mpl_buf_free(&t.turns);
    mpl_map_destroy(t.teams);
    mpl_arena_destroy(t.scratch);
    return st;
}
