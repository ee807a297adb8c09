/* What the remedies would bring, and what the user asked: seconds by model and by replay. */
#include "config.h"

#include "report/report_priv.h"

#include <math.h>

/* Model and replay further apart than this are both told. */
static const double close_enough = 1.0 / 3;

static bool is_apart(double x_s, double y_s)
{
    return fabs(x_s - y_s) > close_enough * fmax(x_s, y_s);
}

static void say_replayed(struct page *page, const struct mpl_diagnosed *d)
{
    const char *doubt = d->gain_doubt == NULL
                            ? ""
                            : mpl_arena_printf(page->scratch, "; but %s", d->gain_doubt);
    const char *model = "";

    if (!isnan(d->gain_model_s)) {
        const bool apart = is_apart(d->gain_replay_s, d->gain_model_s);

        model = mpl_arena_printf(page->scratch, "; the model of the pattern says %s%s",
                                 mpl_page_seconds(page, d->gain_model_s),
                                 apart ? ", so take both with care" : "");
    }
    mpl_page_tell(
        page, 6,
        "gain:  ", "about %s of run time, by replay of the run with %s%s%s; confidence %s",
        mpl_page_seconds(page, d->gain_replay_s), d->what_if, model != NULL ? model : "",
        doubt != NULL ? doubt : "", mpl_page_share(page, d->finding->confidence));
}

/* The model's figure, and that of a replay that is doubtful. */
static void say_modelled(struct page *page, const struct mpl_diagnosed *d)
{
    const char *replay = "";

    if (!isnan(d->gain_replay_s)) {
        replay = mpl_arena_printf(
            page->scratch, "; %s by replay of the run with %s, but %s",
            mpl_page_seconds(page, d->gain_replay_s), d->what_if, d->gain_doubt);
    }
    mpl_page_tell(page, 6, "gain:  ", "about %s of run time at most%s; confidence %s",
                  mpl_page_seconds(page, d->gain_s), replay != NULL ? replay : "",
                  mpl_page_share(page, d->finding->confidence));
}

void mpl_page_gain(struct page *page, const struct mpl_diagnosed *d)
{
    if (!isnan(d->gain_replay_s) && (d->gain_doubt == NULL || isnan(d->gain_model_s))) {
        say_replayed(page, d);
    } else if (!isnan(d->gain_s) && d->gain_s > 0) {
        say_modelled(page, d);
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
    if (r->doubt != NULL) {
        mpl_page_tell(page, 6, "doubt: ", "%s%s",
                      isnan(r->gain_s) ? "no answer but a guess: " : "", r->doubt);
    }
}

void mpl_page_what_ifs(struct page *page, const struct mpl_diagnosis *d)
{
    if (d->n_what_ifs > 0) {
        mpl_page_heading(page, "What if");
    }
    for (size_t i = 0; i < d->n_what_ifs; i++) {
        const struct mpl_what_if_answer *answer = &d->what_ifs[i];

        mpl_page_say(page, 2, "%s (%s)", answer->text, d->runs[answer->run].id);
        say_answer(page, &answer->replayed);
    }
}
