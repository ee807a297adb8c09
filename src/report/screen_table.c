/*
 * What was run, and the efficiencies of the POP project, which people who tune MPI programs know:
 *
 *   parallel = load balance x communication, communication = serialisation x transfer
 *
 * Of several runs each group of repetitions has a row, by the run that represents it.
 */
#include "config.h"

#include "report/screen_priv.h"

#include <math.h>
#include <string.h>

enum { N_EFFICIENCIES = MPL_EFFICIENCIES, MOST_ROWS = 4, TABLE_COLUMNS = 70 };

static const struct {
    const char *metric;
    const char *head[2]; /* Of its column. */
    const char *word;    /* Where there is no room for columns. */
} efficiencies[N_EFFICIENCIES] = {
    { "run.parallel_efficiency", { "parallel", "efficiency" }, "parallel" },
    { "run.load_balance", { "load", "balance" }, "load balance" },
    { "run.communication_efficiency", { "communi-", "cation" }, "communication" },
    { "run.serialisation_efficiency", { "seriali-", "sation" }, "serialisation" },
    { "run.transfer_efficiency", { "trans-", "fer" }, "transfer" },
};

/* ---- what was run -------------------------------------------------------------------------- */

static bool is_part(const struct mpl_trial *t)
{
    return strcmp(t->scope, "world") != 0;
}

/* The pattern that has events of its own and most of the run's message passing; NULL: there is none. */
static const struct mpl_trial *main_trial(const struct mpl_diagnosis *d, uint32_t run)
{
    const struct mpl_trial *found = NULL;

    for (size_t i = 0; i < d->n_trials; i++) {
        const struct mpl_trial *t = &d->trials[i];

        if (t->is_chosen && t->run == run && mpl_pattern_is_structural(t->pattern) &&
            (found == NULL || (is_part(found) && !is_part(t)) ||
             (is_part(found) == is_part(t) && t->share > found->share))) {
            found = t;
        }
    }
    return found;
}

/* The phases of the run in which a pattern was found, from \p *at on; NULL behind the last. */
static const struct mpl_trial *next_phase(const struct mpl_diagnosis *d, size_t *at)
{
    while (*at < d->n_trials) {
        const struct mpl_trial *t = &d->trials[(*at)++];

        if (t->is_chosen && t->is_phase && t->run == d->speaker) {
            return t;
        }
    }
    return NULL;
}

static size_t count_phases(const struct mpl_diagnosis *d)
{
    size_t at = 0;
    size_t n = 0;

    while (next_phase(d, &at) != NULL) {
        n++;
    }
    return n;
}

/* "geometric-decomposition, then master-worker" */
static const char *patterns_words(struct page *page, const struct mpl_diagnosis *d)
{
    const struct mpl_trial *t;
    const char *words = "";
    size_t at = 0;

    if (count_phases(d) < 2) {
        t = main_trial(d, d->speaker);
        return t != NULL ? mpl_pattern_name(t->pattern) : "no known pattern";
    }
    while ((t = next_phase(d, &at)) != NULL) {
        words = mpl_screen_words(page, "%s%s%s", words, *words != '\0' ? ", then " : "",
                                 mpl_pattern_name(t->pattern));
    }
    return words;
}

const char *mpl_screen_title(struct page *page, const struct mpl_diagnosis *d)
{
    const struct mpl_run *run = &d->runs[d->speaker];
    const char *which =
        d->n_runs > 1 ? mpl_screen_words(page, " (%s of %zu runs)", run->id, d->n_runs)
                      : "";
    const char *threads =
        run->model->n_locations > run->model->n_processes
            ? mpl_screen_words(page, ", %u locations", (unsigned) run->model->n_locations)
            : "";

    return mpl_screen_words(
        page, "%s%s, %u process%s%s, %s without start-up", patterns_words(page, d), which,
        (unsigned) run->model->n_processes, run->model->n_processes == 1 ? "" : "es",
        threads, mpl_page_seconds(page, run->window_s));
}

/* ---- efficiencies -------------------------------------------------------------------------- */

static double value_of(const struct mpl_diagnosis *d, uint32_t run, const char *metric)
{
    for (size_t i = 0; i < d->n_metrics; i++) {
        const struct mpl_metric_result *m = &d->metrics[i];

        if (m->run == run && strcmp(m->pattern, "message-passing") == 0 &&
            strcmp(m->name, metric) == 0) {
            return m->value;
        }
    }
    return NAN;
}

void mpl_report_efficiencies(const struct mpl_diagnosis *d, uint32_t run,
                             struct mpl_efficiency out[MPL_EFFICIENCIES])
{
    for (size_t i = 0; i < N_EFFICIENCIES; i++) {
        out[i] = (struct mpl_efficiency){
            .metric = efficiencies[i].metric,
            .word = efficiencies[i].word,
            .value = value_of(d, run, efficiencies[i].metric),
        };
    }
}

static const char *cell(const struct screen *s, uint32_t run, size_t column)
{
    const double value = value_of(s->d, run, efficiencies[column].metric);

    return isnan(value) ? "-" : mpl_screen_percent(s->page, value);
}

static void say_head(struct page *page, size_t line)
{
    mpl_text_print(page->out, "%-13s", "");
    for (size_t i = 0; i < N_EFFICIENCIES; i++) {
        mpl_text_print(page->out, i + 1 < N_EFFICIENCIES ? "%-11s" : "%s\n",
                       efficiencies[i].head[line]);
    }
}

static void say_row(const struct screen *s, const char *label, uint32_t run)
{
    mpl_text_print(s->page->out, "  %-11s", label);
    for (size_t i = 0; i < N_EFFICIENCIES; i++) {
        mpl_text_print(s->page->out, i + 1 < N_EFFICIENCIES ? "%6s     " : "%6s\n",
                       cell(s, run, i));
    }
}

static void say_in_line(const struct screen *s, const char *label, uint32_t run)
{
    const char *text = "";

    for (size_t i = 0; i < N_EFFICIENCIES; i++) {
        text = mpl_screen_words(s->page, "%s%s%s %s", text, i == 0 ? "" : ", ",
                                efficiencies[i].word, cell(s, run, i));
    }
    mpl_page_tell(s->page, 2, mpl_screen_words(s->page, "%s: ", label), "%s", text);
}

static void say_efficiencies(const struct screen *s, const char *label, uint32_t run)
{
    if (s->page->width < TABLE_COLUMNS) {
        say_in_line(s, label, run);
    } else {
        say_row(s, label, run);
    }
}

/* ---- phases ---------------------------------------------------------------------------------- */

/* A phase that takes less of the run is no place to look for time. */
static const double worth_a_row = 0.05;

static bool is_worth_a_row(const struct mpl_steps *steps, size_t i)
{
    double all_s = 0;

    for (size_t k = 0; k < MPL_PHASES; k++) {
        all_s += steps->phases[k].duration_s;
    }
    return steps->phases[i].duration_s >= worth_a_row * all_s;
}

static const char *phase_name(const struct screen *s, size_t i)
{
    return i == MPL_PHASE_BEFORE  ? "  before"
           : i == MPL_PHASE_AFTER ? "  after"
                                  : mpl_screen_words(s->page, "  %u steps", s->d->steps->n);
}

/* What of the efficiencies needs no replay; on clocks that are not exact a share may be above all. */
static void say_phase(const struct screen *s, const char *name,
                      const struct mpl_phase *phase)
{
    const double duration_s = fmax(phase->duration_s, phase->longest_s);
    const double shares[] = { phase->compute_s / duration_s,
                              phase->compute_s / phase->longest_s,
                              phase->longest_s / duration_s };

    mpl_text_print(s->page->out, "  %-11s", name);
    for (size_t k = 0; k < N_EFFICIENCIES; k++) {
        const char *share = k < sizeof shares / sizeof *shares && shares[k] >= 0
                                ? mpl_screen_percent(s->page, shares[k])
                                : "-";

        mpl_text_print(s->page->out, k + 1 < N_EFFICIENCIES ? "%6s     " : "%6s\n", share);
    }
}

/* Where they have patterns of their own. */
static void say_patterns(const struct screen *s)
{
    const struct mpl_trial *t;
    size_t at = 0;

    for (size_t i = 0; i < MPL_PHASES && (t = next_phase(s->d, &at)) != NULL; i++) {
        say_phase(
            s, mpl_screen_words(s->page, "  %.*s", (int) strcspn(t->scope, ","), t->scope),
            &t->phase);
    }
}

/* Where the run is more than its steps. */
static void say_steps(const struct screen *s)
{
    const struct mpl_steps *steps = s->d->steps;

    if (steps == NULL || (!is_worth_a_row(steps, MPL_PHASE_BEFORE) &&
                          !is_worth_a_row(steps, MPL_PHASE_AFTER))) {
        return;
    }
    for (size_t i = 0; i < MPL_PHASES; i++) {
        if (is_worth_a_row(steps, i)) {
            say_phase(s, phase_name(s, i), &steps->phases[i]);
        }
    }
}

void mpl_screen_table(const struct screen *s)
{
    mpl_screen_fit(s->page, "", mpl_screen_title(s->page, s->d), 0, 2);
    if (s->page->width >= TABLE_COLUMNS) {
        say_head(s->page, 0);
        say_head(s->page, 1);
    }
    if (s->budget.has_groups && s->d->sets.n_groups > 1 &&
        s->d->sets.n_groups <= MOST_ROWS) {
        for (size_t i = 0; i < s->d->sets.n_groups; i++) {
            const struct mpl_group *g = &s->d->sets.groups[i];

            say_efficiencies(s,
                             mpl_screen_words(s->page, "%s, %u p.",
                                              s->d->runs[g->speaker].id,
                                              (unsigned) g->processes),
                             g->speaker);
        }
    } else {
        say_efficiencies(s, "whole run", s->d->speaker);
        if (s->budget.has_phases && s->page->width >= TABLE_COLUMNS) {
            if (count_phases(s->d) > 1) {
                say_patterns(s);
            } else {
                say_steps(s);
            }
        }
    }
}
