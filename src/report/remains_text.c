/* What is not computation, and how much of it is explained. */
#include "config.h"

#include "report/report_priv.h"

/* " The causes above explain …": "" where there are none. */
static const char *explained_text(struct page *page, const struct mpl_diagnosis *d)
{
    const char *inside = mpl_page_seconds(page, d->explained_s);
    const char *outside = mpl_page_seconds(page, d->nested_s);
    const char *text =
        d->nested_s > 0
            ? mpl_arena_printf(
                  page->scratch,
                  " The causes above explain %s of it where they are, %s outside.", inside,
                  outside)
        : d->explained_s > 0
            ? mpl_arena_printf(page->scratch, " The causes above explain %s of it.", inside)
            : "";

    return text != NULL ? text : "";
}

static const char *normal_text(struct page *page, const struct mpl_diagnosis *d)
{
    const char *text =
        d->normal_s > 0
            ? mpl_arena_printf(page->scratch, " %s of it is normal for the pattern.",
                               mpl_page_seconds(page, d->normal_s))
            : "";

    return text != NULL ? text : "";
}

double mpl_report_unexplained_s(const struct mpl_diagnosis *d)
{
    const double rest_s = d->lost_s - d->explained_s - d->nested_s - d->normal_s;

    /* Sums of parts leave some rounding. */
    return rest_s < 1e-9 * d->location_s ? 0 : rest_s;
}

static const char *rest_text(struct page *page, const struct mpl_diagnosis *d)
{
    const double rest_s = mpl_report_unexplained_s(d);
    const char *text =
        rest_s <= 0 ? " Nothing remains unexplained."
                    : mpl_arena_printf(page->scratch,
                                       " %s (%s of the process time) remains unexplained.",
                                       mpl_page_seconds(page, rest_s),
                                       mpl_page_share(page, rest_s / d->location_s));

    return text != NULL ? text : "";
}

void mpl_page_remains(struct page *page, const struct mpl_diagnosis *d)
{
    if (d->location_s <= 0) {
        return;
    }
    mpl_page_heading(page, "What remains");
    mpl_page_say(page, 2, "Of %s of process time, %s (%s) is not computation.%s%s%s",
                 mpl_page_seconds(page, d->location_s), mpl_page_seconds(page, d->lost_s),
                 mpl_page_share(page, d->lost_s / d->location_s), explained_text(page, d),
                 normal_text(page, d), rest_text(page, d));
}
