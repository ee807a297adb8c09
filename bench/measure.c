#include "config.h"

#include "measure.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void die(const char *what)
{
    fprintf(stderr, "%s: %s\n", program_invocation_short_name, what);
    exit(1);
}

double shortest(const double *values)
{
    double least = values[0];

    for (int turn = 1; turn < TURNS; turn++) {
        least = values[turn] < least ? values[turn] : least;
    }
    return least;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *) a;
    const double y = *(const double *) b;

    return (x > y) - (x < y);
}

double middle(double *values)
{
    qsort(values, TURNS, sizeof *values, by_size);
    return values[TURNS / 2];
}

double now_s(void)
{
    return (double) clock() / CLOCKS_PER_SEC;
}

static double wall_now_s(void)
{
    struct timespec now;

    (void) clock_gettime(CLOCK_MONOTONIC, &now);
    return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

static struct cost one_turn(const struct task *task)
{
    const double begin_s = wall_now_s();
    struct rusage usage;
    int status = 0;
    const pid_t child = fork();

    if (child == 0) {
        (void) dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
        task->work(task->what);
        _exit(0);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) < 0 || !WIFEXITED(status) ||
        WEXITSTATUS(status) != 0) {
        die("a process failed");
    }
    return (struct cost){
        .cpu_s = (double) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                 1e-6 * (double) (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec),
        .wall_s = wall_now_s() - begin_s,
        .peak_bytes = 1024.0 * (double) usage.ru_maxrss,
    };
}

void in_turns(const struct task *tasks, int n, struct cost *costs)
{
    double seconds[MOST_TASKS][TURNS];
    double wall[MOST_TASKS][TURNS];

    if (n > MOST_TASKS) {
        die("too many tasks");
    }
    for (int turn = 0; turn < TURNS; turn++) {
        for (int i = 0; i < n; i++) {
            costs[i] = one_turn(&tasks[i]);
            seconds[i][turn] = costs[i].cpu_s;
            wall[i][turn] = costs[i].wall_s;
        }
    }
    for (int i = 0; i < n; i++) {
        costs[i].cpu_s = shortest(seconds[i]);
        costs[i].wall_s = shortest(wall[i]);
        costs[i].middle_cpu_s = middle(seconds[i]);
        costs[i].middle_wall_s = middle(wall[i]);
    }
}

struct cost in_process(void (*work)(char *const *what), char *const *what)
{
    struct cost cost;

    in_turns(&(struct task){ work, what }, 1, &cost);
    return cost;
}

void execute(char *const *argv)
{
    execv(argv[0], argv);
    _exit(127);
}

struct cost command(char *const *argv)
{
    return in_process(execute, argv);
}

void once(char *const *argv)
{
    (void) one_turn(&(struct task){ execute, argv });
}
