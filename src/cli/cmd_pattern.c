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

/* "list, test": what the command can do. */
static const char *names_of(const struct mpl_action *actions, size_t n,
                            struct mpl_arena *arena)
{
    const char *text = "";

    for (size_t i = 0; i < n && text != NULL; i++) {
        text = mpl_arena_printf(arena, "%s%s%s", text, i > 0 ? ", " : "", actions[i].name);
    }
    return text == NULL ? "" : text;
}

static const struct mpl_action *find_action(const struct mpl_action *actions, size_t n,
                                            const char *word)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(word, actions[i].name) == 0) {
            return &actions[i];
        }
    }
    return NULL;
}

static enum mpl_status parse(struct mpl_args *args, struct mpl_arena *arena,
                             struct mpl_pattern_opts *opts, struct mpl_err *err)
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
        } else {
            opts->operands[opts->n_operands++] = value;
        }
    }
    return st == MPL_END ? MPL_OK : st;
}

static enum mpl_status act(struct mpl_pattern_opts *opts, const char *command,
                           const struct mpl_action *actions, size_t n,
                           struct mpl_arena *arena, FILE *out, struct mpl_err *err)
{
    if (opts->n_operands == 0) {
        return mpl_fail(err, MPL_E_USAGE, "%s needs to know what to do: %s", command,
                        names_of(actions, n, arena));
    }
    const struct mpl_action *action = find_action(actions, n, opts->operands[0]);
    if (action == NULL) {
        return mpl_fail(err, MPL_E_USAGE, "%s cannot \"%s\", only: %s", command,
                        opts->operands[0], names_of(actions, n, arena));
    }
    opts->operands++;
    opts->n_operands--;
    const enum mpl_status st = mpl_operands_find(opts, arena, err);
    return st == MPL_OK ? action->run(opts, arena, out, err) : st;
}

enum mpl_status mpl_actions_run(struct mpl_args *args, const struct mpl_action *actions,
                                size_t n, FILE *out, struct mpl_err *err)
{
    struct mpl_pattern_opts opts = { .width = mpl_output_width(out) };
    struct mpl_arena *arena = mpl_arena_create();

    if (arena == NULL) {
        return mpl_nomem(err);
    }
    enum mpl_status st = parse(args, arena, &opts, err);
    st = st == MPL_OK ? act(&opts, args->cmd->name, actions, n, arena, out, err) : st;
    mpl_arena_destroy(arena);
    return st;
}

static enum mpl_status run(struct mpl_args *args, FILE *out, struct mpl_err *err)
{
    static const struct mpl_action actions[] = {
        { "list", mpl_pattern_list },
        { "show", mpl_pattern_show },
        { "lint", mpl_pattern_lint },
        { "test", mpl_pattern_test },
    };

    return mpl_actions_run(args, actions, sizeof actions / sizeof *actions, out, err);
}

const struct mpl_cmd mpl_cmd_pattern = {
    .name = "pattern",
    .operands = "list|show|lint|test [NAME|FILE|DIR...]",
    .summary = "list, show and check patterns, and try them on their examples",
    .options = options,
    .run = run,
};

static enum mpl_status run_rule(struct mpl_args *args, FILE *out, struct mpl_err *err)
{
    static const struct mpl_action actions[] = {
        { "list", mpl_rule_list },
        { "lint", mpl_rule_lint },
        { "test", mpl_rule_test },
    };

    return mpl_actions_run(args, actions, sizeof actions / sizeof *actions, out, err);
}

/* Its options are those of patterns, so both commands stand in one file. */
const struct mpl_cmd mpl_cmd_rule = {
    .name = "rule",
    .operands = "list|lint|test [FILE|DIR...]",
    .summary = "list and check rules, and run their tests",
    .options = options,
    .run = run_rule,
};
