#include "config.h"

#include "cli/cli_priv.h"
#include "cli/traces_priv.h"

#include "archive/archive.h"
#include "read/read.h"

enum { OPT_FORCE };

static const struct mpl_option options[] = {
    [OPT_FORCE] = { 'f', "force", NULL, "replace DIRECTORY if it exists" },
    { 0 },
};

struct convert_opts {
    const char *from;
    const char *to;
    bool force;
};

static enum mpl_status parse(struct mpl_args *args, struct convert_opts *opts,
                             struct mpl_err *err)
{
    const struct mpl_option *option = NULL;
    const char *value = NULL;
    enum mpl_status st = MPL_OK;

    while ((st = mpl_args_next(args, &option, &value, err)) == MPL_OK) {
        if (option != NULL) {
            opts->force = true;
        } else if (opts->from == NULL) {
            opts->from = value;
        } else if (opts->to == NULL) {
            opts->to = value;
        } else {
            return mpl_args_unexpected(args, value, err);
        }
    }
    if (st == MPL_END && opts->to == NULL) {
        return mpl_fail(err, MPL_E_USAGE,
                        "convert needs a trace and a directory to write to");
    }
    return st == MPL_END ? MPL_OK : st;
}

static enum mpl_status write_archive(const struct convert_opts *opts,
                                     const struct mpl_model *model, struct mpl_arena *arena,
                                     struct mpl_err *err)
{
    enum mpl_status st = mpl_dir_check_source(opts->from, opts->to, arena, err);

    if (st != MPL_OK) {
        return mpl_wrap(err, st, "cannot write archive \"%s\"", opts->to);
    }
    const unsigned held = mpl_ends_hold();
    st = mpl_write_otf2(model, opts->to, opts->force, err);
    mpl_ends_let_go(held);
    return st;
}

static enum mpl_status convert(const struct convert_opts *opts, struct mpl_err *err)
{
    struct mpl_progress_line line;
    struct mpl_model *model = NULL;
    struct mpl_arena *arena = mpl_arena_create();

    if (arena == NULL) {
        return mpl_nomem(err);
    }
    mpl_trace_tell(opts->from);
    mpl_progress_line_open(&line, stderr);
    enum mpl_status st = mpl_read(opts->from, arena, &line.progress, &model, err);
    mpl_progress_line_close(&line);
    if (st == MPL_OK) {
        st = write_archive(opts, model, arena, err);
    }
    mpl_arena_destroy(arena);
    return st;
}

static enum mpl_status run(struct mpl_args *args, FILE *out, struct mpl_err *err)
{
    struct convert_opts opts = { 0 };
    const enum mpl_status st = parse(args, &opts, err);

    (void) out; /* the answer is the directory */
    return st == MPL_OK ? convert(&opts, err) : st;
}

const struct mpl_cmd mpl_cmd_convert = {
    .name = "convert",
    .operands = "TRACE DIRECTORY",
    .summary = "write a trace, e.g. a text trace, as an OTF2 archive into a new directory",
    .options = options,
    .run = run,
};
