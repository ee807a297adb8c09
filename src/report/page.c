#include "config.h"

#include "report/report_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void mpl_page_open(struct page *page, const struct mpl_report_options *options, FILE *out)
{
    *page = (struct page){ .out = out,
                           .width = options->width > 0 ? options->width : 92,
                           .scratch = mpl_arena_create(),
                           .plan = options->plan };
}

enum mpl_status mpl_page_end(struct page *page, const char *what, struct mpl_err *err)
{
    /* Then some text is shown as "?", or left out. */
    const bool lacks_memory = mpl_arena_is_short(page->scratch);

    mpl_arena_destroy(page->scratch);

    const enum mpl_status st = mpl_file_flush(page->out, err);

    if (st != MPL_OK) {
        return mpl_wrap(err, st, "cannot write the %s", what);
    }
    return lacks_memory ? mpl_nomem(err) : MPL_OK;
}

enum mpl_status mpl_page_close(struct page *page, struct mpl_err *err)
{
    return mpl_page_end(page, "report", err);
}

void mpl_page_say(struct page *page, int indent, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    const char *text = mpl_text_vformat(page->scratch, fmt, args);

    va_end(args);
    mpl_text_wrap(page->out, text != NULL ? text : "(out of memory)", indent, page->width);
}

void mpl_page_tell(struct page *page, int indent, const char *label, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    const char *text = mpl_text_vformat(page->scratch, fmt, args);

    va_end(args);
    mpl_text_hang(page->out, label, text != NULL ? text : "(out of memory)", indent,
                  page->width);
}

void mpl_page_heading(struct page *page, const char *text)
{
    mpl_text_print(page->out, "\n%s\n", text);
    for (size_t i = 0; i < strlen(text); i++) {
        (void) fputc('-', page->out);
    }
    (void) fputc('\n', page->out);
}

const char *mpl_or_unknown(const char *text)
{
    return text != NULL ? text : "?";
}

const char *mpl_page_seconds(struct page *page, double seconds)
{
    return mpl_or_unknown(mpl_text_seconds(page->scratch, seconds));
}

const char *mpl_page_share(struct page *page, double share)
{
    return mpl_or_unknown(mpl_text_share(page->scratch, share));
}

const char *mpl_page_count(struct page *page, uint64_t n)
{
    return mpl_or_unknown(mpl_text_count(page->scratch, n));
}

const char *mpl_page_value(struct page *page, double value, const char *unit)
{
    if (isnan(value)) {
        return "unknown";
    }
    if (strcmp(unit, "s") == 0) {
        return mpl_page_seconds(page, value);
    }
    if (value == floor(value) && fabs(value) < 1e15) {
        const char *count = mpl_page_count(page, (uint64_t) fabs(value));
        const char *text = mpl_arena_printf(page->scratch, "%s%s%s%s", value < 0 ? "-" : "",
                                            count, strcmp(unit, "1") == 0 ? "" : " ",
                                            strcmp(unit, "1") == 0 ? "" : unit);

        return mpl_or_unknown(text);
    }
    return mpl_or_unknown(mpl_arena_printf(page->scratch, "%.3g%s%s", value,
                                           strcmp(unit, "1") == 0 ? "" : " ",
                                           strcmp(unit, "1") == 0 ? "" : unit));
}

/* The label as a rank, or -1 for "3.2" and the like. */
static long rank_of(const char *label)
{
    char *end = NULL;
    const long rank = strtol(label, &end, 10);

    return end != label && *end == '\0' ? rank : -1;
}

/* So many labels or runs of them are named; of more only the first few. */
enum { MOST_PARTS = 8, FEW_PARTS = 3 };

/* The last of the labels from \p i on that are ranks one after the other; \p i itself if there are fewer than three. */
static size_t end_of_run(const char *const *labels, size_t n, size_t i)
{
    size_t last = i;

    while (last + 1 < n && rank_of(labels[last]) >= 0 &&
           rank_of(labels[last + 1]) == rank_of(labels[last]) + 1) {
        last++;
    }
    return last >= i + 2 ? last : i;
}

const char *mpl_page_labels(struct page *page, const char *const *labels, size_t n)
{
    size_t n_parts = 0;
    const char *text = "";
    size_t i = 0;

    for (size_t k = 0; k < n; k = end_of_run(labels, n, k) + 1) {
        n_parts++;
    }
    const size_t n_named = n_parts > MOST_PARTS ? FEW_PARTS : n_parts;

    for (size_t part = 0; part < n_named && text != NULL; part++) {
        const size_t last = end_of_run(labels, n, i);

        text = mpl_arena_printf(page->scratch, "%s%s%s%s%s", text, part > 0 ? ", " : "",
                                labels[i], last > i ? " to " : "",
                                last > i ? labels[last] : "");
        i = last + 1;
    }
    if (i < n && text != NULL) {
        text = mpl_arena_printf(page->scratch, "%s and %zu others", text, n - i);
    }
    return mpl_or_unknown(text);
}
