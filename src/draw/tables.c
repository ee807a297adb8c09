/* What has no picture: other findings, patterns with their roles, metrics, clocks, what weakens conclusions. */
#include "config.h"

#include <math.h>

#include "draw/draw_priv.h"

/* So many rows of metrics; there are some per process. JSON has all. */
enum { MOST_METRICS = 600, MOST_CLOCKS = 256 };

static void open_part(const struct sheet *s, const char *id, const char *title)
{
    mpl_markup_print(s->out, "<details id=\"%s\"><summary>%s</summary>\n", id, title);
}

static void end_part(const struct sheet *s)
{
    mpl_markup_put(s->out, "</details>\n");
}

static void row(const struct sheet *s)
{
    mpl_markup_put(s->out, "<tr>");
}

static void end_row(const struct sheet *s)
{
    mpl_markup_put(s->out, "</tr>\n");
}

static void draw_findings(const struct sheet *s)
{
    static const char *const heads[] = { "id", "kind", "name", "says", "#lost", NULL };

    open_part(s, "findings", "All findings");
    mpl_draw_table(s, "Findings, causes first", heads);
    for (size_t i = 0; i < s->d->n_findings; i++) {
        const struct mpl_diagnosed *f = &s->d->findings[i];

        row(s);
        mpl_draw_text_cell(s, f->id);
        mpl_draw_text_cell(s, f->finding->kind);
        mpl_draw_text_cell(s, f->finding->name);
        mpl_draw_text_cell(s, f->headline);
        mpl_draw_unit_cell(s, f->lost_s, "s");
        end_row(s);
    }
    mpl_draw_table_end(s);
    end_part(s);
}

static const char *roles_words(const struct sheet *s, const struct mpl_trial *t)
{
    const struct mpl_model *model = s->d->runs[t->run].model;
    const char *words = "";

    for (size_t i = 0; i < mpl_pattern_role_count(t->pattern); i++) {
        const struct mpl_role *role = mpl_recognition_role(t->recognition, i);
        const char **labels = MPL_NEW_ARRAY(s->arena, role->n, const char *);

        for (uint32_t l = 0; labels != NULL && l < role->n; l++) {
            labels[l] = model->locations[role->locations[l]].label;
        }
        words = mpl_draw_words(
            s, "%s%s%s: %s", words, *words != '\0' ? "; " : "", role->name,
            labels != NULL ? mpl_report_labels(s->arena, labels, role->n) : "?");
    }
    return words;
}

static void draw_patterns(const struct sheet *s)
{
    static const char *const heads[] = { "pattern",   "run",  "where", "roles",
                                         "#coverage", "#fit", NULL };

    open_part(s, "patterns", "Patterns and roles");
    mpl_draw_table(s, "Patterns that were recognised", heads);
    for (size_t i = 0; i < s->d->n_trials; i++) {
        const struct mpl_trial *t = &s->d->trials[i];

        if (t->is_chosen) {
            row(s);
            mpl_draw_text_cell(s, t->id);
            mpl_draw_text_cell(s, s->d->runs[t->run].id);
            mpl_draw_text_cell(s, t->scope);
            mpl_draw_text_cell(s, roles_words(s, t));
            mpl_draw_unit_cell(s, t->coverage, "1");
            mpl_draw_unit_cell(s, t->fit, "1");
            end_row(s);
        }
    }
    mpl_draw_table_end(s);
    end_part(s);
}

static void draw_metrics(const struct sheet *s)
{
    static const char *const heads[] = { "run",      "pattern", "metric",
                                         "location", "#value",  NULL };
    const size_t n = s->d->n_metrics < MOST_METRICS ? s->d->n_metrics : MOST_METRICS;

    open_part(s, "metrics", "Metrics");
    mpl_draw_table(s, "Metrics that were evaluated", heads);
    for (size_t i = 0; i < n; i++) {
        const struct mpl_metric_result *m = &s->d->metrics[i];

        row(s);
        mpl_draw_text_cell(s, s->d->runs[m->run].id);
        mpl_draw_text_cell(s, m->pattern);
        mpl_draw_text_cell(s, m->name);
        mpl_draw_text_cell(s, m->location);
        mpl_draw_unit_cell(s, m->value, m->unit);
        end_row(s);
    }
    mpl_draw_table_end(s);
    if (n < s->d->n_metrics) {
        mpl_markup_print(s->out, "<p class=\"note\">%zu more are in --format json.</p>\n",
                         s->d->n_metrics - n);
    }
    end_part(s);
}

/* ---- runs --------------------------------------------------------------------------------------- */

static double bound_of(const struct mpl_run *run, uint32_t location)
{
    const int64_t bound = run->clock->bound_ticks[location];

    return bound == INT64_MAX ? (double) NAN : mpl_model_seconds(run->model, bound);
}

static void draw_clock(const struct sheet *s, const struct mpl_run *run)
{
    static const char *const heads[] = { "location", "host", "#offset", "#error at most",
                                         NULL };
    const uint32_t all = run->model->n_locations;
    const uint32_t n = all < MOST_CLOCKS ? all : MOST_CLOCKS;

    mpl_draw_table(s,
                   mpl_draw_words(s, "Clocks of %s: %s", run->id,
                                  mpl_clock_source_name(run->clock->source)),
                   heads);
    for (uint32_t l = 0; l < n; l++) {
        const struct mpl_location *location = &run->model->locations[l];
        const double offset_s = mpl_model_seconds(run->model, run->clock->offset_ticks[l]);

        row(s);
        mpl_draw_text_cell(s, location->label);
        mpl_draw_text_cell(s, run->model->processes[location->process].host);
        mpl_draw_value_cell(s, offset_s, mpl_draw_seconds(s, offset_s));
        mpl_draw_value_cell(s, bound_of(run, l), mpl_draw_seconds(s, bound_of(run, l)));
        end_row(s);
    }
    mpl_draw_table_end(s);
    if (n < all) {
        mpl_markup_print(s->out, "<p class=\"note\">%u more are in --format json.</p>\n",
                         all - n);
    }
}

static void draw_violations(const struct sheet *s, const struct mpl_run *run)
{
    static const char *const heads[] = { "backwards in time", "#messages", "#collectives",
                                         "#threads", NULL };
    const struct {
        const char *when;
        const struct mpl_violations *v;
    } rows[] = { { "as recorded", &run->clock->before },
                 { "on one time line", &run->clock->mapped },
                 { "after the repair", &run->clock->after } };

    mpl_draw_table(s, mpl_draw_words(s, "What runs backwards in %s", run->id), heads);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const uint64_t counts[] = { rows[i].v->p2p, rows[i].v->collective,
                                    rows[i].v->thread };

        row(s);
        mpl_draw_text_cell(s, rows[i].when);
        for (int k = 0; k < 3; k++) {
            mpl_draw_unit_cell(s, (double) counts[k], "1");
        }
        end_row(s);
    }
    mpl_draw_table_end(s);
}

/* Table 1 of the EventSpace paper, for the time line before its repair. */
static void draw_accuracy(const struct sheet *s, const struct mpl_run *run)
{
    static const char *const heads[] = { "#messages",        "#in order", "#share",
                                         "#too early: mean", "#median",   "#deviation",
                                         "#worst",           NULL };
    const struct mpl_clock_accuracy *a = &run->clock->accuracy;
    const double per_tick_s = 1 / (double) run->model->ticks_per_s;
    const double n = (double) a->n;
    const struct {
        double value;
        const char *unit;
    } cells[] = { { n, "1" },
                  { (double) a->n_correct, "1" },
                  { (double) a->n_correct / n, "1" },
                  { a->mean_ticks * per_tick_s, "s" },
                  { a->median_ticks * per_tick_s, "s" },
                  { a->stddev_ticks * per_tick_s, "s" },
                  { (double) a->worst_ticks * per_tick_s, "s" } };

    if (a->n == 0) {
        return;
    }
    mpl_draw_table(s,
                   mpl_draw_words(s,
                                  "Messages of %s that are not received before they are "
                                  "sent, before any repair, and by how much the others are",
                                  run->id),
                   heads);
    row(s);
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        mpl_draw_value_cell(
            s, cells[i].value,
            i == 2 ? mpl_text_share(s->arena, cells[i].value)
                   : mpl_report_value(s->arena, cells[i].value, cells[i].unit));
    }
    end_row(s);
    mpl_draw_table_end(s);
}

static void draw_notes(const struct sheet *s, const struct mpl_run *run)
{
    static const char *const heads[] = { "note", "says", "#count", "locations", NULL };
    const struct mpl_quality *quality = run->model->quality;
    const size_t n = mpl_quality_count(quality);

    if (n == 0) {
        mpl_markup_print(s->out, "<p>%s: nothing weakens the conclusions.</p>\n", run->id);
        return;
    }
    mpl_draw_table(s, mpl_draw_words(s, "What weakens conclusions from %s", run->id),
                   heads);
    for (size_t i = 0; i < n; i++) {
        const struct mpl_quality_note *note = mpl_quality_get(quality, i);
        const char **labels = MPL_NEW_ARRAY(s->arena, note->n_locations, const char *);

        for (uint32_t l = 0; labels != NULL && l < note->n_locations; l++) {
            labels[l] = run->model->locations[note->locations[l]].label;
        }
        row(s);
        mpl_draw_text_cell(s, note->note);
        mpl_draw_text_cell(s, note->text);
        mpl_draw_unit_cell(s, (double) note->count, "1");
        mpl_draw_text_cell(s, labels == NULL
                                  ? ""
                                  : mpl_report_labels(s->arena, labels, note->n_locations));
        end_row(s);
    }
    mpl_draw_table_end(s);
}

void mpl_draw_quality(const struct sheet *s, const struct mpl_run *run)
{
    draw_notes(s, run);
    draw_violations(s, run);
    draw_accuracy(s, run);
    draw_clock(s, run);
}

static void draw_capabilities(const struct sheet *s, const struct mpl_run *run)
{
    static const char *const heads[] = { "recorded", "what", "says", NULL };
    size_t n = 0;
    const struct mpl_capability *table = mpl_capability_table(&n);

    mpl_draw_table(s, mpl_draw_words(s, "What %s records", run->id), heads);
    for (size_t i = 0; i < n; i++) {
        row(s);
        mpl_draw_text_cell(s,
                           mpl_capability_get(&run->model->can, &table[i]) ? "yes" : "no");
        mpl_draw_text_cell(s, table[i].name);
        mpl_draw_text_cell(s, table[i].says);
        end_row(s);
    }
    mpl_draw_table_end(s);
}

void mpl_draw_contents(const struct sheet *s, const struct mpl_run *run)
{
    static const char *const heads[] = { "matching", "#count", NULL };
    const struct mpl_match_counts *c = &run->match->counts;
    const struct {
        const char *what;
        uint64_t n;
    } counts[] = {
        { "messages with both ends", c->pairs },
        { "sends without a receive", c->unmatched_sends },
        { "receives without a send", c->unmatched_receives },
        { "receives without completion", c->open_receives },
        { "ends at MPI_PROC_NULL", c->null_ends },
        { "ends with impossible values", c->garbage_ends },
        { "ends with a communicator found out", c->guessed_comms },
        { "collective operations", c->collectives },
        { "collective operations that lack a part", c->incomplete_collectives },
    };

    draw_capabilities(s, run);
    mpl_draw_table(s, mpl_draw_words(s, "What belongs together in %s", run->id), heads);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        row(s);
        mpl_draw_text_cell(s, counts[i].what);
        mpl_draw_unit_cell(s, (double) counts[i].n, "1");
        end_row(s);
    }
    mpl_draw_table_end(s);
}

void mpl_draw_runs(const struct sheet *s)
{
    static const char *const heads[] = { "run",     "path",  "#processes", "#locations",
                                         "#events", "#time", "remarks",    NULL };

    mpl_draw_table(s, "Runs", heads);
    for (size_t i = 0; i < s->d->n_runs; i++) {
        const struct mpl_run *run = &s->d->runs[i];
        const bool is_read = run->events != NULL;
        const double counts[] = { is_read ? run->model->n_processes : (double) NAN,
                                  is_read ? run->model->n_locations : (double) NAN,
                                  is_read ? (double) run->model->n_recorded
                                          : (double) NAN };

        row(s);
        mpl_draw_text_cell(s, run->id);
        mpl_draw_text_cell(s, run->path);
        for (int k = 0; k < 3; k++) {
            mpl_draw_unit_cell(s, counts[k], "1");
        }
        const double window_s = is_read ? run->window_s : (double) NAN;
        mpl_draw_value_cell(s, window_s, mpl_draw_seconds(s, window_s));
        mpl_draw_text_cell(s, run->failure != NULL ? run->failure
                              : run->damage != NULL
                                  ? mpl_draw_words(s, "damaged: lacks %s", run->damage)
                                  : run->label);
        end_row(s);
    }
    mpl_draw_table_end(s);
    for (size_t i = 0; i < s->d->n_runs; i++) {
        if (s->d->runs[i].events != NULL) {
            mpl_draw_quality(s, &s->d->runs[i]);
        }
    }
}

void mpl_draw_tables(const struct sheet *s)
{
    mpl_markup_put(s->out, "<section id=\"rest\"><h2>Everything else</h2>\n");
    if (s->d->n_findings > 0) {
        draw_findings(s);
    }
    if (s->d->n_trials > 0) {
        draw_patterns(s);
    }
    if (s->d->n_metrics > 0) {
        draw_metrics(s);
    }
    open_part(s, "quality", "Runs, clocks, and what weakens conclusions");
    mpl_draw_runs(s);
    end_part(s);
    if (s->options->ran != NULL) {
        open_part(s, "case", "What was run");
        mpl_draw_case(s);
        end_part(s);
    }
    mpl_markup_put(s->out, "</section>\n");
}
