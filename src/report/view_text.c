/*
 * Tables of views for people: what is shown and of what, then a matrix where the view has one and it
 * fits, else rows and columns as far as there is room; what there is no room for is named.
 */
#include "config.h"

#include "report/report_priv.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct showing {
    struct page *page;
    const struct mpl_table *table;
    const struct mpl_view *view;
    const bool *is_shown; /* per row */
};

static const struct mpl_cell *cell_at(const struct showing *s, size_t row, size_t column)
{
    return &s->table->cells[row * s->view->n_columns + column];
}

static double value_of(const struct mpl_cell *cell)
{
    return cell->kind == MPL_CELL_WHOLE    ? (double) cell->whole
           : cell->kind == MPL_CELL_NUMBER ? cell->number
                                           : 0;
}

/* ---- which rows ---------------------------------------------------------------------------------- */

struct rank {
    double value;
    size_t row;
};

static int by_value(const void *x, const void *y)
{
    const struct rank *a = x;
    const struct rank *b = y;

    if (a->value != b->value) {
        return a->value > b->value ? -1 : 1;
    }
    return (a->row > b->row) - (a->row < b->row);
}

/* The \p top of them with the largest values, wherever they stand; NULL: no memory. */
static bool *choose(struct mpl_arena *arena, const double *values, size_t n, size_t top)
{
    struct rank *ranks = MPL_NEW_ARRAY(arena, n, struct rank);
    bool *is_shown = MPL_NEW_ARRAY(arena, n, bool);

    if (ranks == NULL || is_shown == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        ranks[i] = (struct rank){ values[i], i };
    }
    if (n > top) {
        qsort(ranks, n, sizeof *ranks, by_value);
    }
    for (size_t i = 0; i < n && i < top; i++) {
        is_shown[ranks[i].row] = true;
    }
    return is_shown;
}

const bool *mpl_report_top_rows(const struct mpl_table *table, size_t top,
                                struct mpl_arena *arena)
{
    const struct mpl_view *view = table->view;
    double *values = MPL_NEW_ARRAY(arena, table->n_rows, double);

    for (size_t r = 0; values != NULL && r < table->n_rows; r++) {
        values[r] =
            view->by == 0 ? 0 : value_of(&table->cells[r * view->n_columns + view->by]);
    }
    return values == NULL ? NULL : choose(arena, values, table->n_rows, top);
}

/* ---- rows and columns ------------------------------------------------------------------------------- */

static const char *word_of(struct page *page, const struct mpl_cell *cell, const char *unit)
{
    const bool is_time = unit != NULL && strcmp(unit, "s") == 0;

    switch (cell->kind) {
    case MPL_CELL_TEXT:
        return cell->text;
    case MPL_CELL_WHOLE:
        return mpl_or_unknown(mpl_arena_printf(page->scratch, "%" PRId64, cell->whole));
    case MPL_CELL_NUMBER:
        return mpl_or_unknown(
            mpl_arena_printf(page->scratch, is_time ? "%.6f" : "%.3f", cell->number));
    default:
        return "-";
    }
}

struct layout {
    int *widths; /* per column; 0: it is not shown */
    size_t last; /* column that is shown */
    const char *empty;
    const char *same;
    const char *left_out;
};

static int width_of(const struct showing *s, size_t column)
{
    const struct mpl_column *c = &s->view->columns[column];
    int width = (int) strlen(c->name);

    for (size_t r = 0; r < s->table->n_rows; r++) {
        if (s->is_shown[r]) {
            const int n =
                (int) mpl_text_columns(word_of(s->page, cell_at(s, r, column), c->unit));

            width = n > width ? n : width;
        }
    }
    return width;
}

/* Nothing but zeros and unknowns, in all of the table. */
static bool is_empty(const struct showing *s, size_t column)
{
    for (size_t r = 0; r < s->table->n_rows; r++) {
        const struct mpl_cell *cell = cell_at(s, r, column);

        if (cell->kind == MPL_CELL_TEXT || value_of(cell) != 0) {
            return false;
        }
    }
    return true;
}

/* The same word in several rows says nothing about any of them. */
static bool is_same(const struct showing *s, size_t column)
{
    const struct mpl_cell *first = cell_at(s, 0, column);
    bool is_same = s->table->n_rows > 1 && first->kind == MPL_CELL_TEXT;

    for (size_t r = 1; is_same && r < s->table->n_rows; r++) {
        const struct mpl_cell *cell = cell_at(s, r, column);

        is_same = cell->kind == MPL_CELL_TEXT && strcmp(cell->text, first->text) == 0;
    }
    return is_same;
}

static const char *join(struct page *page, const char *list, const char *name)
{
    return mpl_or_unknown(
        mpl_arena_printf(page->scratch, "%s%s%s", list, list[0] == '\0' ? "" : ", ", name));
}

static bool lay_out(const struct showing *s, struct layout *out)
{
    int left = s->page->width;

    *out =
        (struct layout){ .widths = MPL_NEW_ARRAY(s->page->scratch, s->view->n_columns, int),
                         .empty = "",
                         .same = "",
                         .left_out = "" };
    /* The column that rows are chosen by is shown in any case. */
    left -= s->view->by == 0 ? 0 : width_of(s, s->view->by) + 2;
    for (size_t i = 0; out->widths != NULL && i < s->view->n_columns; i++) {
        const char *name = s->view->columns[i].name;
        const int width = width_of(s, i);
        const int more = i == s->view->by && i > 0 ? 0 : width + 2;

        if (i > 0 && is_empty(s, i)) {
            out->empty = join(s->page, out->empty, name);
        } else if (i > 0 && is_same(s, i)) {
            out->same = join(s->page, out->same,
                             mpl_or_unknown(mpl_arena_printf(
                                 s->page->scratch, "%s %s", name, cell_at(s, 0, i)->text)));
        } else if (i > 0 && more > left) {
            out->left_out = join(s->page, out->left_out, name);
        } else {
            out->widths[i] = width;
            out->last = i;
            left -= more;
        }
    }
    return out->widths != NULL;
}

static void print_cell(const struct showing *s, const struct layout *layout, size_t column,
                       const char *word, bool is_word)
{
    const int width = layout->widths[column];
    const int blanks = width - (int) mpl_text_columns(word);

    mpl_text_print(s->page->out, "  %*s%s%*s", is_word || blanks < 0 ? 0 : blanks, "", word,
                   is_word && blanks > 0 && column < layout->last ? blanks : 0, "");
}

static const char *unit_of(const struct mpl_column *column)
{
    return column->unit == NULL || strcmp(column->unit, "1") == 0 ? "" : column->unit;
}

/* Names, and below them units. */
static void print_heading(const struct showing *s, const struct layout *layout)
{
    size_t last_unit = 0;

    for (size_t i = 0; i < s->view->n_columns; i++) {
        const struct mpl_column *c = &s->view->columns[i];

        if (layout->widths[i] > 0) {
            print_cell(s, layout, i, c->name, c->unit == NULL);
            last_unit = unit_of(c)[0] != '\0' ? i : last_unit;
        }
    }
    (void) fputc('\n', s->page->out);
    for (size_t i = 0; last_unit > 0 && i <= last_unit; i++) {
        if (layout->widths[i] > 0) {
            print_cell(s, layout, i, unit_of(&s->view->columns[i]), false);
        }
    }
    if (last_unit > 0) {
        (void) fputc('\n', s->page->out);
    }
}

static void print_rows(const struct showing *s)
{
    struct layout layout;
    size_t n_shown = 0;

    if (!lay_out(s, &layout)) {
        mpl_page_say(s->page, 0, "(out of memory)");
        return;
    }
    print_heading(s, &layout);
    for (size_t r = 0; r < s->table->n_rows; r++) {
        for (size_t i = 0; s->is_shown[r] && i < s->view->n_columns; i++) {
            const char *unit = s->view->columns[i].unit;

            if (layout.widths[i] > 0) {
                print_cell(s, &layout, i, word_of(s->page, cell_at(s, r, i), unit),
                           unit == NULL);
            }
        }
        if (s->is_shown[r]) {
            (void) fputc('\n', s->page->out);
            n_shown++;
        }
    }
    if (n_shown < s->table->n_rows) {
        const struct mpl_column *by = &s->view->columns[s->view->by];

        mpl_page_say(s->page, 0,
                     "%zu of %zu rows, %s%s. --top shows more, --format csv all.", n_shown,
                     s->table->n_rows,
                     s->view->by == 0 ? "the first ones" : "those with the largest ",
                     s->view->by == 0 ? "" : by->name);
    }
    if (layout.empty[0] != '\0') {
        mpl_page_say(s->page, 0, "0 or unknown everywhere: %s.", layout.empty);
    }
    if (layout.same[0] != '\0') {
        mpl_page_say(s->page, 0, "The same in all rows: %s.", layout.same);
    }
    if (layout.left_out[0] != '\0') {
        mpl_page_say(s->page, 0, "For lack of room only in --format csv and json: %s.",
                     layout.left_out);
    }
}

/* ---- a matrix -------------------------------------------------------------------------------------------- */

struct matrix {
    const struct showing *s;
    const char **names[2]; /* of rows and columns */
    size_t n[2];
    double *values; /* [row * n[1] + column]; NaN: no such row of the table */
    double *sums;   /* per row */
    const char *unit;
    double scale;
    int decimals;
    int width;       /* of a cell */
    int label_width; /* of the rows */
};

static const char *name_at(const struct matrix *m, size_t row, int side)
{
    return word_of(m->s->page, cell_at(m->s, row, (size_t) side),
                   m->s->view->columns[side].unit);
}

/* Names of one side, each once; rows of tables are sorted by their first cell, so rows come in order. */
static bool find_names(struct matrix *m, int side, const struct mpl_model *model)
{
    const size_t n = m->s->table->n_rows;
    bool *is_there = MPL_NEW_ARRAY(m->s->page->scratch, model->n_locations, bool);

    m->names[side] = MPL_NEW_ARRAY(m->s->page->scratch, n + 1, const char *);
    if (m->names[side] == NULL || is_there == NULL) {
        return false;
    }
    for (size_t r = 0; r < n; r++) {
        const char *name = name_at(m, r, side);

        if (side == 0) {
            if (m->n[0] == 0 || strcmp(m->names[0][m->n[0] - 1], name) != 0) {
                m->names[0][m->n[0]++] = name;
            }
        } else {
            const uint32_t l = mpl_model_find_location(model, name);

            if (l != MPL_NONE) {
                is_there[l] = true;
            }
        }
    }
    for (uint32_t l = 0; side == 1 && l < model->n_locations; l++) {
        if (is_there[l]) {
            m->names[1][m->n[1]++] = model->locations[l].label;
        }
    }
    return true;
}

static bool fill(struct matrix *m)
{
    size_t at = 0;

    m->values = MPL_NEW_ARRAY(m->s->page->scratch, m->n[0] * m->n[1], double);
    m->sums = MPL_NEW_ARRAY(m->s->page->scratch, m->n[0], double);
    if (m->values == NULL || m->sums == NULL) {
        return false;
    }
    for (size_t i = 0; i < m->n[0] * m->n[1]; i++) {
        m->values[i] = NAN;
    }
    for (size_t r = 0; r < m->s->table->n_rows; r++) {
        const double value = value_of(cell_at(m->s, r, m->s->view->by));
        size_t column = 0;

        while (column < m->n[1] && strcmp(m->names[1][column], name_at(m, r, 1)) != 0) {
            column++;
        }
        at += strcmp(m->names[0][at], name_at(m, r, 0)) != 0;
        m->sums[at] += value;
        if (column < m->n[1]) {
            m->values[at * m->n[1] + column] = value;
        }
    }
    return true;
}

/* As many decimals as there is room for, up to three; two digits must be left of the largest. */
static bool fits(struct matrix *m)
{
    static const struct {
        double scale;
        const char *name;
    } units[] = { { 1, "s" }, { 1e3, "ms" }, { 1e6, "us" } };
    double most = 0;
    size_t unit = 0;

    for (size_t r = 0; r < m->n[0]; r++) {
        most = m->sums[r] > most ? m->sums[r] : most;
        const int n = (int) mpl_text_columns(m->names[0][r]);
        m->label_width = n > m->label_width ? n : m->label_width;
    }
    while (unit < 2 && most * units[unit].scale < 1) {
        unit++;
    }
    m->unit = units[unit].name;
    m->scale = units[unit].scale;
    for (m->decimals = 3; m->decimals >= (most * m->scale < 10); m->decimals--) {
        m->width = snprintf(NULL, 0, "%.*f", m->decimals, most * m->scale);
        for (size_t c = 0; c < m->n[1]; c++) {
            const int n = (int) mpl_text_columns(m->names[1][c]);
            m->width = n > m->width ? n : m->width;
        }
        if (4 + m->label_width + (int) (m->n[1] + 1) * (m->width + 1) <=
            m->s->page->width) {
            return true;
        }
    }
    return false;
}

static void print_value(const struct matrix *m, double value)
{
    if (isnan(value) || value == 0) {
        mpl_text_print(m->s->page->out, " %*s", m->width, ".");
    } else {
        mpl_text_print(m->s->page->out, " %*.*f", m->width, m->decimals, value * m->scale);
    }
}

static void print_matrix(const struct matrix *m, size_t top)
{
    FILE *out = m->s->page->out;
    const bool *is_shown = choose(m->s->page->scratch, m->sums, m->n[0], top);
    size_t n_shown = 0;

    mpl_text_print(out, "  %*s ", m->label_width, "");
    for (size_t c = 0; c < m->n[1]; c++) {
        mpl_text_print(out, " %*s", m->width, m->names[1][c]);
    }
    mpl_text_print(out, " %*s  (%s)\n", m->width, "all", m->unit);
    for (size_t r = 0; is_shown != NULL && r < m->n[0]; r++) {
        if (is_shown[r]) {
            mpl_text_print(out, "  %*s ", m->label_width, m->names[0][r]);
            for (size_t c = 0; c < m->n[1]; c++) {
                print_value(m, m->values[r * m->n[1] + c]);
            }
            print_value(m, m->sums[r]);
            (void) fputc('\n', out);
            n_shown++;
        }
    }
    if (n_shown < m->n[0]) {
        mpl_page_say(m->s->page, 0,
                     "%zu of %zu lines, those with the largest sums. --top shows more, "
                     "--format csv all.",
                     n_shown, m->n[0]);
    }
}

/* False where there is no matrix, or no room for it. */
static bool show_matrix(const struct showing *s, const struct mpl_model *model, size_t top)
{
    struct matrix m = { .s = s };

    if (s->view->mark != MPL_MARK_MATRIX || s->table->n_rows == 0 ||
        !find_names(&m, 0, model) || !find_names(&m, 1, model) || m.n[1] == 0 ||
        !fill(&m) || !fits(&m)) {
        return false;
    }
    mpl_text_print(s->page->out, "%s down, %s across: %s\n", s->view->columns[0].name,
                   s->view->columns[1].name, s->view->columns[s->view->by].says);
    print_matrix(&m, top);
    return true;
}

/* ---- the page ----------------------------------------------------------------------------------------------- */

const char *mpl_report_selection_words(const struct mpl_selection *s,
                                       struct mpl_arena *arena)
{
    const struct mpl_model *model = s->run->model;
    const char *text = "";
    const bool is_part = !isnan(s->asked.from_s) || !isnan(s->asked.to_s) ||
                         s->asked.step != 0 || s->asked.finding != NULL;

    if (s->asked.step != 0) {
        text = mpl_or_unknown(
            mpl_arena_printf(arena, "step %ld of %u, ", s->asked.step, s->steps->n));
    }
    if (s->asked.finding != NULL) {
        text = mpl_or_unknown(
            mpl_arena_printf(arena, "%sfinding %s, ", text, s->asked.finding));
    }
    text = mpl_or_unknown(mpl_arena_printf(
        arena, "%s%s%.6f to %.6f s", text, is_part ? "" : "the whole run, ",
        mpl_model_seconds(model, s->begin_ticks), mpl_model_seconds(model, s->end_ticks)));
    if (s->n_locations < model->n_locations) {
        text = mpl_or_unknown(mpl_arena_printf(arena, "%s, %u of %u locations", text,
                                               s->n_locations, model->n_locations));
    }
    for (size_t i = 0; i < s->asked.n_comms; i++) {
        text = mpl_or_unknown(mpl_arena_printf(arena, "%s%s%s", text,
                                               i == 0 ? ", communicator " : " and ",
                                               s->asked.comms[i]));
    }
    return text;
}

static void show(struct page *page, const struct mpl_view_report *report,
                 const struct mpl_table *table, size_t top)
{
    const struct mpl_view *view = report->view;
    const struct showing s = { .page = page,
                               .table = table,
                               .view = view,
                               .is_shown = mpl_report_top_rows(table, top, page->scratch) };

    mpl_page_say(page, 0, "%s: %s", view->name, view->says);
    mpl_page_say(page, 0, "(%s)",
                 mpl_report_selection_words(report->selection, page->scratch));
    for (size_t i = 0; i < report->n_notes; i++) {
        mpl_page_tell(page, 0, "note: ", "%s.", report->notes[i]);
    }
    if (s.is_shown == NULL) {
        mpl_page_say(page, 0, "(out of memory)");
    } else if (table->n_rows == 0) {
        mpl_page_say(page, 0, "Nothing to show.");
    } else if (!show_matrix(&s, report->selection->run->model, top)) {
        print_rows(&s);
    }
}

enum mpl_status mpl_report_view_text(const struct mpl_view_report *report, size_t top,
                                     const struct mpl_report_options *options, FILE *out,
                                     struct mpl_err *err)
{
    const struct mpl_table *table = NULL;
    struct page page;
    const enum mpl_status st =
        mpl_table_create(report->view, report->selection, report->arena, &table, err);

    if (st != MPL_OK) {
        return st;
    }
    mpl_page_open(&page, options, out);
    show(&page, report, table, top);
    return mpl_page_close(&page, err);
}
