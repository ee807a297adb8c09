/*
 * Teams and groups of threads of a model, as the communicators that an archive needs: their
 * numbers in the model hold within a process, in an archive everywhere.
 */
#include "config.h"

#include "read/write_priv.h"

struct team {
    uint32_t n_members;
    uint32_t last; /**< Location that was added last, so that none is twice. */
};

struct member {
    uint32_t team;
    uint32_t location;
};

struct mpl_write_teams {
    struct mpl_map *of;
    struct mpl_buf teams;   /**< struct team */
    struct mpl_buf members; /**< struct member, by location. */
};

static uint64_t key_of(uint32_t process, uint32_t number)
{
    return (uint64_t) process << 32 | number;
}

static bool add_member(struct mpl_write_teams *t, const struct mpl_model *model,
                       uint32_t location, uint32_t number)
{
    const uint64_t key = key_of(model->locations[location].process, number);
    uint32_t team = number == MPL_NONE ? MPL_NONE : mpl_map_find(t->of, key);

    if (number == MPL_NONE) {
        return true;
    }
    if (team == MPL_NONE) {
        team = (uint32_t) t->teams.n;
        if (mpl_buf_add(&t->teams) == NULL || !mpl_map_put(t->of, key, team)) {
            return false;
        }
        ((struct team *) mpl_buf_get(&t->teams, team))->last = MPL_NONE;
    }

    struct team *item = mpl_buf_get(&t->teams, team);

    if (item->last == location) {
        return true;
    }
    if (!mpl_buf_put(&t->members, &(struct member){ team, location })) {
        return false;
    }
    item->last = location;
    item->n_members++;
    return true;
}

static bool add_members(struct mpl_write_teams *t, const struct mpl_model *model,
                        uint32_t location)
{
    const struct mpl_location *loc = &model->locations[location];
    bool ok = true;

    for (uint32_t i = 0; i < loc->n_events && ok; i++) {
        if (mpl_kind_of(loc, i) == MPL_EV_TEAM_BEGIN ||
            mpl_kind_of(loc, i) == MPL_EV_TEAM_END) {
            ok = add_member(t, model, location, mpl_ref_of(loc, i));
        }
    }
    for (uint32_t i = 0; i < loc->n_thread_records && ok; i++) {
        const struct mpl_thread_record *r = &loc->thread_records[i];

        if (r->act != MPL_ACT_LOCK && r->act != MPL_ACT_UNLOCK) {
            ok = add_member(t, model, location, r->object);
        }
    }
    return ok;
}

struct mpl_write_teams *mpl_write_teams_create(const struct mpl_model *model,
                                               struct mpl_arena *scratch)
{
    struct mpl_write_teams *t = MPL_NEW(scratch, struct mpl_write_teams);

    if (t == NULL) {
        return NULL;
    }
    t->of = mpl_map_create();
    t->teams = mpl_buf_make(sizeof(struct team));
    t->members = mpl_buf_make(sizeof(struct member));
    bool ok = t->of != NULL;
    for (uint32_t l = 0; l < model->n_locations && ok; l++) {
        ok = add_members(t, model, l);
    }
    if (!ok) {
        mpl_write_teams_close(t);
        return NULL;
    }
    return t;
}

void mpl_write_teams_close(struct mpl_write_teams *t)
{
    mpl_map_destroy(t->of);
    mpl_buf_free(&t->teams);
    mpl_buf_free(&t->members);
}

OTF2_CommRef mpl_write_teams_ref(const struct mpl_write_teams *t,
                                 const struct mpl_model *model, uint32_t process,
                                 uint32_t number)
{
    return number == MPL_NONE
               ? OTF2_UNDEFINED_COMM
               : model->n_comms + mpl_map_find(t->of, key_of(process, number));
}

/* ---- definitions -------------------------------------------------------------------------- */

/* The group that the members of teams are places in: all locations. */
static OTF2_ErrorCode write_places(OTF2_GlobalDefWriter *writer,
                                   const struct mpl_model *model, uint32_t group,
                                   OTF2_StringRef name, struct mpl_arena *scratch)
{
    uint64_t *places = MPL_NEW_ARRAY(scratch, model->n_locations, uint64_t);

    if (places == NULL) {
        return OTF2_ERROR_MEM_FAULT;
    }
    for (uint32_t l = 0; l < model->n_locations; l++) {
        places[l] = mpl_write_location_ref(model, l);
    }
    return OTF2_GlobalDefWriter_WriteGroup(
        writer, group, name, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_OPENMP,
        OTF2_GROUP_FLAG_NONE, model->n_locations, places);
}

/* Members by team, those of a team by location. */
static uint64_t *sort_members(const struct mpl_write_teams *t, struct mpl_arena *scratch)
{
    uint64_t *sorted = MPL_NEW_ARRAY(scratch, t->members.n, uint64_t);
    uint32_t *next = MPL_NEW_ARRAY(scratch, t->teams.n + 1, uint32_t);

    if (sorted == NULL || next == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < t->teams.n; i++) {
        next[i + 1] =
            next[i] + ((const struct team *) mpl_buf_get(&t->teams, i))->n_members;
    }
    for (size_t i = 0; i < t->members.n; i++) {
        const struct member *member = mpl_buf_get(&t->members, i);

        sorted[next[member->team]++] = member->location;
    }
    return sorted;
}

OTF2_ErrorCode mpl_write_teams_define(const struct mpl_write_teams *t,
                                      OTF2_GlobalDefWriter *writer,
                                      const struct mpl_model *model, uint32_t first_group,
                                      OTF2_StringRef name, struct mpl_arena *scratch)
{
    const uint64_t *member = sort_members(t, scratch);
    OTF2_ErrorCode code = OTF2_SUCCESS;

    if (member == NULL) {
        return OTF2_ERROR_MEM_FAULT;
    }
    if (t->teams.n > 0) {
        code = write_places(writer, model, first_group++, name, scratch);
    }
    for (uint32_t i = 0; i < t->teams.n && code == OTF2_SUCCESS; i++) {
        const uint32_t n = ((const struct team *) mpl_buf_get(&t->teams, i))->n_members;

        code = OTF2_GlobalDefWriter_WriteGroup(
            writer, first_group + i, name, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_OPENMP,
            OTF2_GROUP_FLAG_NONE, n, member);
        member += n;
    }
    for (uint32_t i = 0; i < t->teams.n && code == OTF2_SUCCESS; i++) {
        code = OTF2_GlobalDefWriter_WriteComm(writer, model->n_comms + i, name,
                                              first_group + i, OTF2_UNDEFINED_COMM,
                                              OTF2_COMM_FLAG_NONE);
    }
    return code;
}
