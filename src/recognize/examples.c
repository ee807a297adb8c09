/* A pattern against its own examples: it fires on the ones and stays quiet on the near misses. */
#include "config.h"

#include "recognize/recognition_priv.h"

#include "read/read.h"

#include <string.h>

struct check {
    const struct mpl_pattern *pattern;
    const struct mpl_pattern_example *example;
    struct mpl_arena *arena; /* of one example */
    struct mpl_lint *lint;
    bool has_fault;
};

static void fail(struct check *c, const char *what)
{
    c->has_fault = true;
    mpl_lint_add(c->lint, MPL_LINT_ERROR, c->example->place, "example: %s", what);
}

/* Why a pattern that was recognised would not be chosen, or NULL. */
static const char *objection(struct check *c, const struct mpl_recognition *r)
{
    const struct mpl_pattern *pattern = c->pattern;
    const char *worst = mpl_recognition_worst_constraint(r);

    if (mpl_recognition_fit(r) == 0) {
        return "nothing is recognised";
    }
    if (r->message_coverage < pattern->minimum_coverage) {
        return mpl_arena_printf(c->arena,
                                "it explains %.3g of the messages, %.3g are needed",
                                r->message_coverage, pattern->minimum_coverage);
    }
    if (mpl_recognition_fit(r) < pattern->minimum_fit) {
        return mpl_arena_printf(
            c->arena, "its fit is %.3g, %.3g is needed%s%s", mpl_recognition_fit(r),
            pattern->minimum_fit,
            worst == NULL ? "" : "; most fail: ", worst == NULL ? "" : worst);
    }
    return NULL;
}

static enum mpl_status read_example(struct check *c, const struct mpl_events **events,
                                    struct mpl_err *err)
{
    const struct mpl_pattern_example *example = c->example;
    struct mpl_model *model = NULL;
    const struct mpl_match *match;
    const struct mpl_clock *clock;
    enum mpl_status st = MPL_OK;

    if (example->file != NULL) {
        st = mpl_read(example->file, c->arena, NULL, &model, err);
    } else {
        st = mpl_read_text("example", example->text, strlen(example->text), c->arena,
                           c->lint, &model, err);
    }
    if (st == MPL_OK) {
        st = mpl_match_create(model, c->arena, &match, err);
    }
    if (st == MPL_OK) {
        st = mpl_clock_correct(model, match, NULL, NULL, c->arena, &clock, err);
    }
    return st == MPL_OK ? mpl_events_create(model, match, clock, c->arena, events, err)
                        : st;
}

static void check_counts(struct check *c, const struct mpl_recognition *r)
{
    for (size_t i = 0; i < c->example->n_expected; i++) {
        const struct mpl_expected_count *expected = &c->example->expected[i];
        const size_t n = mpl_recognition_count(r, expected->event);
        const char *text =
            n == expected->instances
                ? NULL
                : mpl_arena_printf(
                      c->arena, "%zu instance%s of '%s', not %u", n, n == 1 ? "" : "s",
                      c->pattern->events[expected->event].name, expected->instances);

        if (text != NULL) {
            fail(c, text);
        }
    }
}

enum mpl_status mpl_pattern_try_example(const struct mpl_pattern *pattern, size_t i,
                                        struct mpl_arena *arena, struct mpl_lint *lint,
                                        struct mpl_example_result *out, struct mpl_err *err)
{
    struct check c = { .pattern = pattern,
                       .example = mpl_pattern_example(pattern, i),
                       .arena = arena,
                       .lint = lint };

    *out = (struct mpl_example_result){ 0 };

    enum mpl_status st = read_example(&c, &out->events, err);

    if (st == MPL_OK) {
        st = mpl_recognize(pattern, out->events, NULL, 0, arena, &out->recognition,
                           &out->reason, err);
    }
    if (st < 0) {
        return mpl_wrap(err, st, "cannot try the example at %s:%u", c.example->place.file,
                        c.example->place.line);
    }
    if (out->recognition != NULL) {
        out->reason = objection(&c, out->recognition);
        check_counts(&c, out->recognition);
    }
    if (out->reason == NULL && c.example->is_quiet) {
        fail(&c, "the pattern fires, but should stay quiet");
    }
    if (out->reason != NULL && !c.example->is_quiet) {
        const char *text = mpl_arena_printf(
            arena, "the pattern stays quiet, but should fire: %s", out->reason);

        fail(&c, text == NULL ? out->reason : text);
    }
    out->is_right = !c.has_fault;
    return MPL_OK;
}
