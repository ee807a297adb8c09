/* The graph of a view: who sends how much to whom. */
#ifndef MPL_DRAW_PAIRS_PRIV_H
#define MPL_DRAW_PAIRS_PRIV_H

#include "draw/draw.h"

struct mpl_pairs_edge {
    uint32_t from, to; /**< Numbers of nodes. */
    uint64_t n_rows;   /**< Of the table, that are summed up in it. */
    uint64_t messages;
    uint64_t bytes;
    double wait_s;
};

struct mpl_pairs {
    const struct mpl_table *table;
    struct mpl_names *nodes;
    struct mpl_buf hosts; /**< const char *, per node; NULL: unknown. */
    struct mpl_map *edge_of;
    struct mpl_buf edges; /**< struct mpl_pairs_edge, in order of their first rows. */
    uint64_t n_left_out;  /**< Rows without two ends. */
};
/** Also to be freed where there is no memory. Errors: MPL_E_NOMEM. */
enum mpl_status mpl_pairs_create(const struct mpl_table *table, struct mpl_pairs *out,
                                 struct mpl_err *err);
void mpl_pairs_free(struct mpl_pairs *graph);
/** NULL: unknown. */
const char *mpl_pairs_host(const struct mpl_pairs *graph, uint32_t node);
/** How many hosts there are; 0: not all are known. */
uint32_t mpl_pairs_hosts(const struct mpl_pairs *graph);
/** Makes hosts its nodes; all must be known. Errors: MPL_E_NOMEM. */
enum mpl_status mpl_pairs_collapse(struct mpl_pairs *graph, struct mpl_err *err);
/** The same for whoever asks. Errors: also MPL_E_USAGE where they are not known. */
enum mpl_status mpl_pairs_by_host(struct mpl_pairs *graph, struct mpl_err *err);

#endif
