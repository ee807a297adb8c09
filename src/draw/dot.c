/* The graph in the language of Graphviz. */
#include "config.h"

#include "draw/pairs_priv.h"

#include <string.h>

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

static bool is_first_of_host(const struct mpl_pairs *g, uint32_t node)
{
    for (uint32_t i = 0; i < node; i++) {
        if (mpl_pairs_host(g, i) != NULL &&
            strcmp(mpl_pairs_host(g, i), mpl_pairs_host(g, node)) == 0) {
            return false;
        }
    }
    return true;
}

static void put_host(const struct mpl_pairs *g, uint32_t first, FILE *out)
{
    const char *host = mpl_pairs_host(g, first);

    mpl_text_print(out, "  subgraph cluster_%u {\n    label = ", first);
    put_quoted(host, out);
    (void) fputs(";\n", out);
    for (uint32_t i = first; i < g->hosts.n; i++) {
        if (mpl_pairs_host(g, i) != NULL && strcmp(mpl_pairs_host(g, i), host) == 0) {
            (void) fputs("    ", out);
            put_quoted(mpl_names_text(g->nodes, i), out);
            (void) fputs(";\n", out);
        }
    }
    (void) fputs("  }\n", out);
}

static void put_edges(const struct mpl_pairs *g, FILE *out)
{
    double most = 0;

    for (size_t i = 0; i < g->edges.n; i++) {
        const struct mpl_pairs_edge *e = mpl_buf_get(&g->edges, i);

        most = e->wait_s > most ? e->wait_s : most;
    }
    for (size_t i = 0; i < g->edges.n; i++) {
        const struct mpl_pairs_edge *e = mpl_buf_get(&g->edges, i);

        (void) fputs("  ", out);
        put_quoted(mpl_names_text(g->nodes, e->from), out);
        (void) fputs(" -> ", out);
        put_quoted(mpl_names_text(g->nodes, e->to), out);
        mpl_text_print(out,
                       " [label = \"messages: %llu\\nbytes: %llu\\nwait: %.6f s\", "
                       "penwidth = %.1f];\n",
                       (unsigned long long) e->messages, (unsigned long long) e->bytes,
                       e->wait_s, most > 0 ? 1 + 4 * e->wait_s / most : 1);
    }
}

static void put_graph(const struct mpl_pairs *g, FILE *out)
{
    mpl_text_print(out, "// marple view %s: %s\n", g->table->view->name,
                   g->table->view->says);
    if (g->n_left_out > 0) {
        mpl_text_print(out, "// rows of collective operations, which are no edges: %llu\n",
                       (unsigned long long) g->n_left_out);
    }
    mpl_text_print(out, "digraph %s {\n", g->table->view->name);
    for (uint32_t i = 0; i < g->hosts.n; i++) {
        if (mpl_pairs_host(g, i) == NULL) {
            (void) fputs("  ", out);
            put_quoted(mpl_names_text(g->nodes, i), out);
            (void) fputs(";\n", out);
        } else if (is_first_of_host(g, i)) {
            put_host(g, i, out);
        }
    }
    put_edges(g, out);
    (void) fputs("}\n", out);
}

enum mpl_status mpl_draw_dot(const struct mpl_table *table, bool by_host, FILE *out,
                             struct mpl_err *err)
{
    struct mpl_pairs graph;
    enum mpl_status st = mpl_pairs_create(table, &graph, err);

    st = st == MPL_OK && by_host ? mpl_pairs_by_host(&graph, err) : st;
    if (st == MPL_OK) {
        put_graph(&graph, out);
        st = mpl_file_flush(out, err);
    }
    mpl_pairs_free(&graph);
    return st;
}
