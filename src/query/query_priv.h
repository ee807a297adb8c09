/* Shared by the files of query only. */
#ifndef MPL_QUERY_QUERY_PRIV_H
#define MPL_QUERY_QUERY_PRIV_H

#include "query/query.h"

struct mpl_query {
    struct mpl_arena *arena;
    const struct mpl_diagnosis *diagnosis;
    const struct mpl_run *run;
    struct mpl_records *records;     /* Per location. */
    bool *has_records;               /* Per location: they have been read. */
    struct mpl_net *net;             /* NULL until sizes are asked for. */
    struct mpl_causality *causality; /* Of the run; NULL until it is asked for. */
};

/* The numbering of a location's records, read once. */
enum mpl_status mpl_query_records(struct mpl_query *query, uint32_t location,
                                  const struct mpl_records **out, struct mpl_err *err);
/* Has the timestamps of the run made. */
enum mpl_status mpl_query_stamps(struct mpl_query *query, struct mpl_err *err);

/* What lies from one event of a location to another one. */
enum mpl_status mpl_query_spot(struct mpl_query *query, const char *address,
                               uint32_t location, uint32_t begin, uint32_t end,
                               struct mpl_spot *out, struct mpl_err *err);

#endif
