/*
 * Functions of CLIPS in a form that cannot go wrong: no text becomes too long, a member of a list is
 * replaced without a copy of the list, and the division of integers does not trap.
 */
#include "config.h"

#include "infer/clips_priv.h"

#include <limits.h>
#include <math.h>
#include <string.h>

void mpl_cage_fail(void *env, const char *message)
{
    EnvPrintRouter(env, WERROR, message);
    EnvPrintRouter(env, WERROR, "\n");
    SetEvaluationError(env, TRUE);
}

double mpl_cage_number(const DATA_OBJECT *value)
{
    return value->type == FLOAT ? ValueToDouble(value->value)
                                : (double) ValueToLong(value->value);
}

/* ---- long texts ----------------------------------------------------------------------- */

/** Sums up before CLIPS makes the text, which has quotes and blanks besides. */
static void *implode_function(void *env)
{
    DATA_OBJECT list;
    size_t bytes = 0;

    if (!mpl_cage_check(GetEnvironmentContext(env)) ||
        !EnvArgTypeCheck(env, "implode$", 1, MULTIFIELD, &list)) {
        return EnvAddSymbol(env, "");
    }
    for (long i = GetDOBegin(list); i <= GetDOEnd(list); i++) {
        const unsigned short type = GetMFType(list.value, i);

        bytes += type == STRING || type == SYMBOL
                     ? strlen(ValueToString(GetMFValue(list.value, i)))
                     : 1;
    }
    if (bytes > MPL_TEXT_BYTES) {
        mpl_cage_fail(env, "implode$: the result is longer than 256 KiB");
        return EnvAddSymbol(env, "");
    }
    return ImplodeMultifield(env, &list);
}

/** Calls the function of CLIPS that this one stands before, unless a limit is reached. */
static void *bounded_text(void *env)
{
    const struct FunctionDefinition *definition =
        EvaluationData(env)->CurrentExpression->value;
    void *(*original)(void *) = (void *(*) (void *) ) definition->context;

    return mpl_cage_check(GetEnvironmentContext(env)) ? original(env)
                                                      : EnvAddSymbol(env, "");
}

static void bound_text(void *env, const char *name)
{
    struct FunctionDefinition *definition = FindFunction(env, name);

    if (definition != NULL) {
        definition->context = (void *) definition->functionPointer;
        definition->functionPointer = PTIF bounded_text;
    }
}

/* The definition stays, since CLIPS keeps pointers to some; only what it calls changes. */
void mpl_cage_replace(void *env, const char *name, int (*with)(void), char returns)
{
    struct FunctionDefinition *definition = FindFunction(env, name);

    if (definition != NULL) {
        definition->functionPointer = with;
        definition->returnValueType = returns;
    }
}

/* ---- members of lists ------------------------------------------------------------------------- */

/** A list, or a value alone. */
struct items {
    struct field alone;
    const struct field *list; /**< NULL for a value alone. */
    long n;
};

/** To find all places of some values in a list, and put others there. */
struct exchange {
    struct cage *cage;
    struct items list;
    struct items with; /**< None where members are deleted. */
    struct items *wanted;
    int n_wanted;
};

static struct items items_of(const DATA_OBJECT *value)
{
    if (value->type != MULTIFIELD) {
        return (struct items){ .alone = { .type = value->type, .value = value->value },
                               .n = 1 };
    }

    const struct multifield *list = value->value;

    return (struct items){ .list = &list->theFields[value->begin],
                           .n = GetpDOLength(value) };
}

static const struct field *first_of(const struct items *items)
{
    return items->list == NULL ? &items->alone : items->list;
}

/** How many items of the list, from \p at on, are what is wanted; 0 when they are not. */
static long match_length(const struct exchange *x, long at)
{
    const struct field *here = first_of(&x->list) + at;

    for (int i = 0; i < x->n_wanted && mpl_cage_check(x->cage); i++) {
        const struct items *wanted = &x->wanted[i];
        const struct field *item = first_of(wanted);
        long n = 0;

        while (n < wanted->n && at + n < x->list.n && here[n].type == item[n].type &&
               here[n].value == item[n].value) {
            n++;
        }
        if (n > 0 && n == wanted->n) {
            return n;
        }
    }
    return 0;
}

/** Writes what comes out of it, unless \p to is NULL. Returns how long that is. */
static long exchange_all(const struct exchange *x, struct field *to)
{
    long n = 0;
    long used = 0;

    for (long at = 0; at < x->list.n; at += used) {
        const long found = match_length(x, at);
        const struct items kept = { .list = first_of(&x->list) + at, .n = 1 };
        const struct items *next = found == 0 ? &kept : &x->with;

        for (long i = 0; to != NULL && i < next->n; i++) {
            to[n + i] = first_of(next)[i];
        }
        n += next->n;
        used = found == 0 ? 1 : found;
    }
    return n;
}

/** False, and said, where an argument has no value or the first is no list. */
static bool read_exchange(struct exchange *x, const char *name, int n_before)
{
    void *env = x->cage->env;
    DATA_OBJECT value;

    if (!EnvArgTypeCheck(env, name, 1, MULTIFIELD, &value)) {
        return false;
    }
    x->list = items_of(&value);
    if (n_before > 1) {
        (void) EnvRtnUnknown(env, 2, &value);
        x->with = items_of(&value);
    }
    for (int i = 0; i < x->n_wanted; i++) {
        (void) EnvRtnUnknown(env, n_before + 1 + i, &value);
        x->wanted[i] = items_of(&value);
    }
    return !GetEvaluationError(env);
}

static void finish_exchange(const struct exchange *x, DATA_OBJECT *result)
{
    void *env = x->cage->env;
    const long n = exchange_all(x, NULL);

    if (n > MPL_MULTIFIELD_ITEMS) {
        mpl_cage_fail(env, "a list is longer than 100,000 items");
        return;
    }

    struct multifield *list = EnvCreateMultifield(env, n);

    (void) exchange_all(x, list->theFields);
    result->value = list;
    SetpDOBegin(result, 1);
    SetpDOEnd(result, n);
}

/**
 * CLIPS copies the whole list for each item that it deletes or replaces, and the copies stay until
 * the rule ends.
 */
static void exchange_members(void *env, DATA_OBJECT *result, const char *name, int n_before)
{
    struct exchange x = { .cage = GetEnvironmentContext(env),
                          .n_wanted = EnvRtnArgCount(env) - n_before };
    const size_t bytes = (size_t) (x.n_wanted + 1) * sizeof *x.wanted;

    EnvSetMultifieldErrorValue(env, result);
    x.wanted = gm3(env, bytes);
    if (read_exchange(&x, name, n_before)) {
        finish_exchange(&x, result);
    }
    rm3(env, x.wanted, bytes);
}

static void delete_member_function(void *env, DATA_OBJECT *result)
{
    exchange_members(env, result, "delete-member$", 1);
}

static void replace_member_function(void *env, DATA_OBJECT *result)
{
    exchange_members(env, result, "replace-member$", 2);
}

/* ---- division without a trap ------------------------------------------------------------------- */

/** An argument as an integer. False where it is none, or outside of what 64 bits hold. */
static bool integer_argument(void *env, const char *name, int i, long long *number)
{
    DATA_OBJECT value;

    if (!EnvArgTypeCheck(env, name, i, INTEGER_OR_FLOAT, &value)) {
        return false;
    }
    if (value.type == FLOAT && !(fabs(ValueToDouble(value.value)) < 9.2e18)) {
        mpl_cage_fail(env, "a float is too large for a division of integers");
        return false;
    }
    *number = value.type == INTEGER ? ValueToLong(value.value)
                                    : (long long) ValueToDouble(value.value);
    return true;
}

/** The smallest integer divided by -1 does not fit, and the processor ends the program. */
static bool check_divisor(void *env, long long number, long long divisor)
{
    if (divisor == 0) {
        mpl_cage_fail(env, "Attempt to divide by zero");
    } else if (number == LLONG_MIN && divisor == -1) {
        mpl_cage_fail(env, "the result of a division does not fit into an integer");
    } else {
        return true;
    }
    return false;
}

static void return_integer(void *env, DATA_OBJECT *result, long long number)
{
    result->type = INTEGER;
    result->value = EnvAddLong(env, number);
}

static void div_function(void *env, DATA_OBJECT *result)
{
    const int count = EnvRtnArgCount(env);
    long long number = 1;

    return_integer(env, result, 1);
    if (!integer_argument(env, "div", 1, &number)) {
        return;
    }
    for (int i = 2; i <= count; i++) {
        long long divisor = 1;

        if (!integer_argument(env, "div", i, &divisor) ||
            !check_divisor(env, number, divisor)) {
            return;
        }
        number /= divisor;
    }
    return_integer(env, result, number);
}

static void mod_function(void *env, DATA_OBJECT *result)
{
    DATA_OBJECT a;
    DATA_OBJECT b;

    return_integer(env, result, 0);
    if (!EnvArgTypeCheck(env, "mod", 1, INTEGER_OR_FLOAT, &a) ||
        !EnvArgTypeCheck(env, "mod", 2, INTEGER_OR_FLOAT, &b)) {
        return;
    }
    if (a.type == INTEGER && b.type == INTEGER) {
        if (check_divisor(env, ValueToLong(a.value), ValueToLong(b.value))) {
            return_integer(env, result, ValueToLong(a.value) % ValueToLong(b.value));
        }
    } else if (mpl_cage_number(&b) == 0.0) {
        mpl_cage_fail(env, "Attempt to divide by zero");
    } else {
        result->type = FLOAT;
        result->value = EnvAddDouble(env, fmod(mpl_cage_number(&a), mpl_cage_number(&b)));
    }
}

void mpl_cage_bound_functions(struct cage *cage)
{
    void *env = cage->env;

    bound_text(env, "sub-string");
    mpl_cage_replace(env, "implode$", PTIF implode_function, 's');
    mpl_cage_replace(env, "delete-member$", PTIF delete_member_function, 'm');
    mpl_cage_replace(env, "replace-member$", PTIF replace_member_function, 'm');
    mpl_cage_replace(env, "div", PTIF div_function, 'u');
    mpl_cage_replace(env, "mod", PTIF mod_function, 'u');
}
