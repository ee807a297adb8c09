/* The calls of a process in both runs below each other, for a person. */
#include "config.h"

#include "report/report_priv.h"

#include <inttypes.h>
#include <string.h>

/* A body or a stretch that is longer is cut: nobody reads on. Of what both have in common the last items. */
enum { MOST_WORDS = 16, MOST_COMMON = 4, LETTERS = 26 };

/* One change on a page, with the letters of its loops. */
struct drawing {
    struct page *page;
    const struct mpl_diff *diff;
    bool is_full;         /* Nothing is cut. */
    struct mpl_buf named; /* uint32_t: loops in the order of their letters */
};

static const char *letter_of(struct drawing *d, uint32_t loop)
{
    size_t i = 0;

    while (i < d->named.n && *(const uint32_t *) mpl_buf_get(&d->named, i) != loop) {
        i++;
    }
    if (i == d->named.n && !mpl_buf_put(&d->named, &loop)) {
        return "?";
    }
    return mpl_or_unknown(i < LETTERS
                              ? mpl_arena_printf(d->page->scratch, "%c", (char) ('A' + i))
                              : mpl_arena_printf(d->page->scratch, "%c%zu",
                                                 (char) ('A' + i % LETTERS), i / LETTERS));
}

static const char *item_text(struct drawing *d, struct mpl_item item, bool is_short)
{
    struct mpl_arena *scratch = d->page->scratch;

    if ((item.what & MPL_LOOP) != 0) {
        return mpl_or_unknown(mpl_arena_printf(
            scratch, "%s^%" PRIu32, letter_of(d, item.what & ~MPL_LOOP), item.count));
    }
    return mpl_or_unknown(mpl_symbol_text(d->diff->symbols, item.what, is_short, scratch));
}

static uint32_t shown_of(const struct drawing *d, uint32_t n, uint32_t most)
{
    return d->is_full || n <= most ? n : most;
}

static const char *body_text(struct drawing *d, const struct mpl_item *items, uint32_t n)
{
    const uint32_t n_shown = shown_of(d, n, MOST_WORDS);
    const char *text = "";

    for (uint32_t i = 0; i < n_shown; i++) {
        text = mpl_or_unknown(mpl_arena_printf(d->page->scratch, "%s%s%s", text,
                                               i == 0 ? "" : " ",
                                               item_text(d, items[i], true)));
    }
    return n_shown == n
               ? text
               : mpl_or_unknown(mpl_arena_printf(
                     d->page->scratch, "%s ... (%" PRIu32 " more)", text, n - n_shown));
}

/* ---- columns ------------------------------------------------------------------------------------- */

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
        } else {
            (void) mpl_buf_put(to, &items[i]);
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

/* Indentation, "base" or "new", and the blanks in front of a column. */
enum { INDENT = 7, NAME = 4, GAP = 2 };

/* A pair of lines that is being filled. */
struct rows {
    struct drawing *drawing;
    const char *texts[2]; /* Of the base and of the new run, */
    size_t width;         /* the wider of them, */
    size_t room;          /* and how wide they may become. */
    bool is_continued;    /* There was a pair before. */
};

/* The words of one side of a column; of a long one "(9 more) ..." in front, or behind. */
struct words {
    const char **all;
    uint32_t n;
};

static struct words words_of(struct drawing *d, const struct mpl_buf *items, bool is_common)
{
    const uint32_t n = (uint32_t) items->n;
    const uint32_t n_shown = shown_of(d, n, is_common ? MOST_COMMON : MOST_WORDS);
    const uint32_t first = is_common ? n - n_shown : 0;
    struct words w = { MPL_NEW_ARRAY(d->page->scratch, (size_t) n_shown + 1, const char *),
                       0 };

    if (w.all == NULL) {
        return w;
    }
    if (is_common && first > 0) {
        w.all[w.n++] = mpl_or_unknown(
            mpl_arena_printf(d->page->scratch, "(%" PRIu32 " more) ...", first));
    }
    for (uint32_t i = 0; i < n_shown; i++) {
        const struct mpl_item *item = mpl_buf_get(items, first + i);

        w.all[w.n++] = item_text(d, *item, false);
    }
    if (!is_common && n_shown < n) {
        w.all[w.n++] = mpl_or_unknown(
            mpl_arena_printf(d->page->scratch, "... (%" PRIu32 " more)", n - n_shown));
    }
    return w;
}

static const char *join(struct drawing *d, const struct words *w, uint32_t first,
                        uint32_t n)
{
    const char *text = "";

    for (uint32_t i = 0; i < n; i++) {
        text = mpl_or_unknown(mpl_arena_printf(d->page->scratch, "%s%s%s", text,
                                               i == 0 ? "" : " ", w->all[first + i]));
    }
    return text;
}

static void print_row(const struct rows *r, const char *name, const char *text)
{
    mpl_text_print(r->drawing->page->out, "%*s%-*s%s\n", INDENT, "",
                   *text == '\0' ? 0 : NAME, name, text);
}

/* What both have is one row, and further pairs are without the one that has nothing more. */
static void flush(struct rows *r)
{
    static const char *const names[] = { "base", "new" };
    const bool is_same = strcmp(r->texts[0], r->texts[1]) == 0;

    if (r->width > 0 && is_same) {
        print_row(r, "both", r->texts[0]);
    }
    for (int i = 0; i < 2 && r->width > 0 && !is_same; i++) {
        if (*r->texts[i] != '\0' || !r->is_continued) {
            print_row(r, names[i], r->texts[i]);
        }
    }
    r->is_continued = r->is_continued || r->width > 0;
    r->width = 0;
    r->texts[0] = r->texts[1] = "";
}

static size_t wider(const char *const texts[2])
{
    const size_t a = mpl_text_columns(texts[0]);
    const size_t b = mpl_text_columns(texts[1]);

    return a > b ? a : b;
}

/* Both begin below each other. */
static void put(struct rows *r, const char *const texts[2])
{
    const size_t width = r->width;

    for (int i = 0; i < 2; i++) {
        const size_t gap = width + GAP - mpl_text_columns(r->texts[i]);

        if (*texts[i] != '\0') {
            r->texts[i] =
                mpl_or_unknown(mpl_arena_printf(r->drawing->page->scratch, "%s%*s%s",
                                                r->texts[i], (int) gap, "", texts[i]));
        }
    }
    r->width = width + GAP + wider(texts);
}

/* As many words as fit into a line that is empty but for them, at least one. */
static uint32_t count_fitting(const struct rows *r, const struct words *w, uint32_t first)
{
    size_t width = GAP;
    uint32_t n = 0;

    for (; first + n < w->n; n++) {
        width += (n > 0) + mpl_text_columns(w->all[first + n]);
        if (n > 0 && width > r->room) {
            break;
        }
    }
    return n;
}

/* A column that is too wide for a line is continued in further ones. */
static void put_column(struct rows *r, const struct words words[2])
{
    struct drawing *d = r->drawing;
    const char *const texts[2] = { join(d, &words[0], 0, words[0].n),
                                   join(d, &words[1], 0, words[1].n) };
    uint32_t done[2] = { 0, 0 };

    if (r->width + GAP + wider(texts) > r->room) {
        flush(r);
    }
    if (GAP + wider(texts) <= r->room) {
        put(r, texts);
        return;
    }
    while (done[0] < words[0].n || done[1] < words[1].n) {
        const char *parts[2];

        flush(r);
        for (int i = 0; i < 2; i++) {
            const uint32_t n = count_fitting(r, &words[i], done[i]);

            parts[i] = join(d, &words[i], done[i], n);
            done[i] += n;
        }
        put(r, parts);
    }
}

static void print_columns(struct drawing *d, const struct mpl_buf *columns)
{
    struct rows r = { .drawing = d,
                      .texts = { "", "" },
                      .room = (size_t) d->page->width > INDENT + NAME + GAP
                                  ? (size_t) d->page->width - INDENT - NAME
                                  : 1 };

    for (size_t i = 0; i < columns->n; i++) {
        const struct column *x = mpl_buf_get(columns, i);
        const struct words base = words_of(d, &x->base, x->is_common);
        const struct words both[2] = { base,
                                       x->is_common ? base : words_of(d, &x->new, false) };

        put_column(&r, both);
    }
    flush(&r);
}

/* What stands beside each other, column by column. */
static struct mpl_buf columns_of(const struct mpl_divergence *x)
{
    struct mpl_buf columns = mpl_buf_make(sizeof(struct column));

    for (size_t i = 0; i < x->n_blocks; i++) {
        const struct mpl_block *b = &x->blocks[i];
        const bool is_common = b->side == MPL_BLOCK_BOTH;
        const uint32_t split = is_common ? split_off(x, i) : 0;

        add_items(&columns, b, 0, b->n - split, is_common);
        add_items(&columns, b, b->n - split, split, false);
    }
    return columns;
}

static void free_columns(struct mpl_buf *columns)
{
    for (size_t i = 0; i < columns->n; i++) {
        struct column *column = mpl_buf_get(columns, i);

        mpl_buf_free(&column->base);
        mpl_buf_free(&column->new);
    }
    mpl_buf_free(columns);
}

void mpl_page_alignment(struct page *page, const struct mpl_diff *diff,
                        const struct mpl_divergence *x, bool is_full)
{
    struct drawing d = { page, diff, is_full, mpl_buf_make(sizeof(uint32_t)) };
    struct mpl_buf columns = columns_of(x);

    print_columns(&d, &columns);
    free_columns(&columns);
    /* A body may name further loops, whose turn then comes. */
    for (size_t i = 0; i < d.named.n; i++) {
        const uint32_t loop = *(const uint32_t *) mpl_buf_get(&d.named, i);
        const struct mpl_loop body = mpl_loops_get(d.diff->loops, loop);
        const char *label = mpl_or_unknown(
            mpl_arena_printf(d.page->scratch, "         %s = ", letter_of(&d, loop)));

        mpl_text_hang(d.page->out, label, body_text(&d, body.items, body.n), 0,
                      d.page->width);
    }
    mpl_buf_free(&d.named);
}

static void take_bodies(struct drawing *d, struct mpl_alignment *out)
{
    struct mpl_alignment_loop *loops;

    /* A body names further loops. */
    for (size_t i = 0; i < d->named.n; i++) {
        const uint32_t *loop = mpl_buf_get(&d->named, i);
        const struct mpl_loop body = mpl_loops_get(d->diff->loops, *loop);

        (void) body_text(d, body.items, body.n);
    }
    loops = MPL_NEW_ARRAY(d->page->scratch, d->named.n + 1, struct mpl_alignment_loop);
    for (size_t i = 0; i < d->named.n && loops != NULL; i++) {
        const uint32_t loop = *(const uint32_t *) mpl_buf_get(&d->named, i);
        const struct mpl_loop body = mpl_loops_get(d->diff->loops, loop);

        loops[i] = (struct mpl_alignment_loop){ letter_of(d, loop),
                                                body_text(d, body.items, body.n) };
        out->n_loops = i + 1;
    }
    out->loops = loops;
}

enum mpl_status mpl_report_alignment(const struct mpl_diff *diff,
                                     const struct mpl_divergence *change,
                                     struct mpl_arena *arena, struct mpl_alignment *out,
                                     struct mpl_err *err)
{
    struct page page = { .scratch = arena };
    struct drawing d = { &page, diff, false, mpl_buf_make(sizeof(uint32_t)) };
    struct mpl_buf columns = columns_of(change);
    struct mpl_alignment_column *into =
        MPL_NEW_ARRAY(arena, columns.n + 1, struct mpl_alignment_column);

    *out = (struct mpl_alignment){ 0 };
    if (into != NULL) {
        for (size_t i = 0; i < columns.n; i++) {
            const struct column *x = mpl_buf_get(&columns, i);
            const struct words base = words_of(&d, &x->base, x->is_common);
            const struct words new = x->is_common ? base : words_of(&d, &x->new, false);

            into[i] =
                (struct mpl_alignment_column){ x->is_common, join(&d, &base, 0, base.n),
                                               join(&d, &new, 0, new.n) };
        }
        out->columns = into;
        out->n_columns = columns.n;
        take_bodies(&d, out);
    }
    free_columns(&columns);
    mpl_buf_free(&d.named);
    return into == NULL ? mpl_nomem(err) : MPL_OK;
}
