/* Facts and globals as plain data, for questions after the rules have fired. */
#include "config.h"

#include "infer/ask.h"
#include "infer/clips_priv.h"

#include <string.h>

struct gathering {
    struct mpl_infer *infer;
    struct mpl_arena *arena;
    struct mpl_buf facts; /**< struct mpl_rule_fact */
    bool is_nomem;
};

static bool take_value(struct mpl_arena *arena, int type, void *value,
                       struct mpl_rule_value *out)
{
    *out = (struct mpl_rule_value){ .kind = MPL_RULE_OTHER, .text = "?" };
    if (type == FLOAT) {
        out->kind = MPL_RULE_FLOAT;
        out->number = ValueToDouble(value);
        out->text = mpl_arena_printf(arena, "%.15g", out->number);
        if (out->text != NULL && strpbrk(out->text, ".en") == NULL) {
            out->text = mpl_arena_printf(arena, "%s.0", out->text);
        }
    } else if (type == INTEGER) {
        out->kind = MPL_RULE_INTEGER;
        out->number = (double) ValueToLong(value);
        out->text = mpl_arena_printf(arena, "%lld", ValueToLong(value));
    } else if (type == STRING || type == SYMBOL) {
        out->kind = type == STRING ? MPL_RULE_STRING : MPL_RULE_SYMBOL;
        out->text = mpl_arena_strdup(arena, ValueToString(value));
    }
    return out->text != NULL;
}

static bool take_slot(struct mpl_arena *arena, const struct field *field,
                      struct mpl_rule_slot *out)
{
    const struct multifield *list = field->type == MULTIFIELD ? field->value : NULL;
    const size_t n = list == NULL ? 1 : (size_t) list->multifieldLength;
    struct mpl_rule_value *values = MPL_NEW_ARRAY(arena, n, struct mpl_rule_value);

    if (values == NULL) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        const struct field *one = list == NULL ? field : &list->theFields[i];

        if (!take_value(arena, one->type, one->value, &values[i])) {
            return false;
        }
    }
    out->n = n;
    out->values = values;
    return true;
}

static bool take_fact(struct gathering *g, const struct fact *fact)
{
    const struct deftemplate *template = fact->whichDeftemplate;
    struct mpl_rule_fact *out = mpl_buf_add(&g->facts);
    struct mpl_rule_slot *slots =
        MPL_NEW_ARRAY(g->arena, template->numberOfSlots, struct mpl_rule_slot);
    size_t n = 0;

    if (out == NULL || slots == NULL) {
        return false;
    }
    out->index = fact->factIndex;
    out->template = mpl_arena_strdup(g->arena, template->header.name->contents);
    for (const struct templateSlot *s = template->slotList; s != NULL; s = s->next, n++) {
        slots[n].name = mpl_arena_strdup(g->arena, s->slotName->contents);
        if (slots[n].name == NULL ||
            !take_slot(g->arena, &fact->theProposition.theFields[n], &slots[n])) {
            return false;
        }
    }
    out->n = n;
    out->slots = slots;
    return out->template != NULL;
}

static void gather(void *context)
{
    struct gathering *g = context;

    mpl_withheld_release_all(&g->infer->cage);
    for (struct fact *f = EnvGetNextFact(g->infer->cage.env, NULL);
         f != NULL && !g->is_nomem; f = EnvGetNextFact(g->infer->cage.env, f)) {
        /* Ordered facts have no slots; initial-fact is the only one. */
        g->is_nomem = !f->whichDeftemplate->implied && !take_fact(g, f);
    }
}

bool mpl_infer_facts(struct mpl_infer *infer, struct mpl_arena *arena,
                     const struct mpl_rule_fact **facts, size_t *n)
{
    struct gathering g = { .infer = infer,
                           .arena = arena,
                           .facts = mpl_buf_make(sizeof(struct mpl_rule_fact)) };

    *n = 0;
    if (!mpl_cage_enter(&infer->cage, gather, &g)) {
        mpl_buf_free(&g.facts);
        *facts = NULL;
        return true;
    }
    *n = g.facts.n;
    *facts = mpl_buf_take(&g.facts, arena);
    mpl_buf_free(&g.facts);
    return !g.is_nomem && *facts != NULL;
}

/* ---- values of globals --------------------------------------------------------------------- */

struct global {
    struct mpl_infer *infer;
    struct mpl_arena *arena;
    const char *name;
    struct mpl_rule_value *out;
    bool is_done;
};

static void get_global(void *context)
{
    struct global *g = context;
    void *env = g->infer->cage.env;
    DATA_OBJECT value;

    (void) EnvSetCurrentModule(env, EnvFindDefmodule(env, "MAIN"));
    g->is_done = EnvEval(env, g->name, &value) && value.type != MULTIFIELD &&
                 take_value(g->arena, value.type, value.value, g->out);
    mpl_cage_forget(&g->infer->cage);
}

bool mpl_infer_global(struct mpl_infer *infer, const char *name, struct mpl_arena *arena,
                      struct mpl_rule_value *out)
{
    struct global g = { .infer = infer, .arena = arena, .name = name, .out = out };

    return infer->cage.stop == CAGE_FREE && mpl_cage_enter(&infer->cage, get_global, &g) &&
           g.is_done;
}
