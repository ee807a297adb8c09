#include "config.h"

#include "cli/cli_priv.h"

static enum mpl_status run(struct mpl_args *args, FILE *out, struct mpl_err *err)
{
    const enum mpl_status st = mpl_args_parse(args, NULL, NULL, NULL, err);

    if (st != MPL_OK) {
        return st;
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
