#include "config.h"

#include "cli/cli.h"
#include "cli/cli_priv.h"

#include <string.h>

static const struct mpl_cmd *const commands[] = {
    &mpl_cmd_diagnose, &mpl_cmd_plan, &mpl_cmd_run,   &mpl_cmd_trace, &mpl_cmd_check,
    &mpl_cmd_diff,     &mpl_cmd_view, &mpl_cmd_order, &mpl_cmd_sync,  &mpl_cmd_convert,
    &mpl_cmd_pattern,  &mpl_cmd_rule, &mpl_cmd_vocab, &mpl_cmd_help,  &mpl_cmd_version,
};
enum { N_COMMANDS = sizeof commands / sizeof *commands };

const struct mpl_cmd *const *mpl_commands(size_t *n)
{
    *n = N_COMMANDS;
    return commands;
}

const struct mpl_cmd *mpl_command_find(const char *name)
{
    for (size_t i = 0; i < N_COMMANDS; i++) {
        if (strcmp(commands[i]->name, name) == 0) {
            return commands[i];
        }
    }
    return NULL;
}

enum mpl_status mpl_command_fail(const char *name, struct mpl_err *err)
{
    const char *names[N_COMMANDS];

    for (size_t i = 0; i < N_COMMANDS; i++) {
        names[i] = commands[i]->name;
    }
    const char *near = mpl_suggest(name, names, N_COMMANDS);
    if (near != NULL) {
        return mpl_fail(err, MPL_E_USAGE, "unknown command \"%s\"; did you mean \"%s\"?",
                        name, near);
    }
    return mpl_fail(err, MPL_E_USAGE, "unknown command \"%s\"", name);
}

static void print_option(const struct mpl_option *option, FILE *out)
{
    char left[128];
    const char letter[] = { '-', option->letter, ',', ' ', '\0' };

    snprintf(left, sizeof left, "%s--%s%s%s", option->letter != 0 ? letter : "    ",
             option->name, option->argument != NULL ? " " : "",
             option->argument != NULL ? option->argument : "");
    /* A long option stands on a line of its own, so that the clauses stay in one column. */
    if (strlen(left) > 24) {
        mpl_text_print(out, "  %s\n%28s%s\n", left, "", option->says);
    } else {
        mpl_text_print(out, "  %-24s  %s\n", left, option->says);
    }
}

void mpl_command_print(const struct mpl_cmd *cmd, FILE *out)
{
    static const struct mpl_option help = { .letter = 'h',
                                            .name = "help",
                                            .says = "print this" };

    mpl_text_print(out, "usage: marple %s [OPTION...]%s%s\n\n", cmd->name,
                   cmd->operands[0] != '\0' ? " " : "", cmd->operands);
    mpl_text_print(out, "%s\n\n", cmd->summary);
    for (const struct mpl_option *o = cmd->options; o != NULL && o->name != NULL; o++) {
        print_option(o, out);
    }
    print_option(&help, out);
    mpl_text_print(out, "\nmarple-%s(1) says more.\n", cmd->name);
}

void mpl_commands_print(FILE *out)
{
    mpl_text_print(out, "usage: marple COMMAND [OPTION...] [OPERAND...]\n\n"
                        "Finds out from event traces why a parallel program is slow.\n\n");
    for (size_t i = 0; i < N_COMMANDS; i++) {
        mpl_text_print(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    }
    mpl_text_print(out,
                   "\nmarple help COMMAND shows the options of a command.\n"
                   "Exit status: 0 ran; 1 ran, and a finding reaches --fail-on; 2 usage;\n"
                   "3 input cannot be analysed; 4 a bug of marple.\n");
}
