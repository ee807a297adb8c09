/* marple pattern test: the examples of patterns, and a picture of those that go wrong. */
#include "config.h"

#include "cli/pattern_priv.h"
#include "cli/timeline_priv.h"

enum { MOST_LABELS = 12 };

struct testing {
    const struct mpl_pattern_opts *opts;
    const struct mpl_pattern *pattern;
    struct mpl_arena *arena; /* of one example */
    FILE *out;
    size_t n_wrong;
};

static void print_roles(const struct testing *t, const struct mpl_example_result *result)
{
    const struct mpl_model *model = mpl_events_model(result->events);

    for (size_t i = 0; i < mpl_pattern_role_count(t->pattern); i++) {
        const struct mpl_role *role = mpl_recognition_role(result->recognition, i);

        mpl_text_print(t->out, "    role %s: ", role->name);
        for (uint32_t j = 0; j < role->n && j < MOST_LABELS; j++) {
            mpl_text_print(t->out, "%s%s", j > 0 ? ", " : "",
                           model->locations[role->locations[j]].label);
        }
        if (role->n > MOST_LABELS) {
            mpl_text_print(t->out, " and %u more", role->n - MOST_LABELS);
        }
        mpl_text_print(t->out, "%s\n", role->n == 0 ? "nobody" : "");
    }
}

static void print_failures(const struct testing *t, const struct mpl_recognition *r,
                           uint32_t event)
{
    const char *text = NULL;
    uint64_t n = 0;

    for (size_t i = 0; mpl_recognition_failed(r, event, i, &text, &n); i++) {
        if (n > 0) {
            mpl_text_print(t->out, "; %llu match%s \"%s\"", (unsigned long long) n,
                           n == 1 ? " fails" : "es fail", text);
        }
    }
}

static void print_recognition(const struct testing *t,
                              const struct mpl_example_result *result,
                              const struct mpl_pattern_example *example)
{
    const struct mpl_recognition *r = result->recognition;

    if (r == NULL) {
        mpl_text_print(t->out, "    roles: %s\n", result->reason);
        return;
    }
    print_roles(t, result);
    for (uint32_t e = 0; e < mpl_pattern_event_count(t->pattern); e++) {
        const size_t n = mpl_recognition_count(result->recognition, e);

        mpl_text_print(t->out, "    event %s: %zu instance%s",
                       mpl_pattern_event(t->pattern, e), n, n == 1 ? "" : "s");
        for (size_t i = 0; i < example->n_expected; i++) {
            if (example->expected[i].event == e) {
                mpl_text_print(t->out, " (the example says %u)",
                               example->expected[i].instances);
            }
        }
        print_failures(t, result->recognition, e);
        fputc('\n', t->out);
    }
    mpl_text_print(
        t->out,
        "    coverage %.3g of the messages, at least %.3g; fit %.3g, at least %.3g\n",
        mpl_recognition_message_coverage(r), mpl_pattern_minimum_coverage(t->pattern),
        mpl_recognition_fit(r), mpl_pattern_minimum_fit(t->pattern));
}

static const char *title_of(const struct testing *t,
                            const struct mpl_pattern_example *example)
{
    const char *title = example->says != NULL   ? example->says
                        : example->file != NULL ? example->file
                                                : NULL;

    if (title == NULL) {
        title = mpl_arena_printf(t->arena, "the example at line %u", example->place.line);
    }
    return title == NULL ? "" : title;
}

/* A trace that cannot be read is a wrong example, not the end of the test. */
static enum mpl_status try_example(struct testing *t, size_t i, struct mpl_lint *lint,
                                   struct mpl_err *err)
{
    const struct mpl_pattern_example *example = mpl_pattern_example(t->pattern, i);
    struct mpl_example_result result;
    struct mpl_err mine = { 0 };
    const enum mpl_status st =
        mpl_pattern_try_example(t->pattern, i, t->arena, lint, &result, &mine);
    const bool is_right = st == MPL_OK && result.is_right;

    if (st == MPL_E_NOMEM) {
        return mpl_nomem(err);
    }
    t->n_wrong += !is_right;
    mpl_text_print(t->out, "  %-5s  %-5s  %s\n", is_right ? "ok" : "WRONG",
                   example->is_quiet ? "quiet" : "fires", title_of(t, example));
    if (is_right && !t->opts->is_verbose) {
        return MPL_OK;
    }
    mpl_lint_print(lint, t->out);
    if (st != MPL_OK) {
        if (mpl_lint_errors(lint) == 0) {
            mpl_err_print(&mine, t->out);
        }
        return MPL_OK;
    }
    print_recognition(t, &result, example);
    fputc('\n', t->out);
    const enum mpl_status drawn =
        mpl_timeline_print(result.events, result.recognition, t->opts->width, t->out, err);
    fputc('\n', t->out);
    return drawn;
}

static enum mpl_status test_pattern(struct testing *t, struct mpl_err *err)
{
    const size_t n = mpl_pattern_example_count(t->pattern);
    enum mpl_status st = MPL_OK;

    mpl_text_print(t->out, "%s: %zu example%s\n", mpl_pattern_name(t->pattern), n,
                   n == 1 ? "" : "s");
    for (size_t i = 0; i < n && st == MPL_OK; i++) {
        t->arena = mpl_arena_create();
        struct mpl_lint *lint = t->arena == NULL ? NULL : mpl_lint_create(t->arena);

        st = lint == NULL ? mpl_nomem(err) : try_example(t, i, lint, err);
        mpl_arena_destroy(t->arena);
    }
    return st;
}

enum mpl_status mpl_pattern_test(const struct mpl_pattern_opts *opts,
                                 struct mpl_arena *arena, FILE *out, struct mpl_err *err)
{
    struct testing t = { .opts = opts, .out = out };
    struct mpl_chosen chosen;
    enum mpl_status st = mpl_patterns_choose(opts, arena, &chosen, err);

    for (size_t i = 0; st == MPL_OK && i < chosen.n; i++) {
        t.pattern = chosen.patterns[i];
        st = test_pattern(&t, err);
    }
    return st == MPL_OK && t.n_wrong > 0 ? MPL_END : st;
}
