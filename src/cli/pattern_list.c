/* marple pattern list and show: what is known, for people. */
#include "config.h"

#include "cli/pattern_priv.h"

#include <string.h>

void mpl_origin_print(const struct mpl_pattern_opts *opts, const char *file,
                      const char *replaces, FILE *out)
{
    mpl_text_print(out, "%s: %s%s%s\n", mpl_directories_origin(&opts->directories, file),
                   file, replaces != NULL ? ", in place of " : "",
                   replaces != NULL ? replaces : "");
}

enum mpl_status mpl_pattern_list(const struct mpl_pattern_opts *opts,
                                 struct mpl_arena *arena, FILE *out, struct mpl_err *err)
{
    struct mpl_chosen chosen;
    const enum mpl_status st = mpl_patterns_choose(opts, arena, &chosen, err);

    for (size_t i = 0; st == MPL_OK && i < chosen.n; i++) {
        const struct mpl_pattern *pattern = chosen.patterns[i];
        const char *says = mpl_pattern_says(pattern);

        mpl_text_print(out, "%s\n", mpl_pattern_name(pattern));
        if (says != NULL) {
            mpl_text_wrap(out, says, 4, opts->width);
        }
        fputs("    ", out);
        mpl_origin_print(opts, mpl_pattern_file(pattern), mpl_pattern_replaces(pattern),
                         out);
    }
    return st;
}

static const char *text_of(const struct mpl_yaml *node, const char *key)
{
    const struct mpl_yaml *value = mpl_yaml_find(node, key);

    return value == NULL || value->text == NULL ? NULL : value->text;
}

static void print_says(const struct mpl_yaml *node, FILE *out, int width)
{
    const char *says = text_of(node, "says");

    if (says != NULL) {
        mpl_text_wrap(out, says, 8, width);
    }
}

/* "{event: send, to: master}" without its braces. */
static void print_pairs(const struct mpl_yaml *map, FILE *out)
{
    for (const struct mpl_yaml *n = map->first; n != NULL; n = n->next) {
        mpl_text_print(out, "%s%s%s%s", n == map->first ? "" : ", ",
                       n->key != NULL ? n->key : "", n->key != NULL ? " " : "",
                       n->text != NULL ? n->text : "");
        if (n->text == NULL) {
            print_pairs(n, out);
        }
    }
}

static void print_conditions(const struct mpl_yaml *where, FILE *out)
{
    if (where == NULL) {
        return;
    }
    if (where->text != NULL) {
        mpl_text_print(out, "        where %s\n", where->text);
    }
    for (const struct mpl_yaml *n = where->first; n != NULL; n = n->next) {
        mpl_text_print(out, "        where %s\n", n->text != NULL ? n->text : "");
    }
}

static void print_members(const struct mpl_yaml *members, FILE *out)
{
    for (const struct mpl_yaml *m = members == NULL ? NULL : members->first; m != NULL;
         m = m->next) {
        mpl_text_print(out, "        %s: ", m->key);
        print_pairs(m, out);
        fputc('\n', out);
    }
}

static void print_numbers(const struct mpl_yaml *numbers, const char *indent, FILE *out)
{
    for (const struct mpl_yaml *m = numbers == NULL ? NULL : numbers->first; m != NULL;
         m = m->next) {
        const char *per = text_of(m, "per");
        const char *unit = text_of(m, "unit");
        const char *value = text_of(m, "value");
        const char *says = text_of(m, "says");

        mpl_text_print(out, "%s%s%s%s [%s] = %s\n", indent, per != NULL ? per : "",
                       per != NULL ? "." : "", m->key, unit != NULL ? unit : "?",
                       value != NULL ? value : "?");
        if (says != NULL) {
            mpl_text_print(out, "%s    %s\n", indent, says);
        }
    }
}

static void print_roles(const struct mpl_yaml *roles, FILE *out, int width)
{
    fputs("\nroles\n", out);
    for (const struct mpl_yaml *r = roles == NULL ? NULL : roles->first; r != NULL;
         r = r->next) {
        const char *count = text_of(r, "count");

        mpl_text_print(out, "    %s: %s\n", r->key, count != NULL ? count : "?");
        print_says(r, out, width);
        print_conditions(mpl_yaml_find(r, "where"), out);
    }
}

static void print_events(const struct mpl_yaml *events, FILE *out, int width)
{
    fputs("\nevents\n", out);
    for (const struct mpl_yaml *e = events == NULL ? NULL : events->first; e != NULL;
         e = e->next) {
        const char *on = text_of(e, "on");
        const char *expression = text_of(e, "expression");

        mpl_text_print(out, "    %s on %s: %s\n", e->key, on != NULL ? on : "?",
                       expression != NULL ? expression : "?");
        print_says(e, out, width);
        print_members(mpl_yaml_find(e, "members"), out);
        print_members(mpl_yaml_find(e, "associated"), out);
        print_conditions(mpl_yaml_find(e, "where"), out);
        print_numbers(mpl_yaml_find(e, "attributes"), "        ", out);
    }
}

/* Sections: the base's first. */
static void print_experiments(const struct mpl_pattern *pattern, struct mpl_arena *arena,
                              FILE *out, int width)
{
    const struct mpl_yaml *const *sections = NULL;
    const size_t n = mpl_pattern_experiment_sections(pattern, &sections);

    if (n > 0) {
        fputs("\nexperiments\n", out);
    }
    for (size_t i = 0; i < n; i++) {
        for (const struct mpl_yaml *e = sections[i]->first; e != NULL; e = e->next) {
            const char *level = text_of(e, "level");
            const char *purpose = text_of(e, "purpose");
            const struct mpl_yaml *metrics = mpl_yaml_find(e, "metrics");
            const char *names = "";

            mpl_text_print(out, "    level %s: %s\n", level != NULL ? level : "?",
                           purpose != NULL ? purpose : "?");
            for (const struct mpl_yaml *m = metrics == NULL ? NULL : metrics->first;
                 m != NULL && names != NULL; m = m->next) {
                names = mpl_arena_printf(arena, "%s%s%s", names, *names != '\0' ? ", " : "",
                                         m->text != NULL ? m->text : "?");
            }
            mpl_text_wrap(out, names != NULL ? names : "", 8, width);
        }
    }
}

static void print_examples(const struct mpl_pattern *pattern, FILE *out)
{
    fputs("\nexamples\n", out);
    for (size_t i = 0; i < mpl_pattern_example_count(pattern); i++) {
        const struct mpl_pattern_example *e = mpl_pattern_example(pattern, i);

        mpl_text_print(out, "    %s: %s\n", e->is_quiet ? "quiet" : "fires",
                       e->says != NULL   ? e->says
                       : e->file != NULL ? e->file
                                         : "(no words)");
    }
}

/* Rules that name the pattern in a condition or ask for its metrics. */
static enum mpl_status print_rules(const struct mpl_pattern_opts *opts,
                                   const struct mpl_pattern *pattern,
                                   struct mpl_arena *arena, FILE *out, struct mpl_err *err)
{
    struct mpl_knowledge known = { 0 };
    struct mpl_lint *lint = mpl_lint_create(arena);
    const struct mpl_mention *mentions = NULL;
    const char *last = "";
    size_t n = 0;

    if (lint == NULL) {
        return mpl_nomem(err);
    }
    fputs("\nrules\n", out);
    /* Faults of rules are a matter of marple rule lint. */
    if (mpl_knowledge_load(opts->directories.paths, opts->directories.n, arena, lint,
                           &known, NULL) != MPL_OK) {
        return MPL_OK;
    }
    const enum mpl_status st = mpl_rules_mentions(known.rules, arena, &mentions, &n, err);
    for (size_t i = 0; st == MPL_OK && i < n; i++) {
        const struct mpl_mention *m = &mentions[i];

        if (m->rule != NULL && m->pattern != NULL && strcmp(m->rule, last) != 0 &&
            strcmp(m->pattern, mpl_pattern_name(pattern)) == 0) {
            mpl_text_print(out, "    %s\n", m->rule);
            last = m->rule;
        }
    }
    return st;
}

static enum mpl_status show(const struct mpl_pattern_opts *opts,
                            const struct mpl_pattern *pattern, struct mpl_arena *arena,
                            FILE *out, struct mpl_err *err)
{
    const struct mpl_yaml *root = mpl_pattern_tree(pattern);
    const struct mpl_yaml *const *sections = NULL;
    const size_t n = mpl_pattern_metric_sections(pattern, &sections);

    mpl_text_print(out, "%s\n", mpl_pattern_name(pattern));
    if (mpl_pattern_says(pattern) != NULL) {
        mpl_text_wrap(out, mpl_pattern_says(pattern), 4, opts->width);
    }
    fputs("    ", out);
    mpl_origin_print(opts, mpl_pattern_file(pattern), mpl_pattern_replaces(pattern), out);
    mpl_text_print(out, "    chosen from %.3g of the messages and a fit of %.3g on\n",
                   mpl_pattern_minimum_coverage(pattern), mpl_pattern_minimum_fit(pattern));
    print_roles(mpl_yaml_find(root, "roles"), out, opts->width);
    print_events(mpl_yaml_find(root, "events"), out, opts->width);
    fputs("\nmetrics\n", out);
    for (size_t i = 0; i < n; i++) {
        print_numbers(sections[i], "    ", out);
    }
    print_experiments(pattern, arena, out, opts->width);
    print_examples(pattern, out);
    return print_rules(opts, pattern, arena, out, err);
}

enum mpl_status mpl_pattern_show(const struct mpl_pattern_opts *opts,
                                 struct mpl_arena *arena, FILE *out, struct mpl_err *err)
{
    struct mpl_chosen chosen;

    if (opts->operands.n == 0) {
        return mpl_fail(err, MPL_E_USAGE, "show needs the name or file of a pattern");
    }
    enum mpl_status st = mpl_patterns_choose(opts, arena, &chosen, err);
    for (size_t i = 0; st == MPL_OK && i < chosen.n; i++) {
        st = show(opts, chosen.patterns[i], arena, out, err);
    }
    return st;
}
