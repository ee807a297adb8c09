/*
 * Facts `metric` of single locations that no rule can use are noted, so that functions find them by what they are
 * of, but CLIPS does not see them: of 16,000 locations it would hold half a million, each of which takes it some
 * microseconds and 1 KB. What rules can use is known from their texts (demand.h). A location that fails an
 * anchor, as its metric is given, fails it for good; a fact of rules may come later, and then
 * the facts that waited for it are asserted before it is matched, so that all matches are made when they would be.
 */
#include "config.h"

#include "infer/clips_priv.h"

#include <math.h>
#include <string.h>

/* Below this rank, from the largest value on, all facts are asserted: runs with fewer locations never get here. */
enum { FREE_RANKS = 256 };

/* What is known of a location. */
struct mark {
    const void *run, *pattern, *location; /* pattern NULL: of facts of rules */
    uint64_t bits; /* anchors that fail; of facts of rules: those that are there */
    uint32_t next; /* with the same hash, or MPL_NONE */
};

struct mpl_withheld {
    struct mpl_demand demand;
    const void *anchored[MPL_ANCHORS]; /* symbols of metrics or templates */
    double n[MPL_ANCHORS];             /* for which ... */
    double than[MPL_ANCHORS];          /* ... is this; NAN: nothing */
    const void **used;                 /* per use, symbols of metrics */
    struct mpl_buf marks;              /* struct mark */
    struct mpl_map *mark_of;
    struct mpl_buf patterns; /* const void *, symbols; of what is withheld */
    bool is_releasing;
};

/* ---- making -------------------------------------------------------------------------------- */

static const void *hold_symbol(void *env, const char *text)
{
    struct symbolHashNode *symbol = EnvAddSymbol(env, text);

    IncrementSymbolCount(symbol);
    return symbol;
}

static bool restart(struct mpl_withheld *w)
{
    w->marks.n = 0;
    w->patterns.n = 0;
    mpl_map_destroy(w->mark_of);
    w->mark_of = mpl_map_create();
    return w->mark_of != NULL;
}

void mpl_withheld_free(struct mpl_withheld *w)
{
    if (w != NULL) {
        mpl_buf_free(&w->marks);
        mpl_buf_free(&w->patterns);
        mpl_map_destroy(w->mark_of);
    }
}

bool mpl_withheld_restart(struct cage *cage)
{
    return cage->withheld == NULL || restart(cage->withheld);
}

static bool read_demand(struct cage *cage, struct mpl_withheld *w)
{
    if (!mpl_demand_read(cage->infer->rules, cage->chosen, cage->infer->arena,
                         &w->demand)) {
        return false;
    }
    w->used = MPL_NEW_ARRAY(cage->infer->arena, w->demand.n_uses, const void *);
    for (size_t i = 0; w->used != NULL && i < w->demand.n_uses; i++) {
        w->used[i] = hold_symbol(cage->env, w->demand.uses[i].metric);
    }
    for (size_t i = 0; i < w->demand.n_anchors; i++) {
        const struct mpl_demand_anchor *a = &w->demand.anchors[i];

        w->anchored[i] =
            hold_symbol(cage->env, a->template != NULL ? a->template : a->metric);
        w->n[i] = NAN;
    }
    return w->used != NULL;
}

static void note_fact(struct cage *cage, const struct fact *fact);

/* Facts of rules may be there already. */
static struct mpl_withheld *make(struct cage *cage)
{
    struct mpl_withheld *w = MPL_NEW(cage->infer->arena, struct mpl_withheld);

    if (w == NULL) {
        return NULL;
    }
    w->marks = mpl_buf_make(sizeof(struct mark));
    w->patterns = mpl_buf_make(sizeof(const void *));
    cage->withheld = w;
    if (!restart(w) || !read_demand(cage, w)) {
        return NULL;
    }
    for (struct fact *f = EnvGetNextFact(cage->env, NULL); f != NULL && !w->demand.is_all;
         f = EnvGetNextFact(cage->env, f)) {
        note_fact(cage, f);
    }
    return w;
}

/* ---- marks ----------------------------------------------------------------------------------- */

static uint64_t key_of(const void *run, const void *pattern, const void *location)
{
    return mpl_hash_mix((uint64_t) (uintptr_t) run ^
                        mpl_hash_mix((uint64_t) (uintptr_t) pattern ^
                                     mpl_hash_mix((uint64_t) (uintptr_t) location)));
}

static struct mark *find_mark(const struct mpl_withheld *w, const void *run,
                              const void *pattern, const void *location)
{
    uint32_t i = mpl_map_find(w->mark_of, key_of(run, pattern, location));

    while (i != MPL_NONE) {
        struct mark *mark = mpl_buf_get(&w->marks, i);

        if (mark->run == run && mark->pattern == pattern && mark->location == location) {
            return mark;
        }
        i = mark->next;
    }
    return NULL;
}

/* False without memory. */
static bool put_mark(struct mpl_withheld *w, const void *run, const void *pattern,
                     const void *location, uint64_t bits)
{
    struct mark *mark = find_mark(w, run, pattern, location);

    if (mark == NULL) {
        const uint64_t key = key_of(run, pattern, location);
        const uint32_t i = (uint32_t) w->marks.n;

        mark = mpl_buf_add(&w->marks);
        if (mark == NULL) {
            return false;
        }
        *mark = (struct mark){ run, pattern, location, 0, mpl_map_find(w->mark_of, key) };
        if (!mpl_map_put(w->mark_of, key, i)) {
            return false;
        }
    }
    mark->bits |= bits;
    return true;
}

static uint64_t bits_of(const struct mark *mark)
{
    return mark == NULL ? 0 : mark->bits;
}

/* ---- anchors ----------------------------------------------------------------------------------- */

static void write_expression(struct mpl_buf *text, const struct mpl_form *e, const char *n,
                             double locations)
{
    char number[40];
    const char *word = e->text;

    if (e->kind == MPL_FORM_OPEN) {
        word = "(";
    } else if (n != NULL && e->text[0] == '?' && strcmp(e->text + 1, n) == 0) {
        (void) snprintf(number, sizeof number, "%.0f", locations);
        word = number;
    }
    for (const char *c = word; *c != '\0'; c++) {
        (void) mpl_buf_put(text, c);
    }
    for (const struct mpl_form *part = e->kind == MPL_FORM_OPEN ? e->first : NULL;
         part != NULL; part = part->next) {
        write_expression(text, part, n, locations);
    }
    for (const char *c = e->kind == MPL_FORM_OPEN ? ") " : " "; *c != '\0'; c++) {
        (void) mpl_buf_put(text, c);
    }
}

/* NAN where it cannot be known. Without memory for its text CLIPS finds no expression. */
static double evaluate(struct cage *cage, const struct mpl_demand_anchor *a,
                       double locations)
{
    struct mpl_buf text = mpl_buf_make(1);
    DATA_OBJECT value;
    double number = NAN;

    write_expression(&text, a->than, a->n, locations);
    if (mpl_buf_add(&text) != NULL && EnvEval(cage->env, text.data, &value) &&
        (value.type == FLOAT || value.type == INTEGER)) {
        number = mpl_cage_number(&value);
    }
    mpl_cage_forget(cage);
    mpl_buf_free(&text);
    return number;
}

static bool holds(struct cage *cage, size_t i, const struct mpl_metric_given *given)
{
    struct mpl_withheld *w = cage->withheld;
    const struct mpl_demand_anchor *a = &w->demand.anchors[i];
    const double is = a->is_rank ? given->rank : given->value;

    if (isnan(w->n[i]) || w->n[i] != given->n) {
        w->n[i] = given->n;
        w->than[i] = evaluate(cage, a, given->n);
    }
    const double than = w->than[i];

    return isnan(than) || (is == than && (a->comparison == '=' || a->is_or_equal)) ||
           (a->comparison == '<' && is < than) || (a->comparison == '>' && is > than);
}

/* Whether a rule can use it as far as is known. */
static bool is_of_use(const struct mpl_withheld *w, const struct mpl_metric_given *given,
                      bool is_first)
{
    const void *run = given->of[MPL_OF_RUN];
    const void *location = given->of[MPL_OF_LOCATION];
    const uint64_t failed = bits_of(find_mark(w, run, given->of[MPL_OF_PATTERN], location));

    for (size_t i = 0; i < w->demand.n_uses; i++) {
        const struct mpl_use *use = &w->demand.uses[i];

        if (w->used[i] == given->of[MPL_OF_NAME] && (use->metrics & failed) == 0 &&
            (is_first || !use->is_any) &&
            (use->templates &
             ~bits_of(use->templates == 0 ? NULL : find_mark(w, run, NULL, location))) ==
                0) {
            return true;
        }
    }
    return false;
}

static bool note_failures(struct cage *cage, const struct mpl_metric_given *given)
{
    const struct mpl_withheld *w = cage->withheld;
    uint64_t failed = 0;

    for (size_t i = 0; i < w->demand.n_anchors; i++) {
        if (w->anchored[i] == given->of[MPL_OF_NAME] &&
            w->demand.anchors[i].template == NULL && !holds(cage, i, given)) {
            failed |= UINT64_C(1) << i;
        }
    }
    return failed == 0 ||
           put_mark(cage->withheld, given->of[MPL_OF_RUN], given->of[MPL_OF_PATTERN],
                    given->of[MPL_OF_LOCATION], failed);
}

/* ---- withholding -------------------------------------------------------------------------------- */

static bool note_pattern(struct mpl_withheld *w, const void *pattern)
{
    for (size_t i = 0; i < w->patterns.n; i++) {
        if (*(const void **) mpl_buf_get(&w->patterns, i) == pattern) {
            return true;
        }
    }
    return mpl_buf_put(&w->patterns, &pattern);
}

bool mpl_withheld_take(struct cage *cage, const struct mpl_metric_given *given)
{
    struct mpl_withheld *w = cage->withheld;

    if (w == NULL && given->rank <= FREE_RANKS) {
        return false;
    }
    w = w == NULL ? make(cage) : w;
    if (w == NULL) {
        mpl_cage_stop(cage, CAGE_NOMEM);
        return false;
    }
    if (w->demand.is_all || given->rank == 0) {
        return false;
    }
    const bool is_noted = note_failures(cage, given);

    if (!is_noted || given->rank <= FREE_RANKS ||
        is_of_use(w, given, mpl_metric_facts_is_first(cage->metrics, given))) {
        return false;
    }
    if (!note_pattern(w, given->of[MPL_OF_PATTERN]) ||
        !mpl_metric_facts_withhold(cage->metrics, cage->form.template, given)) {
        mpl_cage_stop(cage, CAGE_NOMEM);
    }
    return true;
}

/* ---- facts of rules -------------------------------------------------------------------------------- */

/* Anchors that are facts of that template; 0 where its slots say nothing of a location. */
static uint64_t anchors_of(const struct mpl_withheld *w, const struct fact *fact)
{
    uint64_t anchors = 0;

    for (size_t i = 0; i < w->demand.n_anchors; i++) {
        if (w->demand.anchors[i].template != NULL &&
            w->anchored[i] == fact->whichDeftemplate->header.name) {
            anchors |= UINT64_C(1) << i;
        }
    }
    return anchors;
}

static const void *symbol_of(const struct fact *fact, const char *slot)
{
    size_t i = 0;

    return fact->whichDeftemplate->implied ||
                   mpl_template_slot(fact->whichDeftemplate, slot, &i) == NULL
               ? NULL
               : mpl_field_symbol(&fact->theProposition.theFields[i]);
}

static void note_fact(struct cage *cage, const struct fact *fact)
{
    const uint64_t anchors = anchors_of(cage->withheld, fact);
    const void *run = anchors == 0 ? NULL : symbol_of(fact, "run");
    const void *location = anchors == 0 ? NULL : symbol_of(fact, "location");

    if (run != NULL && location != NULL &&
        !put_mark(cage->withheld, run, NULL, location, anchors)) {
        mpl_cage_stop(cage, CAGE_NOMEM);
    }
}

/* It rests on no conditions of the rule that fires. */
static void release(struct cage *cage, uint32_t entry)
{
    struct engineData *engine = EngineData(cage->env);
    struct joinNode *logical = engine->TheLogicalJoin;

    engine->TheLogicalJoin = NULL;
    cage->withheld->is_releasing = true;
    mpl_metric_facts_release(cage->metrics, cage->env, entry);
    cage->withheld->is_releasing = false;
    engine->TheLogicalJoin = logical;
}

static void release_metric(struct cage *cage, struct mpl_metric_given *given)
{
    const uint32_t entry = mpl_metric_facts_find_withheld(cage->metrics, given);

    if (entry != MPL_NONE && is_of_use(cage->withheld, given, false)) {
        release(cage, entry);
    }
}

void mpl_withheld_note(struct cage *cage, struct fact *fact)
{
    struct mpl_withheld *w = cage->withheld;
    const uint64_t anchors =
        w == NULL || w->demand.is_all || w->is_releasing ? 0 : anchors_of(w, fact);

    if (anchors == 0) {
        return;
    }
    note_fact(cage, fact);
    for (size_t i = 0; i < w->demand.n_uses; i++) {
        for (size_t j = 0;
             j < w->patterns.n && (w->demand.uses[i].templates & anchors) != 0; j++) {
            struct mpl_metric_given given = {
                .of = { [MPL_OF_RUN] = symbol_of(fact, "run"),
                        [MPL_OF_PATTERN] = *(const void **) mpl_buf_get(&w->patterns, j),
                        [MPL_OF_NAME] = w->used[i],
                        [MPL_OF_LOCATION] = symbol_of(fact, "location") }
            };

            release_metric(cage, &given);
        }
    }
}

bool mpl_withheld_is_releasing(const struct cage *cage)
{
    return cage->withheld != NULL && cage->withheld->is_releasing;
}

void mpl_withheld_release_all(struct cage *cage)
{
    for (uint32_t i = 0; cage->withheld != NULL && cage->metrics != NULL; i++) {
        i = mpl_metric_facts_next_withheld(cage->metrics, i);
        if (i == MPL_NONE) {
            return;
        }
        release(cage, i);
    }
}
