/* The words of the screen, for whoever shows them in another way. */
#include "config.h"

#include "report/screen_priv.h"

enum { WIDTH_ENDLESS = 100000 };

static struct page page_in(struct mpl_arena *arena, const struct mpl_plan *plan)
{
    return (struct page){ .width = WIDTH_ENDLESS, .scratch = arena, .plan = plan };
}

void mpl_report_words(const struct mpl_diagnosis *d, const struct mpl_plan *plan,
                      struct mpl_arena *arena, struct mpl_verdict_words *out)
{
    struct page page = page_in(arena, plan);
    const bool is_usable = d->verdict != MPL_VERDICT_UNUSABLE;

    *out = (struct mpl_verdict_words){
        .verdict = mpl_screen_verdict(&page, d),
        .more = is_usable ? mpl_screen_more(&page, d) : "",
        .title = is_usable ? mpl_screen_title(&page, d) : "",
        .unexplained = is_usable ? mpl_screen_unexplained(&page, d) : NULL,
        .next = is_usable ? mpl_screen_next(&page, d) : NULL,
    };
}

void mpl_report_cause_words(const struct mpl_diagnosis *d,
                            const struct mpl_diagnosed *cause, struct mpl_arena *arena,
                            struct mpl_cause_words *out)
{
    struct page page = page_in(arena, NULL);

    *out = (struct mpl_cause_words){
        .cost = mpl_screen_cost(&page, d, cause),
        .where = mpl_screen_where(&page, d, cause),
        .gain = mpl_screen_gain_in_full(&page, d, cause),
    };
}

const char *mpl_report_value(struct mpl_arena *arena, double value, const char *unit)
{
    struct page page = page_in(arena, NULL);

    return mpl_page_value(&page, value, unit);
}

const char *mpl_report_labels(struct mpl_arena *arena, const char *const *labels, size_t n)
{
    struct page page = page_in(arena, NULL);

    return mpl_page_labels(&page, labels, n);
}
