/*
 * The story of an investigation in the manner of Hercule (Li and Malony, Model-based performance
 * diagnosis of master-worker parallel computations, 2006, fig. 7): level by level what is measured and
 * why, the command, and what was found.
 */
#include "config.h"

#include "report/report_priv.h"

#include <math.h>
#include <string.h>

enum { WIDTH_DEFAULT = 92 };

static void say_level(struct mpl_narrative *n, struct page *page, int level,
                      const char *text, const struct mpl_case_run *run)
{
    /* Several questions of a level belong together. */
    if (n->last != MPL_NEWS_LEVEL || n->level != level) {
        fputs("=====\n", n->out);
    }
    if (run != NULL) {
        mpl_page_say(page, 0, "Level %d experiment - %s. (%s answers it.)", level, text,
                     run->id);
    } else {
        mpl_page_say(page, 0, "Level %d experiment - %s.", level, text);
    }
}

/* Never wrapped, so that it can be copied. */
static void say_command(const struct mpl_narrative *n, struct page *page,
                        const struct mpl_case_run *run)
{
    fputs("  $ ", n->out);
    for (size_t i = 0; i < run->n_environment; i++) {
        const char *value = mpl_words_print(&run->environment[i].value, 1, page->scratch);

        mpl_text_print(n->out, "%s=%s ", run->environment[i].name,
                       value != NULL ? value : "?");
    }
    const char *words = mpl_words_print(run->words, run->n_words, page->scratch);
    mpl_text_print(n->out, "%s\n", words != NULL ? words : "?");
}

static void say_tail(const struct mpl_narrative *n, const char *text)
{
    while (*text != '\0') {
        const size_t length = strcspn(text, "\n");

        mpl_text_print(n->out, "    | %.*s\n", (int) length, text);
        text += length + (text[length] == '\n');
    }
}

static const char *joined(struct page *page, const char *const *words, size_t n)
{
    const char *text = "";

    for (size_t i = 0; i < n && text != NULL; i++) {
        text = mpl_arena_printf(page->scratch, "%s%s%s", text, i > 0 ? "; " : "", words[i]);
    }
    return text != NULL ? text : "?";
}

/* "2 cores, load 1.3 before, 0.4 of the cores used by others meanwhile; ranks 0-7 on cores 0-1" */
static void say_machine(struct page *page, const struct mpl_case_run *run)
{
    const char *text = mpl_arena_printf(page->scratch, "Machine: %u core%s", run->cores,
                                        run->cores == 1 ? "" : "s");

    if (text != NULL && isfinite(run->load)) {
        text = mpl_arena_printf(page->scratch, "%s, load %.2g before", text, run->load);
    }
    if (text != NULL && isfinite(run->foreign_cores)) {
        text = mpl_arena_printf(page->scratch, "%s, %.2g cores busy with other programs",
                                text, run->foreign_cores);
    }
    if (text != NULL && run->n_placement > 0) {
        text = mpl_arena_printf(page->scratch, "%s; ranks on cores: %s", text,
                                joined(page, run->placement, run->n_placement));
    }
    mpl_page_say(page, 2, "%s.", text != NULL ? text : "?");
}

static void say_end(const struct mpl_narrative *n, struct page *page, const char *text,
                    const struct mpl_case_run *run)
{
    const char *seconds = mpl_page_seconds(page, run->duration_s);

    if (run->outcome == MPL_OUTCOME_OK) {
        const char *with =
            run->processes > 0
                ? mpl_arena_printf(page->scratch, " with %u processes", run->processes)
                : "";

        mpl_page_say(page, 2, "%s ran in %s%s; the trace has %s bytes.", run->id, seconds,
                     with != NULL ? with : "", mpl_page_count(page, run->trace_bytes));
        say_machine(page, run);
        say_tail(n, text);
        return;
    }
    mpl_page_say(page, 2, "%s: %s, after %s: %s.", run->id, mpl_outcome_name(run->outcome),
                 seconds, run->problem != NULL ? run->problem : "?");
    if (run->outcome != MPL_OUTCOME_INTERRUPTED) {
        say_tail(n, text);
    }
    if (run->partial != NULL) {
        mpl_page_say(page, 2, "What it had recorded until then is in %s.", run->partial);
    }
}

static void say(struct mpl_narrative *n, struct page *page, enum mpl_news what, int level,
                const char *text, const struct mpl_case_run *run)
{
    switch (what) {
    case MPL_NEWS_LEVEL:
        say_level(n, page, level, text, run);
        break;
    case MPL_NEWS_WHY:
        mpl_page_say(page, 2, "%s", text);
        break;
    case MPL_NEWS_COMMAND:
        say_command(n, page, run);
        break;
    case MPL_NEWS_RAN:
        say_end(n, page, text, run);
        break;
    case MPL_NEWS_FOUND:
        fputs("-----\n", n->out);
        mpl_page_say(page, 0, "%s", text);
        break;
    case MPL_NEWS_ASKED:
        if (n->last != MPL_NEWS_ASKED) {
            fputs("=====\nAsked for, and not carried out:\n", n->out);
        }
        mpl_page_tell(page, 2, "* ", "level %d: %s", level, text);
        break;
    default:
        fputs("=====\n", n->out);
        mpl_page_say(page, 0, "Diagnosing finished: %s.", text);
        (void) fputc('\n', n->out);
        break;
    }
}

void mpl_report_step(void *context, enum mpl_news what, int level, const char *text,
                     const struct mpl_case_run *run)
{
    struct mpl_narrative *n = context;
    struct mpl_arena *scratch = mpl_arena_create();
    struct page page = { .out = n->out,
                         .width = n->width != 0 ? n->width : WIDTH_DEFAULT,
                         .scratch = scratch };

    if (scratch == NULL || what == MPL_NEWS_RUNNING) {
        mpl_arena_destroy(scratch);
        return;
    }
    if (n->level == 0) {
        fputs("Begin diagnosing ...\n", n->out);
    }
    say(n, &page, what, level, text, run);
    n->last = what;
    n->level = level > 0 ? level : 1;
    /* At once: a run may take long. */
    (void) fflush(n->out);
    mpl_arena_destroy(scratch);
}

void mpl_page_failed(struct page *page, const struct mpl_report_options *options)
{
    if (options->n_failed > 0) {
        mpl_page_heading(page, "Runs that failed (what follows knows nothing of them)");
    }
    for (size_t i = 0; i < options->n_failed; i++) {
        mpl_page_tell(page, 2, "* ", "%s", options->failed[i]);
    }
}
