/*
 * Measures `marple diagnose --format html`:
 *
 *     page MARPLE (ANCHOR PAGE)...
 *
 * CPU seconds of diagnosing and of writing the page, each in processes of their own, of each the shortest turn; their ratio,
 * that of the peaks of their memory, and the size of the page, which stays. Ends with 1 when a command fails, never because
 * of a number.
 */
#include "config.h"

#include "measure.h"

#include <stdio.h>
#include <sys/stat.h>

static void measure(char *marple, char *anchor, char *page)
{
    static char words[][9] = { "diagnose", "--format", "html", "-o" };
    char *diagnose[] = { marple, words[0], anchor, NULL };
    char *draw[] = { marple, words[0], words[1], words[2], words[3], page, anchor, NULL };
    const struct cost diagnosed = command(diagnose);
    const struct cost drawn = command(draw);
    struct stat file;

    if (stat(page, &file) != 0) {
        die("there is no page");
    }
    printf("%8.3f  %8.3f  %8.2f  %8.2f  %8.2f\n", diagnosed.cpu_s, drawn.cpu_s,
           drawn.cpu_s / diagnosed.cpu_s, drawn.peak_bytes / diagnosed.peak_bytes,
           (double) file.st_size / 1e6);
}

int main(int argc, char **argv)
{
    if (argc < 4 || argc % 2 != 0) {
        fprintf(stderr, "usage: page MARPLE (ANCHOR PAGE)...\n");
        return 2;
    }
    printf("%8s  %8s  %8s  %8s  %8s\n", "(a) s", "(b) s", "b/a", "peak b/a", "MB");
    for (int i = 2; i < argc; i += 2) {
        measure(argv[1], argv[i], argv[i + 1]);
    }
    return 0;
}
