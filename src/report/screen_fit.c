/* Texts of the screen, and lines that they are cut to. */
#include "config.h"

#include "report/screen_priv.h"

const char *mpl_screen_words(struct page *page, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    const char *text = mpl_text_vformat(page->scratch, fmt, args);

    va_end(args);
    return text != NULL ? text : "(out of memory)";
}

const char *mpl_screen_percent(struct page *page, double share)
{
    return mpl_screen_words(page, "%.0f %%", 100 * share);
}

void mpl_screen_fit(struct page *page, const char *label, const char *text, int inner,
                    int lines)
{
    const int taken = (int) mpl_text_columns(label);
    const char *cut =
        mpl_text_fit(page->scratch, text, page->width - taken, page->width - inner, lines);

    mpl_text_lead(page->out, label, cut != NULL ? cut : "(out of memory)", inner,
                  page->width);
}
