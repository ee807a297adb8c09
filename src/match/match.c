#include "config.h"

#include "match/match_priv.h"

#include <inttypes.h>

/* So many per location that most of them lie in one. */
enum { STRETCHES = 16 };

uint32_t mpl_match_location(const struct mpl_match *match, uint32_t number,
                            const uint32_t *stretch)
{
    uint32_t low = stretch[0];
    uint32_t high = stretch[1] + 1;

    /* The last location that starts at or before the number; empty ones share a start. */
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;

        if (match->first_number[middle] <= number) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static enum mpl_status make_stretches(struct mpl_matcher *m, const uint32_t *first,
                                      struct mpl_err *err)
{
    const uint32_t n_locations = m->model->n_locations;
    const uint64_t n = first[n_locations];
    uint32_t bits = 0;
    uint32_t location = 0;

    while (n >> bits > STRETCHES * (uint64_t) n_locations) {
        bits++;
    }
    const uint32_t n_stretches = (uint32_t) (n >> bits) + 1;
    uint32_t *stretch = MPL_NEW_ARRAY(m->arena, (size_t) n_stretches + 1, uint32_t);
    if (stretch == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t i = 0; i <= n_stretches; i++) {
        while (location + 1 < n_locations && first[location + 1] <= (uint64_t) i << bits) {
            location++;
        }
        stretch[i] = location;
    }
    m->match->stretch = stretch;
    m->match->stretch_bits = bits;
    return MPL_OK;
}

/* Numbers all message ends of the run, location by location. */
static enum mpl_status number_messages(struct mpl_matcher *m, struct mpl_err *err)
{
    const struct mpl_model *model = m->model;
    uint32_t *first = MPL_NEW_ARRAY(m->arena, (size_t) model->n_locations + 1, uint32_t);
    const uint32_t **partner =
        MPL_NEW_ARRAY(m->arena, model->n_locations, const uint32_t *);
    uint64_t n = 0;

    if (first == NULL || partner == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t l = 0; l < model->n_locations; l++) {
        first[l] = (uint32_t) n;
        n += model->locations[l].n_messages;
        if (n >= MPL_NONE) {
            return mpl_fail(err, MPL_E_LIMIT,
                            "the trace holds more than %" PRIu32 " message ends",
                            MPL_NONE - 1);
        }
    }
    first[model->n_locations] = (uint32_t) n;
    m->partner = MPL_NEW_UNSET(m->arena, n, uint32_t);
    if (m->partner == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t l = 0; l < model->n_locations; l++) {
        partner[l] = m->partner + first[l];
    }
    m->match->partner = partner;
    m->match->first_number = first;
    return make_stretches(m, first, err);
}

static enum mpl_status number_collectives(struct mpl_matcher *m, struct mpl_err *err)
{
    const struct mpl_model *model = m->model;
    uint32_t *first = MPL_NEW_ARRAY(m->scratch, model->n_locations, uint32_t);
    const uint32_t **instance =
        MPL_NEW_ARRAY(m->arena, model->n_locations, const uint32_t *);
    uint64_t n = 0;

    if (first == NULL || instance == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t l = 0; l < model->n_locations; l++) {
        first[l] = (uint32_t) n;
        n += model->locations[l].n_collectives;
        if (n >= MPL_NONE) {
            return mpl_fail(err, MPL_E_LIMIT,
                            "the trace holds more than %" PRIu32 " parts of collectives",
                            MPL_NONE - 1);
        }
    }
    m->instance = MPL_NEW_ARRAY(m->arena, n, uint32_t);
    if (m->instance == NULL) {
        return mpl_nomem(err);
    }
    for (uint64_t i = 0; i < n; i++) {
        m->instance[i] = MPL_NONE;
    }
    for (uint32_t l = 0; l < model->n_locations; l++) {
        instance[l] = m->instance + first[l];
    }
    m->match->instance = instance;
    m->first_collective = first;
    return MPL_OK;
}

static enum mpl_status make_columns(struct mpl_matcher *m, struct mpl_err *err)
{
    const uint32_t n = m->model->n_locations;

    m->match = MPL_NEW(m->arena, struct mpl_match);
    m->ends = MPL_NEW_ARRAY(m->scratch, n, struct mpl_end_counts);
    m->n_outsiders = MPL_NEW_ARRAY(m->scratch, n, uint64_t);
    m->n_ambiguous = MPL_NEW_ARRAY(m->scratch, n, uint64_t);
    m->n_guessed = MPL_NEW_ARRAY(m->scratch, n, uint64_t);
    if (m->match == NULL || mpl_arena_is_short(m->scratch)) {
        return mpl_nomem(err);
    }
    const enum mpl_status st = number_messages(m, err);
    return st != MPL_OK ? st : number_collectives(m, err);
}

enum mpl_status mpl_match_create(const struct mpl_model *model, struct mpl_arena *arena,
                                 const struct mpl_match **out, struct mpl_err *err)
{
    struct mpl_matcher m = { .model = model, .arena = arena };

    m.scratch = mpl_arena_create();
    enum mpl_status st = make_columns(&m, err);
    st = st == MPL_OK ? mpl_match_messages(&m, err) : st;
    st = st == MPL_OK ? mpl_match_collectives(&m, err) : st;
    st = st == MPL_OK ? mpl_match_threads(&m, err) : st;
    if (st == MPL_OK) {
        mpl_match_note(&m);
        *out = m.match;
    }
    mpl_arena_destroy(m.scratch);
    return st;
}

bool mpl_match_is_guess(const struct mpl_match *match, uint32_t location, uint32_t message)
{
    const uint32_t number = match->first_number[location] + message;

    return match->is_guess != NULL &&
           (match->is_guess[number / 64] >> number % 64 & 1) != 0;
}
