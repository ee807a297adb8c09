/*
 * Takes:        directories and files of rules (CLIPS), as text.
 * Makes:        a rule base: where each rule stands, what it names, the conditions it has, which of its rules a run needs.
 * Leaves alone: what CLIPS makes of it (infer).
 */
#ifndef MPL_RULEBOOK_RULEBOOK_H
#define MPL_RULEBOOK_RULEBOOK_H

#include "base/base.h"

/*
 * The fact vocabulary is rules/vocabulary.clp, loaded first, then rules/thresholds.clp,
 * then the other *.clp of each directory by name, *.test.clp and TEMPLATE.clp excepted. A file replaces the others of
 * its name in earlier directories, but for vocabulary and thresholds, which add; thresholds of
 * later directories change those of earlier ones. A name without module belongs to MAIN.
 */

struct mpl_rules; /**< Texts of a rule base; independent of any run. */

struct mpl_rule {
    const char *name; /**< "CAUSES::master-bottleneck" */
    const char *says; /**< Its comment: the claim in plain words. */
    const char *file;
    unsigned first_line, last_line;
};

/** Where rules are: directories, and files that come behind all of them. */
struct mpl_rule_places {
    const char *const *directories;
    size_t n_directories;
    const char *const *files; /**< Must live as long as the rules. */
    size_t n_files;
};
/**
 * Reads all rule files. Faults of outer form (syntax, unknown constructs, duplicates, recursion, nesting beyond 100) go
 * to \p lint with file and line; MPL_E_SYNTAX then. CLIPS sees the texts in mpl_infer_create(), which adds its faults
 * to the same lint: it must live as long as the rules.
 */
enum mpl_status mpl_rules_read(const struct mpl_rule_places *places,
                               struct mpl_arena *arena, struct mpl_lint *lint,
                               const struct mpl_rules **out, struct mpl_err *err);
/** Likewise for one more rule text, from memory, on top of \p base, which may be NULL; for tests. */
enum mpl_status mpl_rules_parse(const char *file, const char *text, size_t bytes,
                                const struct mpl_rules *base, struct mpl_arena *arena,
                                struct mpl_lint *lint, const struct mpl_rules **out,
                                struct mpl_err *err);
size_t mpl_rules_count(const struct mpl_rules *rules);
const struct mpl_rule *mpl_rules_get(const struct mpl_rules *rules, size_t i);
/** The file of the same name in an earlier directory that \p file stands in for, or NULL. */
const char *mpl_rules_replaces(const struct mpl_rules *rules, const char *file);

enum mpl_mention_kind {
    MPL_MENTION_ASKS, /**< Has a metric as a condition that asks for it, see mpl_rule_turn. */
    MPL_MENTION_READS,     /**< Has a metric as a condition. */
    MPL_MENTION_WORD,      /**< "x.y" elsewhere: may be a metric that a function reads. */
    MPL_MENTION_CONCLUDES, /**< Asserts a finding. */
    MPL_MENTION_BUILDS_ON, /**< Has a finding as a condition. */
    MPL_MENTION_PATTERN,   /**< Names a pattern, in a condition or in a slot. */
    MPL_MENTION_ROLE,      /**< Names a role of the pattern. */
    MPL_MENTION_LINE       /**< Writes a headline or fix, or a part of it. */
};
/** What a rule or function names, as far as its text alone shows. */
struct mpl_mention {
    enum mpl_mention_kind kind;
    const char *name;    /**< Of what is mentioned; NULL: computed. Of a line, the slot. */
    const char *pattern; /**< Of a metric or role; NULL: computed or not said. */
    const char *finding_kind; /**< "cause"; NULL: computed or not said. */
    const char *line;         /**< The text of a line as written, with placeholders. */
    bool has_remedy;
    const char *rule; /**< "CAUSES::x"; NULL in a function. */
    struct mpl_place place;
};
/** In the order of the texts. */
enum mpl_status mpl_rules_mentions(const struct mpl_rules *rules, struct mpl_arena *arena,
                                   const struct mpl_mention **out, size_t *n,
                                   struct mpl_err *err);

/** The rule of that full name ("CAUSES::x"), or of that name in any module; or NULL. */
const struct mpl_rule *mpl_rules_find(const struct mpl_rules *rules, const char *name);
/** 0 for vocabulary.clp, 1 for thresholds.clp, 2 for the others: the order of loading. */
int mpl_rule_file_order(const char *path);

#endif
