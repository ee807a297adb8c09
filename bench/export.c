/*
 * Measures `marple view export`:
 *
 *     export MARPLE YARDSTICK ANCHOR...
 *
 * CPU seconds of libotf2's readers with callbacks that do nothing, of reading, matching and clocks, of diagnosing, and of
 * exporting for Perfetto and for Chrome, each in processes of their own, of each the shortest turn; how fast each file is
 * written beside both kinds of reading, where what it takes is that of the export without that of the diagnosis; the peak
 * memory beside that of diagnosing. Ends with 1 when a command fails, never because of a number.
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

static void measure(char *marple, char *yardstick, char *anchor)
{
    static char words[][10] = { "diagnose", "view",     "export", "-o",
                                "/dev/null", "--format", "chrome" };
    char *read[] = { yardstick, anchor, NULL };
    char *diagnose[] = { marple, words[0], anchor, NULL };
    char *perfetto[] = { marple, words[1], words[2], words[3], words[4], anchor, NULL };
    char *chrome[] = { marple,   words[1], words[2], words[3], words[4],
                       words[5], words[6], anchor,   NULL };
    char *path[] = { anchor };
    const double read_s = command(read).cpu_s;
    const double opened_s = in_process(open_trace, path).cpu_s;
    const struct cost diagnosed = command(diagnose);
    const struct cost exported = command(perfetto);
    const double chrome_s = command(chrome).cpu_s;
    const double perfetto_s = exported.cpu_s - diagnosed.cpu_s;
    const double json_s = chrome_s - diagnosed.cpu_s;

    printf("%8.3f  %8.3f  %8.3f  %8.3f  %8.3f  %8.2f  %8.2f  %8.2f  %8.2f  %8.2f\n", read_s,
           opened_s, diagnosed.cpu_s, exported.cpu_s, chrome_s, read_s / perfetto_s,
           opened_s / perfetto_s, read_s / json_s, opened_s / json_s,
           exported.peak_bytes / diagnosed.peak_bytes);
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: export MARPLE YARDSTICK ANCHOR...\n");
        return 2;
    }
    printf("%8s  %8s  %8s  %8s  %8s  %8s  %8s  %8s  %8s  %8s\n", "(a) s", "(b) s", "(c) s",
           "(d) s", "(e) s", "a/(d-c)", "b/(d-c)", "a/(e-c)", "b/(e-c)", "peak d/c");
    for (int i = 3; i < argc; i++) {
        measure(argv[1], argv[2], argv[i]);
    }
    return 0;
}
