/* What is different between two runs, for a person. */
#include "config.h"

#include "report/report_priv.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* A body or a stretch that is longer is cut: nobody reads on. Of what both have in common the last items. */
enum { MOST_WORDS = 16, MOST_COMMON = 4, LETTERS = 26 };

/* One change on a page, with the letters of its loops. */
struct sheet {
    struct page *page;
    const struct mpl_diff *diff;
    struct mpl_buf named; /* uint32_t: loops in the order of their letters */
};

static const char *or_unknown(const char *text)
{
    return text == NULL ? "?" : text;
}

/* ---- items ------------------------------------------------------------------------------------- */

static const char *letter_of(struct sheet *s, uint32_t loop)
{
    uint32_t *slot;
    size_t i = 0;

    while (i < s->named.n && *(const uint32_t *) mpl_buf_get(&s->named, i) != loop) {
        i++;
    }
    if (i == s->named.n) {
        slot = mpl_buf_add(&s->named);
        if (slot == NULL) {
            return "?";
        }
        *slot = loop;
    }
    return or_unknown(i < LETTERS
                          ? mpl_arena_printf(s->page->scratch, "%c", (char) ('A' + i))
                          : mpl_arena_printf(s->page->scratch, "%c%zu",
                                             (char) ('A' + i % LETTERS), i / LETTERS));
}

static const char *item_text(struct sheet *s, struct mpl_item item, bool is_short)
{
    struct mpl_arena *scratch = s->page->scratch;

    if ((item.what & MPL_LOOP) != 0) {
        return or_unknown(mpl_arena_printf(
            scratch, "%s^%" PRIu32, letter_of(s, item.what & ~MPL_LOOP), item.count));
    }
    return or_unknown(mpl_symbol_text(s->diff->symbols, item.what, is_short, scratch));
}

static const char *items_text(struct sheet *s, const struct mpl_item *items, uint32_t n,
                              bool is_short)
{
    const char *text = "";

    for (uint32_t i = 0; i < n && i < MOST_WORDS; i++) {
        text =
            or_unknown(mpl_arena_printf(s->page->scratch, "%s%s%s", text, i == 0 ? "" : " ",
                                        item_text(s, items[i], is_short)));
    }
    return n <= MOST_WORDS
               ? text
               : or_unknown(mpl_arena_printf(s->page->scratch, "%s ... (%" PRIu32 " more)",
                                             text, n - MOST_WORDS));
}

/* ---- base and new below each other ---------------------------------------------------------------- */

/* What stands in one column: the same on both sides, or what each has there. */
struct column {
    struct mpl_buf base; /* struct mpl_item */
    struct mpl_buf new;
    bool is_common;
};

/* A loop that goes on is one. */
static void append(struct mpl_buf *to, const struct mpl_item *items, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        struct mpl_item *last = to->n == 0 ? NULL : mpl_buf_get(to, to->n - 1);

        if (last != NULL && last->what == items[i].what && (last->what & MPL_LOOP) != 0) {
            last->count += items[i].count;
            continue;
        }
        last = mpl_buf_add(to);
        if (last != NULL) {
            *last = items[i];
        }
    }
}

/* The last item of what is common, where a loop of it goes on in one of the runs only. */
static uint32_t split_off(const struct mpl_divergence *x, size_t i)
{
    const struct mpl_block *common = &x->blocks[i];

    for (size_t k = i + 1; k < x->n_blocks && x->blocks[k].side != MPL_BLOCK_BOTH; k++) {
        if (mpl_block_goes_on(common, &x->blocks[k])) {
            return 1;
        }
    }
    return 0;
}

static struct column *last_column(struct mpl_buf *columns, bool is_common)
{
    struct column *last = columns->n == 0 ? NULL : mpl_buf_get(columns, columns->n - 1);

    if (last == NULL || last->is_common != is_common) {
        last = mpl_buf_add(columns);
        if (last != NULL) {
            *last = (struct column){ mpl_buf_make(sizeof(struct mpl_item)),
                                     mpl_buf_make(sizeof(struct mpl_item)), is_common };
        }
    }
    return last;
}

static void add_items(struct mpl_buf *columns, const struct mpl_block *b, uint32_t first,
                      uint32_t n, bool is_common)
{
    struct column *column = n == 0 ? NULL : last_column(columns, is_common);

    if (column != NULL && b->side != MPL_BLOCK_NEW) {
        append(&column->base, b->items + first, n);
    }
    if (column != NULL && b->side != MPL_BLOCK_BASE) {
        append(&column->new, b->items + first, n);
    }
}

static void print_row(struct sheet *s, const char *name, const char *const *texts,
                      const int *widths, size_t n)
{
    mpl_text_print(s->page->out, "       %-4s", name);
    for (size_t i = 0; i < n; i++) {
        mpl_text_print(s->page->out, "  %-*s", i + 1 < n ? widths[i] : 0, texts[i]);
    }
    mpl_text_print(s->page->out, "\n");
}

static int wider(const char *a, const char *b)
{
    const size_t x = mpl_text_columns(a);
    const size_t y = mpl_text_columns(b);

    return (int) (x > y ? x : y);
}

/* What stands between two differences, or in front of the first one. */
static const char *common_text(struct sheet *s, const struct column *x)
{
    const uint32_t n = (uint32_t) x->base.n;
    const struct mpl_item *items = x->base.data;

    return n <= MOST_COMMON
               ? items_text(s, items, n, false)
               : or_unknown(mpl_arena_printf(
                     s->page->scratch, "(%" PRIu32 " more) ... %s", n - MOST_COMMON,
                     items_text(s, items + n - MOST_COMMON, MOST_COMMON, false)));
}

static void print_columns(struct sheet *s, struct mpl_buf *columns)
{
    const size_t n = columns->n;
    const char **base = MPL_NEW_ARRAY(s->page->scratch, n, const char *);
    const char **new = MPL_NEW_ARRAY(s->page->scratch, n, const char *);
    int *widths = MPL_NEW_ARRAY(s->page->scratch, n, int);

    if (base == NULL || new == NULL || widths == NULL) {
        return;
    }
    for (size_t i = 0; i < n; i++) {
        const struct column *x = mpl_buf_get(columns, i);

        if (x->is_common) {
            base[i] = common_text(s, x);
            new[i] = base[i];
        } else {
            base[i] = items_text(s, x->base.data, (uint32_t) x->base.n, false);
            new[i] = items_text(s, x->new.data, (uint32_t) x->new.n, false);
        }
        widths[i] = wider(base[i], new[i]);
    }
    print_row(s, "base", base, widths, n);
    print_row(s, "new", new, widths, n);
}

static void print_alignment(struct sheet *s, const struct mpl_divergence *x)
{
    struct mpl_buf columns = mpl_buf_make(sizeof(struct column));

    for (size_t i = 0; i < x->n_blocks; i++) {
        const struct mpl_block *b = &x->blocks[i];
        const bool is_common = b->side == MPL_BLOCK_BOTH;
        const uint32_t split = is_common ? split_off(x, i) : 0;

        add_items(&columns, b, 0, b->n - split, is_common);
        add_items(&columns, b, b->n - split, split, false);
    }
    print_columns(s, &columns);
    for (size_t i = 0; i < columns.n; i++) {
        struct column *column = mpl_buf_get(&columns, i);

        mpl_buf_free(&column->base);
        mpl_buf_free(&column->new);
    }
    mpl_buf_free(&columns);
    /* A body may name further loops, whose turn then comes. */
    for (size_t i = 0; i < s->named.n; i++) {
        const uint32_t loop = *(const uint32_t *) mpl_buf_get(&s->named, i);
        const struct mpl_loop body = mpl_loops_get(s->diff->loops, loop);
        const char *label = or_unknown(
            mpl_arena_printf(s->page->scratch, "         %s = ", letter_of(s, loop)));

        mpl_text_hang(s->page->out, label, items_text(s, body.items, body.n, true), 0,
                      s->page->width);
    }
}

/* ---- a change -------------------------------------------------------------------------------------- */

static const char *symbol_text(struct sheet *s, uint32_t symbol)
{
    return symbol == MPL_NONE ? "nothing more"
                              : item_text(s, (struct mpl_item){ symbol, 1 }, false);
}

static void print_change(struct page *page, const struct mpl_diff *diff, size_t i)
{
    const struct mpl_divergence *x = &diff->changes[i];
    struct sheet s = { page, diff, mpl_buf_make(sizeof(uint32_t)) };

    mpl_page_tell(page, 0, or_unknown(mpl_arena_printf(page->scratch, "%3zu. ", i + 1)),
                  "%s", mpl_words_change(page, diff, x));
    if (!mpl_words_is_count(x)) {
        mpl_page_say(page, 7, "%s instead of %s", symbol_text(&s, x->new_symbol),
                     symbol_text(&s, x->base_symbol));
    }
    print_alignment(&s, x);
    if (x->remark != NULL) {
        mpl_page_say(page, 7, "%s", x->remark);
    }
    mpl_buf_free(&s.named);
}

static const char *suspect_text(struct page *page, const struct mpl_diff *diff, size_t i)
{
    return or_unknown(mpl_arena_printf(
        page->scratch, "%s (%" PRIu32 " of %" PRIu32 " telling configurations)",
        diff->new->model->locations[diff->changes[i].location].label,
        diff->changes[i].n_votes, diff->n_telling));
}

static void print_suspects(struct page *page, const struct mpl_diff *diff)
{
    const char *first = diff->new->model->locations[diff->changes[0].location].label;
    size_t second = 0;

    for (size_t i = 1; i < diff->n_changes; i++) {
        if (diff->changes[i].n_votes > 0 &&
            (second == 0 || diff->changes[i].n_votes > diff->changes[second].n_votes)) {
            second = i;
        }
    }
    if (diff->n_telling == 0) {
        mpl_page_tell(
            page, 2, "Suspects: ", "%s, which is the first to go another way%s", first,
            diff->n_changes > 1 && diff->n_changes == diff->new->model->n_locations
                ? "; all of them do"
                : "");
        return;
    }
    mpl_page_tell(page, 2, "Suspects: ", "%s%s; runner-up: %s", suspect_text(page, diff, 0),
                  diff->changes[second].n_votes > diff->changes[0].n_votes
                      ? ", the first to go another way"
                      : "",
                  second == 0 ? "none" : suspect_text(page, diff, second));
}

/* Where all go another way at once, nobody asks who was first. */
static void print_first(struct page *page, const struct mpl_diff *diff)
{
    if (diff->n_first > 1 && diff->n_first < diff->new->model->n_locations) {
        mpl_page_say(page, 2,
                     "Nothing orders %" PRIu32 " of these, so any of them may be first.",
                     diff->n_first);
    }
}

static void print_others(struct page *page, const struct mpl_diff *diff, size_t shown)
{
    const size_t n = diff->n_changes - shown;
    const char **labels = MPL_NEW_ARRAY(page->scratch, n, const char *);

    for (size_t i = 0; i < n && labels != NULL; i++) {
        labels[i] = diff->new->model->locations[diff->changes[shown + i].location].label;
    }
    if (n > 0 && labels != NULL) {
        mpl_page_say(page, 2, "Also %s go%s another way.", mpl_page_labels(page, labels, n),
                     n == 1 ? "es" : "");
    }
}

/* ---- the answer ------------------------------------------------------------------------------------- */

static void print_verdict(struct page *page, const struct mpl_diff *diff)
{
    const char *label = or_unknown(
        mpl_arena_printf(page->scratch, "%s  ", mpl_diff_verdict_name(diff->verdict)));

    mpl_page_tell(page, 0, label, "%s", mpl_words_verdict(page, diff));
}

static void print_gates(struct page *page, const struct mpl_diff *diff,
                        const struct mpl_gates *gates)
{
    for (size_t i = 0; gates != NULL && i < gates->n; i++) {
        if (mpl_gate_fails(&gates->items[i], diff)) {
            mpl_page_say(page, 2, "%s", mpl_words_gate(page, diff, &gates->items[i]));
        }
    }
}

static void print_load(struct page *page, const struct mpl_diff *diff,
                       const struct mpl_load *load)
{
    mpl_page_say(page, 2, "%s", mpl_words_load(page, diff, load));
    if (load->work != 1) {
        mpl_page_say(page, 4, "%s", mpl_words_tasks(page, load));
    }
    if (!load->is_significant) {
        mpl_page_say(page, 4,
                     "It %s: only repetitions (--base, --new) tell whether that is chance.",
                     isnan(load->p) ? "makes too few calls" : "does so in few places");
    }
}

static void print_why(struct page *page, const struct mpl_diff *diff)
{
    const char *const sentences[] = { mpl_words_blame(page, diff),
                                      mpl_words_closing(page, diff) };

    for (size_t i = 0; i < sizeof sentences / sizeof *sentences; i++) {
        if (sentences[i] != NULL) {
            mpl_page_say(page, 2, "%s", sentences[i]);
        }
    }
}

static const char *capital(struct page *page, const char *text)
{
    return or_unknown(
        mpl_arena_printf(page->scratch, "%c%s", text[0] - 'a' + 'A', text + 1));
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
                : or_unknown(mpl_arena_printf(page->scratch, "the computation of %s",
                                              mpl_words_loads(page, diff, small, end)));

        mpl_page_say(page, 2, "%s%s is the same, within %s",
                     diff->factor == 1 ? "" : "Beyond that ",
                     diff->factor == 1 ? capital(page, what) : what,
                     mpl_page_seconds(page, fabs(diff->loads[small].beyond_s)));
    }
    if (diff->n_loads > end) {
        mpl_page_say(page, 2,
                     "The computation of %s is not compared: they got too few tasks",
                     mpl_words_loads(page, diff, end, diff->n_loads));
    }
}

/* Too little for a verdict by one run each, and too much to leave without a word. */
static void print_small_difference(struct page *page, const struct mpl_diff *diff)
{
    const double base_s = diff->sides[0].median_s;
    const double more_s = diff->sides[1].median_s - base_s;

    if (diff->verdict == MPL_DIFF_SAME && fabs(more_s) >= diff->least_share / 2 * base_s &&
        diff->n_named == 0 && !mpl_diff_has_repetitions(diff)) {
        mpl_page_say(
            page, 2,
            "The run takes %s (%.0f %%) %s, in waits and communication; whether that "
            "is more than chance, only repetitions show (--base, --new)",
            mpl_page_seconds(page, fabs(more_s)), 100 * fabs(more_s) / base_s,
            more_s > 0 ? "longer" : "less");
    }
}

static void print_loads(struct page *page, const struct mpl_diff *diff, size_t top)
{
    const uint32_t n = diff->n_named < top ? diff->n_named : (uint32_t) top;

    if (diff->n_loads > 0 && diff->factor != 1) {
        mpl_page_say(page, 2,
                     "All compute %.2f times as long as in the base: another machine, "
                     "other settings, or more work",
                     diff->factor);
    }
    for (uint32_t i = 0; i < n; i++) {
        print_load(page, diff, &diff->loads[i]);
    }
    if (n < diff->n_named) {
        mpl_page_say(page, 2, "and %" PRIu32 " more (--top %" PRIu32 ")", diff->n_named - n,
                     diff->n_named);
    }
    print_rest(page, diff);
    print_why(page, diff);
    if (diff->is_unexplained && diff->n_changes == 0) {
        mpl_page_say(page, 2,
                     "%s the difference in run time: marple diagnose says what "
                     "each run waits for",
                     diff->n_loads > 0 ? "Computation does not explain"
                                       : "Other numbers of calls hide what explains");
    }
    if (diff->n_loads > 0) {
        print_small_difference(page, diff);
    }
}

enum mpl_status mpl_report_diff_text(const struct mpl_diff *diff,
                                     const struct mpl_gates *gates, size_t top,
                                     const struct mpl_report_options *options, FILE *out,
                                     struct mpl_err *err)
{
    const size_t shown = diff->n_changes < top ? diff->n_changes : top;
    struct page page;
    const enum mpl_status st = mpl_page_open(&page, options, out, err);

    if (st != MPL_OK) {
        return st;
    }
    print_verdict(&page, diff);
    print_gates(&page, diff, gates);
    for (size_t i = 0; i < shown; i++) {
        print_change(&page, diff, i);
    }
    if (diff->n_changes > 0) {
        print_others(&page, diff, shown);
        print_suspects(&page, diff);
        print_first(&page, diff);
    }
    if (diff->verdict != MPL_DIFF_NOT_COMPARABLE) {
        print_loads(&page, diff, top);
    }
    for (size_t i = 0; i < diff->n_notes; i++) {
        mpl_page_tell(&page, 2, "Note: ", "%s", diff->notes[i]);
    }
    return mpl_page_close(&page, err);
}
