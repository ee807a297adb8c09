/*
 * What a fuzzer calls: stores its input in the file $FUZZ_FILE and runs the command $FUZZ_COMMAND, words
 * with one blank between them. So one harness serves every kind of file that the program reads.
 */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

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

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    const char *command = getenv("FUZZ_COMMAND");
    const char *words[WORDS_MOST];
    char text[COMMAND_MOST];
    int n_words = 0;
    FILE *out = fopen("/dev/null", "w");
    enum mpl_exit status;

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
