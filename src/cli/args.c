#include "config.h"

#include "cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t option_count(const struct mpl_cmd *cmd)
{
    size_t n = 0;

    while (cmd->options != NULL && cmd->options[n].name != NULL) {
        n++;
    }
    return n;
}

static enum mpl_status fail_unknown_long(const struct mpl_cmd *cmd, const char *name,
                                         struct mpl_err *err)
{
    const char *names[64];
    size_t n = 0;

    for (; n < option_count(cmd) && n < 63; n++) {
        names[n] = cmd->options[n].name;
    }
    names[n++] = "help";
    const char *near = mpl_suggest(name, names, n);
    if (near != NULL) {
        return mpl_fail(err, MPL_E_USAGE, "unknown option \"--%s\"; did you mean \"--%s\"?",
                        name, near);
    }
    return mpl_fail(err, MPL_E_USAGE, "unknown option \"--%s\"", name);
}

/* The value is the rest of the word where there is one, else the next word. */
static enum mpl_status take_value(struct mpl_args *args, const char *rest,
                                  struct mpl_err *err)
{
    if (rest == NULL && args->next >= args->n) {
        return mpl_fail(err, MPL_E_USAGE, "option \"--%s\" needs a value: %s",
                        args->option->name, args->option->argument);
    }
    args->value = rest != NULL ? rest : args->words[args->next++];
    return MPL_OK;
}

static enum mpl_status next_long(struct mpl_args *args, const char *word,
                                 struct mpl_err *err)
{
    const size_t length = strcspn(word, "=");
    const char *rest = word[length] == '=' ? word + length + 1 : NULL;
    char name[64];

    snprintf(name, sizeof name, "%.*s", (int) length, word);
    for (size_t i = 0; i < option_count(args->cmd); i++) {
        const struct mpl_option *o = &args->cmd->options[i];
        if (strcmp(o->name, name) != 0) {
            continue;
        }
        args->option = o;
        if (o->argument != NULL) {
            return take_value(args, rest, err);
        }
        return rest == NULL
                   ? MPL_OK
                   : mpl_fail(err, MPL_E_USAGE, "option \"--%s\" takes no value", name);
    }
    return fail_unknown_long(args->cmd, name, err);
}

static enum mpl_status next_short(struct mpl_args *args, struct mpl_err *err)
{
    const char letter = *args->cluster;
    const char *rest = args->cluster[1] != '\0' ? args->cluster + 1 : NULL;

    for (size_t i = 0; i < option_count(args->cmd); i++) {
        const struct mpl_option *o = &args->cmd->options[i];
        if (o->letter != letter) {
            continue;
        }
        args->option = o;
        if (o->argument != NULL) {
            args->cluster = NULL;
            return take_value(args, rest, err);
        }
        args->cluster = rest;
        return MPL_OK;
    }
    return mpl_fail(err, MPL_E_USAGE, "unknown option \"-%c\"", letter);
}

/* The next option or operand; MPL_END behind the last word. */
static enum mpl_status next(struct mpl_args *args, struct mpl_err *err)
{
    args->option = NULL;
    args->value = NULL;
    if (args->cluster != NULL) {
        return next_short(args, err);
    }
    if (args->next < args->n && !args->only_operands &&
        strcmp(args->words[args->next], "--") == 0) {
        args->only_operands = true;
        args->next++;
    }
    if (args->next >= args->n) {
        return MPL_END;
    }
    const char *word = args->words[args->next++];
    if (args->only_operands || word[0] != '-' || word[1] == '\0') {
        args->value = word;
        return MPL_OK;
    }
    if (word[1] == '-') {
        return next_long(args, word + 2, err);
    }
    args->cluster = word + 1;
    return next_short(args, err);
}

enum mpl_status mpl_args_parse(struct mpl_args *args, void *opts, mpl_take *take,
                               void *target, struct mpl_err *err)
{
    enum mpl_status st = MPL_OK;

    while (st == MPL_OK && (st = next(args, err)) == MPL_OK) {
        const struct mpl_option *o = args->option;

        if (o != NULL) {
            args->given |= UINT64_C(1) << (o - args->cmd->options);
            st = o->take(args, (char *) opts + o->at, err);
        } else {
            st = take != NULL ? take(args, target, err) : mpl_args_unexpected(args, err);
        }
    }
    return st == MPL_END ? MPL_OK : st;
}

const struct mpl_option *mpl_args_given(const struct mpl_args *args, unsigned about)
{
    for (size_t i = 0; i < option_count(args->cmd); i++) {
        if ((args->given >> i & 1) != 0 && (args->cmd->options[i].about & about) != 0) {
            return &args->cmd->options[i];
        }
    }
    return NULL;
}

enum mpl_status mpl_args_unexpected(const struct mpl_args *args, struct mpl_err *err)
{
    if (args->cmd->operands[0] == '\0') {
        return mpl_fail(err, MPL_E_USAGE, "unexpected \"%s\"", args->value);
    }
    return mpl_fail(err, MPL_E_USAGE, "unexpected \"%s\" behind %s", args->value,
                    args->cmd->operands);
}

enum mpl_status mpl_take_flag(struct mpl_args *args, void *target, struct mpl_err *err)
{
    (void) args;
    (void) err;
    *(bool *) target = true;
    return MPL_OK;
}

enum mpl_status mpl_take_word(struct mpl_args *args, void *target, struct mpl_err *err)
{
    (void) err;
    *(const char **) target = args->value;
    return MPL_OK;
}

enum mpl_status mpl_take_words(struct mpl_args *args, void *target, struct mpl_err *err)
{
    struct mpl_words *words = (struct mpl_words *) target;

    if (words->items == NULL) {
        words->items = MPL_NEW_ARRAY(args->arena, (size_t) args->n + 1, const char *);
    }
    if (words->items == NULL) {
        return mpl_nomem(err);
    }
    words->items[words->n++] = args->value;
    return MPL_OK;
}

enum mpl_status mpl_take_once(struct mpl_args *args, void *target, struct mpl_err *err)
{
    return *(const char **) target == NULL ? mpl_take_word(args, target, err)
                                           : mpl_args_unexpected(args, err);
}

enum mpl_status mpl_take_command(struct mpl_args *args, void *target, struct mpl_err *err)
{
    args->only_operands = true;
    return mpl_take_words(args, target, err);
}

enum mpl_status mpl_take_tracer(struct mpl_args *args, void *target, struct mpl_err *err)
{
    (void) err;
    *(const char **) target = strcmp(args->value, "auto") == 0 ? NULL : args->value;
    return MPL_OK;
}

/* ---- numbers ------------------------------------------------------------------------------- */

enum mpl_status mpl_take_number(struct mpl_args *args, void *target, struct mpl_err *err)
{
    const long low = (long) args->option->low;
    const long high = (long) args->option->high;
    char *end = NULL;

    errno = 0;
    const long number = strtol(args->value, &end, 10);
    if (end == args->value || *end != '\0' || errno != 0 || number < low || number > high) {
        return mpl_fail(err, MPL_E_USAGE,
                        "option \"--%s\" takes a whole number from %ld to %ld, not \"%s\"",
                        args->option->name, low, high, args->value);
    }
    *(long *) target = number;
    return MPL_OK;
}

enum mpl_status mpl_take_count(struct mpl_args *args, void *target, struct mpl_err *err)
{
    long number = 0;
    const enum mpl_status st = mpl_take_number(args, &number, err);

    if (st == MPL_OK) {
        *(uint32_t *) target = (uint32_t) number;
    }
    return st;
}

enum mpl_status mpl_take_threads(struct mpl_args *args, void *target, struct mpl_err *err)
{
    long threads = 1;
    const enum mpl_status st = mpl_take_number(args, &threads, err);

    (void) target;
    return st == MPL_OK && setenv("MARPLE_THREADS", args->value, 1) != 0 ? mpl_nomem(err)
                                                                         : st;
}

enum mpl_status mpl_take_real(struct mpl_args *args, void *target, struct mpl_err *err)
{
    const struct mpl_option *o = args->option;
    char *end = NULL;
    const double number = strtod(args->value, &end);

    /* Written so that NaN fails, too. */
    if (end == args->value || *end != '\0' || !(number >= o->low && number <= o->high)) {
        return mpl_fail(err, MPL_E_USAGE,
                        "option \"--%s\" takes a number from %g to %g, not \"%s\"", o->name,
                        o->low, o->high, args->value);
    }
    *(double *) target = number;
    return MPL_OK;
}

enum mpl_status mpl_take_share(struct mpl_args *args, void *target, struct mpl_err *err)
{
    char *end = NULL;
    double number = strtod(args->value, &end);

    if (end != args->value && strcmp(end, "%") == 0) {
        number /= 100;
        end++;
    }
    /* Written so that NaN fails, too. */
    if (end == args->value || *end != '\0' || !(number >= 0 && number <= 1)) {
        return mpl_fail(err, MPL_E_USAGE,
                        "option \"--%s\" takes a share such as 0.05 or 5%%, not \"%s\"",
                        args->option->name, args->value);
    }
    *(double *) target = number;
    return MPL_OK;
}

/* No message takes longer, and no clock is off by more once it is corrected. */
static const double most_seconds = 3600;

enum mpl_status mpl_take_seconds(struct mpl_args *args, void *target, struct mpl_err *err)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = { { "", 1 }, { "s", 1 }, { "ms", 1e-3 }, { "us", 1e-6 }, { "ns", 1e-9 } };
    char *end = NULL;
    const double number = strtod(args->value, &end);

    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (end != args->value && strcmp(end, units[i].name) == 0 && number >= 0 &&
            number * units[i].seconds <= most_seconds) {
            *(double *) target = number * units[i].seconds;
            return MPL_OK;
        }
    }
    return mpl_fail(err, MPL_E_USAGE,
                    "option \"--%s\" takes a time such as 5us, at most %g s, not \"%s\"",
                    args->option->name, most_seconds, args->value);
}

/* ---- choices -------------------------------------------------------------------------------- */

enum mpl_status mpl_args_choice(const struct mpl_args *args, const char *const *words,
                                size_t n, size_t *out, struct mpl_err *err)
{
    const struct mpl_option *o = args->option;

    for (size_t i = 0; i < n; i++) {
        if (strcmp(args->value, words[i]) == 0) {
            *out = i;
            return MPL_OK;
        }
    }
    const char *near = mpl_suggest(args->value, words, n);
    if (near != NULL) {
        return mpl_fail(err, MPL_E_USAGE,
                        "option \"--%s\" does not know \"%s\"; did you mean \"%s\"?",
                        o->name, args->value, near);
    }

    char list[200]; /* "single, complete, average": where the usage has no room for them. */

    for (size_t i = 0, at = 0; i < n && at < sizeof list; i++) {
        at += (size_t) snprintf(list + at, sizeof list - at, "%s%s", i == 0 ? "" : ", ",
                                words[i]);
    }
    return mpl_fail(err, MPL_E_USAGE, "option \"--%s\" takes %s, not \"%s\"", o->name,
                    strchr(o->argument, '|') == NULL ? list : o->argument, args->value);
}

enum mpl_status mpl_args_alternative(const struct mpl_args *args, size_t *out,
                                     struct mpl_err *err)
{
    const char *words[16];
    char *rest = mpl_arena_strdup(args->arena, args->option->argument);
    size_t n = 0;

    while (rest != NULL && n < sizeof words / sizeof *words) {
        words[n++] = strsep(&rest, "|");
    }
    return n > 0 ? mpl_args_choice(args, words, n, out, err) : mpl_nomem(err);
}

enum mpl_status mpl_take_format(struct mpl_args *args, void *target, struct mpl_err *err)
{
    static const char *const words[] = { "text", "json", "markdown", "html" };
    size_t choice = 0;
    const enum mpl_status st = mpl_args_alternative(args, &choice, err);

    for (size_t i = 0; st == MPL_OK && i < sizeof words / sizeof *words; i++) {
        if (strcmp(words[i], args->value) == 0) {
            *(enum mpl_format *) target = (enum mpl_format) i;
        }
    }
    return st;
}

enum mpl_status mpl_take_clock(struct mpl_args *args, void *target, struct mpl_err *err)
{
    size_t choice = 0;
    const enum mpl_status st = mpl_args_alternative(args, &choice, err);

    mpl_assert(st != MPL_OK ||
               mpl_clock_choice_find(args->value, (enum mpl_clock_choice *) target));
    return st;
}

enum mpl_status mpl_check_page_size(enum mpl_format format, long size, struct mpl_err *err)
{
    return size > 0 && format != MPL_FORMAT_HTML
               ? mpl_fail(err, MPL_E_USAGE, "--size is of a page: it needs --format html")
               : MPL_OK;
}
