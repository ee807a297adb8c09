/* Tables of views for programs: "marple-view/1" and CSV. Rows are written as they are made. */
#include "config.h"

#include "report/report_priv.h"

#include <string.h>

struct writing {
    const struct mpl_view *view;
    FILE *out;
    struct mpl_json json;
};

static enum mpl_status put_row(void *context, const struct mpl_cell *cells,
                               struct mpl_err *err)
{
    struct writing *w = context;

    mpl_json_array(&w->json, NULL);
    for (size_t i = 0; i < w->view->n_columns; i++) {
        switch (cells[i].kind) {
        case MPL_CELL_WHOLE:
            mpl_json_integer(&w->json, NULL, cells[i].whole);
            break;
        case MPL_CELL_NUMBER:
            mpl_json_number(&w->json, NULL, cells[i].number);
            break;
        default:
            mpl_json_string(&w->json, NULL,
                            cells[i].kind == MPL_CELL_TEXT ? cells[i].text : NULL);
        }
    }
    mpl_json_end(&w->json);
    return mpl_json_write_part(&w->json, w->out, err);
}

static void put_selection(struct mpl_json *json, const struct mpl_selection *s)
{
    const struct mpl_model *model = s->run->model;

    mpl_json_object(json, "selection");
    mpl_json_number(json, "from_s", mpl_model_seconds(model, s->begin_ticks));
    mpl_json_number(json, "to_s", mpl_model_seconds(model, s->end_ticks));
    mpl_json_integer_if(json, "step", s->asked.step != 0, s->asked.step);
    mpl_json_string(json, "finding", s->asked.finding);
    mpl_json_array(json, "locations");
    for (uint32_t l = 0; l < model->n_locations; l++) {
        if (s->has_location[l]) {
            mpl_json_string(json, NULL, model->locations[l].label);
        }
    }
    mpl_json_end(json);
    if (s->asked.n_comms == 0) {
        mpl_json_string(json, "communicators", NULL);
    } else {
        mpl_json_strings(json, "communicators", s->asked.comms, s->asked.n_comms);
    }
    mpl_json_end(json);
}

enum mpl_status mpl_report_view_json(const struct mpl_view_report *report, FILE *out,
                                     struct mpl_err *err)
{
    const struct mpl_view *view = report->view;
    struct writing w = { view, out, mpl_json_begin() };
    const struct mpl_row_sink sink = { put_row, &w };

    mpl_json_flat(&w.json, true);
    mpl_json_string(&w.json, "schema", "marple-view/1");
    mpl_json_string(&w.json, "view", view->name);
    mpl_json_string(&w.json, "trace", report->selection->run->path);
    put_selection(&w.json, report->selection);
    mpl_json_strings(&w.json, "notes", report->notes, report->n_notes);
    mpl_json_array(&w.json, "columns");
    for (size_t i = 0; i < view->n_columns; i++) {
        mpl_json_object(&w.json, NULL);
        mpl_json_string(&w.json, "name", view->columns[i].name);
        mpl_json_string(&w.json, "unit", view->columns[i].unit);
        mpl_json_end(&w.json);
    }
    mpl_json_end(&w.json);
    mpl_json_flat(&w.json, false);
    mpl_json_array(&w.json, "rows");
    mpl_json_flat(&w.json, true);
    enum mpl_status st = mpl_json_write_part(&w.json, out, err);
    st = st == MPL_OK ? mpl_view_make(view, report->selection, report->arena, &sink, err)
                      : st;
    mpl_json_end(&w.json);
    if (st == MPL_OK) {
        return mpl_json_write(&w.json, out, err);
    }
    (void) mpl_json_write(&w.json, out, NULL); /* What was asked for so far, whole. */
    return st;
}

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
    struct writing w = { .view = view, .out = out };
    const struct mpl_row_sink sink = { put_line, &w };

    for (size_t i = 0; i < view->n_columns; i++) {
        const char *unit = view->columns[i].unit;
        const bool has_unit = unit != NULL && strcmp(unit, "1") != 0;

        mpl_text_print(out, "%s%s%s%s", i == 0 ? "" : ",", view->columns[i].name,
                       has_unit ? "_" : "", has_unit ? unit : "");
    }
    (void) fputs("\r\n", out);
    const enum mpl_status st =
        mpl_view_make(view, report->selection, report->arena, &sink, err);

    return st == MPL_OK ? mpl_file_flush(out, err) : st;
}
