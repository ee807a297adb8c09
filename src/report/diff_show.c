/* One configuration of a comparison, as the tables of the paper DiffTrace show it. */
#include "config.h"

#include "report/diff_show_priv.h"

const char *mpl_show_name(enum mpl_show what)
{
    static const char *const names[] = { "nlr",     "context",    "lattice", "jsm",
                                         "ranking", "candidates", "align" };

    return names[what];
}

static void show_nlr(struct sheet *s)
{
    for (uint32_t l = 0; l < s->f->n_locations; l++) {
        mpl_sheet_items(s,
                        mpl_or_unknown(mpl_arena_printf(s->page->scratch, "%-5s base  ",
                                                        mpl_sheet_label(s, l))),
                        s->f->base[l].items, s->f->base[l].n);
        mpl_sheet_items(s, "      new   ", s->f->new[l].items, s->f->new[l].n);
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

    mpl_page_open(&page, options, out);
    const enum mpl_status st = show(&s, what, kind, err);
    mpl_buf_free(&s.named);

    const enum mpl_status closed = mpl_page_close(&page, err);

    return st == MPL_OK ? closed : st;
}
