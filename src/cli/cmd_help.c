#include "config.h"

#include "cli/cli_priv.h"

struct help_opts {
    const struct mpl_cmd *cmd; /* NULL: the program as a whole */
    bool only_words;
    bool is_completing;
    struct mpl_words words; /* To be completed. */
};

static const struct mpl_option options[] = {
    { 'l', "list", NULL, "print only words: commands, or the options of COMMAND",
      MPL_INTO(mpl_take_flag, struct help_opts, only_words) },
    { 0, "complete", NULL, "print what the last of the words behind -- may become",
      MPL_INTO(mpl_take_flag, struct help_opts, is_completing) },
    { 0 },
};

static enum mpl_status take_operand(struct mpl_args *args, void *target,
                                    struct mpl_err *err)
{
    struct help_opts *opts = (struct help_opts *) target;

    if (opts->is_completing) {
        return mpl_take_words(args, &opts->words, err);
    }
    if (opts->cmd != NULL) {
        return mpl_args_unexpected(args, err);
    }
    opts->cmd = mpl_command_find(args->value);
    return opts->cmd != NULL ? MPL_OK : mpl_command_fail(args->value, err);
}

/* For shells that complete words, and for the test that compares man pages with the tables. */
static void print_words(const struct mpl_cmd *cmd, FILE *out)
{
    if (cmd == NULL) {
        size_t n = 0;
        const struct mpl_cmd *const *all = mpl_commands(&n);
        for (size_t i = 0; i < n; i++) {
            mpl_text_print(out, "%s\n", all[i]->name);
        }
        return;
    }
    for (const struct mpl_option *o = cmd->options; o != NULL && o->name != NULL; o++) {
        if (o->letter != 0) {
            mpl_text_print(out, "-%c\n", o->letter);
        }
        mpl_text_print(out, "--%s\n", o->name);
    }
    mpl_text_print(out, "-h\n--help\n");
}

static enum mpl_status help(const struct help_opts *opts, struct mpl_arena *arena,
                            FILE *out, struct mpl_err *err)
{
    if (opts->is_completing) {
        return mpl_complete(opts->words.items, opts->words.n, arena, out, err);
    }
    if (opts->only_words) {
        print_words(opts->cmd, out);
    } else if (opts->cmd != NULL) {
        mpl_command_print(opts->cmd, out);
    } else {
        mpl_commands_print(out);
    }
    return MPL_OK;
}

static enum mpl_status run(struct mpl_args *args, FILE *out, struct mpl_err *err)
{
    struct help_opts opts = { 0 };
    const enum mpl_status st = mpl_args_parse(args, &opts, take_operand, &opts, err);

    return st == MPL_OK ? help(&opts, args->arena, out, err) : st;
}

const struct mpl_cmd mpl_cmd_help = {
    .name = "help",
    .operands = "[COMMAND]",
    .summary = "print the usage of marple or of a command",
    .options = options,
    .run = run,
};
