#include "config.h"

#include "cli/sides_priv.h"

#include "cli/cli_priv.h"
#include "cli/traces_priv.h"

enum mpl_status mpl_take_base(struct mpl_args *args, void *target, struct mpl_err *err)
{
    struct mpl_sides_asked *asked = (struct mpl_sides_asked *) target;

    asked->at = MPL_SIDE_BASE;
    return mpl_take_words(args, &asked->words[MPL_SIDE_BASE], err);
}

enum mpl_status mpl_take_new(struct mpl_args *args, void *target, struct mpl_err *err)
{
    struct mpl_sides_asked *asked = (struct mpl_sides_asked *) target;

    asked->at = MPL_SIDE_NEW;
    return mpl_take_words(args, &asked->words[MPL_SIDE_NEW], err);
}

enum mpl_status mpl_take_side(struct mpl_args *args, void *target, struct mpl_err *err)
{
    struct mpl_sides_asked *asked = (struct mpl_sides_asked *) target;
    const bool is_plain = asked->at == MPL_SIDES;
    const int side = is_plain ? (asked->words[MPL_SIDE_BASE].n > 0) : asked->at;

    if (is_plain && asked->words[side].n > 0) {
        return mpl_args_unexpected(args, err);
    }
    asked->has_plain |= is_plain;
    return mpl_take_words(args, &asked->words[side], err);
}

bool mpl_sides_is_one(const struct mpl_sides_asked *asked)
{
    return asked->words[MPL_SIDE_BASE].n == 1 && asked->words[MPL_SIDE_NEW].n == 0;
}

enum mpl_status mpl_sides_check(const struct mpl_sides_asked *asked, struct mpl_err *err)
{
    if (asked->has_plain && asked->at != MPL_SIDES) {
        return mpl_fail(
            err, MPL_E_USAGE,
            "\"%s\" is neither behind --base nor behind --new: either both runs "
            "are named without these options, or all are behind them",
            asked->words[MPL_SIDE_BASE].items[0]);
    }
    if (asked->at != MPL_SIDES) {
        const int missing = asked->words[MPL_SIDE_BASE].n == 0  ? MPL_SIDE_BASE
                            : asked->words[MPL_SIDE_NEW].n == 0 ? MPL_SIDE_NEW
                                                                : MPL_SIDES;

        return missing == MPL_SIDES
                   ? MPL_OK
                   : mpl_fail(err, MPL_E_USAGE, "option \"--%s\" needs \"--%s\" beside it",
                              missing == MPL_SIDE_BASE ? "new" : "base",
                              missing == MPL_SIDE_BASE ? "base" : "new");
    }
    return asked->words[MPL_SIDE_NEW].n > 0
               ? MPL_OK
               : mpl_fail(err, MPL_E_USAGE,
                          "diff needs two traces: what to compare with, and what is new");
}

static enum mpl_status find(const struct mpl_sides_asked *asked, int side,
                            struct mpl_arena *arena, struct mpl_traces_found *out,
                            struct mpl_err *err)
{
    struct mpl_traces_asked words = {
        .words.items = MPL_NEW_ARRAY(arena, asked->words[side].n, const char *),
        .manifests.items = MPL_NEW_ARRAY(arena, asked->words[side].n, const char *),
    };

    if (words.words.items == NULL || words.manifests.items == NULL) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < asked->words[side].n; i++) {
        const char *word = asked->words[side].items[i];

        if (mpl_ends_with(word, ".yaml") || mpl_ends_with(word, ".yml")) {
            words.manifests.items[words.manifests.n++] = word;
        } else {
            words.words.items[words.words.n++] = word;
        }
    }

    const enum mpl_status st = mpl_traces_find(&words, arena, out, err);

    if (st == MPL_OK && out->n == 0) {
        return mpl_fail(err, MPL_E_MEANING, "\"%s\" has no run that left a trace",
                        asked->words[side].items[0]);
    }
    return st;
}

static enum mpl_status read_side(const struct mpl_traces_found *traces,
                                 const struct mpl_buf *ranks,
                                 const struct mpl_clock_options *clock,
                                 struct mpl_arena *arena, struct mpl_analysis ***analyses,
                                 struct mpl_diff_runs *out, struct mpl_err *err)
{
    struct mpl_progress_line line;
    const struct mpl_run **runs = MPL_NEW_ARRAY(arena, traces->n, const struct mpl_run *);
    enum mpl_status st = MPL_OK;

    *analyses = MPL_NEW_ARRAY(arena, traces->n, struct mpl_analysis *);
    if (runs == NULL || *analyses == NULL) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < traces->n && st == MPL_OK; i++) {
        out->n = i + 1;
        mpl_progress_line_open(&line, stderr);
        st = mpl_analysis_calls(traces->paths[i], ranks == NULL ? NULL : ranks->data,
                                ranks == NULL ? 0 : ranks->n, clock, &line.progress,
                                &(*analyses)[i], err);
        mpl_progress_line_close(&line);
        runs[i] = st == MPL_OK ? &mpl_analysis_diagnosis((*analyses)[i])->runs[0] : NULL;
    }
    out->runs = runs;
    return st;
}

enum mpl_status mpl_sides_read(const struct mpl_sides_asked *asked,
                               const struct mpl_buf *ranks,
                               const struct mpl_clock_options *clock,
                               struct mpl_arena *arena, struct mpl_sides_read *out,
                               struct mpl_err *err)
{
    enum mpl_status st = MPL_OK;

    *out = (struct mpl_sides_read){ 0 };
    for (int s = 0; s < MPL_SIDES && st == MPL_OK && asked->words[s].n > 0; s++) {
        struct mpl_traces_found traces;

        st = find(asked, s, arena, &traces, err);
        st = st == MPL_OK ? read_side(&traces, s == MPL_SIDE_BASE ? ranks : NULL, clock,
                                      arena, &out->analyses[s], &out->runs[s], err)
                          : st;
    }
    return st;
}

void mpl_sides_close(struct mpl_sides_read *sides)
{
    for (int s = 0; s < MPL_SIDES; s++) {
        for (size_t i = 0; i < sides->runs[s].n; i++) {
            mpl_analysis_destroy(sides->analyses[s][i]);
        }
    }
}
