/*
 * Addresses of calls as functions and lines. Processes have the program at different addresses, and compilers make many
 * of one line; equal ones get one number here.
 */
#include "config.h"

#include "spool/spool_priv.h"

#include <inttypes.h>
#include <string.h>

#include "spool/symbols_priv.h"

/* A file as it was mapped. */
struct object {
    uint64_t bias;
    uint64_t begin;
    uint64_t end;
    const char *path;
    const uint8_t *id;
    size_t n_id;
};

struct site {
    uint32_t number;
    const uint64_t *addresses; /* Of the spool. */
    unsigned n;
};

struct sites_finder {
    struct sites *sites;
    struct mpl_arena *arena;
    struct symbols *symbols;
    struct mpl_names *functions;
    struct mpl_names *lines;
    struct mpl_names *contexts;
    struct mpl_buf objects; /* Of the spool at hand, as what follows. */
    struct mpl_buf seen;
    struct mpl_buf found; /* At an address. */
};

struct sites_finder *mpl_sites_find_begin(struct sites *sites, uint32_t n_spools,
                                          struct mpl_arena *arena)
{
    struct sites_finder *f = MPL_NEW(arena, struct sites_finder);

    sites->functions = mpl_buf_make(sizeof(struct site_function));
    sites->lines = mpl_buf_make(sizeof(struct site_line));
    sites->contexts = mpl_buf_make(sizeof(struct site_context));
    sites->of = MPL_NEW_ARRAY(arena, n_spools, struct mpl_buf);
    for (uint32_t i = 0; sites->of != NULL && i < n_spools; i++) {
        sites->of[i] = mpl_buf_make(sizeof(uint32_t));
    }
    if (f == NULL || sites->of == NULL) {
        return NULL;
    }
    f->sites = sites;
    f->arena = arena;
    f->objects = mpl_buf_make(sizeof(struct object));
    f->seen = mpl_buf_make(sizeof(struct site));
    f->found = mpl_buf_make(sizeof(struct symbol));
    f->symbols = mpl_symbols_open(arena);
    f->functions = mpl_names_create();
    f->lines = mpl_names_create();
    f->contexts = mpl_names_create();
    if (f->symbols == NULL || f->functions == NULL || f->lines == NULL ||
        f->contexts == NULL) {
        mpl_sites_find_end(f);
        return NULL;
    }
    return f;
}

void mpl_sites_find_end(struct sites_finder *f)
{
    if (f != NULL) {
        mpl_names_destroy(f->contexts);
        mpl_names_destroy(f->lines);
        mpl_names_destroy(f->functions);
        mpl_symbols_close(f->symbols);
        mpl_buf_free(&f->found);
        mpl_buf_free(&f->seen);
        mpl_buf_free(&f->objects);
    }
}

void mpl_sites_free(struct sites *sites, uint32_t n_spools)
{
    for (uint32_t i = 0; sites->of != NULL && i < n_spools; i++) {
        mpl_buf_free(&sites->of[i]);
    }
    mpl_buf_free(&sites->contexts);
    mpl_buf_free(&sites->lines);
    mpl_buf_free(&sites->functions);
}

/* ---- records --------------------------------------------------------------------------------- */

static bool see_object(struct sites_finder *f, const struct record *r)
{
    const size_t room = (r->n_words - MPL_SPOOL_OBJECT_WORDS) * sizeof(uint64_t);
    const char *text = (const char *) (r->words + MPL_SPOOL_OBJECT_WORDS) + r->small;

    if (r->small >= room || memchr(text, '\0', room - r->small) == NULL) {
        return true;
    }
    const struct object object = {
        r->words[2], r->words[3], r->words[4], text, (const uint8_t *) text - r->small,
        r->small
    };

    return mpl_buf_put(&f->objects, &object);
}

bool mpl_sites_see(struct sites_finder *f, const struct record *r)
{
    if (r->kind == MPL_SPOOL_OBJECT && r->n_words > MPL_SPOOL_OBJECT_WORDS) {
        return see_object(f, r);
    }
    if (r->kind != MPL_SPOOL_SITE || r->n_words < 3) {
        return true;
    }
    return mpl_buf_put(&f->seen, &(struct site){ r->large, r->words + 2, r->n_words - 2 });
}

/* ---- equal ones once ---------------------------------------------------------------------------- */

static const char *or_none(const char *text)
{
    return text != NULL ? text : "";
}

/* The number of \p key, and a new item in \p buf where it is a new one; MPL_NONE: no memory. */
static uint32_t intern(struct mpl_names *names, const char *key, struct mpl_buf *buf,
                       const void *item)
{
    const size_t before = mpl_names_count(names);
    const uint32_t number = key != NULL ? mpl_names_put(names, key) : MPL_NONE;

    return number != before || mpl_buf_put(buf, item) ? number : MPL_NONE;
}

static uint32_t function_of(struct sites_finder *f, const struct symbol *s)
{
    const struct site_function function = { s->function, s->linkage, s->file,
                                            s->first_line };
    const char *key =
        mpl_arena_printf(f->arena, "%s\n%s\n%s\n%" PRIu32, s->function, or_none(s->linkage),
                         or_none(s->file), s->first_line);

    return intern(f->functions, key, &f->sites->functions, &function);
}

static uint32_t line_of(struct sites_finder *f, const struct symbol *s)
{
    const struct site_line line = { s->source, s->line };
    const char *key = mpl_arena_printf(f->arena, "%s\n%" PRIu32, s->source, s->line);

    return intern(f->lines, key, &f->sites->lines, &line);
}

/* The context of \p s called by \p parent. False: no memory. */
static bool context_of(struct sites_finder *f, const struct symbol *s, uint32_t parent,
                       uint32_t *out)
{
    const bool has_line = s->source != NULL && s->line != 0;
    struct site_context context = { function_of(f, s), has_line ? line_of(f, s) : MPL_NONE,
                                    parent };

    if (context.function == MPL_NONE || (has_line && context.line == MPL_NONE)) {
        return false;
    }
    const char *key = mpl_arena_printf(f->arena, "%" PRIu32 " %" PRIu32 " %" PRIu32,
                                       context.function, context.line, context.parent);
    *out = intern(f->contexts, key, &f->sites->contexts, &context);
    return *out != MPL_NONE;
}

/* ---- addresses ------------------------------------------------------------------------------------ */

/* What was mapped last is what the address was in. */
static const struct object *object_of(const struct sites_finder *f, uint64_t address)
{
    for (size_t i = f->objects.n; i > 0; i--) {
        const struct object *object = mpl_buf_get(&f->objects, i - 1);

        if (address >= object->begin && address < object->end) {
            return object;
        }
    }
    return NULL;
}

/* The call stands in front of where it returns to. */
static bool find_symbols(struct sites_finder *f, uint64_t address)
{
    const struct object *object = object_of(f, address - 1);

    return object != NULL
               ? mpl_symbols_find(f->symbols, object->path, object->id, object->n_id,
                                  address - 1 - object->bias, &f->found)
               : mpl_symbols_find(f->symbols, "", NULL, 0, address - 1, &f->found);
}

/* What calls main() is the system's. */
static bool is_outermost(const struct sites_finder *f)
{
    const struct symbol *last =
        f->found.n > 0 ? mpl_buf_get(&f->found, f->found.n - 1) : NULL;

    return last != NULL && strcmp(last->function, "main") == 0;
}

/* As many functions as addresses were asked for: where functions are inlined, some addresses stand for several. */
static bool resolve(struct sites_finder *f, const struct site *site, uint32_t *out)
{
    uint32_t context = MPL_NONE;

    f->found.n = 0;
    for (unsigned i = 0; i < site->n && f->found.n < site->n && !is_outermost(f); i++) {
        if (!find_symbols(f, site->addresses[i])) {
            return false;
        }
    }
    for (size_t i = f->found.n < site->n ? f->found.n : site->n; i > 0; i--) {
        if (!context_of(f, mpl_buf_get(&f->found, i - 1), context, &context)) {
            return false;
        }
    }
    *out = context;
    return true;
}

bool mpl_sites_resolve(struct sites_finder *f, uint32_t spool)
{
    struct mpl_buf *of = &f->sites->of[spool];

    for (size_t i = 0; i < f->seen.n; i++) {
        const struct site *site = mpl_buf_get(&f->seen, i);
        uint32_t context = MPL_NONE;

        /* Numbers are given one after the other, by threads that write them down in any order. */
        if (site->number == 0 || site->number > f->seen.n) {
            continue;
        }
        while (of->n < site->number) {
            if (!mpl_buf_put(of, &(uint32_t){ MPL_NONE })) {
                return false;
            }
        }
        if (!resolve(f, site, &context)) {
            return false;
        }
        *(uint32_t *) mpl_buf_get(of, site->number - 1) = context;
    }
    f->seen.n = 0;
    f->objects.n = 0;
    return true;
}

uint32_t mpl_sites_get(const struct sites *sites, uint32_t spool, uint32_t site)
{
    const struct mpl_buf *of = &sites->of[spool];

    return site == 0 || site > of->n ? MPL_NONE
                                     : *(const uint32_t *) mpl_buf_get(of, site - 1);
}
