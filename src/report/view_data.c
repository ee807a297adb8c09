/* Tables of views for programs: "marple-view/1" and CSV. Rows are written as they are made. */
#include "config.h"

#include "report/report_priv.h"

#include <string.h>

struct writing {
    const struct mpl_view *view;
    FILE *out;
    bool has_rows;
};

/* ---- JSON -------------------------------------------------------------------------------------- */

static struct mpl_json *cell_json(const struct mpl_cell *cell)
{
    switch (cell->kind) {
    case MPL_CELL_TEXT:
        return mpl_json_string(cell->text);
    case MPL_CELL_WHOLE:
        return mpl_json_integer(cell->whole);
    case MPL_CELL_NUMBER:
        return mpl_json_number(cell->number);
    default:
        return mpl_json_null();
    }
}

static enum mpl_status put_row(void *context, const struct mpl_cell *cells,
                               struct mpl_err *err)
{
    struct writing *w = context;
    struct mpl_json *row = mpl_json_array();

    for (size_t i = 0; i < w->view->n_columns; i++) {
        mpl_json_add(row, cell_json(&cells[i]));
    }
    mpl_text_print(w->out, "%s\n    ", w->has_rows ? "," : "");
    w->has_rows = true;
    return mpl_json_write_part(row, w->out, err);
}

static struct mpl_json *columns_json(const struct mpl_view *view)
{
    struct mpl_json *list = mpl_json_array();

    for (size_t i = 0; i < view->n_columns; i++) {
        struct mpl_json *column = mpl_json_object();

        mpl_json_set(column, "name", mpl_json_string(view->columns[i].name));
        mpl_json_set(column, "unit", mpl_json_string(view->columns[i].unit));
        mpl_json_add(list, column);
    }
    return list;
}

static struct mpl_json *selection_json(const struct mpl_selection *s)
{
    const struct mpl_model *model = s->run->model;
    struct mpl_json *json = mpl_json_object();
    struct mpl_json *locations = mpl_json_array();

    for (uint32_t l = 0; l < model->n_locations; l++) {
        if (s->has_location[l]) {
            mpl_json_add(locations, mpl_json_string(model->locations[l].label));
        }
    }
    mpl_json_set(json, "from_s", mpl_json_number(mpl_model_seconds(model, s->begin_ticks)));
    mpl_json_set(json, "to_s", mpl_json_number(mpl_model_seconds(model, s->end_ticks)));
    mpl_json_set(json, "step",
                 s->asked.step == 0 ? mpl_json_null() : mpl_json_integer(s->asked.step));
    mpl_json_set(json, "finding", mpl_json_string(s->asked.finding));
    mpl_json_set(json, "locations", locations);
    mpl_json_set(json, "communicators",
                 s->asked.n_comms == 0
                     ? mpl_json_null()
                     : mpl_json_strings(s->asked.comms, s->asked.n_comms));
    return json;
}

enum mpl_status mpl_report_view_json(const struct mpl_view_report *report, FILE *out,
                                     struct mpl_err *err)
{
    const struct mpl_selection *s = report->selection;
    struct writing w = { report->view, out, false };
    const struct mpl_row_sink sink = { put_row, &w };
    const struct {
        const char *key;
        struct mpl_json *value;
    } head[] = {
        { "schema", mpl_json_string("marple-view/1") },
        { "view", mpl_json_string(report->view->name) },
        { "trace", mpl_json_string(s->run->path) },
        { "selection", selection_json(s) },
        { "notes", mpl_json_strings(report->notes, report->n_notes) },
        { "columns", columns_json(report->view) },
    };
    enum mpl_status st = MPL_OK;

    for (size_t i = 0; i < sizeof head / sizeof *head; i++) {
        if (st == MPL_OK) {
            mpl_text_print(out, "%c\n  \"%s\": ", i == 0 ? '{' : ',', head[i].key);
            st = mpl_json_write_part(head[i].value, out, err);
        } else {
            mpl_json_destroy(head[i].value);
        }
    }
    (void) fputs(",\n  \"rows\": [", out);
    st = st == MPL_OK ? report->view->make(report->selection, report->arena, &sink, err)
                      : st;
    mpl_text_print(out, "\n  ]\n}\n");
    return st == MPL_OK ? mpl_file_flush(out, err) : st;
}

/* ---- CSV ------------------------------------------------------------------------------------------- */

/* A spreadsheet takes what begins so for a formula, even in quotes, and formulas can read files. */
static bool is_formula(const char *text)
{
    return text[0] != '\0' && strchr("=+-@\t\r\n", text[0]) != NULL;
}

/* Names of a trace: control characters are no letters in any program. */
static void put_text(const char *text, FILE *out)
{
    const bool is_plain = strpbrk(text, ",\"\r\n\t ") == NULL && !is_formula(text);

    if (is_plain) {
        mpl_text_print(out, "%s", text);
        return;
    }
    mpl_text_print(out, "\"%s", is_formula(text) ? "'" : "");
    for (const char *at = text; *at != '\0';) {
        const size_t n = strcspn(at, "\"");

        mpl_text_print(out, "%.*s%s", (int) n, at, at[n] == '"' ? "\"\"" : "");
        at += n + (at[n] == '"');
    }
    (void) fputc('"', out);
}

static enum mpl_status put_line(void *context, const struct mpl_cell *cells,
                                struct mpl_err *err)
{
    struct writing *w = context;

    (void) err;
    for (size_t i = 0; i < w->view->n_columns; i++) {
        mpl_text_print(w->out, "%s", i == 0 ? "" : ",");
        switch (cells[i].kind) {
        case MPL_CELL_TEXT:
            put_text(cells[i].text, w->out);
            break;
        case MPL_CELL_WHOLE:
            mpl_text_print(w->out, "%lld", (long long) cells[i].whole);
            break;
        case MPL_CELL_NUMBER:
            mpl_text_print(w->out, "%.15g", cells[i].number);
            break;
        default:
            break;
        }
    }
    (void) fputs("\r\n", w->out);
    return MPL_OK;
}

enum mpl_status mpl_report_view_csv(const struct mpl_view_report *report, FILE *out,
                                    struct mpl_err *err)
{
    const struct mpl_view *view = report->view;
    struct writing w = { view, out, false };
    const struct mpl_row_sink sink = { put_line, &w };

    for (size_t i = 0; i < view->n_columns; i++) {
        const char *unit = view->columns[i].unit;
        const bool has_unit = unit != NULL && strcmp(unit, "1") != 0;

        mpl_text_print(out, "%s%s%s%s", i == 0 ? "" : ",", view->columns[i].name,
                       has_unit ? "_" : "", has_unit ? unit : "");
    }
    (void) fputs("\r\n", out);
    const enum mpl_status st = view->make(report->selection, report->arena, &sink, err);

    return st == MPL_OK ? mpl_file_flush(out, err) : st;
}
