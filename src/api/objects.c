#include "config.h"

#include "api/objects_priv.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Each object lives in an arena of its own, which it holds: destroying that frees both. */

const char *mpl_version(void)
{
    return PACKAGE_VERSION;
}

/* The error comes first, so that a pointer to one is a pointer to the other. */
struct owned_err {
    struct mpl_err err;
    struct mpl_arena *arena;
};

struct mpl_err *mpl_err_create(void)
{
    struct mpl_arena *arena = mpl_arena_create();
    struct owned_err *owned = arena == NULL ? NULL : MPL_NEW(arena, struct owned_err);

    if (owned == NULL) {
        mpl_arena_destroy(arena);
        return NULL;
    }
    owned->arena = arena;
    return &owned->err;
}

void mpl_err_destroy(struct mpl_err *err)
{
    if (err != NULL) {
        mpl_arena_destroy(((struct owned_err *) err)->arena);
    }
}

struct mpl_traces *mpl_traces_create(void)
{
    struct mpl_arena *arena = mpl_arena_create();
    struct mpl_traces *traces = arena == NULL ? NULL : MPL_NEW(arena, struct mpl_traces);

    if (traces == NULL) {
        mpl_arena_destroy(arena);
        return NULL;
    }
    traces->arena = arena;
    traces->paths = mpl_buf_make(sizeof(const char *));
    return traces;
}

void mpl_traces_destroy(struct mpl_traces *traces)
{
    if (traces != NULL) {
        mpl_buf_free(&traces->paths);
        mpl_arena_destroy(traces->arena);
    }
}

static enum mpl_status add_text(struct mpl_arena *arena, struct mpl_buf *buf,
                                const char *text, struct mpl_err *err)
{
    const char *copy = mpl_arena_strdup(arena, text);

    return copy != NULL && mpl_buf_put(buf, &copy) ? MPL_OK : mpl_nomem(err);
}

enum mpl_status mpl_traces_add(struct mpl_traces *traces, const char *path,
                               struct mpl_err *err)
{
    if (traces == NULL) {
        return mpl_nomem(err);
    }
    if (access(path, R_OK) != 0) {
        return mpl_fail(err, MPL_E_IO, "cannot read \"%s\": %s", path, strerror(errno));
    }
    return add_text(traces->arena, &traces->paths, path, err);
}

struct mpl_options *mpl_options_create(void)
{
    struct mpl_arena *arena = mpl_arena_create();
    struct mpl_options *options = arena == NULL ? NULL : MPL_NEW(arena, struct mpl_options);

    if (options == NULL) {
        mpl_arena_destroy(arena);
        return NULL;
    }
    options->arena = arena;
    options->knowledge = mpl_buf_make(sizeof(const char *));
    options->roles = mpl_buf_make(sizeof(struct mpl_role_binding));
    options->clock = mpl_clock_defaults();
    return options;
}

void mpl_options_destroy(struct mpl_options *options)
{
    if (options != NULL) {
        mpl_buf_free(&options->knowledge);
        mpl_buf_free(&options->roles);
        mpl_arena_destroy(options->arena);
    }
}

/* Keeps a copy of a text that the caller may drop; NULL stays NULL. */
static enum mpl_status set_text(struct mpl_arena *arena, const char **field,
                                const char *text, struct mpl_err *err)
{
    const char *copy = text == NULL ? NULL : mpl_arena_strdup(arena, text);

    if (text != NULL && copy == NULL) {
        return mpl_nomem(err);
    }
    *field = copy;
    return MPL_OK;
}

enum mpl_status mpl_options_set_stock(struct mpl_options *options, const char *directory,
                                      struct mpl_err *err)
{
    return options == NULL ? mpl_nomem(err)
                           : set_text(options->arena, &options->stock, directory, err);
}

enum mpl_status mpl_options_add_knowledge(struct mpl_options *options,
                                          const char *directory, struct mpl_err *err)
{
    return options == NULL ? mpl_nomem(err)
                           : add_text(options->arena, &options->knowledge, directory, err);
}

enum mpl_status mpl_options_bind_role(struct mpl_options *options, const char *role,
                                      const char *const *labels, size_t n,
                                      struct mpl_err *err)
{
    if (options == NULL) {
        return mpl_nomem(err);
    }
    const char *name = mpl_arena_strdup(options->arena, role);
    const char **copies = MPL_NEW_ARRAY(options->arena, n, const char *);
    if (name == NULL || copies == NULL) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < n; i++) {
        copies[i] = mpl_arena_strdup(options->arena, labels[i]);
        if (copies[i] == NULL) {
            return mpl_nomem(err);
        }
    }
    const struct mpl_role_binding binding = { .role = name, .labels = copies, .n = n };

    return mpl_buf_put(&options->roles, &binding) ? MPL_OK : mpl_nomem(err);
}

enum mpl_status mpl_options_set_pattern(struct mpl_options *options, const char *pattern,
                                        struct mpl_err *err)
{
    return options == NULL ? mpl_nomem(err)
                           : set_text(options->arena, &options->pattern, pattern, err);
}

enum mpl_status mpl_options_set_clock(struct mpl_options *options, const char *choice,
                                      struct mpl_err *err)
{
    if (options == NULL) {
        return mpl_nomem(err);
    }
    return mpl_clock_choice_find(choice, &options->clock.choice)
               ? MPL_OK
               : mpl_fail(err, MPL_E_USAGE, "there is no clock \"%s\"", choice);
}

void mpl_options_set_progress(struct mpl_options *options, mpl_tell *tell, void *context)
{
    if (options != NULL) {
        options->progress = (struct mpl_progress){ .tell = tell, .context = context };
    }
}

struct mpl_looks *mpl_looks_create(void)
{
    struct mpl_arena *arena = mpl_arena_create();
    struct mpl_looks *looks = arena == NULL ? NULL : MPL_NEW(arena, struct mpl_looks);

    if (looks == NULL) {
        mpl_arena_destroy(arena);
        return NULL;
    }
    looks->arena = arena;
    return looks;
}

void mpl_looks_destroy(struct mpl_looks *looks)
{
    if (looks != NULL) {
        mpl_arena_destroy(looks->arena);
    }
}

void mpl_looks_set_top(struct mpl_looks *looks, size_t causes)
{
    if (looks != NULL) {
        looks->report.top = causes;
    }
}

void mpl_looks_set_width(struct mpl_looks *looks, int columns)
{
    if (looks != NULL) {
        looks->report.width = columns;
    }
}

void mpl_looks_set_verbose(struct mpl_looks *looks, bool is_verbose)
{
    if (looks != NULL) {
        looks->report.is_verbose = is_verbose;
    }
}
