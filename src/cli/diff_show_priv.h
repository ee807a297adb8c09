/* marple diff --show: what of which configurations is shown in place of the answer. */
#ifndef MPL_CLI_DIFF_SHOW_PRIV_H
#define MPL_CLI_DIFF_SHOW_PRIV_H

#include "cli/cli_priv.h"

#include "report/report.h"

/** What of a call makes it another one, beside its function. */
struct mpl_symbols_asked {
    bool is_asked;
    bool has_none;
    unsigned parts; /* enum mpl_symbol_part */
};

enum { MPL_DIFF_FILTERS_MOST = 16 };
struct mpl_diff_show {
    bool is_asked;
    enum mpl_show what;
    const char *label; /* Of the location that is aligned; NULL: not said yet. */
    bool is_json;
    size_t n_filters; /* 0: the default one. */
    const char *filters[MPL_DIFF_FILTERS_MOST];
    bool has_kind; /* Else the default one; of a ranking all. */
    struct mpl_context_kind kind;
    bool without_loops;
    bool up_to_rotation;
    struct mpl_symbols_asked symbols;
    bool is_matrix;
    bool has_linkage; /* Else all. */
    enum mpl_linkage linkage;
    long clusters; /* 0: 2, 3 and 4. */
    enum mpl_cluster_by by;
    size_t top; /* Rows of a ranking. */
};

/* One for each option, into the struct mpl_diff_show. */
mpl_take mpl_take_show;
mpl_take mpl_take_filter;
mpl_take mpl_take_kind;
mpl_take mpl_take_linkage;
mpl_take mpl_take_cluster_by;
/** Words joined by commas, into a struct mpl_symbols_asked; several options add up. */
mpl_take mpl_take_symbols;
/** Whether many configurations are asked for. */
bool mpl_diff_is_ranking(const struct mpl_diff_show *show);
/** Whether the next operand is a label. */
bool mpl_diff_wants_label(const struct mpl_diff_show *show);
/** What does not go together. */
enum mpl_status mpl_diff_check_show(const struct mpl_diff_show *show, struct mpl_err *err);

/** Of runs that can be compared. */
enum mpl_status mpl_diff_show(const struct mpl_diff_show *show,
                              const struct mpl_comparison *comparison, FILE *out,
                              struct mpl_err *err);

#endif
