/*
 * Which metrics conditions of rules ask for. A condition about a metric asks for it once the conditions before it
 * are met: then a partial match of CLIPS waits for the fact, and the facts of that match say of which run and pattern
 * it is to be.
 *
 *     (pattern (run ?r) (name "ring") (id ?p))
 *     (metric (run ?r) (pattern ?p) (name "run.efficiency") (value ?e&:(< ?e 0.5)))   ; asked for of each ring
 *     (metric (run ?r) (pattern ?p) (name "run.lost") (value ?lost))                  ; of each inefficient one
 */
#include "config.h"

#include "infer/clips_priv.h"
#include "rulebook/conditions.h"

#include <string.h>

/** Where the name of a run or a pattern comes from. */
struct origin {
    const void *literal; /**< A symbol; NULL: */
    size_t fact, slot;   /**< of that fact of the match. */
};

struct asking {
    const struct betaMemory *met; /**< Facts that meet the conditions before it. */
    const char *metric;
    struct origin run, pattern;
};

struct mpl_asks {
    struct mpl_arena *arena; /**< With what was read of the rules. */
    struct mpl_buf askings;  /**< struct asking */
    bool is_nomem;
};

/* ---- reading rules ------------------------------------------------------------------------- */

static bool find_origin(void *env, const struct mpl_rule_origin *from, size_t offset,
                        struct origin *out)
{
    *out = (struct origin){ .fact = from->condition + offset };
    if (from->literal != NULL) {
        out->literal = FindSymbolHN(env, from->literal);
        return out->literal != NULL;
    }
    const struct deftemplate *template = EnvFindDeftemplate(env, from->template);

    return template != NULL && mpl_template_slot(template, from->slot, &out->slot) != NULL;
}

/** The join of a condition, by its number; the last join of CLIPS only ends the rule. */
static const struct joinNode *join_of(const struct defrule *rule, size_t condition)
{
    size_t behind = 0;

    for (const struct joinNode *j = rule->lastJoin->lastLevel; j != NULL;
         j = j->lastLevel) {
        behind++;
    }
    const struct joinNode *join = rule->lastJoin->lastLevel;

    while (behind-- > condition + 1 && join != NULL) {
        join = join->lastLevel;
    }
    return join;
}

static void read_rule(struct cage *cage, const struct mpl_source *source,
                      const struct mpl_construct *construct)
{
    const char *name =
        mpl_arena_printf(cage->asks->arena, "%s::%s", construct->module, construct->name);
    const struct defrule *rule = name == NULL ? NULL : EnvFindDefrule(cage->env, name);
    struct mpl_rule_turns turns;

    if (rule == NULL || !mpl_rule_turns(source, construct, cage->asks->arena, &turns)) {
        cage->asks->is_nomem = cage->asks->is_nomem || rule != NULL || name == NULL;
        return;
    }
    /* Before a `test` CLIPS matches initial-fact. */
    const size_t offset = turns.begins_with_test ? 1 : 0;

    for (size_t i = 0; i < turns.n; i++) {
        const struct mpl_rule_turn *turn = &turns.items[i];
        const struct joinNode *join = join_of(rule, turn->condition + offset);
        struct asking asking = { .met = join == NULL ? NULL : join->leftMemory,
                                 .metric = turn->metric };

        if (asking.met != NULL && find_origin(cage->env, &turn->run, offset, &asking.run) &&
            find_origin(cage->env, &turn->pattern, offset, &asking.pattern) &&
            !mpl_buf_put(&cage->asks->askings, &asking)) {
            cage->asks->is_nomem = true;
        }
    }
}

static void read_rules(void *context)
{
    struct cage *cage = context;
    const struct mpl_rules *rules = cage->infer->rules;
    const bool *chosen = cage->chosen;

    for (size_t i = 0; i < rules->n_sources; i++) {
        const struct mpl_source *source = rules->sources[i];

        for (size_t j = 0; j < source->n; j++, chosen++) {
            if (*chosen && source->constructs[j].kind == MPL_CONSTRUCT_RULE) {
                read_rule(cage, source, &source->constructs[j]);
            }
        }
    }
}

static struct mpl_asks *make(struct cage *cage)
{
    struct mpl_asks *asks = MPL_NEW(cage->infer->arena, struct mpl_asks);

    if (asks == NULL) {
        return NULL;
    }
    asks->arena = mpl_arena_create();
    asks->askings = mpl_buf_make(sizeof(struct asking));
    cage->asks = asks;
    asks->is_nomem =
        asks->arena == NULL || !mpl_cage_enter(cage, read_rules, cage) || asks->is_nomem;
    return asks;
}

void mpl_asks_free(struct mpl_asks *asks)
{
    if (asks != NULL) {
        mpl_buf_free(&asks->askings);
        mpl_arena_destroy(asks->arena);
    }
}

/* ---- asking --------------------------------------------------------------------------------- */

/** NULL where rules have put no text there. */
static const void *symbol_of(const struct partialMatch *match, const struct origin *origin)
{
    const struct alphaMatch *alpha =
        origin->literal != NULL || origin->fact >= match->bcount
            ? NULL
            : match->binds[origin->fact].gm.theMatch;
    const struct fact *fact =
        alpha == NULL ? NULL : (const struct fact *) alpha->matchingItem;

    return fact == NULL ? origin->literal
                        : mpl_field_symbol(&fact->theProposition.theFields[origin->slot]);
}

static const char *text_of(const void *symbol)
{
    return ((const struct symbolHashNode *) symbol)->contents;
}

/** Matches beside each other are mostly about the same pattern. */
static void ask(const struct asking *asking, mpl_infer_asked *asked, void *context)
{
    const void *run = NULL;
    const void *pattern = NULL;

    for (size_t i = 0; asking->met->count > 0 && i < asking->met->size; i++) {
        for (const struct partialMatch *m = asking->met->beta[i]; m != NULL;
             m = m->nextInMemory) {
            const void *its_run = symbol_of(m, &asking->run);
            const void *its_pattern = symbol_of(m, &asking->pattern);

            if (its_run != NULL && its_pattern != NULL &&
                (its_run != run || its_pattern != pattern)) {
                run = its_run;
                pattern = its_pattern;
                asked(context, text_of(run), text_of(pattern), asking->metric);
            }
        }
    }
}

bool mpl_infer_ask(struct mpl_infer *infer, mpl_infer_asked *asked, void *context)
{
    struct mpl_asks *asks = infer->cage.asks;

    if (infer->cage.stop != CAGE_FREE) {
        return true;
    }
    asks = asks == NULL ? make(&infer->cage) : asks;
    for (size_t i = 0; asks != NULL && i < asks->askings.n; i++) {
        ask(mpl_buf_get(&asks->askings, i), asked, context);
    }
    return asks != NULL && !asks->is_nomem;
}
