/*
 * What the verdict alone would leave open: why runs count as equally long although somebody computes longer, and what
 * one run on each side cannot show.
 */
#include "config.h"

#include "report/report_priv.h"

#include <math.h>

/* Of 203 pairs of runs of healthy programs, eight processes on average on two cores that had five times as much to do, the run
   times of the furthest were apart by a factor of 1.74. */
static const double most_by_chance = 2;
static const double least_explained = 0.5;

static const char *or_nothing(const char *text)
{
    return text == NULL ? "" : text;
}

static double more_of(const struct mpl_diff *diff)
{
    return diff->sides[1].median_s - diff->sides[0].median_s;
}

/* "The run takes 0.132 s (7 %) longer" */
static const char *difference_text(struct page *page, const struct mpl_diff *diff)
{
    const double more_s = more_of(diff);

    return or_nothing(mpl_arena_printf(page->scratch, "The run takes %s (%.0f %%) %s",
                                       mpl_page_seconds(page, fabs(more_s)),
                                       100 * fabs(more_s) / diff->sides[0].median_s,
                                       more_s > 0 ? "longer" : "less"));
}

/* Where one run each is all there is. */
static const char *single_text(struct page *page, const struct mpl_diff *diff)
{
    const char *where =
        diff->n_named > 0 ? ", but not by what is different in computation"
        : diff->explained_share < least_explained ? ", in waits and communication"
        : more_of(diff) > 0 ? ", and nobody is known to compute so much longer"
                            : ", and nobody is known to compute so much shorter";

    return or_nothing(
        mpl_arena_printf(page->scratch,
                         "%s%s; whether that is more than chance, only repetitions show "
                         "(--base, --new)",
                         difference_text(page, diff), where));
}

static const char *same_text(struct page *page, const struct mpl_diff *diff)
{
    const double share = fabs(more_of(diff)) / diff->sides[0].median_s;
    const bool is_large = share >= diff->least_share;

    if (is_large && mpl_diff_has_repetitions(diff)) {
        return or_nothing(mpl_arena_printf(
            page->scratch,
            "%s, which may be chance: runs that do not differ are as far apart in %.0f %% "
            "of such comparisons",
            difference_text(page, diff), 100 * diff->p));
    }
    if (diff->n_loads > 0 && (diff->n_named > 0 || diff->factor != 1) && !is_large) {
        return or_nothing(mpl_arena_printf(
            page->scratch,
            "Computation differs, but the run takes about as long as before: differences "
            "count from %.3g %% on (--least)",
            100 * diff->least_share));
    }
    return diff->n_loads > 0 && share >= diff->least_share / 2 &&
                   !mpl_diff_has_repetitions(diff)
               ? single_text(page, diff)
               : NULL;
}

const char *mpl_words_verdict_note(struct page *page, const struct mpl_diff *diff)
{
    const double base_s = diff->sides[0].median_s;
    const double new_s = diff->sides[1].median_s;

    if (diff->n_roles > 0 || !(base_s > 0)) {
        return NULL;
    }
    if (diff->verdict == MPL_DIFF_SAME) {
        return same_text(page, diff);
    }
    /* It may stand beside somebody that only repetitions show whether that is chance. */
    const bool is_said =
        diff->n_named > 0 && !diff->loads[diff->n_named - 1].is_significant;

    return (diff->verdict == MPL_DIFF_SLOWER || diff->verdict == MPL_DIFF_FASTER) &&
                   !mpl_diff_has_repetitions(diff) && !is_said &&
                   fmax(base_s, new_s) < most_by_chance * fmin(base_s, new_s)
               ? "One run each: on a busy machine runs of the same program differ as much; "
                 "only repetitions (--base, --new) show whether this is more than chance"
               : NULL;
}
