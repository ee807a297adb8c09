/*
 * Takes:        directories of patterns and rules.
 * Makes:        what is known: patterns, their metrics and the rules.
 * Leaves alone: traces; what is known is not applied to anything here.
 */
#ifndef MPL_KNOWLEDGE_KNOWLEDGE_H
#define MPL_KNOWLEDGE_KNOWLEDGE_H

#include "metrics/metrics.h"
#include "rulebook/rulebook.h"

/** Pointers live in the arenas that were given to the functions that fill it in. */
struct mpl_knowledge {
    const struct mpl_patterns *patterns;
    const struct mpl_metric_set **metric_sets; /**< Parallel to patterns. */
    const struct mpl_rules *rules;
    size_t n_region_classes; /**< Of all directories, the first ones first. */
    const struct mpl_region_class *region_classes;
};

/**
 * Loads patterns and rules of \p n directories, each of which holds patterns/ and rules/, or files of both beside each
 * other. Later patterns of the same name replace earlier ones. CLIPS has not yet seen the rules
 * then, see mpl_rules_read().
 *
 * Errors: MPL_E_SYNTAX, all messages in \p lint; MPL_E_IO for a directory that is not there.
 */
enum mpl_status mpl_knowledge_load(const char *const *directories, size_t n,
                                   struct mpl_arena *arena, struct mpl_lint *lint,
                                   struct mpl_knowledge *out, struct mpl_err *err);

/**
 * The same with files, *.yaml and *.clp, that may lie anywhere, as if they were in a directory behind
 * the others. \p files must live as long as what is known.
 */
enum mpl_status mpl_knowledge_load_files(const char *const *directories, size_t n,
                                         const char *const *files, size_t n_files,
                                         struct mpl_arena *arena, struct mpl_lint *lint,
                                         struct mpl_knowledge *out, struct mpl_err *err);

/**
 * The classes of functions in rules/regions.yaml of \p n directories; those that have none are left out.
 * Errors: MPL_E_SYNTAX, all messages in \p lint; MPL_E_IO.
 */
enum mpl_status mpl_knowledge_regions(const char *const *directories, size_t n,
                                      struct mpl_arena *arena, struct mpl_lint *lint,
                                      struct mpl_knowledge *out, struct mpl_err *err);

/** Only the patterns, with their metrics; out->rules is NULL then. */
enum mpl_status mpl_knowledge_load_patterns(const char *const *directories, size_t n,
                                            struct mpl_arena *arena, struct mpl_lint *lint,
                                            struct mpl_knowledge *out, struct mpl_err *err);

/**
 * What loading does not find wrong: metrics that are asked for or read and nobody defines
 * (errors); what nobody uses, causes without a remedy, rules without a comment or a test, patterns
 * without examples (warnings). What a rule computes is not complained about.
 *
 * With \p n_files > 0 only what stands in these files is reported.
 */
enum mpl_status mpl_knowledge_lint(const struct mpl_knowledge *known,
                                   const char *const *files, size_t n_files,
                                   struct mpl_arena *arena, struct mpl_lint *lint,
                                   struct mpl_err *err);

/** DIRECTORY/\p name ("patterns", "rules") where it exists, else the directory; NULL: no memory. */
const char *mpl_knowledge_folder(struct mpl_arena *arena, const char *directory,
                                 const char *name);

#endif
