/*
 * Lists that CLIPS makes. It evaluates all that is to become one list and then makes it, however
 * long that is, so one call may name a long list a thousand times. Such calls get ours in place of
 * their arguments, which look at the limits and count what they evaluate to; once that is too long
 * to be meant, the call ends as after any error in an argument. So CLIPS takes little in one go.
 */
#include "config.h"

#include "infer/clips_priv.h"

#include <string.h>

/* Below those of clips_watch.c. */
enum { COUNTED_ARGUMENT = MAXIMUM_PRIMITIVES - 5, EXPANDED_LIST };

enum makes {
    MAKES_OTHERWISE, /**< No list of arguments: only the limits are looked at. */
    MAKES_LIST,      /**< Of the arguments behind the first few. */
    MAKES_SLOTS, /**< A list for each argument but the first, of what is inside of it. */
    MAKES_FACT,  /**< Of what its arguments make that are MAKES_PART. */
    MAKES_PART,
    MAKES_CALL /**< With what expand$ gives. */
};

/** What CLIPS does in a call, and what is to be counted then. */
struct mpl_cage_bound {
    void (*function)(void *env, DATA_OBJECT *result);                  /**< Or NULL. */
    intBool (*primitive)(void *env, void *value, DATA_OBJECT *result); /**< Or NULL. */
    enum makes makes;
    int n_before; /**< Arguments that do not become part of the list. */
};

/* ---- arguments that are counted -------------------------------------------------------- */

/** Ends the call that asks for the value. */
static void fail_value(void *env, DATA_OBJECT *result)
{
    SetEvaluationError(env, TRUE);
    result->type = SYMBOL;
    result->value = EnvFalseSymbol(env);
}

/** Lists share their texts, but facts are printed, copied and compared. */
static size_t value_bytes(const DATA_OBJECT *value)
{
    const struct field alone = { .type = value->type, .value = value->value };

    return value->type == MULTIFIELD
               ? mpl_items_bytes(
                     &((const struct multifield *) value->value)->theFields[value->begin],
                     GetpDOLength(value))
               : mpl_items_bytes(&alone, 1);
}

static bool is_too_much(const struct cage_count *count)
{
    return count->n_items > MPL_MULTIFIELD_ITEMS || count->bytes > MPL_FACT_BYTES;
}

static intBool count_argument(void *env, void *argument, DATA_OBJECT *result)
{
    struct cage *cage = GetEnvironmentContext(env);
    struct cage_count *count = &cage->count;

    if (!mpl_cage_check(cage) || is_too_much(count)) {
        fail_value(env, result);
        return FALSE;
    }
    (void) EvaluateExpression(env, argument, result);
    count->n_items += result->type == MULTIFIELD ? (size_t) GetpDOLength(result) : 1;
    count->bytes += count->is_fact ? value_bytes(result) : 0;
    if (is_too_much(count) && !GetEvaluationError(env)) {
        mpl_cage_fail(env, count->bytes > MPL_FACT_BYTES
                               ? mpl_too_large_fact
                               : "a call makes lists of more than 100,000 items");
        fail_value(env, result);
    }
    return TRUE;
}

/** CLIPS makes an expression of each item, and calls what is called with these. */
static intBool expand_list(void *env, void *value, DATA_OBJECT *result)
{
    struct cage *cage = GetEnvironmentContext(env);

    (void) value;
    if (!mpl_cage_check(cage) || cage->count.n_items > MPL_ARGUMENTS) {
        fail_value(env, result);
        return FALSE;
    }
    (void) EvaluateExpression(env, EvaluationData(env)->CurrentExpression->argList, result);
    cage->count.n_items += result->type == MULTIFIELD ? (size_t) GetpDOLength(result) : 0;
    if (cage->count.n_items > MPL_ARGUMENTS && !GetEvaluationError(env)) {
        mpl_cage_fail(env, "expand$ gives a call more than 10,000 arguments");
        fail_value(env, result);
    }
    return TRUE;
}

/** The argument of expand$ becomes one that is looked at. */
static struct expr *parse_expand(void *env, struct expr *call, const char *source)
{
    const struct FunctionDefinition *expand = call->value;

    call = CollectArguments(env, call, source);
    if (call == NULL ||
        CheckExpressionAgainstRestrictions(env, call, expand->restrictions,
                                           ValueToString(expand->callFunctionName))) {
        ReturnExpression(env, call);
        return NULL;
    }

    struct expr *looked_at = GenConstant(env, EXPANDED_LIST, NULL);

    looked_at->argList = call->argList;
    call->argList = looked_at;
    return call;
}

/* ---- putting them there ------------------------------------------------------------------ */

/** What has the arguments of the first list, and of the next one. */
static struct expr *first_list(struct expr *call, const struct mpl_cage_bound *bound)
{
    return bound->makes == MAKES_SLOTS ? call->argList->nextArg : call;
}

static struct expr *next_list(struct expr *list, const struct mpl_cage_bound *bound)
{
    return bound->makes == MAKES_SLOTS ? list->nextArg : NULL;
}

static struct expr **arguments_of(struct expr *list, const struct mpl_cage_bound *bound)
{
    struct expr **arguments = &list->argList;

    for (int i = 0; i < bound->n_before && *arguments != NULL; i++) {
        arguments = &(*arguments)->nextArg;
    }
    return arguments;
}

static size_t count_arguments(struct expr *call, const struct mpl_cage_bound *bound)
{
    size_t n = 0;

    for (struct expr *list = first_list(call, bound); list != NULL;
         list = next_list(list, bound)) {
        n += (size_t) CountArguments(*arguments_of(list, bound));
    }
    return n;
}

/** For the time of the call: the expression is CLIPS' own. Each knows what it stands for. */
static void put_counters(struct expr *call, const struct mpl_cage_bound *bound,
                         struct expr *counter)
{
    for (struct expr *list = first_list(call, bound); list != NULL;
         list = next_list(list, bound)) {
        struct expr **link = arguments_of(list, bound);

        for (struct expr *argument = *link; argument != NULL;
             argument = argument->nextArg) {
            *counter = (struct expr){ .type = COUNTED_ARGUMENT, .value = argument };
            *link = counter;
            link = &counter->nextArg;
            counter++;
        }
    }
}

static void take_counters(struct expr *call, const struct mpl_cage_bound *bound)
{
    for (struct expr *list = first_list(call, bound); list != NULL;
         list = next_list(list, bound)) {
        struct expr **link = arguments_of(list, bound);

        if (*link != NULL) {
            *link = (*link)->value;
        }
    }
}

/* ---- calls --------------------------------------------------------------------------------- */

/** What primitives return, conditions of rules look at. */
static intBool call_original(void *env, const struct mpl_cage_bound *bound, void *value,
                             DATA_OBJECT *result)
{
    if (bound->primitive != NULL) {
        return bound->primitive(env, value, result);
    }
    bound->function(env, result);
    return TRUE;
}

static intBool call_counted(void *env, const struct mpl_cage_bound *bound, void *value,
                            DATA_OBJECT *result)
{
    struct expr *call = EvaluationData(env)->CurrentExpression;
    const size_t n = count_arguments(call, bound);
    const size_t bytes = n * sizeof(struct expr);

    if (n == 0) {
        return call_original(env, bound, value, result);
    }

    struct expr *counters = gm3(env, bytes);

    put_counters(call, bound, counters);

    const intBool returned = call_original(env, bound, value, result);

    take_counters(call, bound);
    rm3(env, counters, bytes);
    return returned;
}

static intBool call_bound(void *env, const struct mpl_cage_bound *bound, void *value,
                          DATA_OBJECT *result)
{
    struct cage *cage = GetEnvironmentContext(env);
    const struct cage_count around = cage->count;
    const bool is_fact = bound->makes == MAKES_FACT || bound->makes == MAKES_SLOTS;
    intBool returned = FALSE;

    if (bound->makes == MAKES_PART) {
        return call_counted(env, bound, value, result);
    }
    cage->count = (struct cage_count){ .is_fact = is_fact };
    if (bound->makes == MAKES_LIST || bound->makes == MAKES_SLOTS) {
        returned = call_counted(env, bound, value, result);
    } else if (bound->makes == MAKES_FACT || mpl_cage_check(cage)) {
        returned = call_original(env, bound, value, result);
    } else {
        fail_value(env, result);
    }
    cage->count = around;
    return returned;
}

/* Primitives have no room for a context, so there is one of these for each. */

static intBool bound_bind(void *env, void *value, DATA_OBJECT *result)
{
    const struct cage *cage = GetEnvironmentContext(env);
    const struct mpl_cage_bound bound = { .primitive = cage->replaced[REPLACED_BIND],
                                          .makes = MAKES_LIST };

    return call_bound(env, &bound, value, result);
}

static intBool bound_slot(void *env, void *value, DATA_OBJECT *result)
{
    const struct cage *cage = GetEnvironmentContext(env);
    const struct mpl_cage_bound bound = { .primitive = cage->replaced[REPLACED_SLOT],
                                          .makes = MAKES_PART };

    return call_bound(env, &bound, value, result);
}

/** A list is made of what goes beyond the parameters that have a name of their own. */
static intBool bound_deffunction(void *env, void *value, DATA_OBJECT *result)
{
    const struct cage *cage = GetEnvironmentContext(env);
    const struct deffunctionStruct *callee = value;
    const bool has_rest = callee->maxNumberOfParameters == -1;

    const struct mpl_cage_bound bound = {
        .primitive = cage->replaced[REPLACED_CALL],
        .makes = has_rest ? MAKES_LIST : MAKES_OTHERWISE,
        .n_before = callee->minNumberOfParameters,
    };

    return call_bound(env, &bound, value, result);
}

/* ---- functions of CLIPS ---------------------------------------------------------------------- */

static void bound_function(void *env, DATA_OBJECT *result)
{
    const struct FunctionDefinition *definition =
        EvaluationData(env)->CurrentExpression->value;

    (void) call_bound(env, definition->context, NULL, result);
    if (result->type == MULTIFIELD && GetpDOLength(result) > MPL_MULTIFIELD_ITEMS &&
        !GetEvaluationError(env)) {
        mpl_cage_fail(env, "a list is longer than 100,000 items");
        fail_value(env, result);
    }
}

/** The list of the combinations that it finds is twice as long as they are themselves. */
static void bound_search(void *env, DATA_OBJECT *result)
{
    struct cage *cage = GetEnvironmentContext(env);
    const uint64_t around = cage->list_began_bytes;

    cage->list_began_bytes = around == 0 ? mpl_cage_bytes(cage) : around;
    bound_function(env, result);
    cage->list_began_bytes = around;
}

static const struct {
    const char *name;
    enum makes makes;
    int n_before;
} makers[] = {
    { "(expansion-call)", MAKES_CALL, 0 },
    { "assert", MAKES_FACT, 0 },
    { "bind", MAKES_LIST, 1 },
    { "create$", MAKES_LIST, 0 },
    { "deftemplate-slot-default-value", MAKES_OTHERWISE, 0 },
    { "duplicate", MAKES_SLOTS, 0 },
    { "insert$", MAKES_LIST, 2 },
    { "lowcase", MAKES_OTHERWISE, 0 },
    { "modify", MAKES_SLOTS, 0 },
    { "replace$", MAKES_LIST, 3 },
    { "upcase", MAKES_OTHERWISE, 0 },
};

static void bound_one(struct cage *cage, struct FunctionDefinition *function)
{
    const char *name = ValueToString(function->callFunctionName);
    struct mpl_cage_bound bound = { .makes = MAKES_OTHERWISE };
    bool is_maker = function->returnValueType == 'm';

    for (size_t i = 0; i < sizeof makers / sizeof makers[0]; i++) {
        if (strcmp(makers[i].name, name) == 0) {
            bound.makes = makers[i].makes;
            bound.n_before = makers[i].n_before;
            is_maker = true;
        }
    }
    if (!is_maker) {
        return;
    }

    struct mpl_cage_bound *kept = MPL_NEW(cage->watches, struct mpl_cage_bound);

    if (kept == NULL) {
        mpl_cage_stop(cage, CAGE_NOMEM);
        return;
    }
    *kept = bound;
    kept->function =
        (void (*)(void *, DATA_OBJECT *))(void (*)(void)) function->functionPointer;
    function->context = kept;
    function->functionPointer =
        strcmp(name, "find-all-facts") == 0 ? PTIF bound_search : PTIF bound_function;
}

void mpl_cage_bound_lists(struct cage *cage)
{
    void *env = cage->env;

    for (struct FunctionDefinition *f = GetFunctionList(env); f != NULL; f = f->next) {
        bound_one(cage, f);
    }
    (void) mpl_cage_install(cage, COUNTED_ARGUMENT, count_argument);
    (void) mpl_cage_install(cage, EXPANDED_LIST, expand_list);
    cage->replaced[REPLACED_BIND] = mpl_cage_install(cage, PROC_BIND, bound_bind);
    cage->replaced[REPLACED_SLOT] =
        mpl_cage_install(cage, FACT_STORE_MULTIFIELD, bound_slot);
    cage->replaced[REPLACED_CALL] = mpl_cage_install(cage, PCALL, bound_deffunction);
    (void) AddFunctionParser(env, "expand$", parse_expand);
}
