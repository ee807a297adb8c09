/*
 * The names that formulas of metrics read: run.duration, worker.t_comp, all.worker.compute,
 * TaskLifeCycle.wait.
 */
#include "config.h"

#include "metrics/metrics_priv.h"

#include <string.h>

/* One formula while it is compiled. */
struct name_context {
    struct set_loader *loader;
    const struct metric *metric; /* whose formula it is */
    struct mpl_buf scalars;      /* struct source */
    struct mpl_buf lists;
    bool
        is_doubtful; /* what a name stands for is not known: the pattern has faults there */
};

static const struct mpl_unit unit_of_count = { 0, 0 };

/* ---- what a name means ------------------------------------------------------------------ */

/* "worker" of "worker.t_comp"; MPL_NONE if it is no role. */
static uint32_t role_of_prefix(const struct set_loader *loader, const char *name, size_t n)
{
    const size_t n_roles = mpl_pattern_role_count(loader->pattern);

    for (size_t i = 0; i < n_roles; i++) {
        const char *role = mpl_pattern_role(loader->pattern, i);

        if (strlen(role) == n && memcmp(role, name, n) == 0) {
            return (uint32_t) i;
        }
    }
    return MPL_NONE;
}

static uint32_t event_of_prefix(const struct set_loader *loader, const char *name, size_t n)
{
    const size_t n_events = mpl_pattern_event_count(loader->pattern);

    for (size_t i = 0; i < n_events; i++) {
        const char *event = mpl_pattern_event(loader->pattern, i);

        if (strlen(event) == n && memcmp(event, name, n) == 0) {
            return (uint32_t) i;
        }
    }
    return MPL_NONE;
}

/* Of one of the locations of \p role, read from the formula of another location or the run? */
static enum source_kind kind_of_role_name(const struct name_context *context, uint32_t role,
                                          bool is_all, bool is_metric)
{
    if (!is_all && context->metric->definition.role == role) {
        return is_metric ? SOURCE_OWN_METRIC : SOURCE_OWN_VARIABLE;
    }
    if (!is_all && mpl_pattern_role_is_one(context->loader->pattern, role)) {
        return is_metric ? SOURCE_ONE_METRIC : SOURCE_ONE_VARIABLE;
    }
    return is_metric ? SOURCE_ROLE_METRIC : SOURCE_ROLE_VARIABLE;
}

/* \p full is "worker.t_comp" or "run.t", \p last the part behind its dot. */
static bool find_metric_or_variable(const struct name_context *context, const char *full,
                                    const char *last, uint32_t role, bool is_all,
                                    struct source *source)
{
    const uint32_t metric = mpl_metric_set_find(context->loader->set, full);
    const uint32_t variable = mpl_variable_find(last, role != MPL_NONE);

    if (metric == MPL_NONE && variable == MPL_NONE) {
        return false;
    }
    source->what = metric != MPL_NONE ? metric : variable;
    source->role = role;
    source->event = MPL_NONE;
    if (role != MPL_NONE) {
        source->kind = kind_of_role_name(context, role, is_all, metric != MPL_NONE);
    } else {
        source->kind = metric != MPL_NONE ? SOURCE_RUN_METRIC : SOURCE_RUN_VARIABLE;
    }
    return true;
}

static bool find_attribute(const struct name_context *context, uint32_t event,
                           const char *attribute, struct source *source)
{
    const struct mpl_pattern *pattern = context->loader->pattern;
    const uint32_t role = context->metric->definition.role;
    const bool is_own = role != MPL_NONE && mpl_pattern_event_role(pattern, event) == role;

    *source =
        (struct source){ .kind = is_own ? SOURCE_OWN_EVENTS : SOURCE_ALL_EVENTS,
                         .what = mpl_pattern_find_attribute(pattern, event, attribute),
                         .role = MPL_NONE,
                         .event = event };
    return source->what != MPL_NONE;
}

static bool find_source(const struct name_context *context, const char *name,
                        struct source *source)
{
    const bool is_all = strncmp(name, "all.", 4) == 0;
    const char *full = is_all ? name + 4 : name;
    const char *dot = strchr(full, '.');

    if (dot == NULL) {
        return false;
    }

    const size_t n = (size_t) (dot - full);
    const uint32_t role = role_of_prefix(context->loader, full, n);
    const bool is_run = !is_all && n == 3 && memcmp(full, "run", 3) == 0;

    if (role != MPL_NONE || is_run) {
        return find_metric_or_variable(context, full, dot + 1, is_run ? MPL_NONE : role,
                                       is_all, source);
    }

    const uint32_t event = is_all ? MPL_NONE : event_of_prefix(context->loader, full, n);

    return event != MPL_NONE && find_attribute(context, event, dot + 1, source);
}

/*
 * Whether the pattern has faults where it says what a name means. They are reported already, and what
 * is reported as wrong in the formula could go away with them.
 */
static bool is_doubtful(const struct name_context *context, const char *name)
{
    const struct mpl_pattern *pattern = context->loader->pattern;
    const bool is_all = strncmp(name, "all.", 4) == 0;
    const char *full = is_all ? name + 4 : name;
    const size_t n = strcspn(full, ".");
    const uint32_t role = role_of_prefix(context->loader, full, n);
    const uint32_t event = event_of_prefix(context->loader, full, n);

    if (!mpl_pattern_has_fault(pattern) || (n == 3 && memcmp(full, "run", 3) == 0)) {
        return false;
    }
    if (role != MPL_NONE) {
        return !is_all && role != context->metric->definition.role &&
               mpl_pattern_role_has_fault(pattern, role);
    }
    return event != MPL_NONE ? mpl_pattern_event_has_fault(pattern, event)
                             : mpl_pattern_event_count(pattern) == 0;
}

/* ---- suggestions -------------------------------------------------------------------------- */

static bool add_word(struct mpl_buf *words, const char *word)
{
    return word != NULL && mpl_buf_put(words, &word);
}

static bool add_variables(struct set_loader *loader, struct mpl_buf *words,
                          const char *prefix, bool is_per_location)
{
    size_t n;
    const struct mpl_metric_variable *table = mpl_metric_variables(&n);
    bool is_good = true;

    for (size_t i = 0; i < n && is_good; i++) {
        if (table[i].per_location == is_per_location) {
            is_good = add_word(
                words, mpl_arena_printf(loader->arena, "%s.%s", prefix, table[i].name));
        }
    }
    return is_good;
}

static bool add_attributes(struct set_loader *loader, struct mpl_buf *words, uint32_t event)
{
    const struct mpl_pattern *pattern = loader->pattern;
    const size_t n = mpl_pattern_attribute_count(pattern, event);
    bool is_good = true;

    for (size_t i = 0; i < n && is_good; i++) {
        is_good =
            add_word(words, mpl_arena_printf(loader->arena, "%s.%s",
                                             mpl_pattern_event(pattern, event),
                                             mpl_pattern_attribute(pattern, event, i)));
    }
    return is_good;
}

/* All that a formula may name, without "all.". */
static bool add_words(struct set_loader *loader, struct mpl_buf *words)
{
    const size_t n_roles = mpl_pattern_role_count(loader->pattern);
    const size_t n_events = mpl_pattern_event_count(loader->pattern);
    bool is_good = true;

    for (uint32_t i = 0; i < loader->set->n && is_good; i++) {
        is_good = add_word(words, loader->set->metrics[i].definition.name);
    }
    is_good = is_good && add_variables(loader, words, "run", false);
    for (size_t i = 0; i < n_roles && is_good; i++) {
        is_good = add_variables(loader, words, mpl_pattern_role(loader->pattern, i), true);
    }
    for (uint32_t i = 0; i < n_events && is_good; i++) {
        is_good = add_attributes(loader, words, i);
    }
    return is_good;
}

/* A word with the same last part under another prefix: "run.lost" for "worker.lost". */
static const char *same_last_part(const char *name, const char *const *words, size_t n)
{
    const char *dot = strrchr(name, '.');
    const char *last = dot == NULL ? name : dot + 1;

    for (size_t i = 0; i < n; i++) {
        const char *other = strrchr(words[i], '.');

        if (other != NULL && strcmp(other + 1, last) == 0) {
            return words[i];
        }
    }
    return NULL;
}

static bool suggest(struct set_loader *loader, const char *name, const char **suggestion)
{
    const bool is_all = strncmp(name, "all.", 4) == 0;
    const char *plain = is_all ? name + 4 : name;
    struct mpl_buf words = mpl_buf_make(sizeof(const char *));
    const bool is_good = add_words(loader, &words);

    if (is_good) {
        *suggestion = same_last_part(plain, words.data, words.n);
        if (*suggestion == NULL) {
            *suggestion = mpl_suggest(plain, words.data, words.n);
        }
    }
    mpl_buf_free(&words);
    /* "all." stands before roles only. */
    if (is_good && is_all && *suggestion != NULL &&
        role_of_prefix(loader, *suggestion, strcspn(*suggestion, ".")) != MPL_NONE) {
        *suggestion = mpl_arena_printf(loader->arena, "all.%s", *suggestion);
        return *suggestion != NULL;
    }
    return is_good;
}

/* ---- the formula compiler's questions --------------------------------------------------------- */

static struct mpl_unit unit_of(const struct set_loader *loader, const struct source *source)
{
    size_t n;

    switch (source->kind) {
    case SOURCE_RUN_VARIABLE:
    case SOURCE_OWN_VARIABLE:
    case SOURCE_ONE_VARIABLE:
    case SOURCE_ROLE_VARIABLE:
        return mpl_metric_variables(&n)[source->what].unit;
    case SOURCE_RUN_METRIC:
    case SOURCE_OWN_METRIC:
    case SOURCE_ONE_METRIC:
    case SOURCE_ROLE_METRIC:
        return loader->set->metrics[source->what].unit;
    case SOURCE_OWN_EVENTS:
    case SOURCE_ALL_EVENTS:
        return mpl_pattern_attribute_unit(loader->pattern, source->event, source->what);
    }
    return unit_of_count;
}

bool mpl_source_is_metric(const struct source *source)
{
    return source->kind == SOURCE_RUN_METRIC || source->kind == SOURCE_OWN_METRIC ||
           source->kind == SOURCE_ONE_METRIC || source->kind == SOURCE_ROLE_METRIC;
}

bool mpl_source_is_variable(const struct source *source)
{
    return source->kind == SOURCE_RUN_VARIABLE || source->kind == SOURCE_OWN_VARIABLE ||
           source->kind == SOURCE_ONE_VARIABLE || source->kind == SOURCE_ROLE_VARIABLE;
}

/* A name that is known, but whose own definition is faulty: that has a message already. */
static enum mpl_status refuse_unsound(struct name_context *context,
                                      const struct metric *metric, const char **reason)
{
    *reason = mpl_arena_printf(context->loader->arena,
                               "'%s' cannot be used: its definition in line %u is faulty",
                               metric->definition.name, metric->node->key_place.line);
    return *reason == NULL ? MPL_E_NOMEM : MPL_E_MEANING;
}

static enum mpl_status look_up(void *user, const char *name, struct mpl_formula_name *out,
                               const char **suggestion, const char **reason)
{
    struct name_context *context = user;
    const struct set_loader *loader = context->loader;
    struct source source;

    if (out->of[0] != NULL) {
        *reason = mpl_relation_misplaced;
        return MPL_E_MEANING;
    }
    context->is_doubtful = context->is_doubtful || is_doubtful(context, name);
    if (!find_source(context, name, &source)) {
        return suggest(context->loader, name, suggestion) ? MPL_E_MEANING : MPL_E_NOMEM;
    }
    if (mpl_source_is_metric(&source) && !loader->set->metrics[source.what].is_sound) {
        return refuse_unsound(context, &loader->set->metrics[source.what], reason);
    }

    const bool is_list = source.kind >= SOURCE_FIRST_LIST;
    struct mpl_buf *sources = is_list ? &context->lists : &context->scalars;

    if (!mpl_buf_put(sources, &source)) {
        return MPL_E_NOMEM;
    }

    /* Lists over a role's locations are of one length, and so are those over instances. */
    const uint32_t n_roles = (uint32_t) mpl_pattern_role_count(loader->pattern);

    *out = (struct mpl_formula_name){
        .is_list = is_list,
        .group = source.event == MPL_NONE ? source.role : n_roles + source.event,
        .slot = (uint32_t) (sources->n - 1),
        .unit = unit_of(loader, &source),
        .is_fixed = source.kind != SOURCE_OWN_VARIABLE &&
                    source.kind != SOURCE_OWN_METRIC && source.kind != SOURCE_OWN_EVENTS,
    };
    return MPL_OK;
}

/* ---- a formula ------------------------------------------------------------------------------ */

static void check_unit(struct set_loader *loader, const struct metric *metric)
{
    const struct mpl_unit unit = mpl_formula_unit(metric->formula);
    char declared[32];
    char found[32];

    if (!metric->is_sound ||
        (unit.seconds == metric->unit.seconds && unit.bytes == metric->unit.bytes)) {
        return;
    }
    mpl_lint_add(loader->lint, MPL_LINT_ERROR, metric->unit_node->place,
                 "metric '%s' is declared in %s, but its formula gives %s", metric->key,
                 mpl_unit_text(metric->unit, declared), mpl_unit_text(unit, found));
}

/* Of another event than those of the metric's role, the instances of all locations are read. */
static const struct source *foreign_event(const struct metric *metric)
{
    const struct source *found = NULL;

    for (uint32_t i = 0; i < metric->scalars.n; i++) {
        const enum source_kind kind = metric->scalars.items[i].kind;

        if (kind == SOURCE_OWN_VARIABLE || kind == SOURCE_OWN_METRIC) {
            return NULL;
        }
    }
    for (uint32_t i = 0; i < metric->lists.n; i++) {
        const struct source *source = &metric->lists.items[i];

        if (source->kind == SOURCE_OWN_EVENTS) {
            return NULL;
        }
        found = source->kind == SOURCE_ALL_EVENTS ? source : found;
    }
    return found;
}

/* Each location of the role gets the same number, which is hardly what `per` was written for. */
static void check_split(struct set_loader *loader, const struct metric *metric)
{
    const struct mpl_pattern *pattern = loader->pattern;
    const uint32_t role = metric->definition.role;
    const bool is_split = role != MPL_NONE && !mpl_pattern_has_fault(pattern) &&
                          !mpl_pattern_role_is_one(pattern, role);
    const struct source *foreign = is_split ? foreign_event(metric) : NULL;

    if (foreign == NULL) {
        return;
    }
    const char *name = mpl_pattern_role(pattern, role);
    const char *event = mpl_pattern_event(pattern, foreign->event);
    mpl_lint_add(
        loader->lint, MPL_LINT_WARNING, metric->value->place,
        "every '%s' gets the same number, since '%s' is on '%s'; to split it, give "
        "'%s' an attribute such as who: {value: take.peer, unit: 1} and write "
        "sum(%s.x * (%s.who == %s.rank))",
        name, event,
        mpl_pattern_role(pattern, mpl_pattern_event_role(pattern, foreign->event)), event,
        event, event, name);
}

static bool take_sources(struct set_loader *loader, struct mpl_buf *found,
                         struct sources *sources)
{
    sources->n = (uint32_t) found->n;
    sources->items = mpl_buf_take(found, loader->arena);
    return sources->items != NULL;
}

/* Messages about a formula whose names the pattern has faults about are left out. */
static void tell(struct set_loader *loader, const struct name_context *context,
                 const struct mpl_lint *found)
{
    for (size_t i = 0; i < mpl_lint_count(found) && !context->is_doubtful; i++) {
        const struct mpl_lint_message *m = mpl_lint_get(found, i);

        mpl_lint_add(loader->lint, m->severity, m->place, "%s", m->text);
    }
}

void mpl_metric_compile(struct set_loader *loader, struct metric *metric)
{
    const bool has_fault = mpl_pattern_has_fault(loader->pattern);
    struct mpl_lint *lint = has_fault ? mpl_lint_create(loader->arena) : loader->lint;
    struct name_context context = { .loader = loader,
                                    .metric = metric,
                                    .scalars = mpl_buf_make(sizeof(struct source)),
                                    .lists = mpl_buf_make(sizeof(struct source)) };

    if (lint == NULL) {
        loader->has_no_memory = true;
        return;
    }
    const enum mpl_status st = mpl_formula_compile(
        metric->value->text, metric->value->place, metric->value->is_inline, look_up,
        &context, loader->arena, lint, &metric->formula, NULL);

    if (st == MPL_E_NOMEM || !take_sources(loader, &context.scalars, &metric->scalars) ||
        !take_sources(loader, &context.lists, &metric->lists)) {
        loader->has_no_memory = true;
    }
    if (has_fault) {
        tell(loader, &context, lint);
    }
    if (st == MPL_OK && !loader->has_no_memory && !context.is_doubtful) {
        check_unit(loader, metric);
        check_split(loader, metric);
    }
    mpl_buf_free(&context.scalars);
    mpl_buf_free(&context.lists);
}

uint32_t mpl_metric_set_find(const struct mpl_metric_set *set, const char *name)
{
    uint32_t low = 0;
    uint32_t high = set->n;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const uint32_t i = set->by_name[middle];
        const int order = strcmp(name, set->metrics[i].definition.name);

        if (order == 0) {
            return i;
        }
        low = order > 0 ? middle + 1 : low;
        high = order < 0 ? middle : high;
    }
    return MPL_NONE;
}
