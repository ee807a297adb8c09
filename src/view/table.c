#include "config.h"

#include "view/view_priv.h"

#include <math.h>
#include <string.h>

struct mpl_cell mpl_cell_none(void)
{
    return (struct mpl_cell){ .kind = MPL_CELL_NONE };
}

struct mpl_cell mpl_cell_text(const char *text)
{
    return text == NULL ? mpl_cell_none()
                        : (struct mpl_cell){ .kind = MPL_CELL_TEXT, .text = text };
}

struct mpl_cell mpl_cell_whole(uint64_t whole)
{
    return (struct mpl_cell){ .kind = MPL_CELL_WHOLE,
                              .whole = whole > INT64_MAX ? INT64_MAX : (int64_t) whole };
}

struct mpl_cell mpl_cell_number(double number)
{
    return isnan(number) ? mpl_cell_none()
                         : (struct mpl_cell){ .kind = MPL_CELL_NUMBER, .number = number };
}

struct mpl_cell mpl_cell_seconds(const struct mpl_selection *s, int64_t ticks)
{
    return mpl_cell_number(mpl_model_seconds(s->run->model, ticks));
}

struct mpl_cell mpl_cell_location(const struct mpl_selection *s, uint32_t location)
{
    return location == MPL_NONE ? mpl_cell_none()
                                : mpl_cell_text(s->run->model->locations[location].label);
}

struct mpl_cell mpl_cell_host(const struct mpl_selection *s, uint32_t location)
{
    const struct mpl_model *model = s->run->model;

    return mpl_cell_text(model->processes[model->locations[location].process].host);
}

struct mpl_cell mpl_cell_comm(const struct mpl_selection *s, uint32_t comm)
{
    return mpl_cell_text(comm == MPL_NONE ? NULL : s->comm_names[comm]);
}

struct mpl_cell mpl_cell_region(const struct mpl_selection *s, uint32_t region)
{
    return mpl_cell_text(region == MPL_NONE ? NULL : s->run->model->regions[region].name);
}

struct mpl_cell mpl_cell_error(const struct mpl_selection *s, int64_t a_ticks,
                               int64_t b_ticks)
{
    const struct mpl_model *model = s->run->model;

    return a_ticks == INT64_MAX || b_ticks == INT64_MAX
               ? mpl_cell_none()
               : mpl_cell_number(mpl_model_seconds(model, a_ticks) +
                                 mpl_model_seconds(model, b_ticks));
}

/* ---- rows ------------------------------------------------------------------------------------------ */

enum mpl_status mpl_view_make(const struct mpl_view *view, struct mpl_selection *selection,
                              struct mpl_arena *arena, const struct mpl_row_sink *sink,
                              struct mpl_err *err)
{
    const uint32_t n = selection->run->model->n_locations;
    struct mpl_view_rows rows = { .view = view,
                                  .run = selection->run,
                                  .sink = sink,
                                  .arena = arena,
                                  .records = MPL_NEW_ARRAY(arena, n, struct mpl_records),
                                  .is_read = MPL_NEW_ARRAY(arena, n, bool) };

    return rows.records == NULL || rows.is_read == NULL ? mpl_nomem(err)
                                                        : view->make(selection, &rows, err);
}

enum mpl_status mpl_view_put(struct mpl_view_rows *rows, const struct mpl_cell *cells,
                             struct mpl_err *err)
{
    return rows->sink->take(rows->sink->context, cells, err);
}

enum mpl_status mpl_view_record(struct mpl_view_rows *rows, uint32_t location,
                                uint32_t span, struct mpl_cell *out, struct mpl_err *err)
{
    const struct mpl_run *run = rows->run;
    struct mpl_call_view call;

    *out = mpl_cell_none();
    if (span % 2 == 0) {
        return MPL_OK;
    }
    if (!rows->is_read[location]) {
        const enum mpl_status st = mpl_records_read(run->model, location, rows->arena,
                                                    &rows->records[location], err);

        if (st != MPL_OK) {
            return st;
        }
        rows->is_read[location] = true;
    }
    mpl_events_call(run->events, location, span / 2, &call);

    const char *text =
        mpl_arena_printf(rows->arena, "%s#%u", run->model->locations[location].label,
                         mpl_records_number(&rows->records[location], call.first_event));

    *out = mpl_cell_text(text);
    return text == NULL ? mpl_nomem(err) : MPL_OK;
}

enum mpl_status mpl_view_put_call(struct mpl_view_rows *rows, uint32_t location,
                                  uint32_t span, struct mpl_cell *cells,
                                  struct mpl_err *err)
{
    const enum mpl_status st =
        mpl_view_record(rows, location, span, &cells[rows->view->n_columns - 1], err);

    return st == MPL_OK ? mpl_view_put(rows, cells, err) : st;
}

/* ---- a whole table --------------------------------------------------------------------------------- */

struct collecting {
    size_t n_columns;
    struct mpl_buf cells;
};

static enum mpl_status keep(void *context, const struct mpl_cell *cells,
                            struct mpl_err *err)
{
    struct collecting *c = context;
    struct mpl_cell *copy = mpl_buf_add_many(&c->cells, c->n_columns);

    if (copy == NULL) {
        return mpl_nomem(err);
    }
    memcpy(copy, cells, c->n_columns * sizeof *cells);
    return MPL_OK;
}

enum mpl_status mpl_table_create(const struct mpl_view *view,
                                 struct mpl_selection *selection, struct mpl_arena *arena,
                                 const struct mpl_table **out, struct mpl_err *err)
{
    struct collecting c = { view->n_columns, mpl_buf_make(sizeof(struct mpl_cell)) };
    const struct mpl_row_sink sink = { keep, &c };
    struct mpl_table *table = MPL_NEW(arena, struct mpl_table);
    enum mpl_status st =
        table == NULL ? mpl_nomem(err) : mpl_view_make(view, selection, arena, &sink, err);

    if (st == MPL_OK) {
        table->view = view;
        table->n_rows = c.cells.n / view->n_columns;
        table->cells = mpl_buf_take(&c.cells, arena);
        st = table->cells == NULL ? mpl_nomem(err) : MPL_OK;
    }
    mpl_buf_free(&c.cells);
    *out = table;
    return st;
}
