/* What a pattern defines and nobody uses. Formulas are searched for words: a word that looks like
   the name counts as a use, so that no complaint is wrong. */
#include "config.h"

#include "knowledge/lint_priv.h"

#include <ctype.h>
#include <string.h>

static bool is_letter(char c)
{
    return isalnum((unsigned char) c) || c == '_';
}

static bool has_word(const char *text, const char *word)
{
    const size_t n = strlen(word);

    for (const char *at = text; (at = strstr(at, word)) != NULL; at += n) {
        if ((at == text || !is_letter(at[-1])) && !is_letter(at[n])) {
            return true;
        }
    }
    return false;
}

/* Whether \p word stands in a text of the tree below \p node, \p but excepted. */
static bool is_used(const struct mpl_yaml *node, const char *word,
                    const struct mpl_yaml *but)
{
    if (node == NULL || node == but) {
        return false;
    }
    if (node->kind == MPL_YAML_SCALAR) {
        return node->key != NULL && strcmp(node->key, "says") == 0
                   ? false
                   : has_word(node->text, word);
    }
    for (const struct mpl_yaml *child = node->first; child != NULL; child = child->next) {
        if (is_used(child, word, but)) {
            return true;
        }
    }
    return false;
}

static bool is_used_in_metrics(const struct mpl_pattern *pattern, const char *word)
{
    const struct mpl_yaml *const *sections = NULL;
    const size_t n = mpl_pattern_metric_sections(pattern, &sections);

    for (size_t i = 0; i < n; i++) {
        if (is_used(sections[i], word, NULL)) {
            return true;
        }
    }
    return false;
}

static const struct mpl_yaml *child(const struct mpl_yaml *node, const char *key)
{
    return node == NULL ? NULL : mpl_yaml_find(node, key);
}

/* Inherited parts are reported with the pattern that they are from. */
static bool is_own(const struct mpl_pattern *pattern, const struct mpl_yaml *node)
{
    return strcmp(node->key_place.file, mpl_pattern_file(pattern)) == 0;
}

/* An event with messages or collectives explains some of them, which is a use. */
static bool explains_messages(const struct mpl_yaml *event)
{
    static const char *const silent[] = { "compute", "region", "other" };
    const struct mpl_yaml *members = child(event, "members");

    for (const struct mpl_yaml *m = members == NULL ? NULL : members->first; m != NULL;
         m = m->next) {
        const struct mpl_yaml *kind = child(m, "event");
        bool is_silent = false;

        for (size_t i = 0; i < 3 && kind != NULL && kind->text != NULL; i++) {
            is_silent = is_silent || strcmp(kind->text, silent[i]) == 0;
        }
        if (!is_silent) {
            return true;
        }
    }
    return false;
}

static void check_event(const struct linter *l, const struct mpl_pattern *pattern,
                        const struct mpl_yaml *events, const struct mpl_yaml *event)
{
    const struct mpl_yaml *attributes = child(event, "attributes");

    if (is_own(pattern, event) && !explains_messages(event) &&
        !is_used(events, event->key, NULL) && !is_used_in_metrics(pattern, event->key)) {
        mpl_linter_warn(l, event->key_place,
                        "nobody reads event '%s', and it explains no messages", event->key);
    }
    for (const struct mpl_yaml *a = attributes == NULL ? NULL : attributes->first;
         a != NULL; a = a->next) {
        if (is_own(pattern, a) && !is_used(events, a->key, a) &&
            !is_used_in_metrics(pattern, a->key)) {
            mpl_linter_warn(l, a->key_place, "nobody reads attribute '%s' of event '%s'",
                            a->key, event->key);
        }
    }
}

static void check_roles(const struct linter *l, const struct mpl_pattern *pattern,
                        const struct mpl_yaml *root)
{
    const struct mpl_yaml *roles = child(root, "roles");

    for (const struct mpl_yaml *r = roles == NULL ? NULL : roles->first; r != NULL;
         r = r->next) {
        if (is_own(pattern, r) && !is_used(roles, r->key, r) &&
            !is_used(child(root, "events"), r->key, NULL) &&
            !is_used_in_metrics(pattern, r->key)) {
            mpl_linter_warn(l, r->key_place, "nobody reads role '%s'", r->key);
        }
    }
}

static void check_examples(const struct linter *l, const struct mpl_pattern *pattern,
                           const struct mpl_yaml *root)
{
    const struct mpl_yaml *name = child(root, "pattern");
    size_t n_fires = 0;
    size_t n_quiet = 0;

    for (size_t i = 0; i < mpl_pattern_example_count(pattern); i++) {
        if (mpl_pattern_example(pattern, i)->is_quiet) {
            n_quiet++;
        } else {
            n_fires++;
        }
    }
    if (name != NULL && n_fires == 0) {
        mpl_linter_warn(l, name->key_place, "no example under 'fires' shows the pattern");
    }
    if (name != NULL && n_quiet == 0) {
        mpl_linter_warn(l, name->key_place,
                        "no example under 'quiet' shows a near miss of the pattern");
    }
}

void mpl_lint_pattern(const struct linter *l, const struct mpl_pattern *pattern)
{
    const struct mpl_yaml *root = mpl_pattern_tree(pattern);
    const struct mpl_yaml *events = child(root, "events");

    check_roles(l, pattern, root);
    for (const struct mpl_yaml *e = events == NULL ? NULL : events->first; e != NULL;
         e = e->next) {
        check_event(l, pattern, events, e);
    }
    check_examples(l, pattern, root);
}
