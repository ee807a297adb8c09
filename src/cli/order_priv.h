/* The subcommands of order. */
#ifndef MPL_CLI_ORDER_PRIV_H
#define MPL_CLI_ORDER_PRIV_H

#include "cli/cli_priv.h"
#include "query/query.h"
#include "report/report.h"

/* The paper goes as far. */
enum { MPL_ORDER_MOST_CLUSTER = 50 };

struct mpl_order_action;

/* What the words ask for. */
struct mpl_order_opts {
    const char *trace;
    const struct mpl_order_action *action;
    struct mpl_words addresses; /* Operands behind the trace. */
    const char *output;
    enum mpl_format format;
    long top;           /* Lines of each part of a path. */
    const char *kind;   /* --kind; NULL: all. */
    long least_cluster; /* --max-cluster; 0: not said */
    long most_cluster;
    struct mpl_clock_options clock;
    struct mpl_knowledge_asked knowledge; /* For addresses that are findings. */
};

/* A trace that can be used, while a question about it is answered. */
struct mpl_order_asked {
    const struct mpl_order_opts *opts;
    const struct mpl_diagnosis *diagnosis; /* With findings only if an address is one. */
    struct mpl_query *query;
    struct mpl_report_options looks;
    FILE *out;
};

struct mpl_order_action {
    const char *name;
    const char *operands; /* Behind the trace. */
    size_t least;         /* So many of them. */
    size_t most;
    enum mpl_status (*run)(const struct mpl_order_asked *asked, struct mpl_err *err);
};

#endif
