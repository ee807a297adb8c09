/* Names on the tables of a configuration: of locations, and of calls and loops, which are printed at the end. */
#include "config.h"

#include "report/diff_show_priv.h"

#include <inttypes.h>

static size_t number_of(struct sheet *s, uint32_t loop)
{
    size_t i = 0;

    loop = s->f->rotation_of == NULL ? loop : s->f->rotation_of[loop];
    while (i < s->named.n && *(const uint32_t *) mpl_buf_get(&s->named, i) != loop) {
        i++;
    }
    if (i == s->named.n) {
        (void) mpl_buf_put(&s->named, &loop);
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

void mpl_sheet_items(struct sheet *s, const char *label, const struct mpl_item *items,
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

        mpl_sheet_items(s, mpl_or_unknown(mpl_arena_printf(s->page->scratch, "L%zu = ", i)),
                        body.items, body.n);
    }
    if (s->f->rotation_of != NULL && s->named.n > 0) {
        mpl_page_say(s->page, 0,
                     "A loop stands for all whose bodies are rotations of each other.");
    }
}
