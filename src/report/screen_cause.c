/* Causes on the screen: what, where, what to do, and what it brings. */
#include "config.h"

#include "report/screen_priv.h"

#include <math.h>
#include <string.h>

/* "3. " and what stands behind it */
enum { LABEL_INDENT = 3, TEXT_INDENT = 10 };

/* ---- which ----------------------------------------------------------------------------------- */

const struct mpl_diagnosed *mpl_report_cause(const struct mpl_diagnosis *d, size_t i)
{
    size_t n = d->leading != NULL ? 1 : 0;

    if (d->leading != NULL && i == 0) {
        return d->leading;
    }
    for (size_t k = 0; k < d->n_findings; k++) {
        const struct mpl_diagnosed *f = &d->findings[k];

        /* An outer one is shown with the cause inside, which causes it. */
        if (f != d->leading && mpl_diagnosed_is_cause(f) && !f->is_within_spread &&
            f->n_explained_by == 0 && n++ == i) {
            return f;
        }
    }
    return NULL;
}

/* ---- its parts ------------------------------------------------------------------------------- */

static void say_part(struct page *page, const char *label, const char *text, int lines)
{
    mpl_screen_fit(page, mpl_screen_words(page, "%*s%-7s", LABEL_INDENT, "", label), text,
                   TEXT_INDENT, lines);
}

const char *mpl_screen_cost(struct page *page, const struct mpl_diagnosis *d,
                            const struct mpl_diagnosed *f)
{
    const uint32_t g = d->sets.group_of[f->run];
    const bool is_lost = f->finding->computing_s == 0;
    /* Of the lost time of the runs that are like it; a cost that is computation, too, of all time. */
    const double all_s =
        is_lost ? (g != MPL_NONE ? d->group_verdicts[g].lost_s : d->lost_s)
                : (g != MPL_NONE ? d->group_verdicts[g].location_s : d->location_s);

    return isnan(f->lost_s)
               ? ""
               : mpl_screen_words(page, "%s of %s %sprocess time",
                                  mpl_page_seconds(page, f->lost_s + f->outer_s),
                                  mpl_page_seconds(page, all_s), is_lost ? "lost " : "");
}

/* "rank 3", "ranks 1 to 7", "all 8 ranks", "location 3.1" */
static const char *who(struct page *page, const struct mpl_diagnosis *d,
                       const struct mpl_diagnosed *f)
{
    const struct mpl_finding *x = f->finding;
    const bool is_blamed = x->n_culprits > 0;
    const char *const *labels = is_blamed ? x->culprits : x->locations;
    const size_t n = is_blamed ? x->n_culprits : x->n_locations;
    const char *noun = n > 0 && strchr(labels[0], '.') != NULL ? "location" : "rank";

    if (n == 0) {
        return "";
    }
    return n > 2 && n == d->runs[f->run].model->n_locations
               ? mpl_screen_words(page, "all %zu %ss", n, noun)
               : mpl_screen_words(page, "%s%s %s", noun, n > 1 ? "s" : "",
                                  mpl_page_labels(page, labels, n));
}

/* Nearly all of it is not worth a figure. */
static const double nearly_all = 0.95;

const char *mpl_page_source(struct page *page, const struct mpl_where *at)
{
    const char *words = at->call == NULL ? at->region
                                         : mpl_arena_printf(page->scratch, "%s%s in %s",
                                                            at->is_before ? "before " : "",
                                                            at->call, at->region);

    if (words != NULL && at->call != NULL && at->share < nearly_all) {
        words = mpl_arena_printf(page->scratch, "%s (%s of it)", words,
                                 mpl_page_share(page, at->share));
    }
    return words != NULL ? words : at->region;
}

static const char *source(struct page *page, const struct mpl_diagnosed *f)
{
    const struct mpl_where *at = f->where;

    if (f->n_where == 0) {
        return "";
    }
    const char *what = mpl_page_source(page, at);
    if (at->file == NULL) {
        return what;
    }
    return at->line > 0 ? mpl_screen_words(page, "%s, %s:%u", what, mpl_file_name(at->file),
                                           at->line)
                        : mpl_screen_words(page, "%s, %s", what, mpl_file_name(at->file));
}

/* "phase 1, 0 s to 1.85 s", where the pattern of a cause has one; "" */
static const char *phase_of(const struct mpl_diagnosis *d, const struct mpl_diagnosed *f)
{
    for (size_t i = 0; i < d->n_trials; i++) {
        const struct mpl_trial *t = &d->trials[i];

        if (t->is_chosen && t->is_phase && t->run == f->run &&
            strcmp(t->id, f->finding->pattern) == 0) {
            return t->scope;
        }
    }
    return "";
}

const char *mpl_screen_where(struct page *page, const struct mpl_diagnosis *d,
                             const struct mpl_diagnosed *f)
{
    const char *const parts[] = { who(page, d, f), source(page, f), phase_of(d, f) };
    const char *words = "";

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (*parts[i] != '\0') {
            words = mpl_screen_words(page, "%s%s%s", words, *words != '\0' ? ", " : "",
                                     parts[i]);
        }
    }
    if (f->n_precedes > 0) {
        words = mpl_screen_words(page, "%s%sbegan first, before %s", words,
                                 *words != '\0' ? "; " : "",
                                 mpl_page_labels(page, f->precedes, f->n_precedes));
    }
    return words;
}

/* ---- gain -------------------------------------------------------------------------------------- */

const char *mpl_screen_gain(struct page *page, const struct mpl_diagnosis *d,
                            const struct mpl_diagnosed *f)
{
    const char *all = mpl_page_seconds(page, d->runs[f->run].window_s);

    if (isnan(f->gain_s)) {
        return NULL;
    }
    return mpl_screen_words(page, "%s %s of %s",
                            isnan(f->gain_replay_s) ? "at most" : "about",
                            mpl_page_seconds(page, f->gain_s), all);
}

/* What the remedy does with work, where something is gained. */
static const char *kind_words(const struct mpl_diagnosed *f)
{
    const char *kind = f->finding->gain_kind;

    return kind == NULL                    ? ""
           : strcmp(kind, "even-out") == 0 ? "; evens out work"
                                           : "; removes work";
}

/* "by replay and model" where they agree; else the model, and what the replay says, in one line. */
static const char *sources_of_gain(struct page *page, const struct mpl_diagnosed *f)
{
    if (f->gain_reason != NULL) {
        return mpl_screen_words(page, "model; replay %s",
                                mpl_page_seconds(page, f->gain_replay_s));
    }
    return isnan(f->gain_replay_s)  ? "by model"
           : isnan(f->gain_model_s) ? "by replay"
                                    : "by replay and model";
}

const char *mpl_screen_gain_in_full(struct page *page, const struct mpl_diagnosis *d,
                                    const struct mpl_diagnosed *f)
{
    const char *gain = mpl_screen_gain(page, d, f);

    if (gain == NULL) {
        return "not known";
    }
    return mpl_screen_words(page, "%s (%s, %s)%s", gain,
                            mpl_screen_percent(page, f->gain_s / d->runs[f->run].window_s),
                            sources_of_gain(page, f), kind_words(f));
}

/* The long text as far as whole sentences of it fit, else the short one: half a sentence helps nobody. */
static const char *details(const struct screen *s, const char *text, const char *brief,
                           int lines)
{
    const int columns = s->page->width - TEXT_INDENT;
    const char *fit = mpl_text_fit(s->page->scratch, text, columns, columns, lines);
    const size_t n = fit != NULL ? strlen(fit) : 0;

    return n >= strlen("…") && strcmp(fit + n - strlen("…"), "…") == 0 ? brief : text;
}

/* That of the verdict has been shown in short at the top; of it the details follow. */
static void say_cause(const struct screen *s, size_t number, const struct mpl_diagnosed *f)
{
    const bool is_leading = f == s->d->leading;
    const char *where = mpl_screen_where(s->page, s->d, f);

    (void) fputc('\n', s->page->out);
    struct page *page = s->page;
    const char *run = s->d->sets.n_groups > 1
                          ? mpl_screen_words(page, ", %s", s->d->runs[f->run].id)
                          : "";
    const char *cost = mpl_screen_cost(page, s->d, f);

    mpl_screen_fit(page, mpl_screen_words(page, "%zu. ", number),
                   mpl_screen_words(page, "%s (%s%s), %s%s%s", f->finding->name, f->id, run,
                                    mpl_certainty_name(f->certainty),
                                    *cost != '\0' ? ": " : "", cost),
                   TEXT_INDENT, 1);
    say_part(s->page, "what",
             is_leading ? details(s, f->finding->text, f->headline, s->budget.what_lines)
                        : f->headline,
             s->budget.what_lines);
    if (*where != '\0') {
        say_part(s->page, "where", where, 1);
    }
    if (f->fix != NULL) {
        say_part(s->page, "do",
                 is_leading ? details(s, f->finding->remedy, f->fix, s->budget.do_lines)
                            : f->fix,
                 s->budget.do_lines);
        say_part(s->page, "gain", mpl_screen_gain_in_full(s->page, s->d, f), 1);
    }
}

void mpl_screen_causes(const struct screen *s)
{
    const struct mpl_diagnosed *f = NULL;

    for (size_t i = 0; i < s->budget.n_causes && (f = mpl_report_cause(s->d, i)) != NULL;
         i++) {
        say_cause(s, i + 1, f);
    }
}
