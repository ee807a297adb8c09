#include "config.h"

#include "cli/traces_priv.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "archive/archive.h"
#include "experiment/experiment.h"

void mpl_trace_tell(const char *path)
{
    struct mpl_arena *arena = mpl_arena_create();
    const char *anchor = NULL;
    size_t n = strlen(path);

    while (n > 1 && path[n - 1] == '/') {
        n--;
    }
    if (arena != NULL && mpl_anchor_find(path, arena, &anchor, NULL) == MPL_OK &&
        strncmp(anchor, path, n) == 0 && anchor[n] != '\0' &&
        strchr(anchor + n + 1, '/') != NULL) {
        mpl_text_print(stderr, "marple: note: the only archive below \"%s\" is \"%s\"\n",
                       path, anchor);
    }
    mpl_arena_destroy(arena);
}

void mpl_notes_tell(const struct mpl_quality *quality, const char *prefix)
{
    for (size_t i = 0; i < mpl_quality_count(quality); i++) {
        const struct mpl_quality_note *note = mpl_quality_get(quality, i);

        if (strncmp(note->note, prefix, strlen(prefix)) == 0) {
            mpl_text_print(stderr, "marple: note: %s: %" PRIu64 ": %s\n", note->note,
                           note->count, note->text);
        }
    }
}

enum mpl_status mpl_trace_analyse(const char *path, bool needs_findings,
                                  const struct mpl_knowledge_asked *knowledge,
                                  const struct mpl_clock_options *clock,
                                  struct mpl_arena *arena, struct mpl_analysis **out,
                                  struct mpl_err *err)
{
    struct mpl_progress_line line;
    struct mpl_directories directories = { 0 };

    mpl_trace_tell(path);
    mpl_progress_line_open(&line, stderr);
    enum mpl_status st = mpl_directories_find(knowledge, arena, &directories, err);
    if (st == MPL_OK) {
        const struct mpl_analysis_options asked = {
            .knowledge = directories.paths,
            .n_knowledge = directories.n,
            .is_tested = mpl_directories_are_stock(&directories),
            .clock = clock,
            .progress = &line.progress,
        };

        st = needs_findings ? mpl_analysis_run(&path, 1, &asked, out, err)
                            : mpl_analysis_check(path, &asked, out, err);
    }
    mpl_progress_line_close(&line);
    if (st != MPL_OK) {
        return st;
    }
    /* A trace without any duration has an order all the same. */
    const struct mpl_run *run = &mpl_analysis_diagnosis(*out)->runs[0];

    if (run->events == NULL || run->model->n_events == 0) {
        (void) mpl_fail(err, MPL_E_MEANING, "%s", run->failure);
        return mpl_wrap(err, MPL_E_MEANING, "the trace cannot be used");
    }
    return MPL_OK;
}

struct gathering {
    struct mpl_arena *arena;
    struct mpl_buf
        runs; /* struct mpl_manifest_run; nothing but a trace where nothing is noted */
    size_t n_noted;
    struct mpl_buf failed; /* const char * */
};

static enum mpl_status take_manifest(struct gathering *g, const char *path,
                                     struct mpl_err *err)
{
    struct mpl_lint *lint = mpl_lint_create(g->arena);
    const struct mpl_manifest *manifest = NULL;

    if (lint == NULL) {
        return mpl_nomem(err);
    }
    const enum mpl_status st = mpl_manifest_read(path, g->arena, lint, &manifest, err);

    mpl_lint_print(lint, stderr);
    for (size_t i = 0; st == MPL_OK && i < manifest->n; i++) {
        if (!mpl_buf_put(&g->runs, &manifest->runs[i])) {
            return mpl_nomem(err);
        }
        g->n_noted++;
    }
    return st;
}

static enum mpl_status take_word(struct gathering *g, const char *word, struct mpl_err *err)
{
    const char *path = mpl_arena_printf(g->arena, "%s/case.yaml", word);

    if (path == NULL) {
        return mpl_nomem(err);
    }
    if (access(path, F_OK) != 0) {
        return mpl_buf_put(&g->runs, &(struct mpl_manifest_run){ .trace = word })
                   ? MPL_OK
                   : mpl_nomem(err);
    }
    const char *const *lines = NULL;
    size_t n = 0;
    enum mpl_status st = take_manifest(g, word, err);

    if (st == MPL_OK) {
        mpl_case_failures_in(word, g->arena, &lines, &n);
    }
    for (size_t i = 0; i < n && st == MPL_OK; i++) {
        st = mpl_buf_put(&g->failed, &lines[i]) ? MPL_OK : mpl_nomem(err);
    }
    return st;
}

static enum mpl_status hand_out(struct gathering *g, struct mpl_traces_found *out,
                                struct mpl_err *err)
{
    struct mpl_manifest *manifest = MPL_NEW(g->arena, struct mpl_manifest);
    const size_t n = g->runs.n;
    const struct mpl_manifest_run *runs = mpl_buf_take(&g->runs, g->arena);

    out->paths = MPL_NEW_ARRAY(g->arena, n, const char *);
    if (manifest == NULL || runs == NULL || out->paths == NULL) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < n; i++) {
        out->paths[i] = runs[i].trace;
        mpl_trace_tell(runs[i].trace);
    }
    *manifest = (struct mpl_manifest){ .n = n, .runs = runs };
    out->n = n;
    out->manifest = g->n_noted > 0 ? manifest : NULL;
    out->n_failed = g->failed.n;
    out->failed = mpl_buf_take(&g->failed, g->arena);
    return out->failed != NULL ? MPL_OK : mpl_nomem(err);
}

enum mpl_status mpl_traces_find(const struct mpl_traces_asked *asked,
                                struct mpl_arena *arena, struct mpl_traces_found *out,
                                struct mpl_err *err)
{
    struct gathering g = { .arena = arena,
                           .runs = mpl_buf_make(sizeof(struct mpl_manifest_run)),
                           .failed = mpl_buf_make(sizeof(const char *)) };
    enum mpl_status st = MPL_OK;

    for (size_t i = 0; i < asked->manifests.n && st == MPL_OK; i++) {
        st = take_manifest(&g, asked->manifests.items[i], err);
    }
    for (size_t i = 0; i < asked->words.n && st == MPL_OK; i++) {
        st = take_word(&g, asked->words.items[i], err);
    }
    st = st == MPL_OK ? hand_out(&g, out, err) : st;
    mpl_buf_free(&g.runs);
    mpl_buf_free(&g.failed);
    return st;
}

/* ---- to be diagnosed --------------------------------------------------------------------------- */

enum mpl_status mpl_traces_prepare(struct mpl_traces_work *traces, struct mpl_arena *arena,
                                   struct mpl_err *err)
{
    const enum mpl_status st =
        mpl_directories_find(&traces->knowledge, arena, &traces->directories, err);

    if (st != MPL_OK) {
        return st;
    }
    mpl_knowledge_tell(&traces->knowledge, arena);
    return mpl_traces_find(&traces->asked, arena, &traces->found, err);
}

enum mpl_status mpl_traces_analyse(const struct mpl_traces_work *traces,
                                   struct mpl_analysis_options *asked,
                                   struct mpl_analysis **out, struct mpl_err *err)
{
    struct mpl_progress_line line;

    asked->knowledge = traces->directories.paths;
    asked->n_knowledge = traces->directories.n;
    asked->is_tested = mpl_directories_are_stock(&traces->directories);
    asked->manifest = traces->found.manifest;
    asked->clock = &traces->clock;
    asked->progress = &line.progress;
    mpl_progress_line_open(&line, stderr);
    const enum mpl_status st =
        mpl_analysis_run(traces->found.paths, traces->found.n, asked, out, err);
    mpl_progress_line_close(&line);
    if (*out != NULL) {
        mpl_lint_print(mpl_analysis_lint(*out), stderr);
    }
    return st;
}
