#include "config.h"

#include "base/base_priv.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static const char *const level_names[] = { "error", "warn", "info", "debug" };

enum mpl_log_level mpl_log_level(void)
{
    /* A cache of a constant: whichever thread comes first stores the same answer. */
    static atomic_int known = -1;
    int level = atomic_load_explicit(&known, memory_order_relaxed);

    if (level < 0) {
        const char *wanted = getenv("MARPLE_LOG");

        level = MPL_LOG_WARN;
        for (int i = MPL_LOG_ERROR; wanted != NULL && i <= MPL_LOG_DEBUG; i++) {
            level = strcmp(wanted, level_names[i]) == 0 ? i : level;
        }
        atomic_store_explicit(&known, level, memory_order_relaxed);
    }
    return (enum mpl_log_level) level;
}

void mpl_log(enum mpl_log_level level, const char *module, const char *fmt, ...)
{
    if (level > mpl_log_level()) {
        return;
    }

    va_list args;

    /* Threads log too; a line must not be interleaved with another. */
    flockfile(stderr);
    fprintf(stderr, "[%s] %s: ", module, level_names[level]);
    va_start(args, fmt);
    mpl_text_vprint(stderr, fmt, args);
    va_end(args);
    fputc('\n', stderr);
    funlockfile(stderr);
}

void mpl_progress_tell(const struct mpl_progress *progress, const char *what, uint64_t done,
                       uint64_t total)
{
    if (progress != NULL && progress->tell != NULL) {
        progress->tell(progress->context, what, done, total);
    }
}
