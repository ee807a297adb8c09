/*
 * Functions that rules have in addition to those of CLIPS: sentences with numbers for people,
 * the same on every machine and in every language. No text becomes longer than MPL_TEXT_BYTES.
 */
#include "config.h"

#include "infer/clips_priv.h"

#include <locale.h>
#include <math.h>
#include <string.h>

/* ---- results ------------------------------------------------------------------------- */

static void return_string(void *env, DATA_OBJECT *result, const char *text)
{
    result->type = STRING;
    result->value = EnvAddSymbol(env, text);
}

static void fail(void *env, DATA_OBJECT *result, const char *message)
{
    mpl_cage_fail(env, message);
    return_string(env, result, "");
}

static void fail_nomem(void *env, DATA_OBJECT *result)
{
    mpl_cage_stop(GetEnvironmentContext(env), CAGE_NOMEM);
    return_string(env, result, "");
}

/** A text under construction. It lives between two calls of CLIPS that may leave by a jump. */
struct draft {
    void *env;
    DATA_OBJECT *result;
    struct mpl_arena *arena; /**< For the parts. */
    struct mpl_buf text;     /**< char */
    bool has_failed;
};

static bool begin(struct draft *d, void *env, DATA_OBJECT *result)
{
    if (!mpl_cage_check(GetEnvironmentContext(env))) {
        fail(env, result, "a limit is reached");
        return false;
    }
    *d = (struct draft){
        .env = env, .result = result, .arena = mpl_arena_create(), .text = mpl_buf_make(1)
    };
    if (d->arena == NULL) {
        fail_nomem(env, result);
        return false;
    }
    return true;
}

static void give_up(struct draft *d, const char *message)
{
    if (!d->has_failed) {
        fail(d->env, d->result, message);
    }
    d->has_failed = true;
}

static void give_up_nomem(struct draft *d)
{
    if (!d->has_failed) {
        fail_nomem(d->env, d->result);
    }
    d->has_failed = true;
}

static void add_bytes(struct draft *d, const char *text, size_t n)
{
    if (d->text.n + n > MPL_TEXT_BYTES) {
        give_up(d, "text: the result is longer than 256 KiB");
        return;
    }
    for (size_t i = 0; i < n && !d->has_failed; i++) {
        if (!mpl_buf_put(&d->text, &text[i])) {
            give_up_nomem(d);
            return;
        }
    }
}

/** NULL means that making the part found no memory. */
static void add_text(struct draft *d, const char *text)
{
    if (text == NULL) {
        give_up_nomem(d);
    } else {
        add_bytes(d, text, strlen(text));
    }
}

static void end(struct draft *d)
{
    add_bytes(d, "", 1);
    if (!d->has_failed) {
        return_string(d->env, d->result, d->text.data);
    }
    mpl_buf_free(&d->text);
    mpl_arena_destroy(d->arena);
}

/* ---- numbers --------------------------------------------------------------------------- */

/** printf writes the decimal point of the locale, which a host of the library may have set. */
static char *with_point(char *number)
{
    const char *point = localeconv()->decimal_point;
    const size_t n = strlen(point);
    char *found = number == NULL || n == 0 ? NULL : strstr(number, point);

    if (found != NULL && strcmp(point, ".") != 0) {
        *found = '.';
        memmove(found + 1, found + n, strlen(found + n) + 1);
    }
    return number;
}

static bool is_number(const DATA_OBJECT *value)
{
    return value->type == FLOAT || value->type == INTEGER;
}

/** "-1,234": rounds a float to the nearest integer. */
static char *count_text(struct mpl_arena *arena, double number)
{
    const double rounded = floor(fabs(number) + 0.5);

    if (!(rounded <= 1e18)) { /* Or not a number. */
        return with_point(mpl_arena_printf(arena, "%g", number));
    }

    char *digits = mpl_text_count(arena, (uint64_t) rounded);

    if (digits == NULL || number >= 0.0 || rounded == 0.0) {
        return digits;
    }
    return mpl_arena_printf(arena, "-%s", digits);
}

/** Any value, numbers with at most six significant digits; a text is that of CLIPS itself. */
static const char *plain_text(struct mpl_arena *arena, unsigned short type, void *value)
{
    switch (type) {
    case FLOAT:
        return with_point(mpl_arena_printf(arena, "%.6g", ValueToDouble(value)));
    case INTEGER:
        return mpl_arena_printf(arena, "%lld", ValueToLong(value));
    case SYMBOL:
    case STRING:
    case INSTANCE_NAME:
        return ValueToString(value);
    default:
        return "(a value without text)";
    }
}

/** "a", "a and b", "a, b and c". */
static void add_words(struct draft *d, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (i > 0) {
            add_text(d, i + 1 < n ? ", " : " and ");
        }
        add_text(d, words[i]);
    }
}

static size_t length_of(const DATA_OBJECT *value)
{
    return value->type == MULTIFIELD ? (size_t) GetpDOLength(value) : 1;
}

/** The parts of a list, or the value itself, as texts. NULL without memory. */
static const char **words_of(struct mpl_arena *arena, const DATA_OBJECT *value, size_t *n)
{
    *n = length_of(value);

    const char **words = MPL_NEW_ARRAY(arena, *n, const char *);

    for (size_t i = 0; words != NULL && i < *n; i++) {
        if (value->type == MULTIFIELD) {
            const long at = (long) GetpDOBegin(value) + (long) i;

            words[i] = plain_text(arena, GetMFType(value->value, at),
                                  GetMFValue(value->value, at));
        } else {
            words[i] = plain_text(arena, value->type, value->value);
        }
        if (words[i] == NULL) {
            return NULL;
        }
    }
    return words;
}

static void add_value(struct draft *d, const DATA_OBJECT *value)
{
    size_t n = 0;
    const char **words = words_of(d->arena, value, &n);

    if (words == NULL) {
        give_up_nomem(d);
    } else {
        add_words(d, words, n);
    }
}

/* ---- (text "…{}…{s}…" a b) ---------------------------------------------------------------- */

/** "{s}" and the like: \p spec is what stands between the braces, \p n its length. */
static void add_formatted(struct draft *d, const char *spec, size_t n,
                          const DATA_OBJECT *value)
{
    if (n == 0) {
        add_value(d, value);
        return;
    }
    if (!is_number(value)) {
        give_up(d,
                mpl_arena_printf(d->arena, "text: {%.*s} needs a number", (int) n, spec));
        return;
    }

    const double number = mpl_cage_number(value);

    if (spec[0] == 's') {
        add_text(d, mpl_text_seconds(d->arena, number));
    } else if (spec[0] == '%') {
        add_text(d, mpl_text_share(d->arena, number));
    } else if (spec[0] == 'n') {
        add_text(d, count_text(d->arena, number));
    } else {
        add_text(d, with_point(mpl_arena_printf(d->arena, "%.*f", spec[1] - '0', number)));
    }
}

static void add_placeholder(struct draft *d, struct text_piece piece, int argument)
{
    DATA_OBJECT value;

    if (!piece.is_known) {
        give_up(d, "text: a placeholder is none of {} {s} {%} {n} {.0} to {.9}");
    } else if (argument > EnvRtnArgCount(d->env)) {
        give_up(d, "text: fewer values than placeholders");
    } else {
        (void) EnvRtnUnknown(d->env, argument, &value);
        if (!GetEvaluationError(d->env)) {
            add_formatted(d, piece.spec, piece.spec_bytes, &value);
        }
    }
}

static void add_format(struct draft *d, const char *format)
{
    int argument = 1;

    while (*format != '\0' && !d->has_failed) {
        const struct text_piece piece = mpl_text_piece(format);

        add_bytes(d, format, piece.literal_bytes);
        if (piece.spec != NULL) {
            add_placeholder(d, piece, ++argument);
        }
        format = piece.rest;
    }
    if (!d->has_failed && argument < EnvRtnArgCount(d->env)) {
        give_up(d, "text: more values than placeholders");
    }
}

static void text_function(void *env, DATA_OBJECT *result)
{
    DATA_OBJECT format;
    struct draft d;

    if (!EnvArgTypeCheck(env, "text", 1, STRING, &format)) {
        return_string(env, result, "");
        return;
    }
    if (begin(&d, env, result)) {
        add_format(&d, ValueToString(format.value));
        end(&d);
    }
}

/* ---- (seconds x), (percent x), (count x), (plural n "word") --------------------------------- */

static void number_function(void *env, DATA_OBJECT *result, const char *name,
                            const char *spec)
{
    DATA_OBJECT value;
    struct draft d;

    if (!EnvArgTypeCheck(env, name, 1, INTEGER_OR_FLOAT, &value)) {
        return_string(env, result, "");
        return;
    }
    if (begin(&d, env, result)) {
        add_formatted(&d, spec, 1, &value);
        end(&d);
    }
}

static void seconds_function(void *env, DATA_OBJECT *result)
{
    number_function(env, result, "seconds", "s");
}

static void percent_function(void *env, DATA_OBJECT *result)
{
    number_function(env, result, "percent", "%");
}

static void count_function(void *env, DATA_OBJECT *result)
{
    number_function(env, result, "count", "n");
}

static void plural_function(void *env, DATA_OBJECT *result)
{
    DATA_OBJECT number;
    DATA_OBJECT one;
    DATA_OBJECT many;
    struct draft d;

    return_string(env, result, "");
    if (!EnvArgTypeCheck(env, "plural", 1, INTEGER_OR_FLOAT, &number) ||
        !EnvArgTypeCheck(env, "plural", 2, STRING, &one)) {
        return;
    }
    many = one;
    if (EnvRtnArgCount(env) > 2 && !EnvArgTypeCheck(env, "plural", 3, STRING, &many)) {
        return;
    }
    if (!begin(&d, env, result)) {
        return;
    }

    const char *digits = count_text(d.arena, mpl_cage_number(&number));

    add_text(&d, digits);
    add_text(&d, " ");
    if (digits != NULL && strcmp(digits, "1") == 0) {
        add_text(&d, ValueToString(one.value));
    } else {
        add_text(&d, ValueToString(many.value));
        add_text(&d, EnvRtnArgCount(env) > 2 ? "" : "s");
    }
    end(&d);
}

/* ---- (join-words $?list), (location-list $?labels) ------------------------------------------ */

/** All arguments as one list of texts. NULL when that failed. */
static const char **all_words(struct draft *d, size_t *n)
{
    const int count = EnvRtnArgCount(d->env);
    struct mpl_buf all = mpl_buf_make(sizeof(const char *));
    bool is_nomem = false;

    for (int i = 1; i <= count && !is_nomem && !d->has_failed; i++) {
        DATA_OBJECT value;
        size_t more = 0;

        (void) EnvRtnUnknown(d->env, i, &value);
        if (all.n + length_of(&value) > MPL_MULTIFIELD_ITEMS) {
            give_up(d, "more than 100,000 words");
            break;
        }

        const char **words = words_of(d->arena, &value, &more);

        is_nomem = words == NULL;
        for (size_t j = 0; j < more && !is_nomem; j++) {
            is_nomem = !mpl_buf_put(&all, &words[j]);
        }
    }
    *n = all.n;

    const char **list = is_nomem || d->has_failed ? NULL : mpl_buf_take(&all, d->arena);

    mpl_buf_free(&all);
    if (list == NULL) {
        give_up_nomem(d);
    }
    return list;
}

static void join_words_function(void *env, DATA_OBJECT *result)
{
    struct draft d;

    if (begin(&d, env, result)) {
        size_t n = 0;
        const char **words = all_words(&d, &n);

        if (words != NULL) {
            add_words(&d, words, n);
        }
        end(&d);
    }
}

static void location_list_function(void *env, DATA_OBJECT *result)
{
    struct draft d;

    if (begin(&d, env, result)) {
        size_t n = 0;
        const char **labels = all_words(&d, &n);
        const char **parts = labels == NULL ? NULL : mpl_label_runs(d.arena, labels, &n);

        if (parts != NULL) {
            add_words(&d, parts, n);
        } else if (labels != NULL) {
            give_up_nomem(&d);
        }
        end(&d);
    }
}

/* ---- (str-cat a b), (sym-cat a b) ---------------------------------------- */

static void add_all_arguments(struct draft *d)
{
    const int count = EnvRtnArgCount(d->env);

    for (int i = 1; i <= count && !d->has_failed; i++) {
        DATA_OBJECT value;

        (void) EnvRtnUnknown(d->env, i, &value);
        if (GetEvaluationError(d->env)) {
            give_up(d, "");
        } else if (value.type == FLOAT) {
            add_text(d, FloatToString(d->env, ValueToDouble(value.value)));
        } else if (value.type == INTEGER || value.type == STRING || value.type == SYMBOL ||
                   value.type == INSTANCE_NAME) {
            add_text(d, plain_text(d->arena, value.type, value.value));
        } else {
            give_up(d, "str-cat takes texts and numbers, no lists");
        }
    }
}

static void concatenate(void *env, DATA_OBJECT *result, unsigned short type)
{
    struct draft d;

    return_string(env, result, "");
    if (begin(&d, env, result)) {
        add_all_arguments(&d);
        end(&d);
    }
    result->type = type;
}

static void str_cat_function(void *env, DATA_OBJECT *result)
{
    concatenate(env, result, STRING);
}

static void sym_cat_function(void *env, DATA_OBJECT *result)
{
    concatenate(env, result, SYMBOL);
}

void mpl_cage_add_functions(struct cage *cage)
{
    void *env = cage->env;

    (void) EnvDefineFunction2(env, "text", 'u', PTIEF text_function, "text_function",
                              "1*us");
    (void) EnvDefineFunction2(env, "seconds", 'u', PTIEF seconds_function,
                              "seconds_function", "11n");
    (void) EnvDefineFunction2(env, "percent", 'u', PTIEF percent_function,
                              "percent_function", "11n");
    (void) EnvDefineFunction2(env, "count", 'u', PTIEF count_function, "count_function",
                              "11n");
    (void) EnvDefineFunction2(env, "plural", 'u', PTIEF plural_function, "plural_function",
                              "23sns");
    (void) EnvDefineFunction2(env, "join-words", 'u', PTIEF join_words_function,
                              "join_words_function", "0*");
    (void) EnvDefineFunction2(env, "location-list", 'u', PTIEF location_list_function,
                              "location_list_function", "0*");
    mpl_cage_add_metric_functions(cage);
    mpl_cage_replace(env, "str-cat", PTIF str_cat_function, 'u');
    mpl_cage_replace(env, "sym-cat", PTIF sym_cat_function, 'u');
}
