#include "config.h"

#include "analysis/analysis_priv.h"

static struct mpl_slot yes_or_no(const char *name, bool is_so)
{
    return mpl_slot_symbol(name, is_so ? "yes" : "no");
}

static const char *region_name(const struct mpl_model *model, uint32_t region)
{
    return region == MPL_NONE ? "" : model->regions[region].name;
}

/* "solve (heat.c:12)": where its call is made, or else the function around it. */
static const char *place_text(struct mpl_analysis *a, const struct mpl_model *model,
                              const struct mpl_halt_place *place)
{
    const uint32_t site =
        place->state == MPL_HALT_IN_CALL
            ? mpl_location_site(&model->locations[place->location], place->event)
            : MPL_NONE;
    const struct mpl_region *around =
        place->function == MPL_NONE ? NULL : &model->regions[place->function];
    const char *name = around != NULL ? around->name : "";
    const char *file = around != NULL ? around->file : NULL;
    uint32_t line = around != NULL ? around->line : 0;

    if (site != MPL_NONE) {
        name = model->sites[site].function;
        file = model->sites[site].file;
        line = model->sites[site].line;
    }
    return file == NULL || line == 0
               ? name
               : mpl_arena_printf(a->arena, "%s (%s:%u)", name, file, (unsigned) line);
}

/* Of the only message that it waits for; -1: any, or that is not known. */
static struct mpl_slot tag_of(const struct mpl_model *model,
                              const struct mpl_halt_place *place)
{
    struct mpl_slot slot = mpl_slot_integer("tag", 0);

    slot.integer = -1;
    if (place->state == MPL_HALT_IN_CALL &&
        model->locations[place->location].n_wanted == 1) {
        const struct mpl_location *loc = &model->locations[place->location];
        const struct mpl_envelope *e = &loc->envelopes[loc->wanted[0]];

        slot.integer = e->any_tag ? -1 : (int64_t) e->tag;
    }
    return slot;
}

/* The label of the thread of a process of which the rest is said. */
static const char *label_of(const struct mpl_run *run, uint32_t process)
{
    const uint32_t location = run->halt->places[process].location;

    return run->model
        ->locations[location != MPL_NONE ? location
                                         : run->model->processes[process].locations[0]]
        .label;
}

/* Slots of a fact; the last ones are those of a list. */
static bool add(struct mpl_buf *slots, struct mpl_slot slot)
{
    return mpl_buf_put(slots, &slot);
}

static enum mpl_status assert_with(struct mpl_analysis *a, const struct mpl_run *run,
                                   const char *template, const struct mpl_slot *slots,
                                   size_t n, const char *list, const uint32_t *processes,
                                   size_t n_processes, struct mpl_err *err)
{
    struct mpl_buf all = mpl_buf_make(sizeof(struct mpl_slot));
    bool is_whole = true;

    for (size_t i = 0; i < n && is_whole; i++) {
        is_whole = add(&all, slots[i]);
    }
    for (size_t i = 0; i < n_processes && is_whole; i++) {
        is_whole = add(&all, mpl_slot_text(list, label_of(run, processes[i])));
    }
    const enum mpl_status st =
        is_whole ? mpl_infer_assert(a->infer, template, (const struct mpl_slot *) all.data,
                                    all.n, err)
                 : mpl_nomem(err);

    mpl_buf_free(&all);
    return st;
}

static enum mpl_status assert_place(struct mpl_analysis *a, const struct mpl_run *run,
                                    uint32_t process, struct mpl_err *err)
{
    const struct mpl_halt_place *place = &run->halt->places[process];
    const struct mpl_model *model = run->model;
    const char *function = place_text(a, model, place);
    const struct mpl_slot slots[] = {
        mpl_slot_text("run", run->id),
        mpl_slot_text("location", label_of(run, process)),
        mpl_slot_symbol("state", mpl_halt_state_name(place->state)),
        mpl_slot_text("call", region_name(model, place->region)),
        mpl_slot_text("comm",
                      place->comm == MPL_NONE ? "" : model->comms[place->comm].name),
        mpl_slot_text("place", function != NULL ? function : ""),
        mpl_slot_float("for", place->for_s),
        mpl_slot_text("last", region_name(model, place->last_region)),
        mpl_slot_text("expected", region_name(model, place->expected_region)),
        mpl_slot_integer("times", place->n_expected),
        tag_of(model, place),
        yes_or_no("known", place->is_known),
    };

    return assert_with(a, run, "halted", slots, sizeof slots / sizeof slots[0], "waits-for",
                       place->waits_for, place->n_waits_for, err);
}

static bool is_waited_for(const struct mpl_halt *halt, const struct mpl_halt_place *place,
                          enum mpl_halt_state state)
{
    for (uint32_t i = 0; i < place->n_waits_for; i++) {
        if (halt->places[place->waits_for[i]].state == state) {
            return true;
        }
    }
    return false;
}

/* Whether somebody waits for one who has left the program. */
static bool is_gone_waited_for(const struct mpl_run *run)
{
    bool is_so = false;

    for (uint32_t p = 0; p < run->model->n_processes; p++) {
        is_so |= is_waited_for(run->halt, &run->halt->places[p], MPL_HALT_OVER);
    }
    return is_so;
}

/* Whether somebody who is not stuck may release one who is. */
static bool is_release_possible(const struct mpl_run *run)
{
    bool is_so = false;

    for (uint32_t p = 0; p < run->model->n_processes; p++) {
        const struct mpl_halt_place *place = &run->halt->places[p];

        is_so |=
            place->state == MPL_HALT_IN_CALL &&
            (place->n_waits_for == 0 || is_waited_for(run->halt, place, MPL_HALT_OUTSIDE) ||
             is_waited_for(run->halt, place, MPL_HALT_POLLS));
    }
    return is_so;
}

static enum mpl_status assert_leftover(struct mpl_analysis *a, const struct mpl_run *run,
                                       const struct mpl_halt_leftover *left,
                                       struct mpl_err *err)
{
    struct mpl_slot usual = mpl_slot_integer("usual-tag", left->usual_tag);

    usual.integer = left->usual_tag == MPL_NONE ? -1 : usual.integer;
    const struct mpl_slot slots[] = { mpl_slot_text("run", run->id),
                                      mpl_slot_text("from", label_of(run, left->from)),
                                      mpl_slot_text("to", label_of(run, left->to)),
                                      mpl_slot_integer("tag", left->tag), usual };

    return mpl_infer_assert(a->infer, "unreceived", slots, sizeof slots / sizeof slots[0],
                            err);
}

enum mpl_status mpl_halt_assert(struct mpl_analysis *a, const struct mpl_run *run,
                                struct mpl_err *err)
{
    const struct mpl_halt *halt = run->halt;

    if (halt == NULL) {
        return MPL_OK;
    }
    const struct mpl_slot slots[] = {
        mpl_slot_text("run", run->id),
        yes_or_no("standstill", halt->is_standstill),
        mpl_slot_float("silence", halt->silence_s),
        mpl_slot_float("pause", halt->pause_s),
        mpl_slot_float("usual", halt->usual_s),
        mpl_slot_integer("stuck", halt->n_in[MPL_HALT_IN_CALL]),
        mpl_slot_integer("working",
                         halt->n_in[MPL_HALT_OUTSIDE] + halt->n_in[MPL_HALT_POLLS]),
        mpl_slot_integer("unjudged", halt->n_in[MPL_HALT_UNKNOWN]),
        yes_or_no("gone", is_gone_waited_for(run)),
        yes_or_no("release", is_release_possible(run)),
        yes_or_no("known", halt->is_cycle_known)
    };
    enum mpl_status st = assert_with(a, run, "halt", slots, sizeof slots / sizeof slots[0],
                                     "cycle", halt->cycle, halt->n_cycle, err);

    for (uint32_t p = 0; p < run->model->n_processes && st == MPL_OK; p++) {
        if (run->model->processes[p].n_locations > 0) {
            st = assert_place(a, run, p, err);
        }
    }
    for (uint32_t i = 0; i < halt->n_leftovers && st == MPL_OK; i++) {
        st = assert_leftover(a, run, &halt->leftovers[i], err);
    }
    return st;
}
