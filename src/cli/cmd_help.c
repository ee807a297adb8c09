#include "config.h"

#include "cli/cli_priv.h"

enum { OPT_LIST, OPT_COMPLETE };

static const struct mpl_option options[] = {
    [OPT_LIST] = { 'l', "list", NULL,
                   "print only words: commands, or the options of COMMAND" },
    [OPT_COMPLETE] = { 0, "complete", NULL,
                       "print what the last of the words behind -- may become" },
    { 0 },
};

struct help_opts {
    const struct mpl_cmd *cmd; /* NULL: the program as a whole */
    bool only_words;
    bool is_completing;
    const char **words; /* To be completed. */
    size_t n_words;
};

static enum mpl_status parse(struct mpl_args *args, struct mpl_arena *arena,
                             struct help_opts *opts, struct mpl_err *err)
{
    const struct mpl_option *option = NULL;
    const char *value = NULL;
    enum mpl_status st = MPL_OK;

    opts->words = MPL_NEW_ARRAY(arena, (size_t) args->n + 1, const char *);
    if (opts->words == NULL) {
        return mpl_nomem(err);
    }
    while ((st = mpl_args_next(args, &option, &value, err)) == MPL_OK) {
        if (option != NULL) {
            opts->only_words |= option == &options[OPT_LIST];
            opts->is_completing |= option == &options[OPT_COMPLETE];
        } else if (opts->is_completing) {
            opts->words[opts->n_words++] = value;
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

static enum mpl_status help(const struct help_opts *opts, struct mpl_arena *arena,
                            FILE *out, struct mpl_err *err)
{
    if (opts->is_completing) {
        return mpl_complete(opts->words, opts->n_words, arena, out, err);
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
    struct mpl_arena *arena = mpl_arena_create();

    if (arena == NULL) {
        return mpl_nomem(err);
    }
    enum mpl_status st = parse(args, arena, &opts, err);
    st = st == MPL_OK ? help(&opts, arena, out, err) : st;
    mpl_arena_destroy(arena);
    return st;
}

const struct mpl_cmd mpl_cmd_help = {
    .name = "help",
    .operands = "[COMMAND]",
    .summary = "print the usage of marple or of a command",
    .options = options,
    .run = run,
};
