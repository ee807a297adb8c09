/*
 * The diagnosis on one screen: the verdict, efficiencies, the causes that matter, what remains, and how
 * to go on. It has 30 lines: the parts are tried with less and less in them until they fit.
 */
#include "config.h"

#include "report/screen_priv.h"

#include <math.h>

enum { LINES = 30, WIDTH_DEFAULT = 80, LABEL_COLUMNS = 14, WIDTH_ENDLESS = 100000 };

/* What goes first when there is too little room. */
static const struct screen_budget budgets[] = {
    { true, true, 3, 2, 2 },   { false, true, 3, 2, 2 },  { false, false, 3, 2, 2 },
    { false, false, 2, 2, 2 }, { false, false, 1, 2, 2 }, { false, false, 1, 1, 1 },
};
enum { N_BUDGETS = sizeof budgets / sizeof *budgets };

static void say_line(struct page *page, const char *label, const char *text, int lines)
{
    mpl_screen_fit(page, mpl_screen_words(page, "%-*s", LABEL_COLUMNS, label), text,
                   LABEL_COLUMNS, lines);
}

const char *mpl_screen_verdict(struct page *page, const struct mpl_diagnosis *d)
{
    static const char *const words[] = {
        [MPL_VERDICT_PROBLEMS] = "PROBLEM",
        [MPL_VERDICT_NO_PROBLEM] = "NO PROBLEM",
        [MPL_VERDICT_INCONCLUSIVE] = "INCONCLUSIVE",
        [MPL_VERDICT_UNUSABLE] = "UNUSABLE",
    };

    return mpl_screen_words(page, "%s%s: ", words[d->verdict], mpl_report_certainty(d));
}

static const char *gain_sentence(struct page *page, const struct mpl_diagnosis *d)
{
    const char *gain = mpl_screen_gain(page, d, d->leading);

    return gain == NULL
               ? ""
               : mpl_screen_words(page, "%s %s. ",
                                  d->leading->finding->fix != NULL ? "That saves"
                                                                   : "Its remedy saves",
                                  gain);
}

static const char *doubt_sentence(struct page *page, const struct mpl_diagnosis *d)
{
    return d->certainty_reason != NULL
               ? mpl_screen_words(page, "Not sure, because %s.", d->certainty_reason)
               : "";
}

/* What spoils the times that were measured is said first of all, also where another cause leads. */
static void say_spoiled(const struct screen *s)
{
    const struct mpl_diagnosed *f = NULL;

    for (size_t i = 0; (f = mpl_report_cause(s->d, i)) != NULL; i++) {
        if (f->finding->doubt != NULL && f != s->d->leading) {
            mpl_screen_fit(s->page, "  ", f->headline, 2, 2);
            return;
        }
    }
}

/* What others did to the machine meanwhile, and that runs were not measured alike. */
static void say_machine(const struct screen *s)
{
    for (size_t i = 0; i < s->d->n_findings; i++) {
        const struct mpl_diagnosed *f = &s->d->findings[i];

        if (f->finding->doubt != NULL && !mpl_diagnosed_is_cause(f)) {
            say_line(s->page, "Machine", f->headline, 2);
            return;
        }
    }
    if (s->d->sets.machine_remark != NULL) {
        say_line(s->page, "Machine", s->d->sets.machine_remark, 2);
    }
}

const char *mpl_screen_more(struct page *page, const struct mpl_diagnosis *d)
{
    if (d->leading == NULL) {
        return doubt_sentence(page, d);
    }
    /* A fix that a rule says is short; the first sentence of a remedy need not be, and stands with its cause. */
    const bool has_fix = d->leading->finding->fix != NULL;

    return mpl_screen_words(page, "%s%s%s%s", has_fix ? d->leading->fix : "",
                            has_fix ? " " : "", gain_sentence(page, d),
                            doubt_sentence(page, d));
}

/* Whole, however long the path in it: nothing else says why. */
static void say_why_unusable(struct page *page, const struct mpl_diagnosis *d)
{
    mpl_text_lead(page->out, mpl_screen_verdict(page, d), d->claim, 2, page->width);
}

static void say_verdict(const struct screen *s)
{
    if (s->d->leading != NULL) {
        struct page *page = s->page;
        const struct mpl_diagnosis *d = s->d;
        const char *more = mpl_screen_more(page, d);

        mpl_screen_fit(page, mpl_screen_verdict(page, d), d->leading->headline, 2, 2);
        if (*more != '\0') {
            mpl_screen_fit(page, "  ", more, 2, 3);
        }
        say_spoiled(s);
        return;
    }
    if (s->d->verdict == MPL_VERDICT_UNUSABLE) {
        say_why_unusable(s->page, s->d);
        return;
    }
    mpl_screen_fit(s->page, mpl_screen_verdict(s->page, s->d), s->d->claim, 2, 4);
    if (s->d->certainty_reason != NULL) {
        mpl_screen_fit(s->page, "  ", doubt_sentence(s->page, s->d), 2, 2);
    }
}

/* ---- notes ---------------------------------------------------------------------------------------- */

static void say_damage(const struct screen *s)
{
    for (size_t i = 0; i < s->d->n_runs; i++) {
        const struct mpl_run *run = &s->d->runs[i];

        if (run->damage != NULL) {
            const double all_s = run->window_s * run->model->n_locations;

            say_line(s->page, "Damaged",
                     mpl_screen_words(
                         s->page, "%s lacks %s (%s of the process time unknown)", run->id,
                         run->damage, mpl_screen_percent(s->page, run->unknown_s / all_s)),
                     1);
            return;
        }
    }
}

static void say_unusable(const struct screen *s)
{
    for (size_t i = 0; i < s->d->n_runs; i++) {
        const struct mpl_run *run = &s->d->runs[i];

        if (run->failure != NULL) {
            say_line(s->page, "Left out",
                     mpl_screen_words(s->page, "%s: %s", run->id, run->failure), 1);
            return;
        }
    }
}

static const char *sizes_words(struct page *page, const struct mpl_diagnosis *d)
{
    const unsigned first = d->sets.groups[0].processes;
    const unsigned last = d->sets.groups[d->sets.n_groups - 1].processes;

    return first == last ? mpl_screen_words(page, "%u processes", last)
                         : mpl_screen_words(page, "%u to %u processes", first, last);
}

static void say_runs(const struct screen *s)
{
    const struct mpl_diagnosis *d = s->d;
    const size_t n = mpl_report_usable_runs(d);

    if (n < 2) {
        return;
    }
    say_line(s->page, "Runs",
             mpl_screen_words(s->page, "%zu runs in %zu group%s%s, %s: --full", n,
                              d->sets.n_groups, d->sets.n_groups > 1 ? "s" : "",
                              d->n_programs > 1 ? " of several programs" : "",
                              sizes_words(s->page, d)),
             1);
}

static void say_failures(const struct screen *s)
{
    const size_t n_failed = s->options->n_failed;

    if (n_failed > 0) {
        say_line(s->page, "Failed",
                 n_failed == 1 ? s->options->failed[0]
                               : mpl_screen_words(s->page, "%zu runs: --full. %s", n_failed,
                                                  s->options->failed[0]),
                 1);
    }
    if (s->d->why_stopped != NULL) {
        say_line(s->page, "Rules",
                 mpl_screen_words(s->page, "stopped: %s", s->d->why_stopped), 2);
    } else if (s->d->n_rule_errors > 0) {
        say_line(s->page, "Rules",
                 mpl_screen_words(s->page, "%zu failed, and are left out: --full",
                                  s->d->n_rule_errors),
                 1);
    }
}

/* ---- how to go on ---------------------------------------------------------------------------------- */

const char *mpl_screen_unexplained(struct page *page, const struct mpl_diagnosis *d)
{
    const double rest_s = mpl_report_unexplained_s(d);

    if (d->location_s <= 0) {
        return NULL;
    }
    return rest_s <= 0 ? "nothing"
                       : mpl_screen_words(page, "%s of %s process time (%s)",
                                          mpl_page_seconds(page, rest_s),
                                          mpl_page_seconds(page, d->location_s),
                                          mpl_screen_percent(page, rest_s / d->location_s));
}

/* " (settles f2, f3)", "" */
static const char *settles_words(struct page *page, const struct mpl_diagnosis *d,
                                 const struct mpl_planned *e)
{
    const char *ids = "";

    for (size_t i = 0; i < d->n_findings; i++) {
        if (mpl_planned_separates(e, &d->findings[i])) {
            ids = mpl_screen_words(page, "%s%s%s", ids, *ids != '\0' ? ", " : "",
                                   d->findings[i].id);
        }
    }
    return *ids != '\0' ? mpl_screen_words(page, " (settles %s)", ids) : "";
}

static const char *experiment_words(struct page *page, const struct mpl_diagnosis *d,
                                    const struct mpl_planned *e)
{
    const char *knob = e->knob != NULL ? mpl_screen_words(page, ", with %s", e->knob) : "";
    const char *purpose =
        e->n_purposes > 0 ? mpl_screen_words(page, ", to %s", e->purposes[0]) : "";

    return mpl_screen_words(page, "%s%s%s%s", mpl_page_experiment(page, e), knob,
                            settles_words(page, d, e), purpose);
}

const char *mpl_screen_next(struct page *page, const struct mpl_diagnosis *d)
{
    const struct mpl_plan *plan = page->plan;

    return plan == NULL             ? NULL
           : plan->n > 0            ? experiment_words(page, d, &plan->experiments[0])
           : d->why_stopped != NULL ? "unknown: the rules were stopped before they asked"
                                    : "nothing: no rule asks for more";
}

static void draw(const struct screen *s)
{
    say_verdict(s);
    if (s->d->verdict == MPL_VERDICT_UNUSABLE) {
        return;
    }
    (void) fputc('\n', s->page->out);
    mpl_screen_table(s);
    mpl_screen_causes(s);
    (void) fputc('\n', s->page->out);
    /* Causes for which there is no room: whoever wants them has their names. */
    const char *text = "";
    const struct mpl_diagnosed *f = NULL;

    for (size_t i = s->budget.n_causes; (f = mpl_report_cause(s->d, i)) != NULL; i++) {
        text = mpl_screen_words(s->page, "%s%s%s (%s)", text, *text != '\0' ? ", " : "",
                                f->finding->name, f->id);
    }
    if (*text != '\0') {
        say_line(s->page, "More causes", text, 1);
    }
    say_damage(s);
    say_machine(s);
    say_unusable(s);
    say_runs(s);
    say_failures(s);
    const char *unexplained = mpl_screen_unexplained(s->page, s->d);
    const char *next = mpl_screen_next(s->page, s->d);

    if (unexplained != NULL) {
        say_line(s->page, "Unexplained", unexplained, 1);
    }
    if (next != NULL) {
        say_line(s->page, "Measure next", next, 2);
    }
    const struct mpl_diagnosed *first = mpl_report_cause(s->d, 0);

    say_line(s->page, "More",
             first == NULL
                 ? "--full, --format json"
                 : mpl_screen_words(s->page, "--full, --why %s, --format json", first->id),
             1);
}

/* Lines that it takes; 0 without memory. */
static size_t measure(const struct screen *s)
{
    FILE *out = s->page->out;
    struct mpl_draft draft;

    mpl_draft_open(&draft);
    if (draft.out != NULL) {
        s->page->out = draft.out;
        draw(s);
        s->page->out = out;
    }
    return mpl_draft_close(&draft);
}

enum mpl_status mpl_report_screen(const struct mpl_diagnosis *d,
                                  const struct mpl_report_options *options, FILE *out,
                                  struct mpl_err *err)
{
    struct page page = { .out = out,
                         .width = options->width > 0 ? options->width : WIDTH_DEFAULT,
                         .scratch = mpl_arena_create(),
                         .plan = options->plan };
    struct screen s = { .page = &page, .d = d, .options = options };
    size_t i = 0;

    do {
        s.budget = budgets[i++];
    } while (measure(&s) > LINES && i < N_BUDGETS);
    draw(&s);
    mpl_page_what_ifs(&page, d);
    return mpl_page_close(&page, err);
}

/* ---- two lines --------------------------------------------------------------------------------------- */

/* What to do; where nothing is known, what to measure. */
static const char *second_line(struct page *page, const struct mpl_diagnosis *d)
{
    const struct mpl_diagnosed *first = mpl_report_cause(d, 0);
    const char *gain = first == NULL ? NULL : mpl_screen_gain(page, d, first);

    if (first != NULL && first->fix != NULL) {
        return gain == NULL ? first->fix
                            : mpl_screen_words(page, "Saves %s: %s", gain, first->fix);
    }
    return page->plan != NULL && page->plan->n > 0
               ? mpl_screen_words(page, "Measure next: %s.",
                                  experiment_words(page, d, &page->plan->experiments[0]))
               : "Nothing is to be done.";
}

enum mpl_status mpl_report_brief(const struct mpl_diagnosis *d,
                                 const struct mpl_report_options *options, FILE *out,
                                 struct mpl_err *err)
{
    struct page page = { .out = out,
                         .width = options->width > 0 ? options->width : WIDTH_ENDLESS,
                         .scratch = mpl_arena_create(),
                         .plan = options->plan };

    if (d->verdict == MPL_VERDICT_UNUSABLE) {
        say_why_unusable(&page, d);
        mpl_screen_fit(&page, "", "Nothing is known of the program.", 2, 1);
    } else {
        mpl_screen_fit(&page, mpl_screen_verdict(&page, d),
                       d->leading != NULL ? d->leading->headline : d->claim, 2, 1);
        mpl_screen_fit(&page, "", second_line(&page, d), 2, 1);
    }
    return mpl_page_close(&page, err);
}
