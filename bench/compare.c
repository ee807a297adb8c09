/*
 * Measures `marple diff`:
 *
 *     compare MARPLE YARDSTICK FIRST SAME OTHER SLOW
 *
 * Four anchors: FIRST and SAME hold the same calls, OTHER has some more iterations, in SLOW a worker computes longer, so
 * that chance decides about the rest, and where it does so is looked for. CPU seconds of libotf2's readers with empty callbacks
 * for both, of reading, matching and clocks of both, of diagnosing both, and of comparing them, each in processes of their own,
 * of each the shortest turn; with ratios, and the peak memory beside that of `marple check` for both. Then JSM_D of 4,096 processes.
 * Ends with 1 when a command fails, never because of a number.
 */
#include "config.h"

#include "analysis/analysis.h"
#include "diff/diff_priv.h"
#include "diff/similarity.h"
#include "measure.h"

#include <stdio.h>

enum { N_RANKS = 4096, N_ITEMS = 40 };

static void open_one(const char *path, struct mpl_arena *arena)
{
    const struct mpl_match *match = NULL;
    const struct mpl_clock *clocks = NULL;
    struct mpl_model *model = NULL;

    if (mpl_read(path, arena, NULL, &model, NULL) != MPL_OK ||
        mpl_match_create(model, arena, &match, NULL) != MPL_OK ||
        mpl_clock_correct(model, match, NULL, NULL, arena, &clocks, NULL) != MPL_OK) {
        die("a trace cannot be read");
    }
}

/* Reading, matching and clocks; both stay in memory, as they do when they are compared. */
static void open_both(char *const *paths)
{
    struct mpl_arena *arena = mpl_arena_create();

    open_one(paths[0], arena);
    open_one(paths[1], arena);
    mpl_arena_destroy(arena);
}

static void compare(char **argv, char *first, char *second, const char *what)
{
    char *yardstick[2][3] = { { argv[2], first, NULL }, { argv[2], second, NULL } };
    static char words[][9] = { "diff", "diagnose", "check" };
    char *diff[] = { argv[1], words[0], first, second, NULL };
    char *diagnose[2][4] = { { argv[1], words[1], first, NULL },
                             { argv[1], words[1], second, NULL } };
    char *check[2][4] = { { argv[1], words[2], first, NULL },
                          { argv[1], words[2], second, NULL } };
    char *both[] = { first, second };
    const double opened_s = in_process(open_both, both).cpu_s;
    const double empty_s = command(yardstick[0]).cpu_s + command(yardstick[1]).cpu_s;
    const double diagnosed_s = command(diagnose[0]).cpu_s + command(diagnose[1]).cpu_s;
    const double models = command(check[0]).peak_bytes + command(check[1]).peak_bytes;
    const struct cost cost = command(diff);

    printf("%10s  %8.3f  %8.3f  %8.3f  %8.3f  %6.2f  %6.2f  %6.2f  %8.1f  %6.2f\n", what,
           empty_s, opened_s, diagnosed_s, cost.cpu_s, cost.cpu_s / empty_s,
           cost.cpu_s / opened_s, cost.cpu_s / diagnosed_s, cost.peak_bytes / (1 << 20),
           cost.peak_bytes / models);
}

/* The ranks of both runs, the new one behind the base, are of so many classes; each does in the new run what the next one did. */
static void measure_changes(uint32_t n_classes)
{
    const struct mpl_context_kind kind = { MPL_CONTEXT_DOUBLE, MPL_CONTEXT_ACTUAL };
    struct mpl_arena *arena = mpl_arena_create();
    struct mpl_folded *all = MPL_NEW_ARRAY(arena, 2 * N_RANKS, struct mpl_folded);
    struct mpl_counts counts = { { NULL } };
    static double rows[N_RANKS];

    for (uint32_t r = 0; r < 2 * N_RANKS; r++) {
        const uint32_t class = (r + r / N_RANKS) % n_classes;
        struct mpl_item *items = MPL_NEW_ARRAY(arena, N_ITEMS, struct mpl_item);

        for (uint32_t i = 0; i < N_ITEMS; i++) {
            items[i] = (struct mpl_item){ (i + class * (i % 7 == 0)) % 5000, 1 };
        }
        all[r] = (struct mpl_folded){ N_ITEMS, items };
    }

    const struct mpl_filtered filtered = { .arena = arena,
                                           .n_locations = N_RANKS,
                                           .base = all,
                                           .new = all + N_RANKS,
                                           .counts = &counts };
    const double begin_s = now_s();

    if (mpl_similarity_changes(&filtered, kind, rows, NULL) != MPL_OK) {
        die("out of memory");
    }
    printf("%10u  %8.3f\n", n_classes, now_s() - begin_s);
    mpl_arena_destroy(arena);
}

int main(int argc, char **argv)
{
    if (argc != 7) {
        fprintf(stderr, "usage: compare MARPLE YARDSTICK FIRST SAME OTHER SLOW\n");
        return 2;
    }
    printf("%10s  %8s  %8s  %8s  %8s  %6s  %6s  %6s  %8s  %6s\n", "calls are", "(a) s",
           "(b) s", "(c) s", "(d) s", "d/a", "d/b", "d/c", "MiB", "of two");
    compare(argv, argv[3], argv[4], "the same");
    compare(argv, argv[3], argv[5], "different");
    compare(argv, argv[3], argv[6], "by chance");
    printf("\nJSM_D of %d processes\n\n%10s  %8s\n", N_RANKS, "classes", "CPU s");
    measure_changes(64);
    measure_changes(1000);
    measure_changes(N_RANKS);
    return 0;
}
