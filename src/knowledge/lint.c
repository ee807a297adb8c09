/* Patterns and rules against each other. */
#include "config.h"

#include "knowledge/lint_priv.h"

#include <string.h>

enum { TEST_BYTES_MAX = 4 << 20 };

/* Two lines of the report, with its indentation: in 80 columns that leaves 75 for each. */
enum { LINE_CHARACTERS = 150 };

/* ---- telling ------------------------------------------------------------------------- */

bool mpl_linter_tells(const struct linter *l, const char *file)
{
    bool tells = l->n_files == 0;

    for (size_t i = 0; i < l->n_files && !tells; i++) {
        tells = file != NULL && strcmp(l->files[i], file) == 0;
    }
    return tells;
}

static void tell(const struct linter *l, enum mpl_severity severity, struct mpl_place place,
                 const char *fmt, va_list args)
{
    if (mpl_linter_tells(l, place.file)) {
        const char *text = mpl_arena_vprintf(l->arena, fmt, args);

        mpl_lint_add(l->lint, severity, place, "%s", text == NULL ? fmt : text);
    }
}

void mpl_linter_warn(const struct linter *l, struct mpl_place place, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    tell(l, MPL_LINT_WARNING, place, fmt, args);
    va_end(args);
}

static void fault(const struct linter *l, struct mpl_place place, const char *fmt, ...)
    MPL_PRINTF(3, 4);
static void fault(const struct linter *l, struct mpl_place place, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    tell(l, MPL_LINT_ERROR, place, fmt, args);
    va_end(args);
}

/* ---- metrics that rules name --------------------------------------------------------------- */

/* "; did you mean 'x'?", or "". */
static const char *hint(const struct linter *l, const char *word, const char *const *words,
                        size_t n)
{
    const char *text = words == NULL ? NULL : mpl_suggest_hint(l->arena, word, words, n);

    return text == NULL ? "" : text;
}

static void check_pattern_name(const struct linter *l, const struct mpl_mention *m)
{
    const size_t n = mpl_patterns_count(l->known->patterns);
    const char **names = MPL_NEW_ARRAY(l->arena, n, const char *);

    if (names == NULL || mpl_patterns_find(l->known->patterns, m->name) != NULL) {
        return;
    }
    for (size_t i = 0; i < n; i++) {
        names[i] = mpl_pattern_name(mpl_patterns_get(l->known->patterns, i));
    }
    fault(l, m->place, "nobody defines a pattern '%s'%s", m->name,
          hint(l, m->name, names, n));
}

/* Those that extend a pattern are asserted under its name, too, and may have roles of their own. */
static bool has_role(const struct linter *l, const struct mpl_pattern *base,
                     const char *role)
{
    for (size_t i = 0; i < mpl_patterns_count(l->known->patterns); i++) {
        const struct mpl_pattern *pattern = mpl_patterns_get(l->known->patterns, i);

        if ((pattern == base || mpl_pattern_extends(pattern, base)) &&
            mpl_pattern_find_role(pattern, role) != MPL_NONE) {
            return true;
        }
    }
    return false;
}

static void check_role(const struct linter *l, const struct mpl_mention *m)
{
    const struct mpl_pattern *pattern =
        m->pattern == NULL ? NULL : mpl_patterns_find(l->known->patterns, m->pattern);
    const size_t n = pattern == NULL ? 0 : mpl_pattern_role_count(pattern);
    const char **names = MPL_NEW_ARRAY(l->arena, n, const char *);

    if (pattern == NULL || names == NULL || has_role(l, pattern, m->name)) {
        return;
    }
    for (size_t i = 0; i < n; i++) {
        names[i] = mpl_pattern_role(pattern, i);
    }
    mpl_linter_warn(l, m->place, "pattern '%s' has no role '%s'%s", m->pattern, m->name,
                    hint(l, m->name, names, n));
}

static const struct mpl_metric_set *set_of(const struct linter *l, const char *pattern)
{
    for (size_t i = 0; i < mpl_patterns_count(l->known->patterns); i++) {
        if (strcmp(mpl_pattern_name(mpl_patterns_get(l->known->patterns, i)), pattern) ==
            0) {
            return l->known->metric_sets[i];
        }
    }
    return NULL;
}

static bool is_defined_anywhere(const struct linter *l, const char *metric)
{
    for (size_t i = 0; i < mpl_patterns_count(l->known->patterns); i++) {
        if (mpl_metric_set_find(l->known->metric_sets[i], metric) != MPL_NONE) {
            return true;
        }
    }
    return false;
}

static const char *suggest_metric(const struct linter *l, const struct mpl_metric_set *set,
                                  const char *metric)
{
    const size_t n = mpl_metric_set_count(set);
    const char **names = MPL_NEW_ARRAY(l->arena, n, const char *);

    for (size_t i = 0; names != NULL && i < n; i++) {
        names[i] = mpl_metric_set_get(set, i).name;
    }
    return hint(l, metric, names, n);
}

static void check_metric(const struct linter *l, const struct mpl_mention *m)
{
    const char *who = m->rule != NULL ? m->rule : "this function";
    const struct mpl_metric_set *set = m->pattern == NULL ? NULL : set_of(l, m->pattern);

    /* Of an unknown pattern it is said where it is named. */
    if (set != NULL && mpl_metric_set_find(set, m->name) == MPL_NONE) {
        fault(l, m->place, "%s waits for '%s', which pattern '%s' does not define%s", who,
              m->name, m->pattern, suggest_metric(l, set, m->name));
    } else if (m->pattern == NULL && !is_defined_anywhere(l, m->name)) {
        fault(l, m->place, "%s waits for '%s', which no pattern defines", who, m->name);
    }
}

/* ---- metrics that nobody asks for ----------------------------------------------------------------- */

/* With those of the same experiment. */
static void mark_asked(const struct mpl_metric_set *set, const char *name, bool *asked)
{
    const uint32_t metric = mpl_metric_set_find(set, name);
    const struct mpl_metric_experiment *e =
        metric == MPL_NONE ? NULL : mpl_metric_set_experiment(set, metric);

    if (metric != MPL_NONE) {
        asked[metric] = true;
    }
    for (size_t i = 0; e != NULL && i < e->n; i++) {
        asked[e->metrics[i]] = true;
    }
}

static bool find_asked(struct linter *l)
{
    const size_t n = mpl_patterns_count(l->known->patterns);

    l->asked = MPL_NEW_ARRAY(l->arena, n, bool *);
    for (size_t i = 0; l->asked != NULL && i < n; i++) {
        const struct mpl_metric_set *set = l->known->metric_sets[i];

        l->asked[i] = MPL_NEW_ARRAY(l->arena, mpl_metric_set_count(set), bool);
        for (size_t j = 0; l->asked[i] != NULL && j < l->n_mentions; j++) {
            if (l->mentions[j].kind == MPL_MENTION_ASKS) {
                mark_asked(set, l->mentions[j].name, l->asked[i]);
            }
        }
    }
    return !mpl_arena_is_short(l->arena);
}

/* Of any pattern; true of what is no metric. */
static bool is_asked(const struct linter *l, const char *metric)
{
    bool is_metric = false;

    for (size_t i = 0; i < mpl_patterns_count(l->known->patterns); i++) {
        const uint32_t at = mpl_metric_set_find(l->known->metric_sets[i], metric);

        is_metric = is_metric || at != MPL_NONE;
        if (at != MPL_NONE && l->asked[i][at]) {
            return true;
        }
    }
    return !is_metric;
}

static void check_asked(const struct linter *l, const struct mpl_mention *m,
                        const char *verb)
{
    if (!is_asked(l, m->name)) {
        mpl_linter_warn(l, m->place, "%s %s '%s', which no rule asks for",
                        m->rule != NULL ? m->rule : "this function", verb, m->name);
    }
}

/* Whether a formula of the pattern's metrics reads "role.metric". */
static bool is_read(const struct mpl_pattern *pattern, const char *metric)
{
    const size_t length = strlen(metric);
    const struct mpl_yaml *const *sections = NULL;
    const size_t n = mpl_pattern_metric_sections(pattern, &sections);

    for (size_t i = 0; i < n; i++) {
        for (const struct mpl_yaml *m = sections[i]->first; m != NULL; m = m->next) {
            const struct mpl_yaml *value = mpl_yaml_find(m, "value");
            const char *at = value == NULL ? NULL : value->text;

            while (at != NULL && (at = strstr(at, metric)) != NULL) {
                at += length;
                if (strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
                               "0123456789") == 0) {
                    return true;
                }
            }
        }
    }
    return false;
}

static const struct mpl_yaml *find_metric_node(const struct mpl_pattern *pattern,
                                               const char *name)
{
    const struct mpl_yaml *const *sections = NULL;
    const struct mpl_yaml *found = NULL;
    const size_t n = mpl_pattern_metric_sections(pattern, &sections);

    for (size_t i = 0; i < n; i++) {
        const struct mpl_yaml *node = mpl_yaml_find(sections[i], name);

        found = node != NULL ? node : found;
    }
    return found;
}

static void check_unasked(const struct linter *l, size_t number)
{
    const struct mpl_pattern *pattern = mpl_patterns_get(l->known->patterns, number);
    const struct mpl_metric_set *set = l->known->metric_sets[number];

    for (size_t i = 0; i < mpl_metric_set_count(set); i++) {
        const char *name = mpl_metric_set_get(set, i).name;
        const char *dot = strchr(name, '.');
        const struct mpl_yaml *node =
            find_metric_node(pattern, dot == NULL ? name : dot + 1);

        /* What a base defines is reported with the base. */
        if (node != NULL && strcmp(node->key_place.file, mpl_pattern_file(pattern)) == 0 &&
            !l->asked[number][i] && !is_read(pattern, name)) {
            mpl_linter_warn(l, node->key_place,
                            "no rule asks for '%s' of pattern '%s', and no other metric "
                            "reads it",
                            name, mpl_pattern_name(pattern));
        }
    }
}

/* ---- findings ------------------------------------------------------------------------------------- */

static bool is_concluded(const struct linter *l, const char *name)
{
    for (size_t i = 0; i < l->n_mentions; i++) {
        const struct mpl_mention *m = &l->mentions[i];

        if (m->kind == MPL_MENTION_CONCLUDES &&
            (m->name == NULL || strcmp(m->name, name) == 0)) {
            return true;
        }
    }
    return false;
}

static const char *suggest_finding(const struct linter *l, const char *name)
{
    const char **names = MPL_NEW_ARRAY(l->arena, l->n_mentions, const char *);
    size_t n = 0;

    for (size_t i = 0; names != NULL && i < l->n_mentions; i++) {
        if (l->mentions[i].kind == MPL_MENTION_CONCLUDES && l->mentions[i].name != NULL) {
            names[n++] = l->mentions[i].name;
        }
    }
    return hint(l, name, names, n);
}

static void check_mention(const struct linter *l, const struct mpl_mention *m)
{
    size_t n;

    switch (m->kind) {
    case MPL_MENTION_READS:
        check_metric(l, m);
        check_asked(l, m, "waits for");
        break;
    case MPL_MENTION_WORD:
        check_asked(l, m, "reads");
        break;
    case MPL_MENTION_CONCLUDES:
        if (m->finding_kind != NULL && strcmp(m->finding_kind, "cause") == 0 &&
            !m->has_remedy) {
            mpl_linter_warn(l, m->place, "the cause '%s' has no remedy: say what to do",
                            m->name != NULL ? m->name : "?");
        }
        break;
    case MPL_MENTION_LINE:
        n = mpl_utf8_count(m->line, strlen(m->line));
        if (n > LINE_CHARACTERS) {
            mpl_linter_warn(l, m->place,
                            "this %s has %zu characters: keep it to %d, so that it fits "
                            "into two lines of the report",
                            m->name, n, LINE_CHARACTERS);
        }
        break;
    case MPL_MENTION_BUILDS_ON:
        if (m->name != NULL && !is_concluded(l, m->name)) {
            mpl_linter_warn(l, m->place, "no rule concludes a finding '%s'%s", m->name,
                            suggest_finding(l, m->name));
        }
        break;
    case MPL_MENTION_PATTERN:
        check_pattern_name(l, m);
        break;
    case MPL_MENTION_ROLE:
        check_role(l, m);
        break;
    default:
        break;
    }
}

/* ---- rules and their tests ------------------------------------------------------------------------ */

/* "x.clp" has its cases in "x.test.clp"; NULL when there are none, or no memory. */
static const char *read_tests(const struct linter *l, const char *file)
{
    const char *path =
        mpl_arena_printf(l->arena, "%.*s.test.clp", (int) (strlen(file) - 4), file);
    char *text = NULL;
    size_t bytes = 0;

    return path != NULL && strlen(file) > 4 &&
                   mpl_file_read(path, TEST_BYTES_MAX, l->arena, &text, &bytes, NULL) ==
                       MPL_OK
               ? text
               : NULL;
}

static void check_tests(const struct linter *l, const char *file)
{
    const char *tests = mpl_linter_tells(l, file) ? read_tests(l, file) : "";

    if (tests == NULL) {
        mpl_linter_warn(l, (struct mpl_place){ .file = file },
                        "these rules have no tests: a file *.test.clp beside them");
        return;
    }
    for (size_t i = 0; i < l->n_mentions && tests[0] != '\0'; i++) {
        const struct mpl_mention *m = &l->mentions[i];

        if (m->kind == MPL_MENTION_CONCLUDES && m->name != NULL &&
            strcmp(m->place.file, file) == 0 && strstr(tests, m->name) == NULL) {
            mpl_linter_warn(l, m->place, "no test has a case with the finding '%s'",
                            m->name);
        }
    }
}

static void check_rules(const struct linter *l)
{
    const char *file = "";

    for (size_t i = 0; i < mpl_rules_count(l->known->rules); i++) {
        const struct mpl_rule *rule = mpl_rules_get(l->known->rules, i);

        if (rule->says == NULL || rule->says[0] == '\0') {
            mpl_linter_warn(l, (struct mpl_place){ rule->file, rule->first_line, 0 },
                            "rule '%s' has no comment that says what it claims",
                            rule->name);
        }
        if (strcmp(rule->file, file) != 0) {
            file = rule->file;
            check_tests(l, file);
        }
    }
}

enum mpl_status mpl_knowledge_lint(const struct mpl_knowledge *known,
                                   const char *const *files, size_t n_files,
                                   struct mpl_arena *arena, struct mpl_lint *lint,
                                   struct mpl_err *err)
{
    struct linter l = {
        .known = known, .files = files, .n_files = n_files, .arena = arena, .lint = lint
    };
    const enum mpl_status st =
        mpl_rules_mentions(known->rules, arena, &l.mentions, &l.n_mentions, err);

    if (st != MPL_OK) {
        return st;
    }
    if (!find_asked(&l)) {
        return mpl_nomem(err);
    }
    for (size_t i = 0; i < mpl_patterns_count(known->patterns); i++) {
        mpl_lint_pattern(&l, mpl_patterns_get(known->patterns, i));
        check_unasked(&l, i);
    }
    for (size_t i = 0; i < l.n_mentions; i++) {
        check_mention(&l, &l.mentions[i]);
    }
    check_rules(&l);
    return MPL_OK;
}
