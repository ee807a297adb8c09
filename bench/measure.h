/*
 * What programs measure by: the shortest of some turns, as whatever else a machine does only adds, or the median, where its speed
 * changes within seconds. No 9 turns tell a few percent: of a diagnosis over the readers both gave 2.3 to 3.4 from day to day.
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

enum { TURNS = 9, MOST_TASKS = 8 };

struct cost {
    double cpu_s;
    double wall_s;
    double middle_cpu_s; /* The medians of the turns. */
    double middle_wall_s;
    double peak_bytes;
};

/** Ends the program. */
_Noreturn void die(const char *what);
/** Of TURNS values. */
double shortest(const double *values);
/** Of TURNS values; sorts them. */
double middle(double *values);
double now_s(void);
/** `work` is done with `what` in a process of its own, whose output goes nowhere. */
struct task {
    void (*work)(char *const *what);
    char *const *what;
};
/** Becomes the command \p argv. */
void execute(char *const *argv);
/** What each of \p n tasks (at most MOST_TASKS) takes, TURNS times in turns, so that whatever slows the machine for a while
 *  slows all of them: of times the shortest, of memory the last. */
void in_turns(const struct task *tasks, int n, struct cost *costs);
/** Likewise of a single task. */
struct cost in_process(void (*work)(char *const *what), char *const *what);
/** Likewise of a command. */
struct cost command(char *const *argv);
/** A command, a single time. */
void once(char *const *argv);

#endif
