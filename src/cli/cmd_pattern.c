#include "config.h"

#include "cli/cli_priv.h"
#include "cli/pattern_priv.h"

#include <string.h>

enum { OPT_VERBOSE, OPT_WIDTH };

static const struct mpl_option options[] = {
    [OPT_VERBOSE] = { 'v', "verbose", NULL, "test: draw also what is right" },
    [OPT_WIDTH] = { 0, "width", "N", "draw N columns wide" },
    MPL_KNOWLEDGE_OPTIONS,
    { 0 },
};

struct action {
    const char *name;
    enum mpl_status (*run)(const struct mpl_pattern_opts *opts, struct mpl_arena *arena,
                           FILE *out, struct mpl_err *err);
};

static const struct action actions[] = {
    { "test", mpl_pattern_test },
};
enum { N_ACTIONS = sizeof actions / sizeof *actions };

static enum mpl_status take_option(const struct mpl_option *option, const char *value,
                                   struct mpl_pattern_opts *opts, struct mpl_err *err)
{
    long width = 0;
    enum mpl_status st = MPL_OK;

    switch (option - options) {
    case OPT_VERBOSE:
        opts->is_verbose = true;
        return MPL_OK;
    case OPT_WIDTH:
        st = mpl_args_integer(option, value, 40, 1000, &width, err);
        opts->width = (int) width;
        return st;
    default:
        (void) mpl_args_knowledge(option, value, &opts->knowledge);
        return MPL_OK;
    }
}

static enum mpl_status find_action(const char *word, const struct action **out,
                                   struct mpl_err *err)
{
    const char *names[N_ACTIONS];

    for (size_t i = 0; i < N_ACTIONS; i++) {
        names[i] = actions[i].name;
        if (strcmp(word, names[i]) == 0) {
            *out = &actions[i];
            return MPL_OK;
        }
    }
    const char *near = mpl_suggest(word, names, N_ACTIONS);
    return near != NULL
               ? mpl_fail(err, MPL_E_USAGE, "cannot \"%s\" patterns; did you mean \"%s\"?",
                          word, near)
               : mpl_fail(err, MPL_E_USAGE, "cannot \"%s\" patterns", word);
}

static enum mpl_status parse(struct mpl_args *args, struct mpl_arena *arena,
                             struct mpl_pattern_opts *opts, const struct action **action,
                             struct mpl_err *err)
{
    const size_t most = (size_t) args->n + 1;
    const struct mpl_option *option = NULL;
    const char *value = NULL;
    enum mpl_status st = MPL_OK;

    opts->operands = MPL_NEW_ARRAY(arena, most, const char *);
    opts->knowledge.given = MPL_NEW_ARRAY(arena, most, const char *);
    if (opts->operands == NULL || opts->knowledge.given == NULL) {
        return mpl_nomem(err);
    }
    while (st == MPL_OK && (st = mpl_args_next(args, &option, &value, err)) == MPL_OK) {
        if (option != NULL) {
            st = take_option(option, value, opts, err);
        } else if (*action == NULL) {
            st = find_action(value, action, err);
        } else {
            opts->operands[opts->n_operands++] = value;
        }
    }
    if (st == MPL_END && *action == NULL) {
        return mpl_fail(err, MPL_E_USAGE, "pattern needs to know what to do: test");
    }
    return st == MPL_END ? MPL_OK : st;
}

static enum mpl_status run(struct mpl_args *args, FILE *out, struct mpl_err *err)
{
    struct mpl_pattern_opts opts = { .width = mpl_output_width(out) };
    const struct action *action = NULL;
    struct mpl_arena *arena = mpl_arena_create();

    if (arena == NULL) {
        return mpl_nomem(err);
    }
    enum mpl_status st = parse(args, arena, &opts, &action, err);
    st = st == MPL_OK ? mpl_directories_find(&opts.knowledge, arena, &opts.directories, err)
                      : st;
    st = st == MPL_OK ? action->run(&opts, arena, out, err) : st;
    mpl_arena_destroy(arena);
    return st;
}

const struct mpl_cmd mpl_cmd_pattern = {
    .name = "pattern",
    .operands = "test [NAME|FILE...]",
    .summary = "try patterns on their examples",
    .options = options,
    .run = run,
};
