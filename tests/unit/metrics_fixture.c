#include "config.h"

#include "metrics_fixture.h"

#include <check.h>
#include <string.h>

#include "read/read.h"

static const char *first_message(const struct mpl_lint *lint)
{
    return mpl_lint_count(lint) == 0 ? "no message" : mpl_lint_get(lint, 0)->text;
}

static const struct mpl_events *events_of_model(struct mpl_model *model,
                                                struct mpl_arena *arena)
{
    const struct mpl_match *match;
    const struct mpl_clock *clock;
    const struct mpl_events *events;

    ck_assert_int_eq(mpl_match_create(model, arena, &match, NULL), MPL_OK);
    ck_assert_int_eq(mpl_clock_correct(model, match, NULL, NULL, arena, &clock, NULL),
                     MPL_OK);
    ck_assert_int_eq(mpl_events_create(model, match, clock, arena, &events, NULL), MPL_OK);
    return events;
}

const struct mpl_events *events_of_text(const char *text, struct mpl_arena *arena)
{
    struct mpl_lint *lint = mpl_lint_create(arena);
    struct mpl_model *model;
    const enum mpl_status st =
        mpl_read_text("test.trace", text, strlen(text), arena, lint, &model, NULL);

    ck_assert_msg(st == MPL_OK, "%s", first_message(lint));
    return events_of_model(model, arena);
}

const struct mpl_events *find_events_of_file(const char *path, struct mpl_arena *arena)
{
    struct mpl_model *model;
    struct mpl_err err = { 0 };

    return mpl_read(path, arena, NULL, &model, &err) == MPL_OK
               ? events_of_model(model, arena)
               : NULL;
}

const struct mpl_pattern *pattern_of_text(const char *text, struct mpl_arena *arena)
{
    struct mpl_lint *lint = mpl_lint_create(arena);
    const struct mpl_patterns *patterns;
    const enum mpl_status st = mpl_patterns_parse("test.yaml", text, strlen(text), NULL,
                                                  arena, lint, &patterns, NULL);

    ck_assert_msg(st == MPL_OK, "%s", first_message(lint));
    return mpl_patterns_get(patterns, 0);
}

const struct mpl_pattern *pattern_of_variables(struct mpl_arena *arena)
{
    size_t n;
    const struct mpl_metric_variable *table = mpl_metric_variables(&n);
    char *text = mpl_arena_strdup(arena, "pattern: variables\n"
                                         "says: Each variable as a metric.\n"
                                         "roles:\n"
                                         "  everybody: {count: many}\n"
                                         "metrics:\n");

    for (size_t i = 0; i < n; i++) {
        const char *per = table[i].per_location ? "everybody" : "run";
        char unit[32];

        text = mpl_arena_printf(arena, "%s  %s_%s: {per: %s, value: %s.%s, unit: %s}\n",
                                text, table[i].per_location ? "v" : "r", table[i].name, per,
                                per, table[i].name, mpl_unit_text(table[i].unit, unit));
    }
    return pattern_of_text(text, arena);
}

const struct mpl_metric_set *set_of_pattern(const struct mpl_pattern *pattern,
                                            struct mpl_arena *arena)
{
    struct mpl_lint *lint = mpl_lint_create(arena);
    const struct mpl_metric_set *set;
    const enum mpl_status st = mpl_metric_set_create(pattern, arena, lint, &set, NULL);

    ck_assert_msg(st == MPL_OK, "%s", first_message(lint));
    return set;
}

struct mpl_metrics *find_metrics(const struct mpl_metric_set *set,
                                 const struct mpl_pattern *pattern,
                                 const struct mpl_events *events, struct mpl_arena *arena,
                                 const struct mpl_recognition **recognition)
{
    struct mpl_recognition *found;
    struct mpl_metrics *metrics;
    const char *reason;
    const enum mpl_status st =
        mpl_recognize(pattern, events, NULL, 0, arena, &found, &reason, NULL);

    if (st == MPL_END) {
        return NULL;
    }
    ck_assert_int_eq(st, MPL_OK);
    ck_assert_int_eq(mpl_metrics_create(set, found, NULL, arena, &metrics, NULL), MPL_OK);
    if (recognition != NULL) {
        *recognition = found;
    }
    return metrics;
}

double value_by_name(struct mpl_metrics *metrics, const struct mpl_metric_set *set,
                     const char *name, uint32_t location, const char **why)
{
    const uint32_t metric = mpl_metric_set_find(set, name);

    ck_assert_msg(metric != MPL_NONE, "there is no metric %s", name);
    return mpl_metrics_value(metrics, metric, location, why);
}
