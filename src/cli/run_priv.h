/* What `marple run` shows while it works. */
#ifndef MPL_CLI_RUN_PRIV_H
#define MPL_CLI_RUN_PRIV_H

#include "cli/cli.h"
#include "report/report.h"

/** Where the output of the program has been passed on up to. */
struct follow {
    char run[32]; /**< "": none yet. */
    long at[2];   /**< Bytes of standard output and error. */
};

struct run_show {
    struct mpl_narrative narrative;
    bool is_silent;  /**< Nothing is printed of what is done. */
    bool is_verbose; /**< Pass on to standard error what the program prints. */
    const char *directory;
    struct mpl_progress_line line;
    double drawn_s; /**< When the seconds of a run were drawn last. */
    struct follow follow;
    struct mpl_arena *arena;
    struct mpl_buf asked; /**< struct mpl_asked */
};

/** \p show must stay where it is until the end. */
void mpl_run_show_open(struct run_show *show, struct mpl_arena *arena);
void mpl_run_show_close(struct run_show *show);
/** A mpl_tell_step; \p context is the struct run_show. */
void mpl_run_show_step(void *context, enum mpl_news what, int level, const char *text,
                       const struct mpl_case_run *run);

#endif
