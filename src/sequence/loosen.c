/*
 * What is left of calls once chance decides about some of them: of each kind of call of a location that is found
 * once, not once per call.
 */
#include "config.h"

#include "sequence/sequence.h"

/* Of a symbol of a location. */
struct loosened {
    uint32_t location; /* 1 + it; 0: nobody has asked yet. */
    uint32_t becomes;  /* MPL_NONE: such calls are left out. */
};

struct loosening {
    const struct mpl_events *events;
    const struct mpl_loose *loose;
    struct mpl_symbols *symbols;
    struct loosened *loosened; /* Per symbol that there was before. */
    uint32_t location;
};

/* False: no memory. */
static bool loosen_symbol(struct loosening *x, uint32_t symbol, struct loosened *out)
{
    struct mpl_symbol s = *mpl_symbols_get(x->symbols, symbol);
    const enum mpl_looseness level = mpl_loose_get(x->loose, x->location, &s);

    *out = (struct loosened){ x->location + 1, level == MPL_FIRM ? symbol : MPL_NONE };
    if (level == MPL_FIRM || level == MPL_LOOSE_CALL) {
        return true;
    }
    mpl_symbol_loosen(&s, level);
    out->becomes = mpl_symbols_put(x->symbols, &s);
    return out->becomes != MPL_NONE;
}

static bool is_probe(const struct loosening *x, uint32_t call)
{
    struct mpl_call_about about;

    mpl_events_call_about(x->events, x->location, call, &about);
    return about.is_probe;
}

/* \p symbols and \p calls: with room for all of them. What asked for a call that is left out belongs to it. */
static bool loosen(struct loosening *x, const struct mpl_sequence *firm, uint32_t *symbols,
                   uint32_t *calls, struct mpl_sequence *out)
{
    bool is_behind_kept = false;
    uint32_t n = 0;

    for (uint32_t i = 0; i < firm->n; i++) {
        struct loosened *loosened = &x->loosened[firm->symbols[i]];

        if (loosened->location != x->location + 1 &&
            !loosen_symbol(x, firm->symbols[i], loosened)) {
            return false;
        }
        if (loosened->becomes == MPL_NONE) {
            n -= is_behind_kept && is_probe(x, calls[n - 1]);
            is_behind_kept = false;
            continue;
        }
        symbols[n] = loosened->becomes;
        calls[n++] = firm->calls[i];
        is_behind_kept = true;
    }
    *out = (struct mpl_sequence){ n, symbols, calls };
    return true;
}

/* Overwrites what the call before wrote. */
static bool loosen_again(struct loosening *x, const struct mpl_sequence *firm,
                         struct mpl_arena *arena, struct mpl_sequence *all)
{
    const bool is_first = all->symbols == firm->symbols;
    uint32_t *symbols = is_first ? MPL_NEW_ARRAY(arena, firm->n, uint32_t)
                                 : (uint32_t *) (uintptr_t) all->symbols;
    uint32_t *calls = is_first ? MPL_NEW_ARRAY(arena, firm->n, uint32_t)
                               : (uint32_t *) (uintptr_t) all->calls;

    return symbols != NULL && calls != NULL && loosen(x, firm, symbols, calls, all);
}

enum mpl_status mpl_sequences_loosen(const struct mpl_events *events,
                                     const struct mpl_sequence *firm,
                                     const struct mpl_loose *loose,
                                     struct mpl_symbols *symbols, const bool *is_changed,
                                     uint32_t n, struct mpl_arena *arena,
                                     const struct mpl_sequence **all, struct mpl_err *err)
{
    struct mpl_arena *scratch = mpl_arena_create();
    struct mpl_sequence *out = MPL_NEW_ARRAY(arena, n, struct mpl_sequence);
    struct loosening x = { .events = events, .loose = loose, .symbols = symbols };
    bool is_done = scratch != NULL && out != NULL;

    if (is_done) {
        x.loosened = MPL_NEW_ARRAY(scratch, mpl_symbols_count(symbols), struct loosened);
        is_done = x.loosened != NULL;
    }
    for (; is_done && x.location < n; x.location++) {
        const uint32_t l = x.location;

        out[l] = (*all)[l];
        is_done = !is_changed[l] || loosen_again(&x, &firm[l], arena, &out[l]);
    }
    mpl_arena_destroy(scratch);
    if (!is_done) {
        return mpl_nomem(err);
    }
    *all = out;
    return MPL_OK;
}
