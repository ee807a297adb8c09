#include "config.h"

#include "cli/cli.h"
#include "cli/cli_priv.h"

#include <string.h>

static enum mpl_exit exit_of(enum mpl_status status)
{
    switch (status) {
    case MPL_OK:
        return MPL_EXIT_OK;
    case MPL_END:
        return MPL_EXIT_FOUND;
    case MPL_E_USAGE:
        return MPL_EXIT_USAGE;
    case MPL_E_BUG:
        return MPL_EXIT_BUG;
    default:
        return MPL_EXIT_INPUT;
    }
}

static bool wants_help(int n, const char *const *words)
{
    for (int i = 0; i < n && strcmp(words[i], "--") != 0; i++) {
        if (strcmp(words[i], "-h") == 0 || strcmp(words[i], "--help") == 0) {
            return true;
        }
    }
    return false;
}

/* What a full disk swallows must not look like success. */
static enum mpl_status flush(FILE *out, enum mpl_status status, struct mpl_err *err)
{
    const enum mpl_status st = mpl_file_flush(out, status >= 0 ? err : NULL);

    if (st != MPL_OK && status >= 0) {
        return mpl_wrap(err, st, "cannot write standard output");
    }
    return status;
}

static enum mpl_status run_command(int n, const char *const *words, FILE *out,
                                   const char **name, struct mpl_err *err)
{
    const char *word = words[0];

    if (strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0) {
        word = "help";
    } else if (strcmp(word, "-V") == 0 || strcmp(word, "--version") == 0) {
        word = "version";
    } else if (word[0] == '-') {
        return mpl_fail(err, MPL_E_USAGE, "unknown option \"%s\" before a command", word);
    }
    const struct mpl_cmd *cmd = mpl_command_find(word);
    if (cmd == NULL) {
        return mpl_command_fail(word, err);
    }
    *name = cmd == &mpl_cmd_help ? NULL : cmd->name;
    if (wants_help(n - 1, words + 1)) {
        mpl_command_print(cmd, out);
        return MPL_OK;
    }
    struct mpl_args args = {
        .cmd = cmd, .n = n - 1, .words = words + 1, .arena = mpl_arena_create()
    };
    const enum mpl_status st =
        args.arena != NULL ? cmd->run(&args, out, err) : mpl_nomem(err);
    mpl_arena_destroy(args.arena);
    return st;
}

enum mpl_exit mpl_cli_main(int n, const char *const *words, FILE *out)
{
    struct mpl_err err = { 0 };
    const char *name = NULL;

    if (n == 0) {
        mpl_commands_print(stderr);
        return MPL_EXIT_USAGE;
    }
    const enum mpl_status st = flush(out, run_command(n, words, out, &name, &err), &err);
    if (st < 0) {
        mpl_err_print(&err, stderr);
    }
    if (st == MPL_E_USAGE) {
        mpl_text_print(stderr, "try: marple help%s%s\n", name != NULL ? " " : "",
                       name != NULL ? name : "");
    }
    return exit_of(st);
}
