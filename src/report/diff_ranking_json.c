/* Which configurations tell two runs apart, and whom they suspect, for a program: "marple-diff-show/1". */
#include "config.h"

#include "report/diff_show_priv.h"

static void put_clusters(struct mpl_json *json, const struct mpl_diff *diff,
                         const struct mpl_ranked *row, uint32_t n_locations)
{
    if (row->cluster_of == NULL) {
        mpl_json_string(json, "members", NULL);
        return;
    }
    mpl_json_array(json, "members");
    for (uint32_t k = 0; k < row->k; k++) {
        mpl_json_array(json, NULL);
        for (uint32_t l = 0; l < n_locations; l++) {
            if (row->cluster_of[l] == k) {
                mpl_json_string(json, NULL, diff->base->model->locations[l].label);
            }
        }
        mpl_json_end(json);
    }
    mpl_json_end(json);
}

static void put_row(struct mpl_json *json, const struct mpl_diff *diff,
                    const struct mpl_ranking *r, const struct mpl_ranked *row,
                    enum mpl_show what)
{
    mpl_json_object(json, NULL);
    mpl_report_put_filter(json, &r->options->filters[row->filter]);
    mpl_json_string(json, "attributes", mpl_context_name(row->kind));
    mpl_json_string(json, "linkage", mpl_linkage_name(row->linkage));
    mpl_json_integer(json, "clusters", row->k);
    mpl_json_number(json, "b_score", row->b_score);
    mpl_json_array(json, "suspects");
    for (uint32_t i = 0; i < row->n_suspects; i++) {
        mpl_json_string(json, NULL, diff->base->model->locations[row->suspects[i]].label);
    }
    mpl_json_end(json);
    if (what == MPL_SHOW_CANDIDATES) {
        put_clusters(json, diff, row, r->n_locations);
    }
    mpl_json_end(json);
}

enum mpl_status mpl_report_ranking_json(const struct mpl_diff *diff,
                                        const struct mpl_ranking *ranking,
                                        enum mpl_show what, FILE *out, struct mpl_err *err)
{
    struct mpl_json json = mpl_report_show_json(diff, what);

    mpl_json_integer(&json, "configurations", ranking->n_configurations);
    mpl_json_integer(&json, "empty", ranking->n_empty);
    mpl_json_integer(&json, "repeated", ranking->n_repeated);
    mpl_json_integer(&json, "alike", ranking->n_alike);
    mpl_json_integer(&json, "not_clustered", ranking->n_large);
    mpl_json_integer(&json, "telling", ranking->n_telling);
    mpl_json_array(&json, "votes");
    for (uint32_t l = 0; l < ranking->n_locations; l++) {
        mpl_json_object(&json, NULL);
        mpl_json_string(&json, "location", diff->base->model->locations[l].label);
        mpl_json_number(&json, "votes", ranking->votes[l]);
        mpl_json_end(&json);
    }
    mpl_json_end(&json);
    mpl_json_array(&json, "rows");
    for (size_t i = 0; i < ranking->n_rows; i++) {
        put_row(&json, diff, ranking, &ranking->rows[i], what);
    }
    mpl_json_end(&json);
    return mpl_json_write(&json, out, err);
}
