/* What the files behind `marple pattern` and `marple rule` share. */
#ifndef MPL_CLI_PATTERN_PRIV_H
#define MPL_CLI_PATTERN_PRIV_H

#include "cli/cli.h"
#include "knowledge/knowledge.h"

/** What the words of the command ask for. Arrays hold as many items as there are words. */
struct mpl_pattern_opts {
    struct mpl_words operands; /**< Names of patterns, or paths of files and directories. */
    struct mpl_knowledge_asked knowledge; /**< With room for the operands, too. */
    struct mpl_directories directories;   /**< What is to be loaded for it, */
    const char **files;                   /**< and these behind it. */
    size_t n_files;
    bool is_verbose;
    long width;
};

/** A word that means a file: it has a slash or the ending of a pattern or rule file. */
bool mpl_word_is_file(const char *word);

/** A word that means a directory: it has a slash, or the directory holds knowledge. */
bool mpl_word_is_directory(const char *word);
/** Whether \p file is the operand, or one of the knowledge in the directory that it names. */
bool mpl_operand_covers(struct mpl_arena *arena, const char *operand, const char *file);
/**
 * Sets directories and files: those that the options and the operands name, and with a file outside
 * of them the pattern, the rules and the thresholds that belong to it.
 *
 * Errors: MPL_E_IO for a file that is not there; those of mpl_directories_find().
 */
enum mpl_status mpl_operands_find(struct mpl_pattern_opts *opts, struct mpl_arena *arena,
                                  struct mpl_err *err);

/** Whether both paths lead to one file that exists. */
bool mpl_is_same_file(const char *a, const char *b);

/**
 * Prints what is wrong with \p what ("patterns") to standard error. What has been printed so is not printed
 * once more as the reason of a failure. Returns \p status.
 */
enum mpl_status mpl_lint_tell(const struct mpl_lint *lint, enum mpl_status status,
                              const char *what, const struct mpl_err *reason,
                              struct mpl_err *err);

/** The patterns that the operands name. */
struct mpl_chosen {
    size_t n;
    const struct mpl_pattern **patterns;
};
/**
 * Loads the knowledge and finds the patterns of the operands: all without operands. A file is
 * loaded on top of the knowledge unless it is part of it. What is wrong goes to standard error.
 */
enum mpl_status mpl_patterns_choose(const struct mpl_pattern_opts *opts,
                                    struct mpl_arena *arena, struct mpl_chosen *out,
                                    struct mpl_err *err);
/** MPL_E_USAGE: "there is no pattern "pipelin"; did you mean "pipeline"?" */
enum mpl_status mpl_pattern_fail(const struct mpl_patterns *patterns, const char *name,
                                 struct mpl_arena *arena, struct mpl_err *err);
/** Prints "stock: FILE, in place of OTHER", of what was loaded from one of the directories; \p replaces may be NULL. */
void mpl_origin_print(const struct mpl_pattern_opts *opts, const char *file,
                      const char *replaces, FILE *out);

/** MPL_END when a pattern does not do what its examples say. */
enum mpl_status mpl_pattern_test(const struct mpl_pattern_opts *opts,
                                 struct mpl_arena *arena, FILE *out, struct mpl_err *err);

/** What may follow `marple pattern` or `marple rule`. */
struct mpl_action {
    const char *name;
    enum mpl_status (*run)(const struct mpl_pattern_opts *opts, struct mpl_arena *arena,
                           FILE *out, struct mpl_err *err);
};

enum mpl_status mpl_pattern_list(const struct mpl_pattern_opts *opts,
                                 struct mpl_arena *arena, FILE *out, struct mpl_err *err);
enum mpl_status mpl_pattern_show(const struct mpl_pattern_opts *opts,
                                 struct mpl_arena *arena, FILE *out, struct mpl_err *err);
enum mpl_status mpl_rule_list(const struct mpl_pattern_opts *opts, struct mpl_arena *arena,
                              FILE *out, struct mpl_err *err);
enum mpl_status mpl_rule_test(const struct mpl_pattern_opts *opts, struct mpl_arena *arena,
                              FILE *out, struct mpl_err *err);
/** For patterns or rules: MPL_END when there are errors, also of loading. */
enum mpl_status mpl_pattern_lint(const struct mpl_pattern_opts *opts,
                                 struct mpl_arena *arena, FILE *out, struct mpl_err *err);
enum mpl_status mpl_rule_lint(const struct mpl_pattern_opts *opts, struct mpl_arena *arena,
                              FILE *out, struct mpl_err *err);

#endif
