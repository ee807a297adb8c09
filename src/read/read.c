#include "config.h"

#include "read/baseline_priv.h"
#include "read/otf2_priv.h"

#include <string.h>

enum { TEXT_LIMIT = 64 * 1024 * 1024 };

/*
 * What decides whether a file is a text trace with mistakes, of which each is reported, or something
 * else: a text trace has a line that begins with "rank" and a number.
 */
static bool has_rank(const char *text, size_t n)
{
    const char *const end = text + n;

    for (const char *line = text; line < end;) {
        const char *next = memchr(line, '\n', (size_t) (end - line));

        line += strspn(line, " \t");
        if (strncmp(line, "rank", 4) == 0) {
            const char *number = line + 4 + strspn(line + 4, " \t");

            if (number > line + 4 && *number >= '0' && *number <= '9') {
                return true;
            }
        }
        line = next == NULL ? end : next + 1;
    }
    return false;
}

static enum mpl_status read_text_file(const char *path, struct mpl_arena *arena,
                                      struct mpl_model **out, struct mpl_err *err)
{
    struct mpl_lint *lint = mpl_lint_create(arena);
    char *text = NULL;
    size_t n = 0;

    if (lint == NULL) {
        return mpl_nomem(err);
    }
    const enum mpl_status st = mpl_file_read(path, TEXT_LIMIT, arena, &text, &n, err);
    if (st != MPL_OK) {
        return st;
    }
    if (memchr(text, '\0', n) != NULL || !has_rank(text, n)) {
        return mpl_fail(err, MPL_E_SYNTAX,
                        "\"%s\" is not a trace: neither an OTF2 anchor (*.otf2) nor a text "
                        "with lines \"rank 0: ...\"",
                        path);
    }
    return mpl_read_text(path, text, n, arena, lint, out, err);
}

/* No text trace begins so. */
static enum mpl_status look_for_brace(const char *path, bool *has_brace,
                                      struct mpl_err *err)
{
    FILE *file = NULL;
    const enum mpl_status st = mpl_file_stream(path, &file, err);

    *has_brace = st == MPL_OK && fgetc(file) == '{';
    if (st == MPL_OK) {
        (void) fclose(file);
    }
    return st;
}

static enum mpl_status read_file(const char *path, struct mpl_arena *arena,
                                 struct mpl_model **out, struct mpl_err *err)
{
    bool is_baseline = false;
    const enum mpl_status st = look_for_brace(path, &is_baseline, err);

    if (st != MPL_OK) {
        return st;
    }
    return is_baseline ? mpl_read_baseline(path, arena, out, err)
                       : read_text_file(path, arena, out, err);
}

enum mpl_status mpl_read(const char *path, struct mpl_arena *arena,
                         const struct mpl_progress *progress, struct mpl_model **out,
                         struct mpl_err *err)
{
    struct mpl_model *model = NULL;
    const char *anchor = NULL;
    enum mpl_status st = mpl_anchor_find(path, arena, &anchor, err);

    if (st == MPL_OK) {
        st = mpl_read_otf2(anchor, arena, progress, &model, err);
    } else if (st == MPL_END) {
        st = read_file(path, arena, &model, err);
    }
    if (st != MPL_OK) {
        return mpl_wrap(err, st, "cannot read trace \"%s\"", path);
    }
    model->path = mpl_arena_strdup(arena, path);
    if (model->path == NULL) {
        return mpl_nomem(err);
    }
    *out = model;
    return MPL_OK;
}
