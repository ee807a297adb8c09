/* Sentences about what is different between two runs, for all formats that people read. */
#include "config.h"

#include "report/report_priv.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *mpl_words_location(struct page *page, const struct mpl_diff *diff,
                               uint32_t location)
{
    const char *label = diff->new->model->locations[location].label;

    return mpl_or_unknown(mpl_arena_printf(
        page->scratch, "%s %s", strchr(label, '.') == NULL ? "rank" : "thread", label));
}

/* "3.53 s"; of repetitions "3.53 s (median of 5 runs, 3.50 s to 3.61 s)". */
static const char *side_text(struct page *page, const struct mpl_diff_side *side)
{
    const char *median = mpl_page_seconds(page, side->median_s);

    return side->n == 1 ? median
                        : mpl_or_unknown(mpl_arena_printf(
                              page->scratch, "%s (median of %zu runs, %s to %s)", median,
                              side->n, mpl_page_seconds(page, side->low_s),
                              mpl_page_seconds(page, side->high_s)));
}

/* " as far as recorded (the new run lacks events of location 2)"; "" where nothing is known to be missing. */
static const char *reach_text(struct page *page, const struct mpl_diff *diff)
{
    const char *base = diff->base->damage;
    const char *new = diff->new->damage;

    if (base == NULL && new == NULL) {
        return "";
    }
    return mpl_or_unknown(
        mpl_arena_printf(page->scratch, " as far as recorded (%s%s%s%s%s)",
                         base == NULL ? "" : "the base lacks ", base == NULL ? "" : base,
                         base == NULL || new == NULL ? "" : ", ",
                         new == NULL ? "" : "the new run lacks ", new == NULL ? "" : new));
}

const char *mpl_words_verdict(struct page *page, const struct mpl_diff *diff)
{
    static const char *const says[] = {
        [MPL_DIFF_SAME] = "no difference in structure",
        [MPL_DIFF_DIFFERENT] = "in structure",
        [MPL_DIFF_SLOWER] = "with the same structure",
        [MPL_DIFF_FASTER] = "with the same structure",
    };

    return diff->verdict == MPL_DIFF_NOT_COMPARABLE
               ? diff->reason
               : mpl_or_unknown(mpl_arena_printf(
                     page->scratch, "%s%s%s%s; %s instead of %s", says[diff->verdict],
                     diff->n_roles == 0 ? "" : ", ",
                     diff->n_roles == 0 ? "" : mpl_words_by_role(page, diff),
                     reach_text(page, diff), side_text(page, &diff->sides[1]),
                     side_text(page, &diff->sides[0])));
}

const char *mpl_words_gate(struct page *page, const struct mpl_diff *diff,
                           const struct mpl_gate *gate)
{
    const double base_s = diff->sides[0].median_s;
    const double more_s = diff->sides[1].median_s - base_s;

    return mpl_or_unknown(
        gate->kind == MPL_GATE_STRUCTURE
            ? mpl_arena_printf(page->scratch, "Fails on %s", gate->text)
            : mpl_arena_printf(page->scratch, "Fails on %s: it takes %s (%.3g %%) longer",
                               gate->text, mpl_page_seconds(page, more_s),
                               base_s > 0 ? 100 * more_s / base_s : NAN));
}

/* ---- a change -------------------------------------------------------------------------------------- */

bool mpl_words_is_count(const struct mpl_divergence *change)
{
    uint32_t base;
    uint32_t new;

    return mpl_divergence_counts(change, &base, &new);
}

static const char *where(struct page *page, const struct mpl_divergence *x, bool is_one)
{
    if (x->n_iterations > 0) {
        return mpl_or_unknown(
            mpl_arena_printf(page->scratch, "from iteration %" PRIu32 " of %" PRIu32 " on",
                             x->iteration, x->n_iterations));
    }
    return mpl_or_unknown(mpl_arena_printf(page->scratch, "from %s call %s on",
                                           is_one ? "its" : "their",
                                           mpl_page_count(page, x->position + 1)));
}

/* "rank 5", "ranks 0 to 3"; sorts them. */
const char *mpl_words_locations(struct page *page, const struct mpl_diff *diff,
                                uint32_t *locations, size_t n)
{
    const char **labels = MPL_NEW_ARRAY(page->scratch, n, const char *);

    if (labels == NULL) {
        return "?";
    }
    qsort(locations, n, sizeof *locations, mpl_compare_u32);
    for (size_t i = 0; i < n; i++) {
        labels[i] = diff->new->model->locations[locations[i]].label;
    }
    return n == 1 ? mpl_words_location(page, diff, locations[0])
                  : mpl_or_unknown(mpl_arena_printf(
                        page->scratch, "%s %s",
                        strchr(labels[0], '.') == NULL ? "ranks" : "threads",
                        mpl_page_labels(page, labels, n)));
}

bool mpl_words_is_one(const char *who)
{
    return strncmp(who, "rank ", 5) == 0 || strncmp(who, "thread ", 7) == 0;
}

const struct mpl_divergence *mpl_changes_first(const struct mpl_diff *diff,
                                               const size_t *of, size_t group)
{
    size_t i = 0;

    while (of[i] != group) {
        i++;
    }
    return &diff->changes[i];
}

const char *mpl_words_group(struct page *page, const struct mpl_diff *diff,
                            const size_t *of, size_t group)
{
    uint32_t *locations = MPL_NEW_ARRAY(page->scratch, diff->n_changes, uint32_t);
    size_t n = 0;

    for (size_t i = 0; i < diff->n_changes && locations != NULL; i++) {
        if (of[i] == group) {
            locations[n++] = diff->changes[i].location;
        }
    }
    return n == 0 ? NULL : mpl_words_locations(page, diff, locations, n);
}

const char *mpl_words_change(struct page *page, const struct mpl_diff *diff,
                             const size_t *of, size_t group)
{
    const struct mpl_divergence *x = mpl_changes_first(diff, of, group);
    const char *who = mpl_or_unknown(mpl_words_group(page, diff, of, group));
    const bool is_one = mpl_words_is_one(who);
    uint32_t base;
    uint32_t new;

    if (mpl_divergence_counts(x, &base, &new)) {
        return mpl_or_unknown(mpl_arena_printf(
            page->scratch, "%s take%s %" PRIu32 " iterations instead of %" PRIu32, who,
            is_one ? "s" : "", new, base));
    }
    return mpl_or_unknown(mpl_arena_printf(
        page->scratch, "%s %s %s", who,
        x->new_symbol == MPL_NONE ? is_one ? "does nothing more" : "do nothing more"
        : is_one                  ? "goes another way"
                                  : "go another way",
        where(page, x, is_one)));
}

/* ---- computation ------------------------------------------------------------------------------------ */

const char *mpl_words_loads(struct page *page, const struct mpl_diff *diff, uint32_t first,
                            uint32_t end)
{
    const uint32_t n = end - first;
    uint32_t *locations = MPL_NEW_ARRAY(page->scratch, n, uint32_t);

    for (uint32_t i = 0; i < n && locations != NULL; i++) {
        locations[i] = diff->loads[first + i].location;
    }
    return locations == NULL ? "?" : mpl_words_locations(page, diff, locations, n);
}

/* Without work of its own: "14 tasks, 46.6 ms each, instead of 58, 10.3 ms each". */
const char *mpl_words_tasks(struct page *page, const struct mpl_load *load)
{
    return mpl_or_unknown(
        mpl_arena_printf(page->scratch, "It got %s tasks, %s each, instead of %s, %s each.",
                         mpl_page_count(page, load->new_tasks),
                         mpl_page_seconds(page, load->new_s / (double) load->new_tasks),
                         mpl_page_count(page, load->base_tasks),
                         mpl_page_seconds(page, load->base_s / (double) load->base_tasks)));
}

/* "they got 17 tasks instead of 401, 0.100 s each on average instead of 10.2 ms, which are too few to say" */
const char *mpl_words_few_tasks(struct page *page, const struct mpl_diff *diff,
                                uint32_t first)
{
    uint64_t n[2] = { 0, 0 };
    double sums_s[2] = { 0, 0 };

    for (uint32_t i = first; i < diff->n_loads; i++) {
        n[0] += diff->loads[i].base_tasks;
        n[1] += diff->loads[i].new_tasks;
        sums_s[0] += diff->loads[i].base_s;
        sums_s[1] += diff->loads[i].new_s;
    }
    return mpl_or_unknown(mpl_arena_printf(
        page->scratch,
        "%s got %s tasks instead of %s, %s each on average instead of %s, which is too few "
        "to say",
        diff->n_loads - first == 1 ? "it" : "they", mpl_page_count(page, n[1]),
        mpl_page_count(page, n[0]), mpl_page_seconds(page, sums_s[1] / (double) n[1]),
        mpl_page_seconds(page, sums_s[0] / (double) n[0])));
}

/* "ranks 123, 163, 203 and 19 others compute longer, by up to 1.00 ms". */
const char *mpl_words_more_loads(struct page *page, const struct mpl_diff *diff,
                                 uint32_t first)
{
    const bool is_one = diff->n_named - first == 1;
    bool is_longer = false;
    bool is_shorter = false;
    double most_s = 0;

    for (uint32_t i = first; i < diff->n_named; i++) {
        is_longer = is_longer || diff->loads[i].beyond_s > 0;
        is_shorter = is_shorter || diff->loads[i].beyond_s < 0;
        most_s = fmax(most_s, fabs(diff->loads[i].beyond_s));
    }
    return mpl_or_unknown(mpl_arena_printf(
        page->scratch, "%s compute%s %s, by %s%s",
        mpl_words_loads(page, diff, first, diff->n_named), is_one ? "s" : "",
        !is_shorter  ? "longer"
        : !is_longer ? "shorter"
                     : "longer or shorter",
        is_one ? "" : "up to ", mpl_page_seconds(page, most_s)));
}

const char *mpl_words_load(struct page *page, const struct mpl_diff *diff,
                           const struct mpl_load *load)
{
    return mpl_or_unknown(mpl_arena_printf(
        page->scratch, "%s computes %s %s than in the base%s%s: %s instead of %s",
        mpl_words_location(page, diff, load->location),
        mpl_page_seconds(page, fabs(load->beyond_s)),
        load->beyond_s > 0 ? "longer" : "shorter",
        load->work == 1 ? "" : " for the same work",
        diff->factor == 1 ? "" : ", beyond that", mpl_page_seconds(page, load->new_s),
        mpl_page_seconds(page, load->base_s)));
}

static const char *changed_text(struct page *page, const struct mpl_diff *diff)
{
    return diff->closing.n == diff->n_loads
               ? "all processes"
               : mpl_words_loads(page, diff, 0, diff->closing.n);
}

/* A replay confirms what is said if at most this share of the difference is left. */
static const double most_left = 0.2;

static bool is_confirmed(const struct mpl_diff *diff)
{
    const double more_s = diff->sides[1].median_s - diff->sides[0].median_s;

    return fabs(diff->closing.replayed_s - diff->sides[0].median_s) <=
           most_left * fabs(more_s);
}

/* "With rank 5 as in the base the run would take 0.449 s; the base takes 0.475 s". NULL: nothing to say. */
const char *mpl_words_closing(struct page *page, const struct mpl_diff *diff)
{
    const struct mpl_closing *x = &diff->closing;

    if (x->n == 0) {
        return NULL;
    }
    if (isnan(x->replayed_s) || (x->doubt != NULL && !is_confirmed(diff))) {
        return x->doubt == NULL
                   ? NULL
                   : mpl_or_unknown(mpl_arena_printf(
                         page->scratch,
                         "Whether the run would take as long as the base with %s as there "
                         "cannot be checked by replay: %s",
                         changed_text(page, diff), x->doubt));
    }
    return mpl_or_unknown(
        mpl_arena_printf(page->scratch,
                         "With %s computing as in the base the run would take %s; the base "
                         "takes %s",
                         changed_text(page, diff), mpl_page_seconds(page, x->replayed_s),
                         mpl_page_seconds(page, diff->sides[0].median_s)));
}

/* "The others wait 46.1 s in all for rank 5, instead of 0.2 s". NULL: nothing to say. */
const char *mpl_words_blame(struct page *page, const struct mpl_diff *diff)
{
    double more_s;
    const struct mpl_load *culprit = mpl_diff_culprit(diff, &more_s);

    if (isnan(more_s) || more_s <= 0 ||
        more_s < diff->least_share * diff->sides[0].median_s * diff->n_loads) {
        return NULL;
    }
    return mpl_or_unknown(
        culprit == NULL
            ? mpl_arena_printf(
                  page->scratch,
                  "All wait %s longer, added up, and nobody causes half of that",
                  mpl_page_seconds(page, more_s))
            : mpl_arena_printf(
                  page->scratch,
                  "All wait %s longer, added up; %s causes %s of waits, instead of %s",
                  mpl_page_seconds(page, more_s),
                  mpl_words_location(page, diff, culprit->location),
                  mpl_page_seconds(page, culprit->caused_new_s),
                  mpl_page_seconds(page, culprit->caused_base_s)));
}
