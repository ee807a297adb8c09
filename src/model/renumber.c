/* Other numbers for the processes of a run, as if it had been started so. */
#include "config.h"

#include "model/model.h"

#include <string.h>

/* ---- who is who --------------------------------------------------------------------------------- */

static enum mpl_status take_pairs(const struct mpl_rank_pair *pairs, size_t n_pairs,
                                  uint32_t n, uint32_t *becomes, bool *is_taken,
                                  struct mpl_err *err)
{
    for (size_t i = 0; i < n_pairs; i++) {
        const uint32_t from = pairs[i].from;
        const uint32_t to = pairs[i].to;

        if (from >= n || to >= n) {
            return mpl_fail(err, MPL_E_USAGE,
                            "there is no rank %u: the base has ranks 0 to %u",
                            from >= n ? from : to, n - 1);
        }
        if (becomes[from] != MPL_NONE) {
            return mpl_fail(err, MPL_E_USAGE,
                            "rank %u of the base cannot be rank %u and rank %u of the new "
                            "run",
                            from, becomes[from], to);
        }
        if (is_taken[to]) {
            return mpl_fail(err, MPL_E_USAGE,
                            "rank %u of the new run cannot be two ranks of the base", to);
        }
        becomes[from] = to;
        is_taken[to] = true;
    }
    return MPL_OK;
}

/* Each chain, from a rank that nobody becomes on, ends at one that becomes nothing: these are a pair. */
static void close_circles(uint32_t *becomes, const bool *is_taken, uint32_t n)
{
    for (uint32_t rank = 0; rank < n; rank++) {
        if (!is_taken[rank]) {
            uint32_t last = rank;

            while (becomes[last] != MPL_NONE) {
                last = becomes[last];
            }
            becomes[last] = rank;
        }
    }
}

/* ---- the model ------------------------------------------------------------------------------------ */

struct renumbering {
    struct mpl_model *model;
    struct mpl_arena *arena;
    const uint32_t *becomes;    /* Per process. */
    uint32_t *location_becomes; /* Per location. */
    bool is_short;
};

static void *make(struct renumbering *r, size_t n, size_t size)
{
    void *array = mpl_arena_array(r->arena, n, size);

    r->is_short |= array == NULL;
    return array;
}

static uint32_t changed(const struct renumbering *r, uint32_t process)
{
    return process == MPL_NONE ? MPL_NONE : r->becomes[process];
}

static const uint32_t *change_members(struct renumbering *r, const uint32_t *members,
                                      uint32_t n)
{
    uint32_t *out = make(r, n, sizeof *out);

    for (uint32_t i = 0; i < n && out != NULL; i++) {
        out[i] = r->becomes[members[i]];
    }
    return out;
}

static void change_comms(struct renumbering *r)
{
    const uint32_t n = r->model->n_comms;
    struct mpl_comm *comms = make(r, n, sizeof *comms);

    for (uint32_t c = 0; c < n && !r->is_short; c++) {
        comms[c] = r->model->comms[c];
        if (comms[c].members != NULL) {
            comms[c].members = change_members(r, comms[c].members, comms[c].n_members);
        }
        if (comms[c].remote != NULL) {
            comms[c].remote = change_members(r, comms[c].remote, comms[c].n_remote);
        }
    }
    r->model->comms = comms;
}

/* "3.2" of rank 3 that becomes 5: "5.2". */
static const char *change_label(struct renumbering *r, const char *label, uint32_t process)
{
    const char *rest = label + strspn(label, "0123456789");
    const char *out =
        rest == label ? label : mpl_arena_printf(r->arena, "%u%s", process, rest);

    r->is_short |= out == NULL;
    return out;
}

static void change_location(struct renumbering *r, struct mpl_location *loc)
{
    struct mpl_envelope *envelopes = make(r, loc->n_envelopes, sizeof *envelopes);
    struct mpl_collective *parts = make(r, loc->n_collectives, sizeof *parts);

    for (uint32_t i = 0; i < loc->n_envelopes && !r->is_short; i++) {
        envelopes[i] = loc->envelopes[i];
        envelopes[i].peer = changed(r, envelopes[i].peer);
    }
    for (uint32_t i = 0; i < loc->n_collectives && !r->is_short; i++) {
        parts[i] = loc->collectives[i];
        parts[i].root = changed(r, parts[i].root);
    }
    loc->process = r->becomes[loc->process];
    loc->label = change_label(r, loc->label, loc->process);
    loc->envelopes = envelopes;
    loc->collectives = parts;
}

/* Their order, and that of their threads. */
static void change_processes(struct renumbering *r)
{
    struct mpl_model *model = r->model;
    struct mpl_process *processes = make(r, model->n_processes, sizeof *processes);
    uint32_t l = 0;

    for (uint32_t p = 0; p < model->n_processes && !r->is_short; p++) {
        processes[r->becomes[p]] = model->processes[p];
        processes[r->becomes[p]].rank = r->becomes[p];
    }
    for (uint32_t p = 0; p < model->n_processes && !r->is_short; p++) {
        uint32_t *own = make(r, processes[p].n_locations, sizeof *own);

        for (uint32_t t = 0; t < processes[p].n_locations && own != NULL; t++) {
            r->location_becomes[processes[p].locations[t]] = l;
            own[t] = l++;
        }
        processes[p].locations = own;
    }
    model->processes = processes;
}

static const int64_t *change_column(struct renumbering *r, const int64_t *column)
{
    int64_t *out = make(r, r->model->n_locations, sizeof *out);

    for (uint32_t l = 0; l < r->model->n_locations && out != NULL; l++) {
        out[r->location_becomes[l]] = column[l];
    }
    return out;
}

static void change_timeline(struct renumbering *r)
{
    struct mpl_timeline *known = make(r, 1, sizeof *known);

    if (known != NULL) {
        *known = *r->model->timeline;
        known->bound_ticks = change_column(r, known->bound_ticks);
        known->low_ticks = change_column(r, known->low_ticks);
        known->high_ticks = change_column(r, known->high_ticks);
    }
    r->model->timeline = known;
}

static void change_locations(struct renumbering *r)
{
    struct mpl_model *model = r->model;
    const uint32_t n = model->n_locations;
    struct mpl_location *locations = make(r, n, sizeof *locations);
    const struct mpl_clock_offset **offsets = make(r, n, sizeof *offsets);
    uint32_t *n_offsets = make(r, n, sizeof *n_offsets);

    for (uint32_t l = 0; l < n && !r->is_short; l++) {
        const uint32_t to = r->location_becomes[l];

        locations[to] = model->locations[l];
        offsets[to] = model->offsets[l];
        n_offsets[to] = model->n_offsets[l];
        change_location(r, &locations[to]);
    }
    model->locations = locations;
    model->offsets = offsets;
    model->n_offsets = n_offsets;
}

static void change_notes(struct renumbering *r)
{
    struct mpl_quality *notes = mpl_quality_create(r->arena);

    r->is_short |= notes == NULL;
    for (size_t i = 0; notes != NULL && i < mpl_quality_count(r->model->quality); i++) {
        const struct mpl_quality_note *note = mpl_quality_get(r->model->quality, i);

        mpl_quality_add(notes, note->note, MPL_NONE, note->count, "%s", note->text);
        for (uint32_t k = 0; k < note->n_locations; k++) {
            mpl_quality_add(notes, note->note, r->location_becomes[note->locations[k]], 0,
                            NULL);
        }
    }
    r->model->quality = notes;
}

enum mpl_status mpl_model_renumber(struct mpl_model *model,
                                   const struct mpl_rank_pair *pairs, size_t n_pairs,
                                   struct mpl_arena *arena, struct mpl_err *err)
{
    const uint32_t n = model->n_processes;
    uint32_t *becomes = MPL_NEW_ARRAY(arena, n, uint32_t);
    bool *is_taken = MPL_NEW_ARRAY(arena, n, bool);
    struct renumbering r = { .model = model, .arena = arena, .becomes = becomes };

    r.location_becomes = make(&r, model->n_locations, sizeof *r.location_becomes);
    if (becomes == NULL || is_taken == NULL || r.is_short) {
        return mpl_nomem(err);
    }
    memset(becomes, 0xff, n * sizeof *becomes);
    const enum mpl_status st = take_pairs(pairs, n_pairs, n, becomes, is_taken, err);
    if (st != MPL_OK) {
        return st;
    }
    close_circles(becomes, is_taken, n);
    change_comms(&r);
    change_processes(&r);
    if (!r.is_short && model->timeline != NULL) {
        change_timeline(&r);
    }
    if (!r.is_short) {
        change_locations(&r);
        change_notes(&r);
    }
    return r.is_short ? mpl_nomem(err) : MPL_OK;
}
