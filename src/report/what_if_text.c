/* What the remedies would bring, and what the user asked: seconds by model and by replay. */
#include "config.h"

#include "report/report_priv.h"

#include <math.h>

/* Model and replay further apart than this are both shown. */
static const double close_enough = 1.0 / 3;

static void say_replayed(struct page *page, const struct mpl_diagnosed *d)
{
    const char *doubt = d->gain_doubt == NULL
                            ? ""
                            : mpl_arena_printf(page->scratch, "; but %s", d->gain_doubt);
    const char *model = "";

    if (!isnan(d->gain_model_s)) {
        const bool apart = fabs(d->gain_replay_s - d->gain_model_s) >
                           close_enough * fmax(d->gain_replay_s, d->gain_model_s);

        model = mpl_arena_printf(page->scratch, "; the model of the pattern says %s%s",
                                 mpl_page_seconds(page, d->gain_model_s),
                                 apart ? ", so take both with care" : "");
    }
    mpl_page_tell(page, 6,
                  "gain:  ", "about %s of run time, by replay of the run with %s%s%s",
                  mpl_page_seconds(page, d->gain_replay_s), d->what_if,
                  model != NULL ? model : "", doubt != NULL ? doubt : "");
}

void mpl_page_gain(struct page *page, const struct mpl_diagnosed *d)
{
    if (!isnan(d->gain_replay_s) && (d->gain_doubt == NULL || isnan(d->gain_model_s))) {
        say_replayed(page, d);
    } else if (!isnan(d->gain_s) && d->gain_s > 0) {
        /* The model's figure, and that of a replay that is doubtful. */
        const char *replay = "";

        if (!isnan(d->gain_replay_s)) {
            replay = mpl_arena_printf(
                page->scratch, "; %s by replay of the run with %s, but %s",
                mpl_page_seconds(page, d->gain_replay_s), d->what_if, d->gain_doubt);
        } else if (d->gain_doubt != NULL) {
            replay = mpl_arena_printf(page->scratch, "; not replayed: %s", d->gain_doubt);
        }
        mpl_page_tell(page, 6, "gain:  ", "about %s of run time at most%s",
                      mpl_page_seconds(page, d->gain_s), replay != NULL ? replay : "");
    }
}

/* Why there is no figure, or what weakens the one that is shown. */
static void say_doubt(struct page *page, const struct mpl_replayed *r)
{
    if (r->doubt == NULL) {
        return;
    }
    if (isnan(r->changed_s)) {
        mpl_page_tell(page, 6, "then:  ", "no answer: %s", r->doubt);
    } else {
        mpl_page_tell(page, 6, "doubt: ", "%s%s",
                      isnan(r->gain_s) ? "this is but a guess: " : "", r->doubt);
    }
}

static void say_answer(struct page *page, const struct mpl_replayed *r)
{
    const double gain_s = isnan(r->changed_s) ? NAN : r->baseline_s - r->changed_s;

    if (isnan(gain_s)) {
        mpl_page_tell(page, 6, "now:   ", "%s", mpl_page_seconds(page, r->recorded_s));
    } else {
        mpl_page_tell(page, 6, "now:   ", "%s; %s when replayed with nothing changed",
                      mpl_page_seconds(page, r->recorded_s),
                      mpl_page_seconds(page, r->baseline_s));
        mpl_page_tell(page, 6, "then:  ", "%s, which is %s (%s) %s",
                      mpl_page_seconds(page, r->changed_s),
                      mpl_page_seconds(page, fabs(gain_s)),
                      mpl_page_share(page, fabs(gain_s) / fmax(r->baseline_s, 1e-12)),
                      gain_s >= 0 ? "less" : "more");
    }
    say_doubt(page, r);
}

static const char *range(struct page *page, const struct mpl_what_if_range *range)
{
    const char *text = mpl_arena_printf(
        page->scratch, "%s (%s to %s)", mpl_page_seconds(page, range->median_s),
        mpl_page_seconds(page, range->low_s), mpl_page_seconds(page, range->high_s));

    return text != NULL ? text : "?";
}

static bool is_of(const struct mpl_diagnosis *d, const struct mpl_what_if_answer *answer,
                  const struct mpl_what_if_group *g)
{
    const struct mpl_group *group = &d->sets.groups[g->group];
    bool is_member = false;

    for (size_t i = 0; i < group->n_runs; i++) {
        is_member = is_member || group->runs[i] == answer->run;
    }
    return is_member && answer->text == g->text;
}

/* The first doubt of those that count, or the first reason of those that do not. */
static void say_doubts(struct page *page, const struct mpl_diagnosis *d,
                       const struct mpl_what_if_group *g, bool has_figure)
{
    const char *doubt = NULL;
    const char *run = NULL;
    unsigned n = 0;

    for (size_t i = 0; i < d->n_what_ifs; i++) {
        const struct mpl_what_if_answer *answer = &d->what_ifs[i];

        if (is_of(d, answer, g) && answer->replayed.doubt != NULL &&
            isnan(answer->replayed.gain_s) != has_figure) {
            doubt = n++ == 0 ? answer->replayed.doubt : doubt;
            run = run == NULL ? d->runs[answer->run].id : run;
        }
    }
    if (n > 0) {
        mpl_page_tell(page, 6, "doubt: ", "%s %u of %u runs, as of %s: %s",
                      has_figure ? "in" : "no figure from", n, (unsigned) g->n_asked, run,
                      doubt);
    }
}

static void say_group(struct page *page, const struct mpl_diagnosis *d,
                      const struct mpl_what_if_group *g)
{
    const bool is_less = g->gain.median_s >= 0;
    const struct mpl_what_if_range change =
        is_less ? g->gain
                : (struct mpl_what_if_range){ -g->gain.median_s, -g->gain.high_s,
                                              -g->gain.low_s };

    mpl_page_say(page, 2, "%s (median of %u runs of %u process%s, and its range)", g->text,
                 (unsigned) g->n, (unsigned) d->sets.groups[g->group].processes,
                 d->sets.groups[g->group].processes > 1 ? "es" : "");
    mpl_page_tell(page, 6, "now:   ", "%s; %s when replayed with nothing changed",
                  range(page, &g->recorded), range(page, &g->baseline));
    mpl_page_tell(page, 6, "then:  ", "%s, which is %s %s", range(page, &g->changed),
                  range(page, &change), is_less ? "less" : "more");
    say_doubts(page, d, g, true);
    say_doubts(page, d, g, false);
}

static bool is_first_of(const struct mpl_diagnosis *d, size_t i,
                        const struct mpl_what_if_group *g)
{
    for (size_t k = 0; k < i; k++) {
        if (is_of(d, &d->what_ifs[k], g)) {
            return false;
        }
    }
    return true;
}

void mpl_page_what_ifs(struct page *page, const struct mpl_diagnosis *d)
{
    if (d->n_what_ifs > 0) {
        mpl_page_heading(page, "What if");
    }
    for (size_t i = 0; i < d->n_what_ifs; i++) {
        const struct mpl_what_if_answer *answer = &d->what_ifs[i];
        const struct mpl_what_if_group *g = NULL;

        for (size_t k = 0; k < d->n_what_if_groups && g == NULL; k++) {
            g = is_of(d, answer, &d->what_if_groups[k]) ? &d->what_if_groups[k] : NULL;
        }
        if (g == NULL) {
            mpl_page_say(page, 2, "%s (%s)", answer->text, d->runs[answer->run].id);
            say_answer(page, &answer->replayed);
        } else if (is_first_of(d, i, g)) {
            say_group(page, d, g);
        }
    }
}
