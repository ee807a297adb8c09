/* Numbers for calls: equal ones have the same, in all runs that share the table. */
#include "config.h"

#include "sequence/sequence.h"

#include <inttypes.h>
#include <string.h>

struct mpl_symbols {
    struct mpl_arena *arena;
    struct mpl_names *names;
    struct mpl_map
        *numbers;       /* By hash of a symbol; where that is taken, by the next one. */
    struct mpl_buf all; /* struct mpl_symbol */
};

struct mpl_symbols *mpl_symbols_create(void)
{
    struct mpl_arena *arena = mpl_arena_create();
    struct mpl_symbols *s = arena == NULL ? NULL : MPL_NEW(arena, struct mpl_symbols);

    if (s == NULL) {
        mpl_arena_destroy(arena);
        return NULL;
    }
    s->arena = arena;
    s->names = mpl_names_create();
    s->numbers = mpl_map_create();
    s->all = mpl_buf_make(sizeof(struct mpl_symbol));
    if (s->names == NULL || s->numbers == NULL) {
        mpl_symbols_destroy(s);
        return NULL;
    }
    return s;
}

void mpl_symbols_destroy(struct mpl_symbols *symbols)
{
    if (symbols != NULL) {
        mpl_names_destroy(symbols->names);
        mpl_map_destroy(symbols->numbers);
        mpl_buf_free(&symbols->all);
        mpl_arena_destroy(symbols->arena);
    }
}

const char *mpl_symbol_part_name(int i)
{
    static const char *const names[MPL_SYMBOL_PARTS] = {
        "peer", "relative-peer", "root", "tag", "bytes", "communicator", "path",
    };

    return names[i];
}

uint32_t mpl_symbols_count(const struct mpl_symbols *symbols)
{
    return (uint32_t) symbols->all.n;
}

struct mpl_symbol mpl_symbol_of(uint32_t function)
{
    return (struct mpl_symbol){ .function = function,
                                .to = MPL_NONE,
                                .from = MPL_NONE,
                                .root = MPL_NONE,
                                .tag = MPL_NONE,
                                .comm = MPL_NONE,
                                .sent_bytes = UINT64_MAX,
                                .received_bytes = UINT64_MAX };
}

const struct mpl_symbol *mpl_symbols_get(const struct mpl_symbols *symbols, uint32_t i)
{
    return mpl_buf_get(&symbols->all, i);
}

static bool is_equal(const struct mpl_symbol *a, const struct mpl_symbol *b)
{
    return a->function == b->function && a->to == b->to && a->from == b->from &&
           a->root == b->root && a->tag == b->tag && a->comm == b->comm &&
           a->sent_bytes == b->sent_bytes && a->received_bytes == b->received_bytes &&
           a->more == b->more && a->is_return == b->is_return &&
           a->is_relative == b->is_relative && a->path == b->path;
}

static uint64_t hash_of(const struct mpl_symbol *s)
{
    uint64_t hash = mpl_hash_mix(s->function);

    hash = mpl_hash_mix(hash ^ ((uint64_t) s->to << 32 | s->from));
    hash = mpl_hash_mix(hash ^ ((uint64_t) s->root << 32 | s->tag));
    hash = mpl_hash_mix(hash ^ ((uint64_t) s->comm << 2 | (unsigned) s->is_return << 1 |
                                (unsigned) s->is_relative));
    hash = mpl_hash_mix(hash ^ s->path);
    hash = mpl_hash_mix(hash ^ s->sent_bytes);
    hash = mpl_hash_mix(hash ^ s->received_bytes);
    return mpl_hash_mix(hash ^ s->more);
}

uint32_t mpl_symbols_put(struct mpl_symbols *symbols, const struct mpl_symbol *symbol)
{
    const uint32_t n = (uint32_t) symbols->all.n;

    for (uint64_t key = hash_of(symbol);; key++) {
        const uint32_t at = mpl_map_find(symbols->numbers, key);

        if (at == MPL_NONE) {
            return mpl_buf_put(&symbols->all, symbol) &&
                           mpl_map_put(symbols->numbers, key, n)
                       ? n
                       : MPL_NONE;
        }
        if (is_equal(mpl_symbols_get(symbols, at), symbol)) {
            return at;
        }
    }
}

uint32_t mpl_symbols_name(struct mpl_symbols *symbols, const char *name)
{
    return mpl_names_put(symbols->names, name);
}

size_t mpl_symbols_names(const struct mpl_symbols *symbols)
{
    return mpl_names_count(symbols->names);
}

const char *mpl_symbols_name_text(const struct mpl_symbols *symbols, uint32_t name)
{
    return mpl_names_text(symbols->names, name);
}

const char *mpl_symbol_function(const struct mpl_symbols *symbols, uint32_t symbol)
{
    return mpl_names_text(symbols->names, mpl_symbols_get(symbols, symbol)->function);
}

/* ---- words -------------------------------------------------------------------------------- */

static void add(FILE *out, bool *has_any, const char *text)
{
    mpl_text_print(out, "%s%s", *has_any ? " " : "(", text);
    *has_any = true;
}

static void add_number(FILE *out, bool *has_any, const char *word, uint64_t n)
{
    char text[60];

    snprintf(text, sizeof text, "%s%" PRIu64, word, n);
    add(out, has_any, text);
}

static void add_peer(FILE *out, bool *has_any, const char *word, uint32_t peer,
                     bool is_relative)
{
    char text[60];

    if (is_relative) {
        snprintf(text, sizeof text, "%s%+d", word, (int) (peer - MPL_LOOP));
        add(out, has_any, text);
    } else {
        add_number(out, has_any, word, peer);
    }
}

static void print(const struct mpl_symbols *symbols, const struct mpl_symbol *s, FILE *out)
{
    const bool has_both = s->to != MPL_NONE && s->from != MPL_NONE;
    bool has_any = false;

    if (s->to != MPL_NONE) {
        add_peer(out, &has_any, has_both ? "to " : "", s->to, s->is_relative);
    }
    if (s->from != MPL_NONE) {
        add_peer(out, &has_any, has_both ? "from " : "", s->from, s->is_relative);
    }
    if (s->root != MPL_NONE) {
        add_number(out, &has_any, "root ", s->root);
    }
    if (s->tag != MPL_NONE) {
        add_number(out, &has_any, "tag ", s->tag);
    }
    if (s->sent_bytes != UINT64_MAX) {
        add_number(out, &has_any, "sent bytes ", s->sent_bytes);
    }
    if (s->received_bytes != UINT64_MAX) {
        add_number(out, &has_any, "received bytes ", s->received_bytes);
    }
    if (s->comm != MPL_NONE) {
        add(out, &has_any, mpl_names_text(symbols->names, s->comm));
    }
    if (s->path != 0) {
        add(out, &has_any, "in ");
        mpl_text_print(out, "%s", mpl_names_text(symbols->names, s->path - 1));
    }
    mpl_text_print(out, "%s", has_any ? ")" : "");
}

const char *mpl_symbol_text(const struct mpl_symbols *symbols, uint32_t symbol,
                            bool is_short, struct mpl_arena *arena)
{
    const struct mpl_symbol *s = mpl_symbols_get(symbols, symbol);
    const char *name = mpl_symbol_function(symbols, symbol);
    const bool has_prefix = is_short && strncmp(name, "MPI_", 4) == 0;
    struct mpl_draft draft;
    const char *text = NULL;

    mpl_draft_open(&draft);
    if (draft.out == NULL) {
        return NULL;
    }
    mpl_text_print(draft.out, "%s%s", s->is_return ? "end of " : "",
                   name + (has_prefix ? 4 : 0));
    print(symbols, s, draft.out);
    if (mpl_file_flush(draft.out, NULL) == MPL_OK && draft.text != NULL) {
        text = mpl_arena_strndup(arena, draft.text, draft.n);
    }
    mpl_draft_close(&draft);
    return text;
}
