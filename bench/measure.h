/* What programs measure by: medians of some turns, in CPU seconds. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

enum { TURNS = 5 };

struct cost {
    double cpu_s;
    double peak_bytes;
};

/** Ends the program. */
_Noreturn void die(const char *what);
/** Of TURNS values, which are sorted. */
double median(double *values);
double now_s(void);
/** A command, run TURNS times; its output goes nowhere. */
struct cost command(char *const *argv);

#endif
