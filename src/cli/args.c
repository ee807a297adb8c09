#include "config.h"

#include "cli/cli.h"

#include <errno.h>
#include <math.h>
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
static enum mpl_status take_value(struct mpl_args *args, const struct mpl_option *option,
                                  const char *rest, const char **value, struct mpl_err *err)
{
    if (rest != NULL) {
        *value = rest;
        return MPL_OK;
    }
    if (args->next >= args->n) {
        return mpl_fail(err, MPL_E_USAGE, "option \"--%s\" needs a value: %s", option->name,
                        option->argument);
    }
    *value = args->words[args->next++];
    return MPL_OK;
}

static enum mpl_status next_long(struct mpl_args *args, const char *word,
                                 const struct mpl_option **option, const char **value,
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
        *option = o;
        *value = NULL;
        if (o->argument != NULL) {
            return take_value(args, o, rest, value, err);
        }
        return rest == NULL
                   ? MPL_OK
                   : mpl_fail(err, MPL_E_USAGE, "option \"--%s\" takes no value", name);
    }
    return fail_unknown_long(args->cmd, name, err);
}

static enum mpl_status next_short(struct mpl_args *args, const struct mpl_option **option,
                                  const char **value, struct mpl_err *err)
{
    const char letter = *args->cluster;
    const char *rest = args->cluster[1] != '\0' ? args->cluster + 1 : NULL;

    for (size_t i = 0; i < option_count(args->cmd); i++) {
        const struct mpl_option *o = &args->cmd->options[i];
        if (o->letter != letter) {
            continue;
        }
        *option = o;
        *value = NULL;
        if (o->argument != NULL) {
            args->cluster = NULL;
            return take_value(args, o, rest, value, err);
        }
        args->cluster = rest;
        return MPL_OK;
    }
    return mpl_fail(err, MPL_E_USAGE, "unknown option \"-%c\"", letter);
}

enum mpl_status mpl_args_next(struct mpl_args *args, const struct mpl_option **option,
                              const char **value, struct mpl_err *err)
{
    if (args->cluster != NULL) {
        return next_short(args, option, value, err);
    }
    if (args->next >= args->n) {
        return MPL_END;
    }
    const char *word = args->words[args->next++];
    if (!args->only_operands && strcmp(word, "--") == 0) {
        args->only_operands = true;
        return mpl_args_next(args, option, value, err);
    }
    if (args->only_operands || word[0] != '-' || word[1] == '\0') {
        *option = NULL;
        *value = word;
        return MPL_OK;
    }
    if (word[1] == '-') {
        return next_long(args, word + 2, option, value, err);
    }
    args->cluster = word + 1;
    return next_short(args, option, value, err);
}

enum mpl_status mpl_args_unexpected(const struct mpl_args *args, const char *word,
                                    struct mpl_err *err)
{
    if (args->cmd->operands[0] == '\0') {
        return mpl_fail(err, MPL_E_USAGE, "unexpected \"%s\"", word);
    }
    return mpl_fail(err, MPL_E_USAGE, "unexpected \"%s\" behind %s", word,
                    args->cmd->operands);
}

enum mpl_status mpl_args_integer(const struct mpl_option *option, const char *value,
                                 long low, long high, long *out, struct mpl_err *err)
{
    char *end = NULL;

    errno = 0;
    const long number = strtol(value, &end, 10);
    if (end == value || *end != '\0' || errno != 0 || number < low || number > high) {
        return mpl_fail(err, MPL_E_USAGE,
                        "option \"--%s\" takes a whole number from %ld to %ld, not \"%s\"",
                        option->name, low, high, value);
    }
    *out = number;
    return MPL_OK;
}

enum mpl_status mpl_args_share(const struct mpl_option *option, const char *value,
                               double *out, struct mpl_err *err)
{
    char *end = NULL;
    double number = strtod(value, &end);

    if (end != value && strcmp(end, "%") == 0) {
        number /= 100;
        end++;
    }
    /* Written so that NaN fails, too. */
    if (end == value || *end != '\0' || !(number >= 0 && number <= 1)) {
        return mpl_fail(err, MPL_E_USAGE,
                        "option \"--%s\" takes a share such as 0.05 or 5%%, not \"%s\"",
                        option->name, value);
    }
    *out = number;
    return MPL_OK;
}

/* "single, complete, average": where the usage has no room for them. */
static void join_words(const char *const *words, size_t n, char *out, size_t size)
{
    size_t at = 0;

    for (size_t i = 0; i < n && at < size; i++) {
        at += (size_t) snprintf(out + at, size - at, "%s%s", i == 0 ? "" : ", ", words[i]);
    }
}

enum mpl_status mpl_args_choice(const struct mpl_option *option, const char *value,
                                const char *const *words, size_t n, size_t *out,
                                struct mpl_err *err)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(value, words[i]) == 0) {
            *out = i;
            return MPL_OK;
        }
    }
    const char *near = mpl_suggest(value, words, n);
    if (near != NULL) {
        return mpl_fail(err, MPL_E_USAGE,
                        "option \"--%s\" does not know \"%s\"; did you mean \"%s\"?",
                        option->name, value, near);
    }

    char list[200];

    join_words(words, n, list, sizeof list);
    return mpl_fail(err, MPL_E_USAGE, "option \"--%s\" takes %s, not \"%s\"", option->name,
                    strchr(option->argument, '|') == NULL ? list : option->argument, value);
}

enum mpl_status mpl_args_format(const struct mpl_option *option, const char *value,
                                enum mpl_format *out, struct mpl_err *err)
{
    static const char *const words[] = { "text", "json" };
    size_t choice = 0;
    const enum mpl_status st = mpl_args_choice(option, value, words, 2, &choice, err);

    if (st == MPL_OK) {
        *out = choice == 0 ? MPL_FORMAT_TEXT : MPL_FORMAT_JSON;
    }
    return st;
}

enum mpl_status mpl_args_page_format(const struct mpl_option *option, const char *value,
                                     enum mpl_format *out, struct mpl_err *err)
{
    static const char *const words[] = { "text", "json", "html" };
    static const enum mpl_format formats[] = { MPL_FORMAT_TEXT, MPL_FORMAT_JSON,
                                               MPL_FORMAT_HTML };
    size_t choice = 0;
    const enum mpl_status st = mpl_args_choice(option, value, words, 3, &choice, err);

    *out = st == MPL_OK ? formats[choice] : *out;
    return st;
}

enum mpl_status mpl_args_page_size(enum mpl_format format, long size, struct mpl_err *err)
{
    return size > 0 && format != MPL_FORMAT_HTML
               ? mpl_fail(err, MPL_E_USAGE, "--size is of a page: it needs --format html")
               : MPL_OK;
}
