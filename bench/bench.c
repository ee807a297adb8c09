/*
 * Measures `marple diagnose` and `marple sync` against libotf2's local readers in one run, so that
 * the ratios hold on any machine: the three take turns, the medians of the turns are printed.
 *
 *     bench MARPLE YARDSTICK GENERATE DIRECTORY EVENTS:KERNELS[:SWING]...
 *
 * Prints per trace: events, functions that a task calls, CPU seconds (user and system) of each,
 * their ratios, and the peak memory of marple diagnose per event. Where clocks SWING, by so many
 * microseconds, they are estimated and repaired, and every file gets new times. Ends with 1 when a command fails, never
 * because of a number.
 */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TURNS = 5, PATH_ROOM = 4096 };

struct cost {
    double cpu_s;
    double peak_bytes;
};

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *) a;
    const double y = *(const double *) b;

    return x < y ? -1 : x > y;
}

static double median(double *values, size_t n)
{
    qsort(values, n, sizeof *values, by_value);
    return values[n / 2];
}

/* 0 and the cost, or 1 after a message. */
static int measure(char *const *argv, struct cost *cost)
{
    struct rusage usage;
    int status = 0;
    const pid_t child = fork();

    if (child == 0) {
        const int null = open("/dev/null", O_WRONLY);

        (void) dup2(null, STDOUT_FILENO);
        execv(argv[0], argv);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) < 0 || !WIFEXITED(status) ||
        WEXITSTATUS(status) != 0) {
        fprintf(stderr, "bench: %s failed\n", argv[0]);
        return 1;
    }
    cost->cpu_s = (double) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                  1e-6 * (double) (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    cost->peak_bytes = 1024.0 * (double) usage.ru_maxrss;
    return 0;
}

/* CPU seconds in each turn. */
struct turns {
    double theirs[TURNS];
    double diagnose[TURNS];
    double sync[TURNS];
    double peak_bytes;
};

static int take_turns(char *const *yardstick, char *const *diagnose, char *const *sync,
                      struct turns *turns)
{
    struct cost cost;

    for (int i = 0; i < TURNS; i++) {
        if (measure(yardstick, &cost) != 0) {
            return 1;
        }
        turns->theirs[i] = cost.cpu_s;
        if (measure(diagnose, &cost) != 0) {
            return 1;
        }
        turns->diagnose[i] = cost.cpu_s;
        turns->peak_bytes =
            cost.peak_bytes > turns->peak_bytes ? cost.peak_bytes : turns->peak_bytes;
        if (measure(sync, &cost) != 0) {
            return 1;
        }
        turns->sync[i] = cost.cpu_s;
    }
    return 0;
}

static double median_ratio(const double *a, const double *b)
{
    double ratios[TURNS];

    for (int i = 0; i < TURNS; i++) {
        ratios[i] = a[i] / b[i];
    }
    return median(ratios, TURNS);
}

static int bench_trace(char **argv, const char *directory, char *what, double *ratio)
{
    char *events = strtok(what, ":");
    char *kernels = strtok(NULL, ":");
    char *swing = strtok(NULL, ":");
    static char locations[] = "16";
    char trace[PATH_ROOM];
    char anchor[PATH_ROOM + 16];
    char copy[PATH_ROOM + 16];
    struct stat there;
    struct cost cost;
    struct turns turns = { .peak_bytes = 0 };

    if (events == NULL || kernels == NULL) {
        fprintf(stderr, "bench: EVENTS:KERNELS[:SWING], please\n");
        return 1;
    }
    snprintf(trace, sizeof trace, "%s/trace-%s-%s-%s", directory, events, kernels,
             swing == NULL ? "0" : swing);
    snprintf(anchor, sizeof anchor, "%s/traces.otf2", trace);
    snprintf(copy, sizeof copy, "%s-copy", trace);

    char *generate[] = { argv[3], trace, events, kernels, swing == NULL ? NULL : locations,
                         swing,   NULL };
    char *yardstick[] = { argv[2], anchor, NULL };
    /* execv() promises to leave them alone, but its type does not say so. */
    static char word[][9] = { "diagnose", "sync", "--force", "-o" };
    char *diagnose[] = { argv[1], word[0], anchor, NULL };
    char *sync[] = { argv[1], word[1], word[2], word[3], copy, anchor, NULL };

    if (stat(anchor, &there) != 0 && measure(generate, &cost) != 0) {
        return 1;
    }
    if (take_turns(yardstick, diagnose, sync, &turns) != 0) {
        return 1;
    }
    *ratio = median_ratio(turns.diagnose, turns.theirs);

    const double sync_ratio = median_ratio(turns.sync, turns.theirs);

    printf("%12s  %8s  %8s  %10.3f  %10.3f  %6.2f  %6.1f  %10.3f  %6.2f\n", events, kernels,
           swing == NULL ? "none" : swing, median(turns.theirs, TURNS),
           median(turns.diagnose, TURNS), *ratio, turns.peak_bytes / strtod(events, NULL),
           median(turns.sync, TURNS), sync_ratio);
    return 0;
}

int main(int argc, char **argv)
{
    double ratio = 0;
    double first = 0;
    double second = 0;

    if (argc < 6) {
        fprintf(
            stderr,
            "usage: bench MARPLE YARDSTICK GENERATE DIRECTORY EVENTS:KERNELS[:SWING]...\n");
        return 2;
    }
    printf(
        "CPU seconds, medians of %d turns; (a) libotf2 local readers with empty callbacks, "
        "(b) marple diagnose, (c) marple sync\n\n",
        TURNS);
    printf("%12s  %8s  %8s  %10s  %10s  %6s  %6s  %10s  %6s\n", "events", "kernels",
           "swing us", "(a) s", "(b) s", "b/a", "B/event", "(c) s", "c/a");
    for (int i = 5; i < argc; i++) {
        if (bench_trace(argv, argv[4], argv[i], &ratio) != 0) {
            return 1;
        }
        first = i == 5 ? ratio : first;
        second = i == 6 ? ratio : second;
    }
    if (argc > 6) {
        printf("\nb/a at the second trace over that at the first: %.2f\n", second / first);
    }
    return 0;
}
