/* A plan for a person: what to measure next, and why. */
#include "config.h"

#include "report/report_priv.h"

#include <math.h>
#include <string.h>

bool mpl_planned_separates(const struct mpl_planned *e, const struct mpl_diagnosed *f)
{
    for (size_t i = 0; i < e->n_separates && !f->finding->is_healthy; i++) {
        if (strcmp(e->separates[i], f->finding->name) == 0) {
            return true;
        }
    }
    return false;
}

static const char *join(struct page *page, const char *const *texts, size_t n)
{
    const char *all = "";

    for (size_t i = 0; i < n && all != NULL; i++) {
        all = mpl_arena_printf(page->scratch, "%s%s%s", all, i > 0 ? ", " : "", texts[i]);
    }
    return all != NULL ? all : "?";
}

/* "20.4 kB": an estimate needs no more figures. */
static const char *bytes_of(struct page *page, double bytes)
{
    static const char *const units[] = { "B", "kB", "MB", "GB", "TB" };
    size_t i = 0;

    while (bytes >= 1000 && i + 1 < sizeof units / sizeof *units) {
        bytes /= 1000;
        i++;
    }
    const char *text = mpl_arena_printf(page->scratch, "%.3g %s", bytes, units[i]);

    return text != NULL ? text : "?";
}

static const char *processes_of(struct page *page, const struct mpl_planned *e)
{
    const char *all = "";

    for (size_t i = 0; i < e->n_processes && all != NULL; i++) {
        all = mpl_arena_printf(page->scratch, "%s%s%u", all, i == 0 ? "" : ", then ",
                               e->processes[i]);
    }
    return all != NULL ? all : "?";
}

/* "Run 3 times with 8 processes under eztrace, and record receive-completions" */
const char *mpl_page_experiment(struct page *page, const struct mpl_planned *e)
{
    const struct mpl_recording *r = &e->recording;
    const char *text = mpl_arena_printf(
        page->scratch, "Run %s%swith %s process%s%s%s",
        e->repetitions > 1 ? mpl_page_count(page, e->repetitions) : "",
        e->repetitions > 1 ? " times " : "", processes_of(page, e),
        e->n_processes == 1 && e->processes[0] == 1 ? "" : "es",
        e->settings != NULL ? " under " : "",
        e->settings != NULL ? mpl_tracer_file_name(e->settings->tracer) : "");

    if (text != NULL && r->n_capabilities > 0) {
        text = mpl_arena_printf(page->scratch, "%s, and record %s", text,
                                join(page, r->capabilities, r->n_capabilities));
    }
    if (text != NULL && r->n_regions > 0) {
        text = mpl_arena_printf(page->scratch, "%s (%s)", text,
                                join(page, r->regions, r->n_regions));
    }
    if (text != NULL && r->n_counters > 0) {
        text = mpl_arena_printf(page->scratch, "%s, counting %s", text,
                                join(page, r->counters, r->n_counters));
    }
    return text != NULL ? text : "?";
}

const char *mpl_page_experiments_of(struct page *page, const struct mpl_plan *plan,
                                    const struct mpl_diagnosed *finding)
{
    const char *ids = "";

    for (size_t i = 0; plan != NULL && i < plan->n && ids != NULL; i++) {
        if (mpl_planned_separates(&plan->experiments[i], finding)) {
            ids = mpl_arena_printf(page->scratch, "%s%s%s", ids, ids[0] != '\0' ? ", " : "",
                                   plan->experiments[i].id);
        }
    }
    return ids == NULL || ids[0] == '\0' ? NULL : ids;
}

static void say_findings(struct page *page, const struct mpl_plan *plan,
                         const struct mpl_planned *e, const char *label)
{
    const struct mpl_diagnosis *d = plan->diagnosis;
    const char *text = "";

    for (size_t i = 0; d != NULL && i < d->n_findings && text != NULL; i++) {
        if (mpl_planned_separates(e, &d->findings[i])) {
            text = mpl_arena_printf(page->scratch, "%s%s%s (%s)", text,
                                    text[0] != '\0' ? ", " : "",
                                    d->findings[i].finding->name, d->findings[i].id);
        }
    }
    if (text != NULL && text[0] != '\0') {
        mpl_page_tell(page, 6, label, "%s", text);
    }
}

static void say_experiment(struct page *page, const struct mpl_plan *plan,
                           const struct mpl_planned *e)
{
    mpl_page_say(page, 2, "%s. %s", e->id, mpl_page_experiment(page, e));
    for (size_t i = 0; i < e->n_purposes; i++) {
        mpl_page_tell(page, 6, i == 0 ? "to:    " : "and:   ", "%s", e->purposes[i]);
    }
    say_findings(page, plan, e, "tests: ");
    const struct mpl_settings *s = e->settings;

    if (e->problem != NULL) {
        mpl_page_tell(page, 6, "but:   ", "%s", e->problem);
    } else if (s != NULL && !mpl_tracer_is_installed(s->tracer)) {
        mpl_page_tell(page, 6, "but:   ", "%s is not installed here",
                      mpl_tracer_file_name(s->tracer));
    }
    if (e->problem == NULL && s != NULL && s->needs_build != NULL && !e->is_built) {
        mpl_page_tell(page, 6, "build: ", "the program anew, as %s", s->needs_build);
    }
    if (e->knob != NULL) {
        mpl_page_tell(page, 6, "you:   ", "change %s", e->knob);
    }
}

static void say_unanswerable(struct page *page, const struct mpl_plan *plan)
{
    for (size_t i = 0; i < plan->n_unanswerable; i++) {
        mpl_page_say(page, 2, "Cannot be known: %s", plan->unanswerable[i]);
    }
}

void mpl_page_plan(struct page *page, const struct mpl_plan *plan)
{
    if (plan == NULL || (plan->n == 0 && plan->n_unanswerable == 0)) {
        return;
    }
    mpl_page_heading(page, "What to measure next");
    for (size_t i = 0; i < plan->n; i++) {
        say_experiment(page, plan, &plan->experiments[i]);
    }
    say_unanswerable(page, plan);
    mpl_page_say(page, 2, "marple plan writes the settings.");
}

static void explain(struct page *page, const struct mpl_plan *plan,
                    const struct mpl_planned *e)
{
    (void) fputc('\n', page->out);
    say_experiment(page, plan, e);
    for (size_t i = 0; i < e->n_reasons; i++) {
        mpl_page_tell(page, 6, "why:   ", "%s", e->reasons[i]);
    }
    if (e->n_metrics > 0) {
        mpl_page_tell(page, 6, "for:   ", "%s%s%s", join(page, e->metrics, e->n_metrics),
                      e->n_events > 0 ? ", which derive from " : "",
                      e->n_events > 0 ? join(page, e->events, e->n_events) : "");
    }
    if (e->n_locations > 0) {
        mpl_page_tell(page, 6, "look:  ", "at process %s",
                      mpl_page_labels(page, e->locations, e->n_locations));
    }
    if (e->n_adds > 0) {
        mpl_page_tell(page, 6, "more:  ", "it also records %s, which this trace lacks",
                      join(page, e->adds, e->n_adds));
    }
    if (e->expects != NULL) {
        mpl_page_tell(page, 6, "then:  ", "if it is so, %s", e->expects);
    }
    if (!isnan(e->bytes)) {
        mpl_page_tell(
            page, 6, "cost:  ", "%s of run time, of which %s for recording; traces of %s%s",
            mpl_page_seconds(page, e->run_s), mpl_page_seconds(page, e->overhead_s),
            bytes_of(page, e->bytes),
            e->lacks_functions ? "; functions of the program come on top" : "");
    }
}

static const struct mpl_diagnosed *leading_cause(const struct mpl_diagnosis *d)
{
    for (size_t i = 0; i < d->n_findings; i++) {
        if (strcmp(d->findings[i].finding->kind, "cause") == 0 &&
            !d->findings[i].finding->is_healthy) {
            return &d->findings[i];
        }
    }
    return NULL;
}

enum mpl_status mpl_report_plan_text(const struct mpl_plan *plan,
                                     const struct mpl_report_options *options, FILE *out,
                                     struct mpl_err *err)
{
    struct page page;

    mpl_page_open(&page, options, out);
    mpl_page_say(&page, 0, "%s",
                 plan->n == 0 ? "Nothing more has to be measured."
                              : "What to measure next");
    mpl_page_say(&page, 2, "%s", plan->diagnosis->summary);
    const struct mpl_diagnosed *f = leading_cause(plan->diagnosis);
    const char *ids = f == NULL ? NULL : mpl_page_experiments_of(&page, plan, f);

    if (f != NULL && ids != NULL) {
        mpl_page_say(&page, 2, "The leading cause, %s (%s), is put to the test by %s.",
                     f->finding->name, f->id, ids);
    } else if (f != NULL) {
        mpl_page_say(&page, 2, "The leading cause, %s (%s), needs no further measurement.",
                     f->finding->name, f->id);
    }
    for (size_t i = 0; i < plan->n; i++) {
        explain(&page, plan, &plan->experiments[i]);
    }
    say_unanswerable(&page, plan);
    return mpl_page_end(&page, "plan", err);
}
