/* Which configurations tell two runs apart, and whom they suspect, for a program: "marple-diff-show/1". */
#include "config.h"

#include "report/diff_show_priv.h"

static struct mpl_json *label_json(const struct mpl_diff *diff, uint32_t location)
{
    return mpl_json_string(diff->base->model->locations[location].label);
}

static struct mpl_json *clusters_json(const struct mpl_diff *diff,
                                      const struct mpl_ranked *row, uint32_t n_locations)
{
    struct mpl_json *json;

    if (row->cluster_of == NULL) {
        return mpl_json_null();
    }
    json = mpl_json_array();
    for (uint32_t k = 0; k < row->k; k++) {
        struct mpl_json *cluster = mpl_json_array();

        for (uint32_t l = 0; l < n_locations; l++) {
            if (row->cluster_of[l] == k) {
                mpl_json_add(cluster, label_json(diff, l));
            }
        }
        mpl_json_add(json, cluster);
    }
    return json;
}

static struct mpl_json *row_json(const struct mpl_diff *diff, const struct mpl_ranking *r,
                                 const struct mpl_ranked *row, enum mpl_show what)
{
    struct mpl_json *json = mpl_json_object();
    struct mpl_json *suspects = mpl_json_array();

    for (uint32_t i = 0; i < row->n_suspects; i++) {
        mpl_json_add(suspects, label_json(diff, row->suspects[i]));
    }
    mpl_report_set_filter(json, &r->options->filters[row->filter]);
    mpl_json_set(json, "attributes", mpl_json_string(mpl_context_name(row->kind)));
    mpl_json_set(json, "linkage", mpl_json_string(mpl_linkage_name(row->linkage)));
    mpl_json_set(json, "clusters", mpl_json_integer(row->k));
    mpl_json_set(json, "b_score", mpl_json_number(row->b_score));
    mpl_json_set(json, "suspects", suspects);
    if (what == MPL_SHOW_CANDIDATES) {
        mpl_json_set(json, "members", clusters_json(diff, row, r->n_locations));
    }
    return json;
}

static struct mpl_json *votes_json(const struct mpl_diff *diff, const struct mpl_ranking *r)
{
    struct mpl_json *json = mpl_json_array();

    for (uint32_t l = 0; l < r->n_locations; l++) {
        struct mpl_json *vote = mpl_json_object();

        mpl_json_set(vote, "location", label_json(diff, l));
        mpl_json_set(vote, "votes", mpl_json_number(r->votes[l]));
        mpl_json_add(json, vote);
    }
    return json;
}

enum mpl_status mpl_report_ranking_json(const struct mpl_diff *diff,
                                        const struct mpl_ranking *ranking,
                                        enum mpl_show what, FILE *out, struct mpl_err *err)
{
    struct mpl_json *json = mpl_report_show_json(diff, what);
    struct mpl_json *rows = mpl_json_array();

    for (size_t i = 0; i < ranking->n_rows; i++) {
        mpl_json_add(rows, row_json(diff, ranking, &ranking->rows[i], what));
    }
    mpl_json_set(json, "configurations", mpl_json_integer(ranking->n_configurations));
    mpl_json_set(json, "empty", mpl_json_integer(ranking->n_empty));
    mpl_json_set(json, "repeated", mpl_json_integer(ranking->n_repeated));
    mpl_json_set(json, "alike", mpl_json_integer(ranking->n_alike));
    mpl_json_set(json, "not_clustered", mpl_json_integer(ranking->n_large));
    mpl_json_set(json, "telling", mpl_json_integer(ranking->n_telling));
    mpl_json_set(json, "votes", votes_json(diff, ranking));
    mpl_json_set(json, "rows", rows);
    return mpl_json_write(json, out, err);
}
