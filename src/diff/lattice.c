/*
 * Concept lattices. Whoever is added class by class meets the concepts so far, fewest attributes first
 * (Godin, Missaoui & Alaoui 1995, algorithm 1): a concept whose attributes the class has all takes it into its
 * extent; of any other the attributes in common are the intent of a concept, which is new unless it is known
 * already. The order is found at the end, from the intents.
 */
#include "config.h"

#include "diff/diff_priv.h"

#include <string.h>

/* ---- concepts ----------------------------------------------------------------------------------- */

struct building {
    struct mpl_arena *arena;
    struct mpl_lattice *lattice;
    struct mpl_concept *concepts; /* In order of their making, */
    uint64_t **extents;           /* and their extents, to be filled. */
    uint32_t n;
    uint32_t most;
    size_t n_words;         /* Of intents, */
    size_t n_words_classes; /* of extents. */
    struct mpl_map *known;  /* By hash of the intent. */
    uint64_t *intent;       /* Of the class that is being added, */
    uint64_t *common;       /* and what it has in common with a concept. */
    uint32_t *order;        /* Concepts so far, fewest attributes first; */
    uint32_t *starts;       /* and where those with so many begin. */
};

/* The concept of an intent, or MPL_NONE; \p key is where to put it then. */
static uint32_t find(const struct building *b, const uint64_t *intent, uint64_t *key)
{
    uint32_t at;

    *key = b->n_words;
    for (size_t i = 0; i < b->n_words; i++) {
        *key = mpl_hash_mix(*key ^ intent[i]);
    }
    while ((at = mpl_map_find(b->known, *key)) != MPL_NONE &&
           memcmp(b->concepts[at].intent, intent, b->n_words * sizeof *intent) != 0) {
        ++*key;
    }
    return at;
}

/* Its extent begins with those of \p like; NULL: with none. */
static bool add_concept(struct building *b, const uint64_t *intent, const uint64_t *like,
                        uint64_t key)
{
    uint64_t *own = MPL_NEW_ARRAY(b->arena, b->n_words, uint64_t);
    uint64_t *extent = MPL_NEW_ARRAY(b->arena, b->n_words_classes, uint64_t);

    if (own == NULL || extent == NULL || !mpl_map_put(b->known, key, b->n)) {
        return false;
    }
    memcpy(own, intent, b->n_words * sizeof *own);
    if (like != NULL) {
        memcpy(extent, like, b->n_words_classes * sizeof *extent);
    }
    b->extents[b->n] = extent;
    b->concepts[b->n++] =
        (struct mpl_concept){ .extent = extent,
                              .intent = own,
                              .n_attributes = mpl_bits_common(own, own, b->n_words) };
    return true;
}

/* By counting. */
static void sort(struct building *b)
{
    const uint32_t n_sizes = b->lattice->context->attributes.n + 2;

    memset(b->starts, 0, n_sizes * sizeof *b->starts);
    for (uint32_t i = 0; i < b->n; i++) {
        b->starts[b->concepts[i].n_attributes + 1]++;
    }
    for (uint32_t i = 1; i < n_sizes; i++) {
        b->starts[i] += b->starts[i - 1];
    }
    for (uint32_t i = 0; i < b->n; i++) {
        b->order[b->starts[b->concepts[i].n_attributes]++] = i;
    }
}

static void fill_intent(struct building *b, uint32_t class)
{
    const struct mpl_context_attributes all = b->lattice->context->attributes;
    const struct mpl_context_attributes set = b->lattice->context->sets[class];

    memset(b->intent, 0, b->n_words * sizeof *b->intent);
    for (uint32_t i = 0, j = 0; i < all.n && j < set.n; i++) {
        if (memcmp(&all.all[i], &set.all[j], sizeof *set.all) == 0) {
            mpl_bits_put(b->intent, i);
            j++;
        }
    }
}

/* Of the concepts with which the class has the same attributes in common, the first one has the fewest
   attributes, so its extent is all that had them before. */
static bool add_intents(struct building *b, uint32_t class, bool *is_full)
{
    const uint32_t n_before = b->n;

    fill_intent(b, class);
    sort(b);
    for (uint32_t i = 0; i < n_before; i++) {
        const uint32_t at = b->order[i];
        uint64_t key;

        for (size_t w = 0; w < b->n_words; w++) {
            b->common[w] = b->concepts[at].intent[w] & b->intent[w];
        }
        if (find(b, b->common, &key) != MPL_NONE) {
            continue;
        }
        if (b->n == b->most) {
            b->n = n_before;
            *is_full = true;
            return true;
        }
        if (!add_concept(b, b->common, b->extents[at], key)) {
            return false;
        }
    }
    return true;
}

static bool add_classes(struct building *b)
{
    const uint32_t n = b->lattice->context->n_classes;
    bool is_full = false;

    for (uint32_t class = 0; class < n; class ++) {
        if (!add_intents(b, class, &is_full)) {
            return false;
        }
        if (is_full) {
            return true;
        }
        for (uint32_t i = 0; i < b->n; i++) {
            if (mpl_bits_is_within(b->concepts[i].intent, b->intent, b->n_words)) {
                mpl_bits_put(b->extents[i], class);
            }
        }
        b->lattice->n_classes = class + 1;
    }
    return true;
}

/* ---- their order ---------------------------------------------------------------------------------- */

static bool is_above_any(const struct mpl_concept *concepts, uint32_t i,
                         const uint32_t *lower, uint32_t n, size_t n_words)
{
    for (uint32_t k = 0; k < n; k++) {
        if (mpl_bits_is_within(concepts[i].intent, concepts[lower[k]].intent, n_words)) {
            return true;
        }
    }
    return false;
}

/* Parents have part of the attributes, and no other concept is between. */
static bool find_parents(struct building *b, struct mpl_concept *concepts)
{
    uint32_t *parents = MPL_NEW_ARRAY(b->arena, b->n, uint32_t);

    for (uint32_t i = 0; i < b->n && parents != NULL; i++) {
        uint32_t n = 0;

        for (uint32_t j = i; j-- > 0;) {
            if (mpl_bits_is_within(concepts[j].intent, concepts[i].intent, b->n_words) &&
                !is_above_any(concepts, j, parents, n, b->n_words)) {
                parents[n++] = j;
            }
        }
        uint32_t *own = MPL_NEW_ARRAY(b->arena, n, uint32_t);
        if (own == NULL) {
            return false;
        }
        memcpy(own, parents, n * sizeof *own);
        concepts[i].parents = own;
        concepts[i].n_parents = n;
    }
    return parents != NULL;
}

static bool finish(struct building *b)
{
    struct mpl_concept *concepts = MPL_NEW_ARRAY(b->arena, b->n, struct mpl_concept);

    if (concepts == NULL) {
        return false;
    }
    sort(b);
    for (uint32_t i = 0; i < b->n; i++) {
        concepts[i] = b->concepts[b->order[i]];
    }
    b->lattice->concepts = concepts;
    b->lattice->n_concepts = b->n;
    return find_parents(b, concepts);
}

static bool open(struct building *b, const struct mpl_context *context, uint32_t most)
{
    const uint32_t n = context->attributes.n;

    b->most = most;
    b->n_words = mpl_bits_words(n);
    b->n_words_classes = mpl_bits_words(context->n_classes);
    b->lattice = MPL_NEW(b->arena, struct mpl_lattice);
    b->concepts = MPL_NEW_ARRAY(b->arena, most, struct mpl_concept);
    b->extents = MPL_NEW_ARRAY(b->arena, most, uint64_t *);
    b->order = MPL_NEW_ARRAY(b->arena, most, uint32_t);
    b->starts = MPL_NEW_ARRAY(b->arena, (size_t) n + 2, uint32_t);
    b->intent = MPL_NEW_ARRAY(b->arena, b->n_words, uint64_t);
    b->common = MPL_NEW_ARRAY(b->arena, b->n_words, uint64_t);
    b->known = mpl_map_create();
    if (b->lattice != NULL) {
        b->lattice->context = context;
    }
    return b->lattice != NULL && b->concepts != NULL && b->extents != NULL &&
           b->order != NULL && b->starts != NULL && b->intent != NULL &&
           b->common != NULL && b->known != NULL;
}

/* The bottom has all attributes. */
static bool add_bottom(struct building *b)
{
    uint64_t key;

    for (uint32_t i = 0; i < b->lattice->context->attributes.n; i++) {
        mpl_bits_put(b->common, i);
    }
    (void) find(b, b->common, &key);
    return add_concept(b, b->common, NULL, key);
}

enum mpl_status mpl_lattice_create(const struct mpl_context *context, uint32_t most,
                                   struct mpl_arena *arena, const struct mpl_lattice **out,
                                   struct mpl_err *err)
{
    struct building b = { .arena = arena };

    if (context->kind.by == MPL_CONTEXT_WEIGHTED) {
        return mpl_fail(err, MPL_E_USAGE,
                        "weighted attributes have no lattice; take orig, log10 or actual");
    }
    mpl_assert(most > 0);
    const bool is_done =
        open(&b, context, most) && add_bottom(&b) && add_classes(&b) && finish(&b);
    mpl_map_destroy(b.known);
    if (!is_done) {
        return mpl_nomem(err);
    }
    *out = b.lattice;
    return MPL_OK;
}

/* ---- what it says ------------------------------------------------------------------------------------- */

uint32_t mpl_lattice_of_attribute(const struct mpl_lattice *lattice, uint32_t attribute)
{
    uint32_t i = 0;

    while (!mpl_bits_has(lattice->concepts[i].intent, attribute)) {
        i++;
    }
    return i;
}

uint32_t mpl_lattice_of_class(const struct mpl_lattice *lattice, uint32_t class)
{
    uint32_t i = class < lattice->n_classes ? lattice->n_concepts : 0;

    while (i > 0 && !mpl_bits_has(lattice->concepts[i - 1].extent, class)) {
        i--;
    }
    return i > 0 ? i - 1 : MPL_NONE;
}
