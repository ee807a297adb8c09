/*
 * Measures `marple diagnose` against libotf2's local readers in one run, so that the ratio holds
 * on any machine: the two alternate, the median of the pairs is told.
 *
 *     bench MARPLE YARDSTICK GENERATE DIRECTORY EVENTS:KERNELS...
 *
 * Prints per trace: events, functions that a task calls, CPU seconds (user and system) of each,
 * their ratio, and the peak memory of marple per event. Ends with 1 when a command fails, never
 * because of a number.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAIRS = 5, PATH_ROOM = 4096 };

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

static int bench_trace(char **argv, const char *directory, char *what, double *ratio)
{
    char *events = strtok(what, ":");
    char *kernels = strtok(NULL, ":");
    char trace[PATH_ROOM];
    char anchor[PATH_ROOM + 16];
    struct stat there;
    struct cost cost;
    double ours[PAIRS];
    double theirs[PAIRS];
    double ratios[PAIRS];
    double peak = 0;

    if (events == NULL || kernels == NULL) {
        fprintf(stderr, "bench: EVENTS:KERNELS, please\n");
        return 1;
    }
    snprintf(trace, sizeof trace, "%s/trace-%s-%s", directory, events, kernels);
    snprintf(anchor, sizeof anchor, "%s/traces.otf2", trace);

    char *generate[] = { argv[3], trace, events, kernels, NULL };
    char *yardstick[] = { argv[2], anchor, NULL };
    char *marple[] = { argv[1], "diagnose", anchor, NULL };

    if (stat(anchor, &there) != 0 && measure(generate, &cost) != 0) {
        return 1;
    }
    for (int i = 0; i < PAIRS; i++) {
        if (measure(yardstick, &cost) != 0) {
            return 1;
        }
        theirs[i] = cost.cpu_s;
        if (measure(marple, &cost) != 0) {
            return 1;
        }
        ours[i] = cost.cpu_s;
        ratios[i] = ours[i] / theirs[i];
        peak = cost.peak_bytes > peak ? cost.peak_bytes : peak;
    }
    *ratio = median(ratios, PAIRS);
    printf("%12s  %8s  %10.3f  %10.3f  %6.2f  %6.1f\n", events, kernels,
           median(theirs, PAIRS), median(ours, PAIRS), *ratio, peak / strtod(events, NULL));
    return 0;
}

int main(int argc, char **argv)
{
    double ratio = 0;
    double first = 0;
    double second = 0;

    if (argc < 6) {
        fprintf(stderr,
                "usage: bench MARPLE YARDSTICK GENERATE DIRECTORY EVENTS:KERNELS...\n");
        return 2;
    }
    printf(
        "CPU seconds, medians of %d alternating runs; (a) libotf2 local readers with empty "
        "callbacks, (b) marple diagnose\n\n",
        PAIRS);
    printf("%12s  %8s  %10s  %10s  %6s  %6s\n", "events", "kernels", "(a) s", "(b) s",
           "b/a", "B/event");
    for (int i = 5; i < argc; i++) {
        if (bench_trace(argv, argv[4], argv[i], &ratio) != 0) {
            return 1;
        }
        first = i == 5 ? ratio : first;
        second = i == 6 ? ratio : second;
    }
    if (argc > 6) {
        printf("\nratio at the second trace over that at the first: %.2f\n",
               second / first);
    }
    return 0;
}
