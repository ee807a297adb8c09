/*
 * CLIPS stores a value of the wrong type in silence, or, asked to look, complains and stores it
 * all the same. So slots are checked here: those of the host before the fact exists
 * (clips_assert.c), those that rules compute when it is asserted.
 */
#include "config.h"

#include "infer/clips_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <clips/cstrnchk.h>

/* ---- checking a value ------------------------------------------------------------------ */

struct templateSlot *mpl_template_slot(const struct deftemplate *template, const char *name,
                                       size_t *position)
{
    struct templateSlot *slot = template->slotList;

    *position = 0;
    while (slot != NULL && strcmp(slot->slotName->contents, name) != 0) {
        slot = slot->next;
        ++*position;
    }
    return slot;
}

static char *value_text(struct mpl_arena *arena, int type, void *value)
{
    switch (type) {
    case FLOAT:
        return mpl_arena_printf(arena, "the float %g", ValueToDouble(value));
    case INTEGER:
        return mpl_arena_printf(arena, "the integer %lld", ValueToLong(value));
    case SYMBOL:
        return mpl_arena_printf(arena, "the symbol %s", ValueToString(value));
    case STRING:
        return mpl_arena_printf(arena, "the string \"%s\"", ValueToString(value));
    default:
        return mpl_arena_strdup(arena, "a value of another type");
    }
}

static const char *add_type(struct mpl_arena *arena, const char *types, bool is_allowed,
                            const char *type)
{
    if (!is_allowed || types == NULL) {
        return types;
    }
    return mpl_arena_printf(arena, "%s%s%s", types, *types == '\0' ? "" : " or ", type);
}

static const char *types_text(struct mpl_arena *arena, const CONSTRAINT_RECORD *c)
{
    const char *types = "";

    types = add_type(arena, types, c->floatsAllowed, "FLOAT");
    types = add_type(arena, types, c->integersAllowed, "INTEGER");
    types = add_type(arena, types, c->symbolsAllowed, "SYMBOL");
    types = add_type(arena, types, c->stringsAllowed, "STRING");
    return types;
}

static const char *allowed_text(struct mpl_arena *arena, const CONSTRAINT_RECORD *c)
{
    const char *list = "";

    for (const struct expr *e = c->restrictionList; e != NULL && list != NULL;
         e = e->nextArg) {
        const char *one =
            e->type == SYMBOL || e->type == STRING ? ValueToString(e->value) : "a number";

        list = mpl_arena_printf(arena, "%s%s%s", list, *list == '\0' ? "" : ", ", one);
    }
    return list;
}

static const char *range_text(struct mpl_arena *arena, const CONSTRAINT_RECORD *c)
{
    const struct expr *ends[] = { c->minValue, c->maxValue };
    const char *texts[2] = { "any", "any" };

    for (size_t i = 0; i < 2; i++) {
        if (ends[i] == NULL) {
            continue;
        }
        if (ends[i]->type == FLOAT) {
            texts[i] = mpl_arena_printf(arena, "%g", ValueToDouble(ends[i]->value));
        } else if (ends[i]->type == INTEGER) {
            texts[i] = mpl_arena_printf(arena, "%lld", ValueToLong(ends[i]->value));
        }
    }
    return texts[0] == NULL || texts[1] == NULL
               ? NULL
               : mpl_arena_printf(arena, "%s to %s", texts[0], texts[1]);
}

/** A clause about what is wrong with a value. */
static const char *violation_text(struct mpl_arena *arena, int violation, const char *text,
                                  const CONSTRAINT_RECORD *constraints)
{
    const char *fault = NULL;

    switch (violation) {
    case TYPE_VIOLATION:
        fault = mpl_arena_printf(arena, "%s is not of type %s", text,
                                 types_text(arena, constraints));
        break;
    case RANGE_VIOLATION:
        fault = mpl_arena_printf(arena, "%s is outside of %s", text,
                                 range_text(arena, constraints));
        break;
    case ALLOWED_VALUES_VIOLATION:
        fault = mpl_arena_printf(arena, "%s is none of %s", text,
                                 allowed_text(arena, constraints));
        break;
    default:
        fault = mpl_arena_printf(arena, "%s does not fit", text);
        break;
    }
    return fault == NULL ? "a value does not fit" : fault;
}

const char *mpl_value_fault(void *env, struct mpl_arena *arena, int type, void *value,
                            struct constraintRecord *constraints)
{
    if (type == FLOAT && !isfinite(ValueToDouble(value))) {
        return "a number is not finite; assert nothing where a value is undefined";
    }
    if (constraints == NULL) {
        return NULL;
    }

    /* Rules compute with mixed numbers; an integer stands for the float of the same value. */
    const bool is_float =
        type == INTEGER && constraints->floatsAllowed && !constraints->integersAllowed;
    const int violation = ConstraintCheckValue(
        env, is_float ? FLOAT : type,
        is_float ? EnvAddDouble(env, (double) ValueToLong(value)) : value, constraints);

    return violation == NO_VIOLATION
               ? NULL
               : violation_text(arena, violation, value_text(arena, type, value),
                                constraints);
}

static const char *slot_fault(void *env, struct mpl_arena *arena, const struct field *field,
                              struct templateSlot *slot)
{
    if (!slot->multislot) {
        return mpl_value_fault(env, arena, field->type, field->value, slot->constraints);
    }

    const struct multifield *list = field->value;

    for (long i = 0; i < list->multifieldLength; i++) {
        const char *fault = mpl_value_fault(env, arena, list->theFields[i].type,
                                            list->theFields[i].value, slot->constraints);

        if (fault != NULL) {
            return fault;
        }
    }
    return NULL;
}

const char mpl_too_large_fact[] = "the lists and texts of a fact take more than 4 MiB";

size_t mpl_items_bytes(const struct field *items, long n)
{
    size_t bytes = (size_t) n * sizeof *items;

    for (long i = 0; i < n && bytes <= MPL_FACT_BYTES; i++) {
        if (items[i].type == STRING || items[i].type == SYMBOL) {
            bytes += strlen(ValueToString(items[i].value));
        }
    }
    return bytes;
}

bool mpl_fact_is_too_large(const struct fact *fact)
{
    const struct multifield *slots = &fact->theProposition;
    size_t bytes = 0;

    for (long i = 0; i < slots->multifieldLength && bytes <= MPL_FACT_BYTES; i++) {
        const struct multifield *list = slots->theFields[i].value;

        bytes += slots->theFields[i].type == MULTIFIELD
                     ? mpl_items_bytes(list->theFields, list->multifieldLength)
                     : mpl_items_bytes(&slots->theFields[i], 1);
    }
    return bytes > MPL_FACT_BYTES;
}

const char *mpl_fact_fault(struct cage *cage, struct fact *fact, struct mpl_arena *arena)
{
    const struct deftemplate *template = fact->whichDeftemplate;
    long i = 0;

    if (mpl_fact_is_too_large(fact)) {
        return mpl_too_large_fact;
    }
    if (template->implied) {
        return NULL;
    }
    for (struct templateSlot *s = template->slotList; s != NULL; s = s->next, i++) {
        const char *fault =
            slot_fault(cage->env, arena, &fact->theProposition.theFields[i], s);

        if (fault != NULL) {
            const char *text =
                mpl_arena_printf(arena, "slot '%s' of '%s': %s", s->slotName->contents,
                                 template->header.name->contents, fault);

            return text == NULL ? "a slot has a wrong value" : text;
        }
    }
    return NULL;
}

/* ---- reading ----------------------------------------------------------------------------- */

bool mpl_fact_is(const struct fact *fact, const char *template)
{
    const struct constructHeader *header = &fact->whichDeftemplate->header;

    return strcmp(header->name->contents, template) == 0 &&
           strcmp(header->whichModule->theModule->name->contents, "MAIN") == 0;
}

static const struct field *find_field(const struct fact *fact, const char *name)
{
    size_t i = 0;

    if (fact->whichDeftemplate->implied ||
        mpl_template_slot(fact->whichDeftemplate, name, &i) == NULL) {
        return NULL;
    }
    return &fact->theProposition.theFields[i];
}

static bool is_text(const struct field *field)
{
    return field->type == STRING || field->type == SYMBOL;
}

const char *mpl_fact_text(struct cage *cage, struct fact *fact, const char *slot,
                          struct mpl_arena *arena)
{
    const struct field *field = find_field(fact, slot);

    (void) cage;
    return field == NULL || !is_text(field)
               ? NULL
               : mpl_arena_strdup(arena, ValueToString(field->value));
}

const void *mpl_field_symbol(const struct field *field)
{
    return is_text(field) ? field->value : NULL;
}

double mpl_field_number(const struct field *field)
{
    if (field->type == FLOAT) {
        return ValueToDouble(field->value);
    }
    return field->type == INTEGER ? (double) ValueToLong(field->value) : NAN;
}

double mpl_fact_number(struct cage *cage, struct fact *fact, const char *slot)
{
    const struct field *field = find_field(fact, slot);

    (void) cage;
    return field == NULL ? NAN : mpl_field_number(field);
}

bool mpl_fact_texts(struct cage *cage, struct fact *fact, const char *slot,
                    struct mpl_arena *arena, const char *const **texts, size_t *n)
{
    const struct field *field = find_field(fact, slot);

    (void) cage;
    *texts = NULL;
    *n = 0;
    if (field == NULL || field->type != MULTIFIELD) {
        return true;
    }

    const struct multifield *list = field->value;
    const char **copies =
        MPL_NEW_ARRAY(arena, (size_t) list->multifieldLength, const char *);

    if (copies == NULL) {
        return false;
    }
    for (long i = 0; i < list->multifieldLength; i++) {
        if (is_text(&list->theFields[i])) {
            copies[*n] = mpl_arena_strdup(arena, ValueToString(list->theFields[i].value));
            if (copies[(*n)++] == NULL) {
                return false;
            }
        }
    }
    *texts = copies;
    return true;
}

bool mpl_fact_counts(struct cage *cage, struct fact *fact, const char *slot,
                     struct mpl_arena *arena, const uint32_t **counts, size_t *n)
{
    const struct field *field = find_field(fact, slot);

    (void) cage;
    *counts = NULL;
    *n = 0;
    if (field == NULL || field->type != MULTIFIELD) {
        return true;
    }

    const struct multifield *list = field->value;
    uint32_t *copies = MPL_NEW_ARRAY(arena, (size_t) list->multifieldLength, uint32_t);

    for (long i = 0; copies != NULL && i < list->multifieldLength; i++) {
        const struct field *item = &list->theFields[i];
        const long long count = item->type == INTEGER ? ValueToLong(item->value) : 0;

        if (count > 0 && count < UINT32_MAX) {
            copies[(*n)++] = (uint32_t) count;
        }
    }
    *counts = copies;
    return copies != NULL;
}

char *mpl_fact_print(struct cage *cage, struct fact *fact, struct mpl_arena *arena)
{
    enum { PRINT_BYTES = 2000 };
    char text[PRINT_BYTES];

    EnvGetFactPPForm(cage->env, text, sizeof text, fact);

    /* It begins with the fact's number, "f-12    (run …)", which nobody can look up. */
    const char *open = strchr(text, '(');

    return mpl_arena_strdup(arena, open == NULL ? text : open);
}
