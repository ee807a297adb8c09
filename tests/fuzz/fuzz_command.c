/*
 * What a fuzzer calls: stores its input in the file $FUZZ_FILE and runs the command $FUZZ_COMMAND, words
 * with one blank between them. So one harness serves every kind of file that the program reads. Commands
 * that would load the stock of patterns and rules for each input have a short cut: "parse pattern",
 * "parse rules" and "parse rule-test" load it once, from $MARPLE_DATA, and store nothing.
 */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "infer/infer.h"
#include "recognize/recognize.h"
#include "ruletest/ruletest.h"

enum { WORDS_MOST = 16, COMMAND_MOST = 1024 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void store(const char *path, const uint8_t *bytes, size_t n)
{
    FILE *out = path == NULL ? NULL : fopen(path, "wb");

    if (out == NULL || fwrite(bytes, 1, n, out) != n || fclose(out) != 0) {
        perror(path == NULL ? "FUZZ_FILE" : path);
        exit(EXIT_FAILURE);
    }
}

/** The rules that are shipped. */
static const struct mpl_rules *load_rules(struct mpl_arena *arena)
{
    const char *folder = mpl_arena_printf(arena, "%s/rules", getenv("MARPLE_DATA"));
    const struct mpl_rules *rules = NULL;

    const struct mpl_rule_places places = { .directories = &folder, .n_directories = 1 };

    if (mpl_rules_read(&places, arena, mpl_lint_create(arena), &rules, NULL) != MPL_OK) {
        fprintf(stderr, "MARPLE_DATA has no rules\n");
        exit(EXIT_FAILURE);
    }
    return rules;
}

static void parse(const char *kind, const uint8_t *bytes, size_t n)
{
    static struct mpl_arena *stock;
    static const struct mpl_rules *rules;
    struct mpl_arena *arena = mpl_arena_create();
    struct mpl_lint *lint = mpl_lint_create(arena);
    const struct mpl_patterns *patterns = NULL;
    const struct mpl_rules *parsed = NULL;
    size_t n_cases = 0;
    /* As from a file, with a NUL behind it. */
    char *text = (char *) memcpy(mpl_arena_alloc(arena, n + 1), bytes, n);

    if (stock == NULL) {
        stock = mpl_arena_create();
        rules = load_rules(stock);
    }
    if (strcmp(kind, "pattern") == 0) {
        (void) mpl_patterns_parse("x.yaml", text, n, NULL, arena, lint, &patterns, NULL);
    } else if (strcmp(kind, "rules") == 0) {
        struct mpl_infer *infer = NULL;

        if (mpl_rules_parse("x.clp", text, n, rules, arena, lint, &parsed, NULL) ==
            MPL_OK) {
            (void) mpl_infer_create(parsed, NULL, &infer, NULL);
        }
        mpl_infer_destroy(infer);
    } else {
        (void) mpl_rules_test(rules, "x.test.clp", text, n, arena, lint, &n_cases, NULL);
    }
    mpl_arena_destroy(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    const char *command = getenv("FUZZ_COMMAND");
    const char *words[WORDS_MOST];
    char text[COMMAND_MOST];
    int n_words = 0;
    FILE *out;
    enum mpl_exit status;

    if (command != NULL && strncmp(command, "parse ", strlen("parse ")) == 0) {
        parse(command + strlen("parse "), bytes, n);
        return 0;
    }
    out = fopen("/dev/null", "w");
    store(getenv("FUZZ_FILE"), bytes, n);
    (void) snprintf(text, sizeof text, "%s", command == NULL ? "" : command);
    for (char *word = strtok(text, " "); word != NULL && n_words < WORDS_MOST;
         word = strtok(NULL, " ")) {
        words[n_words++] = word;
    }
    if (out == NULL || n_words == 0) {
        fprintf(stderr, "FUZZ_COMMAND holds no words\n");
        exit(EXIT_FAILURE);
    }
    status = mpl_cli_main(n_words, words, out);
    (void) fclose(out);
    if (status == MPL_EXIT_BUG) {
        abort();
    }
    return 0;
}
