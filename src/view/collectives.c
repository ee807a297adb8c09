/*
 * Each instance of a collective operation: the signal arrival and signal departure views of section
 * 4.5 in one row, with who was last and how long the others waited. Departures need good clocks (the
 * paper's footnote 2), and so does an order of arrival: who arrives closer to the last one than both
 * clocks may be wrong came together with it, and then nobody is named.
 */
#include "config.h"

#include "view/view_priv.h"

static const struct mpl_column columns[] = {
    { "instance", "1", "number, in the order of communicators and of their operations" },
    { "communicator", NULL, "of whom it is an operation" },
    { "operation", NULL, "which one" },
    { "root", NULL, "location of the root, if it has one" },
    { "parts", "1", "locations that take part, as far as the trace holds them" },
    { "last_in", "s", "when the last one enters" },
    { "last", NULL, "who that is; together: closer to others than clocks can tell" },
    { "late", "s", "by how much, behind the last but one" },
    { "wait", "s", "of all, until those have entered whom they need" },
    { "arrival_spread", "s", "between the first and the last enter" },
    { "departure_spread", "s", "between the first and the last leave" },
    { "first_in", "s", "when the first one enters" },
    { "last_out", "s", "when the last one leaves" },
    { "clock_error", "s", "by how much the distance of the two last enters may be wrong" },
    { "record", NULL, "where the call of the last one begins" },
};
enum { N_COLUMNS = sizeof columns / sizeof *columns };

static enum mpl_status emit(const struct mpl_selection *s, uint32_t number,
                            const struct mpl_instance *found, struct mpl_view_rows *rows,
                            struct mpl_err *err)
{
    const struct mpl_coll_instance *x = &s->run->match->instances[number];
    const struct mpl_arrival *first = &found->parts[found->first_in];
    const struct mpl_arrival *last = &found->parts[found->last_in];
    const struct mpl_arrival *next = &found->parts[found->next_to_last_in];
    const struct mpl_arrival *out = &found->parts[found->last_out];
    const struct mpl_process *root =
        x->root == MPL_NONE ? NULL : &s->run->model->processes[x->root];
    struct mpl_cell cells[N_COLUMNS] = {
        mpl_cell_whole(number + 1),
        mpl_cell_comm(s, x->comm),
        mpl_cell_text(mpl_coll_op_name(x->op)),
        mpl_cell_location(s, root == NULL ? MPL_NONE : root->locations[0]),
        mpl_cell_whole(found->n),
        mpl_cell_seconds(s, last->enter_ticks),
        found->n < 2           ? mpl_cell_none()
        : found->is_last_known ? mpl_cell_location(s, last->location)
                               : mpl_cell_text("together"),
        mpl_cell_seconds(s, last->enter_ticks - next->enter_ticks),
        mpl_cell_seconds(s, found->wait_ticks),
        mpl_cell_seconds(s, last->enter_ticks - first->enter_ticks),
        mpl_cell_seconds(s, out->leave_ticks - found->parts[found->first_out].leave_ticks),
        mpl_cell_seconds(s, first->enter_ticks),
        mpl_cell_seconds(s, out->leave_ticks),
        found->n > 1 ? mpl_cell_error(s, last->error_ticks, next->error_ticks)
                     : mpl_cell_none(),
    };

    return mpl_view_put_call(rows, last->location, last->span, cells, err);
}

static enum mpl_status make(struct mpl_selection *s, struct mpl_view_rows *rows,
                            struct mpl_err *err)
{
    struct mpl_arrival *parts =
        MPL_NEW_ARRAY(rows->arena, mpl_instance_most_parts(s), struct mpl_arrival);
    struct mpl_instance found;
    enum mpl_status st = parts == NULL ? mpl_nomem(err) : MPL_OK;

    for (uint32_t i = 0; i < s->run->match->n_instances && st == MPL_OK; i++) {
        if (mpl_selection_has_instance(s, i)) {
            mpl_instance_find(s, i, parts, &found);
            st = found.n > 0 ? emit(s, i, &found, rows, err) : MPL_OK;
        }
    }
    return st;
}

const struct mpl_view mpl_view_collectives = {
    .name = "collectives",
    .says =
        "when the first and the last one arrive at each collective operation, and leave",
    .mark = MPL_MARK_LINES,
    .axes = { .of = { 1, 2 }, .n_of = 2, .x = 5, .y = { 8, 9 }, .n_y = 2 },
    MPL_COLUMNS(columns),
    .by = 8,
    .make = make,
};
