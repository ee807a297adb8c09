/* Facts that the host asserts. */
#include "config.h"

#include "infer/clips_priv.h"

#include <math.h>
#include <string.h>

/** An assertion on its way into the cage. */
struct assertion {
    struct mpl_infer *infer;
    const char *template;
    const struct mpl_slot *slots;
    size_t n;
    struct mpl_err *err;
    enum mpl_status status;
    struct mpl_arena *scratch; /**< Of a fact that is made slot by slot. */
    bool is_done;              /**< Without a fact. */
};

static void set_status(struct assertion *a, enum mpl_status status, const char *what,
                       const char *fault)
{
    a->status = mpl_fail(a->err, status, "%s '%s': %s", what, a->template, fault);
}

static bool make_value(void *env, const struct mpl_slot *slot, struct field *field)
{
    switch (slot->kind) {
    case MPL_SLOT_STRING:
        field->type = STRING;
        field->value = slot->text == NULL ? NULL : EnvAddSymbol(env, slot->text);
        break;
    case MPL_SLOT_SYMBOL:
        field->type = SYMBOL;
        field->value = slot->text == NULL ? NULL : EnvAddSymbol(env, slot->text);
        break;
    case MPL_SLOT_FLOAT:
        /* Times that differ in the last bits make CLIPS' table of floats degenerate (10^6 facts took minutes), and
         * no rule can mean the seventh digit. */
        field->type = FLOAT;
        field->value =
            EnvAddDouble(env, isfinite(slot->number) ? mpl_round_to_six_digits(slot->number)
                                                     : slot->number);
        break;
    case MPL_SLOT_INTEGER:
        field->type = INTEGER;
        field->value = EnvAddLong(env, slot->integer);
        break;
    }
    return field->value != NULL;
}

static struct templateSlot *check_slot(struct assertion *a,
                                       const struct deftemplate *template,
                                       const struct mpl_slot *slot, struct field *field)
{
    void *env = a->infer->cage.env;
    size_t position = 0;
    struct templateSlot *found = mpl_template_slot(template, slot->name, &position);

    if (found == NULL) {
        const char *near = mpl_suggest_slot(env, a->template, slot->name);

        a->status =
            mpl_fail(a->err, MPL_E_MEANING, "deftemplate '%s' has no slot '%s'%s%s%s",
                     a->template, slot->name, near == NULL ? "" : "; did you mean '",
                     near == NULL ? "" : near, near == NULL ? "" : "'?");
        return NULL;
    }
    if (!make_value(env, slot, field)) {
        a->status = mpl_fail(a->err, MPL_E_MEANING, "slot '%s' of '%s' has no value",
                             slot->name, a->template);
        return NULL;
    }

    const char *fault =
        mpl_value_fault(env, a->scratch, field->type, field->value, found->constraints);

    /* The host has no excuse for the other kind of number. */
    if (fault == NULL && field->type == INTEGER && found->constraints != NULL &&
        !found->constraints->integersAllowed && !found->constraints->anyAllowed) {
        fault = "an integer is not of type FLOAT; write it with a point, as 8.0";
    }
    if (fault != NULL) {
        a->status = mpl_fail(a->err, MPL_E_MEANING, "slot '%s' of '%s': %s", slot->name,
                             a->template, fault);
        return NULL;
    }
    return found;
}

/** The values given for \p slot, which may be named several times, as one list. */
static bool put_list(struct assertion *a, struct fact *fact, const char *name)
{
    void *env = a->infer->cage.env;
    long length = 0;

    for (size_t i = 0; i < a->n; i++) {
        length += strcmp(a->slots[i].name, name) == 0;
    }

    struct multifield *list = EnvCreateMultifield(env, length);
    DATA_OBJECT value = { .type = MULTIFIELD, .value = list, .end = length - 1 };
    long at = 0;

    for (size_t i = 0; i < a->n; i++) {
        if (strcmp(a->slots[i].name, name) == 0) {
            (void) make_value(env, &a->slots[i], &list->theFields[at++]);
        }
    }
    return EnvPutFactSlot(env, fact, name, &value);
}

static bool is_first_of_name(const struct assertion *a, size_t i)
{
    for (size_t j = 0; j < i; j++) {
        if (strcmp(a->slots[j].name, a->slots[i].name) == 0) {
            return false;
        }
    }
    return true;
}

static bool put_slot(struct assertion *a, struct fact *fact, size_t i)
{
    const struct mpl_slot *slot = &a->slots[i];
    struct field field;
    const struct templateSlot *found = check_slot(a, fact->whichDeftemplate, slot, &field);
    bool is_put = false;

    if (found == NULL) {
        return false;
    }
    if (!is_first_of_name(a, i)) {
        is_put = found->multislot;
    } else if (found->multislot) {
        is_put = put_list(a, fact, slot->name);
    } else {
        DATA_OBJECT value = { .type = field.type, .value = field.value };

        is_put = EnvPutFactSlot(a->infer->cage.env, fact, slot->name, &value);
    }
    if (!is_put) {
        a->status = mpl_fail(a->err, MPL_E_MEANING, "slot '%s' of '%s' takes one value",
                             slot->name, a->template);
    }
    return is_put;
}

/* ---- facts of one form ------------------------------------------------------------------- */

/*
 * Thousands of facts follow each other that fill the same slots of the same template, so what can be known of
 * all of them is found once.
 */

/** No value of that kind can be wrong, other than a number that is none. */
static bool allows_all(const struct constraintRecord *c, enum mpl_slot_kind kind)
{
    if (c == NULL) {
        return true;
    }
    if (c->anyRestriction || c->symbolRestriction || c->stringRestriction ||
        c->floatRestriction || c->integerRestriction) {
        return false;
    }
    switch (kind) {
    case MPL_SLOT_STRING:
        return c->anyAllowed || c->stringsAllowed;
    case MPL_SLOT_SYMBOL:
        return c->anyAllowed || c->symbolsAllowed;
    case MPL_SLOT_FLOAT:
    case MPL_SLOT_INTEGER:
        break;
    }
    /* A range that is open on both sides is one of symbols, -oo and +oo. */
    return (c->anyAllowed ||
            (kind == MPL_SLOT_FLOAT ? c->floatsAllowed : c->integersAllowed)) &&
           (c->minValue == NULL || c->minValue->type == SYMBOL) &&
           (c->maxValue == NULL || c->maxValue->type == SYMBOL);
}

enum { METRIC_UNIT = MPL_OF_PARTS, METRIC_VALUE, METRIC_RANK, METRIC_OF, METRIC_SLOTS };

static bool is_of_form(const struct cage_form *form, const struct assertion *a)
{
    if (form->template == NULL || form->n != a->n ||
        strcmp(form->template->header.name->contents, a->template) != 0) {
        return false;
    }
    for (size_t i = 0; i < a->n; i++) {
        if (form->kinds[i] != a->slots[i].kind ||
            strcmp(form->names[i], a->slots[i].name) != 0) {
            return false;
        }
    }
    return true;
}

/** Where each slot of a metric stands in \p form; false where it has others. */
static bool place_metric(struct cage_form *form)
{
    static const char *const names[] = { "run",  "pattern", "name", "location",
                                         "unit", "value",   "rank", "of" };
    static const enum mpl_slot_kind kinds[] = { MPL_SLOT_STRING,  MPL_SLOT_STRING,
                                                MPL_SLOT_STRING,  MPL_SLOT_STRING,
                                                MPL_SLOT_STRING,  MPL_SLOT_FLOAT,
                                                MPL_SLOT_INTEGER, MPL_SLOT_INTEGER };

    for (size_t k = 0; k < METRIC_SLOTS; k++) {
        size_t i = 0;

        while (i < form->n && strcmp(form->names[i], names[k]) != 0) {
            i++;
        }
        if (i == form->n || form->kinds[i] != kinds[k]) {
            return false;
        }
        form->metric[k] = i;
    }
    return form->n == METRIC_SLOTS && form->template->numberOfSlots == METRIC_SLOTS &&
           strcmp(form->template->header.name->contents, "metric") == 0;
}

static void drop_text(void *env, struct symbolHashNode **kept)
{
    if (*kept != NULL) {
        DecrementSymbolCount(env, *kept);
    }
    *kept = NULL;
}

/** False for an assertion that has to be looked at slot by slot. */
static bool make_form(struct cage_form *form, const struct assertion *a)
{
    void *env = a->infer->cage.env;
    struct deftemplate *template = EnvFindDeftemplate(env, a->template);

    form->template = NULL;
    for (size_t i = 0; i < CAGE_FORM_SLOTS; i++) {
        drop_text(env, &form->texts[i]);
    }
    if (template == NULL || template->implied || a->n > CAGE_FORM_SLOTS) {
        return false;
    }
    for (size_t i = 0; i < a->n; i++) {
        const struct templateSlot *slot =
            mpl_template_slot(template, a->slots[i].name, &form->positions[i]);

        if (slot == NULL || slot->multislot || !is_first_of_name(a, i) ||
            !allows_all(slot->constraints, a->slots[i].kind)) {
            return false;
        }
        form->names[i] = slot->slotName->contents;
        form->kinds[i] = a->slots[i].kind;
    }
    form->n = a->n;
    form->template = template;
    form->is_metric = place_metric(form);
    return true;
}

/** Facts one after the other mostly have the same texts: to compare one takes less than to find it again. */
static bool fill_text(void *env, struct symbolHashNode **kept, const struct mpl_slot *slot,
                      struct field *field)
{
    if (slot->text == NULL) {
        return false;
    }
    if (*kept == NULL || strcmp(ValueToString(*kept), slot->text) != 0) {
        struct symbolHashNode *text = EnvAddSymbol(env, slot->text);

        IncrementSymbolCount(text);
        drop_text(env, kept);
        *kept = text;
    }
    field->type = slot->kind == MPL_SLOT_STRING ? STRING : SYMBOL;
    field->value = *kept;
    return true;
}

/** The slots of a new fact; false where one has no value or none that a fact can have. */
static bool fill_form(struct assertion *a, struct cage_form *form, struct fact *fact)
{
    void *env = a->infer->cage.env;

    for (size_t i = 0; i < a->n; i++) {
        const struct mpl_slot *slot = &a->slots[i];
        struct field *field = &fact->theProposition.theFields[form->positions[i]];
        const bool is_text = slot->kind == MPL_SLOT_STRING || slot->kind == MPL_SLOT_SYMBOL;
        const bool is_filled =
            is_text ? fill_text(env, &form->texts[i], slot, field)
                    : (slot->kind == MPL_SLOT_INTEGER || isfinite(slot->number)) &&
                          make_value(env, slot, field);

        if (!is_filled) {
            return false;
        }
    }
    return form->n == form->template->numberOfSlots || EnvAssignFactSlotDefaults(env, fact);
}

/** A metric of a location that no rule can use is no fact. */
static bool is_withheld(struct assertion *a, struct cage_form *form)
{
    const size_t *at = form->metric;
    struct mpl_metric_given given;
    struct field text;

    if (!form->is_metric || !isfinite(a->slots[at[METRIC_VALUE]].number)) {
        return false;
    }
    for (size_t k = 0; k <= METRIC_UNIT; k++) {
        if (!fill_text(a->infer->cage.env, &form->texts[at[k]], &a->slots[at[k]], &text)) {
            return false;
        }
        *(k == METRIC_UNIT ? &given.unit : &given.of[k]) = text.value;
    }
    given.value = mpl_round_to_six_digits(a->slots[at[METRIC_VALUE]].number);
    given.rank = (double) a->slots[at[METRIC_RANK]].integer;
    given.n = (double) a->slots[at[METRIC_OF]].integer;
    return mpl_withheld_take(&a->infer->cage, &given);
}

/** NULL where it has to be made slot by slot. */
static struct fact *make_by_form(struct assertion *a)
{
    struct cage *cage = &a->infer->cage;
    struct cage_form *form = &cage->form;

    if (!is_of_form(form, a) && !make_form(form, a)) {
        return NULL;
    }
    if (is_withheld(a, form)) {
        a->is_done = true;
        return NULL;
    }
    struct fact *fact = EnvCreateFact(cage->env, form->template);

    if (!fill_form(a, form, fact)) {
        ReturnFact(cage->env, fact);
        return NULL;
    }
    return fact;
}

/* ---- the whole ------------------------------------------------------------------------------ */

/** Slot by slot; NULL and a status where something is wrong. */
static struct fact *make_by_slots(struct assertion *a)
{
    void *env = a->infer->cage.env;
    struct deftemplate *template = EnvFindDeftemplate(env, a->template);

    a->scratch = mpl_arena_create();
    if (a->scratch == NULL) {
        a->status = mpl_nomem(a->err);
        return NULL;
    }
    if (template == NULL || template->implied) {
        const char *near = mpl_suggest_template(env, a->template);

        a->status = mpl_fail(a->err, MPL_E_MEANING, "there is no deftemplate '%s'%s%s%s",
                             a->template, near == NULL ? "" : "; did you mean '",
                             near == NULL ? "" : near, near == NULL ? "" : "'?");
        return NULL;
    }

    struct fact *fact = EnvCreateFact(env, template);

    for (size_t i = 0; i < a->n; i++) {
        if (!put_slot(a, fact, i)) {
            ReturnFact(env, fact);
            return NULL;
        }
    }
    if (!EnvAssignFactSlotDefaults(env, fact)) {
        ReturnFact(env, fact);
        set_status(a, MPL_E_MEANING, "fact", "a slot without default has no value");
        return NULL;
    }
    return fact;
}

static void assert_fact(void *context)
{
    struct assertion *a = context;
    void *env = a->infer->cage.env;

    (void) EnvSetCurrentModule(env, EnvFindDefmodule(env, "MAIN"));

    struct fact *fact = make_by_form(a);

    fact = fact == NULL && !a->is_done ? make_by_slots(a) : fact;
    if (fact != NULL) {
        (void) EnvAssert(env, fact); /* NULL for a duplicate, which is then freed. */
        mpl_infer_take_error(a->infer);
    }
}

enum mpl_status mpl_infer_assert(struct mpl_infer *infer, const char *template,
                                 const struct mpl_slot *slots, size_t n,
                                 struct mpl_err *err)
{
    struct assertion a = {
        .infer = infer, .template = template, .slots = slots, .n = n, .err = err
    };

    if (infer->cage.stop == CAGE_FREE) {
        (void) mpl_cage_enter_shortly(&infer->cage, assert_fact, &a);
    }
    mpl_arena_destroy(a.scratch);
    return a.status != MPL_OK ? a.status : mpl_cage_status(&infer->cage, err);
}
