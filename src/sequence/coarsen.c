/*
 * The same calls seen with less detail: what becomes of a symbol is found once, not once per call. There are as many
 * symbols as calls that differ, which are few.
 */
#include "config.h"

#include "sequence/sequence.h"

/* Of a symbol, until somebody asks; and of one that is left out. */
enum { NOT_YET = 0, LEFT_OUT = 1, FIRST = 2 };

struct coarsening {
    const struct mpl_filter *filter;
    unsigned parts;
    struct mpl_symbols *symbols;
    uint32_t *becomes; /* Per symbol: FIRST and its number, or what stands above. */
    uint8_t *is_kept;  /* Per function: NOT_YET, LEFT_OUT or FIRST. */
};

static bool keeps(struct coarsening *c, uint32_t symbol, uint32_t function)
{
    if (c->filter == NULL) {
        return true;
    }
    if (c->is_kept[function] == NOT_YET) {
        const char *name = mpl_symbol_function(c->symbols, symbol);

        c->is_kept[function] = mpl_filter_keeps(c->filter, name) ? FIRST : LEFT_OUT;
    }
    return c->is_kept[function] == FIRST;
}

static bool has(const struct coarsening *c, unsigned part)
{
    return (c->parts & part) != 0;
}

/* What further messages of a call are is one number: without their partners only that there are some counts. */
static void strip(const struct coarsening *c, struct mpl_symbol *s)
{
    s->to = has(c, MPL_SYMBOL_PEER) ? s->to : MPL_NONE;
    s->from = has(c, MPL_SYMBOL_PEER) ? s->from : MPL_NONE;
    s->root = has(c, MPL_SYMBOL_ROOT) ? s->root : MPL_NONE;
    s->tag = has(c, MPL_SYMBOL_TAG) ? s->tag : MPL_NONE;
    s->comm = has(c, MPL_SYMBOL_COMM) ? s->comm : MPL_NONE;
    s->more = has(c, MPL_SYMBOL_PEER) ? s->more : s->more != 0;
    if (!has(c, MPL_SYMBOL_BYTES)) {
        s->sent_bytes = UINT64_MAX;
        s->received_bytes = UINT64_MAX;
    }
}

/* False: no memory. */
static bool look_up(struct coarsening *c, uint32_t symbol)
{
    struct mpl_symbol s = *mpl_symbols_get(c->symbols, symbol);

    if (!keeps(c, symbol, s.function)) {
        c->becomes[symbol] = LEFT_OUT;
        return true;
    }
    strip(c, &s);
    const uint32_t number = mpl_symbols_put(c->symbols, &s);
    c->becomes[symbol] = number + FIRST;
    return number != MPL_NONE;
}

static bool coarsen(struct coarsening *c, const struct mpl_sequence *fine,
                    struct mpl_arena *arena, struct mpl_sequence *out)
{
    uint32_t *symbols = MPL_NEW_ARRAY(arena, fine->n, uint32_t);
    uint32_t n = 0;

    if (symbols == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < fine->n; i++) {
        const uint32_t symbol = fine->symbols[i];

        if (c->becomes[symbol] == NOT_YET && !look_up(c, symbol)) {
            return false;
        }
        if (c->becomes[symbol] != LEFT_OUT) {
            symbols[n++] = c->becomes[symbol] - FIRST;
        }
    }
    *out = (struct mpl_sequence){ .n = n, .symbols = symbols };
    return true;
}

enum mpl_status mpl_sequences_coarsen(const struct mpl_sequence *fine, size_t n,
                                      const struct mpl_filter *filter, unsigned parts,
                                      struct mpl_symbols *symbols, struct mpl_arena *arena,
                                      const struct mpl_sequence **out, struct mpl_err *err)
{
    struct mpl_arena *scratch = mpl_arena_create();
    struct mpl_sequence *all = MPL_NEW_ARRAY(arena, n, struct mpl_sequence);
    struct coarsening c = { .filter = filter, .parts = parts, .symbols = symbols };
    struct mpl_map *done = mpl_map_create(); /* By where fine symbols stand. */
    bool is_done = scratch != NULL && all != NULL && done != NULL;

    if (is_done) {
        c.becomes = MPL_NEW_ARRAY(scratch, mpl_symbols_count(symbols), uint32_t);
        c.is_kept = MPL_NEW_ARRAY(scratch, mpl_symbols_names(symbols), uint8_t);
        is_done = c.becomes != NULL && c.is_kept != NULL;
    }
    for (uint32_t i = 0; i < n && is_done; i++) {
        const uint64_t key = (uint64_t) (uintptr_t) fine[i].symbols;
        const uint32_t same = mpl_map_find(done, key);

        if (same == MPL_NONE) {
            is_done = coarsen(&c, &fine[i], arena, &all[i]) && mpl_map_put(done, key, i);
        } else {
            all[i] = all[same];
        }
        all[i].calls = filter == NULL ? fine[i].calls : NULL;
    }
    mpl_map_destroy(done);
    mpl_arena_destroy(scratch);
    if (!is_done) {
        return mpl_nomem(err);
    }
    *out = all;
    return MPL_OK;
}
