/* Several runs: which are repetitions, how the program scales, and what is no fact. */
#include "config.h"

#include "report/report_priv.h"

#include <math.h>
#include <string.h>

size_t mpl_report_usable_runs(const struct mpl_diagnosis *d)
{
    size_t n = 0;

    for (size_t i = 0; i < d->sets.n_groups; i++) {
        n += d->sets.groups[i].n_runs;
    }
    return n;
}

/* ---- groups ---------------------------------------------------------------------------------- */

/* "r2", or with what the manifest calls it, "r2 "before the change"". */
static const char *name_words(struct page *page, const struct mpl_run *run)
{
    return run->label == NULL
               ? run->id
               : mpl_arena_printf(page->scratch, "%s \"%s\"", run->id, run->label);
}

/* "r2", or "3 runs (r2, r4 and r5)". */
static const char *runs_words(struct page *page, const struct mpl_diagnosis *d,
                              const struct mpl_group *g)
{
    const char *names = "";

    for (size_t i = 0; i < g->n_runs && names != NULL; i++) {
        names = mpl_arena_printf(page->scratch, "%s%s%s", names,
                                 i == 0               ? ""
                                 : i + 1 == g->n_runs ? " and "
                                                      : ", ",
                                 mpl_or_unknown(name_words(page, &d->runs[g->runs[i]])));
    }
    return g->n_runs == 1 || names == NULL
               ? mpl_or_unknown(names)
               : mpl_or_unknown(mpl_arena_printf(page->scratch,
                                                 "%zu runs (%s; %s speaks for them)",
                                                 g->n_runs, names, d->runs[g->speaker].id));
}

static const char *duration_words(struct page *page, const struct mpl_group *g)
{
    return g->n_runs == 1
               ? mpl_page_seconds(page, g->median_s)
               : mpl_or_unknown(mpl_arena_printf(
                     page->scratch, "%s (%s to %s)", mpl_page_seconds(page, g->median_s),
                     mpl_page_seconds(page, g->low_s), mpl_page_seconds(page, g->high_s)));
}

/* "r1, r2", the runs of a program in their own order. */
static const char *program_runs(struct page *page, const struct mpl_diagnosis *d,
                                uint32_t program)
{
    const char *text = "";

    for (uint32_t r = 0; r < d->n_runs && text != NULL; r++) {
        const struct mpl_group *g = mpl_group_of(&d->sets, r);

        if (g != NULL && g->program == program) {
            text =
                mpl_arena_printf(page->scratch, "%s%s%s", text, text[0] != '\0' ? ", " : "",
                                 mpl_or_unknown(name_words(page, &d->runs[r])));
        }
    }
    return mpl_or_unknown(text);
}

const char *mpl_report_certainty(const struct mpl_diagnosis *d)
{
    static const char *const words[] = { [MPL_CERTAINTY_SURE] = ", sure",
                                         [MPL_CERTAINTY_LIKELY] = ", likely",
                                         [MPL_CERTAINTY_DOUBTFUL] = ", doubtful" };

    return d->verdict == MPL_VERDICT_PROBLEMS || d->verdict == MPL_VERDICT_NO_PROBLEM
               ? words[d->certainty]
               : "";
}

void mpl_page_summary(struct page *page, const struct mpl_diagnosis *d)
{
    if (d->n_programs < 2) {
        mpl_page_say(page, 2, "%s", d->summary);
        return;
    }
    mpl_page_say(
        page, 2,
        "These are runs of %zu programs. Each is diagnosed by itself; they are not "
        "compared.",
        d->n_programs);
    for (uint32_t i = 0; i < d->n_programs; i++) {
        const struct mpl_program *p = &d->programs[i];

        mpl_page_say(page, 2, "%s: %s. %s", program_runs(page, d, i),
                     mpl_verdict_words(p->verdict), p->summary);
    }
}

void mpl_page_groups(struct page *page, const struct mpl_diagnosis *d)
{
    if (mpl_report_usable_runs(d) < 2) {
        return;
    }
    mpl_page_heading(page, "Runs");
    for (size_t i = 0; i < d->sets.n_groups; i++) {
        const struct mpl_group *g = &d->sets.groups[i];

        mpl_page_say(page, 2, "%u process%s, %s: %s, %s of computation in all; %s%s%s",
                     (unsigned) g->processes, g->processes > 1 ? "es" : "",
                     runs_words(page, d, g), duration_words(page, g),
                     mpl_page_seconds(page, g->compute_s),
                     mpl_verdict_words(d->group_verdicts[i].verdict),
                     g->settings != NULL ? "; settings: " : "",
                     g->settings != NULL ? g->settings : "");
    }
    for (size_t i = 0; i < d->sets.n_remarks; i++) {
        mpl_page_say(page, 2, "%s", d->sets.remarks[i]);
    }
}

/* ---- scaling --------------------------------------------------------------------------------- */

static const char *residual_words(struct page *page, const struct mpl_scaling_row *row)
{
    if (isnan(row->expected) || isnan(row->measured) || row->expected == 0) {
        return "?";
    }
    return mpl_or_unknown(mpl_arena_printf(page->scratch, "%+.1f %%",
                                           100 * (row->measured / row->expected - 1)));
}

static const char *size_words(struct page *page, const struct mpl_diagnosis *d,
                              uint32_t run)
{
    return mpl_or_unknown(mpl_arena_printf(page->scratch, "%u (%s)",
                                           (unsigned) d->runs[run].model->n_processes,
                                           d->runs[run].id));
}

/* Counts of workers are estimates: nobody asks for a tenth of them where they are many. */
static const char *value_words(struct page *page, double value, const char *unit)
{
    return strcmp(unit, "1") == 0 && value >= 100
               ? mpl_page_count(page, (uint64_t) fmin(value, 1e18))
               : mpl_page_value(page, value, unit);
}

void mpl_page_scaling(struct page *page, const struct mpl_diagnosis *d)
{
    bool has_heading = d->n_scaling > 0;

    if (has_heading) {
        mpl_page_heading(page, "Scaling");
        mpl_text_print(page->out, "  %-9s %-9s %-9s %-9s %-9s %s\n", "from", "to",
                       "expected", "measured", "residual", "quantity");
    }
    for (size_t i = 0; i < d->n_scaling; i++) {
        const struct mpl_scaling_row *row = &d->scaling[i];

        /* A table is printed as it is: columns that are wrapped are none. */
        mpl_text_print(page->out, "  %-9s %-9s %-9s %-9s %-9s %s\n",
                       size_words(page, d, row->from), size_words(page, d, row->to),
                       value_words(page, row->expected, row->unit),
                       value_words(page, row->measured, row->unit),
                       residual_words(page, row), row->quantity);
        mpl_page_tell(page, 6, "model: ", "%s: %s", row->pattern, row->model);
    }
    for (size_t i = 0; i < d->n_findings; i++) {
        const struct mpl_diagnosed *f = &d->findings[i];
        char label[32];

        if (!f->is_of_set || f->is_within_spread ||
            strcmp(f->finding->kind, "cause") == 0) {
            continue;
        }
        if (!has_heading) {
            mpl_page_heading(page, "Scaling");
            has_heading = true;
        }
        (void) snprintf(label, sizeof label, "%-4s ", f->id);
        mpl_page_tell(page, 2, label, "%s", f->finding->text);
    }
}

/* ---- what is no fact -------------------------------------------------------------------------- */

void mpl_page_repeats(struct page *page, const struct mpl_diagnosis *d,
                      const struct mpl_diagnosed *f)
{
    if (f->n_alike < 2 || f->is_of_set) {
        if (mpl_report_usable_runs(d) > 1) {
            mpl_page_tell(page, 6, "runs:  ", "with %u processes (%s)",
                          (unsigned) d->runs[f->run].model->n_processes,
                          d->runs[f->run].id);
        }
        return;
    }
    mpl_page_tell(page, 6, "runs:  ", "with %u processes: seen in %u of %u runs%s%s%s%s",
                  (unsigned) d->runs[f->run].model->n_processes, (unsigned) f->n_seen,
                  (unsigned) f->n_alike, isnan(f->lost_s) ? "" : ", costing ",
                  isnan(f->lost_s) ? "" : mpl_page_seconds(page, f->lost_low_s),
                  isnan(f->lost_s) ? "" : " to ",
                  isnan(f->lost_s) ? "" : mpl_page_seconds(page, f->lost_high_s));
}

const char *mpl_page_seen(struct page *page, const struct mpl_diagnosed *f)
{
    return f->n_seen >= f->n_alike
               ? ""
               : mpl_or_unknown(mpl_arena_printf(page->scratch, " (In %u of %u runs.)",
                                                 (unsigned) f->n_seen,
                                                 (unsigned) f->n_alike));
}

bool mpl_page_is_spoken_for(const struct mpl_diagnosis *d, uint32_t run)
{
    const struct mpl_group *g = mpl_group_of(&d->sets, run);

    return g != NULL && g->speaker != run;
}

void mpl_page_noise(struct page *page, const struct mpl_diagnosis *d)
{
    bool has_heading = false;

    for (size_t i = 0; i < d->n_findings; i++) {
        const struct mpl_diagnosed *f = &d->findings[i];
        const struct mpl_finding *x = f->finding;

        if (!f->is_within_spread || strcmp(x->kind, "cause") != 0) {
            continue;
        }
        if (!has_heading) {
            mpl_page_heading(page, "Listed apart: repetitions differ by as much");
            has_heading = true;
        }
        mpl_page_say(
            page, 2,
            "%s (%s)%s%s: seen in %u of %u runs with %u processes%s%s%s%s: "
            "may be noise",
            x->name, f->id, x->n_culprits > 0 ? ", process " : "",
            x->n_culprits > 0 ? mpl_page_labels(page, x->culprits, x->n_culprits) : "",
            (unsigned) f->n_seen, (unsigned) f->n_alike,
            (unsigned) d->runs[f->run].model->n_processes,
            isnan(f->lost_s) ? "" : ", costing ",
            isnan(f->lost_s) ? "" : mpl_page_seconds(page, f->lost_low_s),
            isnan(f->lost_s) || f->n_seen < 2 ? "" : " to ",
            isnan(f->lost_s) || f->n_seen < 2 ? ""
                                              : mpl_page_seconds(page, f->lost_high_s));
    }
    if (has_heading) {
        mpl_page_say(page, 2,
                     "If these runs differ on purpose, say how as settings in a manifest "
                     "(--manifest): then each is diagnosed by itself.");
    }
}
