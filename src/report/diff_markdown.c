/*
 * What is different between two runs, as a comment to a change: what matters at first sight, and the whole
 * answer behind a click. Names come from traces, so they must not become markup: sentences are
 * escaped, and the answer is a block of code by its indentation, which nothing in it can end.
 */
#include "config.h"

#include "report/report_priv.h"

#include <string.h>

enum { CODE_WIDTH = 76 };

static void print_escaped(FILE *out, const char *text)
{
    for (const char *at = text; *at != '\0';) {
        const size_t n = strcspn(at, "\\`*[]<>&|~#@!");

        mpl_text_print(out, "%.*s", (int) n, at);
        at += n;
        if (*at != '\0') {
            mpl_text_print(out, "\\%c", *at++);
        }
    }
}

static void print_item(FILE *out, const char *text)
{
    mpl_text_print(out, "- ");
    print_escaped(out, text);
    mpl_text_print(out, "\n");
}

static void print_symbol(struct page *page, const struct mpl_diff *diff, uint32_t symbol)
{
    const char *text = symbol == MPL_NONE
                           ? "nothing more"
                           : mpl_symbol_text(diff->symbols, symbol, false, page->scratch);

    print_escaped(page->out, text == NULL ? "?" : text);
}

static void print_changes(struct page *page, const struct mpl_diff *diff, size_t top)
{
    size_t *of = MPL_NEW_ARRAY(page->scratch, diff->n_changes, size_t);
    const size_t n = of == NULL ? 0 : mpl_changes_group(diff, top, of);

    for (size_t i = 0; i < n; i++) {
        const struct mpl_divergence *x = mpl_changes_first(diff, of, i);

        mpl_text_print(page->out, "- ");
        print_escaped(page->out, mpl_words_change(page, diff, of, i));
        if (!mpl_words_is_count(x)) {
            mpl_text_print(page->out, ": ");
            print_symbol(page, diff, x->new_symbol);
            mpl_text_print(page->out, " instead of ");
            print_symbol(page, diff, x->base_symbol);
        }
        mpl_text_print(page->out, "\n");
    }
    const char *rest = n == 0 ? NULL : mpl_words_group(page, diff, of, SIZE_MAX);
    if (rest != NULL) {
        mpl_text_print(page->out, "- and ");
        print_escaped(page->out, rest);
        mpl_text_print(page->out, "\n");
    }
}

static void print_loads(struct page *page, const struct mpl_diff *diff, size_t top)
{
    for (uint32_t i = 0; i < diff->n_named && i < top; i++) {
        print_item(page->out, mpl_words_load(page, diff, &diff->loads[i]));
    }
    if (diff->n_named > top) {
        mpl_text_print(page->out, "- also ");
        print_escaped(page->out, mpl_words_more_loads(page, diff, (uint32_t) top));
        mpl_text_print(page->out, "\n");
    }
    for (enum mpl_time time = MPL_TIME_WAITED; time < MPL_TIMES; time++) {
        const char *text = mpl_words_calls(page, diff, time);

        if (text != NULL) {
            print_item(page->out, text);
        }
    }
}

static void print_note(struct page *page, const struct mpl_diff *diff)
{
    const char *note = mpl_words_verdict_note(page, diff);

    if (note != NULL) {
        print_item(page->out, note);
    }
}

static enum mpl_status print_whole(struct page *page, const struct mpl_diff *diff,
                                   size_t top, struct mpl_err *err)
{
    static const struct mpl_report_options looks = { .width = CODE_WIDTH };
    struct mpl_draft draft;

    mpl_draft_open(&draft);
    enum mpl_status st =
        draft.out == NULL ? mpl_nomem(err)
                          : mpl_report_diff_text(diff, NULL, top, &looks, draft.out, err);
    st = st == MPL_OK ? mpl_file_flush(draft.out, err) : st;
    mpl_text_print(page->out, "\n<details><summary>The whole answer</summary>\n\n");
    for (const char *at = draft.text; st == MPL_OK && *at != '\0';) {
        const size_t n = strcspn(at, "\n");

        mpl_text_print(page->out, "    %.*s\n", (int) n, at);
        at += at[n] == '\n' ? n + 1 : n;
    }
    mpl_text_print(page->out, "\n</details>\n");
    mpl_draft_close(&draft);
    return st;
}

enum mpl_status mpl_report_diff_markdown(const struct mpl_diff *diff,
                                         const struct mpl_gates *gates, size_t top,
                                         FILE *out, struct mpl_err *err)
{
    static const struct mpl_report_options looks = { .width = CODE_WIDTH };
    struct page page;
    enum mpl_status st = MPL_OK;

    mpl_page_open(&page, &looks, out);
    mpl_text_print(out, "**%s** ", mpl_diff_verdict_name(diff->verdict));
    print_escaped(out, mpl_words_verdict(&page, diff));
    mpl_text_print(out, "\n");
    if (diff->verdict != MPL_DIFF_NOT_COMPARABLE) {
        mpl_text_print(out, "\n");
        for (size_t i = 0; gates != NULL && i < gates->n; i++) {
            if (mpl_gate_fails(&gates->items[i], diff)) {
                print_item(page.out, mpl_words_gate(&page, diff, &gates->items[i]));
            }
        }
        if (diff->verdict == MPL_DIFF_SAME) {
            print_note(&page, diff);
        }
        print_changes(&page, diff, top);
        print_loads(&page, diff, top);
        if (diff->verdict != MPL_DIFF_SAME) {
            print_note(&page, diff);
        }
        st = print_whole(&page, diff, top, err);
    }

    const enum mpl_status closed = mpl_page_close(&page, err);

    return st == MPL_OK ? closed : st;
}
