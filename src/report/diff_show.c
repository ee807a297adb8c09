/* One configuration of a comparison, as the tables of the paper DiffTrace show it. */
#include "config.h"

#include "report/diff_show_priv.h"

#include <inttypes.h>

const char *mpl_show_name(enum mpl_show what)
{
    static const char *const names[] = { "nlr",     "context",    "lattice", "jsm",
                                         "ranking", "candidates", "align" };

    return names[what];
}

static size_t number_of(struct sheet *s, uint32_t loop)
{
    uint32_t *slot;
    size_t i = 0;

    loop = s->f->rotation_of == NULL ? loop : s->f->rotation_of[loop];
    while (i < s->named.n && *(const uint32_t *) mpl_buf_get(&s->named, i) != loop) {
        i++;
    }
    slot = i < s->named.n ? NULL : mpl_buf_add(&s->named);
    if (slot != NULL) {
        *slot = loop;
    }
    return i;
}

const char *mpl_sheet_name(struct sheet *s, uint32_t what)
{
    return mpl_or_unknown(
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
        mpl_text_print(draft.out, "%s%s", i == 0 ? "" : " ",
                       mpl_sheet_name(s, items[i].what));
        if ((items[i].what & MPL_LOOP) != 0) {
            mpl_text_print(draft.out, "^%" PRIu32, items[i].count);
        }
    }
    if (draft.out != NULL && mpl_file_flush(draft.out, NULL) == MPL_OK) {
        mpl_text_hang(s->page->out, label, n == 0 ? "-" : draft.text, 0, s->page->width);
    }
    mpl_draft_close(&draft);
}

const char *mpl_sheet_label(const struct sheet *s, uint32_t location)
{
    return s->run->model->locations[location].label;
}

/* A body may name further loops, whose turn then comes. */
void mpl_sheet_loops(struct sheet *s)
{
    for (size_t i = 0; i < s->named.n; i++) {
        const struct mpl_loop body =
            mpl_loops_get(s->f->loops, *(const uint32_t *) mpl_buf_get(&s->named, i));

        print_items(s, mpl_or_unknown(mpl_arena_printf(s->page->scratch, "L%zu = ", i)),
                    body.items, body.n);
    }
    if (s->f->rotation_of != NULL && s->named.n > 0) {
        mpl_page_say(s->page, 0,
                     "A loop stands for all whose bodies are rotations of each other.");
    }
}

static void show_nlr(struct sheet *s)
{
    for (uint32_t l = 0; l < s->f->n_locations; l++) {
        print_items(s,
                    mpl_or_unknown(mpl_arena_printf(s->page->scratch, "%-5s base  ",
                                                    mpl_sheet_label(s, l))),
                    s->f->base[l].items, s->f->base[l].n);
        print_items(s, "      new   ", s->f->new[l].items, s->f->new[l].n);
    }
    mpl_sheet_loops(s);
}

static enum mpl_status show(struct sheet *s, enum mpl_show what,
                            struct mpl_context_kind kind, struct mpl_err *err)
{
    switch (what) {
    case MPL_SHOW_CONTEXT:
        return mpl_sheet_context(s, kind, err);
    case MPL_SHOW_LATTICE:
        return mpl_sheet_lattice(s, kind, err);
    case MPL_SHOW_JSM:
        return mpl_sheet_jsm(s, kind, err);
    default:
        show_nlr(s);
        return MPL_OK;
    }
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
    st = show(&s, what, kind, err);
    mpl_buf_free(&s.named);

    const enum mpl_status closed = mpl_page_close(&page, err);

    return st == MPL_OK ? closed : st;
}
