/* What programs measure by: medians of some turns. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

enum { TURNS = 5 };

struct cost {
    double cpu_s;
    double wall_s;
    double peak_bytes;
};

/** Ends the program. */
_Noreturn void die(const char *what);
/** Of TURNS values, which are sorted. */
double median(double *values);
double now_s(void);
/** What a process of its own takes that does \p work with \p what, TURNS times; its output goes nowhere. */
struct cost in_process(void (*work)(char *const *what), char *const *what);
/** Likewise a command. */
struct cost command(char *const *argv);
/** Likewise, a single time. */
void once(char *const *argv);

#endif
