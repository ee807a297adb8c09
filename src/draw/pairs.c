/* Who sends to whom: rows of a view, summed up per pair. */
#include "config.h"

#include "draw/pairs_priv.h"

#include <string.h>

bool mpl_draw_has_graph(const struct mpl_view *view)
{
    return view->mark == MPL_MARK_ARROWS;
}

/* NULL where the table has no such column. */
static const struct mpl_cell *find_cell(const struct mpl_pairs *g, size_t row,
                                        const char *name)
{
    const struct mpl_view *view = g->table->view;

    for (size_t i = 0; i < view->n_columns; i++) {
        if (strcmp(view->columns[i].name, name) == 0) {
            return &g->table->cells[row * view->n_columns + i];
        }
    }
    return NULL;
}

static uint64_t whole_at(const struct mpl_pairs *g, size_t row, const char *name,
                         uint64_t without)
{
    const struct mpl_cell *cell = find_cell(g, row, name);

    return cell == NULL                   ? without
           : cell->kind == MPL_CELL_WHOLE ? (uint64_t) cell->whole
                                          : 0;
}

static const char *text_at(const struct mpl_pairs *g, size_t row, const char *name)
{
    const struct mpl_cell *cell = find_cell(g, row, name);

    return cell == NULL || cell->kind != MPL_CELL_TEXT ? NULL : cell->text;
}

static uint32_t node_of(struct mpl_pairs *g, const char *name, const char *host)
{
    const size_t before = mpl_names_count(g->nodes);
    const uint32_t node = mpl_names_put(g->nodes, name);

    return node != MPL_NONE && node == before && !mpl_buf_put(&g->hosts, &host) ? MPL_NONE
                                                                                : node;
}

static struct mpl_pairs_edge *edge_of(struct mpl_pairs *g, uint32_t from, uint32_t to)
{
    struct mpl_pairs_edge *edge =
        mpl_map_item(g->edge_of, (uint64_t) from << 32 | to, &g->edges);

    if (edge != NULL) {
        edge->from = from;
        edge->to = to;
    }
    return edge;
}

static bool add_row(struct mpl_pairs *g, size_t row)
{
    const struct mpl_cell *cells = &g->table->cells[row * g->table->view->n_columns];
    const struct mpl_cell *wait = find_cell(g, row, "wait");

    if (cells[0].kind != MPL_CELL_TEXT || cells[1].kind != MPL_CELL_TEXT) {
        g->n_left_out++;
        return true;
    }
    const uint32_t from = node_of(g, cells[0].text, text_at(g, row, "from_host"));
    const uint32_t to = node_of(g, cells[1].text, text_at(g, row, "to_host"));
    struct mpl_pairs_edge *edge =
        from == MPL_NONE || to == MPL_NONE ? NULL : edge_of(g, from, to);

    if (edge == NULL) {
        return false;
    }
    edge->n_rows++;
    edge->messages += whole_at(g, row, "sent", 1);
    edge->bytes += whole_at(g, row, "bytes", 0);
    edge->wait_s += wait != NULL && wait->kind == MPL_CELL_NUMBER ? wait->number : 0;
    return true;
}

enum mpl_status mpl_pairs_create(const struct mpl_table *table, struct mpl_pairs *out,
                                 struct mpl_err *err)
{
    mpl_assert(mpl_draw_has_graph(table->view));
    *out = (struct mpl_pairs){ .table = table,
                               .nodes = mpl_names_create(),
                               .hosts = mpl_buf_make(sizeof(const char *)),
                               .edge_of = mpl_map_create(),
                               .edges = mpl_buf_make(sizeof(struct mpl_pairs_edge)) };
    bool is_enough = out->nodes != NULL && out->edge_of != NULL;
    for (size_t r = 0; r < table->n_rows && is_enough; r++) {
        is_enough = add_row(out, r);
    }
    return is_enough ? MPL_OK : mpl_nomem(err);
}

void mpl_pairs_free(struct mpl_pairs *graph)
{
    mpl_names_destroy(graph->nodes);
    mpl_map_destroy(graph->edge_of);
    mpl_buf_free(&graph->hosts);
    mpl_buf_free(&graph->edges);
}

const char *mpl_pairs_host(const struct mpl_pairs *graph, uint32_t node)
{
    return *(const char *const *) mpl_buf_get(&graph->hosts, node);
}

uint32_t mpl_pairs_hosts(const struct mpl_pairs *graph)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < graph->hosts.n; i++) {
        uint32_t k = 0;

        if (mpl_pairs_host(graph, i) == NULL) {
            return 0;
        }
        while (strcmp(mpl_pairs_host(graph, k), mpl_pairs_host(graph, i)) != 0) {
            k++;
        }
        n += k == i;
    }
    return n;
}

enum mpl_status mpl_pairs_collapse(struct mpl_pairs *graph, struct mpl_err *err)
{
    struct mpl_pairs of_hosts = { .table = graph->table,
                                  .nodes = mpl_names_create(),
                                  .hosts = mpl_buf_make(sizeof(const char *)),
                                  .edge_of = mpl_map_create(),
                                  .edges = mpl_buf_make(sizeof(struct mpl_pairs_edge)),
                                  .n_left_out = graph->n_left_out };
    bool is_enough = of_hosts.nodes != NULL && of_hosts.edge_of != NULL;

    for (size_t i = 0; i < graph->edges.n && is_enough; i++) {
        const struct mpl_pairs_edge *e = mpl_buf_get(&graph->edges, i);
        const uint32_t from = node_of(&of_hosts, mpl_pairs_host(graph, e->from), NULL);
        const uint32_t to = node_of(&of_hosts, mpl_pairs_host(graph, e->to), NULL);
        struct mpl_pairs_edge *sum =
            from == MPL_NONE || to == MPL_NONE ? NULL : edge_of(&of_hosts, from, to);

        is_enough = sum != NULL;
        if (is_enough) {
            sum->n_rows += e->n_rows;
            sum->messages += e->messages;
            sum->bytes += e->bytes;
            sum->wait_s += e->wait_s;
        }
    }
    if (!is_enough) {
        mpl_pairs_free(&of_hosts);
        return mpl_nomem(err);
    }
    mpl_pairs_free(graph);
    *graph = of_hosts;
    return MPL_OK;
}

enum mpl_status mpl_pairs_by_host(struct mpl_pairs *graph, struct mpl_err *err)
{
    return graph->hosts.n == 0 || mpl_pairs_hosts(graph) > 0
               ? mpl_pairs_collapse(graph, err)
               : mpl_fail(err, MPL_E_USAGE,
                          "the trace does not tell the host of each location");
}
