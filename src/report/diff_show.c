/* One configuration of a comparison, as the tables of the paper DiffTrace show it. */
#include "config.h"

#include "report/report_priv.h"

#include <inttypes.h>

struct sheet {
    struct page *page;
    const struct mpl_run *run; /* For labels. */
    const struct mpl_filtered *f;
    struct mpl_buf named; /* uint32_t: loops in the order in which they are shown */
};

static const char *or_unknown(const char *text)
{
    return text == NULL ? "?" : text;
}

static size_t number_of(struct sheet *s, uint32_t loop)
{
    uint32_t *slot;
    size_t i = 0;

    while (i < s->named.n && *(const uint32_t *) mpl_buf_get(&s->named, i) != loop) {
        i++;
    }
    slot = i < s->named.n ? NULL : mpl_buf_add(&s->named);
    if (slot != NULL) {
        *slot = loop;
    }
    return i;
}

static const char *name_of(struct sheet *s, uint32_t what)
{
    return or_unknown(
        (what & MPL_LOOP) == 0
            ? mpl_symbol_text(s->f->symbols, what, false, s->page->scratch)
            : mpl_arena_printf(s->page->scratch, "L%zu", number_of(s, what & ~MPL_LOOP)));
}

static void print_items(struct sheet *s, const char *label, const struct mpl_item *items,
                        uint32_t n)
{
    struct mpl_draft draft;

    mpl_draft_open(&draft);
    for (uint32_t i = 0; i < n && draft.out != NULL; i++) {
        mpl_text_print(draft.out, "%s%s", i == 0 ? "" : " ", name_of(s, items[i].what));
        if ((items[i].what & MPL_LOOP) != 0) {
            mpl_text_print(draft.out, "^%" PRIu32, items[i].count);
        }
    }
    if (draft.out != NULL && mpl_file_flush(draft.out, NULL) == MPL_OK) {
        mpl_text_hang(s->page->out, label, n == 0 ? "-" : draft.text, 0, s->page->width);
    }
    mpl_draft_close(&draft);
}

static const char *label_of(const struct sheet *s, uint32_t location)
{
    return s->run->model->locations[location].label;
}

static void show_nlr(struct sheet *s)
{
    for (uint32_t l = 0; l < s->f->n_locations; l++) {
        print_items(
            s,
            or_unknown(mpl_arena_printf(s->page->scratch, "%-5s base  ", label_of(s, l))),
            s->f->base[l].items, s->f->base[l].n);
        print_items(s, "      new   ", s->f->new[l].items, s->f->new[l].n);
    }
    /* A body may name further loops, whose turn then comes. */
    for (size_t i = 0; i < s->named.n; i++) {
        const struct mpl_loop body =
            mpl_loops_get(s->f->loops, *(const uint32_t *) mpl_buf_get(&s->named, i));

        print_items(s, or_unknown(mpl_arena_printf(s->page->scratch, "L%zu = ", i)),
                    body.items, body.n);
    }
}

static enum mpl_status show_matrix(struct sheet *s, const char *name,
                                   const struct mpl_folded *side,
                                   struct mpl_context_kind kind, struct mpl_err *err)
{
    const uint32_t n = s->f->n_locations;
    const double *all = NULL;
    const enum mpl_status st = mpl_similarity(side, n, kind, s->page->scratch, &all, err);

    mpl_text_print(s->page->out, "%s, %s\n     ", name, mpl_context_name(kind));
    for (uint32_t i = 0; i < n && st == MPL_OK; i++) {
        mpl_text_print(s->page->out, " %5s", label_of(s, i));
    }
    mpl_text_print(s->page->out, "\n");
    for (uint32_t i = 0; i < n && st == MPL_OK; i++) {
        mpl_text_print(s->page->out, "%-5s", label_of(s, i));
        for (uint32_t j = 0; j < n; j++) {
            mpl_text_print(s->page->out, " %5.3f", all[(size_t) i * n + j]);
        }
        mpl_text_print(s->page->out, "\n");
    }
    return st;
}

static enum mpl_status show_changes(struct sheet *s, struct mpl_context_kind kind,
                                    struct mpl_err *err)
{
    const uint32_t n = s->f->n_locations;
    double *rows = MPL_NEW_ARRAY(s->page->scratch, n, double);
    const enum mpl_status st =
        rows == NULL ? mpl_nomem(err) : mpl_similarity_changes(s->f, kind, rows, err);
    double sum = 0;

    mpl_text_print(s->page->out, "sums of the rows of |JSM(new) - JSM(base)|, %s\n",
                   mpl_context_name(kind));
    for (uint32_t i = 0; i < n && st == MPL_OK; i++) {
        mpl_text_print(s->page->out, "%-5s %.4f\n", label_of(s, i), rows[i]);
        sum += rows[i];
    }
    if (st == MPL_OK && sum <= 0) {
        mpl_text_print(
            s->page->out,
            "Nothing changes: this configuration does not tell the runs apart.\n");
    }
    return st;
}

static enum mpl_status show_jsm(struct sheet *s, struct mpl_context_kind kind,
                                struct mpl_err *err)
{
    enum mpl_status st = show_matrix(s, "JSM(base)", s->f->base, kind, err);

    st = st == MPL_OK ? show_matrix(s, "JSM(new)", s->f->new, kind, err) : st;
    return st == MPL_OK ? show_changes(s, kind, err) : st;
}

enum mpl_status mpl_report_filtered(const struct mpl_run *run,
                                    const struct mpl_filtered *filtered, enum mpl_show what,
                                    struct mpl_context_kind kind,
                                    const struct mpl_report_options *options, FILE *out,
                                    struct mpl_err *err)
{
    struct page page;
    struct sheet s = { &page, run, filtered, mpl_buf_make(sizeof(uint32_t)) };
    enum mpl_status st = mpl_page_open(&page, options, out, err);

    if (st != MPL_OK) {
        return st;
    }
    if (what == MPL_SHOW_NLR) {
        show_nlr(&s);
    } else {
        st = show_jsm(&s, kind, err);
    }
    mpl_buf_free(&s.named);

    const enum mpl_status closed = mpl_page_close(&page, err);

    return st == MPL_OK ? closed : st;
}
