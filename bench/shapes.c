/*
 * Measures `marple diagnose` on traces of real shapes against libotf2's local readers in the same run:
 *
 *     shapes MARPLE YARDSTICK HALO GENERATE DIRECTORY EVENTS [SHAPE...]
 *
 * Per shape, or those named: CPU seconds of both with one thread, their ratio with what it must be and what is aimed at;
 * growth: CPU seconds per event over those of a tenth of the events. With two threads: peak memory per event with what it
 * must be and what is aimed at, CPU seconds over those of the readers, and the time that passes over that with one thread;
 * beside it what two cores of this machine can make of that at best: half the time of two diagnoses with one thread each
 * at once, over that of one. At last CPU seconds of `marple sync` over those of the readers.
 *
 * A line with the shortest turns and one with the medians: whatever else a machine does only adds to a turn. But where another
 * machine leaves processors free for a moment, what is short, or needs only one of them, fits into it, and what it is compared
 * with does not; medians do not see such moments.
 */
#include "config.h"

#include "measure.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_ROOM = 4096 };

static const struct shape {
    const char *name;
    const char *says;
    const char *functions; /* As the generator takes them. */
    const char *locations;
    bool is_farm;
    double most, aim;             /* Ratio. */
    double most_bytes, aim_bytes; /* Per event. */
} shapes[] = {
    { "a", "halo, functions", "36", "4", false, 2.0, 1.0, 16, 8 },
    { "b", "densest messages", "0", "16", false, 3.0, 1.5, 24, 12 },
    { "c1000", "1,000 locations", "4", "1000", false, 3.0, 1.5, 64, 32 },
    { "c16000", "16,000 locations", "4", "16000", false, 3.0, 1.5, 64, 32 },
    { "c65536", "65,536 locations", "4", "65536", false, 3.0, 1.5, 64, 32 },
    { "d", "irregular farm", "0-24", "16", true, 4.0, 2.0, 32, 16 },
};
enum { N_SHAPES = sizeof shapes / sizeof shapes[0] };

struct programs {
    char *marple;
    char *yardstick;
    char *halo;
    char *generate;
    const char *directory;
};

/* What is measured: libotf2's readers, marple diagnose with one thread, with two, and with one each twice at once; marple sync. */
enum { YARDSTICK, ONE, TWO, PAIR, SYNC, N_TASKS };

struct measured {
    struct cost of[N_TASKS];
    double events;
};

static double count_events(char *const *yardstick)
{
    char line[PATH_ROOM * 2];
    double events = 0;
    FILE *said;

    snprintf(line, sizeof line, "'%s' '%s'", yardstick[0], yardstick[1]);
    said = popen(line, "r");
    if (said == NULL || fscanf(said, "%lf", &events) != 1 || pclose(said) != 0) {
        die("the yardstick failed");
    }
    return events;
}

static void remove_trace(char *trace)
{
    static char rm[] = "/bin/rm";
    static char recursively[] = "-rf";
    char *const line[] = { rm, recursively, trace, NULL };

    once(line);
}

/* Twice at once; both have ended when this has. */
static void execute_pair(char *const *argv)
{
    bool is_good = true;
    int status = 0;

    for (int i = 0; i < 2; i++) {
        if (fork() == 0) {
            execute(argv);
        }
    }
    for (int i = 0; i < 2; i++) {
        is_good = wait(&status) > 0 && status == 0 && is_good;
    }
    if (!is_good) {
        _exit(1);
    }
}

static struct measured measure(const struct programs *p, const struct shape *shape,
                               double events)
{
    char trace[PATH_ROOM];
    char anchor[PATH_ROOM + 16];
    char number[32];
    char functions[16];
    char locations[16];
    char target[PATH_ROOM + 16];
    static char diagnose[] = "diagnose";
    static char threads[] = "--threads";
    static char n_one[] = "1";
    static char n_two[] = "2";
    static char sync[] = "sync";
    static char force[] = "--force";
    static char to[] = "-o";

    snprintf(target, sizeof target, "%s/%s-sync", p->directory, shape->name);
    snprintf(trace, sizeof trace, "%s/%s", p->directory, shape->name);
    snprintf(anchor, sizeof anchor, "%s/traces.otf2", trace);
    snprintf(number, sizeof number, "%.0f", events);
    snprintf(functions, sizeof functions, "%s", shape->functions);
    snprintf(locations, sizeof locations, "%s", shape->locations);

    char *const generate[] = { shape->is_farm ? p->generate : p->halo, trace, number, functions,
                               locations, NULL };
    char *const yardstick[] = { p->yardstick, anchor, NULL };
    char *const one[] = { p->marple, diagnose, threads, n_one, anchor, NULL };
    char *const two[] = { p->marple, diagnose, threads, n_two, anchor, NULL };
    char *const copy[] = { p->marple, sync, force, to, target, anchor, NULL };

    remove_trace(trace);
    once(generate);

    const struct task tasks[N_TASKS] = { [YARDSTICK] = { execute, yardstick },
                                         [ONE] = { execute, one },
                                         [TWO] = { execute, two },
                                         [PAIR] = { execute_pair, one },
                                         [SYNC] = { execute, copy } };
    struct measured measured = { .events = count_events(yardstick) };

    in_turns(tasks, N_TASKS, measured.of);
    remove_trace(trace);
    remove_trace(target);
    return measured;
}

/* As halo makes them: what a location does in a step. */
static double step_of(const struct shape *shape)
{
    return 20 + 4 * strtod(shape->functions, NULL);
}

static bool can_be_made(const struct shape *shape, double events)
{
    return shape->is_farm || events / strtod(shape->locations, NULL) >= step_of(shape);
}

/* Each location has to have some steps. */
static bool is_large_enough(const struct shape *shape, double events)
{
    return shape->is_farm || events / strtod(shape->locations, NULL) >= 100;
}

static void take_medians(struct measured *m)
{
    for (int i = 0; i < N_TASKS; i++) {
        m->of[i].cpu_s = m->of[i].middle_cpu_s;
        m->of[i].wall_s = m->of[i].middle_wall_s;
    }
}

/* `tenth` has no events where it was not measured. */
static void print_line(const struct shape *shape, const char *says, const struct measured *full,
                       const struct measured *tenth)
{
    const struct cost *of = full->of;
    char growth[16] = "-";

    if (tenth->events > 0) {
        snprintf(growth, sizeof growth, "%.2f",
                 of[ONE].cpu_s / full->events / (tenth->of[ONE].cpu_s / tenth->events));
    }
    printf("%-7s %-17s %10.0f %8.3f %8.3f %7.2f %5.1f %5.1f %7s %8.1f %5.0f %5.0f %7.2f %7.2f %7.2f %6.2f\n",
           shape->name, says, full->events, of[YARDSTICK].cpu_s, of[ONE].cpu_s,
           of[ONE].cpu_s / of[YARDSTICK].cpu_s, shape->most, shape->aim, growth,
           of[TWO].peak_bytes / full->events, shape->most_bytes, shape->aim_bytes,
           of[TWO].cpu_s / of[YARDSTICK].cpu_s, of[TWO].wall_s / of[ONE].wall_s,
           of[PAIR].wall_s / 2 / of[ONE].wall_s, of[SYNC].cpu_s / of[YARDSTICK].cpu_s);
    fflush(stdout);
}

static void bench_shape(const struct programs *p, const struct shape *shape, double events)
{
    if (!can_be_made(shape, events)) {
        printf("%-7s %-17s left out: %.0f events are no step of each location\n", shape->name,
               shape->says, events);
        return;
    }
    struct measured full = measure(p, shape, events);
    struct measured tenth = { .events = 0 };

    if (is_large_enough(shape, events / 10)) {
        tenth = measure(p, shape, events / 10);
    }
    print_line(shape, shape->says, &full, &tenth);
    take_medians(&full);
    take_medians(&tenth);
    print_line(shape, "  median", &full, &tenth);
}

static bool is_wanted(const struct shape *shape, char *const *names, int n)
{
    bool is_named = n == 0;

    for (int i = 0; i < n; i++) {
        is_named = is_named || strcmp(names[i], shape->name) == 0;
    }
    return is_named;
}

int main(int argc, char **argv)
{
    if (argc < 7) {
        fprintf(stderr,
                "usage: shapes MARPLE YARDSTICK HALO GENERATE DIRECTORY EVENTS [SHAPE...]\n");
        return 2;
    }
    const struct programs programs = { argv[1], argv[2], argv[3], argv[4], argv[5] };

    printf("CPU seconds, the shortest and the median of %d turns; (a) libotf2 local readers with empty callbacks, "
           "(b) marple diagnose with one thread, (c) with two, (d) marple sync;\n"
           "best: what two cores make of (b) at best, half the time of two (b) at once; must and aim are meant for 10 M events: "
           "where starting the program counts less\n\n"
           "%-7s %-17s %10s %8s %8s %7s %5s %5s %7s %8s %5s %5s %7s %7s %7s %6s\n",
           TURNS, "", "", "events", "(a) s", "(b) s", "b/a", "must", "aim", "growth",
           "(c) B/ev", "must", "aim", "c/a", "time c/b", "best", "d/a");
    for (size_t i = 0; i < N_SHAPES; i++) {
        if (is_wanted(&shapes[i], argv + 7, argc - 7)) {
            bench_shape(&programs, &shapes[i], strtod(argv[6], NULL));
        }
    }
    return 0;
}
