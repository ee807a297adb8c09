#include "config.h"

#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

/* No message takes longer, and no clock is off by more once it is corrected. */
static const double most_seconds = 3600;

enum mpl_status mpl_args_seconds(const struct mpl_option *option, const char *value,
                                 double *out, struct mpl_err *err)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = { { "", 1 }, { "s", 1 }, { "ms", 1e-3 }, { "us", 1e-6 }, { "ns", 1e-9 } };
    char *end = NULL;
    const double number = strtod(value, &end);

    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (end != value && strcmp(end, units[i].name) == 0 && number >= 0 &&
            number * units[i].seconds <= most_seconds) {
            *out = number * units[i].seconds;
            return MPL_OK;
        }
    }
    return mpl_fail(err, MPL_E_USAGE,
                    "option \"--%s\" takes a time such as 5us, at most %g s, not \"%s\"",
                    option->name, most_seconds, value);
}

static enum mpl_status take_number(const struct mpl_option *option, const char *value,
                                   double low, double high, double *out,
                                   struct mpl_err *err)
{
    char *end = NULL;
    const double number = strtod(value, &end);

    /* Written so that NaN fails, too. */
    if (end == value || *end != '\0' || !(number >= low && number <= high)) {
        return mpl_fail(err, MPL_E_USAGE,
                        "option \"--%s\" takes a number from %g to %g, not \"%s\"",
                        option->name, low, high, value);
    }
    *out = number;
    return MPL_OK;
}

static enum mpl_status take_choice(const struct mpl_option *option, const char *value,
                                   enum mpl_clock_choice *out, struct mpl_err *err)
{
    static const char *const words[] = { "auto", "offsets", "messages", "none",
                                         "eventspace" };
    size_t choice = 0;
    const enum mpl_status st =
        mpl_args_choice(option, value, words, sizeof words / sizeof *words, &choice, err);

    if (st == MPL_OK) {
        mpl_assert(mpl_clock_choice_find(words[choice], out));
    }
    return st;
}

enum mpl_status mpl_args_reading(const struct mpl_option *option, const char *value,
                                 struct mpl_clock_options *out, struct mpl_err *err)
{
    struct mpl_clc_options *repair = &out->repair;
    enum mpl_status st = MPL_OK;
    long passes = repair->max_passes;
    long threads = 1;

    if (strcmp(option->name, "clock") == 0) {
        return take_choice(option, value, &out->choice, err);
    }
    if (strcmp(option->name, "no-repair") == 0) {
        repair->is_off = true;
        return MPL_OK;
    }
    if (strcmp(option->name, "gamma") == 0) {
        /* With 0 a clock would stand still behind a jump until its own time has come. */
        return take_number(option, value, 0.01, 1, &repair->gamma, err);
    }
    if (strcmp(option->name, "delta") == 0) {
        return mpl_args_seconds(option, value, &repair->delta_s, err);
    }
    if (strcmp(option->name, "mu") == 0) {
        return mpl_args_seconds(option, value, &repair->mu_s, err);
    }
    if (strcmp(option->name, "amortization") == 0) {
        return take_number(option, value, 1, 1e6, &repair->amortization, err);
    }
    if (strcmp(option->name, "max-shift") == 0) {
        return mpl_args_seconds(option, value, &repair->error_s, err);
    }
    if (strcmp(option->name, "max-passes") == 0) {
        st = mpl_args_integer(option, value, 1, 100, &passes, err);
        repair->max_passes = (uint32_t) passes;
        return st;
    }
    if (strcmp(option->name, "threads") == 0) {
        st = mpl_args_integer(option, value, 1, MPL_PARALLEL_MOST, &threads, err);
        return st == MPL_OK && setenv("MARPLE_THREADS", value, 1) != 0 ? mpl_nomem(err)
                                                                       : st;
    }
    return MPL_END;
}
