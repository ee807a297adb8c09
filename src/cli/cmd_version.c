#include "config.h"

#include "cli/cli_priv.h"

static enum mpl_status run(struct mpl_args *args, FILE *out, struct mpl_err *err)
{
    const struct mpl_option *option = NULL;
    const char *value = NULL;
    const enum mpl_status st = mpl_args_next(args, &option, &value, err);

    if (st != MPL_END) {
        return st < 0 ? st : mpl_args_unexpected(args, value, err);
    }
    mpl_text_print(out, "marple %s\n", PACKAGE_VERSION);
    return MPL_OK;
}

const struct mpl_cmd mpl_cmd_version = {
    .name = "version",
    .operands = "",
    .summary = "print the version of marple",
    .run = run,
};
