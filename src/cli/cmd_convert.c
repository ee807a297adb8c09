#include "config.h"

#include "cli/cli_priv.h"
#include "cli/traces_priv.h"

#include "archive/archive.h"
#include "read/read.h"

struct convert_opts {
    const char *from;
    const char *to;
    bool force;
};

static const struct mpl_option options[] = {
    { 'f', "force", NULL, "replace DIRECTORY if it exists",
      MPL_INTO(mpl_take_flag, struct convert_opts, force) },
    { 0 },
};

static enum mpl_status take_operand(struct mpl_args *args, void *target,
                                    struct mpl_err *err)
{
    struct convert_opts *opts = (struct convert_opts *) target;

    return mpl_take_once(args, opts->from == NULL ? &opts->from : &opts->to, err);
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

static enum mpl_status convert(const struct convert_opts *opts, struct mpl_arena *arena,
                               struct mpl_err *err)
{
    struct mpl_progress_line line;
    struct mpl_model *model = NULL;

    mpl_trace_tell(opts->from);
    mpl_progress_line_open(&line, stderr);
    enum mpl_status st = mpl_read(opts->from, arena, &line.progress, &model, err);
    mpl_progress_line_close(&line);
    st = st == MPL_OK ? write_archive(opts, model, arena, err) : st;
    if (st == MPL_OK) {
        /* The archive is whole, and nobody will see there what the trace lacked. */
        mpl_notes_tell(model->quality, "");
    }
    return st;
}

static enum mpl_status run(struct mpl_args *args, FILE *out, struct mpl_err *err)
{
    struct convert_opts opts = { 0 };
    const enum mpl_status st = mpl_args_parse(args, &opts, take_operand, &opts, err);

    (void) out; /* the answer is the directory */
    if (st == MPL_OK && opts.to == NULL) {
        return mpl_fail(err, MPL_E_USAGE,
                        "convert needs a trace and a directory to write to");
    }
    return st == MPL_OK ? convert(&opts, args->arena, err) : st;
}

const struct mpl_cmd mpl_cmd_convert = {
    .name = "convert",
    .operands = "TRACE DIRECTORY",
    .summary = "write a trace, e.g. a text trace, as an OTF2 archive into a new directory",
    .options = options,
    .run = run,
};
