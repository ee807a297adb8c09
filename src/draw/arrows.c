/*
 * The connection graph in layers, the way of Sugiyama, Tagawa and Toda, "Methods for Visual Understanding of Hierarchical
 * System Structures" (1981): who passes on what it gets stands below whom it gets it from; where messages go round, a
 * layer is how many messages away one is from who speaks to most. In a layer each stands below the middle
 * of its neighbours above.
 */
#include "config.h"

#include "draw/pairs_priv.h"
#include "draw/picture_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_NODES = 48,
    MOST_EDGES = 400,
    MOST_IN_ROW = 12,
    SWEEPS = 4,
    NODE_HEIGHT = 20,
    ROW_HEIGHT = 90
};

struct node {
    const char *name;
    uint32_t layer;
    double place; /* in its layer */
    double x;
    double y;
    bool is_used;
};

struct arrows {
    struct mpl_pairs_edge *edges; /* those that are drawn */
    size_t n_edges;
    size_t n_all;
    struct node *nodes;
    uint32_t n_nodes;
    int node_width;
    double most_s;
    bool are_hosts;
};

/* ---- what is drawn ------------------------------------------------------------------------------- */

static int by_weight(const void *x, const void *y)
{
    const struct mpl_pairs_edge *a = x;
    const struct mpl_pairs_edge *b = y;

    if (a->wait_s != b->wait_s) {
        return a->wait_s > b->wait_s ? -1 : 1;
    }
    if (a->messages != b->messages) {
        return a->messages > b->messages ? -1 : 1;
    }
    return a->from != b->from ? (a->from > b->from) - (a->from < b->from)
                              : (a->to > b->to) - (a->to < b->to);
}

static enum mpl_status take_graph(struct picture *p, struct arrows *a,
                                  const struct mpl_pairs *graph, struct mpl_err *err)
{
    a->n_all = graph->edges.n;
    a->n_nodes = (uint32_t) graph->hosts.n;
    a->nodes = MPL_NEW_ARRAY(p->sheet.arena, a->n_nodes + 1, struct node);
    a->edges = MPL_NEW_ARRAY(p->sheet.arena, a->n_all + 1, struct mpl_pairs_edge);
    if (a->nodes == NULL || a->edges == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t i = 0; i < a->n_nodes; i++) {
        a->nodes[i].name =
            mpl_arena_strdup(p->sheet.arena, mpl_names_text(graph->nodes, i));
        if (a->nodes[i].name == NULL) {
            return mpl_nomem(err);
        }
    }
    if (a->n_all > 0) {
        memcpy(a->edges, graph->edges.data, a->n_all * sizeof *a->edges);
        qsort(a->edges, a->n_all, sizeof *a->edges, by_weight);
    }
    a->n_edges = a->n_all < MOST_EDGES ? a->n_all : MOST_EDGES;
    for (size_t i = 0; i < a->n_edges; i++) {
        a->nodes[a->edges[i].from].is_used = true;
        a->nodes[a->edges[i].to].is_used = true;
        a->most_s = fmax(a->most_s, a->edges[i].wait_s);
    }
    return MPL_OK;
}

/* ---- layers ---------------------------------------------------------------------------------------- */

/* Below the lowest of those who send to it. False where messages go round. */
static bool find_longest(struct arrows *a)
{
    bool has_moved = true;

    for (uint32_t round = 0; has_moved; round++) {
        has_moved = false;
        for (size_t i = 0; i < a->n_edges; i++) {
            const uint32_t least = a->nodes[a->edges[i].from].layer + 1;
            struct node *to = &a->nodes[a->edges[i].to];

            if (to->layer < least) {
                to->layer = least;
                has_moved = true;
            }
        }
        if (round > a->n_nodes) {
            return false;
        }
    }
    return true;
}

static uint32_t count_edges(const struct arrows *a, uint32_t node)
{
    uint32_t n = 0;

    for (size_t i = 0; i < a->n_edges; i++) {
        n += a->edges[i].from == node || a->edges[i].to == node;
    }
    return n;
}

/* Of those without a layer the one with most neighbours; MPL_NONE: all have theirs. */
static uint32_t find_first(const struct arrows *a)
{
    uint32_t best = MPL_NONE;
    uint32_t most = 0;

    for (uint32_t i = 0; i < a->n_nodes; i++) {
        const uint32_t n =
            a->nodes[i].is_used && a->nodes[i].layer == MPL_NONE ? count_edges(a, i) : 0;

        if (n > most) {
            most = n;
            best = i;
        }
    }
    return best;
}

static void find_distances(struct arrows *a)
{
    uint32_t first;

    for (uint32_t i = 0; i < a->n_nodes; i++) {
        a->nodes[i].layer = MPL_NONE;
    }
    while ((first = find_first(a)) != MPL_NONE) {
        bool has_moved = true;

        a->nodes[first].layer = 0;
        for (uint32_t layer = 0; has_moved; layer++) {
            has_moved = false;
            for (size_t i = 0; i < a->n_edges; i++) {
                struct node *from = &a->nodes[a->edges[i].from];
                struct node *to = &a->nodes[a->edges[i].to];
                struct node *next = from->layer == layer && to->layer == MPL_NONE   ? to
                                    : to->layer == layer && from->layer == MPL_NONE ? from
                                                                                    : NULL;

                if (next != NULL) {
                    next->layer = layer + 1;
                    has_moved = true;
                }
            }
        }
    }
}

/* ---- places in a layer --------------------------------------------------------------------------------- */

static int by_place(const void *x, const void *y)
{
    const struct node *const *a = x;
    const struct node *const *b = y;

    if ((*a)->layer != (*b)->layer) {
        return (*a)->layer > (*b)->layer ? 1 : -1;
    }
    if ((*a)->place != (*b)->place) {
        return (*a)->place > (*b)->place ? 1 : -1;
    }
    return (*a > *b) - (*a < *b);
}

/* The mean of the places of its neighbours in the layer above, as shares of that layer. */
static void find_middle(struct arrows *a, uint32_t number)
{
    double sum = 0;
    uint32_t n = 0;

    for (size_t i = 0; i < a->n_edges; i++) {
        const struct mpl_pairs_edge *e = &a->edges[i];
        const uint32_t other = e->from == number ? e->to
                               : e->to == number ? e->from
                                                 : MPL_NONE;

        if (other != MPL_NONE && a->nodes[other].layer + 1 == a->nodes[number].layer) {
            sum += a->nodes[other].x;
            n++;
        }
    }
    a->nodes[number].place = n > 0 ? sum / n : a->nodes[number].x;
}

/* Rows of at most so many; x from 0 to 1. */
static int set_rows(struct node **order, uint32_t n)
{
    int y = 0;

    for (uint32_t i = 0; i < n;) {
        uint32_t end = i;

        while (end < n && end - i < MOST_IN_ROW && order[end]->layer == order[i]->layer) {
            end++;
        }
        for (uint32_t k = i; k < end; k++) {
            order[k]->x = (k - i + 0.5) / (end - i);
            order[k]->y = y;
        }
        y += ROW_HEIGHT;
        i = end;
    }
    return y;
}

static enum mpl_status place(struct picture *p, struct arrows *a, struct mpl_err *err)
{
    struct node **order = MPL_NEW_ARRAY(p->sheet.arena, a->n_nodes + 1, struct node *);
    uint32_t n = 0;
    int height = 0;

    if (order == NULL) {
        return mpl_nomem(err);
    }
    for (uint32_t i = 0; i < a->n_nodes; i++) {
        if (a->nodes[i].is_used) {
            a->nodes[i].x = i;
            a->nodes[i].place = i;
            order[n++] = &a->nodes[i];
        }
    }
    for (int sweep = 0; sweep < SWEEPS && n > 0; sweep++) {
        qsort(order, n, sizeof(struct node *), by_place);
        height = set_rows(order, n);
        for (uint32_t i = 0; i < a->n_nodes; i++) {
            find_middle(a, i);
        }
    }
    p->height = height > 0 ? height - ROW_HEIGHT + 2 * NODE_HEIGHT : LINE_PIXELS;
    return MPL_OK;
}

static enum mpl_status arrange(struct picture *p, struct arrows *a, struct mpl_pairs *graph,
                               struct mpl_err *err)
{
    enum mpl_status st = MPL_OK;

    if (p->report->by_host) {
        a->are_hosts = true;
        st = mpl_pairs_by_host(graph, err);
    } else if (graph->hosts.n > MOST_NODES && mpl_pairs_hosts(graph) > 1) {
        a->are_hosts = true;
        st = mpl_pairs_collapse(graph, err);
    }
    st = st == MPL_OK ? take_graph(p, a, graph, err) : st;
    if (st != MPL_OK) {
        return st;
    }
    if (!find_longest(a)) {
        find_distances(a);
    }
    size_t widest = 3;
    for (uint32_t i = 0; i < a->n_nodes; i++) {
        const size_t n = mpl_text_columns(a->nodes[i].name);

        widest = n > widest ? n : widest;
    }
    a->node_width = widest > 8 ? PLOT_PIXELS / MOST_IN_ROW - 6 : (int) widest * 6 + 10;
    p->laid_out = a;
    const uint64_t n_collectives = graph->n_left_out;
    const char *collectives =
        n_collectives == 0
            ? ""
            : mpl_draw_words(&p->sheet,
                             "Rows of collective operations, which are no arrows: %llu. ",
                             (unsigned long long) n_collectives);
    p->left_out =
        a->n_edges < a->n_all
            ? mpl_draw_words(&p->sheet, "%s%zu of %zu pairs: those with the longest waits.",
                             collectives, a->n_edges, a->n_all)
        : n_collectives > 0 ? collectives
                            : NULL;
    p->key = mpl_draw_words(&p->sheet,
                            "%s the thicker, the longer the receiver waits, up to %s; "
                            "without waiting grey.",
                            a->are_hosts ? "Each node is a host. Arrows:" : "Arrows:",
                            mpl_draw_seconds(&p->sheet, a->most_s));
    return place(p, a, err);
}

static enum mpl_status lay_out(struct picture *p, struct mpl_err *err)
{
    struct arrows *a = MPL_NEW(p->sheet.arena, struct arrows);
    struct mpl_pairs graph;

    if (a == NULL) {
        return mpl_nomem(err);
    }
    enum mpl_status st = mpl_pairs_create(p->table, &graph, err);

    st = st == MPL_OK ? arrange(p, a, &graph, err) : st;
    mpl_pairs_free(&graph);
    return st;
}

/* Of a node with itself: round its upper edge. */
static void draw_loop(const struct picture *p, const struct arrows *a,
                      const struct mpl_pairs_edge *e)
{
    const struct node *node = &a->nodes[e->from];
    const double x = node->x * p->width;
    const struct sheet *s = &p->sheet;

    mpl_markup_print(s->out,
                     "<path class=\"edge%s\" stroke-width=\"%s\" d=\"M%s %sc10 -16 -30 -16 "
                     "-20 0\"/><path class=\"head\" d=\"M%s %sl-4 -7h6z\"/>",
                     e->wait_s > 0 ? " waits" : "",
                     mpl_draw_short(s, a->most_s > 0 ? 1 + 4 * e->wait_s / a->most_s : 1),
                     mpl_draw_short(s, x + 10), mpl_draw_short(s, node->y),
                     mpl_draw_short(s, x - 10), mpl_draw_short(s, node->y));
}

/* From the edge of one node to that of the other, bent to the right of its way, so that both ways are seen. */
static void draw_way(const struct picture *p, const struct arrows *a,
                     const struct mpl_pairs_edge *e)
{
    const struct node *from = &a->nodes[e->from];
    const struct node *to = &a->nodes[e->to];
    const double x[] = { from->x * p->width, to->x * p->width };
    const double y[] = { from->y + NODE_HEIGHT / 2.0, to->y + NODE_HEIGHT / 2.0 };
    const double length = fmax(hypot(x[1] - x[0], y[1] - y[0]), 1);
    const double along[] = { (x[1] - x[0]) / length, (y[1] - y[0]) / length };
    const double bend = fmin(length / 6, 30);
    const double via[] = { (x[0] + x[1]) / 2 - along[1] * bend,
                           (y[0] + y[1]) / 2 + along[0] * bend };
    const double last = fmax(hypot(x[1] - via[0], y[1] - via[1]), 1);
    const double in[] = { (x[1] - via[0]) / last, (y[1] - via[1]) / last };
    /* Where the way meets the box of the node. */
    const double stop =
        fmin(fabs(in[0]) > 1e-9 ? a->node_width / 2.0 / fabs(in[0]) : length,
             fabs(in[1]) > 1e-9 ? NODE_HEIGHT / 2.0 / fabs(in[1]) : length);
    const double end[] = { x[1] - in[0] * stop, y[1] - in[1] * stop };
    const struct sheet *s = &p->sheet;

    mpl_markup_print(s->out,
                     "<path class=\"edge%s\" stroke-width=\"%s\" d=\"M%s %sQ%s %s %s %s\"/>"
                     "<path class=\"head\" d=\"M%s %sL%s %sL%s %sz\"/>",
                     e->wait_s > 0 ? " waits" : "",
                     mpl_draw_short(s, a->most_s > 0 ? 1 + 4 * e->wait_s / a->most_s : 1),
                     mpl_draw_short(s, x[0]), mpl_draw_short(s, y[0]),
                     mpl_draw_short(s, via[0]), mpl_draw_short(s, via[1]),
                     mpl_draw_short(s, end[0]), mpl_draw_short(s, end[1]),
                     mpl_draw_short(s, end[0]), mpl_draw_short(s, end[1]),
                     mpl_draw_short(s, end[0] - 8 * in[0] - 3 * in[1]),
                     mpl_draw_short(s, end[1] - 8 * in[1] + 3 * in[0]),
                     mpl_draw_short(s, end[0] - 8 * in[0] + 3 * in[1]),
                     mpl_draw_short(s, end[1] - 8 * in[1] - 3 * in[0]));
}

static void draw_edge(const struct picture *p, const struct arrows *a,
                      const struct mpl_pairs_edge *e)
{
    const char *from = a->nodes[e->from].name;
    const char *to = a->nodes[e->to].name;

    mpl_markup_print(p->sheet.out,
                     "<g data-from=\"%s\" data-to=\"%s\" data-count=\"%llu\" "
                     "data-messages=\"%llu\" data-bytes=\"%llu\" data-wait=\"%s\"><title>"
                     "%s to %s: %llu messages, %llu bytes, waits %s</title>",
                     from, to, (unsigned long long) e->n_rows,
                     (unsigned long long) e->messages, (unsigned long long) e->bytes,
                     mpl_draw_number(&p->sheet, e->wait_s), from, to,
                     (unsigned long long) e->messages, (unsigned long long) e->bytes,
                     mpl_draw_seconds(&p->sheet, e->wait_s));
    if (e->from == e->to) {
        draw_loop(p, a, e);
    } else {
        draw_way(p, a, e);
    }
    mpl_picture_end_row(p);
}

static void draw(const struct picture *p)
{
    const struct arrows *a = p->laid_out;

    for (size_t i = 0; i < a->n_edges; i++) {
        draw_edge(p, a, &a->edges[i]);
    }
    for (uint32_t i = 0; i < a->n_nodes; i++) {
        const struct node *node = &a->nodes[i];

        if (node->is_used) {
            mpl_markup_print(
                p->sheet.out,
                "<g data-node=\"%s\"><rect class=\"node\" x=\"%s\" y=\"%s\" width=\"%d\" "
                "height=\"%d\" rx=\"4\"/><text x=\"%s\" y=\"%s\">%s</text></g>\n",
                node->name,
                mpl_draw_short(&p->sheet, node->x * p->width - a->node_width / 2.0),
                mpl_draw_short(&p->sheet, node->y), a->node_width, (int) NODE_HEIGHT,
                mpl_draw_short(&p->sheet, node->x * p->width),
                mpl_draw_short(&p->sheet, node->y + 14), node->name);
        }
    }
}

const struct mpl_marking mpl_marking_arrows = { lay_out, draw };
