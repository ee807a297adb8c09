#include "config.h"

#include "metrics_fixture.h"

#include <check.h>
#include <string.h>

#include "recognize_fixture.h"

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

    ck_assert_msg(st == MPL_OK, "%s", messages_of(lint, arena));
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
