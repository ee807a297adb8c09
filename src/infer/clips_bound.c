/*
 * Functions of CLIPS in a form that cannot go wrong: no text becomes too long, and the
 * division of integers does not trap.
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
    mpl_cage_replace(env, "div", PTIF div_function, 'u');
    mpl_cage_replace(env, "mod", PTIF mod_function, 'u');
}
