/* One screen: what a person with little time needs of a diagnosis. */
#ifndef MPL_REPORT_SCREEN_PRIV_H
#define MPL_REPORT_SCREEN_PRIV_H

#include "report/report_priv.h"

/* How much of each part is shown, so that all of it fits. */
struct screen_budget {
    bool has_phases; /* Rows of efficiencies before, in and behind the steps. */
    bool has_groups; /* A row for each group of runs, not only for one. */
    size_t n_causes;
    int what_lines;
    int do_lines;
};

struct screen {
    struct page *page;
    const struct mpl_diagnosis *d;
    const struct mpl_report_options *options;
    struct screen_budget budget;
};

/** Prints \p text behind a label at the margin, cut to \p lines lines; further ones begin behind
 *  \p inner blanks. */
void mpl_screen_fit(struct page *page, const char *label, const char *text, int inner,
                    int lines);
/** Ends with "(out of memory)" instead of NULL, so that it can be printed. */
const char *mpl_screen_words(struct page *page, const char *fmt, ...) MPL_PRINTF(2, 3);
/** "41 %", without decimals. */
const char *mpl_screen_percent(struct page *page, double share);

/** What was run, and its efficiencies. */
void mpl_screen_table(const struct screen *s);

/** As many as the budget has, each with what, where, do and gain. */
void mpl_screen_causes(const struct screen *s);
/** "about 0.14 s of 0.89 s", "0.14 s to 0.23 s of 0.89 s"; NULL: nobody knows. */
const char *mpl_screen_gain(struct page *page, const struct mpl_diagnosis *d,
                            const struct mpl_diagnosed *cause);
/** With its share of the run and where the figure comes from; "not known". */
const char *mpl_screen_gain_in_full(struct page *page, const struct mpl_diagnosis *d,
                                    const struct mpl_diagnosed *cause);
/** "rank 3, MPI_Recv, main.c:12"; "" */
const char *mpl_screen_where(struct page *page, const struct mpl_diagnosis *d,
                             const struct mpl_diagnosed *cause);
/** "1.2 s of 3 s lost process time"; "" where that is not known. */
const char *mpl_screen_cost(struct page *page, const struct mpl_diagnosis *d,
                            const struct mpl_diagnosed *cause);
/** "PROBLEM, sure: " */
const char *mpl_screen_verdict(struct page *page, const struct mpl_diagnosis *d);
/** Behind the headline of the leading cause: what to do, what that saves, and what is not sure. */
const char *mpl_screen_more(struct page *page, const struct mpl_diagnosis *d);
/** "2 s of 9 s process time (22 %)", "nothing"; NULL: there is no time to explain. */
const char *mpl_screen_unexplained(struct page *page, const struct mpl_diagnosis *d);
/** "run 3 times with 8 processes, to …"; NULL: there is no plan. */
const char *mpl_screen_next(struct page *page, const struct mpl_diagnosis *d);
/** "master-worker, 8 processes, 2.31 s without start-up" */
const char *mpl_screen_title(struct page *page, const struct mpl_diagnosis *d);

#endif
