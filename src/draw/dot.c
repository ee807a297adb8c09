#include "config.h"

#include "draw/draw.h"

#include <inttypes.h>
#include <string.h>

struct edge {
    uint32_t from, to; /* numbers of nodes */
    uint64_t messages;
    uint64_t bytes;
    double wait_s;
};

struct graph {
    const struct mpl_table *table;
    struct mpl_names *nodes;
    struct mpl_buf hosts; /* const char *, per node; NULL: unknown */
    struct mpl_map *edge_of;
    struct mpl_buf edges;
    uint64_t n_left_out; /* rows without two ends */
    FILE *out;
};

bool mpl_draw_has_graph(const struct mpl_view *view)
{
    return view->mark == MPL_MARK_ARROWS;
}

/* ---- from rows to edges ------------------------------------------------------------------------ */

/* NULL where the table has no such column. */
static const struct mpl_cell *find_cell(const struct graph *g, size_t row, const char *name)
{
    const struct mpl_view *view = g->table->view;

    for (size_t i = 0; i < view->n_columns; i++) {
        if (strcmp(view->columns[i].name, name) == 0) {
            return &g->table->cells[row * view->n_columns + i];
        }
    }
    return NULL;
}

static uint64_t whole_at(const struct graph *g, size_t row, const char *name,
                         uint64_t without)
{
    const struct mpl_cell *cell = find_cell(g, row, name);

    return cell == NULL                   ? without
           : cell->kind == MPL_CELL_WHOLE ? (uint64_t) cell->whole
                                          : 0;
}

static const char *text_at(const struct graph *g, size_t row, const char *name)
{
    const struct mpl_cell *cell = find_cell(g, row, name);

    return cell == NULL || cell->kind != MPL_CELL_TEXT ? NULL : cell->text;
}

static uint32_t node_of(struct graph *g, const char *name, const char *host)
{
    const size_t before = mpl_names_count(g->nodes);
    const uint32_t node = mpl_names_put(g->nodes, name);

    if (node != MPL_NONE && node == before) {
        const char **slot = mpl_buf_add(&g->hosts);

        if (slot == NULL) {
            return MPL_NONE;
        }
        *slot = host;
    }
    return node;
}

static struct edge *edge_of(struct graph *g, uint32_t from, uint32_t to)
{
    const uint64_t key = (uint64_t) from << 32 | to;
    const uint32_t known = mpl_map_find(g->edge_of, key);
    struct edge *edge;

    if (known != MPL_NONE) {
        return mpl_buf_get(&g->edges, known);
    }
    edge = mpl_buf_add(&g->edges);
    if (edge == NULL || !mpl_map_put(g->edge_of, key, (uint32_t) g->edges.n - 1)) {
        return NULL;
    }
    edge->from = from;
    edge->to = to;
    return edge;
}

static bool add_row(struct graph *g, size_t row)
{
    const struct mpl_cell *cells = &g->table->cells[row * g->table->view->n_columns];
    const struct mpl_cell *wait = find_cell(g, row, "wait");

    if (cells[0].kind != MPL_CELL_TEXT || cells[1].kind != MPL_CELL_TEXT) {
        g->n_left_out++;
        return true;
    }
    const uint32_t from = node_of(g, cells[0].text, text_at(g, row, "from_host"));
    const uint32_t to = node_of(g, cells[1].text, text_at(g, row, "to_host"));
    struct edge *edge = from == MPL_NONE || to == MPL_NONE ? NULL : edge_of(g, from, to);

    if (edge == NULL) {
        return false;
    }
    edge->messages += whole_at(g, row, "sent", 1);
    edge->bytes += whole_at(g, row, "bytes", 0);
    edge->wait_s += wait != NULL && wait->kind == MPL_CELL_NUMBER ? wait->number : 0;
    return true;
}

/* ---- DOT ------------------------------------------------------------------------------------------- */

/* In quotes only these two mean something; control characters are shown as '?'. */
static void put_quoted(const char *text, FILE *out)
{
    (void) fputc('"', out);
    while (*text != '\0') {
        const size_t n = strcspn(text, "\"\\");

        mpl_text_print(out, "%.*s", (int) n, text);
        text += n;
        if (*text != '\0') {
            mpl_text_print(out, "\\%c", *text++);
        }
    }
    (void) fputc('"', out);
}

static const char *host_at(const struct graph *g, uint32_t node)
{
    return *(const char *const *) mpl_buf_get(&g->hosts, node);
}

static bool is_first_of_host(const struct graph *g, uint32_t node)
{
    for (uint32_t i = 0; i < node; i++) {
        if (host_at(g, i) != NULL && strcmp(host_at(g, i), host_at(g, node)) == 0) {
            return false;
        }
    }
    return true;
}

static void put_host(const struct graph *g, uint32_t first)
{
    const char *host = host_at(g, first);

    mpl_text_print(g->out, "  subgraph cluster_%u {\n    label = ", first);
    put_quoted(host, g->out);
    (void) fputs(";\n", g->out);
    for (uint32_t i = first; i < g->hosts.n; i++) {
        if (host_at(g, i) != NULL && strcmp(host_at(g, i), host) == 0) {
            (void) fputs("    ", g->out);
            put_quoted(mpl_names_text(g->nodes, i), g->out);
            (void) fputs(";\n", g->out);
        }
    }
    (void) fputs("  }\n", g->out);
}

static void put_nodes(const struct graph *g)
{
    for (uint32_t i = 0; i < g->hosts.n; i++) {
        if (host_at(g, i) == NULL) {
            (void) fputs("  ", g->out);
            put_quoted(mpl_names_text(g->nodes, i), g->out);
            (void) fputs(";\n", g->out);
        } else if (is_first_of_host(g, i)) {
            put_host(g, i);
        }
    }
}

static void put_edges(const struct graph *g)
{
    double most = 0;

    for (size_t i = 0; i < g->edges.n; i++) {
        const struct edge *e = mpl_buf_get(&g->edges, i);

        most = e->wait_s > most ? e->wait_s : most;
    }
    for (size_t i = 0; i < g->edges.n; i++) {
        const struct edge *e = mpl_buf_get(&g->edges, i);

        (void) fputs("  ", g->out);
        put_quoted(mpl_names_text(g->nodes, e->from), g->out);
        (void) fputs(" -> ", g->out);
        put_quoted(mpl_names_text(g->nodes, e->to), g->out);
        mpl_text_print(g->out,
                       " [label = \"messages: %llu\\nbytes: %llu\\nwait: %.6f s\", "
                       "penwidth = %.1f];\n",
                       (unsigned long long) e->messages, (unsigned long long) e->bytes,
                       e->wait_s, most > 0 ? 1 + 4 * e->wait_s / most : 1);
    }
}

static void put_graph(const struct graph *g)
{
    mpl_text_print(g->out, "// marple view %s: %s\n", g->table->view->name,
                   g->table->view->says);
    if (g->n_left_out > 0) {
        mpl_text_print(g->out,
                       "// rows of collective operations, which are no edges: %llu\n",
                       (unsigned long long) g->n_left_out);
    }
    mpl_text_print(g->out, "digraph %s {\n", g->table->view->name);
    put_nodes(g);
    put_edges(g);
    (void) fputs("}\n", g->out);
}

enum mpl_status mpl_draw_dot(const struct mpl_table *table, FILE *out, struct mpl_err *err)
{
    struct graph g = { .table = table,
                       .nodes = mpl_names_create(),
                       .hosts = mpl_buf_make(sizeof(const char *)),
                       .edge_of = mpl_map_create(),
                       .edges = mpl_buf_make(sizeof(struct edge)),
                       .out = out };
    bool is_enough = g.nodes != NULL && g.edge_of != NULL;

    mpl_assert(mpl_draw_has_graph(table->view));
    for (size_t r = 0; r < table->n_rows && is_enough; r++) {
        is_enough = add_row(&g, r);
    }
    if (is_enough) {
        put_graph(&g);
    }
    mpl_names_destroy(g.nodes);
    mpl_map_destroy(g.edge_of);
    mpl_buf_free(&g.hosts);
    mpl_buf_free(&g.edges);
    return is_enough ? mpl_file_flush(out, err) : mpl_nomem(err);
}
