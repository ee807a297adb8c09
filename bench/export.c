/*
 * Measures `marple view export`:
 *
 *     export MARPLE ANCHOR...
 *
 * CPU seconds of reading, matching and clocks, of diagnosing, and of exporting for Perfetto and for Chrome, each in
 * processes of their own, medians; how fast Perfetto's file is written beside the reading; the peak memory beside that
 * of diagnosing. Ends with 1 when a command fails, never because of a number.
 */
#include "config.h"

#include "clock/clock.h"
#include "measure.h"
#include "read/read.h"

#include <stdio.h>

static void open_trace(char *const *path)
{
    struct mpl_arena *arena = mpl_arena_create();
    const struct mpl_match *match = NULL;
    const struct mpl_clock *clocks = NULL;
    struct mpl_model *model = NULL;

    if (mpl_read(path[0], arena, NULL, &model, NULL) != MPL_OK ||
        mpl_match_create(model, arena, &match, NULL) != MPL_OK ||
        mpl_clock_correct(model, match, NULL, NULL, arena, &clocks, NULL) != MPL_OK) {
        die("a trace cannot be read");
    }
    mpl_arena_destroy(arena);
}

static void measure(char *marple, char *anchor)
{
    static char words[][10] = { "diagnose", "view",     "export", "-o",
                                "/dev/null", "--format", "chrome" };
    char *diagnose[] = { marple, words[0], anchor, NULL };
    char *perfetto[] = { marple, words[1], words[2], words[3], words[4], anchor, NULL };
    char *chrome[] = { marple,   words[1], words[2], words[3], words[4],
                       words[5], words[6], anchor,   NULL };
    char *path[] = { anchor };
    const double read_s = in_process(open_trace, path).cpu_s;
    const struct cost diagnosed = command(diagnose);
    const struct cost exported = command(perfetto);
    const double written_s = exported.cpu_s - diagnosed.cpu_s;

    printf("%8.3f  %8.3f  %8.3f  %8.3f  %8.2f  %8.2f\n", read_s, diagnosed.cpu_s,
           exported.cpu_s, command(chrome).cpu_s, read_s / written_s,
           exported.peak_bytes / diagnosed.peak_bytes);
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: export MARPLE ANCHOR...\n");
        return 2;
    }
    printf("%8s  %8s  %8s  %8s  %8s  %8s\n", "(a) s", "(b) s", "(c) s", "(d) s", "a/(c-b)",
           "peak c/b");
    for (int i = 2; i < argc; i++) {
        measure(argv[1], argv[i]);
    }
    return 0;
}
