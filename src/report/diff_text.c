/* What is different between two runs, for a person. */
#include "config.h"

#include "report/report_priv.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- a change -------------------------------------------------------------------------------------- */

static const char *symbol_text(struct page *page, const struct mpl_diff *diff,
                               uint32_t symbol)
{
    return symbol == MPL_NONE ? "nothing more"
                              : mpl_or_unknown(mpl_symbol_text(diff->symbols, symbol, false,
                                                               page->scratch));
}

static void print_remarks(struct page *page, const struct mpl_divergence *x)
{
    if (x->is_cut) {
        mpl_page_say(page, 7,
                     "They differ in so much that only what both begin and end with is "
                     "paired");
    }
    if (x->remark != NULL) {
        mpl_page_say(page, 7, "%s", x->remark);
    }
}

static void print_instead(struct page *page, const struct mpl_diff *diff,
                          const struct mpl_divergence *x)
{
    if (!mpl_words_is_count(x)) {
        mpl_page_say(page, 7, "%s instead of %s", symbol_text(page, diff, x->new_symbol),
                     symbol_text(page, diff, x->base_symbol));
    }
}

static void print_change(struct page *page, const struct mpl_diff *diff, const size_t *of,
                         size_t group)
{
    const struct mpl_divergence *x = mpl_changes_first(diff, of, group);
    const char *who = mpl_words_location(page, diff, x->location);

    mpl_page_tell(page, 0,
                  mpl_or_unknown(mpl_arena_printf(page->scratch, "%3zu. ", group + 1)),
                  "%s", mpl_words_change(page, diff, of, group));
    print_instead(page, diff, x);
    if (strcmp(mpl_or_unknown(mpl_words_group(page, diff, of, group)), who) != 0) {
        mpl_page_say(page, 7, "Shown is %s; the others do likewise, but for partners", who);
    }
    mpl_page_alignment(page, diff, x, false);
    print_remarks(page, x);
}

enum mpl_status mpl_report_aligned_text(const struct mpl_diff *diff,
                                        const struct mpl_aligned *aligned,
                                        const struct mpl_report_options *options, FILE *out,
                                        struct mpl_err *err)
{
    const struct mpl_divergence *x = &aligned->change;
    const size_t of = 0;
    struct mpl_diff view = *diff;
    struct page page;

    mpl_page_open(&page, options, out);
    view.loops = aligned->filtered.loops;
    view.n_changes = 1;
    view.changes = x;
    if (aligned->differs) {
        mpl_page_say(&page, 0, "%s", mpl_words_change(&page, &view, &of, 0));
        print_instead(&page, &view, x);
    } else {
        mpl_page_say(&page, 0, "%s makes the same calls in both runs",
                     mpl_words_location(&page, &view, x->location));
    }
    mpl_page_alignment(&page, &view, x, true);
    print_remarks(&page, x);
    return mpl_page_close(&page, err);
}

static const char *suspect_text(struct page *page, const struct mpl_diff *diff,
                                const char *who, size_t i)
{
    return mpl_or_unknown(mpl_arena_printf(
        page->scratch, "%s (%" PRIu32 " of %" PRIu32 " telling configurations)", who,
        diff->changes[i].n_votes, diff->n_telling));
}

/* The first one, and of those that may as well be first all that as many configurations suspect. */
static const char *first_suspects(struct page *page, const struct mpl_diff *diff, size_t *n)
{
    const char **labels = MPL_NEW_ARRAY(page->scratch, diff->n_changes, const char *);

    *n = 0;
    for (size_t i = 0; i < diff->n_changes && labels != NULL; i++) {
        if (i == 0 ||
            (i < diff->n_first && diff->changes[i].n_votes == diff->changes[0].n_votes)) {
            labels[(*n)++] = diff->new->model->locations[diff->changes[i].location].label;
        }
    }
    return labels == NULL ? "?" : mpl_page_labels(page, labels, *n);
}

/* Behind those, who most configurations suspect; 0: nobody. */
static size_t find_second(const struct mpl_diff *diff)
{
    size_t second = 0;

    for (size_t i = 1; i < diff->n_changes; i++) {
        const uint32_t n = diff->changes[i].n_votes;

        if (n > 0 && (i >= diff->n_first || n != diff->changes[0].n_votes) &&
            (second == 0 || n > diff->changes[second].n_votes)) {
            second = i;
        }
    }
    return second;
}

static void print_suspects(struct page *page, const struct mpl_diff *diff)
{
    size_t n;
    const char *first = diff->new->model->locations[diff->changes[0].location].label;
    const char *all = first_suspects(page, diff, &n);
    const size_t second = find_second(diff);

    if (diff->n_telling == 0) {
        mpl_page_tell(
            page, 2, "Suspects: ", "%s, which is the first to go another way%s", first,
            diff->n_changes > 1 && diff->n_changes == diff->new->model->n_locations
                ? "; all of them do"
                : "");
        return;
    }
    mpl_page_tell(
        page, 2, "Suspects: ", "%s%s; runner-up: %s", suspect_text(page, diff, all, 0),
        diff->changes[second].n_votes > diff->changes[0].n_votes
            ? ", the first to go another way"
            : "",
        second == 0 ? "none"
                    : suspect_text(
                          page, diff,
                          diff->new->model->locations[diff->changes[second].location].label,
                          second));
}

static void print_changes(struct page *page, const struct mpl_diff *diff, size_t top)
{
    size_t *of = MPL_NEW_ARRAY(page->scratch, diff->n_changes, size_t);
    const size_t n = of == NULL ? 0 : mpl_changes_group(diff, top, of);

    for (size_t i = 0; i < n; i++) {
        print_change(page, diff, of, i);
    }
    if (n > 0) {
        const char *others = mpl_words_group(page, diff, of, SIZE_MAX);

        if (others != NULL) {
            mpl_page_say(page, 2, "Also %s go%s another way.", others,
                         mpl_words_is_one(others) ? "es" : "");
        }
        print_suspects(page, diff);
        /* Where all go another way at once, nobody asks who was first. */
        if (diff->n_first > 1 && diff->n_first < diff->new->model->n_locations) {
            mpl_page_say(page, 2,
                         "Nothing orders %" PRIu32
                         " of these, so any of them may be first.",
                         diff->n_first);
        }
    }
}

static void print_load(struct page *page, const struct mpl_diff *diff,
                       const struct mpl_load *load)
{
    const char *place = mpl_words_place(page, diff, load);

    mpl_page_say(page, 2, "%s", mpl_words_load(page, diff, load));
    if (place != NULL) {
        mpl_page_say(page, 4, "%s", place);
    }
    if (load->work != 1) {
        mpl_page_say(page, 4, "%s", mpl_words_tasks(page, load));
    }
    if (!load->is_significant) {
        mpl_page_say(page, 4,
                     "It %s: only repetitions (--base, --new) tell whether that is chance.",
                     isnan(load->p) ? "makes too few calls" : "does so in few places");
    }
}

/* Behind those that are named: what would count if it were known to be more than chance; what is too small to count;
   and what was not compared. */
static void print_rest(struct page *page, const struct mpl_diff *diff)
{
    const double least_s = diff->least_share * diff->sides[0].median_s;
    const uint32_t first = diff->n_named;
    uint32_t small = first;
    uint32_t end;

    while (small < diff->n_loads && fabs(diff->loads[small].beyond_s) >= least_s) {
        small++;
    }
    for (end = small; end < diff->n_loads && !isnan(diff->loads[end].beyond_s);) {
        end++;
    }
    if (small > first) {
        mpl_page_say(
            page, 2, "The computation of %s differs by up to %s, which may be chance: %s",
            mpl_words_loads(page, diff, first, small),
            mpl_page_seconds(page, fabs(diff->loads[first].beyond_s)),
            mpl_diff_has_repetitions(diff) ? "repetitions differ as much"
                                           : "only repetitions (--base, --new) tell");
    }
    if (end > small) {
        const char *what =
            end - small == diff->n_loads ? "computation"
            : end == diff->n_loads
                ? "the computation of all others"
                : mpl_or_unknown(mpl_arena_printf(page->scratch, "the computation of %s",
                                                  mpl_words_loads(page, diff, small, end)));

        mpl_page_say(page, 2, "%s%c%s is the same, within %s",
                     diff->factor == 1 ? "" : "Beyond that ",
                     diff->factor == 1 ? *what - 'a' + 'A' : *what, what + 1,
                     mpl_page_seconds(page, fabs(diff->loads[small].beyond_s)));
    }
    if (diff->n_loads > end) {
        mpl_page_say(page, 2, "The computation of %s is not compared: %s",
                     mpl_words_loads(page, diff, end, diff->n_loads),
                     mpl_words_few_tasks(page, diff, end));
    }
}

static void print_loads(struct page *page, const struct mpl_diff *diff, size_t top)
{
    const uint32_t n = diff->n_named < top ? diff->n_named : (uint32_t) top;

    if (diff->n_loads > 0 && diff->factor != 1) {
        mpl_page_say(page, 2,
                     "All compute %.3g times as long as in the base: another machine, "
                     "other settings, or more work",
                     diff->factor);
    }
    for (uint32_t i = 0; i < n; i++) {
        print_load(page, diff, &diff->loads[i]);
    }
    if (n < diff->n_named) {
        mpl_page_say(page, 2, "Also %s (--top %" PRIu32 ")",
                     mpl_words_more_loads(page, diff, n), diff->n_named);
    }
    print_rest(page, diff);
    const char *const sentences[] = { mpl_words_blame(page, diff),
                                      mpl_words_calls(page, diff, MPL_TIME_WAITED),
                                      mpl_words_calls(page, diff, MPL_TIME_CALLS),
                                      mpl_words_closing(page, diff) };

    for (size_t i = 0; i < sizeof sentences / sizeof *sentences; i++) {
        if (sentences[i] != NULL) {
            mpl_page_say(page, 2, "%s", sentences[i]);
        }
    }
    if (diff->is_unexplained && diff->n_changes == 0) {
        mpl_page_say(page, 2,
                     "%s the difference in run time: marple diagnose says what "
                     "each run waits for",
                     diff->n_loads > 0 ? "Computation does not explain"
                                       : "Other numbers of calls hide what explains");
    }
}

static void print_note(struct page *page, const struct mpl_diff *diff)
{
    const char *note = mpl_words_verdict_note(page, diff);

    if (note != NULL) {
        mpl_page_say(page, 2, "%s", note);
    }
}

enum mpl_status mpl_report_diff_text(const struct mpl_diff *diff,
                                     const struct mpl_gates *gates, size_t top,
                                     const struct mpl_report_options *options, FILE *out,
                                     struct mpl_err *err)
{
    struct page page;

    mpl_page_open(&page, options, out);
    mpl_page_tell(&page, 0,
                  mpl_or_unknown(mpl_arena_printf(page.scratch, "%s  ",
                                                  mpl_diff_verdict_name(diff->verdict))),
                  "%s", mpl_words_verdict(&page, diff));
    for (size_t i = 0; gates != NULL && i < gates->n; i++) {
        if (mpl_gate_fails(&gates->items[i], diff)) {
            mpl_page_say(&page, 2, "%s", mpl_words_gate(&page, diff, &gates->items[i]));
        }
    }
    /* Before what would contradict the verdict without it. */
    if (diff->verdict == MPL_DIFF_SAME) {
        print_note(&page, diff);
    }
    print_changes(&page, diff, top);
    if (diff->n_roles > 0) {
        mpl_page_roles(&page, diff);
    } else if (diff->verdict != MPL_DIFF_NOT_COMPARABLE) {
        print_loads(&page, diff, top);
    }
    if (diff->verdict != MPL_DIFF_SAME) {
        print_note(&page, diff);
    }
    for (size_t i = 0; i < diff->n_notes; i++) {
        mpl_page_tell(&page, 2, "Note: ", "%s", diff->notes[i]);
    }
    return mpl_page_close(&page, err);
}
