/*
 * Each location at each instance of a collective operation: its signal arrival and signal departure,
 * and with its wait the performance oriented view of section 4.5. The order of arrival counts only who
 * came earlier for sure: who is closer together than the clocks can tell shares a place.
 */
#include "config.h"

#include "view/view_priv.h"

static const struct mpl_column columns[] = {
    { "instance", "1", "number, as in collectives" },
    { "communicator", NULL, "of whom it is an operation" },
    { "operation", NULL, "which one" },
    { "location", NULL, "who takes part" },
    { "host", NULL, "machine that it runs on" },
    { "enter", "s", "when it enters" },
    { "arrival", "s", "behind the first one to enter" },
    { "place", "1", "1 and how many others enter earlier for sure" },
    { "wait", "s", "until those have entered whom it needs" },
    { "leave", "s", "when it leaves" },
    { "departure", "s",
      "behind the last one to enter; below 0 it does not wait for that one" },
    { "clock_error", "s", "by how much enter and leave may be wrong" },
    { "record", NULL, "where its call begins" },
};
enum { N_COLUMNS = sizeof columns / sizeof *columns };

/* Cost: parts squared, of those that are selected; a place needs a look at all others. */
static uint64_t place_of(const struct mpl_instance *x, uint32_t i)
{
    uint64_t place = 1;

    for (uint32_t k = 0; k < x->n; k++) {
        place += mpl_arrivals_are_apart(&x->parts[k], x->parts[k].enter_ticks, &x->parts[i],
                                        x->parts[i].enter_ticks);
    }
    return place;
}

static enum mpl_status emit(const struct mpl_selection *s, uint32_t number,
                            const struct mpl_instance *x, uint32_t i,
                            struct mpl_view_rows *rows, struct mpl_err *err)
{
    const struct mpl_coll_instance *instance = &s->run->match->instances[number];
    const struct mpl_arrival *part = &x->parts[i];
    struct mpl_cell cells[N_COLUMNS] = {
        mpl_cell_whole(number + 1),
        mpl_cell_comm(s, instance->comm),
        mpl_cell_text(mpl_coll_op_name(instance->op)),
        mpl_cell_location(s, part->location),
        mpl_cell_host(s, part->location),
        mpl_cell_seconds(s, part->enter_ticks),
        mpl_cell_seconds(s, part->enter_ticks - x->parts[x->first_in].enter_ticks),
        mpl_cell_whole(place_of(x, i)),
        mpl_cell_seconds(s, part->wait_ticks),
        mpl_cell_seconds(s, part->leave_ticks),
        mpl_cell_seconds(s, part->leave_ticks - x->parts[x->last_in].enter_ticks),
        part->error_ticks == INT64_MAX ? mpl_cell_none()
                                       : mpl_cell_seconds(s, part->error_ticks),
    };

    return mpl_view_put_call(rows, part->location, part->span, cells, err);
}

static enum mpl_status make(struct mpl_selection *s, struct mpl_view_rows *rows,
                            struct mpl_err *err)
{
    struct mpl_arrival *parts =
        MPL_NEW_ARRAY(rows->arena, mpl_instance_most_parts(s), struct mpl_arrival);
    struct mpl_instance found;
    enum mpl_status st = parts == NULL ? mpl_nomem(err) : MPL_OK;

    for (uint32_t i = 0; i < s->run->match->n_instances && st == MPL_OK; i++) {
        if (!mpl_selection_has_instance(s, i)) {
            continue;
        }
        mpl_instance_find(s, i, parts, &found);
        for (uint32_t k = 0; k < found.n && st == MPL_OK; k++) {
            if (s->has_location[parts[k].location]) {
                st = emit(s, i, &found, k, rows, err);
            }
        }
    }
    return st;
}

const struct mpl_view mpl_view_arrivals = {
    .name = "arrivals",
    .says = "when each location arrives at each collective operation, and leaves",
    .mark = MPL_MARK_STRETCHES,
    .axes = { .of = { 3 }, .n_of = 1, .x = 5, .x_end = 9, .error = 11, .wait = 8 },
    MPL_COLUMNS(columns),
    .by = 8,
    .make = make,
};
