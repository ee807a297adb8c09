/*
 * The spans of a location that a link along it may lead to, a bit for each. Instances that follow
 * each other ask for the same spans again and again, and several links of an event for the same
 * kind of span: so a filter is asked once per span, when somebody first comes by. Several threads may fill in the same bits at
 * once: they find the same, and a word is there before its known bit is (built-in atomics, as these are plain arrays).
 */
#include "config.h"

#include "recognize/recognition_priv.h"

#include <string.h>

/* Whoever starts at `from`, or between the two, comes to `to`. */
struct answer {
    uint32_t from, to;
    bool is_known;
};

/* Links of one kind start at different places: each keeps its answer, nearly always. */
enum { ANSWERS = 4 };

/* What the filter says of calls of a kind. */
enum answer_of_kind { UNASKED, TAKEN, REFUSED };

struct mpl_finder {
    uint32_t first; /* span of bit 0 */
    uint32_t shift; /* spans from one bit to the next, as a power of two: calls alternate */
    uint32_t n;     /* bits */
    bool is_all;    /* all bits are set, and there are no words */
    uint64_t *words;  /* the span fits */
    uint64_t *known;  /* bit per word: it is filled in */
    uint8_t *of_kind; /* per kind of calls, enum answer_of_kind */
    struct answer next[ANSWERS], previous[ANSWERS];
};

/* ---- kinds of links ------------------------------------------------------------------- */

/* Conditions are the same only if they are the same object: few links have one. */
static bool is_same(const struct mpl_span_filter *x, const struct mpl_span_filter *y)
{
    return x->primitive == y->primitive && x->to == y->to && x->from == y->from &&
           x->root == y->root && x->ops == y->ops && x->where == y->where &&
           mpl_is_same_text(x->region, y->region) &&
           mpl_is_same_array(x->tags, x->n_tags, y->tags, y->n_tags, sizeof *x->tags);
}

/* The number of the filter among those seen so far. */
static uint32_t kind_of(struct mpl_finders *finders, const struct mpl_span_filter *filter)
{
    for (uint32_t k = 0; k < finders->n_kinds; k++) {
        if (is_same(finders->filters[k], filter)) {
            return k;
        }
    }
    finders->filters[finders->n_kinds] = filter;
    return finders->n_kinds++;
}

bool mpl_finders_prepare(struct mpl_recognition *r)
{
    const struct mpl_pattern *pattern = r->pattern;
    struct mpl_finders *finders = &r->finders;
    size_t n = 0;

    for (uint32_t e = 0; e < pattern->n_events; e++) {
        n += pattern->events[e].n_associated;
    }
    *finders = (struct mpl_finders){
        .filters = MPL_NEW_ARRAY(r->arena, n, const struct mpl_span_filter *),
        .of_event = MPL_NEW_ARRAY(r->arena, pattern->n_events, uint32_t *),
        .of_kind = MPL_NEW_ARRAY(r->arena, n, struct mpl_finder **),
    };
    if (finders->filters == NULL || finders->of_event == NULL || finders->of_kind == NULL) {
        return false;
    }
    for (uint32_t e = 0; e < pattern->n_events; e++) {
        const struct mpl_event_definition *event = &pattern->events[e];

        finders->of_event[e] = MPL_NEW_ARRAY(r->arena, event->n_associated, uint32_t);
        if (finders->of_event[e] == NULL) {
            return false;
        }
        for (uint32_t a = 0; a < event->n_associated; a++) {
            finders->of_event[e][a] = mpl_link_is_along(event->associated[a].link)
                                          ? kind_of(finders, &event->associated[a].filter)
                                          : MPL_NONE;
        }
    }
    return true;
}

/* ---- finders ----------------------------------------------------------------------------- */

/* NULL: they are not known, or no more. */
static const struct mpl_kinds *kinds_of(const struct mpl_recognition *r, uint32_t location)
{
    return r->topology == NULL ? NULL : mpl_kinds_get(r->topology, location);
}

static struct mpl_finder *make_finder(struct mpl_recognition *r,
                                      const struct mpl_span_filter *filter,
                                      uint32_t location)
{
    const enum mpl_primitive_test test = mpl_primitive_row(filter->primitive)->test;
    const struct mpl_range range = r->ranges[location];
    const struct mpl_kinds *kinds = kinds_of(r, location);
    struct mpl_finder *finder = MPL_NEW(r->arena, struct mpl_finder);

    if (finder == NULL) {
        return NULL;
    }
    /* Even spans are computation; all others but regions are calls. */
    finder->first = range.first;
    finder->shift = test == MPL_TEST_REGION ? 0 : 1;
    if (finder->shift == 1) {
        finder->first += (range.first % 2 == 0) != (test == MPL_TEST_COMPUTE);
    }
    finder->n = finder->first < range.end
                    ? ((range.end - finder->first - 1) >> finder->shift) + 1
                    : 0;
    finder->is_all =
        test == MPL_TEST_COMPUTE && filter->region == NULL && filter->where == NULL;
    if (!finder->is_all) {
        const size_t n_words = (size_t) finder->n / 64 + 1;

        finder->words = MPL_NEW_ARRAY(r->arena, n_words, uint64_t);
        finder->known = MPL_NEW_ARRAY(r->arena, n_words / 64 + 1, uint64_t);
    }
    if (!finder->is_all && kinds != NULL) {
        finder->of_kind = MPL_NEW_ARRAY(r->arena, kinds->n, uint8_t);
    }
    return mpl_arena_is_short(r->arena) ? NULL : finder;
}

/* Copies share the bits of the original if it has some; the answers that are kept are each one's own. */
static struct mpl_finder *open_finder(struct mpl_recognition *r, uint32_t kind,
                                      uint32_t location)
{
    const struct mpl_finders *shared = r->finders.shared;
    struct mpl_finder **of_location = shared == NULL ? NULL : shared->of_kind[kind];
    struct mpl_finder *finder;

    if (of_location == NULL || of_location[location] == NULL) {
        return make_finder(r, r->finders.filters[kind], location);
    }
    finder = MPL_NEW(r->arena, struct mpl_finder);
    if (finder != NULL) {
        *finder = *of_location[location];
    }
    return finder;
}

/* ---- bits ---------------------------------------------------------------------------------- */

static uint32_t span_of(const struct mpl_finder *finder, uint32_t bit)
{
    return finder->first + (bit << finder->shift);
}

static bool takes_kind(const struct mpl_recognition *r,
                       const struct mpl_span_filter *filter, uint32_t location,
                       const struct mpl_kinds *kinds, uint32_t number)
{
    const struct mpl_kind *kind = &kinds->kinds[number];
    const struct mpl_span span = mpl_kind_span(r->events, location, kind);

    for (uint32_t p = 0; p < kind->n_parts; p++) {
        if (takes_kind(r, filter, location, kinds, kinds->parts[kind->first_part + p])) {
            return true;
        }
    }
    return kind->n_parts == 0 && mpl_filter_takes(r, filter, location, &span);
}

/* Of the calls of a kind one is asked. */
static bool takes(const struct mpl_recognition *r, const struct mpl_span_filter *filter,
                  uint32_t location, const struct mpl_kinds *kinds, uint8_t *of_kind,
                  uint32_t at)
{
    if (at % 2 == 0 || kinds == NULL || of_kind == NULL) {
        const struct mpl_span span = mpl_events_span(r->events, location, at);

        return mpl_filter_takes(r, filter, location, &span);
    }

    const uint32_t kind = kinds->of_call[at / 2];

    uint8_t answer = __atomic_load_n(&of_kind[kind], __ATOMIC_RELAXED);

    if (answer == UNASKED) {
        answer = takes_kind(r, filter, location, kinds, kind) ? TAKEN : REFUSED;
        __atomic_store_n(&of_kind[kind], answer, __ATOMIC_RELAXED);
    }
    return answer == TAKEN;
}

/* The bits of a word; on the location of the pass letters say them. */
static uint64_t find_bits(const struct mpl_instance_view *view, uint32_t number,
                          uint32_t location, const struct mpl_finder *finder, uint32_t word)
{
    const struct mpl_recognition *r = view->r;
    const struct mpl_near *near = view->near;
    const struct mpl_span_filter *filter = &view->definition->associated[number].filter;
    const struct mpl_kinds *kinds = kinds_of(r, location);
    const uint32_t n = finder->n - word * 64 < 64 ? finder->n - word * 64 : 64;
    const uint32_t step = 1U << finder->shift;
    uint32_t at = finder->first + word * 64 * step;
    uint64_t bits = 0;

    if (near != NULL && location == near->location && number < 64) {
        for (uint32_t i = 0; i < n; i++, at += step) {
            bits |= (near->links[near->letters[at]] >> number & 1) << i;
        }
        return bits;
    }
    for (uint32_t i = 0; i < n; i++, at += step) {
        if (takes(r, filter, location, kinds, finder->of_kind, at)) {
            bits |= UINT64_C(1) << i;
        }
    }
    return bits;
}

static void fill_word(const struct mpl_instance_view *view, uint32_t number,
                      uint32_t location, struct mpl_finder *finder, uint32_t word)
{
    const struct mpl_span_filter *filter = &view->definition->associated[number].filter;
    uint64_t bits = find_bits(view, number, location, finder, word);

    for (uint64_t left = filter->where == NULL ? 0 : bits; left != 0; left &= left - 1) {
        const uint32_t bit = (uint32_t) __builtin_ctzll(left);
        const uint32_t at = span_of(finder, word * 64 + bit);

        if (!mpl_filter_holds(view->r, filter, location, at)) {
            bits &= ~(UINT64_C(1) << bit);
        }
    }
    __atomic_store_n(&finder->words[word], bits, __ATOMIC_RELAXED);
    __atomic_fetch_or(&finder->known[word / 64], UINT64_C(1) << word % 64,
                      __ATOMIC_RELEASE);
}

/* Inline, as profiles are full of it: nearly always the word is there. */
static inline uint64_t word_of(const struct mpl_instance_view *view, uint32_t number,
                               uint32_t location, struct mpl_finder *finder, uint32_t word)
{
    const uint64_t known = __atomic_load_n(&finder->known[word / 64], __ATOMIC_ACQUIRE);

    if ((known >> word % 64 & 1) == 0) {
        fill_word(view, number, location, finder, word);
    }
    return __atomic_load_n(&finder->words[word], __ATOMIC_RELAXED);
}

/* The first bit that is set, from \p bit on; n: none. */
static uint32_t seek_next(const struct mpl_instance_view *view, uint32_t number,
                          uint32_t location, struct mpl_finder *finder, uint32_t bit)
{
    uint32_t word = bit / 64;
    uint64_t bits = word_of(view, number, location, finder, word) & ~UINT64_C(0)
                                                                        << bit % 64;

    while (bits == 0 && (word + 1) * 64 < finder->n) {
        bits = word_of(view, number, location, finder, ++word);
    }
    return bits == 0 ? finder->n : word * 64 + (uint32_t) __builtin_ctzll(bits);
}

/* One more than the last bit that is set, from \p low up to \p bit; 0: none. */
static uint32_t seek_previous(const struct mpl_instance_view *view, uint32_t number,
                              uint32_t location, struct mpl_finder *finder, uint32_t low,
                              uint32_t bit)
{
    uint32_t word = bit / 64;
    uint64_t bits =
        word_of(view, number, location, finder, word) & ~UINT64_C(0) >> (63 - bit % 64);
    uint32_t found;

    while (bits == 0 && word > low / 64) {
        bits = word_of(view, number, location, finder, --word);
    }
    found = bits == 0 ? 0 : word * 64 + 64 - (uint32_t) __builtin_clzll(bits);
    return found > low ? found : 0;
}

/*
 * Instances ask in ascending order, so the way over spans that do not fit is gone once, and the
 * answer kept for those who start somewhere on it.
 */
static uint32_t find_next(const struct mpl_instance_view *view, uint32_t number,
                          uint32_t location, struct mpl_finder *finder, uint32_t from)
{
    const uint32_t bit =
        from < finder->first ? 0 : ((from - finder->first) >> finder->shift) + 1;
    struct answer *kept = &finder->next[number % ANSWERS];

    if (bit >= finder->n) {
        return MPL_NONE;
    }
    if (finder->is_all) {
        return span_of(finder, bit);
    }
    if (!kept->is_known || bit < kept->from || bit > kept->to) {
        *kept =
            (struct answer){ bit, seek_next(view, number, location, finder, bit), true };
    }
    return kept->to < finder->n ? span_of(finder, kept->to) : MPL_NONE;
}

static uint32_t find_previous(const struct mpl_instance_view *view, uint32_t number,
                              uint32_t location, struct mpl_finder *finder, uint32_t from)
{
    struct answer *kept = &finder->previous[number % ANSWERS];
    uint32_t bit;

    if (from <= finder->first || finder->n == 0) {
        return MPL_NONE;
    }
    bit = (from - finder->first - 1) >> finder->shift;
    bit = bit < finder->n ? bit : finder->n - 1;
    if (finder->is_all) {
        return span_of(finder, bit);
    }
    /* `to` is one more than the bit, so that 0 is nowhere. */
    if (!kept->is_known || bit > kept->from || bit + 1 < kept->to) {
        const uint32_t low = kept->is_known && bit > kept->from ? kept->from + 1 : 0;
        const uint32_t found = seek_previous(view, number, location, finder, low, bit);

        *kept = (struct answer){ bit, found > 0 || low == 0 ? found : kept->to, true };
    }
    return kept->to > 0 ? span_of(finder, kept->to - 1) : MPL_NONE;
}

/* Per location, made at the first question. False: out of memory. */
static bool has_room(struct mpl_recognition *r, uint32_t kind)
{
    struct mpl_finder ***of_location = &r->finders.of_kind[kind];

    if (*of_location == NULL) {
        *of_location = MPL_NEW_ARRAY(r->arena, r->model->n_locations, struct mpl_finder *);
    }
    return *of_location != NULL;
}

void mpl_finders_hand_over(struct mpl_recognition *from, struct mpl_recognition *into,
                           uint32_t location)
{
    for (uint32_t kind = 0; kind < from->finders.n_kinds; kind++) {
        struct mpl_finder **of_location = from->finders.of_kind[kind];

        /* Without memory they are found out again, or whoever asks fails. */
        if (of_location != NULL && of_location[location] != NULL && has_room(into, kind)) {
            into->finders.of_kind[kind][location] = of_location[location];
            of_location[location] = NULL;
        }
    }
}

/* What answers on a location. NULL: out of memory. */
static struct mpl_finder *get_finder(struct mpl_recognition *r, uint32_t kind,
                                     uint32_t location)
{
    struct mpl_finder **of_location = has_room(r, kind) ? r->finders.of_kind[kind] : NULL;

    if (of_location == NULL) {
        return NULL;
    }
    if (of_location[location] == NULL) {
        of_location[location] = open_finder(r, kind, location);
    }
    return of_location[location];
}

void mpl_finder_find(struct mpl_instance_view *view, uint32_t number,
                     const struct mpl_rows *rows, const struct mpl_bound *bounds,
                     bool is_next, uint32_t *at)
{
    const uint32_t kind = view->r->finders.of_event[view->event][number];
    struct mpl_finder *finder = NULL;
    uint32_t location = MPL_NONE;

    for (uint32_t k = 0; k < rows->n; k++) {
        const uint32_t i = rows->at[k];

        /* Rows that follow each other are mostly on one location. */
        if (bounds[i].location != location) {
            location = bounds[i].location;
            finder = get_finder(view->r, kind, location);
        }
        if (finder == NULL) {
            view->has_no_memory = true;
            at[i] = MPL_NONE;
        } else if (is_next) {
            at[i] = find_next(view, number, location, finder, at[i]);
        } else {
            at[i] = find_previous(view, number, location, finder, at[i]);
        }
    }
}
