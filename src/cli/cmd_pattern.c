#include "config.h"

#include "cli/cli_priv.h"
#include "cli/pattern_priv.h"

#include <string.h>

static const struct mpl_option options[] = {
    { 'v', "verbose", NULL, "test: draw also what is right",
      MPL_INTO(mpl_take_flag, struct mpl_pattern_opts, is_verbose) },
    { 0, "width", "N", "draw N columns wide",
      MPL_INTO(mpl_take_number, struct mpl_pattern_opts, width), MPL_WITHIN(40, 1000) },
    MPL_KNOWLEDGE_OPTIONS(struct mpl_pattern_opts, knowledge),
    { 0 },
};

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

static enum mpl_status act(struct mpl_pattern_opts *opts, const char *command,
                           const struct mpl_action *actions, size_t n,
                           struct mpl_arena *arena, FILE *out, struct mpl_err *err)
{
    if (opts->operands.n == 0) {
        return mpl_fail(err, MPL_E_USAGE, "%s needs to know what to do: %s", command,
                        names_of(actions, n, arena));
    }
    const struct mpl_action *action = NULL;

    for (size_t i = 0; i < n && action == NULL; i++) {
        action = strcmp(opts->operands.items[0], actions[i].name) == 0 ? &actions[i] : NULL;
    }
    if (action == NULL) {
        return mpl_fail(err, MPL_E_USAGE, "%s cannot \"%s\", only: %s", command,
                        opts->operands.items[0], names_of(actions, n, arena));
    }
    opts->operands.items++;
    opts->operands.n--;
    const enum mpl_status st = mpl_operands_find(opts, arena, err);
    return st == MPL_OK ? action->run(opts, arena, out, err) : st;
}

/* Parses the words of a command that begins with one of \p n actions, and does it. */
static enum mpl_status run_action(struct mpl_args *args, const struct mpl_action *actions,
                                  size_t n, FILE *out, struct mpl_err *err)
{
    struct mpl_pattern_opts opts = {
        .width = mpl_output_width(out),
        .knowledge.given.items =
            MPL_NEW_ARRAY(args->arena, (size_t) args->n + 1, const char *),
    };

    if (opts.knowledge.given.items == NULL) {
        return mpl_nomem(err);
    }
    const enum mpl_status st =
        mpl_args_parse(args, &opts, mpl_take_words, &opts.operands, err);
    return st == MPL_OK ? act(&opts, args->cmd->name, actions, n, args->arena, out, err)
                        : st;
}

static enum mpl_status run(struct mpl_args *args, FILE *out, struct mpl_err *err)
{
    static const struct mpl_action actions[] = {
        { "list", mpl_pattern_list },
        { "show", mpl_pattern_show },
        { "lint", mpl_pattern_lint },
        { "test", mpl_pattern_test },
    };

    return run_action(args, actions, sizeof actions / sizeof *actions, out, err);
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

    return run_action(args, actions, sizeof actions / sizeof *actions, out, err);
}

/* Its options are those of patterns, so both commands stand in one file. */
const struct mpl_cmd mpl_cmd_rule = {
    .name = "rule",
    .operands = "list|lint|test [FILE|DIR...]",
    .summary = "list and check rules, and run their tests",
    .options = options,
    .run = run_rule,
};
