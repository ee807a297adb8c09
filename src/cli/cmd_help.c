#include "config.h"

#include "cli/cli_priv.h"

enum { OPT_LIST };

static const struct mpl_option options[] = {
    [OPT_LIST] = { 'l', "list", NULL,
                   "print only words: commands, or the options of COMMAND" },
    { 0 },
};

struct help_opts {
    const struct mpl_cmd *cmd; /* NULL: the program as a whole */
    bool only_words;
};

static enum mpl_status parse(struct mpl_args *args, struct help_opts *opts,
                             struct mpl_err *err)
{
    const struct mpl_option *option = NULL;
    const char *value = NULL;
    enum mpl_status st = MPL_OK;

    while ((st = mpl_args_next(args, &option, &value, err)) == MPL_OK) {
        if (option != NULL) {
            opts->only_words = true;
        } else if (opts->cmd != NULL) {
            return mpl_args_unexpected(args, value, err);
        } else if ((opts->cmd = mpl_command_find(value)) == NULL) {
            return mpl_command_fail(value, err);
        }
    }
    return st == MPL_END ? MPL_OK : st;
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

static enum mpl_status run(struct mpl_args *args, FILE *out, struct mpl_err *err)
{
    struct help_opts opts = { 0 };
    const enum mpl_status st = parse(args, &opts, err);

    if (st != MPL_OK) {
        return st;
    }
    if (opts.only_words) {
        print_words(opts.cmd, out);
    } else if (opts.cmd != NULL) {
        mpl_command_print(opts.cmd, out);
    } else {
        mpl_commands_print(out);
    }
    return MPL_OK;
}

const struct mpl_cmd mpl_cmd_help = {
    .name = "help",
    .operands = "[COMMAND]",
    .summary = "print the usage of marple or of a command",
    .options = options,
    .run = run,
};
