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
    const struct mpl_rule *rule;
    const struct betaMemory *met; /**< Facts that meet the conditions before it. */
    uint32_t metric;              /**< Number of its name. */
    struct origin run, pattern;
};

/** Who has been asked for a metric. */
struct asked {
    const void *run, *pattern; /**< Symbols. */
    uint32_t next;             /**< Of the same metric, or MPL_NONE. */
};

struct mpl_asks {
    struct mpl_names *metrics;
    struct mpl_buf askings; /**< struct asking */
    struct mpl_buf asked;   /**< struct asked */
    struct mpl_buf first;   /**< uint32_t, per metric, into asked. */
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

static void add_asking(struct mpl_asks *asks, const struct asking *asking,
                       const char *metric)
{
    const uint32_t n = (uint32_t) mpl_names_count(asks->metrics);
    const uint32_t number = mpl_names_put(asks->metrics, metric);
    struct asking *slot = mpl_buf_add(&asks->askings);
    uint32_t *first = number == n ? mpl_buf_add(&asks->first) : NULL;

    if (number == MPL_NONE || slot == NULL || (number == n && first == NULL)) {
        asks->is_nomem = true;
        return;
    }
    if (first != NULL) {
        *first = MPL_NONE;
    }
    *slot = *asking;
    slot->metric = number;
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
                      const struct mpl_construct *construct, struct mpl_arena *scratch)
{
    const char *name =
        mpl_arena_printf(scratch, "%s::%s", construct->module, construct->name);
    const struct defrule *rule = name == NULL ? NULL : EnvFindDefrule(cage->env, name);
    struct mpl_rule_turns turns;

    if (rule == NULL || !mpl_rule_turns(source, construct, scratch, &turns)) {
        cage->asks->is_nomem = cage->asks->is_nomem || rule != NULL || name == NULL;
        return;
    }
    /* Before a `test` CLIPS matches initial-fact. */
    const size_t offset = turns.begins_with_test ? 1 : 0;

    for (size_t i = 0; i < turns.n; i++) {
        const struct mpl_rule_turn *turn = &turns.items[i];
        const struct joinNode *join = join_of(rule, turn->condition + offset);
        struct asking asking = { .rule = mpl_infer_rule(cage->infer, name) };

        asking.met = join == NULL ? NULL : join->leftMemory;
        if (asking.met != NULL && find_origin(cage->env, &turn->run, offset, &asking.run) &&
            find_origin(cage->env, &turn->pattern, offset, &asking.pattern)) {
            add_asking(cage->asks, &asking, turn->metric);
        }
    }
}

static void read_rules(struct cage *cage)
{
    const struct mpl_rules *rules = cage->infer->rules;
    const bool *chosen = cage->chosen;
    struct mpl_arena *scratch = mpl_arena_create();

    for (size_t i = 0; i < rules->n_sources && scratch != NULL; i++) {
        const struct mpl_source *source = rules->sources[i];

        for (size_t j = 0; j < source->n; j++, chosen++) {
            if (*chosen && source->constructs[j].kind == MPL_CONSTRUCT_RULE) {
                read_rule(cage, source, &source->constructs[j], scratch);
            }
        }
    }
    cage->asks->is_nomem = cage->asks->is_nomem || scratch == NULL;
    mpl_arena_destroy(scratch);
}

static struct mpl_asks *make(struct cage *cage)
{
    struct mpl_asks *asks = MPL_NEW(cage->infer->arena, struct mpl_asks);

    if (asks == NULL) {
        return NULL;
    }
    asks->metrics = mpl_names_create();
    asks->askings = mpl_buf_make(sizeof(struct asking));
    asks->asked = mpl_buf_make(sizeof(struct asked));
    asks->first = mpl_buf_make(sizeof(uint32_t));
    asks->is_nomem = asks->metrics == NULL;
    cage->asks = asks;
    if (!asks->is_nomem) {
        read_rules(cage);
    }
    return asks;
}

/* ---- asking --------------------------------------------------------------------------------- */

static const void *symbol_of(const struct partialMatch *match, const struct origin *origin)
{
    if (origin->literal != NULL) {
        return origin->literal;
    }
    const struct alphaMatch *alpha = match->binds[origin->fact].gm.theMatch;
    const struct fact *fact = (const struct fact *) alpha->matchingItem;

    return fact->theProposition.theFields[origin->slot].value;
}

/** Whether it is the first time. */
static bool note_asked(struct mpl_asks *asks, uint32_t metric, const void *run,
                       const void *pattern)
{
    uint32_t *first = mpl_buf_get(&asks->first, metric);

    for (uint32_t i = *first; i != MPL_NONE;) {
        const struct asked *asked = mpl_buf_get(&asks->asked, i);

        if (asked->run == run && asked->pattern == pattern) {
            return false;
        }
        i = asked->next;
    }
    struct asked *asked = mpl_buf_add(&asks->asked);

    if (asked == NULL) {
        asks->is_nomem = true;
        return false;
    }
    *asked = (struct asked){ run, pattern, *first };
    *first = (uint32_t) asks->asked.n - 1;
    return true;
}

static const char *text_of(struct mpl_infer *infer, const void *symbol)
{
    return mpl_arena_strdup(infer->arena,
                            ((const struct symbolHashNode *) symbol)->contents);
}

static void ask(struct mpl_infer *infer, const struct asking *asking, const void *run,
                const void *pattern)
{
    struct mpl_asks *asks = infer->cage.asks;
    struct mpl_need *need = mpl_buf_add(&infer->needs);

    if (need == NULL) {
        asks->is_nomem = true;
        return;
    }
    *need = (struct mpl_need){
        .metric =
            mpl_arena_strdup(infer->arena, mpl_names_text(asks->metrics, asking->metric)),
        .pattern = text_of(infer, pattern),
        .location = "all",
        .run = text_of(infer, run),
        .rule = asking->rule->name,
        .is_condition = true,
    };
    asks->is_nomem = asks->is_nomem || need->metric == NULL || need->pattern == NULL ||
                     need->run == NULL;
}

bool mpl_infer_ask(struct mpl_infer *infer)
{
    struct mpl_asks *asks =
        infer->cage.asks == NULL ? make(&infer->cage) : infer->cage.asks;

    for (size_t i = 0; asks != NULL && i < asks->askings.n; i++) {
        const struct asking *asking = mpl_buf_get(&asks->askings, i);

        for (size_t j = 0; asking->met->count > 0 && j < asking->met->size; j++) {
            for (const struct partialMatch *m = asking->met->beta[j]; m != NULL;
                 m = m->nextInMemory) {
                const void *run = symbol_of(m, &asking->run);
                const void *pattern = symbol_of(m, &asking->pattern);

                if (note_asked(asks, asking->metric, run, pattern)) {
                    ask(infer, asking, run, pattern);
                }
            }
        }
    }
    return asks != NULL && !asks->is_nomem;
}

void mpl_asks_restart(struct mpl_asks *asks)
{
    for (size_t i = 0; asks != NULL && i < asks->first.n; i++) {
        *(uint32_t *) mpl_buf_get(&asks->first, i) = MPL_NONE;
    }
    if (asks != NULL) {
        asks->asked.n = 0;
    }
}

void mpl_asks_free(struct mpl_asks *asks)
{
    if (asks != NULL) {
        mpl_names_destroy(asks->metrics);
        mpl_buf_free(&asks->askings);
        mpl_buf_free(&asks->asked);
        mpl_buf_free(&asks->first);
    }
}
