/*
 * Runs inputs that may crash or hang in child processes, thousands per child: a child that does not
 * survive an input is replaced by one that goes on behind it.
 */
#ifndef TESTS_FUZZ_CAGE_H
#define TESTS_FUZZ_CAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CAGE_STATUSES = 5, CAGE_WORKERS_MOST = 16 };

/** What became of the inputs. */
struct cage_tally {
    uint64_t n_status[CAGE_STATUSES]; /**< By exit status of a command, or 0 for all. */
    uint64_t n_bugs;                  /**< Failed assertions. */
    uint64_t n_signals;               /**< Other signals, and reports of a sanitizer. */
    uint64_t n_hangs;
};

struct cage {
    uint64_t n;         /**< Inputs. */
    unsigned n_workers; /**< At a time; up to CAGE_WORKERS_MOST. */
    unsigned timeout_s; /**< For one input. */
    /** Called once in each child. */
    void (*enter)(void *context, unsigned worker);
    /** Tries input \p i; returns an exit status below CAGE_STATUSES. */
    unsigned (*run)(void *context, uint64_t i);
    /** Prints, in the parent, an input that did not end well. */
    void (*tell)(void *context, uint64_t i, const char *what);
    void *context;
};

/** Runs all inputs and adds to \p tally. */
void cage_run(const struct cage *cage, struct cage_tally *tally);
/** True if all inputs ended as a command should: with a status other than that of a bug. */
bool cage_is_clean(const struct cage_tally *tally);
void cage_print(const struct cage_tally *tally);

/** Directs what children print to nowhere. */
void cage_be_quiet(void);

/** The next number of xorshift64 (Marsaglia 2003), the same on every machine, below \p n. */
size_t cage_pick(uint64_t *state, size_t n);

#endif
